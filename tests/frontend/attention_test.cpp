// Attention, whose rows are computed some at a time, has the bits of whole products.
#include <array>
#include <cmath>
#include <limits>

#include "helpers.h"

using namespace frit;

namespace {

const float kInfinity = std::numeric_limits<float>::infinity();

array causal_mask(int rows, int columns) { return greater_equal(expand_dims(arange(rows), 1), arange(columns)); }

// softmax(q k^T) v, where a fourth array asks for the mask. `whole` is called with all that is between the operations.
template <class Whole>
array attend(const std::vector<array>& in, Whole whole) {
  array scores = matmul(in[0], swapaxes(in[1], -1, -2));
  const Dtype t = scores.dtype();
  whole(scores);
  if (in.size() > 3) scores = where(causal_mask(scores.shape(-2), scores.shape(-1)), scores, array(-kInfinity, t));
  whole(scores);
  array weights = softmax(astype(scores, t == float64 ? float64 : float32), -1);
  whole(weights);
  weights = astype(weights, t);
  whole(weights);
  return matmul(weights, in[2]);
}

std::vector<array> lazily(const std::vector<array>& in) {
  return {attend(in, [](array&) {})};
}
array step_by_step(const std::vector<array>& in) {
  return attend(in, [](array& x) { eval(x); });
}

array draw(int heads, int rows, int columns, Dtype t, uint64_t seed) {
  return astype(random::normal({heads, rows, columns}, float32, 0.0f, 1.0f, random::key(seed)), t);
}

}  // namespace

TEST(Attention, RowsAtATimeHaveTheBitsOfWholeProducts) {
  for (const bool shapeless : {false, true}) {
    const auto compiled = compile(lazily, shapeless);
    for (const Dtype t : {float32, bfloat16, float16, float64})
      for (const auto& [heads, rows, columns, width] :
           {std::array{3, 611, 613, 40}, std::array{1, 1031, 1033, 7}, std::array{9, 33, 4001, 16},
            std::array{2, 1, 3, 16}, std::array{5, 129, 1024, 32}}) {
        std::vector<array> in{draw(heads, rows, width, t, 1), draw(heads, columns, width, t, 2),
                              draw(heads, columns, width, t, 3)};
        for (const bool masked : {false, true}) {
          if (masked) in.push_back(array(1));
          EXPECT_TRUE(array_equal(compiled(in)[0], step_by_step(in)).item<bool>())
              << heads << ' ' << rows << ' ' << columns << ' ' << masked << ' ' << shapeless;
        }
        // A weight of zero times an infinity is no number.
        const array last = expand_dims(equal(arange(columns), array(columns - 1)), 1);
        in[2] = where(last, array(kInfinity, t), in[2]);
        EXPECT_TRUE(array_equal(compiled(in)[0], step_by_step(in), true).item<bool>());
      }
  }
}

// Rows whose scores do not outweigh the hidden ones, and rows that are no numbers, take all of their columns.
TEST(Attention, HiddenColumnsHaveTheirPartInRowsWithoutOtherWeights) {
  const int rows = 200;
  for (const float hidden : {-kInfinity, -1e9f, -1500.0f, -1000.0f, -900.0f})
    for (const Dtype t : {float32, bfloat16, float16, float64})
      for (const int columns : {200, 150, 330}) {
        const auto masked = [&](const std::vector<array>& in, auto whole) {
          const array row = expand_dims(arange(rows), 1), last = add(row, array(columns - rows));
          array scores = matmul(in[0], swapaxes(in[1], -1, -2));
          whole(scores);
          scores = where(less_equal(arange(columns), last), scores, array(hidden, t));
          whole(scores);
          array weights = softmax(scores, -1);
          whole(weights);
          return matmul(weights, in[2]);
        };
        // Rows of scores from far below all hidden ones to infinity.
        const array q = draw(2, rows, 16, t, 1), ones = full({rows, 1}, 1.0f);
        const array turn = expand_dims(remainder(arange(rows), array(7)), 1);
        array factor = where(equal(turn, array(3)), ones * array(300.0f), ones);
        factor = where(equal(turn, array(4)), ones * array(kInfinity), factor);
        factor = where(equal(turn, array(5)), ones * array(std::nanf("")), factor);
        const array far = where(equal(turn, array(6)), ones * array(-1400.0f), ones * array(0.0f));
        array left = multiply(q, astype(factor, t)), right = draw(2, columns, 16, t, 2);
        left = concatenate({left, broadcast_to(astype(far, t), {2, rows, 1})}, -1);
        right = concatenate({right, ones_like(slice(right, {0, 0, 0}, {2, columns, 1}))}, -1);
        const std::vector<array> in{left, right, draw(2, columns, 24, t, 3)};
        const auto compiled =
            compile([&](const std::vector<array>& x) { return std::vector<array>{masked(x, [](array&) {})}; });
        const array expected = masked(in, [](array& x) { eval(x); });
        EXPECT_TRUE(array_equal(compiled(in)[0], expected, true).item<bool>()) << hidden << ' ' << t << ' ' << columns;
      }
}

