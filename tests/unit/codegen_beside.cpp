// The launches of a program that may run at the same time.
#include <gtest/gtest.h>

#include "codegen/core/backend.h"
#include "ir/read/parser.h"

namespace frit::test {
namespace {

// One letter per launch: 'b' if it may run beside the launches before it, '.' if it runs after them; 'l' is a library
// step.
std::string launches(const std::string& text) {
  auto module = ir::parse(text, "test");
  if (!module.ok()) return module.error().str();
  passes::PassContext context;
  ir::Function& f = *(*module)->functions[0];
  auto made = codegen::compile(f, {}, &context);
  if (!made.ok()) return made.error().str();
  std::string out;
  for (const auto& step : (*made)->plan().steps) {
    const auto* kernel = std::get_if<runtime::KernelPlan>(&step);
    out += !kernel ? 'l' : kernel->beside ? 'b' : '.';
  }
  return out;
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

}  // namespace
}  // namespace frit::test
