// A measured run: milliseconds of each step.
#include <algorithm>
#include <map>
#include <mutex>

#include "codegen/report/limits.h"
#include "codegen/report/parts.h"
#include "ir/kernel/row_stream.h"
#include "runtime/execute/gpu.h"
#include "runtime/execute/observe.h"

namespace frit::codegen::report {

namespace {

using runtime::now_ns;

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v.empty() ? 0 : v[v.size() / 2];
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
  // Steps of the program that are one step of the plan, a row stream, have their time at the first of them, which the
  // others name.
  void write(Json& steps, const ir::Program& p) const {
    std::vector<size_t> firsts;
    const std::vector<ir::RowStream> streams = ir::row_streams(p);
    for (size_t i = 0; i < std::min(steps.size(), p.steps.size()); ++i) {
      firsts.push_back(i);
      for (const ir::RowStream& s : streams) {
        if (s.first != i) continue;
        while (i < s.last) steps[++i]["with"] = s.first;
        break;
      }
    }
    for (size_t i = 0; i < std::min(firsts.size(), steps_.size()); ++i) {
      if (steps_[i].runs.empty()) continue;
      Json& step = steps[firsts[i]];
      step["ms"] = median(steps_[i].runs);
      if (steps_[i].launched != 1) step["launches"] = steps_[i].launched;
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
  void write(Json& steps, const ir::Program& p) {
    const std::lock_guard lock(mutex_);
    times_.write(steps, p);
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
Status run_often(Json& doc, const ReportRequest& r, const ir::Program& program, const runtime::Executable& code,
                 runtime::Gpu* gpu) {
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
  observer.write(doc["steps"], program);
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
  // Code to read takes longer than code to run. Of many kernels it is made when the times say which are shown.
  const bool all = c.planned->program->kernels.size() <= kListed || backend->runs_routines();
  FRIT_ASSIGN_OR_RETURN(image, make_image(*c.planned, target, all ? &c.code : nullptr));
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
  FRIT_TRY(run_often(doc, r, *c.planned->program, *code, gpu));
  doc["machine"] = limits(r.options.target, gpu);
  return {};
}

}  // namespace frit::codegen::report
