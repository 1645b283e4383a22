// Arrays with short axes and much work, in any layout: eager code, code for any shape and code for these sizes give the
// same bits.
#include <cstring>
#include <random>

#include "helpers.h"

using namespace frit;

namespace {

using Fn = std::function<array(const array&)>;

// Bytes of an array in row-major order, with its type and shape in front.
std::string bytes_of(const array& a) {
  const array dense = view(contiguous(a), uint8);
  dense.eval();
  std::ostringstream text;
  text << a.dtype() << testing::PrintToString(a.shape());
  return text.str() + std::string(reinterpret_cast<const char*>(dense.data<uint8_t>()), dense.nbytes());
}

struct Named {
  const char* name;
  Fn fn;
};

std::vector<Named> functions_along(int axis) {
  return {
      {"sum", [=](const array& x) { return sum(x, axis); }},
      {"max", [=](const array& x) { return max(x, axis); }},
      {"argmin", [=](const array& x) { return argmin(x, axis); }},
      {"var", [=](const array& x) { return var(x, axis); }},
      {"softmax", [=](const array& x) { return softmax(x, axis); }},
      {"logsumexp", [=](const array& x) { return logsumexp(x, axis, true); }},
      {"cumsum", [=](const array& x) { return cumsum(x, axis); }},
      {"sort", [=](const array& x) { return sort(x, axis); }},
      {"norm", [=](const array& x) { return linalg::norm(x, axis); }},
      {"repeat", [=](const array& x) { return repeat(x, 3, axis); }},
      {"roll", [=](const array& x) { return roll(x, 2, axis); }},
      {"joined", [=](const array& x) { return concatenate({x, x * 2.0f}, axis); }},
      {"centred", [=](const array& x) { return x - mean(x, axis, true); }},
  };
}

}  // namespace

TEST(ShortAxes, AllWaysGiveTheSameBits) {
  std::mt19937 random(7);
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution(low, high)(random); };
  const Dtype dtypes[] = {float32, float16, bfloat16};
  for (int round = 0; round < 15; ++round) {
    const int narrow = draw(2, 70), rows = 20000 / narrow * 2;
    const array x =
        astype(random::normal({rows, narrow}, float32, random::key(static_cast<uint64_t>(round))), dtypes[draw(0, 2)]);
    const array views[] = {x, transpose(x), slice(x, {0, 0}, {rows, narrow}, {1, 2}),
                           slice(x, {0, narrow - 1}, {rows, -narrow - 1}, {1, -1}), reshape(x, {2, rows / 2, narrow})};
    const array& view = views[static_cast<size_t>(round % 5)];
    const auto functions = functions_along(draw(0, static_cast<int>(view.ndim()) - 1));
    for (int k = 0; k < 3; ++k) {
      const auto& [name, fn] = functions[static_cast<size_t>(draw(0, static_cast<int>(functions.size()) - 1))];
      const std::string eager = bytes_of(fn(view)), what = std::string(name) + " of " + eager.substr(0, 40);
      EXPECT_TRUE(eager == bytes_of(compile(fn)(view))) << what;
      EXPECT_TRUE(eager == bytes_of(compile(fn, true)(view))) << what;
    }
  }
}

// Code for short sizes is bounded, and calls past the bound run code for any size.
TEST(ShortAxes, FunctionsOfAnyShapeHaveFewCodes) {
  auto f = compile([](array x) { return sum(exp(x), -1); }, true);
  for (int narrow = 2; narrow < 24; narrow += 2) {
    const array x = random::normal({100000 / narrow, narrow});
    EXPECT_TRUE(bytes_of(f(x)) == bytes_of(sum(exp(x), -1))) << narrow;
    EXPECT_TRUE(bytes_of(f(transpose(x))) == bytes_of(sum(exp(transpose(x)), -1))) << narrow;
  }
  EXPECT_EQ(f.stats().traces, 1u);
  EXPECT_LE(f.stats().compiles, 9u);
}

TEST(ShortAxes, ConditionsOfATraceHoldForItsShortSizes) {
  auto f = compile([](array x) { return sum(reshape(x, {-1, 2}), 0); }, true);
  for (const int narrow : {4, 6, 10}) {
    const array x = random::normal({30000, narrow});
    EXPECT_TRUE(bytes_of(f(x)) == bytes_of(sum(reshape(x, {-1, 2}), 0))) << narrow;
  }
}

// Rows of every length in bytes around the words that copy them.
TEST(ShortAxes, JoinedAndPaddedRows) {
  for (const Dtype dtype : {uint8, int16, float32, int64})
    for (int left = 1; left <= 70; left += left < 20 ? 1 : 10) {
      const int rows = 700, right = 71 - left;
      const array a = astype(arange(rows * left), dtype), b = astype(arange(rows * right), dtype);
      const array x = reshape(a, {rows, left}), y = reshape(b, {rows, right});
      const array joined = concatenate({x, y}, 1);
      EXPECT_TRUE(bytes_of(slice(joined, {0, 0}, {rows, left})) == bytes_of(x)) << left;
      EXPECT_TRUE(bytes_of(slice(joined, {0, left}, {rows, 71})) == bytes_of(y)) << left;
      const array padded = pad(x, {{2, 1}, {3, right}}, array(7, dtype));
      EXPECT_TRUE(bytes_of(slice(padded, {2, 3}, {rows + 2, left + 3})) == bytes_of(x)) << left;
      const array kept = zeros({rows, left}, dtype), around = full({rows + 3, left + right + 3}, 7, dtype);
      EXPECT_TRUE(bytes_of(slice_update(padded, kept, {2, 3}, {rows + 2, left + 3})) ==
                  bytes_of(slice_update(around, kept, {2, 3}, {rows + 2, left + 3})))
          << left;
    }
}
