// The parts of the document, each made by a file of its own. They share the function's states along the pipeline.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "codegen/report/report.h"
#include "passes/manager/pass.h"

namespace frit::codegen::report {

using Json = nlohmann::ordered_json;

// Lines of all texts, each once; a text is a list of runs of line numbers.
class LinePool {
 public:
  explicit LinePool(Json lines = Json::array());
  Json add(const std::string& text);  // [[first, count], ...]
  Json lines() const { return lines_; }

 private:
  std::map<std::string, size_t, std::less<>> known_;
  Json lines_;
};

// Kernels of a large function whose code is shown: those that take longest.
inline constexpr size_t kListed = 12;

struct Compilation {
  passes::PassContext context;
  std::optional<ir::Function> fused;      // behind `fuse`
  std::optional<ir::Function> planned;    // behind the last pass
  std::map<std::string, int64_t> sizes;   // values of symbols in the measured run
  std::vector<Backend::KernelCode> code;  // text of the code that ran; empty where none was built
};

// A size as a number where the symbols are known, else null.
Json number(const Dim& d, const std::map<std::string, int64_t>& sizes);

// passes, remarks, lines; fills in `c`. The error of the pass that failed.
Status add_passes(Json& doc, const ReportRequest& request, Compilation& c);
// ops, groups, edges, docs, layout: of the fused function, or of the graph as it was where fusion was not reached.
void add_graph(Json& doc, const ir::Function& f, const Compilation& c);
// sources: the text of the lines that ops name.
void add_sources(Json& doc, const ir::Function& f, const ReportRequest& request);
// steps, kernels: what they compute and cost.
void add_steps(Json& doc, const Compilation& c);
// Code of the kernels for the request's target, and for others with `all_targets`.
Status add_kernels(Json& doc, const ReportRequest& request, const Compilation& c);
// buffers, memory.
void add_buffers(Json& doc, const Compilation& c);
// machine and times of steps, and `c.code`. Fails where the function cannot be built or run.
Status add_measurement(Json& doc, const ReportRequest& request, Compilation& c);

}  // namespace frit::codegen::report
