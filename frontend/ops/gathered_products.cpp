// Products of matrices that indices pick from batches.
#include "frontend/core/build.h"
#include "frontend/frit/quantised_ops.h"
#include "frontend/ops/quantised.h"

namespace frit {

using detail::fail;
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
  return matmul(pick("gather_mm", a, p.left, s), pick("gather_mm", b, p.right, s), s);
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
