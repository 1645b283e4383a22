// Links relocatable objects of generated code into a shared library, in memory, without a linker on the machine.
//
// What generated code needs is little: code and constants in one piece, a few functions of the C library, exported
// names, no data that is written. LLVM's own linker can do all of it and would bring all of LLVM's optimiser with it
// (its support for link-time optimisation), three times what this plugin is large. This one is the size of what it
// does: the relocations are those of runtime/load/relocate.h, and everything else is an error. The result depends on
// the objects and the options alone; it holds no paths, times or identifiers. Any number of threads may link at once.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/base/result.h"

namespace frit::codegen {

struct SharedOptions {
  std::string name;                  // DT_SONAME
  std::vector<std::string> exports;  // functions that the library shows; everything else stays inside
};

// Objects for one machine, x86-64 or AArch64. Undefined functions must be of libc, of libm or of the cblas interface,
// and the library says which of them it needs.
Result<std::string> link_shared(std::span<const std::string> objects, const SharedOptions& options);

}  // namespace frit::codegen
