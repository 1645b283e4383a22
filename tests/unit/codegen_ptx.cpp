// The text of PTX modules: every register and label that is used is declared once, shared memory fits, and one text is
// as it was read last.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "codegen/ptx/product.h"
#include "codegen/ptx/tile_product.h"
#include "codegen/ptx/writer.h"
#include "tests/unit/codegen_ptx_text.h"

namespace frit::codegen::ptx {
namespace {

void check(const Product& p, const Module& module) {
  const std::string& text = module.text;
  check_text(module, product_parameters(p));
  // Barriers lie inside of shared memory, eight bytes apart.
  for (size_t at = 0; (at = text.find("mbarrier.init", at)) != std::string::npos; ++at) {
    const std::string place = text.substr(at, text.find(']', at) - at);
    const size_t plus = place.find('+'), barrier = plus == std::string::npos ? 0 : std::stoul(place.substr(plus + 1));
    EXPECT_EQ(barrier % 8, 0u);
    EXPECT_LE(barrier + 8, shared_bytes(text));
  }
}

TEST(Ptx, modules_are_whole) {
  for (const LeftWay left : {LeftWay::Columns, LeftWay::Permuted, LeftWay::Exchanged, LeftWay::Windows})
    for (int i = 0; i < 24; ++i) {
      const Product p{(i & 1) != 0, left, (i & 2) != 0, 64u << i / 8, (i & 4) != 0};
      SCOPED_TRACE(std::to_string(static_cast<int>(left)) + " " + std::to_string(i));
      const Module product = product_module(p);
      check(p, product);
      EXPECT_EQ(product_module(p).text, product.text);
      // As many steps are copied and multiplied before a product may end.
      const size_t multiplied = count(product.text, "wgmma.mma_async"),
                   expected = count(product.text, "mbarrier.arrive.expect_tx");
      const bool ring = left == LeftWay::Columns, permuted = left == LeftWay::Permuted;
      const size_t grain = permuted ? 4 : ring ? 1 : 2, own = ring || permuted || p.columns == 256 ? 1 : 2;
      EXPECT_EQ(expected, grain / own * (ring ? 2 : 1));
      EXPECT_EQ(multiplied % grain, 0u);
      EXPECT_EQ(count(product.text, p.bfloat ? ".f32.bf16.bf16" : ".f32.f16.f16"), multiplied);
      // Every sum is stored once by each of the ways to store.
      EXPECT_EQ(count(product.text, "st.global.f32"), p.split ? p.columns / 2 : 0);
      EXPECT_EQ(count(product.text, "st.global.v4"), p.split ? 0 : p.columns / 16);
      EXPECT_EQ(count(product.text, "st.global.b32"), p.split ? 0 : p.columns / 4);
      EXPECT_EQ(count(product.text, "st.global.b16"), p.split ? 0 : p.columns / 2);
    }
}

TEST(Ptx, tile_modules_are_whole) {
  for (int i = 0; i < 8; ++i) {
    const bool wide = (i & 1) != 0;
    const TileProduct p{wide ? TileType::Float64 : TileType::Float32, i & 2 ? TileSize::Medium : TileSize::Small,
                        (i & 4) != 0};
    SCOPED_TRACE(i);
    const TilePlan plan = tile_plan(p);
    const Module module = tile_module(p);
    check_text(module, TileParameters::kCount);
    EXPECT_EQ(tile_module(p).text, module.text);
    // Every sum of a lane's part of the tile is multiplied in each step, and stored by each of the ways to store.
    const size_t sums = plan.warp_rows * plan.warp_columns / 32, steps = plan.depth / plan.teams;
    const size_t stored = plan.rows() * plan.columns() / plan.threads();
    EXPECT_EQ(count(module.text, "fma.rn.f32"), wide ? 0 : sums * steps);
    EXPECT_EQ(count(module.text, "mma.sync"), wide ? sums / 4 * steps / 4 : 0);
    EXPECT_EQ(count(module.text, wide ? "st.global.f64" : "st.global.f32"), stored);
    EXPECT_EQ(count(module.text, wide ? "st.global.v2" : "st.global.v4"), stored / (wide ? 2 : 4));
    // Each piece of an operand is copied in one of the ways, ahead of the first multiplication and in the loop.
    const size_t threads = plan.threads(), turns = plan.places,
                 bytes = (plan.rows() + plan.columns()) * plan.depth * p.bytes();
    EXPECT_EQ(count(module.text, "cp.async.cg.shared.global"), turns * bytes / (16 * threads) * (wide ? 2 : 1));
    EXPECT_EQ(count(module.text, "cp.async.ca.shared.global"), turns * bytes / (p.bytes() * threads));
  }
}

TEST(Ptx, tile_modules_of_16_bits_are_whole) {
  for (int i = 0; i < 64; ++i) {
    const TileProduct p{i & 1 ? TileType::BFloat16 : TileType::Float16,
                        i & 2 ? TileSize::Medium : TileSize::Small,
                        (i & 4) != 0,
                        (i & 8) != 0,
                        (i & 16) != 0,
                        (i & 32) != 0};
    SCOPED_TRACE(i);
    const TilePlan plan = tile_plan(p);
    const Module module = tile_module(p);
    check_text(module, TileParameters::kCount);
    EXPECT_EQ(tile_module(p).text, module.text);
    const size_t units = plan.warp_rows * plan.warp_columns / (16 * 8) * (plan.depth / plan.teams / 16);
    EXPECT_EQ(count(module.text, i & 1 ? ".f32.bf16.bf16.f32" : ".f32.f16.f16.f32"), units);
    const size_t stored = plan.rows() * plan.columns() / plan.threads();
    EXPECT_EQ(count(module.text, "st.global.b16"), p.split ? 0 : stored);
    EXPECT_EQ(count(module.text, "st.global.b32"), p.split ? 0 : stored / 2);
    EXPECT_EQ(count(module.text, "st.global.v2.f32"), p.split ? stored / 2 : 0);
    // An operand that lies along its lines is loaded as it is, another one turned; both where multiplications ahead do.
    const size_t across = (p.a_along ? 0 : plan.warp_rows / 16) + (p.b_along ? 0 : plan.warp_columns / 16),
                 all = (plan.warp_rows + plan.warp_columns) / 16;
    EXPECT_EQ(count(module.text, "ldmatrix.sync.aligned.m8n8.x4.trans") * all, count(module.text, "ldmatrix") * across);
    // Odd rows are shifted between two barriers.
    EXPECT_EQ(count(module.text, "prmt.b32") > 0, p.odd);
  }
}

TEST(Ptx, writer_numbers_registers_and_labels) {
  Writer w;
  const Value a = w.low_parameter(1), sum = w.u32("add.u32", {a, "7"}), skip = w.label();
  const Value none = w.test("setp.eq.u32", {sum, "0"});
  w.jump_if(none, skip);
  w.op_if("!" + none, "st.shared.v2.b32", {at("memory", 8), list({a, sum})});
  w.place(skip);
  EXPECT_EQ(w.finish({"sm_90a", "small", 2, 64, 32, 16}),
            ".version 8.3\n.target sm_90a\n.address_size 64\n.visible .entry small(.param .u64 p0, .param .u64 p1)\n"
            ".maxntid 64, 1, 1\n.minnctapersm 1\n{\n  .shared .align 16 .b8 memory[32];\n  .reg .pred %p<1>;\n"
            "  .reg .b32 %r<2>;\n  .reg .b64 %d<1>;\n  ld.param.b64 %d0, [p1];\n  cvt.u32.u64 %r0, %d0;\n"
            "  add.u32 %r1, %r0, 7;\n  setp.eq.u32 %p0, %r1, 0;\n  @%p0 bra L0;\n"
            "  @!%p0 st.shared.v2.b32 [memory+8], {%r0, %r1};\nL0:\n}\n");
}

// FRIT_BLESS=1 writes the text anew.
TEST(Ptx, the_text_of_a_product) {
  const std::string path = std::string(FRIT_TEST_SOURCE) + "/vulkan/golden/product.ptx";
  const Product p{false, LeftWay::Permuted, false, 256};
  const std::string text = product_module(p).text;
  if (const char* bless = std::getenv("FRIT_BLESS"); bless && std::string(bless) == "1") std::ofstream(path) << text;
  std::ostringstream kept;
  kept << std::ifstream(path).rdbuf();
  EXPECT_EQ(kept.str(), text);
}

}  // namespace
}  // namespace frit::codegen::ptx
