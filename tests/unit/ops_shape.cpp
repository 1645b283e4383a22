// Shape rows: types, index rules against brute force, views against index rules.
#include "ops_support.h"

namespace frit::ir::shape_test {
namespace {

using testing::error_of;
using testing::infer_one;
using testing::run;

Dims dims(std::vector<int64_t> v) { return to_dims(v); }
Dim sym(const char* name) { return Dim::symbol(name); }
bool says(const std::string& message, std::string_view part) { return message.find(part) != std::string::npos; }

Tensor numbered(std::vector<int64_t> shape) {
  Tensor t(int32, std::move(shape));
  for (int64_t i = 0; i < t.size(); ++i) t.set_bits(i, static_cast<uint64_t>(i));
  return t;
}

// The row's view of a dense operand, read through its strides, must equal its index rule.
void check_view(std::string_view name, const Tensor& x, const AttrMap& attrs, bool expect_view = true) {
  Tensor want = run(name, {x}, attrs);
  Type type = testing::type_of(x);
  Layout in{type.shape, row_major_strides(type.shape), 0};
  Op made;
  made.def = &op(name);
  made.attrs = attrs;
  auto out = op(name).view(made, in, testing::type_of(want), {});
  ASSERT_EQ(out.has_value(), expect_view) << name;
  if (!out) return;
  ASSERT_EQ(out->shape, testing::type_of(want).shape);
  for (int64_t i = 0; i < want.size(); ++i) {
    int64_t rest = i, at = out->offset.value();
    for (size_t a = want.shape.size(); a-- > 0;) {
      at += rest % want.shape[a] * out->strides[a].value();
      rest /= want.shape[a];
    }
    ASSERT_GE(at, 0);
    ASSERT_LT(at, x.size());
    EXPECT_EQ(x.bits(at), want.bits(i)) << name << " element " << i;
  }
}

TEST(OpsShape, Broadcast) {
  Tensor x(int32, {3, 1}, {1, 2, 3});
  Tensor y = run("broadcast", {x}, {{"shape", dims({2, 3, 2})}});
  EXPECT_EQ(y.values(), (std::vector<double>{1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3}));
  check_view("broadcast", x, {{"shape", dims({2, 3, 4})}});
  check_view("broadcast", Tensor(int32, {}, {7}), {{"shape", dims({2, 0})}});
  EXPECT_TRUE(says(error_of("broadcast", {{float32, {2}}}, {{"shape", dims({3})}}), "cannot stretch f32[2] to [3]"));
  EXPECT_TRUE(says(error_of("broadcast", {{float32, {2, 2}}}, {{"shape", dims({2})}}), "cannot stretch"));
  EXPECT_EQ(infer_one("broadcast", {{float32, {1, sym("n")}}}, {{"shape", Dims{sym("b"), sym("n")}}}).str(),
            "f32[b, n]");
  EXPECT_TRUE(says(error_of("broadcast", {{float32, {sym("m")}}}, {{"shape", Dims{sym("n")}}}), "cannot stretch"));
}

TEST(OpsShape, ReshapeKeepsRowMajorOrder) {
  for (const auto& [from, to] :
       std::vector<std::pair<std::vector<int64_t>, std::vector<int64_t>>>{{{2, 6}, {3, 4}},
                                                                          {{2, 3, 4}, {6, 4}},
                                                                          {{2, 3, 4}, {2, 12}},
                                                                          {{24}, {2, 3, 4}},
                                                                          {{1, 4, 1}, {2, 2}},
                                                                          {{4, 6}, {2, 2, 3, 2}},
                                                                          {{}, {1, 1}},
                                                                          {{1}, {}},
                                                                          {{0, 3}, {3, 0, 5}},
                                                                          {{6, 4}, {4, 6}}}) {
    Tensor x = numbered(from);
    Tensor y = run("reshape", {x}, {{"shape", dims(to)}});
    EXPECT_EQ(y.values(), x.values());
    check_view("reshape", x, {{"shape", dims(to)}});
  }
  EXPECT_TRUE(says(error_of("reshape", {{float32, {2, 3}}}, {{"shape", dims({4})}}),
                   "cannot turn f32[2, 3] of 6 elements into [4] of 4"));
  EXPECT_TRUE(says(error_of("reshape", {{float32, {2}}}, {{"shape", dims({-2, -1})}}), "zero or more"));
}

TEST(OpsShape, ReshapeOfSymbolicSizes) {
  Type x{float32, {sym("b"), sym("n"), 4}};
  EXPECT_EQ(infer_one("reshape", {x}, {{"shape", Dims{sym("b") * sym("n"), 4}}}).str(), "f32[b*n, 4]");
  EXPECT_TRUE(says(error_of("reshape", {x}, {{"shape", Dims{sym("b"), 4}}}), "follow from the facts") ||
              says(error_of("reshape", {x}, {{"shape", Dims{sym("b"), 4}}}), "cannot turn"));
  DimFacts facts;
  facts.set_multiple("n", 16);
  Dims split{floor_div(sym("n"), 16), 16};
  EXPECT_EQ(infer_one("reshape", {{float32, {sym("n")}}}, {{"shape", split}}, facts).shape, Shape(split));
  EXPECT_NE(error_of("reshape", {{float32, {sym("n")}}}, {{"shape", split}}), "");
  // Unchanged axes are passed through without division.
  Op made;
  made.def = &op("reshape");
  Type out{float32, {sym("b"), 2, 2, sym("n")}};
  std::vector<Dim> at{sym("i"), sym("j"), sym("k"), sym("l")};
  Type from{float32, {sym("b"), 4, sym("n")}};
  IndexRule rule = op("reshape").index(made, {&from, 1}, out, at);
  EXPECT_EQ(rule.sources[0].index[0], sym("i"));
  EXPECT_EQ(rule.sources[0].index[1], sym("j") * Dim(2) + sym("k"));
  EXPECT_EQ(rule.sources[0].index[2], sym("l"));
}

TEST(OpsShape, ReshapeOfStridedLayouts) {
  Op made;
  made.def = &op("reshape");
  auto view = [&](Layout in, Shape to) { return op("reshape").view(made, in, {float32, to}, {}); };
  // A transposed matrix cannot be flattened in place; its axes can be split.
  Layout transposed{{4, 3}, {1, 4}, 5};
  EXPECT_FALSE(view(transposed, {12}));
  auto split = view(transposed, {2, 2, 3});
  ASSERT_TRUE(split);
  EXPECT_EQ(split->strides, (Dims{2, 1, 4}));
  EXPECT_EQ(split->offset, Dim(5));
  // Every other row, flattened within rows.
  auto merged = view({{2, 3, 4}, {24, 4, 1}, 0}, {2, 12});
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->strides, (Dims{24, 1}));
  EXPECT_FALSE(view({{2, 3, 4}, {24, 4, 1}, 0}, {24}));
  auto symbolic = view({{sym("b"), 3, 4}, {24, 4, 1}, 0}, {sym("b"), 12});
  ASSERT_TRUE(symbolic);
  EXPECT_EQ(symbolic->strides, (Dims{24, 1}));
}

TEST(OpsShape, Transpose) {
  Tensor x = numbered({2, 3});
  EXPECT_EQ(run("transpose", {x}, {{"axes", dims({1, 0})}}).values(), (std::vector<double>{0, 3, 1, 4, 2, 5}));
  check_view("transpose", numbered({2, 3, 4}), {{"axes", dims({2, 0, 1})}});
  for (const Dims& axes : {dims({0, 0}), dims({0}), dims({0, 2}), dims({-1, 0})})
    EXPECT_TRUE(says(error_of("transpose", {{float32, {2, 3}}}, {{"axes", axes}}), "has axes"));
}

TEST(OpsShape, SliceAgreesWithBruteForce) {
  const int64_t n = 5;
  Tensor x = numbered({n});
  for (int64_t stride : {-3, -2, -1, 1, 2, 3})
    for (int64_t start = -1; start <= n; ++start)
      for (int64_t stop = -1; stop <= n; ++stop) {
        AttrMap attrs{{"start", dims({start})}, {"stop", dims({stop})}, {"strides", dims({stride})}};
        bool inside = stride > 0 ? start >= 0 && stop >= 0 : start < n && stop < n;
        if (!inside) {
          // Refused, or empty because of a bound that is never used.
          auto r = infer(op("slice"), {std::vector<Type>{{int32, {n}}}, attrs, {}});
          EXPECT_TRUE(!r.ok() || (*r)[0].shape[0].is(0));
          continue;
        }
        std::vector<double> want;
        for (int64_t i = start; stride > 0 ? i < stop : i > stop; i += stride) want.push_back(double(i));
        EXPECT_EQ(run("slice", {x}, attrs).values(), want) << start << ":" << stop << ":" << stride;
        check_view("slice", x, attrs);
      }
  check_view("slice", numbered({4, 5}), {{"start", dims({3, 1})}, {"stop", dims({-1, 5})}, {"strides", dims({-1, 2})}});
}

TEST(OpsShape, SliceOfSymbolicSizes) {
  Dim n = sym("n"), s = sym("s");
  Type x{float32, {n}};
  EXPECT_EQ(infer_one("slice", {x}, {{"start", Dims{0}}, {"stop", Dims{min(s, n)}}}).shape[0], min(s, n));
  EXPECT_EQ(
      infer_one("slice", {x}, {{"start", Dims{n - Dim(1)}}, {"stop", Dims{-1}}, {"strides", dims({-1})}}).shape[0], n);
  EXPECT_TRUE(says(error_of("slice", {x}, {{"start", Dims{0}}, {"stop", Dims{s}}}), "not known to lie inside"));
  EXPECT_TRUE(says(error_of("slice", {x}, {{"start", Dims{0}}, {"stop", Dims{3}}}), "not known to lie inside"));
  DimFacts facts;
  facts.set_range("n", {3, 100});
  EXPECT_EQ(infer_one("slice", {x}, {{"start", Dims{0}}, {"stop", Dims{3}}}, facts).shape[0], Dim(3));
  EXPECT_TRUE(
      says(error_of("slice", {x}, {{"start", Dims{0}}, {"stop", Dims{n}}, {"strides", dims({0})}}), "stride 0"));
}

TEST(OpsShape, Pad) {
  Tensor x(int32, {3}, {1, 2, 3}), fill(int32, {}, {9});
  auto pad = [&](int64_t low, int64_t high, int64_t interior) {
    return run("pad", {x, fill}, {{"low", dims({low})}, {"high", dims({high})}, {"interior", dims({interior})}})
        .values();
  };
  EXPECT_EQ(pad(2, 1, 0), (std::vector<double>{9, 9, 1, 2, 3, 9}));
  EXPECT_EQ(pad(0, 0, 2), (std::vector<double>{1, 9, 9, 2, 9, 9, 3}));
  EXPECT_EQ(pad(1, 1, 1), (std::vector<double>{9, 1, 9, 2, 9, 3, 9}));
  EXPECT_EQ(pad(-1, 0, 0), (std::vector<double>{2, 3}));
  EXPECT_EQ(pad(-1, -1, 1), (std::vector<double>{9, 2, 9}));
  EXPECT_EQ(run("pad", {Tensor(int32, {0}), fill}, {{"low", dims({1})}, {"high", dims({1})}}).values(),
            (std::vector<double>{9, 9}));
  Type t{int32, {3}}, f{int32, {}};
  EXPECT_TRUE(says(error_of("pad", {t, {float32, {}}}, {{"low", dims({0})}, {"high", dims({0})}}), "fill"));
  EXPECT_TRUE(
      says(error_of("pad", {t, f}, {{"low", dims({-4})}, {"high", dims({0})}}), "not known to be zero or more"));
  EXPECT_TRUE(says(error_of("pad", {t, f}, {{"low", dims({0, 0})}, {"high", dims({0})}}), "each side"));
}

TEST(OpsShape, Concatenate) {
  Tensor a = numbered({2, 1}), b = numbered({2, 2}), empty(int32, {2, 0});
  EXPECT_EQ(run("concatenate", {a, empty, b}, {{"axis", Dim(1)}}).values(), (std::vector<double>{0, 0, 1, 1, 2, 3}));
  EXPECT_EQ(run("concatenate", {b, b}, {{"axis", Dim(0)}}).values(), (std::vector<double>{0, 1, 2, 3, 0, 1, 2, 3}));
  Type x{float32, {sym("n"), 2}}, y{float32, {sym("m"), 2}};
  EXPECT_EQ(infer_one("concatenate", {x, y}, {{"axis", Dim(0)}}).str(), "f32[m + n, 2]");
  EXPECT_TRUE(says(error_of("concatenate", {x, y}, {{"axis", Dim(1)}}), "differ there alone"));
  EXPECT_TRUE(says(error_of("concatenate", {x, {int32, {1, 2}}}, {{"axis", Dim(0)}}), "f32[n, 2] and i32[1, 2]"));
  EXPECT_TRUE(says(error_of("concatenate", {x}, {{"axis", Dim(2)}}), "has axis 2"));
  EXPECT_TRUE(says(error_of("concatenate", {}, {{"axis", Dim(0)}}), "at least one"));
}

TEST(OpsShape, AsStrided) {
  Tensor x = numbered({10});
  AttrMap windows{{"shape", dims({4, 3})}, {"strides", dims({2, 1})}, {"offset", Dim(1)}};
  EXPECT_EQ(run("as_strided", {x}, windows).values(), (std::vector<double>{1, 2, 3, 3, 4, 5, 5, 6, 7, 7, 8, 9}));
  check_view("as_strided", x, windows);
  check_view("as_strided", x, {{"shape", dims({3})}, {"strides", dims({-4})}, {"offset", Dim(9)}});
  Type t{int32, {10}};
  EXPECT_TRUE(says(error_of("as_strided", {t}, {{"shape", dims({4, 4})}, {"strides", dims({3, 1})}}),
                   "not known to lie inside"));
  EXPECT_TRUE(
      says(error_of("as_strided", {t}, {{"shape", dims({2})}, {"strides", dims({-1})}}), "not known to lie inside"));
  EXPECT_TRUE(
      says(error_of("as_strided", {{int32, {2, 5}}}, {{"shape", dims({2})}, {"strides", dims({1})}}), "flatten") ||
      says(error_of("as_strided", {{int32, {2, 5}}}, {{"shape", dims({2})}, {"strides", dims({1})}}), "one axis"));
}

TEST(OpsShape, IotaAndArange) {
  EXPECT_EQ(run("iota", {}, {{"shape", dims({2, 3})}, {"axis", Dim(1)}, {"dtype", float32}}).values(),
            (std::vector<double>{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(
      run("iota", {}, {{"shape", dims({3})}, {"axis", Dim(0)}, {"dtype", int8}, {"start", Dim(5)}, {"step", Dim(-2)}})
          .values(),
      (std::vector<double>{5, 3, 1}));
  EXPECT_EQ(run("iota", {}, {{"shape", dims({2})}, {"dtype", int32}, {"start", Dim(7)}}).values(),
            (std::vector<double>{7, 7}));
  EXPECT_TRUE(says(error_of("iota", {}, {{"shape", dims({2})}, {"axis", Dim(1)}, {"dtype", int32}}), "has axis 1"));
  auto arange = [](Dtype t, double start, double step, int64_t size) {
    return run("arange", {},
               {{"start", Literal::scalar(t, start)},
                {"step", Literal::scalar(t, step)},
                {"size", Dim(size)},
                {"dtype", t}})
        .values();
  };
  EXPECT_EQ(arange(float64, 0.5, 0.25, 4), (std::vector<double>{0.5, 0.75, 1, 1.25}));
  EXPECT_EQ(arange(int32, 10, -3, 4), (std::vector<double>{10, 7, 4, 1}));
  EXPECT_EQ(arange(float16, 0, 1, 3), (std::vector<double>{0, 1, 2}));
  // A size becomes a number.
  Function f;
  f.name = "size";
  f.params = {};
  ValueId x = f.add_param("x", {float32, {sym("n")}});
  Builder b(f);
  f.results = {b.build("iota", {}, {{"shape", Dims{}}, {"dtype", int32}, {"start", sym("n") * Dim(2)}})};
  (void)x;
  EXPECT_EQ((*interpret(f, {Tensor(float32, {6})}))[0].at(0), 12);
}

}  // namespace
}  // namespace frit::ir::shape_test
