// The page around a document: its HTML, style and scripts are files of this folder, which the build embeds.
#include <algorithm>
#include <map>

#include "codegen/report/parts.h"

namespace frit::codegen {

// Written by cmake/embed.cmake from codegen/report/page.
extern const char kReportHtml[], kReportCss[], kReportIndexHtml[], kReportJs[];

namespace {

std::string html(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

// JSON inside of a script element: no "</script>" and no "<!--" may occur.
std::string script_safe(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (char c : json) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

// Puts each value in the place of its mark `{{name}}`. Values are not searched for marks.
std::string fill(std::string_view page, const std::vector<std::pair<std::string_view, std::string>>& values) {
  std::string out;
  while (!page.empty()) {
    const size_t mark = page.find("{{");
    out += page.substr(0, mark);
    if (mark == std::string_view::npos) break;
    const size_t end = page.find("}}", mark);
    const std::string_view name = page.substr(mark + 2, end - mark - 2);
    for (const auto& [known, value] : values)
      if (known == name) out += value;
    page.remove_prefix(end + 2);
  }
  return out;
}

// The document as the page holds it. Kernel IR is that of the last state, which is indented by two more spaces: `ir`
// has the runs of its lines, as `text` of a state has. 1_base.js makes the lines again.
std::string page_data(std::string_view json) {
  report::Json doc = report::Json::parse(json, nullptr, false);
  if (doc.is_discarded() || !doc.contains("kernels") || !doc.contains("lines")) return std::string(json);
  report::LinePool pool(std::move(doc["lines"]));
  for (report::Json& kernel : doc["kernels"]) {
    std::string text;
    for (const report::Json& line : kernel["ir"]) text += "  " + line.get<std::string>() + "\n";
    kernel["ir"] = pool.add(text);
  }
  doc["lines"] = pool.lines();
  return doc.dump(-1, ' ', false, report::Json::error_handler_t::replace);
}

}  // namespace

std::string report_page(std::string_view json, std::string_view title) {
  return fill(
      kReportHtml,
      {{"title", html(title)}, {"style", kReportCss}, {"script", kReportJs}, {"data", script_safe(page_data(json))}});
}

std::string report_index(const std::vector<ReportLink>& links) {
  std::string items;
  for (const ReportLink& l : links)
    items += "<li><a href=\"" + html(l.file) + "\">" + html(l.title) + "</a> <span>" + html(l.about) + "</span></li>\n";
  return fill(kReportIndexHtml, {{"style", kReportCss}, {"items", items}});
}

}  // namespace frit::codegen
