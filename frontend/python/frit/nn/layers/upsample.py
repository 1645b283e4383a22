"""Resizing of the axes between batch and channels."""
from typing import Literal, Tuple, Union

import frit.core as mx
from frit.nn.layers.base import Module


def _positions(n, scale, align_corners):
    """Where each new element lies among the n old ones."""
    m = int(scale * n)
    at = mx.arange(m, dtype=mx.float32)
    if align_corners:
        return at * ((n - 1) / (m - 1))
    step = 1 / scale
    return at * step - ((m - 1) * step - n + 1) / 2


def _nearest(n, scale):
    m = int(scale * n)
    at = mx.arange(m, dtype=mx.float32)
    at = ((at + 0.5) * (n / m) - 0.5).round() if m > n else at * (n / m)
    return [(at.astype(mx.int32), None)]


def _linear(n, scale, align_corners):
    at = mx.clip(_positions(n, scale, align_corners), 0, n - 1)
    left, right = mx.floor(at), mx.ceil(at)
    weight = at - left
    return [(left.astype(mx.int32), 1 - weight), (right.astype(mx.int32), weight)]


def _cubic_weight(distance, a=-0.75):
    """Keys' kernel: cubic up to 1, another cubic up to 2, zero beyond."""
    d = mx.abs(distance)
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return mx.where(d <= 1, near, mx.where(d < 2, far, 0.0))


def _cubic(n, scale, align_corners):
    at = _positions(n, scale, align_corners)
    first = mx.floor(at)
    parts = []
    for k in (-1, 0, 1, 2):
        place = first + k
        parts.append((mx.clip(place, 0, n - 1).astype(mx.int32), _cubic_weight(at - place)))
    return parts


def _smooth_matrix(n, scale, align_corners, kernel):
    """(new, old) weights of a kernel that is as wide as a new element or an old one, so that no old one is passed over."""
    at = _positions(n, scale, align_corners)
    weights = kernel((at[:, None] - mx.arange(n)[None, :]) * min(scale, 1))
    return weights / weights.sum(axis=1, keepdims=True)


class Upsample(Module):
    """Each axis between batch and channels scaled by a factor: nearest, linear or cubic.

    antialias widens the kernel where an axis shrinks. Raises ValueError for other modes, and inputs without such axes.
    """

    def __init__(self, scale_factor: Union[float, Tuple], mode: Literal["nearest", "linear", "cubic"] = "nearest", align_corners: bool = False,
                 antialias: bool = False):
        super().__init__()
        if mode not in ("nearest", "linear", "cubic"):
            raise ValueError("Upsample: '%s' is not a mode; use nearest, linear or cubic" % mode)
        if antialias and mode == "nearest":
            raise ValueError("Upsample: antialias needs the mode linear or cubic")
        self.scale_factor = tuple(map(float, scale_factor)) if isinstance(scale_factor, (list, tuple)) else float(scale_factor)
        self.mode, self.align_corners, self.antialias = mode, align_corners, antialias

    def _extra_repr(self):
        text = "scale_factor=%s, mode='%s', align_corners=%s" % (self.scale_factor, self.mode, self.align_corners)
        return text + ", antialias=True" if self.antialias else text

    def _parts(self, n, scale):
        if self.mode == "nearest":
            return _nearest(n, scale)
        return (_linear if self.mode == "linear" else _cubic)(n, scale, self.align_corners)

    def _resized(self, x, axis, scale):
        n = x.shape[axis]
        if self.antialias and (scale < 1 or self.mode == "cubic"):
            kernel = (lambda d: mx.maximum(1 - mx.abs(d), 0)) if self.mode == "linear" else (lambda d: _cubic_weight(d, -0.5))
            weights = _smooth_matrix(n, scale, self.align_corners, kernel)
            return mx.moveaxis(mx.moveaxis(x, axis, -1) @ weights.T, -1, axis)
        out = None
        for at, weight in self._parts(n, scale):
            part = mx.take(x, at, axis=axis)
            if weight is not None:
                part = part * weight.reshape([-1 if i == axis else 1 for i in range(x.ndim)])
            out = part if out is None else out + part
        return out

    def __call__(self, x: mx.array) -> mx.array:
        """x (batch, ..., channels) resized."""
        axes = x.ndim - 2
        if axes <= 0:
            raise ValueError("Upsample: an input with %d axes has none between batch and channels" % x.ndim)
        scales = self.scale_factor
        if isinstance(scales, tuple):
            if len(scales) != axes:
                raise ValueError("Upsample: %d factors for %d axes" % (len(scales), axes))
        else:
            scales = (scales,) * axes
        for axis, scale in enumerate(scales, 1):
            x = self._resized(x, axis, scale)
        return x


def upsample_nearest(x: mx.array, scale_factor: Tuple):
    """x (batch, ..., channels) with each axis between scaled by its factor; each new element is the nearest old one."""
    return Upsample(tuple(scale_factor), "nearest")(x)


def upsample_linear(x: mx.array, scale_factor: Tuple, align_corners: bool = False, antialias: bool = False):
    """x (batch, ..., channels) with each axis between scaled by its factor, by linear interpolation."""
    return Upsample(tuple(scale_factor), "linear", align_corners, antialias)(x)


def upsample_cubic(x: mx.array, scale_factor: Tuple, align_corners: bool = False, antialias: bool = False):
    """x (batch, ..., channels) with each axis between scaled by its factor, by cubic interpolation."""
    return Upsample(tuple(scale_factor), "cubic", align_corners, antialias)(x)
