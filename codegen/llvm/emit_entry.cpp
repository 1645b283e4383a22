// Emits the functions of a C interface: checks, buffer addresses, and kernel calls.
// The functions of a C interface as LLVM IR.
#include "codegen/llvm/emit_entry.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <limits>

#include "codegen/llvm/emit_c_call.h"
#include "codegen/llvm/emit_control.h"
#include "codegen/llvm/emit_size.h"
#include "ir/routines/routine.h"
#include "runtime/memory/dense.h"

namespace frit::codegen {
namespace {

using llvm::BasicBlock;
using llvm::Value;

llvm::Constant* read_only(llvm::Module& module, std::string_view bytes, const std::string& name) {
  llvm::Constant* data = llvm::ConstantDataArray::getRaw(llvm::StringRef(bytes.data(), bytes.size()), bytes.size(),
                                                         llvm::Type::getInt8Ty(module.getContext()));
  auto* global = new llvm::GlobalVariable(module, data->getType(), true, llvm::GlobalValue::PrivateLinkage, data, name);
  global->setAlignment(llvm::Align(64));
  return global;
}

llvm::Constant* message_text(llvm::Module& module, const std::string& message) {
  llvm::Constant* bytes = llvm::ConstantDataArray::getString(module.getContext(), message);
  auto* global =
      new llvm::GlobalVariable(module, bytes->getType(), true, llvm::GlobalValue::PrivateLinkage, bytes, "message");
  global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  global->setAlignment(llvm::Align(1));
  return global;
}

class EntryEmitter {
 public:
  EntryEmitter(llvm::Module& module, const ir::Function& f, const CInterface& c, std::span<const std::string> kernels,
               bool cblas, const CWeights& weights)
      : module_(module),
        context_(module.getContext()),
        f_(f),
        program_(*f.program),
        c_(c),
        kernels_(kernels),
        cblas_(cblas),
        weights_(weights),
        builder_(context_) {}

  Status run() {
    emit_workspace();
    return emit_call();
  }

 private:
  Value* i64(int64_t v) { return builder_.getInt64(static_cast<uint64_t>(v)); }
  Value* size(const Dim& d) { return emit_size(builder_, c_.program(d), symbols_); }

  // Starts a function with the parameters of the interface that `takes` accepts.
  template <class Takes>
  llvm::Function* begin(const std::string& name, llvm::Type* result, Takes&& takes) {
    std::vector<llvm::Type*> types;
    for (const CParam& p : c_.params)
      if (takes(p))
        types.push_back(p.kind == CParam::Kind::Symbol ? builder_.getInt64Ty()
                                                       : static_cast<llvm::Type*>(builder_.getPtrTy()));
    auto* function = llvm::Function::Create(llvm::FunctionType::get(result, types, false),
                                            llvm::Function::ExternalLinkage, name, module_);
    function->addFnAttr(llvm::Attribute::NoUnwind);
    values_.assign(c_.params.size(), nullptr);
    symbols_.clear();
    unsigned next = 0;
    for (size_t i = 0; i < c_.params.size(); ++i) {
      if (!takes(c_.params[i])) continue;
      values_[i] = function->getArg(next++);
      values_[i]->setName(c_.params[i].name);
      if (c_.params[i].kind == CParam::Kind::Symbol) symbols_.push_back(values_[i]);
    }
    builder_.SetInsertPoint(BasicBlock::Create(context_, "entry", function));
    function_ = function;
    return function;
  }

  BasicBlock* block(const char* name) { return BasicBlock::Create(context_, name, function_); }

  // Branches to `to` if `bad`, and continues in a new block otherwise.
  void leave_if(Value* bad, BasicBlock* to, const char* next) {
    BasicBlock* good = block(next);
    builder_.CreateCondBr(bad, to, good);
    builder_.SetInsertPoint(good);
  }

  Value* broken(const CCheck& check) {
    Value* value = size(check.value);
    switch (check.kind) {
      case CCheck::Kind::Zero: return builder_.CreateICmpNE(value, i64(0));
      case CCheck::Kind::NonNegative: return builder_.CreateICmpSLT(value, i64(0));
      case CCheck::Kind::Fits: break;
    }
    return builder_.CreateICmpEQ(value, i64(std::numeric_limits<int64_t>::max()));
  }

