// Index, scatter and scan rows on tensors, one element after the other.
#include "ir/interpret/moves.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "ir/graph/position.h"
#include "ir/graph/scan_order.h"
#include "ir/interpret/element_run.h"
#include "ir/kernel/kernel.h"
#include "ir/kernel/position_code.h"
#include "ir/scalar/scalar.h"

namespace frit::ir {

int64_t flatten(const Position& at, const std::vector<int64_t>& shape) {
  int64_t flat = 0;
  for (size_t i = 0; i < at.size(); ++i) flat = flat * shape[i] + at[i];
  return flat;
}

Position unflatten(int64_t flat, const std::vector<int64_t>& shape) {
  Position at(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    at[i] = shape[i] ? flat % shape[i] : 0;
    flat = shape[i] ? flat / shape[i] : 0;
  }
  return at;
}

namespace {

Diagnostic fail(const MovingOp& m, std::string what) {
  return Diagnostic("op '" + std::string(m.op.def->name) + "': " + std::move(what), m.op.loc);
}

// The position as numbers; nothing if it lies outside of the shape.
std::optional<Position> inside(const std::vector<Dim>& at, const std::vector<int64_t>& shape) {
  Position out;
  for (size_t i = 0; i < at.size(); ++i) {
    out.push_back(at[i].value());
    if (out[i] < 0 || out[i] >= shape[i]) return std::nullopt;
  }
  return out;
}

// The position that a lookup finds in an element of its operand, moved into its range.
int64_t look_up(const Lookup& lookup, const std::vector<const Tensor*>& operands, int64_t element) {
  const Tensor& x = *operands[static_cast<size_t>(lookup.operand)];
  return position_of(x.bits(element), x.dtype, lookup.extent.value(), lookup.window.value());
}

// The rule at a position, with the positions that it reads from data put in.
Result<IndexRule> rule_at(const MovingOp& m, const std::vector<const Tensor*>& operands, const Position& position) {
  const std::vector<Dim> at(position.begin(), position.end());
  IndexRule rule = m.op.def->index(m.op, m.operands, m.result, at);
  for (size_t k = 0; k < rule.lookups.size(); ++k) {
    const std::vector<int64_t>& shape = operands[static_cast<size_t>(rule.lookups[k].operand)]->shape;
    const auto from = inside(rule.lookups[k].index, shape);
    if (!from) return fail(m, "a position outside of the positions is asked for");
    const int64_t found = look_up(rule.lookups[k], operands, flatten(*from, shape));
    const std::string name = *lookup_symbol(k).as_symbol();
    for (IndexSource& s : rule.sources) {
      for (Dim& d : s.index) d = d.substitute(name, Dim(found));
      for (auto& [d, extent] : s.within) d = d.substitute(name, Dim(found));
    }
  }
  return rule;
}

// Where an element comes from, or, of a scatter, goes to: an operand, and the element in it.
struct Place {
  int operand;  // -1: no source holds
  int64_t element;
  friend bool operator==(const Place&, const Place&) = default;
};

// The place that a rule at one position names.
Result<Place> place_in(const MovingOp& m, const IndexRule& rule, const std::vector<std::vector<int64_t>>& shapes) {
  for (const IndexSource& s : rule.sources) {
    bool holds = true;
    for (const auto& [d, extent] : s.within) holds = holds && d.value() >= 0 && d.value() < extent.value();
    if (!holds) continue;
    const auto& shape = shapes[static_cast<size_t>(s.operand)];
    const auto at = inside(s.index, shape);
    if (!at) return fail(m, "an element outside the operand is asked for");
    return Place{s.operand, flatten(*at, shape)};
  }
  return Place{-1, 0};
}

// The rule of an op at every position of a shape: made once, at a position of symbols (#0, #1, ..), and compiled. At
// some positions it is made for the numbers too, so that a rule which says something else of symbols is found.
class CompiledRule {
 public:
  CompiledRule(const MovingOp& m, const std::vector<const Tensor*>& operands, const std::vector<int64_t>& shape,
               std::vector<std::vector<int64_t>> sources)
      : m_(m), operands_(operands), shape_(shape), sources_(std::move(sources)) {
    std::vector<Dim> at;
    for (size_t k = 0; k < shape.size(); ++k) at.push_back(slot_symbol("#" + std::to_string(k)));
    const IndexRule rule = m.op.def->index(m.op, m.operands, m.result, at);
    fill_ = rule.fill;
    for (const Lookup& l : rule.lookups) lookups_.push_back({l, codes(l.index)});
    for (size_t k = 0; k < rule.lookups.size(); ++k) slot_symbol(*lookup_symbol(k).as_symbol());
    for (const IndexSource& s : rule.sources) {
      Source source{s.operand, codes(s.index), {}};
      for (const auto& [d, extent] : s.within) source.within.emplace_back(code(d), code(extent));
      rules_.push_back(std::move(source));
    }
    slots_.resize(names_.size());
  }

