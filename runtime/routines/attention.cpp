// The routines "attention" and "masked_attention" on the CPU, a row at a time with sums in float32, of float64 in
// float64. Devices without shaders of their own need them; programs for the CPU have products and row work instead.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "ir/base/frit/half.h"
#include "runtime/routines/routine.h"

namespace frit::runtime::routines {
namespace {

constexpr size_t kMask = 3;

struct Matrix {
  const std::byte* data;
  int64_t row, column;  // strides in elements

  Matrix(const LibraryTensor& t, int64_t batch)
      : data(static_cast<const std::byte*>(t.data)), row(t.strides[t.strides.size() - 2]), column(t.strides.back()) {
    int64_t at = 0;
    for (size_t axis = t.shape.size() - 2; axis-- > 0;) {
      at += batch % t.shape[axis] * t.strides[axis];
      batch /= t.shape[axis];
    }
    data += at * t.dtype.size();
  }
  template <class T>
  auto at(int64_t i, int64_t j) const {
    using Number = std::conditional_t<std::is_same_v<T, double>, double, float>;
    return static_cast<Number>(reinterpret_cast<const T*>(data)[i * row + j * column]);
  }
};

double number(std::string_view text, double otherwise) {
  if (text.starts_with("\"-inf\"")) return -std::numeric_limits<double>::infinity();
  if (text.starts_with("\"inf\"")) return std::numeric_limits<double>::infinity();
  double value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc()) return otherwise;
  return value;
}

template <class T>
class Attention {
  using Number = std::conditional_t<std::is_same_v<T, double>, double, float>;

 public:
  explicit Attention(const LibraryCall& call)
      : call_(call),
        depth_(call.operands[0].shape.back()),
        keys_(call.operands[1].shape.back()),
        rows_(call.results[0].shape[call.results[0].shape.size() - 2]),
        columns_(call.results[0].shape.back()),
        scale_(static_cast<Number>(number(Options(call).value("scale"), 1))),
        hidden_(static_cast<Number>(number(Options(call).value("hidden"), -INFINITY))),
        causal_(Options(call).flag("causal")) {}

  void run() {
    if (columns_ == 0) return;
    for_ranges(element_count(call_.results[0]) / columns_, 1, [&](int64_t begin, int64_t end) {
      std::vector<Number> weights(static_cast<size_t>(keys_)), sums(static_cast<size_t>(columns_));
      for (int64_t r = begin; r < end; ++r) row(r / rows_, r % rows_, weights, sums);
    });
  }

 private:
  void row(int64_t batch, int64_t i, std::vector<Number>& weights, std::vector<Number>& sums) const {
    const Matrix a(call_.operands[0], batch), b(call_.operands[1], batch), c(call_.operands[2], batch);
    std::fill(weights.begin(), weights.end(), Number(0));
    for (int64_t k = 0; k < depth_; ++k)
      for (int64_t j = 0; j < keys_; ++j)
        weights[static_cast<size_t>(j)] += a.template at<T>(i, k) * b.template at<T>(k, j);
    Number top = -std::numeric_limits<Number>::infinity(), sum = 0;
    for (int64_t j = 0; j < keys_; ++j) {
      Number& score = weights[static_cast<size_t>(j)];
      score = with_mask(batch, i, j, score * scale_);
      top = score > top || std::isnan(score) ? score : top;
    }
    for (Number& w : weights) sum += w = std::exp(w - top);
    std::fill(sums.begin(), sums.end(), Number(0));
    for (int64_t j = 0; j < keys_; ++j)
      for (int64_t e = 0; e < columns_; ++e)
        sums[static_cast<size_t>(e)] += weights[static_cast<size_t>(j)] * c.template at<T>(j, e);
    const Matrix out(call_.results[0], batch);
    T* const to = reinterpret_cast<T*>(const_cast<std::byte*>(out.data)) + i * out.row;
    for (int64_t e = 0; e < columns_; ++e)
      to[e * out.column] = T(keys_ == 0 ? Number(0) : sums[static_cast<size_t>(e)] / sum);
  }

  Number with_mask(int64_t batch, int64_t i, int64_t j, Number score) const {
    const bool masked = call_.operands.size() > kMask;
    if (causal_ && j > i + keys_ - rows_) score = hidden_;
    if (!masked) return score;
    const LibraryTensor& t = call_.operands[kMask];
    const Matrix mask(t, batch);
    if (t.dtype == bool_) return mask.at<uint8_t>(i, j) != 0 ? score : hidden_;
    return score + (t.dtype == float32 ? Number(mask.at<float>(i, j)) : mask.template at<T>(i, j));
  }

  const LibraryCall& call_;
  const int64_t depth_, keys_, rows_, columns_;
  const Number scale_, hidden_;
  const bool causal_;
};

bool fits(const LibraryCall& call, size_t operands) {
  if (call.operands.size() != operands || call.results.size() != 1) return false;
  const LibraryTensor &a = call.operands[0], &b = call.operands[1], &c = call.operands[2], &out = call.results[0];
  const size_t rank = a.shape.size();
  if (rank < 2) return false;
  for (const LibraryTensor* t : {&b, &c, &out, &call.operands.back()})
    if (t->shape.size() != rank || !std::equal(a.shape.begin(), a.shape.end() - 2, t->shape.begin())) return false;
  const size_t row = rank - 2, column = rank - 1;
  const LibraryTensor& mask = call.operands.back();
  return b.shape[row] == a.shape[column] && c.shape[row] == b.shape[column] && out.shape[row] == a.shape[row] &&
         out.shape[column] == c.shape[column] && b.dtype == a.dtype && c.dtype == a.dtype && out.dtype == a.dtype &&
         (operands <= kMask || (mask.shape[row] == a.shape[row] && mask.shape[column] == b.shape[column] &&
                                (mask.dtype == bool_ || mask.dtype == float32 || mask.dtype == a.dtype)));
}

Status attention(const LibraryCall& call, size_t operands) {
  if (fits(call, operands)) {
    const Dtype t = call.results[0].dtype;
    if (t == float32) return Attention<float>(call).run(), Status();
    if (t == float16) return Attention<float16_t>(call).run(), Status();
    if (t == float64) return Attention<double>(call).run(), Status();
    if (t == bfloat16) return Attention<bfloat16_t>(call).run(), Status();
  }
  return Diagnostic("op 'attention' takes stacks of matrices of floats of one type that fit each other");
}

const Registered registered("attention", [](const LibraryCall& call) { return attention(call, kMask); });
const Registered registered_masked("masked_attention",
                                   [](const LibraryCall& call) { return attention(call, kMask + 1); });

}  // namespace
}  // namespace frit::runtime::routines
