// Tokens of the text form, for functions and for kernels alike.
//
// White space and comments (`// ...` to the end of the line) separate tokens and mean nothing. The one exception is a
// comment `// loc "file":line` or `// loc "file":line:column`, which gives the location of the op on its line. `//` and
// `%` are also division and remainder of sizes. They are read as operators only inside parentheses that a size opened
// (see ArithmeticScope); elsewhere `//` starts a comment and `%name` is a value.
//
// A Lexer borrows the text, and tokens point into it. Reading past the end gives End tokens for ever. A character that
// starts no token gives an Error token, so that a parser meets the error at its position.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ir/base/result.h"

namespace frit::ir {

enum class TokenKind : uint8_t {
  End,
  Ident,   // a letter or '_', then letters, digits, '_' and '.'
  Value,   // %name, %12 or %"any text"; text is the part after the '%'
  Global,  // @name or @"any text"; text is the part after the '@'
  Number,  // digits, with optional fraction and exponent; or 0x and hexadecimal digits; never a sign
  String,  // "..." with the quotes
  Punct,   // -> == // << >> <= >= != or one character
  Error,
};

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text;
  uint32_t line = 1, column = 1;  // from 1; columns count bytes

  bool is(std::string_view punct) const { return kind == TokenKind::Punct && text == punct; }
  bool is_ident(std::string_view word) const { return kind == TokenKind::Ident && text == word; }
};

class Lexer {
 public:
  Lexer(std::string_view text, const char* file_name) : text_(text), file_(file_name) {}

  const Token& peek();
  Token next();
  // Takes the token if it is this punctuation or word.
  bool accept(std::string_view punct);
  bool accept_ident(std::string_view word);
  // Reads the next punctuation again, which may be a comment now that an ArithmeticScope has ended.
  void reread();
  Status expect(std::string_view punct);

  // The line on which the last taken token ends, and the location comment at the end of `line`, if the lexer has passed
  // it (peek once).
  uint32_t last_line() const { return last_line_; }
  std::optional<SourceLoc> location_on(uint32_t line) const;

  SourceLoc loc(const Token& token) const { return {file_, token.line, token.column}; }
  // An error at the token: `message` as it is, or "expected ..., but found ...".
  Diagnostic error(const Token& token, std::string message, std::string note = {}) const;
  Diagnostic expected(std::string_view what);

  // The name that a Value, Global or String token spells, without quotes and escapes.
  Result<std::string> unquote(const Token& token) const;

  // `//` and `%` are operators during its lifetime. Open it after peeking the bracket that starts the size and before
  // taking that bracket; close it after peeking the bracket that ends the size.
  class ArithmeticScope {
   public:
    explicit ArithmeticScope(Lexer& lexer) : lexer_(lexer) { ++lexer_.arithmetic_; }
    ~ArithmeticScope() { --lexer_.arithmetic_; }
    ArithmeticScope(const ArithmeticScope&) = delete;

   private:
    Lexer& lexer_;
  };

 private:
  void skip_blank();
  void read_comment(std::string_view comment);
  Token scan();
  Token take(TokenKind kind, size_t size, size_t prefix = 0);
  size_t quoted_size(size_t at) const;  // 0 if it is not closed on its line

  std::string_view text_;
  const char* file_;
  size_t at_ = 0;
  size_t line_start_ = 0;
  uint32_t line_ = 1;
  uint32_t last_line_ = 1;
  int arithmetic_ = 0;
  std::optional<Token> ahead_;
  std::optional<SourceLoc> location_;  // the last location comment
  uint32_t location_line_ = 0;
};

// A name as the text spells it after '%' or '@': unquoted where possible, else quoted.
std::string name_text(std::string_view name);
std::string quoted(std::string_view s);

}  // namespace frit::ir
