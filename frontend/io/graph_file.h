// Modules and their weights as files.
#pragma once

#include <memory>
#include <string>

#include "frontend/compile/trace.h"
#include "ir/graph/graph.h"
#include "runtime/files/safetensors.h"

namespace frit::detail {

struct GraphFile {
  std::unique_ptr<ir::Module> module = std::make_unique<ir::Module>();
  runtime::NamedTensors weights;
};

// Throws RuntimeError.
GraphFile read_graph_file(const std::string& path);
void write_graph_file(const std::string& path, const GraphFile& file);

// "f" for the traces f, f:1, f:2, ...
std::string_view function_of(std::string_view trace);

// Adds a trace under `name`, or the next free name:N. Arrays that it captured become weights, or constants where they
// are small; `known` has names for some of them. Names of inputs and outputs may be left out.
struct TraceNames {
  std::string function;
  std::vector<std::string> inputs, outputs;
  std::vector<std::pair<std::string, runtime::Tensor>> weights;
};
void add_trace(GraphFile& file, const TracedFunction& traced, const TraceNames& names);

}  // namespace frit::detail
