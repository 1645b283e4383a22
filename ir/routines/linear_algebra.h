// Type rules and derivative idioms that the routines of linear algebra share.
#pragma once

#include <string>
#include <vector>

#include "ir/graph/batch.h"
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

// The batch axis of matrices as further columns, [b, .., n, k] as [.., n, b * k]; and back, to the type that a matrix
// has at one position.
inline Result<ValueId> to_columns(const BatchCall& call, ValueId v) {
  const Shape shape = call.b.type(v).shape;
  FRIT_ASSIGN_OR_RETURN(moved, call.move_axis(v, 0, shape.size() - 2));
  Shape merged(shape.begin() + 1, shape.end());
  merged.back() = call.size * shape.back();
  return call.reshape(moved, merged);
}
inline Result<ValueId> from_columns(const BatchCall& call, ValueId v, const Type& one) {
  Shape shape = one.shape;
  shape.insert(shape.end() - 1, call.size);
  FRIT_ASSIGN_OR_RETURN(apart, call.reshape(v, shape));
  return call.move_axis(apart, shape.size() - 2, 0);
}

// A system whose matrix is the same everywhere has the right sides of all positions.
inline Result<std::vector<ValueId>> batch_right_sides(const BatchCall& call) {
  AttrMap attrs = call.op.attrs;
  if (call.batched[0]) {
    FRIT_ASSIGN_OR_RETURN(sides, call.stacked(1));
    FRIT_ASSIGN_OR_RETURN(out, call.build(call.op.def->name, {call.operands[0], sides}, std::move(attrs)));
    return std::vector{out};
  }
  FRIT_ASSIGN_OR_RETURN(sides, to_columns(call, call.operands[1]));
  FRIT_ASSIGN_OR_RETURN(solved, call.build(call.op.def->name, {call.operands[0], sides}, std::move(attrs)));
  FRIT_ASSIGN_OR_RETURN(out, from_columns(call, solved, call.results[0]));
  return std::vector{out};
}

inline ValueId product(Builder& b, ValueId x, ValueId y) { return b.build("matmul", {x, y}); }

inline ValueId adjoint(Builder& b, ValueId v) {
  const ValueId t = rules::swap_last(b, v);
  return is_complex(b.type(v).dtype) ? b.build("conjugate", {t}) : t;
}

// Rows and columns [first, last) of the matrices.
struct Block {
  Dim first_row, last_row, first_column, last_column;
};
inline ValueId part(Builder& b, ValueId v, const Block& block) {
  const Shape shape = b.type(v).shape;
  Dims start(shape.size(), 0), stop(shape);
  start[shape.size() - 2] = block.first_row, stop[shape.size() - 2] = block.last_row;
  start.back() = block.first_column, stop.back() = block.last_column;
  return b.build("slice", {v}, {{"start", start}, {"stop", stop}});
}
// The matrices at (row, column) of matrices of the last sizes of `shape`, with zeros around them.
inline ValueId placed(Builder& b, ValueId v, const Dim& row, const Dim& column, const Shape& shape) {
  const Shape from = b.type(v).shape;
  const size_t rank = from.size();
  Dims low(rank, 0), high(rank, 0);
  low[rank - 2] = row, high[rank - 2] = shape[rank - 2] - from[rank - 2] - row;
  low[rank - 1] = column, high[rank - 1] = shape[rank - 1] - from[rank - 1] - column;
  return b.build("pad", {v, b.scalar(b.type(v).dtype, 0)}, {{"low", low}, {"high", high}});
}

// Matrices of `shape` whose columns, or rows, each have one of `values`. The shape is a copy: building moves those of
// values.
inline ValueId by_column(Builder& b, ValueId values, Shape shape) {
  return rules::spread(b, values, shape, {static_cast<int>(shape.size()) - 2});
}
inline ValueId by_row(Builder& b, ValueId values, Shape shape) {
  return rules::spread(b, values, shape, {static_cast<int>(shape.size()) - 1});
}

}  // namespace frit::ir::matrices
