// Instructions of PTX for the scalar operations of elementwise kernels.
//
// Nothing is flushed: numbers below the normal ones are kept, where shaders of the same device lose them. A comparison
// and a choice stand for an extreme, whose signs of zeros are those of ir/scalar/scalar.h.
#include "codegen/glsl/elements/ptx_pairs.h"

#include <bit>
#include <cstdio>

#include "codegen/glsl/inverse.h"

namespace frit::codegen::glsl {

namespace {

using ir::ScalarOp;
using ptx::Value;
using ptx::Writer;

bool is_word(Dtype t) { return t == float32 || t == int32 || t == uint32; }

Value hex(uint64_t bits) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llX", static_cast<unsigned long long>(bits));
  return text;
}

Writer::Kind kind_of(Dtype t) {
  return t == bool_ ? Writer::Predicate : t == float32 ? Writer::Float32 : Writer::Bits32;
}

std::string suffix(Dtype t) {
  return t == float32 ? ".f32" : t == int32 ? ".s32" : t == uint32 ? ".u32" : t == bool_ ? ".pred" : ".b32";
}

const char* pair_suffix(Dtype t) { return t == bfloat16 ? ".bf16x2" : ".f16x2"; }

const char* comparison(ScalarOp op, bool real) {
  switch (op) {
    case ScalarOp::Eq: return "setp.eq";
    case ScalarOp::Ne: return real ? "setp.neu" : "setp.ne";
    case ScalarOp::Lt: return "setp.lt";
    case ScalarOp::Le: return "setp.le";
    case ScalarOp::Gt: return "setp.gt";
    default: return "setp.ge";
  }
}

// Instructions of one word whose operands are those of the operation; none of others.
const char* plain_f32(ScalarOp op) {
  switch (op) {
    case ScalarOp::Add: return "add.rn.f32";
    case ScalarOp::Sub: return "sub.rn.f32";
    case ScalarOp::Mul: return "mul.rn.f32";
    case ScalarOp::Fma: return "fma.rn.f32";
    case ScalarOp::Neg: return "neg.f32";
    case ScalarOp::Abs: return "abs.f32";
    case ScalarOp::Sqrt: return "sqrt.rn.f32";
    case ScalarOp::Floor: return "cvt.rmi.f32.f32";
    case ScalarOp::Ceil: return "cvt.rpi.f32.f32";
    case ScalarOp::Trunc: return "cvt.rzi.f32.f32";
    case ScalarOp::Round: return "cvt.rni.f32.f32";
    default: return nullptr;
  }
}

// The same of integers; shifts of PTX take any count as the operation does.
const char* plain_integer(ScalarOp op, bool sign) {
  switch (op) {
    case ScalarOp::Add: return "add.u32";
    case ScalarOp::Sub: return "sub.u32";
    case ScalarOp::Mul: return "mul.lo.u32";
    case ScalarOp::Neg: return "neg.s32";
    case ScalarOp::Min: return sign ? "min.s32" : "min.u32";
    case ScalarOp::Max: return sign ? "max.s32" : "max.u32";
    case ScalarOp::And: return "and.b32";
    case ScalarOp::Or: return "or.b32";
    case ScalarOp::Xor: return "xor.b32";
    case ScalarOp::Not: return "not.b32";
    case ScalarOp::Shl: return "shl.b32";
    case ScalarOp::Shr: return sign ? "shr.s32" : "shr.u32";
    default: return nullptr;
  }
}

const char* plain_bool(ScalarOp op) {
  switch (op) {
    case ScalarOp::And: return "and.pred";
    case ScalarOp::Or: return "or.pred";
    case ScalarOp::Xor:
    case ScalarOp::Ne: return "xor.pred";
    case ScalarOp::Not: return "not.pred";
    default: return nullptr;
  }
}

const char* plain(ScalarOp op, Dtype operand) {
  if (operand == float32) return plain_f32(op);
  return operand == bool_ ? plain_bool(op) : plain_integer(op, operand == int32);
}

bool knows_cast(Dtype to, Dtype from) {
  if (is_low_precision(from)) return to == float32;
  if (is_low_precision(to)) return from == float32;
  return (is_word(from) || from == bool_) && (is_word(to) || to == bool_);
}

uint64_t rounded_bits(Dtype t, Dtype from, uint64_t bits) {
  return ir::double_to_bits(t, ir::bits_to_double(from, bits));
}

}  // namespace

