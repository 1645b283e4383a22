// Code that the subcommands of `frit` share: reading a graph file, writing an output whole or not at all, and how a
// failure ends.
//
// Each subcommand is one file that adds itself to the CLI11 app; main.cpp knows only the list of them.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "codegen/core/backend.h"
#include "ir/graph/graph.h"
#include "runtime/load/package_file.h"

namespace frit::cli {

// Ends the command with exit status 1; standard error shows the text.
struct Failure {
  std::string text;
};
[[noreturn]] void fail(const Diagnostic& d, std::string_view source_text = {});

template <class T>
T value_or_fail(Result<T> r, std::string_view source_text = {}) {
  if (!r.ok()) fail(r.error(), source_text);
  return *std::move(r);
}
void check(const Status& s);

// Whether the file begins as an artifact does.
bool is_package(const std::string& path);

struct Source {
  std::string name, text;
  std::unique_ptr<ir::Module> module;
  std::shared_ptr<const runtime::PackageFile> package;  // where the graphs are from one
};
// Reads IR text, or JSON when the file's first character is '{' or '[', or the graphs of an artifact. "-" is standard
// input. With `locate`, ops without a source line of their own have that of the file.
Source read_graph(const std::string& path, bool locate = false);
// The weights that the module names, from its folder; none where it names none.
runtime::NamedTensors read_weights(const Source& source);
// The function of that name; the only one (or the last) when `name` is empty.
ir::Function& pick_function(ir::Module& m, const std::string& name);

// "-" or "" is standard output; a file is written beside its place and then renamed.
void write_output(const std::string& path, std::string_view bytes);

// Shows the progress of a long step, on a terminal and only after a second.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  void set(std::string what);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Runs the graph through the standard pipeline for `target`.
struct Compiled {
  passes::PassContext context;
  std::vector<passes::PassTiming> timings;
};
Compiled lower(ir::Function& f, const codegen::Target& target);

// --device, which names the CPU or a GPU that has a driver.
void add_device_option(CLI::App& command, std::string& device);

void add_opt(CLI::App& app);
void add_compile(CLI::App& app);
void add_run(CLI::App& app);
void add_inspect(CLI::App& app);
void add_verify(CLI::App& app);
void add_explain(CLI::App& app);
void add_report(CLI::App& app);
void add_profile(CLI::App& app);
void add_reduce(CLI::App& app);
void add_bisect(CLI::App& app);
void add_diff(CLI::App& app);
void add_completion(CLI::App& app);
void add_ops(CLI::App& app);
void add_devices(CLI::App& app);
void add_cache(CLI::App& app);

}  // namespace frit::cli
