// Programs: their text, their rules and their results.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <fstream>
#include <sstream>

#include "ir/interpret/interpret_kernel.h"
#include "ir/read/kernel_parser.h"
#include "ir/text/kernel_printer.h"
#include "ir/verify/kernel_verifier.h"
#include "tests/environment.h"

namespace frit::ir::kernel_program_test {
namespace {

constexpr std::string_view kProgram = R"(program @f(m, n) {
  buffer %x: f32[m*n] input 0
  buffer %w: f32[3] constant [1, 2, 3]
  buffer %t: f32[m*n] temp slot 0
  buffer %out: f32[m*n] output donor %x
  slot 4*m*n
  launch @double(%x, %t)
  library "twist"(%t: f32[n, m] strides [1, n], %w: f32[2] offset 1) -> (%out: f32[n, m]) {alpha: float = 0.5, axes: ints = [0, n], name: string = "a", on: bool = true, to: dtype = f32} epilogue @add_one(%out)
  return %out: f32[n, m], %out: f32[m, n] strides [1, m]
  kernel @double(%x: f32[m*n] in, %out: f32[m*n] out; m, n) {
    parallel for i in m*n {
      %0: f32 = load %x[i]
      %1: f32 = mul %0, 2
      store %out[i], %1
    }
  }
  kernel @add_one(%io: f32[m*n] inout; m, n) {
    parallel for j in m*n {
      %0: f32 = load %io[j]
      %1: f32 = add %0, 1
      store %io[j], %1
    }
  }
}
)";

const Routine kTwist{.name = "twist", .operands = 2, .epilogue = RoutineEpilogue::FirstResult};
const RegisterRoutine twist_record(kTwist);

NamedProgram parsed(std::string_view text) {
  Result<NamedProgram> p = parse_program(text);
  EXPECT_TRUE(p.ok()) << (p.ok() ? "" : p.error().render(text));
  return p.ok() ? *std::move(p) : NamedProgram{};
}

