// Accesses of lanes a few elements apart: whole vectors and shuffles.
//
// The lanes' elements span as many vectors as they are apart. A processor with shuffles of two vectors takes each in
// one instruction, where single elements take two for each lane.
#include <llvm/IR/Constants.h>

#include "codegen/llvm/emitter.h"

namespace frit::codegen {

using llvm::Value;

namespace {

constexpr int64_t kMaxSpread = 12, kMaxSpreadOfBytes = 3;

}  // namespace

bool KernelEmitter::spreads_well(const Address& a) const {
  return features_.masks_small && a.kind == Address::Kind::Strided && !a.step && a.stride >= 2 &&
         a.stride <= kMaxSpread && a.stride < vector_->width &&
         (a.dtype.size() >= 2 || a.stride <= kMaxSpreadOfBytes) && vector_->width * a.dtype.size() >= 16 &&
         vector_->width * a.dtype.size() <= features_.vector_bytes;
}

// The last vector ends with the last lane's element, so nothing past it is read.
Value* KernelEmitter::load_spread(const Address& a, int copy) {
  const int64_t width = vector_->width, span = (width - 1) * a.stride + 1, vectors = (span + width - 1) / width;
  const llvm::Align align(a.dtype.size());
  Value* at = copy_address(a, copy);
  Value* result = nullptr;
  for (int64_t v = 0; v < vectors; ++v) {
    const int64_t first = v + 1 < vectors ? v * width : span - width;
    Value* from = builder_.CreateInBoundsGEP(a.element, at, i64(first));
    Value* part = builder_.CreateAlignedLoad(widen(a.element), from, align);
    llvm::SmallVector<int, 64> pick;
    for (int64_t lane = 0; lane < width; ++lane) {
      const int64_t element = lane * a.stride;
      const bool here = element >= v * width && element < first + width;
      pick.push_back(static_cast<int>(here ? width + element - first : lane));
    }
    result = builder_.CreateShuffleVector(result ? result : part, part, pick);
  }
  return result;
}

void KernelEmitter::store_spread(const Address& a, int copy, Value* value) {
  const int64_t width = vector_->width, span = (width - 1) * a.stride + 1;
  Value* at = copy_address(a, copy);
  for (int64_t first = 0; first < span; first += width) {
    llvm::SmallVector<int, 64> pick;
    llvm::SmallVector<llvm::Constant*, 64> here;
    for (int64_t i = first; i < first + width; ++i) {
      const bool is_lane = i % a.stride == 0 && i < span;
      pick.push_back(is_lane ? static_cast<int>(i / a.stride) : llvm::PoisonMaskElem);
      here.push_back(builder_.getInt1(is_lane));
    }
    Value* to = builder_.CreateInBoundsGEP(a.element, at, i64(first));
    builder_.CreateMaskedStore(builder_.CreateShuffleVector(value, pick), to, llvm::Align(a.dtype.size()),
                               llvm::ConstantVector::get(here));
  }
}

}  // namespace frit::codegen
