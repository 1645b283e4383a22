// Arrays from and to .npy, .safetensors and .gguf files.
#include "frontend/core/node.h"
#include "frontend/frit/error.h"
#include "frontend/frit/io.h"
#include "frontend/frit/ops.h"
#include "frontend/frit/transforms.h"
#include "runtime/files/gguf.h"
#include "runtime/files/npy.h"
#include "runtime/files/safetensors.h"

namespace frit {

using runtime::MappedFile;
using runtime::Tensor;

namespace {

[[noreturn]] void failed(const char* op, const Diagnostic& d, const std::string& note = {},
                         const std::source_location& where = {}) {
  throw RuntimeError(std::string(op) + ": " + d.message, note.empty() ? d.note : note, where.file_name(), where.line());
}

array array_of_tensor(Tensor t) {
  Shape shape;
  for (const int64_t n : t.shape) {
    if (n > std::numeric_limits<ShapeElem>::max())
      throw RuntimeError("load: an axis of " + std::to_string(n) + " elements is more than an array holds",
                         "split the array in the file");
    shape.push_back(static_cast<ShapeElem>(n));
  }
  const Dtype dtype = t.dtype;
  return detail::array_of(std::make_shared<detail::Node>(dtype, std::move(shape), std::move(t)));
}

// A file with elements of a `foreign` type is none of arrays; other errors are those of a damaged file.
array array_of_npy(Result<Tensor> t, const std::string& name, bool foreign, const StreamOrDevice& s) {
  if (t) return array_of_tensor(*std::move(t));
  const Diagnostic error("'" + name + "': " + t.error().message);
  if (!foreign) failed("load", error, {}, s.where());
  throw InvalidArgument("load: " + error.message, "save numbers of a type that arrays have", s.where().file_name(),
                        s.where().line());
}

// In host memory, row by row.
Tensor tensor_of(const array& a) {
  const array dense = contiguous(a, false, Device::cpu);
  dense.eval();
  Tensor t = detail::addressable(detail::known(*detail::node_of(dense)));
  detail::data_of(t);
  return t;
}

std::string with_ending(std::string file, std::string_view ending) {
  return file.ends_with(ending) ? file : file + std::string(ending);
}

void check_open(const char* op, const auto& stream) {
  if (!stream || !stream->is_open() || !stream->good())
    throw RuntimeError(
        std::string(op) + ": " + (stream ? "'" + stream->label() + "'" : std::string("the stream")) + " is not open",
        "open it, and see whether the file is there");
}

void open(const char* op, const std::shared_ptr<io::Writer>& stream) {
  if (stream) stream->open();
  check_open(op, stream);
}

// All bytes from where the reader stands.
std::string rest_of(const char* op, io::Reader& in) {
  const size_t at = in.tell();
  in.seek(0, std::ios_base::end);
  const size_t end = in.tell();
  in.seek(static_cast<int64_t>(at));
  if (end < at) throw RuntimeError(std::string(op) + ": '" + in.label() + "' cannot be measured", "use a file");
  std::string bytes(end - at, '\0');
  in.read(bytes.data(), bytes.size());
  if (!in.good()) throw RuntimeError(std::string(op) + ": '" + in.label() + "' cannot be read to its end");
  return bytes;
}

std::function<Status(std::string_view)> to_writer(io::Writer& out) {
  return [&out](std::string_view bytes) {
    out.write(bytes.data(), bytes.size());
    return out.good() ? Status() : Status(Diagnostic("'" + out.label() + "' cannot be written"));
  };
}

runtime::NamedTensors tensors_of(const std::unordered_map<std::string, array>& arrays) {
  std::vector<array> all;
  for (const auto& [name, a] : arrays) all.push_back(a);
  eval(all);
  runtime::NamedTensors tensors;
  for (const auto& [name, a] : arrays) tensors.emplace(name, tensor_of(a));
  return tensors;
}

std::unordered_map<std::string, array> arrays_of(runtime::NamedTensors tensors) {
  std::unordered_map<std::string, array> arrays;
  for (auto& [name, t] : tensors) arrays.emplace(name, array_of_tensor(std::move(t)));
  return arrays;
}

SafetensorsLoad loaded(const std::shared_ptr<const MappedFile>& file, const StreamOrDevice& s) {
  runtime::NamedTexts texts;
  auto tensors = runtime::read_safetensors(file, &texts);
  if (!tensors) failed("load_safetensors", tensors.error(), {}, s.where());
  return {arrays_of(*std::move(tensors)), {texts.begin(), texts.end()}};
}

}  // namespace

void save(std::string file, array a) {
  const std::string path = with_ending(std::move(file), ".npy");
  if (Status status = runtime::write_npy(path, tensor_of(a)); !status) failed("save", status.error());
}
void save(std::shared_ptr<io::Writer> out_stream, array a) {
  open("save", out_stream);
  if (Status status = runtime::write_npy(out_stream->label(), tensor_of(a), to_writer(*out_stream)); !status)
    failed("save", status.error());
}

array load(std::string file, StreamOrDevice s) {
  if (!file.ends_with(".npy"))
    throw RuntimeError("load: '" + file + "' is not named as a .npy file",
                       "use load_safetensors or load_gguf for other formats", s.where().file_name(), s.where().line());
  bool foreign = false;
  auto t = runtime::read_npy(file, &foreign);
  return array_of_npy(std::move(t), file, foreign, s);
}
array load(std::shared_ptr<io::Reader> in_stream, StreamOrDevice s) {
  check_open("load", in_stream);
  bool foreign = false;
  const std::string bytes = rest_of("load", *in_stream), name = in_stream->label();
  std::string_view left = bytes;
  auto t = runtime::parse_npy(left, name, &foreign);
  array a = array_of_npy(std::move(t), name, foreign, s);
  // Another array may follow, for the next call.
  if (!left.empty()) in_stream->seek(-static_cast<int64_t>(left.size()), std::ios_base::end);
  return a;
}

void save_safetensors(std::string file, std::unordered_map<std::string, array> arrays,
                      std::unordered_map<std::string, std::string> metadata) {
  const std::string path = with_ending(std::move(file), ".safetensors");
  if (Status status = runtime::write_safetensors(path, tensors_of(arrays), {metadata.begin(), metadata.end()}); !status)
    failed("save_safetensors", status.error());
}
void save_safetensors(std::shared_ptr<io::Writer> out_stream, std::unordered_map<std::string, array> arrays,
                      std::unordered_map<std::string, std::string> metadata) {
  open("save_safetensors", out_stream);
  const Status status =
      runtime::write_safetensors(tensors_of(arrays), {metadata.begin(), metadata.end()}, to_writer(*out_stream));
  if (!status) failed("save_safetensors", status.error());
}

SafetensorsLoad load_safetensors(const std::string& file, StreamOrDevice s) {
  auto mapped = MappedFile::open(file);
  if (!mapped) failed("load_safetensors", mapped.error(), {}, s.where());
  return loaded(*mapped, s);
}
SafetensorsLoad load_safetensors(std::shared_ptr<io::Reader> in_stream, StreamOrDevice s) {
  check_open("load_safetensors", in_stream);
  return loaded(MappedFile::of_bytes(rest_of("load_safetensors", *in_stream), in_stream->label()), s);
}

void save_gguf(std::string file, std::unordered_map<std::string, array> arrays,
               std::unordered_map<std::string, GGUFMetaData> metadata) {
  runtime::GgufFile contents{tensors_of(arrays), {}};
  for (const auto& [name, value] : metadata) {
    if (std::holds_alternative<std::monostate>(value))
      throw RuntimeError("save_gguf: the fact '" + name + "' holds nothing", "give a number, a list or a text");
    if (const auto* a = std::get_if<array>(&value)) contents.facts.emplace(name, tensor_of(*a));
    if (const auto* text = std::get_if<std::string>(&value)) contents.facts.emplace(name, *text);
    if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) contents.facts.emplace(name, *texts);
  }
  if (Status status = runtime::write_gguf(with_ending(std::move(file), ".gguf"), contents); !status)
    failed("save_gguf", status.error());
}

GGUFLoad load_gguf(const std::string& file, StreamOrDevice s) {
  auto mapped = MappedFile::open(file);
  if (!mapped) {
    const Diagnostic& error = mapped.error();
    throw InvalidArgument("load_gguf: " + error.message, error.note, s.where().file_name(), s.where().line());
  }
  auto contents = runtime::read_gguf(*mapped);
  if (!contents) failed("load_gguf", contents.error(), {}, s.where());
  GGUFLoad result{arrays_of(std::move(contents->tensors)), {}};
  for (auto& [name, value] : contents->facts) {
    if (auto* t = std::get_if<Tensor>(&value)) result.second.emplace(name, array_of_tensor(std::move(*t)));
    if (auto* text = std::get_if<std::string>(&value)) result.second.emplace(name, std::move(*text));
    if (auto* texts = std::get_if<std::vector<std::string>>(&value)) result.second.emplace(name, std::move(*texts));
  }
  return result;
}

}  // namespace frit
