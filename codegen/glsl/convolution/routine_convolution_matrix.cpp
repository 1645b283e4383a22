// Convolutions of float16 and bfloat16 by the device's matrix units (routine_matmul_matrix.cpp), with sums in float32.
//
// A workgroup computes a tile of a product (convolution.h), each of its subgroups a part of it. Loads of eight channels
// or features are of 16 bytes where sizes and addresses allow them; else the words around them are loaded and shifted.
// Sums leave their matrices through shared memory, 16 by 16 for each subgroup.
#include <algorithm>

#include "codegen/glsl/convolution/convolution.h"

namespace frit::codegen::glsl {

namespace {

// `count` elements from an address on, and zeros. Here loads on a condition are quicker: most taps of a window are
// there.
constexpr const char* kShiftedLoad = R"(uvec4 shifted(uint64_t at, int count) {
  uint around[5];
  [[unroll]] for (int w = 0; w < 5; ++w) {
    around[w] = 0u;
    if (word_at(at, w, count, 0UL) != 0UL) around[w] = Word(word_at(at, w, count, 0UL)).data;
  }
  return shifted(around, at, count);
}
)";

constexpr const char* kText = R"($UNITS$#extension GL_KHR_shader_subgroup_basic : require
$EXTENSIONS$$REFERENCES$layout(local_size_x = $THREADS$) in;
layout(constant_id = 0) const bool a_wide = false;
layout(constant_id = 1) const bool b_wide = false;
layout(constant_id = $LEFT$) const int left_rows = 16;
layout(constant_id = $RIGHT$) const int right_rows = 16;
layout(constant_id = $SUM_MATRIX$) const int sum_rows = 16;
layout(buffer_reference, std430, buffer_reference_align = 2) buffer Element { uint16_t data; };
layout(buffer_reference, std430, buffer_reference_align = 16) readonly restrict buffer Words { uvec4 data; };
layout(buffer_reference, std430, buffer_reference_align = 4) readonly restrict buffer Word { uint data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Sum { float data; };
#define LEFT fcoopmatNV<16, gl_ScopeSubgroup, left_rows, 16>
#define RIGHT fcoopmatNV<16, gl_ScopeSubgroup, right_rows, wide>
#define SUM fcoopmatNV<32, gl_ScopeSubgroup, sum_rows, wide>
$HEAD$$PRELUDE$
const int depth = $DEPTH$, invocations = $THREADS$, a_parts = $A_PARTS$, b_parts = $B_PARTS$, wide = $WIDE$;
const int high = $TM$ / $WARP_ROWS$ / 16, broad = $TN$ / $WARP_COLUMNS$ / wide;  // matrices of a subgroup
// In words of eight elements, with one more a line against bank conflicts.
const int a_line = $A_ALONG$ ? depth / 8 + 1 : $TM$ / 8 + 1, b_line = $B_ALONG$ ? depth / 8 + 1 : $TN$ / 8 + 1;
shared uvec4 a_tile[$A_SIZE$], b_tile[$B_SIZE$];
$SHIFTED$// `there` elements that lie side by side from element `at` on; zeros behind them.
#define LOAD(part, base, at, there, step, is_wide) { \
  const int count = there; \
  const uint64_t from = base + uint64_t(at) * 2UL; \
  part = uvec4(0u); \
  if (is_wide) { \
    if (count > 0) part = Words(from).data; \
  } else { \
    part = shifted(from, count); \
  } \
}
#define FETCH(at) { \
  const int k0 = at; \
$A_FETCH$$B_FETCH$}
#define KEEP(where, line, lines, parts, part, along) \
  [[unroll]] for (int i = 0; i < parts; ++i) { \
    const int number = me + i * invocations; \
    const int l = along ? number / (depth / 8) : number % (lines / 8); \
    const int s = along ? number % (depth / 8) : number / (lines / 8); \
    if (number < lines * depth / 8) where[(along ? l : s) * line + (along ? s : l)] = part[i]; \
  }
void main() {
  const int me = int(gl_LocalInvocationID.x), mine = int(gl_SubgroupID);
  const int row = mine % $WARP_ROWS$ * (high * 16), column = mine / $WARP_ROWS$ * (broad * wide);
$PLACE$$A_SETUP$$B_SETUP$  uvec4 a_part[a_parts], b_part[b_parts];
  SUM sums[high][broad];
  [[unroll]] for (int i = 0; i < high; ++i)
    [[unroll]] for (int j = 0; j < broad; ++j) sums[i][j] = SUM(0.0);
  FETCH(first_step)
  for (int k = first_step; k < last_step; k += depth) {
    barrier();
    KEEP(a_tile, a_line, $TM$, a_parts, a_part, $A_ALONG$)
    KEEP(b_tile, b_line, $TN$, b_parts, b_part, $B_ALONG$)
    barrier();
    if (k + depth < last_step) {
      FETCH(k + depth)
    }
    [[unroll]] for (int s = 0; s < depth; s += 16) {
      LEFT a[high];
      RIGHT b[broad];
      [[unroll]] for (int i = 0; i < high; ++i) {
        const int r = row + i * 16;
        if ($A_ALONG$) coopMatLoadNV(a[i], a_tile, r * a_line + s / 8, a_line, false);
        else coopMatLoadNV(a[i], a_tile, s * a_line + r / 8, a_line, true);
      }
      [[unroll]] for (int j = 0; j < broad; ++j) {
        const int c = column + j * wide;
        if ($B_ALONG$) coopMatLoadNV(b[j], b_tile, c * b_line + s / 8, b_line, true);
        else coopMatLoadNV(b[j], b_tile, s * b_line + c / 8, b_line, false);
      }
      [[unroll]] for (int j = 0; j < broad; ++j)
        [[unroll]] for (int i = 0; i < high; ++i) sums[i][j] = coopMatMulAddNV(a[i], b[j], sums[i][j]);
    }
  }
  barrier();
  const int own = mine * 80, lane = int(gl_SubgroupInvocationID);
  [[unroll]] for (int i = 0; i < high; ++i)
    [[unroll]] for (int j = 0; j < broad; j += 16 / wide) {
      subgroupBarrier();
      [[unroll]] for (int f = 0; f < 16 / wide; ++f) coopMatStoreNV(sums[i][j + f], b_tile, own + f * (wide / 4), 5, false);
      subgroupBarrier();
$STORE$    }
}
)";

