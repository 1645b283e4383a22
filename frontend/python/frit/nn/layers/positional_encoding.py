"""Positions: rotations, waves and biases of attention."""
import math
from typing import Optional

import frit.core as mx
from frit.nn.layers.base import Module


class RoPE(Module):
    """Rotations of pairs of features by angles that grow with the position."""

    def __init__(self, dims: int, traditional: bool = False, base: float = 10000, scale: float = 1.0):
        super().__init__()
        self.dims, self.traditional, self.base, self.scale = dims, traditional, base, scale

    def _extra_repr(self):
        return "%d, traditional=%s" % (self.dims, self.traditional)

    def __call__(self, x, offset: int = 0):
        """x (..., time, features) rotated; its first position is `offset`."""
        return mx.fast.rope(x, self.dims, traditional=self.traditional, base=self.base, scale=self.scale, offset=offset)


class SinusoidalPositionalEncoding(Module):
    """Sines and cosines of positions, at frequencies from max_freq down to min_freq."""

    def __init__(self, dims: int, min_freq: float = 0.0001, max_freq: float = 1, scale: Optional[float] = None, cos_first: bool = False,
                 full_turns: bool = False):
        super().__init__()
        falling = 1 - mx.arange(0, dims // 2) / (dims // 2 - 1)
        low, high = math.log(min_freq), math.log(max_freq)
        frequencies = mx.exp(falling * (high - low) + low)
        self._sigmas = frequencies * 2 * math.pi if full_turns else frequencies
        self.scale = scale or (2 / dims) ** 0.5
        self.cos_first = cos_first

    def __call__(self, x):
        """The waves at the positions x, as a last axis."""
        angles = x[..., None] * self._sigmas
        waves = [mx.cos(angles), mx.sin(angles)] if self.cos_first else [mx.sin(angles), mx.cos(angles)]
        y = mx.concatenate(waves, axis=-1)
        return y if self.scale == 1 else y * self.scale


class ALiBi(Module):
    """Attention scores less the distance, by a slope for each head."""

    @staticmethod
    def create_alibi_matrix(q_sequence_length: int, k_sequence_length: int, num_heads: int, offset: int = 0, dtype: mx.Dtype = mx.float32) -> mx.array:
        """(1, heads, queries, keys): the biases."""
        return ALiBi._matrix(mx.arange(offset, q_sequence_length), mx.arange(0, k_sequence_length), num_heads, dtype)

    @staticmethod
    def _matrix(queries, keys, num_heads, dtype):
        distance = -mx.abs(mx.expand_dims(queries[:, None] - keys[None, :], axis=(0, 1)))
        return (distance * ALiBi.create_alibi_slope(num_heads=num_heads)).astype(dtype)

    @staticmethod
    def create_alibi_slope(num_heads: int, dtype: mx.Dtype = mx.float32) -> mx.array:
        """(heads, 1, 1): the slopes, a falling power of two for each head.

        A number of heads between two powers of two has the slopes of the lower one, then every other slope of the higher.
        """
        def falling(heads, step):
            return [2.0 ** (-8 * i / heads) for i in range(1, heads + 1, step)]

        lower = 1 << (num_heads.bit_length() - 1)
        slopes = falling(lower, 1) + falling(2 * lower, 2)[: num_heads - lower]
        return mx.expand_dims(mx.array(slopes), axis=(-1, -2)).astype(dtype)

    def __call__(self, attention_scores: mx.array, offset: int = 0, mask: Optional[mx.array] = None) -> mx.array:
        """The scores (batch, heads, queries, keys) with biases, and the mask where there is one."""
        queries, keys = mx._positions(attention_scores, -2) + offset, mx._positions(attention_scores, -1)
        bias = ALiBi._matrix(queries, keys, mx._size(attention_scores, 1), attention_scores.dtype)
        return attention_scores + (bias if mask is None else bias + mask)
