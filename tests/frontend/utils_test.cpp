// Printing options, facts about devices, and small helpers.
#include <cmath>
#include <complex>
#include <sstream>
#include <thread>

#include "helpers.h"

using namespace frit;

TEST(Utils, PrintOptions) {
  const array a({1.23456789f, 20000.5f});
  EXPECT_EQ(printed(a), "array([1.23457, 20000.5], dtype=float32)");
  set_printoptions({.precision = 3});
  EXPECT_EQ(printed(a), "array([1.235, 20000.500], dtype=float32)");
  EXPECT_EQ(printed(array({complex64_t(1, -2.25f)})), "array([1.000-2.250j], dtype=complex64)");
  set_printoptions({});
  get_global_formatter().capitalize_bool = true;
  EXPECT_EQ(printed(array({true})), "array([True], dtype=bool)");
  get_global_formatter().capitalize_bool = false;
  EXPECT_EQ(printed(array({1, -2}, int8)), "array([1, -2], dtype=int8)");
}

TEST(Utils, ShapesAndNumbersInStreams) {
  std::ostringstream os;
  os << Shape{2, 3} << Shape{} << Strides{-1} << complex64_t(1, -2) << complex64_t(0.5f, 0) << Dtype(float32)
     << std::vector<array>{array(1), array(2.5f)};
  EXPECT_EQ(os.str(), "(2,3)()(-1)1-2j0.5+0jfloat32(array(1, dtype=int32),array(2.5, dtype=float32))");
}

TEST(Utils, ComplexNumbers) {
  EXPECT_EQ(complex64_t(3, 4) % complex64_t(2, 3), complex64_t(1, 1));
  EXPECT_EQ(complex64_t(-3.5f, 4) % complex64_t(2, -3), complex64_t(0.5f, -2));
  EXPECT_EQ(complex64_t(5, 0) % complex64_t(3, 1), complex64_t(2, 0));
  EXPECT_TRUE(isnan(complex64_t(0, NAN)) && isnan(complex64_t(NAN, 0)) && isnan(NAN));
  EXPECT_FALSE(isnan(complex64_t(1, INFINITY)) || isnan(1.0f) || isnan(float16_t(2.0f)));
  EXPECT_TRUE(can_convert_to_complex64<int> && can_convert_to_complex128<float>);
  EXPECT_FALSE(can_convert_to_complex64<complex64_t>);
  const complex128_t z(std::complex<double>(3, 4));
  EXPECT_EQ(static_cast<float>(z), 3.0f);
  EXPECT_EQ(z * 2.0, std::complex<double>(6, 8));
  EXPECT_EQ(complex128_t(7).real(), 7.0);
}

TEST(Utils, Numbers) {
  EXPECT_TRUE(is_power_of_2(1) && is_power_of_2(64));
  EXPECT_FALSE(is_power_of_2(0) || is_power_of_2(12) || is_power_of_2(-4));
  EXPECT_EQ(next_power_of_2(0), 0);
  EXPECT_EQ(next_power_of_2(1), 1);
  EXPECT_EQ(next_power_of_2(17), 32);
  EXPECT_EQ(next_power_of_2(32), 32);
  EXPECT_EQ(safe_cast(int64_t{7}), 7);
  EXPECT_THROW(safe_cast(int64_t{1} << 31, "reshape"), std::overflow_error);
  EXPECT_THROW(safe_cast(-(int64_t{1} << 40)), std::overflow_error);
  EXPECT_EQ(std::string(version()).find_first_not_of("0123456789."), std::string::npos);
}

TEST(Utils, Devices) {
  EXPECT_FALSE(std::get<std::string>(device_info(Device::cpu).at("device_name")).empty());
  EXPECT_GT(std::get<size_t>(device_info(Device::cpu).at("memory_size")), 0u);
  EXPECT_TRUE(metal::device_info().empty());
  EXPECT_TRUE(cu::device_info().empty());
  EXPECT_TRUE(gpu::device_info(1000).empty());
  EXPECT_EQ(set_wired_limit(1), 0u);
  EXPECT_EQ(new_thread_unsafe_stream(Device::cpu).device, Device(Device::cpu));
}

TEST(Utils, Threads) {
  EXPECT_TRUE(is_main_thread());
  bool main = true;
  std::thread([&] { main = is_main_thread(); }).join();
  EXPECT_FALSE(main);
}

TEST(Utils, DependsComputesTheDependencies) {
  const array before = exp(ones({3})), a = ones({2}) + 1;
  const std::vector<array> out = depends({a}, {before});
  eval(out);
  EXPECT_EQ(values<float>(out[0]), (std::vector<float>{2, 2}));
  EXPECT_TRUE(before.is_available());
}
