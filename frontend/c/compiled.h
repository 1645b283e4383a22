// Compiled closures of the C interface.
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/c/convert.h"

namespace frit::c {

ClosureObject compiled_closure(const ClosureObject& fun, CompileOptions options);
inline void put_compiled(mlx_closure* res, const ClosureObject& fun, bool shapeless) {
  CompileOptions options;
  options.shapeless = shapeless;
  put_object(res, compiled_closure(fun, std::move(options)));
}

// Closures of one identity and equal constants share their traces, until these are dropped.
void put_shared_compiled(mlx_closure* res, const ClosureObject& fun, std::uintptr_t fun_id, bool shapeless,
                         std::vector<uint64_t> constants);
void erase_shared_compiled(std::uintptr_t fun_id);
void clear_shared_compiled();

CompileMode compile_mode(mlx_compile_mode mode);

}  // namespace frit::c
