// Malformed text: each error with its place and its words.
#include <random>

#include "ir_support.h"

namespace frit::ir::testing {
namespace {

// An error in a body whose parameter is %x: f32[n]. Columns and lines count from the statement.
std::string in_body(const std::string& statement) {
  std::string s = error_of("func @f(%x: f32[n]) -> f32[n] {\n" + statement + "\n  return %x\n}\n");
  return s.starts_with("2:") ? s.substr(2) : s;
}

TEST(Errors, OfModules) {
  EXPECT_EQ(error_of("fun @f() {"), "1:1: expected 'func', but found 'fun'");
  EXPECT_EQ(error_of("func f() {"), "1:6: expected a name such as @main, but found 'f'");
  EXPECT_EQ(error_of("func @f() { return }\nfunc @f() { return }"), "2:6: function '@f' is defined twice");
  EXPECT_EQ(error_of("func @f() {"), "1:12: expected an op, 'return' or '}', but found the end of the text");
  EXPECT_EQ(error_of("func @f() { }"), "1:13: function '@f' has no return");
  EXPECT_EQ(error_of("func @f(%x: f32[]) -> f32[] { return }"),
            "1:31: function '@f' is declared with 1 result, but returns 0");
  EXPECT_EQ(error_of("func @f(%x: f32[]) -> i8[] { return %x }"),
            "1:23: function '@f' is declared to return i8[], but returns f32[]");
  EXPECT_EQ(error_of("func @f(%x: f32[], %x: f32[]) { return }"), "1:20: '%x' is defined twice");
  EXPECT_EQ(error_of("func @f(%x: f33[]) { return }"), "1:13: unknown element type 'f33'; did you mean 'f32'?");
  EXPECT_EQ(error_of("func @f(%x: f32[n] strides [1, 2]) { return }"),
            "1:28: parameter '%x' has 1 axes, but 2 strides");
  EXPECT_EQ(error_of("func @f(%x: f32[-1]) { return }"), "1:13: type f32[-1] has a negative size");
  EXPECT_EQ(error_of("func @f(%x: f32[16777216, 16777217]) { return }"),
            "1:13: type f32[16777216, 16777217] has more than 2^48 elements");
  EXPECT_EQ(error_of("func @\"f"), "1:6: expected a name such as @main, but found '@'");
  EXPECT_EQ(error_of("func @f(%x: f32[]) -> f32[m] { return %x }"), "1:27: unknown symbol 'm'");
}

TEST(Errors, OfFacts) {
  auto where = [](const std::string& facts) { return error_of("func @f(%x: f32[n])\nwhere " + facts + " { return }"); };
  EXPECT_EQ(where("m in [1, 2]"), "2:7: unknown symbol 'm'; did you mean 'n'?");
  EXPECT_EQ(where("n in [2, 1]"), "2:7: no value of 'n' is in [2, 1]");
  EXPECT_EQ(where("n % 0 == 0"), "2:11: the divisor must be positive, but it is 0");
  EXPECT_EQ(where("n in [1, 2], n in [1, 2]"), "2:20: the range of 'n' is stated twice");
  EXPECT_EQ(where("n > 1"), "2:9: expected 'in [low, high]', '==' or '<=', but found '>'");
  EXPECT_EQ(where("n*n in [1, 2]"), "2:11: expected '==' or '<=', but found 'in'");
  EXPECT_EQ(where("n // 2 <= n"), "2:9: expected 'in [low, high]', '==' or '<=', but found '//'");
  EXPECT_EQ(where("n <= k"), "2:12: unknown symbol 'k'; did you mean 'n'?");
  EXPECT_EQ(where("n <= "), "2:13: expected a size, but found '{'");
  EXPECT_EQ(where("n + 1 <= n"), "2:7: '1 <= 0' contradicts the other facts");
  EXPECT_EQ(where("n % 4 == 1, n % 4 == 0"), "2:19: 'n % 4 == 0' contradicts the other facts");
  EXPECT_EQ(where("n % 16 == 0, n in [1, 15]"), "2:7: 'n % 16 == 0' contradicts the other facts");
  EXPECT_EQ(where("n*n <= 8, 9 <= n*n"), "2:17: '9 <= n*n' contradicts the other facts");
  EXPECT_EQ(where("n <= " + std::string(2000, '(')), "2:76: this size is nested too deeply");
}

TEST(Errors, OfStatements) {
  EXPECT_EQ(in_body("%0: f32[n] = sigmod %x"), "14: unknown op 'sigmod'; did you mean 'sigmoid'?");
  EXPECT_EQ(in_body("%0: f32[n] = exp %y"), "18: '%y' is used before it is defined");
  EXPECT_EQ(in_body("%0: f32[n] = exp %0"), "18: '%0' is used before it is defined");
  EXPECT_EQ(in_body("%x: f32[n] = exp %x"), "1: '%x' is defined twice");
  EXPECT_EQ(in_body("%0: f32[4] = exp %x"), "5: op 'exp' gives f32[n], but '%0' is declared f32[4]");
  EXPECT_EQ(in_body("%0: f32[k] = exp %x"), "9: unknown symbol 'k'; did you mean 'n'?");
  EXPECT_EQ(in_body("%0: f32[n] = exp %x, %x"), "14: op 'exp' takes 1 operand, but got 2");
  EXPECT_EQ(in_body("exp %x"), "1: op 'exp' gives 1 result, but 0 are named");
  EXPECT_EQ(in_body("%0: f32[n] = test_pair %x"), "14: op 'test_pair' gives 2 results, but 1 is named");
  EXPECT_EQ(in_body("%0 = exp %x"), "4: expected ':', but found '='");
  EXPECT_EQ(in_body("%0: f32[n] = exp %x {axis=1}"), "22: op 'exp' has no attribute 'axis'");
  EXPECT_EQ(in_body("%0: f32[] = sum %x {axis=[0]}"), "21: op 'sum' has no attribute 'axis'; did you mean 'axes'?");
  EXPECT_EQ(in_body("%0: f32[] = sum %x {axes=[1]}"), "13: op 'sum' has axis 1, but its operand is f32[n]");
  EXPECT_EQ(in_body("%0: f32[] = sum %x {axes=[0, 0]}"), "13: op 'sum' has axes out of order: [0, 0]");
  EXPECT_EQ(in_body("%0: f32[] = sum %x {axes=0}"), "26: expected '[', but found '0'");
  EXPECT_EQ(in_body("%0: f32[] = sum %x {axes=[0], axes=[0]}"), "31: attribute 'axes' is given twice");
  EXPECT_EQ(in_body("%0: f32[n] = 7"), "14: expected an op, but found '7'");
  EXPECT_EQ(in_body("\x01"), "1: expected an op, 'return' or '}', but found '\\x01'");
}

TEST(Errors, OfGroups) {
  EXPECT_EQ(in_body("group lop { }"), "7: unknown kind of group 'lop'; did you mean 'loop'?");
  EXPECT_EQ(in_body("group loop { }"), "14: this group is empty");
  EXPECT_EQ(in_body("group loop { group loop {"), "14: a group cannot stand inside a group");
  EXPECT_EQ(in_body("group loop { return %x"), "14: expected '}' to close the group before 'return'");
}

TEST(Errors, OfNumbers) {
  EXPECT_EQ(in_body("%0: u8[] = constant 256"), "21: 256 does not fit u8");
  EXPECT_EQ(in_body("%0: u8[] = constant -1"), "22: -1 does not fit u8");
  EXPECT_EQ(in_body("%0: i8[] = constant -129"), "22: -129 does not fit i8");
  EXPECT_EQ(in_body("%0: i8[] = constant 1.5"), "21: expected an integer, but found '1.5'");
  EXPECT_EQ(in_body("%0: i64[] = constant 9223372036854775808"), "22: 9223372036854775808 does not fit i64");
  EXPECT_EQ(in_body("%0: f32[] = constant 1e39"), "22: 1e39 does not fit f32");
  EXPECT_EQ(in_body("%0: f16[] = constant 65520"), "22: 65520 does not fit f16");
  EXPECT_EQ(in_body("%0: f32[] = constant nan(0x1)"), "26: 0x1 is not a NaN of type f32");
  EXPECT_EQ(in_body("%0: bool[] = constant 1"), "23: expected true or false, but found '1'");
  EXPECT_EQ(in_body("%0: f32[2] = constant [1]"), "25: expected ',', but found ']'");
  EXPECT_EQ(in_body("%0: f32[1] = constant [1, 2]"), "25: expected ']', but found ','");
  EXPECT_EQ(in_body("%0: f32[n] = constant [1]"), "23: data needs a shape of known sizes, but this one has n");
  EXPECT_EQ(in_body("%0: f32[99999999999999999999] = exp %x"), "9: 99999999999999999999 does not fit i64");
}

TEST(Errors, OfSizes) {
  EXPECT_EQ(in_body("%0: f32[(n // 0)] = exp %x"), "15: the divisor must be positive, but it is 0");
  EXPECT_EQ(in_body("%0: f32[n % 4] = exp %x"), "11: remainder needs parentheses here");
  EXPECT_EQ(in_body("%0: f32[" + std::string(1000, '(') + "n"), "73: this size is nested too deeply");
  EXPECT_EQ(in_body("%0: f32[" + std::string(1000, '-') + "n"), "73: this size is nested too deeply");
  std::string power = "n";
  for (int i = 0; i < 40; ++i) power += "*n";
  EXPECT_EQ(in_body("%0: f32[" + power + "] = exp %x"), "40: this size has too many terms");
  std::string sum = "n";
  for (int i = 0; i < 70000; ++i) sum += " + n";
  EXPECT_NE(in_body("%0: f32[" + sum + "] = exp %x").find("this size has too many terms"), std::string::npos);
  std::string shape = "1";
  for (int i = 0; i < 64; ++i) shape += ", 1";
  EXPECT_EQ(in_body("%0: f32[" + shape + "] = exp %x"), "8: a shape has at most 64 axes, but this one has 65");
}

TEST(Errors, CarryTheCure) {
  register_test_rows();
  auto note = [](const char* text) { return parse(text, "t.frit").error().note; };
  EXPECT_EQ(note("func @f(%x: f32[n]) -> f32[m] { return %x }"),
            "symbols are declared by the shapes and strides of parameters");
  EXPECT_EQ(note("func @f() { }"), "end it with 'return' and its results");
  EXPECT_EQ(note("func @f(%x: f32[], %y: i8[]) { %0: f32[] = add %x, %y return }"),
            "convert one of them with 'astype' first");
}

// If anything is cut from, inserted into or doubled in a good text, reading ends with a module or with an error at a
// place in the text.
TEST(Errors, DamagedTextNeverCrashes) {
  register_test_rows();
  const std::string good =
      R"(func @f(%x: f32[n, m] strides [s0, 1], %y: f32[min(n, 3)]) -> (f32[n], c64[1]) where n % 16 == 0, m in [1, 64], n*m % 5 == 0, m <= n + 4 {
  %0: f32[n, m] = exp %x  // loc "a.cpp":3:4
  group reduce {
    %1: f32[n] = sum %0 {axes=[1]}
    %2: f32[n] = test_all %1 {count=(n // 4), data=f16 [1.5, nan(0x7e01)], label="a\"b", scale=-1e+10}
  }
  %3: c64[1] = constant [(1, -inf)]
  return %2, %3
}
)";
  const std::string pieces[] = {"%",    "\"", "[",      "(",  "{", "//",  "-", "99999999999999999999",
                                "nan(", "n",  "return", "\n", "e", "\xff"};
  std::mt19937 rng(11);
  int accepted = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string text = good;
    for (int edits = 1 + static_cast<int>(rng() % 3); edits > 0; --edits) {
      size_t at = rng() % text.size(), length = rng() % 8;
      switch (rng() % 4) {
        case 0: text.erase(at, length); break;
        case 1: text.insert(at, pieces[rng() % std::size(pieces)]); break;
        case 2: text.insert(at, text.substr(rng() % text.size(), length)); break;
        default: text[at] = static_cast<char>(rng()); break;
      }
    }
    auto m = parse(text, "t.frit");
    if (!m.ok()) {
      ASSERT_GE(m.error().loc.line, 1u) << text;
      ASSERT_GE(m.error().loc.column, 1u) << text;
      continue;
    }
    ++accepted;
    std::string printed = print(**m);
    auto again = parse(printed, "t.frit");
    ASSERT_TRUE(again.ok()) << text << "\n" << again.error().render(printed);
    ASSERT_EQ(print(**again), printed);
    ASSERT_TRUE(same(**m, **again)) << printed;
    for (const auto& f : (*m)->functions) ASSERT_TRUE(verify(*f).ok()) << text << "\n" << verify(*f).error().str();
  }
  EXPECT_GT(accepted, 100);
}

}  // namespace
}  // namespace frit::ir::testing
