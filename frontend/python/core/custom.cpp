// checkpoint, and functions with rules of their own.
#include "frontend/python/core/held_function.h"
#include "frontend/python/core/tree.h"

namespace frit::python {

namespace {

using ListFunction = std::function<std::vector<array>(const std::vector<array>&)>;

// The arguments of one call, and the tree that the function returned. Rules may need them after the call.
struct Trees {
  std::shared_ptr<PyObject> fun, args, kwargs, result;

  // The positional arguments with other arrays in their places.
  nb::object arguments(const std::vector<array>& leaves, size_t& next) const {
    return replaced(args.get(), leaves, next);
  }
  static nb::object replaced(nb::handle tree, const std::vector<array>& leaves, size_t& next) {
    return map_leaves(tree,
                      [&](nb::handle leaf) { return is_array(leaf) ? nb::cast(leaves[next++]) : nb::borrow(leaf); });
  }
};

// f((x,), ...) is called as f(x, ...).
nb::object one_or_all(nb::handle tuple) {
  return NB_TUPLE_GET_SIZE(tuple.ptr()) == 1 ? nb::borrow(NB_TUPLE_GET_ITEM(tuple.ptr(), 0)) : nb::borrow(tuple);
}

// A rule's value for each argument, without the places of arguments that hold no array.
nb::object without_constants(nb::handle args, const nb::object& given) {
  if (!PyTuple_Check(given.ptr()) && !PyList_Check(given.ptr())) return given;
  if (nb::len(args) < 2 || nb::len(args) != nb::len(given)) return given;
  nb::list kept;
  for (size_t i = 0; i < nb::len(args); ++i)
    if (!arrays_of(args[i]).empty()) kept.append(given[i]);
  return kept;
}

ListFunction traced_call(const std::shared_ptr<Trees>& trees, const std::shared_ptr<std::vector<array>>& originals) {
  return [trees, originals](const std::vector<array>& leaves) {
    const LockTaken acquire;
    TracerObjects objects;
    size_t next = 0;
    const auto traced = [&](nb::handle tree) {
      return map_leaves(tree, [&](nb::handle leaf) {
        if (!is_array(leaf)) return nb::borrow(leaf);
        nb::object o = objects.add(leaves[next], (*originals)[next]);
        ++next;
        return o;
      });
    };
    const nb::object args = traced(trees->args.get());
    const nb::object kwargs = traced(trees->kwargs.get());
    const nb::object result = call_user(trees->fun.get(), args, kwargs);
    std::vector<array> out = arrays_of(result);
    trees->result = shared_object(
        map_leaves(result, [](nb::handle leaf) { return is_array(leaf) ? nb::cast(array(0)) : nb::borrow(leaf); }));
    return out;
  };
}

struct CallOfLists {
  std::shared_ptr<Trees> trees;
  std::shared_ptr<std::vector<array>> leaves;

  CallOfLists(nb::handle fun, nb::args args, nb::kwargs kwargs)
      : trees(std::make_shared<Trees>()), leaves(std::make_shared<std::vector<array>>()) {
    trees->fun = shared_object(fun);
    trees->args = shared_object(held_tree(args));
    trees->kwargs = shared_object(held_tree(kwargs));
    for (PyObject* tree : {trees->args.get(), trees->kwargs.get()})
      for (array& a : arrays_of(tree)) leaves->push_back(std::move(a));
  }
  nb::object finish(const std::vector<array>& results) const {
    size_t next = 0;
    return Trees::replaced(trees->result.get(), results, next);
  }
};

using VjpRule =
    std::function<std::vector<array>(const std::vector<array>&, const std::vector<array>&, const std::vector<array>&)>;

VjpRule vjp_rule_of(const std::shared_ptr<Trees>& trees, nb::handle vjp) {
  return [trees, rule = shared_object(vjp)](const std::vector<array>& x, const std::vector<array>& cotangents,
                                            const std::vector<array>& results) {
    const LockTaken acquire;
    size_t a = 0, c = 0, r = 0;
    const nb::object primals = trees->arguments(x, a);
    const size_t positional = a;
    const nb::object kwargs = Trees::replaced(trees->kwargs.get(), x, a);
    const nb::object given = Trees::replaced(trees->result.get(), cotangents, c);
    const nb::object values = Trees::replaced(trees->result.get(), results, r);
    const nb::object out = call_user(rule.get(), nb::make_tuple(one_or_all(primals), given, values), kwargs);
    // None is no cotangent, nor have arguments one that the rule leaves out, and keyword arguments.
    std::vector<array> grads;
    const nb::object of_arrays = arrays_of(out).size() > positional ? without_constants(trees->args.get(), out) : out;
    visit_leaves(of_arrays, [&](nb::handle leaf) {
      if (is_array(leaf))
        grads.push_back(array_in(leaf));
      else if (leaf.is_none() && grads.size() < positional)
        grads.push_back(zeros_like(x[grads.size()]));
    });
    for (size_t i = grads.size(); i < x.size(); ++i) grads.push_back(zeros_like(x[i]));
    return grads;
  };
}

// A function and the rules that stand in the place of its transforms.
struct CustomFunction {
  nb::object fun, vjp, jvp, vmap;

