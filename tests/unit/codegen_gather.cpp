// Elements at positions that come from data, of every width, against the interpreter. A table ends at a page that is
// not there, and begins at any multiple of its element's size.
#include "codegen_harness.h"

namespace frit::test {
namespace {

constexpr int64_t kSizes[] = {1, 7, 16, 33, 100, 257};

// Reads a table of `size` elements, a number or the symbol n, forwards and backwards from bound positions.
std::string lookup(const std::string& type, const std::string& at, const std::string& size) {
  const std::string cast = at == "i64" ? "" : "      %1: i64 = cast %0\n", p = at == "i64" ? "%0" : "%1";
  return "kernel @k(%at: " + at + "[n] in, %x: " + type + "[" + size + "] in, %y: " + type + "[n] out, %z: " + type +
         "[n] out; n) {\n    parallel for i in n {\n      %0: " + at + " = load %at[i]\n" + cast +
         "      bind p = " + p + " in [0, " + size + " - 1]\n      %2: " + type +
         " = load %x[p]\n      store %y[i], %2\n" +
         "      %3: i64 = index(p)\n      %4: bool = gt %3, 5\n      %5: " + type + " = load %x[" + size +
         " - 1 - p] mask %4\n      store %z[i], %5\n    }\n  }";
}

void check(const std::string& text, int64_t table) {
  for (auto [vector, unroll] : {std::pair(0, 1), {8, 4}, {16, 2}}) {
    ir::Kernel kernel = parse(text);
    set_vector(kernel, "i", vector, unroll);
    Compiled compiled(std::move(kernel));
    ASSERT_TRUE(compiled.ok()) << text;
    for (int64_t n : kSizes)
      compiled.check({n}, 1, [&](const std::string& name, int64_t i) -> std::optional<uint64_t> {
        if (name == "at") return static_cast<uint64_t>((i * 37 + n - 1) % (table ? table : n));
        return std::nullopt;
      });
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Gather, ElementsOfEveryWidth) {
  for (const char* type : {"bool", "u8", "i16", "f16", "bf16", "i32", "f32", "i64", "f64"})
    for (const char* at : {"i32", "i64"})
      for (int64_t table : {int64_t{0}, int64_t{63}}) {
        SCOPED_TRACE(std::string(type) + " at " + at);
        check(lookup(type, at, table ? std::to_string(table) : "n"), table);
      }
}

// Rows of a table, so that positions are products of what is bound.
TEST(Gather, PlacesOfRows) {
  for (const char* type : {"u8", "f16", "f32"})
    check("kernel @k(%at: i32[n] in, %x: " + std::string(type) + "[7*63] in, %y: " + type +
              R"([7*n] out; n) {
    parallel for i in n {
      %0: i32 = load %at[i]
      %1: i64 = cast %0
      bind p = %1 in [0, 62]
      for c in 7 {
        %2: )" +
              type + R"( = load %x[7*p + c]
        store %y[7*i + c], %2
      }
    }
  })",
          63);
}

}  // namespace
}  // namespace frit::test
