// Runs plans: on the CPU here, on another device through the plan's device code.
#include "runtime/execute/executable.h"

#include "runtime/execute/cpu_device.h"
#include "runtime/execute/observe.h"

namespace frit::runtime {

Executable::Executable(Plan plan) : prepared_(std::make_unique<PreparedPlan>(std::move(plan))) {}

Executable::~Executable() = default;

const Plan& Executable::plan() const { return prepared_->plan(); }

size_t Executable::kernel_count() const {
  size_t n = 0;
  for (const auto& step : plan().steps) n += std::holds_alternative<KernelPlan>(step);
  return n;
}

Result<std::vector<Tensor>> Executable::run(std::span<const Tensor> inputs, std::span<const bool> donated) const {
  std::vector<Tensor> results(plan().results.size());
  FRIT_TRY(run(inputs, donated, results));
  return results;
}

Status Executable::run(std::span<const Tensor> inputs, std::span<const bool> donated, std::span<Tensor> results,
                       std::span<const std::shared_ptr<Buffer>> into) const {
  const PreparedPlan& p = *prepared_;
  const Span span("call", p.plan().name);
  if (const DeviceCode* device = p.plan().device_code.get()) return device->run(p, inputs, donated, results);
  FRIT_TRY(p.resolve());
  CpuDevice device(p);
  Status status = PlanRun(p, device, inputs, donated).run(results, into);
  if (observed())
    observe({.kind = "memory",
             .name = "memory",
             .begin_ns = now_ns(),
             .counter = true,
             .value = static_cast<double>(active_memory())});
  return status;
}

}  // namespace frit::runtime
