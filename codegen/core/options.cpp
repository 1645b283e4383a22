// Arguments of library routines as JSON text.
#include "codegen/core/options.h"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace frit::codegen {

namespace {

std::string quoted_text(std::string_view s) {
  std::string text = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
      text += escape;
    } else {
      text += c;
    }
  }
  return text + '"';
}

// The shortest text that reads back as the same number. JSON has no infinities and no NaN; strings stand for them.
std::string number(double v) {
  if (!std::isfinite(v)) return std::isnan(v) ? "\"nan\"" : v > 0 ? "\"inf\"" : "\"-inf\"";
  char buffer[32];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, v).ptr;
  return std::string(buffer, end);
}

struct Writer {
  std::string_view name;
  ir::Dims& open;

  Result<std::string> operator()(bool v) const { return std::string(v ? "true" : "false"); }
  Result<std::string> operator()(const Dim& v) const {
    if (v.is_const()) return std::to_string(v.value());
    open.push_back(v);
    return "{\"size\":" + std::to_string(open.size() - 1) + "}";
  }
  Result<std::string> operator()(double v) const { return number(v); }
  Result<std::string> operator()(Dtype v) const { return quoted_text(short_name(v)); }
  Result<std::string> operator()(const std::string& v) const { return quoted_text(v); }
  Result<std::string> operator()(const ir::Dims& v) const {
    std::string text;
    for (const Dim& d : v) {
      FRIT_ASSIGN_OR_RETURN(item, (*this)(d));
      text += (text.empty() ? "" : ",") + item;
    }
    return "[" + text + "]";
  }
  Result<std::string> operator()(const ir::Literal&) const {
    return Diagnostic("attribute '" + std::string(name) + "' of a library routine is a literal");
  }
  Result<std::string> operator()(const ir::Region&) const {
    return Diagnostic("attribute '" + std::string(name) + "' of a library routine is a function");
  }
};

}  // namespace

Result<std::string> options_text(const ir::AttrMap& attrs, ir::Dims& open) {
  std::string text;
  for (const auto& [name, value] : attrs) {
    FRIT_ASSIGN_OR_RETURN(item, std::visit(Writer{name, open}, value));
    text += (text.empty() ? "" : ",") + quoted_text(name) + ":" + item;
  }
  return "{" + text + "}";
}

}  // namespace frit::codegen
