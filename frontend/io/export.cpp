// Writing functions as graph files and packages.
#include "frontend/frit/export.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>

#include "codegen/package/package.h"
#include "frontend/compile/compiled_state.h"
#include "frontend/io/export_records.h"
#include "frontend/io/graph_file.h"
#include "ir/text/printer.h"

namespace frit {

namespace {

std::string name_from(const std::string& file) { return std::filesystem::path(file).stem().string(); }

CompileOptions compile_options(const ExportOptions& options) {
  CompileOptions c;
  c.name = options.name;
  c.shapeless = options.shapeless;
  c.dims = options.dims;
  c.strict = true;
  return c;
}

// Arguments with the keyword arguments behind them, in the order of their names.
struct Named {
  Args args;
  std::vector<std::string> names;  // of the last ones

  Named(const Args& given, const Kwargs& kwargs) : args(given) {
    for (const auto& [name, a] : std::map<std::string, array>(kwargs.begin(), kwargs.end())) {
      args.push_back(a);
      names.push_back(name);
    }
  }
  ArgsFunction bind(const ArgsKwargsFunction& fun) const {
    return [fun, names = names](const Args& all) {
      const size_t positional = all.size() - names.size();
      Kwargs kwargs;
      for (size_t i = 0; i < names.size(); ++i) kwargs.emplace(names[i], all[positional + i]);
      return fun(Args(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(positional)), kwargs);
    };
  }
  std::vector<std::string> input_names() const {
    if (names.empty()) return {};
    std::vector<std::string> all;
    const size_t positional = args.size() - names.size();
    for (size_t i = 0; i < positional; ++i) all.push_back(detail::parameter_name(i, args.size()));
    all.insert(all.end(), names.begin(), names.end());
    return all;
  }
};

std::shared_ptr<detail::CompiledEntry> traced(const ArgsFunction& fun, const Args& args, const ExportOptions& options) {
  detail::check_not_null(fun);
  detail::CompiledState traces(std::make_shared<const ArgsFunction>(fun), compile_options(options));
  std::vector<const array*> arguments;
  for (const array& a : args) arguments.push_back(&a);
  detail::SymbolValues symbols;
  return traces.entry_for({&detail::call_list, arguments}, symbols);
}

ArgsKwargsFunction with_kwargs(const ArgsFunction& fun) {
  detail::check_not_null(fun);
  return [fun](const Args& args, const Kwargs&) { return fun(args); };
}
ArgsKwargsFunction with_args(const KwargsFunction& fun) {
  detail::check_not_null(fun);
  return [fun](const Args&, const Kwargs& kwargs) { return fun(kwargs); };
}

}  // namespace

struct ModuleExporter::State {
  std::string path;
  detail::GraphFile file;
  bool closed = false;

