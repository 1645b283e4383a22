// Loops and choices in the graph, over trees of arrays: cond, while_loop, fori_loop and scan.
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "frontend/python/core/convert.h"
#include "frontend/python/core/held_function.h"
#include "frontend/python/core/tree.h"

namespace frit::python {

namespace {

using Arrays = std::vector<array>;
using Bound = std::variant<int, array>;

// A tree whose leaves are arrays, and these.
struct Tree {
  nb::object shape;  // the tree without its arrays
  Arrays leaves;

  Tree(nb::handle tree, const char* who, const std::string& what) {
    shape = map_leaves(tree, [&](nb::handle leaf) {
      if (!is_array(leaf))
        throw InvalidArgument(std::string(who) + ": " + what + " holds a value of type " +
                                  nb::cast<std::string>(nb::handle(leaf.type()).attr("__name__")),
                              "give arrays, or trees of arrays");
      leaves.push_back(array_in(leaf));
      return nb::object(nb::none());
    });
  }

  nb::object with(const Arrays& arrays) const {
    size_t next = 0;
    return map_leaves(shape, [&](nb::handle) { return nb::cast(arrays[next++]); });
  }
  nb::object traced(TracerObjects& objects, const Arrays& tracers) const {
    size_t next = 0;
    return map_leaves(shape, [&](nb::handle) {
      nb::object o = objects.add(tracers[next], leaves[next]);
      ++next;
      return o;
    });
  }
};

std::string result_of(nb::handle fun) { return "the result of '" + function_name(fun) + "'"; }

// The random key must not leave a region as one of its values, which mean nothing outside of it.
class Key {
 public:
  explicit Key(const char* who) : who_(who) {}
  void leave() {
    Arrays key;
    bool has_key = false;
    key_.leave(key, has_key);
    if (has_key)
      throw InvalidArgument(std::string(who_) + ": a function draws random numbers from a captured state",
                            "give it a key, as a part of the state or of the operands");
  }

