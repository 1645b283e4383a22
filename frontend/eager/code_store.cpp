// Code from the disk cache or from the compiler.
#include "frontend/eager/code_store.h"

#include <cstdio>

#include "codegen/core/cache_key.h"
#include "codegen/core/crash_file.h"
#include "codegen/core/watch.h"
#include "frontend/core/log.h"
#include "frontend/core/node.h"
#include "runtime/execute/gpu.h"
#include "runtime/load/disk_cache.h"

namespace frit::detail {

namespace {

// Never destroyed: code may be made in threads that outlive main.
runtime::DiskCache& disk() {
  static auto* cache = new runtime::DiskCache(runtime::DiskCacheOptions::from_environment(), [](std::string_view line) {
    if (logs(Topic::Cache)) log(Topic::Cache, "disk cache: " + std::string(line));
  });
  return *cache;
}

std::string_view name(CompileMode mode) {
  switch (mode) {
    case CompileMode::disabled: return "disabled";
    case CompileMode::no_simplify: return "no_simplify";
    case CompileMode::no_fuse: return "no_fuse";
    case CompileMode::enabled: return "enabled";
  }
  return "";
}

struct Signature {
  std::vector<runtime::Image::Input> inputs, results;

  explicit Signature(const ir::Function& f) {
    for (ir::ValueId v : f.params) inputs.push_back(entry(f.type(v)));
    for (ir::ValueId v : f.results) results.push_back(entry(f.type(v)));
  }
  bool fits(const runtime::Image& image) const {
    if (image.inputs != inputs || image.plan.results.size() != results.size()) return false;
    for (size_t i = 0; i < results.size(); ++i)
      if (image.plan.results[i].dtype != results[i].dtype || image.plan.results[i].shape.size() != results[i].rank)
        return false;
    return true;
  }

 private:
  static runtime::Image::Input entry(const ir::Type& t) { return {t.dtype, static_cast<uint32_t>(t.rank())}; }
};

size_t bytes_of(const runtime::Image& image) {
  size_t bytes = 0;
  for (const runtime::ObjectCode& o : image.objects) bytes += o.object.size();
  for (const runtime::BufferPlan& b : image.plan.buffers)
    if (b.constant) bytes += b.constant->bytes();
  return bytes;
}

Result<MadeCode> ready(runtime::Image image, CodeOrigin origin) {
  MadeCode made;
  made.bytes = bytes_of(image);
  made.origin = origin;
  FRIT_ASSIGN_OR_RETURN(executable, runtime::load_image(std::move(image)));
  made.executable = std::move(executable);
  return made;
}

// The disk's entry for `key`. An entry that does not fit is removed: its key is right, so no other function can use it.
std::optional<MadeCode> find(const std::string& key, const Signature& signature, const std::string& name) {
  auto payload = disk().load(key);
  if (!payload) return std::nullopt;
  std::string why = "it has another signature";
  if (auto image = runtime::read_image(*payload); !image.ok()) {
    why = image.error().message;
  } else if (signature.fits(*image)) {
    image->plan.name = name;
    auto made = ready(*std::move(image), CodeOrigin::Disk);
    if (made.ok()) return *std::move(made);
    why = made.error().message;
  }
  disk().reject(key, why);
  return std::nullopt;
}

Result<runtime::Image> compile(ir::Function& f, CompileMode mode, const codegen::Target& target) {
  FRIT_ASSIGN_OR_RETURN(backend, codegen::find_backend(target.backend));
  FRIT_TRY(backend->runs_here(target));
  FRIT_ASSIGN_OR_RETURN(traits, backend->traits(target));
  FRIT_ASSIGN_OR_RETURN(pipeline, passes::Pipeline::parse(pipeline_text(mode)));
  passes::PassContext context;
  context.target = traits;
  context.fuse = mode != CompileMode::no_fuse;
  passes::RunOptions options = codegen::watched_run();
  std::vector<passes::PassTiming> timings;
  if (logs(Topic::Passes)) options.timings = &timings;
  FRIT_TRY(passes::run(pipeline, f, context, options));
  for (const passes::PassTiming& t : timings) {
    char line[160];
    std::snprintf(line, sizeof line, ": %s took %.3f ms, %zu ops became %zu", t.pass.c_str(), t.milliseconds,
                  t.ops_before, t.ops_after);
    log(Topic::Passes, f.name + line);
  }
  return codegen::make_image(f, target);
}

}  // namespace

codegen::Target target_of(Device::DeviceType device) {
  if (device == Device::gpu)
    if (auto gpu = runtime::device_name("gpu"); gpu.ok()) return codegen::target_for(*gpu);
  return {};
}

Result<MadeCode> make_code(ir::Function f, CompileMode mode) {
  const codegen::Target target = target_of(running_device());
  std::optional<std::string> key;
  if (disk().enabled()) {
    key = codegen::cache_key(f, name(mode), target);
    if (key)
      if (auto found = find(*key, Signature(f), f.name)) return *std::move(found);
  }
  codegen::CrashFile crash(f, {target, mode != CompileMode::no_fuse});
  Result<runtime::Image> compiled = compile(f, mode, target);
  if (!compiled.ok()) {
    crash.failed(compiled.error());
    return std::move(compiled.error());
  }
  runtime::Image image = *std::move(compiled);
  std::string bytes = key ? runtime::write_image(image) : std::string();
  FRIT_ASSIGN_OR_RETURN(made, ready(std::move(image), CodeOrigin::Compiled));
  if (key) {
    made.key = *std::move(key);
    made.image = std::move(bytes);
  }
  return made;
}

void keep_code(const MadeCode& code) {
  if (!code.image.empty()) disk().store(code.key, code.image);
}

DiskStats disk_stats() {
  const auto stats = disk().stats();
  return {stats.hits, stats.misses};
}

}  // namespace frit::detail
