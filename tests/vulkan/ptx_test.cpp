// Forms of PTX text with a driver that only claims to take them: a function in its place computes what the arguments
// ask for, once the shaders before it have run, does nothing, refuses the text or loses the device. Whatever it does,
// results are right.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "codegen/ptx/product.h"
#include "codegen/ptx/rows.h"
#include "frontend/frit/frit.h"
#include "tests/vulkan/ptx_tiles.h"

namespace frit {
namespace {

using ptx_driver::Launch;
using ptx_driver::lose_device;
using ptx_driver::Mode;
using ptx_driver::state;
using ptx_driver::told;

int splits = 0;  // launches of products that sum parts of k
int tiles = 0;   // of products in small tiles (codegen/ptx/tile_product.h), which ptx_tiles_test.cpp is about

// A product. The layouts show in the copies: only a left operand that lies down its columns passes through shared
// memory, and the last word of a multiplication says how the right one lies.
struct FakeFunction {
  explicit FakeFunction(const ptx_driver::Kernel& k)
      : bfloat(k.has("f32.bf16.bf16")),
        a_columns(k.has("ldmatrix")),
        b_columns(k.has(", 1, 1, 0;\n")),
        split(k.has("st.global.f32")) {}
  bool bfloat, a_columns, b_columns, split;
};

float element(const FakeFunction& f, const uint16_t* at) {
  return f.bfloat ? bfloat_bits_to_float(*at) : half_bits_to_float(*at);
}
uint16_t rounded(const FakeFunction& f, float sum) {
  return f.bfloat ? float_to_bfloat_bits(sum) : float_to_half_bits(sum);
}

struct Sizes {
  int64_t m, n, k, batches;
};

// The windows of a convolution as the rows of a matrix, from the numbers of its left operand.
std::vector<float> windows(const FakeFunction& f, const uint64_t* own, const Sizes& s) {
  using P = codegen::ptx::WindowParameters;
  const auto at = [&](size_t which) { return static_cast<int64_t>(own[which]); };
  std::vector<float> all;
  for (int64_t p = 0; p < s.m; ++p)
    for (int64_t k = 0; k < s.k; ++k) {
      const int64_t channel = k % (at(P::kUnits) * 8), tap = k / (at(P::kUnits) * 8);
      const int64_t taps[] = {tap / at(P::kTaps + 1) / at(P::kTaps), tap / at(P::kTaps + 1) % at(P::kTaps),
                              tap % at(P::kTaps + 1)};
      int64_t rest = p, offset = channel * 2;
      bool there = true;
      for (size_t axis = 3; axis-- > 0;) {
        const int64_t i = rest % at(P::kOut + axis) * at(P::kStride + axis) - at(P::kLow + axis) +
                          taps[axis] * at(P::kDilation + axis);
        there = there && i >= 0 && i < at(P::kIn + axis);
        offset += i * at(P::kBytes + axis);
        rest /= at(P::kOut + axis);
      }
      offset += rest * at(P::kImage);
      all.push_back(
          there ? element(f, reinterpret_cast<const uint16_t*>(own[P::kAddress] + static_cast<uint64_t>(offset)))
                : 0.0f);
    }
  for (size_t i = 0; i < 2; ++i)
    EXPECT_EQ(own[P::kTapsReciprocal + i], ((uint64_t{1} << 32) + own[P::kTaps + i] - 1) / own[P::kTaps + i]);
  EXPECT_EQ(own[P::kUnitsReciprocal], ((uint64_t{1} << 32) + own[P::kUnits] - 1) / own[P::kUnits]);
  return all;
}

void compute(const Launch& launch) {
  if (ptx_tiles::is_tiles(launch)) return ptx_tiles::compute(launch);
  const FakeFunction f(*launch.kernel);
  const std::vector<uint64_t>& p = launch.arguments;
  using P = codegen::ptx::ProductParameters;
  const auto at = [&](size_t which) { return static_cast<int64_t>(p[which]); };
  const Sizes s{at(P::kRows), at(P::kColumns), at(P::kSteps), at(P::kMatrices)};
  const bool has_windows = p.size() == size_t{P::kLeft} + size_t{codegen::ptx::WindowParameters::kCount};
  EXPECT_EQ(p[P::kMemory] % 128, 0u);
  EXPECT_TRUE(p[P::kRightMatrices] == 1 || p[P::kRightMatrices] == p[P::kMatrices]);
  EXPECT_LT((at(P::kParts) - 1) * at(P::kPartSteps), s.k);
  EXPECT_GE(at(P::kParts) * at(P::kPartSteps), s.k);
  // The operand whose numbers begin at `first`, of batch `b`, dense and by rows.
  const auto operand = [&](size_t first, int64_t b, int64_t rows, int64_t columns, bool by_column) {
    EXPECT_EQ(p[first] % 16 + p[first + 1] % 16 + p[first + 2] % 16, 0u);
    const auto* from = reinterpret_cast<const uint16_t*>(p[first] + static_cast<uint64_t>(b) * p[first + 2]);
    const int64_t pitch = at(first + 1) / 2;
    std::vector<float> all;
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        all.push_back(element(f, by_column ? from + j * pitch + i : from + i * pitch + j));
    return all;
  };
  std::vector<float> row(static_cast<size_t>(s.n));
  for (int64_t b = 0; b < s.batches; ++b) {
    const std::vector<float> left =
        has_windows ? windows(f, &p[P::kLeft], s) : operand(P::kLeft, b, s.m, s.k, f.a_columns);
    const std::vector<float> right = operand(P::kRight, std::min(b, at(P::kRightMatrices) - 1), s.k, s.n, f.b_columns);
    for (int64_t part = 0; part < at(P::kParts); ++part)
      for (int64_t i = 0; i < s.m; ++i) {
        std::fill(row.begin(), row.end(), 0.0f);
        for (int64_t step = part * at(P::kPartSteps); step < std::min(s.k, (part + 1) * at(P::kPartSteps)); ++step)
          ptx_driver::add_scaled(row.data(), left[static_cast<size_t>(i * s.k + step)], right.data() + step * s.n, s.n);
        const int64_t line = (part * s.batches + b) * s.m + i;
        for (int64_t j = 0; j < s.n; ++j) {
          const float sum = row[static_cast<size_t>(j)];
          if (f.split)
            reinterpret_cast<float*>(p[P::kResult])[line * at(P::kPitch) + j] = sum;
          else
            reinterpret_cast<uint16_t*>(p[P::kResult])[line * s.n + j] = rounded(f, sum);
        }
      }
  }
}

class Ptx : public ptx_driver::PtxTest {
 protected:
  static void SetUpTestSuite() {
    ptx_driver::install();
    state().compute = &compute;
    state().look = [](const Launch& l) {
      if (ptx_tiles::is_tiles(l)) {
        ++tiles;
        return;
      }
      splits += FakeFunction(*l.kernel).split;
      EXPECT_LE(l.groups, 132u);
    };
  }
  void SetUp() override {
    PtxTest::SetUp();
    splits = tiles = 0;
  }

