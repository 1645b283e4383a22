// Operations on arrays as plainly as they can be written: one element after the other, dense, without frit's code but
// for the names of types. Random programs are checked against them.
//
// Numbers are whole and stay so small that every sum and product of them is exact in the array's type: then there is
// one right result, to the bit. Integers wrap. An operation returns nothing where it does not apply or where a number
// would become too large.
#pragma once

#include <frit/frit.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace plain {

using Number = long double;  // 64 bits of mantissa: products of 32-bit integers are exact
using Ints = std::vector<int>;

struct Array {
  frit::Dtype dtype = frit::float32;
  Ints shape;
  std::vector<Number> values;  // in row-major order
};
using Maybe = std::optional<Array>;

int64_t count(const Ints& shape);
bool is_real_float(frit::Dtype t);  // of those that programs use
// The values as the type holds them; nothing when a float would not be exact.
Maybe checked(Array a);

// Calls `fn` with each position, in row-major order.
void each(const Ints& shape, const std::function<void(const Ints&)>& fn);
Number at(const Array& a, const Ints& position);
// The array of this shape whose element at p is that of `a` at source(p).
Array picked(const Array& a, Ints shape, const std::function<Ints(const Ints&)>& source);

Maybe convert(const Array& a, frit::Dtype t);
std::optional<Ints> broadcast_shape(const Ints& a, const Ints& b);
Maybe broadcast(const Array& a, const Ints& shape);
Maybe unary(std::string_view op, const Array& a);
Maybe binary(std::string_view op, const Array& a, const Array& b);
Maybe select(const Array& condition, const Array& x, const Array& y);
Maybe reduce(std::string_view op, const Array& a, const Ints& axes, bool keepdims);
Maybe arg_extreme(bool largest, const Array& a, int axis, bool keepdims);
Maybe matmul(const Array& a, const Array& b);
Maybe reshape(const Array& a, const Ints& shape);
Maybe transpose(const Array& a, const Ints& axes);
Maybe slice(const Array& a, const Ints& start, const Ints& stop, const Ints& strides);
Maybe concatenate(const std::vector<Array>& arrays, int axis);
Maybe stack(const std::vector<Array>& arrays, int axis);
Maybe pad(const Array& a, int axis, int low, int high, Number value, std::string_view mode);
Maybe repeat(const Array& a, int times, int axis);
Maybe tile(const Array& a, const Ints& times);
Maybe flip(const Array& a, int axis);
Maybe triangle(const Array& a, int k, bool lower);

}  // namespace plain
