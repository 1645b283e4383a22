// A GPU as the rest of frit sees it: its features, its memory, and programs for it. Nothing here depends on the
// driver.
//
// run() hands work over and does not wait. Memory knows when its contents are computed. Reading waits for them, on the
// host or on the GPU, and so do synchronize() and GpuMemory::wait().
//
// A driver of GPUs is a plugin libfrit_runtime_<device>.so (runtime/vulkan) with FRIT_PLUGIN_FACTS("gpu"), opened on
// first need. Its name is the device's. Code for a GPU is a GpuCode: shaders with what
// a launch must know of each. A Gpu lives as long as the process; one that was lost answers every call with an error,
// and find_gpu then gives a new one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/base/hash.h"
#include "runtime/execute/executable.h"
#include "runtime/memory/gpu_memory.h"

namespace frit::runtime {

// Features that code may use. Code for no particular device (`baseline`) relies on the defaults alone.
struct GpuFeatures {
  bool int64 = true, float64 = true;       // arithmetic on 64-bit numbers
  bool storage8 = true, storage16 = true;  // elements of 8 and 16 bits in buffers
  bool fused_fma = true;                   // fma() of f32 and of f64 rounds once
  bool keeps_specials32 = false,
       keeps_specials64 = false;  // infinities, NaNs and signs of zeros can be asked to be kept
  bool keeps_subnormals32 = false, keeps_subnormals64 = false;
  bool rounds_to_even32 = false, rounds_to_even64 = false;
  bool converts16 = false;       // conversions to f16 round to even, and keep subnormal and special values
  bool matrix16 = false;         // matrix units take cooperative matrices of 16 by 16 f16 and sum in f32
  bool matrix_narrow = false;    // also with 8 columns of the right operand
  bool matrix_bfloat16 = false;  // of 16 by 16 bf16
  bool shuffle = false;          // values can be passed inside a subgroup
  bool ptx = false;              // kernels may be PTX text, which the driver may still refuse
  uint32_t subgroup_size = 1;
  uint32_t shared_bytes = 16384;  // of one workgroup
  uint32_t group_size = 256;      // invocations of one workgroup, at most
  uint32_t processors = 0;        // that compute workgroups at once; none where the device does not tell
  friend bool operator==(const GpuFeatures&, const GpuFeatures&) = default;
};

// All of them, as a key.
std::string features_text(const GpuFeatures& f);

struct GpuInfo {
  std::string name, driver, api;  // "NVIDIA H200", "NVIDIA 580.65", "1.4.312"
  std::string kind;               // "discrete", "integrated", "virtual", "cpu", "other"
  bool host_visible = false;      // the CPU reads and writes its memory
  uint64_t memory_bytes = 0;      // of its largest heap
  uint64_t max_allocation = 0;    // bytes of one buffer
  uint64_t max_groups = 65535;    // workgroups along one axis of a launch
  GpuFeatures features;
};

// How a form of a routine is launched: programs over numbers of the step's windows (operands, then results). The last
// axes of a window are the routine's own: two of matrices, one of rows, none of single elements, up to kOwnAxes of a
// convolution's arrays. The axes before them count from the left, and a window that has fewer of them is the same along
// the others. Those that lie behind one another in every window count as one; there are kBatchAxes of them, the first
// ones of size 1 where there are fewer.
//
// The forms of a step are tried in the order of GpuCode::kernels. The first one that suits the numbers is launched; one
// that the driver refuses is passed over while another follows. Forms that are joined are chosen and launched together,
// in order; the conditions and the working memory of all of them are those of the first. The CPU computes a step whose
// last form does not suit either.
struct RoutineForm {
  static constexpr size_t kBatchAxes = 4;
  static constexpr size_t kOwnAxes = 5;
  static constexpr size_t kMaxVariants = 12;  // boolean constants of a shader
  // Numbers of one window: its address, sizes and strides of its last two own axes, strides of the batch axes, sizes
  // and strides of the own axes before the last two, from the left. A row is a matrix of one row, an element one of one
  // row and one column.
  enum Number : size_t {
    kAddress,
    kRows,
    kColumns,
    kRowStride,
    kColumnStride,
    kSteps,
    kOuterSizes = kSteps + kBatchAxes,
    kOuterStrides = kOuterSizes + kOwnAxes - 2,
    kPerWindow = kOuterStrides + kOwnAxes - 2
  };
  static size_t slot(size_t window, size_t number) { return window * kPerWindow + number; }
  // After all windows: sizes of the batch axes, their product, the addresses of working memory, the turn, and the first
  // of the attributes that a call decides, in their order.
  static size_t size_slot(size_t windows, size_t axis) { return windows * kPerWindow + axis; }
  static size_t batch_slot(size_t windows) { return size_slot(windows, kBatchAxes); }
  static constexpr size_t kScratch = 3;
  static size_t scratch_slot(size_t windows, size_t which) { return batch_slot(windows) + 1 + which; }
  static size_t turn_slot(size_t windows) { return scratch_slot(windows, kScratch); }
  static constexpr size_t kAttributes = 8;
  static size_t attribute_slot(size_t windows, size_t which) { return turn_slot(windows) + 1 + which; }
  static size_t slots(size_t windows) { return attribute_slot(windows, kAttributes); }

