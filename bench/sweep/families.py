"""The families of work that a sweep draws from: each draw has a name, inputs, a function and what it must move and compute.

A family is a function of a random generator. Its work is written once over the functions of a library's adapter
(libraries.py); frit runs all of it, and a peer what its adapter can.
"""
import math
from dataclasses import dataclass, field

import numpy as np

FAMILIES = {}
FLOATS = ["float32", "float32", "float16", "bfloat16"]
LARGER = 1  # sizes of a machine with more of everything; 1 keeps the draws of the tables
SIZES = {"float32": 4, "float16": 2, "bfloat16": 2, "float64": 8, "int32": 4, "uint8": 1}


@dataclass
class Work:
    name: str
    inputs: list            # (numpy array, type)
    run: object             # run(lib, *arrays)
    bytes: float            # read and written, once each
    flops: float = 0        # of products: two for each multiplication
    operations: float = 0   # of other arithmetic on vectors
    type: str = "float32"
    peers: bool = True
    library: object = None  # the work as one call of a library that has it
    seed_of: str = field(default="")


def family(make):
    FAMILIES[make.__name__] = make
    return make


def length(rng, low, high, odd=0.5):
    """A length between two, even on a logarithmic scale; every other one divides by nothing."""
    n = int(round(2 ** rng.uniform(math.log2(low), math.log2(high))))
    if rng.random() >= odd and n > 64:
        n -= n % (1 << int(rng.integers(3, 7)))
    return max(low, n)


def elements(rng):
    return int(LARGER * 2 ** rng.uniform(20, 24.5))


def matrix(rng, low=1, high=1 << 20):
    """Rows and columns of a matrix of a million elements or more, of any form between one row and one column."""
    n = elements(rng)
    columns = length(rng, low, min(high, n))
    return max(1, n // columns), columns


def numbers(rng, shape, dtype="float32", low=-1.0, high=1.0):
    if dtype in ("int32", "uint8"):
        return rng.integers(0, 100, shape).astype(dtype), dtype
    return (rng.random(shape, dtype=np.float32) * (high - low) + low).astype(np.float32), dtype


def indices(rng, high, shape):
    return rng.integers(0, high, shape).astype(np.int32), "int32"


def words(rng, shape):
    return rng.integers(0, 1 << 32, shape, dtype=np.uint32), "uint32"


def count(*shape):
    return float(np.prod(shape, dtype=np.float64))


def draw_type(rng):
    return FLOATS[rng.integers(len(FLOATS))]


def unary_functions():
    return {
        "gelu": (25, lambda l, x: x * (l.erf(x * 0.7071067811865476) + 1) * 0.5),
        "gelu_tanh": (25, lambda l, x: 0.5 * x * (1 + l.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))),
        "silu": (15, lambda l, x: x * l.sigmoid(x)),
        "exp": (12, lambda l, x: l.exp(x)),
        "log1p_abs": (15, lambda l, x: l.log(l.abs(x) + 1)),
        "cubic": (6, lambda l, x: ((x * 0.5 + 1) * x - 2) * x),
        "relu_square": (3, lambda l, x: l.maximum(x, l.zero(x)) * x),
        "root": (6, lambda l, x: l.sqrt(l.abs(x) + 0.5)),
        "tanh": (18, lambda l, x: l.tanh(x)),
        "sin_cos": (30, lambda l, x: l.sin(x) + l.cos(x)),
    }


@family
def elementwise(rng):
    kinds = unary_functions()
    kind = sorted(kinds)[rng.integers(len(kinds))]
    operations, fn = kinds[kind]
    dtype, shape = draw_type(rng), matrix(rng)
    n = count(*shape)
    return Work(f"{kind} {dtype} {shape}", [numbers(rng, shape, dtype)], fn, 2 * n * SIZES[dtype],
                operations=n * operations, type=dtype)


@family
def binary(rng):
    dtype, (rows, columns) = draw_type(rng), matrix(rng)
    form = ["same", "row", "column"][rng.integers(3)]
    other = {"same": (rows, columns), "row": (columns,), "column": (rows, 1)}[form]
    kind = ["multiply_add", "gate", "difference"][rng.integers(3)]
    fn = {"multiply_add": lambda l, x, y: x * y + y, "gate": lambda l, x, y: x * l.sigmoid(y),
          "difference": lambda l, x, y: l.abs(x - y)}[kind]
    n = rows * columns
    moved = (2 * n + count(*other)) * SIZES[dtype]
    operations = n * 15 if kind == "gate" and form == "same" else 2 * n
    return Work(f"{kind} {form} {dtype} {(rows, columns)}", [numbers(rng, (rows, columns), dtype),
                numbers(rng, other, dtype)], fn, moved, operations=operations, type=dtype)


