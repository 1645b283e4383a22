// The functions that follow from elementwise rows: their description, and their definitions in C++.
#include <algorithm>
#include <cctype>

#include "frontend/generate/api.h"
#include "ir/graph/op.h"

namespace frit::generate {

namespace {

using ir::OpDef;
using ir::ResultType;
using ir::TypeClass;

// Operands are x, y and z in the text of a row, and a, b and c in the public API.
constexpr std::string_view kOperands = "xyz", kNames = "abc";

std::string with_public_names(std::string_view doc) {
  const auto letter = [&](size_t i) { return i < doc.size() && (std::isalnum(doc[i]) || doc[i] == '_'); };
  std::string text;
  for (size_t i = 0; i < doc.size(); ++i) {
    const size_t operand = kOperands.find(doc[i]);
    if (operand == kOperands.npos || (i > 0 && letter(i - 1)) || letter(i + 1))
      text += doc[i];
    else
      text += std::string("`") + kNames[operand] + "`";
  }
  return text;
}

std::string types_text(const OpDef& def) {
  std::string text;
  switch (def.domain) {
    case TypeClass::Any: text = "any"; break;
    case TypeClass::Number: text = "any but bool"; break;
    case TypeClass::Real: text = "any but complex64"; break;
    case TypeClass::Integer: text = "integers and bool"; break;
    case TypeClass::Shiftable: text = "integers and bool; bool becomes uint8"; break;
    case TypeClass::Inexact: text = "any; integers and bool become float32"; break;
    case TypeClass::Float: text = "any but complex64; integers and bool become float32"; break;
    case TypeClass::Bool: text = "any; converted to bool"; break;
  }
  if (def.arity > 1 && def.domain != TypeClass::Bool) text += "; promoted to a common type";
  switch (def.result) {
    case ResultType::Same: break;
    case ResultType::Bool:
      if (def.domain != TypeClass::Bool) text += "; the result is bool";
      break;
    case ResultType::RealPart: text += "; complex64 gives float32"; break;
    case ResultType::Complex: text += "; the result is complex64"; break;
    case ResultType::Widened: text += "; narrow integers and bool give 32 bits"; break;
    case ResultType::FromRule: break;
  }
  return text + ".";
}

std::string throws_text(const OpDef& def) {
  const bool restricted = def.domain == TypeClass::Number || def.domain == TypeClass::Real ||
                          def.domain == TypeClass::Integer || def.domain == TypeClass::Shiftable ||
                          def.domain == TypeClass::Float;
  if (def.arity == 1) return restricted ? "InvalidArgument for another type." : "";
  return std::string("InvalidArgument when the shapes do not broadcast") +
         (restricted ? ", or for another type." : ".");
}

Function function_of(const OpDef& def) {
  Function f{.name = std::string(def.name), .text = with_public_names(def.doc), .row = std::string(def.name)};
  Form form{{}, "array"};
  for (int i = 0; i < def.arity; ++i)
    form.parameters.push_back({std::string(1, kNames[static_cast<size_t>(i)]), "array"});
  f.forms.push_back(std::move(form));
  f.fields.push_back({"Shape", def.arity == 1 ? "that of `a`." : "the shapes broadcast."});
  f.fields.push_back({"Types", types_text(def)});
  if (const std::string throws = throws_text(def); !throws.empty()) f.fields.push_back({"Throws", throws});
  return f;
}

}  // namespace

Group elementwise_group(const std::vector<Group>& others) {
  Group group{.name = "elementwise", .title = "Elementwise operations"};
  group.text =
      "Each element of the result is a function of the elements in the same place. Operands are promoted to a common type "
      "and broadcast against each other. The texts come from the rows of the operation registry (`ir/ops`), and so do "
      "those of `frit ops`. docs/accuracy.md states the accuracy of the math functions.";
  const auto described = [&](std::string_view row) {
    for (const Group& g : others)
      for (const Function& f : g.functions)
        if (f.full_name() == row || f.row == row) return true;
    return false;
  };
  for (const OpDef* def : ir::OpTable::instance().all())
    if (def->kind == ir::OpKind::Elementwise && def->attrs.empty() && def->arity >= 1 && !described(def->name))
      group.functions.push_back(function_of(*def));
  return group;
}

std::string elementwise_source(const std::vector<Group>& groups) {
  const auto group = std::find_if(groups.begin(), groups.end(), [](const Group& g) { return g.name == "elementwise"; });
  std::string text =
      "// The functions of elementwise rows. Written by frontend/generate from the rows of the operation registry; do not\n"
      "// edit.\n"
      "#include \"frontend/frit/elementwise.h\"\n\n#include \"frontend/core/build.h\"\n\nnamespace frit {\n\n";
  for (const Function& f : group->functions) {
    std::string parameters, operands;
    for (const Parameter& p : f.forms[0].parameters) {
      parameters += "const array& " + p.name + ", ";
      operands += (operands.empty() ? "" : ", ") + p.name;
    }
    text += "array " + f.name + "(" + parameters + "StreamOrDevice s) {\n  static const ir::OpDef& row = ir::op(\"" +
            f.row + "\");\n  return detail::elementwise(row, {" + operands + "}, s);\n}\n\n";
  }
  return text + "}  // namespace frit\n";
}

}  // namespace frit::generate
