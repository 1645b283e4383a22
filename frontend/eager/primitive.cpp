// Operations of the program, and what a program sees of frit's own.
#include "frontend/eager/primitive.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <typeindex>
#include <unordered_map>

#include "frontend/core/build.h"
#include "frontend/core/custom.h"
#include "frontend/eager/eager.h"
#include "frontend/frit/ops.h"
#include "frontend/frit/primitive.h"
#include "frontend/frit/transforms.h"
#include "ir/routines/host_call.h"
#include "runtime/routines/routine.h"

namespace frit {

namespace {

[[noreturn]] void throw_no_rule(const Primitive& p, const char* rule) {
  throw InvalidArgument(std::string(rule) + ": the primitive '" + p.name() + "' has no rule for it",
                        std::string("override Primitive::") + rule);
}

}  // namespace

std::vector<array> Primitive::jvp(const std::vector<array>&, const std::vector<array>&, const std::vector<int>&) {
  throw_no_rule(*this, "jvp");
}
std::vector<array> Primitive::vjp(const std::vector<array>&, const std::vector<array>&, const std::vector<int>&,
                                  const std::vector<array>&) {
  throw_no_rule(*this, "vjp");
}
std::pair<std::vector<array>, std::vector<int>> Primitive::vmap(const std::vector<array>&, const std::vector<int>&) {
  throw_no_rule(*this, "vmap");
}
std::vector<Shape> Primitive::output_shapes(const std::vector<array>&) { throw_no_rule(*this, "output_shapes"); }

namespace detail {

namespace {

using Arrays = std::vector<array>;

// The objects that code may name, by number.
class Objects {
 public:
  // Never destroyed: code may run in threads that outlive main.
  static Objects& instance() {
    static auto* const objects = new Objects;
    return *objects;
  }

  int64_t number_of(const std::shared_ptr<Primitive>& object) {
    const Primitive& wanted = *object;
    const std::type_index type(typeid(wanted));
    Numbered compared;
    {
      std::lock_guard guard(mutex_);
      if (const auto known = numbers_.find(object.get()); known != numbers_.end()) return known->second;
      compared = newest_[type];
    }
    // The program's comparison runs without the lock. Two threads may so give equivalent objects two numbers, which
    // costs code and nothing else.
    for (const auto& [number, known] : compared)
      if (known->stream() == wanted.stream() && wanted.is_equivalent(*known)) return number;
    std::lock_guard guard(mutex_);
    const auto [entry, added] = numbers_.try_emplace(object.get(), static_cast<int64_t>(objects_.size()));
    if (!added) return entry->second;
    objects_.push_back(object);
    Numbered& newest = newest_[type];
    if (newest.size() == kCompared) newest.erase(newest.begin());
    newest.emplace_back(entry->second, object);
    return entry->second;
  }

  // Null where there is none of that number.
  std::shared_ptr<Primitive> find(int64_t number) {
    std::lock_guard guard(mutex_);
    return number >= 0 && static_cast<size_t>(number) < objects_.size() ? objects_[static_cast<size_t>(number)]
                                                                        : nullptr;
  }

 private:
  using Numbered = std::vector<std::pair<int64_t, std::shared_ptr<Primitive>>>;
  static constexpr size_t kCompared = 64;  // a class may have no equivalent objects at all, and any number of them