@family
def chain(rng):
    inputs, columns = int(rng.integers(3, 60)), length(rng, 1 << 16, 1 << 20)
    def run(l, *xs):
        y = xs[0]
        for i, x in enumerate(xs[1:]):
            y = y * 0.5 + x if i % 2 else y - x * 0.25
        return y
    return Work(f"chain of {inputs} float32 {columns}", [numbers(rng, (columns,)) for _ in range(inputs)], run,
                (inputs + 1) * 4 * columns, operations=2 * columns * inputs)


@family
def reduction(rng):
    dtype = draw_type(rng)
    kind = ["sum", "max", "mean", "sum_squares", "var", "argmax"][rng.integers(6)]
    form = rng.integers(4)
    if form == 0:
        shape, axis = matrix(rng, 1, 1 << 20), 1
    elif form == 1:
        shape, axis = matrix(rng, 1, 1 << 16), 0
    elif form == 2:
        rows, columns = matrix(rng, 32, 1 << 14)
        outer = max(1, int(2 ** rng.uniform(0, math.log2(max(rows, 2)))))
        shape, axis = (outer, max(1, rows // outer), columns), 1
    else:
        shape, axis = (elements(rng),), 0
    fns = {"sum": lambda l, x: l.sum(x, axis), "max": lambda l, x: l.max(x, axis), "mean": lambda l, x: l.mean(x, axis),
           "sum_squares": lambda l, x: l.sum(x * x, axis), "var": lambda l, x: l.var(x, axis),
           "argmax": lambda l, x: l.argmax(x, axis)}
    n = count(*shape)
    return Work(f"{kind} axis {axis} {dtype} {shape}", [numbers(rng, shape, dtype)], fns[kind],
                n * SIZES[dtype] + n / shape[axis] * SIZES[dtype], operations=n * (3 if kind == "var" else 2), type=dtype)


@family
def rows(rng):
    dtype = draw_type(rng)
    kind = ["softmax", "logsumexp", "rms_norm", "layer_norm", "layer_norm_weights", "rms_norm_weights"][rng.integers(6)]
    shape = matrix(rng, 2, 1 << 17)
    n, weight = count(*shape), numbers(rng, (shape[1],))
    def norm(l, x):
        y = l.cast(x, "float32")
        d = y - l.mean_keep(y)
        return d * l.rsqrt(l.mean_keep(d * d) + 1e-5)
    def rms(l, x):
        y = l.cast(x, "float32")
        return y * l.rsqrt(l.mean_keep(y * y) + 1e-5)
    fns = {"softmax": lambda l, x: l.softmax(x, 1), "logsumexp": lambda l, x: l.logsumexp(x, 1),
           "rms_norm": lambda l, x: l.cast(rms(l, x), dtype), "layer_norm": lambda l, x: l.cast(norm(l, x), dtype),
           "layer_norm_weights": lambda l, x, w, b: l.cast(norm(l, x) * l.cast(w, "float32") + b, dtype),
           "rms_norm_weights": lambda l, x, w: l.cast(rms(l, x) * (1 + w), dtype)}
    extra = {"layer_norm_weights": [weight, weight], "rms_norm_weights": [weight]}.get(kind, [])
    written = 0 if kind == "logsumexp" else n
    operations = n * {"softmax": 20, "logsumexp": 16}.get(kind, 6)
    return Work(f"{kind} {dtype} {shape}", [numbers(rng, shape, dtype)] + extra, fns[kind],
                (n + written) * SIZES[dtype], operations=operations, type=dtype)


@family
def columns(rng):
    dtype, kind = draw_type(rng), ["softmax", "norm", "cumsum"][rng.integers(3)]
    shape, axis = matrix(rng, 16, 1 << 14), 0
    n = count(*shape)
    def norm(l, x):
        d = x - l.mean(x, 0)
        return d * l.rsqrt(l.mean(d * d, 0) + 1e-5)
    fns = {"softmax": lambda l, x: l.softmax(x, axis), "norm": norm, "cumsum": lambda l, x: l.cumsum(x, axis)}
    return Work(f"{kind} axis 0 {dtype} {shape}", [numbers(rng, shape, dtype)], fns[kind], 2 * n * SIZES[dtype],
                operations=n * (20 if kind == "softmax" else 6), type=dtype)


@family
def layout(rng):
    dtype = [*FLOATS, "uint8", "int32"][rng.integers(6)]
    kind = ["transpose", "reverse_axes", "swap_heads", "concatenate", "repeat", "tile", "slice", "pad", "flip"][
        rng.integers(9)]
    a, b = matrix(rng, 8, 1 << 14)
    size = SIZES[dtype]
    if kind == "transpose":
        work, inputs, moved = (lambda l, x: l.copy(l.transpose(x, (1, 0)))), [(a, b)], 2 * a * b
    elif kind in ("reverse_axes", "swap_heads"):
        c = length(rng, 8, 256)
        d = max(1, a * b // c // (e := length(rng, 8, 512)))
        axes = (2, 1, 0) if kind == "reverse_axes" else (1, 0, 2)
        work, inputs, moved = (lambda l, x: l.copy(l.transpose(x, axes))), [(d, e, c)], 2 * c * d * e
    elif kind == "concatenate":
        parts = int(rng.integers(2, 12))
        widths = [length(rng, 4, 300) for _ in range(parts)]
        r = max(1, a * b // sum(widths))
        work, inputs, moved = (lambda l, *xs: l.concatenate(xs, 1)), [(r, w) for w in widths], 2 * r * sum(widths)
    elif kind == "repeat":
        k, axis = int(rng.integers(2, 9)), int(rng.integers(2))
        shape = (max(1, a // k), b)
        work, inputs, moved = (lambda l, x: l.repeat(x, k, axis)), [shape], (1 + k) * count(*shape)
    elif kind == "tile":
        k, m = int(rng.integers(1, 5)), int(rng.integers(1, 5))
        shape = (max(1, a // (k * m)), b)
        work, inputs, moved = (lambda l, x: l.copy(l.tile(x, (k, m)))), [shape], (1 + k * m) * count(*shape)
    elif kind == "slice":
        work, inputs, moved = (lambda l, x: l.copy(x[1:, 3:])), [(a + 1, b + 3)], 2 * a * b
    elif kind == "pad":
        work, inputs, moved = (lambda l, x: l.pad(x, ((1, 2), (3, 1)))), [(a, b)], 2 * a * b
    else:
        work, inputs, moved = (lambda l, x: l.flip(x, 1)), [(a, b)], 2 * a * b
    return Work(f"{kind} {dtype} {inputs if len(inputs) < 4 else inputs[0]} n={len(inputs)}",
                [numbers(rng, s, dtype) for s in inputs], work, float(moved) * size, type=dtype)


@family
def indexing(rng):
    dtype, kind = draw_type(rng), ["take", "take_along", "scatter_add"][rng.integers(3)]
    width = length(rng, 8, 4096)
    table, n = length(rng, 1000, 40000), max(1, elements(rng) // width)
    table = min(table, (1 << 26) // width)
    size = SIZES[dtype]
    if kind == "take_along":
        a, b = matrix(rng, 32, 1 << 14)
        where = indices(rng, b, (a, b))
        return Work(f"take_along {dtype} {(a, b)}", [numbers(rng, (a, b), dtype), where],
                    lambda l, x, i: l.take_along(x, i, 1), a * b * (2.0 * size + 4), operations=a * b * 8.0, type=dtype)
    where = indices(rng, table, (n,))
    x = numbers(rng, (table, width), dtype)
    if kind == "take":
        return Work(f"take {dtype} {n} of {(table, width)}", [x, where], lambda l, x, i: l.take(x, i),
                    2.0 * n * width * size, type=dtype)
    return Work(f"scatter_add {dtype} {n} to {(table, width)}", [x, where, numbers(rng, (n, width), dtype)],
                lambda l, x, i, u: l.scatter_add(x, i, u), (3.0 * n + 2.0 * table) * width * size, type=dtype)


@family
def product(rng):
    dtype = [*FLOATS, "float64"][rng.integers(5)]
    form = rng.integers(4)
    m, n, k = (length(rng, 128, 1600 * (LARGER + 1) // 2) for _ in range(3))
    if form == 0:
        m = length(rng, 1, 32)
        n, k = length(rng, 1024, 6000), length(rng, 1024, 6000)
    batch = length(rng, 2, 64) if form == 1 else 1
    if batch > 1:
        m, n, k = (length(rng, 16, 256) for _ in range(3))
    turned = bool(rng.integers(2))
    lead = (batch,) if batch > 1 else ()
    other = lead + ((n, k) if turned else (k, n))
    def run(l, x, y):
        return l.matmul(x, l.swap(y) if turned else y)
    size = SIZES[dtype]
    return Work(f"product{' transposed' if turned else ''} {dtype} {batch}x{m}x{k}x{n}",
                [numbers(rng, lead + (m, k), dtype), numbers(rng, other, dtype)], run,
                float(batch) * (m * k + k * n + m * n) * size, flops=2.0 * batch * m * n * k, type=dtype)


@family
def attention(rng):
    dtype = draw_type(rng)
    heads, width = int(rng.integers(1, 33)), int(2 ** rng.integers(5, 8))
    keys = length(rng, 128, 2048 * (LARGER + 1) // 2)
    queries = [1, keys][rng.integers(2)]
    causal, library = bool(rng.integers(2)) and queries > 1, bool(rng.integers(2))
    scale = 1 / math.sqrt(width)
    def run(l, q, k, v):
        if library:
            return l.attention(q, k, v, scale, causal)
        scores = l.matmul(q * scale, l.swap(k))
        if causal:
            scores = l.causal(scores)
        return l.matmul(l.softmax(scores, 3), v)
    shape = (1, heads, keys, width)
    part = 0.5 if causal else 1.0
    n = float(heads) * queries * keys
    return Work(f"attention {'library' if library else 'composed'}{' causal' if causal else ''} {dtype} "
                f"{heads}x{queries}x{keys}x{width}",
                [numbers(rng, (1, heads, queries, width), dtype), numbers(rng, shape, dtype), numbers(rng, shape, dtype)],
                run, 2.0 * heads * (keys + queries) * width * SIZES[dtype], flops=4.0 * n * width * part,
                operations=n * 14 * part, type=dtype, library=lambda l, q, k, v: l.attention(q, k, v, scale, causal))


@family
def convolution(rng):
    dtype = draw_type(rng)
    form = ["dense", "depthwise", "pointwise"][rng.integers(3)]
    channels, features = length(rng, 16, 192), length(rng, 16, 192)
    side, batch = length(rng, 14, 64), int(rng.integers(1, 9))
    k = 1 if form == "pointwise" else int(rng.choice([3, 3, 5]))
    groups = channels if form == "depthwise" else 1
    features = channels if form == "depthwise" else features
    stride = int(rng.choice([1, 1, 2])) if form != "depthwise" else 1
    out = (side + 2 * (k // 2) - k) // stride + 1
    flops = 2.0 * batch * out * out * features * k * k * channels / groups
    return Work(f"conv {form} {k}x{k}/{stride} {dtype} {batch}x{side}x{side}x{channels} to {features}",
                [numbers(rng, (batch, side, side, channels), dtype), numbers(rng, (features, k, k, channels // groups), dtype)],
                lambda l, x, w: l.conv2d(x, w, stride, k // 2, groups),
                (count(batch, side, side, channels) + count(batch, out, out, features)) * SIZES[dtype],
                flops=flops if form != "depthwise" else 0, operations=flops / 2 if form == "depthwise" else 0, type=dtype)


@family
def scan(rng):
    dtype, kind = draw_type(rng), ["cumsum", "cummax"][rng.integers(2)]
    shape = matrix(rng, 16, 1 << 20) if rng.integers(2) else (elements(rng),)
    n = count(*shape)
    fn = (lambda l, x: l.cumsum(x, len(shape) - 1)) if kind == "cumsum" else (lambda l, x: l.cummax(x, len(shape) - 1))
    return Work(f"{kind} {dtype} {shape}", [numbers(rng, shape, dtype)], fn, 2 * n * SIZES[dtype], operations=2 * n,
                type=dtype)


@family
def quantized(rng):
    bits, group = int(rng.choice([2, 3, 4, 4, 5, 6, 8])), int(rng.choice([32, 64, 128]))
    m = int(rng.choice([1, 1, 4, 16, 128, 512]))
    k, n = 128 * length(rng, 4, 64), 32 * length(rng, 16, 256)
    def run(l, x, w, scales, biases):
        return l.mx.quantized_matmul(x, w, scales, biases, transpose=True, group_size=group, bits=bits)
    inputs = [numbers(rng, (m, k)), words(rng, (n, k * bits // 32)), numbers(rng, (n, k // group)), numbers(rng, (n, k // group))]
    return Work(f"quantized {bits} bits by {group} {m}x{k}x{n}", inputs, run,
                n * k * bits / 8 + 8.0 * n * k / group + 4.0 * m * (n + k), flops=2.0 * m * n * k,
                # Inputs are float32, so each code is at least moved to its place and converted, for all rows together.
                operations=2.0 * n * k, peers=False)
