// Text that the shaders of a matrix product share: their arguments, the place of a workgroup's tile, and how elements
// come from memory, are multiplied and are stored.
#include <set>

#include "codegen/glsl/products/product.h"

namespace frit::codegen::glsl {

const char* const kProductArguments =
    R"(layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t a, b, c;
  int64_t m, n, k, a_row, a_column, b_row, b_column;
  int64_t sizes[4], a_steps[4], b_steps[4];
$MORE$$ARGUMENTS$};
layout(push_constant, std430) uniform Push { Arguments args; };
)";

const char* const kMatrixUnits = R"(#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#extension GL_NV_cooperative_matrix : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
)";

const char* const kBatch =
    R"(  if (int64_t(batch) >= args.sizes[0] * args.sizes[1] * args.sizes[2] * args.sizes[3]) return;
  const uint64_t c_base = args.c + uint64_t(batch) * uint64_t(m * n) * $SIZE$UL;
  int64_t a_offset = 0L, b_offset = 0L;
  if (batch != 0u)
    for (int i = 3; i >= 0; --i) {
      const uint size = uint(args.sizes[i]), next = batch / size;
      a_offset += int64_t(batch - next * size) * args.a_steps[i];
      b_offset += int64_t(batch - next * size) * args.b_steps[i];
      batch = next;
    }
  $STEPS$  const uint64_t a_base = args.a + uint64_t(a_offset) * $SIZE$UL, b_base = args.b + uint64_t(b_offset) * $SIZE$UL;
)";

const char* const kShiftedWords =
    R"(// The address of word w of the five around eight elements at an address that is a multiple of 2; of those that hold none
// of the first `count`, another one that is there.
uint64_t word_at(uint64_t at, int w, int count, uint64_t there) {
  const int odd = int(uint(at) >> 1) & 1;
  return count > 0 && 2 * w - odd < count ? (at & ~3UL) + uint64_t(4 * w) : there & ~3UL;
}
// The first `count` of the eight elements.
uvec4 shifted(uint around[5], uint64_t at, int count) {
  const bool odd = (uint(at) & 2u) != 0u;
  uvec4 words;
  [[unroll]] for (int i = 0; i < 4; ++i) {
    words[i] = odd ? around[i] >> 16 | around[i + 1] << 16 : around[i];
    if (2 * i + 1 >= count) words[i] &= 2 * i >= count ? 0u : 0xffffu;
  }
  return words;
}
)";

const char* const kPartLoads =
    R"(// Loads part i of eight elements, of which `count` are there. Nothing is done to what was loaded, nor on a condition: it
// would be waited for.
#define LOAD_PART(part, around, i, at, count, there) { \
  const int inside = count; \
  const uint64_t from = at; \
  if (whole) part[i] = Words(from).data; \
  else if (aligned) part[i] = Words(inside > 0 ? from : there).data; \
  else { \
    [[unroll]] for (int w = 0; w < 5; ++w) around[i * 5 + w] = Word(word_at(from, w, inside, there)).data; \
  } \
}
// The elements of such a part, zeros for those that are not there.
#define PART_OF(words, part, around, i, at, count) { \
  words = part[i]; \
  const int inside = count; \
  if (!whole && aligned && inside <= 0) words = uvec4(0u); \
  if (!whole && !aligned) { \
    uint five[5]; \
    [[unroll]] for (int w = 0; w < 5; ++w) five[w] = around[i * 5 + w]; \
    words = shifted(five, at, inside); \
  } \
}
)";

const char* const kPlace =
    R"(  // Of 32 bits: a device's memory holds fewer tiles than that, and divisions in 64 bits are slow.
  uint group = flat_group();
  const uint columns = uint(uint64_t(n + $TN$ - 1) / $TN$UL), rows = uint(uint64_t(m + $TM$ - 1) / $TM$UL);
$SPLIT$  uint batch = group / (columns * rows);
  group -= batch * columns * rows;
$PART$$BATCH$  // Tiles in bands of eight rows, so that what runs at once reads the same parts of both operands.
  const uint band = group / (8u * columns), first = band * 8u, height = min(rows - first, 8u);
  const uint inside = group - band * 8u * columns, across = inside / height;
  const int64_t i0 = int64_t(first + inside - across * height) * $TM$, j0 = int64_t(across) * $TN$;
)";

std::map<std::string, std::string> whole_words() {
  return {{"SPLIT", ""}, {"PART", ""}, {"STEPS", ""}, {"K", "args.k"}, {"MORE", ""}};
}

std::map<std::string, std::string> part_words(size_t bytes) {
  return {{"SPLIT",
           R"(  const uint all = columns * rows * uint(args.sizes[0] * args.sizes[1] * args.sizes[2] * args.sizes[3]);
  const uint split = group / all;
  group -= split * all;
  const int64_t k_first = int64_t(split) * args.each;
  if (k_first >= args.k) return;
)"},
          {"PART",
           "  const uint64_t part_base = args.c + (uint64_t(split * (all / (columns * rows)) + batch) * uint64_t(m) * "
           "uint64_t(args.pitch)) * " +
               std::to_string(bytes) + "UL;\n"},
          {"STEPS", "  a_offset += k_first * args.a_column;\n  b_offset += k_first * args.b_row;\n"},
          {"K", "min(args.each, args.k - k_first)"},
          {"MORE", "  int64_t each, pitch;\n"}};
}

