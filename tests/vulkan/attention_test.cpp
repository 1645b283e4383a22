// Rows between products on a GPU, over random shapes, against the graph interpreter, which computes in double.
#include <gtest/gtest.h>

#include <cmath>

#include "ir/interpret/interpreter.h"
#include "ir/kernel/program.h"
#include "ir/read/parser.h"
#include "support/generate.h"
#include "support/ways.h"

namespace frit::test {
namespace {

using namespace ir;

struct Drawn {
  std::string type = "f32", mask;  // mask: "", "add", "keep" or "hide"
  int batch = 1, heads = 2, group = 1, m = 64, n = 64, d = 16, e = 16;
  bool causal = false, open = false, turned = true, infinite = false;
  bool counts = false;  // hidden scores are near the others
};

// `text` with every <name> replaced.
std::string filled(std::string text, const std::vector<std::pair<std::string, std::string>>& words) {
  for (const auto& [name, value] : words)
    for (size_t at; (at = text.find("<" + name + ">")) != std::string::npos;) text.replace(at, name.size() + 2, value);
  return text;
}

std::string graph(const Drawn& c) {
  // Keys lie along their elements, or across them.
  std::string text =
      "func @f(%q: <t>[<b>, <qh>, <m>, <d>], %k: <t>[<b>, <h>, <k0>, <k1>], %v: <t>[<b>, <h>, <n>, <e>]<params>) -> "
      "<t>[<b>, <h>, <rows>, <e>]<facts> {\n";
  if (c.turned) text += "  %kt: <t>[<b>, <h>, <d>, <n>] = transpose %k {axes=[0, 1, 3, 2]}\n";
  text += "  %qr: <t>[<b>, <h>, <rows>, <d>] = reshape %q {shape=[<b>, <h>, <rows>, <d>]}\n";
  text += std::string("  %p: <t>[<b>, <h>, <rows>, <n>] = matmul %qr, %") + (c.turned ? "kt" : "k") + "\n";
  text += "  %s0: <t>[<full>] = reshape %p {shape=[<full>]}\n  %f: <t>[] = constant 0.25\n";
  text += "  %fs: <t>[<full>] = broadcast %f {shape=[<full>]}\n  %s1: <t>[<full>] = multiply %s0, %fs\n";
  std::string last = "s1";
  text += "  %low: <t>[] = constant " +
          std::string(c.infinite        ? "-inf"
                      : c.counts        ? "-1"
                      : c.mask == "add" ? "-1000"
                                        : "-60000") +
          "\n";
  text += "  %lows: <t>[<full>] = broadcast %low {shape=[<full>]}\n";
  if (c.causal) {
    text += "  %i: i32[<m>, <n>] = iota {axis=0, dtype=i32, shape=[<m>, <n>], start=<n>-<m>}\n";
    text += "  %j: i32[<m>, <n>] = iota {axis=1, dtype=i32, shape=[<m>, <n>]}\n";
    text += "  %see: bool[<m>, <n>] = greater_equal %i, %j\n  %sees: bool[<full>] = broadcast %see {shape=[<full>]}\n";
    text += "  %s2: <t>[<full>] = select %sees, %s1, %lows\n";
    last = "s2";
  }
  if (!c.mask.empty()) {
    const std::string t = c.mask == "add" ? "<t>" : "bool";
    text += "  %ws: " + t + "[<full>] = broadcast %w {shape=[<full>]}\n  %s3: <t>[<full>] = ";
    text += c.mask == "add"    ? "add %" + last + ", %ws\n"
            : c.mask == "keep" ? "select %ws, %" + last + ", %lows\n"
                               : "select %ws, %lows, %" + last + "\n";
    last = "s3";
  }
  text += "  %wide: f32[<full>] = astype %" + last + " {dtype=f32}\n  %sm: f32[<full>] = softmax %wide {axes=[3]}\n";
  text +=
      "  %x: <t>[<full>] = astype %sm {dtype=<t>}\n  %xr: <t>[<b>, <h>, <rows>, <n>] = reshape %x {shape=[<b>, <h>, <rows>, <n>]}\n";
  text += "  %out: <t>[<b>, <h>, <rows>, <e>] = matmul %xr, %v\n  return %out\n}";
  const auto number = [](int v) { return std::to_string(v); };
  const std::string m = c.open ? "m" : number(c.m), n = c.open ? "n" : number(c.n);
  const std::string rows = c.group == 1 ? m : c.open ? "m*" + number(c.group) : number(c.m * c.group);
  const std::string params = c.mask.empty() ? "" : c.mask == "add" ? ", %w: <t>[<m>, <n>]" : ", %w: bool[<m>, <n>]";
  text = filled(text, {{"params", params},
                       {"facts", c.open ? " where n in [1, 2000], m in [1, 1000]" : ""},
                       {"full", "<b>, <qh>, <m>, <n>"}});
  return filled(text, {{"t", c.type},
                       {"b", number(c.batch)},
                       {"h", number(c.heads)},
                       {"qh", number(c.heads * c.group)},
                       {"rows", rows},
                       {"m", m},
                       {"n", n},
                       {"d", number(c.d)},
                       {"e", number(c.e)},
                       {"k0", c.turned ? n : number(c.d)},
                       {"k1", c.turned ? number(c.d) : n}});
}

class Attention : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(on_gpu()) << "run it with FRIT_TEST_TARGET=vulkan";
    if (std::string why = why_not_here(); !why.empty()) GTEST_SKIP() << why;
  }

