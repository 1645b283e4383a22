"""Arguments that are integers or sequences of them: which kinds functions take, and what they refuse."""
import numpy as np
import pytest

import frit.core as mx


def test_widths_of_pad_are_integers_of_any_kind():
    x = mx.ones((2, 2))
    for pair in ((1, 2), [np.int32(1), np.int64(2)], np.array([1, 2]), mx.array([1, 2])):
        assert mx.pad(x, pair).shape == (5, 5)  # the pair is for every axis
    for one in (1, np.int64(1), np.array(1), mx.array(1)):
        assert mx.pad(x, one).shape == (4, 4)
    assert mx.pad(x, np.array([[1, 0], [0, 2]])).shape == (3, 4)
    for wrong in (1.5, (1, 1.5), [(1, 1.5), (0, 0)], "a", 2**31, None):
        with pytest.raises(TypeError):
            mx.pad(x, wrong)


def test_integers_of_functions_refuse_other_types():
    x = mx.arange(12.0).reshape(4, 3)
    for call in (lambda v: mx.roll(x, v), lambda v: mx.split(x, v), lambda v: mx.tensordot(x, x.T, v)):
        for wrong in ((1, 1.5), "a", [1, "a"], [[1], 2], 2**31):
            with pytest.raises(TypeError):
                call(wrong)
    with pytest.raises(ValueError):
        mx.tensordot(x, x.T, [[1]])
    for order in ([0], (1,), 1j, {}, b"fro"):
        with pytest.raises(TypeError):
            mx.linalg.norm(mx.ones(3), order)
    assert mx.array_equal(mx.roll(x, np.array([1, 2]), (0, 1)), mx.roll(x, (1, 2), (0, 1)))
    assert [p.shape for p in mx.split(x, np.array([1, 2]))] == [(1, 3), (1, 3), (2, 3)]
    assert mx.tensordot(x, x, np.array([[1], [1]])).tolist() == (x @ x.T).tolist()


def test_offsets_of_rope_are_integers_of_any_kind():
    x = mx.random.normal((1, 2, 8), key=mx.random.key(1))
    def turned(offset):
        return mx.fast.rope(x, 8, traditional=False, base=100.0, scale=1.0, offset=offset)
    for offset in (np.int32(2), np.int64(2), np.array(2), np.array([2]), mx.array(2)):
        assert mx.allclose(turned(offset), turned(2))
    for wrong in (1.5, np.float32(1), True, "a", None):
        with pytest.raises((TypeError, ValueError)):
            turned(wrong)


def test_a_window_of_float32_is_not_rounded_to_a_signal_of_16_bits():
    x = mx.random.normal((64,), key=mx.random.key(1)).astype(mx.bfloat16)
    window = mx.hanning(16)
    assert mx.array_equal(mx.fft.stft(x, 16, window=window), mx.fft.stft(x.astype(mx.float32), 16, window=window))


def test_bounds_of_arange_are_single_numbers():
    assert mx.arange(np.int32(2), mx.array(5), np.int64(2)).tolist() == [2, 4]
    for wrong in (mx.array([1, 2]), np.arange(2), mx.array(2.5), "a", 1j, 2**64):
        for bounds in ((wrong,), (0, wrong), (0, 4, wrong)):
            with pytest.raises(TypeError):
                mx.arange(*bounds)


def test_a_base_of_zero_is_a_base():
    x = mx.ones((1, 2, 8))
    turned = mx.fast.rope(x, 4, traditional=False, base=0, scale=1.0, offset=0)
    assert turned.shape == x.shape and turned[..., 4:].tolist() == x[..., 4:].tolist()


def test_values_that_many_paths_lead_to_are_lowered_once():
    logits = mx.random.normal((5, 4), key=mx.random.key(1)).astype(mx.complex64)
    drawn = mx.random.categorical(logits, axis=0, shape=(3, 4), key=mx.random.key(3))
    assert drawn.shape == (3, 4) and mx.all(drawn < 5).item()


def test_compile_times_do_not_double_with_each_shared_value():
    def f(x):
        y = mx.exp(x)
        for _ in range(40):
            y = y * y - y
        return mx.softmax(y, axis=-1) - y

    assert mx.compile(f)(mx.zeros((3, 64))).shape == (3, 64)
