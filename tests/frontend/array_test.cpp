// Arrays as values: construction, layout, reading, printing.
#include <complex>
#include <list>
#include <numeric>

#include "helpers.h"

using namespace frit;

TEST(Array, ScalarsTakeTheirOwnType) {
  EXPECT_EQ(array(1).dtype(), int32);
  EXPECT_EQ(array(int64_t{1}).dtype(), int64);
  EXPECT_EQ(array(1ll).dtype(), int64);
  EXPECT_EQ(array(uint8_t{1}).dtype(), uint8);
  EXPECT_EQ(array(true).dtype(), bool_);
  EXPECT_EQ(array(1.0f).dtype(), float32);
  EXPECT_EQ(array(1.0).dtype(), float32);
  EXPECT_EQ(array(1.0, float64).dtype(), float64);
  EXPECT_EQ(array(float16_t(1.0f)).dtype(), float16);
  EXPECT_EQ(array(bfloat16_t(1.0f)).dtype(), bfloat16);
  EXPECT_EQ(array(std::complex<float>(1, 2)).dtype(), complex64);
  EXPECT_EQ(array(1).ndim(), 0u);
  EXPECT_EQ(array(1).size(), 1u);
}

TEST(Array, DoublesKeepTheirPrecisionInFloat64) { EXPECT_EQ(array(0.1, float64).item<double>(), 0.1); }