  void emit_workspace() {
    begin(c_.workspace_name(), builder_.getInt64Ty(), [](const CParam& p) { return p.kind == CParam::Kind::Symbol; });
    BasicBlock* refused = block("refused");
    for (const CCheck& check : c_.checks) leave_if(broken(check), refused, "holds");
    builder_.CreateRet(size(c_.workspace_bytes));
    builder_.SetInsertPoint(refused);
    builder_.CreateRet(i64(-1));
  }

  // Refuses the call with this code and message if `bad`.
  void refuse_if(Value* bad, CallCode code, const std::string& message) {
    refused_code_->addIncoming(builder_.getInt32(static_cast<uint32_t>(code)), builder_.GetInsertBlock());
    refused_text_->addIncoming(text(message), builder_.GetInsertBlock());
    leave_if(bad, refused_, "holds");
  }

  llvm::Constant* text(const std::string& message) { return message_text(module_, message); }

  llvm::Constant* constant(const ir::ProgramBuffer& b) {
    return read_only(module_, {reinterpret_cast<const char*>(b.data.data()), b.data.nbytes()}, "constant");
  }

  // In the file that the caller has opened, or in the module, where all functions share it.
  Value* weight(uint32_t number) {
    const CWeight& w = weights_.all()[number];
    if (weights_.in_file()) {
      Value* file = builder_.CreateLoad(builder_.getPtrTy(), find(CParam::Kind::Weights));
      return builder_.CreateGEP(builder_.getInt8Ty(), file, i64(static_cast<int64_t>(w.offset)));
    }
    const std::string name = "weight." + std::to_string(number);
    if (llvm::GlobalVariable* known = module_.getGlobalVariable(name, true)) return known;
    const auto* data = static_cast<const char*>(w.data->buffer->data()) + w.data->offset * w.data->dtype.size();
    return read_only(module_, {data, runtime::dense_bytes(*w.data)}, name);
  }

  Status emit_call() {
    begin(c_.name, builder_.getInt32Ty(), [](const CParam&) { return true; });
    refused_ = block("refused");
    {
      llvm::IRBuilderBase::InsertPointGuard guard(builder_);
      builder_.SetInsertPoint(refused_);
      refused_code_ = builder_.CreatePHI(builder_.getInt32Ty(), 0);
      refused_text_ = builder_.CreatePHI(builder_.getPtrTy(), 0);
    }
    check_call();
    bind_buffers();
    ControlEmitter control(builder_, function_, program_, symbols_, buffers_);
    for (const ir::Step& step : program_.steps) {
      control.refresh();
      if (const auto* launch = std::get_if<ir::KernelStep>(&step)) {
        emit_launch(*launch);
        continue;
      }
      if (const auto* flow = std::get_if<ir::ControlStep>(&step)) {
        control.emit(*flow);
        continue;
      }
      const auto& routine = std::get<ir::LibraryStep>(step);
      if (!cblas_) return no_code(routine);
      emit_c_call(builder_, f_, routine, [this](const Dim& d) { return size(d); }, buffers_);
      if (routine.epilogue) emit_launch(*routine.epilogue);
    }
    builder_.CreateRet(builder_.getInt32(static_cast<uint32_t>(CallCode::Ok)));
    emit_refusal();
#ifndef NDEBUG
    std::string problems;
    llvm::raw_string_ostream stream(problems);
    if (llvm::verifyFunction(*function_, &stream))
      return Diagnostic("function @" + f_.name + ": its entry is malformed: " + problems);
#endif
    return {};
  }

  void check_call() {
    for (const CCheck& check : c_.checks) refuse_if(broken(check), check.code, check.message);
    for (const CNullCheck& check : c_.null_checks) {
      Value* null = builder_.CreateIsNull(values_[check.param]);
      Value* holds = builder_.CreateICmpSGT(size(c_.params[check.param].elements), i64(0));
      refuse_if(builder_.CreateAnd(null, holds), CallCode::NullArray, check.message);
    }
    if (Value* weights = find(CParam::Kind::Weights)) {
      refuse_if(builder_.CreateIsNull(weights), CallCode::BadWeights, c_.no_weights);
      refuse_if(builder_.CreateIsNull(builder_.CreateLoad(builder_.getPtrTy(), weights)), CallCode::BadWeights,
                c_.no_weights);
    }
    workspace_ = find(CParam::Kind::Workspace);
    if (c_.workspace_bytes.is(0)) return;
    Value* needed = builder_.CreateICmpSGT(size(c_.workspace_bytes), i64(0));
    refuse_if(builder_.CreateAnd(needed, builder_.CreateIsNull(workspace_)), CallCode::BadWorkspace, c_.no_workspace);
    Value* low =
        builder_.CreateAnd(builder_.CreatePtrToInt(workspace_, builder_.getInt64Ty()), i64(kWorkspaceAlignment - 1));
    refuse_if(builder_.CreateAnd(needed, builder_.CreateIsNotNull(low)), CallCode::BadWorkspace,
              c_.misaligned_workspace);
  }