  int fill() const { return fill_; }

  Result<Place> operator()(int64_t element) {
    const Position at = unflatten(element, shape_);
    std::copy(at.begin(), at.end(), slots_.begin());
    for (size_t k = 0; k < lookups_.size(); ++k) {
      const Lookup& l = lookups_[k].first;
      const auto from = flat(lookups_[k].second, operands_[static_cast<size_t>(l.operand)]->shape);
      if (!from) return fail(m_, "a position outside of the positions is asked for");
      slots_[shape_.size() + k] = look_up(l, operands_, *from);
    }
    FRIT_ASSIGN_OR_RETURN(place, evaluated());
    if (element % kBetweenChecks == 0) {
      FRIT_ASSIGN_OR_RETURN(rule, rule_at(m_, operands_, at));
      FRIT_ASSIGN_OR_RETURN(wanted, place_in(m_, rule, sources_));
      if (!(place == wanted)) return fail(m_, "its rule names another element for numbers than for symbols");
    }
    return place;
  }

 private:
  static constexpr int64_t kBetweenChecks = 61;

  struct Source {
    int operand;
    std::vector<PositionCode> index;
    std::vector<std::pair<PositionCode, PositionCode>> within;
  };

  Dim slot_symbol(const std::string& name) {
    names_.push_back(name);
    return Dim::symbol(name);
  }
  PositionCode code(const Dim& d) const {
    return PositionCode(d, [this](const std::string& name) {
      return static_cast<uint32_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
    });
  }
  std::vector<PositionCode> codes(const std::vector<Dim>& index) const {
    std::vector<PositionCode> all;
    for (const Dim& d : index) all.push_back(code(d));
    return all;
  }

  // The element at a position; nothing outside of the shape.
  std::optional<int64_t> flat(const std::vector<PositionCode>& index, const std::vector<int64_t>& shape) const {
    int64_t element = 0;
    for (size_t i = 0; i < index.size(); ++i) {
      const auto at = index[i].evaluate(slots_.data());
      if (!at || *at < 0 || *at >= shape[i]) return std::nullopt;
      element = element * shape[i] + *at;
    }
    return element;
  }

  Result<Place> evaluated() const {
    for (const Source& s : rules_) {
      bool holds = true;
      for (const auto& [d, extent] : s.within) {
        const auto at = d.evaluate(slots_.data()), end = extent.evaluate(slots_.data());
        if (!at || !end) return fail(m_, "a condition of its rule has no value");
        holds = holds && *at >= 0 && *at < *end;
      }
      if (!holds) continue;
      const auto element = flat(s.index, sources_[static_cast<size_t>(s.operand)]);
      if (!element) return fail(m_, "an element outside the operand is asked for");
      return Place{s.operand, *element};
    }
    return Place{-1, 0};
  }

  const MovingOp& m_;
  const std::vector<const Tensor*>& operands_;
  const std::vector<int64_t>& shape_;                // of the positions
  const std::vector<std::vector<int64_t>> sources_;  // the shape of each operand that a source may name
  std::vector<std::string> names_;                   // by slot
  std::vector<int64_t> slots_;
  std::vector<std::pair<Lookup, std::vector<PositionCode>>> lookups_;
  std::vector<Source> rules_;
  int fill_ = -1;
};

// The combination of two elements of one type by an elementwise row.
class Combination {
 public:
  static Result<Combination> make(std::string_view row, Dtype type) {
    const Dtype types[] = {type, type};
    FRIT_ASSIGN_OR_RETURN(program, meaning(op(row), types, type));
    return Combination(program, is_complex(type));
  }
  uint64_t operator()(uint64_t a, uint64_t b) {
    if (!complex_) return run_(std::array{a, b})[0];
    const uint64_t low = 0xffffffffu;
    const auto r = run_(std::array{a & low, a >> 32, b & low, b >> 32});
    return r[0] | r[1] << 32;
  }

