// The text form of kernels and programs (docs/kernel-ir.md has the grammar).
//
// Registers are numbered in the order of the text, whatever their numbers in memory, so that two equal kernels print
// alike. A constant that is used once, by the next instruction, prints in its user's place. Printing never fails: a
// kernel that breaks the verifier's rules prints as well as it can, with `%?` for a register that does not exist.
#pragma once

#include <string>
#include <string_view>

#include "ir/kernel/kernel.h"
#include "ir/kernel/program.h"

namespace frit::ir {

struct KernelPrintOptions {
  bool locations = false;  // where in the user's source a kernel came from; read back when present
  int indent = 0;          // spaces before every line
};

std::string print(const Kernel& k, const KernelPrintOptions& options = {});

// `name` is the function's; a program has none of its own.
std::string print(const Program& p, std::string_view name, const KernelPrintOptions& options = {});

// One instruction of `k` on one line (a loop: its head), for messages.
std::string instr_text(const Kernel& k, const Instr& instr);
// A register as `print` names it.
std::string reg_text(const Kernel& k, Reg reg);

// "%x: f32[b, n] strides [1, b] offset 4", with the strides and the offset left out where row-major and 0.
std::string window_text(const Program& p, const Window& w, Dtype dtype);

}  // namespace frit::ir
