// The printer of functions and modules.
#include "ir/text/printer.h"

#include <set>

#include "ir/kernel/program.h"
#include "ir/text/kernel_printer.h"
#include "ir/text/lexer.h"
#include "ir/text/text.h"

namespace frit::ir {
namespace {

// "(%x: f32[n]) -> f32[n]".
std::string parameters_text(const Function& f);

class Printer {
 public:
  Printer(const Function& f, const PrintOptions& options, std::string indent = "")
      : f_(f), options_(options), names_(value_names(f)), indent_(std::move(indent)) {}

  std::string body() {
    int32_t open = -1;
    for (const Op& op : f_.ops) {
      if (op.group != open) {
        if (open >= 0) out_ += indent_ + "  }\n";
        open = op.group;
        if (open >= 0) out_ += indent_ + "  group " + group_name(open) + " {\n";
      }
      statement(op, indent_ + (open >= 0 ? "    " : "  "));
    }
    if (open >= 0) out_ += indent_ + "  }\n";
    out_ += indent_ + "  return";
    list(f_.results);
    out_ += "\n";
    return std::move(out_);
  }

 private:
  std::string group_name(int32_t group) const {
    return std::string(static_cast<size_t>(group) < f_.groups.size() ? name(f_.groups[group].kind) : "unknown");
  }

  const std::string& value(ValueId v) const {
    static const std::string& unknown = *new std::string("%?");
    return v < names_.size() ? names_[v] : unknown;
  }

  void list(const std::vector<ValueId>& values) {
    for (size_t i = 0; i < values.size(); ++i) {
      out_ += i ? ", " : " ";
      out_ += value(values[i]);
    }
  }

  // A region begins on its op's line and ends in the indentation of the op.
  std::string region(const Function& f, const std::string& indent) const {
    return "func" + parameters_text(f) + " {\n" + Printer(f, options_, indent).body() + indent + "}";
  }

  void statement(const Op& op, const std::string& indent) {
    out_ += indent;
    for (size_t i = 0; i < op.results.size(); ++i) {
      if (i) out_ += ", ";
      out_ += value(op.results[i]);
      out_ += ": ";
      out_ += op.results[i] < f_.values.size() ? f_.type(op.results[i]).str() : "?";
    }
    if (!op.results.empty()) out_ += " = ";
    if (!op.def) {
      out_ += "?\n";
      return;
    }
    out_ += op.def->name;
    list(op.operands);
    // Data that does not fill its shape cannot be nested; it is printed as an attribute.
    if (op.def->kind == OpKind::Constant && infer(*op.def, {{}, op.attrs, f_.facts}).ok()) {
      static constexpr std::string_view kHidden[] = {"shape", "value"};
      out_ += " " + literal_text(std::get<Literal>(*op.attrs.find("value")), op.attrs.get_dims("shape"));
      out_ += attrs_text(*op.def, op.attrs, kHidden);
    } else {
      out_ += attrs_text(*op.def, op.attrs, {}, [&](const Attr& a) {
        const Region* r = std::get_if<Region>(&a);
        return r ? region(r->function(), indent) : attr_text(a);
      });
    }
    if (options_.locations && (op.loc.known() || op.loc.backward)) out_ += "  " + loc_text(op.loc);
    out_ += "\n";
  }

  const Function& f_;
  const PrintOptions& options_;
  std::vector<std::string> names_;
  std::string indent_;
  std::string out_;
};

std::string parameters_text(const Function& f) {
  std::string s = "(";
  for (size_t i = 0; i < f.params.size(); ++i) {
    if (f.params[i] >= f.values.size()) continue;
    const Value& param = f.values[f.params[i]];
    if (i) s += ", ";
    s += "%" + name_text(param.name) + ": " + param.type.str();
    if (i < f.layouts.size() && !f.layouts[i].empty()) s += " strides " + shape_text(f.layouts[i]);
    if (!f.weight(i).empty()) s += " = " + quoted(f.weight(i));
  }
  s += ")";
  std::vector<Type> types = result_types(f);
  if (!types.empty()) s += types.size() == 1 ? " -> " : " -> (";
  for (size_t i = 0; i < types.size(); ++i) {
    if (i) s += ", ";
    if (!f.result_name(i).empty()) s += "%" + name_text(f.result_name(i)) + ": ";
    s += types[i].str();
  }
  if (types.size() > 1) s += ")";
  return s;
}

}  // namespace

std::vector<std::string> value_names(const Function& f) {
  std::vector<std::string> names(f.values.size(), "%?");
  std::set<std::string_view> taken;
  for (ValueId p : f.params) {
    if (p >= f.values.size()) continue;
    names[p] = "%" + name_text(f.values[p].name);
    taken.insert(f.values[p].name);
  }
  uint64_t next = 0;
  for (const Op& op : f.ops)
    for (ValueId v : op.results) {
      std::string number = std::to_string(next++);
      while (taken.contains(number)) number = std::to_string(next++);
      if (v < names.size()) names[v] = "%" + number;
    }
  return names;
}

std::vector<Type> result_types(const Function& f) {
  if (f.program) return f.program->result_types;
  std::vector<Type> types;
  types.reserve(f.results.size());
  for (ValueId v : f.results) types.push_back(v < f.values.size() ? f.type(v) : Type());
  return types;
}

std::string signature_text(const Function& f) {
  std::string s = "func @" + name_text(f.name) + parameters_text(f);
  std::string facts = facts_text(f.facts, f.symbols());
  if (!facts.empty()) s += " where " + facts;
  return s;
}

std::string print(const Function& f, const PrintOptions& options) {
  std::string body =
      f.program ? print(*f.program, f.name, {.locations = options.locations, .indent = 2}) : Printer(f, options).body();
  return signature_text(f) + " {\n" + body + "}\n";
}

std::string print(const Module& m, const PrintOptions& options) {
  std::string s;
  if (!m.weights.empty()) s += "weights " + quoted(m.weights) + "\n";
  if (!m.metadata.empty()) s += "metadata " + quoted(m.metadata) + "\n";
  for (const auto& f : m.functions) {
    if (!s.empty()) s += "\n";
    s += print(*f, options);
  }
  return s;
}

}  // namespace frit::ir
