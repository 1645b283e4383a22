// Quantised numbers: MLX's bits and rounding, and products with them. Expected values were measured from MLX.
#include <cmath>

#include "helpers.h"
#include "shapeless.h"

using namespace frit;

namespace {

using Words = std::vector<uint32_t>;
using Bytes = std::vector<uint8_t>;
using Floats = std::vector<float>;

// 64 numbers with four bits behind the point, in no order.
array row() { return reshape(astype(remainder(arange(64) * 37, array(64)) - 30, float32) / 16.0f, {1, 64}); }

// Different rows.
array matrix(int rows, int columns) {
  const array n = reshape(arange(static_cast<double>(rows * columns)), {rows, columns});
  return sin(n * 0.37f) + sin(n * 0.011f);
}

}  // namespace

TEST(Quantised, AffineBits) {
  struct Case {
    int bits;
    Words packed;
    float scale, bias, total;
  };
  const std::vector<Case> cases{
      {2, {2023613307u, 662232615u, 3996617182u, 2648864653u}, -0x1.080000p+0f, 0x1.080000p+1f, 0x1.8c0000p+3f},
      {3,
       {3018904991u, 2970508810u, 359129515u, 1466080508u, 4167749571u, 2268005689u},
       -0x1.080000p-1f,
       0x1.080000p+1f,
       0x1.ce0000p+2f},
      {4,
       {4162473327u, 1584505798u, 3033991467u, 440168322u, 1888732648u, 3606588237u, 1012826532u, 2461394697u},
       -0x1.080000p-2f,
       0x1.080000p+1f,
       0x1.8c0000p+2f},
      {5,
       {122972607u, 429591532u, 1219974942u, 61486288u, 353343098u, 609987471u, 307837808u, 176671549u, 859183064u,
        2301402552u},
       -0x1.080000p-3f,
       0x1.080000p+1f,
       0x1.83c000p+2f},
      {6,
       {2873317055u, 3700945425u, 1402438560u, 2600620719u, 3632771357u, 311669603u, 2344705695u, 3568791577u,
        3516900130u, 3145751183u, 3500618517u, 2426115041u},
       -0x1.000000p-4f,
       0x1.080000p+1f,
       6},
      {8,
       {1104636671u, 4102428847u, 2721434461u, 1374124556u, 9841087u, 3007699822u, 1643678236u, 279329231u, 3277188222u,
        1912904237u, 548882911u, 3546741902u, 2182392637u, 835148272u, 3816163486u, 2451946317u},
       -0x1.f85bb4p-7f,
       0x1.080000p+1f,
       0x1.812a04p+2f},
  };
  for (const Case& c : cases) {
    const std::vector<array> q = quantize(row(), 64, c.bits);
    EXPECT_EQ(values<uint32_t>(q[0]), c.packed) << c.bits;
    EXPECT_EQ(values<float>(q[1]), (Floats{c.scale})) << c.bits;
    EXPECT_EQ(values<float>(q[2]), (Floats{c.bias})) << c.bits;
    const array total = quantized_matmul(ones({1, 64}), q[0], q[1], q[2], true, 64, c.bits);
    EXPECT_NEAR(total.item<float>(), c.total, 1e-4f) << c.bits;
    // The end with the larger magnitude is exact, and none is further away than a step.
    const array back = dequantize(q[0], q[1], q[2], 64, c.bits);
    EXPECT_LE(max(abs(back - row())).item<float>(), std::abs(c.scale) * 1.0001f) << c.bits;
  }
  EXPECT_EQ(quantize(astype(row(), bfloat16))[1].dtype(), bfloat16);
  EXPECT_EQ(quantize(zeros({2, 128}), 128, 1)[0].shape(), (Shape{2, 4}));
}

