// Elementwise rows evaluated at compile time, for constant folding and the algebraic rules.
//
// The same scalar programs and the same expansions of functions run here and in compiled code, so a folded value has
// the bits that the program would compute.
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
  if (!target.has_fma) return ir::Arithmetic::Plain;
  return target.grid ? ir::Arithmetic::Flat : ir::Arithmetic::Fused;
}

class ElementFolder {
 public:
  // Makes a folder for an elementwise row whose meaning is defined for these types; nothing for other rows and for rows
  // with kNoFold.
  static std::optional<ElementFolder> make(const ir::Function& f, const ir::Op& op, const TargetTraits& target);

  // The bits of one element of each result, from the bits of one element of each operand.
  std::vector<uint64_t> operator()(std::span<const uint64_t> operands) const;

 private:
  ir::ScalarProgram program_;
  std::vector<Dtype> operand_types_, result_types_;
};

// The bits of the single result of elementwise `op`, if every operand is a constant with one value in all its elements.
std::optional<uint64_t> fold_splat(const ir::Function& f, const ir::Op& op, const TargetTraits& target);

}  // namespace frit::passes