 private:
  KeyInTrace key_;
  const char* who_;
};

Arrays leaves_like(nb::handle result, const Tree& like, nb::handle fun, const char* who) {
  Tree given(result, who, result_of(fun));
  if (!given.shape.equal(like.shape))
    throw InvalidArgument(std::string(who) + ": " + result_of(fun) + " is a tree of another structure than the state",
                          "return a state with the lists, tuples and dicts of the one that is given");
  return std::move(given.leaves);
}

nb::object cond_of(const array& predicate, nb::callable true_fun, nb::callable false_fun, nb::args operands) {
  const Tree in(operands, "cond", "the operands");
  std::optional<nb::object> shape;
  const auto branch = [&](nb::handle fun) {
    return [&, fun](const Arrays& tracers) {
      Key key("cond");
      TracerObjects objects;
      const nb::object result = call_user(fun, in.traced(objects, tracers));
      Tree out(result, "cond", result_of(fun));
      if (shape && !shape->equal(out.shape))
        throw InvalidArgument("cond: " + result_of(fun) + " is a tree of another structure than that of '" +
                                  function_name(true_fun) + "'",
                              "return the same lists, tuples and dicts from both");
      shape = out.shape;
      key.leave();
      return std::move(out.leaves);
    };
  };
  const Arrays results = cond(predicate, branch(true_fun), branch(false_fun), in.leaves);
  size_t next = 0;
  return map_leaves(*shape, [&](nb::handle) { return nb::cast(results[next++]); });
}

nb::object while_of(nb::callable condition, nb::callable body, nb::object init) {
  const char* who = "while_loop";
  const Tree state(held_tree(init), who, "the state");
  const auto goes_on = [&](const Arrays& tracers) {
    Key key(who);
    TracerObjects objects;
    const nb::object result = call_user(condition, nb::make_tuple(state.traced(objects, tracers)));
    if (!is_array(result))
      throw InvalidArgument(std::string(who) + ": " + result_of(condition) + " is no array",
                            "return an array of bool without axes");
    const array out = array_in(result);
    key.leave();
    return out;
  };
  const auto step = [&](const Arrays& tracers) {
    Key key(who);
    TracerObjects objects;
    Arrays out = leaves_like(call_user(body, nb::make_tuple(state.traced(objects, tracers))), state, body, who);
    key.leave();
    return out;
  };
  return state.with(while_loop(goes_on, step, state.leaves));
}

nb::object fori_of(const Bound& lower, const Bound& upper, nb::callable body, nb::object init) {
  const char* who = "fori_loop";
  const Tree state(held_tree(init), who, "the state");
  const auto step = [&](const array& i, const Arrays& tracers) {
    Key key(who);
    TracerObjects objects;
    const nb::object number = objects.add(i, array(0));
    Arrays out = leaves_like(call_user(body, nb::make_tuple(number, state.traced(objects, tracers))), state, body, who);
    key.leave();
    return out;
  };
  const int *low = std::get_if<int>(&lower), *high = std::get_if<int>(&upper);
  if (low && high) return state.with(fori_loop(*low, *high, step, state.leaves));
  // A number beside an array has the array's type.
  const Dtype type = low ? std::get<array>(upper).dtype() : std::get<array>(lower).dtype();
  const auto bound = [&](const Bound& b) {
    return std::holds_alternative<int>(b) ? array(std::get<int>(b), type) : std::get<array>(b);
  };
  return state.with(fori_loop(bound(lower), bound(upper), step, state.leaves));
}

nb::object scan_of(nb::callable f, nb::object init, nb::object xs, std::optional<int> length, bool reverse) {
  const char* who = "scan";
  const Tree state(held_tree(init), who, "the state");
  std::optional<Tree> elements;
  if (!xs.is_none()) elements.emplace(held_tree(xs), who, "xs");
  std::optional<Tree> stacked;
  bool gives_none = false;
  const auto step = [&](const Arrays& tracers, const Arrays& x) {
    Key key(who);
    TracerObjects objects;
    const nb::object element = elements ? elements->traced(objects, x) : nb::object(nb::none());
    const nb::object result = call_user(f, nb::make_tuple(state.traced(objects, tracers), element));
    if (!PyTuple_Check(result.ptr()) || NB_TUPLE_GET_SIZE(result.ptr()) != 2)
      throw InvalidArgument(std::string(who) + ": " + result_of(f) + " is no pair",
                            "return the next state, and what is stacked or None");
    Arrays next = leaves_like(NB_TUPLE_GET_ITEM(result.ptr(), 0), state, f, who);
    const nb::handle out = NB_TUPLE_GET_ITEM(result.ptr(), 1);
    gives_none = out.is_none();
    if (!gives_none) stacked.emplace(out, who, result_of(f));
    Arrays outputs = gives_none ? Arrays() : std::exchange(stacked->leaves, {});
    key.leave();
    return std::pair(std::move(next), std::move(outputs));
  };
  const auto [last, all] = scan(step, state.leaves, elements ? elements->leaves : Arrays(), length, reverse);
  return nb::make_tuple(state.with(last), gives_none ? nb::object(nb::none()) : stacked->with(all));
}

}  // namespace

void bind_loops(nb::module_& m) {
  def(
      m, "cond",
      [](const array& predicate, nb::callable true_fun, nb::callable false_fun, nb::args operands) {
        return cond_of(predicate, std::move(true_fun), std::move(false_fun), nb::borrow<nb::args>(held_tree(operands)));
      },
      "predicate"_a, "true_fun"_a, "false_fun"_a, "operands"_a);
  def(m, "while_loop", &while_of, "cond_fun"_a, "body_fun"_a, "init"_a);
  def(m, "fori_loop", &fori_of, "lower"_a, "upper"_a, "body_fun"_a, "init"_a);
  def(m, "scan", &scan_of, "f"_a, "init"_a, "xs"_a.none() = nb::none(), "length"_a.none() = nb::none(),
      "reverse"_a = false);
}

}  // namespace frit::python
