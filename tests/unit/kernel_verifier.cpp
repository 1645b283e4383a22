// Each rule of kernels, by a text that breaks it and a similar text that keeps it.
#include <gtest/gtest.h>

#include "ir/read/kernel_parser.h"
#include "ir/verify/kernel_verifier.h"

namespace frit::ir::kernel_verifier_test {
namespace {

std::string error_of(std::string_view text) {
  Result<Kernel> k = parse_kernel(text, "k");
  return k.ok() ? "" : k.error().message;
}

void expect_rule(const char* rule, const std::string& text, const std::string& part = "") {
  std::string message = error_of(text);
  EXPECT_NE(message.find("(" + std::string(rule) + ")"), std::string::npos) << "'" << message << "' for\n" << text;
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

// For kernels that text cannot express.
void expect_rule(const char* rule, const Kernel& k) {
  Status s = verify(k);
  ASSERT_FALSE(s.ok());
  EXPECT_NE(s.error().message.find("(" + std::string(rule) + ")"), std::string::npos) << s.error().message;
}

std::string body(const std::string& lines) {
  return "kernel @k(%x: f32[n] in, %out: f32[n] out, %b: bool[n] in; n) where n in [2, 100] {\n" + lines + "\n}";
}

Kernel small() {
  Kernel k;
  k.name = "k";
  k.buffers = {{"x", float32, 4, true, true}};
  return k;
}

TEST(KernelVerifier, K1Names) {
  expect_rule("K1", "kernel @\"\"() {}");
  expect_rule("K1", "kernel @k(%x: f32[1], %x: f32[1]) {}", "two buffers are named 'x'");
  expect_rule("K1", "kernel @k(%0: f32[1]) {}", "starts with a digit");
  expect_rule("K1", "kernel @k(; n, n) {}", "'n' is used for two");
  expect_rule("K1", body("for n in 4 {}"));
  expect_rule("K1", body("for i in 4 {} for i in 4 {}"));
  Kernel k = small();
  k.symbols = {"min"};
  expect_rule("K1", k);
  k.symbols = {"a b"};
  expect_rule("K1", k);
}

TEST(KernelVerifier, K2Registers) {
  Kernel k = small();
  Reg a = k.new_reg(float32), b = k.new_reg(float32);
  k.body.push_back({ScalarInstr{b, ScalarOp::Neg, float32, {a, kNoReg, kNoReg}}});
  expect_rule("K2", k);
  k.body.insert(k.body.begin(), {ScalarInstr{a, ScalarOp::Const, float32, {}, 0}});
  EXPECT_TRUE(verify(k).ok());
  k.body.push_back({ScalarInstr{b, ScalarOp::Const, float32, {}, 0}});
  expect_rule("K2", k);
  k.body.back() = {StoreInstr{0, 0, 77}};
  expect_rule("K2", k);
  // Outside the loop that defines it.
  Kernel out = small();
  Reg r = out.new_reg(float32);
  Loop loop;
  loop.var = "i";
  loop.extent = 4;
  loop.body.push_back({LoadInstr{r, 0, Dim::symbol("i")}});
  out.body.push_back({std::move(loop)});
  EXPECT_TRUE(verify(out).ok());
  out.body.push_back({StoreInstr{0, 0, r}});
  expect_rule("K2", out);
}

TEST(KernelVerifier, K3Types) {
  expect_rule("K3", body("%0: f32 = const 1\n%1: f64 = const 1\n%2: f64 = add %0, %1"),
              "'add' does not take (f32, f64) to f64");
  expect_rule("K3", body("%0: f16 = const 1\n%1: f16 = neg %0"));
  expect_rule("K3", body("%0: i32 = index(n)"));
  expect_rule("K3", body("%0: f32 = const 1\nbind k = %0 in [0, 1]"));
  expect_rule("K3", body("%0: f64 = load %x[0]"));
  Kernel k = small();
  Reg r = k.new_reg(uint8);
  k.body.push_back({ScalarInstr{r, ScalarOp::Const, uint8, {}, 256}});
  expect_rule("K3", k);
  std::get<ScalarInstr>(k.body[0].node) = {r, ScalarOp::Input, uint8};
  expect_rule("K3", k);
}

TEST(KernelVerifier, K4Symbols) {
  expect_rule("K4", "kernel @k(%x: f32[m]; n) {}", "uses 'm'");
  expect_rule("K4", "kernel @k(%x: f32[-1]) {}");
  expect_rule("K4", body("%0: i64 = index(n)\nbind k = %0 in [3, 2]"));
  Kernel k = small();
  Reg r = k.new_reg(int64);
  k.body.push_back({IndexInstr{r, Dim::symbol("q")}});
  expect_rule("K4", k);
}

TEST(KernelVerifier, K5Buffers) {
  expect_rule("K5", "kernel @k(%x: c64[1] in) {}", "complex");
  expect_rule("K5", body("%0: f32 = load %out[0]"), "not declared as read");
  expect_rule("K5", body("store %x[0], 1"), "not declared as written");
  expect_rule("K5", body("%0: i32 = const 1\nstore %out[0], %0"));
  expect_rule("K5", body("%0: i32 = const 1\n%1: f32 = load %x[0] mask %0"));
  Kernel k = small();
  Reg r = k.new_reg(float32);
  k.body.push_back({LoadInstr{r, 1, 0}});
  expect_rule("K5", k);
}

TEST(KernelVerifier, K6Loops) {
  expect_rule("K6", body("for i in n - 200 {}"));
  expect_rule("K6", body("for i in n lanes 3 acc %0: f32 = sum %1 { %1: f32 = load %x[i] }"));
  expect_rule("K6", body("for i in n lanes 4 {}"));
  expect_rule("K6", body("for i in n unroll 0 {}"));
  expect_rule("K6", body("for i in n grain 0 {}"));
  expect_rule("K6", body("parallel for i in n { for j in n grain i {} }"));
  EXPECT_EQ(error_of(body("for i in n - 50 {}")), "");
}

TEST(KernelVerifier, K12Carries) {
  const std::string good = "for i in n carry %0: f32 = 0 next %1 { %1: f32 = load %x[i] }";
  EXPECT_EQ(error_of(body(good)), "");
  expect_rule("K12", body("parallel for i in n carry %0: f32 = 0 next %1 { %1: f32 = load %x[i] }"));
  expect_rule("K12", body("for i in n vector 4 carry %0: f32 = 0 next %1 { %1: f32 = load %x[i] }"));
  // With lanes the carry is combined with a value that does not depend on it.
  const std::string lanes = "for i in n vector 4 lanes 4 carry %0: f32 = 0 next %2 { %1: f32 = load %x[i] ";
  EXPECT_EQ(error_of(body(lanes + "%2: f32 = add %0, %1 }")), "");
  expect_rule("K12", body(lanes + "%2: f32 = sub %0, %1 }"));
  expect_rule("K12", body(lanes + "%2: f32 = add %1, %0 }"));
  expect_rule("K12", body(lanes + "%2: f32 = add %0, %0 }"));
  expect_rule("K12", body(lanes + "%3: f32 = neg %0 %2: f32 = add %0, %3 }"));
  expect_rule("K12", body("for i in n vector 8 lanes 4 carry %0: f32 = 0 next %2 { %1: f32 = load %x[i] "
                          "%2: f32 = add %0, %1 }"));
  expect_rule("K12", body("for i in n carry %0: i32 = 0 next %1 { %1: f32 = load %x[i] }"));
  // The carry is gone behind its loop.
  Kernel k = *parse_kernel(body(good), "k");
  const Reg carry = std::get<Loop>(k.body[0].node).carries[0].value;
  k.body.push_back({StoreInstr{1, 0, carry}});
  expect_rule("K2", k);
}

TEST(KernelVerifier, K7ParallelLoops) {
  expect_rule("K7", body("%0: f32 = const 1\nparallel for i in n {}"));
  expect_rule("K7", body("parallel for i in n {} parallel for j in n {}"));
  expect_rule("K7", body("for i in n { parallel for j in n {} }"));
  expect_rule("K7", body("parallel for i in n { parallel for j in n {} }"));
  expect_rule("K7", body("parallel for i in n acc %0: f32 = sum %1 { %1: f32 = load %x[i] }"));
}

TEST(KernelVerifier, K8Accumulators) {
  expect_rule("K8", body("for i in n acc %0: bool = sum %1 { %1: bool = load %b[i] }"));
  expect_rule("K8", body("for i in n acc %0: f32 = and %1 { %1: f32 = load %x[i] }"));
  expect_rule("K8", body("for i in n acc %0: i64 = argmax %1 { %1: f32 = load %x[i] }"));
  expect_rule("K8", body("for i in n acc %0: f32 = max %1 at %1 { %1: f32 = load %x[i] }"));
  expect_rule("K8", body("for i in n acc %0: i64 = argmax %1 at %1 { %1: f32 = load %x[i] }"));
  expect_rule("K3", body("for i in n acc %0: f64 = sum %1 { %1: f32 = load %x[i] }"), "%0");
  // A value from further out is accumulated again at each iteration.
  EXPECT_EQ(error_of(body("%2: f32 = load %x[0]\nfor i in n acc %0: f32 = sum %2 { }")), "");
}

TEST(KernelVerifier, K9Bounds) {
  expect_rule("K9", body("%0: f32 = load %x[-1]"), "below 0");
  expect_rule("K9", body("%0: f32 = load %x[n]"), "past the n elements");
  expect_rule("K9", body("for i in n { %0: f32 = load %x[i + n] }"));
  expect_rule("K9", body("for i in 4 { store %out[-i - 1], 0 }"));
  EXPECT_EQ(error_of(body("for i in n { %0: f32 = load %x[i + 1] }")), "");
  // Not accessed: masked, or in a loop without iterations.
  EXPECT_EQ(error_of(body("%0: bool = const false\n%1: f32 = load %x[-1] mask %0")), "");
  EXPECT_EQ(error_of("kernel @k(%x: f32[0] in) { for i in 0 { %0: f32 = load %x[i] } }"), "");
}

TEST(KernelVerifier, K10ParallelStores) {
  expect_rule("K10", body("parallel for i in n { store %out[0], 1 }"));
  expect_rule("K10", body("parallel for i in n { for j in 2 { store %out[0], 1 } }"));
  // One iteration alone writes there.
  EXPECT_EQ(error_of(body("parallel for i in n { for once in max(1 - i, 0) { store %out[0], 1 } }")), "");
  EXPECT_EQ(error_of(body("parallel for i in 1 { store %out[0], 1 }")), "");
  EXPECT_EQ(error_of(body("parallel for i in n { store %out[i], 1 }")), "");
  EXPECT_EQ(error_of(body("for i in n { store %out[0], 1 }")), "");
}

// Text refuses such a divisor before the verifier sees it.
TEST(KernelVerifier, K11Divisors) {
  const Dim n = Dim::symbol("n");
  for (const Dim& position : {floor_div(n, 0), mod(n + 1, 0), min(floor_div(n - 1, -2), 3), floor_div(mod(n, 0), 4)}) {
    Kernel k = small();
    k.symbols = {"n"};
    Reg r = k.new_reg(int64);
    k.body.push_back({IndexInstr{r, position}});
    expect_rule("K11", k);
  }
  Kernel size = small();
  size.symbols = {"n"};
  size.buffers[0].size = floor_div(n, 0);
  expect_rule("K11", size);
}

TEST(KernelVerifier, MessagesShowTheInstruction) {
  EXPECT_EQ(error_of(body("%0: f32 = load %x[0]\nstore %x[0], %0")),
            "kernel 'k', `store %x[0], %0`: buffer 'x' is not declared as written (K5)");
}

}  // namespace
}  // namespace frit::ir::kernel_verifier_test
