// Writes package files, and reads their sections.
#include "runtime/load/package_file.h"

#include <algorithm>
#include <filesystem>

#include "ir/base/hash.h"
#include "runtime/load/manifest.h"
#include "runtime/memory/dense.h"
#include "runtime/system/bytes.h"

namespace frit::runtime {
namespace {

constexpr std::string_view kPackageMagic = "FRITPKG\n";
constexpr size_t kPackageHeader = 64;

std::string hash_of(std::string_view bytes) { return hash_bytes(bytes.data(), bytes.size()).hex(); }

// Magic, version, 0, the place and size of the manifest, the size of the file, the hash of the manifest, 0.
std::string header(size_t manifest_at, std::string_view manifest, size_t file_bytes) {
  const Hash128 hash = hash_bytes(manifest.data(), manifest.size());
  ByteWriter out;
  out.raw(kPackageMagic);
  out.u32(kPackageVersion);
  out.u32(0);
  out.u64(manifest_at);
  out.u64(manifest.size());
  out.u64(file_bytes);
  out.u64(hash.high);
  out.u64(hash.low);
  out.u64(0);
  return std::move(out).take();
}

size_t aligned(size_t n) { return (n + kPackageHeader - 1) / kPackageHeader * kPackageHeader; }

// The sections of a package to be written, none copied.
class Layout {
 public:
  size_t add(std::string_view bytes) {
    sections_.push_back({end_, bytes.size(), hash_of(bytes)});
    parts_.push_back(bytes);
    end_ = aligned(end_ + bytes.size());
    return sections_.size() - 1;
  }
  // The same bytes are one section.
  size_t add_once(std::string_view bytes) {
    for (size_t i = 0; i < parts_.size(); ++i)
      if (parts_[i] == bytes) return i;
    return add(bytes);
  }
  const std::vector<PackageFile::Section>& sections() const { return sections_; }

  Status write(const std::string& path, std::string_view manifest) const {
    FRIT_ASSIGN_OR_RETURN(file, FileWriter::create(path));
    FRIT_TRY(file.write(header(end_, manifest, end_ + manifest.size())));
    size_t at = kPackageHeader;
    for (size_t i = 0; i < parts_.size(); ++i) {
      FRIT_TRY(file.write(parts_[i]));
      at += parts_[i].size();
      FRIT_TRY(file.write(std::string(aligned(at) - at, '\0')));
      at = aligned(at);
    }
    FRIT_TRY(file.write(manifest));
    return file.commit();
  }

 private:
  std::vector<PackageFile::Section> sections_;
  std::vector<std::string_view> parts_;
  size_t end_ = kPackageHeader;
};

}  // namespace

Status write_package(const std::string& path, const PackageContents& contents) {
  Layout layout;
  ManifestSource source{contents};
  source.ir = layout.add(contents.ir);
  std::vector<std::string> signatures;
  for (const auto& f : contents.functions) signatures.push_back(write_signature(f.signature));
  for (size_t i = 0; i < contents.functions.size(); ++i) {
    source.signatures.push_back(layout.add(signatures[i]));
    for (const auto& v : contents.functions[i].variants) source.images.push_back(layout.add_once(v.image));
  }
  if (contents.weights_file.empty())
    for (const auto& [name, t] : contents.weights) {
      const auto* data = static_cast<const char*>(t.buffer->data()) + t.offset * static_cast<int64_t>(t.dtype.size());
      source.weights.push_back(layout.add({data, dense_bytes(t)}));
    }
  return layout.write(path, write_manifest(source, layout.sections()));
}

Diagnostic PackageFile::fail(const std::string& why, const std::string& note) const {
  return Diagnostic("cannot load '" + path() + "': " + why, {}, note);
}

Result<std::shared_ptr<const PackageFile>> PackageFile::open(const std::string& path) {
  FRIT_ASSIGN_OR_RETURN(file, MappedFile::open(path));
  std::shared_ptr<PackageFile> package(new PackageFile);
  package->file_ = std::move(file);
  const std::string_view bytes = package->file_->bytes();
  ByteReader in(bytes);
  if (in.raw(kPackageMagic.size()) != kPackageMagic)
    return package->fail("it is not a package of frit", "'frit compile' makes packages from graph files");
  const uint32_t version = in.u32();
  if (in.ok() && version != kPackageVersion)
    return package->fail("it has version " + std::to_string(version) + " of the format, and this is for version " +
                             std::to_string(kPackageVersion),
                         "compile it again from its graph file with this version of frit");
  in.u32();
  const uint64_t at = in.u64(), size = in.u64(), whole = in.u64();
  const Hash128 hash{in.u64(), in.u64()};
  if (!in.ok() || whole != bytes.size())
    return package->fail("it has " + std::to_string(bytes.size()) + " bytes" +
                             (in.ok() ? ", not the " + std::to_string(whole) + " that it claims" : ""),
                         "it was cut short or something was added; copy it again");
  if (at > bytes.size() || size > bytes.size() - at || at < kPackageHeader)
    return package->fail("its manifest lies outside of the file");
  package->manifest_ = bytes.substr(at, size);
  if (hash_bytes(package->manifest_.data(), size) != hash)
    return package->fail("its manifest is damaged", "copy it again");
  FRIT_TRY(read_manifest(*package, at));
  return std::shared_ptr<const PackageFile>(std::move(package));
}

Result<std::string_view> PackageFile::section(size_t number) const {
  const Section& s = sections_[number];
  const std::string_view bytes = file_->bytes().substr(s.offset, s.bytes);
  if (hash_of(bytes) != s.hash) return fail("section " + std::to_string(number) + " is damaged", "copy it again");
  return bytes;
}

Result<Signature> PackageFile::signature(const Function& f) const {
  FRIT_ASSIGN_OR_RETURN(bytes, section(f.signature));
  auto s = read_signature(bytes);
  if (!s.ok()) return fail(s.error().message);
  return s;
}

Result<NamedTensors> PackageFile::weights() const {
  if (!weights_file_.empty()) {
    FRIT_ASSIGN_OR_RETURN(where, beside(path(), weights_file_));
    auto all = read_safetensors(where);
    if (!all.ok()) return Diagnostic(all.error().message, {}, "'" + path() + "' takes its weights from there");
    return all;
  }
  NamedTensors all;
  for (const Weight& w : weights_) {
    FRIT_ASSIGN_OR_RETURN(bytes, section(w.section));
    Tensor t{file_->buffer(sections_[w.section].offset, bytes.size()), w.dtype, w.shape, row_major(w.shape), 0};
    if (bytes.size() != dense_bytes(t)) return fail("weight '" + w.name + "' has another size than its shape");
    all.emplace(w.name, std::move(t));
  }
  return all;
}

Result<std::string> beside(const std::string& from, const std::string& file) {
  const std::filesystem::path p(file);
  const bool leaves = std::any_of(p.begin(), p.end(), [](const auto& part) { return part == ".."; });
  if (p.is_absolute() || leaves || file.empty())
    return Diagnostic("'" + from + "' names '" + file + "', which is not in its folder", {},
                      "give a file beside it, or in a folder below");
  return (std::filesystem::path(from).parent_path() / p).string();
}

}  // namespace frit::runtime
