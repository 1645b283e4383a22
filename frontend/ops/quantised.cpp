// Packing of codes, and the numbers that they stand for.
#include "frontend/ops/quantised.h"

#include <algorithm>

namespace frit::detail {

namespace {

constexpr float kLargestFp4 = 6, kLargestFp8 = 448;
// Twice the magnitudes of floats with four bits, in four bits each: 0, 1, 2, 3, 4, 6, 8, 12.
constexpr uint32_t kTwiceFp4 = 0xc8643210;
// A global scale stands for the largest magnitude, which meets the largest scale times the largest code.
constexpr float kLargestNvfp4 = kLargestFp4 * kLargestFp8;

array word(uint32_t v) { return array(v); }
bool is_power(int bits) { return (bits & (bits - 1)) == 0; }

// Codes and bytes of a unit.
int codes_in_unit(int bits) { return is_power(bits) ? 32 / bits : bits == 6 ? 4 : 8; }
int bytes_in_unit(int bits) { return codes_in_unit(bits) * bits / 8; }
// Five bytes do not fit into uint32.
Dtype unit_type(int bits) { return bits == 5 ? uint64 : uint32; }

// 0, step, 2 * step, ...
array steps(int count, int step, Dtype t) {
  return make("iota", {}, {{"shape", ir::Dims{count}}, {"axis", Dim(0)}, {"dtype", t}, {"step", Dim(step)}}, {});
}

// The last axis as `axes`, of which the first follows from the others.
array split_last(const array& a, std::vector<int> inner) {
  ir::Dims sizes = sizes_of(a);
  int64_t product = 1;
  for (const int n : inner) product *= n;
  sizes.back() = simplify(floor_div(sizes.back(), Dim(product)));
  for (const int n : inner) sizes.emplace_back(n);
  return with_sizes(a, sizes, {});
}

// The last `count` axes as one.
array join_last(const array& a, size_t count) {
  ir::Dims sizes = sizes_of(a);
  Dim product = 1;
  for (size_t i = sizes.size() - count; i < sizes.size(); ++i) product = product * sizes[i];
  sizes.resize(sizes.size() - count);
  sizes.push_back(product);
  return with_sizes(a, sizes, {});
}

// The largest and smallest of each group as numbers of one element.
array largest(const array& groups) { return max(groups, -1, true); }

std::vector<array> quantise_affine(const array& w, const QuantFormat& f) {
  const float bins = static_cast<float>((1 << f.bits) - 1);
  const array groups = split_last(astype(w, float32), {f.group});
  const array high = largest(groups), low = min(groups, -1, true);
  array scale = maximum(divide(subtract(high, low), array(bins)), array(1e-7f)), bias = low;
  if (f.bits > 1) {
    // The end with the larger magnitude is met exactly, and so is zero. A single bit has its codes for both ends.
    const array from_low = greater(abs(low), abs(high));
    scale = where(from_low, scale, negative(scale));
    const array edge = where(from_low, low, high), steps_to_edge = round(divide(edge, scale));
    const array at_zero = equal(steps_to_edge, array(0.0f));
    scale = where(at_zero, scale, divide(edge, steps_to_edge));
    bias = where(at_zero, array(0.0f), edge);
  }
  const array codes = clip(round(divide(subtract(groups, bias), scale)), array(0.0f), array(bins));
  return {pack_codes(join_last(astype(codes, uint32), 2), f), astype(squeeze(scale, -1), w.dtype()),
          astype(squeeze(bias, -1), w.dtype())};
}

// Codes of floats with four bits: sign, two bits of exponent, one of significand. Halves go to the smaller magnitude.
array encode_fp4(const array& x) {
  const array a = abs(x);
  array code = word(0);
  for (const float bound : {0.25f, 0.75f, 1.25f, 1.75f, 2.5f, 3.5f, 5.0f})
    code = add(code, astype(greater(a, array(bound)), uint32));
  // A zero has no sign.
  return bitwise_or(code, where(logical_and(less(x, array(0.0f)), not_equal(code, word(0))), word(8), word(0)));
}

array decode_fp4(const array& codes) {
  const array place = left_shift(bitwise_and(codes, word(7)), word(2));
  const array twice = bitwise_and(right_shift(word(kTwiceFp4), place), word(15));
  const array bits = view(multiply(astype(twice, float32), array(0.5f)), uint32);
  return view(bitwise_or(bits, left_shift(bitwise_and(codes, word(8)), word(28))), float32);
}

// A half has the digits in the same order and a larger exponent, by eight. Its conversion takes small numbers as well.
array decode_fp8_by_half(const array& codes) {
  const array bits = astype(codes, uint16), low = bitwise_and(bits, array(0x7f, uint16));
  const array sign = left_shift(bitwise_and(bits, array(0x80, uint16)), array(8, uint16));
  const array half = view(bitwise_or(left_shift(low, array(7, uint16)), sign), float16);
  const array number = multiply(astype(half, float32), array(256.0f));
  return where(less(abs(number), array(480.0f)), number, array(std::numeric_limits<float>::quiet_NaN()));
}

// The numbers of packed floats by groups, as decode_codes() gives them. Each value is used once, so that the work moves
// behind the reshape that joins the groups, and codes need no memory of their own.
array numbers_of_words(const array& packed, const QuantFormat& f) {
  const int codes = codes_in_unit(f.bits);
  const array unit = split_last(packed, {f.group / codes, 1});
  const array place = left_shift(bitwise_and(right_shift(unit, steps(codes, f.bits, uint32)), word(7)), word(2));
  const array twice = bitwise_and(right_shift(word(kTwiceFp4), place), word(15));
  const array bits = view(multiply(astype(twice, float32), array(0.5f)), uint32);
  const array above = subtract(word(28), steps(codes, f.bits, uint32));
  return view(bitwise_or(bits, bitwise_and(left_shift(unit, above), word(1u << 31))), float32);
}
array numbers_of_bytes(const array& packed, const QuantFormat& f) {
  const array unit = split_last(packed, {f.group / 4, 1}), bit = steps(4, 8, uint32);
  // A code at the upper end of a word: the sign is copied below itself, and cleared there.
  const array above = view(left_shift(unit, subtract(word(24), bit)), int32);
  const array bits = bitwise_and(view(right_shift(above, array(1)), uint32), word(0xbf800000));
  const array half = view(astype(right_shift(bits, word(16)), uint16), float16);
  const array digits = bitwise_and(right_shift(unit, bit), word(0x7f));
  const array nan(std::numeric_limits<float>::quiet_NaN());
  return where(equal(digits, word(0x7f)), nan, multiply(astype(half, float32), array(256.0f)));
}

// Codes that go from word to word: as many as fill whole words are a unit. Each is put together from the word that it
// begins in and the next one; the bits of the next one that are no part of it lie above the code.
array codes_across_words(const array& packed, const QuantFormat& f) {
  const int words = f.bits % 2 ? f.bits : f.bits / 2, codes = 32 * words / f.bits;
  const array apart = split_last(packed, {f.group / codes, words});
  const int axis = static_cast<int>(apart.ndim()) - 1;
  std::vector<array> parts;
  for (int i = 0; i < words; ++i) parts.push_back(take_range(apart, axis, i, i + 1, {}));
  // As large as the result, so that the places of a loop over the unit are constants of its code.
  ir::Dims shape = sizes_of(apart);
  shape.back() = codes;
  const array bit =
      make("iota", {}, {{"shape", shape}, {"axis", Dim(axis)}, {"dtype", uint32}, {"step", Dim(f.bits)}}, {});
  const array place = right_shift(bit, word(5)), shift = bitwise_and(bit, word(31));
  const auto from = [&](int i) { return parts[static_cast<size_t>(std::min(i, words - 1))]; };
  array low = from(words), high = from(words);
  for (int i = words - 2; i >= 0; --i) {
    const array here = less(place, word(static_cast<uint32_t>(i + 1)));
    low = where(here, from(i), low);
    if (i + 2 < words) high = where(here, from(i + 1), high);
  }
  const array above = left_shift(left_shift(high, word(1)), subtract(word(31), shift));
  return bitwise_and(bitwise_or(right_shift(low, shift), above), word((1u << f.bits) - 1));
}

// A power of two by its exponent plus 127.
array decode_exponent(const array& scales) {
  const array bits = astype(scales, uint32);
  return view(where(equal(bits, word(0)), word(0x00400000), left_shift(bits, word(23))), float32);
}

array global_factor(const array& global_scale) {
  return divide(with_sizes(astype(global_scale, float32), {}, {}), array(kLargestNvfp4));
}

std::vector<array> quantise_float(const array& w, const std::optional<array>& global_scale, const QuantFormat& f) {
  const array groups = split_last(astype(w, float32), {f.group});
  const array top = largest(abs(groups));
  array scale = divide(top, array(f.mode == QuantMode::Mxfp8 ? kLargestFp8 : kLargestFp4)), scales = scale;
  if (f.mode == QuantMode::Nvfp4) {
    if (global_scale) scale = divide(scale, global_factor(*global_scale));
    scales = encode_fp8(scale);
    scale = decode_fp8(scales);
    if (global_scale) scale = multiply(scale, global_factor(*global_scale));
  } else {
    const array nothing = equal(top, array(0.0f));
    const array exponent = where(nothing, array(0.0f), ceil(log2(where(nothing, array(1.0f), scale))));
    scales = astype(add(astype(exponent, int32), array(127)), uint8);
    scale = power(array(2.0f), exponent);
  }
  const array reduced = where(equal(scale, array(0.0f)), array(0.0f), divide(groups, scale));
  const array codes = f.mode == QuantMode::Mxfp8 ? astype(encode_fp8(reduced), uint32) : encode_fp4(reduced);
  return {pack_codes(join_last(codes, 2), f), squeeze(scales, -1)};
}

}  // namespace

QuantFormat quant_format(std::string_view op, const std::string& mode, std::optional<int> group_size,
                         std::optional<int> bits, const StreamOrDevice& s) {
  struct Row {
    std::string_view name;
    QuantFormat usual;
  };
  static const Row rows[] = {{"affine", {QuantMode::Affine, 64, 4}},
                             {"mxfp4", {QuantMode::Mxfp4, 32, 4}},
                             {"mxfp8", {QuantMode::Mxfp8, 32, 8}},
                             {"nvfp4", {QuantMode::Nvfp4, 16, 4}}};
  const auto* row = std::find_if(std::begin(rows), std::end(rows), [&](const Row& r) { return r.name == mode; });
  if (row == std::end(rows))
    fail(std::string(op) + ": there is no mode '" + mode + "'", "use 'affine', 'mxfp4', 'mxfp8' or 'nvfp4'", s);
  QuantFormat f = row->usual;
  f.cpu = (s.is_default() ? default_device() : s.stream().device).type == Device::cpu;
  f.group = group_size.value_or(f.group);
  f.bits = bits.value_or(f.bits);
  const auto refuse = [&](std::string_view what, int n, const std::string& have) {
    fail(std::string(op) + ": mode '" + mode + "' has no " + std::string(what) + " " + std::to_string(n), "use " + have,
         s);
  };
  if (f.mode == QuantMode::Affine) {
    if (f.group != 32 && f.group != 64 && f.group != 128) refuse("group size", f.group, "32, 64 or 128");
    if (f.bits < 1 || f.bits > 8 || f.bits == 7) refuse("number of bits", f.bits, "1, 2, 3, 4, 5, 6 or 8");
  } else {
    if (f.group != row->usual.group) refuse("group size", f.group, std::to_string(row->usual.group));
    if (f.bits != row->usual.bits) refuse("number of bits", f.bits, std::to_string(row->usual.bits));
  }
  return f;
}

array unpack_codes(const array& packed, const QuantFormat& f) {
  if (f.cpu && f.bits == 8) return astype(split_last(view(packed, uint8), {1, f.group}), uint32);
  if (f.cpu && !is_power(f.bits)) return codes_across_words(packed, f);
  const int codes = codes_in_unit(f.bits), units = f.group / codes;
  const Dtype t = unit_type(f.bits);
  array unit = packed;
  if (is_power(f.bits)) {
    unit = split_last(packed, {units, 1});
  } else {
    const int bytes = bytes_in_unit(f.bits);
    const array apart = split_last(view(packed, uint8), {units, bytes});
    const int axis = static_cast<int>(apart.ndim()) - 1;
    for (int i = 0; i < bytes; ++i) {
      const array byte = left_shift(astype(take_range(apart, axis, i, i + 1, {}), t), array(8 * i, t));
      unit = i == 0 ? byte : bitwise_or(unit, byte);
    }
  }
  return astype(bitwise_and(right_shift(unit, steps(codes, f.bits, t)), array((1 << f.bits) - 1, t)), uint32);
}

array pack_codes(const array& codes, const QuantFormat& f) {
  const int count = codes_in_unit(f.bits);
  const Dtype t = unit_type(f.bits);
  const array apart = left_shift(astype(split_last(codes, {count}), t), steps(count, f.bits, t));
  if (is_power(f.bits)) return sum(apart, -1);
  const array unit = sum(apart, -1, true);
  const int bytes = bytes_in_unit(f.bits);
  const array all = bitwise_and(right_shift(unit, steps(bytes, 8, t)), array(255, t));
  return view(join_last(astype(all, uint8), 2), uint32);
}

array decode_codes(const array& codes, const QuantFormat& f) {
  if (f.mode == QuantMode::Affine) return astype(codes, float32);
  if (f.mode != QuantMode::Mxfp8) return decode_fp4(codes);
  return f.cpu ? decode_fp8_by_half(codes) : decode_fp8(codes);
}

array decode_scales(const array& scales, const std::optional<array>& global_scale, const QuantFormat& f) {
  if (f.mode == QuantMode::Affine) return astype(scales, float32);
  const array scale = f.mode != QuantMode::Nvfp4 ? decode_exponent(scales)
                      : f.cpu                    ? decode_fp8_by_half(scales)
                                                 : decode_fp8(scales);
  return global_scale ? multiply(scale, global_factor(*global_scale)) : scale;
}

array dequantised(const array& packed, const array& scales, const std::optional<array>& biases,
                  const std::optional<array>& global_scale, const QuantFormat& f) {
  const auto of_groups = [](const array& a) { return expand_dims(a, {-1, -2}); };
  const bool floats = f.cpu && f.mode != QuantMode::Affine;
  const array numbers = !floats                      ? decode_codes(unpack_codes(packed, f), f)
                        : f.mode == QuantMode::Mxfp8 ? numbers_of_bytes(packed, f)
                                                     : numbers_of_words(packed, f);
  // Scales first: a kernel that converts them is then in front of that of the numbers, which can read its result.
  const array scaled = multiply(of_groups(decode_scales(scales, global_scale, f)), numbers);
  return biases ? add(scaled, of_groups(astype(*biases, float32))) : scaled;
}

std::vector<array> quantised(const array& w, const std::optional<array>& global_scale, const QuantFormat& f) {
  return f.mode == QuantMode::Affine ? quantise_affine(w, f) : quantise_float(w, global_scale, f);
}

array encode_fp8(const array& x) {
  const array bits = view(astype(x, float32), uint32),
              sign = right_shift(bitwise_and(bits, word(0x80000000)), word(24));
  const array magnitude = view(bitwise_and(bits, word(0x7fffffff)), float32);
  // NaN compares false and becomes the largest number.
  const array held = where(less(magnitude, array(kLargestFp8)), magnitude, array(kLargestFp8));
  const array held_bits = view(held, uint32);
  const array odd = bitwise_and(right_shift(held_bits, word(20)), word(1));
  const array normal = subtract(right_shift(add(held_bits, add(odd, word(0x7ffff))), word(20)), word((127 - 7) << 3));
  const array small = astype(round(multiply(held, array(0x1p9f))), uint32);
  return astype(bitwise_or(where(less(held, array(0x1p-6f)), small, normal), sign), uint8);
}

array decode_fp8(const array& codes) {
  const array bits = astype(codes, uint32), low = bitwise_and(bits, word(0x7f));
  const array exponent = right_shift(low, word(3)), digits = bitwise_and(low, word(7));
  const array is_small = equal(exponent, word(0));
  // The magnitude times 2^9 is an integer.
  const array scaled =
      where(is_small, digits, left_shift(add(digits, word(8)), where(is_small, word(0), subtract(exponent, word(1)))));
  const array magnitude = where(equal(low, word(0x7f)), array(std::numeric_limits<float>::quiet_NaN()),
                                multiply(astype(scaled, float32), array(0x1p-9f)));
  return where(equal(bitwise_and(bits, word(0x80)), word(0)), magnitude, negative(magnitude));
}

}  // namespace frit::detail
