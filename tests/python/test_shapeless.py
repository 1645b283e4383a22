"""compile(shapeless=True) and export_function(shapeless=True): one trace where no size has to be known."""
import frit.core as mx
import frit.nn as nn
import pytest


def numbers(shape):
    return mx.random.normal(shape, key=mx.random.key(sum(shape)))


def agrees(found, wanted):
    return found.shape == wanted.shape and mx.allclose(found, wanted, rtol=1e-4, atol=1e-4).item()


VIEWS = {
    "middle": lambda x: x[1:5], "tail": lambda x: x[1:], "head": lambda x: x[:-1], "columns": lambda x: x[:, 1:5], "even": lambda x: x[::2],
    "odd from the end": lambda x: x[-2::-2], "backwards": lambda x: x[::-1], "backwards to a place": lambda x: x[:1:-1],
    "backwards from a place": lambda x: x[3::-1], "backwards from the end": lambda x: x[-2:-5:-1], "turned": lambda x: x.T[1:5].T,
}
USES = {
    "view": lambda v: v,
    "gather": lambda v: v[mx.array([0, -1, 1])],
    "take": lambda v: mx.take(v, 1, axis=1),
    "flat take": lambda v: mx.take(v, mx.array([0, 2])),
    "take along": lambda v: mx.take_along_axis(v, mx.argsort(v, 0), 0),
    "topk": lambda v: mx.topk(v, 2, axis=0),
    "argpartition": lambda v: mx.argpartition(v, 1, axis=1),
    "at a row": lambda v: v.at[0].add(1),
    "at rows": lambda v: v.at[1:3].add(1),
    "at indices": lambda v: v.at[mx.array([0, 1])].maximum(0.5),
    "roll": lambda v: mx.roll(v, 1, axis=0),
    "flat roll": lambda v: mx.roll(v, 1),
    "roll of both": lambda v: mx.roll(v, (1, -2), axis=(0, 1)),
    "median": lambda v: mx.median(v),
    "edges": lambda v: mx.pad(v, 1, mode="edge"),
    "fft": lambda v: mx.abs(mx.fft.fft(v, axis=0)),
    "gradient": lambda v: mx.grad(lambda t: mx.sort(t, -1)[:, 0].sum())(v),
    "first rows": lambda v: mx.eye(2) @ v[:2],
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("use", USES)
def test_uses_of_slices_leave_sizes_open(view, use):
    def f(x):
        return USES[use](VIEWS[view](x))

    compiled = mx.compile(f, shapeless=True)
    for shape in ((6, 8), (9, 8), (7, 11)):
        x = numbers(shape)
        assert agrees(compiled(x), f(x))
    assert compiled.trace_count == 1


def test_slices_of_every_size():
    views = [slice(a, b, c) for a in (None, 0, 2, 5, -1, -3, -9) for b in (None, 0, 1, 4, 9, -1, -4, -9) for c in (1, 2, 3, -1, -2, -3)]
    for view in views:
        compiled = mx.compile(lambda x: x[view], shapeless=True)
        for n in (5, 6, 1, 0, 9):
            x = mx.arange(n)
            assert compiled(x).tolist() == x.tolist()[view], (view, n)


@pytest.mark.parametrize("f", [
    lambda x: mx.median(x), lambda x: mx.median(x, axis=0), lambda x: mx.median(x, axis=1), lambda x: mx.roll(x[1:], 1), lambda x: x[::2],
    lambda x: x[1:5][mx.array([0, 1])]])
def test_exported_for_any_shape(tmp_path, f):
    path = str(tmp_path / "f.mlxfn")
    mx.export_function(path, f, mx.ones((6, 8)), shapeless=True)
    held = mx.import_function(path)
    for shape in ((6, 8), (7, 9), (3, 4)):
        assert agrees(held(numbers(shape))[0], f(numbers(shape)))


def test_a_size_that_cannot_be_left_open_is_that_of_the_call():
    """The rule of diagonal needs to know which axis is the shorter one behind a slice."""
    def f(x):
        return mx.diagonal(x[:, 1:5])

    compiled = mx.compile(f, shapeless=True)
    for shape in ((6, 8), (3, 8), (6, 3)):
        assert agrees(compiled(numbers(shape)), f(numbers(shape)))
    assert compiled.trace_count > 1
    with pytest.raises(ValueError):
        mx.compile(f, shapeless=True, strict=True)(numbers((6, 8)))

    def fails(x):
        mx.diagonal(x[:, 1:5])
        raise KeyError("of the function")

    with pytest.raises(KeyError, match="of the function"):
        mx.compile(fails, shapeless=True)(numbers((6, 8)))


@pytest.mark.parametrize("made, shapes", [
    (lambda: nn.GroupNorm(2, 8), [(3, 5, 8), (4, 7, 8), (2, 3, 4, 8)]),
    (lambda: nn.GroupNorm(2, 8, pytorch_compatible=True), [(3, 5, 8), (4, 7, 8), (2, 3, 4, 8)]),
    (lambda: nn.BatchNorm(8), [(3, 8), (5, 8)]),
    (lambda: nn.BatchNorm(8), [(3, 5, 8), (4, 7, 8)]),
    (lambda: nn.ALiBi(), [(1, 4, 5, 5), (2, 4, 7, 6)]),
    (lambda: nn.Conv2d(8, 4, 3, stride=2), [(3, 6, 6, 8), (4, 9, 7, 8)]),
])
def test_layers_leave_sizes_open(made, shapes):
    layer = made()
    ranks = {len(shape) for shape in shapes}
    compiled = mx.compile(lambda x: layer(x), shapeless=True)
    for shape in shapes:
        assert agrees(compiled(numbers(shape)), layer(numbers(shape)))
    assert compiled.trace_count == len(ranks)


def test_bilinear_leaves_the_batch_open():
    layer = nn.Bilinear(4, 5, 3)
    compiled = mx.compile(lambda x, y: layer(x, y), shapeless=True)
    for batch in (2, 7):
        x, y = numbers((batch, 4)), numbers((batch, 5))
        wanted = mx.einsum("bi,oji,bj->bo", x, layer.weight, y) + layer.bias
        assert agrees(compiled(x, y), wanted)
    assert compiled.trace_count == 1


def test_running_statistics_of_any_batch():
    layer = nn.BatchNorm(4)

    @mx.compile
    def fixed(mean, var, x):
        layer.running_mean, layer.running_var = mean, var
        layer(x)
        return layer.running_mean, layer.running_var

    open_ = mx.compile(fixed.__wrapped__, shapeless=True)
    for rows in (3, 2, 9):
        start = (mx.ones(4), mx.full((4,), 2.0), numbers((rows, 4)))
        for found, wanted in zip(open_(*start), fixed(*start)):
            assert agrees(found, wanted)
    with pytest.raises(ValueError):
        open_(mx.ones(4), mx.ones(4), numbers((1, 4)))
    assert open_.trace_count == 1


def test_second_gradient_of_picked_rows():
    """Positions that data gives are no positions to prefetch: code generation crashed on them."""

    def picked(x, y):
        top = mx.take_along_axis(y, mx.expand_dims(mx.argmax(y, axis=0), 0), axis=0)
        return mx.where(top > 0.05, top, mx.sin(top)) + mx.mean(mx.sin(x))

    def slope(x, y):
        return mx.grad(lambda *b: mx.sum(picked(*b) * (mx.sin(3 * picked(*b)) + 0.5)), argnums=1)(x, y)

    def second(x, y):
        value, g = mx.value_and_grad(lambda *b: mx.sum(slope(*b)), argnums=(0, 1))(x, y)
        return value + sum(mx.sum(q * (mx.sin(3 * q) + 0.5)) for q in g)

    compiled = mx.compile(second, shapeless=True)
    for n in (4, 7):
        x, y = mx.array(0.3), mx.random.normal((n, 3), key=mx.random.key(n))
        assert abs(compiled(x, y).item() - second(x, y).item()) < 1e-3


def test_cotangent_of_a_size_that_the_trace_takes_for_known():
    """The part has one element as the cotangent given has: the rule's cotangent was refused, whose size follows from it."""
    part = mx.checkpoint(lambda x: x[3::2] * 2)

    def slope(x):
        return mx.vjp(part, [x], [mx.ones((1,))])[1][0]

    compiled = mx.compile(slope, shapeless=True)
    for n in (4, 5, 4):
        assert agrees(compiled(numbers((n,))), slope(numbers((n,))))
    with pytest.raises(ValueError):
        compiled(numbers((6,)))

    wrong = mx.custom_function(lambda x: x[1:] * 2)
    wrong.vjp(lambda x, cotangent, output: cotangent)
    with pytest.raises(ValueError, match="cotangent of .* for argument 0"):
        mx.compile(lambda x: mx.grad(lambda v: mx.sum(wrong(v)))(x), shapeless=True)(numbers((4,)))
