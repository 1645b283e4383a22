// How a compiled function is called from outside: names, element types and sizes of what it takes and gives, and what
// is checked before it runs.
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
    Dtype dtype;
    std::vector<DimProgram> shape;   // over the guard's symbols
    std::vector<std::string> sizes;  // the same as text
  };
  struct Input : Value {
    std::string weight;  // the tensor that it is bound to; "" for an argument
  };

  std::string name;
  std::string text;           // as a graph file has it
  std::vector<Input> inputs;  // dense and row-major
  std::vector<Value> outputs;
  Guard guard;
  std::vector<std::string> said;  // what each check of the guard says

  size_t arguments() const;  // the inputs that are not bound to weights
};

// Checks number of inputs (weights included), element types, ranks and sizes; fills `symbols`, which has room for one
// value per symbol of the guard. The error names the input, both types and what does not hold.
Status check_call(const Signature& signature, std::span<const Tensor> inputs, int64_t* symbols);

// "f32[m, n]"
std::string type_text(const Signature::Value& value);
std::string type_text(const Tensor& t);

std::string write_signature(const Signature& signature);
Result<Signature> read_signature(std::string_view bytes);

}  // namespace frit::runtime
