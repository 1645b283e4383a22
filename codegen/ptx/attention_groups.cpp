// Groups of four warps multiply by matrix units that read the right operands from shared memory (wgmma of sm_90a), each
// 64 rows. The scores of the next tile are multiplied while those of this one become weights, and this one's weights
// while the group waits for the next tile.
//
// Tiles of both right operands lie in lines of 128 bytes, whose 16-byte pieces change places within eight lines, as the
// matrix units find them in different banks. Rows of 128 elements are two such blocks of lines.
#include "codegen/ptx/attention_rows.h"

namespace frit::codegen::ptx {

namespace {

constexpr uint32_t kLineBytes = 128, kPiece = 16;  // descriptions count pieces of 16 bytes
constexpr uint32_t kEight = 8 * kLineBytes;        // bytes of eight lines

class GroupAttention : AttentionRows {
 public:
  explicit GroupAttention(const Attention& a)
      : AttentionRows(a, a.tile), block_(a.tile * kLineBytes), tile_bytes_(a.tile * line_bytes_) {}

  Module run();

 private:
  // Tiles of an operand: the next one's address, where it goes, and the one that is multiplied next.
  struct Copy {
    Value at, pitch, turn, inside;  // of the thread's first 16 bytes; between keys, between loads; are they in a row
    Value first, to, next_key, filled, used;  // in shared memory: the first tile, and the thread's place in it
  };
  void load_left();
  Copy copy_of(const Value& address, size_t pitch, const Value& length, uint32_t first);
  void next_stage(const Value& stage);
  void copy_tile(Copy& c);
  void copy_tiles(bool both);
  void wait_for_copies();
  Value take(Copy& c);
  void multiply_scores();
  void multiply_weights();
  void tile(bool first);

