// vmap: the function of one position for all positions of a batch axis.
#include <optional>
#include <unordered_map>

#include "ir/graph/batch.h"
#include "ir/graph/custom.h"
#include "passes/transform/control.h"
#include "passes/transform/transform.h"

namespace frit::passes {
namespace {

using namespace ir;

// A value of the function in the batched one. With a batch axis, it is axis 0.
struct Mapped {
  ValueId value = kNone;
  bool batched = false;
  std::optional<Diagnostic> failure = {};  // the reason why there is none
};
using Values = std::unordered_map<ValueId, Mapped>;

Shape with_axis_at(Shape shape, int axis, const Dim& size) {
  shape.insert(shape.begin() + axis, size);
  return shape;
}

class Batching {
 public:
  Batching(Function& out, const Dim& size) : b_(out), size_(size) {}

  // An op without a rule fails only where a result needs it: a rule of the user may stand for its function.
  void run(const Function& f, Values& values) {
    for (const Op& op : f.ops)
      if (Status status = visit(f, op, values); !status.ok())
        for (ValueId r : op.results) values[r].failure = status.error();
  }

  // A parameter of the given type at one position.
  Result<Mapped> parameter(const std::string& name, const Type& type, int axis) {
    if (axis < 0) return Mapped{b_.function().add_param(name, type), false};
    const ValueId whole = b_.function().add_param(name, {type.dtype, with_axis_at(type.shape, axis, size_)});
    FRIT_ASSIGN_OR_RETURN(front, moved(whole, static_cast<size_t>(axis), 0));
    return Mapped{front, true};
  }

  Result<ValueId> result(const Mapped& v, int axis) {
    if (axis < 0) return v.value;
    if (v.batched) return moved(v.value, 0, static_cast<size_t>(axis));
    const Shape shape = b_.type(v.value).shape;
    FRIT_ASSIGN_OR_RETURN(column, call().reshape(v.value, with_axis_at(shape, axis, 1)));
    return call().broadcast(column, with_axis_at(shape, axis, size_));
  }

 private:
  // The helpers of rules, without an operation.
  BatchCall call() { return {b_, none_, size_, {}, no_flags_, {}, {}}; }
  Result<ValueId> moved(ValueId v, size_t from, size_t to) { return call().move_axis(v, from, to); }

  Status visit(const Function& f, const Op& op, Values& values) {
    std::vector<ValueId> operands;
    std::vector<bool> batched;
    std::vector<Type> types, results;
    bool any = false;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      const ValueId v = op.operands[i];
      const Mapped& m = values.at(v);
      if (m.failure && i < operands_with_batch(op)) return *m.failure;
      operands.push_back(m.value);
      batched.push_back(m.batched);
      types.push_back(f.type(v));
      any = any || m.batched || m.failure;
    }
    for (ValueId v : op.results) results.push_back(f.type(v));
    b_.loc = op.loc;
    if (any && op.def->kind == OpKind::Composite && !is_stacked(*op.def) && !op.def->batch)
      return expand(f, op, types, values);
    const BatchCall here{b_, op, size_, operands, batched, types, results};
    auto built = any ? op.def->kind == OpKind::Control ? control_batch(here) : batched_op(here)
                     : b_.try_build(*op.def, operands, op.attrs);
    if (!built.ok()) return std::move(built.error());
    for (size_t r = 0; r < op.results.size(); ++r) values[op.results[r]] = {(*built)[r], any};
    return {};
  }

  // Visits the simpler ops that a composite stands for.
  Status expand(const Function& f, const Op& op, const std::vector<Type>& types, Values& values) {
    Function parts;
    parts.facts = f.facts;
    Values inner;
    for (size_t i = 0; i < types.size(); ++i) inner[parts.add_param("", types[i])] = values.at(op.operands[i]);
    Builder b(parts);
    b.loc = op.loc;
    parts.results = op.def->expand(b, op, parts.params);
    run(parts, inner);
    for (size_t r = 0; r < op.results.size(); ++r) values[op.results[r]] = inner.at(parts.results[r]);
    return {};
  }

  Builder b_;
  Dim size_;
  Op none_;
  std::vector<bool> no_flags_;
};

std::string count(size_t n, const char* what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); }

// `axes` has one entry for each of `values`, -1 or a place among its axes and the batch axis.
Status check_axes(const Function& f, const std::vector<ValueId>& values, const std::vector<int>& axes,
                  const char* what) {
  if (axes.size() != values.size())
    return Diagnostic("there are " + std::to_string(axes.size()) + " batch axes for " + count(values.size(), what), {},
                      std::string("give one for each ") + what + ", -1 where there is none");
  for (size_t i = 0; i < values.size(); ++i) {
    const Type& type = f.type(values[i]);
    if (axes[i] < -1 || axes[i] > type.rank())
      return Diagnostic("batch axis " + std::to_string(axes[i]) + " is out of range for " + what + " " +
                            std::to_string(i) + ", which is " + type.str() + " at one position",
                        {},
                        "axes with the batch axis go from 0 to " + std::to_string(type.rank()) + ", and -1 is none");
  }
  return {};
}

}  // namespace

Result<Function> vmap(const Function& f, const BatchAxes& axes) {
  FRIT_TRY(check_axes(f, f.params, axes.in, "argument"));
  FRIT_TRY(check_axes(f, f.results, axes.out, "result"));
  bool any = false;
  for (int axis : axes.in) any = any || axis >= 0;
  if (!any) return Diagnostic("no argument has a batch axis", {}, "name the axis of at least one argument");

  Function out;
  out.name = f.name;
  out.facts = f.facts;
  out.weights = f.weights;
  out.layouts = f.layouts;
  out.result_names = f.result_names;
  Batching batching(out, axes.size);
  Values values;
  for (size_t i = 0; i < f.params.size(); ++i) {
    const ValueId p = f.params[i];
    FRIT_ASSIGN_OR_RETURN(mapped, batching.parameter(f.values[p].name, f.type(p), axes.in[i]));
    values[p] = mapped;
    if (!mapped.batched) continue;
    if (!out.weights.empty()) out.weights[i].clear();
    if (!out.layouts.empty()) out.layouts[i].clear();
  }
  batching.run(f, values);
  for (size_t i = 0; i < f.results.size(); ++i) {
    const Mapped& v = values.at(f.results[i]);
    if (v.failure) return *v.failure;
    if (v.batched && axes.out[i] < 0) {
      const Op* made_by = f.def_of(f.results[i]);
      return Diagnostic("result " + std::to_string(i) + ", which is " + f.type(f.results[i]).str() +
                            " at one position, differs between positions and has no batch axis",
                        made_by ? made_by->loc : SourceLoc(), "give an axis for this result");
    }
    FRIT_ASSIGN_OR_RETURN(placed, batching.result(v, axes.out[i]));
    out.results.push_back(placed);
  }
  out.canonicalize_order();
  return out;
}

}  // namespace frit::passes