TEST(Quantised, FloatModes) {
  struct Case {
    std::string mode;
    Words packed;
    Bytes scales;
    float product;
  };
  const std::vector<Case> cases{
      {"mxfp4",
       {3495578670u, 1024894146u, 3033622875u, 1783377157u, 378913744u, 3269483341u, 1547503012u, 2511589737u},
       {126, 126},
       260},
      {"mxfp8",
       {1894934263u, 4127225578u, 3866292330u, 1844730999u, 2027975918u, 3950047844u, 1777782901u, 1994945265u,
        4016895064u, 1652089459u, 1961652211u, 4066965208u, 1349970289u, 1928358901u, 4099963108u, 3698650478u},
       {120, 120},
       255},
      {"nvfp4",
       {4034682431u, 1578612436u, 3319953773u, 2069708550u, 665244897u, 3556338782u, 1833895878u, 2530599546u},
       {42, 43, 43, 42},
       0x1.d7c800p+7f},
  };
  for (const Case& c : cases) {
    const std::vector<array> q = quantize(row(), {}, {}, c.mode);
    EXPECT_EQ(values<uint32_t>(q[0]), c.packed) << c.mode;
    EXPECT_EQ(values<uint8_t>(q[1]), c.scales) << c.mode;
    const array x = reshape(arange(64.0), {1, 64});
    const array got = quantized_matmul(x, q[0], q[1], std::nullopt, true, {}, {}, c.mode);
    EXPECT_NEAR(got.item<float>(), c.product, 1e-3f) << c.mode;
    EXPECT_EQ(dequantize(q[0], q[1], {}, {}, {}, c.mode).dtype(), bfloat16);
  }
}

TEST(Quantised, GlobalScale) {
  // The largest magnitude comes back exactly where the global scale names it.
  const array w = row(), top = max(abs(w));
  const std::vector<array> q = quantize(w, {}, {}, "nvfp4", top);
  const array back = dequantize(q[0], q[1], {}, {}, {}, "nvfp4", top);
  EXPECT_EQ(back.dtype(), float32);
  EXPECT_NEAR(max(abs(back)).item<float>(), top.item<float>(), 1e-5f);
}

TEST(Quantised, EightBitFloats) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(values<uint8_t>(to_fp8(
                array({0.0f, 1.0f, -1.0f, 448.0f, 500.0f, 1e-3f, 0.3f, -3.3f, inf, nan, 0x1p-10f, 0x1.8p-9f, -0.0f}))),
            (Bytes{0, 56, 184, 126, 126, 1, 42, 197, 126, 126, 0, 2, 128}));
  const array codes = astype(arange(256), uint8), numbers = from_fp8(codes, float32);
  EXPECT_EQ(values<float>(numbers)[1], 0x1p-9f);
  EXPECT_EQ(values<float>(numbers)[126], 448.0f);
  EXPECT_TRUE(std::isnan(values<float>(numbers)[127]));
  // Packed numbers, of scale one, are the same.
  const array unpacked = dequantize(view(codes, uint32), full({8}, 127, uint8), {}, {}, {}, "mxfp8", {}, float32);
  EXPECT_TRUE(array_equal(view(unpacked, uint32) == view(numbers, uint32) | isnan(numbers) & isnan(unpacked),
                          ones({256}, bool_))
                  .item<bool>());
  const Bytes again = values<uint8_t>(to_fp8(numbers));
  for (size_t i = 0; i < 256; ++i) {
    if (i % 128 != 127) {
      EXPECT_EQ(again[i], i);
    }
  }
}

