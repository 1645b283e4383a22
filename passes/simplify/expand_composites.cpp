// expand_composites: replaces every composite row by its expansion into simpler rows until none is left.
#include "ir/graph/composite.h"
#include "passes/manager/pass.h"
#include "passes/simplify/rewrite.h"

namespace frit::passes {
namespace {

using namespace ir;

// Rows that expand into each other without end are a bug of the rows. This bound finds it before memory runs out.
constexpr int kDeepest = 64;

class CompositeExpander {
 public:
  CompositeExpander(Function& f, PassContext& context) : rewriter_(f), f_(f), context_(context) {}

  Result<bool> run() {
    for (Op& op : rewriter_.old_ops()) FRIT_TRY(expand(std::move(op), 0));
    return rewriter_.finish();
  }

 private:
  Status expand(Op op, int depth) {
    rewriter_.resolve_operands(op);
    if (!stands_for_others(f_, op)) {
      rewriter_.keep(std::move(op));
      return {};
    }
    if (!op.def->expand) return malformed(op, "has no expansion");
    if (depth == kDeepest) return malformed(op, "expands into itself");
    // The expansion is appended to the function, removed again, and its own composites are expanded in turn.
    size_t begin = f_.ops.size();
    rewriter_.builder().loc = op.loc;
    std::vector<ValueId> results = op.def->expand(rewriter_.builder(), op, op.operands);
    rewriter_.builder().loc = {};
    if (results.size() != op.results.size()) return malformed(op, "expands into another number of results");
    for (size_t i = 0; i < results.size(); ++i) {
      const Type &was = f_.type(op.results[i]), &is = f_.type(results[i]);
      if (!(was == is)) return malformed(op, "gives " + was.str() + " and expands into " + is.str());
    }
    std::vector<Op> appended(std::make_move_iterator(f_.ops.begin() + static_cast<ptrdiff_t>(begin)),
                             std::make_move_iterator(f_.ops.end()));
    f_.ops.resize(begin);
    for (Op& inner : appended) FRIT_TRY(expand(std::move(inner), depth + 1));
    for (size_t i = 0; i < results.size(); ++i) rewriter_.replace(op.results[i], rewriter_.resolve(results[i]));
    rewriter_.touch();
    if (depth == 0 && context_.collect_remarks) {
      context_.remark(
          f_, "expanded " + std::string(op.def->name) + " into " + std::to_string(f_.ops.size() - begin) + " ops",
          op.loc);
    }
    return {};
  }

  Diagnostic malformed(const Op& op, const std::string& what) {
    return Diagnostic("internal error: composite op '" + std::string(op.def->name) + "' " + what, op.loc);
  }

  Rewriter rewriter_;
  Function& f_;
  PassContext& context_;
};

Result<bool> run_expand_composites(Function& f, PassContext& context) { return CompositeExpander(f, context).run(); }

const RegisterPass expand_composites_pass({
    .name = "expand_composites",
    .doc = "replaces composite ops by their expansions",
    .needs = Level::Graph,
    .most = Level::Expanded,
    .gives = Level::Expanded,
    .run = run_expand_composites,
});

}  // namespace
}  // namespace frit::passes
