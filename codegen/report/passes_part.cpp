// Runs the pipeline and keeps its states: texts after each pass, times, remarks.
#include <cstring>

#include "codegen/report/parts.h"
#include "ir/text/kernel_printer.h"
#include "ir/text/printer.h"

namespace frit::codegen::report {

LinePool::LinePool(Json lines) : lines_(std::move(lines)) {
  for (size_t i = 0; i < lines_.size(); ++i) known_.try_emplace(lines_[i].get<std::string>(), i);
}

Json LinePool::add(const std::string& text) {
  Json runs = Json::array();
  size_t first = 0, count = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const auto [line, fresh] = known_.try_emplace(text.substr(at, end - at), lines_.size());
    if (fresh) lines_.push_back(line->first);
    if (count && line->second == first + count) {
      ++count;
    } else {
      if (count) runs.push_back({first, count});
      first = line->second, count = 1;
    }
    at = end + 1;
  }
  if (count) runs.push_back({first, count});
  return runs;
}

namespace {

std::string text_of(const ir::Function& f) {
  return f.program ? ir::print(*f.program, f.name) : ir::print(f, {.locations = false});
}

}  // namespace

Status add_passes(Json& doc, const ReportRequest& request, Compilation& c) {
  LinePool pool;
  Json list = Json::array();
  list.push_back({{"name", "input"}, {"doc", "the graph before any pass"}, {"ms", 0}, {"changed", true}});
  list.back()["ops"] = request.function->ops.size();
  list.back()["text"] = pool.add(text_of(*request.function));
  size_t remarks = 0;
  Json said = Json::array();
  const auto take_remarks = [&] {
    for (; remarks < c.context.remarks.size(); ++remarks) {
      const passes::Remark& r = c.context.remarks[remarks];
      said.push_back({{"pass", r.pass}, {"text", r.text}, {"at", to_string(r.loc)}});
    }
  };
  passes::RunOptions options;
  options.after = [&](const passes::PassInfo& pass, const ir::Function& f, double ms, bool changed) {
    Json entry{{"name", pass.name}, {"doc", pass.doc}, {"ms", ms}, {"changed", changed}};
    if (f.program)
      entry["kernels"] = f.program->kernels.size();
    else
      entry["ops"] = f.ops.size();
    // A pass that changed nothing shows the text before.
    entry["text"] = changed ? pool.add(text_of(f)) : list.back()["text"];
    list.push_back(std::move(entry));
    if (pass.name == "fuse") c.fused = f;
    take_remarks();
  };
  const auto run = [&]() -> Status {
    FRIT_ASSIGN_OR_RETURN(backend, find_backend(request.options.target.backend));
    FRIT_ASSIGN_OR_RETURN(traits, backend->traits(request.options.target));
    c.context.target = traits;
    c.context.fuse = request.options.fuse;
    c.context.collect_remarks = true;
    ir::Function f = *request.function;
    FRIT_TRY(passes::run(passes::Pipeline::standard(), f, c.context, options));
    c.planned = std::move(f);
    return {};
  };
  Status status = run();
  take_remarks();
  if (!status && !c.context.pass.empty())
    status.error().message = "pass " + c.context.pass + ": " + status.error().message;
  doc["passes"] = std::move(list);
  doc["lines"] = pool.lines();
  doc["remarks"] = std::move(said);
  return status;
}

}  // namespace frit::codegen::report
