// Accesses of the first lanes of a vector, for processors without masks for small elements.
//
// A number of lanes that is known is two accesses of a power of two, which may overlap: a store under a mask takes some
// processors a dozen cycles and more. An unknown number of 8 or 16 bit elements is read by a mask of 32-bit words and
// the elements behind the last whole word, and written through the stack.
#include <llvm/IR/Constants.h>

#include <algorithm>
#include <bit>

#include "codegen/llvm/emitter.h"

namespace frit::codegen {

using llvm::BasicBlock;
using llvm::Value;

namespace {

constexpr int kWordBits = 32;
constexpr int kLeastWords = 4;  // of a register

llvm::SmallVector<int, 64> from(int first, int count, int width) {
  llvm::SmallVector<int, 64> pick;
  for (int i = 0; i < width; ++i) pick.push_back(i < count ? first + i : llvm::PoisonMaskElem);
  return pick;
}

}  // namespace

// The number of lanes if `mask` has the first ones only, at most the vector's width; else null.
Value* KernelEmitter::prefix_of(Value* mask) {
  const VectorScope& scope = *vector_;
  const auto at_most_width = [&](Value* n) -> Value* {
    if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(n))
      return i64(std::min<int64_t>(known->getSExtValue(), scope.width));
    return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, n, i64(scope.width));
  };
  if (mask == scope.mask) return at_most_width(scope.remaining);
  if (scope.rows_mask && mask == scope.rows_mask) return at_most_width(scope.rows_left);
  for (size_t c = 0; c < scope.row_masks.size(); ++c)
    if (mask == scope.row_masks[c])
      return builder_.CreateSelect(scope.row_active[c], at_most_width(scope.remaining), i64(0));
  return nullptr;
}

// The value of `count` if it is a constant, else 0.
int KernelEmitter::known_count(Value* count) {
  auto* constant = llvm::dyn_cast_or_null<llvm::ConstantInt>(count);
  return constant ? static_cast<int>(constant->getSExtValue()) : 0;
}

// The first `count` elements at `at`, a number below the width, and zeros.
Value* KernelEmitter::load_pieces(llvm::Type* element, Value* at, int count) {
  const int width = vector_->width, piece = static_cast<int>(std::bit_floor(static_cast<unsigned>(count)));
  const llvm::Align align(element->getScalarSizeInBits() / 8);
  llvm::Type* type = llvm::FixedVectorType::get(element, static_cast<unsigned>(piece));
  Value* zero = llvm::Constant::getNullValue(widen(element));
  const auto load = [&](int first) {
    Value* from_here = builder_.CreateInBoundsGEP(element, at, i64(first));
    Value* part = builder_.CreateAlignedLoad(type, from_here, align);
    return builder_.CreateShuffleVector(part, from(0, piece, width));
  };
  Value* result = load(0);
  llvm::SmallVector<int, 64> pick;
  for (int i = 0; i < width; ++i) pick.push_back(i < piece ? i : width + i);
  if (piece < count) {
    // The last piece, moved to its lanes.
    llvm::SmallVector<int, 64> moved;
    for (int i = 0; i < width; ++i)
      moved.push_back(i >= piece && i < count ? i - (count - piece) : i < piece ? i : width);
    Value* last = builder_.CreateShuffleVector(load(count - piece), zero, moved);
    return builder_.CreateShuffleVector(result, last, pick);
  }
  return builder_.CreateShuffleVector(result, zero, pick);
}

void KernelEmitter::store_pieces(llvm::Type* element, Value* at, Value* value, int count) {
  const int piece = static_cast<int>(std::bit_floor(static_cast<unsigned>(count)));
  for (int first : {0, count - piece}) {
    Value* part = builder_.CreateShuffleVector(value, from(first, piece, piece));
    Value* to = builder_.CreateInBoundsGEP(element, at, i64(first));
    builder_.CreateAlignedStore(part, to, llvm::Align(element->getScalarSizeInBits() / 8));
    if (piece == count) break;
  }
}