  void check(const Drawn& c) {
    const std::string text = graph(c);
    auto module = ir::parse(text, "test");
    ASSERT_TRUE(module.ok()) << module.error().render(text);
    const Function& f = *(*module)->functions.at(0);
    auto planned = plan(f, true);
    ASSERT_TRUE(planned.ok()) << planned.error().str();
    size_t products = 0;
    for (const Step& s : planned->program->steps) products += std::holds_alternative<LibraryStep>(s);
    EXPECT_EQ(products, 1u) << "the scores are stored by\n" << text;
    auto code = codegen::build(*planned, target());
    ASSERT_TRUE(code.ok()) << code.error().str();
    const SymbolValues symbols = c.open ? SymbolValues{{"m", c.m}, {"n", c.n}} : SymbolValues{};
    std::vector<ir::Tensor> inputs = random_inputs(f, symbols, Values::Ordinary, random_);
    auto arguments = place(f, inputs, random_);
    ASSERT_TRUE(arguments.ok()) << arguments.error().str();
    // In f32, as the interpreter would round scores to the element type.
    Drawn exact = c;
    exact.type = "f32";
    auto reference = ir::parse(graph(exact), "test");
    ASSERT_TRUE(reference.ok()) << reference.error().str();
    std::vector<ir::Tensor> numbers;
    for (const ir::Tensor& t : inputs) {
      std::vector<double> values;
      for (int64_t e = 0; e < t.size(); ++e) values.push_back(t.at(e));
      numbers.push_back(t.dtype == bool_ ? t : ir::Tensor(float32, t.shape, values));
    }
    auto want = interpret(*(*reference)->functions.at(0), numbers);
    ASSERT_TRUE(want.ok()) << want.error().str();
    auto got = run_code(**code, *arguments);
    ASSERT_TRUE(got.ok()) << got.error().str();
    const ir::Tensor &x = want->at(0), &y = got->at(0);
    ASSERT_EQ(x.size(), y.size());
    double most = 0;
    for (int64_t e = 0; e < inputs[2].size(); ++e) most = std::max(most, std::fabs(inputs[2].at(e)));
    // Results are means of the last operand. Weights and results may be rounded to the element type.
    // Scores round in proportion to their size, which grows with d.
    // Hidden scores near -1000 to which a mask is added round by 6e-5.
    const double hidden = c.causal && c.mask == "add" ? 1.2e-4 : 0;
    const double allowed = most * (hidden + (c.type == "f32"   ? 2e-5 + 4e-7 * c.d
                                             : c.type == "f16" ? 1.0 / 500
                                                               : 1.0 / 60));
    for (int64_t e = 0; e < x.size(); ++e) {
      ASSERT_EQ(std::isnan(x.at(e)), std::isnan(y.at(e))) << x.at(e) << " and " << y.at(e) << " at " << e << " of\n"
                                                          << text;
      if (std::isnan(x.at(e))) continue;
      ASSERT_LE(std::fabs(x.at(e) - y.at(e)), allowed) << x.at(e) << " and " << y.at(e) << " at " << e << " of\n"
                                                       << text;
    }
  }

