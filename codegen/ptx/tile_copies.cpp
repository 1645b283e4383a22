// All ways to copy share their registers: a workgroup takes one of them.
#include "codegen/ptx/tile_copies.h"

#include "codegen/ptx/tile_product.h"

namespace frit::codegen::ptx {

namespace {

constexpr uint32_t kCopyBytes = 16;

uint32_t log2(uint32_t n) { return n > 1 ? 1 + log2(n / 2) : 0; }

}  // namespace

// Pairs of steps are 16 bytes, and 128 bytes are all banks.
Value SharedTile::exchanged(Writer& w, const Value& line) const {
  const uint32_t beside = line_bytes() < 128 ? 128 / line_bytes() : 1;  // lines in all banks
  const Value bits = w.u32("and.b32", {w.u32("shr.u32", {line, number(log2(beside))}), number(4 / beside - 1)});
  return w.u32("shl.b32", {bits, "1"});
}

TileCopies::TileCopies(Writer& w, const SharedTile& tile, uint32_t threads, size_t first)
    : w_(w), tile_(tile), threads_(threads), first_(first) {}

void TileCopies::start(const Start& at) {
  using P = TileParameters;
  const Value& base = at.base;
  thread_ = at.thread, base_ = base, line_ = at.line, lines_ = at.lines, step_ = at.step;
  line_bytes_ = w_.parameter(first_ + P::kOperandLine);
  step_bytes_ = w_.parameter(first_ + P::kOperandStep);
  tile_bytes_ = w_.u64("mul.lo.u64", {step_bytes_, number(tile_.depth)});
  for (uint32_t i = 0; i < count(tile_.bytes); ++i)
    pieces_.push_back({w_.reg(Writer::Bits64), w_.reg(Writer::Bits32), w_.reg(Writer::Bits32), w_.reg(Writer::Bits32)});
  const auto side_by_side = [&](const Value& own, const Value& other) {
    const Value odd = w_.u64("and.b64", {w_.u64("or.b64", {base, other}), number(kCopyBytes - 1)});
    return w_.test("setp.eq.and.u64", {odd, "0", w_.test("setp.eq.u64", {own, number(tile_.bytes)})});
  };
  wide_ = side_by_side(line_bytes_, step_bytes_);
  const Value elements = w_.label(), end = w_.label(), steps = w_.label();
  if (tile_.turns) {
    along_ = w_.test("and.pred", {side_by_side(step_bytes_, line_bytes_), "!" + wide_});
    w_.jump_if(along_, steps);
  }
  w_.jump_if("!" + wide_, elements);
  start_lines();
  w_.jump(end);
  if (tile_.turns) {
    w_.place(steps);
    start_steps();
    w_.jump(end);
  }
  w_.place(elements);
  start_elements();
  w_.place(end);
}

void TileCopies::put(const Piece& p, const Value& line, const Value& step, const Value& to) {
  const auto wide = [&](const Value& v) { return w_.u64("cvt.u64.u32", {v}); };
  const Value in_line = w_.u64("mad.lo.u64", {wide(line), line_bytes_, base_});
  w_.op("mad.lo.u64", {p.from, wide(w_.u32("add.u32", {step_, step})), step_bytes_, in_line});
  w_.op("add.u32", {p.to, to, number(tile_.first)});
}

// Lines past the operand's end have no bytes.
void TileCopies::start_lines() {
  const uint32_t unit = kCopyBytes / tile_.bytes, beside = tile_.lines / unit;
  const Value left = w_.u32("sub.u32", {lines_, line_});
  for (uint32_t i = 0; i < count(kCopyBytes); ++i) {
    const Piece& p = pieces_[i];
    const Value own = i ? w_.u32("add.u32", {thread_, number(i * threads_)}) : thread_;
    const Value l = w_.u32("shl.b32", {w_.u32("and.b32", {own, number(beside - 1)}), number(log2(unit))});
    w_.op("shr.u32", {p.step, own, number(log2(beside))});
    const Value there = w_.u32("sub.u32", {w_.u32("max.u32", {left, l}), l});
    w_.op("mul.lo.u32", {p.size, w_.u32("min.u32", {there, number(unit)}), number(tile_.bytes)});
    const Value any = w_.test("setp.ne.u32", {p.size, "0"});
    const Value to =
        w_.u32("mad.lo.u32", {p.step, number(tile_.pitch()), w_.u32("mul.lo.u32", {l, number(tile_.bytes)})});
    put(p, w_.u32("selp.u32", {w_.u32("add.u32", {line_, l}), "0", any}), p.step, to);
  }
}

// Lines past the operand's end are its last one again, whose sums are not stored.
void TileCopies::start_steps() {
  const uint32_t unit = kCopyBytes / tile_.bytes, beside = tile_.depth / unit;
  const Value last = w_.u32("sub.u32", {lines_, "1"});
  for (uint32_t i = 0; i < count(kCopyBytes); ++i) {
    const Piece& p = pieces_[i];
    const Value own = i ? w_.u32("add.u32", {thread_, number(i * threads_)}) : thread_;
    const Value pair = w_.u32("and.b32", {own, number(beside - 1)}), l = w_.u32("shr.u32", {own, number(log2(beside))});
    w_.op("mul.lo.u32", {p.step, pair, number(unit)});
    const Value place = w_.u32("xor.b32", {pair, tile_.exchanged(w_, l)});
    const Value to =
        w_.u32("mad.lo.u32", {l, number(tile_.line_bytes()), w_.u32("mul.lo.u32", {place, number(kCopyBytes)})});
    put(p, w_.u32("min.u32", {w_.u32("add.u32", {line_, l}), last}), p.step, to);
  }
}

// The same of single elements, of any strides.
void TileCopies::start_elements() {
  const Value along = w_.test("setp.eq.u64", {step_bytes_, number(tile_.bytes)});
  const Value last = w_.u32("sub.u32", {lines_, "1"});
  const auto choose = [&](uint32_t yes, uint32_t no) { return w_.u32("selp.u32", {number(yes), number(no), along}); };
  // The axis that lies side by side comes first.
  const Value mask = choose(tile_.depth - 1, tile_.lines - 1), shift = choose(log2(tile_.depth), log2(tile_.lines));
  for (uint32_t i = 0; i < pieces_.size(); ++i) {
    const Piece& p = pieces_[i];
    const Value own = i ? w_.u32("add.u32", {thread_, number(i * threads_)}) : thread_;
    const Value inner = w_.u32("and.b32", {own, mask}), outer = w_.u32("shr.u32", {own, shift});
    w_.op("selp.u32", {p.step, inner, outer, along});
    const Value l = w_.u32("selp.u32", {outer, inner, along});
    w_.op("mov.u32", {p.size, number(tile_.bytes)});
    const Value to =
        w_.u32("mad.lo.u32", {p.step, number(tile_.pitch()), w_.u32("mul.lo.u32", {l, number(tile_.bytes)})});
    put(p, w_.u32("min.u32", {w_.u32("add.u32", {line_, l}), last}), p.step, to);
  }
}

void TileCopies::copy(const Value& place, const Value& left) {
  const Value elements = w_.label(), end = w_.label(), steps = w_.label();
  const auto whole = [&](const Piece& p) {
    return w_.u32("selp.u32", {p.size, "0", w_.test("setp.lt.u32", {p.step, left})});
  };
  if (tile_.turns) w_.jump_if(along_, steps);
  w_.jump_if("!" + wide_, elements);
  copy_pieces(place, kCopyBytes, whole);
  w_.jump(end);
  if (tile_.turns) {
    w_.place(steps);
    copy_pieces(place, kCopyBytes, [&](const Piece& p) {
      const Value there = w_.u32("sub.u32", {w_.u32("max.u32", {left, p.step}), p.step});
      const Value most = w_.u32("min.u32", {there, number(kCopyBytes / tile_.bytes)});
      return w_.u32("mul.lo.u32", {most, number(tile_.bytes)});
    });
    w_.jump(end);
  }
  w_.place(elements);
  copy_pieces(place, tile_.bytes, whole);
  w_.place(end);
}

void TileCopies::copy_pieces(const Value& place, uint32_t bytes, const std::function<Value(const Piece&)>& size) {
  for (uint32_t i = 0; i < count(bytes); ++i) {
    const Piece& p = pieces_[i];
    const Value there = size(p);
    w_.op(bytes == kCopyBytes ? "cp.async.cg.shared.global" : "cp.async.ca.shared.global",
          {at(w_.u32("add.u32", {place, p.to})), at(p.from), number(bytes), there});
    w_.op("add.u64", {p.from, p.from, tile_bytes_});
  }
}

}  // namespace frit::codegen::ptx
