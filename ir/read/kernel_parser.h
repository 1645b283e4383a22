// Reads the text form of kernels and programs (docs/kernel-ir.md has the grammar).
//
// What is returned keeps the verifier's rules: text that is well formed but breaks one is refused with the rule's
// message at the line where the kernel or program starts. Other errors stand at the token at fault.
#pragma once

#include <string>
#include <string_view>

#include "ir/kernel/kernel.h"
#include "ir/kernel/program.h"
#include "ir/text/lexer.h"

namespace frit::ir {

// A text that is one kernel. `file_name` lives as long as the process (intern_file_name).
Result<Kernel> parse_kernel(std::string_view text, const char* file_name = "kernel");
// The next kernel of `lexer`, which stands at its word `kernel`; the rest is left.
Result<Kernel> parse_kernel(Lexer& lexer);

struct NamedProgram {
  std::string name;
  Program program;
};
Result<NamedProgram> parse_program(std::string_view text, const char* file_name = "program");
Result<NamedProgram> parse_program(Lexer& lexer);

}  // namespace frit::ir