// Kernels that are equal are one: that of a softmax behind a mask may have other rows, or other masks, too.
TEST(Attention, ASoftmaxOfMaskedAndOfWholeRowsTakesAllColumnsOfThese) {
  const int rows = 256;
  for (const Dtype t : {float32, bfloat16}) {
    std::vector<array> in;
    for (uint64_t seed = 0; seed < 9; ++seed) in.push_back(draw(2, rows, seed % 3 == 2 ? 24 : 16, t, seed));
    const auto attend = [&](const array* x, const std::optional<array>& mask, auto whole) {
      array scores = matmul(x[0], swapaxes(x[1], -1, -2));
      whole(scores);
      if (mask) scores = where(*mask, scores, array(-kInfinity, t));
      whole(scores);
      array weights = softmax(scores, -1);
      whole(weights);
      return matmul(weights, x[2]);
    };
    const auto all = [&](const std::vector<array>& x, auto whole) {
      const array column = arange(rows), row = expand_dims(column, 1);
      const array causal = less_equal(column, row), half = less_equal(column, floor_divide(row, array(2)));
      return std::vector<array>{attend(&x[0], causal, whole), attend(&x[3], std::nullopt, whole),
                                attend(&x[6], half, whole)};
    };
    const auto results = compile([&](const std::vector<array>& x) { return all(x, [](array&) {}); })(in);
    const auto expected = all(in, [](array& x) { eval(x); });
    for (size_t i = 0; i < results.size(); ++i)
      EXPECT_TRUE(array_equal(results[i], expected[i]).item<bool>()) << t << ' ' << i;
  }
}

// A mask of positions that several layers share is left out of each, whether it is a choice, a sum or a window.
TEST(Attention, LayersShareAMask) {
  const int rows = 130;
  const array column = arange(rows), row = expand_dims(column, 1);
  for (const Dtype t : {float32, bfloat16, float16})
    for (const std::string kind : {"causal", "window", "inverted", "added", "padded"})
      for (const size_t layers : {1u, 2u, 12u}) {
        const std::vector<array> in{draw(2, rows, 16, t, 1), draw(2, rows, 16, t, 2), draw(2, rows, 16, t, 3),
                                    less(column, array(100))};
        const auto all = [&](const std::vector<array>& x, auto whole) {
          array mask = less_equal(column, row);
          if (kind == "window") mask = logical_and(mask, less(row - column, array(20)));
          if (kind == "inverted") mask = logical_or(greater(column, row), greater_equal(row - column, array(20)));
          if (kind == "padded") mask = logical_and(x[3], mask);
          const array hidden(-kInfinity, t);
          if (kind == "added") mask = where(mask, array(0, t), hidden);
          whole(mask);
          array y = x[0];
          for (size_t layer = 0; layer < layers; ++layer) {
            array scores = matmul(y, swapaxes(x[1], -1, -2));
            whole(scores);
            scores = kind == "added"      ? scores + mask
                     : kind == "inverted" ? where(mask, hidden, scores)
                                          : where(mask, scores, hidden);
            whole(scores);
            array weights = softmax(scores, -1);
            whole(weights);
            y = matmul(weights, x[2]);
            whole(y);
          }
          return y;
        };
        const auto compiled =
            compile([&](const std::vector<array>& x) { return std::vector<array>{all(x, [](array&) {})}; });
        const array expected = all(in, [](array& x) { eval(x); });
        EXPECT_TRUE(array_equal(compiled(in)[0], expected).item<bool>()) << kind << ' ' << t << ' ' << layers;
      }
}

TEST(Attention, MasksOfSharedHeadsAndSinks) {
  const array q = reshape(draw(8, 211, 32, float32, 1), {1, 8, 211, 32});
  const array k = reshape(draw(2, 700, 32, float32, 2), {1, 2, 700, 32});
  const array v = reshape(draw(2, 700, 24, float32, 3), {1, 2, 700, 24});
  const array sinks = random::normal({8}, float32, 0.0f, 1.0f, random::key(4));
  const array all_k = repeat(k, 4, 1), all_v = repeat(v, 4, 1);
  const auto expect_like = [&](const array& got, const array& mask, const std::optional<array>& sink) {
    array scores = matmul(q * 0.25f, swapaxes(all_k, -1, -2));
    scores = where(mask, scores, array(finfo(float32).min));
    if (sink) scores = concatenate({scores, broadcast_to(reshape(*sink, {1, 8, 1, 1}), {1, 8, 211, 1})}, -1);
    array weights = softmax(scores, -1);
    eval(weights);
    if (sink) weights = slice(weights, {0, 0, 0, 0}, {1, 8, 211, 700});
    EXPECT_TRUE(allclose(got, matmul(weights, all_v), 1e-4, 1e-5).item<bool>());
  };
  const array causal = less_equal(arange(700), expand_dims(arange(211), 1) + array(489));
  expect_like(fast::scaled_dot_product_attention(q, k, v, 0.25f, "causal"), causal, std::nullopt);
  expect_like(fast::scaled_dot_product_attention(q, k, v, 0.25f, "causal", std::nullopt, sinks), causal, sinks);
  const array some = greater(random::uniform(0.0f, 1.0f, {211, 700}, float32, random::key(5)), array(0.3f));
  expect_like(fast::scaled_dot_product_attention(q, k, v, 0.25f, "", some), some, std::nullopt);
  // Upside down: what a row needs shrinks.
  const array late = greater(arange(700), expand_dims(arange(211), 1));
  expect_like(fast::scaled_dot_product_attention(q, k, v, 0.25f, "", late), late, std::nullopt);
}
