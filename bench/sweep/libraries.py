"""frit, PyTorch and JAX behind one set of functions, so that the families' work is written once."""
import os

import numpy as np

FUNCTIONS = "asin acos atan asinh acosh atanh sinh cosh tan log2 log10 log1p expm1".split()


class Frit:
    name = "frit"

    def __init__(self):
        import frit.core as mx
        self.mx = mx
        for n in "exp log tanh sigmoid abs maximum rsqrt sqrt sin cos erf matmul where".split():
            setattr(self, n, getattr(mx, n))
        for n in [*FUNCTIONS, "atan2", "erfinv", "real", "imag", "conj", "isfinite", "einsum", "logaddexp"]:
            setattr(self, n, getattr(mx, n.replace("atan2", "arctan2")))
        for n in "any all prod argmin cumprod cummin logcumsumexp sort argsort".split():
            setattr(self, n, lambda x, axis, fn=getattr(mx, n): fn(x, axis=axis))
        self.fft, self.rfft = mx.fft.fft, mx.fft.rfft

    def array(self, values, dtype):
        x = self.mx.array(values)
        if dtype in ("float16", "bfloat16", "float64", "int64", "uint64"):
            x = x.astype(getattr(self.mx, dtype))
        self.mx.eval(x)
        return x

    def numpy(self, y):
        return np.array(y.astype(self.mx.float32))

    def compile(self, fn):
        compiled = self.mx.compile(fn)

        def run(*args):
            y = compiled(*args)
            self.mx.eval(y)
            return y
        return run

    def zero(self, x):
        return self.mx.array(0, dtype=x.dtype)

    def cast(self, x, dtype):
        return x.astype(getattr(self.mx, dtype))

    def sum(self, x, axis):
        return self.mx.sum(x, axis=axis)

    def mean(self, x, axis):
        return self.mx.mean(x, axis=axis)

    def mean_keep(self, x):
        return self.mx.mean(x, axis=-1, keepdims=True)

    def max(self, x, axis):
        return self.mx.max(x, axis=axis)

    def var(self, x, axis):
        return self.mx.var(x, axis=axis)

    def argmax(self, x, axis):
        return self.mx.argmax(x, axis=axis)

    def softmax(self, x, axis):
        return self.mx.softmax(x, axis=axis)

    def logsumexp(self, x, axis):
        return self.mx.logsumexp(x, axis=axis)

    def cumsum(self, x, axis):
        return self.mx.cumsum(x, axis=axis)

    def cummax(self, x, axis):
        return self.mx.cummax(x, axis=axis)

    def copy(self, x):
        return self.mx.contiguous(x)

    def transpose(self, x, axes):
        return self.mx.transpose(x, axes)

    def swap(self, x):
        return self.mx.swapaxes(x, -1, -2)

    def concatenate(self, xs, axis):
        return self.mx.concatenate(list(xs), axis=axis)

    def repeat(self, x, k, axis):
        return self.mx.repeat(x, k, axis=axis)

    def tile(self, x, counts):
        return self.mx.tile(x, counts)

    def pad(self, x, widths):
        return self.mx.pad(x, widths)

    def flip(self, x, axis):
        return self.copy(self.mx.flip(x, axis))

    def roll(self, x, k, axis):
        return self.copy(self.mx.roll(x, k, axis=axis))

    def take(self, x, i):
        return self.mx.take(x, i, axis=0)

    def take_along(self, x, i, axis):
        return self.mx.take_along_axis(x, i, axis=axis)

    def scatter_add(self, x, i, u):
        return x.at[i].add(u)

    def causal(self, scores):
        q, k = scores.shape[-2:]
        keep = self.mx.arange(q).reshape(q, 1) >= self.mx.arange(k)
        return self.mx.where(keep, scores, self.mx.array(-np.inf, dtype=scores.dtype))

    def attention(self, q, k, v, scale, causal):
        return self.mx.fast.scaled_dot_product_attention(q, k, v, scale=scale, mask="causal" if causal else None)

    def conv2d(self, x, w, stride, padding, groups):
        return self.mx.conv2d(x, w, stride=stride, padding=padding, groups=groups)

    def conv1d(self, x, w, stride, padding, groups):
        return self.mx.conv1d(x, w, stride=stride, padding=padding, groups=groups)

    def partition(self, x, k, axis):
        return self.mx.partition(x, k, axis=axis)

    def topk(self, x, k, axis):
        return self.mx.topk(x, k, axis=axis)


