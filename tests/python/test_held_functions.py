"""Functions that transforms return: their attributes, and reference cycles through them."""
import functools
import gc
import inspect
import weakref

import pytest

import frit.core as mx
import frit.nn as nn


class Owner:
    factor = 2.0


def owner_of(made):
    """A weak reference to an object that refers to `made(f)`, a function that refers to the object."""
    owner = Owner()

    def f(x):
        return (x * owner.factor).sum()

    owner.made = made(f)
    return weakref.ref(owner)


def exported(f, tmp_path):
    write = mx.exporter(str(tmp_path / "f.mlxfn"), f)
    write(mx.array([1.0]))
    return write


def with_rules(f):
    made = mx.custom_function(f)
    made.vjp(lambda x, cotangent, result: cotangent * f(x))
    made.jvp(lambda x, tangent: tangent * f(x))
    made.vmap(lambda x, axes: (f(x), 0))
    return made


@pytest.mark.parametrize("made", [
    mx.grad, mx.value_and_grad, mx.vmap, mx.checkpoint, mx.custom_function, with_rules, mx.compile, lambda f: mx.compile(mx.grad(f)),
    lambda f: nn.value_and_grad(nn.Linear(1, 1), f)])
def test_cycles_through_transforms_are_collected(made):
    def called(f):
        g = made(f)
        g(mx.array([1.0, 2.0]))
        return g

    for make in (made, called):
        found = owner_of(make)
        gc.collect()
        assert found() is None


def test_cycles_through_exporters_and_returned_objects_are_collected(tmp_path):
    found = owner_of(lambda f: exported(f, tmp_path))
    gc.collect()
    assert found() is None
    found = owner_of(lambda f: mx.compile(lambda x: (f(x), f)))
    found().made(mx.array([1.0]))
    gc.collect()
    assert found() is None


@pytest.mark.parametrize("transform", [mx.grad, mx.value_and_grad, mx.vmap, mx.checkpoint, mx.compile])
def test_transformed_functions_have_the_attributes_of_the_function(transform):
    def f(x, y=2):
        """Says something."""
        return (x * y).sum()

    f.mark = "m"
    g = transform(f)
    assert (g.__name__, g.__doc__, g.__qualname__, g.__module__, g.mark) == ("f", f.__doc__, f.__qualname__, f.__module__, "m")
    assert str(inspect.signature(g)) == "(x, y=2)" and g.__wrapped__ is f
    assert functools.wraps(g)(lambda x: x).__name__ == "f"
    with pytest.raises(AttributeError):
        g.missing
    model = transform(nn.Linear(1, 1))
    assert sorted(model.parameters()) == ["bias", "weight"] and callable(model)
