// Convolutions and their derivatives for the weights as shaders, in registers.
//
// A workgroup computes a tile of a product (convolution.h). For each step of the tile's depth it moves a part of both
// operands to shared memory, where they lie along k, and every invocation multiplies the elements of its own rows and
// columns; the loads of the next part are under way meanwhile. Sums run along k in order, in float32 for low-precision
// types. Where a result has few tiles and k is long, several workgroups share the steps of a tile, and a second launch
// adds their sums in order.
#include "codegen/glsl/convolution/convolution.h"
#include "ir/routines/convolution.h"

namespace frit::codegen::glsl {

namespace {

constexpr const char* kText = R"($EXTENSIONS$$REFERENCES$layout(local_size_x = $THREADS$) in;
layout(constant_id = 0) const bool a_wide = false;
layout(constant_id = 1) const bool b_wide = false;
layout(buffer_reference, std430, buffer_reference_align = $SIZE$) buffer Element { $STORAGE$ data; };
layout(buffer_reference, std430, buffer_reference_align = $SIZE$) readonly restrict buffer Read { $STORAGE$ data; };
layout(buffer_reference, std430, buffer_reference_align = 16) readonly restrict buffer Words { uvec4 data; };
layout(buffer_reference, std430, buffer_reference_align = $SUM_SIZE$) buffer Sum { $COMPUTE$ data; };
$HEAD$$PRELUDE$
const int depth = $DEPTH$, invocations = $THREADS$, a_parts = $A_PARTS$, b_parts = $B_PARTS$, a_line = $TM$ + 4, b_line = $TN$ + 4;
shared $COMPUTE$ a_tile[depth * a_line], b_tile[depth * b_line];
#define FROM_MEMORY(x) ($FROM$)
$COMPUTE$ part_of(uvec4 w, int j) { return $PART$; }
// `there` elements, `step` apart, from element `at` on; zeros behind them.
#define LOAD(part, base, at, there, step, is_wide) { \
  const int count = there; \
  const uint64_t from = base + uint64_t(at) * $SIZE$UL; \
  if (is_wide) { \
    uvec4 w = uvec4(0u); \
    if (count > 0) w = Words(from).data; \
    [[unroll]] for (int j = 0; j < unit; ++j) part[j] = part_of(w, j); \
  } else { \
    [[unroll]] for (int j = 0; j < unit; ++j) { \
      part[j] = $COMPUTE$(0); \
      if (j < count) part[j] = FROM_MEMORY(Read(from + uint64_t(int64_t(j) * (step)) * $SIZE$UL).data); \
    } \
  } \
}
#define FETCH(at) { \
  const int k0 = at; \
$A_FETCH$$B_FETCH$}
// Moves loads to a tile of `lines` lines.
#define KEEP(where, line, lines, parts, part, along) \
  [[unroll]] for (int i = 0; i < parts; ++i) { \
    const int number = me + i * invocations; \
    const int l = along ? number / (depth / unit) : number % (lines / unit) * unit; \
    const int s = along ? number % (depth / unit) * unit : number / (lines / unit); \
    if (number < lines * depth / unit) { \
      [[unroll]] for (int j = 0; j < unit; ++j) where[(along ? s + j : s) * line + (along ? l : l + j)] = part[i][j]; \
    } \
  }
void main() {
  const int me = int(gl_LocalInvocationID.x), row = me / $ACROSS$, column = me % $ACROSS$;
$PLACE$$A_SETUP$$B_SETUP$  $COMPUTE$ a_part[a_parts][unit], b_part[b_parts][unit];
$SUMS$  FETCH(first_step)
  for (int k = first_step; k < last_step; k += depth) {
    barrier();
    KEEP(a_tile, a_line, $TM$, a_parts, a_part, $A_ALONG$)
    KEEP(b_tile, b_line, $TN$, b_parts, b_part, $B_ALONG$)
    barrier();
    if (k + depth < last_step) {
      FETCH(k + depth)
    }
    [[unroll]] for (int s = 0; s < depth; ++s) {
$MULTIPLY$    }
  }
$STORE$}
)";

constexpr const char* kPut = R"(  {
    const int r = i0 + $ROW$, c = j0 + $COLUMN$;
    const $COMPUTE$ sum = $VALUE$;
    if (is_there(r, c)) $PUT$
  }
)";
constexpr const char* kPutResult = "Element(args.result + place_of(r, c, group) * $SIZE$UL).data = $STORED$;";
constexpr const char* kPutSum =
    "Sum(args.sums + (uint64_t(part) * (uint64_t(ROWS) * uint64_t($TRUE_COLUMNS$) * uint64_t(N_G)) + place_of(r, c, group)) * $SUM_SIZE$UL).data = sum;";

