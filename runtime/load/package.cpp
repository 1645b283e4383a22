// Loads packages: chooses the code that fits the machine, binds weights, checks calls.
#include "runtime/load/package.h"

#include <algorithm>
#include <cstring>

#include "runtime/memory/dense.h"
#include "runtime/system/cpu.h"
#include "runtime/system/plugin.h"

namespace frit::runtime {
namespace {

// Capabilities that a SPIR-V module may declare, by number, and whether a device has them. Every shader of frit takes
// those that are not listed for granted.
struct Capability {
  uint32_t number;
  std::string_view name;
  bool (*has)(const GpuFeatures&);
};
constexpr Capability kCapabilities[] = {
    {10, "Float64", [](const GpuFeatures& f) { return f.float64; }},
    {11, "Int64", [](const GpuFeatures& f) { return f.int64; }},
    {65, "GroupNonUniformShuffle", [](const GpuFeatures& f) { return f.shuffle; }},
    {4433, "StorageBuffer16BitAccess", [](const GpuFeatures& f) { return f.storage16; }},
    {4448, "StorageBuffer8BitAccess", [](const GpuFeatures& f) { return f.storage8; }},
    {5357, "CooperativeMatrixNV", [](const GpuFeatures& f) { return f.matrix16; }},
};

// Calls `f` with the number of each capability of a module.
template <class F>
void each_capability(std::string_view spirv, F&& f) {
  const auto word = [&](size_t i) {
    uint32_t w;
    std::memcpy(&w, spirv.data() + 4 * i, 4);
    return w;
  };
  // Five words of header; an instruction begins with its length in words and its number. Capabilities (17) come first.
  for (size_t at = 5; at < spirv.size() / 4;) {
    const uint32_t length = word(at) >> 16, op = word(at) & 0xffff;
    if (op != 17 || length != 2 || at + 1 >= spirv.size() / 4) return;
    f(word(at + 1));
    at += length;
  }
}

// Whether a plan reads its symbols where the guard reads those of the same name.
bool reads_sizes_as(const Plan& plan, const Signature& signature) {
  const Guard& guard = signature.guard;
  const auto reads = [&](const SymbolSource& symbol, const std::string& name) {
    if (symbol.stride)
      return std::any_of(signature.stride_symbols.begin(), signature.stride_symbols.end(), [&](const auto& stated) {
        return stated.name == name && stated.input == symbol.input && stated.axis == symbol.axis;
      });
    const auto found = std::find(guard.symbol_names.begin(), guard.symbol_names.end(), name);
    if (found == guard.symbol_names.end()) return false;
    const Guard::Source& source = guard.sources[static_cast<size_t>(found - guard.symbol_names.begin())];
    return source.input == symbol.input && source.axis == symbol.axis;
  };
  for (size_t i = 0; i < plan.symbols.size(); ++i)
    if (!reads(plan.symbols[i], plan.symbol_names[i])) return false;
  return true;
}

}  // namespace

std::vector<std::string> capabilities_of(const Image& image) {
  std::vector<std::string> names;
  for (const ObjectCode& o : image.objects) {
    if (o.device.empty()) continue;
    auto code = read_gpu_code(o.object);
    if (!code.ok()) continue;
    for (const GpuKernel& k : code->kernels) {
      if (k.is_ptx()) continue;  // another form takes its place where the driver has none
      each_capability(k.spirv, [&](uint32_t number) {
        for (const Capability& c : kCapabilities)
          if (c.number == number) names.emplace_back(c.name);
      });
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string unfit(const PackageFile::Variant& v) {
  if (v.device == "cpu") {
    if (v.machine == "native") return v.identity == cpu_identity() ? "" : "it was made for another processor";
    return cpu_runs(v.machine) ? "" : "this processor does not run " + v.machine;
  }
  auto gpu = find_gpu(v.device);
  if (!gpu.ok()) return gpu.error().message;
  const GpuInfo& info = (*gpu)->info();
  for (const std::string& need : v.needs)
    for (const Capability& c : kCapabilities)
      if (c.name == need && !c.has(info.features)) return info.name + " lacks " + need;
  return {};
}

Result<PackagedFunction::Call> PackagedFunction::check(std::span<const Tensor> arguments) const {
  const size_t wanted = signature_.arguments();
  if (arguments.size() != wanted)
    return Diagnostic("function @" + signature_.name + " takes " + std::to_string(wanted) +
                          (wanted == 1 ? " argument" : " arguments") + ", but " + std::to_string(arguments.size()) +
                          (arguments.size() == 1 ? " is" : " are") + " given",
                      {}, "it is " + signature_.text);
  Call call{weights_, std::vector<int64_t>(signature_.guard.symbol_names.size())};
  size_t next = 0;
  for (size_t i = 0; i < call.inputs.size(); ++i)
    if (signature_.inputs[i].weight.empty()) call.inputs[i] = arguments[next++];
  FRIT_TRY(check_call(signature_, call.inputs, call.symbols.data()));
  return call;
}

std::vector<Sizes> PackagedFunction::output_shapes(const Call& call) const {
  std::vector<Sizes> shapes;
  for (const Signature::Value& v : signature_.outputs) {
    Sizes& shape = shapes.emplace_back();
    for (const DimProgram& d : v.shape) shape.push_back(d.evaluate(call.symbols.data()));
  }
  return shapes;
}

Result<std::vector<Tensor>> PackagedFunction::run(std::span<const Tensor> arguments) const {
  std::vector<Tensor> results(signature_.outputs.size());
  FRIT_TRY(run(arguments, {}, results));
  return results;
}

Status PackagedFunction::run(std::span<const Tensor> arguments, std::span<const std::shared_ptr<Buffer>> into,
                             std::span<Tensor> results) const {
  FRIT_ASSIGN_OR_RETURN(call, check(arguments));
  return run(std::move(call), into, results);
}

Status PackagedFunction::run(Call call, std::span<const std::shared_ptr<Buffer>> into,
                             std::span<Tensor> results) const {
  FRIT_TRY(lay_out(signature_, call.inputs, call.symbols));
  for (Tensor& t : call.inputs) {
    if (!gpu_) break;
    FRIT_ASSIGN_OR_RETURN(moved, to_gpu(t, *gpu_));
    t = std::move(moved);
  }
  FRIT_TRY(executable_->run(call.inputs, {}, results, into));
  for (size_t i = 0; i < results.size(); ++i) FRIT_TRY(check_result(i, results[i], call.symbols.data()));
  for (size_t i = 0; i < into.size(); ++i)
    if (into[i] && results[i].buffer != into[i]) {
      FRIT_TRY(copy_dense(results[i], into[i]->data()));
      results[i] = {into[i], results[i].dtype, results[i].shape, row_major(results[i].shape), 0};
    }
  return {};
}

// The caller's memory is as large as the signature says, so the code's results must be too.
Status PackagedFunction::check_result(size_t i, const Tensor& t, const int64_t* symbols) const {
  const Signature::Value& value = signature_.outputs[i];
  bool same = t.dtype == value.dtype && t.shape.size() == value.shape.size();
  for (size_t axis = 0; same && axis < t.shape.size(); ++axis)
    same = t.shape[axis] == value.shape[axis].evaluate(symbols);
  if (same) return {};
  return Diagnostic("function @" + signature_.name + " gives output " + std::to_string(i) + " as " + type_text(value) +
                        ", but its code gives " + type_text(t),
                    {}, "the package is damaged; compile it again");
}

Result<std::shared_ptr<const Package>> Package::load(const std::string& path, std::string_view device) {
  FRIT_ASSIGN_OR_RETURN(file, PackageFile::open(path));
  std::shared_ptr<Package> package(new Package);
  FRIT_ASSIGN_OR_RETURN(name, device_name(device));
  package->device_ = std::move(name);
  package->ready_.resize(file->functions().size());
  package->file_ = std::move(file);
  return std::shared_ptr<const Package>(std::move(package));
}

Result<std::shared_ptr<const PackagedFunction>> Package::find(std::string_view name) const {
  std::string names;
  for (const PackageFile::Function& f : file_->functions()) {
    if (f.name == name) return find(f);
    names += (names.empty() ? "" : ", ") + f.name;
  }
  return Diagnostic("'" + file_->path() + "' has no function '" + std::string(name) + "'", {}, "it has: " + names);
}

Result<const NamedTensors*> Package::weights() const {
  if (!weights_) {
    FRIT_ASSIGN_OR_RETURN(all, file_->weights());
    weights_ = std::make_unique<const NamedTensors>(std::move(all));
  }
  return weights_.get();
}

Result<Image> Package::image_for(const PackageFile::Function& f, std::string& machine) const {
  std::string reasons;
  for (const PackageFile::Variant& v : f.variants) {
    if (v.device != device_) continue;
    if (std::string why = unfit(v); !why.empty()) {
      reasons += (reasons.empty() ? "" : "; ") + v.machine + ": " + why;
      continue;
    }
    FRIT_ASSIGN_OR_RETURN(bytes, file_->section(v.image));
    auto image = read_image(bytes);
    if (!image.ok()) return Diagnostic("cannot load '" + file_->path() + "': " + image.error().message);
    machine = v.machine;
    return image;
  }
  const std::string none = "'" + file_->path() + "' has no code for function @" + f.name + " that runs here on the " +
                           device_ + (reasons.empty() ? "" : " (" + reasons + ")");
  auto compile = find_compiler();
  if (!compile.ok())
    return Diagnostic(none + ", and no compiler is installed: " + compile.error().message, {},
                      "compile it for this machine, or install frit's libraries whole");
  FRIT_ASSIGN_OR_RETURN(ir, file_->ir());
  Result<Image> made = Diagnostic("");
  (*compile)(ir, f.name, device_, made);
  if (!made.ok())
    return Diagnostic(none + ", and it cannot be compiled here: " + made.error().message, made.error().loc,
                      made.error().note);
  machine = "compiled here";
  return made;
}

Result<std::shared_ptr<const PackagedFunction>> Package::find(const PackageFile::Function& f) const {
  const std::lock_guard lock(mutex_);
  auto& ready = ready_[static_cast<size_t>(&f - file_->functions().data())];
  if (ready) return ready;
  auto made = std::make_shared<PackagedFunction>();
  FRIT_ASSIGN_OR_RETURN(signature, file_->signature(f));
  made->signature_ = std::move(signature);
  FRIT_ASSIGN_OR_RETURN(image, image_for(f, made->machine_));
  const auto bad = [&](const std::string& why) { return Diagnostic("cannot load '" + file_->path() + "': " + why); };
  if (!(image.guard == made->signature_.guard) || !reads_sizes_as(image.plan, made->signature_))
    return bad("the code of '" + f.name + "' is for calls of other sizes than its signature");
  bool fits = image.inputs.size() == made->signature_.inputs.size() &&
              image.plan.results.size() == made->signature_.outputs.size();
  for (size_t i = 0; fits && i < image.inputs.size(); ++i)
    fits = image.inputs[i].dtype == made->signature_.inputs[i].dtype &&
           image.inputs[i].rank == made->signature_.inputs[i].shape.size();
  if (!fits) return bad("the code of '" + f.name + "' has another signature");
  auto executable = load_image(std::move(image));
  if (!executable.ok()) return std::move(executable.error());
  made->executable_ = *std::move(executable);
  if (device_ != "cpu") {
    FRIT_ASSIGN_OR_RETURN(gpu, find_gpu(device_));
    made->gpu_ = gpu;
  }
  made->weights_.resize(made->signature_.inputs.size());
  for (size_t i = 0; i < made->weights_.size(); ++i) {
    const Signature::Input& input = made->signature_.inputs[i];
    if (input.weight.empty()) continue;
    FRIT_ASSIGN_OR_RETURN(all, weights());
    const auto found = all->find(input.weight);
    if (found == all->end()) return bad("its weight '" + input.weight + "' is missing");
    Tensor t = found->second;
    bool same = t.dtype == input.dtype && t.shape.size() == input.shape.size();
    for (size_t axis = 0; same && axis < t.shape.size(); ++axis)
      same = input.shape[axis].is_const() && input.shape[axis].evaluate(nullptr) == t.shape[axis];
    if (!same)
      return bad("its weight '" + input.weight + "' is " + type_text(t) + ", but function @" + f.name + " takes " +
                 type_text(input));
    if (made->gpu_) {
      FRIT_ASSIGN_OR_RETURN(moved, to_gpu(t, *made->gpu_));
      t = std::move(moved);
    }
    made->weights_[i] = std::move(t);
  }
  ready = std::move(made);
  return ready;
}

Result<CompileFn> find_compiler() {
  // By its path: where dlopen is intercepted, by a sanitizer say, the folders that this library names are not looked
  // through.
  FRIT_ASSIGN_OR_RETURN(entry, plugin_entry(library_folder() + "/" FRIT_COMPILER_LIBRARY, kCompileSymbol));
  if (!entry) return Diagnostic(FRIT_COMPILER_LIBRARY " has no compiler");
  return reinterpret_cast<CompileFn>(entry);
}

}  // namespace frit::runtime