  std::mutex mutex_;
  std::vector<std::shared_ptr<Primitive>> objects_;
  std::unordered_map<const Primitive*, int64_t> numbers_;
  std::unordered_map<std::type_index, Numbered> newest_;  // of each class; a new object is compared with these
};

array value_in(runtime::Tensor tensor) {
  Shape shape(tensor.shape.begin(), tensor.shape.end());
  const Dtype dtype = tensor.dtype;
  return array_of(std::make_shared<Node>(dtype, std::move(shape), std::move(tensor)));
}

// Lets the object compute results of these types and shapes. `where` is the line that made the array, for messages.
Arrays computed(Primitive& object, const Arrays& inputs, const std::vector<std::pair<Dtype, Shape>>& results,
                const Where& where) {
  Arrays outputs;
  for (const auto& [dtype, shape] : results) outputs.push_back(array_of(std::make_shared<Node>(dtype, shape)));
  object.eval_cpu(inputs, outputs);
  const std::string name = object.name();
  if (outputs.size() != results.size())
    throw_runtime({name + ": the primitive made " + std::to_string(outputs.size()) + " of " +
                       std::to_string(results.size()) + " results",
                   {},
                   "leave the list of results as long as it is"},
                  where);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto& [dtype, shape] = results[i];
    if (outputs[i].status() == array::unscheduled && !outputs[i].has_primitive())
      throw_runtime({name + ": the primitive gave its result " + std::to_string(i) + " no memory",
                     {},
                     "call set_data or copy_shared_buffer in eval_cpu"},
                    where);
    outputs[i].eval();
    const Node& node = known(*node_of(outputs[i]));
    if (node.dtype != dtype || node.shape != shape)
      throw_runtime({name + ": the primitive made " + type_text(node.dtype, node.shape) + " of its result " +
                         std::to_string(i) + ", which is " + type_text(dtype, shape),
                     {},
                     "fill the array that is given instead of assigning another one"},
                    where);
  }
  return outputs;
}

// An operand of compiled code, in memory that the code lends for the call.
array lent(const runtime::LibraryTensor& t) {
  int64_t low = 0, high = 0;
  bool empty = false;
  for (size_t i = 0; i < t.shape.size(); ++i) {
    empty = empty || t.shape[i] == 0;
    (t.strides[i] < 0 ? low : high) += (t.shape[i] - 1) * t.strides[i];
  }
  if (empty) low = 0, high = -1;
  const int64_t size = t.dtype.size();
  auto memory = runtime::Buffer::adopt(static_cast<std::byte*>(t.data) + low * size,
                                       static_cast<size_t>((high - low + 1) * size), {});
  return value_in({std::move(memory), t.dtype, runtime::Sizes(t.shape), runtime::Sizes(t.strides), -low});
}

// The routine: compiled code calls an object by its number.
Status call_object(const runtime::LibraryCall& call) {
  const std::optional<int64_t> number = runtime::routines::Options(call).integer("object");
  const std::shared_ptr<Primitive> object = number ? Objects::instance().find(*number) : nullptr;
  if (!object) return Diagnostic("compiled code calls an object of another process", {}, "compile it in this one");
  Arrays inputs;
  for (const runtime::LibraryTensor& t : call.operands) inputs.push_back(lent(t));
  std::vector<std::pair<Dtype, Shape>> types;
  for (const runtime::LibraryTensor& t : call.results)
    types.emplace_back(t.dtype, Shape(t.shape.begin(), t.shape.end()));
  try {
    // A call inside of a trace, by an array that is evaluated there, is no part of the trace.
    const TraceScope outside(0);
    const Arrays outputs = computed(*object, inputs, types, Where());
    for (size_t i = 0; i < outputs.size(); ++i) {
      const runtime::LibraryTensor& to = call.results[i];
      const runtime::Tensor from = dense(known(*node_of(outputs[i])).value());
      wait_for(from);
      const size_t bytes = element_count(types[i].second) * to.dtype.size();
      if (bytes) std::memcpy(to.data, data_of(from), bytes);
    }
  } catch (const std::exception& e) {
    return Diagnostic(e.what());
  } catch (...) {
    return Diagnostic(std::string(object->name()) + ": the primitive threw what is no std::exception");
  }
  return {};
}
const runtime::routines::Registered host_call_function("host_call", call_object);

// `all` with those that `argnums` numbers replaced.
Arrays with(Arrays all, const Arrays& moving, const std::vector<int>& argnums) {
  for (size_t i = 0; i < argnums.size(); ++i) all[static_cast<size_t>(argnums[i])] = moving[i];
  return all;
}

Arrays numbered(const Arrays& all, const std::vector<int>& argnums) {
  Arrays moving;
  for (int i : argnums) moving.push_back(all[static_cast<size_t>(i)]);
  return moving;
}

std::vector<int> inexact_arguments(const Arrays& arguments) {
  std::vector<int> found;
  for (size_t i = 0; i < arguments.size(); ++i)
    if (is_inexact(arguments[i].dtype())) found.push_back(static_cast<int>(i));
  return found;
}

// Calls a rule of an object. A missing rule is an error of the line that made the array.
template <class Call>
auto at(const Where& where, const Call& call) {
  try {
    return call();
  } catch (const InvalidArgument& e) {
    if (!e.file().empty()) throw;
    throw_invalid(e.message(), e.note(), where);
  }
}

CustomRulesPtr rules_of(const std::shared_ptr<Primitive>& object, const Where& where) {
  auto rules = std::make_shared<CustomRules>();
  rules->name = object->name();
  rules->vjp = [object, where](const Arrays& arguments, const Arrays& cotangents, const Arrays& results) {
    const std::vector<int> argnums = inexact_arguments(arguments);
    const Arrays given = at(where, [&] { return object->vjp(arguments, cotangents, argnums, results); });
    if (given.size() != argnums.size())
      throw_invalid(std::string(object->name()) + ": the vjp rule returned " + std::to_string(given.size()) +
                        " cotangents for " + std::to_string(argnums.size()) + " arguments",
                    "return one cotangent for each number in argnums", where);
    Arrays all;
    for (const array& a : arguments) all.push_back(zeros_like(a));
    return with(std::move(all), given, argnums);
  };
  rules->jvp = [object, where](const Arrays& arguments, const Arrays& tangents, const std::vector<int>& argnums) {
    return at(where, [&] { return object->jvp(arguments, tangents, argnums); });
  };
  rules->vmap = [object, where](const Arrays& arguments, const std::vector<int>& axes) {
    return at(where, [&] { return object->vmap(arguments, axes); });
  };
  return rules;
}

int64_t number_in_trace(const std::shared_ptr<Primitive>& object) {
  return current_trace() ? Objects::instance().number_of(object) : -1;
}

}  // namespace

PrimitiveOperation::PrimitiveOperation(std::shared_ptr<Primitive> given, std::vector<ir::Type> results, Where where)
    : RowOperation(ir::host_call(), ir::host_call_attrs(number_in_trace(given), given->name(), results), where),
      object(std::move(given)) {
  device = object->device().type;
  types = std::move(results);
}

void PrimitiveOperation::run(std::span<runtime::Tensor> inputs, std::span<const bool> donated,
                             std::span<runtime::Tensor> outputs) {
  Arrays arrays;
  for (size_t i = 0; i < inputs.size(); ++i) {
    wait_for(inputs[i]);
    arrays.push_back(value_in(donated[i] ? std::move(inputs[i]) : inputs[i]));
  }
  std::vector<std::pair<Dtype, Shape>> results;
  for (const ir::Type& t : types) results.emplace_back(t.dtype, to_shape(t.shape));
  try {
    const TraceScope outside(0);
    const Arrays made = computed(*object, arrays, results, where);
    for (size_t i = 0; i < made.size(); ++i) outputs[i] = known(*node_of(made[i])).value();
  } catch (...) {
    for (size_t i = 0; i < inputs.size(); ++i)
      if (donated[i]) inputs[i] = node_of(arrays[i])->tensor;
    throw;
  }
}

std::vector<NodePtr> PrimitiveOperation::with_inputs(std::vector<NodePtr> known) const {
  auto operation = std::make_shared<PrimitiveOperation>(object, types, where);
  operation->inputs = std::move(known);
  std::vector<NodePtr> nodes;
  for (const ir::Type& type : types) nodes.push_back(attach(operation, type));
  return nodes;
}

namespace {

Arrays results_of(std::vector<ir::Type> types, std::shared_ptr<Primitive> object, const Arrays& inputs,
                  const Where& where) {
  if (!object) throw_invalid("array: the primitive is null", "give the operation that computes the array", where);
  const CustomRulesPtr rules = current_trace() ? rules_of(object, where) : nullptr;
  auto operation = std::make_shared<PrimitiveOperation>(std::move(object), std::move(types), where);
  std::vector<NodePtr> nodes;
  for (const array& a : inputs) nodes.push_back(node_of(a));
  set_inputs(*operation, std::move(nodes));
  Arrays results;
  for (const ir::Type& type : operation->types) results.push_back(array_of(attach(operation, type)));
  return rules ? mark_custom(rules, inputs, std::move(results)) : results;
}

ir::Type type_of(Dtype dtype, const Shape& shape) { return {dtype, {shape.begin(), shape.end()}}; }

}  // namespace

// Of frit's own operations.

OwnPrimitive::OwnPrimitive(const Operation& operation, Stream stream)
    : Primitive(stream), operation_(operation), name_(operation.name()) {}

Arrays OwnPrimitive::apply(const Arrays& inputs) const {
  if (operation_.kind != OperationKind::Row)
    throw RuntimeError("'" + name_ + "' cannot be applied to other arrays", "call the function that made the array");
  const auto& row = static_cast<const RowOperation&>(operation_);
  return make_all(row.def, inputs, row.attrs, stream());
}

void OwnPrimitive::eval_cpu(const Arrays& inputs, Arrays& outputs) {
  const Arrays results = apply(inputs);
  for (size_t i = 0; i < outputs.size() && i < results.size(); ++i) outputs[i].copy_shared_buffer(results[i]);
}

Arrays OwnPrimitive::jvp(const Arrays& primals, const Arrays& tangents, const std::vector<int>& argnums) {
  const std::function<Arrays(const Arrays&)> of_moving = [&](const Arrays& moving) {
    return apply(with(primals, moving, argnums));
  };
  return frit::jvp(of_moving, numbered(primals, argnums), tangents).second;
}

Arrays OwnPrimitive::vjp(const Arrays& primals, const Arrays& cotangents, const std::vector<int>& argnums,
                         const Arrays&) {
  const std::function<Arrays(const Arrays&)> of_moving = [&](const Arrays& moving) {
    return apply(with(primals, moving, argnums));
  };
  return frit::vjp(of_moving, numbered(primals, argnums), cotangents).second;
}

std::pair<Arrays, std::vector<int>> OwnPrimitive::vmap(const Arrays& inputs, const std::vector<int>& axes) {
  const std::function<Arrays(const Arrays&)> one = [&](const Arrays& given) { return apply(given); };
  Arrays results = frit::vmap(one, axes)(inputs);
  std::vector<int> places(results.size(), 0);
  return {std::move(results), std::move(places)};
}

std::vector<Shape> OwnPrimitive::output_shapes(const Arrays& inputs) {
  std::vector<Shape> shapes;
  for (const array& a : apply(inputs)) shapes.push_back(a.shape());
  return shapes;
}

}  // namespace detail

