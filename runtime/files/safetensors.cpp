// Reads and writes .safetensors files.
#include "runtime/files/safetensors.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "runtime/files/limits.h"
#include "runtime/memory/dense.h"
#include "runtime/system/bytes.h"

namespace frit::runtime {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxHeader = 100'000'000;  // as other readers have it

std::string_view type_name(Dtype t) {
  switch (t.val()) {
    case Dtype::Val::bool_: return "BOOL";
    case Dtype::Val::uint8: return "U8";
    case Dtype::Val::uint16: return "U16";
    case Dtype::Val::uint32: return "U32";
    case Dtype::Val::uint64: return "U64";
    case Dtype::Val::int8: return "I8";
    case Dtype::Val::int16: return "I16";
    case Dtype::Val::int32: return "I32";
    case Dtype::Val::int64: return "I64";
    case Dtype::Val::float16: return "F16";
    case Dtype::Val::float32: return "F32";
    case Dtype::Val::float64: return "F64";
    case Dtype::Val::bfloat16: return "BF16";
    case Dtype::Val::complex64: return "C64";
  }
  return "";
}

std::optional<Dtype> type_of(std::string_view name) {
  // Eight-bit floats are read as the bytes that from_fp8 takes.
  if (name == "F8_E4M3" || name == "F8_E8M0") return uint8;
  for (Dtype t : kAllDtypes)
    if (type_name(t) == name) return t;
  return std::nullopt;
}

// Parses JSON whose objects name no member twice. `twice` gets a name that is there twice.
Json parse_header(std::string_view text, std::optional<std::string>& twice) {
  std::vector<std::set<std::string>> names;
  const auto each = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) names.emplace_back();
    if (event == Json::parse_event_t::object_end) names.pop_back();
    if (event == Json::parse_event_t::key && !names.back().insert(parsed.get<std::string>()).second && !twice)
      twice = parsed.get<std::string>();
    return true;
  };
  return Json::parse(text, each, false);
}

class SafetensorsReader {
 public:
  SafetensorsReader(const std::shared_ptr<const MappedFile>& file, NamedTexts* metadata)
      : file_(file), metadata_(metadata) {}

  Result<NamedTensors> run() {
    ByteReader in(file_->bytes());
    const uint64_t length = in.u64();
    if (!in.ok()) return fail("it ends too early for a .safetensors file");
    if (length > kMaxHeader || length > in.left())
      return fail("its header claims " + std::to_string(length) + " bytes, which the file does not have");
    start_ = 8 + length;
    std::optional<std::string> twice;
    const Json header = parse_header(in.raw(length), twice);
    if (twice) return fail("its header has '" + *twice + "' twice");
    if (!header.is_object()) return fail("its header is not a JSON object");
    NamedTensors tensors;
    for (const auto& [name, entry] : header.items()) {
      if (name == "__metadata__") {
        if (entry.is_null()) continue;  // MLX writes null for no texts
        if (!entry.is_object()) return fail("its metadata is not a JSON object");
        for (const auto& [key, text] : entry.items()) {
          if (!text.is_string()) return fail("its metadata has '" + key + "', which is not a text");
          if (metadata_) metadata_->emplace(key, text.get<std::string>());
        }
        continue;
      }
      auto t = tensor(entry);
      if (!t.ok()) return fail("tensor '" + name + "': " + t.error().message);
      tensors.emplace(name, *std::move(t));
    }
    FRIT_TRY(check_places());
    return tensors;
  }

 private:
  Diagnostic fail(const std::string& why) const { return Diagnostic("cannot read '" + file_->path() + "': " + why); }

  // No byte belongs to two tensors.
  Status check_places() {
    std::sort(places_.begin(), places_.end());
    for (size_t i = 1; i < places_.size(); ++i)
      if (places_[i].first < places_[i - 1].second)
        return fail("two tensors overlap at byte " + std::to_string(places_[i].first) + " of its data");
    return {};
  }

