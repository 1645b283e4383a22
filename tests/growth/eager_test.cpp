// Eager evaluation: work grows with what is computed, and code is compiled for structures, never for sizes.
#include <frit/frit.h>
#include <gtest/gtest.h>

#include <random>

#include "frontend/eager/code_cache.h"
#include "work.h"

namespace frit::test {
namespace {

size_t compilations() { return detail::code_cache_stats().misses; }

void expect_linear(const std::vector<int>& sizes, const std::function<void(int)>& action) {
  const Growth g = growth(sizes, action);
  EXPECT_LT(g.exponent, kLinear) << g.text;
}

std::vector<array> parts(int n, const std::function<int(int)>& length) {
  std::vector<array> all;
  for (int i = 0; i < n; ++i) {
    all.push_back(full({length(i), 4}, static_cast<float>(i)));
    all.back().eval();
  }
  return all;
}

TEST(EagerGrowth, ConcatenateOfEqualArrays) {
  expect_linear({400, 800, 1600, 3200}, [](int n) { concatenate(parts(n, [](int) { return 2; }), 0).eval(); });
}

TEST(EagerGrowth, ConcatenateOfDifferentLengths) {
  expect_linear({200, 400, 800, 1600},
                [](int n) { concatenate(parts(n, [](int i) { return 1 + i % 97; }), 0).eval(); });
}

TEST(EagerGrowth, StackOfRows) {
  expect_linear({200, 400, 800, 1600}, [](int n) { stack(parts(n, [](int) { return 3; }), 1).eval(); });
}

TEST(EagerGrowth, ConcatenateNeverCompiles) {
  const size_t before = compilations();
  std::mt19937 random(3);
  for (int n : {2, 16, 32, 400})
    for (int axis : {0, 1}) {
      std::vector<array> all;
      for (int i = 0; i < n; ++i) {
        const int length = 1 + static_cast<int>(random() % 50);
        all.push_back(axis ? zeros({3, length}) : zeros({length, 3}));
      }
      concatenate(all, axis).eval();
      pad(all[0], {static_cast<int>(random() % 50), static_cast<int>(random() % 50)}).eval();
    }
  EXPECT_EQ(compilations(), before);
}

// Each operation on arrays of random sizes: after some calls, in which all structures turn up, no call compiles.
class RandomSizes : public testing::TestWithParam<int> {};

struct Sized {
  const char* name;
  std::function<array(const array& x, const array& y, int p)> run;  // x: (n,m), y: (m,k)
};

const std::vector<Sized>& sized() {
  static const std::vector<Sized> all = {
      {"add", [](const array& x, const array&, int) { return x + x; }},
      {"add_row", [](const array& x, const array&, int) { return x + slice(x, {0, 0}, {1, x.shape(1)}); }},
      {"add_transposed", [](const array& x, const array&, int) { return transpose(x) + transpose(x); }},
      {"copy", [](const array& x, const array&, int) { return copy(transpose(x)); }},
      {"sum", [](const array& x, const array&, int) { return sum(x); }},
      {"sum_rows", [](const array& x, const array&, int) { return sum(x, 1); }},
      {"sum_columns", [](const array& x, const array&, int) { return sum(x, 0); }},
      {"sum_transposed", [](const array& x, const array&, int) { return sum(transpose(x), 1); }},
      {"sum_broadcast",
       [](const array& x, const array&, int p) { return sum(broadcast_to(x, {p, x.shape(0), x.shape(1)}), 0); }},
      {"max", [](const array& x, const array&, int) { return max(x, 0); }},
      {"argmax", [](const array& x, const array&, int) { return argmax(x, 1); }},
      {"mean", [](const array& x, const array&, int) { return mean(x, 1); }},
      {"var", [](const array& x, const array&, int) { return var(x, 0); }},
      {"softmax", [](const array& x, const array&, int) { return softmax(x, -1); }},
      {"logsumexp", [](const array& x, const array&, int) { return logsumexp(x, 0); }},
      {"matmul", [](const array& x, const array& y, int) { return matmul(x, y); }},
      {"matmul_transposed", [](const array& x, const array&, int) { return matmul(x, transpose(x)); }},
      {"addmm", [](const array& x, const array& y, int) { return addmm(array(1.0f), x, y); }},
      {"tensordot", [](const array& x, const array& y, int) { return tensordot(x, y, 1); }},
      {"outer", [](const array& x, const array&, int) { return outer(flatten(x), arange(5.0)); }},
      {"reshape", [](const array& x, const array&, int) { return reshape(transpose(x), {-1}); }},
      {"slice",
       [](const array& x, const array&, int p) { return slice(x, {p % 3, 0}, {x.shape(0), x.shape(1)}) * 2.0f; }},
      {"split", [](const array& x, const array&, int p) { return split(x, Sizes{1 + p % 3}, 0)[1] * 2.0f; }},
      {"concatenate", [](const array& x, const array&, int) { return concatenate({x, x}, 0); }},
      {"stack", [](const array& x, const array&, int) { return stack({x, x, x}, 1); }},
      {"pad", [](const array& x, const array&, int p) { return pad(x, p % 7); }},
      {"pad_edge", [](const array& x, const array&, int p) { return pad(x, p % 7, array(0), "edge"); }},
      {"pad_reflect", [](const array& x, const array&, int p) { return pad(x, p % 7, array(0), "reflect"); }},
      {"repeat", [](const array& x, const array&, int p) { return repeat(x, p % 5, 0); }},
      {"tile", [](const array& x, const array&, int p) { return tile(x, {1 + p % 5, 2}); }},
      {"flip", [](const array& x, const array&, int) { return flip(x, 0) + 1.0f; }},
      {"as_strided",
       [](const array& x, const array&, int p) { return as_strided(x, {2, 1 + p % 3}, {1, 2}, 0) + 1.0f; }},
      {"full", [](const array&, const array&, int p) { return full({p, 3}, 2.0f) * 2.0f; }},
      {"zeros_data",
       [](const array&, const array&, int p) {
         array a = zeros({p, 3});
         a.data<float>();
         return a;
       }},
      {"arange", [](const array&, const array&, int p) { return arange(p, p * 3, 2); }},
      {"arange_float", [](const array&, const array&, int p) { return arange(0.25 * p, 3.0 * p, 0.5); }},
      {"linspace", [](const array&, const array&, int p) { return linspace(0, p, p); }},
      {"eye", [](const array&, const array&, int p) { return eye(p, p + 3, p % 4); }},
      {"tri", [](const array&, const array&, int p) { return tri(p, p + 2, p % 4, float32); }},
      {"tril", [](const array& x, const array&, int p) { return tril(x, p % 4); }},
      {"where", [](const array& x, const array&, int) { return where(x > 0.5f, x, array(0.0f)); }},
      {"view_narrow", [](const array& x, const array&, int) { return view(x, uint8); }},
      {"view_wide", [](const array&, const array&, int p) { return view(zeros({3, 4 * p}, uint8), float32); }},
      {"astype", [](const array& x, const array&, int) { return astype(x, int32); }},
      {"round", [](const array& x, const array&, int) { return round(x, 2); }},
      {"array_equal", [](const array& x, const array&, int) { return array_equal(x, x); }},
      {"unflatten", [](const array& x, const array&, int) { return unflatten(x * 2.0f, 0, {1, -1}); }},
      {"moveaxis", [](const array& x, const array&, int) { return sum(moveaxis(x, 0, 1), 0); }},
  };
  return all;
}

TEST_P(RandomSizes, CompileNothingNew) {
  const Sized& row = sized()[static_cast<size_t>(GetParam())];
  std::mt19937 random(11);
  const auto size = [&] { return 2 + static_cast<int>(random() % 60); };
  size_t settled = 0;
  for (int call = 0; call < 120; ++call) {
    if (call == 60) settled = compilations();
    const int n = size(), m = size(), k = size();
    const array x = full({n, m}, 0.5f) + 0.25f, y = full({m, k}, 0.25f) + 0.25f;
    eval({x, y});
    row.run(x, y, size()).eval();
  }
  EXPECT_EQ(compilations(), settled) << row.name;
}

INSTANTIATE_TEST_SUITE_P(Operations, RandomSizes, testing::Range(0, static_cast<int>(sized().size())),
                         [](const testing::TestParamInfo<int>& info) {
                           return std::string(sized()[static_cast<size_t>(info.param)].name);
                         });

// A reduction reads a broadcast array where it is.
TEST(EagerGrowth, ReductionsOfBroadcastArraysTakeNoMemoryForThem) {
  const array one = array({1.0f, 2.0f, 3.0f, 4.0f});
  one.eval();
  reset_peak_memory();
  const size_t before = get_active_memory();
  EXPECT_EQ(sum(broadcast_to(one, {1 << 22, 4})).item<float>(), 10.0f * (1 << 22));
  EXPECT_EQ(max(broadcast_to(one, {1 << 22, 4}), 0).shape(), (Shape{4}));
  eval({argmax(broadcast_to(one, {1 << 20, 4}), 1), mean(transpose(broadcast_to(one, {1 << 20, 4})), 0)});
  EXPECT_LT(get_peak_memory() - before, size_t{32} << 20);
}

}  // namespace
}  // namespace frit::test
