"""Lines of the user's program in graphs, explanations and errors of traces, and names of arguments."""
import functools
import os
import signal
import subprocess
import sys

import pytest

import frit.core as mx
import frit.nn as nn
import frit.optimizers as optim


def here():
    return f'"{__file__}":{sys._getframe(1).f_lineno}'


def locations(function, *arguments):
    return [line.split("// loc ")[1].strip() for line in function.lower(*arguments).ir.splitlines() if "// loc " in line]


def test_operations():
    lines = []

    def f(q, k):
        lines.append(here()); s = q @ k.T
        lines.append(here()); p = mx.softmax(s, axis=-1)
        lines.append(here()); return p[1:] + mx.matmul(p, p)[1:]

    found = locations(mx.compile(f), mx.ones((4, 3)), mx.ones((4, 3)))
    assert list(dict.fromkeys(found)) == lines


def test_long_functions():
    source = "def f(x):\n" + "".join("    x = mx.exp(x)\n" for _ in range(200)) + "    return x\n"
    names = {"mx": mx}
    exec(compile(source, "long.py", "exec"), names)
    assert locations(mx.compile(names["f"]), mx.ones(3)) == [f'"long.py":{i + 2}' for i in range(200)]


def test_layers_and_optimizers():
    model = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.LayerNorm(8))
    optimizer = optim.AdamW(1e-3)
    optimizer.init(model.trainable_parameters())
    lines = set()

    def loss(model, x):
        lines.add(here()); return nn.losses.mse_loss(model(x), x @ mx.ones((4, 8)))

    step = nn.value_and_grad(model, loss)

    @functools.partial(mx.compile, inputs=[model.state, optimizer.state], outputs=[model.state, optimizer.state])
    def train(x):
        value, gradients = step(model, x)
        lines.add(here()); optimizer.update(model, gradients)
        return value

    form = train.lower(mx.ones((2, 4))).ir
    assert {line.split("// loc ")[1].strip().removesuffix(" backward") for line in form.splitlines() if "// loc " in line} == lines
    assert "%state.0.layers.0.weight: f32[8, 4]" in form
    assert "%state.1.layers.0.weight.m" in form


def test_names_of_arguments():
    def f(tokens, weights, *, scale):
        return tokens @ weights["out"][0] * scale

    head = mx.compile(f).lower(mx.ones((2, 3)), {"out": [mx.ones((3, 5))]}, scale=mx.array(2.0)).ir.splitlines()[0]
    assert head.startswith("func @f(%tokens: f32[2, 3], %weights.out.0: f32[3, 5], %scale: f32[])")

    class Scaled:
        def __call__(self, x):
            return x * 2

        def times(self, factor, *others):
            return factor * others[0]

    assert "(%x: f32[2])" in mx.compile(Scaled()).lower(mx.ones(2)).ir
    assert "(%factor: f32[2], %y: f32[2])" in mx.compile(Scaled().times).lower(mx.ones(2), mx.ones(2)).ir


def test_why_again():
    @mx.compile
    def f(rows):
        return rows * 2

    mx.eval(f(mx.ones(3)), f(mx.ones(4)))
    assert "argument 0 'rows' is f32[4], was f32[3]" in f.explain()
    line = sys._getframe().f_lineno + 4

    @functools.partial(mx.compile, shapeless=True)
    def g(x):
        return x * x.shape[0]

    mx.eval(g(mx.ones(3)), g(mx.ones(4)))
    assert f"{__file__}:{line} assumed x.dim(0) == 3, but it is 4" in g.explain()


@pytest.mark.parametrize("read", [lambda c: print(c), lambda c: float(c), lambda c: c.item(), lambda c: bool(c), lambda c: mx.eval(c)])
def test_reading_a_tracer(read):
    line = sys._getframe().f_lineno + 2
    def outer(a, b):
        c = b.sum()
        return read(c)

    with pytest.raises(ValueError, match="while 'outer' is traced, and depends on its argument 'b'") as error:
        mx.compile(outer)(mx.ones(2), mx.ones(2))
    assert f"'sum' ({__file__}:{line})" in str(error.value)
    assert f"at {__file__}:" in str(error.value)


def test_reading_a_tracer_behind_its_trace():
    kept = []

    def keeps(a):
        kept.append(a * 2)
        return kept[0] + 1

    mx.compile(keeps)(mx.ones(2))
    for read in (str, mx.eval, lambda a: a.tolist(), lambda a: (a + 1).sum().item()):
        with pytest.raises(RuntimeError, match="made while 'keeps' was traced has no value, as it depends on its arguments"):
            read(kept[0])


@pytest.mark.parametrize("raises", [lambda: next(iter([])), lambda: signal.raise_signal(signal.SIGINT), lambda: {}["a"],
                                    lambda: open("/nowhere/x"), lambda: [0] * (1 << 62), lambda: 1 // 0, lambda: sys.exit(3)])
def test_errors_of_traced_functions_have_a_value(raises):
    def f(x):
        raises()
        return x + 1

    with pytest.raises(BaseException) as alone:
        raises()
    for traced in (mx.compile(f), mx.compile(f, shapeless=True), mx.compile(mx.grad(lambda x: f(x).sum()))):
        with pytest.raises(alone.type) as error:
            traced(mx.ones(2))
        assert str(error.value) == str(alone.value)
        assert sys.version_info < (3, 11) or any("was traced" in note for note in error.value.__notes__)


def test_reading_an_argument():
    with pytest.raises(ValueError, match="the value of argument 'a' was asked for while 'shown' is traced"):
        def shown(a):
            print(a)
            return a
        mx.compile(shown)(mx.ones(2))


def test_own_functions(tmp_path):
    """Functions that frit compiles for itself have no page and no line in the log."""
    program = """import frit.core as mx
f = mx.compile(lambda x: x * 2, name="doubled")
for n in (3, 4, 5):
    x = mx.random.normal((n, 8))
    mx.eval(mx.fast.rms_norm(x, mx.ones(8), 1e-5), mx.linalg.norm(x), mx.logsumexp(x), mx.random.permutation(n), f(x))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True,
                          env={**os.environ, "FRIT_REPORT": str(tmp_path), "FRIT_LOG": "recompiles"})
    assert sorted(p.name for p in tmp_path.iterdir()) == ["doubled.html", "index.html"]
    assert done.stderr and all("doubled" in line for line in done.stderr.splitlines())


@pytest.mark.parametrize("which", ["inputs", "outputs"])
@pytest.mark.parametrize("state", [3, 1.5, "model", nn.Linear(2, 2).__call__])
def test_state_of_no_arrays(which, state):
    with pytest.raises(TypeError, match=f"compile: {which} is of type .*give a list, tuple or dict of arrays"):
        mx.compile(lambda x: x, **{which: state})


def test_state_of_any_tree():
    for state in ([], {}, (), [nn.Linear(2, 2).state], mx.random.state, mx.ones(2)):
        mx.compile(lambda x: x, inputs=state)(mx.ones(2))


def test_errors_name_no_line_of_the_package():
    for f in (lambda: ~mx.array([1.5]), lambda: -mx.array([True]), lambda: mx.zeros((2, 3)) @ mx.zeros((2, 3)),
              lambda: mx.eval(mx.linalg.cholesky(-mx.eye(2), stream=mx.cpu))):
        with pytest.raises((ValueError, RuntimeError)) as e:
            f()
        assert ".cpp" not in str(e.value)