bool PtxPairs::knows(const ir::Kernel& k, const ir::ScalarInstr& s) {
  const auto type = [&](size_t i) { return k.reg_types[s.args[i]]; };
  const bool known = is_word(s.type) || s.type == bool_ || is_low_precision(s.type);
  if (!known) return false;
  switch (s.op) {
    case ScalarOp::Const: return true;
    case ScalarOp::Cast: return knows_cast(s.type, type(0));
    case ScalarOp::Bitcast: return is_word(s.type) && is_word(type(0));
    case ScalarOp::Select: return s.type != bool_;
    case ScalarOp::Div: return s.type == float32;
    case ScalarOp::Min:
    case ScalarOp::Max: return is_word(s.type);
    default: break;
  }
  if (is_low_precision(type(0))) return false;
  if (ir::is_comparison(s.op)) return is_word(type(0)) || plain_bool(s.op);
  return (is_word(type(0)) || type(0) == bool_) && plain(s.op, type(0));
}

PtxPairs::PtxPairs(Writer& w, const ir::Kernel& kernel) : w_(w), k_(kernel), known_(kernel) {}

void PtxPairs::start() {
  lanes_.clear();
  packed_.clear();
  rounded_.clear();
}

Value PtxPairs::constant(Dtype type, uint64_t bits) {
  if (type == float32) {
    char text[16];
    std::snprintf(text, sizeof text, "0f%08X", static_cast<unsigned>(bits));
    return text;
  }
  if (type == bool_) return w_.test("setp.eq.u32", {bits ? "1" : "0", "1"});
  return hex(bits & 0xffffffffu);
}

Value PtxPairs::result(Dtype type, std::string_view instruction, std::initializer_list<Value> operands) {
  const Value to = w_.reg(kind_of(type));
  std::string text(instruction);
  text += " " + to;
  for (const Value& v : operands) text += ", " + v;
  w_.op(text, {});
  return to;
}

PtxPairs::Lanes PtxPairs::lanes(ir::Reg r) {
  if (const auto found = lanes_.find(r); found != lanes_.end()) return found->second;
  const Value value = constant(k_.reg_types[r], *known_.constant(r));
  return lanes_[r] = {value, value};
}

// Two numbers of 16 bits in a register; empty where they are in none.
Value PtxPairs::packed_as(ir::Reg r, Dtype t) {
  const Dtype own = k_.reg_types[r];
  if (const auto found = packed_.find(r); found != packed_.end()) return own == t ? found->second : Value();
  if (const auto found = rounded_.find(r); found != rounded_.end())
    return found->second.first == t ? found->second.second : Value();
  const uint64_t* known = known_.constant(r);
  if (!known || !known_.holds(r, t)) return {};
  const uint64_t bits = rounded_bits(t, own, *known);
  const Value made = w_.u32("mov.b32", {hex(bits | bits << 16)});
  if (own == t) packed_[r] = made;
  return made;
}

Dtype PtxPairs::operand(const ir::ScalarInstr& s) const {
  return ir::arity(s.op) ? k_.reg_types[s.args[s.op == ScalarOp::Select ? 1 : 0]] : s.type;
}

PtxPairs::Lanes PtxPairs::unpack(Dtype from, const Value& packed) {
  if (from == bfloat16) {
    const Value low = w_.u32("shl.b32", {packed, "16"});
    const Value high = w_.u32("and.b32", {packed, "0xFFFF0000"});
    return both([&](size_t lane) { return result(float32, "mov.b32", {lane ? high : low}); });
  }
  const Value low = w_.reg(Writer::Bits16), high = w_.reg(Writer::Bits16);
  w_.op("mov.b32", {ptx::list({low, high}), packed});
  return both([&](size_t lane) { return result(float32, "cvt.f32.f16", {lane ? high : low}); });
}

// A cast to 32 bits or a bool.
PtxPairs::Lanes PtxPairs::convert(const ir::ScalarInstr& s) {
  const Dtype from = k_.reg_types[s.args[0]], to = s.type;
  if (is_low_precision(from)) {
    const Value packed = packed_as(s.args[0], from);
    rounded_.insert_or_assign(s.result, std::pair(from, packed));
    return unpack(from, packed);
  }
  const Lanes x = lanes(s.args[0]);
  const bool same = from == to || (from != float32 && to != float32 && from != bool_ && to != bool_);
  if (same) return x;
  return both([&](size_t lane) {
    if (from == bool_)
      return result(to, "selp" + suffix(to), {constant(to, ir::double_to_bits(to, 1)), constant(to, 0), x[lane]});
    if (to == bool_)
      return result(to, (from == float32 ? "setp.neu" : "setp.ne") + suffix(from), {x[lane], constant(from, 0)});
    return result(to, (from == float32 ? "cvt.rzi" : "cvt.rn") + suffix(to) + suffix(from), {x[lane]});
  });
}

