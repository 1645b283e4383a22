// Products of matrices as shaders.
//
// A workgroup computes a tile of the result. For some steps along k it moves a tile of both operands to shared memory,
// where they lie along k, and every invocation multiplies the elements of its own rows and columns; loads of later
// tiles are under way meanwhile. Sums are of float32 for low-precision types. In small tiles, teams of invocations
// share the steps of a tile of the operands, and their sums are added in a fixed order: small products wait for memory
// more than they compute, so they load many steps at once.
//
// Whether operands lie side by side along k or across it, and whether 16-byte loads take them, are constants of the
// pipeline. Loads beyond an operand's lines read its last ones, whose sums are not stored; steps beyond its end are
// zero.
//
// An epilogue is applied to the elements before they are stored. They pass through shared memory, so that the text is
// there once and neighbours in memory belong to neighbouring invocations.
#include <functional>

#include "codegen/glsl/products/product.h"
#include "ir/routines/matmul.h"

namespace frit::codegen::glsl {

namespace {

constexpr const char* kText = R"($EXTENSIONS$$REFERENCES$layout(local_size_x = $THREADS$) in;
layout(constant_id = 0) const bool a_columns = false;
layout(constant_id = 1) const bool b_columns = false;
layout(constant_id = 2) const bool a_aligned = false;
layout(constant_id = 3) const bool b_aligned = false;
layout(buffer_reference, std430, buffer_reference_align = $SIZE$) buffer Element { $STORAGE$ data; };
layout(buffer_reference, std430, buffer_reference_align = 16) readonly restrict buffer Words { uvec4 data; };
layout(buffer_reference, std430, buffer_reference_align = $PART_SIZE$) buffer Sum { $COMPUTE$ data; };
$DECLARED$$PRELUDE$
const int tile = $TILE$, depth = $DEPTH$, threads = $THREADS$, side = $SIDE$, teams = $TEAMS$;
// Elements of a 16-byte load, and those that an invocation loads of each operand.
const int unit = $UNIT$, per = tile * depth / threads, loads = per < unit ? 1 : per / unit;
const bool a_wide = a_aligned && per >= unit, b_wide = b_aligned && per >= unit;
const int pitch = tile + 4;
shared $COMPUTE$ a_tile[depth * pitch], b_tile[depth * pitch];
#define FROM_MEMORY(x) ($FROM$)
// The line and the step of load `number`. Along k, neighbours read 32 bytes of a line, so that the banks of shared memory
// that they write differ.
ivec2 place_of(int number, int size, bool along_k) {
  const int beside = max(32 / ($SIZE$ * size), 1);
  return along_k ? ivec2(number / beside % tile, (number / (beside * tile) * beside + number % beside) * size)
                 : ivec2(number % (tile / size) * size, number / (tile / size));
}
// A tile of `lines` rows or columns from `first` on and steps from k0 on. `line` and `step` are strides.
#define FETCH(words, part, wide, along_k, base, lines, first, line, step, k0) { \
  const int rest = int(min(k - k0, int64_t(depth))); \
  const uint64_t from = base + uint64_t(k0 * step) * $SIZE$UL; \
  if (wide) { \
    [[unroll]] for (int i = 0; i < loads; ++i) { \
      const ivec2 p = place_of(me + i * threads, unit, along_k); \
      const int64_t l = min(first + p.x, lines - (along_k ? 1 : unit)); \
      words[i] = Words(from + uint64_t(l * line + min(p.y, rest - (along_k ? unit : 1)) * step) * $SIZE$UL).data; \
    } \
  } else { \
    [[unroll]] for (int i = 0; i < per; ++i) { \
      const ivec2 p = place_of(me + i * threads, 1, along_k); \
      const int64_t l = min(first + p.x, lines - 1); \
      part[i] = $RAW$(Element(from + uint64_t(l * line + min(p.y, rest - 1) * step) * $SIZE$UL).data); \
    } \
  } \
}
#define KEEP(where, words, part, wide, along_k, k0) { \
  const int rest = int(min(k - k0, int64_t(depth))); \
  if (wide) { \
    [[unroll]] for (int i = 0; i < loads; ++i) { \
      const ivec2 p = place_of(me + i * threads, unit, along_k); \
      const uvec4 w = words[i]; \
      $COMPUTE$ values[unit]; \
$UNPACK$      [[unroll]] for (int j = 0; j < unit; ++j) \
        where[(along_k ? p.y + j : p.y) * pitch + (along_k ? p.x : p.x + j)] = p.y < rest ? values[j] : $COMPUTE$(0); \
    } \
  } else { \
    [[unroll]] for (int i = 0; i < per; ++i) { \
      const ivec2 p = place_of(me + i * threads, 1, along_k); \
      where[p.y * pitch + p.x] = p.y < rest ? FROM_MEMORY(part[i]) : $COMPUTE$(0); \
    } \
  } \
}
// Loads have no conditions and no arithmetic around them, and no turn of the loop leaves values to the next one: drivers
// wait for loads at each of these.
#define FETCH_BOTH(k0) \
  FETCH(a_words, a_part, a_wide, !a_columns, a_base, m, i0, a_row, a_column, k0) \
  FETCH(b_words, b_part, b_wide, b_columns, b_base, n, j0, b_column, b_row, k0)
