// Library routines as shaders: products of matrices.
//
// A workgroup of 16 by 16 invocations computes a tile of the result. For each 16 steps along k it moves a tile of both
// operands to shared memory, where they lie along k, and every invocation multiplies what its own rows and columns
// need; the next tiles are read from memory meanwhile. Sums run along k in order, in float32 for low-precision types.
//
// What is fused behind a product is applied to its elements before they are stored. They pass through shared memory, a
// part of the tile at a time, so that the text is there once and neighbours in memory belong to neighbouring
// invocations.
#include "codegen/glsl/routine.h"

#include <algorithm>

#include "ir/routines/matmul.h"

namespace frit::codegen::glsl {

std::string fill(std::string text, const std::map<std::string, std::string>& words) {
  for (const auto& [name, value] : words) {
    const std::string mark = "$" + name + "$";
    for (size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += value.size())
      text.replace(at, mark.size(), value);
  }
  return text;
}

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

// How an invocation's `own` rows (or columns) lie in the tile: in fours, a quarter of the invocations' reach apart.
std::string place(const std::string& number, int i) {
  return std::to_string(i / 4 * 64) + " + " + number + " * 4 + " + std::to_string(i % 4);
}

Shader product(Dtype t, const std::string& name, ProductKind kind, size_t step, const runtime::GpuFeatures& features,
               const Behind& behind) {
  const int own = kind == ProductKind::Small ? 2 : t.size == 8 ? 4 : 8;  // elements of an invocation along each axis
  Shader shader;
  Prelude prelude = behind.epilogue ? behind.epilogue->prelude : Prelude();
  const bool complex = is_complex(t);
  const std::string compute = complex ? "vec2" : t == float64 ? "double" : "float";
  const int tile = kSide * own, unit = 16 / t.size, per = tile * kDepth / 256;
  // In fours where there are four: 16-byte accesses of shared memory.
  auto at = [&](const std::string& number, int i) {
    return own >= 4 ? place(number, i) : number + " * " + std::to_string(own) + " + " + std::to_string(i);
  };

  std::string from = "x", unpack, to = "sum", element = "sum";  // as they are stored, and as the epilogue takes them
  auto unpack_line = [&](int j, const std::string& e) {
    unpack += "      values[" + std::to_string(j) + "] = " + e + "; \\\n";
  };
  const char* parts[] = {"w.x", "w.y", "w.z", "w.w"};
  std::string storage = complex ? "vec2" : t == float64 ? "double" : t == float32 ? "float" : "uint16_t";
  if (is_low_precision(t)) {
    from = cast_expression(prelude, float32, t, "uint(x)");
    for (int j = 0; j < 8; ++j)
      unpack_line(j, cast_expression(
                         prelude, float32, t,
                         std::string("bitfieldExtract(") + parts[j / 2] + ", " + std::to_string(j % 2 * 16) + ", 16)"));
    element = cast_expression(prelude, t, float32, "sum");
    to = "uint16_t(" + element + ")";
  } else if (t == float32) {
    for (int j = 0; j < 4; ++j) unpack_line(j, std::string("uintBitsToFloat(") + parts[j] + ")");
  } else if (t == float64) {
    unpack_line(0, "packDouble2x32(w.xy)");
    unpack_line(1, "packDouble2x32(w.zw)");
  } else {
    unpack_line(0, "uintBitsToFloat(w.xy)");
    unpack_line(1, "uintBitsToFloat(w.zw)");
  }

  std::string sums, multiply, store;
  for (int i = 0; i < own; ++i)
    for (int j = 0; j < own; ++j)
      sums += "  " + compute + " c" + std::to_string(i) + "_" + std::to_string(j) + " = " + compute + "(0);\n";
  for (int i = 0; i < own; ++i)
    multiply += "      " + compute + " a" + std::to_string(i) + " = a_tile[s * (tile + 4) + " + at("row", i) + "];\n";
  for (int j = 0; j < own; ++j)
    multiply +=
        "      " + compute + " b" + std::to_string(j) + " = b_tile[s * (tile + 4) + " + at("column", j) + "];\n";
  for (int i = 0; i < own; ++i)
    for (int j = 0; j < own; ++j) {
      std::string a = "a" + std::to_string(i), b = "b" + std::to_string(j),
                  c = "c" + std::to_string(i) + "_" + std::to_string(j);
      multiply += "      " + c +
                  (complex ? " += vec2(" + a + ".x * " + b + ".x - " + a + ".y * " + b + ".y, " + a + ".x * " + b +
                                 ".y + " + a + ".y * " + b + ".x);\n"
                   : features.fused_fma ? " = fma(" + a + ", " + b + ", " + c + ");\n"
                                        : " += " + a + " * " + b + ";\n");
    }
  if (behind.epilogue) {
    const std::string size = std::to_string(t.size), parts = std::to_string(own);
    const std::string line = own >= 4 ? "pass / 4 * 64 + line * 4 + pass % 4" : "line * " + parts + " + pass";
    store = "  const uint64_t before = (c_base - args.c) / " + size + "UL;\n";
    store += "  for (int pass = 0; pass < " + parts + "; ++pass) {\n    barrier();\n";
    for (int i = 0; i < own; ++i) {
      store += "    if (pass == " + std::to_string(i) + ") {\n";
      for (int j = 0; j < own; ++j)
        store += "      a_tile[row * tile + " + at("column", j) + "] = c" + std::to_string(i) + "_" +
                 std::to_string(j) + ";\n";
      store += "    }\n";
    }
    const Epilogue& epilogue = *behind.epilogue;
    store += "    barrier();\n    " + epilogue.position + " places[parts];\n    " + epilogue.element +
             " elements[parts];\n    bool there[parts];\n";
    store += "    [[unroll]] for (int e = 0; e < parts; ++e) {\n";
    store += "      const int number = me + e * 256, line = number / tile;\n";
    store += "      const int64_t i = i0 + " + line + ", j = j0 + number % tile;\n";
    store += "      const " + compute + " sum = a_tile[number];\n";
    store += "      there[e] = i < m && j < n;\n      places[e] = " + epilogue.position +
             "(before + uint64_t(i * n + j));\n";
    store += "      elements[e] = " + element + ";\n";
    if (behind.keep)
      store += "      if (there[e]) Element(c_base + uint64_t(i * n + j) * " + size + "UL).data = " + to + ";\n";
    store += "    }\n    epilogue(places, elements, there);\n  }\n";
  }
  for (int i = 0; i < own && !behind.epilogue; ++i)
    for (int j = 0; j < own; ++j)
      store += "  PUT(" + at("row", i) + ", " + at("column", j) + ", c" + std::to_string(i) + "_" + std::to_string(j) +
               ")\n";
  std::string put =
      "#define PUT(i, j, sum) if (i0 + (i) < m && j0 + (j) < n) Element(c_base + uint64_t((i0 + (i)) * n + j0 + (j)) * " +
      std::to_string(t.size) + "UL).data = " + to + ";\n";
  if (behind.epilogue) put = "const int parts = " + std::to_string(own) + ";\n" + behind.epilogue->function;
  std::string extensions = t.size == 2 ? "#extension GL_EXT_shader_16bit_storage : require\n" : "";
  if (behind.epilogue)
    for (const std::string& e : behind.epilogue->extensions) extensions += "#extension " + e + " : require\n";
  shader.text =
      fill(fill(kText, {{"PLACE", kPlace}}), {{"EXTENSIONS", extensions},
                                              {"SIZE", std::to_string(t.size)},
                                              {"STORAGE", storage},
                                              {"COMPUTE", compute},
                                              {"REFERENCES", behind.epilogue ? behind.epilogue->references : ""},
                                              {"ARGUMENTS", behind.epilogue ? behind.epilogue->arguments : ""},
                                              {"PRELUDE", prelude.text() + put},
                                              {"TILE", std::to_string(tile)},
                                              {"TM", std::to_string(tile)},
                                              {"TN", std::to_string(tile)},
                                              {"UNIT", std::to_string(unit)},
                                              {"PER", std::to_string(per)},
                                              {"WIDE", per >= unit ? "aligned" : "false"},
                                              {"FROM", from},
                                              {"UNPACK", unpack},
                                              {"SUMS", sums},
                                              {"MULTIPLY", multiply},
                                              {"STORE", store}});
  shader.kernel.name = name;
  shader.kernel.group_size = 256;
  shader.kernel.routine = product_form(kind, step, t.size, tile, tile);
  shader.kernel.routine->epilogue = behind.epilogue != nullptr;
  return shader;
}

// Matrix units wait while their workgroup computes something else; more than this is better done by a kernel after
// them.
constexpr int kLight = 50;

// Instructions for an element, where rounding to 16 bits takes a dozen.
int work_of(const ir::Kernel& kernel) {
  int work = 0;
  if (const ir::Loop* loop = ir::parallel_loop(kernel))
    for (const ir::Instr& i : loop->body)
      if (auto* s = std::get_if<ir::ScalarInstr>(&i.node))
        if (s->op != ir::ScalarOp::Const) work += s->op == ir::ScalarOp::Cast && is_low_precision(s->type) ? 12 : 1;
  return work;
}

bool is_used_elsewhere(const ir::Program& program, size_t number, uint32_t buffer) {
  auto has = [&](const std::vector<ir::Window>& windows) {
    return std::any_of(windows.begin(), windows.end(), [&](const ir::Window& w) { return w.buffer == buffer; });
  };
  auto among = [&](const std::vector<uint32_t>& all) { return std::find(all.begin(), all.end(), buffer) != all.end(); };
  if (has(program.results)) return true;
  for (size_t i = 0; i < program.steps.size(); ++i) {
    if (i == number) continue;
    if (const auto* kernel = std::get_if<ir::KernelStep>(&program.steps[i])) {
      if (among(kernel->buffers)) return true;
      continue;
    }
    const auto& library = std::get<ir::LibraryStep>(program.steps[i]);
    if (has(library.operands) || has(library.results) || (library.epilogue && among(library.epilogue->buffers)))
      return true;
  }
  return false;
}

}  // namespace

