// Source locations and diagnostics as text.
#include "ir/base/result.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <string_view>

namespace frit {

const char* intern_file_name(std::string_view name) {
  static std::mutex mutex;
  // Never destroyed: locations may be printed while other statics are destroyed.
  static auto& names = *new std::set<std::string, std::less<>>;
  std::lock_guard lock(mutex);
  auto it = names.find(name);
  if (it == names.end()) it = names.emplace(name).first;
  return it->c_str();
}

std::string to_string(const SourceLoc& loc) {
  if (!loc.known()) return {};
  std::string s = loc.file;
  if (loc.line) s += ":" + std::to_string(loc.line);
  if (loc.line && loc.column) s += ":" + std::to_string(loc.column);
  return s;
}

std::string Diagnostic::str() const {
  std::string s = to_string(loc);
  if (!s.empty()) s += ": ";
  s += message;
  if (!note.empty()) s += "\nnote: " + note;
  return s;
}

namespace {

// Appends a line, or the part of a long one around `column`, and returns the place in the line where the text begins.
size_t append_excerpt(std::string& s, std::string_view line, uint32_t column) {
  constexpr size_t kWidest = 160, kBefore = 80;
  s += "\n  ";
  const size_t from = line.size() <= kWidest || column <= kBefore ? 0 : std::min(column - kBefore, line.size());
  s += line.substr(from, kWidest);
  if (line.size() - from > kWidest) s += " ...";
  return from;
}

}  // namespace

std::string Diagnostic::render(std::string_view source_text) const {
  std::string s = to_string(loc);
  if (!s.empty()) s += ": ";
  s += "error: " + message;
  if (loc.line) {
    size_t begin = 0;
    for (uint32_t line = 1; line < loc.line && begin != std::string_view::npos; ++line) {
      begin = source_text.find('\n', begin);
      if (begin != std::string_view::npos) ++begin;
    }
    if (begin != std::string_view::npos && begin <= source_text.size()) {
      const size_t from =
          append_excerpt(s, source_text.substr(begin, source_text.find('\n', begin) - begin), loc.column);
      if (loc.column) {
        s += "\n  ";
        const std::string_view line = source_text.substr(begin + from);
        // Tabs are kept, so the caret stands under its character whatever the tab width.
        for (uint32_t i = 1; i + from < loc.column; ++i) s += i <= line.size() && line[i - 1] == '\t' ? '\t' : ' ';
        s += '^';
      }
    }
  }
  if (!note.empty()) s += "\nnote: " + note;
  return s;
}

}  // namespace frit
