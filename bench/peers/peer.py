"""One peer's side of `make bench-peers`: answers run.py's commands as frit_side.cpp does (its head says which).

    peer.py mlx|jax|torch

The work is written once, over the few functions in which the libraries differ. Inputs are the numbers of bench/work.cpp.
"""
import json
import math
import os
import sys
import time

import numpy as np


class Mlx:
    compiled_by = "mx.compile"

    def __init__(self):
        import mlx.core as mx
        self.mx = mx
        self.version = mx.__version__
        mx.set_default_device(mx.cpu)
        for name in "exp log erf tanh sigmoid abs maximum rsqrt".split():
            setattr(self, name, getattr(mx, name))

    def array(self, values, bf16=False):
        x = self.mx.array(values).astype(self.mx.bfloat16 if bf16 else self.mx.float32)
        self.mx.eval(x)
        return x

    def numpy(self, y):
        return np.array(y.astype(self.mx.float32))

    def compile(self, fn):
        return self.mx.compile(fn)

    def wait(self, y):
        self.mx.eval(y)

    def fresh(self):
        pass

    def drop(self):
        self.mx.clear_cache()

    def sum(self, x, axis, keepdims=False):
        return self.mx.sum(x, axis=axis, keepdims=keepdims)

    def mean(self, x):
        return self.mx.mean(x, axis=-1, keepdims=True)

    def max(self, x):
        return self.mx.max(x, axis=-1, keepdims=True)

    def swap(self, x):
        return self.mx.swapaxes(x, -1, -2)

    # Its fused form, which is faster than the composed one.
    def attention(self, q, k, v):
        return self.mx.fast.scaled_dot_product_attention(q, k, v, scale=0.125)


class Jax:
    compiled_by = "jax.jit"

    def __init__(self):
        os.environ.setdefault("JAX_PLATFORMS", "cpu")
        import jax
        import jax.numpy as jnp
        self.jax, self.jnp = jax, jnp
        self.version = jax.__version__
        self.exp, self.log, self.tanh, self.abs, self.maximum = jnp.exp, jnp.log, jnp.tanh, jnp.abs, jnp.maximum
        self.erf, self.rsqrt, self.sigmoid = jax.lax.erf, jax.lax.rsqrt, jax.nn.sigmoid

    def array(self, values, bf16=False):
        return self.jnp.asarray(values, dtype=self.jnp.bfloat16 if bf16 else self.jnp.float32).block_until_ready()

    def numpy(self, y):
        return np.asarray(y.astype(self.jnp.float32))

    def compile(self, fn):
        return self.jax.jit(fn)

    def wait(self, y):
        self.jax.block_until_ready(y)

    def fresh(self):
        pass

    def drop(self):
        self.jax.clear_caches()

    def sum(self, x, axis, keepdims=False):
        return self.jnp.sum(x, axis=axis, keepdims=keepdims)

    def mean(self, x):
        return self.jnp.mean(x, axis=-1, keepdims=True)

    def max(self, x):
        return self.jnp.max(x, axis=-1, keepdims=True)

    def swap(self, x):
        return self.jnp.swapaxes(x, -1, -2)

    def attention(self, q, k, v):
        return (softmax(self, q * 0.125 @ self.swap(k))) @ v


class Torch:
    compiled_by = "torch.compile"

    def __init__(self):
        # No cache may answer a cold compile.
        os.environ.setdefault("TORCHINDUCTOR_FORCE_DISABLE_CACHES", "1")
        import torch
        self.torch = torch
        self.version = torch.__version__
        torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
        torch.set_grad_enabled(False)
        for name in "exp log erf tanh sigmoid abs maximum rsqrt".split():
            setattr(self, name, getattr(torch, name))

    def array(self, values, bf16=False):
        return self.torch.from_numpy(np.array(values, dtype=np.float32)).to(self.torch.bfloat16 if bf16 else self.torch.float32)

    def numpy(self, y):
        return y.float().numpy()

    def compile(self, fn):
        return self.torch.compile(fn, dynamic=False)

    def wait(self, y):
        pass

    def fresh(self):
        self.torch._dynamo.reset()

    def drop(self):
        self.torch._dynamo.reset()

    def sum(self, x, axis, keepdims=False):
        return self.torch.sum(x, dim=axis, keepdim=keepdims)

    def mean(self, x):
        return self.torch.mean(x, dim=-1, keepdim=True)

    def max(self, x):
        return self.torch.amax(x, dim=-1, keepdim=True)

    def swap(self, x):
        return self.torch.swapaxes(x, -1, -2)

    def attention(self, q, k, v):
        return (softmax(self, q * 0.125 @ self.swap(k))) @ v


def gelu(o, x):
    return x * (1 + o.erf(x / math.sqrt(2))) / 2


