// Reductions, their composites, matrix products, and the interpreter's checks of its inputs.
#include <cmath>
#include <limits>

#include "ops_support.h"

namespace frit::ir::reduce_test {
namespace {

using testing::error_of;
using testing::infer_one;
using testing::run;

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();
Dims dims(std::vector<int64_t> v) { return to_dims(v); }
AttrMap over(std::vector<int64_t> axes, bool keepdims = false) {
  return {{"axes", dims(axes)}, {"keepdims", keepdims}};
}

TEST(OpsReduce, Values) {
  Tensor x(float32, {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(run("sum", {x}, over({0})).values(), (std::vector<double>{5, 7, 9}));
  EXPECT_EQ(run("sum", {x}, over({1}, true)).shape, (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(run("prod", {x}, over({1})).values(), (std::vector<double>{6, 120}));
  EXPECT_EQ(run("max", {x}, over({0, 1})).values(), (std::vector<double>{6}));
  EXPECT_EQ(run("min", {x}, over({})).values(), x.values());
  EXPECT_EQ(run("argmax", {x}, over({1})).values(), (std::vector<double>{2, 2}));
  EXPECT_EQ(run("argmin", {x}, over({0, 1})).values(), (std::vector<double>{0}));
  EXPECT_EQ(run("argmax", {Tensor(int32, {4}, {3, 7, 7, 1})}, over({0})).at(0), 1);
  Tensor b(bool_, {2, 2}, {1, 0, 1, 1});
  EXPECT_EQ(run("all", {b}, over({1})).values(), (std::vector<double>{0, 1}));
  EXPECT_EQ(run("any", {b}, over({0})).values(), (std::vector<double>{1, 1}));
}

TEST(OpsReduce, TypesOfSums) {
  for (std::string_view name : {"sum", "prod"}) {
    for (Dtype t : {bool_, int8, int16}) EXPECT_EQ(infer_one(name, {{t, {4}}}, over({0})).dtype, int32);
    for (Dtype t : {uint8, uint16}) EXPECT_EQ(infer_one(name, {{t, {4}}}, over({0})).dtype, uint32);
    for (Dtype t : {int32, int64, uint32, uint64, float16, bfloat16, float32, float64})
      EXPECT_EQ(infer_one(name, {{t, {4}}}, over({0})).dtype, t);
  }
  EXPECT_EQ(infer_one("argmax", {{float16, {4}}}, over({0})).dtype, uint32);
  EXPECT_EQ(run("sum", {Tensor(uint8, {3}, {200, 200, 200})}, over({0})).at(0), 600);
  EXPECT_EQ(run("sum", {Tensor(bool_, {3}, {1, 1, 1})}, over({0})).at(0), 3);
  EXPECT_EQ(run("sum", {Tensor(int32, {2}, {2147483647, 1})}, over({0})).at(0), -2147483648.0);
  // Rounded once: a running sum in f16 would stop at 2048.
  EXPECT_EQ(run("sum", {Tensor(float16, {4000}, std::vector<double>(4000, 1))}, over({0})).at(0), 4000);
}

TEST(OpsReduce, NanAndNothing) {
  Tensor x(float32, {3}, {1, kNan, 3});
  EXPECT_TRUE(std::isnan(run("max", {x}, over({0})).at(0)));
  EXPECT_TRUE(std::isnan(run("min", {x}, over({0})).at(0)));
  EXPECT_EQ(run("argmax", {x}, over({0})).at(0), 1);
  EXPECT_EQ(run("argmin", {x}, over({0})).at(0), 1);
  Tensor none(float32, {0, 2});
  EXPECT_EQ(run("sum", {none}, over({0})).values(), (std::vector<double>{0, 0}));
  EXPECT_EQ(run("prod", {none}, over({0})).values(), (std::vector<double>{1, 1}));
  EXPECT_EQ(run("max", {none}, over({0})).values(), (std::vector<double>{-kInf, -kInf}));
  EXPECT_EQ(run("min", {Tensor(int8, {0})}, over({0})).at(0), 127);
  EXPECT_EQ(run("max", {Tensor(int8, {0})}, over({0})).at(0), -128);
  EXPECT_EQ(run("max", {Tensor(uint8, {0})}, over({0})).at(0), 0);
  EXPECT_EQ(run("min", {Tensor(uint16, {0})}, over({0})).at(0), 65535);
  EXPECT_EQ(run("all", {Tensor(bool_, {0})}, over({0})).at(0), 1);
  EXPECT_EQ(run("any", {Tensor(bool_, {0})}, over({0})).at(0), 0);
  EXPECT_NE(error_of("argmax", {{float32, {0}}}, over({0})), "");
}

TEST(OpsReduce, Statistics) {
  Tensor x(float32, {2, 4}, {1, 2, 3, 4, 2, 2, 2, 10});
  EXPECT_EQ(run("mean", {x}, over({1})).values(), (std::vector<double>{2.5, 4}));
  EXPECT_EQ(run("var", {x}, over({1})).values(), (std::vector<double>{1.25, 12}));
  AttrMap ddof = over({1}, true);
  ddof.set("ddof", Dim(1));
  EXPECT_EQ(run("var", {x}, ddof).values(), (std::vector<double>{double(float(5.0 / 3)), 16}));
  EXPECT_TRUE(std::isnan(run("mean", {Tensor(float32, {0})}, over({0})).at(0)));
  EXPECT_EQ(run("mean", {Tensor(float16, {4}, {60000, 60000, 60000, 60000})}, over({0})).at(0), 60000);
  EXPECT_NE(error_of("mean", {{int32, {2}}}, over({0})).find("op 'mean' takes floats"), std::string::npos);
  EXPECT_NE(error_of("mean", {{float32, {2}}}, over({1})).find("op 'mean' has axis 1"), std::string::npos);
}

TEST(OpsReduce, SoftmaxAndLogsumexp) {
  Tensor x(float64, {2, 3}, {1000, 1001, 1002, -kInf, 0, 1});
  Tensor s = run("softmax", {x}, {{"axes", dims({1})}});
  double e1 = std::exp(-1.0), e2 = std::exp(-2.0), sum = 1 + e1 + e2;
  EXPECT_NEAR(s.at(0), e2 / sum, 1e-12);
  EXPECT_NEAR(s.at(2), 1 / sum, 1e-12);
  EXPECT_EQ(s.at(3), 0);
  Tensor l = run("logsumexp", {x}, over({1}));
  EXPECT_NEAR(l.at(0), 1002 + std::log(sum), 1e-9);
  EXPECT_NEAR(l.at(1), 1 + std::log(1 + e1), 1e-12);
  EXPECT_EQ(l.shape, (std::vector<int64_t>{2}));
  EXPECT_EQ(run("logsumexp", {Tensor(float32, {2}, {-kInf, -kInf})}, over({0}, true)).at(0), -kInf);
  EXPECT_EQ(run("logsumexp", {Tensor(float32, {2}, {kInf, 1})}, over({0})).at(0), kInf);
  EXPECT_EQ(run("logsumexp", {Tensor(float32, {0})}, over({0})).at(0), -kInf);
  Tensor h(float16, {3}, {1, 2, 3});
  Tensor precise = run("softmax", {h}, {{"axes", dims({0})}, {"precise", true}});
  EXPECT_EQ(precise.dtype, float16);
  EXPECT_NEAR(precise.at(2), 1 / sum, 4e-4);
}

// The expansions hold for symbolic sizes too: the count is a value computed from the size.
TEST(OpsReduce, CompositesExpandWithSymbolicSizes) {
  for (std::string_view name : {"mean", "var", "logsumexp", "softmax"}) {
    Function f;
    f.name = "composite";
    ValueId x = f.add_param("x", {float16, {Dim::symbol("b"), Dim::symbol("n")}});
    AttrMap attrs{{"axes", dims({1})}};
    if (name == "var") attrs.set("ddof", Dim(1));
    Builder b(f);
    Type want = infer_one(name, {f.type(x)}, attrs);
    Op made;
    made.def = &op(name);
    made.attrs = attrs;
    std::vector<ValueId> params{x};
    f.results = made.def->expand(b, made, params);
    EXPECT_EQ(b.type(f.results[0]), want) << name;
    Tensor in(float16, {2, 3}, {1, 2, 4, 3, 3, 3});
    auto got = interpret(f, {in});
    ASSERT_TRUE(got.ok()) << got.error().str();
    EXPECT_EQ((*got)[0].values(), run(name, {in}, attrs).values()) << name;
  }
}

TEST(OpsReduce, Matmul) {
  Tensor a(float32, {2, 3}, {1, 2, 3, 4, 5, 6}), b(float32, {3, 2}, {1, 0, 0, 1, 1, 1});
  EXPECT_EQ(run("matmul", {a, b}).values(), (std::vector<double>{4, 5, 10, 11}));
  Tensor c(float32, {2, 2}, {1, 1, 1, 1});
  EXPECT_EQ(run("addmm", {c, a, b}, {{"alpha", 2.0}, {"beta", -1.0}}).values(), (std::vector<double>{7, 9, 19, 21}));
  EXPECT_EQ(run("matmul", {Tensor(float32, {2, 0}), Tensor(float32, {0, 2})}).values(),
            (std::vector<double>{0, 0, 0, 0}));
  Type m{float32, {Dim::symbol("b"), 2, 3}};
  EXPECT_EQ(infer_one("matmul", {m, {float32, {Dim::symbol("b"), 3, 5}}}).str(), "f32[b, 2, 5]");
  EXPECT_NE(error_of("matmul", {m, {float32, {Dim::symbol("b"), 4, 5}}}).find("as many columns"), std::string::npos);
  EXPECT_NE(error_of("matmul", {m, {float32, {3, 5}}}).find("one rank"), std::string::npos);
  EXPECT_NE(error_of("matmul", {{int32, {2, 2}}, {int32, {2, 2}}}).find("floats"), std::string::npos);
  EXPECT_NE(error_of("addmm", {{float32, {2}}, {float32, {2, 2}}, {float32, {2, 2}}}).find("adds to a product"),
            std::string::npos);
}

TEST(OpsReduce, InterpreterChecksItsInputs) {
  Function f;
  f.name = "f";
  Dim n = Dim::symbol("n");
  ValueId x = f.add_param("x", {float32, {n, n + Dim(1)}});
  f.facts.set_multiple("n", 2);
  f.facts.set_range("n", {0, 8});
  f.results = {x};
  EXPECT_TRUE(interpret(f, {Tensor(float32, {4, 5})}).ok());
  EXPECT_FALSE(interpret(f, {}).ok());
  EXPECT_FALSE(interpret(f, {Tensor(int32, {4, 5})}).ok());
  EXPECT_FALSE(interpret(f, {Tensor(float32, {4, 4})}).ok());
  EXPECT_FALSE(interpret(f, {Tensor(float32, {4})}).ok());
  EXPECT_NE(interpret(f, {Tensor(float32, {3, 4})}).error().message.find("not a multiple of 2"), std::string::npos);
  EXPECT_NE(interpret(f, {Tensor(float32, {10, 11})}).error().message.find("outside [0, 8]"), std::string::npos);
}

}  // namespace
}  // namespace frit::ir::reduce_test
