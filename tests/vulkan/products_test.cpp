// Products on a GPU whose tiles are too few to fill it: k is split, and a second launch adds the parts.
#include <gtest/gtest.h>

#include "tests/vulkan/programs.h"

namespace frit::test {
namespace {

using namespace ir;

struct DrawnProduct {
  std::string type = "f32";
  int batch = 1, m = 64, k = 1024, n = 64;
  bool a_along = false, b_along = false, epilogue = false;  // along: it lies along its columns
};

std::string product_graph(const DrawnProduct& c) {
  const auto shape = [&](int rows, int columns) {
    return "T[" + std::to_string(c.batch) + ", " + std::to_string(rows) + ", " + std::to_string(columns) + "]";
  };
  const std::string a = shape(c.m, c.k), b = shape(c.k, c.n), r = shape(c.m, c.n);
  const auto turned = [](bool along, const std::string& name, const std::string& shape) {
    return along ? "  %" + name + "t: " + shape + " = transpose %" + name + " {axes=[0, 2, 1]}\n" : std::string();
  };
  std::string text = "func @f(%x: " + (c.a_along ? shape(c.k, c.m) : a) + ", %y: " + (c.b_along ? shape(c.n, c.k) : b) +
                     ", %z: T[" + std::to_string(c.n) + "]) -> " + (c.epilogue ? "(" + r + ", " + r + ")" : r) + " {\n";
  text += turned(c.a_along, "x", a) + turned(c.b_along, "y", b);
  text += "  %0: " + r + " = matmul %x" + (c.a_along ? "t" : "") + ", %y" + (c.b_along ? "t" : "") + "\n";
  if (c.epilogue) text += "  %1: " + r + " = broadcast %z {shape=" + r.substr(1) + "}\n  %2: " + r + " = add %0, %1\n";
  return with_type(text + (c.epilogue ? "  return %0, %2\n}" : "  return %0\n}"), c.type);
}

using Products = TimedPrograms;

// Sums of small integers are exact in any order.
TEST_F(Products, PartsOfK) {
  for (const char* type : {"f32", "f64", "c64"})
    for (int i = 0; i < 4; ++i) {
      DrawnProduct c;
      c.type = type;
      c.batch = pick({1, 1, 2});
      c.m = pick({33, 64, 65, 128, 129, 200, static_cast<int>(between(random_, 33, 200))});
      c.n = pick({33, 64, 68, 128, 130, static_cast<int>(between(random_, 33, 200))});
      c.k = pick({1500, 1536, 1601, 2055, 2056, static_cast<int>(between(random_, 1500, 3000))});
      c.a_along = chance(random_, 50), c.b_along = chance(random_, 50), c.epilogue = chance(random_, 40);
      check(product_graph(c), {}, Values::Exact, pick({0, 0, 1}));
      if (HasFatalFailure()) return;
      EXPECT_GE(launches(), 2u) << product_graph(c);
    }
}

// Tiles whose invocations share the steps along k, products that are too short for parts, every number of rows and
// columns around the forms' bounds, sizes and addresses that no wide load can take.
TEST_F(Products, Small) {
  for (const char* type : {"f32", "f64", "c64", "f16", "bf16"})
    for (int i = 0; i < 6; ++i) {
      DrawnProduct c;
      c.type = type;
      c.batch = pick({1, 1, 3});
      c.m = pick({1, 9, 33, 64, 65, 128, 259, static_cast<int>(between(random_, 1, 200))});
      c.n = pick({1, 9, 33, 64, 68, 130, 256, static_cast<int>(between(random_, 1, 200))});
      c.k = pick({0, 1, 31, 64, 65, 256, 257, 511, 2055, static_cast<int>(between(random_, 1, 600))});
      c.a_along = chance(random_, 50), c.b_along = chance(random_, 50), c.epilogue = chance(random_, 40);
      check(product_graph(c), {}, Values::Exact, pick({0, 0, 1}));
      if (HasFatalFailure()) return;
    }
}

// On matrix units, where the device has them.
TEST_F(Products, PartsOfKOf16Bits) {
  for (const char* type : {"f16", "bf16"})
    for (int i = 0; i < 4; ++i) {
      DrawnProduct c;
      c.type = type;
      c.batch = pick({1, 3});
      c.m = pick({33, 64, 65, 129}), c.n = pick({33, 64, 72, 130}), c.k = pick({256, 300, 515, 1024});
      c.a_along = chance(random_, 50), c.b_along = chance(random_, 50), c.epilogue = chance(random_, 40);
      check(product_graph(c), {}, Values::Exact, pick({0, 0, 1}));
      if (HasFatalFailure()) return;
    }
}

// A few rows, or a few columns: sizes and addresses that wide loads take, and those that they do not.
TEST_F(Products, FewRows) {
  for (const char* type : {"f16", "bf16", "f32", "f64"})
    for (int i = 0; i < 8; ++i) {
      DrawnProduct c;
      c.type = type;
      c.batch = pick({1, 1, 3});
      c.m = static_cast<int>(between(random_, 1, 32));
      c.n = pick({1, 7, 33, 64, 90, 132, static_cast<int>(between(random_, 1, 400))});
      c.k = pick({40, 256, 263, 300, 514, 1000, 2055, 4100, static_cast<int>(between(random_, 1, 3000))});
      if (chance(random_, 25)) std::swap(c.m, c.n);
      c.a_along = chance(random_, 25), c.b_along = chance(random_, 50), c.epilogue = chance(random_, 30);
      check(product_graph(c), {}, Values::Exact, pick({0, 0, 1, 2}));
      if (HasFatalFailure()) return;
    }
}

// Large and small tiles that read ahead: sizes and addresses that wide loads take, and those that they do not.
TEST_F(Products, Deep) {
  const DrawnProduct cases[] = {
      {"f32", 1, 1500, 24, 1450, false, false, true}, {"f32", 1, 1411, 9, 1511, true, true, true},
      {"f32", 2, 1028, 37, 1030, false, true, false}, {"f32", 1, 1025, 65, 2051, true, false, false},
      {"f32", 1, 300, 50, 260, false, false, true},   {"f32", 1, 301, 63, 259, true, true, false},
      {"f32", 40, 70, 61, 66, false, true, true},     {"f32", 3, 65, 7, 70, false, false, false}};
  int turn = 0;
  for (const DrawnProduct& c : cases) {
    check(product_graph(c), {}, Values::Exact, turn++ % 2);
    if (HasFatalFailure()) return;
  }
  // The same programs from other addresses.
  for (const DrawnProduct& c : {cases[2], cases[5]}) {
    check(product_graph(c), {}, Values::Exact, turn++ % 2 == 0);
    if (HasFatalFailure()) return;
  }
}

// Times are kept where somebody asks for them.
TEST_F(Products, Times) {
  auto gpu = *runtime::find_gpu();
  DrawnProduct c;
  for (const auto& [kept, count] : {std::pair{runtime::GpuTimes::None, 0u},
                                    {runtime::GpuTimes::Whole, 1u},
                                    {runtime::GpuTimes::Steps, 2u},
                                    {runtime::GpuTimes::Share, 1u},
                                    {runtime::GpuTimes::None, 0u}}) {
    gpu->keep_times(kept);
    check(product_graph(c), {}, Values::Exact);
    EXPECT_EQ(launches(), count);
  }
}

}  // namespace
}  // namespace frit::test
