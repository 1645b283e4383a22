// Random numbers: the same key gives MLX's numbers. Expected values were measured from MLX.
#include <set>

#include "helpers.h"
#include "shapeless.h"

using namespace frit;

namespace {

using Floats = std::vector<float>;

array key42() { return random::key(42); }

void expect_close_to(const array& got, const Floats& want, float tolerance) {
  const Floats values_got = values<float>(astype(got, float32));
  ASSERT_EQ(values_got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(values_got[i], want[i], tolerance * std::abs(want[i])) << i;
}

}  // namespace

TEST(Random, KeyHoldsBothHalvesOfItsNumber) {
  EXPECT_EQ(values<uint32_t>(random::key(0)), (std::vector<uint32_t>{0, 0}));
  EXPECT_EQ(values<uint32_t>(random::key((uint64_t{7} << 32) + 5)), (std::vector<uint32_t>{7, 5}));
  EXPECT_EQ(random::key(1).dtype(), uint32);
}

TEST(Random, SplitGivesRowsOfKeys) {
  EXPECT_EQ(values<uint32_t>(random::split(key42(), 3)),
            (std::vector<uint32_t>{3134548294, 3733159049, 3746501087, 894150801, 801545058, 2363201431}));
  const auto [a, b] = random::split(key42());
  EXPECT_EQ(values<uint32_t>(a), (std::vector<uint32_t>{2465931498, 3679230171}));
  EXPECT_EQ(values<uint32_t>(b), (std::vector<uint32_t>{255383827, 267815257}));
  EXPECT_EQ(random::split(key42(), 0).shape(), (Shape{0, 2}));
}

TEST(Random, BitsOfEveryWidthAndLength) {
  // Narrow numbers are the bytes of the words of a draw of as many bytes. Draws of many words compute two at a time.
  for (const int n : {1, 2, 3, 4, 5, 7, 8, 31, 64, 2048, 4001, 8200, 100003}) {
    const array words = random::bits({(n + 3) / 4}, key42());
    const array bytes = random::bits({n}, 1, key42()), halves = random::bits({(n + 1) / 2}, 2, key42());
    EXPECT_EQ(bytes.dtype(), uint8);
    EXPECT_EQ(halves.dtype(), uint16);
    const auto all = values<uint8_t>(view(words, uint8)), narrow = values<uint8_t>(bytes);
    EXPECT_TRUE(std::equal(narrow.begin(), narrow.end(), all.begin())) << n;
  }
  EXPECT_EQ(random::bits({0, 3}).shape(), (Shape{0, 3}));
  EXPECT_EQ(values<uint32_t>(random::bits({2, 3, 4}, key42())), values<uint32_t>(random::bits({24}, key42())));
}

TEST(Random, Uniform) {
  EXPECT_EQ(values<float>(random::uniform({1}, key42())), (Floats{0x1.b4f812p-2f}));
  EXPECT_EQ(values<float>(random::uniform({4}, key42())),
            (Floats{0x1.25f642p-1f, 0x1.b69932p-1f, 0x1.e71b22p-5f, 0x1.fed12cp-5f}));
  EXPECT_EQ(values<float>(random::uniform({5}, key42())),
            (Floats{0x1.75aad2p-1f, 0x1.bd06fap-1f, 0x1.924e1cp-3f, 0x1.aa5d44p-3f, 0x1.7e34dcp-3f}));
  EXPECT_EQ(values<float>(astype(random::uniform({3}, float16, key42()), float32)),
            (Floats{0x1.26p-1f, 0x1.9a4p-4f, 0x1.e7p-5f}));
  EXPECT_EQ(values<float>(astype(random::uniform({3}, bfloat16, key42()), float32)),
            (Floats{0x1.26p-1f, 0x1.9ap-4f, 0x1.e8p-5f}));
  EXPECT_EQ(values<float>(random::uniform(array({-1.0f, 2.0f}), array(5.0f), {3, 2}, float32, key42())),
            (Floats{0x1.b0803cp+1f, 0x1.26e29ep+2f, 0x1.0ef69cp+2f, 0x1.4ff17cp+1f, 0x1.ea7a4p-4f, 0x1.d34964p+1f}));
  EXPECT_EQ(random::uniform(0, 3, {2}, bfloat16).dtype(), bfloat16);
}

TEST(Random, Normal) {
  expect_close_to(random::normal({5}, key42()),
                  {0x1.397adap-1f, 0x1.1f61f8p+0f, -0x1.b575a0p-1f, -0x1.a01e76p-1f, -0x1.c7e320p-1f}, 1e-6f);
  expect_close_to(random::normal({3}, 1.5f, 2.0f, key42()), {0x1.dfb608p+0f, -0x1.0fb164p+0f, -0x1.9e5e3cp+0f}, 1e-6f);
  expect_close_to(random::normal({3}, bfloat16, key42()), {0x1.7ep-3f, -0x1.48p+0f, -0x1.8ep+0f}, 1e-2f);
  const array z = random::normal({2}, complex64, array(complex64_t(1, 2)), array(2.0f), std::optional<array>(key42()));
  EXPECT_EQ(z.dtype(), complex64);
  expect_close_to(view(z, float32), {0x1.43ad8cp+0f, 0x1.c0d894p+1f, -0x1.34881p+0f, -0x1.5eb0cp-3f}, 1e-5f);
}

TEST(Random, Integers) {
  EXPECT_EQ(values<int>(random::randint(-5, 5, {8}, int32, key42())), (std::vector<int>{1, 0, -3, -3, 2, -3, -5, -5}));
  EXPECT_EQ(values<int>(random::randint(5, -5, {3}, int32, key42())), (std::vector<int>{5, 5, 5}));
  // Bounds that are no integers: from the first, rounded towards zero, to below the last less one.
  for (const auto& [low, high, least, most] :
       {std::tuple(0.5f, 5.5f, 0, 4), std::tuple(-5.5f, 5.5f, -5, 4), std::tuple(-0.5f, 0.5f, 0, 0)}) {
    const array drawn = random::randint(array(low), array(high), {400}, int32, key42());
    EXPECT_EQ(min(drawn).item<int>(), least);
    EXPECT_EQ(max(drawn).item<int>(), most);
  }
  EXPECT_TRUE(all(random::randint(-3, 9, {50}, bool_, key42())).item<bool>());
  EXPECT_EQ(values<uint8_t>(random::randint(0, 200, {5}, uint8, key42())),
            (std::vector<uint8_t>{145, 173, 39, 41, 37}));
  EXPECT_EQ(values<bool>(random::randint(0, 2, {5}, bool_, key42())),
            (std::vector<bool>{true, true, false, false, false}));
}

TEST(Random, Bernoulli) {
  EXPECT_EQ(values<bool>(random::bernoulli(0.3f, {8}, key42())),
            (std::vector<bool>{false, false, true, true, false, true, true, true}));
  EXPECT_EQ(values<bool>(random::bernoulli(array({0.0f, 1.0f, 0.5f}), {2, 3}, key42())),
            (std::vector<bool>{false, true, false, false, true, false}));
  EXPECT_TRUE(all(random::bernoulli(1.0f, {100000})).item<bool>());
  EXPECT_FALSE(any(random::bernoulli(0.0f, {100000})).item<bool>());
  EXPECT_EQ(random::bernoulli().ndim(), 0u);
}

TEST(Random, OtherDistributions) {
  expect_close_to(random::truncated_normal(array(-1.0f), array(0.5f), {4}, float32, key42()),
                  {-0x1.6c4fbap-4f, 0x1.2b99b8p-2f, -0x1.c0d91ep-1f, -0x1.bdf2e2p-1f}, 1e-5f);
  EXPECT_EQ(random::truncated_normal(zeros({3, 1}), ones({2})).shape(), (Shape{3, 2}));
  expect_close_to(random::gumbel({4}, float32, key42()),
                  {0x1.2d9334p-1f, 0x1.ddb29ap+0f, -0x1.09a012p+0f, -0x1.05470cp+0f}, 1e-5f);
  expect_close_to(random::laplace({4}, 1.5f, 0.5f, key42()),
                  {0x1.6b747ap+0f, 0x1.c03252p-1f, 0x1.48463p+1f, 0x1.453b74p+1f}, 1e-5f);
}

TEST(Random, Categorical) {
  const array logits({0.0f, 1.0f, 2.0f, 1.0f, -1.0f, 0.5f}, {2, 3});
  using Positions = std::vector<uint32_t>;
  EXPECT_EQ(values<uint32_t>(random::categorical(logits, -1, key42())), (Positions{2, 2}));
  EXPECT_EQ(values<uint32_t>(random::categorical(logits, 0, key42())), (Positions{0, 0, 0}));
  EXPECT_EQ(values<uint32_t>(random::categorical(logits, -1, 4, key42())), (Positions{2, 2, 0, 2, 0, 0, 0, 0}));
  EXPECT_EQ(values<uint32_t>(random::categorical(logits, -1, Sizes{3, 2}, key42())), (Positions{2, 0, 1, 0, 2, 2}));
}

TEST(Random, BoundsAreArraysAndNumbers) {
  const array low({0.0f, 1.0f});
  EXPECT_EQ(values<float>(random::uniform(low, 3, {2}, float32, key42())),
            values<float>(random::uniform(low, array(3.0f), {2}, float32, key42())));
  EXPECT_EQ(values<int>(random::randint(2, array({5, 9}), {2}, int32, key42())),
            values<int>(random::randint(array(2), array({5, 9}), {2}, int32, key42())));
}

TEST(Random, CategoricalOfOneDistribution) {
  const array logits({0.0f, 0.5f, 1.5f, -1.0f, 2.0f});
  using Positions = std::vector<uint32_t>;
  EXPECT_EQ(values<uint32_t>(random::categorical(logits, -1, 6, key42())), (Positions{4, 4, 4, 2, 2, 4}));
  EXPECT_EQ(values<uint32_t>(random::categorical(logits, -1, Sizes{3}, key42())), (Positions{4, 1, 0}));
  EXPECT_EQ(random::categorical(logits, -1, key42()).item<uint32_t>(), 1u);
  // Further axes of one make it a draw by one number.
  EXPECT_EQ(values<uint32_t>(random::categorical(reshape(logits, {1, 5}), -1, key42())),
            values<uint32_t>(random::categorical(logits, -1, 1, key42())));
}

TEST(Random, Permutation) {
  EXPECT_EQ(values<uint32_t>(random::permutation(6, key42())), (std::vector<uint32_t>{4, 3, 5, 0, 1, 2}));
  const array rows = reshape(arange(6), {3, 2});
  EXPECT_EQ(values<int>(random::permutation(rows, 0, key42())), (std::vector<int>{4, 5, 2, 3, 0, 1}));
  EXPECT_EQ(random::permutation(rows, 1).shape(), (Shape{3, 2}));
  EXPECT_THROW(random::permutation(array(3.0f)), OutOfRange);
}

TEST(Random, MultivariateNormal) {
  const array cov({4.0f, 1.0f, 1.0f, 2.0f}, {2, 2});
  const array draws = random::multivariate_normal(array({1.0f, -1.0f}), cov, {20000}, float32, key42());
  EXPECT_EQ(draws.shape(), (Shape{20000, 2}));
  const array centred = draws - array({1.0f, -1.0f});
  EXPECT_TRUE(allclose(matmul(transpose(centred), centred) / 20000.0f, cov, 0.05, 0.05).item<bool>());
  // The batches of means and covariances broadcast against the shape.
  const array means({1.0f, -1.0f, 0.0f, 2.0f, 5.0f, 3.0f}, {3, 2});
  const array apart = random::multivariate_normal(means, cov, {}, float32, key42());
  EXPECT_TRUE(
      array_equal(apart, means + random::multivariate_normal(zeros({2}), cov, {3}, float32, key42())).item<bool>());
  EXPECT_EQ(random::multivariate_normal(means, cov, {1}, float32).shape(), (Shape{3, 2}));
  EXPECT_EQ(random::multivariate_normal(reshape(means, {3, 1, 2}), cov, {4}, float32).shape(), (Shape{3, 4, 2}));
  EXPECT_EQ(random::multivariate_normal(zeros({2}), stack({cov, cov}), {5, 1}, float32).shape(), (Shape{5, 2, 2}));
  EXPECT_THROW(random::multivariate_normal(means, cov, {4}, float32), InvalidArgument);
  EXPECT_THROW(random::multivariate_normal(zeros({2}), eye(3), {}, float32), InvalidArgument);
  EXPECT_THROW(random::multivariate_normal(zeros({2}), eye(2), {2}, float16), InvalidArgument);
}

TEST(Random, GlobalKeysFollowTheSeed) {
  random::seed(7);
  EXPECT_EQ(values<float>(random::uniform({2})), (Floats{0x1.078f8cp-1f, 0x1.418p-4f}));
  EXPECT_EQ(values<float>(random::uniform({2})), (Floats{0x1.9a432cp-1f, 0x1.79b64p-3f}));
  random::KeySequence sequence(7);
  EXPECT_EQ(values<float>(random::uniform({2}, sequence.next())), (Floats{0x1.078f8cp-1f, 0x1.418p-4f}));
}

TEST(Random, CompiledFunctionsDrawTheirKeyWhileTraced) {
  const auto draw = [](const std::vector<array>& in) { return std::vector<array>{in[0] + random::uniform({2})}; };
  const auto fixed = compile(draw);
  random::seed(7);
  const auto first = values<float>(fixed({zeros({2})})[0]);
  EXPECT_EQ(first, (Floats{0x1.078f8cp-1f, 0x1.418p-4f}));
  EXPECT_EQ(values<float>(fixed({zeros({2})})[0]), first);
  // With the key as state, every call goes on in the sequence.
  State keys{&random::KeySequence::default_().state()};
  const CompiledFunction fresh(draw, {.inputs = keys, .outputs = keys});
  random::seed(7);
  EXPECT_EQ(values<float>(fresh({zeros({2})})[0]), first);
  EXPECT_EQ(values<float>(fresh({zeros({2})})[0]), (Floats{0x1.9a432cp-1f, 0x1.79b64p-3f}));
  EXPECT_EQ(fresh.trace_count(), 1u);
}

TEST(Random, DrawsAreOneKernelAndFuse) {
  const auto kernels = [](const std::function<array(const array&, const array&)>& fn) {
    const auto f = compile([=](const std::vector<array>& in) { return std::vector<array>{fn(in[0], in[1])}; });
    return f.lower({random::key(1), zeros({33, 64})}).kernel_count;
  };
  EXPECT_EQ(kernels([](const array& key, const array&) { return random::normal({3, 1000}, key); }), 1);
  EXPECT_EQ(kernels([](const array& key, const array& x) {
              return where(random::bernoulli(array(0.9f), x.dims(), key), x / 0.9f, array(0.0f)) + 1.0f;
            }),
            1);
}

TEST(Random, AnyShapeFromOneTrace) {
  const auto like = [](auto draw) {
    return [draw](const array& x) { return draw(x.dims()) + astype(sum(x) * 0.0f, float32); };
  };
  const shapeless::Shapes shapes{{2, 3}, {4, 5}, {5, 1}, {1, 1}, {17, 64}, {7, 9}};
  shapeless::agrees(like([](const Sizes& s) { return random::normal(s, key42()); }), shapes);
  shapeless::agrees(like([](const Sizes& s) { return random::uniform(s, key42()); }), shapes);
  shapeless::agrees(like([](const Sizes& s) { return astype(random::bits(s, 1, key42()), float32); }), shapes);
  shapeless::agrees([](const array& x) { return random::categorical(x, -1, key42()); }, {{2, 3}, {4, 5}, {17, 64}});
}

TEST(Random, Errors) {
  const auto refused = [](auto call) { return thrown<InvalidArgument>(call); };
  EXPECT_EQ(refused([] { random::uniform({2}, array({1, 2})); }).find("uniform: the key is int32 (2), not two numbers"),
            0u);
  EXPECT_TRUE(contains(refused([] { random::bits({2}, array({1u, 2u, 3u})); }), "uint32 (3), not of shape (2)"));
  EXPECT_THROW(random::bits({2}, 3), InvalidArgument);
  EXPECT_THROW(random::bits({-1}, 4), InvalidArgument);
  EXPECT_THROW(random::split(key42(), -1), InvalidArgument);
  EXPECT_THROW(random::uniform({2}, int32), InvalidArgument);
  EXPECT_THROW(random::uniform({2}, float64), RuntimeError);
  EXPECT_THROW(random::uniform(zeros({3}), array(1.0f), {2}), InvalidArgument);
  EXPECT_THROW(random::normal({2}, int8), InvalidArgument);
  EXPECT_THROW(random::randint(0, 5, {2}, float32), InvalidArgument);
  EXPECT_THROW(random::bernoulli(array({1, 2})), InvalidArgument);
  EXPECT_THROW(random::bernoulli(array({0.5f, 0.5f}), {3}), InvalidArgument);
  EXPECT_THROW(random::truncated_normal(array(0), array(1), {2}, int8), InvalidArgument);
  EXPECT_THROW(random::gumbel({2}, float64), RuntimeError);
  EXPECT_THROW(random::laplace({2}, int8), InvalidArgument);
  EXPECT_THROW(random::categorical(array(1.0f)), OutOfRange);
  EXPECT_THROW(random::categorical(zeros({2, 3}), 4), OutOfRange);
  EXPECT_THROW(random::categorical(zeros({2, 3}), -1, Sizes{5}), InvalidArgument);
  EXPECT_THROW(random::categorical(zeros({2, 3}), -1, 0), InvalidArgument);
}
