// The routines "inv", "tri_inv", "solve" and "solve_triangular" through LAPACK.
#include "runtime/openblas/lapack.h"

namespace frit::runtime::openblas {
namespace {

using routines::Options;

constexpr const char *kSingular = "is singular", *kCure = "use 'pinv', or add a multiple of the identity";

Status inv(const LibraryCall& call) {
  FRIT_TRY(check_call("inv", call, true, same_part));
  Failure failure;
  with_real(call.operands[0].dtype, [&](auto type) {
    using T = decltype(type);
    const Stack in(call.operands[0]), out(call.results[0]);
    const int n = in.rows();
    if (!n) return;
    T first{};
    int info = 0;
    getri(n, nullptr, nullptr, &first, -1, &info);
    const int work = asked(first);
    const size_t bytes = Parts::bytes<T>(in.size()) + Parts::bytes<T>(work) + Parts::bytes<int>(n);
    each_matrix(in.count(), n, bytes, failure, [&](Parts& parts, int64_t begin, int64_t end) {
      T *const a = parts.take<T>(in.size()), *const space = parts.take<T>(work);
      int* const pivots = parts.take<int>(n);
      for (int64_t k = begin; k < end; ++k) {
        int done = 0;
        in.get(k, a);
        getrf(n, n, a, pivots, &done);
        if (!done) getri(n, a, pivots, space, work, &done);
        if (done) failure.refuse(k);
        out.set_columns(k, a);
      }
    });
  });
  return failure.status("inv", call.operands[0], kSingular, kCure);
}

Status tri_inv(const LibraryCall& call) {
  FRIT_TRY(check_call("tri_inv", call, true, same_part));
  const bool upper = Options(call).flag("upper");
  Failure failure;
  with_real(call.operands[0].dtype, [&](auto type) {
    using T = decltype(type);
    const Stack in(call.operands[0]), out(call.results[0]);
    const int n = in.rows();
    if (!n) return;
    each_matrix(in.count(), n, Parts::bytes<T>(in.size()), failure, [&](Parts& parts, int64_t begin, int64_t end) {
      T* const a = parts.take<T>(in.size());
      for (int64_t k = begin; k < end; ++k) {
        int done = 0;
        in.get(k, a);
        trtri(upper ? "U" : "L", n, a, &done);
        if (done) failure.refuse(k);
        set_triangle(out, k, a, n, upper);
      }
    });
  });
  return failure.status("tri_inv", call.operands[0], "has a zero on its diagonal", kCure);
}

// a x = b by whole matrices or by one triangle of them.
template <bool kTriangular>
Status solve(const LibraryCall& call) {
  constexpr const char* kName = kTriangular ? "solve_triangular" : "solve";
  const int64_t sides =
      call.operands.size() == 2 && !call.operands[1].shape.empty() ? call.operands[1].shape.back() : 0;
  const auto result = [&](Dtype t, int64_t rows, int64_t) { return std::vector<Part>{{t, {rows, sides}}}; };
  FRIT_TRY(check_call(kName, call, true, result, true));
  const bool upper = Options(call).flag("upper");
  Failure failure;
  with_real(call.operands[0].dtype, [&](auto type) {
    using T = decltype(type);
    const Stack in(call.operands[0]), right(call.operands[1]), out(call.results[0]);
    const int n = in.rows(), columns = right.columns();
    if (!n || !columns) return;
    const size_t bytes = Parts::bytes<T>(in.size()) + Parts::bytes<T>(right.size()) + Parts::bytes<int>(n);
    each_matrix(in.count(), n, bytes, failure, [&](Parts& parts, int64_t begin, int64_t end) {
      T *const a = parts.take<T>(in.size()), *const b = parts.take<T>(right.size());
      int* const pivots = parts.take<int>(n);
      for (int64_t k = begin; k < end; ++k) {
        int done = 0;
        in.get(k, a);
        right.get(k, b);
        if (kTriangular) {
          trtrs(upper ? "U" : "L", n, columns, a, b, &done);
        } else {
          getrf(n, n, a, pivots, &done);
          if (!done) getrs(n, columns, a, pivots, b, &done);
        }
        if (done) failure.refuse(k);
        out.set_columns(k, b);
      }
    });
  });
  return failure.status(kName, call.operands[0], kTriangular ? "has a zero on its diagonal" : kSingular, kCure);
}

}  // namespace

void register_solvers() {
  register_library("inv", inv);
  register_library("tri_inv", tri_inv);
  register_library("solve", solve<false>);
  register_library("solve_triangular", solve<true>);
}

}  // namespace frit::runtime::openblas
