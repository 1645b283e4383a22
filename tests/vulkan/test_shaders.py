"""Shaders as text: the backend writes the files under golden/, and spirv-val accepts every module.

FRIT_BLESS=1 rewrites the text.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

CLI, GRAPHS, GOLDEN = (os.environ[v] for v in ("FRIT_CLI", "FRIT_GRAPHS", "FRIT_GOLDEN"))
MAGIC = bytes((0x03, 0x02, 0x23, 0x07))

failures = []


def emit(graph, form, device="baseline"):
    # No particular device, so that the text is the same on every machine.
    command = [CLI, "compile", str(graph), "--target=vulkan", f"--cpu={device}", f"--emit={form}"]
    done = subprocess.run(command, capture_output=True)
    if done.returncode:
        failures.append(f"{' '.join(command)}: {done.stderr.decode()}")
        return b""
    return done.stdout


def modules(graph, device, folder):
    """The modules of a graph, one file each."""
    where = pathlib.Path(folder) / f"{graph.stem}-{device}"
    command = [CLI, "compile", str(graph), "--target=vulkan", f"--cpu={device}", "--emit=spirv", "-o", str(where)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        failures.append(f"{' '.join(command)}: {done.stderr}")
        return []
    files = sorted(where.rglob("*")) if where.is_dir() else [where]
    return [f for f in files if f.is_file() and f.read_bytes()[:4] == MAGIC]


graphs = sorted(pathlib.Path(GRAPHS).glob("*.frit")) + sorted(pathlib.Path(GOLDEN).glob("*.frit"))
for graph in graphs:
    kept = pathlib.Path(GOLDEN) / (graph.stem + ".comp")
    if kept.exists() or graph.parent == pathlib.Path(GOLDEN):
        text = emit(graph, "glsl")
        if os.environ.get("FRIT_BLESS") == "1":
            kept.write_bytes(text)
        elif not kept.exists() or kept.read_bytes() != text:
            failures.append(f"{graph.name}: the shader's text is not that of {kept.name}; FRIT_BLESS=1 rewrites it\n{text.decode()}")

if not shutil.which("spirv-val"):
    print("spirv-val is not installed: modules are not checked")
else:
    with tempfile.TemporaryDirectory() as folder:
        for graph, device in [(g, d) for g in graphs for d in ("baseline", "nvidia")]:
            found = modules(graph, device, folder)
            if not found:
                failures.append(f"{graph.name}: no modules")
            for file in found:
                done = subprocess.run(["spirv-val", "--target-env", "vulkan1.2", str(file)], capture_output=True, text=True)
                # Tools of before 2023.4 do not know cooperative matrices of the KHR extension.
                if done.returncode and "capability operand: 6022" not in done.stdout + done.stderr:
                    failures.append(f"{graph.name} for {device}, {file.name}: {done.stdout}{done.stderr}")

for graph in graphs[:1]:
    text = emit(graph, "spirv-asm").decode()
    if "OpEntryPoint" not in text and "EntryPoint" not in text:
        failures.append(f"{graph.name}: no entry point in\n{text}")

for f in failures:
    print(f)
sys.exit(1 if failures else 0)
