// Reads and checks bytes as each file format, and makes good files.
#include "file_formats.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "codegen/package/package.h"
#include "ir/base/hash.h"
#include "ir/read/json.h"
#include "ir/read/parser.h"
#include "ir/text/printer.h"
#include "ir/verify/verifier.h"
#include "runtime/execute/gpu.h"
#include "runtime/files/gguf.h"
#include "runtime/files/npy.h"
#include "runtime/load/package.h"

namespace frit::test {
namespace {

[[noreturn]] void wrong(const std::string& what) {
  std::fprintf(stderr, "fuzz_files: %s\n", what.c_str());
  std::abort();
}

template <class T>
bool accepted(const Result<T>& r) {
  if (!r.ok() && r.error().message.empty()) wrong("refused without a message");
  return r.ok();
}

// Bytes as a file with a path.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : fd_(memfd_create("fuzz", MFD_CLOEXEC)) {
    if (fd_ < 0 || ::write(fd_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
      wrong("no memory for a file");
    lseek(fd_, 0, SEEK_SET);
  }
  ~MemoryFile() { ::close(fd_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

// Updates the checksums in the header, so that damage gets past it to the manifest.
std::string resealed(std::string bytes) {
  if (bytes.size() < 64) return bytes;
  const auto number = [&](size_t at) {
    uint64_t v;
    std::memcpy(&v, bytes.data() + at, 8);
    return v;
  };
  const auto put = [&](size_t at, uint64_t v) { std::memcpy(bytes.data() + at, &v, 8); };
  put(32, bytes.size());
  const uint64_t at = number(16);
  if (at > bytes.size()) return bytes;
  put(24, bytes.size() - at);
  const Hash128 hash = hash_bytes(bytes.data() + at, bytes.size() - at);
  put(40, hash.high);
  put(48, hash.low);
  return bytes;
}

void read_package(const std::string& bytes) {
  const MemoryFile file(resealed(bytes));
  auto package = runtime::PackageFile::open(file.path());
  if (!accepted(package)) return;
  for (size_t i = 0; i < (*package)->sections().size(); ++i) accepted((*package)->section(i));
  accepted((*package)->ir());
  for (const auto& f : (*package)->functions()) {
    accepted((*package)->signature(f));
    for (const auto& v : f.variants) accepted((*package)->section(v.image));
  }
  if ((*package)->weights_file().empty()) accepted((*package)->weights());
}

void read_image(const std::string& bytes) {
  auto image = runtime::read_image(bytes);
  if (accepted(image) && runtime::write_image(*image) != bytes)
    wrong("an image is written as other bytes than it was read from");
}

void read_signature(const std::string& bytes) {
  auto s = runtime::read_signature(bytes);
  if (!accepted(s)) return;
  if (runtime::write_signature(*s) != bytes) wrong("a signature is written as other bytes than it was read from");
  // Checks of any call do no harm.
  std::vector<runtime::Tensor> inputs;
  for (const auto& i : s->inputs)
    inputs.push_back({nullptr, i.dtype, runtime::Sizes(i.shape.size(), 3), runtime::Sizes(i.shape.size(), 1), 0});
  std::vector<int64_t> symbols(s->guard.symbol_names.size());
  accepted(runtime::check_call(*s, inputs, symbols.data()));
}

void read_module(Result<std::unique_ptr<ir::Module>> m) {
  if (!accepted(m)) return;
  if (Status s = ir::verify(**m); !s.ok()) wrong("accepted, but not valid: " + s.error().str());
  const std::string text = ir::print(**m);
  auto again = ir::parse(text, "printed");
  if (!again.ok() || ir::print(**again) != text) wrong("accepted, but its text does not read back:\n" + text);
}

void read_safetensors(const std::string& bytes) {
  const MemoryFile file(bytes);
  auto tensors = runtime::read_safetensors(file.path());
  if (!accepted(tensors)) return;
  // Every element must be readable.
  unsigned sum = 0;
  for (const auto& [name, t] : *tensors) {
    size_t n = t.dtype.size();
    for (int64_t s : t.shape) n *= static_cast<size_t>(s);
    const auto* data =
        static_cast<const unsigned char*>(t.buffer->data()) + t.offset * static_cast<int64_t>(t.dtype.size());
    for (size_t i = 0; i < n; i += 61) sum += data[i];
    if (n) sum += data[n - 1];
  }
  [[maybe_unused]] static volatile unsigned keep = 0;
  keep = sum;
}

// A listing trusts nothing of the code, and is no longer than a multiple of it.
void list_code(const char* backend, const std::string& bytes) {
  auto found = codegen::find_backend(backend);
  if (!found.ok()) wrong(found.error().str());
  auto text = (*found)->listing({bytes, {}}, {backend, backend == std::string("llvm") ? "x86-64-v3" : "baseline"});
  if (accepted(text) && text->size() > 1000 * bytes.size()) wrong("a listing is too long");
}

std::string text_of(FileFormat format, std::string bytes) {
  return std::string(1, static_cast<char>(format)) + std::move(bytes);
}

runtime::Tensor ramp(int64_t n) {
  runtime::Tensor t{*runtime::Buffer::allocate(static_cast<size_t>(n) * 4), float32, {n}, {1}, 0};
  for (int64_t i = 0; i < n; ++i) static_cast<float*>(t.buffer->data())[i] = static_cast<float>(i);
  return t;
}

std::string file_text(const std::string& path) {
  auto file = runtime::MappedFile::open(path);
  return file.ok() ? std::string((*file)->bytes()) : std::string();
}

}  // namespace

void read_any(const uint8_t* data, size_t size) {
  if (size == 0 || data[0] >= static_cast<uint8_t>(FileFormat::Count)) return;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (static_cast<FileFormat>(data[0])) {
    case FileFormat::Package: return read_package(bytes);
    case FileFormat::Image: return read_image(bytes);
    case FileFormat::Signature: return read_signature(bytes);
    case FileFormat::Safetensors: return read_safetensors(bytes);
    case FileFormat::GraphText: return read_module(ir::parse(bytes, "fuzz"));
    case FileFormat::GraphJson: return read_module(ir::from_json(bytes, "fuzz"));
    case FileFormat::GpuCode: accepted(runtime::read_gpu_code(bytes)); return;
    case FileFormat::Npy: accepted(runtime::read_npy(MemoryFile(bytes).path())); return;
    case FileFormat::Object: return list_code("llvm", bytes);
    case FileFormat::Shaders: return list_code("glsl", bytes);
    case FileFormat::Gguf: accepted(runtime::read_gguf(runtime::MappedFile::of_bytes(bytes, "fuzz"))); return;
    case FileFormat::Count: return;
  }
}

std::vector<std::string> good_files() {
  constexpr char kText[] = R"(weights "w.safetensors"

func @f(%x: f32[m, n], %w: f32[4] = "w", %k: i32[2*n]) -> (%y: f32[m, n], f32[m]) where m in [1, 64], n % 4 == 0, m <= n {
  %0: f32[] = constant 2
  %1: f32[m, n] = broadcast %0 {shape=[m, n]}
  %2: f32[m, n] = multiply %x, %1  // loc "f.cpp":3
  %3: f32[m] = sum %2 {axes=[1]}
  return %2, %3
}

func @g(%a: f32[4, 4], %c: f32[4]) -> f32[4, 4] {
  %0: f32[4, 4] = matmul %a, %a
  %1: f32[4] = constant [1, 2, 3, 4]
  %2: f32[4] = add %c, %1
  %3: f32[4, 4] = broadcast %2 {shape=[4, 4]}
  %4: f32[4, 4] = add %0, %3
  return %4
}
)";
  auto module = ir::parse(kText, "kText");
  if (!module.ok()) wrong(module.error().str());
  const runtime::NamedTensors weights{{"w", ramp(4)}};
  auto contents = codegen::make_package(**module, weights, {{{"llvm", "x86-64-v3"}, {"glsl", "baseline"}}});
  if (!contents.ok()) wrong(contents.error().str());
  std::string folder = (std::filesystem::temp_directory_path() / "frit-fuzz-XXXXXX").string();
  if (!mkdtemp(folder.data())) wrong("good files cannot be written");
  const std::string package = folder + "/p", safetensors = folder + "/s", npy = folder + "/n", gguf = folder + "/g";
  if (!runtime::write_package(package, *contents).ok() ||
      !runtime::write_safetensors(safetensors, {{"a", ramp(3)}, {"w", ramp(4)}}).ok() ||
      !runtime::write_npy(npy, ramp(5)).ok() ||
      !runtime::write_gguf(gguf, {{{"a", ramp(3)}, {"b", ramp(4)}}, {{"k", std::string("v")}, {"n", ramp(2)}}}).ok())
    wrong("good files cannot be written");
  std::vector<std::string> files{text_of(FileFormat::Package, file_text(package)),
                                 text_of(FileFormat::Safetensors, file_text(safetensors)),
                                 text_of(FileFormat::Npy, file_text(npy)),
                                 text_of(FileFormat::Gguf, file_text(gguf)),
                                 text_of(FileFormat::GraphText, kText),
                                 text_of(FileFormat::GraphJson, ir::to_json(**module))};
  std::filesystem::remove_all(folder);
  for (const auto& f : contents->functions) {
    files.push_back(text_of(FileFormat::Signature, runtime::write_signature(f.signature)));
    for (const auto& v : f.variants) {
      files.push_back(text_of(FileFormat::Image, v.image));
      auto image = runtime::read_image(v.image);
      if (!image.ok()) continue;
      const std::string& code = image->objects[0].object;
      files.push_back(text_of(v.device == "vulkan" ? FileFormat::Shaders : FileFormat::Object, code));
      if (v.device == "vulkan") files.push_back(text_of(FileFormat::GpuCode, code));
    }
  }
  return files;
}

}  // namespace frit::test
