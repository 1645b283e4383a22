// Instructions that only timing depends on: prefetches and non-temporal stores, by the text of the code.
#include <string_view>

#include "codegen_harness.h"

namespace frit::test {
namespace {

int64_t count(const std::string& text, std::string_view word) {
  int64_t n = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

std::string assembly(const std::string& kernel, const std::string& cpu) {
  auto text = backend().emit(program_of(parse(kernel)), {"llvm", cpu}, "asm");
  EXPECT_TRUE(text.ok());
  return text.ok() ? std::string(text->begin(), text->end()) : std::string();
}

// A tile prefetches a line for each row that it reads, however far apart the rows are.
TEST(Memory, TilesPrefetchALineForEachRow) {
  const std::string text = assembly(R"(kernel @k(%x: f32[4000000] in, %y: f32[4000000] out) {
  parallel for i in 125 {
    for t in 256 unroll 16 {
      for j in 64 vector 16 {
        %0: f32 = load %x[2000*j + t]
        store %y[64*i + j + 2000*t], %0
      }
    }
  }
})",
                                    "x86-64-v4");
  EXPECT_GT(count(text, "prefetch"), 0);
  EXPECT_LT(count(text, "prefetch"), 200);
}

// Rows of a tile take turns: half of a line of each would go past the caches by itself.
TEST(Memory, TilesWriteWholeLinesPastTheCaches) {
  for (const char* type : {"f16", "bf16", "f32"}) {
    const std::string text = assembly("kernel @k(%x: " + std::string(type) + "[4194304] in, %y: " + type +
                                          R"([4194304] out) {
  parallel for i in 32 {
    for t in 256 unroll 16 {
      for j in 64 vector 16 {
        %0: )" + type + R"( = load %x[2048*j + t]
        store stream %y[64*i + j + 2048*t], %0
      }
    }
  }
})",
                                      "sapphirerapids");
    EXPECT_EQ(count(text, "movnt") > 0, type == std::string("f32")) << type;
  }
}

TEST(Memory, EveryTypeGoesPastTheCaches) {
  for (const char* type : {"f16", "bf16", "f32", "i8"})
    for (const char* cpu : {"sapphirerapids", "x86-64-v3"}) {
      const std::string text = assembly("kernel @k(%x: " + std::string(type) + "[65536] in, %y: " + type +
                                            R"([65536] out) {
  parallel for i in 1024 {
    for j in 64 vector 16 {
      %0: )" + type + R"( = load %x[64*i + j]
      store stream %y[64*i + j], %0
    }
  }
})",
                                        cpu);
      EXPECT_GT(count(text, "movnt"), 0) << type << " " << cpu;
    }
}

}  // namespace
}  // namespace frit::test
