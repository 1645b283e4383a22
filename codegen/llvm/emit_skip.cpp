// Work that is left out for a whole step of a vector loop: exp of masked elements.
//
// A selection between a constant and a long computation, such as exp of what is far below zero, needs the computation
// only if a lane of the step takes it. Masked rows, as of causal attention, have many steps without such a lane.
#include <llvm/IR/Constants.h>

#include <algorithm>

#include "codegen/llvm/emitter.h"

namespace frit::codegen {

using llvm::BasicBlock;
using llvm::Value;

namespace {

// Operations that are worth a branch.
constexpr size_t kWorthSkipping = 10;

const ir::ScalarInstr* scalar_of(const ir::Instr& i) { return std::get_if<ir::ScalarInstr>(&i.node); }

}  // namespace

// The instructions of the loop's body that only one selection needs, by their places in order, and the selection. Empty
// if there is none.
std::vector<size_t> KernelEmitter::skippable(const ir::Loop& loop) const {
  if (loop.accumulators.empty() || !loop.carries.empty()) return {};
  const ir::Body& body = loop.body;
  // The last place that uses a register, and how many do. Uses that are no operands of scalar operations come last.
  std::map<ir::Reg, std::vector<size_t>> uses;
  std::map<ir::Reg, const ir::ScalarInstr*> made;
  for (size_t i = 0; i < body.size(); ++i) {
    if (const auto* s = scalar_of(body[i])) {
      made[s->result] = s;
      for (int a = 0; a < ir::arity(s->op); ++a) uses[s->args[static_cast<size_t>(a)]].push_back(i);
    } else if (const auto* store = std::get_if<ir::StoreInstr>(&body[i].node)) {
      uses[store->value].push_back(i);
      uses[store->mask].push_back(i);
    } else if (const auto* load = std::get_if<ir::LoadInstr>(&body[i].node)) {
      uses[load->mask].push_back(i);
    } else if (!std::holds_alternative<ir::IndexInstr>(body[i].node)) {
      return {};
    }
  }
  for (const ir::Accumulator& a : loop.accumulators) {
    uses[a.value].push_back(body.size());
    uses[a.position].push_back(body.size());
  }
  for (size_t at = body.size(); at-- > 0;) {
    const auto* choice = scalar_of(body[at]);
    if (!choice || choice->op != ir::ScalarOp::Select) continue;
    const auto test = made.find(choice->args[0]), constant = made.find(choice->args[1]);
    if (test == made.end() || !ir::is_comparison(test->second->op)) continue;
    if (constant == made.end() || constant->second->op != ir::ScalarOp::Const) continue;
    std::vector<size_t> places{at};
    for (size_t i = at; i-- > 0;) {
      const auto* s = scalar_of(body[i]);
      if (!s || s->op == ir::ScalarOp::Const || s->result == choice->args[0]) continue;
      const auto& by = uses[s->result];
      const bool only = !by.empty() && std::all_of(by.begin(), by.end(), [&](size_t u) {
        return std::find(places.begin(), places.end(), u) != places.end();
      });
      // The operands of the test are computed anyway.
      if (only) places.push_back(i);
    }
    std::reverse(places.begin(), places.end());
    if (places.size() > kWorthSkipping) return places;
  }
  return {};
}

// The body of a vector loop, with a branch around what no lane of the step needs.
void KernelEmitter::emit_skipping(const ir::Loop& loop) {
  const std::vector<size_t> places = skippable(loop);
  if (places.empty()) return emit_loop_body(loop);
  const auto* choice = scalar_of(loop.body[places.back()]);
  size_t next = 0;
  for (size_t i = 0; i < loop.body.size(); ++i) {
    if (next == places.size() || places[next] != i) {
      emit(loop.body[i]);
      continue;
    }
    if (++next < places.size()) continue;
    const Val& test = reg(choice->args[0]);
    const auto emit_all = [&] {
      for (size_t p : places) emit(loop.body[p]);
    };
    if (!test.varying) {
      emit_all();
      continue;
    }
    Value* all = test.copies[0];
    for (size_t c = 1; c < test.copies.size(); ++c) all = builder_.CreateAnd(all, test.copies[c]);
    Value* lanes = builder_.CreateBitCast(all, builder_.getIntNTy(static_cast<unsigned>(vector_->width)));
    BasicBlock* before = builder_.GetInsertBlock();
    BasicBlock* compute = block("compute");
    BasicBlock* join = block("join");
    builder_.CreateCondBr(builder_.CreateICmpEQ(lanes, llvm::Constant::getAllOnesValue(lanes->getType())), join,
                          compute);
    builder_.SetInsertPoint(compute);
    emit_all();
    Val computed = reg(choice->result);
    BasicBlock* end = builder_.GetInsertBlock();
    builder_.CreateBr(join);
    builder_.SetInsertPoint(join);
    if (!computed.varying || computed.depth < depth()) continue;
    for (size_t c = 0; c < computed.copies.size(); ++c) {
      Value*& value = computed.copies[c];
      llvm::PHINode* phi = builder_.CreatePHI(value->getType(), 2);
      phi->addIncoming(get(reg(choice->args[1]), static_cast<int>(c), true), before);
      phi->addIncoming(value, end);
      if (value->getType()->getScalarType()->isFloatTy()) short_nan_[phi] = short_nan(value);
      value = phi;
    }
    define(choice->result, std::move(computed));
  }
}

}  // namespace frit::codegen