def gelu_tanh(o, x):
    return 0.5 * x * (1 + o.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


def silu(o, x):
    return x * o.sigmoid(x)


def chain(o, x):
    y = x
    for _ in range(4):
        y = o.abs(y * 0.9 + x) - o.maximum(y, x)
    return y


def softmax(o, x):
    e = o.exp(x - o.max(x))
    return e / o.sum(e, -1, True)


def layer_norm(o, x):
    d = x - o.mean(x)
    return d * o.rsqrt(o.mean(d * d) + 1e-5)


def rms_norm(o, x):
    return x * o.rsqrt(o.mean(x * x) + 1e-5)


def train_mlp(o, x, targets, w1, b1, w2, b2):
    """One step of training gelu(x w1 + b1) w2 + b2 on cross entropy, as in bench/work.cpp."""
    rate = 10
    z = x @ w1 + b1
    phi = (1 + o.erf(z / math.sqrt(2))) / 2
    h = z * phi
    logits = h @ w2 + b2
    top = o.max(logits)
    e = o.exp(logits - top)
    total = o.sum(e, -1, True)
    loss = o.sum(o.log(total) + top - o.sum(logits * targets, -1, True), 0) / x.shape[0]
    d_logits = (e / total - targets) / x.shape[0]
    d_z = (d_logits @ o.swap(w2)) * (phi + z * o.exp(z * z * -0.5) * 0.3989422804)
    return (loss, w1 - rate * (o.swap(x) @ d_z), b1 - rate * o.sum(d_z, 0), w2 - rate * (o.swap(h) @ d_logits), b2 - rate * o.sum(d_logits, 0))


def numbers(shape, seed, scale):
    n = math.prod(shape)
    bits = (np.arange(n, dtype=np.uint32) + np.uint32(seed * 7919)) * np.uint32(2654435761)
    bits &= np.uint32(0xFFFFFF)
    return ((bits.astype(np.float32) * np.float32(2.0 / (1 << 24)) - np.float32(1)) * np.float32(scale)).reshape(shape)


def work(o, name):
    """(graph, inputs) of a name of bench/work.cpp, or None."""
    square = (4096, 4096)
    unary = {"gelu_tanh": gelu_tanh, "silu": silu, "chain_20_ops": chain, "softmax": softmax, "layer_norm": layer_norm, "rms_norm": rms_norm}
    if name == "gelu":
        return lambda x: gelu(o, x), [o.array(numbers((32, 1000, 4096), 0, 4))]
    if name in unary:
        return lambda x: unary[name](o, x), [o.array(numbers(square, 0, 4))]
    two = lambda: [o.array(numbers(square, seed, 4)) for seed in (0, 1)]
    if name == "swiglu":
        return lambda x, y: silu(o, x) * y, two()
    if name == "transpose_add":
        return lambda x, y: o.swap(x) + y, two()
    if name.startswith("sum_axis"):
        return lambda x: o.sum(x, int(name[-1])), [o.array(numbers((256, 512, 512), 0, 4))]
    if name == "matmul_bias_gelu":
        return lambda a, b, c: gelu(o, a @ b + c), [o.array(numbers(*i)) for i in (((1024, 4096), 0, 1), ((4096, 1024), 1, 0.03), ((1024,), 2, 1))]
    if name.startswith("matmul_"):
        n, dtype = name.split("_")[1:]
        return lambda a, b: a @ b, [o.array(numbers((int(n), int(n)), seed, 1), dtype == "bf16") for seed in (0, 1)]
    if name == "attention":
        return o.attention, [o.array(numbers((1, 16, 512, 64), seed, 1)) for seed in range(3)]
    if name == "mlp_step":
        targets = np.arange(1024, dtype=np.float32) == np.arange(256, dtype=np.float32)[:, None] * 3
        weights = [numbers((1024, 4096), 1, 0.05), numbers((4096,), 2, 0.1), numbers((4096, 1024), 3, 0.05), numbers((1024,), 4, 0.1)]
        return lambda *a: train_mlp(o, *a), [o.array(v) for v in [numbers((256, 1024), 0, 1), targets, *weights]]
    return None


def check(o, y):
    results = y if isinstance(y, tuple) else (y,)
    return sum(float(np.abs(o.numpy(r).reshape(-1)[:1000].astype(np.float64)).mean()) for r in results)


def seconds(fn):
    begin = time.perf_counter()
    fn()
    return time.perf_counter() - begin


def scalar_call(o):
    f = o.compile(lambda x, y: o.exp(-x) + y)
    x, y = o.array(1.0), o.array(2.0)
    o.wait(f(x, y))
    calls = 200

    def run():
        def many():
            for _ in range(calls):
                o.wait(f(x, y))
        return seconds(many) / calls
    return run, check(o, f(x, y))


def cold_compile(o):
    """From function to result in a process that has compiled before.

    A constant that differs each time keeps caches from answering.
    """
    x = o.array(numbers((1024,), 0, 4))
    constant = [np.float32(0.70710678)]

    def once():
        constant[0] = np.nextafter(constant[0], np.float32(1))
        c = float(constant[0])
        y = o.compile(lambda v: v * (1 + o.erf(v * c)) / 2)(x)
        o.wait(y)
        return y

    def run():
        o.fresh()
        return seconds(once)
    return run, check(o, once())


def prepare(o, name):
    if name in ("scalar_call", "cold_compile"):
        return {"scalar_call": scalar_call, "cold_compile": cold_compile}[name](o)
    found = work(o, name)
    if found is None:
        return None, None
    graph, inputs = found
    f = o.compile(graph)
    return (lambda: seconds(lambda: o.wait(f(*inputs)))), check(o, f(*inputs))


def main():
    # Libraries may print, so standard output is kept for the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    o = {"mlx": Mlx, "jax": Jax, "torch": Torch}[sys.argv[1]]()
    run = None
    answer = {"version": o.version, "compiled_by": o.compiled_by}
    print(json.dumps(answer), file=answers, flush=True)
    for line in sys.stdin:
        command, *rest = line.split()
        try:
            if command == "prepare":
                run = None
                run, value = prepare(o, rest[0])
                if run is None:
                    answer = {"skip": "no such figure"}
                else:
                    first = run()
                    answer = {"seconds": run() if first < 3 else first, "check": value}
            elif command == "time":
                answer = {"seconds": [run() for _ in range(int(rest[0]))]}
            else:
                run = None
                o.drop()
                answer = {}
        except Exception as error:  # what a peer cannot do is a line of the table, not the end of the run
            run = None
            answer = {"skip": f"{type(error).__name__}: {error}".splitlines()[0][:200]}
        print(json.dumps(answer), file=answers, flush=True)


main()
