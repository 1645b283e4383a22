// Trees of arrays: their parts, their names, and the way through a compiled function.
#include <algorithm>
#include <charconv>

#include "frontend/frit/error.h"
#include "frontend/frit/nn.h"

namespace frit {

namespace nn {

namespace {

std::string count_of(size_t n, const char* what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); }

const char* kind_of(const Parameters& p) { return p.is_array() ? "an array" : p.is_list() ? "a list" : "a map"; }

}  // namespace

Parameters::Parameters(array a) : value_(std::move(a)) {}
Parameters::Parameters(List list) : value_(std::move(list)) {}
Parameters::Parameters(Map named) : value_(std::move(named)) {}
Parameters::Parameters(std::initializer_list<std::pair<const std::string, Parameters>> named) : value_(Map(named)) {}

template <class T>
T& Parameters::as(const char* kind) {
  if (T* part = std::get_if<T>(&value_)) return *part;
  throw InvalidArgument(std::string("parameters: a tree that is ") + kind_of(*this) + " is used as " + kind,
                        "ask is_array(), is_list() and is_map() first");
}

array& Parameters::value() { return as<array>("an array"); }
const array& Parameters::value() const { return const_cast<Parameters*>(this)->value(); }
Parameters::List& Parameters::list() { return as<List>("a list"); }
const Parameters::List& Parameters::list() const { return const_cast<Parameters*>(this)->list(); }
Parameters::Map& Parameters::map() { return as<Map>("a map"); }
const Parameters::Map& Parameters::map() const { return const_cast<Parameters*>(this)->map(); }

Parameters& Parameters::operator[](const std::string& name) { return map()[name]; }
const Parameters& Parameters::operator[](const std::string& name) const {
  const auto found = map().find(name);
  if (found != map().end()) return found->second;
  throw OutOfRange("parameters: there is no '" + name + "' among " + count_of(map().size(), "tree"),
                   "tree_flatten lists the names");
}
Parameters& Parameters::operator[](size_t i) { return const_cast<Parameters&>(std::as_const(*this)[i]); }
const Parameters& Parameters::operator[](size_t i) const {
  if (i < list().size()) return list()[i];
  throw OutOfRange(
      "parameters: there is no place " + std::to_string(i) + " in a list of " + count_of(list().size(), "tree"),
      "places are counted from 0");
}

namespace {

using Named = std::vector<std::pair<std::string, array>>;

void flatten(const Parameters& tree, const std::string& name, Named& out) {
  const auto inside = [&](const std::string& part) { return name.empty() ? part : name + "." + part; };
  if (tree.is_array()) {
    out.emplace_back(name, tree.value());
  } else if (tree.is_list()) {
    for (size_t i = 0; i < tree.list().size(); ++i) flatten(tree.list()[i], inside(std::to_string(i)), out);
  } else {
    for (const auto& [key, part] : tree.map()) flatten(part, inside(key), out);
  }
}

// The place that a part of a name stands for, or nothing.
std::optional<size_t> place_of(const std::string& part) {
  size_t place = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), place);
  if (error != std::errc() || end != part.data() + part.size()) return std::nullopt;
  return place;
}

// Maps whose keys are all numbers become lists.
Parameters with_lists(Parameters tree, const std::string& name) {
  if (!tree.is_map()) return tree;
  Parameters::Map& named = tree.map();
  for (auto& [key, part] : named) part = with_lists(std::move(part), name.empty() ? key : name + "." + key);
  if (named.empty() || !std::all_of(named.begin(), named.end(), [](const auto& p) { return place_of(p.first); }))
    return tree;
  std::vector<std::optional<Parameters>> places(named.size());
  for (auto& [key, part] : named) {
    const size_t place = *place_of(key);
    if (place >= places.size() || places[place])
      throw InvalidArgument(
          "tree_unflatten: the places of list '" + name + "' do not go from 0 to " + std::to_string(places.size() - 1),
          "give each place of a list once");
    places[place] = std::move(part);
  }
  Parameters::List list;
  for (std::optional<Parameters>& part : places) list.push_back(std::move(*part));
  return list;
}

}  // namespace

Named tree_flatten(const Parameters& tree) {
  Named out;
  flatten(tree, "", out);
  return out;
}

Parameters tree_unflatten(const Named& arrays) {
  if (arrays.size() == 1 && arrays[0].first.empty()) return arrays[0].second;
  Parameters root;
  for (const auto& [name, a] : arrays) {
    Parameters* at = &root;
    for (size_t from = 0; from <= name.size() && at->is_map();) {
      const size_t end = std::min(name.find('.', from), name.size());
      at = &(*at)[name.substr(from, end - from)];
      from = end + 1;
      if (from <= name.size()) continue;
      if (at->is_map() && at->map().empty()) {
        *at = a;
        at = nullptr;
        break;
      }
    }
    if (at)
      throw InvalidArgument("tree_unflatten: '" + name + "' names an array and a tree, or two arrays",
                            "give each array a name of its own");
  }
  return with_lists(std::move(root), "");
}

}  // namespace nn

namespace detail {

// Every tree writes its kind; under `present` there is one array.
void Tree<nn::Parameters>::flatten(const nn::Parameters& tree, Leaves& out) {
  if (tree.is_array()) {
    out.structure.add(Part::Kind::present);
    out.add(tree.value());
  } else if (tree.is_list()) {
    Tree<nn::Parameters::List>::flatten(tree.list(), out);
  } else {
    Tree<nn::Parameters::Map>::flatten(tree.map(), out);
  }
}

nn::Parameters Tree<nn::Parameters>::build(Reader& in) {
  switch (in.peek().kind) {
    case Part::Kind::list: return Tree<nn::Parameters::List>::build(in);
    case Part::Kind::map: return Tree<nn::Parameters::Map>::build(in);
    default: break;
  }
  in.part();
  return in.leaf();
}

void check_same_structure(std::string_view op, const char* what, const Leaves& tree, const Leaves& other) {
  if (tree.structure == other.structure && tree.arrays.size() == other.arrays.size()) return;
  throw InvalidArgument(std::string(op) + ": the " + what + " differ in structure: one has " +
                            std::to_string(tree.arrays.size()) + " arrays, and one has " +
                            std::to_string(other.arrays.size()),
                        "give trees with the same names and lengths");
}

}  // namespace detail
}  // namespace frit
