// Forms that programs for MLX use: they compile and mean the same here.
#include <fcntl.h>
#include <frit/mlx.h>
#include <frit/types/limits.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <functional>

#include "tests/frontend/helpers.h"

namespace frit::test::moved_programs_test {
namespace {

TEST(MovedPrograms, BracesBehindValuesAreAShape) {
  const array scalar({7}, {});
  EXPECT_EQ(scalar.ndim(), 0u);
  EXPECT_EQ(scalar.dtype(), int32);
  EXPECT_THROW(array({1, 2, 3}, {}), InvalidArgument);
  EXPECT_EQ(array({1, 2}, TypeToDtype<float>()).dtype(), float32);
  EXPECT_EQ(array({}, int8).dtype(), int8);
}

TEST(MovedPrograms, BracesBehindASizeAreTheDefaultStream) {
  EXPECT_EQ(zeros({2}, {}).dtype(), float32);
  EXPECT_EQ(ones({2}, {}).dtype(), float32);
  EXPECT_EQ(full({2}, 1.0f, {}).dtype(), float32);
  EXPECT_EQ(full_like(array(1), 2, {}).dtype(), int32);
  EXPECT_EQ(arange(0.0, 1.0, 0.25, {}).shape(), (Shape{4}));
  EXPECT_EQ(arange(3, {}).dtype(), int32);
  EXPECT_EQ(identity(2, {}).shape(), (Shape{2, 2}));
  EXPECT_EQ(random::uniform({2}, {}).dtype(), float32);
  EXPECT_EQ(random::normal({2}, {}).dtype(), float32);
}

TEST(MovedPrograms, PadTakesBracesForAxesAndSizes) {
  const array x({1, 2, 3, 4}, {2, 2});
  EXPECT_EQ(pad(x, {0}, {1}, {2}).shape(), (Shape{5, 2}));
  EXPECT_EQ(pad(x, {0, 1}, {1, 0}, {0, 1}, array(9)).shape(), (Shape{3, 3}));
  EXPECT_EQ(pad(x, {1, 1}).shape(), (Shape{4, 4}));
  EXPECT_EQ(pad(x, {{1, 1}, {0, 2}}).shape(), (Shape{4, 4}));
}

TEST(MovedPrograms, AStreamOrDeviceIsAVariant) {
  StreamOrDevice s = std::monostate{};
  EXPECT_TRUE(std::holds_alternative<std::monostate>(s));
  s = Device::cpu;
  EXPECT_EQ(std::get<Device::DeviceType>(s), Device::cpu);
  s = default_stream(Device::cpu);
  EXPECT_EQ(std::get<Stream>(s), default_stream(Device::cpu));
  EXPECT_EQ(add(array(1), array(2), s).item<int>(), 3);
  EXPECT_THROW(StreamContext{StreamOrDevice()}, RuntimeError);
}

TEST(MovedPrograms, HalvesHaveLimitsAndAssignments) {
  EXPECT_EQ(static_cast<float>(numeric_limits<float16_t>::max()), 65504.0f);
  EXPECT_EQ(static_cast<float>(numeric_limits<float16_t>::lowest()), -65504.0f);
  EXPECT_EQ(static_cast<float>(numeric_limits<float16_t>::epsilon()), std::ldexp(1.0f, -10));
  EXPECT_EQ(static_cast<float>(numeric_limits<bfloat16_t>::epsilon()), std::ldexp(1.0f, -7));
  EXPECT_TRUE(std::isinf(static_cast<float>(numeric_limits<bfloat16_t>::infinity())));
  EXPECT_EQ(numeric_limits<float>::max(), std::numeric_limits<float>::max());
  float16_t h = 1.5f;
  h += 1.0f;
  h *= h;
  h -= 0.25f;
  h /= 2;
  EXPECT_EQ(static_cast<float>(h), 3.0f);
  bfloat16_t b = 256.0f;
  b += 1;  // rounded to even
  EXPECT_EQ(static_cast<float>(b), 256.0f);
  static_assert(is_vector_v<Shape> && !is_vector_v<int> && is_arrays_v<array, const array&> && !is_array_v<int>);
}

TEST(MovedPrograms, ComplexNumbersStandBesideOthersAndHaveAnOrder) {
  using C = complex64_t;
  static_assert(C(1, 2) + 1 == C(2, 2) && 1 + C(1, 2) == C(2, 2) && C(1, 2) - 2u == C(-1, 2) &&
                true - C(1, 2) == C(0, -2));
  static_assert(C(1, 2) * int64_t{2} == C(2, 4) && size_t{3} * C(1, 2) == C(3, 6) && C(2, 4) / 2 == C(1, 2));
  static_assert(C(1, 0) == 1 && true == C(1, 0) && C(1, 2) != 1 && 2u != C(1, 0));
  static_assert(std::is_same_v<decltype(C() + 1), C> && std::is_same_v<decltype(C() * 2.0f), C>);
  EXPECT_EQ(float16_t(2.0f) * C(1, 2), C(2, 4));
  EXPECT_EQ(C(1, 2) - bfloat16_t(1.0f), C(0, 2));
  EXPECT_EQ(4 / C(0, 2), C(0, -2));
  EXPECT_TRUE(C(2, 0) == float16_t(2.0f) && bfloat16_t(3.0f) != C(2, 0));
  EXPECT_TRUE(C(1, 5) < C(2, 0) && C(1, 2) < C(1, 3) && !(C(1, 2) < C(1, 2)));
  EXPECT_TRUE(C(1, 2) <= C(1, 2) && C(2, 0) > C(1, 9) && C(1, 2) >= C(1, 2) && !(C(1, 2) >= C(1, 3)));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(C(nan, 0) < C(1, 0) || C(nan, 0) >= C(1, 0));
}

TEST(MovedPrograms, BracesBehindTheEndsOfASliceAreStrides) {
  const array x({1, 2, 3, 4}, {2, 2});
  EXPECT_EQ(slice(x, {0, 1}, {2, 2}).shape(), (Shape{2, 1}));
  EXPECT_EQ(slice(x, {0, 1}, {2, 2}, Device::cpu).shape(), (Shape{2, 1}));
  EXPECT_EQ(slice(x, {0, 0}, {2, 2}, {1, 2}).shape(), (Shape{2, 1}));
  EXPECT_THROW(slice(x, {0, 0}, {2, 2}, {}), std::invalid_argument);
  EXPECT_EQ(slice(array(7), {}, {}, {}).item<int>(), 7);
}

TEST(MovedPrograms, AnArrayWithoutAPrimitiveWaitsForMemory) {
  array a({2}, float32, nullptr, {});
  EXPECT_EQ(a.status(), array::Status::unscheduled);
  EXPECT_FALSE(a.has_primitive());
  EXPECT_THROW(eval(a), RuntimeError);
  EXPECT_THROW(eval(a + 1), RuntimeError);
  EXPECT_THROW(a.data<float>(), RuntimeError);
  EXPECT_THROW(compile([&](array x) { return x + a; })(ones({2})), RuntimeError);
  a.set_data(allocator::malloc(a.nbytes()));
  a.data<float>()[0] = 3;
  a.data<float>()[1] = 4;
  EXPECT_TRUE(a.is_available());
  EXPECT_EQ(sum(a).item<float>(), 7.0f);
  array b({2}, float32, nullptr, {});
  b.copy_shared_buffer(a);
  EXPECT_EQ(sum(b).item<float>(), 7.0f);
  EXPECT_THROW(array({-1}, float32, nullptr, {}), InvalidArgument);
}

TEST(MovedPrograms, GradientsComeInTheOrderOfTheArguments) {
  const std::function<array(const std::vector<array>&)> f = [](const auto& x) { return sum(x[0] * x[1] * x[1]); };
  const array v({1.0f, 2.0f});
  const std::vector<array> both = grad(f, std::vector<int>{1, 0})({v, v});
  EXPECT_EQ(values<float>(both[0]), (std::vector<float>{1, 4}));
  EXPECT_EQ(values<float>(both[1]), (std::vector<float>{2, 8}));
}

TEST(MovedPrograms, FilesAreOpenedByTheFirstUse) {
  char folder[] = "/tmp/frit_moved_XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const std::string path = std::string(folder) + "/a.npy";
  struct stat unused;
  {
    io::FileWriter writer(path);
    EXPECT_FALSE(writer.is_open());
    EXPECT_NE(stat(path.c_str(), &unused), 0);
    EXPECT_THROW(writer.write("x", 1), RuntimeError);
    EXPECT_THROW(writer.tell(), RuntimeError);
    writer.open();
    writer.write("abc", 3);
    writer.seek(1);
    EXPECT_EQ(writer.tell(), 1u);
    writer.write("X", 1);
    char read[4] = {};
    io::ParallelFileReader(path).read(read, 3);
    EXPECT_STREQ(read, "aXc");
  }
  const auto writer = std::make_shared<io::FileWriter>(path);
  save(writer, array({1, 2}));
  EXPECT_EQ(sum(load(path)).item<int>(), 3);  // while the writer is there
  const auto named = std::make_shared<io::FileWriter>(std::string(folder) + "/a.safetensors");
  save_safetensors(named, {{"a", array({1, 2})}});
  EXPECT_EQ(sum(load_safetensors(std::string(folder) + "/a.safetensors").first.at("a")).item<int>(), 3);
  EXPECT_THROW(load_gguf(std::string(folder) + "/none.gguf"), InvalidArgument);
  EXPECT_THROW(save_gguf(std::string(folder) + "/b.gguf", {{"a", ones({2})}}, {{"n", std::monostate()}}), RuntimeError);
}

TEST(MovedPrograms, ArgumentsAreRefusedAsThere) {
  const array logits = ones({2, 3}), key = random::key(0);
  EXPECT_THROW(fast::cross_entropy(logits, array({0})), InvalidArgument);
  EXPECT_THROW(fast::cross_entropy(astype(logits, int32), array({0, 1})), InvalidArgument);
  EXPECT_EQ(fast::cross_entropy(astype(logits, float16), array({0, 1})).shape(), (Shape{2}));
  EXPECT_THROW(random::bernoulli(1, key), InvalidArgument);
  EXPECT_EQ(random::bernoulli(0.5, {2}, key).shape(), (Shape{2}));
  EXPECT_THROW(linalg::norm(logits, 2.0, std::vector<int>{0, 1, 2}), InvalidArgument);
  EXPECT_THROW(fft::stft(ones({8}), 2), InvalidArgument);
  EXPECT_THROW(Event().stream(), RuntimeError);
  const std::vector<array> w = quantize(random::normal({3, 8, 64}, key));
  const array x = random::normal({2, 1, 64}, key), picks({0, 2});
  EXPECT_THROW(gather_qmm(x, w[0], w[1], w[2], std::nullopt, picks, true, 64, 4, "affine", array({1.0f, 2.0f, 3.0f})),
               InvalidArgument);
  EXPECT_EQ(gather_qmm(x, w[0], w[1], w[2], std::nullopt, picks, true, 64, 4, "affine", std::nullopt, true).shape(),
            (Shape{2, 1, 8}));
  const array q = random::normal({1, 2, 3, 8}, key);
  EXPECT_TRUE(array_equal(fast::scaled_dot_product_attention(q, q, q, 1.0f, "array"),
                          fast::scaled_dot_product_attention(q, q, q, 1.0f))
                  .item<bool>());
}

TEST(MovedPrograms, FilledArraysSpanTheirElements) {
  const array a = zeros({2, 3});
  eval(a);
  EXPECT_EQ(a.data_size(), 6u);
  EXPECT_EQ(a.strides(), (Strides{3, 1}));
}

TEST(MovedPrograms, FilledArraysTakeMemoryWhenTheyAreEvaluated) {
  if (default_device() != Device::cpu) GTEST_SKIP() << "memory of a GPU is counted by its driver";
  const auto grown = [](const std::function<array()>& make, bool member) {
    const size_t before = get_active_memory();
    array a = make();
    member ? a.eval() : eval(a);
    return get_active_memory() - before;
  };
  for (bool member : {false, true}) {
    EXPECT_GE(grown([] { return zeros({4096}); }, member), 16384u);
    EXPECT_GE(grown([] { return ones({64, 64}, float16); }, member), 8192u);
    EXPECT_GE(grown([] { return full({2, 1, 512}, 3, int64); }, member), 8192u);
    EXPECT_LT(grown([] { return broadcast_to(array(1.0f), {4096}); }, member), 4096u);
  }
  array a = full({4096}, 2.5f);
  eval(a);
  const float* memory = a.data<float>();
  a = a + 1;
  eval(a);
  EXPECT_EQ(a.data<float>(), memory) << "nobody else holds the operand";
  EXPECT_EQ(memory[0] + memory[4095], 7.0f);
  eval(zeros({0, 3}), array(1), zeros({}));
}

}  // namespace
}  // namespace frit::test::moved_programs_test
