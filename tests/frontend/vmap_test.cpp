// vmap: values against loops, axes, nesting in other transforms and in compile, open sizes, errors. Semantics without a
// loop to compare with were measured with MLX 0.32.
#include <cmath>
#include <thread>

#include "helpers.h"

namespace frit::test::vmap_test {
namespace {

using Arrays = std::vector<array>;
using Unary = std::function<array(const array&)>;
using Binary = std::function<array(const array&, const array&)>;
using List = std::function<Arrays(const Arrays&)>;

std::vector<float> floats(const array& a) { return values<float>(astype(a, float32)); }

array numbers(Shape shape) {
  int n = 1;
  for (int d : shape) n *= d;
  return reshape(sin(arange(0.0f, static_cast<float>(n), 1.0f) * 1.7f), shape);
}

// `f` at each position of an axis, stacked along the first axis.
array looped(const Unary& f, const array& x, int axis = 0) {
  Arrays rows;
  for (int i = 0; i < x.shape(axis); ++i) rows.push_back(f(take(x, i, axis)));
  return stack(rows, 0);
}

void expect_loop(const Unary& f, const array& x, int axis = 0) {
  const array want = looped(f, x, axis), got = vmap(f, axis)(x);
  EXPECT_EQ(got.shape(), want.shape());
  EXPECT_EQ(floats(got), floats(want));
}

void expect_near(const array& got, const array& want, float bound = 1e-5f) {
  ASSERT_EQ(got.shape(), want.shape());
  const std::vector<float> a = floats(got), b = floats(want);
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], bound * (1 + std::fabs(b[i])));
}

TEST(Vmap, IsALoop) {
  const array x = numbers({4, 3, 5});
  const array weights = numbers({5}), table = numbers({7, 5}), column = numbers({3});
  for (int axis = 0; axis < 3; ++axis) {
    expect_loop([](const array& a) { return exp(a) * 2.0f; }, x, axis);
    expect_loop([](const array& a) { return sum(a, 0); }, x, axis);
    expect_loop([](const array& a) { return argmax(a, -1); }, x, axis);
    expect_loop([](const array& a) { return softmax(a, -1); }, x, axis);
    expect_loop([](const array& a) { return cumsum(a, 1, true, false); }, x, axis);
    expect_loop([](const array& a) { return sort(a, 0); }, x, axis);
    expect_loop([](const array& a) { return reshape(transpose(a), {-1}); }, x, axis);
    expect_loop([](const array& a) { return pad(a, {{1, 0}, {0, 2}}, array(3.0f)); }, x, axis);
    expect_loop([](const array& a) { return concatenate({a, zeros_like(a)}, 1); }, x, axis);
    expect_loop([](const array& a) { return slice(a, {0, 1}, {2, 3}); }, x, axis);
    expect_loop([](const array& a) { return var(a); }, x, axis);
    expect_loop([](const array& a) { return as_strided(a, {2, 2}, {1, 1}, 1); }, x, axis);
    expect_loop([](const array& a) { return flip(roll(a, 1, 0), 1); }, x, axis);
    expect_loop([](const array& a) { return tril(a); }, x, axis);
    expect_loop([](const array& a) { return repeat(a, 2, 0); }, x, axis);
    expect_loop([](const array& a) { return median(a, {0}); }, x, axis);
    expect_loop([](const array& a) { return logsumexp(a, 1); }, x, axis);
  }
  expect_loop([&](const array& a) { return a * weights + take(column, 1, 0); }, x, 0);
}

