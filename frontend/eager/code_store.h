// Code that this process does not have yet: from the disk, else from the compiler.
#pragma once

#include "codegen/core/backend.h"
#include "frontend/eager/code_cache.h"
#include "frontend/frit/stream.h"

namespace frit::detail {

struct MadeCode {
  ExecutablePtr executable;
  size_t bytes = 0;  // of machine code and constants
  CodeOrigin origin = CodeOrigin::Compiled;
  std::string key, image;  // the output of `keep_code`; empty if there is nothing to write
};

// The backend that makes code for a device: the CPU's where there is no GPU.
codegen::Target target_of(Device::DeviceType device);

// `f` is in canonical order and is consumed.
Result<MadeCode> make_code(ir::Function f, CompileMode mode);

// Writes new code to the disk. It is a separate step, so that other waiting threads need not wait for the disk.
void keep_code(const MadeCode& code);

struct DiskStats {
  size_t hits, misses;
};
DiskStats disk_stats();

}  // namespace frit::detail
