// Matrix products and the work fused into them, against OpenBLAS's own call on all threads; bf16 products against its
// f32 product.
//
// The library routine alone, without a graph around it, makes the table of docs/matmul.md:
// --benchmark_filter='product|vector'.
//
// product/TYPE/MxNxK/BATCH/ROUTINE: speed in GFLOP/s, and how many times faster than OpenBLAS called directly (f16 and
// bf16: its f32 product), one thread each. vector/TYPE/ROWSxCOLUMNS/SIDE: time over that of reading the matrix, by all
// threads.
#include "areas.h"
#include "runtime/execute/library.h"
#include "runtime/execute/parallel.h"

namespace {

using frit::Dtype;
using frit::runtime::LibraryFn;
using frit::runtime::LibraryTensor;

struct Matrices {
  Dtype dtype = frit::float32;
  std::vector<int64_t> shape, strides;
  bench::Pages pages;

  Matrices(Dtype t, int64_t batch, int64_t rows, int64_t cols)
      : dtype(t),
        shape{batch, rows, cols},
        strides{rows * cols, cols, 1},
        pages(t.size() * static_cast<size_t>(batch * rows * cols)) {
    // Small numbers: the bytes that Pages fills in would be subnormal.
    for (int64_t i = 0; i < batch * rows * cols; ++i) {
      const float v = static_cast<float>(i % 17) / 16 - 0.5f;
      char* at = static_cast<char*>(pages.data()) + i * t.size();
      if (t == frit::float64) *reinterpret_cast<double*>(at) = v;
      if (t == frit::float32) *reinterpret_cast<float*>(at) = v;
      if (t == frit::complex64) *reinterpret_cast<float*>(at) = *reinterpret_cast<float*>(at + 4) = v;
      if (t == frit::float16) *reinterpret_cast<frit::float16_t*>(at) = frit::float16_t(v);
      if (t == frit::bfloat16) *reinterpret_cast<frit::bfloat16_t*>(at) = frit::bfloat16_t(v);
    }
  }
  LibraryTensor tensor() const { return {pages.data(), dtype, shape, strides}; }
};

struct Product {
  Dtype dtype = frit::float32;
  int64_t m, n, k, batch;
  const char* routine = "matmul";
};

LibraryFn routine(const char* name) {
  std::string why;
  LibraryFn fn = frit::runtime::find_library(name, why);
  if (!fn) throw std::runtime_error(why);
  return fn;
}

void call(LibraryFn fn, const Matrices& a, const Matrices& b, const Matrices& c) {
  const LibraryTensor operands[] = {a.tensor(), b.tensor()}, results[] = {c.tensor()};
  if (!fn({operands, results, "{}", {}}).ok()) throw std::runtime_error("matmul failed");
}

// Through the library, one product of the batch after the other.
void library(const Matrices& a, const Matrices& b, const Matrices& c) {
  const int m = static_cast<int>(a.shape[1]), n = static_cast<int>(b.shape[2]), k = static_cast<int>(a.shape[2]);
  const float one[2] = {1, 0}, zero[2] = {0, 0};
  for (int64_t i = 0; i < a.shape[0]; ++i) {
    const auto at = [i](const Matrices& x) {
      return static_cast<char*>(x.pages.data()) + i * x.strides[0] * x.dtype.size();
    };
    const auto plain = CblasNoTrans;
    if (a.dtype == frit::float64) {
      cblas_dgemm(CblasRowMajor, plain, plain, m, n, k, 1, reinterpret_cast<double*>(at(a)), k,
                  reinterpret_cast<double*>(at(b)), n, 0, reinterpret_cast<double*>(at(c)), n);
    } else if (a.dtype == frit::complex64) {
      cblas_cgemm(CblasRowMajor, plain, plain, m, n, k, one, at(a), k, at(b), n, zero, at(c), n);
    } else {
      cblas_sgemm(CblasRowMajor, plain, plain, m, n, k, 1, reinterpret_cast<float*>(at(a)), k,
                  reinterpret_cast<float*>(at(b)), n, 0, reinterpret_cast<float*>(at(c)), n);
    }
  }
}

// Seconds per call, over so many calls that the clock's resolution does not matter.
template <class F>
double per_call(F&& f) {
  const double once = bench::seconds(f);
  const int calls = std::max(1, static_cast<int>(200e-6 / std::max(once, 1e-9)));
  return bench::seconds([&] {
           for (int i = 0; i < calls; ++i) f();
         }) /
         calls;
}

void product(benchmark::State& state, const Product& p) {
  const Dtype of_library = frit::is_low_precision(p.dtype) ? frit::float32 : p.dtype;
  Matrices a(p.dtype, p.batch, p.m, p.k), b(p.dtype, p.batch, p.k, p.n), c(p.dtype, p.batch, p.m, p.n);
  Matrices la(of_library, p.batch, p.m, p.k), lb(of_library, p.batch, p.k, p.n), lc(of_library, p.batch, p.m, p.n);
  const LibraryFn fn = routine(p.routine);
  frit::runtime::set_num_threads(1);
  openblas_set_num_threads(1);
  std::vector<double> own, other;
  for (auto _ : state) {
    own.push_back(per_call([&] { call(fn, a, b, c); }));
    state.SetIterationTime(own.back());
    other.push_back(per_call([&] { library(la, lb, lc); }));
  }
  frit::runtime::set_num_threads(0);
  const double flops = 2e-9 * static_cast<double>(p.batch * p.m * p.n * p.k) * (p.dtype == frit::complex64 ? 4 : 1);
  state.counters["gflops"] = flops / bench::median(own);
  state.counters["best_gflops"] = flops / *std::min_element(own.begin(), own.end());
  state.counters["times_library"] = bench::median(other) / bench::median(own);
}

void vector(benchmark::State& state, Dtype t, int64_t rows, int64_t cols, bool left) {
  Matrices matrix(t, 1, rows, cols), x(t, 1, left ? 1 : cols, left ? rows : 1),
      y(t, 1, left ? 1 : rows, left ? cols : 1);
  const LibraryFn fn = routine("matmul");
  std::vector<double> own, reads;
  for (auto _ : state) {
    own.push_back(per_call([&] { left ? call(fn, x, matrix, y) : call(fn, matrix, x, y); }));
    state.SetIterationTime(own.back());
    reads.push_back(
        per_call([&] { bench::parallel_read(matrix.pages.data(), static_cast<size_t>(rows * cols * t.size())); }));
  }
  state.counters["over_reading"] = bench::median(own) / bench::median(reads);
  state.counters["gigabytes_per_second"] = static_cast<double>(rows * cols * t.size()) / bench::median(own) * 1e-9;
}

void register_all() {
  const auto add = [](const std::string& name, auto fn) {
    benchmark::RegisterBenchmark(name.c_str(), fn)->Unit(benchmark::kMicrosecond)->UseManualTime()->Iterations(25);
  };
  const auto add_product = [&](Product p) {
    add("product/" + std::string(frit::short_name(p.dtype)) + "/" + std::to_string(p.m) + "x" + std::to_string(p.n) +
            "x" + std::to_string(p.k) + "/" + std::to_string(p.batch) + "/" + p.routine,
        [p](benchmark::State& state) { product(state, p); });
  };
  for (const char* name : {"matmul", "matmul, AVX2"})
    for (Dtype t : {frit::float32, frit::float64, frit::complex64, frit::bfloat16, frit::float16})
      for (int64_t n : {8, 16, 32, 64, 128, 256, 512, 1024}) {
        add_product({t, n, n, n, 1, name});
        if (n <= 32) add_product({t, n, n, n, 64, name});
      }
  for (Dtype t : {frit::float32, frit::float64, frit::bfloat16, frit::float16})
    for (bool left : {false, true})
      add("vector/" + std::string(frit::short_name(t)) + "/4096x4096/" + (left ? "x A" : "A x"),
          [=](benchmark::State& state) { vector(state, t, 4096, 4096, left); });
}

}  // namespace

int main(int argc, char** argv) {
  register_all();
  return bench::run_area("matmul", 11, argc, argv);
}
