// Which steps are a row stream, and how much of a row a masked kernel needs.
#include <gtest/gtest.h>

#include "ir/kernel/row_stream.h"
#include "ir/read/kernel_parser.h"

namespace frit::ir {
namespace {

// `condition` decides between a score and a constant; %c is the column and %r the row, as i32.
std::optional<Dim> needed(const std::string& choice, const std::string& more = "") {
  const auto kernel = parse_kernel(R"(kernel @mask(%s: f32[m*n] inout; m, n) {
  parallel for i in m {
    %r0: i64 = index((i % 7))
    %r: i32 = cast %r0
    %least: f32 = const -inf
    for j in n {
      %c0: i64 = index(j)
      %c: i32 = cast %c0
      %x: f32 = load %s[i*n + j]
      %y: f32 = mul %x, 2
      )" + choice + R"(
      )" + more + R"(
      store %s[i*n + j], %z
    }
  }
})");
  EXPECT_TRUE(kernel.ok()) << (kernel.ok() ? "" : kernel.error().str());
  return kernel.ok() ? needed_columns(*kernel, 0, Dim::symbol("n")) : std::nullopt;
}

TEST(RowStream, NeedsTheColumnsThatAMaskLeaves) {
  const Dim row = mod(Dim::symbol("row"), 7);
  EXPECT_EQ(needed("%k: bool = le %c, %r\n%z: f32 = select %k, %y, %least"), row + Dim(1));
  EXPECT_EQ(needed("%k: bool = lt %c, %r\n%z: f32 = select %k, %y, %least"), row);
  EXPECT_EQ(needed("%k: bool = ge %r, %c\n%z: f32 = select %k, %y, %least"), row + Dim(1));
  EXPECT_EQ(needed("%k: bool = gt %c, %r\n%z: f32 = select %k, %least, %y"), row + Dim(1));
  EXPECT_EQ(needed("%d: i32 = const 5\n%e: i32 = add %r, %d\n%k: bool = lt %c, %e\n%z: f32 = select %k, %y, %least"),
            row + Dim(5));
}

TEST(RowStream, NeedsAllColumnsWhereAValueMayCount) {
  // The other side of the diagonal, a comparison of values, and a use without the mask.
  EXPECT_FALSE(needed("%k: bool = le %r, %c\n%z: f32 = select %k, %y, %least"));
  EXPECT_FALSE(needed("%k: bool = lt %x, 0\n%z: f32 = select %k, %y, %least"));
  EXPECT_FALSE(needed("%k: bool = le %c, %r\n%w: f32 = select %k, %y, %least\n%z: f32 = add %w, %x"));
  EXPECT_FALSE(needed("%k: bool = le %c, %r\n%z: f32 = select %k, %y, %least", "%p: f32 = load %s[i*n]"));
  EXPECT_FALSE(needed("%k: bool = eq %c, %r\n%z: f32 = select %k, %y, %least"));
}

// Loops over the columns that a mask leaves, and over the others.
std::optional<Kernel> cut(const std::string& first, const std::string& end, const std::string& begin,
                          const std::string& rest) {
  const auto kernel = parse_kernel(R"(kernel @cut(%s: f32[m*n] inout; m, n) {
  parallel for i in m {
    %0: i64 = index((i % 7))
    bind k = %0 in [0, n]
    for j in )" + end + R"( {
      %x: f32 = load %s[i*n + j]
      %y: f32 = mul %x, 2
      store %s[i*n + j + )" + first +
                                   R"(], %y
    }
    for h in )" + rest + R"( {
      store %s[i*n + h + )" + begin +
                                   R"(], -inf
    }
  }
})");
  EXPECT_TRUE(kernel.ok()) << (kernel.ok() ? "" : kernel.error().str());
  return kernel.ok() ? std::optional(*kernel) : std::nullopt;
}

TEST(RowStream, NeedsTheColumnsOfLoopsThatEndAtTheMask) {
  const Dim n = Dim::symbol("n"), row = mod(Dim::symbol("row"), 7);
  const auto kernel = cut("0", "k", "k", "n - k");
  ASSERT_TRUE(kernel);
  EXPECT_EQ(needed_columns(*kernel, 0, n), row);
  EXPECT_EQ(length_of_rows(*kernel, 0), n);
  // It is not known which columns these are.
  const auto more = cut("0", "min(k + 1, n)", "k", "n - k");
  ASSERT_TRUE(more);
  EXPECT_FALSE(needed_columns(*more, 0, n));
}

