// Loops that carry running values through the lanes of vectors (ir/kernel/carry_step.h).
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "codegen/llvm/emitter.h"
#include "ir/kernel/carry_step.h"

namespace frit::codegen {

using llvm::BasicBlock;
using llvm::Value;

namespace {

constexpr int kLeastLanes = 4;
constexpr int kPartBytes = 16;

}  // namespace

// Lanes that are combined in whole vectors. Where a vector is not a line, they are those of 16 bytes: shuffles between
// the halves of a register take several instructions, and some processors run each half by itself.
unsigned KernelEmitter::lanes_of_part(llvm::Type* element, int width) const {
  const int part = kPartBytes * 8 / static_cast<int>(element->getScalarSizeInBits());
  return static_cast<unsigned>(features_.vector_bytes >= 64 ? width : std::min(width, part));
}

// A vector of equal lanes, of another length.
Value* KernelEmitter::resize_splat(Value* x, unsigned lanes) {
  if (llvm::cast<llvm::FixedVectorType>(x->getType())->getNumElements() == lanes) return x;
  return builder_.CreateShuffleVector(x, llvm::SmallVector<int, 32>(lanes, 0));
}

// A vector loop as wide as the lanes, or as a row that is known to have fewer elements: lanes behind its end are
// combined with nothing in front of it. The running value of each carry is a vector of equal lanes, of one part, on the
// stack, from where a pass moves it to a register.
void KernelEmitter::emit_carry_loop(const ir::Loop& loop, Value* to) {
  VectorScope scope;
  scope.var = loop.var;
  const bool one_step = loop.extent.is_const() && loop.extent.value() >= 1 && loop.extent.value() <= loop.lanes;
  if (one_step) scope.width = static_cast<int>(std::bit_ceil(static_cast<uint64_t>(loop.extent.value())));
  scope.width = one_step ? std::max(scope.width, std::min(kLeastLanes, loop.lanes)) : loop.lanes;
  scope.alignment = scope.width;
  scope.varying.assign(regs_.size(), false);
  for (const ir::Carry& carry : loop.carries) scope.varying[carry.value] = true;
  if (vector_ || !analyse(loop.body, scope))
    return fail("a loop with lanes that carries values stands in a vector loop, or the extent of a loop in it varies");
  vector_ = &scope;
  for (const ir::Carry& carry : loop.carries) {
    const ir::ScalarInstr* step = ir::carry_step(loop, carry);
    RunningValue& running = running_[step];
    running.narrow = narrow_source(loop, *step);
    running.from_zero = step->op == ir::ScalarOp::Add && (!is_float(carry.type) || carry.initial == 0);
    auto* initial = llvm::cast<llvm::Constant>(constant(carry.type, carry.initial));
    const unsigned part =
        lanes_of_part(running.narrow == ir::kNoReg ? initial->getType() : builder_.getHalfTy(), scope.width);
    Value* start = llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(part), initial);
    if (running.narrow != ir::kNoReg) {
      const Dtype type = kernel_.reg_types[running.narrow];
      start = order_key(float_to_low(type, start));
    }
    running.slot = stack_vector(start->getType());
    builder_.CreateStore(start, running.slot);
  }
  const int unroll = one_step ? 1 : std::max(loop.unroll, 1);
  if (knows_rest(loop, int64_t{scope.width} * unroll))
    emit_known_vector_loop(loop, unroll);
  else
    emit_vector_loop(loop, unroll, i64(0), to, false, nullptr);
  for (const ir::Carry& carry : loop.carries) running_.erase(ir::carry_step(loop, carry));
  vector_ = nullptr;
}

// The lanes of `x` at and behind the first NaN, as NaN. With this, running maxima and minima of the lanes themselves
// need no test for NaN: such a comparison gives its second operand, and nothing in front of a NaN knows of it.
Value* KernelEmitter::spread_nan(Value* x) {
  const int width = vector_->width;
  llvm::Type* bits = builder_.getIntNTy(static_cast<unsigned>(width));
  Value* found = builder_.CreateBitCast(builder_.CreateFCmpUNO(x, x), bits);
  Value* behind = builder_.CreateOr(found, builder_.CreateNeg(found));
  return builder_.CreateBitCast(behind, llvm::FixedVectorType::get(builder_.getInt1Ty(), static_cast<unsigned>(width)));
}

