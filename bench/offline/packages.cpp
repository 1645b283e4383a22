// Packages compared with the code that a process compiles for itself: offline_packages GRAPHS_FOLDER.
//
// For each function, on all threads: one run of an executable compiled here, and of the package's code as the runtime
// loads it (for this processor, and for each level that runs here). Both write results to the caller's memory. The
// times are medians, in turns. The times of the parts of loading follow.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <vector>

#include "codegen/package/package.h"
#include "ir/read/parser.h"
#include "runtime/load/package.h"
#include "runtime/system/cpu.h"

using namespace frit;

namespace {

using Clock = std::chrono::steady_clock;

double microseconds(Clock::time_point from) {
  return std::chrono::duration<double, std::micro>(Clock::now() - from).count();
}

template <class T>
T or_exit(Result<T> r) {
  if (r.ok()) return *std::move(r);
  std::fprintf(stderr, "%s\n", r.error().str().c_str());
  std::exit(1);
}
void or_exit(const Status& s) {
  if (!s.ok()) std::fprintf(stderr, "%s\n", s.error().str().c_str()), std::exit(1);
}

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

void measure(const std::string& folder, const std::string& name) {
  std::stringstream text;
  text << std::ifstream(folder + "/" + name + ".frit").rdbuf();
  auto module = or_exit(ir::parse(text.str(), "graph"));
  ir::Function here = *module->functions.at(0);
  const auto executable = or_exit(codegen::compile(here, {}));
  const std::string file =
      std::filesystem::temp_directory_path() / (name + "_" + std::to_string(getpid()) + ".fritpkg");
  std::vector<std::string> cpus{"native"};
  for (const char* level : {"x86-64-v4", "x86-64-v3", "x86-64-v2"})
    if (runtime::cpu_runs(level)) cpus.emplace_back(level);
  std::vector<std::shared_ptr<const runtime::PackagedFunction>> packed;
  for (const std::string& cpu : cpus) {
    or_exit(runtime::write_package(file, or_exit(codegen::make_package(*module, {}, {{{"llvm", cpu}}}))));
    packed.push_back(or_exit(or_exit(runtime::Package::load(file, "cpu"))->find(name)));
  }
  std::printf("%s:\n", name.c_str());
  for (const auto& [n, m] : {std::pair<int64_t, int64_t>{1, 64}, {64, 256}, {512, 1024}, {4096, 4096}}) {
    const size_t bytes = static_cast<size_t>(n * m) * sizeof(float);
    auto x = or_exit(runtime::Buffer::allocate(bytes));
    const std::vector<std::shared_ptr<runtime::Buffer>> into{or_exit(runtime::Buffer::allocate(bytes))};
    for (int64_t i = 0; i < n * m; ++i) static_cast<float*>(x->data())[i] = static_cast<float>(i % 1000) / 250 - 2;
    const runtime::Tensor input{x, float32, {n, m}, {m, 1}, 0};
    std::vector<runtime::Tensor> results(1);
    std::vector<std::function<void()>> ways{[&] { or_exit(executable->run({&input, 1}, {}, results, into)); }};
    for (const auto& f : packed) ways.emplace_back([&] { or_exit(f->run({&input, 1}, into, results)); });
    std::vector<std::vector<double>> times(ways.size());
    const auto until = Clock::now() + std::chrono::seconds(1);
    for (int round = 0; round < 20 || Clock::now() < until; ++round)
      for (size_t w = 0; w < ways.size(); ++w) {
        const auto start = Clock::now();
        ways[w]();
        times[w].push_back(microseconds(start));
      }
    std::printf("  (%lld, %lld): here %.2f us", static_cast<long long>(n), static_cast<long long>(m), median(times[0]));
    for (size_t w = 1; w < ways.size(); ++w)
      std::printf(", %s %.3f", cpus[w - 1].c_str(), median(times[w]) / median(times[0]));
    std::printf("\n");
  }
  std::filesystem::remove(file);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: offline_packages GRAPHS_FOLDER\n"), 2;
  for (const char* name : {"gelu", "softmax"}) measure(argv[1], name);
}
