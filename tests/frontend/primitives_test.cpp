// Operations of a program: primitives in lazy graphs, in compiled functions and under transforms.
#include <frit/primitives.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "helpers.h"

namespace frit::test::primitives_test {
namespace {

using Arrays = std::vector<array>;
using Unary = std::function<array(const array&)>;
using Binary = std::function<array(const array&, const array&)>;
using ListFunction = std::function<Arrays(const Arrays&)>;

std::atomic<int> g_evaluations{0};

// Calls visit(position, offset) for every element of `a` in row-major order.
template <class Visit>
void for_elements(const array& a, Visit&& visit) {
  const size_t n = a.size();
  for (size_t i = 0; i < n; ++i) {
    int64_t at = 0;
    size_t rest = i;
    for (size_t axis = a.ndim(); axis-- > 0;) {
      const auto size = static_cast<size_t>(a.shape(static_cast<int>(axis)));
      at += static_cast<int64_t>(rest % size) * a.strides(static_cast<int>(axis));
      rest /= size;
    }
    visit(i, at);
  }
}

// alpha x + beta y of float32.
class Axpby : public UnaryPrimitive {
 public:
  Axpby(Stream stream, float alpha, float beta) : UnaryPrimitive(stream), alpha_(alpha), beta_(beta) {}

  void eval_cpu(const Arrays& inputs, array& out) override {
    ++g_evaluations;
    out.set_data(allocator::malloc(out.nbytes()));
    float* to = out.data<float>();
    const float *x = inputs[0].data<float>(), *y = inputs[1].data<float>();
    for_elements(inputs[0], [&](size_t i, int64_t at) { to[i] = alpha_ * x[at]; });
    for_elements(inputs[1], [&](size_t i, int64_t at) { to[i] += beta_ * y[at]; });
  }
  void eval_gpu(const Arrays&, array&) override { throw std::runtime_error("axpby has no shader"); }

  Arrays jvp(const Arrays& primals, const Arrays& tangents, const std::vector<int>& argnums) override {
    array sum = zeros_like(primals[0]);
    for (size_t i = 0; i < argnums.size(); ++i) sum = sum + tangents[i] * (argnums[i] ? beta_ : alpha_);
    return {sum};
  }
  Arrays vjp(const Arrays&, const Arrays& cotangents, const std::vector<int>& argnums, const Arrays&) override {
    Arrays all;
    for (int i : argnums) all.push_back(cotangents[0] * (i ? beta_ : alpha_));
    return all;
  }
  std::pair<Arrays, std::vector<int>> vmap(const Arrays& inputs, const std::vector<int>& axes) override {
    const array x = axes[0] < 0 ? broadcast_to(inputs[0], inputs[1].shape()) : moveaxis(inputs[0], axes[0], 0);
    const array y = axes[1] < 0 ? broadcast_to(inputs[1], x.shape()) : moveaxis(inputs[1], axes[1], 0);
    return {{array(x.shape(), float32, std::make_shared<Axpby>(stream(), alpha_, beta_), {x, y})}, {0}};
  }
  DEFINE_NAME(Axpby)
  DEFINE_INPUT_OUTPUT_SHAPE()
  bool is_equivalent(const Primitive& other) const override {
    const auto& o = static_cast<const Axpby&>(other);
    return alpha_ == o.alpha_ && beta_ == o.beta_;
  }

