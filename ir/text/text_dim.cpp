// Sizes and facts as text.
#include <charconv>

#include "ir/base/dim_atoms.h"
#include "ir/base/suggest.h"
#include "ir/text/text.h"

namespace frit::ir {
namespace {

// Bounds on a size, so that no text is slow to read or deeply nested.
constexpr int kMaxDepth = 64;
constexpr size_t kMaxTerms = 1024;              // of a product
constexpr size_t kMaxSummed = size_t{1} << 16;  // of a sum: the offset of the last of many arrays that are joined
constexpr size_t kMaxDegree = 16;
constexpr size_t kMaxRank = 64;

Result<uint64_t> magnitude_of(Lexer& lexer, const Token& token) {
  uint64_t value = 0;
  const char* end = token.text.data() + token.text.size();
  auto [stop, status] = std::from_chars(token.text.data(), end, value);
  if (status == std::errc() && stop != end)
    return lexer.error(token, "expected an integer, but found '" + std::string(token.text) + "'");
  if (status != std::errc()) return lexer.error(token, std::string(token.text) + " does not fit i64");
  return value;
}

Result<int64_t> signed_value(Lexer& lexer, const Token& token, bool negative) {
  FRIT_ASSIGN_OR_RETURN(magnitude, magnitude_of(lexer, token));
  if (magnitude > static_cast<uint64_t>(INT64_MAX) + negative)
    return lexer.error(token, (negative ? "-" : "") + std::string(token.text) + " does not fit i64");
  return static_cast<int64_t>(negative ? uint64_t{0} - magnitude : magnitude);
}

size_t term_count(const Dim& d) { return d.poly() ? d.poly()->terms.size() + 1 : 1; }

size_t degree(const Dim& d) { return d.poly() ? d.poly()->terms.front().atoms.size() : 0; }

class DimParser {
 public:
  // In a fact, "%" needs no parentheses; "//" outside parentheses is a comment, which ends it.
  DimParser(Lexer& lexer, const SymbolCheck& check, bool in_fact = false)
      : lexer_(lexer), check_(check), in_fact_(in_fact) {}

  Result<Dim> sum() {
    FRIT_ASSIGN_OR_RETURN(first, product());
    size_t terms = term_count(first);
    DimSum total;
    total.add(std::move(first));
    for (;;) {
      bool minus = lexer_.peek().is("-");
      if (!minus && !lexer_.peek().is("+")) return total.total();
      Token at = lexer_.next();
      FRIT_ASSIGN_OR_RETURN(term, product());
      if ((terms += term_count(term)) > kMaxSummed) return too_large(at);
      total.add(minus ? -term : std::move(term));
    }
  }

 private:
  Result<Dim> product() {
    FRIT_ASSIGN_OR_RETURN(total, factor());
    for (;;) {
      Token at = lexer_.peek();
      bool divide = at.is("//"), remainder = at.is("%");
      if (!divide && !remainder && !at.is("*")) return total;
      if (divide && !depth_ && in_fact_) return total;
      if (divide && !depth_) return lexer_.error(at, "division needs parentheses here", "write (n // 4)");
      if (remainder && !depth_ && !in_fact_)
        return lexer_.error(at, "remainder needs parentheses here", "write (n % 4)");
      lexer_.next();
      Token start = lexer_.peek();
      FRIT_ASSIGN_OR_RETURN(right, factor());
      if (divide || remainder) {
        if (right.is_const() && right.value() <= 0)
          return lexer_.error(start, "the divisor must be positive, but it is " + right.str());
        total = divide ? floor_div(total, right) : mod(total, right);
      } else {
        if (term_count(total) * term_count(right) > kMaxTerms || degree(total) + degree(right) > kMaxDegree)
          return too_large(at);
        total = total * right;
      }
    }
  }

