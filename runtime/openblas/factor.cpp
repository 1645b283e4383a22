// The routines "cholesky", "lu_factor" and "qr" through LAPACK.
#include <numeric>

#include "runtime/openblas/lapack.h"

namespace frit::runtime::openblas {
namespace {

using routines::Options;

Status cholesky(const LibraryCall& call) {
  FRIT_TRY(check_call("cholesky", call, true, same_part));
  const bool upper = Options(call).flag("upper");
  Failure failure;
  with_real(call.operands[0].dtype, [&](auto type) {
    using T = decltype(type);
    const Stack in(call.operands[0]), out(call.results[0]);
    const int n = in.rows();
    each_matrix(in.count(), n, Parts::bytes<T>(in.size()), failure, [&](Parts& parts, int64_t begin, int64_t end) {
      T* const a = parts.take<T>(in.size());
      for (int64_t k = begin; k < end; ++k) {
        int info = 0;
        in.get(k, a);
        if (n) potrf(upper ? "U" : "L", n, a, &info);
        if (info) failure.refuse(k);
        set_triangle(out, k, a, n, upper);
      }
    });
  });
  return failure.status("cholesky", call.operands[0], "is not positive definite",
                        "add a multiple of the identity, or factor with 'lu' or 'eigh'");
}

Status lu_factor(const LibraryCall& call) {
  FRIT_TRY(check_call("lu_factor", call, false, [](Dtype t, int64_t m, int64_t n) {
    return std::vector<Part>{{t, {m, n}}, {uint32, {std::min(m, n)}}, {uint32, {m}}};
  }));
  Failure failure;
  with_real(call.operands[0].dtype, [&](auto type) {
    using T = decltype(type);
    const Stack in(call.operands[0]), out(call.results[0]), pivots(call.results[1], true), order(call.results[2], true);
    const int m = in.rows(), n = in.columns(), least = std::min(m, n);
    const size_t bytes = Parts::bytes<T>(in.size()) + Parts::bytes<int>(least) + Parts::bytes<int>(m);
    each_matrix(in.count(), least, bytes, failure, [&](Parts& parts, int64_t begin, int64_t end) {
      T* const a = parts.take<T>(in.size());
      int *const swaps = parts.take<int>(least), *const rows = parts.take<int>(m);
      for (int64_t k = begin; k < end; ++k) {
        int info = 0;
        in.get(k, a);
        if (least) getrf(m, n, a, swaps, &info);  // a zero on the diagonal is no error
        std::iota(rows, rows + m, 0);
        for (int i = 0; i < least; ++i) std::swap(rows[i], rows[swaps[i] - 1]);
        out.set_columns(k, a);
        pivots.set<uint32_t>(k, [&](int i, int) { return swaps[i] - 1; });
        order.set<uint32_t>(k, [&](int i, int) { return rows[i]; });
      }
    });
  });
  return failure.status("lu_factor", call.operands[0], "", "");
}

Status qr(const LibraryCall& call) {
  FRIT_TRY(check_call("qr", call, false, [](Dtype t, int64_t m, int64_t n) {
    return std::vector<Part>{{t, {m, std::min(m, n)}}, {t, {std::min(m, n), n}}};
  }));
  Failure failure;
  with_real(call.operands[0].dtype, [&](auto type) {
    using T = decltype(type);
    const Stack in(call.operands[0]), q(call.results[0]), r(call.results[1]);
    const int m = in.rows(), n = in.columns(), least = std::min(m, n);
    if (!least) return;
    T first{}, second{};
    int info = 0;
    geqrf(m, n, nullptr, nullptr, &first, -1, &info);
    orgqr(m, least, least, nullptr, nullptr, &second, -1, &info);
    const int work = std::max(asked(first), asked(second));
    const size_t bytes = Parts::bytes<T>(in.size()) + Parts::bytes<T>(least) + Parts::bytes<T>(work);
    each_matrix(in.count(), least, bytes, failure, [&](Parts& parts, int64_t begin, int64_t end) {
      T *const a = parts.take<T>(in.size()), *const tau = parts.take<T>(least), *const space = parts.take<T>(work);
      for (int64_t k = begin; k < end; ++k) {
        int done = 0;
        in.get(k, a);
        geqrf(m, n, a, tau, space, work, &done);
        set_triangle(r, k, a, m, true);
        orgqr(m, least, least, a, tau, space, work, &done);
        q.set_columns(k, a);
      }
    });
  });
  return failure.status("qr", call.operands[0], "", "");
}

}  // namespace

Status check_call(std::string_view op, const LibraryCall& call, bool square,
                  const std::function<std::vector<Part>(Dtype, int64_t rows, int64_t columns)>& results, bool right) {
  const auto refuse = [&] {
    return Diagnostic("op '" + std::string(op) + "' cannot take " +
                      (call.operands.empty() ? std::string("nothing") : routines::text(call.operands[0])));
  };
  if (call.operands.size() != (right ? 2 : 1) || call.operands[0].shape.size() < 2) return refuse();
  const LibraryTensor& a = call.operands[0];
  const std::span<const int64_t> lead = a.shape.first(a.shape.size() - 2);
  const int64_t rows = a.shape[lead.size()], columns = a.shape.back();
  const auto fits = [&](const LibraryTensor& t, const Part& part) {
    return t.dtype == part.dtype && t.shape.size() == lead.size() + part.last.size() &&
           std::equal(lead.begin(), lead.end(), t.shape.begin()) &&
           std::equal(part.last.begin(), part.last.end(), t.shape.begin() + static_cast<int64_t>(lead.size()));
  };
  // LAPACK counts in 32 bits.
  if (rows > INT_MAX / 2 || columns > INT_MAX / 2 || (square && rows != columns)) return refuse();
  if (right && (call.operands[1].shape.empty() || call.operands[1].shape.back() > INT_MAX / 2 ||
                !fits(call.operands[1], {a.dtype, {rows, call.operands[1].shape.back()}})))
    return refuse();
  const std::vector<Part> parts = results(a.dtype, rows, columns);
  if (parts.size() != call.results.size()) return refuse();
  for (size_t i = 0; i < parts.size(); ++i)
    if (!fits(call.results[i], parts[i])) return refuse();
  return {};
}

void register_factors() {
  register_library("cholesky", cholesky);
  register_library("lu_factor", lu_factor);
  register_library("qr", qr);
}

}  // namespace frit::runtime::openblas
