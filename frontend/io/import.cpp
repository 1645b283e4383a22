// Reading graph files: import_function, import_module, and calls of imported functions.
#include <algorithm>

#include "codegen/core/signature.h"
#include "frontend/compile/compiled_entry.h"
#include "frontend/core/build.h"
#include "frontend/core/replay.h"
#include "frontend/frit/export.h"
#include "frontend/io/graph_file.h"
#include "ir/text/printer.h"

namespace frit {

using detail::CompiledEntry;
using detail::SymbolValues;

namespace {

// The function with its weights behind its arguments, where a trace has its captured arrays.
ir::Function arguments_first(const ir::Function& f) {
  ir::Function g = f;
  std::vector<size_t> order;
  for (const bool weights : {false, true})
    for (size_t i = 0; i < f.params.size(); ++i)
      if (!f.weight(i).empty() == weights) order.push_back(i);
  for (size_t i = 0; i < order.size(); ++i) {
    g.params[i] = f.params[order[i]];
    g.values[g.params[i]].index = static_cast<uint32_t>(i);
    if (!g.weights.empty()) g.weights[i] = f.weights[order[i]];
    if (!g.layouts.empty()) g.layouts[i] = f.layouts[order[i]];
  }
  return g;
}

detail::TracedFunction as_trace(const ir::Function& f, const runtime::NamedTensors& weights) {
  detail::TracedFunction traced;
  traced.function = arguments_first(f);
  traced.function.layouts.clear();
  ir::Function& g = traced.function;
  for (size_t i = 0; i < g.params.size(); ++i) {
    const std::string_view name = g.weight(i);
    if (name.empty()) {
      ++traced.arguments;
      continue;
    }
    const auto found = weights.find(name);
    const ir::Type& type = g.type(g.params[i]);
    const std::string who =
        "import: function " + f.name + " takes the weight '" + std::string(name) + "' as " + type.str() + ", but ";
    if (found == weights.end()) throw RuntimeError(who + "the file of weights has none of that name");
    bool same = found->second.dtype == type.dtype && found->second.shape.size() == type.shape.size();
    for (size_t axis = 0; same && axis < type.shape.size(); ++axis)
      same = type.shape[axis].is(found->second.shape[axis]);
    if (!same) throw RuntimeError(who + "it is " + runtime::type_text(found->second) + " in the file");
    traced.captured.push_back(found->second);
  }
  g.weights.clear();
  return traced;
}

std::shared_ptr<CompiledEntry> as_entry(const ir::Function& f, const runtime::NamedTensors& weights) {
  // Every size is checked at the call, fixed ones too.
  detail::Signature signature;
  signature.open = true;
  auto entry = std::make_shared<CompiledEntry>(std::move(signature), as_trace(f, weights), nullptr,
                                               CompileMode::enabled, std::make_shared<detail::FunctionCounters>());
  entry->user_results = entry->result_count();
  return entry;
}

// Whether element types and ranks fit. CompiledEntry::admits checks the sizes.
bool takes(const CompiledEntry& entry, const std::vector<const array*>& arguments) {
  const ir::Function& f = entry.traced().function;
  if (arguments.size() != entry.traced().arguments) return false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ir::Type& type = f.type(f.params[i]);
    if (arguments[i]->dtype() != type.dtype || arguments[i]->ndim() != type.shape.size()) return false;
  }
  return true;
}

// Builds the operations of an imported function anew: they join the trace of the moment, or are evaluated one by one.
class Replay {
 public:
  Replay(const CompiledEntry& entry, const std::vector<const array*>& arguments)
      : traced_(entry.traced()), f_(traced_.function) {
    for (size_t i = 0; i < arguments.size(); ++i) values_.emplace(f_.params[i], *arguments[i]);
    for (size_t i = 0; i < traced_.captured.size(); ++i) {
      const runtime::Tensor& t = traced_.captured[i];
      Shape shape;
      for (int64_t n : t.shape) shape.push_back(static_cast<ShapeElem>(n));
      values_.emplace(f_.params[arguments.size() + i],
                      detail::array_of(std::make_shared<detail::Node>(t.dtype, std::move(shape), t)));
    }
    bind(arguments);
  }

