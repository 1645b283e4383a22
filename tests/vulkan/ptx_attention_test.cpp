// Rows between products as PTX with a driver that only claims to take it: a function in its place computes what the
// arguments ask for, does nothing or refuses the text. Whatever it does, results are right.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "codegen/ptx/attention.h"
#include "frontend/frit/frit.h"
#include "tests/vulkan/ptx_driver.h"

namespace frit {
namespace {

using P = codegen::ptx::AttentionParameter;
using ptx_driver::Launch;
using ptx_driver::lose_device;
using ptx_driver::Mode;
using ptx_driver::state;
using ptx_driver::told;

// Read once for a launch, as a text is long and its elements are many.
struct FakeFunction {
  explicit FakeFunction(const ptx_driver::Kernel& k)
      : bfloat(k.has("f32.bf16.bf16")),
        single(k.has("tf32")),
        causal(k.has("%nctaid.x")),
        masked(k.has("[p" + std::to_string(P::kMaskColumn) + "]")),
        hides(k.has("ld.global.nc.u8")),
        adds_single(single && k.has("ld.global.nc.b32 %r")) {}
  bool bfloat, single, causal, masked, hides, adds_single;
};

struct Arguments {
  const Launch& launch;
  const FakeFunction f{*launch.kernel};
  int64_t at(size_t i) const { return static_cast<int64_t>(launch.arguments[i]); }
  float number(size_t i) const {
    const auto bits = static_cast<uint32_t>(at(i));
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  float element(int64_t address, bool single) const {
    if (single) return *reinterpret_cast<const float*>(address);
    const auto bits = *reinterpret_cast<const uint16_t*>(address);
    return f.bfloat ? bfloat_bits_to_float(bits) : half_bits_to_float(bits);
  }
};

void compute(const Launch& launch) {
  const Arguments x{launch};
  const int64_t m = x.at(P::kRowCount), d = x.at(P::kDepth), n = x.at(P::kKeyCount), e = x.at(P::kBreadth);
  const bool single = x.f.single;
  const int64_t bytes = single ? 4 : 2;
  const auto line = [&](int64_t address, int64_t count) {
    std::vector<float> all;
    for (int64_t k = 0; k < count; ++k) all.push_back(x.element(address + k * bytes, single));
    return all;
  };
  int64_t batches = 1;
  for (size_t i = 0; i < 4; ++i) batches *= x.at(P::kBatchSizes + i);
  for (int64_t batch = 0; batch < batches; ++batch) {
    int64_t start[4] = {x.at(P::kOfA), x.at(P::kOfB), x.at(P::kOfC), x.at(P::kOfMask)}, rest = batch;
    for (size_t axis = 4; axis-- > 0; rest /= x.at(P::kBatchSizes + axis))
      for (size_t o = 0; o < 4; ++o) start[o] += rest % x.at(P::kBatchSizes + axis) * x.at(P::kStepsA + 4 * o + axis);
    for (size_t o = 0; o < 3; ++o) EXPECT_EQ(start[o] % 16 + x.at(P::kPitchA + o) % 16, 0);
    std::vector<float> keys, values;
    for (int64_t j = 0; j < n; ++j) {
      for (const float v : line(start[1] + j * x.at(P::kPitchB), d)) keys.push_back(v);
      for (const float v : line(start[2] + j * x.at(P::kPitchC), e)) values.push_back(v);
    }
    for (int64_t i = 0; i < m; ++i) {
      std::vector<float> scores(static_cast<size_t>(n)), sums(static_cast<size_t>(e));
      const bool sees = i + n - m >= 0 || x.at(P::kHiddenIsFinite) == 0;
      const std::vector<float> query = line(start[0] + i * x.at(P::kPitchA), d);
      for (int64_t j = 0; j < n; ++j) {
        float& score = scores[static_cast<size_t>(j)] = 0;
        const float* key = keys.data() + j * d;
        for (const float v : query) score += v * *key++;
        score *= x.number(P::kScale);
        if (x.f.causal && j > i + n - m) score = x.f.masked ? x.number(P::kHidden) : sees ? -INFINITY : 0;
        if (!x.f.masked) continue;
        const int64_t mask = start[3] + i * x.at(P::kMaskRow) + j * x.at(P::kMaskColumn);
        if (!x.f.hides)
          score += x.element(mask, x.f.adds_single) * 1.44269504f;
        else if (!*reinterpret_cast<const uint8_t*>(mask))
          score = x.number(P::kHidden);
      }
      const float top = *std::max_element(scores.begin(), scores.end());
      float sum = 0;
      for (int64_t j = 0; j < n; ++j) {
        const float weight = std::exp2(scores[static_cast<size_t>(j)] - top);
        sum += weight;
        ptx_driver::add_scaled(sums.data(), weight, values.data() + j * e, e);
      }
      const float factor = 1.0f / sum;
      for (int64_t k = 0; k < e; ++k) {
        const float value = sums[static_cast<size_t>(k)] * factor;
        const int64_t to = x.at(P::kOfResult) + ((batch * m + i) * e + k) * bytes;
        if (single)
          *reinterpret_cast<float*>(to) = value;
        else
          *reinterpret_cast<uint16_t*>(to) = x.f.bfloat ? float_to_bfloat_bits(value) : float_to_half_bits(value);
      }
    }
  }
}

class PtxAttention : public ptx_driver::PtxTest {
 protected:
  static void SetUpTestSuite() {
    ptx_driver::install();
    state().compute = &compute;
    state().look = [](const Launch& l) { EXPECT_EQ(l.arguments.size(), size_t{P::kCount}); };
  }

