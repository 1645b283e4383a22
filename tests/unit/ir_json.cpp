// The JSON form is lossless, and malformed JSON is refused with a place. DOT is only a drawing.
#include <random>

#include "ir/read/json.h"
#include "ir/text/dot.h"
#include "ir_support.h"

namespace frit::ir::testing {
namespace {

constexpr const char* kText =
    R"(func @f(%x: f32[n, m] strides [s0, 1], %"odd name": f32[]) -> (f32[n], c64[2], f32[3]) where n % 16 == 0, s0 in [-64, 64] {
  %0: f32[n, m] = exp %x  // loc "a.cpp":3:4
  group reduce {
    %1: f32[n] = sum %0 {axes=[1]}
  }
  %2: f32[n] = test_all %1 {count=(n // 4) + 1, data=f16 [0.1, nan(0x7e01)], flag=true, label="a\"b", scale=-0, sizes=[n, -3], type=i8}
  %3: c64[2] = constant [(1, -inf), (0, -0)]
  %4: f32[3] = constant [16777216, 0.1, -0]
  %5: u64[] = constant 18446744073709551615
  %6: f64[2] = constant [0.1, 1e+300]
  %7: f32[n], %8: f32[n] = test_pair %2
  test_effect %8
  return %8, %3, %4
}

func @g() {
  return
}
)";

TEST(Json, RoundTripIsTheIdentity) {
  auto m = parsed(kText);
  std::string json = to_json(*m);
  auto back = from_json(json, "t.json");
  ASSERT_TRUE(back.ok()) << back.error().render(json);
  EXPECT_TRUE(same(*m, **back));
  EXPECT_EQ(print(**back), kText);
  EXPECT_EQ(to_json(**back), json);
}

TEST(Json, HoldsTheMarksOfABackwardPass) {
  const std::string text =
      "func @f(%x: f32[]) -> f32[] {\n  %0: f32[] = exp %x  // loc \"a.cpp\":3:7 backward\n"
      "  %1: f32[] = exp %0  // loc backward\n  return %1\n}\n";
  const std::string json = to_json(*parsed(text));
  const auto back = from_json(json, "t.json");
  ASSERT_TRUE(back.ok()) << back.error().render(json);
  EXPECT_EQ(print(**back), text);
  for (const auto& [from, to] : {std::pair<std::string, std::string>("\"backward\": true", "\"backward\": 1"),
                                 {"\"column\": 7", "\"column\": 2147483648"}}) {
    std::string wrong = json;
    ASSERT_NE(wrong.find(from), std::string::npos) << json;
    wrong.replace(wrong.find(from), from.size(), to);
    EXPECT_FALSE(from_json(wrong, "t.json").ok()) << to;
  }
}

TEST(Json, HoldsProgramsAsText) {
  auto m = parsed(
      "func @f(%x: f32[n]) -> f32[n] {\n  program @f(n) {\n    buffer %x: f32[n] input 0\n    return %x: f32[n]\n  }\n}\n");
  std::string json = to_json(*m);
  auto back = from_json(json, "t.json");
  ASSERT_TRUE(back.ok()) << back.error().render(json);
  EXPECT_EQ(print(**back), print(*m));
  EXPECT_EQ(to_json(**back), json);
}

TEST(Json, FloatsKeepTheirShortForm) {
  std::string json = to_json(*parsed(kText));
  EXPECT_NE(json.find("0.1"), std::string::npos);
  EXPECT_EQ(json.find("0.100000001"), std::string::npos);
}

std::string json_error(const std::string& text) {
  register_test_rows();
  auto m = from_json(text, "t.json");
  if (m.ok()) return "no error";
  return std::to_string(m.error().loc.line) + ":" + std::to_string(m.error().loc.column) + ": " + m.error().message;
}

std::string one_op(const std::string& op) {
  return json_error(
      "{\"format\": \"frit\", \"version\": 1, \"functions\": [\n{\"name\": \"f\", \"params\": "
      "[{\"name\": \"x\", \"type\": {\"dtype\": \"f32\", \"shape\": [\"n\"]}}], \"ops\": [\n" +
      op + "], \"results\": []}]}");
}

TEST(Json, ErrorsStandAtTheValue) {
  EXPECT_EQ(json_error(""), "1:1: this is not JSON from here on");
  EXPECT_EQ(json_error("{\"a\":\n  tru}"), "2:6: this is not JSON from here on");
  EXPECT_EQ(json_error("[1]"), "1:1: expected an object");
  EXPECT_EQ(json_error("{}"), "1:1: the field \"format\" is missing");
  EXPECT_EQ(json_error("{\"format\": \"frit\", \"version\": 2}"), "1:1: unknown format version: expected 1");
  EXPECT_EQ(json_error("{\"format\": \"frit\", \"version\": 1, \"functions\": 3}"), "1:47: expected a list");
  EXPECT_EQ(json_error(std::string(300, '[')), "1:1: this JSON is nested too deeply");
  EXPECT_EQ(one_op("{\"op\": \"epx\", \"operands\": [0], \"results\": []}"),
            "3:1: unknown op 'epx'; did you mean 'exp'?");
  EXPECT_EQ(one_op("{\"op\": \"exp\", \"operands\": [0, 7], \"results\": []}"),
            "3:31: value 7 is used before it is defined");
  EXPECT_EQ(one_op("{\"op\": \"exp\", \"operands\": [-1], \"results\": []}"),
            "3:28: expected an integer from 0 to 4294967295");
  EXPECT_EQ(one_op("{\"op\": \"exp\", \"operands\": [0], \"results\": [{\"dtype\": \"f31\", \"shape\": []}]}"),
            "3:54: unknown element type 'f31'; did you mean 'f32'?");
  EXPECT_EQ(one_op("{\"op\": \"exp\", \"operands\": [0], \"results\": [{\"dtype\": \"f32\", \"shape\": [\"n +\"]}]}"),
            "3:71: expected a size, but found the end of the text");
  EXPECT_EQ(one_op("{\"op\": \"exp\", \"operands\": [0], \"results\": [{\"dtype\": \"f32\", \"shape\": [\"k\"]}]}"),
            "2:1: rule G7: in '@f', op 'exp' (%0): it gives f32[n], but its result is f32[k]");
  EXPECT_EQ(one_op("{\"op\": \"exp\", \"operands\": [0], \"results\": [], \"attrs\": {\"a\": 1}}"),
            "3:62: op 'exp' has no attribute 'a'");
}

TEST(Json, DamagedTextNeverCrashes) {
  const std::string good = to_json(*parsed(kText));
  const std::string pieces[] = {"\"", "[", "{", ",", "-1", "99999999999999999999", "null", "\\u0000", "true", "\xff"};
  std::mt19937 rng(13);
  for (int i = 0; i < 1500; ++i) {
    std::string text = good;
    size_t at = rng() % text.size(), length = rng() % 12;
    switch (rng() % 4) {
      case 0: text.erase(at, length); break;
      case 1: text.insert(at, pieces[rng() % std::size(pieces)]); break;
      case 2: text.insert(at, text.substr(rng() % text.size(), length)); break;
      default: text[at] = static_cast<char>('0' + rng() % 10); break;
    }
    auto m = from_json(text, "t.json");
    if (m.ok()) {
      EXPECT_TRUE(verify(**m).ok());
    }
  }
}

TEST(Dot, DrawsNodesEdgesAndGroups) {
  auto m = parsed(R"(func @f(%x: f32[n]) -> f32[n] {
  %0: f32[] = constant 2
  group loop {
    %1: f32[n] = exp %x
  }
  return %1
}
)");
  EXPECT_EQ(to_dot(*m->functions[0]), R"(digraph "f" {
  rankdir=TB;
  p0 [shape=ellipse, label="%x\nf32[n]"];
  o0 [shape=box, label="%0 = constant 2"];
  subgraph cluster_g0 { label="loop"; style=rounded;
  o1 [shape=box, label="%1 = exp"];
  }
  p0 -> o1 [label="f32[n]"];
  r0 [shape=ellipse, label="return 0"];
  o1 -> r0 [label="f32[n]"];
}
)");
  EXPECT_NE(to_dot(*m).find("subgraph cluster_f0_ { label=\"@f\";"), std::string::npos);
}

}  // namespace
}  // namespace frit::ir::testing
