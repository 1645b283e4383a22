// Makes the checks of a call from the sizes and the facts of a function.
#include "codegen/core/guard.h"

#include <algorithm>

namespace frit::codegen {
namespace {

using runtime::Guard;

void add_shapes(const ir::Function& f, SymbolSources& sources) {
  for (uint32_t i = 0; i < f.params.size(); ++i) {
    const ir::Shape& shape = f.type(f.params[i]).shape;
    for (uint32_t axis = 0; axis < shape.size(); ++axis)
      if (const std::string* name = shape[axis].as_symbol())
        sources.emplace(*name, runtime::SymbolSource{i, axis, false});
  }
}

// The checks, each with its text.
class GuardBuilder {
 public:
  explicit GuardBuilder(const ir::Function& f) : f_(f) {}

  Status run() {
    std::vector<std::string> used;
    for (ir::ValueId p : f_.params)
      for (const Dim& d : f_.type(p).shape) d.collect_symbols(used);
    SymbolSources sources;
    add_shapes(f_, sources);
    for (const std::string& name : used) {
      const auto found = sources.find(name);
      if (found == sources.end()) return no_source(f_, name);
      guard_.symbol_names.push_back(name);
      guard_.sources.push_back({found->second.input, found->second.axis});
    }
    ranges();
    for (const DimCondition& c : f_.facts.conditions()) FRIT_TRY(only_sizes(c));
    divisors();
    sizes();
    for (const DimCondition& c : f_.facts.conditions()) condition(c);
    return {};
  }

  Guard take() { return std::move(guard_); }
  const std::vector<std::string>& said() const { return said_; }

 private:
  void add(Guard::Check check, std::string what) {
    guard_.checks.push_back(std::move(check));
    said_.push_back(std::move(what));
  }

  std::string place(const Guard::Source& s) const {
    return "axis " + std::to_string(s.axis) + " of '" + f_.values[f_.params[s.input]].name + "'";
  }

  int slot_of(const std::string& symbol) const {
    auto it = std::lower_bound(guard_.symbol_names.begin(), guard_.symbol_names.end(), symbol);
    return it == guard_.symbol_names.end() || *it != symbol ? -1 : static_cast<int>(it - guard_.symbol_names.begin());
  }

  DimProgram program(const Dim& d) const {
    return DimProgram(d, [&](const std::string& symbol) { return slot_of(symbol); });
  }

  void ranges() {
    for (uint32_t i = 0; i < guard_.symbol_names.size(); ++i) {
      const std::string& name = guard_.symbol_names[i];
      const DimRange r = f_.facts.range(Dim::symbol(name));
      const bool least = r.low > 0, most = r.high < DimFacts::kMaxSize;
      std::string what = place(guard_.sources[i]) + " (" + name + ") is ";
      if (least && most)
        what += r.low == r.high ? std::to_string(r.low)
                                : "in [" + std::to_string(r.low) + ", " + std::to_string(r.high) + "]";
      else
        what += least ? "at least " + std::to_string(r.low) : "at most " + std::to_string(r.high);
      if (least || most) add(Guard::Range{i, r.low, r.high, 1}, what);
      if (int64_t factor = f_.facts.multiple(name); factor > 1)
        add(Guard::Range{i, INT64_MIN, INT64_MAX, factor}, name + " is a multiple of " + std::to_string(factor));
    }
  }

  Status only_sizes(const DimCondition& c) const {
    std::vector<std::string> used;
    c.dim.collect_symbols(used);
    for (const std::string& symbol : used)
      if (slot_of(symbol) < 0)
        return Diagnostic(
            "function @" + f_.name + ": '" + c.str() + "' uses '" + symbol + "', which is no size of any argument", {},
            "state facts of sizes alone");
    return {};
  }

