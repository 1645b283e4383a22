// Puts the parts of the document together.
#include "codegen/report/report.h"

#include "codegen/core/guard.h"
#include "codegen/core/signature.h"
#include "codegen/report/parts.h"
#include "ir/text/printer.h"
#include "runtime/execute/observe.h"
#include "runtime/execute/parallel.h"

namespace frit::codegen {

using report::Json;

namespace {

void add_head(Json& doc, const ReportRequest& r) {
  const ir::Function& f = *r.function;
  doc["schema"] = "frit-report";
  doc["version"] = 1;
  doc["frit"] = FRIT_VERSION;
  doc["title"] = r.title.empty() ? f.name : r.title;
  doc["function"] = f.name;
  doc["signature"] = ir::signature_text(f);
  doc["status"] = "complete";
  doc["error"] = nullptr;
  std::vector<std::string> said;
  auto guard = make_guard(f, &said);
  doc["guards"] = guard.ok() ? Json(said) : Json(std::vector<std::string>{guard.error().message});
  doc["target"] = {{"backend", r.options.target.backend},
                   {"cpu", r.options.target.cpu},
                   {"threads", runtime::num_threads()},
                   {"fuse", r.options.fuse}};
}

void add_history(Json& doc, const ReportHistory& h) {
  Json& out = doc["history"];
  out = Json::object();
  out["traces"] = Json::array();
  for (const auto& t : h.traces)
    out["traces"].push_back({{"number", t.number}, {"signature", t.signature}, {"why", t.sentences}});
  out["misses"] = h.misses;
  out["counters"] = Json::object();
  for (const auto& [name, value] : h.counters) out["counters"][name] = value;
}

void fail(Json& doc, const char* stage, const Diagnostic& error) {
  if (doc["status"] == "failed") return;
  doc["status"] = "failed";
  doc["error"] = {{"stage", stage}, {"message", error.message}, {"at", to_string(error.loc)}, {"note", error.note}};
}

// The values that the symbols have in the measured run.
Status bind_sizes(const ReportRequest& r, report::Compilation& c) {
  if (r.inputs.empty() && !r.function->params.empty()) return {};
  FRIT_ASSIGN_OR_RETURN(signature, make_signature(*r.function));
  std::vector<int64_t> symbols(signature.guard.symbol_names.size());
  FRIT_TRY(runtime::check_call(signature, r.inputs, symbols.data()));
  for (size_t i = 0; i < symbols.size(); ++i) c.sizes[signature.guard.symbol_names[i]] = symbols[i];
  return {};
}

}  // namespace

namespace report {

Json number(const Dim& d, const std::map<std::string, int64_t>& sizes) {
  const auto value = d.evaluate([&](const std::string& name) -> std::optional<int64_t> {
    const auto found = sizes.find(name);
    return found == sizes.end() ? std::nullopt : std::optional(found->second);
  });
  return value ? Json(*value) : Json();
}

}  // namespace report

Report make_report(const ReportRequest& r) {
  Json doc;
  add_head(doc, r);
  report::Compilation c;
  Status status = bind_sizes(r, c);
  if (!status) fail(doc, "arguments", status.error());
  doc["sizes"] = c.sizes;
  doc["stages"] = Json::array();
  for (const auto& [name, ms] : r.history.stage_ms) doc["stages"].push_back({{"name", name}, {"ms", ms}});
  add_history(doc, r.history);
  const auto stage = [&](const char* name, auto&& work) {
    const int64_t begin = runtime::now_ns();
    Status s = work();
    doc["stages"].push_back({{"name", name}, {"ms", static_cast<double>(runtime::now_ns() - begin) / 1e6}});
    if (!s) fail(doc, name, s.error());
    if (!s && status.ok()) status = s;
    return s.ok();
  };
  const bool lowered = stage("passes", [&] { return report::add_passes(doc, r, c); });
  report::add_graph(doc, c.fused ? *c.fused : *r.function, c);
  report::add_sources(doc, *r.function, r);
  doc["steps"] = Json::array();
  doc["kernels"] = Json::array();
  doc["buffers"] = Json::array();
  doc["memory"] = Json::array();
  doc["machine"] = nullptr;
  if (lowered) {
    report::add_steps(doc, c);
    report::add_buffers(doc, c);
    stage("build and run", [&] { return report::add_measurement(doc, r, c); });
    stage("code listings", [&] { return report::add_kernels(doc, r, c); });
  }
  return {doc.dump(-1, ' ', false, Json::error_handler_t::replace), std::move(status)};
}

}  // namespace frit::codegen
