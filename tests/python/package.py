"""Builds the wheel with scripts/wheel.sh, installs it into a new virtual environment, and runs programs there.

    package.py SOURCE FOLDER CC CXX    FOLDER: where the wheel and the environment are made

Reaches no network: the interpreter that runs this has what the build needs (frontend/python/requirements.txt). Status 77
with the reason where it has not, or where there is no ccache.
"""
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

PROGRAM = """
import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim
assert mx.__name__ == "frit.core" and nn.__file__.startswith({site!r}), nn.__file__
model, optimizer = nn.Linear(4, 1), optim.SGD(0.1)
x = mx.random.normal((32, 4))
y = x.sum(axis=1, keepdims=True)
step = nn.value_and_grad(model, lambda m: nn.losses.mse_loss(m(x), y))
first = last = None
for _ in range(50):
    last, grads = step(model)
    optimizer.update(model, grads)
    mx.eval(model.parameters())
    first = last if first is None else first
assert last.item() < first.item() / 10
print("trained", mx.compile(lambda a: mx.exp(-a) + 1)(mx.array([0.0, 1.0])).tolist()[0])
"""


def skip(reason):
    print("skipped: " + reason)
    sys.exit(77)


def check_contents(names):
    """Each library once, and beside frit's own those that a machine may lack."""
    own = [name for name in names if re.search(r"/lib/libfrit\w*\.so", name)]
    assert own and len(own) == len({re.sub(r"\.so.*", "", name) for name in own}), own
    for library in ("openblas", "zstd"):
        assert any(re.match(r"frit\.libs/lib" + library, name) for name in names), (library, names)


def main(source, folder, cc, cxx):
    if not shutil.which("ccache"):
        skip("there is no ccache, and the wheel builds all libraries once more")
    for needed in ("scikit_build_core", "nanobind", "auditwheel"):
        if not importlib.util.find_spec(needed):
            skip("%s has no %s, which pip would fetch from a network" % (sys.executable, needed))
    source, folder = pathlib.Path(source).resolve(), pathlib.Path(folder).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    # The compilers of the build beside and its copy of nanobind, so that its objects are found in the cache.
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "FRIT_PLUGIN_DIR")}
    environment.update(CC=cc, CXX=cxx, CMAKE_BUILD_PARALLEL_LEVEL=str(os.cpu_count()))
    pip = ["-m", "pip", "--disable-pip-version-check", "-q"]
    subprocess.run([source / "scripts" / "wheel.sh", folder / "wheel", sys.executable], check=True, env=environment)
    wheels = list((folder / "wheel").glob("frit-*.whl"))
    assert len(wheels) == 1 and "-manylinux_" in wheels[0].name, wheels
    check_contents(zipfile.ZipFile(wheels[0]).namelist())
    subprocess.run([sys.executable, "-m", "venv", folder / "env"], check=True)
    python = str(folder / "env" / "bin" / "python")
    subprocess.run([python, *pip, "install", "--no-index", wheels[0]], check=True, env=environment)

    def run(*arguments):
        return subprocess.run([python, *arguments], cwd=folder, env=environment, check=True, stdout=subprocess.PIPE,
                              text=True).stdout

    site = run("-c", "import frit.core, os; print(os.path.dirname(frit.core.__file__))").strip()
    assert site.startswith(str(folder)), site
    maps = run("-c", "import frit.core as mx; mx.eval(mx.compile(lambda a: mx.exp(a) + a)(mx.ones(8)));"
               "mx.eval(mx.ones((300, 200)) @ mx.ones((200, 100))); print(open('/proc/self/maps').read())")
    blas = set(re.findall(r"(/\S*openblas\S*)", maps))
    assert blas and all(path.startswith(str(folder)) for path in blas), blas
    own = {path for path in re.findall(r"(/\S*libfrit\S*)", maps)}
    assert own and all(path.startswith(str(folder)) for path in own), own
    for beside in ("py.typed", "core/__init__.pyi", "nn/__init__.py", "optimizers/__init__.py"):
        assert os.path.exists(os.path.join(os.path.dirname(site) if site.endswith("core") else site, beside)), beside
    script = folder / "program.py"
    script.write_text(PROGRAM.format(site=str(folder)))
    assert "trained 2.0" in run("-m", "frit.as_mlx", str(script))
    print(run(str(source / "examples" / "python" / "gelu.py")))


if __name__ == "__main__":
    main(*sys.argv[1:])
