// Communication between the processes of a group.
#include "frontend/python/core/tree.h"
#include "frontend/python/functions/families.h"

namespace frit::python {

namespace {

using distributed::Group;
using MaybeGroup = std::optional<Group>;

// An exchange of the program's own: rank and size of the group give a function of (bytes, bytes received).
distributed::AllGatherFactory factory_of(nb::object made) {
  return [held = shared_object(made)](int rank, int size) -> distributed::AllGatherFn {
    const LockTaken acquire;
    const std::shared_ptr<PyObject> exchange = shared_object(call_user(held.get(), nb::make_tuple(rank, size)));
    return [exchange, size](const char* from, char* to, size_t bytes) {
      const LockTaken gil;
      const nb::object all = call_user(exchange.get(), nb::make_tuple(nb::bytes(from, bytes), bytes));
      const auto received = nb::cast<nb::bytes>(all);
      if (received.size() != bytes * static_cast<size_t>(size))
        throw RuntimeError("distributed: all_gather_factory's function returns " + std::to_string(received.size()) +
                               " bytes, not " + std::to_string(bytes * static_cast<size_t>(size)),
                           "return the bytes of every process in order");
      std::memcpy(to, received.c_str(), received.size());
    };
  };
}

using Combine = array (*)(const array&, std::optional<Group>, StreamOrDevice);

}  // namespace

void bind_distributed(nb::module_& m) {
  nb::module_ d = m.def_submodule("distributed", documentation("distributed").text);
  nb::class_<Group> group(d, "Group", documentation("distributed.Group").text);
  def(group, "distributed.Group.rank", &Group::rank);
  def(group, "distributed.Group.size", &Group::size);
  def(group, "distributed.Group.split", &Group::split, "color"_a, "key"_a = -1);
  def(
      d, "distributed.is_available", [](const std::string& backend) { return distributed::is_available(backend); },
      "backend"_a = "any");
  def(
      d, "distributed.init",
      [](bool strict, const std::string& backend, nb::object factory) {
        return factory.is_none() ? distributed::init(strict, backend)
                                 : distributed::init(strict, backend, factory_of(factory));
      },
      "strict"_a = false, "backend"_a = "any", nb::kw_only(), "all_gather_factory"_a = nb::none());
  const std::pair<const char*, Combine> combinations[] = {{"distributed.all_sum", &distributed::all_sum},
                                                          {"distributed.all_max", &distributed::all_max},
                                                          {"distributed.all_min", &distributed::all_min},
                                                          {"distributed.all_gather", &distributed::all_gather},
                                                          {"distributed.sum_scatter", &distributed::sum_scatter}};
  for (auto [name, f] : combinations)
    def(
        d, name, [f](const Value& x, const MaybeGroup& g, StreamOrDevice s) { return f(x.get(), g, s); }, "x"_a,
        nb::kw_only(), "group"_a = nb::none(), FRIT_STREAM);
  def(
      d, "distributed.send",
      [](const array& x, int to, const MaybeGroup& g, StreamOrDevice s) { return distributed::send(x, to, g, s); },
      "x"_a, "dst"_a, nb::kw_only(), "group"_a = nb::none(), FRIT_STREAM);
  def(
      d, "distributed.recv",
      [](const ShapeList& shape, Dtype t, int from, const MaybeGroup& g, StreamOrDevice s) {
        return distributed::recv(shape.get(), t, from, g, s);
      },
      "shape"_a, "dtype"_a, "src"_a, nb::kw_only(), "group"_a = nb::none(), FRIT_STREAM);
  def(
      d, "distributed.recv_like",
      [](const array& x, int from, const MaybeGroup& g, StreamOrDevice s) {
        return distributed::recv_like(x, from, g, s);
      },
      "x"_a, "src"_a, nb::kw_only(), "group"_a = nb::none(), FRIT_STREAM);
}

}  // namespace frit::python
