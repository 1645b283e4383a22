// Shared libraries compared with the code that a process compiles for itself: offline_native GRAPHS_FOLDER.
//
// For each function: the size of the library, the time to make it, and one call of it against one run of the same graph
// by an Executable, both in one thread, on the same arrays, in turns. Times are the least of many.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "codegen/core/backend.h"
#include "ir/read/parser.h"
#include "runtime/execute/parallel.h"

using namespace frit;

namespace {

using Clock = std::chrono::steady_clock;
using Entry = int (*)(const float*, float*, int64_t, int64_t, void*, const char**);
using Workspace = size_t (*)(int64_t, int64_t);

double microseconds(Clock::time_point from) {
  return std::chrono::duration<double, std::micro>(Clock::now() - from).count();
}

template <class T>
T or_exit(Result<T> r) {
  if (r.ok()) return *std::move(r);
  std::fprintf(stderr, "%s\n", r.error().str().c_str());
  std::exit(1);
}

ir::Function planned(const ir::Function& f, const passes::TargetTraits& traits) {
  ir::Function out = f;
  passes::PassContext context;
  context.target = traits;
  const Status done = passes::run(passes::Pipeline::standard(), out, context);
  if (!done.ok()) std::fprintf(stderr, "%s\n", done.error().str().c_str()), std::exit(1);
  return out;
}

// The least times of two ways, in turns for a second.
std::pair<double, double> race(const std::function<void()>& a, const std::function<void()>& b) {
  double best[2] = {1e300, 1e300};
  const auto until = Clock::now() + std::chrono::seconds(1);
  for (int round = 0; round < 20 || Clock::now() < until; ++round)
    for (int way = 0; way < 2; ++way) {
      const auto start = Clock::now();
      (way ? b : a)();
      best[way] = std::min(best[way], microseconds(start));
    }
  return {best[0], best[1]};
}

void measure(codegen::Backend& backend, const std::string& folder, const std::string& name) {
  std::stringstream text;
  text << std::ifstream(folder + "/" + name + ".frit").rdbuf();
  auto module = or_exit(ir::parse(text.str(), "graph"));
  const ir::Function& f = *module->functions.at(0);
  const codegen::Target target;
  const codegen::NativeOptions options{.name = name};

  double made_in = 1e300;
  std::vector<codegen::NativeFile> files;
  for (int i = 0; i < 5; ++i) {
    const auto start = Clock::now();
    const ir::Function native = planned(f, or_exit(backend.native_traits(target, options)));
    const ir::Function* functions[] = {&native};
    files = or_exit(backend.emit_native(functions, target, "shared", options));
    made_in = std::min(made_in, microseconds(start) / 1000);
  }
  const std::string file = std::filesystem::temp_directory_path() / (name + "_" + std::to_string(getpid()) + ".so");
  for (const auto& made : files)
    if (made.suffix == ".so") {
      std::ofstream(file, std::ios::binary) << made.bytes;
      std::printf("%s: %zu bytes, made in %.1f ms\n", name.c_str(), made.bytes.size(), made_in);
    }
  void* library = dlopen(file.c_str(), RTLD_NOW);
  if (!library) std::fprintf(stderr, "%s\n", dlerror()), std::exit(1);
  std::filesystem::remove(file);
  const auto entry = reinterpret_cast<Entry>(dlsym(library, name.c_str()));
  const auto workspace_of = reinterpret_cast<Workspace>(dlsym(library, (name + "_workspace").c_str()));

  const ir::Function here = planned(f, or_exit(backend.traits(target)));
  const auto executable = or_exit(codegen::build(here, target));
  for (const auto& [n, m] : {std::pair<int64_t, int64_t>{1, 64}, {64, 256}, {512, 1024}, {4096, 4096}}) {
    const size_t bytes = static_cast<size_t>(n * m) * sizeof(float);
    auto x = or_exit(runtime::Buffer::allocate(bytes)), out = or_exit(runtime::Buffer::allocate(bytes));
    auto memory = or_exit(runtime::Buffer::allocate(std::max<size_t>(64, workspace_of(m, n))));
    for (int64_t i = 0; i < n * m; ++i) static_cast<float*>(x->data())[i] = static_cast<float>(i % 1000) / 250 - 2;
    const runtime::Tensor input{x, float32, {n, m}, {m, 1}, 0};
    std::vector<runtime::Tensor> results(1);
    const auto jit = [&] {
      if (!executable->run({&input, 1}, {}, results).ok()) std::exit(1);
    };
    const auto native = [&] {
      const char* message = nullptr;
      if (entry(static_cast<const float*>(x->data()), static_cast<float*>(out->data()), m, n, memory->data(), &message))
        std::exit(1);
    };
    jit();
    native();
    if (std::memcmp(results[0].buffer->data(), out->data(), bytes) != 0)
      std::fprintf(stderr, "results differ\n"), std::exit(1);
    const auto [a, b] = race(jit, native);
    std::printf("  (%lld, %lld): here %.2f us, library %.2f us, ratio %.3f\n", static_cast<long long>(n),
                static_cast<long long>(m), a, b, b / a);
  }
  dlclose(library);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: offline_native GRAPHS_FOLDER\n"), 2;
  runtime::set_num_threads(1);
  codegen::Backend* backend = or_exit(codegen::find_backend("llvm"));
  for (const char* name : {"gelu", "softmax"}) measure(*backend, argv[1], name);
}
