"""Every name of the tables exists, with its signature and a docstring."""
import ast
import importlib
import inspect
import pathlib
import re

import pytest

API = pathlib.Path(__file__).resolve().parents[2] / "frontend" / "python" / "api"
CORE = API / "signatures.txt"
LAYERS = API / "layers.txt"


def lines(path):
    return [l for l in path.read_text().splitlines() if l and not l.startswith("#")]


def found(module, name):
    """The object of a dotted name, looked up without descriptors."""
    at = importlib.import_module(module)
    for part in name.split("."):
        at = inspect.getattr_static(at, part) if inspect.isclass(at) else getattr(at, part)
    return at


def core_rows():
    rows = {}
    for line in lines(CORE):
        kind = re.match(r"(class|module|enum|property) ", line)
        text = line[kind.end():] if kind else line
        rows.setdefault((kind[1] if kind else "function", text.split("(")[0]), []).append(text)
    return rows.items()


def test_core():
    missing, differ = [], []
    for (kind, name), texts in core_rows():
        try:
            at = found("frit.core", name)
        except AttributeError:
            missing.append(name)
            continue
        if kind == "property":
            at = at.fget
        doc = at.__doc__ or ""
        if kind in ("class", "module", "enum"):
            if not doc.strip():
                differ.append(name + ": no docstring")
            continue
        last = name.rpartition(".")[2]
        want = [last + t[len(name):] for t in texts]
        head = doc.split("\n\n")[0].splitlines()
        if head != want:
            differ.append("%s: %s, not %s" % (name, head, want))
        elif len(doc.split("\n\n", 1)) < 2:
            differ.append(name + ": no text behind the signature")
    assert not missing and not differ, "\n".join(["missing: " + ", ".join(missing)] + differ)


def parameters_of_text(text):
    """(name, kind, has a default) of each parameter in a signature."""
    clean = re.sub(r"[\w.]*<[^>]*>", "None", text)
    args = ast.parse("def f%s: pass" % clean[clean.index("("):]).body[0].args
    positional = args.posonlyargs + args.args
    defaults = [None] * (len(positional) - len(args.defaults)) + args.defaults
    out = [(a.arg, "positional", d) for a, d in zip(positional, defaults)]
    if args.vararg:
        out.append((args.vararg.arg, "*", None))
    out += [(a.arg, "keyword", d) for a, d in zip(args.kwonlyargs, args.kw_defaults)]
    if args.kwarg:
        out.append((args.kwarg.arg, "**", None))
    return [(n, k, d is not None) for n, k, d in out]


def parameters_of(function):
    kinds = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**", inspect.Parameter.KEYWORD_ONLY: "keyword"}
    return [(p.name, kinds.get(p.kind, "positional"), p.default is not inspect.Parameter.empty)
            for p in inspect.signature(function).parameters.values()]


def constants_of_text(text):
    """Defaults that are constants, by the name of their parameter."""
    clean = re.sub(r"[\w.]*<[^>]*>", "None", text)
    args = ast.parse("def f%s: pass" % clean[clean.index("("):]).body[0].args
    positional = args.posonlyargs + args.args
    pairs = list(zip(positional[len(positional) - len(args.defaults):], args.defaults)) + list(zip(args.kwonlyargs, args.kw_defaults))
    out = {}
    for a, d in pairs:
        try:
            out[a.arg] = ast.literal_eval(d) if d is not None else None
        except ValueError:
            pass
    return out


def test_layers():
    wrong = []
    for line in lines(LAYERS):
        kind = re.match(r"(class|module|property) ", line)
        text = line[kind.end():] if kind else line
        name = text.split("(")[0]
        package, rest = name.split(".", 1)
        try:
            at = found("frit." + package, rest)
        except AttributeError:
            wrong.append(name + " is missing")
            continue
        if kind and kind[1] == "class":
            bases = [b for b in re.findall(r"\w+", text[len(name):])]
            for base in bases:
                if base not in [c.__name__ for c in at.__mro__]:
                    wrong.append("%s is no %s" % (name, base))
        if kind and kind[1] != "property":
            continue
        if isinstance(at, property):
            at = at.fget
        elif isinstance(at, (staticmethod, classmethod)):
            at = at.__func__
        if not (inspect.getdoc(at) or "").strip() and not name.endswith("__init__"):
            wrong.append(name + " has no docstring")
        got, want = parameters_of(at), parameters_of_text(text)
        if [g[:2] for g in got] != [w[:2] for w in want] or [g[2] for g in got] != [w[2] for w in want]:
            wrong.append("%s takes %s, not %s" % (name, got, want))
            continue
        defaults = {p.name: p.default for p in inspect.signature(at).parameters.values()}
        for parameter, value in constants_of_text(text).items():
            if value is not None and defaults[parameter] != value:
                wrong.append("%s: the default of %s is %r, not %r" % (name, parameter, defaults[parameter], value))
    assert not wrong, "\n".join(wrong)


def test_a_wrong_keyword_is_a_type_error():
    mx = importlib.import_module("frit.core")
    for call in (lambda: mx.sum(mx.array([1]), foo=1), lambda: mx.add(1, 2, foo=1), lambda: mx.zeros((1,), shap=2)):
        with pytest.raises(TypeError):
            call()


def test_modules_of_layers_are_attributes():
    import frit.nn as nn
    for name in ("activations", "base", "containers", "convolution", "convolution_transpose", "distributed", "dropout", "embedding", "linear",
                 "normalization", "pooling", "positional_encoding", "quantized", "recurrent", "transformer", "upsample"):
        assert inspect.ismodule(getattr(nn.layers, name)) and inspect.ismodule(getattr(nn, name))
