// The plain operations.
#include "plain.h"

#include <algorithm>
#include <cmath>

namespace plain {

int64_t count(const Ints& shape) {
  int64_t n = 1;
  for (int d : shape) n *= d;
  return n;
}

bool is_real_float(frit::Dtype t) { return t == frit::float32 || t == frit::float16 || t == frit::bfloat16; }

namespace {

constexpr int64_t kMostElements = 4000;
// Sums and products of such numbers are exact in a Number.
constexpr Number kMostInt64 = Number{1} * (int64_t{1} << 31);

Number largest(frit::Dtype t) { return t == frit::float32 ? 1 << 22 : t == frit::float16 ? 1024 : 128; }

Number wrap(Number v, frit::Dtype t) {
  const auto bits = static_cast<uint64_t>(static_cast<__int128>(v));
  if (t == frit::bool_) return v != 0;
  if (t == frit::uint8) return static_cast<uint8_t>(bits);
  if (t == frit::int8) return static_cast<int8_t>(bits);
  if (t == frit::int16) return static_cast<int16_t>(bits);
  if (t == frit::uint32) return static_cast<uint32_t>(bits);
  if (t == frit::int64) return static_cast<int64_t>(bits);
  return static_cast<int32_t>(bits);
}

Array like(frit::Dtype t, Ints shape) {
  const auto n = static_cast<size_t>(count(shape));
  return {t, std::move(shape), std::vector<Number>(n)};
}

size_t place(const Ints& shape, const Ints& position) {
  size_t at = 0;
  for (size_t i = 0; i < shape.size(); ++i) at = at * static_cast<size_t>(shape[i]) + static_cast<size_t>(position[i]);
  return at;
}

}  // namespace

Maybe checked(Array a) {
  if (count(a.shape) > kMostElements || a.shape.size() > 5) return std::nullopt;
  for (Number& v : a.values) {
    if (a.dtype == frit::int64 && std::fabs(v) > kMostInt64) return std::nullopt;
    if (!is_real_float(a.dtype))
      v = wrap(v, a.dtype);
    else if (std::fabs(v) > largest(a.dtype))
      return std::nullopt;
    // There is one zero among whole numbers.
    v += 0.0L;
  }
  return a;
}

void each(const Ints& shape, const std::function<void(const Ints&)>& fn) {
  if (count(shape) == 0) return;
  Ints position(shape.size(), 0);
  for (;;) {
    fn(position);
    size_t axis = shape.size();
    while (axis > 0 && ++position[axis - 1] == shape[axis - 1]) position[--axis] = 0;
    if (axis == 0) return;
  }
}

Number at(const Array& a, const Ints& position) { return a.values[place(a.shape, position)]; }

Array picked(const Array& a, Ints shape, const std::function<Ints(const Ints&)>& source) {
  Array out = like(a.dtype, std::move(shape));
  size_t i = 0;
  each(out.shape, [&](const Ints& p) { out.values[i++] = at(a, source(p)); });
  return out;
}

Maybe convert(const Array& a, frit::Dtype t) {
  Array out = a;
  out.dtype = t;
  // Other tests cover floats out of the range of an integer type.
  if (is_real_float(a.dtype) && !is_real_float(t) && t != frit::bool_)
    for (Number v : a.values)
      if (wrap(v, t) != v) return std::nullopt;
  return checked(out);
}

std::optional<Ints> broadcast_shape(const Ints& a, const Ints& b) {
  Ints out(std::max(a.size(), b.size()), 1);
  for (size_t i = 0; i < out.size(); ++i) {
    const int x = i < a.size() ? a[a.size() - 1 - i] : 1, y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) return std::nullopt;
    out[out.size() - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

Maybe broadcast(const Array& a, const Ints& shape) {
  if (shape.size() < a.shape.size()) return std::nullopt;
  const size_t lead = shape.size() - a.shape.size();
  for (size_t i = 0; i < a.shape.size(); ++i)
    if (a.shape[i] != 1 && a.shape[i] != shape[lead + i]) return std::nullopt;
  if (count(shape) > kMostElements) return std::nullopt;
  return checked(picked(a, shape, [&](const Ints& p) {
    Ints q(a.shape.size());
    for (size_t i = 0; i < q.size(); ++i) q[i] = a.shape[i] == 1 ? 0 : p[lead + i];
    return q;
  }));
}

Maybe unary(std::string_view op, const Array& a) {
  Array out = a;
  if (op == "logical_not") out.dtype = frit::bool_;
  const bool is_unsigned = a.dtype == frit::bool_ || a.dtype == frit::uint8 || a.dtype == frit::uint32;
  if (op == "negative" && is_unsigned) return std::nullopt;
  for (Number& v : out.values) {
    if (op == "negative") v = -v;
    if (op == "abs") v = std::fabs(v);
    if (op == "square") v = v * v;
    if (op == "logical_not") v = v == 0;
    if (op == "sign") v = v > 0 ? 1 : v < 0 ? -1 : 0;
  }
  if (a.dtype == frit::bool_ && (op == "square" || op == "sign" || op == "abs")) return std::nullopt;
  // The least integer has no absolute value.
  if (op == "abs" && !is_real_float(a.dtype))
    for (Number v : out.values)
      if (wrap(v, a.dtype) != v) return std::nullopt;
  return checked(std::move(out));
}

Maybe binary(std::string_view op, const Array& a, const Array& b) {
  const frit::Dtype type = frit::promote_types(a.dtype, b.dtype);
  const auto shape = broadcast_shape(a.shape, b.shape);
  if (!shape) return std::nullopt;
  auto x = convert(a, type), y = convert(b, type);
  if (!x || !y) return std::nullopt;
  x = broadcast(*x, *shape), y = broadcast(*y, *shape);
  if (!x || !y) return std::nullopt;
  const bool truth = op == "less" || op == "equal" || op == "greater_equal" || op == "logical_and" ||
                     op == "logical_or" || op == "not_equal";
  if (type == frit::bool_ && !truth) return std::nullopt;
  Array out = like(truth ? frit::bool_ : type, *shape);
  for (size_t i = 0; i < out.values.size(); ++i) {
    const Number p = x->values[i], q = y->values[i];
    out.values[i] = op == "add"             ? p + q
                    : op == "subtract"      ? p - q
                    : op == "multiply"      ? p * q
                    : op == "maximum"       ? std::max(p, q)
                    : op == "minimum"       ? std::min(p, q)
                    : op == "less"          ? p < q
                    : op == "equal"         ? p == q
                    : op == "not_equal"     ? p != q
                    : op == "greater_equal" ? p >= q
                    : op == "logical_and"   ? (p != 0 && q != 0)
                                            : (p != 0 || q != 0);
  }
  return checked(std::move(out));
}

Maybe select(const Array& condition, const Array& x, const Array& y) {
  const auto values = broadcast_shape(x.shape, y.shape);
  const auto shape = values ? broadcast_shape(condition.shape, *values) : std::nullopt;
  if (!shape) return std::nullopt;
  const frit::Dtype type = frit::promote_types(x.dtype, y.dtype);
  auto c = broadcast(condition, *shape);
  auto p = convert(x, type), q = convert(y, type);
  if (!c || !p || !q) return std::nullopt;
  p = broadcast(*p, *shape), q = broadcast(*q, *shape);
  if (!p || !q) return std::nullopt;
  for (size_t i = 0; i < p->values.size(); ++i)
    if (c->values[i] == 0) p->values[i] = q->values[i];
  return checked(*p);
}

namespace {

// The shape of a reduction, and where a position's element goes.
Ints reduced_shape(const Ints& shape, const Ints& axes, bool keepdims) {
  Ints out;
  for (size_t i = 0; i < shape.size(); ++i) {
    const bool gone = std::find(axes.begin(), axes.end(), static_cast<int>(i)) != axes.end();
    if (gone && keepdims) out.push_back(1);
    if (!gone) out.push_back(shape[i]);
  }
  return out;
}

}  // namespace

Maybe reduce(std::string_view op, const Array& a, const Ints& axes, bool keepdims) {
  frit::Dtype type = a.dtype;
  const bool truth = op == "any" || op == "all", extreme = op == "max" || op == "min";
  if (truth) type = frit::bool_;
  if ((op == "sum" || op == "prod") && !axes.empty()) {
    if (type == frit::bool_ || type == frit::int8 || type == frit::int16) type = frit::int32;
    if (type == frit::uint8) type = frit::uint32;
  }
  if (extreme)
    for (int axis : axes)
      if (a.shape[static_cast<size_t>(axis)] == 0) return std::nullopt;
  Array out = like(type, reduced_shape(a.shape, axes, true));
  std::vector<Number> magnitude(out.values.size(), op == "prod" ? 1 : 0);
  for (Number& v : out.values) v = op == "prod" || op == "all" ? 1 : 0;
  std::vector<bool> begun(out.values.size(), false);
  each(a.shape, [&](const Ints& p) {
    Ints q = p;
    for (int axis : axes) q[static_cast<size_t>(axis)] = 0;
    const size_t i = place(out.shape, q);
    const Number v = at(a, p);
    Number& to = out.values[i];
    if (op == "sum") to += v;
    if (op == "prod") to = is_real_float(type) ? to * v : wrap(to * v, type);
    if (op == "any") to = to != 0 || v != 0;
    if (op == "all") to = to != 0 && v != 0;
    if (op == "max") to = begun[i] ? std::max(to, v) : v;
    if (op == "min") to = begun[i] ? std::min(to, v) : v;
    begun[i] = true;
    magnitude[i] = op == "prod" ? magnitude[i] * std::max<Number>(1, std::fabs(v)) : magnitude[i] + std::fabs(v);
  });
  // Every part of a sum or product must be exact, in whatever order it is formed.
  if ((is_real_float(type) || type == frit::int64) && (op == "sum" || op == "prod"))
    for (Number m : magnitude)
      if (m > 1 << 22) return std::nullopt;
  out.shape = reduced_shape(a.shape, axes, keepdims);
  return checked(std::move(out));
}

Maybe arg_extreme(bool largest, const Array& a, int axis, bool keepdims) {
  if (a.values.empty()) return std::nullopt;
  const auto along = static_cast<size_t>(axis);
  Array out = like(frit::uint32, reduced_shape(a.shape, {axis}, true));
  each(out.shape, [&](const Ints& p) {
    int best = 0;
    Ints q = p, r = p;
    for (int i = 1; i < a.shape[along]; ++i) {
      q[along] = i;
      r[along] = best;
      if (largest ? at(a, q) > at(a, r) : at(a, q) < at(a, r)) best = i;
    }
    out.values[place(out.shape, p)] = best;
  });
  out.shape = reduced_shape(a.shape, {axis}, keepdims);
  return checked(std::move(out));
}

Maybe matmul(const Array& a, const Array& b) {
  if (!is_real_float(a.dtype) || a.dtype != b.dtype || a.shape.size() != 2 || b.shape.size() != 2 ||
      a.shape[1] != b.shape[0])
    return std::nullopt;
  Array out = like(a.dtype, {a.shape[0], b.shape[1]});
  for (int i = 0; i < a.shape[0]; ++i)
    for (int j = 0; j < b.shape[1]; ++j) {
      Number sum = 0, magnitude = 0;
      for (int k = 0; k < a.shape[1]; ++k) {
        const Number v = at(a, {i, k}) * at(b, {k, j});
        sum += v;
        magnitude += std::fabs(v);
      }
      if (magnitude > 1 << 22) return std::nullopt;
      out.values[place(out.shape, {i, j})] = sum;
    }
  return checked(std::move(out));
}

Maybe reshape(const Array& a, const Ints& shape) {
  if (count(shape) != count(a.shape)) return std::nullopt;
  Array out = a;
  out.shape = shape;
  return checked(std::move(out));
}

Maybe transpose(const Array& a, const Ints& axes) {
  Ints shape(axes.size());
  for (size_t i = 0; i < axes.size(); ++i) shape[i] = a.shape[static_cast<size_t>(axes[i])];
  return checked(picked(a, shape, [&](const Ints& p) {
    Ints q(p.size());
    for (size_t i = 0; i < axes.size(); ++i) q[static_cast<size_t>(axes[i])] = p[i];
    return q;
  }));
}

Maybe slice(const Array& a, const Ints& start, const Ints& stop, const Ints& strides) {
  Ints first(a.shape.size()), shape(a.shape.size());
  for (size_t i = 0; i < a.shape.size(); ++i) {
    const int n = a.shape[i], step = strides[i];
    int from = start[i] < 0 ? start[i] + n : start[i], to = stop[i] < 0 ? stop[i] + n : stop[i];
    const int low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;
    from = std::clamp(from, low, std::max(low, high));
    to = std::clamp(to, low, std::max(low, high));
    first[i] = from;
    shape[i] = std::max(0, step > 0 ? (to - from + step - 1) / step : (from - to - step - 1) / -step);
  }
  return checked(picked(a, shape, [&](const Ints& p) {
    Ints q(p.size());
    for (size_t i = 0; i < p.size(); ++i) q[i] = first[i] + p[i] * strides[i];
    return q;
  }));
}

Maybe concatenate(const std::vector<Array>& arrays, int axis) {
  const auto along = static_cast<size_t>(axis);
  frit::Dtype type = arrays[0].dtype;
  Ints shape = arrays[0].shape;
  shape[along] = 0;
  for (const Array& a : arrays) {
    type = frit::promote_types(type, a.dtype);
    if (a.shape.size() != shape.size()) return std::nullopt;
    for (size_t i = 0; i < shape.size(); ++i)
      if (i != along && a.shape[i] != shape[i]) return std::nullopt;
    shape[along] += a.shape[along];
  }
  Array out = like(type, shape);
  int from = 0;
  for (const Array& a : arrays) {
    const auto part = convert(a, type);
    if (!part) return std::nullopt;
    each(a.shape, [&](const Ints& p) {
      Ints q = p;
      q[along] += from;
      out.values[place(shape, q)] = at(*part, p);
    });
    from += a.shape[along];
  }
  return checked(std::move(out));
}

Maybe stack(const std::vector<Array>& arrays, int axis) {
  std::vector<Array> parts = arrays;
  for (Array& a : parts) a.shape.insert(a.shape.begin() + axis, 1);
  return concatenate(parts, axis);
}

Maybe pad(const Array& a, int axis, int low, int high, Number value, std::string_view mode) {
  const auto along = static_cast<size_t>(axis);
  const int n = a.shape[along];
  Ints shape = a.shape;
  shape[along] += low + high;
  if (n == 0 && mode != "constant" && mode != "edge") return std::nullopt;
  if (count(shape) > kMostElements) return std::nullopt;
  Array out = like(a.dtype, shape);
  each(shape, [&](const Ints& p) {
    Ints q = p;
    int i = p[along] - low;
    if (i < 0 || i >= n) {
      if (mode == "constant" || n == 0) {
        out.values[place(shape, p)] = n == 0 && mode == "edge" ? 0 : value;
        return;
      }
      if (mode == "edge" || (mode == "reflect" && n == 1)) i = i < 0 ? 0 : n - 1;
      while (i < 0 || i >= n) {
        if (mode == "reflect") i = i < 0 ? -i : 2 * (n - 1) - i;
        if (mode == "symmetric") i = i < 0 ? -1 - i : 2 * n - 1 - i;
      }
    }
    q[along] = i;
    out.values[place(shape, p)] = at(a, q);
  });
  return checked(std::move(out));
}

Maybe repeat(const Array& a, int times, int axis) {
  Ints shape = a.shape;
  shape[static_cast<size_t>(axis)] *= times;
  if (count(shape) > kMostElements) return std::nullopt;
  return checked(picked(a, shape, [&](Ints p) {
    p[static_cast<size_t>(axis)] /= times;
    return p;
  }));
}

Maybe tile(const Array& a, const Ints& times) {
  const size_t rank = std::max(times.size(), a.shape.size());
  Ints t(rank - times.size(), 1), from(rank - a.shape.size(), 1), shape;
  t.insert(t.end(), times.begin(), times.end());
  from.insert(from.end(), a.shape.begin(), a.shape.end());
  for (size_t i = 0; i < rank; ++i) shape.push_back(t[i] * from[i]);
  if (count(shape) > kMostElements) return std::nullopt;
  Array wide = a;
  wide.shape = from;
  return checked(picked(wide, shape, [&](Ints p) {
    for (size_t i = 0; i < rank; ++i) p[i] %= from[i];
    return p;
  }));
}

Maybe flip(const Array& a, int axis) {
  return checked(picked(a, a.shape, [&](Ints p) {
    int& i = p[static_cast<size_t>(axis)];
    i = a.shape[static_cast<size_t>(axis)] - 1 - i;
    return p;
  }));
}

Maybe triangle(const Array& a, int k, bool lower) {
  if (a.shape.size() < 2) return std::nullopt;
  Array out = a;
  size_t i = 0;
  each(a.shape, [&](const Ints& p) {
    const int row = p[p.size() - 2], column = p[p.size() - 1];
    if (lower ? column > row + k : column < row + k) out.values[i] = 0;
    ++i;
  });
  return checked(std::move(out));
}

}  // namespace plain
