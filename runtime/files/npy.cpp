// Reads and writes .npy files.
#include "runtime/files/npy.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "runtime/files/file.h"
#include "runtime/files/limits.h"
#include "runtime/memory/dense.h"
#include "runtime/memory/round_up.h"

namespace frit::runtime {
namespace {

static_assert(std::endian::native == std::endian::little, "raw elements are written as they lie");

constexpr std::string_view kNpyMagic = "\x93NUMPY";
constexpr size_t kMaxNpyHeader = size_t{1} << 20;

struct Header {
  Dtype dtype = float32;
  bool swapped = false;
  bool fortran = false;
  Sizes shape;
};

// Reads the Python dictionary of the header: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
class HeaderParser {
 public:
  HeaderParser(std::string_view text, size_t offset, const char* file, bool* foreign)
      : text_(text), offset_(offset), file_(file), foreign_(foreign) {}

  Result<Header> parse() {
    Header h;
    bool descr = false, order = false, shape = false;
    FRIT_TRY(expect('{'));
    while (!accept('}')) {
      FRIT_ASSIGN_OR_RETURN(key, string());
      FRIT_TRY(expect(':'));
      bool* seen = key == "descr" ? &descr : key == "fortran_order" ? &order : key == "shape" ? &shape : nullptr;
      if (!seen) return fail("unknown key '" + printable(key) + "' in the header");
      if (*seen) return fail("key '" + key + "' stands twice in the header");
      *seen = true;
      if (seen == &descr) FRIT_TRY(element_type(h));
      if (seen == &order) FRIT_TRY(boolean(h.fortran));
      if (seen == &shape) FRIT_TRY(tuple(h.shape));
      if (!accept(',') && !peek('}')) return fail("expected ',' or '}' in the header");
    }
    skip_space();
    if (at_ != text_.size()) return fail("text after the header's dictionary");
    if (!descr || !order || !shape) return fail("the header lacks 'descr', 'fortran_order' or 'shape'");
    return h;
  }

 private:
  // Bytes are counted from one, as columns of the first line.
  Diagnostic fail(std::string message) const {
    return {std::move(message), SourceLoc{file_, 1, static_cast<uint32_t>(offset_ + at_ + 1)}};
  }
  static std::string printable(std::string_view s) {
    std::string out;
    for (char c : s.substr(0, 40)) out += c >= ' ' && c < 127 ? c : '?';
    return out;
  }
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }
  bool peek(char c) {
    skip_space();
    return at_ < text_.size() && text_[at_] == c;
  }
  bool accept(char c) {
    if (!peek(c)) return false;
    ++at_;
    return true;
  }
  Status expect(char c) {
    if (accept(c)) return {};
    return fail("expected '" + std::string(1, c) + "' in the header");
  }
  Result<std::string> string() {
    skip_space();
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"'))
      return fail("expected a string in the header");
    char quote = text_[at_];
    size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return fail("a string in the header does not end");
    std::string value(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return value;
  }
  Status boolean(bool& out) {
    skip_space();
    for (bool value : {true, false}) {
      std::string_view word = value ? "True" : "False";
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        out = value;
        return {};
      }
    }
    return fail("expected True or False in the header");
  }
  Status tuple(Sizes& shape) {
    FRIT_TRY(expect('('));
    int64_t elements = 1;
    while (!accept(')')) {
      skip_space();
      size_t start = at_;
      int64_t n = 0;
      while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
        n = n * 10 + (text_[at_++] - '0');
        if (n > kMaxElements) return fail("a size in the header is too large");
      }
      if (at_ == start) return fail("expected a size in the header");
      if (shape.size() == kMaxRank) return fail("the header has more than 64 axes");
      shape.push_back(n);
      // A zero further on does not excuse an absurd product before it.
      if (n > 0 && elements > kMaxElements / n) return fail("the array is too large");
      elements *= std::max<int64_t>(n, 1);
      if (!accept(',') && !peek(')')) return fail("expected ',' or ')' in the header");
    }
    return {};
  }
  Status element_type(Header& h) {
    skip_space();
    if (peek('[')) return unknown("structured arrays are not supported");
    FRIT_ASSIGN_OR_RETURN(text, string());
    std::string_view name = text;
    if (name.find_first_of("<>|=") == 0) {
      h.swapped = name.starts_with('>');
      name.remove_prefix(1);
    }
    static constexpr struct {
      std::string_view name;
      Dtype dtype = float32;
    } kTypes[] = {{"b1", bool_},   {"?", bool_},    {"u1", uint8},   {"u2", uint16},    {"u4", uint32},
                  {"u8", uint64},  {"i1", int8},    {"i2", int16},   {"i4", int32},     {"i8", int64},
                  {"f2", float16}, {"f4", float32}, {"f8", float64}, {"c8", complex64}, {"V2", bfloat16}};
    for (const auto& t : kTypes)
      if (t.name == name) {
        h.dtype = t.dtype;
        h.swapped &= t.dtype.size() > 1;
        return {};
      }
    return unknown("element type '" + printable(text) + "' is not supported");
  }
  Diagnostic unknown(const std::string& message) {
    if (foreign_) *foreign_ = true;
    return fail(message);
  }

