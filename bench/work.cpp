// The measured work: graphs, inputs and limits by name.
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
Arrays product_of(const Arrays& a) { return {matmul(a[0], a[1])}; }

// One step of training gelu(x w1 + b1) w2 + b2 on cross entropy by gradient descent, its gradients written out: from
// (x, targets, w1, b1, w2, b2) to the loss and the new weights.
constexpr int kBatch = 256, kIn = 1024, kHidden = 4096;
constexpr float kRate = 10;

Arrays train_mlp(const Arrays& a) {
  const array &x = a[0], &targets = a[1], &w1 = a[2], &b1 = a[3], &w2 = a[4], &b2 = a[5];
  const array z = matmul(x, w1) + b1;
  const array phi = (1 + erf(z / std::sqrt(2.0f))) / 2;
  const array h = z * phi;
  const array logits = matmul(h, w2) + b2;
  const array top = max(logits, -1, true);
  const array e = exp(logits - top);
  const array total = sum(e, -1, true);
  const array loss = mean(log(total) + top - sum(logits * targets, -1, true));
  const array d_logits = (e / total - targets) / static_cast<float>(kBatch);
  const array d_z = matmul(d_logits, transpose(w2)) * (phi + z * exp(z * z * -0.5f) * 0.3989422804f);
  return {loss, w1 - kRate * matmul(transpose(x), d_z), b1 - kRate * sum(d_z, 0),
          w2 - kRate * matmul(transpose(h), d_logits), b2 - kRate * sum(d_logits, 0)};
}

// Its five products, each on the result of the one before.
Arrays products_of_mlp(const Arrays& a) {
  const array &x = a[0], &w1 = a[2], &w2 = a[4];
  const array h = matmul(x, w1), logits = matmul(h, w2), d_h = matmul(logits, transpose(w2));
  return {matmul(transpose(x), d_h), matmul(transpose(h), logits)};
}

Arrays inputs_of_mlp() {
  const array columns = arange(kIn, float32), labels = reshape(arange(kBatch, float32) * 3, {kBatch, 1});
  Arrays all{numbers({kBatch, kIn}, 0, 1), astype(columns == labels, float32)};
  all.insert(all.end(), {numbers({kIn, kHidden}, 1, 0.05f), numbers({kHidden}, 2, 0.1f),
                         numbers({kHidden, kIn}, 3, 0.05f), numbers({kIn}, 4, 0.1f)});
  eval(all);
  return all;
}

Limit bare(Arrays (*products)(const Arrays&)) { return {Limit::kBare, 0, 0, 0, 0, products}; }

// Elementwise and row-wise work on (4096, 4096). Its limit is a copy of half of its input and output bytes.
Work square(std::string area, std::string name, array (*fn)(const array&)) {
  return {std::move(area),
          std::move(name),
          [] { return Arrays{numbers({kSide, kSide}, 0, 4)}; },
          [=](const Arrays& a) { return Arrays{fn(a[0])}; },
          {Limit::kCopy, kSquare}};
}

Work sum_over(int axis) {
  return {"reductions",
          "sum_axis" + std::to_string(axis),
          [] { return Arrays{numbers({256, 512, 512}, 0, 4)}; },
          [=](const Arrays& a) { return Arrays{sum(a[0], axis)}; },
          {Limit::kRead, size_t{256} * 512 * 512 * sizeof(float)}};
}

Work product(int n, Dtype dtype, const char* suffix) {
  return {"matmul",
          "matmul_" + std::to_string(n) + suffix,
          [=] { return Arrays{numbers({n, n}, 0, 1, dtype), numbers({n, n}, 1, 1, dtype)}; },
          product_of,
          {Limit::kProduct, 0, n, n, n}};
}

// One routine on float32 numbers of this shape, beside a copy of as many bytes.
Work routine(const char* name, Shape shape, array (*graph)(const array&)) {
  size_t bytes = sizeof(float);
  for (const auto n : shape) bytes *= static_cast<size_t>(n);
  return {"routines",
          name,
          [=] { return Arrays{numbers(shape, 0, 4)}; },
          [=](const Arrays& a) { return Arrays{graph(a[0])}; },
          {Limit::kCopy, bytes}};
}

