"""Lists and dicts that the program changes while frit works on them: a call sees them as they were when it began."""
import threading

import pytest

import frit.core as mx

TRANSFORMS = {
    "grad": lambda f: mx.grad(lambda tree: f(tree).sum()),
    "value_and_grad": lambda f: mx.value_and_grad(lambda tree: f(tree).sum()),
    "vmap": mx.vmap,
    "checkpoint": mx.checkpoint,
    "compile": mx.compile,
    "custom_function": lambda f: with_rule(mx.custom_function(f)),
}


def with_rule(custom):
    custom.vjp(lambda primals, cotangents, outputs: primals)
    return custom


def equal(found, expected):
    if isinstance(expected, (list, tuple)):
        return len(found) == len(expected) and all(equal(f, e) for f, e in zip(found, expected))
    if isinstance(expected, dict):
        return found.keys() == expected.keys() and all(equal(found[k], e) for k, e in expected.items())
    return mx.array_equal(found, expected).item()


def some_trees():
    x, y = mx.array([1.0, 2.0]), mx.array([3.0, 4.0])
    return {
        "list": ([x], lambda tree: tree.append(y), lambda tree: tree[0]),
        "shorter": ([x, y], lambda tree: tree.clear(), lambda tree: tree[0] + tree[1]),
        "dict": ({"a": x}, lambda tree: tree.update(b=y), lambda tree: tree["a"]),
        "nested": ({"a": [x, (y, [x])]}, lambda tree: tree["a"][1][1].append(y), lambda tree: tree["a"][1][1][0]),
    }


@pytest.mark.parametrize("which", list(some_trees()))
@pytest.mark.parametrize("name", TRANSFORMS)
def test_by_the_function_itself(name, which):
    tree, change, use = some_trees()[which]

    def changing(given):
        change(tree)
        return use(given) * 2

    as_it_was = some_trees()[which][0]
    expected = TRANSFORMS[name](lambda given: use(given) * 2)(as_it_was)
    assert equal(TRANSFORMS[name](changing)(tree), expected)
    assert not equal(tree, as_it_was)  # the program's own tree has changed


@pytest.mark.parametrize("use", [mx.eval, *(lambda tree, name=name: TRANSFORMS[name](lambda t: t[0] * 2)(tree) for name in TRANSFORMS)])
def test_a_tree_that_holds_itself(use):
    tree = [mx.array([1.0])]
    tree.append({"again": tree})
    with pytest.raises(RecursionError, match="tree of lists"):
        use(tree)


def test_an_array_of_a_list_that_holds_itself():
    deep, tree = [1.0], []
    for _ in range(10**5):
        deep = [deep]
    tree.append(tree)
    for endless in (deep, tree):
        with pytest.raises((ValueError, RecursionError), match="deep|tree of lists"):
            mx.array(endless)


def test_a_compiled_function_without_a_function():
    made = type(mx.compile(lambda x: x))
    with pytest.raises(TypeError, match="make it with compile"):
        made.__new__(made)(mx.array(1.0))


@pytest.mark.parametrize("name", ["compile", "grad"])
def test_by_another_thread(name):
    x = mx.ones(1000)
    tree = {"parts": [mx.array(float(i)) * x for i in range(4)]}
    run, stop, sums = TRANSFORMS[name](lambda t: sum(t["parts"], x)), threading.Event(), set()

    def change():
        while not stop.is_set():
            tree["parts"].append(mx.array(4.0) * x)
            tree["parts"].pop()
            tree["more"] = [x]
            del tree["more"]

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(200):
            found = run(tree)
            sums.add((found if name == "compile" else found["parts"][0])[0].item())
    finally:
        stop.set()
        thread.join()
    assert sums <= ({7.0, 11.0} if name == "compile" else {1.0})
