"""Families of work beside those of the tables: `sweep.py --family more` draws from all of them.

They have a module of their own, so that a draw of the tables' seeds stays the same work. families.py describes a draw.
"""
import numpy as np

from families import FLOATS, SIZES, Work, count, draw_type, elements, indices, length, matrix, numbers

MORE = {}


def family(make):
    MORE[make.__name__] = make
    return make


def pick(rng, values):
    return values[rng.integers(len(values))]


@family
def selection(rng):
    dtype, shape, steps = draw_type(rng), matrix(rng), int(rng.integers(1, 5))

    def run(l, x, y):
        z = x
        for i in range(steps):
            z = l.where(z > y, x * (0.5 + i), z + y) if i % 2 else l.where(y < 0.25, z, l.maximum(x, y) - z)
        return z
    n = count(*shape)
    return Work(f"{steps} selections {dtype} {shape}", [numbers(rng, shape, dtype), numbers(rng, shape, dtype)], run,
                3 * n * SIZES[dtype], operations=4 * steps * n, type=dtype)


@family
def integers(rng):
    dtype, shape = pick(rng, ["int32", "uint8"]), matrix(rng)
    kind = pick(rng, ["sum", "max", "polynomial", "compare", "widen"])
    n, size = count(*shape), SIZES[dtype]
    fns = {"sum": lambda l, x: l.sum(l.cast(x, "int32"), 1), "max": lambda l, x: l.max(x, 1),
           "polynomial": lambda l, x: (x * 3 + 7) * x, "compare": lambda l, x: l.cast((x > 50), "int32") + l.cast(x < 20, "int32"),
           "widen": lambda l, x: l.cast(x, "float32") * 0.1 + 1}
    written = {"sum": 4 * shape[0], "max": size * shape[0], "polynomial": n * size}.get(kind, 4 * n)
    return Work(f"{kind} {dtype} {shape}", [numbers(rng, shape, dtype)], fns[kind], n * size + written,
                operations=4 * n, type="float32" if kind == "widen" else dtype)


@family
def doubles(rng):
    shape, kind = matrix(rng, 2), pick(rng, ["exp", "softmax", "norm", "sum", "columns", "divide"])
    n = count(*shape)

    def norm(l, x):
        d = x - l.mean_keep(x)
        return d * l.rsqrt(l.mean_keep(d * d) + 1e-5)
    fns = {"exp": lambda l, x: l.exp(x), "softmax": lambda l, x: l.softmax(x, 1), "norm": norm,
           "sum": lambda l, x: l.sum(x * x, 1), "columns": lambda l, x: l.sum(x, 0), "divide": lambda l, x: 1 / (x + 2.5)}
    operations = {"exp": 60, "softmax": 70, "divide": 10}.get(kind, 10)
    return Work(f"{kind} float64 {shape}", [numbers(rng, shape, "float64")], fns[kind],
                8 * n * (1 if kind in ("sum", "columns") else 2), operations=operations * n, type="float64")


@family
def casts(rng):
    shape, a, b, c = matrix(rng), pick(rng, FLOATS), pick(rng, FLOATS), pick(rng, FLOATS)
    n = count(*shape)
    return Work(f"casts {a}+{b} to {c} {shape}", [numbers(rng, shape, a), numbers(rng, shape, b)],
                lambda l, x, y: l.cast(l.cast(x, "float32") * 2 + l.cast(y, "float32"), c),
                n * (SIZES[a] + SIZES[b] + SIZES[c]), operations=6 * n, type=c)


@family
def two_norms(rng):
    dtype, shape = draw_type(rng), matrix(rng, 2, 1 << 14)
    n = count(*shape)

    def run(l, x, y):
        z = l.cast(x, "float32") + l.cast(y, "float32")
        d = z - l.mean_keep(z)
        z = d * l.rsqrt(l.mean_keep(d * d) + 1e-5)
        return l.cast(z * l.rsqrt(l.mean_keep(z * z) + 1e-5), dtype)
    return Work(f"two norms {dtype} {shape}", [numbers(rng, shape, dtype), numbers(rng, shape, dtype)], run,
                3 * n * SIZES[dtype], operations=12 * n, type=dtype)


