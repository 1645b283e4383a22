// Programs of a Vulkan device: checks that they are complete, and records commands for their runs.
#include "runtime/vulkan/program.h"

#include <algorithm>
#include <cstring>

#include "runtime/execute/observe.h"
#include "runtime/vulkan/call.h"

namespace frit::runtime::vulkan {
namespace {

using Role = BufferPlan::Role;

constexpr size_t kMaxPushArguments = 16;

}  // namespace

Result<Made> Shader::make(Device& device, uint32_t variant) {
  std::lock_guard lock(mutex_);
  Made& made = made_[variant];
  if (made != Made()) return made;
  const auto fresh = [&]() -> Result<Made> {
    if (code_.is_ptx()) {
      FRIT_ASSIGN_OR_RETURN(function, device.make_function(code_));
      return Made{VK_NULL_HANDLE, function};
    }
    FRIT_ASSIGN_OR_RETURN(pipeline, device.make_pipeline(code_, variant));
    return Made{pipeline, VK_NULL_HANDLE};
  }();
  refused_ = !fresh.ok();
  if (fresh.ok()) made = *fresh;
  return fresh;
}

bool Shader::refused() {
  std::lock_guard lock(mutex_);
  return refused_;
}

std::optional<bool> Shader::passed() {
  std::lock_guard lock(mutex_);
  return passed_;
}

void Shader::set_passed(bool passed) {
  std::lock_guard lock(mutex_);
  passed_ = passed;
}

Program::Program(Device& device, GpuCode code) : device_(device) {
  for (GpuKernel& k : code.kernels) {
    std::string name = k.name;
    auto shader = std::make_unique<Shader>(std::move(k));
    if (const auto& form = shader->code().routine) {
      forms_[form->step].push_back(shader.get());
      waiting_.insert(form->prologue.begin(), form->prologue.end());
    }
    if (const auto& other = shader->code().stands_in) stand_ins_[other->kernel] = shader.get();
    shaders_[std::move(name)] = std::move(shader);
  }
}

Status Program::check_forms(const LibraryPlan& step, size_t number) const {
  const auto forms = forms_.find(number);
  if (forms == forms_.end()) {
    std::string why;
    if (find_library(step.name, why)) return {};
    return Diagnostic("the routine '" + step.name + "' has no form for a gpu: " + why, {},
                      "run the function on the cpu");
  }
  const size_t windows = step.operands.size() + step.results.size();
  const std::vector<uint32_t>& own = forms->second.front()->code().routine->own;
  bool applied = true;
  for (const Shader* s : forms->second) {
    const RoutineForm& form = *s->code().routine;
    applied &= form.epilogue || form.joined;
    if (form.windows != windows || form.own != own || (form.epilogue && !step.epilogue) ||
        (form.joined && s == forms->second.back()))
      return Diagnostic("the routine '" + step.name + "' does not fit its shader @" + s->code().name);
  }
  size_t window = 0;
  for (const auto* list : {&step.operands, &step.results})
    for (const WindowPlan& w : *list) {
      const size_t rank = w.shape.size(), axes = own.empty() ? 2 : own[window++];
      if (rank < axes || (own.empty() && rank != step.results[0].shape.size()))
        return Diagnostic("the routine '" + step.name + "' takes arrays of one rank, at least 2, or those with its " +
                          "shaders' own axes");
    }
  if (step.epilogue && !applied && !shaders_.contains(step.epilogue->name))
    return Diagnostic("kernel '" + step.epilogue->name + "' has no shader");
  return {};
}

Status Program::prepare(const Plan& plan) {
  for (const size_t step : waiting_)
    if (step >= plan.steps.size() || !std::holds_alternative<KernelPlan>(plan.steps[step]))
      return Diagnostic("a routine's shader computes an operand that no kernel does");
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    if (const auto* k = std::get_if<KernelPlan>(&plan.steps[i])) {
      if (!shaders_.contains(k->name)) return Diagnostic("kernel '" + k->name + "' has no shader");
    } else if (const auto* routine = std::get_if<LibraryPlan>(&plan.steps[i])) {
      FRIT_TRY(check_forms(*routine, i));
    }
  }
  for (const BufferPlan& b : plan.buffers) {
    constants_.emplace_back();
    if (b.role != Role::Constant) continue;
    const auto bytes = static_cast<size_t>(b.bytes.evaluate(nullptr));
    FRIT_ASSIGN_OR_RETURN(memory, device_.allocate(bytes));
    if (bytes) FRIT_TRY(device_.write(*memory, 0, b.constant->data(), bytes));
    constants_.back() = std::move(memory);
  }
  return {};
}

