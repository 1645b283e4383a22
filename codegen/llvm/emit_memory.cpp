// Loads and stores: contiguous vectors where the position allows, lane by lane elsewhere. Inactive lanes access no
// buffer.
#include <llvm/IR/Constants.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <bit>

#include "codegen/llvm/emitter.h"
#include "passes/schedule/stream_lines.h"

namespace frit::codegen {

using llvm::Value;
using passes::kLineBytes;

// A larger constant stride is computed like an unknown one; a smaller one becomes part of the instruction.
constexpr int64_t kMaxConstantStride = int64_t{1} << 24;

KernelEmitter::Address KernelEmitter::address(uint32_t buffer, const Dim& index) {
  Address a;
  a.dtype = kernel_.buffer(buffer).dtype;
  a.element = memory_type(a.dtype);
  Value* start = buffers_[buffer];
  auto offset_by = [&](const Val& from, const Val& position) {
    return pure({&from, &position},
                [&](llvm::ArrayRef<Value*> v) { return builder_.CreateInBoundsGEP(a.element, v[0], v[1]); });
  };
  if (!varies(index)) {
    a.kind = Address::Kind::Uniform;
    a.base = offset_by(uniform(start, 0), eval(index));
    return a;
  }
  std::optional<Dim::Affine> affine, along_rows;
  if (varies_by_variable_only(index)) affine = index.affine_in(vector_->var);
  if (affine && !vector_->rows.empty()) {
    along_rows = affine->rest.affine_in(vector_->rows);
    if (!along_rows || affine->coefficient.uses(vector_->rows)) affine.reset();
  }
  if (!affine) {
    if (auto step = constant_offsets_of_step(index); !step.empty()) {
      a.kind = Address::Kind::Grouped;
      a.bases.assign(static_cast<size_t>(copies()), offset_by(uniform(start, 0), first_lane(index, 0)).scalar());
      const auto [low, high] = std::minmax_element(step.begin(), step.end());
      a.reach = {*low, *high};
      for (auto own = step.begin(); own != step.end(); own += vector_->width)
        a.offsets.emplace_back(own, own + vector_->width);
      return a;
    }
    if (auto lanes = constant_offsets(index); !lanes.empty()) {
      a.kind = Address::Kind::Grouped;
      for (LaneOffsets& own : lanes) a.offsets.push_back(std::move(own.offsets));
      for (int c = 0; c < copies(); ++c) a.bases.push_back(offset_by(uniform(start, 0), first_lane(index, c)).scalar());
      return a;
    }
    a.kind = Address::Kind::Indexed;
    a.base = uniform(start, 0);
    a.index = eval(index);
    return a;
  }
  a.kind = Address::Kind::Strided;
  Val step = eval(affine->coefficient);
  if (affine->coefficient.is_const() && std::abs(affine->coefficient.value()) <= kMaxConstantStride)
    a.stride = affine->coefficient.value();
  else
    a.step = step.scalar();
  // The part that does not depend on the vector variable is added to the buffer's address first, so that it is hoisted.
  Val fixed = offset_by(uniform(start, 0), eval(along_rows ? along_rows->rest : affine->rest));
  if (along_rows && !along_rows->coefficient.is(0)) {
    Val row_step = eval(along_rows->coefficient), row = uniform(vector_->row, vector_->depth - 1);
    fixed = offset_by(
        fixed, pure({&row_step, &row}, [&](llvm::ArrayRef<Value*> v) { return builder_.CreateMul(v[0], v[1]); }));
    a.row_step = row_step.scalar();
    if (vector_->mask)
      for (Value* number : vector_->row_numbers) {
        const Val behind = uniform(number, vector_->depth - 1);
        a.rows.push_back(pure({&row_step, &behind}, [&](llvm::ArrayRef<Value*> v) {
                           return builder_.CreateMul(v[0], v[1]);
                         }).scalar());
      }
    a.along_rows = along_rows->coefficient.is(1);
  }
  Val base = uniform(vector_->base, vector_->depth);
  Val moving = pure({&step, &base}, [&](llvm::ArrayRef<Value*> v) { return builder_.CreateMul(v[0], v[1]); });
  a.base = offset_by(fixed, moving);
  return a;
}

Value* KernelEmitter::copy_address(const Address& a, int copy) {
  if (!vector_->rows.empty()) {
    if (copy == 0 || !a.row_step) return a.base.scalar();
    if (!a.rows.empty())
      return builder_.CreateInBoundsGEP(a.element, a.base.scalar(), a.rows[static_cast<size_t>(copy)]);
    return builder_.CreateInBoundsGEP(a.element, a.base.scalar(), builder_.CreateMul(a.row_step, i64(copy)));
  }
  if (copy == 0 || a.stride == 0) return a.base.scalar();
  return builder_.CreateInBoundsGEP(a.element, a.base.scalar(), i64(a.stride * copy * vector_->width));
}

Value* KernelEmitter::lane_address(const Address& a, int copy, int lane) {
  switch (a.kind) {
    case Address::Kind::Uniform: return a.base.scalar();
    case Address::Kind::Grouped:
      return builder_.CreateInBoundsGEP(a.element, a.bases[static_cast<size_t>(copy)],
                                        i64(a.offsets[static_cast<size_t>(copy)][static_cast<size_t>(lane)]));
    case Address::Kind::Indexed: {
      Value* position = builder_.CreateExtractElement(a.index.copies[static_cast<size_t>(copy)], i64(lane));
      return builder_.CreateInBoundsGEP(a.element, a.base.scalar(), position);
    }
    case Address::Kind::Strided: break;
  }
  if (!vector_->rows.empty()) {
    Value* position = a.step ? builder_.CreateMul(a.step, i64(lane)) : i64(a.stride * lane);
    return builder_.CreateInBoundsGEP(a.element, copy_address(a, copy), position);
  }
  int64_t n = int64_t{copy} * vector_->width + lane;
  Value* position = a.step ? builder_.CreateMul(a.step, i64(n)) : i64(a.stride * n);
  return builder_.CreateInBoundsGEP(a.element, a.base.scalar(), position);
}

// Whether lane `lane` is active under `mask` (null: always), as an i1.
Value* KernelEmitter::lane_active(Value* mask, int lane) {
  if (!mask) return nullptr;
  if (mask == vector_->mask) return builder_.CreateICmpSGT(vector_->remaining, i64(lane));
  return builder_.CreateExtractElement(mask, i64(lane));
}

Value* KernelEmitter::both(Value* a, Value* b) {
  if (!a) return b;
  return b ? builder_.CreateAnd(a, b) : a;
}

bool KernelEmitter::masks_well(llvm::Type* element) const {
  return element->getScalarSizeInBits() >= 32 || features_.masks_small;
}

Value* KernelEmitter::spare() {
  if (!spare_) {
    llvm::IRBuilderBase::InsertPointGuard guard(builder_);
    llvm::BasicBlock& entry = function_->getEntryBlock();
    builder_.SetInsertPoint(&entry, entry.begin());
    spare_ = builder_.CreateAlloca(builder_.getInt64Ty(), nullptr, "spare");
  }
  return spare_;
}

Value* KernelEmitter::zeros() {
  if (!zeros_) {
    llvm::Type* type = llvm::ArrayType::get(builder_.getInt64Ty(), kZeroLanes);
    zeros_ = new llvm::GlobalVariable(module_, type, true, llvm::GlobalValue::PrivateLinkage,
                                      llvm::Constant::getNullValue(type), "zeros");
  }
  return zeros_;
}

Value* KernelEmitter::from_memory(Dtype t, Value* raw) {
  return t == bool_ ? builder_.CreateICmpNE(raw, llvm::Constant::getNullValue(raw->getType())) : raw;
}

Value* KernelEmitter::to_memory(Dtype t, Value* value) {
  return t == bool_ ? builder_.CreateZExt(value, like(value, builder_.getInt8Ty())) : value;
}

// The depth at which a uniform load may stand: above loops that surely run and do not write its buffer.
int KernelEmitter::load_depth(const ir::LoadInstr& load, int address_depth) const {
  int d = depth();
  for (bool sure = true; d > address_depth && sure; --d) {
    const Frame& f = frames_[static_cast<size_t>(d - 1)];
    if (f.stored.count(load.buffer)) break;
    // The preheader runs once the loop is known to run; to hoist further, the loop must always run.
    sure = f.always_runs;
  }
  return d;
}

void KernelEmitter::emit_load(const ir::LoadInstr& load) {
  if (skip(load.result)) return;
  if (take_from_tile(load)) return;
  Address a = address(load.buffer, load.index);
  const Val* mask = load.mask == ir::kNoReg || held_masks_.count(load.mask) ? nullptr : &reg(load.mask);
  Val result;
  if (a.kind == Address::Kind::Uniform && (!mask || !mask->varying)) {
    result.depth = mask ? depth() : load_depth(load, a.base.depth);
    At at(*this, result.depth);
    result.copies.push_back(load_uniform(a, mask));
  } else if (a.kind == Address::Kind::Strided && a.along_rows && (a.step || a.stride > 1) && !mask) {
    result = load_transposed(a);
  } else {
    result.varying = true;
    result.depth = depth();
    for (int c = 0; c < copies(); ++c) {
      Value* own = mask ? get(*mask, c, true) : nullptr;
      Value* value = nullptr;
      if (a.kind == Address::Kind::Strided && a.stride == 1 && mask && !mask->varying && vector_->width <= kZeroLanes) {
        // One condition for all lanes, such as a row of padding. The processor takes hundreds of cycles for a lane mask
        // without lanes whose address is in no page.
        Value* at = builder_.CreateSelect(mask->scalar(), copy_address(a, c), zeros());
        value = load_contiguous(a, at, vector_->lanes(c));
      } else if (a.kind == Address::Kind::Strided && a.stride == 1) {
        // A missing row is read as the last one there, so only its lanes count.
        Value* lanes = vector_->reads_on ? nullptr : a.rows.empty() ? vector_->lanes(c) : vector_->mask;
        value = load_contiguous(a, copy_address(a, c), both(lanes, own));
      } else if (a.kind == Address::Kind::Strided && !a.step && a.stride == 0 && !own) {
        // One element for each row.
        Value* at = copy_address(a, c);
        if (!vector_->row_active.empty())
          at = builder_.CreateSelect(vector_->row_active[static_cast<size_t>(c)], at, zeros());
        value = builder_.CreateAlignedLoad(a.element, at, llvm::Align(a.dtype.size()));
        value = builder_.CreateVectorSplat(static_cast<unsigned>(vector_->width), value);
      } else if (a.kind == Address::Kind::Strided && a.stride == -1 && !vector_->mask && !own) {
        Value* first = builder_.CreateInBoundsGEP(a.element, copy_address(a, c), i64(1 - vector_->width));
        value = builder_.CreateVectorReverse(load_contiguous(a, first, nullptr));
      } else if (a.kind == Address::Kind::Strided && a.stride == 2 && !vector_->mask && !own) {
        value = load_pairs(a, c);
      } else if (!vector_->mask && !own && spreads_well(a)) {
        value = load_spread(a, c);
      } else if (a.kind == Address::Kind::Grouped && !vector_->mask && !own) {
        value = load_grouped(a, c);
      } else if (a.kind == Address::Kind::Indexed && features_.gathers) {
        value = load_gathered(a, load.index, c, both(vector_->lanes(c), own));
      } else {
        value = load_lanes(a, c, both(vector_->lanes(c), own));
      }
      result.copies.push_back(from_memory(a.dtype, value));
    }
  }
  if (bfloat_locals_.count(load.buffer))
    for (Value* copy : result.copies) exact_bfloat_[copy] = short_nan_[copy] = true;
  define(load.result, std::move(result));
  defined_[load.result] = true;
}

Value* KernelEmitter::load_uniform(const Address& a, const Val* mask) {
  Value* at = a.base.scalar();
  if (mask) at = builder_.CreateSelect(mask->scalar(), at, zeros());
  return from_memory(a.dtype, builder_.CreateAlignedLoad(a.element, at, llvm::Align(a.dtype.size())));
}

Value* KernelEmitter::load_contiguous(const Address& a, Value* at, Value* mask) {
  llvm::Type* type = widen(a.element);
  llvm::Align align(a.dtype.size());
  if (!mask) return builder_.CreateAlignedLoad(type, at, align);
  Value* zero = llvm::Constant::getNullValue(type);
  if (Value* elements = load_on_condition(a, at, mask)) return elements;
  Value* count = features_.masks_small ? nullptr : prefix_of(mask);
  if (const int known = count ? known_count(count) : 0; known > 0 && known < vector_->width)
    return load_pieces(a.element, at, known);
  if (masks_well(a.element)) return load_masked(a.element, at, mask);
  if (!count) return load_run(a, at, mask);
  if (features_.vector_bytes >= 32) return load_small_prefix(a.element, at, count);
  // Through the stack.
  Value* buffer = stack_vector(type);
  builder_.CreateStore(zero, buffer);
  builder_.CreateMemCpy(buffer, llvm::Align(1), at, align, builder_.CreateMul(count, i64(a.dtype.size())));
  return builder_.CreateLoad(type, buffer);
}

// Lanes whose elements lie in one vector's reach: the elements between the first and the last, and a shuffle.
Value* KernelEmitter::load_grouped(const Address& a, int copy) {
  const std::vector<int64_t>& offsets = a.offsets[static_cast<size_t>(copy)];
  const auto [low, high] = std::minmax_element(offsets.begin(), offsets.end());
  const int64_t count = *high - *low + 1;
  if (count > vector_->width) return load_lanes(a, copy, nullptr);
  Value* at = builder_.CreateInBoundsGEP(a.element, a.bases[static_cast<size_t>(copy)], i64(*low));
  const llvm::Align align(a.dtype.size());
  if (count == 1)
    return builder_.CreateVectorSplat(static_cast<unsigned>(vector_->width),
                                      builder_.CreateAlignedLoad(a.element, at, align));
  // A register's worth, where the step reads as much anyway.
  const auto whole = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(count)));
  if (a.reach && a.reach->second - a.reach->first + 1 >= whole) {
    const int64_t first = std::min(*low, a.reach->second + 1 - whole);
    llvm::SmallVector<int, 64> pick;
    for (int64_t offset : offsets) pick.push_back(static_cast<int>(offset - first));
    at = builder_.CreateInBoundsGEP(a.element, a.bases[static_cast<size_t>(copy)], i64(first));
    llvm::Type* type = llvm::FixedVectorType::get(a.element, static_cast<unsigned>(whole));
    return builder_.CreateShuffleVector(builder_.CreateAlignedLoad(type, at, align), pick);
  }
  Value* elements =
      builder_.CreateAlignedLoad(llvm::FixedVectorType::get(a.element, static_cast<unsigned>(count)), at, align);
  llvm::SmallVector<int, 32> pick;
  for (int64_t offset : offsets) pick.push_back(static_cast<int>(offset - *low));
  return builder_.CreateShuffleVector(elements, pick);
}

