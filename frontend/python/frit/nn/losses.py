"""Losses. `reduction` is none, mean or sum; another raises ValueError."""
import math
from typing import Literal, Optional

import frit.core as mx

Reduction = Literal["none", "mean", "sum"]


def _reduce(loss: mx.array, reduction: Reduction = "none"):
    if reduction == "mean":
        return mx.mean(loss)
    if reduction == "sum":
        return mx.sum(loss)
    if reduction == "none":
        return loss
    raise ValueError("a loss has no reduction '%s'; use none, mean or sum" % reduction)


def _fit(a, b):
    both = isinstance(a, mx.array) and isinstance(b, mx.array)
    return mx._same_shape(a, b) if both else a.shape == b.shape


def _same_shape(op, **arrays):
    (name, first), *others = arrays.items()
    for other, a in others:
        if not _fit(a, first):
            raise ValueError("%s: %s have shape %s, and %s %s" % (op, name, first.shape, other, a.shape))


def cross_entropy(
    logits: mx.array,
    targets: mx.array,
    weights: Optional[mx.array] = None,
    axis: int = -1,
    label_smoothing: float = 0.0,
    reduction: Reduction = "none",
) -> mx.array:
    """-log of the softmax at the targets: class indices, or probabilities of the logits' shape.

    Raises ValueError where the shapes do not fit or label_smoothing is not in [0, 1).
    """
    if label_smoothing < 0 or label_smoothing >= 1:
        raise ValueError("cross_entropy: label_smoothing is %s; give a number in [0, 1)" % label_smoothing)
    probabilities = targets.ndim == logits.ndim
    if not mx.issubdtype(logits.dtype, mx.inexact):
        logits = logits.astype(mx.float32)  # the differences below would wrap
    # Relative to the largest logit: a small loss keeps its digits, and probabilities that do not sum to one show.
    largest = mx.stop_gradient(mx.max(logits, axis=axis, keepdims=True))
    shifted = logits - largest
    loss = mx.logsumexp(shifted, axis=axis)
    if not _fit(targets, logits if probabilities else loss):
        raise ValueError("cross_entropy: targets have shape %s, and logits %s" % (targets.shape, logits.shape))
    if probabilities:
        score = mx.sum(shifted * targets, axis=axis)
    else:
        # Of the chosen logits alone, so that the shifted ones need no memory.
        score = (mx.take_along_axis(logits, mx.expand_dims(targets, axis), axis) - largest).squeeze(axis)
    if label_smoothing > 0:
        loss = loss - (1 - label_smoothing) * score - label_smoothing * shifted.mean(axis=axis)
    else:
        loss = loss - score
    if weights is not None:
        _same_shape("cross_entropy", weights=weights, losses=loss)
        loss = loss * weights
    return _reduce(loss, reduction)


def binary_cross_entropy(
    inputs: mx.array, targets: mx.array, weights: Optional[mx.array] = None, with_logits: bool = True, reduction: Reduction = "mean"
) -> mx.array:
    """-log of the probability of 0 or 1 targets; the inputs are logits, or else probabilities."""
    _same_shape("binary_cross_entropy", inputs=inputs, targets=targets)
    if with_logits:
        loss = mx.logaddexp(0.0, inputs) - inputs * targets
    else:
        yes, no = mx.clip(mx.log(inputs), a_min=-100, a_max=None), mx.clip(mx.log(1 - inputs), a_min=-100, a_max=None)
        loss = -(targets * yes + (1 - targets) * no)
    if weights is not None:
        _same_shape("binary_cross_entropy", weights=weights, losses=loss)
        loss = loss * weights
    return _reduce(loss, reduction)


def l1_loss(predictions: mx.array, targets: mx.array, reduction: Reduction = "mean") -> mx.array:
    """|predictions - targets|."""
    _same_shape("l1_loss", predictions=predictions, targets=targets)
    return _reduce(mx.abs(predictions - targets), reduction)


def mse_loss(predictions: mx.array, targets: mx.array, reduction: Reduction = "mean") -> mx.array:
    """(predictions - targets) squared."""
    _same_shape("mse_loss", predictions=predictions, targets=targets)
    return _reduce(mx.square(predictions - targets), reduction)