Result<std::vector<Shader>> emit_routine(const ir::Program& program, size_t number,
                                         const runtime::GpuFeatures& features, bool comments) {
  const auto& step = std::get<ir::LibraryStep>(program.steps[number]);
  const std::string name = "routine" + std::to_string(number);
  const Dtype t = step.dtypes.back();
  auto refuse = [&](const std::string& why, const std::string& cure = {}) {
    return Diagnostic("op '" + std::string(step.routine->name) + "' of " + std::string(long_name(t)) +
                          " has no form for this gpu: " + why,
                      {}, cure + "run the function on the cpu");
  };
  if (step.routine != &ir::kMatmul) return refuse("only products of matrices have one");
  if (!is_inexact(t)) return refuse("only products of floats and complex numbers have one");
  if (!features.int64) return refuse("it has no shaderInt64");
  if (t == float64 && !features.float64) return refuse("it has no shaderFloat64", "cast to float32, or ");
  if (t.size == 2 && !features.storage16)
    return refuse("it has no storageBuffer16BitAccess", "cast to float32 on the cpu first, or ");
  if (features.group_size < 256) return refuse("its workgroups are smaller than 256 invocations");
  std::vector<Shader> shaders;
  std::optional<Epilogue> epilogue;
  Behind behind;
  bool heavy = false;
  if (step.epilogue && !is_complex(t)) {
    const std::vector<uint32_t>& buffers = step.epilogue->buffers;
    const auto raw =
        static_cast<uint32_t>(std::find(buffers.begin(), buffers.end(), step.results[0].buffer) - buffers.begin());
    const ir::Kernel& kernel = program.kernels[step.epilogue->kernel];
    heavy = work_of(kernel) > kLight;
    if (raw < buffers.size()) epilogue = KernelEmitter(kernel, features, comments).run_epilogue(raw);
    if (epilogue)
      behind = {&*epilogue, !kernel.buffers[raw].written && is_used_elsewhere(program, number, step.results[0].buffer)};
  }
  // In the order in which a launch tries them.
  if (t == float16 && features.matrix16 && features.group_size >= 512 && features.shared_bytes >= 32768)
    shaders.push_back(matrix_product(name + "_matrix", number, heavy ? Behind() : behind));
  shaders.push_back(product(t, name, ProductKind::Large, number, features, behind));
  shaders.push_back(product(t, name + "_small", ProductKind::Small, number, features, behind));
  return shaders;
}

}  // namespace frit::codegen::glsl
