// The fast functions. Expected values were measured from MLX.
#include <cmath>

#include "helpers.h"
#include "shapeless.h"

using namespace frit;

namespace {

using Floats = std::vector<float>;

void expect_near(const array& got, const Floats& want, float tolerance = 1e-5f) {
  const Floats numbers = values<float>(astype(got, float32));
  ASSERT_EQ(numbers.size(), want.size());
  float largest = 0;
  for (const float w : want) largest = std::max(largest, std::abs(w));
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(numbers[i], want[i], tolerance * largest) << i;
}

array numbers(const Shape& shape, float by) {
  int n = 1;
  for (const int d : shape) n *= d;
  return reshape(arange(static_cast<double>(n)), shape) * by;
}

array six() { return array({1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f}); }

struct Attention {
  array q = numbers({1, 4, 3, 2}, 0.125f), k = numbers({1, 2, 5, 2}, 0.0625f) - 0.5f, v = numbers({1, 2, 5, 2}, 1);
};

}  // namespace

TEST(Fast, RmsNorm) {
  const array x = numbers({2, 6}, 0.25f);
  expect_near(fast::rms_norm(x, six(), 1e-5f),
              {0x0.0p+0f, 0x1.52368ep-1f, 0x1.fb51d4p+0f, 0x1.fb51d4p+1f, 0x1.a6c432p+2f, 0x1.3d1326p+3f,
               0x1.625484p-1f, 0x1.9d629ap+0f, 0x1.625484p+1f, 0x1.09bf64p+2f, 0x1.71180ap+2f, 0x1.e73434p+2f});
  EXPECT_EQ(fast::rms_norm(astype(x, float16), six(), 1e-5f).dtype(), float32);
  EXPECT_EQ(fast::rms_norm(astype(x, bfloat16), std::nullopt, 1e-5f).dtype(), bfloat16);
}

TEST(Fast, LayerNorm) {
  const array x = numbers({2, 6}, 0.25f);
  const Floats row{-0x1.daf100p-2f, -0x1.835d64p-1f, 0x1.f28a70p-4f, 0x1.15e4e6p+1f, 0x1.590d30p+2f, 0x1.390d30p+3f};
  Floats both = row;
  both.insert(both.end(), row.begin(), row.end());
  expect_near(fast::layer_norm(x, six(), ones({6}), 1e-5f), both);
  const Floats plain = values<float>(fast::layer_norm(x, std::nullopt, std::nullopt, 1e-5f));
  for (size_t i = 0; i < 12; ++i) EXPECT_NEAR(plain[i] * static_cast<float>(i % 6 + 1) + 1, both[i], 1e-5f * 10) << i;
  EXPECT_EQ(fast::layer_norm(astype(x, float16), std::nullopt, ones({6}), 1e-5f).dtype(), float16);
}

TEST(Fast, NormsAreOneKernel) {
  const auto kernels = [](auto fn) {
    const auto f = compile([=](const std::vector<array>& in) { return std::vector<array>{fn(in[0], in[1])}; });
    return f.lower({zeros({64, 256}), zeros({256})}).kernel_count;
  };
  EXPECT_EQ(kernels([](const array& x, const array& w) { return fast::rms_norm(x, w, 1e-5f); }), 1);
  EXPECT_EQ(kernels([](const array& x, const array& w) { return fast::layer_norm(x, w, w, 1e-5f) * 2.0f; }), 1);
}