  struct Case {
    Dtype type = float32;
    int heads, shared, m, n, d;  // as many heads of keys
    std::string mask = "";       // "causal", "keep", "add"
  };
  // How far the GPU's results are from the CPU's in float32.
  static float difference(const Case& c) {
    std::mt19937 random(static_cast<uint32_t>(c.m + c.n * 3 + c.d * 7));
    const auto draw = [&](Shape shape, Dtype type) {
      std::vector<float> all(static_cast<size_t>(shape[0] * shape[1] * shape[2] * shape[3]));
      for (float& v : all) v = static_cast<float>(static_cast<int>(random() % 9) - 4) / 4;
      array x = astype(array(all.begin(), shape, float32), type);
      x.eval();
      return x;
    };
    const array q = draw({1, c.heads, c.m, c.d}, c.type), k = draw({1, c.shared, c.n, c.d}, c.type),
                v = draw({1, c.shared, c.n, c.d}, c.type);
    std::optional<array> mask;
    if (c.mask == "keep") mask = greater(draw({1, 1, c.m, c.n}, float32), array(-0.6f));
    if (c.mask == "add") mask = draw({1, 1, c.m, c.n}, c.type);
    if (mask) mask->eval();
    synchronize();
    const std::string way = c.mask == "causal" ? "causal" : mask ? "array" : "";
    const auto attend = [&](Dtype type) {
      std::optional<array> own = mask;
      if (c.mask == "add") own = astype(*mask, type);
      array out =
          astype(fast::scaled_dot_product_attention(astype(q, type), astype(k, type), astype(v, type), 0.25f, way, own),
                 float32);
      out.eval();
      return out;
    };
    const array got = attend(c.type);
    synchronize();
    set_default_device(Device::cpu);
    const float most = max(abs(got - attend(float32))).item<float>();
    set_default_device(Device::gpu);
    return most;
  }
  static bool is_right(const Case& c) {
    return difference(c) <= (c.type == bfloat16 ? 0.02f : c.type == float16 ? 0.003f : 1e-5f);
  }
};

TEST_F(PtxAttention, EveryTypeAndMaskPassesItsTrialAndIsLaunched) {
  const char* shared = std::getenv("FRIT_VULKAN_SHARED");
  if (shared && std::string(shared) == "0") GTEST_SKIP() << "the function would read before copies are there";
  for (const Dtype type : {float16, bfloat16, float32})
    for (const char* mask : {"", "causal", "keep", "add"}) {
      SCOPED_TRACE(std::to_string(type.size()) + (type == bfloat16 ? " bf16 " : " ") + mask);
      state().launches = 0;
      EXPECT_TRUE(is_right({type, 4, 4, 40, 72, 24, mask}));
      EXPECT_EQ(state().launches, 2) << "a trial, and the work";
      EXPECT_TRUE(is_right({type, 4, 2, 40, 72, 24, mask})) << "heads that share keys";
      EXPECT_EQ(state().launches, 3);
      EXPECT_TRUE(is_right({type, 3, 3, 60, 90, 64, mask}));
      EXPECT_TRUE(is_right({type, 1, 1, 40, 50, 128, mask}));
      EXPECT_EQ(state().launches, 7) << "trials of other tiles";
    }
  EXPECT_TRUE(state().notices.empty()) << state().notices.front();
}

TEST_F(PtxAttention, OtherFormsTakeWhatCopiesCannot) {
  EXPECT_TRUE(is_right({float16, 2, 2, 40, 72, 20}));
  EXPECT_TRUE(is_right({float32, 2, 2, 40, 72, 33}));
  EXPECT_EQ(state().launches, 0);
}

}  // namespace

// Texts are known to a device once they were taken, so these have devices of their own.
namespace {

TEST_F(PtxAttention, ARefusedTextIsPassedOver) {
  lose_device();
  state().mode = Mode::Refuses;
  EXPECT_TRUE(is_right({float16, 2, 2, 40, 72, 24}));
  EXPECT_EQ(state().launches, 0);
  EXPECT_TRUE(told("cannot take the ptx"));
}

TEST_F(PtxAttention, AFormThatFailsItsTrialIsPassedOver) {
  lose_device();
  state().mode = Mode::DoesNothing;
  const Case c{bfloat16, 2, 2, 40, 72, 24};
  EXPECT_TRUE(is_right(c));
  const int tried = state().launches;
  EXPECT_GT(tried, 0);
  EXPECT_TRUE(is_right(c));
  EXPECT_EQ(state().launches, tried) << "none is tried again";
  EXPECT_TRUE(told("gave wrong numbers"));
}

}  // namespace
}  // namespace frit
