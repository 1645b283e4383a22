// Traces, compiles and runs a function with the installed frit.
#include <frit/frit.h>

#include <cmath>
#include <iostream>

int main() {
  frit::array x({0.0f, 1.0f, 2.0f, 3.0f}, {2, 2});
  auto f = frit::compile([](frit::array a, frit::array b) { return frit::exp(-a) + b; });
  frit::array compiled = f(x, frit::array(1.0f));
  frit::array eager = frit::exp(-x) + frit::array(1.0f);
  compiled.eval();
  eager.eval();
  for (int i = 0; i < 4; ++i) {
    float want = std::exp(-static_cast<float>(i)) + 1.0f;
    float got = compiled.data<float>()[i];
    if (got != eager.data<float>()[i] || std::abs(got - want) > 1e-6f) {
      std::cerr << "element " << i << " is " << got << ", not " << want << "\n";
      return 1;
    }
  }
  try {
    frit::add(frit::zeros({2, 3}), frit::zeros({4}));
    std::cerr << "shapes that do not fit were accepted\n";
    return 1;
  } catch (const frit::Error&) {
  }
  std::cout << compiled << "\n";
}
