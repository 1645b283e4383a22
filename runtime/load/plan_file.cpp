// Writes and reads compiled programs.
#include "runtime/load/plan_file.h"

#include <cstring>
#include <set>

#include "runtime/execute/gpu.h"
#include "runtime/load/guard_codec.h"

namespace frit::runtime {

namespace {

constexpr std::string_view kPlanMagic = "FRITPLAN";
constexpr uint32_t kNoDonor = ~0u, kNoHost = ~0u, kNoWorkspace = ~0u;

using Role = BufferPlan::Role;

class PlanFileWriter : private GuardWriter {
 public:
  std::string run(const Image& image) {
    out_.raw(kPlanMagic);
    out_.u32(kImageVersion);
    list(image.inputs, [&](const Image::Input& input) {
      dtype(input.dtype);
      out_.u32(input.rank);
    });
    const Plan& p = image.plan;
    out_.text(p.name);
    texts(p.symbol_names);
    list(p.symbols, [&](const SymbolSource& s) {
      out_.u32(s.input);
      out_.u32(s.axis);
      out_.u8(s.stride);
    });
    sizes(p.sums);
    out_.u32(p.counters);
    sizes(p.slots);
    list(p.buffers, [&](const BufferPlan& b) { buffer(b); });
    list(image.kernels, [&](const KernelNeeds& k) { needs(k); });
    list(image.objects, [&](const ObjectCode& o) {
      list(o.entries, [&](const ObjectCode::Entry& e) {
        out_.text(e.kernel);
        out_.text(e.symbol);
      });
      out_.text(o.device);
      out_.text(o.object);
    });
    list(p.steps, [&](const auto& step) {
      out_.u8(static_cast<uint8_t>(step.index()));
      if (const auto* k = std::get_if<KernelPlan>(&step))
        kernel(*k);
      else if (const auto* l = std::get_if<LibraryPlan>(&step))
        library(*l);
      else
        control(std::get<ControlPlan>(step));
    });
    list(p.results, [&](const WindowPlan& w) { window(w); });
    texts(image.guard.symbol_names);
    sources_and_checks(image.guard);
    return std::move(out_).take();
  }

 private:
  void numbers(const std::vector<uint32_t>& values) {
    list(values, [&](uint32_t v) { out_.u32(v); });
  }
  void buffer(const BufferPlan& b) {
    out_.u8(static_cast<uint8_t>(b.role));
    dtype(b.dtype);
    size(b.bytes);
    out_.u32(b.index);
    out_.u32(b.donor);
    if (b.role == Role::Constant) {
      // A buffer may be larger than its plan says.
      const auto bytes = static_cast<size_t>(b.bytes.evaluate(nullptr));
      out_.text({static_cast<const char*>(b.constant->data()), bytes});
    }
    if (b.role == Role::Part || b.role == Role::Temp) {
      out_.u32(b.whole);
      size(b.at);
    }
  }
  void needs(const KernelNeeds& k) {
    out_.text(k.name);
    list(k.arguments, [&](const KernelNeeds::Argument& a) {
      size(a.bytes);
      out_.u8(a.written);
      out_.u8(a.by_rows);
    });
    numbers(k.symbols);
    out_.u8(k.parallel);
    size(k.extent);
    size(k.grain);
    size(k.scratch_bytes);
  }
  void window(const WindowPlan& w) {
    out_.u32(w.buffer);
    dtype(w.dtype);
    sizes(w.shape);
    sizes(w.strides);
    size(w.offset);
  }
  void kernel(const KernelPlan& k) {
    out_.text(k.name);
    numbers(k.buffers);
    numbers(k.symbols);
    out_.u8(k.parallel);
    size(k.extent);
    size(k.grain);
    size(k.scratch_bytes);
    out_.u8(k.beside);
    out_.u8(k.copies);
  }
  void library(const LibraryPlan& l) {
    out_.text(l.name);
    out_.text(l.options);
    list(l.operands, [&](const WindowPlan& w) { window(w); });
    list(l.results, [&](const WindowPlan& w) { window(w); });
    out_.u8(l.epilogue.has_value());
    if (l.epilogue) kernel(*l.epilogue);
    sizes(l.sizes);
    out_.u32(l.workspace);
    list(l.between, [&](const KernelPlan& k) { kernel(k); });
    if (l.between.empty()) return;
    out_.u32(l.scores);
    out_.u32(l.weights);
    out_.u8(l.needed.has_value());
    if (l.needed) size(*l.needed);
  }
  void control(const ControlPlan& c) {
    out_.u8(static_cast<uint8_t>(c.kind));
    out_.u32(c.counter);
    size(c.count);
    out_.u32(c.flag);
    list(c.swaps, [&](const std::pair<uint32_t, uint32_t>& s) {
      out_.u32(s.first);
      out_.u32(s.second);
    });
  }
};

class PlanFileReader : private GuardReader {
 public:
  explicit PlanFileReader(std::string_view bytes) : GuardReader(bytes) {}

