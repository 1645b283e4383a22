// Products of matrices that indices pick from batches.
#include "frontend/core/build.h"
#include "frontend/frit/quantised_ops.h"
#include "frontend/ops/quantised.h"

namespace frit {

using detail::fail;
using detail::require_equal;
using detail::size_of;
using detail::sizes_of;
using detail::text;
using detail::with_sizes;

namespace {

void check_matrix(std::string_view op, const array& a, const StreamOrDevice& s) {
  if (a.ndim() < 2) fail(std::string(op) + ": " + text(a) + " is no matrix", "give (..., rows, columns)", s);
}

// The axes in front of the last two, as one.
array batch_of(std::string_view op, const array& a, const StreamOrDevice& s) {
  check_matrix(op, a, s);
  const ir::Dims sizes = sizes_of(a);
  Dim count = 1;
  for (size_t i = 0; i + 2 < sizes.size(); ++i) count = count * sizes[i];
  return with_sizes(a, {count, sizes[sizes.size() - 2], sizes.back()}, s);
}

// The indices, or all matrices in order.
array indices_or_all(std::string_view op, const std::optional<array>& given, const array& a, const StreamOrDevice& s) {
  if (given) {
    if (!is_int(given->dtype())) fail(std::string(op) + ": the indices are " + text(*given), "give integers", s);
    return *given;
  }
  ir::Dims sizes = sizes_of(a);
  sizes.resize(sizes.size() - 2);
  Dim count = 1;
  for (const Dim& d : sizes) count = count * d;
  return with_sizes(arange(Size(0), Size(count, s.where()), uint32, s), sizes, s);
}

struct Picked {
  array left, right;  // indices, broadcast against each other
};

Picked picked(std::string_view op, const array& a, const array& b, const std::optional<array>& lhs,
              const std::optional<array>& rhs, const StreamOrDevice& s) {
  for (const array& x : {a, b}) check_matrix(op, x, s);
  const std::vector<array> both = broadcast_arrays({indices_or_all(op, lhs, a, s), indices_or_all(op, rhs, b, s)}, s);
  return {both[0], both[1]};
}

array pick(std::string_view op, const array& a, const array& indices, const StreamOrDevice& s) {
  return take(batch_of(op, a, s), indices, 0, s);
}

}  // namespace

array gather_mm(array a, array b, const std::optional<array>& lhs_indices, const std::optional<array>& rhs_indices,
                bool, StreamOrDevice s) {
  if (!lhs_indices && !rhs_indices) return matmul(a, b, s);
  if (a.ndim() == 1) return squeeze(gather_mm(expand_dims(a, 0, s), b, lhs_indices, rhs_indices, false, s), -2, s);
  const Picked p = picked("gather_mm", a, b, lhs_indices, rhs_indices, s);
  const Dtype dtype = promote_types(a.dtype(), b.dtype());
  if (!is_inexact(dtype))
    fail("gather_mm: takes floating point numbers, not " + text(a) + " and " + text(b), "convert with astype first", s);
  const array left = batch_of("gather_mm", astype(a, dtype, s), s),
              right = batch_of("gather_mm", astype(b, dtype, s), s);
  if (!require_equal(size_of(left, 2), size_of(right, 1), "gather_mm", s.where()))
    fail(
        "gather_mm: " + text(a) + " and " + text(b) + " do not fit: " + text(size_of(left, 2)) + " columns meet " +
            text(size_of(right, 1)) + " rows",
        "the last axis of the first operand and the last but one of the second must be equal; transpose an operand with "
        "swapaxes(x, -1, -2)",
        s);
  ir::Dims sizes = sizes_of(p.left);
  const Dim pairs = detail::element_count_of(p.left);
  sizes.push_back(size_of(left, 1));
  sizes.push_back(size_of(right, 2));
  for (const array* stack : {&left, &right}) {
    if (detail::decide_at_most(1, size_of(*stack, 0), "gather_mm", s.where())) continue;
    if (!require_equal(pairs, 0, "gather_mm", s.where()))
      fail("gather_mm: the batch of " + text(stack == &left ? a : b) + " has no matrices to take",
           "take from a batch that has matrices, or no matrices", s);
    return detail::stretch(array(0, dtype), std::move(sizes), s);
  }
  const auto list = [&](const array& indices) { return with_sizes(indices, {pairs}, s); };
  return with_sizes(detail::make("gather_matmul", {left, right, list(p.left), list(p.right)}, {}, s), std::move(sizes),
                    s);
}

array gather_qmm(const array& x, const array& w, const array& scales, const std::optional<array>& biases,
                 const std::optional<array>& lhs_indices, const std::optional<array>& rhs_indices, bool transpose,
                 std::optional<int> group_size, std::optional<int> bits, const std::string& mode, bool,
                 StreamOrDevice s) {
  if (!lhs_indices && !rhs_indices) return quantized_matmul(x, w, scales, biases, transpose, group_size, bits, mode, s);
  detail::check_derivatives("gather_qmm", w, scales, s);
  for (const std::optional<array>& indices : {lhs_indices, rhs_indices})
    if (indices && detail::is_differentiated(*indices))
      detail::no_derivative("gather_qmm has no derivative with respect to the indices " + text(*indices), s);
  const Picked p = picked("gather_qmm", x, w, lhs_indices, rhs_indices, s);
  const auto right = [&](const array& a) { return pick("gather_qmm", a, p.right, s); };
  return quantized_matmul(pick("gather_qmm", x, p.left, s), right(w), right(scales),
                          biases ? std::optional(right(*biases)) : std::nullopt, transpose, group_size, bits, mode, s);
}

array gather_qmm(const array& x, const array& w, const array& scales, const std::optional<array>& biases,
                 const std::optional<array>& lhs_indices, const std::optional<array>& rhs_indices, bool transpose,
                 std::optional<int> group_size, std::optional<int> bits, const std::string& mode,
                 const std::optional<array>& global_scale, bool sorted_indices, StreamOrDevice s) {
  if (global_scale)
    detail::throw_invalid(
        "gather_qmm: a global scale, " + text(*global_scale) + ", is given, which no device here takes",
        "multiply the result by it", s.where());
  return gather_qmm(x, w, scales, biases, lhs_indices, rhs_indices, transpose, group_size, bits, mode, sorted_indices,
                    s);
}

array gather_qqmm(const array& x, const array& w, const std::optional<array>& scales_w,
                  const std::optional<array>& lhs_indices, const std::optional<array>& rhs_indices,
                  std::optional<int> group_size, std::optional<int> bits, const std::string& mode,
                  const std::optional<array>& global_scale_x, const std::optional<array>& global_scale_w, bool,
                  StreamOrDevice s) {
  const Picked p = picked("gather_qqmm", x, w, lhs_indices, rhs_indices, s);
  const auto right = [&](const array& a) { return pick("gather_qqmm", a, p.right, s); };
  return qqmm(pick("gather_qqmm", x, p.left, s), right(w), scales_w ? std::optional(right(*scales_w)) : std::nullopt,
              group_size, bits, mode, global_scale_x, global_scale_w, s);
}

}  // namespace frit
