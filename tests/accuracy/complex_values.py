#!/usr/bin/env python3
"""Writes tests/unit/ops_complex_values.h: arguments and exact values of the complex rows (needs mpmath).

Arguments lie near branch points and cuts, where results overflow or almost do, where they are tiny, and between.
"""
import mpmath as mp

mp.mp.prec = 400
LARGEST = (2 - mp.mpf(2) ** -23) * mp.mpf(2) ** 127


def f32(x):
    """x rounded to nearest even as a hexadecimal float."""
    x = mp.mpf(x)
    if x == 0:
        return "0.0f"
    e = max(int(mp.floor(mp.log(abs(x), 2))), -126)
    unit = mp.mpf(2) ** (e - 23)
    v = mp.nint(x / unit) * unit
    if abs(v) > LARGEST:
        return "kInf" if v > 0 else "-kInf"
    return float(v).hex() + "f"


def value(text):
    return mp.mpf(float.fromhex(text[:-1])) if text.endswith("f") and text != "kInf" else mp.mpf(text)


FUNCTIONS = {
    "exp": mp.exp, "expm1": mp.expm1, "log": mp.log, "log2": lambda z: mp.log(z) / mp.log(2),
    "log10": lambda z: mp.log(z) / mp.log(10), "log1p": lambda z: mp.log(1 + z), "sin": mp.sin, "cos": mp.cos,
    "tan": mp.tan, "arcsin": mp.asin, "arccos": mp.acos, "arctan": mp.atan, "sinh": mp.sinh, "cosh": mp.cosh,
    "tanh": mp.tanh, "arcsinh": mp.asinh, "arccosh": mp.acosh, "arctanh": mp.atanh,
    "sigmoid": lambda z: 1 / (1 + mp.exp(-z)), "sqrt": mp.sqrt, "rsqrt": lambda z: 1 / mp.sqrt(z),
}
COMMON = [(0.5, 0.25), (-0.75, 1.5), (2, -3), (1e-20, 3e-10), (-3e-5, 2e-5), (5, 1), (0.25, -20)]
EXTRA = {
    "exp": [(88.9, 1.5), (-100, 2), (89, 3.1), (176, 1e-38)], "expm1": [(88.9, 1.5), (1e-6, 1e-6), (-30, 1)],
    "log": [(3e38, 3e38), (1e-45, 1e-44), (0.8, 0.6), (1, 1e-6), (-1, 1e-30)],
    "log2": [(3e38, -3e38), (0.6, 0.8)], "log10": [(3e38, 3e38), (1e-42, 0)],
    "log1p": [(3e38, 3e38), (-1, 1e-12), (-0.5, 0.4), (1e-12, -1e-13)],
    "sin": [(1e-3, 89.3), (3, -89.2), (3.1415927, 1e-6), (1e-30, 95)], "cos": [(1.57, 89.4), (1.5707964, 1e-6), (2, 89.1)],
    "tan": [(1.5707964, 1e-6), (1, 60), (0.3, -25), (1.5707964, 0.5)],
    "arcsin": [(1.0000001, 1e-10), (0.9999999, -1e-5), (1e10, 1e10), (2, 1e-30), (-1e25, 3),
      (2e38, 3e38), (-3.4e38, 1), (1e-30, -3.4e38), (3.4e38, -3.4e38)],
    "arccos": [(1.0000001, 1e-10), (0.9999999, -1e-5), (1e10, 1e10), (-2, -1e-30), (1, 1e-12),
      (2e38, 3e38), (-3.4e38, 1), (1e-30, -3.4e38), (3.4e38, -3.4e38)],
    "arctan": [(1e-5, 1.00001), (1e-7, -1.0000001), (-3e-4, -0.9997), (1e-25, 1), (3e38, 3e38), (0.02, -0.98)],
    "sinh": [(89.3, 1e-3), (-89.2, 3), (1e-6, 3.1415927)], "cosh": [(89.4, 1.57), (1e-6, 1.5707964), (89.1, 2)],
    "tanh": [(1e-6, 1.5707964), (60, 1), (-25, 0.3)],
    "arcsinh": [(1e-10, 1.0000001), (1e10, -1e10), (3, 1e25),
      (2e38, 3e38), (-3.4e38, 1), (1e-30, -3.4e38), (3.4e38, -3.4e38)],
    "arccosh": [(1.0000001, 1e-10), (-1.0000001, 1e-10), (1e10, 1e10), (1, 1e-12),
      (2e38, 3e38), (-3.4e38, 1), (1e-30, -3.4e38), (3.4e38, -3.4e38)],
    "arctanh": [(1.00001, 1e-5), (-1.0000001, 1e-7), (-0.9997, -3e-4), (1, 1e-25), (3e38, 3e38)],
    "sigmoid": [(1e-6, 3.1415927), (-90, 1), (90, 2), (0.001, 3.1415927)],
    "sqrt": [(3e38, 3e38), (-3e38, 1), (1e-42, -1e-43), (-4, 1e-30)], "rsqrt": [(3e38, 3e38), (1e-42, 1e-43), (-4, -1e-30)],
}


def main():
    print("// Exact values of the complex rows, written by tests/accuracy/complex_values.py.")
    print("#pragma once\n\n#include <limits>\n#include <string_view>\n\nnamespace frit::ir {\n")
    print("inline constexpr float kInf = std::numeric_limits<float>::infinity();\n")
    print("struct ComplexValue {\n  std::string_view row;\n  float xr, xi, re, im;\n};")
    print("inline constexpr ComplexValue kComplexValues[] = {")
    for name, function in FUNCTIONS.items():
        for x, y in COMMON + EXTRA[name]:
            a, b = f32(x), f32(y)
            z = mp.mpc(value(a), value(b))
            w = function(z)
            print('    {"%s", %s, %s, %s, %s},' % (name, a, b, f32(mp.re(w)), f32(mp.im(w))))
    print("};\n\n}  // namespace frit::ir")


main()
