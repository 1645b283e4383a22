// Leaves out the columns of rows that a mask hides: loops over a row end where the mask begins, and constants fill the
// rest.
//
// A mask makes a hidden score h, which is very low. In a softmax, exp(h - top) is zero wherever the greatest score
// `top` is a finite number far above h, and so are the products of it. Each row tests this and takes all of its columns
// where it does not hold, as in a row without any other score.
#include "passes/schedule/hidden_columns.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "passes/lower/loop_nest.h"
#include "passes/schedule/column_writer.h"
#include "passes/schedule/hidden_scores.h"
#include "passes/schedule/merged_kernels.h"

namespace frit::passes {
namespace {

using namespace ir;

// Scores at or below the first have no weight beside one that is at least kApart greater: exp(-kApart) rounds to zero
// in every type.
constexpr double kHidden = -1000, kApart = 800;
// Loops end at whole vectors. The columns up to there hold the hidden score.
constexpr int64_t kWholeColumns = 64;

// A launch behind it: its loops over columns end where constants begin.
class RowKernel {
 public:
  // `hidden`: the constants in the hidden columns of buffers.
  RowKernel(Kernel& k, const std::map<uint32_t, uint64_t>& hidden, const Dim& length) : k_(k), length_(length) {
    for (const auto& [buffer, bits] : hidden) hidden_[buffer] = {bits, kNoReg};
  }

  // Whether the launch leaves the buffer's hidden columns as they were.
  bool keeps(uint32_t buffer) const {
    const auto found = hidden_.find(buffer);
    return found != hidden_.end() && found->second.begin == kNoReg;
  }

  bool shorten(const Dim& columns) {
    Loop* rows = row_loop(k_);
    if (!rows) return false;
    row_ = rows->var;
    bool changed = false;
    Body body;
    ColumnWriter to(k_, body);
    for (Instr& i : rows->body) {
      auto* loop = std::get_if<Loop>(&i.node);
      if (const auto* s = std::get_if<ScalarInstr>(&i.node); s && s->op == ScalarOp::Const)
        constants_[s->result] = s->imm;
      if (!loop) {
        if (const auto* store = std::get_if<StoreInstr>(&i.node)) hidden_.erase(store->buffer);
      } else if (takes_columns(*loop, length_) && follow(*loop)) {
        write(*loop, columns, to, body);
        changed = true;
        continue;
      } else {
        forget_stores(loop->body);
      }
      body.push_back(std::move(i));
    }
    rows->body = std::move(body);
    return changed;
  }

 private:
  // A register in a hidden column: a constant, or a number far below zero.
  struct Value {
    bool low = false;
    uint64_t bits = 0;
  };
  // The constant of a buffer's last columns, and the first of them if it is not that of the scores.
  struct Filled {
    uint64_t bits;
    Reg begin;
  };
  // The constants hold in a row where `top` is finite and far above `low`; or, without `low`, where it is above zero.
  struct Condition {
    Reg top;
    Dtype type;
    std::optional<uint64_t> low;
  };

  void forget_stores(const Body& body) {
    for (const Instr& i : body) {
      if (const auto* store = std::get_if<StoreInstr>(&i.node)) hidden_.erase(store->buffer);
      if (const auto* loop = std::get_if<Loop>(&i.node)) forget_stores(loop->body);
    }
  }

  bool is_column(uint32_t buffer, const Dim& index, const std::string& var) const {
    return buffer < k_.buffers.size() ? is_column_at(index, Dim::symbol(var), row_, length_)
                                      : index == Dim::symbol(var);
  }

  // Follows the constants through the loop's body. Whether all that it stores and sums up are constants, which change
  // no sum.
  bool follow(const Loop& loop) {
    values_.clear();
    for (const auto& [r, bits] : constants_) values_[r] = {false, bits};
    conditions_.clear();
    stores_.clear();
    begins_.clear();
    inside_.clear();
    bool hides = false;
    for (const Instr& i : loop.body) {
      if (const auto* load = std::get_if<LoadInstr>(&i.node)) {
        inside_.insert(load->result);
        const auto found = hidden_.find(load->buffer);
        if (found == hidden_.end() || !is_column(load->buffer, load->index, loop.var)) continue;
        values_[load->result] = {false, found->second.bits};
        if (found->second.begin != kNoReg) begins_.insert(found->second.begin);
        hides = true;
      }
      if (const auto* index = std::get_if<IndexInstr>(&i.node)) inside_.insert(index->result);
      if (const auto* s = std::get_if<ScalarInstr>(&i.node)) {
        inside_.insert(s->result);
        if (const auto value = result(*s)) values_[s->result] = *value;
      }
      if (const auto* store = std::get_if<StoreInstr>(&i.node)) {
        const auto found = values_.find(store->value);
        if (store->mask != kNoReg || found == values_.end() || found->second.low ||
            !is_column(store->buffer, store->index, loop.var))
          return false;
        stores_.emplace_back(*store, found->second.bits);
      }
    }
    return hides && std::all_of(loop.accumulators.begin(), loop.accumulators.end(), [&](const Accumulator& a) {
             const auto found = values_.find(a.value);
             if (found == values_.end() || found->second.low || !is_float(a.type)) return false;
             if (a.combine == Combine::Sum) return found->second.bits == 0;
             return a.combine == Combine::Max && bits_to_double(a.type, found->second.bits) <= kHidden;
           });
  }

