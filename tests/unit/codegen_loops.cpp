// Loops, positions, masks, locals, bindings and reductions of generated code, against the interpreter.
#include <bit>

#include "codegen_harness.h"

namespace frit::test::loops {
namespace {

constexpr int64_t kSizes[] = {0, 1, 7, 8, 31, 32, 33, 100};
constexpr std::pair<int, int> kShapes[] = {{0, 1}, {4, 1}, {8, 4}, {8, 3}, {16, 2}, {32, 1}};

// Runs `text` for every shape of the loop over `var` and every size n, with m = 5 as a second symbol if there is one.
void check(const std::string& text, const std::string& var = "i", const Fill& values = {}) {
  for (auto [vector, unroll] : kShapes) {
    ir::Kernel k = parse(text);
    set_vector(k, var, vector, unroll);
    SCOPED_TRACE("vector " + std::to_string(vector) + " unroll " + std::to_string(unroll));
    Compiled compiled(k);
    for (int64_t n : kSizes) {
      std::vector<int64_t> symbols{n};
      if (k.symbols.size() > 1) symbols.push_back(5);
      compiled.check(symbols, 1, values);
      compiled.check(symbols, 3, values);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(Positions, ReversedStridedAndBroadcast) {
  for (const char* type : {"f32", "u8", "f64", "i16", "bool"}) {
    std::string t = type;
    check("kernel @positions(%x: " + t + "[n] in, %wide: " + t + "[3*n] in, %one: " + t + "[1] in, %r: " + t +
          "[n] out, %s: " + t + "[n] out, %two: " + t + "[2*n] out, %b: " + t + R"([n] out; n) {
      parallel for i in n {
        %0: )" +
          t + R"( = load %x[n - i - 1]
        store %r[i], %0
        %1: )" +
          t + R"( = load %wide[3*i]
        store %s[i], %1
        %2: )" +
          t + R"( = load %wide[2*i]
        store %two[2*i], %2
        %3: )" +
          t + R"( = load %wide[2*i + 1]
        store %two[2*i + 1], %3
        %4: )" +
          t + R"( = load %one[0]
        store %b[n - i - 1], %4
      }
    })");
  }
}

TEST(Positions, TransposedBySymbolicStride) {
  check(R"(kernel @transpose(%x: f32[n*m] in, %y: f32[n*m] out; n, m) {
    parallel for j in m {
      for i in n {
        %0: f32 = load %x[i*m + j]
        store %y[j*n + i], %0
      }
    }
  })");
}

