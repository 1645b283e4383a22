// Every row of the table is complete: documented, with the rules that its kind needs and texts that instantiate.
#include <algorithm>
#include <cmath>

#include "ir/graph/expression.h"
#include "ir/routines/routine.h"
#include "ops_support.h"

namespace frit::ir {
namespace {

using testing::on;

// All ways in which `def` takes an operand of type `t`: all operands of that type, or the first a bool (select), and
// every element type if the row has one as an attribute.
struct Instance {
  std::vector<Type> operands;
  AttrMap attrs;
  Dtype result = float32;
};

std::vector<Instance> instances(const OpDef& def, Dtype t) {
  std::vector<Instance> out;
  auto wants_dtype = std::any_of(def.attrs.begin(), def.attrs.end(), [](const auto& a) { return a.name == "dtype"; });
  for (bool condition : {false, true}) {
    std::vector<Type> operands(static_cast<size_t>(def.arity), Type{t, {}});
    if (condition) {
      if (t == bool_ || def.arity == 0) continue;
      operands[0].dtype = bool_;
    }
    for (Dtype u : kAllDtypes) {
      AttrMap attrs;
      if (wants_dtype) attrs.set("dtype", u);
      auto types = infer(def, {operands, attrs, {}});
      if (types.ok()) out.push_back({operands, attrs, (*types)[0].dtype});
      if (!wants_dtype) break;
    }
  }
  return out;
}

TEST(OpsRows, AreDocumentedAndHaveTheRulesOfTheirKind) {
  for (const OpDef* def : OpTable::instance().all()) {
    SCOPED_TRACE(def->name);
    EXPECT_GE(def->doc.size(), 5u);
    EXPECT_EQ(def->doc.back(), '.');
    for (const AttrSpec& a : def->attrs) EXPECT_FALSE(a.doc.empty()) << a.name;
    EXPECT_TRUE(def->derivatives.empty() || static_cast<int>(def->derivatives.size()) == def->arity);
    if (def->has(kNoGradient)) {
      EXPECT_TRUE(def->derivatives.empty());
      EXPECT_EQ(def->vjp, nullptr);
    }
    EXPECT_EQ(def->has(kView), def->view != nullptr);
    switch (def->kind) {
      case OpKind::Constant: break;
      case OpKind::Elementwise:
        EXPECT_FALSE(def->meanings.empty());
        EXPECT_TRUE(def->has(kNoGradient) || !def->derivatives.empty() || def->vjp) << "no derivative";
        break;
      case OpKind::Reduction: EXPECT_TRUE(def->has(kNoGradient) || def->vjp); break;
      case OpKind::Index: EXPECT_TRUE(def->infer && def->index); break;
      case OpKind::Scatter: EXPECT_TRUE(def->infer && def->index && def->vjp); break;
      case OpKind::Scan: EXPECT_TRUE(def->infer && !def->step.empty() && def->vjp); break;
      case OpKind::Iota: EXPECT_TRUE(def->infer && def->index_value); break;
      case OpKind::Composite: EXPECT_TRUE(def->infer && def->expand); break;
      case OpKind::Control: EXPECT_TRUE(def->infer && def->control != ControlForm::None); break;
      case OpKind::Library: EXPECT_TRUE(def->infer && def->routine && def->routine->infer == def->infer); break;
    }
  }
}

TEST(OpsRows, InstantiateForEveryTypeOfTheirDomain) {
  int count = 0;
  for (const OpDef* def : OpTable::instance().all()) {
    if (def->kind != OpKind::Elementwise) continue;
    for (Dtype t : kAllDtypes) {
      if (!admits(def->domain, t)) continue;
      auto all = instances(*def, t);
      EXPECT_FALSE(all.empty()) << def->name << " takes no " << t;
      for (const Instance& instance : all) {
        SCOPED_TRACE(std::string(def->name) + " on " + instance.operands.back().str() + " giving " +
                     std::string(short_name(instance.result)));
        std::vector<Dtype> types;
        for (const Type& o : instance.operands) types.push_back(o.dtype);
        auto program = meaning(*def, types, instance.result);
        ASSERT_TRUE(program.ok()) << program.error().str();
        ++count;
        bool complex = is_complex(instance.result);
        ASSERT_EQ(program->results.size(), complex ? 2u : 1u);
        for (uint32_t r : program->results) EXPECT_EQ(program->nodes[r].type, complex ? float32 : instance.result);
        for (const ScalarNode& n : program->nodes) {
          std::vector<Dtype> args;
          for (int a = 0; a < arity(n.op); ++a) args.push_back(program->nodes[n.args[static_cast<size_t>(a)]].type);
          EXPECT_TRUE(types_fit(n.op, n.type, args)) << name(n.op);
        }
        // Again, from the cache.
        EXPECT_EQ(meaning(*def, types, instance.result)->nodes.size(), program->nodes.size());
      }
    }
  }
  EXPECT_GT(count, 600);
}

TEST(OpsRows, RunOnBothFunctionSourcesForEveryFloat) {
  for (const OpDef* def : OpTable::instance().all()) {
    if (def->kind != OpKind::Elementwise || def->infer || !admits(def->domain, float32)) continue;
    std::vector<Dtype> types(static_cast<size_t>(def->arity), float32);
    Dtype result = def->result == ResultType::Bool ? bool_ : float32;
    if (def->result == ResultType::Complex) continue;
    auto program = meaning(*def, types, result);
    ASSERT_TRUE(program.ok());
    std::vector<uint64_t> inputs(types.size(), double_to_bits(float32, 0.375));
    double a = bits_to_double(result, evaluate(*program, inputs, FunctionSource::Libm)[0]);
    double b = bits_to_double(result, evaluate(*program, inputs, FunctionSource::Expansion)[0]);
    EXPECT_EQ(std::isnan(a), std::isnan(b)) << def->name;
    if (std::isnan(a)) continue;
    EXPECT_NEAR(a, b, 1e-5 * (1 + std::fabs(a))) << def->name;
  }
}

OpDef broken(std::string_view text) {
  return {.name = "broken",
          .kind = OpKind::Elementwise,
          .arity = 2,
          .doc = "For tests.",
          .meanings = {{MeaningFor::Any, text}}};
}

std::string error(std::string_view text, Dtype t = float32) {
  OpDef def = broken(text);
  std::vector<Dtype> types{t, t};
  auto r = meaning(def, types, t);
  return r.ok() ? "" : r.error().message;
}

TEST(OpsRows, MalformedTextsAreRefusedWithAReason) {
  EXPECT_EQ(error("x + y"), "");
  EXPECT_NE(error("x +").find("column 4: expected an operand"), std::string::npos) << error("x +");
  EXPECT_NE(error("(x + y").find("expected ')'"), std::string::npos);
  EXPECT_NE(error("x y").find("expected the end"), std::string::npos);
  EXPECT_NE(error("a = x; a + q").find("unknown name 'q'"), std::string::npos);
  EXPECT_NE(error("foo(x)").find("unknown function 'foo'"), std::string::npos);
  EXPECT_NE(error("fma(x, y)").find("takes 3 operands, not 2"), std::string::npos);
  EXPECT_NE(error("x & y").find("'and' does not take f32, f32"), std::string::npos);
  EXPECT_NE(error("x < y").find("gives bool where the result is f32"), std::string::npos);
  EXPECT_NE(error("select(x, x, y)").find("does not take"), std::string::npos);
  EXPECT_NE(error("x + 0.5", int32).find("a fraction where i32"), std::string::npos);
  EXPECT_NE(error("x + inf", int32).find("'inf' where i32"), std::string::npos);
  EXPECT_NE(error("exp(x)", int32).find("'exp' does not take i32"), std::string::npos);
  EXPECT_NE(error("cast(x, f31)").find("unknown element type 'f31'"), std::string::npos);
  EXPECT_NE(error("bitcast(x, f64)").find("another width"), std::string::npos);
  EXPECT_NE(error("").find("expected an operand"), std::string::npos);
}

TEST(OpsRows, NumbersTakeTheTypeOfTheirNeighbours) {
  OpDef def = broken("2 * x - y / 4");
  std::vector<Dtype> types{float64, float64};
  auto p = meaning(def, types, float64);
  ASSERT_TRUE(p.ok());
  for (const ScalarNode& n : p->nodes) EXPECT_EQ(n.type, float64);
}

TEST(OpsRows, LowPrecisionIsWidenedOnceAndRoundedOnce) {
  std::vector<Dtype> types{float16, float16};
  auto p = meaning(op("add"), types, float16);
  ASSERT_TRUE(p.ok());
  int casts = 0;
  for (const ScalarNode& n : p->nodes) casts += n.op == ScalarOp::Cast;
  EXPECT_EQ(casts, 3);
  // An op that keeps the value widens nothing.
  auto copy = meaning(op("copy"), std::vector<Dtype>{float16}, float16);
  EXPECT_EQ(copy->nodes.size(), 1u);
  auto same = meaning(op("floor"), std::vector<Dtype>{int8}, int8);
  EXPECT_EQ(same->nodes.size(), 1u);
}

TEST(OpsRows, ComplexPartsShareTheirCommonNodes) {
  auto p = meaning(op("exp"), std::vector<Dtype>{complex64}, complex64);
  ASSERT_TRUE(p.ok());
  int exps = 0;
  for (const ScalarNode& n : p->nodes) exps += n.op == ScalarOp::Exp;
  EXPECT_EQ(exps, 1);
}

}  // namespace
}  // namespace frit::ir
