// The facts that each scalar operation tells of its result.
#include "codegen/glsl/known_digits.h"

#include <cmath>

namespace frit::codegen::glsl {

namespace {

using ir::ScalarOp;

constexpr uint32_t kSign = 0x80000000u;

// Operations whose result is one of their operands, up to its sign.
bool keeps_digits(ScalarOp op) {
  return op == ScalarOp::Neg || op == ScalarOp::Abs || op == ScalarOp::Min || op == ScalarOp::Max ||
         op == ScalarOp::Select;
}

bool is_arithmetic(ScalarOp op) {
  return !keeps_digits(op) && op != ScalarOp::Rem && op != ScalarOp::Cast && op != ScalarOp::Bitcast &&
         op != ScalarOp::Const;
}

bool is_sum_or_product(ScalarOp op) { return op == ScalarOp::Add || op == ScalarOp::Sub || op == ScalarOp::Mul; }

bool is_word_of_bits(Dtype t) { return t == int32 || t == uint32; }

}  // namespace

KnownDigits::KnownDigits(const ir::Kernel& kernel) : k_(kernel) {
  bool wide = false;
  for (const auto* memory : {&k_.buffers, &k_.locals})
    for (const ir::KernelBuffer& b : *memory) {
      wide = wide || (is_inexact(b.dtype) && !is_low_precision(b.dtype));
      narrow_memory_ = narrow_memory_ || is_low_precision(b.dtype);
    }
  narrow_memory_ = narrow_memory_ && !wide;
}

const uint64_t* KnownDigits::constant(ir::Reg r) const {
  const auto found = constants_.find(r);
  return found == constants_.end() ? nullptr : &found->second;
}

const ir::ScalarInstr* KnownDigits::sum(ir::Reg r) const {
  const auto found = sums_.find(r);
  return found == sums_.end() ? nullptr : found->second;
}

bool KnownDigits::holds(ir::Reg r, Dtype t) const {
  if (k_.reg_types[r] == t) return true;
  if (const uint64_t* bits = constant(r)) {
    const double value = ir::bits_to_double(k_.reg_types[r], *bits);
    return ir::double_to_bits(float64, ir::bits_to_double(t, ir::double_to_bits(t, value))) ==
           ir::double_to_bits(float64, value);
  }
  const auto found = exact_.find(r);
  return found != exact_.end() && found->second == t;
}

bool KnownDigits::may_be_near(const ir::ScalarInstr& s) const {
  if (s.op != ScalarOp::Div || s.type != float32 || constant(s.args[1])) return false;
  for (const Dtype t : {float16, bfloat16})
    if (holds(s.args[0], t) && holds(s.args[1], t)) return false;
  return narrow_memory_;
}

bool KnownDigits::all_hold(const ir::ScalarInstr& s, Dtype t) const {
  for (int i = s.op == ScalarOp::Select ? 1 : 0; i < ir::arity(s.op); ++i)
    if (!holds(s.args[static_cast<size_t>(i)], t)) return false;
  return true;
}

// Whether all numbers that an operation may give come from arithmetic, or are constants that no device changes.
bool KnownDigits::only_computed(const ir::ScalarInstr& s) const {
  for (int i = s.op == ScalarOp::Select ? 1 : 0; i < ir::arity(s.op); ++i) {
    const ir::Reg r = s.args[static_cast<size_t>(i)];
    const uint64_t* bits = constant(r);
    if (bits) {
      const double value = ir::bits_to_double(k_.reg_types[r], *bits);
      if (std::isnan(value) || (value != 0 && std::fabs(value) < 0x1p-126)) return false;
    } else if (!is_computed(r)) {
      return false;
    }
  }
  return true;
}

void KnownDigits::note_float(const ir::ScalarInstr& s) {
  if (is_arithmetic(s.op) || (keeps_digits(s.op) && only_computed(s)) ||
      (s.op == ScalarOp::Bitcast && is_computed(s.args[0])))
    computed_.insert(s.result);
  if (is_sum_or_product(s.op)) sums_[s.result] = &s;
  if (s.op == ScalarOp::Cast && is_low_precision(k_.reg_types[s.args[0]]))
    exact_.insert_or_assign(s.result, k_.reg_types[s.args[0]]);
  if (!keeps_digits(s.op)) return;
  for (const Dtype t : {float16, bfloat16})
    if (all_hold(s, t)) exact_.insert_or_assign(s.result, t);
}

uint32_t KnownDigits::possible_bits(ir::Reg r) const {
  if (const uint64_t* known = constant(r)) return static_cast<uint32_t>(*known);
  const auto found = bits_.find(r);
  return found == bits_.end() ? ~0u : found->second;
}

// The bits of a float from arithmetic, and operations on them that change its sign alone.
void KnownDigits::note_word(const ir::ScalarInstr& s) {
  if (s.op == ScalarOp::Bitcast) {
    if (k_.reg_types[s.args[0]] == float32 && is_computed(s.args[0])) computed_.insert(s.result);
    return;
  }
  if (s.op == ScalarOp::Shl) {
    const uint64_t* count = constant(s.args[1]);
    if (count && *count < 32) bits_[s.result] = possible_bits(s.args[0]) << *count;
    return;
  }
  if (s.op != ScalarOp::And && s.op != ScalarOp::Or && s.op != ScalarOp::Xor) return;
  const uint32_t a = possible_bits(s.args[0]), b = possible_bits(s.args[1]);
  bits_[s.result] = s.op == ScalarOp::And ? a & b : a | b;
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const uint64_t* mask = constant(s.args[1 - i]);
    const bool keeps = s.op == ScalarOp::And ? mask && static_cast<uint32_t>(*mask) == ~kSign
                                             : (possible_bits(s.args[1 - i]) & ~kSign) == 0;
    if (is_computed(s.args[i]) && keeps) computed_.insert(s.result);
  }
}

void KnownDigits::note(const ir::ScalarInstr& s) {
  if (s.op == ScalarOp::Const) {
    constants_[s.result] = s.imm;
    return;
  }
  if (s.op == ScalarOp::Cast && s.type == float32 && is_low_precision(k_.reg_types[s.args[0]]))
    if (const uint64_t* bits = constant(s.args[0]))
      constants_[s.result] = ir::double_to_bits(float32, ir::bits_to_double(k_.reg_types[s.args[0]], *bits));
  if (s.type == float32) note_float(s);
  if (is_word_of_bits(s.type)) note_word(s);
}

}  // namespace frit::codegen::glsl
