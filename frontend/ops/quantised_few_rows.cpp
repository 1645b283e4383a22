// Products of few rows with quantised weights: the weights are unpacked in registers, for all rows at once.
//
// A unit is a few words that hold whole codes. The elements of the sum are units: for each of them the codes are taken
// apart and multiplied by the numbers of a row, and their sum by the group's scale; the bias is multiplied by the sum
// of the row's numbers. So vectors run over units, and a code costs a shift, a mask, a conversion and, for each row, a
// product. The rows are stored code by code first, so that they are read in vectors too.
#include <algorithm>

#include "frontend/ops/quantised.h"

namespace frit::detail {

namespace {

using Arrays = std::vector<array>;

// Codes of a unit, which bear the cost of its scale and bias.
constexpr int kLeastCodes = 8;
// Columns of the result that are computed at once, so that numbers of the rows are loaded as often from the innermost
// cache as from the next.
constexpr int64_t kColumnsAtOnce = 2;

// Words that end where a code ends: one, or as many as a code has bits where a code lies in two words.
int words_in_unit(int bits) {
  const int words = 32 % bits == 0 ? 1 : bits % 2 ? bits : bits / 2;
  return words * std::max(1, kLeastCodes * bits / (32 * words));
}

int last_axis(const array& a) { return static_cast<int>(a.ndim()) - 1; }

// The last axis as (groups, units, inner).
array split_units(const array& a, int units, int inner) {
  ir::Dims sizes = sizes_of(a);
  sizes.back() = simplify(floor_div(sizes.back(), Dim(int64_t{units} * inner)));
  sizes.emplace_back(units);
  sizes.emplace_back(inner);
  return with_sizes(a, sizes, {});
}

// Place `i` of an axis, without the axis.
array at_place(const array& a, int axis, int64_t i) {
  return squeeze(take_range(a, axis, Dim(i), Dim(i + 1), {}), axis);
}

// The codes of units (..., groups, units), place by place.
Arrays codes_of(const array& packed, int units, int words, const QuantFormat& f) {
  const array apart = split_units(packed, units, words);
  Arrays word, codes;
  for (int i = 0; i < words; ++i) word.push_back(at_place(apart, last_axis(apart), i));
  const array mask(static_cast<uint32_t>((1 << f.bits) - 1));
  for (int bit = 0; bit < 32 * words; bit += f.bits) {
    const auto i = static_cast<size_t>(bit / 32);
    const int from = bit % 32;
    array code = word[i];
    if (from > 0) code = right_shift(code, array(static_cast<uint32_t>(from)));
    if (from + f.bits > 32) code = bitwise_or(code, left_shift(word[i + 1], array(static_cast<uint32_t>(32 - from))));
    codes.push_back(decode_codes(from + f.bits == 32 ? code : bitwise_and(code, mask), f));
  }
  return codes;
}

// By halves, so that no chain of additions is long.
array total(Arrays terms) {
  for (size_t count = terms.size(); count > 1; count = (count + 1) / 2)
    for (size_t i = 0; i < count / 2; ++i) terms[i] = add(terms[i], terms[count - 1 - i]);
  return terms[0];
}

// The operands that the products of all rows share.
struct Weights {
  Arrays codes;  // (..., n, groups, units)
  array scales;  // (..., n, groups, 1)
  std::optional<array> biases;
};

// The numbers of the rows, stored place by place, (codes, ..., rows, groups, units), and their sum over the places.
struct Rows {
  array places;
  std::optional<array> sums;
};

Rows rows_of(const array& x, int units, int codes, bool has_bias) {
  const array apart = split_units(x, units, codes);
  std::vector<int> axes{last_axis(apart)};
  for (int i = 0; i < last_axis(apart); ++i) axes.push_back(i);
  const array places = contiguous(transpose(apart, axes));
  return {places, has_bias ? std::optional(contiguous(sum(places, 0))) : std::nullopt};
}

// The sum over groups and units. `pick` brings an array of the rows into the weights' form.
template <class Pick>
array product(const Rows& x, const Weights& w, Pick pick) {
  Arrays terms;
  for (size_t i = 0; i < w.codes.size(); ++i)
    terms.push_back(multiply(pick(at_place(x.places, 0, static_cast<int64_t>(i))), w.codes[i]));
  array unit = multiply(total(std::move(terms)), w.scales);
  if (w.biases) unit = add(unit, multiply(pick(*x.sums), *w.biases));
  return sum(unit, {-1, -2});
}

}  // namespace

array product_with_few_rows(const array& x, const array& packed, const array& scales,
                            const std::optional<array>& biases, const std::optional<array>& global_scale,
                            const QuantFormat& f) {
  const int words = words_in_unit(f.bits), codes = 32 * words / f.bits, units = f.group / codes;
  const Rows rows = rows_of(x, units, codes, biases.has_value());
  // The weights of one of `columns` neighbours in turn.
  const auto weights_of = [&](int64_t columns, int64_t place) {
    const auto pick = [&](const array& a) {
      if (columns == 1) return a;
      ir::Dims sizes = sizes_of(a);
      const Dim inner = sizes.back(), n = sizes[sizes.size() - 2];
      sizes.back() = columns;
      sizes[sizes.size() - 2] = simplify(floor_div(n, Dim(columns)));
      sizes.push_back(inner);
      return at_place(with_sizes(a, sizes, {}), static_cast<int>(sizes.size()) - 2, place);
    };
    Weights w{codes_of(pick(packed), units, words, f), expand_dims(decode_scales(pick(scales), global_scale, f), -1),
              std::nullopt};
    if (biases) w.biases = expand_dims(astype(pick(*biases), float32), -1);
    return w;
  };
  const Dim count = sizes_of(x)[x.ndim() - 2];
  if (!count.is_const() || count.is(0)) {
    Weights w = weights_of(1, 0);
    // (..., n, rows), so that the weights of a column are read once for all rows.
    const auto apart = [](const array& a) { return expand_dims(a, -3); };
    for (array& code : w.codes) code = apart(code);
    w.scales = apart(w.scales);
    if (w.biases) w.biases = apart(*w.biases);
    return swapaxes(product(rows, w, [](const array& a) { return expand_dims(a, -4); }), -1, -2);
  }
  const ir::Dims sizes = sizes_of(packed);
  const Dim n = sizes[sizes.size() - 2];
  const int64_t columns = count.value() > 1 && n.is_const() && n.value() % kColumnsAtOnce == 0 ? kColumnsAtOnce : 1;
  std::vector<Arrays> results(static_cast<size_t>(count.value()));
  for (int64_t place = 0; place < columns; ++place) {
    const Weights w = weights_of(columns, place);
    for (int64_t row = 0; row < count.value(); ++row)
      results[static_cast<size_t>(row)].push_back(product(
          rows, w, [&](const array& a) { return take_range(a, last_axis(a) - 2, Dim(row), Dim(row + 1), {}); }));
  }
  Arrays lines;
  for (const Arrays& row : results) {
    array line = row[0];
    if (columns > 1) {
      line = stack(row, -1);
      ir::Dims joined = sizes_of(row[0]);
      joined.back() = n;
      line = with_sizes(line, joined, {});
    }
    lines.push_back(line);
  }
  return lines.size() == 1 ? expand_dims(lines[0], -2) : stack(lines, -2);
}

}  // namespace frit::detail
