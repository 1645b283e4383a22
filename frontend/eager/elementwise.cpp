// Eager elementwise rows: axes that lie alike in all operands are made one, so that few structures serve all shapes.
#include "frontend/core/layout.h"
#include "frontend/core/short_axes.h"
#include "frontend/eager/eager.h"
#include "frontend/eager/rows.h"
#include "ir/base/per_thread.h"

namespace frit::detail {

namespace {

// The operands as the code of an elementwise row sees them, without their memory: jointly collapsible axes made one,
// axes of size 1 left out.
std::vector<runtime::Tensor> collapse(std::span<const runtime::Tensor> operands) {
  const runtime::Sizes& shape = operands[0].shape;
  std::vector<runtime::Tensor> out(operands.size());
  runtime::Sizes joined;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 1) continue;
    bool joins = !joined.empty();
    for (size_t i = 0; joins && i < operands.size(); ++i)
      joins = out[i].strides.back() == operands[i].strides[axis] * shape[axis];
    if (joins) {
      joined.back() *= shape[axis];
      for (size_t i = 0; i < operands.size(); ++i) out[i].strides.back() = operands[i].strides[axis];
    } else {
      joined.push_back(shape[axis]);
      for (size_t i = 0; i < operands.size(); ++i) out[i].strides.push_back(operands[i].strides[axis]);
    }
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    out[i].dtype = operands[i].dtype;
    out[i].shape = joined;
    out[i].offset = operands[i].offset;
  }
  return out;
}

bool is_dense(const runtime::Tensor& t) {
  int64_t step = 1;
  for (size_t i = t.shape.size(); i-- > 0;) {
    if (t.strides[i] != step) return false;
    step *= t.shape[i];
  }
  return true;
}

// Its memory is kept from call to call.
struct ElementwiseKeyNumbers {
  std::vector<int64_t> values;
};

// With `much_work`, short axes and small strides are numbers.
void describe(std::span<const runtime::Tensor> inputs, bool much_work, std::vector<int64_t>& numbers) {
  constexpr int64_t kDense = -1;  // no layout has this many axes
  numbers.clear();
  numbers.push_back(static_cast<int64_t>(inputs.size()));
  // Axes of one shape: the sizes of short ones, and 0 for any size.
  const runtime::Sizes& all = inputs[0].shape;
  numbers.push_back(static_cast<int64_t>(all.size()));
  for (size_t axis = 0; axis < all.size(); ++axis) numbers.push_back(much_work && is_short(all, axis) ? all[axis] : 0);
  for (const runtime::Tensor& t : inputs) {
    numbers.push_back(static_cast<int64_t>(t.dtype.val()));
    if (is_dense(t))
      numbers.push_back(kDense);
    else
      append_layout(numbers, t.strides, much_work);
  }
}

ExecutablePtr code_for_row(const RowCall& call, std::span<const runtime::Tensor> inputs) {
  std::vector<int64_t>& numbers = PerThread<ElementwiseKeyNumbers>::get().values;
  EagerCache& cache = EagerCache::instance();
  const auto key_of = [&](const std::vector<int64_t>& n) {
    return EagerKey{&call.def, &call.attrs, running_device(), n};
  };
  const runtime::Sizes& all = inputs[0].shape;
  bool much = has_much_work(all);
  describe(inputs, much, numbers);
  if (ExecutablePtr code = cache.find(key_of(numbers), {})) return code;
  if (much) {
    std::vector<int64_t> open;
    describe(inputs, false, open);
    much = open != numbers && cache.takes_short(key_of(open));
    if (!much) numbers = std::move(open);
    if (ExecutablePtr code = cache.find(key_of(numbers), {})) return code;
  }
  ir::Shape shape;
  for (size_t axis = 0; axis < all.size(); ++axis)
    shape.push_back(much && is_short(all, axis) ? Dim(all[axis]) : Dim::symbol("d" + std::to_string(axis)));
  std::vector<ir::Type> params;
  std::vector<ir::ParamLayout> layouts;
  DimFacts facts;
  for (size_t i = 0; i < inputs.size(); ++i) {
    params.push_back({inputs[i].dtype, shape});
    layouts.push_back(is_dense(inputs[i]) ? ir::ParamLayout{} : param_layout(inputs[i].strides, much, i, facts));
  }
  auto f = one_op(call.def, call.attrs, params, std::move(layouts), std::move(facts));
  auto code = f ? code_for(*std::move(f), CompileMode::enabled) : Result<ExecutablePtr>(f.error());
  if (!code) throw_runtime(code.error(), call.where);
  cache.add(key_of(numbers), {}, *code);
  return *std::move(code);
}

}  // namespace

void run_elementwise(const RowCall& call, std::span<runtime::Tensor> results) {
  const std::span<const runtime::Tensor> operands = call.operands;
  std::vector<runtime::Tensor> inputs = collapse(operands);
  const ExecutablePtr code = code_for_row(call, inputs);
  for (size_t i = 0; i < operands.size(); ++i) {
    // A donated operand's memory is held by the caller's tensor alone; a second reference here would forbid its reuse.
    auto& given = const_cast<runtime::Tensor&>(operands[i]);
    inputs[i].buffer = call.donated[i] ? std::move(given.buffer) : given.buffer;
  }
  try {
    execute(*code, inputs, call.donated, results, call.where);
  } catch (...) {
    for (size_t i = 0; i < operands.size(); ++i)
      if (call.donated[i]) const_cast<runtime::Tensor&>(operands[i]).buffer = std::move(inputs[i].buffer);
    throw;
  }
  for (size_t i = 0; i < results.size(); ++i) {
    // A row that is the identity for these types gives the operand itself, as it lies.
    results[i] = dense(results[i]);
    // Dense in the collapsed axes is dense in its own.
    const Shape shape = to_shape(call.types[i].shape);
    results[i].shape = sizes(shape);
    results[i].strides = row_major(shape);
  }
}

}  // namespace frit::detail
