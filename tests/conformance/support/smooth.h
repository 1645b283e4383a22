// Functions of one row, and operands at which rows are smooth and defined, for tests of derivatives.
#pragma once

#include <cmath>

#include "ir/routines/routine.h"
#include "support/generate.h"
#include "support/values.h"

namespace frit::test {

// Numbers in (0.2, 0.8), in complex numbers both parts, of a type without symbols. Real parts of complex numbers, which
// are ordered by them, have the same distance from each other, so that small steps keep the order.
inline ir::Tensor smooth_tensor(const ir::Type& type, Random& random) {
  std::vector<int64_t> shape;
  for (const Dim& d : type.shape) shape.push_back(d.value());
  if (!is_inexact(type.dtype)) return random_tensor(type.dtype, shape, Values::Exact, random);
  const auto number = [&] { return 0.2 + 0.6 * static_cast<double>(random() % 1000003) / 1000003; };
  ir::Tensor t(type.dtype, shape);
  if (is_complex(type.dtype)) {
    std::vector<double> real;
    const double first = number();
    for (int64_t i = 0; i < t.size(); ++i)
      real.push_back(0.2 + 0.6 * (static_cast<double>(i) + first) / static_cast<double>(t.size()));
    for (size_t i = real.size(); i > 1; --i) std::swap(real[i - 1], real[random() % i]);
    const auto bits = [](double v) { return uint64_t{std::bit_cast<uint32_t>(static_cast<float>(v))}; };
    for (int64_t i = 0; i < t.size(); ++i) t.set_bits(i, bits(real[static_cast<size_t>(i)]) | bits(number()) << 32);
    return t;
  }
  std::vector<double> values;
  for (int64_t i = 0; i < t.size(); ++i) values.push_back(number());
  return ir::Tensor(type.dtype, shape, values);
}

inline std::array<double, 2> parts_of(const ir::Tensor& t, int64_t i) {
  if (!is_complex(t.dtype)) return {t.at(i), 0};
  const auto part = [](uint64_t bits) { return double{std::bit_cast<float>(static_cast<uint32_t>(bits))}; };
  return {part(t.bits(i)), part(t.bits(i) >> 32)};
}

// The sum of Re(conj(a) * b).
inline double inner(const ir::Tensor& a, const ir::Tensor& b) {
  double sum = 0;
  for (int64_t i = 0; i < a.size(); ++i) {
    const auto x = parts_of(a, i), y = parts_of(b, i);
    sum += x[0] * y[0] + x[1] * y[1];
  }
  return sum;
}

inline ir::Function one_row(const ir::OpDef& def, const Call& call, const DimFacts& facts = {}) {
  ir::Function f;
  f.name = "row";
  f.facts = facts;
  ir::Builder b(f);
  std::vector<ir::ValueId> operands;
  for (size_t i = 0; i < call.operands.size(); ++i)
    operands.push_back(f.add_param("x" + std::to_string(i), call.operands[i]));
  auto built = b.try_build(def, operands, call.attrs);
  if (built.ok()) f.results = *built;
  return f;
}

}  // namespace frit::test