  Result<Image> run() {
    if (in_.raw(kPlanMagic.size()) != kPlanMagic) return Diagnostic("it is not a compiled program");
    if (uint32_t version = in_.u32(); version != kImageVersion)
      return Diagnostic("it has version " + std::to_string(version) + " of the format, not " +
                        std::to_string(kImageVersion));
    Image image;
    list(image.inputs, 5, [&] {
      Dtype t = dtype();
      return Image::Input{t, in_.u32()};
    });
    inputs_ = &image.inputs;
    Plan& p = image.plan;
    p.name = in_.text();
    p.symbol_names = texts();
    list(p.symbols, 9, [&] { return symbol(); });
    symbols_ = p.symbols.size();
    require(p.symbol_names.size() == symbols_, "its symbols have other names");
    p.sums = sizes();
    symbols_ = p.sizes();
    p.counters = counters_ = in_.u32();
    require(counters_ <= kMostCounters, "it has too many loops");
    p.slots = sizes();
    slots_ = p.slots.size();
    list(p.buffers, 14, [&] { return buffer(p.buffers); });
    buffers_ = p.buffers.size();
    list(image.kernels, 29, [&] { return needs(); });
    list(image.objects, 20, [&] { return object(image); });
    list(p.steps, 1, [&]() -> PlanStep {
      switch (in_.u8()) {
        case 0: return kernel();
        case 1: return library();
        case 2: return control();
        default: require(false, "a step is of no known kind"); return KernelPlan{};
      }
    });
    list(p.results, 17, [&] { return window(); });
    image.guard.symbol_names = texts();
    symbols_ = image.guard.symbol_names.size();
    std::vector<size_t> ranks;
    for (const Image::Input& i : image.inputs) ranks.push_back(i.rank);
    sources_and_checks(image.guard, ranks);
    finish();
    if (failed_) return Diagnostic("a compiled program is damaged: " + std::string(failed_));
    return image;
  }