TEST(Vmap, AxesOfArgumentsAndResults) {
  const array x = reshape(arange(0.0f, 6.0f, 1.0f), {2, 3}), y = reshape(arange(0.0f, 6.0f, 1.0f), {3, 2});
  const Binary add_all = [](const array& a, const array& b) { return a + b; };
  // Columns of x with rows of y, stacked as columns.
  const array got = vmap(add_all, 1, 0, 1)(x, y);
  EXPECT_EQ(got.shape(), (Shape{2, 3}));
  EXPECT_EQ(floats(got), (std::vector<float>{0, 3, 6, 4, 7, 10}));
  // One argument is the same everywhere.
  const array shared({10.0f, 20.0f, 30.0f});
  EXPECT_EQ(floats(vmap(add_all, 0, -1)(x, shared)), (std::vector<float>{10, 21, 32, 13, 24, 35}));
  EXPECT_EQ(floats(vmap(add_all, -1, 0)(shared, x)), (std::vector<float>{10, 21, 32, 13, 24, 35}));
  // Several results, one the same everywhere: repeated, or without the axis.
  const List both = [&](const Arrays& a) { return Arrays{a[0] * 2.0f, shared + 1.0f, a[1]}; };
  const Arrays out = vmap(both, {0, -1}, {1, 1, -1})({x, shared});
  EXPECT_EQ(out[0].shape(), (Shape{3, 2}));
  EXPECT_EQ(out[1].shape(), (Shape{3, 2}));
  EXPECT_EQ(floats(out[1]), (std::vector<float>{11, 11, 21, 21, 31, 31}));
  EXPECT_EQ(out[2].shape(), (Shape{3}));
  // Without axes: the first one of all.
  EXPECT_EQ(vmap(List([](const Arrays& a) { return Arrays{sum(a[0])}; }))({x})[0].shape(), (Shape{2}));
  // Batches of one position and of none.
  EXPECT_EQ(vmap(Unary([](const array& a) { return sum(a); }))(zeros({1, 4})).shape(), (Shape{1}));
  EXPECT_EQ(vmap(Unary([](const array& a) { return a * 2.0f; }))(zeros({0, 4})).shape(), (Shape{0, 4}));
}

TEST(Vmap, ProductsOfMatrices) {
  const array m = numbers({3, 4}), stack_of = numbers({5, 3, 4}), vectors = numbers({5, 4}), w = numbers({4, 2});
  const auto product = [](const array& a, const array& b) { return matmul(a, b); };
  expect_near(vmap(Binary(product), 0, -1)(stack_of, w), matmul(stack_of, w));
  expect_near(vmap(Binary(product), -1, 0)(m, vectors), matmul(vectors, transpose(m)));
  expect_near(vmap(Binary(product), 0, -1)(vectors, w), matmul(vectors, w));
  expect_near(vmap(Binary(product), 0, 0)(stack_of, numbers({5, 4, 2})), matmul(stack_of, numbers({5, 4, 2})));
  expect_near(vmap(Binary(product), -1, 0)(m, numbers({5, 4, 2})),
              looped([&](const array& a) { return matmul(m, a); }, numbers({5, 4, 2})));
  const array c = numbers({3, 2});
  expect_near(vmap(Unary([&](const array& a) { return addmm(c, a, w, 2.0f, 0.5f); }))(stack_of),
              looped([&](const array& a) { return addmm(c, a, w, 2.0f, 0.5f); }, stack_of));
  const auto contraction = [&](const array& a) { return einsum("ij,jk->ki", {a, w}); };
  expect_near(vmap(Unary(contraction))(stack_of), looped(contraction, stack_of));
}

TEST(Vmap, RoutinesAndConvolutions) {
  array a = numbers({4, 3, 3});
  a = matmul(a, transpose(a, {0, 2, 1})) + eye(3) * 2.0f;
  const Device cpu(Device::cpu);
  expect_near(vmap(Unary([&](const array& x) { return linalg::cholesky(x, false, cpu); }))(a),
              linalg::cholesky(a, false, cpu));
  expect_near(vmap(Unary([&](const array& x) { return linalg::inv(x, cpu); }))(a), linalg::inv(a, cpu), 1e-4f);
  const array sides = numbers({5, 3});
  const Unary solve_one = [&](const array& x) { return linalg::solve(take(a, 1, 0), x, cpu); };
  expect_near(vmap(solve_one)(sides), looped(solve_one, sides), 1e-4f);
  const array signal = numbers({3, 2, 8});
  const Unary spectrum = [](const array& x) { return abs(fft::rfft(x)); };
  expect_near(vmap(spectrum, 1)(signal), looped(spectrum, signal, 1), 1e-4f);
  const array image = numbers({2, 1, 5, 5, 2}), kernel = numbers({3, 3, 3, 2});
  const Unary convolved = [&](const array& x) { return conv2d(x, kernel, {1, 1}, {1, 1}); };
  expect_near(vmap(convolved)(image), looped(convolved, image), 1e-4f);
  const array kernels = numbers({4, 3, 3, 3, 2}), one = numbers({1, 5, 5, 2});
  const Unary by_kernel = [&](const array& k) { return conv2d(one, k); };
  expect_near(vmap(by_kernel)(kernels), looped(by_kernel, kernels), 1e-4f);
}

