// Control flow of a program as basic blocks.
#include "codegen/llvm/emit_control.h"

#include "codegen/llvm/emit_size.h"

namespace frit::codegen {

using ir::ControlKind;
using llvm::BasicBlock;
using llvm::Value;

ControlEmitter::ControlEmitter(llvm::IRBuilder<>& builder, llvm::Function* function, const ir::Program& program,
                               const std::vector<Value*>& symbols, std::vector<Value*>& buffers)
    : b_(builder), function_(function), p_(program), symbols_(symbols), buffers_(buffers) {
  const auto home = [&](uint32_t buffer) {
    if (homes_.count(buffer)) return;
    homes_[buffer] = b_.CreateAlloca(b_.getPtrTy(), nullptr, "moving");
    b_.CreateStore(buffers_[buffer], homes_[buffer]);
  };
  for (uint32_t i = 0; i < p_.buffers.size(); ++i)
    if (p_.buffers[i].role == ir::BufferRole::Part) home(i);
  for (const ir::Step& step : p_.steps)
    if (const auto* control = std::get_if<ir::ControlStep>(&step))
      for (const auto& [x, y] : control->swaps) home(x), home(y);
  for (const std::string& name : p_.counters) counters_.push_back(b_.CreateAlloca(b_.getInt64Ty(), nullptr, name));
}

BasicBlock* ControlEmitter::block(const char* name) { return BasicBlock::Create(b_.getContext(), name, function_); }

Value* ControlEmitter::size(const Dim& d) {
  std::vector<Value*> values = symbols_;
  for (Value* counter : counters_) values.push_back(b_.CreateLoad(b_.getInt64Ty(), counter));
  const auto slot = [&](const std::string& name) {
    for (size_t i = 0; i < p_.symbols.size(); ++i)
      if (p_.symbols[i] == name) return static_cast<int>(i);
    for (size_t i = 0; i < p_.counters.size(); ++i)
      if (p_.counters[i] == name) return static_cast<int>(p_.symbols.size() + i);
    return -1;
  };
  return emit_size(b_, DimProgram(d, slot), values);
}

void ControlEmitter::refresh() {
  for (const auto& [buffer, home] : homes_) buffers_[buffer] = b_.CreateLoad(b_.getPtrTy(), home);
}

Value* ControlEmitter::holds(uint32_t flag) {
  refresh();
  return b_.CreateIsNotNull(b_.CreateLoad(b_.getInt8Ty(), buffers_[flag]));
}

void ControlEmitter::place_parts(uint32_t counter) {
  refresh();
  for (uint32_t i = 0; i < p_.buffers.size(); ++i) {
    const ir::ProgramBuffer& part = p_.buffers[i];
    if (part.role != ir::BufferRole::Part || part.counter != counter) continue;
    buffers_[i] = b_.CreateGEP(b_.getInt8Ty(), buffers_[part.whole], size(part.at * Dim(int64_t{part.dtype.size()})));
    b_.CreateStore(buffers_[i], homes_.at(i));
  }
}

void ControlEmitter::open_repeat(const ir::ControlStep& step) {
  Block made{&step, block("step"), nullptr, block("through"), size(step.count)};
  b_.CreateStore(b_.getInt64(0), counters_[step.counter]);
  b_.CreateCondBr(b_.CreateICmpSGT(made.count, b_.getInt64(0)), made.body, made.done);
  b_.SetInsertPoint(made.body);
  place_parts(step.counter);
  open_.push_back(made);
}

void ControlEmitter::close(const ir::ControlStep& step) {
  const Block made = open_.back();
  open_.pop_back();
  refresh();
  for (const auto& [x, y] : step.swaps) {
    b_.CreateStore(buffers_[y], homes_.at(x));
    b_.CreateStore(buffers_[x], homes_.at(y));
  }
  if (made.first->kind == ControlKind::Repeat) {
    Value* counter = counters_[made.first->counter];
    Value* next = b_.CreateAdd(b_.CreateLoad(b_.getInt64Ty(), counter), b_.getInt64(1));
    b_.CreateStore(next, counter);
    b_.CreateCondBr(b_.CreateICmpSLT(next, made.count), made.body, made.done);
  } else {
    b_.CreateBr(made.first->kind == ControlKind::Loop ? made.body : made.done);
  }
  if (made.other) {  // an If without an Else
    b_.SetInsertPoint(made.other);
    b_.CreateBr(made.done);
  }
  b_.SetInsertPoint(made.done);
}

void ControlEmitter::emit(const ir::ControlStep& step) {
  switch (step.kind) {
    case ControlKind::Repeat: open_repeat(step); break;
    case ControlKind::Loop: {
      open_.push_back({&step, block("step"), nullptr, block("through"), nullptr});
      b_.CreateBr(open_.back().body);
      b_.SetInsertPoint(open_.back().body);
      break;
    }
    case ControlKind::Leave: {
      BasicBlock* on = block("on");
      b_.CreateCondBr(holds(step.flag), on, open_.back().done);
      b_.SetInsertPoint(on);
      break;
    }
    case ControlKind::If: {
      open_.push_back({&step, block("then"), block("else"), block("joined"), nullptr});
      b_.CreateCondBr(holds(step.flag), open_.back().body, open_.back().other);
      b_.SetInsertPoint(open_.back().body);
      break;
    }
    case ControlKind::Else:
      b_.CreateBr(open_.back().done);
      b_.SetInsertPoint(open_.back().other);
      open_.back().other = nullptr;
      break;
    case ControlKind::End: close(step); break;
  }
}

}  // namespace frit::codegen
