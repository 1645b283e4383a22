// The rules of functions and modules, G1 to G16.
#include "ir/verify/verifier.h"

#include <algorithm>
#include <set>

#include "ir/graph/control.h"
#include "ir/kernel/program.h"
#include "ir/routines/host_call.h"
#include "ir/text/printer.h"
#include "ir/verify/kernel_verifier.h"

namespace frit::ir {
namespace {

class Verifier {
 public:
  // `around`: of a region, the symbols of the function that it is in.
  explicit Verifier(const Function& f, const std::vector<std::string>* around = nullptr) : f_(f), around_(around) {}

  Status run() {
    FRIT_TRY(tables());
    if (around_)
      symbols_ = *around_;
    else
      symbols_ = f_.symbols();
    FRIT_TRY(signature());
    if (f_.program) return lowered();
    for (uint32_t i = 0; i < f_.ops.size(); ++i) FRIT_TRY(op(i));
    FRIT_TRY(results());
    return groups();
  }

 private:
  Diagnostic broken(int rule, const std::string& what, SourceLoc loc = {}) const {
    return {"rule G" + std::to_string(rule) + ": in '@" + f_.name + "', " + what, loc};
  }

  // "op 'exp' (%0)", with the name of the first result if the tables allow it.
  Diagnostic broken(int rule, const Op& op, const std::string& what) const {
    std::string s = op.def ? "op '" + std::string(op.def->name) + "'" : "an op without a row";
    if (op.def && !op.results.empty() && op.results[0] < f_.values.size() && tables_hold_)
      s += " (" + value_names(f_)[op.results[0]] + ")";
    return broken(rule, s + ": " + what, op.loc);
  }

  // G1, G2, G4: the tables that everything else indexes.
  Status tables() {
    std::vector<bool> defined(f_.values.size(), false);
    std::set<std::string_view> names;
    for (uint32_t i = 0; i < f_.params.size(); ++i) {
      ValueId v = f_.params[i];
      if (v >= f_.values.size()) return broken(2, "parameter " + std::to_string(i) + " is not a value");
      const Value& value = f_.values[v];
      if (defined[v] || value.op != kNone || value.index != i)
        return broken(2, "parameter " + std::to_string(i) + " does not name its own value");
      defined[v] = true;
      if (value.name.empty()) return broken(1, "parameter " + std::to_string(i) + " has no name");
      if (!names.insert(value.name).second) return broken(1, "two parameters are named '%" + value.name + "'");
    }
    for (uint32_t i = 0; i < f_.ops.size(); ++i) {
      const Op& op = f_.ops[i];
      if (!op.def || (OpTable::instance().find(op.def->name) != op.def && op.def != &host_call()))
        return broken(4, op, "it is not in the op table");
      for (uint32_t r = 0; r < op.results.size(); ++r) {
        ValueId v = op.results[r];
        if (v >= f_.values.size() || defined[v] || f_.values[v].op != i || f_.values[v].index != r)
          return broken(2, op, "result " + std::to_string(r) + " does not name its own value");
        defined[v] = true;
      }
      for (ValueId v : op.operands)
        if (v >= f_.values.size()) return broken(3, op, "an operand is not a value");
    }
    tables_hold_ = true;
    return {};
  }

  Status declared(int rule, const Dim& d, const std::string& where, SourceLoc loc) const {
    if (d.is_const()) return {};
    std::vector<std::string> used;
    d.collect_symbols(used);
    for (const std::string& s : used)
      if (!std::binary_search(symbols_.begin(), symbols_.end(), s))
        return broken(rule, where + " uses the symbol '" + s + "', which no parameter declares", loc);
    return {};
  }

  Status type(const Type& t, const std::string& where, SourceLoc loc) const {
    if (Status s = check_type(t); !s.ok()) return broken(8, where + ": " + s.error().message, loc);
    for (const Dim& d : t.shape) FRIT_TRY(declared(9, d, where, loc));
    return {};
  }

