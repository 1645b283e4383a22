// Reads and writes golden files.
#include "golden_file.h"

#include <sstream>
#include <string_view>

namespace frit::golden {
namespace {

constexpr std::string_view kCommand = "// test: ";
constexpr std::string_view kSeparator = "// ---";
constexpr std::string_view kError = "// error: ";

bool starts_with(const std::string& s, std::string_view prefix) { return s.compare(0, prefix.size(), prefix) == 0; }

bool begins_case(const std::string& line) {
  return starts_with(line, "func ") || starts_with(line, "func@") || starts_with(line, "program ");
}

// The text after "// error: " if the line has it; the line is cut before it.
std::string take_error(std::string& line) {
  size_t at = line.find(kError);
  if (at == std::string::npos) return {};
  std::string text = line.substr(at + kError.size());
  line.resize(at);
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return text;
}

// Reads an expect block from its first line on; returns the line after it.
size_t read_block(const std::vector<std::string>& lines, size_t at, Expectation& e) {
  if (lines[at] == "// expect: unchanged") e.unchanged = true;
  for (++at; at < lines.size() && starts_with(lines[at], "//") && lines[at] != kSeparator; ++at) {
    std::string text = lines[at].size() > 3 ? lines[at].substr(3) : "";
    if (starts_with(text, "remark: ")) {
      e.remarks.push_back(text.substr(8));
    } else if (starts_with(text, "error: ")) {
      e.error = text.substr(7);
    } else {
      e.text += text + "\n";
    }
  }
  return at;
}

void write_block(std::ostream& out, const Expectation& e) {
  out << (e.unchanged ? "// expect: unchanged\n" : "// expect:\n");
  std::istringstream text(e.text);
  for (std::string line; std::getline(text, line);) out << (line.empty() ? "//" : "// " + line) << "\n";
  for (const std::string& remark : e.remarks) out << "// remark: " << remark << "\n";
  if (!e.error.empty()) out << "// error: " << e.error << "\n";
}

bool blank(const std::string& line) { return line.find_first_not_of(' ') == std::string::npos; }

}  // namespace

std::string Case::input() const {
  std::string text(static_cast<size_t>(first_line - 1), '\n');
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

GoldenFile GoldenFile::split(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);

  GoldenFile file;
  if (!lines.empty() && starts_with(lines[0], kCommand)) file.command = lines[0].substr(kCommand.size());
  Case current;
  bool has_code = false;
  auto is_comment = [](const std::string& line) { return blank(line) || starts_with(line, "//"); };
  // Ends the current case before `line`, where the next one starts.
  auto open = [&](size_t line) {
    current = {};
    current.first_line = static_cast<int>(line) + 1;
    has_code = false;
  };
  // Ends the current case there too, but comments after its code belong to the next case.
  auto close = [&](size_t line) {
    std::vector<std::string> comments;
    while (is_comment(current.lines.back())) {
      comments.insert(comments.begin(), current.lines.back());
      current.lines.pop_back();
    }
    file.cases.push_back(current);
    open(line - comments.size());
    current.lines = std::move(comments);
  };
  open(1);
  for (size_t i = 1; i < lines.size();) {
    const std::string& line = lines[i];
    if (starts_with(line, "// expect:")) {
      i = read_block(lines, i, current.expected);
      current.expects = true;
      file.cases.push_back(current);
      open(i);
      continue;
    }
    if (has_code && (line == kSeparator || begins_case(line))) close(i);
    has_code = has_code || !is_comment(line);
    std::string kept = line;
    if (std::string error = take_error(kept); !error.empty()) current.inline_error = {static_cast<int>(i) + 1, error};
    current.lines.push_back(kept);
    ++i;
  }
  if (has_code) close(lines.size());
  file.tail = current.lines;
  return file;
}

std::string GoldenFile::join() const {
  std::ostringstream out;
  out << kCommand << command << "\n";
  for (const Case& c : cases) {
    int number = c.first_line;
    for (const std::string& line : c.lines) {
      out << line;
      if (number++ == c.inline_error.line) out << (line.empty() ? "" : "  ") << kError << c.inline_error.text;
      out << "\n";
    }
    if (c.expects) write_block(out, c.expected);
  }
  for (const std::string& line : tail) out << line << "\n";
  return out.str();
}

}  // namespace frit::golden
