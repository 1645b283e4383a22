// The parts of compiled functions that users do not name: the untyped call, and the traits of callables.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "frit/compile_options.h"
#include "frit/detail/arguments.h"

namespace frit {

namespace detail {

class CompiledState;  // caches and options of one compiled function

// The user's function as an untyped call: it puts the arguments together, calls the function, and takes the results
// apart.
using ClosureFn = void (*)(const void* closure, Reader& arguments, std::vector<array>& results, Structure& structure);

// One call: the instance of the closure, the arrays, and the structure around them.
struct Call {
  ClosureFn fn;
  std::span<const array* const> arrays;
  const Structure* structure = nullptr;  // null where every argument is an array
  size_t captured = 0;                   // of the arrays, those at the end that are state and not arguments
};

// The part of a compiled function that does not depend on the types of its arguments. Copies share one state. An empty
// one, made by its default constructor, throws InvalidArgument from every member.
class CompiledBase {
 public:
  CompiledBase() = default;
  CompiledBase(std::shared_ptr<const void> closure, CompileOptions options);
  // Drops every trace and its code.
  void clear() const;
  // How many traces are held and how many were made in all.
  size_t cache_size() const;
  size_t trace_count() const;
  FunctionStats stats() const;
  // Counters, the assumptions of each trace, the values that a derivative in it keeps for its backward pass, and for
  // each trace after the first how it differed from the nearest one before, with the cure.
  std::string explain() const;
  // Writes a page that shows what the compiler did for the trace used last: its graph, passes, fused groups and
  // why others were not fused, kernels with their code and times, memory, and why the function was traced each time
  // (docs/report.md). A path that ends in .json gets the document alone. Throws InvalidArgument where nothing is traced
  // yet, and RuntimeError where the file cannot be written.
  void report(const std::string& path) const;
  const std::string& name() const;
  // Writes every trace that is held, compiled for the machines that the options name, to a package that runs without a
  // compiler. Its functions are name, name:1, ... in the order in which they were traced; captured arrays are inside.
  // Throws InvalidArgument where nothing is traced yet (call the function, or use compile_ahead) or where the function
  // reads or writes captured state, and RuntimeError where the file cannot be written.
  void save(const std::string& path, const SaveOptions& options = {}) const;

 protected:
  std::vector<array> call(const Call& call, Structure& structure) const;
  array call_single(const Call& call) const;
  Inspection inspect(const Call& call) const;
  Inspection inspect_ahead(ClosureFn fn, std::span<const ShapeDtype> arguments) const;
  void compile_ahead_of(ClosureFn fn, std::span<const ShapeDtype> arguments) const;
  uint64_t promoted() const;
  const std::vector<ShapeDtype>& signature() const;

 private:
  // The state, held for the time of a call: the user's function may destroy its own compiled function.
  std::shared_ptr<CompiledState> state() const;
  std::shared_ptr<CompiledState> state_;
};

// Throws InvalidArgument where a function that can be null is null.
[[noreturn]] void refuse_null_function();
template <class F>
void check_not_null(const F& fn) {
  if constexpr (std::is_constructible_v<bool, const F&> && std::is_assignable_v<F&, std::nullptr_t>)
    if (!static_cast<bool>(fn)) refuse_null_function();
}

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

}  // namespace frit