  std::vector<array> run() {
    return detail::replay(f_, std::move(values_), [this](const Dim& d) { return settled(d); });
  }

 private:
  // Gives each symbol the size of its argument, and requires every fact of the file's function in the trace.
  void bind(const std::vector<const array*>& arguments) {
    for (const bool alone : {true, false})
      for (size_t i = 0; i < arguments.size(); ++i) {
        const ir::Shape& shape = f_.type(f_.params[i]).shape;
        for (size_t axis = 0; axis < shape.size(); ++axis) {
          const Dim here = detail::size_of(*arguments[i], static_cast<int>(axis));
          const std::string* symbol = shape[axis].as_symbol();
          if (alone && symbol) symbols_.emplace(*symbol, here);
          if (!alone) need(detail::require_equal(here, settled(shape[axis]), f_.name, {}), shape[axis].str());
        }
      }
    for (const auto& [symbol, value] : symbols_) {
      const DimRange range = f_.facts.range(Dim::symbol(symbol));
      if (range.low > 0) need(detail::require_at_most(Dim(range.low), value, f_.name, {}), symbol);
      if (range.high < DimFacts::kMaxSize) need(detail::require_at_most(value, Dim(range.high), f_.name, {}), symbol);
      if (const int64_t m = f_.facts.multiple(symbol); m > 1)
        need(detail::require_multiple(value, Dim(m), f_.name, {}), symbol);
    }
    for (const DimCondition& c : f_.facts.conditions()) {
      const Dim d = settled(c.dim);
      need(c.kind == DimCondition::Kind::Zero ? detail::require_equal(d, Dim(0), f_.name, {})
                                              : detail::require_at_most(Dim(0), d, f_.name, {}),
           c.str());
    }
  }
  void need(bool holds, const std::string& what) const {
    if (!holds)
      throw InvalidArgument("import: a call of " + f_.name + " does not keep what it states of " + what,
                            "it is " + ir::signature_text(f_));
  }

  Dim settled(const Dim& d) const {
    return d.substitute([&](const std::string& s) -> std::optional<Dim> {
      const auto found = symbols_.find(s);
      return found == symbols_.end() ? std::nullopt : std::optional(found->second);
    });
  }

  const detail::TracedFunction& traced_;
  const ir::Function& f_;
  std::unordered_map<ir::ValueId, array> values_;
  std::map<std::string, Dim> symbols_;
};

}  // namespace

struct ImportedFunction::State {
  std::string name;
  std::vector<std::shared_ptr<CompiledEntry>> entries;
  std::vector<const ir::Function*> functions;  // as the file has them, one per entry
  std::vector<std::string> texts;              // their signatures, weights left out
  std::shared_ptr<const detail::GraphFile> file;

  std::string signatures() const {
    std::string all;
    for (const std::string& s : texts) all += (all.empty() ? "" : "; ") + s;
    return all;
  }
};

struct ImportedModule::State {
  std::string path;
  std::shared_ptr<const detail::GraphFile> file;
};

std::vector<array> ImportedFunction::operator()(const Args& args) const { return (*this)(args, {}); }

