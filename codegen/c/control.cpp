// Steps of control flow as C statements.
#include "codegen/c/control.h"

namespace frit::codegen::c {

using ir::BufferRole;
using ir::ControlKind;

ControlWriter::ControlWriter(const ir::Program& p, Positions& positions, const DimFacts& facts,
                             const std::function<std::string(std::string_view)>& fresh,
                             std::function<std::string(uint32_t)> address)
    : p_(p), positions_(positions), facts_(facts), address_(std::move(address)) {
  const auto moves = [&](uint32_t buffer) {
    if (!moving_.count(buffer)) moving_[buffer] = fresh("moving");
  };
  for (uint32_t i = 0; i < p.buffers.size(); ++i)
    if (p.buffers[i].role == BufferRole::Part) moves(i);
  for (const ir::Step& step : p.steps)
    if (const auto* control = std::get_if<ir::ControlStep>(&step))
      for (const auto& [a, b] : control->swaps) moves(a), moves(b);
  for (const std::string& name : p.counters) {
    counters_.push_back(fresh(name));
    positions_.names[name] = counters_.back();
  }
}

std::string ControlWriter::variable(uint32_t buffer) const {
  const auto found = moving_.find(buffer);
  return found == moving_.end() ? std::string() : found->second;
}

std::string ControlWriter::bytes(uint32_t buffer) const {
  const std::string name = variable(buffer);
  return name.empty() ? address_(buffer) : name;
}

std::string ControlWriter::declarations() const {
  std::string text;
  for (const auto& [buffer, name] : moving_) {
    const bool part = p_.buffers[buffer].role == BufferRole::Part;
    const BufferRole root = p_.buffers[p_.root(buffer)].role;
    const bool constant = root == BufferRole::Input || root == BufferRole::Constant;
    text += std::string("  ") + (constant ? "const void* " : "void* ") + name + " = " +
            (part ? "NULL" : "(void*)" + address_(buffer)) + ";\n";
  }
  return text;
}

std::string ControlWriter::parts(uint32_t counter) {
  std::string text;
  for (uint32_t i = 0; i < p_.buffers.size(); ++i) {
    const ir::ProgramBuffer& part = p_.buffers[i];
    if (part.role != BufferRole::Part || part.counter != counter) continue;
    const BufferRole root = p_.buffers[p_.root(i)].role;
    const bool constant = root == BufferRole::Input || root == BufferRole::Constant;
    const std::string type = constant ? "const unsigned char*" : "unsigned char*";
    const std::string through = constant ? "const void*" : "void*";
    text += indent() + moving_.at(i) + " = (" + type + ")(" + through + ")" + bytes(part.whole) + " + (" +
            positions_.text(part.at * Dim(int64_t{part.dtype.size()}), facts_) + ");\n";
  }
  return text;
}

std::string ControlWriter::statements(const ir::ControlStep& step) {
  const auto flag = [&] { return "*(const unsigned char*)(const void*)" + bytes(step.flag); };
  std::string text;
  switch (step.kind) {
    case ControlKind::Repeat: {
      const std::string& i = counters_[step.counter];
      text = indent() + "for (int64_t " + i + " = 0; " + i + " < " + positions_.text(step.count, facts_) + "; ++" + i +
             ") {\n";
      open_.push_back(&step);
      return text + parts(step.counter);
    }
    case ControlKind::Loop:
      text = indent() + "for (;;) {\n";
      open_.push_back(&step);
      return text;
    case ControlKind::Leave: return indent() + "if (!" + flag() + ") break;\n";
    case ControlKind::If:
      text = indent() + "if (" + flag() + ") {\n";
      open_.push_back(&step);
      return text;
    case ControlKind::Else: return std::string(2 * open_.size(), ' ') + "} else {\n";
    case ControlKind::End: break;
  }
  for (const auto& [a, b] : step.swaps)
    text += indent() + "{\n" + indent() + "  void* const was = " + moving_.at(a) + ";\n" + indent() + "  " +
            moving_.at(a) + " = " + moving_.at(b) + ";\n" + indent() + "  " + moving_.at(b) + " = was;\n" + indent() +
            "}\n";
  open_.pop_back();
  return text + indent() + "}\n";
}

}  // namespace frit::codegen::c
