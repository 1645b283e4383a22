// Masks of lanes that follow each other, as of padding, where positions are compared with an edge.
//
// A comparison of positions that move by one from lane to lane is one of lane numbers with the edge's, which is moved
// into the range of the step as a scalar. Numbers of lanes are as narrow as the registers of a vector have room for;
// positions have 64 bits. Processors without masks for small elements read whole vectors within a page.
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>

#include "codegen/llvm/emitter.h"

namespace frit::codegen {

using llvm::BasicBlock;
using llvm::Value;

namespace {

constexpr int64_t kPageBytes = 4096;  // of the smallest pages

// Takes the lanes of `mask` that are known: those that are never active leave `lanes`, and the rest is returned, null
// if there is none.
Value* unknown_part(llvm::IRBuilderBase& builder, Value* mask, std::vector<bool>& lanes) {
  if (auto* known = llvm::dyn_cast<llvm::Constant>(mask)) {
    for (unsigned i = 0; i < lanes.size(); ++i)
      if (const auto* lane = known->getAggregateElement(i); lane && lane->isNullValue()) lanes[i] = false;
    return nullptr;
  }
  auto* both = llvm::dyn_cast<llvm::BinaryOperator>(mask);
  if (!both || both->getOpcode() != llvm::Instruction::And) return mask;
  Value* a = unknown_part(builder, both->getOperand(0), lanes);
  Value* b = unknown_part(builder, both->getOperand(1), lanes);
  if (a == both->getOperand(0) && b == both->getOperand(1)) return mask;
  return a && b ? builder.CreateAnd(a, b) : a ? a : b;
}

}  // namespace

// The size that is at least 0 where comparison `op` of positions `a` and `b` holds.
std::optional<Dim> KernelEmitter::margin(ir::ScalarOp op, const Dim& a, const Dim& b) {
  switch (op) {
    case ir::ScalarOp::Le: return b - a;
    case ir::ScalarOp::Lt: return b - a - 1;
    case ir::ScalarOp::Ge: return a - b;
    case ir::ScalarOp::Gt: return a - b - 1;
    default: return std::nullopt;
  }
}

// The comparison `instr` of two positions, of which the difference moves by one from lane to lane; else nothing.
std::optional<KernelEmitter::Val> KernelEmitter::compare_positions(const ir::ScalarInstr& instr) {
  if (!vector_ || !vector_->rows.empty() || ir::arity(instr.op) != 2) return std::nullopt;
  if (vector_->holds && vector_->holds->count(&instr)) return uniform(builder_.getTrue(), 0);
  const auto a = positions_.find(instr.args[0]), b = positions_.find(instr.args[1]);
  if (a == positions_.end() || b == positions_.end()) return std::nullopt;
  const auto over = margin(instr.op, a->second, b->second);
  if (!over || !over->uses(vector_->var) || !varies_by_variable_only(*over)) return std::nullopt;
  const auto affine = over->affine_in(vector_->var);
  if (!affine || !(affine->coefficient.is(1) || affine->coefficient.is(-1))) return std::nullopt;
  const bool grows = affine->coefficient.is(1);
  const int width = vector_->width, total = width * vector_->copies, half = total / 2;
  unsigned bits = 64;
  while (bits > 8 && static_cast<int>(bits) * width > features_.vector_bytes * 8) bits /= 2;
  if (bits == 8 && total - half > INT8_MAX) bits = 16;
  llvm::Type* number = builder_.getIntNTy(bits);
  const Val rest = eval(affine->rest), base = uniform(vector_->base, vector_->depth);
  // The number of the first active lane if the margin grows, else of the first inactive one; less `half`.
  const Val edge = pure({&rest, &base}, [&](llvm::ArrayRef<Value*> v) {
    Value* first = grows ? builder_.CreateNeg(builder_.CreateAdd(v[0], v[1]))
                         : builder_.CreateAdd(builder_.CreateSub(v[0], v[1]), i64(1));
    // Comparisons and selections of constants are constants at once; load_run looks for these.
    first = builder_.CreateSelect(builder_.CreateICmpSLT(first, i64(0)), i64(0), first);
    first = builder_.CreateSelect(builder_.CreateICmpSGT(first, i64(total)), i64(total), first);
    return builder_.CreateTrunc(builder_.CreateSub(first, i64(half)), number);
  });
  Val result;
  result.varying = true;
  result.depth = edge.depth;
  Value* all = splat(edge.scalar(), edge.depth);
  At at(*this, result.depth);
  for (int c = 0; c < vector_->copies; ++c) {
    llvm::SmallVector<llvm::Constant*, 64> lanes;
    for (int i = 0; i < width; ++i)
      lanes.push_back(llvm::ConstantInt::getSigned(number, int64_t{c} * width + i - half));
    Value* numbers = llvm::ConstantVector::get(lanes);
    result.copies.push_back(grows ? builder_.CreateICmpSGE(numbers, all) : builder_.CreateICmpSLT(numbers, all));
  }
  return result;
}

// Contiguous elements under a mask that the processor has. LLVM 19 drops the mask of a register that it splits off
// where no lane of it can be active, and reads what is there: such a register is left out.
Value* KernelEmitter::load_masked(llvm::Type* element, Value* at, Value* mask) {
  const int width = vector_->width;
  const int held = std::min(width, features_.vector_bytes * 8 / static_cast<int>(element->getScalarSizeInBits()));
  const llvm::Align align(element->getScalarSizeInBits() / 8);
  std::vector<bool> known(static_cast<size_t>(width), true);
  unknown_part(builder_, mask, known);
  const auto idle = [&](int first) {
    return std::find(known.begin() + first, known.begin() + first + held, true) == known.begin() + first + held;
  };
  bool some_idle = false;
  for (int first = 0; first < width; first += held) some_idle |= idle(first);
  if (!some_idle)
    return builder_.CreateMaskedLoad(widen(element), at, align, mask, llvm::Constant::getNullValue(widen(element)));
  llvm::Type* type = llvm::FixedVectorType::get(element, static_cast<unsigned>(held));
  Value* result = llvm::Constant::getNullValue(widen(element));
  for (int first = 0; first < width; first += held) {
    if (idle(first)) continue;
    llvm::SmallVector<int, 64> part, placed;
    for (int i = 0; i < held; ++i) part.push_back(first + i);
    for (int i = 0; i < width; ++i) placed.push_back(i >= first && i < first + held ? i - first : width + i);
    Value* own = held == width ? mask : builder_.CreateShuffleVector(mask, part);
    Value* from = builder_.CreateInBoundsGEP(element, at, i64(first));
    Value* loaded = builder_.CreateMaskedLoad(type, from, align, own, llvm::Constant::getNullValue(type));
    if (held == width) return loaded;
    llvm::SmallVector<int, 64> wide;
    for (int i = 0; i < width; ++i) wide.push_back(i < held ? i : llvm::PoisonMaskElem);
    result = builder_.CreateShuffleVector(builder_.CreateShuffleVector(loaded, wide), result, placed);
  }
  return result;
}

// Elements under a mask whose lanes are known but for one condition that they share, as of a short row of padding.
// Where it does not hold the elements are zeros; else null is returned.
Value* KernelEmitter::load_on_condition(const Address& a, Value* at, Value* mask) {
  if (features_.masks_small || vector_->width > kZeroLanes) return nullptr;
  std::vector<bool> lanes(static_cast<size_t>(vector_->width), true);
  Value* shared = unknown_part(builder_, mask, lanes);
  // As spread() writes it.
  using namespace llvm::PatternMatch;
  llvm::CmpInst::Predicate predicate{};
  Value *bytes = nullptr, *condition = nullptr;
  if (!shared || !match(shared, m_ICmp(predicate, m_Value(bytes), m_Zero())) || predicate != llvm::CmpInst::ICMP_NE)
    return nullptr;
  Value* byte = llvm::getSplatValue(bytes);
  if (!byte || !match(byte, m_ZExt(m_Value(condition))) || !condition->getType()->isIntegerTy(1)) return nullptr;
  return load_known(a, builder_.CreateSelect(condition, at, zeros()), lanes);
}

// The elements of lanes that are known to be active, and zeros.
Value* KernelEmitter::load_known(const Address& a, Value* at, const std::vector<bool>& lanes) {
  const auto first = std::find(lanes.begin(), lanes.end(), true), end = std::find(first, lanes.end(), false);
  const int begin = static_cast<int>(first - lanes.begin()), count = static_cast<int>(end - first);
  const int width = vector_->width;
  if (count == width) return load_contiguous(a, at, nullptr);
  Value* zero = llvm::Constant::getNullValue(widen(a.element));
  if (count == 0) return zero;
  if (std::find(end, lanes.end(), true) != lanes.end()) {
    llvm::SmallVector<llvm::Constant*, 64> active;
    for (const bool lane : lanes) active.push_back(builder_.getInt1(lane));
    return load_each(a, at, llvm::ConstantVector::get(active));
  }
  Value* from = builder_.CreateInBoundsGEP(a.element, at, i64(begin));
  Value* elements = load_pieces(a.element, from, count);
  llvm::SmallVector<int, 64> pick;
  for (int i = 0; i < width; ++i) pick.push_back(i >= begin && i < begin + count ? i - begin : width + i);
  return builder_.CreateShuffleVector(elements, zero, pick);
}

// Contiguous elements, one by one.
Value* KernelEmitter::load_each(const Address& a, Value* at, Value* mask) {
  Address lanes = a;
  lanes.base = uniform(at, depth());
  lanes.stride = 1;
  lanes.step = lanes.row_step = nullptr;
  return load_lanes(lanes, 0, mask);
}

// Elements of 8 or 16 bits under a mask that no lane mask of the loop is. A page that has an active lane can be read,
// so a vector that ends in the page where it begins is read whole, whatever lies around its active lanes. Where no lane
// is active, that is a vector of zeros.
Value* KernelEmitter::load_run(const Address& a, Value* at, Value* mask) {
  const int width = vector_->width;
  llvm::Type* type = widen(a.element);
  const llvm::Align align(a.dtype.size());
  std::vector<bool> known(static_cast<size_t>(width), true);
  Value* unknown = unknown_part(builder_, mask, known);
  if (!unknown) return load_known(a, at, known);
  llvm::Type* bits = builder_.getIntNTy(static_cast<unsigned>(width));
  Value* active = builder_.CreateBitCast(mask, bits);
  Value* tested = unknown == mask ? active : builder_.CreateBitCast(unknown, bits);
  BasicBlock *all = block("all"), *edge = block("edge"), *page = block("page"), *part = block("part");
  BasicBlock* join = block("join");
  llvm::SmallVector<std::pair<Value*, BasicBlock*>, 3> values;
  const auto close = [&](Value* value) {
    values.emplace_back(value, builder_.GetInsertBlock());
    builder_.CreateBr(join);
  };
  llvm::MDNode* likely = llvm::MDBuilder(context_).createLikelyBranchWeights();
  builder_.CreateCondBr(builder_.CreateICmpEQ(tested, llvm::Constant::getAllOnesValue(bits)), all, edge, likely);
  builder_.SetInsertPoint(all);
  close(load_known(a, at, known));
  builder_.SetInsertPoint(edge);
  auto* none = llvm::cast<llvm::GlobalVariable>(zeros());
  none->setAlignment(llvm::Align(kPageBytes / 8));  // it lies in one page
  Value* from = builder_.CreateSelect(builder_.CreateIsNull(active), none, at);
  Value* place = builder_.CreateAnd(builder_.CreatePtrToInt(from, builder_.getInt64Ty()), i64(kPageBytes - 1));
  builder_.CreateCondBr(builder_.CreateICmpULE(place, i64(kPageBytes - int64_t{width} * a.dtype.size())), page, part,
                        likely);
  builder_.SetInsertPoint(page);
  close(builder_.CreateSelect(mask, builder_.CreateAlignedLoad(type, from, align), llvm::Constant::getNullValue(type)));
  builder_.SetInsertPoint(part);
  close(load_each(a, at, mask));
  builder_.SetInsertPoint(join);
  llvm::PHINode* result = builder_.CreatePHI(type, static_cast<unsigned>(values.size()));
  for (const auto& [value, block] : values) result->addIncoming(value, block);
  return result;
}

}  // namespace frit::codegen