// Every second element: two contiguous loads and a shuffle. The second load starts one element early, so that it ends
// with the last lane's element and never past it.
Value* KernelEmitter::load_pairs(const Address& a, int copy) {
  int width = vector_->width;
  Value* at = copy_address(a, copy);
  Value* low = load_contiguous(a, at, nullptr);
  Value* high = load_contiguous(a, builder_.CreateInBoundsGEP(a.element, at, i64(width - 1)), nullptr);
  llvm::SmallVector<int, 32> pick;
  for (int i = 0; i < width; ++i) pick.push_back(2 * i < width ? 2 * i : 2 * i + 1);
  return builder_.CreateShuffleVector(low, high, pick);
}

Value* KernelEmitter::load_lanes(const Address& a, int copy, Value* mask) {
  Value* result = llvm::PoisonValue::get(widen(a.element));
  for (int i = 0; i < vector_->width; ++i) {
    Value* at = lane_address(a, copy, i);
    if (Value* active = lane_active(mask, i)) at = builder_.CreateSelect(active, at, zeros());
    Value* value = builder_.CreateAlignedLoad(a.element, at, llvm::Align(a.dtype.size()));
    result = builder_.CreateInsertElement(result, value, i64(i));
  }
  return result;
}

// Loads elements that are contiguous along the rows, if there are as many rows as lanes: one vector of rows for each
// lane, transposed in registers. Lanes past an end that is not known repeat the last active lane.
KernelEmitter::Val KernelEmitter::load_transposed(const Address& a) {
  const int width = vector_->width;
  Value* last = vector_->remaining ? builder_.CreateSub(vector_->remaining, i64(1)) : nullptr;
  const int known = known_count(vector_->remaining);
  Val rows;
  rows.varying = true;
  rows.depth = depth();
  for (int lane = 0; lane < width; ++lane) {
    if (known > 0 && lane >= known) {
      rows.copies.push_back(llvm::PoisonValue::get(widen(a.element)));
      continue;
    }
    Value* number =
        last && known == 0 ? builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, i64(lane), last) : i64(lane);
    Value* position = builder_.CreateMul(a.step ? a.step : i64(a.stride), number);
    Value* at = builder_.CreateInBoundsGEP(a.element, a.base.scalar(), position);
    rows.copies.push_back(load_contiguous(a, at, vector_->rows_mask));
  }
  transpose(rows.copies);
  rows.copies.truncate(static_cast<size_t>(copies()));
  for (Value*& row : rows.copies) row = from_memory(a.dtype, row);
  return rows;
}

