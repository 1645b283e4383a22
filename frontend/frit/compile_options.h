// Options of compile(), and the reports of a compiled function.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frit/array.h"
#include "frit/detail/arguments.h"
#include "frit/stream.h"

namespace frit {

class State;

namespace detail {

// Every array of a state in order, with the counts and names around them appended to `structure`.
std::vector<array*> state_arrays(const State& state, Structure& structure);

// Captured state while a function is traced: the function works on a copy, and destruction puts the original back, to
// the addresses that it had.
class StateAside {
 public:
  StateAside(const State& inputs, const State& outputs);
  ~StateAside();
  StateAside(const StateAside&) = delete;
  StateAside& operator=(const StateAside&) = delete;

 private:
  std::vector<std::function<void()>> restore_;
};

}  // namespace detail

// Arrays outside of a compiled function that it reads (`inputs`) or writes (`outputs`). A State holds pointers: what it
// names must outlive the function. The function may put other trees into the place of those that it names.
class State {
 public:
  State() = default;
  State(std::initializer_list<array*> arrays) {
    for (array* a : arrays) add(*a);
  }
  State(std::vector<array>& arrays) { add(arrays); }

  State& add(array& a);
  State& add(std::unordered_map<std::string, array>& arrays);  // in the order of the keys
  // A tree of arrays of any form, read anew at each call: nested vectors, maps, pairs, tuples and optionals,
  // nn::Parameters, the state of an optimiser.
  template <class T>
    requires(detail::Treelike<T> && !detail::is_scalar<T>)
  State& add(T& tree) {
    return add(tree, [](T& t, std::vector<array*>& out, detail::Structure& structure) {
      detail::Leaves leaves;
      detail::Tree<T>::flatten(t, leaves);
      for (const array* a : leaves.arrays) out.push_back(const_cast<array*>(a));
      structure.parts.insert(structure.parts.end(), leaves.structure.parts.begin(), leaves.structure.parts.end());
      structure.names += leaves.structure.names;
    });
  }
  bool empty() const { return parts_.empty(); }
  // Every array, in order.
  std::vector<array*> arrays() const;

 private:
  friend std::vector<array*> detail::state_arrays(const State& state, detail::Structure& structure);
  friend class detail::StateAside;

  struct Part {
    std::function<void(std::vector<array*>&, detail::Structure&)> list;
    std::function<std::function<void()>()> set_aside;  // returns what puts it back
  };
  template <class T, class List>
  State& add(T& tree, List list) {
    parts_.push_back({[at = &tree, list](std::vector<array*>& out, detail::Structure& s) { list(*at, out, s); },
                      [at = &tree]() -> std::function<void()> {
                        // A move keeps the addresses of the arrays inside.
                        auto aside = std::make_shared<T>(std::move(*at));
                        *at = *aside;
                        return [at, aside] { *at = std::move(*aside); };
                      }});
    return *this;
  }
  std::vector<Part> parts_;
};

// The name of an open size and what is declared of it: bounds, both included, and a number that it is a multiple of.
struct DimDeclaration {
  static constexpr int64_t kMax = 2147483647;  // the largest size of an axis

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

// How freely the compiler of a custom kernel may compute. frit has no custom kernels, and its own are always Safe.
enum class MathMode { Safe, Relaxed, Fast };

// Of compile() and, as in MLX, of metal_kernel(), which reads none of them.
struct CompileOptions {
  using Data = int;

  std::string name = {};   // for messages, generated code and dumps; default: "compiled"
  bool shapeless = false;  // trace once for every shape: sizes are inputs of the code
  // Captured state that every call reads and writes. It is restored when the function throws.
  State inputs = {}, outputs = {};
  std::optional<Device> device = {};  // where calls run; default: the default device at the time of the call
  // A call that breaks what an earlier trace assumed of sizes throws InvalidArgument with the assumption and its line
  // instead of being traced again.
  bool strict = false;
  // Traces that the function may take; one more throws InvalidArgument with the reason. 0: any number.
  size_t max_traces = 0;
  // Open sizes by name, and the arguments in their terms. With a signature, every call is checked against it
  // (InvalidArgument), and compile_ahead() needs no arguments.
  std::vector<DimDeclaration> dims = {};
  std::vector<ShapeDtype> signature = {};
  // Changes no result: frit computes as Safe says.
  MathMode math_mode = MathMode::Safe;

  // The number of the math mode.
  Data serialize() const { return static_cast<Data>(math_mode); }
};

// Counters of one compiled function. Times are in milliseconds.
struct FunctionStats {
  size_t calls = 0;     // outside of traces, with compilation enabled
  size_t hits = 0;      // calls that found a trace
  size_t traces = 0;    // made in all
  size_t compiles = 0;  // code generations that its traces caused; fewer where equal graphs had code already
  size_t entries = 0;   // traces held
  double trace_ms = 0, compile_ms = 0;
};

// The forms of a function on its way to code, for given arguments.
struct Inspection {
  std::string ir;         // as traced
  std::string optimised;  // after the graph passes, before lowering
  std::string kernels;    // the kernel program
  std::string assembly;   // its machine code as text: the processor's assembly, or a GPU's shaders in GLSL
  int kernel_count = 0;   // kernels and library calls that one call runs
};

// The machines that a package is made for (docs/offline.md).
struct SaveOptions {
  // Processors: "x86-64-v4", "x86-64-v3", "x86-64-v2", "aarch64", "native" or a processor's name; a loader takes the
  // first that runs. None: the three levels of x86-64, newest first (on aarch64: "aarch64").
  std::vector<std::string> cpus = {};
  bool vulkan = false;  // shaders for GPUs as well
};

}  // namespace frit
