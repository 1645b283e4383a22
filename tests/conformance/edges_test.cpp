// Rows that are padded, joined and cut are read under lane masks. No lane that is not active may read: operands stand
// before a page without access, and both ends of rows are drawn at random.
#include <gtest/gtest.h>

#include "ir/graph/expression.h"
#include "support/generate.h"
#include "support/shrink.h"
#include "support/ways.h"

namespace frit::test {
namespace {

using namespace ir;

#ifdef FRIT_SANITIZED
constexpr int kDraws = 10;
#else
constexpr int kDraws = 120;
#endif

constexpr Dtype kTypes[] = {float32, float64, bfloat16, float16, int8, int16, int32, int64, complex64};

class Edges {
 public:
  explicit Edges(uint64_t seed) : random_(seed) {}

  Function draw(SymbolValues& call) {
    Function f;
    f.name = "edges";
    Builder b(f);
    const size_t rank = static_cast<size_t>(between(random_, 1, 3));
    const Dtype type = kTypes[between(random_, 0, std::size(kTypes) - 1)];
    Shape shape;
    for (size_t axis = 0; axis < rank; ++axis) {
      const int64_t n = axis + 1 == rank ? between(random_, 1, 90) : between(random_, 1, 9);
      const bool known = chance(random_, axis + 1 == rank ? 70 : 40);
      if (!known) call["n" + std::to_string(axis)] = n;
      shape.push_back(known ? Dim(n) : Dim::symbol("n" + std::to_string(axis)));
      if (!known) f.facts.set_range(*shape.back().as_symbol(), {1, 100});
    }
    const ValueId x = f.add_param("x", {type, shape}), fill = f.add_param("fill", {type, {}});
    f.results.push_back(reader(b, widen(b, row(b, x, fill, rank), type), rank));
    return f;
  }

  Random& random() { return random_; }

 private:
  // The operand with elements before and behind each row, or behind a part of itself.
  ValueId row(Builder& b, ValueId x, ValueId fill, size_t rank) {
    Dims low, high;
    for (size_t axis = 0; axis < rank; ++axis) {
      low.push_back(between(random_, 0, chance(random_, 50) ? 3 : 20));
      high.push_back(between(random_, 0, chance(random_, 50) ? 3 : 40));
    }
    const ValueId padded = b.build("pad", {x, fill}, {{"low", low}, {"high", high}});
    if (chance(random_, 70)) return padded;
    const auto axis = static_cast<int64_t>(rank) - 1;
    if (!chance(random_, 50)) return b.build("concatenate", {x, x, x}, {{"axis", axis}});
    return b.build("concatenate", {padded, padded}, {{"axis", axis}});
  }

  ValueId widen(Builder& b, ValueId x, Dtype type) {
    static constexpr Dtype kOthers[] = {float32, float64, bfloat16, int8};
    if (is_complex(type) || !chance(random_, 40)) return x;
    return b.build("astype", {x}, {{"dtype", kOthers[between(random_, 0, 3)]}});
  }

  ValueId reader(Builder& b, ValueId x, size_t rank) {
    static const char* const kReaders[] = {"add", "cumsum", "cummax", "sum", "max"};
    const auto* name = kReaders[between(random_, 0, 4)];
    const auto axis = static_cast<int64_t>(rank) - 1;
    if (std::string(name) == "add") return b.build(name, {x, x});
    if (name[0] == 'c') return b.build(name, {x}, {{"axis", axis}, {"reverse", chance(random_, 30)}});
    return b.build(name, {x}, {{"axes", Dims{axis}}});
  }

  Random random_;
};

TEST(Edges, LanesThatAreNotActiveReadNothing) {
  if (on_gpu()) GTEST_SKIP() << "memory with guard pages is the CPU's";
  Edges edges(2611);
  for (int i = 0; i < kDraws; ++i) {
    SymbolValues call;
    const Function f = edges.draw(call);
    std::vector<Tensor> inputs = random_inputs(f, call, Values::Exact, edges.random());
    now_testing(case_text({f, inputs}));
    Ways ways;
    ways.stepwise = ways.reference = false;
    ASSERT_EQ(disagreement(f, inputs, edges.random(), ways), "") << case_text({f, inputs});
  }
}

}  // namespace
}  // namespace frit::test