// Transposes as many vectors as each has lanes: vector i then holds lane i of each. Instructions that interleave the
// 16-byte parts of two vectors do it within 16 bytes; then the parts change places.
void KernelEmitter::transpose(llvm::SmallVectorImpl<Value*>& rows) {
  const int width = static_cast<int>(rows.size());
  const int size = static_cast<int>(rows[0]->getType()->getScalarSizeInBits()) / 8;
  const int part = std::min(width, 16 / size);  // elements
  const int parts = width / part;
  llvm::SmallVector<int, 64> low(static_cast<size_t>(width)), high(low);
  for (int i = 0; i < width; ++i) {
    const int in_part = i % part, from = i - in_part + in_part / 2 + (in_part % 2 ? width : 0);
    low[static_cast<size_t>(i)] = from;
    high[static_cast<size_t>(i)] = from + part / 2;
  }
  llvm::SmallVector<Value*, 32> next(rows.size());
  auto at = [](auto& list, int i) -> auto& { return list[static_cast<size_t>(i)]; };
  for (int stage = 1; stage < part; stage *= 2) {
    for (int group = 0; group < width; group += part)
      for (int i = 0; i < part / 2; ++i) {
        Value *x = at(rows, group + i), *y = at(rows, group + i + part / 2);
        at(next, group + 2 * i) = builder_.CreateShuffleVector(x, y, low);
        at(next, group + 2 * i + 1) = builder_.CreateShuffleVector(x, y, high);
      }
    rows.assign(next.begin(), next.end());
  }
  llvm::SmallVector<int, 64> even, odd;
  for (int p = 0; p < parts; ++p)
    for (int i = 0; i < part; ++i) {
      even.push_back(2 * p * part + i);
      odd.push_back((2 * p + 1) * part + i);
    }
  for (int stage = 1; stage < parts; stage *= 2) {
    for (int column = 0; column < part; ++column)
      for (int p = 0; p < parts / 2; ++p) {
        Value *x = at(rows, 2 * p * part + column), *y = at(rows, (2 * p + 1) * part + column);
        at(next, p * part + column) = builder_.CreateShuffleVector(x, y, even);
        at(next, (p + parts / 2) * part + column) = builder_.CreateShuffleVector(x, y, odd);
      }
    rows.assign(next.begin(), next.end());
  }
}

