// Every row of the operation table, run eagerly on operands that lie in memory in every way that views can make them
// lie: with axes in another order, with gaps, from an offset on, backwards, with elements shown many times, and empty.
//
// The results must be those on dense operands, to the bit; where an op is exact, those of the graph interpreter too.
// Operands stand before a page without access, so that a read past their end is seen.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "frontend/core/build.h"
#include "frontend/frit/transforms.h"
#include "ir/graph/expression.h"
#include "ir/routines/routine.h"
#include "support/generate.h"
#include "support/ways.h"

namespace frit::test {
namespace {

using namespace ir;

#ifdef FRIT_SANITIZED
constexpr int kDraws = 1;
#else
constexpr int kDraws = 3;
#endif

const std::vector<ir::Shape> kShapes = {{3, 5},    {4, 1}, {2, 3, 4},    {7}, {},
                                        {2, 0, 3}, {1, 6}, {3, 1, 2, 5}, {0}, {33, 4}};

// How an axis may lie.
enum class Lie : uint8_t { Apart, Backwards, Repeated };

// Elements of a view, read one by one.
ir::Tensor read(const runtime::Tensor& t) {
  ir::Tensor out(t.dtype, {t.shape.begin(), t.shape.end()});
  const std::byte* data = detail::data_of(t);
  for (int64_t i = 0; i < out.size(); ++i) {
    int64_t at = 0, rest = i;
    for (size_t axis = t.shape.size(); axis-- > 0; rest /= t.shape[axis]) at += rest % t.shape[axis] * t.strides[axis];
    uint64_t bits = 0;
    std::memcpy(&bits, data + at * t.dtype.size(), t.dtype.size());
    out.set_bits(i, bits);
  }
  return out;
}

array array_of(runtime::Tensor t) {
  const frit::Shape shape(t.shape.begin(), t.shape.end());
  const Dtype dtype = t.dtype;
  return detail::array_of(std::make_shared<detail::Node>(dtype, shape, std::move(t)));
}

class Views {
 public:
  explicit Views(Random& random) : random_(random) {}

  // A view of this type on memory with random elements, in a way that is drawn.
  runtime::Tensor draw(const Type& type, Values values) {
    const size_t rank = type.shape.size();
    runtime::Tensor t{nullptr, type.dtype, runtime::Sizes(rank), runtime::Sizes(rank), 0};
    for (size_t axis = 0; axis < rank; ++axis) t.shape[axis] = type.shape[axis].value();
    std::vector<size_t> order(rank);
    std::iota(order.begin(), order.end(), size_t{0});
    if (chance(random_, 60)) std::shuffle(order.begin(), order.end(), random_);
    const bool gaps = chance(random_, 50), backwards = chance(random_, 40), repeats = chance(random_, 50);
    int64_t step = gaps && chance(random_, 50) ? between(random_, 1, 3) : 1, last = 0;
    for (size_t i = rank; i-- > 0;) {
      const size_t axis = order[i];
      const int64_t n = t.shape[axis];
      const Lie lie = repeats && chance(random_, 40)     ? Lie::Repeated
                      : backwards && chance(random_, 60) ? Lie::Backwards
                                                         : Lie::Apart;
      if (lie == Lie::Repeated) continue;
      t.strides[axis] = lie == Lie::Backwards ? -step : step;
      const int64_t reach = std::max<int64_t>(0, n - 1) * step;
      if (lie == Lie::Backwards) t.offset += reach;
      last += reach;
      step *= std::max<int64_t>(1, n);
      if (gaps) step += between(random_, 0, 2);
    }
    const int64_t before = chance(random_, 50) ? between(random_, 0, 5) : 0;
    t.offset += before;
    const int64_t elements = before + (type.size().is(0) ? 0 : last + 1);
    t.buffer = guarded_buffer(static_cast<size_t>(elements) * type.dtype.size());
    auto* data = static_cast<std::byte*>(t.buffer->data());
    for (int64_t i = 0; i < elements; ++i) {
      const uint64_t bits = random_bits(type.dtype, values, random_);
      std::memcpy(data + i * type.dtype.size(), &bits, type.dtype.size());
    }
    return t;
  }

  // The same elements, dense.
  static runtime::Tensor dense(const runtime::Tensor& t) {
    const ir::Tensor elements = read(t);
    runtime::Tensor copy = detail::allocate(t.dtype, frit::Shape(t.shape.begin(), t.shape.end()));
    auto* data = static_cast<std::byte*>(copy.buffer->data());
    for (int64_t i = 0; i < elements.size(); ++i) {
      const uint64_t bits = elements.bits(i);
      std::memcpy(data + i * t.dtype.size(), &bits, t.dtype.size());
    }
    return copy;
  }