  const Value* value(Reg r) const {
    const auto found = values_.find(r);
    return found == values_.end() ? nullptr : &found->second;
  }

  std::optional<Value> result(const ScalarInstr& s) {
    if (s.op == ScalarOp::Const) return Value{false, s.imm};
    const Value* x = value(s.args[0]);
    if (!x) return std::nullopt;
    const Dtype from = k_.reg_types[s.args[0]];
    if (!is_float(from)) return std::nullopt;
    if (s.op == ScalarOp::Cast && is_float(s.type))
      return x->low ? *x : Value{false, converted_bits(s.type, from, x->bits)};
    if (s.op == ScalarOp::Exp && x->low) return Value{};
    if (x->low || arity(s.op) != 2) return std::nullopt;
    const Reg top = s.args[1];
    if (inside_.contains(top) || constants_.contains(top)) return std::nullopt;
    if (s.op == ScalarOp::Sub && bits_to_double(from, x->bits) <= kHidden) {
      conditions_.push_back({top, s.type, x->bits});
      return Value{true, 0};
    }
    if (s.op == ScalarOp::Div && x->bits == 0) {
      conditions_.push_back({top, s.type, std::nullopt});
      return Value{};
    }
    return std::nullopt;
  }

  void write(Loop& loop, const Dim& columns, ColumnWriter& to, Body& body) {
    const Dim whole = min(floor_div(columns + Dim(kWholeColumns - 1), kWholeColumns) * Dim(kWholeColumns), length_);
    Reg end = to.index(k_.facts.simplify(whole));
    for (Reg begin : begins_) end = to.binary(ScalarOp::Max, int64, end, begin);
    for (const Condition& c : conditions_) {
      const auto number = [&](double n) { return to.number(c.type, double_to_bits(c.type, n)); };
      Reg holds;
      if (c.low) {
        const Reg apart = to.binary(ScalarOp::Sub, c.type, c.top, to.number(c.type, *c.low));
        const Reg far = to.binary(ScalarOp::Gt, bool_, apart, number(kApart));
        const Reg finite = to.binary(ScalarOp::Lt, bool_, c.top, number(std::numeric_limits<double>::infinity()));
        holds = to.binary(ScalarOp::And, bool_, far, finite);
      } else {
        holds = to.binary(ScalarOp::Gt, bool_, c.top, number(0));
      }
      end = to.scalar(ScalarOp::Select, int64, {holds, end, to.index(length_)});
    }
    const Dim kept = to.bind("kept", end, length_);
    const Loop like = loop;
    loop.extent = kept;
    std::vector<std::pair<Reg, const Accumulator*>> greatest;
    for (Accumulator& a : loop.accumulators)
      if (a.combine == Combine::Max) {
        a.result = k_.new_reg(a.type);
        greatest.emplace_back(a.result, &like.accumulators[static_cast<size_t>(&a - loop.accumulators.data())]);
      }
    body.push_back({std::move(loop)});
    for (const auto& [r, a] : greatest) {
      const Reg hidden = to.number(a->type, values_[a->value].bits);
      body.push_back({ScalarInstr{a->result, ScalarOp::Max, a->type, {r, hidden, kNoReg}}});
    }
    for (const auto& [store, bits] : stores_) {
      to.fill(like, store, bits, kept, length_);
      hidden_[store.buffer] = {bits, end};
    }
  }