void KernelEmitter::emit_store(const ir::StoreInstr& store) {
  if (keep_for_tile(store)) return;
  Address a = address(store.buffer, store.index);
  const Val& value = reg(store.value);
  const Val* mask = store.mask == ir::kNoReg ? nullptr : &reg(store.mask);
  if (a.kind == Address::Kind::Uniform && !value.varying && (!mask || !mask->varying)) {
    Value* at = a.base.scalar();
    if (mask) at = builder_.CreateSelect(mask->scalar(), at, spare());
    builder_.CreateAlignedStore(to_memory(a.dtype, value.scalar()), at, llvm::Align(a.dtype.size()));
    return;
  }
  if (!mask && store_in_pairs(store, a, value)) return;
  // Rows side by side take turns, so parts of a line would reach memory one by one.
  const bool lines = vector_->rows.empty() || vector_->width * a.dtype.size() >= kLineBytes;
  const bool stream = store.stream && lines && !vector_->shifted &&
                      (vector_->at_line || is_aligned(store.index.substitute(vector_->var, Dim(0))));
  for (int c = 0; c < copies(); ++c) {
    Value* own = mask ? get(*mask, c, true) : nullptr;
    Value* active = both(vector_->lanes(c), own);
    Value* raw = to_memory(a.dtype, get(value, c, true));
    if (a.kind == Address::Kind::Strided && a.stride == 1) {
      store_contiguous(a, copy_address(a, c), raw, active, stream);
    } else if (a.kind == Address::Kind::Strided && a.stride == -1 && !active) {
      Value* first = builder_.CreateInBoundsGEP(a.element, copy_address(a, c), i64(1 - vector_->width));
      store_contiguous(a, first, builder_.CreateVectorReverse(raw), nullptr);
    } else if (!active && spreads_well(a)) {
      store_spread(a, c, raw);
    } else if (!store_scattered(a, store.index, c, raw, active)) {
      store_lanes(a, c, raw, active);
    }
  }
}

