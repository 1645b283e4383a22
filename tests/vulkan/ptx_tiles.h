// In the place of the kernels of codegen/ptx/tile_product.h: a function that computes what their arguments ask for.
#pragma once

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "codegen/ptx/tile_product.h"
#include "tests/vulkan/ptx_driver.h"

namespace frit::ptx_tiles {

using P = codegen::ptx::TileParameters;
using ptx_driver::Launch;

inline bool is_tiles(const Launch& l) { return l.arguments.size() == P::kCount; }
// Whether it sums parts of k.
inline bool is_split(const Launch& l) { return l.kernel->has("[p" + std::to_string(P::kPitch) + "]"); }

struct Half {
  static float read(uint16_t bits) { return half_bits_to_float(bits); }
  static uint16_t round(float value) { return float_to_half_bits(value); }
};
struct BFloat {
  static float read(uint16_t bits) { return bfloat_bits_to_float(bits); }
  static uint16_t round(float value) { return float_to_bfloat_bits(value); }
};

// Elements of T, or of 16 bits, summed as Sum.
template <class T, class Sum>
void compute_as(const Launch& l) {
  constexpr bool halves = std::is_class_v<T>;
  using Element = std::conditional_t<halves, uint16_t, Sum>;
  const auto at = [&](size_t which) { return static_cast<int64_t>(l.arguments[which]); };
  const int64_t m = at(P::kRows), n = at(P::kColumns), k = at(P::kSteps), matrices = at(P::kMatrices);
  const int64_t each = at(P::kPartSteps), pitch = is_split(l) ? at(P::kPitch) : n;
  EXPECT_TRUE(!is_split(l) || pitch % 4 == 0);
  // The operand of a batch, by lines.
  const auto operand = [&](size_t first, int64_t batch, int64_t lines) {
    const int64_t line_bytes = at(first + P::kOperandLine), step_bytes = at(first + P::kOperandStep);
    EXPECT_TRUE(!halves || line_bytes == 2 || step_bytes == 2);
    int64_t base = at(first + P::kOperandAddress);
    for (size_t axis = P::kBatchAxes; axis-- > 0; batch /= at(P::kBatchSizes + axis))
      base += batch % at(P::kBatchSizes + axis) * at(first + P::kOperandBatch + axis);
    std::vector<Sum> all;
    for (int64_t line = 0; line < lines; ++line)
      for (int64_t step = 0; step < k; ++step) {
        const auto value = *reinterpret_cast<const Element*>(base + line * line_bytes + step * step_bytes);
        if constexpr (halves)
          all.push_back(T::read(value));
        else
          all.push_back(value);
      }
    return all;
  };
  const auto store = [&](int64_t place, Sum sum) {
    if constexpr (halves)
      if (!is_split(l)) return void(reinterpret_cast<uint16_t*>(at(P::kResult))[place] = T::round(sum));
    reinterpret_cast<Sum*>(at(P::kResult))[place] = sum;
  };
  for (int64_t batch = 0; batch < matrices; ++batch) {
    const std::vector<Sum> left = operand(P::kLeft, batch, m), right = operand(P::kRight, batch, n);
    for (int64_t part = 0; part * each < k; ++part)
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
          const int64_t first = part * each;
          store(((part * matrices + batch) * m + i) * pitch + j,
                ptx_driver::dot(left.data() + i * k + first, right.data() + j * k + first, std::min(k - first, each)));
        }
  }
}

inline void compute(const Launch& l) {
  if (l.kernel->has("f32.f16.f16"))
    compute_as<Half, float>(l);
  else if (l.kernel->has("f32.bf16.bf16"))
    compute_as<BFloat, float>(l);
  else if (l.kernel->has("mma.sync"))
    compute_as<double, double>(l);
  else
    compute_as<float, float>(l);
}

}  // namespace frit::ptx_tiles
