// Loads of which a chain of selections takes one, as where operands of a concatenation meet: one load at a chosen
// address. Drivers keep loads behind branches from being under way together.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "codegen/glsl/emitter.h"
#include "ir/base/dim_atoms.h"

namespace frit::codegen::glsl {

namespace {

void count_uses(const ir::Instr& i, std::map<ir::Reg, int>& uses) {
  if (auto* s = std::get_if<ir::ScalarInstr>(&i.node))
    for (int a = 0; a < ir::arity(s->op); ++a) ++uses[s->args[static_cast<size_t>(a)]];
  if (auto* b = std::get_if<ir::BindInstr>(&i.node)) ++uses[b->value];
  if (auto* l = std::get_if<ir::LoadInstr>(&i.node)) ++uses[l->mask];
  if (auto* s = std::get_if<ir::StoreInstr>(&i.node)) ++uses[s->mask], ++uses[s->value];
}

// The masks of a body: comparisons of two positions, and conjunctions of such.
class Tests {
 public:
  explicit Tests(const ir::Body& body) {
    for (const ir::Instr& i : body) {
      if (auto* position = std::get_if<ir::IndexInstr>(&i.node)) positions_.emplace(position->result, position->index);
      if (auto* s = std::get_if<ir::ScalarInstr>(&i.node)) scalars_.emplace(s->result, s);
    }
  }

  // The tests of a mask that do not follow from what is known, where the masks before it do not hold.
  std::vector<ir::Reg> own(ir::Reg mask, const DimFacts& facts) const {
    std::vector<ir::Reg> all;
    split(mask, all);
    std::erase_if(all, [&](ir::Reg test) { return follows(test, facts); });
    return all;
  }

  // Knows from now on that the only test of a mask does not hold.
  void refuse(const std::vector<ir::Reg>& tests) {
    if (tests.size() != 1) return;
    if (const std::optional<Dim> slack = slack_of(tests[0])) refused_.push_back(Dim(-1) - *slack);
  }

 private:
  void split(ir::Reg mask, std::vector<ir::Reg>& all) const {
    const auto found = scalars_.find(mask);
    if (found == scalars_.end() || found->second->op != ir::ScalarOp::And) return all.push_back(mask);
    split(found->second->args[0], all);
    split(found->second->args[1], all);
  }

  // Of a test that it is not negative: the number that is not.
  std::optional<Dim> slack_of(ir::Reg test) const {
    const auto found = scalars_.find(test);
    if (found == scalars_.end() || found->second->op != ir::ScalarOp::Le) return std::nullopt;
    const auto low = positions_.find(found->second->args[0]), high = positions_.find(found->second->args[1]);
    if (low == positions_.end() || high == positions_.end()) return std::nullopt;
    return high->second - low->second;
  }

  bool follows(ir::Reg test, const DimFacts& facts) const {
    const std::optional<Dim> slack = slack_of(test);
    if (!slack) return false;
    return std::any_of(refused_.begin(), refused_.end(),
                       [&](const Dim& known) { return facts.less_equal(known, *slack) == Tri::Yes; });
  }

  std::map<ir::Reg, Dim> positions_;
  std::map<ir::Reg, const ir::ScalarInstr*> scalars_;
  std::vector<Dim> refused_;  // numbers that are not negative
};

std::string all_of(const std::vector<std::string>& tests) {
  std::string text;
  for (const std::string& t : tests) text += (text.empty() ? "" : " && ") + t;
  return tests.size() > 1 ? "(" + text + ")" : text;
}

}  // namespace

// The positions of a chain as what they have in common, one part that each has a number of its own of, and constants.
struct KernelEmitter::JoinedAddress {
  Dim common, part;                    // `part` is 0 where they differ in constants alone
  std::vector<int64_t> own, constant;  // of each load
};

// Nothing where some load may not take place, positions need 64 bits, or they differ in more.
std::optional<KernelEmitter::JoinedAddress> KernelEmitter::joined_address(const Joined& joined) const {
  if (joined.tests.empty() || !joined.tests.back().empty()) return std::nullopt;
  JoinedAddress a{0, 0, {}, {}};
  std::vector<std::pair<Dim, std::vector<int64_t>>> parts;  // a product of atoms, and how many of it each load has
  for (size_t k = 0; k < joined.loads.size(); ++k) {
    const Dim& index = std::get<ir::LoadInstr>(joined.loads[k]->node).index;
    const DimPoly p = to_poly(index);
    a.constant.push_back(p.constant);
    const Dim variable = index - Dim(p.constant);
    if (!narrow(variable) || facts_.range(variable).low < 0) return std::nullopt;
    for (const DimTerm& t : p.terms) {
      const Dim product = Dim::from_term({t.atoms, 1});
      auto found = std::find_if(parts.begin(), parts.end(), [&](const auto& known) { return known.first == product; });
      if (found == parts.end())
        found = parts.insert(parts.end(), {product, std::vector<int64_t>(joined.loads.size(), 0)});
      found->second[k] = t.coefficient;
    }
  }
  for (const auto& [product, numbers] : parts) {
    if (std::all_of(numbers.begin(), numbers.end(), [&](int64_t n) { return n == numbers[0]; })) {
      a.common += product * Dim(numbers[0]);
    } else if (a.own.empty() && narrow(product)) {
      a.part = product;
      a.own = numbers;
    } else {
      return std::nullopt;
    }
  }
  return narrow(a.common) ? std::optional(a) : std::nullopt;
}

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
  for (auto& [selection, chain] : joined_) {
    inner.insert(chain.loads.begin(), chain.loads.end());
    Tests tests(body);
    for (const ir::Instr* load : chain.loads) {
      chain.tests.push_back(tests.own(std::get<ir::LoadInstr>(load->node).mask, facts_));
      tests.refuse(chain.tests.back());
    }
  }
  elsewhere_ = std::move(inner);
}

