// Launches of CPU kernels and calls of CPU routines.
#include "runtime/execute/cpu_device.h"

#include <algorithm>
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

  // On rows that lie elsewhere: `places` has the address of the first row for each buffer, or null where the buffer is
  // whole.
  bool run_rows(int64_t begin, int64_t end, const Array<void*>& places) {
    Array<void*> buffers(plan_.buffers.size());
    for (size_t i = 0; i < plan_.buffers.size(); ++i) {
      void* place = places[plan_.buffers[i]];
      buffers[i] = place ? place : buffers_[i];
    }
    Scratch scratch(scratch_bytes_);
    if (scratch_bytes_ && !scratch.data()) return false;
    const Span span("epilogue", plan_.name);
    fn_(buffers.data(), symbol_values_, begin, end, scratch.data());
    return true;
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
  if (does_nothing(kernel, frame)) return {};
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
    if (does_nothing(kernel, frame)) continue;
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
  if (!step.between.empty()) return on_rows(step, call, frame);
  return with_epilogue(step, call, frame);
}

// Kernels on the rows that a routine of two products has in work.
class CpuDevice::RowKernels {
 public:
  RowKernels(const PreparedPlan& plan, const Library& step, const LibraryCall& call, const CpuFrame& frame)
      : plan_(plan), step_(step), frame_(frame), length_(call.operands[call.operands.size() > 1].shape.back()) {
    launches_.reserve(step.between.size());
    for (const Kernel& k : step.between) {
      launches_.push_back(std::make_unique<Launch>(k, frame));
      for (uint32_t b : k.plan->buffers)
        if (is_rows(b) && std::find(rows_.begin(), rows_.end(), b) == rows_.end()) rows_.push_back(b);
    }
  }

  // Whether the rows of the call are the iterations of the kernels and the rows of the buffers. A column may take
  // several iterations.
  bool fits(int64_t rows) {
    for (const Kernel& k : step_.between) {
      const int64_t extent = k.extent.get(frame_.symbols);
      if (step_.plan->scores == ~0u && rows > 0) iterations_ = std::max<int64_t>(1, extent / rows);
      if (rows * iterations_ != extent) return false;
    }
    count_ = rows;
    return std::all_of(rows_.begin(), rows_.end(), [&](uint32_t b) {
      const int64_t bytes = row_bytes(b), element = plan_.plan().buffers[b].dtype.size();
      return rows * bytes == buffer_bytes(b) && bytes % element == 0 && (rows == 0 || bytes >= length_ * element);
    });
  }

  // The elements from one row of a buffer to the next.
  int64_t stride(uint32_t b) const { return row_bytes(b) / plan_.plan().buffers[b].dtype.size(); }

  bool run(int64_t begin, int64_t end, void* scores, void* weights) const {
    int64_t more = 0;
    const auto own = [&](uint32_t b) { return b != step_.plan->scores && b != step_.plan->weights; };
    const auto bytes = [&](uint32_t b) { return ((end - begin) * row_bytes(b) + 63) / 64 * 64; };
    for (uint32_t b : rows_)
      if (own(b)) more += bytes(b);
    Scratch memory(static_cast<size_t>(more));
    if (more && !memory.data()) return false;
    Array<void*> places(plan_.buffers().size());
    for (size_t i = 0; i < plan_.buffers().size(); ++i) places[i] = nullptr;
    auto* next = static_cast<std::byte*>(memory.data());
    for (uint32_t b : rows_) {
      std::byte* first = own(b) ? next : static_cast<std::byte*>(b == step_.plan->scores ? scores : weights);
      if (own(b)) next += bytes(b);
      // Kernels count from the first of all rows.
      places[b] = reinterpret_cast<void*>(reinterpret_cast<intptr_t>(first) - begin * row_bytes(b));
    }
    return std::all_of(launches_.begin(), launches_.end(), [&](const auto& launch) {
      return launch->run_rows(begin * iterations_, end * iterations_, places);
    });
  }

  int64_t needed(int64_t begin, int64_t end) const {
    const size_t sizes = plan_.plan().sizes() + plan_.plan().counters;
    Array<int64_t> values(sizes + 1);
    std::copy_n(frame_.symbols, sizes, values.data());
    int64_t most = 0;
    for (int64_t row = begin; row < end; ++row) {
      values[sizes] = row;
      most = std::max(most, step_.plan->needed->evaluate(values.data()));
    }
    return std::min(most, length_);
  }

 private:
  bool is_rows(uint32_t b) const { return plan_.buffers()[b].role == BufferPlan::Role::Rows; }
  int64_t buffer_bytes(uint32_t b) const { return plan_.buffers()[b].bytes.get(frame_.symbols); }
  int64_t row_bytes(uint32_t b) const { return count_ ? buffer_bytes(b) / count_ : 0; }

  const PreparedPlan& plan_;
  const Library& step_;
  const CpuFrame& frame_;
  const int64_t length_;
  int64_t count_ = 0;       // of the rows
  int64_t iterations_ = 1;  // of a row
  std::vector<std::unique_ptr<Launch>> launches_;
  std::vector<uint32_t> rows_;
};

Status CpuDevice::on_rows(const Library& step, LibraryCall& call, const CpuFrame& frame) const {
  RowKernels kernels(plan_, step, call, frame);
  const std::span<const int64_t> shape = call.results[0].shape;
  const bool columns = step.plan->scores == ~0u;
  int64_t rows = 1;
  for (size_t i = 0; i < shape.size(); ++i)
    if (i + (columns ? 2 : 1) != shape.size()) rows *= shape[i];
  if (shape.empty() || !kernels.fits(rows)) return plan_.outside("the rows of step", step.step, shape);
  const uint32_t weights = step.plan->weights, scores = columns ? weights : step.plan->scores;
  RowWork work{
      plan_.plan().buffers[scores].dtype,
      plan_.plan().buffers[weights].dtype,
      kernels.stride(scores),
      kernels.stride(weights),
      [&](int64_t begin, int64_t end, void* scores, void* weights) { return kernels.run(begin, end, scores, weights); },
      {}};
  if (step.plan->needed) work.needed = [&](int64_t begin, int64_t end) { return kernels.needed(begin, end); };
  call.rows = &work;
  return with_epilogue(step, call, frame);
}

Status CpuDevice::with_epilogue(const Library& step, LibraryCall& call, const CpuFrame& frame) const {
  if (!step.epilogue) return step.fn(call);
  const std::span<const int64_t> shape = call.results[0].shape;
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
