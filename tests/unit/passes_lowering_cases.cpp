// Each function of the golden files computes its graph's meaning, and so do cases of types, plans and limits.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ir/text/kernel_printer.h"
#include "passes_lowering_support.h"
#include "tests/environment.h"

namespace frit::testing {
namespace {

using namespace ir;

std::vector<std::string> functions_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::vector<std::string> out;
  std::string line;
  bool inside = false;
  while (std::getline(in, line)) {
    if (line.starts_with("func ")) out.emplace_back(), inside = true;
    if (inside) out.back() += line + "\n";
    if (line == "}") inside = false;
  }
  return out;
}

// The interpreter runs element by element: more of them take it seconds. Kernels of such sizes run as native code in
// the tests of conformance.
#ifdef FRIT_SANITIZED
constexpr int64_t kMostElements = 2000;
#else
constexpr int64_t kMostElements = int64_t{1} << 20;
#endif

// Of known sizes.
int64_t elements_of_parameters(const Function& f) {
  int64_t all = 0;
  for (ValueId p : f.params) {
    int64_t elements = 1;
    for (const Dim& d : f.type(p).shape) elements *= d.is_const() ? d.value() : 1;
    all += elements;
  }
  return all;
}

TEST(LoweringCases, golden_functions_agree_with_the_graph) {
  size_t count = 0;
  for (const char* folder : {"fuse", "lower_to_kernels", "schedule", "plan_buffers"})
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(source_folder()) / "tests/golden" / folder))
      for (const std::string& text : functions_of(entry.path())) {
        SCOPED_TRACE(entry.path().filename().string());
        Function f = parse_function(text);
        if (elements_of_parameters(f) > kMostElements) continue;
        // Sizes that are all known are run once.
        for (int64_t base : f.symbols().empty() ? std::vector<int64_t>{0} : std::vector<int64_t>{0, 1, 3}) {
          SymbolValues symbols;
          int64_t next = base;
          for (const std::string& s : f.symbols()) symbols[s] = next, next += base;
          expect_lowering_agrees(f, symbols);
          if (HasFatalFailure()) return;
        }
        ++count;
      }
  EXPECT_GT(count, 30u);
}

