"""Products of matrices that positions pick, against NumPy: layouts, types, positions, derivatives, batches, open sizes."""
import os
import subprocess
import sys

import numpy as np
import pytest

import frit.core as mx

TYPES = {mx.float32: 2e-5, mx.float16: 4e-3, mx.bfloat16: 3e-2, mx.float64: 1e-12, mx.complex64: 2e-5}


def numbers(shape, seed, dtype=mx.float32):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    if dtype == mx.complex64:
        x = x + 1j * rng.standard_normal(shape)
    return mx.array(x.astype(np.complex64 if dtype == mx.complex64 else np.float64)).astype(dtype)


def exact(x):
    if x.dtype == mx.complex64:
        return np.array(x).astype(np.complex128)
    return np.array(x.astype(mx.float64))


def picked(a, b, left, right):
    return np.stack([a[i] @ b[j] for i, j in zip(left, right)]) if len(left) else np.zeros((0, a.shape[1], b.shape[2]))


def close(got, want, bound):
    scale = max(1.0, float(np.abs(want).max())) if want.size else 1.0
    assert got.shape == want.shape
    assert np.abs(exact(got) - want).max(initial=0) <= bound * scale


# Rows of the left matrices, depth, columns, stacks and pairs: single rows, few and many of one matrix, wide, tall and
# square matrices, sizes that no vector divides, a stack that has more matrices than there are pairs.
SHAPES = [(1, 64, 96, 5, 4, 7), (1, 33, 17, 40, 3, 130), (1, 300, 257, 600, 2, 600), (3, 31, 45, 9, 5, 70),
          (70, 16, 40, 4, 3, 9), (48, 20, 5, 3, 6, 50), (9, 9, 9, 5, 900, 30), (130, 3, 2, 2, 8, 11), (1, 1, 1, 3, 3, 20)]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("turned", [False, True])
def test_products_are_those_of_the_picked_matrices(shape, dtype, turned):
    m, k, n, lefts, rights, pairs = shape
    a, b = numbers((lefts, m, k), 1, dtype), numbers((rights, k, n), 2, dtype)
    if turned:  # both lie along their columns
        a = mx.contiguous(a.swapaxes(-1, -2)).swapaxes(-1, -2)
        b = mx.contiguous(b.swapaxes(-1, -2)).swapaxes(-1, -2)
    rng = np.random.default_rng(3)
    left, right = rng.integers(0, lefts, pairs), rng.integers(0, rights, pairs)
    call = lambda a, b, i, j: mx.gather_mm(a, b, i, j)
    operands = a, b, mx.array(left), mx.array(right)
    got = call(*operands)
    close(got, picked(exact(a), exact(b), left, right), TYPES[dtype] * k**0.5)
    assert mx.array_equal(mx.compile(call)(*operands), got)
    ordered = np.sort(right)
    close(mx.gather_mm(a, b, operands[2], mx.array(ordered), sorted_indices=True),
          picked(exact(a), exact(b), left, ordered), TYPES[dtype] * k**0.5)


