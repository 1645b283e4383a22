// Compiled functions in one file. `frit compile` writes it, and a program without a compiler loads it.
//
// A file has a header of 64 bytes, sections that begin at multiples of 64 bytes, and a manifest in JSON at its end,
// which gives each section's place and hash. docs/offline.md has the format. The same contents give the same bytes.
// Reading takes any bytes: a file that is cut short, changed or of another version is an error, and no count is
// believed before memory is allocated for it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/base/result.h"
#include "runtime/files/file.h"
#include "runtime/files/safetensors.h"
#include "runtime/load/signature.h"

namespace frit::runtime {

inline constexpr uint32_t kPackageVersion = 1;

// The contents of a package that is to be written.
struct PackageContents {
  struct Variant {
    std::string device;    // "cpu" or a GPU's (runtime/execute/gpu.h)
    std::string machine;   // cpu: a level that cpu_runs() knows, or "native"; else what the shaders were written for
    std::string identity;  // of the processor, where `machine` is "native"
    std::vector<std::string> needs;  // the capabilities that its shaders declare
    std::string plan;                // JSON for readers: buffers, steps, kernels
    std::string image;               // runtime/load/plan_file.h
  };
  struct Function {
    Signature signature;
    std::vector<Variant> variants;
  };
  std::string producer;  // "frit 0.1.0"
  std::string ir;        // the text of all functions
  std::vector<Function> functions;
  NamedTensors weights;      // dense; kept inside, unless there is
  std::string weights_file;  // a .safetensors file, as seen from the package's folder
};

Status write_package(const std::string& path, const PackageContents& contents);

// A package as it lies in its file. Sections are checked against their hashes when they are read.
class PackageFile {
 public:
  struct Section {
    size_t offset, bytes;
    std::string hash;
  };
  struct Variant {
    std::string device, machine, identity;
    std::vector<std::string> needs;
    size_t image;  // number of a section
  };
  struct Function {
    std::string name;
    size_t signature;
    std::vector<Variant> variants;
  };
  struct Weight {
    std::string name;
    Dtype dtype = float32;
    Sizes shape;
    size_t section;
  };

  static Result<std::shared_ptr<const PackageFile>> open(const std::string& path);

  const std::string& path() const { return file_->path(); }
  const std::string& producer() const { return producer_; }
  std::string_view manifest() const { return manifest_; }
  const std::vector<Function>& functions() const { return functions_; }
  const std::vector<Section>& sections() const { return sections_; }
  Result<std::string_view> section(size_t number) const;
  Result<std::string_view> ir() const { return section(ir_); }
  Result<Signature> signature(const Function& f) const;

  bool has_weights() const { return !weights_.empty() || !weights_file_.empty(); }
  const std::string& weights_file() const { return weights_file_; }
  const std::vector<Weight>& weights_inside() const { return weights_; }
  // Views of the file, or of the file of weights. Each is checked against its hash where it is inside.
  Result<NamedTensors> weights() const;

 private:
  friend class ManifestReader;
  PackageFile() = default;
  Diagnostic fail(const std::string& why, const std::string& note = {}) const;

  std::shared_ptr<const MappedFile> file_;
  std::string producer_, weights_file_;
  std::string_view manifest_;
  size_t ir_ = 0;
  std::vector<Section> sections_;
  std::vector<Function> functions_;
  std::vector<Weight> weights_;
};

// `file` as seen from the folder of `from`. Fails for a path that is absolute or leads out of the folder.
Result<std::string> beside(const std::string& from, const std::string& file);

}  // namespace frit::runtime
