// The functions of mlx/c/fft.h. Written by frontend/c/generate.py.
// clang-format off
#include "frontend/c/parts.h"

namespace frit::c {

extern "C" {

int mlx_fft_fft(mlx_array* res, const mlx_array a, int n, int axis, mlx_fft_norm norm, const mlx_stream s) {
  return call("mlx_fft_fft", [&] { put(res, frit::fft::fft(in(a, "a"), n, axis, in(norm, "norm"), in(s, "s"))); });
}

int mlx_fft_fft2(mlx_array* res, const mlx_array a, const int* n, size_t n_num, const int* axes, size_t axes_num,
                 mlx_fft_norm norm, const mlx_stream s) {
  return call("mlx_fft_fft2", [&] { put(res, frit::fft::fft2(in(a, "a"), in(n, n_num, "n"), in(axes, axes_num, "axes"), in(norm, "norm"), in(s, "s"))); });
}

int mlx_fft_fftfreq(mlx_array* res, int n, double d, const mlx_stream s) {
  return call("mlx_fft_fftfreq", [&] { put(res, frit::fft::fftfreq(n, d, in(s, "s"))); });
}

int mlx_fft_fftn(mlx_array* res, const mlx_array a, const int* n, size_t n_num, const int* axes, size_t axes_num,
                 mlx_fft_norm norm, const mlx_stream s) {
  return call("mlx_fft_fftn", [&] { put(res, frit::fft::fftn(in(a, "a"), in(n, n_num, "n"), in(axes, axes_num, "axes"), in(norm, "norm"), in(s, "s"))); });
}

int mlx_fft_fftshift(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, const mlx_stream s) {
  return call("mlx_fft_fftshift", [&] { put(res, frit::fft::fftshift(in(a, "a"), in(axes, axes_num, "axes"), in(s, "s"))); });
}

int mlx_fft_ifft(mlx_array* res, const mlx_array a, int n, int axis, mlx_fft_norm norm, const mlx_stream s) {
  return call("mlx_fft_ifft", [&] { put(res, frit::fft::ifft(in(a, "a"), n, axis, in(norm, "norm"), in(s, "s"))); });
}

int mlx_fft_ifft2(mlx_array* res, const mlx_array a, const int* n, size_t n_num, const int* axes, size_t axes_num,
                  mlx_fft_norm norm, const mlx_stream s) {
  return call("mlx_fft_ifft2", [&] { put(res, frit::fft::ifft2(in(a, "a"), in(n, n_num, "n"), in(axes, axes_num, "axes"), in(norm, "norm"), in(s, "s"))); });
}

int mlx_fft_ifftn(mlx_array* res, const mlx_array a, const int* n, size_t n_num, const int* axes, size_t axes_num,
                  mlx_fft_norm norm, const mlx_stream s) {
  return call("mlx_fft_ifftn", [&] { put(res, frit::fft::ifftn(in(a, "a"), in(n, n_num, "n"), in(axes, axes_num, "axes"), in(norm, "norm"), in(s, "s"))); });
}

int mlx_fft_ifftshift(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, const mlx_stream s) {
  return call("mlx_fft_ifftshift", [&] { put(res, frit::fft::ifftshift(in(a, "a"), in(axes, axes_num, "axes"), in(s, "s"))); });
}

int mlx_fft_irfft(mlx_array* res, const mlx_array a, int n, int axis, mlx_fft_norm norm, const mlx_stream s) {
  return call("mlx_fft_irfft", [&] { put(res, frit::fft::irfft(in(a, "a"), n, axis, in(norm, "norm"), in(s, "s"))); });
}

int mlx_fft_irfft2(mlx_array* res, const mlx_array a, const int* n, size_t n_num, const int* axes, size_t axes_num,
                   mlx_fft_norm norm, const mlx_stream s) {
  return call("mlx_fft_irfft2", [&] { put(res, frit::fft::irfft2(in(a, "a"), in(n, n_num, "n"), in(axes, axes_num, "axes"), in(norm, "norm"), in(s, "s"))); });
}

int mlx_fft_irfftn(mlx_array* res, const mlx_array a, const int* n, size_t n_num, const int* axes, size_t axes_num,
                   mlx_fft_norm norm, const mlx_stream s) {
  return call("mlx_fft_irfftn", [&] { put(res, frit::fft::irfftn(in(a, "a"), in(n, n_num, "n"), in(axes, axes_num, "axes"), in(norm, "norm"), in(s, "s"))); });
}

int mlx_fft_rfft(mlx_array* res, const mlx_array a, int n, int axis, mlx_fft_norm norm, const mlx_stream s) {
  return call("mlx_fft_rfft", [&] { put(res, frit::fft::rfft(in(a, "a"), n, axis, in(norm, "norm"), in(s, "s"))); });
}

int mlx_fft_rfft2(mlx_array* res, const mlx_array a, const int* n, size_t n_num, const int* axes, size_t axes_num,
                  mlx_fft_norm norm, const mlx_stream s) {
  return call("mlx_fft_rfft2", [&] { put(res, frit::fft::rfft2(in(a, "a"), in(n, n_num, "n"), in(axes, axes_num, "axes"), in(norm, "norm"), in(s, "s"))); });
}

int mlx_fft_rfftfreq(mlx_array* res, int n, double d, const mlx_stream s) {
  return call("mlx_fft_rfftfreq", [&] { put(res, frit::fft::rfftfreq(n, d, in(s, "s"))); });
}

int mlx_fft_rfftn(mlx_array* res, const mlx_array a, const int* n, size_t n_num, const int* axes, size_t axes_num,
                  mlx_fft_norm norm, const mlx_stream s) {
  return call("mlx_fft_rfftn", [&] { put(res, frit::fft::rfftn(in(a, "a"), in(n, n_num, "n"), in(axes, axes_num, "axes"), in(norm, "norm"), in(s, "s"))); });
}

}  // extern "C"

}  // namespace frit::c
