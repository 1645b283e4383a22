// Matrix products as calls of cblas: the same results, and the libraries that the code then needs.
#include <gtest/gtest.h>

#include "ir/text/printer.h"
#include "support.h"
#include "support/generate.h"

namespace frit::test {
namespace {

const codegen::NativeOptions kCblas{.name = "made", .cblas = true};

void check(const std::string& text, const std::vector<ir::SymbolValues>& calls) {
  const ir::Function f = parse_one(text);
  SCOPED_TRACE(text);
  auto planned = plan_native(f, {}, kCblas);
  ASSERT_TRUE(planned.ok()) << planned.error().str();
  std::string header;
  auto code = emit_code({&*planned, 1}, {}, "shared", kCblas, &header);
  ASSERT_TRUE(code.ok()) << code.error().str();
  EXPECT_NE(header.find("libopenblas.so.0"), std::string::npos) << header;
  Folder folder;
  write_file(folder.file("made.so"), *code);
  auto library = Library::open(folder.file("made.so"));
  ASSERT_TRUE(library.ok()) << library.error().str();
  auto c = codegen::make_c_interface(*planned);
  ASSERT_TRUE(c.ok());
  Random random(5);
  for (const ir::SymbolValues& sizes : calls) {
    // Exact sums are the same in any order.
    std::vector<ir::Tensor> inputs = random_inputs(f, sizes, Values::Exact, random);
    auto arguments = place(f, inputs, random);
    ASSERT_TRUE(arguments.ok()) << arguments.error().str();
    auto want = run_program(*planned, *arguments);
    ASSERT_TRUE(want.ok()) << want.error().str();
    auto got = run_native(**library, *planned, *c, *arguments);
    ASSERT_TRUE(got.ok()) << got.error().str();
    for (size_t i = 0; i < want->size(); ++i) EXPECT_EQ(difference((*want)[i], (*got)[i], Zeros::Equal), "");
  }
}

TEST(Cblas, ProductsOfEveryTypeItHas) {
  for (const char* t : {"f32", "f64", "c64"}) {
    const std::string type = t;
    check("func @f(%a: " + type + "[n, k], %b: " + type + "[k, m]) -> " + type + "[n, m] {\n  %0: " + type +
              "[n, m] = matmul %a, %b\n  return %0\n}",
          {{{"n", 5}, {"k", 7}, {"m", 3}},
           {{"n", 1}, {"k", 1}, {"m", 1}},
           {{"n", 4}, {"k", 0}, {"m", 3}},
           {{"n", 0}, {"k", 2}, {"m", 3}}});
  }
}

TEST(Cblas, BatchesAndTransposedOperandsAndWhatFollows) {
  check(R"(func @attention(%q: f32[b, h, s, d], %k: f32[b, h, s, d]) -> f32[b, h, s, s] {
  %0: f32[b, h, d, s] = transpose %k {axes=[0, 1, 3, 2]}
  %1: f32[b, h, s, s] = matmul %q, %0
  return %1
})",
        {{{"b", 2}, {"h", 3}, {"s", 5}, {"d", 4}},
         {{"b", 0}, {"h", 3}, {"s", 5}, {"d", 4}},
         {{"b", 1}, {"h", 1}, {"s", 1}, {"d", 1}}});
  // Rows of a batch are rows of one product, and the addition is a kernel after it.
  check(R"(func @linear(%x: f32[b, s, 8], %w: f32[8, 6], %bias: f32[6]) -> f32[b, s, 6] {
  %0: f32[b, 8, 6] = broadcast %w {shape=[b, 8, 6]}
  %1: f32[b, s, 6] = matmul %x, %0
  %2: f32[b, s, 6] = broadcast %bias {shape=[b, s, 6]}
  %3: f32[b, s, 6] = add %1, %2
  return %3
})",
        {{{"b", 2}, {"s", 5}}, {{"b", 3}, {"s", 1}}, {{"b", 0}, {"s", 2}}});
}

// They are products of gathered matrices where products are cblas's.
TEST(Cblas, PickedMatricesAndSumsOfTheirProducts) {
  check(R"(func @each(%x: f32[a, 3, 5], %w: f32[4, 6, 5], %i: i32[n], %j: u8[n]) -> f32[n, 3, 6] {
  %0: f32[4, 5, 6] = transpose %w {axes=[0, 2, 1]}
  %1: f32[n, 3, 6] = gather_matmul %x, %0, %i, %j
  return %1
})",
        {{{"a", 3}, {"n", 7}}, {{"a", 1}, {"n", 1}}, {{"a", 0}, {"n", 2}}, {{"a", 2}, {"n", 0}}});
  check(
      R"(func @sums(%x: f32[2, 3, 5], %w: f32[4, 5, 6], %i: i32[n], %j: u8[n], %to: i8[n], %d: f32[d]) -> f32[d, 3, 6] {
  %0: f32[d, 3, 6] = gather_matmul_sum %x, %w, %i, %j, %to {size=d}
  return %0
})",
      {{{"d", 3}, {"n", 7}}, {{"d", 1}, {"n", 0}}, {{"d", 0}, {"n", 2}}});
}

TEST(Cblas, WhatItCannotTakeIsRefused) {
  const auto refusal = [](const std::string& text) -> std::string {
    auto planned = plan_native(parse_one(text), {}, kCblas);
    if (!planned.ok()) return planned.error().str();
    auto code = emit_code({&*planned, 1}, {}, "shared", kCblas);
    return code.ok() ? "" : code.error().str();
  };
  EXPECT_NE(
      refusal("func @f(%a: f16[4, 4], %b: f16[4, 4]) -> f16[4, 4] {\n  %0: f16[4, 4] = matmul %a, %b\n  return %0\n}")
          .find("cblas has no matrix product of f16"),
      std::string::npos);
  // cblas takes sizes of 32 bits.
  const ir::Function f = parse_one(
      "func @f(%a: f32[n, 4], %b: f32[4, 4]) -> f32[n, 4] {\n  %0: f32[n, 4] = matmul %a, %b\n  return %0\n}");
  auto planned = plan_native(f, {}, kCblas);
  ASSERT_TRUE(planned.ok()) << planned.error().str();
  auto code = emit_code({&*planned, 1}, {}, "shared", kCblas);
  ASSERT_TRUE(code.ok()) << code.error().str();
  Folder folder;
  write_file(folder.file("made.so"), *code);
  auto library = Library::open(folder.file("made.so"));
  ASSERT_TRUE(library.ok()) << library.error().str();
  auto* call = reinterpret_cast<int (*)(const float*, const float*, float*, int64_t, void*, const char**)>(
      (*library)->find("f"));
  float x[16] = {}, y[16] = {};
  const char* message = "";
  EXPECT_EQ(call(x, x, y, int64_t{1} << 32, nullptr, &message), 2);
  EXPECT_NE(std::string(message).find("past the 32 bits of cblas"), std::string::npos) << message;
}

}  // namespace
}  // namespace frit::test
