"""Losses and logarithms of softmax: small ones keep their digits."""
import math

import pytest

import frit.core as mx
import frit.nn as nn


@pytest.mark.parametrize("dtype", [mx.float16, mx.bfloat16, mx.float32])
@pytest.mark.parametrize("axis", [0, -1])
def test_logarithms_of_softmax_keep_digits_of_small_losses(dtype, axis):
    logits = (mx.sin(mx.arange(512) * 1.7) * 9).reshape(64, 8).astype(dtype)
    wide = logits.astype(mx.float64)
    want = wide - mx.logsumexp(wide, axis=axis, keepdims=True)
    # One rounding of the difference from the largest element, and one of the result.
    span = wide.max(axis=axis, keepdims=True) - wide
    eps = mx.finfo(dtype).eps
    assert (mx.abs(nn.log_softmax(logits, axis=axis) - want) <= eps * (span + mx.abs(want) + 1)).all().item()
    floor = 1 if dtype == mx.float32 else 0.01  # the sum of the exponentials is one of float32
    likely = mx.argmax(logits, axis=axis)
    loss = nn.losses.cross_entropy(logits, likely, axis=axis)
    small = -want.max(axis=axis)
    assert loss.dtype == dtype and (mx.abs(loss - small) <= 2 * eps * (small + floor)).all().item()


def test_a_small_loss_of_large_logits():
    logits = mx.array([[1000.0, 990.0], [-5000.0, -5015.0]])
    want = [math.log1p(math.exp(-10)), math.log1p(math.exp(-15))]
    for loss in (nn.losses.cross_entropy(logits, mx.array([0, 0])), -nn.log_softmax(logits)[:, 0]):
        assert loss.tolist() == pytest.approx(want, abs=2e-7)
    gradient = mx.grad(lambda x: nn.losses.cross_entropy(x, mx.array([0, 0]), reduction="sum"))(logits)
    assert gradient[:, 1].tolist() == pytest.approx([math.exp(-w) * math.expm1(w) for w in want], rel=1e-4)


def test_logarithms_of_softmax_of_integers():
    want = nn.log_softmax(mx.array([[1.0, 2.0], [3.0, 250.0]]))
    for dtype in (mx.uint8, mx.int16, mx.uint32):
        assert mx.allclose(nn.log_softmax(mx.array([[1, 2], [3, 250]], dtype)), want).item()
    with pytest.raises(IndexError):
        nn.log_softmax(mx.array(1.5))
