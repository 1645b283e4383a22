// Every row of the operation table, on every element type that it takes, over shapes that are empty, single, odd, wide,
// strided and symbolic.
//
// Generated code must equal the interpreter of the planned program to the bit on any data. The graph interpreter
// computes functions through libm and sums in double; it must agree within tolerance() on data that does not overflow,
// and to the bit on any data if an op is exact.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ir/graph/expression.h"
#include "ir/routines/routine.h"
#include "ir/text/printer.h"
#include "support/generate.h"
#include "support/shrink.h"
#include "support/ways.h"

namespace frit::test {
namespace {

using namespace ir;

constexpr double kFunctionUlp = 4;   // one function: the bound of docs/accuracy.md, and the rounding of the reference
constexpr double kComposedUlp = 64;  // functions with arithmetic around them, of the largest operand or result
constexpr double kReducedUlp = 64;   // sums in another order, and results computed from them

#ifdef FRIT_SANITIZED
constexpr size_t kShapes = 1, kCallsWanted = 2, kPairStep = 5;
#else
constexpr size_t kShapes = 4, kCallsWanted = 6, kPairStep = 1;
#endif

// Symbols in shapes stand for these sizes, one call each; 70 is past the widest vector times its unrolling.
const std::vector<SymbolValues> kCalls = {{{"n", 5}, {"m", 70}}, {{"n", 0}, {"m", 3}}, {{"n", 3}, {"m", 0}},
                                          {{"n", 1}, {"m", 1}},  {{"n", 7}, {"m", 1}}, {{"n", 2}, {"m", 17}}};

constexpr size_t kGpuPairStep = 3;
constexpr int64_t kMostElements = 20000;

struct Arrangement {
  Shape shape;
  bool strided;
};

std::vector<Arrangement> arrangements() {
  Dim n = Dim::symbol("n"), m = Dim::symbol("m");
  return {{{n, m}, false},        {{n, m}, true},     {{37}, false}, {{}, false},
          {{2, 0, 3}, false},     {{3, 1}, false},    {{1}, false},  {{3, 5, 9}, true},
          {{2, 3, 1, 19}, false}, {{m, n, 4}, false}, {{0}, true},   {{6, 4}, true}};
}

// The tolerance of a result on the reference's data.
struct Tolerance {
  double ulp;
  bool of_operands;  // in units of the largest operand, not only of the result
};

Tolerance tolerance(const Function& f, const Op& op) {
  if (is_exact(f, op)) return {0, false};
  if (op.def->kind != OpKind::Elementwise) return {kReducedUlp, true};
  std::vector<Dtype> types;
  for (ValueId v : op.operands) types.push_back(f.type(v).dtype);
  auto program = meaning(*op.def, types, f.type(op.results[0]).dtype);
  int functions = 0, others = 0;
  for (const ScalarNode& n : program->nodes) {
    if (is_function(n.op))
      ++functions;
    else if (n.op != ScalarOp::Input && n.op != ScalarOp::Cast)
      ++others;
  }
  return functions == 1 && others == 0 ? Tolerance{kFunctionUlp, false} : Tolerance{kComposedUlp, true};
}

int64_t elements(const Type& t) {
  int64_t n = 1;
  for (const Dim& d : t.shape) n *= d.value();
  return n;
}

std::array<double, 2> parts(const Tensor& t, int64_t i) {
  if (!is_complex(t.dtype)) return {t.at(i), 0};
  return {t.at(i), bits_to_double(float32, t.bits(i) >> 32)};
}

double largest(const Tensor& t) {
  double most = 0;
  for (int64_t i = 0; i < t.size(); ++i)
    for (double v : parts(t, i))
      if (std::isfinite(v)) most = std::max(most, std::fabs(v));
  return most;
}

// Empty if `got` is near enough.
std::string far_off(const Tensor& want, const Tensor& got, const Tolerance& t, double magnitude) {
  if (t.ulp == 0) return difference(want, got);
  if (want.dtype != got.dtype || want.shape != got.shape) return difference(want, got);
  for (int64_t i = 0; i < want.size(); ++i) {
    auto w = parts(want, i), g = parts(got, i);
    double floor = t.of_operands ? std::max({magnitude, std::fabs(w[0]), std::fabs(w[1])}) : 0;
    if (!std::isfinite(floor)) continue;  // parts of an infinite number
    for (int part = 0; part < 2; ++part)
      if (double d = ulp_distance(want.dtype, w[part], g[part], floor); !(d <= t.ulp))
        return "element " + std::to_string(i) + ": the reference has " + element_text(want.dtype, want.bits(i)) +
               ", got " + element_text(want.dtype, got.bits(i)) + ", " + std::to_string(d) + " ulp off";
  }
  return {};
}

class Row : public testing::TestWithParam<const OpDef*> {
 protected:
  void SetUp() override {
    if (std::string why = why_not_here(); !why.empty()) GTEST_SKIP() << why;
  }

