// The functions that shaders call, and the functions that these call.
#include <map>

#include "codegen/glsl/emitter.h"

namespace frit::codegen::glsl {

namespace {

struct Helper {
  std::vector<std::string> uses;
  std::string text;
};

using Helpers = std::map<std::string, Helper, std::less<>>;

class HelperTable {
 public:
  HelperTable() {
    add_special_values();
    add_inverse();
    add_near();
    for (const char* f : {"f32", "f64"}) add_float(f);
    add_integers();
    add_halves();
    add_odd_rounding();
    add_fused();
    add_roundings();
    add_remainders();
  }

  Helpers helpers;

 private:
  void add(const std::string& name, std::vector<std::string> uses, std::string text) {
    helpers[name] = {std::move(uses), std::move(text)};
  }

  void add_special_values() {
    // Bits, so that no compiler may assume that there are no NaNs.
    add("is_nan_f32", {}, "bool is_nan_f32(float x) { return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u; }\n");
    add("is_nan_f64", {},
        "bool is_nan_f64(double x) {\n  uvec2 w = unpackDouble2x32(x);\n  uint h = w.y & 0x7fffffffu;\n"
        "  return h > 0x7ff00000u || h == 0x7ff00000u && w.x != 0u;\n}\n");
    // Unsigned numbers in the order of floats, and in the opposite one: zeros of both signs are equal, and NaN comes
    // last.
    add("rising_f32", {}, R"(uint rising_f32(float x) {
  const uint w = floatBitsToUint(x), magnitude = w & 0x7fffffffu;
  const uint order = magnitude == 0u ? 0x80000000u : w ^ (uint(int(w) >> 31) | 0x80000000u);
  return magnitude > 0x7f800000u ? 0xffffffffu : order;
}
)");
    add("falling_f32", {}, R"(uint falling_f32(float x) {
  const uint w = floatBitsToUint(x), magnitude = w & 0x7fffffffu;
  const uint order = magnitude == 0u ? 0x80000000u : w ^ (uint(int(w) >> 31) | 0x80000000u);
  return magnitude > 0x7f800000u ? 0xffffffffu : ~order;
}
)");
    // x + 0, without an addition that a compiler may drop.
    add("plus_zero_f32", {}, R"(float plus_zero_f32(float x) { return floatBitsToUint(x) == 0x80000000u ? 0.0 : x; }
)");
    add("plus_zero_f64", {}, R"(double plus_zero_f64(double x) {
  return unpackDouble2x32(x) == uvec2(0u, 0x80000000u) ? 0.0LF : x;
}
)");
    // x over a zero of the given sign.
    add("over_zero_f32", {"is_nan_f32"}, R"(float over_zero_f32(float x, uint sign) {
  return x == 0.0 || is_nan_f32(x) ? uintBitsToFloat(0x7fc00000u) : uintBitsToFloat(((floatBitsToUint(x) ^ sign) & 0x80000000u) | 0x7f800000u);
}
)");
    add("over_zero_f64", {"is_nan_f64"}, R"(double over_zero_f64(double x, uint sign) {
  return packDouble2x32(uvec2(0u, x == 0.0LF || is_nan_f64(x) ? 0x7ff80000u : ((unpackDouble2x32(x).y ^ sign) & 0x80000000u) | 0x7ff00000u));
}
)");
  }

  // A quotient by way of the divisor's inverse, as good as a division: what is left over is divided again, unless that
  // is no number.
  void add_inverse() {
    add("times_inverse", {}, R"(float times_inverse(float x, float y, float inverse) {
  precise float q = x * inverse, rest = fma(-q, y, x), better = fma(rest, inverse, q);
  return abs(rest) <= 3.40282347e38 ? better : q;
}
)");
  }

  // A quotient that is a few last digits off: the inverse is the square of the inverse of a root, which devices have as
  // one instruction, while a division takes ten.
  void add_near() {
    add("near_quotient", {}, R"(float near_quotient(float x, float y) {
  precise float root = inversesqrt(abs(y)), inverse = root * root;
  return x * uintBitsToFloat(floatBitsToUint(inverse) | (floatBitsToUint(y) & 0x80000000u));
}
)");
  }

  // Least, greatest and conversions to integers of "f32" or "f64".
  void add_float(const std::string& f) {
    std::string type = f == "f32" ? "float" : "double";
    // Without branches, behind which drivers do not move later loads forward.
    for (const std::string& name : {std::string("min_"), std::string("max_")}) {
      const auto text = [&](const std::string& end, const std::string& is_nan) {
        return type + " " + name + end + "(" + type + " x, " + type + " y) {\n  const bool is_nan = " + is_nan +
               "(x);\n  return is_nan ? x : (x " + (name == "min_" ? "<" : ">") + " y ? x : y);\n}\n";
      };
      add(name + f, {"is_nan_" + f}, text(f, "is_nan_" + f));
      // Of devices that keep NaNs, with two choices, and with one: one instruction less, but a longer way to the
      // result.
      add(name + "apart_" + f, {}, text("apart_" + f, "isnan"));
      add(name + "kept_" + f, {},
          type + " " + name + "kept_" + f + "(" + type + " x, " + type + " y) { return (uint(isnan(x)) | uint(x " +
              (name == "min_" ? "<" : ">") + " y)) != 0u ? x : y; }\n");
    }
    // Saturates; a NaN gives 0.
    auto to_int = [&](const std::string& i, const std::string& int_type, const std::string& low,
                      const std::string& high, const std::string& least, const std::string& most) {
      std::string end = f == "f64" ? "LF" : "";
      add(f + "_to_" + i, {"is_nan_" + f},
          int_type + " " + f + "_to_" + i + "(" + type + " x) {\n  if (is_nan_" + f + "(x)) return " + int_type +
              "(0);\n  if (x >= " + high + end + ") return " + most + ";\n  if (x <= " + low + end + ") return " +
              least + ";\n  return " + int_type + "(x);\n}\n");
    };
    to_int("i32", "int", "-2147483648.0", "2147483648.0", "(-2147483647 - 1)", "2147483647");
    to_int("u32", "uint", "0.0", "4294967296.0", "0u", "0xffffffffu");
    to_int("i64", "int64_t", "-9223372036854775808.0", "9223372036854775808.0", "(-9223372036854775807L - 1L)",
           "9223372036854775807L");
    to_int("u64", "uint64_t", "0.0", "18446744073709551616.0", "0UL", "18446744073709551615UL");
    add(f + "_to_small", {"is_nan_" + f},
        "int " + f + "_to_small(" + type + " x, " + type + " low, " + type + " high) { return is_nan_" + f +
            "(x) ? 0 : int(clamp(x, low, high)); }\n");
  }

  // Division, remainders and shifts.
  void add_integers() {
    // Of non-negative sizes, y > 0. Most are small, and then this is several times as fast; and NVIDIA's driver 580
    // takes the remainder of an even number for that of the odd one above it where it sees both divided in 64 bits.
    add("quotient_u64", {},
        "uint64_t quotient_u64(uint64_t x, uint64_t y) { return ((x | y) >> 32) == 0UL ? uint64_t(uint(x) / uint(y)) : x / y; }\n");
    add("rest_u64", {},
        "uint64_t rest_u64(uint64_t x, uint64_t y) { return ((x | y) >> 32) == 0UL ? uint64_t(uint(x) % uint(y)) : x % y; }\n");
    for (std::string w : {"32", "64"}) {
      const bool wide = w == "64";
      std::string i = wide ? "int64_t" : "int", u = wide ? "uint64_t" : "uint";
      const std::vector<std::string> quotient =
          wide ? std::vector<std::string>{"quotient_u64"} : std::vector<std::string>{};
      const std::vector<std::string> rest = wide ? std::vector<std::string>{"rest_u64"} : std::vector<std::string>{};
      add("div_i" + w, {},
          i + " div_i" + w + "(" + i + " x, " + i + " y) { return y == 0 ? " + i + "(0) : y == -1 ? -x : x / y; }\n");
      add("rem_i" + w, {},
          i + " rem_i" + w + "(" + i + " x, " + i + " y) { return y == 0 || y == -1 ? " + i +
              "(0) : x - x / y * y; }\n");
      add("div_u" + w, quotient,
          u + " div_u" + w + "(" + u + " x, " + u + " y) { return y == " + u + "(0) ? " + u +
              "(0) : " + (wide ? "quotient_u64(x, y)" : "x / y") + "; }\n");
      add("rem_u" + w, rest,
          u + " rem_u" + w + "(" + u + " x, " + u + " y) { return y == " + u + "(0) ? " + u +
              "(0) : " + (wide ? "rest_u64(x, y)" : "x % y") + "; }\n");
      // Rounded down, for sizes: y > 0.
      if (wide) {
        add("floor_div_i64", quotient,
            "int64_t floor_div_i64(int64_t x, int64_t y) {\n  return x >= 0L ? int64_t(quotient_u64(uint64_t(x), uint64_t(y))) : "
            "-1L - int64_t(quotient_u64(uint64_t(-1L - x), uint64_t(y)));\n}\n");
        add("floor_mod_i64", rest,
            "int64_t floor_mod_i64(int64_t x, int64_t y) {\n  return x >= 0L ? int64_t(rest_u64(uint64_t(x), uint64_t(y))) : "
            "y - 1L - int64_t(rest_u64(uint64_t(-1L - x), uint64_t(y)));\n}\n");
      } else {
        add("floor_div_i32", {},
            "int floor_div_i32(int x, int y) { int q = x / y; return x - q * y < 0 ? q - 1 : q; }\n");
        add("floor_mod_i32", {},
            "int floor_mod_i32(int x, int y) { int r = x - x / y * y; return r < 0 ? r + y : r; }\n");
      }
      // `width` is that of the element type, which may be narrower than the type of the arithmetic.
      for (std::string s : {i, u}) {
        const bool sign = s == i;
        std::string name = (sign ? "i" : "u") + w, count = sign ? "c >= 0 && c < width" : "c < " + u + "(width)";
        add("shl_" + name, {},
            s + " shl_" + name + "(" + s + " x, " + s + " c, int width) { return " + count + " ? x << int(c) : " + s +
                "(0); }\n");
        add("shr_" + name, {},
            s + " shr_" + name + "(" + s + " x, " + s + " c, int width) { return " + count +
                " ? x >> int(c) : " + (sign ? "x < 0 ? " + s + "(-1) : " : "") + s + "(0); }\n");
      }
    }
  }

  // Between f32 and 16 bits.
  void add_halves() {
    add("f16_to_f32", {}, R"(float f16_to_f32(uint h) {
  uint m = h & 0x7fffu;
  uint bits = m >= 0x7c00u ? (m << 13) | 0x7f800000u : m >= 0x400u ? (m << 13) + 0x38000000u : floatBitsToUint(float(m) * 5.96046448e-08);
  return uintBitsToFloat(bits | (h & 0x8000u) << 16);
}
)");
    // Of devices that convert themselves: Prelude::half_modes.
    add("f16_to_f32_device", {}, "float f16_to_f32(uint h) { return float(unpackFloat2x16(h).x); }\n");
    // NVIDIA's driver 580 drops a conversion to f16 and back, though it rounds. A step that it cannot look through
    // stops that: launches have one workgroup along z.
    add("f32_to_f16_device", {},
        "uint f32_to_f16(float x) {\n  return packFloat2x16(f16vec2(float16_t(x), float16_t(0.0))) ^ gl_WorkGroupID.z;\n}\n");
    add("kept_f16_device", {},
        "float kept_f16(float16_t x) {\n  return float(unpackFloat2x16(packFloat2x16(f16vec2(x, float16_t(0.0))) ^ "
        "gl_WorkGroupID.z).x);\n}\n");
    add("f16_pair_device", {}, "uint f16_pair(float x, float y) { return packFloat2x16(f16vec2(vec2(x, y))); }\n");
    add("f16_of_bits_device", {}, "float16_t f16_of_bits(uint h) { return unpackFloat2x16(h).x; }\n");
    add("f16_bits_device", {}, "uint f16_bits(float16_t x) { return packFloat2x16(f16vec2(x, float16_t(0.0))); }\n");
    // The bits of the f32 next to x that is a bf16, and garbage below them.
    const auto above = [&](const std::string& name, const std::string& is_nan) {
      add(name, {},
          "uint " + name + "(float x) {\n  uint b = floatBitsToUint(x);\n  return " + is_nan +
              " ? b | 0x400000u : b + 0x7fffu + ((b >> 16) & 1u);\n}\n");
    };
    above("bf16_above", "(b & 0x7fffffffu) > 0x7f800000u");
    above("bf16_above_kept", "isnan(x)");  // of devices that keep NaNs
    // The f32 itself, of a result of arithmetic, whose NaNs stay NaNs without the lower bits: NVIDIA's driver 580 makes
    // fewer operations of this choice than of one between integers.
    const auto near = [&](const std::string& name, const std::string& is_nan) {
      add(name, {},
          "float " + name + "(float x) {\n  uint b = floatBitsToUint(x);\n  return " + is_nan +
              " ? x : uintBitsToFloat((b + 0x7fffu + ((b >> 16) & 1u)) & 0xffff0000u);\n}\n");
    };
    near("bf16_near", "(b & 0x7fffffffu) > 0x7f800000u");
    // Of devices that keep NaNs: the addition of a far smaller number makes a NaN of the rounded bits again and changes
    // no other number, for one operation of floats instead of two of those that bound the speed. NVIDIA's driver 580
    // makes one operation of the shift and an addition where the mask comes first.
    add("bf16_near_kept", {}, R"(float bf16_near_kept(float x) {
  const uint b = floatBitsToUint(x);
  precise float r = fma(x, 8.67361738e-19, uintBitsToFloat((((b & 0x10000u) >> 16) + (b + 0x7fffu)) & 0xffff0000u));
  return r;
}
)");
    // Of devices that fuse multiplications and additions too: m has the sign, the exponent and one digit of x, and h is
    // a little larger, so that the sum of h and of 2^-16 x is rounded at the last digit of a bf16. Its lower half is
    // the distance from m to the result; a factor of h takes off there the leading one that x has. Two operations of
    // integers are left, which bound the speed, and infinities and NaNs stay what they are.
    add("bf16_near_fused", {}, R"(float bf16_near_fused(float x) {
  const uint m = floatBitsToUint(x) & 0xffc00000u;
  precise float h = uintBitsToFloat(m) * 1.0624847412109375;
  precise float t = fma(x, 1.52587890625e-05, h);
  return uintBitsToFloat((floatBitsToUint(t) << 16) + m);
}
)");
    // Rounded to nearest even in integers.
    add("f32_to_f16", {}, R"(uint f32_to_f16(float x) {
  uint b = floatBitsToUint(x), m = b & 0x7fffffffu, sign = (b >> 16) & 0x8000u, h;
  if (m > 0x7f800000u) h = 0x7e00u;
  else if (m >= 0x477ff000u) h = 0x7c00u;
  else if (m >= 0x38800000u) h = (m - 0x38000000u + 0xfffu + ((m >> 13) & 1u)) >> 13;
  else {
    // A subnormal half: the significand moved right, with half of what is lost added, less one where it would round up to odd.
    uint e = m >> 23;
    uint s = 126u - e, f = (m & 0x7fffffu) | 0x800000u;
    h = e < 102u ? 0u : (f + ((1u << (s - 1u)) - 1u) + ((f >> s) & 1u)) >> s;
  }
  return sign | h;
}
)");
    add("f32_to_bf16", {}, R"(uint f32_to_bf16(float x) {
  uint b = floatBitsToUint(x);
  return (b & 0x7fffffffu) > 0x7f800000u ? (b | 0x400000u) >> 16 : (b + 0x7fffu + ((b >> 16) & 1u)) >> 16;
}
)");
  }

  // To f32 towards zero, with the last bit set where the conversion lost something: rounding the result again is like
  // rounding once.
  void add_odd_rounding() {
    add("f64_to_odd_f32", {"is_nan_f64"}, R"(float f64_to_odd_f32(double x) {
  float near = float(x);
  double back = double(near);
  if (is_nan_f64(x) || back == x) return near;
  uint bits = floatBitsToUint(near);
  if (abs(back) > abs(x)) bits -= 1u;
  return uintBitsToFloat(bits | 1u);
}
)");
    add("u32_to_odd_f32", {}, R"(float u32_to_odd_f32(uint m) {
  int s = findMSB(m) - 23;
  if (s <= 0) return float(m);
  uint lost = m & ((1u << s) - 1u);
  return ldexp(float((m >> s) | (lost != 0u ? 1u : 0u)), s);
}
)");
    add("i32_to_odd_f32", {"u32_to_odd_f32"},
        "float i32_to_odd_f32(int x) { float r = u32_to_odd_f32(x < 0 ? 0u - uint(x) : uint(x)); return x < 0 ? -r : r; }\n");
    add("u64_to_odd_f32", {"u32_to_odd_f32"}, R"(float u64_to_odd_f32(uint64_t m) {
  uint high = uint(m >> 32);
  if (high == 0u) return u32_to_odd_f32(uint(m));
  int s = findMSB(high) + 9;
  uint64_t lost = m & ((1UL << s) - 1UL);
  return ldexp(float(uint(m >> s) | (lost != 0UL ? 1u : 0u)), s);
}
)");
    add("i64_to_odd_f32", {"u64_to_odd_f32"},
        "float i64_to_odd_f32(int64_t x) { float r = u64_to_odd_f32(x < 0L ? 0UL - uint64_t(x) : uint64_t(x)); return x < 0L ? -r : r; }\n");
  }

  // Fused multiply-add for devices without it.
  void add_fused() {
    // The product is exact in f64; the sum's last bit is made odd where it was rounded, so that rounding to f32 rounds
    // once.
    add("fma_f32", {}, R"(float fma_f32(float a, float b, float c) {
  precise double p = double(a) * double(b), z = double(c);
  precise double s = p + z;
  precise double t = s - p;
  precise double e = (p - (s - t)) + (z - t);
  uvec2 w = unpackDouble2x32(s);
  if (e != 0.0LF && (w.x & 1u) == 0u && (w.y & 0x7ff00000u) != 0x7ff00000u) {
    bool towards = (e > 0.0LF) == (s > 0.0LF);
    if (towards) { w.x += 1u; } else { if (w.x == 0u) w.y -= 1u; w.x -= 1u; }
    s = packDouble2x32(w);
  }
  return float(s);
}
)");
    // By parts of 26 bits: the error of the product is exact unless it underflows, and the sum is rounded twice.
    add("fma_f64", {}, R"(double fma_f64(double a, double b, double c) {
  precise double p = a * b;
  uvec2 w = unpackDouble2x32(p);
  if ((w.y & 0x7ff00000u) == 0x7ff00000u || p == 0.0LF || abs(a) > 1e140LF || abs(b) > 1e140LF) return p + c;
  precise double ta = 134217729.0LF * a, ah = ta - (ta - a), al = a - ah;
  precise double tb = 134217729.0LF * b, bh = tb - (tb - b), bl = b - bh;
  precise double e = ((ah * bh - p) + ah * bl + al * bh) + al * bl;
  precise double s = p + c;
  precise double t = s - p;
  precise double f = (p - (s - t)) + (c - t);
  uvec2 v = unpackDouble2x32(s);
  if ((v.y & 0x7ff00000u) == 0x7ff00000u) return s;
  precise double r = s + (e + f);
  return r;
}
)");
  }

  // A float64 rounded to an integer. Lavapipe's own functions are wrong on processors without AVX-512: trunc keeps the
  // fraction above 2^24, and round takes 127.5 to 127.
  void add_roundings() {
    // From 2^52 on a float64 is an integer; the sum with 2^52 is rounded to one, a half to the even. A zero keeps its
    // sign.
    add("roundEven_f64", {}, R"(double roundEven_f64(double x) {
  precise double r = (abs(x) + 4503599627370496.0LF) - 4503599627370496.0LF;
  return abs(x) < 4503599627370496.0LF && x != 0.0LF ? (x < 0.0LF ? -r : r) : x;
}
)");
    add("floor_f64", {"roundEven_f64"},
        "double floor_f64(double x) { double r = roundEven_f64(x); return r > x ? r - 1.0LF : r; }\n");
    add("ceil_f64", {"floor_f64"}, "double ceil_f64(double x) { return -floor_f64(-x); }\n");
    add("trunc_f64", {"ceil_f64"}, "double trunc_f64(double x) { return x < 0.0LF ? ceil_f64(x) : floor_f64(x); }\n");
  }

  // Remainders of floats, exact.
  void add_remainders() {
    add("rem_f32", {}, R"(float rem_f32(float x, float y) {
  uint a = floatBitsToUint(x) & 0x7fffffffu, b = floatBitsToUint(y) & 0x7fffffffu, sign = floatBitsToUint(x) & 0x80000000u;
  if (b == 0u || a >= 0x7f800000u || b > 0x7f800000u) return uintBitsToFloat(0x7fc00000u);
  if (a < b) return x;
  int ea = int(a >> 23), eb = int(b >> 23);
  uint ma = (a & 0x7fffffu) | 0x800000u, mb = (b & 0x7fffffu) | 0x800000u;
  if (ea == 0) { int s = 23 - findMSB(a); ma = a << s; ea = 1 - s; }
  if (eb == 0) { int s = 23 - findMSB(b); mb = b << s; eb = 1 - s; }
  for (; ea > eb; --ea) { if (ma >= mb) ma -= mb; ma <<= 1; }
  if (ma >= mb) ma -= mb;
  if (ma == 0u) return uintBitsToFloat(sign);
  int s = 23 - findMSB(ma);
  ma <<= s;
  int e = eb - s;
  return uintBitsToFloat(sign | (e > 0 ? (uint(e) << 23) | (ma & 0x7fffffu) : ma >> (1 - e)));
}
)");
    add("msb_u64", {},
        "int msb_u64(uint64_t x) { uint h = uint(x >> 32); return h != 0u ? findMSB(h) + 32 : findMSB(uint(x)); }\n");
    add("rem_f64", {"msb_u64"}, R"(double rem_f64(double x, double y) {
  uint64_t a = doubleBitsToUint64(x), sign = a & 0x8000000000000000UL, b = doubleBitsToUint64(y) & 0x7fffffffffffffffUL;
  a &= 0x7fffffffffffffffUL;
  if (b == 0UL || a >= 0x7ff0000000000000UL || b > 0x7ff0000000000000UL) return uint64BitsToDouble(0x7ff8000000000000UL);
  if (a < b) return x;
  int ea = int(a >> 52), eb = int(b >> 52);
  uint64_t ma = (a & 0xfffffffffffffUL) | 0x10000000000000UL, mb = (b & 0xfffffffffffffUL) | 0x10000000000000UL;
  if (ea == 0) { int s = 52 - msb_u64(a); ma = a << s; ea = 1 - s; }
  if (eb == 0) { int s = 52 - msb_u64(b); mb = b << s; eb = 1 - s; }
  for (; ea > eb; --ea) { if (ma >= mb) ma -= mb; ma <<= 1; }
  if (ma >= mb) ma -= mb;
  if (ma == 0UL) return uint64BitsToDouble(sign);
  int s = 52 - msb_u64(ma);
  ma <<= s;
  int e = eb - s;
  return uint64BitsToDouble(sign | (e > 0 ? (uint64_t(e) << 52) | (ma & 0xfffffffffffffUL) : ma >> (1 - e)));
}
)");
  }
};

