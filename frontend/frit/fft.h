// Fourier transforms in namespace frit::fft, with the names, argument order and defaults of MLX. The declarations are
// written from frontend/api.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frit/array.h"

namespace frit {

namespace fft {

// The direction that is divided by the length; Ortho divides both by its root.
enum class FFTNorm { Backward, Ortho, Forward };

}  // namespace fft

// ---- Written from frontend/api: fft

namespace fft {
// The discrete Fourier transform along one axis, the last where none is given.
// Shape: that of `a`, with `n` elements along the axes.
// Types: any; the result is complex64.
// Throws OutOfRange when there is no such axis, InvalidArgument when one is given twice, a length is not positive.
// Algorithm: mixed radix in vector lanes; lengths with a prime factor past 127 as a convolution (Bluestein).
array fft(const array& a, const Size& n, int axis, FFTNorm norm = FFTNorm::Backward, StreamOrDevice s = {});
array fft(const array& a, int axis = -1, FFTNorm norm = FFTNorm::Backward, StreamOrDevice s = {});

// The discrete Fourier transform over two axes, the last two where none are given.
// Shape: that of `a`, with `n` elements along the axes.
// Types: any; the result is complex64.
// Throws OutOfRange when there is no such axis, InvalidArgument when one is given twice, a length is not positive or
// `n` and `axes` differ in number.
array fft2(const array& a, const Sizes& n, const std::vector<int>& axes, FFTNorm norm = FFTNorm::Backward,
           StreamOrDevice s = {});
array fft2(const array& a, const std::vector<int>& axes, FFTNorm norm = FFTNorm::Backward, StreamOrDevice s = {});
array fft2(const array& a, StreamOrDevice s = {});

// The discrete Fourier transform over axes, all of them where none are given.
// Shape: that of `a`, with `n` elements along the axes.
// Types: any; the result is complex64.
// Throws OutOfRange when there is no such axis, InvalidArgument when one is given twice, a length is not positive or
// `n` and `axes` differ in number.
array fftn(const array& a, const Sizes& n, const std::vector<int>& axes, FFTNorm norm = FFTNorm::Backward,
           StreamOrDevice s = {});
array fftn(const array& a, const std::vector<int>& axes, FFTNorm norm = FFTNorm::Backward, StreamOrDevice s = {});
array fftn(const array& a, FFTNorm norm = FFTNorm::Backward, StreamOrDevice s = {});

// The inverse discrete Fourier transform along one axis, the last where none is given.
// Shape: that of `a`, with `n` elements along the axes.
// Types: any; the result is complex64.
// Throws OutOfRange when there is no such axis, InvalidArgument when one is given twice, a length is not positive.
array ifft(const array& a, const Size& n, int axis, FFTNorm norm = FFTNorm::Backward, StreamOrDevice s = {});
array ifft(const array& a, int axis = -1, FFTNorm norm = FFTNorm::Backward, StreamOrDevice s = {});

// The inverse discrete Fourier transform over two axes, the last two where none are given.
// Shape: that of `a`, with `n` elements along the axes.
// Types: any; the result is complex64.
// Throws OutOfRange when there is no such axis, InvalidArgument when one is given twice, a length is not positive or
// `n` and `axes` differ in number.
array ifft2(const array& a, const Sizes& n, const std::vector<int>& axes, FFTNorm norm = FFTNorm::Backward,
            StreamOrDevice s = {});
array ifft2(const array& a, const std::vector<int>& axes, FFTNorm norm = FFTNorm::Backward, StreamOrDevice s = {});
array ifft2(const array& a, StreamOrDevice s = {});

// The inverse discrete Fourier transform over axes, all of them where none are given.
// Shape: that of `a`, with `n` elements along the axes.
// Types: any; the result is complex64.
// Throws OutOfRange when there is no such axis, InvalidArgument when one is given twice, a length is not positive or
// `n` and `axes` differ in number.
array ifftn(const array& a, const Sizes& n, const std::vector<int>& axes, FFTNorm norm = FFTNorm::Backward,
            StreamOrDevice s = {});
array ifftn(const array& a, const std::vector<int>& axes, FFTNorm norm = FFTNorm::Backward, StreamOrDevice s = {});
array ifftn(const array& a, FFTNorm norm = FFTNorm::Backward, StreamOrDevice s = {});

// The discrete Fourier transform of real numbers, without the half that follows from the other one along one axis, the
// last where none is given.
// Shape: that of `a`, with `n` elements along the axes. The last transformed axis gets n // 2 + 1 elements.
// Types: any, converted to float32; the result is complex64.
// Throws OutOfRange when there is no such axis, InvalidArgument when one is given twice, a length is not positive.
array rfft(const array& a, const Size& n, int axis, FFTNorm norm = FFTNorm::Backward, StreamOrDevice s = {});
array rfft(const array& a, int axis = -1, FFTNorm norm = FFTNorm::Backward, StreamOrDevice s = {});

// The discrete Fourier transform of real numbers, without the half that follows from the other one over two axes, the
// last two where none are given.
// Shape: that of `a`, with `n` elements along the axes. The last transformed axis gets n // 2 + 1 elements.
// Types: any, converted to float32; the result is complex64.
// Throws OutOfRange when there is no such axis, InvalidArgument when one is given twice, a length is not positive or
// `n` and `axes` differ in number.
array rfft2(const array& a, const Sizes& n, const std::vector<int>& axes, FFTNorm norm = FFTNorm::Backward,
            StreamOrDevice s = {});
array rfft2(const array& a, const std::vector<int>& axes, FFTNorm norm = FFTNorm::Backward, StreamOrDevice s = {});
array rfft2(const array& a, StreamOrDevice s = {});

// The discrete Fourier transform of real numbers, without the half that follows from the other one over axes, all of
// them where none are given.
// Shape: that of `a`, with `n` elements along the axes. The last transformed axis gets n // 2 + 1 elements.
// Types: any, converted to float32; the result is complex64.
// Throws OutOfRange when there is no such axis, InvalidArgument when one is given twice, a length is not positive or
// `n` and `axes` differ in number.
array rfftn(const array& a, const Sizes& n, const std::vector<int>& axes, FFTNorm norm = FFTNorm::Backward,
            StreamOrDevice s = {});
array rfftn(const array& a, const std::vector<int>& axes, FFTNorm norm = FFTNorm::Backward, StreamOrDevice s = {});
array rfftn(const array& a, FFTNorm norm = FFTNorm::Backward, StreamOrDevice s = {});

// The real numbers whose transform begins with the given half: the inverse of rfft along one axis, the last where none
// is given.
// Shape: that of `a`, with `n` elements along the axes. The last transformed axis gets n elements, by default twice one
// less than it has.
// Types: any, converted to complex64; the result is float32.
// Throws OutOfRange when there is no such axis, InvalidArgument when one is given twice, a length is not positive.
array irfft(const array& a, const Size& n, int axis, FFTNorm norm = FFTNorm::Backward, StreamOrDevice s = {});
array irfft(const array& a, int axis = -1, FFTNorm norm = FFTNorm::Backward, StreamOrDevice s = {});

// The real numbers whose transform begins with the given half: the inverse of rfft over two axes, the last two where
// none are given.
// Shape: that of `a`, with `n` elements along the axes. The last transformed axis gets n elements, by default twice one
// less than it has.
// Types: any, converted to complex64; the result is float32.
// Throws OutOfRange when there is no such axis, InvalidArgument when one is given twice, a length is not positive or
// `n` and `axes` differ in number.
array irfft2(const array& a, const Sizes& n, const std::vector<int>& axes, FFTNorm norm = FFTNorm::Backward,
             StreamOrDevice s = {});
array irfft2(const array& a, const std::vector<int>& axes, FFTNorm norm = FFTNorm::Backward, StreamOrDevice s = {});
array irfft2(const array& a, StreamOrDevice s = {});

// The real numbers whose transform begins with the given half: the inverse of rfft over axes, all of them where none
// are given.
// Shape: that of `a`, with `n` elements along the axes. The last transformed axis gets n elements, by default twice one
// less than it has.
// Types: any, converted to complex64; the result is float32.
// Throws OutOfRange when there is no such axis, InvalidArgument when one is given twice, a length is not positive or
// `n` and `axes` differ in number.
array irfftn(const array& a, const Sizes& n, const std::vector<int>& axes, FFTNorm norm = FFTNorm::Backward,
             StreamOrDevice s = {});
array irfftn(const array& a, const std::vector<int>& axes, FFTNorm norm = FFTNorm::Backward, StreamOrDevice s = {});
array irfftn(const array& a, FFTNorm norm = FFTNorm::Backward, StreamOrDevice s = {});

// Moves the zero frequency to the middle of the axes, all of them where none are given.
// Shape: that of `a`.
// Types: any, kept.
// Throws OutOfRange when there is no such axis.
array fftshift(const array& a, const std::vector<int>& axes, StreamOrDevice s = {});
array fftshift(const array& a, StreamOrDevice s = {});

// The inverse of fftshift.
// Shape: that of `a`.
// Types: any, kept.
// Throws OutOfRange when there is no such axis.
array ifftshift(const array& a, const std::vector<int>& axes, StreamOrDevice s = {});
array ifftshift(const array& a, StreamOrDevice s = {});

// The frequencies of a transform of `n` numbers that lie `d` apart: 0, 1, .., and then the negative ones, over n * d.
// Shape: (n).
// Types: float32.
// Throws InvalidArgument when `n` is not positive or `d` is zero.
array fftfreq(int n, double d = 1.0, StreamOrDevice s = {});

// The frequencies of rfft: 0, 1, .. n // 2, over n * d.
// Shape: (n // 2 + 1).
// Types: float32.
// Throws InvalidArgument when `n` is not positive or `d` is zero.
array rfftfreq(int n, double d = 1.0, StreamOrDevice s = {});

// Transforms of frames of `n_fft` samples of the last axis, which begin `hop_length` samples apart (a quarter of
// `n_fft`), times a window of `win_length` samples in their middle. With `center` frame i stands around sample i *
// hop_length, and the borders are filled as `pad` does. Without `onesided`, real signals have the half of the
// frequencies that the other half follows from.
// Shape: (..., frequencies, frames).
// Types: any; the result is complex64.
// Throws InvalidArgument when lengths do not fit, `pad_mode` does not exist, or a complex signal is to be one-sided.
array stft(const array& x, int n_fft = 2048, const std::optional<int>& hop_length = std::nullopt,
           const std::optional<int>& win_length = std::nullopt, const std::optional<array>& window = std::nullopt,
           bool center = true, const std::string& pad_mode = "reflect", FFTNorm norm = FFTNorm::Backward,
           const std::optional<bool>& onesided = std::nullopt, StreamOrDevice s = {});

// The signal whose short-time transform is given: frames are transformed back, added where they overlap and divided by
// the sum of the squared windows.
// Shape: (..., samples), `length` of them where it is given.
// Types: complex64; the result is float32.
// Throws InvalidArgument when the array is not complex or has fewer than two axes, or lengths do not fit.
array istft(const array& stft_matrix, const std::optional<int>& n_fft = std::nullopt,
            const std::optional<int>& hop_length = std::nullopt, const std::optional<int>& win_length = std::nullopt,
            const std::optional<array>& window = std::nullopt, bool center = true, FFTNorm norm = FFTNorm::Backward,
            const std::optional<bool>& onesided = std::nullopt, const std::optional<int>& length = std::nullopt,
            StreamOrDevice s = {});

}  // namespace fft

// ---- End of frontend/api: fft

}  // namespace frit
