// Keys of compiled code.
#include "codegen/core/cache_key.h"

#include <map>
#include <mutex>

#include "ir/routines/host_call.h"
#include "ir/text/printer.h"
#include "runtime/execute/gpu.h"
#include "runtime/system/announce.h"
#include "runtime/system/build_identity.h"
#include "runtime/system/cpu.h"

#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

namespace frit::codegen {

namespace {

std::string describe(const Target& target) {
  std::string text = "frit " + runtime::loaded_identity();
  text += "\nbackend " + target.backend + " cpu " + target.cpu + ": " +
          runtime::file_identity(backend_file(target.backend));
  text += "\nmachine " + runtime::cpu_identity();
  // Passes ask the processor too, whatever the device.
  if (const BackendFacts* facts = facts_of(target.backend); facts && facts->device != "cpu")
    text += "\ndevice " + facts->device + " " + runtime::device_identity(facts->device);
#if defined(__GLIBC__)
  // Folding of constants may ask it.
  text += "\nlibc " + std::string(gnu_get_libc_version());
#endif
  return text + "\n";
}

size_t constant_bytes(const ir::Function& f) {
  size_t bytes = 0;
  for (const ir::Op& op : f.ops)
    for (const auto& [name, value] : op.attrs)
      if (const auto* literal = std::get_if<ir::Literal>(&value)) bytes += literal->nbytes();
  return bytes;
}

}  // namespace

const std::string& compiler_identity(const Target& target) {
  static std::mutex mutex;
  static auto* known = new std::map<std::pair<std::string, std::string>, std::string>;
  std::lock_guard lock(mutex);
  auto [found, added] = known->try_emplace({target.backend, target.cpu});
  if (added) found->second = describe(target);
  return found->second;
}

std::optional<std::string> cache_key(const ir::Function& f, std::string_view options, const Target& target) {
  if (constant_bytes(f) > kMaxKeyConstants || ir::find_host_call(f)) return std::nullopt;
  ir::Function plain = f;
  plain.name = "f";
  for (size_t i = 0; i < plain.params.size(); ++i) plain.values[plain.params[i]].name = "x" + std::to_string(i);
  // Code with source lines serves the same lines alone.
  const bool lines = runtime::source_lines_wanted();
  return compiler_identity(target) + "options " + std::string(options) + (lines ? " lines\n" : "\n") +
         ir::print(plain, {.locations = lines});
}

}  // namespace frit::codegen
