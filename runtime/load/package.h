// Packages ready to run: functions of a package file with the code that fits this machine. Nothing here compiles; an
// installed compiler is asked for code where none fits.
//
// A Package and its functions are immutable and may be used on many threads at once. Weights are views of the file
// where the CPU runs, and copied once to a GPU. Loading runs no code of the file but kernels, and those when they are
// called.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "runtime/execute/gpu.h"
#include "runtime/load/package_file.h"
#include "runtime/load/plan_file.h"

namespace frit::runtime {

class PackagedFunction {
 public:
  const Signature& signature() const { return signature_; }
  // "x86-64-v3", "native", "baseline"; "compiled here" where no code in the file fits.
  const std::string& machine() const { return machine_; }
  const Executable& executable() const { return *executable_; }

  // A call whose arguments fit the signature: all inputs, weights in their places, and the values of the guard's
  // symbols.
  struct Call {
    std::vector<Tensor> inputs;
    std::vector<int64_t> symbols;
  };
  // `arguments` are the inputs that are not bound to weights, in order; any strides. Needs no data.
  Result<Call> check(std::span<const Tensor> arguments) const;
  std::vector<Sizes> output_shapes(const Call& call) const;

  // Checked before anything runs.
  Result<std::vector<Tensor>> run(std::span<const Tensor> arguments) const;
  // The same into memory of the caller: one buffer per output, large enough, or null to allocate.
  Status run(std::span<const Tensor> arguments, std::span<const std::shared_ptr<Buffer>> into,
             std::span<Tensor> results) const;
  Status run(Call call, std::span<const std::shared_ptr<Buffer>> into, std::span<Tensor> results) const;

 private:
  friend class Package;
  Status check_result(size_t i, const Tensor& t, const int64_t* symbols) const;

  Signature signature_;
  std::string machine_;
  std::shared_ptr<const Executable> executable_;
  std::vector<Tensor> weights_;  // one per input; without a buffer for arguments
  Gpu* gpu_ = nullptr;
};

class Package {
 public:
  // `device` as device_name() takes it (runtime/execute/gpu.h).
  static Result<std::shared_ptr<const Package>> load(const std::string& path, std::string_view device = {});

  const PackageFile& file() const { return *file_; }
  const std::string& device() const { return device_; }
  // Loads the function's code at the first call. Fails where no code in the file runs here and no compiler is
  // installed; the error says why each variant does not run.
  Result<std::shared_ptr<const PackagedFunction>> find(std::string_view name) const;
  Result<std::shared_ptr<const PackagedFunction>> find(const PackageFile::Function& f) const;

 private:
  Package() = default;
  Result<Image> image_for(const PackageFile::Function& f, std::string& machine) const;
  Result<const NamedTensors*> weights() const;

  std::shared_ptr<const PackageFile> file_;
  std::string device_;
  mutable std::mutex mutex_;
  mutable std::vector<std::shared_ptr<const PackagedFunction>>
      ready_;  // one per function of the file; null until it is asked for
  mutable std::unique_ptr<const NamedTensors> weights_;
};

// Why code for that machine does not run here; "" when it does.
std::string unfit(const PackageFile::Variant& variant);

// The capabilities that the SPIR-V of an image declares: their names, sorted.
std::vector<std::string> capabilities_of(const Image& image);

// The compiler, where it is installed: makes code for a function of an IR text, for this machine.
using CompileFn = void (*)(std::string_view ir, std::string_view function, std::string_view device,
                           Result<Image>& made);
inline constexpr char kCompileSymbol[] = "frit_compile_for_runtime";
Result<CompileFn> find_compiler();

}  // namespace frit::runtime
