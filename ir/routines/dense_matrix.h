// Dense matrices of complex doubles, in which the references of linear algebra compute, and the stacks of matrices that
// windows show.
#pragma once

#include <cmath>
#include <complex>
#include <vector>

#include "ir/routines/host_window.h"

namespace frit::ir {

using Number = std::complex<double>;

class DenseMatrix {
 public:
  DenseMatrix(int64_t rows, int64_t columns)
      : rows_(rows), columns_(columns), data_(static_cast<size_t>(rows * columns)) {}
  static DenseMatrix identity(int64_t n) {
    DenseMatrix out(n, n);
    for (int64_t i = 0; i < n; ++i) out(i, i) = 1;
    return out;
  }

  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  Number& operator()(int64_t i, int64_t j) { return data_[static_cast<size_t>(i * columns_ + j)]; }
  const Number& operator()(int64_t i, int64_t j) const { return data_[static_cast<size_t>(i * columns_ + j)]; }

  void swap_rows(int64_t a, int64_t b) {
    for (int64_t j = 0; j < columns_; ++j) std::swap((*this)(a, j), (*this)(b, j));
  }
  // The conjugate transpose.
  DenseMatrix adjoint() const {
    DenseMatrix out(columns_, rows_);
    for (int64_t i = 0; i < rows_; ++i)
      for (int64_t j = 0; j < columns_; ++j) out(j, i) = std::conj((*this)(i, j));
    return out;
  }
  friend DenseMatrix operator*(const DenseMatrix& a, const DenseMatrix& b) {
    DenseMatrix out(a.rows_, b.columns_);
    for (int64_t i = 0; i < a.rows_; ++i)
      for (int64_t k = 0; k < a.columns_; ++k)
        for (int64_t j = 0; j < b.columns_; ++j) out(i, j) += a(i, k) * b(k, j);
    return out;
  }

 private:
  int64_t rows_, columns_;
  std::vector<Number> data_;
};

// The matrices over the last two axes of a window, or the vectors over its last axis as matrices of one column.
class HostMatrices {
 public:
  explicit HostMatrices(const HostWindow& w, bool vectors = false) : w_(w), inner_(vectors ? 1 : 2) {}
  int64_t count() const {
    int64_t n = 1;
    for (size_t axis = 0; axis + inner_ < w_.shape.size(); ++axis) n *= w_.shape[axis];
    return n;
  }
  int64_t rows() const { return w_.shape[w_.shape.size() - inner_]; }
  int64_t columns() const { return inner_ == 1 ? 1 : w_.shape.back(); }

  DenseMatrix get(int64_t number) const {
    DenseMatrix out(rows(), columns());
    for (int64_t i = 0; i < rows(); ++i)
      for (int64_t j = 0; j < columns(); ++j) out(i, j) = w_.number(at(number, i, j));
    return out;
  }
  void set(int64_t number, const DenseMatrix& m) const {
    for (int64_t i = 0; i < rows(); ++i)
      for (int64_t j = 0; j < columns(); ++j) w_.set_number(at(number, i, j), m(i, j));
  }

 private:
  int64_t at(int64_t number, int64_t i, int64_t j) const {
    const size_t first = w_.shape.size() - inner_;
    int64_t element = w_.offset + i * w_.strides[first] + (inner_ == 1 ? 0 : j * w_.strides[first + 1]);
    for (size_t axis = first; axis-- > 0;) {
      element += number % w_.shape[axis] * w_.strides[axis];
      number /= w_.shape[axis];
    }
    return element;
  }

  const HostWindow& w_;
  size_t inner_;
};

}  // namespace frit::ir