// Every element type through one graph with a view, a sum and its use.
TEST(LoweringCases, element_types) {
  for (const char* t : {"u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "c64"}) {
    std::string T = t, wide = T == "u8" || T == "u16" ? "u32" : T == "i8" || T == "i16" ? "i32" : T;
    expect_lowering_agrees("func @types(%x: " + T + "[n, m], %y: " + T + "[m, n]) -> (" + wide + "[n], " + T +
                               "[n, m]) {\n" + "  %0: " + T + "[n, m] = transpose %y {axes=[1, 0]}\n" + "  %1: " + T +
                               "[n, m] = multiply %x, %0\n" + "  %2: " + wide + "[n] = sum %1 {axes=[1]}\n" +
                               "  %3: " + T + "[n, m] = add %1, %x\n  return %2, %3\n}\n",
                           {{"n", 3}, {"m", 5}});
  }
}

// More elements than one block, so that the order of blocks shows.
TEST(LoweringCases, blocks) {
  for (int64_t n : {65535, 65536, 65537, 200000})
    expect_lowering_agrees(
        "func @blocks(%x: f32[n], %y: f32[2, n]) -> (f32[], f32[], i64[2]) {\n"
        "  %0: f32[] = sum %x {axes=[0]}\n"
        "  %1: f32[n] = abs %x\n"
        "  %2: f32[] = max %1 {axes=[0]}\n"
        "  %3: u32[2] = argmax %y {axes=[1]}\n"
        "  %4: i64[2] = astype %3 {dtype=i64}\n"
        "  return %0, %2, %4\n}\n",
        {{"n", n}});
}

TEST(LoweringCases, blocks_side_by_side_are_one_pair_of_kernels) {
  Function f = parse_function(
      "func @two(%x: f32[n]) -> (f32[], f32[]) {\n"
      "  %0: f32[] = sum %x {axes=[0]}\n"
      "  %1: f32[n] = square %x\n"
      "  %2: f32[] = sum %1 {axes=[0]}\n  return %0, %2\n}\n");
  auto lowered = lower(f, {});
  ASSERT_TRUE(lowered.ok());
  EXPECT_EQ(count_steps(*lowered->program).kernels, 2u);
}

TEST(LoweringCases, epilogue_and_operand_windows) {
  Function f = parse_function(
      "func @attention(%q: f32[h, n, 16], %k: f32[h, n, 16], %v: f32[h, n, 16]) -> f32[h, n, 16] {\n"
      "  %0: f32[h, 16, n] = transpose %k {axes=[0, 2, 1]}\n"
      "  %1: f32[h, n, n] = matmul %q, %0\n"
      "  %2: f32[] = constant 0.25\n"
      "  %3: f32[h, n, n] = broadcast %2 {shape=[h, n, n]}\n"
      "  %4: f32[h, n, n] = multiply %1, %3\n"
      "  %5: f32[h, n, n] = softmax %4 {axes=[2]}\n"
      "  %6: f32[h, n, 16] = matmul %5, %v\n"
      "  return %6\n}\n");
  auto lowered = lower(f, {});
  ASSERT_TRUE(lowered.ok());
  EXPECT_EQ(count_steps(*lowered->program), (StepCounts{1, 2, 1}));
  expect_lowering_agrees(f, {{"h", 2}, {"n", 5}});
}

// A hundred operands: one kernel each, which never tests whose element it computes.
TEST(LoweringCases, concatenation_of_many) {
  std::string params, names;
  for (int i = 0; i < 100; ++i) {
    std::string p = "%p" + std::to_string(i);
    params += (i ? ", " : "") + p + ": f32[" + std::to_string(i + 1) + ", 7]";
    names += (i ? ", " : "") + p;
  }
  Function f = parse_function("func @many(" + params + ") -> f32[5050, 7] {\n  %0: f32[5050, 7] = concatenate " +
                              names + " {axis=0}\n  return %0\n}\n");
  auto lowered = lower(f, {});
  ASSERT_TRUE(lowered.ok());
  EXPECT_EQ(print(*lowered->program, "many").find("select"), std::string::npos);
  EXPECT_EQ(lowered->program->kernels.size(), 100u);
  expect_lowering_agrees(f, {});
}

TEST(LoweringCases, a_kernel_that_is_full_is_closed_with_a_remark) {
  Function f;
  f.name = "full";
  Builder b(f);
  Type t{float32, {Dim::symbol("n")}};
  ValueId v = f.add_param("x", t);
  for (int i = 0; i < 5000; ++i) v = b.build("square", {v});
  f.results = {v};
  passes::PassContext context;
  auto lowered = lower(f, {}, &context);
  ASSERT_TRUE(lowered.ok());
  EXPECT_EQ(count_steps(*lowered->program).kernels, 2u);
  bool said = false;
  for (const passes::Remark& r : context.remarks) said |= r.text.find("starts a new kernel") != std::string::npos;
  EXPECT_TRUE(said);
}

TEST(LoweringCases, fusing_never_takes_more_workspace) {
  const char* texts[] = {
      "func @a(%x: f32[n, m]) -> f32[n, m] {\n  %0: f32[n, m] = softmax %x {axes=[1]}\n  %1: f32[n, m] = exp %0\n  return %1\n}\n",
      "func @b(%x: f32[n]) -> f32[n] {\n  %0: f32[] = sum %x {axes=[0]}\n  %1: f32[n] = broadcast %0 {shape=[n]}\n"
      "  %2: f32[n] = divide %x, %1\n  return %2\n}\n",
      "func @c(%x: f32[n, n]) -> f32[n, n] {\n  %0: f32[n, n] = exp %x\n  %1: f32[n, n] = transpose %0 {axes=[1, 0]}\n"
      "  %2: f32[n, n] = add %1, %0\n  %3: f32[n, n] = matmul %2, %0\n  return %3\n}\n"};
  for (const char* text : texts) {
    Function f = parse_function(text);
    auto fused = lower(f, {}), apart = lower(f, {.fuse = false});
    ASSERT_TRUE(fused.ok() && apart.ok());
    SymbolValues symbols{{"n", 100000}, {"m", 64}};
    EXPECT_LE(workspace_bytes(*fused->program, symbols), workspace_bytes(*apart->program, symbols)) << text;
  }
}

TEST(LoweringCases, a_second_run_of_each_pass_changes_nothing) {
  Function f = parse_function(
      "func @twice(%x: f32[n, m], %w: f32[m, m]) -> f32[n, m] {\n"
      "  %0: f32[n, m] = softmax %x {axes=[1]}\n  %1: f32[n, m] = matmul %0, %w\n  %2: f32[n, m] = tanh %1\n  return %2\n}\n");
  passes::PassContext context;
  for (const passes::PassInfo* pass : passes::Pipeline::standard().passes) {
    ASSERT_TRUE(pass->run(f, context).ok()) << pass->name;
    auto text = [&] { return f.program ? print(*f.program, f.name) : std::string(); };
    std::string before = text();
    auto again = pass->run(f, context);
    ASSERT_TRUE(again.ok()) << pass->name;
    if (pass->needs >= passes::Level::Expanded) {
      EXPECT_FALSE(*again) << pass->name;
    }
    EXPECT_EQ(text(), before) << pass->name;
  }
}

}  // namespace
}  // namespace frit::testing
