// The text form of kernels and programs; docs/kernel-ir.md has the grammar.
//
// Registers are numbered in the order of the text, whatever their numbers in memory, so equal kernels print alike. A
// constant whose only use is the next instruction prints in place of the use. Printing never fails: a kernel that
// breaks the verifier's rules prints as well as it can, with `%?` for a register that does not exist.
#pragma once

#include <string>
#include <string_view>

#include "ir/kernel/kernel.h"
#include "ir/kernel/program.h"

namespace frit::ir {

struct KernelPrintOptions {
  // prints the locations in the user's source that a kernel came from, which the reader accepts
  bool locations = false;
  int indent = 0;  // spaces before every line
};

std::string print(const Kernel& k, const KernelPrintOptions& options = {});

// Prints `p` under the name of its function; a program has no name of its own.
std::string print(const Program& p, std::string_view name, const KernelPrintOptions& options = {});

// For each line of print(k): its instruction, or null for a line that has none (the head, a local, a closing brace).
std::vector<const Instr*> printed_instructions(const Kernel& k);

// One instruction of `k` on one line, for messages. Of a loop, only its head.
std::string instr_text(const Kernel& k, const Instr& instr);
// The name that `print` gives a register.
std::string reg_text(const Kernel& k, Reg reg);

// "repeat i < 8 {", "leave unless %flag", "}".
std::string step_text(const Program& p, const ControlStep& step);
// "%x: f32[b, n] strides [1, b] offset 4". Row-major strides and an offset of 0 are left out.
std::string window_text(const Program& p, const Window& w, Dtype dtype);

}  // namespace frit::ir
