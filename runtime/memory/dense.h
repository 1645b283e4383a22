// Tensors whose elements lie dense in row-major order, and copies that make them so.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "ir/base/result.h"
#include "runtime/memory/tensor.h"

namespace frit::runtime {

int64_t element_count(const Sizes& shape);
// Strides in elements. An axis without elements counts as one of a single element.
Sizes row_major(const Sizes& shape);
bool is_dense(const Tensor& t);
// The bytes of its elements in row-major order, whatever its strides.
size_t dense_bytes(const Tensor& t);

// Calls `put(data, bytes)` with the elements of `t`, the first of which is at `data`, in row-major order: a row at a
// time where rows are in one piece, else an element at a time. Ends with false where `put` gives false.
template <class Put>
bool each_run(const Tensor& t, const std::byte* data, Put& put, size_t axis = 0) {
  const auto size = static_cast<int64_t>(t.dtype.size());
  if (axis == t.shape.size()) return put(data, static_cast<size_t>(size));
  if (axis + 1 == t.shape.size() && t.strides[axis] == 1) return put(data, static_cast<size_t>(t.shape[axis] * size));
  for (int64_t i = 0; i < t.shape[axis]; ++i)
    if (!each_run(t, data + i * t.strides[axis] * size, put, axis + 1)) return false;
  return true;
}

// Copies the elements in row-major order. Fails for memory of a GPU that cannot be read.
Status copy_dense(const Tensor& t, void* to);
// The tensor itself where it is dense.
Result<Tensor> dense(const Tensor& t);

}  // namespace frit::runtime