  uint32_t step = 0;               // the library step of the plan
  uint32_t windows = 0;            // its operands and results
  std::vector<uint32_t> own = {};  // axes of each window that are the routine's; two of each where it is left out
  std::vector<DimProgram> arguments;
  DimProgram groups;                             // workgroups; none where it is not positive
  DimProgram turns{1};                           // launches of this form, one after another, which know their number
  std::vector<DimProgram> agree;                 // zero in every right call
  std::vector<DimProgram> suited;                // zero where this form may be chosen
  std::vector<std::vector<DimProgram>> variant;  // bit i is set where all programs of entry i are zero
  std::vector<DimProgram> scratch;               // bytes of each block of working memory
  bool joined = false;                           // the next form goes on with this one's work
  // The plan's steps of the kernels that lead to an operand and to nothing else. The form computes the operand itself,
  // and they are not launched; their buffers follow the form's own arguments.
  std::vector<uint32_t> prologue = {};
  bool epilogue = false;  // it applies the step's epilogue itself, whose buffers and symbols follow those
  // Work that the form (with those that it is joined to) must do right before it is launched for the first time on a
  // device; where it does not, it is passed over as one that the driver refuses.
  struct Trial {
    std::vector<int64_t> numbers;  // of dense windows, without addresses; operands hold trial_element
    Hash128 result;                // of the bytes of the result
    friend bool operator==(const Trial&, const Trial&) = default;
  };
  std::optional<Trial> trial = {};
};
// Element `i` in memory of an operand of a trial: an integer from -4 to 4, so that sums in f32 are exact.
int trial_element(size_t window, int64_t i);
// The same of the trial of a kernel: numbers from -8 to 8 that are exact in 16 bits.
double trial_number(size_t buffer, int64_t i);

// One shader. Its arguments are 8 bytes each: addresses of the buffers, the address of scratch memory where `scratch`
// says so, the symbols' values.
struct GpuKernel {
  // The workgroups of a launch that goes over rows in turns, at most, and of one whose workgroups have scratch memory.
  static constexpr uint32_t kMostRowGroups = 1 << 20, kScratchGroups = 1024;
  // The boolean constant of a shader that says whether a launch's workgroups lie along two axes.
  static constexpr uint32_t kLinesConstant = RoutineForm::kMaxVariants;

