#!/usr/bin/env python3
"""Quotients p / q for erf in ir/math/erf.cpp and tanh in hyperbolic.cpp, both f32: python3 fit_quotient.py (needs numpy and mpmath).

The functions are w - w^2 / 4 with w = 2 - 2 sqrt(1 - f(a)) = a + a p(a) / q(a). p / q is fitted by Lawson's iteration on the linearised error
|p - g q| / |q of the step before|, weighted by what f may err at each a: the ulp bound aimed at, less what the roundings of w and of the last step
take. Then the rounded coefficients are moved by some units of their last places at random as long as the largest error of the f32 formula itself does
not grow. That error is of 12,000 arguments; `frit_accuracy --full` has the last word. Another run may end with other coefficients, about as good.
"""
import mpmath as mp
import numpy as np

mp.mp.dps = 40


def last_place(v):
    return 2.0 ** (np.floor(np.log2(v)) - 23)


def nodes(low, high, n):
    return (low + high) / 2 + (high - low) / 2 * np.cos(np.pi * (np.arange(n) + 0.5) / n)


def exact(f, points):
    """f and 1 - f in f64; the second keeps its bits where f is close to 1."""
    one = {"erf": mp.erf, "tanh": mp.tanh}[f]
    rest = {"erf": mp.erfc, "tanh": lambda a: 2 / (mp.exp(2 * a) + 1)}[f]
    return np.array([float(one(mp.mpf(float(x)))) for x in points]), np.array([float(rest(mp.mpf(float(x)))) for x in points])


def fit(f, low, high, degrees, bound, near, steps=200):
    """Coefficients of p and q, constants first and q's constant 1, and the error as a part of what is allowed. Below `near` w may lie across
    a power of two from f wherever f is, and so rounds by a whole ulp of f."""
    a = nodes(low, high, 1500)
    value, rest = exact(f, a)
    root = np.sqrt(rest)
    w = 2 * (1 - root)
    allowed = np.where(a < near, value * 2.0**-24 * (bound - 1.5),
                       (bound - 0.5) * last_place(value) - 0.5 * last_place(w) * (1 - w / 2))
    allowed = np.maximum(allowed, value * 2.0**-24 * 0.05)
    of_root = np.where(allowed < 1e-6 * rest, allowed / (2 * root), np.sqrt(rest + allowed) - root)
    goal, weight = w / a - 1, a / (2 * of_root)
    t = (2 * a - low - high) / (high - low)
    m, k = degrees
    p_basis = np.polynomial.chebyshev.chebvander(t, m)
    q_basis = np.polynomial.chebyshev.chebvander(t, k)
    lawson, q = np.ones(len(a)) / len(a), np.ones(len(a))
    best = None
    for _ in range(steps):
        s = np.sqrt(lawson) * weight / np.abs(q)
        left = np.hstack([p_basis, -goal[:, None] * q_basis[:, 1:]]) * s[:, None]
        c = np.linalg.lstsq(left, goal * s, rcond=1e-15)[0]
        q = 1 + q_basis[:, 1:] @ c[m + 1:]
        error = weight * np.abs(p_basis @ c[: m + 1] / q - goal)
        if q.min() > 0 and (best is None or error.max() < best[0]):
            best = error.max(), c
        lawson = lawson * (error / error.max() + 1e-3)
        lawson /= lawson.sum()
    domain = [low, high]
    p, q = (np.polynomial.Chebyshev(c, domain).convert(kind=np.polynomial.Polynomial).coef
            for c in (best[1][: m + 1], np.concatenate([[1], best[1][m + 1:]])))
    return p / q[0], q / q[0], best[0]


def fma(a, b, c):  # of f32 values: the product is exact in f64, and a second rounding is rare
    return (a.astype(np.float64) * b + c).astype(np.float32)


def polynomial(x, c):
    y = np.full_like(x, c[-1])
    for k in c[-2::-1]:
        y = fma(y, x, k)
    return y


def largest_error(p, q, clamp, points, value):
    a = np.minimum(points, np.float32(clamp))
    w = fma(a, polynomial(a, p) / polynomial(a, q), a)
    return (np.abs(fma(w * np.float32(-0.25), w, w) - value) / last_place(value)).max()


def improve(f, p, q, clamp, tries=3000):
    random = np.random.default_rng(1)
    points = np.concatenate([np.linspace(1e-4, clamp, 6000), 2.0 ** np.linspace(-12, np.log2(clamp), 6000)]).astype(np.float32)
    value = exact(f, points)[0]
    c = np.concatenate([p, q[1:]]).astype(np.float32)
    parts = lambda c: (c[: len(p)], np.concatenate([[np.float32(1)], c[len(p):]]))
    best = largest_error(*parts(c), clamp, points, value)
    for _ in range(tries):
        moved = c.copy()
        for k in random.integers(len(c), size=random.integers(1, 4)):
            moved[k] += random.integers(-16, 17) * np.spacing(moved[k])
        error = largest_error(*parts(moved), clamp, points, value)
        if error <= best:
            best, c = error, moved
    return *parts(c), best


def main():
    for f, low, clamp, degrees, bound, near in (("erf", 1e-3, 3.93, (6, 4), 1.65, 0.2), ("tanh", 1e-3, 9.02, (7, 4), 1.6, 0.27)):
        p, q, part = fit(f, low, clamp, degrees, bound, near)
        p, q, error = improve(f, p, q, clamp)
        print(f"{f}: approximation {part:.2f} of what is allowed, {error:.3f} ulp")
        for name, c in ("p", p), ("q", q):
            print(f"  {name}:", ", ".join(float(x).hex() for x in c), flush=True)


main()
