// A program whose compiled functions are reported: a training step, and a function that is traced three times.
//
// functions FILE.html writes the page of the training step; with FRIT_REPORT, exit writes a page for each function.
#include <frit/frit.h>

#include <cstdio>
#include <exception>

namespace {

using frit::array;

std::vector<array> step(const std::vector<array>& in) {
  const auto loss = [&](const std::vector<array>& p) {
    const array hidden = frit::maximum(frit::matmul(in[2], p[0]), array(0.0f));
    const array error = frit::matmul(hidden, p[1]) - in[3];
    return frit::mean(error * error);
  };
  const std::vector<array> gradients = frit::grad(loss, {0, 1})({in[0], in[1]});
  return {in[0] - array(0.01f) * gradients[0], in[1] - array(0.01f) * gradients[1]};
}

}  // namespace

int main(int argc, char** argv) try {
  frit::CompileOptions options;
  options.name = "train_step";
  auto train = frit::compile(std::function<std::vector<array>(const std::vector<array>&)>(step), options);
  std::vector<array> state{frit::full({64, 128}, 0.01f), frit::full({128, 8}, 0.02f)};
  for (int i = 0; i < 3; ++i) {
    state = train({state[0], state[1], frit::ones({32, 64}), frit::zeros({32, 8})});
    frit::eval(state);
  }
  options.name = "three_shapes";
  auto shapes = frit::compile([](const array& x) { return frit::softmax(frit::exp(x) + x, -1); }, options);
  for (int n : {4, 8, 16}) frit::eval(shapes(frit::ones({n, 32})));
  if (argc > 1) train.report(argv[1]);
  if (argc > 2) shapes.report(argv[2]);
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
