// The text form: printed text reads back to the same function, bit for bit.
#include <bit>
#include <cmath>
#include <fstream>
#include <random>

#include "ir/read/json.h"
#include "ir/scalar/scalar.h"
#include "ir/text/text.h"
#include "ir_support.h"
#include "tests/environment.h"

namespace frit::ir::testing {
namespace {

// The text is canonical: reading it and printing it gives the same bytes.
void expect_canonical(std::string_view text) {
  auto m = parsed(text);
  EXPECT_EQ(print(*m), text);
  for (const auto& f : m->functions) EXPECT_TRUE(verify(*f).ok()) << verify(*f).error().str();
}

TEST(Text, AFunctionAsInTheDocumentation) {
  expect_canonical(R"(func @swiglu(%gate: f32[b, n], %up: f32[b, n]) -> f32[b, n] where b in [1, 65536], n % 16 == 0 {
  %0: f32[] = constant 1.702
  %1: f32[b, n] = broadcast %0 {shape=[b, n]}
  %2: f32[b, n] = multiply %gate, %1  // loc "swiglu.cpp":12
  %3: f32[b, n] = sigmoid %2
  %4: f32[b, n] = multiply %gate, %3
  %5: f32[b, n] = multiply %4, %up  // loc "swiglu.cpp":13:7
  return %5
}
)");
}

TEST(Text, FactsAboutSeveralSizes) {
  expect_canonical(
      R"(func @f(%x: f32[k, n, m]) where k in [1, 64], n % 16 == 0, k*n + 16 == 2*m*n, k*m % 4 == 0, m + (n % 3) <= 8, n <= max(k, m), (m // 2) <= n {
  return
}
)");
  auto text = [](const std::string& facts) {
    std::string s =
        print(*parsed("func @f(%x: f32[k, n, m]) where " + facts + " // a comment\n // another\n { return }"));
    size_t from = s.find("where ");
    return from == std::string::npos ? "" : s.substr(from + 6, s.find(" {") - from - 6);
  };
  EXPECT_EQ(text("n % 6 == 0, n % 4 == 0"), "n % 12 == 0");
  EXPECT_EQ(text("4 <= n, n <= 9, n in [2, 64]"), "n in [4, 9]");
  EXPECT_EQ(text("m == n, n == m, 2*n == 2*m, m % 4 == n % 4"), "m == n");
  EXPECT_EQ(text("n*m % 8 == 0, n*m*k % 4 == 0"), "m*n % 8 == 0");
  EXPECT_EQ(text("n <= m, n <= m + 1, m <= k, n <= k"), "m <= k, n <= m");
  EXPECT_EQ(text("n % 4 == 3"), "n % 4 == 3");
  EXPECT_EQ(text("0 == n*m % k"), "m*n % k == 0");
  EXPECT_EQ(text("0 <= n, n <= n"), "");
}

TEST(Text, SeveralFunctionsResultsAndNone) {
  expect_canonical(R"(func @pair(%x: f32[n]) -> (f32[n], f32[n]) {
  %0: f32[n], %1: f32[n] = test_pair %x
  return %1, %x
}

func @nothing() {
  return
}

func @effects(%x: i8[2]) {
  test_effect
  test_effect %x, %x
  return
}

func @same(%x: i32[]) -> (i32[], i32[]) {
  return %x, %x
}
)");
}

TEST(Text, GroupsLayoutsAndSymbolicSizes) {
  expect_canonical(
      R"(func @f(%x: f32[n, m] strides [s0, 1], %y: f32[m*n + 2, (n // 16), (m % 4), min(m, n), max(2*m, n)]) -> f32[n] where s0 in [-64, 64] {
  %0: f32[n, m] = exp %x
  group loop {
    %1: f32[n, m] = negative %x
    %2: f32[n, m] = add %0, %1
  }
  group reduce {
    %3: f32[n] = sum %2 {axes=[1]}
  }
  return %3
}
)");
}

TEST(Text, AttributesOfEveryKind) {
  expect_canonical(R"(func @f(%x: f32[n]) -> f32[n] {
  %0: f32[n] = test_all %x
  %1: f32[n] = test_all %0 {count=2*n + 1, data=f16 [1.5, nan, -inf], flag=true, label="a \"b\"\n\\ \x01", scale=-0, sizes=[n, -3], type=bf16}
  %2: f32[n] = test_all %1 {data=c64 [(1, -2)], scale=1e+300, sizes=[]}
  return %2
}
)");
}

TEST(Text, NamesThatNeedQuotes) {
  expect_canonical(R"(func @"lambda at f.cpp:3"(%"a b": f32[], %1: f32[], %x.y: f32[]) -> f32[] {
  %0: f32[] = add %"a b", %1
  %2: f32[] = add %0, %x.y
  return %2
}
)");
}

