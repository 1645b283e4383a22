#include "runtime/execute/executable.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "runtime/execute/library.h"
#include "runtime/execute/parallel.h"
#include "runtime/execute/scratch.h"

namespace frit::runtime {
namespace {

constexpr size_t kAlign = 64;

// A size whose program is evaluated at each call only when it is not constant.
struct Value {
  int64_t constant = 0;
  const DimProgram* program = nullptr;

  Value() = default;
  explicit Value(const DimProgram& p) {
    if (p.is_const())
      constant = p.evaluate(nullptr);
    else
      program = &p;
  }
  int64_t get(const int64_t* slots) const { return program ? program->evaluate(slots) : constant; }
};

// A list of known length, on the stack when it is short.
template <class T, size_t kInline = 32>
class Array {
 public:
  explicit Array(size_t n) : data_(inline_) {
    if (n > kInline) {
      heap_ = std::make_unique<T[]>(n);
      data_ = heap_.get();
    }
  }
  T& operator[](size_t i) { return data_[i]; }
  T* data() { return data_; }

 private:
  std::unique_ptr<T[]> heap_;
  T inline_[kInline];
  T* data_;
};

struct Window {
  uint32_t buffer;
  Dtype dtype;
  std::vector<Value> shape, strides;
  Value offset;

  Window() = default;
  explicit Window(const WindowPlan& w) : buffer(w.buffer), dtype(w.dtype), offset(w.offset) {
    for (const DimProgram& d : w.shape) shape.emplace_back(d);
    for (const DimProgram& d : w.strides) strides.emplace_back(d);
  }
  // Whether it is all of a buffer of so many bytes, row-major.
  bool fills(const Value& bytes, const int64_t* slots) const {
    int64_t dense = 1;
    for (size_t i = shape.size(); i-- > 0;) {
      const int64_t n = shape[i].get(slots);
      if (n != 1 && strides[i].get(slots) != dense) return false;
      dense *= n;
    }
    return offset.get(slots) == 0 && dense * static_cast<int64_t>(dtype.size) == bytes.get(slots);
  }
  void sizes(const int64_t* slots, Sizes& shape_out, Sizes& strides_out) const {
    shape_out.resize(shape.size());
    strides_out.resize(strides.size());
    for (size_t i = 0; i < shape.size(); ++i) shape_out[i] = shape[i].get(slots);
    for (size_t i = 0; i < strides.size(); ++i) strides_out[i] = strides[i].get(slots);
  }
};

struct Kernel {
  const KernelPlan* plan;
  KernelFn fn;
  bool same_symbols;  // the kernel takes the program's symbols as they stand
  Value extent, grain, scratch;

  Kernel(const KernelPlan& p, size_t symbols)
      : plan(&p),
        fn(p.fn),
        same_symbols(p.symbols.size() <= symbols),
        extent(p.extent),
        grain(p.grain),
        scratch(p.scratch_bytes) {
    for (size_t i = 0; i < p.symbols.size(); ++i) same_symbols &= p.symbols[i] == i;
  }
};

struct Library {
  const LibraryPlan* plan;
  LibraryFn fn = nullptr;
  std::vector<Window> operands, results;
  std::optional<Kernel> epilogue;
  std::vector<Value> sizes = {};
  Value workspace = {};  // bytes
};

// What a call works on: addresses of buffers by number, values of symbols.
struct Frame {
  void* const* buffers;
  const int64_t* symbols;
};

// One launch: pointers and symbols in the kernel's order.
class Launch {
 public:
  Launch(const Kernel& kernel, const Frame& frame)
      : fn_(kernel.fn),
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

  Status status(const KernelPlan& plan) const {
    if (!failed_.load(std::memory_order_relaxed)) return {};
    return Diagnostic(
        "cannot allocate " + std::to_string(scratch_bytes_) + " bytes of scratch for kernel '" + plan.name + "'", {},
        "free arrays or raise the limit with set_memory_limit");
  }

 private:
  KernelFn fn_;
  Array<void*> buffers_;
  Array<int64_t> symbols_;
  const int64_t* symbol_values_;
  size_t scratch_bytes_;
  std::atomic<bool> failed_{false};
};

// A kernel's iterations, and those below which splitting does not pay.
struct Extent {
  int64_t extent = 1, grain = 1;

