#!/usr/bin/env python3
"""Measures the time and the size of a program with only the runtime: offline_start.py BUILD_FOLDER [ROUNDS].

Compiles gelu and runs frit_loader on it: the whole process, and from before frit_load to after the first frit_run as that program counts it. Sizes are of
stripped copies. Then the time that `frit compile` takes for a stack of twelve transformer blocks. Medians.
"""
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

build = pathlib.Path(sys.argv[1]).resolve()
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 50
frit, loader = build / "bin/frit", build / "bin/frit_loader"
graphs = pathlib.Path(__file__).resolve().parent.parent / "examples/graphs"
os.environ["FRIT_CACHE"] = "off"


def timed(command, n):
    times, output = [], ""
    for _ in range(n):
        start = time.perf_counter()
        output += subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True).stdout
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times), output


with tempfile.TemporaryDirectory() as folder:
    package = f"{folder}/gelu.fritpkg"
    subprocess.run([frit, "compile", graphs / "gelu.frit", "-o", package], check=True)
    nothing, _ = timed(["true"], rounds)
    whole, output = timed([loader, package, "gelu"], rounds)
    first = statistics.median(float(ms) for ms in re.findall(r"load and first call ([0-9.]+) ms", output))
    print(f"load and first call {first:.2f} ms; process start to finish {whole:.2f} ms (one that does nothing: {nothing:.2f} ms)")
    for name in ("libfrit_runtime.so", "libfrit_base.so"):
        copy = f"{folder}/{name}"
        subprocess.run(["strip", "-o", copy, (build / "lib" / name).resolve()], check=True)
        print(f"{name}, stripped: {os.path.getsize(copy)} bytes")
    print(f"gelu.fritpkg: {os.path.getsize(package)} bytes")
    stack = f"{folder}/stack.frit"
    subprocess.run([build / "bin/example_transformer", stack], check=True, capture_output=True)
    ops = sum(line.startswith("  %") for line in open(stack))
    compiled, _ = timed([frit, "compile", stack, "-o", f"{folder}/stack.fritpkg"], 5)
    print(f"stack of 12 transformer blocks, {ops} operations, for three levels of processors: {compiled:.0f} ms")