TEST(Text, DenseConstants) {
  expect_canonical(R"(func @f() -> (i32[2, 3], bool[2], c64[1], f32[0, 3], u64[], i8[1, 1]) {
  %0: i32[2, 3] = constant [[1, -2, 3], [4, 5, -2147483648]]
  %1: bool[2] = constant [true, false]
  %2: c64[1] = constant [(0, -0)]
  %3: f32[0, 3] = constant []
  %4: u64[] = constant 18446744073709551615
  %5: i8[1, 1] = constant [[-128]]
  return %0, %1, %2, %3, %4, %5
}
)");
}

TEST(Text, BlanksAndCommentsAreFree) {
  auto m = parsed(
      "// a file\r\nfunc @f(%x:f32[n],// the input\n %y : f32 [ n ])->f32[n]{ // loc \"no.cpp\":1\n"
      "  // loc \"alone.cpp\":9\n%a:f32[n]=add %x,\n  %y// loc \"yes.cpp\":4\n\n  // loc \"alone.cpp\":10\nreturn %a}");
  EXPECT_EQ(print(*m),
            "func @f(%x: f32[n], %y: f32[n]) -> f32[n] {\n  %0: f32[n] = add %x, %y  // loc \"yes.cpp\":4\n"
            "  return %0\n}\n");
}

TEST(Text, LocationsCanBeLeftOut) {
  auto m = parsed("func @f(%x: f32[]) -> f32[] {\n  %0: f32[] = exp %x  // loc \"a b\\\"c\":3\n  return %0\n}\n");
  EXPECT_STREQ(m->functions[0]->ops[0].loc.file, "a b\"c");
  EXPECT_EQ(print(*m).find("// loc \"a b\\\"c\":3") == std::string::npos, false);
  EXPECT_EQ(print(*m, {.locations = false}).find("loc"), std::string::npos);
}

// The last three comments are no locations.
TEST(Text, OperationsOfABackwardPass) {
  auto m = parsed(R"(func @f(%x: f32[]) -> f32[] {
  %0: f32[] = exp %x  // loc "a.cpp":3:7 backward
  %1: f32[] = exp %0  // loc backward
  %2: f32[] = exp %1  // loc "backward":2
  %3: f32[] = exp %2  // loc :2 backward
  %4: f32[] = exp %3  // loc "a.cpp":1:2147483648
  %5: f32[] = exp %4  // loc "a.cpp":1 forward
  return %5
}
)");
  const std::string text = print(*m);
  EXPECT_EQ(text, R"(func @f(%x: f32[]) -> f32[] {
  %0: f32[] = exp %x  // loc "a.cpp":3:7 backward
  %1: f32[] = exp %0  // loc backward
  %2: f32[] = exp %1  // loc "backward":2
  %3: f32[] = exp %2
  %4: f32[] = exp %3
  %5: f32[] = exp %4
  return %5
}
)");
  EXPECT_EQ(print(*parsed(text)), text);
  const std::vector<Op>& ops = m->functions[0]->ops;
  EXPECT_TRUE(ops[0].loc.backward && ops[1].loc.backward && !ops[2].loc.backward);
  EXPECT_EQ(to_string(ops[0].loc), "a.cpp:3:7");
  EXPECT_FALSE(ops[1].loc.known());
}

TEST(Text, LoweredFunctionsHoldTheirProgram) {
  expect_canonical(R"(func @f(%x: f32[n]) -> f32[n] where n in [1, 64] {
  program @f(n) {
    buffer %x: f32[n] input 0
    buffer %out: f32[n] output
    launch @k(%x, %out)
    return %out: f32[n]
    kernel @k(%x: f32[n] in, %out: f32[n] out; n) {
      parallel for i in n {
        %0: f32 = load %x[i]
        %1: f32 = add %0, 1
        store %out[i], %1
      }
    }
  }
}
)");
  EXPECT_EQ(error_of("func @f() -> f32[] { program @f() { return } }"),
            "1:46: the program of '@f' has other results than its function declares");
}

// The page's example and table must match the code.
TEST(Text, TheDocumentationIsTrue) {
  std::ifstream file(source_folder() + "/docs/ir.md");
  std::string page{std::istreambuf_iterator<char>(file), {}};
  size_t begin = page.find("func @gate");
  std::string example = page.substr(begin, page.find("```", begin) - begin);
  expect_canonical(example);
  for (int i = 1; i <= 14; ++i) EXPECT_NE(page.find("| G" + std::to_string(i) + " |"), std::string::npos) << i;
}

uint64_t read_number(Dtype t, const std::string& text) {
  Lexer lexer(text, "n");
  auto bits = parse_number(lexer, t);
  EXPECT_TRUE(bits.ok()) << short_name(t) << " " << text << ": " << bits.error().message;
  return bits.ok() ? *bits : ~uint64_t{0};
}

