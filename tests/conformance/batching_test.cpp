// vmap of every row, over every axis, is a loop over the positions: to the bit in the interpreter, and in generated
// code wherever frit fixes the order of a computation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "ir/graph/expression.h"
#include "ir/kernel/program.h"
#include "ir/routines/routine.h"
#include "ir/text/printer.h"
#include "passes/transform/transform.h"
#include "support/generate.h"
#include "support/ways.h"

namespace frit::test {
namespace {

using namespace ir;
using passes::BatchAxes;

#ifdef FRIT_SANITIZED
constexpr size_t kDtypes = 2;
#else
constexpr size_t kDtypes = 20;
#endif

// `parts` side by side along a new axis.
Tensor stack(const std::vector<Tensor>& parts, const Tensor& like, int axis) {
  std::vector<int64_t> shape = like.shape;
  shape.insert(shape.begin() + axis, static_cast<int64_t>(parts.size()));
  Tensor all(like.dtype, shape);
  size_t run = like.dtype.size();
  for (size_t i = static_cast<size_t>(axis); i < like.shape.size(); ++i) run *= static_cast<size_t>(like.shape[i]);
  const size_t runs = run == 0 ? 0 : like.data.size() / run;
  for (size_t k = 0; k < runs; ++k)
    for (size_t p = 0; p < parts.size(); ++p)
      std::memcpy(all.data.data() + (k * parts.size() + p) * run, parts[p].data.data() + k * run, run);
  return all;
}

// A function of one row, the inputs of each position, and those of the whole batch.
struct Batch {
  Function one, all;
  std::vector<std::vector<Tensor>> at;  // by position, then operand
  std::vector<Tensor> whole;
  BatchAxes axes;
};

class BatchedRow : public testing::TestWithParam<const OpDef*> {
 protected:
  const OpDef& def() const { return *GetParam(); }

  std::optional<Function> one_op(const Type& leading, const DimFacts& facts) {
    auto call = draw_call(def(), leading, leading.dtype, facts, random_);
    if (!call) return std::nullopt;
    Function f;
    f.name = "row";
    f.facts = facts;
    std::vector<ValueId> params;
    for (const Type& t : call->operands) params.push_back(f.add_param("x" + std::to_string(params.size()), t));
    auto built = Builder(f).try_build(def(), params, call->attrs);
    EXPECT_TRUE(built.ok()) << built.error().str();
    if (!built.ok()) return std::nullopt;
    f.results = *built;
    return f;
  }

  // Every axis for all operands at once, then each operand alone.
  std::vector<BatchAxes> arrangements(const Function& f, const Dim& size) {
    std::vector<BatchAxes> out;
    const auto ranks = [&](const std::vector<ValueId>& values, int axis) {
      std::vector<int> axes;
      for (ValueId v : values) axes.push_back(std::min(axis, f.type(v).rank()));
      return axes;
    };
    int most = 0;
    for (ValueId p : f.params) most = std::max(most, f.type(p).rank());
    for (int axis = 0; axis <= most; ++axis) out.push_back({ranks(f.params, axis), ranks(f.results, axis), size});
    for (size_t k = 0; k < f.params.size() && f.params.size() > 1; ++k) {
      BatchAxes alone{std::vector<int>(f.params.size(), -1), ranks(f.results, 0), size};
      alone.in[k] = static_cast<int>(between(random_, 0, f.type(f.params[k]).rank()));
      out.push_back(alone);
    }
    return out;
  }

  void draw_inputs(Batch& c, int64_t size, const SymbolValues& symbols) {
    const Routine* const routine = def().routine;
    const Values values = routine ? Values::Exact : Values::Special;
    const auto inputs = [&] {
      std::vector<Tensor> in = random_inputs(c.one, symbols, values, random_);
      if (routine && routine->operand_kind == OperandKind::Definite) make_definite(in[0]);
      return in;
    };
    const std::vector<Tensor> shared = inputs();
    for (int64_t p = 0; p < size; ++p) c.at.push_back(inputs());
    for (size_t k = 0; k < shared.size(); ++k) {
      if (c.axes.in[k] < 0) {
        for (std::vector<Tensor>& in : c.at) in[k] = shared[k];
        c.whole.push_back(shared[k]);
        continue;
      }
      std::vector<Tensor> parts;
      for (const std::vector<Tensor>& in : c.at) parts.push_back(in[k]);
      c.whole.push_back(stack(parts, shared[k], c.axes.in[k]));
    }
  }

