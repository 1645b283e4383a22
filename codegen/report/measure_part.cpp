// A measured run: milliseconds of each step, and the limits of this machine that they are compared with.
#include <algorithm>
#include <map>
#include <mutex>

#include "codegen/report/parts.h"
#include "ir/read/parser.h"
#include "runtime/execute/gpu.h"
#include "runtime/execute/memory_loops.h"
#include "runtime/execute/observe.h"

namespace frit::codegen::report {

namespace {

using runtime::now_ns;

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v.empty() ? 0 : v[v.size() / 2];
}

// Bytes per second of a copy by all threads, far above the caches of one core; each byte is read and written.
double copy_speed() {
  constexpr size_t kBytes = size_t{48} << 20;
  const runtime::Pages from(kBytes), to(kBytes);
  std::vector<double> ns;
  for (int i = 0; i < 3; ++i) {
    const int64_t begin = now_ns();
    runtime::parallel_copy(to.data(), from.data(), kBytes);
    ns.push_back(static_cast<double>(now_ns() - begin));
  }
  return 2.0 * kBytes / median(ns) * 1e9;
}

// Seconds of a function of square f32 matrices, the median of three runs behind a first one; 0 where it cannot run.
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
  if (gpu) gpu->keep_times(true);
  const auto run = [&]() -> Status {
    FRIT_TRY((*code)->run(inputs));
    return gpu ? gpu->synchronize() : Status();
  };
  for (int i = 0; i < 4; ++i) {
    const int64_t begin = now_ns();
    if (!run()) break;
    double taken = static_cast<double>(now_ns() - begin) / 1e9;
    if (gpu) {
      taken = 0;
      for (const runtime::GpuTime& t : gpu->last_times()) taken += t.milliseconds / 1e3;
    }
    if (i) seconds.push_back(taken);
  }
  if (gpu) gpu->keep_times(false);
  return median(std::move(seconds));
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

// The limits of a device, measured once in a process.
Json limits(const Target& target, runtime::Gpu* gpu) {
  static std::mutex mutex;
  static auto& known = *new std::map<std::string, Json>;  // by name
  const std::lock_guard lock(mutex);
  Json& found = known[gpu ? gpu->info().name : ""];
  if (!found.is_null()) return found;
  if (!gpu) {
    found = {{"bytes_per_second", copy_speed()},
             {"flops_per_second", product_speed(512, target, nullptr)},
             {"how", "bytes: a copy of 48 MiB by all threads; arithmetic: a product of 512 by 512 f32 matrices"}};
    return found;
  }
  // A device in software is as slow as a processor.
  const bool slow = gpu->info().kind == "cpu";
  const int64_t bytes = slow ? 2048 : 8192, product = slow ? 256 : 4096;
  found = {{"bytes_per_second", stream_speed(bytes, target, *gpu)},
           {"flops_per_second", product_speed(product, target, gpu)}};
  found["how"] = "on " + gpu->info().name + ", bytes: a kernel over " + std::to_string(bytes) + " by " +
                 std::to_string(bytes) + " f32 elements; arithmetic: a product of " + std::to_string(product) + " by " +
                 std::to_string(product) + " f32 matrices";
  return found;
}

// Milliseconds and launches of the steps of a plan, over several runs. A step in a loop runs many times in each.
class StepTimes {
 public:
  explicit StepTimes(size_t steps) : steps_(steps) {}
  void add(size_t step, double ms) {
    steps_[step].ms += ms;
    ++steps_[step].launches;
  }
  void end_run() {
    for (Step& s : steps_) {
      if (s.launches) s.runs.push_back(s.ms);
      if (s.launches) s.launched = s.launches;
      s.ms = 0, s.launches = 0;
    }
  }
  // The median of the runs since `end_run` was called first.
  void write(Json& steps) const {
    for (size_t i = 0; i < std::min(steps.size(), steps_.size()); ++i) {
      if (steps_[i].runs.empty()) continue;
      steps[i]["ms"] = median(steps_[i].runs);
      if (steps_[i].launched != 1) steps[i]["launches"] = steps_[i].launched;
    }
  }
  void clear() { steps_.assign(steps_.size(), {}); }