  std::string_view text_;
  size_t offset_;
  const char* file_;
  bool* foreign_;
  size_t at_ = 0;
};

const char* npy_type(Dtype t) {
  switch (t.val()) {
    case Dtype::Val::bool_: return "|b1";
    case Dtype::Val::uint8: return "|u1";
    case Dtype::Val::uint16: return "<u2";
    case Dtype::Val::uint32: return "<u4";
    case Dtype::Val::uint64: return "<u8";
    case Dtype::Val::int8: return "|i1";
    case Dtype::Val::int16: return "<i2";
    case Dtype::Val::int32: return "<i4";
    case Dtype::Val::int64: return "<i8";
    case Dtype::Val::float16: return "<f2";
    case Dtype::Val::float32: return "<f4";
    case Dtype::Val::float64: return "<f8";
    case Dtype::Val::bfloat16: return "|V2";
    case Dtype::Val::complex64: return "<c8";
  }
  return "";
}

// Where the bytes of a .npy file come from.
class Source {
 public:
  virtual ~Source() = default;
  // Reads all bytes, or leaves the reason in errno: 0 when the file ends early.
  virtual bool read(void* data, size_t n) = 0;
};

class Memory : public Source {
 public:
  explicit Memory(std::string_view left) : left_(left) {}
  bool read(void* data, size_t n) override {
    errno = 0;
    if (n > left_.size()) return false;
    if (n) std::memcpy(data, left_.data(), n);
    left_.remove_prefix(n);
    return true;
  }
  std::string_view left() const { return left_; }

 private:
  std::string_view left_;
};

class File : public Source {
 public:
  explicit File(int fd) : fd_(fd) {}
  ~File() override {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }
  bool read(void* data, size_t n) override {
    for (size_t at = 0; at < n;) {
      errno = 0;
      const ssize_t got = ::read(fd_, static_cast<char*>(data) + at, std::min(n - at, size_t{1} << 30));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      at += static_cast<size_t>(got);
    }
    return true;
  }

 private:
  int fd_;
};

std::string reason() { return errno ? std::strerror(errno) : "the file ends early"; }

Sizes strides_of(const Sizes& shape, bool fortran) {
  Sizes strides(shape.size());
  int64_t stride = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    size_t axis = fortran ? i : shape.size() - 1 - i;
    strides[axis] = stride;
    stride *= std::max<int64_t>(shape[axis], 1);
  }
  return strides;
}

void swap_bytes(std::byte* data, int64_t n, Dtype t) {
  size_t size = t == complex64 ? 4 : t.size();
  if (t == complex64) n *= 2;
  for (int64_t i = 0; i < n; ++i) std::reverse(data + i * size, data + (i + 1) * size);
}

