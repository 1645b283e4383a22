// Every row of the operation table as functions of a shared library, for each level of processors that runs here, and
// for 64-bit Arm if there is an emulator. Results equal the program interpreter's to the bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "cross.h"
#include "ir/graph/expression.h"
#include "ir/routines/routine.h"
#include "ir/text/printer.h"
#include "passes/lower/routine.h"
#include "runtime/system/cpu.h"
#include "support.h"
#include "support/generate.h"

namespace frit::test {
namespace {

using namespace ir;

// Of each element type that a row takes.
constexpr size_t kFunctions = 1;

struct Arrangement {
  Shape shape;
  bool strided;
};

std::vector<Arrangement> arrangements() {
  const Dim n = Dim::symbol("n"), m = Dim::symbol("m");
  return {{{n, m}, false},    {{37}, false}, {{2, 3, 1, 19}, false}, {{n, m}, true},
          {{2, 0, 3}, false}, {{}, false},   {{3, 5, 9}, false}};
}
const std::vector<SymbolValues> kCalls = {
    {{"n", 5}, {"m", 70}}, {{"n", 0}, {"m", 3}}, {{"n", 1}, {"m", 1}}, {{"n", 3}, {"m", 17}}};

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
      if (std::any_of(call->operands.begin(), call->operands.end(), [&](const Type& t) {
            return std::any_of(t.shape.begin(), t.shape.end(), [&](const Dim& d) { return d.uses(s); });
          }))
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
        for (int axis = 0; axis < f.type(params[p]).rank(); ++axis)
          layout.push_back(Dim::symbol("s" + std::to_string(p) + "_" + std::to_string(axis)));
        for (const Dim& s : layout) f.facts.set_range(*s.as_symbol(), {0, 1 << 20});
        f.layouts.push_back(std::move(layout));
      }
    return f;
  }

  // A call and its results. Routines that are kernels of the program compute in their own order, so their program gives
  // the expected bits. Where numbers are ordinary, it has to be near the routine's reference, whose results are `want`.
  struct Call {
    size_t function;
    Arguments arguments;
    std::vector<Tensor> want;
    bool routines;
    bool ordinary;
  };

  void add_calls(const Function& f, size_t number) {
    auto reference = plan(f, true, true);
    ASSERT_TRUE(reference.ok()) << reference.error().str();
    const bool symbolic = f.facts.ranges().size() > 0;
    const bool routines = std::any_of(reference->program->steps.begin(), reference->program->steps.end(),
                                      [](const Step& s) { return std::holds_alternative<LibraryStep>(s); });
    const Routine* const routine = f.ops[0].def->routine;
    const bool definite = routine && routine->operand_kind == OperandKind::Definite;
    // Elements that share memory cannot be made what the routine needs.
    if (definite && !f.layouts.empty()) return;
    for (size_t i = 0; i < (symbolic ? kCalls.size() : 1); ++i) {
      const SymbolValues sizes = symbolic ? kCalls[i] : SymbolValues{};
      std::vector<Type> types;
      for (ValueId p : f.params) types.push_back(at_call(f.type(p), sizes));
      if (symbolic && !infer(*f.ops[0].def, {types, at_call(f.ops[0].attrs, sizes), {}}).ok()) continue;
      for (Values values : {Values::Special, Values::Exact}) {
        if (values == Values::Exact && !routines) continue;
        if (values == Values::Special && definite) continue;
        std::vector<Tensor> inputs = random_inputs(f, sizes, values, random_);
        if (definite) make_definite(inputs[0]);
        auto arguments = place(f, inputs, random_);
        ASSERT_TRUE(arguments.ok()) << arguments.error().str();
        auto want = run_program(*reference, *arguments);
        ASSERT_TRUE(want.ok()) << want.error().str() << "\n" << print(f);
        calls_.push_back({number, std::move(*arguments), std::move(*want), routines, values == Values::Exact});
      }
    }
  }

  // The functions as a library for `cpu`, and each call's results.
  void check(const std::string& cpu) {
    const codegen::Target target{"llvm", cpu};
    std::vector<Function> planned;
    std::vector<codegen::CInterface> interfaces;
    for (const Function& f : functions_) {
      auto p = plan_native(f, target);
      ASSERT_TRUE(p.ok()) << p.error().str() << "\n" << print(f);
      planned.push_back(std::move(*p));
      auto c = codegen::make_c_interface(planned.back());
      ASSERT_TRUE(c.ok()) << c.error().str();
      interfaces.push_back(std::move(*c));
    }
    auto code = emit_code(planned, target, "shared", {.name = "row"});
    ASSERT_TRUE(code.ok()) << code.error().str();
    const std::string file = folder_.file(cpu + ".so");
    write_file(file, *code);
    std::vector<std::vector<Tensor>> results;
    if (cpu == "aarch64" && !runtime::cpu_runs(cpu)) {
      std::vector<CrossCall> calls;
      for (const Call& call : calls_)
        calls.push_back({&planned[call.function], &interfaces[call.function], &call.arguments});
      auto got = run_on_arm(folder_, file, calls);
      ASSERT_TRUE(got.ok()) << got.error().str();
      results = std::move(*got);
    } else {
      auto library = Library::open(file);
      ASSERT_TRUE(library.ok()) << library.error().str();
      for (const Call& call : calls_) {
        now_testing(print(functions_[call.function]));
        auto got = run_native(**library, planned[call.function], interfaces[call.function], call.arguments);
        ASSERT_TRUE(got.ok()) << got.error().str() << "\n" << print(functions_[call.function]);
        results.push_back(std::move(*got));
      }
    }
    // Without fused multiplications functions are computed by other steps.
    auto llvm = codegen::find_backend("llvm");
    ASSERT_TRUE(llvm.ok());
    auto traits = (*llvm)->traits(target);
    ASSERT_TRUE(traits.ok());
    for (size_t i = 0; i < calls_.size(); ++i) {
      std::vector<Tensor> want = calls_[i].want;
      if (!traits->has_fma && !calls_[i].routines) {
        auto reference = plan(functions_[calls_[i].function], true, false);
        ASSERT_TRUE(reference.ok()) << reference.error().str();
        auto own = run_program(*reference, calls_[i].arguments);
        ASSERT_TRUE(own.ok()) << own.error().str();
        want = std::move(*own);
      }
      if (calls_[i].routines) {
        auto own = run_program(planned[calls_[i].function], calls_[i].arguments);
        ASSERT_TRUE(own.ok()) << own.error().str();
        if (calls_[i].ordinary) expect_near(functions_[calls_[i].function].ops[0].def->routine, want, *own);
        want = std::move(*own);
      }
      ASSERT_EQ(want.size(), results[i].size());
      for (size_t r = 0; r < results[i].size(); ++r)
        ASSERT_EQ(difference(want[r], results[i][r]), "") << print(functions_[calls_[i].function]);
    }
  }

  // Within a few units in the last place of the largest element; to the bit where the routine promises it.
  void expect_near(const Routine* routine, const std::vector<Tensor>& want, const std::vector<Tensor>& got) {
    for (size_t r = 0; r < want.size(); ++r) {
      if (routine && routine->exact) {
        ASSERT_EQ(difference(want[r], got[r]), "");
      }
      if (routine && (routine->exact || !(routine->determined >> r & 1))) continue;
      double most = 0, off = 0;
      const auto parts = [&](const Tensor& t) { return is_complex(t.dtype) ? Tensor(float32, {2 * t.size()}) : t; };
      Tensor a = parts(want[r]), b = parts(got[r]);
      if (is_complex(want[r].dtype)) a.data = want[r].data, b.data = got[r].data;
      for (int64_t i = 0; i < a.size(); ++i) most = std::max(most, std::fabs(a.at(i)));
      for (int64_t i = 0; i < a.size(); ++i) off = std::max(off, ulp_distance(a.dtype, a.at(i), b.at(i), most));
      EXPECT_LE(off, 16) << "result " << r << " of " << GetParam()->name;
    }
  }

  Folder folder_;
  std::vector<Function> functions_;
  std::vector<Call> calls_;
  Random random_{77};
  int count_ = 0;
};