 private:
  Combination(const ScalarProgram& program, bool complex) : run_(program), complex_(complex) {}
  ElementRun run_;
  bool complex_;
};

uint64_t cast(Dtype from, Dtype to, uint64_t bits) {
  return from == to ? bits : evaluate(ScalarOp::Cast, to, {&from, 1}, {&bits, 1});
}

}  // namespace

Status interpret_index(const MovingOp& m, const std::vector<const Tensor*>& operands, Tensor& out) {
  const int64_t n = out.size();
  if (n == 0) return {};
  std::vector<std::vector<int64_t>> shapes;
  for (const Tensor* t : operands) shapes.push_back(t->shape);
  CompiledRule rule(m, operands, out.shape, std::move(shapes));
  for (int64_t o = 0; o < n; ++o) {
    FRIT_ASSIGN_OR_RETURN(place, rule(o));
    if (place.operand < 0) {
      if (rule.fill() < 0) return fail(m, "no operand supplies an element");
      place = {rule.fill(), 0};
    }
    out.set_bits(o, operands[static_cast<size_t>(place.operand)]->bits(place.element));
  }
  return {};
}

Status interpret_scatter(const MovingOp& m, const std::vector<const Tensor*>& operands, Tensor& out) {
  const Tensor& updates = *operands.back();
  out.data = operands[0]->data;
  const int64_t n = updates.size();
  if (n == 0) return {};
  // Every source of the rule names an element of the result.
  CompiledRule rule(m, operands, updates.shape, std::vector(operands.size(), out.shape));
  std::optional<Combination> step;
  if (!m.op.def->step.empty()) {
    FRIT_ASSIGN_OR_RETURN(made, Combination::make(m.op.def->step, out.dtype));
    step.emplace(std::move(made));
  }
  for (int64_t u = 0; u < n; ++u) {
    FRIT_ASSIGN_OR_RETURN(place, rule(u));
    if (place.operand < 0) return fail(m, "an update has no place");
    const uint64_t value = updates.bits(u);
    out.set_bits(place.element, step ? (*step)(out.bits(place.element), value) : value);
  }
  return {};
}

Status interpret_scan(const MovingOp& m, const Tensor& x, Tensor& out) {
  const AttrMap& attrs = m.op.attrs;
  const auto axis = static_cast<size_t>(attrs.get_int("axis"));
  const bool reverse = attrs.get_bool("reverse"), inclusive = attrs.get_bool("inclusive");
  const Dtype type = compute_type(out.dtype);
  const std::array<uint64_t, 2> identity = scan_identity(*m.op.def, type);
  std::vector<int64_t> rest = x.shape;
  rest[axis] = 1;
  int64_t rows = 1;
  for (int64_t n : rest) rows *= n;
  const int lanes = std::max(1, scan_lanes(m.op, {out.dtype, Shape(x.shape.begin(), x.shape.end())}));
  FRIT_ASSIGN_OR_RETURN(combined, Combination::make(m.op.def->step, type));
  std::vector<uint64_t> kept(static_cast<size_t>(std::countr_zero(static_cast<unsigned>(lanes))));
  for (int64_t row = 0; row < rows; ++row) {
    Position at = unflatten(row, rest);
    uint64_t running = is_complex(type) ? identity[0] | identity[1] << 32 : identity[0], start = running;
    for (int64_t i = 0, n = x.shape[axis]; i < n; ++i) {
      at[axis] = reverse ? n - 1 - i : i;
      const int64_t element = flatten(at, x.shape);
      uint64_t value = cast(x.dtype, type, x.bits(element));
      if (i % lanes == 0) start = running;
      for (size_t level = 0; level < kept.size(); ++level) {
        if (i >> level & 1)
          value = combined(kept[level], value);
        else
          kept[level] = value;
      }
      const uint64_t next = combined(start, value);
      out.set_bits(element, cast(type, out.dtype, inclusive ? next : running));
      running = next;
    }
  }
  return {};
}

}  // namespace frit::ir