  Extent(const Kernel& kernel, const Frame& frame) {
    if (!kernel.plan->parallel) return;
    extent = kernel.extent.get(frame.symbols);
    grain = kernel.grain.get(frame.symbols);
  }
  bool is_small() const { return extent <= grain; }
};

Status run_kernel(const Kernel& kernel, const Frame& frame) {
  const Extent e(kernel, frame);
  if (e.extent <= 0) return {};
  Launch launch(kernel, frame);
  if (e.is_small()) {
    launch.run(0, e.extent);
  } else {
    parallel_for(
        e.extent, e.grain,
        [](void* context, int64_t begin, int64_t end) { static_cast<Launch*>(context)->run(begin, end); }, &launch);
  }
  return launch.status(*kernel.plan);
}

// Kernels that do not need each other. Each thread takes whole ones of those that are too small to be split, where
// together they are worth it.
Status run_beside(const std::vector<Kernel>& kernels, const Frame& frame) {
  struct Small {
    std::optional<Launch> launch;
    const Kernel* kernel;
    int64_t extent;
  };
  constexpr size_t kAtOnce = 16;
  constexpr double kWorthSharing = 6;  // grains of them together
  Small small[kAtOnce];
  size_t count = 0;
  double grains = 0;
  const auto flush = [&]() -> Status {
    const auto run = [](void* context, int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        static_cast<Small*>(context)[i].launch->run(0, static_cast<Small*>(context)[i].extent);
    };
    if (grains >= kWorthSharing)
      parallel_for(static_cast<int64_t>(count), 1, run, small);
    else
      run(small, 0, static_cast<int64_t>(count));
    for (size_t i = 0; i < count; ++i) FRIT_TRY(small[i].launch->status(*small[i].kernel->plan));
    count = 0;
    grains = 0;
    return {};
  };
  for (const Kernel& kernel : kernels) {
    const Extent e(kernel, frame);
    if (!e.is_small()) {
      FRIT_TRY(run_kernel(kernel, frame));
      continue;
    }
    if (e.extent <= 0) continue;
    small[count].launch.emplace(kernel, frame);
    small[count].kernel = &kernel;
    small[count++].extent = e.extent;
    // What is not in a parallel loop says nothing of its work.
    if (kernel.plan->parallel) grains += static_cast<double>(e.extent) / static_cast<double>(e.grain);
    if (count == kAtOnce) FRIT_TRY(flush());
  }
  return flush();
}

// Library tensors point to sizes that must outlive the call.
struct Views {
  std::vector<Sizes> sizes;
  std::vector<LibraryTensor> tensors;

  Views(const std::vector<Window>& windows, const Frame& frame) : sizes(windows.size() * 2), tensors(windows.size()) {
    for (size_t i = 0; i < windows.size(); ++i) {
      const Window& w = windows[i];
      w.sizes(frame.symbols, sizes[2 * i], sizes[2 * i + 1]);
      auto* base = static_cast<std::byte*>(frame.buffers[w.buffer]);
      tensors[i] = {base + w.offset.get(frame.symbols) * w.dtype.size, w.dtype, sizes[2 * i], sizes[2 * i + 1]};
    }
  }
};

Status run_library(const Library& library, const Frame& frame) {
  Views operands(library.operands, frame), results(library.results, frame);
  LibraryCall call{operands.tensors, results.tensors, library.plan->options, {}};
  std::vector<int64_t> sizes;
  for (const Value& size : library.sizes) sizes.push_back(size.get(frame.symbols));
  call.sizes = sizes;
  if (library.plan->workspace != ~0u)
    call.workspace = {static_cast<std::byte*>(frame.buffers[library.plan->workspace]),
                      static_cast<size_t>(library.workspace.get(frame.symbols))};
  if (!library.epilogue) return library.fn(call);
  Launch launch(*library.epilogue, frame);
  // The routine counts elements, the kernel's parallel loop rows.
  std::span<const int64_t> shape = results.tensors[0].shape;
  int64_t columns = shape.empty() ? 1 : std::max<int64_t>(1, shape.back());
  call.epilogue = [&launch, columns](int64_t begin, int64_t end) { launch.run(begin / columns, end / columns); };
  FRIT_TRY(library.fn(call));
  return launch.status(*library.epilogue->plan);
}

}  // namespace

// The plan with its constants evaluated and its names resolved. Programs point into the Executable's plan.
struct Executable::Prepared {
  struct Memory {
    BufferPlan::Role role;
    uint32_t index, donor;
    uint32_t owner;  // where run() holds the reference; only for inputs' and temps' absence of one it is ~0
    Value bytes;
    Dtype dtype;
  };
  std::vector<Memory> buffers;
  std::vector<std::variant<std::vector<Kernel>, Library>> steps;  // kernels that do not need each other together
  std::vector<Window> results;
  std::vector<uint32_t> whole;  // of each result that has an output to itself its owner, else ~0
  std::vector<Value> slots;
  size_t owners = 0;

  // Entry points and routines that the plan left open, looked up at the first run.
  std::atomic<bool> resolved{false};
  std::mutex resolving;

