// Graph files: a module and its weights, as text, JSON or an archive.
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

// Both throw RuntimeError where the file cannot be read or written, or is malformed.
GraphFile read_graph_file(const std::string& path);
void write_graph_file(const std::string& path, const GraphFile& file);

// The name of the function that a trace belongs to: "f" for the traces f, f:1, f:2, ...
std::string_view function_of(std::string_view trace);

struct TraceNames {
  std::string function;
  std::vector<std::string> inputs, outputs;                      // one for each, or none at all
  std::vector<std::pair<std::string, runtime::Tensor>> weights;  // names for some of the captured arrays
};

// Adds a trace under names.function, or under the next free name "function:N" where that is taken. Captured arrays
// become weights: under the names that are given for them, else "function.weightN". Those of at most 64 elements become
// constants of the graph. Throws InvalidArgument where the names do not fit the trace or name two things alike.
void add_trace(GraphFile& file, const TracedFunction& traced, const TraceNames& names);

}  // namespace frit::detail
