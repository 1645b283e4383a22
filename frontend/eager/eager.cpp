// Which way a row is run eagerly; views, and what all ways share.
#include "frontend/eager/eager.h"

#include <algorithm>

#include "frontend/core/region_marks.h"
#include "frontend/eager/rows.h"

namespace frit::detail {

void execute(const runtime::Executable& code, std::span<const runtime::Tensor> inputs, std::span<const bool> donated,
             std::span<runtime::Tensor> results, const Where& where) {
  if (Status status = code.run(inputs, donated, results); !status) throw_runtime(status.error(), where);
}

Result<ir::Function> one_op(const ir::OpDef& def, const ir::AttrMap& attrs, const std::vector<ir::Type>& params,
                            std::vector<ir::ParamLayout> layouts, DimFacts facts) {
  ir::Function f;
  f.name = def.name;
  f.facts = std::move(facts);
  std::vector<ir::ValueId> operands;
  for (size_t i = 0; i < params.size(); ++i) operands.push_back(f.add_param("x" + std::to_string(i), params[i]));
  f.layouts = std::move(layouts);
  if (def.arity >= 0) operands.resize(static_cast<size_t>(def.arity));
  ir::Builder builder(f);
  FRIT_ASSIGN_OR_RETURN(results, builder.try_build(def, std::move(operands), attrs));
  f.results = std::move(results);
  return f;
}

namespace {

// A result that is a window on the operand's memory.
bool run_view(const ir::OpDef& def, const ir::AttrMap& attrs, const ir::Type& type, const runtime::Tensor& operand,
              runtime::Tensor& result) {
  ir::Op op;
  op.def = &def;
  op.attrs = attrs;
  ir::Layout in{
      {operand.shape.begin(), operand.shape.end()}, {operand.strides.begin(), operand.strides.end()}, operand.offset};
  static const DimFacts no_facts;
  const auto layout = def.view(op, in, type, no_facts);
  if (!layout) return false;
  result.buffer = operand.buffer;
  result.dtype = type.dtype;
  result.shape.clear();
  result.strides.clear();
  for (const Dim& d : layout->shape) result.shape.push_back(d.value());
  for (const Dim& d : layout->strides) result.strides.push_back(d.value());
  result.offset = layout->offset.value();
  return true;
}

}  // namespace

runtime::Tensor dense(const runtime::Tensor& t) {
  if (is_row_major(t)) return t;
  static const ir::OpDef& contiguous = ir::op("contiguous");
  const ir::Type type{t.dtype, {t.shape.begin(), t.shape.end()}};
  runtime::Tensor result;
  static const ir::AttrMap no_attrs;
  const bool keep = false;
  const Where nowhere;
  run_elementwise({contiguous, no_attrs, {&type, 1}, {&t, 1}, {&keep, 1}, nowhere}, {&result, 1});
  return result;
}

void run_row(const ir::OpDef& def, const ir::AttrMap& attrs, std::span<const ir::Type> types,
             std::span<const runtime::Tensor> operands, std::span<const bool> donated,
             std::span<runtime::Tensor> results, const Where& where) {
  if (def.view) {
    if (run_view(def, attrs, types[0], operands[0], results[0])) return;
    const runtime::Tensor copy = dense(operands[0]);
    if (run_view(def, attrs, types[0], copy, results[0])) return;
  }
  const bool nothing = std::all_of(types.begin(), types.end(), [](const ir::Type& t) { return t.size().is(0); });
  if (nothing) {
    for (size_t i = 0; i < types.size(); ++i) results[i] = allocate(types[i].dtype, to_shape(types[i].shape));
    return;
  }
  const RowCall call{def, attrs, types, operands, donated, where};
  if (def.kind == ir::OpKind::Elementwise) return run_elementwise(call, results);
  if (run_windows(call, results[0])) return;
  run_general(call, results);
}

void RowOperation::run(std::span<runtime::Tensor> inputs, std::span<const bool> donated,
                       std::span<runtime::Tensor> outputs) {
  const DeviceScope scope(device);
  if (!rules.empty()) return run_row(def, without_marks(attrs), types, inputs, donated, outputs, where);
  run_row(def, attrs, types, inputs, donated, outputs, where);
}

}  // namespace frit::detail
