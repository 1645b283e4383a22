// Evaluates elementwise rows on constant operands.
#include "passes/simplify/fold.h"

#include "passes/simplify/rewrite.h"

namespace frit::passes {

using namespace ir;

std::optional<ElementFolder> ElementFolder::make(const Function& f, const Op& op, const TargetTraits& target) {
  if (op.def->kind != OpKind::Elementwise || op.def->has(kNoFold) || op.def->has(kSideEffect)) return std::nullopt;
  if (op.operands.empty() || op.results.size() != 1) return std::nullopt;
  ElementFolder folder;
  for (ValueId v : op.operands) folder.operand_types_.push_back(f.type(v).dtype);
  for (ValueId v : op.results) folder.result_types_.push_back(f.type(v).dtype);
  auto program = meaning(*op.def, folder.operand_types_, folder.result_types_[0]);
  if (!program) return std::nullopt;
  folder.program_ = expand_functions(*program, arithmetic_of(target));
  return folder;
}

std::vector<uint64_t> ElementFolder::operator()(std::span<const uint64_t> operands) const {
  // A complex element is two parts, the real one in the low half.
  std::vector<uint64_t> inputs;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (is_complex(operand_types_[i])) {
      inputs.push_back(operands[i] & 0xffffffffu);
      inputs.push_back(operands[i] >> 32);
    } else {
      inputs.push_back(operands[i]);
    }
  }
  std::vector<uint64_t> outputs = evaluate(program_, inputs);
  std::vector<uint64_t> results;
  for (size_t i = 0, at = 0; i < result_types_.size(); ++i) {
    if (is_complex(result_types_[i])) {
      results.push_back((outputs[at] & 0xffffffffu) | outputs[at + 1] << 32);
      at += 2;
    } else {
      results.push_back(outputs[at++]);
    }
  }
  return results;
}

std::optional<uint64_t> fold_splat(const Function& f, const Op& op, const TargetTraits& target) {
  std::vector<uint64_t> bits;
  for (ValueId v : op.operands) {
    auto b = splat_bits(f, v);
    if (!b) return std::nullopt;
    bits.push_back(*b);
  }
  auto folder = ElementFolder::make(f, op, target);
  if (!folder) return std::nullopt;
  return (*folder)(bits)[0];
}

}  // namespace frit::passes
