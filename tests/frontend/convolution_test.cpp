// Convolutions with every option. Expected values were measured from MLX.
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "helpers.h"
#include "runtime/system/cpu.h"
#include "shapeless.h"

using namespace frit;

namespace {

using Floats = std::vector<float>;

array numbers_of(const Shape& shape) {
  int n = 1;
  for (const int d : shape) n *= d;
  return reshape(arange(static_cast<double>(n)), shape);
}

// Whether all elements agree, within what sums of the type may be off by where the largest is as large as that of
// `want`.
void expect_near_largest(const array& got, const array& want, Dtype type, const std::string& of) {
  const Floats left = values<float>(astype(got, float32)), right = values<float>(astype(want, float32));
  ASSERT_EQ(left.size(), right.size()) << of;
  float scale = 1;
  for (const float v : right) scale = std::max(scale, std::abs(v));
  const float bound = type == float32 ? 1e-5f : type == float16 ? 1e-3f : 8e-3f;
  for (size_t j = 0; j < left.size(); ++j) ASSERT_NEAR(left[j], right[j], scale * bound) << j << " of the " << of;
}

// The definition, on the host: float64 sums over every position of the kernel.
Floats by_definition(const array& x, const array& w, const std::vector<int>& stride, const std::vector<int>& low,
                     const std::vector<int>& high, const std::vector<int>& dilation, const std::vector<int>& spread,
                     int groups, bool flip) {
  const Floats in = values<float>(x), kernel = values<float>(w);
  const int height = x.shape(1), width = x.shape(2), channels = x.shape(3), features = w.shape(0);
  const int kh = w.shape(1), kw = w.shape(2), per_group = w.shape(3);
  const auto length = [&](int n, int k, size_t i) {
    return ((n - 1) * spread[i] + 1 + low[i] + high[i] - (k - 1) * dilation[i] - 1) / stride[i] + 1;
  };
  const int rows = length(height, kh, 0), columns = length(width, kw, 1);
  const auto source = [&](int at, int n, size_t i) {
    at -= low[i];
    return at >= 0 && at % spread[i] == 0 && at / spread[i] < n ? at / spread[i] : -1;
  };
  Floats out;
  for (int b = 0; b < x.shape(0); ++b)
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c)
        for (int f = 0; f < features; ++f) {
          double total = 0;
          for (int i = 0; i < kh; ++i)
            for (int j = 0; j < kw; ++j) {
              const int y = source(r * stride[0] + i * dilation[0], height, 0);
              const int z = source(c * stride[1] + j * dilation[1], width, 1);
              if (y < 0 || z < 0) continue;
              const int ki = flip ? kh - 1 - i : i, kj = flip ? kw - 1 - j : j;
              for (int d = 0; d < per_group; ++d)
                total += double{in[static_cast<size_t>(((b * height + y) * width + z) * channels +
                                                       f / (features / groups) * per_group + d)]} *
                         kernel[static_cast<size_t>(((f * kh + ki) * kw + kj) * per_group + d)];
            }
          out.push_back(static_cast<float>(total));
        }
  return out;
}

// A convolution whose sizes are open at first is served by what serves known ones, to the bit.
TEST(Convolution, OfOpenSizesIsTheSameRoutine) {
  const std::function<std::vector<array>(const std::vector<array>&)> f = [](const std::vector<array>& in) {
    return std::vector<array>{conv1d(in[0], in[1], 2, 1)};
  };
  for (const Dtype type : {float32, float16, bfloat16}) {
    const auto open = compile(f, true);
    for (const int batch : {2, 3}) {
      const std::vector<array> in{astype(sin(numbers_of({batch, 33, 12})), type),
                                  astype(cos(numbers_of({16, 3, 12})), type)};
      EXPECT_TRUE(all(open(in)[0] == f(in)[0]).item<bool>());
      EXPECT_TRUE(contains(open.lower(in).kernels, "library \"convolution\"")) << open.lower(in).kernels;
    }
  }
}

}  // namespace

