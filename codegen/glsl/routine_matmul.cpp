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

namespace {

constexpr int kSide = 16;   // invocations along each axis of a tile
constexpr int kDepth = 16;  // steps along k per tile of the operands

constexpr const char* kText = R"($EXTENSIONS$$REFERENCES$layout(local_size_x = 256) in;
layout(constant_id = 0) const bool aligned = false;
layout(buffer_reference, std430, buffer_reference_align = $SIZE$) buffer Element { $STORAGE$ data; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Words { uvec4 data; };
$DECLARED$$PRELUDE$$FUNCTIONS$
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
  const int64_t m = args.m, n = args.n;
$PLACE$  const int64_t k = $K$, a_row = args.a_row, a_column = args.a_column, b_row = args.b_row, b_column = args.b_column;
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

// Without an epilogue.
constexpr const char* kPut =
    "#define PUT(i, j, sum) if (i0 + (i) < m && j0 + (j) < n) Element(c_base + uint64_t((i0 + (i)) * n + j0 + (j)) * $SIZE$UL).data = "
    "$STORED$;\n";

// Sums of a part of k.
constexpr const char* kPutPart =
    "#define PUT(i, j, sum) if (i0 + (i) < m && j0 + (j) < n) "
    "Element(part_base + uint64_t((i0 + (i)) * args.pitch + j0 + (j)) * $SIZE$UL).data = sum;\n";

// The elements of a pass, whose sums lie in shared memory.
constexpr const char* kEpilogue = R"(    barrier();
    $POSITION$ places[parts];
    $ELEMENT$ elements[parts];
    bool there[parts];
    [[unroll]] for (int e = 0; e < parts; ++e) {
      const int number = me + e * 256, line = number / tile;
      const int64_t i = i0 + $ROW$, j = j0 + number % tile;
      const $COMPUTE$ sum = a_tile[number];
      there[e] = i < m && j < n;
      places[e] = $POSITION$(before + uint64_t(i * n + j));
      elements[e] = $SUM$;
$KEEP$    }
    epilogue(places, elements, there);
  }
)";
constexpr const char* kKeep = "      if (there[e]) Element(c_base + uint64_t(i * n + j) * $SIZE$UL).data = $STORED$;\n";

// Writes the form for plain multiplications.
class ProductWriter {
 public:
  ProductWriter(Dtype t, ProductKind kind, const runtime::GpuFeatures& features, const FusedEpilogue& fused,
                bool split = false)
      : t_(t),
        kind_(kind),
        split_(split),
        own_(kind == ProductKind::Small                   ? 2
             : kind == ProductKind::Medium || t.size == 8 ? 4
                                                          : 8),
        keep_(fused.keep),
        text_(t, features, fused) {}

  FormSizes sizes() const {
    const int tile = kSide * own_;
    return {.element_bytes = t_.size, .tile_rows = tile, .tile_columns = tile, .split = split_};
  }

  Shader run(const std::string& name, size_t step) {
    const int tile = kSide * own_, unit = 16 / t_.size, per = tile * kDepth / 256;
    const std::string unpacked = unpack(unit);
    std::map<std::string, std::string> words = split_ ? part_words(t_.size) : whole_words();
    words.insert({{"PARTS", std::to_string(own_)},
                  {"TILE", std::to_string(tile)},
                  {"TM", std::to_string(tile)},
                  {"TN", std::to_string(tile)},
                  {"UNIT", std::to_string(unit)},
                  {"PER", std::to_string(per)},
                  {"WIDE", per >= unit ? "aligned" : "false"},
                  {"UNPACK", unpacked},
                  {"SUMS", sums()},
                  {"MULTIPLY", multiply()}});
    const char* put = split_ ? kPutPart : text_.epilogue() ? "" : kPut;
    Shader shader;
    shader.text = text_.fill_in(
        fill(kText, {{"FUNCTIONS", put}, {"STORE", text_.epilogue() ? store_through_epilogue() : store()}}), words);
    shader.kernel.name = name;
    shader.kernel.group_size = 256;
    shader.kernel.routine = product_form(kind_, sizes(), step);
    shader.kernel.routine->epilogue = text_.epilogue() != nullptr;
    return shader;
  }