// The first `count` elements of 8 or 16 bits, and zeros.
Value* KernelEmitter::load_small_prefix(llvm::Type* element, Value* at, Value* count) {
  const int width = vector_->width, bits = static_cast<int>(element->getScalarSizeInBits()), each = kWordBits / bits;
  const int words = std::max(kLeastWords, width / each);
  llvm::Type* type = llvm::FixedVectorType::get(builder_.getInt32Ty(), static_cast<unsigned>(words));
  const llvm::Align align(static_cast<uint64_t>(bits) / 8);
  const auto lanes = [&](int n, llvm::Type* of) {
    llvm::SmallVector<llvm::Constant*, 64> numbers;
    for (int i = 0; i < n; ++i) numbers.push_back(llvm::ConstantInt::get(of, static_cast<uint64_t>(i)));
    return llvm::ConstantVector::get(numbers);
  };
  Value* few = builder_.CreateTrunc(count, builder_.getInt32Ty());
  Value* whole = builder_.CreateLShr(few, static_cast<uint64_t>(std::countr_zero(static_cast<unsigned>(each))));
  Value* mask = builder_.CreateICmpSLT(lanes(words, builder_.getInt32Ty()),
                                       builder_.CreateVectorSplat(static_cast<unsigned>(words), whole));
  Value* result = builder_.CreateMaskedLoad(type, at, align, mask, llvm::Constant::getNullValue(type));
  llvm::Type* small = builder_.getIntNTy(static_cast<unsigned>(bits));
  result = builder_.CreateBitCast(result, llvm::FixedVectorType::get(small, static_cast<unsigned>(words * each)));
  result = builder_.CreateShuffleVector(result, from(0, width, width));
  for (int j = 0; j + 1 < each; ++j) {
    Value* position = builder_.CreateAdd(builder_.CreateMul(whole, builder_.getInt32(static_cast<uint32_t>(each))),
                                         builder_.getInt32(static_cast<uint32_t>(j)));
    Value* active = builder_.CreateICmpSLT(position, few);
    Value* own = builder_.CreateInBoundsGEP(small, at, builder_.CreateZExt(position, builder_.getInt64Ty()));
    Value* single = builder_.CreateAlignedLoad(small, builder_.CreateSelect(active, own, zeros()), align);
    Value* lane = builder_.CreateTrunc(builder_.CreateSelect(active, position, builder_.getInt32(0x7f)), small);
    Value* here =
        builder_.CreateICmpEQ(lanes(width, small), builder_.CreateVectorSplat(static_cast<unsigned>(width), lane));
    result = builder_.CreateSelect(here, builder_.CreateVectorSplat(static_cast<unsigned>(width), single), result);
  }
  return builder_.CreateBitCast(result, widen(element));
}

// Stores the first `count` elements: two pieces of the largest power of two that is not more, which may overlap.
void KernelEmitter::store_small_prefix(llvm::Type* element, Value* at, Value* value, Value* count) {
  const int width = vector_->width;
  const llvm::Align align(element->getScalarSizeInBits() / 8);
  Value* buffer = stack_vector(value->getType());
  builder_.CreateStore(value, buffer);
  BasicBlock* done = block("stored");
  for (int piece = width; piece >= 1; piece /= 2) {
    BasicBlock *fits = block("piece"), *next = piece > 1 ? block("shorter") : done;
    builder_.CreateCondBr(builder_.CreateICmpSGE(count, i64(piece)), fits, next);
    builder_.SetInsertPoint(fits);
    llvm::Type* type = llvm::FixedVectorType::get(element, static_cast<unsigned>(piece));
    for (Value* first : {i64(0), builder_.CreateSub(count, i64(piece))}) {
      Value* part = builder_.CreateAlignedLoad(type, builder_.CreateInBoundsGEP(element, buffer, first), align);
      builder_.CreateAlignedStore(part, builder_.CreateInBoundsGEP(element, at, first), align);
      if (piece == 1) break;
    }
    builder_.CreateBr(done);
    builder_.SetInsertPoint(next);
  }
}

}  // namespace frit::codegen
