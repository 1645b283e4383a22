// The time of a compiled function's first call in a new process: with its code in the disk cache, without it, and with
// the cache off.
//
// The program starts itself as a child that makes one call of gelu and reports the time and whether LLVM was loaded.
#include <benchmark/benchmark.h>
#include <frit/frit.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace frit;

namespace {

bool llvm_is_loaded() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find("libfrit_codegen_llvm") != std::string::npos) return true;
  return false;
}

// "<nanoseconds> <0 or 1>"
int child() {
  // Not `full`: that is one number with strides of 0, which needs less code.
  const std::vector<float> halves(1024, 0.5f);
  const auto begin = std::chrono::steady_clock::now();
  array x(halves.data(), {1024});
  auto gelu = compile([](array v) { return v * (1 + erf(v * 0.70710678f)) / 2; });
  array y = gelu(x);
  eval(y);
  const auto end = std::chrono::steady_clock::now();
  const bool right = std::abs(y.data<float>()[7] - 0.345731f) < 1e-5f;
  std::printf("%lld %d\n", right ? static_cast<long long>((end - begin).count()) : -1, llvm_is_loaded());
  return right ? 0 : 1;
}

struct Run {
  double call = -1;    // seconds of the first call
  double process = 0;  // of the whole process
  bool llvm = false;
};

Run run_child(const char* cache, const std::string& folder) {
  const auto begin = std::chrono::steady_clock::now();
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(ends[1], 1);
    setenv("FRIT_CACHE", cache, 1);
    setenv("FRIT_CACHE_DIR", folder.c_str(), 1);
    execl("/proc/self/exe", "bench_start", "--child", nullptr);
    _exit(127);
  }
  close(ends[1]);
  char text[64] = {};
  const ssize_t n = read(ends[0], text, sizeof text - 1);
  close(ends[0]);
  int status = 0;
  waitpid(pid, &status, 0);
  Run run;
  long long nanoseconds = -1;
  int llvm = 0;
  if (n > 0 && status == 0 && std::sscanf(text, "%lld %d", &nanoseconds, &llvm) == 2 && nanoseconds >= 0)
    run.call = static_cast<double>(nanoseconds) * 1e-9;
  run.llvm = llvm != 0;
  run.process = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return run;
}

void measure(benchmark::State& state, const char* cache, bool warm) {
  const auto folder = std::filesystem::temp_directory_path() / ("frit-bench-" + std::to_string(getpid()));
  if (warm) run_child(cache, folder);
  double process = 0, llvm = 0;
  for (auto _ : state) {
    if (!warm) std::filesystem::remove_all(folder);
    const Run run = run_child(cache, folder);
    if (run.call < 0) {
      state.SkipWithError("the child failed");
      break;
    }
    state.SetIterationTime(run.call);
    process += run.process * 1e3;
    llvm += run.llvm;
  }
  std::filesystem::remove_all(folder);
  state.counters["process_ms"] = benchmark::Counter(process, benchmark::Counter::kAvgIterations);
  state.counters["llvm_loaded"] = benchmark::Counter(llvm, benchmark::Counter::kAvgIterations);
}

void first_gelu_call_warm_cache(benchmark::State& state) { measure(state, "on", true); }
void first_gelu_call_empty_cache(benchmark::State& state) { measure(state, "on", false); }
void first_gelu_call_no_cache(benchmark::State& state) { measure(state, "off", true); }
BENCHMARK(first_gelu_call_warm_cache)
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime()
    ->Iterations(1)
    ->Repetitions(21)
    ->ReportAggregatesOnly();
BENCHMARK(first_gelu_call_empty_cache)
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime()
    ->Iterations(1)
    ->Repetitions(11)
    ->ReportAggregatesOnly();
BENCHMARK(first_gelu_call_no_cache)
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime()
    ->Iterations(1)
    ->Repetitions(11)
    ->ReportAggregatesOnly();

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--child") == 0) return child();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
