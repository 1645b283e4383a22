// Every element type through the operations that move, convert and combine elements.
#include "helpers.h"

using namespace frit;

namespace {
array sample(Dtype t) { return array({0, 1, 2, 3, 1, 5}, {2, 3}, t); }
std::vector<double> doubles(const array& a) {
  std::vector<double> out;
  array flat = flatten(a);
  for (int i = 0; i < flat.shape(0); ++i) out.push_back(slice(flat, {i}, {i + 1}).item<double>());
  return out;
}
}  // namespace

class EveryDtype : public testing::TestWithParam<Dtype> {};

TEST_P(EveryDtype, ConvertsToEveryOther) {
  for (Dtype to : kAllDtypes) {
    array got = astype(sample(GetParam()), to);
    EXPECT_EQ(got.dtype(), to);
    // The host's conversion of one element at a time is the reference.
    const bool truth = GetParam() == bool_ || to == bool_;
    EXPECT_EQ(doubles(got), truth ? (std::vector<double>{0, 1, 1, 1, 1, 1}) : (std::vector<double>{0, 1, 2, 3, 1, 5}))
        << GetParam() << " to " << to;
  }
}

TEST_P(EveryDtype, MovesAndJoins) {
  array x = sample(GetParam());
  const std::vector<double> v = doubles(x);
  EXPECT_EQ(doubles(transpose(x)), (std::vector<double>{v[0], v[3], v[1], v[4], v[2], v[5]}));
  EXPECT_EQ(doubles(contiguous(flip(x, 1))), (std::vector<double>{v[2], v[1], v[0], v[5], v[4], v[3]}));
  EXPECT_EQ(doubles(concatenate({x, x}, 1))[5], v[2]);
  EXPECT_EQ(doubles(pad(x, 1, array(1, GetParam())))[0], 1.0);
  EXPECT_EQ(doubles(where(equal(x, zeros_like(x)), ones_like(x), x))[0], 1.0);
  EXPECT_EQ(doubles(copy(x)), v);
  EXPECT_EQ(doubles(zeros({2, 2}, GetParam())), (std::vector<double>(4, 0)));
}

TEST_P(EveryDtype, ComputesEagerlyAndCompiled) {
  array x = sample(GetParam());
  auto f = [](array a) { return a + a * a; };
  EXPECT_TRUE(array_equal(f(x), compile(f)(x)).item<bool>());
  auto g = [](array a) { return sum(a, 1); };
  EXPECT_TRUE(array_equal(g(x), compile(g)(x)).item<bool>());
  EXPECT_EQ(doubles(g(x))[0], GetParam() == bool_ ? 2.0 : 3.0);
  EXPECT_FALSE(printed(x).empty());
}

INSTANTIATE_TEST_SUITE_P(All, EveryDtype, testing::ValuesIn(kAllDtypes),
                         [](const auto& info) { return std::string(long_name(info.param)); });