  // Divisors must be positive before any size that divides by them has a value.
  void divisors() {
    for (const auto& [symbol, range] : f_.facts.ranges()) plain_.set_range(symbol, range);
    for (const auto& [symbol, factor] : f_.facts.multiples()) plain_.set_multiple(symbol, factor);
    for (ir::ValueId p : f_.params)
      for (const Dim& d : f_.type(p).shape) divisors_in(d);
    for (const DimCondition& c : f_.facts.conditions()) divisors_in(c.dim);
  }

  void divisors_in(const Dim& d) {
    if (d.is_const()) return;
    for (const DimTerm& t : d.poly()->terms)
      for (const auto& atom : t.atoms) {
        for (const Dim& arg : atom->args) divisors_in(arg);
        if (!atom->divides()) continue;
        const Dim& divisor = atom->args[1];
        if (plain_.less_equal(1, divisor) == Tri::Yes) continue;
        plain_.assume_nonnegative(divisor - Dim(1));
        add(Guard::Condition{program(divisor - Dim(1)), Guard::Condition::Kind::NonNegative},
            divisor.str() + " is at least 1");
      }
  }

  void sizes() {
    for (uint32_t i = 0; i < f_.params.size(); ++i) {
      const ir::Shape& shape = f_.type(f_.params[i]).shape;
      for (uint32_t axis = 0; axis < shape.size(); ++axis) {
        const Dim& d = shape[axis];
        const std::string* symbol = d.as_symbol();
        const Guard::Source here{i, axis};
        if (symbol && guard_.sources[static_cast<size_t>(slot_of(*symbol))] == here) continue;
        std::string what = place(here);
        if (symbol)
          what += " equals " + place(guard_.sources[static_cast<size_t>(slot_of(*symbol))]);
        else
          what += " is " + d.str();
        add(Guard::Size{i, axis, program(d)}, what);
      }
    }
  }

  void condition(const DimCondition& c) {
    const bool zero = c.kind == DimCondition::Kind::Zero;
    add(Guard::Condition{program(c.dim), zero ? Guard::Condition::Kind::Zero : Guard::Condition::Kind::NonNegative},
        said_by(c));
  }

  static std::string said_by(const DimCondition& c) {
    if (c.kind == DimCondition::Kind::Zero && c.dim.poly() && c.dim.poly()->constant == 0 &&
        c.dim.poly()->terms.size() == 1) {
      const DimTerm& t = c.dim.poly()->terms[0];
      if (t.atoms.size() == 1 && t.atoms[0]->kind == AtomKind::Mod)
        return t.atoms[0]->args[0].str() + " is a multiple of " + t.atoms[0]->args[1].str();
    }
    return c.str();
  }

  const ir::Function& f_;
  Guard guard_;
  std::vector<std::string> said_;
  DimFacts plain_;  // ranges and multiples, and the divisors already seen to
};

}  // namespace

SymbolSources sources_of_symbols(const ir::Function& f) {
  SymbolSources sources;
  add_shapes(f, sources);
  for (uint32_t i = 0; i < f.layouts.size(); ++i)
    for (uint32_t axis = 0; axis < f.layouts[i].size(); ++axis)
      if (const std::string* name = f.layouts[i][axis].as_symbol())
        sources.emplace(*name, runtime::SymbolSource{i, axis, true});
  return sources;
}

Diagnostic no_source(const ir::Function& f, const std::string& symbol) {
  return Diagnostic("function @" + f.name + ": the size '" + symbol + "' cannot be read from any argument", {},
                    "let it stand alone as a size of some parameter");
}

Result<runtime::Guard> make_guard(const ir::Function& f, std::vector<std::string>* said) {
  GuardBuilder builder(f);
  FRIT_TRY(builder.run());
  if (said) *said = builder.said();
  return builder.take();
}

std::string describe(const ir::Function& f, const runtime::Guard& guard, int check) {
  GuardBuilder builder(f);
  if (!builder.run().ok() || builder.said().size() != guard.checks.size()) return {};
  if (check < 0 || static_cast<size_t>(check) >= guard.checks.size()) return {};
  return builder.said()[static_cast<size_t>(check)];
}

}  // namespace frit::codegen