// The 16-bit float that the step of a running maximum or minimum takes its value from, or none.
ir::Reg KernelEmitter::narrow_source(const ir::Loop& loop, const ir::ScalarInstr& step) const {
  if ((step.op != ir::ScalarOp::Max && step.op != ir::ScalarOp::Min) || step.type != float32) return ir::kNoReg;
  for (const ir::Instr& i : loop.body) {
    const auto* s = std::get_if<ir::ScalarInstr>(&i.node);
    if (!s || s->result != step.args[1] || s->op != ir::ScalarOp::Cast) continue;
    const Dtype from = kernel_.reg_types[s->args[0]];
    return from == float16 || from == bfloat16 ? s->args[0] : ir::kNoReg;
  }
  return ir::kNoReg;
}

// A signed integer for 16-bit floats `x` that has their order, or back: its own inverse.
Value* KernelEmitter::order_key(Value* x) {
  Value* sign = builder_.CreateAShr(x, llvm::ConstantInt::get(x->getType(), 15));
  return builder_.CreateXor(x, builder_.CreateAnd(sign, llvm::ConstantInt::get(x->getType(), 0x7fff)));
}

// The vector `x` combined among the lanes of each part, level by level. A lane without a place before it takes what
// changes nothing: itself, or zero where sums begin at zero.
Value* KernelEmitter::combine_lanes(Value* x, bool takes_itself, bool from_zero, const Combination& combine) {
  const int width = vector_->width, part = static_cast<int>(lanes_of_part(x->getType(), width));
  for (int level = 1; level < part; level *= 2) {
    llvm::SmallVector<int, 32> pick;
    llvm::SmallVector<llvm::Constant*, 32> here;
    for (int i = 0; i < width; ++i) {
      const bool takes = (i & level) != 0;
      pick.push_back(takes ? i / level * level - 1 : from_zero ? width + i : takes_itself ? i : llvm::PoisonMaskElem);
      here.push_back(builder_.getInt1(takes));
    }
    Value* other = from_zero ? llvm::Constant::getNullValue(x->getType()) : x;
    Value* both = combine(builder_.CreateShuffleVector(x, other, pick), x);
    x = takes_itself || from_zero ? both : builder_.CreateSelect(llvm::ConstantVector::get(here), both, x);
  }
  return x;
}

// The parts of `x`, combined with the last lanes of the parts before them.
llvm::SmallVector<Value*, 8> KernelEmitter::combine_parts(Value* x, const Combination& combine) {
  const int width = vector_->width, lanes = static_cast<int>(lanes_of_part(x->getType(), width));
  llvm::SmallVector<Value*, 8> parts;
  for (int first = 0; first < width; first += lanes) {
    llvm::SmallVector<int, 32> pick(static_cast<size_t>(lanes));
    std::iota(pick.begin(), pick.end(), first);
    parts.push_back(lanes == width ? x : builder_.CreateShuffleVector(x, pick));
  }
  const llvm::SmallVector<int, 32> last(static_cast<size_t>(lanes), lanes - 1);
  const auto count = static_cast<int>(parts.size());
  for (int level = 1; level < count; level *= 2)
    for (int i = 0; i < count; ++i)
      if (Value*& own = parts[static_cast<size_t>(i)]; i & level)
        own = combine(builder_.CreateShuffleVector(parts[static_cast<size_t>(i / level * level - 1)], last), own);
  return parts;
}

// Combines the lanes of each copy among themselves, and then with the running value. That of the next copy needs only
// the combination of all lanes, so the chain from vector to vector is one operation.
KernelEmitter::CarryStep KernelEmitter::combine_copies(llvm::ArrayRef<Value*> values, Value* carried,
                                                       const std::function<Value*(Value*)>& of_lanes,
                                                       const Combination& combine) {
  const int width = vector_->width;
  const unsigned lanes = lanes_of_part(values[0]->getType(), width);
  const llvm::SmallVector<int, 32> last(lanes, static_cast<int>(lanes) - 1);
  llvm::SmallVector<int, 32> one_back;
  for (int i = 0; i < width; ++i) one_back.push_back(i == 0 ? width : i - 1);
  carried = resize_splat(carried, lanes);
  CarryStep step;
  for (Value* x : values) {
    llvm::SmallVector<Value*, 8> parts = combine_parts(of_lanes(x), combine);
    Value* before = resize_splat(carried, static_cast<unsigned>(width));
    Value* next = builder_.CreateShuffleVector(parts.back(), last);
    for (Value*& part : parts) part = combine(carried, part);
    carried = combine(carried, next);
    step.next.push_back(llvm::concatenateVectors(builder_, parts));
    step.before.push_back(builder_.CreateShuffleVector(step.next.back(), before, one_back));
  }
  step.carried = carried;
  return step;
}

