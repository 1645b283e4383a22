"""Attention, and encoders and decoders of it."""
import math
from typing import Any, Callable, Optional

import frit.core as mx
from frit.nn.layers.activations import relu
from frit.nn.layers.base import Module
from frit.nn.layers.dropout import Dropout
from frit.nn.layers.linear import Linear
from frit.nn.layers.normalization import LayerNorm
from frit.nn.utils import checkpoint as checkpointed


class MultiHeadAttention(Module):
    """Scaled dot-product attention in several heads. Raises ValueError where the heads do not divide the features."""

    def __init__(self, dims: int, num_heads: int, query_input_dims: Optional[int] = None, key_input_dims: Optional[int] = None,
                 value_input_dims: Optional[int] = None, value_dims: Optional[int] = None, value_output_dims: Optional[int] = None,
                 bias: bool = False):
        super().__init__()
        if dims % num_heads != 0:
            raise ValueError("MultiHeadAttention: %d features do not divide into %d heads" % (dims, num_heads))
        key_input_dims = key_input_dims or dims
        value_dims = value_dims or dims
        self.num_heads = num_heads
        self.query_proj = Linear(query_input_dims or dims, dims, bias=bias)
        self.key_proj = Linear(key_input_dims, dims, bias=bias)
        self.value_proj = Linear(value_input_dims or key_input_dims, value_dims, bias=bias)
        self.out_proj = Linear(value_dims, value_output_dims or dims, bias=bias)

    def __call__(self, queries, keys, values, mask=None):
        """The attended values; the mask is added to the scores."""
        def heads(x):
            return mx.unflatten(x, -1, (self.num_heads, -1)).transpose(0, 2, 1, 3)

        q, k, v = heads(self.query_proj(queries)), heads(self.key_proj(keys)), heads(self.value_proj(values))
        out = mx.fast.scaled_dot_product_attention(q, k, v, scale=math.sqrt(1 / mx._size(q, -1)), mask=mask)
        return self.out_proj(out.transpose(0, 2, 1, 3).flatten(-2, -1))

    @staticmethod
    def create_additive_causal_mask(N: int, dtype: mx.Dtype = mx.float32):
        """(N, N): 0 up to the diagonal, the lowest number of the type behind it."""
        at = mx.arange(N)
        return (at[:, None] < at[None]).astype(dtype) * mx.finfo(dtype).min


class TransformerEncoderLayer(Module):
    """Attention and a network of two linear layers, each added to its input and normalised."""

    def __init__(self, dims: int, num_heads: int, mlp_dims: Optional[int] = None, dropout: float = 0.0,
                 activation: Callable[[Any], Any] = relu, norm_first: bool = True):
        super().__init__()
        mlp_dims = mlp_dims or dims * 4
        self.attention = MultiHeadAttention(dims, num_heads)
        self.ln1 = LayerNorm(dims)
        self.ln2 = LayerNorm(dims)
        self.linear1 = Linear(dims, mlp_dims)
        self.linear2 = Linear(mlp_dims, dims)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.activation = activation
        self.norm_first = norm_first

    def _mlp(self, x):
        return self.linear2(self.dropout2(self.activation(self.linear1(x))))

    def __call__(self, x, mask):
        """The encoded x."""
        if self.norm_first:
            y = self.ln1(x)
            x = x + self.dropout1(self.attention(y, y, y, mask))
            return x + self._mlp(self.ln2(x))
        x = self.ln1(x + self.dropout1(self.attention(x, x, x, mask)))
        return self.ln2(x + self._mlp(x))


class TransformerEncoder(Module):
    """Layers of an encoder, and a normalisation."""

    def __init__(self, num_layers: int, dims: int, num_heads: int, mlp_dims: Optional[int] = None, dropout: float = 0.0, activation=relu,
                 norm_first: bool = True, checkpoint: bool = False):
        super().__init__()
        self.layers = [TransformerEncoderLayer(dims, num_heads, mlp_dims, dropout, activation, norm_first) for _ in range(num_layers)]
        self.ln = LayerNorm(dims)
        self.checkpoint = checkpoint

    def __call__(self, x, mask):
        """The encoded x."""
        for layer in self.layers:
            x = (checkpointed(layer) if self.checkpoint else layer)(x, mask)
        return self.ln(x)


class TransformerDecoderLayer(Module):
    """Attention to itself and to a memory, and a network of two linear layers."""

    def __init__(self, dims: int, num_heads: int, mlp_dims: Optional[int] = None, dropout: float = 0.0,
                 activation: Callable[[Any], Any] = relu, norm_first: bool = True):
        super().__init__()
        mlp_dims = mlp_dims or dims * 4
        self.self_attention = MultiHeadAttention(dims, num_heads)
        self.cross_attention = MultiHeadAttention(dims, num_heads)
        self.ln1 = LayerNorm(dims)
        self.ln2 = LayerNorm(dims)
        self.ln3 = LayerNorm(dims)
        self.linear1 = Linear(dims, mlp_dims)
        self.linear2 = Linear(mlp_dims, dims)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.dropout3 = Dropout(dropout)
        self.activation = activation
        self.norm_first = norm_first

    def _mlp(self, x):
        return self.linear2(self.dropout3(self.activation(self.linear1(x))))

    def __call__(self, x, memory, x_mask, memory_mask):
        """The decoded x."""
        if self.norm_first:
            y = self.ln1(x)
            x = x + self.dropout1(self.self_attention(y, y, y, x_mask))
            x = x + self.dropout2(self.cross_attention(self.ln2(x), memory, memory, memory_mask))
            return x + self._mlp(self.ln3(x))
        x = self.ln1(x + self.dropout1(self.self_attention(x, x, x, x_mask)))
        x = self.ln2(x + self.dropout2(self.cross_attention(x, memory, memory, memory_mask)))
        return self.ln3(x + self._mlp(x))


class TransformerDecoder(Module):
    """Layers of a decoder, and a normalisation."""

    def __init__(self, num_layers: int, dims: int, num_heads: int, mlp_dims: Optional[int] = None, dropout: float = 0.0, activation=relu,
                 norm_first: bool = True, checkpoint: bool = False):
        super().__init__()
        self.layers = [TransformerDecoderLayer(dims, num_heads, mlp_dims, dropout, activation, norm_first) for _ in range(num_layers)]
        self.ln = LayerNorm(dims)
        self.checkpoint = checkpoint

    def __call__(self, x, memory, x_mask, memory_mask):
        """The decoded x."""
        for layer in self.layers:
            x = (checkpointed(layer) if self.checkpoint else layer)(x, memory, x_mask, memory_mask)
        return self.ln(x)


class Transformer(Module):
    """An encoder and a decoder."""

    def __init__(self, dims: int = 512, num_heads: int = 8, num_encoder_layers: int = 6, num_decoder_layers: int = 6,
                 mlp_dims: Optional[int] = None, dropout: float = 0.0, activation: Callable[[Any], Any] = relu,
                 custom_encoder: Optional[Any] = None, custom_decoder: Optional[Any] = None, norm_first: bool = True, checkpoint: bool = False):
        super().__init__()
        options = (dims, num_heads, mlp_dims, dropout, activation, norm_first, checkpoint)
        self.encoder = TransformerEncoder(num_encoder_layers, *options) if custom_encoder is None else custom_encoder
        self.decoder = TransformerDecoder(num_decoder_layers, *options) if custom_decoder is None else custom_decoder

    def __call__(self, src, tgt, src_mask, tgt_mask, memory_mask):
        """The target decoded beside the encoded source."""
        return self.decoder(tgt, self.encoder(src, src_mask), tgt_mask, memory_mask)
