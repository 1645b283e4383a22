// A warp keeps 16 or 32 rows of the left operand, their sums and their results in registers, and goes over the keys in
// tiles of both right operands. cp.async copies the next tiles to shared memory meanwhile.
//
// The matrix units add over pairs of registers whose order does not matter as long as both operands have the same one.
// So a thread reads 16 bytes of a row at a time, of the left operand and of the middle one, and its registers are
// operands as they are. Weights stay in the registers in which the scores were: rows of scores are rows of the left
// operand of the second product. Float32 is multiplied as the sum of two numbers of 11 bits (tf32) each, without the
// product of both low parts.
#include "codegen/ptx/attention_rows.h"

#include <algorithm>
#include <array>

namespace frit::codegen::ptx {

namespace {

constexpr uint32_t kPart = 64;  // bytes of a row that four threads read at once

// Rows of both tiles in shared memory, in bytes: eight threads read 16 bytes of different banks.
uint32_t line_bytes(const Attention& a) { return a.longest * a.element_bytes(); }
uint32_t pitch_b(const Attention& a) { return line_bytes(a) + (line_bytes(a) % 128 ? 0 : 64); }
uint32_t pitch_c(const Attention& a) { return line_bytes(a) + 16; }
uint32_t stage_bytes(const Attention& a) { return a.tile * (pitch_b(a) + pitch_c(a)); }
// Registers of a warp that another one joins with its own: results, references and sums.
uint32_t joined_words(const Attention& a) { return a.high * (a.longest / 2 + 4); }

class WarpAttention : AttentionRows {
 public:
  explicit WarpAttention(const Attention& a)
      : AttentionRows(a, a.tile / a.key_warps), own_keys_(a.tile / a.key_warps), parts_(line_bytes_ / kPart) {}

  Module run();

 private:
  struct Copy {
    Value at, pitch, turn;  // of the thread's first 16 bytes of the next tile; between keys, between loads
    Value inside, row, to;  // whether the row has these bytes; the key in the tile; in shared memory
  };
  void load_left();
  Copy copy_of(const Value& address, size_t pitch, const Value& length, uint32_t line, uint32_t offset);
  void start_copies();
  void copy_rows(const Copy& c, uint32_t line, const Value& left);
  void copy_tile();
  void next_stage(const Value& stage);
  void tile();
  void multiply_scores();
  void multiply_weights();
  void join();
  void merge(uint32_t h, const Value& from);

  // A register as the terms whose sum it is.
  Words terms(const Value& value);
  void multiply(Words& sums, const std::vector<Words>& a, const std::vector<Words>& b, size_t term);
  size_t term_count() const { return single_ ? 3 : 1; }

