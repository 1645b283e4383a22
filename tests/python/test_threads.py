"""Threads that compile, differentiate, train, draw and evaluate at once. Where the interpreter has no lock, they do so in the bindings, too."""
import subprocess
import sys
import threading
from functools import partial

import pytest

import frit.core as mx
import frit.nn as nn
import frit.optimizers as optim

THREADS = 6


def at_once(work):
    """Runs work(number of the thread) in several threads, and gives their errors on."""
    errors = []

    def run(i):
        try:
            work(i)
        except BaseException as e:
            errors.append(e)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(THREADS)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if errors:
        raise errors[0]


def test_one_function_traces_for_many_shapes():
    f = mx.compile(lambda a, b: mx.softmax(a @ b, axis=-1))

    def work(_):
        for n in range(1, 12):
            assert f(mx.ones((n, 4)), mx.ones((4, n))).sum().item() == pytest.approx(n, rel=1e-5)

    at_once(work)


def test_gradients_and_maps():
    def work(i):
        for _ in range(50):
            value, grads = mx.value_and_grad(lambda tree: (tree["x"] * tree["x"]).sum())({"x": mx.arange(5.0) + i})
            assert grads["x"].tolist() == [2.0 * (i + k) for k in range(5)]
            assert mx.vmap(lambda a: a * i)(mx.ones((3, 2))).tolist() == [[float(i)] * 2] * 3

    at_once(work)


def test_training_of_a_model_in_each():
    def work(i):
        model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
        optimizer = optim.Adam(1e-2)
        state = [model.state, optimizer.state]

        @partial(mx.compile, inputs=state, outputs=state)
        def step(x):
            loss, grads = nn.value_and_grad(model, lambda x: (model(x) ** 2).mean())(x)
            optimizer.update(model, grads)
            return loss

        losses = [step(mx.ones((3, 4)) + i).item() for _ in range(20)]
        assert min(losses[1:]) < losses[0]

    at_once(work)


def test_draws_and_one_lazy_array():
    drawn, lazy = [], (mx.ones((100, 100)) @ mx.ones((100, 100))).sum(axis=0)

    def work(_):
        for _ in range(50):
            drawn.append(mx.random.uniform().item())
        assert lazy.tolist() == [10000.0] * 100 and repr(lazy).startswith("array([10000")

    at_once(work)
    assert len(set(drawn)) > 0.99 * len(drawn)  # no key is used twice


def test_indexing_and_changes_of_own_arrays():
    def work(i):
        for k in range(100):
            x = mx.arange(10.0)
            x[k % 10] = i
            x += 1
            assert x.at[1].add(2).shape == (10,) and x[k % 10].item() == i + 1
            assert mx.array([[1, 2], [3, k]]).sum().item() == 6 + k

    at_once(work)


# The last ones run Python functions of the user, which sleep, from inside of the library.
@pytest.mark.parametrize(
    "work",
    [
        "mx.eval(mx.ones((3,)) + 1)",
        "(mx.ones((3,)) + 1).sum().item()",
        "f(mx.ones((50, 50))).tolist()",
        "mx.grad(slow)(mx.ones(3)), mx.value_and_grad(slow)(mx.ones(3))",
        "mx.jvp(slow, [mx.ones(3)], [mx.ones(3)]), mx.vjp(slow, [mx.ones(3)], [mx.array(1.0)])",
        "mx.compile(slow)(mx.ones(3)), mx.vmap(slow)(mx.ones((2, 3))), mx.grad(mx.checkpoint(slow))(mx.ones(3))",
        "mx.custom_function(slow)(mx.ones(3)), mx.grad(ruled)(mx.ones(3)), mx.vmap(ruled)(mx.ones((2, 3)))",
        "mx.export_function(lambda record: time.sleep(0.001), slow, mx.ones(3))",
        "mx.fori_loop(0, 2, lambda i, v: v + slow(v), mx.ones(3)), mx.scan(lambda s, v: (s + slow(v), v), mx.array(0.0), mx.ones(3))",
        "mx.while_loop(lambda v: slow(v) < 3, lambda v: v + slow(v), mx.ones(3)), mx.cond(mx.array(True), slow, slow, mx.ones(3))",
    ],
)
def test_daemons_do_not_abort_the_end_of_a_program(work):
    program = f"""
import threading, time
import frit.core as mx
f = mx.compile(lambda x: mx.sin(x) @ x)
def slow(x):
    time.sleep(0.001)
    return (x * x).sum()
ruled = mx.custom_function(slow)
ruled.vjp(lambda primals, cotangent, output: (slow(primals), primals)[1])
ruled.vmap(lambda values, axes: (slow(values), values.sum(axis=1), axes)[1:])
started = threading.Event()
def spin():
    while True:
        {work}
        started.set()
for _ in range(3):
    threading.Thread(target=spin, daemon=True).start()
started.wait()
time.sleep(0.2)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
