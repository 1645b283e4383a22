// Rows and helpers that the tests of the graph IR share.
#pragma once

#include <gtest/gtest.h>

#include <ctime>
#include <functional>
#include <memory>
#include <string>

#include "ir/graph/graph.h"
#include "ir/read/parser.h"
#include "ir/text/printer.h"
#include "ir/verify/verifier.h"

namespace frit::ir::testing {

// `test_pair` gives its operand twice; `test_effect` has no result and a side effect; `test_all` has an attribute of
// every kind.
void register_test_rows();

inline std::unique_ptr<Module> parsed(std::string_view text) {
  register_test_rows();
  auto m = parse(text, "t.frit");
  EXPECT_TRUE(m.ok()) << m.error().render(text);
  return m.ok() ? *std::move(m) : std::make_unique<Module>();
}

// The error for the text, as "line:column: message".
inline std::string error_of(std::string_view text) {
  register_test_rows();
  auto m = parse(text, "t.frit");
  if (m.ok()) return "no error";
  const Diagnostic& d = m.error();
  return std::to_string(d.loc.line) + ":" + std::to_string(d.loc.column) + ": " + d.message;
}

inline bool same(const Module& a, const Module& b) {
  if (a.functions.size() != b.functions.size()) return false;
  for (size_t i = 0; i < a.functions.size(); ++i)
    if (a.functions[i]->name != b.functions[i]->name || !structurally_equal(*a.functions[i], *b.functions[i]))
      return false;
  return true;
}

// Processor time, on which other work of the machine has little influence.
inline double seconds_of(const std::function<void()>& work) {
  std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

}  // namespace frit::ir::testing
