// Pieces shared by the text forms of functions and kernels: numbers, data, sizes, types, attributes.
//
// Every `x_text` writes text that the matching `parse_x` reads back to the same value, bit for bit.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "ir/graph/attr.h"
#include "ir/graph/op.h"
#include "ir/graph/type.h"
#include "ir/text/lexer.h"

namespace frit::ir {

// One element from its bits: `1.5`, `-0`, `inf`, `nan` (the quiet NaN without payload), `nan(0x7fc00001)` (any other
// NaN, by its bits), `true`, `-3`, `(re, im)`. A float is the shortest decimal that reads back as the same element.
std::string number_text(Dtype dtype, uint64_t bits);
Result<uint64_t> parse_number(Lexer& lexer, Dtype dtype);  // the element's bits

// Nested brackets in row-major order; the bare element for rank 0; `[]` if a size is 0.
std::string literal_text(const Literal& literal, std::span<const Dim> shape);
Result<Literal> parse_literal(Lexer& lexer, Dtype dtype, std::span<const Dim> shape);

// Checks a symbol in a size: called for each with its token; fails if the symbol is not declared. Null allows any.
using SymbolCheck = std::function<Status(const Token&)>;
// A sum of products; floor division `//` and remainder `%` in parentheses; min(a, b) and max(a, b).
Result<Dim> parse_dim(Lexer& lexer, const SymbolCheck& check = nullptr);
Result<Dims> parse_dims(Lexer& lexer, const SymbolCheck& check = nullptr);  // "[b, n + 1]"
Result<int64_t> parse_integer(Lexer& lexer);                                // with a sign

Result<Dtype> parse_dtype(Lexer& lexer);
Result<Type> parse_type(Lexer& lexer, const SymbolCheck& check = nullptr);  // "f32[b, n]"

// Reads `%name`, `@name`, `"text"`: the name itself.
Result<std::string> parse_value_name(Lexer& lexer);
Result<std::string> parse_global_name(Lexer& lexer);
Result<std::string> parse_string(Lexer& lexer);

// Of a region only the word that it begins with: whoever prints functions prints it (AttrText).
std::string attr_text(const Attr& a);
// Reads a region behind the word `func`; null where there can be none.
using RegionParser = std::function<Result<Region>(Lexer&)>;
Result<Attr> parse_attr(Lexer& lexer, AttrKind kind, const SymbolCheck& check = nullptr,
                        const RegionParser& region = nullptr);

// " {axes=[0], keepdims=true}", or "" if there are none. Attributes at their default and those named in `hidden` are
// left out.
using AttrText = std::function<std::string(const Attr&)>;
std::string attrs_text(const OpDef& def, const AttrMap& attrs, std::span<const std::string_view> hidden = {},
                       const AttrText& text = attr_text);
// Reads the braces and their contents, if the next token opens them.
Result<AttrMap> parse_attrs(Lexer& lexer, const OpDef& def, const SymbolCheck& check = nullptr,
                            const RegionParser& region = nullptr);

// "b in [1, 65536], n % 16 == 0" for the named symbols; "" if there are no facts about them.
std::string facts_text(const DimFacts& facts, const std::vector<std::string>& symbols);
Status parse_facts(Lexer& lexer, DimFacts& facts, const SymbolCheck& check = nullptr);

// `// loc "file":12`, or "" for an unknown location.
std::string loc_text(const SourceLoc& loc);

}  // namespace frit::ir
