// Evaluation, and derivatives of Python functions over trees of arrays.
#include <algorithm>
#include <memory>
#include <set>

#include <nanobind/stl/variant.h>

#include "frontend/python/core/convert.h"
#include "frontend/python/core/held_function.h"
#include "frontend/python/core/tree.h"

namespace frit::python {

namespace {

using Argnums = std::variant<int, std::vector<int>>;
using Argnames = std::variant<std::string, std::vector<std::string>>;

// Which arguments a gradient is taken of.
struct Wanted {
  std::vector<int> numbers;
  std::vector<std::string> names;
  bool several = false;  // the gradients of the positional arguments are a tuple
};

Wanted wanted_of(const std::optional<Argnums>& argnums, const Argnames& argnames, const char* who) {
  Wanted w;
  if (const auto* one = std::get_if<std::string>(&argnames))
    w.names = {*one};
  else
    // A name that is given twice counts once.
    for (const std::string& n : std::get<std::vector<std::string>>(argnames))
      if (std::find(w.names.begin(), w.names.end(), n) == w.names.end()) w.names.push_back(n);
  if (!argnums) {
    if (w.names.empty()) w.numbers = {0};
  } else if (const int* one = std::get_if<int>(&*argnums)) {
    w.numbers = {*one};
  } else {
    w.numbers = std::get<std::vector<int>>(*argnums);
    w.several = w.numbers.size() > 1;
  }
  // Gradients come in the order of the arguments.
  const bool distinct = std::set<int>(w.numbers.begin(), w.numbers.end()).size() == w.numbers.size();
  if (distinct) std::sort(w.numbers.begin(), w.numbers.end());
  for (int n : w.numbers)
    if (n < 0)
      throw InvalidArgument(std::string(who) + ": the argument number " + std::to_string(n) + " is negative",
                            "count from 0");
  if (w.numbers.empty() && w.names.empty())
    throw InvalidArgument(std::string(who) + ": no argument is named", "give argnums or argnames");
  std::set<int> seen;
  for (int n : w.numbers)
    if (!seen.insert(n).second)
      throw InvalidArgument(std::string(who) + ": the argument " + std::to_string(n) + " is named twice",
                            "name each once");
  return w;
}

// One call of a function that computes values and gradients.
class GradientCall {
 public:
  GradientCall(nb::handle fun, const Wanted& wanted, const char* who, nb::args args, nb::kwargs kwargs,
               bool value_is_tree)
      : fun_(fun),
        wanted_(wanted),
        who_(who),
        args_(std::move(args)),
        kwargs_(std::move(kwargs)),
        tree_(value_is_tree) {}

  std::pair<nb::object, nb::object> run() {
    for (int n : wanted_.numbers) {
      if (n >= static_cast<int>(args_.size()))
        refuse("there is no argument " + std::to_string(n) + " among " + std::to_string(args_.size()));
      positional_.push_back(held_tree(args_[n]));
      append_arrays(positional_.back(), primals_, who_);
    }
    for (const std::string& n : wanted_.names) {
      if (!kwargs_.contains(n.c_str())) refuse("there is no keyword argument '" + n + "'");
      named_.push_back(held_tree(nb::object(kwargs_[n.c_str()])));
      append_arrays(named_.back(), primals_, who_);
    }
    if (primals_.empty()) refuse("the arguments hold no array");
    std::vector<int> all;
    for (size_t i = 0; i < primals_.size(); ++i) all.push_back(static_cast<int>(i));
    const std::function<std::vector<array>(const std::vector<array>&)> traced = [this](const std::vector<array>& x) {
      return call(x);
    };
    auto [values, grads] = value_and_grad(traced, all)(primals_);
    KeyInTrace::take(values, has_key_);
    size_t next = 0;
    nb::object value = map_leaves(
        result_, [&](nb::handle leaf) { return is_array(leaf) ? nb::cast(values[next++]) : nb::borrow(leaf); });
    next = 0;
    const auto gradients = [&](nb::handle tree) {
      return map_leaves(tree, [&](nb::handle) { return nb::cast(grads[next++]); });
    };
    nb::list positional;
    for (const nb::object& tree : positional_) positional.append(gradients(tree));
    nb::object out = wanted_.several           ? nb::object(nb::tuple(positional))
                     : wanted_.numbers.empty() ? nb::none()
                                               : nb::object(positional[0]);
    if (wanted_.names.empty()) return {value, out};
    nb::dict named;
    for (size_t i = 0; i < named_.size(); ++i) named[wanted_.names[i].c_str()] = gradients(named_[i]);
    return {value, nb::make_tuple(out, named)};
  }

 private:
  [[noreturn]] void refuse(const std::string& what) {
    throw InvalidArgument(std::string(who_) + ": " + what + " in a call of '" + function_name(fun_) + "'",
                          "name arguments that the call gives, each an array or a tree of arrays");
  }

