// Products of matrices as shaders.
//
// A workgroup of 16 by 16 invocations computes a tile of the result. For each 16 steps along k it moves a tile of both
// operands to shared memory, where they lie along k, and every invocation multiplies the elements of its own rows and
// columns; the loads of the next tiles are under way meanwhile. Sums run along k in order, in float32 for low-precision
// types.
//
// An epilogue is applied to the elements before they are stored. They pass through shared memory, a part of the tile at
// a time, so that the text is there once and neighbours in memory belong to neighbouring invocations.
#include "codegen/glsl/product.h"
#include "ir/routines/matmul.h"

namespace frit::codegen::glsl {

const char* const kPlace =
    R"(  uint64_t group = uint64_t(gl_WorkGroupID.y) * uint64_t(gl_NumWorkGroups.x) + uint64_t(gl_WorkGroupID.x);
  const uint64_t columns = uint64_t(n + $TN$ - 1) / $TN$UL, rows = uint64_t(m + $TM$ - 1) / $TM$UL;
  uint64_t batch = group / (columns * rows);
  if (batch >= uint64_t(args.sizes[0] * args.sizes[1] * args.sizes[2] * args.sizes[3])) return;
  group -= batch * columns * rows;
  const uint64_t c_base = args.c + batch * uint64_t(m * n) * $SIZE$UL;
  int64_t a_offset = 0L, b_offset = 0L;
  for (int i = 3; i >= 0; --i) {
    int64_t at = int64_t(batch % uint64_t(args.sizes[i]));
    batch /= uint64_t(args.sizes[i]);
    a_offset += at * args.a_steps[i];
    b_offset += at * args.b_steps[i];
  }
  // Tiles in bands of eight rows, so that what runs at once reads the same parts of both operands.
  const uint64_t band = group / (8UL * columns), first = band * 8UL, height = min(rows - first, 8UL);
  const int64_t i0 = int64_t(first + (group - band * 8UL * columns) % height) * $TM$;
  const int64_t j0 = int64_t((group - band * 8UL * columns) / height) * $TN$;
  const uint64_t a_base = args.a + uint64_t(a_offset) * $SIZE$UL, b_base = args.b + uint64_t(b_offset) * $SIZE$UL;
)";

