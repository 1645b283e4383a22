// Finds registers that hold positions for comparisons alone.
#include "codegen/glsl/positions.h"

namespace frit::codegen::glsl {

namespace {

void visit(const ir::Body& body, std::vector<bool>& positions, std::vector<bool>& others) {
  const auto use = [&](ir::Reg r) {
    if (r != ir::kNoReg) others[r] = true;
  };
  for (const ir::Instr& i : body) {
    if (auto* x = std::get_if<ir::IndexInstr>(&i.node)) positions[x->result] = true;
    if (auto* s = std::get_if<ir::ScalarInstr>(&i.node); s && !ir::is_comparison(s->op))
      for (int a = 0; a < ir::arity(s->op); ++a) use(s->args[static_cast<size_t>(a)]);
    if (auto* b = std::get_if<ir::BindInstr>(&i.node)) use(b->value);
    if (auto* s = std::get_if<ir::StoreInstr>(&i.node)) use(s->value);
    if (auto* loop = std::get_if<ir::Loop>(&i.node)) {
      for (const ir::Accumulator& a : loop->accumulators) use(a.value), use(a.position);
      for (const ir::Carry& c : loop->carries) use(c.next);
      visit(loop->body, positions, others);
    }
  }
}

}  // namespace

std::vector<bool> compared_positions(const ir::Kernel& kernel) {
  std::vector<bool> positions(kernel.reg_types.size()), others(kernel.reg_types.size());
  visit(kernel.body, positions, others);
  for (size_t r = 0; r < positions.size(); ++r) positions[r] = positions[r] && !others[r];
  return positions;
}

}  // namespace frit::codegen::glsl
