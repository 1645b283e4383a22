// Quotients of rows by one number each are rounded as single divisions are.
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "helpers.h"

using namespace frit;

namespace {

// Numbers of any exponent, those that end ranges of them, and their neighbours.
std::vector<float> numbers(size_t count, uint32_t seed, uint32_t spread) {
  const float special[] = {0.0f,
                           -0.0f,
                           1.0f,
                           -1.0f,
                           std::numeric_limits<float>::infinity(),
                           -std::numeric_limits<float>::infinity(),
                           std::numeric_limits<float>::quiet_NaN(),
                           std::numeric_limits<float>::denorm_min(),
                           std::numeric_limits<float>::min(),
                           std::numeric_limits<float>::max(),
                           0x1p30f,
                           0x1p-30f,
                           0x1.fffffep29f,
                           0x1.fffffep-31f,
                           0x1p90f,
                           0x1p-90f,
                           0x1.fffffep89f,
                           0x1.fffffep-91f,
                           0x1.fffffep0f,
                           0x1.000002p0f};
  std::vector<float> all;
  uint64_t state = seed;
  while (all.size() < count) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto bits = static_cast<uint32_t>(state >> 32);
    const uint32_t exponent = 127 + (bits >> 8) % (2 * spread + 1) - spread;
    if (all.size() % 97 == 96)
      all.push_back(special[(bits >> 5) % std::size(special)]);
    else
      all.push_back(std::bit_cast<float>((bits & 0x80000000u) | exponent << 23 | (bits & 0xffu) << 15 |
                                         (static_cast<uint32_t>(state >> 16) & 0x7fffu)));
  }
  return all;
}

// The rows of x by the sums of the rows of y, and those rounded to bf16.
std::vector<array> quotients(const std::vector<array>& in) { return {divide(in[0], sum(in[1], 1, true))}; }
std::vector<array> rounded(const std::vector<array>& in) { return {astype(quotients(in)[0], bfloat16)}; }

}  // namespace

TEST(Quotient, OfARowByANumberIsRoundedOnce) {
  const int columns = 1003, rows = 600;
  const auto divide_rows = compile(quotients), divide_and_round = compile(rounded);
  for (const uint32_t spread : {1u, 29u, 120u}) {
    std::vector<float> x = numbers(static_cast<size_t>(rows * columns), spread, spread),
                       y = numbers(static_cast<size_t>(rows), spread + 7, spread);
    // Every other quotient lies beside the middle of two numbers of bf16.
    for (size_t i = 0; i < x.size(); i += 2) {
      const auto middle = (std::bit_cast<uint32_t>(x[i]) & 0xffff0000u) + 0x8000u + static_cast<uint32_t>(i / 2 % 9);
      const float near = std::bit_cast<float>(middle - 4) * y[i / columns];
      if (std::isfinite(near)) x[i] = near;
    }
    const std::vector<array> in{array(x.data(), {rows, columns}), array(y.data(), {rows, 1})};
    const array wide = divide_rows(in)[0], narrow = divide_and_round(in)[0];
    EXPECT_TRUE(array_equal(narrow, astype(wide, bfloat16), true).item<bool>()) << spread;
    const float* got = wide.data<float>();
    int wrong = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      const float divisor = y[i / columns], expected = x[i] / (0.0f + divisor);  // a sum begins at +0
      const bool same = std::isnan(expected) ? std::isnan(got[i])
                                             : std::bit_cast<uint32_t>(expected) == std::bit_cast<uint32_t>(got[i]);
      if (!same && ++wrong < 5) ADD_FAILURE() << x[i] << " / " << divisor << " is " << got[i];
    }
    EXPECT_EQ(wrong, 0) << spread;
  }
}
