#!/usr/bin/env python3
"""Writes the Go functions of the regular operations, and C functions that return their error, from frontend/c/mlx_c.api.

Usage: generate.py [--check]
"""
import pathlib
import re
import sys
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "c"))
sys.dont_write_bytecode = True
import generate as interface  # noqa: E402

HEADERS = {"ops.h": "ops", "fft.h": "fft", "linalg.h": "linalg", "random.h": "random", "fast.h": "fast"}
# Words of C names with a spelling of their own in Go.
WORDS = {
    "addmm": "AddMM", "allclose": "AllClose", "astype": "AsType", "fp8": "FP8", "isclose": "IsClose",
    "isfinite": "IsFinite", "isinf": "IsInf", "isnan": "IsNaN", "isneginf": "IsNegInf", "isposinf": "IsPosInf",
    "mm": "MM", "moveaxis": "MoveAxis", "nan": "NaN", "qmm": "QMM", "qqmm": "QQMM", "rms": "RMS", "rope": "RoPE",
    "rsqrt": "RSqrt", "swapaxes": "SwapAxes", "topk": "TopK", "fft": "FFT", "fft2": "FFT2", "fftn": "FFTN",
    "ifft": "IFFT", "ifft2": "IFFT2", "ifftn": "IFFTN", "rfft": "RFFT", "rfft2": "RFFT2", "rfftn": "RFFTN",
    "irfft": "IRFFT", "irfft2": "IRFFT2", "irfftn": "IRFFTN", "fftfreq": "FFTFreq", "rfftfreq": "RFFTFreq",
    "fftshift": "FFTShift", "ifftshift": "IFFTShift", "lu": "LU", "qr": "QR", "svd": "SVD", "l2": "L2", "divmod": "DivMod",
}  # fmt: skip
# Prefixes of the headers in Go names.
PREFIX = {"fft": "", "linalg": "Linalg", "random": "Random", "fast": "Fast", "ops": ""}
# Operations that the hand-written files give another form; their functions are not exported.
INTERNAL = {
    "allclose", "arange", "array_equal", "broadcast_to", "contiguous", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "cumsum",
    "dequantize", "flatten", "full", "gather", "isclose", "linspace", "ones", "pad", "pad_symmetric", "quantize", "reshape", "slice",
    "slice_update", "softmax_axis", "tensordot", "tile", "transpose", "transpose_axes", "tri", "view", "zeros", "zeros_like",
    "random_normal", "random_uniform", "random_categorical", "random_bernoulli", "random_split",
    "random_categorical_num_samples", "fast_rope", "fast_rope_dynamic",
    "fast_scaled_dot_product_attention",
}  # fmt: skip
GO_WORDS = {"type": "kind", "func": "f", "range": "r", "M": "m", "UPLO": "uplo", "S": "s"}

# For each C type: the Go type, and the C value.
VALUES = {
    "int": ("int", "C.int({})"), "float": ("float32", "C.float({})"), "double": ("float64", "C.double({})"),
    "bool": ("bool", "C.bool({})"), "size_t": ("int", "C.size_t({})"), "uint64_t": ("uint64", "C.uint64_t({})"),
    "mlx_dtype": ("DType", "C.mlx_dtype({})"), "mlx_fft_norm": ("FFTNorm", "C.mlx_fft_norm({})"),
    "mlx_array": ("*Array", "{}.handle()"), "mlx_optional_int": ("int", "optionalInt({})"),
    "mlx_optional_float": ("*float32", "optionalFloat({})"), "mlx_optional_dtype": ("*DType", "optionalDType({})"),
}  # fmt: skip


def words_of(name):
    """A name of C as a Go name."""
    return "".join(WORDS.get(w, w.capitalize()) for w in name.split("_"))


def parameter_name(name):
    words = GO_WORDS.get(name.rstrip("_"), name.rstrip("_")).split("_")
    return words[0] + "".join(w.capitalize() for w in words[1:])


def go_name(name, stem, axis_forms):
    """The name of an operation in Go. Where there is a form for one axis, that is the plain name."""
    if name in INTERNAL:
        words = words_of(name)
        return words[0].lower() + words[1:]
    if name + "_axis" in axis_forms:
        name += "_all"
    elif name.endswith("_axis") and name in axis_forms:
        name = name.removesuffix("_axis")
    return PREFIX[stem] + words_of(name.removeprefix(stem + "_"))


