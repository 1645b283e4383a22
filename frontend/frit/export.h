// Functions as files: traced once here, called, compiled or inspected elsewhere (docs/offline.md). The names follow
// MLX's.
//
//   export_function("mlp.frit", fn, {x});   // a graph file, and mlp.safetensors beside it with the captured arrays
//   auto f = import_function("mlp.frit");
//   array y = f({x})[0];
//
// A file's ending chooses its form: ".json" is JSON, ".fritpkg" an archive with the weights inside, any other text. An
// archive holds no code; `frit compile` and CompiledFunction::save make packages that do. A file appears whole or not
// at all. Errors are frit's own: InvalidArgument for wrong arguments, RuntimeError for files.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
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
  std::string name = {};   // of the function in the file; default: the file's name without its ending
  bool shapeless = false;  // one trace for every shape; an error where an operation cannot be shown to fit them all
  std::vector<std::string> inputs = {};   // names of the arguments; default: x, y, z or x0, x1, ...
  std::vector<std::string> outputs = {};  // names of the results; default: none
  std::vector<DimDeclaration> dims = {};  // open sizes by name, for arguments given as ShapeDtype
  Kwargs weights = {};                    // names for captured arrays in the file of weights
};

// An exported graph as a sequence of records, for programs that write formats of their own. Each record has "type", a
// string, and further fields by it, in this order:
//   "inputs"          "inputs": name, shape and element type of each argument
//   "keyword_inputs"  "keywords": keyword and name of each argument that was given by name
//   "outputs"         "outputs": name, shape and element type of each result
//   "constants"       "constants": name and value of each captured array
//   "primitive"       one for each operation, behind those whose results it takes: "name", "inputs" and "outputs"
//   (names,
//                     shapes and element types), "arguments": the values of its attributes in the order of their names
// Shapes are those of the arguments that the function is traced with.
using StateT = std::variant<bool, int, size_t, float, double, Dtype, Shape, Strides, std::vector<size_t>,
                            std::vector<std::tuple<bool, bool, bool>>, std::vector<std::variant<bool, int, float>>,
                            std::optional<float>, std::string>;
using ExportCallbackInput = std::unordered_map<
    std::string,
    std::variant<std::vector<std::tuple<std::string, Shape, Dtype>>, std::vector<std::pair<std::string, array>>,
                 std::vector<std::pair<std::string, std::string>>, std::vector<StateT>, std::string>>;
using ExportCallback = std::function<void(const ExportCallbackInput&)>;

// Several functions, and several traces of each, in one file. Traces of a function after the first are named f:1, f:2,
// ...
class ModuleExporter {
 public:
  explicit ModuleExporter(std::string file, std::string metadata = "");
  ~ModuleExporter();
  ModuleExporter(ModuleExporter&&) noexcept;

  // Throws InvalidArgument where the function is null, cannot be traced, or has a trace already that takes such
  // arguments.
  void add(const ArgsFunction& fun, const Args& args, const ExportOptions& options);
  void add(const ArgsFunction& fun, const std::vector<ShapeDtype>& args, const ExportOptions& options);
  // Writes the file; nothing can be added after. Destruction without it writes nothing.
  void close();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Traces one function for several shapes: call it with arguments, then close it. Destruction closes it too, and drops
// errors. With a callback, each call hands the records of its trace over at once.
class FunctionExporter {
 public:
  FunctionExporter(std::string file, ArgsKwargsFunction fun, bool shapeless, std::string metadata = "");
  FunctionExporter(ExportCallback callback, ArgsKwargsFunction fun, bool shapeless);
  ~FunctionExporter();
  FunctionExporter(FunctionExporter&&) noexcept = default;

  void operator()(const std::initializer_list<array>& args) { (*this)(Args(args)); }
  void operator()(const Args& args);
  void operator()(const Kwargs& kwargs);
  void operator()(const Args& args, const Kwargs& kwargs);
  // Writes the file. Throws InvalidArgument where nothing was traced, RuntimeError where it cannot be written.
  void close();

