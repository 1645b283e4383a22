"""Operands, formats and inputs of functions that programs for MLX rely on: types, shapes and exception types."""
import math

import numpy as np
import pytest

import frit.core as mx
import frit.nn as nn
import frit.optimizers as optim
import frit.utils as utils


@pytest.mark.parametrize("dtype", [mx.bool_, mx.uint8, mx.int32, mx.float16, mx.bfloat16, mx.float32])
@pytest.mark.parametrize("other", [np.array([1, 2, 3]), np.array([1.5, 2, 3], np.float32), np.int32(2), np.float32(2)])
def test_arrays_of_numpy_take_the_type_beside_them(dtype, other):
    a = mx.array([1, 0, 2]).astype(dtype)
    assert (a * other).dtype == dtype and mx.add(a, other).dtype == dtype and mx.maximum(other, a).dtype == dtype
    assert (a * other).tolist() == (a * mx.array(other).astype(dtype)).tolist()
    b = a
    b += other
    assert b.dtype == dtype
    assert mx.add(other, other).dtype == mx.array(other).dtype


@pytest.mark.parametrize("a, b, want", [
    (np.int32(3), 2**33, mx.int64), (np.int8(3), 300, mx.int32), (np.uint8(1), -1, mx.int32), (np.uint64(1), 1, mx.float32),
    (np.float16(1), 1.5, mx.float32), (np.float16(1), 2, mx.float16), (np.array([3], np.int8), 4, mx.int32),
    (np.bool_(True), 3, mx.int32), (np.int64(3), 2, mx.int64),
])
def test_objects_that_are_no_arrays_have_each_a_type_of_its_own(a, b, want):
    for r in (mx.add(a, b), mx.add(b, a), mx.maximum(a, b)):
        assert r.dtype == want
    assert mx.add(a, b).sum().item() == float(np.sum(a)) + b


def test_truth_values_have_types_of_their_own():
    assert mx.logical_and(mx.array([1, 0], mx.uint8), 300).tolist() == [True, False]
    assert mx.logical_not(mx.array(1j)).item() is False
    assert mx.logical_or(mx.array([0.0, 1.0]), 1j).tolist() == [True, True]


def test_ranges_take_bools_beside_numbers():
    for r, want in ((mx.arange(True, 3), [1, 2]), (mx.arange(3, step=True), [0, 1, 2]), (mx.arange(0, True), [0]),
                    (mx.arange(True, dtype=mx.int32), [0])):
        assert r.tolist() == want and r.dtype == mx.int32
    assert mx.arange(True, step=2.0).dtype == mx.float32
    for call in (lambda: mx.arange(False), lambda: mx.arange(True, True), lambda: mx.arange(0, 2, 1, dtype=mx.bool_)):
        with pytest.raises(ValueError):
            call()


def test_convolutions_of_floats_alone():
    x, w = mx.arange(5).reshape(1, 5, 1), mx.array([1.0, 2.0, 3.0]).reshape(1, 3, 1)
    for call in (lambda: mx.conv1d(x, w), lambda: mx.conv_transpose1d(x, w), lambda: nn.Conv1d(1, 2, 3)(x),
                 lambda: mx.convolve(mx.array([1, 2, 3]), mx.array([1.0, 1.0]))):
        with pytest.raises(ValueError):
            call()
    assert mx.conv1d(x.astype(mx.float32), w.astype(mx.int32)).flatten().tolist() == [8, 14, 20]
    assert mx.conv1d(x.astype(mx.float32), w, padding=-1).flatten().tolist() == [14]


def test_integers_have_no_matrix_product():
    a = mx.array([[1, 2], [3, 4]])
    for f in (lambda: a @ a, lambda: mx.inner(a, a), lambda: mx.tensordot(a, a, 1), lambda: mx.einsum("ij,jk", a, a)):
        with pytest.raises(ValueError):
            f()
    assert mx.einsum("i,j->ij", a[0], a[1]).tolist() == [[3, 4], [6, 8]]
    assert (a @ a.astype(mx.float32)).tolist() == [[7, 10], [15, 22]]