  void add(std::shared_ptr<detail::CompiledEntry> entry, const ExportOptions& options) {
    if (!entry->fixed_because.empty())
      throw InvalidArgument("export: " + options.name + " cannot be traced for every shape: " + entry->fixed_because,
                            "export it with shapeless = false, once for each shape");
    detail::TraceNames names{options.name, options.inputs, options.outputs, {}};
    for (const auto& [name, a] : options.weights) {
      array value = a;
      value.eval();
      names.weights.emplace_back(name, detail::known(*detail::node_of(value)).value());
    }
    std::sort(names.weights.begin(), names.weights.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    detail::add_trace(file, entry->traced(), names);
    const std::string added = signature();
    for (size_t i = 0; i + 1 < file.module->functions.size(); ++i)
      if (takes(*file.module->functions[i]) == added &&
          detail::function_of(file.module->functions[i]->name) == options.name) {
        file.module->functions.pop_back();
        throw RuntimeError("export: " + options.name + " has a trace already that takes " + added, "export each once");
      }
  }

  // The types of a function's arguments: "(f32[2, 3], i32[])".
  static std::string takes(const ir::Function& f) {
    std::string text;
    for (size_t i = 0; i < f.params.size(); ++i)
      if (f.weight(i).empty()) text += (text.empty() ? "(" : ", ") + f.type(f.params[i]).str();
    return (text.empty() ? "(" : text) + ")";
  }
  std::string signature() const { return takes(*file.module->functions.back()); }

  ExportOptions named(const ExportOptions& options) const {
    if (closed) throw RuntimeError("export: '" + path + "' is closed", "add functions before close()");
    ExportOptions o = options;
    if (o.name.empty()) o.name = name_from(path);
    if (o.name.empty()) throw RuntimeError("export: the file has no name", "give the path of a file");
    if (detail::function_of(o.name) != o.name)
      throw InvalidArgument("export: the name '" + o.name + "' ends as those of further traces do",
                            "choose a name without ':' and digits at its end");
    return o;
  }
};

ModuleExporter::ModuleExporter(std::string file, std::string metadata) : state_(std::make_unique<State>()) {
  state_->path = std::move(file);
  state_->file.module->metadata = std::move(metadata);
}
ModuleExporter::~ModuleExporter() = default;
ModuleExporter::ModuleExporter(ModuleExporter&&) noexcept = default;

void ModuleExporter::add(const ArgsFunction& fun, const Args& args, const ExportOptions& options) {
  const ExportOptions o = state_->named(options);
  state_->add(traced(fun, args, o), o);
}

void ModuleExporter::add(const ArgsFunction& fun, const std::vector<ShapeDtype>& args, const ExportOptions& options) {
  const ExportOptions o = state_->named(options);
  detail::check_not_null(fun);
  CompileOptions compiled = compile_options(o);
  // Names that are not declared are sizes without bounds.
  for (const ShapeDtype& a : args)
    for (const DeclaredSize& d : a.shape) {
      const bool known = std::any_of(compiled.dims.begin(), compiled.dims.end(),
                                     [&](const DimDeclaration& c) { return c.name == d.name; });
      if (!d.name.empty() && !known) compiled.dims.emplace_back(d.name);
    }
  if (!compiled.dims.empty()) compiled.signature = args;
  detail::CompiledState traces(std::make_shared<const ArgsFunction>(fun), std::move(compiled));
  state_->add(traces.entry_ahead(&detail::call_list, args), o);
}

void ModuleExporter::close() {
  if (state_->closed) return;
  if (state_->file.module->functions.empty())
    throw InvalidArgument("export: '" + state_->path + "' has no function", "add one before close()");
  detail::write_graph_file(state_->path, state_->file);
  state_->closed = true;
}

void export_function(const std::string& file, const ArgsFunction& fun, const Args& args, const ExportOptions& options) {
  ModuleExporter module(file);
  module.add(fun, args, options);
  module.close();
}

void export_function(const std::string& file, const ArgsFunction& fun, const std::vector<ShapeDtype>& args,
                     const ExportOptions& options) {
  ModuleExporter module(file);
  module.add(fun, args, options);
  module.close();
}

void export_function(const std::string& file, const ArgsFunction& fun, const Args& args, bool shapeless,
                     const std::string& metadata) {
  export_function(file, with_kwargs(fun), args, {}, shapeless, metadata);
}
void export_function(const std::string& file, const ArgsFunction& fun, std::initializer_list<array> args,
                     bool shapeless, const std::string& metadata) {
  export_function(file, with_kwargs(fun), Args(args), {}, shapeless, metadata);
}
void export_function(const std::string& file, const KwargsFunction& fun, const Kwargs& kwargs, bool shapeless,
                     const std::string& metadata) {
  export_function(file, with_args(fun), {}, kwargs, shapeless, metadata);
}
void export_function(const std::string& file, const ArgsKwargsFunction& fun, const Args& args, const Kwargs& kwargs,
                     bool shapeless, const std::string& metadata) {
  FunctionExporter one(file, fun, shapeless, metadata);
  one(args, kwargs);
  one.close();
}
void export_function(const std::string& file, const ArgsFunction& fun, std::initializer_list<array> args,
                     const ExportOptions& options) {
  export_function(file, fun, Args(args), options);
}

void export_function(const ExportCallback& callback, const ArgsFunction& fun, const Args& args, bool shapeless) {
  exporter(callback, fun, shapeless)(args);
}
void export_function(const ExportCallback& callback, const ArgsFunction& fun, std::initializer_list<array> args,
                     bool shapeless) {
  exporter(callback, fun, shapeless)(Args(args));
}
void export_function(const ExportCallback& callback, const KwargsFunction& fun, const Kwargs& kwargs, bool shapeless) {
  exporter(callback, fun, shapeless)(kwargs);
}
void export_function(const ExportCallback& callback, const ArgsKwargsFunction& fun, const Args& args,
                     const Kwargs& kwargs, bool shapeless) {
  exporter(callback, fun, shapeless)(args, kwargs);
}

namespace {

// The path itself. A trace may take long, so a folder that takes no file is an error before it.
std::string writable(std::string file) {
  if (file.empty()) return file;  // which add() refuses
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    throw RuntimeError("export: cannot write '" + file + "': " + std::strerror(errno),
                       "give the path of a file in a folder that can be written");
  return file;
}

}  // namespace

FunctionExporter::FunctionExporter(std::string file, ArgsKwargsFunction fun, bool shapeless, std::string metadata)
    : module_(std::make_unique<ModuleExporter>(writable(std::move(file)), std::move(metadata))),
      fun_(std::move(fun)),
      shapeless_(shapeless) {
  detail::check_not_null(fun_);
}

FunctionExporter::FunctionExporter(ExportCallback callback, ArgsKwargsFunction fun, bool shapeless)
    : callback_(std::move(callback)), fun_(std::move(fun)), shapeless_(shapeless) {
  detail::check_not_null(fun_);
  detail::check_not_null(callback_);
}

FunctionExporter::~FunctionExporter() {
  try {
    close();
  } catch (const std::exception&) {
    // As export.h says: a caller who wants the error calls close().
  }
}

void FunctionExporter::operator()(const Args& args) { (*this)(args, {}); }
void FunctionExporter::operator()(const Kwargs& kwargs) { (*this)({}, kwargs); }
void FunctionExporter::operator()(const Args& args, const Kwargs& kwargs) {
  const Named named(args, kwargs);
  ExportOptions options;
  options.shapeless = shapeless_;
  options.inputs = named.input_names();
  if (module_) return module_->add(named.bind(fun_), named.args, options);
  options.name = "export";
  detail::tell(*traced(named.bind(fun_), named.args, options), named.names, callback_);
}
void FunctionExporter::close() {
  if (module_) module_->close();
}

FunctionExporter exporter(const std::string& file, const ArgsFunction& fun, bool shapeless,
                          const std::string& metadata) {
  return {file, with_kwargs(fun), shapeless, metadata};
}
FunctionExporter exporter(const std::string& file, const KwargsFunction& fun, bool shapeless,
                          const std::string& metadata) {
  return {file, with_args(fun), shapeless, metadata};
}
FunctionExporter exporter(const std::string& file, const ArgsKwargsFunction& fun, bool shapeless,
                          const std::string& metadata) {
  return {file, fun, shapeless, metadata};
}
FunctionExporter exporter(const ExportCallback& callback, const ArgsFunction& fun, bool shapeless) {
  return {callback, with_kwargs(fun), shapeless};
}
FunctionExporter exporter(const ExportCallback& callback, const KwargsFunction& fun, bool shapeless) {
  return {callback, with_args(fun), shapeless};
}
FunctionExporter exporter(const ExportCallback& callback, const ArgsKwargsFunction& fun, bool shapeless) {
  return {callback, fun, shapeless};
}

void detail::CompiledBase::save(const std::string& path, const SaveOptions& options) const {
  const std::shared_ptr<CompiledState> held = state();
  if (held->has_state())
    throw InvalidArgument(name() + ": a function that reads or writes captured state cannot be saved",
                          "make its state arguments and results");
  GraphFile file;
  for (const auto& entry : held->entries()) add_trace(file, entry->traced(), {name(), {}, {}, {}});
  if (file.module->functions.empty())
    throw InvalidArgument(name() + ": nothing is traced yet that could be saved", "call it once, or use compile_ahead");
  codegen::PackageOptions package;
  std::vector<std::string> names{"cpu"};
  if (options.vulkan) names.push_back("vulkan");
  auto targets = codegen::package_targets(names, options.cpus);
  if (!targets) throw_runtime(targets.error(), std::source_location());
  package.targets = *std::move(targets);
  auto contents = codegen::make_package(*file.module, file.weights, package);
  if (!contents) throw_runtime(contents.error(), std::source_location());
  if (Status written = runtime::write_package(path, *contents); !written)
    throw_runtime(written.error(), std::source_location());
}

}  // namespace frit