def go_function(f, stem, axis_forms):
    """The Go function of an operation; None where it has parameters that need code of their own."""
    name = go_name(f.name.removeprefix("mlx_"), stem, axis_forms)
    names = {p.name for p in f.parameters}
    results, parameters, arguments, before, kept = [], [], [], [], []
    for p in f.parameters:
        kind = p.type.removeprefix("const ")
        go = parameter_name(p.name)
        if p.name in ("res", "res_0", "res_1") and kind.endswith("*"):
            results.append((p.name.replace("res", "r").replace("_", ""), kind[:-1]))
            arguments.append("&" + results[-1][0])
        elif kind == "mlx_stream":
            arguments.append("currentStream()")
        elif p.name.removesuffix("_num") in names and p.name.endswith("_num"):
            arguments.append(f"C.size_t(len({parameter_name(p.name.removesuffix('_num'))}))")
        elif p.name + "_num" in names:
            parameters.append((go, {"int*": "[]int", "int64_t*": "[]int64"}[kind]))
            before.append(f"{go}C := {'intsOfC' if kind == 'int*' else 'longsOfC'}({go})")
            arguments.append(f"pointerTo({go}C)")
        elif kind == "char*":
            parameters.append((go, "string"))
            before.append(f"{go}C := C.CString({go})\n\tdefer C.free(unsafe.Pointer({go}C))")
            arguments.append(go + "C")
        elif kind == "mlx_vector_array":
            parameters.append((go, "[]*Array"))
            before.append(f"{go}C := newVector({go})\n\tdefer freeVector({go}C)")
            arguments.append(go + "C")
        elif kind in VALUES:
            parameters.append((go, VALUES[kind][0]))
            value = "maybeHandle({})" if kind == "mlx_array" and p.nullable else VALUES[kind][1]
            arguments.append(value.format(go))
            if kind == "mlx_array":
                kept.append(go)
        else:
            return None
    if not results:
        return None
    return assembled(f, name, results, parameters, arguments, before, kept)


def assembled(f, name, results, parameters, arguments, before, kept):
    """The text of a Go function."""
    kinds = ["[]*Array" if k == "mlx_vector_array" else "*Array" for _, k in results]
    returned = kinds[0] if len(kinds) == 1 else "(" + ", ".join(kinds) + ")"
    lines = [f"// {line}" for line in textwrap.wrap(f"{name}: {f.comment}", 117)]
    lines.append(f"func {name}({grouped(parameters)}) {returned} {{")
    lines += ["\t" + b for b in before]
    lines += [f"\tvar {r} C.{k}" for r, k in results]
    lines.append(f"\tcheck(C.go_{f.name}({', '.join(arguments)}))")
    lines += [f"\truntime.KeepAlive({k})" for k in kept]
    lines.append("\treturn " + ", ".join(("takeVector" if k == "mlx_vector_array" else "wrap") + f"({r})" for r, k in results))
    return "\n".join(lines) + "\n}"


def grouped(parameters):
    """a, b *Array, axis int."""
    text = []
    for i, (name, kind) in enumerate(parameters):
        following = parameters[i + 1][1] if i + 1 < len(parameters) else None
        text.append(name if following == kind else f"{name} {kind}")
    return ", ".join(text)


def shim(f):
    """A C function that returns the error of another one, or null, so that both happen in one thread."""
    names = ", ".join(p.name for p in f.parameters)
    parameters = ", ".join(p.text for p in f.parameters)
    return f"static inline char* go_{f.name}({parameters or 'void'}) {{ return go_error({f.name}({names})); }}"


def files():
    shims = []
    for header in interface.read_table():
        shims += [shim(f) for f in header["functions"] if f.result == "int" and not f.condition]
        stem = HEADERS.get(header["name"])
        if not stem:
            continue
        names = {f.name.removeprefix("mlx_") for f in header["functions"]}
        axis_forms = {n for n in names if n.endswith("_axis") and n.removesuffix("_axis") in names} - {"scatter_add_axis"}
        functions = [text for f in header["functions"] if (text := go_function(f, stem, axis_forms))]
        size = 60
        groups = [functions[i : i + size] for i in range(0, len(functions), size)]
        for number, group in enumerate(groups, 1):
            part = "" if len(groups) == 1 else f"_{number}"
            text = "\n\n".join(group)
            imports = '\nimport "runtime"\n' if "runtime." in text else ""
            if "unsafe." in text:
                imports = '\nimport (\n\t"runtime"\n\t"unsafe"\n)\n'
            yield f"{stem}{part}_generated.go", (
                f"// Operations of mlx/c/{header['name']}. Code generated by frontend/go/generate.py. DO NOT EDIT.\n\n"
                f'package frit\n\n// #include "shims.h"\nimport "C"\n{imports}\n{text}\n'
            )
    own = re.sub(r"/\*.*?\*/", "", (HERE.parent / "c/include/frit_c.h").read_text(), flags=re.DOTALL)
    for declaration in re.findall(r"^int \w+\([^;]*\)(?=;)", own, re.MULTILINE):
        shims.append(shim(interface.Function(re.sub(r"\s+", " ", declaration), "hand", "", None)))
    yield "shims.h", (
        "/* Functions of the C interface that return their error as text, or null. Written by frontend/go/generate.py. */\n"
        "// clang-format off\n"
        "#ifndef FRIT_GO_SHIMS_H\n#define FRIT_GO_SHIMS_H\n\n#include <stdlib.h>\n#include <string.h>\n\n"
        '#include "frit_c.h"\n\n'
        "static inline char* go_error(int status) { return status ? strdup(frit_last_error()) : NULL; }\n"
        + "\n".join(shims)
        + "\n\n#endif\n"
    )


def main():
    wanted = dict(files())
    wrong = sorted({p.name for p in HERE.glob("*_generated.go")} - wanted.keys())
    if "--check" in sys.argv[1:]:
        wrong += [n for n, t in wanted.items() if not (HERE / n).exists() or (HERE / n).read_text() != t]
        for name in wrong:
            print(f"frontend/go/{name} does not follow from mlx_c.api; run frontend/go/generate.py")
        return bool(wrong)
    for name in wrong:
        (HERE / name).unlink()
    for name, text in wanted.items():
        (HERE / name).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