  std::string name;
  std::string spirv;  // its words, or the text of a PTX module
  uint32_t group_size = 1;
  uint32_t per_group = 1;  // iterations of the kernel's parallel loop that one workgroup takes
  bool rows = false;       // a workgroup goes on with later iterations: there may be fewer workgroups than iterations
  bool scratch = false;    // KernelPlan::scratch_bytes for each workgroup
  // Full speed where the addresses of these buffers are multiples of 16 and these symbols multiples of `multiple`;
  // correct in any case.
  std::vector<uint32_t> aligned_buffers, multiple_symbols;
  uint32_t multiple = 1;
  std::optional<RoutineForm> routine;  // of a shader that is a routine's
  std::string entry = {};              // of a PTX module, which takes its arguments as parameters of 64 bits
  // Of a PTX module that computes what the shader of another kernel does. A launch takes it where that kernel has so
  // many iterations, its buffers and symbols are aligned as above, the driver takes the text, and it has passed its
  // trial. Its arguments are the buffers, the number of iterations, the symbols.
  struct StandIn {
    std::string kernel;
    int64_t least = 0, most = 0;  // iterations
    // The trial has so many iterations. All symbols have that value, buffers have as many elements (trial_number), and
    // nearly all elements of the results have these bits; the bytes of buffers that are only read are none.
    int64_t trial = 0;
    std::vector<std::string> results = {};
    friend bool operator==(const StandIn&, const StandIn&) = default;
  };
  std::optional<StandIn> stands_in = {};
  bool is_ptx() const { return !entry.empty(); }
};

struct GpuCode {
  std::vector<GpuKernel> kernels;  // each has a name of its own
};
std::string write_gpu_code(const GpuCode& code);
Result<GpuCode> read_gpu_code(std::string_view bytes);

// The times of a run that the GPU keeps: none; one, from the begin of the first step to the end of the last one; those
// of each step; one, the run's share of kRunsOfShare that are recorded one after the other. A timestamp takes
// microseconds: between two steps it keeps the second from beginning early, and a short run is told by its share alone.
// Runs of a share do their work again, each after the one before, so their results are for nobody who needs them.
enum class GpuTimes : uint8_t { None, Whole, Steps, Share };
inline constexpr int kRunsOfShare = 20;

// How long a step of a run, or all of it, took on the GPU itself.
struct GpuTime {
  std::string step;
  double milliseconds;
};

class Gpu {
 public:
  virtual ~Gpu() = default;
  virtual const GpuInfo& info() const = 0;
  // The code that runs a plan's steps, for Plan::device_code. Fails where the GPU has no form of a step, before any
  // run.
  virtual Result<std::shared_ptr<DeviceCode>> load(const Plan& plan, std::string_view code) = 0;
  // Device memory, contents undefined.
  virtual Result<std::shared_ptr<Buffer>> allocate(size_t bytes) = 0;
  virtual Status write(const Buffer& to, size_t offset, const void* from, size_t bytes) = 0;
  virtual Status read(const Buffer& from, size_t offset, void* to, size_t bytes) = 0;
  // Bytes handed out now and the most so far; bytes of freed blocks that are kept.
  struct Memory {
    size_t active, peak, cached;
  };
  virtual Memory memory() const = 0;
  virtual void clear_cache() = 0;
  // Bytes of active and cached memory together past which allocations fail, at first FRIT_VULKAN_MEMORY_LIMIT
  // mebibytes; returns the previous limit.
  virtual uint64_t set_memory_limit(uint64_t bytes) = 0;
  // Until all work that was handed over before is done.
  virtual Status synchronize() = 0;
  // The kept times of what the calling thread handed over last, once it is done.
  virtual std::vector<GpuTime> last_times() const = 0;
  virtual void keep_times(GpuTimes which) = 0;
};

// The GPU that is used: FRIT_VULKAN_DEVICE names it by number or a part of its name; else the first discrete one, else
// the first. Fails with the reason where there is none.
// Of the driver for that device; where it is left out, of the first driver.
Result<Gpu*> find_gpu(std::string_view device = {});
// The GPU that was found before, if one was: nothing is opened.
Gpu* known_gpu();
// Every GPU that could be chosen, the one that find_gpu gives first.
Result<std::vector<GpuInfo>> list_gpus(std::string_view device = {});

// The devices that have a driver: "vulkan".
std::vector<std::string> gpu_devices();
// The name of a device: "cpu", or one of gpu_devices(), the first of which is also called "gpu". "" stands for the
// device that the environment variable FRIT_DEVICE names, and for the CPU where it names none.
Result<std::string> device_name(std::string_view said);
// The device of this machine as a text: devices with equal texts may share code. "" where the device cannot be used.
std::string device_identity(std::string_view device);

// Notices for users who watch devices: a form that is not used, with the reason. Each text is told once, from
// any thread; without a notice nobody is told.
using GpuNotice = void (*)(std::string_view text);
void set_gpu_notice(GpuNotice notice);
void tell_gpu(std::string_view text);

// Copies of a tensor: dense in device memory, and in host memory. A tensor that is there already is returned as it is.
Result<Tensor> to_gpu(const Tensor& t, Gpu& gpu);
Result<Tensor> to_host(const Tensor& t, Gpu& gpu);

}  // namespace frit::runtime
