"""The array as a Python object: identity, pickles, NumPy and DLPack, indexing, bad input."""
import copy
import gc
import os
import operator
import pickle
import random

import numpy as np
import pytest

import frit.core as mx


def test_in_place_operators_keep_the_object():
    a = mx.array([1.0, 2.0])
    b = a
    a += 1
    assert b is a and b.tolist() == [2.0, 3.0]
    c = a + 0
    a *= 2
    assert c.tolist() == [2.0, 3.0]


@pytest.mark.parametrize("dtype", [mx.bool_, mx.uint8, mx.int16, mx.int32, mx.uint64, mx.float16, mx.bfloat16, mx.float32, mx.float64, mx.complex64])
def test_pickle_and_copy(dtype):
    a = mx.arange(6).reshape(2, 3).astype(dtype).T
    for b in (pickle.loads(pickle.dumps(a)), copy.copy(a), copy.deepcopy(a)):
        assert b.dtype == dtype and b.shape == (3, 2) and b.tolist() == a.tolist()


@pytest.mark.parametrize("use", [
    memoryview, len, repr, mx.eval, np.array, mx.grad(lambda a: a), mx.compile(lambda a: a + 1), mx.vmap(lambda a: a),
    lambda a: a + 1, lambda a: mx.ones(3) + a, lambda a: operator.iadd(a, 1), lambda a: operator.imatmul(a, mx.ones(3)), lambda a: a[0],
    lambda a: operator.setitem(a, 0, 1), lambda a: operator.setitem(mx.ones(3), 0, a), lambda a: mx.ones(3)[a], lambda a: mx.concatenate([a, a]),
    lambda a: mx.array([a, 1]), pickle.dumps, copy.copy])
def test_without_init(use):
    a = mx.array.__new__(mx.array)
    try:
        use(a)
    except (TypeError, ValueError, RuntimeError, BufferError, AttributeError):
        pass  # an error, and no crash
    assert mx.array_equal(mx.ones(2) + 1, mx.array([2.0, 2.0]))


def test_pickles_of_types():
    for dtype in (mx.float16, mx.bool_, mx.bfloat16, mx.array([1j]).dtype):
        assert pickle.loads(pickle.dumps(dtype)) == dtype == copy.copy(dtype) == copy.deepcopy([dtype])[0]


@pytest.mark.parametrize("values, number, dtype", [
    (np.array([[1, -2]], np.int32), 7, mx.int32), (np.array(2.5, np.float32), 10, mx.float32), (np.array([True, False]), 0, mx.bool_),
    (np.array([0.1, 3.0]), 11, mx.float64), (np.array([1 + 2j], np.complex64), 13, mx.complex64)])
def test_state_of_a_pickle_that_mlx_wrote(values, number, dtype):
    a = mx.array.__new__(mx.array)  # as pickle does
    a.__setstate__((values, number))
    assert a.dtype == dtype and a.shape == values.shape and a.tolist() == values.tolist()


def test_state_of_bfloat16_is_its_bits():
    a = mx.array.__new__(mx.array)  # as pickle does
    a.__setstate__((np.array([0x3FC0, 0xC000], np.uint16), 12))
    assert a.dtype == mx.bfloat16 and a.tolist() == [1.5, -2.0]
    with pytest.raises(ValueError):
        mx.array.__new__(mx.array).__setstate__((np.array([1.0]), 14))


def test_numpy_shares_memory_both_ways():
    a = mx.arange(12, dtype=mx.float32).reshape(3, 4)
    n = np.array(a, copy=False)
    assert n.shape == (3, 4) and n.ctypes.data == np.asarray(a).ctypes.data
    assert np.from_dlpack(a).ctypes.data == n.ctypes.data
    with pytest.raises(BufferError):
        a.__dlpack__(dl_device=(2, 0))
    source = np.arange(6, dtype=np.int32)
    b = mx.from_dlpack(source)
    capsule = source.__dlpack__()
    c = mx.from_dlpack(capsule, copy=False)
    d = mx.from_dlpack(source.__dlpack__(), copy=True)
    source[0] = 40
    assert c.tolist() == [40, 1, 2, 3, 4, 5] and d.tolist() == [0, 1, 2, 3, 4, 5]
    with pytest.raises(TypeError):
        mx.from_dlpack(capsule)
    for other in (np.ones(3), source.reshape(2, 3).T):  # another type, and no rows
        assert mx.from_dlpack(other).tolist() == other.tolist()
        with pytest.raises(ValueError, match="without a copy"):
            mx.from_dlpack(other, copy=False)
    assert b.tolist() == [40, 1, 2, 3, 4, 5]
    c = mx.array(source)
    source[0] = 50
    assert c[0].item() == 40
    del source
    gc.collect()
    assert b[1].item() == 1