class Torch:
    name = "torch"

    def __init__(self):
        import torch
        self.t = torch
        torch.set_num_threads(len(os.sched_getaffinity(0)))
        for n in "exp log tanh sigmoid abs maximum rsqrt sqrt sin cos erf matmul softmax logsumexp where".split():
            setattr(self, n, getattr(torch, n))
        for n in [*FUNCTIONS, *"atan2 erfinv real imag conj isfinite einsum logaddexp any all argmin".split()]:
            setattr(self, n, getattr(torch, n))
        for n in "cumprod logcumsumexp argsort".split():
            setattr(self, n, lambda x, axis, fn=getattr(torch, n): fn(x, axis))
        self.fft, self.rfft = torch.fft.fft, torch.fft.rfft

    def array(self, values, dtype):
        if dtype in ("uint16", "uint32", "uint64"):
            raise NotImplementedError
        dtype = dtype.rstrip("_")
        return self.t.from_numpy(np.ascontiguousarray(values)).to(getattr(self.t, dtype))

    def numpy(self, y):
        return y.to(self.t.float32).numpy()

    def compile(self, fn):
        compiled = self.t.compile(fn)

        def run(*args):
            with self.t.no_grad():
                return compiled(*args)
        return run

    def zero(self, x):
        return self.t.zeros((), dtype=x.dtype)

    def cast(self, x, dtype):
        return x.to(getattr(self.t, dtype.rstrip("_")))

    def prod(self, x, axis):
        return x.prod(axis)

    def cummin(self, x, axis):
        return x.cummin(axis).values

    def sort(self, x, axis):
        return x.sort(axis).values

    def topk(self, x, k, axis):
        return x.topk(k, axis).values

    def sum(self, x, axis):
        return x.sum(axis)

    def mean(self, x, axis):
        return x.mean(axis)

    def mean_keep(self, x):
        return x.mean(-1, keepdim=True)

    def max(self, x, axis):
        return x.amax(axis)

    def var(self, x, axis):
        return x.var(axis, correction=0)

    def argmax(self, x, axis):
        return x.argmax(axis)

    def cumsum(self, x, axis):
        return x.cumsum(axis)

    def cummax(self, x, axis):
        return x.cummax(axis).values

    def copy(self, x):
        return x.clone(memory_format=self.t.contiguous_format)

    def transpose(self, x, axes):
        return x.permute(axes)

    def swap(self, x):
        return x.transpose(-1, -2)

    def concatenate(self, xs, axis):
        return self.t.cat(xs, axis)

    def repeat(self, x, k, axis):
        return x.repeat_interleave(k, axis)

    def tile(self, x, counts):
        return x.tile(counts)

    def pad(self, x, widths):
        return self.t.nn.functional.pad(x, [n for w in reversed(widths) for n in w])

    def flip(self, x, axis):
        return x.flip(axis)

    def roll(self, x, k, axis):
        return x.roll(k, axis)

    def take(self, x, i):
        return x[i]

    def take_along(self, x, i, axis):
        return x.gather(axis, i.to(self.t.int64))

    def scatter_add(self, x, i, u):
        return x.index_add(0, i, u)

    def causal(self, scores):
        q, k = scores.shape[-2:]
        return scores.masked_fill(self.t.arange(q).reshape(q, 1) < self.t.arange(k), -np.inf)

    def attention(self, q, k, v, scale, causal):
        return self.t.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal, scale=scale)

    def conv2d(self, x, w, stride, padding, groups):
        x, w = x.permute(0, 3, 1, 2), w.permute(0, 3, 1, 2)
        return self.t.nn.functional.conv2d(x, w, stride=stride, padding=padding, groups=groups).permute(0, 2, 3, 1)

    def conv1d(self, x, w, stride, padding, groups):
        x, w = x.permute(0, 2, 1), w.permute(0, 2, 1)
        return self.t.nn.functional.conv1d(x, w, stride=stride, padding=padding, groups=groups).permute(0, 2, 1)


