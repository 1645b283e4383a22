// Helpers of the operation tests: one op on given tensors through the interpreter.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ir/graph/graph.h"
#include "ir/interpret/interpreter.h"

namespace frit::ir::testing {

inline Type type_of(const Tensor& t) { return {t.dtype, Shape(t.shape.begin(), t.shape.end())}; }

inline std::vector<ValueId> add_params(Function& f, const std::vector<Tensor>& inputs) {
  std::vector<ValueId> params;
  for (size_t i = 0; i < inputs.size(); ++i)
    params.push_back(f.add_param(std::string("x") + std::to_string(i), type_of(inputs[i])));
  return params;
}

inline Tensor run(std::string_view name, const std::vector<Tensor>& inputs, AttrMap attrs = {}) {
  Function f;
  f.name = "test";
  std::vector<ValueId> params = add_params(f, inputs);
  Builder b(f);
  auto built = b.try_build(op(name), params, std::move(attrs));
  if (!built.ok()) {
    ADD_FAILURE() << built.error().str();
    return {};
  }
  f.results = *built;
  auto out = interpret(f, inputs);
  if (!out.ok()) {
    ADD_FAILURE() << out.error().str();
    return {};
  }
  return (*out)[0];
}

// An elementwise row on single numbers.
inline double on(std::string_view name, Dtype t, const std::vector<double>& args, AttrMap attrs = {}) {
  std::vector<Tensor> inputs;
  for (double v : args) inputs.emplace_back(t, std::vector<int64_t>{}, std::vector<double>{v});
  return run(name, inputs, std::move(attrs)).at(0);
}

// The message of the build error, or "" if the build succeeds.
inline std::string error_of(std::string_view name, const std::vector<Type>& types, AttrMap attrs = {},
                            DimFacts facts = {}) {
  auto r = infer(op(name), {types, attrs, facts});
  return r.ok() ? "" : r.error().message;
}

inline Type infer_one(std::string_view name, const std::vector<Type>& types, AttrMap attrs = {}, DimFacts facts = {}) {
  auto r = infer(op(name), {types, attrs, facts});
  if (!r.ok()) {
    ADD_FAILURE() << r.error().str();
    return {};
  }
  return (*r)[0];
}

}  // namespace frit::ir::testing
