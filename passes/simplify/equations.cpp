// The parser of equations.
#include "passes/simplify/equations.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

namespace frit::passes {
namespace {

using namespace ir;

std::optional<uint32_t> dtypes_of_class(std::string_view word) {
  auto mask = [](auto holds) {
    uint32_t bits = 0;
    for (Dtype t : kAllDtypes)
      if (holds(t)) bits |= 1u << static_cast<int>(t.val());
    return bits;
  };
  if (word == "any") return mask([](Dtype) { return true; });
  if (word == "number") return mask([](Dtype t) { return t != bool_; });
  if (word == "real") return mask([](Dtype t) { return !is_complex(t); });
  if (word == "int") return mask([](Dtype t) { return is_int(t); });
  if (word == "signed") return mask([](Dtype t) { return is_signed_int(t); });
  if (word == "unsigned") return mask([](Dtype t) { return is_unsigned(t); });
  if (word == "float") return mask([](Dtype t) { return is_float(t); });
  if (word == "complex") return mask([](Dtype t) { return is_complex(t); });
  if (auto one = parse_short_name(word)) return mask([&](Dtype t) { return t == *one; });
  return std::nullopt;
}

bool is_name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

class LineParser {
 public:
  LineParser(std::string_view line, int number) : s_(line) { equation_.line = number; }

  Result<Equation> parse() {
    FRIT_TRY(classes());
    skip();
    equation_.text = std::string(s_.substr(at_));
    while (!equation_.text.empty() && equation_.text.back() == ' ') equation_.text.pop_back();
    FRIT_TRY(term(equation_.left, true));
    if (equation_.left.kind != Term::Kind::Row) return fail("the left side must be an operation");
    if (!take('=')) return fail("expected '='");
    FRIT_TRY(term(equation_.right, false));
    if (word_ahead() == "if") FRIT_TRY(condition());
    skip();
    if (at_ != s_.size()) return fail("unexpected text after the equation");
    return std::move(equation_);
  }

