// The C++ headers: declarations with their comments, in the marked parts of hand-written files.
#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "frontend/generate/api.h"

namespace frit::generate {

namespace {

constexpr size_t kColumns = 120;

std::string cpp_parameter(const Parameter& p) {
  const TypeName& type = type_of(p.type);
  std::string text = std::string(p.own ? type.cpp_own : type.cpp) + " " + p.name;
  if (!p.fallback.empty()) text += " = " + (p.fallback == "none" ? "std::nullopt" : p.fallback);
  return text;
}

// Lines are filled, and go on under the first parameter.
std::string declaration(const Function& f, const Form& form) {
  std::string line = std::string(type_of(form.result).cpp_result) + " " + f.name + "(", text;
  const std::string indent(line.size(), ' ');
  std::vector<std::string> parameters;
  for (const Parameter& p : form.parameters) parameters.push_back(cpp_parameter(p));
  if (f.stream) parameters.push_back("StreamOrDevice s = {}");
  if (f.line) parameters.push_back("std::source_location at = std::source_location::current()");
  for (size_t i = 0; i < parameters.size(); ++i) {
    const bool first = i == 0, last = i + 1 == parameters.size();
    const std::string part = parameters[i] + (last ? ");" : ",");
    if (!first && line.size() + 1 + part.size() > kColumns) {
      text += line + "\n";
      line = indent + part;
    } else {
      line += (first ? "" : " ") + part;
    }
  }
  if (parameters.empty()) line += ");";
  return text + line + "\n";
}

std::string field_text(const Field& f) {
  if (f.name == "Throws") return "Throws " + f.text;
  return f.name + ": " + f.text;
}

}  // namespace

std::string cpp_declarations(const Group& group) {
  std::string text;
  std::string space;
  const auto enter = [&](const std::string& next) {
    if (!space.empty() && space != next) text += "}  // namespace " + space + "\n\n";
    if (!next.empty() && space != next) text += "namespace " + next + " {\n";
    space = next;
  };
  for (const Function& f : group.functions) {
    enter(f.space);
    text += wrapped(f.text, "//");
    for (const Field& field : f.fields) text += wrapped(field_text(field), "//");
    if (!f.verbatim)
      for (const Form& form : f.forms) text += declaration(f, form);
    for (const std::string& line : f.cpp) text += line + "\n";
    text += "\n";
  }
  enter("");
  return text;
}

std::string rewritten_header(const std::string& header, const std::vector<Group>& groups) {
  constexpr std::string_view kBegin = "// ---- Written from frontend/api: ", kEnd = "// ---- End of frontend/api: ";
  std::string text;
  size_t at = 0;
  for (;;) {
    const size_t begin = header.find(kBegin, at);
    if (begin == header.npos) return text + header.substr(at);
    const size_t line_end = header.find('\n', begin);
    const std::string name = header.substr(begin + kBegin.size(), line_end - begin - kBegin.size());
    const size_t end = header.find(std::string(kEnd) + name + "\n", line_end);
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return g.name == name; });
    if (group == groups.end() || end == header.npos) {
      std::cerr << "the mark '" << name << "' names no group, or its end is missing\n";
      std::exit(1);
    }
    text += header.substr(at, line_end + 1 - at) + "\n" + cpp_declarations(*group);
    at = end;
  }
}

}  // namespace frit::generate