TEST(Fast, Rope) {
  const array x = numbers({1, 2, 6}, 0.25f);
  expect_near(fast::rope(x, 4, false, 100.0f, 0.5f, 3),
              {-0x1.feb7aap-2f, 0x1.14b6bcp-3f, 0x1.21bd54p-5f, 0x1.8ed0f2p-1f, 1, 1.25f, -0x1.38ae2ap+1f,
               0x1.44a2e4p+0f, 0x1.1034c0p-1f, 0x1.46c2d8p+1f, 2.5f, 2.75f});
  expect_near(fast::rope(x, 6, true, 100.0f, 1.0f, 1),
              {-0x1.aed548p-3f, 0x1.14a280p-3f, 0x1.4ffad8p-2f, 0x1.add9b4p-1f, 0x1.e1c0cap-1f, 0x1.4b8898p+0f,
               -0x1.1b9534p+1f, 0x1.45790cp-1f, 0x1.c13cfap-1f, 0x1.7099cep+1f, 0x1.1dfe06p+1f, 0x1.7c25dcp+1f});
  expect_near(
      fast::rope(x, 4, false, std::nullopt, 1.0f, 0, array({2.0f, 4.0f})),
      {0, 0.25f, 0.5f, 0.75f, 1, 1.25f, 0x1.6e1a70p-2f, 0x1.23916cp+0f, 0x1.3cb5fap+1f, 0x1.4e771cp+1f, 2.5f, 2.75f});
  const array first = expand_dims(slice(x, {0, 0, 0}, {1, 1, 6}), 1);
  expect_near(fast::rope(concatenate({first, first}, 0), 6, false, 10.0f, 1.0f, array({0, 2})),
              {0, 0.25f, 0.5f, 0.75f, 1, 1.25f, -0x1.5d2b92p-1f, -0x1.4d37fcp-1f, -0x1.15b398p-4f, -0x1.3f99ccp-2f,
               0x1.99426cp-1f, 0x1.583698p+0f});
  EXPECT_EQ(fast::rope(astype(x, bfloat16), 6, false, 10.0f, 1.0f, 0).dtype(), bfloat16);
}

TEST(Fast, Attention) {
  const Attention a;
  const array plain = fast::scaled_dot_product_attention(a.q, a.k, a.v, 0.5f);
  expect_near(slice(plain, {0, 0, 0, 0}, {1, 2, 3, 2}),
              {0x1.01fffcp+2f, 0x1.41fffcp+2f, 0x1.09fe50p+2f, 0x1.49fe50p+2f, 0x1.11f628p+2f, 0x1.51f628p+2f,
               0x1.19e26ep+2f, 0x1.59e26cp+2f, 0x1.21be2ap+2f, 0x1.61be28p+2f, 0x1.298492p+2f, 0x1.698494p+2f});
  const array causal = fast::scaled_dot_product_attention(a.q, a.k, a.v, 0.5f, "causal");
  expect_near(slice(causal, {0, 0, 0, 0}, {1, 2, 3, 2}),
              {0x1.015554p+1f, 0x1.815554p+1f, 0x1.8c7ea0p+1f, 0x1.063f50p+2f, 0x1.11f628p+2f, 0x1.51f628p+2f,
               0x1.114db8p+1f, 0x1.914db8p+1f, 0x1.aa49fcp+1f, 0x1.152500p+2f, 0x1.298492p+2f, 0x1.698494p+2f});
  const array keep = broadcast_to(array({true, false, true, true, false}), {3, 5});
  const array masked = fast::scaled_dot_product_attention(a.q, a.k, a.v, 0.5f, "", keep);
  expect_near(slice(masked, {0, 3, 0, 0}, {1, 4, 3, 2}),
              {0x1.c4b68cp+3f, 0x1.e4b68cp+3f, 0x1.c72194p+3f, 0x1.e72194p+3f, 0x1.c97694p+3f, 0x1.e97696p+3f});
  const array added = where(keep, array(0.0f), array(-std::numeric_limits<float>::infinity()));
  EXPECT_TRUE(allclose(fast::scaled_dot_product_attention(a.q, a.k, a.v, 0.5f, "array", added), masked).item<bool>());
  const array sinks =
      fast::scaled_dot_product_attention(a.q, a.k, a.v, 0.5f, "", std::nullopt, array({0.0f, 1.0f, 2.0f, 3.0f}));
  expect_near(slice(sinks, {0, 0, 0, 0}, {1, 2, 3, 2}),
              {0x1.ad2948p+1f, 0x1.0bcf56p+2f, 0x1.b66c9cp+1f, 0x1.0ff4cap+2f, 0x1.bf6af8p+1f, 0x1.13f82cp+2f,
               0x1.5772a2p+1f, 0x1.a56ce4p+1f, 0x1.5a72fep+1f, 0x1.a6f98cp+1f, 0x1.5d357ap+1f, 0x1.a8540cp+1f});
  // Where everything is masked, the mean of all values.
  const array nothing = fast::scaled_dot_product_attention(a.q, a.k, a.v, 0.5f, "", zeros({3, 5}, bool_));
  EXPECT_EQ(values<float>(nothing)[0], 4.0f);
}

