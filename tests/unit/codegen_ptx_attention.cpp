// The text of PTX modules of rows between products: every register and label that is used is declared once, shared
// memory fits, every product is multiplied, and one text of each way is as it was read last.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "codegen/ptx/attention.h"
#include "tests/unit/codegen_ptx_text.h"

namespace frit::codegen::ptx {
namespace {

void check(const Attention& a) {
  const Module module = attention_module(a);
  const std::string& text = module.text;
  EXPECT_EQ(attention_module(a).text, text);
  EXPECT_EQ(module.threads, a.threads());
  EXPECT_EQ(shared_bytes(text), attention_shared(a));
  check_text(module, AttentionParameter::kCount);
  // Multiplications of a tile: of 16 rows by eight columns and 16 steps (8 in three parts of float32), or of 64 rows by
  // all columns and 16 steps; the groups' first tile of scores and last one of weights stand apart.
  const uint32_t own = a.tile / a.key_warps;
  if (a.groups) {
    EXPECT_EQ(count(text, "wgmma.mma_async"), 2u * (a.longest / 16 + a.tile / 16));
    EXPECT_EQ(count(text, "m64n" + std::to_string(a.longest) + "k16"),
              2u * (a.tile / 16 + (a.longest == a.tile ? a.longest / 16 : 0)));
  } else {
    EXPECT_EQ(count(text, "mma.sync"), a.high * own / 8 * a.longest / 8 * (a.element_bytes() == 4 ? 6 : 1));
  }
  EXPECT_EQ(count(text, "st.global.v4"), a.high * a.longest / 16 * (a.element_bytes() == 4 ? 2 : 1));
}

TEST(PtxAttention, modules_are_whole) {
  for (const bool causal : {false, true})
    for (int m = 0; m <= 4; ++m) {
      const auto mask = static_cast<AttentionMask>(m);
      SCOPED_TRACE(std::to_string(causal) + " " + std::to_string(m));
      check({false, Element::Half, mask, causal, 32, 1, 8, 1, 128, 2});
      check({false, Element::Bfloat, mask, causal, 64, 2, 4, 1, 64, 2});
      check({false, Element::Half, mask, causal, 128, 4, 2, 1, 32, 2});
      check({false, Element::Single, mask, causal, 32, 8, 1, 2, 32, 3});
      check({false, Element::Single, mask, causal, 128, 4, 1, 1, 16, 2});
      check({true, Element::Half, mask, causal, 64, 8, 1, 1, 96, 2});
      check({true, Element::Bfloat, mask, causal, 64, 12, 1, 1, 64, 3});
      check({true, Element::Bfloat, mask, causal, 128, 4, 1, 1, 48, 2});
    }
}

TEST(PtxAttention, modules_of_few_rows_are_whole) {
  for (const bool causal : {false, true})
    for (const bool split : {false, true})
      for (const uint32_t rows : {1u, 2u, 4u, 8u}) {
        SCOPED_TRACE(std::to_string(causal) + " " + std::to_string(split) + " " + std::to_string(rows));
        const FewAttention f{rows == 2 ? Element::Bfloat : Element::Half, causal, rows == 4 ? 32u : 128u, rows, split};
        const Module module = few_attention_module(f);
        check_text(module, split ? AttentionParameter::kSplitCount : AttentionParameter::kCount);
        EXPECT_EQ(module.threads, f.threads());
        // 16 bytes of the rows, and of each key and its row of the last operand.
        EXPECT_EQ(count(module.text, "ld.global.nc.v4"), rows + 2 * f.ahead());
        EXPECT_EQ(count(module.text, split ? "st.global.b32" : "st.global.b16"), rows);
      }
}

// FRIT_BLESS=1 writes the texts anew.
TEST(PtxAttention, the_text_of_each_way) {
  const std::string path = std::string(FRIT_TEST_SOURCE) + "/vulkan/golden/attention.ptx";
  const std::string text =
      attention_module({false, Element::Single, AttentionMask::Hides, true, 32, 2, 2, 1, 16, 2}).text +
      attention_module({true, Element::Half, AttentionMask::None, true, 64, 4, 1, 1, 16, 2}).text;
  if (const char* bless = std::getenv("FRIT_BLESS"); bless && std::string(bless) == "1") std::ofstream(path) << text;
  std::ostringstream kept;
  kept << std::ifstream(path).rdbuf();
  EXPECT_EQ(kept.str(), text);
}

}  // namespace
}  // namespace frit::codegen::ptx