  Value* find(CParam::Kind kind) const {
    for (size_t i = 0; i < c_.params.size(); ++i)
      if (c_.params[i].kind == kind) return values_[i];
    return nullptr;
  }

  void emit_refusal() {
    builder_.SetInsertPoint(refused_);
    if (!refused_code_->getNumIncomingValues()) {  // no call is refused
      refused_code_->eraseFromParent();
      refused_text_->eraseFromParent();
      refused_->eraseFromParent();
      return;
    }
    Value* message = find(CParam::Kind::Message);
    BasicBlock *say = block("say"), *leave = block("leave");
    builder_.CreateCondBr(builder_.CreateIsNull(message), leave, say);
    builder_.SetInsertPoint(say);
    builder_.CreateStore(refused_text_, message);
    builder_.CreateBr(leave);
    builder_.SetInsertPoint(leave);
    builder_.CreateRet(refused_code_);
  }

  void bind_buffers() {
    for (size_t i = 0; i < program_.buffers.size(); ++i) {
      const CBuffer& b = c_.buffers[i];
      Value* address = nullptr;
      switch (b.kind) {
        case CBuffer::Kind::Param: address = values_[b.param]; break;
        case CBuffer::Kind::Workspace: address = in_workspace(b.offset); break;
        case CBuffer::Kind::Constant: address = constant(program_.buffers[i]); break;
        case CBuffer::Kind::Weight: address = weight(b.weight); break;
        case CBuffer::Kind::Unused: address = llvm::ConstantPointerNull::get(builder_.getPtrTy()); break;
      }
      buffers_.push_back(address);
    }
    size_t most_buffers = 0, most_symbols = 0;
    for (const ir::Kernel& k : program_.kernels) {
      most_buffers = std::max(most_buffers, k.buffers.size());
      most_symbols = std::max(most_symbols, k.symbols.size());
    }
    table_ = builder_.CreateAlloca(builder_.getPtrTy(), i64(static_cast<int64_t>(most_buffers)), "buffers");
    sizes_ = builder_.CreateAlloca(builder_.getInt64Ty(), i64(static_cast<int64_t>(most_symbols)), "symbols");
  }

  Value* in_workspace(const Dim& offset) {
    // Not inbounds: without a workspace there is no object for the pointer to be inside of.
    return builder_.CreateGEP(builder_.getInt8Ty(), workspace_, size(offset));
  }

  Status no_code(const ir::LibraryStep& step) const {
    return Diagnostic("function @" + f_.name + ": routine '" + std::string(step.routine->name) +
                          "' is a call of the runtime, which native code does not have",
                      {}, "lower the function with the trait own_routines");
  }

