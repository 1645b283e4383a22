// The routines "eigh", "eigvalsh", "eig", "eigvals", "svd" and "svdvals" through LAPACK.
//
// LAPACK gets the rows of a matrix as its columns, so it works on the transposed matrix, as MLX has it: the order of
// eigenvalues and the signs of vectors, which are open, are then MLX's.
#include "runtime/openblas/lapack.h"

namespace frit::runtime::openblas {
namespace {

using routines::Options;

constexpr const char *kDiverges = "has infinities or NaN, or its values do not converge",
                     *kCure = "look for them with isfinite";

Dtype real_of(Dtype t) { return is_complex(t) ? float32 : t; }

template <class T>
T conjugate(T x) {
  return x;
}
inline Complex64 conjugate(Complex64 x) { return std::conj(x); }

// LAPACK may loop on what is not finite.
template <class T>
bool all_finite(const T* a, int64_t size) {
  return std::all_of(a, a + size,
                     [](const T& x) { return std::isfinite(std::real(x)) && std::isfinite(std::imag(x)); });
}

template <bool kVectors>
Status symmetric(const LibraryCall& call) {
  constexpr const char *kName = kVectors ? "eigh" : "eigvalsh", *kJob = kVectors ? "V" : "N";
  FRIT_TRY(check_call(kName, call, true, [](Dtype t, int64_t n, int64_t) {
    std::vector<Part> parts{{real_of(t), {n}}};
    if (kVectors) parts.push_back({t, {n, n}});
    return parts;
  }));
  const char* const uplo = Options(call).flag("upper") ? "L" : "U";  // of the transposed matrix
  Failure failure;
  with_real_or_complex(call.operands[0].dtype, [&](auto type) {
    using T = decltype(type);
    using R = Real<T>;
    const Stack in(call.operands[0]), values(call.results[0], true);
    const int n = in.rows();
    if (!n) return;
    T work{};
    R real{};
    int whole = 0, info = 0;
    syevd(kJob, uplo, n, static_cast<T*>(nullptr), nullptr, &work, -1, &real, -1, &whole, -1, &info);
    const int works = asked(work), reals = asked(real), wholes = std::max(1, whole);
    const size_t bytes = Parts::bytes<T>(in.size()) + Parts::bytes<R>(n) + Parts::bytes<T>(works) +
                         Parts::bytes<R>(reals) + Parts::bytes<int>(wholes);
    each_matrix(in.count(), n, bytes, failure, [&](Parts& parts, int64_t begin, int64_t end) {
      T* const a = parts.take<T>(in.size());
      R* const w = parts.take<R>(n);
      T* const space = parts.take<T>(works);
      R* const real_space = parts.take<R>(reals);
      int* const whole_space = parts.take<int>(wholes);
      for (int64_t k = begin; k < end; ++k) {
        int done = 0;
        in.get_rows(k, a);
        syevd(kJob, uplo, n, a, w, space, works, real_space, reals, whole_space, wholes, &done);
        if (done) failure.refuse(k);
        values.template set<R>(k, [&](int i, int) { return w[i]; });
        // The transposed matrix is the conjugate one, and has conjugate vectors.
        if constexpr (kVectors)
          Stack(call.results[1]).template set<T>(k, [&](int i, int j) { return conjugate(a[i + int64_t{j} * n]); });
      }
    });
  });
  return failure.status(kName, call.operands[0], kDiverges, kCure);
}

// The eigenvector j of a real matrix, the conjugate of a left one of the transposed matrix: a column, or two columns
// that are the parts of a pair of conjugate vectors.
template <class T>
Complex64 vector_element(const T* v, const T* im, int n, int i, int j) {
  const auto at = [&](int column) { return static_cast<float>(v[i + int64_t{column} * n]); };
  if (im[j] == 0) return at(j);
  return im[j] > 0 ? Complex64(at(j), -at(j + 1)) : Complex64(at(j - 1), at(j));
}
inline Complex64 vector_element(const Complex64* v, const Complex64*, int n, int i, int j) {
  return std::conj(v[i + int64_t{j} * n]);
}
template <class T>
Complex64 eigenvalue(const T* re, const T* im, int i) {
  return {static_cast<float>(re[i]), static_cast<float>(im[i])};
}
inline Complex64 eigenvalue(const Complex64* values, const Complex64*, int i) { return values[i]; }

template <bool kVectors>
Status general(const LibraryCall& call) {
  constexpr const char *kName = kVectors ? "eig" : "eigvals", *kJob = kVectors ? "V" : "N";
  FRIT_TRY(check_call(kName, call, true, [](Dtype, int64_t n, int64_t) {
    std::vector<Part> parts{{complex64, {n}}};
    if (kVectors) parts.push_back({complex64, {n, n}});
    return parts;
  }));
  Failure failure;
  with_real_or_complex(call.operands[0].dtype, [&](auto type) {
    using T = decltype(type);
    using R = Real<T>;
    const Stack in(call.operands[0]), values(call.results[0], true);
    const int n = in.rows();
    if (!n) return;
    T work{};
    R real{};
    int info = 0;
    geev(kJob, n, static_cast<T*>(nullptr), nullptr, nullptr, nullptr, &work, -1, &real, &info);
    const int works = asked(work);
    const size_t bytes = 2 * Parts::bytes<T>(in.size()) + 2 * Parts::bytes<T>(n) + Parts::bytes<T>(works) +
                         Parts::bytes<R>(2 * int64_t{n});
    each_matrix(in.count(), n, bytes, failure, [&](Parts& parts, int64_t begin, int64_t end) {
      T *const a = parts.take<T>(in.size()), *const v = parts.take<T>(in.size()), *const re = parts.take<T>(n),
               *const im = parts.take<T>(n), *const space = parts.take<T>(works);
      R* const real_space = parts.take<R>(2 * int64_t{n});
      for (int64_t k = begin; k < end; ++k) {
        int done = 0;
        in.get_rows(k, a);
        const bool finite = all_finite(a, in.size());
        if (finite) geev(kJob, n, a, re, im, v, space, works, real_space, &done);
        if (done || !finite) {
          failure.refuse(k);
          continue;
        }
        values.template set<Complex64>(k, [&](int i, int) { return eigenvalue(re, im, i); });
        if constexpr (kVectors)
          Stack(call.results[1]).template set<Complex64>(k, [&](int i, int j) {
            return vector_element(v, im, n, i, j);
          });
      }
    });
  });
  return failure.status(kName, call.operands[0], kDiverges, kCure);
}

template <bool kVectors>
Status singular(const LibraryCall& call) {
  constexpr const char *kName = kVectors ? "svd" : "svdvals", *kJob = kVectors ? "A" : "N";
  FRIT_TRY(check_call(kName, call, false, [](Dtype t, int64_t m, int64_t n) {
    const Part values{real_of(t), {std::min(m, n)}};
    return kVectors ? std::vector<Part>{{t, {m, m}}, values, {t, {n, n}}} : std::vector<Part>{values};
  }));
  Failure failure;
  with_real_or_complex(call.operands[0].dtype, [&](auto type) {
    using T = decltype(type);
    using R = Real<T>;
    const Stack in(call.operands[0]), values(call.results[kVectors ? 1 : 0], true);
    const int m = in.rows(), n = in.columns(), least = std::min(m, n), most = std::max(m, n);
    if (!least) {
      if constexpr (kVectors)
        for (size_t r : {0, 2})
          for (int64_t k = 0; k < in.count(); ++k)
            Stack(call.results[r]).template set<T>(k, [](int i, int j) { return T(i == j ? 1 : 0); });
      return;
    }
    T work{};
    R real{};
    int whole = 0, info = 0;
    gesdd(kJob, n, m, static_cast<T*>(nullptr), nullptr, nullptr, nullptr, &work, -1, &real, &whole, &info);
    const int works = asked(work);
    const int64_t lines = std::max<int64_t>(5 * int64_t{least} * least + 7 * int64_t{least},
                                            2 * int64_t{most} * least + 2 * int64_t{least} * least + least);
    const int64_t reals = std::is_same_v<T, R> ? 1 : lines, left = kVectors ? int64_t{m} * m : 1,
                  right = kVectors ? int64_t{n} * n : 1;
    const size_t bytes = Parts::bytes<T>(in.size()) + Parts::bytes<R>(least) + Parts::bytes<T>(left) +
                         Parts::bytes<T>(right) + Parts::bytes<T>(works) + Parts::bytes<R>(reals) +
                         Parts::bytes<int>(8 * int64_t{least});
    each_matrix(in.count(), most, bytes, failure, [&](Parts& parts, int64_t begin, int64_t end) {
      T* const a = parts.take<T>(in.size());
      R* const s = parts.take<R>(least);
      T *const u = parts.take<T>(left), *const vt = parts.take<T>(right), *const space = parts.take<T>(works);
      R* const real_space = parts.take<R>(reals);
      int* const whole_space = parts.take<int>(8 * int64_t{least});
      for (int64_t k = begin; k < end; ++k) {
        int done = 0;
        in.get_rows(k, a);
        const bool finite = all_finite(a, in.size());
        if (finite) gesdd(kJob, n, m, a, s, vt, u, space, works, real_space, whole_space, &done);
        if (done || !finite) {
          failure.refuse(k);
          continue;
        }
        values.template set<R>(k, [&](int i, int) { return s[i]; });
        if constexpr (kVectors) {
          Stack(call.results[0]).set_rows(k, u);
          Stack(call.results[2]).set_rows(k, vt);
        }
      }
    });
  });
  return failure.status(kName, call.operands[0], kDiverges, kCure);
}

}  // namespace

void register_eigenvalues() {
  register_library("eigh", symmetric<true>);
  register_library("eigvalsh", symmetric<false>);
  register_library("eig", general<true>);
  register_library("eigvals", general<false>);
  register_library("svd", singular<true>);
  register_library("svdvals", singular<false>);
}

}  // namespace frit::runtime::openblas