// Eight elements of each invocation: neighbours store neighbouring ones.
constexpr const char* kEach = R"(      [[unroll]] for (int e = 0; e < 8; ++e) {
        const int number = e * 32 + lane, x = number % 16;
        const int r = i0 + row + i * 16 + number / 16, c = j0 + column + j * wide + x;
        const float sum = uintBitsToFloat(b_tile[own + number / 16 * 5 + x / 4][x % 4]);
        if (is_there(r, c)) $PUT$
      }
)";
constexpr const char* kPutResult = "Element(args.result + place_of(r, c, group) * 2UL).data = $STORED$;";
constexpr const char* kPutSum =
    "Sum(args.sums + (uint64_t(part) * (uint64_t(ROWS) * uint64_t($TRUE_COLUMNS$) * uint64_t(N_G)) + place_of(r, c, group)) * 4UL).data = sum;";
constexpr const char* kEpilogue = R"(      $POSITION$ places[parts];
      $ELEMENT$ elements[parts];
      bool there[parts];
      [[unroll]] for (int e = 0; e < parts; ++e) {
        const int number = e * 32 + lane, x = number % 16;
        const int r = i0 + row + i * 16 + number / 16, c = j0 + column + j * wide + x;
        const float sum = uintBitsToFloat(b_tile[own + number / 16 * 5 + x / 4][x % 4]);
        there[e] = is_there(r, c);
        places[e] = $POSITION$(place_of(r, c, group));
        elements[e] = $SUM$;
      }
      epilogue(places, elements, there);
)";

struct Units {
  ConvolutionTile tile;
  int warp_rows;
  const char* name;
};

Shader write(const ConvolutionStep& step, const MatrixProduct& p, const Units& u) {
  const ConvolutionTile& t = u.tile;
  const auto text = [](int v) { return std::to_string(v); };
  const int warps = t.invocations / 32;
  // The longer of both ways in which an operand's tile may lie, and the sums of each subgroup.
  const auto size = [&](int lines) {
    return text(std::max({lines * (t.depth / 8 + 1), t.depth * (lines / 8 + 1), warps * 80}));
  };
  const ProductText product(p.type, step.step().features, p.fused);
  const bool through = product.epilogue() && !t.split;
  std::string store = !through || p.fused.keep ? fill(kEach, {{"PUT", t.split ? kPutSum : kPutResult}}) : "";
  if (through) store += kEpilogue;
  std::map<std::string, std::string> words = step.words(t, store);
  words.insert({{"UNITS", kMatrixUnits},
                {"SHIFTED", std::string(kShiftedWords) + kShiftedLoad},
                {"LEFT", text(kLeftMatrix)},
                {"RIGHT", text(kRightMatrix)},
                {"SUM_MATRIX", text(kSumMatrix)},
                {"WIDE", text(p.narrow ? 8 : 16)},
                {"WARP_ROWS", text(u.warp_rows)},
                {"WARP_COLUMNS", text(warps / u.warp_rows)},
                {"A_SIZE", size(t.rows)},
                {"B_SIZE", size(t.columns)},
                {"PARTS", "8"},
                {"TRUE_COLUMNS", step.of_weights() ? "(TAPS * N_C)" : "N_F"}});
  // Words that hold others come first.
  std::string all = kText;
  for (const char* first : {"HEAD", "PLACE", "A_SETUP", "A_FETCH", "B_SETUP", "B_FETCH", "STORE"})
    all = fill(all, {{first, words.at(first)}});
  Shader shader;
  shader.text = product.fill_in(all, words);
  shader.matrices = p.type == float16 ? MatrixType::Float16 : MatrixType::Bfloat16;
  shader.kernel.name = step.step().name() + "_" + u.name + (t.split ? "_split" : "");
  shader.kernel.group_size = static_cast<uint32_t>(t.invocations);
  shader.kernel.routine = step.form(t);
  shader.kernel.routine->epilogue = through;
  return shader;
}

}  // namespace

std::vector<Shader> matrix_convolutions(const ConvolutionStep& step, bool narrow, const FusedEpilogue& fused) {
  const MatrixProduct product{step.type(), narrow, light_epilogue(fused, step.type())};
  std::vector<Shader> shaders;
  if (!step.dense_channels() || (!step.of_weights() && !step.along_channels() && !step.along_features()))
    return shaders;
  const Units all[] = {{{128, 128, 32, 256, 132}, 2, "units_large"},
                       {{64, 64, 64, 128, 0, 0, true}, 2, "units"},
                       {{64, 64, 64, 128}, 2, "units"}};
  for (const Units& u : all) {
    if (!step.suits(u.tile)) continue;
    shaders.push_back(write(step, product, u));
    if (u.tile.split)
      shaders.push_back(convolution_sums(step, ConvolutionParts(step.splits(u.tile)),
                                         step.step().name() + "_" + u.name + "_sums", fused));
  }
  return shaders;
}

}  // namespace frit::codegen::glsl
