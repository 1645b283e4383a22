// Reverse accumulation over a range of a function's ops.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/graph/graph.h"

namespace frit::passes {

// Appends the ops that carry cotangents from results of ops [first, last) back to the values that depend on `sources`.
class Reverse {
 public:
  Reverse(ir::Builder& b, const std::vector<ir::ValueId>& sources);

  // Adds to the cotangent of a value.
  void seed(ir::ValueId value, ir::ValueId cotangent);
  Status run(size_t first, size_t last);
  // Of a value, zeros where nothing depends on it.
  ir::ValueId cotangent(ir::ValueId value);

 private:
  bool active(ir::ValueId v) const { return active_.count(v) != 0; }
  Status visit(const ir::Op& op);

  ir::Builder& b_;
  std::vector<ir::ValueId> sources_;
  std::unordered_set<ir::ValueId> active_;  // depends on a source by ops that derivatives flow through
  std::unordered_map<ir::ValueId, ir::ValueId> cotangents_;
};

// The copy of `f` that a transform extends: without composite rows, with no groups.
Result<ir::Function> expanded(const ir::Function& f);

// Whether derivatives flow from operand to result at all.
bool flows(const ir::Function& f, const ir::Op& op);

// The factor between operand `i` of an elementwise row and its result, in the result's type.
ir::ValueId factor(ir::Builder& b, const ir::Op& op, size_t i);

Status check_sources(const ir::Function& f, const std::vector<size_t>& wrt, const char* what);

}  // namespace frit::passes