namespace {

constexpr int kSide = 16;   // invocations along each axis of a tile
constexpr int kDepth = 16;  // steps along k per tile of the operands

constexpr const char* kText = R"(#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
$EXTENSIONS$$REFERENCES$layout(local_size_x = 256) in;
layout(constant_id = 0) const bool aligned = false;
layout(buffer_reference, std430, buffer_reference_align = $SIZE$) buffer Element { $STORAGE$ data; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Words { uvec4 data; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t a, b, c;
  int64_t m, n, k, a_row, a_column, b_row, b_column;
  int64_t sizes[4], a_steps[4], b_steps[4];
$ARGUMENTS$};
layout(push_constant, std430) uniform Push { Arguments args; };
$PRELUDE$
const int tile = $TILE$, depth = 16, unit = $UNIT$, per = $PER$;  // elements of a wide load; elements that an invocation loads of each operand
const bool wide = $WIDE$;
shared $COMPUTE$ a_tile[depth * (tile + 4)], b_tile[depth * (tile + 4)];
#define FROM_MEMORY(x) ($FROM$)
// Reads this invocation's part of a tile: `lines` rows or columns from `at` on, steps from `k0` on. `line` and `step` are strides.
void fetch(out uvec4 words[per / unit + 1], out $COMPUTE$ part[per], uint64_t base, int64_t lines, int64_t at, int64_t k0, int64_t k, int64_t line,
           int64_t step, int me) {
  if (wide) {
    [[unroll]] for (int i = 0; i < per / unit; ++i) {
      int number = me + i * 256;
      // Side by side along k, or along the lines.
      int l = step == 1 ? number / (depth / unit) : number % (tile / unit) * unit;
      int s = step == 1 ? number % (depth / unit) * unit : number / (tile / unit);
      words[i] = uvec4(0u);
      if (at + l < lines && k0 + s < k) words[i] = Words(base + uint64_t((at + l) * line + (k0 + s) * step) * $SIZE$UL).data;
    }
  } else {
    [[unroll]] for (int i = 0; i < per; ++i) {
      int number = me + i * 256;
      int l = step == 1 ? number / depth : number % tile;
      int s = step == 1 ? number % depth : number / tile;
      part[i] = $COMPUTE$(0);
      if (at + l < lines && k0 + s < k) part[i] = FROM_MEMORY(Element(base + uint64_t((at + l) * line + (k0 + s) * step) * $SIZE$UL).data);
    }
  }
}
#define KEEP(where, words, part, step, me) \
  if (wide) { \
    [[unroll]] for (int i = 0; i < per / unit; ++i) { \
      int number = me + i * 256; \
      int l = step == 1 ? number / (depth / unit) : number % (tile / unit) * unit; \
      int s = step == 1 ? number % (depth / unit) * unit : number / (tile / unit); \
      const uvec4 w = words[i]; \
      $COMPUTE$ values[unit]; \
$UNPACK$      [[unroll]] for (int j = 0; j < unit; ++j) where[(step == 1 ? s + j : s) * (tile + 4) + (step == 1 ? l : l + j)] = values[j]; \
    } \
  } else { \
    [[unroll]] for (int i = 0; i < per; ++i) { \
      int number = me + i * 256; \
      int l = step == 1 ? number / depth : number % tile; \
      int s = step == 1 ? number % depth : number / tile; \
      where[s * (tile + 4) + l] = part[i]; \
    } \
  }
void main() {
  const int me = int(gl_LocalInvocationID.x), row = me / 16, column = me % 16;
  const int64_t m = args.m, n = args.n, k = args.k;
$PLACE$  const int64_t a_row = args.a_row, a_column = args.a_column, b_row = args.b_row, b_column = args.b_column;
  $COMPUTE$ a_part[per], b_part[per];
  uvec4 a_words[per / unit + 1], b_words[per / unit + 1];
$SUMS$  fetch(a_words, a_part, a_base, m, i0, 0L, k, a_row, a_column, me);
  fetch(b_words, b_part, b_base, n, j0, 0L, k, b_column, b_row, me);
  for (int64_t k0 = 0L; k0 < k; k0 += depth) {
    barrier();
    KEEP(a_tile, a_words, a_part, a_column, me)
    KEEP(b_tile, b_words, b_part, b_row, me)
    barrier();
    if (k0 + depth < k) {
      fetch(a_words, a_part, a_base, m, i0, k0 + depth, k, a_row, a_column, me);
      fetch(b_words, b_part, b_base, n, j0, k0 + depth, k, b_column, b_row, me);
    }
    [[unroll]] for (int s = 0; s < depth; ++s) {
$MULTIPLY$    }
  }
$STORE$}
)";

// Writes the form for plain multiplications.
class ProductWriter {
 public:
  ProductWriter(Dtype t, ProductKind kind, const runtime::GpuFeatures& features, const FusedEpilogue& fused)
      : t_(t),
        kind_(kind),
        own_(kind == ProductKind::Small ? 2
             : t.size == 8              ? 4
                                        : 8),
        fused_fma_(features.fused_fma),
        epilogue_(fused.function ? &*fused.function : nullptr),
        keep_(fused.keep),
        compute_(is_complex(t)  ? "vec2"
                 : t == float64 ? "double"
                                : "float") {
    if (epilogue_) prelude_ = epilogue_->prelude;
    convert();
  }

  Shader run(const std::string& name, size_t step) {
    const int tile = kSide * own_, unit = 16 / t_.size, per = tile * kDepth / 256;
    Shader shader;
    shader.text = fill(fill(kText, {{"PLACE", kPlace}}), {{"EXTENSIONS", extensions()},
                                                          {"SIZE", size()},
                                                          {"STORAGE", storage()},
                                                          {"COMPUTE", compute_},
                                                          {"REFERENCES", epilogue_ ? epilogue_->references : ""},
                                                          {"ARGUMENTS", epilogue_ ? epilogue_->arguments : ""},
                                                          {"PRELUDE", prelude_.text() + functions()},
                                                          {"TILE", std::to_string(tile)},
                                                          {"TM", std::to_string(tile)},
                                                          {"TN", std::to_string(tile)},
                                                          {"UNIT", std::to_string(unit)},
                                                          {"PER", std::to_string(per)},
                                                          {"WIDE", per >= unit ? "aligned" : "false"},
                                                          {"FROM", from_},
                                                          {"UNPACK", unpack_},
                                                          {"SUMS", sums()},
                                                          {"MULTIPLY", multiply()},
                                                          {"STORE", epilogue_ ? store_through_epilogue() : store()}});
    shader.kernel.name = name;
    shader.kernel.group_size = 256;
    shader.kernel.routine = product_form(kind_, step, t_.size, tile, tile);
    shader.kernel.routine->epilogue = epilogue_ != nullptr;
    return shader;
  }