TEST(Quantised, ProductsAgreeWithUnpackedWeights) {
  const array w = matrix(24, 128);
  for (const std::string mode : {"affine", "mxfp4", "mxfp8", "nvfp4"})
    for (const int rows : {1, 3, 20}) {
      const std::vector<array> q = quantize(w, {}, {}, mode);
      const std::optional<array> bias = q.size() > 2 ? std::optional(q[2]) : std::nullopt;
      const array x = matrix(rows, 128), y = matrix(rows, 24);
      const array back = astype(dequantize(q[0], q[1], bias, {}, {}, mode), float32);
      EXPECT_TRUE(
          allclose(quantized_matmul(x, q[0], q[1], bias, true, {}, {}, mode), matmul(x, transpose(back)), 1e-4, 1e-4)
              .item<bool>())
          << mode << rows;
      EXPECT_TRUE(allclose(quantized_matmul(y, q[0], q[1], bias, false, {}, {}, mode), matmul(y, back), 1e-4, 1e-4)
                      .item<bool>())
          << mode << rows;
    }
  const std::vector<array> q = quantize(matrix(2 * 8, 64), 32, 6);
  EXPECT_EQ(quantized_matmul(ones({64}), q[0], q[1], q[2], true, 32, 6).shape(), (Shape{16}));
  const auto halves = [](const array& a) { return reshape(a, {2, 8, -1}); };
  EXPECT_EQ(quantized_matmul(ones({2, 3, 64}), halves(q[0]), halves(q[1]), halves(q[2]), true, 32, 6).shape(),
            (Shape{2, 3, 8}));
}

// One kernel unpacks the weights for all rows; others store the rows place by place, and put the results together.
TEST(Quantised, FewRowsUnpackOnce) {
  const std::vector<array> q = quantize(matrix(16, 128));
  const auto f = compile(
      [](const std::vector<array>& in) { return std::vector<array>{quantized_matmul(in[0], in[1], in[2], in[3])}; });
  EXPECT_EQ(f.lower({ones({1, 128}), q[0], q[1], q[2]}).kernel_count, 2);
  const std::string kernels = f.lower({ones({3, 128}), q[0], q[1], q[2]}).kernels;
  size_t readers = 0;
  for (size_t at = kernels.find("u32[256] in,"); at != std::string::npos; at = kernels.find("u32[256] in,", at + 1))
    ++readers;
  EXPECT_EQ(readers, 1) << kernels;
}

// So do rows and scales of 16 bits, and floats of four and eight bits.
TEST(Quantised, FewRowsUnpackOnceWhateverTheScales) {
  for (const std::string mode : {"affine", "mxfp4", "mxfp8", "nvfp4"}) {
    const std::vector<array> q = quantize(astype(matrix(16, 128), bfloat16), {}, {}, mode);
    const std::optional<array> bias = q.size() > 2 ? std::optional(q[2]) : std::nullopt;
    const auto f = compile([&](const std::vector<array>& in) {
      return std::vector<array>{quantized_matmul(in[0], in[1], q[1], bias, true, {}, {}, mode)};
    });
    const std::string words = "u32[" + std::to_string(q[0].size()) + "] in,";
    const std::string kernels = f.lower({astype(ones({3, 128}), bfloat16), q[0]}).kernels;
    size_t readers = 0;
    for (size_t at = kernels.find(words); at != std::string::npos; at = kernels.find(words, at + 1)) ++readers;
    // Columns of floats are taken apart by two kernels, one each of two neighbours.
    EXPECT_LE(readers, mode == "affine" ? 1 : 2) << mode << kernels;
    // The sums of all rows, not parts of them, are results of that kernel.
    EXPECT_EQ(kernels.find("f32[" + std::to_string(q[0].size() * 3)), std::string::npos) << mode << kernels;
  }
}

// Floats of four and eight bits become the weights of many rows in one kernel, without an array of their codes.
TEST(Quantised, FloatsAreUnpackedInOneKernel) {
  for (const std::string mode : {"mxfp4", "mxfp8", "nvfp4"}) {
    const std::vector<array> q = quantize(matrix(32, 128), {}, {}, mode);
    const auto f = compile([&](const std::vector<array>& in) {
      return std::vector<array>{quantized_matmul(in[0], in[1], in[2], {}, true, {}, {}, mode)};
    });
    const std::string kernels = f.lower({ones({13, 128}), q[0], q[1]}).kernels;
    size_t makers = 0;
    for (size_t at = kernels.find("[4096] out"); at != std::string::npos; at = kernels.find("[4096] out", at + 1))
      ++makers;
    EXPECT_EQ(makers, 1) << mode << kernels;
  }
}

