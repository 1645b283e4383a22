"""Look-ups, scans, sorts, convolutions, transforms, random numbers, quantised products and attention beside NumPy, SciPy, JAX
and PyTorch, as far as they are installed, and beside their limits, in turns: on one processor, in its time, or on several by the clock.

    FRIT_NUM_THREADS=1 taskset -c 1 python bench/peers/routines.py [--only REGEX] [--rounds N]
    FRIT_NUM_THREADS=2 python bench/peers/routines.py [--only REGEX] [--rounds N]

PYTHONPATH names the folder that has frit. FRIT_NUM_THREADS holds for the peers too; without it there is one thread. The figures are
the least of the rounds; a limit is a copy, a fill or a read of as many bytes as the work must move, by NumPy on as many threads, or a
product of float32. NumPy sorts on one thread.
"""
import argparse
import importlib
import os
import re
import sys
import time

WARM = "glibc.malloc.trim_threshold=17179869184:glibc.malloc.mmap_threshold=17179869184"
if os.environ.get("GLIBC_TUNABLES") != WARM:  # freed memory stays with the process, as in frit
    os.environ["GLIBC_TUNABLES"] = WARM
    os.execv(sys.executable, [sys.executable, *sys.argv])
THREADS = int(os.environ.setdefault("FRIT_NUM_THREADS", "1"))
eigen = "false" if THREADS == 1 else "true"
os.environ.setdefault("XLA_FLAGS", f"--xla_cpu_multi_thread_eigen={eigen} intra_op_parallelism_threads={THREADS}")
os.environ.setdefault("OPENBLAS_NUM_THREADS", str(THREADS))

from concurrent.futures import ThreadPoolExecutor

import numpy as np