TEST(Positions, DividedAndWrapped) {
  check(
      R"(kernel @tile(%x: f32[2*n + 7] in, %y: f32[n] out, %z: i64[n] out, %w: i64[n] out; n, m) where m in [1, 64], n in [0, 100000] {
    parallel for i in n {
      %0: f32 = load %x[(i // 3) + (i % 5)]
      store %y[i], %0
      %1: i64 = index(((i - 9) // 4) + ((i - 50) % 7) + (i // m))
      store %z[i], %1
      %2: i64 = index(min(i, 20) + max((i % m), 2))
      store %w[i], %2
    }
  })");
}

TEST(Positions, DividedByASizeOfUnknownRange) {
  check(R"(kernel @unknown(%y: i64[n] out; n, m) {
    parallel for i in n {
      %1: i64 = index(((i - 9) // m) + ((i - 50) % m))
      store %y[i], %1
    }
  })");
}

TEST(Masks, InactiveLanesReadNothing) {
  for (const char* type : {"f32", "i8", "bf16", "f64"}) {
    std::string t = type;
    check("kernel @pad(%x: " + t + "[n] in, %y: " + t + "[n + 10] out, %e: " + t + R"([n + 10] out; n) {
      parallel for i in n + 10 {
        %0: i64 = index(i - 4)
        %1: bool = ge %0, 0
        %2: i64 = index(n)
        %3: bool = lt %0, %2
        %4: bool = and %1, %3
        %5: )" +
          t + R"( = load %x[i - 4] mask %4
        store %y[i], %5
        %6: i64 = index((i % 2))
        %7: bool = eq %6, 0
        store %e[i], %5 mask %7
      }
    })");
  }
}

// Rows with padding at both ends, of known and of unknown lengths, in whole vectors and in parts of them.
TEST(Masks, RunsOfLanesInRows) {
  std::mt19937_64 random(71);
  for (const char* cpu : {"native", "x86-64-v3", "x86-64-v2"}) {
    if (!backend().runs_here({"llvm", cpu}).ok()) continue;
    for (const char* type : {"i8", "bf16", "i16", "f32"})
      for (const int width : {8, 16, 32})
        for (const int known : {0, 1, 7, 12, 29, 93}) {
          const std::string t = type, m = known ? std::to_string(known) : "m";
          const auto low = std::to_string(random() % 6), high = std::to_string(random() % 40);
          const std::string row = "(" + m + " + " + low + " + " + high + ")";
          SCOPED_TRACE(t + " by " + std::to_string(width) + " for " + cpu + ", " + row);
          ir::Kernel k = parse(
              "kernel @rows(%x: " + t + "[n*" + m + "] in, %y: " + t + "[(n + 2)*" + row + "] out; n, m) {\n" +
              "parallel for r in n + 2 {\n%0: i64 = index(r - 1)\n%1: bool = ge %0, 0\n" +
              "%3: i64 = index(n)\n%2: bool = lt %0, %3\n%4: bool = and %1, %2\nfor i in " + row + " {\n" +
              "%5: i64 = index(i - " + low + ")\n%6: bool = ge %5, 0\n%7: bool = and %4, %6\n" + "%8: i64 = index(" +
              m + ")\n%9: bool = lt %5, %8\n%10: bool = and %7, %9\n" + "%11: " + t + " = load %x[r*" + m + " - " + m +
              " + i - " + low + "] mask %10\n" + "store %y[r*" + row + " + i], %11\n}\n}\n}");
          set_vector(k, "i", width, 1 + static_cast<int>(random() % 4));
          Compiled compiled(k, cpu);
          ASSERT_TRUE(compiled.ok());
          for (const int64_t n : {0, 1, 5})
            for (const int64_t size : {1, 3, 40, 150}) {
              compiled.check({n, size});
              if (testing::Test::HasFailure()) return;
            }
        }
  }
}

TEST(Bindings, GatherAndScatter) {
  check(R"(kernel @take(%at: i32[n] in, %x: f32[64] in, %y: f32[n] out, %z: f32[4*n] out; n) {
    parallel for i in n {
      %0: i32 = load %at[i]
      %1: i64 = cast %0
      bind p = %1 in [0, 63]
      %2: f32 = load %x[p]
      store %y[i], %2
      store %z[4*i + (p % 4)], %2
    }
  })",
        "i", [](const std::string& name, int64_t i) -> std::optional<uint64_t> {
          if (name == "at") return static_cast<uint64_t>(i * 37 % 64);
          return std::nullopt;
        });
}

TEST(Locals, RowKeptBetweenLoops) {
  check(R"(kernel @row(%x: f32[m*n] in, %y: f32[m*n] out; n, m) {
    local %kept: f32[n] inout
    local %flag: bool[n] inout
    parallel for r in m {
      for i in n {
        %0: f32 = load %x[r*n + i]
        %1: f32 = mul %0, %0
        %2: bool = gt %0, 0
        store %kept[i], %1
        store %flag[i], %2
      }
      for j in n {
        %3: f32 = load %kept[n - j - 1]
        %4: bool = load %flag[j]
        %5: f32 = select %4, %3, 1
        store %y[r*n + j], %5
      }
    }
  })");
}

// Rows: the reduced axis in vectors, everything else fused around it.
TEST(Reductions, SoftmaxLikeRows) {
  check(R"(kernel @rows(%x: f32[m*n] in, %y: f32[m*n] inout, %best: i64[m] out; n, m) {
    parallel for r in m {
      for i in n lanes 32 acc %max: f32 = max %0, %arg: i64 = argmax %0 at %p {
        %0: f32 = load %x[r*n + i]
        %p: i64 = index(i)
      }
      store %best[r], %arg
      for j in n lanes 32 acc %sum: f32 = sum %d {
        %1: f32 = load %x[r*n + j]
        %d: f32 = sub %1, %max
        store %y[r*n + j], %d
      }
      for k in n {
        %2: f32 = load %y[r*n + k]
        %3: f32 = div %2, %sum
        store %y[r*n + k], %3
      }
    }
  })");
}

