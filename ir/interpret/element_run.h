// A scalar program prepared to run on many elements, one after the other, with functions from libm.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "ir/scalar/scalar.h"

namespace frit::ir {

class ElementRun {
 public:
  explicit ElementRun(const ScalarProgram& program);

  // The bits of the results from the bits of the inputs. The span is good until the next call.
  std::span<const uint64_t> operator()(std::span<const uint64_t> inputs);

 private:
  struct Step {
    PrimitiveFunction function;  // null: a function of libm
    ScalarOp op;
    uint8_t arity;
    Dtype type = float32;
    std::array<Dtype, 3> types{float32, float32, float32};
    std::array<uint32_t, 3> args;
    uint32_t result;
  };
  std::vector<Step> steps_;
  std::vector<std::pair<uint32_t, uint64_t>> inputs_;  // a value, and the input that it is
  std::vector<uint64_t> values_, results_;
  std::vector<uint32_t> result_values_;
};

}  // namespace frit::ir
