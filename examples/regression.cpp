// Linear and logistic regression by gradient descent, written as programs for MLX are: in MLX's names alone, so that
// they move over by an include and a namespace. Each step is evaluated eagerly.
#include <frit/frit.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>

namespace mx = frit;

namespace {

constexpr int kFeatures = 100, kExamples = 1000;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The distance between the weights that made the targets and those that descent found.
float linear(int steps, float rate) {
  // The weights to find, and noisy targets that they give.
  mx::array truth = mx::random::normal({kFeatures});
  mx::array x = mx::random::normal({kExamples, kFeatures});
  mx::array y = mx::matmul(x, truth) + 1e-2f * mx::random::normal({kExamples});

  auto loss = [&](mx::array w) { return (0.5f / kExamples) * mx::sum(mx::square(mx::matmul(x, w) - y)); };
  auto gradient = mx::grad(loss);
  mx::array w = 1e-2f * mx::random::normal({kFeatures});
  for (int step = 0; step < steps; ++step) {
    w = w - rate * gradient(w);
    mx::eval(w);
  }
  mx::array distance = mx::sqrt(mx::sum(mx::square(w - truth)));
  std::cout << "linear: loss " << loss(w) << ", distance " << distance << "\n";
  return distance.item<float>();
}

// The part of the examples whose class descent predicts.
float logistic(int steps, float rate) {
  mx::array truth = mx::random::normal({kFeatures});
  mx::array x = mx::random::normal({kExamples, kFeatures});
  mx::array y = mx::matmul(x, truth) > 0;

  auto loss = [&](mx::array w) {
    mx::array logits = mx::matmul(x, w);
    return mx::mean(mx::logaddexp(mx::array(0.0f), logits) - mx::multiply(y, logits));
  };
  auto loss_and_gradient = mx::value_and_grad(loss);
  mx::array w = 1e-2f * mx::random::normal({kFeatures});
  for (int step = 0; step < steps; ++step) {
    auto [value, gradient] = loss_and_gradient(w);
    w = w - mx::array(rate) * gradient;
    mx::eval(w, value);
  }
  mx::array accuracy = mx::mean((mx::matmul(x, w) > 0) == y);
  std::cout << "logistic: loss " << loss(w) << ", accuracy " << accuracy << "\n";
  return accuracy.item<float>();
}

}  // namespace

// regression [STEPS]: 200 by default.
int main(int argc, char** argv) try {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 200;
  mx::random::seed(7);
  const double start = seconds_now();
  const float distance = linear(steps, 0.1f);
  const float accuracy = logistic(steps, 1.0f);
  std::cout << 2 * steps / (seconds_now() - start) << " steps a second\n";
  return distance < 0.05f && accuracy > 0.95f ? 0 : 1;
} catch (const std::exception& e) {
  std::cerr << "error: " << e.what() << "\n";
  return 1;
}
