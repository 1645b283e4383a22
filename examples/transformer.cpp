// A stack of transformer blocks, traced once for any batch and length, and written to a file that `frit compile` turns
// into a package.
//
//   example_transformer stack.frit [--layers 12] [--width 64]
//   frit compile stack.frit -o stack.fritpkg
#include <frit/frit.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace frit;

namespace {

constexpr int kHeads = 4;

// Stands for trained weights; the numbers are the same on every machine.
array weight(int rows, int columns, int seed) {
  const array i = astype(arange(rows * columns), float32);
  return reshape(sin(i * array(0.37f + 0.01f * static_cast<float>(seed))) / array(std::sqrt(static_cast<float>(rows))),
                 {rows, columns});
}

array norm(const array& x) {
  const array centred = x - mean(x, std::vector<int>{-1}, true);
  return centred * rsqrt(mean(square(centred), std::vector<int>{-1}, true) + array(1e-5f));
}

array gelu(const array& x) { return x * array(0.5f) * (array(1.0f) + erf(x * array(0.70710678f))); }

struct Block {
  array query, key, value, out, up, down, bias;

  Block(int width, int seed)
      : query(weight(width, width, seed)),
        key(weight(width, width, seed + 1)),
        value(weight(width, width, seed + 2)),
        out(weight(width, width, seed + 3)),
        up(weight(width, 4 * width, seed + 4)),
        down(weight(4 * width, width, seed + 5)),
        bias(reshape(weight(1, 4 * width, seed + 6), {4 * width})) {
    for (array* a : {&query, &key, &value, &out, &up, &down, &bias}) a->eval();
  }

  // [batch, length, width] to [batch, heads, length, width / heads]
  static array heads(const array& x, const array& by) {
    const array y = matmul(x, by);
    return transpose(reshape(y, {x.dim(0), x.dim(1), kHeads, -1}), {0, 2, 1, 3});
  }

  array operator()(const array& x) const {
    const array y = norm(x);
    const array q = heads(y, query), k = heads(y, key), v = heads(y, value);
    const array scores =
        matmul(q, transpose(k, {0, 1, 3, 2})) * array(1.0f / std::sqrt(static_cast<float>(query.shape(0) / kHeads)));
    const array mixed = transpose(matmul(softmax(scores, std::vector<int>{-1}), v), {0, 2, 1, 3});
    const array attended = x + matmul(reshape(mixed, {x.dim(0), x.dim(1), query.shape(0)}), out);
    return attended + matmul(gelu(matmul(norm(attended), up) + bias), down);
  }
};

}  // namespace

int main(int argc, char** argv) {
  const char* file = nullptr;
  int layers = 12, width = 64;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--layers") && i + 1 < argc)
      layers = std::atoi(argv[++i]);
    else if (!std::strcmp(argv[i], "--width") && i + 1 < argc)
      width = std::atoi(argv[++i]);
    else
      file = argv[i];
  }
  if (!file || layers < 1 || width < kHeads || width % kHeads) {
    std::fprintf(stderr, "usage: example_transformer FILE [--layers N] [--width a multiple of %d]\n", kHeads);
    return 2;
  }
  try {
    std::vector<Block> blocks;
    for (int i = 0; i < layers; ++i) blocks.emplace_back(width, 10 * i);
    ExportOptions options;
    options.name = "stack";
    options.inputs = {"tokens"};
    options.outputs = {"hidden"};
    options.dims = {{"batch", 1, 64}, {"length", 1, 4096}};
    const auto stack = [&](const Args& in) -> Args {
      array x = in[0];
      for (const Block& b : blocks) x = b(x);
      return {norm(x)};
    };
    export_function(file, stack, std::vector{ShapeDtype({"batch", "length", width}, float32)}, options);

    const ImportedFunction again = import_function(file);
    const array tokens = reshape(weight(2 * 5, width, 99), {2, 5, width});
    const array difference = max(abs(again({tokens})[0] - stack({tokens})[0]));
    std::printf("%s\nlargest difference of the file's function from the one it was made of: %g\n",
                again.signatures()[0].c_str(), difference.item<float>());
    return difference.item<float>() < 1e-4f ? 0 : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 1;
  }
}
