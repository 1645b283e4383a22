// The page around a document: its HTML, style and scripts are files of this folder, which the build embeds.
#include <algorithm>

#include "codegen/report/report.h"

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

}  // namespace

std::string report_page(std::string_view json, std::string_view title) {
  return fill(kReportHtml,
              {{"title", html(title)}, {"style", kReportCss}, {"script", kReportJs}, {"data", script_safe(json)}});
}

std::string report_index(const std::vector<ReportLink>& links) {
  std::string items;
  for (const ReportLink& l : links)
    items += "<li><a href=\"" + html(l.file) + "\">" + html(l.title) + "</a> <span>" + html(l.about) + "</span></li>\n";
  return fill(kReportIndexHtml, {{"style", kReportCss}, {"items", items}});
}

}  // namespace frit::codegen
