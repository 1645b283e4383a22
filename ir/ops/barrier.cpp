// The barrier: a value that passes on its operand behind the computation of others.
#include "ir/graph/batch.h"
#include "ir/ops/rules.h"

namespace frit::ir {
namespace {

Result<std::vector<Type>> infer_barrier(const InferArgs& args) {
  if (args.operands.empty()) return Diagnostic("op 'barrier' needs an operand to pass on", {}, "give at least one");
  return std::vector<Type>{args.operands[0]};
}

IndexRule index_barrier(const Op&, std::span<const Type>, const Type&, std::span<const Dim> at) {
  return {{{0, {at.begin(), at.end()}, {}}}};
}

std::optional<Layout> view_barrier(const Op&, const Layout& in, const Type&, const DimFacts&) { return in; }

std::vector<ValueId> vjp_barrier(Builder&, const Op&, std::span<const ValueId> operands, std::span<const ValueId>,
                                 std::span<const ValueId> cotangents) {
  std::vector<ValueId> out(operands.size(), kNone);
  out[0] = cotangents[0];
  return out;
}

Result<std::vector<ValueId>> batch_barrier(const BatchCall& call) {
  FRIT_ASSIGN_OR_RETURN(first, call.stacked(0));
  std::vector<ValueId> operands(call.operands.begin(), call.operands.end());
  operands[0] = first;
  FRIT_ASSIGN_OR_RETURN(out, call.build("barrier", std::move(operands)));
  return std::vector{out};
}

const RegisterOps barrier_rows({
    {.name = "barrier",
     .kind = OpKind::Index,
     .arity = -1,
     .traits = kView | kNoFold,
     .doc =
         "The first operand itself, as a value of its own that is there once the other operands are computed. Equal work "
         "on both sides of a barrier is done twice: cse does not merge it, and fusion puts work that reads the result "
         "behind the kernels of the other operands. `checkpoint` recomputes behind barriers.",
     .infer = infer_barrier,
     .index = index_barrier,
     .view = view_barrier,
     .vjp = vjp_barrier,
     .batch = batch_barrier},
});

}  // namespace
}  // namespace frit::ir