  Result<Dim> factor() {
    if (depth_ >= kMaxDepth) return lexer_.error(lexer_.peek(), "this size is nested too deeply");
    Token token = lexer_.peek();
    if (token.kind == TokenKind::Number) {
      lexer_.next();
      FRIT_ASSIGN_OR_RETURN(value, signed_value(lexer_, token, false));
      return Dim(value);
    }
    if (token.is("-")) {
      lexer_.next();
      Token number = lexer_.peek();
      if (number.kind == TokenKind::Number) {
        lexer_.next();
        FRIT_ASSIGN_OR_RETURN(value, signed_value(lexer_, number, true));
        return Dim(value);
      }
      ++depth_;
      FRIT_ASSIGN_OR_RETURN(value, factor());
      --depth_;
      return -value;
    }
    if (token.is("(")) {
      Lexer::ArithmeticScope scope(lexer_);
      lexer_.next();
      ++depth_;
      FRIT_ASSIGN_OR_RETURN(value, sum());
      --depth_;
      FRIT_TRY(lexer_.expect(")"));
      return value;
    }
    if (token.kind != TokenKind::Ident) return lexer_.expected("a size");
    Lexer::ArithmeticScope scope(lexer_);  // of the arguments, if this is min or max
    lexer_.next();
    bool least = token.text == "min";
    if ((least || token.text == "max") && lexer_.peek().is("(")) return extreme(least);
    if (check_) FRIT_TRY(check_(token));
    return Dim::symbol(token.text);
  }

  Result<Dim> extreme(bool least) {
    FRIT_TRY(lexer_.expect("("));
    ++depth_;
    FRIT_ASSIGN_OR_RETURN(a, sum());
    FRIT_TRY(lexer_.expect(","));
    FRIT_ASSIGN_OR_RETURN(b, sum());
    --depth_;
    FRIT_TRY(lexer_.expect(")"));
    return least ? min(a, b) : max(a, b);
  }

  Diagnostic too_large(const Token& at) { return lexer_.error(at, "this size has too many terms"); }

