"""Module: parameters and layers by name, as a dict that looks like an object."""
import textwrap
from typing import Any, Callable, List, Optional, Tuple, Union

import frit.core as mx
from frit.utils import tree_flatten, tree_unflatten


class Module(dict):
    """The base of layers and models. Arrays, lists, tuples, dicts and modules that are assigned are items of the dict.

    Subclasses define `__call__`. Items whose names begin with an underscore are no parameters.
    """

    def __init__(self):
        self._no_grad = set()
        self._training = True

    @property
    def training(self):
        """Whether the module is in training mode."""
        return self._training

    @property
    def state(self):
        """The module itself: a dict of all of its arrays, for compile's inputs and outputs."""
        return self

    def _extra_repr(self):
        return ""

    def __repr__(self):
        """The class, its options, and the modules inside."""
        lines = ["%s(%s" % (type(self).__name__, self._extra_repr())]
        for name, child in tree_flatten(self.children(), is_leaf=self.is_module):
            lines.append(textwrap.indent("(%s): %r" % (name, child), "  "))
        return "\n".join(lines) + ("\n)" if len(lines) > 1 else ")")

    def __getattr__(self, key: str):
        """An item of the dict by its name."""
        try:
            return self[key]
        except KeyError:
            pass
        return super().__getattribute__(key)

    def __setattr__(self, key: str, val: Any):
        """Arrays and containers become items, other values attributes."""
        if isinstance(val, (mx.array, dict, list, tuple)):
            self.__dict__.pop(key, None)
            self[key] = val
        else:
            super().__setattr__(key, val)
            self.pop(key, None)

    def __delattr__(self, name):
        """Removes an item or attribute."""
        if name in self:
            del self[name]
        else:
            super().__delattr__(name)

    def load_weights(self, file_or_weights: Union[str, List[Tuple[str, mx.array]]], strict: bool = True) -> "Module":
        """Sets parameters from a .npz or .safetensors file, or from pairs of path and array.

        Raises ValueError, where strict, for parameters that are missing, unknown or of another shape.
        """
        weights = file_or_weights
        if isinstance(weights, str):
            weights = list(mx.load(weights).items())
        if strict:
            new, current = dict(weights), tree_flatten(self.parameters(), destination={})
            for names, what in ((new.keys() - current.keys(), "has no parameters"), (current.keys() - new.keys(), "misses parameters")):
                if names:
                    raise ValueError("load_weights: the module %s: %s" % (what, ", ".join(sorted(names))))
            for name, value in current.items():
                if not isinstance(new[name], mx.array):
                    raise ValueError("load_weights: %s is a %s, not an array" % (name, type(new[name]).__name__))
                if new[name].shape != value.shape:
                    raise ValueError("load_weights: %s has shape %s, not %s" % (name, new[name].shape, value.shape))
        if len(weights):
            self.update(tree_unflatten(weights), strict=False)
        return self

    def save_weights(self, file: str):
        """Writes the parameters to a .npz or .safetensors file. Raises ValueError for another ending."""
        weights = tree_flatten(self.parameters(), destination={})
        if file.endswith(".npz"):
            mx.savez(file, **weights)
        elif file.endswith(".safetensors"):
            mx.save_safetensors(file, weights)
        else:
            raise ValueError("save_weights: '%s' ends neither in .npz nor in .safetensors" % file)

    @staticmethod
    def is_module(value):
        """Whether the value is a module."""
        return isinstance(value, Module)

    @staticmethod
    def valid_child_filter(module, key, value):
        """Whether an item may hold modules."""
        return isinstance(value, (dict, list))

    @staticmethod
    def valid_parameter_filter(module, key, value):
        """Whether an item is or holds parameters."""
        return isinstance(value, (dict, list, mx.array)) and not key.startswith("_")

    @staticmethod
    def trainable_parameter_filter(module, key, value):
        """Whether an item is or holds parameters that are not frozen."""
        return Module.valid_parameter_filter(module, key, value) and key not in module._no_grad

    def filter_and_map(
        self,
        filter_fn: Callable[["Module", str, Any], bool],
        map_fn: Optional[Callable] = None,
        is_leaf_fn: Optional[Callable[["Module", str, Any], bool]] = None,
    ):
        """A dict of the items that `filter_fn(module, key, value)` takes, each leaf through `map_fn`.

        `is_leaf_fn` says what a leaf is; by default everything but modules, dicts and lists.
        """
        map_fn = map_fn or (lambda x: x)
        is_leaf_fn = is_leaf_fn or (lambda module, key, value: not isinstance(value, (dict, list)))

        def mapped(module, key, value):
            if is_leaf_fn(module, key, value):
                return map_fn(value)
            if isinstance(value, Module):
                return of_module(value)
            inner = lambda k, v: mapped(module, k, v) if filter_fn(module, k, v) else {}
            if isinstance(value, dict):
                return {k: inner("%s.%s" % (key, k), v) for k, v in value.items()}
            if isinstance(value, list):
                return [inner("%s.%s" % (key, i), v) for i, v in enumerate(value)]
            raise RuntimeError("filter_and_map: %s is neither a leaf nor a container" % key)

        def of_module(module):
            return {k: mapped(module, k, v) for k, v in module.items() if filter_fn(module, k, v)}

        return of_module(self)

    def parameters(self):
        """The parameters as a tree."""
        return self.filter_and_map(self.valid_parameter_filter)

    def trainable_parameters(self):
        """The parameters that are not frozen, as a tree."""
        return self.filter_and_map(self.trainable_parameter_filter)

    def children(self):
        """The modules directly inside, as a tree."""
        return self.filter_and_map(self.valid_child_filter, is_leaf_fn=lambda m, k, v: isinstance(v, Module))

    def leaf_modules(self):
        """The modules that hold no modules, as a tree."""
        def leaf(module, key, value):
            return isinstance(value, Module) and not tree_flatten(value.children())

        return self.filter_and_map(self.valid_child_filter, is_leaf_fn=leaf)

    def update(self, parameters: dict, strict: bool = True) -> "Module":
        """Replaces parameters by those of a tree, which may leave some out.

        Raises ValueError, where strict, for names that the module has not and values that are no arrays.
        """
        def put(place, key, new):
            current = place[key]
            if isinstance(current, mx.array):
                if strict and not isinstance(new, mx.array):
                    raise ValueError("update: %s is an array, and the new value a %s" % (key, type(new).__name__))
                place[key] = new
            else:
                apply(current, new)

        def apply(place, new):
            if isinstance(new, dict):
                for key in new:
                    if key in place:
                        put(place, key, new[key])
                    elif strict:
                        raise ValueError("update: the module has no parameter '%s'" % key)
            elif isinstance(new, list):
                for i, value in enumerate(new):
                    if i < len(place):
                        put(place, i, value)
                    elif strict:
                        raise ValueError("update: the module has no item %d in a list of %d" % (i, len(place)))
            elif strict:
                raise ValueError("update: a value of type %s is not a tree of parameters" % type(new).__name__)

        apply(self, parameters)
        return self

    def apply(self, map_fn: Callable[[mx.array], mx.array], filter_fn: Optional[Callable[["Module", str, Any], bool]] = None) -> "Module":
        """Replaces each parameter that the filter takes by `map_fn` of it."""
        return self.update(self.filter_and_map(filter_fn or Module.valid_parameter_filter, map_fn))

    def update_modules(self, modules: dict, strict: bool = True) -> "Module":
        """Replaces the modules inside by those of a tree, which may leave some out.

        Raises ValueError, where strict, for names that the module has not and values that are no modules.
        """
        def put(place, key, new):
            current = place[key]
            if self.is_module(current) and self.is_module(new):
                place[key] = new
            elif isinstance(current, (dict, list)):
                apply(current, new)
            elif strict and new != {}:
                raise ValueError("update_modules: %s is a %s, and the new value a %s" % (key, type(current).__name__, type(new).__name__))

        def apply(place, new):
            if isinstance(new, dict):
                for key in new:
                    if key in place:
                        put(place, key, new[key])
                    elif strict:
                        raise ValueError("update_modules: the module has no item '%s'" % key)
            elif isinstance(new, list):
                for i, value in enumerate(new):
                    if i < len(place):
                        put(place, i, value)
                    elif strict:
                        raise ValueError("update_modules: the module has no item %d in a list of %d" % (i, len(place)))
            elif strict:
                raise ValueError("update_modules: a value of type %s is not a tree of modules" % type(new).__name__)

        apply(self, modules)
        return self

    def apply_to_modules(self, apply_fn: Callable[[str, "Module"], Any]) -> "Module":
        """Calls `apply_fn(path, module)` for the module and all inside of it."""
        for path, module in self.named_modules():
            apply_fn(path, module)
        return self

    def modules(self):
        """The module and all inside of it, as a list."""
        return [module for _, module in self.named_modules()]

    def named_modules(self):
        """The module and all inside of it with their paths, as a list of pairs."""
        found, open_modules = [], [("", self)]
        while open_modules:
            path, module = open_modules.pop()
            found.append((path, module))
            open_modules += tree_flatten(module.children(), prefix="." + path if path else "", is_leaf=self.is_module)
        return found

    def _own_keys(self, keys):
        if keys is None:
            own = self.filter_and_map(lambda m, k, v: not isinstance(v, Module) and m.valid_parameter_filter(m, k, v))
            return [k for k, _ in tree_flatten(own)]
        return keys if isinstance(keys, list) else [keys]

    def _check_keys(self, keys, recurse):
        """Raises KeyError for a name that none of the modules has that a change is for."""
        modules = self.modules() if recurse else [self]
        for key in keys if isinstance(keys, list) else [] if keys is None else [keys]:
            if not any(key in module for module in modules):
                raise KeyError("the module has no item '%s'" % key)

    def _each(self, recurse, change):
        if recurse:
            self.apply_to_modules(change)
        else:
            change("", self)
        return self

    def freeze(self, *, recurse: bool = True, keys: Optional[Union[str, List[str]]] = None, strict: bool = False) -> "Module":
        """Takes parameters, all or those of the names, out of trainable_parameters. Raises KeyError, where strict, for
        names that no module has, and changes nothing then."""
        if strict:
            self._check_keys(keys, recurse)
        return self._each(recurse, lambda _, m: m._no_grad.update(m._own_keys(keys)))

    def unfreeze(self, *, recurse: bool = True, keys: Optional[Union[str, List[str]]] = None, strict: bool = False) -> "Module":
        """Undoes freeze."""
        def change(_, m):
            if keys is None:
                m._no_grad.clear()
            else:
                m._no_grad.difference_update(m._own_keys(keys))

        if strict:
            self._check_keys(keys, recurse)
        return self._each(recurse, change)

    def train(self, mode: bool = True) -> "Module":
        """Sets the mode of the module and all inside of it."""
        return self._each(True, lambda _, m: m._set_training_mode(mode))

    def _set_training_mode(self, mode):
        """Sets the mode of this module alone; layers that change more than the flag extend it."""
        self._training = mode

    def eval(self) -> "Module":
        """Ends training mode."""
        return self.train(False)

    def set_dtype(self, dtype: mx.Dtype, predicate: Optional[Callable[[mx.Dtype], bool]] = lambda x: mx.issubdtype(x, mx.floating)):
        """Converts the parameters whose types the predicate takes; all where it is None."""
        predicate = predicate or (lambda _: True)
        self.apply(lambda x: x.astype(dtype) if predicate(x.dtype) else x)
