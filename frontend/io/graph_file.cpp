// Reading and writing graph files.
#include "frontend/io/graph_file.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "codegen/core/signature.h"
#include "frontend/core/node.h"
#include "ir/read/json.h"
#include "ir/read/parser.h"
#include "ir/routines/host_call.h"
#include "ir/text/printer.h"
#include "ir/verify/verifier.h"
#include "runtime/files/file.h"
#include "runtime/load/package_file.h"
#include "runtime/memory/dense.h"

namespace frit::detail {
namespace {

// Captured arrays of at most so many elements are written into the graph.
constexpr int64_t kInlineElements = 64;

// Throws a diagnostic whose location is in the file that was read.
[[noreturn]] void give_up(const Diagnostic& d) {
  throw RuntimeError(d.message, d.note, d.loc.file ? d.loc.file : "", d.loc.line);
}

template <class T>
T value_or_throw(Result<T> r) {
  if (!r.ok()) give_up(r.error());
  return *std::move(r);
}
void check(const Status& s) {
  if (!s.ok()) give_up(s.error());
}

std::string extension(const std::string& path) { return std::filesystem::path(path).extension().string(); }

std::string_view bytes_of(const runtime::Tensor& t) {
  return {reinterpret_cast<const char*>(data_of(t)), runtime::dense_bytes(t)};
}

// The name of a captured array: the name under which the file has it already, else the one given for it, else
// `fallback` with a number where that is taken.
std::string weight_name(GraphFile& file, const runtime::Tensor& t, const TraceNames& names,
                        const std::string& fallback) {
  const auto same = [&](const runtime::Tensor& other) {
    return other.dtype == t.dtype && other.shape == t.shape && data_of(other) == data_of(t);
  };
  for (const auto& [name, tensor] : file.weights)
    if (same(tensor)) return name;
  for (const auto& [name, tensor] : names.weights)
    if (same(tensor)) {
      if (!file.weights.emplace(name, t).second)
        throw_invalid("export: two different weights are named '" + name + "'", "give each its own name", {});
      return name;
    }
  std::string name = fallback;
  for (int i = 1; !file.weights.emplace(name, t).second; ++i) name = fallback + "_" + std::to_string(i);
  return name;
}

// Replaces the uses of a parameter by a constant.
void inline_constant(ir::Function& f, size_t param, const runtime::Tensor& t) {
  const ir::ValueId old = f.params[param];
  const std::string_view data = bytes_of(t);
  std::vector<std::byte> bytes(data.size());
  if (!data.empty()) std::memcpy(bytes.data(), data.data(), data.size());
  const ir::Type type = f.type(old);
  ir::Builder builder(f);
  const ir::ValueId constant = builder.constant(ir::Literal(t.dtype, std::move(bytes)), type.shape);
  for (ir::Op& op : f.ops)
    for (ir::ValueId& v : op.operands)
      if (v == old) v = constant;
  for (ir::ValueId& v : f.results)
    if (v == old) v = constant;
  // Constants stand before their users.
  std::rotate(f.ops.begin(), f.ops.end() - 1, f.ops.end());
  for (uint32_t i = 0; i < f.ops.size(); ++i)
    for (ir::ValueId v : f.ops[i].results) f.values[v].op = i;
}

}  // namespace

std::string_view function_of(std::string_view trace) {
  const size_t colon = trace.rfind(':');
  if (colon == std::string_view::npos || colon + 1 == trace.size()) return trace;
  const std::string_view digits = trace.substr(colon + 1);
  return std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; }) ? trace.substr(0, colon)
                                                                                                : trace;
}