TEST(Vmap, PositionsFromData) {
  const array table = numbers({6, 4}), tables = numbers({3, 6, 4});
  const array rows({0, 5, -1, 2, 2, 9}, {3, 2});
  const Binary look = [](const array& t, const array& i) { return take(t, i, 0); };
  EXPECT_EQ(floats(vmap(look, -1, 0)(table, rows)), floats(take(table, rows, 0)));
  EXPECT_EQ(floats(vmap(look, 0, -1)(tables, rows)), floats(take(tables, rows, 1)));
  Arrays want;
  for (int i = 0; i < 3; ++i) want.push_back(take(take(tables, i, 0), take(rows, i, 0), 0));
  EXPECT_EQ(floats(vmap(look, 0, 0)(tables, rows)), floats(stack(want, 0)));
  // Updates at positions of each batch; two of them meet in the second batch.
  const array indices({0, 1, 2, 2, 5, 0}, {3, 2}), updates = numbers({3, 2, 4});
  const std::function<array(const Arrays&)> put = [](const Arrays& x) {
    return scatter_add(x[0], x[1], expand_dims(x[2], 1), 0);
  };
  for (const std::vector<int>& axes : {std::vector<int>{0, 0, 0}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}, {-1, 0, -1}}) {
    const Arrays whole{axes[0] < 0 ? table : tables, axes[1] < 0 ? take(indices, 1, 0) : indices,
                       axes[2] < 0 ? take(updates, 1, 0) : updates};
    Arrays parts;
    for (int i = 0; i < 3; ++i) {
      Arrays at;
      for (size_t k = 0; k < 3; ++k) at.push_back(axes[k] < 0 ? whole[k] : take(whole[k], i, 0));
      parts.push_back(put(at));
    }
    const array got = vmap(List([&](const Arrays& x) { return Arrays{put(x)}; }), axes, {0})(whole)[0];
    EXPECT_EQ(floats(got), floats(stack(parts, 0)));
  }
  const array sorted = sort(numbers({3, 6}), 1), wanted = numbers({3, 2});
  const Binary search = [](const array& s, const array& v) { return searchsorted(s, v); };
  Arrays found;
  for (int i = 0; i < 3; ++i) found.push_back(searchsorted(take(sorted, i, 0), take(wanted, i, 0)));
  EXPECT_EQ(floats(vmap(search)(sorted, wanted)), floats(stack(found, 0)));
}

TEST(Vmap, RandomNumbersFollowTheirKeys) {
  const array keys = random::split(random::key(3), 4);
  const Unary draw = [](const array& k) { return random::normal({5}, float32, k); };
  expect_loop(draw, keys);
  expect_loop([](const array& k) { return random::split(k, 2); }, keys);
  expect_loop([](const array& k) { return random::permutation(6, k); }, keys);
  // Without a key the draw is the same at every position.
  const std::vector<float> drawn =
      floats(vmap(Unary([](const array& x) { return random::uniform(Shape{2}) + x * 0.0f; }))(zeros({3})));
  EXPECT_EQ(drawn[0], drawn[2]);
  EXPECT_EQ(drawn[1], drawn[5]);
}