TEST(Convolution, OneAxis) {
  const array x = numbers_of({1, 5, 2}), w = numbers_of({3, 3, 2});
  EXPECT_EQ(values<float>(conv1d(x, w)), (Floats{55, 145, 235, 85, 247, 409, 115, 349, 583}));
  EXPECT_EQ(values<float>(conv1d(x, w, 2, 1)), (Floats{26, 62, 98, 85, 247, 409, 50, 230, 410}));
  EXPECT_EQ(values<float>(conv1d(x, w, 1, 2, 2)),
            (Floats{44, 104, 164, 72, 180, 288, 101, 263, 425, 36, 144, 252, 48, 204, 360}));
  EXPECT_EQ(values<float>(conv1d(x, numbers_of({4, 3, 1}), 1, 0, 1, 2)),
            (Floats{10, 28, 67, 94, 16, 52, 109, 154, 22, 76, 151, 214}));
  EXPECT_EQ(conv1d(astype(x, bfloat16), astype(w, bfloat16)).dtype(), bfloat16);
  EXPECT_EQ(conv1d(zeros({0, 5, 2}), w).shape(), (Shape{0, 3, 3}));
}

TEST(Convolution, Transposed) {
  const array x = numbers_of({1, 5, 2}), w = numbers_of({3, 3, 2});
  EXPECT_EQ(values<float>(conv_transpose1d(x, w, 2, 1, 1, 1)),
            (Floats{3,  9,   15,  8,  44,  80,  13, 43,  73,  28, 112, 196, 23, 77,  131,
                    48, 180, 312, 33, 111, 189, 68, 248, 428, 43, 145, 247, 77, 179, 281}));
  const array plane = numbers_of({1, 4, 4, 2}), kernel = numbers_of({2, 2, 2, 2});
  EXPECT_EQ(values<float>(conv_transpose2d(slice(plane, {0, 0, 0, 0}, {1, 2, 2, 2}), kernel, {2, 1}, {0, 1})),
            (Floats{6, 54, 30, 78, 54, 358, 206, 510}));
  EXPECT_EQ(conv_transpose3d(ones({1, 2, 2, 2, 1}), ones({1, 2, 2, 2, 1})).shape(), (Shape{1, 3, 3, 3, 1}));
}

TEST(Convolution, MoreAxes) {
  EXPECT_EQ(values<float>(conv2d(numbers_of({1, 4, 4, 2}), numbers_of({2, 2, 2, 2}), {2, 1}, {1, 0})),
            (Floats{38, 86, 82, 194, 126, 302, 452, 1316, 508, 1500, 564, 1684, 158, 974, 170, 1050, 182, 1126}));
  EXPECT_EQ(values<float>(conv3d(numbers_of({1, 3, 3, 3, 2}), numbers_of({1, 2, 2, 2, 2}))),
            (Floats{2312, 2552, 3032, 3272, 4472, 4712, 5192, 5432}));
}

// Windows that begin outside of the input, and channels that end inside of a vector.
TEST(Convolution, DepthwiseOfAnySizeAgreesWithTheDefinition) {
  std::mt19937 random(5);
  const auto draw = [&](int low, int high) { return low + static_cast<int>(random() % (high - low + 1)); };
  for (int i = 0; i < 18; ++i) {
    const int channels = draw(1, i % 2 ? 70 : 20), times = draw(2, 5) / 4 + 1, kernel = draw(1, 5),
              pad = draw(0, kernel);
    const int step = draw(2, 5) / 4 + 1;
    const array x = sin(numbers_of({draw(1, 3), draw(kernel, 12), draw(kernel, 30), channels}) * 0.7f);
    const array w = cos(numbers_of({channels * times, kernel, kernel, 1}) * 1.3f);
    const Floats want = by_definition(x, w, {1, step}, {pad, pad}, {pad, pad}, {1, 1}, {1, 1}, channels, false);
    for (const Dtype dtype : {float32, float16, bfloat16}) {
      const array y = conv2d(astype(x, dtype), astype(w, dtype), {1, step}, {pad, pad}, {1, 1}, channels);
      const Floats got = values<float>(astype(y, float32));
      ASSERT_EQ(got.size(), want.size());
      const float bound = dtype == float32 ? 1e-4f : dtype == float16 ? 0.05f : 0.4f;
      for (size_t j = 0; j < want.size(); ++j) ASSERT_NEAR(got[j], want[j], bound) << j << " of draw " << i;
    }
  }
}

