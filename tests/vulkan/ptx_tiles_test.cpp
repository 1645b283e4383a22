// Products in tiles as PTX with a driver that only claims to take it (ptx_driver.h): a function in the
// kernel's place computes what the arguments ask for. Whatever it does, results are right.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "tests/vulkan/ptx_tiles.h"

namespace frit {
namespace {

using ptx_driver::Launch;
using ptx_driver::lose_device;
using ptx_driver::Mode;
using ptx_driver::state;
using ptx_driver::told;
using ptx_tiles::is_split;
using ptx_tiles::is_tiles;

int splits = 0;  // launches that sum parts of k

class PtxTiles : public ptx_driver::PtxTest {
 protected:
  static void SetUpTestSuite() {
    ptx_driver::install();
    state().compute = &ptx_tiles::compute;
    state().look = [](const Launch& l) {
      EXPECT_TRUE(is_tiles(l));
      splits += is_split(l);
    };
  }
  void SetUp() override {
    PtxTest::SetUp();
    splits = 0;
  }

  struct Case {
    Shape left, right;
    bool a_columns = false, b_columns = false;  // operands lie down their columns
  };
  // A product of small integers, whose sums are exact, on the GPU and by the CPU.
  static bool is_right(const Case& c, Dtype type) {
    std::mt19937 random(static_cast<uint32_t>(c.left.back() + 3 * c.right.back()));
    const auto draw = [&](Shape shape, bool columns) {
      if (columns) std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
      size_t count = 1;
      for (const int size : shape) count *= static_cast<size_t>(size);
      std::vector<float> all(count);
      for (float& v : all) v = static_cast<float>(static_cast<int>(random() % 7) - 3);
      array x = astype(array(all.begin(), shape, float32), type);
      x.eval();
      synchronize();
      return columns ? swapaxes(x, -1, -2) : x;
    };
    const array a = draw(c.left, c.a_columns), b = draw(c.right, c.b_columns);
    array got = matmul(a, b);
    got.eval();
    synchronize();
    set_default_device(Device::cpu);
    const bool right = all(equal(got, matmul(a, b))).item<bool>();
    set_default_device(Device::gpu);
    return right;
  }
};

TEST_F(PtxTiles, EveryFormPassesItsTrialAndIsLaunched) {
  for (const Dtype type : {float32, float64})
    for (const bool columns : {false, true}) {
      SCOPED_TRACE(std::to_string(type.size()) + (columns ? " by columns" : " by rows"));
      state().launches = splits = 0;
      EXPECT_TRUE(is_right({{500, 130}, {130, 300}, columns, !columns}, type)) << "many small tiles";
      EXPECT_EQ(state().launches, columns ? 1 : 2) << "a trial, and the product";
      EXPECT_EQ(splits, 0);
      EXPECT_TRUE(is_right({{60, 1500}, {1500, 70}, columns, columns}, type)) << "few tiles, long k";
      EXPECT_GE(splits, columns ? 1 : 2);
    }
  EXPECT_TRUE(state().notices.empty()) << state().notices.front();
}

TEST_F(PtxTiles, ElementsOf16BitsLieAlongEitherAxisAndBeginAnywhere) {
  for (const bool a_columns : {false, true})
    for (const bool b_columns : {false, true})
      for (const int odd : {0, 1}) {
        const Dtype type = a_columns == b_columns ? float16 : bfloat16;
        SCOPED_TRACE(std::to_string(a_columns) + std::to_string(b_columns) + std::to_string(odd));
        state().launches = splits = 0;
        EXPECT_TRUE(is_right({{208 + odd, 136 + odd}, {136 + odd, 304 + odd}, a_columns, b_columns}, type));
        EXPECT_EQ(state().launches, 2) << "a trial, and the product";
        EXPECT_EQ(splits, 0);
        EXPECT_TRUE(is_right({{64, 3008 + odd}, {3008 + odd, 72 + odd}, a_columns, b_columns}, type));
        EXPECT_GE(splits, 1) << "few tiles, long k";
        if (a_columns != b_columns) continue;
        EXPECT_TRUE(is_right({{3, 5, 40, 24 + odd}, {5, 24 + odd, 56 + odd}, a_columns, b_columns}, type)) << "batches";
      }
  EXPECT_TRUE(state().notices.empty()) << state().notices.front();
}

TEST_F(PtxTiles, OperandsHaveAnyBatchesAndStrides) {
  for (const Dtype type : {float32, float64}) {
    state().launches = 0;
    EXPECT_TRUE(is_right({{50, 130, 65}, {50, 65, 37}, false, true}, type));
    EXPECT_TRUE(is_right({{5, 3, 4, 130, 65}, {3, 1, 65, 37}}, type)) << "batch axes without a step";
    EXPECT_GE(state().launches, 2);
  }
}

TEST_F(PtxTiles, OtherFormsTakeFewRowsAndLargeTiles) {
  EXPECT_TRUE(is_right({{2, 600}, {600, 500}}, float32));
  EXPECT_TRUE(is_right({{2816, 64}, {64, 1536}}, float32));
  EXPECT_EQ(state().launches, 0);
}

}  // namespace

// Texts are known to a device once they were taken, so these have devices of their own.
namespace {

TEST_F(PtxTiles, AFormThatFailsItsTrialIsPassedOver) {
  lose_device();
  state().mode = Mode::DoesNothing;
  for (const Dtype type : {float32, float64, bfloat16}) EXPECT_TRUE(is_right({{500, 130}, {130, 300}}, type));
  EXPECT_EQ(state().launches, 3) << "trials";
  EXPECT_TRUE(told("gave wrong numbers"));
}

}  // namespace
}  // namespace frit