@pytest.mark.parametrize("name", ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"])
def test_positions_of_any_integer_type_are_moved_inside(name):
    a, b = numbers((3, 2, 5), 1), numbers((4, 5, 6), 2)
    given = [0, 3, 2, 100, 1] + ([-1, -4, -5, -100] if name.startswith("int") else [7, 2, 3, 120])
    at = np.array(given, dtype=name)
    inside = lambda count: [min(max(i + count if i < 0 else i, 0), count - 1) for i in given]
    got = mx.gather_mm(a, b, mx.array(at), mx.array(at))
    close(got, picked(exact(a), exact(b), inside(3), inside(4)), 1e-5)
    if name == "uint64":
        high = mx.array(np.array([2**64 - 1, 2**63], dtype=name))
        close(mx.gather_mm(a, b, high, high), picked(exact(a), exact(b), [2, 2], [3, 3]), 1e-5)


def test_one_list_of_positions_and_axes_of_a_batch_broadcast():
    a, b = numbers((2, 3, 4, 5), 1), numbers((2, 2, 5, 6), 2)
    x, y = exact(a).reshape(6, 4, 5), exact(b).reshape(4, 5, 6)
    at = np.array([[[1]], [[3]]])
    want = np.stack([[x[i] @ y[at[o, 0, 0]] for i in range(6)] for o in range(2)]).reshape(2, 2, 3, 4, 6)
    close(mx.gather_mm(a, b, rhs_indices=mx.array(at)), want, 1e-5)
    picks = np.array([5, 0, 5, 2])
    want = np.stack([x[i] @ y[j] for i, j in zip(picks, range(4))]).reshape(2, 2, 4, 6)
    close(mx.gather_mm(a, b, lhs_indices=mx.array(picks.reshape(2, 2))), want, 1e-5)


def layer(x, w, at):
    return mx.gather_mm(mx.expand_dims(x, (-2, -3)), w.swapaxes(-1, -2), rhs_indices=at)


@pytest.mark.parametrize("size", [(1, 3, 8, 40, 24), (40, 2, 3, 17, 33), (300, 2, 4, 12, 20)])
@pytest.mark.parametrize("dtype", [mx.float32, mx.bfloat16])
def test_gradients_of_a_layer_of_experts(size, dtype):
    tokens, each, experts, depth, columns = size
    x, w = numbers((tokens, depth), 1, dtype), numbers((experts, columns, depth), 2, dtype)
    at = np.random.default_rng(3).integers(0, experts, (tokens, each))
    weight = numbers((tokens, each, 1, columns), 4, dtype)
    loss = lambda x, w: (layer(x, w, mx.array(at)).astype(mx.float32) * weight.astype(mx.float32)).sum()
    dx, dw = mx.grad(loss, argnums=(0, 1))(x, w)
    ex, ew, ec = exact(x), exact(w), exact(weight)[:, :, 0]
    want_x, want_w = np.zeros(ex.shape), np.zeros(ew.shape)
    for t in range(tokens):
        for j in range(each):
            want_x[t] += ec[t, j] @ ew[at[t, j]]
            want_w[at[t, j]] += np.outer(ec[t, j], ex[t])
    bound = {mx.float32: 3e-5, mx.bfloat16: 4e-2}[dtype]
    close(dx, want_x, bound)
    close(dw, want_w, bound)
    compiled = mx.compile(mx.grad(loss, argnums=(0, 1)))(x, w)
    close(compiled[0], want_x, bound)
    close(compiled[1], want_w, bound)


def test_more_pairs_for_a_matrix_than_are_summed_at_once():
    x, w = numbers((9000, 3), 1), numbers((2, 5, 3), 2)
    at = (np.arange(9000) % 7 == 0).astype(np.int32)[:, None]
    weight = numbers((9000, 1, 1, 5), 3)
    dw = mx.grad(lambda w: (layer(x, w, mx.array(at)) * weight).sum())(w)
    c, e = exact(weight)[:, 0, 0], exact(x)
    want = np.stack([c[at[:, 0] == i].T @ e[at[:, 0] == i] for i in range(2)])
    close(dw, want, 2e-5)


def test_gradients_of_gradients_and_tangents():
    a, b = numbers((3, 2, 4), 1, mx.float64), numbers((4, 4, 5), 2, mx.float64)
    left, right = mx.array([0, 2, 2, 1, 0]), mx.array([3, 3, 0, -4, 1])
    f = lambda a, b: (mx.gather_mm(a, b, left, right) ** 3).sum()
    da, db = numbers((3, 2, 4), 3, mx.float64), numbers((4, 4, 5), 4, mx.float64)
    first = lambda a, b: sum((g * d).sum() for g, d in zip(mx.grad(f, argnums=(0, 1))(a, b), (da, db)))
    second = mx.grad(first, argnums=(0, 1))(a, b)
    product = lambda a, b: picked(a, b, [0, 2, 2, 1, 0], [3, 3, 0, 0, 1])
    x, y, u, v = exact(a), exact(b), exact(da), exact(db)
    slope = lambda a, b: 3 * (product(a, b) ** 2 * (product(u, b) + product(a, v))).sum()
    close(mx.jvp(f, [a, b], [da, db])[1][0], np.array(slope(x, y)), 1e-12)
    for arg, got in enumerate(second):
        for at in [(0, 0, 0), (2, 1, 3), (1, 1, 2)]:
            step = np.zeros((x, y)[arg].shape)
            step[at] = 1e-5
            moved = lambda s: slope(x + s, y) if arg == 0 else slope(x, y + s)
            assert abs((moved(step) - moved(-step)) / 2e-5 - exact(got)[at]) < 1e-4


@pytest.mark.parametrize("axes", [(0, None, None), (None, 0, None), (None, None, 0), (0, 0, None), (0, None, 0), (1, 1, 1)])
def test_vmap_is_a_loop(axes):
    size = lambda shape, axis: shape if axis is None else shape[:axis] + (3,) + shape[axis:]
    x, w = numbers(size((6, 7), axes[0]), 1), numbers(size((4, 5, 7), axes[1]), 2)
    at = mx.array(np.random.default_rng(3).integers(-5, 6, size((6, 2), axes[2])))
    f = lambda x, w, at: layer(x, w, at)
    part = lambda v, axis, i: v if axis is None else mx.take(v, i, axis)
    want = np.stack([exact(f(*(part(v, a, i) for v, a in zip((x, w, at), axes)))) for i in range(3)])
    close(mx.vmap(f, in_axes=axes)(x, w, at), want, 1e-5)
    g = lambda x, w, at: mx.grad(lambda x, w: (f(x, w, at) ** 2).sum(), argnums=(0, 1))(x, w)
    got = mx.vmap(g, in_axes=axes)(x, w, at)
    for k in range(2):
        want = np.stack([exact(g(*(part(v, a, i) for v, a in zip((x, w, at), axes)))[k]) for i in range(3)])
        close(got[k], want, 1e-5)


def test_sizes_may_be_open_and_nothing():
    layer_of_any = mx.compile(layer, shapeless=True)
    gradient = mx.compile(mx.grad(lambda w, x, at: (layer(x, w, at) ** 2).sum()), shapeless=True)
    for tokens, each, experts, depth, columns in [(4, 2, 3, 8, 6), (1, 1, 5, 16, 7), (9, 3, 3, 8, 8), (0, 2, 3, 8, 6), (5, 0, 3, 4, 4)]:
        x, w = numbers((tokens, depth), 1), numbers((experts, columns, depth), 2)
        at = mx.array(np.random.default_rng(3).integers(0, experts, (tokens, each)))
        assert mx.array_equal(layer_of_any(x, w, at), layer(x, w, at))
        assert layer(x, w, at).shape == (tokens, each, 1, columns)
        want = mx.grad(lambda w: (layer(x, w, at) ** 2).sum())(w)
        assert mx.allclose(gradient(w, x, at), want, rtol=1e-5, atol=1e-5)
    assert np.array(mx.gather_mm(mx.zeros((2, 3, 0)), mx.zeros((2, 0, 4)), rhs_indices=mx.array([1, 0]))).tolist() == np.zeros((2, 3, 4)).tolist()
    none = mx.array(np.zeros((0,), dtype=np.int32))
    assert mx.gather_mm(mx.zeros((0, 3, 2)), mx.zeros((5, 2, 4)), none, none).shape == (0, 3, 4)
    with pytest.raises(ValueError, match="no matrices"):
        mx.gather_mm(mx.zeros((0, 3, 2)), mx.zeros((5, 2, 4)), mx.array([0]), mx.array([0]))
    with pytest.raises(ValueError, match="do not fit"):
        mx.gather_mm(mx.zeros((2, 3, 2)), mx.zeros((5, 3, 4)), rhs_indices=mx.array([0, 1]))
    with pytest.raises(ValueError, match="floating"):
        mx.gather_mm(mx.zeros((2, 3, 2), mx.int32), mx.zeros((5, 2, 4), mx.int32), rhs_indices=mx.array([0, 1]))


PROGRAM = """
import hashlib
import numpy as np
import frit.core as mx
digest = hashlib.sha256()
for dtype in (mx.float32, mx.bfloat16, mx.complex64):
    for tokens, each, experts, depth, columns in ((1, 4, 8, 640, 700), (90, 2, 5, 300, 520), (700, 1, 2, 40, 64)):
        draw = lambda shape, seed: mx.array(np.random.default_rng(seed).standard_normal(shape)).astype(dtype)
        x, w = draw((tokens, 1, 1, depth), 1), draw((experts, columns, depth), 2)
        at = mx.array(np.random.default_rng(3).integers(0, experts, (tokens, each)))
        f = lambda x, w: mx.gather_mm(x, w.swapaxes(-1, -2), rhs_indices=at)
        for y in [f(x, w), *mx.vjp(f, [x, w], [f(x, w)])[1]]:
            digest.update(np.array(mx.view(y, mx.uint16 if dtype == mx.bfloat16 else mx.uint32)).tobytes())
print(digest.hexdigest())
"""


def test_the_bits_are_the_same_for_any_number_of_threads():
    def digest(threads):
        environment = {**os.environ, "FRIT_NUM_THREADS": str(threads)}
        return subprocess.run([sys.executable, "-c", PROGRAM], env=environment, check=True, capture_output=True).stdout

    assert digest(1) == digest(2) == digest(5)
