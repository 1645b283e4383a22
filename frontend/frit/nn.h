// Trees of parameters, initialisers and losses, in namespaces frit::nn and frit::nn::init, with the names, argument
// order and defaults of mlx.nn. The declarations of functions are written from frontend/api.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "frit/array.h"
#include "frit/compile_options.h"
#include "frit/detail/arguments.h"
#include "frit/transforms.h"

namespace frit {

namespace nn {

// A tree of arrays: one array, a list of trees, or a map of trees by name. Compiled functions, State, optimisers and
// nn::value_and_grad take it, as they take vectors, maps, pairs, tuples and optionals of arrays, nested at will.
class Parameters {
 public:
  using List = std::vector<Parameters>;
  using Map = std::map<std::string, Parameters>;

  Parameters() = default;  // an empty map
  Parameters(array a);
  Parameters(List list);
  Parameters(Map named);
  Parameters(std::initializer_list<std::pair<const std::string, Parameters>> named);

  bool is_array() const { return std::holds_alternative<array>(value_); }
  bool is_list() const { return std::holds_alternative<List>(value_); }
  bool is_map() const { return std::holds_alternative<Map>(value_); }

  // The parts. Throw InvalidArgument where the tree is of another kind.
  array& value();
  const array& value() const;
  List& list();
  const List& list() const;
  Map& map();
  const Map& map() const;
  operator const array&() const { return value(); }

  // A tree of a map, which is made where there is none; of a list. The last three throw OutOfRange where there is none.
  Parameters& operator[](const std::string& name);
  const Parameters& operator[](const std::string& name) const;
  Parameters& operator[](size_t i);
  const Parameters& operator[](size_t i) const;

