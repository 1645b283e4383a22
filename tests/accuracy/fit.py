#!/usr/bin/env python3
"""Weighted minimax polynomials for ir/math/erf.cpp, where sollya's fpminimax knows no weights: python3 fit.py (needs mpmath).

Minimises max |w (p - g)| over an interval by Lawson's iteration (least squares whose weights follow the error), then for f32 rounds the
coefficients one by one, the highest first, and fits the others again each time.
"""
import struct

import mpmath as mp

mp.mp.dps = 110


def f32(x):
    return mp.mpf(struct.unpack("f", struct.pack("f", float(x)))[0])


def fit(g, w, a, b, degree, fixed=None, steps=12):
    """The error and the coefficients; `fixed` (power -> value) prescribes some of them."""
    fixed = dict(fixed or {})
    free = [k for k in range(degree + 1) if k not in fixed]
    n = 6 * (degree + 2)
    points = [(a + b) / 2 + (b - a) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * n)) for i in range(n)]
    goal = [g(u) - sum(c * u**k for k, c in fixed.items()) for u in points]
    weight = [w(u) for u in points]
    if not free:
        return max(x * abs(y) for x, y in zip(weight, goal)), fixed
    lawson = [mp.mpf(1) / n] * n
    best = None
    for _ in range(steps):
        m = len(free)
        left, right = mp.matrix(m, m), mp.matrix(m, 1)
        for i, u in enumerate(points):
            row = [u**k for k in free]
            factor = lawson[i] * weight[i] ** 2
            for r in range(m):
                right[r] += factor * row[r] * goal[i]
                for c in range(m):
                    left[r, c] += factor * row[r] * row[c]
        x = mp.lu_solve(left, right)
        error = [weight[i] * abs(sum(x[j] * u**k for j, k in enumerate(free)) - goal[i]) for i, u in enumerate(points)]
        if best is None or max(error) < best[0]:
            best = max(error), list(x)
        total = sum(l * e for l, e in zip(lawson, error))
        lawson = [l * e / total for l, e in zip(lawson, error)]
    return best[0], fixed | dict(zip(free, best[1]))


def fit_rounded(g, w, a, b, degree):
    error, c = fit(g, w, a, b, degree)
    fixed = {}
    for k in range(degree, -1, -1):
        fixed[k] = f32(c[k])
        error, c = fit(g, w, a, b, degree, fixed, 6)
    return error, fixed


def show(name, result):
    error, c = result
    print(name, "2^" + mp.nstr(mp.log(error, 2), 4), ", ".join(float(c[k]).hex() for k in sorted(c)), flush=True)


def near_zero(u):  # erf(x) / x - 1, u = x^2
    return mp.erf(mp.sqrt(u)) / mp.sqrt(u) - 1


def tail(shift):  # the eighth root of erfc, weighted for its effect on erf
    g = lambda s: mp.erfc(s + shift) ** (mp.mpf(1) / 8)
    return g, lambda s: 8 * g(s) ** 7 / mp.erf(s + shift)


def erfinv_ratio(w, known={}):  # erfinv(x) / x, w = -ln(1 - x^2)
    if w < mp.mpf(10) ** -20:
        return mp.sqrt(mp.pi) / 2
    if w not in known:
        x = mp.sqrt(-mp.expm1(-w))
        log_q, y = -w - mp.log(1 + x), mp.mpf(0)
        for _ in range(200):  # Newton on ln erfc, which is concave
            e = mp.erfc(y)
            step = (mp.log(e) - log_q) * e * mp.sqrt(mp.pi) / 2 * mp.exp(y * y)
            y += step
            if abs(step) < mp.mpf(10) ** -40:
                break
        known[w] = y / x
    return known[w]


def main():
    tiny, m = mp.mpf("1e-12"), mp.mpf
    relative = lambda g: lambda u: 1 / g(u)
    of_erf = lambda u: 1 / (1 + near_zero(u))
    show("erf f64 near", fit(near_zero, of_erf, tiny, m("1.5627"), 13))
    show("erf f64 far", fit(*tail(3), m("-1.75"), m("2.97"), 18))
    show("erf f64 far, from 1.1", fit(*tail(m("1.25")), m("-0.151"), m("4.715"), 19))
    mp.mp.dps = 70
    of_root = lambda shift: lambda s: erfinv_ratio((s + shift) ** 2)
    show("erfinv f32 near", fit_rounded(erfinv_ratio, relative(erfinv_ratio), tiny, m(5), 10))
    show("erfinv f32 far", fit_rounded(of_root(3), relative(of_root(3)), mp.sqrt(5) - 3, m("1.05"), 10))
    show("erfinv f64 near", fit(erfinv_ratio, relative(erfinv_ratio), tiny, m(5), 22))
    show("erfinv f64 far", fit(of_root(3), relative(of_root(3)), mp.sqrt(5) - 3, m(1), 22))
    show("erfinv f64 tail", fit(of_root(5), relative(of_root(5)), m(-1), m("1.08"), 19))


main()
