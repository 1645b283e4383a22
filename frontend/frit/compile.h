// compile(): traces a function of arrays once, and runs it as fused machine code from then on.
//
//   auto f = frit::compile([](array x, array y) { return exp(-x) + y; });
//   array z = f(x, y);        // first call: traced; later calls with the same shapes and dtypes: a look-up
//
//   auto g = frit::compile(fn, true);   // shapeless: one trace and one code for every shape
//
// The function may take and return arrays, vectors, maps by name, pairs, tuples and optionals of them, and take
// numbers. It is traced again when the structure, dtypes or ranks of its arguments or its numbers are new, and, unless
// it is shapeless, when shapes are. A number given for a parameter that is an array is a constant too, until it has
// changed a few times: then it becomes an input. Arrays that the function captures are constants: the value they had
// when it was traced. Calls return lazy arrays and may be made from many threads. Inside a trace a compiled function is
// traced as part of the outer one. Exceptions of the function pass through with its name added when they are frit's
// own.
//
// FRIT_LOG=recompiles prints a line for every trace after the first, with its reason (frit/log.h); `explain` tells the
// same afterwards.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frit/arguments.h"
#include "frit/array.h"
#include "frit/stream.h"

namespace frit {

// Arrays outside a compiled function that it reads (`inputs`) or writes (`outputs`). Holds pointers: what it names must
// outlive the function.
class State {
 public:
  State() = default;
  State(std::initializer_list<array*> arrays) {
    for (array* a : arrays) add(*a);
  }
  State(std::vector<array>& arrays) { add(arrays); }

  State& add(array& a);
  State& add(std::vector<array>& arrays);  // as long as it is at each call
  State& add(std::map<std::string, array>& arrays);
  State& add(std::unordered_map<std::string, array>& arrays);  // in the order of the keys
  bool empty() const { return parts_.empty(); }
  // Every array, in order.
  std::vector<array*> arrays() const;
  // The same, and behind `structure` what they are in: how many, under which names.
  std::vector<array*> arrays(std::string& structure) const;

 private:
  std::vector<std::function<void(std::vector<array*>&, std::string&)>> parts_;
};

// The name of an open size and what is declared of it: bounds, both included, and a number that it is a multiple of.
struct DimDeclaration {
  static constexpr int64_t kMax = 2147483647;  // what an axis holds

  DimDeclaration(std::string name, int64_t low = 0, int64_t high = kMax)
      : name(std::move(name)), low(low), high(high) {}
  DimDeclaration(std::string name, DimMultiple multiple) : name(std::move(name)), multiple(multiple.factor) {}
  DimDeclaration(std::string name, int64_t low, int64_t high, DimMultiple multiple)
      : name(std::move(name)), low(low), high(high), multiple(multiple.factor) {}

  std::string name;
  int64_t low = 0, high = kMax, multiple = 1;
};

// A size of a declared shape: a number, or the name of an open size.
struct DeclaredSize {
  template <std::integral T>
  DeclaredSize(T value) : value(static_cast<int64_t>(value)) {}
  DeclaredSize(const char* name) : name(name) {}
  DeclaredSize(std::string name) : name(std::move(name)) {}

  std::string name;  // empty for a number
  int64_t value = 0;
};

// An argument without data: ShapeDtype{{"b", 128}, float32}.
struct ShapeDtype {
  ShapeDtype(std::vector<DeclaredSize> shape, Dtype dtype = float32) : shape(std::move(shape)), dtype(dtype) {}

  std::vector<DeclaredSize> shape;
  Dtype dtype;
};

struct CompileOptions {
  std::string name = {};   // for messages, generated code and dumps; default: "compiled"
  bool shapeless = false;  // trace once for every shape: sizes are inputs of the code
  State inputs = {},
        outputs = {};  // captured state that is read and written at every call, and restored when the function throws
  std::optional<Device> device = {};  // where calls run; default: the default device of the moment
  // A call that breaks what an earlier trace assumed of sizes throws InvalidArgument with the assumption and its line
  // instead of being traced again.
  bool strict = false;
  // Traces that the function may take; one more throws InvalidArgument with the reason. 0: any number.
  size_t max_traces = 0;
  // Open sizes by name, and the arguments in their terms. With a signature, every call is checked against it
  // (InvalidArgument), and compile_ahead() needs no arguments.
  std::vector<DimDeclaration> dims = {};
  std::vector<ShapeDtype> signature = {};
};

// Of one compiled function. Times are in milliseconds.
struct FunctionStats {
  size_t calls = 0;     // outside of traces, with compilation enabled
  size_t hits = 0;      // calls that found a trace
  size_t traces = 0;    // made in all
  size_t compiles = 0;  // code generations that its traces caused; fewer where equal graphs had code already
  size_t entries = 0;   // traces held
  double trace_ms = 0, compile_ms = 0;
};

// What a function became for given arguments.
struct Inspection {
  std::string ir;         // as traced
  std::string optimised;  // after the graph passes, before lowering
  std::string kernels;    // the kernel program
  int kernel_count = 0;   // kernels and library calls that one call runs
};

// What a package is made for (docs/offline.md).
struct SaveOptions {
  // Processors: "x86-64-v4", "x86-64-v3", "x86-64-v2", "aarch64", "native" or a processor's name; a loader takes the
  // first that runs. None: the three levels of x86-64, newest first (on aarch64: "aarch64").
  std::vector<std::string> cpus = {};
  bool vulkan = false;  // shaders for GPUs as well
};

namespace detail {

class CompiledState;  // caches and options of one compiled function

// The user's function as an untyped call: puts arguments together, calls, takes results apart.
using ClosureFn = void (*)(const void* closure, Reader& arguments, std::vector<array>& results, std::string& structure);

// One call: which instance of the closure, the arrays and the structure around them.
struct Call {
  ClosureFn fn;
  std::span<const array* const> arrays;
  std::string_view structure = {};
};

class CompiledBase {
 public:
  CompiledBase(std::shared_ptr<const void> closure, CompileOptions options);
  // Drops every trace and its code.
  void clear() const;
  // How many traces are held and how many were made in all.
  size_t cache_size() const;
  size_t trace_count() const;
  FunctionStats stats() const;
  // Counters, what each trace holds to, and for each trace after the first what differed from the nearest one before
  // and what to do about it.
  std::string explain() const;
  const std::string& name() const;
  // Writes every trace that is held, compiled for the machines that the options name, to a package that runs without a
  // compiler: functions name, name:1,
  // ... in the order they were traced. Captured arrays are inside. Throws InvalidArgument where nothing is traced yet
  // (call it, or compile_ahead), or where the function reads and writes captured state; RuntimeError where the file
  // cannot be written.
  void save(const std::string& path, const SaveOptions& options = {}) const;