 private:
  std::unique_ptr<ModuleExporter> module_;  // null where there is a callback
  ExportCallback callback_;
  ArgsKwargsFunction fun_;
  bool shapeless_;
};

// A function of a file. A call runs the trace that fits the arguments, as compiled code. Inside of a function that is
// being traced, the imported operations become part of that trace. Copies share their code.
class ImportedFunction {
 public:
  // Throws InvalidArgument, with the signatures of all traces, where none takes such arguments.
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
  const std::string& metadata() const;            // of the file; "" where it has none
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
  // The text that the exporter was given; "" without one.
  const std::string& metadata() const;
  // Writes the same functions again; the file's ending chooses the form.
  void save(const std::string& file) const;

 private:
  friend ImportedModule import_module(const std::string&);
  struct State;
  explicit ImportedModule(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

// ---- Written from frontend/api: files

// Traces `fun` for arguments of these shapes and element types, and writes the graph to a file or hands its records to
// a callback. Names of keyword arguments become names of inputs, in their order. `metadata` is any text; the file keeps
// it for ImportedFunction::metadata.
// Throws InvalidArgument when the function is null or cannot be traced, RuntimeError when the file cannot be written.
void export_function(const std::string& file, const ArgsFunction& fun, const Args& args, bool shapeless = false,
                     const std::string& metadata = "");
void export_function(const std::string& file, const ArgsFunction& fun, std::initializer_list<array> args,
                     bool shapeless = false, const std::string& metadata = "");
void export_function(const std::string& file, const KwargsFunction& fun, const Kwargs& kwargs, bool shapeless = false,
                     const std::string& metadata = "");
void export_function(const std::string& file, const ArgsKwargsFunction& fun, const Args& args, const Kwargs& kwargs,
                     bool shapeless = false, const std::string& metadata = "");
void export_function(const std::string& file, const ArgsFunction& fun, const Args& args, const ExportOptions& options);
void export_function(const std::string& file, const ArgsFunction& fun, std::initializer_list<array> args,
                     const ExportOptions& options);
// Traces without data; sizes that have names are open.
void export_function(const std::string& file, const ArgsFunction& fun, const std::vector<ShapeDtype>& args,
                     const ExportOptions& options = {});
void export_function(const ExportCallback& callback, const ArgsFunction& fun, const Args& args, bool shapeless = false);
void export_function(const ExportCallback& callback, const ArgsFunction& fun, std::initializer_list<array> args,
                     bool shapeless = false);
void export_function(const ExportCallback& callback, const KwargsFunction& fun, const Kwargs& kwargs,
                     bool shapeless = false);
void export_function(const ExportCallback& callback, const ArgsKwargsFunction& fun, const Args& args,
                     const Kwargs& kwargs, bool shapeless = false);

// Traces one function for several shapes: call the result with arguments for each, then close it.
// Throws InvalidArgument when a function is null; a call and close() throw as export_function does.
FunctionExporter exporter(const std::string& file, const ArgsFunction& fun, bool shapeless = false,
                          const std::string& metadata = "");
FunctionExporter exporter(const std::string& file, const KwargsFunction& fun, bool shapeless = false,
                          const std::string& metadata = "");
FunctionExporter exporter(const std::string& file, const ArgsKwargsFunction& fun, bool shapeless = false,
                          const std::string& metadata = "");
FunctionExporter exporter(const ExportCallback& callback, const ArgsFunction& fun, bool shapeless = false);
FunctionExporter exporter(const ExportCallback& callback, const KwargsFunction& fun, bool shapeless = false);
FunctionExporter exporter(const ExportCallback& callback, const ArgsKwargsFunction& fun, bool shapeless = false);

// The functions of a file, text, JSON or package.
// Throws RuntimeError when the file cannot be read or is malformed; the message has the place.
ImportedModule import_module(const std::string& file);

// The only function of a file. A call runs the trace that fits the arguments.
// Throws as import_module, and InvalidArgument when the file holds another number of functions than one.
ImportedFunction import_function(const std::string& file);

// ---- End of frontend/api: files

}  // namespace frit