  const uint32_t own_keys_, parts_;
  Copy b_copy_, c_copy_;
  Value next_key_, filled_, used_, b_from_, c_from_, key_, own_key_;
  std::vector<std::vector<Words>> left_;                     // block of rows, part of a row, its registers
  std::vector<std::vector<std::vector<Words>>> left_terms_;  // of each register, where that leaves enough others
};

Module WarpAttention::run() {
  begin();
  start_copies();
  for (uint32_t i = 0; i + 1 < a_.stages; ++i) copy_tile();
  load_left();
  for (uint32_t h = 0; h < a_.high; ++h) scores_.push_back(registers(score_tiles_, 4));
  clear_results();
  key_ = w_.u32("mov.u32", {"0"});
  const Value again = w_.label(), done = w_.label();
  w_.jump_if(w_.test("setp.le.s32", {keys_, "0"}), done);
  w_.place(again);
  w_.op("cp.async.wait_group", {number(a_.stages - 2)});
  w_.op("bar.sync", {"0"});
  copy_tile();
  tile();
  w_.op("add.u32", {key_, key_, number(a_.tile)});
  w_.jump_if(w_.test("setp.lt.s32", {key_, keys_}), again);
  w_.place(done);
  join();
  store();
  w_.op("ret", {});
  return {w_.finish({"sm_80", "attention", P::kCount, a_.threads(), shared_of_warps(a_), 128}), "attention",
          a_.threads()};
}

// Registers of rows, as the matrix units take them; zeros past their ends.
void WarpAttention::load_left() {
  const Value pitch = w_.parameter(P::kPitchA), last = w_.u32("sub.u32", {m_, "1"});
  const Value bytes = w_.u32("mul.lo.u32", {d_, number(a_.element_bytes())}), own = w_.u32("shl.b32", {in_line_, "4"});
  std::vector<Value> there;
  for (uint32_t part = 0; part < parts_; ++part)
    there.push_back(w_.test("setp.lt.u32", {w_.u32("add.u32", {own, number(part * kPart)}), bytes}));
  for (uint32_t h = 0; h < a_.high; ++h) {
    left_.push_back(registers(parts_, 8));
    for (uint32_t half = 0; half < 2; ++half) {
      const Value line = w_.u32("add.u32", {line_, number(16 * h + 8 * half)});
      const Value row = w_.u32("min.u32", {w_.u32("add.u32", {own_row_, line}), last});
      const Value first = w_.u64("mad.lo.u64", {w_.u64("cvt.u64.u32", {row}), pitch, a_at_});
      const Value from = w_.u64("add.u64", {first, w_.u64("cvt.u64.u32", {own})});
      for (uint32_t part = 0; part < parts_; ++part) {
        const auto to = left_[h][part].begin() + 4 * half;
        for (uint32_t i = 0; i < 4; ++i) w_.op("mov.b32", {to[i], "0"});
        w_.op_if(there[part], "ld.global.nc.v4.b32", {list({to, to + 4}), at(from, part * kPart)});
      }
    }
  }
  if (!single_ || a_.longest * a_.high > 64) return;
  left_terms_.resize(a_.high, std::vector<std::vector<Words>>(parts_));
  for (uint32_t h = 0; h < a_.high; ++h)
    for (uint32_t part = 0; part < parts_; ++part)
      for (const Value& v : left_[h][part]) left_terms_[h][part].push_back(terms(v));
}

WarpAttention::Copy WarpAttention::copy_of(const Value& address, size_t pitch, const Value& length, uint32_t line,
                                           uint32_t offset) {
  const uint32_t across = line_bytes(a_) / 16;
  const Value x = w_.u32("and.b32", {thread_, number(across - 1)});
  Copy c;
  c.row = w_.u32("div.u32", {thread_, number(across)});
  c.pitch = w_.parameter(pitch);
  c.turn = w_.u64("mul.lo.u64", {c.pitch, number(a_.threads() / across)});
  const Value first = w_.u64("mad.lo.u64", {w_.u64("cvt.u64.u32", {c.row}), c.pitch, address});
  c.at = w_.u64("mad.wide.u32", {x, "16", first});
  const Value in_line = w_.u32("mul.lo.u32", {x, number(16 / a_.element_bytes())});
  c.inside = w_.test("setp.lt.u32", {in_line, length});
  const Value to = w_.u32("mad.lo.u32", {c.row, number(line), shared_});
  c.to = w_.u32("add.u32", {w_.u32("mad.lo.u32", {x, "16", to}), number(offset)});
  return c;
}

void WarpAttention::start_copies() {
  const uint32_t behind = a_.tile * pitch_b(a_);
  b_copy_ = copy_of(b_at_, P::kPitchB, d_, pitch_b(a_), 0);
  c_copy_ = copy_of(c_at_, P::kPitchC, e_, pitch_c(a_), behind);
  next_key_ = w_.u32("mov.u32", {"0"});
  filled_ = w_.u32("mov.u32", {"0"});
  used_ = w_.u32("mov.u32", {"0"});
  // Where a thread reads its parts of both tiles.
  const Value own = w_.u32("mul.lo.u32", {key_warp_, number(own_keys_)});
  own_key_ = own;
  const Value b_row = w_.u32("add.u32", {own, line_});
  b_from_ = w_.u32(
      "add.u32", {w_.u32("mad.lo.u32", {in_line_, "16", shared_}), w_.u32("mul.lo.u32", {b_row, number(pitch_b(a_))})});
  const Value c_row =
      w_.u32("add.u32", {own, single_ ? w_.u32("shl.b32", {in_line_, "1"}) : w_.u32("and.b32", {lane_, "15"})});
  const Value c_column = single_ ? line_ : w_.u32("shr.u32", {lane_, "4"});
  const Value c_first = w_.u32("mad.lo.u32", {c_column, "16", w_.u32("add.u32", {shared_, number(behind)})});
  c_from_ = w_.u32("add.u32", {c_first, w_.u32("mul.lo.u32", {c_row, number(pitch_c(a_))})});
}

// A thread's 16 bytes of every few rows of a tile, zeros where nothing is there.
void WarpAttention::copy_rows(const Copy& c, uint32_t line, const Value& left) {
  const uint32_t across = line_bytes(a_) / 16, rows = a_.threads() / across;
  const Value to = w_.u32("add.u32", {c.to, filled_}), from = w_.u64("mov.b64", {c.at});
  for (uint32_t row = 0; row < a_.tile; row += rows) {
    const Value own = row ? w_.u32("add.u32", {c.row, number(row)}) : c.row;
    const Value there = w_.test("setp.lt.and.s32", {own, left, c.inside});
    const Value bytes = w_.u32("selp.u32", {"16", "0", there});
    if (row) w_.op("add.u64", {from, from, c.turn});
    const Words operands{at(to, row * line), at(from), "16", bytes};
    if (row + rows > a_.tile)
      w_.op_if(w_.test("setp.lt.u32", {own, number(a_.tile)}), "cp.async.cg.shared.global",
               {operands[0], operands[1], operands[2], operands[3]});
    else
      w_.op("cp.async.cg.shared.global", {operands[0], operands[1], operands[2], operands[3]});
  }
  w_.op("mad.lo.u64", {c.at, c.pitch, number(a_.tile), c.at});
}

void WarpAttention::next_stage(const Value& stage) {
  w_.op("add.u32", {stage, stage, number(stage_bytes(a_))});
  w_.op_if(w_.test("setp.eq.u32", {stage, number(a_.stages * stage_bytes(a_))}), "mov.u32", {stage, "0"});
}

void WarpAttention::copy_tile() {
  const Value none = w_.label();
  w_.jump_if(w_.test("setp.ge.s32", {next_key_, keys_}), none);
  const Value left = w_.u32("sub.u32", {n_, next_key_});
  copy_rows(b_copy_, pitch_b(a_), left);
  copy_rows(c_copy_, pitch_c(a_), left);
  next_stage(filled_);
  w_.op("add.u32", {next_key_, next_key_, number(a_.tile)});
  w_.place(none);
  w_.op("cp.async.commit_group", {});
}

WarpAttention::Words WarpAttention::terms(const Value& value) {
  if (!single_) return {value};
  // Rounded by integers: conversions to tf32 are several times as slow.
  const Value high = w_.u32("and.b32", {w_.u32("add.u32", {value, "0x1000"}), "0xffffe000"});
  return {high, f32("sub.f32", {value, high})};
}

// Adds term number `term` of a product: the smallest first.
void WarpAttention::multiply(Words& sums, const std::vector<Words>& a, const std::vector<Words>& b, size_t term) {
  constexpr size_t kOfLeft[] = {1, 0, 0}, kOfRight[] = {0, 1, 0};
  const size_t left = single_ ? kOfLeft[term] : 0, right = single_ ? kOfRight[term] : 0;
  const std::string shape =
      single_ ? "m16n8k8.row.col.f32.tf32.tf32.f32" : "m16n8k16.row.col.f32." + type() + "." + type() + ".f32";
  w_.op("mma.sync.aligned." + shape, {list(sums), list({a[0][left], a[1][left], a[2][left], a[3][left]}),
                                      list({b[0][right], b[1][right]}), list(sums)});
}

void WarpAttention::multiply_scores() {
  for (uint32_t h = 0; h < a_.high; ++h)
    for (const Words& words : scores_[h])
      for (const Value& v : words) w_.op("mov.b32", {v, "0"});
  const Value from = w_.u32("add.u32", {b_from_, used_});
  for (uint32_t part = 0; part < parts_; ++part) {
    std::vector<std::vector<Words>> b(score_tiles_);  // tiles, words, terms
    for (uint32_t t = 0; t < score_tiles_; ++t) {
      const Words words = registers(1, 4)[0];
      w_.op("ld.shared.v4.b32", {list(words), at(from, t * 8 * pitch_b(a_) + part * kPart)});
      for (const Value& v : words) b[t].push_back(terms(v));
    }
    for (uint32_t step = 0; step < 2; ++step) {
      std::vector<std::vector<Words>> a(a_.high);
      for (uint32_t h = 0; h < a_.high; ++h)
        for (uint32_t i : {2 * step, 4 + 2 * step, 2 * step + 1, 5 + 2 * step})
          a[h].push_back(left_terms_.empty() ? terms(left_[h][part][i]) : left_terms_[h][part][i]);
      for (size_t term = 0; term < term_count(); ++term)
        for (uint32_t t = 0; t < score_tiles_; ++t)
          for (uint32_t h = 0; h < a_.high; ++h)
            multiply(scores_[h][t], a[h], {b[t][2 * step], b[t][2 * step + 1]}, term);
    }
  }
}

// One tile of the keys. Warps leave out what none of their rows sees.
void WarpAttention::tile() {
  const Value done = w_.label();
  const Value first = w_.u32("add.u32", {key_, own_key_});
  w_.jump_if(w_.test("setp.ge.s32", {first, n_}), done);
  if (a_.causal) w_.jump_if(w_.test("setp.gt.s32", {first, last_seen_}), done);
  load_mask(first);
  multiply_scores();
  finish_scores(first, own_keys_);
  for (uint32_t h = 0; h < a_.high; ++h) scale_results(h, move_references(h));
  for (uint32_t h = 0; h < a_.high; ++h) weigh(h);
  multiply_weights();
  w_.place(done);
  next_stage(used_);
}

void WarpAttention::multiply_weights() {
  const Value from = w_.u32("add.u32", {c_from_, used_});
  const uint32_t keys = single_ ? 8 : 16;
  for (uint32_t step = 0; step < own_keys_ / keys; ++step) {
    std::vector<std::vector<Words>> a(a_.high);
    for (uint32_t h = 0; h < a_.high; ++h) {
      if (single_) {
        for (uint32_t i : {0u, 2u, 1u, 3u}) a[h].push_back(terms(scores_[h][step][i]));
        continue;
      }
      const Words words = registers(1, 4)[0];
      round_weights(h, step, words);
      for (const Value& v : words) a[h].push_back({v});
    }
    // Four (or two) tiles of eight columns at a time.
    const uint32_t together = single_ ? 4 : 2;
    for (uint32_t t = 0; t < result_tiles_; t += together) {
      std::vector<std::vector<Words>> b(together);
      const uint64_t place = step * keys * pitch_c(a_);
      if (single_) {
        for (uint32_t key = 0; key < 2; ++key) {
          const Words words = registers(1, 4)[0];
          w_.op("ld.shared.v4.b32", {list(words), at(from, place + key * pitch_c(a_) + t / 4 * 128)});
          for (uint32_t i = 0; i < 4; ++i) b[i].push_back(terms(words[i]));
        }
      } else {
        const Words words = registers(1, 4)[0];
        w_.op("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", {list(words), at(from, place + t * 16)});
        for (uint32_t i = 0; i < 4; ++i) b[i / 2].push_back({words[i]});
      }
      for (size_t term = 0; term < term_count(); ++term)
        for (uint32_t i = 0; i < together; ++i)
          for (uint32_t h = 0; h < a_.high; ++h) multiply(results_[h][t + i], a[h], b[i], term);
    }
  }
}

// Halves of the warps that share rows hand what they have to the other half, until one warp has all keys.
void WarpAttention::join() {
  for (uint32_t span = a_.key_warps / 2; span > 0; span /= 2) {
    const Value takes = w_.label(), done = w_.label();
    w_.op("bar.sync", {"0"});
    const Value gives = w_.test("setp.ge.u32", {key_warp_, number(span)});
    const Value slot = w_.u32("sub.u32", {key_warp_, w_.u32("selp.u32", {number(span), "0", gives})});
    const Value place = w_.u32("mad.lo.u32", {slot, number(a_.row_warps), row_warp_});
    const Value lane = w_.u32("mad.lo.u32", {lane_, "4", shared_});
    const Value memory = w_.u32("mad.lo.u32", {place, number(joined_words(a_) * 128), lane});
    w_.jump_if("!" + gives, takes);
    w_.jump_if(w_.test("setp.ge.u32", {key_warp_, number(2 * span)}), takes);
    uint32_t word = 0;
    const auto give = [&](const Value& v) { w_.op("st.shared.b32", {at(memory, word++ * 128), v}); };
    for (uint32_t h = 0; h < a_.high; ++h) {
      for (const Value& v : references_[h]) give(v);
      for (const Value& v : sums_[h]) give(v);
      for (const Words& words : results_[h])
        for (const Value& v : words) give(v);
    }
    w_.place(takes);
    w_.op("bar.sync", {"0"});
    w_.jump_if(gives, done);
    for (uint32_t h = 0; h < a_.high; ++h)
      merge(h, w_.u32("add.u32", {memory, number(h * (joined_words(a_) / a_.high) * 128)}));
    w_.place(done);
  }
}

void WarpAttention::merge(uint32_t h, const Value& from) {
  const auto other = [&](uint32_t word) { return w_.u32("ld.shared.b32", {at(from, word * 128)}); };
  for (uint32_t half = 0; half < 2; ++half) {
    const Value theirs = other(half), &own = references_[h][half];
    const Value next = f32("min.f32", {own, theirs});
    const Value of_own = f32("ex2.approx.ftz.f32", {f32("sub.f32", {next, own})});
    const Value of_theirs = f32("ex2.approx.ftz.f32", {f32("sub.f32", {next, theirs})});
    const auto add = [&](const Value& v, uint32_t word) {
      w_.op("mul.f32", {v, v, of_own});
      w_.op("fma.rn.f32", {v, other(word), of_theirs, v});
    };
    w_.op("mov.b32", {own, next});
    add(sums_[h][half], 2 + half);
    for (uint32_t t = 0; t < result_tiles_; ++t)
      for (uint32_t i = 0; i < 2; ++i) add(results_[h][t][2 * half + i], 4 + 4 * t + 2 * half + i);
  }
}

}  // namespace

uint32_t shared_of_warps(const Attention& a) {
  const uint32_t joined = a.key_warps > 1 ? a.key_warps / 2 * a.row_warps * joined_words(a) * 128 : 0;
  return std::max(a.stages * stage_bytes(a), joined);
}

Module attention_of_warps(const Attention& a) { return WarpAttention(a).run(); }

}  // namespace frit::codegen::ptx