  const uint32_t block_, tile_bytes_;
  Copy b_, c_;
  Value key_, row_;                    // the tile's first key; the thread's line in a tile
  std::vector<Words> left_, weights_;  // of 16 steps each, in the order of a left operand
};

Module GroupAttention::run() {
  begin();
  row_ = w_.u32("div.u32", {thread_, number(line_bytes_ / kPiece)});
  b_ = copy_of(b_at_, P::kPitchB, d_, 0);
  c_ = copy_of(c_at_, P::kPitchC, e_, a_.stages * tile_bytes_);
  for (uint32_t i = 0; i + 1 < a_.stages; ++i) copy_tiles(i > 0);
  load_left();
  scores_.push_back(registers(score_tiles_, 4));
  weights_ = registers(a_.tile / 16, 4);
  clear_results();
  key_ = w_.u32("mov.u32", {"0"});
  const Value again = w_.label(), last = w_.label(), end = w_.label();
  w_.jump_if(w_.test("setp.le.s32", {keys_, "0"}), end);
  tile(true);
  w_.jump_if(w_.test("setp.ge.s32", {key_, keys_}), last);
  w_.place(again);
  tile(false);
  w_.jump_if(w_.test("setp.lt.s32", {key_, keys_}), again);
  w_.place(last);
  wait_for_copies();
  multiply_weights();
  w_.op("wgmma.wait_group.sync.aligned", {"0"});
  w_.place(end);
  store();
  w_.op("ret", {});
  return {w_.finish({"sm_90a", "attention", P::kCount, a_.threads(), shared_of_groups(a_), kEight}), "attention",
          a_.threads()};
}

// Rows in the order of a left operand: pairs of neighbours, eight apart; zeros past their ends.
void GroupAttention::load_left() {
  const Value pitch = w_.parameter(P::kPitchA), last = w_.u32("sub.u32", {m_, "1"});
  Value from[2];
  for (uint32_t half = 0; half < 2; ++half) {
    const Value line = w_.u32("add.u32", {own_row_, w_.u32("add.u32", {line_, number(8 * half)})});
    const Value row = w_.u32("min.u32", {line, last});
    const Value first = w_.u64("mad.lo.u64", {w_.u64("cvt.u64.u32", {row}), pitch, a_at_});
    from[half] = w_.u64("mad.wide.u32", {in_line_, "4", first});
  }
  left_ = registers(a_.longest / 16, 4);
  for (uint32_t step = 0; step < a_.longest / 16; ++step)
    for (uint32_t eight = 0; eight < 2; ++eight) {
      const uint32_t column = 16 * step + 8 * eight;
      const Value there = w_.test("setp.gt.u32", {d_, number(column)});
      for (uint32_t half = 0; half < 2; ++half) {
        const Value& to = left_[step][2 * eight + half];
        w_.op("mov.b32", {to, "0"});
        w_.op_if(there, "ld.global.nc.b32", {to, at(from[half], 2 * column)});
      }
    }
}

GroupAttention::Copy GroupAttention::copy_of(const Value& address, size_t pitch, const Value& length, uint32_t first) {
  const uint32_t across = line_bytes_ / kPiece;
  const Value x = w_.u32("and.b32", {thread_, number(across - 1)});
  Copy c;
  c.pitch = w_.parameter(pitch);
  c.turn = w_.u64("mul.lo.u64", {c.pitch, number(a_.threads() / across)});
  c.at = w_.u64("mad.wide.u32", {x, "16", w_.u64("mad.lo.u64", {w_.u64("cvt.u64.u32", {row_}), c.pitch, address})});
  c.inside = w_.test("setp.lt.u32", {w_.u32("shl.b32", {x, "3"}), length});
  const Value piece = w_.u32("xor.b32", {w_.u32("and.b32", {x, "7"}), w_.u32("and.b32", {row_, "7"})});
  const Value line = w_.u32("mad.lo.u32", {row_, number(kLineBytes), w_.u32("add.u32", {shared_, number(first)})});
  const Value block = w_.u32("mul.lo.u32", {w_.u32("shr.u32", {x, "3"}), number(block_)});
  c.to = w_.u32("mad.lo.u32", {piece, "16", w_.u32("add.u32", {line, block})});
  c.next_key = w_.u32("mov.u32", {"0"});
  c.filled = w_.u32("mov.u32", {"0"});
  c.used = w_.u32("mov.u32", {"0"});
  c.first = w_.u32("add.u32", {shared_, number(first)});
  return c;
}

void GroupAttention::next_stage(const Value& stage) {
  w_.op("add.u32", {stage, stage, number(tile_bytes_)});
  w_.op_if(w_.test("setp.eq.u32", {stage, number(a_.stages * tile_bytes_)}), "mov.u32", {stage, "0"});
}

// A thread's 16 bytes of every few rows of the next tile, zeros where nothing is there.
void GroupAttention::copy_tile(Copy& c) {
  const Value none = w_.label();
  w_.jump_if(w_.test("setp.ge.s32", {c.next_key, keys_}), none);
  const uint32_t rows = a_.threads() / (line_bytes_ / kPiece);
  const Value left = w_.u32("sub.u32", {n_, c.next_key});
  const Value to = w_.u32("add.u32", {c.to, c.filled}), from = w_.u64("mov.b64", {c.at});
  for (uint32_t row = 0; row < a_.tile; row += rows) {
    const Value own = row ? w_.u32("add.u32", {row_, number(row)}) : row_;
    const Value there = w_.test("setp.lt.and.s32", {own, left, c.inside});
    const Value bytes = w_.u32("selp.u32", {"16", "0", there});
    if (row) w_.op("add.u64", {from, from, c.turn});
    const std::string copy = "cp.async.cg.shared.global";
    if (row + rows > a_.tile)
      w_.op_if(w_.test("setp.lt.u32", {own, number(a_.tile)}), copy, {at(to, row * kLineBytes), at(from), "16", bytes});
    else
      w_.op(copy, {at(to, row * kLineBytes), at(from), "16", bytes});
  }
  w_.op("mad.lo.u64", {c.at, c.pitch, number(a_.tile), c.at});
  next_stage(c.filled);
  w_.op("add.u32", {c.next_key, c.next_key, number(a_.tile)});
  w_.place(none);
}

// The keys of the next tile, and the other operand of the one before.
void GroupAttention::copy_tiles(bool both) {
  copy_tile(b_);
  if (both) copy_tile(c_);
  w_.op("cp.async.commit_group", {});
}

// Until all threads have the tiles that are next; those before them are free.
void GroupAttention::wait_for_copies() {
  w_.op("cp.async.wait_group", {number(a_.stages - 2)});
  w_.op("fence.proxy.async.shared::cta", {});
  w_.op("bar.sync", {"0"});
}

// Where the tile that is multiplied next begins, in pieces; moves on.
Value GroupAttention::take(Copy& c) {
  const Value place = w_.u32("shr.u32", {w_.u32("add.u32", {c.first, c.used}), "4"});
  next_stage(c.used);
  return place;
}

void GroupAttention::multiply_scores() {
  Words all;
  for (const Words& words : scores_[0]) all.insert(all.end(), words.begin(), words.end());
  const Value high = w_.u32("mov.u32", {number(kEight / kPiece | 1u << 30)});
  const Value first = w_.u32("or.b32", {take(b_), number(1u << 16)});
  const Value more = w_.test("setp.eq.u32", {thread_, thread_}), none = w_.test("setp.ne.u32", {thread_, thread_});
  w_.op("wgmma.fence.sync.aligned", {});
  for (uint32_t step = 0; step < a_.longest / 16; ++step) {
    const uint32_t before = step / 4 * block_ / kPiece + step % 4 * 2;
    const Value low = before ? w_.u32("add.u32", {first, number(before)}) : first;
    w_.op("wgmma.mma_async.sync.aligned.m64n" + number(a_.tile) + "k16.f32." + type() + "." + type(),
          {list(all), list(left_[step]), w_.u64("mov.b64", {list({low, high})}), step ? more : none, "1", "1", "0"});
  }
  w_.op("wgmma.commit_group.sync.aligned", {});
}

void GroupAttention::multiply_weights() {
  Words all;
  for (const Words& words : results_[0]) all.insert(all.end(), words.begin(), words.end());
  const Value high = w_.u32("mov.u32", {number(kEight / kPiece | 1u << 30)});
  const Value first = w_.u32("or.b32", {take(c_), number(block_ / kPiece << 16)});
  const Value more = w_.test("setp.eq.u32", {thread_, thread_});
  w_.op("wgmma.fence.sync.aligned", {});
  for (uint32_t step = 0; step < a_.tile / 16; ++step) {
    const Value low = step ? w_.u32("add.u32", {first, number(step * 2 * kEight / kPiece)}) : first;
    w_.op("wgmma.mma_async.sync.aligned.m64n" + number(a_.longest) + "k16.f32." + type() + "." + type(),
          {list(all), list(weights_[step]), w_.u64("mov.b64", {list({low, high})}), more, "1", "1", "1"});
  }
  w_.op("wgmma.commit_group.sync.aligned", {});
}

// The scores of a tile, and the weights of the one before.
void GroupAttention::tile(bool first) {
  wait_for_copies();
  copy_tiles(true);
  load_mask(key_);
  multiply_scores();
  if (!first) multiply_weights();
  w_.op("wgmma.wait_group.sync.aligned", {first ? "0" : "1"});
  finish_scores(key_, a_.tile);
  const Moved moved = move_references(0);
  weigh(0);
  if (!first) w_.op("wgmma.wait_group.sync.aligned", {"0"});
  scale_results(0, moved);
  for (uint32_t step = 0; step < a_.tile / 16; ++step) round_weights(0, step, weights_[step]);
  w_.op("add.u32", {key_, key_, number(a_.tile)});
}

}  // namespace

uint32_t shared_of_groups(const Attention& a) { return 2 * a.stages * a.tile * a.longest * a.element_bytes(); }

Module attention_of_groups(const Attention& a) { return GroupAttention(a).run(); }

}  // namespace frit::codegen::ptx
