// Rows that begin anywhere in a line and are stored past the caches, and tiles with parts of vectors, against the
// interpreter.
#include "codegen_harness.h"

namespace frit::test::edges {
namespace {

constexpr const char* kCpus[] = {"native", "x86-64-v3", "x86-64-v2"};

// Runs `body`, stores into %y at positions r*m + i for rows r and elements i, for every length of a row. The guarded
// memory ends with a page, so that its first element lies anywhere in a line, too.
void check_rows(const std::string& type, const std::string& elements, const std::string& body) {
  for (const char* cpu : kCpus) {
    if (!backend().runs_here({"llvm", cpu}).ok()) continue;
    for (const auto& [width, unroll] : {std::pair(4, 1), {8, 4}, {16, 2}}) {
      SCOPED_TRACE(type + " by " + std::to_string(width) + " for " + cpu);
      ir::Kernel k = parse("kernel @rows(%x: " + type + "[n*m] in, %y: " + type + "[" + elements +
                           "] out; n, m) {\nparallel for r in n {\n" + body + "}\n}");
      set_vector(k, "i", width, unroll);
      Compiled compiled(k, cpu);
      ASSERT_TRUE(compiled.ok());
      for (const int64_t m : {1, 3, 8, 16, 31, 64, 77, 130, 515}) {
        for (const int parts : {1, 3}) compiled.check({5, m}, parts);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(Lines, RowsOfAnyLength) {
  for (const std::string t : {"u8", "bf16", "f32", "f64"})
    check_rows(t, "n*m", "for i in m {\n%0: " + t + " = load %x[r*m + m - i - 1]\nstore stream %y[r*m + i], %0\n}\n");
}

// Elements in front of the first line are known to be none only where the position says so.
TEST(Lines, RowsBehindAGap) {
  for (const std::string t : {"i8", "f16", "i32"})
    check_rows(t, "n*m + 5*n",
               "for i in m {\n%0: " + t + " = load %x[r*m + i]\nstore stream %y[r*m + 5*r + i + 3], %0\n}\n");
}

TEST(Lines, PaddedRows) {
  for (const std::string t : {"u8", "f16", "f32", "f64"})
    check_rows(t, "n*m + 4*n",
               "%0: i64 = index(0)\n%1: i64 = index(m)\nfor i in m + 4 {\n%2: i64 = index(i - 3)\n" +
                   ("%3: bool = le %0, %2\n%4: bool = lt %2, %1\n%5: bool = and %3, %4\n%6: " + t) +
                   " = load %x[r*m + i - 3] mask %5\nstore stream %y[r*m + 4*r + i], %6\n}\n");
}

// Two parts of a row whose places in a line differ: neither is at a line while the other is.
TEST(Lines, StoresApart) {
  check_rows("f32", "2*n*m + n",
             "for i in m {\n%0: f32 = load %x[r*m + i]\nstore stream %y[2*r*m + r + i], %0\n"
             "store stream %y[2*r*m + r + m + i], %0\n}\n");
}

// Tiles of known sizes: the last rows and the last columns go in whole vectors, of which a part is computed again.
void check_tiles(const std::string& type, const std::string& buffers, const std::string& body) {
  for (const char* cpu : kCpus) {
    if (!backend().runs_here({"llvm", cpu}).ok()) continue;
    for (const int width : {4, 8, 16})
      for (const int rows : {3, 8, 17, 31})
        for (const int columns : {7, 16, 21}) {
          const std::string w = std::to_string(width), t = std::to_string(rows), c = std::to_string(columns);
          SCOPED_TRACE(type + " by " + w + " for " + cpu + ", " + t + " rows of " + c);
          const auto sized = [&](std::string text) {
            for (const auto& [name, size] : {std::pair("ROWS", t), {"COLUMNS", c}, {"TYPE", type}})
              for (size_t at; (at = text.find(name)) != std::string::npos;)
                text.replace(at, std::string(name).size(), size);
            return text;
          };
          Compiled compiled(
              parse(sized("kernel @tiles(" + buffers + "; n) {\nparallel for b in n {\nfor t in ROWS unroll " + w +
                          " {\nfor i in COLUMNS vector " + w + " {\n" + body + "}\n}\n}\n}")),
              cpu);
          ASSERT_TRUE(compiled.ok());
          compiled.check({3});
          if (testing::Test::HasFailure()) return;
        }
  }
}

TEST(Tiles, Transposes) {
  for (const char* t : {"u8", "f16", "f32", "f64"})
    check_tiles(t, "%x: TYPE[n*ROWS*COLUMNS] in, %y: TYPE[n*ROWS*COLUMNS] out",
                "%0: TYPE = load %x[b*ROWS*COLUMNS + i*ROWS + t]\nstore %y[b*ROWS*COLUMNS + t*COLUMNS + i], %0\n");
}

// A result in the place of its operand is computed once.
TEST(Tiles, InPlace) {
  check_tiles("f32", "%x: f32[n*ROWS*COLUMNS] inout, %y: f32[n*ROWS*COLUMNS] in",
              "%0: f32 = load %x[b*ROWS*COLUMNS + t*COLUMNS + i]\n%1: f32 = load %y[b*ROWS*COLUMNS + i*ROWS + t]\n"
              "%2: f32 = sub %1, %0\nstore %x[b*ROWS*COLUMNS + t*COLUMNS + i], %2\n");
}

// Rows of a known length of one operand, whose last elements may be computed twice.
void check_known(const std::string& operands, const std::string& before, const std::string& body) {
  for (const char* cpu : kCpus) {
    if (!backend().runs_here({"llvm", cpu}).ok()) continue;
    for (const std::string t : {"i8", "i16", "f32", "i64"})
      for (const std::string columns : {"5", "9", "17", "27", "45"})
        for (const auto& [width, unroll] : {std::pair(4, 1), {8, 4}, {16, 2}}) {
          SCOPED_TRACE(t + " of " + columns + " by " + std::to_string(width) + " for " + cpu);
          std::string text = "kernel @known(" + operands + "; n) {\nparallel for r in n {\n" + before +
                             "for i in COLUMNS {\n" + body + "}\n}\n}";
          for (const auto& [name, value] : {std::pair<std::string, std::string>{"TYPE", t}, {"COLUMNS", columns}})
            for (size_t at = 0; (at = text.find(name)) != std::string::npos;) text.replace(at, name.size(), value);
          ir::Kernel k = parse(text);
          set_vector(k, "i", width, unroll);
          Compiled compiled(k, cpu);
          ASSERT_TRUE(compiled.ok());
          for (const int parts : {1, 3}) compiled.check({7}, parts);
          if (testing::Test::HasFailure()) return;
        }
  }
}

// A mask that all lanes of a row share.
TEST(KnownRows, UnderSharedMasks) {
  check_known("%x: TYPE[COLUMNS*n + COLUMNS] in, %y: TYPE[COLUMNS*n] out",
              "%0: i64 = index(0)\n%1: i64 = index(r - 2)\n%2: bool = le %0, %1\n%3: i64 = index(5)\n"
              "%4: i64 = index(r)\n%5: bool = lt %4, %3\n",
              "%6: TYPE = load %x[COLUMNS*r + i] mask %2\n%7: TYPE = load %x[COLUMNS*r + i + COLUMNS] mask %5\n"
              "%8: TYPE = load %x[COLUMNS*r + i]\n%9: TYPE = add %6, %7\n%10: TYPE = add %9, %8\n"
              "store %y[COLUMNS*r + i], %10\n");
}

// Lanes lie elsewhere in a step that begins between multiples of the width.
TEST(KnownRows, Quotients) {
  check_known("%x: TYPE[COLUMNS*n] in, %y: TYPE[COLUMNS*n] out", "",
              "%0: TYPE = load %x[COLUMNS*r + (i // 2)]\nstore %y[COLUMNS*r + i], %0\n");
}

// A result in the place of its operand is computed once.
TEST(KnownRows, InPlace) {
  check_known("%x: TYPE[COLUMNS*n] inout, %y: TYPE[COLUMNS*n] in", "",
              "%0: TYPE = load %x[COLUMNS*r + i]\n%1: TYPE = load %y[COLUMNS*r + i]\n%2: TYPE = sub %1, %0\n"
              "store %x[COLUMNS*r + i], %2\n");
}

}  // namespace
}  // namespace frit::test::edges
