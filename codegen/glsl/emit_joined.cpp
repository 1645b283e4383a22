// Loads of which a chain of selections takes one, as where operands of a concatenation meet: one load at a chosen
// address. Drivers keep loads behind branches from being under way together.
#include <algorithm>

#include "codegen/glsl/emitter.h"

namespace frit::codegen::glsl {

namespace {

void count_uses(const ir::Instr& i, std::map<ir::Reg, int>& uses) {
  if (auto* s = std::get_if<ir::ScalarInstr>(&i.node))
    for (int a = 0; a < ir::arity(s->op); ++a) ++uses[s->args[static_cast<size_t>(a)]];
  if (auto* b = std::get_if<ir::BindInstr>(&i.node)) ++uses[b->value];
  if (auto* l = std::get_if<ir::LoadInstr>(&i.node)) ++uses[l->mask];
  if (auto* s = std::get_if<ir::StoreInstr>(&i.node)) ++uses[s->mask], ++uses[s->value];
}

}  // namespace

// Finds the chains of a body without loops whose memory nobody writes.
void KernelEmitter::find_joined(const ir::Body& body) {
  if (!features_.int64) return;
  std::map<ir::Reg, int> uses;
  std::map<ir::Reg, const ir::Instr*> loads, selections;
  std::set<const ir::Instr*> inner;
  for (const ir::Instr& i : body) {
    if (std::holds_alternative<ir::Loop>(i.node)) return;
    count_uses(i, uses);
  }
  const auto fits = [&](const ir::LoadInstr& l) {
    return l.mask != ir::kNoReg && l.buffer < k_.buffers.size() && !k_.buffers[l.buffer].written &&
           !is_complex(k_.buffers[l.buffer].dtype) && k_.buffers[l.buffer].size.is_const() &&
           k_.buffers[l.buffer].size.value() > 0 && uses[l.result] == 1;
  };
  for (const ir::Instr& i : body) {
    if (auto* l = std::get_if<ir::LoadInstr>(&i.node); l && fits(*l)) loads[l->result] = &i;
    auto* s = std::get_if<ir::ScalarInstr>(&i.node);
    if (!s || s->op != ir::ScalarOp::Select || !loads.count(s->args[1])) continue;
    const auto& own = std::get<ir::LoadInstr>(loads[s->args[1]]->node);
    if (own.mask != s->args[0]) continue;
    Joined chain{{loads[s->args[1]]}, ir::kNoReg};
    if (loads.count(s->args[2])) {
      chain.loads.push_back(loads[s->args[2]]);
    } else if (selections.count(s->args[2]) && uses[s->args[2]] == 1) {
      const ir::Instr* rest = selections[s->args[2]];
      const Joined& others = joined_[rest];
      chain.loads.insert(chain.loads.end(), others.loads.begin(), others.loads.end());
      chain.rest = others.rest;
      joined_.erase(rest);
      inner.insert(rest);
    } else {
      chain.rest = s->args[2];
    }
    joined_[&i] = std::move(chain);
    selections[s->result] = &i;
  }
  for (const auto& [selection, chain] : joined_) inner.insert(chain.loads.begin(), chain.loads.end());
  elsewhere_ = std::move(inner);
}

// Where no condition holds, the address is that of the last buffer's first element, and the value another one.
void KernelEmitter::emit_joined(const ir::ScalarInstr& selection, const Joined& joined, const ir::Instr& instr) {
  const std::vector<const ir::Instr*>& chain = joined.loads;
  const Dtype t = k_.reg_types[selection.result];
  std::vector<Place> places;
  bool wide = false;
  for (const ir::Instr* i : chain) {
    const auto& l = std::get<ir::LoadInstr>(i->node);
    places.push_back(position(l.buffer, l.index));
    wide = wide || places.back().wide;
  }
  std::string base, at, any;
  for (size_t k = 0; k < chain.size(); ++k) {
    const auto& l = std::get<ir::LoadInstr>(chain[k]->node);
    const std::string address = "uint64_t(" + memories_[l.buffer].name + ")", mask = regs_[l.mask];
    base += k + 1 < chain.size() ? mask + " ? " + address + " : " : address;
    at += mask + " ? " + (places[k].wide == wide ? places[k].text : "int64_t(" + places[k].text + ")") + " : ";
    any += (k ? " || " : "") + mask;
  }
  const std::string name = name_of(selection.result), element = wide ? "uint64_t(" : "uint64_t(uint(";
  line("const uint64_t " + name + "b = " + base + ";");
  line("const " + index_type(wide) + " " + name + "i = " + at + (wide ? "0L" : "0") + ";");
  const std::string loaded = reference(t, 1) + "(" + name + "b + " + element + name + "i)" + (wide ? "" : ")") + " * " +
                             std::to_string(t.size()) + "UL).data[0]";
  line(std::string(register_type(t)) + " " + name + "v = " + from_memory(t, loaded) + ";");
  const std::string rest = joined.rest == ir::kNoReg ? literal(t, 0) : regs_[joined.rest];
  define(selection.result, any + " ? " + name + "v : " + rest, instr);
}

}  // namespace frit::codegen::glsl
