#include "work.h"

#include <cmath>

namespace bench {

using namespace frit;

array numbers(const Shape& shape, unsigned seed, float scale, Dtype dtype) {
  size_t n = 1;
  for (int d : shape) n *= static_cast<size_t>(d);
  std::vector<float> data(n);
  for (size_t i = 0; i < n; ++i) {
    const uint32_t bits = (static_cast<uint32_t>(i) + seed * 7919u) * 2654435761u;
    data[i] = (static_cast<float>(bits & 0xffffffu) * (2.0f / (1u << 24)) - 1.0f) * scale;
  }
  array x = astype(array(data.data(), shape), dtype);
  eval(x);
  return x;
}

namespace {

constexpr int kSide = 4096;
constexpr size_t kSquare = size_t{kSide} * kSide * sizeof(float);

array gelu(const array& x) { return x * (1 + erf(x / std::sqrt(2.0f))) / 2; }
array gelu_tanh(const array& x) { return 0.5f * x * (1 + tanh(0.7978845608f * (x + 0.044715f * x * x * x))); }
array silu(const array& x) { return x * sigmoid(x); }
array chain(const array& x) {
  array y = x;
  for (int i = 0; i < 4; ++i) y = abs(y * 0.9f + x) - maximum(y, x);
  return y;
}
array softmax_rows(const array& x) {
  array e = exp(x - max(x, -1, true));
  return e / sum(e, -1, true);
}
array layer_norm(const array& x) {
  array d = x - mean(x, -1, true);
  return d * rsqrt(mean(d * d, -1, true) + 1e-5f);
}
array rms_norm(const array& x) { return x * rsqrt(mean(x * x, -1, true) + 1e-5f); }
array attention(const array& q, const array& k, const array& v) {
  return matmul(softmax_rows(matmul(q * 0.125f, swapaxes(k, -1, -2))), v);
}

// Elementwise and row-wise work on (4096, 4096): bytes in and out take as long as a copy of half of them.
Work square(std::string area, std::string name, array (*fn)(const array&)) {
  return {std::move(area), std::move(name), [] { return Arrays{numbers({kSide, kSide}, 0, 4)}; }, [=](const Arrays& a) { return fn(a[0]); },
          {Limit::kCopy, kSquare}};
}

Work sum_over(int axis) {
  return {"reductions", "sum_axis" + std::to_string(axis), [] { return Arrays{numbers({256, 512, 512}, 0, 4)}; },
          [=](const Arrays& a) { return sum(a[0], axis); }, {Limit::kRead, size_t{256} * 512 * 512 * sizeof(float)}};
}

Work product(int n, Dtype dtype, const char* suffix) {
  return {"matmul", "matmul_" + std::to_string(n) + suffix,
          [=] { return Arrays{numbers({n, n}, 0, 1, dtype), numbers({n, n}, 1, 1, dtype)}; },
          [](const Arrays& a) { return matmul(a[0], a[1]); }, {Limit::kProduct, 0, n, n, n}};
}

std::vector<Work> make_works() {
  std::vector<Work> all;
  all.push_back({"elementwise", "gelu", [] { return Arrays{numbers({32, 1000, 4096}, 0, 4)}; }, [](const Arrays& a) { return gelu(a[0]); },
                 {Limit::kCopy, size_t{32} * 1000 * 4096 * sizeof(float)}});
  all.push_back(square("elementwise", "gelu_tanh", gelu_tanh));
  all.push_back({"elementwise", "swiglu", [] { return Arrays{numbers({kSide, kSide}, 0, 4), numbers({kSide, kSide}, 1, 4)}; },
                 [](const Arrays& a) { return silu(a[0]) * a[1]; }, {Limit::kCopy, kSquare * 3 / 2}});
  all.push_back(square("elementwise", "silu", silu));
  all.push_back(square("elementwise", "chain_20_ops", chain));
  all.push_back({"elementwise", "transpose_add", [] { return Arrays{numbers({kSide, kSide}, 0, 4), numbers({kSide, kSide}, 1, 4)}; },
                 [](const Arrays& a) { return transpose(a[0]) + a[1]; }, {Limit::kCopy, kSquare * 3 / 2}});
  all.push_back(square("rows", "softmax", softmax_rows));
  all.push_back(square("rows", "layer_norm", layer_norm));
  all.push_back(square("rows", "rms_norm", rms_norm));
  for (int axis = 0; axis < 3; ++axis) all.push_back(sum_over(axis));
  for (int n : {1024, 2048, 4096}) all.push_back(product(n, float32, "_f32"));
  for (int n : {1024, 2048, 4096}) all.push_back(product(n, bfloat16, "_bf16"));
  all.push_back({"matmul", "matmul_bias_gelu",
                 [] { return Arrays{numbers({1024, 4096}, 0, 1), numbers({4096, 1024}, 1, 0.03f), numbers({1024}, 2, 1)}; },
                 [](const Arrays& a) { return gelu(matmul(a[0], a[1]) + a[2]); }, {Limit::kProduct, 0, 1024, 1024, 4096}});
  const Shape heads{1, 16, 512, 64};
  all.push_back({"attention", "attention", [=] { return Arrays{numbers(heads, 0, 1), numbers(heads, 1, 1), numbers(heads, 2, 1)}; },
                 [](const Arrays& a) { return attention(a[0], a[1], a[2]); }, {}});
  return all;
}

}  // namespace

const std::vector<Work>& works() {
  static const std::vector<Work> all = make_works();
  return all;
}

}  // namespace bench
