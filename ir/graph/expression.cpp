// The parser of row text.
#include "ir/graph/expression.h"

#include <cctype>
#include <cstdlib>

namespace frit::ir {
namespace {

struct BinaryOperator {
  std::string_view token, call;
  int precedence;
};

// Longer tokens first, so that "<<" is not read as "<".
constexpr BinaryOperator kBinary[] = {
    {"<<", "shl", 5}, {">>", "shr", 5}, {"<=", "le", 4}, {">=", "ge", 4}, {"==", "eq", 3}, {"!=", "ne", 3},
    {"<", "lt", 4},   {">", "gt", 4},   {"+", "add", 6}, {"-", "sub", 6}, {"*", "mul", 7}, {"/", "div", 7},
    {"%", "rem", 7},  {"&", "and", 2},  {"^", "xor", 1}, {"|", "or", 0},
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<RowText> run() {
    RowText out;
    for (;;) {
      size_t start = at_;
      std::string name = identifier();
      skip_space();
      bool is_let = !name.empty() && peek() == '=' && peek(1) != '=';
      if (!is_let) {
        at_ = start;
        break;
      }
      ++at_;
      FRIT_ASSIGN_OR_RETURN(value, expression(0));
      out.lets.emplace_back(std::move(name), std::move(value));
      if (!take(";")) return fail("expected ';'");
    }
    FRIT_ASSIGN_OR_RETURN(result, expression(0));
    out.result = std::move(result);
    skip_space();
    if (at_ != text_.size()) return fail("expected the end");
    return out;
  }

 private:
  Diagnostic fail(std::string_view what) const {
    return Diagnostic("row text, column " + std::to_string(at_ + 1) + ": " + std::string(what) + " in \"" +
                      std::string(text_) + "\"");
  }

  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void skip_space() {
    while (std::isspace(static_cast<unsigned char>(peek()))) ++at_;
  }

  bool take(std::string_view token) {
    skip_space();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }

  std::string identifier() {
    skip_space();
    size_t start = at_;
    if (!std::isalpha(static_cast<unsigned char>(peek())) && peek() != '_') return {};
    while (std::isalnum(static_cast<unsigned char>(peek())) || peek() == '_') ++at_;
    return std::string(text_.substr(start, at_ - start));
  }

  const BinaryOperator* binary_operator() {
    skip_space();
    for (const BinaryOperator& op : kBinary)
      if (text_.substr(at_, op.token.size()) == op.token) return &op;
    return nullptr;
  }

  Result<Expr> expression(int least) {
    FRIT_ASSIGN_OR_RETURN(left, unary());
    for (;;) {
      const BinaryOperator* op = binary_operator();
      if (!op || op->precedence < least) return left;
      at_ += op->token.size();
      FRIT_ASSIGN_OR_RETURN(right, expression(op->precedence + 1));
      left = call(op->call, {std::move(left), std::move(right)});
    }
  }

  Result<Expr> unary() {
    for (auto [token, name] : {std::pair{"-", "neg"}, {"!", "not"}, {"~", "not"}}) {
      if (!take(token)) continue;
      FRIT_ASSIGN_OR_RETURN(operand, unary());
      return call(name, {std::move(operand)});
    }
    return factor();
  }

  Result<Expr> factor() {
    skip_space();
    if (take("(")) {
      FRIT_ASSIGN_OR_RETURN(inner, expression(0));
      if (!take(")")) return fail("expected ')'");
      return inner;
    }
    if (std::isdigit(static_cast<unsigned char>(peek()))) return number();
    Expr e;
    e.kind = Expr::Kind::Name;
    e.name = identifier();
    if (e.name.empty()) return fail("expected an operand");
    if (!take("(")) return e;
    e.kind = Expr::Kind::Call;
    do {
      FRIT_ASSIGN_OR_RETURN(arg, expression(0));
      e.args.push_back(std::move(arg));
    } while (take(","));
    if (!take(")")) return fail("expected ')'");
    return e;
  }

  Result<Expr> number() {
    std::string digits(text_.substr(at_));
    char* end = nullptr;
    Expr e;
    e.number = std::strtod(digits.c_str(), &end);
    size_t length = static_cast<size_t>(end - digits.c_str());
    e.is_integer = digits.substr(0, length).find_first_of(".eEpP") == std::string::npos;
    at_ += length;
    return e;
  }

  static Expr call(std::string_view name, std::vector<Expr> args) {
    Expr e;
    e.kind = Expr::Kind::Call;
    e.name = name;
    e.args = std::move(args);
    return e;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Result<RowText> parse_row_text(std::string_view text) { return Parser(text).run(); }

bool admits(TypeClass domain, Dtype t) {
  switch (domain) {
    case TypeClass::Any: return true;
    case TypeClass::Number: return t != bool_;
    case TypeClass::Real: return !is_complex(t);
    case TypeClass::Integer: return is_int(t) || t == bool_;
    case TypeClass::Shiftable: return is_int(t);
    case TypeClass::Inexact: return is_inexact(t);
    case TypeClass::Float: return is_float(t);
    case TypeClass::Bool: return t == bool_;
  }
  return false;
}

bool applies(MeaningFor m, Dtype t) {
  switch (m) {
    case MeaningFor::Any: return !is_complex(t);
    case MeaningFor::Float: return is_float(t);
    case MeaningFor::Int: return is_int(t);
    case MeaningFor::Signed: return is_signed_int(t);
    case MeaningFor::Unsigned: return is_unsigned(t);
    case MeaningFor::Bool: return t == bool_;
    case MeaningFor::Complex: return is_complex(t);
  }
  return false;
}

}  // namespace frit::ir