TEST(Array, ListsAndShapes) {
  array a({1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_EQ(a.shape(), (Shape{2, 3}));
  EXPECT_EQ(a.shape(-1), 3);
  EXPECT_EQ(a.ndim(), 2u);
  EXPECT_EQ(a.size(), 6u);
  EXPECT_EQ(a.itemsize(), 4u);
  EXPECT_EQ(a.nbytes(), 24u);
  EXPECT_EQ(a.strides(), (Strides{3, 1}));
  EXPECT_EQ(a.strides(-1), 1);
  EXPECT_TRUE(a.flags().row_contiguous);
  EXPECT_FALSE(a.flags().col_contiguous);
  EXPECT_TRUE(a.flags().contiguous);
  EXPECT_THROW(a.shape(2), std::out_of_range);
  EXPECT_THROW(array({1, 2, 3}, {2, 2}), std::invalid_argument);
  EXPECT_THROW(array({1, 2}, {-1, -2}), std::invalid_argument);
}

TEST(Array, EmptyListsAreFloat32UnlessTold) {
  array a({});
  EXPECT_EQ(a.dtype(), float32);
  EXPECT_EQ(a.shape(), (Shape{0}));
  EXPECT_EQ(array({}, int8).dtype(), int8);
}

TEST(Array, ListsConvertToTheDtypeAskedFor) {
  EXPECT_EQ(values<uint8_t>(array({1, 2, 255}, uint8)), (std::vector<uint8_t>{1, 2, 255}));
  EXPECT_EQ(values<float>(array({1, 2}, float32)), (std::vector<float>{1, 2}));
  EXPECT_EQ(values<double>(array({0.5, 0.1}, float64)), (std::vector<double>{0.5, 0.1}));
}

TEST(Array, Iterators) {
  std::vector<int64_t> v{1, 2, 3, 4};
  array a(v.begin(), {2, 2});
  EXPECT_EQ(a.dtype(), int64);
  EXPECT_EQ(values<int64_t>(a), v);
  std::list<float> l{1.5f, 2.5f};
  EXPECT_EQ(values<float>(array(l.begin(), {2})), (std::vector<float>{1.5f, 2.5f}));
  std::vector<bool> b{true, false, true};
  EXPECT_EQ(array(b.begin(), {3}).dtype(), bool_);
  const float raw[] = {1, 2, 3};
  EXPECT_EQ(values<float>(array(raw, {3})), (std::vector<float>{1, 2, 3}));
}

TEST(Array, RawMemoryIsUsedInPlaceAndGivenBackOnce) {
  int calls = 0;
  auto* memory = new float[4]{1, 2, 3, 4};
  {
    array a(memory, {2, 2}, float32, [&](void* p) {
      ++calls;
      delete[] static_cast<float*>(p);
    });
    EXPECT_EQ(a.data<float>(), memory);
    array b = a;
  }
  EXPECT_EQ(calls, 1);
}

TEST(Array, ItemConverts) {
  EXPECT_EQ(array(7).item<int>(), 7);
  EXPECT_EQ(array(7).item<float>(), 7.0f);
  EXPECT_EQ(array({2.5f}).item<double>(), 2.5);
  EXPECT_EQ(array(std::complex<float>(1, 2)).item<complex64_t>(), complex64_t(1, 2));
  EXPECT_THROW(array({1, 2}).item<int>(), std::invalid_argument);
}

TEST(Array, DataChecksTheElementSize) { EXPECT_THROW(array({1, 2}).data<double>(), InvalidArgument); }

TEST(Array, CopiesAreHandlesOfOneNode) {
  array a({1, 2});
  array b = a;
  EXPECT_EQ(a.id(), b.id());
  EXPECT_TRUE(a.is_available());
  EXPECT_EQ(a.status(), array::available);
}

TEST(Array, Prints) {
  EXPECT_EQ(printed(array(1)), "array(1, dtype=int32)");
  EXPECT_EQ(printed(array({1, 2, 3})), "array([1, 2, 3], dtype=int32)");
  EXPECT_EQ(printed(array({1.5f, 2.0f, 1e10f})), "array([1.5, 2, 1e+10], dtype=float32)");
  EXPECT_EQ(printed(array({true, false})), "array([true, false], dtype=bool)");
  EXPECT_EQ(printed(array({1, 2, 3, 4}, {2, 2})), "array([[1, 2],\n       [3, 4]], dtype=int32)");
  EXPECT_EQ(printed(array({1, 2, 3, 4}, {2, 1, 2})), "array([[[1, 2]],\n       [[3, 4]]], dtype=int32)");
  EXPECT_EQ(printed(array({}, int32)), "array([], dtype=int32)");
  EXPECT_EQ(printed(array({200, 3}, uint8)), "array([200, 3], dtype=uint8)");
  EXPECT_EQ(printed(array(float16_t(0.5f))), "array(0.5, dtype=float16)");
  EXPECT_EQ(printed(array({complex64_t(1, 2), complex64_t(3, -4)})), "array([1+2j, 3-4j], dtype=complex64)");
}

TEST(Array, PrintsLongAxesAbbreviated) {
  std::vector<int> v(7);
  std::iota(v.begin(), v.end(), 0);
  EXPECT_EQ(printed(array(v.begin(), {7})), "array([0, 1, 2, ..., 4, 5, 6], dtype=int32)");
  EXPECT_EQ(printed(array(v.begin(), {6})), "array([0, 1, 2, 3, 4, 5], dtype=int32)");
  std::vector<int> w(14);
  std::iota(w.begin(), w.end(), 0);
  EXPECT_EQ(
      printed(array(w.begin(), {7, 2})),
      "array([[0, 1],\n       [2, 3],\n       [4, 5],\n       ...,\n       [8, 9],\n       [10, 11],\n       [12, 13]], dtype=int32)");
}

TEST(Dtypes, Promotion) {
  EXPECT_EQ(promote_types(int32, float16), float16);
  EXPECT_EQ(promote_types(float16, bfloat16), float32);
  EXPECT_EQ(promote_types(uint64, int8), float32);
  EXPECT_EQ(result_type({array(1), array(true)}), int32);
}

TEST(Devices, OneCpu) {
  EXPECT_EQ(default_device(), Device(Device::cpu));
  EXPECT_THROW(set_default_device(Device(Device::gpu, 7)), std::invalid_argument);
  set_default_device(Device::cpu);
  Stream s = new_stream(Device::cpu);
  EXPECT_NE(s, default_stream(Device::cpu));
  {
    StreamContext scope(s);
    EXPECT_EQ(default_stream(Device::cpu), s);
  }
  EXPECT_NE(default_stream(Device::cpu), s);
  synchronize(s);
  synchronize();
}

TEST(Memory, CountsWhatArraysHold) {
  const size_t before = get_active_memory();
  {
    array a(std::vector<float>(1 << 16, 1.0f).begin(), {1 << 16});
    EXPECT_GE(get_active_memory(), before + (1 << 18));
    EXPECT_GE(get_peak_memory(), get_active_memory());
  }
  EXPECT_EQ(get_active_memory(), before);
  reset_peak_memory();
  EXPECT_LE(get_peak_memory(), before + (1 << 18));
  clear_cache();
  EXPECT_EQ(get_cache_memory(), 0u);
  const size_t limit = set_cache_limit(1 << 20);
  EXPECT_EQ(set_cache_limit(limit), size_t{1} << 20);
}