namespace {
Shape checked(Shape shape, const std::source_location& where) {
  for (const ShapeElem d : shape)
    if (d < 0)
      detail::throw_invalid("array: shape " + detail::shape_text(shape) + " has a negative size",
                            "give sizes of zero or more", where);
  return shape;
}
}  // namespace

array::array(Shape shape, Dtype dtype, std::shared_ptr<Primitive> primitive, std::vector<array> inputs,
             std::source_location where)
    : array(primitive ? detail::results_of({detail::type_of(dtype, shape)}, std::move(primitive), inputs, where)[0]
                      : detail::array_of(std::make_shared<detail::Node>(dtype, checked(std::move(shape), where)))) {}

std::vector<array> array::make_arrays(std::vector<Shape> shapes, const std::vector<Dtype>& dtypes,
                                      const std::shared_ptr<Primitive>& primitive, const std::vector<array>& inputs,
                                      std::source_location where) {
  if (shapes.size() != dtypes.size())
    detail::throw_invalid(
        "make_arrays: " + std::to_string(shapes.size()) + " shapes and " + std::to_string(dtypes.size()) + " types",
        "give a shape and a type for each result", where);
  std::vector<ir::Type> types;
  for (size_t i = 0; i < shapes.size(); ++i) types.push_back(detail::type_of(dtypes[i], shapes[i]));
  return detail::results_of(std::move(types), primitive, inputs, where);
}

}  // namespace frit