  std::optional<Batch> batch(const Function& f, const BatchAxes& axes, int64_t size, const SymbolValues& symbols = {}) {
    auto all = passes::vmap(f, axes);
    EXPECT_TRUE(all.ok()) << all.error().str() << "\n" << print(f);
    if (!all.ok()) return std::nullopt;
    Batch c{f, *std::move(all), {}, {}, axes};
    draw_inputs(c, size, symbols);
    return c;
  }

  std::string shown(const Batch& c) { return print(c.one) + print(c.all); }

  // The results of each position, stacked as the batch has them.
  template <class Run>
  std::optional<std::vector<Tensor>> loop(const Batch& c, const std::vector<Tensor>& like, Run&& run) {
    std::vector<std::vector<Tensor>> parts(c.one.results.size());
    for (const std::vector<Tensor>& in : c.at) {
      auto out = run(in);
      if (!out.ok()) return std::nullopt;  // not defined for these operands
      for (size_t r = 0; r < parts.size(); ++r) parts[r].push_back((*out)[r]);
    }
    std::vector<Tensor> stacked;
    for (size_t r = 0; r < parts.size(); ++r) {
      Tensor shape(like[r].dtype, like[r].shape);
      shape.shape.erase(shape.shape.begin() + c.axes.out[r]);
      stacked.push_back(stack(parts[r], parts[r].empty() ? shape : parts[r][0], c.axes.out[r]));
    }
    return stacked;
  }

  void check_interpreted(const Batch& c) {
    auto got = interpret(c.all, c.whole);
    // Where no operand has elements the loop may not run at all, and the batch still has a shape.
    if (!got.ok() && !loop(c, {}, [&](const auto& in) { return interpret(c.one, in); })) return;
    ASSERT_TRUE(got.ok()) << got.error().str() << "\n" << shown(c);
    auto want = loop(c, *got, [&](const auto& in) { return interpret(c.one, in); });
    ASSERT_TRUE(want) << shown(c);
    for (size_t r = 0; r < want->size(); ++r) ASSERT_EQ(difference((*want)[r], (*got)[r]), "") << shown(c);
    ++checked_;
  }

  // Whether the results are near each other, where a library orders the computation.
  static bool near(const Tensor& a, const Tensor& b) {
    double size = 1;
    for (int64_t i = 0; i < a.size(); ++i) size = std::max(size, std::fabs(a.at(i)));
    for (int64_t i = 0; i < a.size(); ++i)
      if (std::fabs(a.at(i) - b.at(i)) > 1e-4 * size) return false;
    return a.shape == b.shape && a.dtype == b.dtype;
  }

  // Whether a library orders the computation of the row, or of one that it stands for.
  static bool calls_library(const Function& f) {
    auto planned = plan(f, true);
    if (!planned.ok()) return false;
    return std::any_of(planned->program->steps.begin(), planned->program->steps.end(), [](const Step& s) {
      const auto* step = std::get_if<LibraryStep>(&s);
      return step && !step->routine->exact;
    });
  }

  void check_code(const Batch& c) {
    const auto code_of = [&](const Function& f) {
      auto planned = plan(f, true);
      EXPECT_TRUE(planned.ok()) << planned.error().str() << print(f);
      auto code = codegen::build(*planned, target());
      EXPECT_TRUE(code.ok()) << code.error().str() << print(f);
      return *code;
    };
    const auto run = [&](const Function& f, const auto& code, std::vector<Tensor> in) {
      auto arguments = place(f, in, random_);
      EXPECT_TRUE(arguments.ok());
      return run_code(*code, *arguments);
    };
    const auto one = code_of(c.one), all = code_of(c.all);
    auto got = run(c.all, all, c.whole);
    ASSERT_TRUE(got.ok()) << got.error().str() << shown(c);
    auto want = loop(c, *got, [&](const auto& in) { return run(c.one, one, in); });
    ASSERT_TRUE(want) << shown(c);
    const Routine* const routine = def().routine;
    for (size_t r = 0; r < want->size(); ++r) {
      if (routine && !(routine->determined >> r & 1)) continue;
      if (calls_library(c.one)) {
        EXPECT_TRUE(near((*want)[r], (*got)[r])) << shown(c);
      } else {
        EXPECT_EQ(difference((*want)[r], (*got)[r]), "") << shown(c);
      }
    }
    ++checked_;
  }

