// sink: moves elementwise work on scanned arrays into the loop that reads it.
//
// An array that only one scan reads, and that is computed place by place, is computed a position in each step: it takes
// no memory then, and each element is computed once as before. The cotangent of a loss of stacked states is such an
// array. Expensive operations stay before the loop, where threads share them, and so does work on several arrays, which
// would live as long as the loop in the place of one, and arrays that a routine reads in the steps.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/graph/graph.h"
#include "passes/manager/pass.h"
#include "passes/transform/control.h"

namespace frit::passes {
namespace {

using namespace ir;

// How a step reads an operand of the loop, in the order of the operands.
enum class Read : uint8_t { State, Position, Whole };

// A scan as it is rebuilt: its body, whose parameters are `outside_` in the function around it.
class SinkInto {
 public:
  // `uses`: of each value of `f`.
  SinkInto(Function& f, uint32_t index, std::vector<uint32_t>& uses, PassContext& context)
      : f_(f), index_(index), op_(f.ops[index]), uses_(uses), context_(context) {
    const LoopParts parts(op_.attrs, op_.operands.size());
    for (size_t i = 0; i < op_.operands.size(); ++i) {
      outside_.push_back(op_.operands[i]);
      read_.push_back(i < parts.carried ? Read::State : i < parts.first_captured() ? Read::Position : Read::Whole);
    }
  }

  Result<bool> run() {
    if (std::none_of(read_.begin(), read_.end(), [](Read r) { return r == Read::Position; })) return false;
    body_ = opened(std::get<Region>(*op_.attrs.find("body")), f_);
    bool changed = false;
    // Operands of what was moved are behind it.
    for (size_t i = 0; i < outside_.size(); ++i)
      if (read_[i] == Read::Position && may_sink(outside_[i]) && fuses(body_.params[i])) {
        FRIT_TRY(sink(i));
        changed = true;
      }
    if (!changed) return false;
    FRIT_TRY(rebuild());
    return true;
  }

 private:
  // A value as a step makes it of an operand: `from` read so, and stretched if it is smaller; or a constant.
  struct Source {
    ValueId from;
    Read read;
  };

  // Null where each position of axis 0 does not follow from one of the operand's, or from all of a smaller one.
  std::optional<Source> source_of(ValueId operand) const {
    static const OpDef& broadcast = ir::op("broadcast");
    const Op* def = f_.def_of(operand);
    if (!def || def->def != &broadcast) return Source{operand, Read::Position};
    const ValueId small = def->operands[0];
    if (f_.type(small).shape.size() < f_.type(operand).shape.size()) return Source{small, Read::Whole};
    if (f_.type(small).shape[0] == f_.type(operand).shape[0]) return Source{small, Read::Position};
    return std::nullopt;
  }

  std::optional<size_t> parameter_of(const Source& s) const {
    for (size_t i = 0; i < outside_.size(); ++i)
      if (outside_[i] == s.from && read_[i] == s.read && !gone(i)) return i;
    return std::nullopt;
  }
  bool gone(size_t i) const { return std::find(sunk_.begin(), sunk_.end(), i) != sunk_.end(); }

  bool is_argument(ValueId v) const { return !f_.def_of(v); }

  bool may_sink(ValueId v) const {
    const Op* op = f_.def_of(v);
    if (!op || op->def->kind != OpKind::Elementwise || op->def->has(kExpensive) || op->def->has(kSideEffect) ||
        op->results.size() != 1 || uses_[v] != 1)
      return false;
    const Type& made = f_.type(v);
    std::vector<ValueId> kept;  // arrays that live until the loop ends in the place of `v`
    for (ValueId o : op->operands) {
      if (f_.type(o).shape != made.shape) return false;
      const std::optional<Source> source = source_of(o);
      if (!source) return false;
      if (source->from != o || is_argument(o) || parameter_of(*source)) continue;
      if (f_.type(o).dtype.size() > made.dtype.size()) return false;
      if (std::find(kept.begin(), kept.end(), o) == kept.end()) kept.push_back(o);
    }
    return kept.size() <= 1;
  }

  // Whether kernels of a step read the parameter, which may compute it on the way. A routine would need a kernel more
  // in each step, and an array of one position.
  bool fuses(ValueId param) const {
    std::vector<bool> shown(body_.values.size(), false);  // the parameter and its views
    shown[param] = true;
    for (const Op& op : body_.ops) {
      if (std::none_of(op.operands.begin(), op.operands.end(), [&](ValueId v) { return shown[v]; })) continue;
      if (op.def->kind == OpKind::Library || op.def->kind == OpKind::Control || op.def->kind == OpKind::Scatter ||
          op.def->kind == OpKind::Scan)
        return false;
      if (op.def->has(kView))
        for (ValueId r : op.results) shown[r] = true;
    }
    return true;
  }

