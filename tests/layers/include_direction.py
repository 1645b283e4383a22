"""Checks who includes whom: the direction of dependency between rooms, file by file.

docs/design.md must list every room.

Usage: include_direction.py SOURCE_FOLDER
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])

# For each room: the other rooms whose headers it may include. A name that ends in "/" means every room of that folder.
ROOMS = {
    "ir/base/frit": "",
    "ir/base": "ir/base/frit",
    "ir/scalar": "ir/base",
    "ir/math": "ir/base ir/scalar",
    "ir/graph": "ir/base ir/scalar",
    "ir/ops": "ir/base ir/scalar ir/graph",
    "ir/routines": "ir/base ir/scalar ir/graph ir/ops",
    "ir/kernel": "ir/base ir/scalar ir/graph ir/routines",
    "ir/text": "ir/base ir/scalar ir/graph ir/routines ir/kernel",
    "ir/verify": "ir/base ir/scalar ir/graph ir/routines ir/kernel ir/text",
    "ir/interpret": "ir/base ir/scalar ir/graph ir/routines ir/kernel ir/text ir/verify",
    "ir/read": "ir/base ir/scalar ir/graph ir/routines ir/kernel ir/text ir/verify",
    "ir/reduce": "ir/base ir/scalar ir/graph ir/routines ir/kernel ir/text ir/verify ir/interpret",
    "passes/manager": "ir/",
    "passes/simplify": "ir/ passes/manager",
    "passes/transform": "ir/ passes/manager",
    "passes/fuse": "ir/ passes/manager",
    "passes/lower": "ir/ passes/manager passes/fuse",
    "passes/schedule": "ir/ passes/manager passes/lower",
    "runtime/frit": "",
    "runtime/system": "ir/base",
    "runtime/memory": "ir/base runtime/system",
    "runtime/execute": "ir/base runtime/system runtime/memory",
    "runtime/files": "ir/base runtime/system runtime/memory runtime/execute",
    "runtime/load": "ir/base runtime/system runtime/memory runtime/execute runtime/files runtime/frit",
    "runtime/routines": "ir/base runtime/system runtime/memory runtime/execute",
    "runtime/openblas": "ir/base runtime/system runtime/memory runtime/execute runtime/routines",
    "runtime/mpi": "ir/base runtime/system runtime/memory runtime/execute runtime/routines",
    "runtime/vulkan": "ir/base runtime/system runtime/memory runtime/execute runtime/load",
    "codegen/core": "ir/ passes/ runtime/system runtime/memory runtime/execute runtime/files runtime/load",
    "codegen/report": "ir/ passes/ runtime/system runtime/memory runtime/execute runtime/load codegen/core",
    "codegen/package": "ir/ passes/ runtime/system runtime/memory runtime/execute runtime/files runtime/load codegen/core",
    "codegen/llvm": "ir/ passes/ runtime/system runtime/memory runtime/execute runtime/load codegen/core codegen/package",
    "codegen/ptx": "",
    "codegen/glsl": "ir/ passes/ runtime/execute codegen/core codegen/ptx",
    "codegen/glsl/products": "ir/ passes/ runtime/execute codegen/core codegen/ptx codegen/glsl",
    "codegen/glsl/attention": "ir/ passes/ runtime/execute codegen/core codegen/ptx codegen/glsl codegen/glsl/products",
    "codegen/glsl/convolution": "ir/ passes/ runtime/execute codegen/core codegen/ptx codegen/glsl codegen/glsl/products",
    "codegen/glsl/rows": "ir/ passes/ runtime/execute codegen/core codegen/glsl",
    "codegen/glsl/fft": "ir/ passes/ runtime/execute codegen/core codegen/glsl",
    "codegen/c": "ir/ passes/ runtime/memory codegen/core codegen/package",
    "frontend/frit": "ir/base/frit",
    "frontend/core": "ir/ runtime/ frontend/frit",
    "frontend/eager": "ir/ passes/ runtime/ codegen/core frontend/frit frontend/core",
    "frontend/ops": "ir/base frontend/frit frontend/core",
    "frontend/compile": "ir/ passes/ runtime/ codegen/core codegen/report frontend/frit frontend/core frontend/eager",
    "frontend/transforms": "ir/ passes/ runtime/ frontend/frit frontend/core frontend/compile",
    "frontend/nn": "ir/base frontend/frit frontend/core",
    "frontend/optimizers": "frontend/frit frontend/core frontend/nn",
    "frontend/distributed": "ir/ runtime/ frontend/frit frontend/core",
    "frontend/io": "ir/ runtime/ codegen/core codegen/package frontend/frit frontend/core frontend/compile",
    "frontend/generate": "ir/",
    "frontend/c": "frontend/frit",
    "frontend/c/wrappers": "frontend/c",
    "frontend/python/core": "frontend/frit",
    "frontend/python/functions": "frontend/frit frontend/python/core",
    "frontend/go": "",
    "frontend/cli": "ir/ passes/ runtime/ codegen/core codegen/package codegen/report",
}
# Headers of libraries that only one room may include.
CONFINED = {
    r"^llvm[-/]": "codegen/llvm",
    r"^vulkan/": "runtime/vulkan",
    r"^(glslang|SPIRV)/": "codegen/glsl",
    r"^cblas": "runtime/openblas",
}
# Folders of the public headers, which are included as "frit/..." and include each other in this form alone, so that the installed include/frit stands
# on its own.
PUBLIC = ("ir/base/frit", "runtime/frit", "frontend/frit")


def room_of(included):
    """The room of an included header, or None if it is not a header of the project."""
    if included.startswith("frit/"):
        for folder in PUBLIC:
            if (root / folder / included.removeprefix("frit/")).exists():
                return folder
    folder = str(pathlib.PurePosixPath(included).parent)
    while folder != "." and folder not in ROOMS:
        folder = str(pathlib.PurePosixPath(folder).parent)
    return None if folder == "." else folder


def allowed(room, target):
    # Whoever may include a room of the base layer may include its public headers.
    if target == "ir/base/frit" and room not in PUBLIC:
        target = "ir/base"
    return any(target == a or (a.endswith("/") and target.startswith(a)) for a in [room, *ROOMS[room].split()])


errors, checked = [], 0
for folder in ("ir", "passes", "runtime", "codegen", "frontend"):
    for source in sorted((root / folder).rglob("*")):
        if source.suffix not in (".h", ".cpp"):
            continue
        name = source.relative_to(root).as_posix()
        own = room_of(name)
        if own is None:
            errors.append(f"{name}: it stands in no room; docs/design.md has them")
            continue
        for number, line in enumerate(source.read_text().splitlines(), 1):
            match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
            if not match:
                continue
            checked += 1
            bracket, included = match.groups()
            target = room_of(included) if bracket == '"' else None
            if own in PUBLIC and source.suffix == ".h" and "/" in included and not re.match(r"frit/|sys/", included):
                errors.append(f"{name}:{number}: a public header includes {included}, which is not a public header")
            elif own in PUBLIC and bracket == '"' and target is None:
                errors.append(f"{name}:{number}: a public header includes {included}, which is not a public header")
            if target and not allowed(own, target):
                errors.append(f"{name}:{number}: {own} must not include {included}")
            for pattern, home in CONFINED.items():
                if re.match(pattern, included) and own != home:
                    errors.append(f"{name}:{number}: {included} belongs to {home}")

map_of_rooms = (root / "docs/design.md").read_text()
for room in ROOMS:
    if f"| `{room}` |" not in map_of_rooms:
        errors.append(f"docs/design.md: its table lacks {room}")

for e in errors:
    print(e)
print(f"{checked} includes checked, {len(errors)} wrong")
sys.exit(1 if errors or checked < 100 else 0)