TEST(Vmap, NestsInItself) {
  const array x = numbers({2, 3}), y = numbers({4, 3});
  const Binary dot = [](const array& a, const array& b) { return sum(a * b); };
  // Every row of x with every row of y: the inner closure uses an array of the outer one.
  const Unary table = [&](const array& a) { return vmap(Unary([&](const array& b) { return dot(a, b); }))(y); };
  expect_near(vmap(table)(x), matmul(x, transpose(y)));
  const Binary outer = vmap(Binary(vmap(dot, -1, 0)), 0, -1);
  expect_near(outer(x, y), matmul(x, transpose(y)));
  expect_loop([](const array& a) { return vmap(Unary([](const array& b) { return b * b; }), 1, 1)(a); },
              numbers({2, 3, 4}));
  // Positions from data, twice batched.
  const array tables = numbers({2, 3, 5}), rows({0, 4, 1, 2, 3, 3}, {2, 3});
  const Binary look = [](const array& t, const array& i) { return take(t, i, 0); };
  EXPECT_EQ(floats(vmap(Binary(vmap(look)))(tables, rows)), floats(take_along_axis(tables, expand_dims(rows, 2), 2)));
}

TEST(Vmap, WithDerivatives) {
  const array w = numbers({3}), x = numbers({5, 3});
  const Binary loss = [](const array& v, const array& a) { return square(sum(tanh(v * a))); };
  // Gradients of each example.
  const Unary of_w = [&](const array& a) { return grad(Unary([&](const array& v) { return loss(v, a); }))(w); };
  expect_near(vmap(of_w)(x), looped(of_w, x));
  // The gradient of the sum over the batch is the sum of the gradients.
  const Unary total = [&](const array& v) { return sum(vmap(Unary([&](const array& a) { return loss(v, a); }))(x)); };
  expect_near(grad(total)(w), sum(looped(of_w, x), 0));
  // Jacobians, row by row and column by column.
  const Unary f = [](const array& v) { return v * sum(v * v); };
  const array one_hot = eye(3);
  const array by_rows = vmap(Unary([&](const array& c) { return vjp(f, w, c).second; }))(one_hot);
  const array by_columns = vmap(Unary([&](const array& t) { return jvp(f, w, t).second; }), 0, 1)(one_hot);
  expect_near(by_rows, by_columns);
  // The tangent of a batch is the batch of tangents.
  const array tangent = numbers({5, 3}) + 1.0f;
  const Unary squares = [](const array& a) { return sum(a * a * a); };
  expect_near(jvp(vmap(squares), x, tangent).second,
              vmap(Binary([&](const array& a, const array& t) { return jvp(squares, a, t).second; }))(x, tangent));
  // A Hessian by vmap of a Hessian times a vector.
  const array hessian = vmap(Unary([&](const array& t) { return jvp(grad(squares), w, t).second; }))(one_hot);
  expect_near(hessian, diag(w * 6.0f));
  const Unary second = [](const array& a) { return grad(grad(Unary([](const array& b) { return sin(b); })))(a); };
  expect_near(vmap(second)(w), -sin(w));
}

TEST(Vmap, WithCompile) {
  const array w = numbers({4, 2}), x = numbers({6, 4});
  const auto row = [](const array& a, const array& v) { return tanh(matmul(a, v)); };
  const array want = looped([&](const array& a) { return row(a, w); }, x);
  auto inner = compile(row);
  expect_near(vmap(Unary([&](const array& a) { return inner(a, w); }))(x), want);
  const auto batched = [&](array a, array v) { return vmap(Binary(row), 0, -1)(a, v); };
  for (bool any_shape : {false, true}) {
    auto outer = compile(batched, any_shape);
    expect_near(outer(x, w), want);
    const array more = numbers({9, 4});
    expect_near(outer(more, w), looped([&](const array& a) { return row(a, w); }, more));
  }
  // The gradient of each example, compiled for any size.
  const auto step = [](array a, array v) {
    const List one = [](const Arrays& in) {
      auto [value, gradient] = value_and_grad(std::function<array(const Arrays&)>(
          [](const Arrays& p) { return sum(square(matmul(p[1], p[0]))); }))({in[1], in[0]});
      return Arrays{value, gradient[0]};
    };
    const Arrays out = vmap(one, {0, -1}, {0, 0})({a, v});
    return out[0] + sum(out[1], std::vector<int>{1, 2});
  };
  const array eager = step(x, w);
  for (bool any_shape : {false, true}) {
    auto compiled = compile(step, any_shape);
    expect_near(compiled(x, w), eager);
    expect_near(compiled(numbers({3, 4}), w), step(numbers({3, 4}), w));
  }
  auto all = vmap(Unary(
      grad(Unary([c = compile([](array a) { return sum(a * a * a); })](const array& a) mutable { return c(a); }))));
  expect_near(all(x), x * x * 3.0f);
}

