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

// Begins work that a step goes past where `test` is `settled` in all lanes.
KernelEmitter::Detour KernelEmitter::open_detour(const Val& test, bool settled) {
  Value* lanes = test.copies[0];
  for (size_t c = 1; c < test.copies.size(); ++c)
    lanes = settled ? builder_.CreateAnd(lanes, test.copies[c]) : builder_.CreateOr(lanes, test.copies[c]);
  llvm::Type* bits = builder_.getIntNTy(static_cast<unsigned>(vector_->width));
  llvm::Constant* past = settled ? llvm::Constant::getAllOnesValue(bits) : llvm::Constant::getNullValue(bits);
  Detour detour{builder_.GetInsertBlock(), nullptr};
  BasicBlock* compute = block("compute");
  detour.join = block("join");
  builder_.CreateCondBr(builder_.CreateICmpEQ(builder_.CreateBitCast(lanes, bits), past), detour.join, compute);
  builder_.SetInsertPoint(compute);
  return detour;
}

void KernelEmitter::close_detour(Detour& detour) {
  detour.end = builder_.GetInsertBlock();
  builder_.CreateBr(detour.join);
  builder_.SetInsertPoint(detour.join);
}

// The computed value, or `past` where the step went past the work.
Value* KernelEmitter::meet(const Detour& detour, Value* past, Value* computed) {
  llvm::PHINode* phi = builder_.CreatePHI(computed->getType(), 2);
  phi->addIncoming(past, detour.before);
  phi->addIncoming(computed, detour.end);
  return phi;
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
    Detour detour = open_detour(test, true);
    emit_all();
    Val computed = reg(choice->result);
    close_detour(detour);
    if (!computed.varying || computed.depth < depth()) continue;
    for (size_t c = 0; c < computed.copies.size(); ++c) {
      Value*& value = computed.copies[c];
      Value* either = meet(detour, get(reg(choice->args[1]), static_cast<int>(c), true), value);
      if (value->getType()->getScalarType()->isFloatTy()) short_nan_[either] = short_nan(value);
      value = either;
    }
    define(choice->result, std::move(computed));
  }
}

}  // namespace frit::codegen
