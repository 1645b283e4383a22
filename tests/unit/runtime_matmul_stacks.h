// Stacks of matrices in memory of any layout, and products of them by the routine "matmul" against a plain double loop.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>

#include "frit/half.h"
#include "runtime/execute/library.h"
#include "runtime/memory/sizes.h"

namespace frit::runtime {
namespace {

// The routines for products on this CPU, with instructions for pairs of bf16 even where they are slow, on a CPU with
// only AVX2 (which gives the same bits), and on one without a kernel of frit's own.
const char *const kBest = "matmul", *const kPairs = "matmul, pairs";
const char* const kAvx2 = "matmul, AVX2";
const char* const kLibrary = "matmul, OpenBLAS";

LibraryFn matmul(const char* routine = kBest) {
  std::string why;
  LibraryFn fn = find_library(routine, why);
  EXPECT_NE(fn, nullptr) << why;
  return fn;
}

template <class T>
struct TypeOf;
template <>
struct TypeOf<uint8_t> {
  static constexpr Dtype value = uint8;
};
template <>
struct TypeOf<uint16_t> {
  static constexpr Dtype value = uint16;
};
template <>
struct TypeOf<uint32_t> {
  static constexpr Dtype value = uint32;
};
template <>
struct TypeOf<uint64_t> {
  static constexpr Dtype value = uint64;
};
template <>
struct TypeOf<int8_t> {
  static constexpr Dtype value = int8;
};
template <>
struct TypeOf<int16_t> {
  static constexpr Dtype value = int16;
};
template <>
struct TypeOf<int32_t> {
  static constexpr Dtype value = int32;
};
template <>
struct TypeOf<int64_t> {
  static constexpr Dtype value = int64;
};
template <>
struct TypeOf<float16_t> {
  static constexpr Dtype value = float16;
};
template <>
struct TypeOf<bfloat16_t> {
  static constexpr Dtype value = bfloat16;
};
template <>
struct TypeOf<float> {
  static constexpr Dtype value = float32;
};
template <>
struct TypeOf<double> {
  static constexpr Dtype value = float64;
};
template <>
struct TypeOf<complex64_t> {
  static constexpr Dtype value = complex64;
};

// A stack of matrices with a chosen layout: `order` lists the axes from slowest to fastest, `step` is the stride of the
// fastest.
template <class T>
struct Stack {
  std::vector<T> memory;
  Sizes shape, strides;
  int64_t start = 0;

