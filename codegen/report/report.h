// One JSON document, and one page of HTML, about the compilation of a function and a measured run of it.
//
// docs/report.md has the schema. A compilation that fails gives a document that ends where it failed, with the error.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/core/backend.h"
#include "ir/graph/graph.h"
#include "runtime/memory/tensor.h"

namespace frit::codegen {

// The calls and traces of a compiled function, for its page.
struct ReportHistory {
  struct Trace {
    size_t number = 0;
    std::string signature;               // with the assumptions about sizes, a line each
    std::vector<std::string> sentences;  // why it was traced, where that is known
  };
  std::vector<Trace> traces;
  std::vector<std::string> misses;                       // "traced again: ...; the cure"
  std::vector<std::pair<std::string, double>> counters;  // "calls", "hits", ...
  std::vector<std::pair<std::string, double>> stage_ms;  // "trace"
};

struct ReportRequest {
  const ir::Function* function = nullptr;  // the graph before any pass
  CompileOptions options;
  std::string title;                         // the page's heading; the function's name where it is empty
  std::map<std::string, std::string> texts;  // by name of a source file: its text, where it is not to be read from disk
  // For the measured run, one per parameter; none: the function is not run.
  std::vector<runtime::Tensor> inputs;
  int runs = 0;             // timed runs; 0: as many as fit in a tenth of a second, at most 20
  bool all_targets = true;  // code of the other installed backends too, for small functions
  ReportHistory history;
};

struct Report {
  std::string json;
  Status status;  // of the compilation and the run
};
Report make_report(const ReportRequest& request);

// The page that shows the document: one file without references to others.
std::string report_page(std::string_view json, std::string_view title);
// The page that lists others: their file names, titles, and a sentence about each.
struct ReportLink {
  std::string file, title, about;
};
std::string report_index(const std::vector<ReportLink>& links);

}  // namespace frit::codegen
