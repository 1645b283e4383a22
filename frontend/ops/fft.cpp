// Fourier transforms over axes. The rows transform the last axis; others are moved there and back as views.
#include "frontend/frit/fft.h"

#include <algorithm>

#include "frontend/core/build.h"

namespace frit::fft {

using detail::fail;
using detail::make;
using detail::size_of;
using detail::text;

namespace {

struct Kind {
  std::string_view name;
  bool real, inverse;
};
constexpr Kind kFft{"fft", false, false}, kIfft{"ifft", false, true}, kRfft{"rfft", true, false},
    kIrfft{"irfft", true, true};

// The attribute of the rows: 1 divides by the root of the length, 2 by the length.
Dim divisor(FFTNorm norm, bool inverse) {
  if (norm == FFTNorm::Ortho) return 1;
  return (norm == FFTNorm::Backward) == inverse ? 2 : 0;
}

// The axis cut to n elements, or filled with zeros.
array fitted(const array& a, int axis, const Dim& n, const StreamOrDevice& s) {
  const Dim has = size_of(a, axis);
  if (has == n) return a;
  if (detail::decide_at_most(n, has, "fft", s.where())) return detail::take_range(a, axis, 0, n, s);
  ir::Dims zeros = detail::sizes_of(a);
  zeros[static_cast<size_t>(axis)] = n - has;
  return concatenate({a, detail::stretch(array(0.0f, a.dtype()), zeros, s)}, axis, s);
}

// One axis of n elements that has the right number of them.
array along(std::string_view row, const array& a, int axis, ir::AttrMap attrs, const StreamOrDevice& s) {
  const int last = static_cast<int>(a.ndim()) - 1;
  return swapaxes(make(row, {swapaxes(a, axis, last, s)}, std::move(attrs), s), axis, last, s);
}

// The lengths of the transform along the axes: those that are given, or those of the array.
ir::Dims lengths(const Kind& kind, const array& a, const Sizes* n, const std::vector<int>& axes,
                 const StreamOrDevice& s) {
  const std::string who(kind.name);
  ir::Dims out;
  for (size_t i = 0; i < axes.size(); ++i) {
    const Dim has = size_of(a, axes[i]);
    const bool half = kind.real && kind.inverse && i + 1 == axes.size();
    out.push_back(n ? detail::simplify((*n)[i].dim()) : half ? (has - Dim(1)) * Dim(2) : has);
    if (!detail::require_at_most(1, out.back(), kind.name, s.where()))
      fail(who + ": the length of axis " + std::to_string(axes[i]) + " of " + text(a) + " would be " +
               detail::text(out.back()),
           "give lengths of at least 1", s);
  }
  return out;
}

array transform(const Kind& kind, array a, const Sizes* n, const std::vector<int>& given, FFTNorm norm,
                const StreamOrDevice& s) {
  if (n && n->size() != given.size())
    fail(std::string(kind.name) + ": " + std::to_string(n->size()) + " lengths are given for " +
             std::to_string(given.size()) + " axes of " + text(a),
         "give a length for each axis", s);
  if (a.ndim() == 0 && given.empty())
    fail(std::string(kind.name) + ": " + text(a) + " has no axes to transform", "give an array with an axis", s);
  std::vector<int> axes;
  for (int axis : given) axes.push_back(detail::normalize_axis(kind.name, a, axis, s));
  detail::normalize_axes(kind.name, a, axes, s);  // none twice
  const ir::Dims sizes = lengths(kind, a, n, axes, s);
  if (axes.empty()) return a;
  a = astype(a, kind.real && !kind.inverse ? float32 : complex64, s);
  const Dim divide = divisor(norm, kind.inverse);
  const auto whole = [&](size_t i) {
    a = along("fft", fitted(a, axes[i], sizes[i], s), axes[i], {{"inverse", kind.inverse}, {"norm", divide}}, s);
  };
  const size_t last = axes.size() - 1;
  if (kind.real && !kind.inverse)
    a = along("rfft", fitted(a, axes[last], sizes[last], s), axes[last], {{"norm", divide}}, s);
  for (size_t i = kind.real ? last : last + 1; i-- > 0;) whole(i);
  if (kind.real && kind.inverse) {
    const Dim half = floor_div(sizes[last], 2) + Dim(1);
    a = along("irfft", fitted(a, axes[last], half, s), axes[last], {{"n", sizes[last]}, {"norm", divide}}, s);
  }
  return a;
}

void check_frequencies(std::string_view op, int n, double d, const StreamOrDevice& s) {
  if (n < 1) fail(std::string(op) + ": n=" + std::to_string(n) + " is not positive", "give a positive length", s);
  if (d == 0) fail(std::string(op) + ": the distance d of the numbers is zero", "give a distance other than zero", s);
}

}  // namespace

array fftn(const array& a, const Sizes& n, const std::vector<int>& axes, FFTNorm norm, StreamOrDevice s) {
  return transform(kFft, a, &n, axes, norm, s);
}
array fftn(const array& a, const std::vector<int>& axes, FFTNorm norm, StreamOrDevice s) {
  return transform(kFft, a, nullptr, axes, norm, s);
}
array fftn(const array& a, FFTNorm norm, StreamOrDevice s) { return fftn(a, detail::all_axes(a), norm, s); }
array fft(const array& a, const Size& n, int axis, FFTNorm norm, StreamOrDevice s) {
  return fftn(a, Sizes{n}, {axis}, norm, s);
}
array fft(const array& a, int axis, FFTNorm norm, StreamOrDevice s) { return fftn(a, std::vector<int>{axis}, norm, s); }
array fft2(const array& a, const Sizes& n, const std::vector<int>& axes, FFTNorm norm, StreamOrDevice s) {
  return fftn(a, n, axes, norm, s);
}
array fft2(const array& a, const std::vector<int>& axes, FFTNorm norm, StreamOrDevice s) {
  return fftn(a, axes, norm, s);
}
array fft2(const array& a, StreamOrDevice s) { return fftn(a, std::vector<int>{-2, -1}, FFTNorm::Backward, s); }

array ifftn(const array& a, const Sizes& n, const std::vector<int>& axes, FFTNorm norm, StreamOrDevice s) {
  return transform(kIfft, a, &n, axes, norm, s);
}
array ifftn(const array& a, const std::vector<int>& axes, FFTNorm norm, StreamOrDevice s) {
  return transform(kIfft, a, nullptr, axes, norm, s);
}
array ifftn(const array& a, FFTNorm norm, StreamOrDevice s) { return ifftn(a, detail::all_axes(a), norm, s); }
array ifft(const array& a, const Size& n, int axis, FFTNorm norm, StreamOrDevice s) {
  return ifftn(a, Sizes{n}, {axis}, norm, s);
}
array ifft(const array& a, int axis, FFTNorm norm, StreamOrDevice s) {
  return ifftn(a, std::vector<int>{axis}, norm, s);
}
array ifft2(const array& a, const Sizes& n, const std::vector<int>& axes, FFTNorm norm, StreamOrDevice s) {
  return ifftn(a, n, axes, norm, s);
}
array ifft2(const array& a, const std::vector<int>& axes, FFTNorm norm, StreamOrDevice s) {
  return ifftn(a, axes, norm, s);
}
array ifft2(const array& a, StreamOrDevice s) { return ifftn(a, std::vector<int>{-2, -1}, FFTNorm::Backward, s); }

array rfftn(const array& a, const Sizes& n, const std::vector<int>& axes, FFTNorm norm, StreamOrDevice s) {
  return transform(kRfft, a, &n, axes, norm, s);
}
array rfftn(const array& a, const std::vector<int>& axes, FFTNorm norm, StreamOrDevice s) {
  return transform(kRfft, a, nullptr, axes, norm, s);
}
array rfftn(const array& a, FFTNorm norm, StreamOrDevice s) { return rfftn(a, detail::all_axes(a), norm, s); }
array rfft(const array& a, const Size& n, int axis, FFTNorm norm, StreamOrDevice s) {
  return rfftn(a, Sizes{n}, {axis}, norm, s);
}
array rfft(const array& a, int axis, FFTNorm norm, StreamOrDevice s) {
  return rfftn(a, std::vector<int>{axis}, norm, s);
}
array rfft2(const array& a, const Sizes& n, const std::vector<int>& axes, FFTNorm norm, StreamOrDevice s) {
  return rfftn(a, n, axes, norm, s);
}
array rfft2(const array& a, const std::vector<int>& axes, FFTNorm norm, StreamOrDevice s) {
  return rfftn(a, axes, norm, s);
}
array rfft2(const array& a, StreamOrDevice s) { return rfftn(a, std::vector<int>{-2, -1}, FFTNorm::Backward, s); }

array irfftn(const array& a, const Sizes& n, const std::vector<int>& axes, FFTNorm norm, StreamOrDevice s) {
  return transform(kIrfft, a, &n, axes, norm, s);
}
array irfftn(const array& a, const std::vector<int>& axes, FFTNorm norm, StreamOrDevice s) {
  return transform(kIrfft, a, nullptr, axes, norm, s);
}
array irfftn(const array& a, FFTNorm norm, StreamOrDevice s) { return irfftn(a, detail::all_axes(a), norm, s); }
array irfft(const array& a, const Size& n, int axis, FFTNorm norm, StreamOrDevice s) {
  return irfftn(a, Sizes{n}, {axis}, norm, s);
}
array irfft(const array& a, int axis, FFTNorm norm, StreamOrDevice s) {
  return irfftn(a, std::vector<int>{axis}, norm, s);
}
array irfft2(const array& a, const Sizes& n, const std::vector<int>& axes, FFTNorm norm, StreamOrDevice s) {
  return irfftn(a, n, axes, norm, s);
}
array irfft2(const array& a, const std::vector<int>& axes, FFTNorm norm, StreamOrDevice s) {
  return irfftn(a, axes, norm, s);
}
array irfft2(const array& a, StreamOrDevice s) { return irfftn(a, std::vector<int>{-2, -1}, FFTNorm::Backward, s); }

array fftshift(const array& a, const std::vector<int>& axes, StreamOrDevice s) {
  array out = a;
  for (int axis : axes) {
    const int at = detail::normalize_axis("fftshift", a, axis, s);
    out = detail::rotated(out, at, ceil_div(size_of(a, at), 2), s);
  }
  return out;
}
array fftshift(const array& a, StreamOrDevice s) { return fftshift(a, detail::all_axes(a), s); }

array ifftshift(const array& a, const std::vector<int>& axes, StreamOrDevice s) {
  array out = a;
  for (int axis : axes) {
    const int at = detail::normalize_axis("ifftshift", a, axis, s);
    out = detail::rotated(out, at, floor_div(size_of(a, at), 2), s);
  }
  return out;
}
array ifftshift(const array& a, StreamOrDevice s) { return ifftshift(a, detail::all_axes(a), s); }

array fftfreq(int n, double d, StreamOrDevice s) {
  check_frequencies("fftfreq", n, d, s);
  const array steps = concatenate({arange(0, n - n / 2, s), arange(-(n / 2), 0, s)}, 0, s);
  return multiply(astype(steps, float32, s), array(static_cast<float>(1 / (n * d))), s);
}

array rfftfreq(int n, double d, StreamOrDevice s) {
  check_frequencies("rfftfreq", n, d, s);
  return multiply(astype(arange(0, n / 2 + 1, s), float32, s), array(static_cast<float>(1 / (n * d))), s);
}

}  // namespace frit::fft