 private:
  template <class T>
  T& as(const char* kind);
  std::variant<Map, List, array> value_;
};

}  // namespace nn

namespace detail {

template <>
struct Tree<nn::Parameters> {
  static void flatten(const nn::Parameters& tree, Leaves& out);
  static nn::Parameters build(Reader& in);
};

// The arrays of a tree and the structure around them.
template <class T>
Leaves leaves_of(const T& tree) {
  Leaves leaves;
  Tree<T>::flatten(tree, leaves);
  return leaves;
}

// A tree of the same structure with other arrays.
template <class T>
T tree_of(const Structure& structure, std::span<const array> arrays) {
  Reader in(structure, arrays);
  return Tree<T>::build(in);
}

// Throws InvalidArgument where trees that belong together differ in structure.
void check_same_structure(std::string_view op, const char* what, const Leaves& tree, const Leaves& other);

}  // namespace detail

namespace nn {

// A function of parameters and further arguments that returns the value of `fn` and the gradient of its first array
// with respect to every array of the parameters, as a tree like them. `fn` returns an array without axes, or a pair or
// tuple whose first part is one. Throws as frit::value_and_grad does.
template <class F>
auto value_and_grad(F fn) {
  return [fn = std::move(fn)](const auto& parameters, const auto&... rest) {
    using P = std::decay_t<decltype(parameters)>;
    using R = std::decay_t<decltype(fn(parameters, rest...))>;
    static_assert(detail::Treelike<P>, "parameters are arrays, or vectors, maps, pairs, tuples or optionals of them");
    static_assert(detail::Treelike<R>, "a loss returns an array, or a pair or tuple of trees of arrays");
    const detail::Leaves given = detail::leaves_of(parameters);
    std::vector<array> primals;
    std::vector<int> all;
    for (const array* a : given.arrays) {
      all.push_back(static_cast<int>(primals.size()));
      primals.push_back(*a);
    }
    detail::Structure structure;
    const std::function<std::vector<array>(const std::vector<array>&)> flat = [&](const std::vector<array>& tracers) {
      const R result = fn(detail::tree_of<P>(given.structure, tracers), rest...);
      detail::Leaves found = detail::leaves_of(result);
      std::vector<array> results;
      for (const array* a : found.arrays) results.push_back(*a);
      structure = std::move(found.structure);
      return results;
    };
    const auto [values, gradients] = frit::value_and_grad(flat, all)(primals);
    return std::pair<R, P>(detail::tree_of<R>(structure, values), detail::tree_of<P>(given.structure, gradients));
  };
}

// A tree like the first one, of the results of `fn` on the arrays that stand in the same place of every tree. Throws
// InvalidArgument where the trees differ in structure.
template <class F, class P, class... More>
P tree_map(F&& fn, const P& tree, const More&... more) {
  const detail::Leaves first = detail::leaves_of(tree);
  const std::array<detail::Leaves, sizeof...(More)> others{detail::leaves_of(more)...};
  for (const detail::Leaves& other : others) detail::check_same_structure("tree_map", "trees", first, other);
  std::vector<array> results;
  for (size_t i = 0; i < first.arrays.size(); ++i)
    results.push_back([&]<size_t... K>(std::index_sequence<K...>) {
      return fn(*first.arrays[i], *others[K].arrays[i]...);
    }(std::index_sequence_for<More...>()));
  return detail::tree_of<P>(first.structure, results);
}

namespace init {
// Makes the first value of a parameter from its shape.
using Initializer = std::function<array(const Shape& shape)>;
}  // namespace init

}  // namespace nn

// ---- Written from frontend/api: parameters

namespace nn {
// The arrays of a tree with their names: keys and places, with points between them, as in `layers.0.weight`.
std::vector<std::pair<std::string, array>> tree_flatten(const Parameters& tree);

// The tree of named arrays. A part of a name that is a number is a place in a list, and places go from 0 without gaps.
// Throws InvalidArgument when a name is given twice, is the beginning of another, or leaves a place of a list empty.
Parameters tree_unflatten(const std::vector<std::pair<std::string, array>>& arrays);

}  // namespace nn

// ---- End of frontend/api: parameters

// ---- Written from frontend/api: initialisers

namespace nn::init {
// One value everywhere.
Initializer constant(double value, Dtype dtype = float32);

// Normally distributed.
Initializer normal(double mean = 0.0, double std = 1.0, Dtype dtype = float32);

// Uniform in [low, high).
Initializer uniform(double low = 0.0, double high = 1.0, Dtype dtype = float32);

// The identity matrix.
// Shape: square matrices.
Initializer identity(Dtype dtype = float32);

// Normal with deviation gain * sqrt(2 / (inputs + outputs)).
// Shape: two axes or more.
Initializer glorot_normal(Dtype dtype = float32, double gain = 1.0);

// Uniform within gain * sqrt(6 / (inputs + outputs)).
// Shape: two axes or more.
Initializer glorot_uniform(Dtype dtype = float32, double gain = 1.0);

// Normal with deviation gain / sqrt(fan), where the fan is the number of inputs, or of outputs for mode "fan_out".
// Shape: two axes or more.
// Throws InvalidArgument for another mode.
Initializer he_normal(Dtype dtype = float32, const std::string& mode = "fan_in", double gain = 1.0);

// Uniform within gain * sqrt(3 / fan).
// Shape: two axes or more.
// Throws InvalidArgument for another mode.
Initializer he_uniform(Dtype dtype = float32, const std::string& mode = "fan_in", double gain = 1.0);

// Normal, with a share of each row zero: ceil(sparsity * columns) elements at random places.
// Shape: matrices.
// Throws InvalidArgument when the share is not in [0, 1].
Initializer sparse(double sparsity, double mean = 0.0, double std = 1.0, Dtype dtype = float32);

// `gain` times a matrix with orthonormal rows or columns.
// Shape: matrices.
// Algorithm: the orthonormal factor of a square normal matrix, with the signs of the diagonal of the other factor.
Initializer orthogonal(double gain = 1.0, Dtype dtype = float32);

}  // namespace nn::init

// ---- End of frontend/api: initialisers

// ---- Written from frontend/api: losses

namespace nn {
// Minus the logarithm of the softmax at the targets: class indices, or probabilities. Smoothing mixes the targets with
// equal probabilities. `weights` are factors of the losses.
// Shape: integers: that of `logits` without `axis`; probabilities: that of `logits`. Losses have the shape of `logits`
// without `axis`, and weights have theirs.
// Types: logits are floats; targets are integers or floats.
// Throws InvalidArgument when the shapes do not fit, `label_smoothing` is not in [0, 1), or `reduction` is another
// word; OutOfRange when there is no such axis.
array cross_entropy(const array& logits, const array& targets, const std::optional<array>& weights = std::nullopt,
                    int axis = -1, float label_smoothing = 0, const std::string& reduction = "none",
                    std::source_location at = std::source_location::current());

// Minus the logarithm of the probability of targets 0 and 1. Inputs are logits, or else probabilities, whose logarithm
// is at least -100.
// Shape: all shapes are equal.
// Throws InvalidArgument when the shapes differ or `reduction` is another word.
array binary_cross_entropy(const array& inputs, const array& targets,
                           const std::optional<array>& weights = std::nullopt, bool with_logits = true,
                           const std::string& reduction = "mean",
                           std::source_location at = std::source_location::current());

// The magnitude of the difference.
// Shape: all shapes are equal.
// Throws InvalidArgument when the shapes differ or `reduction` is another word.
array l1_loss(const array& predictions, const array& targets, const std::string& reduction = "mean",
              std::source_location at = std::source_location::current());

// The square of the difference.
// Shape: all shapes are equal.
// Throws InvalidArgument when the shapes differ or `reduction` is another word.
array mse_loss(const array& predictions, const array& targets, const std::string& reduction = "mean",
               std::source_location at = std::source_location::current());

// Minus the inputs at the targets, where the inputs are logarithms of probabilities.
// Shape: that of `inputs` without `axis`, which targets have.
// Types: targets are integers.
// Throws InvalidArgument when the shapes do not fit or `reduction` is another word, OutOfRange when there is no such
// axis.
array nll_loss(const array& inputs, const array& targets, int axis = -1, const std::string& reduction = "none",
               std::source_location at = std::source_location::current());

// Minus the logarithm of a normal density with means `inputs` and variances `vars`, at least `eps`. `full` adds its
// constant.
// Shape: all shapes are equal.
// Throws InvalidArgument when the shapes differ or `reduction` is another word.
array gaussian_nll_loss(const array& inputs, const array& targets, const array& vars, bool full = false,
                        float eps = 1e-6f, const std::string& reduction = "mean",
                        std::source_location at = std::source_location::current());

// The Kullback-Leibler divergence of logarithms of probabilities: sum(exp(targets) * (targets - inputs)).
// Shape: the shapes broadcast, without `axis`.
// Throws InvalidArgument when the shapes do not broadcast or `reduction` is another word, OutOfRange when there is no
// such axis.
array kl_div_loss(const array& inputs, const array& targets, int axis = -1, const std::string& reduction = "none",
                  std::source_location at = std::source_location::current());

// Half the square of the difference divided by `beta` up to a difference of `beta`, linear beyond.
// Shape: all shapes are equal.
// Throws InvalidArgument when the shapes differ or `reduction` is another word.
array smooth_l1_loss(const array& predictions, const array& targets, float beta = 1,
                     const std::string& reduction = "mean", std::source_location at = std::source_location::current());

// max(distance to the positives - distance to the negatives + margin, 0), with the distance (sum(|x - y|^p) +
// eps)^(1/p).
// Shape: the shapes broadcast, without `axis`.
// Throws InvalidArgument when the shapes do not broadcast or `reduction` is another word, OutOfRange when there is no
// such axis.
array triplet_loss(const array& anchors, const array& positives, const array& negatives, int axis = -1, int p = 2,
                   float margin = 1, float eps = 1e-6f, const std::string& reduction = "none",
                   std::source_location at = std::source_location::current());

// max(1 - inputs * targets, 0), for targets -1 and 1.
// Shape: the shapes broadcast.
// Throws InvalidArgument when the shapes do not broadcast or `reduction` is another word.
array hinge_loss(const array& inputs, const array& targets, const std::string& reduction = "none",
                 std::source_location at = std::source_location::current());

// Half the square of the difference up to `delta`, linear beyond.
// Shape: the shapes broadcast.
// Throws InvalidArgument when the shapes do not broadcast or `reduction` is another word.
array huber_loss(const array& inputs, const array& targets, float delta = 1, const std::string& reduction = "none",
                 std::source_location at = std::source_location::current());

// log(cosh(inputs - targets)).
// Shape: the shapes broadcast.
// Throws InvalidArgument when the shapes do not broadcast or `reduction` is another word.
array log_cosh_loss(const array& inputs, const array& targets, const std::string& reduction = "none",
                    std::source_location at = std::source_location::current());

// The cosine of the angle between vectors along the axis; the product of their lengths counts as `eps` at least.
// Shape: the shapes broadcast, without `axis`.
// Throws InvalidArgument when the shapes do not broadcast or `reduction` is another word, OutOfRange when there is no
// such axis.
array cosine_similarity_loss(const array& x1, const array& x2, int axis = 1, float eps = 1e-8f,
                             const std::string& reduction = "none",
                             std::source_location at = std::source_location::current());

// max(-targets * (inputs1 - inputs2) + margin, 0), for targets -1 and 1.
// Shape: all shapes are equal.
// Throws InvalidArgument when the shapes differ or `reduction` is another word.
array margin_ranking_loss(const array& inputs1, const array& inputs2, const array& targets, float margin = 0,
                          const std::string& reduction = "none",
                          std::source_location at = std::source_location::current());

}  // namespace nn

// ---- End of frontend/api: losses

}  // namespace frit
