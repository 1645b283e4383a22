// Loads machine code that was compiled to a relocatable ELF object into this process, without a linker or a compiler.
//
// Takes objects that code generation emits for this machine: position-independent, small code model. Sections lie in
// one mapping: code that can only be run, constants that can only be read, data. Undefined symbols are looked up in a
// fixed list of functions that generated code may call (memory and rounding functions of the C library); everything
// else is an error. Every offset and size of the object is checked, so that a damaged object is an error as well. The
// instructions are not checked: an object must come from someone who may run code here.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ir/base/result.h"
#include "runtime/execute/executable.h"

namespace frit::runtime {

struct ObjectCode {
  struct Entry {
    std::string kernel, symbol;
  };
  std::string object;          // the ELF file; for another device, the code that its driver takes
  std::vector<Entry> entries;  // the function that each kernel is
  std::string device = {};     // "" is the CPU, "gpu" a GPU (runtime/execute/gpu.h)
};

// The memory and the announcement to debuggers and profilers go with the result.
Result<std::shared_ptr<Code>> load_object(std::string_view object, const std::vector<ObjectCode::Entry>& entries);
// The kernels of all of them together.
Result<std::shared_ptr<Code>> load_objects(const std::vector<ObjectCode>& objects);

}  // namespace frit::runtime
