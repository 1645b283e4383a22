// The shader of one launch that transforms lines of a known length, by a plan.
//
// Every number of the text that follows from the length is a literal, and numbers stay in registers between two
// exchanges through shared memory. Loads come first and are unconditional: past the last line they read the last one.
#include "codegen/glsl/fft/fft_lines.h"

#include <set>

#include "codegen/glsl/fft/fft_radix.h"

namespace frit::codegen::glsl {

const char* const kFftLineRoots =
    R"(// exp(-2 pi i k / m) of 4 k, an integer below 2^24, and 1 / m. Adding 1.5 * 2^23 rounds to an integer.
vec2 line_root(float k4, float m, float inverse) {
  precise const float shifted = fma(k4, inverse, 12582912.0);
  precise const float quarters = shifted - 12582912.0;
  precise const float rest = fma(-quarters, m, k4);
  const float t = rest * inverse * 1.57079633, u = t * t;
  const float s = fma(t * u, fma(u, fma(u, fma(u, 2.75573192e-6, -1.98412698e-4), 8.33333333e-3), -0.166666667), t);
  const float high = fma(u, fma(u, fma(u, -2.75573192e-7, 2.48015873e-5), -1.38888889e-3), 4.16666667e-2);
  const float c = fma(u, fma(u, high, -0.5), 1.0);
  const uint q = floatBitsToUint(shifted);
  const bool odd = (q & 1u) != 0u;
  const uint re = floatBitsToUint(odd ? s : c), im = floatBitsToUint(odd ? c : s);
  return vec2(uintBitsToFloat(re ^ ((q + 1u) & 2u) << 30u), uintBitsToFloat(im ^ (~q & 2u) << 30u));
}
// The same of k and larger m.
vec2 long_root(uint k, uint m, float inverse) {
  const uint eighths = k << 3, octant = eighths / m;
  return root_at(octant, float(eighths - octant * m) * inverse);
}
)";

namespace {

constexpr int64_t kMostExact = int64_t{1} << 22;  // of m, so that 4 k is exact

std::string text_of(int64_t i) { return std::to_string(i); }
std::string unsigned_of(int64_t i) { return std::to_string(i) + "u"; }

class Writer {
 public:
  Writer(const FftPlan& plan, const FftLines& lines) : plan_(plan), lines_(lines) {}

  std::string run() {
    std::set<int> radices;
    for (const FftStage& s : plan_.stages)
      if (s.unit == FftUnit::kStep) radices.insert(static_cast<int>(s.radix));
    text_ = radix_text(radices);
    if (!plan_.tiles.empty())
      text_ += std::string("shared ") + (plan_.halves ? "float" : "vec2") + " tile[" + text_of(plan_.tile_numbers()) +
               "];\n";
    text_ += "void main() {\n  const uint me = gl_LocalInvocationID.x;\n  if (!begin(" +
             text_of(plan_.lines * plan_.turns) + "UL)) return;\n";
    for (size_t s = 0; s < plan_.stages.size(); ++s) places(s);
    if (plan_.middle > 0) begin_turns();
    load();
    for (size_t s = 0; s < plan_.stages.size(); ++s) {
      const bool is_step = stage(s).unit == FftUnit::kStep;
      if (plan_.middle > 0 && is_step && (s == 0 || stage(s - 1).unit != FftUnit::kStep)) chirp_in(s);
      if (is_step) step(s);
      if (s + 1 == plan_.stages.size()) break;
      if (plan_.middle > 0 && s >= plan_.middle && stage(s + 1).unit != FftUnit::kStep) chirp_out(s);
      if (s + 1 == plan_.middle)
        multiply(s);
      else
        exchange(s);
    }
    if (plan_.middle > 0 && plan_.stages.back().unit == FftUnit::kStep) chirp_out(plan_.stages.size() - 1);
    if (plan_.stages.back().unit == FftUnit::kPair) join_pairs();
    store();
    return text_ + (plan_.middle > 0 ? "  }\n}\n" : "}\n");
  }

