// The README's first program.
#include <frit/frit.h>

#include <iostream>

using namespace frit;

int main() {
  auto f = compile([](array x, array y) { return exp(-x) + y; });
  array x({0.0f, 1.0f, 2.0f, 3.0f}, {2, 2});
  std::cout << f(x, array(1.0f)) << "\n";
  std::cout << f.lower(x, array(1.0f)).optimised;
}
