// A shader that does not compile is a bug of frit: its message has everything needed to find it.
#include <gtest/gtest.h>

#include "codegen/glsl/shader.h"

namespace frit::codegen::glsl {
namespace {

TEST(Spirv, AShaderThatDoesNotCompileCarriesItsTextAndItsSource) {
  const std::string text =
      "#version 460\nlayout(local_size_x = 1) in;\nvoid main() { uint x = nothing_of_that_name; }\n";
  auto made = to_spirv(text, "broken_0_add", [] { return std::string("kernel @broken_0_add(%x: f32[4] in) {}"); });
  ASSERT_FALSE(made.ok());
  const std::string parts[] = {"internal error: the shader of kernel @broken_0_add does not compile",
                               "nothing_of_that_name", "kernel @broken_0_add(%x: f32[4] in) {}", text};
  for (const std::string& part : parts)
    EXPECT_NE(made.error().message.find(part), std::string::npos) << part << " in\n" << made.error().message;
}

TEST(Spirv, AShaderThatCompilesIsAModule) {
  auto made =
      to_spirv("#version 460\nlayout(local_size_x = 1) in;\nvoid main() {}\n", "empty", [] { return std::string(); });
  ASSERT_TRUE(made.ok()) << made.error().str();
  EXPECT_EQ(made->substr(0, 4), "\x03\x02\x23\x07");
}

}  // namespace
}  // namespace frit::codegen::glsl
