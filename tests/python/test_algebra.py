"""Factorisations, draws that need them, and products of packed weights."""
import numpy as np
import pytest

import frit.core as mx


@pytest.mark.parametrize("cov", [[[2.0, 0.0], [0.0, 3.0]], [[2.0, 0.5], [0.5, 1.0]]])
def test_multivariate_normal_takes_the_symmetric_root(cov):
    key = mx.random.key(5)
    values, vectors = np.linalg.eigh(np.array(cov))
    root = vectors @ np.diag(np.sqrt(values)) @ vectors.T
    want = np.array(mx.random.normal((7, 2), key=key)) @ root + np.array([1.0, -1.0])
    got = mx.random.multivariate_normal(mx.array([1.0, -1.0]), mx.array(cov), [7], key=key)
    assert np.allclose(np.array(got), want, atol=1e-5)


@pytest.mark.parametrize("n", [2, 3, 5, 8])
def test_eigenvalues_come_in_the_order_of_the_transposed_matrix(n):
    a = mx.random.normal((n, n), key=mx.random.key(n))
    rows = np.array(a)
    assert np.allclose(np.array(mx.linalg.eigvals(a)), np.linalg.eigvals(rows.T), atol=1e-4)
    values, vectors = (np.array(r) for r in mx.linalg.eig(a))
    assert np.allclose(rows @ vectors, vectors * values, atol=1e-4)
    both = rows + 1j * rows.T.copy()
    values, vectors = (np.array(r) for r in mx.linalg.eig(mx.array(both)))
    assert np.allclose(both @ vectors, vectors * values, atol=1e-4)
    hermitian = both + both.conj().T
    values, vectors = (np.array(r) for r in mx.linalg.eigh(mx.array(hermitian)))
    assert np.allclose(hermitian @ vectors, vectors * values, atol=1e-4)
    assert np.allclose(values, np.linalg.eigvalsh(hermitian), atol=1e-4)


@pytest.mark.parametrize("shape", [(3, 3), (2, 5), (5, 2), (4, 3, 2)])
def test_singular_vectors_of_any_shape_give_the_matrix_again(shape):
    real = mx.random.normal(shape, key=mx.random.key(1))
    for a in (real, real + 1j * mx.random.normal(shape, key=mx.random.key(2))):
        u, s, vt = (np.array(r) for r in mx.linalg.svd(a))
        k = s.shape[-1]
        assert np.allclose((u[..., :k] * s[..., None, :]) @ vt[..., :k, :], np.array(a), atol=1e-5)


@pytest.mark.parametrize("mode", ["affine", "mxfp4", "mxfp8", "nvfp4"])
@pytest.mark.parametrize("gathered", [False, True])
def test_packed_weights_have_no_derivative(mode, gathered):
    x = mx.ones((2, 3, 64))
    packed = mx.quantize(mx.ones((2, 32, 64)), mode=mode)
    at = mx.array([1, 0])

    def loss(x, *packed):
        if gathered:
            return mx.gather_qmm(x, *packed, rhs_indices=at, mode=mode).sum()
        return mx.quantized_matmul(x, *packed, mode=mode).sum()

    assert mx.grad(loss)(x, *packed).shape == x.shape
    with pytest.raises(RuntimeError, match="packed weights"):
        mx.grad(loss, argnums=1)(x, *packed)
    with pytest.raises(RuntimeError, match="packed weights"):
        mx.jvp(lambda w: loss(x, w, *packed[1:]), [packed[0]], [packed[0]])
    if mode == "affine":
        assert mx.grad(loss, argnums=2)(x, *packed).shape == packed[1].shape
    else:
        with pytest.raises(ValueError, match="scales"):
            mx.grad(loss, argnums=2)(x, *packed)
    assert mx.grad(lambda x: loss(x, mx.stop_gradient(packed[0]), *packed[1:]))(x).shape == x.shape
    if gathered:
        with pytest.raises(RuntimeError, match="indices"):
            mx.grad(lambda i: mx.gather_qmm(x, *packed, rhs_indices=i, mode=mode).sum())(at)


@pytest.mark.parametrize("n", [2, 3, 8, 40])
@pytest.mark.parametrize("value", [float("inf"), -float("inf"), float("nan")])
@pytest.mark.parametrize("function", [mx.linalg.svd, mx.linalg.pinv, mx.linalg.eig])
def test_matrices_with_infinities_are_refused(function, value, n):
    a = np.arange(n * n, dtype=np.float32).reshape(n, n) % 7
    a[0, n // 2] = value
    with pytest.raises(RuntimeError, match="infinities"):
        mx.eval(function(mx.array(a)))


@pytest.mark.parametrize("bits", [2, 3, 4, 5, 6, 8])
def test_compiled_products_of_chosen_packed_matrices(bits):
    # 64 results of four sums each: rows that are too short for vectors, at positions from data.
    packed = mx.quantize(mx.random.normal((3, 64, 128), key=mx.random.key(0)), group_size=32, bits=bits)
    x, which = mx.random.normal((4, 1, 128), key=mx.random.key(1)), mx.array([0, 2, 1, 0])

    def product(x):
        return mx.gather_qmm(x, *packed, rhs_indices=which, group_size=32, bits=bits)

    dense = mx.dequantize(*packed, group_size=32, bits=bits)
    assert mx.allclose(mx.compile(product)(x), x @ dense[which].swapaxes(-1, -2), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("shape", [(1, 60), (1, 1, 60)])
def test_a_draw_from_one_distribution_takes_one_number(shape):
    logits = mx.random.normal((60,), key=mx.random.key(0)) * 2
    sums = np.cumsum(np.exp(np.array(logits, dtype=np.float64)))
    for seed in range(20):
        key = mx.random.key(seed)
        number = mx.random.uniform(key=key).item() * sums[-1]
        drawn = mx.random.categorical(logits.reshape(shape), key=key)
        assert drawn.shape == shape[:-1] and drawn.item() == np.searchsorted(sums, number, side="right")
        # Noise for each category, where the logits have no other axis.
        assert mx.random.categorical(logits, key=key).item() == mx.argmax(logits + mx.random.gumbel((60,), key=key)).item()


def test_convolutions_of_vectors_are_those_of_numpy():
    for n in range(1, 8):
        for m in range(1, 8):
            a, v = np.arange(n, dtype=np.float32) + 1, (np.arange(m, dtype=np.float32) + 1) ** 2
            for mode in ("full", "same", "valid"):
                got = mx.convolve(mx.array(a), mx.array(v), mode).tolist()
                assert got == np.convolve(a, v, mode).tolist(), (n, m, mode)
