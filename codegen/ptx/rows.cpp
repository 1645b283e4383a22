// Addresses of the rows of a left operand.
#include "codegen/ptx/rows.h"

namespace frit::codegen::ptx {

namespace {

// The rows of a thread; past the end, the last one.
std::array<Value, 2> own_rows(const ProductFrame& f, const Tile& tile) {
  Writer& w = f.w;
  const Value last = w.u32("sub.u32", {f.m, "1"}), row = w.u32("add.u32", {tile.row, f.line});
  return {w.u32("min.u32", {row, last}), w.u32("min.u32", {w.u32("add.u32", {row, "8"}), last})};
}

class DenseRows : public Rows {
 public:
  DenseRows(const ProductFrame& frame, size_t parameters) : f_(frame), w_(frame.w) {
    address_ = w_.parameter(parameters);
    pitch_ = w_.parameter(parameters + 1);
    step_ = w_.parameter(parameters + 2);
    at_ = w_.reg(Writer::Bits32);
    for (Value& line : lines_) line = w_.reg(Writer::Bits64);
  }

  void start(const Tile& tile) override {
    const Value matrix = w_.u64("mad.lo.u64", {w_.u64("cvt.u64.u32", {tile.batch}), step_, address_});
    const Value begun = w_.u64("mad.wide.u32", {tile.first, "2", matrix});
    const Value first = w_.u64("mad.wide.u32", {f_.in_line, "16", begun});
    end_ = tile.end;
    const std::array<Value, 2> rows = own_rows(f_, tile);
    for (size_t i = 0; i < 2; ++i) w_.op("mad.lo.u64", {lines_[i], w_.u64("cvt.u64.u32", {rows[i]}), pitch_, first});
    w_.op("mad.lo.u32", {at_, f_.in_line, "8", tile.first});
  }

  std::array<Load, 2> next() override {
    const Value inside = w_.test("setp.lt.u32", {at_, end_});
    const std::array<Load, 2> loads{Load{inside, w_.u64("mov.b64", {lines_[0]})},
                                    Load{inside, w_.u64("mov.b64", {lines_[1]})}};
    for (const Value& line : lines_) w_.op("add.u64", {line, line, number(kTurn * 2)});
    w_.op("add.u32", {at_, at_, number(kTurn)});
    return loads;
  }

 private:
  const ProductFrame& f_;
  Writer& w_;
  Value address_, pitch_, step_, at_, end_, lines_[2];
};

class WindowRows : public Rows {
 public:
  using P = WindowParameters;
  static constexpr size_t kSpace = 3;
  static constexpr uint32_t kTapBits = 10;
  static_assert(kMostReach == 1u << kTapBits);

  WindowRows(const ProductFrame& frame, size_t parameters, uint32_t table)
      : f_(frame), w_(frame.w), first_(parameters) {
    for (size_t i = 0; i < kSpace; ++i) {
      bytes_[i] = low(P::kBytes + i);
      in_[i] = low(P::kIn + i);
      for (auto& own : begin_) own[i] = w_.reg(Writer::Bits32);
    }
    for (Value& window : windows_) window = w_.reg(Writer::Bits64);
    unit_ = w_.reg(Writer::Bits32);
    table_ = w_.u32("add.u32", {w_.u32("mov.u32", {Writer::kShared}), number(table)});
    write_table();
  }

  void start(const Tile& tile) override {
    const std::array<Value, 2> rows = own_rows(f_, tile);
    for (size_t i = 0; i < 2; ++i) {
      Value rest = rows[i];
      std::array<Value, kSpace> at;
      for (size_t axis = kSpace; axis-- > 0;) {
        const Value size = low(P::kOut + axis), next = w_.u32("div.u32", {rest, size});
        at[axis] = w_.u32("sub.u32", {rest, w_.u32("mul.lo.u32", {next, size})});
        rest = next;
      }
      Value window =
          w_.u64("mad.lo.u64", {w_.u64("cvt.u64.u32", {rest}), parameter(P::kImage), parameter(P::kAddress)});
      for (size_t axis = 0; axis < kSpace; ++axis) {
        const Value& begin = begin_[i][axis];
        w_.op("mul.lo.u32", {begin, at[axis], low(P::kStride + axis)});
        w_.op("sub.u32", {begin, begin, low(P::kLow + axis)});
        window = w_.u64("mad.wide.s32", {begin, bytes_[axis], window});
      }
      w_.op("mov.b64", {windows_[i], window});
    }
    w_.op("add.u32", {unit_, w_.u32("shr.u32", {tile.first, "3"}), f_.in_line});
    end_ = w_.u32("shr.u32", {tile.end, "3"});
  }

