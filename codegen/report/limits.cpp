// Short runs of a copy and of a product of matrices, and their entry in the disk cache.
#include "codegen/report/limits.h"

#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <mutex>

#include "ir/read/parser.h"
#include "runtime/execute/memory_loops.h"
#include "runtime/execute/observe.h"
#include "runtime/execute/parallel.h"
#include "runtime/load/disk_cache.h"
#include "runtime/system/build_identity.h"
#include "runtime/system/cpu.h"

namespace frit::codegen::report {

namespace {

using runtime::now_ns;

constexpr int kRuns = 5;

// Bytes per second of a copy by all threads, far above the caches of one core; each byte is read and written.
double copy_speed() {
  constexpr size_t kBytes = size_t{48} << 20;
  const runtime::Pages from(kBytes), to(kBytes);
  double best = 0;
  for (int i = 0; i < kRuns; ++i) {
    const int64_t begin = now_ns();
    runtime::parallel_copy(to.data(), from.data(), kBytes);
    best = std::max(best, 2e9 * kBytes / static_cast<double>(now_ns() - begin));
  }
  return best;
}

// Seconds of a function of square f32 matrices, the shortest run behind a first one; 0 where it cannot run.
double seconds_of(const std::string& text, int64_t side, const Target& target, runtime::Gpu* gpu) {
  auto module = ir::parse(text, "limits");
  if (!module.ok()) return 0;
  auto code = compile(*(*module)->functions[0], {target});
  if (!code.ok()) return 0;
  std::vector<runtime::Tensor> inputs;
  for (size_t i = 0; i < (*module)->functions[0]->params.size(); ++i) {
    auto buffer = runtime::Buffer::allocate(static_cast<size_t>(side * side) * sizeof(float));
    if (!buffer.ok()) return 0;
    std::fill_n(static_cast<float*>((*buffer)->data()), side * side, 0.5f);
    inputs.push_back({*buffer, float32, {side, side}, {side, 1}, 0});
    if (!gpu) continue;
    auto there = runtime::to_gpu(inputs.back(), *gpu);
    if (!there.ok()) return 0;
    inputs.back() = *std::move(there);
  }
  std::vector<double> seconds;
  if (gpu) gpu->keep_times(runtime::GpuTimes::Whole);
  const auto run = [&]() -> Status {
    FRIT_TRY((*code)->run(inputs));
    return gpu ? gpu->synchronize() : Status();
  };
  for (int i = 0; i <= kRuns; ++i) {
    const int64_t begin = now_ns();
    if (!run()) break;
    double taken = static_cast<double>(now_ns() - begin) / 1e9;
    if (gpu) {
      taken = 0;
      for (const runtime::GpuTime& t : gpu->last_times()) taken += t.milliseconds / 1e3;
    }
    if (i) seconds.push_back(taken);
  }
  if (gpu) gpu->keep_times(runtime::GpuTimes::None);
  return seconds.empty() ? 0 : *std::min_element(seconds.begin(), seconds.end());
}

std::string matrix(int64_t side) { return "f32[" + std::to_string(side) + ", " + std::to_string(side) + "]"; }

// Floating-point operations per second of a product of matrices, the arithmetic that comes nearest to the peak; 0 where
// no library of products is installed.
double product_speed(int64_t side, const Target& target, runtime::Gpu* gpu) {
  const std::string m = matrix(side);
  const double seconds = seconds_of(
      "func @peak(%a: " + m + ", %b: " + m + ") -> " + m + " {\n  %0: " + m + " = matmul %a, %b\n  return %0\n}\n",
      side, target, gpu);
  const auto n = static_cast<double>(side);
  return seconds > 0 ? 2 * n * n * n / seconds : 0;
}

// Bytes per second of a kernel that reads and writes each byte once, on a GPU.
double stream_speed(int64_t side, const Target& target, runtime::Gpu& gpu) {
  const std::string m = matrix(side);
  const double seconds = seconds_of(
      "func @copy(%a: " + m + ") -> " + m + " {\n  %0: " + m + " = negative %a\n  return %0\n}\n", side, target, &gpu);
  return seconds > 0 ? 8 * static_cast<double>(side * side) / seconds : 0;
}

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &utc);
  return text;
}

Json measure(const Target& target, runtime::Gpu* gpu) {
  Json out;
  if (!gpu) {
    out = {{"bytes_per_second", copy_speed()},
           {"flops_per_second", product_speed(512, target, nullptr)},
           {"how", "bytes: a copy of 48 MiB by all threads; arithmetic: a product of 512 by 512 f32 matrices"}};
  } else {
    // A device in software is as slow as a processor.
    const bool slow = gpu->info().kind == "cpu";
    const int64_t bytes = slow ? 2048 : 8192, product = slow ? 256 : 4096;
    out = {{"bytes_per_second", stream_speed(bytes, target, *gpu)},
           {"flops_per_second", product_speed(product, target, gpu)}};
    out["how"] = "on " + gpu->info().name + ", bytes: a kernel over " + std::to_string(bytes) + " by " +
                 std::to_string(bytes) + " f32 elements; arithmetic: a product of " + std::to_string(product) + " by " +
                 std::to_string(product) + " f32 matrices";
  }
  out["measured"] = now_text();
  out["runs"] = kRuns;
  return out;
}

std::string key_of(runtime::Gpu* gpu) {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  std::string key = "limits of a machine\nhost " + std::string(host) + "\ncpu " + runtime::cpu_identity();
  key += "\nthreads " + std::to_string(runtime::num_threads()) + "\nfrit " + runtime::loaded_identity();
  if (gpu) key += "\ngpu " + gpu->info().name;
  return key;
}

// The better of both values, with the time at which one of them was last improved and all runs.
Json best_of(Json found, const Json& before) {
  if (!before.is_object()) return found;
  bool better = false;
  for (const char* value : {"bytes_per_second", "flops_per_second"}) {
    const double old = before.value(value, 0.0);
    if (found[value].get<double>() > old)
      better = true;
    else
      found[value] = old;
  }
  if (!better) found["measured"] = before.value("measured", "");
  found["runs"] = found["runs"].get<int64_t>() + before.value("runs", int64_t{0});
  return found;
}

}  // namespace

Json limits(const Target& target, runtime::Gpu* gpu) {
  static std::mutex mutex;
  static auto& known = *new std::map<std::string, Json>;
  const std::lock_guard lock(mutex);
  const std::string key = key_of(gpu);
  Json& found = known[key];
  if (!found.is_null()) return found;
  found = measure(target, gpu);
  runtime::DiskCache cache(runtime::DiskCacheOptions::from_environment());
  if (!cache.enabled()) return found;
  const std::optional<std::string> before = cache.load(key);
  found = best_of(std::move(found), before ? Json::parse(*before, nullptr, false) : Json());
  cache.store(key, found.dump());
  return found;
}

}  // namespace frit::codegen::report
