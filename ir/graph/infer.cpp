// Type inference by rows, and checks of attributes.
#include <algorithm>

#include "ir/base/suggest.h"
#include "ir/graph/expression.h"
#include "ir/graph/op.h"

namespace frit::ir {
namespace {

std::string subject(const OpDef& def) { return "op '" + std::string(def.name) + "'"; }

std::string_view describe(TypeClass c) {
  switch (c) {
    case TypeClass::Any: return "any element type";
    case TypeClass::Number: return "numbers";
    case TypeClass::Real: return "bool or real numbers";
    case TypeClass::Integer: return "integers or bool";
    case TypeClass::Shiftable: return "integers";
    case TypeClass::Inexact: return "floats or complex numbers";
    case TypeClass::Float: return "floats";
    case TypeClass::Bool: return "bool";
  }
  return {};
}

Status check_domain(const OpDef& def, std::span<const Type> operands) {
  for (const Type& t : operands)
    if (!admits(def.domain, t.dtype))
      return Diagnostic(subject(def) + " takes " + std::string(describe(def.domain)) + ", but got " + t.str(), {},
                        "convert it with 'astype' first");
  return {};
}

Dtype result_dtype(const OpDef& def, Dtype operand) {
  switch (def.result) {
    case ResultType::Same: return operand;
    case ResultType::Bool: return bool_;
    case ResultType::RealPart: return is_complex(operand) ? float32 : operand;
    case ResultType::Complex: return complex64;
    case ResultType::Widened:
      if (operand == bool_ || operand == int8 || operand == int16) return int32;
      return operand == uint8 || operand == uint16 ? uint32 : operand;
    case ResultType::FromRule: break;
  }
  return operand;
}

Result<std::vector<Type>> infer_constant(const OpDef& def, const InferArgs& args) {
  const Attr* value = args.attrs.find("value");
  const Literal* literal = value ? std::get_if<Literal>(value) : nullptr;
  if (!literal) return Diagnostic(subject(def) + " needs data in attribute 'value'");
  Type type{literal->dtype(), args.attrs.get_dims("shape")};
  if (!type.is_static()) return Diagnostic(subject(def) + " needs a shape without symbols, but got " + type.str());
  // Sizes are compared by division, so that no product overflows.
  uint64_t count = literal->count();
  bool empty = std::any_of(type.shape.begin(), type.shape.end(), [](const Dim& d) { return d.is(0); });
  bool fits = std::all_of(type.shape.begin(), type.shape.end(), [](const Dim& d) { return d.value() >= 0; });
  if (empty) {
    fits = fits && count == 0;
  } else {
    for (const Dim& d : type.shape) {
      if (!fits) break;
      fits = count % static_cast<uint64_t>(d.value()) == 0;
      count /= static_cast<uint64_t>(d.value());
    }
    fits = fits && count == 1;
  }
  if (!fits)
    return Diagnostic(subject(def) + " holds " + std::to_string(literal->count()) + " elements, but its type is " +
                      type.str());
  return std::vector<Type>{std::move(type)};
}

Result<std::vector<Type>> infer_elementwise(const OpDef& def, const InferArgs& args) {
  FRIT_TRY(check_domain(def, args.operands));
  if (args.operands.empty()) return Diagnostic(subject(def) + " has no operand to take its type from");
  const Type& first = args.operands[0];
  for (const Type& t : args.operands.subspan(1)) {
    if (t.dtype != first.dtype)
      return Diagnostic(
          subject(def) + " needs operands of one element type, but got " + first.str() + " and " + t.str(), {},
          "convert one of them with 'astype' first");
    if (!same_shape(first.shape, t.shape, args.facts))
      return Diagnostic(subject(def) + " needs operands of one shape, but got " + first.str() + " and " + t.str(), {},
                        "make the shapes equal with 'broadcast' first");
  }
  return std::vector<Type>{{result_dtype(def, first.dtype), first.shape}};
}

Result<std::vector<Type>> infer_reduction(const OpDef& def, const InferArgs& args) {
  FRIT_TRY(check_domain(def, args.operands));
  if (args.operands.size() != 1) return Diagnostic(subject(def) + " takes one operand");
  const Type& operand = args.operands[0];
  const bool keepdims = args.attrs.get_bool("keepdims");
  const bool position = def.combine == Combine::ArgMax || def.combine == Combine::ArgMin;
  std::vector<bool> reduced(operand.shape.size(), false);
  int64_t last = -1;
  for (const Dim& axis : args.attrs.get_dims("axes")) {
    if (!axis.is_const() || axis.value() < 0 || axis.value() >= operand.rank())
      return Diagnostic(subject(def) + " has axis " + axis.str() + ", but its operand is " + operand.str());
    if (axis.value() <= last)
      return Diagnostic(subject(def) + " has axes out of order: " + shape_text(args.attrs.get_dims("axes")), {},
                        "list each axis once, in ascending order");
    last = axis.value();
    reduced[last] = true;
    if (position && operand.shape[last].is(0))
      return Diagnostic(subject(def) + " of an empty axis is not defined, but its operand is " + operand.str());
  }
  Type type{position ? uint32 : result_dtype(def, operand.dtype), {}};
  for (size_t i = 0; i < reduced.size(); ++i) {
    if (!reduced[i]) {
      type.shape.push_back(operand.shape[i]);
    } else if (keepdims) {
      type.shape.push_back(1);
    }
  }
  return std::vector<Type>{std::move(type)};
}

}  // namespace

bool same_shape(const Shape& a, const Shape& b, const DimFacts& facts) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](const Dim& x, const Dim& y) { return x == y || facts.equal(x, y) == Tri::Yes; });
}

