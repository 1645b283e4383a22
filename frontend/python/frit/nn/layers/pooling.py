"""Pooling over windows of (batch, ..., channels)."""
from typing import Optional, Tuple, Union

import frit.core as mx
from frit.nn.layers.base import Module


def _sizes(value, n, what, least):
    """A tuple of n sizes. Raises ValueError for another number of them, or one below the least."""
    sizes = (value,) * n if isinstance(value, int) else value
    if not isinstance(sizes, (tuple, list)) or len(sizes) != n:
        raise ValueError("pooling: %s is %s; give one size or %d of them" % (what, value, n))
    if any(size < least for size in sizes):
        raise ValueError("pooling: %s is %s; give sizes from %d on" % (what, value, least))
    return tuple(sizes)


class _Pool(Module):
    """Windows of the input, reduced over their axes."""

    _n = 1
    _padding_value = 0.0

    def __init__(self, kernel_size, stride, padding):
        super().__init__()
        self._kernel_size = _sizes(kernel_size, self._n, "kernel_size", 1)
        self._stride = self._kernel_size if stride is None else _sizes(stride, self._n, "stride", 1)
        self._padding = _sizes(padding, self._n, "padding", 0)
        self._axes = tuple(range(-self._n - 1, -1))

    def _extra_repr(self):
        return "kernel_size=%s, stride=%s, padding=%s" % (self._kernel_size, self._stride, self._padding)

    def _reduce(self, windows, axes):
        raise NotImplementedError

    def _windows(self, x):
        """(batch, windows..., kernel..., channels)."""
        lead, spatial, channels = x.shape[0], x.shape[1:-1], x.shape[-1]
        counts = [(size - k) // s + 1 for size, k, s in zip(spatial, self._kernel_size, self._stride)]
        # Where the windows tile the input, no element is in two of them.
        if self._kernel_size == self._stride:
            if any(size % k for size, k in zip(spatial, self._kernel_size)):
                x = x[(slice(None), *(slice(0, c * k) for c, k in zip(counts, self._kernel_size)))]
            shape = [lead]
            for c, k in zip(counts, self._kernel_size):
                shape += [c, k]
            n = self._n
            order = [0, *range(1, 2 * n, 2), *range(2, 2 * n + 1, 2), 2 * n + 1]
            return x.reshape(shape + [channels]).transpose(order)
        steps = [1]
        for size in reversed(x.shape[1:]):
            steps.insert(0, steps[0] * size)
        strides = [steps[0], *(step * s for step, s in zip(steps[1:-1], self._stride)), *steps[1:-1], 1]
        return mx.as_strided(x, (lead, *counts, *self._kernel_size, channels), strides)

    def _pool(self, x):
        if x.ndim != self._n + 2:
            raise ValueError("%s: an input with %d axes; give (batch, space..., channels) with %d axes in space" % (
                type(self).__name__, x.ndim, self._n))
        if any(p > 0 for p in self._padding):
            x = mx.pad(x, [(0, 0)] + [(p, p) for p in self._padding] + [(0, 0)], constant_values=self._padding_value)
        return self._reduce(self._windows(x), self._axes)


class _MaxPool(_Pool):
    _padding_value = -float("inf")

    def _reduce(self, windows, axes):
        return mx.max(windows, axis=axes)


class _AvgPool(_Pool):
    def _reduce(self, windows, axes):
        return mx.mean(windows, axis=axes)


class MaxPool1d(_MaxPool):
    """The largest of each window of (batch, length, channels)."""

    def __init__(self, kernel_size: Union[int, Tuple[int]], stride: Optional[Union[int, Tuple[int]]] = None, padding: Union[int, Tuple[int]] = 0):
        super().__init__(kernel_size, stride, padding)

    def __call__(self, x):
        """The windows of x reduced."""
        return self._pool(x)


class AvgPool1d(_AvgPool):
    """The mean of each window of (batch, length, channels)."""

    def __init__(self, kernel_size: Union[int, Tuple[int]], stride: Optional[Union[int, Tuple[int]]] = None, padding: Union[int, Tuple[int]] = 0):
        super().__init__(kernel_size, stride, padding)

    def __call__(self, x):
        """The windows of x reduced."""
        return self._pool(x)


class MaxPool2d(_MaxPool):
    """The largest of each window of (batch, height, width, channels)."""

    _n = 2

    def __init__(self, kernel_size: Union[int, Tuple[int, int]], stride: Optional[Union[int, Tuple[int, int]]] = None,
                 padding: Optional[Union[int, Tuple[int, int]]] = 0):
        super().__init__(kernel_size, stride, padding)

    def __call__(self, x):
        """The windows of x reduced."""
        return self._pool(x)


class AvgPool2d(_AvgPool):
    """The mean of each window of (batch, height, width, channels)."""

    _n = 2

    def __init__(self, kernel_size: Union[int, Tuple[int, int]], stride: Optional[Union[int, Tuple[int, int]]] = None,
                 padding: Optional[Union[int, Tuple[int, int]]] = 0):
        super().__init__(kernel_size, stride, padding)

    def __call__(self, x):
        """The windows of x reduced."""
        return self._pool(x)


class MaxPool3d(_MaxPool):
    """The largest of each window of (batch, depth, height, width, channels)."""

    _n = 3

    def __init__(self, kernel_size: Union[int, Tuple[int, int, int]], stride: Optional[Union[int, Tuple[int, int, int]]] = None,
                 padding: Optional[Union[int, Tuple[int, int, int]]] = 0):
        super().__init__(kernel_size, stride, padding)

    def __call__(self, x):
        """The windows of x reduced."""
        return self._pool(x)


class AvgPool3d(_AvgPool):
    """The mean of each window of (batch, depth, height, width, channels)."""

    _n = 3

    def __init__(self, kernel_size: Union[int, Tuple[int, int, int]], stride: Optional[Union[int, Tuple[int, int, int]]] = None,
                 padding: Optional[Union[int, Tuple[int, int, int]]] = 0):
        super().__init__(kernel_size, stride, padding)

    def __call__(self, x):
        """The windows of x reduced."""
        return self._pool(x)
