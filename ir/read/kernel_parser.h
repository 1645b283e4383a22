// Reads the text form of kernels and programs; docs/kernel-ir.md has the grammar.
//
// The result keeps the verifier's rules: well-formed text that breaks a rule is refused with the rule's message at the
// line where the kernel or program starts. Other errors carry the position of the token at fault.
#pragma once

#include <string>
#include <string_view>

#include "ir/kernel/kernel.h"
#include "ir/kernel/program.h"
#include "ir/text/lexer.h"

namespace frit::ir {

// Parses text that is one kernel. `file_name` must live as long as the process (intern_file_name).
Result<Kernel> parse_kernel(std::string_view text, const char* file_name = "kernel");
// Parses the next kernel of `lexer`, which is at the word `kernel`; the rest stays unread.
Result<Kernel> parse_kernel(Lexer& lexer);

struct NamedProgram {
  std::string name;
  Program program;
};
Result<NamedProgram> parse_program(std::string_view text, const char* file_name = "program");
Result<NamedProgram> parse_program(Lexer& lexer);

}  // namespace frit::ir
