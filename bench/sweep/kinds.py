"""Families by the kind of operation: `sweep.py --family kinds` draws from all of them.

Each draws one function of a group, over all element types that it takes: conversions, integers, complex numbers, math
functions, sorts, Fourier transforms, random numbers. families.py describes a draw.
"""
import math

import numpy as np

from families import SIZES, Work, count, draw_type, elements, indices, length, matrix
from more import pick

KINDS = {}
INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
ALL_FLOATS = ["float32", "float16", "bfloat16", "float64"]
SIZES.update({"int8": 1, "int16": 2, "uint16": 2, "uint32": 4, "int64": 8, "uint64": 8, "bool_": 1, "complex64": 8})


def family(make):
    KINDS[make.__name__] = make
    return make


def values(rng, shape, dtype, low=-1.0, high=1.0):
    """Numbers of any type: integers between 1 and 100 (signed ones also negative), floats between the bounds."""
    if dtype == "bool_":
        return rng.integers(0, 2, shape).astype(bool), dtype
    if dtype == "complex64":
        return (rng.random(shape, np.float32) + 1j * rng.random(shape, np.float32)).astype(np.complex64), dtype
    if dtype in INTEGERS:
        x = rng.integers(1, 100, shape)
        return (x if dtype[0] == "u" else x * rng.choice([-1, 1], shape)).astype(dtype), dtype
    return (rng.random(shape, np.float32) * (high - low) + low).astype(np.float32), dtype


@family
def conversions(rng):
    types = [*INTEGERS, *ALL_FLOATS, "bool_"]
    a, b, shape = pick(rng, types), pick(rng, types), matrix(rng)
    n = count(*shape)
    return Work(f"cast {a} to {b} {shape}", [values(rng, shape, a, -90, 90)],
                lambda l, x: l.cast(x, b) if a != b else l.copy(x),
                n * (SIZES[a] + SIZES[b]), operations=2 * n, type=b)


@family
def integer_functions(rng):
    dtype, shape = pick(rng, INTEGERS), matrix(rng)
    fns = {"floor_divide": lambda l, x, y: x // y, "remainder": lambda l, x, y: x % y, "by_constant": lambda l, x,
           y: x // 7,
           "modulo_constant": lambda l, x, y: x % 10, "power": lambda l, x, y: x ** 3, "product": lambda l, x,
           y: x * y + x,
           "shift": lambda l, x, y: (x << 2) ^ (x >> 1), "absolute": lambda l, x, y: abs(x) & y}
    kind = sorted(fns)[rng.integers(len(fns))]
    two = kind in ("floor_divide", "remainder", "product", "absolute")
    n = count(*shape)
    return Work(f"{kind} {dtype} {shape}", [values(rng, shape, dtype), values(rng, shape, dtype)], fns[kind],
                n * SIZES[dtype] * (3 if two else 2),
                operations=n * (SIZES[dtype] * 3 if kind in ("floor_divide", "remainder") else 4),
                type=dtype)


@family
def float_division(rng):
    dtype, shape = pick(rng, ALL_FLOATS), matrix(rng)
    fns = {"floor_divide": lambda l, x, y: x // y, "remainder": lambda l, x, y: x % y, "divide": lambda l, x, y: x / y,
           "modulo_constant": lambda l, x, y: x % 0.3 + y}
    kind = sorted(fns)[rng.integers(len(fns))]
    n = count(*shape)
    return Work(f"{kind} {dtype} {shape}", [values(rng, shape, dtype, -9, 9), values(rng, shape, dtype, 0.5, 3)],
                fns[kind],
                3 * n * SIZES[dtype], operations=n * (12 if kind != "divide" else 6), type=dtype)


