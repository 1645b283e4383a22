// Headers under the names that MLX gives them: a program changes `mlx/` to `frit/`. mlx/mlx.h is frit/frit.h.
#include <frit/allocator.h>
#include <frit/array.h>
#include <frit/backend/cuda/cuda.h>
#include <frit/backend/gpu/device_info.h>
#include <frit/backend/metal/metal.h>
#include <frit/compile.h>
#include <frit/device.h>
#include <frit/distributed/distributed.h>
#include <frit/distributed/ops.h>
#include <frit/dtype.h>
#include <frit/einsum.h>
#include <frit/export.h>
#include <frit/fast.h>
#include <frit/fft.h>
#include <frit/graph_utils.h>
#include <frit/io.h>
#include <frit/io/load.h>
#include <frit/linalg.h>
#include <frit/memory.h>
#include <frit/mlx.h>
#include <frit/ops.h>
#include <frit/primitives.h>
#include <frit/random.h>
#include <frit/small_vector.h>
#include <frit/stream.h>
#include <frit/transforms.h>
#include <frit/types/bf16.h>
#include <frit/types/complex.h>
#include <frit/types/fp16.h>
#include <frit/types/half_types.h>
#include <frit/types/limits.h>
#include <frit/utils.h>
#include <frit/version.h>
#include <gtest/gtest.h>

namespace frit::test::headers_test {
namespace {

TEST(Headers, HaveTheNamesThatProgramsKnow) {
  EXPECT_FALSE(metal::is_available());
  EXPECT_FALSE(cu::is_available());
  EXPECT_NE(std::string(version()), "");
  EXPECT_EQ(einsum("i,i->", {arange(3, float32), ones({3})}).item<float>(), 3.0f);
  EXPECT_EQ(SmallVector<int>({1, 2}).size(), 2u);
  EXPECT_EQ(distributed::Group(distributed::init()).size(), 1);
}

}  // namespace
}  // namespace frit::test::headers_test