std::string replaced(std::string_view from, std::string_view to) {
  std::string text(kProgram);
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

void expect_rule(const char* rule, const std::string& text, const std::string& part = "") {
  Result<NamedProgram> p = parse_program(text);
  std::string message = p.ok() ? "" : p.error().message;
  EXPECT_NE(message.find("(" + std::string(rule) + ")"), std::string::npos) << "'" << message << "' for\n" << text;
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

void expect_rule(const char* rule, const Program& p) {
  Status s = verify(p);
  ASSERT_FALSE(s.ok());
  EXPECT_NE(s.error().message.find("(" + std::string(rule) + ")"), std::string::npos) << s.error().message;
}

Literal floats(std::vector<float> v) {
  std::vector<std::byte> bytes(v.size() * 4);
  if (!v.empty()) std::memcpy(bytes.data(), v.data(), bytes.size());
  return Literal(float32, std::move(bytes));
}

std::vector<float> values(const Literal& l) {
  std::vector<float> v;
  for (size_t i = 0; i < l.count(); ++i) v.push_back(static_cast<float>(l.as_double(i)));
  return v;
}

TEST(KernelProgram, TextRoundTrips) {
  NamedProgram p = parsed(kProgram);
  EXPECT_EQ(p.name, "f");
  EXPECT_EQ(print(p.program, p.name), kProgram);
  NamedProgram again = parsed(print(p.program, p.name));
  EXPECT_EQ(print(again.program, again.name), kProgram);
  std::string_view nothing = "program @empty() {\n  return\n}\n";
  NamedProgram empty = parsed(nothing);
  EXPECT_EQ(print(empty.program, empty.name), nothing);
}

std::string page() {
  std::ifstream file(source_folder() + "/docs/kernel-ir.md");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(KernelProgram, TheExampleOfThePageIsRealAndRuns) {
  std::string text = page();
  size_t begin = text.find("```\nprogram") + 4;
  std::string example = text.substr(begin, text.find("```", begin) - begin);
  NamedProgram p = parsed(example);
  EXPECT_EQ(print(p.program, p.name), example);
  auto results = interpret(p.program, std::vector<int64_t>{2, 2}, std::vector<Literal>{floats({0, 0, 5, 5})});
  ASSERT_TRUE(results.ok()) << results.error().str();
  EXPECT_EQ(values((*results)[0]), (std::vector<float>{0.5, 0.5, 0.5, 0.5}));
}

TEST(KernelProgram, ThePageListsEveryRule) {
  std::string text = page();
  for (int i = 1; i <= 10; ++i) EXPECT_NE(text.find("| K" + std::to_string(i) + " |"), std::string::npos) << i;
  for (int i = 1; i <= 9; ++i) EXPECT_NE(text.find("| P" + std::to_string(i) + " |"), std::string::npos) << i;
}

TEST(KernelProgram, WrongTextIsRefused) {
  auto message = [](const std::string& text) {
    Result<NamedProgram> p = parse_program(text, "p");
    return p.ok() ? "no error" : p.error().str();
  };
  EXPECT_NE(message(replaced("launch @double", "launch @triple")).find("p:7:10: there is no kernel @triple"),
            std::string::npos);
  EXPECT_NE(message(replaced("donor %x", "donor %y")).find("there is no buffer %y"), std::string::npos);
  EXPECT_NE(message(replaced("slot 4*m*n", "slot 4*m*k")).find("'k' is not a symbol"), std::string::npos);
  EXPECT_NE(message(replaced("on: bool", "on: boole")).find("expected"), std::string::npos);
  std::string text(kProgram);
  for (size_t n = 0; n < text.size(); n += 3) (void)parse_program(text.substr(0, n)).ok();
}

TEST(KernelProgram, Runs) {
  Program p = parsed(kProgram).program;
  std::vector<int64_t> symbols{2, 3};
  std::vector<Literal> inputs{floats({1, 2, 3, 4, 5, 6})};
  int calls = 0;
  LibraryCall twist = [&](const Routine& routine, const ReferenceCall& call) -> Status {
    ++calls;
    EXPECT_EQ(routine.name, "twist");
    EXPECT_EQ(call.attrs.get_ints("axes"), (std::vector<int64_t>{0, 3}));
    EXPECT_EQ(call.operands[1].offset, 1);
    const HostWindow &in = call.operands[0], &out = call.results[0];
    for (int64_t i = 0; i < in.shape[0]; ++i)
      for (int64_t j = 0; j < in.shape[1]; ++j) {
        int64_t from = in.offset + i * in.strides[0] + j * in.strides[1];
        int64_t to = out.offset + i * out.strides[0] + j * out.strides[1];
        std::memcpy(out.memory.data + 4 * to, in.memory.data + 4 * from, 4);
      }
    return {};
  };
  Result<std::vector<Literal>> results = interpret(p, symbols, inputs, twist);
  ASSERT_TRUE(results.ok()) << results.error().str();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(values((*results)[0]), (std::vector<float>{3, 9, 5, 11, 7, 13}));
  EXPECT_EQ(values((*results)[1]), (std::vector<float>{3, 5, 7, 9, 11, 13}));
  EXPECT_EQ(values(inputs[0]), (std::vector<float>{1, 2, 3, 4, 5, 6}));

  EXPECT_FALSE(interpret(p, symbols, inputs).ok());
  EXPECT_FALSE(interpret(p, symbols, {}, twist).ok());
  EXPECT_FALSE(interpret(p, {}, inputs, twist).ok());
  EXPECT_FALSE(interpret(p, symbols, std::vector<Literal>{floats({1})}, twist).ok());
}

TEST(KernelProgram, ZeroSizes) {
  Program p = parsed(kProgram).program;
  LibraryCall nothing = [](auto&&...) { return Status(); };
  auto results = interpret(p, std::vector<int64_t>{0, 3}, std::vector<Literal>{floats({})}, nothing);
  ASSERT_TRUE(results.ok()) << results.error().str();
  EXPECT_EQ((*results)[0].count(), 0u);
}

TEST(KernelProgram, P1Names) {
  expect_rule("P1", replaced("(m, n) {\n  buffer", "(m, n, n) {\n  buffer"));
  Program good = parsed(kProgram).program, p = good;
  p.buffers[1].name = "x";
  expect_rule("P1", p);
  p.buffers[1].name = "";
  expect_rule("P1", p);
  p = good;
  p.kernels[1].name = "double";
  expect_rule("P1", p);
}

TEST(KernelProgram, P2Kernels) {
  expect_rule("P2", replaced("%io: f32[m*n] inout; m, n", "%io: f32[m*n] inout; m, n, q"), "'q'");
}

TEST(KernelProgram, P3Buffers) {
  expect_rule("P3", replaced("constant [1, 2, 3]", "constant [1, 2, 3] donor %x"));
  Program good = parsed(kProgram).program, p = good;
  p.buffers[0].param = kNone;
  expect_rule("P3", p);
  p = good;
  p.buffers[3].slot = 0;
  expect_rule("P3", p);
  p = good;
  p.buffers[1].size = 4;
  expect_rule("P3", p);
  p = good;
  p.buffers[2].size = Dim::symbol("q");
  expect_rule("P3", p);
}

TEST(KernelProgram, P4Launches) {
  expect_rule("P4", replaced("launch @double(%x, %t)", "launch @double(%x)"));
  expect_rule("P4", replaced("buffer %t: f32[m*n]", "buffer %t: i32[m*n]"), "is i32");
  expect_rule("P4", replaced("buffer %t: f32[m*n]", "buffer %t: f32[m*n - 1]"), "holds");
  Program p = parsed(kProgram).program;
  std::get<KernelStep>(p.steps[0]).kernel = 9;
  expect_rule("P4", p);
}

TEST(KernelProgram, P4SymbolsOfLaunches) {
  const std::string from = "launch @double(%x, %t)";
  Program p = parsed(replaced(from, "launch @double(%x, %t; n, m)")).program;
  ASSERT_TRUE(verify(p).ok());
  expect_rule("P4", replaced(from, "launch @double(%x, %t; n)"), "takes 2 symbols, not 1");
  std::get<KernelStep>(p.steps[0]).sizes[1] = Dim::symbol("q");
  expect_rule("P4", p);
  const auto unknown = parse_program(replaced(from, "launch @double(%x, %t; n, q)"));
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().message, "'q' is not a symbol of the program");
}

TEST(KernelProgram, P5Order) {
  expect_rule("P5", replaced("launch @double(%x, %t)", "launch @double(%t, %x)"), "reads 't'");
  expect_rule("P5", replaced("launch @double(%x, %t)", "launch @double(%x, %x)"), "writes 'x'");
}

TEST(KernelProgram, P6LibrarySteps) {
  expect_rule("P6", replaced("strides [1, n]", "strides [1]"));
  expect_rule("P6", replaced("%w: f32[2] offset 1", "%w: f32[3] offset 1"), "reaches outside");
  expect_rule("P6", replaced("%w: f32[2]", "%w: f64[2]"));
  expect_rule("P6", replaced("    parallel for j", "    for j"), "epilogue");
  Program p = parsed(kProgram).program;
  std::get<LibraryStep>(p.steps[1]).dtypes.pop_back();
  expect_rule("P6", p);
}

TEST(KernelProgram, P7Results) {
  expect_rule("P7", replaced("return %out: f32[n, m]", "return %t: f32[n, m]"), "temp");
  expect_rule("P7", replaced("return %out: f32[n, m]", "return %w: f32[4]"), "reaches outside");
  Program p = parsed(kProgram).program;
  p.result_types.pop_back();
  expect_rule("P7", p);
  p = parsed(kProgram).program;
  p.result_types[0].shape = {2};
  expect_rule("P7", p);
  expect_rule("P7", replaced("return", "buffer %late: f32[1] output\n  return %late: f32[1],"), "no step writes");
}

TEST(KernelProgram, P8Slots) {
  expect_rule("P8", replaced("temp slot 0", "temp slot 1"));
  expect_rule("P8", replaced("slot 4*m*n", "slot 4*m*n - 1"), "too few");
  std::string second = replaced("launch @double(%x, %t)",
                                "buffer %u: f32[m*n] temp slot 0\n  launch @double(%x, %t)\n  launch @double(%t, %u)");
  expect_rule("P8", second, "while both are in use");
}

// The rows of the iterations before are in the output when a temporary in it is written.
TEST(KernelProgram, P8TempsInOutputsOfLoops) {
  const std::string text = R"(program @f(; i) {
  buffer %x: f32[40] input 0
  buffer %t: f32[4] temp in %o
  buffer %u: f32[4] temp slot 0
  buffer %o: f32[40] output
  buffer %p: f32[4] part of %x at 4*i in i
  buffer %q: f32[4] part of %o at 4*i in i
  slot 16
  repeat i < 10 {
    launch @copy(%p, %t)
    launch @copy(%t, %u)
    launch @copy(%u, %q)
  }
  return %o: f32[40]
  kernel @copy(%x: f32[4] in, %y: f32[4] out) {
    parallel for i in 4 {
      %0: f32 = load %x[i]
      store %y[i], %0
    }
  }
}
)";
  expect_rule("P8", text, "is in use when");
  std::string apart = text;
  apart.replace(apart.find("temp in %o"), 10, "temp slot 1");
  apart.insert(apart.find("  repeat"), "  slot 16\n");
  EXPECT_TRUE(parse_program(apart).ok()) << apart;
}

