// Accesses of lanes a few elements apart: whole vectors and shuffles.
//
// Two stores whose elements lie side by side, as the parts of complex numbers, are written together.
//
// The lanes' elements span as many vectors as they are apart. A processor with shuffles of two vectors takes each in
// one instruction, where single elements take two for each lane.
#include <llvm/IR/Constants.h>

#include "codegen/llvm/emitter.h"

namespace frit::codegen {

using llvm::Value;

namespace {

constexpr int64_t kMaxSpread = 12, kMaxSpreadOfBytes = 3;

// Finds stores that follow each other in a body, of elements side by side.
void find_pairs(const ir::Body& body, StorePairs& pairs) {
  const ir::StoreInstr* first = nullptr;
  for (const ir::Instr& i : body) {
    if (const auto* loop = std::get_if<ir::Loop>(&i.node)) find_pairs(loop->body, pairs);
    if (std::holds_alternative<ir::ScalarInstr>(i.node)) continue;
    const auto* s = std::get_if<ir::StoreInstr>(&i.node);
    const bool plain = s && s->mask == ir::kNoReg;
    // No load between both may meet what the first has written.
    if (plain && first && s->buffer == first->buffer && (s->index - first->index).is(1)) {
      pairs.seconds.emplace(first, s);
      first = nullptr;
    } else {
      first = plain ? s : nullptr;
    }
  }
}

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

// Keeps the value of the first store of a pair, and writes both with the second. Returns false for others.
bool KernelEmitter::store_in_pairs(const ir::StoreInstr& store, const Address& a, const Val& value) {
  if (!store_pairs_) find_pairs(kernel_.body, store_pairs_.emplace());
  if (const auto kept = store_pairs_->kept.find(&store); kept != store_pairs_->kept.end()) {
    const auto [first, values] = std::move(kept->second);
    store_pairs_->kept.erase(kept);
    const Address begin = address(first->buffer, first->index);
    const bool stream =
        store.stream && first->stream && !vector_->shifted && is_aligned(first->index.substitute(vector_->var, Dim(0)));
    const int width = vector_->width;
    for (int c = 0; c < copies(); ++c) {
      Value* second = to_memory(a.dtype, get(value, c, true));
      for (int half = 0; half < 2; ++half) {
        llvm::SmallVector<int, 64> pick;
        for (int i = 0; i < width; ++i) pick.push_back((half * width + i) / 2 + (i % 2) * width);
        Value* to = builder_.CreateInBoundsGEP(a.element, copy_address(begin, c), i64(int64_t{half} * width));
        Value* elements = builder_.CreateShuffleVector(values[static_cast<unsigned>(c)], second, pick);
        store_contiguous(begin, to, elements, nullptr, stream);
      }
    }
    return true;
  }
  if (a.kind != Address::Kind::Strided || a.step || a.stride != 2 || vector_->mask || !vector_->rows.empty())
    return false;
  if (vector_->width * a.dtype.size() < 16 || vector_->width * a.dtype.size() > features_.vector_bytes) return false;
  const auto pair = store_pairs_->seconds.find(&store);
  if (pair == store_pairs_->seconds.end()) return false;
  StorePairs::Kept& kept = store_pairs_->kept[pair->second];
  kept.first = &store;
  for (int c = 0; c < copies(); ++c) kept.values.push_back(to_memory(a.dtype, get(value, c, true)));
  return true;
}

}  // namespace frit::codegen
