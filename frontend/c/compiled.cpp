// Compiled closures, and the table of those that share traces by an identity.
#include "frontend/c/compiled.h"

#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace frit::c {

ClosureObject compiled_closure(const ClosureObject& fun, CompileOptions options) {
  CompiledFunction compiled(fun.value, std::move(options));
  return {[compiled](const Arrays& inputs) { return compiled(inputs); }, compiled};
}

namespace {

using Traits = std::pair<bool, std::vector<uint64_t>>;  // shapeless, constants

// Never destroyed, as compiled functions may run until the end of the process.
struct Shared {
  std::mutex mutex;
  std::unordered_map<std::uintptr_t, std::map<Traits, CompiledFunction>> functions;
};
Shared& shared() {
  static Shared& table = *new Shared;
  return table;
}

CompiledFunction find_or_add(const std::function<Arrays(const Arrays&)>& fun, std::uintptr_t id, const Traits& traits) {
  const std::lock_guard<std::mutex> guard(shared().mutex);
  auto& functions = shared().functions[id];
  if (const auto found = functions.find(traits); found != functions.end()) return found->second;
  CompileOptions options;
  options.shapeless = traits.first;
  return functions.emplace(traits, CompiledFunction(fun, std::move(options))).first->second;
}

}  // namespace

void put_shared_compiled(mlx_closure* res, const ClosureObject& fun, std::uintptr_t fun_id, bool shapeless,
                         std::vector<uint64_t> constants) {
  Traits traits{shapeless, std::move(constants)};
  put(res, [fun = fun.value, fun_id, traits = std::move(traits)](const Arrays& inputs) {
    return find_or_add(fun, fun_id, traits)(inputs);
  });
}

void erase_shared_compiled(std::uintptr_t fun_id) {
  decltype(Shared::functions)::mapped_type dropped;  // outside of the lock: destructors of payloads are the program's
  const std::lock_guard<std::mutex> guard(shared().mutex);
  if (const auto found = shared().functions.find(fun_id); found != shared().functions.end()) {
    dropped = std::move(found->second);
    shared().functions.erase(found);
  }
}

void clear_shared_compiled() {
  decltype(Shared::functions) dropped;
  const std::lock_guard<std::mutex> guard(shared().mutex);
  dropped.swap(shared().functions);
}

CompileMode compile_mode(mlx_compile_mode mode) {
  switch (mode) {
    case MLX_COMPILE_MODE_DISABLED: return CompileMode::disabled;
    case MLX_COMPILE_MODE_NO_SIMPLIFY: return CompileMode::no_simplify;
    case MLX_COMPILE_MODE_NO_FUSE: return CompileMode::no_fuse;
    case MLX_COMPILE_MODE_ENABLED: return CompileMode::enabled;
  }
  throw InvalidArgument("'mode' is " + std::to_string(static_cast<int>(mode)) + ", which is no mlx_compile_mode");
}

}  // namespace frit::c