// A cast to 16 bits. f32 has more than twice as many digits, so that a sum or product of two numbers of 16 bits that is
// rounded to f32 and again gives the same as one that is rounded once.
void PtxPairs::round(const ir::ScalarInstr& s) {
  const ir::Reg from = s.args[0];
  Value packed = packed_as(from, s.type);
  if (const ir::ScalarInstr* sum = known_.sum(from); packed.empty() && sum) {
    const Value x = packed_as(sum->args[0], s.type);
    const Value y = packed_as(sum->args[1], s.type);
    const char* op = sum->op == ScalarOp::Add ? "add.rn" : sum->op == ScalarOp::Sub ? "sub.rn" : "mul.rn";
    if (!x.empty() && !y.empty()) packed = w_.u32(std::string(op) + pair_suffix(s.type), {x, y});
  }
  if (packed.empty()) {
    const Lanes x = lanes(from);
    packed = w_.u32(std::string("cvt.rn") + pair_suffix(s.type) + ".f32", {x[1], x[0]});
  }
  packed_[s.result] = packed;
}

void PtxPairs::choose(const ir::ScalarInstr& s) {
  const Lanes condition = lanes(s.args[0]);
  if (!is_low_precision(s.type)) {
    const Lanes x = lanes(s.args[1]), y = lanes(s.args[2]);
    lanes_[s.result] =
        both([&](size_t lane) { return result(s.type, "selp" + suffix(s.type), {x[lane], y[lane], condition[lane]}); });
    return;
  }
  const Value x = packed_as(s.args[1], s.type), y = packed_as(s.args[2], s.type);
  const Lanes chosen = both([&](size_t lane) { return w_.u32("selp.b32", {x, y, condition[lane]}); });
  packed_[s.result] = w_.u32("prmt.b32", {chosen[0], chosen[1], "0x7610"});
}

Value PtxPairs::extreme(const ir::ScalarInstr& s, const Value& x, const Value& y) {
  const Value is_nan = w_.test("setp.nan.f32", {x, x});
  const Value first = w_.test(s.op == ScalarOp::Min ? "setp.lt.or.f32" : "setp.gt.or.f32", {x, y, is_nan});
  return result(float32, "selp.f32", {x, y, first});
}

Value PtxPairs::quotient(const ir::ScalarInstr& s, size_t lane) {
  const Value x = number(s.args[0], lane);
  if (const uint64_t* known = known_.constant(s.args[1]))
    if (const auto inverse = inverse_of(std::bit_cast<float>(static_cast<uint32_t>(*known)))) {
      const Value high = constant(float32, std::bit_cast<uint32_t>(inverse->high));
      if (inverse->low == 0) return result(float32, "mul.rn.f32", {x, high});
      const Value rest = result(float32, "mul.rn.f32", {x, constant(float32, std::bit_cast<uint32_t>(inverse->low))});
      return result(float32, "fma.rn.f32", {x, high, rest});
    }
  const Value y = number(s.args[1], lane);
  if (!known_.may_be_near(s)) return result(float32, "div.rn.f32", {x, y});
  const Value inverse = result(float32, "rcp.approx.ftz.f32", {y});
  return result(float32, "mul.rn.f32", {x, inverse});
}

void PtxPairs::emit(const ir::ScalarInstr& s) {
  known_.note(s);
  if (known_.constant(s.result)) return;
  if (s.op == ScalarOp::Select) return choose(s);
  if (s.op == ScalarOp::Cast && is_low_precision(s.type)) return round(s);
  const Dtype t = operand(s);
  if (s.op == ScalarOp::Cast) {
    const Lanes made = convert(s);
    lanes_[s.result] = made;
    return;
  }
  const auto arg = [&](size_t i, size_t lane) { return number(s.args[i], lane); };
  lanes_[s.result] = both([&](size_t lane) -> Value {
    const Value x = arg(0, lane);
    if (s.op == ScalarOp::Bitcast) return result(s.type, "mov.b32", {x});
    if (s.op == ScalarOp::Div) return quotient(s, lane);
    const int count = ir::arity(s.op);
    const Value y = count > 1 ? arg(1, lane) : Value();
    if (t == float32 && (s.op == ScalarOp::Min || s.op == ScalarOp::Max)) return extreme(s, x, y);
    const char* instruction = plain(s.op, t);
    if (ir::is_comparison(s.op) && !instruction)
      return result(bool_, comparison(s.op, t == float32) + suffix(t), {x, y});
    if (count == 1) return result(s.type, instruction, {x});
    if (count == 2) return result(s.type, instruction, {x, y});
    return result(s.type, instruction, {x, y, arg(2, lane)});
  });
}

}  // namespace frit::codegen::glsl
