"""Writes the table of docstrings that the extension holds, and the stubs, from the signatures and the public headers.

Usage: generate.py API_FOLDER HEADER_FOLDER TABLE.cpp PACKAGE_FOLDER

A docstring is the paragraph of documentation.txt with the function's name, else the comment of the C++ function of
that name, else, for a method, that of the function. Names without a text are an error.
"""
import pathlib
import re
import sys

api, headers, table, package = map(pathlib.Path, sys.argv[1:5])

EXCEPTIONS = {"InvalidArgument": "ValueError", "OutOfRange": "IndexError", "RuntimeError": "RuntimeError"}
NAMESPACES = {"fft", "linalg", "random", "fast"}
ALIASES = {"acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan", "atan2": "arctan2",
           "atanh": "arctanh", "bitwise_left_shift": "left_shift", "bitwise_right_shift": "right_shift",
           "concat": "concatenate", "conj": "conjugate", "cumulative_prod": "cumprod", "cumulative_sum": "cumsum",
           "empty": "zeros", "empty_like": "zeros_like", "matrix_norm": "linalg.norm", "permute_dims": "transpose",
           "pow": "power"}


def python_text(text):
    """The words of a C++ comment as those of a docstring."""
    text = re.sub(r"\bThrows\b", "Raises", text)
    text = re.sub(r"\bthrows\b", "raises", text)
    for cpp, py in EXCEPTIONS.items():
        text = re.sub(r"\b%s\b" % cpp, py, text)
    return text


def header_texts():
    """The comment in front of the first declaration of each function, by its Python name."""
    texts = {}
    for path in sorted(headers.glob("*.h")):
        space, comment = "", []
        for line in path.read_text().splitlines():
            if m := re.match(r"namespace (\w+) \{$", line):
                space = "" if m[1] == "frit" else m[1]
            elif line.startswith("}  // namespace"):
                space = ""
            elif line.startswith("// ----"):
                comment = []
            elif line.startswith("//"):
                comment.append(line[2:].strip())
            elif m := re.match(r"(?:inline )?[\w:<>, ]+[ &]+(\w+)\(", line):
                if comment:
                    name = m[1] if not space else space + "." + m[1]
                    texts.setdefault(name, paragraphs(comment))
                comment = []
            elif not line.strip() or not line.startswith(("template", "  ", "using")):
                comment = []
    return texts


def paragraphs(lines):
    """Comment lines as paragraphs: one for the summary, one for each of Shape, Types, Throws and Algorithm."""
    out = []
    for line in lines:
        if out and not re.match(r"(Shape|Types|Throws|Algorithm)\b", line):
            out[-1] += " " + line
        else:
            out.append(line)
    return python_text("\n\n".join(out))


def written_texts():
    """documentation.txt: a line `name` or `name, name:` at the left edge, and its indented text."""
    texts, names = {}, []
    for line in (api / "documentation.txt").read_text().splitlines():
        if line.startswith("#") or not line.strip():
            continue
        if not line.startswith(" "):
            names = [n.strip() for n in line.rstrip(":").split(",")]
            for n in names:
                texts[n] = ""
        else:
            for n in names:
                texts[n] += (" " if texts[n] else "") + line.strip()
    return texts


def rows():
    """(kind, name, signature) of each line of signatures.txt."""
    for line in (api / "signatures.txt").read_text().splitlines():
        if line.startswith("#") or not line.strip():
            continue
        kind = "function"
        if m := re.match(r"(class|module|enum|property) (.*)", line):
            kind, line = m[1], m[2]
        name = line.split("(")[0].strip()
        yield kind, name, line if "(" in line else ""