// The elements of a pass, whose sums lie in shared memory.
constexpr const char* kEpilogue = R"(    barrier();
    $POSITION$ places[parts];
    $ELEMENT$ elements[parts];
    bool there[parts];
    [[unroll]] for (int e = 0; e < parts; ++e) {
      const int number = me + e * invocations, line = number / $TN$;
      const int r = i0 + $ROW$, c = j0 + number % $TN$;
      const $COMPUTE$ sum = a_tile[number];
      there[e] = is_there(r, c);
      places[e] = $POSITION$(place_of(r, c, group));
      elements[e] = $SUM$;
$KEEP$    }
    epilogue(places, elements, there);
  }
)";
constexpr const char* kKeep =
    "      if (there[e]) Element(args.result + place_of(r, c, group) * $SIZE$UL).data = $STORED$;\n";

// A tile and the elements of an invocation along each axis.
struct Registers {
  ConvolutionTile tile;
  int rows, columns;
  const char* name;
};

class TileWriter {
 public:
  TileWriter(const ConvolutionStep& step, const Registers& r, const FusedEpilogue& fused)
      : step_(step), r_(r), keep_(fused.keep), text_(step.type(), step.step().features, fused) {}

  Shader run() {
    const ConvolutionTile& t = r_.tile;
    Shader shader;
    const bool through = text_.epilogue() && !t.split;
    std::map<std::string, std::string> words = step_.words(t, through ? store_through_epilogue() : store());
    words.insert({{"SUMS", sums()},
                  {"MULTIPLY", multiply()},
                  {"ACROSS", std::to_string(t.columns / r_.columns)},
                  {"PART", part()},
                  {"PARTS", std::to_string(t.rows / r_.rows * t.columns / t.invocations)},
                  {"TRUE_COLUMNS", step_.of_weights() ? "(TAPS * N_C)" : "N_F"}});
    // Words that hold others come first.
    std::string text = kText;
    for (const char* first : {"HEAD", "PLACE", "A_SETUP", "A_FETCH", "B_SETUP", "B_FETCH", "STORE", "SUMS", "MULTIPLY"})
      text = fill(text, {{first, words.at(first)}});
    shader.text = text_.fill_in(text, words);
    shader.kernel.name = step_.step().name() + "_" + r_.name + (t.split ? "_split" : "");
    shader.kernel.group_size = static_cast<uint32_t>(t.invocations);
    shader.kernel.routine = step_.form(t);
    shader.kernel.routine->epilogue = through;
    return shader;
  }

 private:
  // Element j of a word of 16 bytes.
  std::string part() {
    const char* words[] = {"w[j / 2]", "w[j]", "uvec2(w[2 * j], w[2 * j + 1])"};
    return text_.part(words[step_.type().size() / 4], "j % 2 * 16");
  }
  // Where element `i` of an invocation's own lies in the tile: in fours, a quarter of the invocations' reach apart.
  static std::string at(const std::string& number, int i, int reach) {
    return std::to_string(i / 4 * reach * 4) + " + " + number + " * 4 + " + std::to_string(i % 4);
  }
  std::string row(int i) const { return at("row", i, r_.tile.rows / r_.rows); }
  std::string column(int j) const { return at("column", j, r_.tile.columns / r_.columns); }
  static std::string sum(int i, int j) { return "c" + std::to_string(i) + "_" + std::to_string(j); }

  std::string sums() const {
    std::string text;
    for (int i = 0; i < r_.rows; ++i)
      for (int j = 0; j < r_.columns; ++j)
        text += "  " + text_.compute + " " + sum(i, j) + " = " + text_.compute + "(0);\n";
    return text;
  }

  std::string multiply() const {
    std::string text;
    for (int i = 0; i < r_.rows; ++i)
      text += "      " + text_.compute + " a" + std::to_string(i) + " = a_tile[s * a_line + " + row(i) + "];\n";
    for (int j = 0; j < r_.columns; ++j)
      text += "      " + text_.compute + " b" + std::to_string(j) + " = b_tile[s * b_line + " + column(j) + "];\n";
    for (int i = 0; i < r_.rows; ++i)
      for (int j = 0; j < r_.columns; ++j)
        text += "      " + text_.multiply(sum(i, j), "a" + std::to_string(i), "b" + std::to_string(j)) + "\n";
    return text;
  }

