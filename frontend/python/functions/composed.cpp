// Short-time Fourier transforms, distinct elements, cross entropy and the gated delta rule, of other functions.
#include "frontend/python/functions/composed.h"

#include <string>

namespace frit::python {

namespace {

// The window, centred in n samples.
array full_window(const Frames& f, Dtype type, const char* op, StreamOrDevice s) {
  const int width = f.width.value_or(f.window ? static_cast<int>(f.window->size()) : f.n);
  if (f.n < 1 || width < 1 || width > f.n)
    throw InvalidArgument(std::string(op) + ": a window of " + std::to_string(width) +
                              " samples does not fit transforms of " + std::to_string(f.n),
                          "give n_fft of one or more, and a win_length of at most n_fft");
  if (f.window && (f.window->ndim() != 1 || f.window->shape(0) != width))
    throw InvalidArgument(
        std::string(op) + ": the window has to have one axis of " + std::to_string(width) + " elements",
        "give win_length as its length");
  const array w = f.window ? astype(*f.window, type, s) : ones(Shape{width}, type, s);
  const int low = (f.n - width) / 2;
  return pad(w, {0}, Shape{low}, Shape{f.n - width - low}, array(0, type), "constant", s);
}

int hop_of(const Frames& f, const char* op) {
  const int hop = f.hop.value_or(std::max(f.n / 4, 1));
  if (hop < 1) throw InvalidArgument(std::string(op) + ": hop_length is " + std::to_string(hop), "give one or more");
  return hop;
}

// The samples of `frames` frames in order: frame i begins at i * hop.
array places(int frames, int n, int hop, StreamOrDevice s) {
  const array starts = multiply(arange(0, frames, 1, s), array(hop), s);
  return add(expand_dims(starts, 1, s), expand_dims(arange(0, n, 1, s), 0, s), s);
}

// "reflect" and "edge" borders of the last axis.
array bordered(const array& x, int width, const std::string& mode, StreamOrDevice s) {
  if (mode != "reflect" && mode != "constant" && mode != "edge")
    throw InvalidArgument("stft: '" + mode + "' is not a pad_mode", "use reflect, constant or edge");
  const int last = static_cast<int>(x.ndim()) - 1;
  return pad(x, {last}, Shape{width}, Shape{width}, array(0, x.dtype()), mode, s);
}

}  // namespace

array stft(const array& given, const Frames& f, const std::string& pad_mode, StreamOrDevice s) {
  if (given.ndim() == 0) throw InvalidArgument("stft: an array without axes has no frames", "give a signal");
  const bool is_complex = issubdtype(given.dtype(), complexfloating);
  const bool half = f.onesided.value_or(!is_complex);
  if (half && is_complex)
    throw InvalidArgument("stft: a complex signal has no one-sided transform", "leave onesided out");
  array x = issubdtype(given.dtype(), inexact) ? given : astype(given, float32, s);
  const array window = full_window(f, is_complex ? float32 : x.dtype(), "stft", s);
  const int hop = hop_of(f, "stft");
  if (f.center) x = bordered(x, f.n / 2, pad_mode, s);
  const int length = x.shape(-1);
  if (length < f.n)
    throw InvalidArgument("stft: a signal of " + std::to_string(length) + " samples is shorter than a transform of " +
                              std::to_string(f.n),
                          "give a smaller n_fft");
  const int frames = 1 + (length - f.n) / hop;
  const array parts = multiply(take(x, places(frames, f.n, hop, s), -1, s), window, s);
  const array transformed = half ? fft::rfft(parts, -1, f.norm, s) : fft::fft(parts, -1, f.norm, s);
  return swapaxes(transformed, -1, -2, s);
}

array istft(const array& x, const Frames& f, std::optional<int> length, StreamOrDevice s) {
  if (!issubdtype(x.dtype(), complexfloating))
    throw InvalidArgument("istft: an array of " + std::string(long_name(x.dtype())) + " is no transform",
                          "give the complex64 array of stft");
  const array window = full_window(f, float32, "istft", s);
  const int hop = hop_of(f, "istft"), frames = x.shape(-1);
  const array columns = swapaxes(x, -1, -2, s);
  array parts = *f.onesided ? fft::irfft(columns, f.n, -1, f.norm, s) : fft::ifft(columns, f.n, -1, f.norm, s);
  parts = multiply(parts, window, s);
  if (!*f.onesided) parts = real(parts, s);
  const int total = f.n + hop * (frames - 1);
  const array at = reshape(places(frames, f.n, hop, s), Shape{-1}, s);
  // Frames are added where they overlap, and divided by the sum of the squared windows.
  Shape flat(parts.shape().begin(), parts.shape().end() - 2);
  Shape lead = flat;
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
  const int cut = f.center ? f.n / 2 : 0;
  int from = cut, to = total - cut;
  if (length) to = std::min(from + *length, total);
  to = std::max(to, from);
  signal = slice(signal, Shape{0, from}, Shape{static_cast<int>(rows), to}, s);
  if (length && to - from < *length)
    signal = pad(signal, {1}, Shape{0}, Shape{*length - (to - from)}, array(0, signal.dtype()), "constant", s);
  lead.push_back(signal.shape(1));
  return reshape(signal, lead, s);
}

Unique unique(const array& given, int size, const MaybeArray& fill, StreamOrDevice s) {
  if (fill && fill->size() != 1)
    throw InvalidArgument("unique: fill_value has " + std::to_string(fill->size()) + " elements", "give one number");
  if (size < 0)
    throw InvalidArgument("unique: a size of " + std::to_string(size) + " is negative", "give zero or more");
  const array a = reshape(given, Shape{-1}, s);
  const int n = a.shape(0);
  if (n == 0) {
    if (!fill && size > 0)
      throw InvalidArgument("unique: an empty array has no element to fill with", "give fill_value");
    const array values =
        fill ? broadcast_to(astype(*fill, a.dtype(), s), Shape{size}, s) : zeros(Shape{0}, a.dtype(), s);
    return {values, zeros(Shape{size}, uint32, s), zeros(given.shape(), uint32, s), zeros(Shape{size}, int32, s)};
  }
  const array order = argsort(a, 0, s), sorted = take(a, order, 0, s);
  const array before = slice(sorted, Shape{0}, Shape{n - 1}, s), after = slice(sorted, Shape{1}, Shape{n}, s);
  array differs = not_equal(after, before, s);
  // All NaN are one element.
  if (issubdtype(a.dtype(), inexact))
    differs = logical_and(differs, logical_not(logical_and(isnan(after, s), isnan(before, s), s), s), s);
  const array first = concatenate({full(Shape{1}, array(true), s), differs}, 0, s);
  const array rank = subtract(cumsum(astype(first, int32, s), 0, false, true, std::nullopt, s), array(1),
                              s);  // of each sorted element
  const array slots = arange(0, size, 1, s);
  const array at = astype(searchsorted(rank, slots, "left", s), int32, s);  // n where there is none
  const array has = less(at, array(n), s);
  const array safe = minimum(at, array(n - 1), s);
  array index = take(order, safe, 0, s);
  const array filler = fill ? astype(*fill, a.dtype(), s) : take(sorted, array(0), 0, s);
  const array values = where(has, take(sorted, safe, 0, s), filler, s);
  index = where(has, index, take(order, array(0), 0, s), s);
  const array end = astype(searchsorted(rank, slots, "right", s), int32, s);
  const array counts = subtract(end, at, s);
  const array limited = minimum(rank, array(std::max(size - 1, 0)), s);
  const array inverse = put_along_axis(zeros(Shape{n}, int32, s), order, limited, 0, s);
  return {values, astype(index, uint32, s), reshape(astype(inverse, uint32, s), given.shape(), s),
          astype(counts, int32, s)};
}

array cross_entropy(const array& logits, const array& targets, StreamOrDevice s) {
  if (!issubdtype(targets.dtype(), integer))
    throw InvalidArgument(
        "cross_entropy: targets of " + std::string(long_name(targets.dtype())) + " are not class indices",
        "give integers");
  if (logits.ndim() != targets.ndim() + 1)
    throw InvalidArgument("cross_entropy: targets have " + std::to_string(targets.ndim()) +
                              " axes beside logits with " + std::to_string(logits.ndim()),
                          "give one axis less than the logits have");
  const array score = squeeze(take_along_axis(logits, expand_dims(targets, -1, s), -1, s), -1, s);
  return astype(subtract(logsumexp(logits, -1, false, s), score, s), float32, s);
}

std::vector<array> gated_delta_update(const array& q, const array& k, const array& v, const array& gamma,
                                      const array& beta, const MaybeArray& initial, const MaybeArray& mask,
                                      StreamOrDevice s) {
  if (q.ndim() != 4 || k.ndim() != 4 || v.ndim() != 4 || gamma.ndim() != 3 || beta.ndim() != 3)
    throw InvalidArgument("gated_delta_update: q, k and v need four axes, gamma and beta three",
                          "give (batch, time, heads, size)");
  const int batch = v.shape(0), time = v.shape(1), heads = v.shape(2), dv = v.shape(3), dk = k.shape(3);
  if (k.shape(2) == 0 || heads % k.shape(2) != 0)
    throw InvalidArgument("gated_delta_update: " + std::to_string(heads) + " heads of values are no multiple of " +
                              std::to_string(k.shape(2)) + " of keys",
                          "give a multiple");
  const int copies = heads / k.shape(2);
  const array queries = astype(repeat(q, copies, 2, s), float32, s), keys = astype(repeat(k, copies, 2, s), float32, s);
  const array values = astype(v, float32, s), decay = astype(gamma, float32, s), rate = astype(beta, float32, s);
  const Dtype state_type = initial ? initial->dtype() : float32;
  array state = initial ? astype(*initial, float32, s) : zeros(Shape{batch, heads, dv, dk}, float32, s);
  std::vector<array> out;
  for (int t = 0; t < time; ++t) {
    const auto at = [&](const array& a) { return take(a, t, 1, s); };
    const array key = expand_dims(at(keys), 2, s);
    array next = multiply(state, expand_dims(at(decay), std::vector<int>{2, 3}, s), s);
    const array known = sum(multiply(next, key, s), -1, false, s);
    const array delta = multiply(subtract(at(values), known, s), expand_dims(at(rate), 2, s), s);
    next = add(next, multiply(expand_dims(delta, 3, s), key, s), s);
    array y = sum(multiply(next, expand_dims(at(queries), 2, s), s), -1, false, s);
    if (mask) {
      const array keep = reshape(at(*mask), Shape{batch, 1, 1, 1}, s);
      next = where(keep, next, state, s);
      y = where(reshape(keep, Shape{batch, 1, 1}, s), y, array(0.0f), s);
    }
    state = next;
    out.push_back(y);
  }
  return {astype(stack(out, 1, s), v.dtype(), s), astype(state, state_type, s)};
}

}  // namespace frit::python
