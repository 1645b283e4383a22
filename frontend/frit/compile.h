// compile(): traces a function of arrays once, and runs it as fused machine code from then on.
//
//   auto f = frit::compile([](array x, array y) { return exp(-x) + y; });
//   array z = f(x, y);        // first call: traced; later calls with the same shapes and dtypes: a look-up
//
// The function is traced again when the number, rank, shape or dtype of its arguments is new. Arrays that the function captures are constants: the
// value they had when it was traced. Calls return lazy arrays and may be made from many threads. Inside a trace a compiled function is
// traced as part of the outer one. Exceptions of the function pass through with its name added when they are frit's own.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frit/array.h"
#include "frit/stream.h"

namespace frit {

// Arrays outside a compiled function that it reads (`inputs`) or writes (`outputs`). Holds pointers: what it names must outlive the function.
class State {
 public:
  State() = default;
  State(std::initializer_list<array*> arrays) {
    for (array* a : arrays) add(*a);
  }
  State(std::vector<array>& arrays) { add(arrays); }

  State& add(array& a);
  State& add(std::vector<array>& arrays);                        // as long as it is at each call
  State& add(std::map<std::string, array>& arrays);
  State& add(std::unordered_map<std::string, array>& arrays);    // in the order of the keys
  bool empty() const { return parts_.empty(); }
  // Every array, in order.
  std::vector<array*> arrays() const;

 private:
  std::vector<std::function<void(std::vector<array*>&)>> parts_;
};

struct CompileOptions {
  std::string name;        // for messages, generated code and dumps; default: "compiled"
  bool shapeless = false;  // trace once for every shape; not supported yet: refused with InvalidArgument
  State inputs = {}, outputs = {};   // captured state that is read and written at every call, and restored when the function throws
  Device device = Device::cpu;
};

// What a function became for given arguments.
struct Inspection {
  std::string ir;         // as traced
  std::string optimised;  // after the graph passes, before lowering
  std::string kernels;    // the kernel program
  int kernel_count = 0;   // kernels and library calls that one call runs
};

namespace detail {

class CompiledState;  // caches and options of one compiled function

// The user's function as an untyped call; `closure` is what it was made from.
using ClosureFn = std::vector<array> (*)(const void* closure, std::span<const array> arguments);

class CompiledBase {
 public:
  CompiledBase(std::shared_ptr<const void> closure, ClosureFn fn, CompileOptions options);
  // Drops every trace and its code.
  void clear() const;
  // How many traces are held and how many were made in all.
  size_t cache_size() const;
  size_t trace_count() const;
  const std::string& name() const;

 protected:
  std::vector<array> call(std::span<const array* const> arguments) const;
  array call_single(std::span<const array* const> arguments) const;
  Inspection inspect(std::span<const array* const> arguments) const;

 private:
  std::shared_ptr<CompiledState> state_;
};

// How results travel between a function's own return type and a list of arrays.
template <class R>
struct Results;
template <>
struct Results<array> {
  static std::vector<array> flatten(array r) { return {std::move(r)}; }
};
template <>
struct Results<std::vector<array>> {
  static std::vector<array> flatten(std::vector<array> r) { return r; }
  static std::vector<array> build(std::vector<array> r) { return r; }
};
template <class... Arrays>
  requires(std::is_same_v<Arrays, array> && ...)
struct Results<std::tuple<Arrays...>> {
  static std::vector<array> flatten(std::tuple<Arrays...> r) {
    return std::apply([](auto&... a) { return std::vector<array>{a...}; }, r);
  }
  static std::tuple<Arrays...> build(std::vector<array> r) {
    return [&]<size_t... I>(std::index_sequence<I...>) {
      return std::tuple<Arrays...>(std::move(r[I])...);
    }(std::index_sequence_for<Arrays...>());
  }
};
template <>
struct Results<std::pair<array, array>> {
  static std::vector<array> flatten(std::pair<array, array> r) { return {r.first, r.second}; }
  static std::pair<array, array> build(std::vector<array> r) { return {std::move(r[0]), std::move(r[1])}; }
};

template <class F>
inline constexpr bool is_list_function =
    std::is_invocable_r_v<std::vector<array>, const F&, const std::vector<array>&> &&
    !std::is_invocable_v<const F&, const array&>;

// The parameters of a callable, from its call operator or function type.
template <class F>
struct Callable : Callable<decltype(&F::operator())> {};
template <class R, class... A>
struct Callable<R(A...)> {
  using Result = std::decay_t<R>;
  static constexpr size_t arity = sizeof...(A);
  static constexpr bool takes_arrays = (std::is_same_v<std::decay_t<A>, array> && ...);
};
template <class R, class... A>
struct Callable<R (*)(A...)> : Callable<R(A...)> {};
template <class C, class R, class... A>
struct Callable<R (C::*)(A...)> : Callable<R(A...)> {};
template <class C, class R, class... A>
struct Callable<R (C::*)(A...) const> : Callable<R(A...)> {};
template <class C, class R, class... A>
struct Callable<R (C::*)(A...) noexcept> : Callable<R(A...)> {};
template <class C, class R, class... A>
struct Callable<R (C::*)(A...) const noexcept> : Callable<R(A...)> {};
template <class R, class... A>
struct Callable<R (*)(A...) noexcept> : Callable<R(A...)> {};

}  // namespace detail

// A compiled function over lists of arrays: what MLX's compile gives. Copies share one cache.
class CompiledFunction : public detail::CompiledBase {
 public:
  CompiledFunction(std::function<std::vector<array>(const std::vector<array>&)> fn, CompileOptions options);
  std::vector<array> operator()(const std::vector<array>& inputs) const;
  // Traces and compiles for these arguments and returns every form on the way, without running.
  Inspection lower(const std::vector<array>& inputs) const;
};

// A compiled function of `N` arrays that returns what `F` returns: an array, a pair, tuple or vector of arrays. Copies share one cache.
template <class R, size_t N>
class TypedFunction : public detail::CompiledBase {
 public:
  using detail::CompiledBase::CompiledBase;