  Random random_{11};
};

TEST_F(Attention, RandomShapes) {
  const auto pick = [&](std::initializer_list<int> all) { return all.begin()[random_() % all.size()]; };
  for (int i = 0; i < 12; ++i) {
    Drawn c;
    c.type = i % 3 == 0 ? "f32" : i % 3 == 1 ? "f16" : "bf16";
    c.batch = pick({1, 2});
    c.heads = pick({1, 2, 3});
    c.group = pick({1, 1, 2, 3});
    c.m = static_cast<int>(between(random_, 32, 150));
    c.n = pick({32, 64, 128, static_cast<int>(between(random_, 32, 200))});
    c.d = pick({8, 16, 24, 32, 64, 7, 33, 128});
    c.e = pick({8, 16, 64, 40, 5, 33, 128});
    c.causal = chance(random_, 40);
    c.mask = chance(random_, 50) ? "" : chance(random_, 50) ? "add" : chance(random_, 50) ? "keep" : "hide";
    if (c.causal && c.mask != "add") c.mask.clear();
    c.infinite = c.mask != "add" && chance(random_, 40);
    c.open = chance(random_, 40);
    c.turned = chance(random_, 70);
    check(c);
    if (HasFatalFailure()) return;
  }
}

// Few blocks of rows, or few rows: keys are split, and a second launch joins the parts.
TEST_F(Attention, PartsOfKeys) {
  const auto pick = [&](std::initializer_list<int> all) { return all.begin()[random_() % all.size()]; };
  for (int i = 0; i < 12; ++i) {
    Drawn c;
    c.type = i % 3 == 0 ? "f32" : i % 3 == 1 ? "f16" : "bf16";
    c.heads = pick({1, 2});
    const bool few = i % 2 == 0;
    c.m = few ? static_cast<int>(between(random_, 1, 8)) : static_cast<int>(between(random_, 32, 100));
    c.group = few && c.m > 1 ? 1 : pick({1, 2, 4});
    c.n = few ? pick({1, 5, 129, 300, 700, 1900}) : pick({512, 640, static_cast<int>(between(random_, 512, 900))});
    c.d = pick({8, 16, 32, 40, 64, 72, 128}), c.e = pick({8, 24, 32, 64, 96, 128});
    c.causal = c.n >= c.m && chance(random_, 40);
    c.mask = chance(random_, 50) ? "" : chance(random_, 50) ? "add" : chance(random_, 50) ? "keep" : "hide";
    if (c.causal && c.mask != "add") c.mask.clear();
    c.infinite = c.mask != "add" && chance(random_, 30);
    c.open = chance(random_, 30);
    check(c);
    if (HasFatalFailure()) return;
  }
}

// Of open sizes: fewer rows and columns than a tile has, rows that see no column, many workgroups.
TEST_F(Attention, HiddenScoresCountWhereTheyAreNotLow) {
  for (const bool causal : {false, true})
    for (const int rows : {64, 150}) {
      Drawn c;
      c.m = c.n = rows, c.causal = causal, c.mask = causal ? "" : "keep", c.counts = true;
      check(c);
      if (HasFatalFailure()) return;
    }
}

TEST_F(Attention, OpenSizes) {
  for (const auto& [m, n] : {std::pair{1, 1}, {1, 77}, {90, 3}, {129, 65}, {300, 40}, {257, 300}})
    for (const char* type : {"f32", "f16"}) {
      if (type[1] == '1' && m < 129) continue;  // sizes of one block are those of f32
      Drawn c;
      c.type = type, c.m = m, c.n = n, c.open = true, c.causal = n != 77, c.group = m == 90 ? 2 : 1;
      c.heads = m == 257 ? 30 : 2;
      c.d = c.e = 8;
      check(c);
      if (HasFatalFailure()) return;
    }
}

}  // namespace
}  // namespace frit::test