KernelEmitter::CarryStep KernelEmitter::wide_step(const ir::ScalarInstr& step, const RunningValue& running,
                                                  llvm::ArrayRef<Value*> values, Value* carried) {
  const Combination combine = [&](Value* x, Value* y) { return scalar_op(step.op, step.type, step.type, {x, y}); };
  const bool max = step.op == ir::ScalarOp::Max, extreme = max || step.op == ir::ScalarOp::Min;
  // Masks are numbers where they have registers of their own.
  const bool by_order = extreme && is_float(step.type) && features_.vector_bytes == 64;
  const Combination ordered = order_of(max);
  return combine_copies(
      values, carried,
      [&](Value* x) {
        Value* nan = by_order ? spread_nan(x) : nullptr;
        // The sign of a zero among the lanes is lost where the running value, which is never -0, is added.
        llvm::IRBuilderBase::FastMathFlagGuard guard(builder_);
        if (running.from_zero && is_float(step.type)) {
          llvm::FastMathFlags flags;
          flags.setNoSignedZeros();
          builder_.setFastMathFlags(flags);
        }
        x = combine_lanes(x, extreme, running.from_zero, by_order ? ordered : combine);
        return nan ? builder_.CreateSelect(nan, llvm::ConstantFP::getNaN(x->getType()), x) : x;
      },
      combine);
}

// The larger or the smaller of numbers, one instruction.
KernelEmitter::Combination KernelEmitter::order_of(bool max) {
  const auto order = max ? llvm::CmpInst::FCMP_OGT : llvm::CmpInst::FCMP_OLT;
  return [this, order](Value* kept, Value* x) -> Value* {
    return builder_.CreateSelect(builder_.CreateFCmp(order, kept, x), kept, x);
  };
}

// A running maximum or minimum of floats where masks are vectors: NaN take the long way.
KernelEmitter::CarryStep KernelEmitter::ordered_step(const ir::ScalarInstr& step, const RunningValue& running,
                                                     llvm::ArrayRef<Value*> values, Value* carried) {
  const Combination ordered = order_of(step.op == ir::ScalarOp::Max);
  Value* other = resize_splat(carried, static_cast<unsigned>(vector_->width));
  Value* nan = nullptr;
  for (Value* x : values) {
    Value* here = builder_.CreateFCmpUNO(x, other);
    nan = nan ? builder_.CreateOr(nan, here) : here;
  }
  return usual_or_long(
      nan,
      [&] {
        return combine_copies(
            values, carried, [&](Value* x) { return combine_lanes(x, true, false, ordered); }, ordered);
      },
      [&] { return wide_step(step, running, values, carried); });
}

// One of two ways of a step: the long one if a lane of `rare` is set.
KernelEmitter::CarryStep KernelEmitter::usual_or_long(Value* rare, llvm::function_ref<CarryStep()> usual,
                                                      llvm::function_ref<CarryStep()> long_way) {
  llvm::Type* bits = builder_.getIntNTy(static_cast<unsigned>(vector_->width));
  BasicBlock *often = block("usual"), *seldom = block("long_way"), *join = block("join");
  builder_.CreateCondBr(builder_.CreateIsNull(builder_.CreateBitCast(rare, bits)), often, seldom,
                        llvm::MDBuilder(context_).createLikelyBranchWeights());
  builder_.SetInsertPoint(often);
  const CarryStep quick = usual();
  BasicBlock* usual_end = builder_.GetInsertBlock();
  builder_.CreateBr(join);
  builder_.SetInsertPoint(seldom);
  const CarryStep slow = long_way();
  BasicBlock* long_end = builder_.GetInsertBlock();
  builder_.CreateBr(join);
  builder_.SetInsertPoint(join);
  const auto meet_in = [&](Value* a, Value* b) -> Value* {
    llvm::PHINode* phi = builder_.CreatePHI(a->getType(), 2);
    phi->addIncoming(a, usual_end);
    phi->addIncoming(b, long_end);
    return phi;
  };
  CarryStep all;
  all.carried = meet_in(quick.carried, slow.carried);
  for (size_t c = 0; c < quick.next.size(); ++c) {
    all.next.push_back(meet_in(quick.next[c], slow.next[c]));
    all.before.push_back(meet_in(quick.before[c], slow.before[c]));
  }
  return all;
}

