// Rows of tiles keep their places within 16 bytes from tile to tile, as tiles have at least 32 steps.
#include "codegen/ptx/half_copies.h"

#include "codegen/ptx/tile_product.h"

namespace frit::codegen::ptx {

namespace {

constexpr uint32_t kWord = 16;           // bytes
constexpr uint32_t kNowhere = 1u << 30;  // bytes of a row, past its end

}  // namespace

Value HalfTile::exchanged(Writer& w, const Value& row) const {
  const uint32_t beside = row_bytes() < 128 ? 128 / row_bytes() : 1;  // rows in all banks
  const Value bank = beside > 1 ? w.u32("div.u32", {row, number(beside)}) : row;
  return w.u32("and.b32", {bank, number(8 / beside - 1)});
}

HalfCopies::HalfCopies(Writer& w, const HalfTile& tile, uint32_t threads, size_t first)
    : w_(w), tile_(tile), threads_(threads), first_(first) {}

Value HalfCopies::within(const Value& bytes, const Value& before) {
  const Value left = w_.u32("sub.u32", {bytes, before});
  return w_.u32("min.s32", {w_.u32("max.s32", {left, "0"}), number(kWord)});
}

Value HalfCopies::in_place(const Value& row, const Value& piece, uint32_t first) {
  const Value exchanged = w_.u32("xor.b32", {piece, tile_.exchanged(w_, row)});
  const Value in_row = w_.u32("mad.lo.u32", {exchanged, number(kWord), number(first)});
  return w_.u32("mad.lo.u32", {row, number(tile_.row_bytes()), in_row});
}

void HalfCopies::start(const Start& at) {
  using P = TileParameters;
  at_ = at;
  pitch_ = w_.parameter(first_ + (tile_.along ? P::kOperandLine : P::kOperandStep));
  advance_ = tile_.along ? number(2 * tile_.depth) : w_.u64("mul.lo.u64", {pitch_, number(tile_.depth)});
  row_ = w_.u32("div.u32", {at.thread, number(threads_of_row())});
  piece_ = w_.u32("rem.u32", {at.thread, number(threads_of_row())});
  // Rows and words past the operand's end have addresses too, from which nothing is read.
  const Value outer = w_.u32("add.u32", {tile_.along ? at.line : at.step, row_});
  const Value in_row = w_.u64("mul.wide.u32", {tile_.along ? at.step : at.line, "2"});
  const Value row = w_.u64("mad.lo.u64", {w_.u64("cvt.u64.u32", {outer}), pitch_, at.base});
  const Value first = w_.u64("add.u64", {row, in_row});
  if (tile_.odd)
    start_odd(first);
  else
    start_aligned(first);
  // Elements of the rows.
  const Value there = tile_.along ? number(tile_.depth)
                                  : w_.u32("min.u32", {w_.u32("sub.u32", {at.lines, at.line}), number(tile_.lines)});
  const Value bytes = w_.u32("shl.b32", {there, "1"});
  for (Word& word : words_) word.full = within(bytes, word.before);
}

// Threads have the same word of rows that are as far apart as banks repeat.
void HalfCopies::start_aligned(const Value& first) {
  const Value before = w_.u32("shl.b32", {piece_, "4"});
  const uint32_t apart = threads_ / tile_.words();
  to_ = in_place(row_, piece_, tile_.first);
  for (uint32_t row = 0; row < tile_.rows(); row += apart) {
    Word word{row ? w_.u64("mad.lo.u64", {pitch_, number(row), words_[0].from})
                  : w_.u64("add.u64", {first, w_.u64("cvt.u64.u32", {before})}),
              0,
              row * tile_.row_bytes(),
              before,
              {},
              {},
              row};
    if (tile_.along) {
      const Value line = w_.u32("add.u32", {w_.u32("add.u32", {at_.line, row_}), number(row)});
      word.before = w_.u32("selp.u32", {before, number(kNowhere), w_.test("setp.lt.u32", {line, at_.lines})});
    }
    words_.push_back(std::move(word));
  }
}

// Threads have words of one row.
void HalfCopies::start_odd(const Value& first) {
  const Value low = w_.u32("cvt.u32.u64", {first}), past = w_.u32("and.b32", {low, number(kWord - 1)});
  const Value own = w_.u32("shl.b32", {piece_, "4"}), aligned = w_.u64("and.b64", {first, "-16"});
  const Value from = w_.u64("add.u64", {aligned, w_.u64("cvt.u64.u32", {own})});
  Value before = w_.u32("sub.u32", {own, past});
  if (tile_.along) {
    const Value there = w_.test("setp.lt.u32", {w_.u32("add.u32", {at_.line, row_}), at_.lines});
    before = w_.u32("selp.u32", {before, number(kNowhere), there});
  }
  const Value word = w_.u32("mad.lo.u32", {row_, number(tile_.words()), piece_});
  to_ = w_.u32("mad.lo.u32", {word, number(kWord), number(tile_.first)});
  for (uint32_t place = 0; place < tile_.words(); place += threads_of_row()) {
    const uint32_t bytes = place * kWord;
    Word w{from, bytes, bytes, place ? w_.u32("add.u32", {before, number(bytes)}) : before, {}, {}, 0};
    if (place + threads_of_row() > tile_.words())
      w.any = w_.test("setp.lt.u32", {piece_, number(tile_.words() - place)});
    words_.push_back(std::move(w));
  }
  from_ = to_;
  settled_ = in_place(row_, piece_, tile_.settled);
  const auto bit = [&](uint32_t which) {
    return w_.test("setp.ne.u32", {w_.u32("and.b32", {low, number(which)}), "0"});
  };
  eight_ = bit(8), four_ = bit(4);
  halves_ = w_.u32("selp.u32", {number(0x5432), number(0x3210), bit(2)});
}

void HalfCopies::copy_words(const Value& to, const std::function<Value(const Word&)>& size) {
  const char* const copy = "cp.async.cg.shared.global";
  for (const Word& word : words_)
    if (word.any.empty())
      w_.op(copy, {at(to, word.to), at(word.from, word.further), number(kWord), size(word)});
    else
      w_.op_if(word.any, copy, {at(to, word.to), at(word.from, word.further), number(kWord), size(word)});
}

void HalfCopies::copy(const Value& place, const Value& left) {
  const Value to = w_.u32("add.u32", {place, to_}), rest = w_.label(), end = w_.label();
  w_.jump_if(w_.test("setp.lt.s32", {left, number(tile_.depth)}), rest);
  copy_words(to, [](const Word& word) { return word.full; });
  w_.jump(end);
  w_.place(rest);
  const Value bytes = w_.u32("shl.b32", {left, "1"});
  copy_words(to, [&](const Word& word) {
    if (tile_.along) return within(bytes, word.before);
    const Value step = word.row ? w_.u32("add.u32", {row_, number(word.row)}) : row_;
    return w_.u32("selp.u32", {word.full, "0", w_.test("setp.lt.s32", {step, left})});
  });
  w_.place(end);
  for (const Word& word : words_)
    if (!word.further) w_.op("add.u64", {word.from, word.from, advance_});
}

// Two neighbouring words hold a piece. They are shifted by eight bytes, by four, and by two.
void HalfCopies::settle(const Value& place, const Value& to) {
  const Value from = w_.u32("add.u32", {place, from_});
  for (uint32_t piece = 0; piece < tile_.pieces(); piece += threads_of_row()) {
    std::vector<Value> words;
    for (int i = 0; i < 8; ++i) words.push_back(w_.reg(Writer::Bits32));
    const uint32_t behind = piece * kWord;
    w_.op("ld.shared.v4.b32", {list({words.begin(), words.begin() + 4}), at(from, behind)});
    w_.op("ld.shared.v4.b32", {list({words.begin() + 4, words.end()}), at(from, behind + kWord)});
    for (size_t i = 0; i < 6; ++i) words[i] = w_.u32("selp.b32", {words[i + 2], words[i], eight_});
    for (size_t i = 0; i < 5; ++i) words[i] = w_.u32("selp.b32", {words[i + 1], words[i], four_});
    for (size_t i = 0; i < 4; ++i) words[i] = w_.u32("prmt.b32", {words[i], words[i + 1], halves_});
    // Pieces of a row change places by bits of their numbers, which numbers of threads do not carry into.
    const Value there = piece ? w_.u32("xor.b32", {settled_, number(behind)}) : settled_;
    w_.op("st.shared.v4.b32", {at(w_.u32("add.u32", {to, there})), list({words.begin(), words.begin() + 4})});
  }
}

}  // namespace frit::codegen::ptx
