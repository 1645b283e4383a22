#!/usr/bin/env python3
"""Polynomials of ir/math/exp_narrow.cpp: python3 fit_narrow.py [STEPS] (needs numpy).

e^r or 2^r is fitted at Chebyshev nodes. The coefficients are then moved at random as long as the count of f16 and
bf16 arguments whose rounded result differs from that of the long formula does not grow, until it is zero. f32 arithmetic
with one rounding is imitated in f64; tests/unit/ir_narrow_functions.cpp has the last word.
"""
import sys

import numpy as np

LN2, LOW = float.fromhex("0x1.62e43p-1"), float.fromhex("-0x1.05c61p-29")
LONG = {"e": ["0x1p0", "0x1p0", "0x1.fffffap-2", "0x1.555492p-3", "0x1.555a26p-5", "0x1.123988p-7", "0x1.694cd2p-10"],
        "two": ["0x1p0", "0x1.62e43p-1", "0x1.ebfbd8p-3", "0x1.c6af76p-5", "0x1.3b30ap-7", "0x1.5f0b82p-10",
                "0x1.3fa206p-13"]}
LIMITS = {("e", "f16"): (-18, 12), ("e", "bf16"): (-94, 89), ("two", "f16"): (-27, 17), ("two", "bf16"): (-136, 129)}


def f32(x):
    return np.asarray(x, np.float64).astype(np.float32).astype(np.float64)


def polynomial(r, c):
    y = np.full(r.shape, c[-1])
    for a in c[-2::-1]:
        y = f32(y * r + a)
    return y


def rounded(y, kind):
    with np.errstate(over="ignore"):
        if kind == "f16":
            return y.astype(np.float32).astype(np.float16).view(np.uint16)
        bits = y.astype(np.float32).view(np.uint32)
        return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def arguments(kind):
    bits = np.arange(1 << 16, dtype=np.uint16)
    x = bits.view(np.float16) if kind == "f16" else (bits.astype(np.uint32) << 16).view(np.float32)
    return x[np.isfinite(x)].astype(np.float64)


def reduced(x, base, exact):
    k = np.round(f32(x * 1.4426950408889634)) if base == "e" else np.round(x)
    if base == "two":
        return k, x - k
    r = f32(x - k * LN2)
    return k, f32(r - k * LOW) if exact else r


def search(base, steps):
    work = []
    for kind in ("f16", "bf16"):
        x = np.clip(arguments(kind), *LIMITS[base, kind])
        k, r = reduced(x, base, True)
        want = rounded(np.ldexp(polynomial(r, [float.fromhex(c) for c in LONG[base]]), k.astype(int)), kind)
        k, r = reduced(x, base, False)
        work.append((kind, k.astype(int), r, want))

    def differ(c):
        return sum(int((rounded(np.ldexp(polynomial(r, c), k), kind) != want).sum()) for kind, k, r, want in work)

    fixed = 2 if base == "e" else 1
    width = np.log(2) / 2 if base == "e" else 0.5
    nodes = width * np.cos(np.pi * (np.arange(64) + 0.5) / 64)
    value = np.exp(nodes) - 1 - nodes if base == "e" else np.exp2(nodes) - 1
    c = np.concatenate([[1, 1][:fixed], np.polynomial.polynomial.polyfit(nodes, value / nodes ** fixed, 5 - fixed)])
    c, draw = f32(c), np.random.default_rng(1)
    best = differ(c)
    for _ in range(steps):
        if best == 0:
            break
        moved = c.copy()
        for j in draw.integers(fixed, 6, draw.integers(1, 3)):
            moved[j] *= 1 + draw.uniform(-0.5, 0.5) * 2.0 ** -draw.integers(10, 24)
        moved = f32(moved)
        if (count := differ(moved)) <= best:
            best, c = count, moved
    print(base, "differs at", best, [float(a).hex() for a in c])


for base in ("e", "two"):
    search(base, int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