// A running maximum or minimum of 16-bit floats, in integers of their order. NaN and -0, which equals +0, take the long
// way of floats.
KernelEmitter::CarryStep KernelEmitter::narrow_step(const ir::ScalarInstr& step, const RunningValue& running,
                                                    Value* carried) {
  const Dtype type = kernel_.reg_types[running.narrow];
  const auto id = step.op == ir::ScalarOp::Max ? llvm::Intrinsic::smax : llvm::Intrinsic::smin;
  const Combination combine = [&](Value* x, Value* y) -> Value* { return builder_.CreateBinaryIntrinsic(id, x, y); };
  llvm::SmallVector<Value*, 4> raw, keys;
  for (int c = 0; c < copies(); ++c) raw.push_back(get(reg(running.narrow), c, true));
  const auto number = [&](uint64_t n) { return llvm::ConstantInt::get(raw[0]->getType(), n); };
  const uint64_t infinity = type == float16 ? 0x7c00 : 0x7f80;
  const auto is_rare = [&](Value* x) {
    Value* nan = builder_.CreateICmpSGT(builder_.CreateAnd(x, number(0x7fff)), number(infinity));
    return builder_.CreateOr(nan, builder_.CreateICmpEQ(x, number(0x8000)));
  };
  Value* rare = is_rare(resize_splat(order_key(carried), static_cast<unsigned>(vector_->width)));
  for (Value* x : raw) {
    keys.push_back(order_key(x));
    rare = builder_.CreateOr(rare, is_rare(x));
  }
  const auto quick = [&] {
    CarryStep step_of_keys =
        combine_copies(keys, carried, [&](Value* x) { return combine_lanes(x, true, false, combine); }, combine);
    for (auto* list : {&step_of_keys.next, &step_of_keys.before})
      for (Value*& v : *list) v = order_key(v);
    return step_of_keys;
  };
  const auto slow = [&] {
    llvm::SmallVector<Value*, 4> wide;
    for (Value* x : raw) wide.push_back(low_to_float(type, x));
    CarryStep of_floats = wide_step(step, running, wide, low_to_float(type, order_key(carried)));
    for (auto* list : {&of_floats.next, &of_floats.before})
      for (Value*& v : *list) v = float_to_low(type, v);
    const unsigned lanes = lanes_of_part(carried->getType(), vector_->width);
    of_floats.carried = resize_splat(order_key(float_to_low(type, of_floats.carried)), lanes);
    return of_floats;
  };
  CarryStep all = usual_or_long(rare, quick, slow);
  for (auto* list : {&all.next, &all.before})
    for (Value*& v : *list) v = low_to_float(type, v);
  return all;
}

void KernelEmitter::emit_carry_step(const ir::ScalarInstr& step, const RunningValue& running) {
  llvm::Type* element = register_type(running.narrow == ir::kNoReg ? step.type : float16);
  llvm::Type* type = llvm::FixedVectorType::get(element, lanes_of_part(element, vector_->width));
  Value* carried = builder_.CreateLoad(type, running.slot);
  CarryStep taken;
  if (running.narrow != ir::kNoReg) {
    taken = narrow_step(step, running, carried);
  } else {
    llvm::SmallVector<Value*, 4> values;
    for (int c = 0; c < copies(); ++c) values.push_back(get(reg(step.args[1]), c, true));
    // The running value starts from a number, so its NaN are those of the values.
    if (step.type == float32)
      short_nan_[carried] = std::all_of(values.begin(), values.end(), [&](Value* x) { return short_nan(x); });
    const bool extreme = step.op == ir::ScalarOp::Max || step.op == ir::ScalarOp::Min;
    taken = extreme && is_float(step.type) && features_.vector_bytes < 64 ? ordered_step(step, running, values, carried)
                                                                          : wide_step(step, running, values, carried);
  }
  builder_.CreateStore(taken.carried, running.slot);
  Val next, before;
  next.varying = before.varying = true;
  next.depth = before.depth = depth();
  next.copies.assign(taken.next.begin(), taken.next.end());
  before.copies.assign(taken.before.begin(), taken.before.end());
  define(step.args[0], std::move(before));
  define(step.result, std::move(next));
}

}  // namespace frit::codegen
