"""vmap in Python: trees of arguments and axes, rules of custom functions, and axes that do not fit."""
import pytest

import frit.core as mx


def test_the_rule_for_vmap_gets_the_axes_of_the_caller():
    seen = []

    @mx.custom_function
    def f(x, y):
        return x * y

    @f.vmap
    def rule(inputs, axes):
        x, y = inputs
        seen.append((axes, x.shape, y.shape))
        if axes[1] is None:
            y = mx.expand_dims(y, axes[0])
        elif axes[0] != axes[1]:
            y = mx.moveaxis(y, axes[1], axes[0])
        return 2 * x * y, axes[0]

    x, y = mx.arange(6.0).reshape(3, 2), mx.arange(6.0).reshape(2, 3)
    twice = (2 * x.T * y).tolist()
    assert mx.vmap(f, (1, 0))(x, y).tolist() == twice
    assert mx.vmap(f, (1, 1))(x, y.T).tolist() == twice
    assert mx.vmap(f, (0, 0))(x.T, y).tolist() == twice
    assert mx.vmap(f, (1, None))(x, x[:, 0]).tolist() == (2 * x.T * x[:, 0]).tolist()
    assert [s[0] for s in seen] == [(1, 0), (1, 1), (0, 0), (1, None)]
    assert seen[0][1:] == ((3, 2), (2, 3))
    three = mx.arange(24.0).reshape(2, 3, 4)
    assert mx.array_equal(mx.vmap(f, (2, 2))(three, three), mx.moveaxis(2 * three * three, 2, 0)).item()


def test_vmap_over_trees_is_a_loop():
    x, y = mx.arange(12, dtype=mx.float32).reshape(3, 4), mx.arange(4, dtype=mx.float32)
    f = lambda t, y: {"sum": (t["a"] * y).sum(), "outer": [mx.outer(t["a"], y)]}
    out = mx.vmap(f, in_axes=({"a": 0}, None), out_axes={"sum": 0, "outer": [-1]})({"a": x}, y)
    for i in range(3):
        want = f({"a": x[i]}, y)
        assert out["sum"][i].item() == want["sum"].item()
        assert mx.array_equal(out["outer"][0][..., i], want["outer"][0]).item()
    g = mx.vmap(mx.grad(lambda r: (r**2).sum()))
    assert mx.allclose(mx.compile(g)(x), 2 * x).item()
    with pytest.raises(ValueError):
        mx.vmap(lambda a, b: a)(x, y)
    with pytest.raises(IndexError, match=r"axis 5 of in_axes is out of range for float32 \(3,4\)\n.* -2 to 1"):
        mx.vmap(lambda a: a, in_axes=5)(x)
    with pytest.raises(IndexError, match=r"axis -3 of out_axes is out of range for float32 \(3,4\)\n.* -2 to 1"):
        mx.vmap(lambda a: a, out_axes=-3)(x)
    assert mx.vmap(lambda a: y, out_axes=(None,))(x).tolist() == y.tolist()
    same, sums = mx.vmap(lambda a, b: (b * 2, a.sum()), in_axes=(0, None), out_axes=(None, 0))(x, y)
    assert same.tolist() == (y * 2).tolist() and sums.tolist() == x.sum(1).tolist()
    with pytest.raises(ValueError, match=r"result 1, which is f32\[4\] at one position, differs between positions"):
        mx.vmap(lambda a: (y, a * 2), out_axes=(None, None))(x)
    # A tree of axes may have None, as in MLX; None in its place is refused when the function is made.
    for axes in ({"in_axes": None}, {"out_axes": None}):
        with pytest.raises(TypeError):
            mx.vmap(lambda a: a, **axes)


def test_a_rule_for_vmap_sees_the_axes_of_the_caller():
    seen = []

    @mx.custom_function
    def f(x, y):
        return x * y

    @f.vmap
    def rule(inputs, axes):
        seen.append((axes, [x.shape for x in inputs]))
        return inputs[0] * inputs[1] * 10, axes[0]

    a, b = mx.arange(6.0).reshape(3, 2), mx.ones((3, 2))
    for axis in (0, 1, -1):
        assert mx.array_equal(mx.vmap(f, (axis, axis), axis)(a, b), a * 10)
        assert seen.pop() == ((axis % 2, axis % 2), [(3, 2), (3, 2)])
    # Elementwise operations in front keep the axis where it is.
    assert mx.array_equal(mx.vmap(lambda x, y: f(x * 2, mx.exp(y * 0)), (1, 1))(a, b), a.T * 20)
    assert seen.pop() == ((1, 1), [(3, 2), (3, 2)])
