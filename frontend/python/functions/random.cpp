// Random numbers, and the state of functions that are called without a key.
#include "frontend/python/core/random_state.h"

#include "frontend/frit/random_threads.h"
#include "frontend/python/functions/families.h"

namespace frit::python {

namespace {

using random::KeySequence;

Shape broadcast(const array& a, const array& b) { return broadcast_arrays({a, b})[0].shape(); }

array normal_of(const ShapeOrNumber& shape, std::optional<Dtype> t, const std::optional<Value>& loc,
                const std::optional<Value>& scale, const MaybeArray& key, StreamOrDevice s) {
  const Dtype type = t.value_or(float32);
  const auto get = [&](const std::optional<Value>& v) { return v ? MaybeArray(v->get(type)) : std::nullopt; };
  return random::normal(shape.get(), type, get(loc), get(scale), key, s);
}

array categorical_of(const array& logits, int axis, const std::optional<ShapeOrNumber>& shape,
                     std::optional<int> samples, const MaybeArray& key, StreamOrDevice s) {
  if (shape && samples)
    throw InvalidArgument("categorical: both a shape and a number of samples are given", "give one of them");
  if (shape) return random::categorical(logits, axis, shape->get(), key, s);
  if (samples) return random::categorical(logits, axis, *samples, key, s);
  return random::categorical(logits, axis, key, s);
}

array permutation_of(nb::object x, int axis, const MaybeArray& key, StreamOrDevice s) {
  if (PyLong_Check(x.ptr())) return random::permutation(nb::cast<int>(x), key, s);
  if (!is_array(x)) throw nb::type_error("permutation: x is neither an array nor an integer");
  return random::permutation(array_in(x), axis, key, s);
}

void bind_keys(nb::module_& r) {
  random::keep_state_per_thread();
  nb::class_<RandomState> state(r, "_RandomState", documentation("random._RandomState").text);
  def(state, "random._RandomState.__len__", [](const RandomState&) { return 1; });
  def(
      state, "random._RandomState.__getitem__",
      [](const RandomState&, int i) {
        if (i != 0 && i != -1) throw nb::index_error("the random state holds one key");
        return KeySequence::default_().state();
      },
      "index"_a);
  def(state, "random._RandomState.__iter__", [](const RandomState&) {
    nb::list one;
    one.append(KeySequence::default_().state());
    return nb::borrow<nb::iterator>(one.attr("__iter__")());
  });
  r.attr("state") = nb::cast(RandomState{});
  def(r, "random.seed", [](uint64_t seed) { random::seed(seed); }, "seed"_a);
  def(r, "random.key", [](uint64_t seed) { return random::key(seed); }, "seed"_a);
  def(
      r, "random.split", [](const array& key, int n, StreamOrDevice s) { return random::split(key, n, s); }, "key"_a,
      "num"_a = 2, FRIT_STREAM);
}

}  // namespace

void bind_random(nb::module_& m) {
  nb::module_ r = m.def_submodule("random", documentation("random").text);
  bind_keys(r);
#define FRIT_KEY "key"_a = nb::none(), FRIT_STREAM
  def(
      r, "random.uniform",
      [](const Value& low, const Value& high, const ShapeOrNumber& shape, std::optional<Dtype> t, const MaybeArray& key,
         StreamOrDevice s) {
        const Dtype type = t.value_or(float32);
        return random::uniform(low.get(type), high.get(type), shape.get(), type, key, s);
      },
      "low"_a = 0, "high"_a = 1, "shape"_a = nb::list(), "dtype"_a.none() = float32, FRIT_KEY);
  def(r, "random.normal", &normal_of, "shape"_a = nb::list(), "dtype"_a.none() = float32, "loc"_a = nb::none(),
      "scale"_a = nb::none(), FRIT_KEY);
  def(
      r, "random.randint",
      [](const Value& low, const Value& high, const ShapeOrNumber& shape, std::optional<Dtype> t, const MaybeArray& key,
         StreamOrDevice s) {
        const Dtype type = t.value_or(int32);
        return random::randint(low.get(), high.get(), shape.get(), type, key, s);
      },
      "low"_a, "high"_a, "shape"_a = nb::list(), "dtype"_a.none() = int32, FRIT_KEY);
  def(
      r, "random.bernoulli",
      [](const Value& p, const std::optional<ShapeOrNumber>& shape, const MaybeArray& key, StreamOrDevice s) {
        const array chance = p.get();
        return shape ? random::bernoulli(chance, shape->get(), key, s) : random::bernoulli(chance, key, s);
      },
      "p"_a = 0.5, "shape"_a = nb::none(), FRIT_KEY);
  def(
      r, "random.truncated_normal",
      [](const Value& low, const Value& high, const std::optional<ShapeOrNumber>& shape, std::optional<Dtype> t,
         const MaybeArray& key, StreamOrDevice s) {
        const Dtype type = t.value_or(float32);
        const array from = low.get(type), to = high.get(type);
        return random::truncated_normal(from, to, shape ? shape->get() : broadcast(from, to), type, key, s);
      },
      "lower"_a, "upper"_a, "shape"_a = nb::none(), "dtype"_a.none() = float32, FRIT_KEY);
  def(
      r, "random.gumbel",
      [](const ShapeOrNumber& shape, std::optional<Dtype> t, const MaybeArray& key, StreamOrDevice s) {
        return random::gumbel(shape.get(), t.value_or(float32), key, s);
      },
      "shape"_a = nb::list(), "dtype"_a.none() = float32, FRIT_KEY);
  def(
      r, "random.laplace",
      [](const ShapeOrNumber& shape, std::optional<Dtype> t, float loc, float scale, const MaybeArray& key,
         StreamOrDevice s) { return random::laplace(shape.get(), t.value_or(float32), loc, scale, key, s); },
      "shape"_a = nb::list(), "dtype"_a.none() = float32, "loc"_a = 0.0f, "scale"_a = 1.0f, FRIT_KEY);
  def(r, "random.categorical", &categorical_of, "logits"_a, "axis"_a = -1, "shape"_a = nb::none(),
      "num_samples"_a = nb::none(), FRIT_KEY);
  def(r, "random.permutation", &permutation_of, "x"_a, "axis"_a = 0, FRIT_KEY);
  def(
      r, "random.multivariate_normal",
      [](const array& mean, const array& cov, const ShapeOrNumber& shape, std::optional<Dtype> t, const MaybeArray& key,
         StreamOrDevice s) { return random::multivariate_normal(mean, cov, shape.get(), t.value_or(float32), key, s); },
      "mean"_a, "cov"_a, "shape"_a = nb::list(), "dtype"_a.none() = float32, FRIT_KEY);
}

}  // namespace frit::python