 private:
  std::string size() const { return std::to_string(t_.size); }
  std::string storage() const { return t_.size == 2 ? "uint16_t" : compute_; }
  std::string extensions() const {
    std::string text = t_.size == 2 ? "#extension GL_EXT_shader_16bit_storage : require\n" : "";
    if (epilogue_)
      for (const std::string& e : epilogue_->extensions) text += "#extension " + e + " : require\n";
    return text;
  }

  // How elements come from memory, one by one (FROM) and as words of 16 bytes (UNPACK), and how a sum is stored.
  void convert() {
    auto unpack = [&](int j, const std::string& e) {
      unpack_ += "      values[" + std::to_string(j) + "] = " + e + "; \\\n";
    };
    const char* parts[] = {"w.x", "w.y", "w.z", "w.w"};
    if (is_low_precision(t_)) {
      from_ = cast_expression(prelude_, float32, t_, "uint(x)");
      for (int j = 0; j < 8; ++j)
        unpack(j, cast_expression(
                      prelude_, float32, t_,
                      std::string("bitfieldExtract(") + parts[j / 2] + ", " + std::to_string(j % 2 * 16) + ", 16)"));
      element_ = cast_expression(prelude_, t_, float32, "sum");
      to_ = "uint16_t(" + element_ + ")";
    } else if (t_ == float32) {
      for (int j = 0; j < 4; ++j) unpack(j, std::string("uintBitsToFloat(") + parts[j] + ")");
    } else {
      const std::string pair = t_ == float64 ? "packDouble2x32(" : "uintBitsToFloat(";
      unpack(0, pair + "w.xy)");
      unpack(1, pair + "w.zw)");
    }
  }

  // Where element `i` of an invocation's own lies in the tile. In fours, a quarter of the invocations' reach apart,
  // where there are four: 16-byte accesses of shared memory.
  std::string at(const std::string& number, int i) const {
    if (own_ < 4) return number + " * " + std::to_string(own_) + " + " + std::to_string(i);
    return std::to_string(i / 4 * 64) + " + " + number + " * 4 + " + std::to_string(i % 4);
  }
  static std::string sum(int i, int j) { return "c" + std::to_string(i) + "_" + std::to_string(j); }

  std::string sums() const {
    std::string text;
    for (int i = 0; i < own_; ++i)
      for (int j = 0; j < own_; ++j) text += "  " + compute_ + " " + sum(i, j) + " = " + compute_ + "(0);\n";
    return text;
  }

  std::string multiply() const {
    std::string text;
    for (int i = 0; i < own_; ++i)
      text += "      " + compute_ + " a" + std::to_string(i) + " = a_tile[s * (tile + 4) + " + at("row", i) + "];\n";
    for (int j = 0; j < own_; ++j)
      text += "      " + compute_ + " b" + std::to_string(j) + " = b_tile[s * (tile + 4) + " + at("column", j) + "];\n";
    for (int i = 0; i < own_; ++i)
      for (int j = 0; j < own_; ++j) {
        const std::string a = "a" + std::to_string(i), b = "b" + std::to_string(j), c = sum(i, j);
        text += "      " + c;
        if (is_complex(t_))
          text += " += vec2(" + a + ".x * " + b + ".x - " + a + ".y * " + b + ".y, " + a + ".x * " + b + ".y + " + a +
                  ".y * " + b + ".x);\n";
        else
          text += fused_fma_ ? " = fma(" + a + ", " + b + ", " + c + ");\n" : " += " + a + " * " + b + ";\n";
      }
    return text;
  }