 private:
  float alpha_, beta_;
};

array axpby(const array& x, const array& y, float alpha, float beta, StreamOrDevice s = {}) {
  return array(x.shape(), float32, std::make_shared<Axpby>(to_stream(s), alpha, beta), {x, y});
}

// The halves of the first axis, by views of the input's memory. It has no rules.
class Halves : public Primitive {
 public:
  using Primitive::Primitive;
  void eval_cpu(const Arrays& inputs, Arrays& outputs) override {
    const array& x = inputs[0];
    const int64_t half = x.shape(0) / 2 * x.strides(0);
    outputs[0].copy_shared_buffer(x, x.strides(), x.flags(), x.data_size());
    outputs[1].copy_shared_buffer(x, x.strides(), x.flags(), x.data_size(), half);
  }
  DEFINE_NAME(Halves)
};

Arrays halves(const array& x) {
  Shape half = x.shape();
  half[0] /= 2;
  return array::make_arrays({half, half}, {x.dtype(), x.dtype()}, std::make_shared<Halves>(default_stream(Device::cpu)),
                            {x});
}

class Failing : public UnaryPrimitive {
 public:
  using UnaryPrimitive::UnaryPrimitive;
  void eval_cpu(const Arrays&, array& out) override {
    if (fails) throw std::domain_error("the sensor is off");
    if (reads) (out + 1.0f).eval();
    if (fills) out.set_data(allocator::malloc(out.nbytes()));
  }
  DEFINE_NAME(Failing)
  bool fails = false, reads = false, fills = false;
};

std::string text_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "nothing was thrown";
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Primitives, AreLazyAndSeeEveryLayout) {
  const array x = reshape(arange(6, float32), {2, 3}), y = full({2, 3}, 2.0f);
  const int before = g_evaluations;
  array z = axpby(x, y, 3.0f, 10.0f);
  EXPECT_TRUE(z.has_primitive());
  EXPECT_STREQ(z.primitive().name(), "Axpby");
  EXPECT_EQ(z.primitive().output_shapes({x, y}), (std::vector<Shape>{{2, 3}}));
  EXPECT_EQ(z.inputs().size(), 2u);
  EXPECT_EQ(g_evaluations, before);
  const std::shared_ptr<Primitive> kept = z.primitive_ptr();
  EXPECT_EQ(values<float>(z), (std::vector<float>{20, 23, 26, 29, 32, 35}));
  EXPECT_EQ(g_evaluations, before + 1);
  EXPECT_FALSE(z.has_primitive());
  EXPECT_STREQ(kept->name(), "Axpby");
  // Transposed, reversed and broadcast inputs, computed inputs, and operations behind it.
  array t = axpby(transpose(x), slice(transpose(y + 1.0f), {2, 1}, {-4, -4}, {-1, -1}), 1.0f, 1.0f);
  EXPECT_EQ(values<float>(t), (std::vector<float>{3, 6, 4, 7, 5, 8}));
  array b = axpby(broadcast_to(array(1.0f), {2, 2}), ones({2, 2}), 1, 1) * 5.0f;
  EXPECT_EQ(values<float>(b), (std::vector<float>{10, 10, 10, 10}));
  EXPECT_EQ(axpby(zeros({0, 3}), zeros({0, 3}), 1, 1).size(), 0u);
}

TEST(Primitives, HaveSeveralResultsInSharedMemory) {
  const array x = reshape(arange(8, int32), {4, 2});
  Arrays h = halves(x);
  EXPECT_EQ(h[0].siblings().size(), 1u);
  EXPECT_EQ(values<int>(h[1]), (std::vector<int>{4, 5, 6, 7}));
  EXPECT_EQ(values<int>(h[0]), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(h[0].data_shared_ptr(), h[1].data_shared_ptr());
  const ListFunction f = [](const Arrays& a) {
    const Arrays parts = halves(transpose(a[0] * 2));
    return Arrays{parts[1] - parts[0], parts[1]};
  };
  for (bool shapeless : {false, true}) {
    const Arrays r = compile(f, shapeless)({x});
    EXPECT_EQ(values<int>(r[0]), (std::vector<int>{2, 2, 2, 2}));
    EXPECT_EQ(values<int>(r[1]), (std::vector<int>{2, 6, 10, 14}));
  }
}

TEST(Primitives, RunInCompiledFunctions) {
  const Binary f = [](const array& x, const array& y) {
    return sum(axpby(x * 2.0f, transpose(y), 0.5f, 1.0f) + axpby(x * 2.0f, transpose(y), 0.5f, 1.0f), 0);
  };
  const array x({1.0f, 2.0f, 3.0f, 4.0f}, {2, 2}), y({10.0f, 20.0f, 30.0f, 40.0f}, {2, 2});
  for (bool shapeless : {false, true}) {
    const auto g = compile(f, shapeless);
    const int before = g_evaluations;
    EXPECT_EQ(values<float>(g(x, y)), (std::vector<float>{68, 152}));
    // Equivalent objects on the same inputs are computed once.
    EXPECT_EQ(g_evaluations, before + 1);
    EXPECT_EQ(values<float>(g(y, x)), (std::vector<float>{86, 134}));
    // Another shape is another call of the same object's class.
    EXPECT_EQ(values<float>(g(ones({3, 3}), ones({3, 3}))), (std::vector<float>{12, 12, 12}));
  }
  // The graph names the primitive.
  EXPECT_TRUE(holds(compile(f).lower(x, y).ir, "Axpby"));
  // A value of the trace's own, and an object that belongs to two functions.
  const auto object = std::make_shared<Axpby>(default_stream(Device::cpu), 1.0f, -1.0f);
  const Unary difference = [&](const array& v) { return array(v.shape(), float32, object, {v, full({2, 2}, 1.0f)}); };
  EXPECT_EQ(values<float>(compile(difference)(x)), (std::vector<float>{0, 1, 2, 3}));
  EXPECT_EQ(values<float>(compile([&](const array& v) { return difference(difference(v)); })(x)),
            (std::vector<float>{-1, 0, 1, 2}));
}

TEST(Primitives, RunInLoopsAndBesideThem) {
  // Doubles and adds one, eight times over.
  const Unary loop = [](const array& x) {
    return while_loop([](const Arrays& s) { return s[0] < array(8); },
                      [](const Arrays& s) { return Arrays{s[0] + array(1), axpby(s[1], ones({2}), 2.0f, 1.0f)}; },
                      {array(0), x})[1];
  };
  EXPECT_EQ(values<float>(loop(array({0.0f, 1.0f}))), (std::vector<float>{255, 511}));
  EXPECT_EQ(values<float>(compile(loop)(array({0.0f, 1.0f}))), (std::vector<float>{255, 511}));
  const auto running = [](const array& x) {
    return scan(
               [](const array& s, const array& v) {
                 const array next = axpby(s, v, 1.0f, 2.0f);
                 return std::pair{next, next * 10.0f};
               },
               zeros({}), x)
        .second;
  };
  EXPECT_EQ(values<float>(compile(running)(arange(4, float32))), (std::vector<float>{0, 20, 60, 120}));
  EXPECT_EQ(values<float>(running(arange(4, float32))), (std::vector<float>{0, 20, 60, 120}));
  array z = axpby(ones({4}), ones({4}), 1.0f, 1.0f, new_stream(Device::cpu));
  async_eval(z);
  EXPECT_EQ(values<float>(z), std::vector<float>(4, 2.0f));
}

TEST(Primitives, HaveTheirOwnRules) {
  const array x({1.0f, 2.0f}), y({3.0f, 5.0f});
  const Unary loss = [&](const array& v) { return sum(square(axpby(v, y, 2.0f, 3.0f))); };
  // 4 (2 x + 3 y)
  EXPECT_EQ(values<float>(grad(loss)(x)), (std::vector<float>{44, 76}));
  EXPECT_EQ(values<float>(compile(grad(loss))(x)), (std::vector<float>{44, 76}));
  EXPECT_EQ(values<float>(grad(Unary([&](const array& v) { return sum(compile(loss)(v)); }))(x)),
            (std::vector<float>{44, 76}));
  EXPECT_EQ(values<float>(jvp(grad(loss), x, array({1.0f, 0.0f})).second), (std::vector<float>{8, 0}));
  const auto both = value_and_grad(
      std::function<array(const Arrays&)>([](const Arrays& a) { return sum(axpby(a[0], a[1], 2.0f, 3.0f) * a[1]); }),
      std::vector<int>{0, 1})({x, y});
  EXPECT_EQ(values<float>(both.second[1]), (std::vector<float>{20, 34}));
  // A batch of either operand, and a batch of gradients.
  const array rows({1.0f, 2.0f, 3.0f, 4.0f}, {2, 2});
  EXPECT_EQ(values<float>(vmap(Unary([&](const array& v) { return axpby(v, y, 1.0f, 1.0f); }))(rows)),
            (std::vector<float>{4, 7, 6, 9}));
  EXPECT_EQ(values<float>(
                vmap(Binary([](const array& a, const array& b) { return axpby(a, b, 1.0f, 1.0f); }), 1, 0)(rows, rows)),
            (std::vector<float>{2, 5, 5, 8}));
  EXPECT_EQ(values<float>(vmap(grad(loss))(rows)), (std::vector<float>{44, 76, 60, 92}));
  EXPECT_EQ(values<float>(compile(vmap(grad(loss)))(rows)), (std::vector<float>{44, 76, 60, 92}));
}

TEST(Primitives, WithoutARuleSaySo) {
  const array x = arange(4, float32);
  const Unary f = [](const array& v) { return sum(halves(v)[0]); };
  // A derivative that does not go through it needs none.
  const Unary beside = [](const array& v) { return sum(v * v) + sum(halves(stop_gradient(v))[1]); };
  EXPECT_EQ(values<float>(grad(beside)(x)), (std::vector<float>{0, 2, 4, 6}));
  EXPECT_TRUE(holds(text_of([&] { eval(grad(f)(x)); }), "vjp: the primitive 'Halves' has no rule"));
  EXPECT_TRUE(holds(text_of([&] { eval(jvp(f, x, x).second); }), "jvp: the primitive 'Halves' has no rule"));
  EXPECT_TRUE(holds(text_of([&] { eval(vmap(f)(ones({2, 4}))); }), "vmap: the primitive 'Halves' has no rule"));
  EXPECT_TRUE(holds(text_of([&] { halves(x)[0].primitive().output_shapes({x}); }), "'Halves' has no rule"));
  EXPECT_THROW(array::make_arrays({{2}}, {}, std::make_shared<Halves>(default_stream(Device::cpu)), {x}),
               InvalidArgument);
}

TEST(Primitives, NameTheLineThatMadeTheArray) {
  const array x({1, 2, 3, 4}, {4}, float32);
  const Unary f = [](const array& v) { return sum(halves(v)[0]); };
  const std::string here = "primitives_test.cpp:";
  for (const std::string& text : {text_of([&] { eval(grad(f)(x)); }), text_of([&] { eval(jvp(f, x, x).second); }),
                                  text_of([&] { eval(vmap(f)(ones({2, 4}))); })})
    EXPECT_TRUE(holds(text, here)) << text;
  const auto failing = std::make_shared<Failing>(default_stream(Device::cpu));
  const unsigned made = __LINE__ + 1;
  const array z({2}, float32, failing, {});
  EXPECT_TRUE(holds(text_of([&] { z.eval(); }), here + std::to_string(made)));
  EXPECT_TRUE(holds(text_of([&] { array({-2}, float32, nullptr, {}); }), here + std::to_string(__LINE__)));
  EXPECT_TRUE(holds(text_of([&] { array::make_arrays({{2}}, {}, failing, {}); }), here + std::to_string(__LINE__)));
}

TEST(Primitives, ThatFailLeaveTheArrayToBeTriedAgain) {
  const auto object = std::make_shared<Failing>(default_stream(Device::cpu));
  const array z({2}, float32, object, {});
  EXPECT_TRUE(holds(text_of([&] { z.eval(); }), "gave its result 0 no memory"));
  object->reads = true;
  EXPECT_TRUE(holds(text_of([&] { z.eval(); }), "the array has no memory yet"));
  object->fails = true;
  EXPECT_THROW(z.eval(), std::domain_error);
  const auto f = compile([&](const array& x) { return x + array({2}, float32, object, {}); });
  EXPECT_TRUE(holds(text_of([&] { eval(f(ones({2}))); }), "the sensor is off"));
  object->fails = object->reads = false;
  object->fills = true;
  EXPECT_NO_THROW(z.eval());
  EXPECT_NO_THROW(eval(f(ones({2}))));
}

TEST(Primitives, AreInNoFile) {
  const auto path = (std::filesystem::temp_directory_path() / "frit_primitive.frit").string();
  const std::string why = text_of([&] {
    export_function(path, ListFunction([](const Arrays& a) { return Arrays{axpby(a[0], a[0], 1.0f, 1.0f)}; }),
                    {ones({2})});
  });
  EXPECT_TRUE(holds(why, "calls the primitive 'Axpby' of the program")) << why;
  const auto f = compile([](const array& v) { return axpby(v, v, 1.0f, 1.0f); });
  eval(f(ones({2})));
  EXPECT_TRUE(holds(text_of([&] { f.save(path); }), "calls the primitive 'Axpby' of the program"));
  EXPECT_FALSE(std::filesystem::exists(path));
}

// Counts how often it is compared, and equals no other object.
class Unlike : public UnaryPrimitive {
 public:
  using UnaryPrimitive::UnaryPrimitive;
  void eval_cpu(const Arrays& inputs, array& out) override { out.copy_shared_buffer(inputs[0]); }
  bool is_equivalent(const Primitive&) const override {
    ++comparisons;
    return false;
  }
  DEFINE_NAME(Unlike)
  static inline int comparisons = 0;
};

TEST(Primitives, AreComparedWithFewOthers) {
  constexpr int kObjects = 300;
  const Unary chain = [](const array& v) {
    array x = v;
    for (int i = 0; i < kObjects; ++i)
      x = array(v.shape(), float32, std::make_shared<Unlike>(default_stream(Device::cpu)), {x});
    return x;
  };
  EXPECT_EQ(values<float>(compile(chain)(array({3.0f}))), std::vector<float>{3.0f});
  EXPECT_GT(Unlike::comparisons, 0);
  EXPECT_LE(Unlike::comparisons, 64 * kObjects);
  // An object that is known is found without a comparison.
  const auto object = std::make_shared<Unlike>(default_stream(Device::cpu));
  const Unary twice = [&](const array& v) {
    return array(v.shape(), float32, object, {array(v.shape(), float32, object, {v})});
  };
  Unlike::comparisons = 0;
  EXPECT_EQ(values<float>(compile(twice)(array({3.0f}))), std::vector<float>{3.0f});
  EXPECT_LE(Unlike::comparisons, 64);
}

TEST(Primitives, AreCalledFromManyThreads) {
  const auto f = compile([](const array& v) { return axpby(v, v + 1.0f, 1.0f, 1.0f) * 2.0f; });
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      for (int k = 0; k < 50; ++k) {
        const array x = full({16}, static_cast<float>(i));
        wrong += values<float>(f(x)) != std::vector<float>(16, 2.0f * static_cast<float>(2 * i + 1));
        wrong += values<float>(axpby(x, x, 2.0f, 1.0f)) != std::vector<float>(16, 3.0f * static_cast<float>(i));
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Primitives, OfFritComputeWithTheirOperation) {
  const array a({1.0f, 2.0f}), b({3.0f, 5.0f});
  const array product = a * b;
  Primitive& p = product.primitive();
  Arrays out{zeros({2})};
  p.eval_cpu({b, b}, out);
  EXPECT_EQ(values<float>(out[0]), (std::vector<float>{9, 25}));
  EXPECT_EQ(values<float>(p.vjp({a, b}, {ones({2})}, {1}, {product})[0]), (std::vector<float>{1, 2}));
  EXPECT_EQ(values<float>(p.jvp({a, b}, {ones({2}), ones({2})}, {0, 1})[0]), (std::vector<float>{4, 7}));
  const auto [batch, axes] = p.vmap({ones({3, 2}), b}, {0, -1});
  EXPECT_EQ(values<float>(batch[0]), (std::vector<float>{3, 5, 3, 5, 3, 5}));
  EXPECT_EQ(axes, std::vector<int>{0});
  EXPECT_EQ(p.output_shapes({a, b}), (std::vector<Shape>{{2}}));
}

}  // namespace
}  // namespace frit::test::primitives_test
