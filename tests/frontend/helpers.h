// Reading arrays in tests: values in row-major order, whatever the layout.
#pragma once

#include <frit/frit.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
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