TEST(Vmap, AnyShapeInsideTheFunction) {
  const auto f = [](array x, array y) {
    return vmap(Binary([](const array& a, const array& b) {
                  const array joined = concatenate({sort(a), flip(b)}, 0);
                  return reshape(joined, {2, -1}) * sum(cumsum(a)) +
                         take(pad(take(a, array({0, 1}), 0), {{0, 0}}), 0, 0);
                }),
                1, 0)(x, y);
  };
  auto open = compile(f, true);
  for (int n : {4, 7, 2})
    for (int m : {3, 6}) expect_near(open(numbers({m, n}), numbers({n, m})), f(numbers({m, n}), numbers({n, m})));
}

TEST(Vmap, RulesOfTheUser) {
  const auto with_rule = custom_vjp(
      [](const Arrays& x) { return Arrays{x[0] * x[1]}; },
      [](const Arrays& x, const Arrays& g, const Arrays&) { return Arrays{g[0] * 10.0f * x[1], g[0] * 100.0f}; });
  const Binary f = [&](const array& a, const array& b) { return with_rule({a, b})[0]; };
  const array x = numbers({4, 3}), shared = numbers({3});
  const std::function<array(const Arrays&)> total = [&](const Arrays& v) { return sum(vmap(f, 0, -1)(v[0], v[1])); };
  const Arrays g = grad(total, std::vector<int>{0, 1})({x, shared});
  expect_near(g[0], broadcast_to(shared * 10.0f, {4, 3}));
  expect_near(g[1], full({3}, 400.0f));
  // Twice batched, and by gradients of each position.
  const array stacks = numbers({2, 4, 3});
  const Unary twice = [&](const array& s) {
    return sum(vmap(Unary(vmap(Unary([&](const array& a) { return f(a, shared); }))))(s));
  };
  expect_near(grad(twice)(stacks), broadcast_to(shared * 10.0f, {2, 4, 3}));
  const Unary each = [&](const array& a) { return grad(Unary([&](const array& v) { return sum(f(v, shared)); }))(a); };
  expect_near(vmap(each)(x), broadcast_to(shared * 10.0f, {4, 3}));
  // checkpoint keeps its values.
  const auto again = checkpoint([](const Arrays& v) { return Arrays{sin(v[0]) * v[0]}; });
  const Unary checked = [&](const array& s) {
    return sum(vmap(Unary([&](const array& a) { return again({a})[0]; }))(s));
  };
  expect_near(grad(checked)(x), cos(x) * x + sin(x));
  // A rule for batches is used in the place of the operations.
  int calls = 0;
  const auto own = custom_function([](const Arrays& v) { return Arrays{v[0] + v[1]}; }, std::nullopt, std::nullopt,
                                   [&](const Arrays& v, const std::vector<int>& axes) {
                                     ++calls;
                                     EXPECT_EQ(axes, (std::vector<int>{0, -1}));
                                     return std::pair(Arrays{transpose(v[0] - v[1])}, std::vector<int>{1});
                                   });
  expect_near(vmap(Binary([&](const array& a, const array& b) { return own({a, b})[0]; }), 0, -1)(x, shared),
              x - shared);
  EXPECT_EQ(calls, 1);
}

