"""Linear layers."""
import math
from typing import Any, Optional

import frit.core as mx
from frit.nn.layers.base import Module
from frit.nn.layers.quantized import QQLinear, QuantizedLinear


class Identity(Module):
    """Returns its input; takes any arguments."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def __call__(self, x: mx.array) -> mx.array:
        """x itself."""
        return x


class Linear(Module):
    """x @ weight.T + bias. Weights begin uniform within 1 / sqrt(input_dims)."""

    def __init__(self, input_dims: int, output_dims: int, bias: bool = True) -> None:
        super().__init__()
        scale = math.sqrt(1.0 / input_dims)
        self.weight = mx.random.uniform(low=-scale, high=scale, shape=(output_dims, input_dims))
        if bias:
            self.bias = mx.random.uniform(low=-scale, high=scale, shape=(output_dims,))

    def _extra_repr(self) -> str:
        return "input_dims=%d, output_dims=%d, bias=%s" % (self.weight.shape[1], self.weight.shape[0], "bias" in self)

    def __call__(self, x: mx.array) -> mx.array:
        """The product, over the last axis."""
        if "bias" in self:
            return mx.addmm(self["bias"], x, self["weight"].T)
        return x @ self["weight"].T

    def to_quantized(self, group_size: Optional[int] = None, bits: Optional[int] = None, mode: str = "affine", quantize_input: bool = False):
        """A layer with quantised weights; with quantize_input one that quantises its input too (nvfp4 and mxfp8)."""
        if quantize_input:
            if mode not in ("nvfp4", "mxfp8"):
                raise ValueError("to_quantized: inputs are not quantised in the mode '%s'; use nvfp4 or mxfp8" % mode)
            return QQLinear.from_linear(self, group_size, bits, mode)
        return QuantizedLinear.from_linear(self, group_size, bits, mode)


class Bilinear(Module):
    """x1 @ weight @ x2 + bias for each output."""

    def __init__(self, input1_dims: int, input2_dims: int, output_dims: int, bias: bool = True) -> None:
        super().__init__()
        scale = math.sqrt(1.0 / input1_dims)
        self.weight = mx.random.uniform(low=-scale, high=scale, shape=(output_dims, input2_dims, input1_dims))
        if bias:
            self.bias = mx.random.uniform(low=-scale, high=scale, shape=(output_dims,))

    def _extra_repr(self) -> str:
        out, in2, in1 = self.weight.shape
        return "input1_dims=%d, input2_dims=%d, output_dims=%d, bias=%s" % (in1, in2, out, "bias" in self)

    def __call__(self, x1: mx.array, x2: mx.array) -> mx.array:
        """The products over the last axes of both."""
        out, in2, in1 = self.weight.shape
        # Every row of x1 times every matrix, then with the row of x2.
        left = (x1.reshape(-1, in1) @ self.weight.reshape(out * in2, in1).T).reshape(-1, out, in2)
        y = mx._reshape_as(left @ x2.reshape(-1, in2, 1), x1, (out,))
        return y + self.bias if "bias" in self else y
