"""cond, while_loop, fori_loop and scan beside loops of Python."""
import numpy as np
import pytest

import frit.core as mx


def same(a, b):
    np.testing.assert_allclose(np.array(a), np.array(b), rtol=1e-5, atol=1e-6)


def cell(state, x):
    h = mx.tanh(state["h"] * 0.5 + x["a"] @ x["b"])
    return {"h": h, "n": state["n"] + 1}, (h, mx.sum(h))


def looped(init, xs, order):
    outputs = []
    for i in order:
        init, out = cell(init, {k: v[i] for k, v in xs.items()})
        outputs.append(out)
    return init, outputs


def inputs():
    mx.random.seed(3)
    return {"h": mx.zeros((2, 4)), "n": mx.array(0)}, {"a": mx.random.normal((5, 2, 3)), "b": mx.random.normal((5, 3, 4))}


@pytest.mark.parametrize("reverse", [False, True])
def test_scan_of_trees(reverse):
    init, xs = inputs()
    order = list(range(5))[::-1] if reverse else list(range(5))
    last, outputs = looped(init, xs, order)
    if reverse:
        outputs.reverse()
    scanned = lambda i, x: mx.scan(cell, i, x, reverse=reverse)
    for f in scanned, mx.compile(scanned), mx.compile(scanned, shapeless=True):
        got, (hs, sums) = f(init, xs)
        same(got["h"], last["h"])
        assert got["n"].item() == 5 and set(got) == {"h", "n"}
        same(hs, mx.stack([o[0] for o in outputs]))
        same(sums, mx.stack([o[1] for o in outputs]))


def test_scan_without_arrays_or_outputs():
    last, none = mx.scan(lambda s, x: (s * 2, x), mx.array(1.0), length=6)
    assert last.item() == 64 and none is None
    with pytest.raises(ValueError):
        mx.scan(lambda s, x: (s, x), mx.array(1.0))
    empty, out = mx.scan(lambda s, x: (s + x, s), mx.array(1.0), mx.zeros((0,)))
    assert empty.item() == 1 and out.shape == (0,)


def test_gradient_and_batch_of_a_scan():
    def loss(w, xs, step):
        h = mx.zeros((4,))
        total = mx.array(0.0)
        for i in range(xs.shape[0]):
            h = step(w, h, xs[i])
            total = total + mx.sum(mx.square(h))
        return total

    step = lambda w, h, x: mx.tanh(h @ w + x)
    scanned = lambda w, xs: mx.sum(mx.square(mx.scan(lambda h, x: (step(w, h, x),) * 2, mx.zeros((4,)), xs)[1]))
    w, xs = mx.random.normal((4, 4)), mx.random.normal((6, 4))
    want = mx.grad(lambda w, xs: loss(w, xs, step), argnums=(0, 1))(w, xs)
    for f in mx.grad(scanned, argnums=(0, 1)), mx.compile(mx.grad(scanned, argnums=(0, 1))):
        for got, expected in zip(f(w, xs), want):
            same(got, expected)
    batch = mx.random.normal((3, 6, 4))
    same(mx.vmap(scanned, in_axes=(None, 0))(w, batch), mx.stack([scanned(w, b) for b in batch]))
    hessian = lambda f: mx.grad(lambda w: mx.sum(mx.square(mx.grad(f)(w))))
    same(hessian(lambda w: scanned(w, xs))(w), hessian(lambda w: loss(w, xs, step))(w))


def test_fori_loop():
    power = lambda x, n: mx.fori_loop(0, n, lambda i, s: (s[0] * x, s[1] + i), (mx.array(1.0), mx.array(0)))
    value, total = power(mx.array(3.0), 4)
    assert value.item() == 81 and total.item() == 6
    assert mx.grad(lambda x: power(x, 4)[0])(mx.array(3.0)).item() == 108
    bound = mx.compile(lambda n: mx.fori_loop(1, n, lambda i, s: s * i, mx.array(1)))
    assert bound(mx.array(6)).item() == 120 and bound(mx.array(1)).item() == 1


def test_while_loop():
    f = lambda x: mx.while_loop(lambda s: s["x"] < 100, lambda s: {"x": s["x"] * 2, "n": s["n"] + 1},
                                {"x": x, "n": mx.array(0)})
    assert f(mx.array(3.0))["n"].item() == 6
    got = mx.vmap(f)(mx.array([3.0, 200.0, 60.0]))
    assert got["x"].tolist() == [192, 200, 120] and got["n"].tolist() == [6, 0, 1]
    with pytest.raises(ValueError):
        mx.while_loop(lambda s: True, lambda s: s, mx.array(0))


