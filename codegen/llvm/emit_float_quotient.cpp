// Quotients of f32 in a vector loop by one number from outside of it, as of a row by its sum.
//
// The instruction that divides 64 bytes takes as long as sixteen others. With y = 1 / b rounded and q = a y rounded, q
// is less than 1.5 places off, and q + (a - q b) y, rounded, is less than one. Then a - q b is a float, and a second
// step of that kind rounds as a division does (P. W. Markstein, Computation of elementary functions on the IBM RISC
// System/6000, 1990). All of it holds where nothing is subnormal or infinite on the way: for an `a` within 2^90 of one,
// or +0, and a `b` within 2^30 of one. A step with another lane divides.
#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

#include <functional>

#include "codegen/llvm/emitter.h"
#include "codegen/llvm/shared_divisor.h"

namespace frit::codegen {

using llvm::Value;

// Whether a quotient is rounded to bf16, which has a form of its own (emit_quotient.cpp).
bool KernelEmitter::is_rounded(ir::Reg quotient) {
  if (!rounded_) {
    rounded_.emplace();
    const std::function<void(const ir::Body&)> collect = [&](const ir::Body& body) {
      for (const ir::Instr& i : body) {
        const auto* s = std::get_if<ir::ScalarInstr>(&i.node);
        if (s && s->op == ir::ScalarOp::Cast && s->type == bfloat16) rounded_->insert(s->args[0]);
        if (const auto* loop = std::get_if<ir::Loop>(&i.node)) collect(loop->body);
      }
    };
    collect(kernel_.body);
  }
  return rounded_->contains(quotient);
}

// The quotient that `instr` is, or nothing where it is not one of vectors by one number.
std::optional<KernelEmitter::Val> KernelEmitter::float_quotient(const ir::ScalarInstr& instr) {
  constexpr uint32_t kMost = 90, kBias = 127, kExponent = 24;  // the place of the exponent once the sign is gone
  constexpr double kMostDivisor = 0x1p30;
  if (instr.op != ir::ScalarOp::Div || instr.type != float32 || !vector_ || is_rounded(instr.result))
    return std::nullopt;
  if (features_.vector_bytes != 64 || vector_->width != 16 || !features_.fma) return std::nullopt;
  const Val x = reg(instr.args[0]), y = reg(instr.args[1]);
  if (!x.varying || x.depth < depth() || y.varying || y.depth >= depth()) return std::nullopt;
  auto* divisor = llvm::dyn_cast<llvm::Instruction>(y.copies[0]);
  if (!divisor || divisor->getParent() == builder_.GetInsertBlock()) return std::nullopt;
  // Quotients of f16 numbers are rounded by instructions of theirs.
  if (exact_half(get(x, 0, true))) return std::nullopt;

  SharedDivisor shared(divisor, vector_->width, kMostDivisor);
  Value* unusual = shared.spread(shared.unusual());
  Value* opposite = shared.spread(shared.outside().CreateFNeg(divisor));

  Val result{{}, depth(), true}, rare{{}, depth(), true};
  for (int c = 0; c < copies(); ++c) {
    Value* a = get(x, c, true);
    llvm::Type* word = like(a, builder_.getInt32Ty());
    const auto bits = [&](uint32_t v) { return llvm::ConstantInt::get(word, v); };
    Value* q = builder_.CreateFMul(a, shared.reciprocal());
    for (int step = 0; step < 2; ++step) {
      Value* rest = fused(q, opposite, a);
      q = fused(rest, shared.reciprocal(), q);
    }
    result.copies.push_back(q);
    Value* own = builder_.CreateBitCast(a, word);
    Value* exponent = builder_.CreateSub(builder_.CreateShl(own, bits(1)), bits((kBias - kMost) << kExponent));
    Value* far = builder_.CreateICmpUGE(exponent, bits((2 * kMost) << kExponent));
    Value* divides = builder_.CreateAnd(far, builder_.CreateICmpNE(own, bits(0)));
    // Of all lanes, so that one vector need tell it.
    if (c == 0) divides = builder_.CreateOr(divides, unusual);
    rare.copies.push_back(both(divides, vector_->lanes(c)));
  }
  Detour detour = open_detour(rare, false);
  llvm::SmallVector<Value*, 4> divided;
  for (int c = 0; c < copies(); ++c) {
    Value* dividend = get(x, c, true);
    Value* by = get(y, c, true);
    divided.push_back(builder_.CreateFDiv(dividend, by));
  }
  close_detour(detour);
  for (size_t c = 0; c < divided.size(); ++c) result.copies[c] = meet(detour, result.copies[c], divided[c]);
  return result;
}

}  // namespace frit::codegen