def text_of(name, written, found):
    if name in written:
        return written[name]
    name = ALIASES.get(name, name)
    if name in found:
        return found[name]
    owner, _, last = name.rpartition(".")
    if owner == "array":
        last = ALIASES.get(last, last)
        if last in found:
            return found[last]
        if last in written:
            return written[last]
    if owner == "metal" and last in found:
        return found[last]
    if last in written and last.startswith("__"):
        return written[last]
    return None


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def definition(name, signature):
    last = name.rpartition(".")[2]
    return "def " + last + signature[len(name):]


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main():
    written, found = written_texts(), header_texts()
    entries, missing = [], []
    for kind, name, signature in rows():
        text = text_of(name, written, found)
        if text is None:
            missing.append(name)
            continue
        entries.append((kind, name, signature, text))
    if missing:
        sys.exit("generate.py: no documentation for " + ", ".join(sorted(set(missing))) + "; add it to documentation.txt")
    lines = ["// The docstrings of the extension. Written by frontend/python/generate.py.", "#include <cstddef>", "",
             "namespace frit::python {", "", "struct TableRow {", "  const char* name;", "  const char* signature;",
             "  const char* text;", "};", "extern const TableRow kDocumentation[];", "extern const size_t kDocumentationRows;", "",
             "const TableRow kDocumentation[] = {"]
    # Stable, so that the forms of one function stay in order.
    for kind, name, signature, text in sorted(entries, key=lambda e: e[1].encode()):
        lines.append("    {%s, %s, %s}," % (quoted(name), quoted(definition(name, signature) if signature else ""), quoted(text)))
    lines += ["};", "const size_t kDocumentationRows = %d;" % len(entries), "", "}  // namespace frit::python", ""]
    write(table, "\n".join(lines))
    write_stubs(entries)


STUB_HEAD = '''"""Types of the functions of frit.core%s. Written by frontend/python/generate.py."""
from __future__ import annotations
import types
from collections.abc import Iterator
from typing import Any, Callable, Literal, ParamSpec, Sequence, TypeVar, Union
'''
CORE_HEAD = '''from . import cuda, distributed, fast, fft, linalg, metal, random
import pathlib
import numpy
from numpy import ndarray
P = ParamSpec("P")
R = TypeVar("R")
scalar = int | float | bool | complex
list_or_scalar = Any
file = Any
DLPackCompatible = Any
StreamOrDevice = Union["Stream", "ThreadLocalStream", "Device", "DeviceType", None]
pi: float
e: float
euler_gamma: float
inf: float
nan: float
newaxis: None
__version__: str
'''
TYPES = ["bool_", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "float32", "float64",
         "bfloat16", "complex64"]
ENUMS = {"DtypeCategory": ["complexfloating", "floating", "inexact", "signedinteger", "unsignedinteger", "integer", "number",
                           "generic"],
         "DeviceType": ["cpu", "gpu"]}


def stub_function(name, signature, text, indent, kind="function"):
    line = definition(name, signature).replace("ndarray[writable=False]", "ndarray").replace("numpy.ndarray[]", "ndarray")
    line = line.replace("ndarray[]", "Any").replace("list['list_or_scalar']", "list[Any]").replace("stream: StreamOrDevice = None", "stream: StreamOrDevice = ...")
    line = re.sub(r" : ", ": ", line)
    pad = " " * indent
    decorated = pad + "@property\n" if kind == "property" else ""
    return "%s%s%s:\n%s    \"\"\"%s\"\"\"\n%s    ...\n" % (decorated, pad, line, pad, text.replace("\\", "\\\\"), pad)


def write_stubs(entries):
    modules, classes = {"": []}, {}
    for kind, name, signature, text in entries:
        if kind == "module":
            modules.setdefault(name, [])
        elif kind in ("class", "enum"):
            classes[name] = []
    for kind, name, signature, text in entries:
        owner, _, last = name.rpartition(".")
        if kind in ("class", "enum"):
            modules[owner].append(("class", name, text))
        elif owner in classes:
            classes[owner].append(stub_function(name, signature, text, 4, kind))
        elif kind != "module":
            modules[owner].append(("function", name, stub_function(name, signature, text, 0)))
    for module, items in modules.items():
        out = [STUB_HEAD % ("." + module if module else "")]
        if not module:
            out.append(CORE_HEAD + "".join("%s: Dtype\n" % t for t in TYPES))
        else:
            out.append("from . import Device, DeviceType, Dtype, Stream, StreamOrDevice, ThreadLocalStream, array, bfloat16, float32, int32, scalar, ArrayLike\nfrom numpy import ndarray\n")
        for kind, name, text in items:
            if kind == "function":
                out.append(text)
                continue
            out.append("class %s:\n    \"\"\"%s\"\"\"\n" % (name.rpartition(".")[2], text))
            out += classes[name]
            for value in ENUMS.get(name, []):
                out.append("    %s: %s\n" % (value, name))
        for enum, values in ENUMS.items():
            if not module:
                out += ["%s: %s\n" % (v, enum) for v in values]
        write(package / "core" / ("__init__.pyi" if not module else module + ".pyi"), "\n".join(out))


main()