// Codes keep the place that they have in a word, and the rows are divided by it: exactly, for all numbers but those
// near the least. Rows are stored apart, whatever their length.
TEST(Quantised, FewRowsOfAnySize) {
  const int before = num_threads();
  for (const int bits : {1, 2, 3, 4, 5, 6, 8})
    for (const auto& [rows, inner] : {std::pair{1, 96}, {4, 1056}}) {
      const std::vector<array> q = quantize(matrix(6, inner), 32, bits);
      const auto product = [&, rows = rows, inner = inner](float scale, int threads) {
        set_num_threads(threads);
        return astype(quantized_matmul(matrix(rows, inner) * scale, q[0], q[1], q[2], true, 32, bits), float64);
      };
      const array weights = astype(dequantize(q[0], q[1], q[2], 32, bits), float64);
      const array expected = matmul(astype(matrix(rows, inner), float64), transpose(weights));
      const std::string name = std::to_string(bits) + " bits, rows " + std::to_string(rows);
      for (const float scale : {1.0f, 1e-30f, 1e30f}) {
        const array got = product(scale, 1);
        EXPECT_TRUE(array_equal(got, product(scale, 3)).item<bool>()) << name;
        EXPECT_TRUE(allclose(got / array(scale, float64), expected, 1e-5, 1e-4).item<bool>()) << name << " " << scale;
      }
    }
  set_num_threads(before);
}

// Sums across the packed axis have a sum for each place of a word. Some rows of the weights are added at a time, and
// some rows of the other operand go together; neither they nor the weights are stored.
TEST(Quantised, FewRowsOfEveryFormatAgreeWithUnpackedWeights) {
  struct Format {
    std::string mode;
    int bits, group;
  };
  const std::vector<Format> formats{{"affine", 1, 32}, {"affine", 2, 64}, {"affine", 3, 64},  {"affine", 4, 64},
                                    {"affine", 5, 32}, {"affine", 6, 64}, {"affine", 8, 128}, {"mxfp4", 4, 32},
                                    {"mxfp8", 8, 32},  {"nvfp4", 4, 16}};
  const std::pair<int, int> sizes[] = {{1, 72}, {2, 71}, {9, 70}, {4, 330}};
  const int before = num_threads();
  for (const Format& format : formats)
    for (int i = 0; i < 2; ++i) {
      const auto& [rows, inner] = sizes[2 * i + (&format - formats.data()) % 2];
      const std::vector<array> q = quantize(matrix(inner, 384), format.group, format.bits, format.mode);
      const array back = dequantize(q[0], q[1], q.size() > 2 ? std::optional(q[2]) : std::nullopt, format.group,
                                    format.bits, format.mode, {}, float32);
      const auto f = compile([&](const std::vector<array>& in) {
        const std::optional<array> bias = q.size() > 2 ? std::optional(in[3]) : std::nullopt;
        return std::vector<array>{
            quantized_matmul(in[0], in[1], in[2], bias, false, format.group, format.bits, format.mode)};
      });
      const std::string name = format.mode + " " + std::to_string(format.bits) + " bits, " + std::to_string(rows) +
                               " rows of " + std::to_string(inner);
      for (const float scale : {0.25f, 1e-30f, 1e30f}) {
        std::vector<array> in{matrix(rows, inner) * scale};
        in.insert(in.end(), q.begin(), q.end());
        const auto product = [&](int threads) {
          set_num_threads(threads);
          return astype(f(in)[0], float64);
        };
        const array got = product(1), want = matmul(astype(matrix(rows, inner), float64), astype(back, float64));
        EXPECT_TRUE(array_equal(got, product(3)).item<bool>()) << name;
        EXPECT_TRUE(allclose(got / array(scale, float64), want, 1e-5, 1e-5 * std::sqrt(inner)).item<bool>())
            << name << " " << scale;
        const int most = format.mode != "affine" ? 8 : 32 % format.bits == 0 ? 12 : 4;
        const bool stores = f.lower(in).kernels.find("[" + std::to_string(back.size()) + "] out") != std::string::npos;
        EXPECT_EQ(stores, rows > most) << name;
      }
    }
  set_num_threads(before);
}

