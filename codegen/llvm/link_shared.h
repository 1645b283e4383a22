// Links relocatable objects of generated code into a shared library, in memory, without a linker on the machine.
//
// Generated code needs little: code and constants in one piece, a few functions of the C library, exported names, no
// writable data. LLVM's own linker would bring in all of LLVM's optimiser for link-time optimisation, three times the
// size of this plugin. This linker knows the relocations of runtime/load/relocate.h; everything else is an error. The
// result depends on the objects and the options alone; it holds no paths, times or identifiers. Any number of threads
// may link at once.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/base/result.h"

namespace frit::codegen {

struct SharedOptions {
  std::string name;                  // DT_SONAME
  std::vector<std::string> exports;  // the exported functions; all others stay local
};

// Links objects for one machine, x86-64 or AArch64. Undefined functions must belong to libc, libm or the cblas
// interface, and the library names the ones that it needs.
Result<std::string> link_shared(std::span<const std::string> objects, const SharedOptions& options);

}  // namespace frit::codegen