def test_integer_arithmetic_at_its_edges():
    a = mx.array([7, -7, 0])
    assert (a % 0).tolist() == [7, -7, 0] and mx.remainder(a.astype(mx.uint8), mx.array(0, mx.uint8))[0].item() == 7
    assert (mx.array([1, -1, 2]) ** -1).tolist() == [0, 0, 0]


@pytest.mark.parametrize("mask, value, want", [
    ([True, False, True], [1.0, 2.0], [[1, 2], [0, 0], [1, 2]]),
    ([True, False, True], [[1.0], [3.0]], [[1, 1], [0, 0], [3, 3]]),
    ([True, False, True], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [[1, 2], [0, 0], [3, 4]]),
    ([[True, False], [False, True], [True, False]], [1.0, 2.0, 3.0], [[1, 0], [0, 2], [3, 0]]),
])
def test_masks_take_parts_that_broadcast(mask, value, want):
    a = mx.zeros((3, 2))
    a[mx.array(mask)] = mx.array(value)
    assert a.tolist() == want


@pytest.mark.parametrize("shape, mask, value", [
    ((3, 2), [True, False, True], [[1.0, 2.0]]),
    ((3, 2), [True, True, True], [[1.0, 2.0], [3.0, 4.0]]),
    ((3,), [True, False, True], [1.0]),
    ((3, 2), [[True, True], [True, False], [False, False]], [1.0, 2.0]),
])
def test_masks_refuse_too_few_parts(shape, mask, value):
    a = mx.zeros(shape)
    with pytest.raises(RuntimeError, match="true elements"):
        a[mx.array(mask)] = mx.array(value)
    assert a.tolist() == mx.zeros(shape).tolist()
    few = mx.array(mask) & (mx.cumsum(mx.ones(mx.array(mask).size).reshape(mx.array(mask).shape)).reshape(
        mx.array(mask).shape) <= len(value))  # as many as there are parts
    a[few] = mx.array(value)
    assert a.sum().item() == sum(sum(v) if isinstance(v, list) else v for v in value)


@pytest.mark.parametrize("shape, index, value", [
    ((2, 3), ..., mx.full((1, 1, 2, 1), 2.5)), ((2, 3), ..., 2.5), ((), ..., mx.array([2.5])), ((), (), 2.5),
    ((), (), mx.array([[2.5]])), ((2, 3), None, 2.5),
])
def test_whole_arrays_take_the_type_of_the_value(shape, index, value):
    a = mx.zeros(shape, mx.int32)
    a[index] = value
    assert a.dtype == mx.float32 and a.tolist() == mx.full(shape, 2.5).tolist()
    assert mx.ones(shape, mx.int32).at[index].add(value).tolist() == mx.full(shape, 3.5).tolist()


def test_masks_in_compiled_functions_take_the_last_part_again():
    def put(m):
        a = mx.zeros(3)
        a[m] = mx.array([1.0, 2.0])
        return a

    assert mx.compile(put)(mx.array([True, True, True])).tolist() == [1, 2, 2]


def test_masks_refuse_parts_that_do_not_fit():
    a = mx.zeros((3, 2))
    for value in ([1.0, 2.0, 3.0, 4.0], [[[1.0]]]):
        with pytest.raises(ValueError):
            a[mx.array([True, False, True])] = mx.array(value) if np.ndim(value) == 1 else mx.ones((2, 2, 2))


def test_formats_and_indices():
    assert f"{mx.array(3.14159):.2f}" == "3.14" and f"{mx.array([1, 2])}" == "array([1, 2], dtype=int32)"
    for f in (lambda: f"{mx.array([1.0]):.2f}", lambda: [1, 2][mx.array([1])], lambda: [1, 2][mx.array(1.0)]):
        with pytest.raises(TypeError):
            f()
    assert [1, 2][mx.array(1)] == 2
    with pytest.raises(AttributeError):
        mx.array(1).unknown = 1
    assert mx.array(b"ab").tolist() == [97, 98]
    with pytest.raises(TypeError):
        repr(mx.array.__new__(mx.array))  # no __init__ has run


