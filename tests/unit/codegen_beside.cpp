// The launches of a program that may run at the same time.
#include <gtest/gtest.h>

#include "codegen/core/backend.h"
#include "codegen/core/stores.h"
#include "ir/read/kernel_parser.h"
#include "ir/read/parser.h"

namespace frit::test {
namespace {

// One letter per step: 'b' is a launch that may run beside the launches before it, '.' one that runs after them, and
// 'l' no launch.
std::string letters(const runtime::Plan& plan) {
  std::string out;
  for (const auto& step : plan.steps) {
    const auto* kernel = std::get_if<runtime::KernelPlan>(&step);
    out += !kernel ? 'l' : kernel->beside ? 'b' : '.';
  }
  return out;
}

std::string launches(const std::string& text) {
  auto module = ir::parse(text, "test");
  if (!module.ok()) return module.error().str();
  passes::PassContext context;
  ir::Function& f = *(*module)->functions[0];
  auto made = codegen::compile(f, {}, &context);
  if (!made.ok()) return made.error().str();
  return letters((*made)->plan());
}

TEST(Beside, independent_launches) {
  EXPECT_EQ(launches(R"(func @f(%x: f32[n], %y: f32[m], %z: f32[k]) -> (f32[n], f32[m], f32[k]) {
    %0: f32[n] = exp %x
    %1: f32[m] = exp %y
    %2: f32[k] = exp %z
    return %0, %1, %2
  })"),
            ".bb");
}

// The second sum needs the first one's result, in memory that the third kernel would take over.
TEST(Beside, launches_that_need_each_other) {
  EXPECT_EQ(launches(R"(func @f(%x: f32[300, 40]) -> f32[] {
    %0: f32[40] = sum %x {axes=[0]}
    %1: f32[] = max %0 {axes=[0]}
    %2: f32[40] = broadcast %1 {shape=[40]}
    %3: f32[40] = divide %0, %2
    %4: f32[] = sum %3 {axes=[0]}
    return %4
  })")
                .find('b'),
            std::string::npos);
}

// The loop exchanges the memory of %s and %n, so behind it %s may lie in the slot that %t has.
TEST(Beside, memory_that_a_loop_exchanged) {
  constexpr std::string_view kProgram = R"(program @f() {
  buffer %a: i32[1] input 0
  buffer %s: i32[1] temp slot 0
  buffer %n: i32[1] temp slot 1
  buffer %go: bool[1] temp slot 2
  buffer %last: i32[1] output
  buffer %t: i32[1] temp slot 1
  buffer %out: i32[1] output
  slot 4
  slot 4
  slot 1
  launch @copy(%a, %s)
  loop {
    launch @less(%s, %go)
    leave unless %go
    launch @next(%s, %n)
  } swap(%s, %n)
  launch @copy(%s, %last)
  launch @copy(%a, %t)
  launch @copy(%t, %out)
  return %last: i32[], %out: i32[]
  kernel @copy(%x: i32[1] in, %y: i32[1] out) {
    %0: i32 = load %x[0]
    store %y[0], %0
  }
  kernel @less(%x: i32[1] in, %y: bool[1] out) {
    %0: i32 = load %x[0]
    %1: bool = lt %0, 1
    store %y[0], %1
  }
  kernel @next(%x: i32[1] in, %y: i32[1] out) {
    %0: i32 = load %x[0]
    %1: i32 = add %0, 1
    store %y[0], %1
  }
}
)";
  auto program = ir::parse_program(kProgram);
  ASSERT_TRUE(program.ok()) << program.error().str();
  auto module = ir::parse("func @f(%a: i32[]) -> (i32[], i32[]) {\n  return %a, %a\n}\n", "test");
  ASSERT_TRUE(module.ok()) << module.error().str();
  ir::Function& f = *(*module)->functions[0];
  f.program = std::make_shared<ir::Program>(std::move(program->program));
  const auto image = codegen::make_image(f, {});
  ASSERT_TRUE(image.ok()) << image.error().str();
  EXPECT_EQ(letters(image->plan), ".l.l.l...");
}

