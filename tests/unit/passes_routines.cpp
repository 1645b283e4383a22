// Routines beyond products of matrices: several results, a workspace and symbolic attributes, from the graph to the
// plan of its buffers.
#include <cmath>

#include "ir/interpret/interpret_kernel.h"
#include "ir/read/kernel_parser.h"
#include "ir/read/parser.h"
#include "ir/text/kernel_printer.h"
#include "ir/text/printer.h"
#include "ir/verify/kernel_verifier.h"
#include "passes_lowering_support.h"
#include "test_routine.h"

namespace frit::testing {
namespace {

using namespace ir;

Function planned() {
  auto f = lower(parse_function(kTopFunction), {});
  EXPECT_TRUE(f.ok()) << f.error().str();
  return f.ok() ? *std::move(f) : Function();
}

LibraryStep& library_step(Program& p) {
  for (Step& s : p.steps)
    if (auto* l = std::get_if<LibraryStep>(&s)) return *l;
  ADD_FAILURE() << "no library step";
  static LibraryStep none;
  return none;
}

std::string broken(const Program& p) {
  const Status s = verify(p);
  return s.ok() ? "" : s.error().message;
}

TEST(Routines, TheGraphInterpreterUsesTheRecord) {
  const Function f = parse_function(kTopFunction);
  EXPECT_EQ(print(parse_function(print(f))), print(f));
  auto results = interpret(f, {Tensor(float32, {2, 5}, {3, -1, 2, -7, 0, 1, 1, -4, 1, -4})});
  ASSERT_TRUE(results.ok()) << results.error().str();
  EXPECT_EQ((*results)[2].values(), (std::vector<double>{7, 1, 4, 4}));
  EXPECT_EQ((*results)[1].values(), (std::vector<double>{-3, -1, -2, -4}));
  EXPECT_NEAR((*results)[0].at(0), std::exp(7.0), 1e-3);
}

TEST(Routines, LoweringAgreesAndKeepsWhatTheRecordSays) {
  expect_lowering_agrees(kTopFunction, {{"m", 3}, {"n", 9}}, 1);
  expect_lowering_agrees(kTopFunction, {{"m", 0}, {"n", 4}}, 2);
  expect_lowering_agrees(kTopFunction, {{"m", 2}, {"n", 1}}, 3);
  Function f = planned();
  const LibraryStep& step = library_step(*f.program);
  EXPECT_EQ(step.routine, &kTop);
  EXPECT_EQ(step.results.size(), 2u);
  EXPECT_FALSE(step.epilogue) << "the record takes none";
  ASSERT_NE(step.workspace, kNone);
  const ProgramBuffer& workspace = f.program->buffers[step.workspace];
  EXPECT_EQ(workspace.dtype, uint8);
  EXPECT_EQ(workspace.size.str(), "8*n");
  EXPECT_NE(workspace.slot, kNone) << "plan_buffers has not seen it";
}

TEST(Routines, ProgramsKeepWorkspacesAsText) {
  const Function f = planned();
  const std::string text = print(*f.program, "f");
  EXPECT_NE(text.find("{count: int = (n // 2)} workspace %t"), std::string::npos) << text;
  auto again = parse_program(text, "text");
  ASSERT_TRUE(again.ok()) << again.error().str();
  EXPECT_EQ(print(again->program, again->name), text);
  std::string unknown = text;
  unknown.replace(unknown.find("\"test_top\""), 10, "\"test_tip\"");
  again = parse_program(unknown, "text");
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().message, "there is no routine 'test_tip'");
}

TEST(Routines, TheVerifierHoldsStepsToTheRecord) {
  const Function f = planned();
  const Program good = *f.program;
  EXPECT_EQ(broken(good), "");
  auto expect = [&](const char* part, auto&& change) {
    Program p = good;
    change(p, library_step(p));
    EXPECT_NE(broken(p).find(part), std::string::npos) << broken(p);
    EXPECT_NE(broken(p).find("(P6)"), std::string::npos) << broken(p);
  };
  expect("names no routine", [](Program&, LibraryStep& s) { s.routine = nullptr; });
  expect("lacks its workspace", [](Program&, LibraryStep& s) { s.workspace = kNone; });
  expect("does not exist", [](Program& p, LibraryStep& s) { s.workspace = static_cast<uint32_t>(p.buffers.size()); });
  expect("is not a temp of bytes", [](Program& p, LibraryStep& s) { p.buffers[s.workspace].dtype = int8; });
  expect("has 2 results, not 1", [](Program&, LibraryStep& s) { s.results.pop_back(), s.dtypes.pop_back(); });
  expect("takes no epilogue", [](Program& p, LibraryStep& s) { s.epilogue = std::get<KernelStep>(p.steps[0]); });
}

TEST(Routines, AWorkspaceIsAsLargeAsTheRecordSays) {
  auto f = lower(parse_function("func @g(%x: f32[2, 6]) -> (f32[2, 3], i64[2, 3]) {\n"
                                "  %0: f32[2, 3], %1: i64[2, 3] = test_top %x {count=3}\n  return %0, %1\n}\n"),
                 {});
  ASSERT_TRUE(f.ok()) << f.error().str();
  Program p = *f->program;
  p.buffers[library_step(p).workspace].size = 47;
  EXPECT_NE(broken(p).find("holds 47 bytes, but 'test_top' needs 48 (P6)"), std::string::npos) << broken(p);
}

// A workspace in use at the same time as another temporary shares no slot with it.
TEST(Routines, AWorkspaceSharesNoSlotDuringTheCall) {
  Function f = planned();
  Program p = *f.program;
  const LibraryStep& step = library_step(p);
  for (const Window& w : step.operands) EXPECT_NE(p.buffers[w.buffer].slot, p.buffers[step.workspace].slot);
  p.buffers[step.workspace].slot = p.buffers[step.operands[0].buffer].slot;
  EXPECT_NE(broken(p).find("(P8)"), std::string::npos) << broken(p);
}

TEST(Routines, HaveNoCodeWithoutARuntimeUnlessTheyBringIt) {
  Function f = parse_function(kTopFunction);
  passes::PassContext context;
  context.target.own_routines = true;
  auto pipeline = passes::Pipeline::standard();
  const Status s = passes::run(pipeline, f, context, {});
  ASSERT_FALSE(s.ok());
  EXPECT_EQ(
      s.error().message,
      "function @f: op 'test_top' cannot be had in code without a runtime: c source, objects and shared libraries");
}

}  // namespace
}  // namespace frit::testing
