// Reads and writes .gguf files.
#include "runtime/files/gguf.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "runtime/files/limits.h"
#include "runtime/memory/dense.h"
#include "runtime/system/bytes.h"

namespace frit::runtime {
namespace {

constexpr uint32_t kGgufMagic = 0x46554747;  // "GGUF"
constexpr uint32_t kVersion = 3;
constexpr uint64_t kAlignment = 32;
constexpr uint32_t kMaxGgufRank = 8;

// Types of facts.
enum Fact : uint32_t { kU8, kI8, kU16, kI16, kU32, kI32, kF32, kBool, kText, kList, kU64, kI64, kF64 };

struct PlainType {
  uint32_t code;
  Dtype dtype = float32;
};
constexpr PlainType kFactTypes[] = {{kU8, uint8},   {kI8, int8},   {kU16, uint16},  {kI16, int16},
                                    {kU32, uint32}, {kI32, int32}, {kF32, float32}, {kBool, bool_},
                                    {kU64, uint64}, {kI64, int64}, {kF64, float64}};
constexpr PlainType kTensorTypes[] = {{0, float32}, {1, float16}, {24, int8},    {25, int16},
                                      {26, int32},  {27, int64},  {28, float64}, {30, bfloat16}};

// Blocks of 32 elements: float16 scale, float16 bias where there is one, codes.
struct BlockType {
  uint32_t code;
  int bits;
  bool has_bias;
  size_t bytes() const { return 2u + (has_bias ? 2u : 0u) + static_cast<size_t>(4 * bits); }
};
constexpr int64_t kBlock = 32;
constexpr BlockType kBlockTypes[] = {{2, 4, false}, {3, 4, true}, {8, 8, false}};

template <class Table>
auto find_code(const Table& table, uint32_t code) -> decltype(&table[0]) {
  const auto* found = std::find_if(std::begin(table), std::end(table), [&](const auto& t) { return t.code == code; });
  return found == std::end(table) ? nullptr : found;
}

std::optional<uint32_t> code_of(std::span<const PlainType> table, Dtype t) {
  for (const PlainType& p : table)
    if (p.dtype == t) return p.code;
  return std::nullopt;
}

Result<Tensor> dense_tensor(Dtype dtype, Sizes shape) {
  FRIT_ASSIGN_OR_RETURN(buffer, Buffer::allocate(static_cast<size_t>(element_count(shape)) * dtype.size()));
  Sizes strides = row_major(shape);
  return Tensor{std::move(buffer), dtype, std::move(shape), std::move(strides), 0};
}

class GgufReader {
 public:
  explicit GgufReader(const std::shared_ptr<const MappedFile>& file) : file_(file), in_(file->bytes()) {}

  Result<GgufFile> run() {
    if (in_.u32() != kGgufMagic) return fail("it is not a .gguf file");
    const uint32_t version = in_.u32();
    if (version < 2 || version > kVersion)
      return fail("version " + std::to_string(version) + " of the .gguf format is not known");
    const uint64_t tensors = in_.u64(), facts = in_.u64();
    if (!in_.ok()) return fail("it ends in its header");
    for (uint64_t i = 0; i < facts; ++i) FRIT_TRY(fact());
    if (alignment_ == 0 || (alignment_ & (alignment_ - 1)) != 0) return fail("its alignment is no power of two");
    struct Info {
      std::string name;
      Sizes shape;
      uint32_t type;
      uint64_t offset;
    };
    std::vector<Info> infos;
    for (uint64_t i = 0; i < tensors; ++i) {
      Info info{std::string(in_.text()), {}, 0, 0};
      FRIT_TRY(read_shape(info.name, info.shape));
      info.type = in_.u32();
      info.offset = in_.u64();
      if (!in_.ok()) return fail("it ends in the list of its tensors");
      infos.push_back(std::move(info));
    }
    const size_t header = file_->bytes().size() - in_.left();
    const size_t padding = (alignment_ - header % alignment_) % alignment_;
    if (padding > in_.left() && !infos.empty()) return fail("it ends before its data");
    data_ = file_->bytes().substr(std::min(header + padding, file_->bytes().size()));
    for (const Info& info : infos)
      if (Status status = tensor(info.name, info.shape, info.type, info.offset); !status)
        return fail("tensor '" + info.name + "': " + status.error().message);
    return std::move(result_);
  }

 private:
  Diagnostic fail(const std::string& why) const { return Diagnostic("cannot read '" + file_->path() + "': " + why); }