const Helpers& helpers() {
  static const auto* table = new HelperTable;
  return table->helpers;
}

}  // namespace

std::string execution_mode(int capability, int number, int width) {
  return "spirv_execution_mode(extensions = [\"SPV_KHR_float_controls\"], capabilities = [" +
         std::to_string(capability) + "], " + std::to_string(number) + ", " + std::to_string(width) + ");\n";
}

std::string Prelude::half_modes() const {
  if (!has_halves_) return {};
  return "#extension GL_EXT_spirv_intrinsics : require\n"
         "#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require\n" +
         execution_mode(4464, 4459, 16) + execution_mode(4466, 4461, 16) + execution_mode(4467, 4462, 16);
}

std::string Prelude::use(const std::string& name) {
  if (!used_.insert(name).second) return name;
  auto found = converts16_ ? helpers().find(name + "_device") : helpers().end();
  if (found != helpers().end()) has_halves_ = true;
  if (found == helpers().end()) found = helpers().find(name);
  if (found == helpers().end()) return "missing_" + name;
  for (const std::string& other : found->second.uses) use(other);
  text_ += found->second.text;
  return name;
}

void Prelude::use_all_of(const Prelude& other) {
  for (const std::string& name : other.used_) use(name);
}

}  // namespace frit::codegen::glsl
