// The reference interpretation of rows that move elements or run along an axis: index, scatter and scan.
#pragma once

#include <vector>

#include "ir/interpret/interpreter.h"

namespace frit::ir {

using Position = std::vector<int64_t>;

int64_t flatten(const Position& at, const std::vector<int64_t>& shape);
Position unflatten(int64_t flat, const std::vector<int64_t>& shape);

// An op without symbols, and its types.
struct MovingOp {
  Op op;
  std::vector<Type> operands;
  Type result;
};

Status interpret_index(const MovingOp& m, const std::vector<const Tensor*>& operands, Tensor& out);
Status interpret_scatter(const MovingOp& m, const std::vector<const Tensor*>& operands, Tensor& out);
Status interpret_scan(const MovingOp& m, const Tensor& x, Tensor& out);

}  // namespace frit::ir
