// Operators of the array, also with numbers on either side and in place.
#include "frontend/python/functions/families.h"

namespace frit::python {

namespace {

[[noreturn]] void refuse(const char* name, const Value&) {
  throw InvalidArgument(
      std::string(last_part(name)) + ": an array and an object that is no array and no number cannot be combined",
      "convert it with frit.core.array first");
}

struct Forms {
  const char *plain, *reflected, *in_place;
};

array apply(Binary f, const char* name, const array& a, const Value& b, bool reflected) {
  const StreamOrDevice s{std::source_location{}};
  if (const array* other = b.existing()) return reflected ? f(*other, a, s) : f(a, *other, s);
  if (b.is_other()) refuse(name, b);
  const array other = b.get(a.dtype());
  return reflected ? f(other, a, s) : f(a, other, s);
}

void def_operator(ArrayClass& c, Forms names, Binary f) {
  def(
      c, names.plain, [f, n = names.plain](const array& a, const Value& b) { return apply(f, n, a, b, false); },
      "other"_a);
  if (names.reflected)
    def(
        c, names.reflected, [f, n = names.plain](const array& a, const Value& b) { return apply(f, n, a, b, true); },
        "other"_a);
  if (names.in_place)
    // The Python object keeps its identity and holds the new value.
    def(
        c, names.in_place,
        [f, n = names.plain](nb::handle self, const Value& b) {
          array& a = own_array(self);
          if (f == static_cast<Binary>(&divide) && !issubdtype(a.dtype(), inexact))
            throw InvalidArgument(
                "__itruediv__: an array of " + std::string(long_name(a.dtype())) + " does not hold quotients",
                "write a = a / b, or use //=");
          a = apply(f, n, a, b, false);
          return nb::borrow(self);
        },
        "other"_a);
}

void def_comparison(ArrayClass& c, const char* name, Binary f, std::optional<bool> otherwise) {
  def(
      c, name,
      [f, name, otherwise](const array& a, const Value& b) -> nb::object {
        if (b.is_other() && otherwise) return nb::bool_(*otherwise);
        return nb::cast(apply(f, name, a, b, false));
      },
      "other"_a);
}

}  // namespace

void bind_operators(ArrayClass& c) {
  def_operator(c, {"array.__add__", "array.__radd__", "array.__iadd__"}, &add);
  def_operator(c, {"array.__sub__", "array.__rsub__", "array.__isub__"}, &subtract);
  def_operator(c, {"array.__mul__", "array.__rmul__", "array.__imul__"}, &multiply);
  def_operator(c, {"array.__truediv__", "array.__rtruediv__", "array.__itruediv__"}, &divide);
  def_operator(c, {"array.__div__", "array.__rdiv__", nullptr}, &divide);
  def_operator(c, {"array.__floordiv__", "array.__rfloordiv__", "array.__ifloordiv__"}, &floor_divide);
  def_operator(c, {"array.__mod__", "array.__rmod__", "array.__imod__"}, &remainder);
  def_operator(c, {"array.__pow__", "array.__rpow__", "array.__ipow__"}, &power);
  def_operator(c, {"array.__and__", nullptr, "array.__iand__"}, &bitwise_and);
  def_operator(c, {"array.__or__", nullptr, "array.__ior__"}, &bitwise_or);
  def_operator(c, {"array.__xor__", nullptr, "array.__ixor__"}, &bitwise_xor);
  def_operator(c, {"array.__lshift__", nullptr, "array.__ilshift__"}, &left_shift);
  def_operator(c, {"array.__rshift__", nullptr, "array.__irshift__"}, &right_shift);
  def_comparison(c, "array.__eq__", &equal, false);
  def_comparison(c, "array.__ne__", &not_equal, true);
  def_comparison(c, "array.__lt__", &less, std::nullopt);
  def_comparison(c, "array.__le__", &less_equal, std::nullopt);
  def_comparison(c, "array.__gt__", &greater, std::nullopt);
  def_comparison(c, "array.__ge__", &greater_equal, std::nullopt);
  def(c, "array.__matmul__", [](const array& a, const array& b) { return matmul(a, b); }, "other"_a);
  def(
      c, "array.__imatmul__",
      [](nb::handle self, const array& b) {
        array& a = own_array(self);
        a = matmul(a, b);
        return nb::borrow(self);
      },
      "other"_a);
  def(c, "array.__neg__", [](const array& a) { return negative(a); });
  def(c, "array.__pos__", [](const array& a) { return a; });
  def(c, "array.__abs__", [](const array& a) { return abs(a); });
  def(c, "array.__invert__", [](const array& a) { return bitwise_invert(a); });
}

}  // namespace frit::python
