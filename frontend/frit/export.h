// Functions as files: traced once here, called, compiled or inspected elsewhere (docs/offline.md). The names follow
// MLX's.
//
//   export_function("mlp.frit", fn, {x});                       // a graph file; captured arrays go to mlp.safetensors
//   beside it auto f = import_function("mlp.frit"); array y = f({x})[0];
//
// A file's ending says what it is: ".json" for JSON, ".fritpkg" for an archive that has the weights inside, any other
// for text. An archive holds no code; `frit compile` and CompiledFunction::save make those that do. Everything written
// appears whole or not at all. Errors are frit's own: InvalidArgument for what a caller gave, RuntimeError for files.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "frit/array.h"
#include "frit/compile.h"

namespace frit {

using Args = std::vector<array>;
using Kwargs = std::unordered_map<std::string, array>;

using ArgsFunction = std::function<std::vector<array>(const Args&)>;
using KwargsFunction = std::function<std::vector<array>(const Kwargs&)>;
using ArgsKwargsFunction = std::function<std::vector<array>(const Args&, const Kwargs&)>;

struct ExportOptions {
  std::string name = {};   // of the function in the file; where it is left out, the file's name without its ending
  bool shapeless = false;  // one trace for every shape; what cannot be shown to hold for all is an error
  std::vector<std::string> inputs = {};   // names of the arguments; x, y, z or x0, x1, ... where they are left out
  std::vector<std::string> outputs = {};  // names of the results; none where they are left out
  std::vector<DimDeclaration> dims = {};  // open sizes by name, for arguments given as ShapeDtype
  Kwargs weights = {};  // names for arrays that the function captures, as they go to the file of weights
};

// Traces `fun` for arguments of these shapes and element types and writes the graph. Names of keyword arguments are
// names of inputs, in their order. Throws InvalidArgument where the function cannot be traced, RuntimeError where the
// file cannot be written.
void export_function(const std::string& file, const ArgsFunction& fun, const Args& args, bool shapeless = false);
void export_function(const std::string& file, const KwargsFunction& fun, const Kwargs& kwargs, bool shapeless = false);
void export_function(const std::string& file, const ArgsKwargsFunction& fun, const Args& args, const Kwargs& kwargs,
                     bool shapeless = false);
void export_function(const std::string& file, const ArgsFunction& fun, const Args& args, const ExportOptions& options);
// Without data; sizes that have names are open.
void export_function(const std::string& file, const ArgsFunction& fun, const std::vector<ShapeDtype>& args,
                     const ExportOptions& options = {});

// Several functions, and several traces of each, in one file. Traces of a function after the first are named f:1, f:2,
// ...
class ModuleExporter {
 public:
  explicit ModuleExporter(std::string file);
  ~ModuleExporter();
  ModuleExporter(ModuleExporter&&) noexcept;

  // Throws InvalidArgument where the function cannot be traced, or has a trace already that takes such arguments.
  void add(const ArgsFunction& fun, const Args& args, const ExportOptions& options);
  void add(const ArgsFunction& fun, const std::vector<ShapeDtype>& args, const ExportOptions& options);
  // Writes the file; nothing can be added after. Destruction without it writes nothing.
  void close();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Traces one function for several shapes: call it with arguments, then close it (or let it go, where errors are of no
// interest).
class FunctionExporter {
 public:
  FunctionExporter(std::string file, ArgsKwargsFunction fun, bool shapeless);
  ~FunctionExporter();
  FunctionExporter(FunctionExporter&&) noexcept = default;

  void operator()(const std::initializer_list<array>& args) { (*this)(Args(args)); }
  void operator()(const Args& args);
  void operator()(const Kwargs& kwargs);
  void operator()(const Args& args, const Kwargs& kwargs);
  void close();

 private:
  std::unique_ptr<ModuleExporter> module_;
  ArgsKwargsFunction fun_;
  bool shapeless_;
};
FunctionExporter exporter(const std::string& file, const ArgsFunction& fun, bool shapeless = false);
FunctionExporter exporter(const std::string& file, const KwargsFunction& fun, bool shapeless = false);
FunctionExporter exporter(const std::string& file, const ArgsKwargsFunction& fun, bool shapeless = false);

// A function of a file. A call runs the trace that the arguments fit as compiled code; inside of a function that is
// traced, it becomes part of that one. Copies share their code.
class ImportedFunction {
 public:
  // Throws InvalidArgument, with every signature there is, where no trace takes such arguments.
  std::vector<array> operator()(const std::initializer_list<array>& args) const { return (*this)(Args(args)); }
  std::vector<array> operator()(const Args& args) const;
  std::vector<array> operator()(const Kwargs& kwargs) const { return (*this)(Args(), kwargs); }
  // Positional arguments first; any input can be given by its name.
  std::vector<array> operator()(const Args& args, const Kwargs& kwargs) const;

  const std::string& name() const;
  // One per trace: "func @f(%x: f32[n]) -> f32[n]".
  std::vector<std::string> signatures() const;
  std::vector<std::string> input_names() const;   // of the first trace
  std::vector<std::string> output_names() const;  // the same; "" for results without one
  std::string ir() const;                         // the graphs of all traces

 private:
  friend class ImportedModule;
  struct State;
  explicit ImportedFunction(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

// The functions of a file, text, JSON or package.
class ImportedModule {
 public:
  std::vector<std::string> functions() const;
  // Throws InvalidArgument where there is none of that name.
  ImportedFunction function(const std::string& name) const;
  // Writes the same again; the file's ending says as what.
  void save(const std::string& file) const;

 private:
  friend ImportedModule import_module(const std::string&);
  struct State;
  explicit ImportedModule(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

// Throws RuntimeError where the file cannot be read or is not what it should be: the message has the place.
ImportedModule import_module(const std::string& file);
// The only function of a file.
ImportedFunction import_function(const std::string& file);

}  // namespace frit