TEST(Numbers, Every16BitPatternReadsBack) {
  for (Dtype t : {float16, bfloat16, uint16, int16})
    for (uint64_t bits = 0; bits < 0x10000; ++bits)
      ASSERT_EQ(read_number(t, number_text(t, bits)), bits) << number_text(t, bits);
}

TEST(Numbers, RandomBitsReadBack) {
  std::mt19937_64 rng(7);
  for (Dtype t : kAllDtypes) {
    for (int i = 0; i < 5000; ++i) {
      uint64_t bits = rng();
      if (t.size() < 8) bits &= (uint64_t{1} << 8 * t.size()) - 1;
      if (t == bool_) bits &= 1;
      ASSERT_EQ(read_number(t, number_text(t, bits)), bits) << number_text(t, bits);
    }
  }
}

TEST(Numbers, AreShort) {
  auto text = [](Dtype t, double v) { return number_text(t, double_to_bits(t, v)); };
  EXPECT_EQ(text(float32, 0.1), "0.1");
  EXPECT_EQ(text(float16, 0.1), "0.1");
  EXPECT_EQ(text(bfloat16, 0.1), "0.1");
  EXPECT_EQ(text(float32, 1), "1");
  EXPECT_EQ(text(float32, -0.0), "-0");
  EXPECT_EQ(text(float64, 1e300), "1e+300");
  EXPECT_EQ(text(float32, HUGE_VAL), "inf");
  EXPECT_EQ(number_text(float32, 0x7fc00000), "nan");
  EXPECT_EQ(number_text(float32, 0xffc00001), "nan(0xffc00001)");
  EXPECT_EQ(number_text(complex64, uint64_t{0x80000000} << 32 | 0x3f800000), "(1, -0)");
}

TEST(Module, NamesItsFileOfWeights) {
  const std::string text =
      "weights \"sub/mlp.safetensors\"\nfunc @f(%x: f32[4], %w: f32[4] = \"w\") -> %y: f32[4] {\n  return %w\n}\n";
  auto m = parse(text, "m");
  ASSERT_TRUE(m.ok()) << m.error().str();
  EXPECT_EQ((*m)->weights, "sub/mlp.safetensors");
  EXPECT_EQ((*m)->functions[0]->weight(0), "");
  EXPECT_EQ((*m)->functions[0]->weight(1), "w");
  EXPECT_EQ((*m)->functions[0]->result_name(0), "y");
  EXPECT_EQ(print(**m), "weights \"sub/mlp.safetensors\"\n\n" + text.substr(text.find("func")));
  auto json = from_json(to_json(**m), "m");
  ASSERT_TRUE(json.ok()) << json.error().str();
  EXPECT_EQ(print(**json), print(**m));
  EXPECT_FALSE(parse("weights \"\"", "m").ok());
  auto versioned = parse("frit 1\n" + text, "m");
  ASSERT_TRUE(versioned.ok()) << versioned.error().str();
  EXPECT_EQ(print(**versioned), print(**m));
  auto later = parse("frit 2\n" + text, "m");
  ASSERT_FALSE(later.ok());
  EXPECT_EQ(later.error().message, "this text has version 2, and only version 1 is known");
  EXPECT_FALSE(parse("frit\n" + text, "m").ok());
  EXPECT_FALSE(parse("weights w", "m").ok());
}

TEST(Dims, RandomExpressionsReadBack) {
  std::mt19937 rng(3);
  auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(rng); };
  std::function<Dim(int)> make = [&](int depth) -> Dim {
    if (depth == 0) return pick(0, 1) ? Dim(pick(-9, 9)) : Dim::symbol(std::string(1, "nmk"[pick(0, 2)]));
    Dim a = make(depth - 1), b = make(depth - 1);
    switch (pick(0, 6)) {
      case 0: return a + b;
      case 1: return a - b;
      case 2: return a * b;
      case 3: return min(a, b);
      case 4: return max(a, b);
      case 5: return floor_div(a, pick(0, 1) ? Dim(pick(1, 9)) : Dim::symbol("n"));
      default: return mod(a, pick(0, 1) ? Dim(pick(1, 9)) : Dim::symbol("n"));
    }
  };
  for (int i = 0; i < 3000; ++i) {
    Dim d = make(pick(0, 4));
    std::string text = d.str();
    Lexer lexer(text, "d");
    auto read = parse_dim(lexer);
    ASSERT_TRUE(read.ok()) << text << ": " << read.error().str();
    ASSERT_EQ(*read, d) << text << " was read as " << read->str();
    ASSERT_EQ(lexer.peek().kind, TokenKind::End) << text;
  }
}

}  // namespace
}  // namespace frit::ir::testing
