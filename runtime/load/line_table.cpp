// Runs the line programs of a section.
#include "runtime/load/line_table.h"

#include <cstring>

namespace frit::runtime {

namespace {

// Bytes of a section; past its end every read gives 0 and `bad`.
class Bytes {
 public:
  Bytes(std::string_view all, size_t at, size_t end) : all_(all), at_(at), end_(end) {}
  bool bad = false;
  size_t at() const { return at_; }
  bool done() const { return bad || at_ >= end_; }
  void go_to(size_t at) {
    bad = bad || at > end_ || at < at_;
    if (!bad) at_ = at;
  }
  template <class T>
  T number() {
    T value{};
    bad = bad || end_ - at_ < sizeof value;
    if (bad) return value;
    std::memcpy(&value, all_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  uint64_t unsigned_leb() {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = number<uint8_t>();
      if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
      if (!(byte & 0x80)) return value;
    }
  }
  int64_t signed_leb() {
    uint64_t value = 0;
    for (unsigned shift = 0;;) {
      const auto byte = number<uint8_t>();
      if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
      shift += 7;
      if (byte & 0x80) continue;
      if (shift < 64 && (byte & 0x40)) value |= ~uint64_t{0} << shift;
      return static_cast<int64_t>(value);
    }
  }
  std::string_view text() {
    const size_t stop = bad ? all_.npos : all_.find('\0', at_);
    bad = bad || stop == all_.npos || stop >= end_;
    if (bad) return {};
    const std::string_view found = all_.substr(at_, stop - at_);
    at_ = stop + 1;
    return found;
  }

 private:
  std::string_view all_;
  size_t at_, end_;
};

// The opcodes of DWARF's line programs, by their numbers in the standard.
enum : uint8_t {
  kCopy = 1,
  kAdvancePc = 2,
  kAdvanceLine = 3,
  kSetFile = 4,
  kConstAddPc = 8,
  kFixedAdvancePc = 9,
  kEndSequence = 1,
  kSetAddress = 2
};

struct Header {
  uint8_t step, line_range, opcode_base;
  int8_t line_base;
  std::vector<uint8_t> operands;  // of each standard opcode, from 1
  std::vector<std::string_view> files;
};

bool read_header(Bytes& in, Header& h, size_t& program) {
  if (in.number<uint16_t>() != 4) return false;
  const auto length = in.number<uint32_t>();
  program = in.at() + length;
  h.step = in.number<uint8_t>();
  in.number<uint8_t>();  // operations of an instruction: 1
  in.number<uint8_t>();  // whether rows are statements
  h.line_base = in.number<int8_t>();
  h.line_range = in.number<uint8_t>();
  h.opcode_base = in.number<uint8_t>();
  h.operands.assign(1, 0);
  for (int i = 1; i < h.opcode_base; ++i) h.operands.push_back(in.number<uint8_t>());
  while (!in.text().empty()) {
  }
  for (std::string_view name = in.text(); !name.empty(); name = in.text()) {
    h.files.push_back(name);
    for (int i = 0; i < 3; ++i) in.unsigned_leb();
  }
  in.go_to(program);
  return !in.bad && h.line_range != 0 && h.opcode_base != 0;
}

class Program {
 public:
  Program(const Header& header, const std::function<uint64_t(uint64_t)>& address_at, std::vector<LineRow>& rows)
      : h_(header), address_at_(address_at), rows_(rows) {}

  void run(Bytes& in) {
    while (!in.done()) {
      const auto opcode = in.number<uint8_t>();
      if (opcode >= h_.opcode_base) {
        const int special = opcode - h_.opcode_base;
        advance(static_cast<uint64_t>(special / h_.line_range));
        line_ += h_.line_base + special % h_.line_range;
        row(false);
      } else if (opcode == 0) {
        extended(in);
      } else {
        standard(in, opcode);
      }
    }
  }

 private:
  void advance(uint64_t steps) { address_ += steps * h_.step; }
  void row(bool end) {
    const std::string_view file = file_ >= 1 && file_ <= h_.files.size() ? h_.files[file_ - 1] : std::string_view();
    rows_.push_back({address_, file, line_ > 0 ? static_cast<uint32_t>(line_) : 0, end});
  }
  void extended(Bytes& in) {
    const uint64_t length = in.unsigned_leb();
    const size_t end = in.at() + length;
    const auto opcode = in.number<uint8_t>();
    if (opcode == kSetAddress) address_ = address_at_(in.at());
    if (opcode == kEndSequence) {
      row(true);
      address_ = 0, file_ = 1, line_ = 1;
    }
    in.go_to(end);
  }
  void standard(Bytes& in, uint8_t opcode) {
    switch (opcode) {
      case kCopy: return row(false);
      case kAdvancePc: return advance(in.unsigned_leb());
      case kAdvanceLine: line_ += in.signed_leb(); return;
      case kSetFile: file_ = in.unsigned_leb(); return;
      case kConstAddPc: return advance(static_cast<uint64_t>((255 - h_.opcode_base) / h_.line_range));
      case kFixedAdvancePc: address_ += in.number<uint16_t>(); return;
      default:
        for (int i = 0; i < h_.operands[opcode]; ++i) in.unsigned_leb();
    }
  }

  const Header& h_;
  const std::function<uint64_t(uint64_t)>& address_at_;
  std::vector<LineRow>& rows_;
  uint64_t address_ = 0, file_ = 1;
  int64_t line_ = 1;
};

}  // namespace

std::vector<LineRow> read_line_table(std::string_view section,
                                     const std::function<uint64_t(uint64_t offset)>& address_at) {
  std::vector<LineRow> rows;
  for (size_t at = 0; section.size() - at > 4;) {
    uint32_t length = 0;
    std::memcpy(&length, section.data() + at, sizeof length);
    at += sizeof length;
    if (length > section.size() - at) break;
    Bytes in(section, at, at + length);
    Header header;
    size_t program = 0;
    if (!read_header(in, header, program)) break;
    Program(header, address_at, rows).run(in);
    at += length;
  }
  return rows;
}

}  // namespace frit::runtime
