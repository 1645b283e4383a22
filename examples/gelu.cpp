// gelu and SwiGLU traced, optimised, fused into one kernel each, and run eagerly and compiled on the same data.
//
//   example_gelu [--rows N] [--device cpu|vulkan]     N x 4096 elements; 32 x 1000 rows by default
#include <frit/frit.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

using namespace frit;

array gelu(array x) { return x * (1 + erf(x / std::sqrt(2.0f))) / 2; }

// GPT-OSS's SwiGLU: the last axis holds a gate half and an up half.
array swiglu(array x) {
  std::vector<array> halves = split(x, 2, -1);
  array gate = minimum(halves[0], array(7.0f));
  array up = clip(halves[1], array(-7.0f), array(7.0f));
  return gate * sigmoid(1.702f * gate) * (up + 1);
}

double gelu_reference(double x) { return x * (1 + std::erf(x / std::sqrt(2.0))) / 2; }

double swiglu_reference(double gate, double up) {
  gate = std::min(gate, 7.0);
  up = std::clamp(up, -7.0, 7.0);
  return gate / (1 + std::exp(-1.702 * gate)) * (up + 1);
}

// The median time of three runs, in milliseconds.
template <class F>
double milliseconds(F&& run) {
  std::vector<double> times;
  for (int i = 0; i < 3; ++i) {
    auto begin = std::chrono::steady_clock::now();
    run();
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  std::sort(times.begin(), times.end());
  return times[1];
}

void parallel_copy(float* to, const float* from, size_t count) {
  size_t threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> pool;
  for (size_t t = 0; t < threads; ++t) {
    size_t begin = count * t / threads, end = count * (t + 1) / threads;
    pool.emplace_back([=] { std::memcpy(to + begin, from + begin, (end - begin) * sizeof(float)); });
  }
  for (std::thread& t : pool) t.join();
}

// The largest error relative to the reference's magnitude, with 1 as the least magnitude, among some two million
// elements: the reference takes longer than all the rest. The odd distance between them meets every column.
template <class Reference>
double largest_error(const array& got, Reference&& reference) {
  const float* p = got.data<float>();
  double worst = 0;
  const size_t step = got.size() / 2000000 | 1;
  for (size_t i = 0; i < got.size(); i += step) {
    double expected = reference(i);
    worst = std::max(worst, std::abs(p[i] - expected) / std::max(1.0, std::abs(expected)));
  }
  return worst;
}

template <class Fn, class Reference>
bool show(const char* name, Fn fn, const array& x, Reference&& reference) {
  auto compiled = compile(fn, CompileOptions{.name = name});
  Inspection forms = compiled.lower(x);
  std::cout << "== " << name << " ==\n-- traced --\n" << forms.ir << "-- optimised --\n" << forms.optimised;

  double eager_error = 0, compiled_error = 0;
  {
    array y = fn(x);
    eval(y);
    eager_error = largest_error(y, reference);
  }
  {
    array y = compiled(x);
    eval(y);
    compiled_error = largest_error(y, reference);
  }
  double eager_ms = milliseconds([&] { eval(fn(x)); });
  double compiled_ms = milliseconds([&] { eval(compiled(x)); });
  // A copy that moves the same number of bytes: half of the bytes read and written.
  array y = compiled(x);
  eval(y);
  size_t count = (x.size() + y.size()) / 2;
  std::vector<float> copy(count);
  parallel_copy(copy.data(), x.data<float>(), std::min(count, x.size()));
  double copy_ms = milliseconds([&] { parallel_copy(copy.data(), x.data<float>(), std::min(count, x.size())); });
  copy_ms *= static_cast<double>(count) / static_cast<double>(std::min(count, x.size()));

  std::printf(
      "eager %.2f ms, compiled %.2f ms: %.1f times faster, in %d kernel%s; %.2f times a parallel copy of the same bytes (%.2f ms)\n",
      eager_ms, compiled_ms, eager_ms / compiled_ms, forms.kernel_count, forms.kernel_count == 1 ? "" : "s",
      compiled_ms / copy_ms, copy_ms);
  std::printf("largest error against float64: eager %.2e, compiled %.2e\n\n", eager_error, compiled_error);
  std::fflush(stdout);
  return eager_error < 1e-6 && compiled_error < 1e-6;
}

int main(int argc, char** argv) try {
  int rows = 32 * 1000;
  bool understood = argc % 2 == 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i], value = argv[i + 1];
    if (option == "--rows")
      rows = std::atoi(value.c_str());
    else if (option == "--device" && value == "vulkan")
      set_default_device(Device::gpu);
    else if (option != "--device" || value != "cpu")
      understood = false;
  }
  if (rows <= 0 || !understood) {
    std::fprintf(stderr, "usage: %s [--rows N] [--device cpu|vulkan]\n", argv[0]);
    return 2;
  }
  Shape shape = rows % 1000 == 0 ? Shape{rows / 1000, 1000, 4096} : Shape{rows, 4096};
  constexpr size_t kRow = 4096;
  std::vector<float> data(static_cast<size_t>(rows) * kRow);
  // A walk over [-8, 8) that does not repeat within a row.
  for (size_t i = 0; i < data.size(); ++i)
    data[i] = static_cast<float>((i * 2654435761u) % (1u << 24)) * (16.0f / (1u << 24)) - 8.0f;
  array x(data.data(), shape);
  eval(x);

  bool ok = show("gelu", gelu, x, [&](size_t i) { return gelu_reference(data[i]); });
  ok &= show("swiglu", swiglu, x, [&](size_t i) {
    size_t row = i / (kRow / 2), column = i % (kRow / 2);
    return swiglu_reference(data[row * kRow + column], data[row * kRow + kRow / 2 + column]);
  });
  if (!ok) std::fprintf(stderr, "a result is further from float64 than float32 should be\n");
  return ok ? 0 : 1;
} catch (const std::exception& e) {
  std::cerr << "error: " << e.what() << "\n";
  return 1;
}