void add_trace(GraphFile& file, const TracedFunction& traced, const TraceNames& names) {
  if (const ir::Op* call = ir::find_host_call(traced.function))
    throw_invalid("export: " + names.function + " calls the primitive '" + call->attrs.get_string("name") +
                      "' of the program, which no file can hold",
                  "write it with the functions of frit/ops.h", {});
  auto f = std::make_unique<ir::Function>(traced.function);
  f->name = names.function;
  for (int i = 1; file.module->find(f->name); ++i) f->name = names.function + ":" + std::to_string(i);
  if (!names.inputs.empty() && names.inputs.size() != traced.arguments)
    throw_invalid("export: " + names.function + " has " + std::to_string(traced.arguments) + " arguments, but " +
                      std::to_string(names.inputs.size()) + " names are given for them",
                  "name each", {});
  for (size_t i = 0; i < names.inputs.size(); ++i) f->values[f->params[i]].name = names.inputs[i];
  if (!names.outputs.empty()) {
    if (names.outputs.size() != f->results.size())
      throw_invalid("export: " + names.function + " has " + std::to_string(f->results.size()) + " results, but " +
                        std::to_string(names.outputs.size()) + " names are given for them",
                    "name each", {});
    f->result_names = names.outputs;
  }
  // From the last to the first, as parameters that become constants go.
  f->weights.assign(f->params.size(), {});
  for (size_t i = traced.captured.size(); i-- > 0;) {
    const runtime::Tensor& t = traced.captured[i];
    const size_t param = traced.arguments + i;
    if (runtime::element_count(t.shape) > kInlineElements) continue;
    inline_constant(*f, param, t);
    f->params.erase(f->params.begin() + static_cast<std::ptrdiff_t>(param));
    f->weights.erase(f->weights.begin() + static_cast<std::ptrdiff_t>(param));
    for (size_t p = param; p < f->params.size(); ++p) f->values[f->params[p]].index = static_cast<uint32_t>(p);
  }
  size_t param = traced.arguments;
  for (const runtime::Tensor& t : traced.captured) {
    if (runtime::element_count(t.shape) <= kInlineElements) continue;
    const std::string fallback = names.function + ".weight" + std::to_string(param - traced.arguments);
    f->weights[param] = weight_name(file, t, names, fallback);
    f->values[f->params[param]].name = "weight" + std::to_string(param - traced.arguments);
    ++param;
  }
  if (param == traced.arguments) f->weights.clear();
  f->canonicalize_order();
  // Two inputs of one name, or a result named like another.
  if (Status valid = ir::verify(*f); !valid.ok()) throw_invalid(valid.error(), {});
  file.module->functions.push_back(std::move(f));
}

GraphFile read_graph_file(const std::string& path) {
  GraphFile g;
  auto file = value_or_throw(runtime::MappedFile::open(path));
  const std::string_view text = file->bytes();
  if (text.starts_with("FRITPKG\n")) {
    auto package = value_or_throw(runtime::PackageFile::open(path));
    g.module = value_or_throw(ir::parse(value_or_throw(package->ir()), path.c_str()));
    g.weights = value_or_throw(package->weights());
  } else {
    g.module = value_or_throw(ir::read_module(text, path.c_str()));
    if (!g.module->weights.empty())
      g.weights = value_or_throw(runtime::read_safetensors(value_or_throw(runtime::beside(path, g.module->weights))));
  }
  check(ir::verify(*g.module));
  return g;
}

void write_graph_file(const std::string& path, const GraphFile& g) {
  const std::filesystem::path p(path);
  if (extension(path) == ".fritpkg") {
    runtime::PackageContents contents;
    contents.producer = "frit " FRIT_VERSION;
    g.module->weights.clear();
    contents.ir = ir::print(*g.module, {.locations = false});
    contents.weights = g.weights;
    for (const auto& f : g.module->functions)
      contents.functions.push_back({value_or_throw(codegen::make_signature(*f)), {}});
    return check(runtime::write_package(path, contents));
  }
  g.module->weights = g.weights.empty() ? "" : p.filename().replace_extension(".safetensors").string();
  if (g.module->weights == p.filename().string())
    throw_invalid("'" + path + "' is where the weights of the graph go",
                  "give the graph's file another ending: .frit, .json or .fritpkg", {});
  // The graph is put in its place last, so that one which is there has its weights.
  auto file = value_or_throw(runtime::FileWriter::create(path));
  check(file.write(extension(path) == ".json" ? ir::to_json(*g.module)
                                              : "frit " + std::string(ir::kTextVersion) + "\n" + ir::print(*g.module)));
  if (!g.weights.empty()) check(runtime::write_safetensors((p.parent_path() / g.module->weights).string(), g.weights));
  check(file.commit());
}

}  // namespace frit::detail