void KernelEmitter::store_contiguous(const Address& a, Value* at, Value* value, Value* mask, bool stream) {
  llvm::Align align(a.dtype.size());
  if (!mask && stream && vector_->width * a.dtype.size() >= 16) {
    if (a.dtype == float16 && features_.half_arithmetic) value = hidden(value);
    auto* instr =
        builder_.CreateAlignedStore(value, at, llvm::Align(static_cast<uint64_t>(vector_->width) * a.dtype.size()));
    instr->setMetadata(llvm::LLVMContext::MD_nontemporal,
                       llvm::MDNode::get(context_, {llvm::ConstantAsMetadata::get(builder_.getInt32(1))}));
    streams_ = true;
  } else if (!mask) {
    builder_.CreateAlignedStore(value, at, align);
  } else if (const int known = features_.masks_small ? 0 : known_count(prefix_of(mask));
             known > 0 && known < vector_->width) {
    store_pieces(a.element, at, value, known);
  } else if (masks_well(a.element)) {
    builder_.CreateMaskedStore(value, at, align, mask);
  } else if (Value* count = prefix_of(mask)) {
    store_small_prefix(a.element, at, value, count);
  } else {
    Address lanes = a;
    lanes.base = uniform(at, depth());
    store_lanes(lanes, 0, value, mask);
  }
}

