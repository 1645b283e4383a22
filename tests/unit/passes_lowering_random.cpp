// Random graphs: the program that the passes make computes the meaning of the graph, whatever was fused.
#include <random>

#include "ir/text/kernel_printer.h"
#include "ir/text/printer.h"
#include "passes_lowering_support.h"

namespace frit::testing {
namespace {

using namespace ir;

class RandomGraph {
 public:
  RandomGraph(uint64_t seed, bool symbolic) : random_(seed), builder_(f_), symbolic_(symbolic) {
    f_.name = "random";
    dtype_ = std::array{int32, float32, float32, float64}[pick(4)];
    for (const char* s : {"a", "b"}) symbols_[s] = symbolic ? std::array<int64_t, 6>{0, 1, 2, 3, 5, 7}[pick(6)] : 0;
    int params = 1 + pick(3);
    Shape space = shape();
    for (int i = 0; i < params; ++i) {
      ValueId v = f_.add_param("x" + std::to_string(i), {dtype_, pick(2) ? space : shape()});
      values_.push_back(v);
    }
    if (pick(3) == 0) add_layouts();
    for (int i = 0, n = 3 + pick(20); i < n; ++i) step();
    for (int i = 0, n = 1 + pick(3); i < n; ++i)
      f_.results.push_back(values_[values_.size() - 1 - pick(std::min<int>(6, static_cast<int>(values_.size())))]);
    // A symbol that no parameter binds has no value.
    SymbolValues used;
    for (const std::string& s : f_.symbols()) used[s] = symbols_.count(s) ? symbols_[s] : 0;
    symbols_ = used;
  }

  Function f_;
  SymbolValues symbols_;

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
  ValueId any() { return values_[static_cast<size_t>(pick(static_cast<int>(values_.size())))]; }
  ValueId recent() {
    return pick(3) ? values_[values_.size() - 1 -
                             static_cast<size_t>(pick(std::min<int>(3, static_cast<int>(values_.size()))))]
                   : any();
  }

  Dim size() {
    if (symbolic_ && pick(2)) return Dim::symbol(pick(2) ? "a" : "b");
    return std::array<int64_t, 8>{1, 1, 2, 3, 4, 6, 9, pick(8) ? 5 : 0}[static_cast<size_t>(pick(8))];
  }
  Shape shape() {
    Shape s;
    for (int i = 0, n = pick(4); i < n; ++i) s.push_back(size());
    return s;
  }

  // Inner axes with stride 1 or 2, or swapped axes.
  void add_layouts() {
    for (ValueId p : f_.params) {
      Dims strides = row_major_strides(f_.type(p).shape);
      if (strides.size() > 1 && pick(2)) {
        Shape s = f_.type(p).shape;
        Dim next = s[0] * Dim(1 + pick(2));
        strides[0] = 1;
        for (size_t i = strides.size(); i-- > 1; next = next * s[i]) strides[i] = next;
      } else {
        for (Dim& d : strides) d = d * Dim(2);
      }
      f_.layouts.push_back(strides);
    }
  }

  void add(Result<std::vector<ValueId>> r) {
    if (r.ok() && f_.type((*r)[0]).dtype == dtype_) values_.push_back((*r)[0]);
  }

  ValueId fitted(ValueId v, const Shape& to) {
    const Type& t = f_.type(v);
    if (t.shape == to) return v;
    auto r = builder_.try_build(op("broadcast"), {v}, {{"shape", to}});
    return r.ok() ? (*r)[0] : kNone;
  }

  void step() {
    ValueId x = recent();
    const Type t = f_.type(x);
    switch (pick(12)) {
      case 0:
      case 1: return unary(x);
      case 2:
      case 3:
      case 4: return binary(x, t);
      case 5:
      case 6: return reduce(x, t);
      case 7: return transpose(x, t);
      case 8: return reshape(x, t);
      case 9: return slice(x, t);
      case 10: return pad(x, t);
      case 11: return join(x, t);
    }
  }

  void unary(ValueId x) {
    const char* name =
        is_float(dtype_)
            ? std::array{"tanh", "negative", "abs", "sigmoid", "square", "sin"}[static_cast<size_t>(pick(6))]
            : std::array{"negative", "abs", "square"}[static_cast<size_t>(pick(3))];
    if (std::string_view(name) == "square" && is_float(dtype_)) name = "tanh";
    add(builder_.try_build(op(name), {x}));
  }

