// Loads and stores of lanes that lie anywhere, as of a table, by the processor's gather and scatter.
#include <llvm/IR/Constants.h>

#include <cstdint>
#include <limits>

#include "codegen/llvm/emitter.h"

namespace frit::codegen {

using llvm::Value;

namespace {

constexpr int64_t kWord = 4;  // bytes; the shortest element that processors gather
constexpr int kBits = 8;

}  // namespace

// The lanes' positions in copy `copy` of `index`, in 32 bits where those suffice: positions of 32 bits take one
// instruction where longer ones take two.
Value* KernelEmitter::lane_positions(const Address& a, const Dim& index, int copy) {
  const DimRange range = facts_.range(index);
  const bool narrow = range.low >= 0 && range.high < std::numeric_limits<int32_t>::max() / a.dtype.size() - kWord;
  llvm::Type* type = narrow ? builder_.getInt32Ty() : builder_.getInt64Ty();
  return builder_.CreateTrunc(a.index.copies[static_cast<size_t>(copy)],
                              llvm::FixedVectorType::get(type, static_cast<unsigned>(vector_->width)));
}

// The elements at the positions of copy `copy` of `index`; zero in lanes that `mask` (null: none) leaves out. A shorter
// element is taken from the aligned word that it lies in: its other bytes may belong to nobody, but are in a page that
// the element is in, too.
Value* KernelEmitter::load_gathered(const Address& a, const Dim& index, int copy, Value* mask) {
  const auto width = static_cast<unsigned>(vector_->width);
  const int64_t size = a.dtype.size();
  const auto lanes_of = [&](llvm::Type* t) { return llvm::FixedVectorType::get(t, width); };
  Value* position = lane_positions(a, index, copy);
  llvm::Type* integer = position->getType();
  if (!mask) mask = llvm::Constant::getAllOnesValue(lanes_of(builder_.getInt1Ty()));
  const auto gather = [&](llvm::Type* unit, llvm::Type* element, Value* base, Value* at, int64_t align) {
    Value* zero = llvm::Constant::getNullValue(lanes_of(element));
    return builder_.CreateMaskedGather(lanes_of(element), builder_.CreateGEP(unit, base, at),
                                       llvm::Align(static_cast<uint64_t>(align)), mask, zero);
  };
  if (size >= kWord) return gather(a.element, a.element, a.base.scalar(), position, size);

  const auto number = [&](int64_t v) { return llvm::ConstantInt::get(integer, static_cast<uint64_t>(v)); };
  llvm::Type* address = builder_.getInt64Ty();
  Value* begin = builder_.CreateAnd(builder_.CreatePtrToInt(a.base.scalar(), address), i64(kWord - 1));
  Value* base = builder_.CreateGEP(builder_.getInt8Ty(), a.base.scalar(), builder_.CreateNeg(begin));
  begin = builder_.CreateVectorSplat(width, builder_.CreateTrunc(begin, integer->getScalarType()));
  Value* offset = builder_.CreateAdd(builder_.CreateMul(position, number(size)), begin);
  Value* words =
      gather(builder_.getInt8Ty(), builder_.getInt32Ty(), base, builder_.CreateAnd(offset, number(-kWord)), kWord);
  Value* part = builder_.CreateMul(builder_.CreateAnd(offset, number(kWord - 1)), number(kBits));
  return builder_.CreateTrunc(builder_.CreateLShr(words, builder_.CreateTrunc(part, words->getType())),
                              lanes_of(a.element));
}

// Stores each lane at its own position in one instruction, where there is one; otherwise emits nothing and returns
// false. Lanes that share a position are stored in their order, as they would be one by one.
bool KernelEmitter::store_scattered(const Address& a, const Dim& index, int copy, Value* value, Value* mask) {
  if (a.kind != Address::Kind::Indexed || !features_.gathers || a.dtype.size() < kWord) return false;
  Value* at = builder_.CreateGEP(a.element, a.base.scalar(), lane_positions(a, index, copy));
  builder_.CreateMaskedScatter(value, at, llvm::Align(static_cast<uint64_t>(a.dtype.size())), mask);
  return true;
}

}  // namespace frit::codegen