  // A product of small integers, whose sums are exact, on the GPU and by the CPU.
  struct Case {
    int batches, m, n, k;
    bool a_columns, b_columns, one_right = false;
  };
  static bool is_right(const Case& c, Dtype type) {
    std::mt19937 random(static_cast<uint32_t>(c.m + c.n * 3 + c.k * 7));
    const auto draw = [&](int batches, int rows, int columns, bool by_column) {
      std::vector<float> all(static_cast<size_t>(batches) * rows * columns);
      for (float& v : all) v = static_cast<float>(static_cast<int>(random() % 7) - 3);
      const Shape shape = by_column ? Shape{batches, columns, rows} : Shape{batches, rows, columns};
      array x = astype(array(all.begin(), shape, float32), type);
      x.eval();
      synchronize();
      return by_column ? swapaxes(x, 1, 2) : x;
    };
    const array a = draw(c.batches, c.m, c.k, c.a_columns),
                b = draw(c.one_right ? 1 : c.batches, c.k, c.n, c.b_columns);
    array got = matmul(a, b);
    got.eval();
    got = astype(got, float32);
    got.eval();
    set_default_device(Device::cpu);
    const array want = matmul(astype(a, float32), astype(b, float32));
    const bool right = all(equal(got, astype(astype(want, type), float32))).item<bool>();
    set_default_device(Device::gpu);
    return right;
  }
};

// A convolution of small integers on the GPU and by the CPU.
struct Convolved {
  Shape input, weight;  // space between images or features and channels
  std::vector<int> stride, low, high, dilation;
  bool across = false;  // channels do not lie side by side
};

bool convolves(const Convolved& c, Dtype type) {
  std::mt19937 random(static_cast<uint32_t>(c.input[1] + c.weight[0] * 3));
  const auto draw = [&](const Shape& shape) {
    size_t count = 1;
    for (const int size : shape) count *= static_cast<size_t>(size);
    std::vector<float> all(count);
    for (float& v : all) v = static_cast<float>(static_cast<int>(random() % 7) - 3);
    array x = astype(array(all.begin(), shape, float32), type);
    if (c.across) x = swapaxes(contiguous(swapaxes(x, 1, -1)), 1, -1);
    x.eval();
    synchronize();
    return x;
  };
  const array x = draw(c.input), w = draw(c.weight);
  array got = conv_general(x, w, c.stride, c.low, c.high, c.dilation, {}, 1, false);
  got.eval();
  got = astype(got, float32);
  got.eval();
  set_default_device(Device::cpu);
  const array want =
      conv_general(astype(x, float32), astype(w, float32), c.stride, c.low, c.high, c.dilation, {}, 1, false);
  const bool right = all(equal(got, astype(astype(want, type), float32))).item<bool>();
  set_default_device(Device::gpu);
  return right;
}

TEST_F(Ptx, EveryLayoutPassesItsTrialAndIsLaunched) {
  for (const bool a_columns : {false, true})
    for (const bool b_columns : {false, true}) {
      const Dtype type = a_columns == b_columns ? float16 : bfloat16;
      state().launches = splits = 0;
      EXPECT_TRUE(is_right({66, 200, 200, 256, a_columns, b_columns}, type));
      EXPECT_EQ(state().launches, 2) << "a trial, and the product";
      EXPECT_TRUE(is_right({1, 1200, 2496, 160, a_columns, b_columns}, type));
      EXPECT_TRUE(is_right({66, 200, 200, 256, a_columns, b_columns, true}, type));
      EXPECT_GE(state().launches, 4);
      EXPECT_EQ(splits, 0);
      EXPECT_TRUE(is_right({1, 512, 520, 4096, a_columns, b_columns}, type));
      EXPECT_EQ(splits, 2) << "few tiles and long k: a trial, and the product";
    }
  EXPECT_EQ(tiles, 0);
  EXPECT_TRUE(state().notices.empty());
}

TEST_F(Ptx, OddOperandsAreCopied) {
  using Sizes = std::array<int, 3>;
  for (const bool a_columns : {false, true})
    for (const bool b_columns : {false, true})
      for (const auto& [m, n, k] : {Sizes{1201, 2497, 450}, Sizes{1037, 1021, 331}, Sizes{1021, 133, 2051}}) {
        state().launches = 0;
        EXPECT_TRUE(is_right({1, m, n, k, a_columns, b_columns}, bfloat16));
        EXPECT_GE(state().launches, 1) << m << " " << n << " " << k;
      }
  EXPECT_GE(splits, 4);
  EXPECT_TRUE(state().notices.empty());
}

TEST_F(Ptx, LinesOfResultsHaveAnyLength) {
  for (const int n : {1250, 1251}) {
    state().launches = 0;
    EXPECT_TRUE(is_right({1, 1200, n, 160, false, true}, float16));
    EXPECT_GE(state().launches, 1);
  }
  EXPECT_EQ(tiles, 0);
  EXPECT_TRUE(state().notices.empty());
}

TEST_F(Ptx, ConvolutionsAreProductsOfWindows) {
  const Convolved all[] = {{{2, 40, 41, 24}, {200, 3, 3, 24}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
                           {{3, 61, 50, 16}, {264, 2, 3, 16}, {2, 1}, {0, 2}, {1, 0}, {1, 2}},
                           {{2, 2000, 40}, {200, 5, 40}, {1}, {2}, {2}, {1}},
                           {{2, 9, 20, 21, 8}, {136, 2, 2, 3, 8}, {1, 1, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}}};
  for (const Convolved& c : all) {
    state().launches = 0;
    EXPECT_TRUE(convolves(c, float16)) << c.weight[0];
    EXPECT_GE(state().launches, 1) << c.weight[0];
  }
  EXPECT_EQ(splits, 0);
  EXPECT_TRUE(convolves({{1, 14, 14, 128}, {96, 3, 3, 128}, {1, 1}, {1, 1}, {1, 1}, {1, 1}}, float16));
  EXPECT_EQ(splits, 2) << "a trial, and the convolution";
  EXPECT_TRUE(state().notices.empty());
}

TEST_F(Ptx, OddChannelsOfConvolutionsArePacked) {
  const Convolved all[] = {{{2, 40, 41, 61}, {200, 3, 3, 61}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
                           {{2, 40, 41, 64}, {131, 3, 3, 64}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, true},
                           {{4, 1500, 45}, {141, 7, 45}, {1}, {2}, {2}, {1}},
                           {{1, 14, 15, 131}, {90, 3, 3, 131}, {1, 1}, {1, 1}, {1, 1}, {1, 1}}};
  for (const Convolved& c : all) {
    state().launches = 0;
    EXPECT_TRUE(convolves(c, bfloat16)) << c.weight[0];
    EXPECT_GE(state().launches, 1) << c.weight[0];
  }
  EXPECT_GE(splits, 1);
  EXPECT_TRUE(state().notices.empty());
}

TEST_F(Ptx, OtherFormsTakeSmallProducts) {
  using Sizes = std::array<int, 3>;
  for (const auto& [m, n, k] : {Sizes{64, 64, 64}, Sizes{130, 120, 100}, Sizes{8, 4096, 512}}) {
    state().launches = tiles = 0;
    EXPECT_TRUE(is_right({1, m, n, k, false, false}, float16));
    EXPECT_EQ(state().launches, tiles) << m << " " << n << " " << k;
    EXPECT_EQ(tiles > 0, m > 8);
  }
}

}  // namespace

// Texts are known to a device once they were taken, so these have devices of their own.
namespace {

TEST_F(Ptx, ARefusedTextIsPassedOver) {
  lose_device();
  state().mode = Mode::Refuses;
  EXPECT_TRUE(is_right({1, 1200, 2496, 160, false, false}, float16));
  EXPECT_EQ(state().launches, 0);
  EXPECT_TRUE(told("cannot take the ptx"));
}

TEST_F(Ptx, AFormThatFailsItsTrialIsPassedOver) {
  lose_device();
  state().mode = Mode::DoesNothing;
  EXPECT_TRUE(is_right({1, 1200, 2496, 160, false, false}, bfloat16));
  const int tried = state().launches;
  EXPECT_GE(tried, 1);
  EXPECT_TRUE(is_right({1, 1200, 2496, 160, false, false}, bfloat16));
  EXPECT_EQ(state().launches, tried) << "none is tried again";
  EXPECT_TRUE(told("gave wrong numbers"));
}

TEST_F(Ptx, ATrialThatLosesTheDeviceIsTheLast) {
  lose_device();
  state().mode = Mode::LosesDevice;
  state().notices.clear();
  EXPECT_THROW(is_right({1, 1200, 2496, 160, false, true}, float16), std::exception);
  EXPECT_EQ(state().launches, 1);
  EXPECT_TRUE(told("another form takes the place of"));
  EXPECT_TRUE(told("failed: "));
  state().mode = Mode::Computes;
  state().launches = 0;
  EXPECT_TRUE(is_right({1, 1200, 2496, 160, false, true}, float16));
  EXPECT_TRUE(is_right({1, 1200, 2496, 160, true, true}, bfloat16));
  EXPECT_EQ(state().launches, 0);
}

}  // namespace
}  // namespace frit