// `value`, of which LLVM does not see the origin: it would store the f16 that these bits were made from, and has no
// non-temporal store of that type.
Value* KernelEmitter::hidden(Value* value) {
  auto* type = llvm::FunctionType::get(value->getType(), {value->getType()}, false);
  return builder_.CreateCall(type, llvm::InlineAsm::get(type, "", "=v,0", false), {value});
}

void KernelEmitter::store_lanes(const Address& a, int copy, Value* value, Value* mask) {
  for (int i = 0; i < vector_->width; ++i) {
    Value* at = lane_address(a, copy, i);
    if (Value* active = lane_active(mask, i)) at = builder_.CreateSelect(active, at, spare());
    builder_.CreateAlignedStore(builder_.CreateExtractElement(value, i64(i)), at, llvm::Align(a.dtype.size()));
  }
}

// Non-temporal stores are not ordered with the stores that tell other threads that the kernel is done.
void KernelEmitter::fence() {
  if (llvm::Triple(module_.getTargetTriple()).isX86()) {
    builder_.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
  } else {
    builder_.CreateFence(llvm::AtomicOrdering::Release);
  }
}

// A stack slot for one vector, allocated in the function's entry.
Value* KernelEmitter::stack_vector(llvm::Type* type) {
  llvm::IRBuilderBase::InsertPointGuard guard(builder_);
  llvm::BasicBlock& entry = function_->getEntryBlock();
  builder_.SetInsertPoint(&entry, entry.begin());
  return builder_.CreateAlloca(type);
}

}  // namespace frit::codegen
