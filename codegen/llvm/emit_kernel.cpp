// The function around a kernel's body, its registers, and the placement of values.
#include "codegen/llvm/emitter.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Verifier.h>

#include <algorithm>

namespace frit::codegen {

using llvm::Value;

KernelEmitter::KernelEmitter(llvm::Module& module, const ir::Kernel& kernel, const CpuFeatures& features)
    : module_(module),
      context_(module.getContext()),
      kernel_(kernel),
      features_(features),
      builder_(module.getContext()),
      regs_(kernel.reg_types.size()),
      defined_(kernel.reg_types.size()),
      facts_(kernel.facts) {}

Status KernelEmitter::run(const std::string& symbol) {
  llvm::Type* pointer = builder_.getPtrTy();
  llvm::Type* size = builder_.getInt64Ty();
  auto* type = llvm::FunctionType::get(builder_.getVoidTy(), {pointer, pointer, size, size, pointer}, false);
  function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, symbol, module_);
  function_->addFnAttr(llvm::Attribute::NoUnwind);
  function_->addFnAttr("min-legal-vector-width", std::to_string(features_.vector_bytes * 8));
  function_->addFnAttr("prefer-vector-width", std::to_string(features_.vector_bytes * 8));
  const char* argument_names[] = {"buffers", "symbols", "begin", "end", "scratch"};
  for (unsigned i = 0; i < 5; ++i) function_->getArg(i)->setName(argument_names[i]);
  for (unsigned i : {0u, 1u}) {
    function_->addParamAttr(i, llvm::Attribute::NoAlias);
    function_->addParamAttr(i, llvm::Attribute::ReadOnly);
  }
  begin_ = function_->getArg(2);
  end_ = function_->getArg(3);
  builder_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", function_));
  open_scope(symbol);

  llvm::Value* table = function_->getArg(0);
  for (size_t i = 0; i < kernel_.buffers.size(); ++i) {
    Value* at = builder_.CreateConstInBoundsGEP1_64(pointer, table, i);
    buffers_.push_back(builder_.CreateLoad(pointer, at, kernel_.buffers[i].name));
  }
  for (size_t i = 0; i < kernel_.symbols.size(); ++i) {
    Value* at = builder_.CreateConstInBoundsGEP1_64(size, function_->getArg(1), i);
    names_[kernel_.symbols[i]] = uniform(builder_.CreateLoad(size, at, kernel_.symbols[i]), 0);
  }
  sorted_symbols_ = kernel_.symbols;
  std::sort(sorted_symbols_.begin(), sorted_symbols_.end());
  // Locals follow each other in the scratch memory, each at a multiple of 64 bytes; codegen/core/build.cpp counts their
  // size the same way.
  Value* offset = i64(0);
  for (const ir::KernelBuffer& local : kernel_.locals) {
    buffers_.push_back(builder_.CreateInBoundsGEP(builder_.getInt8Ty(), function_->getArg(4), offset, local.name));
    Value* bytes = builder_.CreateMul(eval(local.size).scalar(), i64(local.dtype.size()));
    offset = builder_.CreateAdd(offset, builder_.CreateAnd(builder_.CreateAdd(bytes, i64(63)), i64(-64)));
  }
  find_bfloat_locals();
  emit_body(kernel_.body);
  if (streams_) fence();
  builder_.CreateRetVoid();
  if (!error_.empty()) return Diagnostic("kernel @" + kernel_.name + ": " + error_);
#ifndef NDEBUG
  std::string problems;
  llvm::raw_string_ostream stream(problems);
  if (llvm::verifyFunction(*function_, &stream))
    return Diagnostic("kernel @" + kernel_.name + ": code generation made a malformed function: " + problems);
#endif
  return {};
}

void KernelEmitter::fail(std::string message) {
  if (error_.empty()) error_ = std::move(message);
}

void KernelEmitter::emit_body(const ir::Body& body) {
  for (const ir::Instr& instr : body) emit(instr);
}

// A value that the full steps hoisted above the vector loop serves the remainder too.
bool KernelEmitter::skip(ir::Reg r) const { return vector_ && defined_[r] && regs_[r].depth < vector_->depth; }

void KernelEmitter::emit(const ir::Instr& instr) {
  const llvm::DebugLoc around = builder_.getCurrentDebugLocation();
  locate(instr);
  emit_one(instr);
  if (scope_) builder_.SetCurrentDebugLocation(around);
}

void KernelEmitter::emit_one(const ir::Instr& instr) {
  if (const auto* scalar = std::get_if<ir::ScalarInstr>(&instr.node)) {
    if (skip(scalar->result)) return;
    if (const auto carry = running_.find(scalar); carry != running_.end())
      return emit_carry_step(*scalar, carry->second);
    define(scalar->result, emit_scalar(*scalar));
    defined_[scalar->result] = true;
  } else if (const auto* index = std::get_if<ir::IndexInstr>(&instr.node)) {
    if (skip(index->result)) return;
    define(index->result, eval(index->index));
    positions_.insert_or_assign(index->result, index->index);
    defined_[index->result] = true;
  } else if (const auto* bind = std::get_if<ir::BindInstr>(&instr.node)) {
    names_[bind->name] = reg(bind->value);
    ir::add_binding(facts_, *bind);
  } else if (const auto* load = std::get_if<ir::LoadInstr>(&instr.node)) {
    emit_load(*load);
  } else if (const auto* store = std::get_if<ir::StoreInstr>(&instr.node)) {
    emit_store(*store);
  } else {
    emit_loop(std::get<ir::Loop>(instr.node));
  }
}

