"""Trees of Python containers: lists, tuples and dicts whose leaves are anything else."""
from collections import defaultdict
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

__all__ = ["tree_flatten", "tree_map", "tree_map_with_path", "tree_merge", "tree_reduce", "tree_unflatten"]


def _remade(like, items):
    """A list, tuple or named tuple of the given items."""
    return type(like)(*items) if hasattr(like, "_fields") else type(like)(items)


def tree_map(fn: Callable, tree: Any, *rest: Any, is_leaf: Optional[Callable] = None) -> Any:
    """A tree with `fn(leaf, *leaves)` in the place of each leaf; the others come from the same places of `rest`.

    `is_leaf(node)` may make a container a leaf.
    """
    if is_leaf is not None and is_leaf(tree):
        return fn(tree, *rest)
    if isinstance(tree, (list, tuple)):
        return _remade(tree, [tree_map(fn, child, *(r[i] for r in rest), is_leaf=is_leaf) for i, child in enumerate(tree)])
    if isinstance(tree, dict):
        return {k: tree_map(fn, child, *(r[k] for r in rest), is_leaf=is_leaf) for k, child in tree.items()}
    return fn(tree, *rest)


def tree_map_with_path(fn: Callable, tree: Any, *rest: Any, is_leaf: Optional[Callable] = None, path: Optional[Any] = None) -> Any:
    """As `tree_map`, with `fn(path, leaf, *leaves)`: the path joins keys and positions by dots."""
    if is_leaf is not None and is_leaf(tree):
        return fn(path, tree, *rest)

    def inner(key, child, others):
        deeper = str(key) if path is None else "%s.%s" % (path, key)
        return tree_map_with_path(fn, child, *others, is_leaf=is_leaf, path=deeper)

    if isinstance(tree, (list, tuple)):
        return _remade(tree, [inner(i, child, [r[i] for r in rest]) for i, child in enumerate(tree)])
    if isinstance(tree, dict):
        return {k: inner(k, child, [r[k] for r in rest]) for k, child in tree.items()}
    return fn(path, tree, *rest)


def tree_flatten(
    tree: Any,
    prefix: str = "",
    is_leaf: Optional[Callable] = None,
    destination: Optional[Union[List[Tuple[str, Any]], Dict[str, Any]]] = None,
) -> Union[List[Tuple[str, Any]], Dict[str, Any]]:
    """The leaves with their paths, as a list of pairs or, where `destination` is a dict, in that dict.

    A path joins keys and positions by dots, behind `prefix`, whose first character is dropped.
    """
    if destination is None:
        destination = []
    elif not isinstance(destination, (list, dict)):
        raise ValueError("tree_flatten: the destination is a list or a dict, not a %s" % type(destination).__name__)
    put = destination.append if isinstance(destination, list) else lambda pair: destination.__setitem__(*pair)

    def walk(node, path):
        container = isinstance(node, (list, tuple, dict))
        if not container or (is_leaf is not None and is_leaf(node)):
            put((path[1:], node))
            return
        for key, child in node.items() if isinstance(node, dict) else enumerate(node):
            walk(child, "%s.%s" % (path, key))

    walk(tree, prefix)
    return destination


def tree_unflatten(tree: Union[List[Tuple[str, Any]], Dict[str, Any]]) -> Any:
    """The tree of leaves with paths, as `tree_flatten` gives them. Positions make lists, whose holes are empty dicts."""
    items = list(tree.items() if isinstance(tree, dict) else tree)
    if not items:
        return []
    if len(items) == 1 and items[0][0] == "":
        return items[0][1]
    children = defaultdict(list)
    for path, value in items:
        key, _, rest = path.partition(".")
        children[key].append((rest, value))
    if children and all(k.isdigit() for k in children):
        out = []
        for i in sorted(map(int, children)):
            out += [{} for _ in range(i - len(out))]
            out.append(tree_unflatten(children[str(i)]))
        return out
    return {k: tree_unflatten(v) for k, v in children.items()}


def tree_reduce(fn, tree, initializer=None, is_leaf=None):
    """`fn(value, leaf)` over the leaves in order, from `initializer` or the first leaf on."""
    value = initializer
    for _, leaf in tree_flatten(tree, is_leaf=is_leaf):
        value = leaf if value is None else fn(value, leaf)
    return value


def tree_merge(tree_a, tree_b, merge_fn=None):
    """One tree with the leaves of both. `merge_fn(a, b)` joins leaves that stand in the same place.

    Raises ValueError where two leaves meet without it, or containers of different types.
    """
    def empty(t):
        return isinstance(t, (list, tuple, dict)) and len(t) == 0

    if empty(tree_a) and empty(tree_b) and type(tree_a) is not type(tree_b):
        raise ValueError("tree_merge: both trees have a container, but of different types")
    if empty(tree_a) and empty(tree_b):
        return tree_a
    a, b = (None if empty(t) else t for t in (tree_a, tree_b))
    if (a is None) != (b is None):
        return b if a is None else a
    if type(a) is type(b) and isinstance(a, (list, tuple)):
        shared = min(len(a), len(b))
        merged = [tree_merge(x, y, merge_fn) for x, y in zip(a, b)]
        return _remade(a, merged + list(a[shared:]) + list(b[shared:]))
    if type(a) is type(b) and isinstance(a, dict):
        return {k: tree_merge(a.get(k), b.get(k), merge_fn) for k in {**a, **b}}
    if isinstance(a, (list, tuple, dict)) != isinstance(b, (list, tuple, dict)) or merge_fn is None:
        raise ValueError("tree_merge: both trees have a %s and a %s in one place" % (type(a).__name__, type(b).__name__))
    return merge_fn(a, b)