 private:
  // A convolution's first turn transforms the filter, which is the same for all lines.
  void begin_turns() {
    line("vec2 h[" + text_of(blocks(plan_.middle) * stage(plan_.middle).width()) + "];");
    line("const uint64_t start = first;");
    line("for (uint turn = 0u; turn <= " + unsigned_of(plan_.turns) + "; ++turn) {");
    line("first = start + uint64_t(max(turn, 1u) - 1u) * " + text_of(plan_.lines) + "UL;");
    line("if (first >= end) break;");
  }

  // exp(-pi i k k / n).
  std::string chirp(const std::string& k) const {
    const std::string rest = "(" + k + ") * (" + k + ") % " + unsigned_of(2 * plan_.row);
    return root(rest, 2 * plan_.row);
  }

  // The transform takes a row's numbers with the chirp, or the filter.
  void chirp_in(size_t s) {
    const FftStage& g = stage(s);
    line("if (turn == 0u) {");
    each_number(s, [&](int64_t b, int64_t i) {
      const std::string k = of("j", s, b) + " + " + unsigned_of(i * g.each);
      line("{");
      line("const uint k = min(" + k + ", " + unsigned_of(plan_.n) + " - (" + k + "));");
      line(number(s, b, i) + " = k < " + unsigned_of(plan_.row) + " ? conjugate(" + chirp("k") + ") : vec2(0.0);");
      line("}");
    });
    line("} else {");
    each_number(s, [&](int64_t b, int64_t i) {
      if (i * g.each >= plan_.row) return line(number(s, b, i) + " = vec2(0.0);");
      const std::string k = of("j", s, b) + " + " + unsigned_of(i * g.each);
      const bool cut = (i + 1) * g.each > plan_.row;
      line(number(s, b, i) + " = " + (cut ? k + " >= " + unsigned_of(plan_.row) + " ? vec2(0.0) : " : "") + "times(" +
           number(s, b, i) + ", " + chirp(k) + ");");
    });
    line("}");
  }

  // The product with the filter's transform, conjugated, as the transform back is one of conjugates.
  void multiply(size_t s) {
    line("if (turn == 0u) {");
    each_number(s, [&](int64_t b, int64_t i) {
      line("h[" + text_of(b * stage(s).width() + i) + "] = " + number(s, b, i) + " * " +
           float_text(1.0 / static_cast<double>(plan_.n)) + ";");
    });
    line("continue;");
    line("}");
    each_number(s, [&](int64_t b, int64_t i) {
      line(number(s + 1, b, i) + " = conjugate(times(" + number(s, b, i) + ", h[" + text_of(b * stage(s).width() + i) +
           "]));");
    });
  }

  void chirp_out(size_t s) {
    const FftStage& g = stage(s);
    each_number(s, [&](int64_t b, int64_t i) {
      if (i * g.each >= plan_.row) return;
      line(number(s, b, i) + " = times(conjugate(" + number(s, b, i) + "), " +
           chirp(of("j", s, b) + " + " + unsigned_of(i * g.each)) + ");");
    });
  }

  const FftStage& stage(size_t s) const { return plan_.stages[s]; }
  int64_t blocks(size_t s) const { return plan_.blocks(stage(s)); }
  int64_t total(size_t s) const { return plan_.lines * stage(s).each; }
  bool partial(size_t s, int64_t b) const { return (b + 1) * plan_.threads > total(s); }
  // Names of a unit's place, line and index, and of its registers.
  static std::string of(const char* name, size_t s, int64_t b) {
    return name + text_of(static_cast<int64_t>(s)) + "_" + text_of(b);
  }
  std::string number(size_t s, int64_t b, int64_t i) const {
    return "v" + text_of(static_cast<int64_t>(s)) + "[" + text_of(b * stage(s).width() + i) + "]";
  }
  void line(const std::string& text) { text_ += "  " + text + "\n"; }

  // For each unit of the stage.
  template <class Do>
  void each_block(size_t s, const Do& action) {
    for (int64_t b = 0; b < blocks(s); ++b) action(b);
  }
  template <class Do>
  void each_number(size_t s, const Do& action) {
    each_block(s, [&](int64_t b) {
      for (int64_t i = 0; i < stage(s).width(); ++i) action(b, i);
    });
  }

