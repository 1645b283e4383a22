// The text of kernels: printed text reads back to an equal kernel and the same bytes; wrong text is refused at the
// error.
#include <gtest/gtest.h>

#include <random>

#include "ir/read/kernel_parser.h"
#include "ir/text/kernel_printer.h"
#include "ir/verify/kernel_verifier.h"

namespace frit::ir::kernel_text_test {
namespace {

Kernel parsed(std::string_view text) {
  Result<Kernel> k = parse_kernel(text);
  EXPECT_TRUE(k.ok()) << (k.ok() ? "" : k.error().render(text));
  return k.ok() ? *std::move(k) : Kernel{};
}

void expect_round_trip(std::string_view text) {
  Kernel k = parsed(text);
  EXPECT_EQ(print(k), text);
  EXPECT_TRUE(equal(parsed(print(k)), k));
}

std::string error_of(std::string_view text) {
  Result<Kernel> k = parse_kernel(text, "k");
  return k.ok() ? "no error" : k.error().str();
}

TEST(KernelText, CostOfLoopsThatDependOnOthers) {
  // The members of a joined kernel: 3 additions and 2 times 5.
  Kernel joined = parsed(R"(kernel @k(%a: f32[3] inout, %b: f32[5] inout) {
  parallel for m in 2 {
    for run_0 in max(min(-m + 1, m + 1), 0) {
      for i in 3 {
        %0: f32 = load %a[i]
        %1: f32 = add %0, 1
        store %a[i], %1
      }
    }
    for run_1 in max(min(-m + 2, m), 0) {
      for j in 5 {
        %2: f32 = load %b[j]
        %3: f32 = add %2, 1
        %4: f32 = mul %3, 2
        store %b[j], %4
      }
    }
  }
}
)");
  EXPECT_EQ(cost(joined).flops, Dim(13));
  // Pieces of a row, the last of which is short.
  Kernel pieces = parsed(R"(kernel @k(%a: f32[10] inout) {
  for i in 3 {
    for j in min(4, 10 - 4*i) {
      %0: f32 = load %a[4*i + j]
      %1: f32 = add %0, 1
      store %a[4*i + j], %1
    }
  }
}
)");
  EXPECT_EQ(cost(pieces).flops, Dim(10));
}

TEST(KernelText, Elementwise) {
  expect_round_trip(
      R"(kernel @scale(%x: f32[n] in, %out: f32[n] out; n) where n in [1, 65536], n % 16 == 0, n*n % 512 == 0 {
  parallel for i in n vector 8 unroll 4 grain 4096 {
    %0: f32 = load %x[i]
    %1: f32 = mul %0, 0.70710677
    %2: f32 = fma %1, 2, -0.5
    %3: bool = lt %2, 0
    %4: f32 = select %3, 0, %2
    store %out[i], %4
  }
}
)");
}

TEST(KernelText, ReductionsLocalsMasksAndBindings) {
  expect_round_trip(R"(kernel @rows(%x: f16[m*n] in, %at: i64[m] inout, %out: f32[m] out; m, n) {
  local %row: f32[n] inout
  parallel for i in m grain 16 {
    for r in n lanes 32 acc %0: f32 = sum %3, %1: f32 = max %3 {
      %2: f16 = load %x[i*n + r]
      %3: f32 = cast %2
      store %row[r], %3
    }
    for s in n acc %4: i64 = argmax %5 at %6 {
      %5: f32 = load %row[s]
      %6: i64 = index(s)
    }
    %7: f32 = add %0, %1
    store %out[i], %7
    %8: i64 = load %at[i]
    bind k = %8 in [0, 1000]
    %9: bool = lt %8, %4
    %10: f16 = load %x[(k // 2) + min(i, k)] mask %9
    %11: f32 = cast %10
    store %out[i], %11 mask %9
    store %at[i], 7
  }
}
)");
}

TEST(KernelText, CarriesAndRangesOfSizes) {
  expect_round_trip(R"(kernel @scan(%x: f32[m*n] in, %at: i64[m] in, %out: f32[m*n] out; m, n) {
  parallel for i in m {
    %0: i64 = load %at[i]
    bind k = %0 in [0, m - 1]
    for r in n carry %1: f32 = -inf next %3, %2: f32 = 0.5 next %1 {
      %3: f32 = load %x[k*n + r]
      %4: f32 = max %1, %2
      store %out[i*n + r], %4
    }
  }
}
)");
}

TEST(KernelText, NumbersAreExact) {
  expect_round_trip(
      R"(kernel @numbers(%f: f32[4] out, %d: f64[2] out, %h: f16[1] out, %b: bool[1] out, %u: u64[1] out) {
  store %f[0], 0.1
  store %f[1], -0
  store %f[2], nan(0x7fc00001)
  store %f[3], -inf
  store %d[0], 0.1
  store %d[1], 5e-324
  store %h[0], 6.55e+04
  store %b[0], true
  store %u[0], 18446744073709551615
  %0: i8 = const -128
  %1: i32 = cast %0
  %2: f32 = bitcast %1
}
)");
}

