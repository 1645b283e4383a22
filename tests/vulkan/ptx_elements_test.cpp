// Elementwise kernels as PTX, with a driver that only claims to take it: each text is run on the CPU (ptx_text.h), in
// its trial and in some of the workgroups of a launch. Whatever the driver does, results are right.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "frontend/frit/frit.h"
#include "tests/vulkan/ptx_driver.h"
#include "tests/vulkan/ptx_text.h"

namespace frit {
namespace {

using ptx_driver::Launch;
using ptx_driver::Mode;
using ptx_driver::state;
using ptx_driver::told;

constexpr uint32_t kEach = 8;     // elements of a thread
constexpr int kEnough = 3 << 20;  // elements of a launch, from which PTX stands in where it saves one instruction
constexpr uint32_t kFirst = 3;    // workgroups at the begin of a launch that are run, and the last one

int wide = 0;  // launches behind the trials

ptx_text::Kernel& kernel_of(const Launch& l) {
  static std::map<std::string, ptx_text::Kernel> all;
  return all.try_emplace(l.kernel->text, l.kernel->text).first->second;
}

void compute(const Launch& l) {
  wide += l.groups > 1;
  for (uint32_t group = 0; group < l.groups; ++group)
    if (group < kFirst || group + 1 == l.groups) kernel_of(l).run(l.arguments, group, l.threads);
}

// Whether a launch gave element `i` of `count`.
bool is_run(size_t i, size_t count) {
  constexpr size_t kGroup = 256 * kEach;
  return i / kGroup < kFirst || i / kGroup == (count - 1) / kGroup;
}

using Function = array (*)(const array& x, const array& y);

array number(double v, Dtype t) { return astype(array(static_cast<float>(v)), t); }

array gelu(const array& x, const array&) {
  const Dtype t = x.dtype();
  return x * number(0.5, t) * (erf(x / number(std::sqrt(2.0), t)) + number(1, t));
}
array silu_of_sum(const array& x, const array& y) {
  const array z = x + y;
  return z * sigmoid(z) - x;
}
array quotients(const array& x, const array& y) {
  return x / (abs(y) + number(1, x.dtype())) / (y * y + number(2, x.dtype()));
}
array extremes(const array& x, const array& y) {
  return maximum(minimum(x, y) * number(3, x.dtype()), y - x) + floor(x) - round(y);
}
array choices(const array& x, const array& y) { return where(greater(x, y), x + y, tanh(x) * y) * exp(-y * y); }
array roots(const array& x, const array& y) { return sqrt(x * x + y) + log(y * y + number(1, x.dtype())); }

class PtxElements : public ptx_driver::PtxTest {
 protected:
  static void SetUpTestSuite() {
    ptx_driver::install();
    state().compute = &compute;
  }
  void SetUp() override {
    PtxTest::SetUp();
    wide = 0;
  }

  // Numbers with every kind of value among them.
  static array draw(const Shape& shape, Dtype t, unsigned seed) {
    size_t count = 1;
    for (const int n : shape) count *= static_cast<size_t>(n);
    std::vector<float> all(count);
    uint32_t h = seed;
    for (float& v : all) {
      h = h * 1664525u + 1013904223u;
      v = static_cast<float>(static_cast<int>(h >> 16 & 0x3fff) - 8192) / 1024;
    }
    const float kinds[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1e-30f, 3e38f, -65504.0f};
    const size_t some = std::min(count, std::size(kinds)), first = std::min<size_t>(100, count - some);
    std::copy(kinds, kinds + some, all.begin() + static_cast<std::ptrdiff_t>(first));
    array x = astype(array(all.begin(), shape, float32), t);
    x.eval();
    synchronize();
    return x;
  }

  static std::vector<float> values(const array& x) {
    array wide = astype(x, float32);
    wide.eval();
    synchronize();
    return {wide.data<float>(), wide.data<float>() + wide.size()};
  }

