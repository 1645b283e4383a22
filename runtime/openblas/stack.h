// The matrices of a tensor of products.
#pragma once

#include "runtime/execute/library.h"
#include "runtime/openblas/matrix.h"

namespace frit::runtime::openblas {

// A stack of matrices: the last two axes of a tensor.
class Stack {
 public:
  explicit Stack(const LibraryTensor& t) : t_(t) {}
  int64_t rows() const { return t_.shape[t_.shape.size() - 2]; }
  int64_t columns() const { return t_.shape.back(); }
  Matrix at(int64_t batch) const {
    auto* data = static_cast<std::byte*>(t_.data);
    const size_t rank = t_.shape.size();
    for (size_t axis = rank - 2; axis-- > 0;) {
      data += batch % t_.shape[axis] * t_.strides[axis] * t_.dtype.size();
      batch /= t_.shape[axis];
    }
    return {data, rows(), columns(), t_.strides[rank - 2], t_.strides[rank - 1]};
  }

 private:
  const LibraryTensor& t_;
};

}  // namespace frit::runtime::openblas
