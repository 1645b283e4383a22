// Helpers of the frontend's tests: values of arrays in row-major order, messages of exceptions, log lines.
#pragma once

#include <frit/frit.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

template <class T>
std::vector<T> values(const frit::array& a) {
  frit::array dense = frit::contiguous(a);
  const T* data = dense.data<T>();
  return std::vector<T>(data, data + dense.size());
}

inline std::string printed(const frit::array& a) {
  std::ostringstream os;
  os << a;
  return os.str();
}

// The text of the exception that `action` throws; "" if it throws none.
template <class E, class Action>
std::string thrown(Action action) {
  try {
    action();
  } catch (const E& e) {
    return e.what();
  }
  return "";
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Collects log lines during its lifetime.
class Log {
 public:
  explicit Log(std::string_view topics = "recompiles") {
    frit::set_log(topics, [this](std::string_view line) { lines_.emplace_back(line); });
  }
  ~Log() { frit::set_log(""); }
  const std::vector<std::string>& lines() const { return lines_; }
  std::string text() const {
    std::string all;
    for (const std::string& line : lines_) all += line + "\n";
    return all;
  }

 private:
  std::vector<std::string> lines_;
};