#define KEEP_BOTH(k0) \
  KEEP(a_tile, a_words, a_part, a_wide, !a_columns, k0) \
  KEEP(b_tile, b_words, b_part, b_wide, b_columns, k0) \
  barrier();
#define MULTIPLY \
  [[unroll]] for (int own_step = 0; own_step < depth / teams; ++own_step) { \
    const int s = own_step * teams + team; \
$MULTIPLY$  }
$FUNCTIONS$void main() {
  const int me = int(gl_LocalInvocationID.x), team = me / (side * side), row = me / side % side, column = me % side;
  const int64_t m = args.m, n = args.n;
$PLACE$  const int64_t k = $K$, a_row = args.a_row, a_column = args.a_column, b_row = args.b_row, b_column = args.b_column;
$SUMS$  if (k > 0L) {
    int64_t k0 = 0L;
    $RAW$ a_part[per], b_part[per];
    uvec4 a_words[loads], b_words[loads];
    FETCH_BOTH(k0)
    KEEP_BOTH(k0)
    for (k0 += depth; k0 < k; k0 += depth) {
      FETCH_BOTH(k0)
      MULTIPLY
      barrier();
      KEEP_BOTH(k0)
    }
    MULTIPLY
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
    "Sum(part_base + uint64_t((i0 + (i)) * args.pitch + j0 + (j)) * $PART_SIZE$UL).data = sum;\n";

// The sums of all teams, in the order (0 + 1) + (2 + 3), in the first operand's tile.
constexpr const char* kTeams = R"(#define AT(i, j) [(row * $OWN$ + (i)) * tile + column * $OWN$ + (j)]
  barrier();
  if (team == 1) {
$TO_A$  }
  if (team == 3) {
$TO_B$  }
  barrier();
  if (team == 0) {
$ADD_A$  }
  if (team == 2) {
$ADD_B$$TO_B$  }
  barrier();
  if (team == 0) {
$ADD_B$$TO_A$  }
  barrier();
)";

// Elements that lie in shared memory, neighbours beside each other.
constexpr const char* kPutAll = R"(  [[unroll]] for (int e = 0; e < tile * tile / threads; ++e) {
    const int number = me + e * threads;
    const $COMPUTE$ all = a_tile[number];
    PUT(number / tile, number % tile, all)
  }
)";

