// Where code comes from that this process does not have: the disk, else the compiler.
#pragma once

#include "frontend/eager/code_cache.h"

namespace frit::detail {

struct MadeCode {
  ExecutablePtr executable;
  size_t bytes = 0;  // of machine code and constants
  CodeOrigin origin = CodeOrigin::Compiled;
  std::string key, image;  // what `keep_code` writes; empty when there is nothing to write
};

// `f` is in canonical order and is consumed.
Result<MadeCode> make_code(ir::Function f, CompileMode mode);

// Writes new code to the disk. Apart, so that others who wait for the code need not wait for the disk.
void keep_code(const MadeCode& code);

struct DiskStats {
  size_t hits, misses;
};
DiskStats disk_stats();

}  // namespace frit::detail
