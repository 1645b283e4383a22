// Elementwise rows on known bits: what constant folding and the algebraic rules compute at compile time.
//
// The same scalar program and the same expansions of functions run here as in compiled code, so that a folded value has
// the bits that the program would have computed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ir/graph/graph.h"
#include "ir/math/expand.h"
#include "passes/manager/pass.h"

namespace frit::passes {

// How the target computes functions.
inline ir::Arithmetic arithmetic_of(const TargetTraits& target) {
  return target.has_fma ? ir::Arithmetic::Fused : ir::Arithmetic::Plain;
}

class ElementFolder {
 public:
  // For elementwise rows whose meaning is defined for these types; nothing for others and for rows that are not to be
  // folded.
  static std::optional<ElementFolder> make(const ir::Function& f, const ir::Op& op, const TargetTraits& target);

  // The bits of one element of each result, from the bits of one element of each operand.
  std::vector<uint64_t> operator()(std::span<const uint64_t> operands) const;

 private:
  ir::ScalarProgram program_;
  std::vector<Dtype> operand_types_, result_types_;
};

// The bits of the single result of elementwise `op`, when every operand is a constant with one value in all its
// elements.
std::optional<uint64_t> fold_splat(const ir::Function& f, const ir::Op& op, const TargetTraits& target);

}  // namespace frit::passes