// A batch of weights, which may be picked by indices, has products of its own.
TEST(Quantised, FewRowsByABatchOfWeightsThatAreNotTransposed) {
  const array w = reshape(matrix(3 * 40, 128), {3, 40, 128});
  const std::vector<array> q = quantize(w, 32, 4);
  const array back = dequantize(q[0], q[1], q[2], 32, 4), x = reshape(matrix(6, 40), {3, 2, 40});
  EXPECT_TRUE(allclose(quantized_matmul(x, q[0], q[1], q[2], false, 32, 4), matmul(x, back), 1e-4, 1e-4).item<bool>());
  const array picks({2, 0, 0, 1}, uint32);
  const array got =
      gather_qmm(reshape(x, {3, 1, 2, 40}), reshape(q[0], {3, 40, -1}), q[1], q[2], std::nullopt, picks, false, 32, 4);
  const array want = matmul(reshape(x, {3, 1, 2, 40}), take(back, picks, 0));
  EXPECT_EQ(got.shape(), want.shape());
  EXPECT_TRUE(allclose(got, want, 1e-4, 1e-4).item<bool>());
}

// More rows than registers hold the sums of go by parts, which share neither a kernel nor stored codes.
TEST(Quantised, RowsGoByParts) {
  struct Case {
    std::string mode;
    int bits, group, rows, inner, columns;
    Dtype type = float32;
  };
  const std::vector<Case> cases{{"affine", 4, 64, 7, 320, 233, float32},  {"affine", 2, 32, 8, 416, 130, float32},
                                {"affine", 8, 64, 8, 192, 77, bfloat16},  {"affine", 4, 32, 7, 96, 64, float16},
                                {"mxfp8", 8, 32, 12, 608, 111, float32},  {"mxfp8", 8, 32, 9, 96, 40, float32},
                                {"affine", 4, 128, 8, 1408, 96, float32}, {"affine", 1, 64, 7, 128, 50, float32}};
  const int before = num_threads();
  for (const Case& c : cases) {
    const std::vector<array> q = quantize(astype(matrix(c.columns, c.inner), c.type), c.group, c.bits, c.mode);
    const std::optional<array> bias = q.size() > 2 ? std::optional(q[2]) : std::nullopt;
    const array x = astype(matrix(c.rows, c.inner) * 0.25f, c.type);
    const auto f = compile([&](const std::vector<array>& in) {
      return std::vector<array>{quantized_matmul(in[0], in[1], q[1], bias, true, c.group, c.bits, c.mode)};
    });
    const auto with = [&](int threads) {
      set_num_threads(threads);
      return astype(f({x, q[0]})[0], float64);
    };
    const array one = with(1), three = with(3);
    const std::string name = c.mode + " " + std::to_string(c.bits) + " bits, rows " + std::to_string(c.rows);
    EXPECT_TRUE(array_equal(one, three).item<bool>()) << name;
    const array weights = astype(dequantize(q[0], q[1], bias, c.group, c.bits, c.mode), float64);
    const array expected = matmul(astype(x, float64), transpose(weights));
    const double near = c.type == float32 ? 1e-5 : 0.02;
    EXPECT_TRUE(allclose(one, expected, near, near * std::sqrt(c.inner)).item<bool>()) << name;
    const std::string kernels = f.lower({x, q[0]}).kernels;
    EXPECT_EQ(kernels.find("columns_at_once"), std::string::npos) << name;
    EXPECT_EQ(kernels.find("[" + std::to_string(weights.size()) + "] out"), std::string::npos) << name;
  }
  set_num_threads(before);
}

