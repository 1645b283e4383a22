// Random functions of several operations and results, with constant and symbolic sizes, a few of them per library; and
// functions with control flow.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "ir/read/parser.h"
#include "ir/text/printer.h"
#include "runtime/system/cpu.h"
#include "support.h"
#include "support/generate.h"

namespace frit::test::native_random {
namespace {

#ifdef FRIT_SANITIZED
constexpr int kLibraries = 2;
#else
constexpr int kLibraries = 16;
#endif
constexpr int kFunctions = 8;  // of a library

bool has_routines(const ir::Program& p) {
  return std::any_of(p.steps.begin(), p.steps.end(),
                     [](const ir::Step& s) { return std::holds_alternative<ir::LibraryStep>(s); });
}

struct Planned {
  ir::Function function, planned;
  std::vector<ir::SymbolValues> calls;
};

// The functions as one library, each called with each of its sizes.
void check(std::vector<Planned> all, const std::string& cpu, Values values, Random& random) {
  std::vector<ir::Function> planned;
  for (Planned& one : all) {
    auto p = plan_native(one.function, {"llvm", cpu});
    ASSERT_TRUE(p.ok()) << p.error().str() << "\n" << print(one.function);
    one.planned = *p;
    planned.push_back(std::move(*p));
  }
  auto code = emit_code(planned, {"llvm", cpu}, "shared", {.name = "random"});
  ASSERT_TRUE(code.ok()) << code.error().str();
  Folder folder;
  write_file(folder.file("random.so"), *code);
  auto library = Library::open(folder.file("random.so"));
  ASSERT_TRUE(library.ok()) << library.error().str();
  for (const Planned& one : all) {
    const ir::Function& f = one.function;
    auto c = codegen::make_c_interface(one.planned);
    ASSERT_TRUE(c.ok()) << c.error().str() << "\n" << print(f);
    auto reference = plan(f, true, cpu != "x86-64-v2");
    ASSERT_TRUE(reference.ok()) << reference.error().str();
    const ir::Function& says = has_routines(*reference->program) ? one.planned : *reference;
    for (const ir::SymbolValues& sizes : one.calls) {
      std::vector<ir::Tensor> inputs = random_inputs(f, sizes, values, random);
      auto arguments = place(f, inputs, random);
      ASSERT_TRUE(arguments.ok()) << arguments.error().str();
      now_testing(print(f));
      auto want = run_program(says, *arguments);
      ASSERT_TRUE(want.ok()) << want.error().str() << "\n" << print(f);
      auto got = run_native(**library, one.planned, *c, *arguments);
      ASSERT_TRUE(got.ok()) << got.error().str() << "\n" << print(f);
      ASSERT_EQ(want->size(), got->size());
      for (size_t r = 0; r < want->size(); ++r)
        ASSERT_EQ(difference((*want)[r], (*got)[r]), "") << "result " << r << "\n" << print(f);
    }
  }
}

class NativeRandom : public testing::TestWithParam<int> {};

TEST_P(NativeRandom, EqualsTheInterpreter) {
  const bool older = GetParam() % 2 && runtime::cpu_runs("x86-64-v2");
  Random random(static_cast<uint64_t>(GetParam()) * 1000 + 7);
  std::vector<Planned> all;
  for (int i = 0; i < kFunctions; ++i) {
    RandomGraph graph = random_graph(
        random, {.max_ops = 4 + 4 * (i % 4), .symbolic = i % 2 == 0, .native = true, .control = i % 4 >= 2});
    graph.function.name = "f" + std::to_string(i);
    all.push_back({std::move(graph.function), {}, std::move(graph.calls)});
  }
  check(std::move(all), older ? "x86-64-v2" : "native", Values::Special, random);
}

ir::Module control_programs(const std::string& file) {
  std::ifstream in(std::string(FRIT_CONTROL) + "/" + file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  auto module = ir::parse(text, file.c_str());
  if (!module.ok()) ADD_FAILURE() << module.error().render(text);
  return module.ok() ? std::move(**module) : ir::Module{};
}

// Sizes of 0, where the function takes them, are loops without an iteration. Bodies may hold routines.
TEST(NativeControl, EqualsTheInterpreter) {
  Random random(11);
  std::vector<Planned> all;
  for (const char* file : {"loops.frit", "routines.frit"})
    for (const auto& f : control_programs(file).functions) {
      Planned one{*f, {}, {}};
      for (int64_t n : {0, 1, 5, 19}) {
        ir::SymbolValues sizes;
        for (const std::string& s : f->symbols()) sizes[s] = n;
        one.calls.push_back(std::move(sizes));
      }
      all.push_back(std::move(one));
    }
  ASSERT_FALSE(all.empty());
  check(std::move(all), "native", Values::Ordinary, random);
}

INSTANTIATE_TEST_SUITE_P(Seeds, NativeRandom, testing::Range(0, kLibraries));

}  // namespace
}  // namespace frit::test::native_random
