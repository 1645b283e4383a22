// Kernels that are PTX text: their modules, their launches, and the trial that a form must pass before it is used.
#include <algorithm>

#include "runtime/vulkan/call.h"

namespace frit::runtime::vulkan {

namespace {

// A trial lost its device in this process, so no device runs one again.
std::atomic<bool> trial_lost_device{false};

// The element of a trial as it lies in memory; false where the type has none.
bool put_element(Dtype type, double value, std::byte* to) {
  const auto number = static_cast<float>(value);
  uint16_t bits;
  if (type == float32) return std::memcpy(to, &number, sizeof number), true;
  if (type == float64) return std::memcpy(to, &value, sizeof value), true;
  if (type == bool_) return *to = static_cast<std::byte>(value != 0), true;
  if (type == float16)
    bits = float_to_half_bits(number);
  else if (type == bfloat16)
    bits = float_to_bfloat_bits(number);
  else
    return false;
  std::memcpy(to, &bits, sizeof bits);
  return true;
}

// The same of integers of 32 bits, which are rounded as a cast does.
bool put_number(Dtype type, double value, std::byte* to) {
  if (type != int32 && type != uint32) return put_element(type, value, to);
  const auto integer = static_cast<int32_t>(value);
  return std::memcpy(to, &integer, sizeof integer), true;
}

bool is_nan(Dtype type, const std::byte* from) {
  uint32_t bits = 0;
  std::memcpy(&bits, from, type.size());
  if (type == float32) return (bits & 0x7fffffffu) > 0x7f800000u;
  return (type == float16 && (bits & 0x7fffu) > 0x7c00u) || (type == bfloat16 && (bits & 0x7fffu) > 0x7f80u);
}

// Whether nearly all elements are the same, NaNs whatever their bits: a quotient may be a last digit off.
bool agrees(Dtype type, std::span<const std::byte> bytes, std::string_view wanted) {
  const size_t size = type.size(), count = wanted.size() / size;
  if (bytes.size() != wanted.size()) return false;
  const auto* right = reinterpret_cast<const std::byte*>(wanted.data());
  size_t others = 0;
  for (size_t i = 0; i < count * size; i += size)
    if (std::memcmp(&bytes[i], right + i, size) != 0 && !(is_nan(type, &bytes[i]) && is_nan(type, right + i))) ++others;
  return others <= count / 16;
}

}  // namespace

Result<VkCuFunctionNVX> Device::make_function(const GpuKernel& kernel) {
  std::lock_guard lock(functions_mutex_);
  const std::string key = kernel.entry + "\n" + kernel.spirv;
  if (const auto found = functions_.find(key); found != functions_.end()) return found->second;
  const auto made = [&]() -> Result<VkCuFunctionNVX> {
    if (!api_.CreateCuModuleNVX) return Diagnostic("the device takes no ptx");
    // The driver reads the text as a string that ends with zero, which std::string has behind its characters.
    VkCuModuleCreateInfoNVX module_info{VK_STRUCTURE_TYPE_CU_MODULE_CREATE_INFO_NVX};
    module_info.dataSize = kernel.spirv.size() + 1;
    module_info.pData = kernel.spirv.c_str();
    VkCuModuleNVX module = VK_NULL_HANDLE;
    FRIT_TRY(check(api_.CreateCuModuleNVX(device_, &module_info, nullptr, &module),
                   ("cannot take the ptx of kernel @" + kernel.name).c_str()));
    VkCuFunctionCreateInfoNVX info{VK_STRUCTURE_TYPE_CU_FUNCTION_CREATE_INFO_NVX};
    info.module = module;
    info.pName = kernel.entry.c_str();
    VkCuFunctionNVX function = VK_NULL_HANDLE;
    FRIT_TRY(check(api_.CreateCuFunctionNVX(device_, &info, nullptr, &function),
                   ("cannot compile the ptx of kernel @" + kernel.name).c_str()));
    return function;
  }();
  if (!made.ok()) tell_gpu("another form takes the place of " + kernel.entry + ": " + made.error().message);
  return functions_.emplace(key, made).first->second;
}

namespace {

// Whether a trial gave right numbers. If not, a notice says what takes the place of `tried`.
bool is_passed(const Result<bool>& right, const std::string& other, const std::string& tried, const Device& device) {
  if (right.ok() && *right) return true;
  tell_gpu(other + " takes the place of " + tried + ": its trial on " + device.info().name +
           (right.ok() ? " gave wrong numbers" : " failed: " + right.error().message));
  return false;
}

}  // namespace

bool Device::passes_trial(const std::string& texts, const std::function<bool()>& attempt) {
  std::lock_guard lock(trials_mutex_);
  if (trial_lost_device.load(std::memory_order_relaxed)) return false;
  const auto found = trials_.find(texts);
  if (found != trials_.end()) return found->second;
  const bool passed = attempt();
  if (lost()) trial_lost_device.store(true, std::memory_order_relaxed);
  return trials_.emplace(texts, passed).first->second;
}

void Program::launch_ptx(const Recording& r, const LaunchList& list, const LaunchRecord& l) const {
  std::vector<const void*> parameters(l.count);
  for (size_t i = 0; i < l.count; ++i) parameters[i] = &list.arguments[l.first + i];
  VkCuLaunchInfoNVX info{VK_STRUCTURE_TYPE_CU_LAUNCH_INFO_NVX};
  info.function = l.code.function;
  info.gridDimX = static_cast<uint32_t>(l.groups);
  info.gridDimY = info.gridDimZ = 1;
  info.blockDimX = l.shader->code().group_size;
  info.blockDimY = info.blockDimZ = 1;
  info.paramCount = l.count;
  info.pParams = parameters.data();
  device_.api().CmdCuLaunchKernelNVX(r.commands, &info);
}

bool GpuCall::passes_trial(const Library& step, std::span<Shader* const> forms, std::span<const View<uint64_t>> views,
                           const Frame<uint64_t>& frame) const {
  Shader& first = *forms.front();
  if (const std::optional<bool> known = first.passed()) return *known;
  std::string texts;
  for (Shader* s : forms) texts += s->code().spirv;
  const bool passed = program_.device().passes_trial(texts, [&] {
    return is_passed(attempt_trial(step, forms, views, frame), "another form", forms.back()->code().entry,
                     program_.device());
  });
  first.set_passed(passed);
  return passed;
}

Result<bool> GpuCall::attempt_trial(const Library& step, std::span<Shader* const> forms,
                                    std::span<const View<uint64_t>> views, const Frame<uint64_t>& frame) const {
  const RoutineForm& form = *forms.front()->code().routine;
  std::vector<int64_t> numbers = form.trial->numbers;
  GpuCall trial(plan_, program_);
  std::vector<std::byte> bytes;
  std::shared_ptr<Buffer> result;
  for (size_t w = 0; w < views.size(); ++w) {
    int64_t* const own = &numbers[RoutineForm::slot(w, 0)];
    const Dtype type = views[w].dtype;
    int64_t count = own[RoutineForm::kRows] * own[RoutineForm::kColumns];
    for (size_t i = 2; !form.own.empty() && i < form.own[w]; ++i) count *= own[RoutineForm::kOuterSizes + i - 2];
    if (count <= 0 || count > (1 << 24)) return Diagnostic("a trial has no size");
    bytes.assign(static_cast<size_t>(count) * type.size(), std::byte{0xff});
    FRIT_ASSIGN_OR_RETURN(memory, trial.allocate(bytes.size()));
    for (int64_t i = 0; w < step.operands.size() && i < count; ++i)
      if (!put_element(type, trial_element(w, i), bytes.data() + i * type.size()))
        return Diagnostic("a trial has elements of another type");
    FRIT_TRY(program_.device().write(*memory, 0, bytes.data(), bytes.size()));
    uint64_t address;
    trial.place(*memory, w >= step.operands.size(), address);
    own[RoutineForm::kAddress] = static_cast<int64_t>(address);
    trial.held_.push_back(memory);
    result = std::move(memory);
  }
  FRIT_TRY(trial.launch_forms(step, forms, numbers, frame));
  FRIT_TRY(trial.finish());
  FRIT_TRY(program_.device().read(*result, 0, bytes.data(), bytes.size()));
  return hash_bytes(bytes.data(), bytes.size()) == form.trial->result;
}

bool GpuCall::passes_trial(Shader& shader, const Kernel& kernel) const {
  if (const std::optional<bool> known = shader.passed()) return *known;
  const bool passed = program_.device().passes_trial(shader.code().spirv, [&] {
    if (!shader.make(program_.device(), 0).ok()) return false;
    return is_passed(attempt_trial(shader, kernel), "the shader", shader.code().name, program_.device());
  });
  shader.set_passed(passed);
  return passed;
}

Result<bool> GpuCall::attempt_trial(Shader& shader, const Kernel& kernel) const {
  const KernelPlan& plan = *kernel.plan;
  const GpuKernel::StandIn& own = *shader.code().stands_in;
  if (own.results.size() != plan.buffers.size()) return Diagnostic("a trial has other buffers");
  GpuCall trial(plan_, program_);
  Arguments arguments;
  std::vector<std::byte> bytes;
  for (size_t b = 0; b < plan.buffers.size(); ++b) {
    const Dtype type = plan_.buffers[plan.buffers[b]].dtype;
    bytes.assign(static_cast<size_t>(own.trial) * type.size(), std::byte{0xff});
    FRIT_ASSIGN_OR_RETURN(memory, trial.allocate(bytes.size()));
    for (int64_t i = 0; own.results[b].empty() && i < own.trial; ++i)
      if (!put_number(type, trial_number(b, i), bytes.data() + i * static_cast<int64_t>(type.size())))
        return Diagnostic("a trial has elements of another type");
    FRIT_TRY(program_.device().write(*memory, 0, bytes.data(), bytes.size()));
    trial.place(*memory, !own.results[b].empty(), arguments.emplace_back());
    trial.held_.push_back(std::move(memory));
  }
  for (size_t i = 0; i <= plan.symbols.size(); ++i) arguments.push_back(static_cast<uint64_t>(own.trial));
  const int64_t each = shader.code().per_group;
  FRIT_TRY(trial.add(kernel.step, shader, 0, arguments, (own.trial + each - 1) / each, false));
  FRIT_TRY(trial.finish());
  for (size_t b = 0; b < plan.buffers.size(); ++b) {
    if (own.results[b].empty()) continue;
    const Dtype type = plan_.buffers[plan.buffers[b]].dtype;
    bytes.resize(static_cast<size_t>(own.trial) * type.size());
    FRIT_TRY(program_.device().read(*trial.held_[b], 0, bytes.data(), bytes.size()));
    if (!agrees(type, bytes, own.results[b])) return false;
  }
  return true;
}

}  // namespace frit::runtime::vulkan