  Result<Tensor> tensor(const Json& entry) {
    if (!entry.is_object()) return Diagnostic("its entry is not an object");
    const auto field = [&](const char* name) { return entry.contains(name) ? entry[name] : Json(); };
    const Json type = field("dtype"), shape = field("shape"), offsets = field("data_offsets");
    const auto dtype = type.is_string() ? type_of(type.get<std::string>()) : std::nullopt;
    if (!dtype)
      return Diagnostic("the element type " + type.dump(-1, ' ', true, Json::error_handler_t::replace) +
                        " is not known");
    if (!shape.is_array() || shape.size() > kMaxRank) return Diagnostic("its shape is not a list of sizes");
    Tensor t;
    t.dtype = *dtype;
    int64_t elements = 1;
    for (const Json& n : shape) {
      if (!n.is_number_unsigned() || n.get<uint64_t>() > static_cast<uint64_t>(kMaxElements))
        return Diagnostic("its shape is not a list of sizes");
      t.shape.push_back(n.get<int64_t>());
      if (__builtin_mul_overflow(elements, std::max<int64_t>(t.shape.back(), 1), &elements) || elements > kMaxElements)
        return Diagnostic("it is too large");
    }
    if (std::find(t.shape.begin(), t.shape.end(), 0) != t.shape.end()) elements = 0;
    t.strides = row_major(t.shape);
    if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() ||
        !offsets[1].is_number_unsigned())
      return Diagnostic("its place in the file is not two numbers");
    const auto begin = offsets[0].get<uint64_t>(), end = offsets[1].get<uint64_t>();
    const size_t data = file_->bytes().size() - start_;
    if (begin > end || end > data) return Diagnostic("it lies outside of the file");
    if (end - begin != static_cast<uint64_t>(elements) * dtype->size())
      return Diagnostic("its shape and its bytes do not fit each other");
    if (begin < end) places_.emplace_back(begin, end);
    return place(std::move(t), start_ + begin, end - begin);
  }

  Result<Tensor> place(Tensor t, size_t offset, size_t bytes) const {
    const std::string_view data = file_->bytes().substr(offset, bytes);
    const size_t unit = t.dtype == complex64 ? 4 : t.dtype.size();
    // Any other byte than 0 and 1 would be undefined behaviour where it is used.
    const bool odd = t.dtype == bool_ &&
                     std::any_of(data.begin(), data.end(), [](char c) { return static_cast<unsigned char>(c) > 1; });
    if (!odd && reinterpret_cast<uintptr_t>(data.data()) % unit == 0 && bytes) {
      t.buffer = file_->buffer(offset, bytes);
      return t;
    }
    FRIT_ASSIGN_OR_RETURN(memory, Buffer::allocate(bytes));
    auto* to = static_cast<char*>(memory->data());
    if (bytes) std::memcpy(to, data.data(), bytes);
    if (odd) std::for_each(to, to + bytes, [](char& c) { c = c != 0; });
    t.buffer = std::move(memory);
    return t;
  }

  const std::shared_ptr<const MappedFile>& file_;
  NamedTexts* metadata_;
  size_t start_ = 0;
  std::vector<std::pair<uint64_t, uint64_t>> places_;  // of tensors with elements: first byte, and the one behind
};

}  // namespace

Result<NamedTensors> read_safetensors(const std::shared_ptr<const MappedFile>& file, NamedTexts* metadata) {
  return SafetensorsReader(file, metadata).run();
}

Result<NamedTensors> read_safetensors(const std::string& path) {
  FRIT_ASSIGN_OR_RETURN(file, MappedFile::open(path));
  return read_safetensors(file);
}

Status write_safetensors(const std::string& path, const NamedTensors& tensors, const NamedTexts& metadata) {
  FRIT_ASSIGN_OR_RETURN(file, FileWriter::create(path));
  FRIT_TRY(write_safetensors(tensors, metadata, [&](std::string_view bytes) { return file.write(bytes); }));
  return file.commit();
}

Status write_safetensors(const NamedTensors& tensors, const NamedTexts& metadata,
                         const std::function<Status(std::string_view)>& write) {
  std::vector<const NamedTensors::value_type*> order;
  for (const auto& t : tensors) order.push_back(&t);
  std::stable_sort(order.begin(), order.end(),
                   [](auto* a, auto* b) { return a->second.dtype.size() > b->second.dtype.size(); });
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  size_t at = 0;
  for (const auto* t : order) {
    const size_t bytes = dense_bytes(t->second);
    header[t->first] = {{"dtype", type_name(t->second.dtype)},
                        {"shape", std::vector<int64_t>(t->second.shape)},
                        {"data_offsets", {at, at + bytes}}};
    at += bytes;
  }
  std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  // The elements begin at a multiple of 64 bytes.
  text.append((64 - (8 + text.size()) % 64) % 64, ' ');
  ByteWriter start;
  start.text(text);
  FRIT_TRY(write(start.bytes()));
  for (const auto* t : order) {
    const Tensor& tensor = t->second;
    const auto* data =
        static_cast<const char*>(tensor.buffer->data()) + tensor.offset * static_cast<int64_t>(tensor.dtype.size());
    FRIT_TRY(write({data, dense_bytes(tensor)}));
  }
  return {};
}

}  // namespace frit::runtime
