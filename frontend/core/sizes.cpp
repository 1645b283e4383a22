// Traces with symbolic sizes: assumptions, facts and conditions.
#include "frontend/core/sizes.h"

#include <algorithm>

#include "frontend/core/user_place.h"
#include "frontend/frit/array.h"

namespace frit {

namespace {

using detail::current_sizes;
using detail::SizeTrace;

Size combine(const Dim& d, const Size& a, const std::source_location& where_a, const std::source_location& where_b) {
  return Size(detail::simplify(d), a.is_number() ? where_b : where_a);
}

void check_divisor(const Size& b, const std::source_location& where) {
  if (!detail::require_at_most(1, b.dim(), "divide", where))
    detail::throw_invalid("divide: the size " + b.dim().str() + " that is divided by is not positive",
                          "divide by a size of one or more", where);
}

}  // namespace

int64_t Size::value() const {
  const Dim d = detail::simplify(dim_);
  if (d.is_const()) return d.value();
  SizeTrace* trace = current_sizes();
  if (!trace)
    detail::throw_invalid("value: the size " + d.str() + " belongs to a trace that is over",
                          "use it inside the traced function", where_);
  const auto value = trace->hint(d);
  if (!value) trace->refuse_unknown(d, "value", where_);
  trace->assume_equal(d, *value, "value", where_);
  return *value;
}

Size operator+(const Size& a, const Size& b) { return combine(a.dim_ + b.dim_, a, a.where_, b.where_); }
Size operator-(const Size& a, const Size& b) { return combine(a.dim_ - b.dim_, a, a.where_, b.where_); }
Size operator*(const Size& a, const Size& b) { return combine(a.dim_ * b.dim_, a, a.where_, b.where_); }
Size operator/(const Size& a, const Size& b) {
  check_divisor(b, b.is_number() ? a.where_ : b.where_);
  return combine(floor_div(a.dim_, b.dim_), a, a.where_, b.where_);
}
Size operator%(const Size& a, const Size& b) {
  check_divisor(b, b.is_number() ? a.where_ : b.where_);
  return combine(mod(a.dim_, b.dim_), a, a.where_, b.where_);
}
Size min(const Size& a, const Size& b) { return combine(min(a.dim_, b.dim_), a, a.where_, b.where_); }
Size max(const Size& a, const Size& b) { return combine(max(a.dim_, b.dim_), a, a.where_, b.where_); }

bool operator==(const Size& a, const Size& b) {
  return detail::decide_equal(a.dim_, b.dim_, "comparison", a.is_number() ? b.where_ : a.where_);
}
bool operator<(const Size& a, const Size& b) {
  return detail::decide_at_most(a.dim_ + Dim(1), b.dim_, "comparison", a.is_number() ? b.where_ : a.where_);
}

namespace detail {

void throw_not_proven(const Diagnostic& d, const Where& where) {
  const SourceLoc at = user_place(where);
  throw_not_proven(NotProven(
      d.message, "pass shapeless=false, or write the sizes in another way: this cannot be shown for every shape",
      at.file ? at.file : "", at.line));
}

void throw_not_proven(NotProven e) {
  if (SizeTrace* trace = current_sizes()) trace->set_not_proven(e);
  throw e;
}

std::string Assumption::str() const {
  switch (kind) {
    case Kind::Equal: return a.str() + " == " + b.str();
    case Kind::AtMost: return a.str() + " <= " + b.str();
    case Kind::Multiple: return a.str() + " % " + b.str() + " == 0";
  }
  return {};
}

Dim SizeTrace::add(const std::string& name, std::optional<int64_t> hint, uint32_t input, uint32_t axis) {
  if (sources_.emplace(name, std::pair(input, axis)).second) place_.emplace(name, place_.size());
  if (hint) hints_.emplace(name, *hint);
  return Dim::symbol(name);
}

void SizeTrace::declare(const std::string& name, DimRange range, int64_t multiple) {
  facts_.set_range(name, range);
  if (multiple != 1) facts_.set_multiple(name, multiple);
  declared_.insert(name);
}

std::optional<int64_t> SizeTrace::hint(const Dim& d) const {
  if (!has_data_) return d.is_const() ? std::optional(d.value()) : std::nullopt;
  const auto value = d.evaluate([&](const std::string& name) -> std::optional<int64_t> {
    const auto found = hints_.find(name);
    return found == hints_.end() ? std::nullopt : std::optional(found->second);
  });
  return value.value_or(0);
}

Dim SizeTrace::known(const Dim& d) const {
  if (replaced_.empty()) return d;
  return d.substitute([&](const std::string& name) -> std::optional<Dim> {
    const auto found = replaced_.find(name);
    if (found == replaced_.end()) return std::nullopt;
    // Kept, so that a chain of symbols is followed once.
    found->second = known(found->second);
    return found->second;
  });
}

Dim SizeTrace::simplify(const Dim& d) const { return d.is_const() ? d : facts_.simplify(known(d)); }

std::vector<std::string> SizeTrace::in_order(std::vector<std::string> symbols) const {
  std::erase_if(symbols, [&](const std::string& name) { return !place_.count(name) || replaced_.count(name); });
  std::sort(symbols.begin(), symbols.end(),
            [&](const std::string& a, const std::string& b) { return place_.at(a) < place_.at(b); });
  symbols.erase(std::unique(symbols.begin(), symbols.end()), symbols.end());
  return symbols;
}

void SizeTrace::replace(const std::string& symbol, const Dim& value) {
  replaced_.emplace(symbol, value);
  facts_.replace(symbol, value);
}

namespace {

// `d` times a positive `scale`, without the divisions of `d` that are known to leave no remainder: from x // 3 - 1 to x
// - 3.
Dim without_divisions(Dim d, const DimFacts& facts, Dim& scale) {
  scale = 1;
  for (;;) {
    if (d.is_const()) return d;
    const DimTerm* divided = nullptr;
    for (const DimTerm& t : d.poly()->terms) {
      if (t.atoms.size() != 1 || t.atoms[0]->kind != AtomKind::FloorDiv) continue;
      const Dim &whole = t.atoms[0]->args[0], &by = t.atoms[0]->args[1];
      if (facts.less_equal(1, by) == Tri::Yes && facts.simplify(mod(whole, by)).is(0)) divided = &t;
    }
    if (!divided) return d;
    const Dim whole = divided->atoms[0]->args[0], by = divided->atoms[0]->args[1];
    const Dim quotient = Dim(divided->coefficient) * floor_div(whole, by);
    d = facts.simplify((d - quotient) * by + Dim(divided->coefficient) * whole);
    scale = scale * by;
  }
}

Dim without_divisions(const Dim& d, const DimFacts& facts) {
  Dim scale;
  return without_divisions(d, facts, scale);
}

}  // namespace

void SizeTrace::assume_equal(const Dim& a, const Dim& b, std::string_view op, const std::source_location& where) {
  const Dim difference = simplify(a - b);
  if (difference.is(0)) return;
  if (!has_data_ && (a.is_const() || b.is_const())) refuse_unknown(a.is_const() ? b : a, op, where);
  assumptions_.push_back({Assumption::Kind::Equal, a, b, std::string(op), user_place(Where(where))});
  const Dim zero = without_divisions(difference, facts_);
  // Solved for the symbol of the latest argument, so that the first argument's sizes name the others'.
  std::vector<std::string> symbols;
  zero.collect_symbols(symbols);
  symbols = in_order(std::move(symbols));
  for (size_t i = symbols.size(); i-- > 0;) {
    const auto affine = zero.affine_in(symbols[i]);
    if (!affine || !(affine->coefficient.is(1) || affine->coefficient.is(-1))) continue;
    replace(symbols[i], affine->coefficient.is(1) ? -affine->rest : affine->rest);
    settle();
    return;
  }
  facts_.add({DimCondition::Kind::Zero, zero});
  settle();
}

void SizeTrace::refuse_unknown(const Dim& d, std::string_view op, const std::source_location& where) const {
  throw_invalid(
      std::string(op) + ": the size " + d.str() + " is not known while '" + function_ + "' is traced without data",
      "use dim() instead of shape(), or declare the size as a number", where);
}

void SizeTrace::assume_at_most(const Dim& a, const Dim& b, std::string_view op, const std::source_location& where) {
  const Dim room = simplify(b - a);
  if (facts_.less_equal(0, room) == Tri::Yes) return;
  // Not less, so equal: a fact of more use.
  if (facts_.less_equal(room, 0) == Tri::Yes) return assume_equal(a, b, op, where);
  assumptions_.push_back({Assumption::Kind::AtMost, a, b, std::string(op), user_place(Where(where))});
  facts_.add({DimCondition::Kind::NonNegative, without_divisions(room, facts_)});
  settle();
}

// A symbol that has one value left is that number. Which may leave one value to another.
void SizeTrace::settle() {
  for (;;) {
    const std::vector<std::string> changed = in_order(facts_.take_changed_symbols());
    if (changed.empty()) return;
    for (const std::string& name : changed) {
      if (replaced_.count(name)) continue;
      const DimRange r = facts_.range(Dim::symbol(name));
      const int64_t factor = facts_.multiple(name);
      const int64_t low = (r.low + factor - 1) / factor * factor, high = r.high / factor * factor;
      if (low == high) {
        replace(name, low);
      } else if (low != r.low || (high != r.high && r.high < DimFacts::kMaxSize)) {
        const Dim symbol = Dim::symbol(name);
        facts_.add({DimCondition::Kind::NonNegative, symbol - Dim(low)});
        facts_.add({DimCondition::Kind::NonNegative, Dim(high) - symbol});
      }
    }
  }
}

void SizeTrace::assume_multiple(const Dim& a, const Dim& b, std::string_view op, const std::source_location& where) {
  assume_at_most(1, b, op, where);
  if (simplify(mod(a, b)).is(0)) return;
  // A number has few divisors, so the one of the arguments is kept: sizes that are divided by it stay polynomials.
  if (const auto divisor = hint(b); divisor && simplify(a).is_const()) {
    assume_equal(b, *divisor, op, where);
    return;
  }
  // Of a quotient: what the dividend is a multiple of.
  Dim scale;
  const Dim whole = without_divisions(simplify(a), facts_, scale);
  const Dim rest = simplify(mod(whole, scale * b));
  assumptions_.push_back({Assumption::Kind::Multiple, a, b, std::string(op), user_place(Where(where))});
  facts_.add({DimCondition::Kind::Zero, rest});
  settle();
}

const DimFacts& current_facts() {
  static const DimFacts& none = *new DimFacts;  // never destroyed: static destructors may trace
  const SizeTrace* trace = current_sizes();
  return trace ? trace->facts() : none;
}

ir::Dims sizes_of(const array& a) {
  const Node& node = *node_of(a);
  const SizeTrace* trace = current_sizes();
  if (!node.dims || !trace) return {node.shape.begin(), node.shape.end()};
  ir::Dims out;
  out.reserve(node.dims->size());
  for (const Dim& d : *node.dims) out.push_back(trace->simplify(d));
  return out;
}

Dim size_of(const array& a, int axis) {
  const Node& node = *node_of(a);
  const auto i = static_cast<size_t>(axis);
  const SizeTrace* trace = current_sizes();
  return node.dims && trace ? trace->simplify((*node.dims)[i]) : Dim(int64_t{node.shape[i]});
}

Dim element_count_of(const array& a) { return product(sizes_of(a)); }

ir::Dims sizes_of(const Sizes& sizes) {
  ir::Dims out;
  out.reserve(sizes.size());
  for (const Size& s : sizes) {
    out.push_back(simplify(s.dim()));
    if (!s.is_number() && !current_sizes())
      throw_invalid("the size " + s.dim().str() + " belongs to a trace that is over",
                    "use it inside the function that is traced", s.where());
  }
  return out;
}

std::optional<int64_t> hint(const Dim& d) {
  if (d.is_const()) return d.value();
  const SizeTrace* trace = current_sizes();
  return trace ? trace->hint(d) : 0;
}

namespace {

// How an expression over unknown sizes changes when all of them grow.
enum class Growth : uint8_t { Bounded, Up, Down, Mixed };

Growth negated(Growth g) { return g == Growth::Up ? Growth::Down : g == Growth::Down ? Growth::Up : g; }

Growth sum(Growth a, Growth b) {
  if (a == Growth::Bounded || a == b) return b;
  return b == Growth::Bounded ? a : Growth::Mixed;
}

Growth growth(const Dim& d);

Growth growth(const Atom& atom) {
  if (atom.kind == AtomKind::Symbol) return Growth::Up;
  const Growth a = growth(atom.args[0]), b = growth(atom.args[1]);
  switch (atom.kind) {
    case AtomKind::FloorDiv: return b == Growth::Bounded ? a : Growth::Mixed;
    case AtomKind::Mod: return b == Growth::Bounded ? Growth::Bounded : Growth::Mixed;
    case AtomKind::Min:
      if (a == Growth::Up && b == Growth::Bounded) return b;
      if (b == Growth::Up && a == Growth::Bounded) return a;
      break;
    case AtomKind::Max:
      if (a == Growth::Down && b == Growth::Bounded) return b;
      if (b == Growth::Down && a == Growth::Bounded) return a;
      if (a == Growth::Up && b == Growth::Bounded) return a;
      if (b == Growth::Up && a == Growth::Bounded) return b;
      break;
    case AtomKind::Symbol: break;
  }
  return a == b ? a : Growth::Mixed;
}

Growth growth(const Dim& d) {
  if (d.is_const()) return Growth::Bounded;
  Growth all = Growth::Bounded;
  for (const DimTerm& t : d.poly()->terms) {
    Growth term = growth(*t.atoms[0]);
    for (size_t i = 1; i < t.atoms.size(); ++i)
      term = term == Growth::Up && growth(*t.atoms[i]) == Growth::Up ? Growth::Up : Growth::Mixed;
    all = sum(all, t.coefficient < 0 ? negated(term) : term);
  }
  return all;
}

// Whether a <= b, where at least one of them is unknown. The caller must assume an answer that growth decides.
bool unknown_at_most(const Dim& a, const Dim& b, std::string_view op, const std::source_location& where) {
  const SizeTrace& trace = *current_sizes();
  const Tri proven = trace.facts().less_equal(a, b);
  if (proven != Tri::Unknown) return proven == Tri::Yes;
  const Growth room = growth(trace.simplify(b - a));
  if (room == Growth::Up) return true;
  if (room == Growth::Down) return false;
  throw_invalid(std::string(op) + ": whether " + a.str() + " <= " + b.str() + " is not known while '" +
                    trace.function() + "' is traced without data",
                "declare bounds that decide it, use one name for equal sizes, or trace with arguments", where);
}

bool proven_equal(const Dim& a, const Dim& b) { return current_sizes()->simplify(a - b).is(0); }

}  // namespace

bool require_equal(const Dim& a, const Dim& b, std::string_view op, const std::source_location& where) {
  const auto x = hint(a), y = hint(b);
  if (!x || !y) return proven_equal(a, b);
  if (*x != *y) return false;
  if (a.is_const() && b.is_const()) return true;
  if (SizeTrace* trace = current_sizes()) trace->assume_equal(a, b, op, where);
  return true;
}

bool require_at_most(const Dim& a, const Dim& b, std::string_view op, const std::source_location& where) {
  const auto x = hint(a), y = hint(b);
  if (!(x && y ? *x <= *y : unknown_at_most(a, b, op, where))) return false;
  if (a.is_const() && b.is_const()) return true;
  if (SizeTrace* trace = current_sizes()) trace->assume_at_most(a, b, op, where);
  return true;
}

bool require_multiple(const Dim& a, const Dim& b, std::string_view op, const std::source_location& where) {
  const auto x = hint(a), divisor = hint(b);
  if (!x || !divisor) {
    if (divisor ? *divisor <= 0 : !unknown_at_most(1, b, op, where)) return false;
    if (!current_sizes()->simplify(mod(a, b)).is(0)) return false;
  } else if (*divisor <= 0 || *x % *divisor != 0) {
    return false;
  }
  if (a.is_const() && b.is_const()) return true;
  if (SizeTrace* trace = current_sizes()) trace->assume_multiple(a, b, op, where);
  return true;
}

bool decide_equal(const Dim& a, const Dim& b, std::string_view op, const std::source_location& where) {
  if (require_equal(a, b, op, where)) return true;
  // A size on the other side of a number stays there.
  const auto x = hint(a), y = hint(b);
  if (x && y ? *x < *y : unknown_at_most(a + Dim(1), b, op, where))
    require_at_most(a + Dim(1), b, op, where);
  else
    require_at_most(b + Dim(1), a, op, where);
  return false;
}

bool decide_at_most(const Dim& a, const Dim& b, std::string_view op, const std::source_location& where) {
  if (require_at_most(a, b, op, where)) return true;
  require_at_most(b + Dim(1), a, op, where);
  return false;
}

std::string shape_text(const ir::Dims& shape) {
  std::string text = "(";
  for (const Dim& d : shape) {
    if (text.size() > 1) text += ',';
    text += d.str();
    if (const auto value = hint(d); value && !d.is_const()) text += "=" + std::to_string(*value);
  }
  return text + ")";
}

}  // namespace detail
}  // namespace frit
