// The algebraic rules and the traits of rows, bit by bit.
//
// Each rule runs through the pass and is compared with the original on special and random values of every element type
// that it claims.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <random>
#include <set>

#include "ir/interpret/interpreter.h"
#include "ir/read/parser.h"
#include "ir/text/printer.h"
#include "passes/manager/pass.h"
#include "passes/simplify/equations.h"
#include "passes/simplify/rewrite.h"
#include "tests/environment.h"

namespace frit::passes {
namespace {

using namespace ir;

// Edge values of arithmetic, and some random ones.
std::vector<uint64_t> element_bits(Dtype t) {
  std::vector<uint64_t> all;
  std::mt19937_64 random(7);
  if (t == bool_) return {0, 1};
  if (is_int(t)) {
    uint64_t mask = t.size() == 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * t.size()) - 1;
    uint64_t high = uint64_t{1} << (8 * t.size() - 1);
    for (uint64_t v : {uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{3}, uint64_t{100}, high, high - 1, high + 1}) {
      all.push_back(v & mask);
      all.push_back((~v + 1) & mask);
    }
    for (int i = 0; i < 4; ++i) all.push_back(random() & mask);
    return all;
  }
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> values{0.0, 1.0, 0.5, 2.0, 3.0, 1.0 / 3, 1e-5, 65504.0, 3e38, 1e-40, 1e-45, 6e-8, inf, nan};
  if (is_complex(t)) {
    for (double re : {0.0, -0.0, 1.0, -2.5, inf, nan})
      for (double im : {0.0, -0.0, 1.0, -inf})
        all.push_back(Literal::scalar_complex(static_cast<float>(re), static_cast<float>(im)).bits());
    return all;
  }
  for (double v : values) {
    all.push_back(double_to_bits(t, v));
    all.push_back(double_to_bits(t, -v));
  }
  for (int i = 0; i < 6; ++i) all.push_back(double_to_bits(t, std::ldexp(static_cast<double>(random() >> 11), -50)));
  return all;
}

bool is_nan_bits(Dtype t, uint64_t bits) { return is_float(t) && std::isnan(bits_to_double(t, bits)); }

// Equal by bits, with all NaNs equal.
bool same_element(Dtype t, uint64_t a, uint64_t b) {
  if (is_complex(t))
    return same_element(float32, a & 0xffffffffu, b & 0xffffffffu) && same_element(float32, a >> 32, b >> 32);
  return a == b || (is_nan_bits(t, a) && is_nan_bits(t, b));
}

// Tensors that together hold every combination of the parameters' edge values.
std::vector<Tensor> combinations(const std::vector<Dtype>& dtypes, int64_t& count) {
  std::vector<std::vector<uint64_t>> values;
  count = 1;
  for (Dtype t : dtypes) {
    values.push_back(element_bits(t));
    if (dtypes.size() > 2 && values.back().size() > 12) values.back().resize(12);
    count *= static_cast<int64_t>(values.back().size());
  }
  std::vector<Tensor> tensors;
  int64_t stride = 1;
  for (size_t k = 0; k < dtypes.size(); ++k) {
    auto n = static_cast<int64_t>(values[k].size());
    Tensor tensor(dtypes[k], {count});
    for (int64_t i = 0; i < count; ++i) tensor.set_bits(i, values[k][static_cast<size_t>(i / stride % n)]);
    stride *= n;
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

void expect_same(const Function& before, const Function& after, const std::vector<Tensor>& inputs,
                 const std::string& what) {
  auto want = interpret(before, inputs), got = interpret(after, inputs);
  ASSERT_TRUE(want.ok()) << what << ": " << want.error().str();
  ASSERT_TRUE(got.ok()) << what << ": " << got.error().str();
  ASSERT_EQ(want->size(), got->size());
  for (size_t r = 0; r < want->size(); ++r) {
    const Tensor &w = (*want)[r], &g = (*got)[r];
    ASSERT_EQ(w.dtype, g.dtype) << what;
    ASSERT_EQ(w.shape, g.shape) << what;
    for (int64_t i = 0; i < w.size(); ++i) {
      if (same_element(w.dtype, w.bits(i), g.bits(i))) continue;
      std::string at;
      for (const Tensor& t : inputs)
        if (i < t.size()) at += " " + std::to_string(t.at(i));
      FAIL() << what << ": " << w.at(i) << " became " << g.at(i) << " for" << at << "\n"
             << print(before) << print(after);
    }
  }
}

// Builds the left side of an equation. Variables named `c` are bool; the others, and literals, have element type `t`.
class LeftSide {
 public:
  LeftSide(const Equation& e, Dtype t, double constant, std::vector<Dtype> attr_types)
      : e_(e), t_(t), constant_(constant), attr_types_(std::move(attr_types)), values_(e.variables.size(), kNone) {
    f.name = "left";
  }

  // Nothing if the types do not fit.
  bool build(int64_t count) {
    shape_ = {Dim(count)};
    declare(e_.left);
    auto result = term(e_.left, t_);
    if (!result) return false;
    f.results = {*result};
    return true;
  }
  std::vector<Dtype> param_types;
  Function f;

 private:
  void declare(const Term& t) {
    if (t.kind == Term::Kind::Variable && values_[static_cast<size_t>(t.variable)] == kNone) {
      const std::string& name = e_.variables[static_cast<size_t>(t.variable)];
      Dtype dtype = name == "c" ? bool_ : t_;
      param_types.push_back(dtype);
      values_[static_cast<size_t>(t.variable)] = f.add_param(name, Type{dtype, shape_});
    }
    for (const Term& operand : t.operands) declare(operand);
  }

  std::optional<ValueId> term(const Term& t, Dtype literal_type) {
    Builder b(f);
    switch (t.kind) {
      case Term::Kind::Variable: return values_[static_cast<size_t>(t.variable)];
      case Term::Kind::Constant: return b.splat(constant_, Type{t_, shape_});
      case Term::Kind::Literal: {
        auto bits = literal_bits(t, literal_type);
        if (!bits) return std::nullopt;
        return build_splat(b, Type{literal_type, shape_}, *bits);
      }
      case Term::Kind::Row: break;
    }
    std::vector<ValueId> operands;
    for (size_t i = 0; i < t.operands.size(); ++i) {
      bool condition = t.def->name == "select" && i == 0;
      auto v = term(t.operands[i], condition ? bool_ : t_);
      if (!v) return std::nullopt;
      operands.push_back(*v);
    }
    AttrMap attrs;
    for (const Term::AttrTerm& a : t.attrs) attrs.set(a.name, attr_types_[next_attr_++]);
    auto built = b.try_build(*t.def, operands, attrs);
    if (!built) return std::nullopt;
    return built->front();
  }

  const Equation& e_;
  Dtype t_;
  double constant_;
  std::vector<Dtype> attr_types_;
  size_t next_attr_ = 0;
  std::vector<ValueId> values_;
  Shape shape_;
};

bool any_term(const Term& t, const std::function<bool(const Term&)>& holds) {
  if (holds(t)) return true;
  return std::any_of(t.operands.begin(), t.operands.end(), [&](const Term& o) { return any_term(o, holds); });
}

bool elementwise_only(const Equation& e) {
  return !any_term(e.left,
                   [](const Term& t) { return t.kind == Term::Kind::Row && t.def->kind != OpKind::Elementwise; });
}

class EquationTest : public testing::TestWithParam<size_t> {
 protected:
  const Equation& equation() const { return (*canonicalize_equations())[GetParam()]; }

  // Runs the pass on the left side and compares. Returns whether the rule was used; `built` is whether the types fit.
  bool try_once(Dtype t, double constant, std::vector<Dtype> attr_types, bool& built) {
    const Equation& e = equation();
    LeftSide probe(e, t, constant, attr_types);
    built = probe.build(1);
    if (!built) return false;
    int64_t count;
    std::vector<Tensor> inputs = combinations(probe.param_types, count);
    LeftSide before(e, t, constant, attr_types), after(e, t, constant, attr_types);
    before.build(count);
    after.build(count);
    PassContext context;
    context.collect_remarks = true;
    auto changed = find_pass("canonicalize")->run(after.f, context);
    EXPECT_TRUE(changed.ok());
    std::string what = e.text + " on " + std::string(short_name(t));
    expect_same(before.f, after.f, inputs, what);
    return std::any_of(context.remarks.begin(), context.remarks.end(),
                       [&](const Remark& r) { return r.text == "applied " + e.text; });
  }
};

TEST_P(EquationTest, KeepsEveryBit) {
  const Equation& e = equation();
  if (!elementwise_only(e)) GTEST_SKIP() << "arrangements have tests of their own";
  bool chooses = any_term(e.left, [](const Term& t) { return t.kind == Term::Kind::Row && t.def->name == "select"; });
  bool has_constant = any_term(e.left, [](const Term& t) { return t.kind == Term::Kind::Constant; });
  size_t attrs = 0;
  any_term(e.left, [&](const Term& t) { return attrs += t.attrs.size(), false; });
  bool used = false, built = false;
  for (Dtype t : kAllDtypes) {
    if (!chooses && !e.holds_for(t)) continue;
    if (attrs == 2) {
      for (Dtype inner : kAllDtypes)
        for (Dtype outer : kAllDtypes) used |= try_once(t, 0, {inner, outer}, built);
    } else if (has_constant) {
      for (double c :
           {1.0, 2.0, -4.0, 0.5, 3.0, 0.0, 0x1p15, 0x1p-14, 0x1p-24, 0x1p100, 0x1p-100, 0x1p127, 0x1p-126, 0x1p-149,
            0x1p1000, 0x1p-1022, 0x1p-1074, static_cast<double>(INFINITY), static_cast<double>(NAN)})
        used |= try_once(t, c, {}, built);
    } else if (attrs == 0) {
      bool applied = try_once(t, 0, {}, built);
      used |= applied;
      if (!chooses) {
        EXPECT_TRUE(built) << e.text << " is no function of " << short_name(t) << ", but claims it";
        EXPECT_TRUE(applied || !built) << e.text << " was not used on " << short_name(t);
      }
    } else {
      used |= try_once(t, 0, {t}, built);
    }
  }
  EXPECT_TRUE(used) << e.text;
}

size_t equation_count() {
  const auto& equations = canonicalize_equations();
  return equations ? equations->size() : 0;
}
INSTANTIATE_TEST_SUITE_P(Rules, EquationTest, testing::Range(size_t{0}, equation_count()));

TEST(Equations, Parse) {
  const auto& equations = canonicalize_equations();
  ASSERT_TRUE(equations.ok()) << equations.error().str();
  EXPECT_GT(equations->size(), 40u);
}

TEST(Equations, EveryRuleIsSeenInAGolden) {
  std::set<std::string> applied;
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() + "/tests/golden/canonicalize")) {
    std::ifstream file(entry.path());
    constexpr std::string_view kMark = "// remark: applied ";
    for (std::string line; std::getline(file, line);)
      if (line.starts_with(kMark)) applied.insert(line.substr(kMark.size()));
  }
  for (const Equation& e : *canonicalize_equations()) EXPECT_TRUE(applied.contains(e.text)) << e.text;
}

TEST(Equations, ErrorsNameTheLine) {
  auto error = [](std::string_view text) {
    auto r = parse_equations(text);
    return r ? std::string("none") : r.error().message;
  };
  EXPECT_EQ(error("\n[any] nothing(x) = x"), "canonicalize rules, line 2, column 7: unknown operation 'nothing'");
  EXPECT_EQ(error("[any] exp(x) = y"), "canonicalize rules, line 1, column 17: 'y' does not occur on the left");
  EXPECT_EQ(error("[ny] exp(x) = x"), "canonicalize rules, line 1, column 4: unknown class of element types");
  EXPECT_EQ(error("exp(x) = x"),
            "canonicalize rules, line 1, column 1: expected '[' and the element types that the equation holds for");
  EXPECT_EQ(error("[any] add(x) = x"), "canonicalize rules, line 1, column 13: 'add' takes 2 operands");
  EXPECT_NE(error("[any] x = x"), "none");
  EXPECT_EQ(error("[any] exp(y:log(x)) = y"), "none");
  EXPECT_NE(error("[any] exp(y:x) = y"), "none");
  EXPECT_NE(error("[any] exp(log(x)) = y:exp(x)"), "none");
  EXPECT_NE(error("[any] exp(x) x"), "none");
  EXPECT_NE(error("[any] exp(x) = x x"), "none");
  EXPECT_NE(error("[any] exp(x) = x if nothing(x)"), "none");
  EXPECT_NE(error("[any] exp(x, nothing=p) = x"), "none");
  EXPECT_EQ(error("# only a comment\n\n"), "none");
}

// Rules on arrangements: every element keeps its source.
TEST(Arrangements, KeepEveryElement) {
  for (
      const char* body : {
          "%0: f32[24] = reshape %x {shape=[24]}\n %1: f32[4, 6] = reshape %0 {shape=[4, 6]}\n return %0, %1",
          "%0: f32[2, 2, 3, 4] = broadcast %x {shape=[2, 2, 3, 4]}\n"
          " %1: f32[2, 2, 2, 3, 4] = broadcast %0 {shape=[2, 2, 2, 3, 4]}\n return %0, %1",
          "%0: f32[3, 4, 2] = transpose %x {axes=[1, 2, 0]}\n %1: f32[3, 2, 4] = transpose %0 {axes=[0, 2, 1]}\n return %0, %1",
          "%0: f32[4, 2, 3] = transpose %x {axes=[2, 0, 1]}\n %1: f32[2, 3, 4] = transpose %0 {axes=[1, 2, 0]}\n return %0, %1",
          "%0: f32[2, 3, 4] = slice %x {start=[1, 0, 0], stop=[-1, 3, 4], strides=[-1, 1, 1]}\n"
          " %1: f32[2, 3, 4] = slice %x {start=[0, 0, 0], stop=[2, 3, 4]}\n return %0, %1",
      }) {
    // The result types of the signature are those of the two ops.
    std::string text(body), results;
    for (size_t at = text.find(": "); at != std::string::npos; at = text.find(": ", at + 1)) {
      size_t end = text.find(" =", at);
      results += (results.empty() ? "" : ", ") + text.substr(at + 2, end - at - 2);
    }
    std::string source = "func @f(%x: f32[2, 3, 4]) -> (" + results + ") {\n " + text + "\n}\n";
    auto before = ir::parse(source, "t.frit"), after = ir::parse(source, "t.frit");
    ASSERT_TRUE(before.ok()) << before.error().str() << source;
    PassContext context;
    ASSERT_TRUE(find_pass("canonicalize")->run(*(*after)->functions[0], context).ok());
    Tensor x(float32, {2, 3, 4});
    for (int64_t i = 0; i < x.size(); ++i) x.set_bits(i, double_to_bits(float32, static_cast<double>(i)));
    expect_same(*(*before)->functions[0], *(*after)->functions[0], {x}, source);
  }
}

// A reduction over axes of one element each is gone, and has left every bit.
TEST(Reductions, OfOneElementAreThatElement) {
  int gone = 0;
  for (const OpDef* def : OpTable::instance().all()) {
    if (def->kind != OpKind::Reduction) continue;
    for (Dtype t : kAllDtypes) {
      int64_t count;
      std::vector<Tensor> inputs = combinations({t}, count);
      inputs[0].shape = {1, count, 1};
      Function before, after;
      for (Function* f : {&before, &after}) {
        const ValueId x = f->add_param("x", Type{t, {Dim(1), Dim(count), Dim(1)}});
        for (const auto& [axes, keepdims] : {std::pair{Dims{2}, false}, {Dims{0, 2}, true}, {Dims{0, 1}, false}})
          if (auto y = Builder(*f).try_build(*def, {x}, {{"axes", axes}, {"keepdims", keepdims}}))
            f->results.push_back(y->front());
      }
      if (before.results.empty() || (is_complex(t) && def->combine != Combine::Sum)) continue;
      PassContext context;
      ASSERT_TRUE(find_pass("canonicalize")->run(after, context).ok());
      const auto left = std::count_if(after.ops.begin(), after.ops.end(),
                                      [](const Op& op) { return op.def->kind == OpKind::Reduction; });
      EXPECT_EQ(left, 1) << def->name << " of " << short_name(t) << ": the one over all elements stays";
      expect_same(before, after, inputs, std::string(def->name) + " of one " + std::string(short_name(t)));
      ++gone;
    }
  }
  EXPECT_GT(gone, 60);
}

// The largest of differences from the largest is found from that one alone, and keeps every bit.
TEST(Reductions, OfDifferencesFromTheLargestAreGone) {
  for (Dtype t : kAllDtypes) {
    if (!is_float(t)) continue;
    int64_t count;
    // Rows of one, two and more elements, with infinities, NaN and zeros of both signs beside each other.
    std::vector<Tensor> inputs = combinations({t, t}, count);
    const Tensor pairs = inputs[0], others = inputs[1];
    for (const int64_t columns : {1, 2, 3, 7}) {
      Tensor x(t, {count, columns});
      for (int64_t i = 0; i < x.size(); ++i)
        x.set_bits(i, (i % columns % 2 ? others : pairs).bits((i / columns + i % columns / 2) % count));
      Function before, after;
      for (Function* f : {&before, &after}) {
        Builder b(*f);
        const Shape shape{Dim(count), Dim(columns)};
        const ValueId v = f->add_param("x", Type{t, shape});
        const AttrMap rows{{"axes", Dims{1}}, {"keepdims", true}};
        const ValueId top = b.build("stop_gradient", {b.build("max", {v}, rows)});
        const ValueId differences = b.build("subtract", {v, b.broadcast(top, shape)});
        f->results = {b.build("max", {differences}, rows)};
      }
      PassContext context;
      ASSERT_TRUE(find_pass("canonicalize")->run(after, context).ok());
      ASSERT_TRUE(find_pass("cse")->run(after, context).ok());
      ASSERT_TRUE(find_pass("dce")->run(after, context).ok());
      const auto left = std::count_if(after.ops.begin(), after.ops.end(),
                                      [](const Op& op) { return op.def->kind == OpKind::Reduction; });
      EXPECT_EQ(left, columns > 1 ? 1 : 0) << short_name(t) << ", " << columns << " columns";
      expect_same(before, after, {x}, "differences of " + std::string(short_name(t)));
    }
  }
}

// The traits that canonicalize and cse rely on.
TEST(Traits, HoldToTheBit) {
  for (const OpDef* def : OpTable::instance().all()) {
    if (def->kind != OpKind::Elementwise || !def->attrs.empty()) continue;
    for (Dtype t : kAllDtypes) {
      int64_t count;
      std::vector<Tensor> inputs = combinations(std::vector<Dtype>(static_cast<size_t>(def->arity), t), count);
      Type type{t, {Dim(count)}};
      Function a, b;
      std::vector<ValueId> params;
      for (int i = 0; i < def->arity; ++i) {
        params.push_back(a.add_param("x" + std::to_string(i), type));
        b.add_param("x" + std::to_string(i), type);
      }
      auto once = Builder(a).try_build(*def, params);
      if (!once) continue;
      std::string what = std::string(def->name) + " on " + std::string(short_name(t));
      if (def->has(kCommutative)) {
        ASSERT_EQ(def->arity, 2) << what;
        a.results = *once;
        b.results = *Builder(b).try_build(*def, {params[1], params[0]});
        expect_same(a, b, inputs, what + " is not commutative");
      }
      if (def->has(kIdempotent) || def->has(kInvolution)) {
        ASSERT_EQ(def->arity, 1) << what;
        auto twice = Builder(a).try_build(*def, *once);
        if (!twice || !(a.type((*twice)[0]) == (def->has(kInvolution) ? type : a.type((*once)[0])))) continue;
        a.results = *twice;
        b.results = def->has(kInvolution) ? params : *Builder(b).try_build(*def, params);
        expect_same(a, b, inputs, what + " breaks its trait");
      }
    }
  }
}

}  // namespace
}  // namespace frit::passes