  Status fact() {
    const std::string name(in_.text());
    const uint32_t type = in_.u32();
    if (!in_.ok()) return fail("it ends in its facts");
    GgufValue value;
    if (type == kText) {
      value = std::string(in_.text());
    } else if (type == kList) {
      const uint32_t inner = in_.u32();
      const uint64_t count = in_.u64();
      if (inner == kText) {
        std::vector<std::string> texts;
        for (uint64_t i = 0; i < count && in_.ok(); ++i) texts.emplace_back(in_.text());
        value = std::move(texts);
      } else {
        FRIT_ASSIGN_OR_RETURN(list,
                              numbers(name, inner, {static_cast<int64_t>(std::min<uint64_t>(count, kMaxElements))}));
        value = std::move(list);
      }
    } else {
      FRIT_ASSIGN_OR_RETURN(number, numbers(name, type, {}));
      if (name == "general.alignment" && number.dtype == uint32) std::memcpy(&alignment_, number.buffer->data(), 4);
      value = std::move(number);
    }
    if (!in_.ok()) return fail("it ends in the fact '" + name + "'");
    if (!result_.facts.emplace(name, std::move(value)).second) return fail("it has the fact '" + name + "' twice");
    return {};
  }

  Result<Tensor> numbers(const std::string& name, uint32_t type, Sizes shape) {
    const PlainType* plain = find_code(kFactTypes, type);
    if (!plain) return fail("the fact '" + name + "' has type " + std::to_string(type) + ", which is not known");
    const auto count = static_cast<uint64_t>(element_count(shape));
    if (count > in_.left() / plain->dtype.size()) return fail("it ends in the fact '" + name + "'");
    FRIT_ASSIGN_OR_RETURN(t, dense_tensor(plain->dtype, std::move(shape)));
    copy_elements(t, in_.raw(count * plain->dtype.size()));
    return t;
  }

  static void copy_elements(const Tensor& t, std::string_view bytes) {
    auto* to = static_cast<uint8_t*>(t.buffer->data());
    if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
    // Any other byte than 0 and 1 would be undefined behaviour where it is used.
    if (t.dtype == bool_)
      for (size_t i = 0; i < bytes.size(); ++i) to[i] = to[i] != 0;
  }

  Status read_shape(const std::string& name, Sizes& shape) {
    const uint32_t rank = in_.u32();
    if (!in_.ok() || rank > kMaxGgufRank) return fail("tensor '" + name + "' has " + std::to_string(rank) + " axes");
    int64_t elements = 1;
    for (uint32_t i = 0; i < rank; ++i) {
      const uint64_t n = in_.u64();
      if (n > static_cast<uint64_t>(kMaxElements) ||
          __builtin_mul_overflow(elements, std::max<int64_t>(static_cast<int64_t>(n), 1), &elements) ||
          elements > kMaxElements)
        return fail("tensor '" + name + "' is too large");
      shape.push_back(static_cast<int64_t>(n));
    }
    // The fastest axis stands first in the file.
    std::reverse(shape.begin(), shape.end());
    return {};
  }

  Result<std::string_view> bytes_at(uint64_t offset, uint64_t size) const {
    if (offset % alignment_ != 0) return Diagnostic("its place is not aligned");
    if (offset > data_.size() || size > data_.size() - offset) return Diagnostic("it lies outside of the file");
    return data_.substr(offset, size);
  }

  Status add(const std::string& name, Tensor t) {
    if (!result_.tensors.emplace(name, std::move(t)).second) return Diagnostic("'" + name + "' is there twice");
    return {};
  }

  Status tensor(const std::string& name, const Sizes& shape, uint32_t type, uint64_t offset) {
    if (const BlockType* block = find_code(kBlockTypes, type)) return blocks(name, shape, *block, offset);
    const PlainType* plain = find_code(kTensorTypes, type);
    if (!plain) return Diagnostic("its element type " + std::to_string(type) + " is not supported");
    const auto bytes = static_cast<uint64_t>(element_count(shape)) * plain->dtype.size();
    FRIT_ASSIGN_OR_RETURN(data, bytes_at(offset, bytes));
    FRIT_ASSIGN_OR_RETURN(t, dense_tensor(plain->dtype, shape));
    copy_elements(t, data);
    return add(name, std::move(t));
  }

  Status blocks(const std::string& name, const Sizes& shape, const BlockType& type, uint64_t offset) {
    constexpr std::string_view kSuffix = ".weight";
    if (shape.empty() || shape.back() % kBlock != 0) return Diagnostic("its rows do not split into blocks of 32");
    const auto count = static_cast<uint64_t>(element_count(shape) / kBlock);
    FRIT_ASSIGN_OR_RETURN(data, bytes_at(offset, count * type.bytes()));
    Sizes packed = shape, groups = shape;
    packed.back() = shape.back() / 32 * type.bits;
    groups.back() = shape.back() / kBlock;
    FRIT_ASSIGN_OR_RETURN(words, dense_tensor(uint32, packed));
    FRIT_ASSIGN_OR_RETURN(scales, dense_tensor(float16, groups));
    FRIT_ASSIGN_OR_RETURN(biases, dense_tensor(float16, groups));
    auto* codes = static_cast<uint8_t*>(words.buffer->data());
    auto *scale = static_cast<float16_t*>(scales.buffer->data()),
         *bias = static_cast<float16_t*>(biases.buffer->data());
    const auto bytes_of_codes = static_cast<size_t>(4 * type.bits);
    for (uint64_t i = 0; i < count; ++i) {
      const char* at = data.data() + i * type.bytes();
      std::memcpy(&scale[i], at, 2);
      if (type.has_bias) std::memcpy(&bias[i], at + 2, 2);
      // Without a bias codes are signed: zero stands in the middle.
      if (!type.has_bias) bias[i] = float16_t(static_cast<float>(scale[i]) * (type.bits == 8 ? -128.0f : -8.0f));
      unpack(reinterpret_cast<const uint8_t*>(at) + type.bytes() - bytes_of_codes, codes + i * bytes_of_codes,
             type.bits);
    }
    const std::string prefix = name.ends_with(kSuffix) ? name.substr(0, name.size() - kSuffix.size()) : name;
    FRIT_TRY(add(name, std::move(words)));
    FRIT_TRY(add(prefix + ".scales", std::move(scales)));
    return add(prefix + ".biases", std::move(biases));
  }