void add_routines(std::vector<Work>& all) {
  const Shape one{1 << 24}, rows{4096, 4096};
  all.push_back(routine("sort_16m", one, [](const array& a) { return sort(a, 0); }));
  all.push_back(routine("sort_rows", rows, [](const array& a) { return sort(a, 1); }));
  all.push_back(routine("sort_columns", rows, [](const array& a) { return sort(a, 0); }));
  all.push_back(routine("argsort_16m", one, [](const array& a) { return argsort(a, 0); }));
  all.push_back(routine("argsort_rows", rows, [](const array& a) { return argsort(a, 1); }));
  all.push_back(routine("topk_50", {1024, 50257}, [](const array& a) { return topk(a, 50, 1); }));
  all.push_back(routine("fft_1m", {2, 1 << 20}, [](const array& a) {
    const array halves = reshape(a, {1 << 20, 2});
    return fft::fft(reshape(view(halves, complex64), {1 << 20}));
  }));
  all.push_back(routine("rfft_rows", rows, [](const array& a) { return fft::rfft(a); }));
}

std::vector<Work> make_works() {
  std::vector<Work> all;
  all.push_back({"elementwise",
                 "gelu",
                 [] { return Arrays{numbers({32, 1000, 4096}, 0, 4)}; },
                 [](const Arrays& a) { return Arrays{gelu(a[0])}; },
                 {Limit::kCopy, size_t{32} * 1000 * 4096 * sizeof(float)}});
  all.push_back(square("elementwise", "gelu_tanh", gelu_tanh));
  all.push_back({"elementwise",
                 "swiglu",
                 [] { return Arrays{numbers({kSide, kSide}, 0, 4), numbers({kSide, kSide}, 1, 4)}; },
                 [](const Arrays& a) { return Arrays{silu(a[0]) * a[1]}; },
                 {Limit::kCopy, kSquare * 3 / 2}});
  all.push_back(square("elementwise", "silu", silu));
  all.push_back(square("elementwise", "chain_20_ops", chain));
  all.push_back({"elementwise",
                 "transpose_add",
                 [] { return Arrays{numbers({kSide, kSide}, 0, 4), numbers({kSide, kSide}, 1, 4)}; },
                 [](const Arrays& a) { return Arrays{transpose(a[0]) + a[1]}; },
                 {Limit::kCopy, kSquare * 3 / 2}});
  all.push_back(square("rows", "softmax", softmax_rows));
  all.push_back(square("rows", "layer_norm", layer_norm));
  all.push_back(square("rows", "rms_norm", rms_norm));
  for (int axis = 0; axis < 3; ++axis) all.push_back(sum_over(axis));
  for (int n : {1024, 2048, 4096}) all.push_back(product(n, float32, "_f32"));
  for (int n : {1024, 2048, 4096}) all.push_back(product(n, bfloat16, "_bf16"));
  all.push_back(
      {"matmul", "matmul_bias_gelu",
       [] { return Arrays{numbers({1024, 4096}, 0, 1), numbers({4096, 1024}, 1, 0.03f), numbers({1024}, 2, 1)}; },
       [](const Arrays& a) { return Arrays{gelu(matmul(a[0], a[1]) + a[2])}; }, bare(product_of)});
  const Shape heads{1, 16, 512, 64};
  all.push_back({"attention",
                 "attention",
                 [=] { return Arrays{numbers(heads, 0, 1), numbers(heads, 1, 1), numbers(heads, 2, 1)}; },
                 [](const Arrays& a) { return Arrays{attention(a[0], a[1], a[2])}; },
                 {}});
  add_routines(all);
  all.push_back({"training", "mlp_step", inputs_of_mlp, train_mlp, bare(products_of_mlp)});
  return all;
}

}  // namespace

const std::vector<Work>& works() {
  static const std::vector<Work> all = make_works();
  return all;
}

}  // namespace bench