@family
def integer_rows(rng):
    dtype, shape, axis = pick(rng, INTEGERS), matrix(rng), int(rng.integers(2))
    kind = pick(rng, ["sum", "max", "argmax", "argmin", "cumsum", "cummax", "prod"])
    fns = {"sum": lambda l, x: l.sum(x, axis), "max": lambda l, x: l.max(x, axis),
           "argmax": lambda l, x: l.argmax(x, axis),
           "argmin": lambda l, x: l.argmin(x, axis), "cumsum": lambda l, x: l.cumsum(x, axis),
           
           "cummax": lambda l, x: l.cummax(x, axis), "prod": lambda l, x: l.prod(x, axis)}
    n = count(*shape)
    return Work(f"{kind} axis {axis} {dtype} {shape}", [values(rng, shape, dtype)], fns[kind],
                n * SIZES[dtype] * (2 if kind.startswith("cum") else 1) + 8 * n / shape[axis], operations=2 * n,
                type=dtype)


@family
def extremes(rng):
    dtype, n, whole = pick(rng, ALL_FLOATS), elements(rng), bool(rng.integers(2))
    shape, kind = (int(rng.integers(1, 9)), n // 8) if whole else (n,), pick(rng, ["argmax", "argmin"])
    return Work(f"{kind} last axis {dtype} {shape}", [values(rng, shape, dtype)],
                lambda l, x: (l.argmax if kind == "argmax" else l.argmin)(x, len(shape) - 1),
                count(*shape) * SIZES[dtype],
                operations=2 * count(*shape), type=dtype)


@family
def logic(rng):
    shape, kind = matrix(rng), pick(rng, ["and_not", "any", "all", "count", "compare", "where_row", "where_column",
                                          "isfinite"])
    dtype = draw_type(rng) if kind in ("compare", "where_row", "where_column", "isfinite") else "bool_"
    n, axis = count(*shape), int(rng.integers(2))
    other = {"where_row": (shape[1],), "where_column": (shape[0], 1)}.get(kind, shape)
    fns = {"and_not": lambda l, x, y: (x & ~y) | (x ^ y), "any": lambda l, x, y: l.any(x & y, axis),
           "all": lambda l, x, y: l.all(x | y, axis), "count": lambda l, x, y: l.sum(l.cast(x & y, "int32"), axis),
           "compare": lambda l, x, y: (x > y) & (x < 0.5), "where_row": lambda l, x, y: l.where(y > 0, x, x * 0.5),
           "where_column": lambda l, x, y: l.where(y > 0, x, y), "isfinite": lambda l, x, y: l.isfinite(x * y)}
    written = {"any": n / shape[axis], "all": n / shape[axis], "count": 4 * n / shape[axis]}.get(
        kind, n * SIZES[dtype] if "where" in kind else n)
    return Work(f"{kind} axis {axis} {dtype} {shape}", [values(rng, shape, dtype), values(rng, other, dtype)],
                fns[kind],
                (n + count(*other)) * SIZES[dtype] + written, operations=4 * n, type=dtype)


@family
def complex_numbers(rng):
    shape = matrix(rng)
    fns = {"product": (2, 6, lambda l, x: x * x + x), "quotient": (2, 20, lambda l, x: x / (x + 2)),
           "abs": (1.5, 10, lambda l, x: l.abs(x)),
           "exp": (2, 60, lambda l, x: l.exp(x)), "conj": (2, 3, lambda l, x: l.conj(x) * x),
           "parts": (1.5, 3, lambda l, x: l.real(x) + l.imag(x)), "rows": (1, 2, lambda l, x: l.sum(x, 1)),
           "columns": (1, 2, lambda l, x: l.sum(x, 0)), "sqrt": (2, 40, lambda l, x: l.sqrt(x))}
    kind = sorted(fns)[rng.integers(len(fns))]
    moved, operations, fn = fns[kind]
    n = count(*shape)
    return Work(f"complex {kind} {shape}", [values(rng, shape, "complex64")], fn, moved * 8 * n,
                operations=operations * n)


@family
def functions(rng):
    dtype, shape = pick(rng, ALL_FLOATS), matrix(rng, 64, 4096)
    fns = {"asinh": (-3, 3, 30), "acosh": (1, 9, 30), "atanh": (-.9, .9, 30), "asin": (-1, 1, 25), "acos": (-1, 1, 25),
           "atan": (-3, 3, 25), "sinh": (-3, 3, 25), "cosh": (-3, 3, 25), "tan": (-3, 3, 30), "log2": (0.1, 3, 18),
           "log10": (.1, 3, 18),
           "log1p": (-.5, 3, 20), "expm1": (-3, 3, 20), "erf": (-3, 3, 25), "erfinv": (-.9, .9, 35),
           "log": (0.1, 3, 16),
           "sin": (-3, 3, 20), "tanh": (-3, 3, 20), "sigmoid": (-3, 3, 15), "cbrt": (.1, 3, 40), "atan2": (.1, 3, 30),
           "logaddexp": (-3, 3, 35)}
    kind = sorted(fns)[rng.integers(len(fns))]
    low, high, operations = fns[kind]
    special = {"cbrt": lambda l, x: x ** (1 / 3), "atan2": lambda l, x: l.atan2(x, x + 1), "logaddexp": lambda l,
               x: l.logaddexp(x, x * 0.5)}
    n = count(*shape)
    return Work(f"{kind} {dtype} {shape}", [values(rng, shape, dtype, low, high)],
                special.get(kind, lambda l, x: getattr(l, kind)(x)),
                2 * n * SIZES[dtype], operations=n * operations * (2.5 if dtype == "float64" else 1), type=dtype)


@family
def running(rng):
    dtype, (rows, columns) = draw_type(rng), matrix(rng, 4, 1 << 12)
    kind, axis, k = (pick(rng, ["cumprod", "cumsum", "cummin", "logcumsumexp"]), int(rng.integers(3)),
                     length(rng, 4, 200))
    shape = (max(1, rows // k), k, columns)
    n = count(*shape)
    return Work(f"{kind} axis {axis} {dtype} {shape}", [values(rng, shape, dtype, 0.5, 1.5)],
                lambda l, x: getattr(l, kind)(x, axis), 2 * n * SIZES[dtype],
                operations=n * (30 if "log" in kind else 2), type=dtype)


@family
def sorts(rng):
    dtype = pick(rng, ["float32", "float16", "bfloat16", "int32", "int64", "uint8"])
    kind = pick(rng, ["sort", "argsort", "partition", "topk"])
    columns = length(rng, 8, 1 << 14)
    shape = (max(1, elements(rng) // 4 // columns), columns)
    k = max(1, int(columns * rng.uniform(0.02, 0.4)))
    fns = {"sort": lambda l, x: l.sort(x, 1), "argsort": lambda l, x: l.argsort(x, 1), "partition": lambda l,
           x: l.partition(x, k, 1),
           "topk": lambda l, x: l.topk(x, k, 1)}
    n = count(*shape)
    operations = n * (2 * math.log2(columns) if "sort" in kind else 8)
    return Work(f"{kind} {k if 'sort' not in kind else ''} {dtype} {shape}", [values(rng, shape, dtype)], fns[kind],
                n * SIZES[dtype] * 2,
                operations=operations * (2 if kind == "argsort" else 1), type=dtype)


@family
def transforms(rng):
    kind, k = pick(rng, ["fft", "rfft"]), length(rng, 8, 4000)
    shape = (max(1, elements(rng) // 2 // k), k)
    n = count(*shape)
    return Work(f"{kind} {shape}", [values(rng, shape, "complex64" if kind == "fft" else "float32")],
                lambda l, x: l.fft(x) if kind == "fft" else l.rfft(x), n * (16 if kind == "fft" else 8),
                operations=n * math.log2(k) * (5 if kind == "fft" else 2.5))


@family
def draws_of_numbers(rng):
    shape, dtype = matrix(rng), draw_type(rng)
    kind = pick(rng, ["uniform", "normal", "bernoulli", "randint", "gumbel", "laplace", "truncated_normal",
                      "categorical"])
    if kind == "categorical":
        shape = (max(1, elements(rng) // 500), 500)
    n = count(*shape)

    def run(l, key):
        r = l.mx.random
        types = {} if kind in ("bernoulli", "randint", "categorical") else {"dtype": getattr(l.mx, dtype)}
        if kind == "bernoulli":
            return r.bernoulli(0.3, shape, key=key)
        if kind == "randint":
            return r.randint(0, 1000, shape, key=key)
        if kind == "categorical":
            return r.categorical(l.mx.zeros(shape), key=key)
        if kind == "truncated_normal":
            return r.truncated_normal(l.mx.array(-2.0), l.mx.array(2.0), shape, key=key, **types)
        return getattr(r, kind)(shape=shape, key=key, **types)
    size = {"bernoulli": 1, "randint": 4, "categorical": 0}.get(kind, SIZES[dtype])
    draws = 40 if kind in ("uniform", "bernoulli", "randint") else 65
    return Work(f"random {kind} {dtype} {shape}", [(np.array([1, 2], np.uint32), "uint32")], run, n * size,
                operations=draws * n, type=dtype,
                peers=False)


@family
def sums_of_products(rng):
    dtype, a, b, c, d = draw_type(rng), *(length(rng, 4, 128) for _ in range(4))
    text, shapes = pick(rng, [("abc,cd->abd", ((a, b, c), (c, d))), ("abc,abd->acd", ((a, b, c), (a, b, d))),
                              ("abc,dbc->ad", ((a, b, c), (d, b, c))), ("ab,ab->a", ((a * d, b * c), (a * d, b * c))),
                              ("abcd,abed->abce", ((a // 4 + 1, b, c, d), (a // 4 + 1, b, c + 1, d))),
                              ("bac,bdc->bad", ((b, a, c), (b, d, c))), ("abc,abc->b", ((a, b, c), (a, b, c)))])
    sizes = dict(zip("".join(text.split("->")[0].split(",")), [n for s in shapes for n in s]))
    out = count(*[sizes[i] for i in text.split("->")[1]])
    return Work(f"einsum {text} {dtype} {shapes}", [values(rng, s, dtype) for s in shapes], lambda l, x,
                y: l.einsum(text, x, y),
                (sum(count(*s) for s in shapes) + out) * SIZES[dtype], flops=2.0 * count(*sizes.values()), type=dtype)


@family
def lines(rng):
    dtype, channels, features = draw_type(rng), length(rng, 4, 192), length(rng, 4, 192)
    long, batch, k = length(rng, 50, 4000), int(rng.integers(1, 9)), int(rng.integers(2, 12))
    depthwise, stride = bool(rng.integers(2)), int(rng.integers(1, 3))
    groups = channels if depthwise else 1
    features = channels if depthwise else features
    out = (long + 2 * (k // 2) - k) // stride + 1
    flops = 2.0 * batch * out * features * k * channels / groups
    form = "depthwise" if depthwise else "dense"
    return Work(f"conv1d {form} {k}/{stride} {dtype} {batch}x{long}x{channels} to {features}",
                [values(rng, (batch, long, channels), dtype), values(rng, (features, k, channels // groups), dtype)],
                lambda l, x, w: l.conv1d(x, w, stride, k // 2, groups),
                (count(batch, long, channels) + count(batch, out, features)) * SIZES[dtype],
                flops=0 if depthwise else flops, operations=flops / 2 if depthwise else 0, type=dtype)


@family
def updates(rng):
    dtype, width, table = draw_type(rng), length(rng, 1, 300), length(rng, 100, 40000)
    n, kind = max(1, elements(rng) // 2 // width), pick(rng, ["set", "max", "multiply", "put_along"])
    if kind == "put_along":
        shape = (max(1, n * width // 500), 500)
        inputs = [values(rng, shape, dtype), indices(rng, 500, (shape[0], 40)), values(rng, (shape[0], 40), dtype)]
        return Work(f"put_along {dtype} {shape} 40", inputs, lambda l, x, i, u: l.mx.put_along_axis(x, i, u, axis=1),
                    2 * count(*shape) * SIZES[dtype], type=dtype, peers=False)
    fns = {"set": lambda l, x, i, u: x.at[i].add(u * 2), "max": lambda l, x, i, u: x.at[i].maximum(u),
           "multiply": lambda l, x, i, u: x.at[i].multiply(u)}
    inputs = [values(rng, (table, width), dtype), indices(rng, table, (n,)), values(rng, (n, width), dtype)]
    return Work(f"update {kind} {dtype} {n} to {(table, width)}", inputs, fns[kind],
                (3.0 * n + 2 * table) * width * SIZES[dtype],
                type=dtype, peers=False)
