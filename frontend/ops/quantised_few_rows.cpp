// Products of few rows with quantised weights: the weights are unpacked in registers, for all rows at once.
//
// A unit is a few words that hold whole codes. The elements of the sum are units: for each of them the codes are taken
// apart and multiplied by the numbers of a row, and their sum by the group's scale; the bias is multiplied by the sum
// of the row's numbers. So vectors run over units, and a code costs a shift, a mask, a conversion and, for each row, a
// product. The rows are stored code by code first, so that they are read in vectors too.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "frontend/ops/quantised.h"

namespace frit::detail {

namespace {

using Arrays = std::vector<array>;

// Codes of a unit, which bear the cost of its scale and bias.
constexpr int kLeastCodes = 8;
// Columns of the result that are computed at once, so that numbers of the rows are loaded as often from the innermost
// cache as from the next.
constexpr int64_t kColumnsAtOnce = 2;
// Steps of a sum that wait for each other. The processor has as many under way as it takes to hide that.
constexpr size_t kChain = 8;

// Words that end where a code ends: one, or as many as a code has bits where a code lies in two words.
int words_by_place(int bits) { return 32 % bits == 0 ? 1 : bits % 2 ? bits : bits / 2; }
// Some of them.
int words_in_unit(int bits) {
  const int words = words_by_place(bits);
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

// Shaders keep the two roundings, which not all of their machines have in one.
array step(const array& sum, const array& a, const array& b, const QuantFormat& f) {
  return f.cpu ? elementwise("add_product", {sum, a, b}, {}) : add(sum, multiply(a, b));
}

// A code and the power of two that the number which stands for it is too large by. So the bits of a word that it lies
// in need no shift of their own. The power goes to the numbers of the rows instead, once for all columns.
struct Place {
  int word = 0, from = 0;  // where the code begins
  int shift = 0;           // of the word, which several codes share
  int power = 0;
};

// A code stays below this bit of a shifted word, so that the powers are small: a number of the rows is divided by one,
// which is exact down to 2^-110.
constexpr int kMostBits = 20;

std::vector<Place> places_of(int words, const QuantFormat& f) {
  std::vector<Place> places;
  int shift = 0;
  for (int bit = 0; bit < 32 * words; bit += f.bits) {
    const int from = bit % 32;
    if (f.mode != QuantMode::Affine) {
      if (f.cpu)
        places.push_back({bit / 32, from, from / 16 * 16, f.mode == QuantMode::Mxfp8 ? -8 : -14});
      else
        places.push_back({bit / 32, from, from, 0});
      continue;
    }
    if (from < shift) shift = 0;
    // A code that lies in two words is put together at the lowest bits.
    if (from + f.bits > 32 || from - shift + f.bits > kMostBits) shift = from;
    places.push_back({bit / 32, from, shift, from - shift});
  }
  return places;
}

// `bits` of a word of 16 bits from one place on, at another.
array moved_bits(const array& word, int bits, int from, int to) {
  const array shift(static_cast<uint16_t>(std::abs(to - from)), uint16);
  const array there = to > from ? left_shift(word, shift) : to < from ? right_shift(word, shift) : word;
  return bitwise_and(there, array(((1 << bits) - 1) << to, uint16));
}

// A float of four or eight bits that begins at bit `from` of a word of 16. A half has the digits in the same order and
// a larger exponent, and its conversion takes small numbers as well.
array number_at(const array& word, int from, const QuantFormat& f) {
  const int digits = f.bits - 1, point = f.mode == QuantMode::Mxfp8 ? 7 : 9;
  array magnitude = moved_bits(word, digits, from, point);
  if (f.mode == QuantMode::Mxfp8)
    magnitude = where(equal(magnitude, array(0x3f80, uint16)), array(0x7e00, uint16), magnitude);
  return astype(view(bitwise_or(magnitude, moved_bits(word, 1, from + digits, 15)), float16), float32);
}

// The words of units, (..., units, words), place by place.
Arrays words_of(const array& units) {
  Arrays words;
  const int axis = last_axis(units);
  for (int64_t i = 0; i < size_of(units, axis).value(); ++i) words.push_back(at_place(units, axis, i));
  return words;
}

// Their codes.
Arrays codes_of(const Arrays& word, const QuantFormat& f) {
  Arrays codes;
  for (const Place& p : places_of(static_cast<int>(word.size()), f)) {
    const auto i = static_cast<size_t>(p.word);
    array code = p.shift > 0 ? right_shift(word[i], array(static_cast<uint32_t>(p.shift))) : word[i];
    if (f.mode != QuantMode::Affine && f.cpu) {
      codes.push_back(number_at(astype(code, uint16), p.from - p.shift, f));
      continue;
    }
    if (p.from + f.bits > 32)
      code = bitwise_or(code, left_shift(word[i + 1], array(static_cast<uint32_t>(32 - p.from))));
    const bool ends = p.from + f.bits == 32 && p.power == 0;
    codes.push_back(decode_codes(ends ? code : bitwise_and(code, array(((1u << f.bits) - 1) << p.power)), f));
  }
  return codes;
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

// By halves, so that no chain of additions is long.
array total(Arrays terms) {
  for (size_t count = terms.size(); count > 1; count = (count + 1) / 2)
    for (size_t i = 0; i < count / 2; ++i) terms[i] = add(terms[i], terms[count - 1 - i]);
  return terms[0];
}

// Stores rows (..., groups, units) a whole and odd number of cache lines apart. Each step of the product reads all of
// them, and rows that lie a power of two apart would share a few sets of the innermost cache.
array stored_apart(const array& a, const QuantFormat& f) {
  constexpr int64_t kLine = 16;
  const ir::Dims sizes = sizes_of(a);
  const Dim row = sizes[sizes.size() - 2] * sizes.back();
  if (!f.cpu || !row.is_const() || row.value() < kLine) return contiguous(a);
  const int64_t lines = (row.value() + kLine - 1) / kLine, length = kLine * (lines | 1);
  if (length == row.value()) return contiguous(a);
  ir::Dims joined(sizes.begin(), sizes.end() - 2);
  joined.push_back(row);
  const int axis = static_cast<int>(joined.size()) - 1;
  const array wide =
      contiguous(pad(with_sizes(a, joined, {}), {axis}, Sizes{Size(0)}, Sizes{Size(length - row.value())}));
  return with_sizes(take_range(wide, axis, Dim(0), row, {}), sizes, {});
}

Rows rows_of(const array& x, int units, const std::vector<Place>& places, bool has_bias, const QuantFormat& f) {
  const array apart = split_units(x, units, static_cast<int>(places.size()));
  std::vector<int> axes{last_axis(apart)};
  for (int i = 0; i < last_axis(apart); ++i) axes.push_back(i);
  const array by_place = transpose(apart, axes);
  std::vector<float> factors;
  for (const Place& p : places) factors.push_back(std::ldexp(1.0f, -p.power));
  Shape shape(apart.ndim(), 1);
  shape[0] = static_cast<int>(places.size());
  const array scaled = multiply(by_place, array(factors.begin(), shape));
  return {stored_apart(scaled, f), has_bias ? std::optional(stored_apart(sum(by_place, 0), f)) : std::nullopt};
}

// The sum over groups and units. `pick` brings an array of the rows into the weights' form.
template <class Pick>
array product(const Rows& x, const Weights& w, const QuantFormat& f, Pick pick) {
  const auto number = [&](size_t i) { return pick(at_place(x.places, 0, static_cast<int64_t>(i))); };
  Arrays chains;
  for (size_t i = 0; i < w.codes.size(); ++i)
    if (i % kChain == 0)
      chains.push_back(multiply(number(i), w.codes[i]));
    else
      chains.back() = step(chains.back(), number(i), w.codes[i], f);
  array unit = total(std::move(chains));
  // Scales first: a conversion of them is then a kernel in front of that of the codes, which can read its result.
  unit = w.biases ? step(multiply(pick(*x.sums), *w.biases), w.scales, unit, f) : multiply(w.scales, unit);
  return sum(unit, {-1, -2});
}

}  // namespace

array product_with_few_rows(const array& x, const array& packed, const array& scales,
                            const std::optional<array>& biases, const std::optional<array>& global_scale,
                            const QuantFormat& f) {
  const int words = words_in_unit(f.bits), codes = 32 * words / f.bits, units = f.group / codes;
  const Rows rows = rows_of(x, units, places_of(words, f), biases.has_value(), f);
  // Converted as a whole: sums of several rows that each wait for a conversion of their own would not share a kernel.
  const array wide_scales = decode_scales(scales, global_scale, f);
  const std::optional<array> wide_biases = biases ? std::optional(astype(*biases, float32)) : std::nullopt;
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
    Weights w{codes_of(words_of(split_units(pick(packed), units, words)), f), expand_dims(pick(wide_scales), -1),
              std::nullopt};
    if (wide_biases) w.biases = expand_dims(pick(*wide_biases), -1);
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
    return swapaxes(product(rows, w, f, [](const array& a) { return expand_dims(a, -4); }), -1, -2);
  }
  const ir::Dims sizes = sizes_of(packed);
  const Dim n = sizes[sizes.size() - 2];
  const int64_t columns = count.value() > 1 && n.is_const() && n.value() % kColumnsAtOnce == 0 ? kColumnsAtOnce : 1;
  std::vector<Arrays> results(static_cast<size_t>(count.value()));
  for (int64_t place = 0; place < columns; ++place) {
    const Weights w = weights_of(columns, place);
    for (int64_t row = 0; row < count.value(); ++row)
      results[static_cast<size_t>(row)].push_back(product(
          rows, w, f, [&](const array& a) { return take_range(a, last_axis(a) - 2, Dim(row), Dim(row + 1), {}); }));
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

namespace {

// Rows of the weights whose products are added to a sum at once.
constexpr int64_t kRowsAtOnce = 4;

// A number for each unit of a group.
array for_units(const array& groups, int units) {
  ir::Dims sizes = sizes_of(groups);
  sizes.emplace_back(units);
  const array apart = stretch(expand_dims(groups, -1), sizes, {});
  sizes.pop_back();
  sizes.back() = sizes.back() * Dim(units);
  return with_sizes(apart, sizes, {});
}

// Rows (..., k, n) as (..., k / rows, n), from each of `rows` neighbours one.
Arrays every(const array& a, int64_t rows) {
  ir::Dims sizes = sizes_of(a);
  const size_t axis = sizes.size() - 2;
  sizes.insert(sizes.begin() + static_cast<int64_t>(axis) + 1, Dim(rows));
  sizes[axis] = simplify(floor_div(sizes[axis], Dim(rows)));
  const array apart = with_sizes(a, sizes, {});
  Arrays out;
  for (int64_t r = 0; r < rows; ++r) out.push_back(at_place(apart, static_cast<int>(axis) + 1, r));
  return out;
}

}  // namespace

// The sums of a code's place are a row of their own, as long as the units of a row. So a vector has as many words,
// whose codes cost no shuffle, and the places meet behind the sums.
array product_across(const array& x, const array& packed, const array& scales, const std::optional<array>& biases,
                     const std::optional<array>& global_scale, const QuantFormat& f) {
  const int words = words_by_place(f.bits), codes = 32 * words / f.bits, units = f.group / codes;
  const std::vector<Place> places = places_of(words, f);
  int top = 0;
  for (const Place& p : places) top = std::max(top, p.power);
  const Dim depth = size_of(x, last_axis(x));
  int64_t at_once = kRowsAtOnce;
  while (at_once > 1 && (!depth.is_const() || depth.value() % at_once)) at_once /= 2;

  const Arrays scale_rows = every(decode_scales(scales, global_scale, f), at_once),
               packed_rows = every(packed, at_once);
  Arrays scale;
  std::vector<Arrays> code;
  for (size_t r = 0; r < packed_rows.size(); ++r) {
    scale.push_back(for_units(scale_rows[r], units));
    ir::Dims sizes = sizes_of(packed_rows[r]);
    sizes.back() = simplify(floor_div(sizes.back(), Dim(words)));
    sizes.emplace_back(words);
    code.push_back(codes_of(words_of(with_sizes(packed_rows[r], sizes, {})), f));
  }
  // Places behind the highest one are too small by a power of two, so that no sum is larger than its result.
  const array smaller = multiply(x, array(std::ldexp(1.0f, -top)));
  Arrays lines;
  for (int64_t row = 0; row < size_of(x, last_axis(x) - 1).value(); ++row) {
    const auto line = [&](const array& a) { return expand_dims(at_place(a, last_axis(a) - 1, row), -1); };
    const Arrays numbers = every(line(smaller), at_once);
    Arrays factors, sums;
    for (size_t r = 0; r < numbers.size(); ++r) factors.push_back(multiply(numbers[r], scale[r]));
    for (size_t i = 0; i < places.size(); ++i) {
      array terms = multiply(factors[0], code[0][i]);
      for (size_t r = 1; r < factors.size(); ++r) terms = step(terms, factors[r], code[r][i], f);
      sums.push_back(multiply(sum(terms, -2), array(std::ldexp(1.0f, top - places[i].power))));
    }
    const array together = stack(sums, -1);
    ir::Dims sizes = sizes_of(together);
    sizes.pop_back();
    sizes.back() = simplify(floor_div(sizes.back(), Dim(units)));
    const Dim groups = sizes.back();
    sizes.emplace_back(f.group);
    array out = with_sizes(together, sizes, {});
    if (biases) out = add(out, expand_dims(sum(multiply(line(x), astype(*biases, float32)), -2), -1));
    sizes.pop_back();
    sizes.back() = groups * Dim(f.group);
    lines.push_back(with_sizes(out, sizes, {}));
  }
  return stack(lines, -2);
}

}  // namespace frit::detail
