// Printing of arrays: array([[1, 2],\n       [3, 4]], dtype=int32). Axes of more than six elements show the first and
// last three.
#include <cmath>
#include <iomanip>
#include <ostream>

#include "frontend/core/node.h"
#include "frontend/frit/array.h"
#include "frontend/frit/utils.h"

namespace frit {

namespace {

template <class T>
void print_number(std::ostream& os, T value, int precision) {
  if (precision < 0) {
    os << value;
    return;
  }
  const std::ios_base::fmtflags flags = os.flags();
  const std::streamsize digits = os.precision();
  os << std::fixed << std::setprecision(precision) << value;
  os.flags(flags);
  os.precision(digits);
}

}  // namespace

void set_printoptions(PrintOptions options) { get_global_formatter().format_options = options; }

PrintFormatter& get_global_formatter() {
  static PrintFormatter formatter;
  return formatter;
}

void PrintFormatter::print(std::ostream& os, bool value) {
  os << (capitalize_bool ? (value ? "True" : "False") : (value ? "true" : "false"));
}
void PrintFormatter::print(std::ostream& os, int16_t value) { os << value; }
void PrintFormatter::print(std::ostream& os, uint16_t value) { os << value; }
void PrintFormatter::print(std::ostream& os, int32_t value) { os << value; }
void PrintFormatter::print(std::ostream& os, uint32_t value) { os << value; }
void PrintFormatter::print(std::ostream& os, int64_t value) { os << value; }
void PrintFormatter::print(std::ostream& os, uint64_t value) { os << value; }
void PrintFormatter::print(std::ostream& os, float16_t value) { print(os, static_cast<float>(value)); }
void PrintFormatter::print(std::ostream& os, bfloat16_t value) { print(os, static_cast<float>(value)); }
void PrintFormatter::print(std::ostream& os, float value) { print_number(os, value, format_options.precision); }
void PrintFormatter::print(std::ostream& os, double value) { print_number(os, value, format_options.precision); }
void PrintFormatter::print(std::ostream& os, complex64_t value) {
  print(os, value.real());
  // A minus zero imaginary part prints as +0, a NaN with a plus.
  const bool plus = value.imag() >= 0 || std::isnan(value.imag());
  os << (plus ? '+' : '-');
  print(os, plus ? value.imag() : -value.imag());
  os << 'j';
}

namespace {

constexpr int64_t kEdge = 3;

template <class T>
void print_element(std::ostream& os, const std::byte* at) {
  T value;
  std::copy_n(at, sizeof(T), reinterpret_cast<std::byte*>(&value));
  if constexpr (std::is_integral_v<T> && sizeof(T) == 1 && !std::is_same_v<T, bool>)
    get_global_formatter().print(os, static_cast<int32_t>(value));
  else
    get_global_formatter().print(os, value);
}

using PrintElement = void (*)(std::ostream&, const std::byte*);

PrintElement element_printer(Dtype dtype) {
  switch (dtype.val()) {
    case Dtype::Val::bool_: return print_element<bool>;
    case Dtype::Val::uint8: return print_element<uint8_t>;
    case Dtype::Val::uint16: return print_element<uint16_t>;
    case Dtype::Val::uint32: return print_element<uint32_t>;
    case Dtype::Val::uint64: return print_element<uint64_t>;
    case Dtype::Val::int8: return print_element<int8_t>;
    case Dtype::Val::int16: return print_element<int16_t>;
    case Dtype::Val::int32: return print_element<int32_t>;
    case Dtype::Val::int64: return print_element<int64_t>;
    case Dtype::Val::float16: return print_element<float16_t>;
    case Dtype::Val::float32: return print_element<float>;
    case Dtype::Val::float64: return print_element<double>;
    case Dtype::Val::bfloat16: return print_element<bfloat16_t>;
    case Dtype::Val::complex64: return print_element<complex64_t>;
  }
  return nullptr;
}

void print_axis(std::ostream& os, const runtime::Tensor& t, PrintElement print, int64_t offset, size_t axis) {
  const int64_t n = t.shape[axis];
  const bool innermost = axis + 1 == t.shape.size();
  os << '[';
  for (int64_t i = 0; i < n; ++i) {
    if (i > 0) {
      os << (innermost ? ", " : ",\n");
      if (!innermost) os << std::string(7 + axis, ' ');
    }
    if (i == kEdge && n > 2 * kEdge) {
      os << "...";
      i = n - kEdge - 1;
      continue;
    }
    const int64_t at = offset + i * t.strides[axis];
    if (innermost)
      print(os, detail::data_of(t) + (at - t.offset) * t.dtype.size());
    else
      print_axis(os, t, print, at, axis + 1);
  }
  os << ']';
}

}  // namespace

std::ostream& operator<<(std::ostream& os, const complex64_t& value) {
  PrintFormatter().print(os, value);
  return os;
}

std::ostream& operator<<(std::ostream& os, const array& a) {
  a.eval();
  const runtime::Tensor& t = detail::known(*detail::node_of(a)).value();
  PrintElement print = element_printer(a.dtype());
  os << "array(";
  if (t.shape.empty())
    print(os, detail::data_of(t));
  else
    print_axis(os, t, print, t.offset, 0);
  return os << ", dtype=" << a.dtype() << ')';
}

}  // namespace frit