  Status resolve(Code* code) {
    std::lock_guard lock(resolving);
    if (resolved.load(std::memory_order_relaxed)) return {};
    auto look_up = [&](Kernel& k) -> Status {
      if (k.fn) return {};
      if (!code) return Diagnostic("kernel '" + k.plan->name + "' has no code");
      auto entry = code->entry(k.plan->name);
      if (!entry.ok()) return entry.error();
      k.fn = *entry;
      return {};
    };
    for (auto& step : steps) {
      if (auto* kernels = std::get_if<std::vector<Kernel>>(&step)) {
        for (Kernel& kernel : *kernels) FRIT_TRY(look_up(kernel));
        continue;
      }
      auto& library = std::get<Library>(step);
      std::string why;
      if (!library.fn) library.fn = find_library(library.plan->name, why);
      if (!library.fn)
        return Diagnostic("the routine '" + library.plan->name + "' is not installed: " + why, {},
                          "install frit's runtime plugins, or name their folder in FRIT_PLUGIN_DIR");
      if (library.epilogue) FRIT_TRY(look_up(*library.epilogue));
    }
    resolved.store(true, std::memory_order_release);
    return {};
  }
};

Executable::Executable(Plan plan) : plan_(std::move(plan)), prepared_(std::make_unique<Prepared>()) {
  Prepared& p = *prepared_;
  size_t symbols = plan_.symbols.size();
  for (const BufferPlan& b : plan_.buffers)
    p.buffers.push_back({b.role, b.index, b.donor, ~0u, Value(b.bytes), b.dtype});
  auto windows = [](const std::vector<WindowPlan>& from) {
    std::vector<Window> to;
    for (const WindowPlan& w : from) to.emplace_back(w);
    return to;
  };
  p.results = windows(plan_.results);
  // A temp that a result shows must outlive the call.
  for (const Window& w : p.results)
    if (p.buffers[w.buffer].role == BufferPlan::Role::Temp) p.buffers[w.buffer].role = BufferPlan::Role::Output;
  for (auto& b : p.buffers)
    if (b.role == BufferPlan::Role::Output) b.owner = static_cast<uint32_t>(p.owners++);
  for (const Window& w : p.results) {
    const auto users = std::count_if(p.results.begin(), p.results.end(),
                                     [&](const Window& other) { return other.buffer == w.buffer; });
    const auto& b = p.buffers[w.buffer];
    p.whole.push_back(users == 1 && b.role == BufferPlan::Role::Output ? b.owner : ~0u);
  }
  for (const DimProgram& s : plan_.slots) p.slots.emplace_back(s);
  for (const auto& step : plan_.steps) {
    if (auto* kernel = std::get_if<KernelPlan>(&step)) {
      const bool joins =
          kernel->beside && !p.steps.empty() && std::holds_alternative<std::vector<Kernel>>(p.steps.back());
      if (!joins) p.steps.emplace_back(std::vector<Kernel>());
      std::get<std::vector<Kernel>>(p.steps.back()).emplace_back(*kernel, symbols);
      continue;
    }
    const auto& plan_step = std::get<LibraryPlan>(step);
    Library library{&plan_step, nullptr, windows(plan_step.operands), windows(plan_step.results), {}};
    if (plan_step.epilogue) library.epilogue.emplace(*plan_step.epilogue, symbols);
    for (const DimProgram& size : plan_step.sizes) library.sizes.emplace_back(size);
    if (plan_step.workspace != ~0u) library.workspace = Value(plan_.buffers[plan_step.workspace].bytes);
    p.steps.emplace_back(std::move(library));
  }
}

Executable::~Executable() = default;

size_t Executable::kernel_count() const {
  size_t n = 0;
  for (const auto& step : plan_.steps) n += std::holds_alternative<KernelPlan>(step);
  return n;
}

Result<std::vector<Tensor>> Executable::run(std::span<const Tensor> inputs, std::span<const bool> donated) const {
  std::vector<Tensor> results(plan_.results.size());
  FRIT_TRY(run(inputs, donated, results));
  return results;
}

namespace {

// A view takes no memory, so that nothing else stops one whose elements cannot be counted.
Status check_elements(const Tensor& t, const Plan& plan) {
  constexpr int64_t kMost = int64_t{1} << 48;
  int64_t elements = 1;
  bool large = false;
  for (int64_t n : t.shape) {
    if (n == 0) return {};
    large |= __builtin_mul_overflow(elements, n, &elements) || elements > kMost;
  }
  if (!large) return {};
  std::string shape;
  for (int64_t n : t.shape) shape += (shape.empty() ? "" : ", ") + std::to_string(n);
  return Diagnostic("a result of '" + plan.name + "' has more than 2^48 elements: [" + shape + "]", {},
                    "call it with smaller arrays");
}

}  // namespace

Status Executable::run(std::span<const Tensor> inputs, std::span<const bool> donated, std::span<Tensor> results,
                       std::span<const std::shared_ptr<Buffer>> into) const {
  using Role = BufferPlan::Role;
  if (plan_.device_code) {
    FRIT_TRY(plan_.device_code->run(plan_, inputs, donated, results));
    for (const Tensor& t : results) FRIT_TRY(check_elements(t, plan_));
    return {};
  }
  Prepared& p = *prepared_;
  if (!p.resolved.load(std::memory_order_acquire)) FRIT_TRY(p.resolve(plan_.code.get()));

  Array<int64_t> symbols(plan_.symbols.size());
  for (size_t i = 0; i < plan_.symbols.size(); ++i) {
    const SymbolSource& s = plan_.symbols[i];
    symbols[i] = s.stride ? inputs[s.input].strides[s.axis] : inputs[s.input].shape[s.axis];
  }

  Array<int64_t, 8> starts(p.slots.size());
  size_t workspace_bytes = 0;
  for (size_t i = 0; i < p.slots.size(); ++i) {
    starts[i] = static_cast<int64_t>(workspace_bytes);
    workspace_bytes += (static_cast<size_t>(p.slots[i].get(symbols.data())) + kAlign - 1) & ~(kAlign - 1);
  }
  Scratch workspace(workspace_bytes);
  if (workspace_bytes && !workspace.data())
    return Diagnostic(
        "cannot allocate the workspace of '" + plan_.name + "' of " + std::to_string(workspace_bytes) + " bytes", {},
        "free arrays or raise the limit with set_memory_limit");

  Array<void*> addresses(p.buffers.size());
  Array<std::shared_ptr<Buffer>, 4> owners(p.owners);
  for (size_t i = 0; i < into.size(); ++i)
    if (const uint32_t owner = into[i] ? p.whole[i] : ~0u;
        owner != ~0u && reinterpret_cast<uintptr_t>(into[i]->data()) % kAlign == 0 &&
        p.results[i].fills(p.buffers[p.results[i].buffer].bytes, symbols.data()))
      owners[owner] = into[i];
  for (size_t i = 0; i < p.buffers.size(); ++i) {
    const auto& b = p.buffers[i];
    switch (b.role) {
      case Role::Input: {
        const Tensor& t = inputs[b.index];
        void* data = t.buffer->data();
        if (!data)
          return Diagnostic("an input of '" + plan_.name + "' is in memory of a gpu that cannot be read", {},
                            "compute it again");
        addresses[i] = static_cast<std::byte*>(data) + t.offset * t.dtype.size;
        break;
      }
      case Role::Temp: addresses[i] = static_cast<std::byte*>(workspace.data()) + starts[b.index]; break;
      case Role::Constant: addresses[i] = plan_.buffers[i].constant->data(); break;
      case Role::Output: {
        auto bytes = static_cast<size_t>(b.bytes.get(symbols.data()));
        std::shared_ptr<Buffer>& owner = owners[b.owner];
        if (!owner && b.donor < donated.size() && donated[b.donor]) {
          const Tensor& t = inputs[b.donor];
          // One reference is the caller's tensor. Memory much larger than what is needed would be held for nothing.
          if (t.offset == 0 && t.buffer.use_count() == 1 && t.buffer->owned() && t.buffer->bytes() >= bytes &&
              t.buffer->bytes() / 2 <= bytes)
            owner = t.buffer;
        }
        if (!owner) {
          auto buffer = Buffer::allocate(bytes);
          if (!buffer.ok()) return std::move(buffer.error());
          owner = *std::move(buffer);
        }
        addresses[i] = owner->data();
        break;
      }
    }
  }

  Frame frame{addresses.data(), symbols.data()};
  for (const auto& step : p.steps) {
    if (const auto* kernels = std::get_if<std::vector<Kernel>>(&step))
      FRIT_TRY(kernels->size() == 1 ? run_kernel((*kernels)[0], frame) : run_beside(*kernels, frame));
    else
      FRIT_TRY(run_library(std::get<Library>(step), frame));
  }

  for (size_t i = 0; i < p.results.size(); ++i) {
    const Window& w = p.results[i];
    Tensor& t = results[i];
    const auto& b = p.buffers[w.buffer];
    int64_t base = 0;
    switch (b.role) {
      case Role::Input:
        t.buffer = inputs[b.index].buffer;
        // Its window counts from the input's first element.
        base = inputs[b.index].offset;
        break;
      case Role::Constant: t.buffer = plan_.buffers[w.buffer].constant; break;
      case Role::Output:
      case Role::Temp: t.buffer = owners[b.owner]; break;
    }
    t.dtype = w.dtype;
    w.sizes(symbols.data(), t.shape, t.strides);
    t.offset = base + w.offset.get(symbols.data());
    FRIT_TRY(check_elements(t, plan_));
  }
  return {};
}

}  // namespace frit::runtime
