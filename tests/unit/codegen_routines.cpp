// A routine with two results, a workspace and a symbolic attribute, compiled and run with a function of a device
// library.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "codegen/core/backend.h"
#include "ir/interpret/interpreter.h"
#include "ir/read/parser.h"
#include "runtime/execute/executable.h"
#include "runtime/execute/library.h"
#include "runtime/load/plan_file.h"
#include "test_routine.h"

namespace frit::test {
namespace {

int64_t given_size = 0, given_workspace = 0;

// The routine of tests/unit/test_routine.h on dense rows. Its attribute reaches it as the call's first size.
Status top(const runtime::LibraryCall& call) {
  const runtime::LibraryTensor &x = call.operands[0], &values = call.results[0], &positions = call.results[1];
  EXPECT_EQ(call.options, "{\"count\":{\"size\":0}}");
  if (call.sizes.size() != 1) return Diagnostic("the call has no size");
  given_size = call.sizes[0];
  given_workspace = static_cast<int64_t>(call.workspace.size());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(call.workspace.data()) % 64, 0u);
  for (int64_t row = 0; row < x.shape[0]; ++row)
    testing::sort_row(
        x.shape[1], given_size, reinterpret_cast<int64_t*>(call.workspace.data()),
        [&](int64_t i) { return static_cast<const float*>(x.data)[row * x.strides[0] + i * x.strides[1]]; },
        [&](int64_t i, float value, int64_t position) {
          static_cast<float*>(values.data)[row * values.strides[0] + i * values.strides[1]] = value;
          static_cast<int64_t*>(positions.data)[row * positions.strides[0] + i * positions.strides[1]] = position;
        });
  return {};
}

std::vector<double> numbers(const runtime::Tensor& t) {
  std::vector<double> out;
  for (int64_t i = 0; i < t.shape[0]; ++i)
    for (int64_t j = 0; j < t.shape[1]; ++j) {
      const int64_t at = t.offset + i * t.strides[0] + j * t.strides[1];
      const void* data = t.buffer->data();
      out.push_back(t.dtype == int64 ? static_cast<double>(static_cast<const int64_t*>(data)[at])
                                     : static_cast<double>(static_cast<const float*>(data)[at]));
    }
  return out;
}

TEST(RoutineCode, SeveralResultsAWorkspaceAndSizesReachTheLibrary) {
  runtime::register_library("test_top", top);
  auto module = ir::parse(testing::kTopFunction, "test");
  ASSERT_TRUE(module.ok()) << module.error().str();
  ir::Function& f = *(*module)->functions[0];
  const std::vector<double> input{3, -1, 2, -7, 0, 1, 1, -4, 1, -4};
  auto want = interpret(f, {ir::Tensor(float32, {2, 5}, input)});
  ASSERT_TRUE(want.ok()) << want.error().str();

  ASSERT_TRUE(codegen::lower(f, {}).ok());
  auto image = codegen::make_image(f, {});
  ASSERT_TRUE(image.ok()) << image.error().str();
  // The plan goes through its file format.
  auto again = runtime::read_image(runtime::write_image(*image));
  ASSERT_TRUE(again.ok()) << again.error().str();
  auto code = runtime::load_image(*std::move(again));
  ASSERT_TRUE(code.ok()) << code.error().str();

  auto memory = runtime::Buffer::allocate(40);
  ASSERT_TRUE(memory.ok());
  for (size_t i = 0; i < input.size(); ++i) static_cast<float*>((*memory)->data())[i] = static_cast<float>(input[i]);
  const runtime::Tensor x{*memory, float32, {2, 5}, {5, 1}, 0};
  auto got = (*code)->run({&x, 1});
  ASSERT_TRUE(got.ok()) << got.error().str();
  ASSERT_EQ(got->size(), 3u);
  EXPECT_EQ(given_size, 2);
  EXPECT_GE(given_workspace, 40);
  EXPECT_EQ(numbers((*got)[1]), (*want)[1].values());
  EXPECT_EQ(numbers((*got)[2]), (*want)[2].values());
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(numbers((*got)[0])[i] / (*want)[0].values()[i], 1, 1e-6);
}

}  // namespace
}  // namespace frit::test