// Where no condition holds, the address is that of the last buffer's first element, and the value another one. Where
// one always does, what the positions have in common is computed once, and constants belong to the addresses.
void KernelEmitter::emit_joined(const ir::ScalarInstr& selection, const Joined& joined, const ir::Instr& instr) {
  const std::vector<const ir::Instr*>& chain = joined.loads;
  const Dtype t = k_.reg_types[selection.result];
  std::vector<std::string> masks;
  for (const std::vector<ir::Reg>& tests : joined.tests) {
    std::vector<std::string> texts;
    for (const ir::Reg test : tests) texts.push_back(regs_[test]);
    masks.push_back(all_of(texts));
  }
  // The first of the texts whose mask holds, or else the last one.
  const auto chosen = [&](const std::vector<std::string>& texts) {
    std::string text;
    for (size_t k = 0; k + 1 < texts.size(); ++k) text += masks[k] + " ? " + texts[k] + " : ";
    return text + texts.back();
  };
  const std::string name = name_of(selection.result), size = std::to_string(t.size());
  const auto address = [&](size_t k, int64_t elements) {
    std::string text = "uint64_t(" + memories_[std::get<ir::LoadInstr>(chain[k]->node).buffer].name + ")";
    const int64_t bytes = elements * t.size();
    return bytes ? "(" + text + (bytes < 0 ? " - " : " + ") + std::to_string(std::abs(bytes)) + "UL)" : text;
  };
  std::vector<std::string> bases, positions;
  std::string at, type = "int";
  const std::optional<JoinedAddress> simple = joined_address(joined);
  for (size_t k = 0; k < chain.size(); ++k) bases.push_back(address(k, simple ? simple->constant[k] : 0));
  bool wide = false;
  if (simple) {
    for (const int64_t n : simple->own) positions.push_back(std::to_string(n));
    at = dim(simple->common, false);
    if (!positions.empty()) at = "(" + chosen(positions) + ") * " + dim(simple->part, false) + " + " + at;
  } else {
    std::vector<Place> places;
    for (const ir::Instr* i : chain) {
      const auto& l = std::get<ir::LoadInstr>(i->node);
      places.push_back(position(l.buffer, l.index));
      wide = wide || places.back().wide;
    }
    for (const Place& p : places) positions.push_back(p.wide == wide ? p.text : "int64_t(" + p.text + ")");
    if (!masks.back().empty()) positions.back() = masks.back() + " ? " + positions.back() + " : " + (wide ? "0L" : "0");
    at = chosen(positions);
    type = index_type(wide);
  }
  line("const uint64_t " + name + "b = " + chosen(bases) + ";");
  line("const " + type + " " + name + "i = " + at + ";");
  const std::string element = wide ? "uint64_t(" : "uint64_t(uint(";
  const std::string loaded =
      reference(t, 1) + "(" + name + "b + " + element + name + "i)" + (wide ? "" : ")") + " * " + size + "UL).data[0]";
  if (masks.back().empty()) return define(selection.result, from_memory(t, loaded), instr);
  line(std::string(register_type(t)) + " " + name + "v = " + from_memory(t, loaded) + ";");
  const std::string rest = joined.rest == ir::kNoReg ? literal(t, 0) : regs_[joined.rest];
  std::string any;
  for (const std::string& m : masks) any += (any.empty() ? "" : " || ") + m;
  define(selection.result, any + " ? " + name + "v : " + rest, instr);
}

}  // namespace frit::codegen::glsl