@family
def middle(rng):
    dtype, kind = draw_type(rng), pick(rng, ["cumsum", "cummax", "softmax", "sum"])
    rows, columns = matrix(rng, 4, 1 << 10)
    k = length(rng, 4, 512)
    shape = (max(1, rows // k), k, columns)
    n = count(*shape)
    fns = {"cumsum": lambda l, x: l.cumsum(x, 1), "cummax": lambda l, x: l.cummax(x, 1),
           "softmax": lambda l, x: l.softmax(x, 1), "sum": lambda l, x: l.sum(x, 1)}
    return Work(f"{kind} axis 1 {dtype} {shape}", [numbers(rng, shape, dtype)], fns[kind],
                n * SIZES[dtype] * (1 + 1 / k if kind == "sum" else 2), operations=n * (20 if kind == "softmax" else 2),
                type=dtype)


@family
def short_gathers(rng):
    dtype, width, n = draw_type(rng), int(rng.integers(1, 9)), elements(rng) // 4
    table = length(rng, 1000, 1000000)
    inputs = [numbers(rng, (table, width), dtype), indices(rng, table, (n,))]
    return Work(f"take {dtype} {n} of {(table, width)}", inputs, lambda l, x, i: l.take(x, i),
                n * (4.0 + 2.0 * width * SIZES[dtype]), type=dtype)


@family
def moves(rng):
    dtype, (a, b) = draw_type(rng), matrix(rng, 16, 1 << 13)
    kind = pick(rng, ["roll", "flip_pad", "pad_transpose", "stack", "tile_add"])
    n = float(a) * b
    fns = {"roll": lambda l, x: l.roll(x, b // 3, 1), "flip_pad": lambda l, x: l.pad(l.flip(x, 0), ((1, 1), (2, 2))),
           "pad_transpose": lambda l, x: l.copy(l.transpose(l.pad(x, ((1, 2), (3, 1))), (1, 0))),
           "stack": lambda l, x: l.concatenate([x, l.flip(x, 1)], 1), "tile_add": lambda l, x: l.tile(x, (1, 2)) + 1}
    return Work(f"{kind} {dtype} {(a, b)}", [numbers(rng, (a, b), dtype)], fns[kind],
                n * SIZES[dtype] * (3 if kind in ("stack", "tile_add") else 2), type=dtype)


@family
def small_products(rng):
    dtype, m, n, k = draw_type(rng), *(int(rng.integers(2, 33)) for _ in range(3))
    batch = max(1, elements(rng) // (m * k + k * n + m * n))
    inputs = [numbers(rng, (batch, m, k), dtype), numbers(rng, (batch, k, n), dtype)]
    return Work(f"products {dtype} {batch}x{m}x{k}x{n}", inputs,
                lambda l, x, y: l.matmul(x, y), float(batch) * (m * k + k * n + m * n) * SIZES[dtype],
                flops=2.0 * batch * m * n * k, type=dtype)


@family
def pooling(rng):
    dtype, channels, side = draw_type(rng), length(rng, 8, 128), 2 * int(rng.integers(16, 60))
    batch, kind = max(1, elements(rng) // (channels * side * side)), pick(rng, ["max", "mean"])

    def run(l, x):
        y = x.reshape((batch, side // 2, 2, side // 2, 2, channels))
        return l.max(y, (2, 4)) if kind == "max" else l.mean(y, (2, 4))
    n = count(batch, side, side, channels)
    inputs = [numbers(rng, (batch, side, side, channels), dtype)]
    return Work(f"{kind} pooling {dtype} {batch}x{side}x{side}x{channels}", inputs, run,
                1.25 * n * SIZES[dtype], operations=2 * n, type=dtype)