bool Program::is_here(const Tensor& t) const {
  return t.buffer->gpu() && &static_cast<DeviceMemory*>(t.buffer->gpu())->device() == &device_;
}

Status Program::run(const PreparedPlan& plan, std::span<const Tensor> inputs, std::span<const bool> donated,
                    std::span<Tensor> results) const {
  if (device_.lost()) {
    FRIT_ASSIGN_OR_RETURN(next, successor(plan.plan()));
    return next->run(plan, inputs, donated, results);
  }
  GpuCall call(plan.plan(), *this);
  if (std::all_of(inputs.begin(), inputs.end(), [&](const Tensor& t) { return is_here(t); }))
    return PlanRun(plan, call, inputs, donated).run(results, {});
  // Inputs that are elsewhere are copied here first.
  std::vector<Tensor> copies(inputs.begin(), inputs.end());
  for (Tensor& t : copies) {
    if (is_here(t)) continue;
    if (t.buffer->gpu())
      return Diagnostic("an input of '" + plan.plan().name + "' is in memory of a gpu that was lost", {},
                        "compute it again");
    FRIT_ASSIGN_OR_RETURN(moved, to_gpu(t, device_));
    t = std::move(moved);
  }
  return PlanRun(plan, call, std::span<const Tensor>(copies), {}).run(results, {});
}

Result<std::shared_ptr<Program>> Program::successor(const Plan& plan) const {
  std::lock_guard lock(successor_mutex_);
  if (!successor_ || successor_->device_.lost()) {
    FRIT_ASSIGN_OR_RETURN(device, current_device());
    GpuCode code;
    // The forms of a routine keep their order.
    for (const auto& [name, shader] : shaders_)
      if (!shader->code().routine) code.kernels.push_back(shader->code());
    for (const auto& [step, forms] : forms_)
      for (const Shader* form : forms) code.kernels.push_back(form->code());
    auto made = std::make_shared<Program>(*device, std::move(code));
    FRIT_TRY(made->prepare(plan));
    successor_ = std::move(made);
  }
  return successor_;
}

Status Program::submit(LaunchList&& launches, std::span<Track* const> reads, std::span<Track* const> writes) const {
  FRIT_ASSIGN_OR_RETURN(recording, commands_for(std::move(launches)));
  return device_.submit(recording, reads, writes);
}

Result<RecordingPtr> Program::commands_for(LaunchList&& launches) const {
  const size_t queue = device_.queue();
  const GpuTimes times = device_.timed();
  const bool claimed = times == GpuTimes::Steps && observed();
  {
    std::lock_guard lock(recordings_mutex_);
    for (const RecordingPtr& r : recordings_) {
      if (!r || r->queue != queue || r->times != times || r->launches != launches) continue;
      if (!claimed || !r->claimed.exchange(true, std::memory_order_acquire)) return r;
    }
  }
  std::vector<std::string> steps;
  std::vector<size_t> numbers;
  for (const LaunchRecord& l : launches.launches) {
    steps.push_back("kernel @" + l.shader->code().name);
    numbers.push_back(l.step);
  }
  // Arguments in memory must be there before any command is recorded.
  FRIT_ASSIGN_OR_RETURN(arguments, argument_blocks(launches));
  FRIT_ASSIGN_OR_RETURN(recording, device_.record(std::move(steps), times, [&](Recording& r) {
    r.arguments = std::move(arguments);
    r.numbers = std::move(numbers);
    r.claimed.store(claimed, std::memory_order_relaxed);
    record(r, launches);
  }));
  recording->launches = std::move(launches);
  std::lock_guard lock(recordings_mutex_);
  recordings_[next_++ % kRecordings] = recording;
  return recording;
}