  // G8 to G11 for parameters and facts.
  Status signature() const {
    for (const std::string& s : symbols_)
      if (!is_identifier(s)) return broken(9, "the symbol '" + s + "' is not an identifier");
    for (ValueId p : f_.params) FRIT_TRY(type(f_.type(p), "parameter '%" + f_.values[p].name + "'", {}));
    for (const auto& [symbol, range] : f_.facts.ranges()) {
      FRIT_TRY(declared(10, Dim::symbol(symbol), "a fact", {}));
      if (range.low > range.high)
        return broken(10, "no value of '" + symbol + "' is in [" + std::to_string(range.low) + ", " +
                              std::to_string(range.high) + "]");
    }
    for (const auto& [symbol, factor] : f_.facts.multiples()) {
      FRIT_TRY(declared(10, Dim::symbol(symbol), "a fact", {}));
      if (factor <= 0) return broken(10, "the divisor of '" + symbol + "' is " + std::to_string(factor));
    }
    for (const DimCondition& c : f_.facts.conditions()) FRIT_TRY(declared(10, c.dim, "the fact '" + c.str() + "'", {}));
    if (auto fact = f_.facts.contradiction()) return broken(10, "'" + *fact + "' contradicts the other facts");
    if (!f_.layouts.empty() && f_.layouts.size() != f_.params.size())
      return broken(11, "there are " + std::to_string(f_.params.size()) + " parameters, but " +
                            std::to_string(f_.layouts.size()) + " layouts");
    FRIT_TRY(names());
    for (size_t i = 0; i < f_.layouts.size(); ++i) {
      const Value& p = f_.values[f_.params[i]];
      if (!f_.layouts[i].empty() && f_.layouts[i].size() != p.type.shape.size())
        return broken(11, "parameter '%" + p.name + "' has " + std::to_string(p.type.rank()) + " axes, but " +
                              std::to_string(f_.layouts[i].size()) + " strides");
    }
    return {};
  }

  // G15: names of results and bindings of parameters.
  Status names() const {
    if (!f_.weights.empty() && f_.weights.size() != f_.params.size())
      return broken(15, "there are " + count(f_.params.size(), "parameter") + ", but " +
                            std::to_string(f_.weights.size()) + " bindings to weights");
    for (size_t i = 0; i < f_.weights.size(); ++i) {
      if (f_.weights[i].empty()) continue;
      const Value& p = f_.values[f_.params[i]];
      for (const Dim& d : p.type.shape)
        if (!d.is_const())
          return broken(15, "parameter '%" + p.name + "' is bound to a weight, but its size " + d.str() + " is open");
      if (i < f_.layouts.size() && !f_.layouts[i].empty())
        return broken(15, "parameter '%" + p.name + "' is bound to a weight, but has strides");
    }
    const size_t results = f_.program ? f_.program->results.size() : f_.results.size();
    if (!f_.result_names.empty() && f_.result_names.size() != results)
      return broken(15, "there are " + count(results, "result") + ", but " + std::to_string(f_.result_names.size()) +
                            " names of results");
    std::set<std::string_view> named;
    for (const std::string& n : f_.result_names)
      if (!n.empty() && !named.insert(n).second) return broken(15, "two results are named '%" + n + "'");
    return {};
  }

  static std::string count(size_t n, const char* what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); }

  // G3, G5 to G9 for one op.
  Status op(uint32_t index) const {
    const Op& op = f_.ops[index];
    std::vector<Type> operands;
    operands.reserve(op.operands.size());
    for (ValueId v : op.operands) {
      const Value& value = f_.values[v];
      bool before =
          value.op == kNone ? value.index < f_.params.size() && f_.params[value.index] == v : value.op < index;
      if (!before) return broken(3, op, "operand " + value_names(f_)[v] + " is used before it is defined");
      operands.push_back(value.type);
    }
    if (op.def->arity >= 0 && op.operands.size() != static_cast<size_t>(op.def->arity))
      return broken(5, op,
                    "it takes " + count(static_cast<size_t>(op.def->arity), "operand") + ", but has " +
                        std::to_string(op.operands.size()));
    if (Status s = check_attrs(*op.def, op.attrs); !s.ok()) return broken(6, op, s.error().message);
    for (const auto& [name, value] : op.attrs) {
      std::string where = "attribute '" + name + "' of op '" + std::string(op.def->name) + "'";
      if (const Dim* d = std::get_if<Dim>(&value)) FRIT_TRY(declared(9, *d, where, op.loc));
      if (const Dims* dims = std::get_if<Dims>(&value))
        for (const Dim& d : *dims) FRIT_TRY(declared(9, d, where, op.loc));
    }
    FRIT_TRY(regions(op));
    auto inferred = infer(*op.def, {operands, op.attrs, f_.facts});
    if (!inferred.ok()) return broken(7, op, inferred.error().message);
    if (inferred->size() != op.results.size())
      return broken(7, op,
                    "it gives " + count(inferred->size(), "result") + ", but has " + std::to_string(op.results.size()));
    for (size_t i = 0; i < op.results.size(); ++i) {
      const Type &want = (*inferred)[i], &have = f_.type(op.results[i]);
      if (have.dtype != want.dtype || !same_shape(have.shape, want.shape, f_.facts))
        return broken(7, op, "it gives " + want.str() + ", but its result is " + have.str());
      FRIT_TRY(type(have, "op '" + std::string(op.def->name) + "'", op.loc));
    }
    return {};
  }

