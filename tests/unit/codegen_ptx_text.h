// The properties that every text of a PTX module has.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "codegen/ptx/product.h"

namespace frit::codegen::ptx {

// All numbers between `before` and `after`; the texts are too long for regular expressions.
inline std::set<size_t> numbers(const std::string& text, const std::string& before, const std::string& after) {
  std::set<size_t> found;
  for (size_t at = 0; (at = text.find(before, at)) != std::string::npos;) {
    at += before.size();
    size_t end = at;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    if (end > at && text.compare(end, after.size(), after) == 0) found.insert(std::stoul(text.substr(at, end - at)));
    at = end;
  }
  return found;
}

inline size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++n;
  return n;
}

inline size_t shared_bytes(const std::string& text) {
  const std::set<size_t> shared = numbers(text, ".b8 memory[", "]");
  return shared.size() == 1 ? *shared.begin() : kProductShared + 1;
}

// Parameters, registers and labels that are used are declared once, and shared memory fits.
inline void check_text(const Module& module, size_t parameters) {
  const std::string& text = module.text;
  EXPECT_EQ(count(text, ".entry " + module.entry + "("), 1u);
  EXPECT_EQ(count(text, ".param .u64"), parameters);
  EXPECT_NE(text.find(".maxntid " + std::to_string(module.threads) + ","), std::string::npos);
  EXPECT_EQ(count(text, "{"), count(text, "}"));
  for (const char* kind : {"p", "r", "d", "s", "f", "g"}) {
    const std::string name = std::string("%") + kind;
    const std::set<size_t> used = numbers(text, name, ""), declared = numbers(text, name + "<", ">");
    ASSERT_LE(declared.size(), 1u);
    EXPECT_EQ(used.size(), declared.empty() ? 0u : *declared.begin()) << kind;
  }
  const std::set<size_t> placed = numbers(text, "\nL", ":"), jumps = numbers(text, "bra L", ";");
  EXPECT_EQ(placed, jumps);
  for (const size_t label : placed) EXPECT_EQ(count(text, "\nL" + std::to_string(label) + ":"), 1u);
  EXPECT_LE(shared_bytes(text), kProductShared);
}

}  // namespace frit::codegen::ptx
