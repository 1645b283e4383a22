// Lists the launches of a run: arguments, number of workgroups, and the variant of each shader.
#include "runtime/vulkan/call.h"

#include <algorithm>
#include <set>
#include <utility>

namespace frit::runtime::vulkan {
namespace {

constexpr int64_t kMostTurns = 256;  // of a form: code from a file may ask for any number

Track& track(const Buffer& b) { return static_cast<DeviceMemory*>(b.gpu())->track(); }

// Whether a result's elements lie dense in row-major order: the shaders of routines write them so.
bool is_row_major(const View<uint64_t>& v) {
  int64_t dense = 1;
  for (size_t i = v.shape.size(); i-- > 0;) {
    if (v.shape[i] != 1 && v.strides[i] != dense) return false;
    dense *= v.shape[i];
  }
  return true;
}

// The axes of each window that are the routine's own.
size_t own_axes(const RoutineForm& form, size_t window) { return form.own.empty() ? 2 : form.own[window]; }

// The leading axes of all windows, those that lie behind one another as one.
struct Leading {
  static constexpr size_t kMost = RoutineForm::kBatchAxes;
  size_t axes = 0;
  int64_t count = 1, sizes[kMost];
  std::vector<int64_t> steps;  // of each window along each axis

  // False where there are too many, or of different sizes.
  bool find(const RoutineForm& form, std::span<const View<uint64_t>> views) {
    const size_t windows = views.size();
    steps.assign(windows * kMost, 0);
    size_t rank = 0, fullest = 0;
    for (size_t w = 0; w < windows; ++w) {
      const size_t leading = views[w].shape.size() - own_axes(form, w);
      if (leading > rank) rank = leading, fullest = w;
    }
    for (size_t axis = 0; axis < rank; ++axis) {
      const int64_t n = views[fullest].shape[axis];
      const auto there = [&](size_t w) { return axis + own_axes(form, w) < views[w].shape.size(); };
      const auto step = [&](size_t w) { return there(w) ? views[w].strides[axis] : 0; };
      bool joins = axes > 0;
      for (size_t w = 0; w < windows; ++w) {
        if (there(w) && views[w].shape[axis] != n) return false;
        joins = joins && steps[w * kMost + axes - 1] == n * step(w);
      }
      count *= n;
      if (n == 1) continue;
      if (!joins && axes == kMost) return false;
      if (!joins) sizes[axes++] = 1;
      sizes[axes - 1] *= n;
      for (size_t w = 0; w < windows; ++w) steps[w * kMost + axes - 1] = step(w);
    }
    return true;
  }
};

// The numbers of a step's windows that RoutineForm describes. False where the leading axes are too many, or of
// different sizes.
bool window_numbers(const RoutineForm& form, std::span<const View<uint64_t>> views, std::vector<int64_t>& numbers) {
  constexpr size_t kBatch = RoutineForm::kBatchAxes;
  const size_t windows = views.size();
  numbers.assign(RoutineForm::slots(windows), 0);
  Leading leading;
  if (!leading.find(form, views)) return false;
  const size_t unused = kBatch - leading.axes;
  for (size_t w = 0; w < windows; ++w) {
    const View<uint64_t>& v = views[w];
    const size_t axes = own_axes(form, w), rank = v.shape.size();
    int64_t* own = &numbers[RoutineForm::slot(w, 0)];
    own[RoutineForm::kAddress] = static_cast<int64_t>(v.first);
    own[RoutineForm::kRows] = axes > 1 ? v.shape[rank - 2] : 1;
    own[RoutineForm::kColumns] = axes > 0 ? v.shape[rank - 1] : 1;
    own[RoutineForm::kRowStride] = axes > 1 ? v.strides[rank - 2] : 0;
    own[RoutineForm::kColumnStride] = axes > 0 ? v.strides[rank - 1] : 0;
    for (size_t i = 0; i + 2 < axes; ++i) {
      own[RoutineForm::kOuterSizes + i] = v.shape[rank - axes + i];
      own[RoutineForm::kOuterStrides + i] = v.strides[rank - axes + i];
    }
    for (size_t i = 0; i < leading.axes; ++i) own[RoutineForm::kSteps + unused + i] = leading.steps[w * kBatch + i];
  }
  for (size_t i = 0; i < kBatch; ++i)
    numbers[RoutineForm::size_slot(windows, i)] = i < unused ? 1 : leading.sizes[i - unused];
  numbers[RoutineForm::batch_slot(windows)] = leading.count;
  return true;
}

bool all_zero(const std::vector<DimProgram>& programs, const std::vector<int64_t>& numbers) {
  return std::all_of(programs.begin(), programs.end(),
                     [&](const DimProgram& p) { return p.evaluate(numbers.data()) == 0; });
}

uint32_t variant_of(const RoutineForm& form, const std::vector<int64_t>& numbers) {
  uint32_t variant = 0;
  for (size_t i = 0; i < form.variant.size(); ++i)
    if (all_zero(form.variant[i], numbers)) variant |= 1u << i;
  return variant;
}

}  // namespace

Status GpuCall::workspace(size_t bytes, uint64_t& first) {
  FRIT_ASSIGN_OR_RETURN(memory, allocate(bytes));
  place(*memory, true, first);
  held_.push_back(std::move(memory));
  return {};
}

bool GpuCall::can_take(const Buffer& buffer) {
  static_cast<DeviceMemory*>(buffer.gpu())->drop_copy();
  return true;
}

bool GpuCall::place(const Buffer& buffer, bool written, uint64_t& address) {
  address = buffer.gpu()->address();
  placed_.push_back({&buffer, written});
  (written ? writes_ : reads_).push_back(&track(buffer));
  return true;
}

void GpuCall::add_accesses(const KernelPlan& plan, const Frame<uint64_t>& frame, std::vector<Access>& all) const {
  using Role = BufferPlan::Role;
  for (const uint32_t b : plan.buffers) {
    const BufferPlan& buffer = plan_.buffers[b];
    const auto bytes = static_cast<uint64_t>(buffer.bytes.evaluate(frame.symbols));
    all.push_back(
        {frame.buffers[b], frame.buffers[b] + bytes, buffer.role != Role::Input && buffer.role != Role::Constant});
  }
}

void GpuCall::add_accesses(const View<uint64_t>& view, bool written, std::vector<Access>& all) {
  int64_t least = 0, most = 1;
  for (size_t i = 0; i < view.shape.size(); ++i) {
    const int64_t last = (view.shape[i] - 1) * view.strides[i];
    (last < 0 ? least : most) += last;
  }
  const auto size = static_cast<int64_t>(view.dtype.size());
  all.push_back({advance(view.first, least * size), advance(view.first, most * size), written});
}

std::vector<GpuCall::Access> GpuCall::accesses_of(const Library& step, std::span<Shader* const> forms,
                                                  std::span<const View<uint64_t>> views,
                                                  const Frame<uint64_t>& frame) const {
  std::vector<Access> all;
  for (size_t i = 0; i < views.size(); ++i) add_accesses(views[i], i >= step.operands.size(), all);
  for (const Shader* form : forms) {
    for (const uint32_t maker : form->code().routine->prologue)
      add_accesses(std::get<KernelPlan>(plan_.steps[maker]), frame, all);
    if (form->code().routine->epilogue) add_accesses(*step.epilogue->plan, frame, all);
  }
  return all;
}

void GpuCall::order(const std::vector<Access>& accesses) {
  constexpr size_t kMost = 256;  // compared with each other
  const auto meet = [](const Access& a, const Access& b) {
    return (a.written || b.written) && a.begin < b.end && b.begin < a.end;
  };
  const auto meets_recent = [&](const Access& a) {
    return std::any_of(recent_.begin(), recent_.end(), [&](const Access& b) { return meet(a, b); });
  };
  if (recent_.size() > kMost || std::any_of(accesses.begin(), accesses.end(), meets_recent)) {
    recent_.clear();
    waits_ = true;
  }
  recent_.insert(recent_.end(), accesses.begin(), accesses.end());
}

Status GpuCall::launch_in_order(const Kernel& kernel, const Frame<uint64_t>& frame) {
  std::vector<Access> accesses;
  add_accesses(*kernel.plan, frame, accesses);
  order(accesses);
  return launch(kernel, frame);
}

Status GpuCall::kernels(const std::vector<Kernel>& kernels, const Frame<uint64_t>& frame) {
  // The plan says that these are independent of each other, whatever memory they share.
  std::vector<const Kernel*> all;
  std::vector<Access> accesses;
  for (const Kernel& kernel : kernels) {
    if (does_nothing(kernel, frame)) continue;
    if (program_.waits(kernel.step)) {
      waiting_[kernel.step] = &kernel;
      continue;
    }
    all.push_back(&kernel);
    add_accesses(*kernel.plan, frame, accesses);
  }
  order(accesses);
  for (const Kernel* kernel : all) FRIT_TRY(launch(*kernel, frame));
  return {};
}

Result<bool> GpuCall::flag(uint64_t address) {
  FRIT_TRY(finish());
  list_ = {};
  const Placed* const memory = memory_at(address);
  if (!memory) return Diagnostic("a flag lies outside of the memory of its run");
  uint8_t value = 0;
  const auto offset = static_cast<size_t>(address - memory->buffer->gpu()->address());
  FRIT_TRY(program_.device().read(*memory->buffer, offset, &value, 1));
  return value != 0;
}

Status GpuCall::finish() {
  recent_.clear();
  waits_ = false;
  return list_.launches.empty() ? Status() : program_.submit(std::move(list_), reads_, writes_);
}

// Shaders for devices without 64-bit integers count in 32 bits.
Status GpuCall::check_narrow(const KernelPlan& plan, int64_t extent, const int64_t* symbols) const {
  constexpr int64_t kMost = (int64_t{1} << 31) - 65536;
  bool fits = extent <= kMost;
  for (uint32_t s : plan.symbols) fits = fits && symbols[s] <= kMost;
  for (uint32_t b : plan.buffers)
    fits = fits && plan_.buffers[b].bytes.evaluate(symbols) / plan_.buffers[b].dtype.size() <= kMost;
  if (fits) return {};
  return Diagnostic("kernel @" + plan.name + " reaches past 2^31 elements, and the device has no shaderInt64", {},
                    "split the arrays, or run on the cpu");
}

bool GpuCall::is_aligned(const GpuKernel& code, const KernelPlan& plan, const Frame<uint64_t>& frame) {
  bool aligned = true;
  for (uint32_t b : code.aligned_buffers)
    aligned = aligned && b < plan.buffers.size() && frame.buffers[plan.buffers[b]] % 16 == 0;
  for (uint32_t s : code.multiple_symbols)
    aligned = aligned && s < plan.symbols.size() && frame.symbols[plan.symbols[s]] % code.multiple == 0;
  return aligned;
}

bool GpuCall::suits(Shader& shader, const Kernel& kernel, const Frame<uint64_t>& frame, int64_t extent) const {
  const GpuKernel& code = shader.code();
  if (extent < code.stands_in->least || extent > code.stands_in->most) return false;
  return is_aligned(code, *kernel.plan, frame) && passes_trial(shader, kernel);
}

Status GpuCall::launch(const Kernel& kernel, const Frame<uint64_t>& frame) {
  const KernelPlan& plan = *kernel.plan;
  Shader& shader = program_.shader(plan.name);
  const GpuKernel& code = shader.code();
  const int64_t* symbols = frame.symbols;
  const int64_t extent = plan.parallel ? kernel.extent.get(symbols) : 1;
  if (extent <= 0) return {};
  if (!program_.device().info().features.int64) FRIT_TRY(check_narrow(plan, extent, symbols));
  Arguments arguments;
  for (uint32_t b : plan.buffers) arguments.push_back(frame.buffers[b]);
  if (Shader* other = program_.stand_in(plan.name); other && suits(*other, kernel, frame, extent)) {
    const int64_t each = other->code().per_group;
    arguments.push_back(static_cast<uint64_t>(extent));
    for (uint32_t s : plan.symbols) arguments.push_back(static_cast<uint64_t>(symbols[s]));
    return add(kernel.step, *other, 0, arguments, (extent + each - 1) / each, false);
  }
  const bool aligned = is_aligned(code, plan, frame);
  int64_t groups = plan.parallel ? (extent + code.per_group - 1) / code.per_group : 1;
  if (code.scratch) {
    groups = std::min<int64_t>(groups, GpuKernel::kScratchGroups);
    const int64_t bytes = kernel.scratch.get(symbols);
    if (bytes < 0 || bytes > kMostBytes)
      return Diagnostic("cannot allocate " + std::to_string(bytes) + " bytes of scratch for kernel @" + plan.name);
    uint64_t first;
    FRIT_TRY(workspace(static_cast<size_t>(bytes * groups), first));
    arguments.push_back(first);
  } else if (code.rows) {
    groups = std::min<int64_t>(groups, GpuKernel::kMostRowGroups);
  }
  for (uint32_t s : plan.symbols) arguments.push_back(static_cast<uint64_t>(symbols[s]));
  return add(kernel.step, shader, aligned, arguments, groups, false);
}

Status GpuCall::add(size_t step, Shader& shader, uint32_t variant, const Arguments& arguments, int64_t groups,
                    bool after) {
  if (groups > program_.device().groups_of_line()) variant |= 1u << GpuKernel::kLinesConstant;
  FRIT_ASSIGN_OR_RETURN(code, shader.make(program_.device(), variant));
  if (list_.launches.size() >= kMostLaunches) {
    std::vector<Access> recent = std::move(recent_);
    FRIT_TRY(finish());
    list_ = {};
    recent_ = std::move(recent);
  }
  after = std::exchange(waits_, false) || after;
  list_.launches.push_back({&shader, step, code, groups, after, list_.arguments.size(), arguments.size()});
  list_.arguments.insert(list_.arguments.end(), arguments.begin(), arguments.end());
  return {};
}

Status GpuCall::launch_forms(const Library& step, std::span<Shader* const> forms, std::vector<int64_t>& numbers,
                             const Frame<uint64_t>& frame) {
  for (Shader* shader : forms) {
    auto code = shader->make(program_.device(), variant_of(*shader->code().routine, numbers));
    if (!code.ok()) return std::move(code.error());
  }
  const RoutineForm& first = *forms.front()->code().routine;
  for (size_t i = 0; i < first.scratch.size(); ++i) {
    const int64_t bytes = first.scratch[i].evaluate(numbers.data());
    if (bytes < 0 || bytes > kMostBytes)
      return Diagnostic("cannot allocate " + std::to_string(bytes) + " bytes of scratch for op '" + step.plan->name +
                        "'");
    uint64_t address;
    FRIT_TRY(workspace(static_cast<size_t>(bytes), address));
    numbers[RoutineForm::scratch_slot(first.windows, i)] = static_cast<int64_t>(address);
  }
  bool after = false;  // one of this step
  for (Shader* shader : forms) {
    const RoutineForm& form = *shader->code().routine;
    int64_t& turn = numbers[RoutineForm::turn_slot(form.windows)];
    turn = 0;
    const int64_t turns = std::min(form.turns.evaluate(numbers.data()), kMostTurns);
    for (; turn < turns; ++turn) {
      const size_t before = list_.launches.size();
      FRIT_TRY(launch_form(step, *shader, numbers, frame, after));
      after = after || list_.launches.size() != before;
    }
  }
  return {};
}

Status GpuCall::launch_form(const Library& step, Shader& shader, const std::vector<int64_t>& numbers,
                            const Frame<uint64_t>& frame, bool after) {
  const RoutineForm& form = *shader.code().routine;
  const int64_t groups = form.groups.evaluate(numbers.data());
  if (groups <= 0) return {};
  Arguments arguments;
  for (const DimProgram& p : form.arguments) arguments.push_back(static_cast<uint64_t>(p.evaluate(numbers.data())));
  for (const uint32_t maker : form.prologue)
    for (uint32_t buffer : std::get<KernelPlan>(plan_.steps[maker]).buffers) arguments.push_back(frame.buffers[buffer]);
  if (form.epilogue) {
    const KernelPlan& epilogue = *step.epilogue->plan;
    for (uint32_t buffer : epilogue.buffers) arguments.push_back(frame.buffers[buffer]);
    for (uint32_t symbol : epilogue.symbols) arguments.push_back(static_cast<uint64_t>(frame.symbols[symbol]));
  }
  return add(step.step, shader, variant_of(form, numbers), arguments, groups, after);
}

Status GpuCall::launch_waiting(const Library& step, std::span<Shader* const> chosen, const Frame<uint64_t>& frame) {
  std::set<uint32_t> makers;
  for (const Shader* form : program_.forms(step.step))
    makers.insert(form->code().routine->prologue.begin(), form->code().routine->prologue.end());
  // Kernels whose results are computed go on waiting, as the chosen forms may still fail to be launched.
  for (const Shader* form : chosen)
    for (const uint32_t computed : form->code().routine->prologue) makers.erase(computed);
  for (const uint32_t maker : makers) {
    const auto waiting = waiting_.find(maker);
    if (waiting == waiting_.end()) continue;
    FRIT_TRY(launch_in_order(*waiting->second, frame));
    waiting_.erase(waiting);
  }
  return {};
}

Status GpuCall::library(const Library& step, std::span<const View<uint64_t>> views, const Frame<uint64_t>& frame) {
  const std::span<Shader* const> forms = program_.forms(step.step);
  const auto by_host = [&]() -> Status {
    FRIT_TRY(launch_waiting(step, {}, frame));
    FRIT_TRY(on_host(step, views, frame));
    return step.epilogue ? launch_in_order(*step.epilogue, frame) : Status();
  };
  if (forms.empty()) return by_host();
  // Operands without elements may have no memory, which shaders would read beside the elements of others.
  const auto results = views.subspan(step.operands.size());
  const auto is_empty = [](const View<uint64_t>& v) {
    return std::find(v.shape.begin(), v.shape.end(), 0) != v.shape.end();
  };
  if (!results.empty() && std::all_of(results.begin(), results.end(), is_empty)) return {};
  const std::string who = "op '" + step.plan->name + "' on a gpu ";
  std::vector<int64_t> numbers;
  if (!window_numbers(*forms[0]->code().routine, views, numbers)) {
    if (!forms.back()->code().routine->suited.empty()) return by_host();
    return Diagnostic(who + "takes at most 4 leading axes that do not lie behind one another", {},
                      "make the operands contiguous");
  }
  for (size_t i = 0; i < std::min(step.sizes.size(), RoutineForm::kAttributes); ++i)
    numbers[RoutineForm::attribute_slot(views.size(), i)] = step.sizes[i].get(frame.symbols);
  bool dense = true;
  for (size_t i = step.operands.size(); i < views.size(); ++i) dense &= is_row_major(views[i]);
  for (size_t first = 0, next = 0; first < forms.size(); first = next) {
    while (forms[next++]->code().routine->joined) {
    }
    const std::span<Shader* const> joined = forms.subspan(first, next - first);
    const RoutineForm &form = *joined.front()->code().routine, &end = *joined.back()->code().routine;
    if (!dense || !all_zero(form.agree, numbers)) return Diagnostic(who + "has operands and results that do not fit");
    const bool last = next == forms.size();
    const bool refused = std::any_of(joined.begin(), joined.end(), [](Shader* s) { return s->refused(); });
    if (!all_zero(form.suited, numbers) || (refused && !last)) continue;
    if (end.groups.evaluate(numbers.data()) <= 0) return {};
    if (form.trial && !passes_trial(step, joined, views, frame)) continue;
    FRIT_TRY(launch_waiting(step, joined, frame));
    order(accesses_of(step, joined, views, frame));
    const Status launched = launch_forms(step, joined, numbers, frame);
    if (!launched.ok() && !last) continue;
    FRIT_TRY(launched);
    return step.epilogue && !end.epilogue ? launch_in_order(*step.epilogue, frame) : Status();
  }
  return by_host();
}

}  // namespace frit::runtime::vulkan
