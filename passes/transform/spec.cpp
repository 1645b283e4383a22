// Reading of transforms as text.
#include "passes/transform/spec.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "passes/transform/transform.h"

namespace frit::passes {
namespace {

using namespace ir;

constexpr const char* kForms = "write vjp, jvp or vmap, and after '=' what the transform takes: --help lists it";

std::vector<std::string_view> split(std::string_view text, char by) {
  std::vector<std::string_view> parts;
  for (size_t at = 0;;) {
    const size_t end = text.find(by, at);
    parts.push_back(text.substr(at, end == std::string_view::npos ? end : end - at));
    if (end == std::string_view::npos) return parts;
    at = end + 1;
  }
}

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Result<std::vector<int>> numbers(std::string_view text, const char* what) {
  std::vector<int> out;
  if (text.empty()) return out;
  for (std::string_view part : split(text, ',')) {
    const std::optional<int> n = number(part);
    if (!n) return Diagnostic("'" + std::string(part) + "' is not " + what, {}, kForms);
    out.push_back(*n);
  }
  return out;
}

bool is_name(std::string_view text) {
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
}

Result<Dim> size(std::string_view text, const Function& f) {
  if (!text.empty()) {
    if (const std::optional<int> n = number(text); n && *n >= 0) return Dim(*n);
    if (is_name(text)) return Dim::symbol(text);
    return Diagnostic("'" + std::string(text) + "' is not a size", {}, "give a number, zero or more, or a name");
  }
  const std::vector<std::string> taken = f.symbols();
  std::string name = "batch";
  for (int i = 1; std::binary_search(taken.begin(), taken.end(), name); ++i) name = "batch" + std::to_string(i);
  return Dim::symbol(name);
}

Result<std::vector<size_t>> arguments(std::string_view text, const Function& f) {
  FRIT_ASSIGN_OR_RETURN(given, numbers(text, "the number of an argument"));
  std::vector<size_t> wrt;
  for (int n : given) {
    if (n < 0 || std::count(given.begin(), given.end(), n) > 1)
      return Diagnostic("argument " + std::to_string(n) + (n < 0 ? " is below 0" : " is given twice"), {},
                        "give each number once, counted from 0");
    wrt.push_back(static_cast<size_t>(n));
  }
  if (!text.empty()) return wrt;
  for (size_t i = 0; i < f.params.size(); ++i)
    if (is_inexact(f.type(f.params[i]).dtype)) wrt.push_back(i);
  if (wrt.empty()) return Diagnostic("no argument is a float or a complex number", {}, "convert one with 'astype'");
  return wrt;
}

Result<Function> batched(const Function& f, std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() > 3)
    return Diagnostic("'" + std::string(text) + "' has more than axes of arguments, axes of results, and a size", {},
                      kForms);
  const auto part = [&](size_t i) { return i < parts.size() ? parts[i] : std::string_view(); };
  FRIT_ASSIGN_OR_RETURN(in, numbers(part(0), "an axis"));
  FRIT_ASSIGN_OR_RETURN(out, numbers(part(1), "an axis"));
  FRIT_ASSIGN_OR_RETURN(positions, size(part(2), f));
  if (part(0).empty()) in.assign(f.params.size(), 0);
  if (part(1).empty()) out.assign(f.results.size(), 0);
  return vmap(f, {std::move(in), std::move(out), positions});
}

Result<Function> apply(const Function& f, std::string_view name, std::string_view rest) {
  if (name == "vmap") return batched(f, rest);
  if (name != "vjp" && name != "jvp") return Diagnostic("there is no such transform", {}, kForms);
  FRIT_ASSIGN_OR_RETURN(wrt, arguments(rest, f));
  return name == "vjp" ? vjp(f, wrt) : jvp(f, wrt);
}

}  // namespace

Result<Function> transformed(const Function& f, std::string_view spec) {
  const size_t end = std::min(spec.find('='), spec.size());
  const std::string name(spec.substr(0, end));
  auto out = apply(f, name, spec.substr(std::min(end + 1, spec.size())));
  if (!out.ok()) out.error().message.insert(0, "transform '" + name + "': ");
  return out;
}

}  // namespace frit::passes
