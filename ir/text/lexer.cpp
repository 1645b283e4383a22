// The lexer of the text form.
#include "ir/text/lexer.h"

#include <array>
#include <charconv>

namespace frit::ir {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name(char c) { return is_letter(c) || is_digit(c) || c == '.'; }

constexpr std::string_view kHexDigits = "0123456789abcdef";

// The spelling of a token in a message.
std::string shown(const Token& token) {
  switch (token.kind) {
    case TokenKind::End: return "the end of the text";
    case TokenKind::Value: return "'%" + std::string(token.text) + "'";
    case TokenKind::Global: return "'@" + std::string(token.text) + "'";
    case TokenKind::Ident:
    case TokenKind::Number:
    case TokenKind::String:
    case TokenKind::Punct:
    case TokenKind::Error: break;
  }
  constexpr size_t kMost = 40;
  std::string s;
  for (char c : token.text.substr(0, kMost)) {
    auto u = static_cast<unsigned char>(c);
    if (u < 0x20 || u >= 0x7f) {
      s += "\\x";
      s += kHexDigits[u >> 4];
      s += kHexDigits[u & 15];
    } else {
      s += c;
    }
  }
  if (token.text.size() > kMost) s += "...";
  return "'" + s + "'";
}

}  // namespace

const Token& Lexer::peek() {
  if (!ahead_) ahead_ = scan();
  return *ahead_;
}

Token Lexer::next() {
  Token token = peek();
  last_line_ = token.line;
  ahead_.reset();
  return token;
}

void Lexer::reread() {
  if (!ahead_ || ahead_->kind != TokenKind::Punct) return;
  at_ = static_cast<size_t>(ahead_->text.data() - text_.data());
  ahead_.reset();
}

bool Lexer::accept(std::string_view punct) {
  if (!peek().is(punct)) return false;
  next();
  return true;
}

bool Lexer::accept_ident(std::string_view word) {
  if (!peek().is_ident(word)) return false;
  next();
  return true;
}

Status Lexer::expect(std::string_view punct) {
  if (accept(punct)) return {};
  return expected("'" + std::string(punct) + "'");
}

std::optional<SourceLoc> Lexer::location_on(uint32_t line) const {
  return location_line_ == line ? location_ : std::nullopt;
}

Diagnostic Lexer::error(const Token& token, std::string message, std::string note) const {
  return {std::move(message), loc(token), std::move(note)};
}

Diagnostic Lexer::expected(std::string_view what) {
  Token token = peek();
  std::string message = "expected " + std::string(what) + ", but found " + shown(token);
  if (token.kind == TokenKind::Error && token.text.starts_with('"'))
    return error(token, "this string is not closed on its line");
  return error(token, std::move(message));
}

void Lexer::skip_blank() {
  while (at_ < text_.size()) {
    char c = text_[at_];
    if (c == '\n') {
      ++line_;
      line_start_ = ++at_;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++at_;
    } else if (c == '/' && !arithmetic_ && text_.substr(at_).starts_with("//")) {
      size_t end = text_.find('\n', at_);
      if (end == std::string_view::npos) end = text_.size();
      read_comment(text_.substr(at_, end - at_));
      at_ = end;
    } else {
      return;
    }
  }
}

void Lexer::read_comment(std::string_view comment) {
  constexpr std::string_view kHead = "// loc ", kBackward = "backward";
  if (!comment.starts_with(kHead) || line_ != last_line_) return;  // on a line of its own it belongs to no op
  size_t quote = at_ + kHead.size();
  size_t size = quoted_size(quote);
  std::string_view rest = text_.substr(quote + size, at_ + comment.size() - quote - size);
  while (!rest.empty() && (rest.back() == ' ' || rest.back() == '\t' || rest.back() == '\r')) rest.remove_suffix(1);
  SourceLoc loc;
  if (rest.ends_with(kBackward)) {
    loc.backward = true;
    rest.remove_suffix(kBackward.size());
    while (rest.ends_with(' ')) rest.remove_suffix(1);
  } else if (!size) {
    return;
  }
  uint32_t parts[] = {0, 0};  // line and column
  for (uint32_t& part : parts) {
    if (rest.empty()) break;
    if (!size || rest.front() != ':') return;
    auto [end, status] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), part);
    if (status != std::errc()) return;
    rest.remove_prefix(end - rest.data());
  }
  if (!rest.empty() || parts[1] > SourceLoc::kMostColumn) return;
  if (size) {
    auto file = unquote({TokenKind::String, text_.substr(quote, size), line_, 1});
    if (!file.ok()) return;
    loc.file = intern_file_name(*file);
  }
  loc.line = parts[0];
  loc.column = parts[1];
  location_ = loc;
  location_line_ = line_;
}

