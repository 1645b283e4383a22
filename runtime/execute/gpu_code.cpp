// Code for a GPU as bytes: shaders, each with its launch parameters.
#include "runtime/execute/gpu.h"
#include "runtime/system/plan_codec.h"

namespace frit::runtime {
namespace {

constexpr std::string_view kMagic = "FRITGPUA";

class Writer : private PlanWriter {
 public:
  std::string run(const GpuCode& code) {
    out_.raw(kMagic);
    list(code.kernels, [&](const GpuKernel& k) { kernel(k); });
    return std::move(out_).take();
  }

 private:
  void numbers(const std::vector<uint32_t>& values) {
    list(values, [&](uint32_t v) { out_.u32(v); });
  }
  void kernel(const GpuKernel& k) {
    out_.text(k.name);
    out_.text(k.spirv);
    out_.u32(k.group_size);
    out_.u32(k.per_group);
    out_.u8(k.rows);
    out_.u8(k.scratch);
    numbers(k.aligned_buffers);
    numbers(k.multiple_symbols);
    out_.u32(k.multiple);
    out_.u8(k.routine.has_value());
    if (k.routine) routine(*k.routine);
    out_.text(k.entry);
    out_.u8(k.stands_in.has_value());
    if (k.stands_in) stand_in(*k.stands_in);
  }
  void stand_in(const GpuKernel::StandIn& s) {
    out_.text(s.kernel);
    for (const int64_t v : {s.least, s.most, s.trial}) out_.u64(static_cast<uint64_t>(v));
    list(s.results, [&](const std::string& bytes) { out_.text(bytes); });
  }
  void routine(const RoutineForm& r) {
    out_.u32(r.step);
    out_.u32(r.windows);
    numbers(r.own);
    sizes(r.arguments);
    size(r.groups);
    size(r.turns);
    sizes(r.agree);
    sizes(r.suited);
    list(r.variant, [&](const std::vector<DimProgram>& bit) { sizes(bit); });
    sizes(r.scratch);
    out_.u8(r.joined);
    numbers(r.prologue);
    out_.u8(r.epilogue);
    out_.u8(r.trial.has_value());
    if (!r.trial) return;
    list(r.trial->numbers, [&](int64_t v) { out_.u64(static_cast<uint64_t>(v)); });
    out_.u64(r.trial->result.high);
    out_.u64(r.trial->result.low);
  }
};

class Reader : private PlanReader {
 public:
  explicit Reader(std::string_view bytes) : PlanReader(bytes) {}

  Result<GpuCode> run() {
    if (in_.raw(kMagic.size()) != kMagic) return Diagnostic("it is not code for a gpu of this version");
    GpuCode code;
    list(code.kernels, 48, [&] { return kernel(); });
    finish();
    if (failed_) return Diagnostic("code for a gpu is damaged: " + std::string(failed_));
    return code;
  }

 private:
  static constexpr uint32_t kMaxWindows = 64;

  std::vector<uint32_t> numbers() {
    std::vector<uint32_t> values;
    list(values, 4, [&] { return in_.u32(); });
    return values;
  }
  GpuKernel kernel() {
    GpuKernel k;
    k.name = in_.text();
    k.spirv = in_.text();
    k.group_size = in_.u32();
    k.per_group = in_.u32();
    k.rows = flag();
    k.scratch = flag();
    k.aligned_buffers = numbers();
    k.multiple_symbols = numbers();
    k.multiple = in_.u32();
    require(k.group_size && k.per_group && k.multiple, "a shader's sizes are zero");
    if (flag()) k.routine = routine();
    k.entry = in_.text();
    require(k.is_ptx() || k.spirv.size() % 4 == 0, "a shader is not made of words");
    if (flag()) k.stands_in = stand_in();
    require(!k.stands_in || k.is_ptx(), "a shader stands in for another kernel's");
    return k;
  }
  GpuKernel::StandIn stand_in() {
    constexpr int64_t kMostOfTrial = 1 << 20;
    GpuKernel::StandIn s{std::string(in_.text())};
    for (int64_t* v : {&s.least, &s.most, &s.trial}) *v = static_cast<int64_t>(in_.u64());
    require(s.trial > 0 && s.trial <= kMostOfTrial, "a trial has no size");
    list(s.results, 4, [&] { return std::string(in_.text()); });
    return s;
  }
  RoutineForm routine() {
    RoutineForm r;
    r.step = in_.u32();
    r.windows = in_.u32();
    require(r.windows <= kMaxWindows, "a routine has too many windows");
    r.own = numbers();
    require(r.own.empty() || r.own.size() == r.windows, "a routine has axes of other windows than its own");
    for (const uint32_t axes : r.own)
      require(axes <= RoutineForm::kOwnAxes, "a window of a routine has too many axes of its own");
    symbols_ = in_.ok() ? RoutineForm::slots(r.windows) : 0;
    r.arguments = sizes();
    r.groups = size();
    r.turns = size();
    r.agree = sizes();
    r.suited = sizes();
    list(r.variant, 4, [&] { return sizes(); });
    require(r.variant.size() <= RoutineForm::kMaxVariants, "a routine has too many variants");
    r.scratch = sizes();
    require(r.scratch.size() <= RoutineForm::kScratch, "a routine has too much working memory");
    r.joined = flag();
    r.prologue = numbers();
    for (const uint32_t step : r.prologue) require(step < r.step, "an operand is computed behind its routine");
    r.epilogue = flag();
    if (flag()) {
      RoutineForm::Trial& t = r.trial.emplace();
      list(t.numbers, 8, [&] { return static_cast<int64_t>(in_.u64()); });
      require(t.numbers.size() == RoutineForm::slots(r.windows), "a routine's trial has numbers of other windows");
      t.result.high = in_.u64();
      t.result.low = in_.u64();
    }
    return r;
  }
};

}  // namespace

std::string write_gpu_code(const GpuCode& code) { return Writer().run(code); }

Result<GpuCode> read_gpu_code(std::string_view bytes) { return Reader(bytes).run(); }

}  // namespace frit::runtime
