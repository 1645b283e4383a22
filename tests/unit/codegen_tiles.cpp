// Rows that are the lanes of vectors, read and written by tiles: against the interpreter, up to the last byte of
// memory.
#include <string>

#include "codegen_harness.h"

namespace frit::test {
namespace {

std::string as_text(int64_t n) { return std::to_string(n); }

// `rows` is the loop over rows in vectors; each of them has `n` places of `step` elements, `apart` elements from the
// row before. An accumulator for each element of a place.
std::string tiled_reduction(const std::string& type, const std::string& combine, const std::string& rows,
                            const std::string& n, const std::string& apart, int step, const std::string& result = "") {
  std::string accumulators, loads, stores;
  for (int e = 0; e < step; ++e) {
    const std::string value = "%" + as_text(2 * e + 1);
    accumulators += (e ? ", %" : " acc %") + as_text(2 * e) + ": " + (result.empty() ? type : result) + " = " +
                    combine + " " + value + (combine.rfind("arg", 0) == 0 ? " at %100" : "");
    loads +=
        "      " + value + ": " + type + " = load %x[" + apart + "*i + " + as_text(step) + "*r + " + as_text(e) + "]\n";
    stores += "    store %y[" + as_text(step) + "*i + " + as_text(e) + "], %" + as_text(2 * e) + "\n";
  }
  const std::string position = combine.rfind("arg", 0) == 0 ? "      %100: i64 = index(r)\n" : "";
  return "kernel @k(%x: " + type + "[" + apart + "*m] in, %y: " + (result.empty() ? type : result) + "[" +
         as_text(step) + "*m] out; m, n) {\n  parallel for i in m " + rows + " {\n    for r in " + n + accumulators +
         " {\n" + loads + position + "    }\n" + stores + "  }\n}\n";
}

void check_lane_tiles(const std::string& text, int64_t n) {
  for (const char* cpu : {"native", "x86-64-v3"}) {
    if (!backend().runs_here({"llvm", cpu}).ok()) continue;
    Compiled code(parse(text), cpu);
    ASSERT_TRUE(code.ok()) << text;
    for (int64_t m : {1, 3, 16, 31, 64, 100}) code.check({m, n}, m > 60 ? 3 : 1);
  }
}

TEST(LaneTiles, ReduceRowsOfKnownLength) {
  const std::pair<const char*, const char*> kinds[] = {{"f32", "sum"}, {"f64", "sum"}, {"f32", "max"}, {"i8", "max"},
                                                       {"u8", "min"},  {"i16", "sum"}, {"i64", "sum"}, {"bool", "or"}};
  for (const auto& [type, combine] : kinds)
    for (int n : {3, 4, 5, 8, 13, 16, 17, 40})
      check_lane_tiles(tiled_reduction(type, combine, "vector 16 unroll 2", as_text(n), as_text(n), 1), n);
}

TEST(LaneTiles, ReduceSeveralColumns) {
  for (const char* type : {"f32", "i8", "i16"})
    for (int step : {2, 3, 4, 5})
      for (int n : {2, 7, 8, 19})
        check_lane_tiles(tiled_reduction(type, "max", "vector 16 unroll 1", as_text(n), as_text(n * step + 1), step),
                         n);
}

// The last iterations are read one by one where their number is not known.
TEST(LaneTiles, ReduceRowsOfAnyLength) {
  for (const char* type : {"f32", "u8", "i16", "f64"})
    for (int64_t n : {0, 1, 4, 15, 16, 17, 40}) {
      check_lane_tiles(tiled_reduction(type, "max", "vector 16 unroll 2", "n", "40", 1), n);
      if (n > 0) check_lane_tiles(tiled_reduction(type, "max", "vector 16 unroll 1", "n", "n", 1), n);
    }
}

TEST(LaneTiles, FindPositions) {
  for (const char* type : {"f32", "i8", "i32"})
    for (const char* combine : {"argmax", "argmin"}) {
      for (int n : {5, 17, 33})
        check_lane_tiles(tiled_reduction(type, combine, "vector 16 unroll 1", as_text(n), as_text(n), 1, "i64"), n);
      check_lane_tiles(tiled_reduction(type, combine, "vector 16 unroll 1", "n", "40", 1, "i64"), 37);
    }
}

// Positions are the same whatever the order of the lanes.
TEST(LaneTiles, FindPositionsInLanes) {
  for (const char* type : {"i8", "f32"})
    for (int n : {31, 63, 100}) {
      std::string text = tiled_reduction(type, "argmax", "vector 16 unroll 1", as_text(n), as_text(n), 1, "i64");
      text.insert(text.find(" acc"), " lanes 32");
      check_lane_tiles(text, n);
    }
}

// Each row is read, changed and written.
TEST(LaneTiles, WriteRows) {
  for (const char* type : {"f32", "i8", "i16", "f64", "u8"})
    for (int n : {4, 5, 16, 19, 64}) {
      const std::string at = "[" + as_text(n) + "*i + r]", t = type;
      check_lane_tiles("kernel @k(%x: " + t + "[" + as_text(n) + "*m] in, %z: " + t + "[m] in, %y: " + t + "[" +
                           as_text(n) + "*m] out; m, n) {\n  parallel for i in m vector 16 unroll 2 {\n    %0: " + t +
                           " = load %z[i]\n    for r in " + as_text(n) + " {\n      %1: " + t + " = load %x" + at +
                           "\n      %2: " + t + " = add %1, %0\n      store %y" + at + ", %2\n    }\n  }\n}\n",
                       n);
    }
}

// A loop whose rows are dealt to lanes keeps the order of its sum.
TEST(LaneTiles, KeepTheOrderOfLanes) {
  for (int n : {5, 16, 24, 31, 32})
    for (const char* type : {"f32", "f64"}) {
      std::string text = tiled_reduction(type, "sum", "vector 16 unroll 1", as_text(n), as_text(n), 1);
      text.insert(text.find(" acc"), " lanes 32");
      check_lane_tiles(text, n);
    }
}

}  // namespace
}  // namespace frit::test
