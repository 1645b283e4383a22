"""Dropout, in training mode."""
import frit.core as mx
from frit.nn.layers.base import Module


class _Dropout(Module):
    """Zeroes parts of the input with probability p, and scales the others by 1 / (1 - p)."""

    def __init__(self, p: float = 0.5):
        super().__init__()
        if p < 0 or p >= 1:
            raise ValueError("%s: the probability %s is not in [0, 1)" % (type(self).__name__, p))
        self._p_1 = 1 - p

    def _extra_repr(self):
        return "p=%s" % (1 - self._p_1)

    def _mask_shape(self, x):
        return x.shape

    def _drop(self, x):
        if self._p_1 == 1 or not self.training:
            return x
        return mx.random.bernoulli(self._p_1, self._mask_shape(x)) * x * (1 / self._p_1)


class Dropout(_Dropout):
    """Drops elements."""

    def __init__(self, p: float = 0.5):
        super().__init__(p)

    def __call__(self, x: mx.array) -> mx.array:
        """x with elements dropped, in training mode."""
        return self._drop(x)


class _ChannelDropout(_Dropout):
    def _check(self, x, axes):
        if x.ndim not in axes:
            raise ValueError("%s: an input with %d axes; give %s" % (type(self).__name__, x.ndim, " or ".join(map(str, axes))))


class Dropout2d(_ChannelDropout):
    """Drops channels of (batch, height, width, channels)."""

    def __init__(self, p: float = 0.5):
        super().__init__(p)

    def _mask_shape(self, x):
        shape = list(x.shape)
        shape[-2] = shape[-3] = 1
        return shape

    def __call__(self, x: mx.array) -> mx.array:
        """x with channels dropped, in training mode. Raises ValueError for other than 3 or 4 axes."""
        self._check(x, (3, 4))
        return self._drop(x)


class Dropout3d(_ChannelDropout):
    """Drops channels of (batch, depth, height, width, channels)."""

    def __init__(self, p: float = 0.5):
        super().__init__(p)

    def _mask_shape(self, x):
        shape = list(x.shape)
        shape[-2] = shape[-3] = shape[-4] = 1
        return shape

    def __call__(self, x: mx.array) -> mx.array:
        """x with channels dropped, in training mode. Raises ValueError for other than 4 or 5 axes."""
        self._check(x, (4, 5))
        return self._drop(x)
