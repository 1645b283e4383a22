// The reference interpreter of graph functions; every other way of running one is compared with it.
//
// It walks the ops in order and computes each element by the row's rules, one at a time: scalar functions through libm;
// floating sums, products of matrices and reductions in double; composites through their expansion. It ignores groups
// and layouts. It is plain before it is fast.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "ir/graph/graph.h"

namespace frit::ir {

// A dense row-major tensor with bytes of its own.
struct Tensor {
  Dtype dtype = float32;
  std::vector<int64_t> shape;
  std::vector<std::byte> data;

  Tensor() = default;
  // A tensor of zeros.
  Tensor(Dtype dtype, std::vector<int64_t> shape);
  // Each value is converted with one rounding; `values` has size() elements.
  Tensor(Dtype dtype, std::vector<int64_t> shape, const std::vector<double>& values);

  int64_t size() const;            // elements
  uint64_t bits(int64_t i) const;  // of element i in row-major order, zero-extended
  void set_bits(int64_t i, uint64_t bits);
  double at(int64_t i) const;  // the real part for complex64
  std::vector<double> values() const;
};

using SymbolValues = std::map<std::string, int64_t>;

// The values of the symbols of `f`'s signature for inputs of these shapes. Fails if an input does not fit its parameter
// or a fact does not hold.
Result<SymbolValues> bind_symbols(const Function& f, const std::vector<Tensor>& inputs);

// Runs `f`, one input per parameter. Fails if the inputs do not fit.
Result<std::vector<Tensor>> interpret(const Function& f, const std::vector<Tensor>& inputs);

}  // namespace frit::ir
