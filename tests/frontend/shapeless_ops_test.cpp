// Every operation in functions compiled for any shape: the results of the function itself, to the bit, from as few
// traces as possible.
#include "shapeless.h"

using namespace frit;
using shapeless::agrees;
using shapeless::Shapes;

namespace {

const Shapes kMatrices{{2, 3}, {4, 5}, {1, 7}, {5, 1}, {1, 1}, {0, 3}, {3, 0}, {17, 64}};

// ---- Elementwise, broadcasting

TEST(ShapelessElementwise, TakesAnyShape) {
  agrees([](const array& x) { return abs(exp(-x) + x * 2); }, kMatrices);
  agrees([](const array& x) { return abs(exp(-x) + x * 2); }, {{1, 1}, {0, 3}, {2, 3}});
  agrees([](const array& x) { return clip(x, array(-1.0f), array(2.0f)); }, kMatrices);
  agrees([](const array& x) { return round(x, 1); }, kMatrices);
  agrees([](const array& x) { return nan_to_num(x / (x - x)); }, kMatrices);
  agrees([](const array& x) { return astype(x, int32) + contiguous(copy(stop_gradient(x))); }, kMatrices);
  agrees([](const array& x) { return x % 3 == 0 && !(x > 1); }, kMatrices, 1, int32);
  agrees([](const std::vector<array>& in) { return divmod(in[0], in[0] + 0.5f); }, {{{2, 3}}, {{4, 1}}, {{0, 2}}});
}

TEST(ShapelessElementwise, EqualSizesStayEqual) {
  const auto add = [](const array& x, const array& y) { return abs(x + y); };
  agrees(add, {{{3}, {3}}, {{5}, {5}}, {{0}, {0}}, {{1}, {1}}});
  // Each of these breaks an assumption of the trace before.
  agrees(add, {{{3}, {3}}, {{2}, {3}}}, 1);
  agrees(add, {{{3}, {3}}, {{1}, {5}}, {{5}, {1}}}, 3);
  agrees(add, {{{3}, {3}}, {{0}, {1}}}, 2);
  // Two sizes of 1 are equal sizes, not a broadcast.
  agrees(add, {{{1}, {1}}, {{4}, {4}}, {{0}, {0}}}, 1);
}

TEST(ShapelessElementwise, Broadcasts) {
  const auto add = [](const array& x, const array& y) { return x + y; };
  agrees(add, {{{2, 3}, {3}}, {{4, 5}, {5}}, {{0, 2}, {2}}, {{2, 0}, {0}}});
  agrees(add, {{{2, 3}, {1, 3}}, {{4, 5}, {1, 5}}, {{0, 2}, {1, 2}}});
  agrees(add, {{{0}, {1}}, {{6}, {1}}, {{1}, {1}}});
  agrees(add, {{{2, 1}, {1, 3}}, {{4, 1}, {1, 6}}, {{1, 1}, {1, 1}}});
  agrees([](const array& x) { return x + array({1, 2, 3}); }, {{2, 3}, {5, 3}, {0, 3}});
  agrees([](const array& x) { return x + array({1, 2, 3}); }, {{2, 3}, {5, 1}}, 2);
  agrees([](const array& x, const array& y) { return where(x > 0, y, x * y); },
         {{{2, 3}, {3}}, {{4, 5}, {5}}, {{0, 2}, {2}}});
  agrees([](const std::vector<array>& in) { return broadcast_arrays(in); },
         {{{2, 1, 3}, {4, 1}, {3}}, {{5, 1, 2}, {3, 1}, {2}}, {{0, 1, 2}, {3, 1}, {2}}});
  agrees([](const array& x) { return broadcast_to(x, {x.dim(0), x.dim(0), x.dim(1)}); }, {{3, 3}, {4, 4}, {0, 0}});
  agrees([](const array& x) { return broadcast_to(expand_dims(x, 0), {2, x.dim(0), x.dim(1)}); }, kMatrices);
}

TEST(ShapelessElementwise, Compares) {
  agrees([](const array& x, const array& y) { return isclose(x, y); }, {{{2, 3}, {3}}, {{4, 5}, {5}}});
  agrees([](const array& x, const array& y) { return allclose(x, y, 10, 10); },
         {{{2, 3}, {2, 3}}, {{4, 5}, {4, 5}}, {{0, 2}, {0, 2}}});
  agrees([](const array& x, const array& y) { return array_equal(x - x, y - y); },
         {{{2, 3}, {2, 3}}, {{4, 5}, {4, 5}}});
  agrees([](const array& x, const array& y) { return array_equal(x - x, y - y); },
         {{{2}, {3}}, {{4}, {5}}, {{4}, {4}}, {{7}, {7}}}, 2);
}

// ---- Shape

TEST(ShapelessShape, Reshapes) {
  agrees([](const array& x) { return reshape(x, {-1}); }, kMatrices);
  agrees([](const array& x) { return reshape(x, {x.dim(1), x.dim(0)}) * 2; }, kMatrices);
  agrees([](const array& x) { return reshape(x, {x.dim(0), -1, 1}); }, {{2, 3}, {4, 5}, {1, 1}});
  agrees([](const array& x) { return reshape(x, {x.dim(0) * x.dim(1), -1}); }, {{2, 3, 4}, {5, 5, 3}, {1, 1, 1}});
  agrees([](const array& x) { return reshape(x, {x.dim(0) * x.dim(1), x.dim(2)}); },
         {{2, 3, 4}, {5, 5, 3}, {0, 2, 1}, {2, 0, 0}});
  agrees([](const array& x) { return reshape(x, {-1, 4}) + 1; }, {{2, 6}, {4, 5}, {8, 1}, {0, 3}});
  agrees([](const array& x) { return reshape(x, {-1, 4}); }, {{2, 6}, {3, 3}, {4, 1}});
  agrees([](const array& x) { return reshape(x, {2, 2, x.dim(0) / 4, x.dim(1)}); }, {{8, 3}, {12, 5}, {4, 1}});
  agrees([](const array& x) { return reshape(x, {6}); }, {{2, 3}, {6, 1}, {2, 3}, {2, 2}});
  agrees([](const array& x) { return reshape(concatenate({x, x + 1}, 0), {x.dim(0) + x.dim(0), -1}); },
         {{2, 3, 2}, {3, 1, 5}});
  agrees([](const array& x, const array& y) { return reshape(concatenate({x, y}, 0), {x.dim(0) + y.dim(0), -1, 1}); },
         {{{2, 3}, {1, 3}}, {{4, 2}, {5, 2}}});
}

TEST(ShapelessShape, MergesAndSplitsAxes) {
  agrees([](const array& x) { return flatten(x, 0, 1); }, {{2, 3, 4}, {5, 1, 3}, {0, 2, 2}, {1, 1, 1}});
  agrees([](const array& x) { return flatten(x); }, kMatrices);
  agrees([](const array& x) { return unflatten(x, 1, {2, -1}); }, {{2, 6}, {3, 4}, {1, 2}, {0, 8}, {3, 0}});
  agrees([](const array& x) { return unflatten(x, 0, {x.dim(0) / 2, 2}); }, {{6, 2}, {4, 3}, {2, 1}});
  agrees([](const array& x) { return unflatten(flatten(x), 0, {x.dim(0), x.dim(1)}); }, kMatrices);
  agrees([](const array& x) { return expand_dims(x, {0, 2}); }, kMatrices);
  agrees([](const array& x) { return squeeze(x, 1); }, {{2, 1, 3}, {4, 1, 5}, {1, 1, 1}, {0, 1, 2}});
  agrees([](const array& x) { return squeeze(x); }, {{2, 1, 3}, {4, 1, 5}, {6, 1, 2}});
  agrees([](const array& x) { return squeeze(x); }, {{2, 1, 3}, {1, 4, 5}, {1, 1, 1}}, 3);
  agrees([](const array& x) { return squeeze(sum(x, 1, true)); }, {{2, 3}, {4, 5}});
}

TEST(ShapelessShape, Permutes) {
  agrees([](const array& x) { return transpose(x) + 1; }, kMatrices);
  agrees([](const array& x) { return transpose(x, {1, 0}); }, kMatrices);
  agrees([](const array& x) { return swapaxes(x, 0, -1) * moveaxis(x, 0, 1); }, kMatrices);
  agrees([](const array& x) { return flip(x); }, {{2, 3}, {4, 5}, {1, 7}, {5, 1}});
  agrees([](const array& x) { return flip(x, 1) + x; }, {{2, 3}, {0, 5}, {4, 1}});
  agrees([](const array& x) { return flip(x, 0); }, {{3}, {0}, {5}, {1}}, 2);
}

TEST(ShapelessShape, Slices) {
  agrees([](const array& x) { return slice(x, {1, 0}, {x.dim(0), x.dim(1)}); }, {{2, 3}, {4, 5}, {1, 1}});
  agrees([](const array& x) { return slice(x, {0, 1}, {x.dim(0), -1}); }, {{2, 3}, {4, 5}, {1, 9}, {3, 2}});
  agrees([](const array& x) { return slice(x, {0, 0}, {2, 2}); }, {{2, 3}, {4, 5}, {2, 2}});
  // Bounds past an axis, and behind each other.
  agrees([](const array& x) { return slice(x, {0}, {4}) + 1; }, {{6}, {5}, {4}, {3}, {0}, {2}}, 2);
  agrees([](const array& x) { return slice(x, {-3}, {x.dim(0)}); }, {{6}, {3}, {2}, {1}, {8}}, 2);
  agrees([](const array& x) { return slice(x, {4}, {x.dim(0)}); }, {{6}, {5}, {4}, {3}, {1}}, 2);
  agrees([](const array& x) { return slice(x, {3}, {-1}); }, {{9}, {4}, {3}, {2}, {6}}, 2);
  agrees([](const array& x) { return slice(x, {0, 1}, {x.dim(0), x.dim(1)}, {2, 3}); },
         {{4, 5}, {5, 4}, {1, 3}, {7, 9}, {0, 2}});
  agrees([](const array& x) { return slice(x, {-1}, {0}, {-2}); }, {{5}, {6}, {9}, {2}});
  agrees([](const array& x) { return slice(x, {x.dim(0) / 2}, {x.dim(0)}) * 2; }, {{5}, {6}, {1}, {0}});
  agrees([](const array& x, const array& y) { return slice(x, {y.dim(0)}, {x.dim(0)}); },
         {{{5}, {2}}, {{7}, {7}}, {{3}, {0}}});
  agrees([](const array& x) { return slice(x, {1}, {x.dim(0)}) - slice(x, {0}, {x.dim(0) - 1}); },
         {{5}, {2}, {1}, {9}});
}

TEST(ShapelessShape, SplitsArrays) {
  agrees([](const std::vector<array>& in) { return split(in[0] + 1, 2, 1); },
         {{{2, 6}}, {{3, 4}}, {{1, 2}}, {{0, 8}}, {{2, 0}}});
  agrees([](const std::vector<array>& in) { return split(in[0], 3); }, {{{3}}, {{9}}, {{7}}});
  agrees([](const std::vector<array>& in) { return split(in[0], {1, 3}, 1); }, {{{2, 6}}, {{3, 4}}, {{1, 3}}});
  agrees([](const std::vector<array>& in) { return split(in[0], {2, -1}); }, {{{6}}, {{4}}, {{9}}});
  agrees([](const std::vector<array>& in) { return split(in[0], {in[0].dim(0) / 2}); }, {{{6}}, {{5}}, {{0}}});
  agrees([](const std::vector<array>& in) { return split(in[0], {3, 1}); }, {{{6}}, {{4}}});
}

TEST(ShapelessShape, Iterates) {
  const auto rows = [](const std::vector<array>& in) {
    std::vector<array> out;
    for (const array& row : in[0]) out.push_back(row * 2);
    return out;
  };
  // The number of results depends on the size, so another size is another trace.
  agrees(rows, {{{2, 3}}, {{2, 7}}, {{3, 1}}}, 2);
}

TEST(ShapelessShape, Windows) {
  agrees([](const array& x) { return as_strided(x, {x.dim(0) - 2, 3}, {1, 1}, 0); }, {{5}, {9}, {3}});
  agrees([](const array& x) { return as_strided(x, {x.dim(0), 2}, {2, 1}, 1) + 1; }, {{4, 3}, {6, 3}, {2, 4}});
  agrees([](const array& x) { return as_strided(x, {2, 2}, {2, 1}, 0); }, {{4}, {6}, {3}});
  agrees([](const array& x) { return as_strided(x, {x.dim(0) * x.dim(1)}, {-1}, 0); }, {{1, 1}});
}

// ---- Joining

TEST(ShapelessJoin, Concatenates) {
  const auto join = [](const array& x, const array& y) { return concatenate({x, y + 1}, 0); };
  agrees(join, {{{2, 3}, {4, 3}}, {{1, 5}, {0, 5}}, {{0, 1}, {0, 1}}});
  agrees([](const array& x, const array& y) { return concatenate({x, y, x}, 1) * 2; },
         {{{2, 3}, {2, 1}}, {{4, 1}, {4, 5}}, {{0, 1}, {0, 2}}});
  agrees([](const array& x, const array& y) { return stack({x, y}, 1); },
         {{{2, 3}, {2, 3}}, {{4, 1}, {4, 1}}, {{0, 2}, {0, 2}}});
  agrees([](const array& x) { return stack({x, zeros_like(x)}); }, kMatrices);
}

TEST(ShapelessJoin, Pads) {
  agrees([](const array& x) { return pad(x, {{1, 2}, {0, 1}}); }, kMatrices);
  agrees([](const array& x) { return pad(x, x.dim(1), array(5)); }, kMatrices);
  agrees([](const array& x) { return pad(x, {0}, {0}, {(4 - x.dim(0) % 4) % 4}); }, {{3, 2}, {5, 1}, {8, 2}, {0, 3}});
  agrees([](const array& x) { return pad(x, {{1, 2}, {x.dim(0), 1}}, array(0), "edge"); }, {{2, 3}, {4, 5}, {1, 1}});
}

// A trace that went the way of one case holds for no size of another.
TEST(ShapelessJoin, CasesStayApart) {
  const Shapes vectors{{0}, {5}, {2}, {0}, {9}};
  agrees([](const array& x) { return pad(x, 2, array(0.0f), "edge"); }, vectors, 2);
  agrees([](const array& x) { return pad(x, 3, array(0.0f), "symmetric"); }, {{2}, {5}, {3}, {2}, {9}}, 2);
  agrees([](const array& x) { return pad(x, 3, array(0.0f), "reflect"); }, {{3}, {1}, {5}, {4}, {1}}, 3);
  const auto doubled = [](const array& x) { return take(x, astype(x * 0, int32), 0); };
  agrees(doubled, vectors, 2);
}

TEST(ShapelessJoin, Repeats) {
  agrees([](const array& x) { return repeat(x, 3, 1); }, kMatrices);
  agrees([](const array& x) { return repeat(x, 2); }, kMatrices);
  agrees([](const array& x) { return repeat(x, x.dim(1), 0); }, kMatrices);
  agrees([](const array& x) { return tile(x, {2, 3}); }, kMatrices);
  agrees([](const array& x) { return tile(x, {2, 1, 2}); }, kMatrices);
  agrees([](const array& x) { return tile(x, {x.dim(1), x.dim(0)}) + 1; }, kMatrices);
}

// ---- Creation

TEST(ShapelessCreate, Sequences) {
  agrees([](const array& x) { return x + arange(x.dim(0)); }, {{2}, {3}, {0}, {1}, {100}});
  agrees([](const array& x) { return x + arange(x.shape(0)); }, {{2}, {3}, {2}}, 2);
  agrees([](const array& x) { return arange(1, x.dim(0), 2); }, {{6}, {7}, {1}, {2}});
  agrees([](const array& x) { return arange(x.dim(0), x.dim(1), float32); }, {{2, 5}, {3, 3}, {0, 4}});
  agrees([](const array& x) { return arange(x.dim(0), -1, -1, float64); }, {{5}, {0}, {1}});
  agrees([](const array& x) { return arange(0, x.dim(0) * 10, x.dim(0), float16); }, {{5}, {3}, {1}});
  agrees([](const array& x) { return arange(0, x.dim(0) * 100, x.dim(1), uint8); }, {{5, 1}, {3, 2}});
  agrees([](const array& x) { return linspace(-1, 2, x.dim(0)) * x; }, {{5}, {2}, {1}, {0}, {64}});
  agrees([](const array& x) { return linspace(0, 1, x.dim(0), float64); }, {{5}, {2}, {1}, {0}, {64}});
  agrees([](const array& x) { return linspace(-0.0, 1, x.dim(0)); }, {{5}, {2}, {1}, {64}}, 2);
  agrees([](const array& x) { return linspace(3, 7.5, x.dim(0), bfloat16); }, {{1}, {7}, {9}});
}

TEST(ShapelessCreate, Fills) {
  agrees([](const array& x) { return full({x.dim(1), 2, x.dim(0)}, 7.0f); }, kMatrices);
  agrees([](const array& x) { return full({x.dim(0), x.dim(1)}, x + 1); }, kMatrices);
  agrees([](const array& x) { return full(x.dims(), sum(x, 0)); }, kMatrices);
  agrees([](const array& x) { return zeros({x.dim(0)}) + ones({x.dim(1), 1}, int32); }, {{2, 3}, {4, 5}, {1, 1}});
  agrees([](const array& x) { return zeros_like(x) + ones_like(x) + full_like(x, array(3)); }, kMatrices);
  agrees([](const array& x) { return full_like(x, array(3), int8); }, kMatrices);
}

TEST(ShapelessCreate, Triangles) {
  agrees([](const array& x) { return eye(x.dim(0), x.dim(1), 1); }, kMatrices, 1);
  agrees([](const array& x) { return identity(x.dim(0), int32); }, kMatrices);
  agrees([](const array& x) { return tri(x.dim(1), x.dim(0), -1, bool_); }, kMatrices);
  agrees([](const array& x) { return tril(x) + triu(x, 1); }, kMatrices);
  agrees([](const array& x) { return tril(x, -1) * 2; }, {{2, 3, 4}, {1, 5, 5}, {0, 2, 1}});
}

TEST(ShapelessCreate, OtherWidths) {
  agrees([](const array& x) { return view(x, int32); }, kMatrices);
  agrees([](const array& x) { return view(x, uint8); }, {{2, 3}, {4, 5}, {0, 1}});
  agrees([](const array& x) { return view(x + 1, complex64); }, {{2, 6}, {4, 2}, {3, 3}, {0, 4}});
}

// ---- Reductions

TEST(ShapelessReduce, Sums) {
  agrees([](const array& x) { return sum(x); }, kMatrices);
  agrees([](const array& x) { return sum(x, 0) + prod(x, 0); }, kMatrices);
  agrees([](const array& x) { return sum(x, 1, true) * x; }, kMatrices);
  agrees([](const array& x) { return all(x > 0, 1); }, kMatrices);
  agrees([](const array& x) { return any(x > 2, 0, true); }, kMatrices);
  // One row when traced, many later.
  agrees([](const array& x) { return sum(x, 0); }, {{1, 3}, {400, 3}, {70000, 2}});
  agrees([](const array& x) { return sum(x); }, {{1}, {70000}, {200001}});
}

TEST(ShapelessReduce, Statistics) {
  agrees([](const array& x) { return mean(x); }, kMatrices);
  agrees([](const array& x) { return mean(x, 1, true) - x; }, kMatrices);
  agrees([](const array& x) { return var(x, 0, false, 1); }, kMatrices);
  agrees([](const array& x) { return frit::std(x, 1); }, kMatrices);
  agrees([](const array& x) { return softmax(x, 1); }, kMatrices);
  agrees([](const array& x) { return softmax(x, true); }, kMatrices, 1, float16);
  agrees([](const array& x) { return logsumexp(x, 0); }, kMatrices);
}

TEST(ShapelessReduce, Extremes) {
  // Over an empty axis they are an error, which is no trace.
  agrees([](const array& x) { return max(x); }, {{2, 3}, {1, 1}, {4, 5}, {0, 3}, {3, 0}});
  agrees([](const array& x) { return min(x, 1) + max(x, 1); }, {{2, 3}, {0, 3}, {1, 1}, {3, 0}});
  agrees([](const array& x) { return argmax(x); }, {{2, 3}, {1, 1}, {4, 5}});
  agrees([](const array& x) { return argmin(x, 0); }, {{2, 3}, {1, 1}, {4, 5}, {1, 0}});
  agrees([](const array& x) { return argmax(x, 1, true); }, {{1, 1}, {4, 5}, {0, 2}});
}

// ---- Products

TEST(ShapelessProducts, Matrices) {
  const auto product = [](const array& x, const array& y) { return matmul(x, y); };
  agrees(
      product,
      {{{2, 3}, {3, 4}}, {{5, 1}, {1, 7}}, {{1, 1}, {1, 1}}, {{0, 2}, {2, 3}}, {{2, 0}, {0, 3}}, {{33, 65}, {65, 17}}});
  agrees(product, {{{3}, {3, 4}}, {{1}, {1, 7}}});
  agrees(product, {{{3, 4}, {4}}, {{1, 7}, {7}}});
  agrees(product, {{{3}, {3}}, {{7}, {7}}, {{0}, {0}}});
  agrees(product, {{{5, 2, 3}, {5, 3, 4}}, {{2, 1, 6}, {2, 6, 1}}, {{0, 2, 2}, {0, 2, 2}}});
  agrees(product, {{{5, 2, 3}, {3, 4}}, {{2, 1, 6}, {6, 1}}});
  agrees(product, {{{5, 1, 2, 3}, {4, 3, 2}}, {{2, 1, 6, 2}, {3, 2, 6}}});
  agrees(product, {{{2, 3}, {4, 5}}, {{2, 3}, {3, 5}}});
  agrees([](const array& x, const array& y) { return addmm(x, x, y, 0.5f, 2.0f); },
         {{{3, 3}, {3, 3}}, {{5, 5}, {5, 5}}});
  agrees([](const array& x, const array& y) { return addmm(array(1.0f), x, y, 0.5f, 0.0f); },
         {{{2, 3}, {3, 4}}, {{5, 1}, {1, 7}}});
  agrees([](const array& x) { return matmul(x, transpose(x)); }, {{2, 3}, {4, 5}, {1, 1}});
}

TEST(ShapelessProducts, Tensors) {
  agrees([](const array& x, const array& y) { return outer(x, y); }, {{{2, 3}, {4}}, {{1, 5}, {7}}, {{0, 1}, {2}}});
  agrees([](const array& x, const array& y) { return inner(x, y); }, {{{2, 3}, {4, 3}}, {{1, 5}, {7, 5}}});
  agrees([](const array& x, const array& y) { return tensordot(x, y, 2); },
         {{{2, 3, 4}, {3, 4, 5}}, {{1, 2, 2}, {2, 2, 3}}});
  agrees([](const array& x, const array& y) { return tensordot(x, y, {0, 1}, {1, 0}); },
         {{{2, 3, 4}, {3, 2, 5}}, {{1, 2, 2}, {2, 1, 3}}});
}

// ---- Without data: nothing may be read from the placeholder sizes.

TEST(ShapelessOps, TraceWithoutData) {
  const auto ir = [](const auto& fn, const std::vector<DeclaredSize>& shape) {
    return compile(fn, true).lower(ShapeDtype(shape)).ir;
  };
  const auto head = [](const std::string& text) { return text.substr(0, text.find('{')); };
  const auto programs = std::vector<std::pair<std::function<array(array)>, std::string>>{
      {[](array x) { return reshape(x, {-1}); }, "-> f32[b*n]"},
      {[](array x) { return flatten(expand_dims(x, 1)) + 1; }, "-> f32[b*n]"},
      {[](array x) { return concatenate({x, x}, 1); }, "-> f32[b, 2*n]"},
      {[](array x) { return tile(pad(x, 1), {1, 2}); }, "-> f32[b + 2, 2*n + 4]"},
      {[](array x) { return softmax(x - mean(x, 1, true), 1); }, "-> f32[b, n]"},
      {[](array x) { return matmul(x, transpose(x)); }, "-> f32[b, b]"},
      {[](array x) { return arange(x.dim(1)) * linspace(0, 1, x.dim(1)); }, "-> f32[n]"},
      {[](array x) { return tril(x) + eye(x.dim(0), x.dim(1)); }, "-> f32[b, n]"},
      {[](array x) { return slice(x, {0, 0}, {x.dim(0), x.dim(1)}, {1, 2}); }, "-> f32[b, ((n + 1) // 2)]"},
  };
  for (const auto& [fn, result] : programs) {
    const std::string text = head(ir(fn, {"b", "n"}));
    // Only facts that hold for every size.
    EXPECT_TRUE(text.ends_with(result + " where b in [0, 2147483647], n in [0, 2147483647] ")) << text;
  }
  EXPECT_TRUE(contains(head(ir([](array x) { return max(x, 1); }, {"b", "n"})), "n in [1, 2147483647]"));
  EXPECT_TRUE(contains(head(ir([](array x) { return reshape(x, {-1, 4}); }, {"b", 8})), "-> f32[2*b, 4]"));
  // An operation whose answer needs data says so, at its line.
  const std::string message =
      thrown<InvalidArgument>([&] { ir([](array x) { return reshape(x, {x.shape(0), -1}); }, {"b", "n"}); });
  EXPECT_TRUE(contains(message, "without data") && contains(message, "shapeless_ops_test.cpp") &&
              contains(message, "dim()"))
      << message;
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { ir([](array x) { return x + array({1, 2}); }, {"b", "n"}); }),
                       "do not broadcast"));
}