def nll_loss(inputs: mx.array, targets: mx.array, axis: int = -1, reduction: Reduction = "none") -> mx.array:
    """-inputs at the targets, where the inputs are logarithms of probabilities."""
    return _reduce(-mx.take_along_axis(inputs, mx.expand_dims(targets, axis), axis).squeeze(axis), reduction)


def gaussian_nll_loss(
    inputs: mx.array, targets: mx.array, vars: mx.array, full: bool = False, eps: float = 1e-6, reduction: Reduction = "mean"
) -> mx.array:
    """-log of a normal density with the inputs as means; `full` adds its constant."""
    _same_shape("gaussian_nll_loss", inputs=inputs, targets=targets, vars=vars)
    vars = mx.maximum(vars, eps)
    loss = 0.5 * (mx.log(vars) + mx.square(targets - inputs) / vars)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return _reduce(loss, reduction)


def kl_div_loss(inputs: mx.array, targets: mx.array, axis: int = -1, reduction: Reduction = "none") -> mx.array:
    """The Kullback-Leibler divergence of logarithms of probabilities, along the axis."""
    return _reduce(mx.sum(mx.exp(targets) * (targets - inputs), axis), reduction)


def smooth_l1_loss(predictions: mx.array, targets: mx.array, beta: float = 1.0, reduction: Reduction = "mean") -> mx.array:
    """Quadratic up to a difference of beta, linear beyond."""
    _same_shape("smooth_l1_loss", predictions=predictions, targets=targets)
    diff = mx.abs(predictions - targets)
    return _reduce(mx.where(diff < beta, 0.5 * mx.square(diff) / beta, diff - 0.5 * beta), reduction)


def triplet_loss(
    anchors: mx.array,
    positives: mx.array,
    negatives: mx.array,
    axis: int = -1,
    p: int = 2,
    margin: float = 1.0,
    eps: float = 1e-6,
    reduction: Reduction = "none",
) -> mx.array:
    """max(distance to the positives - distance to the negatives + margin, 0)."""
    def distance(others):
        return mx.power(mx.power(mx.abs(anchors - others), p).sum(axis) + eps, 1 / p)

    return _reduce(mx.maximum(distance(positives) - distance(negatives) + margin, 0), reduction)


def hinge_loss(inputs: mx.array, targets: mx.array, reduction: Reduction = "none") -> mx.array:
    """max(1 - inputs * targets, 0), for targets -1 and 1."""
    return _reduce(mx.maximum(1 - inputs * targets, 0), reduction)


def huber_loss(inputs: mx.array, targets: mx.array, delta: float = 1.0, reduction: Reduction = "none") -> mx.array:
    """Quadratic up to a difference of delta, linear beyond."""
    diff = mx.abs(inputs - targets)
    near = mx.minimum(diff, delta)
    return _reduce(0.5 * mx.square(near) + delta * (diff - near), reduction)


def log_cosh_loss(inputs: mx.array, targets: mx.array, reduction: Reduction = "none") -> mx.array:
    """log(cosh(inputs - targets))."""
    diff = inputs - targets
    return _reduce(mx.logaddexp(diff, -diff) - math.log(2), reduction)


def cosine_similarity_loss(x1: mx.array, x2: mx.array, axis: int = 1, eps: float = 1e-8, reduction: Reduction = "none") -> mx.array:
    """The cosine of the angle between vectors along the axis."""
    lengths = mx.linalg.norm(x1, axis=axis) * mx.linalg.norm(x2, axis=axis)
    return _reduce(mx.sum(x1 * x2, axis=axis) / mx.maximum(lengths, eps), reduction)


def margin_ranking_loss(inputs1: mx.array, inputs2: mx.array, targets: mx.array, margin: float = 0.0, reduction: Reduction = "none") -> mx.array:
    """max(-targets * (inputs1 - inputs2) + margin, 0), for targets -1 and 1."""
    _same_shape("margin_ranking_loss", inputs1=inputs1, inputs2=inputs2, targets=targets)
    return _reduce(mx.maximum(0, -targets * (inputs1 - inputs2) + margin), reduction)
