// Reads graphs, writes outputs and reports failures for every subcommand.
#include "frontend/cli/command.h"

#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <mutex>
#include <thread>

#include "ir/read/json.h"
#include "ir/read/parser.h"
#include "ir/verify/verifier.h"
#include "runtime/execute/gpu.h"
#include "runtime/files/file.h"

namespace frit::cli {

void fail(const Diagnostic& d, std::string_view source_text) { throw Failure{d.render(source_text)}; }

void check(const Status& s) {
  if (!s.ok()) fail(s.error());
}

bool is_package(const std::string& path) {
  // Bytes that are read from a pipe cannot be read again.
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::ifstream in(path, std::ios::binary);
  char start[8] = {};
  in.read(start, sizeof start);
  return std::string_view(start, sizeof start) == "FRITPKG\n";
}

Source read_graph(const std::string& path, bool locate) {
  Source s;
  s.name = path == "-" ? "<stdin>" : path;
  if (path != "-" && is_package(path)) {
    s.package = value_or_fail(runtime::PackageFile::open(path));
    s.text = value_or_fail(s.package->ir());
  } else if (path == "-") {
    s.text.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else {
    // A pipe that this process was given (/dev/fd/3) has no path of its own. One in a folder may have no writer: it is
    // refused, as devices are, rather than waited for.
    std::error_code unnamed;
    (void)std::filesystem::canonical(path, unnamed);
    std::error_code missing;
    if (!unnamed || !std::filesystem::exists(path, missing)) {
      s.text = value_or_fail(runtime::MappedFile::open(path))->bytes();
    } else {
      std::ifstream in(path, std::ios::binary);
      s.text.assign(std::istreambuf_iterator<char>(in), {});
      if (!in.is_open() || in.bad()) fail({"cannot read '" + path + "'"});
    }
  }
  if (!s.package && s.text.starts_with("FRITPKG\n"))
    fail({"'" + s.name + "' is a package that comes through a pipe", {}, "give the file itself"});
  if (s.text.starts_with("\177ELF"))
    fail({"'" + s.name + "' is machine code, which keeps no graph",
          {},
          "give the graph or the package (.frit, .fritpkg) that it was compiled from"});
  s.module = value_or_fail(ir::read_module(s.text, s.name.c_str(), locate && !s.package), s.text);
  if (Status v = ir::verify(*s.module); !v.ok()) fail(v.error(), s.text);
  return s;
}

runtime::NamedTensors read_weights(const Source& source) {
  if (source.package) return value_or_fail(source.package->weights());
  if (source.module->weights.empty()) return {};
  return value_or_fail(runtime::read_safetensors(value_or_fail(runtime::beside(source.name, source.module->weights))));
}

ir::Function& pick_function(ir::Module& m, const std::string& name) {
  if (m.functions.empty()) fail({"the file holds no function"});
  if (name.empty()) {
    if (m.functions.size() == 1) return *m.functions[0];
    std::string names;
    for (const auto& f : m.functions) names += (names.empty() ? "" : ", ") + f->name;
    fail({"the file holds " + std::to_string(m.functions.size()) + " functions",
          {},
          "choose one with --function: " + names});
  }
  if (ir::Function* f = m.find(name)) return *f;
  fail({"no function '" + name + "' in the file"});
}

void write_output(const std::string& path, std::string_view bytes) {
  if (path.empty() || path == "-") {
    std::cout.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    std::cout.flush();
    if (!std::cout) fail({"cannot write to standard output"});
    return;
  }
  check(runtime::write_file(path, bytes));
}

struct Progress::State {
  std::mutex mutex;
  std::condition_variable wake;
  std::string what;
  bool done = false;
  bool shown = false;
  std::thread thread;
};

Progress::Progress(std::string what) {
  if (!isatty(STDERR_FILENO)) return;
  state_ = std::make_unique<State>();
  state_->what = std::move(what);
  state_->thread = std::thread([s = state_.get()] {
    std::unique_lock lock(s->mutex);
    for (int seconds = 1; !s->wake.wait_for(lock, std::chrono::seconds(1), [s] { return s->done; }); ++seconds) {
      std::fprintf(stderr, "\r\033[K%s ... %d s", s->what.c_str(), seconds);
      s->shown = true;
    }
  });
}

void Progress::set(std::string what) {
  if (!state_) return;
  const std::lock_guard lock(state_->mutex);
  state_->what = std::move(what);
}

Progress::~Progress() {
  if (!state_) return;
  {
    std::lock_guard lock(state_->mutex);
    state_->done = true;
  }
  state_->wake.notify_all();
  state_->thread.join();
  if (state_->shown) std::fprintf(stderr, "\r\033[K");
}

Compiled lower(ir::Function& f, const codegen::Target& target) {
  Compiled c;
  c.context.collect_remarks = true;
  codegen::Backend* backend = value_or_fail(codegen::find_backend(target.backend));
  c.context.target = value_or_fail(backend->traits(target));
  passes::RunOptions options;
  options.timings = &c.timings;
  check(passes::run(passes::Pipeline::standard(), f, c.context, options));
  return c;
}

void add_device_option(CLI::App& command, std::string& device) {
  std::vector<std::string> names{"cpu"};
  std::map<std::string, std::string> also;
  for (const std::string& gpu : runtime::gpu_devices())
    if (codegen::backend_of_device(gpu)) {
      names.push_back(gpu);
      also.emplace("gpu", gpu);
    }
  CLI::Option* option = command.add_option("--device", device, "the device to run on, or FRIT_DEVICE")
                            ->transform(CLI::Transformer(also))
                            ->check(CLI::IsMember(names))
                            ->default_str("cpu");
  // Read here and not by the library of options, whose error would blame --device.
  command.parse_complete_callback([option, names, also, &device] {
    const char* set = std::getenv("FRIT_DEVICE");
    if (option->count() > 0 || !set || !*set) return;
    const auto found = also.find(set);
    device = found == also.end() ? set : found->second;
    if (const std::string wrong = CLI::IsMember(names)(device); !wrong.empty())
      throw CLI::ValidationError("FRIT_DEVICE", wrong);
  });
}

}  // namespace frit::cli
