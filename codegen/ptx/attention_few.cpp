// Few rows: they take as long as reading their keys and values, each once for all rows.
//
// A team of threads shares a key, each 16 bytes of it and of its row of the last operand. Teams go over keys that lie
// apart, several at once, and none waits for another one before the end, when all are joined: teams of a warp by
// shuffles, warps in shared memory.
#include <algorithm>

#include "codegen/ptx/attention_rows.h"

namespace frit::codegen::ptx {

namespace {

constexpr uint32_t kOwn = 8;  // elements of 16 bytes, which a thread takes

class FewRows : AttentionRows {
 public:
  explicit FewRows(const FewAttention& f)
      : AttentionRows({false, f.element, AttentionMask::None, f.causal, f.longest, 1, 1, 1, 16, 2}, 16),
        f_(f),
        lanes_(f.longest / kOwn),
        teams_(f.teams()),
        warps_(f.threads() / 32),
        ahead_(f.ahead()) {}

  Module run();

 private:
  using Floats = std::vector<Words>;  // of each row, or of each key
  void place();
  Words floats(const Words& words);
  void turn();
  void add_scores(const std::vector<Words>& keys, Floats& scores);
  void join();
  void store(uint32_t row);
  uint32_t slot_bytes() const { return (f_.longest + 4) * 4; }  // of a warp and a row: top, sum, and results

