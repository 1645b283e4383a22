// The README's first program.
#include <frit/frit.h>

#include <exception>
#include <iostream>

using namespace frit;

int main() try {
  auto f = compile([](array x, array y) { return exp(-x) + y; });
  array x({0.0f, 1.0f, 2.0f, 3.0f}, {2, 2});
  std::cout << f(x, array(1.0f)) << "\n";
  std::cout << f.lower(x, array(1.0f)).optimised;
} catch (const std::exception& e) {
  std::cerr << "error: " << e.what() << "\n";
  return 1;
}
