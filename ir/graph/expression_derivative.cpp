// Row text read as graph operations: builds the derivative of an elementwise row.
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>

#include "ir/base/per_thread.h"
#include "ir/graph/expression.h"
#include "ir/graph/graph.h"

namespace frit::ir {
namespace {

// The rows behind the operators. Other names are rows themselves.
constexpr std::pair<std::string_view, std::string_view> kOperatorRows[] = {
    {"add", "add"},      {"sub", "subtract"}, {"mul", "multiply"},    {"div", "divide"},    {"rem", "remainder"},
    {"neg", "negative"}, {"lt", "less"},      {"le", "less_equal"},   {"gt", "greater"},    {"ge", "greater_equal"},
    {"eq", "equal"},     {"ne", "not_equal"}, {"and", "logical_and"}, {"or", "logical_or"}, {"not", "logical_not"},
};

std::string_view row_name(std::string_view call) {
  for (auto [scalar, row] : kOperatorRows)
    if (scalar == call) return row;
  return call;
}

// Inconsistent text is a bug in the row. The tests build every derivative.
[[noreturn]] void broken(const OpDef& def, const std::string& what) {
  std::fprintf(stderr, "frit: derivative of '%s': %s\n", std::string(def.name).c_str(), what.c_str());
  std::abort();
}

class Deriver {
 public:
  Deriver(Builder& b, const OpDef& def, std::span<const ValueId> operands, ValueId result)
      : b_(b), def_(def), type_(b.type(result)) {
    static constexpr std::string_view kNames[] = {"x", "y", "z", "w"};
    for (size_t i = 0; i < operands.size() && i < std::size(kNames); ++i) names_[std::string(kNames[i])] = operands[i];
    names_["out"] = result;
  }

  ValueId run(const RowText& text) {
    for (const auto& [name, value] : text.lets) names_[name] = emit(value, type_);
    return emit(text.result, type_);
  }

 private:
  static std::optional<double> constant(const Expr& e) {
    if (e.kind == Expr::Kind::Number) return e.number;
    if (e.kind == Expr::Kind::Name && e.name == "pi") return 3.14159265358979323846;
    if (e.kind == Expr::Kind::Name && e.name == "inf") return std::numeric_limits<double>::infinity();
    if (e.kind == Expr::Kind::Name && e.name == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (e.kind == Expr::Kind::Call && e.name == "neg" && e.args.size() == 1)
      if (auto v = constant(e.args[0])) return -*v;
    return std::nullopt;
  }

  ValueId emit(const Expr& e, const Type& want) {
    if (auto value = constant(e)) return b_.splat(*value, want);
    if (e.kind == Expr::Kind::Name) {
      auto it = names_.find(e.name);
      if (it == names_.end()) broken(def_, "unknown name '" + e.name + "'");
      return it->second;
    }
    const OpDef* row = OpTable::instance().find(row_name(e.name));
    if (!row || row->kind != OpKind::Elementwise || row->arity != static_cast<int>(e.args.size()))
      broken(def_, "'" + e.name + "' is not an elementwise row of " + std::to_string(e.args.size()) + " operands");
    // A number takes the type of the first operand beside it that has a type; a condition does not count.
    std::vector<ValueId> operands(e.args.size(), kNone);
    std::optional<Type> type;
    for (size_t i = 0; i < e.args.size(); ++i) {
      if (constant(e.args[i])) continue;
      operands[i] = emit(e.args[i], want);
      if (!type && b_.type(operands[i]).dtype != bool_) type = b_.type(operands[i]);
    }
    const Type beside = meeting(*row, operands, type.value_or(want));
    for (size_t i = 0; i < e.args.size(); ++i)
      if (operands[i] == kNone) operands[i] = emit(e.args[i], beside);
    return b_.build(*row, std::move(operands));
  }

  // Derivatives of integers are computed in float32 where a row takes nothing else, or where an operand is a float.
  // Returns the type of the numbers beside the operands.
  Type meeting(const OpDef& row, std::vector<ValueId>& operands, Type beside) {
    bool inexact = row.domain == TypeClass::Inexact || row.domain == TypeClass::Float;
    const bool whole = !is_inexact(beside.dtype);
    for (const ValueId v : operands)
      if (v != kNone && is_inexact(b_.type(v).dtype)) {
        inexact = true;
        beside = b_.type(v);
      }
    if (!inexact || !whole) return beside;
    if (!is_inexact(beside.dtype)) beside.dtype = float32;
    for (ValueId& v : operands) {
      const bool condition = v != kNone && row.arity == 3 && b_.type(v).dtype == bool_;
      if (v != kNone && !condition) v = b_.cast(v, beside.dtype);
    }
    return beside;
  }

  Builder& b_;
  const OpDef& def_;
  Type type_;
  std::map<std::string, ValueId, std::less<>> names_;
};

struct KnownTexts {
  std::map<std::string, RowText, std::less<>> rows;
};

// Every gradient asks for the same few texts: each thread parses each of them once.
const RowText& parsed(const OpDef& def, std::string_view text) {
  auto& known = PerThread<KnownTexts>::get().rows;
  if (const auto found = known.find(text); found != known.end()) return found->second;
  auto fresh = parse_row_text(text);
  if (!fresh.ok()) broken(def, fresh.error().message);
  return known.emplace(text, *std::move(fresh)).first->second;
}

}  // namespace

ValueId derivative(Builder& b, const OpDef& def, int i, std::span<const ValueId> operands, ValueId result) {
  auto index = static_cast<size_t>(i);
  if (index >= def.derivatives.size() || def.derivatives[index].empty()) return b.splat(0, b.type(result));
  return Deriver(b, def, operands, result).run(parsed(def, def.derivatives[index]));
}

}  // namespace frit::ir
