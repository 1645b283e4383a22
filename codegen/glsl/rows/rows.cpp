// Text and launch arguments of routines along rows.
#include "codegen/glsl/rows/rows.h"

#include <algorithm>

namespace frit::codegen::glsl {

namespace {

using Form = runtime::RoutineForm;

// Bits, as a device may take subnormal numbers for zeros.
constexpr const char* kFloatKey = R"($WORD$ float_key($WORD$ w) {
  const $WORD$ sign = $TOP$, magnitude = w & (sign - 1$U$);
  const $WORD$ all = sign | (sign - 1$U$), turned = (w & sign) != 0$U$ ? ~w & all : w | sign;
  return magnitude > $INFINITE$ ? all : magnitude == 0$U$ ? sign : turned;
}
$WORD$ key_of($WORD$ w) { return float_key(w); }
)";
constexpr const char* kComplexKey = R"(uint float_key(uint w) {
  const uint magnitude = w & 0x7fffffffu;
  if (magnitude == 0u) return 0x80000000u;
  return (w & 0x80000000u) != 0u ? ~w : w | 0x80000000u;
}
uint64_t key_of(uint64_t w) {
  const uint re = uint(w), im = uint(w >> 32);
  if ((re & 0x7fffffffu) > 0x7f800000u || (im & 0x7fffffffu) > 0x7f800000u) return ~0UL;
  return uint64_t(float_key(re)) << 32 | uint64_t(float_key(im));
}
)";
constexpr const char* kSignedKey = "$WORD$ key_of($WORD$ w) { return w ^ $TOP$; }\n";
constexpr const char* kPlainKey = "$WORD$ key_of($WORD$ w) { return w; }\n";

const char* key_text(Dtype t) {
  if (is_complex(t)) return kComplexKey;
  if (is_float(t)) return kFloatKey;
  return is_signed_int(t) ? kSignedKey : kPlainKey;
}

std::string top_bit(Dtype t) {
  return t.size() == 8 ? "0x8000000000000000UL" : t.size() == 4 ? "0x80000000u" : t.size() == 2 ? "0x8000u" : "0x80u";
}

std::string infinite(Dtype t) {
  if (t == float64) return "0x7ff0000000000000UL";
  return t == float32 ? "0x7f800000u" : t == float16 ? "0x7c00u" : "0x7f80u";
}

}  // namespace

const char* const kRowHead = R"($EXTENSIONS$layout(local_size_x = 256) in;
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t x, result;
  int64_t rows, n, wanted, stride;  // elements of a row, and of a row of the result
  int64_t sizes[4], steps[4];
$OWN$};
layout(push_constant, std430) uniform Push { Arguments args; };
// Most are small, and then this is several times as fast.
uint64_t quotient(uint64_t x, uint64_t y) { return ((x | y) >> 32) == 0UL ? uint64_t(uint(x) / uint(y)) : x / y; }
uint64_t this_group() { return uint64_t(flat_group()); }
// The first element of a row.
int64_t first_of(uint64_t row) {
  int64_t first = 0L;
  for (int i = 3; i >= 0 && row != 0UL; --i) {
    const uint64_t size = uint64_t(args.sizes[i]), next = quotient(row, size);
    first += int64_t(row - next * size) * args.steps[i];
    row = next;
  }
  return first;
}
)";

const char* const kRowKeys =
    R"(layout(buffer_reference, std430, buffer_reference_align = $SIZE$) buffer Element { $STORAGE$ data; };
layout(buffer_reference, std430, buffer_reference_align = $WORD_BYTES$) buffer Word { $WORD$ data; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Place { uint data; };
$KEY$)";

const char* const kRowBank = "uint bank(uint i) { return i ^ (i >> 5u & 7u); }\n";

std::map<std::string, std::string> row_words(Dtype t) {
  const bool wide = has_wide_words(t);
  std::string extensions;
  if (t.size() == 1) extensions = "#extension GL_EXT_shader_8bit_storage : require\n";
  if (t.size() == 2) extensions = "#extension GL_EXT_shader_16bit_storage : require\n";
  const std::map<std::string, std::string> words{{"EXTENSIONS", extensions},
                                                 {"SIZE", std::to_string(t.size())},
                                                 {"STORAGE", t.size() == 1   ? "uint8_t"
                                                             : t.size() == 2 ? "uint16_t"
                                                             : wide          ? "uint64_t"
                                                                             : "uint"},
                                                 {"WORD", wide ? "uint64_t" : "uint"},
                                                 {"WORD_BYTES", wide ? "8" : "4"},
                                                 {"U", wide ? "UL" : "u"},
                                                 {"BITS", std::to_string(8 * t.size())},
                                                 {"TOP", top_bit(t)},
                                                 {"INFINITE", is_float(t) ? infinite(t) : ""}};
  std::map<std::string, std::string> all = words;
  all["KEY"] = fill(key_text(t), words);
  return all;
}

bool has_rows_of(Dtype t, const runtime::GpuFeatures& f) {
  return f.int64 && f.group_size >= kRowThreads && (t.size() != 1 || f.storage8) && (t.size() != 2 || f.storage16);
}

void RowForm::kept() {
  operand();
  argument(memory());
  argument(form_number(runtime::RoutineForm::scratch_slot(2, 1)));
  argument(turn());
}

KeptParts kept_parts(int64_t n, int64_t part, int64_t k, int64_t most) {
  KeptParts parts{.left = n};
  for (; parts.left > most; ++parts.turns) {
    parts.left = parts.left / part * k + std::min(parts.left % part, k);
    if (parts.turns == 0) parts.first = parts.left;
  }
  return parts;
}

std::optional<int64_t> known_rows(const RoutineStep& s) {
  const auto& shape = s.step.operands[0].layout.shape;
  int64_t rows = 1;
  for (size_t i = 0; i + 1 < shape.size(); ++i) {
    if (!known(shape[i])) return std::nullopt;
    rows *= *known(shape[i]);
  }
  return rows;
}

RowForm::RowForm(const RoutineStep& s)
    : rows(form_number(Form::batch_slot(2))),
      n(known(s.step.operands[0].layout.shape.back()) ? s.step.operands[0].layout.shape.back()
                                                      : form_number(0, Form::kColumns)),
      length(form_number(1, Form::kColumns)) {
  form.step = static_cast<uint32_t>(s.number);
  form.windows = 2;
  form.own = {1, 1};
}

void RowForm::operand() {
  for (const Dim& d : {form_number(0, Form::kAddress), form_number(1, Form::kAddress), rows, n, length,
                       form_number(0, Form::kColumnStride)})
    argument(d);
  for (size_t i = 0; i < Form::kBatchAxes; ++i) argument(form_number(Form::size_slot(2, i)));
  for (size_t i = 0; i < Form::kBatchAxes; ++i) argument(form_number(0, Form::kSteps + i));
}

void RowForm::dense(const Dim& address, const Dim& size) {
  for (const Dim& d : {address, form_number(1, Form::kAddress), rows, size, length, Dim(1)}) argument(d);
  for (const Dim& d : {Dim(1), Dim(1), Dim(1), rows, Dim(0), Dim(0), Dim(0), size}) argument(d);
}

Dim power_above(const Dim& least, int64_t most) {
  Dim power = 1;
  for (int64_t p = 1; p < most; p *= 2) power += Dim(p) * exceeds(least, p);
  return power;
}

Dim logarithm_above(const Dim& least, int64_t most) {
  Dim count = 0;
  for (int64_t p = 1; p < most; p *= 2) count += exceeds(least, p);
  return count;
}

}  // namespace frit::codegen::glsl
