// The functions that emitted files bring along. A name says its types, so that one table of texts serves all of them.
#include <algorithm>
#include <cstdio>

#include "codegen/c/scalar.h"

namespace frit::codegen::c {
namespace {

struct Row {
  std::string_view name;
  std::string_view needs;  // functions that it calls, with a blank between them
  std::string_view text;
};

constexpr Row kRows[] = {
    {"frit_bits_f32", "", R"(
static inline uint32_t frit_bits_f32(float x) {
  uint32_t u;
  memcpy(&u, &x, sizeof u);
  return u;
}
)"},
    {"frit_bits_f64", "", R"(
static inline uint64_t frit_bits_f64(double x) {
  uint64_t u;
  memcpy(&u, &x, sizeof u);
  return u;
}
)"},
    {"frit_f32_of", "", R"(
static inline float frit_f32_of(uint32_t u) {
  float x;
  memcpy(&x, &u, sizeof x);
  return x;
}
)"},
    {"frit_f64_of", "", R"(
static inline double frit_f64_of(uint64_t u) {
  double x;
  memcpy(&x, &u, sizeof x);
  return x;
}
)"},
    {"frit_f16_to_f32", "frit_f32_of", R"(
/* The number whose binary16 bits are h. */
static inline float frit_f16_to_f32(uint16_t h) {
  const uint32_t sign = (uint32_t)(h & 0x8000u) << 16, magnitude = h & 0x7fffu;
  const uint32_t large = magnitude >= 0x7c00u ? 0x70000000u : 0x38000000u;
  const uint32_t normal = (magnitude << 13) + large;
  const float small = (float)(int32_t)magnitude * 0x1p-24f;
  const float value = magnitude < 0x400u ? small : frit_f32_of(normal);
  return sign != 0 ? -value : value;
}
)"},
    {"frit_f32_to_f16", "frit_bits_f32 frit_f32_of", R"(
/* x as binary16 bits, rounded to nearest even. */
static inline uint16_t frit_f32_to_f16(float x) {
  const uint32_t bits = frit_bits_f32(x), magnitude = bits & 0x7fffffffu;
  /* Below 2^-14 an addition puts the last place where binary16 has it; above it the lower 13 bits are rounded away. */
  const float shifted = frit_f32_of(magnitude < 0x38800000u ? magnitude : 0u) + 0.5f;
  const uint32_t small = frit_bits_f32(shifted) - 0x3f000000u;
  const uint32_t normal = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  const uint32_t finite = magnitude < 0x38800000u ? small : normal;
  const uint32_t special = magnitude > 0x7f800000u ? 0x7e00u | ((magnitude >> 13) & 0x1ffu) : 0x7c00u;
  return (uint16_t)(((bits >> 16) & 0x8000u) | (magnitude >= 0x477ff000u ? special : finite));
}
)"},
    {"frit_bf16_to_f32", "frit_f32_of", R"(
static inline float frit_bf16_to_f32(uint16_t h) {
  return frit_f32_of((uint32_t)h << 16);
}
)"},
    {"frit_f32_to_bf16", "frit_bits_f32", R"(
/* x as bfloat16 bits, rounded to nearest even. */
static inline uint16_t frit_f32_to_bf16(float x) {
  const uint32_t bits = frit_bits_f32(x);
  const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  return (uint16_t)((bits & 0x7fffffffu) > 0x7f800000u ? (bits >> 16) | 0x40u : rounded);
}
)"},
    {"frit_f64_to_odd", "frit_bits_f32 frit_f32_of", R"(
/* x towards zero, with the last bit set where that lost anything: rounding it again gives what rounding x once would. */
static inline float frit_f64_to_odd(double x) {
  const float near = (float)x;
  const double back = (double)near;
  const uint32_t away = fabs(back) > fabs(x) ? 1u : 0u;
  const uint32_t odd = (frit_bits_f32(near) - away) | 1u;
  return ((back != x) & (x == x)) ? frit_f32_of(odd) : near;
}
)"},
    {"frit_u64_to_odd", "", R"(
/* The same from an integer: what does not fit 53 bits leaves one sticky bit. */
static inline double frit_u64_to_odd(uint64_t x) {
  const uint64_t sticky = (x & ~(uint64_t)0xfffu) | ((x & 0xfffu) != 0 ? 0x800u : 0u);
  return (double)(x >> 53 != 0 ? sticky : x);
}
)"},
    {"frit_s64_to_odd", "frit_u64_to_odd", R"(
static inline double frit_s64_to_odd(uint64_t x) {
  return x >> 63 != 0 ? -frit_u64_to_odd((uint64_t)0 - x) : frit_u64_to_odd(x);
}
)"},
    {"frit_nothing", "", R"(
/* GCC's vectoriser makes single operations of products and the sums and differences behind them, where those of neighbours alternate, and no option
   keeps it from that. A product to which `nothing` was done, which the compiler does not know, stays one. */
static inline uint64_t frit_nothing(void) {
  static const volatile uint64_t nothing = 0;
  return nothing;
}
)"},
    {"frit_apart_f32", "frit_nothing frit_bits_f32 frit_f32_of", R"(
static inline float frit_apart_f32(float x, uint64_t nothing) {
  return frit_f32_of(frit_bits_f32(x) ^ (uint32_t)nothing);
}
)"},
    {"frit_apart_f64", "frit_nothing frit_bits_f64 frit_f64_of", R"(
static inline double frit_apart_f64(double x, uint64_t nothing) {
  return frit_f64_of(frit_bits_f64(x) ^ nothing);
}
)"},
    {"frit_at", "", R"(
/* A part of the workspace, which may be NULL where it is empty. */
static inline void* frit_at(void* workspace, int64_t offset) {
  return offset == 0 ? workspace : (unsigned char*)workspace + offset;
}
)"},
    {"frit_add_size", "", R"(
/* Sizes are checked in arithmetic that sticks at the ends of its range. */
static int64_t frit_add_size(int64_t a, int64_t b) {
  if (b >= 0 ? a > INT64_MAX - b : a < INT64_MIN - b) return a < 0 ? -INT64_MAX : INT64_MAX;
  return a + b;
}
)"},
    {"frit_mul_size", "", R"(
static int64_t frit_mul_size(int64_t a, int64_t b) {
  const bool up = a > 0 ? b > INT64_MAX / a : a < 0 && b < INT64_MAX / a;
  const bool down = a > 0 ? b < INT64_MIN / a : a < 0 && b > 0 && a < INT64_MIN / b;
  return up ? INT64_MAX : down ? -INT64_MAX : a * b;
}
)"},
    {"frit_floor_div", "", R"(
/* Rounded down; a divisor of 0 stands where nothing is computed with the quotient. */
static inline int64_t frit_floor_div(int64_t a, int64_t b) {
  if (b <= 0) return 0;
  return a >= 0 ? a / b : -1 - (-1 - a) / b;
}
)"},
    {"frit_mod", "", R"(
static inline int64_t frit_mod(int64_t a, int64_t b) {
  if (b <= 0) return 0;
  return a >= 0 ? a % b : b - 1 - (-1 - a) % b;
}
)"},
    {"frit_min_size", "", R"(
static inline int64_t frit_min_size(int64_t a, int64_t b) {
  return a < b ? a : b;
}
)"},
    {"frit_max_size", "", R"(
static inline int64_t frit_max_size(int64_t a, int64_t b) {
  return a > b ? a : b;
}
)"},
};

void replace_all(std::string& s, std::string_view what, std::string_view with) {
  for (size_t at = 0; (at = s.find(what, at)) != std::string::npos; at += with.size()) s.replace(at, what.size(), with);
}

// Functions that exist for every width of integer: N is the width, LEAST the bits of the least signed value, WIDE the
// type that arithmetic is done in, LIMIT and MOST the largest signed (S) and unsigned (U) number.
struct WidthRow {
  std::string_view name;   // in front of the width
  std::string_view needs;  // likewise
  std::string_view text;
};
constexpr WidthRow kWidths[] = {
    {"frit_s", "", R"(
static inline intN_t frit_sN(uintN_t u) {
  intN_t s;
  memcpy(&s, &u, sizeof s);
  return s;
}
)"},
    {"frit_u", "", R"(
/* A constant as a number like any other: comparing with the end of a range is not an oversight. */
static inline uintN_t frit_uN(uintN_t u) {
  return u;
}
)"},
    {"frit_div_s", "frit_s", R"(
static inline uintN_t frit_div_sN(uintN_t a, uintN_t b) {
  const intN_t x = frit_sN(a), y = frit_sN(b);
  if (y == 0) return 0;
  return (uintN_t)(y == -1 ? (uintN_t)((WIDE)0 - a) : (uintN_t)(x / y));
}
)"},
    {"frit_rem_s", "frit_s", R"(
static inline uintN_t frit_rem_sN(uintN_t a, uintN_t b) {
  const intN_t x = frit_sN(a), y = frit_sN(b);
  return (uintN_t)(((y == 0) | (y == -1)) ? 0 : x % y);
}
)"},
    {"frit_div_u", "", R"(
static inline uintN_t frit_div_uN(uintN_t a, uintN_t b) {
  return (uintN_t)(b == 0 ? 0 : a / b);
}
)"},
    {"frit_rem_u", "", R"(
static inline uintN_t frit_rem_uN(uintN_t a, uintN_t b) {
  return (uintN_t)(b == 0 ? 0 : a % b);
}
)"},
    {"frit_shl", "", R"(
static inline uintN_t frit_shlN(uintN_t a, uintN_t count) {
  const uintN_t inside = count < N ? count : 0;
  const uintN_t shifted = (uintN_t)((WIDE)a << inside);
  return count < N ? shifted : 0;
}
)"},
    {"frit_shr_u", "", R"(
static inline uintN_t frit_shr_uN(uintN_t a, uintN_t count) {
  const uintN_t inside = count < N ? count : 0;
  const uintN_t shifted = (uintN_t)((WIDE)a >> inside);
  return count < N ? shifted : 0;
}
)"},
    {"frit_shr_s", "", R"(
/* The sign comes in from the left. */
static inline uintN_t frit_shr_sN(uintN_t a, uintN_t count) {
  const uintN_t inside = count < N ? count : N - 1;
  const uintN_t sign = (uintN_t)((WIDE)0 - ((WIDE)a >> (N - 1)));
  return (uintN_t)(((WIDE)(uintN_t)(a ^ sign) >> inside) ^ sign);
}
)"},
    {"frit_abs_s", "", R"(
static inline uintN_t frit_abs_sN(uintN_t a) {
  return (WIDE)a >> (N - 1) != 0 ? (uintN_t)((WIDE)0 - a) : a;
}
)"},
    {"frit_f32_to_s", "", R"(
/* Towards zero, to the ends of the range where it does not fit; what is no number gives 0. */
static inline uintN_t frit_f32_to_sN(float x) {
  const float inside = ((x >= -LIMIT_Sf) & (x < LIMIT_Sf)) ? x : 0.0f;
  const uintN_t v = (uintN_t)(intN_t)inside;
  return x >= LIMIT_Sf ? (uintN_t)MOST_S : x < -LIMIT_Sf ? (uintN_t)LEAST : v;
}
)"},
    {"frit_f64_to_s", "", R"(
static inline uintN_t frit_f64_to_sN(double x) {
  const double inside = ((x >= -LIMIT_S) & (x < LIMIT_S)) ? x : 0.0;
  const uintN_t v = (uintN_t)(intN_t)inside;
  return x >= LIMIT_S ? (uintN_t)MOST_S : x < -LIMIT_S ? (uintN_t)LEAST : v;
}
)"},
    {"frit_f32_to_u", "", R"(
static inline uintN_t frit_f32_to_uN(float x) {
  const float inside = ((x > 0.0f) & (x < LIMIT_Uf)) ? x : 0.0f;
  const uintN_t v = (uintN_t)inside;
  return x >= LIMIT_Uf ? (uintN_t)MOST_U : v;
}
)"},
    {"frit_f64_to_u", "", R"(
static inline uintN_t frit_f64_to_uN(double x) {
  const double inside = ((x > 0.0) & (x < LIMIT_U)) ? x : 0.0;
  const uintN_t v = (uintN_t)inside;
  return x >= LIMIT_U ? (uintN_t)MOST_U : v;
}
)"},
};

std::string hexadecimal(uint64_t v) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llxu", static_cast<unsigned long long>(v));
  return v >> 32 ? "UINT64_C(" + std::string(text, std::string_view(text).size() - 1) + ")" : text;
}

std::string for_width(std::string_view text, int width) {
  std::string s(text);
  const uint64_t least = uint64_t{1} << (width - 1), all = least | (least - 1);
  // No other capital N stands in these texts.
  replace_all(s, "N", std::to_string(width));
  replace_all(s, "LIMIT_S", "0x1p" + std::to_string(width - 1));
  replace_all(s, "LIMIT_U", "0x1p" + std::to_string(width));
  replace_all(s, "MOST_S", hexadecimal(least - 1));
  replace_all(s, "MOST_U", hexadecimal(all));
  replace_all(s, "LEAST", hexadecimal(least));
  replace_all(s, "WIDE", width == 64 ? "uint64_t" : "uint32_t");
  return s;
}

}  // namespace

std::string Helpers::need(std::string_view name) {
  if (!made_.insert(std::string(name)).second) return std::string(name);
  auto need_all = [&](std::string_view names) {
    while (!names.empty()) {
      const size_t end = std::min(names.find(' '), names.size());
      need(names.substr(0, end));
      names.remove_prefix(std::min(end + 1, names.size()));
    }
  };
  for (const Row& row : kRows) {
    if (row.name != name) continue;
    need_all(row.needs);
    text_ += row.text;
    return std::string(name);
  }
  for (const WidthRow& row : kWidths)
    for (int width : {8, 16, 32, 64}) {
      if (std::string(row.name) + std::to_string(width) != name) continue;
      if (!row.needs.empty()) need(std::string(row.needs) + std::to_string(width));
      text_ += for_width(row.text, width);
      return std::string(name);
    }
  return {};
}

}  // namespace frit::codegen::c