// Slots of open sizes may lie in one place, so %u is not written while %t is read; slots of known sizes are apart.
TEST(Beside, memory_that_a_call_places) {
  for (const std::string n : {"n", "4"}) {
    const std::string symbols = n == "n" ? "n" : "", size = "f32[" + n + "]";
    const std::string text = "program @f(" + symbols + ") {\n  buffer %x: " + size + " input 0\n  buffer %y: " + size +
                             " input 1\n  buffer %t: " + size + " temp slot 0\n  buffer %u: " + size +
                             " temp slot 1\n  buffer %o: " + size + " output\n  buffer %p: " + size +
                             " output\n  slot 4*" + n + "\n  slot 4*" + n + R"(
  launch @copy(%x, %t)
  launch @copy(%t, %o)
  launch @copy(%y, %u)
  launch @copy(%u, %p)
  return %o: )" + size +
                             ", %p: " + size + "\n  kernel @copy(%x: " + size + " in, %y: " + size + " out" +
                             (n == "n" ? "; n" : "") + ") {\n    parallel for i in " + n + R"( {
      %0: f32 = load %x[i]
      store %y[i], %0
    }
  }
}
)";
    auto program = ir::parse_program(text);
    ASSERT_TRUE(program.ok()) << program.error().str() << text;
    auto module = ir::parse(
        "func @f(%x: " + size + ", %y: " + size + ") -> (" + size + ", " + size + ") {\n  return %x, %y\n}\n", "test");
    ASSERT_TRUE(module.ok()) << module.error().str();
    ir::Function& f = *(*module)->functions[0];
    f.program = std::make_shared<ir::Program>(std::move(program->program));
    const auto image = codegen::make_image(f, codegen::target_for("cpu"));
    ASSERT_TRUE(image.ok()) << image.error().str();
    EXPECT_EQ(letters(image->plan), n == "n" ? "...." : "..b.");
  }
}

// Whether kernels of a parallel loop over i in `extent` that store to these positions are apart.
bool apart(const std::string& a, int a_extent, const std::string& b, int b_extent) {
  ir::Kernel kernels[2];
  for (int k = 0; k < 2; ++k) {
    const std::string text = "kernel @k(%x: f32[1] in, %y: f32[100000] out) {\n  parallel for i in " +
                             std::to_string(k ? b_extent : a_extent) + " {\n    %0: f32 = load %x[0]\n    store %y[" +
                             (k ? b : a) + "], %0\n  }\n}\n";
    auto parsed = ir::parse_kernel(text);
    if (!parsed.ok()) ADD_FAILURE() << parsed.error().render(text);
    if (parsed.ok()) kernels[k] = *std::move(parsed);
  }
  const bool found = codegen::stores_are_separate(kernels[0], 1, kernels[1], 1);
  EXPECT_EQ(found, codegen::stores_are_separate(kernels[1], 1, kernels[0], 1));
  return found;
}

TEST(Beside, stores_to_other_places) {
  EXPECT_TRUE(apart("i", 100, "i + 100", 50));
  EXPECT_FALSE(apart("i", 101, "i + 100", 50));
  // Columns of rows of 17: the first 10, then the others.
  EXPECT_TRUE(apart("17*(i // 10) + (i % 10)", 200, "17*(i // 7) + (i % 7) + 10", 140));
  EXPECT_FALSE(apart("17*(i // 10) + (i % 10)", 200, "17*(i // 8) + (i % 8) + 9", 160));
  EXPECT_FALSE(apart("17*(i // 10) + (i % 10)", 200, "17*(i // 8) + (i % 8) + 10", 160));  // into the next row
  EXPECT_FALSE(apart("17*(i // 10) + (i % 10)", 200, "18*(i // 7) + (i % 7) + 10", 140));
  EXPECT_TRUE(apart("2*i", 100, "2*i + 1", 100));
  EXPECT_FALSE(apart("2*i", 100, "3*i + 1", 100));
  EXPECT_FALSE(apart("0", 1, "0", 1));
}

}  // namespace
}  // namespace frit::test
