"""Activation functions, compiled once for every shape, and layers of them."""
import math
from functools import partial
from typing import Any

import frit.core as mx
from frit.nn.layers.base import Module

_compiled = partial(mx.compile, shapeless=True)


@_compiled
def sigmoid(x):
    """1 / (1 + exp(-x))."""
    return mx.sigmoid(x)


@_compiled
def relu(x):
    """max(x, 0)."""
    return mx.maximum(x, 0)


@_compiled
def relu2(x):
    """max(x, 0) squared."""
    return mx.square(mx.maximum(x, 0))


@_compiled
def relu6(x):
    """x between 0 and 6."""
    return mx.minimum(mx.maximum(x, 0), 6.0)


@_compiled
def leaky_relu(x, negative_slope=0.01):
    """max(x, negative_slope * x)."""
    return mx.maximum(negative_slope * x, x)


@_compiled
def log_softmax(x, axis=-1):
    """x - logsumexp(x)."""
    largest = mx.stop_gradient(mx.max(x, axis=axis, keepdims=True))
    # Less the largest first: a 16-bit type keeps more digits of numbers near 0. Unsigned integers would wrap.
    shifted = x - largest if mx.issubdtype(x.dtype, mx.inexact) else x.astype(mx.float32) - largest
    return shifted - mx.logsumexp(shifted, axis=axis, keepdims=True)


@_compiled
def elu(x, alpha=1.0):
    """x where it is positive, alpha * (exp(x) - 1) elsewhere."""
    return mx.where(x > 0, x, alpha * (mx.exp(x) - 1))


@_compiled
def softmax(x, axis=-1):
    """exp(x) over its sum along the axis."""
    return mx.softmax(x, axis=axis)


@_compiled
def softmin(x, axis=-1):
    """softmax(-x)."""
    return mx.softmax(-x, axis=axis)


@_compiled
def softplus(x):
    """log(1 + exp(x))."""
    return mx.logaddexp(x, 0)


@_compiled
def softsign(x):
    """x / (1 + |x|)."""
    return mx.divide(x, 1 + mx.abs(x))


@_compiled
def softshrink(x, lambd: float = 0.5):
    """x moved towards zero by lambd; zero within it."""
    return mx.where(mx.abs(x) > lambd, x - mx.sign(x) * lambd, 0)


@_compiled
def celu(x, alpha=1.0):
    """max(x, 0) + alpha * (exp(min(x, 0) / alpha) - 1)."""
    return mx.maximum(x, 0.0) + alpha * (mx.exp(mx.minimum(x, 0.0) / alpha) - 1)


@_compiled
def silu(x):
    """x * sigmoid(x)."""
    return x * mx.sigmoid(x)


@_compiled
def log_sigmoid(x):
    """-log(1 + exp(-x))."""
    return -mx.logaddexp(-x, 0)


@_compiled
def gelu(x) -> mx.array:
    """x * (1 + erf(x / sqrt(2))) / 2."""
    return x * (1 + mx.erf(x / math.sqrt(2))) / 2


