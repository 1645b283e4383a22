// Attributes as text.
#include <algorithm>
#include <bit>

#include "ir/base/suggest.h"
#include "ir/text/text.h"

namespace frit::ir {
namespace {

Result<std::string> parse_name(Lexer& lexer, TokenKind kind, std::string_view what) {
  Token token = lexer.peek();
  if (token.kind != kind) return lexer.expected(what);
  lexer.next();
  return lexer.unquote(token);
}

Result<Literal> parse_list(Lexer& lexer) {
  FRIT_ASSIGN_OR_RETURN(dtype, parse_dtype(lexer));
  FRIT_TRY(lexer.expect("["));
  std::vector<std::byte> bytes;
  if (lexer.accept("]")) return Literal(dtype, std::move(bytes));
  for (;;) {
    FRIT_ASSIGN_OR_RETURN(bits, parse_number(lexer, dtype));
    auto* first = reinterpret_cast<const std::byte*>(&bits);
    bytes.insert(bytes.end(), first, first + dtype.size());
    if (lexer.accept("]")) return Literal(dtype, std::move(bytes));
    if (!lexer.accept(",")) return lexer.expected("',' or ']'");
  }
}

// Wraps a value of one alternative as an Attr.
template <class T>
Result<Attr> as_attr(Result<T> value) {
  if (!value.ok()) return std::move(value.error());
  return Attr(*std::move(value));
}

}  // namespace

Result<std::string> parse_value_name(Lexer& lexer) { return parse_name(lexer, TokenKind::Value, "a value such as %x"); }
Result<std::string> parse_global_name(Lexer& lexer) {
  return parse_name(lexer, TokenKind::Global, "a name such as @main");
}
Result<std::string> parse_string(Lexer& lexer) { return parse_name(lexer, TokenKind::String, "a string"); }

std::string attr_text(const Attr& a) {
  switch (kind_of(a)) {
    case AttrKind::Bool: return std::get<bool>(a) ? "true" : "false";
    case AttrKind::Int: return std::get<Dim>(a).str();
    case AttrKind::Float: return number_text(float64, std::bit_cast<uint64_t>(std::get<double>(a)));
    case AttrKind::Dtype: return std::string(short_name(std::get<Dtype>(a)));
    case AttrKind::String: return quoted(std::get<std::string>(a));
    case AttrKind::Ints: return shape_text(std::get<Dims>(a));
    case AttrKind::Literal: {
      const Literal& l = std::get<Literal>(a);
      const Dim count = static_cast<int64_t>(l.count());
      return std::string(short_name(l.dtype())) + " " + literal_text(l, {&count, 1});
    }
    case AttrKind::Region: return "func";
  }
  return {};
}

Result<Attr> parse_attr(Lexer& lexer, AttrKind kind, const SymbolCheck& check, const RegionParser& region) {
  switch (kind) {
    case AttrKind::Bool: {
      FRIT_ASSIGN_OR_RETURN(bits, parse_number(lexer, bool_));
      return Attr(bits != 0);
    }
    case AttrKind::Int: return as_attr(parse_dim(lexer, check));
    case AttrKind::Float: {
      FRIT_ASSIGN_OR_RETURN(bits, parse_number(lexer, float64));
      return Attr(std::bit_cast<double>(bits));
    }
    case AttrKind::Dtype: return as_attr(parse_dtype(lexer));
    case AttrKind::String: return as_attr(parse_string(lexer));
    case AttrKind::Ints: return as_attr(parse_dims(lexer, check));
    case AttrKind::Literal: return as_attr(parse_list(lexer));
    case AttrKind::Region:
      if (!region || !lexer.accept_ident("func")) return lexer.expected("'func' and a function");
      return as_attr(region(lexer));
  }
  return lexer.expected("an attribute");
}

std::string attrs_text(const OpDef& def, const AttrMap& attrs, std::span<const std::string_view> hidden,
                       const AttrText& text) {
  std::string out;
  for (const auto& [name, value] : attrs) {
    if (is_default(def, name, value) || std::find(hidden.begin(), hidden.end(), name) != hidden.end()) continue;
    out += (out.empty() ? " {" : ", ") + name + "=" + text(value);
  }
  if (!out.empty()) out += "}";
  return out;
}

Result<AttrMap> parse_attrs(Lexer& lexer, const OpDef& def, const SymbolCheck& check, const RegionParser& region) {
  AttrMap attrs;
  if (!lexer.accept("{") || lexer.accept("}")) return attrs;
  do {
    Token name = lexer.peek();
    if (name.kind != TokenKind::Ident) return lexer.expected("an attribute's name");
    lexer.next();
    auto spec =
        std::find_if(def.attrs.begin(), def.attrs.end(), [&](const AttrSpec& s) { return s.name == name.text; });
    if (spec == def.attrs.end()) {
      std::vector<std::string_view> known;
      for (const AttrSpec& s : def.attrs) known.push_back(s.name);
      return lexer.error(name, "op '" + std::string(def.name) + "' has no attribute '" + std::string(name.text) + "'" +
                                   did_you_mean(name.text, known));
    }
    if (attrs.has(name.text)) return lexer.error(name, "attribute '" + std::string(name.text) + "' is given twice");
    FRIT_TRY(lexer.expect("="));
    FRIT_ASSIGN_OR_RETURN(value, parse_attr(lexer, spec->kind, check, region));
    attrs.set(name.text, std::move(value));
  } while (lexer.accept(","));
  if (!lexer.accept("}")) return lexer.expected("',' or '}'");
  return attrs;
}

std::string loc_text(const SourceLoc& loc) {
  if (!loc.known()) return loc.backward ? "// loc backward" : "";
  std::string s = "// loc " + quoted(loc.file);
  if (loc.line) s += ":" + std::to_string(loc.line);
  if (loc.line && loc.column) s += ":" + std::to_string(loc.column);
  if (loc.backward) s += " backward";
  return s;
}

}  // namespace frit::ir
