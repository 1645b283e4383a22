"""Layers with quantised weights, and their making from models."""
import math
from typing import Callable, Optional, Union

import frit.core as mx
from frit.nn.layers.base import Module
from frit.utils import tree_map_with_path

_DEFAULTS = {"affine": (64, 4), "mxfp4": (32, 4), "nvfp4": (16, 4), "mxfp8": (32, 8)}


def _form(mode, group_size, bits):
    """The group size and bits of a mode, where they are not given. Raises ValueError for an unknown mode."""
    if mode not in _DEFAULTS:
        raise ValueError("quantised layers have no mode '%s'; use %s" % (mode, ", ".join(_DEFAULTS)))
    size, width = _DEFAULTS[mode]
    return group_size or size, bits or width


def quantize(
    model: Module,
    group_size: int = None,
    bits: int = None,
    *,
    mode: str = "affine",
    quantize_input: bool = False,
    class_predicate: Optional[Callable[[str, Module], Union[bool, dict]]] = None,
):
    """Replaces the layers of a model that have `to_quantized` by quantised ones, in place.

    `class_predicate(path, module)` says which: False for none, or a dict of options. Raises ValueError where inputs
    are to be quantised in a mode that has no such product.
    """
    def default_predicate(_, module):
        return hasattr(module, "to_quantized")

    predicate = class_predicate or default_predicate

    def replaced(path, module):
        options = predicate(path, module)
        if not options:
            return module
        if not hasattr(module, "to_quantized"):
            raise ValueError("quantize: %s has no quantised form; leave it out in class_predicate" % type(module).__name__)
        if isinstance(options, bool):
            options = {"group_size": group_size, "bits": bits, "mode": mode}
            if quantize_input:
                options["quantize_input"] = True
        elif not isinstance(options, dict):
            raise ValueError("quantize: class_predicate returns a %s, not a bool or a dict" % type(options).__name__)
        return module.to_quantized(**options)

    model.update_modules(tree_map_with_path(replaced, model.leaf_modules(), is_leaf=Module.is_module))


class QuantizedEmbedding(Module):
    """An embedding whose rows are quantised."""

    def __init__(self, num_embeddings: int, dims: int, group_size: int = None, bits: int = None, mode: str = "affine"):
        super().__init__()
        self.group_size, self.bits = _form(mode, group_size, bits)
        self.mode = mode
        weight = mx.random.normal(shape=(num_embeddings, dims), scale=math.sqrt(1 / dims))
        self._set(weight)
        self.num_embeddings, self.dims = num_embeddings, dims
        self.freeze()

    def _set(self, weight):
        self.weight, self.scales, *biases = mx.quantize(weight, self.group_size, self.bits, mode=self.mode)
        self.biases = biases[0] if biases else None

    def __call__(self, x):
        """The rows at the positions."""
        biases = self.get("biases")
        return mx.dequantize(self["weight"][x], scales=self["scales"][x], biases=None if biases is None else biases[x],
                             group_size=self.group_size, bits=self.bits, mode=self.mode)

    def as_linear(self, x):
        """x times the transposed rows."""
        return mx.quantized_matmul(x, self["weight"], scales=self["scales"], biases=self.get("biases"), transpose=True,
                                   group_size=self.group_size, bits=self.bits, mode=self.mode)

    def _extra_repr(self):
        return "%d, %d, group_size=%d, bits=%d, mode=%s" % (self.num_embeddings, self.dims, self.group_size, self.bits, self.mode)

    @classmethod
    def from_embedding(cls, embedding_layer: Module, group_size: int = None, bits: int = None, mode: str = "affine"):
        """The quantised form of an embedding."""
        made = cls(*embedding_layer.weight.shape, group_size, bits, mode=mode)
        made._set(embedding_layer.weight)
        return made