 private:
  // The elements of a word of 16 bytes.
  std::string unpack(int unit) {
    std::string text;
    for (int j = 0; j < unit; ++j) {
      const std::string at = std::to_string(t_.size == 2 ? j / 2 : j);
      const std::string words = t_.size == 8 ? (j ? "w.zw" : "w.xy") : std::string("w.") + "xyzw"[std::stoi(at)];
      text += "      values[" + std::to_string(j) + "] = " + text_.part(words, std::to_string(j % 2 * 16)) + "; \\\n";
    }
    return text;
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
      for (int j = 0; j < own_; ++j) text += "  " + text_.compute + " " + sum(i, j) + " = " + text_.compute + "(0);\n";
    return text;
  }

  std::string multiply() const {
    std::string text;
    for (int i = 0; i < own_; ++i)
      text +=
          "      " + text_.compute + " a" + std::to_string(i) + " = a_tile[s * (tile + 4) + " + at("row", i) + "];\n";
    for (int j = 0; j < own_; ++j)
      text += "      " + text_.compute + " b" + std::to_string(j) + " = b_tile[s * (tile + 4) + " + at("column", j) +
              "];\n";
    for (int i = 0; i < own_; ++i)
      for (int j = 0; j < own_; ++j)
        text += "      " + text_.multiply(sum(i, j), "a" + std::to_string(i), "b" + std::to_string(j)) + "\n";
    return text;
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
    std::string text = "$BEFORE$  for (int pass = 0; pass < " + parts + "; ++pass) {\n    barrier();\n";
    for (int i = 0; i < own_; ++i) {
      text += "    if (pass == " + std::to_string(i) + ") {\n";
      for (int j = 0; j < own_; ++j)
        text += "      a_tile[row * tile + " + at("column", j) + "] = " + sum(i, j) + ";\n";
      text += "    }\n";
    }
    return text +
           fill(kEpilogue, {{"ROW", own_ >= 4 ? "pass / 4 * 64 + line * 4 + pass % 4" : "line * " + parts + " + pass"},
                            {"KEEP", keep_ ? kKeep : ""}});
  }

  const Dtype t_;
  const ProductKind kind_;
  const bool split_;  // no epilogue then
  const int own_;     // elements of an invocation along each axis
  const bool keep_;
  ProductText text_;
};

// Matrix units wait while their workgroup computes something else; more than this is better done by a kernel after
// them.
constexpr int kLight = 50;

}  // namespace

// An epilogue that is worth being in the shader of the matrix units. Every f16 of a shader for bfloat16 is a bfloat16.
FusedEpilogue light_epilogue(const FusedEpilogue& fused, Dtype type) {
  const bool halves = fused.function && type == bfloat16 && !fused.function->prelude.half_modes().empty();
  return fused.work > kLight || halves ? FusedEpilogue() : fused;
}

namespace {

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
  const bool matrices = (t == float16 ? f.matrix16 : t == bfloat16 && f.matrix_bfloat16) && f.shared_bytes >= 32768;
  const MatrixProduct units{t, t == float16 && f.matrix_narrow, light_epilogue(fused, t)};
  std::vector<Shader> shaders;
  const auto add = [&](std::vector<Shader> forms) {
    for (Shader& shader : forms) shaders.push_back(std::move(shader));
  };
  const auto add_few_rows = [&](const FusedPrologue& computed) {
    if (matrices && f.shared_bytes >= kFewMatrixShared) add(few_rows_by_matrices(s, units, computed));
    add(few_rows_products(s, t, fused, computed));
  };
  if (const FusedPrologue computed = fuse_prologue(s, 1); computed.function) add_few_rows(computed);
  add_few_rows({});
  if (f.ptx && t.size == 2) add(ptx_products(s, t));
  if (matrices) add(matrix_products(s, units));
  const bool deep = t == float32 && f.shared_bytes >= kDeepShared;
  if (deep) add(deep_products(s, fused));
  shaders.push_back(ProductWriter(t, ProductKind::Large, f, fused).run(s.name(), s.number));
  if (t.size == 8) {
    ProductWriter parts(t, ProductKind::Large, f, FusedEpilogue(), true);
    add(with_sums(s, t, ProductKind::Large, parts.sizes(), fused, parts.run(s.name() + "_split", s.number)));
  }
  if (t.size < 8 && !deep)
    shaders.push_back(ProductWriter(t, ProductKind::Medium, f, fused).run(s.name() + "_medium", s.number));
  shaders.push_back(ProductWriter(t, ProductKind::Small, f, fused).run(s.name() + "_small", s.number));
  return shaders;
}

const RegisterRoutineShaders shaders(ir::kMatmul, emit_product);

}  // namespace

}  // namespace frit::codegen::glsl
