"""Runs expressions of a data file and compares their results with those that stand beside them.

A case is a dict: setup (statements), expr, inputs (arrays as bytes), outputs (leaves), tree (their nesting), tolerance
(exact, ulp:N, rel:R or structure) and perhaps check (an expression over the result r), or error, an exception's name.
"""
import copy
import math
import pickle
import struct
import tempfile

import frit.core as mx
import frit.nn as nn
import frit.optimizers as optim
import frit.utils as utils

LETTER = {"bool": "?", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I", "int64": "q",
          "uint64": "Q", "float16": "e", "float32": "f", "float64": "d"}
FLOATS = {"float16": 10, "bfloat16": 7, "float32": 23, "float64": 52}  # bits of the significand


def numbers(dtype, raw):
    if dtype == "bfloat16":
        return [struct.unpack("<f", b"\0\0" + raw[i : i + 2])[0] for i in range(0, len(raw), 2)]
    if dtype == "complex64":
        parts = numbers("float32", raw)
        return [complex(*parts[i : i + 2]) for i in range(0, len(parts), 2)]
    return [x for (x,) in struct.iter_unpack("<" + LETTER[dtype], raw)]


def type_named(name):
    return getattr(mx, "bool_" if name == "bool" else name)


def made(spec):
    values = numbers(spec["dtype"], bytes.fromhex(spec["hex"]))
    shape, dtype = spec["shape"], type_named(spec["dtype"])
    if not values:
        return mx.zeros(shape, dtype)
    if spec["dtype"] == "uint64":
        high = mx.array([v >> 32 for v in values], dtype) * mx.array(2**32, dtype)
        return (high + mx.array([v & 0xFFFFFFFF for v in values], dtype)).reshape(shape)
    return mx.array(values, dtype).reshape(shape)


def leaves(x, out):
    """The nesting of a result; its leaves go to `out`."""
    if isinstance(x, (list, tuple)):
        inner = "".join(leaves(y, out) for y in x)
        return "[%s]" % inner if isinstance(x, list) else "(%s)" % inner
    if isinstance(x, dict):
        return "{" + "".join("%s:%s" % (k, leaves(x[k], out)) for k in sorted(x, key=str)) + "}"
    out.append(x)
    return "*"


def close(x, y, tol=1e-4):
    if list(x.shape) != list(y.shape):
        return False
    a, b = x.reshape(-1).tolist(), y.reshape(-1).tolist()
    top = max([1e-30] + [abs(v) for v in a + b])
    return all(abs(p - q) <= tol * top for p, q in zip(a, b))


def near(got, want, dtype, tolerance, top):
    if got != got and want != want:
        return True
    if got == want:
        return math.copysign(1, got) == math.copysign(1, want) or tolerance[0] == "rel"
    if got != got or want != want or math.isinf(got) or math.isinf(want):
        return False
    kind, bound = tolerance
    if kind == "rel":
        return abs(got - want) <= float(bound) * max(abs(want), top)
    # The distance between neighbours at `want`.
    digits = 23 if dtype == "float64" else FLOATS[dtype]
    least = {"float16": -24, "bfloat16": -133, "float32": -149, "float64": -149}[dtype]
    ulp = 2.0 ** max(math.frexp(want)[1] - 1 - digits, least)
    return abs(got - want) <= int(bound) * ulp


def differs(got, want, tolerance):
    """None, or how a leaf differs from what it should be."""
    dtype = want["dtype"]
    if dtype.startswith("py.") or dtype == "dtype":
        if dtype == "py.float":
            (w,) = numbers("float64", bytes.fromhex(want["hex"]))
            return None if isinstance(got, float) and (got == w or got != got and w != w or abs(got - w) <= 1e-6 * abs(w)) else repr(got)
        if dtype == "py.complex":
            w = complex(*numbers("float64", bytes.fromhex(want["hex"])))
            return None if abs(got - w) <= 1e-6 * abs(w) else repr(got)
        text = got.hex() if isinstance(got, bytes) else repr(got).rsplit(".", 1)[-1] if dtype == "dtype" else got
        if isinstance(text, str):
            text = text.replace("frit.", "mlx.")
        elif dtype == "py.repr":
            text = repr(got).replace("frit.", "mlx.")
        return None if text == want["value"] else "%r, not %r" % (text, want["value"])
    if not isinstance(got, mx.array) or got.dtype != type_named(dtype) or list(got.shape) != want["shape"]:
        return "%r, not %s %s" % (got, dtype, want["shape"])
    if tolerance == "structure":
        return None
    values, wanted = mx.flatten(got).tolist() if got.ndim else [got.item()], numbers(dtype, bytes.fromhex(want["hex"]))
    if dtype == "complex64":
        values, wanted = [[p for z in v for p in (z.real, z.imag)] for v in (values, wanted)]
        dtype = "float32"
    if dtype not in FLOATS:
        return None if values == wanted else "%s, not %s" % (values, wanted)
    form = ("ulp", "0") if tolerance == "exact" else tuple(tolerance.split(":"))
    top = max([abs(v) for v in wanted if math.isfinite(v)] + [0.0])
    for i, (a, b) in enumerate(zip(values, wanted)):
        if not near(a, b, dtype, form, top):
            return "[%d] is %r, not %r" % (i, a, b)
    return None


def failure(case):
    """None, or why the case fails."""
    mx.random.seed(0)
    with tempfile.TemporaryDirectory() as tmp:
        names = {"mx": mx, "nn": nn, "optim": optim, "utils": utils, "math": math, "inf": math.inf, "nan": math.nan, "close": close,
                 "tmp": tmp, "copy": copy, "pickle": pickle}
        try:
            names.update({k: made(spec) for k, spec in case.get("inputs", {}).items()})
            exec(case.get("setup", ""), names)
            result = eval(case["expr"], names)
            found = []
            tree = leaves(result, found)
            mx.eval([x for x in found if isinstance(x, mx.array)])
        except Exception as e:
            name = type(e).__name__
            return None if name == case.get("error") else "%s: %s" % (name, str(e).split("\n")[0])
        if "error" in case:
            return "no %s" % case["error"]
        if tree != case["tree"]:
            return "%s, not %s" % (tree, case["tree"])
        for got, want in zip(found, case["outputs"]):
            why = differs(got, want, case["tolerance"])
            if why:
                return why
        if "check" in case and not bool(eval(case["check"], {**names, "r": result})):
            return "not " + case["check"]
    return None
