// Rows that go through a vector loop side by side, of open and of known sizes, against the interpreter.
#include <regex>

#include "codegen_harness.h"

namespace frit::test::rows {
namespace {

// A kernel with `body` for row t and column i of n by m in block b, in vectors of `width`.
std::string kernel_of(const std::string& buffers, const std::string& body, int width) {
  const std::string w = std::to_string(width);
  return "kernel @rows(" + buffers + "; n, m) {\nparallel for b in 2 {\nfor t in n unroll " + w +
         " {\nfor i in m vector " + w + " {\n" + body + "}\n}\n}\n}";
}

// The text with numbers in place of n and m, but for their declaration.
std::string with_sizes(const std::string& text, int64_t n, int64_t m) {
  std::string known = std::regex_replace(text, std::regex("\\bn\\b"), std::to_string(n));
  known = std::regex_replace(known, std::regex("\\bm\\b"), std::to_string(m));
  return std::regex_replace(known, std::regex("; \\d+, \\d+\\)"), "; n, m)");
}

void check_rows(const std::string& buffers, const std::string& body, const Fill& values = {}) {
  // Processors differ in their masked accesses and conversions.
  const auto here = [](const char* cpu) { return backend().runs_here({"llvm", cpu}).ok() ? cpu : "native"; };
  const char *v3 = here("x86-64-v3"), *v2 = here("x86-64-v2");
  for (auto [width, cpu] : {std::pair(4, "native"), {8, "native"}, {16, "native"}, {8, v3}, {4, v2}}) {
    SCOPED_TRACE("width " + std::to_string(width) + " for " + cpu);
    const std::string text = kernel_of(buffers, body, width);
    Compiled compiled(parse(text), cpu);
    for (int64_t n : {0, 1, 3, 8, 16, 21})
      for (int64_t m : {0, 1, 5, 8, 16, 35}) {
        compiled.check({n, m}, 1, values);
        if (::testing::Test::HasFailure()) return;
      }
    // Fewer rows and columns than lanes, as many, and more.
    for (auto [n, m] : {std::pair(3, 35), {10, 64}, {10, 5}, {16, 10}, {21, 3}}) {
      SCOPED_TRACE(std::to_string(n) + " by " + std::to_string(m));
      Compiled(parse(with_sizes(text, n, m)), cpu).check({n, m}, 1, values);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(Rows, ReadAlongEitherAxis) {
  for (const char* type : {"f32", "f64", "u8", "i16", "bool"}) {
    const std::string t = type;
    SCOPED_TRACE(t);
    check_rows(
        "%x: " + t + "[2*n*m] in, %y: " + t + "[2*n*m] in, %r: " + t + "[n] in, %c: " + t + "[m] in, %back: " + t +
            "[2*n*m] in, %far: " + t + "[6*n*m] in, %o: " + t + "[2*n*m] out, %p: " + t + "[2*n*m] out, %q: " + t +
            "[2*n*m] out, %s: " + t + "[2*n*m] out",
        "%0: " + t + " = load %x[b*n*m + i*n + t]\n" +      // contiguous along the rows
            "%1: " + t + " = load %y[b*n*m + t*m + i]\n" +  // contiguous along the columns
            "%2: " + t + " = load %r[t]\n%3: " + t + " = load %c[i]\n" + "%4: " + t +
            " = load %back[b*n*m + (m - i - 1)*n + n - t - 1]\n" + "%5: " + t +
            " = load %far[3*b*n*m + 3*i*n + 2*t]\n" +  // strided along both
            "%6: bool = ne %0, %1\n%7: " + t + " = select %6, %0, %2\n%8: bool = ne %4, %3\n%9: " + t +
            " = select %8, %4, %5\n" +
            "store %o[b*n*m + t*m + i], %7\nstore %p[b*n*m + t*m + i], %9\nstore %q[b*n*m + i*n + t], %1\nstore %s[b*n*m + t*m + m - i - 1], %2\n");
  }
}

TEST(Rows, PositionsMasksAndBindings) {
  check_rows(
      "%at: i32[n] in, %x: f32[64*m] in, %z: f32[n*m] in, %o: f32[2*n*m] out, %k: i64[2*n*m] out, %e: f32[2*n*m] out",
      "%0: i32 = load %at[t]\n%1: i64 = cast %0\nbind p = %1 in [0, 63]\n%2: f32 = load %x[p*m + i]\n"
      "store %o[b*n*m + t*m + i], %2\n"
      "%3: i64 = index((t // 3) + 100*i + p)\nstore %k[b*n*m + t*m + i], %3\n"
      "%4: i64 = index(t - i)\n%5: bool = ge %4, 0\n%6: f32 = load %z[i] mask %5\n%7: f32 = load %z[i*n + t] mask %5\n"
      "%8: f32 = add %6, %7\nstore %e[b*n*m + t*m + i], %8 mask %5\n",
      [](const std::string& name, int64_t i) -> std::optional<uint64_t> {
        if (name == "at") return static_cast<uint64_t>(i * 37 % 64);
        return std::nullopt;
      });
}

TEST(Rows, InPlaceWithALoopInside) {
  check_rows(
      "%x: f32[2*n*m] inout, %y: f32[5*n*m] in",
      "%0: f32 = load %x[b*n*m + t*m + i]\nfor k in 5 acc %1: f32 = sum %2 {\n%2: f32 = load %y[5*i*n + t + k*n]\n}\n%3: f32 = add %0, %1\n"
      "store %x[b*n*m + t*m + i], %3\n");
}

}  // namespace
}  // namespace frit::test::rows