TEST(KernelText, ConstantsStandAloneUnlessUsedOnceNextDoor) {
  expect_round_trip(R"(kernel @shared(%x: f32[1] in, %out: f32[1] out) {
  %0: f32 = load %x[0]
  %1: f32 = const 2
  %2: f32 = mul %0, %1
  %3: f32 = add %2, %1
  %4: f32 = sub 1, %3
  %5: bool = ge 3, %4
  %6: f32 = select %5, 1, 0
  store %out[0], %6
}
)");
}

TEST(KernelText, EmptyKernelAndQuotedNames) {
  expect_round_trip("kernel @\"a b\"() {\n}\n");
  expect_round_trip("kernel @k(%\"x y\": i8[0]) {\n}\n");
}

TEST(KernelText, LocationsAreReadBack) {
  Kernel k = parsed("kernel @k() from \"a.cpp\":12:3, \"b.cpp\":4 {\n}\n");
  ASSERT_EQ(k.locs.size(), 2u);
  EXPECT_EQ(to_string(k.locs[0]), "a.cpp:12:3");
  EXPECT_EQ(k.locs[1].line, 4u);
  EXPECT_EQ(print(k, {.locations = true}), "kernel @k() from \"a.cpp\":12:3, \"b.cpp\":4 {\n}\n");
  EXPECT_EQ(print(k), "kernel @k() {\n}\n");
}

TEST(KernelText, RegistersAreNumberedInTheOrderOfTheText) {
  Kernel k =
      parsed("kernel @k(%out: f32[1] out) {\n  %b: f32 = const 1\n  %a: f32 = add %b, %b\n  store %out[0], %a\n}\n");
  EXPECT_EQ(print(k),
            "kernel @k(%out: f32[1] out) {\n  %0: f32 = const 1\n  %1: f32 = add %0, %0\n  store %out[0], %1\n}\n");
}

TEST(KernelText, EqualityIgnoresRegisterNumbersAlone) {
  std::string_view text =
      "kernel @k(%x: f32[2] in, %out: f32[2] out) {\n  for i in 2 {\n    %0: f32 = load %x[i]\n    store %out[i], %0\n  }\n}\n";
  Kernel a = parsed(text), b = parsed(text);
  b.reg_types.insert(b.reg_types.begin(), float64);
  Body& body = std::get<Loop>(b.body[0].node).body;
  std::get<LoadInstr>(body[0].node).result = 1;
  std::get<StoreInstr>(body[1].node).value = 1;
  EXPECT_TRUE(equal(a, b));
  std::get<StoreInstr>(body[1].node).index = 0;
  EXPECT_FALSE(equal(a, b));
  b = a;
  std::get<Loop>(b.body[0].node).lanes = 4;
  EXPECT_FALSE(equal(a, b));
}

TEST(KernelText, WrongTextIsRefusedWhereItIsWrong) {
  EXPECT_EQ(error_of("kernel @k() {\n  %0: f32 = frob 1\n}"), "k:2:13: there is no instruction 'frob'");
  EXPECT_EQ(error_of("kernel @k() {\n  %0: f32 = add %1, 2\n}"), "k:2:17: register %1 is not defined here");
  EXPECT_EQ(error_of("kernel @k() {\n  %0: f32 = load %x[0]\n}"), "k:2:18: there is no buffer %x");
  EXPECT_EQ(error_of("kernel @k(%x: f32[1] in) {\n  %0: f32 = load %x[i]\n}"),
            "k:2:21: 'i' is not a symbol, loop variable or binding here");
  EXPECT_NE(error_of("kernel @k() {\n  for i in 4 {\n    %0: i64 = index(i)\n  }\n  %1: i64 = neg %0\n}")
                .find("%0 is not defined here"),
            std::string::npos);
  EXPECT_NE(error_of("kernel @k() {").find("expected"), std::string::npos);
  EXPECT_NE(error_of("").find("expected"), std::string::npos);
  EXPECT_NE(error_of("kernel @k() {}\nkernel").find("expected"), std::string::npos);
  EXPECT_NE(error_of("kernel @k() {\n  %0: f32 = const 1\n  %0: f32 = const 1\n}").find("defined twice"),
            std::string::npos);
  EXPECT_NE(error_of("kernel @k() {\n  %0: bool = lt 1, 2\n}").find("expected"), std::string::npos);
  std::string deep = "kernel @k() {";
  for (int i = 0; i < 100; ++i) deep += "for i" + std::to_string(i) + " in 1 {";
  EXPECT_NE(error_of(deep).find("nested too deeply"), std::string::npos);
}

// Every prefix of a kernel's text, and many one-character changes, are read or refused without a crash.
TEST(KernelText, DamagedTextNeverCrashes) {
  std::string text = R"(kernel @rows(%x: f16[m*n] in, %out: f32[m] out; m, n) where n in [1, 8] {
  parallel for i in m {
    for r in n lanes 4 acc %0: f32 = sum %2 {
      %1: f16 = load %x[i*n + r]
      %2: f32 = cast %1
    }
    store %out[i], %0
  }
}
)";
  for (size_t n = 0; n < text.size(); ++n) (void)parse_kernel(text.substr(0, n)).ok();
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = text;
    damaged[random() % text.size()] = "%@(){}[]0i,:;=\"/-"[random() % 17];
    (void)parse_kernel(damaged).ok();
  }
}

