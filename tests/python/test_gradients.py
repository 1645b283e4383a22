"""Derivatives where a rule that divides or overflows gives NaN: at zeros, infinities and ties."""
import itertools
import math
import random

import frit.core as mx

inf, nan = math.inf, math.nan


def same(found, expected):
    flat = found.reshape(-1).tolist()
    return len(flat) == len(expected) and all(
        (math.isnan(a) and math.isnan(b)) or a == b or abs(a - b) <= 1e-5 * (1 + abs(b)) for a, b in zip(flat, expected))


def times(factors):
    """The product of numbers, in which 1 does not meet an infinity."""
    total = None
    for x in factors:
        total = x if total is None else total * x
    return 1.0 if total is None else total


def test_prod_is_the_product_of_the_others():
    for values in itertools.product([2.0, 0.0, -3.0, inf, nan], repeat=3):
        expected = [times(values[:i] + values[i + 1 :]) for i in range(3)]
        assert same(mx.grad(mx.prod)(mx.array(values)), expected), values


def test_prod_over_any_axes():
    draw = random.Random(3)
    for _ in range(40):
        shape = [draw.randint(1, 4) for _ in range(draw.randint(1, 4))]
        axes = draw.sample(range(len(shape)), draw.randint(1, len(shape)))
        keepdims, dtype = draw.random() < 0.5, draw.choice([mx.float32, mx.complex64])
        count = math.prod(shape)
        values = [draw.choice([0.0, 2.0, -1.5, 0.5, 3.0]) for _ in range(count)]
        x = mx.array(values).reshape(shape).astype(dtype)
        found = mx.vjp(lambda x: mx.prod(x, axis=axes, keepdims=keepdims), [x],
                       [mx.ones_like(mx.prod(x, axis=axes, keepdims=keepdims))])[1][0]
        assert found.dtype == dtype
        # The rows of the reduced axes, by what stays of each position.
        rows = {}
        places = list(itertools.product(*[range(n) for n in shape]))
        for place, value in zip(places, values):
            rows.setdefault(tuple(p for a, p in enumerate(place) if a not in axes), []).append((place, value))
        others = {place: math.prod(v for p, v in row if p != place) for row in rows.values() for place, _ in row}
        assert same(mx.real(found), [others[place] for place in places]), (shape, axes)


def test_second_derivatives_of_prod_at_zeros():
    for values in itertools.product([2.0, 0.0, -3.0], repeat=4):
        x = mx.array(values)
        for i in range(4):
            found = mx.grad(lambda x: mx.grad(mx.prod)(x)[i])(x)
            expected = [0.0 if j == i else math.prod(v for k, v in enumerate(values) if k not in (i, j)) for j in range(4)]
            assert same(found, expected), values


def test_cumprod_at_zeros_and_infinities():
    for values in itertools.product([2.0, 0.0, -0.5, inf], repeat=4):
        if sum(v in (0.0, inf) for v in values) > 1 and inf in values:
            continue  # zero times infinity, and infinities behind each other
        for reverse in (False, True):
            line = values[::-1] if reverse else values
            terms = [[times(line[:i] + line[i + 1 : j + 1]) for j in range(i, 4)] for i in range(4)]
            expected = [sum(row) for row in terms]
            if any(math.isnan(v) for v in expected):
                continue  # infinities of both signs in one sum
            found = mx.grad(lambda x: mx.cumprod(x, reverse=reverse).sum())(mx.array(values))
            assert same(found, expected[::-1] if reverse else expected), (values, reverse)


def test_logaddexp_at_infinities_and_far_from_zero():
    slopes = mx.vjp(mx.logaddexp, [mx.array([inf, 1.0, -inf, 1.0, 1e6]), mx.array([1.0, inf, 1.0, -inf, 1e6])],
                    [mx.ones(5)])[1]
    assert same(slopes[0], [1.0, 0.0, 0.0, 1.0, 0.5]) and same(slopes[1], [0.0, 1.0, 1.0, 0.0, 0.5])
    assert same(mx.grad(lambda x: mx.logaddexp(x, mx.zeros(3)).sum())(mx.array([inf, -inf, 0.0])), [1.0, 0.0, 0.5])


def test_power_by_its_exponent():
    slope = lambda x, y: mx.grad(lambda y: mx.power(mx.array(x), y))(mx.array(y)).item()
    assert slope(inf, -2.0) == 0.0 and slope(0.0, 2.0) == 0.0 and slope(0.0, 0.0) == 0.0 and slope(0.0, -1.0) == 0.0
    assert slope(-2.0, -inf) == 0.0 and math.isnan(slope(0.0, nan)) and slope(inf, 2.0) == inf
    assert abs(slope(2.0, 3.0) - 8 * math.log(2)) < 1e-5


def test_extremes_of_two_give_no_part_to_nan():
    x, y = mx.array([nan, 1.0, 2.0, 2.0]), mx.array([1.0, nan, 2.0, 1.0])
    for function, first in ((mx.maximum, [0.0, 0.0, 0.0, 1.0]), (mx.minimum, [0.0, 0.0, 0.0, 0.0])):
        a, b = mx.vjp(function, [x, y], [mx.ones(4)])[1]
        assert same(a, first) and same(b, [0.0, 0.0] + [1.0 - v for v in first[2:]])


def test_factors_at_positions():
    weights = [1.0, 10.0]
    for x, factors in itertools.product(itertools.product([2.0, 0.0, -3.0], repeat=2), itertools.product([0.5, 0.0, -2.0, inf], repeat=3)):
        for places in [0, 0, 1], [0, 1, 0], [1, 1, 1]:
            met = [[f for f, p in zip(factors, places) if p == i] for i in range(2)]
            if any(inf in row and (0.0 in row or x[i] == 0) for i, row in enumerate(met)):
                continue  # zero times infinity
            function = lambda x, f: (x.at[mx.array(places)].multiply(f) * mx.array(weights)).sum()
            slopes = mx.grad(function, (0, 1))(mx.array(x), mx.array(factors))
            assert same(slopes[0], [w * times(row) for w, row in zip(weights, met)]), (x, factors, places)
            others = [[f for j, f in enumerate(factors) if j != k and places[j] == p] for k, p in enumerate(places)]
            expected = [weights[p] * times([x[p]] + row) for p, row in zip(places, others)]
            assert same(slopes[1], expected), (x, factors, places)


def test_a_name_given_twice_counts_once():
    assert mx.grad(lambda x, c: (x * c).sum(), argnames=["c", "c"])(mx.array([2.0]), c=mx.array([3.0]))[1]["c"].tolist() == [2]


def test_logcumsumexp_has_derivatives_of_any_order():
    x, t = mx.array([[0.2, 0.7, -1.0, 0.3]]), mx.array([[1.0, -2.0, 3.0, 0.0]])
    for reverse in (False, True):
        def loss(x):
            return (mx.logcumsumexp(x, axis=1, reverse=reverse) ** 2).sum()

        forward = mx.jvp(mx.grad(loss), [x], [t])[1][0]
        assert mx.allclose(forward, mx.grad(lambda x: (mx.grad(loss)(x) * t).sum())(x), rtol=1e-4, atol=1e-5)
    # Nothing but zeros came so far: their sum stays, and so does its logarithm.
    low = mx.jvp(lambda x: mx.logcumsumexp(x), [mx.array([-inf, -inf, 1.0])], [mx.array([1.0, 1.0, 2.0])])[1][0]
    assert low.tolist() == [0.0, 0.0, 2.0]