def test_numpy_types_and_strides():
    for dtype in (np.bool_, np.int8, np.uint16, np.int64, np.float16, np.float32, np.complex64):
        n = np.arange(12).reshape(3, 4).astype(dtype)
        for view in (n, n.T, n[::-1, ::2], n[:0]):
            assert np.array_equal(np.array(mx.array(view)), view)
    assert mx.array(np.zeros(2)).dtype == mx.float32
    assert (np.float32(2) * mx.array([1.0, 2.0])).tolist() == [2.0, 4.0]
    with pytest.raises(ValueError):
        np.array(mx.zeros(2, mx.bfloat16))


def indices(shape, rng):
    """A random index of NumPy's kind."""
    items, used = [], 0
    arrays = rng.random() < 0.5
    length = rng.randint(1, 3)
    while used < len(shape) and rng.random() < 0.85:
        n = shape[used]
        kind = rng.choice(["int", "slice", "slice", "array", "new"])
        if kind == "new":
            items.append(None)
            continue
        if kind == "int":
            items.append(rng.randrange(-n, n))
        elif kind == "array" and arrays:
            items.append(np.array([rng.randrange(-n, n) for _ in range(length)], np.int32))
        else:
            pick = lambda: rng.choice([None, rng.randint(-n - 1, n + 1)])
            items.append(slice(pick(), pick(), rng.choice([None, 1, 2, -1, -2])))
        used += 1
    if rng.random() < 0.3 and not any(isinstance(i, np.ndarray) for i in items):
        items.append(Ellipsis)
    return tuple(items)


def converted(index):
    return tuple(mx.array(i) if isinstance(i, np.ndarray) else i for i in index)


def test_random_indices_are_those_of_numpy():
    rng = random.Random(7)
    for _ in range(300):
        shape = [rng.randint(1, 4) for _ in range(rng.randint(1, 4))]
        n = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
        index = indices(shape, rng)
        want, got = n[index], mx.array(n)[converted(index)]
        assert np.array_equal(np.array(got), want) and got.shape == want.shape, (shape, index)


def test_random_assignments_are_those_of_numpy():
    rng = random.Random(8)
    for _ in range(200):
        shape = [rng.randint(1, 4) for _ in range(rng.randint(1, 4))]
        n = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
        index = indices(shape, rng)
        part = n[index]
        value = np.int32(-5) if rng.random() < 0.3 else -1 - np.zeros(part.shape, np.int32)
        a = mx.array(n)
        n[index] = value
        a[converted(index)] = int(value) if value.ndim == 0 else mx.array(value)
        assert np.array_equal(np.array(a), n), (shape, index)


def test_at_adds_every_update():
    a = mx.zeros(4)
    assert a.at[mx.array([0, 0, 2])].add(1).tolist() == [2, 0, 1, 0]
    assert mx.ones((2, 2)).at[0].multiply(3).tolist() == [[3, 3], [1, 1]]
    assert a.tolist() == [0, 0, 0, 0]


def test_masks():
    a = mx.arange(4)
    a[a > 1] = 9
    assert a.tolist() == [0, 1, 9, 9]
    a[mx.array([True, False, True, False])] = mx.array([5, 6])
    assert a.tolist() == [5, 1, 6, 9]
    with pytest.raises(ValueError):
        a[a > 1]


@pytest.mark.parametrize("call, error", [
    (lambda: mx.array([[1], [1, 2]]), ValueError), (lambda: mx.array(object()), ValueError), (lambda: mx.array("x"), ValueError),
    (lambda: mx.array(2**70), RuntimeError), (lambda: mx.zeros(-1), ValueError), (lambda: mx.zeros((2**40,)), OverflowError),
    (lambda: mx.zeros((1.5,)), RuntimeError), (lambda: mx.sum(mx.zeros(2), axis="x"), TypeError), (lambda: mx.zeros(3)[4], IndexError),
    (lambda: mx.zeros(3)["a"], ValueError), (lambda: mx.zeros(3)[1.5], ValueError), (lambda: mx.zeros(3) + "x", ValueError),
    (lambda: mx.zeros(3) + None, TypeError), (lambda: mx.zeros(2).item(), ValueError), (lambda: len(mx.array(1)), TypeError),
    (lambda: mx.array([1], mx.int8) + 300, ValueError), (lambda: mx.add(mx.zeros(2), mx.zeros(3)), ValueError),
    (lambda: mx.load("/nowhere.npy"), RuntimeError)])
def test_bad_input(call, error):
    with pytest.raises(error) as e:
        mx.eval(call())
    assert error is TypeError or str(e.value)