class QuantizedLinear(Module):
    """A linear layer whose weights are quantised and frozen."""

    def __init__(self, input_dims: int, output_dims: int, bias: bool = True, group_size: int = None, bits: int = None, mode: str = "affine"):
        super().__init__()
        self.group_size, self.bits = _form(mode, group_size, bits)
        self.mode = mode
        scale = math.sqrt(1 / input_dims)
        self._set(mx.random.uniform(low=-scale, high=scale, shape=(output_dims, input_dims)))
        if bias:
            self.bias = mx.zeros((output_dims,))
        self.freeze()

    def _set(self, weight):
        self.weight, self.scales, *biases = mx.quantize(weight, self.group_size, self.bits, mode=self.mode)
        self.biases = biases[0] if biases else None

    def _extra_repr(self):
        out, words = self.weight.shape
        return "input_dims=%d, output_dims=%d, bias=%s, group_size=%d, bits=%d, mode=%s" % (
            words * 32 // self.bits, out, "bias" in self, self.group_size, self.bits, self.mode)

    def __call__(self, x):
        """The product, over the last axis."""
        x = mx.quantized_matmul(x, self["weight"], scales=self["scales"], biases=self.get("biases"), transpose=True,
                                group_size=self.group_size, bits=self.bits, mode=self.mode)
        return x + self["bias"] if "bias" in self else x

    @classmethod
    def from_linear(cls, linear_layer: Module, group_size: int = None, bits: int = None, mode: str = "affine"):
        """The quantised form of a linear layer."""
        out, width = linear_layer.weight.shape
        made = cls(width, out, False, group_size, bits, mode=mode)
        made._set(linear_layer.weight)
        if "bias" in linear_layer:
            made.bias = linear_layer.bias
        return made


class QQLinear(Module):
    """A linear layer without bias that quantises its input and, outside of training, its weights."""

    def __init__(self, input_dims: int, output_dims: int, group_size: int = None, bits: int = None, mode: str = "nvfp4"):
        super().__init__()
        self.group_size, self.bits = _form(mode, group_size, bits)
        self.mode = mode
        scale = math.sqrt(1 / input_dims)
        self.weight = mx.random.uniform(low=-scale, high=scale, shape=(output_dims, input_dims))
        self._quantized = False

    def _extra_repr(self):
        out, width = self.weight.shape
        if self._quantized:
            width = width * 32 // self.bits
        return "input_dims=%d, output_dims=%d, group_size=%d, bits=%d, mode=%s" % (width, out, self.group_size, self.bits, self.mode)

    def quantize(self):
        """Quantises the weights."""
        if not self._quantized:
            self.weight, self.scales = mx.quantize(self.weight, self.group_size, self.bits, mode=self.mode)
            self._quantized = True

    def dequantize(self):
        """Gives the weights back as floats."""
        if self._quantized:
            self.weight = mx.dequantize(self.weight, scales=self.scales, group_size=self.group_size, bits=self.bits, mode=self.mode)
            del self.scales
            self._quantized = False

    def _set_training_mode(self, mode):
        self._training = mode
        if mode:
            self.dequantize()
        else:
            self.quantize()

    def train(self, mode: bool = True):
        """Sets the mode; the weights are quantised outside of training."""
        self._set_training_mode(mode)
        return self

    def __call__(self, x):
        """The product, over the last axis."""
        return mx.qqmm(x, self["weight"], scales=self.get("scales"), group_size=self.group_size, bits=self.bits, mode=self.mode)

    @classmethod
    def from_linear(cls, linear_layer: Module, group_size: int = None, bits: int = None, mode: str = "nvfp4"):
        """The form of a linear layer. Raises NotImplementedError for one with a bias."""
        if "bias" in linear_layer:
            raise NotImplementedError("QQLinear: a layer with a bias has no such form; use QuantizedLinear")
        out, width = linear_layer.weight.shape
        made = cls(width, out, group_size, bits, mode=mode)
        made.weight = linear_layer.weight
        made.train(linear_layer.training)
        return made
