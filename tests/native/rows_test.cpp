// Every row of the operation table as functions of a shared library, for each level of processors that runs here: results are the program interpreter's
// to the bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "ir/expression.h"
#include "ir/printer.h"
#include "runtime/cpu.h"
#include "support.h"
#include "support/generate.h"

namespace frit::test {
namespace {

using namespace ir;

struct Arrangement {
  Shape shape;
  bool strided;
};

std::vector<Arrangement> arrangements() {
  const Dim n = Dim::symbol("n"), m = Dim::symbol("m");
  return {{{n, m}, false}, {{37}, false}, {{2, 3, 1, 19}, false}, {{n, m}, true}, {{2, 0, 3}, false}, {{}, false}, {{3, 5, 9}, false}};
}
const std::vector<SymbolValues> kCalls = {{{"n", 5}, {"m", 70}}, {{"n", 0}, {"m", 3}}, {{"n", 1}, {"m", 1}}, {{"n", 3}, {"m", 17}}};

class NativeRow : public testing::TestWithParam<const OpDef*> {
 protected:
  std::optional<Function> single(const Arrangement& a, Dtype leading) {
    const OpDef& def = *GetParam();
    Function f;
    f.name = "row" + std::to_string(count_++);
    DimFacts facts;
    for (const char* s : {"n", "m"}) facts.set_range(s, {0, 100});
    auto call = draw_call(def, {leading, a.shape}, leading, facts, random_);
    if (!call) return std::nullopt;
    for (const char* s : {"n", "m"})
      if (std::any_of(call->operands.begin(), call->operands.end(),
                      [&](const Type& t) { return std::any_of(t.shape.begin(), t.shape.end(), [&](const Dim& d) { return d.uses(s); }); }))
        f.facts.set_range(s, {0, 100});
    std::vector<ValueId> params;
    for (const Type& t : call->operands) params.push_back(f.add_param("x" + std::to_string(params.size()), t));
    auto built = Builder(f).try_build(def, params, call->attrs);
    EXPECT_TRUE(built.ok()) << built.error().str();
    if (!built.ok()) return std::nullopt;
    f.results = *built;
    if (a.strided)
      for (size_t p = 0; p < params.size(); ++p) {
        ParamLayout layout;
        for (int axis = 0; axis < f.type(params[p]).rank(); ++axis) layout.push_back(Dim::symbol("s" + std::to_string(p) + "_" + std::to_string(axis)));
        for (const Dim& s : layout) f.facts.set_range(*s.as_symbol(), {0, 1 << 20});
        f.layouts.push_back(std::move(layout));
      }
    return f;
  }

  void check(const Library& library, const Function& f, const Function& planned, const codegen::CInterface& c) {
    auto reference = plan(f, true);
    ASSERT_TRUE(reference.ok()) << reference.error().str();
    const bool symbolic = f.facts.ranges().size() > 0;
    const bool routines = std::any_of(reference->program->steps.begin(), reference->program->steps.end(),
                                      [](const Step& s) { return std::holds_alternative<LibraryStep>(s); });
    for (size_t i = 0; i < (symbolic ? kCalls.size() : 1); ++i) {
      const SymbolValues call = symbolic ? kCalls[i] : SymbolValues{};
      std::vector<Type> types;
      for (ValueId p : f.params) types.push_back(at_call(f.type(p), call));
      if (symbolic && !infer(*f.ops[0].def, {types, at_call(f.ops[0].attrs, call), {}}).ok()) continue;
      // Sums of a routine are in an order of its own: those that are exact are the same.
      std::vector<Tensor> inputs = random_inputs(f, call, routines ? Values::Exact : Values::Special, random_);
      auto arguments = place(f, inputs, random_);
      ASSERT_TRUE(arguments.ok()) << arguments.error().str();
      now_testing(print(f));
      auto want = run_program(*reference, *arguments);
      ASSERT_TRUE(want.ok()) << want.error().str() << "\n" << print(f);
      auto got = run_native(library, planned, c, *arguments);
      ASSERT_TRUE(got.ok()) << got.error().str() << "\n" << print(f);
      ASSERT_EQ(want->size(), got->size());
      for (size_t r = 0; r < want->size(); ++r) ASSERT_EQ(difference((*want)[r], (*got)[r]), "") << print(f);
    }
  }

  Random random_{77};
  int count_ = 0;
};

TEST_P(NativeRow, EqualsTheInterpreterOnEveryLevel) {
  const OpDef& def = *GetParam();
  std::vector<Function> functions;
  const std::vector<Arrangement> shapes = arrangements();
  size_t turn = 0;
  for (Dtype leading : all_dtypes()) {
    if (!admits(def.domain, leading) && def.arity != 0) continue;
    for (size_t tried = 0, found = 0; tried < shapes.size() && found < 1; ++tried)
      if (auto f = single(shapes[turn++ % shapes.size()], leading)) {
        functions.push_back(std::move(*f));
        ++found;
      }
  }
  ASSERT_FALSE(functions.empty());
  Folder folder;
  for (const char* cpu : {"native", "x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    if (std::string_view(cpu) != "native" && !runtime::cpu_runs(cpu)) {
      std::cout << "not tested for " << cpu << ", which does not run here\n";
      continue;
    }
    SCOPED_TRACE(cpu);
    const codegen::Target target{"llvm", cpu};
    std::vector<Function> planned;
    for (const Function& f : functions) {
      auto p = plan_native(f, target);
      ASSERT_TRUE(p.ok()) << p.error().str() << "\n" << print(f);
      planned.push_back(std::move(*p));
    }
    auto code = emit_code(planned, target, "shared", {.name = "row"});
    ASSERT_TRUE(code.ok()) << code.error().str();
    const std::string file = folder.file(std::string(cpu) + ".so");
    write_file(file, *code);
    auto library = Library::open(file);
    ASSERT_TRUE(library.ok()) << library.error().str();
    for (size_t i = 0; i < functions.size(); ++i) {
      auto c = codegen::make_c_interface(planned[i]);
      ASSERT_TRUE(c.ok()) << c.error().str();
      check(**library, functions[i], planned[i], *c);
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Table, NativeRow, testing::ValuesIn(OpTable::instance().all()),
                         [](const testing::TestParamInfo<const OpDef*>& info) { return std::string(info.param->name); });

}  // namespace
}  // namespace frit::test