Token Lexer::take(TokenKind kind, size_t size, size_t prefix) {
  Token token{kind, text_.substr(at_ + prefix, size - prefix), line_, static_cast<uint32_t>(at_ - line_start_ + 1)};
  at_ += size;
  return token;
}

size_t Lexer::quoted_size(size_t at) const {
  if (at >= text_.size() || text_[at] != '"') return 0;
  for (size_t i = at + 1; i < text_.size() && text_[i] != '\n'; ++i) {
    if (text_[i] == '\\') {
      ++i;
    } else if (text_[i] == '"') {
      return i + 1 - at;
    }
  }
  return 0;
}

Token Lexer::scan() {
  skip_blank();
  if (at_ >= text_.size()) return take(TokenKind::End, 0);
  auto at = [&](size_t i) { return at_ + i < text_.size() ? text_[at_ + i] : '\0'; };
  auto run = [&](size_t i, auto&& pred) {
    while (at_ + i < text_.size() && pred(text_[at_ + i])) ++i;
    return i;
  };
  char c = at(0);
  if (is_letter(c)) return take(TokenKind::Ident, run(1, is_name));
  if (is_digit(c)) {
    if (c == '0' && at(1) == 'x' && is_hex(at(2))) return take(TokenKind::Number, run(2, is_hex));
    size_t size = run(1, is_digit);
    if (at(size) == '.' && is_digit(at(size + 1))) size = run(size + 1, is_digit);
    if (at(size) == 'e' || at(size) == 'E') {
      size_t digits = size + 1 + (at(size + 1) == '+' || at(size + 1) == '-');
      if (is_digit(at(digits))) size = run(digits, is_digit);
    }
    return take(TokenKind::Number, size);
  }
  if ((c == '%' && !arithmetic_) || c == '@') {
    TokenKind kind = c == '%' ? TokenKind::Value : TokenKind::Global;
    if (size_t size = quoted_size(at_ + 1)) return take(kind, size + 1, 1);
    if (is_letter(at(1)) || is_digit(at(1))) return take(kind, run(2, is_name), 1);
  }
  if (c == '"') {
    if (size_t size = quoted_size(at_)) return take(TokenKind::String, size);
    return take(TokenKind::Error, run(1, [](char x) { return x != '\n'; }));
  }
  constexpr std::array<std::string_view, 8> kPairs{"->", "==", "//", "<<", ">>", "<=", ">=", "!="};
  for (std::string_view pair : kPairs)
    if (text_.substr(at_).starts_with(pair)) return take(TokenKind::Punct, 2);
  constexpr std::string_view kSingles = "()[]{}<>,:=+-*/%&|^~!@.#?;";
  return take(kSingles.find(c) == std::string_view::npos ? TokenKind::Error : TokenKind::Punct, 1);
}

Result<std::string> Lexer::unquote(const Token& token) const {
  std::string_view s = token.text;
  if (s.empty() || s.front() != '"') return std::string(s);
  s = s.substr(1, s.size() - 2);
  std::string out;
  for (size_t i = 0; i < s.size(); ++i) {
    if (s[i] != '\\') {
      out += s[i];
      continue;
    }
    char c = ++i < s.size() ? s[i] : '\0';
    if (c == 'n') {
      out += '\n';
    } else if (c == 't') {
      out += '\t';
    } else if (c == '"' || c == '\\') {
      out += c;
    } else if (c == 'x' && i + 2 < s.size() && is_hex(s[i + 1]) && is_hex(s[i + 2])) {
      int value = 0;
      std::from_chars(&s[i + 1], &s[i + 1] + 2, value, 16);
      out += static_cast<char>(value);
      i += 2;
    } else {
      return error(token, "unknown escape in a string", "write \\n, \\t, \\\", \\\\ or \\x and two hexadecimal digits");
    }
  }
  return out;
}

std::string quoted(std::string_view s) {
  std::string out = "\"";
  for (char c : s) {
    auto u = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (u < 0x20 || u == 0x7f) {
      out += "\\x";
      out += kHexDigits[u >> 4];
      out += kHexDigits[u & 15];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string name_text(std::string_view name) {
  bool plain = !name.empty() && (is_letter(name[0]) || is_digit(name[0]));
  for (char c : name) plain = plain && is_name(c);
  return plain ? std::string(name) : quoted(name);
}

}  // namespace frit::ir