// The elements of a pass, whose sums lie in shared memory.
constexpr const char* kEpilogue = R"(    barrier();
    $POSITION$ places[parts];
    $ELEMENT$ elements[parts];
    bool there[parts];
    [[unroll]] for (int e = 0; e < parts; ++e) {
      const int number = me + e * threads, line = number / tile;
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

constexpr uint32_t kSmallShared = 18432;  // bytes of shared memory of the small tile

// A tile of the result, and how a workgroup computes it.
struct PlainTile {
  int lines, own;  // of the tile along each axis, and of an invocation
  int depth;       // steps along k of the operands' tiles
  int teams = 1;   // that share these steps
  int side() const { return lines / own; }
  int threads() const { return side() * side() * teams; }
};

PlainTile plain_tile(ProductKind kind, Dtype t, uint32_t shared_bytes) {
  if (kind == ProductKind::Small) {
    if (shared_bytes < kSmallShared) return {64, 4, 8};
    return {32, 4, t.size() == 8 ? 32 : 64, 4};
  }
  if (kind == ProductKind::Large && t.size() == 8) return {64, 8, 8};
  return kind == ProductKind::Medium ? PlainTile{64, 4, 16} : PlainTile{128, 8, 16};
}

// Writes the form for plain multiplications.
class ProductWriter {
 public:
  ProductWriter(Dtype t, ProductKind kind, const runtime::GpuFeatures& features, const FusedEpilogue& fused,
                bool split = false)
      : t_(t),
        kind_(kind),
        split_(split),
        tile_(plain_tile(kind, t, features.shared_bytes)),
        keep_(fused.keep),
        text_(t, features, fused) {}

  FormSizes sizes() const {
    return {.element_bytes = t_.size(),
            .tile_rows = tile_.lines,
            .tile_columns = tile_.lines,
            .depth = tile_.depth,
            .split = split_};
  }

  Shader run(const std::string& name, size_t step) {
    const auto number = [](int v) { return std::to_string(v); };
    const int unit = 16 / t_.size();
    const std::string unpacked = unpack(unit);
    const size_t part_size = std::max<size_t>(t_.size(), 4);
    std::map<std::string, std::string> words = split_ ? part_words(part_size) : whole_words();
    words.insert({{"PARTS", number(parts())},
                  {"PART_SIZE", std::to_string(part_size)},
                  {"TILE", number(tile_.lines)},
                  {"TM", number(tile_.lines)},
                  {"TN", number(tile_.lines)},
                  {"DEPTH", number(tile_.depth)},
                  {"THREADS", number(tile_.threads())},
                  {"SIDE", number(tile_.side())},
                  {"TEAMS", number(tile_.teams)},
                  {"OWN", number(tile_.own)},
                  {"UNIT", number(unit)},
                  {"UNPACK", unpacked},
                  {"SUMS", sums()},
                  {"RAW", t_.size() == 2 ? "uint" : text_.compute},
                  {"MULTIPLY", multiply()}});
    const char* put = split_ ? kPutPart : text_.epilogue() ? "" : kPut;
    std::string end = text_.epilogue() ? store_through_epilogue() : tile_.teams > 1 ? kPutAll : store();
    if (tile_.teams > 1) end = teams() + end;
    Shader shader;
    shader.text = text_.fill_in(fill(kText, {{"FUNCTIONS", put}, {"STORE", end}}), words);
    shader.kernel.name = name;
    shader.kernel.group_size = static_cast<uint32_t>(tile_.threads());
    shader.kernel.routine = product_form(kind_, sizes(), step);
    shader.kernel.routine->epilogue = text_.epilogue() != nullptr;
    return shader;
  }

 private:
  // Elements of an invocation that the epilogue takes at once.
  int parts() const { return tile_.teams > 1 ? tile_.lines * tile_.lines / tile_.threads() : tile_.own; }

  // The elements of a word of 16 bytes.
  std::string unpack(int unit) {
    std::string text;
    for (int j = 0; j < unit; ++j) {
      const std::string at = std::to_string(t_.size() == 2 ? j / 2 : j);
      const std::string words = t_.size() == 8 ? (j ? "w.zw" : "w.xy") : std::string("w.") + "xyzw"[std::stoi(at)];
      text += "      values[" + std::to_string(j) + "] = " + text_.part(words, std::to_string(j % 2 * 16)) + "; \\\n";
    }
    return text;
  }

  // Where element `i` of an invocation's own lies in the tile. In fours, the invocations' reach apart: 16-byte accesses
  // of shared memory.
  std::string at(const std::string& number, int i) const {
    return std::to_string(i / 4 * tile_.side() * 4) + " + " + number + " * 4 + " + std::to_string(i % 4);
  }
  static std::string sum(int i, int j) { return "c" + std::to_string(i) + "_" + std::to_string(j); }
  // `body` of each of an invocation's sums.
  std::string each_sum(const std::function<std::string(int, int)>& body) const {
    std::string text;
    for (int i = 0; i < tile_.own; ++i)
      for (int j = 0; j < tile_.own; ++j) text += body(i, j) + "\n";
    return text;
  }

  std::string sums() const {
    return each_sum(
        [&](int i, int j) { return "  " + text_.compute + " " + sum(i, j) + " = " + text_.compute + "(0);"; });
  }

  std::string multiply() const {
    std::string text;
    for (int i = 0; i < tile_.own; ++i)
      text += "    " + text_.compute + " a" + std::to_string(i) + " = a_tile[s * pitch + " + at("row", i) + "]; \\\n";
    for (int j = 0; j < tile_.own; ++j)
      text +=
          "    " + text_.compute + " b" + std::to_string(j) + " = b_tile[s * pitch + " + at("column", j) + "]; \\\n";
    return text + each_sum([&](int i, int j) {
             return "    " + text_.multiply(sum(i, j), "a" + std::to_string(i), "b" + std::to_string(j)) + " \\";
           });
  }

  std::string store() const {
    return each_sum(
        [&](int i, int j) { return "  PUT(" + at("row", i) + ", " + at("column", j) + ", " + sum(i, j) + ")"; });
  }

  std::string teams() const {
    const auto place = [](const char* tile, int i, int j) {
      return std::string(tile) + "_tile AT(" + std::to_string(i) + ", " + std::to_string(j) + ")";
    };
    const auto to = [&](const char* tile) {
      return each_sum([&, tile](int i, int j) { return "    " + place(tile, i, j) + " = " + sum(i, j) + ";"; });
    };
    const auto add = [&](const char* tile) {
      return each_sum([&, tile](int i, int j) { return "    " + sum(i, j) + " += " + place(tile, i, j) + ";"; });
    };
    return fill(kTeams, {{"TO_A", to("a")}, {"TO_B", to("b")}, {"ADD_A", add("a")}, {"ADD_B", add("b")}});
  }

  // Sums pass through shared memory to the epilogue, a part of the tile at a time where they are an invocation's own.
  std::string store_through_epilogue() const {
    const std::string keep = keep_ ? kKeep : "";
    if (tile_.teams > 1) return "$BEFORE$  {\n" + fill(kEpilogue, {{"ROW", "line"}, {"KEEP", keep}});
    const std::string passes = std::to_string(tile_.own);
    std::string text = "$BEFORE$  for (int pass = 0; pass < " + passes + "; ++pass) {\n    barrier();\n";
    for (int i = 0; i < tile_.own; ++i) {
      text += "    if (pass == " + std::to_string(i) + ") {\n";
      for (int j = 0; j < tile_.own; ++j)
        text += "      a_tile[row * tile + " + at("column", j) + "] = " + sum(i, j) + ";\n";
      text += "    }\n";
    }
    return text + fill(kEpilogue, {{"ROW", "pass / 4 * (side * 4) + line * 4 + pass % 4"}, {"KEEP", keep}});
  }

  const Dtype t_;
  const ProductKind kind_;
  const bool split_;  // no epilogue then
  const PlainTile tile_;
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
  if (t.size() == 2 && !f.storage16)
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
  if (f.ptx && !is_complex(t)) add(tile_products(s, t, fused.function.has_value()));
  if (f.ptx && t.size() == 2) add(ptx_products(s, t));
  if (matrices) add(matrix_products(s, units));
  const bool deep = t == float32 && f.shared_bytes >= kDeepShared;
  if (deep) add(deep_products(s, fused));
  shaders.push_back(ProductWriter(t, ProductKind::Large, f, fused).run(s.name(), s.number));
  if (t.size() == 8) {
    ProductWriter parts(t, ProductKind::Large, f, FusedEpilogue(), true);
    add(with_sums(s, t, parts_of(ProductKind::Large, parts.sizes()), fused, parts.run(s.name() + "_split", s.number)));
  }
  if (t.size() < 8 && !deep)
    shaders.push_back(ProductWriter(t, ProductKind::Medium, f, fused).run(s.name() + "_medium", s.number));
  ProductWriter parts(t, ProductKind::Small, f, FusedEpilogue(), true);
  add(with_sums(s, t, parts_of(ProductKind::Small, parts.sizes()), fused,
                parts.run(s.name() + "_small_split", s.number)));
  shaders.push_back(ProductWriter(t, ProductKind::Small, f, fused).run(s.name() + "_small", s.number));
  return shaders;
}

const RegisterRoutineShaders shaders(ir::kMatmul, emit_product);

}  // namespace

}  // namespace frit::codegen::glsl
