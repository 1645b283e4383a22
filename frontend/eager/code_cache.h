// The process's cache of machine code: canonical graph and target in, executable out.
//
// Functions that trace to the same graph share code, and so does eager evaluation. A graph is compiled once, however
// many threads ask for it at the same time: the others wait. On a miss the disk is tried (frontend/eager/code_store.h)
// before the compiler. The cache holds at most kCodeCacheSize executables of kCodeCacheBytes in all and drops the least
// recently used ones; an executable in use stays alive.
#pragma once

#include <memory>

#include "frontend/frit/compile.h"
#include "ir/graph/graph.h"
#include "runtime/execute/executable.h"

namespace frit::detail {

inline constexpr size_t kCodeCacheSize = 2048;
inline constexpr size_t kCodeCacheBytes = size_t{256} << 20;  // of machine code and constants; the initial bound

using ExecutablePtr = std::shared_ptr<const runtime::Executable>;

// The origin of code: the memory of this process, the disk, or a compilation just now.
enum class CodeOrigin : uint8_t { Memory, Disk, Compiled };

// Compiles `f`, or finds the code of an equal graph. `f` is consumed.
Result<ExecutablePtr> code_for(ir::Function f, CompileMode mode, CodeOrigin* origin = nullptr);

struct CodeCacheStats {
  size_t entries, hits;
  size_t misses;                  // compilations: neither in memory nor on disk
  size_t disk_hits, disk_misses;  // both 0 if the disk cache is off
  size_t bytes;                   // of the entries' machine code and constants
};
CodeCacheStats code_cache_stats();
// Returns the previous bound.
size_t set_code_cache_bytes(size_t bytes);

// The passes of a mode: all of them, or those up to the fused graph.
std::string_view pipeline_text(CompileMode mode);
std::string_view graph_pipeline_text(CompileMode mode);

}  // namespace frit::detail
