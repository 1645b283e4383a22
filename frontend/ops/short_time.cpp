// Short-time Fourier transforms, of gathers and transforms.
#include <optional>
#include <string>

#include "frontend/frit/fft.h"
#include "frontend/ops/composed.h"

namespace frit::fft {

namespace {

// The parameters that a short-time transform shares with its inverse.
struct Frames {
  int n;                       // samples of a transform
  std::optional<int> hop;      // samples between frames; a quarter of n
  std::optional<int> width;    // of the window; n
  std::optional<array> given;  // the window, of ones where absent; centred in n samples
};

// The window, centred in n samples.
array full_window(const Frames& f, Dtype type, const char* op, const StreamOrDevice& s) {
  const int width = f.width.value_or(f.given ? static_cast<int>(f.given->size()) : f.n);
  if (f.n < 1 || width < 1 || width > f.n)
    throw InvalidArgument(std::string(op) + ": a window of " + std::to_string(width) +
                              " samples does not fit transforms of " + std::to_string(f.n),
                          "give n_fft of one or more, and a win_length of at most n_fft");
  if (f.given && (f.given->ndim() != 1 || f.given->shape(0) != width))
    throw InvalidArgument(
        std::string(op) + ": the window has to have one axis of " + std::to_string(width) + " elements",
        "give win_length as its length");
  const array w = f.given ? astype(*f.given, type, s) : ones(Shape{width}, type, s);
  const int low = (f.n - width) / 2;
  return pad(w, {0}, Shape{low}, Shape{f.n - width - low}, array(0, type), "constant", s);
}

int hop_of(const Frames& f, const char* op) {
  const int hop = f.hop.value_or(f.n / 4);
  if (hop < 1) throw InvalidArgument(std::string(op) + ": hop_length is " + std::to_string(hop), "give one or more");
  return hop;
}

// The samples of `frames` frames in order: frame i begins at i * hop.
array places(int frames, int n, int hop, const StreamOrDevice& s) {
  const array starts = multiply(arange(0, frames, 1, s), array(hop), s);
  return add(expand_dims(starts, 1, s), expand_dims(arange(0, n, 1, s), 0, s), s);
}

// Borders on both sides of the last axis.
array bordered(const array& x, int width, const std::string& mode, const StreamOrDevice& s) {
  if (mode != "reflect" && mode != "constant" && mode != "edge")
    throw InvalidArgument("stft: '" + mode + "' is not a pad_mode", "use reflect, constant or edge");
  const int last = static_cast<int>(x.ndim()) - 1;
  return pad(x, {last}, Shape{width}, Shape{width}, array(0, x.dtype()), mode, s);
}

}  // namespace

array stft(const array& given, int n_fft, const std::optional<int>& hop_length, const std::optional<int>& win_length,
           const std::optional<array>& taper, bool center, const std::string& pad_mode, FFTNorm norm,
           const std::optional<bool>& onesided, StreamOrDevice s) {
  const Frames f{n_fft, hop_length, win_length, taper};
  if (given.ndim() == 0) throw InvalidArgument("stft: an array without axes has no frames", "give a signal");
  const bool is_complex = issubdtype(given.dtype(), complexfloating);
  const bool half = onesided.value_or(!is_complex);
  if (half && is_complex)
    throw InvalidArgument("stft: a complex signal has no one-sided transform", "leave onesided out");
  array x = issubdtype(given.dtype(), inexact) ? given : astype(given, float32, s);
  // A window of float32 keeps its digits beside a signal of 16 bits.
  const Dtype wide = taper ? promote_types(taper->dtype(), x.dtype()) : x.dtype();
  const array window = full_window(f, is_complex ? float32 : wide, "stft", s);
  const int hop = hop_of(f, "stft");
  if (center) x = bordered(x, f.n / 2, pad_mode, s);
  const int length = x.shape(-1);
  if (length < f.n)
    throw InvalidArgument("stft: a signal of " + std::to_string(length) + " samples is shorter than a transform of " +
                              std::to_string(f.n),
                          "give a smaller n_fft");
  const int frames = 1 + (length - f.n) / hop;
  const array parts = multiply(take(x, places(frames, f.n, hop, s), -1, s), window, s);
  const array transformed = half ? rfft(parts, -1, norm, s) : fft(parts, -1, norm, s);
  return swapaxes(transformed, -1, -2, s);
}

array istft(const array& x, const std::optional<int>& n_fft, const std::optional<int>& hop_length,
            const std::optional<int>& win_length, const std::optional<array>& taper, bool center, FFTNorm norm,
            const std::optional<bool>& onesided, const std::optional<int>& length, StreamOrDevice s) {
  if (x.ndim() < 2)
    throw InvalidArgument("istft: an array with " + std::to_string(x.ndim()) + " axes has no frames",
                          "give (..., frequencies, frames)");
  const bool half = onesided.value_or(true);
  const Frames f{n_fft.value_or(half ? 2 * (x.shape(-2) - 1) : x.shape(-2)), hop_length, win_length, taper};
  if (!issubdtype(x.dtype(), complexfloating))
    throw InvalidArgument("istft: an array of " + detail::type_text(x.dtype(), x.shape()) + " is no transform",
                          "give the complex64 array of stft");
  const array window = full_window(f, float32, "istft", s);
  const int hop = hop_of(f, "istft"), frames = x.shape(-1);
  const array columns = swapaxes(x, -1, -2, s);
  array parts = half ? irfft(columns, f.n, -1, norm, s) : ifft(columns, f.n, -1, norm, s);
  parts = multiply(parts, window, s);
  if (!half) parts = real(parts, s);
  const int total = f.n + hop * (frames - 1);
  const array at = reshape(places(frames, f.n, hop, s), Shape{-1}, s);
  // Frames are added where they overlap, and divided by the sum of the squared windows.
  Shape lead(parts.shape().begin(), parts.shape().end() - 2);
  int64_t rows = 1;
  for (ShapeElem n : lead) rows *= n;
  const auto overlap = [&](const array& values, int count) {
    const array by_sample = transpose(reshape(values, Shape{count, frames * f.n}, s), s);
    return transpose(scatter_add(zeros(Shape{total, count}, values.dtype(), s), at,
                                 reshape(by_sample, Shape{frames * f.n, 1, count}, s), 0, s),
                     s);
  };
  array signal = overlap(parts, static_cast<int>(rows));
  const array envelope = overlap(broadcast_to(square(window, s), Shape{frames, f.n}, s), 1);
  signal = divide(signal, where(greater(envelope, array(1e-11f), s), envelope, array(1.0f), s), s);
  const int cut = center ? f.n / 2 : 0;
  int from = cut, to = total - cut;
  if (length) to = std::min(from + *length, total);
  to = std::max(to, from);
  signal = slice(signal, Shape{0, from}, Shape{static_cast<int>(rows), to}, s);
  if (length && to - from < *length)
    signal = pad(signal, {1}, Shape{0}, Shape{*length - (to - from)}, array(0, signal.dtype()), "constant", s);
  lead.push_back(signal.shape(1));
  return reshape(signal, lead, s);
}

}  // namespace frit::fft