  nb::object operator()(nb::args args, nb::kwargs kwargs) const {
    if (!vjp.is_valid() && !jvp.is_valid() && !vmap.is_valid()) return call_user(fun, args, kwargs);
    const CallOfLists call(fun, args, kwargs);
    const auto trees = call.trees;
    std::optional<VjpRule> vjp_rule;
    std::optional<std::function<std::vector<array>(const std::vector<array>&, const std::vector<array>&,
                                                   const std::vector<int>&)>>
        jvp_rule;
    if (vjp.is_valid()) vjp_rule = vjp_rule_of(trees, vjp);
    if (jvp.is_valid())
      jvp_rule = [trees, rule = shared_object(jvp)](const std::vector<array>& x, const std::vector<array>& tangents,
                                                    const std::vector<int>& argnums) {
        const LockTaken acquire;
        size_t a = 0;
        int place = 0;
        const nb::object primals = trees->arguments(x, a);
        const nb::object given = map_leaves(trees->args.get(), [&](nb::handle leaf) -> nb::object {
          if (!is_array(leaf)) return nb::none();
          const int i = place++;
          for (size_t k = 0; k < argnums.size(); ++k)
            if (argnums[k] == i) return nb::cast(tangents[k]);
          return nb::none();
        });
        // None is no tangent. Zeros have the shapes of the results, which the function gives.
        std::vector<array> found, results;
        visit_leaves(call_user(rule.get(), nb::make_tuple(one_or_all(primals), one_or_all(given))),
                     [&](nb::handle leaf) {
                       if (is_array(leaf)) found.push_back(array_in(leaf));
                       if (!leaf.is_none()) return;
                       if (results.empty()) results = traced_call(trees, std::make_shared<std::vector<array>>(x))(x);
                       if (found.size() < results.size()) found.push_back(zeros_like(results[found.size()]));
                     });
        return found;
      };
    std::optional<std::function<std::pair<std::vector<array>, std::vector<int>>(const std::vector<array>&,
                                                                                const std::vector<int>&)>>
        vmap_rule;
    if (vmap.is_valid())
      vmap_rule = [trees, rule = shared_object(vmap)](const std::vector<array>& x, const std::vector<int>& axes) {
        const LockTaken acquire;
        size_t a = 0, place = 0;
        const nb::object primals = trees->arguments(x, a);
        const nb::object places = map_leaves(trees->args.get(), [&](nb::handle leaf) -> nb::object {
          if (!is_array(leaf)) return nb::none();
          const int axis = axes[place++];
          return axis < 0 ? nb::none() : nb::object(nb::int_(axis));
        });
        const nb::object out = call_user(rule.get(), nb::make_tuple(one_or_all(primals), one_or_all(places)));
        if (!PyTuple_Check(out.ptr()) || NB_TUPLE_GET_SIZE(out.ptr()) != 2)
          throw InvalidArgument("custom_function: the rule for vmap returns no pair", "return (results, axes)");
        std::pair<std::vector<array>, std::vector<int>> result{arrays_of(NB_TUPLE_GET_ITEM(out.ptr(), 0)), {}};
        const nb::handle given = NB_TUPLE_GET_ITEM(out.ptr(), 1);
        visit_leaves(given,
                     [&](nb::handle leaf) { result.second.push_back(leaf.is_none() ? -1 : nb::cast<int>(leaf)); });
        // One axis may stand for all results.
        if (result.second.size() == 1) result.second.resize(result.first.size(), result.second[0]);
        return result;
      };
    return call.finish(custom_function(traced_call(trees, call.leaves), vjp_rule, jvp_rule, vmap_rule)(*call.leaves));
  }
};

Py_ssize_t g_attributes_of_rules = 0;  // the place of an instance's dict

int visit_rules(PyObject* self, visitproc visit, void* arg) {
  if (const int stop = visit_instance(self, visit, arg, g_attributes_of_rules)) return stop;
  if (!nb::inst_ready(self)) return 0;
  const CustomFunction* f = nb::inst_ptr<CustomFunction>(self);
  for (const nb::object* o : {&f->fun, &f->vjp, &f->jvp, &f->vmap}) Py_VISIT(o->ptr());
  return 0;
}

int drop_rules(PyObject* self) {
  CustomFunction* f = nb::inst_ptr<CustomFunction>(self);
  for (nb::object* o : {&f->fun, &f->vjp, &f->jvp, &f->vmap}) o->reset();
  return 0;
}

PyType_Slot g_slots_of_rules[] = {{Py_tp_traverse, reinterpret_cast<void*>(visit_rules)},
                                  {Py_tp_clear, reinterpret_cast<void*>(drop_rules)},
                                  {0, nullptr}};

}  // namespace

void bind_custom(nb::module_& m) {
  nb::class_<CustomFunction> c(m, "custom_function", documentation("custom_function").text, nb::dynamic_attr(),
                               nb::type_slots(g_slots_of_rules));
  g_attributes_of_rules = place_of_attributes(c);
  def(
      c, "custom_function.__init__",
      [](CustomFunction* self, nb::callable f) { new (self) CustomFunction{f, {}, {}, {}}; }, "f"_a);
  def(
      c, "custom_function.__call__",
      [](const CustomFunction& self, nb::args args, nb::kwargs kwargs) { return self(args, kwargs); }, "args"_a,
      "kwargs"_a);
  const std::pair<const char*, nb::object CustomFunction::*> rules[] = {
      {"custom_function.vjp", &CustomFunction::vjp},
      {"custom_function.jvp", &CustomFunction::jvp},
      {"custom_function.vmap", &CustomFunction::vmap}};
  for (auto [name, rule] : rules)
    def(
        c, name,
        [rule = rule](nb::handle self, nb::callable f) {
          nb::cast<CustomFunction&>(self).*rule = f;
          return nb::borrow(self);
        },
        "f"_a);
  def(
      m, "checkpoint",
      [](nb::callable fun) {
        return hold({std::move(fun)}, [](const HeldFunction::Held& held, nb::args args, nb::kwargs kwargs) {
          const CallOfLists call(held[0], args, kwargs);
          return call.finish(checkpoint(traced_call(call.trees, call.leaves))(*call.leaves));
        });
      },
      "fun"_a);
}

}  // namespace frit::python
