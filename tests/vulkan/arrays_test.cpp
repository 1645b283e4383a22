// Arrays on the GPU: the default device, operations and compiled functions on it, and arrays that move between it and
// the CPU.
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>
#include <thread>

#include "frontend/frit/frit.h"

namespace frit {
namespace {

class Arrays : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_available(Device::gpu)) GTEST_SKIP() << "there is no gpu here";
    set_default_device(Device::gpu);
  }
  void TearDown() override { set_default_device(Device::cpu); }
};

std::vector<float> values(const array& a) {
  array dense = contiguous(a);
  dense.eval();
  return {dense.data<float>(), dense.data<float>() + dense.size()};
}

TEST_F(Arrays, EagerOperations) {
  array x = arange(0, 1000, 1, float32);
  array y = exp(negative(x) * array(0.01f)) + sum(x);
  array z = transpose(reshape(y, {10, 100}));
  const std::vector<float> on_gpu = values(z);
  set_default_device(Device::cpu);
  array xc = arange(0, 1000, 1, float32);
  const std::vector<float> on_cpu = values(transpose(reshape(exp(negative(xc) * array(0.01f)) + sum(xc), {10, 100})));
  ASSERT_EQ(on_gpu.size(), on_cpu.size());
  for (size_t i = 0; i < on_cpu.size(); ++i) EXPECT_FLOAT_EQ(on_gpu[i], on_cpu[i]) << i;
}

TEST_F(Arrays, ArraysMoveOnDemand) {
  set_default_device(Device::cpu);
  array a({1.0f, 2.0f, 3.0f});
  array b = multiply(a, a, Device::gpu);
  array c = add(b, a, Device::cpu);
  array d = subtract(c, b, Device::gpu);
  EXPECT_EQ(values(d), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(sum(c).item<float>(), 20);
  std::ostringstream text;
  text << b;
  EXPECT_EQ(text.str(), "array([1, 4, 9], dtype=float32)");
}

TEST_F(Arrays, CompiledFunctions) {
  auto f = [](array x, array y) { return matmul(x, y) + mean(x); };
  array x = arange(0, 12, 1, float32), y = ones({4, 5});
  auto g = compile(f);
  const std::vector<float> eager = values(f(reshape(x, {3, 4}), y)), compiled = values(g(reshape(x, {3, 4}), y));
  EXPECT_EQ(eager, compiled);
  set_default_device(Device::cpu);
  EXPECT_EQ(values(g(reshape(x, {3, 4}), y)), eager);
  auto named = compile(f, CompileOptions{.name = "named", .device = Device::gpu});
  EXPECT_EQ(values(named(reshape(x, {3, 4}), y)), eager);
}

TEST_F(Arrays, AnyShapeIsCompiledOnce) {
  auto f =
      compile([](array x) { return softmax(x, -1) * array(2.0f); }, CompileOptions{.name = "rows", .shapeless = true});
  for (int n : {1, 7, 64, 300}) {
    array x = sin(reshape(arange(0, 3 * n, 1, float32), {3, n}));
    array y = f(x);
    EXPECT_NEAR(sum(y).item<float>(), 6, 1e-4) << n;
  }
  EXPECT_EQ(f.stats().traces, 1u);
  EXPECT_EQ(f.stats().compiles, 1u);
}

TEST_F(Arrays, StreamContextChoosesTheDevice) {
  set_default_device(Device::cpu);
  {
    StreamContext context(Device::gpu);
    EXPECT_EQ(default_device(), Device(Device::gpu));
    EXPECT_EQ(values(ones({3}) + ones({3})), (std::vector<float>{2, 2, 2}));
  }
  EXPECT_EQ(default_device(), Device(Device::cpu));
}

// Work goes to several queues if the device has them. A queue reads results of another, and freed memory moves between
// queues.
TEST_F(Arrays, ThreadsHandEachOtherArrays) {
  constexpr int kThreads = 6, kTurns = 40;
  std::vector<array> made(kThreads, array(0.0f));
  array shared = arange(0, 3000, 1, float32) * array(1.0f);
  auto turn = compile([](array x, array y) { return x * array(0.5f) + y; }, CompileOptions{.name = "turn"});
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      array x = shared + array(static_cast<float>(t));
      for (int i = 0; i < kTurns; ++i) {
        x = turn(x, shared);
        if (i % 10 == t) x.eval();
      }
      async_eval(x);
      made[static_cast<size_t>(t)] = x;
    });
  for (std::thread& t : threads) t.join();
  array sum = made[0];
  for (int t = 1; t < kThreads; ++t) sum = sum + made[static_cast<size_t>(t)];
  const std::vector<float> got = values(sum);
  for (int e = 0; e < 3000; e += 7) {
    float want = 0;
    for (int t = 0; t < kThreads; ++t) {
      float x = static_cast<float>(e) + static_cast<float>(t);
      for (int i = 0; i < kTurns; ++i) x = x * 0.5f + static_cast<float>(e);
      want += x;
    }
    ASSERT_FLOAT_EQ(got[static_cast<size_t>(e)], want) << e;
  }
}