@pytest.mark.parametrize("error, call", [
    (TypeError, lambda x: mx.reshape(x, (2.0, 3))),
    (TypeError, lambda x: mx.take(x, [0, 1])),
    (TypeError, lambda x: mx.take(x, 1.0)),
    (TypeError, lambda x: mx.tensordot(x, x, "a")),
    (TypeError, lambda x: mx.tensordot(x, x, [1, 0])),
    (TypeError, lambda x: mx.linspace("a", 1)),
    (TypeError, lambda x: mx.stop_gradient("x")),
    (TypeError, lambda x: mx.random.normal((2.0,))),
    (TypeError, lambda x: mx.random.uniform(shape=["a"])),
    (TypeError, lambda x: mx.tile(x, (2.0,))),
    (TypeError, lambda x: nn.Linear(2.0, 3)),
    (RuntimeError, lambda x: mx.zeros((2.0,))),
    (ValueError, lambda x: mx.broadcast_shapes()),
    (ValueError, lambda x: mx.arange(True)),
    (ValueError, lambda x: mx.asarray(x, copy=False)),
    (ValueError, lambda x: nn.InstanceNorm(3)(x)),
    (ValueError, lambda x: nn.MaxPool2d(2)(x)),
    (ValueError, lambda x: mx.softmax(mx.array(1.0), axis=0)),
    (ValueError, lambda x: mx.logsumexp(mx.array(1.0), axis=-1)),
    (IndexError, lambda x: mx.softmax(x, axis=2)),
    (ValueError, lambda x: mx.fft.fftn(x, s=[2, 2])),
    (ValueError, lambda x: mx.fft.irfft2(x, [2, 2], None)),
])
def test_bad_input(error, call):
    with pytest.raises(error):
        call(mx.ones((2, 3)))


