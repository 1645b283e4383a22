// Reverse accumulation over a range of a function's ops.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/graph/graph.h"

namespace frit::passes {

// Cotangents or tangents of values, each the sum of what was added for it.
class Sums {
 public:
  explicit Sums(ir::Builder& b) : b_(b) {}
  void add(ir::ValueId value, ir::ValueId term);
  bool has(ir::ValueId value) const { return of_.count(value) != 0; }
  // Zeros where nothing was added.
  ir::ValueId of(ir::ValueId value);

 private:
  ir::Builder& b_;
  std::unordered_map<ir::ValueId, ir::ValueId> of_;
};

// Appends the ops that carry cotangents from results of ops [first, last) back to the values that depend on `sources`.
class Reverse {
 public:
  Reverse(ir::Builder& b, const std::vector<ir::ValueId>& sources);

  // Adds to the cotangent of a value.
  void seed(ir::ValueId value, ir::ValueId cotangent);
  Status run(size_t first, size_t last);
  // Of a value, zeros where nothing depends on it.
  ir::ValueId cotangent(ir::ValueId value) { return cotangents_.of(value); }

 private:
  bool active(ir::ValueId v) const { return active_.count(v) != 0; }
  Status visit(const ir::Op& op);

  ir::Builder& b_;
  std::unordered_set<ir::ValueId> active_;  // depends on a source by ops that derivatives flow through
  Sums cotangents_;
};

// The copy of `f` that a transform extends: without composite rows, with no groups.
Result<ir::Function> expanded(const ir::Function& f);

// Whether derivatives flow from operand to result at all.
bool flows(const ir::Op& op);

// Whether an elementwise row has a derivative with respect to operand `i`, and the factor between that operand and the
// result. Rows of other kinds have rules instead; one without any is an error.
bool has_factor(const ir::Op& op, size_t i);
ir::ValueId factor(ir::Builder& b, const ir::Op& op, size_t i);
Status check_has_factors(const ir::Op& op);

// An error where an integer among the sources is a position of a look-up or an update. Positions that are computed from
// floats have the derivative 0.
Status check_positions(const ir::Function& f, const std::vector<size_t>& wrt);

Status check_sources(const ir::Function& f, const std::vector<size_t>& wrt);

}  // namespace frit::passes