TEST(KernelProgram, P9Donors) {
  expect_rule("P9", replaced("donor %x", "donor %t"), "not an input");
  expect_rule("P9", replaced("return %out: f32[n, m]", "return %x: f32[n, m]"), "a result itself");
  // Read in the step that writes, at other positions.
  std::string_view reversed = R"(program @g(n) {
  buffer %x: f32[n] input 0
  buffer %out: f32[n] output donor %x
  launch @k(%x, %out)
  return %out: f32[n]
  kernel @k(%x: f32[n] in, %out: f32[n] out; n) {
    parallel for i in n {
      %0: f32 = load %x[INDEX]
      store %out[i], %0
    }
  }
}
)";
  std::string text(reversed);
  expect_rule("P9", std::string(text).replace(text.find("INDEX"), 5, "n - i - 1"), "after overwriting them");
  EXPECT_TRUE(parse_program(std::string(text).replace(text.find("INDEX"), 5, "i")).ok());
}

// The kernel behind a routine may write over what the routine does not read.
TEST(KernelProgram, P9DonorsBehindRoutines) {
  const std::string text = R"(program @g() {
  buffer %x: f32[16] input 0
  buffer %w: f32[16] input 1
  buffer %out: f32[16] output donor %w
  buffer %t: f32[16] temp slot 0
  slot 64
  library "matmul"(%x: f32[4, 4], OPERAND: f32[4, 4]) -> (%t: f32[4, 4]) epilogue @k(%w, %t, %out)
  return %out: f32[4, 4]
  kernel @k(%w: f32[16] in, %t: f32[16] in, %out: f32[16] out) {
    parallel for row in 4 {
      for i in 4 {
        %0: f32 = load %w[INDEX]
        %1: f32 = load %t[i + 4*row]
        %2: f32 = sub %0, %1
        store %out[i + 4*row], %2
      }
    }
  }
}
)";
  const auto with = [&](const std::string& operand, const std::string& index) {
    std::string all = text;
    all.replace(all.find("OPERAND"), 7, operand);
    return all.replace(all.find("INDEX"), 5, index);
  };
  EXPECT_TRUE(parse_program(with("%x", "i + 4*row")).ok());
  expect_rule("P9", with("%w", "i + 4*row"), "which the routine that writes it still reads");
  expect_rule("P9", with("%x", "-i - 4*row + 15"), "after overwriting them");
}

}  // namespace
}  // namespace frit::ir::kernel_program_test
