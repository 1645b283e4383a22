// Derivatives of every row in every float type, in complex numbers, of open sizes, in generated code, and twice.
// derivatives_test.cpp compares those in float64 with differences; here the other forms are compared with them.
#include <gtest/gtest.h>

#include "ir/graph/expression.h"
#include "ir/kernel/program.h"
#include "ir/text/printer.h"
#include "passes/transform/transform.h"
#include "support/smooth.h"
#include "support/ways.h"

namespace frit::test {
namespace {

using namespace ir;

using Tensors = std::vector<Tensor>;

std::vector<size_t> inexact(const Function& f, const std::vector<ValueId>& values) {
  std::vector<size_t> out;
  for (size_t i = 0; i < values.size(); ++i)
    if (is_inexact(f.type(values[i]).dtype)) out.push_back(i);
  return out;
}

Tensors joined(Tensors a, const Tensors& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Tensor widened(const Tensor& t) { return is_float(t.dtype) ? Tensor(float64, t.shape, t.values()) : t; }

double largest(const Tensors& all) {
  double most = 0;
  for (const Tensor& t : all)
    for (int64_t i = 0; i < t.size(); ++i)
      for (double part : parts_of(t, i))
        if (std::isfinite(part)) most = std::max(most, std::fabs(part));
  return most;
}

// The largest distance of elements, infinite where the shapes differ or one side alone is finite.
double distance(const Tensor& a, const Tensor& b) {
  if (a.shape != b.shape) return INFINITY;
  double most = 0;
  for (int64_t i = 0; i < a.size(); ++i) {
    const auto x = parts_of(a, i), y = parts_of(b, i);
    for (size_t part = 0; part < 2; ++part) {
      if (!std::isfinite(x[part]) && !std::isfinite(y[part])) continue;
      const double d = std::fabs(x[part] - y[part]);
      most = std::isnan(d) ? INFINITY : std::max(most, d);
    }
  }
  return most;
}

class DerivativeForms : public testing::TestWithParam<const OpDef*> {
 protected:
  const OpDef& def() const { return *GetParam(); }

  bool takes(Dtype type) const {
    return admits(def().domain, type) && !(def().routine && def().routine->takes && !def().routine->takes(type));
  }
  bool is_determined(size_t result) const { return !def().routine || (def().routine->determined >> result & 1); }

  // Operands, and a cotangent for each result: zeros where the result does not follow from the operands.
  Tensors operands(const Function& f, const SymbolValues& symbols = {}) {
    Tensors out;
    for (ValueId p : f.params) out.push_back(smooth_tensor(at_call(f.type(p), symbols), random_));
    if (def().routine && def().routine->operand_kind == OperandKind::Definite) make_definite(out[0]);
    return out;
  }
  Tensors cotangents(const Function& f, const SymbolValues& symbols = {}) {
    Tensors out;
    for (size_t i = 0; i < f.results.size(); ++i) {
      out.push_back(smooth_tensor(at_call(f.type(f.results[i]), symbols), random_));
      if (!is_determined(i)) out.back() = Tensor(out.back().dtype, out.back().shape);
    }
    return out;
  }
  Tensors tangents(const Function& f, const std::vector<size_t>& wrt, const SymbolValues& symbols = {}) {
    Tensors out;
    for (size_t i : wrt) out.push_back(smooth_tensor(at_call(f.type(f.params[i]), symbols), random_));
    return out;
  }

  // The code of `f` gives what its program's interpreter does, to the bit unless a library orders a computation.
  void check_code(const Function& f, const std::vector<Tensors>& calls, double tolerance) {
    if (!why_not_here().empty()) return;
    auto planned = plan(f, true);
    ASSERT_TRUE(planned.ok()) << planned.error().str() << "\n" << print(f);
    const bool library = std::any_of(planned->program->steps.begin(), planned->program->steps.end(), [](const Step& s) {
      const auto* step = std::get_if<LibraryStep>(&s);
      return step && !step->routine->exact;
    });
    auto code = codegen::build(*planned, target());
    ASSERT_TRUE(code.ok()) << code.error().str() << "\n" << print(f);
    for (Tensors inputs : calls) {
      auto arguments = place(f, inputs, random_);
      ASSERT_TRUE(arguments.ok()) << arguments.error().str() << "\n" << print(f);
      auto want = run_program(*planned, *arguments);
      auto got = run_code(**code, *arguments);
      ASSERT_TRUE(want.ok() && got.ok()) << (got.ok() ? want.error().str() : got.error().str()) << "\n" << print(f);
      const double size = 1 + largest(*want);
      for (size_t r = 0; r < want->size(); ++r) {
        if (library || on_gpu()) {
          ASSERT_LE(distance((*want)[r], (*got)[r]), tolerance * size) << "result " << r << "\n" << print(f);
        } else {
          ASSERT_EQ(difference((*want)[r], (*got)[r]), "") << "result " << r << "\n" << print(f);
        }
      }
    }
  }

  // `f` and the same in float64, of the same numbers, both ways.
  void check_against_float64(const Function& f, const Call& call, double epsilon) {
    const std::vector<size_t> wrt = inexact(f, f.params);
    Call wide = call;
    for (Type& t : wide.operands)
      if (is_float(t.dtype)) t.dtype = float64;
    for (const auto& [name, value] : call.attrs)
      if (const Dtype* type = std::get_if<Dtype>(&value); type && is_float(*type)) wide.attrs.set(name, float64);
    const Function g = one_row(def(), wide);
    if (wrt.empty() || g.results.empty() || inexact(f, f.results).empty()) return;
    const Tensors inputs = operands(f), behind = cotangents(f), along = tangents(f, wrt);
    for (bool backward : {true, false}) {
      auto narrow_function = backward ? passes::vjp(f, wrt) : passes::jvp(f, wrt);
      auto wide_function = backward ? passes::vjp(g, wrt) : passes::jvp(g, wrt);
      ASSERT_EQ(narrow_function.ok(), wide_function.ok()) << print(f);
      if (!narrow_function.ok()) return;
      const Tensors all = joined(inputs, backward ? behind : along);
      Tensors all_wide;
      for (const Tensor& t : all) all_wide.push_back(widened(t));
      auto narrow = interpret(*narrow_function, all);
      auto exact = interpret(*wide_function, all_wide);
      // A row may refuse these numbers.
      if (!narrow.ok() || !exact.ok()) return;
      const double size = largest(*exact) + largest(all);
      for (size_t r = f.results.size(); r < exact->size(); ++r) {
        const size_t operand_or_result = r - f.results.size();
        if (!backward && !is_determined(operand_or_result)) continue;
        EXPECT_EQ((*narrow)[r].dtype,
                  backward ? inputs[wrt[operand_or_result]].dtype : f.type(f.results[operand_or_result]).dtype);
        ASSERT_LE(distance((*narrow)[r], (*exact)[r]), 16 * epsilon * size)
            << (backward ? "vjp" : "jvp") << ", result " << r << "\n"
            << print(*narrow_function);
      }
      check_code(*narrow_function, {all}, 16 * epsilon);
      if (HasFatalFailure()) return;
      ++checked_;
    }
  }

  void report() {
    if (checked_ == 0) GTEST_SKIP() << "the row does not take these types, or has no derivative";
  }

  Random random_{35};
  size_t checked_ = 0;
};

TEST_P(DerivativeForms, InEveryFloatType) {
  const std::pair<Dtype, double> kTypes[] = {{float32, 0x1p-23}, {float16, 0x1p-10}, {bfloat16, 0x1p-7}};
  for (const auto& [type, epsilon] : kTypes) {
    if (!takes(type)) continue;
    for (const Shape& shape : {Shape{4, 6}, Shape{2, 3, 3}}) {
      auto call = draw_call(def(), {type, shape}, type, {}, random_);
      if (!call) continue;
      check_against_float64(one_row(def(), *call), *call, epsilon);
      if (HasFailure()) return;
    }
  }
  report();
}

// A cotangent and a tangent meet in Re(conj(a) b), and the jvp is what differences say in each direction.
TEST_P(DerivativeForms, InComplexNumbers) {
  if (!takes(complex64)) GTEST_SKIP() << "the row takes no complex numbers";
  for (const Shape& shape : {Shape{4, 6}, Shape{2, 3, 3}}) {
    auto call = draw_call(def(), {complex64, shape}, complex64, {}, random_);
    if (!call) continue;
    const Function f = one_row(def(), *call);
    const std::vector<size_t> wrt = inexact(f, f.params), wanted = inexact(f, f.results);
    if (wrt.empty() || wanted.empty()) continue;
    auto back = passes::vjp(f, wrt), forth = passes::jvp(f, wrt);
    ASSERT_EQ(back.ok(), forth.ok()) << print(f);
    if (!back.ok()) continue;
    const Tensors inputs = operands(f), behind = cotangents(f), along = tangents(f, wrt);
    auto g = interpret(*back, joined(inputs, behind));
    auto t = interpret(*forth, joined(inputs, along));
    if (!g.ok() || !t.ok()) continue;
    const double h = 1e-3;
    Tensors low = inputs, high = inputs;
    double right = 0, left = 0, slope = 0;
    for (size_t k = 0; k < wrt.size(); ++k) {
      right += inner((*g)[f.results.size() + k], along[k]);
      for (int64_t i = 0; i < along[k].size(); ++i) {
        const auto x = parts_of(inputs[wrt[k]], i), d = parts_of(along[k], i);
        const auto moved = [&](double by) {
          const auto part = [&](size_t p) {
            return uint64_t{std::bit_cast<uint32_t>(static_cast<float>(x[p] + by * d[p]))};
          };
          return is_complex(along[k].dtype) ? part(0) | part(1) << 32 : part(0);
        };
        low[wrt[k]].set_bits(i, moved(-h));
        high[wrt[k]].set_bits(i, moved(h));
      }
    }
    auto a = interpret(f, low), b = interpret(f, high);
    if (!a.ok() || !b.ok()) continue;
    bool differs = true;
    for (size_t i : wanted) {
      if (!is_determined(i)) continue;
      left += inner((*t)[f.results.size() + i], behind[i]);
      slope += (inner((*b)[i], behind[i]) - inner((*a)[i], behind[i])) / (2 * h);
    }
    if (!std::isfinite(slope)) continue;
    // Factors of definite matrices move in directions that keep them so.
    if (def().routine && def().routine->operand_kind == OperandKind::Definite) differs = false;
    const double size = 1 + std::fabs(left) + largest(*g) + largest(*b) * static_cast<double>((*b)[0].size());
    EXPECT_NEAR(left, right, 2e-5 * size) << "jvp and vjp\n" << print(*back) << print(*forth);
    if (differs && !def().has(kNoGradient)) {
      EXPECT_NEAR(left, slope, 2e-3 * size) << "jvp and differences\n" << print(*forth);
    }
    check_code(*back, {joined(inputs, behind)}, 1e-5);
    if (HasFailure()) return;
    ++checked_;
  }
  report();
}

// One derivative for all sizes has the values of the derivative for each.
TEST_P(DerivativeForms, OfOpenSizes) {
  const Dim n = Dim::symbol("n"), m = Dim::symbol("m");
  DimFacts facts;
  for (const char* s : {"n", "m"}) facts.set_range(s, {1, 100});
  for (const Shape& shape : {Shape{n, m}, Shape{2, n, 3}}) {
    auto call = draw_call(def(), {float32, shape}, float32, facts, random_);
    if (!call) continue;
    DimFacts used;
    for (const char* s : {"n", "m"})
      if (std::any_of(call->operands.begin(), call->operands.end(), [&](const Type& t) {
            return std::any_of(t.shape.begin(), t.shape.end(), [&](const Dim& d) { return d.uses(s); });
          }))
        used.set_range(s, {1, 100});
    const Function f = one_row(def(), *call, used);
    const std::vector<size_t> wrt = inexact(f, f.params);
    if (wrt.empty() || inexact(f, f.results).empty()) continue;
    for (bool backward : {true, false}) {
      auto open = backward ? passes::vjp(f, wrt) : passes::jvp(f, wrt);
      std::vector<Tensors> calls;
      for (const SymbolValues& symbols : {SymbolValues{{"n", 4}, {"m", 4}}, SymbolValues{{"n", 3}, {"m", 7}}}) {
        std::vector<Type> types;
        for (ValueId p : f.params) types.push_back(at_call(f.type(p), symbols));
        if (!infer(def(), {types, at_call(f.ops[0].attrs, symbols), {}}).ok()) continue;
        auto fixed = specialise(f, symbols);
        ASSERT_TRUE(fixed.ok()) << fixed.error().str() << print(f);
        auto closed = backward ? passes::vjp(*fixed, wrt) : passes::jvp(*fixed, wrt);
        ASSERT_EQ(open.ok(), closed.ok()) << (open.ok() ? closed.error().str() : open.error().str()) << print(f);
        if (!open.ok()) continue;
        const Tensors all = joined(operands(f, symbols), backward ? cotangents(f, symbols) : tangents(f, wrt, symbols));
        auto want = interpret(*closed, all), got = interpret(*open, all);
        if (!want.ok()) continue;
        ASSERT_TRUE(got.ok()) << got.error().str() << print(*open);
        const double size = largest(*want) + largest(all);
        for (size_t r = 0; r < want->size(); ++r)
          ASSERT_LE(distance((*want)[r], (*got)[r]), 0x1p-19 * size) << "result " << r << "\n" << print(*open);
        calls.push_back(all);
      }
      if (calls.empty()) continue;
      check_code(*open, calls, 0x1p-19);
      if (HasFatalFailure()) return;
      ++checked_;
    }
  }
  report();
}

// The derivative of a gradient along a direction is what differences of the gradient say.
TEST_P(DerivativeForms, Twice) {
  if (!takes(float64)) GTEST_SKIP() << "the row takes no float64";
  for (const Shape& shape : {Shape{4, 6}, Shape{2, 3, 3}}) {
    auto call = draw_call(def(), {float64, shape}, float64, {}, random_);
    if (!call) continue;
    const Function f = one_row(def(), *call);
    const std::vector<size_t> wrt = inexact(f, f.params);
    if (wrt.empty() || inexact(f, f.results).empty()) continue;
    auto back = passes::vjp(f, wrt);
    if (!back.ok()) continue;
    auto forth = passes::jvp(*back, wrt), again = passes::vjp(*back, wrt);
    ASSERT_EQ(forth.ok(), again.ok()) << print(*back);
    if (!forth.ok()) {
      EXPECT_NE(forth.error().message.find("has no derivative"), std::string::npos) << forth.error().str();
      continue;
    }
    const Tensors inputs = joined(operands(f), cotangents(f)), along = tangents(f, wrt);
    Tensors weights;  // of the gradients; the results of `f` have none
    for (size_t r = 0; r < back->results.size(); ++r) {
      const Type& type = back->type(back->results[r]);
      weights.push_back(smooth_tensor(type, random_));
      if (r < f.results.size()) weights.back() = Tensor(type.dtype, weights.back().shape);
    }
    auto t = interpret(*forth, joined(inputs, along)), g = interpret(*again, joined(inputs, weights));
    if (!t.ok() || !g.ok()) continue;
    const double h = 1e-6;
    Tensors low = inputs, high = inputs;
    double left = 0, right = 0, slope = 0;
    for (size_t k = 0; k < wrt.size(); ++k) {
      right += inner((*g)[back->results.size() + k], along[k]);
      for (int64_t i = 0; i < along[k].size(); ++i) {
        const double x = inputs[wrt[k]].at(i), d = h * along[k].at(i);
        low[wrt[k]].set_bits(i, std::bit_cast<uint64_t>(x - d));
        high[wrt[k]].set_bits(i, std::bit_cast<uint64_t>(x + d));
      }
    }
    auto a = interpret(*back, low), b = interpret(*back, high);
    if (!a.ok() || !b.ok()) continue;
    double size = 1;
    for (size_t r = f.results.size(); r < back->results.size(); ++r) {
      left += inner((*t)[back->results.size() + r], weights[r]);
      slope += (inner((*b)[r], weights[r]) - inner((*a)[r], weights[r])) / (2 * h);
      size += largest({(*b)[r]}) * static_cast<double>((*b)[r].size());
    }
    if (!std::isfinite(slope)) continue;
    size += std::fabs(left);
    // Symmetric directions alone keep a matrix in what the factorisations read.
    const bool definite = def().routine && def().routine->operand_kind == OperandKind::Definite;
    EXPECT_NEAR(left, right, 1e-9 * size) << "jvp and vjp of the gradient\n" << print(*back);
    if (!def().has(kNoGradient) && !definite) {
      EXPECT_NEAR(left, slope, 1e-5 * size) << "jvp and differences of the gradient\n" << print(*back);
    }
    if (HasFailure()) return;
    ++checked_;
  }
  report();
}

INSTANTIATE_TEST_SUITE_P(Table, DerivativeForms, testing::ValuesIn(drawn_rows()),
                         [](const testing::TestParamInfo<const OpDef*>& info) {
                           return std::string(info.param->name);
                         });

}  // namespace
}  // namespace frit::test
