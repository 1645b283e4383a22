// Builds the request of a page from a function's traces.
#include "frontend/compile/report.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "codegen/report/report.h"
#include "frontend/compile/compiled_state.h"
#include "frontend/compile/explain.h"
#include "frontend/eager/code_store.h"
#include "ir/routines/routine.h"
#include "runtime/execute/gpu.h"
#include "runtime/execute/library.h"
#include "runtime/files/file.h"

namespace frit::detail {

namespace {

// A tensor for a timed run: halves, or ones. Empty where a size is not known.
std::optional<runtime::Tensor> sample(Dtype dtype, const Shape& shape) {
  runtime::Tensor t;
  t.dtype = dtype;
  int64_t count = 1;
  for (ShapeElem n : shape) {
    if (n < 0) return std::nullopt;
    t.shape.push_back(n);
    count *= n;
  }
  t.strides.resize(t.shape.size());
  int64_t stride = 1;
  for (size_t i = t.shape.size(); i-- > 0;) t.strides[i] = stride, stride *= t.shape[i];
  auto buffer = runtime::Buffer::allocate(static_cast<size_t>(count) * dtype.size());
  if (!buffer.ok()) return std::nullopt;
  t.buffer = *std::move(buffer);
  const Dtype part = is_complex(dtype) ? float32 : dtype;
  const uint64_t bits = ir::double_to_bits(part, is_inexact(part) ? 0.5 : 1);
  auto* bytes = static_cast<std::byte*>(t.buffer->data());
  for (int64_t i = 0; i < count * dtype.size() / part.size(); ++i)
    std::copy_n(reinterpret_cast<const std::byte*>(&bits), part.size(), bytes + i * part.size());
  return t;
}

std::vector<runtime::Tensor> inputs_of(const CompiledEntry& entry) {
  std::vector<runtime::Tensor> inputs;
  for (const auto& [dtype, shape] : entry.signature().arguments) {
    auto t = sample(dtype, shape);
    if (!t) return {};
    inputs.push_back(*std::move(t));
  }
  inputs.insert(inputs.end(), entry.traced().captured.begin(), entry.traced().captured.end());
  return inputs;
}

codegen::ReportHistory history_of(const CompiledState& state) {
  codegen::ReportHistory h;
  for (const auto& entry : state.entries()) {
    codegen::ReportHistory::Trace& t = h.traces.emplace_back();
    t.number = entry->number;
    t.signature = describe(*entry);
    if (!entry->fixed_because.empty()) t.sentences.push_back("for these sizes alone: " + entry->fixed_because);
  }
  h.misses = state.misses();
  const FunctionStats s = state.stats();
  const auto counters = {std::pair{"calls", s.calls},
                         {"hits", s.hits},
                         {"traces", s.traces},
                         {"compiles", s.compiles},
                         {"entries", s.entries}};
  for (const auto& [name, value] : counters) h.counters.emplace_back(name, static_cast<double>(value));
  const CodeCacheStats c = code_cache_stats();
  h.counters.emplace_back("process: code found in memory", static_cast<double>(c.hits));
  h.counters.emplace_back("process: code found on disk", static_cast<double>(c.disk_hits));
  h.counters.emplace_back("process: code compiled", static_cast<double>(c.misses));
  h.stage_ms.emplace_back("traces, all of this function", s.trace_ms);
  return h;
}

struct Remembered {
  std::mutex mutex;
  std::vector<std::shared_ptr<CompiledState>> states;
};
// Never destroyed: the pages are written while the process ends.
Remembered& remembered() {
  static auto* r = new Remembered;
  return *r;
}

const char* report_folder() {
  static const char* folder = [] {
    const char* f = secure_getenv("FRIT_REPORT");
    return f && *f ? f : nullptr;
  }();
  return folder;
}

std::string file_name(const std::string& name) {
  std::string out;
  for (char c : name) out += std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' ? c : '_';
  return out;
}

void write_pages(const std::string& folder) {
  std::vector<codegen::ReportLink> links;
  try {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw RuntimeError("FRIT_REPORT: cannot make the folder '" + folder + "': " + error.message(), "");
    std::map<std::string, int> taken;
    std::vector<std::shared_ptr<CompiledState>> states;
    {
      const std::lock_guard lock(remembered().mutex);
      states = remembered().states;
    }
    for (const auto& state : states) {
      if (state->cache_size() == 0) continue;
      std::string file = file_name(state->name());
      if (const int before = taken[file]++) file += "_" + std::to_string(before + 1);
      file += ".html";
      write_report(*state, folder + "/" + file);
      const FunctionStats s = state->stats();
      links.push_back(
          {file, state->name(),
           std::to_string(s.calls) + " calls, " + std::to_string(s.traces) + (s.traces == 1 ? " trace" : " traces")});
    }
    if (Status s = runtime::write_file(folder + "/index.html", codegen::report_index(links)); !s)
      throw RuntimeError(s.error().message, "");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "frit: %s\n", e.what());
  }
}

void write_remembered() {
  static std::once_flag written;
  std::call_once(written, [] { write_pages(report_folder()); });
}

}  // namespace

void write_report(const CompiledState& state, const std::string& path) {
  const auto entries = state.entries();
  if (entries.empty())
    throw InvalidArgument(state.name() + ": nothing is traced yet, so there is nothing to report",
                          "call the function, or use compile_ahead");
  const auto last = std::max_element(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return a->last_used.load(std::memory_order_relaxed) < b->last_used.load(std::memory_order_relaxed);
  });
  const CompiledEntry& entry = **last;
  codegen::ReportRequest request;
  request.function = &entry.traced().function;
  request.title = state.name();
  request.options.target = target_of(entry.device_type());
  request.options.fuse = entry.mode() != CompileMode::no_fuse;
  request.inputs = inputs_of(entry);
  request.history = history_of(state);
  const codegen::Report report = codegen::make_report(request);
  const bool json = path.ends_with(".json");
  const Status s =
      runtime::write_file(path, json ? report.json + "\n" : codegen::report_page(report.json, request.title));
  if (!s) throw RuntimeError("report: " + s.error().message, "give a path in a folder that can be written");
}

void report_before_driver_ends(const CompiledEntry& entry) {
  if (!report_folder()) return;
  static std::mutex mutex;
  static auto& seen = *new std::set<const CompiledEntry*>;
  const std::lock_guard lock(mutex);
  if (!seen.insert(&entry).second) return;
  // The driver compiles shaders while they run.
  if (runtime::Gpu* gpu = runtime::known_gpu(); gpu && !gpu->synchronize().ok()) return;
  std::atexit(write_remembered);
}

void remember_for_report(const std::shared_ptr<CompiledState>& state) {
  if (!report_folder()) return;
  // Plugins are opened first, so that their statics are destroyed after the pages are written.
  static const bool registered = [] {
    (void)codegen::find_backend(codegen::cpu_backend());
    std::string why;
    for (const ir::Routine* r : ir::all_routines()) runtime::find_library(r->name, why);
    return std::atexit(write_remembered) == 0;
  }();
  (void)registered;
  const std::lock_guard lock(remembered().mutex);
  auto& all = remembered().states;
  if (std::find(all.begin(), all.end(), state) == all.end()) all.push_back(state);
}

}  // namespace frit::detail
