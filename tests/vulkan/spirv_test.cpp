// A shader that does not compile is a bug of frit: its message has everything needed to find it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

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

// Numbers of the SPIR-V registry.
constexpr uint32_t kCapability = 17, kTypeFloat = 22, kMatrixNv = 5357, kMatrixKhr = 6022, kBfloat16Type = 5116;

std::vector<std::vector<uint32_t>> instructions(const std::string& spirv) {
  std::vector<uint32_t> words(spirv.size() / 4);
  std::memcpy(words.data(), spirv.data(), words.size() * 4);
  std::vector<std::vector<uint32_t>> all;
  for (size_t i = 5; i < words.size() && words[i] >> 16; i += words[i] >> 16)
    all.emplace_back(words.begin() + static_cast<std::ptrdiff_t>(i),
                     words.begin() + static_cast<std::ptrdiff_t>(std::min(words.size(), i + (words[i] >> 16))));
  return all;
}

TEST(Spirv, MatricesBecomeThoseOfTheKhrExtension) {
  const std::string text = R"(#version 460
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#extension GL_NV_cooperative_matrix : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(local_size_x = 32) in;
layout(constant_id = 1000) const int left = 16;
layout(constant_id = 1001) const int right = 16;
layout(constant_id = 1002) const int sum = 16;
shared uvec4 tile[64];
void main() {
  fcoopmatNV<16, gl_ScopeSubgroup, left, 16> a;
  fcoopmatNV<16, gl_ScopeSubgroup, right, 16> b;
  coopMatLoadNV(a, tile, 0, 2, false);
  coopMatLoadNV(b, tile, 32, 2, true);
  fcoopmatNV<32, gl_ScopeSubgroup, sum, 16> c = fcoopmatNV<32, gl_ScopeSubgroup, sum, 16>(0.0);
  c = coopMatMulAddNV(a, b, c);
  coopMatStoreNV(fcoopmatNV<16, gl_ScopeSubgroup, sum, 16>(c), tile, 0, 2, false);
})";
  auto made = to_spirv(text, "matrices", [] { return std::string(); });
  ASSERT_TRUE(made.ok()) << made.error().str();
  for (MatrixType type : {MatrixType::Float16, MatrixType::Bfloat16}) {
    const auto before = instructions(*made), after = instructions(with_khr_matrices(*made, type));
    ASSERT_GE(after.size(), before.size());
    int khr = 0, types = 0, bfloat = 0, encoded = 0;
    for (const auto& i : after) {
      const uint32_t op = i[0] & 0xffff;
      EXPECT_FALSE(op >= 5358 && op <= 5362) << "an instruction of the older extension is left: " << op;
      EXPECT_FALSE(op == kCapability && i[1] == kMatrixNv);
      khr += op == kCapability && i[1] == kMatrixKhr;
      bfloat += op == kCapability && i[1] == kBfloat16Type;
      encoded += op == kTypeFloat && i[2] == 16 && i.size() == 4;
      // Type, component, scope, rows, columns and use.
      if (op != 4456) continue;
      ++types;
      EXPECT_EQ(i.size(), 7u);
    }
    EXPECT_EQ(khr, 1);
    EXPECT_EQ(types, 4);
    EXPECT_EQ(bfloat, type == MatrixType::Bfloat16 ? 1 : 0);
    EXPECT_EQ(encoded, type == MatrixType::Bfloat16 ? 1 : 0);
  }
}

}  // namespace
}  // namespace frit::codegen::glsl