  // The element types that the row takes, at most `most`.
  std::vector<Dtype> dtypes(size_t most) {
    std::vector<Dtype> out;
    for (Dtype t : all_dtypes())
      if (admits(def().domain, t) && out.size() < most &&
          !(def().routine && def().routine->takes && !def().routine->takes(t)))
        out.push_back(t);
    return out;
  }

  void report() {
    if (checked_ == 0 && def().arity == 0) GTEST_SKIP() << "the row takes no operands";
    EXPECT_GT(checked_, 0u) << "nothing was found that '" << def().name << "' takes";
  }

  Random random_{77};
  size_t checked_ = 0;
};

TEST_P(BatchedRow, IsALoopOverEveryAxis) {
  for (Dtype t : dtypes(kDtypes))
    for (const Shape& shape : {Shape{4, 6}, Shape{}, Shape{5}, Shape{2, 3, 3}, Shape{2, 0}}) {
      auto f = one_op({t, shape}, {});
      if (!f || f->params.empty()) continue;
      for (int64_t size : {3, 1, 0})
        for (const BatchAxes& axes : arrangements(*f, size)) {
          auto c = batch(*f, axes, size);
          if (c) check_interpreted(*c);
          if (HasFailure()) return;
        }
    }
  report();
}

TEST_P(BatchedRow, TakesOpenSizes) {
  const Dim n = Dim::symbol("n"), m = Dim::symbol("m");
  DimFacts facts;
  for (const char* s : {"n", "m"}) facts.set_range(s, {1, 100});
  for (Dtype t : dtypes(3)) {
    auto f = one_op({t, {n, m}}, facts);
    if (!f || f->params.empty()) continue;
    for (const BatchAxes& axes : arrangements(*f, Dim::symbol("batch")))
      for (const SymbolValues& symbols : {SymbolValues{{"n", 4}, {"m", 4}}, SymbolValues{{"n", 3}, {"m", 7}}}) {
        std::vector<Type> types;
        for (ValueId p : f->params) types.push_back(at_call(f->type(p), symbols));
        if (!infer(def(), {types, at_call(f->ops[0].attrs, symbols), {}}).ok()) continue;
        auto c = batch(*f, axes, 2, symbols);
        if (c) check_interpreted(*c);
        if (HasFailure()) return;
      }
  }
  if (checked_ == 0) GTEST_SKIP() << "the row takes no operands of open sizes";
}

TEST_P(BatchedRow, HasTheBitsOfTheLoopInCode) {
  if (std::string why = why_not_here(); !why.empty()) GTEST_SKIP() << why;
  if (on_gpu()) GTEST_SKIP() << "the tests of rows run the same kernels on a GPU";
  std::vector<Dtype> types = dtypes(20);
  if (const auto f = std::find(types.begin(), types.end(), float32); f != types.end()) types = {float32};
  if (types.size() > 1) types.erase(types.begin() + 1, types.end());
  for (Dtype t : types)
    for (const Shape& shape : {Shape{4, 6}, Shape{3, 3}, Shape{40}, Shape{2, 3, 3}}) {
      auto f = one_op({t, shape}, {});
      if (!f || f->params.empty()) continue;
      std::vector<BatchAxes> all = arrangements(*f, 3);
      // The last axis, and an operand alone: the first axis is the simplest.
      for (size_t k : {size_t{1}, all.size() - 1}) {
        auto c = batch(*f, all[std::min(k, all.size() - 1)], 3);
        if (c) check_code(*c);
        if (HasFailure()) return;
      }
      break;
    }
  report();
}

INSTANTIATE_TEST_SUITE_P(Table, BatchedRow, testing::ValuesIn(drawn_rows()),
                         [](const testing::TestParamInfo<const OpDef*>& info) {
                           return std::string(info.param->name);
                         });

}  // namespace
}  // namespace frit::test
