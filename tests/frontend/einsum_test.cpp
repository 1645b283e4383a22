// Einstein sums, their paths, and other products. Expected values were measured from MLX.
#include "helpers.h"
#include "shapeless.h"

using namespace frit;

namespace {

using Floats = std::vector<float>;
using Path = std::vector<std::vector<int>>;

array numbers(const Shape& shape) {
  int n = 1;
  for (int d : shape) n *= d;
  return reshape(arange(static_cast<double>(n)), shape);
}

}  // namespace

TEST(Einsum, OneOperand) {
  const array a = numbers({2, 3}), square = numbers({3, 3});
  EXPECT_EQ(values<float>(einsum("ij", {a})), values<float>(a));
  EXPECT_EQ(values<float>(einsum("ji", {a})), (Floats{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(values<float>(einsum("i j -> j i", {a})), (Floats{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(einsum("...->", {a}).item<float>(), 15);
  EXPECT_EQ(values<float>(einsum("...i->...", {a})), (Floats{3, 12}));
  EXPECT_EQ(values<float>(einsum("ii->i", {square})), (Floats{0, 4, 8}));
  EXPECT_EQ(einsum("ii", {square}).item<float>(), 12);
  EXPECT_EQ(values<float>(einsum("iij->ij", {numbers({2, 2, 3})})), (Floats{0, 1, 2, 9, 10, 11}));
  EXPECT_EQ(einsum("ij->", {astype(a, int32)}).item<int>(), 15);
  EXPECT_EQ(einsum("->", {array(2.0f)}).item<float>(), 2);
}

TEST(Einsum, SeveralOperands) {
  const array a = numbers({2, 3}), b = numbers({3, 2});
  EXPECT_EQ(values<float>(einsum("ij,jk->ik", {a, b})), (Floats{10, 13, 28, 40}));
  EXPECT_EQ(values<float>(einsum("IJ,Jk->Ik", {a, transpose(a)})), (Floats{5, 14, 14, 50}));
  EXPECT_EQ(values<float>(einsum("ij,->ij", {a, array(2.0f)})), (Floats{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(einsum("ij,ij->", {a, ones({1, 3})}).item<float>(), 15);
  EXPECT_EQ(values<float>(einsum("i...j,j->i...", {ones({2, 4, 3}), ones({3})})), Floats(8, 3));
  EXPECT_EQ(einsum("...ij,...jk->...ik", {ones({5, 1, 2, 3}), ones({4, 3, 2})}).shape(), (Shape{5, 4, 2, 2}));
  EXPECT_EQ(values<float>(einsum("i,j->ji", {array({1.0f, 2.0f}), array({3.0f, 4.0f})})), (Floats{3, 6, 4, 8}));
  EXPECT_EQ(einsum("bhqd,bhkd->bhqk", {ones({2, 3, 4, 5}), ones({2, 3, 6, 5})}).shape(), (Shape{2, 3, 4, 6}));
  // Integers are multiplied and summed, but have no matrix product.
  EXPECT_EQ(einsum("i,i->i", {array({16777217, 1}), array({1, 2})}).dtype(), int32);
  EXPECT_EQ(einsum("ij->i", {array({1, 2, 3, 4}, {2, 2})}).dtype(), int32);
  EXPECT_THROW(einsum("i,i->", {array({16777217, 1}), array({1, 2})}), std::invalid_argument);
  const array chain = einsum("ab,bc,cd->ad", {a, b, a});
  EXPECT_EQ(values<float>(chain), values<float>(matmul(matmul(a, b), a)));
}

// Products whose labels are all common: sums of 16-bit types go on in f32, at known and at open sizes, and have
// derivatives.
TEST(Einsum, SumsOfProducts) {
  for (const char* text :
       {"ab,ab->a", "ab,ab->b", "ab,ab->", "abc,abc->b", "abc,cab->ca", "abc,abc->", "abc,bc,c->c"}) {
    const std::string labels = text;
    const size_t comma = labels.find(',');
    const auto drawn = [&](std::string_view of, Dtype t, int seed) {
      Shape shape;
      for (char c : of) shape.push_back(c == 'a' ? 7 : c == 'b' ? 33 : 20);
      return astype(random::uniform(-1.0f, 1.0f, shape, float32, random::key(static_cast<uint64_t>(seed))), t);
    };
    for (const Dtype t : {float32, float16, bfloat16, float64}) {
      std::vector<array> in{drawn(labels.substr(0, comma), t, 1)};
      const std::string rest = labels.substr(comma + 1, labels.find('-') - comma - 1);
      const size_t second = rest.find(',');
      in.push_back(drawn(rest.substr(0, second), t, 2));
      if (second != std::string::npos) in.push_back(drawn(rest.substr(second + 1), t, 3));
      std::vector<array> wide;
      for (const array& x : in) wide.push_back(astype(x, float64));
      const auto run = [&](const std::vector<array>& x) { return std::vector<array>{einsum(labels, x)}; };
      const array got = run(in)[0];
      EXPECT_EQ(got.dtype(), t) << labels;
      const double bound = t == bfloat16 ? 2e-2 : t == float16 ? 3e-3 : 1e-5;
      EXPECT_TRUE(allclose(astype(got, float64), einsum(labels, wide), bound, bound).item<bool>())
          << labels << " " << t;
      for (const bool open : {false, true})
        EXPECT_TRUE(array_equal(compile(run, open)(in)[0], got).item<bool>()) << labels << " " << t << " " << open;
      const auto total = [&](const std::vector<array>& x) { return sum(astype(einsum(labels, x), float32)); };
      const array slope = grad([&](const std::vector<array>& x) { return total(x); }, {0})(in)[0];
      EXPECT_EQ(slope.shape(), in[0].shape());
      EXPECT_EQ(slope.dtype(), t);
    }
  }
}

TEST(Einsum, PathIsGreedy) {
  const std::vector<array> chain{zeros({10, 20}), zeros({20, 3}), zeros({3, 40}), zeros({40, 5})};
  const auto [path, text] = einsum_path("ab,bc,cd,de->ae", chain);
  EXPECT_EQ(path, (Path{{2, 3}, {0, 1}, {0, 1}}));
  EXPECT_EQ(text,
            "  Complete contraction:  ab,bc,cd,de->ae\n         Naive scaling:  5\n     Optimized scaling:  3\n"
            "      Naive FLOP count:  480000\n  Optimized FLOP count:  2700\n");
  const std::vector<array> web{zeros({4, 5, 6}), zeros({6, 5}), zeros({4}),
                               zeros({7, 6}),    zeros({5, 5}), zeros({2, 4})};
  EXPECT_EQ(einsum_path("ijk,kj,i,lk,jm,ni->lmn", web).first, (Path{{0, 1}, {2, 4}, {0, 2}, {1, 2}, {0, 1}}));
  EXPECT_EQ(einsum_path("ii->i", {zeros({3, 3})}).first, (Path{{0}}));
}

TEST(Einsum, Errors) {
  const array a = numbers({2, 3});
  for (const auto& [text, count] : std::vector<std::pair<std::string, size_t>>{{"ij,jk->ik", 1},
                                                                               {"ij->k", 1},
                                                                               {"ij,jk", 2},
                                                                               {"", 1},
                                                                               {"ij;", 1},
                                                                               {"i1->i", 1},
                                                                               {"ijk->", 1},
                                                                               {"ij->ij->ij", 1},
                                                                               {"..ij->ij", 1},
                                                                               {"......ij->ij", 1},
                                                                               {"ij->ii", 1},
                                                                               {"ii", 1},
                                                                               {"ij-ik", 1}})
    EXPECT_THROW(einsum(text, std::vector<array>(count, a)), InvalidArgument) << text;
  const std::string message = thrown<InvalidArgument>([&] { einsum("ij,jk", {a, a}); });
  EXPECT_TRUE(contains(message, "einsum: axis 0 of float32 (2,3) does not fit size 3")) << message;
}

TEST(Einsum, AnyShape) {
  shapeless::agrees([](const array& a, const array& b) { return einsum("ij,jk->ki", {a, b}); },
                    {{{2, 3}, {3, 4}}, {{5, 6}, {6, 7}}, {{4, 2}, {2, 9}}});
  shapeless::agrees([](const array& a) { return einsum("...i->...", {a}); }, {{2, 3}, {5, 4}, {1, 1}});
}

TEST(Products, KronAndVecdot) {
  EXPECT_EQ(values<float>(kron(array({1, 2}), array({1.5f, 2.0f}, {2, 1}))), (Floats{1.5f, 3, 2, 4}));
  EXPECT_EQ(kron(array(2), array(3)).item<int>(), 6);
  EXPECT_THROW(kron(zeros({0}), array({3})), InvalidArgument);
  EXPECT_EQ(vecdot(array({1, 2}), array({2, 1})).item<int>(), 4);
  const array z({complex64_t(1, 2), complex64_t(3, 0)}), w({complex64_t(0, 2), complex64_t(1, 0)});
  EXPECT_EQ(vecdot(z, w).item<complex64_t>(), complex64_t(7, 2));
  EXPECT_THROW(vecdot(array({1, 2}), array({1, 2, 3})), InvalidArgument);
  EXPECT_THROW(vecdot(ones({2, 2}), ones({2, 2}), -3), OutOfRange);
}

TEST(Products, Hadamard) {
  EXPECT_EQ(values<float>(hadamard_transform(array({1, 2, 3, 4}))), (Floats{5, -1, -2, 0}));
  EXPECT_EQ(hadamard_transform(array(1.0f)).item<float>(), 1);
  // The matrix is orthogonal for every order, so that the transform of a matrix times its transpose is diagonal.
  for (const int n : {2, 8, 12, 20, 28, 24, 56, 256, 1024, 48 * 64}) {
    const array h = hadamard_transform(eye(n), 1.0f);
    EXPECT_TRUE(array_equal(matmul(h, transpose(h)), eye(n) * static_cast<float>(n)).item<bool>()) << n;
  }
  EXPECT_THROW(hadamard_transform(zeros({3})), InvalidArgument);
  EXPECT_THROW(hadamard_transform(zeros({44})), InvalidArgument);
  EXPECT_THROW(hadamard_transform(zeros({0})), InvalidArgument);
}

TEST(Products, BlockMasked) {
  const array a = ones({40, 70}), b = ones({70, 33});
  const array keep({true, false, false, true}, {2, 2});
  const array out = block_masked_mm(a, b, 32, keep);
  EXPECT_EQ(sum(out).item<float>(), 70.0f * (32 * 32 + 8 * 1));
  const array lhs = block_masked_mm(a, b, 64, std::nullopt, array({0.5f, 2.0f}, {1, 2}));
  EXPECT_EQ(values<float>(lhs)[0], 0.5f * 64 + 2.0f * 6);
  EXPECT_THROW(block_masked_mm(a, b, 16, keep), InvalidArgument);
  EXPECT_THROW(block_masked_mm(astype(a, int32), astype(b, int32), 32, keep), InvalidArgument);
  EXPECT_THROW(block_masked_mm(a, b, 32, zeros({3, 2})), InvalidArgument);
}

TEST(Norms, VectorsAndMatrices) {
  const array m = reshape(arange(12), {3, 4});
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_FLOAT_EQ(linalg::norm(m).item<float>(), 22.494443893432617f);
  EXPECT_EQ(linalg::norm(m, 1.0).item<float>(), 21);
  EXPECT_EQ(linalg::norm(m, -1.0).item<float>(), 12);
  EXPECT_EQ(linalg::norm(m, inf).item<float>(), 38);
  EXPECT_EQ(linalg::norm(m, -inf).item<float>(), 6);
  EXPECT_FLOAT_EQ(linalg::norm(m, "fro").item<float>(), 22.494443893432617f);
  EXPECT_FLOAT_EQ(linalg::norm(array({0, 1, 2}), 3.0).item<float>(), 2.0800838470458984f);
  EXPECT_EQ(linalg::norm(array({0, 1, 2}), 0.0).item<float>(), 2);
  EXPECT_EQ(linalg::norm(array({1.0f, -2.0f}), inf).item<float>(), 2);
  EXPECT_EQ(values<float>(linalg::norm(ones({2, 3, 4}), 1.0, std::vector<int>{0, 2})), (Floats{2, 2, 2}));
  EXPECT_EQ(linalg::norm(ones({2, 3, 4}), 1.0, std::vector<int>{0, 2}, true).shape(), (Shape{1, 3, 1}));
  EXPECT_FLOAT_EQ(linalg::norm(array({complex64_t(1, 1), complex64_t(2, 0)})).item<float>(), 2.4494898319244385f);
  const array d = array({3.0f, 0.0f, 0.0f, 4.0f}, {2, 2});
  EXPECT_NEAR(linalg::norm(d, 2.0).item<float>(), 4, 1e-5f);
  EXPECT_NEAR(linalg::norm(d, -2.0).item<float>(), 3, 1e-5f);
  EXPECT_NEAR(linalg::norm(d, "nuc").item<float>(), 7, 1e-5f);
  EXPECT_EQ(linalg::norm(ones({2, 3, 4}), 2.0, std::vector<int>{0, 2}, true).shape(), (Shape{1, 3, 1}));
  EXPECT_THROW(linalg::norm(ones({2, 2, 2}), 1.0), InvalidArgument);
  EXPECT_THROW(linalg::norm(m, 3.0), InvalidArgument);
  EXPECT_THROW(linalg::norm(m, "x"), InvalidArgument);
  EXPECT_THROW(linalg::norm(array({1, 2}), "fro"), InvalidArgument);
  EXPECT_THROW(linalg::norm(m, 5), OutOfRange);
}

TEST(Norms, Cross) {
  EXPECT_EQ(values<int>(linalg::cross(array({1, 2, 3}), array({4, 5, 6}))), (std::vector<int>{-3, 6, -3}));
  EXPECT_EQ(values<int>(linalg::cross(array({1, 2}), array({4, 5}))), (std::vector<int>{0, 0, -3}));
  EXPECT_EQ(values<int>(linalg::cross(array({1, 2}), array({4, 5, 6}))), (std::vector<int>{12, -6, -3}));
  EXPECT_EQ(linalg::cross(ones({2, 3}), array({4, 5, 6})).shape(), (Shape{2, 3}));
  EXPECT_EQ(linalg::cross(ones({3, 2}), ones({3, 2}), 0).shape(), (Shape{3, 2}));
  // Operands of several ranks: the axis is one of the common shape.
  const array rows({1, 2, 3, 4, 5, 6, 7, 8, 10}, {3, 3}), one({1, 0, 2});
  for (int axis : {0, -1}) {
    const array spread = broadcast_to(one, {3, 3});
    EXPECT_EQ(values<int>(linalg::cross(rows, one, axis)), values<int>(linalg::cross(rows, spread, axis)));
    EXPECT_EQ(values<int>(linalg::cross(one, rows, axis)), values<int>(linalg::cross(spread, rows, axis)));
  }
  EXPECT_EQ(linalg::cross(ones({2, 3, 3}), ones({3, 3}), 1).shape(), (Shape{2, 3, 3}));
  EXPECT_EQ(linalg::cross(ones({2, 3, 3}), ones({3, 3}), 0).shape(), (Shape{3, 3, 3}));
  EXPECT_THROW(linalg::cross(zeros({4}), zeros({4})), InvalidArgument);
  EXPECT_THROW(linalg::cross(array(1), array(1)), OutOfRange);
}
