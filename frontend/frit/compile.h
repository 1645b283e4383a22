// compile(): traces a function of arrays once, and runs it as fused machine code from then on.
//
//   auto f = frit::compile([](array x, array y) { return exp(-x) + y; });
//   array z = f(x, y);        // first call: traced; later calls with the same shapes and dtypes: a look-up
//
//   auto g = frit::compile(fn, true);   // shapeless: one trace and one code for every shape
//
// The function may take and return arrays, vectors, maps by name, pairs, tuples and optionals of them, and take
// numbers. It is traced again when the structure, element types or ranks of its arguments or the values of its numbers
// are new, and, unless it is shapeless, when shapes are. A number given for a parameter that is an array is a constant
// too, until it has changed a few times: then it becomes an input. Arrays that the function captures are constants,
// with the values that they had when it was traced. Calls return lazy arrays and may be made from many threads. Inside
// a trace a compiled function is traced as part of the outer one. Exceptions of the function pass through unchanged,
// except that frit's own gain a note with the function's name.
//
// FRIT_LOG=recompiles prints a line for every trace after the first, with its reason (frit/log.h); `explain` gives the
// same lines afterwards.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "frit/array.h"
#include "frit/compile_options.h"
#include "frit/detail/arguments.h"
#include "frit/detail/compiled.h"

namespace frit {

// A compiled function over lists of arrays, as MLX's compile() returns. Copies share one cache. An empty one may be
// assigned to; calling it throws InvalidArgument.
class CompiledFunction : public detail::CompiledBase {
 public:
  CompiledFunction() = default;
  CompiledFunction(std::function<std::vector<array>(const std::vector<array>&)> fn, CompileOptions options);
  std::vector<array> operator()(const std::vector<array>& inputs) const;
  // Traces and compiles for these arguments and returns every form on the way, without running.
  Inspection lower(const std::vector<array>& inputs) const;
  // The same without data; open sizes by name. Without arguments: for the declared signature.
  Inspection lower(const std::vector<ShapeDtype>& inputs) const;
  // Traces and compiles, so that the first call finds its code.
  void compile_ahead(const std::vector<ShapeDtype>& inputs) const;
  void compile_ahead() const;
};

// A compiled function that is called as `F` is. Copies share one cache.
template <class F>
class TypedFunction : public detail::CompiledBase {
 public:
  using detail::CompiledBase::CompiledBase;

  template <class... A>
    requires((detail::Treelike<A> && ...) && (std::invocable<F&, detail::Built<detail::Tree<A>>...> ||
                                              std::invocable<F&, detail::Built<detail::Tree<detail::AsArray<A>>>...>))
  auto operator()(const A&... arguments) const {
    if constexpr (std::invocable<F&, detail::Built<detail::Tree<A>>...>)
      return run<A...>(arguments...);
    else
      return run<detail::AsArray<A>...>(arguments...);
  }

  // Traces and compiles for these arguments and returns every form on the way, without running.
  template <class... A>
    requires((detail::Treelike<A> && ...) && sizeof...(A) > 0)
  Inspection lower(const A&... arguments) const {
    if constexpr (std::invocable<F&, detail::Built<detail::Tree<A>>...>)
      return lower_as<A...>(arguments...);
    else
      return lower_as<detail::AsArray<A>...>(arguments...);
  }
  // The same without data; open sizes by name. Without arguments: for the declared signature.
  template <std::same_as<ShapeDtype>... A>
  Inspection lower(const A&... arguments) const {
    return ahead(
        std::index_sequence_for<A...>(), [&](detail::ClosureFn fn, auto list) { return inspect_ahead(fn, list); },
        arguments...);
  }
  // Traces and compiles, so that the first call finds its code.
  template <std::same_as<ShapeDtype>... A>
  void compile_ahead(const A&... arguments) const {
    ahead(
        std::index_sequence_for<A...>(),
        [&](detail::ClosureFn fn, auto list) {
          compile_ahead_of(fn, list);
          return 0;
        },
        arguments...);
  }

 private:
  template <class... T>
  using ResultOf = std::decay_t<std::invoke_result_t<F&, detail::Built<detail::Tree<T>>...>>;

  template <class... T>
  static void thunk(const void* closure, detail::Reader& in, std::vector<array>& results,
                    detail::Structure& structure) {
    F& f = *static_cast<F*>(const_cast<void*>(closure));
    std::tuple<detail::Built<detail::Tree<T>>...> arguments{detail::Tree<T>::build(in)...};
    const ResultOf<T...> result = std::apply(f, std::move(arguments));
    detail::Leaves leaves;
    detail::Tree<ResultOf<T...>>::flatten(result, leaves);
    for (const array* a : leaves.arrays) results.push_back(*a);
    structure = std::move(leaves.structure);
  }

