// The launch that hides scores.
#include "passes/schedule/hidden_scores.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "passes/lower/loop_nest.h"
#include "passes/schedule/column_writer.h"
#include "passes/schedule/operands.h"

namespace frit::passes {
namespace {

using namespace ir;

// The launch that hides scores.
class MaskKernel {
 public:
  MaskKernel(Kernel& k, uint32_t scores, const Dim& length) : k_(k), scores_(scores), length_(length) {}

  std::optional<uint64_t> cut(const Dim& columns) {
    Loop* rows = row_loop(k_);
    loop_ = rows && !rows->body.empty() ? std::get_if<Loop>(&rows->body.back().node) : nullptr;
    if (!loop_ || !takes_columns(*loop_, length_) || !loop_->accumulators.empty()) return std::nullopt;
    Body front(rows->body.begin(), rows->body.end() - 1);
    if (!is_straight_line(front)) return std::nullopt;
    for (const Instr& i : front) constant(i);
    if (!find_accesses(rows->var) || !find_choice()) return std::nullopt;
    const auto hidden = stored(choice_->result, hidden_);
    if (!hidden) return std::nullopt;
    const StoreInstr store = *store_;
    const Loop like = *loop_;
    // Beside another condition the choice stays.
    const bool chooses = !is_compared(choice_->args[0]);
    const bool same = !chooses && is_same();
    ColumnWriter to(k_, front);
    const Dim kept = to.bind("kept", to.index(columns), length_);
    if (!same) front.push_back({kept_loop(like, kept, chooses)});
    to.fill(like, store, *hidden, kept, length_);
    rows->body = std::move(front);
    if (same) k_.buffers[scores_].read = false;
    return hidden;
  }

 private:
  void constant(const Instr& i) {
    const auto* s = std::get_if<ScalarInstr>(&i.node);
    if (!s) return;
    if (s->op == ScalarOp::Const) constants_[s->result] = s->imm;
    if (s->op == ScalarOp::Cast)
      if (const auto found = constants_.find(s->args[0]); found != constants_.end())
        constants_[s->result] = converted_bits(s->type, k_.reg_types[s->args[0]], found->second);
  }

  // One load of a score, and one store in its place.
  bool find_accesses(const std::string& row) {
    const Dim column = Dim::symbol(loop_->var);
    for (const Instr& i : loop_->body) {
      constant(i);
      if (const auto* load = std::get_if<LoadInstr>(&i.node); load && load->buffer == scores_) {
        if (load_ || !is_column_at(load->index, column, row, length_)) return false;
        load_ = load;
      }
      if (const auto* store = std::get_if<StoreInstr>(&i.node)) {
        if (store_ || store->buffer != scores_ || store->mask != kNoReg ||
            !is_column_at(store->index, column, row, length_))
          return false;
        store_ = store;
      }
    }
    return load_ && store_;
  }

  // The choice between what follows from the score and a constant.
  bool find_choice() {
    std::set<Reg> values{load_->result};
    for (const Instr& i : loop_->body) {
      const auto* s = std::get_if<ScalarInstr>(&i.node);
      if (!s) continue;
      const auto follows = [&](size_t a) { return values.contains(s->args[a]); };
      const auto is_constant = [&](size_t a) { return constants_.contains(s->args[a]); };
      if (s->op == ScalarOp::Select && !follows(0))
        for (size_t a : {1u, 2u})
          if (follows(a) && is_constant(3 - a) && !choice_) {
            choice_ = s;
            kept_ = s->args[a];
            hidden_ = constants_[s->args[3 - a]];
          }
      for (size_t a = 0; a < static_cast<size_t>(arity(s->op)); ++a)
        if (follows(a)) values.insert(s->result);
    }
    return choice_ != nullptr;
  }

  bool is_compared(Reg condition) const {
    return std::any_of(loop_->body.begin(), loop_->body.end(), [&](const Instr& i) {
      const auto* s = std::get_if<ScalarInstr>(&i.node);
      return s && s->result == condition && s->op != ScalarOp::And && s->op != ScalarOp::Or;
    });
  }

  // The bits that are stored where the register has these and is converted at most.
  std::optional<uint64_t> stored(Reg r, uint64_t bits) const {
    std::map<Reg, uint64_t> values{{r, bits}};
    for (const Instr& i : loop_->body) {
      const auto* s = std::get_if<ScalarInstr>(&i.node);
      if (!s || s->op != ScalarOp::Cast) continue;
      if (const auto found = values.find(s->args[0]); found != values.end())
        values[s->result] = converted_bits(s->type, k_.reg_types[s->args[0]], found->second);
    }
    const auto found = values.find(store_->value);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  }

  // Whether a kept score is stored as it was: it is converted to a wider type and back at most.
  bool is_same() const {
    const Dtype t = k_.reg_types[load_->result];
    std::set<Reg> same{load_->result};
    for (const Instr& i : loop_->body) {
      const auto* s = std::get_if<ScalarInstr>(&i.node);
      if (!s) continue;
      const bool converts = s->op == ScalarOp::Cast && same.contains(s->args[0]) &&
                            (s->type == t || s->type == float32 || s->type == float64);
      if (converts || (s == choice_ && same.contains(kept_))) same.insert(s->result);
    }
    return same.contains(store_->value);
  }

  Loop kept_loop(Loop loop, const Dim& kept, bool chooses) const {
    loop.extent = kept;
    if (chooses) return loop;
    const Reg chosen = choice_->result;
    std::erase_if(loop.body, [&](const Instr& i) {
      const auto* s = std::get_if<ScalarInstr>(&i.node);
      return s && s->result == chosen;
    });
    for (Instr& i : loop.body) for_each_operand(i, [&](Reg& r) { r = r == chosen ? kept_ : r; });
    return loop;
  }

  Kernel& k_;
  const uint32_t scores_;
  const Dim length_;
  const Loop* loop_ = nullptr;
  const LoadInstr* load_ = nullptr;
  const StoreInstr* store_ = nullptr;
  const ScalarInstr* choice_ = nullptr;
  Reg kept_ = kNoReg;
  uint64_t hidden_ = 0;
  std::map<Reg, uint64_t> constants_;
};

}  // namespace

std::optional<uint64_t> hide_scores(Kernel& k, uint32_t scores, const Dim& length, const Dim& columns) {
  return MaskKernel(k, scores, length).cut(columns);
}

}  // namespace frit::passes