// A long computation is left out in steps in which no lane needs it.
TEST(Reductions, MaskedWorkOfRows) {
  Compiled compiled(parse(R"(kernel @rows(%x: f32[m*n] in, %y: f32[m*n] out, %s: bf16[m] out; n, m) {
    parallel for r in m {
      %low: f32 = const -10
      %none: f32 = const 0
      for j in n vector 16 unroll 2 lanes 32 acc %sum: f32 = sum %chosen {
        %1: f32 = load %x[r*n + j]
        %test: bool = gt %low, %1
        %2: f32 = select %test, %none, %1
        %3: f32 = fma %2, %2, 0.5
        %4: f32 = fma %3, %2, 0.25
        %5: f32 = fma %4, %2, 0.125
        %6: f32 = fma %5, %2, 1.5
        %7: f32 = fma %6, %2, 2.5
        %8: f32 = mul %7, %7
        %9: f32 = add %8, %2
        %10: f32 = mul %9, 0.5
        %11: f32 = sub %10, %2
        %12: f32 = abs %11
        %chosen: f32 = select %test, %none, %12
        store %y[r*n + j], %chosen
      }
      %mean: bf16 = cast %sum
      store %s[r], %mean
    }
  })"));
  ASSERT_TRUE(compiled.ok());
  for (int64_t n : {7, 64, 200, 333})
    compiled.check({n, 40}, 1, [n](const std::string& name, int64_t i) -> std::optional<uint64_t> {
      // Row r is masked from its place 9 r on; some rows are masked all over.
      const int64_t row = i / n, column = i % n;
      if (name == "x" && (column >= 9 * row || row % 7 == 3)) return row % 2 ? 0xff800000u : 0xc2c80000u;
      return std::nullopt;
    });
}

struct Case {
  const char* combine;
  const char* type;
  bool arg = false;
};
constexpr Case kCases[] = {{"sum", "f32"},          {"sum", "f64"},          {"sum", "i32"},
                           {"sum", "u8"},           {"prod", "f32"},         {"prod", "i64"},
                           {"max", "f32"},          {"max", "i8"},           {"max", "u32"},
                           {"max", "bool"},         {"min", "f64"},          {"min", "i16"},
                           {"and", "bool"},         {"or", "bool"},          {"and", "u16"},
                           {"or", "i32"},           {"argmax", "f32", true}, {"argmin", "f32", true},
                           {"argmax", "i32", true}, {"argmin", "u8", true},  {"argmax", "bool", true}};

std::string loop_text(const Case& c, const std::string& head, const std::string& position) {
  std::string t = c.type;
  return "for " + head + " acc %s: " + (c.arg ? "i64" : t) + " = " + c.combine + " %0" + (c.arg ? " at %p" : "") +
         " {\n%0: " + t + " = load %x[" + position + "]\n" + (c.arg ? "%p: i64 = index(i)\n" : "") + "}\n";
}

class EveryCombine : public testing::TestWithParam<Case> {};

TEST_P(EveryCombine, Rows) {
  const Case& c = GetParam();
  std::string t = c.type, result = c.arg ? "i64" : t;
  for (const char* lanes : {"", " lanes 32", " lanes 8"})
    check("kernel @rows(%x: " + t + "[m*n] in, %y: " + result + "[m] out; n, m) {\nparallel for r in m {\n" +
          loop_text(c, std::string("i in n") + lanes, "r*n + i") + "store %y[r], %s\n}\n}");
}

TEST_P(EveryCombine, Columns) {
  const Case& c = GetParam();
  std::string t = c.type, result = c.arg ? "i64" : t;
  for (const char* lanes : {"", " lanes 8"})
    check("kernel @columns(%x: " + t + "[m*n] in, %y: " + result + "[n] out; n, m) {\nparallel for j in n {\n" +
              loop_text(c, std::string("i in m") + lanes, "i*n + j") + "store %y[j], %s\n}\n}",
          "j");
}

