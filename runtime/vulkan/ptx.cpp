// Kernels that are PTX text: their modules, their launches, and the trial that a form must pass before it is used.
#include <algorithm>

#include "runtime/vulkan/call.h"

namespace frit::runtime::vulkan {

namespace {

// A trial lost its device in this process, so no device runs one again.
std::atomic<bool> trial_lost_device{false};

// The element of a trial as it lies in memory; false where the type has none.
bool put_element(Dtype type, int value, std::byte* to) {
  const auto number = static_cast<float>(value);
  uint16_t bits;
  if (type == float32) return std::memcpy(to, &number, sizeof number), true;
  if (const double wide = value; type == float64) return std::memcpy(to, &wide, sizeof wide), true;
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
    const Result<bool> right = attempt_trial(step, forms, views, frame);
    if (right.ok() && !*right)
      tell_gpu("another form takes the place of " + forms.back()->code().entry + ": its trial on " +
               program_.device().info().name + " gave wrong numbers");
    return right.ok() && *right;
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

}  // namespace frit::runtime::vulkan