@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="the sanitizer keeps memory that is freed")
def test_a_million_calls_leave_memory_as_it_was():
    def resident():
        for line in open("/proc/self/status"):
            if line.startswith("VmRSS"):
                return int(line.split()[1])

    a = mx.array(1.0)

    def work(n):
        for _ in range(n):
            b = a + 1.0
            b[...]

    work(20000)
    before = resident()
    work(200000)
    assert resident() - before < 8192


def test_an_update_writes_its_part_alone():
    y = mx.zeros((512, 1024))
    mx.eval(y)
    before = mx.get_active_memory()
    mx.reset_peak_memory()
    for i in range(4):
        y[i] = 1.0
        y[:, i] += mx.ones((512,))
        y[i : i + 2, 3:5] = mx.array([[1.0, 2.0]])
        mx.eval(y)
        y[1::128] = 2.0
        y[::-100, ::512] = mx.ones((6, 2))
        mx.eval(y)
        y[mx.array([i, 5, -1])] = mx.ones((3, 1))
        y[mx.array([i, 5]), mx.array([0, 7])] = 3.0
        mx.eval(y)
        y[mx.array([i, 5])] += 1.0
        y = y.at[mx.array([0, 0])].add(1.0)
        mx.eval(y)
        y = y.at[2:4].maximum(1.0)
        y = mx.slice_update(y, mx.ones((2, 1024)), mx.array([i]), [0])
        mx.eval(y)
    assert mx.get_peak_memory() - before < y.nbytes // 4  # no copy of the whole
    assert mx.get_active_memory() == before
    assert y.sum().item() == sum(map(sum, y.tolist()))


def test_an_update_leaves_others_alone():
    y = mx.arange(12).reshape(4, 3) + 0
    mx.eval(y)
    view, transposed, copy, exported = y[:2], y.T, mx.array(y), np.array(y, copy=False)
    mx.eval(view, transposed, copy)
    y[0] = 100
    assert view.tolist() == [[0, 1, 2], [3, 4, 5]] and transposed.tolist()[0] == [0, 3, 6, 9]
    assert copy.tolist()[0] == exported.tolist()[0] == [0, 1, 2] and y.tolist()[0] == [100] * 3
    y[1:] = y[:-1]  # overlaps itself
    assert y.tolist() == [[100] * 3, [100] * 3, [3, 4, 5], [6, 7, 8]]
    rows, first = mx.array([0, 1]), y[0]
    view, transposed, copy, exported = y[:2], y.T, mx.array(y), np.array(y, copy=False)
    mx.eval(view, transposed, copy, first)
    for change in (lambda: y.__setitem__(slice(None, None, 2), 7), lambda: y.__setitem__(rows, 8), lambda: y.__setitem__(rows, y[1:3])):
        change()
        mx.eval(y)
    assert view.tolist() == [[100] * 3] * 2 and transposed.tolist()[0] == [100, 100, 3, 6] and first.tolist() == [100] * 3
    assert copy.tolist() == exported.tolist() == [[100] * 3, [100] * 3, [3, 4, 5], [6, 7, 8]]
    assert y.tolist() == [[8] * 3, [7] * 3, [7] * 3, [6, 7, 8]]
    traced = mx.compile(lambda a: (a.at[rows].add(1), a))
    assert [r.tolist()[0] for r in traced(y)] == [[9] * 3, [8] * 3] and y.tolist()[0] == [8] * 3
    mapped = mx.vmap(lambda a: a.at[rows].add(1))(y)
    assert mapped.tolist()[0] == [9, 9, 8] and y.tolist()[0] == [8] * 3
    gradient = mx.grad(lambda a: (a.at[rows].multiply(2.0) * a).sum())
    z = mx.array([1.0, 2.0, 3.0])
    assert gradient(z).tolist() == [4, 8, 6] and z.tolist() == [1, 2, 3]
    spread = mx.broadcast_to(mx.array(1), (2, 2))
    mx.eval(spread)
    spread[0] = 5
    assert spread.tolist() == [[5, 5], [1, 1]]


def test_random_updates_of_memory_that_dies():
    rng = random.Random(11)
    forms = ["set", "add", "multiply", "maximum", "minimum"]
    for _ in range(12):
        shape = [rng.randint(2, 5) for _ in range(rng.randint(1, 3))]
        n = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
        y, seen = mx.array(n), []
        for step in range(12):
            index, how = indices(shape, rng), rng.choice(forms)
            value = rng.randint(-9, 9)
            if rng.random() < 0.3:  # what refers to the memory keeps its elements
                seen.append((y[0], n[0].copy()) if rng.random() < 0.5 else (np.array(y, copy=False), n.copy()))
                mx.eval([s for s, _ in seen if isinstance(s, mx.array)])
            if how == "set":
                n[index] = value
                y[converted(index)] = value
            else:
                getattr(np, how).at(n, index, value)
                y = getattr(y.at[converted(index)], how)(value)
            if rng.random() < 0.7:
                mx.eval(y)
        assert np.array_equal(np.array(y), n)
        assert all(np.array_equal(np.array(s), w) for s, w in seen)