Result<Tensor> read_from(Source& file, size_t file_bytes, const char* name, bool* foreign) {
  auto fail = [&](const std::string& message) { return Diagnostic(message, SourceLoc{name}); };
  unsigned char start[12];
  if (file_bytes < 10 || !file.read(start, 8) || std::memcmp(start, kNpyMagic.data(), kNpyMagic.size()) != 0)
    return fail("not a .npy file");
  int version = start[6];
  if (version < 1 || version > 3)
    return fail("version " + std::to_string(version) + " of the .npy format is not known");
  size_t length_bytes = version == 1 ? 2 : 4;
  if (!file.read(start + 8, length_bytes)) return fail("cannot read the header: " + reason());
  size_t length = 0;
  for (size_t i = 0; i < length_bytes; ++i) length |= static_cast<size_t>(start[8 + i]) << (8 * i);
  size_t prefix = 8 + length_bytes;
  if (length > kMaxNpyHeader || prefix + length > file_bytes)
    return fail("the header claims " + std::to_string(length) + " bytes, which the file does not have");
  std::string text(length, '\0');
  if (!file.read(text.data(), length)) return fail("cannot read the header: " + reason());

  FRIT_ASSIGN_OR_RETURN(header, HeaderParser(text, prefix, name, foreign).parse());
  int64_t elements = element_count(header.shape);
  size_t bytes = static_cast<size_t>(elements) * header.dtype.size();
  size_t present = file_bytes - prefix - length;
  if (bytes > present)  // what follows is somebody else's
    return fail("the header claims " + std::to_string(bytes) + " bytes of elements, the file has " +
                std::to_string(present));
  auto buffer = Buffer::allocate(bytes);
  if (!buffer.ok()) return fail(buffer.error().message);
  if (!file.read((*buffer)->data(), bytes)) return fail("cannot read the elements: " + reason());
  if (header.swapped) swap_bytes(static_cast<std::byte*>((*buffer)->data()), elements, header.dtype);
  if (header.dtype == bool_) {
    // Any other byte than 0 and 1 would be undefined behaviour where it is used.
    auto* values = static_cast<uint8_t*>((*buffer)->data());
    for (int64_t i = 0; i < elements; ++i) values[i] = values[i] != 0;
  }
  Sizes strides = strides_of(header.shape, header.fortran);
  return Tensor{*std::move(buffer), header.dtype, std::move(header.shape), std::move(strides), 0};
}

}  // namespace

Result<Tensor> read_npy(const std::string& path, bool* foreign) {
  const char* name = intern_file_name(path);
  auto fail = [&](const std::string& message) { return Diagnostic(message, SourceLoc{name}); };
  // Opening a pipe must not wait for someone who writes to it.
  File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.fd() < 0) return fail("cannot open the file: " + reason());
  struct stat info;
  if (fstat(file.fd(), &info) != 0 || !S_ISREG(info.st_mode)) return fail("not a regular file");
  return read_from(file, static_cast<size_t>(info.st_size), name, foreign);
}

Result<Tensor> parse_npy(std::string_view& bytes, const std::string& name, bool* foreign) {
  Memory memory(bytes);
  auto tensor = read_from(memory, bytes.size(), intern_file_name(name), foreign);
  bytes = memory.left();
  return tensor;
}

Status write_npy(const std::string& path, const Tensor& tensor) {
  FRIT_ASSIGN_OR_RETURN(file, FileWriter::create(path));
  FRIT_TRY(write_npy(path, tensor, [&](std::string_view bytes) { return file.write(bytes); }));
  return file.commit();
}

Status write_npy(const std::string& name, const Tensor& tensor, const std::function<Status(std::string_view)>& write) {
  auto fail = [&](const std::string& message) { return Diagnostic(message, SourceLoc{intern_file_name(name)}); };
  std::string header = "{'descr': '" + std::string(npy_type(tensor.dtype)) + "', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < tensor.shape.size(); ++i) header += (i ? ", " : "") + std::to_string(tensor.shape[i]);
  header += tensor.shape.size() == 1 ? ",), }" : "), }";
  // Elements begin at a multiple of 64 bytes.
  size_t total = round_up(10 + header.size() + 1, 64);
  if (total - 10 > 0xffff) return fail("too many axes for a .npy file");
  header.append(total - 10 - header.size() - 1, ' ');
  header += '\n';
  std::string start(kNpyMagic);
  start += {'\x01', '\x00', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  start += header;

  FRIT_TRY(write(start));
  if (element_count(tensor.shape) > 0) {
    // Short runs are gathered, so that a transposed array does not cost a system call per element.
    std::string pending;
    Status status;
    auto put = [&](const std::byte* data, size_t n) {
      const std::string_view run(reinterpret_cast<const char*>(data), n);
      if (n < 65536) pending.append(run);
      if (n >= 65536 || pending.size() >= 262144) {
        status = write(pending);
        pending.clear();
        if (status.ok() && n >= 65536) status = write(run);
      }
      return status.ok();
    };
    auto* first = static_cast<const std::byte*>(tensor.buffer->data()) + tensor.offset * tensor.dtype.size();
    if (each_run(tensor, first, put)) status = write(pending);
    FRIT_TRY(std::move(status));
  }
  return {};
}

}  // namespace frit::runtime
