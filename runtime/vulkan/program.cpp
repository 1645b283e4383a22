// A plan's steps on a Vulkan device: addresses and sizes as push constants, one submission per run, which is not waited
// for.
//
// A run first lays out what it launches, with all addresses and sizes. Commands that were recorded for the same
// launches are submitted again; freed memory goes to who asks next, so that calls in a row see the same addresses.
#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "runtime/vulkan/device.h"

namespace frit::runtime::vulkan {

namespace {

using Role = BufferPlan::Role;

constexpr size_t kMaxPushArguments = 16;
constexpr int64_t kScratchGroups = 1024;  // workgroups that have scratch memory of their own at once
constexpr size_t kAlign = 256;
constexpr size_t kBatchAxes = 4;
constexpr size_t kRecordings = 4;  // of a program that are kept
constexpr int64_t kManyTiles = 64;
constexpr int64_t kMatrixResult =
    128 * 128;  // elements of a result below which matrix units are not worth their large tiles

class Program : public DeviceCode {
 public:
  Program(Device& device, GpuCode code) : device_(device) {
    for (GpuKernel& k : code.kernels) {
      std::string name = k.name;
      kernels_[name] = std::make_unique<Kernel>(std::move(k));
    }
  }

  // Everything the plan needs is there, and its constants are on the device.
  Status prepare(const Plan& plan) {
    for (size_t i = 0; i < plan.steps.size(); ++i) {
      if (const auto* k = std::get_if<KernelPlan>(&plan.steps[i])) {
        if (!kernels_.count(k->name)) return Diagnostic("kernel '" + k->name + "' has no shader");
        continue;
      }
      const auto& l = std::get<LibraryPlan>(plan.steps[i]);
      const auto routine = kernels_.find("routine" + std::to_string(i));
      if (routine == kernels_.end())
        return Diagnostic("the routine '" + l.name + "' has no form for a gpu yet", {}, "run the function on the cpu");
      const auto matrix = kernels_.find("routine" + std::to_string(i) + "_matrix");
      const bool applied =
          routine->second->code.epilogue && (matrix == kernels_.end() || matrix->second->code.epilogue);
      if (l.epilogue && !applied && !kernels_.count(l.epilogue->name))
        return Diagnostic("kernel '" + l.epilogue->name + "' has no shader");
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

  Status run(const Plan& plan, std::span<const Tensor> inputs, std::span<const bool> donated,
             std::span<Tensor> results) const override {
    if (device_.lost()) {
      FRIT_ASSIGN_OR_RETURN(next, successor(plan));
      return next->run(plan, inputs, donated, results);
    }
    // Inputs that are elsewhere are copied here first.
    std::vector<Tensor> copies;
    for (const Tensor& t : inputs)
      if (!is_here(t)) {
        copies.assign(inputs.begin(), inputs.end());
        break;
      }
    if (!copies.empty()) {
      for (Tensor& t : copies) {
        if (is_here(t)) continue;
        if (t.buffer->gpu())
          return Diagnostic("an input of '" + plan.name + "' is in memory of a gpu that was lost", {},
                            "compute it again");
        FRIT_ASSIGN_OR_RETURN(moved, to_gpu(t, device_));
        t = std::move(moved);
      }
      return run_here(plan, copies, {}, results);
    }
    return run_here(plan, inputs, donated, results);
  }

 private:
  struct Kernel {
    explicit Kernel(GpuKernel k) : code(std::move(k)) {}
    GpuKernel code;
    std::mutex mutex;
    std::array<VkPipeline, 8> pipelines{};  // by variant
    bool refused = false;                   // the device did not take its shader
  };
  // One launch among a call's words: Kernel, pipeline, workgroups, whether it needs the ones before, and its arguments.
  enum Word : size_t { kKernel, kPipeline, kGroups, kAfter, kCount, kArguments };
  struct Call {
    std::vector<uint64_t> addresses;  // by buffer
    std::vector<int64_t> elements;
    std::vector<int64_t> symbols;
    std::vector<uint64_t> words;
    size_t launches = 0;
    std::vector<std::shared_ptr<Buffer>> held;
    std::vector<Track*> reads, writes;
  };

  // The same program on the device that took the place of one that was lost.
  Result<std::shared_ptr<Program>> successor(const Plan& plan) const {
    std::lock_guard lock(successor_mutex_);
    if (!successor_ || successor_->device_.lost()) {
      FRIT_ASSIGN_OR_RETURN(device, current_device());
      GpuCode code;
      for (const auto& [name, kernel] : kernels_) code.kernels.push_back(kernel->code);
      auto made = std::make_shared<Program>(*device, std::move(code));
      FRIT_TRY(made->prepare(plan));
      successor_ = std::move(made);
    }
    return successor_;
  }

  static Track& track(const Buffer& b) { return static_cast<DeviceMemory*>(b.gpu())->track(); }
  bool is_here(const Tensor& t) const {
    return t.buffer->gpu() && &static_cast<DeviceMemory*>(t.buffer->gpu())->device() == &device_;
  }

  Status run_here(const Plan& plan, std::span<const Tensor> inputs, std::span<const bool> donated,
                  std::span<Tensor> results) const {
    Call call;
    call.symbols.resize(plan.symbols.size());
    for (size_t i = 0; i < plan.symbols.size(); ++i) {
      const SymbolSource& s = plan.symbols[i];
      call.symbols[i] = s.stride ? inputs[s.input].strides[s.axis] : inputs[s.input].shape[s.axis];
    }
    const int64_t* symbols = call.symbols.data();
    std::vector<size_t> starts;
    size_t workspace_bytes = 0;
    for (const DimProgram& slot : plan.slots) {
      starts.push_back(workspace_bytes);
      workspace_bytes += (static_cast<size_t>(slot.evaluate(symbols)) + kAlign - 1) / kAlign * kAlign;
    }
    uint64_t workspace = 0;
    if (workspace_bytes) {
      FRIT_ASSIGN_OR_RETURN(memory, device_.allocate(workspace_bytes));
      workspace = memory->gpu()->address();
      call.writes.push_back(&track(*memory));
      call.held.push_back(std::move(memory));
    }
    // A temp that a result shows must outlive the call.
    std::vector<bool> shown(plan.buffers.size(), false);
    for (const WindowPlan& w : plan.results) shown[w.buffer] = true;
    std::vector<std::shared_ptr<Buffer>> owners(plan.buffers.size());
    for (size_t i = 0; i < plan.buffers.size(); ++i) {
      const BufferPlan& b = plan.buffers[i];
      if (!device_.info().features.int64) call.elements.push_back(b.bytes.evaluate(symbols) / b.dtype.size);
      if (b.role == Role::Input) {
        const Tensor& t = inputs[b.index];
        call.addresses.push_back(t.buffer->gpu()->address() + static_cast<uint64_t>(t.offset * t.dtype.size));
        call.reads.push_back(&track(*t.buffer));
      } else if (b.role == Role::Constant) {
        call.addresses.push_back(constants_[i]->gpu()->address());
        call.reads.push_back(&track(*constants_[i]));
        owners[i] = constants_[i];
      } else if (b.role == Role::Temp && !shown[i]) {
        call.addresses.push_back(workspace + starts[b.index]);
      } else {
        const auto bytes = static_cast<size_t>(b.bytes.evaluate(symbols));
        if (b.role == Role::Output && b.donor < donated.size() && donated[b.donor]) {
          const Tensor& t = inputs[b.donor];
          if (t.offset == 0 && t.buffer.use_count() == 1 && t.buffer->bytes() >= bytes &&
              t.buffer->bytes() / 2 <= bytes) {
            owners[i] = t.buffer;
            static_cast<DeviceMemory*>(t.buffer->gpu())->drop_copy();
          }
        }
        if (!owners[i]) {
          FRIT_ASSIGN_OR_RETURN(memory, device_.allocate(bytes));
          owners[i] = std::move(memory);
        }
        call.addresses.push_back(owners[i]->gpu()->address());
        call.writes.push_back(&track(*owners[i]));
      }
    }
    bool kernels = false;  // the step before is a kernel
    for (size_t i = 0; i < plan.steps.size(); ++i) {
      if (const auto* k = std::get_if<KernelPlan>(&plan.steps[i])) {
        FRIT_TRY(launch(*k, !k->beside || !kernels, call));
        kernels = true;
      } else {
        FRIT_TRY(run_routine(std::get<LibraryPlan>(plan.steps[i]), i, call));
        kernels = false;
      }
    }
    if (call.launches) {
      FRIT_ASSIGN_OR_RETURN(recording, commands_for(call));
      FRIT_TRY(device_.submit(recording, call.reads, call.writes));
    }
    for (size_t i = 0; i < plan.results.size(); ++i) {
      const WindowPlan& w = plan.results[i];
      const BufferPlan& b = plan.buffers[w.buffer];
      Tensor& t = results[i];
      const bool input = b.role == Role::Input;
      t.buffer = input ? inputs[b.index].buffer : owners[w.buffer];
      t.dtype = w.dtype;
      t.shape.resize(w.shape.size());
      t.strides.resize(w.strides.size());
      for (size_t a = 0; a < w.shape.size(); ++a)
        t.shape[a] = w.shape[a].evaluate(symbols), t.strides[a] = w.strides[a].evaluate(symbols);
      t.offset = (input ? inputs[b.index].offset : 0) + w.offset.evaluate(symbols);
    }
    return {};
  }

  // Commands for the call: those that are there, or recorded now.
  Result<RecordingPtr> commands_for(Call& call) const {
    const size_t queue = device_.queue();
    const bool timed = device_.is_timed(call.launches);
    {
      std::lock_guard lock(recordings_mutex_);
      for (const RecordingPtr& r : recordings_)
        if (r && r->queue == queue && r->timed == timed && r->words == call.words) return r;
    }
    std::vector<std::string> steps;
    for (size_t at = 0; at < call.words.size(); at += kArguments + call.words[at + kCount])
      steps.push_back("kernel @" + reinterpret_cast<const Kernel*>(call.words[at + kKernel])->code.name);
    // What the device reads from memory must be there before any command is recorded.
    std::vector<Block> arguments;
    for (size_t at = 0; at < call.words.size(); at += kArguments + call.words[at + kCount]) {
      const size_t count = call.words[at + kCount];
      if (count <= kMaxPushArguments) continue;
      auto block = device_.host_block(8 * count);
      Status ready = block.ok() ? device_.wait(block->used) : Status(block.error());
      if (!ready.ok()) {
        for (const Block& b : arguments) device_.free_host_block(b);
        return std::move(ready.error());
      }
      std::memcpy(block->mapped, &call.words[at + kArguments], 8 * count);
      arguments.push_back(*block);
    }
    FRIT_ASSIGN_OR_RETURN(recording, device_.record(std::move(steps), timed, [&](Recording& r) {
      r.arguments = std::move(arguments);
      record(r, call.words);
    }));
    recording->words = std::move(call.words);
    std::lock_guard lock(recordings_mutex_);
    recordings_[next_++ % kRecordings] = recording;
    return recording;
  }

  void record(const Recording& r, const std::vector<uint64_t>& words) const {
    const Api& api = device_.api();
    const auto most = static_cast<int64_t>(std::min<uint64_t>(device_.info().max_groups, uint64_t{1} << 30));
    uint32_t launches = 0;
    size_t blocks = 0;
    for (size_t at = 0; at < words.size(); at += kArguments + words[at + kCount]) {
      if (launches && words[at + kAfter]) {
        VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_SHADER_WRITE_BIT,
                                VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
        api.CmdPipelineBarrier(r.commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                               0, 1, &barrier, 0, nullptr, 0, nullptr);
      }
      api.CmdBindPipeline(r.commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                          reinterpret_cast<VkPipeline>(words[at + kPipeline]));
      const size_t count = words[at + kCount];
      const bool few = count <= kMaxPushArguments;
      const void* arguments = few ? static_cast<const void*>(&words[at + kArguments]) : &r.arguments[blocks++].address;
      if (count)
        api.CmdPushConstants(r.commands, device_.layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0,
                             few ? static_cast<uint32_t>(8 * count) : 8, arguments);
      const auto groups = static_cast<int64_t>(words[at + kGroups]);
      const int64_t x = std::min(groups, most), y = (groups + x - 1) / x;
      api.CmdDispatch(r.commands, static_cast<uint32_t>(x), static_cast<uint32_t>(y), 1);
      ++launches;
      if (r.timed) api.CmdWriteTimestamp(r.commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, r.queries, launches);
    }
    if (!device_.info().host_visible) return;
    // Only what the CPU maps must reach it as well: doing so for nothing costs a microsecond.
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_SHADER_WRITE_BIT,
                            VK_ACCESS_HOST_READ_BIT};
    api.CmdPipelineBarrier(r.commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier,
                           0, nullptr, 0, nullptr);
  }

  // Shaders for devices without 64-bit integers count in 32 bits.
  Status check_narrow(const KernelPlan& plan, int64_t extent, const Call& call) const {
    constexpr int64_t kMost = (int64_t{1} << 31) - 65536;
    bool fits = extent <= kMost;
    for (uint32_t s : plan.symbols) fits = fits && call.symbols[s] <= kMost;
    for (uint32_t b : plan.buffers) fits = fits && call.elements[b] <= kMost;
    if (fits) return {};
    return Diagnostic("kernel @" + plan.name + " reaches past 2^31 elements, and the device has no shaderInt64", {},
                      "split the arrays, or run on the cpu");
  }

  // `after`: it needs launches before it, or they it.
  Status launch(const KernelPlan& plan, bool after, Call& call) const {
    Kernel& kernel = *kernels_.at(plan.name);
    const GpuKernel& code = kernel.code;
    const int64_t* symbols = call.symbols.data();
    const int64_t extent = plan.parallel ? plan.extent.evaluate(symbols) : 1;
    if (extent <= 0) return {};
    if (!device_.info().features.int64) FRIT_TRY(check_narrow(plan, extent, call));
    std::vector<uint64_t> arguments;
    for (uint32_t b : plan.buffers) arguments.push_back(call.addresses[b]);
    bool aligned = true;
    for (uint32_t b : code.aligned_buffers) aligned = aligned && b < arguments.size() && arguments[b] % 16 == 0;
    for (uint32_t s : code.multiple_symbols)
      aligned = aligned && s < plan.symbols.size() && symbols[plan.symbols[s]] % code.multiple == 0;
    int64_t groups = plan.parallel ? (extent + code.per_group - 1) / code.per_group : 1;
    if (code.scratch) {
      groups = std::min(groups, kScratchGroups);
      const auto bytes = static_cast<size_t>(plan.scratch_bytes.evaluate(symbols));
      FRIT_ASSIGN_OR_RETURN(memory, device_.allocate(bytes * static_cast<size_t>(groups)));
      arguments.push_back(memory->gpu()->address());
      call.writes.push_back(&track(*memory));
      call.held.push_back(std::move(memory));
    } else if (code.rows) {
      groups = std::min<int64_t>(groups, int64_t{1} << 20);
    }
    for (uint32_t s : plan.symbols) arguments.push_back(static_cast<uint64_t>(symbols[s]));
    return add(kernel, aligned, arguments, groups, after, call);
  }

  Status add(Kernel& kernel, uint32_t variant, const std::vector<uint64_t>& arguments, int64_t groups, bool after,
             Call& call) const {
    VkPipeline pipeline;
    {
      std::lock_guard lock(kernel.mutex);
      VkPipeline& made = kernel.pipelines[variant];
      if (!made) {
        auto fresh = device_.make_pipeline(kernel.code, variant);
        kernel.refused = !fresh.ok();
        if (!fresh.ok()) return std::move(fresh.error());
        made = *fresh;
      }
      pipeline = made;
    }
    for (uint64_t word : {reinterpret_cast<uint64_t>(&kernel), reinterpret_cast<uint64_t>(pipeline),
                          static_cast<uint64_t>(groups), uint64_t{after}, uint64_t{arguments.size()}})
      call.words.push_back(word);
    call.words.insert(call.words.end(), arguments.begin(), arguments.end());
    ++call.launches;
    return {};
  }

  // Arguments of a product: addresses; m, n, k; strides of rows and columns; sizes of the leading axes and both
  // operands' strides along them.
  Status run_routine(const LibraryPlan& plan, size_t index, Call& call) const {
    Kernel& kernel = *kernels_.at("routine" + std::to_string(index));
    const int64_t* symbols = call.symbols.data();
    struct View {
      uint64_t address;
      std::vector<int64_t> shape, strides;
    };
    auto view = [&](const WindowPlan& w) {
      View v{call.addresses[w.buffer] + static_cast<uint64_t>(w.offset.evaluate(symbols) * w.dtype.size), {}, {}};
      for (size_t i = 0; i < w.shape.size(); ++i) {
        v.shape.push_back(w.shape[i].evaluate(symbols));
        v.strides.push_back(w.strides[i].evaluate(symbols));
      }
      return v;
    };
    if (plan.operands.size() != 2 || plan.results.size() != 1)
      return Diagnostic("matmul takes two operands and gives one result");
    View a = view(plan.operands[0]), b = view(plan.operands[1]), c = view(plan.results[0]);
    const size_t rank = a.shape.size();
    int64_t m = a.shape[rank - 2], k = a.shape[rank - 1], n = b.shape[rank - 1], batch = 1;
    // Leading axes that lie behind one another in both operands are one.
    std::vector<int64_t> sizes, a_steps, b_steps;
    for (size_t i = 0; i + 2 < rank; ++i) {
      batch *= a.shape[i];
      if (a.shape[i] == 1) continue;
      if (!sizes.empty() && a_steps.back() == a.shape[i] * a.strides[i] &&
          b_steps.back() == a.shape[i] * b.strides[i]) {
        sizes.back() *= a.shape[i];
        a_steps.back() = a.strides[i];
        b_steps.back() = b.strides[i];
        continue;
      }
      sizes.push_back(a.shape[i]);
      a_steps.push_back(a.strides[i]);
      b_steps.push_back(b.strides[i]);
    }
    if (sizes.size() > kBatchAxes)
      return Diagnostic("op 'matmul' on a gpu takes at most 4 leading axes that do not lie behind one another", {},
                        "make the operands contiguous");
    while (sizes.size() < kBatchAxes)
      sizes.insert(sizes.begin(), 1), a_steps.insert(a_steps.begin(), 0), b_steps.insert(b_steps.begin(), 0);
    if (m > 0 && n > 0 && batch > 0) {
      std::vector<uint64_t> arguments{a.address, b.address, c.address};
      for (int64_t v : {m, n, k, a.strides[rank - 2], a.strides[rank - 1], b.strides[rank - 2], b.strides[rank - 1]})
        arguments.push_back(static_cast<uint64_t>(v));
      for (const auto* list : {&sizes, &a_steps, &b_steps})
        for (int64_t v : *list) arguments.push_back(static_cast<uint64_t>(v));
      auto tiles = [&](const Kernel& form) {
        const int64_t rows = form.code.tile_rows, columns = form.code.tile_columns;
        return batch * ((m + rows - 1) / rows) * ((n + columns - 1) / columns);
      };
      bool applied = false;
      // Some forms apply the epilogue themselves.
      auto add_form = [&](Kernel& form, uint32_t variant) -> Status {
        std::vector<uint64_t> all = arguments;
        applied = form.code.epilogue;
        if (applied) {
          for (uint32_t buffer : plan.epilogue->buffers) all.push_back(call.addresses[buffer]);
          for (uint32_t symbol : plan.epilogue->symbols) all.push_back(static_cast<uint64_t>(symbols[symbol]));
        }
        return add(form, variant, all, tiles(form), true, call);
      };
      // Large tiles only where there are enough of them to go round.
      auto small = kernels_.find("routine" + std::to_string(index) + "_small");
      Kernel& form = small != kernels_.end() && tiles(kernel) < kManyTiles ? *small->second : kernel;
      const auto size = static_cast<int64_t>(plan.operands[0].dtype.size);
      // Wide loads: a row of four elements at a time along whichever axis lies side by side.
      auto wide = [&](const View& v, const std::vector<int64_t>& steps) {
        bool fits = v.address % 16 == 0;
        int64_t unit = 16 / size, x = v.strides[rank - 2], y = v.strides[rank - 1];
        fits = fits && (y == 1 ? x % unit == 0 && v.shape[rank - 1] % unit == 0
                               : x == 1 && y % unit == 0 && v.shape[rank - 2] % unit == 0);
        for (int64_t s : steps) fits = fits && s % unit == 0;
        return fits;
      };
      const bool aligned = wide(a, a_steps) && wide(b, b_steps);
      auto matrix = kernels_.find("routine" + std::to_string(index) + "_matrix");
      bool done = false;
      if (matrix != kernels_.end() && aligned && m % 16 == 0 && n % 16 == 0 && c.address % 16 == 0 &&
          m * n >= kMatrixResult) {
        Kernel& units = *matrix->second;
        const bool a_columns = a.strides[rank - 1] != 1, b_columns = b.strides[rank - 1] != 1;
        bool refused;
        {
          std::lock_guard lock(units.mutex);
          refused = units.refused;
        }
        // A driver that does not take the shader leaves the plain form.
        if (!refused) done = add_form(units, 1u | (a_columns ? 2u : 0u) | (b_columns ? 4u : 0u)).ok();
      }
      if (!done) FRIT_TRY(add_form(form, aligned));
      if (plan.epilogue && !applied) return launch(*plan.epilogue, true, call);
    }
    return {};
  }

  Device& device_;
  std::map<std::string, std::unique_ptr<Kernel>> kernels_;
  std::vector<std::shared_ptr<Buffer>> constants_;
  mutable std::mutex recordings_mutex_, successor_mutex_;
  mutable std::shared_ptr<Program> successor_;
  mutable std::array<RecordingPtr, kRecordings> recordings_;
  mutable size_t next_ = 0;
};

}  // namespace

Result<std::shared_ptr<DeviceCode>> Device::load(const Plan& plan, std::string_view bytes) {
  FRIT_ASSIGN_OR_RETURN(code, read_gpu_code(bytes));
  auto program = std::make_shared<Program>(*this, std::move(code));
  FRIT_TRY(program->prepare(plan));
  return std::shared_ptr<DeviceCode>(std::move(program));
}

}  // namespace frit::runtime::vulkan