TEST(Vmap, Errors) {
  const Unary f = [](const array& a) { return a * 2.0f; };
  const int made = __LINE__ - 1;
  const Binary add_all = [](const array& a, const array& b) { return a + b; };
  const List same = [](const Arrays& a) { return a; };
  const array x = zeros({2, 3}), y = zeros({3, 2});
  EXPECT_TRUE(contains(thrown<InvalidArgument>([] { vmap(Unary()); }), "vmap: the function is null"));
  EXPECT_TRUE(contains(thrown<InvalidArgument>([] { vmap(Binary()); }), "vmap: the function is null"));
  EXPECT_TRUE(contains(thrown<InvalidArgument>([] { vmap(List()); }), "vmap: the function is null"));
  const std::string sizes = thrown<InvalidArgument>([&] { vmap(add_all)(x, y); });
  EXPECT_TRUE(contains(sizes,
                       "vmap: batch axes differ in size: axis 0 of argument 0, float32 (2,3), has 2 and axis 0 of "
                       "argument 1, float32 (3,2), has 3"))
      << sizes;
  EXPECT_TRUE(contains(sizes, "vmap_test.cpp")) << sizes;
  EXPECT_TRUE(contains(sizes, "-1 for an argument that is the same at every position")) << sizes;
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { vmap(f, 2)(x); }),
                       "vmap: axis 2 is out of range for argument 0, which is float32 (2,3)"));
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { vmap(f, -2)(x); }), "axis -2 is out of range"));
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { vmap(f)(array(1.0f)); }), "axis 0 is out of range"));
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { vmap(f, 0, 2)(x); }),
                       "vmap: out axis 2 is out of range for result 0, which is f32[3] at one position"));
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { vmap(f, -1)(x); }),
                       "vmap: none of 1 argument (f32[2, 3]) has a batch axis"));
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { vmap(same)({}); }), "vmap: none of 0 arguments has a batch axis"));
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { vmap(same, {0, 0}, {0})({x}); }),
                       "vmap: there are 2 in axes for 1 argument (f32[2, 3])"));
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { vmap(same, {0}, {0, 0})({x}); }),
                       "vmap: there are 2 out axes for 1 result (f32[3])"));
  const std::string none = thrown<InvalidArgument>([&] { vmap(f, 0, -1)(x); });
  EXPECT_TRUE(contains(none, "vmap: result 0, which is f32[3] at one position, differs between positions")) << none;
  EXPECT_TRUE(contains(none, "vmap_test.cpp:" + std::to_string(made))) << none;
  const Unary argument = [](const array& a) { return a; };
  const std::string given = thrown<InvalidArgument>([&] { vmap(argument, 0, -1)(x); });
  EXPECT_TRUE(contains(given, "vmap_test.cpp:" + std::to_string(__LINE__ - 1))) << given;
  // In a trace for any shape too.
  auto open = compile([&](array a) { return vmap(f, 0, -1)(a); }, true);
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { open(x); }), "differs between positions and has no batch axis"));
  // A value that depends on the position is not there while the function is traced.
  const Unary reads = [](const array& a) { return a * array(a).item<float>(); };
  const std::string read = thrown<InvalidArgument>([&] { vmap(reads)(zeros({2})); });
  EXPECT_TRUE(contains(read, "the value of an argument was asked for while 'vmap' is traced")) << read;
}

TEST(Vmap, FromSeveralThreads) {
  const array x = numbers({4, 3});
  const Unary f = vmap(Unary(grad(Unary([](const array& a) { return sum(a * a * a); }))));
  const std::vector<float> want = floats(x * x * 3.0f);
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (size_t t = 0; t < wrong.size(); ++t)
    threads.emplace_back([&, t] {
      for (int k = 0; k < 8; ++k) {
        const std::vector<float> got = floats(f(x));
        for (size_t i = 0; i < want.size(); ++i) wrong[t] += std::fabs(got[i] - want[i]) > 1e-5f;
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

}  // namespace
}  // namespace frit::test::vmap_test