  // G16, and all rules inside.
  Status regions(const Op& op) const {
    for (std::string_view name : regions_of(op)) {
      const Region& region = std::get<Region>(*op.attrs.find(name));
      const Function& f = region.function();
      if (f.program || !f.layouts.empty() || !f.weights.empty() || !f.result_names.empty() || states_facts(f))
        return broken(16, op, "its region '" + std::string(name) + "' has more than parameters, ops and results");
      Function inside = opened(region, f_);
      inside.name = f_.name + "." + std::string(name);
      FRIT_TRY(Verifier(inside, &symbols_).run());
    }
    return {};
  }

  Status results() const {
    for (ValueId v : f_.results) {
      bool defined = v < f_.values.size();
      if (defined) {
        const Value& value = f_.values[v];
        const std::vector<ValueId>* home = value.op == kNone          ? &f_.params
                                           : value.op < f_.ops.size() ? &f_.ops[value.op].results
                                                                      : nullptr;
        defined = home && value.index < home->size() && (*home)[value.index] == v;
      }
      if (!defined) return broken(12, "a result is not defined");
    }
    return {};
  }

  // Contiguous groups, in an order with definitions first, cannot depend on each other in a circle.
  Status groups() const {
    std::vector<bool> closed(f_.groups.size(), false);
    int32_t open = -1;
    for (const Op& op : f_.ops) {
      if (op.group < -1 || op.group >= static_cast<int32_t>(f_.groups.size()))
        return broken(13, op, "its group " + std::to_string(op.group) + " does not exist");
      if (op.group == open) continue;
      if (open >= 0) closed[open] = true;
      open = op.group;
      if (open >= 0 && closed[open]) return broken(13, op, "the ops of its group are not adjacent");
    }
    if (open >= 0) closed[open] = true;
    for (size_t g = 0; g < closed.size(); ++g)
      if (!closed[g]) return broken(13, "group " + std::to_string(g) + " is empty");
    return {};
  }

  Status lowered() const {
    if (!f_.ops.empty() || !f_.groups.empty()) return broken(14, "a lowered function still has ops");
    for (const Type& t : f_.program->result_types) FRIT_TRY(type(t, "a result", {}));
    FRIT_TRY(verify(*f_.program));
    for (const Step& step : f_.program->steps)
      if (const auto* launch = std::get_if<KernelStep>(&step)) FRIT_TRY(symbols_given(*launch));
    return {};
  }

  // Code knows the facts about its kernel's symbols, so they must hold for the symbols that a launch gives.
  Status symbols_given(const KernelStep& launch) const {
    const Kernel& k = f_.program->kernels[launch.kernel];
    for (size_t i = 0; i < launch.sizes.size(); ++i) {
      const Dim& size = launch.sizes[i];
      const DimRange has = f_.facts.range(size), known = k.facts.range(Dim::symbol(k.symbols[i]));
      if (has.low < known.low || has.high > known.high || !f_.facts.divides(k.facts.multiple(k.symbols[i]), size))
        return broken(14, "a launch of kernel @" + k.name + " gives '" + size.str() + "' for '" + k.symbols[i] +
                              "', which the kernel knows more facts about");
    }
    return {};
  }

  const Function& f_;
  const std::vector<std::string>* around_;
  std::vector<std::string> symbols_;
  bool tables_hold_ = false;
};

}  // namespace

Status check_type(const Type& type) {
  __int128 elements = 1;
  for (const Dim& d : type.shape) {
    if (!d.is_const()) continue;
    if (d.value() < 0) return Diagnostic("type " + type.str() + " has a negative size");
    elements *= std::max<int64_t>(1, d.value());
    if (elements > DimFacts::kMaxSize) return Diagnostic("type " + type.str() + " has more than 2^48 elements");
  }
  return {};
}

Status verify_region(const Function& region, const Function& around) {
  Function inside = region;
  inside.facts = around.facts;
  const std::vector<std::string> symbols = around.used_symbols();
  return Verifier(inside, &symbols).run();
}

Status verify(const Function& f) {
  if (f.name.empty()) return Diagnostic("rule G1: a function has no name");
  return Verifier(f).run();
}

Status verify(const Module& m) {
  std::set<std::string_view> names;
  for (const auto& f : m.functions) {
    if (!names.insert(f->name).second) return Diagnostic("rule G1: two functions are named '@" + f->name + "'");
    FRIT_TRY(verify(*f));
  }
  return {};
}

}  // namespace frit::ir