  // Elements that were run, beside those of the CPU: at most `most` of a thousand differ, by a last digit of 16 bits.
  static void expect_right(Function f, const array& x, const array& y, int most) {
    auto compiled = compile([f](array a, array b) { return f(a, b); });
    array got = compiled(x, y);
    got.eval();
    synchronize();
    const std::vector<float> result = values(got);
    set_default_device(Device::cpu);
    const std::vector<float> right = values(compile([f](array a, array b) { return f(a, b); })(x, y));
    set_default_device(Device::gpu);
    size_t differ = 0, seen = 0;
    ASSERT_EQ(result.size(), right.size());
    for (size_t i = 0; i < right.size(); ++i) {
      if (!is_run(i, right.size())) continue;
      ++seen;
      if (result[i] == right[i] || (std::isnan(result[i]) && std::isnan(right[i]))) continue;
      ++differ;
      EXPECT_NEAR(result[i], right[i], std::fabs(right[i]) / 64) << "element " << i;
    }
    EXPECT_LE(differ * 1000, seen * static_cast<size_t>(most));
  }
};

TEST_F(PtxElements, EveryOperationIsWhatTheProcessorComputes) {
  const Shape shape{kEnough / 1024, 1024};
  for (const Function f : {gelu, silu_of_sum, quotients, extremes, choices, roots}) {
    state().launches = wide = 0;
    expect_right(f, draw(shape, bfloat16, 1), draw(shape, bfloat16, 2), 20);
    EXPECT_EQ(state().launches, 2) << "a trial, and the launch";
    EXPECT_EQ(wide, 1);
  }
  EXPECT_TRUE(state().notices.empty());
}

TEST_F(PtxElements, RowsShareNumbersAndLastElementsAreAlone) {
  const int rows = kEnough / 1000 + 1;
  expect_right(silu_of_sum, draw({rows, 1000}, bfloat16, 3), draw({1000}, bfloat16, 4), 20);
  EXPECT_EQ(wide, 1);
  expect_right(silu_of_sum, draw({rows, 1000}, bfloat16, 5), draw({rows, 1}, bfloat16, 6), 20);
  EXPECT_EQ(wide, 2);
  expect_right(gelu, draw({kEnough + 13}, bfloat16, 7), draw({kEnough + 13}, bfloat16, 8), 20);
  EXPECT_EQ(wide, 3);
  // Few elements are left to the shader, and so are rows of less than a thread's.
  expect_right(gelu, draw({4096}, bfloat16, 11), draw({4096}, bfloat16, 12), 20);
  expect_right(silu_of_sum, draw({kEnough / 7 + 1, 7}, bfloat16, 9), draw({7}, bfloat16, 10), 20);
  EXPECT_EQ(wide, 3);
  EXPECT_TRUE(state().notices.empty());
}

TEST_F(PtxElements, RowsMayBeginAnywhere) {
  unsigned seed = 100;
  int expected = 0;
  for (const int columns : {9, 14, 428, 1001})
    for (const Dtype t : {bfloat16, float16})
      for (const Dtype of_row : {t, Dtype(float32)}) {
        const auto f = [](const array& x, const array& y) {
          return astype(gelu(astype(astype(x, float32) + astype(y, float32), x.dtype()), x) * sigmoid(x), x.dtype());
        };
        const int rows = kEnough / columns + 1;
        for (const Shape& shape : {Shape{columns}, Shape{rows, 1}}) {
          const array x = draw({rows, columns}, t, ++seed);
          expect_right(f, x, draw(shape, of_row, ++seed), 20);
          // Beside f32 in memory, quotients are divisions, and f16 is rounded by shaders as quickly.
          expected += t == bfloat16 || of_row == t;
        }
      }
  EXPECT_EQ(wide, expected);
  EXPECT_TRUE(state().notices.empty());
}

// FRIT_BLESS=1 writes the text anew.
TEST_F(PtxElements, TheTextOfARow) {
  const std::string path = std::string(FRIT_TEST_SOURCE) + "/vulkan/golden/elements.ptx";
  const Function f = [](const array& x, const array& y) { return tanh(x + y) * x; };
  expect_right(f, draw({kEnough / 1000 + 1, 1000}, bfloat16, 17), draw({1000}, bfloat16, 18), 20);
  ASSERT_EQ(wide, 1);
  const std::string text = state().kernels.back().text;
  if (const char* bless = std::getenv("FRIT_BLESS"); bless && std::string(bless) == "1") std::ofstream(path) << text;
  std::ostringstream kept;
  kept << std::ifstream(path).rdbuf();
  EXPECT_EQ(kept.str(), text);
}

TEST_F(PtxElements, SizesMayBeOpen) {
  auto f =
      compile([](array x, array y) { return silu_of_sum(x, y); }, CompileOptions{.name = "open", .shapeless = true});
  for (const auto& [rows, columns, launched] : {std::tuple{2100, 1000, true}, {2100, 1001, false}, {3, 64, false}}) {
    wide = 0;
    const array x = draw({rows, columns}, bfloat16, 13), y = draw({columns}, bfloat16, 14);
    const std::vector<float> result = values(f(x, y));
    set_default_device(Device::cpu);
    const std::vector<float> right = values(silu_of_sum(x, y));
    set_default_device(Device::gpu);
    EXPECT_EQ(wide, launched);
    for (size_t i = 0; i < 6000 && i < right.size(); ++i)
      if (std::isfinite(right[i])) {
        EXPECT_NEAR(result[i], right[i], std::fabs(right[i]) / 32 + 1e-3f);
      }
  }
}

TEST_F(PtxElements, TextsThatAreRefusedOrWrongLeaveTheShader) {
  const array x = draw({kEnough}, bfloat16, 15), y = draw({kEnough}, bfloat16, 16);
  state().mode = Mode::DoesNothing;
  expect_right([](const array& a, const array& b) { return gelu(a + b * number(0.5, a.dtype()), b); }, x, y, 20);
  EXPECT_EQ(state().launches, 1) << "a trial";
  EXPECT_TRUE(told("gave wrong numbers"));
  state().mode = Mode::Refuses;
  state().notices.clear();
  expect_right([](const array& a, const array& b) { return gelu(a - b * number(0.5, a.dtype()), b); }, x, y, 20);
  EXPECT_EQ(state().launches, 1);
  EXPECT_TRUE(told("cannot take the ptx"));
}

// The last of the file: no trial follows one that lost the device.
TEST_F(PtxElements, ATrialThatLosesTheDeviceLeavesTheShader) {
  const array x = draw({kEnough}, bfloat16, 17), y = draw({kEnough}, bfloat16, 18);
  const auto f = [](const array& a, const array& b) { return gelu(a * b + number(0.25, a.dtype()), b); };
  state().mode = Mode::LosesDevice;
  EXPECT_THROW(expect_right(f, x, y, 20), std::exception);
  EXPECT_EQ(state().launches, 1);
  EXPECT_TRUE(told("the shader takes the place of"));
  EXPECT_TRUE(told("failed: "));
  state().mode = Mode::Computes;
  state().launches = 0;
  expect_right(f, draw({kEnough}, bfloat16, 17), draw({kEnough}, bfloat16, 18), 20);
  EXPECT_EQ(state().launches, 0);
}

}  // namespace
}  // namespace frit
