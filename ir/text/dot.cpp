// Writes graphs in the DOT language.
#include "ir/text/dot.h"

#include "ir/text/printer.h"
#include "ir/text/text.h"

namespace frit::ir {
namespace {

// A label in quotes; `\l` ends a left-aligned line.
std::string label(std::string_view s) {
  std::string out = "\"";
  for (char c : s) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

class Drawing {
 public:
  Drawing(const Function& f, std::string prefix) : f_(f), prefix_(std::move(prefix)), names_(value_names(f)) {}

  std::string draw() {
    for (ValueId p : f_.params)
      line(node("p", f_.values[p].index) + " [shape=ellipse, label=" + label(names_[p] + "\n" + f_.type(p).str()) +
           "];");
    int32_t open = -1;
    for (uint32_t i = 0; i < f_.ops.size(); ++i) {
      const Op& op = f_.ops[i];
      if (op.group != open) {
        if (open >= 0) line("}");
        open = op.group;
        if (open >= 0)
          line("subgraph cluster_" + prefix_ + "g" + std::to_string(open) +
               " { label=" + label(name(f_.groups[open].kind)) + "; style=rounded;");
      }
      line(node("o", i) + " [shape=box, label=" + label(op_label(op)) + "];");
    }
    if (open >= 0) line("}");
    for (uint32_t i = 0; i < f_.ops.size(); ++i)
      for (ValueId v : f_.ops[i].operands) edge(v, node("o", i));
    for (uint32_t i = 0; i < f_.results.size(); ++i) {
      line(node("r", i) + " [shape=ellipse, label=" + label("return " + std::to_string(i)) + "];");
      edge(f_.results[i], node("r", i));
    }
    return std::move(out_);
  }

 private:
  std::string node(const char* kind, uint32_t i) const { return prefix_ + kind + std::to_string(i); }
  void line(const std::string& s) { out_ += "  " + s + "\n"; }

  void edge(ValueId from, const std::string& to) {
    const Value& v = f_.values[from];
    line((v.op == kNone ? node("p", v.index) : node("o", v.op)) + " -> " + to + " [label=" + label(v.type.str()) +
         "];");
  }

  std::string op_label(const Op& op) const {
    std::string s;
    for (ValueId v : op.results) s += (s.empty() ? "" : ", ") + names_[v];
    if (!s.empty()) s += " = ";
    s += op.def->name;
    if (op.def->kind != OpKind::Constant) return s + attrs_text(*op.def, op.attrs);
    constexpr size_t kMost = 8;  // the most elements that are shown of a constant
    const Literal& l = std::get<Literal>(*op.attrs.find("value"));
    if (l.count() > kMost) return s + " of " + std::to_string(l.count()) + " elements";
    return s + " " + literal_text(l, op.attrs.get_dims("shape"));
  }

  const Function& f_;
  std::string prefix_;
  std::vector<std::string> names_;
  std::string out_;
};

}  // namespace

std::string to_dot(const Function& f) {
  return "digraph " + label(f.name) + " {\n  rankdir=TB;\n" + Drawing(f, "").draw() + "}\n";
}

std::string to_dot(const Module& m) {
  std::string s = "digraph module {\n  rankdir=TB;\n";
  for (size_t i = 0; i < m.functions.size(); ++i) {
    std::string prefix = "f" + std::to_string(i) + "_";
    s += "  subgraph cluster_" + prefix + " { label=" + label("@" + m.functions[i]->name) + ";\n";
    s += Drawing(*m.functions[i], prefix).draw() + "  }\n";
  }
  return s + "}\n";
}

}  // namespace frit::ir