 private:
  Random& random_;
};

std::string layout_text(const runtime::Tensor& t) {
  std::string text = detail::type_text(t.dtype, frit::Shape(t.shape.begin(), t.shape.end())) + " strides (";
  for (int64_t s : t.strides) text += std::to_string(s) + ",";
  return text + ") from " + std::to_string(t.offset) + "; ";
}

class EagerRow : public testing::TestWithParam<const OpDef*> {
 protected:
  void SetUp() override {
    if (on_gpu()) GTEST_SKIP() << "memory with guard pages is the CPU's";
  }

  static std::vector<ir::Tensor> run(const OpDef& def, const std::vector<array>& operands, const AttrMap& attrs) {
    const std::vector<array> results = detail::make_all(def, operands, attrs, {});
    eval(results);
    std::vector<ir::Tensor> values;
    for (const array& a : results) values.push_back(read(detail::node_of(a)->value()));
    return values;
  }

  void check(const OpDef& def, const Call& call) {
    // Sums of products come in another order when matrices lie otherwise.
    const bool ordered = def.kind != OpKind::Library && def.kind != OpKind::Composite;
    std::vector<array> strided, plain;
    std::vector<ir::Tensor> inputs;
    std::string shown = std::string(def.name) + ": ";
    Views views(random_);
    for (const Type& type : call.operands) {
      runtime::Tensor view = views.draw(type, ordered ? Values::Special : Values::Exact);
      shown += layout_text(view);
      inputs.push_back(read(view));
      plain.push_back(array_of(Views::dense(view)));
      strided.push_back(array_of(std::move(view)));
    }
    now_testing(shown);
    const std::vector<ir::Tensor> want = run(def, plain, call.attrs), got = run(def, strided, call.attrs);
    for (size_t i = 0; i < want.size(); ++i) ASSERT_EQ(difference(want[i], got[i]), "") << shown;

    Function f;
    f.name = "row";
    std::vector<ValueId> params;
    for (const Type& t : call.operands) params.push_back(f.add_param("x" + std::to_string(params.size()), t));
    auto built = Builder(f).try_build(def, params, call.attrs);
    ASSERT_TRUE(built.ok()) << built.error().str();
    f.results = *built;
    if (!is_exact(f, f.ops[0])) return;
    auto reference = interpret(f, inputs);
    ASSERT_TRUE(reference.ok()) << reference.error().str();
    for (size_t i = 0; i < want.size(); ++i)
      ASSERT_EQ(difference((*reference)[i], got[i]), "") << "against the graph interpreter\n" << shown;
  }

  Random random_{77};
};

TEST_P(EagerRow, GivesOnViewsWhatItGivesOnDenseCopies) {
  const OpDef& def = *GetParam();
  if (def.arity == 0) return;
  if (def.routine && def.routine->operand_kind != OperandKind::Any)
    GTEST_SKIP()
        << "a view of random elements is no matrix that the routine succeeds on; rows_test.cpp makes such ones";
  const bool has_dtype =
      std::any_of(def.attrs.begin(), def.attrs.end(), [](const AttrSpec& s) { return s.kind == AttrKind::Dtype; });
  size_t turn = 0;
  for (Dtype leading : all_dtypes()) {
    if (!admits(def.domain, leading)) continue;
    if (def.routine && def.routine->takes && !def.routine->takes(leading)) continue;
    int done = 0;
    for (size_t attempt = 0; attempt < kShapes.size() && done < kDraws; ++attempt) {
      const ir::Shape& shape = kShapes[turn++ % kShapes.size()];
      const Dtype attribute = has_dtype ? all_dtypes()[random_() % all_dtypes().size()] : leading;
      const auto call = draw_call(def, {leading, shape}, attribute, {}, random_);
      if (!call) continue;
      check(def, *call);
      if (HasFatalFailure()) return;
      ++done;
    }
    // A row may refuse bool though its class of types has it.
    EXPECT_TRUE(done > 0 || has_dtype || leading == bool_) << "nothing was found that '" << def.name << "' takes";
  }
}

INSTANTIATE_TEST_SUITE_P(Table, EagerRow, testing::ValuesIn(drawn_rows()),
                         [](const testing::TestParamInfo<const OpDef*>& info) {
                           return std::string(info.param->name);
                         });

}  // namespace
}  // namespace frit::test