class Jax:
    name = "jax"

    def __init__(self):
        os.environ.setdefault("JAX_PLATFORMS", "cpu")
        import jax
        import jax.numpy as jnp
        jax.config.update("jax_enable_x64", True)
        self.jax, self.jnp = jax, jnp
        for n in "exp log tanh abs maximum sqrt sin cos matmul concatenate tile pad repeat flip roll where".split():
            setattr(self, n, getattr(jnp, n))
        self.erf, self.rsqrt, self.sigmoid = jax.lax.erf, jax.lax.rsqrt, jax.nn.sigmoid
        self.softmax, self.logsumexp = jax.nn.softmax, jax.nn.logsumexp
        self.sum, self.mean, self.max, self.var, self.argmax = jnp.sum, jnp.mean, jnp.max, jnp.var, jnp.argmax
        self.transpose, self.cumsum = jnp.transpose, jnp.cumsum
        for n in [*FUNCTIONS, *"real imag conj isfinite einsum logaddexp any all prod argmin cumprod sort argsort".split()]:
            setattr(self, n, getattr(jnp, {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh",
                                           "acosh": "arccosh", "atanh": "arctanh"}.get(n, n)))
        self.atan2, self.erfinv = jnp.arctan2, jax.lax.erf_inv
        self.fft, self.rfft = jnp.fft.fft, jnp.fft.rfft

    def array(self, values, dtype):
        return self.jnp.asarray(values, dtype=getattr(self.jnp, dtype)).block_until_ready()

    def numpy(self, y):
        return np.asarray(y.astype(self.jnp.float32))

    def compile(self, fn):
        compiled = self.jax.jit(fn)
        return lambda *args: compiled(*args).block_until_ready()

    def zero(self, x):
        return self.jnp.zeros((), x.dtype)

    def cast(self, x, dtype):
        return x.astype(dtype)

    def mean_keep(self, x):
        return self.jnp.mean(x, axis=-1, keepdims=True)

    def cummax(self, x, axis):
        return self.jax.lax.cummax(x, axis=axis)

    def cummin(self, x, axis):
        return self.jax.lax.cummin(x, axis=axis)

    def logcumsumexp(self, x, axis):
        return self.jax.lax.cumlogsumexp(x, axis=axis)

    def partition(self, x, k, axis):
        return self.jnp.partition(x, k, axis=axis)

    def topk(self, x, k, axis):
        return self.jax.lax.top_k(x, k)[0]

    def copy(self, x):
        return self.jnp.copy(x)

    def swap(self, x):
        return self.jnp.swapaxes(x, -1, -2)

    def take(self, x, i):
        return self.jnp.take(x, i, axis=0)

    def take_along(self, x, i, axis):
        return self.jnp.take_along_axis(x, i, axis=axis)

    def scatter_add(self, x, i, u):
        return x.at[i].add(u)

    def causal(self, scores):
        q, k = scores.shape[-2:]
        return self.jnp.where(self.jnp.arange(q)[:, None] >= self.jnp.arange(k), scores, -np.inf)

    def attention(self, q, k, v, scale, causal):
        swap = lambda x: self.jnp.swapaxes(x, 1, 2)
        return swap(self.jax.nn.dot_product_attention(swap(q), swap(k), swap(v), scale=scale, is_causal=causal))

    def conv2d(self, x, w, stride, padding, groups):
        return self.jax.lax.conv_general_dilated(x, w, (stride, stride), [(padding, padding)] * 2,
                                                 dimension_numbers=("NHWC", "OHWI", "NHWC"), feature_group_count=groups)

    def conv1d(self, x, w, stride, padding, groups):
        return self.jax.lax.conv_general_dilated(x, w, (stride,), [(padding, padding)],
                                                 dimension_numbers=("NHC", "OHI", "NHC"), feature_group_count=groups)


PEERS = {"torch": Torch, "jax": Jax}
