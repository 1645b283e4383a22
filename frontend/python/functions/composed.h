// Functions of the Python interface that are compositions of others.
#pragma once

#include "frontend/python/core/bind.h"

namespace frit::python {

// The parameters that a short-time transform shares with its inverse.
struct Frames {
  int n;                     // samples of a transform
  std::optional<int> hop;    // samples between frames; a quarter of n
  std::optional<int> width;  // of the window; n
  MaybeArray window;         // of ones where absent; centred in n samples
  bool center;
  fft::FFTNorm norm;
  std::optional<bool> onesided;
};
array stft(const array& x, const Frames& f, const std::string& pad_mode, StreamOrDevice s);
array istft(const array& x, const Frames& f, std::optional<int> length, StreamOrDevice s);

// The distinct elements in order, `size` of them, and what is asked for beside them: the place of the first, the
// inverse and the counts.
struct Unique {
  array values, index, inverse, counts;
};
Unique unique(const array& a, int size, const MaybeArray& fill, StreamOrDevice s);

// logsumexp(logits) - logits[target] along the last axis, in float32.
array cross_entropy(const array& logits, const array& targets, StreamOrDevice s);

// The outputs and the last state of the gated delta rule.
std::vector<array> gated_delta_update(const array& q, const array& k, const array& v, const array& gamma,
                                      const array& beta, const MaybeArray& initial, const MaybeArray& mask,
                                      StreamOrDevice s);

}  // namespace frit::python