  void emit_launch(const ir::KernelStep& step) {
    const ir::Kernel& kernel = program_.kernels[step.kernel];
    const ir::Loop* loop = ir::parallel_loop(kernel);
    Value* extent = size(loop ? ir::at_launch(program_, step, loop->extent) : Dim(1));
    BasicBlock* done = nullptr;
    if (!llvm::isa<llvm::ConstantInt>(extent) || llvm::cast<llvm::ConstantInt>(extent)->getSExtValue() <= 0) {
      BasicBlock* launch = block("launch");
      done = block("done");
      builder_.CreateCondBr(builder_.CreateICmpSGT(extent, i64(0)), launch, done);
      builder_.SetInsertPoint(launch);
    }
    for (size_t i = 0; i < step.buffers.size(); ++i)
      builder_.CreateStore(buffers_[step.buffers[i]],
                           builder_.CreateConstInBoundsGEP1_64(builder_.getPtrTy(), table_, i));
    for (size_t i = 0; i < kernel.symbols.size(); ++i)
      builder_.CreateStore(size(ir::size_at(program_, step, i)),
                           builder_.CreateConstInBoundsGEP1_64(builder_.getInt64Ty(), sizes_, i));
    Value* scratch =
        kernel.locals.empty() ? llvm::ConstantPointerNull::get(builder_.getPtrTy()) : in_workspace(c_.scratch_offset);
    llvm::Type *pointer = builder_.getPtrTy(), *word = builder_.getInt64Ty();
    auto* type = llvm::FunctionType::get(builder_.getVoidTy(), {pointer, pointer, word, word, pointer}, false);
    llvm::FunctionCallee callee = module_.getOrInsertFunction(kernels_[step.kernel], type);
    auto* function = llvm::cast<llvm::Function>(callee.getCallee());
    if (function->isDeclaration()) function->setVisibility(llvm::GlobalValue::HiddenVisibility);
    builder_.CreateCall(callee, {table_, sizes_, i64(0), extent, scratch});
    if (!done) return;
    builder_.CreateBr(done);
    builder_.SetInsertPoint(done);
  }

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  const ir::Function& f_;
  const ir::Program& program_;
  const CInterface& c_;
  std::span<const std::string> kernels_;
  const bool cblas_;
  const CWeights& weights_;
  llvm::IRBuilder<> builder_;
  llvm::Function* function_ = nullptr;
  std::vector<Value*> values_;   // one per parameter of the interface; null if the function does not take it
  std::vector<Value*> symbols_;  // by slot
  std::vector<Value*> buffers_;  // addresses, one per buffer of the program
  Value *workspace_ = nullptr, *table_ = nullptr, *sizes_ = nullptr;
  BasicBlock* refused_ = nullptr;
  llvm::PHINode *refused_code_ = nullptr, *refused_text_ = nullptr;
};

}  // namespace

Status emit_entry(llvm::Module& module, const ir::Function& f, const CInterface& c,
                  std::span<const std::string> kernels, bool cblas, const CWeights& weights) {
  return EntryEmitter(module, f, c, kernels, cblas, weights).run();
}

void emit_open_weights(llvm::Module& module, const CWeights& weights) {
  llvm::IRBuilder<> builder(module.getContext());
  llvm::Type *pointer = builder.getPtrTy(), *word = builder.getInt64Ty(), *code = builder.getInt32Ty();
  auto* type = llvm::FunctionType::get(code, {pointer, pointer, word, pointer}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, weights.open(), module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  const auto block = [&](const char* name) { return BasicBlock::Create(module.getContext(), name, function); };
  Value *into = function->getArg(0), *file = function->getArg(1), *bytes = function->getArg(2);
  Value* message = function->getArg(3);
  builder.SetInsertPoint(block("entry"));
  const OpenMessages texts = open_messages(weights);
  const auto refuse_if = [&](Value* bad, const std::string& text, CallCode why) {
    BasicBlock *refused = block("refused"), *say = block("say"), *leave = block("leave"), *holds = block("holds");
    builder.CreateCondBr(bad, refused, holds);
    builder.SetInsertPoint(refused);
    builder.CreateCondBr(builder.CreateIsNull(message), leave, say);
    builder.SetInsertPoint(say);
    builder.CreateStore(message_text(module, text), message);
    builder.CreateBr(leave);
    builder.SetInsertPoint(leave);
    builder.CreateRet(builder.getInt32(static_cast<uint32_t>(why)));
    builder.SetInsertPoint(holds);
  };
  refuse_if(builder.CreateOr(builder.CreateIsNull(into), builder.CreateIsNull(file)), texts.null, CallCode::NullArray);
  Value* low = builder.CreateAnd(builder.CreatePtrToInt(file, word), builder.getInt64(kWeightsAlignment - 1));
  refuse_if(builder.CreateIsNotNull(low), texts.misaligned, CallCode::BadWeights);
  refuse_if(builder.CreateICmpULT(bytes, builder.getInt64(weights.file_bytes())), texts.too_short,
            CallCode::BadWeights);
  llvm::FunctionCallee compare =
      module.getOrInsertFunction("memcmp", llvm::FunctionType::get(code, {pointer, pointer, word}, false));
  Value* other = builder.CreateCall(
      compare, {file, read_only(module, weights.header(), "header"), builder.getInt64(weights.header().size())});
  refuse_if(builder.CreateIsNotNull(other), texts.other, CallCode::BadWeights);
  builder.CreateStore(file, into);
  builder.CreateRet(builder.getInt32(static_cast<uint32_t>(CallCode::Ok)));
}

}  // namespace frit::codegen
