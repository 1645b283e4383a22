// The two halves of vectorisation over vmap.
#include "frontend/c/batching.h"

#include <algorithm>

namespace frit::c {

// The closure of a trace, and the identities of its results.
struct BatchTrace {
  std::function<Arrays(const Arrays&)> fun;
  std::vector<std::uintptr_t> outputs;
};

void trace_batch(mlx_vector_array* inputs_to, mlx_vector_array* outputs_to, const ClosureObject& fun,
                 const Arrays& inputs, std::vector<int> in_axes) {
  if (in_axes.size() != inputs.size())
    throw InvalidArgument("there are " + std::to_string(in_axes.size()) + " axes for " + std::to_string(inputs.size()) +
                          " inputs");
  pointer(outputs_to, "res_1");
  Arrays elements;
  for (size_t i = 0; i < inputs.size(); ++i)
    elements.push_back(in_axes[i] == -1 ? inputs[i] : take(inputs[i], 0, in_axes[i], StreamOrDevice(kNowhere)));
  Arrays outputs = fun.value(elements);
  auto trace = std::make_shared<BatchTrace>();
  trace->fun = fun.value;
  for (const array& a : outputs) trace->outputs.push_back(a.id());
  put_both(inputs_to, {std::move(elements), trace}, outputs_to, {std::move(outputs), trace});
}

Arrays replace_batch(const Arrays& inputs, const ArraysObject& traced_inputs, const ArraysObject& traced_outputs,
                     const std::vector<int>& in_axes, const std::vector<int>& out_axes) {
  const auto& trace = traced_outputs.batch ? traced_outputs.batch : traced_inputs.batch;
  if (!trace)
    throw InvalidArgument("neither 's_inputs' nor 's_outputs' is a list of mlx_detail_vmap_trace",
                          "pass the lists on, or copies of them by mlx_vector_array_set");
  std::vector<size_t> asked;
  for (const array& a : traced_outputs.value) {
    const auto found = std::find(trace->outputs.begin(), trace->outputs.end(), a.id());
    if (found == trace->outputs.end()) throw InvalidArgument("'s_outputs' has an array that is no result of the trace");
    asked.push_back(static_cast<size_t>(found - trace->outputs.begin()));
  }
  const auto fun = [trace, asked](const Arrays& elements) {
    const Arrays all = trace->fun(elements);
    Arrays some;
    for (size_t i : asked) some.push_back(all.at(i));
    return some;
  };
  return vmap(std::function<Arrays(const Arrays&)>(fun), in_axes, out_axes, kNowhere)(inputs);
}

}  // namespace frit::c
