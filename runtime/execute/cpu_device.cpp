// Launches of CPU kernels and calls of CPU routines.
#include "runtime/execute/cpu_device.h"

#include <atomic>

#include "runtime/execute/observe.h"
#include "runtime/execute/parallel.h"

namespace frit::runtime {
namespace {

using CpuFrame = Frame<void*>;

// One launch: pointers and symbols in the kernel's order.
class Launch {
 public:
  Launch(const Kernel& kernel, const CpuFrame& frame)
      : plan_(*kernel.plan),
        fn_(kernel.fn),
        buffers_(kernel.plan->buffers.size()),
        symbols_(kernel.same_symbols ? 0 : kernel.plan->symbols.size()),
        scratch_bytes_(static_cast<size_t>(kernel.scratch.get(frame.symbols))) {
    const KernelPlan& plan = *kernel.plan;
    for (size_t i = 0; i < plan.buffers.size(); ++i) buffers_[i] = frame.buffers[plan.buffers[i]];
    symbol_values_ = frame.symbols;
    if (!kernel.same_symbols) {
      for (size_t i = 0; i < plan.symbols.size(); ++i) symbols_[i] = frame.symbols[plan.symbols[i]];
      symbol_values_ = symbols_.data();
    }
  }

  void run(int64_t begin, int64_t end) {
    if (begin >= end) return;
    if (!scratch_bytes_) return fn_(buffers_.data(), symbol_values_, begin, end, nullptr);
    Scratch scratch(scratch_bytes_);
    if (!scratch.data()) {
      failed_.store(true, std::memory_order_relaxed);
      return;
    }
    fn_(buffers_.data(), symbol_values_, begin, end, scratch.data());
  }

  // A part of the work, on the thread that does it: a "chunk", or an "epilogue" inside of a routine's span.
  void run_part(std::string_view kind, int64_t begin, int64_t end) {
    const Span span(kind, plan_.name);
    run(begin, end);
  }

  Status status(const KernelPlan& plan) const {
    if (!failed_.load(std::memory_order_relaxed)) return {};
    return Diagnostic(
        "cannot allocate " + std::to_string(scratch_bytes_) + " bytes of scratch for kernel '" + plan.name + "'", {},
        "free arrays or raise the limit with set_memory_limit");
  }

 private:
  const KernelPlan& plan_;
  KernelFn fn_;
  Array<void*> buffers_;
  Array<int64_t> symbols_;
  const int64_t* symbol_values_;
  size_t scratch_bytes_;
  std::atomic<bool> failed_{false};
};

// A kernel's iterations, and the number of them below which splitting does not pay.
struct Extent {
  int64_t extent = 1, grain = 1;

  Extent(const Kernel& kernel, const CpuFrame& frame) {
    if (!kernel.plan->parallel) return;
    extent = kernel.extent.get(frame.symbols);
    grain = kernel.grain.get(frame.symbols);
  }
  bool is_small() const { return extent <= grain; }
};

Status run_kernel(const Kernel& kernel, const CpuFrame& frame) {
  const Extent e(kernel, frame);
  if (e.extent <= 0) return {};
  const Span span("kernel", kernel.plan->name);
  Launch launch(kernel, frame);
  if (e.is_small()) {
    launch.run(0, e.extent);
  } else {
    parallel_for(
        e.extent, e.grain,
        [](void* context, int64_t begin, int64_t end) { static_cast<Launch*>(context)->run_part("chunk", begin, end); },
        &launch);
  }
  return launch.status(*kernel.plan);
}

// Small kernels that are run together: each thread takes whole ones.
class Together {
 public:
  explicit Together(const CpuFrame& frame) : frame_(frame) {}

  Status add(const Kernel& kernel, const Extent& e) {
    Small& small = small_[count_++];
    small.launch.emplace(kernel, frame_);
    small.kernel = &kernel;
    small.extent = e.extent;
    // A kernel without a parallel loop says nothing about its work.
    if (kernel.plan->parallel) grains_ += static_cast<double>(e.extent) / static_cast<double>(e.grain);
    return count_ == kAtOnce ? flush() : Status();
  }

  Status flush() {
    const auto run = [](void* context, int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        Small& small = static_cast<Small*>(context)[i];
        const Span span("kernel", small.kernel->plan->name);
        small.launch->run(0, small.extent);
      }
    };
    if (grains_ >= kWorthSharing)
      parallel_for(static_cast<int64_t>(count_), 1, run, small_);
    else
      run(small_, 0, static_cast<int64_t>(count_));
    for (size_t i = 0; i < count_; ++i) FRIT_TRY(small_[i].launch->status(*small_[i].kernel->plan));
    count_ = 0;
    grains_ = 0;
    return {};
  }

 private:
  struct Small {
    std::optional<Launch> launch;
    const Kernel* kernel;
    int64_t extent;
  };
  static constexpr size_t kAtOnce = 16;
  static constexpr double kWorthSharing = 6;  // grains of all of them

  const CpuFrame& frame_;
  Small small_[kAtOnce];
  size_t count_ = 0;
  double grains_ = 0;
};

}  // namespace

Diagnostic CpuDevice::unreadable() const {
  return Diagnostic("an input of '" + plan_.plan().name + "' is in memory of a gpu that cannot be read", {},
                    "compute it again");
}

Status CpuDevice::kernels(const std::vector<Kernel>& kernels, const CpuFrame& frame) const {
  if (kernels.size() == 1) return run_kernel(kernels[0], frame);
  Together together(frame);
  for (const Kernel& kernel : kernels) {
    const Extent e(kernel, frame);
    if (!e.is_small())
      FRIT_TRY(run_kernel(kernel, frame));
    else if (e.extent > 0)
      FRIT_TRY(together.add(kernel, e));
  }
  return together.flush();
}

Status CpuDevice::library(const Library& step, std::span<const View<void*>> views, const CpuFrame& frame) const {
  const Span span("routine", step.plan->name);
  Array<LibraryTensor, 4> tensors(views.size());
  for (size_t i = 0; i < views.size(); ++i)
    tensors[i] = {views[i].first, views[i].dtype, views[i].shape, views[i].strides};
  const size_t operands = step.operands.size();
  LibraryCall call{
      {tensors.data(), operands}, {tensors.data() + operands, views.size() - operands}, step.plan->options, {}};
  Array<int64_t, 4> sizes(step.sizes.size());
  for (size_t i = 0; i < step.sizes.size(); ++i) sizes[i] = step.sizes[i].get(frame.symbols);
  call.sizes = {sizes.data(), step.sizes.size()};
  if (step.plan->workspace != ~0u)
    call.workspace = {static_cast<std::byte*>(frame.buffers[step.plan->workspace]),
                      static_cast<size_t>(step.workspace.get(frame.symbols))};
  if (!step.epilogue) return step.fn(call);
  const std::span<const int64_t> shape = views[operands].shape;
  int64_t elements = 1;
  for (int64_t n : shape) elements *= n;
  // The routine counts elements, the kernel's parallel loop rows.
  const int64_t columns = shape.empty() ? 1 : std::max<int64_t>(1, shape.back());
  if (step.epilogue->plan->parallel && elements / columns > step.epilogue->extent.get(frame.symbols))
    return plan_.outside("the result of step", step.step, shape);
  Launch launch(*step.epilogue, frame);
  call.epilogue = [&launch, columns](int64_t begin, int64_t end) {
    launch.run_part("epilogue", begin / columns, end / columns);
  };
  FRIT_TRY(step.fn(call));
  return launch.status(*step.epilogue->plan);
}

}  // namespace frit::runtime