Result<std::vector<Block>> Program::argument_blocks(const LaunchList& list) const {
  std::vector<Block> blocks;
  for (const LaunchRecord& l : list.launches) {
    if (l.count <= kMaxPushArguments || l.code.function) continue;
    auto block = device_.host_block(8 * l.count);
    Status ready = block.ok() ? device_.wait(block->used) : Status(block.error());
    if (!ready.ok()) {
      for (const Block& b : blocks) device_.free_host_block(b);
      return std::move(ready.error());
    }
    std::memcpy(block->mapped, &list.arguments[l.first], 8 * l.count);
    blocks.push_back(*block);
  }
  return blocks;
}

void Program::record(const Recording& r, const LaunchList& list) const {
  const Api& api = device_.api();
  for (int run = 0; run < (r.times == GpuTimes::Share ? kRunsOfShare : 1); ++run) record_run(r, list, run > 0);
  if (r.times == GpuTimes::Whole || r.times == GpuTimes::Share) stamp(r, 1);
  // A barrier towards the host costs a microsecond; only memory that the CPU maps needs it.
  if (!device_.info().host_visible) return;
  VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_SHADER_WRITE_BIT,
                          VK_ACCESS_HOST_READ_BIT};
  api.CmdPipelineBarrier(r.commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier,
                         0, nullptr, 0, nullptr);
}

void Program::stamp(const Recording& r, uint32_t number) const {
  device_.api().CmdWriteTimestamp(r.commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, r.queries, number);
}

void Program::record_run(const Recording& r, const LaunchList& list, bool again) const {
  const Api& api = device_.api();
  const int64_t most = device_.groups_of_line();
  uint32_t launches = 0;
  size_t blocks = 0;
  for (const LaunchRecord& l : list.launches) {
    if (launches ? l.after : again) {
      VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_SHADER_WRITE_BIT,
                              VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
      api.CmdPipelineBarrier(r.commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0,
                             1, &barrier, 0, nullptr, 0, nullptr);
    }
    if (l.code.function) {
      launch_ptx(r, list, l);
    } else {
      const bool few = l.count <= kMaxPushArguments;
      api.CmdBindPipeline(r.commands, VK_PIPELINE_BIND_POINT_COMPUTE, l.code.pipeline);
      const void* arguments =
          few ? static_cast<const void*>(list.arguments.data() + l.first) : &r.arguments[blocks++].address;
      if (l.count)
        api.CmdPushConstants(r.commands, device_.layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0,
                             few ? static_cast<uint32_t>(8 * l.count) : 8, arguments);
      const int64_t x = std::min(l.groups, most), y = (l.groups + x - 1) / x;
      api.CmdDispatch(r.commands, static_cast<uint32_t>(x), static_cast<uint32_t>(y), 1);
    }
    ++launches;
    if (r.times == GpuTimes::Steps) stamp(r, launches);
  }
}

Result<std::shared_ptr<DeviceCode>> Device::load(const Plan& plan, std::string_view bytes) {
  FRIT_ASSIGN_OR_RETURN(code, read_gpu_code(bytes));
  auto program = std::make_shared<Program>(*this, std::move(code));
  FRIT_TRY(program->prepare(plan));
  return std::shared_ptr<DeviceCode>(std::move(program));
}

}  // namespace frit::runtime::vulkan
