"""Layers."""
from frit.nn.layers.activations import (
    CELU, ELU, GELU, GLU, HardShrink, HardTanh, Hardswish, LeakyReLU, LogSigmoid, LogSoftmax, Mish, PReLU, ReLU, ReLU2, ReLU6,
    SELU, Sigmoid, SiLU, Softmax, Softmin, Softplus, Softshrink, Softsign, Step, Tanh, celu, elu, gelu, gelu_approx,
    gelu_fast_approx, glu, hard_shrink, hard_tanh, hardswish, leaky_relu, log_sigmoid, log_softmax, mish, prelu, relu, relu2,
    relu6, selu, sigmoid, silu, softmax, softmin, softplus, softshrink, softsign, step, tanh)
from frit.nn.layers.base import Module
from frit.nn.layers.containers import Sequential
from frit.nn.layers.convolution import Conv1d, Conv2d, Conv3d
from frit.nn.layers.convolution_transpose import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from frit.nn.layers.distributed import (
    AllToShardedLinear, FullyShardedModule, QuantizedAllToShardedLinear, QuantizedShardedToAllLinear, ShardedToAllLinear, fully_shard)
from frit.nn.layers.dropout import Dropout, Dropout2d, Dropout3d
from frit.nn.layers.embedding import Embedding
from frit.nn.layers.linear import Bilinear, Identity, Linear
from frit.nn.layers.normalization import BatchNorm, GroupNorm, InstanceNorm, LayerNorm, RMSNorm
from frit.nn.layers.pooling import AvgPool1d, AvgPool2d, AvgPool3d, MaxPool1d, MaxPool2d, MaxPool3d
from frit.nn.layers.positional_encoding import ALiBi, RoPE, SinusoidalPositionalEncoding
from frit.nn.layers.quantized import QQLinear, QuantizedEmbedding, QuantizedLinear, quantize
from frit.nn.layers.recurrent import GRU, LSTM, RNN
from frit.nn.layers.transformer import (
    MultiHeadAttention, Transformer, TransformerDecoder, TransformerDecoderLayer, TransformerEncoder, TransformerEncoderLayer)
from frit.nn.layers.upsample import Upsample