TEST(RowStream, LoopsThatEndAtAMaskKeepToTheirRows) {
  // A position may lie in the next row, which exists for all rows but the last one.
  for (const auto& kernel : {cut("1", "k", "k", "n - k"), cut("0", "k", "k + 1", "n - k")}) {
    ASSERT_TRUE(kernel);
    EXPECT_FALSE(length_of_rows(*kernel, 0));
  }
}

std::optional<RowStream> stream(const std::string& index, const std::string& more = "",
                                const std::string& distance = "n", const std::string& of_weights = "n") {
  const std::string scores = "f32[m*(" + distance + ")]", weights = "f32[m*(" + of_weights + ")]";
  const auto program = parse_program(R"(program @f(m, n) {
  buffer %a: f32[m*8] input 0
  buffer %b: f32[8*n] input 1
  buffer %v: f32[n*4] input 2
  buffer %s: )" + scores + R"( temp
  buffer %w: )" + weights + R"( temp
  buffer %out: f32[m*4] output
  library "matmul"(%a: f32[m, 8], %b: f32[8, n]) -> (%s: f32[m, n] strides [)" +
                                     distance + R"(, 1])
  launch @k(%s, %w)
  library "matmul"(%w: f32[m, n] strides [)" +
                                     of_weights + R"(, 1], %v: f32[n, 4]) -> (%out: f32[m, 4])
  )" + more + R"(
  return %out: f32[m, 4]
  kernel @k(%s: )" + scores +
                                     " in, %w: " + weights + R"( out; m, n) {
    parallel for i in m {
      for j in n {
        %x: f32 = load %s[)" + index +
                                     R"(]
        store %w[i*()" + of_weights + R"() + j], %x
      }
    }
  }
})");
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().str());
  std::string why;
  return program.ok() ? row_stream_at(program->program, 0, why) : std::nullopt;
}

// Other operands may lie where an index says, the rows may not.
TEST(RowStream, IterationsMayPickOtherOperands) {
  const auto works = [](const std::string& load, const std::string& store) {
    const auto kernel = parse_kernel(R"(kernel @pick(%at: u32[8] in, %x: f32[64] in, %w: f32[48] out) {
  parallel for i in 8 {
    %0: u32 = load %at[i]
    %1: i64 = cast %0
    %2: i64 = index(7)
    %3: i64 = min %1, %2
    bind k = %3 in [0, 7]
    for j in 6 {
      %x1: f32 = load %x[)" + load + R"(]
      store %w[)" + store + R"(], %x1
    }
  }
})");
    EXPECT_TRUE(kernel.ok()) << (kernel.ok() ? "" : kernel.error().str());
    return kernel.ok() ? length_of_rows(*kernel, 2) : std::nullopt;
  };
  EXPECT_EQ(works("8*k + j", "6*i + j"), Dim(6));
  EXPECT_FALSE(works("j", "5*i + j + (k // 7)"));
  EXPECT_FALSE(works("j", "6*k + j"));
  EXPECT_FALSE(works("j", "6*i + j - i + k"));
}

TEST(RowStream, IsProductLaunchesAndProductOfTheirRows) {
  const auto found = stream("i*n + j");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->last, 2u);
  EXPECT_EQ(found->rows, (std::vector<uint32_t>{3, 4}));
  EXPECT_FALSE(stream("j"));
  EXPECT_FALSE(stream("i*n + n - 1 - i"));
  // Another step uses the rows.
  EXPECT_FALSE(stream("i*n + j", "launch @k(%w, %s)"));
}

TEST(RowStream, MayHaveRowsThatLieApart) {
  EXPECT_TRUE(stream("i*(n + 16) + j", "", "n + 16", "n + 16"));
  EXPECT_FALSE(stream("i*n + j", "", "n + 16", "n + 16"));
  EXPECT_FALSE(stream("i*(n + 16) + j", "", "n + 16", "n + 32"));
}

}  // namespace
}  // namespace frit::ir