  template <class... Arrays>
    requires(sizeof...(Arrays) == N && (std::is_convertible_v<const Arrays&, const array&> && ...))
  R operator()(const Arrays&... arguments) const {
    const std::array<const array*, N> list{&static_cast<const array&>(arguments)...};
    if constexpr (std::is_same_v<R, array>) return call_single(list);
    else return detail::Results<R>::build(call(list));
  }

  template <class... Arrays>
    requires(sizeof...(Arrays) == N && (std::is_convertible_v<const Arrays&, const array&> && ...))
  Inspection lower(const Arrays&... arguments) const {
    const std::array<const array*, N> list{&static_cast<const array&>(arguments)...};
    return inspect(list);
  }
};

CompiledFunction compile(std::function<std::vector<array>(const std::vector<array>&)> fn, CompileOptions options);
CompiledFunction compile(std::function<std::vector<array>(const std::vector<array>&)> fn, bool shapeless = false);

template <class F>
  requires(!detail::is_list_function<std::decay_t<F>> && detail::Callable<std::decay_t<F>>::takes_arrays)
auto compile(F&& fn, CompileOptions options) {
  using Fn = std::decay_t<F>;
  using Traits = detail::Callable<Fn>;
  using R = typename Traits::Result;
  auto closure = std::make_shared<Fn>(std::forward<F>(fn));
  detail::ClosureFn call = [](const void* c, std::span<const array> arguments) -> std::vector<array> {
    Fn& f = *static_cast<Fn*>(const_cast<void*>(c));
    return [&]<size_t... I>(std::index_sequence<I...>) {
      return detail::Results<R>::flatten(f(array(arguments[I])...));
    }(std::make_index_sequence<Traits::arity>());
  };
  return TypedFunction<R, Traits::arity>(std::move(closure), call, std::move(options));
}

template <class F>
  requires(!detail::is_list_function<std::decay_t<F>> && detail::Callable<std::decay_t<F>>::takes_arrays)
auto compile(F&& fn, bool shapeless = false) {
  CompileOptions options;
  options.shapeless = shapeless;
  return compile(std::forward<F>(fn), std::move(options));
}

// Of the whole process: traces made by compiled functions, graphs turned into code (by compiled functions and by eager evaluation), requests for code that an
// equal graph had been compiled to before, and executables held.
struct CompileStats {
  size_t traces, compilations, shared, held;
};
CompileStats compile_stats();

// disabled: compiled functions call the function itself. no_simplify and no_fuse leave out the graph simplification and fusion; enabled is everything.
// FRIT_DISABLE_COMPILE set to anything but 0 or nothing starts the process with compilation disabled.
enum class CompileMode { disabled, no_simplify, no_fuse, enabled };
void disable_compile();
void enable_compile();
void set_compile_mode(CompileMode mode);
CompileMode get_compile_mode();

}  // namespace frit