@pytest.mark.skipif(not mx.is_available(mx.gpu), reason="no GPU")
def test_an_update_of_what_a_gpu_computed():
    y = mx.arange(6.0, stream=mx.gpu).reshape(2, 3) * 2
    mx.eval(y)
    with mx.stream(mx.cpu):
        y[0] = 5.0
        mx.eval(y)
    assert y.tolist() == [[5.0, 5.0, 5.0], [6.0, 8.0, 10.0]]
    for stream in (mx.gpu, mx.cpu, mx.gpu):
        with mx.stream(stream):
            y = y.at[mx.array([0, 0, 1])].add(1.0)
            y[::2] *= 2.0
            mx.eval(y)
    assert y.tolist() == [[68.0, 68.0, 68.0], [9.0, 11.0, 13.0]]


@pytest.mark.parametrize("index", [b"ab", [], ([], 0), np.array([0, 1]), (0, np.array([0, 1])), memoryview(b"\0"), True, 1.5, "a", 2**40,
                                   slice(True, None), slice(mx.array(0), None)])
def test_what_is_no_index(index):
    a = mx.arange(6).reshape(2, 3)
    with pytest.raises(ValueError):
        a[index]
    if index is not True:
        with pytest.raises(ValueError):
            a[index] = 1


def test_integers_of_other_libraries_are_indices():
    a = mx.arange(6).reshape(2, 3)
    assert a[np.int64(1), np.array(2)].item() == 5 and a[: np.int32(1)].tolist() == [[0, 1, 2]]
    a[np.uint8(0)] = 9
    a[np.array([False, True])] = 7
    assert a.tolist() == [[9, 9, 9], [7, 7, 7]]


def test_objects_whose_memory_says_no_type_are_no_operands():
    date = np.datetime64("2020")
    with pytest.raises(ValueError):
        mx.add(date, 1)
    with pytest.raises((TypeError, ValueError)):
        mx.atleast_1d(date)
    with pytest.raises(TypeError):
        mx.linspace(0, date, 3)


def test_copy_is_true_false_or_none():
    for make in (mx.asarray, mx.from_dlpack):
        with pytest.raises(TypeError):
            make(np.array([1, 2]), copy=1)
        assert make(np.array([1, 2]), copy=True).tolist() == [1, 2]


def test_bounds_of_linspace_are_real_numbers_of_any_size():
    assert mx.linspace(0, 2**64, 3).tolist() == [0, 2.0**63, 2.0**64]
    assert mx.linspace(np.array(0.5), mx.array([1.5]), 3).tolist() == [0.5, 1, 1.5]
    for wrong in (1j, np.zeros((0, 3)), np.arange(4), mx.array(1j), "a"):
        with pytest.raises(TypeError):
            mx.linspace(0, wrong, 3)


def test_compiled_functions_return_integers_of_any_size():
    assert mx.compile(lambda x: (x + 1, 2**70))(mx.array(1))[1] == 2**70
    with pytest.raises(RuntimeError):
        mx.compile(lambda x, n: x)(mx.array(1), 2**70)


def test_positions_along_axes_without_elements():
    empty, none = mx.zeros((0, 0)), mx.zeros((2, 0), mx.int32)
    assert mx.take_along_axis(empty, none, 0).shape == (2, 0)
    assert mx.put_along_axis(empty, none, mx.array(1.0), 0).shape == (0, 0)
    assert mx.put_along_axis(mx.zeros((0, 2)), mx.zeros((2, 2), mx.int32), mx.array(1.0), 0).shape == (0, 2)
    with pytest.raises(ValueError):
        mx.take_along_axis(mx.zeros((0, 2)), mx.zeros((2, 2), mx.int32), 0)


def test_arrays_without_elements_are_shared_with_numpy():
    for a in (mx.zeros((0, 3)), mx.ones((2, 0, 3)), mx.array([]), mx.zeros((3, 4))[1:1], mx.zeros((0, 3), mx.int8)):
        seen = np.asarray(a)
        step, strides = a.itemsize, []
        for size in reversed(a.shape):
            strides.insert(0, step)
            step *= size
        assert seen.strides == tuple(strides) == np.from_dlpack(a).strides == memoryview(a).strides
        assert seen.shape == a.shape and not seen.flags["OWNDATA"]


def test_readers_write_one_element_of_a_view_of_equal_ones():
    for view in (mx.zeros((2, 3)).T, mx.full((6,), 0.0).reshape(3, 2)):
        seen = np.asarray(view)
        seen[1, 0] = 7
        assert seen.sum() == 7 and view.tolist() == [[0, 0], [7, 0], [0, 0]]
