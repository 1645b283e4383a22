// Integers and remainders of floats in vectors: bounds of the types, and quotients of every size.
#include <bit>
#include <cmath>

#include "codegen_harness.h"

namespace frit::test::conversions {
namespace {

constexpr std::pair<int, int> kShapes[] = {{0, 1}, {4, 2}, {8, 1}, {16, 4}};

uint64_t bits_of(Dtype type, double v) {
  return type == float64 ? std::bit_cast<uint64_t>(v) : std::bit_cast<uint32_t>(static_cast<float>(v));
}

void check(const std::string& text, const Fill& values) {
  for (const auto& [vector, unroll] : kShapes) {
    SCOPED_TRACE("vector " + std::to_string(vector));
    ir::Kernel k = parse(text);
    set_vector(k, "i", vector, unroll);
    Compiled compiled(std::move(k));
    for (const int64_t n : {1, 7, 200, 803}) compiled.check({n}, 1, values);
  }
}

// Around every power of two that bounds a type, and what lies between.
TEST(Conversions, FloatsToIntegersAroundTheBounds) {
  for (const Dtype from : {float32, float64})
    for (const char* to : {"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"}) {
      SCOPED_TRACE(to);
      const std::string real = from == float32 ? "f32" : "f64";
      const Fill values = [&](const std::string& name, int64_t i) -> std::optional<uint64_t> {
        constexpr int kPowers[] = {0, 7, 8, 15, 16, 24, 31, 32, 53, 63, 64};
        if (name != "x" || i % 5 == 4) return {};
        const double bound = std::ldexp(1.0, kPowers[i / 8 % 11]), step = (static_cast<double>(i % 8) - 3.5) * 0.5;
        double near = bound + step;
        // A neighbour in the type, where the step is lost.
        if (i % 3 == 0)
          near = from == float32 ? std::nextafter(static_cast<float>(bound), 0.0f) : std::nextafter(bound, 0);
        return bits_of(from, i / 88 % 2 ? -near : near);
      };
      check("kernel @cast(%x: " + real + "[n] in, %y: " + to + "[n] out; n) {\nparallel for i in n {\n%0: " + real +
                " = load %x[i]\n%1: " + to + " = cast %0\nstore %y[i], %1\n}\n}",
            values);
    }
}

// Quotients that lie close to integers or anywhere, from below one to more than f64 has places.
TEST(Conversions, RemaindersOfQuotientsOfEverySize) {
  for (const Dtype type : {float32, float64})
    for (const bool shared : {false, true}) {
      const std::string real = type == float32 ? "f32" : "f64";
      Random random{11};
      const Fill values = [&](const std::string& name, int64_t i) -> std::optional<uint64_t> {
        if (name == "z" || i % 9 == 8) return {};
        const double divisor =
            name == "y" && shared ? 0.7 : std::ldexp(1.0 + static_cast<double>(random() % 1000) / 1000, i % 7 - 3);
        if (name == "y") return bits_of(type, i % 2 ? divisor : -divisor);
        const double count =
            std::floor(std::ldexp(1.0 + static_cast<double>(random() % 4096) / 4096, static_cast<int>(i % 70)));
        const double x = i % 4 == 0 ? count * 0.7 : i % 4 == 1 ? count * 3 : count + 0.375;
        return bits_of(type, i % 3 ? x : -x);
      };
      check("kernel @rest(%x: " + real + "[n] in, %y: " + real + "[n] in, %z: " + real +
                "[n] out; n) {\nparallel for i in n {\n%0: " + real + " = load %x[i]\n%1: " + real + " = load %y[" +
                (shared ? "0" : "i") + "]\n%2: " + real + " = rem %0, %1\nstore %z[i], %2\n}\n}",
            values);
    }
}

}  // namespace
}  // namespace frit::test::conversions