TEST_P(NativeRow, EqualsTheInterpreterOnEveryLevel) {
  const OpDef& def = *GetParam();
  const std::vector<Arrangement> shapes = arrangements();
  size_t turn = 0;
  for (Dtype leading : all_dtypes()) {
    if (!admits(def.domain, leading) && def.arity != 0) continue;
    for (size_t tried = 0, found = 0; tried < shapes.size() && found < kFunctions; ++tried)
      if (auto f = single(shapes[turn++ % shapes.size()], leading)) {
        functions_.push_back(std::move(*f));
        ++found;
      }
  }
  ASSERT_FALSE(functions_.empty());
  if (def.routine && !def.expand && !passes::kernels_of(*def.routine)) {
    auto refused = plan_native(functions_[0], {"llvm", "native"});
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(
        refused.error().message.find("op '" + std::string(def.name) + "' cannot be had in code without a runtime"),
        std::string::npos)
        << refused.error().str();
    return;
  }
  for (size_t i = 0; i < functions_.size(); ++i) {
    add_calls(functions_[i], i);
    if (HasFatalFailure()) return;
  }
  for (const char* cpu : {"native", "x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64"}) {
    std::string why =
        std::string_view(cpu) == "native" || runtime::cpu_runs(cpu) ? "" : "this is another kind of processor";
    if (!why.empty() && std::string_view(cpu) == "aarch64") why = why_no_arm();
    if (!why.empty()) {
      std::cout << "not tested for " << cpu << ": " << why << "\n";
      continue;
    }
    SCOPED_TRACE(cpu);
    check(cpu);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Table, NativeRow, testing::ValuesIn(drawn_rows()),
                         [](const testing::TestParamInfo<const OpDef*>& info) {
                           return std::string(info.param->name);
                         });

}  // namespace
}  // namespace frit::test