def test_cond():
    f = lambda x: mx.cond(mx.sum(x) > 0, lambda x: {"y": x * 2}, lambda x: {"y": -x}, x)["y"]
    for g in f, mx.compile(f):
        assert g(mx.array([1.0, 2.0])).tolist() == [2, 4]
        assert g(mx.array([-1.0, -2.0])).tolist() == [1, 2]
    assert mx.grad(lambda x: mx.sum(f(x)))(mx.array([-1.0, 0.5])).tolist() == [-1, -1]
    assert mx.vmap(f)(mx.array([[1.0, 2.0], [-1.0, -2.0]])).tolist() == [[2, 4], [1, 2]]


def test_arrays_around_the_loop():
    outer = mx.array([1.0, 2.0])
    f = lambda w: mx.sum(mx.scan(lambda s, x: (s * outer + w * x, None), mx.zeros((2,)), mx.arange(3.0))[0])
    assert f(mx.array(2.0)).item() == mx.compile(f)(mx.array(2.0)).item() == 2 * ((1 + 2) + (2 + 2))
    assert mx.grad(f)(mx.array(2.0)).item() == 7


def test_what_does_not_fit():
    one = mx.array(1.0)
    for call in (
            lambda: mx.scan(lambda s, x: s, one, mx.zeros((3,))),
            lambda: mx.scan(lambda s, x: ((s, s), x), one, mx.zeros((3,))),
            lambda: mx.scan(lambda s, x: (s.astype(mx.int32), x), one, mx.zeros((3,))),
            lambda: mx.scan(lambda s, x: (s, x), (one, 2), mx.zeros((3,))),
            lambda: mx.cond(one > 0, lambda x: x, lambda x: (x, x), one),
            lambda: mx.cond(one > 0, lambda x: x, lambda x: x.astype(mx.int32), one),
            lambda: mx.fori_loop(0, 3, lambda i, s: mx.stack([s, s]), one),
    ):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(KeyError):
        mx.scan(lambda s, x: {}["missing"], one, mx.zeros((3,)))


def test_random_state():
    key = mx.random.key(1)
    draw = lambda key, _: (mx.random.split(key)[0], mx.random.uniform(key=key))
    _, values = mx.scan(draw, key, length=4)
    assert len(set(values.tolist())) == 4
    f = mx.compile(lambda x: mx.scan(lambda s, x: (s + mx.random.uniform(), None), x, length=3)[0],
                   inputs=mx.random.state, outputs=mx.random.state)
    with pytest.raises(ValueError, match="random"):
        f(mx.array(0.0))
    # The key is what it was before.
    mx.random.seed(5)
    first = mx.random.uniform().item()
    mx.random.seed(5)
    with pytest.raises(ValueError):
        f(mx.array(0.0))
    assert mx.random.uniform().item() == first


def test_updates_in_bodies_leave_alone_what_others_read():
    x = mx.sin(mx.arange(12.0)).reshape(4, 3)
    at = mx.array([2, 2])

    def loop(x):  # the base of the update is the same in each iteration
        base = x.T * 2
        return mx.fori_loop(0, 3, lambda i, h: mx.sin(base.at[at].add(h[:2])), x.T)

    def plain(x):
        h = x.T
        for _ in range(3):
            h = mx.sin((x.T * 2).at[at].add(h[:2]))
        return h

    def condition(x):  # the body reads the state behind the condition
        return mx.while_loop(lambda h: mx.sum(h.at[at].add(h[:2])) < 100, lambda h: h + 1, mx.exp(x))

    def plain_condition(x):
        h = mx.exp(x)
        while mx.sum(h.at[at].add(h[:2])).item() < 100:
            h = h + 1
        return h

    def choice(x):  # the operand is read behind the choice
        y = mx.exp(x)
        return mx.cond(mx.sum(x) < 100, lambda v: v.at[at].add(v[:2]), lambda v: v, y) + y

    def plain_choice(x):
        y = mx.exp(x)
        return y.at[at].add(y[:2]) + y

    for f, want in ((loop, plain), (condition, plain_condition), (choice, plain_choice)):
        expected = want(x)
        for g in (f, mx.compile(f), mx.compile(f, shapeless=True)):
            assert mx.allclose(g(x), expected, rtol=1e-6, atol=1e-6).item(), f.__name__