// A random kernel that keeps the rules: straight-line code over a few registers per type, in loops one or two deep.
class RandomKernel {
 public:
  explicit RandomKernel(unsigned seed) : random_(seed) {}

  Kernel make() {
    k_.name = "r";
    k_.symbols = {"n"};
    k_.facts.set_range("n", {1, 64});
    k_.buffers = {{"x", float32, Dim::symbol("n"), false, true},
                  {"y", int32, Dim::symbol("n"), true, true},
                  {"z", float32, Dim::symbol("n"), true, false}};
    Loop loop;
    loop.var = "i";
    loop.extent = Dim::symbol("n");
    loop.kind = LoopKind::Parallel;
    loop.vector = static_cast<int>(random_() % 9);
    loop.grain = 1 + static_cast<int64_t>(random_() % 100);
    floats_.clear();
    ints_.clear();
    loop.body = body(2);
    k_.body.push_back({std::move(loop)});
    return std::move(k_);
  }

 private:
  Reg pick(std::vector<Reg>& from, Dtype type, Body& body) {
    if (from.empty() || random_() % 4 == 0) {
      Reg r = k_.new_reg(type);
      uint64_t bits = type == float32 ? random_() : random_() % 100;
      body.push_back({ScalarInstr{r, ScalarOp::Const, type, {kNoReg, kNoReg, kNoReg}, bits}});
      if (random_() % 2) from.push_back(r);
      return r;
    }
    return from[random_() % from.size()];
  }

  void instruction(Body& b) {
    Dim i = Dim::symbol("i");
    switch (random_() % 7) {
      case 0: {
        Reg r = k_.new_reg(float32);
        b.push_back({LoadInstr{r, 0, i}});
        floats_.push_back(r);
        break;
      }
      case 1: {
        Reg x = pick(floats_, float32, b), y = pick(floats_, float32, b), z = pick(floats_, float32, b);
        Reg r = k_.new_reg(float32);
        b.push_back({ScalarInstr{r, ScalarOp::Fma, float32, {x, y, z}}});
        floats_.push_back(r);
        break;
      }
      case 2: {
        Reg x = pick(ints_, int32, b), y = pick(ints_, int32, b), r = k_.new_reg(int32);
        b.push_back({ScalarInstr{r, random_() % 2 ? ScalarOp::Mul : ScalarOp::Xor, int32, {x, y, kNoReg}}});
        ints_.push_back(r);
        break;
      }
      case 3: {
        Reg x = pick(floats_, float32, b), y = pick(floats_, float32, b);
        Reg c = k_.new_reg(bool_), r = k_.new_reg(float32);
        b.push_back({ScalarInstr{c, ScalarOp::Lt, bool_, {x, y, kNoReg}}});
        b.push_back({ScalarInstr{r, ScalarOp::Select, float32, {c, y, x}}});
        floats_.push_back(r);
        break;
      }
      case 4: {
        Reg r = k_.new_reg(int32), x = pick(floats_, float32, b);
        b.push_back({ScalarInstr{r, ScalarOp::Cast, int32, {x, kNoReg, kNoReg}}});
        ints_.push_back(r);
        break;
      }
      case 5: b.push_back({StoreInstr{1, i, pick(ints_, int32, b)}}); break;
      default: b.push_back({StoreInstr{2, i, pick(floats_, float32, b)}}); break;
    }
  }

  Body body(int depth) {
    Body b;
    int count = 3 + static_cast<int>(random_() % 12);
    for (int n = 0; n < count; ++n) {
      if (depth == 0 || random_() % 6) {
        instruction(b);
        continue;
      }
      Loop loop;
      loop.var = "r" + std::to_string(next_++);
      loop.extent = random_() % 2 ? Dim(3) : Dim::symbol("i") + Dim(1);
      auto floats = floats_, ints = ints_;
      loop.body = body(depth - 1);
      Reg value = pick(floats_, float32, loop.body), result = k_.new_reg(float32);
      loop.lanes = random_() % 2 ? 4 : 0;
      loop.accumulators.push_back({random_() % 2 ? Combine::Sum : Combine::Min, float32, value, result});
      floats_ = floats, ints_ = ints;
      floats_.push_back(result);
      b.push_back({std::move(loop)});
    }
    return b;
  }

  std::mt19937 random_;
  Kernel k_;
  std::vector<Reg> floats_, ints_;
  int next_ = 0;
};

TEST(KernelText, RandomKernelsRoundTrip) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    Kernel k = RandomKernel(seed).make();
    Status valid = verify(k);
    ASSERT_TRUE(valid.ok()) << valid.error().str() << "\n" << print(k);
    std::string text = print(k);
    Result<Kernel> again = parse_kernel(text);
    ASSERT_TRUE(again.ok()) << again.error().render(text);
    EXPECT_TRUE(equal(k, *again)) << text;
    EXPECT_EQ(print(*again), text);
  }
}

}  // namespace
}  // namespace frit::ir::kernel_text_test
