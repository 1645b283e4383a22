"""Gradients of models, recomputation, and sums of gradients over processes."""
from functools import wraps
from typing import Any, Callable, Optional

import frit.core as mx
from frit.utils import tree_flatten, tree_map, tree_unflatten


def value_and_grad(model: "Module", fn: Callable):
    """A function that returns `fn(*args)` and its gradients with respect to the model's trainable parameters."""
    def inner(parameters, *args, **kwargs):
        model.update(parameters)
        return fn(*args, **kwargs)

    traced = mx.value_and_grad(inner)

    @wraps(fn)
    def wrapped(*args, **kwargs):
        before = model.trainable_parameters()
        try:
            return traced(before, *args, **kwargs)
        finally:
            model.update(before)

    return wrapped


def checkpoint(module: "Module", fn: Optional[Callable] = None):
    """`fn`, by default the module, whose intermediate values are computed again for the gradient."""
    fn = fn or module

    def inner(parameters, *args, **kwargs):
        module.update(parameters)
        return fn(*args, **kwargs)

    traced = mx.checkpoint(inner)

    @wraps(fn)
    def wrapped(*args, **kwargs):
        return traced(module.trainable_parameters(), *args, **kwargs)

    return wrapped


def average_gradients(
    gradients: Any,
    group: Optional["mx.distributed.Group"] = None,
    all_reduce_size: int = 32 * 1024**2,
    communication_stream: Optional[mx.Stream] = None,
):
    """The mean of the gradients of all processes; small ones travel together in messages of `all_reduce_size` bytes."""
    group = group or mx.distributed.init()
    n = group.size()
    if n == 1:
        return gradients

    def mean(x):
        return mx.distributed.all_sum(x, group=group, stream=communication_stream) / n

    if all_reduce_size <= 0:
        return tree_map(mean, gradients)
    flat = tree_flatten(gradients)
    if len({g.dtype for _, g in flat}) > 1:
        return tree_map(mean, gradients)
    out, batch, size = [], [], 0

    def send():
        if not batch:
            return
        whole = mean(mx.concatenate([g.reshape(-1) for _, g in batch]))
        start = 0
        for name, g in batch:
            out.append((name, whole[start : start + g.size].reshape(g.shape)))
            start += g.size
        batch.clear()

    for name, g in flat:
        batch.append((name, g))
        size += g.nbytes
        if size >= all_reduce_size:
            send()
            size = 0
    send()
    return tree_unflatten(out)


def clip_grad_norm_sharded(gradients: Any, max_norm: float, group: Optional["mx.distributed.Group"] = None):
    """Gradients that are spread over the group, scaled to a norm of `max_norm` at most, and the norm."""
    group = group or mx.distributed.init()
    squares = sum((g.square().sum() for _, g in tree_flatten(gradients)), mx.array(0.0))
    norm = mx.sqrt(mx.distributed.all_sum(squares, group=group))
    scale = mx.minimum(max_norm / (norm + 1e-6), 1.0)
    return tree_map(lambda g: g * scale, gradients), norm
