// Numbers of 16 bits where the device rounds them itself.
//
// f16 on devices that state how they convert: + - * of two f16 is one operation of f16, because f32 has more than twice
// as many digits, so that rounding its result again gives the same. bf16 is rounded in integers (the conversion of
// VK_KHR_shader_bfloat16 cut digits off on an H200) and kept as the f32 that has its bits.
#include <bit>
#include <cmath>

#include "codegen/glsl/emitter.h"

namespace frit::codegen::glsl {

namespace {

// How often a body reads each register.
void count_reads(const ir::Body& body, std::map<ir::Reg, int>& reads) {
  for (const ir::Instr& i : body) {
    if (auto* s = std::get_if<ir::ScalarInstr>(&i.node))
      for (int j = 0; j < ir::arity(s->op); ++j) ++reads[s->args[static_cast<size_t>(j)]];
    if (auto* s = std::get_if<ir::StoreInstr>(&i.node)) ++reads[s->value];
    if (auto* loop = std::get_if<ir::Loop>(&i.node)) {
      for (const ir::Accumulator& a : loop->accumulators) ++reads[a.value];
      for (const ir::Carry& c : loop->carries) ++reads[c.next];
      count_reads(loop->body, reads);
    }
  }
}

}  // namespace

// The f16 of a register of type f16, or of type f32 that holds one; empty where there is none.
std::string KernelEmitter::half_of(ir::Reg r) {
  if (auto found = halves_.find(r); found != halves_.end()) return found->second.text;
  const Dtype t = k_.reg_types[r];
  if (const uint64_t* known = known_.constant(r)) {
    if (!known_.holds(r, float16)) return {};
    const double value = ir::bits_to_double(t, *known);
    const uint64_t bits = ir::double_to_bits(float16, value);
    const bool plain = value == 0 ? !std::signbit(value) : std::isfinite(value) && std::fabs(value) >= 0x1p-14;
    return plain ? "float16_t(" + literal(float32, ir::double_to_bits(float32, value)) + ")"
                 : prelude_.use("f16_of_bits") + "(" + std::to_string(bits) + "u)";
  }
  return t == float16 ? prelude_.use("f16_of_bits") + "(" + regs_[r] + ")" : std::string();
}

// Whether an array of an invocation's own elements has those of 16 bits as the equal f32. NVIDIA's driver 580 takes
// half as long again for rows whose elements are packed for the array and unpacked behind it.
bool KernelEmitter::keeps_floats(uint32_t buffer) const {
  const Dtype t = k_.buffer(buffer).dtype;
  return memories_[buffer].registers && (t == bfloat16 || (t == float16 && features_.converts16));
}

std::string KernelEmitter::kept_type(uint32_t buffer) const {
  return std::string(keeps_floats(buffer) ? "float" : register_type(k_.buffer(buffer).dtype));
}

// The f32 that equals a register of 16 bits.
std::string KernelEmitter::float_of(ir::Reg r) {
  if (auto found = floats_.find(r); found != floats_.end()) return found->second;
  if (k_.reg_types[r] == float16) {
    auto found = halves_.find(r);
    const bool converted = found != halves_.end() && found->second.converted;
    return (converted ? prelude_.use("kept_f16") : std::string("float")) + "(" + half_of(r) + ")";
  }
  auto found = highs_.find(r);
  return "uintBitsToFloat(" + (found != highs_.end() ? found->second : "uint(" + regs_[r] + ") << 16") + ")";
}

// Loads an element of an array that has the equal f32.
void KernelEmitter::load_kept(const ir::LoadInstr& load, const ir::Instr& instr) {
  const std::string name = name_of(load.result) + "f";
  line("precise float " + name + " = " + element(load.buffer, load.index) + ";" + comment(instr));
  floats_[load.result] = name;
  regs_[load.result] = k_.reg_types[load.result] == float16 ? prelude_.use("f16_bits") + "(float16_t(" + name + "))"
                                                            : "(floatBitsToUint(" + name + ") >> 16)";
}

// Finds quotients that are rounded to 16 bits and whose divisor is one for a whole loop: its inverse is computed once.
void KernelEmitter::find_inverses(const ir::Body& body, const ir::Loop* around) {
  std::map<ir::Reg, int> reads;
  count_reads(body, reads);
  std::map<ir::Reg, const ir::ScalarInstr*> here;
  for (const ir::Instr& i : body) {
    if (auto* loop = std::get_if<ir::Loop>(&i.node)) find_inverses(loop->body, loop);
    auto* s = std::get_if<ir::ScalarInstr>(&i.node);
    if (!s) continue;
    here[s->result] = s;
    if (!around || s->op != ir::ScalarOp::Cast || !is_low_precision(s->type) || reads[s->args[0]] != 1) continue;
    auto found = here.find(s->args[0]);
    if (found == here.end() || found->second->op != ir::ScalarOp::Div || found->second->type != float32) continue;
    const ir::Reg divisor = found->second->args[1];
    if (here.count(divisor)) continue;
    scaled_.insert(found->second);
    inverted_.insert(divisor);
  }
}

// Writes the inverse of a register that divides a whole loop.
void KernelEmitter::invert(ir::Reg r) {
  if (!inverted_.count(r)) return;
  inverses_[r] = name_of(r) + "i";
  line("precise float " + inverses_[r] + " = 1.0 / " + regs_[r] + ";");
}

// Writes casts from and to 16 bits. False where `s` is to be written as any other.
bool KernelEmitter::emit_half(const ir::ScalarInstr& s, const ir::Instr& instr) {
  if (s.op != ir::ScalarOp::Cast) return false;
  const ir::Reg from = s.args[0];
  const Dtype t = k_.reg_types[from];
  if (auto found = floats_.find(from); found != floats_.end() && s.type == float32) {
    define(s.result, found->second, instr);
    return true;
  }
  if (features_.converts16 && t == float16 && s.type == float32) return emit_from_half(s, instr);
  if (features_.converts16 && t == float32 && s.type == float16) return emit_to_half(s, instr);
  if (t == bfloat16 && s.type == float32) {
    auto found = highs_.find(from);
    if (found == highs_.end()) return false;
    define(s.result, "uintBitsToFloat(" + found->second + ")", instr);
    return true;
  }
  return t == float32 && s.type == bfloat16 && emit_to_bfloat(s, instr);
}

bool KernelEmitter::emit_from_half(const ir::ScalarInstr& s, const ir::Instr& instr) {
  const ir::Reg from = s.args[0];
  const std::string half = half_of(from);
  auto found = halves_.find(from);
  const bool converted = found != halves_.end() && found->second.converted;
  halves_[s.result] = {half, false};
  define(s.result, converted ? prelude_.use("kept_f16") + "(" + half + ")" : "float(" + half + ")", instr);
  return true;
}

bool KernelEmitter::emit_to_half(const ir::ScalarInstr& s, const ir::Instr& instr) {
  const ir::Reg from = s.args[0];
  Half half;
  if (auto same = halves_.find(from); same != halves_.end()) {
    half = same->second;
  } else {
    half.text = name_of(s.result) + "h";
    std::string value, exact;
    if (const ir::ScalarInstr* sum = known_.sum(from)) {
      const std::string a = half_of(sum->args[0]);
      const std::string b = half_of(sum->args[1]);
      const char* symbol = sum->op == ir::ScalarOp::Add ? " + " : sum->op == ir::ScalarOp::Sub ? " - " : " * ";
      if (!a.empty() && !b.empty()) value = a + symbol + b, exact = "precise ";
    }
    half.converted = value.empty() && !known_.holds(from, float16);
    if (value.empty()) value = "float16_t(" + regs_[from] + ")";
    line(exact + "float16_t " + half.text + " = " + value + ";" + comment(instr));
  }
  halves_[s.result] = half;
  regs_[s.result] = prelude_.use("f16_bits") + "(" + half.text + ")";
  return true;
}

bool KernelEmitter::emit_to_bfloat(const ir::ScalarInstr& s, const ir::Instr& instr) {
  const ir::Reg from = s.args[0];
  const std::string high = name_of(s.result) + "h";
  if (known_.holds(from, bfloat16)) {
    highs_[s.result] = "floatBitsToUint(" + regs_[from] + ")";
    regs_[s.result] = "(floatBitsToUint(" + regs_[from] + ") >> 16)";
    return true;
  }
  // Sums of columns wait for memory, and a sum of squares takes 7 % longer so.
  if (known_.is_computed(from) && !across_) {
    // A device that takes PTX gives all NaNs of arithmetic one pattern, whose lower digits keep them NaNs there.
    const bool fused = features_.keeps_specials32 && features_.fused_fma && features_.ptx;
    const char* near = fused ? "bf16_near_fused" : features_.keeps_specials32 ? "bf16_near_kept" : "bf16_near";
    line("const float " + high + " = " + prelude_.use(near) + "(" + regs_[from] + ");" + comment(instr));
    highs_[s.result] = "floatBitsToUint(" + high + ")";
    regs_[s.result] = "(floatBitsToUint(" + high + ") >> 16)";
    return true;
  }
  line("const uint " + high + " = " + prelude_.use(features_.keeps_specials32 ? "bf16_above_kept" : "bf16_above") +
       "(" + regs_[from] + ");" + comment(instr));
  highs_[s.result] = "(" + high + " & 0xffff0000u)";
  regs_[s.result] = "(" + high + " >> 16)";
  return true;
}

}  // namespace frit::codegen::glsl