  // Functions and macros of the shader.
  std::string functions() const {
    if (epilogue_) return "const int parts = " + std::to_string(own_) + ";\n" + epilogue_->function;
    return "#define PUT(i, j, sum) if (i0 + (i) < m && j0 + (j) < n) Element(c_base + uint64_t((i0 + (i)) * n + j0 + (j)) * " +
           size() + "UL).data = " + to_ + ";\n";
  }

  std::string store() const {
    std::string text;
    for (int i = 0; i < own_; ++i)
      for (int j = 0; j < own_; ++j)
        text += "  PUT(" + at("row", i) + ", " + at("column", j) + ", " + sum(i, j) + ")\n";
    return text;
  }

  // Sums pass through shared memory to the epilogue, a part of the tile at a time.
  std::string store_through_epilogue() const {
    const std::string parts = std::to_string(own_);
    const std::string row = own_ >= 4 ? "pass / 4 * 64 + line * 4 + pass % 4" : "line * " + parts + " + pass";
    std::string text = "  const uint64_t before = (c_base - args.c) / " + size() + "UL;\n";
    text += "  for (int pass = 0; pass < " + parts + "; ++pass) {\n    barrier();\n";
    for (int i = 0; i < own_; ++i) {
      text += "    if (pass == " + std::to_string(i) + ") {\n";
      for (int j = 0; j < own_; ++j)
        text += "      a_tile[row * tile + " + at("column", j) + "] = " + sum(i, j) + ";\n";
      text += "    }\n";
    }
    text += "    barrier();\n    " + epilogue_->position + " places[parts];\n    " + epilogue_->element +
            " elements[parts];\n    bool there[parts];\n";
    text += "    [[unroll]] for (int e = 0; e < parts; ++e) {\n";
    text += "      const int number = me + e * 256, line = number / tile;\n";
    text += "      const int64_t i = i0 + " + row + ", j = j0 + number % tile;\n";
    text += "      const " + compute_ + " sum = a_tile[number];\n";
    text += "      there[e] = i < m && j < n;\n      places[e] = " + epilogue_->position +
            "(before + uint64_t(i * n + j));\n";
    text += "      elements[e] = " + element_ + ";\n";
    if (keep_)
      text += "      if (there[e]) Element(c_base + uint64_t(i * n + j) * " + size() + "UL).data = " + to_ + ";\n";
    return text + "    }\n    epilogue(places, elements, there);\n  }\n";
  }

  const Dtype t_;
  const ProductKind kind_;
  const int own_;  // elements of an invocation along each axis
  const bool fused_fma_;
  const Epilogue* epilogue_;
  const bool keep_;
  const std::string compute_;  // the type of sums
  Prelude prelude_;
  std::string from_ = "x", unpack_, to_ = "sum", element_ = "sum";  // as stored, and as the epilogue takes them
};

// Matrix units wait while their workgroup computes something else; more than this is better done by a kernel after
// them.
constexpr int kLight = 50;

Result<std::vector<Shader>> emit_product(const RoutineStep& s) {
  const Dtype t = s.step.dtypes.back();
  const runtime::GpuFeatures& f = s.features;
  if (!is_inexact(t)) return s.refuse("only products of floats and complex numbers have one");
  if (!f.int64) return s.refuse("it has no shaderInt64");
  if (t == float64 && !f.float64) return s.refuse("it has no shaderFloat64", "cast to float32, or ");
  if (t.size == 2 && !f.storage16)
    return s.refuse("it has no storageBuffer16BitAccess", "cast to float32 on the cpu first, or ");
  if (f.group_size < 256) return s.refuse("its workgroups are smaller than 256 invocations");
  const FusedEpilogue fused = is_complex(t) ? FusedEpilogue() : fuse_epilogue(s);
  std::vector<Shader> shaders;
  if (t == float16 && f.matrix16 && f.group_size >= 512 && f.shared_bytes >= 32768)
    shaders.push_back(matrix_product(s.name() + "_matrix", s.number, fused.work > kLight ? FusedEpilogue() : fused));
  shaders.push_back(ProductWriter(t, ProductKind::Large, f, fused).run(s.name(), s.number));
  shaders.push_back(ProductWriter(t, ProductKind::Small, f, fused).run(s.name() + "_small", s.number));
  return shaders;
}

const RegisterRoutineShaders shaders(ir::kMatmul, emit_product);

}  // namespace

}  // namespace frit::codegen::glsl