  Lexer& lexer_;
  const SymbolCheck& check_;
  bool in_fact_;
  int depth_ = 0;
};

}  // namespace

Result<Dim> parse_dim(Lexer& lexer, const SymbolCheck& check) { return DimParser(lexer, check).sum(); }

Result<Dims> parse_dims(Lexer& lexer, const SymbolCheck& check) {
  FRIT_TRY(lexer.expect("["));
  Dims dims;
  if (lexer.accept("]")) return dims;
  for (;;) {
    FRIT_ASSIGN_OR_RETURN(dim, parse_dim(lexer, check));
    dims.push_back(std::move(dim));
    if (lexer.accept("]")) return dims;
    if (!lexer.accept(",")) return lexer.expected("',' or ']'");
  }
}

Result<int64_t> parse_integer(Lexer& lexer) {
  bool negative = lexer.accept("-");
  Token token = lexer.peek();
  if (token.kind != TokenKind::Number) return lexer.expected("an integer");
  lexer.next();
  return signed_value(lexer, token, negative);
}

Result<Dtype> parse_dtype(Lexer& lexer) {
  Token token = lexer.peek();
  if (token.kind != TokenKind::Ident) return lexer.expected("an element type");
  lexer.next();
  if (auto dtype = parse_short_name(token.text)) return *dtype;
  std::vector<std::string_view> names;
  for (Dtype t : kAllDtypes) names.push_back(short_name(t));
  return lexer.error(token, "unknown element type '" + std::string(token.text) + "'" + did_you_mean(token.text, names));
}

Result<Type> parse_type(Lexer& lexer, const SymbolCheck& check) {
  FRIT_ASSIGN_OR_RETURN(dtype, parse_dtype(lexer));
  Token start = lexer.peek();
  FRIT_ASSIGN_OR_RETURN(shape, parse_dims(lexer, check));
  if (shape.size() > kMaxRank)
    return lexer.error(start, "a shape has at most " + std::to_string(kMaxRank) + " axes, but this one has " +
                                  std::to_string(shape.size()));
  return Type{dtype, std::move(shape)};
}

std::string facts_text(const DimFacts& facts, const std::vector<std::string>& symbols) {
  std::string out;
  for (const std::string& symbol : symbols) {
    if (auto it = facts.ranges().find(symbol); it != facts.ranges().end())
      if (DimRange r = it->second; r.low != 0 || r.high != DimFacts::kMaxSize)
        out +=
            (out.empty() ? "" : ", ") + symbol + " in [" + std::to_string(r.low) + ", " + std::to_string(r.high) + "]";
    if (int64_t factor = facts.multiple(symbol); factor != 1)
      out += (out.empty() ? "" : ", ") + symbol + " % " + std::to_string(factor) + " == 0";
  }
  for (const DimCondition& c : facts.conditions()) {
    if (c.uses_only(symbols)) out += (out.empty() ? "" : ", ") + c.str();
  }
  return out;
}

namespace {

constexpr size_t kMaxConditions = 16384;

struct StatedCondition {
  Token at;
  DimCondition condition;
};

// "n in [1, 64]" goes into `facts` at once, other facts into `conditions`.
Status parse_fact(Lexer& lexer, DimFacts& facts, std::vector<StatedCondition>& conditions, const SymbolCheck& check) {
  Lexer::ArithmeticScope scope(lexer);
  Token start = lexer.peek();
  FRIT_ASSIGN_OR_RETURN(left, DimParser(lexer, check, true).sum());
  if (const std::string* symbol = left.as_symbol(); symbol && lexer.accept_ident("in")) {
    FRIT_TRY(lexer.expect("["));
    FRIT_ASSIGN_OR_RETURN(low, parse_integer(lexer));
    FRIT_TRY(lexer.expect(","));
    FRIT_ASSIGN_OR_RETURN(high, parse_integer(lexer));
    FRIT_TRY(lexer.expect("]"));
    if (low > high)
      return lexer.error(
          start, "no value of '" + *symbol + "' is in [" + std::to_string(low) + ", " + std::to_string(high) + "]");
    if (facts.ranges().contains(*symbol)) return lexer.error(start, "the range of '" + *symbol + "' is stated twice");
    facts.set_range(*symbol, {low, high});
    return {};
  }
  const bool equal = lexer.peek().is("==");
  if (!equal && !lexer.peek().is("<="))
    return lexer.expected(left.as_symbol() ? "'in [low, high]', '==' or '<='" : "'==' or '<='");
  lexer.next();
  FRIT_ASSIGN_OR_RETURN(right, DimParser(lexer, check, true).sum());
  if (term_count(left) + term_count(right) > kMaxSummed) return lexer.error(start, "this fact has too many terms");
  if (conditions.size() >= kMaxConditions)
    return lexer.error(start, "there are more than " + std::to_string(kMaxConditions) + " conditions");
  if (equal)
    conditions.push_back({start, {DimCondition::Kind::Zero, left - right}});
  else
    conditions.push_back({start, {DimCondition::Kind::NonNegative, right - left}});
  return {};
}

}  // namespace

Status parse_facts(Lexer& lexer, DimFacts& facts, const SymbolCheck& check) {
  std::vector<StatedCondition> conditions;
  do {
    FRIT_TRY(parse_fact(lexer, facts, conditions, check));
    lexer.reread();
  } while (lexer.accept(","));
  if (conditions.empty()) return {};
  const DimFacts before = facts;
  const auto stated = [&](size_t count) {
    std::vector<DimCondition> first;
    for (size_t i = 0; i < count; ++i) first.push_back(conditions[i].condition);
    return first;
  };
  facts.assume_all(stated(conditions.size()));
  if (!facts.contradiction()) return {};
  // The first condition that makes the facts contradictory; the last one, if none is recognised before.
  size_t i = 0;
  for (size_t end = conditions.size() - 1; i < end;) {
    const size_t middle = i + (end - i) / 2;
    DimFacts some = before;
    some.assume_all(stated(middle + 1));
    if (some.contradiction())
      end = middle;
    else
      i = middle + 1;
  }
  return lexer.error(conditions[i].at, "'" + conditions[i].condition.str() + "' contradicts the other facts");
}

}  // namespace frit::ir