  std::vector<array> call(const std::vector<array>& tracers) {
    KeyInTrace key;
    TracerObjects objects;
    size_t next = 0;
    const auto traced = [&](nb::handle tree) {
      return map_leaves(tree, [&](nb::handle) {
        nb::object o = objects.add(tracers[next], primals_[next]);
        ++next;
        return o;
      });
    };
    nb::list positional(args_);
    for (size_t i = 0; i < positional_.size(); ++i) positional[wanted_.numbers[i]] = traced(positional_[i]);
    nb::dict named;
    named.update(kwargs_);
    for (size_t i = 0; i < named_.size(); ++i) named[wanted_.names[i].c_str()] = traced(named_[i]);
    result_ = call_user(fun_, nb::tuple(positional), named);
    check(result_);
    std::vector<array> values;
    // The tree keeps no tracer: its arrays are dropped once they are known.
    result_ = map_leaves(result_, [&](nb::handle leaf) {
      if (!is_array(leaf)) return nb::borrow(leaf);
      values.push_back(array_in(leaf));
      return nb::cast(array(0));
    });
    key.leave(values, has_key_);
    return values;
  }

  void check(nb::handle result) {
    if (is_array(result)) return;
    const bool first = tree_ && PyTuple_Check(result.ptr()) && NB_TUPLE_GET_SIZE(result.ptr()) > 0 &&
                       is_array(NB_TUPLE_GET_ITEM(result.ptr(), 0));
    if (first) return;
    throw InvalidArgument(
        std::string(who_) + ": '" + function_name(fun_) + "' returns a value of type " +
            nb::cast<std::string>(nb::handle(result.type()).attr("__name__")),
        tree_ ? "return an array without axes, or a tuple whose first item is one" : "return an array without axes");
  }

  nb::handle fun_;
  const Wanted& wanted_;
  const char* who_;
  nb::args args_;
  nb::kwargs kwargs_;
  bool tree_;
  std::vector<nb::object> positional_, named_;  // the trees that are differentiated, held
  std::vector<array> primals_;
  nb::object result_;
  bool has_key_ = false;  // the last result is the random key
};

void require_callable(nb::handle fun, const char* who) {
  if (!PyCallable_Check(fun.ptr()))
    throw nb::type_error((std::string(who) + ": the function cannot be called").c_str());
}

nb::object gradient_function(nb::object fun, const std::optional<Argnums>& argnums, const Argnames& argnames,
                             bool values) {
  const char* who = values ? "value_and_grad" : "grad";
  require_callable(fun, who);
  Wanted wanted = wanted_of(argnums, argnames, who);
  return hold({std::move(fun)},
              [wanted, who, values](const HeldFunction::Held& held, nb::args args, nb::kwargs kwargs) -> nb::object {
                auto [value, grads] = GradientCall(held[0], wanted, who, args, kwargs, values).run();
                return values ? nb::object(nb::make_tuple(value, grads)) : grads;
              });
}

// A function of lists that calls a Python function of as many arrays.
std::function<std::vector<array>(const std::vector<array>&)> list_function(nb::handle fun,
                                                                           const std::vector<array>& primals,
                                                                           bool& has_key) {
  return [fun, &primals, &has_key](const std::vector<array>& tracers) {
    KeyInTrace key;
    TracerObjects objects;
    nb::list arguments;
    for (size_t i = 0; i < tracers.size(); ++i) arguments.append(objects.add(tracers[i], primals[i]));
    const nb::object result = call_user(fun, nb::tuple(arguments));
    std::vector<array> out;
    if (is_array(result)) {
      out.push_back(array_in(result));
    } else if (PyList_Check(result.ptr()) || PyTuple_Check(result.ptr())) {
      for (nb::handle h : result) {
        if (!is_array(h))
          throw RuntimeError("'" + function_name(fun) + "' returns a list with a value that is no array",
                             "return arrays");
        out.push_back(array_in(h));
      }
    } else {
      throw RuntimeError("'" + function_name(fun) + "' returns no array", "return an array, or a list of arrays");
    }
    key.leave(out, has_key);
    return out;
  };
}

void bind_evaluation(nb::module_& m) {
  def(
      m, "eval",
      [](nb::args trees) {
        const std::vector<array> arrays = arrays_of(trees);
        without_lock([&] { eval(arrays); });
      },
      "args"_a);
  def(
      m, "async_eval",
      [](nb::args trees) {
        std::vector<array> arrays = arrays_of(trees);
        without_lock([&] { async_eval(std::move(arrays)); });
      },
      "args"_a);
  def(m, "get_array_buffer_size", [](nb::args trees) { return get_array_buffer_size(arrays_of(trees)); }, "args"_a);
}

}  // namespace

void bind_transforms(nb::module_& m) {
  bind_evaluation(m);
  for (const bool values : {false, true})
    def(
        m, values ? "value_and_grad" : "grad",
        [values](nb::object fun, const std::optional<Argnums>& argnums, const Argnames& argnames) {
          return gradient_function(std::move(fun), argnums, argnames, values);
        },
        "fun"_a, "argnums"_a = nb::none(), "argnames"_a = nb::list());
  def(
      m, "vjp",
      [](nb::object fun, const std::vector<array>& primals, const std::vector<array>& cotangents) {
        bool has_key = false;
        auto result = vjp(list_function(fun, primals, has_key), primals, cotangents);
        KeyInTrace::take(result.first, has_key);
        return result;
      },
      "fun"_a, "primals"_a, "cotangents"_a);
  def(
      m, "jvp",
      [](nb::object fun, const std::vector<array>& primals, const std::vector<array>& tangents) {
        bool has_key = false;
        auto result = jvp(list_function(fun, primals, has_key), primals, tangents);
        KeyInTrace::take(result.first, has_key);
        if (has_key) result.second.pop_back();
        return result;
      },
      "fun"_a, "primals"_a, "tangents"_a);
}

}  // namespace frit::python