  void binary(ValueId x, const Type& t) {
    ValueId y = fitted(any(), t.shape);
    if (y == kNone) y = fitted(builder_.scalar(dtype_, pick(5) - 2), t.shape);
    const char* name = std::array{"add", "subtract", "maximum", "minimum",
                                  "multiply"}[static_cast<size_t>(pick(is_float(dtype_) ? 4 : 5))];
    add(builder_.try_build(op(name), {x, y}));
  }

  void reduce(ValueId x, const Type& t) {
    const int rank = t.rank();
    if (rank == 0) return;
    std::vector<int> axes;
    for (int i = 0; i < rank; ++i)
      if (pick(2)) axes.push_back(i);
    if (axes.empty()) axes.push_back(pick(rank));
    bool keep = pick(2);
    const char* name = std::array{"sum", "max", "min"}[static_cast<size_t>(pick(3))];
    auto r = builder_.try_build(op(name), {x}, {{"axes", to_dims(axes)}, {"keepdims", keep}});
    add(r);
    if (r.ok() && keep && pick(4))
      if (ValueId y = fitted((*r)[0], t.shape); y != kNone) {
        values_.push_back(y);
        add(builder_.try_build(op("subtract"), {x, y}));
      }
  }

  void transpose(ValueId x, const Type& t) {
    std::vector<int> axes(static_cast<size_t>(t.rank()));
    for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int>(i);
    std::shuffle(axes.begin(), axes.end(), random_);
    add(builder_.try_build(op("transpose"), {x}, {{"axes", to_dims(axes)}}));
  }

  // Merges two axes, or cuts axes and adds axes of one element.
  void reshape(ValueId x, const Type& t) {
    const int rank = t.rank();
    Shape s;
    if (rank >= 2 && pick(2)) {
      s = t.shape;
      size_t i = static_cast<size_t>(pick(rank - 1));
      s[i] = s[i] * s[i + 1];
      s.erase(s.begin() + static_cast<long>(i) + 1);
    } else if (rank >= 1) {
      for (const Dim& d : t.shape) {
        if (d.is_const() && d.value() > 0 && d.value() % 2 == 0 && pick(2))
          s.insert(s.end(), {Dim(2), Dim(d.value() / 2)});
        else if (d.is_const() && d.value() > 0 && d.value() % 3 == 0 && pick(2))
          s.insert(s.end(), {Dim(d.value() / 3), Dim(3)});
        else
          s.push_back(d);
        if (pick(4) == 0) s.push_back(1);
      }
    }
    if (s.size() <= 4) add(builder_.try_build(op("reshape"), {x}, {{"shape", s}}));
  }

  void slice(ValueId x, const Type& t) {
    Dims start, stop, strides;
    for (const Dim& d : t.shape) {
      int64_t stride = pick(3) + 1;
      if (pick(3) == 0) {
        start.push_back(d - Dim(1)), stop.push_back(-1), strides.push_back(-stride);
      } else {
        start.push_back(d.is_const() && d.value() > 1 ? pick(2) : 0), stop.push_back(d), strides.push_back(stride);
      }
    }
    add(builder_.try_build(op("slice"), {x}, {{"start", start}, {"stop", stop}, {"strides", strides}}));
  }

  void pad(ValueId x, const Type& t) {
    Dims low, high, interior;
    for (int i = 0; i < t.rank(); ++i)
      low.push_back(pick(3)), high.push_back(pick(3)), interior.push_back(pick(4) ? 0 : 1);
    add(builder_.try_build(op("pad"), {x, builder_.scalar(dtype_, pick(3))},
                           {{"low", low}, {"high", high}, {"interior", interior}}));
  }

