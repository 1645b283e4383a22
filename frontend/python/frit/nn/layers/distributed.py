"""Linear layers whose weights are spread over the processes of a group."""
import math
from functools import lru_cache
from typing import Callable, Optional, Union

import frit.core as mx
from frit.nn.layers.base import Module
from frit.nn.layers.linear import Linear
from frit.utils import tree_flatten, tree_map_with_path, tree_unflatten


def _group(group):
    return group or mx.distributed.init()


@lru_cache
def sum_gradients(group):
    """The identity, whose gradient is summed over the processes of the group."""
    if group.size() == 1:
        return lambda x: x

    @mx.custom_function
    def identity(x):
        return x

    @identity.vjp
    def identity_vjp(x, cotangent, _):
        return mx.distributed.all_sum(cotangent, group=group)

    return identity


def _part(a, axis, segments, group):
    """The part of this process: of each segment along the axis its share."""
    n, r = group.size(), group.rank()
    places = segments
    if isinstance(segments, int) and segments > 1:
        places = [i * (a.shape[axis] // segments) for i in range(1, segments)]
    elif isinstance(segments, list) and segments and isinstance(segments[0], float):
        places = [int(s * a.shape[axis]) for s in segments]
    pieces = [a] if places == 1 else mx.split(a, places, axis=axis)
    return mx.contiguous(mx.concatenate([mx.split(p, n, axis=axis)[r] for p in pieces], axis=axis))


def _check(size, n, what):
    if size % n != 0:
        raise ValueError("sharding: %d %s do not divide into the %d processes of the group" % (size, what, n))


def _all_to_sharded(path, weight):
    return max(weight.ndim - 2, 0)


def _sharded_to_all(path, weight):
    return None if path.rpartition(".")[2] == "bias" else -1


_SHARDINGS = {"all-to-sharded": _all_to_sharded, "sharded-to-all": _sharded_to_all}


def _check_sharding(sharding):
    if sharding not in _SHARDINGS:
        raise ValueError("sharding: %r is not known; give 'all-to-sharded' or 'sharded-to-all'" % (sharding,))


def shard_inplace(module: Module, sharding: Union[str, Callable], *, segments: Union[int, list] = 1,
                  group: Optional["mx.distributed.Group"] = None):
    """Replaces the parameters of a module by this process's parts of them.

    `sharding` is "all-to-sharded", "sharded-to-all" or a function of the path and the parameter, which returns the axis to
    cut, the axis and the segments, or None for a parameter that stays whole.
    """
    group = _group(group)
    if not callable(sharding):
        _check_sharding(sharding)
    choose = sharding if callable(sharding) else _SHARDINGS[sharding]

    def part(path, weight):
        if not isinstance(weight, mx.array):
            return weight
        axis, pieces = choose(path, weight), segments
        if isinstance(axis, tuple):
            axis, pieces = axis
        return weight if axis is None else _part(weight, axis, pieces, group)

    module.update(tree_map_with_path(part, module.parameters()))


def shard_linear(module: Module, sharding: str, *, segments: Union[int, list] = 1, group: Optional["mx.distributed.Group"] = None):
    """A linear layer, quantised or not, as the sharded layer that `sharding` names: "all-to-sharded" or "sharded-to-all"."""
    _check_sharding(sharding)
    plain = {"all-to-sharded": AllToShardedLinear, "sharded-to-all": ShardedToAllLinear}
    quantised = {"all-to-sharded": QuantizedAllToShardedLinear, "sharded-to-all": QuantizedShardedToAllLinear}
    if isinstance(module, Linear):
        return plain[sharding].from_linear(module, segments=segments, group=group)
    return quantised[sharding].from_quantized_linear(module, segments=segments, group=group)


class AllToShardedLinear(Module):
    """Every process has the whole input and computes its part of the outputs."""

    def __init__(self, input_dims: int, output_dims: int, bias: bool = True, group: Optional["mx.distributed.Group"] = None):
        super().__init__()
        scale = math.sqrt(1.0 / input_dims)
        self.group = _group(group)
        n = self.group.size()
        _check(output_dims, n, "outputs")
        self.weight = mx.random.uniform(low=-scale, high=scale, shape=(output_dims // n, input_dims))
        if bias:
            self.bias = mx.random.uniform(low=-scale, high=scale, shape=(output_dims // n,))

    def _extra_repr(self) -> str:
        out, width = self.weight.shape
        return "input_dims=%d, output_dims=%d, bias=%s" % (width, out * self.group.size(), "bias" in self)

    def __call__(self, x: mx.array) -> mx.array:
        """This process's outputs."""
        x = sum_gradients(self.group)(x)
        return mx.addmm(self["bias"], x, self["weight"].T) if "bias" in self else x @ self["weight"].T

    @classmethod
    def from_linear(cls, linear_layer: Module, *, segments: Union[int, list] = 1, group: Optional["mx.distributed.Group"] = None):
        """This process's part of a linear layer."""
        group = _group(group)
        out, width = linear_layer.weight.shape
        made = cls(width, out, "bias" in linear_layer, group)
        made.update({k: _part(v, 0, segments, group) for k, v in linear_layer.parameters().items()})
        return made


class ShardedToAllLinear(Module):
    """Every process has its part of the input; the outputs are summed over the group."""

    def __init__(self, input_dims: int, output_dims: int, bias: bool = True, group: Optional["mx.distributed.Group"] = None):
        super().__init__()
        scale = math.sqrt(1.0 / input_dims)
        self.group = _group(group)
        n = self.group.size()
        _check(input_dims, n, "inputs")
        self.weight = mx.random.uniform(low=-scale, high=scale, shape=(output_dims, input_dims // n))
        if bias:
            self.bias = mx.random.uniform(low=-scale, high=scale, shape=(output_dims,))

    def _extra_repr(self) -> str:
        out, width = self.weight.shape
        return "input_dims=%d, output_dims=%d, bias=%s" % (width * self.group.size(), out, "bias" in self)

    def __call__(self, x: mx.array) -> mx.array:
        """All outputs."""
        x = mx.distributed.all_sum(x @ self["weight"].T, group=self.group)
        return x + self["bias"] if "bias" in self else x

    @classmethod
    def from_linear(cls, linear_layer: Module, *, segments: Union[int, list] = 1, group: Optional["mx.distributed.Group"] = None):
        """This process's part of a linear layer."""
        group = _group(group)
        out, width = linear_layer.weight.shape
        made = cls(width, out, "bias" in linear_layer, group)
        made.update({k: v if k == "bias" else _part(v, -1, segments, group) for k, v in linear_layer.parameters().items()})
        return made


class _QuantizedSharded(Module):
    """The base of the quantised forms."""

    def _make(self, input_dims, output_dims, bias, bias_dims, group_size, bits, mode):
        self.group_size, self.bits, self.mode = group_size, bits, mode
        scale = math.sqrt(1.0 / input_dims)
        weight = mx.random.uniform(low=-scale, high=scale, shape=(output_dims, input_dims))
        self.weight, self.scales, *biases = mx.quantize(weight, group_size, bits, mode=mode)
        if biases:
            self.biases = biases[0]
        if bias:
            self.bias = mx.zeros((bias_dims,))
        self.freeze()

    def unfreeze(self, *args, **kwargs):
        """As Module.unfreeze; the layer's own weights stay frozen."""
        super().unfreeze(*args, **kwargs)
        self.freeze(recurse=False)

    def _product(self, x):
        return mx.quantized_matmul(x, self["weight"], scales=self["scales"], biases=self.get("biases"), transpose=True,
                                   group_size=self.group_size, bits=self.bits, mode=self.mode)


class QuantizedAllToShardedLinear(_QuantizedSharded):
    """AllToShardedLinear with quantised weights."""

    def __init__(self, input_dims: int, output_dims: int, bias: bool = True, group_size: int = 64, bits: int = 4, mode: str = "affine",
                 group: Optional["mx.distributed.Group"] = None):
        super().__init__()
        self.group = _group(group)
        n = self.group.size()
        _check(output_dims, n, "outputs")
        self._make(input_dims, output_dims // n, bias, output_dims // n, group_size, bits, mode)

    def unfreeze(self, *args, **kwargs):
        """As Module.unfreeze; the layer's own weights stay frozen."""
        super().unfreeze(*args, **kwargs)

    def _extra_repr(self) -> str:
        out, words = self.weight.shape
        return "input_dims=%d, output_dims=%d, bias=%s, group_size=%d, bits=%d, mode=%s" % (
            words * 32 // self.bits, out * self.group.size(), "bias" in self, self.group_size, self.bits, self.mode)

    def __call__(self, x: mx.array) -> mx.array:
        """This process's outputs."""
        x = self._product(sum_gradients(self.group)(x))
        return x + self["bias"] if "bias" in self else x

    @classmethod
    def from_quantized_linear(cls, quantized_linear_layer: Module, *, segments: Union[int, list] = 1, group: Optional["mx.distributed.Group"] = None):
        """This process's part of a quantised linear layer."""
        layer, group = quantized_linear_layer, _group(group)
        out, words = layer.weight.shape
        made = cls(words * 32 // layer.bits, out, "bias" in layer, layer.group_size, layer.bits, layer.mode, group)
        made.update({k: _part(v, 0, segments, group) for k, v in layer.parameters().items()})
        return made


class QuantizedShardedToAllLinear(_QuantizedSharded):
    """ShardedToAllLinear with quantised weights."""

    def __init__(self, input_dims: int, output_dims: int, bias: bool = True, group_size: int = 64, bits: int = 4, mode: str = "affine",
                 group: Optional["mx.distributed.Group"] = None):
        super().__init__()
        self.group = _group(group)
        n = self.group.size()
        _check(input_dims, n, "inputs")
        self._make(input_dims // n, output_dims, bias, output_dims, group_size, bits, mode)

    def unfreeze(self, *args, **kwargs):
        """As Module.unfreeze; the layer's own weights stay frozen."""
        super().unfreeze(*args, **kwargs)

    def _extra_repr(self) -> str:
        out, words = self.weight.shape
        return "input_dims=%d, output_dims=%d, bias=%s, group_size=%d, bits=%d, mode=%s" % (
            words * 32 // self.bits * self.group.size(), out, "bias" in self, self.group_size, self.bits, self.mode)

    def __call__(self, x: mx.array) -> mx.array:
        """All outputs."""
        x = mx.distributed.all_sum(self._product(x), group=self.group)
        return x + self["bias"] if "bias" in self else x

    @classmethod
    def from_quantized_linear(cls, quantized_linear_layer: Module, *, segments: Union[int, list] = 1, group: Optional["mx.distributed.Group"] = None):
        """This process's part of a quantised linear layer."""
        layer, group = quantized_linear_layer, _group(group)
        out, words = layer.weight.shape
        made = cls(words * 32 // layer.bits, out, "bias" in layer, layer.group_size, layer.bits, layer.mode, group)
        made.update({k: v if k == "bias" else _part(v, -1, segments, group) for k, v in layer.parameters().items()})
        return made


class FullyShardedModule(Module):
    """A module whose parameters are spread over the group, and gathered for each call."""

    def __init__(self, module: Module, group: Optional["mx.distributed.Group"] = None, compute_dtype: Optional[mx.Dtype] = None):
        super().__init__()
        self.module = module
        self.group = _group(group)
        self.compute_dtype = compute_dtype
        n, r = self.group.size(), self.group.rank()
        self._shapes = {}
        parts = []
        for name, p in tree_flatten(module.parameters()):
            self._shapes[name] = p.shape
            flat = p.reshape(-1)
            short = -flat.size % n
            if short:
                flat = mx.concatenate([flat, mx.zeros((short,), p.dtype)])
            parts.append((name, mx.split(flat, n)[r] if n > 1 else p))
        module.update(tree_unflatten(parts))

    def _gathered(self):
        n = self.group.size()
        whole = []
        for name, p in tree_flatten(self.module.parameters()):
            if n > 1:
                shape = self._shapes[name]
                p = mx.distributed.all_gather(p, group=self.group)[: math.prod(shape)].reshape(shape)
            if self.compute_dtype is not None and mx.issubdtype(p.dtype, mx.floating):
                p = p.astype(self.compute_dtype)
            whole.append((name, p))
        return tree_unflatten(whole)

    def _with_whole(self, call):
        own = self.module.parameters()
        self.module.update(self._gathered())
        try:
            return call()
        finally:
            self.module.update(own)

    def __call__(self, *args, **kwargs):
        """The module's result."""
        return self._with_whole(lambda: self.module(*args, **kwargs))

    def as_linear(self, *args, **kwargs):
        """The result of the module's as_linear."""
        return self._with_whole(lambda: self.module.as_linear(*args, **kwargs))


def fully_shard(module: Module, *, group: Optional["mx.distributed.Group"] = None, compute_dtype: Optional[mx.Dtype] = None) -> Module:
    """The module with its parameters spread over the group; the module itself where the group is one process."""
    if compute_dtype is None and _group(group).size() == 1:
        return module
    return FullyShardedModule(module, group=group, compute_dtype=compute_dtype)
