// Random functions of several operations and results, with constant and symbolic sizes, a few of them per library.
#include <gtest/gtest.h>

#include "ir/text/printer.h"
#include "runtime/system/cpu.h"
#include "support.h"
#include "support/generate.h"

namespace frit::test {
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

void check(uint64_t seed, const std::string& cpu) {
  Random random(seed);
  std::vector<RandomGraph> graphs;
  std::vector<ir::Function> planned;
  for (int i = 0; i < kFunctions; ++i) {
    graphs.push_back(random_graph(random, {.max_ops = 4 + 4 * (i % 4), .symbolic = i % 2 == 0, .native = true}));
    graphs.back().function.name = "f" + std::to_string(i);
    auto p = plan_native(graphs.back().function, {"llvm", cpu});
    ASSERT_TRUE(p.ok()) << p.error().str() << "\n" << print(graphs.back().function);
    planned.push_back(std::move(*p));
  }
  auto code = emit_code(planned, {"llvm", cpu}, "shared", {.name = "random"});
  ASSERT_TRUE(code.ok()) << code.error().str();
  Folder folder;
  write_file(folder.file("random.so"), *code);
  auto library = Library::open(folder.file("random.so"));
  ASSERT_TRUE(library.ok()) << library.error().str();
  for (size_t i = 0; i < planned.size(); ++i) {
    const ir::Function& f = graphs[i].function;
    auto c = codegen::make_c_interface(planned[i]);
    ASSERT_TRUE(c.ok()) << c.error().str() << "\n" << print(f);
    auto reference = plan(f, true, cpu != "x86-64-v2");
    ASSERT_TRUE(reference.ok()) << reference.error().str();
    const ir::Function& says = has_routines(*reference->program) ? planned[i] : *reference;
    for (const ir::SymbolValues& sizes : graphs[i].calls) {
      std::vector<ir::Tensor> inputs = random_inputs(f, sizes, Values::Special, random);
      auto arguments = place(f, inputs, random);
      ASSERT_TRUE(arguments.ok()) << arguments.error().str();
      now_testing(print(f));
      auto want = run_program(says, *arguments);
      ASSERT_TRUE(want.ok()) << want.error().str() << "\n" << print(f);
      auto got = run_native(**library, planned[i], *c, *arguments);
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
  check(static_cast<uint64_t>(GetParam()) * 1000 + 7, older ? "x86-64-v2" : "native");
}

INSTANTIATE_TEST_SUITE_P(Seeds, NativeRandom, testing::Range(0, kLibraries));

}  // namespace
}  // namespace frit::test
