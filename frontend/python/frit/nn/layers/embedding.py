"""Embeddings."""
import math
from typing import Optional

import frit.core as mx
from frit.nn.layers.base import Module
from frit.nn.layers.quantized import QuantizedEmbedding


class Embedding(Module):
    """Rows of a table, chosen by position. Rows begin normal with a deviation of 1 / sqrt(dims)."""

    def __init__(self, num_embeddings: int, dims: int):
        super().__init__()
        self.weight = mx.random.normal(shape=(num_embeddings, dims), scale=math.sqrt(1 / dims))

    def _extra_repr(self):
        return "%d, %d" % tuple(self.weight.shape)

    def __call__(self, x):
        """The rows at the positions."""
        return self["weight"][x]

    def as_linear(self, x):
        """x times the transposed table."""
        return x @ self["weight"].T

    def to_quantized(self, group_size: Optional[int] = None, bits: Optional[int] = None, mode: str = "affine", quantize_input: bool = False):
        """An embedding with quantised rows. Raises ValueError for quantize_input."""
        if quantize_input:
            raise ValueError("to_quantized: an embedding has no input to quantise")
        return QuantizedEmbedding.from_embedding(self, group_size, bits, mode)