  void places(size_t s) {
    const FftStage& g = stage(s);
    line("vec2 v" + text_of(static_cast<int64_t>(s)) + "[" + text_of(blocks(s) * g.width()) + "];");
    each_block(s, [&](int64_t b) {
      std::string at = "me + " + unsigned_of(b * plan_.threads);
      if (partial(s, b)) at = "min(" + at + ", " + unsigned_of(total(s) - 1) + ")";
      const std::string f = of("f", s, b), l = of("l", s, b), j = of("j", s, b);
      line("const uint " + f + " = " + at + ";");
      if (plan_.lines == 1)
        line("const uint " + l + " = 0u, " + j + " = " + f + ";");
      else if (g.across)
        line("const uint " + j + " = " + f + " / " + unsigned_of(plan_.lines) + ", " + l + " = " + f + " % " +
             unsigned_of(plan_.lines) + ";");
      else
        line("const uint " + l + " = " + f + " / " + unsigned_of(g.each) + ", " + j + " = " + f + " % " +
             unsigned_of(g.each) + ";");
    });
  }

  // exp(-2 pi i k factor / m).
  static std::string root(const std::string& k, int64_t m, int64_t factor = 1) {
    const std::string inverse = float_text(1.0 / static_cast<double>(m));
    if (m > kMostExact)
      return "long_root(" + k + " * " + unsigned_of(factor) + ", " + unsigned_of(m) + ", " + inverse + ")";
    return "line_root(float(" + k + ") * " + text_of(4 * factor) + ".0, " + text_of(m) + ".0, " + inverse + ")";
  }

  // Roots of k i / m for the numbers i of a unit: those of powers of two, and products of these.
  void roots(const std::string& k, int64_t m, int64_t width) {
    for (int64_t i = 1; i < width; ++i) {
      const int64_t low = i & -i;
      line("const vec2 w" + text_of(i) + " = " +
           (low == i ? root(k, m, i) : "times(w" + text_of(i - low) + ", w" + text_of(low) + ")") + ";");
    }
  }

  void load() {
    const FftStage& g = stage(0);
    const bool pairs = g.unit == FftUnit::kPair;
    each_block(0, [&](int64_t b) {
      const std::string j = of("j", 0, b), base = of("b", 0, b), p = of("p", 0, b);
      line("const uint64_t " + base + " = from(" + of("l", 0, b) + "), " + p + " = " + base + " + uint64_t(" + j +
           ") * " + lines_.step + ";");
      for (int64_t i = 0; i < g.width(); ++i) {
        const std::string to = number(0, b, i) + " = ", last = unsigned_of(plan_.row - 1);
        const bool padded = !pairs && (i + 1) * g.each > plan_.row;
        if (padded && i * g.each >= plan_.row) continue;
        std::string at = j + " + " + unsigned_of(i * g.each);
        if (padded) at = "min(" + at + ", " + last + ")";
        if (lines_.fetched)
          line(to + "fetch(" + of("l", 0, b) + ", " + at + ");");
        else if (padded)
          line(to + "at(" + base + " + uint64_t(" + at + ") * " + lines_.step + ");");
        else if (pairs && i)
          line(to + "at(" + base + " + uint64_t(" + unsigned_of(plan_.row) + " - " + j + ") * " + lines_.step + ");");
        else
          line(to + "at(" + p + " + " + text_of(i * g.each) + "UL * " + lines_.step + ");");
      }
    });
    if (pairs) return split_pairs();
    if (lines_.conjugated)
      each_number(0, [&](int64_t b, int64_t i) { line(number(0, b, i) + " = conjugate(" + number(0, b, i) + ");"); });
    if (lines_.before > 1) each_block(0, [&](int64_t b) { turn(b); });
  }