 private:
  std::vector<uint32_t> numbers(size_t below, const char* otherwise) {
    std::vector<uint32_t> values;
    list(values, 4, [&] {
      const uint32_t v = in_.u32();
      require(v < below, otherwise);
      return v;
    });
    return values;
  }
  ObjectCode object(const Image& image) {
    ObjectCode object;
    list(object.entries, 16, [&] {
      ObjectCode::Entry entry{std::string(in_.text()), std::string(in_.text())};
      require(kernels_.insert(entry.kernel).second && functions_.insert(entry.symbol).second,
              "a kernel or its function is there twice");
      return entry;
    });
    object.device = in_.text();
    require(object.device == (image.objects.empty() ? object : image.objects[0]).device,
            "its code is for several devices");
    require(object.device.size() <= 64, "it is for a device that is not known");
    on_device_ = on_device_ || !object.device.empty();
    object.object = in_.text();
    return object;
  }
  KernelNeeds needs() {
    KernelNeeds k;
    k.name = in_.text();
    list(k.arguments, 6, [&] {
      KernelNeeds::Argument a{size()};
      a.written = flag();
      a.by_rows = flag();
      return a;
    });
    k.symbols = numbers(symbols_, "a kernel needs a symbol that does not exist");
    k.parallel = flag();
    k.extent = size();
    k.grain = size();
    k.scratch_bytes = size();
    return k;
  }
  SymbolSource symbol() {
    SymbolSource s{in_.u32(), in_.u32(), flag()};
    require(s.input < inputs_->size() && s.axis < (*inputs_)[s.input].rank,
            "a symbol is read from an axis that does not exist");
    return s;
  }
  BufferPlan buffer(const std::vector<BufferPlan>& before) {
    const uint8_t role = in_.u8();
    require(role <= static_cast<uint8_t>(Role::Rows), "a buffer has no known role");
    BufferPlan b{static_cast<Role>(role), dtype(), size()};
    b.index = in_.u32();
    b.donor = in_.u32();
    require(b.donor == kNoDonor || b.donor < inputs_->size(),
            "a buffer takes the memory of an input that does not exist");
    switch (b.role) {
      case Role::Input: require(b.index < inputs_->size(), "a buffer is an input that does not exist"); break;
      case Role::Temp:
        b.whole = in_.u32();
        b.at = size();
        require(b.whole != kNoHost || b.index < slots_, "a buffer is in a slot that does not exist");
        require(b.at.is_const(), "a buffer has no known place in its slot");
        break;
      case Role::Output:
      case Role::Rows: break;
      case Role::Constant: b.constant = constant(b.bytes); break;
      case Role::Part: {
        require(b.index < counters_, "a buffer is moved by a loop that does not exist");
        b.whole = in_.u32();
        require(b.whole < before.size(), "a buffer is a part of one that does not come before it");
        symbols_ += counters_;
        b.at = size();
        symbols_ -= counters_;
        break;
      }
    }
    return b;
  }
  std::shared_ptr<Buffer> constant(const DimProgram& size) {
    const std::string_view data = in_.text();
    require(size.is_const() && static_cast<uint64_t>(size.evaluate(nullptr)) == data.size(),
            "a constant has another size");
    if (!in_.ok()) return nullptr;
    auto memory = Buffer::allocate(data.size());
    require(memory.ok(), "there is no memory for a constant");
    if (!memory.ok()) return nullptr;
    if (!data.empty()) std::memcpy((*memory)->data(), data.data(), data.size());
    return *std::move(memory);
  }
  WindowPlan window() {
    WindowPlan w{in_.u32(), dtype(), sizes(), sizes(), size()};
    require(w.buffer < buffers_, "a window is on a buffer that does not exist");
    require(w.shape.size() == w.strides.size(), "a window has not one stride per axis");
    return w;
  }
  std::vector<WindowPlan> windows() {
    std::vector<WindowPlan> all;
    list(all, 17, [&] { return window(); });
    return all;
  }
  KernelPlan kernel() {
    KernelPlan k;
    k.name = in_.text();
    // On a GPU a routine's shader may have an epilogue in it, which then has no code of its own.
    require(on_device_ || kernels_.contains(k.name), "a step runs a kernel that it does not have");
    k.buffers = numbers(buffers_, "a kernel uses a buffer that does not exist");
    k.symbols = numbers(symbols_, "a kernel uses a symbol that does not exist");
    k.parallel = flag();
    k.extent = size();
    k.grain = size();
    k.scratch_bytes = size();
    k.beside = flag();
    k.copies = flag();
    require(!k.copies || k.buffers.size() == 2, "a kernel that copies has another number of buffers than two");
    return k;
  }
  LibraryPlan library() {
    LibraryPlan l;
    l.name = in_.text();
    l.options = in_.text();
    l.operands = windows();
    l.results = windows();
    if (flag()) l.epilogue = kernel();
    l.sizes = sizes();
    l.workspace = in_.u32();
    require(l.workspace == kNoWorkspace || l.workspace < buffers_, "a routine's workspace does not exist");
    require(!l.results.empty(), "a routine has no result");
    list(l.between, 30, [&] { return kernel(); });
    if (l.between.empty()) return l;
    l.scores = in_.u32();
    l.weights = in_.u32();
    require((l.scores == ~0u || l.scores < buffers_) && l.weights < buffers_,
            "a routine works on rows that do not exist");
    if (flag()) {
      // Behind the sizes and the counters stands the number of a row.
      ++symbols_;
      l.needed = size();
      --symbols_;
    }
    return l;
  }

  ControlPlan control() {
    const uint8_t kind = in_.u8();
    require(kind <= static_cast<uint8_t>(ControlPlan::Kind::End), "a step is of no known kind");
    ControlPlan c{static_cast<ControlPlan::Kind>(kind)};
    c.counter = in_.u32();
    c.count = size();
    c.flag = in_.u32();
    list(c.swaps, 8, [&] {
      const uint32_t a = in_.u32();
      return std::pair{a, in_.u32()};
    });
    return c;
  }

  static constexpr uint32_t kMostCounters = 1u << 20;
  const std::vector<Image::Input>* inputs_ = nullptr;
  uint32_t counters_ = 0;
  size_t slots_ = 0, buffers_ = 0;
  bool on_device_ = false;  // the code is for a device that is not the CPU
  std::set<std::string, std::less<>> kernels_, functions_;
};

}  // namespace

std::string write_image(const Image& image) { return PlanFileWriter().run(image); }

Result<Image> read_image(std::string_view bytes) { return PlanFileReader(bytes).run(); }

Result<std::shared_ptr<Executable>> load_image(Image image) {
  FRIT_TRY(check_plan(image.plan, image.kernels));
  if (!image.objects.empty() && !image.objects[0].device.empty()) {
    const std::string& device = image.objects[0].device;
    FRIT_ASSIGN_OR_RETURN(gpu, find_gpu(device == "gpu" ? "" : device));
    FRIT_ASSIGN_OR_RETURN(code, gpu->load(image.plan, image.objects[0].object));
    image.plan.device_code = std::move(code);
    return std::make_shared<Executable>(std::move(image.plan));
  }
  if (!image.objects.empty()) {
    FRIT_ASSIGN_OR_RETURN(code, load_objects(image.objects));
    image.plan.code = std::move(code);
  }
  return std::make_shared<Executable>(std::move(image.plan));
}

}  // namespace frit::runtime
