// Every primitive scalar op on every element type, against the interpreter, for several vector widths and unrollings.
#include <bit>

#include "codegen_harness.h"

namespace frit::test::scalar_code {
namespace {

using ir::ScalarOp;

struct Shape {
  int vector, unroll;
};
constexpr Shape kShapes[] = {{0, 1}, {4, 1}, {8, 4}, {16, 2}};
constexpr int64_t kSizes[] = {0, 1, 7, 8, 31, 32, 33, 1000};

std::vector<Dtype> kernel_types() {
  std::vector<Dtype> types(kAllDtypes.begin(), kAllDtypes.end());
  std::erase(types, complex64);
  return types;
}

// for i in n: the body that `make` appends after loading a[i], b[i] and c[i]; results are stored to outputs it adds.
class KernelMaker {
 public:
  KernelMaker(std::string name, Dtype type, Shape shape) {
    k.name = std::move(name);
    k.symbols = {"n"};
    Dim n = Dim::symbol("n");
    for (const char* input : {"a", "b", "c"}) k.buffers.push_back({input, type, n, false, true});
    k.buffers.push_back({"chosen", bool_, n, false, true});
    loop.var = "i";
    loop.extent = n;
    loop.kind = ir::LoopKind::Parallel;
    loop.vector = shape.vector;
    loop.unroll = shape.unroll;
    for (uint32_t i = 0; i < 4; ++i) {
      ir::Reg r = k.new_reg(k.buffers[i].dtype);
      loop.body.push_back({ir::LoadInstr{r, i, Dim::symbol("i")}});
    }
  }
  // Applies `op` if its types fit, and keeps the result.
  void apply(ScalarOp op, Dtype result) {
    std::array<ir::Reg, 3> args{0, 1, 2};
    if (op == ScalarOp::Select) args = {3, 0, 1};
    std::array<Dtype, 3> types{float32, float32, float32};
    size_t count = static_cast<size_t>(ir::arity(op));
    for (size_t i = 0; i < count; ++i) types[i] = k.reg_types[args[i]];
    if (!ir::types_fit(op, result, std::span(types).first(count))) return;
    ir::Reg r = k.new_reg(result);
    loop.body.push_back({ir::ScalarInstr{r, op, result, args, 0}});
    k.buffers.push_back(
        {std::string(ir::name(op)) + "_" + std::string(short_name(result)), result, Dim::symbol("n"), true, false});
    loop.body.push_back({ir::StoreInstr{static_cast<uint32_t>(k.buffers.size() - 1), Dim::symbol("i"), r}});
  }
  ir::Kernel done() {
    k.body.push_back({std::move(loop)});
    return std::move(k);
  }
  ir::Kernel k;
  ir::Loop loop;
};

void check(ir::Kernel kernel) {
  Compiled compiled(std::move(kernel));
  for (int64_t n : kSizes) compiled.check({n});
  compiled.check({1000}, 7);
}

class EveryType : public ::testing::TestWithParam<Dtype> {};

TEST_P(EveryType, ArithmeticMatchesTheInterpreter) {
  for (Shape shape : kShapes) {
    KernelMaker m("arithmetic", GetParam(), shape);
    for (int op = static_cast<int>(ScalarOp::Add); op <= static_cast<int>(ScalarOp::Select); ++op)
      m.apply(static_cast<ScalarOp>(op), ir::is_comparison(static_cast<ScalarOp>(op)) ? bool_ : GetParam());
    check(m.done());
  }
}

TEST_P(EveryType, ConversionsMatchTheInterpreter) {
  for (Shape shape : kShapes) {
    KernelMaker m("conversions", GetParam(), shape);
    for (Dtype to : kernel_types()) {
      m.apply(ScalarOp::Cast, to);
      m.apply(ScalarOp::Bitcast, to);
    }
    check(m.done());
  }
}

INSTANTIATE_TEST_SUITE_P(Codegen, EveryType, ::testing::ValuesIn(kernel_types()),
                         [](const auto& p) { return std::string(short_name(p.param)); });

// Constant operands take shorter code: clamps and divisions.
TEST(Scalar, ConstantOperands) {
  for (Shape shape : kShapes) {
    ir::Kernel k = parse(R"(
      kernel @constants(%x: f32[n] in, %y: i32[n] in, %z: u8[n] in, %min: f32[n] out, %max: f32[n] out, %low: f32[n] out, %high: f32[n] out,
                        %div: i32[n] out, %rem: i32[n] out, %zero: i32[n] out, %minus: i32[n] out, %small: u8[n] out; n) {
        parallel for i in n {
          %a: f32 = load %x[i]
          %b: i32 = load %y[i]
          %c: u8 = load %z[i]
          %0: f32 = min %a, 0
          store %min[i], %0
          %1: f32 = max %a, -0.0
          store %max[i], %1
          %2: f32 = min 1.5, %a
          store %low[i], %2
          %3: f32 = max nan, %a
          store %high[i], %3
          %4: i32 = div %b, 7
          store %div[i], %4
          %5: i32 = rem %b, -7
          store %rem[i], %5
          %6: i32 = div %b, 0
          store %zero[i], %6
          %7: i32 = div %b, -1
          store %minus[i], %7
          %8: u8 = div %c, 255
          store %small[i], %8
        }
      })");
    set_vector(k, "i", shape.vector, shape.unroll);
    check(std::move(k));
  }
}

// Processors without the instruction compute it in f64. There, sums just beside the middle between two f32 numbers must
// not be taken for the middle.
TEST(Scalar, FusedMultiplicationRoundsOnceOnEveryProcessor) {
  const auto number = [](const std::string& name, int64_t i) -> std::optional<uint64_t> {
    // z has 24 bits; x y is half of its last bit minus the square of k units of 2^-23, which f64 cannot represent: (1 +
    // k u) (1 - k u) = 1 - (k u)^2.
    const auto n = static_cast<uint64_t>(i);
    const uint64_t k = 1 + n % 300, exponent = 40 + n % 180, mixed = n * 0x9e3779b97f4a7c15;
    if (n % 16 == 0) return std::nullopt;
    if (name == "x") return uint64_t{127} << 23 | k;
    if (name == "y") return (mixed >> 63) << 31 | (exponent - 25) << 23 | (0x800000 - 2 * k);
    return (mixed >> 62 & 1) << 31 | exponent << 23 | (mixed >> 32 & 0x7fffff);
  };
  for (const char* cpu : {"native", "x86-64", "x86-64-v2", "x86-64-v3"}) {
    if (!backend().runs_here({"llvm", cpu}).ok()) continue;
    SCOPED_TRACE(cpu);
    for (const char* width : {"", " vector 4", " vector 8 unroll 2"}) {
      const std::string head =
          "kernel @fused(%x: f32[n] in, %y: f32[n] in, %z: f32[n] in, %out: f32[n] out; n) {\n  parallel for i in n";
      Compiled fused(parse(head + width + R"( {
    %0: f32 = load %x[i]
    %1: f32 = load %y[i]
    %2: f32 = load %z[i]
    %3: f32 = fma %0, %1, %2
    store %out[i], %3
  }
})"),
                     cpu);
      ASSERT_TRUE(fused.ok());
      fused.check({20001}, 1, number);
      fused.check({1001});
    }
  }
}