  // With the roots of earlier launches: those of the unit's first number, and from one number of it to the next.
  void turn(int64_t b) {
    const FftStage& g = stage(0);
    const int64_t m = lines_.before * plan_.n;
    line("{");
    line("const uint c = turned_of(" + of("l", 0, b) + ");");
    line("const vec2 w0 = " + root("(c * " + of("j", 0, b) + ")", m) + ";");
    roots("(c * " + unsigned_of(g.each) + ")", m, g.width());
    for (int64_t i = 0; i < g.width(); ++i)
      line(number(0, b, i) + " = times(" + number(0, b, i) + ", " +
           (i ? "times(w0, w" + text_of(i) + ")" : std::string("w0")) + ");");
    line("}");
  }

  // Half of a real row's spectrum as that of complex numbers of half the length, conjugated.
  void split_pairs() {
    each_block(0, [&](int64_t b) {
      const std::string j = of("j", 0, b);
      line("{");
      line("vec2 a = " + number(0, b, 0) + ", c = conjugate(" + number(0, b, 1) + ");");
      line("if (" + j + " == 0u) a.y = 0.0, c.y = 0.0;");
      line("const vec2 odd = times(a - c, conjugate(" + root(j, 2 * plan_.row) + ")), turned = vec2(-odd.y, odd.x);");
      line(number(0, b, 0) + " = conjugate(a + c + turned);");
      line(number(0, b, 1) + " = a + c - turned;");
      line("}");
    });
  }

  // The reverse: a spectrum's numbers j and n - j.
  void join_pairs() {
    const size_t s = plan_.stages.size() - 1;
    each_block(s, [&](int64_t b) {
      line("{");
      line("const vec2 a = " + number(s, b, 0) + ", c = conjugate(" + number(s, b, 1) + ");");
      line("const vec2 even = 0.5 * (a + c), odd = 0.5 * (a - c);");
      line("const vec2 turned = times(vec2(odd.y, -odd.x), " + root(of("j", s, b), 2 * plan_.row) + ");");
      line(number(s, b, 0) + " = even + turned;");
      line(number(s, b, 1) + " = conjugate(even - turned);");
      line("}");
    });
  }

  void step(size_t s) {
    const FftStage& g = stage(s);
    if (g.radix == 1) return;
    each_block(s, [&](int64_t b) {
      line("{");
      if (g.done > 1) {
        line("const uint k = " + of("j", s, b) + " % " + unsigned_of(g.done) + ";");
        roots("k", g.done * g.radix, g.radix);
        for (int64_t i = 1; i < g.radix; ++i)
          line(number(s, b, i) + " = times(" + number(s, b, i) + ", w" + text_of(i) + ");");
      }
      std::string call = "dft" + text_of(g.radix) + "(";
      for (int64_t i = 0; i < g.radix; ++i) call += (i ? ", " : "") + number(s, b, i);
      line(call + ");");
      line("}");
    });
  }

  // The place in the tile of the unit's first number, and of number i from there.
  std::string base_place(size_t s, int64_t b, int64_t block, const FftTile& t) const {
    const std::string j = of("j", s, b), l = of("l", s, b);
    std::string at = plan_.lines > 1 ? l + " * " + unsigned_of(t.line) + " + " : "";
    if (block >= plan_.n) return at + j;
    return at + j + " / " + unsigned_of(block) + " * " + unsigned_of(t.pitch) + " + " + j + " % " + unsigned_of(block);
  }

  void put(size_t s, const char* part) {
    const FftStage& g = stage(s);
    each_number(s, [&](int64_t b, int64_t i) {
      std::string at = of("put", s, b), guard;
      if (g.unit == FftUnit::kStep) at += " + " + unsigned_of(i * g.done);
      if (partial(s, b)) guard = "me < " + unsigned_of(total(s) - b * plan_.threads);
      if (g.unit == FftUnit::kPair && i) {
        at += " + " + unsigned_of(plan_.row) + " - 2u * " + of("j", s, b);
        guard += (guard.empty() ? "" : " && ") + of("j", s, b) + " != 0u";
      }
      line((guard.empty() ? "" : "if (" + guard + ") ") + "tile[" + at + "] = " + number(s, b, i) + part + ";");
    });
  }

