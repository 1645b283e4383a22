// Each element's copy of a loop's body has registers of its own; accumulators become operations between the copies.
#include "passes/schedule/short_columns.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <utility>
#include <vector>

#include "passes/lower/loop_nest.h"
#include "passes/schedule/grid_columns.h"

namespace frit::passes {

using namespace ir;

namespace {

constexpr int64_t kShortColumn = 8;                 // of a column
constexpr int64_t kManyColumns = int64_t{1} << 17;  // fewer of them have an invocation each
constexpr size_t kShortColumnsBody = 120;           // of all elements

class ShortColumns {
 public:
  explicit ShortColumns(Kernel& k) : k_(k) {}

  bool fits() const {
    const Loop* columns = parallel_loop(k_);
    if (!columns || !k_.locals.empty() || k_.facts.range(columns->extent).low < kManyColumns) return false;
    size_t instructions = 0;
    for (const Instr& i : columns->body) {
      ++instructions;
      if (std::holds_alternative<BindInstr>(i.node)) return false;
      auto* loop = std::get_if<Loop>(&i.node);
      if (!loop) continue;
      if (!loop->carries.empty() || contains_loop(loop->body) || !loop->extent.is_const()) return false;
      // The places of truth values have no order by comparisons.
      const bool truths = std::any_of(loop->accumulators.begin(), loop->accumulators.end(),
                                      [](const Accumulator& a) { return a.position != kNoReg && a.type == bool_; });
      if (truths) return false;
      const int64_t n = loop->extent.value();
      if (n < 1 || n > kShortColumn) return false;
      // Columns that are stored, as of a softmax, would be loaded again by each loop.
      const bool more = std::any_of(loop->body.begin(), loop->body.end(), [](const Instr& in) {
        return std::holds_alternative<BindInstr>(in.node) || std::holds_alternative<StoreInstr>(in.node);
      });
      if (more) return false;
      instructions += static_cast<size_t>(n) * (loop->body.size() + loop->accumulators.size());
    }
    return instructions <= kShortColumnsBody && goes_along_columns(k_);
  }

  void run() {
    auto& columns = std::get<Loop>(k_.body[position_of_columns()].node);
    for (Instr& i : std::exchange(columns.body, {})) {
      auto* loop = std::get_if<Loop>(&i.node);
      if (!loop)
        out_.push_back(std::move(i));
      else
        write_out(*loop);
    }
    columns.body = std::move(out_);
  }

 private:
  size_t position_of_columns() const {
    const auto at = std::find_if(k_.body.begin(), k_.body.end(), [](const Instr& i) {
      auto* loop = std::get_if<Loop>(&i.node);
      return loop && loop->kind == LoopKind::Parallel;
    });
    return static_cast<size_t>(at - k_.body.begin());
  }

  Reg reg(Dtype type) {
    k_.reg_types.push_back(type);
    return static_cast<Reg>(k_.reg_types.size() - 1);
  }
  Reg scalar(ScalarOp op, Dtype type, std::array<Reg, 3> args, uint64_t imm = 0) {
    const Reg result = reg(type);
    out_.push_back({ScalarInstr{result, op, type, args, imm}});
    return result;
  }

  // The values of one element's copy of a body.
  using Names = std::map<Reg, Reg>;
  static Reg of(const Names& names, Reg r) {
    const auto found = names.find(r);
    return found == names.end() ? r : found->second;
  }

  void copy(const Instr& i, const Loop& loop, int64_t element, Names& names) {
    const auto at = [&](const Dim& d) { return k_.facts.simplify(d.substitute(loop.var, Dim(element))); };
    const auto fresh = [&](Reg& result) { result = names[result] = reg(k_.reg_types[result]); };
    Instr copied = i;
    if (auto* s = std::get_if<ScalarInstr>(&copied.node)) {
      for (Reg& a : s->args)
        if (a != kNoReg) a = of(names, a);
      fresh(s->result);
    } else if (auto* x = std::get_if<IndexInstr>(&copied.node)) {
      x->index = at(x->index);
      fresh(x->result);
    } else if (auto* l = std::get_if<LoadInstr>(&copied.node)) {
      l->index = at(l->index);
      if (l->mask != kNoReg) l->mask = of(names, l->mask);
      fresh(l->result);
    }
    out_.push_back(std::move(copied));
  }

  void write_out(const Loop& loop) {
    std::vector<Names> elements(static_cast<size_t>(loop.extent.value()));
    for (size_t e = 0; e < elements.size(); ++e)
      for (const Instr& i : loop.body) copy(i, loop, static_cast<int64_t>(e), elements[e]);
    for (const Accumulator& a : loop.accumulators) {
      a.position == kNoReg ? fold(loop, a, elements) : place(a, elements);
      std::get<ScalarInstr>(out_.back().node).result = a.result;
    }
  }

  // As lanes are folded: each takes its value, lanes without one stay at the identity, and halves are combined. The
  // last instruction gives the result.
  void fold(const Loop& loop, const Accumulator& a, const std::vector<Names>& elements) {
    const ScalarOp op = combine_op(a.combine);
    const size_t lanes =
        std::clamp<size_t>(std::bit_ceil(elements.size()), 1, static_cast<size_t>(std::max(loop.lanes, 1)));
    const Reg identity = scalar(ScalarOp::Const, a.type, {kNoReg, kNoReg, kNoReg}, combine_identity(a.combine, a.type));
    std::vector<Reg> states(lanes, identity);
    for (size_t e = 0; e < elements.size(); ++e) {
      Reg& state = states[e % lanes];
      state = scalar(op, a.type, {state, of(elements[e], a.value), kNoReg});
    }
    for (size_t h = lanes / 2; h > 0; h /= 2)
      for (size_t j = 0; j < h; ++j) states[j] = scalar(op, a.type, {states[j], states[j + h], kNoReg});
  }

  // The first of the most extreme ones, and the first NaN where there is one. The last instruction gives the result.
  void place(const Accumulator& a, const std::vector<Names>& elements) {
    Reg best = of(elements[0], a.value), at = of(elements[0], a.position);
    for (size_t e = 1; e < elements.size(); ++e) {
      const Reg value = of(elements[e], a.value);
      const bool most = a.combine == Combine::ArgMax;
      Reg more = scalar(ScalarOp::Lt, bool_, {most ? best : value, most ? value : best, kNoReg});
      if (is_float(a.type)) {
        const Reg none = scalar(ScalarOp::Ne, bool_, {value, value, kNoReg}),
                  number = scalar(ScalarOp::Eq, bool_, {best, best, kNoReg});
        more = scalar(ScalarOp::Or, bool_, {more, scalar(ScalarOp::And, bool_, {none, number, kNoReg}), kNoReg});
      }
      best = scalar(ScalarOp::Select, a.type, {more, value, best});
      at = scalar(ScalarOp::Select, int64, {more, of(elements[e], a.position), at});
    }
    if (elements.size() == 1) scalar(ScalarOp::Cast, int64, {at, kNoReg, kNoReg});
  }

  Kernel& k_;
  Body out_;
};

}  // namespace

bool write_out_short_columns(Kernel& k) {
  ShortColumns columns(k);
  if (!columns.fits()) return false;
  columns.run();
  return true;
}

}  // namespace frit::passes