  std::array<Load, 2> next() override {
    const Value offset = w_.reg(Writer::Bits32), packed = w_.reg(Writer::Bits32);
    const Value entry = w_.u32("mad.lo.u32", {w_.u32("min.u32", {unit_, last_}), "8", table_});
    w_.op("ld.shared.v2.b32", {list({offset, packed}), "[" + entry + "]"});
    std::array<Value, kSpace> by;
    for (size_t axis = 0; axis < kSpace; ++axis)
      by[axis] = w_.u32("bfe.u32", {packed, number(axis * kTapBits), number(kTapBits)});
    const Value far = w_.u64("cvt.s64.s32", {offset}), inside = w_.test("setp.lt.u32", {unit_, end_});
    std::array<Load, 2> loads;
    for (size_t i = 0; i < 2; ++i) {
      Value there = inside;
      // A position before the first element is past the last one, as an unsigned number.
      for (size_t axis = 0; axis < kSpace; ++axis)
        there = w_.test("setp.lt.and.u32", {w_.u32("add.u32", {begin_[i][axis], by[axis]}), in_[axis], there});
      loads[i] = {there, w_.u64("add.u64", {windows_[i], far})};
    }
    w_.op("add.u32", {unit_, unit_, number(kTurn / 8)});
    return loads;
  }

 private:
  // Each entry: bytes from a window's first element, and elements along each axis.
  void write_table() {
    const Value count = w_.u32("shr.u32", {f_.k, "3"}), unit = w_.u32("mov.u32", {f_.thread});
    last_ = w_.u32("sub.u32", {count, "1"});
    const Value again = w_.label(), done = w_.label();
    w_.place(again);
    w_.jump_if(w_.test("setp.ge.u32", {unit, count}), done);
    const Value tap = quotient(unit, P::kUnitsReciprocal);
    const Value line = quotient(tap, P::kTapsReciprocal + 1), plane = quotient(line, P::kTapsReciprocal);
    const std::array<Value, kSpace> at{plane, rest(line, plane, low(P::kTaps)), rest(tap, line, low(P::kTaps + 1))};
    Value offset = w_.u32("shl.b32", {rest(unit, tap, low(P::kUnits)), "4"}), packed = w_.u32("mov.u32", {"0"});
    for (size_t axis = 0; axis < kSpace; ++axis) {
      const Value by = w_.u32("mul.lo.u32", {at[axis], low(P::kDilation + axis)});
      offset = w_.u32("mad.lo.u32", {by, bytes_[axis], offset});
      packed = w_.u32("or.b32", {packed, w_.u32("shl.b32", {by, number(axis * kTapBits)})});
    }
    const Value entry = w_.u32("mad.lo.u32", {unit, "8", table_});
    w_.op("st.shared.v2.b32", {"[" + entry + "]", list({offset, packed})});
    w_.op("add.u32", {unit, unit, number(kMultiplyingThreads)});
    w_.jump(again);
    w_.place(done);
    w_.op("bar.sync", {"1", number(kMultiplyingThreads)});
  }
  Value parameter(size_t which) { return w_.parameter(first_ + which); }
  Value low(size_t which) { return w_.low_parameter(first_ + which); }
  Value quotient(const Value& a, size_t reciprocal) {
    const Value product = w_.u64("mul.lo.u64", {w_.u64("cvt.u64.u32", {a}), parameter(reciprocal)});
    return w_.u32("cvt.u32.u64", {w_.u64("shr.u64", {product, "32"})});
  }
  Value rest(const Value& a, const Value& quotient, const Value& divisor) {
    return w_.u32("sub.u32", {a, w_.u32("mul.lo.u32", {quotient, divisor})});
  }

  const ProductFrame& f_;
  Writer& w_;
  const size_t first_;
  Value table_, unit_, end_, last_;  // units of eight channels
  std::array<Value, kSpace> bytes_, in_;
  std::array<std::array<Value, kSpace>, 2> begin_;  // of each row's window
  std::array<Value, 2> windows_;
};

}  // namespace

std::unique_ptr<Rows> dense_rows(const ProductFrame& frame, size_t parameters) {
  return std::make_unique<DenseRows>(frame, parameters);
}

std::unique_ptr<Rows> window_rows(const ProductFrame& frame, size_t parameters, uint32_t table) {
  return std::make_unique<WindowRows>(frame, parameters, table);
}

}  // namespace frit::codegen::ptx