@pytest.mark.parametrize("ending, missing, damaged", [
    ("npy", RuntimeError, RuntimeError),
    ("npz", ValueError, ValueError),
    ("safetensors", RuntimeError, RuntimeError),
    ("gguf", ValueError, RuntimeError),
    ("txt", ValueError, ValueError),
    ("", ValueError, ValueError),
])
def test_files_that_cannot_be_read(tmp_path, ending, missing, damaged):
    path = tmp_path / ("a." + ending if ending else "a")
    with pytest.raises(missing):
        mx.load(str(path))
    whole = b"damaged" * 20
    if ending in ("npy", "npz", "safetensors"):
        {"npy": mx.save, "npz": lambda f, a: mx.savez(f, a=a),
         "safetensors": lambda f, a: mx.save_safetensors(f, {"a": a})}[ending](str(path), mx.arange(64))
        whole = path.read_bytes()
    for content in (b"", b"x", b"damaged" * 20, whole[:len(whole) // 2], whole[:-4] if ending else b"y"):
        path.write_bytes(content)
        with pytest.raises(damaged):
            mx.eval(mx.load(str(path)))


def test_forms_that_are_taken():
    x = mx.ones((2, 3))
    assert mx.astype(x, dtype=mx.int32).dtype == mx.int32 and mx.zeros(3, None).dtype == mx.float32
    assert mx.vecdot(x, x, 0).tolist() == [2, 2, 2] and mx.roll(mx.arange(3), mx.array(1)).tolist() == [2, 0, 1]
    assert mx.distributed.all_sum(2).item() == 2


def test_shifts_count_modulo_the_width():
    for dtype, bits in ((mx.int32, 32), (mx.uint32, 32), (mx.int64, 64), (mx.uint64, 64)):
        x, counts = mx.array([5, 5, 5], dtype), mx.array([bits - 1, bits, bits + 1], dtype)
        assert (x << counts)[1:].tolist() == [5, 10] and (x >> counts).tolist() == [0, 5, 2]
    x = mx.array([5, 5, 5, 5], mx.uint8)
    counts = mx.array([7, 8, 32, 255], mx.uint8)
    assert (x << counts).tolist() == [128, 0, 5, 0] and (x >> counts).tolist() == [0, 0, 5, 0]
    assert mx.compile(lambda a, b: a << b)(x, counts).tolist() == [128, 0, 5, 0]


def test_complex_quotients_at_zero_and_infinity():
    inf = math.inf

    def parts(z):
        return [(v.real, v.imag) for v in z.tolist()]

    x = mx.array([1 + 2j, -1 - 2j])
    assert parts(x / 0) == [(inf, inf), (-inf, -inf)]
    assert parts(x / mx.array(complex(inf, 0))) == [(0, 0), (0, 0)]
    assert parts(mx.array([complex(inf, 1)]) / mx.array(1 + 1j)) == [(inf, -inf)]
    assert mx.floor_divide(mx.array([1 + 2j]), mx.array([2j])).tolist() == [1 - 0.5j]
    assert mx.reciprocal(mx.array(0j)).item().real == inf


def test_rounding_is_that_of_mlx():
    # A rounded number times the inverse power of ten.
    x = mx.array([1.25, 2.449, -0.75, 100.349])
    assert mx.round(x, 1).tolist() == (mx.round(x * 10) * mx.array(0.1)).tolist()
    assert mx.round(mx.array([1373760253]), 1).item() == mx.round(mx.array([1373760253]), decimals=1).item() == 1373760384
    z = mx.array([-1.1 + 1.4j, 0.3 - 2.6j, 1e30 + 1e30j, 1e-30 - 1e-30j])
    assert mx.abs(z).tolist() == [float(np.hypot(np.float32(v.real), np.float32(v.imag))) for v in z.tolist()]
    assert mx.square(z[:2]).tolist() == (z[:2] * z[:2]).tolist()


def test_the_whole_array_takes_the_type_of_its_values():
    for index in (..., None):
        a = mx.array([1, 2])
        a[index] = 2.5
        assert a.dtype == mx.float32 and a.tolist() == [2.5, 2.5]
        a = mx.array([1, 2])
        a[index] = mx.array([7, 8], mx.int8)
        assert a.dtype == mx.int8 and a.tolist() == [7, 8]
        assert mx.array([1, 2]).at[index].divide(2).tolist() == [0.5, 1]
        with pytest.raises(ValueError):
            a[index] = mx.ones((3,))
    a = mx.array([1, 2])
    a[:] = 2.5
    assert a.dtype == mx.int32
    a[True] = 7
    assert a.tolist() == [7, 7]
    a[False] = 1
    assert a.tolist() == [7, 7]


def test_arguments_that_are_arrays_of_one_number():
    x = mx.arange(3)
    assert mx.roll(x, mx.array(1), mx.array(0)).tolist() == [2, 0, 1]
    y = mx.arange(3.0)
    assert mx.tensordot(y, y, np.int64(0)).shape == mx.tensordot(y, y, mx.array(0)).shape == (3, 3)
    assert mx.concatenate([x], axis=2).tolist() == [0, 1, 2]


@pytest.mark.parametrize("mode", ["mxfp4", "mxfp8", "nvfp4"])
def test_one_row_of_qqmm_is_quantised_too(mode):
    x, w = mx.random.normal((1, 64), key=mx.random.key(0)), mx.random.normal((8, 64), key=mx.random.key(1))
    packed = mx.quantize(w, mode=mode)
    again = mx.dequantize(*mx.quantize(x, mode=mode), mode=mode).astype(mx.float32)
    want = mx.quantized_matmul(again, *packed, mode=mode)
    assert mx.allclose(mx.qqmm(x, *packed, mode=mode), want, 1e-5, 1e-5).item()


def test_values_to_save_are_arrays(tmp_path):
    for save in (mx.savez, mx.savez_compressed):
        with pytest.raises(RuntimeError):
            save(str(tmp_path / "a.npz"), 3)
    for save, ending in ((mx.save_safetensors, "safetensors"), (mx.save_gguf, "gguf")):
        with pytest.raises(RuntimeError):
            save(str(tmp_path / f"a.{ending}"), {"a": 3})
    mx.savez(str(tmp_path / "b.npz"), mx.ones(1), z=mx.zeros(1))
    assert list(mx.load(str(tmp_path / "b.npz"))) == ["z", "arr_0"]


def test_gradients_of_integers():
    x, y = mx.array([1, 2, 3]), mx.array([1.5, 2.5, 3.5])
    cases = [
        (lambda x: x.sum(), [1, 1, 1]),
        (lambda x: (x * x).sum(), [2, 4, 6]),
        (lambda x: (x**2).sum(), [2, 4, 6]),
        (lambda x: mx.exp(x).sum(), [2, 7, 20]),
        (lambda x: x.max(), [0, 0, 1]),
        (lambda x: mx.cumprod(x).sum(), [9, 4, 2]),
        (lambda x: x[mx.array([0, 0, 1])].sum(), [2, 1, 0]),
        (lambda x: (mx.sort(x) * mx.array([1, 2, 3])).sum(), [1, 2, 3]),
        (lambda x: mx.where(x > 1, x, 2 * x).sum(), [2, 1, 1]),
        (lambda x: (x & 1).sum(), [0, 0, 0]),
    ]
    for f, want in cases:
        for g in (mx.grad(f), mx.compile(mx.grad(f))):
            assert g(x).dtype == mx.int32 and g(x).tolist() == want
    assert mx.grad(lambda x: x * x)(mx.array(3)).item() == 6
    a, b = mx.grad(lambda x, y: (x * y).sum(), (0, 1))(y, x)
    assert a.tolist() == [1, 2, 3] and b.dtype == mx.int32 and b.tolist() == [1, 2, 3]
    # A conversion passes derivatives on, to integers and back.
    assert mx.grad(lambda y: (y.astype(mx.int32).astype(mx.float32) * y).sum())(y).tolist() == [2, 4, 6]
    assert mx.jvp(lambda x: x * x, [x], [x])[1][0].tolist() == [2, 8, 18]
    assert mx.vjp(lambda x: x * x, [x], [x])[1][0].tolist() == [2, 8, 18]
    # Cotangents past the results are left.
    assert mx.vjp(lambda y: y, [y], [y, y])[1][0].tolist() == y.tolist()


def test_an_integer_that_is_an_index_has_no_gradient():
    w, i = mx.array([1.0, 2.0]), mx.array([1, 0])

    def updated(i):
        y = mx.zeros(3)
        y[i] = w
        return y.sum()

    for f in (lambda i: w[i].sum(), lambda i: mx.take_along_axis(w, i + 1, axis=0).sum(), updated):
        with pytest.raises(ValueError, match="positions"):
            mx.grad(f)(i)
        with pytest.raises(ValueError, match="positions"):
            mx.jvp(f, [i], [i])
    held = lambda p: (p["w"][mx.stop_gradient(p["i"])] * mx.array([1.0, 3.0])).sum()
    value, grads = mx.value_and_grad(held)({"w": w, "i": i})
    assert value.item() == 5 and grads["w"].tolist() == [3, 1] and grads["i"].tolist() == [0, 0]
    # Places of what is computed are constants.
    assert mx.grad(lambda w: w[mx.argsort(w)][0])(w).tolist() == [1, 0]


def test_second_gradient_of_logcumsumexp():
    x = mx.array([0.5, -2.0, 3.0, -float("inf"), 1.0])
    for reverse in (False, True):
        f = lambda y: (mx.logcumsumexp(y, reverse=reverse) ** 2).sum()
        first = mx.grad(f)(x)
        assert mx.isfinite(first).all().item()
        second = mx.grad(lambda y: (mx.grad(f)(y)[:3]).sum())(x[:3])
        step = 1e-2
        for k in range(3):
            ends = [mx.grad(f)(x[:3] + sign * step * (mx.arange(3) == k)).sum().item() for sign in (1, -1)]
            assert abs(second[k].item() - (ends[0] - ends[1]) / (2 * step)) < 2e-2


def test_sizes_and_integers_at_the_limits():
    assert mx.tri(-2).shape == (0, 0) and mx.tri(3, -1).shape == (3, 0)
    assert mx.arange(2**31, 2**31 + 2).tolist() == [2**31, 2**31 + 1] and mx.arange(0, 3, 2**40).dtype == mx.int64
    for value, dtype in ((2**31, mx.int32), (10**10, mx.bool_), (-1, mx.uint32), (2**32, mx.uint32), (-1, mx.uint64)):
        with pytest.raises(RuntimeError):
            mx.array([value], dtype)
    assert mx.array([2**32 - 1], mx.uint32).item() == 2**32 - 1 and mx.array([300], mx.int8).item() == 44
    w = mx.array([[1.0, -2.0, 3.0, 0.4] * 8])
    codes, scale, bias = mx.quantize(w, 32, 1)
    assert scale.item() == 5 and bias.item() == -2 and codes.item() == 0x55555555


def test_layers_losses_and_trees():
    mx.random.seed(0)
    weight = nn.Conv1d(4, 4, 2, groups=2).weight
    assert 0.45 < mx.abs(weight).max().item() <= 0.5  # uniform below sqrt(1 / (inputs of a group * kernel))
    assert nn.LayerNorm(4)(mx.array([[1, 2, 3, 4]])).dtype == mx.float32
    x, t = mx.array([[-1.5, 1.25, 0.0, 2.75]]), mx.array([[0.5, 0.6, 0.5, 0.5]])
    assert abs(nn.losses.cross_entropy(x, t).item() - 4.66338) < 1e-4
    assert abs(nn.losses.cross_entropy(x, t, label_smoothing=0.1).item() - 4.43588) < 1e-4
    grads, norm = optim.clip_grad_norm({"a": mx.array([1.0, 2.0], mx.float16)}, 0.5)
    assert grads["a"].dtype == mx.float16 and norm.dtype == mx.float32 and abs(norm.item() - 5**0.5) < 1e-5
    layer = nn.layers.distributed.shard_linear(nn.Linear(4, 2), "all-to-sharded")
    assert isinstance(layer, nn.AllToShardedLinear) and layer(mx.ones((1, 4))).shape == (1, 2)
    with pytest.raises(ValueError):
        nn.layers.distributed.shard_linear(nn.Linear(4, 2), "other")
    whole = nn.Linear(4, 2)
    before = whole.weight
    nn.layers.distributed.shard_inplace(whole, "sharded-to-all")
    assert mx.array_equal(whole.weight, before).item()
    assert utils.tree_unflatten([]) == [] and utils.tree_merge({}, {}) == {}
    assert utils.tree_map_with_path(lambda p, x: p, [1, {"k": 2}]) == ["0", {"k": "1.k"}]


def test_arguments_that_are_positional_too():
    # MLX's signatures name them behind the star, and its functions take them in front.
    a = mx.array([[0, 1, 2], [3, 0, 5]])
    assert mx.count_nonzero(a, 0).tolist() == [1, 1, 2] and mx.count_nonzero(a, None).item() == 4
    assert mx.vecdot(a, a, 0).tolist() == [9, 1, 29]
    with pytest.raises(TypeError):
        mx.count_nonzero(a, 0, True)


@pytest.mark.parametrize("axes", [range(2), np.array([0, 1]), mx.array([0, 1]), (np.int64(0), 1), [0, np.int32(1)]])
def test_axes_are_any_sequence(axes):
    a = mx.arange(24.0).reshape(2, 3, 4)
    assert mx.array_equal(mx.sum(a, axes), a.sum((0, 1))) and mx.array_equal(a.max(axes), a.max((0, 1)))
    assert mx.array_equal(mx.flip(a, axes), mx.flip(a, (0, 1)))
    assert mx.array_equal(mx.roll(a, (1, 2), axes), mx.roll(a, (1, 2), (0, 1)))
    assert mx.array_equal(mx.roll(a, 1, np.int64(2)), mx.roll(a, 1, 2))


@pytest.mark.parametrize("axes", ["0", 1.0, {0}, np.array([0.5]), np.array(0.5), "", b"0", [None], mx.array([0.0])])
def test_what_is_no_axis(axes):
    a = mx.ones((2, 3))
    for f in (mx.sum, mx.flip, mx.squeeze, lambda a, axes: mx.roll(a, 1, axes)):
        with pytest.raises(TypeError):
            f(a, axes)


def test_arrays_without_axes_are_numbers_of_parts_and_copies():
    two = mx.array(2)
    assert [p.tolist() for p in mx.split(mx.arange(4), two)] == [[0, 1], [2, 3]]
    assert mx.tile(mx.arange(2), two).tolist() == [0, 1, 0, 1]
    assert mx.roll(mx.arange(3), two).tolist() == [1, 2, 0]
    with pytest.raises(TypeError):
        mx.roll(mx.arange(3), 1.0)
    with pytest.raises(TypeError):
        mx.conv_general(mx.ones((1, 5, 2)), mx.ones((3, 2, 2)), padding="same")


def test_several_shifts_along_one_axis_add_up():
    a = mx.arange(10).reshape(2, 5)
    assert mx.array_equal(mx.roll(a, (1, 2), 1), mx.roll(a, 3, 1))
    assert mx.array_equal(mx.roll(a, (1, 2), (0, 1)), mx.roll(mx.roll(a, 1, 0), 2, 1))


def test_the_memory_limit_is_a_guideline():
    old = mx.set_memory_limit(1)
    try:
        assert mx.ones((1 << 18,)).sum().item() == 1 << 18
    finally:
        assert mx.set_memory_limit(old) == 1


def test_the_rule_for_vjp_gets_arguments_by_name():
    @mx.custom_function
    def scaled(x, *, by=1.0, plus=None):
        return x * by

    @scaled.vjp
    def rule(x, cotangent, result, *, by=1.0, plus=None):
        return cotangent * by + plus

    shift = mx.array([10.0, 20.0])
    grad = mx.grad(lambda x: scaled(x, by=4.0, plus=shift).sum())
    assert grad(mx.ones(2)).tolist() == [14.0, 24.0]
    assert mx.compile(grad)(mx.ones(2)).tolist() == [14.0, 24.0]

    @scaled.vjp
    def without_names(x, cotangent, result):
        return cotangent

    with pytest.raises(TypeError):
        mx.grad(lambda x: scaled(x, by=4.0).sum())(mx.ones(2))


@pytest.mark.parametrize("call, want", [(lambda f, x: f(x, 3.0), [6.0, 6.0]), (lambda f, x: f(3.0, x), [-6.0, -6.0])])
def test_a_rule_may_give_cotangents_of_constants(call, want):
    @mx.custom_function
    def product(a, b):
        return a * b

    @product.vjp
    def rule(arguments, cotangent, result):
        a, b = arguments
        return 2 * cotangent * b, -2 * cotangent * a

    assert mx.grad(lambda x: call(product, x).sum())(mx.array([1.0, 5.0])).tolist() == want


def test_integers_are_what_names_an_index():
    for number in (mx.array(2.5), mx.array(2.0), mx.array([2]), mx.array(True), np.float32(2), 2.0, "2", None):
        with pytest.raises(TypeError):
            mx.eye(number)
    for number in (2, mx.array(2), mx.array(2, mx.uint8), np.int64(2), np.uint8(2)):
        assert mx.eye(number).tolist() == [[1, 0], [0, 1]]
    assert mx.eye(True).shape == (1, 1) and mx.tril(mx.ones((2, 2)), k=np.int32(-1)).tolist() == [[0, 0], [1, 0]]
    for call in (lambda: mx.eye(2**40), lambda: mx.arange(2**70), lambda: mx.random.key(2**70), lambda: mx.random.key(-1)):
        with pytest.raises(TypeError):
            call()


def test_the_transform_of_one_number_keeps_its_type():
    for x in (mx.array(2 + 1j), mx.array([3]), mx.array([[True], [False]])):
        y = mx.hadamard_transform(x)
        assert y.dtype == x.dtype and y.tolist() == x.tolist()
    assert mx.hadamard_transform(mx.array([3]), scale=0.5).tolist() == [1.5]
    assert mx.hadamard_transform(mx.array([2 + 1j]), scale=3.0).tolist() == [6 + 3j]


def test_running_sums_of_bool_count_whatever_made_them_bool():
    assert mx.cumsum(mx.array([2, 0, 3]), dtype=mx.bool_).tolist() == [1, 1, 2]
    assert mx.cumsum(mx.array([2, 0, 3]), dtype=mx.bool_).dtype == mx.int32


@pytest.mark.parametrize("dtype", [mx.float16, mx.bfloat16])
def test_dequantised_numbers_are_of_the_type_of_their_scales_first(dtype):
    w = mx.random.normal((4, 64), key=mx.random.key(1)).astype(dtype)
    packed = mx.quantize(w, group_size=64, bits=4)
    wide = mx.dequantize(*packed, group_size=64, bits=4, dtype=mx.float32)
    assert wide.dtype == mx.float32 and mx.array_equal(wide, mx.dequantize(*packed, group_size=64, bits=4))
