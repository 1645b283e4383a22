"""Checks who includes whom: the direction of dependency in docs/design.md, file by file."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])

# For each folder: the folders whose headers it may include, besides its own. The longest matching prefix decides.
ALLOWED = {
    "ir/base": set(),
    "ir": {"ir/base"},
    "passes": {"ir", "ir/base"},
    "runtime": {"ir/base"},
    "codegen": {"passes", "ir", "ir/base", "runtime"},
    "frontend": {"codegen", "passes", "ir", "ir/base", "runtime"},
}
# Of runtime, codegen sees the executable's parts only.
CODEGEN_RUNTIME = {f"runtime/{name}.h" for name in (
    "executable", "guard", "memory", "library", "plugin", "device", "gpu", "plan_file", "build_identity", "cpu", "parallel", "signature", "package", "package_file", "elf_object", "relocate")}
# Library headers that belong to one folder, and there to .cpp files.
CONFINED = {
    r"^llvm[-/]": "codegen/llvm",
    r"^vulkan/": "runtime/vulkan",
    r"^(glslang|SPIRV)/": "codegen/glsl",
    r"^cblas": "runtime/openblas",
}


def layer(path):
    best = None
    for folder in ALLOWED:
        if path.startswith(folder + "/") and (best is None or len(folder) > len(best)):
            best = folder
    return best


errors, checked = [], 0
for folder in ("ir", "passes", "runtime", "codegen", "frontend"):
    for source in sorted((root / folder).rglob("*")):
        if source.suffix not in (".h", ".cpp"):
            continue
        name = source.relative_to(root).as_posix()
        own = layer(name)
        for number, line in enumerate(source.read_text().splitlines(), 1):
            match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
            if not match:
                continue
            checked += 1
            bracket, included = match.groups()
            target = layer(included)
            if bracket == '"' and target and target != own and target not in ALLOWED[own]:
                errors.append(f"{name}:{number}: {own} must not include {included}")
            if own == "codegen" and target == "runtime" and included not in CODEGEN_RUNTIME:
                errors.append(f"{name}:{number}: codegen sees the runtime's executables only, not {included}")
            for pattern, home in CONFINED.items():
                if re.match(pattern, included) and not name.startswith(home + "/"):
                    errors.append(f"{name}:{number}: {included} belongs to {home}")

for e in errors:
    print(e)
print(f"{checked} includes checked, {len(errors)} wrong")
sys.exit(1 if errors or checked < 100 else 0)