  template <class... T, class Then, class... A>
  auto with_call(Then&& then, const A&... arguments) const {
    if constexpr ((std::is_same_v<T, array> && ...)) {
      const std::array<const array*, sizeof...(A)> list{&arguments...};
      return then(detail::Call{&thunk<T...>, list});
    } else {
      detail::Leaves leaves;
      leaves.promoted = promoted();
      (detail::Tree<T>::flatten(arguments, leaves), ...);
      leaves.finish();
      return then(detail::Call{&thunk<T...>, leaves.arrays, &leaves.structure});
    }
  }

  template <class... T, class... A>
  ResultOf<T...> run(const A&... arguments) const {
    using R = ResultOf<T...>;
    static_assert(detail::Treelike<R>,
                  "a compiled function returns arrays, or vectors, maps, pairs, tuples or optionals of them");
    return with_call<T...>(
        [&](const detail::Call& c) {
          if constexpr (std::is_same_v<R, array>) {
            return call_single(c);
          } else {
            detail::Structure structure;
            const std::vector<array> results = call(c, structure);
            detail::Reader in(structure, results);
            return detail::Tree<R>::build(in);
          }
        },
        arguments...);
  }

  template <class... T, class... A>
  Inspection lower_as(const A&... arguments) const {
    return with_call<T...>([&](const detail::Call& c) { return inspect(c); }, arguments...);
  }

  template <size_t... I, class Then, class... A>
  auto ahead(std::index_sequence<I...>, Then&& then, const A&... arguments) const {
    if constexpr (sizeof...(A) > 0) {
      const std::array<ShapeDtype, sizeof...(A)> list{arguments...};
      return then(&thunk<array_for<I>...>, std::span<const ShapeDtype>(list));
    } else {
      static_assert(detail::PlainCallable<F>, "give a ShapeDtype for each argument of a generic function");
      return [&]<size_t... J>(std::index_sequence<J...>) {
        return then(&thunk<array_for<J>...>, std::span<const ShapeDtype>(signature()));
      }(std::make_index_sequence<detail::Callable<F>::arity>());
    }
  }
  template <size_t>
  using array_for = array;
};

// Counters of the whole process.
struct CompileStats {
  size_t traces;        // made by compiled functions
  size_t compilations;  // graphs turned into code, by compiled functions and by eager evaluation
  size_t shared;        // requests for code that an equal graph had been compiled to before
  size_t held;          // executables in memory
};

enum class CompileMode { disabled, no_simplify, no_fuse, enabled };

// ---- Written from frontend/api: compilation

// A function that traces `fun` when it is called with arguments of new structure, element types or ranks, and with new
// shapes unless it is shapeless. Other calls are a look-up. `fun` may take and return arrays, vectors, maps by name,
// pairs, tuples and optionals of them, and take numbers. CompileOptions gives a name, captured state, declared sizes
// and a device.
// Throws InvalidArgument when the function is null; a call throws the exceptions of `fun`, and frit's own with a note
// that has the function's name.
template <class F>
  requires(detail::is_list_function<std::decay_t<F>>())
CompiledFunction compile(F&& fn, CompileOptions options) {
  detail::check_not_null<std::decay_t<F>>(fn);
  return CompiledFunction(std::forward<F>(fn), std::move(options));
}
template <class F>
  requires(!detail::is_list_function<std::decay_t<F>>())
auto compile(F&& fn, CompileOptions options) {
  using Fn = std::decay_t<F>;
  detail::check_not_null<Fn>(fn);
  return TypedFunction<Fn>(std::make_shared<Fn>(std::forward<F>(fn)), std::move(options));
}
template <class F>
auto compile(F&& fn, bool shapeless = false) {
  CompileOptions options;
  options.shapeless = shapeless;
  return compile(std::forward<F>(fn), std::move(options));
}
// Throws InvalidArgument: there is nothing to compile. `decltype(compile(nullptr))` is the type of a compiled function
// over lists.
CompiledFunction compile(std::nullptr_t, bool shapeless = false);

// Makes compiled functions call the function itself. The environment variable FRIT_DISABLE_COMPILE, set to anything but
// 0 or nothing, does so from the start.
void disable_compile();

// Makes compiled functions run compiled code.
void enable_compile();

// Chooses the work of compiled functions: `disabled` calls the function itself, `no_simplify` and `no_fuse` leave out
// the simplification of the graph and fusion, `enabled` runs every pass.
void set_compile_mode(CompileMode mode);

// The mode that is set.
CompileMode get_compile_mode();

// Counters of the process: traces made by compiled functions, graphs turned into code, requests for code that an equal
// graph had been compiled to before, and executables held.
CompileStats compile_stats();

// ---- End of frontend/api: compilation

}  // namespace frit
