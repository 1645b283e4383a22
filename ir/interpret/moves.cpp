// Index, scatter and scan rows on tensors, one element after the other.
#include "ir/interpret/moves.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "ir/graph/scan_order.h"
#include "ir/kernel/kernel.h"
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

// The position that a lookup reads, moved into its range.
std::optional<int64_t> look_up(const Lookup& lookup, const std::vector<const Tensor*>& operands) {
  const Tensor& x = *operands[static_cast<size_t>(lookup.operand)];
  const auto from = inside(lookup.index, x.shape);
  if (!from) return std::nullopt;
  const uint64_t bits = x.bits(flatten(*from, x.shape));
  int64_t position = static_cast<int64_t>(bits);
  if (is_signed_int(x.dtype)) {
    const int unused = 64 - 8 * static_cast<int>(x.dtype.size);
    position = static_cast<int64_t>(bits << unused) >> unused;
    if (position < 0) position += lookup.extent.value();
  } else if (bits > uint64_t{INT64_MAX}) {
    position = INT64_MAX;
  }
  return std::clamp<int64_t>(position, 0, std::max<int64_t>(0, lookup.extent.value() - lookup.window.value()));
}

// The rule at a position, with the positions that it reads from data put in.
Result<IndexRule> rule_at(const MovingOp& m, const std::vector<const Tensor*>& operands, const Position& position) {
  const std::vector<Dim> at(position.begin(), position.end());
  IndexRule rule = m.op.def->index(m.op, m.operands, m.result, at);
  for (size_t k = 0; k < rule.lookups.size(); ++k) {
    const auto found = look_up(rule.lookups[k], operands);
    if (!found) return fail(m, "a position outside of the positions is asked for");
    const std::string name = *lookup_symbol(k).as_symbol();
    for (IndexSource& s : rule.sources) {
      for (Dim& d : s.index) d = d.substitute(name, Dim(*found));
      for (auto& [d, extent] : s.within) d = d.substitute(name, Dim(*found));
    }
  }
  return rule;
}

// The combination of two elements of `type` by an elementwise row.
Result<uint64_t> combined(std::string_view row, Dtype type, uint64_t a, uint64_t b) {
  const Dtype types[] = {type, type};
  FRIT_ASSIGN_OR_RETURN(program, meaning(op(row), types, type));
  if (!is_complex(type)) return evaluate(program, std::array{a, b}, FunctionSource::Libm)[0];
  const uint64_t low = 0xffffffffu;
  const auto r = evaluate(program, std::array{a & low, a >> 32, b & low, b >> 32}, FunctionSource::Libm);
  return r[0] | r[1] << 32;
}

uint64_t cast(Dtype from, Dtype to, uint64_t bits) {
  return from == to ? bits : evaluate(ScalarOp::Cast, to, {&from, 1}, {&bits, 1});
}

}  // namespace

Status interpret_index(const MovingOp& m, const std::vector<const Tensor*>& operands, Tensor& out) {
  for (int64_t o = 0, n = out.size(); o < n; ++o) {
    FRIT_ASSIGN_OR_RETURN(rule, rule_at(m, operands, unflatten(o, out.shape)));
    const IndexSource* source = nullptr;
    for (const IndexSource& s : rule.sources) {
      bool holds = true;
      for (const auto& [d, extent] : s.within) holds = holds && d.value() >= 0 && d.value() < extent.value();
      if (holds && !source) source = &s;
    }
    if (!source) {
      if (rule.fill < 0) return fail(m, "no operand supplies an element");
      out.set_bits(o, operands[static_cast<size_t>(rule.fill)]->bits(0));
      continue;
    }
    const Tensor& x = *operands[static_cast<size_t>(source->operand)];
    const auto from = inside(source->index, x.shape);
    if (!from) return fail(m, "an element outside the operand is asked for");
    out.set_bits(o, x.bits(flatten(*from, x.shape)));
  }
  return {};
}

Status interpret_scatter(const MovingOp& m, const std::vector<const Tensor*>& operands, Tensor& out) {
  const Tensor& updates = *operands.back();
  out.data = operands[0]->data;
  for (int64_t u = 0, n = updates.size(); u < n; ++u) {
    FRIT_ASSIGN_OR_RETURN(rule, rule_at(m, operands, unflatten(u, updates.shape)));
    const auto to = inside(rule.sources[0].index, out.shape);
    if (!to) return fail(m, "an element outside the operand is written");
    const int64_t element = flatten(*to, out.shape);
    uint64_t value = updates.bits(u);
    if (!m.op.def->step.empty()) {
      FRIT_ASSIGN_OR_RETURN(next, combined(m.op.def->step, out.dtype, out.bits(element), value));
      value = next;
    }
    out.set_bits(element, value);
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
        if (i >> level & 1) {
          FRIT_ASSIGN_OR_RETURN(both, combined(m.op.def->step, type, kept[level], value));
          value = both;
        } else {
          kept[level] = value;
        }
      }
      FRIT_ASSIGN_OR_RETURN(next, combined(m.op.def->step, type, start, value));
      out.set_bits(element, cast(type, out.dtype, inclusive ? next : running));
      running = next;
    }
  }
  return {};
}

}  // namespace frit::ir