TEST(Convolution, EveryOptionAgreesWithTheDefinition) {
  struct Case {
    Shape x, w;
    std::vector<int> stride, low, high, dilation, spread;
    int groups = 1;
    bool flip = false;
  };
  const std::vector<Case> cases{
      {{2, 9, 9, 16}, {8, 3, 3, 16}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},           // rows of one array
      {{2, 9, 8, 40}, {8, 3, 2, 40}, {1, 1}, {0, 1}, {2, 0}, {1, 2}, {1, 1}},           // one product for each tap
      {{2, 9, 9, 16}, {8, 3, 3, 16}, {2, 1}, {1, 0}, {0, 2}, {1, 1}, {1, 1}},           // windows
      {{1, 6, 7, 12}, {6, 3, 3, 6}, {1, 1}, {1, 1}, {1, 1}, {2, 1}, {1, 2}, 2},         // groups, input dilation
      {{1, 6, 7, 12}, {6, 2, 3, 6}, {2, 2}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 2, true},   // flipped
      {{2, 8, 8, 6}, {12, 3, 3, 1}, {1, 2}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 6},         // depthwise
      {{1, 12, 12, 4}, {2, 9, 9, 2}, {1, 1}, {1, 0}, {0, 1}, {1, 1}, {1, 1}, 2, true},  // many taps
      {{1, 9, 9, 5}, {3, 3, 3, 5}, {1, 1}, {-1, 2}, {1, -2}, {1, 1}, {1, 1}},           // negative padding
  };
  for (const Case& c : cases) {
    const array x = sin(numbers_of(c.x) * 0.7f), w = cos(numbers_of(c.w) * 1.3f);
    const Floats want = by_definition(x, w, c.stride, c.low, c.high, c.dilation, c.spread, c.groups, c.flip);
    // The routine's and the composed form.
    for (const Dtype dtype : {float32, float64}) {
      const auto conv = [&](const std::vector<array>& in) {
        return std::vector<array>{astype(conv_general(astype(in[0], dtype), astype(in[1], dtype), c.stride, c.low,
                                                      c.high, c.dilation, c.spread, c.groups, c.flip),
                                         float32)};
      };
      const Floats got = values<float>(conv({x, w})[0]);
      ASSERT_EQ(got.size(), want.size());
      for (size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(got[i], want[i], 1e-4f) << i << " of groups " << c.groups;
      EXPECT_EQ(values<float>(compile(conv)({x, w})[0]), got);
    }
  }
}

// Values that both types hold, so that results differ by rounding alone; the derivatives too.
TEST(Convolution, TheRoutineAgreesWithDoubles) {
  std::mt19937 random(11);
  const auto draw = [&](int low, int high) { return low + static_cast<int>(random() % (high - low + 1)); };
  for (int i = 0; i < 24; ++i) {
    const Dtype dtype = i % 3 == 0 ? float32 : i % 3 == 1 ? bfloat16 : float16;
    const int space = draw(1, 3), form = draw(0, 3), groups = form == 0 ? draw(2, 70) : form == 1 ? draw(2, 3) : 1;
    const int channels = form == 0 ? 1 : draw(1, 40), features = form == 0 ? 1 : draw(8, 40);
    Shape x{draw(1, 3)}, w{groups * features};
    std::vector<int> stride, low, high, dilation, spread;
    for (int a = 0; a < space; ++a) {
      const int kernel = draw(1, space == 1 ? 20 : 4);
      dilation.push_back(draw(1, 2)), stride.push_back(draw(1, 3)), spread.push_back(form == 3 ? draw(1, 2) : 1);
      low.push_back(draw(-1, kernel)), high.push_back(draw(-1, kernel));
      x.push_back(draw(2 + (kernel - 1) * dilation.back() + 2, space == 1 ? 70 : 10));
      w.push_back(kernel);
    }
    x.push_back(groups * channels), w.push_back(channels);
    const array small_x = astype(sin(numbers_of(x) * 0.7f), dtype), small_w = astype(cos(numbers_of(w) * 1.3f), dtype);
    const auto conv = [&](const std::vector<array>& in) {
      return std::vector<array>{conv_general(in[0], in[1], stride, low, high, dilation, spread, groups, i % 5 == 0)};
    };
    const array y = conv({small_x, small_w})[0];
    const array cotangent = astype(sin(numbers_of(y.shape()) * 0.3f), dtype);
    const auto wide = [](const array& a) { return astype(a, float64); };
    const auto [narrow, got] = vjp(conv, {small_x, small_w}, {cotangent});
    const auto [exact, want] = vjp(conv, {wide(small_x), wide(small_w)}, {wide(cotangent)});
    const auto agree = [&](const array& a, const array& b, const char* what) {
      EXPECT_EQ(a.dtype(), dtype);
      expect_near_largest(a, b, dtype, std::string(what) + "of draw " + std::to_string(i));
    };
    agree(y, exact[0], "result ");
    agree(narrow[0], exact[0], "result of vjp ");
    agree(got[0], want[0], "input ");
    agree(got[1], want[1], "weight ");
  }
}

// Lines that are long enough to be read as they lie: pieces of lines, ends of runs that fill no step, strides,
// dilation, groups, windows that reach over several ends, and runs that fill few lanes.
TEST(Convolution, LinesOfAnySizeAgreeWithDoubles) {
  struct Case {
    Shape x, w;
    std::vector<int> stride, pad, dilation;
    int groups = 1;
  };
  const std::vector<Case> cases{
      {{1, 1300, 5}, {9, 7, 5}, {1}, {3}, {1}},
      {{2, 90, 33}, {40, 3, 33}, {2}, {5}, {3}},
      {{1, 17, 19, 64}, {70, 3, 3, 64}, {1, 1}, {1, 1}, {1, 1}},
      {{2, 13, 21, 40}, {34, 5, 4, 20}, {2, 1}, {2, 7}, {1, 1}, 2},
      {{1, 11, 30, 17}, {24, 3, 3, 17}, {3, 2}, {2, 2}, {2, 2}},
      {{2, 9, 14, 3}, {65, 7, 7, 3}, {2, 2}, {3, 3}, {1, 1}},
      {{1, 6, 5, 15, 12}, {16, 3, 2, 3, 12}, {1, 2, 1}, {1, 1, 1}, {1, 1, 1}},
      {{1, 5, 9, 8, 16}, {18, 2, 3, 1, 8}, {2, 1, 1}, {1, 0, 0}, {1, 2, 1}, 2},
      {{1, 8, 40, 600}, {8, 1, 1, 300}, {1, 1}, {0, 0}, {1, 1}, 2},
      {{2, 60, 41, 3}, {37, 3, 3, 3}, {2, 1}, {1, 1}, {1, 1}},
      {{1, 700, 4}, {48, 3, 4}, {1}, {1}, {2}},
      {{2, 12, 30, 16}, {64, 1, 1, 8}, {1, 1}, {0, 0}, {1, 1}, 2},
      {{1, 6, 7, 33, 5}, {96, 2, 1, 3, 5}, {1, 1, 2}, {0, 0, 1}, {1, 1, 1}},
      {{2, 9, 37, 5}, {3, 3, 4, 5}, {1, 1}, {1, 2}, {1, 1}},
      {{1, 1100, 2}, {1, 9, 2}, {1}, {3}, {2}},
      {{2, 11, 70, 12}, {10, 3, 2, 6}, {2, 3}, {1, 2}, {1, 2}, 2},
      {{1, 7, 19, 24}, {24, 3, 5, 2}, {1, 1}, {1, 2}, {1, 1}, 12},
      {{1, 5, 6, 23, 40}, {20, 2, 3, 3, 4}, {1, 2, 1}, {1, 0, 1}, {2, 1, 1}, 10},
      {{2, 4, 26, 260}, {6, 1, 3, 130}, {1, 2}, {0, 0}, {1, 1}, 2},
      {{3, 17, 21, 1}, {13, 3, 7, 1}, {2, 1}, {1, 3}, {1, 1}},
  };
  for (const Case& c : cases)
    for (const Dtype type : {float32, bfloat16, float16}) {
      const Dtype dtype = type;
      const std::vector<int> spread(c.stride.size(), 1);
      const array x = astype(sin(numbers_of(c.x) * 0.7f), dtype), w = astype(cos(numbers_of(c.w) * 1.3f), dtype);
      const auto conv = [&](const std::vector<array>& in) {
        return std::vector<array>{
            conv_general(in[0], in[1], c.stride, c.pad, c.pad, c.dilation, spread, c.groups, false)};
      };
      const auto wide = [](const array& a) { return astype(a, float64); };
      const array cotangent = astype(sin(numbers_of(conv({x, w})[0].shape()) * 0.3f), dtype);
      const auto [y, got] = vjp(conv, {x, w}, {cotangent});
      const auto [exact, want] = vjp(conv, {wide(x), wide(w)}, {wide(cotangent)});
      const auto agree = [&](const array& a, const array& b, const char* of) {
        expect_near_largest(a, b, dtype, of + ("for " + std::to_string(c.w[0])) + " features");
      };
      agree(y[0], exact[0], "result ");
      agree(got[0], want[0], "input ");
      agree(got[1], want[1], "weight ");
    }
}

// Steps of the matrix units reach past the end of a window. Infinities there have no part in its sum.
TEST(Convolution, NeighboursOfAWindowHaveNoPartInIt) {
  for (const auto& [features, channels] : {std::pair{8, 3}, {8, 16}, {8, 33}, {4, 2}, {5, 20}})
    for (const Dtype type : {float32, bfloat16, float16}) {
      Floats numbers(static_cast<size_t>(2 * 9 * 20 * channels), 1.0f);
      const auto bad = static_cast<size_t>((4 * 20 + 10) * channels);
      for (size_t c = 0; c < static_cast<size_t>(channels); ++c)
        numbers[bad + c] = std::numeric_limits<float>::infinity();
      const array x = astype(array(numbers.data(), {2, 9, 20, channels}), type);
      const Floats y =
          values<float>(astype(conv2d(x, ones({features, 3, 3, channels}, type), {1, 1}, {1, 1}), float32));
      for (int row = 0; row < 18; ++row)
        for (int column = 0; column < 20; ++column) {
          const bool meets = std::abs(row - 4) <= 1 && std::abs(column - 10) <= 1;
          const float v = y[static_cast<size_t>((row * 20 + column) * features)];
          ASSERT_EQ(std::isinf(v), meets) << row << ", " << column << " of " << channels << ": " << v;
          ASSERT_FALSE(std::isnan(v));
        }
    }
}

// Steps of the sum over positions reach past the end of a line. Infinities that a tap never meets have no part in the
// derivative for its weight.
TEST(Convolution, PositionsThatATapNeverMeetsHaveNoPartInItsWeight) {
  for (const Dtype type : {float32, bfloat16, float16})
    for (const auto& [channels, stride] : {std::pair{20, 1}, {20, 2}, {2, 1}, {4, 2}}) {
      const int features = channels == 20 ? 9 : 5;
      const int rows = 7, columns = 2 * 11 + 1, last = (rows * columns - 1) * channels;
      Floats numbers(static_cast<size_t>(rows * columns * channels), 1.0f);
      for (int c = 0; c < channels; ++c)
        numbers[static_cast<size_t>(c)] = numbers[static_cast<size_t>(last + c)] =
            std::numeric_limits<float>::infinity();
      const array x = astype(array(numbers.data(), {1, rows, columns, channels}), type);
      const auto conv = [&](const std::vector<array>& in) {
        return std::vector<array>{conv2d(x, in[0], {stride, stride})};
      };
      const array w = ones({features, 3, 3, channels}, type), y = conv({w})[0];
      const Floats got = values<float>(astype(vjp(conv, {w}, {ones_like(y)}).second[0], float32));
      for (size_t i = 0; i < got.size(); ++i) {
        const size_t tap = i / static_cast<size_t>(channels) % 9;
        ASSERT_EQ(std::isinf(got[i]), tap == 0 || tap == 8) << got[i] << " of tap " << tap;
        ASSERT_FALSE(std::isnan(got[i]));
      }
    }
}

// Tiles follow the number of threads, sums do not.
TEST(Convolution, ThreadsChangeNoBits) {
  const int before = num_threads();
  struct Case {
    Dtype type;
    int channels, groups;
  };
  const std::vector<Case> cases{{bfloat16, 40, 1}, {bfloat16, 40, 40}, {float32, 40, 1}, {float32, 3, 1},
                                {float16, 4, 1},   {bfloat16, 40, 20}, {float32, 40, 10}};
  for (const auto& [type, channels, groups] : cases) {
    const Dtype dtype = type;
    const array x = astype(sin(numbers_of({3, 40, 39, channels}) * 0.7f), dtype);
    const array w = astype(cos(numbers_of({groups == 1 ? 300 : 40, 3, 3, channels / groups}) * 1.3f), dtype);
    const auto conv = [&, groups = groups](const std::vector<array>& in) {
      return std::vector<array>{maximum(conv2d(in[0], in[1], {1, 2}, {1, 1}, {1, 1}, groups), array(0.0f, dtype))};
    };
    std::vector<Floats> results;
    for (const int n : {1, 2, 5}) {
      set_num_threads(n);
      const array y = compile(conv)({x, w})[0];
      Floats all = values<float>(astype(y, float32));
      for (const array& g : vjp(conv, {x, w}, {y}).second)
        for (const float v : values<float>(astype(g, float32))) all.push_back(v);
      results.push_back(std::move(all));
    }
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(results[0], results[2]);
  }
  set_num_threads(before);
}

// Some features are the rows of the product, and others its columns: their sums are the same.
TEST(Convolution, FeaturesBesideOthersHaveTheSameBits) {
  if (!runtime::cpu_runs("x86-64-v3")) GTEST_SKIP() << "a library's sums depend on the number of features";
  for (const Dtype type : {float32, bfloat16, float16}) {
    const array x = astype(sin(numbers_of({3, 9, 11, 37}) * 0.7f), type);
    const array w = astype(cos(numbers_of({64, 3, 3, 37}) * 1.3f), type);
    const auto conv = [&](const array& weights) {
      return values<float>(astype(compile([](const std::vector<array>& in) {
                                    return std::vector<array>{conv2d(in[0], in[1], {1, 1}, {1, 1})};
                                  })({x, weights})[0],
                                  float32));
    };
    const Floats all = conv(w);
    for (const int features : {9, 17, 19, 20, 34, 35, 48}) {
      const Floats some = conv(contiguous(slice(w, {0, 0, 0, 0}, {features, 3, 3, 37})));
      for (size_t i = 0; i < some.size(); ++i) {
        const size_t row = i / static_cast<size_t>(features), feature = i % static_cast<size_t>(features);
        ASSERT_EQ(some[i], all[row * 64 + feature]) << features;
      }
    }
  }
}

// One kernel stores the weights by tap, and another has the rest.
TEST(Convolution, FewChannelsAreAKernelBehindTheirWeights) {
  const auto f = compile([](const std::vector<array>& in) {
    return std::vector<array>{maximum(conv2d(in[0], in[1], {1, 1}, {1, 1}, {1, 1}, 8), array(0.0f))};
  });
  EXPECT_EQ(f.lower({zeros({2, 10, 10, 8}), zeros({8, 3, 3, 1})}).kernel_count, 2);
}

TEST(Convolution, AnyShape) {
  const array w = cos(numbers_of({4, 2, 2, 6}));
  shapeless::agrees([&](const array& x) { return conv2d(x, w, {1, 1}, {1, 1}); }, {{1, 6, 7, 6}, {2, 9, 5, 6}}, 1);
  shapeless::agrees([&](const array& x) { return conv2d(x, w, {2, 2}); }, {{1, 6, 7, 6}, {2, 9, 5, 6}}, 1);
}

TEST(Convolution, NegativePaddingCutsElementsOff) {
  const array x = numbers_of({1, 6, 2}), w = numbers_of({3, 3, 2});
  EXPECT_EQ(values<float>(conv1d(x, w, 1, -1)), values<float>(conv1d(slice(x, {0, 1, 0}, {1, 5, 2}), w)));
  EXPECT_EQ(values<float>(conv_transpose1d(x, w, 2, -1)),
            values<float>(pad(conv_transpose1d(x, w, 2), std::vector<std::pair<int, int>>{{0, 0}, {1, 1}, {0, 0}})));
}

TEST(Convolution, Errors) {
  const array x = numbers_of({1, 5, 2}), w = numbers_of({3, 3, 2});
  const auto refuses = [](auto call) { return !thrown<InvalidArgument>(call).empty(); };
  EXPECT_TRUE(refuses([&] { conv1d(astype(x, int32), astype(w, int32)); }));
  EXPECT_TRUE(refuses([&] { conv1d(astype(x, int32), w); }));
  EXPECT_TRUE(refuses([&] { conv1d(x, ones({3, 3, 3})); }));
  EXPECT_TRUE(refuses([&] { conv1d(squeeze(x, 0), w); }));
  EXPECT_TRUE(refuses([&] { conv1d(x, ones({3, 2})); }));
  EXPECT_TRUE(refuses([&] { conv1d(x, ones({3, 3, 1}), 1, 0, 1, 2); }));
  EXPECT_TRUE(refuses([&] { conv1d(x, ones({3, 3, 1}), 1, 0, 1, 0); }));
  EXPECT_TRUE(refuses([&] { conv1d(x, w, 0); }));
  EXPECT_TRUE(refuses([&] { conv1d(x, w, 1, -2); }));
  EXPECT_TRUE(refuses([&] { conv1d(x, w, 1, 0, 0); }));
  EXPECT_TRUE(refuses([&] { conv1d(x, ones({3, 6, 2})); }));
  EXPECT_TRUE(refuses([&] { conv2d(x, w); }));
  EXPECT_TRUE(refuses([&] { conv_general(x, w, {1, 2}, {0}, {0}, {1}, {1}, 1, false); }));
  EXPECT_TRUE(refuses([&] { conv_transpose1d(x, w, 2, 9); }));
  const std::string message = thrown<InvalidArgument>([&] { conv1d(x, ones({3, 3, 3})); });
  EXPECT_TRUE(contains(message, "conv: float32 (1,5,2) and weights float32 (3,3,3) with 1 groups")) << message;
}
