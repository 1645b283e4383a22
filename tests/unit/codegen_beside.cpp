// The launches of a program that may run at the same time.
#include <gtest/gtest.h>

#include "codegen/core/backend.h"
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

}  // namespace
}  // namespace frit::test
