// Registers of rows. A thread has two neighbours of each eight columns of two rows, eight apart (line_ of the eight,
// in_line_ of the four), of scores and of results alike.
//
// Exponentials are taken of differences to a reference, which moves only when a row's maximum passes it by more than
// kRoom; as results are divided by sums of the same exponentials, any reference will do. Until then no row asks for its
// maximum over the threads that share it.
#include "codegen/ptx/attention_rows.h"

#include <array>

#include "codegen/ptx/left.h"

namespace frit::codegen::ptx {

namespace {

constexpr const char* kRoom = "0f41000000";         // 8
constexpr const char* kMinusLowest = "0f7F61B1E6";  // 3e38: what references begin with, negated
constexpr const char* kInfinity = "0f7F800000";
constexpr const char* kLog2E = "0f3FB8AA3B";
constexpr const char* kLowestMask = "0fFE967699";  // -1e38: sums with others stay finite

}  // namespace

std::vector<AttentionRows::Words> AttentionRows::registers(uint32_t count, uint32_t each) {
  std::vector<Words> all(count);
  for (Words& w : all)
    for (uint32_t i = 0; i < each; ++i) w.push_back(w_.reg(Writer::Bits32));
  return all;
}

void AttentionRows::begin() {
  thread_ = w_.u32("mov.u32", {"%tid.x"});
  shared_ = w_.u32("mov.u32", {Writer::kShared});
  lane_ = w_.u32("and.b32", {thread_, "31"});
  line_ = w_.u32("shr.u32", {lane_, "2"});
  in_line_ = w_.u32("and.b32", {lane_, "3"});
  const Value warp = w_.u32("shr.u32", {thread_, "5"});
  row_warp_ = w_.u32("rem.u32", {warp, number(a_.row_warps)});
  key_warp_ = w_.u32("div.u32", {warp, number(a_.row_warps)});
  m_ = w_.low_parameter(AttentionParameter::kRowCount);
  d_ = w_.low_parameter(AttentionParameter::kDepth);
  n_ = w_.low_parameter(AttentionParameter::kKeyCount);
  e_ = w_.low_parameter(AttentionParameter::kBreadth);
  scale_ = w_.low_parameter(AttentionParameter::kScale);
  hidden_ = w_.low_parameter(AttentionParameter::kHidden);
  const Value group = w_.u32("mov.u32", {"%ctaid.x"});
  const Value blocks = w_.u32("div.u32", {w_.u32("add.u32", {m_, number(a_.rows() - 1)}), number(a_.rows())});
  // Later rows first: in the causal form they see the most columns, and what takes longest should begin first.
  const Value divisor = a_.causal ? w_.u32("div.u32", {w_.u32("mov.u32", {"%nctaid.x"}), blocks}) : blocks;
  const Value quotient = w_.u32("div.u32", {group, divisor});
  const Value rest = w_.u32("sub.u32", {group, w_.u32("mul.lo.u32", {quotient, divisor})});
  batch_ = a_.causal ? rest : quotient;
  const Value block = a_.causal ? quotient : rest;
  const Value later = w_.u32("sub.u32", {w_.u32("sub.u32", {blocks, "1"}), block});
  first_row_ = w_.u32("mul.lo.u32", {later, number(a_.rows())});
  own_row_ = w_.u32("mad.lo.u32", {row_warp_, number(16 * a_.high), first_row_});
  addresses(batch_);
  bounds();
  if (a_.mask != AttentionMask::None) find_pairs();
}

// First elements of the matrices of number `batch`.
void AttentionRows::addresses(const Value& batch) {
  struct Operand {
    Value* at;
    size_t address, steps;
  };
  std::vector<Operand> operands{{&a_at_, AttentionParameter::kOfA, AttentionParameter::kStepsA},
                                {&b_at_, AttentionParameter::kOfB, AttentionParameter::kStepsB},
                                {&c_at_, AttentionParameter::kOfC, AttentionParameter::kStepsC}};
  if (a_.mask != AttentionMask::None)
    operands.push_back({&mask_at_, AttentionParameter::kOfMask, AttentionParameter::kStepsMask});
  for (const Operand& o : operands) {
    *o.at = w_.reg(Writer::Bits64);
    w_.op("ld.param.b64", {*o.at, at("p" + number(o.address))});
  }
  const Value done = w_.label(), rest = w_.u32("mov.u32", {batch});
  for (size_t axis = 4; axis-- > 0;) {
    w_.jump_if(w_.test("setp.eq.u32", {rest, "0"}), done);
    const Value size = w_.low_parameter(AttentionParameter::kBatchSizes + axis), next = w_.u32("div.u32", {rest, size});
    const Value place = w_.u64("cvt.u64.u32", {w_.u32("sub.u32", {rest, w_.u32("mul.lo.u32", {next, size})})});
    for (const Operand& o : operands) w_.op("mad.lo.u64", {*o.at, place, w_.parameter(o.steps + axis), *o.at});
    w_.op("mov.u32", {rest, next});
  }
  w_.place(done);
}

// Row i sees the columns up to i + shift. Rows that see none are means of all, unless hidden scores are infinite.
void AttentionRows::bounds() {
  keys_ = w_.u32("mov.u32", {n_});
  if (!a_.causal) return;
  shift_ = w_.u32("sub.u32", {n_, m_});
  const Value seen = w_.u32("add.u32", {first_row_, shift_});
  infinite_ = w_.test("setp.eq.u32", {w_.low_parameter(AttentionParameter::kHiddenIsFinite), "0"});
  const Value fewer = w_.test("setp.ge.or.s32", {seen, "0", infinite_});
  const Value until = w_.u32("max.s32", {w_.u32("add.u32", {seen, number(a_.rows())}), "0"});
  w_.op_if(fewer, "min.s32", {keys_, until, n_});
  // The last column that this warp's rows see.
  const Value last = w_.u32("add.u32", {w_.u32("add.u32", {own_row_, shift_}), number(16 * a_.high - 1)});
  last_seen_ = w_.u32("selp.b32", {last, n_, fewer});
}

void AttentionRows::finish_scores(const Value& first, uint32_t keys) {
  if (a_.mask == AttentionMask::None) {
    const Value plain = w_.label();
    w_.jump_if(sees_all(first, keys), plain);
    hide(first);
    w_.place(plain);
    return;
  }
  for (const std::vector<Words>& block : scores_)
    for (const Words& words : block)
      for (const Value& v : words) w_.op("mul.f32", {v, v, scale_});
  hide(first);
}

void AttentionRows::hide(const Value& first) {
  const Value column = w_.u32("mad.lo.u32", {in_line_, "2", first});
  const Value left = w_.u32("sub.u32", {n_, column});
  for (uint32_t h = 0; h < a_.high; ++h)
    for (uint32_t half = 0; half < 2; ++half) {
      const Value row = w_.u32("add.u32", {own_row_, w_.u32("add.u32", {line_, number(16 * h + 8 * half)})});
      if (a_.causal) {
        const Value last = w_.u32("sub.u32", {w_.u32("add.u32", {row, shift_}), column});
        // Without a mask, a row that sees a column gives no weight to others, and one that sees none the same to all.
        Value hidden = hidden_;
        if (a_.mask == AttentionMask::None) {
          const Value sees = w_.test("setp.ge.or.s32", {w_.u32("add.u32", {row, shift_}), "0", infinite_});
          hidden = w_.u32("selp.b32", {kUnseen, "0", sees});
        }
        for (uint32_t t = 0; t < score_tiles_; ++t)
          for (uint32_t i = 0; i < 2; ++i) {
            const Value& score = scores_[h][t][2 * half + i];
            const Value hides = w_.test("setp.lt.s32", {last, number(8 * t + i)});
            w_.op("selp.b32", {score, hidden, score, hides});
          }
      }
      if (a_.mask != AttentionMask::None) add_mask(h, half);
      for (uint32_t t = 0; t < score_tiles_; ++t)
        for (uint32_t i = 0; i < 2; ++i) {
          const Value& score = scores_[h][t][2 * half + i];
          const Value outside = w_.test("setp.le.s32", {left, number(8 * t + i)});
          w_.op("selp.b32", {score, kUnseen, score, outside});
        }
    }
}

// A mask is loaded before the scores are multiplied, or they would wait for it: two neighbours at once where it lies
// along its columns and pairs begin where a load may.
void AttentionRows::find_pairs() {
  const uint32_t bytes = mask_bytes();
  const Value places = w_.u64("or.b64", {mask_at_, w_.parameter(AttentionParameter::kMaskRow)});
  const Value low = w_.u32("and.b32", {w_.u32("cvt.u32.u64", {places}), number(2 * bytes - 1)});
  const Value odd = w_.u32("or.b32", {low, w_.u32("and.b32", {n_, "1"})});
  const Value along = w_.test("setp.eq.u64", {w_.parameter(AttentionParameter::kMaskColumn), number(bytes)});
  paired_ = w_.test("setp.eq.and.u32", {odd, "0", along});
  for (uint32_t h = 0; h < a_.high; ++h) mask_.push_back(registers(2 * score_tiles_, bytes == 4 ? 2 : 1));
}

void AttentionRows::load_mask(const Value& first) {
  if (a_.mask == AttentionMask::None) return;
  const Value column = w_.u32("mad.lo.u32", {in_line_, "2", first}), left = w_.u32("sub.u32", {n_, column});
  const Value step = w_.parameter(AttentionParameter::kMaskColumn), last = w_.u32("sub.u32", {m_, "1"});
  for (uint32_t h = 0; h < a_.high; ++h)
    for (uint32_t half = 0; half < 2; ++half) {
      const Value line = w_.u32("add.u32", {own_row_, w_.u32("add.u32", {line_, number(16 * h + 8 * half)})});
      const Value row = w_.u64("cvt.u64.u32", {w_.u32("min.u32", {line, last})});
      const Value begin = w_.u64("mad.lo.u64", {row, w_.parameter(AttentionParameter::kMaskRow), mask_at_});
      const Value from = w_.u64("mad.lo.u64", {w_.u64("cvt.u64.u32", {column}), step, begin});
      const Value alone = w_.label(), done = w_.label();
      w_.jump_if("!" + paired_, alone);
      for (uint32_t t = 0; t < score_tiles_; ++t) {
        const Words& to = mask_[h][half * score_tiles_ + t];
        const Value there = w_.test("setp.gt.s32", {left, number(8 * t)}), place = at(from, 8 * t * mask_bytes());
        for (const Value& v : to) w_.op("mov.b32", {v, "0"});
        if (mask_bytes() == 4)
          w_.op_if(there, "ld.global.nc.v2.b32", {list(to), place});
        else
          w_.op_if(there, mask_bytes() == 2 ? "ld.global.nc.b32" : "ld.global.nc.u16", {to[0], place});
      }
      w_.jump(done);
      w_.place(alone);
      for (uint32_t t = 0; t < score_tiles_; ++t)
        load_alone(mask_[h][half * score_tiles_ + t], from, step, left, 8 * t);
      w_.place(done);
    }
}

// The elements of columns `column` and the next one.
void AttentionRows::load_alone(const Words& to, const Value& from, const Value& step, const Value& left,
                               uint32_t column) {
  Words own = to;
  if (mask_bytes() < 4) own = {w_.reg(Writer::Bits16), w_.reg(Writer::Bits16)};
  const Value place = w_.u64("mad.lo.u64", {step, number(column), from});
  for (uint32_t i = 0; i < 2; ++i) {
    const Value there = w_.test("setp.gt.s32", {left, number(column + i)});
    const char* const load = mask_bytes() == 4   ? "ld.global.nc.b32"
                             : mask_bytes() == 2 ? "ld.global.nc.b16"
                                                 : "ld.global.nc.u8";
    w_.op(mask_bytes() == 4 ? "mov.b32" : "mov.b16", {own[i], "0"});
    w_.op_if(there, load, {own[i], at(i ? w_.u64("add.u64", {place, step}) : place)});
  }
  if (mask_bytes() == 4) return;
  if (mask_bytes() == 1) {
    w_.op("shl.b16", {own[1], own[1], "8"});
    w_.op("or.b16", {own[0], own[0], own[1]});
    w_.op("mov.b16", {own[1], "0"});
  }
  w_.op("mov.b32", {to[0], list(own)});
}

void AttentionRows::add_mask(uint32_t h, uint32_t half) {
  for (uint32_t t = 0; t < score_tiles_; ++t) {
    const Words& words = mask_[h][half * score_tiles_ + t];
    for (uint32_t i = 0; i < 2; ++i) {
      const Value& score = scores_[h][t][2 * half + i];
      if (a_.mask == AttentionMask::Hides) {
        const Value keeps = w_.u32("and.b32", {words[0], i ? "0xff00" : "0xff"});
        w_.op("selp.b32", {score, hidden_, score, w_.test("setp.eq.u32", {keeps, "0"})});
        continue;
      }
      const Value more = added(words, i);
      const Value finite = f32("max.NaN.f32", {f32("mul.f32", {more, kLog2E}), kLowestMask});
      const Value infinite = w_.test("setp.eq.f32", {f32("abs.f32", {more}), kInfinity});
      w_.op("add.f32", {score, score, w_.u32("selp.b32", {more, finite, infinite})});
    }
  }
}

// An element of a pair of a mask that is added, as a float.
Value AttentionRows::added(const Words& words, uint32_t i) {
  if (a_.mask == AttentionMask::Single) return words[i];
  if (a_.mask == AttentionMask::Bfloat)
    return i ? w_.u32("and.b32", {words[0], "0xffff0000"}) : w_.u32("shl.b32", {words[0], "16"});
  const Words halves{w_.reg(Writer::Bits16), w_.reg(Writer::Bits16)};
  w_.op("mov.b32", {list(halves), words[0]});
  return f32("cvt.f32.f16", {halves[i]});
}

AttentionRows::Moved AttentionRows::move_references(uint32_t h) {
  Words most;
  for (uint32_t half = 0; half < 2; ++half) {
    Value top = f32("max.f32", {scores_[h][0][2 * half], scores_[h][0][2 * half + 1]});
    for (uint32_t t = 1; t < score_tiles_; ++t)
      top = f32("max.f32", {top, f32("max.f32", {scores_[h][t][2 * half], scores_[h][t][2 * half + 1]})});
    most.push_back(a_.mask == AttentionMask::None ? f32("mul.f32", {top, scale_}) : top);
  }
  const Value stays = w_.label();
  const auto above = [&](uint32_t half) { return f32("add.f32", {most[half], references_[h][half]}); };
  const Value upper = w_.test("setp.gt.f32", {above(0), kRoom});
  const Value passed = w_.test("setp.gt.or.f32", {above(1), kRoom, upper});
  const Moved moved{w_.test("vote.sync.any.pred", {passed, "0xffffffff"}), registers(1, 2)[0]};
  w_.jump_if("!" + moved.yes, stays);
  for (uint32_t half = 0; half < 2; ++half) {
    Value top = most[half];
    for (const char* distance : {"1", "2"})
      top = f32("max.f32", {top, w_.u32("shfl.sync.bfly.b32", {top, distance, "31", "0xffffffff"})});
    const Value& reference = references_[h][half];
    const Value next = f32("min.f32", {reference, f32("neg.f32", {top})});
    const Value& factor = moved.factors[half];
    w_.op("ex2.approx.ftz.f32", {factor, f32("sub.f32", {next, reference})});
    w_.op("mov.b32", {reference, next});
    w_.op("mul.f32", {sums_[h][half], sums_[h][half], factor});
  }
  w_.place(stays);
  return moved;
}

void AttentionRows::scale_results(uint32_t h, const Moved& moved) {
  const Value stays = w_.label();
  w_.jump_if("!" + moved.yes, stays);
  for (const Words& words : results_[h])
    for (uint32_t i = 0; i < 4; ++i) w_.op("mul.f32", {words[i], words[i], moved.factors[i / 2]});
  w_.place(stays);
}

// Scores become weights.
void AttentionRows::weigh(uint32_t h) {
  for (uint32_t half = 0; half < 2; ++half) {
    const Value& reference = references_[h][half];
    std::array<Value, 2> sums;
    for (uint32_t t = 0; t < score_tiles_; ++t)
      for (uint32_t i = 0; i < 2; ++i) {
        const Value& score = scores_[h][t][2 * half + i];
        if (a_.mask == AttentionMask::None)
          w_.op("fma.rn.f32", {score, score, scale_, reference});
        else
          w_.op("add.f32", {score, score, reference});
        w_.op("ex2.approx.ftz.f32", {score, score});
        sums[i] = t ? f32("add.f32", {sums[i], score}) : score;
      }
    w_.op("add.f32", {sums_[h][half], sums_[h][half], f32("add.f32", {sums[0], sums[1]})});
  }
}

void AttentionRows::store() {
  const Value end = w_.label();
  w_.jump_if(w_.test("setp.ne.u32", {key_warp_, "0"}), end);
  const Value row_bytes = w_.u64("mul.wide.u32", {e_, number(a_.element_bytes())});
  const Value batch_row = w_.u64("mul.wide.u32", {batch_, m_});
  const Value matrix = w_.u64("mad.lo.u64", {batch_row, row_bytes, w_.parameter(AttentionParameter::kOfResult)});
  for (uint32_t h = 0; h < a_.high; ++h)
    for (uint32_t half = 0; half < 2; ++half) {
      Value sum = sums_[h][half];
      for (const char* distance : {"1", "2"})
        sum = f32("add.f32", {sum, w_.u32("shfl.sync.bfly.b32", {sum, distance, "31", "0xffffffff"})});
      const Value factor = f32("rcp.rn.f32", {sum});
      for (const Words& words : results_[h])
        for (uint32_t i = 0; i < 2; ++i) w_.op("mul.f32", {words[2 * half + i], words[2 * half + i], factor});
      const Value row = w_.u32("add.u32", {own_row_, w_.u32("add.u32", {line_, number(16 * h + 8 * half)})});
      const Value line = w_.u64("mad.lo.u64", {w_.u64("cvt.u64.u32", {row}), row_bytes, matrix});
      store_row(h, half, line, w_.test("setp.lt.u32", {row, m_}));
    }
  w_.place(end);
}

// The four threads of a row exchange 16-bit results, so that each has eight neighbours of every 32; those of 32 bits
// are neighbours already.
void AttentionRows::store_row(uint32_t h, uint32_t half, const Value& line, const Value& there) {
  const Exchange exchange(w_, in_line_);
  const Value column = w_.u32("shl.b32", {in_line_, "3"});
  const Value to = w_.u64("mad.wide.u32", {column, number(a_.element_bytes()), line});
  for (uint32_t part = 0; part < a_.longest / 32; ++part) {
    const Value before = w_.u32("add.u32", {column, number(32 * part)});
    const auto tiles = results_[h].begin() + 4 * part;
    if (single_) {
      for (uint32_t i = 0; i < 2; ++i) {
        const Value own = i ? w_.u32("add.u32", {before, "4"}) : before;
        const uint32_t at_word = 2 * half + i;
        w_.op_if(w_.test("setp.lt.and.u32", {own, e_, there}), "st.global.v4.b32",
                 {at(to, 128 * part + 16 * i),
                  list({tiles[0][at_word], tiles[1][at_word], tiles[2][at_word], tiles[3][at_word]})});
      }
      continue;
    }
    std::array<Value, 4> words;
    for (uint32_t i = 0; i < 4; ++i)
      words[i] = w_.u32("cvt.rn." + type() + "x2.f32", {tiles[i][2 * half + 1], tiles[i][2 * half]});
    exchange.run(words.data());
    w_.op_if(w_.test("setp.lt.and.u32", {before, e_, there}), "st.global.v4.b32",
             {at(to, 64 * part), list({words[0], words[1], words[2], words[3]})});
  }
}

void AttentionRows::clear_results() {
  for (uint32_t h = 0; h < a_.high; ++h) {
    results_.push_back(registers(result_tiles_, 4));
    for (const Words& words : results_.back())
      for (const Value& v : words) w_.op("mov.b32", {v, "0"});
  }
  references_ = registers(a_.high, 2);
  sums_ = registers(a_.high, 2);
  for (uint32_t h = 0; h < a_.high; ++h)
    for (uint32_t half = 0; half < 2; ++half) {
      w_.op("mov.b32", {references_[h][half], kMinusLowest});
      w_.op("mov.b32", {sums_[h][half], "0"});
    }
}

Value AttentionRows::sees_all(const Value& first, uint32_t keys) {
  const Value behind = w_.u32("add.u32", {first, number(keys)});
  const Value there = w_.test("setp.le.s32", {behind, n_});
  if (!a_.causal) return there;
  const Value seen = w_.u32("add.u32", {w_.u32("add.u32", {own_row_, shift_}), "1"});
  return w_.test("setp.le.and.s32", {behind, seen, there});
}

void AttentionRows::round_weights(uint32_t h, uint32_t step, const Words& to) {
  for (uint32_t i = 0; i < 4; ++i) {
    const Words& s = scores_[h][2 * step + i / 2];
    w_.op("cvt.rn." + type() + "x2.f32", {to[i], s[i % 2 * 2 + 1], s[i % 2 * 2]});
  }
}

uint32_t attention_shared(const Attention& a) { return a.groups ? shared_of_groups(a) : shared_of_warps(a); }

Module attention_module(const Attention& a) { return a.groups ? attention_of_groups(a) : attention_of_warps(a); }

}  // namespace frit::codegen::ptx
