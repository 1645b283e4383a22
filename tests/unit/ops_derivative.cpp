// Every derivative text and every vjp rule against finite differences through the interpreter.
#include <cmath>
#include <complex>
#include <map>

#include "ir/graph/expression.h"
#include "ir/routines/host_window.h"
#include "ops_support.h"

namespace frit::ir {
namespace {

using testing::add_params;
using testing::run;

// Points where a row is smooth, for each operand.
std::vector<std::vector<double>> points(const OpDef& def) {
  if (def.name == "arccosh") return {{1.25, 2.5, 4.0}};
  if (def.name == "clip") return {{0.1, 0.4, 0.9}, {0.2, 0.2, 0.5}, {0.7, 0.8, 0.7}};
  return {{0.35, 0.62, 0.85, 0.2}, {0.47, 0.9, 0.3, 1.7}, {0.5, 0.25, 0.75, 0.4}};
}

TEST(OpsDerivative, TextsAgreeWithDifferences) {
  int count = 0;
  for (const OpDef* def : OpTable::instance().all()) {
    for (size_t i = 0; i < def->derivatives.size(); ++i) {
      if (def->derivatives[i].empty()) continue;
      SCOPED_TRACE(std::string(def->name) + ", operand " + std::to_string(i));
      auto all = points(*def);
      std::vector<Tensor> inputs;
      auto n = static_cast<int64_t>(all[0].size());
      for (int k = 0; k < def->arity; ++k)
        inputs.emplace_back(float64, std::vector<int64_t>{n}, all[static_cast<size_t>(k)]);
      if (def->name == "select") inputs[0] = Tensor(bool_, {n}, {1, 0, 1, 0});
      Function f;
      std::vector<ValueId> params = add_params(f, inputs);
      Builder b(f);
      ValueId out = b.build(*def, params);
      f.results = {derivative(b, *def, static_cast<int>(i), params, out)};
      auto got = interpret(f, inputs);
      ASSERT_TRUE(got.ok()) << got.error().str();
      const double h = 1e-6;
      std::vector<Tensor> low = inputs, high = inputs;
      for (int64_t k = 0; k < n; ++k) {
        double v = inputs[i].at(k);
        low[i].set_bits(k, double_to_bits(float64, v - h));
        high[i].set_bits(k, double_to_bits(float64, v + h));
      }
      Tensor a = run(def->name, low), c = run(def->name, high);
      for (int64_t k = 0; k < n; ++k) {
        double want = (c.at(k) - a.at(k)) / (2 * h);
        EXPECT_NEAR((*got)[0].at(k), want, 1e-7 + 1e-6 * std::fabs(want)) << "at " << inputs[i].at(k);
        ++count;
      }
    }
  }
  EXPECT_GT(count, 150);
}

// Complex-differentiable rows have the same derivative along both axes of the plane.
TEST(OpsDerivative, TextsHoldForComplexNumbers) {
  using C = std::complex<double>;
  auto value = [](const Tensor& t) {
    uint64_t bits = t.bits(0);
    return C(std::bit_cast<float>(static_cast<uint32_t>(bits)),
             std::bit_cast<float>(static_cast<uint32_t>(bits >> 32)));
  };
  auto tensor = [](C v) {
    Tensor t(complex64, {});
    t.set_bits(0, Literal::scalar_complex(static_cast<float>(v.real()), static_cast<float>(v.imag())).bits());
    return t;
  };
  for (const OpDef* def : OpTable::instance().all()) {
    if (!admits(def->domain, complex64) || def->result != ResultType::Same || def->name == "select") continue;
    for (size_t i = 0; i < def->derivatives.size(); ++i) {
      SCOPED_TRACE(std::string(def->name) + ", operand " + std::to_string(i));
      std::vector<C> at = {{0.5, 0.75}, {0.25, -0.5}};
      if (def->name == "maximum" || def->name == "minimum") at[1] = {0.9, 0.1};
      std::vector<Tensor> inputs;
      for (int k = 0; k < def->arity; ++k) inputs.push_back(tensor(at[static_cast<size_t>(k)]));
      Function f;
      std::vector<ValueId> params = add_params(f, inputs);
      Builder b(f);
      ValueId out = b.build(*def, params);
      f.results = {derivative(b, *def, static_cast<int>(i), params, out)};
      auto got = interpret(f, inputs);
      ASSERT_TRUE(got.ok()) << got.error().str();
      for (C h : {C(0x1p-7, 0), C(0, 0x1p-7)}) {
        std::vector<Tensor> low = inputs, high = inputs;
        low[i] = tensor(at[i] - h), high[i] = tensor(at[i] + h);
        C want = (value(run(def->name, high)) - value(run(def->name, low))) / (2.0 * h);
        EXPECT_LE(std::abs(value((*got)[0]) - want), 2e-3 * (1 + std::abs(want)))
            << value((*got)[0]) << " not " << want;
      }
    }
  }
}

// ---- vjp rules ----

// d(sum(w * op(inputs))) / d inputs[i] by the rule and by differences.
void check_vjp(std::string_view name, const std::vector<Tensor>& inputs, AttrMap attrs = {}, double h = 1e-6,
               double tolerance = 1e-6) {
  SCOPED_TRACE(name);
  const OpDef& def = op(name);
  ASSERT_NE(def.vjp, nullptr);
  Tensor out = run(name, inputs, attrs);
  Tensor w(out.dtype, out.shape);
  for (int64_t k = 0; k < w.size(); ++k) w.set_bits(k, Literal::scalar(w.dtype, 0.3 + 0.17 * double(k % 7)).bits());
  std::vector<Tensor> all = inputs;
  all.push_back(w);
  Function f;
  std::vector<ValueId> params = add_params(f, all);
  ValueId cotangent = params.back();
  params.pop_back();
  Builder b(f);
  std::vector<ValueId> results = *b.try_build(def, params, attrs);
  const Op made = f.ops.back();
  const std::vector<ValueId> found = def.vjp(b, made, params, results, std::vector<ValueId>{cotangent});
  ASSERT_EQ(found.size(), params.size());
  std::vector<size_t> place;  // of each operand among the results; operands of positions have none
  for (ValueId v : found) {
    place.push_back(f.results.size());
    if (v != kNone) f.results.push_back(v);
  }
  auto got = interpret(f, all);
  ASSERT_TRUE(got.ok()) << got.error().str();
  auto loss = [&](const std::vector<Tensor>& x) {
    Tensor y = run(name, x, attrs);
    double sum = 0;
    for (int64_t k = 0; k < y.size(); ++k) sum += y.at(k) * w.at(k);
    return sum;
  };
  for (size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_EQ(found[i] == kNone, is_int(inputs[i].dtype));
    if (found[i] == kNone) continue;
    const Tensor& gradient = (*got)[place[i]];
    EXPECT_EQ(gradient.shape, inputs[i].shape);
    EXPECT_EQ(gradient.dtype, inputs[i].dtype);
    for (int64_t k = 0; k < inputs[i].size(); ++k) {
      std::vector<Tensor> low = inputs, high = inputs;
      low[i].set_bits(k, double_to_bits(inputs[i].dtype, inputs[i].at(k) - h));
      high[i].set_bits(k, double_to_bits(inputs[i].dtype, inputs[i].at(k) + h));
      EXPECT_NEAR(gradient.at(k), (loss(high) - loss(low)) / (2 * h), tolerance)
          << "operand " << i << ", element " << k;
    }
  }
}

Tensor ramp(std::vector<int64_t> shape) {
  Tensor t(float64, std::move(shape));
  for (int64_t k = 0; k < t.size(); ++k) t.set_bits(k, double_to_bits(float64, 0.5 + 0.37 * double((5 * k) % 11)));
  return t;
}

Dims dims(std::vector<int64_t> v) { return to_dims(v); }

TEST(OpsDerivative, VjpOfRowsWithPositions) {
  const Tensor rows(int32, {4}, {2, 0, -1, 2}), far(int8, {2, 2}, {1, 9, -7, 1});
  const AttrMap first{{"axes", dims({0})}};
  check_vjp("gather", {ramp({3, 4}), rows}, {{"axes", dims({0})}, {"slice_sizes", dims({1, -1})}});
  check_vjp("gather", {ramp({3, 4}), far, far}, {{"axes", dims({1, 0})}, {"slice_sizes", dims({2, 3})}});
  check_vjp("take_along_axis", {ramp({2, 3}), far}, {{"axis", Dim(1)}});
  check_vjp("slice_update", {ramp({5, 3}), ramp({2, 2})},
            {{"start", dims({4, 0})}, {"stop", dims({1, 3})}, {"strides", dims({-2, 2})}});
  for (const char* name : {"scatter", "scatter_add", "scatter_prod"}) {
    check_vjp(name, {ramp({3, 4}), rows, ramp({4, 1, 4})}, first);
    check_vjp(name, {ramp({3, 4}), far, ramp({2, 2, 2, 3})}, first, 1e-6, 1e-5);
  }
  for (const char* name : {"put_along_axis", "scatter_add_axis"})
    check_vjp(name, {ramp({2, 3}), far, ramp({2, 2})}, {{"axis", Dim(1)}});
  // Different values, so that every extreme is attained once.
  Tensor updates(float64, {4, 1}, {0.1, 5, 1.7, 2.2});
  for (const char* name : {"scatter_max", "scatter_min"}) check_vjp(name, {ramp({3}), rows, updates}, first);
}

TEST(OpsDerivative, VjpOfScans) {
  for (const char* name : {"cumsum", "cumprod", "cummax", "cummin", "logcumsumexp"})
    for (bool reverse : {false, true})
      for (bool inclusive : {false, true}) {
        if (!inclusive && name[3] == 'm') continue;  // an exclusive extreme begins with an infinity
        if (!inclusive && name[0] == 'l') continue;
        const AttrMap along{{"axis", Dim(1)}, {"reverse", reverse}, {"inclusive", inclusive}};
        check_vjp(name, {ramp({2, 5, 2})}, along, 1e-6, 1e-5);
        if (name[3] == 'm' || name[0] == 'l') continue;
        check_vjp(name, {Tensor(float64, {1, 6}, {2, 3, 0, 0.5, 0, 4})}, along, 1e-6, 1e-5);
      }
}

TEST(OpsDerivative, VjpOfShapeRows) {
  check_vjp("broadcast", {ramp({3, 1})}, {{"shape", dims({2, 3, 4})}});
  check_vjp("reshape", {ramp({2, 6})}, {{"shape", dims({3, 4})}});
  check_vjp("transpose", {ramp({2, 3, 2})}, {{"axes", dims({2, 0, 1})}});
  check_vjp("slice", {ramp({7, 3})}, {{"start", dims({1, 0})}, {"stop", dims({6, 3})}, {"strides", dims({2, 1})}});
  check_vjp("slice", {ramp({7, 3})}, {{"start", dims({6, 2})}, {"stop", dims({0, -1})}, {"strides", dims({-3, -1})}});
  check_vjp("slice", {ramp({4})}, {{"start", dims({2})}, {"stop", dims({2})}});
  Tensor fill(float64, {}, {0.25});
  check_vjp("pad", {ramp({3, 2}), fill}, {{"low", dims({1, 0})}, {"high", dims({2, 1})}});
  check_vjp("pad", {ramp({3, 2}), fill}, {{"low", dims({1, -1})}, {"high", dims({0, 3})}, {"interior", dims({2, 1})}});
  check_vjp("concatenate", {ramp({2, 2}), ramp({2, 3}), ramp({2, 1})}, {{"axis", Dim(1)}});
}

TEST(OpsDerivative, VjpOfReductions) {
  for (bool keepdims : {false, true})
    for (const Dims& axes : {dims({0}), dims({1}), dims({0, 2}), dims({0, 1, 2}), dims({})})
      for (std::string_view name : {"sum", "prod", "max", "min"})
        check_vjp(name, {ramp({2, 3, 1})}, {{"axes", axes}, {"keepdims", keepdims}}, 1e-6, 1e-5);
  Tensor zeros(float64, {3, 3}, {0, 2, 3, 0, 0, 5, 1, 2, 3});
  check_vjp("prod", {zeros}, {{"axes", dims({1})}});
}

TEST(OpsDerivative, VjpOfMatmulAndConversions) {
  check_vjp("matmul", {ramp({2, 2, 3}), ramp({2, 3, 4})});
  Tensor x(float32, {3}, {0.5, 1.5, 2.5});
  check_vjp("astype", {x}, {{"dtype", float64}}, 1e-3, 1e-3);
  check_vjp("copy", {ramp({3})});
  check_vjp("contiguous", {ramp({3})});
  check_vjp("real", {ramp({3})});
  check_vjp("imag", {ramp({3})});
  check_vjp("conjugate", {ramp({3})});
}

TEST(OpsDerivative, VjpOfSorting) {
  check_vjp("sort", {ramp({2, 5})});
  check_vjp("partition", {ramp({2, 5})}, {{"kth", Dim(2)}});
  check_vjp("topk", {ramp({2, 5})}, {{"k", Dim(2)}});
  check_vjp("topk", {ramp({2, 5})}, {{"k", Dim(0)}});
}

// Two symmetric matrices with a diagonal that dominates.
Tensor definite() {
  Tensor t(float64, {2, 3, 3});
  for (int64_t k = 0; k < t.size(); ++k) {
    const int64_t i = k / 3 % 3, j = k % 3;
    t.set_bits(k, double_to_bits(float64, i == j ? 4.0 + double(k % 5) : 0.25 * double(i + j + k / 9)));
  }
  return t;
}

TEST(OpsDerivative, VjpOfLinearAlgebra) {
  check_vjp("inv", {definite()});
  check_vjp("solve", {definite(), ramp({2, 3, 4})});
  for (bool upper : {false, true}) {
    check_vjp("tri_inv", {definite()}, {{"upper", upper}});
    check_vjp("solve_triangular", {definite(), ramp({2, 3, 2})}, {{"upper", upper}});
  }
}

// The rule is for changes that keep the matrix symmetric: it shares each one's cotangent between both triangles.
TEST(OpsDerivative, VjpOfCholesky) {
  for (bool upper : {false, true}) {
    const Tensor a = definite();
    Tensor w(float64, a.shape);
    for (int64_t k = 0; k < w.size(); ++k) w.set_bits(k, double_to_bits(float64, 0.3 + 0.17 * double(k % 7)));
    const AttrMap attrs{{"upper", upper}};
    Function f;
    std::vector<ValueId> params = add_params(f, {a, w});
    Builder b(f);
    const std::vector<ValueId> results = *b.try_build(op("cholesky"), {params[0]}, attrs);
    const Op made = f.ops.back();
    f.results = op("cholesky").vjp(b, made, std::vector<ValueId>{params[0]}, results, std::vector<ValueId>{params[1]});
    const auto got = interpret(f, {a, w});
    ASSERT_TRUE(got.ok()) << got.error().str();
    const auto loss = [&](int64_t i, int64_t j, double h) {
      Tensor x = a;
      for (int64_t at : {i * 3 + j, j * 3 + i}) x.set_bits(at, double_to_bits(float64, a.at(at) + h));
      const Tensor l = run("cholesky", {x}, attrs);
      double sum = 0;
      for (int64_t k = 0; k < l.size(); ++k) sum += l.at(k) * w.at(k);
      return sum;
    };
    for (int64_t i = 0; i < 3; ++i)
      for (int64_t j = 0; j <= i; ++j) {
        const double want = (loss(i, j, 1e-6) - loss(i, j, -1e-6)) / 2e-6;
        const double own = (*got)[0].at(i * 3 + j) + (i == j ? 0 : (*got)[0].at(j * 3 + i));
        EXPECT_NEAR(own, want, 1e-6) << i << ", " << j;
      }
  }
}

// <w, F x> for real and complex operands: the rule is the adjoint, Re <w, F x> = Re <vjp(w), x>, as F is linear.
TEST(OpsDerivative, VjpOfTransformsIsTheAdjoint) {
  const auto drawn = [](Dtype t, std::vector<int64_t> shape, double phase) {
    Tensor x(t, std::move(shape));
    for (int64_t k = 0; k < x.size(); ++k) {
      const auto re = static_cast<float>(std::sin(phase + 1.7 * double(k))),
                 im = static_cast<float>(std::cos(3.1 * double(k)));
      x.set_bits(k, is_complex(t) ? Literal::scalar_complex(re, im).bits() : Literal::scalar(t, re).bits());
    }
    return x;
  };
  const auto dot = [](const Tensor& a, const Tensor& b) {
    const auto parts = [](const Tensor& t, int64_t k) {
      return is_complex(t.dtype) ? bits_to_complex(t.bits(k)) : std::complex<double>(t.at(k));
    };
    double sum = 0;
    for (int64_t k = 0; k < a.size(); ++k) sum += (std::conj(parts(a, k)) * parts(b, k)).real();
    return sum;
  };
  const auto check = [&](std::string_view name, const Tensor& x, const AttrMap& attrs) {
    SCOPED_TRACE(name);
    const Tensor y = run(name, {x}, attrs), w = drawn(y.dtype, y.shape, 0.4);
    Function f;
    std::vector<ValueId> params = add_params(f, {x, w});
    Builder b(f);
    const std::vector<ValueId> results = *b.try_build(op(name), {params[0]}, attrs);
    const Op made = f.ops.back();
    f.results = op(name).vjp(b, made, std::vector<ValueId>{params[0]}, results, std::vector<ValueId>{params[1]});
    const auto got = interpret(f, {x, w});
    ASSERT_TRUE(got.ok()) << got.error().str();
    EXPECT_NEAR(dot(w, y), dot((*got)[0], x), 1e-4);
  };
  for (int64_t norm : {0, 1, 2})
    for (int64_t n : {1, 2, 5, 6}) {
      const Dim mode(norm);
      for (bool inverse : {false, true})
        check("fft", drawn(complex64, {2, n}, 0), {{"inverse", inverse}, {"norm", mode}});
      check("rfft", drawn(float32, {2, n}, 0), {{"norm", mode}});
      // The imaginary parts that the transform does not read are no matter: their cotangent is zero.
      check("irfft", drawn(complex64, {2, n / 2 + 1}, 0), {{"n", Dim(n)}, {"norm", mode}});
    }
}

TEST(OpsDerivative, MissingTextsGiveZero) {
  Function f;
  Tensor x(float32, {2}, {1.5, 2.5});
  std::vector<ValueId> params = add_params(f, {x});
  Builder b(f);
  ValueId out = b.build("floor", {params[0]});
  f.results = {derivative(b, op("floor"), 0, params, out)};
  EXPECT_EQ((*interpret(f, {x}))[0].values(), (std::vector<double>{0, 0}));
}

}  // namespace
}  // namespace frit::ir
