// Elements read from and written to positions that come from data, of every width, against the interpreter. A table
// ends at a page that is not there, and begins at any multiple of its element's size.
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

// Adds to elements of `y` at bound positions, each to another one, and moves some to `z` in the opposite order.
std::string scattered(const std::string& type, const std::string& at) {
  const std::string cast = at == "i64" ? "" : "      %1: i64 = cast %0\n", p = at == "i64" ? "%0" : "%1";
  const std::string sum = type == "bool" ? "or" : "add";
  return "kernel @k(%at: " + at + "[n] in, %x: " + type + "[n] in, %y: " + type + "[n] inout, %z: " + type +
         "[n] inout; n) {\n    parallel for i in n {\n      %0: " + at + " = load %at[i]\n" + cast +
         "      bind p = " + p + " in [0, n - 1]\n      %2: " + type + " = load %x[i]\n      %3: " + type +
         " = load %y[p]\n      %4: " + type + " = " + sum + " %2, %3\n      store %y[p], %4\n" +
         "      %5: i64 = index(p)\n      %6: bool = gt %5, 5\n      store %z[n - 1 - p], %2 mask %6\n    }\n  }";
}

TEST(Scatter, ElementsOfEveryWidth) {
  for (const char* type : {"bool", "u8", "i16", "i32", "f32", "i64", "f64"})
    for (const char* at : {"i32", "i64"}) {
      SCOPED_TRACE(std::string(type) + " at " + at);
      check(scattered(type, at), 0);
    }
}

// Where a processor is quick at it, lanes are stored together and in one copy, and not one by one.
TEST(Scatter, IsOneInstructionWhereThereIsOne) {
  const auto stores = [](const char* cpu) {
    ir::Kernel kernel = parse(scattered("f32", "i32"));
    set_vector(kernel, "i", 16, 4);
    auto text = backend().emit(program_of(std::move(kernel)), {"llvm", cpu}, "llvm-ir");
    EXPECT_TRUE(text.ok());
    std::pair<int, int> found;
    for (size_t at = 0; text.ok() && (at = text->find("call void @llvm.masked.scatter", at)) != text->npos; ++at)
      ++found.first;
    for (size_t at = 0; text.ok() && (at = text->find("store float", at)) != text->npos; ++at) ++found.second;
    return found;
  };
  EXPECT_EQ(stores("sapphirerapids"), std::pair(4, 0));
  EXPECT_EQ(stores("x86-64-v4"), std::pair(0, 64));
}

}  // namespace
}  // namespace frit::test