  const FewAttention f_;
  const uint32_t lanes_, teams_, warps_, ahead_;
  Value in_team_, first_, count_, batch_, part_, batches_, key_, d_inside_, e_inside_, shared_lane_;
  Floats q_, results_of_, tops_;  // tops and sums of each row
};

Module FewRows::run() {
  place();
  for (uint32_t r = 0; r < f_.rows; ++r) {
    const Value row = w_.u32("min.u32", {number(r), w_.u32("sub.u32", {m_, "1"})});
    const Value line = w_.u64("mad.lo.u64", {w_.u64("cvt.u64.u32", {row}), w_.parameter(P::kPitchA), a_at_});
    const Value from = w_.u64("mad.wide.u32", {in_team_, "16", line});
    const Words words = registers(1, 4)[0];
    for (const Value& v : words) w_.op("mov.b32", {v, "0"});
    w_.op_if(d_inside_, "ld.global.nc.v4.b32", {list(words), at(from)});
    q_.push_back(floats(words));
    for (Value& v : q_.back()) v = f32("mul.f32", {v, scale_});
    results_of_.push_back(registers(1, kOwn)[0]);
    for (const Value& v : results_of_.back()) w_.op("mov.b32", {v, "0"});
    tops_.push_back({w_.u32("mov.b32", {"0fFF61B1E6"}), w_.u32("mov.b32", {"0"})});
  }
  const Value again = w_.label(), done = w_.label(), from = w_.u32("mov.u32", {"0"});
  w_.jump_if(w_.test("setp.ge.s32", {from, count_}), done);
  w_.place(again);
  turn();
  w_.op("add.u32", {key_, key_, number(teams_ * ahead_)});
  w_.op("add.u32", {from, from, number(teams_ * ahead_)});
  w_.jump_if(w_.test("setp.lt.s32", {from, count_}), again);
  w_.place(done);
  join();
  w_.op("ret", {});
  const size_t parameters = f_.split ? P::kSplitCount : P::kCount;
  return {w_.finish({"sm_80", "attention_few", parameters, f_.threads(), f_.rows * warps_ * slot_bytes(), 16}),
          "attention_few", f_.threads()};
}

void FewRows::place() {
  thread_ = w_.u32("mov.u32", {"%tid.x"});
  shared_ = w_.u32("mov.u32", {Writer::kShared});
  lane_ = w_.u32("and.b32", {thread_, "31"});
  in_team_ = w_.u32("and.b32", {thread_, number(lanes_ - 1)});
  key_ = w_.u32("div.u32", {thread_, number(lanes_)});
  m_ = w_.low_parameter(P::kRowCount);
  d_ = w_.low_parameter(P::kDepth);
  n_ = w_.low_parameter(P::kKeyCount);
  e_ = w_.low_parameter(P::kBreadth);
  scale_ = w_.low_parameter(P::kScale);
  batch_ = w_.u32("mov.u32", {"%ctaid.x"});
  first_ = w_.u32("mov.u32", {"0"});
  count_ = n_;
  if (f_.split) {
    batches_ = w_.u32("div.u32", {w_.u32("mov.u32", {"%nctaid.x"}), w_.low_parameter(P::kParts)});
    part_ = w_.u32("div.u32", {batch_, batches_});
    batch_ = w_.u32("sub.u32", {batch_, w_.u32("mul.lo.u32", {part_, batches_})});
    const Value each = w_.low_parameter(P::kEach);
    first_ = w_.u32("mul.lo.u32", {part_, each});
    count_ = w_.u32("min.s32", {each, w_.u32("sub.u32", {n_, first_})});
  }
  addresses(batch_);
  const Value x = w_.u32("shl.b32", {in_team_, "3"});
  d_inside_ = w_.test("setp.lt.u32", {x, d_});
  e_inside_ = w_.test("setp.lt.u32", {x, e_});
  for (Value* address : {&b_at_, &c_at_}) {
    const Value pitch = w_.parameter(address == &b_at_ ? P::kPitchB : P::kPitchC);
    const Value line = w_.u64("mad.lo.u64", {w_.u64("cvt.u64.u32", {first_}), pitch, *address});
    *address = w_.u64("mad.wide.u32", {in_team_, "16", line});
  }
}

AttentionRows::Words FewRows::floats(const Words& words) {
  Words all;
  for (const Value& word : words) {
    if (f_.element == Element::Bfloat) {
      all.push_back(w_.u32("shl.b32", {word, "16"}));
      all.push_back(w_.u32("and.b32", {word, "0xffff0000"}));
      continue;
    }
    const Value low = w_.reg(Writer::Bits16), high = w_.reg(Writer::Bits16);
    w_.op("mov.b32", {list({low, high}), word});
    for (const Value& half : {low, high}) all.push_back(f32("cvt.f32.f16", {half}));
  }
  return all;
}

// Products of a key, added by the team.
void FewRows::add_scores(const std::vector<Words>& keys, Floats& scores) {
  for (uint32_t t = 0; t < ahead_; ++t) {
    const Words key = floats(keys[t]);
    for (uint32_t r = 0; r < f_.rows; ++r) {
      Value sum = f32("mul.f32", {q_[r][0], key[0]});
      for (uint32_t i = 1; i < kOwn; ++i) sum = f32("fma.rn.f32", {q_[r][i], key[i], sum});
      for (uint32_t x = lanes_ / 2; x > 0; x /= 2)
        sum = f32("add.f32", {sum, w_.u32("shfl.sync.bfly.b32", {sum, number(x), "31", "0xffffffff"})});
      scores[r].push_back(sum);
    }
  }
}

void FewRows::turn() {
  std::vector<Words> b, c;
  Words there;
  const Value b_pitch = w_.parameter(P::kPitchB), c_pitch = w_.parameter(P::kPitchC);
  for (uint32_t t = 0; t < ahead_; ++t) {
    const Value j = t ? w_.u32("add.u32", {key_, number(t * teams_)}) : key_, wide = w_.u64("cvt.u64.u32", {j});
    there.push_back(w_.test("setp.lt.s32", {j, count_}));
    for (const bool last : {false, true}) {
      const Value inside = w_.test("setp.lt.and.s32", {j, count_, last ? e_inside_ : d_inside_});
      const Value from = w_.u64("mad.lo.u64", {wide, last ? c_pitch : b_pitch, last ? c_at_ : b_at_});
      (last ? c : b).push_back(registers(1, 4)[0]);
      const Words& to = (last ? c : b).back();
      for (const Value& v : to) w_.op("mov.b32", {v, "0"});
      w_.op_if(inside, "ld.global.nc.v4.b32", {list(to), at(from)});
    }
  }
  Floats scores(f_.rows);
  add_scores(b, scores);
  for (uint32_t r = 0; r < f_.rows; ++r) {
    const Value &top = tops_[r][0], &sum = tops_[r][1];
    Value next = top;
    for (uint32_t t = 0; t < ahead_; ++t) {
      Value& score = scores[r][t];
      score = w_.u32("selp.b32", {score, kUnseen, there[t]});
      if (f_.causal) {
        const Value j = w_.u32("add.u32", {w_.u32("add.u32", {key_, first_}), number(t * teams_)});
        const Value seen = w_.u32("add.u32", {w_.u32("sub.u32", {n_, m_}), number(r)});
        score = w_.u32("selp.b32", {kUnseen, score, w_.test("setp.gt.s32", {j, seen})});
      }
      next = f32("max.f32", {next, score});
    }
    const Value change = f32("ex2.approx.ftz.f32", {f32("sub.f32", {top, next})});
    w_.op("mov.b32", {top, next});
    w_.op("mul.f32", {sum, sum, change});
    for (const Value& v : results_of_[r]) w_.op("mul.f32", {v, v, change});
    for (Value& score : scores[r]) {
      score = f32("ex2.approx.ftz.f32", {f32("sub.f32", {score, next})});
      w_.op("add.f32", {sum, sum, score});
    }
  }
  for (uint32_t t = 0; t < ahead_; ++t) {
    const Words value = floats(c[t]);
    for (uint32_t r = 0; r < f_.rows; ++r)
      for (uint32_t i = 0; i < kOwn; ++i)
        w_.op("fma.rn.f32", {results_of_[r][i], scores[r][t], value[i], results_of_[r][i]});
  }
}

// A warp's first team writes what all of its teams have.
void FewRows::join() {
  const auto other = [&](const Value& v, uint32_t x) {
    return w_.u32("shfl.sync.bfly.b32", {v, number(x), "31", "0xffffffff"});
  };
  const Value writes = w_.test("setp.lt.u32", {lane_, number(lanes_)}), warp = w_.u32("shr.u32", {thread_, "5"});
  for (uint32_t r = 0; r < f_.rows; ++r) {
    Value most = tops_[r][0];
    for (uint32_t x = lanes_; x < 32; x *= 2) most = f32("max.f32", {most, other(most, x)});
    const Value factor = f32("ex2.approx.ftz.f32", {f32("sub.f32", {tops_[r][0], most})});
    Words all{tops_[r][1]};
    all.insert(all.end(), results_of_[r].begin(), results_of_[r].end());
    for (Value& v : all) {
      v = f32("mul.f32", {v, factor});
      for (uint32_t x = lanes_; x < 32; x *= 2) v = f32("add.f32", {v, other(v, x)});
    }
    const Value slot = w_.u32(
        "mad.lo.u32", {warp, number(slot_bytes()), w_.u32("add.u32", {shared_, number(r * warps_ * slot_bytes())})});
    w_.op_if(writes, "st.shared.v2.b32", {at(slot), list({most, all[0]})});
    const Value own = w_.u32("mad.lo.u32", {in_team_, "32", slot});
    for (uint32_t i = 0; i < 2; ++i)
      w_.op_if(writes, "st.shared.v4.b32",
               {at(own, 16 + 16 * i), list({all[1 + 4 * i], all[2 + 4 * i], all[3 + 4 * i], all[4 + 4 * i]})});
  }
  w_.op("bar.sync", {"0"});
  const Value end = w_.label();
  w_.jump_if(w_.test("setp.ge.u32", {thread_, e_}), end);
  for (uint32_t r = 0; r < f_.rows; ++r) {
    if (r) w_.jump_if(w_.test("setp.le.u32", {m_, number(r)}), end);
    store(r);
  }
  w_.place(end);
}

// Element `thread` of a row, from all warps.
void FewRows::store(uint32_t row) {
  const auto slot = [&](uint32_t warp) { return (row * warps_ + warp) * slot_bytes(); };
  std::vector<Words> stats;
  for (uint32_t i = 0; i < warps_; ++i) {
    stats.push_back(registers(1, 2)[0]);
    w_.op("ld.shared.v2.b32", {list(stats[i]), at(shared_, slot(i))});
  }
  Value most = stats[0][0];
  for (uint32_t i = 1; i < warps_; ++i) most = f32("max.f32", {most, stats[i][0]});
  const Value own = w_.u32("mad.lo.u32", {thread_, "4", shared_});
  Value sum = w_.u32("mov.b32", {"0"}), all = w_.u32("mov.b32", {"0"});
  for (uint32_t i = 0; i < warps_; ++i) {
    const Value weight = f32("ex2.approx.ftz.f32", {f32("sub.f32", {stats[i][0], most})});
    sum = f32("fma.rn.f32", {weight, stats[i][1], sum});
    all = f32("fma.rn.f32", {weight, w_.u32("ld.shared.b32", {at(own, slot(i) + 16)}), all});
  }
  const Value before = f_.split ? w_.u32("mad.lo.u32", {part_, batches_, batch_}) : batch_;
  const Value lines = w_.u64("add.u64", {w_.u64("mul.wide.u32", {before, m_}), number(row)});
  const Value wide_e = w_.u64("cvt.u64.u32", {e_}), x = w_.u64("cvt.u64.u32", {thread_});
  const Value element = w_.u64("mad.lo.u64", {lines, wide_e, x}), result = w_.parameter(P::kOfResult);
  if (f_.split) {
    w_.op("st.global.b32", {at(w_.u64("mad.lo.u64", {element, "4", result})), all});
    const Value to = w_.u64("mad.lo.u64", {lines, "8", w_.parameter(P::kStats)});
    w_.op_if(w_.test("setp.eq.u32", {thread_, "0"}), "st.global.v2.b32", {at(to), list({most, sum})});
    return;
  }
  const Value half = w_.reg(Writer::Bits16);
  w_.op("cvt.rn." + type() + ".f32", {half, f32("mul.f32", {all, f32("rcp.rn.f32", {sum})})});
  w_.op("st.global.b16", {at(w_.u64("mad.lo.u64", {element, "2", result})), half});
}

}  // namespace

Module few_attention_module(const FewAttention& f) { return FewRows(f).run(); }

}  // namespace frit::codegen::ptx
