"""Normalisation layers."""
from typing import Tuple

import frit.core as mx
from frit.nn.layers.base import Module


class InstanceNorm(Module):
    """Each channel of each item to mean 0 and variance 1, over the axes between."""

    def __init__(self, dims: int, eps: float = 1e-5, affine: bool = False):
        super().__init__()
        if affine:
            self.weight = mx.ones((dims,))
            self.bias = mx.zeros((dims,))
        self.dims, self.eps = dims, eps

    def _extra_repr(self):
        return "%d, eps=%s, affine=%s" % (self.dims, self.eps, "weight" in self)

    def __call__(self, x: mx.array) -> mx.array:
        """x normalised. Raises ValueError for fewer than three axes."""
        if x.ndim < 3:
            raise ValueError("InstanceNorm: an input with %d axes; give (batch, space..., channels)" % x.ndim)
        axes = tuple(range(1, x.ndim - 1))
        mean, var = mx.mean(x, axis=axes, keepdims=True), mx.var(x, axis=axes, keepdims=True)
        x = (x - mean) * mx.rsqrt(var + self.eps)
        return self.weight * x + self.bias if "weight" in self else x


class LayerNorm(Module):
    """The last axis to mean 0 and variance 1, scaled and shifted."""

    def __init__(self, dims: int, eps: float = 1e-5, affine: bool = True, bias: bool = True):
        super().__init__()
        if affine:
            self.weight = mx.ones((dims,))
            if bias:
                self.bias = mx.zeros((dims,))
        self.dims, self.eps = dims, eps

    def _extra_repr(self):
        return "%d, eps=%s, affine=%s" % (self.dims, self.eps, "weight" in self)

    def __call__(self, x):
        """x normalised."""
        return mx.fast.layer_norm(x, self.get("weight"), self.get("bias"), self.eps)


class RMSNorm(Module):
    """The last axis over its root mean square, scaled."""

    def __init__(self, dims: int, eps: float = 1e-5):
        super().__init__()
        self.weight = mx.ones((dims,))
        self.eps = eps

    def _extra_repr(self):
        return "%d, eps=%s" % (self.weight.shape[0], self.eps)

    def __call__(self, x):
        """x normalised."""
        return mx.fast.rms_norm(x, self["weight"], self.eps)


class GroupNorm(Module):
    """Groups of channels to mean 0 and variance 1. pytorch_compatible takes neighbouring channels for a group."""

    def __init__(self, num_groups: int, dims: int, eps: float = 1e-5, affine: bool = True, pytorch_compatible: bool = False):
        super().__init__()
        if dims % num_groups != 0:
            raise ValueError("GroupNorm: %d channels do not divide into %d groups" % (dims, num_groups))
        if affine:
            self.bias = mx.zeros((dims,))
            self.weight = mx.ones((dims,))
        self.num_groups, self.dims, self.eps, self.pytorch_compatible = num_groups, dims, eps, pytorch_compatible

    def _extra_repr(self):
        return "%d, %d, eps=%s, affine=%s, pytorch_compatible=%s" % (
            self.num_groups, self.dims, self.eps, "weight" in self, self.pytorch_compatible)

    def _neighbours(self, x):
        size = mx._size(x, -1) // self.num_groups
        x = mx.unflatten(mx.flatten(x, 1, -2) if x.ndim > 2 else x[:, None], -1, (self.num_groups, size)).transpose(0, 2, 1, 3)
        x = mx.fast.layer_norm(mx.flatten(x, 2), eps=self.eps, weight=None, bias=None)
        return mx.unflatten(x, -1, (-1, size)).transpose(0, 2, 1, 3)

    def _strided(self, x):
        x = mx.unflatten(mx.flatten(x, 1), -1, (-1, self.num_groups))
        mean, var = mx.mean(x, axis=1, keepdims=True), mx.var(x, axis=1, keepdims=True)
        return (x - mean) * mx.rsqrt(var + self.eps)

    def __call__(self, x):
        """x normalised."""
        groups = self._neighbours(x) if self.pytorch_compatible else self._strided(x)
        x = mx._reshape_as(groups, x, (mx._size(x, -1),))
        return self.weight * x + self.bias if "weight" in self else x


class BatchNorm(Module):
    """Channels to mean 0 and variance 1 over the batch in training, over running statistics otherwise."""

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, affine: bool = True, track_running_stats: bool = True):
        super().__init__()
        self.num_features, self.eps, self.momentum, self.track_running_stats = num_features, eps, momentum, track_running_stats
        if affine:
            self.weight = mx.ones((num_features,))
            self.bias = mx.zeros((num_features,))
        if track_running_stats:
            self.running_mean = mx.zeros((num_features,))
            self.running_var = mx.ones((num_features,))
            self.freeze(keys=["running_mean", "running_var"], recurse=False)

    def unfreeze(self, *args, **kwargs):
        """As Module.unfreeze; the running statistics stay frozen."""
        super().unfreeze(*args, **kwargs)
        self.freeze(keys=["running_mean", "running_var"], recurse=False)

    def _extra_repr(self):
        return "%d, eps=%s, momentum=%s, affine=%s, track_running_stats=%s" % (
            self.num_features, self.eps, self.momentum, "weight" in self, self.track_running_stats)

    def _statistics(self, x) -> Tuple[mx.array, mx.array]:
        axes = tuple(range(x.ndim - 1))
        return mx.mean(x, axis=axes), mx.var(x, axis=axes)

    def __call__(self, x: mx.array) -> mx.array:
        """x normalised. Raises ValueError for fewer than 2 or more than 4 axes, and in training for one value alone."""
        if x.ndim < 2 or x.ndim > 4:
            raise ValueError("BatchNorm: an input with %d axes; give 2, 3 or 4" % x.ndim)
        rows = mx._row_count(x) if self.training else 0
        if isinstance(rows, int) and rows == 1:
            raise ValueError("BatchNorm: one value of each channel has no variance; give more in training")
        mean, var = self._statistics(x)
        if self.training and self.track_running_stats:
            mu = self.momentum
            unbiased = mu if isinstance(rows, int) and rows < 2 else mu * rows / (rows - 1)
            self.running_mean = (1 - mu) * self.running_mean + mu * mean
            self.running_var = (1 - mu) * self.running_var + unbiased * var
        elif self.track_running_stats:
            mean, var = self.running_mean, self.running_var
        x = (x - mean) * mx.rsqrt(var + self.eps)
        return self.weight * x + self.bias if "weight" in self else x