ProductText::ProductText(Dtype t, const runtime::GpuFeatures& features, const FusedEpilogue& fused,
                         const FusedPrologue& computed)
    : compute(is_complex(t)  ? "vec2"
              : t == float64 ? "double"
                             : "float"),
      storage(t.size() == 2 ? "uint16_t" : compute),
      t_(t),
      fused_fma_(features.fused_fma),
      keep_(fused.keep),
      epilogue_(fused.function ? &*fused.function : nullptr),
      prologue_(computed.function ? &*computed.function : nullptr),
      prelude_(epilogue_ ? epilogue_->prelude : Prelude(features.converts16)) {
  if (prologue_) prelude_.use_all_of(prologue_->prelude);
  if (!is_low_precision(t)) return;
  from = cast_expression(prelude_, float32, t, "uint(x)");
  element = cast_expression(prelude_, t, float32, "sum");
  stored = "uint16_t(" + element + ")";
}

std::string ProductText::part(const std::string& words, const std::string& bit) {
  if (is_low_precision(t_))
    return cast_expression(prelude_, float32, t_, "bitfieldExtract(" + words + ", " + bit + ", 16)");
  return (t_ == float64 ? "packDouble2x32(" : "uintBitsToFloat(") + words + ")";
}

std::string ProductText::multiply(const std::string& sum, const std::string& a, const std::string& b) const {
  if (is_complex(t_))
    return sum + " += vec2(" + a + ".x * " + b + ".x - " + a + ".y * " + b + ".y, " + a + ".x * " + b + ".y + " + a +
           ".y * " + b + ".x);";
  return sum + (fused_fma_ ? " = fma(" + a + ", " + b + ", " + sum + ");" : " += " + a + " * " + b + ";");
}

// The epilogue of an invocation's only element.
constexpr const char* kOneEpilogue = R"(  $POSITION$ places[1];
  $ELEMENT$ elements[1];
  bool there[1];
  places[0] = $POSITION$($NUMBER$);
  elements[0] = $SUM$;
  there[0] = mine;
  epilogue(places, elements, there);
)";

std::string ProductText::one_element(const std::string& result, const std::string& number) const {
  const std::string store =
      "  if (mine) Element(" + result + " + uint64_t(" + number + ") * $SIZE$UL).data = $STORED$;\n";
  return (!epilogue_ || keep_ ? store : "") + (epilogue_ ? fill(kOneEpilogue, {{"NUMBER", number}}) : "");
}

namespace {

// The lines of a text, each where it stands first: declarations of types and modes that several functions need.
std::string lines_once(const std::string& text) {
  std::set<std::string_view> known;
  std::string once;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin) + 1;
    const std::string_view line(text.data() + begin, end - begin);
    if (known.insert(line).second) once += line;
    begin = end;
  }
  return once;
}

}  // namespace

std::string ProductText::fill_in(std::string text, const std::map<std::string, std::string>& own) const {
  std::string extensions = t_.size() == 2 ? "#extension GL_EXT_shader_16bit_storage : require\n" : "";
  std::string functions = prelude_.text(), before, references = prelude_.half_modes(), arguments;
  const auto take = [&](const auto& function) {
    for (const std::string& e : function.extensions) extensions += "#extension " + e + " : require\n";
    references += function.references;
    arguments += function.arguments;
  };
  if (prologue_) {
    take(*prologue_);
    functions += prologue_->functions;
  }
  if (epilogue_) {
    take(*epilogue_);
    functions += "const int parts = $PARTS$;\n" + epilogue_->function;
    before = "  const uint64_t before = (c_base - args.c) / $SIZE$UL;\n";
  }
  text = fill(fill(std::move(text), {{"DECLARED", kProductArguments}, {"PLACE", kPlace}}), {{"BATCH", kBatch}});
  text = fill(std::move(text), {{"PRELUDE", functions}, {"BEFORE", before}});
  text = fill(fill(std::move(text), own), whole_words());
  return fill(std::move(text), {{"EXTENSIONS", extensions},
                                {"REFERENCES", lines_once(references)},
                                {"ARGUMENTS", arguments},
                                {"FETCHED", prologue_ ? "Fetched" : "uvec4"},
                                {"FETCH", prologue_ ? "fetched" : "read_words"},
                                {"WORDS", prologue_ ? "words_of" : ""},
                                {"POSITION", epilogue_ ? epilogue_->position : ""},
                                {"ELEMENT", epilogue_ ? epilogue_->element : ""},
                                {"SIZE", std::to_string(t_.size())},
                                {"STORAGE", storage},
                                {"COMPUTE", compute},
                                {"FROM", from},
                                {"SUM", element},
                                {"STORED", stored}});
}

}  // namespace frit::codegen::glsl