Status check_attrs(const OpDef& def, const AttrMap& attrs) {
  for (const auto& [key, value] : attrs) {
    auto spec = std::find_if(def.attrs.begin(), def.attrs.end(), [&](const AttrSpec& s) { return s.name == key; });
    if (spec == def.attrs.end()) {
      std::vector<std::string_view> names;
      for (const AttrSpec& s : def.attrs) names.push_back(s.name);
      return Diagnostic(subject(def) + " has no attribute '" + key + "'" + did_you_mean(key, names));
    }
    if (kind_of(value) != spec->kind)
      return Diagnostic("attribute '" + key + "' of " + subject(def) + " takes " + std::string(name(spec->kind)) +
                        ", but got " + std::string(name(kind_of(value))));
  }
  for (const AttrSpec& spec : def.attrs)
    if (spec.required && !attrs.has(spec.name))
      return Diagnostic(subject(def) + " needs attribute '" + std::string(spec.name) + "'");
  return {};
}

bool is_default(const OpDef& def, std::string_view name, const Attr& value) {
  for (const AttrSpec& spec : def.attrs)
    if (spec.name == name) return !spec.required && equal(spec.fallback, value);
  return false;
}

void fill_defaults(const OpDef& def, AttrMap& attrs) {
  for (const AttrSpec& spec : def.attrs)
    if (!spec.required && kind_of(spec.fallback) == spec.kind && !attrs.has(spec.name))
      attrs.set(spec.name, spec.fallback);
}

Result<std::vector<Type>> infer(const OpDef& def, const InferArgs& args) {
  FRIT_TRY(check_attrs(def, args.attrs));
  if (def.arity >= 0 && args.operands.size() != static_cast<size_t>(def.arity))
    return Diagnostic(subject(def) + " takes " + std::to_string(def.arity) +
                      (def.arity == 1 ? " operand" : " operands") + ", but got " +
                      std::to_string(args.operands.size()));
  if (def.infer) return def.infer(args);
  switch (def.kind) {
    case OpKind::Constant: return infer_constant(def, args);
    case OpKind::Elementwise: return infer_elementwise(def, args);
    case OpKind::Reduction: return infer_reduction(def, args);
    case OpKind::Index:
    case OpKind::Scatter:
    case OpKind::Scan:
    case OpKind::Iota:
    case OpKind::Composite:
    case OpKind::Library:
    case OpKind::Control: break;
  }
  return Diagnostic(subject(def) + " has no type rule");
}

}  // namespace frit::ir