  std::string store() const {
    std::string text;
    for (int i = 0; i < r_.rows; ++i)
      for (int j = 0; j < r_.columns; ++j)
        text += fill(kPut, {{"ROW", row(i)},
                            {"COLUMN", column(j)},
                            {"VALUE", sum(i, j)},
                            {"PUT", r_.tile.split ? kPutSum : kPutResult}});
    return text;
  }

  // Sums pass through shared memory to the epilogue, a part of the tile at a time.
  std::string store_through_epilogue() const {
    std::string text = "  for (int pass = 0; pass < " + std::to_string(r_.rows) + "; ++pass) {\n    barrier();\n";
    for (int i = 0; i < r_.rows; ++i) {
      text += "    if (pass == " + std::to_string(i) + ") {\n";
      for (int j = 0; j < r_.columns; ++j)
        text += "      a_tile[row * $TN$ + " + column(j) + "] = " + sum(i, j) + ";\n";
      text += "    }\n";
    }
    const std::string reach = std::to_string(r_.tile.rows / r_.rows * 4);
    return text +
           fill(kEpilogue, {{"ROW", "pass / 4 * " + reach + " + line * 4 + pass % 4"}, {"KEEP", keep_ ? kKeep : ""}});
  }

  const ConvolutionStep& step_;
  const Registers r_;
  const bool keep_;
  ProductText text_;
};

Result<std::vector<Shader>> emit(const RoutineStep& s, bool of_weights) {
  const Dtype t = s.step.dtypes.back();
  const runtime::GpuFeatures& f = s.features;
  if (!f.int64) return s.refuse("it has no shaderInt64");
  if (t == float64 && !f.float64) return s.refuse("it has no shaderFloat64", "cast to float32, or ");
  if (t.size() == 2 && !f.storage16)
    return s.refuse("it has no storageBuffer16BitAccess", "cast to float32 on the cpu first, or ");
  const ConvolutionStep step(s, of_weights);
  std::vector<Shader> shaders;
  if (!step.possible()) return shaders;
  const FusedEpilogue fused = fuse_epilogue(s);
  for (Shader& shader : direct_convolutions(step, fused)) shaders.push_back(std::move(shader));
  if (!shaders.empty()) return shaders;
  if (f.ptx && t.size() == 2 && !of_weights)
    for (Shader& shader : ptx_convolutions(step)) shaders.push_back(std::move(shader));
  const bool matrices = t == float16 ? f.matrix16 : t == bfloat16 && f.matrix_bfloat16;
  if (matrices && f.shared_bytes >= 32768)
    for (Shader& shader : matrix_convolutions(step, t == float16 && f.matrix_narrow, fused))
      shaders.push_back(std::move(shader));
  for (Shader& shader : tiled_convolutions(step, fused)) shaders.push_back(std::move(shader));
  return shaders;
}

Result<std::vector<Shader>> emit_convolution(const RoutineStep& s) { return emit(s, false); }
Result<std::vector<Shader>> emit_weights(const RoutineStep& s) { return emit(s, true); }

const RegisterRoutineShaders shaders(ir::kConvolution, emit_convolution);
const RegisterRoutineShaders shaders_of_weights(ir::kConvolutionWeights, emit_weights);

}  // namespace

std::vector<Shader> tiled_convolutions(const ConvolutionStep& step, const FusedEpilogue& fused) {
  // Small tiles leave less of a device idle; where they are few, their steps are shared.
  const Registers all[] = {{{128, 32, 16, 128, 264, 32}, 8, 4, "narrow"},
                           {{128, 64, 16, 128, 264}, 8, 8, "tall"},
                           {{64, 64, 16, 256, 0, 0, true}, 4, 4, "square"},
                           {{64, 64, 16, 256}, 4, 4, "square"}};
  std::vector<Shader> shaders;
  for (const Registers& r : all) {
    if (!step.suits(r.tile)) continue;
    shaders.push_back(TileWriter(step, r, fused).run());
    if (r.tile.split)
      shaders.push_back(convolution_sums(step, ConvolutionParts(step.splits(r.tile)),
                                         step.step().name() + "_" + r.name + "_sums", fused));
  }
  return shaders;
}

}  // namespace frit::codegen::glsl
