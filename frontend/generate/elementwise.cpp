// Writes the public functions of elementwise rows: `generate_elementwise header` or `generate_elementwise source` on
// standard output.
//
// The output is kept in frontend/frit/elementwise.h and frontend/ops/elementwise.cpp; a test compares it with what this
// program writes now. To bring it up to date after adding a row: cmake --build <build folder> --target
// frit_elementwise.
#include <algorithm>
#include <array>
#include <iostream>
#include <string>

#include "ir/graph/op.h"

namespace {

using frit::ir::OpDef;

// Rows whose function has arguments of its own or another name, and is written by hand.
constexpr std::array kByHand{"clip", "contiguous", "copy", "round", "select", "stop_gradient"};

bool is_generated(const OpDef& def) {
  return def.kind == frit::ir::OpKind::Elementwise && def.attrs.empty() && def.arity >= 1 &&
         std::find(kByHand.begin(), kByHand.end(), def.name) == kByHand.end();
}

std::string parameters(const OpDef& def) {
  std::string text;
  for (int i = 0; i < def.arity; ++i) text += std::string("const array& ") + "xyz"[i] + ", ";
  return text + "StreamOrDevice s";
}

// A paragraph as comment lines of at most 110 columns.
std::string comment(std::string_view doc) {
  std::string text, line = "//";
  while (!doc.empty()) {
    const size_t end = std::min(doc.find(' '), doc.size());
    if (line.size() + 1 + end > 110) {
      text += line + "\n";
      line = "//";
    }
    line += " " + std::string(doc.substr(0, end));
    doc.remove_prefix(std::min(end + 1, doc.size()));
  }
  return text + line + "\n";
}

void write_header(std::ostream& os) {
  os << "// Elementwise operations. Written by frontend/generate/elementwise.cpp from the rows of the operation registry; do not edit.\n"
        "//\n"
        "// Operands are promoted to a common dtype and broadcast against each other; where the operation is defined on floats, integers and bool\n"
        "// become float32 first. Throw InvalidArgument for shapes that do not broadcast and dtypes that the operation does not take.\n"
        "#pragma once\n\n#include \"frit/array.h\"\n\nnamespace frit {\n\n";
  for (const OpDef* def : frit::ir::OpTable::instance().all())
    if (is_generated(*def))
      os << comment(def->doc) << "array " << def->name << "(" << parameters(*def) << " = {});\n\n";
  os << "}  // namespace frit\n";
}

void write_source(std::ostream& os) {
  os << "// Written by frontend/generate/elementwise.cpp from the rows of the operation registry; do not edit.\n"
        "#include \"frontend/frit/elementwise.h\"\n\n#include \"frontend/core/build.h\"\n\nnamespace frit {\n\n";
  for (const OpDef* def : frit::ir::OpTable::instance().all()) {
    if (!is_generated(*def)) continue;
    std::string operands;
    for (int i = 0; i < def->arity; ++i) operands += std::string(i ? ", " : "") + "xyz"[i];
    os << "array " << def->name << "(" << parameters(*def) << ") {\n"
       << "  static const ir::OpDef& row = ir::op(\"" << def->name << "\");\n"
       << "  return detail::elementwise(row, {" << operands << "}, s);\n}\n\n";
  }
  os << "}  // namespace frit\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc == 2 ? argv[1] : "";
  if (what == "header") {
    write_header(std::cout);
  } else if (what == "source") {
    write_source(std::cout);
  } else {
    std::cerr << "usage: generate_elementwise header|source\n";
    return 2;
  }
}