std::vector<array> ImportedFunction::operator()(const Args& args, const Kwargs& kwargs) const {
  for (const auto& entry : state_->entries) {
    const ir::Function& f = entry->traced().function;
    // Positional arguments first, then those named in the file's order.
    std::vector<const array*> arguments;
    size_t used = 0;
    for (size_t i = 0; i < entry->traced().arguments; ++i) {
      const auto named = kwargs.find(f.values[f.params[i]].name);
      if (i < args.size())
        arguments.push_back(&args[i]);
      else if (named != kwargs.end())
        arguments.push_back(&named->second), ++used;
    }
    if (args.size() > entry->traced().arguments || used != kwargs.size() || !takes(*entry, arguments)) continue;
    SymbolValues symbols;
    if (!entry->admits(arguments, symbols)) continue;
    if (detail::current_trace() != 0 || get_compile_mode() == CompileMode::disabled)
      return Replay(*entry, arguments).run();
    auto operation = detail::make_call(entry, arguments);
    std::vector<array> results;
    for (size_t i = 0; i < entry->result_count(); ++i)
      results.push_back(detail::array_of(detail::next_result(operation, symbols)));
    return results;
  }
  std::string given;
  for (const array& a : args) given += (given.empty() ? "" : ", ") + detail::text(a);
  for (const auto& [name, a] : std::map<std::string, array>(kwargs.begin(), kwargs.end()))
    given += (given.empty() ? "" : ", ") + name + "=" + detail::text(a);
  throw InvalidArgument("import: function " + state_->name + " has no trace that takes (" + given + ")",
                        "it has " + state_->signatures());
}

const std::string& ImportedFunction::name() const { return state_->name; }

std::vector<std::string> ImportedFunction::signatures() const { return state_->texts; }

std::vector<std::string> ImportedFunction::input_names() const {
  std::vector<std::string> names;
  const ir::Function& f = *state_->functions[0];
  for (size_t i = 0; i < f.params.size(); ++i)
    if (f.weight(i).empty()) names.push_back(f.values[f.params[i]].name);
  return names;
}

std::vector<std::string> ImportedFunction::output_names() const {
  std::vector<std::string> names;
  const ir::Function& f = *state_->functions[0];
  for (size_t i = 0; i < f.results.size(); ++i) names.emplace_back(f.result_name(i));
  return names;
}

const std::string& ImportedFunction::metadata() const { return state_->file->module->metadata; }
const std::string& ImportedModule::metadata() const { return state_->file->module->metadata; }

std::string ImportedFunction::ir() const {
  std::string text;
  for (const ir::Function* f : state_->functions) text += (text.empty() ? "" : "\n") + ir::print(*f);
  return text;
}

std::vector<std::string> ImportedModule::functions() const {
  std::vector<std::string> names;
  for (const auto& f : state_->file->module->functions) {
    std::string name(detail::function_of(f->name));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

ImportedFunction ImportedModule::function(const std::string& name) const {
  auto made = std::make_shared<ImportedFunction::State>();
  made->name = name;
  made->file = state_->file;
  for (const auto& f : state_->file->module->functions) {
    if (detail::function_of(f->name) != name) continue;
    made->functions.push_back(f.get());
    made->entries.push_back(as_entry(*f, state_->file->weights));
    auto signature = codegen::make_signature(*f);
    if (!signature) throw RuntimeError("import: " + signature.error().message, signature.error().note);
    made->texts.push_back(signature->text);
  }
  if (!made->entries.empty()) return ImportedFunction(std::move(made));
  std::string names;
  for (const std::string& n : functions()) names += (names.empty() ? "" : ", ") + n;
  throw InvalidArgument("import: '" + state_->path + "' has no function '" + name + "'",
                        names.empty() ? "it has none" : "it has: " + names);
}

void ImportedModule::save(const std::string& file) const { detail::write_graph_file(file, *state_->file); }

ImportedModule import_module(const std::string& file) {
  auto state = std::make_shared<ImportedModule::State>();
  state->path = file;
  state->file = std::make_shared<const detail::GraphFile>(detail::read_graph_file(file));
  for (const auto& f : state->file->module->functions)
    if (f->program)
      throw RuntimeError("import: function " + f->name + " in '" + file + "' is lowered already",
                         "give the graph itself");
  return ImportedModule(std::move(state));
}

ImportedFunction import_function(const std::string& file) {
  const ImportedModule module = import_module(file);
  const std::vector<std::string> names = module.functions();
  if (names.size() != 1)
    throw InvalidArgument("import: '" + file + "' holds " + std::to_string(names.size()) + " functions",
                          "use import_module(file).function(name)");
  return module.function(names[0]);
}

}  // namespace frit