 protected:
  std::vector<array> call(const Call& call, std::string& structure) const;
  array call_single(const Call& call) const;
  Inspection inspect(const Call& call) const;
  Inspection inspect_ahead(ClosureFn fn, std::span<const ShapeDtype> arguments) const;
  void compile_ahead_of(ClosureFn fn, std::span<const ShapeDtype> arguments) const;
  uint64_t promoted() const;
  const std::vector<ShapeDtype>& signature() const;

 private:
  std::shared_ptr<CompiledState> state_;
};

// The parameters of a callable that has one call operator, or of a function pointer; generic ones have no such form.
template <class F>
struct Callable : Callable<decltype(&F::operator())> {};
template <class R, class... A>
struct Callable<R(A...)> {
  using Result = std::decay_t<R>;
  static constexpr int arity = sizeof...(A);
  static constexpr bool takes_list = sizeof...(A) == 1 && (std::is_same_v<std::decay_t<A>, std::vector<array>> && ...);
};
template <class R, class... A>
struct Callable<R (*)(A...)> : Callable<R(A...)> {};
template <class R, class... A>
struct Callable<R (*)(A...) noexcept> : Callable<R(A...)> {};
template <class C, class R, class... A>
struct Callable<R (C::*)(A...)> : Callable<R(A...)> {};
template <class C, class R, class... A>
struct Callable<R (C::*)(A...) const> : Callable<R(A...)> {};
template <class C, class R, class... A>
struct Callable<R (C::*)(A...) noexcept> : Callable<R(A...)> {};
template <class C, class R, class... A>
struct Callable<R (C::*)(A...) const noexcept> : Callable<R(A...)> {};

template <class F>
concept PlainCallable = std::is_pointer_v<F> || requires { &F::operator(); };
template <class F>
consteval bool is_list_function() {
  if constexpr (PlainCallable<F>)
    return Callable<F>::takes_list && std::is_same_v<typename Callable<F>::Result, std::vector<array>>;
  else
    return false;
}

}  // namespace detail

// A compiled function over lists of arrays: what MLX's compile gives. Copies share one cache.
class CompiledFunction : public detail::CompiledBase {
 public:
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
  static void thunk(const void* closure, detail::Reader& in, std::vector<array>& results, std::string& structure) {
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
      return then(detail::Call{&thunk<T...>, leaves.arrays, leaves.structure});
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
            std::string structure;
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

template <class F>
  requires(detail::is_list_function<std::decay_t<F>>())
CompiledFunction compile(F&& fn, CompileOptions options) {
  return CompiledFunction(std::forward<F>(fn), std::move(options));
}

template <class F>
  requires(!detail::is_list_function<std::decay_t<F>>())
auto compile(F&& fn, CompileOptions options) {
  using Fn = std::decay_t<F>;
  return TypedFunction<Fn>(std::make_shared<Fn>(std::forward<F>(fn)), std::move(options));
}

template <class F>
auto compile(F&& fn, bool shapeless = false) {
  CompileOptions options;
  options.shapeless = shapeless;
  return compile(std::forward<F>(fn), std::move(options));
}

// Of the whole process: traces made by compiled functions, graphs turned into code (by compiled functions and by eager
// evaluation), requests for code that an equal graph had been compiled to before, and executables held.
struct CompileStats {
  size_t traces, compilations, shared, held;
};
CompileStats compile_stats();

// disabled: compiled functions call the function itself. no_simplify and no_fuse leave out the graph simplification and
// fusion; enabled is everything. FRIT_DISABLE_COMPILE set to anything but 0 or nothing starts the process with
// compilation disabled.
enum class CompileMode { disabled, no_simplify, no_fuse, enabled };
void disable_compile();
void enable_compile();
void set_compile_mode(CompileMode mode);
CompileMode get_compile_mode();

}  // namespace frit