  void get(size_t s, const FftTile& t, const char* part) {
    const FftStage& g = stage(s);
    each_number(s, [&](int64_t b, int64_t i) {
      std::string at = of("get", s, b);
      if (g.unit == FftUnit::kPair && i)
        at += " + (" + of("j", s, b) + " == 0u ? 0u : " + unsigned_of(plan_.row) + " - 2u * " + of("j", s, b) + ")";
      else if (g.unit == FftUnit::kStep)
        at += " + " + unsigned_of(t.block >= plan_.n ? i * g.each : i * g.each / t.block * t.pitch);
      line(number(s, b, i) + part + " = tile[" + at + "];");
    });
  }

  void exchange(size_t s) {
    const FftTile& t = plan_.tiles[s];
    const FftStage& g = stage(s);
    each_block(s, [&](int64_t b) {
      // A step leaves blocks of `done * radix` numbers.
      std::string at = base_place(s, b, plan_.n, t);
      if (g.unit == FftUnit::kStep && g.done < g.each) {
        at = plan_.lines > 1 ? of("l", s, b) + " * " + unsigned_of(t.line) + " + " : "";
        const std::string j = of("j", s, b);
        at += j + " / " + unsigned_of(g.done) + " * " + unsigned_of(t.pitch) + " + " + j + " % " + unsigned_of(g.done);
      }
      line("const uint " + of("put", s, b) + " = " + at + ";");
    });
    each_block(s + 1, [&](int64_t b) {
      line("const uint " + of("get", s + 1, b) + " = " + base_place(s + 1, b, t.block, t) + ";");
    });
    const auto move = [&](const char* part, bool waits) {
      if (waits) line("barrier();");
      put(s, part);
      line("barrier();");
      get(s + 1, t, part);
    };
    move(plan_.halves ? ".x" : "", s > 0 || plan_.middle > 0);
    if (plan_.halves) move(".y", true);
  }

  // Where the result has fewer numbers than the row.
  std::string when_stored(size_t s, int64_t b, int64_t i) const {
    const FftStage& g = stage(s);
    const int64_t first = i * g.each * lines_.before, end = (i + 1) * g.each * lines_.before;
    if (g.unit == FftUnit::kPair || end <= lines_.stored) return "";
    const std::string j = of("j", s, b);
    const std::string at =
        lines_.before > 1 ? "turned_of(" + of("l", s, b) + ") + " + j + " * " + unsigned_of(lines_.before) : j;
    return "if (" + at + " + " + unsigned_of(first) + " < " + unsigned_of(lines_.stored) + ") ";
  }

  void store() {
    const size_t s = plan_.stages.size() - 1;
    const FftStage& g = stage(s);
    each_block(s, [&](int64_t b) {
      const std::string j = of("j", s, b), l = of("l", s, b), q = of("q", s, b);
      std::string guard = partial(s, b) ? "me < " + unsigned_of(total(s) - b * plan_.threads) : "";
      if (plan_.lines > 1) guard += std::string(guard.empty() ? "" : " && ") + "there(" + l + ")";
      const std::string step = text_of(lines_.store_step) + "UL";
      line("const uint64_t " + q + " = into(" + l + ") + uint64_t(" + j + ") * " + step + ";");
      line((guard.empty() ? "" : "if (" + guard + ") ") + "{");
      for (int64_t i = 0; i < g.width(); ++i) {
        std::string at = q + " + " + text_of(i * g.each * lines_.store_step) + "UL", v = number(s, b, i);
        if (g.unit == FftUnit::kPair && i)
          at = q + " + uint64_t(" + unsigned_of(plan_.row) + " - 2u * " + j + ") * " + step;
        if (lines_.real)
          v += ".x";
        else if (lines_.conjugate_back)
          v = "conjugate(" + v + ")";
        if (lines_.scale != 1) v += " * " + float_text(lines_.scale);
        line(when_stored(s, b, i) + (lines_.real ? "Real(" : "Complex(") + at + ").data = " + v + ";");
      }
      line("}");
    });
  }

  const FftPlan& plan_;
  const FftLines& lines_;
  std::string text_;
};

}  // namespace

std::string fft_lines_text(const FftPlan& plan, const FftLines& lines) { return Writer(plan, lines).run(); }

}  // namespace frit::codegen::glsl
