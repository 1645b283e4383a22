// Bottom-up rewriting of a function in one walk: the frame that graph passes share.
//
// A Rewriter sets the ops of a function aside. The pass walks them in order and either keeps each op or builds a
// replacement. Operands of later ops are redirected when the walk reaches them, so a pass only ever sees operands in
// their final form. Value ids stay valid until finish(), which compacts the function if anything was replaced and
// leaves it untouched otherwise. Linear in ops and operands.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "ir/graph/graph.h"

namespace frit::passes {

class Rewriter {
 public:
  explicit Rewriter(ir::Function& f) : f_(f), old_(std::move(f.ops)), builder_(f) { f_.ops.clear(); }
  Rewriter(const Rewriter&) = delete;
  Rewriter& operator=(const Rewriter&) = delete;

  ir::Function& function() { return f_; }
  ir::Builder& builder() { return builder_; }
  // The original ops; an op that was taken is empty.
  std::vector<ir::Op>& old_ops() { return old_; }

  // The current replacement of `v`, or `v`.
  ir::ValueId resolve(ir::ValueId v) const {
    while (v < replaced_.size() && replaced_[v] != ir::kNone) v = replaced_[v];
    return v;
  }
  // Redirects the operands of `op` to their replacements.
  void resolve_operands(ir::Op& op);
  // Appends `op` with its own results.
  void keep(ir::Op op);
  // Replaces `old` by `now` from here on. Both must have one type.
  void replace(ir::ValueId old, ir::ValueId now);
  // Marks the function as changed by an edit in place.
  void touch() { changed_ = true; }
  bool changed() const { return changed_; }

  // Appends an op, or nothing if its types do not fit.
  std::optional<ir::ValueId> try_build(const ir::OpDef& def, std::vector<ir::ValueId> operands, ir::AttrMap attrs);
  // Drops the ops and values appended since the function had `ops` ops and `values` values.
  void roll_back(size_t ops, size_t values);

  // Redirects the results. If something changed, drops unused ops and renumbers. Returns changed().
  bool finish();

 private:
  ir::Function& f_;
  std::vector<ir::Op> old_;
  std::vector<ir::ValueId> replaced_;  // by value; kNone: itself
  ir::Builder builder_;
  bool changed_ = false;
};

// The bits that every element of `v` has, if `v` is a constant of one element, possibly under ops that only move
// elements.
std::optional<uint64_t> splat_bits(const ir::Function& f, ir::ValueId v);
// Whether `v` is a constant, possibly under ops that only move elements.
bool is_constant(const ir::Function& f, ir::ValueId v);
// Whether each element of `op` is an element of its one operand.
bool only_moves_elements(const ir::Op& op);
// One element of `dtype` with these bits.
ir::Literal literal_of_bits(Dtype dtype, uint64_t bits);
// A constant of one element, broadcast to the shape of `type`.
ir::ValueId build_splat(ir::Builder& b, const ir::Type& type, uint64_t bits);

}  // namespace frit::passes
