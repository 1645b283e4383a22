// Prints the traces, optimised graphs and programs of a few functions. The text must not depend on the compiler that
// built this program, although compilers evaluate the arguments of a call in different orders.
#include <frit/frit.h>

#include <iostream>

using namespace frit;

namespace {

template <class F, class... Arrays>
void show(const char* name, F f, const Arrays&... arguments) {
  auto seen = compile(f).lower(arguments...);
  std::cout << "// " << name << "\n" << seen.ir << seen.optimised << seen.kernels << "\n";
}

}  // namespace

int main() {
  array a({1.0f, 2.0f, 3.0f, 4.0f}, {2, 2});
  array b({5.0f, 6.0f}, {2});
  show("two calls as arguments", [](array x, array y) { return multiply(exp(x), sin(y)); }, a, a);
  show("nested", [](array x, array y) { return add(maximum(exp(x), abs(y)), divide(tanh(x), cosh(y))); }, a, b);
  show("constants", [](array x) { return where(greater(x, array(0.5f)), x * 1.702f, array(2.0f) - x); }, a);
  show("operators", [](array x, array y) { return (x + y) * (x - y) / (exp(x) + exp(y)); }, a, a);
  show(
      "reductions", [](array x) { return divide(exp(x - max(x, -1, true)), sum(exp(x - max(x, -1, true)), -1, true)); },
      a);
  show("matrix products", [](array x, array y) { return matmul(tanh(x), transpose(x)) + y; }, a, b);
  show(
      "several results",
      [](array x, array y) { return std::vector<array>{concatenate({negative(x), square(y)}, 0), erf(x), log1p(y)}; },
      a, a);
}
