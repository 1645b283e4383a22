// Writes a function of arrays to head.frit, and its captured arrays to head.safetensors.
#include <frit/frit.h>

#include <cstdio>

using namespace frit;

int main() {
  // Stands for trained weights.
  const array weight = reshape(sin(astype(arange(64 * 10), float32)), {64, 10});
  ArgsFunction head = [&](const Args& in) -> Args { return {softmax(matmul(in[0], weight), -1)}; };
  weight.eval();
  try {
    ExportOptions options;
    options.name = "head";
    options.inputs = {"x"};
    options.outputs = {"probability"};
    options.dims = {{"b", 1, 4096}};
    options.weights = {{"head.weight", weight}};
    export_function("head.frit", head, {ShapeDtype({"b", 64}, float32)}, options);

    const array x = ones({2, 64});
    std::printf("%.6f\n", import_function("head.frit")({x})[0].data<float>()[0]);
  } catch (const Error& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 1;
  }
  return 0;
}
