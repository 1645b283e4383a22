// The function around a kernel, straight-line code, loads and stores.
#include "codegen/c/emitter.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "codegen/package/c_interface.h"
#include "ir/base/dim_atoms.h"
#include "ir/text/kernel_printer.h"

namespace frit::codegen::c {

using namespace ir;

KernelEmitter::KernelEmitter(const Kernel& kernel, std::string function, Helpers& helpers)
    : kernel_(kernel),
      function_(std::move(function)),
      helpers_(helpers),
      positions_(helpers),
      facts_(kernel.facts),
      values_(kernel.reg_types.size()),
      uses_(kernel.reg_types.size()),
      is_product_(kernel.reg_types.size()) {
  for (uint32_t i = 0; i < kernel_.buffers.size() + kernel_.locals.size(); ++i) {
    const KernelBuffer& b = kernel_.buffer(i);
    buffers_.push_back(fresh(b.name));
    parameters_.push_back((b.written ? "" : "const ") + std::string(memory_type(b.dtype)) + "* restrict " +
                          buffers_.back());
  }
  for (const std::string& s : kernel_.symbols) parameters_.push_back("int64_t " + declare(s));
  // A register is a letter and a number; no buffer has a name of that letter and a number.
  auto is_free = [&](const std::string& letter) {
    return std::none_of(taken_.begin(), taken_.end(),
                        [&](const std::string& n) { return n.size() > 1 && n[0] == letter[0] && std::isdigit(n[1]); });
  };
  for (const char* letter : {"v", "r", "t", "u", "w", "z"})
    if (prefix_.empty() && is_free(letter)) prefix_ = letter;
  if (prefix_.empty()) prefix_ = "value_";
}

std::string KernelEmitter::fresh(std::string_view wish) {
  const std::string base = c_identifier(wish);
  std::string name = base;
  for (int n = 2; !taken_.insert(name).second; ++n) name = base + "_" + std::to_string(n);
  return name;
}

std::string KernelEmitter::declare(const std::string& symbol) { return positions_.names[symbol] = fresh(symbol); }

void KernelEmitter::open(const std::string& text) {
  line(text);
  ++indent_;
}

void KernelEmitter::close(const std::string& text) {
  --indent_;
  line(text);
}

std::string KernelEmitter::signature() const {
  std::string s = "static void " + function_ + "(";
  for (size_t i = 0; i < parameters_.size(); ++i) s += (i ? ", " : "") + parameters_[i];
  return s + (parameters_.empty() ? "void)" : ")");
}

Result<std::string> KernelEmitter::run() {
  count_uses(kernel_.body);
  find_products(kernel_.body);
  indent_ = 1;
  Scope scope{positions_.names, positions_.known, facts_};
  name_atoms(kernel_.body);
  emit_body(kernel_.body);
  if (!error_.empty()) return Diagnostic("kernel @" + kernel_.name + ": " + error_);
  std::string text, comment = print(kernel_);
  for (size_t at = 0; at < comment.size();) {
    const size_t end = std::min(comment.find('\n', at), comment.size());
    std::string one = comment.substr(at, end - at);
    // A backslash at the end of a line would continue the comment.
    while (!one.empty() && (one.back() == '\\' || one.back() == ' ')) one.pop_back();
    text += (one.empty() ? "//" : "// " + one) + "\n";
    at = end + 1;
  }
  text += signature() + " {\n";
  std::set<std::string> used = positions_.used;
  for (const std::string& name : buffers_)
    if (!used.count(name)) text += "  (void)" + name + ";\n";
  for (const std::string& s : kernel_.symbols)
    if (const std::string& name = positions_.names[s]; !used.count(name)) text += "  (void)" + name + ";\n";
  if (!nothing_.empty()) text += "  const uint64_t " + nothing_ + " = frit_nothing();\n";
  return text + out_ + "}\n";
}

void KernelEmitter::find_products(const Body& body) {
  for (const Instr& i : body) {
    if (const auto* s = std::get_if<ScalarInstr>(&i.node); s && is_float(s->type)) {
      is_product_[s->result] = s->op == ScalarOp::Mul;
      if (s->op == ScalarOp::Sub) has_differences_ |= is_product_[s->args[0]] || is_product_[s->args[1]];
    }
    if (const auto* loop = std::get_if<Loop>(&i.node)) find_products(loop->body);
  }
}

// Walks from the end, so that registers which only unused registers use count as unused.
void KernelEmitter::count_uses(const Body& body) {
  auto use = [&](Reg r) {
    if (r != kNoReg) ++uses_[r];
  };
  for (size_t n = body.size(); n-- > 0;) {
    const Instr& i = body[n];
    if (!is_needed(i)) continue;
    if (const auto* s = std::get_if<ScalarInstr>(&i.node)) {
      for (int a = 0; a < arity(s->op); ++a) use(s->args[static_cast<size_t>(a)]);
    } else if (const auto* l = std::get_if<LoadInstr>(&i.node)) {
      use(l->mask);
    } else if (const auto* s = std::get_if<StoreInstr>(&i.node)) {
      use(s->value), use(s->mask);
    } else if (const auto* b = std::get_if<BindInstr>(&i.node)) {
      use(b->value);
    } else if (const auto* loop = std::get_if<Loop>(&i.node); loop && !loop->extent.is(0)) {
      for (const Accumulator& a : loop->accumulators) use(a.value), use(a.position);
      for (const Carry& c : loop->carries) use(c.next);
      count_uses(loop->body);
    }
  }
}

bool KernelEmitter::is_needed(const Instr& instr) const {
  if (const auto* s = std::get_if<ScalarInstr>(&instr.node)) return uses_[s->result] > 0;
  if (const auto* l = std::get_if<LoadInstr>(&instr.node)) return uses_[l->result] > 0;
  if (const auto* x = std::get_if<IndexInstr>(&instr.node)) return uses_[x->result] > 0;
  return true;
}

std::string KernelEmitter::use(Reg r) {
  const Value& v = values_[r];
  return v.is_array ? v.text + "[" + wide_->lane + "]" : v.text;
}

Operand KernelEmitter::operand(Reg r) { return {use(r), values_[r].never_nan, values_[r].bits}; }

// A variable of its own for the register, or an element of its array.
void KernelEmitter::define(Reg r, const std::string& expression) {
  if (expression.empty()) return;
  if (wide_ && in_lane_ && wide_->is_array[r]) {
    line(values_[r].text + "[" + wide_->lane + "] = " + expression + ";");
    return;
  }
  values_[r] = {prefix_ + std::to_string(next_++), false, false};
  line("const " + std::string(register_type(kernel_.reg_types[r])) + " " + values_[r].text + " = " + expression + ";");
}

std::string KernelEmitter::access(uint32_t buffer, const Dim& index) {
  positions_.used.insert(buffers_[buffer]);
  return buffers_[buffer] + "[" + position(index) + "]";
}

void KernelEmitter::emit_body(const Body& body) {
  for (const Instr& i : body)
    if (is_needed(i)) emit(i);
}

void KernelEmitter::emit(const Instr& instr) {
  if (const auto* s = std::get_if<ScalarInstr>(&instr.node)) {
    if (s->op == ScalarOp::Const) {
      const bool nan = is_float(s->type) && std::isnan(bits_to_double(s->type, s->imm));
      values_[s->result] = {constant(s->type, s->imm, helpers_), false, is_float(s->type) && !nan, s->imm};
      return;
    }
    if (const auto group = groups_.find(s); group != groups_.end()) return emit_step(*s, group->second);
    std::vector<Operand> args;
    for (int i = 0; i < arity(s->op); ++i) args.push_back(operand(s->args[static_cast<size_t>(i)]));
    const Dtype type = kernel_.reg_types[s->args[s->op == ScalarOp::Select ? 1 : 0]];
    for (size_t i = 0; s->op == ScalarOp::Add && has_differences_ && i < 2; ++i) {
      if (!is_product_[s->args[i]]) continue;
      Operand& product = args[i];
      if (nothing_.empty()) nothing_ = fresh("nothing");
      product.text = helpers_.need(s->type == float32 ? "frit_apart_f32" : "frit_apart_f64") + "(" + product.text +
                     ", " + nothing_ + ")";
    }
    const std::string text = scalar(s->op, s->type, type, args, helpers_);
    if (text.empty())
      error_ = std::string(name(s->op)) + " must be expanded before code is written (pass expand_functions does)";
    define(s->result, text);
  } else if (const auto* x = std::get_if<IndexInstr>(&instr.node)) {
    define(x->result, "(uint64_t)(" + position(x->index) + ")");
  } else if (const auto* b = std::get_if<BindInstr>(&instr.node)) {
    const std::string value = signed_value(int64, use(b->value), helpers_);
    add_binding(facts_, *b);
    const std::string bound = declare(b->name);
    line("const int64_t " + bound + " = " + value + ";");
    if (!positions_.used.count(bound)) line("(void)" + bound + ";");
  } else if (const auto* l = std::get_if<LoadInstr>(&instr.node)) {
    const Dtype t = kernel_.reg_types[l->result];
    std::string element = access(l->buffer, l->index) + (t == bool_ ? " != 0" : "");
    define(l->result, l->mask == kNoReg ? element : use(l->mask) + " ? " + element + " : " + constant(t, 0, helpers_));
  } else if (const auto* s = std::get_if<StoreInstr>(&instr.node)) {
    line((s->mask == kNoReg ? "" : "if (" + use(s->mask) + ") ") + access(s->buffer, s->index) + " = " + use(s->value) +
         ";");
  } else if (const auto* loop = std::get_if<Loop>(&instr.node)) {
    emit_loop(*loop);
  }
}

}  // namespace frit::codegen::c