def there(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


mx, jax, torch, fft = there("frit.core"), there("jax"), there("torch"), there("scipy.fft")
if torch:
    torch.set_num_threads(THREADS)
pool = ThreadPoolExecutor(THREADS)
rng = np.random.default_rng(3)


def draw(*shape):
    return rng.standard_normal(shape, np.float32)


class Sides:
    """The functions of one piece of work by the side that they belong to."""

    def __init__(self):
        self.run = {}

    def numpy(self, f, name="numpy"):
        self.run[name] = f

    def frit(self, f, *inputs):
        compiled, given = mx.compile(f), [x if isinstance(x, mx.array) else mx.array(x) for x in inputs]
        mx.eval(given)
        self.run["frit"] = lambda: mx.eval(compiled(*given))

    def jax(self, f, *inputs):
        if jax:
            fast, given = jax.jit(f), [jax.numpy.asarray(x) for x in inputs]
            self.run["jax"] = lambda: jax.block_until_ready(fast(*given))

    def torch(self, f, *inputs):
        if torch:
            given = [torch.from_numpy(x) if isinstance(x, np.ndarray) else x for x in inputs]
            self.run["torch"] = lambda: f(*given)

    def limit(self, work, *arrays):
        parts = list(zip(*(np.array_split(a, THREADS) for a in arrays)))
        self.run["limit"] = lambda: list(pool.map(lambda part: work(*part), parts)) if THREADS > 1 else work(*arrays)

    def copy(self, count):  # reads half of the bytes and writes the other half
        self.limit(np.copyto, np.ones(count // 8, np.float32), np.ones(count // 8, np.float32))

    def fill(self, count):
        self.limit(lambda a: a.fill(2.0), np.ones(count // 4, np.float32))

    def read(self, count):
        self.limit(lambda a: a.sum(), np.ones(count // 8, np.float64))


def look_up(s):
    table, rows = draw(32000, 4096), rng.integers(0, 32000, 8192).astype(np.int32)
    s.frit(lambda t, i: mx.take(t, i, axis=0), table, rows)
    s.jax(lambda t, i: jax.numpy.take(t, i, axis=0), table, rows)
    s.torch(lambda t, i: torch.index_select(t, 0, i), table, rows)
    s.copy(2 * 8192 * 4096 * 4)


def take_along_axis(s):
    x, i = draw(4096, 4096), rng.integers(0, 4096, (4096, 4096)).astype(np.int32)
    s.frit(lambda a, b: mx.take_along_axis(a, b, axis=1), x, i)
    s.jax(lambda a, b: jax.numpy.take_along_axis(a, b, axis=1), x, i)
    s.torch(lambda a, b: torch.gather(a, 1, b), x, i.astype(np.int64))
    s.copy(3 * 4096 * 4096 * 4)


def scatter_add(s):
    updates, rows = draw(1000000, 64), rng.integers(0, 100000, 1000000).astype(np.int32)
    zeros = np.zeros((100000, 64), np.float32)
    s.frit(lambda z, i, u: z.at[i].add(u), zeros, rows, updates)
    s.jax(lambda z, i, u: z.at[i].add(u), zeros, rows, updates)
    s.torch(lambda z, i, u: z.index_add(0, i, u), zeros, rows, updates)
    s.copy((1000000 + 100000) * 64 * 4)


def cumsum(axis):
    def make(s):
        x = draw(4096, 4096)
        s.frit(lambda a: mx.cumsum(a, axis=axis), x)
        s.jax(lambda a: jax.numpy.cumsum(a, axis=axis), x)
        s.torch(lambda a: torch.cumsum(a, axis), x)
        s.copy(2 * 4096 * 4096 * 4)
    return make


def sort(name, *shape):
    def make(s):
        x = draw(*shape)
        s.frit(lambda a: getattr(mx, name)(a, axis=-1), x)
        s.numpy(lambda: getattr(np, name)(x, axis=-1))
        s.torch(lambda a: getattr(torch, name)(a, dim=-1), x)
    return make


def topk(s):
    x = draw(1024, 50257)
    s.frit(lambda a: mx.topk(a, 50, axis=-1), x)
    s.numpy(lambda: np.sort(np.partition(x, -50, axis=-1)[:, -50:], axis=-1))
    s.torch(lambda a: torch.topk(a, 50, dim=-1)[0], x)
    s.read(x.nbytes)


def convolution(kind, kernel, dtype="float32", groups=1):
    """kind: forward, input or weight, the gradient for that operand."""
    def make(s):
        channels, features = (64, 128) if groups == 1 else (groups, groups)
        pad = kernel // 2
        x, w, g = draw(8, 56, 56, channels), draw(features, kernel, kernel, channels // groups), draw(8, 56, 56, features)

        def of(conv, gradient, x, w, g):
            if kind == "forward":
                return conv(x, w)
            return gradient((lambda v: conv(v, w)) if kind == "input" else (lambda v: conv(x, v)), x if kind == "input" else w, g)

        cast = [mx.array(a).astype(getattr(mx, dtype)) for a in (x, w, g)]
        mx.eval(cast)
        own = lambda x, w: mx.conv2d(x, w, padding=pad, groups=groups)
        s.frit(lambda *a: of(own, lambda f, v, g: mx.vjp(f, [v], [g])[1][0], *a), *cast)
        if jax:
            layout = ("NHWC", "OHWI", "NHWC")
            more = {"dimension_numbers": layout, "feature_group_count": groups}
            conv = lambda x, w: jax.lax.conv_general_dilated(x, w, (1, 1), [(pad, pad)] * 2, **more)
            s.jax(lambda *a: of(conv, lambda f, v, g: jax.vjp(f, v)[1](g)[0], *a), *[jax.numpy.asarray(a, dtype) for a in (x, w, g)])
        if torch:
            lay = lambda a: torch.from_numpy(a).to(getattr(torch, dtype)).permute(0, 3, 1, 2)
            t = [lay(a) for a in (x, w, g)]
            library = lambda x, w: torch.nn.functional.conv2d(x, w, padding=pad, groups=groups)
            if kind == "forward":
                s.torch(library, *t[:2])
            else:
                mask = [kind == "input", kind == "weight", False]
                back = torch.ops.aten.convolution_backward
                s.torch(lambda x, w, g: back(g, x, w, None, [1, 1], [pad, pad], [1, 1], False, [0, 0], groups, mask), *t)
    return make


def fft_1m(s):
    x = (draw(1 << 20) + 1j * draw(1 << 20)).astype(np.complex64)
    s.frit(mx.fft.fft, x)
    if fft:
        s.numpy(lambda: fft.fft(x, workers=THREADS), "scipy")


def rfft_rows(s):
    x = draw(4096, 4096)
    s.frit(mx.fft.rfft, x)
    if fft:
        s.numpy(lambda: fft.rfft(x, workers=THREADS), "scipy")


def random(kind):
    def make(s):
        n = 1 << 26
        key = mx.random.key(1)
        if kind == "dropout":
            x = mx.ones(n)
            s.frit(lambda x, k: mx.where(mx.random.bernoulli(0.9, x.shape, key=k), x / 0.9, 0) + 1.0, x, key)
            s.copy(2 * n * 4)
        elif kind == "bernoulli":
            s.frit(lambda k: mx.random.bernoulli(0.5, [n], key=k), key)
            s.fill(n)
        else:
            s.frit(lambda k: getattr(mx.random, kind)(shape=[n], key=k), key)
            s.fill(4 * n)
        if jax and kind != "dropout":
            draws = {"normal": lambda k: jax.random.normal(k, [n]), "uniform": lambda k: jax.random.uniform(k, [n]),
                     "bernoulli": lambda k: jax.random.bernoulli(k, 0.5, [n])}[kind]
            s.jax(draws, np.array([0, 1], np.uint32))
        if torch and kind != "dropout":
            out = torch.empty(n)
            s.torch({"normal": out.normal_, "uniform": out.uniform_, "bernoulli": lambda: out.bernoulli_(0.5)}[kind])
    return make


def quantised(rows):
    def make(s):
        w = mx.quantize(mx.array(draw(14336, 4096)), group_size=64, bits=4)
        x = draw(rows, 4096)
        s.frit(lambda x, w, k, b: mx.quantized_matmul(x, w, k, b, transpose=True, group_size=64, bits=4), x, *w)
        if rows == 1:
            s.read(sum(a.nbytes for a in w))
        else:
            a, b = mx.array(x), mx.array(draw(14336, 4096))
            product = mx.compile(lambda a, b: a @ b.T)
            s.run["limit"] = lambda: mx.eval(product(a, b))
    return make


def attention(queries, heads, keys, dtype):
    def make(s):
        q, k, v = draw(1, 32, queries, 128), draw(1, heads, keys, 128), draw(1, heads, keys, 128)
        causal, scale = queries > 1, 128**-0.5
        given = [mx.array(a).astype(getattr(mx, dtype)) for a in (q, k, v)]
        mx.eval(given)
        s.frit(lambda q, k, v: mx.fast.scaled_dot_product_attention(q, k, v, scale=scale, mask="causal" if causal else None), *given)
        if jax:
            turned = [jax.numpy.asarray(np.swapaxes(a, 1, 2), dtype) for a in (q, k, v)]
            s.jax(lambda q, k, v: jax.nn.dot_product_attention(q, k, v, scale=scale, is_causal=causal), *turned)
        if torch:
            t = [torch.from_numpy(a).to(getattr(torch, dtype)) for a in (q, k, v)]
            options = {"is_causal": causal, "scale": scale, "enable_gqa": heads < 32}
            s.torch(lambda q, k, v: torch.nn.functional.scaled_dot_product_attention(q, k, v, **options), *t)
        if not causal:
            s.read(2 * given[1].nbytes)
    return make


WORK = {
    "look-up of 8192 rows of (32000, 4096)": look_up,
    "take_along_axis of (4096, 4096)": take_along_axis,
    "scatter_add of 10^6 rows of 64 to 10^5": scatter_add,
    "cumsum along axis 0 of (4096, 4096)": cumsum(0),
    "cumsum along axis 1 of (4096, 4096)": cumsum(1),
    "sort of 2^24": sort("sort", 1 << 24),
    "sort of 4096 rows of 4096": sort("sort", 4096, 4096),
    "argsort of 2^24": sort("argsort", 1 << 24),
    "argsort of 4096 rows of 4096": sort("argsort", 4096, 4096),
    "topk 50 of (1024, 50257)": topk,
    "conv2d 3x3": convolution("forward", 3),
    "conv2d 3x3, bf16": convolution("forward", 3, "bfloat16"),
    "conv2d 3x3, gradient for the input": convolution("input", 3),
    "conv2d 3x3, gradient for the weight": convolution("weight", 3),
    "conv2d 3x3, depthwise": convolution("forward", 3, groups=64),
    "conv2d 1x1": convolution("forward", 1),
    "fft of 2^20 complex64": fft_1m,
    "rfft of 4096 rows of 4096": rfft_rows,
    "normal(2^26)": random("normal"),
    "uniform(2^26)": random("uniform"),
    "bernoulli(2^26)": random("bernoulli"),
    "dropout of 2^26": random("dropout"),
    "quantised product, 1 row": quantised(1),
    "quantised product, 512 rows": quantised(512),
    "attention 32x1024x128, causal, f32": attention(1024, 32, 1024, "float32"),
    "attention 32x1024x128, causal, bf16": attention(1024, 32, 1024, "bfloat16"),
    "decode, 4096 keys, 8 of 32 heads, f32": attention(1, 8, 4096, "float32"),
    "decode, 4096 keys, 8 of 32 heads, bf16": attention(1, 8, 4096, "bfloat16"),
}


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--only", default="")
    options.add_argument("--rounds", type=int, default=7)
    args = options.parse_args()
    for name, make in WORK.items():
        if not re.search(args.only, name):
            continue
        s = Sides()
        make(s)
        least, clock = {}, time.process_time if THREADS == 1 else time.perf_counter
        for turn in range(args.rounds + 1):  # the first one warms up
            for side, run in s.run.items():
                begin = clock()
                kept = run()
                took = clock() - begin
                del kept
                if turn:
                    least[side] = min(took, least.get(side, took))
        own = least["frit"]
        others = ", ".join(f"{side} {1e3 * t:.3g} ms (frit / it {own / t:.2f})" for side, t in least.items() if side != "frit")
        print(f"{name}: frit {1e3 * own:.3g} ms; {others}", flush=True)


main()