 private:
  struct Step {
    double ms = 0;
    int64_t launches = 0, launched = 0;
    std::vector<double> runs;
  };
  std::vector<Step> steps_;
};

// Hears of the steps of one plan. On the CPU they are known by the address of their names, which no other plan shares;
// on a GPU by number and name.
class PlanObserver {
 public:
  explicit PlanObserver(const runtime::Plan& plan) : times_(plan.steps.size()), names_(plan.steps.size()) {
    for (size_t i = 0; i < plan.steps.size(); ++i) {
      if (const auto* kernel = std::get_if<runtime::KernelPlan>(&plan.steps[i])) {
        steps_[kernel->name.data()] = i;
        names_[i] = kernel->name;
      }
      if (const auto* routine = std::get_if<runtime::LibraryPlan>(&plan.steps[i])) steps_[routine->name.data()] = i;
    }
    observer_ = runtime::add_observer([this](const runtime::Observed& o) {
      if (o.counter || (o.kind != "kernel" && o.kind != "routine")) return;
      const size_t step = o.track.empty() ? step_here(o) : step_there(o);
      if (step >= names_.size()) return;
      const std::lock_guard lock(mutex_);
      times_.add(step, static_cast<double>(o.end_ns - o.begin_ns) / 1e6);
    });
  }
  void end_run(bool first) {
    const std::lock_guard lock(mutex_);
    times_.end_run();
    if (first) times_.clear();
  }
  void write(Json& steps) {
    const std::lock_guard lock(mutex_);
    times_.write(steps);
  }

 private:
  size_t step_here(const runtime::Observed& o) const {
    const auto found = steps_.find(o.name.data());
    return found == steps_.end() ? names_.size() : found->second;
  }
  // A routine's shaders, and its epilogue, have names of their own.
  size_t step_there(const runtime::Observed& o) const {
    const Json details = Json::parse("{" + std::string(o.details) + "}", nullptr, false);
    const size_t step = details.is_object() ? details.value("step", names_.size()) : names_.size();
    return step < names_.size() && (names_[step].empty() || names_[step] == o.name) ? step : names_.size();
  }

  std::map<const char*, size_t> steps_;
  std::mutex mutex_;
  StepTimes times_;
  std::vector<std::string> names_;  // of kernels
  std::shared_ptr<void> observer_;
};

constexpr int64_t kRunFor = 100'000'000;  // nanoseconds of timed runs

// Runs once, and then as often as is asked for or fits.
Status run_often(Json& doc, const ReportRequest& r, const runtime::Executable& code, runtime::Gpu* gpu) {
  std::vector<runtime::Tensor> inputs = r.inputs;
  for (runtime::Tensor& t : inputs) {
    if (!gpu) continue;
    FRIT_ASSIGN_OR_RETURN(there, runtime::to_gpu(t, *gpu));
    t = std::move(there);
  }
  PlanObserver observer(code.plan());
  std::vector<double> runs;
  int64_t started = now_ns();
  const int most = r.runs ? r.runs : 20;
  for (int i = 0; i <= most && (r.runs || runs.empty() || now_ns() - started < kRunFor); ++i) {
    const int64_t begin = now_ns();
    FRIT_TRY(code.run(inputs));
    if (gpu) FRIT_TRY(gpu->synchronize());
    observer.end_run(i == 0);
    if (i)
      runs.push_back(static_cast<double>(now_ns() - begin) / 1e6);
    else
      started = now_ns();
  }
  doc["runs"] = runs.size();
  doc["run_ms"] = median(runs);
  observer.write(doc["steps"]);
  return {};
}

}  // namespace

Status add_measurement(Json& doc, const ReportRequest& r, Compilation& c) {
  int64_t begin = now_ns();
  const auto end_stage = [&](const char* name) {
    const int64_t now = now_ns();
    doc["stages"].push_back({{"name", name}, {"ms", static_cast<double>(now - begin) / 1e6}});
    begin = now;
  };
  const Target& target = r.options.target;
  FRIT_ASSIGN_OR_RETURN(backend, find_backend(target.backend));
  FRIT_TRY(backend->runs_here(target));
  FRIT_ASSIGN_OR_RETURN(image, make_image(*c.planned, target, &c.code));
  end_stage("machine code");
  FRIT_ASSIGN_OR_RETURN(code, runtime::load_image(std::move(image)));
  end_stage("load");
  if (r.inputs.empty() && !r.function->params.empty()) return {};
  const BackendFacts* facts = facts_of(r.options.target.backend);
  runtime::Gpu* gpu = nullptr;
  if (facts && facts->device != "cpu") {
    FRIT_ASSIGN_OR_RETURN(found, runtime::find_gpu(facts->device));
    gpu = found;
  }
  FRIT_TRY(run_often(doc, r, *code, gpu));
  doc["machine"] = limits(r.options.target, gpu);
  return {};
}

}  // namespace frit::codegen::report
