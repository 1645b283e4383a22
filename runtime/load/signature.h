// How a compiled function is called from outside: names, element types, sizes and strides of its inputs and results,
// and the checks of a call before it runs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/base/result.h"
#include "runtime/execute/executable.h"
#include "runtime/execute/guard.h"

namespace frit::runtime {

struct Signature {
  struct Value {
    std::string name;  // of an output it may be empty
    Dtype dtype = float32;
    std::vector<DimProgram> shape;   // over the guard's symbols
    std::vector<std::string> sizes;  // the same as text
  };
  struct Input : Value {
    std::string weight;  // the tensor that it is bound to; "" for an argument
    // In elements, over the guard's symbols and, behind them, the stride symbols; none where it is dense and row-major.
    std::vector<DimProgram> strides = {};
  };
  // A symbol that only strides name: its value is read from the strides of an input.
  struct StrideSymbol {
    std::string name;
    uint32_t input, axis;
    int64_t low, high, multiple;
  };

  std::string name;
  std::string text;  // as a graph file has it
  std::vector<Input> inputs;
  std::vector<Value> outputs;
  Guard guard;
  std::vector<std::string> said;  // the text of each check of the guard
  std::vector<StrideSymbol> stride_symbols;

  size_t arguments() const;  // the inputs that are not bound to weights
};

// Checks number of inputs (weights included), element types, ranks and sizes; fills `symbols`, which has room for one
// value per symbol of the guard. The error names the input, both types and the check that fails.
Status check_call(const Signature& signature, std::span<const Tensor> inputs, int64_t* symbols);

// Puts the inputs of a call that check_call accepted where the code expects them: row-major, or with the strides that
// the signature states. An input that lies so is kept, any other is copied. `symbols` are those of the guard. Fails
// where an input cannot have the strides.
Status lay_out(const Signature& signature, std::vector<Tensor>& inputs, std::span<const int64_t> symbols);

// "f32[m, n]"
std::string type_text(const Signature::Value& value);
std::string type_text(const Tensor& t);

std::string write_signature(const Signature& signature);
Result<Signature> read_signature(std::string_view bytes);

}  // namespace frit::runtime
