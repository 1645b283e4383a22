// Lists, element types and sizes as bytes, for the formats of plans, signatures and code for GPUs. The formats
// themselves are where they are used.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/base/dim_program.h"
#include "ir/base/dtype.h"
#include "runtime/system/bytes.h"

namespace frit::runtime {

class PlanWriter {
 protected:
  template <class T, class F>
  void list(const std::vector<T>& items, F&& each) {
    out_.u32(static_cast<uint32_t>(items.size()));
    for (const T& item : items) each(item);
  }
  void texts(const std::vector<std::string>& items) {
    list(items, [&](const std::string& s) { out_.text(s); });
  }
  void dtype(Dtype t) { out_.u8(static_cast<uint8_t>(t.val())); }
  void size(const DimProgram& d) {
    list(d.code(), [&](const DimProgram::Instr& i) {
      out_.u8(static_cast<uint8_t>(i.op));
      if (has_value(i.op)) out_.u64(static_cast<uint64_t>(i.value));
    });
  }
  void sizes(const std::vector<DimProgram>& all) {
    list(all, [&](const DimProgram& d) { size(d); });
  }

  static bool has_value(DimProgram::Op op) { return op == DimProgram::Op::Const || op == DimProgram::Op::Slot; }
  friend class PlanReader;

  ByteWriter out_;
};

// Reads in one pass and checks each number against those before it. After the first failure everything reads as
// nothing.
class PlanReader {
 protected:
  explicit PlanReader(std::string_view bytes) : in_(bytes) {}

  void require(bool condition, const char* otherwise) {
    if (!condition && !failed_) failed_ = otherwise;
    if (!condition) in_.stop();
  }
  // `smallest` is the least number of bytes that an item takes: a count for which too few bytes are left is an error.
  template <class T, class F>
  void list(std::vector<T>& items, size_t smallest, F&& each) {
    const size_t count = in_.u32();
    if (count > in_.left() / smallest) return require(false, "a count is larger than what follows");
    items.reserve(count);
    for (size_t i = 0; i < count && in_.ok(); ++i) items.push_back(each());
  }
  std::vector<std::string> texts() {
    std::vector<std::string> all;
    list(all, 8, [&] { return std::string(in_.text()); });
    return all;
  }
  bool flag() {
    const uint8_t v = in_.u8();
    require(v <= 1, "a flag is neither 0 nor 1");
    return v == 1;
  }
  Dtype dtype() {
    const uint8_t v = in_.u8();
    require(v < kAllDtypes.size(), "an element type is not known");
    return v < kAllDtypes.size() ? kAllDtypes[v] : float32;
  }
  DimProgram size() {
    std::vector<DimProgram::Instr> code;
    list(code, 1, [&] {
      const auto op = static_cast<DimProgram::Op>(in_.u8());
      return DimProgram::Instr{op, PlanWriter::has_value(op) ? static_cast<int64_t>(in_.u64()) : 0};
    });
    if (!in_.ok()) return {};
    auto program = DimProgram::from(std::move(code), static_cast<int>(symbols_));
    require(program.has_value(), "a size cannot be computed");
    return program.value_or(DimProgram());
  }
  std::vector<DimProgram> sizes() {
    std::vector<DimProgram> all;
    list(all, 4, [&] { return size(); });
    return all;
  }
  void finish() {
    require(in_.at_end(), "there is more behind its end");
    if (!in_.ok()) require(false, "it ends too early");
  }

  ByteReader in_;
  const char* failed_ = nullptr;
  size_t symbols_ = 0;  // how many slots sizes may use
};

}  // namespace frit::runtime
