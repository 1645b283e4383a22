// The Builder, which appends ops to a function and infers their types.
#include <cstdio>
#include <cstdlib>

#include "ir/graph/graph.h"

namespace frit::ir {

Result<std::vector<ValueId>> Builder::try_build(const OpDef& def, std::vector<ValueId> operands, AttrMap attrs) {
  std::vector<Type> types;
  types.reserve(operands.size());
  for (ValueId v : operands) types.push_back(f_.type(v));
  fill_defaults(def, attrs);
  auto inferred = infer(def, {types, attrs, f_.facts});
  if (!inferred.ok()) {
    if (!inferred.error().loc.known()) inferred.error().loc = loc;
    return std::move(inferred.error());
  }
  auto index = static_cast<uint32_t>(f_.ops.size());
  std::vector<ValueId> results;
  results.reserve(inferred->size());
  for (Type& type : *inferred) {
    results.push_back(static_cast<ValueId>(f_.values.size()));
    f_.values.push_back({std::move(type), index, static_cast<uint32_t>(results.size() - 1), {}});
  }
  f_.ops.push_back({&def, std::move(operands), std::move(attrs), results, loc});
  return results;
}

ValueId Builder::build(const OpDef& def, std::vector<ValueId> operands, AttrMap attrs) {
  auto results = try_build(def, std::move(operands), std::move(attrs));
  if (!results.ok()) {
    std::fprintf(stderr, "frit: internal error: %s\n", results.error().str().c_str());
    std::abort();
  }
  return results->empty() ? kNone : results->front();
}

ValueId Builder::build(std::string_view op_name, std::vector<ValueId> operands, AttrMap attrs) {
  return build(op(op_name), std::move(operands), std::move(attrs));
}

ValueId Builder::constant(Literal literal, Shape shape) {
  AttrMap attrs{{"value", std::move(literal)}};
  if (!shape.empty()) attrs.set("shape", Dims(std::move(shape)));
  return build("constant", {}, std::move(attrs));
}

ValueId Builder::scalar(Dtype dtype, double value) { return constant(Literal::scalar(dtype, value)); }

ValueId Builder::splat(double value, const Type& type) {
  const Shape shape = type.shape;  // a copy: `type` may belong to a value, which moves when a value is added
  return broadcast(scalar(type.dtype, value), shape);
}

ValueId Builder::broadcast(ValueId v, const Shape& shape) {
  return type(v).shape == shape ? v : build("broadcast", {v}, {{"shape", Dims(shape)}});
}

ValueId Builder::cast(ValueId v, Dtype dtype) {
  return type(v).dtype == dtype ? v : build("astype", {v}, {{"dtype", dtype}});
}

}  // namespace frit::ir