// Loops of known length: remainders without branches, and short loops inside of a vector loop.
TEST_P(EveryCombine, KnownLengths) {
  const Case& c = GetParam();
  std::string t = c.type, result = c.arg ? "i64" : t;
  for (const std::string n : {"1", "5", "37", "70"})
    for (const char* lanes : {"", " lanes 32"}) {
      const std::string text = "kernel @rows(%x: " + t + "[m*" + n + "] in, %y: " + result +
                               "[m] out; n, m) {\nparallel for r in m {\n" +
                               loop_text(c, "i in " + n + lanes, "r*" + n + " + i") + "store %y[r], %s\n}\n}";
      check(text);
      check(text, "r");
    }
}

// Columns of a known count, which are reduced by blocks of rows: the last vectors run side by side, then a masked one.
TEST(Reductions, BlocksOfKnownColumns) {
  for (const Case& c : {Case{"sum", "f32"}, {"max", "f64"}, {"argmin", "f32", true}})
    for (const std::string columns : {"5", "57", "100"}) {
      const std::string t = c.type, result = c.arg ? "i64" : t;
      ir::Kernel k = parse("kernel @blocks(%x: " + t + "[120*n*" + columns + "] in, %y: " + result + "[n*" + columns +
                           "] out; n) {\nparallel for b in n {\nfor j in " + columns + " {\n" +
                           loop_text(c, "i in 120", "120*b*" + columns + " + i*" + columns + " + j") + "store %y[b*" +
                           columns + " + j], %s\n}\n}\n}");
      set_vector(k, "j", 8, 4);
      Compiled(k).check({3});
    }
}

INSTANTIATE_TEST_SUITE_P(Reductions, EveryCombine, testing::ValuesIn(kCases),
                         [](const auto& p) { return std::string(p.param.combine) + "_" + p.param.type; });

// A trip count that differs from lane to lane cannot be widened.
TEST(Loops, TriangularExtent) {
  check(R"(kernel @triangle(%x: f32[n] in, %y: f32[n] out; n) {
    parallel for i in n {
      for j in i + 1 acc %s: f32 = sum %0 {
        %0: f32 = load %x[j]
      }
      store %y[i], %s
    }
  })");
}

TEST(Loops, KernelWithoutAParallelLoop) {
  check(R"(kernel @total(%x: f32[n] in, %y: f32[1] out; n) {
    for i in n lanes 32 acc %s: f32 = sum %0 {
      %0: f32 = load %x[i]
    }
    %1: f32 = neg %s
    store %y[0], %1
  })");
}

// Running values go through the lanes of vectors in the order of the interpreter, before and after each element, and on
// its own where nothing is a vector.
TEST(Loops, CarriesWithLanes) {
  struct Case {
    const char *type, *op, *initial;
  };
  for (const Case& c : {Case{"f32", "add", "0"},
                        {"f64", "mul", "1"},
                        {"f32", "max", "-inf"},
                        {"i32", "min", "100"},
                        {"u8", "add", "3"},
                        {"i64", "mul", "1"}})
    for (const char* lanes : {"lanes 16", "vector 16 lanes 16", "vector 16 unroll 3 lanes 16", "vector 4 lanes 4"})
      // Rows of lengths that are known have their masks and registers chosen as they are compiled.
      for (const int known : {0, 1, 2, 3, 5, 8, 11, 16, 17, 30, 48, 131}) {
        if (known && lanes[0] == 'l') continue;
        const std::string t = c.type, n = known ? std::to_string(known) : "n";
        Compiled compiled(parse("kernel @scan(%x: " + t + "[" + n + "*m] in, %y: " + t + "[" + n + "*m] out, %z: " + t +
                                "[" + n + "*m] out; n, m) {\nparallel for i in m {\nfor r in " + n + " " + lanes +
                                " carry %c: " + t + " = " + c.initial + " next %s {\n%0: " + t + " = load %x[i*" + n +
                                " + r]\n%s: " + t + " = " + c.op + " %c, %0\nstore %y[i*" + n +
                                " + r], %s\nstore %z[i*" + n + " + " + n + " - r - 1], %c\n}\n}\n}"));
        SCOPED_TRACE(t + " " + c.op + " " + lanes + " over " + n);
        for (int64_t length : {0, 1, 5, 16, 17, 48, 131}) {
          compiled.check({length, 3}, 2);
          if (known) break;
        }
        if (testing::Test::HasFailure()) return;
      }
}