// Products of more rows make some columns of the operand at a time. Numbers follow the unpacked weights, and are
// the same for any number of threads.
TEST(Quantised, ColumnsAreUnpackedBesideTheProduct) {
  struct Case {
    std::string mode;
    int bits, group, rows, inner, columns;
    Dtype type = float32;
  };
  const std::vector<Case> cases{
      {"affine", 2, 32, 2, 416, 203, float32},   {"affine", 3, 64, 7, 448, 161, float32},
      {"affine", 4, 128, 17, 640, 131, float16}, {"affine", 5, 32, 33, 352, 197, float32},
      {"affine", 6, 64, 12, 576, 150, bfloat16}, {"affine", 8, 32, 64, 1120, 77, float32},
      {"affine", 8, 64, 3, 2240, 33, float16},   {"affine", 1, 64, 9, 320, 233, float32},
      {"mxfp4", 4, 32, 9, 544, 129, float32},    {"mxfp8", 8, 32, 21, 608, 111, float32},
      {"mxfp4", 4, 32, 8, 544, 129, float32},    {"affine", 4, 64, 6, 320, 233, float32},
      {"nvfp4", 4, 16, 5, 528, 140, bfloat16},
  };
  const int before = num_threads();
  for (const Case& c : cases) {
    const std::vector<array> q = quantize(astype(matrix(c.columns, c.inner), c.type), c.group, c.bits, c.mode);
    const std::optional<array> bias = q.size() > 2 ? std::optional(q[2]) : std::nullopt;
    const array x = astype(matrix(c.rows, c.inner) * 0.25f, c.type);
    std::vector<array> in{x, q[0], q[1]};
    if (bias) in.push_back(*bias);
    const auto f = compile([&](const std::vector<array>& in) {
      return std::vector<array>{quantized_matmul(
          in[0], in[1], in[2], in.size() > 3 ? std::optional(in[3]) : std::nullopt, true, c.group, c.bits, c.mode)};
    });
    const std::string name = c.mode + " " + std::to_string(c.bits) + " bits, rows " + std::to_string(c.rows);
    const auto with = [&](int threads) {
      set_num_threads(threads);
      return astype(f(in)[0], float64);
    };
    const array one = with(1), three = with(3);
    EXPECT_TRUE(array_equal(one, three).item<bool>()) << name;
    const array weights = astype(dequantize(q[0], q[1], bias, c.group, c.bits, c.mode), float64);
    const array expected = matmul(astype(x, float64), transpose(weights));
    const double near = c.type == float32 ? 1e-5 : 0.02;
    EXPECT_TRUE(allclose(one, expected, near, near * std::sqrt(c.inner)).item<bool>()) << name;
    // Fewer take codes apart in registers.
    const int most = c.mode == "affine" ? (32 % c.bits == 0 ? 8 : 6) : c.bits == 8 && c.type == float32 ? 12 : 8;
    EXPECT_EQ(f.lower(in).kernels.find("columns_at_once") != std::string::npos, c.rows > most) << name;
  }
  set_num_threads(before);
}

TEST(Quantised, BothOperands) {
  const array x = matrix(2, 64), w = matrix(3, 64);
  for (const std::string mode : {"mxfp4", "mxfp8", "nvfp4"}) {
    const auto through = [&](const array& a) {
      const std::vector<array> q = quantize(a, {}, {}, mode);
      return dequantize(q[0], q[1], {}, {}, {}, mode, {}, float32);
    };
    const array want = matmul(through(x), transpose(through(w)));
    EXPECT_TRUE(allclose(qqmm(x, w, {}, {}, {}, mode), want, 1e-4, 1e-4).item<bool>()) << mode;
    const std::vector<array> q = quantize(w, {}, {}, mode);
    EXPECT_TRUE(allclose(qqmm(x, q[0], q[1], {}, {}, mode), want, 1e-4, 1e-4).item<bool>()) << mode;
  }
  EXPECT_THROW(qqmm(x, w, {}, {}, {}, "affine"), RuntimeError);
}

