// Writing and reading of numbers and texts as bytes: little-endian, fixed widths, texts with their length in front.
//
// A reader never reads past the end: missing bytes read as zeros, and ok() is false afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace frit::runtime {

class ByteWriter {
 public:
  void raw(std::string_view bytes) { out_.append(bytes); }
  void u8(uint8_t v) { out_.push_back(static_cast<char>(v)); }
  void u32(uint32_t v) { number(v, 4); }
  void u64(uint64_t v) { number(v, 8); }
  void text(std::string_view s) {
    u64(s.size());
    raw(s);
  }
  const std::string& bytes() const { return out_; }
  std::string take() && { return std::move(out_); }

 private:
  void number(uint64_t v, int width) {
    for (int i = 0; i < width; ++i) u8(static_cast<uint8_t>(v >> (8 * i)));
  }
  std::string out_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : left_(bytes) {}
  std::string_view raw(size_t size) {
    if (size > left_.size()) {
      stop();
      return {};
    }
    std::string_view taken = left_.substr(0, size);
    left_.remove_prefix(size);
    return taken;
  }
  uint8_t u8() { return static_cast<uint8_t>(number(1)); }
  uint32_t u32() { return static_cast<uint32_t>(number(4)); }
  uint64_t u64() { return number(8); }
  std::string_view text() {
    const uint64_t size = u64();
    if (size <= left_.size()) return raw(static_cast<size_t>(size));
    stop();
    return {};
  }

  size_t left() const { return left_.size(); }
  bool at_end() const { return ok_ && left_.empty(); }
  bool ok() const { return ok_; }
  // From here on nothing is left.
  void stop() {
    ok_ = false;
    left_ = {};
  }

 private:
  uint64_t number(size_t width) {
    uint64_t v = 0;
    std::string_view taken = raw(width);
    for (size_t i = 0; i < taken.size(); ++i) v |= uint64_t{static_cast<uint8_t>(taken[i])} << (8 * i);
    return v;
  }
  std::string_view left_;
  bool ok_ = true;
};

}  // namespace frit::runtime