  // The function of one op, or nothing if the row does not take these operands.
  std::optional<Function> single(const Arrangement& a, Dtype leading, Dtype attribute) {
    const OpDef& def = *GetParam();
    Function f;
    f.name = "row";
    DimFacts facts;
    for (const char* s : {"n", "m"}) facts.set_range(s, {0, 100});
    auto call = draw_call(def, {leading, a.shape}, attribute, facts, random_);
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

  void check(const Function& f, const Arrangement& a) {
    const Routine* const routine = f.ops[0].def->routine;
    const bool definite = routine && routine->operand_kind == OperandKind::Definite;
    // Elements that share memory cannot be made what the routine needs.
    if (definite && a.strided) return;
    auto planned = plan(f, true);
    ASSERT_TRUE(planned.ok()) << planned.error().str() << "\n" << print(f);
    auto code = codegen::build(*planned, target());
    ASSERT_TRUE(code.ok()) << code.error().str() << "\n" << print(f);
    const bool symbolic = std::any_of(a.shape.begin(), a.shape.end(), [](const Dim& d) { return !d.is_const(); });
    for (size_t c = 0; c < (symbolic ? (on_gpu() ? 3 : kCallsWanted) : 1); ++c) {
      const SymbolValues call = symbolic ? kCalls[c] : SymbolValues{};
      std::vector<Type> types;
      for (ValueId p : f.params) types.push_back(at_call(f.type(p), call));
      if (symbolic) {
        const auto results = infer(*f.ops[0].def, {types, at_call(f.ops[0].attrs, call), {}});
        if (!results.ok()) continue;  // not defined for these sizes
        // A product of all sizes keeps the interpreters busy and shows nothing that shorter results do not.
        if (std::any_of(results->begin(), results->end(), [](const Type& t) { return elements(t) > kMostElements; }))
          continue;
      }
      const bool exact = is_exact(f, f.ops[0]);
      for (Values values :
           {Values::Special, f.ops[0].def->kind == OpKind::Elementwise ? Values::Ordinary : Values::Exact}) {
        if (definite && values == Values::Special) continue;
        std::vector<Tensor> inputs = random_inputs(f, call, values, random_);
        if (definite) make_definite(inputs[0]);
        auto arguments = place(f, inputs, random_);
        ASSERT_TRUE(arguments.ok()) << arguments.error().str();
        Case shown{f, inputs};
        now_testing(case_text(shown));
        auto want = run_program(*planned, *arguments);
        ASSERT_TRUE(want.ok()) << want.error().str() << "\n" << case_text(shown);
        auto got = run_code(**code, *arguments);
        ASSERT_TRUE(got.ok()) << got.error().str() << "\n" << case_text(shown);
        // A GPU's routines sum in their own order, so their tests use sums that are exact.
        const bool library = std::any_of(planned->program->steps.begin(), planned->program->steps.end(),
                                         [](const Step& s) { return std::holds_alternative<LibraryStep>(s); });
        if (on_gpu() && library && values != Values::Exact && !exact) continue;
        double most = 0;
        if (on_gpu() && routine)
          for (const auto* all : {&inputs, &*want})
            for (const Tensor& t : *all) most = std::max(most, largest(t));
        for (size_t r = 0; r < want->size(); ++r)
          ASSERT_EQ(far_off((*want)[r], (*got)[r], {target_ulp(f, f.ops[0], values), true}, most), "")
              << "generated code against the program interpreter\n"
              << case_text(shown);
        // The tests of the CPU already compare the program's interpreter with the graph's.
        if ((values == Values::Special && !exact) || on_gpu()) continue;
        auto reference = interpret(f, inputs);
        ASSERT_TRUE(reference.ok()) << reference.error().str() << "\n" << case_text(shown);
        double magnitude = 0;
        for (const Tensor& x : inputs) magnitude = std::max(magnitude, largest(x));
        for (size_t r = 0; r < want->size(); ++r) {
          if (routine && !(routine->determined >> r & 1)) continue;
          ASSERT_EQ(far_off((*reference)[r], (*got)[r], tolerance(f, f.ops[0]), magnitude), "")
              << "generated code against the graph interpreter\n"
              << case_text(shown);
        }
      }
    }
  }

  Random random_{2024};
};

TEST_P(Row, AgreesOnEveryTypeAndShape) {
  const OpDef& def = *GetParam();
  const bool has_dtype =
      std::any_of(def.attrs.begin(), def.attrs.end(), [](const AttrSpec& s) { return s.kind == AttrKind::Dtype; });
  const std::vector<Arrangement> shapes = arrangements();
  size_t turn = 0, pair = 0, checked_in_all = 0;
  for (Dtype leading : all_dtypes()) {
    if (!admits(def.domain, leading) && def.arity != 0) continue;
    if (def.routine && def.routine->takes && !def.routine->takes(leading)) continue;
    size_t checked = 0;
    // If an attribute is an element type, every pair is tried on a few shapes; otherwise each type on more shapes.
    for (Dtype attribute : has_dtype ? all_dtypes() : std::span<const Dtype>(&leading, 1)) {
      // A GPU in software takes long to compile.
      const size_t wanted = has_dtype || on_gpu() ? 1 : kShapes;
      if (has_dtype && pair++ % (on_gpu() ? kGpuPairStep : kPairStep) != 0 && attribute != leading) continue;
      for (size_t k = 0, done = 0; done < wanted && k < shapes.size(); ++k) {
        // The symbolic ones first, then the others in turn.
        size_t number = k < 2 && !has_dtype && !on_gpu() ? k
                        : on_gpu()                       ? turn++ % shapes.size()
                                                         : 2 + turn++ % (shapes.size() - 2);
        auto f = single(shapes[number], leading, attribute);
        if (!f) continue;
        check(*f, shapes[number]);
        if (HasFatalFailure()) return;
        ++done, ++checked;
      }
    }
    checked_in_all += checked;
    if (def.arity != 0) {
      EXPECT_TRUE(checked > 0 || (has_dtype && (kPairStep > 1 || on_gpu())))
          << "nothing was found that '" << def.name << "' takes with " << short_name(leading)
          << ": teach support/draw.cpp its attributes";
    }
    if (def.arity == 0 && has_dtype) break;  // the attribute is the only type
  }
  EXPECT_GT(checked_in_all, 0u);
}

INSTANTIATE_TEST_SUITE_P(Table, Row, testing::ValuesIn(drawn_rows()),
                         [](const testing::TestParamInfo<const OpDef*>& info) {
                           return std::string(info.param->name);
                         });

}  // namespace
}  // namespace frit::test
