// Type rules and derivative idioms that the routines of linear algebra share.
#pragma once

#include <string>
#include <vector>

#include "ir/ops/rules.h"
#include "ir/routines/routine.h"

namespace frit::ir::matrices {

// The element types of a routine: real floats of 32 and 64 bits, and complex numbers where the routine takes them.
enum class Elements : uint8_t { Real, RealOrComplex };

inline bool takes_real(Dtype t) { return t == float32 || t == float64; }
inline bool takes_real_or_complex(Dtype t) { return takes_real(t) || is_complex(t); }

// Why a routine does not take an operand, or nothing.
inline Status check(std::string_view op, const InferArgs& args, size_t operand, Elements elements, bool square) {
  const Type& x = args.operands[operand];
  const bool fits =
      x.dtype == float32 || x.dtype == float64 || (elements == Elements::RealOrComplex && is_complex(x.dtype));
  auto fail = [&](const char* needs, const char* cure) {
    return Diagnostic("op '" + std::string(op) + "' needs " + needs + ", but got " + x.str(), {}, cure);
  };
  if (!fits)
    return fail(elements == Elements::Real ? "elements of type f32 or f64" : "elements of type f32, f64 or c64",
                "convert with 'astype' first");
  if (x.rank() < 2) return fail("matrices or stacks of matrices", "add axes with 'reshape' first");
  if (square && !rules::same_size(x.shape[x.shape.size() - 2], x.shape.back(), args.facts))
    return fail("square matrices", "give as many rows as columns");
  return {};
}

// A type with the leading axes of `x` and the given last ones.
inline Type stacked(const Type& x, Dtype dtype, std::initializer_list<Dim> last) {
  Type out{dtype, Shape(x.shape.begin(), x.shape.end() - 2)};
  out.shape.insert(out.shape.end(), last);
  return out;
}

inline Dtype real_part(Dtype t) { return is_complex(t) ? float32 : t; }

inline ValueId transposed(Builder& b, ValueId v) {
  const int rank = b.type(v).rank();
  Dims axes;
  for (int i = 0; i < rank - 2; ++i) axes.push_back(i);
  axes.push_back(rank - 1);
  axes.push_back(rank - 2);
  return b.build("transpose", {v}, {{"axes", axes}});
}

// `inside` where row `comparison` column over the last two axes, and `outside` elsewhere.
inline ValueId where(Builder& b, std::string_view comparison, ValueId inside, ValueId outside) {
  const Type type = b.type(inside);
  const auto position = [&](int axis) {
    return b.build("iota", {}, {{"shape", Dims(type.shape)}, {"axis", Dim(axis)}, {"dtype", int32}});
  };
  const ValueId mask = b.build(comparison, {position(type.rank() - 2), position(type.rank() - 1)});
  return b.build("select", {mask, inside, outside});
}

// One triangle of each matrix, with its diagonal; zeros in the other one.
inline ValueId triangle(Builder& b, ValueId v, bool upper) {
  return where(b, upper ? "less_equal" : "greater_equal", v, b.splat(0, Type(b.type(v))));
}

inline ValueId product(Builder& b, ValueId x, ValueId y) { return b.build("matmul", {x, y}); }

}  // namespace frit::ir::matrices