TEST_F(Arrays, WorkIsHandedOverAndWaitedForOnUse) {
  array x = arange(0, 1 << 16, 1, float32) * array(1.0f);
  for (int i = 0; i < 50; ++i) x = x + array(1.0f);
  async_eval(x);
  EXPECT_NE(x.status(), array::unscheduled);
  EXPECT_EQ(max(x).item<float>(), 65535 + 50);
  Stream other = new_stream(Device::gpu);
  array y = x, z = x;
  {
    StreamContext context(other);
    y = x * array(2.0f);
    async_eval(y);
  }
  z = y + x;
  synchronize(other);
  synchronize();
  EXPECT_EQ(min(z).item<float>(), 150);
}

// Memory is reused while the work that used it before still runs.
TEST_F(Arrays, FreedMemoryIsUsedAgainAtOnce) {
  array base = arange(0, 100000, 1, float32) * array(1.0f);
  array sums = zeros({}) + array(0.0f);
  for (int i = 1; i <= 60; ++i) sums = sums + max(base * array(static_cast<float>(i)) - base);
  double want = 0;
  for (int i = 1; i <= 60; ++i) want += 99999.0 * i - 99999.0;
  EXPECT_NEAR(sums.item<float>(), want, want * 1e-6);
}

// A routine without a shader is computed on the CPU, between launches that give its operands and read its results.
TEST_F(Arrays, RoutinesWithoutAShaderRunOnTheCpu) {
  std::vector<std::string> lines;
  set_log("devices", [&](std::string_view line) { lines.emplace_back(line); });
  const auto inverses = [](array x) { return exp(linalg::inv(negative(x)) * array(0.5f)) + linalg::inv(x); };
  const auto matrix = [] { return reshape(sin(arange(0, 400, 1, float32)), {20, 20}) + array(9.0f) * eye(20); };
  auto f = compile(inverses);
  const array x = matrix();
  const std::vector<float> compiled = values(f(x)), again = values(f(x)), eager = values(inverses(x));
  set_log("");
  set_default_device(Device::cpu);
  const std::vector<float> on_cpu = values(inverses(matrix()));
  EXPECT_EQ(compiled, eager);
  EXPECT_EQ(compiled, again);
  ASSERT_EQ(compiled.size(), on_cpu.size());
  for (size_t i = 0; i < on_cpu.size(); ++i) EXPECT_NEAR(compiled[i], on_cpu[i], 1e-5) << i;
  ASSERT_EQ(lines.size(), 1u) << "once for the routine";
  EXPECT_NE(lines[0].find("the cpu computes 'inv' for arrays of "), std::string::npos) << lines[0];
}

// An empty array may have no memory on the device.
TEST_F(Arrays, RoutinesWithoutAShaderTakeEmptyArrays) {
  auto f = compile([](array x) { return linalg::inv(negative(x)) * array(2.0f); }, true);
  for (const int count : {0, 3}) {
    const array x = broadcast_to(eye(4), {count, 4, 4}) + array(0.0f);
    EXPECT_EQ(values(f(x)).size(), static_cast<size_t>(16 * count));
    EXPECT_EQ(values(f(copy(x))).size(), static_cast<size_t>(16 * count));
  }
  EXPECT_EQ(linalg::inv(zeros({3, 0, 0})).size(), 0u);
  EXPECT_EQ(sort(zeros({3, 0}), 1).size(), 0u);
}

}  // namespace
}  // namespace frit