TEST(Quantised, SegmentedProducts) {
  const array segments({0, 2, 2, 6, 6, 6}, {3, 2});
  EXPECT_EQ(values<float>(segmented_mm(ones({1, 6}), ones({6, 2}), segments)), (Floats{2, 2, 4, 4, 0, 0}));
  EXPECT_THROW(segmented_mm(ones({2, 3}), ones({2, 4}), segments), InvalidArgument);
  EXPECT_THROW(segmented_mm(ones({2, 3}), ones({3, 4}), ones({3, 2})), InvalidArgument);
}

TEST(Quantised, ProductsOfPickedMatrices) {
  const array a = reshape(arange(24.0), {3, 2, 4}), b = reshape(arange(36.0), {3, 4, 3});
  const array picks({2, 0}, uint32);
  const array got = gather_mm(a, b, picks, array({1, 1}, uint32));
  EXPECT_EQ(got.shape(), (Shape{2, 2, 3}));
  const auto one = [](const array& x, int i) {
    return squeeze(slice(x, {i, 0, 0}, {i + 1, x.shape(1), x.shape(2)}), 0);
  };
  EXPECT_EQ(values<float>(one(got, 0)), values<float>(matmul(one(a, 2), one(b, 1))));
  EXPECT_EQ(values<float>(gather_mm(a, b)), values<float>(matmul(a, b)));
  const array w = reshape(matrix(3 * 8, 64), {3, 8, 64});
  const std::vector<array> q = quantize(w);
  const array x = reshape(matrix(4, 64), {2, 2, 64});
  const array product = gather_qmm(x, q[0], q[1], q[2], std::nullopt, picks);
  const array back = dequantize(q[0], q[1], q[2]);
  EXPECT_TRUE(allclose(one(product, 0), matmul(one(x, 0), transpose(one(back, 2))), 1e-4, 1e-4).item<bool>());
  EXPECT_THROW(gather_mm(ones({2, 3}), ones({2, 4})), InvalidArgument);
  EXPECT_THROW(gather_qmm(x, q[0], q[1], q[2], std::nullopt, array({0.5f})), InvalidArgument);
}

TEST(Quantised, Errors) {
  const array w = row();
  const std::vector<array> q = quantize(w, 32, 4);
  const auto refuses = [](auto call) { return !thrown<InvalidArgument>(call).empty(); };
  EXPECT_TRUE(refuses([&] { quantize(w, 32, 7); }));
  EXPECT_TRUE(refuses([&] { quantize(w, 16, 4); }));
  EXPECT_TRUE(refuses([&] { quantize(reshape(w, {64})); }));
  EXPECT_TRUE(refuses([&] { quantize(astype(w, int32)); }));
  EXPECT_TRUE(refuses([&] { quantize(ones({2, 40}), 32); }));
  EXPECT_TRUE(refuses([&] { quantize(w, {}, {}, "foo"); }));
  EXPECT_TRUE(refuses([&] { quantize(w, {}, 8, "mxfp4"); }));
  EXPECT_TRUE(refuses([&] { quantize(w, 64, {}, "mxfp4"); }));
  EXPECT_TRUE(refuses([&] { quantize(w, {}, {}, "affine", array(1.0f)); }));
  EXPECT_TRUE(refuses([&] { dequantize(q[0], q[1], std::nullopt, 32, 4); }));
  EXPECT_TRUE(refuses([&] { dequantize(q[0], q[1], q[2], 64, 4); }));
  EXPECT_TRUE(refuses([&] { dequantize(astype(q[0], int32), q[1], q[2], 32, 4); }));
  EXPECT_TRUE(refuses([&] { quantized_matmul(ones({2, 32}), q[0], q[1], q[2], true, 32, 4); }));
  EXPECT_TRUE(refuses([&] { to_fp8(array({1, 2})); }));
  EXPECT_TRUE(refuses([&] { from_fp8(array({1, 2}), float32); }));
  EXPECT_TRUE(refuses([&] { from_fp8(array({1, 2}, uint8), int32); }));
  const std::string message = thrown<InvalidArgument>([&] { quantize(w, 32, 7); });
  EXPECT_TRUE(contains(message, "quantize: mode 'affine' has no number of bits 7")) << message;
}
