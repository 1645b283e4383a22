// Positions of extremes in rows of known lengths, running extremes of 16-bit floats, and repeated elements, against the
// interpreter.
#include <bit>
#include <limits>

#include "codegen_harness.h"

namespace frit::test::extremes {
namespace {

constexpr const char* kCpus[] = {"native", "x86-64-v3", "x86-64-v2"};

std::string replaced(std::string text, const std::vector<std::pair<std::string, std::string>>& names) {
  for (const auto& [name, value] : names)
    for (size_t at; (at = text.find(name)) != std::string::npos;) text.replace(at, name.size(), value);
  return text;
}

void check(const std::string& text, const std::vector<std::vector<int64_t>>& sizes, const Fill& values = {}) {
  for (const char* cpu : kCpus) {
    if (!backend().runs_here({"llvm", cpu}).ok()) continue;
    SCOPED_TRACE(text + " for " + cpu);
    Compiled compiled(parse(text), cpu);
    ASSERT_TRUE(compiled.ok());
    for (const std::vector<int64_t>& symbols : sizes) compiled.check(symbols, 1, values);
  }
}

// Few values, so that an extreme occurs again and again.
Fill few_values(Dtype type) {
  return [type](const std::string&, int64_t i) -> std::optional<uint64_t> {
    const uint64_t ones[] = {0x3c00, 0x3f80, 0x3f800000, 1};
    const uint64_t one = ones[type == float16 ? 0 : type == bfloat16 ? 1 : type == float32 ? 2 : 3];
    return (i * 7 + i / 11) % 5 == 0 ? one : 0;
  };
}

struct Element {
  const char* name;
  Dtype type = float32;
  int width;
};
constexpr Element kElements[] = {{"f16", float16, 8}, {"bf16", bfloat16, 8}, {"f32", float32, 8},
                                 {"u8", uint8, 32},   {"i16", int16, 16},    {"i64", int64, 4}};

// The loop that finds the position of an extreme among elements at `position`; 16-bit floats compare as f32.
std::string finding(const Element& e, const std::string& head, const std::string& op, const std::string& position,
                    const std::string& index) {
  const std::string name = e.name;
  const bool narrow = e.type == float16 || e.type == bfloat16;
  return head + " acc %s: i64 = " + op + (narrow ? " %1" : " %0") + " at %p {\n%0: " + name + " = load %x[" + position +
         "]\n" + (narrow ? "%1: f32 = cast %0\n" : "") + "%p: i64 = index(" + index + ")\n}\n";
}

TEST(Extremes, PositionsInRows) {
  for (const Element& e : kElements)
    for (const char* op : {"argmax", "argmin"})
      for (const int n : {1, 5, 8, 17, 31, 32, 33, 64, 65, 100, 129, 320}) {
        const std::string size = std::to_string(n);
        const std::string head = "for i in " + size + " vector " + std::to_string(e.width) + " unroll 4 lanes 32";
        const std::string text = "kernel @rows(%x: " + std::string(e.name) + "[" + size +
                                 "*m] in, %y: i64[m] out; m) {\nparallel for r in m {\n" +
                                 finding(e, head, op, size + "*r + i", "3*i + r") + "store %y[r], %s\n}\n}";
        check(text, {{23}});
        check(text, {{9}}, few_values(e.type));
        if (testing::Test::HasFailure()) return;
      }
}

// Lanes that are rows keep the number of a place in as many bits as there are places.
TEST(Extremes, PositionsOfLanes) {
  for (const Element& e : kElements)
    for (const char* op : {"argmax", "argmin"})
      for (const int n : {3, 17, 300}) {
        const std::string size = std::to_string(n);
        const std::string head = "for r in " + size + (n < 300 ? " lanes 32" : "");
        const std::string text = "kernel @rows(%x: " + std::string(e.name) + "[" + size +
                                 "*m] in, %y: i64[m] out; m) {\nparallel for i in m vector " + std::to_string(e.width) +
                                 " unroll 2 {\n" + finding(e, head, op, "r*m + i", "2*r + i") + "store %y[i], %s\n}\n}";
        check(text, {{77}});
        check(text, {{40}}, few_values(e.type));
        if (testing::Test::HasFailure()) return;
      }
}

// Few columns of blocks side by side read whole vectors, but for the last rows.
TEST(Extremes, FewColumnsOfBlocks) {
  for (const Element& e : kElements)
    for (const int columns : {1, 5, 13})
      for (const int rows : {2, 40}) {
        if (e.width > 16) continue;
        const std::string c = std::to_string(columns), n = std::to_string(rows), w = std::to_string(e.width);
        const std::string text =
            "kernel @columns(%x: " + std::string(e.name) + "[" + c + "*" + n + "*m] in, %y: i64[" + c +
            "*m] out; m) {\nparallel for b in ((m + " + w + " - 1) // " + w + ") {\nfor k in min(m - " + w + "*b, " +
            w + ") unroll " + w + " {\nfor i in " + c + " vector " + w + " {\n" +
            finding(e, "for r in " + n, "argmax", c + "*" + n + "*(" + w + "*b + k) + " + c + "*r + i", "r") +
            "store %y[" + c + "*" + w + "*b + " + c + "*k + i], %s\n}\n}\n}\n}";
        check(text, {{1}, {8}, {13}});
        if (testing::Test::HasFailure()) return;
      }
}

// NaN and -0 take another way than other numbers, in the step where they are and behind it.
TEST(Extremes, RunningExtremesOfNarrowFloats) {
  for (const Element& e : {kElements[0], kElements[1]})
    for (const char* op : {"max", "min"})
      for (const char* n : {"n", "5", "30"})
        for (const int rare : {0, 1, 40}) {
          const std::string text = replaced(
              "kernel @scan(%x: TYPE[LENGTH*m] in, %y: TYPE[LENGTH*m] out, %z: f32[LENGTH*m] out; n, m) {\n"
              "parallel for i in m {\nfor r in LENGTH vector 16 unroll 2 lanes 16 carry %c: f32 = START next %s {\n"
              "%0: TYPE = load %x[i*LENGTH + r]\n%1: f32 = cast %0\n%s: f32 = OP %c, %1\n%2: TYPE = cast %s\n"
              "store %y[i*LENGTH + r], %2\nstore %z[i*LENGTH + r], %c\n}\n}\n}",
              {{"TYPE", e.name}, {"LENGTH", n}, {"OP", op}, {"START", std::string(op) == "max" ? "-inf" : "inf"}});
          check(text, {{131, 5}}, [&](const std::string&, int64_t i) -> std::optional<uint64_t> {
            if (rare && i % rare == rare - 1) return std::nullopt;
            return static_cast<uint64_t>((i * 2654435761u >> 7) & 0x3fff) | (i % 3 ? 0x8000u : 0u);
          });
          if (testing::Test::HasFailure()) return;
        }
}

// Few numbers and both zeros, with NaN at every `rare`-th place.
TEST(Extremes, RunningExtremesWithNan) {
  for (const Element& e : {Element{"f32", float32, 8}, Element{"f64", float64, 4}})
    for (const char* op : {"max", "min"})
      for (const char* n : {"n", "5", "30"})
        for (const int rare : {0, 7, 40}) {
          const std::string text = replaced(
              "kernel @scan(%x: TYPE[LENGTH*m] in, %y: TYPE[LENGTH*m] out, %z: TYPE[LENGTH*m] out; n, m) {\n"
              "parallel for i in m {\nfor r in LENGTH vector 16 unroll 2 lanes 16 carry %c: TYPE = START next %s {\n"
              "%0: TYPE = load %x[i*LENGTH + r]\n%s: TYPE = OP %c, %0\nstore %y[i*LENGTH + r], %s\n"
              "store %z[i*LENGTH + r], %c\n}\n}\n}",
              {{"TYPE", e.name}, {"LENGTH", n}, {"OP", op}, {"START", std::string(op) == "max" ? "-inf" : "inf"}});
          check(text, {{131, 5}}, [&](const std::string&, int64_t i) -> std::optional<uint64_t> {
            const double numbers[] = {0.0, -0.0, 1.0, -1.0, 2.5, -7.0};
            const bool nan = rare && i % rare == rare - 1;
            const double v = nan ? std::numeric_limits<double>::quiet_NaN() : numbers[(i * 2654435761u >> 9) % 6];
            if (e.type == float64) return std::bit_cast<uint64_t>(v);
            return std::bit_cast<uint32_t>(static_cast<float>(v));
          });
          if (testing::Test::HasFailure()) return;
        }
}

// Columns that end inside of a vector: in parts of a parallel loop, and behind a step that they join.
TEST(Extremes, KnownLastColumns) {
  for (const Element& e : {kElements[0], kElements[1], kElements[2]})
    for (const char* n : {"13", "36", "50", "66", "100", "105"})
      for (const char* loop :
           {"parallel for i in LENGTH vector 8 unroll 8 grain 64", "for i in LENGTH vector 8 unroll 4",
            "parallel for i in LENGTH vector 8 unroll 4 grain 32"}) {
        const std::string text = replaced(
            std::string("kernel @columns(%x: TYPE[LENGTH*m] in, %y: TYPE[LENGTH*m] out, %z: TYPE[LENGTH] out; m) {\n") +
                loop +
                " {\nfor r in m acc %a: f32 = max %1 {\n%0: TYPE = load %x[r*LENGTH + i]\n%1: f32 = CAST %0\n}\n"
                "for s in m carry %c: f32 = 0 next %4 {\n%2: TYPE = load %x[s*LENGTH + i]\n%3: f32 = CAST %2\n"
                "%4: f32 = add %c, %3\n%5: TYPE = CAST %4\nstore %y[s*LENGTH + i], %5\n}\n"
                "%6: TYPE = CAST %a\nstore %z[i], %6\n}\n}",
            {{"TYPE", e.name}, {"LENGTH", n}, {"CAST", e.type == float32 ? "neg" : "cast"}});
        check(text, {{1}, {9}});
        if (testing::Test::HasFailure()) return;
      }
}

TEST(Extremes, RepeatedElements) {
  for (const Element& e : kElements)
    for (const int times : {2, 3, 7})
      for (const int unroll : {1, times})
        for (const std::string& n : {std::string("n"), std::to_string(times * 61)}) {
          const std::string text = replaced(
              "kernel @repeat(%x: TYPE[(LENGTH)*m] in, %y: TYPE[(LENGTH)*m] out; n, m) {\n"
              "parallel for r in m {\nfor i in LENGTH vector WIDTH unroll STEP {\n"
              "%0: TYPE = load %x[r*LENGTH + (i // TIMES)]\nstore %y[r*LENGTH + i], %0\n}\n}\n}",
              {{"TYPE", e.name},
               {"LENGTH", n},
               {"WIDTH", std::to_string(e.width)},
               {"STEP", std::to_string(unroll)},
               {"TIMES", std::to_string(times)}});
          check(text, {{1, 2}, {40, 2}, {700, 2}});
          if (testing::Test::HasFailure()) return;
        }
}

}  // namespace
}  // namespace frit::test::extremes
