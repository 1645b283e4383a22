// The cost rules of routines.
#include "ops_support.h"

#include "ir/kernel/library_cost.h"
#include "ir/routines/routine.h"

namespace frit::ir {
namespace {

Layout dense(Shape shape) {
  Layout layout{shape, Dims(shape.size(), 1)};
  for (size_t i = shape.size(); i-- > 1;) layout.strides[i - 1] = layout.strides[i] * shape[i];
  return layout;
}

// A step of one type with operands and results of these shapes.
LibraryStep step(std::string_view routine, Dtype type, std::vector<Shape> operands, std::vector<Shape> results) {
  LibraryStep s{find_routine(routine), {}, {}, {}, {}};
  for (const Shape& shape : operands) s.operands.push_back({0, dense(shape)});
  for (const Shape& shape : results) s.results.push_back({0, dense(shape)});
  s.dtypes.assign(operands.size() + results.size(), type);
  return s;
}
int64_t flops(const LibraryStep& s) { return cost(s).flops.value_or(-1).value(); }

TEST(RoutineCost, Products) {
  EXPECT_EQ(flops(step("matmul", float32, {{3, 4}, {4, 5}}, {{3, 5}})), 2 * 3 * 4 * 5);
  EXPECT_EQ(flops(step("matmul", complex64, {{3, 4}, {4, 5}}, {{3, 5}})), 8 * 3 * 4 * 5);
  EXPECT_EQ(flops(step("matmul", float32, {{7, 3, 4}, {7, 4, 5}}, {{7, 3, 5}})), 7 * 2 * 3 * 4 * 5);
  const LibraryStep s = step("matmul", float32, {{3, 4}, {4, 5}}, {{3, 5}});
  EXPECT_EQ(cost(s).bytes.value(), 4 * (12 + 20 + 15));
  // One matrix for all positions is read once.
  LibraryStep shared = step("matmul", float32, {{7, 3, 4}, {7, 4, 5}}, {{7, 3, 5}});
  shared.operands[1].layout.strides[0] = 0;
  EXPECT_EQ(cost(shared).bytes.value(), 4 * (84 + 20 + 105));
}

TEST(RoutineCost, OpenSizes) {
  const Dim m = Dim::symbol("m");
  const LibraryStep product = step("matmul", float32, {{m, 4}, {4, 5}}, {{m, 5}});
  EXPECT_EQ(cost(product).flops->str(), "40*m");
  const Dim::Lookup eight = [](const std::string&) { return std::optional(Dim(8)); };
  EXPECT_EQ(cost(product, eight).flops->value(), 320);
  EXPECT_EQ(cost(product, eight).bytes.value(), 4 * (32 + 20 + 40));
  const LibraryStep transform = step("fft", complex64, {{3, m}}, {{3, m}});
  EXPECT_FALSE(cost(transform).flops);
  EXPECT_EQ(cost(transform, eight).flops->value(), 3 * 5 * 8 * 3);
}

TEST(RoutineCost, Others) {
  EXPECT_EQ(flops(step("rfft", float32, {{16}}, {{9}})), 160);
  EXPECT_EQ(flops(step("irfft", complex64, {{9}}, {{16}})), 160);
  EXPECT_EQ(flops(step("sort", float32, {{3, 8}}, {{3, 8}})), 72);
  EXPECT_EQ(flops(step("topk", float32, {{3, 8}}, {{3, 2}})), 72);
  const std::vector<Shape> stacks{{3, 4, 5}, {2, 5, 6}, {9}, {9}};
  EXPECT_EQ(flops(step("gather_matmul", float32, stacks, {{9, 4, 6}})), 9 * 2 * 4 * 5 * 6);
  EXPECT_EQ(flops(step("gather_matmul_sum", float32, {stacks[0], stacks[1], {9}, {9}, {9}}, {{7, 4, 6}})),
            9 * 2 * 4 * 5 * 6);
  EXPECT_EQ(flops(step("searchsorted", float32, {{15}, {6}}, {{6}})), 24);
  EXPECT_EQ(flops(step("cholesky", float32, {{2, 6, 6}}, {{2, 6, 6}})), 2 * 72);
  EXPECT_EQ(flops(step("inv", float64, {{6, 6}}, {{6, 6}})), 432);
  EXPECT_EQ(flops(step("solve", float32, {{6, 6}, {6, 2}}, {{6, 2}})), 144 + 144);
  EXPECT_EQ(flops(step("solve_triangular", float32, {{6, 6}, {6, 2}}, {{6, 2}})), 72);
  EXPECT_EQ(flops(step("qr", float32, {{9, 6}}, {{9, 6}, {6, 6}})), 4 * 36 * (9 - 2));
  EXPECT_EQ(flops(step("all_sum", float32, {{9}}, {{9}})), 0);
}

// A routine that computes has a rule.
TEST(RoutineCost, Rules) {
  for (const Routine* r : all_routines()) {
    const bool exchanges =
        r->name.starts_with("all_") || r->name == "sum_scatter" || r->name == "send" || r->name == "recv";
    EXPECT_EQ(r->flops == nullptr, exchanges) << r->name;
  }
}

}  // namespace
}  // namespace frit::ir