// ---- Sizes past the limit of an axis: found at the call, before anything is computed.

TEST(ShapelessOps, TooLargeForAnAxis) {
  const array wide = broadcast_to(zeros({1, 1}), {65536, 65536});
  const auto refuses = [&](const std::function<array(array)>& fn) {
    const auto compiled = compile(fn, true);
    eval(compiled(zeros({2, 3})));
    EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { compiled(wide); }), "an axis holds at most 2147483647"));
    EXPECT_EQ(compiled(zeros({4, 5})).shape(), fn(zeros({4, 5})).shape());
  };
  refuses([](array x) { return flatten(x); });
  refuses([](array x) { return arange(x.dim(0) * x.dim(1)); });
  refuses([](array x) { return repeat(x, x.dim(0), 1); });
}

// ---- Several at once

TEST(ShapelessPrograms, Attention) {
  const auto heads = [](const array& x, const array& w) {
    const Size b = x.dim(0), t = x.dim(1), d = x.dim(2);
    const array qkv = matmul(x, w);
    const std::vector<array> parts = split(qkv, 3, -1);
    const auto apart = [&](const array& a) { return transpose(reshape(a, {b, t, 2, d / 2}), {0, 2, 1, 3}); };
    const array q = apart(parts[0]), k = apart(parts[1]), v = apart(parts[2]);
    const array mask = where(tri(t, t, 0, bool_), array(0.0f), array(-1e9f));
    const array scores = softmax(matmul(q, swapaxes(k, -1, -2)) / sqrt(array(2.0f)) + mask, -1);
    return reshape(transpose(matmul(scores, v), {0, 2, 1, 3}), {b, t, d});
  };
  agrees(heads, {{{2, 3, 4}, {4, 12}}, {{1, 5, 8}, {8, 24}}, {{3, 1, 2}, {2, 6}}});
}

TEST(ShapelessPrograms, NestedSizes) {
  agrees(
      [](const array& x) {
        const array padded = pad(x, {0}, {0}, {(4 - x.dim(0) % 4) % 4});
        return reshape(sum(reshape(padded, {-1, 4}), 1), {padded.dim(0) / 4});
      },
      {{3}, {5}, {8}, {1}});
  agrees(
      [](const array& x) {
        const array twice = concatenate({x, x}, 0);
        return slice(twice, {x.dim(0)}, {twice.dim(0)}) + x;
      },
      {{3}, {5}, {0}, {1}});
  // A comparison of sizes: each answer has a trace.
  agrees([](const array& x) { return x.dim(0) < 4 ? x + 1 : x * 2; }, {{3}, {1}, {5}, {9}, {4}}, 2);
}

}  // namespace
