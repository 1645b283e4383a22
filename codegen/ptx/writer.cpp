// The text of instructions and modules.
#include "codegen/ptx/writer.h"

namespace frit::codegen::ptx {

namespace {

struct RegisterKind {
  const char *type, *name;
};
constexpr RegisterKind kKinds[] = {{"pred", "%p"}, {"b16", "%s"}, {"b32", "%r"},
                                   {"b64", "%d"},  {"f32", "%f"}, {"f64", "%g"}};

}  // namespace

Value list(const std::vector<Value>& values) {
  std::string text = "{";
  for (const Value& v : values) text += (text.size() > 1 ? ", " : "") + v;
  return text + "}";
}

Value Writer::reg(Kind kind) { return kKinds[kind].name + number(registers_[kind]++); }

void Writer::op(std::string_view instruction, std::initializer_list<Value> operands) {
  text_ += "  ";
  text_ += instruction;
  const char* before = " ";
  for (const Value& v : operands) {
    text_ += before + v;
    before = ", ";
  }
  text_ += ";\n";
}

void Writer::op_if(const Value& predicate, std::string_view instruction, std::initializer_list<Value> operands) {
  op("@" + predicate + " " + std::string(instruction), operands);
}

Value Writer::result(Kind kind, std::string_view instruction, std::initializer_list<Value> operands) {
  const Value to = reg(kind);
  text_ += "  ";
  text_ += instruction;
  text_ += " " + to;
  for (const Value& v : operands) text_ += ", " + v;
  text_ += ";\n";
  return to;
}

Value Writer::parameter(size_t index) { return u64("ld.param.b64", {at("p" + number(index))}); }

std::string Writer::finish(const Kernel& k) const {
  std::string text = ".version 8.3\n.target " + k.target + "\n.address_size 64\n.visible .entry " + k.entry + "(";
  for (size_t i = 0; i < k.parameters; ++i) text += (i ? ", .param .u64 p" : ".param .u64 p") + number(i);
  text += ")\n.maxntid " + number(k.threads) + ", 1, 1\n.minnctapersm " + number(k.groups) + "\n{\n";
  if (k.shared_bytes)
    text += "  .shared .align " + number(k.shared_align) + " .b8 " + kShared + "[" + number(k.shared_bytes) + "];\n";
  for (size_t i = 0; i < registers_.size(); ++i)
    if (registers_[i])
      text += std::string("  .reg .") + kKinds[i].type + " " + kKinds[i].name + "<" + number(registers_[i]) + ">;\n";
  return text + text_ + "}\n";
}

}  // namespace frit::codegen::ptx