// Two products with halves of a power of two round once, at the last one, also where they are one instruction: down to
// subnormal numbers and up to infinity.
TEST(Scalar, ProductsWithHalvesOfAPowerOfTwoRoundOnce) {
  struct Words {
    const char *real, *word, *magic, *bits;
    int64_t bias;
  };
  for (const Words& w : {Words{"f32", "u32", "12583166", "23", 127}, {"f64", "u64", "6755399441057790", "52", 1023}}) {
    const auto number = [&](const std::string& name, int64_t i) -> std::optional<uint64_t> {
      const uint64_t mixed = static_cast<uint64_t>(i) * 0x9e3779b97f4a7c15;
      const bool wide = w.bias > 127;
      // Exponents from below the subnormal numbers to infinity, and what is near to 1.
      const auto k = static_cast<double>(i % (wide ? 2300 : 300) - (wide ? 1200 : 160));
      if (name == "x") return wide ? std::bit_cast<uint64_t>(k) : std::bit_cast<uint32_t>(static_cast<float>(k));
      if (i % 50 == 0) return std::nullopt;
      if (wide) return (mixed >> 63) << 63 | (1022 + (mixed >> 62 & 1)) << 52 | (mixed >> 10 & 0xfffffffffffff);
      return (mixed >> 63) << 31 | (126 + (mixed >> 62 & 1)) << 23 | (mixed >> 32 & 0x7fffff);
    };
    const std::string real = w.real, word = w.word, bits = w.bits;
    const auto value = [](int r, const std::string& type) { return "%" + std::to_string(r) + ": " + type + " = "; };
    const std::string text =
        "kernel @scaled(%x: " + real + "[n] in, %z: " + real + "[n] in, %out: " + real +
        "[n] out; n) {\n parallel for i in n {\n" + value(0, real) + "load %x[i]\n" + value(1, real) + "load %z[i]\n" +
        value(2, real) + "add %0, " + w.magic + "\n" + value(3, word) + "bitcast %2\n" + value(4, word) +
        "shr %3, 1\n" + value(5, word) + "shl %4, " + bits + "\n" + value(6, real) + "bitcast %5\n" + value(7, real) +
        "mul %1, %6\n" + value(8, word) + "sub %3, %4\n" + value(9, word) + "shl %8, " + bits + "\n" + value(10, real) +
        "bitcast %9\n" + value(11, real) + "mul %7, %10\n store %out[i], %11\n }\n}";
    for (const Shape shape : kShapes) {
      ir::Kernel k = parse(text);
      set_vector(k, "i", shape.vector, shape.unroll);
      Compiled compiled(std::move(k));
      ASSERT_TRUE(compiled.ok());
      compiled.check({30001}, 1, number);
    }
  }
}

}  // namespace
}  // namespace frit::test::scalar_code
