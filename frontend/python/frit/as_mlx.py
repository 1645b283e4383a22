"""Programs for MLX, unchanged, on frit.

`import frit.as_mlx` makes later imports of mlx and its modules those of frit. `python -m frit.as_mlx script.py` (or
`-m module`, or `-c code`) runs a program that way.
"""
import importlib
import importlib.abc
import importlib.util
import sys


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds mlx.x as frit.x; both names give one module."""

    def find_spec(self, name, path=None, target=None):
        if name != "mlx" and not name.startswith("mlx."):
            return None
        real = "frit" + name[3:]
        try:
            found = real in sys.modules or importlib.util.find_spec(real) is not None
        except ModuleNotFoundError:
            found = False
        return importlib.util.spec_from_loader(name, self, is_package=True) if found else None

    def create_module(self, spec):
        module = importlib.import_module("frit" + spec.name[3:])
        # The import system writes its own facts over those of the module; exec_module gives them back.
        spec.loader_state = {k: module.__dict__.get(k) for k in ("__name__", "__loader__", "__package__", "__spec__", "__path__", "__file__")}
        return module

    def exec_module(self, module):
        for key, value in module.__spec__.loader_state.items():
            if value is not None:
                setattr(module, key, value)
            elif key in module.__dict__:
                delattr(module, key)
        # The extension's modules are there without an import of their own.
        for name in [n for n in sys.modules if n.startswith("frit.core.")]:
            sys.modules.setdefault("mlx" + name[4:], sys.modules[name])


def install():
    """Makes later imports of mlx those of frit. Raises ImportError where mlx itself is imported already."""
    if any(isinstance(f, _Finder) for f in sys.meta_path):
        return
    if "mlx" in sys.modules:
        raise ImportError("frit.as_mlx has to be imported before mlx")
    sys.meta_path.insert(0, _Finder())


install()


def main(arguments):
    """Runs a script, a module or code with the arguments behind it."""
    import os
    import runpy
    if not arguments:
        sys.exit("usage: python -m frit.as_mlx script.py | -m module | -c code [arguments...]")
    if arguments[0] == "-m" and len(arguments) > 1:
        sys.argv = arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    elif arguments[0] == "-c" and len(arguments) > 1:
        sys.argv = ["-c"] + arguments[2:]
        exec(compile(arguments[1], "<string>", "exec"), {"__name__": "__main__"})
    else:
        sys.argv = arguments
        sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))
        runpy.run_path(arguments[0], run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
