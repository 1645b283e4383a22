// Repeats calls in the interpreter, and writes the graph and the inputs of one that differs.
#include "frontend/compile/verify_run.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "codegen/core/crash_file.h"
#include "codegen/core/interpreter_tensor.h"
#include "frontend/eager/eager.h"
#include "ir/reduce/distance.h"
#include "ir/text/printer.h"
#include "runtime/execute/gpu.h"
#include "runtime/files/file.h"
#include "runtime/files/npy.h"
#include "runtime/memory/dense.h"

namespace frit::detail {
namespace {

constexpr int64_t kMostElements = 1 << 18;  // of all values of a call together
constexpr double kMaxUlp = 256;             // as `frit verify` has it

bool wanted() {
  static const bool on = [] {
    const char* text = secure_getenv("FRIT_VERIFY");
    return text && *text && std::string_view(text) != "0";
  }();
  return on;
}

ir::Tensor copy_of(const runtime::Tensor& t) {
  auto copy = codegen::to_interpreter(t);
  if (!copy) throw_runtime(copy.error(), Where());
  return *std::move(copy);
}

// The elements of every value; more than the bound where a size is not known.
int64_t elements_of(const ir::Function& f, const ir::SymbolValues& symbols) {
  const auto value = [&](const std::string& name) -> std::optional<int64_t> {
    const auto found = symbols.find(name);
    return found == symbols.end() ? std::nullopt : std::optional(found->second);
  };
  int64_t all = 0;
  const auto add = [&](ir::ValueId v) { all += f.type(v).size().evaluate(value).value_or(kMostElements + 1); };
  for (ir::ValueId v : f.params) add(v);
  for (const ir::Op& op : f.ops)
    for (ir::ValueId v : op.results) {
      add(v);
      if (all > kMostElements) return all;
    }
  return all;
}

class Run final : public VerifiedRun {
 public:
  Run(const ir::Function& f, std::vector<ir::Tensor> inputs) : f_(f), inputs_(std::move(inputs)) {}

  void compare(std::span<const runtime::Tensor> outputs) override {
    const auto want = ir::interpret(f_, inputs_);
    if (!want.ok()) return;  // the interpreter cannot run it: a routine of the user's, or one that exchanges arrays
    for (size_t i = 0; i < want->size(); ++i)
      if (const double d = ir::distance((*want)[i], copy_of(outputs[i])); !(d <= kMaxUlp)) return report(i, d);
  }

 private:
  void report(size_t result, double d) const {
    const char* set = secure_getenv("FRIT_CRASH_DIR");
    const std::string path = codegen::new_reproducer(set && *set ? set : ".", f_.name);
    const std::string against = running_device() == Device::gpu ? *runtime::device_name("gpu") : "interpreter";
    std::string command = "frit reduce '" + path + "' --against=" + against;
    Status s;
    for (size_t i = 0; i < inputs_.size() && s.ok(); ++i) {
      const std::string file = path.substr(0, path.size() - 5) + "." + std::to_string(i) + ".npy";
      command += " --input='" + f_.values[f_.params[i]].name + "=" + file + "'";
      s = write_input(file, inputs_[i]);
    }
    ir::Module module;
    module.functions.push_back(std::make_unique<ir::Function>(f_));
    const std::string what = "result " + std::to_string(result) + " of '" + f_.name +
                             "' differs from the interpreter's by " +
                             (std::isfinite(d) ? std::to_string(d) + " ulp" : "more than rounding");
    if (s.ok()) s = runtime::write_file(path, "// " + what + "\n// shown by: " + command + "\n" + ir::print(module));
    std::fprintf(stderr, "frit: FRIT_VERIFY: %s; %s\n", what.c_str(),
                 s.ok() ? ("shown by: " + command).c_str() : s.error().message.c_str());
  }

  static Status write_input(const std::string& file, const ir::Tensor& t) {
    FRIT_ASSIGN_OR_RETURN(memory, runtime::Buffer::allocate(t.data.size()));
    if (!t.data.empty()) std::memcpy(memory->data(), t.data.data(), t.data.size());
    return runtime::write_npy(file, {std::move(memory), t.dtype, t.shape, runtime::row_major(t.shape), 0});
  }

  const ir::Function& f_;
  std::vector<ir::Tensor> inputs_;
};

}  // namespace

std::unique_ptr<VerifiedRun> VerifiedRun::begin(const TracedFunction& traced,
                                                std::span<const runtime::Tensor> arguments) {
  if (!wanted()) return nullptr;
  int64_t elements = 0;
  for (const runtime::Tensor& t : arguments) elements += runtime::element_count(t.shape);
  for (const runtime::Tensor& t : traced.captured) elements += runtime::element_count(t.shape);
  if (elements > kMostElements) return nullptr;
  std::vector<ir::Tensor> inputs;
  for (const runtime::Tensor& t : arguments) inputs.push_back(copy_of(t));
  for (const runtime::Tensor& t : traced.captured) inputs.push_back(copy_of(t));
  const auto symbols = ir::bind_symbols(traced.function, inputs);
  if (!symbols.ok() || elements_of(traced.function, *symbols) > kMostElements) return nullptr;
  return std::make_unique<Run>(traced.function, std::move(inputs));
}

}  // namespace frit::detail
