"""Initialisers: each returns a function that makes values of the shape of an array."""
import math
from typing import Callable, Literal

import frit.core as mx


def constant(value: float, dtype: mx.Dtype = mx.float32) -> Callable[[mx.array], mx.array]:
    """One value everywhere."""
    return lambda a: mx.full(a.shape, value, dtype=dtype)


def normal(mean: float = 0.0, std: float = 1.0, dtype: mx.Dtype = mx.float32) -> Callable[[mx.array], mx.array]:
    """Normally distributed."""
    return lambda a: mx.random.normal(shape=a.shape, scale=std, loc=mean, dtype=dtype)


def uniform(low: float = 0.0, high: float = 1.0, dtype: mx.Dtype = mx.float32) -> Callable[[mx.array], mx.array]:
    """Uniform in [low, high)."""
    return lambda a: mx.random.uniform(low, high, a.shape, dtype=dtype)


def identity(dtype: mx.Dtype = mx.float32) -> Callable[[mx.array], mx.array]:
    """The identity matrix. The function raises ValueError for an array that is not square."""
    def make(a):
        if a.ndim != 2 or a.shape[0] != a.shape[1]:
            raise ValueError("identity: shape %s is not that of a square matrix" % (a.shape,))
        return mx.eye(n=a.shape[0], dtype=dtype)

    return make


def _fans(a):
    """Inputs and outputs of a weight (outputs, ..., inputs); the axes between count for both."""
    if a.ndim < 2:
        raise ValueError("initialisers by fans need two axes or more, not shape %s" % (a.shape,))
    between = math.prod(a.shape[1:-1])
    return a.shape[-1] * between, a.shape[0] * between


def glorot_normal(dtype: mx.Dtype = mx.float32) -> Callable[[mx.array, float], mx.array]:
    """Normal with deviation gain * sqrt(2 / (fan_in + fan_out))."""
    def make(a, gain: float = 1.0):
        return mx.random.normal(shape=a.shape, scale=gain * math.sqrt(2.0 / sum(_fans(a))), dtype=dtype)

    return make


def glorot_uniform(dtype: mx.Dtype = mx.float32) -> Callable[[mx.array, float], mx.array]:
    """Uniform within gain * sqrt(6 / (fan_in + fan_out))."""
    def make(a, gain: float = 1.0):
        limit = gain * math.sqrt(6.0 / sum(_fans(a)))
        return mx.random.uniform(-limit, limit, a.shape, dtype=dtype)

    return make


def _fan(a, mode):
    fan_in, fan_out = _fans(a)
    if mode not in ("fan_in", "fan_out"):
        raise ValueError("'%s' is no fan; use fan_in or fan_out" % mode)
    return fan_in if mode == "fan_in" else fan_out


def he_normal(dtype: mx.Dtype = mx.float32) -> Callable[[mx.array, Literal["fan_in", "fan_out"], float], mx.array]:
    """Normal with deviation gain / sqrt(fan)."""
    def make(a, mode: Literal["fan_in", "fan_out"] = "fan_in", gain: float = 1.0):
        return mx.random.normal(shape=a.shape, scale=gain / math.sqrt(_fan(a, mode)), dtype=dtype)

    return make


def he_uniform(dtype: mx.Dtype = mx.float32) -> Callable[[mx.array, Literal["fan_in", "fan_out"], float], mx.array]:
    """Uniform within gain * sqrt(3 / fan)."""
    def make(a, mode: Literal["fan_in", "fan_out"] = "fan_in", gain: float = 1.0):
        limit = gain * math.sqrt(3.0 / _fan(a, mode))
        return mx.random.uniform(-limit, limit, a.shape, dtype=dtype)

    return make


def sparse(sparsity: float, mean: float = 0.0, std: float = 1.0, dtype: mx.Dtype = mx.float32) -> Callable[[mx.array], mx.array]:
    """Normal, with a share of each row zero. The function raises ValueError for other than two axes."""
    def make(a):
        if a.ndim != 2:
            raise ValueError("sparse: shape %s has not two axes" % (a.shape,))
        rows, cols = a.shape
        zeros = math.ceil(sparsity * cols)
        order = mx.argsort(mx.random.uniform(shape=a.shape), axis=1)
        values = mx.random.normal(shape=a.shape, scale=std, loc=mean, dtype=dtype)
        values[mx.arange(rows).reshape(rows, 1), order[:, :zeros]] = 0
        return values

    return make


def orthogonal(gain: float = 1.0, dtype: mx.Dtype = mx.float32) -> Callable[[mx.array], mx.array]:
    """gain times a matrix with orthonormal rows or columns. The function raises ValueError for other than two axes."""
    def make(a):
        if a.ndim != 2:
            raise ValueError("orthogonal: shape %s has not two axes" % (a.shape,))
        rows, cols = a.shape
        n = max(rows, cols)
        q, r = mx.linalg.qr(mx.random.normal(shape=(n, n)), stream=mx.cpu)
        q = q * mx.sign(mx.diag(r))
        return (gain * q[:rows, :cols]).astype(dtype)

    return make
