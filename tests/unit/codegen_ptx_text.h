// The properties that every text of a PTX module has.
#pragma once

#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>

#include "codegen/ptx/product.h"

namespace frit::codegen::ptx {

// The first groups of all matches.
inline std::set<std::string> matches(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  std::set<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), expression), end; it != end; ++it) found.insert((*it)[1]);
  return found;
}

inline size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++n;
  return n;
}

inline size_t shared_bytes(const std::string& text) {
  const std::set<std::string> shared = matches(text, "\\.b8 memory\\[([0-9]+)\\]");
  return shared.size() == 1 ? std::stoul(*shared.begin()) : kProductShared + 1;
}

// Parameters, registers and labels that are used are declared once, and shared memory fits.
inline void check_text(const Module& module, size_t parameters) {
  const std::string& text = module.text;
  EXPECT_EQ(count(text, ".entry " + module.entry + "("), 1u);
  EXPECT_EQ(count(text, ".param .u64"), parameters);
  EXPECT_NE(text.find(".maxntid " + std::to_string(module.threads) + ","), std::string::npos);
  EXPECT_EQ(count(text, "{"), count(text, "}"));
  for (const char* kind : {"p", "r", "d", "s", "f", "g"}) {
    const std::set<std::string> used = matches(text, std::string("%(") + kind + "[0-9]+)\\b"),
                                declared = matches(text, std::string("%") + kind + "<([0-9]+)>");
    ASSERT_LE(declared.size(), 1u);
    EXPECT_EQ(used.size(), declared.empty() ? 0u : std::stoul(*declared.begin())) << kind;
  }
  const std::set<std::string> placed = matches(text, "\n(L[0-9]+):"), jumps = matches(text, "bra (L[0-9]+);");
  EXPECT_EQ(placed, jumps);
  for (const std::string& label : placed) EXPECT_EQ(count(text, "\n" + label + ":"), 1u);
  EXPECT_LE(shared_bytes(text), kProductShared);
}

}  // namespace frit::codegen::ptx
