// The functions of LAPACK that routines call, one overload for each element type, and stacks of matrices in the
// column-major memory that LAPACK works in.
//
// OpenBLAS has LAPACK under its Fortran names. Every call runs in the calling thread; the matrices of a stack are
// spread over the pool's threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <climits>
#include <complex>
#include <functional>
#include <string>
#include <vector>

#include "runtime/execute/scratch.h"
#include "runtime/routines/routine.h"

namespace frit::runtime::openblas {

using Complex64 = std::complex<float>;

#define FRIT_LAPACK(T, p)                                                                                             \
  extern "C" {                                                                                                        \
  void p##potrf_(const char*, const int*, T*, const int*, int*);                                                      \
  void p##getrf_(const int*, const int*, T*, const int*, int*, int*);                                                 \
  void p##getri_(const int*, T*, const int*, const int*, T*, const int*, int*);                                       \
  void p##getrs_(const char*, const int*, const int*, const T*, const int*, const int*, T*, const int*, int*);        \
  void p##trtri_(const char*, const char*, const int*, T*, const int*, int*);                                         \
  void p##trtrs_(const char*, const char*, const char*, const int*, const int*, const T*, const int*, T*, const int*, \
                 int*);                                                                                               \
  void p##geqrf_(const int*, const int*, T*, const int*, T*, T*, const int*, int*);                                   \
  void p##orgqr_(const int*, const int*, const int*, T*, const int*, const T*, T*, const int*, int*);                 \
  void p##syevd_(const char*, const char*, const int*, T*, const int*, T*, T*, const int*, int*, const int*, int*);   \
  void p##geev_(const char*, const char*, const int*, T*, const int*, T*, T*, T*, const int*, T*, const int*, T*,     \
                const int*, int*);                                                                                    \
  void p##gesdd_(const char*, const int*, const int*, T*, const int*, T*, T*, const int*, T*, const int*, T*,         \
                 const int*, int*, int*);                                                                             \
  }                                                                                                                   \
  inline void potrf(const char* uplo, int n, T* a, int* info) { p##potrf_(uplo, &n, a, &n, info); }                   \
  inline void getrf(int m, int n, T* a, int* pivots, int* info) { p##getrf_(&m, &n, a, &m, pivots, info); }           \
  inline void getri(int n, T* a, const int* pivots, T* work, int lwork, int* info) {                                  \
    p##getri_(&n, a, &n, pivots, work, &lwork, info);                                                                 \
  }                                                                                                                   \
  inline void getrs(int n, int k, const T* a, const int* pivots, T* b, int* info) {                                   \
    p##getrs_("N", &n, &k, a, &n, pivots, b, &n, info);                                                               \
  }                                                                                                                   \
  inline void trtri(const char* uplo, int n, T* a, int* info) { p##trtri_(uplo, "N", &n, a, &n, info); }              \
  inline void trtrs(const char* uplo, int n, int k, const T* a, T* b, int* info) {                                    \
    p##trtrs_(uplo, "N", "N", &n, &k, a, &n, b, &n, info);                                                            \
  }                                                                                                                   \
  inline void geqrf(int m, int n, T* a, T* tau, T* work, int lwork, int* info) {                                      \
    p##geqrf_(&m, &n, a, &m, tau, work, &lwork, info);                                                                \
  }                                                                                                                   \
  inline void orgqr(int m, int n, int k, T* a, const T* tau, T* work, int lwork, int* info) {                         \
    p##orgqr_(&m, &n, &k, a, &m, tau, work, &lwork, info);                                                            \
  }                                                                                                                   \
  inline void syevd(const char* job, const char* uplo, int n, T* a, T* w, T* work, int lwork, T*, int, int* iwork,    \
                    int liwork, int* info) {                                                                          \
    p##syevd_(job, uplo, &n, a, &n, w, work, &lwork, iwork, &liwork, info);                                           \
  }                                                                                                                   \
  inline void geev(const char* job, int n, T* a, T* re, T* im, T* vectors, T* work, int lwork, T*, int* info) {       \
    const int one = 1;                                                                                                \
    p##geev_(job, "N", &n, a, &n, re, im, vectors, &n, nullptr, &one, work, &lwork, info);                            \
  }                                                                                                                   \
  inline void gesdd(const char* job, int m, int n, T* a, T* s, T* u, T* vt, T* work, int lwork, T*, int* iwork,       \
                    int* info) {                                                                                      \
    p##gesdd_(job, &m, &n, a, &m, s, u, &m, vt, &n, work, &lwork, iwork, info);                                       \
  }
FRIT_LAPACK(float, s)
FRIT_LAPACK(double, d)
#undef FRIT_LAPACK

extern "C" {
void cheevd_(const char*, const char*, const int*, Complex64*, const int*, float*, Complex64*, const int*, float*,
             const int*, int*, const int*, int*);
void cgeev_(const char*, const char*, const int*, Complex64*, const int*, Complex64*, Complex64*, const int*,
            Complex64*, const int*, Complex64*, const int*, float*, int*);
void cgesdd_(const char*, const int*, const int*, Complex64*, const int*, float*, Complex64*, const int*, Complex64*,
             const int*, Complex64*, const int*, float*, int*, int*);
}
inline void syevd(const char* job, const char* uplo, int n, Complex64* a, float* w, Complex64* work, int lwork,
                  float* rwork, int lrwork, int* iwork, int liwork, int* info) {
  cheevd_(job, uplo, &n, a, &n, w, work, &lwork, rwork, &lrwork, iwork, &liwork, info);
}
inline void geev(const char* job, int n, Complex64* a, Complex64* values, Complex64*, Complex64* vectors,
                 Complex64* work, int lwork, float* rwork, int* info) {
  const int one = 1;
  cgeev_(job, "N", &n, a, &n, values, vectors, &n, nullptr, &one, work, &lwork, rwork, info);
}
inline void gesdd(const char* job, int m, int n, Complex64* a, float* s, Complex64* u, Complex64* vt, Complex64* work,
                  int lwork, float* rwork, int* iwork, int* info) {
  cgesdd_(job, &m, &n, a, &m, s, u, &m, vt, &n, work, &lwork, rwork, iwork, info);
}

template <class T>
struct RealOf {
  using Type = T;
};
template <>
struct RealOf<Complex64> {
  using Type = float;
};
template <class T>
using Real = typename RealOf<T>::Type;

// The size that a call asked for when it was given a workspace of -1.
template <class T>
int asked(const T& work) {
  return std::max(1, static_cast<int>(std::real(work)));
}

// A tensor as matrices over its last two axes, or as vectors over its last one.
class Stack {
 public:
  explicit Stack(const LibraryTensor& t, bool vectors = false) : t_(t), inner_(vectors ? 1 : 2) {}
  int64_t count() const {
    int64_t n = 1;
    for (size_t axis = 0; axis + inner_ < t_.shape.size(); ++axis) n *= t_.shape[axis];
    return n;
  }
  int rows() const { return static_cast<int>(t_.shape[t_.shape.size() - inner_]); }
  int columns() const { return inner_ == 1 ? 1 : static_cast<int>(t_.shape.back()); }
  int64_t size() const { return int64_t{rows()} * columns(); }

  // Matrix `k` in column-major order.
  template <class T, class From = T>
  void get(int64_t k, T* to) const {
    const From* const from = start<From>(k);
    for (int j = 0; j < columns(); ++j)
      for (int i = 0; i < rows(); ++i) *to++ = static_cast<T>(from[i * row_stride() + j * column_stride()]);
  }
  // Matrix `k` in row-major order, which LAPACK takes for the transposed matrix.
  template <class T, class From = T>
  void get_rows(int64_t k, T* to) const {
    const From* const from = start<From>(k);
    for (int i = 0; i < rows(); ++i)
      for (int j = 0; j < columns(); ++j) *to++ = static_cast<T>(from[i * row_stride() + j * column_stride()]);
  }
  // The elements that f(i, j) gives.
  template <class T, class F>
  void set(int64_t k, const F& f) const {
    T* const to = start<T>(k);
    for (int i = 0; i < rows(); ++i)
      for (int j = 0; j < columns(); ++j) to[i * row_stride() + j * column_stride()] = static_cast<T>(f(i, j));
  }
  // A row-major matrix with as many columns.
  template <class T>
  void set_rows(int64_t k, const T* from) const {
    const int64_t n = columns();
    set<T>(k, [&](int i, int j) { return from[i * n + j]; });
  }
  // A column-major matrix with as many rows.
  template <class T>
  void set_columns(int64_t k, const T* from) const {
    const int64_t n = rows();
    set<T>(k, [&](int i, int j) { return from[i + j * n]; });
  }

 private:
  int64_t row_stride() const { return t_.strides[t_.shape.size() - inner_]; }
  int64_t column_stride() const { return inner_ == 1 ? 0 : t_.strides.back(); }
  template <class T>
  T* start(int64_t k) const {
    T* at = static_cast<T*>(t_.data);
    for (size_t axis = t_.shape.size() - inner_; axis-- > 0;) {
      at += k % t_.shape[axis] * t_.strides[axis];
      k /= t_.shape[axis];
    }
    return at;
  }

  const LibraryTensor& t_;
  size_t inner_;
};

// The elements of one triangle, zeros elsewhere.
template <class T>
void set_triangle(const Stack& out, int64_t k, const T* from, int64_t stride, bool upper) {
  out.set<T>(k, [&](int i, int j) { return (upper ? i <= j : i >= j) ? from[i + j * stride] : T(0); });
}

// Memory for parts of several types, one behind the other, each aligned to 64 bytes.
class Parts {
 public:
  template <class T>
  static size_t bytes(int64_t n) {
    return (static_cast<size_t>(std::max<int64_t>(n, 1)) * sizeof(T) + 63) / 64 * 64;
  }
  explicit Parts(size_t bytes) : memory_(bytes), at_(static_cast<std::byte*>(memory_.data())) {}
  explicit operator bool() const { return memory_.data() != nullptr; }
  template <class T>
  T* take(int64_t n) {
    T* const part = reinterpret_cast<T*>(at_);
    at_ += bytes<T>(n);
    return part;
  }

 private:
  Scratch memory_;
  std::byte* at_;
};

// The failure of a stack: no memory, or the first matrix that LAPACK refused.
class Failure {
 public:
  void no_memory() { memory_ = true; }
  void refuse(int64_t matrix) {
    for (int64_t known = first_; matrix < known && !first_.compare_exchange_weak(known, matrix);) {
    }
  }
  Status status(std::string_view op, const LibraryTensor& x, std::string_view why, std::string_view cure) const {
    const std::string who = "op '" + std::string(op) + "' of " + routines::text(x);
    if (memory_)
      return Diagnostic(who + " cannot allocate its workspace", {},
                        "free arrays or raise the limit with set_memory_limit");
    if (first_ == kNone) return {};
    const bool one = Stack(x).count() == 1;
    return Diagnostic(who + ": " + (one ? "the matrix" : "matrix " + std::to_string(first_)) + " " + std::string(why),
                      {}, std::string(cure));
  }

 private:
  static constexpr int64_t kNone = INT64_MAX;
  std::atomic<bool> memory_{false};
  std::atomic<int64_t> first_{kNone};
};

// Calls body(parts, begin, end) for ranges of a stack's matrices, each of about n^3 operations.
template <class Body>
void each_matrix(int64_t count, int64_t n, size_t bytes, Failure& failure, const Body& body) {
  constexpr int64_t kWorthwhile = 20000;
  routines::for_ranges(count, kWorthwhile / std::max<int64_t>(1, n * n * n), [&](int64_t begin, int64_t end) {
    Parts parts(bytes);
    if (!parts) return failure.no_memory();
    body(parts, begin, end);
  });
}

// The last axes of an operand or a result, and its element type. The leading axes are those of the first operand.
struct Part {
  Dtype dtype = float32;
  std::vector<int64_t> last;
};
// One result with the sizes and the element type of the operand.
inline std::vector<Part> same_part(Dtype t, int64_t rows, int64_t columns) { return {{t, {rows, columns}}}; }

// Fails unless the call has one operand of matrices, or two of which the second is `right`, and these results. A plan
// from a file may say anything.
Status check_call(std::string_view op, const LibraryCall& call, bool square,
                  const std::function<std::vector<Part>(Dtype, int64_t rows, int64_t columns)>& results,
                  bool right = false);

// Calls f with a value of the element type; false for a type that is not among them.
template <class F>
bool with_real(Dtype t, const F& f) {
  if (t == float32) return f(float()), true;
  if (t == float64) return f(double()), true;
  return false;
}
template <class F>
bool with_real_or_complex(Dtype t, const F& f) {
  if (t == complex64) return f(Complex64()), true;
  return with_real(t, f);
}

void register_factors();
void register_solvers();
void register_eigenvalues();

}  // namespace frit::runtime::openblas