TEST(Fast, AnyShape) {
  shapeless::agrees([](const array& x) { return fast::rms_norm(x, std::nullopt, 1e-5f); }, {{2, 3}, {4, 5}, {17, 64}});
  shapeless::agrees([](const array& x) { return fast::layer_norm(x, std::nullopt, std::nullopt, 1e-5f); },
                    {{2, 3}, {4, 5}, {17, 64}});
  shapeless::agrees([](const array& x) { return fast::rope(x, 8, false, 100.0f, 1.0f, 2); }, {{1, 3, 8}, {2, 5, 8}});
  shapeless::agrees(
      [](const array& q, const array& k) { return fast::scaled_dot_product_attention(q, k, k, 0.5f, "causal"); },
      {{{1, 2, 3, 4}, {1, 2, 5, 4}}, {{2, 2, 4, 4}, {2, 2, 9, 4}}});
}

TEST(Fast, Errors) {
  const array x = ones({2, 4}), r = ones({1, 2, 8});
  EXPECT_THROW(fast::rms_norm(x, ones({3}), 1e-5f), InvalidArgument);
  EXPECT_THROW(fast::rms_norm(x, ones({1, 4}), 1e-5f), InvalidArgument);
  EXPECT_THROW(fast::rms_norm(array(1.0f), std::nullopt, 1e-5f), InvalidArgument);
  EXPECT_THROW(fast::rms_norm(astype(x, int32), std::nullopt, 1e-5f), InvalidArgument);
  EXPECT_THROW(fast::layer_norm(x, std::nullopt, ones({3}), 1e-5f), InvalidArgument);
  EXPECT_THROW(fast::rope(r, 5, false, 1e4f, 1.0f, 0), InvalidArgument);
  EXPECT_THROW(fast::rope(r, 10, false, 1e4f, 1.0f, 0), InvalidArgument);
  EXPECT_THROW(fast::rope(x, 4, false, 1e4f, 1.0f, 0), InvalidArgument);
  EXPECT_THROW(fast::rope(r, 8, false, std::nullopt, 1.0f, 0), InvalidArgument);
  EXPECT_THROW(fast::rope(r, 8, false, 1e4f, 1.0f, 0, ones({4})), InvalidArgument);
  EXPECT_THROW(fast::rope(r, 8, false, 1e4f, 1.0f, array(1.5f)), InvalidArgument);
  EXPECT_THROW(fast::rope(r, 8, false, 1e4f, 1.0f, array({1, 2})), InvalidArgument);
  const Attention a;
  const auto attend = [&](const array& k, const std::string& mode = "", const std::optional<array>& mask = {},
                          const std::optional<array>& sinks = {}) {
    return fast::scaled_dot_product_attention(a.q, k, k, 1.0f, mode, mask, sinks);
  };
  EXPECT_THROW(attend(ones({1, 3, 5, 2})), InvalidArgument);
  EXPECT_THROW(attend(ones({2, 2, 5, 2})), InvalidArgument);
  EXPECT_THROW(attend(ones({1, 2, 5, 7})), InvalidArgument);
  EXPECT_THROW(attend(ones({2, 5, 2})), InvalidArgument);
  EXPECT_THROW(attend(a.k, "x"), InvalidArgument);
  EXPECT_THROW(attend(a.k, "", ones({3, 4})), InvalidArgument);
  EXPECT_THROW(attend(a.k, "", ones({3, 5}, complex64)), InvalidArgument);
  EXPECT_THROW(attend(a.k, "", {}, ones({3})), InvalidArgument);
  EXPECT_TRUE(contains(thrown<RuntimeError>([kernel = fast::metal_kernel("k", {}, {}, "")] {
                         kernel({}, {}, {}, {}, {}, {}, {}, false, {});
                       }),
                       "are not to be had"));
  const CompileOptions relaxed{.math_mode = MathMode::Relaxed};
  EXPECT_EQ(relaxed.serialize(), 1);
  EXPECT_TRUE(fast::metal_kernel("k", {}, {}, "", "", true, false, relaxed) != nullptr);
  EXPECT_THROW(fast::cuda_kernel("k", {}, {}, ""), RuntimeError);
}