  // The value of a step that the operand is there.
  ValueId in_step(Builder& b, ValueId operand) {
    const Source source = *source_of(operand);
    Shape element = f_.type(operand).shape;
    element.erase(element.begin());
    const Op* def = f_.def_of(source.from);
    if (source.read == Read::Whole && def && def->def->kind == OpKind::Constant && f_.type(source.from).shape.empty())
      return b.broadcast(b.build(*def->def, {}, def->attrs), element);
    const std::optional<size_t> known = parameter_of(source);
    const size_t at = known.value_or(outside_.size());
    if (!known) {
      const Type& whole = f_.type(source.from);
      body_.add_param("s" + std::to_string(at), source.read == Read::Position ? element_of(whole) : Type(whole));
      outside_.push_back(source.from);
      read_.push_back(source.read);
    } else if (uses_[operand] > 1) {
      --uses_[operand];
    }
    return b.broadcast(body_.params[at], element);
  }

  Status sink(size_t i) {
    const Op op = *f_.def_of(outside_[i]);
    context_.remark(
        f_, "computed in each step: " + std::string(op.def->name) + " of type " + f_.type(outside_[i]).str(), op.loc);
    sunk_.push_back(i);
    Builder b(body_);
    b.loc = op.loc;
    std::vector<ValueId> operands;
    for (ValueId o : op.operands) operands.push_back(in_step(b, o));
    FRIT_ASSIGN_OR_RETURN(made, b.try_build(*op.def, std::move(operands), op.attrs));
    const ValueId param = body_.params[i];
    for (Op& reader : body_.ops) std::replace(reader.operands.begin(), reader.operands.end(), param, made[0]);
    std::replace(body_.results.begin(), body_.results.end(), param, made[0]);
    return {};
  }

  Status rebuild() {
    body_.canonicalize_order();
    std::vector<ValueId> operands, params;
    size_t counts[3] = {0, 0, 0};
    for (const Read read : {Read::State, Read::Position, Read::Whole})
      for (size_t i = 0; i < outside_.size(); ++i) {
        if (read_[i] != read || gone(i)) continue;
        operands.push_back(outside_[i]);
        params.push_back(body_.params[i]);
        ++counts[static_cast<size_t>(read)];
      }
    AttrMap attrs = op_.attrs;
    attrs.set("body", closed(extracted(body_, params, body_.results)));
    attrs.set("scanned", count_of(counts[static_cast<size_t>(Read::Position)]));
    FRIT_TRY(rewrite_op(f_, index_, std::move(operands), std::move(attrs), op_.results));
    return {};
  }

  Function& f_;
  const uint32_t index_;
  const Op op_;
  std::vector<uint32_t>& uses_;
  PassContext& context_;
  Function body_;
  std::vector<ValueId> outside_;  // by parameter of the body
  std::vector<Read> read_;        // likewise
  std::vector<size_t> sunk_;      // parameters that are no operands any more
};

Result<bool> run_sink(Function& f, PassContext& context) {
  bool changed = false;
  std::vector<uint32_t> uses = f.use_counts();
  for (uint32_t i = 0, n = static_cast<uint32_t>(f.ops.size()); i < n; ++i) {
    if (f.ops[i].def->kind != OpKind::Control) continue;
    for (std::string_view name : regions_of(f.ops[i])) {
      Function region = opened(std::get<Region>(*f.ops[i].attrs.find(name)), f);
      FRIT_ASSIGN_OR_RETURN(inner, run_sink(region, context));
      if (inner) f.ops[i].attrs.set(name, closed(std::move(region)));
      changed = changed || inner;
    }
    if (f.ops[i].def->control != ControlForm::Scan) continue;
    FRIT_ASSIGN_OR_RETURN(sunk, SinkInto(f, i, uses, context).run());
    changed = changed || sunk;
  }
  if (changed) f.canonicalize_order();
  return changed;
}

const RegisterPass sink{{"sink", "computes arrays that only a scan reads in its steps, where that is cheap",
                         Level::Graph, Level::Expanded, Level::Graph, run_sink}};

}  // namespace
}  // namespace frit::passes