KernelEmitter::Val KernelEmitter::uniform(Value* value, int depth) const {
  Val v;
  v.copies.push_back(value);
  v.depth = depth;
  return v;
}

KernelEmitter::At::At(KernelEmitter& e, int depth) : guard_(e.builder_) {
  if (depth >= e.depth()) return;
  // The builder would take the terminator's location, too.
  const llvm::DebugLoc location = e.builder_.getCurrentDebugLocation();
  e.builder_.SetInsertPoint(e.frames_[static_cast<size_t>(depth)].preheader->getTerminator());
  e.builder_.SetCurrentDebugLocation(location);
}

// Bools are spread as bytes: LLVM 19 does not terminate on (x | ~s) & s with s a splat of one bit.
Value* KernelEmitter::spread(unsigned width, Value* scalar) {
  if (!scalar->getType()->isIntegerTy(1)) return builder_.CreateVectorSplat(width, scalar);
  Value* bytes = builder_.CreateVectorSplat(width, builder_.CreateZExt(scalar, builder_.getInt8Ty()));
  return builder_.CreateICmpNE(bytes, llvm::Constant::getNullValue(bytes->getType()));
}

Value* KernelEmitter::splat(Value* scalar, int depth) {
  auto width = static_cast<unsigned>(vector_->width);
  if (auto* c = llvm::dyn_cast<llvm::Constant>(scalar))
    return llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(width), c);
  if (depth >= this->depth()) return spread(width, scalar);
  Value*& kept = frames_[static_cast<size_t>(depth)].splats[{scalar, vector_->width}];
  if (!kept) {
    At at(*this, depth);
    kept = spread(width, scalar);
  }
  return kept;
}

Value* KernelEmitter::get(const Val& v, int copy, bool vector) {
  if (v.varying) return v.copies[static_cast<size_t>(copy)];
  return vector ? splat(v.scalar(), v.depth) : v.scalar();
}

KernelEmitter::Val KernelEmitter::pure(llvm::ArrayRef<const Val*> args,
                                       const std::function<Value*(llvm::ArrayRef<Value*>)>& make) {
  Val result;
  for (const Val* a : args) {
    result.depth = std::max(result.depth, a->depth);
    result.varying |= a->varying;
  }
  int count = result.varying ? copies() : 1;
  for (int c = 0; c < count; ++c) {
    llvm::SmallVector<Value*, 3> operands;
    for (const Val* a : args) operands.push_back(get(*a, c, result.varying));
    At at(*this, result.depth);
    result.copies.push_back(make(operands));
  }
  return result;
}

llvm::Type* KernelEmitter::register_type(Dtype t) {
  switch (t) {
    case Dtype::Val::bool_: return builder_.getInt1Ty();
    case Dtype::Val::uint8:
    case Dtype::Val::int8: return builder_.getInt8Ty();
    case Dtype::Val::uint16:
    case Dtype::Val::int16:
    case Dtype::Val::float16:
    case Dtype::Val::bfloat16: return builder_.getInt16Ty();
    case Dtype::Val::uint32:
    case Dtype::Val::int32: return builder_.getInt32Ty();
    case Dtype::Val::uint64:
    case Dtype::Val::int64: return builder_.getInt64Ty();
    case Dtype::Val::float32: return builder_.getFloatTy();
    case Dtype::Val::float64: return builder_.getDoubleTy();
    case Dtype::Val::complex64: break;
  }
  fail("complex64 values must be pairs of f32 before code is generated");
  return builder_.getInt64Ty();
}

llvm::Type* KernelEmitter::memory_type(Dtype t) { return t == bool_ ? builder_.getInt8Ty() : register_type(t); }

llvm::Type* KernelEmitter::widen(llvm::Type* t) const {
  return llvm::FixedVectorType::get(t, static_cast<unsigned>(vector_->width));
}

Value* KernelEmitter::constant(Dtype t, uint64_t bits) {
  if (t == float32)
    return llvm::ConstantFP::get(context_,
                                 llvm::APFloat(llvm::APFloat::IEEEsingle(), llvm::APInt(32, bits & 0xffffffffu)));
  if (t == float64)
    return llvm::ConstantFP::get(context_, llvm::APFloat(llvm::APFloat::IEEEdouble(), llvm::APInt(64, bits)));
  unsigned width = register_type(t)->getIntegerBitWidth();
  return builder_.getInt(llvm::APInt(64, bits).trunc(width));
}

}  // namespace frit::codegen
