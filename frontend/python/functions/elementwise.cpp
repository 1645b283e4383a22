// Elementwise functions of one and of two arrays.
#include "frontend/python/functions/families.h"

namespace frit::python {

namespace {

// The stream may be given by position, and the operands by name.
void def_named(nb::module_& m, const char* name, Binary f) {
  def(
      m, name,
      [f](const Value& a, const Value& b, StreamOrDevice s) {
        const Operands x(a, b);
        return f(x.a(), x.b(), s);
      },
      "a"_a, "b"_a, FRIT_STREAM);
}
// The operands are truth values, so that a number has its own type.
void def_logical(nb::module_& m, const char* name, Binary f) {
  def(
      m, name, [f](const Value& a, const Value& b, StreamOrDevice s) { return f(a.get(), b.get(), s); }, positional(),
      positional(), nb::kw_only(), FRIT_STREAM);
}
void def_positional(nb::module_& m, const char* name, Binary f) {
  def(
      m, name,
      [f](const Value& a, const Value& b, StreamOrDevice s) {
        const Operands x(a, b);
        return f(x.a(), x.b(), s);
      },
      positional(), positional(), nb::kw_only(), FRIT_STREAM);
}

void bind_binary(nb::module_& m) {
  const std::pair<const char*, Binary> named[] = {{"add", &add},
                                                  {"bitwise_and", &of_bits<&bitwise_and>},
                                                  {"bitwise_or", &of_bits<&bitwise_or>},
                                                  {"bitwise_xor", &of_bits<&bitwise_xor>},
                                                  {"divide", &divide},
                                                  {"equal", &equal},
                                                  {"floor_divide", &floor_divide},
                                                  {"greater", &greater},
                                                  {"greater_equal", &greater_equal},
                                                  {"left_shift", &of_bits<&left_shift>},
                                                  {"bitwise_left_shift", &of_bits<&left_shift>},
                                                  {"less", &less},
                                                  {"less_equal", &less_equal},
                                                  {"multiply", &multiply},
                                                  {"not_equal", &not_equal},
                                                  {"remainder", &remainder},
                                                  {"right_shift", &of_bits<&right_shift>},
                                                  {"bitwise_right_shift", &of_bits<&right_shift>},
                                                  {"subtract", &subtract}};
  for (auto [name, f] : named) def_named(m, name, f);
  const std::pair<const char*, Binary> positional_only[] = {
      {"arctan2", &arctan2}, {"atan2", &arctan2},   {"logaddexp", &logaddexp},
      {"maximum", &maximum}, {"minimum", &minimum}, {"power", &power},
      {"pow", &power}};
  for (auto [name, f] : positional_only) def_positional(m, name, f);
  def_logical(m, "logical_and", &logical_and);
  def_logical(m, "logical_or", &logical_or);
  def_logical(m, "logical_xor", &logical_xor);
  def(
      m, "divmod",
      [](const Value& a, const Value& b, StreamOrDevice s) {
        const Operands x(a, b);
        return divmod(x.a(), x.b(), s);
      },
      "a"_a, "b"_a, FRIT_STREAM);
}

}  // namespace

void bind_elementwise(nb::module_& m) {
  const std::pair<const char*, Unary> unary[] = {
      {"abs", &abs},           {"arccos", &arccos},   {"acos", &arccos},   {"arccosh", &arccosh},
      {"acosh", &arccosh},     {"arcsin", &arcsin},   {"asin", &arcsin},   {"arcsinh", &arcsinh},
      {"asinh", &arcsinh},     {"arctan", &arctan},   {"atan", &arctan},   {"arctanh", &arctanh},
      {"atanh", &arctanh},     {"ceil", &ceil},       {"cos", &cos},       {"cosh", &cosh},
      {"degrees", &degrees},   {"erf", &erf},         {"erfinv", &erfinv}, {"exp", &exp},
      {"expm1", &expm1},       {"floor", &floor},     {"imag", &imag},     {"log", &log},
      {"log10", &log10},       {"log1p", &log1p},     {"log2", &log2},     {"logical_not", &logical_not},
      {"negative", &negative}, {"radians", &radians}, {"real", &real},     {"reciprocal", &reciprocal},
      {"rsqrt", &rsqrt},       {"sigmoid", &sigmoid}, {"sign", &sign},     {"sin", &sin},
      {"sinh", &sinh},         {"sqrt", &sqrt},       {"square", &square}, {"tan", &tan},
      {"tanh", &tanh}};
  for (auto [name, f] : unary) def_unary(m, name, f);
  // These take arrays alone.
  const std::pair<const char*, Unary> of_arrays[] = {
      {"positive", &positive}, {"stop_gradient", &stop_gradient}, {"trunc", &trunc}};
  for (auto [name, f] : of_arrays)
    def(m, name, [f](const array& a, StreamOrDevice s) { return f(a, s); }, positional(), nb::kw_only(), FRIT_STREAM);
  // These take the operand by name; those of the second group the stream by position too.
  for (const char* name : {"conj", "conjugate"})
    def(
        m, name, [](const Value& a, StreamOrDevice s) { return conjugate(a.get(), s); }, "a"_a, nb::kw_only(),
        FRIT_STREAM);
  const std::pair<const char*, Unary> tests[] = {{"bitwise_invert", &bitwise_invert},
                                                 {"isfinite", &isfinite},
                                                 {"isinf", &isinf},
                                                 {"isnan", &isnan},
                                                 {"isneginf", &isneginf},
                                                 {"isposinf", &isposinf}};
  for (auto [name, f] : tests)
    def(m, name, [f](const Value& a, StreamOrDevice s) { return f(a.get(), s); }, "a"_a, FRIT_STREAM);

  bind_binary(m);
}

}  // namespace frit::python