  explicit Stack(Sizes s, std::vector<size_t> order = {}, int64_t step = 1, bool reversed = false)
      : shape(s), strides(s.size()) {
    if (order.empty()) {
      order.resize(s.size());
      std::iota(order.begin(), order.end(), 0);
    }
    int64_t stride = step;
    for (size_t i = order.size(); i-- > 0; stride *= shape[order[i]]) strides[order[i]] = stride;
    memory.resize(static_cast<size_t>(std::max<int64_t>(stride, 1)));
    if (reversed)
      for (size_t i = 0; i < s.size(); ++i) {
        start += strides[i] * (shape[i] - 1);
        strides[i] = -strides[i];
      }
  }
  LibraryTensor tensor() { return {memory.data() + start, TypeOf<T>::value, shape, strides}; }
  T& at(const std::vector<int64_t>& index) {
    int64_t p = start;
    for (size_t i = 0; i < index.size(); ++i) p += index[i] * strides[i];
    return memory[static_cast<size_t>(p)];
  }
  template <class F>
  void each(F f) {
    std::vector<int64_t> index(shape.size());
    int64_t total = 1;
    for (int64_t s : shape) total *= s;
    for (int64_t i = 0; i < total; ++i) {
      int64_t rest = i;
      for (size_t axis = shape.size(); axis-- > 0;) {
        index[axis] = rest % shape[axis];
        rest /= shape[axis];
      }
      f(index, i);
    }
  }
};

// Values depend only on the position, so that one product exists in several layouts.
template <class T>
void fill(Stack<T>& s, uint32_t seed) {
  s.each([&](const auto& index, int64_t i) {
    std::minstd_rand r(seed + static_cast<uint32_t>(i) * 7919u);
    r.discard(3);
    double v = static_cast<double>(r() % 2001) / 1000 - 1;
    if constexpr (std::is_integral_v<T>)
      s.at(index) = static_cast<T>(r());
    else if constexpr (std::is_same_v<T, complex64_t>)
      s.at(index) = {static_cast<float>(v), static_cast<float>(static_cast<double>(r() % 2001) / 1000 - 1)};
    else if constexpr (std::is_same_v<T, double>)
      s.at(index) = v;
    else
      s.at(index) = T(static_cast<float>(v));
  });
}

template <class T>
void expect_product(Stack<T>& a, Stack<T>& b, Stack<T>& c, const std::string& what) {
  size_t rank = c.shape.size();
  int64_t k_size = a.shape[rank - 1];
  c.each([&](std::vector<int64_t> index, int64_t) {
    std::vector<int64_t> ia = index, ib = index;
    if constexpr (std::is_integral_v<T>) {
      uint64_t sum = 0;
      for (int64_t k = 0; k < k_size; ++k) {
        ia[rank - 1] = ib[rank - 2] = k;
        sum += static_cast<uint64_t>(a.at(ia)) * static_cast<uint64_t>(b.at(ib));
      }
      ASSERT_EQ(c.at(index), static_cast<T>(sum)) << what;
    } else {
      using Wide = std::conditional_t<std::is_same_v<T, complex64_t>, std::complex<double>, double>;
      auto wide = [](T v) {
        if constexpr (std::is_same_v<T, float16_t> || std::is_same_v<T, bfloat16_t>)
          return Wide(static_cast<float>(v));
        else
          return Wide(v);
      };
      Wide sum = 0;
      for (int64_t k = 0; k < k_size; ++k) {
        ia[rank - 1] = ib[rank - 2] = k;
        sum += wide(a.at(ia)) * wide(b.at(ib));
      }
      double unit = std::is_same_v<T, double>       ? 1e-15
                    : std::is_same_v<T, float16_t>  ? 6e-4
                    : std::is_same_v<T, bfloat16_t> ? 5e-3
                                                    : 1.2e-7;
      double bound =
          unit * std::abs(sum) + (std::is_same_v<T, double> ? 1e-15 : 1.2e-7) * static_cast<double>(k_size) + 1e-30;
      ASSERT_LE(std::abs(wide(c.at(index)) - sum), bound) << what;
    }
  });
}

template <class T>
void run(Stack<T>& a, Stack<T>& b, Stack<T>& c, std::function<void(int64_t, int64_t)> epilogue = {},
         const char* routine = kBest) {
  LibraryTensor operands[] = {a.tensor(), b.tensor()}, results[] = {c.tensor()};
  Status s = matmul(routine)({operands, results, "{}", std::move(epilogue)});
  ASSERT_TRUE(s.ok()) << s.error().str();
}

template <class T>
std::vector<T> values(Stack<T>& s) {
  std::vector<T> out;
  s.each([&](const auto& index, int64_t) { out.push_back(s.at(index)); });
  return out;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

// Every pair of layouts must give the same bits.
template <class T>
void expect_same_in_every_layout(const char* routine, int64_t m, int64_t n, int64_t k) {
  std::vector<T> first;
  for (int layout = 0; layout < 8; ++layout) {
    std::vector<size_t> plain{0, 1}, turned{1, 0};
    Stack<T> a({m, k}, layout & 1 ? turned : plain, layout == 7 ? 2 : 1, layout == 6);
    Stack<T> b({k, n}, layout & 2 ? turned : plain, layout == 5 ? 3 : 1, layout == 4);
    Stack<T> c({m, n}, layout & 4 ? turned : plain, layout == 3 ? 2 : 1);
    fill(a, 1);
    fill(b, 2);
    run(a, b, c, {}, routine);
    std::string what = std::string(routine) + " " + std::to_string(m) + "x" + std::to_string(k) + "x" +
                       std::to_string(n) + " layout " + std::to_string(layout);
    if (layout == 0) {
      expect_product(a, b, c, what);
      first = values(c);
    }
    ASSERT_TRUE(same_bits(values(c), first)) << what;
  }
}

}  // namespace
}  // namespace frit::runtime