  // A product of a matrix with its transpose, or a concatenation.
  void join(ValueId x, const Type& t) {
    const int rank = t.rank();
    if (rank == 0) return;
    if (pick(3) == 0 && rank >= 2 && is_float(dtype_)) {
      std::vector<int> axes;
      for (int i = 0; i < rank; ++i) axes.push_back(i);
      std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
      ValueId y = builder_.build("transpose", {x}, {{"axes", to_dims(axes)}});
      add(builder_.try_build(op("matmul"), {x, y}));
      return;
    }
    std::vector<ValueId> parts{x};
    for (int i = 0, n = 1 + pick(pick(4) ? 2 : 10); i < n; ++i) {
      ValueId y = any();
      if (f_.type(y).rank() != rank) y = x;
      parts.push_back(y);
    }
    auto r = builder_.try_build(op("concatenate"), parts, {{"axis", pick(rank)}});
    if (!r.ok()) r = builder_.try_build(op("concatenate"), {x, x, x}, {{"axis", pick(rank)}});
    add(r);
  }

  std::mt19937_64 random_;
  Builder builder_;
  bool symbolic_;
  Dtype dtype_ = float32;
  std::vector<ValueId> values_;
};

void run_many(uint64_t from, int count, bool symbolic) {
  for (uint64_t seed = from; seed < from + static_cast<uint64_t>(count); ++seed) {
    RandomGraph g(seed, symbolic);
    bool large = false;
    for (const Value& v : g.f_.values) {
      int64_t n = v.type.size()
                      .evaluate([&](const std::string& s) -> std::optional<int64_t> {
                        auto it = g.symbols_.find(s);
                        return it == g.symbols_.end() ? std::nullopt : std::optional<int64_t>(it->second);
                      })
                      .value_or(0);
      large |= n > 20000;
    }
    if (large) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_lowering_agrees(g.f_, g.symbols_, seed);
    if (::testing::Test::HasFailure()) return;
  }
}

// Sanitized interpreters are many times slower.
#ifdef FRIT_SANITIZED
constexpr int kGraphs = 100;
#else
constexpr int kGraphs = 700;
#endif
TEST(RandomLowering, constant_shapes) { run_many(1, kGraphs, false); }
TEST(RandomLowering, symbolic_shapes) { run_many(100001, kGraphs, true); }

// More operands than one loop reads, of several types, as rows and columns of others too; some values are used late.
TEST(RandomLowering, many_operands) {
  for (uint64_t seed = 1; seed <= uint64_t{kGraphs} / 8; ++seed) {
    std::mt19937_64 random(seed);
    const auto pick = [&](size_t n) { return static_cast<size_t>(random() % n); };
    const std::string type = std::array{"f32", "f16", "bf16", "i32"}[pick(4)], full = type + "[3, 900]";
    std::string params, body, last = "%x0", early = "%x0";
    const size_t count = 13 + pick(20);
    for (size_t i = 0; i < count; ++i) {
      const std::string at = std::to_string(i), x = "%x" + at, y = "%y" + at;
      const bool row = i > 0 && pick(6) == 0, column = i > 0 && !row && pick(6) == 0;
      params += (i ? ", " : "") + x + ": " + (row ? type + "[900]" : column ? type + "[3, 1]" : full);
      const std::string operand = row || column ? "%w" + at : x;
      if (row || column) body += operand + ": " + full + " = broadcast " + x + " {shape=[3, 900]}\n";
      if (i == 0) continue;
      if (pick(5) == 0) {
        body += "%c" + at + ": bool[3, 900] = less " + operand + ", " + early + "\n";
        body += y + ": " + full + " = select %c" + at + ", " + last + ", " + operand + "\n";
      } else {
        const char* op = std::array{"add", "subtract", "multiply", "maximum"}[pick(4)];
        body += y + ": " + full + " = " + op + " " + last + ", " + operand + "\n";
      }
      if (pick(8) == 0) early = y;
      last = y;
    }
    expect_lowering_agrees(
        "func @f(" + params + ") -> (" + full + ", " + full + ") {\n" + body + "return " + last + ", " + early + "\n}",
        {}, seed);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(RandomLowering, same_text_every_time) {
  for (uint64_t seed = 1; seed < 60; ++seed) {
    RandomGraph g(seed, seed % 2);
    auto one = lower(g.f_, {}), two = lower(g.f_, {});
    ASSERT_TRUE(one.ok() && two.ok());
    EXPECT_EQ(print(*one->program, "f"), print(*two->program, "f"));
  }
}

}  // namespace
}  // namespace frit::testing