 private:
  Diagnostic fail(const std::string& what) {
    return Diagnostic("canonicalize rules, line " + std::to_string(equation_.line) + ", column " +
                      std::to_string(at_ + 1) + ": " + what);
  }
  void skip() {
    while (at_ < s_.size() && s_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ == s_.size() || s_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string_view word_ahead() {
    skip();
    size_t end = at_;
    while (end < s_.size() && is_name_char(s_[end])) ++end;
    return s_.substr(at_, end - at_);
  }
  std::string_view take_word() {
    std::string_view w = word_ahead();
    at_ += w.size();
    return w;
  }

  Status classes() {
    if (!take('[')) return fail("expected '[' and the element types that the equation holds for");
    while (!take(']')) {
      auto mask = dtypes_of_class(take_word());
      if (!mask) return fail("unknown class of element types");
      equation_.dtypes |= *mask;
    }
    return {};
  }

  int variable(std::string_view name, bool binds) {
    auto& names = equation_.variables;
    auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<int>(found - names.begin());
    if (!binds) return -1;
    names.emplace_back(name);
    return static_cast<int>(names.size()) - 1;
  }

  Status term(Term& t, bool left) {
    skip();
    char c = at_ < s_.size() ? s_[at_] : '\0';
    std::string_view word = word_ahead();
    if (c == '-' || std::isdigit(static_cast<unsigned char>(c)) || word == "inf" || word == "true" || word == "false")
      return literal(t);
    if (word.empty()) return fail("expected a term");
    size_t start = at_;
    take_word();
    if (take(':')) {
      const int named = variable(word, left);
      FRIT_TRY(term(t, left));
      if (!left || t.kind != Term::Kind::Row) return fail("only operations of the left side have names");
      t.variable = named;
      return {};
    }
    if (!take('(')) {
      bool constant = std::isupper(static_cast<unsigned char>(word[0]));
      t.kind = constant ? Term::Kind::Constant : Term::Kind::Variable;
      t.variable = variable(word, left);
      if (t.variable < 0) return fail("'" + std::string(word) + "' does not occur on the left");
      return {};
    }
    t.kind = Term::Kind::Row;
    t.def = OpTable::instance().find(word);
    if (!t.def) {
      at_ = start;
      return fail("unknown operation '" + std::string(word) + "'");
    }
    do {
      size_t begin = at_;
      std::string_view name = take_word();
      if (!name.empty() && take('=')) {
        FRIT_TRY(attribute(t, name, left));
      } else {
        at_ = begin;
        FRIT_TRY(term(t.operands.emplace_back(), left));
      }
    } while (take(','));
    if (!take(')')) return fail("expected ')'");
    if (t.def->arity >= 0 && static_cast<size_t>(t.def->arity) != t.operands.size())
      return fail("'" + std::string(t.def->name) + "' takes " + std::to_string(t.def->arity) + " operands");
    return {};
  }

  Status attribute(Term& t, std::string_view name, bool left) {
    Term::AttrTerm attr{std::string(name)};
    bool known =
        std::any_of(t.def->attrs.begin(), t.def->attrs.end(), [&](const AttrSpec& s) { return s.name == name; });
    if (!known) return fail("'" + std::string(t.def->name) + "' has no attribute '" + attr.name + "'");
    std::string_view word = take_word();
    if (take('(')) {
      attr.function = find_equation_function(word);
      if (left || !attr.function) return fail("unknown attribute function '" + std::string(word) + "'");
      FRIT_TRY(arguments(attr.args, attr.function->arity));
    } else {
      attr.variable = variable(word, left);
      if (word.empty() || attr.variable < 0) return fail("expected the name of an attribute of the left");
    }
    t.attrs.push_back(std::move(attr));
    return {};
  }

  Status arguments(std::vector<int>& args, int arity) {
    do {
      int v = variable(take_word(), false);
      if (v < 0) return fail("unknown argument");
      args.push_back(v);
    } while (take(','));
    if (!take(')')) return fail("expected ')'");
    if (static_cast<size_t>(arity) != args.size()) return fail("expected " + std::to_string(arity) + " arguments");
    return {};
  }

  Status condition() {
    take_word();
    std::string_view name = take_word();
    equation_.condition = find_equation_condition(name);
    if (!equation_.condition || !take('(')) return fail("unknown condition '" + std::string(name) + "'");
    return arguments(equation_.condition_args, equation_.condition->arity);
  }

  Status literal(Term& t) {
    t.kind = Term::Kind::Literal;
    t.is_integer = true;
    bool minus = take('-');
    std::string_view word = word_ahead();
    if (word == "true" || word == "false") {
      t.integer = word == "true";
      t.number = static_cast<double>(t.integer);
      at_ += word.size();
      return {};
    }
    if (word == "inf") {
      t.is_integer = false;
      t.number = std::numeric_limits<double>::infinity();
      at_ += word.size();
    } else {
      size_t end = at_;
      while (end < s_.size() && (is_name_char(s_[end]) || s_[end] == '.')) ++end;
      std::string_view digits = s_.substr(at_, end - at_);
      auto [last, error] = std::from_chars(digits.data(), digits.data() + digits.size(), t.number);
      if (error != std::errc() || last != digits.data() + digits.size()) return fail("malformed number");
      t.is_integer = digits.find('.') == std::string_view::npos;
      t.integer = t.is_integer ? static_cast<int64_t>(t.number) : 0;
      at_ = end;
    }
    if (minus) {
      t.number = -t.number;
      t.integer = -t.integer;
    }
    return {};
  }

  std::string_view s_;
  size_t at_ = 0;
  Equation equation_;
};

}  // namespace

Result<std::vector<Equation>> parse_equations(std::string_view text) {
  std::vector<Equation> equations;
  int number = 0;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    line = line.substr(0, line.find('#'));
    while (!line.empty() && line.back() == ' ') line.remove_suffix(1);
    if (line.empty()) continue;
    FRIT_ASSIGN_OR_RETURN(equation, LineParser(line, number).parse());
    equations.push_back(std::move(equation));
  }
  return equations;
}

std::optional<uint64_t> literal_bits(const Term& literal, Dtype dtype) {
  if (is_inexact(dtype)) return Literal::scalar(dtype, literal.number).bits(0);
  if (!literal.is_integer) return std::nullopt;
  return Literal::scalar_int(dtype, literal.integer).bits(0);
}

const Result<std::vector<Equation>>& canonicalize_equations() {
  // Never destroyed: static destructors may compile.
  static const auto& equations = *new Result<std::vector<Equation>>(parse_equations(kCanonicalizeRules));
  return equations;
}

}  // namespace frit::passes
