// Newton's method on Rosenbrock's function: the Hessian is the Jacobian of a gradient, by nested transforms, and the
// whole step is one compiled function.
#include <frit/frit.h>

#include <cmath>
#include <cstdio>
#include <exception>

using namespace frit;

namespace {

using Unary = std::function<array(const array&)>;

// sum(100 (x[i+1] - x[i]^2)^2 + (1 - x[i])^2), which is 0 where every x[i] is 1.
array rosenbrock(const array& x) {
  const int n = x.shape(0);
  const array head = slice(x, {0}, {n - 1}), tail = slice(x, {1}, {n});
  return sum(100.0f * square(tail - square(head)) + square(1.0f - head));
}

// Row i is the derivative of the gradient along the axis i.
Unary hessian(const Unary& f) {
  return [f](const array& x) {
    return vmap(Unary([&](const array& direction) { return jvp(grad(f), x, direction).second; }))(eye(x.shape(0)));
  };
}

}  // namespace

int main() try {
  const auto step = compile([](array x) {
    const array towards = linalg::solve(hessian(rosenbrock)(x), grad(Unary(rosenbrock))(x));
    return std::pair(x - towards, rosenbrock(x));
  });
  array x({-1.2f, 1.0f});
  double value = 0;
  for (int i = 0; i < 8; ++i) {
    const auto [next, at] = step(x);
    value = static_cast<double>(at.item<float>());
    std::printf("step %2d  f = %.6g\n", i, value);
    x = next;
  }
  std::cout << x << "\n";
  return value < 1e-6 ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "error: %s\n", e.what());
  return 1;
}
