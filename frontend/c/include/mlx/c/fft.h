/* Discrete Fourier transforms.
 *
 * Written by frontend/c/generate.py. */
#ifndef MLX_C_FFT_H
#define MLX_C_FFT_H

#include <stddef.h>

#include "mlx/c/array.h"
#include "mlx/c/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which direction of a transform is divided by its size. */
typedef enum mlx_fft_norm_ {
  MLX_FFT_NORM_BACKWARD,
  MLX_FFT_NORM_ORTHO,
  MLX_FFT_NORM_FORWARD,
} mlx_fft_norm;

/* The discrete Fourier transform along one axis, the last where none is given. */
int mlx_fft_fft(mlx_array* res, const mlx_array a, int n, int axis, mlx_fft_norm norm, const mlx_stream s);

/* The discrete Fourier transform over two axes, the last two where none are given. */
int mlx_fft_fft2(mlx_array* res, const mlx_array a, const int* n, size_t n_num, const int* axes, size_t axes_num,
                 mlx_fft_norm norm, const mlx_stream s);

/* The frequencies of a transform of `n` numbers that lie `d` apart. */
int mlx_fft_fftfreq(mlx_array* res, int n, double d, const mlx_stream s);

/* The discrete Fourier transform over axes, all of them where none are given. */
int mlx_fft_fftn(mlx_array* res, const mlx_array a, const int* n, size_t n_num, const int* axes, size_t axes_num,
                 mlx_fft_norm norm, const mlx_stream s);

/* Moves the zero frequency to the middle of the axes, all of them where none are given. */
int mlx_fft_fftshift(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, const mlx_stream s);

/* The inverse discrete Fourier transform along one axis, the last where none is given. */
int mlx_fft_ifft(mlx_array* res, const mlx_array a, int n, int axis, mlx_fft_norm norm, const mlx_stream s);

/* The inverse discrete Fourier transform over two axes, the last two where none are given. */
int mlx_fft_ifft2(mlx_array* res, const mlx_array a, const int* n, size_t n_num, const int* axes, size_t axes_num,
                  mlx_fft_norm norm, const mlx_stream s);

/* The inverse discrete Fourier transform over axes, all of them where none are given. */
int mlx_fft_ifftn(mlx_array* res, const mlx_array a, const int* n, size_t n_num, const int* axes, size_t axes_num,
                  mlx_fft_norm norm, const mlx_stream s);

/* The inverse of fftshift. */
int mlx_fft_ifftshift(mlx_array* res, const mlx_array a, const int* axes, size_t axes_num, const mlx_stream s);

/* The real numbers whose transform begins with the given half: the inverse of rfft along one axis, the last where none
 * is given. */
int mlx_fft_irfft(mlx_array* res, const mlx_array a, int n, int axis, mlx_fft_norm norm, const mlx_stream s);

/* The real numbers whose transform begins with the given half: the inverse of rfft over two axes, the last two where
 * none are given. */
int mlx_fft_irfft2(mlx_array* res, const mlx_array a, const int* n, size_t n_num, const int* axes, size_t axes_num,
                   mlx_fft_norm norm, const mlx_stream s);

/* The real numbers whose transform begins with the given half: the inverse of rfft over axes, all of them where none
 * are given. */
int mlx_fft_irfftn(mlx_array* res, const mlx_array a, const int* n, size_t n_num, const int* axes, size_t axes_num,
                   mlx_fft_norm norm, const mlx_stream s);

/* The discrete Fourier transform of real numbers, without the half that follows from the other one along one axis, the
 * last where none is given. */
int mlx_fft_rfft(mlx_array* res, const mlx_array a, int n, int axis, mlx_fft_norm norm, const mlx_stream s);

/* The discrete Fourier transform of real numbers, without the half that follows from the other one over two axes, the
 * last two where none are given. */
int mlx_fft_rfft2(mlx_array* res, const mlx_array a, const int* n, size_t n_num, const int* axes, size_t axes_num,
                  mlx_fft_norm norm, const mlx_stream s);

/* The frequencies of rfft: 0, 1, ... n / 2, over n * d. */
int mlx_fft_rfftfreq(mlx_array* res, int n, double d, const mlx_stream s);

/* The discrete Fourier transform of real numbers, without the half that follows from the other one over axes, all of
 * them where none are given. */
int mlx_fft_rfftn(mlx_array* res, const mlx_array a, const int* n, size_t n_num, const int* axes, size_t axes_num,
                  mlx_fft_norm norm, const mlx_stream s);

#ifdef __cplusplus
}
#endif

#endif