@_compiled
def gelu_approx(x):
    """gelu by a tanh."""
    return 0.5 * x * (1 + mx.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


@_compiled
def gelu_fast_approx(x):
    """x * sigmoid(1.702 * x)."""
    return x * mx.sigmoid(1.702 * x)


def glu(x: mx.array, axis: int = -1) -> mx.array:
    """The first half along the axis times the sigmoid of the second. Raises ValueError for an odd size."""
    a, b = mx.split(x, 2, axis=axis)
    return a * mx.sigmoid(b)


@_compiled
def step(x: mx.array, threshold: float = 0.0):
    """1 where x is at or above the threshold, 0 elsewhere."""
    return mx.where(x >= threshold, 1, 0)


@_compiled
def selu(x):
    """elu(x, 1.67326) * 1.0507."""
    return elu(x, 1.67326) * 1.0507


@_compiled
def prelu(x: mx.array, alpha: mx.array) -> mx.array:
    """max(x, 0) + alpha * min(x, 0)."""
    return mx.maximum(0, x) + alpha * mx.minimum(0, x)


@_compiled
def mish(x: mx.array) -> mx.array:
    """x * tanh(softplus(x))."""
    return x * mx.tanh(mx.logaddexp(x, 0))


@_compiled
def hardswish(x):
    """x * min(max(x + 3, 0), 6) / 6."""
    return x * mx.minimum(mx.maximum(x + 3, 0), 6) / 6


@_compiled
def hard_tanh(x, min_val=-1.0, max_val=1.0):
    """x between min_val and max_val."""
    return mx.minimum(mx.maximum(x, min_val), max_val)


@_compiled
def hard_shrink(x, lambd=0.5):
    """x where |x| is above lambd, 0 elsewhere."""
    return mx.where(mx.abs(x) > lambd, x, 0)


def tanh(x):
    """The hyperbolic tangent."""
    return mx.tanh(x)


def _layer(name, fn):
    """A layer without parameters that applies the function."""
    def __call__(_, x):
        """Applies the function to x."""
        return fn(x)

    return type(name, (Module,), {"__doc__": "The function %s as a layer." % fn.__name__, "__call__": __call__,
                                  "__module__": __name__})


Sigmoid = _layer("Sigmoid", sigmoid)
Mish = _layer("Mish", mish)
ReLU = _layer("ReLU", relu)
ReLU2 = _layer("ReLU2", relu2)
ReLU6 = _layer("ReLU6", relu6)
Softmax = _layer("Softmax", softmax)
Softmin = _layer("Softmin", softmin)
Softplus = _layer("Softplus", softplus)
Softsign = _layer("Softsign", softsign)
SiLU = _layer("SiLU", silu)
LogSoftmax = _layer("LogSoftmax", log_softmax)
LogSigmoid = _layer("LogSigmoid", log_sigmoid)
Hardswish = _layer("Hardswish", hardswish)
HardTanh = _layer("HardTanh", hard_tanh)
SELU = _layer("SELU", selu)
Tanh = _layer("Tanh", tanh)


class GLU(Module):
    """glu along an axis as a layer."""

    def __init__(self, axis: int = -1):
        super().__init__()
        self.axis = axis

    def __call__(self, x) -> Any:
        """glu(x)."""
        return glu(x=x, axis=self.axis)


class LeakyReLU(Module):
    """leaky_relu as a layer."""

    def __init__(self, negative_slope=0.01):
        super().__init__()
        self._negative_slope = negative_slope

    def __call__(self, x):
        """leaky_relu(x)."""
        return leaky_relu(x, self._negative_slope)


class ELU(Module):
    """elu as a layer."""

    def __init__(self, alpha=1.0):
        super().__init__()
        self._alpha = alpha

    def __call__(self, x):
        """elu(x)."""
        return elu(x, self._alpha)


class CELU(Module):
    """celu as a layer."""

    def __init__(self, alpha=1.0):
        super().__init__()
        self._alpha = alpha

    def __call__(self, x):
        """celu(x)."""
        return celu(x, self._alpha)


class Softshrink(Module):
    """softshrink as a layer."""

    def __init__(self, lambd=0.5):
        super().__init__()
        self.lambd = lambd

    def __call__(self, x):
        """softshrink(x)."""
        return softshrink(x, self.lambd)


class HardShrink(Module):
    """hard_shrink as a layer."""

    def __init__(self, lambd=0.5):
        super().__init__()
        self.lambd = lambd

    def __call__(self, x):
        """hard_shrink(x)."""
        return hard_shrink(x, self.lambd)


class Step(Module):
    """step as a layer."""

    def __init__(self, threshold: float = 0.0):
        super().__init__()
        self.threshold = threshold

    def __call__(self, x: mx.array):
        """step(x)."""
        return step(x, self.threshold)


class PReLU(Module):
    """prelu with learnt slopes."""

    def __init__(self, num_parameters=1, init=0.25):
        super().__init__()
        self.weight = mx.full([num_parameters], init)

    def __call__(self, x: mx.array):
        """prelu(x)."""
        return prelu(x, self.weight)


class GELU(Module):
    """gelu as a layer; approx is none, precise, tanh or fast. Raises ValueError for another."""

    def __init__(self, approx="none"):
        super().__init__()
        if approx not in _GELUS:
            raise ValueError("GELU: '%s' is not an approximation; use %s" % (approx, ", ".join(_GELUS)))
        # The name alone: a compiled function can be neither copied nor pickled.
        self._approx = approx

    def __call__(self, x):
        """gelu(x)."""
        return _GELUS[self._approx](x)


_GELUS = {"none": gelu, "precise": gelu_approx, "tanh": gelu_approx, "fast": gelu_fast_approx}
