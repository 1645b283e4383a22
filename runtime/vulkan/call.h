// One run of a program on a Vulkan device (a Device of runtime/execute/run_plan.h): lists the launches, then submits
// them.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "runtime/execute/run_plan.h"
#include "runtime/vulkan/program.h"

namespace frit::runtime::vulkan {

class GpuCall {
 public:
  using Address = uint64_t;
  static constexpr bool kStops = false;  // the steps are only listed
  static constexpr size_t kAlign = 256;
  static constexpr bool kLends = false;

  GpuCall(const Plan& plan, const Program& program) : plan_(plan), program_(program) {}

  Status workspace(size_t bytes, uint64_t& first);
  static uint64_t advance(uint64_t address, int64_t bytes) { return address + static_cast<uint64_t>(bytes); }
  Result<std::shared_ptr<Buffer>> allocate(size_t bytes) { return program_.device().allocate(bytes); }
  // An output may take over any memory of the device; a copy of it on the host is out of date then.
  static bool can_take(const Buffer& buffer);
  const std::shared_ptr<Buffer>& constant(size_t buffer) const { return program_.constant(buffer); }
  bool place(const Buffer& buffer, bool written, uint64_t& address);
  static Diagnostic unreadable() { return Diagnostic("memory of the gpu cannot be used"); }  // never
  Status kernels(const std::vector<Kernel>& kernels, const Frame<uint64_t>& frame);
  Status library(const Library& step, std::span<const View<uint64_t>> views, const Frame<uint64_t>& frame);
  // Waits for what was launched: the host decides which steps come next.
  Result<bool> flag(uint64_t address);
  Status finish();

 private:
  using Arguments = std::vector<uint64_t>;
  // A longer list, which a loop may make, is handed over in parts.
  static constexpr size_t kMostLaunches = 4096;
  struct Placed {
    const Buffer* buffer;
    bool written;
  };

  // Memory that launches read or write.
  struct Access {
    uint64_t begin, end;
    bool written;
  };

  // The memory of a kernel's buffers, and that of a routine's window.
  void add_accesses(const KernelPlan& plan, const Frame<uint64_t>& frame, std::vector<Access>& all) const;
  static void add_accesses(const View<uint64_t>& view, bool written, std::vector<Access>& all);
  // Of a routine in these forms.
  std::vector<Access> accesses_of(const Library& step, std::span<Shader* const> forms,
                                  std::span<const View<uint64_t>> views, const Frame<uint64_t>& frame) const;
  // Before launches of these accesses, which are independent of each other: they wait for those before where both
  // access the same memory.
  void order(const std::vector<Access>& accesses);
  Status launch_in_order(const Kernel& kernel, const Frame<uint64_t>& frame);

  Status check_narrow(const KernelPlan& plan, int64_t extent, const int64_t* symbols) const;
  Status launch(const Kernel& kernel, const Frame<uint64_t>& frame);
  // Whether `shader`, the kernel's stand-in, is launched over `extent` iterations of it.
  bool suits(Shader& shader, const Kernel& kernel, const Frame<uint64_t>& frame, int64_t extent) const;
  static bool is_aligned(const GpuKernel& code, const KernelPlan& plan, const Frame<uint64_t>& frame);
  // Whether a stand-in does its trial right; tried at the first call.
  bool passes_trial(Shader& shader, const Kernel& kernel) const;
  Result<bool> attempt_trial(Shader& shader, const Kernel& kernel) const;
  // Launches the kernels that wait for the routine `step`, but for those whose results the chosen forms compute.
  Status launch_waiting(const Library& step, std::span<Shader* const> chosen, const Frame<uint64_t>& frame);
  // Forms that are joined; nothing is launched where one of them cannot be.
  Status launch_forms(const Library& step, std::span<Shader* const> forms, std::vector<int64_t>& numbers,
                      const Frame<uint64_t>& frame);
  Status launch_form(const Library& step, Shader& shader, const std::vector<int64_t>& numbers,
                     const Frame<uint64_t>& frame, bool after);
  // Whether forms that are joined do the trial of the first one right; tried at the first call.
  bool passes_trial(const Library& step, std::span<Shader* const> forms, std::span<const View<uint64_t>> views,
                    const Frame<uint64_t>& frame) const;
  Result<bool> attempt_trial(const Library& step, std::span<Shader* const> forms, std::span<const View<uint64_t>> views,
                             const Frame<uint64_t>& frame) const;
  // A routine that has no shader: on the CPU, once the launches before it are done.
  const Placed* memory_at(uint64_t address) const;
  Status on_host(const Library& step, std::span<const View<uint64_t>> views, const Frame<uint64_t>& frame);
  Status add(size_t step, Shader& shader, uint32_t variant, const Arguments& arguments, int64_t groups, bool after);

  const Plan& plan_;
  const Program& program_;
  LaunchList list_;
  std::vector<Access> recent_;                 // of the launches since the last one that waits for those before
  bool waits_ = false;                         // the next one does
  std::vector<std::shared_ptr<Buffer>> held_;  // memory of this run alone
  std::vector<Placed> placed_;                 // all memory that the run may touch
  std::vector<Track*> reads_, writes_;
  std::map<size_t, const Kernel*> waiting_;  // kernels whose results a later routine may compute itself, by step
};

}  // namespace frit::runtime::vulkan
