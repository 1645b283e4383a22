// Rows that go through a vector loop side by side, and lane masks.
#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <optional>

#include "codegen/llvm/emitter.h"

namespace frit::codegen {

using llvm::BasicBlock;
using llvm::Value;

// Emits a loop whose body is one vector loop, unrolled by the width of that loop. The iterations go through the vector
// loop side by side, each in its own copy, so that operands contiguous along the outer loop are also read in vectors.
// Returns false and emits nothing if the loop has another form.
bool KernelEmitter::emit_rows(const ir::Loop& rows, Value* to) {
  if (vector_ || rows.unroll <= 1 || !rows.accumulators.empty() || rows.body.size() != 1) return false;
  const auto* columns = std::get_if<ir::Loop>(&rows.body[0].node);
  if (!columns || columns->vector != rows.unroll || !columns->accumulators.empty() || columns->extent.uses(rows.var))
    return false;
  VectorScope scope;
  scope.var = columns->var;
  scope.rows = rows.var;
  scope.width = rows.unroll;
  // A single step of fewer rows than lanes has a copy for each of its rows.
  const bool few = rows.extent.is_const() && rows.extent.value() > 0 && rows.extent.value() <= rows.unroll;
  scope.copies = few ? static_cast<int>(rows.extent.value()) : rows.unroll;
  scope.varying.assign(regs_.size(), false);
  scope.varying_names.insert(rows.var);
  facts_.set_loop(columns->var, columns->extent);
  if (!analyse(columns->body, scope)) return false;

  const auto divides = [&](const Dim& d) { return facts_.equal(mod(d, Dim(rows.unroll)), 0) == Tri::Yes; };
  const auto fills = [&](const Dim& d) { return facts_.range(d).low >= rows.unroll; };
  scope.repeats = may_repeat(columns->body) && fills(rows.extent) && fills(columns->extent);
  std::optional<OpenLoop> open;
  if (!few) open = open_serial(rows, to);
  Val numbers;
  numbers.varying = true;
  numbers.depth = depth();
  scope.row = open ? open->i : i64(0);
  if (scope.repeats && !few && !divides(rows.extent))
    scope.row =
        builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, open->i, builder_.CreateSub(to, i64(rows.unroll)));
  for (int c = 0; c < scope.copies; ++c)
    numbers.copies.push_back(builder_.CreateVectorSplat(static_cast<unsigned>(scope.width),
                                                        builder_.CreateAdd(scope.row, i64(c), "", true, true)));
  names_[rows.var] = numbers;
  if (few && scope.copies < scope.width) {
    scope.rows_left = i64(scope.copies);
    scope.rows_mask = first_lanes(scope.rows_left, scope.width, "active_rows");
  } else if (!few && !scope.repeats && !divides(rows.extent)) {
    scope.rows_left = builder_.CreateSub(to, open->i, "rows_left");
    Value* last = builder_.CreateSub(scope.rows_left, i64(1));
    for (int c = 0; c < scope.copies; ++c)
      scope.row_numbers.push_back(builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, i64(c), last));
  }
  vector_ = &scope;
  plan_tile_prefetches(rows, *columns);
  Value* all = eval(columns->extent).scalar();
  if (columns->extent.is_const() && columns->extent.value() > 0 && columns->extent.value() < scope.width)
    emit_few_columns(*columns, all);
  else
    emit_vector_loop(*columns, 1, i64(0), all,
                     divides(columns->extent) && (scope.repeats || few || divides(rows.extent)), nullptr);
  vector_ = nullptr;
  if (open) close_serial(*open, scope.copies, to);
  return true;
}

// Fewer columns than lanes, whose number is known: one step under a mask that is known.
void KernelEmitter::emit_few_columns(const ir::Loop& columns, Value* count) {
  BasicBlock *preheader = block("preheader"), *body = block(columns.var.c_str());
  builder_.CreateBr(preheader);
  builder_.SetInsertPoint(preheader);
  builder_.CreateBr(body);
  builder_.SetInsertPoint(body);
  open_frame(columns, preheader, true);
  vector_->depth = depth();
  vector_->base = i64(0);
  set_mask(count);
  emit_loop_body(columns);
  frames_.pop_back();
}

// The lanes below `count`.
Value* KernelEmitter::first_lanes(Value* count, int width, const char* name) {
  llvm::SmallVector<llvm::Constant*, 32> numbers;
  for (int i = 0; i < width; ++i) numbers.push_back(builder_.getInt32(static_cast<uint32_t>(i)));
  // A number that is known stays a constant, so that loads find the lanes that are.
  auto* known = llvm::dyn_cast<llvm::ConstantInt>(count);
  Value* most = known ? i64(std::min<int64_t>(known->getSExtValue(), width))
                      : builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, count, i64(width));
  Value* few = builder_.CreateTrunc(most, builder_.getInt32Ty());
  Value* limit = builder_.CreateVectorSplat(static_cast<unsigned>(width), few);
  return builder_.CreateICmpSLT(llvm::ConstantVector::get(numbers), limit, name);
}

// Lanes 0 to remaining - 1 are active.
void KernelEmitter::set_mask(Value* remaining) {
  VectorScope& scope = *vector_;
  scope.remaining = remaining;
  scope.mask = first_lanes(remaining, scope.width, "active");
  if (scope.row_numbers.empty()) return;
  for (int c = 0; c < scope.copies; ++c) {
    scope.row_active.push_back(builder_.CreateICmpSGT(scope.rows_left, i64(c)));
    scope.row_masks.push_back(
        builder_.CreateAnd(spread(static_cast<unsigned>(scope.width), scope.row_active.back()), scope.mask));
  }
  scope.rows_mask = first_lanes(scope.rows_left, scope.width, "active_rows");
}

}  // namespace frit::codegen