// A long way for rare values and a short one for the others: steps with none, some and only lanes of the long way, in
// loops that store and in sums. A second test has a long way of its own.
TEST(Loops, RareWorkBehindABranch) {
  const auto way = [](const std::string& first, const std::string& name, int steps) {
    std::string text, last = first;
    for (int i = 0; i < steps; ++i) {
      const std::string next = "%" + name + std::to_string(i);
      text += next + ": f32 = fma " + last + ", 0.75, " + std::to_string(i + 1) + "\n";
      last = next;
    }
    return text;
  };
  const std::string body = "%0: f32 = load %x[i]\n%1: f32 = abs %0\n%2: bool = ge %1, 100\n" + way("%0", "a", 30) +
                           "%ai: i32 = cast %a29\n" + way("%0", "b", 5) +
                           "%bi: i32 = cast %b3\n%3: i32 = select %2, %ai, %bi\n%4: f32 = select %2, %a28, %b4\n" +
                           "%5: bool = lt %0, -1000\n" + way("%4", "c", 30) + way("%4", "d", 6) +
                           "%6: f32 = select %5, %c29, %d5\n%7: f32 = cast %3\n%8: f32 = add %6, %7\n";
  const auto every = [](int64_t distance) -> Fill {
    return [distance](const std::string& name, int64_t i) -> std::optional<uint64_t> {
      if (name != "x") return {};
      const bool rare = distance > 0 && i % distance == distance - 1;
      const float value = (rare ? (i % 2 ? 150.0f : -1500.0f) : 0.5f) + static_cast<float>(i % 13);
      return std::bit_cast<uint32_t>(value);
    };
  };
  for (int64_t distance : {0, 1, 7, 50, 97}) {
    SCOPED_TRACE("one of " + std::to_string(distance));
    check("kernel @rare(%x: f32[n] in, %y: f32[n] out; n) {\nparallel for i in n {\n" + body + "store %y[i], %8\n}\n}",
          "i", every(distance));
    check("kernel @rare_sum(%x: f32[n] in, %y: f32[1] out; n) {\nfor i in n lanes 32 acc %s: f32 = sum %8 {\n" + body +
              "}\nstore %y[0], %s\n}",
          "i", every(distance));
  }
  // The values of the long way have other users, too.
  check("kernel @kept(%x: f32[n] in, %y: f32[n] out, %z: f32[n] out; n) {\nparallel for i in n {\n" + body +
        "store %y[i], %8\nstore %z[i], %a28\n}\n}");
  check("kernel @interesting(%x: f32[n] in, %y: f32[n] out; n) {\nparallel for i in n {\n" + body +
        "store %y[i], %8\n}\n}");
}

// A body that is compiled once, with a mask for every step, and has many long ways: of each every third is taken.
TEST(Loops, LongBodies) {
  std::string body = "%x0: f32 = load %x[i]\n";
  const auto line = [&](const std::string& name, const std::string& value) {
    body += "%" + name + ": f32 = " + value + "\n";
    return "%" + name;
  };
  for (int c = 0; c < 40; ++c) {
    const std::string at = std::to_string(c), x = "%x" + at;
    std::string rare = line("r" + at, "mul " + x + ", 0.5"), usual = line("u" + at, "mul " + x + ", 0.25");
    for (int i = 0; i < 28; ++i) rare = line("r" + at + "_" + std::to_string(i), "fma " + rare + ", 0.75, " + x);
    for (int i = 0; i < 5; ++i) usual = line("u" + at + "_" + std::to_string(i), "fma " + usual + ", 0.75, 0.125");
    body += "%t" + at + ": bool = gt " + x + ", " + std::to_string(c % 3) + "\n";
    line("x" + std::to_string(c + 1), "select %t" + at + ", " + rare + ", " + usual);
  }
  for (const char* value : {"%x40", "%r7_3"})
    check("kernel @long(%x: f32[n] in, %y: f32[n] out; n) {\nparallel for i in n {\n" + body + "store %y[i], " + value +
          "\n}\n}");
}

TEST(Loops, InPlace) {
  check(R"(kernel @twice(%x: f32[n] inout; n) {
    parallel for i in n {
      %0: f32 = load %x[i]
      %1: f32 = add %0, %0
      store %x[i], %1
    }
  })");
}

}  // namespace
}  // namespace frit::test::loops
