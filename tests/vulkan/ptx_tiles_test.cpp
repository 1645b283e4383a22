// Products of float32 and float64 as PTX with a driver that only claims to take it (ptx_driver.h): a function in the
// kernel's place computes what the arguments ask for. Whatever it does, results are right.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "codegen/ptx/tile_product.h"
#include "tests/vulkan/ptx_driver.h"

namespace frit {
namespace {

using P = codegen::ptx::TileParameters;
using ptx_driver::Launch;
using ptx_driver::lose_device;
using ptx_driver::Mode;
using ptx_driver::state;
using ptx_driver::told;

int splits = 0;  // launches that sum parts of k

bool is_split(const Launch& l) { return l.kernel->has("[p" + std::to_string(P::kPitch) + "]"); }

template <class T>
void compute_as(const Launch& l) {
  const auto at = [&](size_t which) { return static_cast<int64_t>(l.arguments[which]); };
  const int64_t m = at(P::kRows), n = at(P::kColumns), k = at(P::kSteps), matrices = at(P::kMatrices);
  const int64_t each = at(P::kPartSteps), pitch = is_split(l) ? at(P::kPitch) : n;
  EXPECT_TRUE(!is_split(l) || pitch % 4 == 0);
  const auto element = [&](size_t operand, int64_t batch, int64_t line, int64_t step) {
    int64_t address =
        at(operand + P::kOperandAddress) + line * at(operand + P::kOperandLine) + step * at(operand + P::kOperandStep);
    for (size_t axis = P::kBatchAxes; axis-- > 0; batch /= at(P::kBatchSizes + axis))
      address += batch % at(P::kBatchSizes + axis) * at(operand + P::kOperandBatch + axis);
    return *reinterpret_cast<const T*>(address);
  };
  auto* const result = reinterpret_cast<T*>(at(P::kResult));
  for (int64_t part = 0; part * each < k; ++part)
    for (int64_t batch = 0; batch < matrices; ++batch)
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
          T sum = 0;
          for (int64_t step = part * each; step < std::min(k, (part + 1) * each); ++step)
            sum += element(P::kLeft, batch, i, step) * element(P::kRight, batch, j, step);
          result[((part * matrices + batch) * m + i) * pitch + j] = sum;
        }
}

void compute(const Launch& l) { l.kernel->has("mma.sync") ? compute_as<double>(l) : compute_as<float>(l); }

class PtxTiles : public ptx_driver::PtxTest {
 protected:
  static void SetUpTestSuite() {
    ptx_driver::install();
    state().compute = &compute;
    state().look = [](const Launch& l) {
      EXPECT_EQ(l.arguments.size(), size_t{P::kCount});
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
      SCOPED_TRACE(std::to_string(type.size) + (columns ? " by columns" : " by rows"));
      state().launches = splits = 0;
      EXPECT_TRUE(is_right({{500, 130}, {130, 300}, columns, !columns}, type)) << "many small tiles";
      EXPECT_EQ(state().launches, columns ? 1 : 2) << "a trial, and the product";
      EXPECT_EQ(splits, 0);
      EXPECT_TRUE(is_right({{60, 1500}, {1500, 70}, columns, columns}, type)) << "few tiles, long k";
      EXPECT_GE(splits, columns ? 1 : 2);
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
  for (const Dtype type : {float32, float64}) EXPECT_TRUE(is_right({{500, 130}, {130, 300}}, type));
  EXPECT_EQ(state().launches, 2) << "trials";
  EXPECT_TRUE(told("gave wrong numbers"));
}

}  // namespace
}  // namespace frit