  // The codes of a block in order. In the file a byte of four-bit codes has elements i and i + 16.
  static void unpack(const uint8_t* from, uint8_t* to, int bits) {
    if (bits == 8) {
      for (int i = 0; i < 32; ++i) to[i] = from[i] ^ 0x80;
      return;
    }
    const auto code = [&](int i) { return i < 16 ? from[i] & 15 : from[i - 16] >> 4; };
    for (int i = 0; i < 16; ++i) to[i] = static_cast<uint8_t>(code(2 * i) | code(2 * i + 1) << 4);
  }

  const std::shared_ptr<const MappedFile>& file_;
  ByteReader in_;
  uint32_t alignment_ = kAlignment;
  std::string_view data_;
  GgufFile result_;
};

std::string_view elements_of(const Tensor& t) {
  return {static_cast<const char*>(t.buffer->data()) + t.offset * static_cast<int64_t>(t.dtype.size()), dense_bytes(t)};
}

Status write_fact(ByteWriter& out, const std::string& name, const GgufValue& value) {
  out.text(name);
  if (const auto* text = std::get_if<std::string>(&value)) {
    out.u32(kText);
    out.text(*text);
  } else if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
    out.u32(kList);
    out.u32(kText);
    out.u64(texts->size());
    for (const std::string& t : *texts) out.text(t);
  } else {
    const Tensor& t = std::get<Tensor>(value);
    const auto code = code_of(kFactTypes, t.dtype);
    if (!code || t.shape.size() > 1)
      return Diagnostic("the fact '" + name + "' is neither a number nor a list of numbers that a .gguf file holds");
    if (t.shape.size() == 1) {
      out.u32(kList);
      out.u32(*code);
      out.u64(static_cast<uint64_t>(t.shape[0]));
    } else {
      out.u32(*code);
    }
    out.raw(elements_of(t));
  }
  return {};
}

}  // namespace

Result<GgufFile> read_gguf(const std::shared_ptr<const MappedFile>& file) { return GgufReader(file).run(); }

Status write_gguf(const std::string& path, const GgufFile& contents) {
  const auto padding = [](size_t at) { return std::string((kAlignment - at % kAlignment) % kAlignment, '\0'); };
  ByteWriter out;
  out.u32(kGgufMagic);
  out.u32(kVersion);
  out.u64(contents.tensors.size());
  out.u64(contents.facts.size());
  for (const auto& [name, value] : contents.facts) FRIT_TRY(write_fact(out, name, value));
  size_t offset = 0;
  for (const auto& [name, t] : contents.tensors) {
    const auto code = code_of(kTensorTypes, t.dtype);
    if (!code)
      return Diagnostic("tensor '" + name + "' has element type " + std::string(long_name(t.dtype)) +
                            ", which a .gguf file does not hold",
                        {}, "convert it to a float or a signed integer first");
    if (t.shape.size() > kMaxGgufRank) return Diagnostic("tensor '" + name + "' has more than 8 axes");
    out.text(name);
    out.u32(static_cast<uint32_t>(t.shape.size()));
    for (size_t i = t.shape.size(); i-- > 0;) out.u64(static_cast<uint64_t>(t.shape[i]));
    out.u32(*code);
    out.u64(offset);
    offset += dense_bytes(t);
    offset += padding(offset).size();
  }
  FRIT_ASSIGN_OR_RETURN(file, FileWriter::create(path));
  FRIT_TRY(file.write(out.bytes()));
  FRIT_TRY(file.write(padding(out.bytes().size())));
  // Nothing follows the last tensor, so that a file that is cut short is always found out.
  size_t left = contents.tensors.size();
  for (const auto& [name, t] : contents.tensors) {
    FRIT_TRY(file.write(elements_of(t)));
    if (--left > 0) FRIT_TRY(file.write(padding(dense_bytes(t))));
  }
  return file.commit();
}

}  // namespace frit::runtime