  Kernel& k_;
  const Dim length_;
  std::string row_;
  std::map<uint32_t, Filled> hidden_;
  std::map<Reg, uint64_t> constants_;  // of the row
  // Of the loop in work.
  std::map<Reg, Value> values_;
  std::set<Reg> inside_, begins_;
  std::vector<Condition> conditions_;
  std::vector<std::pair<StoreInstr, uint64_t>> stores_;
};

// The launches behind the product at step `first`, its epilogue among them: at most `most`.
std::vector<KernelStep*> launches_behind(Program& p, size_t first, size_t most) {
  std::vector<KernelStep*> launches;
  auto& product = std::get<LibraryStep>(p.steps[first]);
  if (product.epilogue) launches.push_back(&*product.epilogue);
  for (size_t i = first + 1; i < p.steps.size() && launches.size() < most; ++i) {
    auto* launch = std::get_if<KernelStep>(&p.steps[i]);
    if (!launch) break;
    launches.push_back(launch);
  }
  return launches;
}

// Their kernels, and which of their buffers are the same.
std::vector<size_t> pattern_of(const std::vector<KernelStep*>& launches) {
  std::vector<size_t> pattern;
  std::map<uint32_t, size_t> numbers;
  for (const KernelStep* launch : launches) {
    pattern.push_back(launch->kernel);
    for (uint32_t b : launch->buffers) pattern.push_back(numbers.try_emplace(b, numbers.size()).first->second);
  }
  return pattern;
}

// Whether all launches of these kernels stand behind products in the same way: a softmax whose scores another product
// leaves unmasked may have the kernel of one behind a mask.
bool serve_alone(Program& p, const std::vector<KernelStep*>& launches) {
  const std::vector<size_t> pattern = pattern_of(launches);
  std::set<uint32_t> kernels;
  for (const KernelStep* launch : launches) kernels.insert(launch->kernel);
  if (kernels.size() < launches.size()) return false;
  std::set<const KernelStep*> alike;
  for (size_t i = 0; i < p.steps.size(); ++i) {
    if (!std::holds_alternative<LibraryStep>(p.steps[i])) continue;
    const std::vector<KernelStep*> behind = launches_behind(p, i, launches.size());
    if (pattern_of(behind) == pattern) alike.insert(behind.begin(), behind.end());
  }
  bool alone = true;
  each_launch(p, [&](KernelStep& launch, bool) {
    const bool changes = kernels.contains(launch.kernel);
    alone = alone && (!changes || (alike.contains(&launch) && launch.sizes.empty()));
  });
  return alone;
}

}  // namespace

bool leave_out_hidden_columns(Program& p, const RowStream& stream) {
  const auto& product = std::get<LibraryStep>(p.steps[stream.first]);
  const size_t between = stream.last - stream.first - 1, epilogues = product.epilogue ? 1 : 0;
  const std::vector<KernelStep*> launches = launches_behind(p, stream.first, between + epilogues);
  if (!serve_alone(p, launches)) return false;
  const Dim length = product.results[0].layout.shape.back();
  const KernelStep& first = *launches.front();
  const auto scores = std::find(first.buffers.begin(), first.buffers.end(), stream.scores);
  if (scores == first.buffers.end()) return false;
  const auto number = static_cast<uint32_t>(scores - first.buffers.begin());
  const auto row_of = [](const Kernel& k) { return Dim::symbol(parallel_loop(k)->var); };
  Kernel& mask = p.kernels[first.kernel];
  const auto needed = needed_columns(mask, number, length);
  if (!needed) return false;
  const std::string row(kRowSymbol);
  const auto columns = [&](const Kernel& k) {
    DimFacts facts = k.facts;
    facts.set_loop(parallel_loop(k)->var, parallel_loop(k)->extent);
    return facts.simplify(min(max(needed->substitute(row, row_of(k)), Dim(0)), length));
  };
  const auto hidden = hide_scores(mask, number, length, columns(mask));
  if (!hidden) return false;
  std::map<uint32_t, uint64_t> by_buffer{{stream.scores, *hidden}};
  for (size_t i = 1; i < launches.size(); ++i) {
    const std::vector<uint32_t>& buffers = launches[i]->buffers;
    // Names of one memory would hide what is stored by the other one.
    if (std::set(buffers.begin(), buffers.end()).size() < buffers.size()) return true;
    std::map<uint32_t, uint64_t> known;
    for (uint32_t b = 0; b < buffers.size(); ++b)
      if (const auto found = by_buffer.find(buffers[b]); found != by_buffer.end()) known[b] = found->second;
    Kernel& k = p.kernels[launches[i]->kernel];
    RowKernel work(k, known, length);
    work.shorten(columns(k));
    for (const auto& [b, bits] : known)
      if (!work.keeps(b)) by_buffer.erase(buffers[b]);
  }
  return true;
}

}  // namespace frit::passes
