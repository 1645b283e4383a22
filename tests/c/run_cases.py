#!/usr/bin/env python3
"""Compiles and runs the sources that c_cases wrote.

run_cases.py CONFIGURATION CASES.. builds the sources of the named kind and runs the driver over them.

Environment: FRIT_C_CASES, the program that writes cases; FRIT_C_SOURCE, this folder. If the machine lacks a compiler or
emulator, the test says so and is skipped (status 77). Sources are compiled through ccache where it is installed: most of
them are those of the last run.
"""
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

STRICT = ["-std=c11", "-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Werror"]

# Compiler and flags. For another machine also the emulator that runs its programs, or the folder of its libraries if this
# machine can run them.
CONFIGURATIONS = {
    "gcc-O0": (["gcc", "-O0"], []),
    "gcc-O3": (["gcc", "-O3", "-march=native"], []),
    "clang-O0": (["clang-16", "-O0"], []),
    "clang-O3": (["clang-16", "-O3", "-march=native"], []),
    # Contraction is the default of this mode: the file must forbid it.
    "gcc-gnu": (["gcc", "-O2", "-march=native", "-std=gnu11"], []),
    # Conversions of floats are not covered by -fsanitize=undefined alone.
    "gcc-sanitize": (["gcc", "-O1", "-fsanitize=undefined,address,float-cast-overflow", "-fno-sanitize-recover=all"], []),
    # Needs no library at run time.
    "clang-sanitize": (["clang-16", "-O1", "-fsanitize=undefined,float-cast-overflow", "-fsanitize-trap=all"], []),
    "i686": (["i686-linux-gnu-gcc", "-O2", "-msse2", "-mfpmath=sse"], ["/usr/i686-linux-gnu"]),
    "s390x": (["s390x-linux-gnu-gcc", "-O2", "-march=z13"], ["qemu-s390x", "-L", "/usr/s390x-linux-gnu"]),
}


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nstatus {done.returncode}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


# The instructions that OpenBLAS's kernels for a kind of processor need, which it does not check where it is told the kind.
KERNEL_NEEDS = {"Nehalem": "sse4_2", "Haswell": "avx2", "SkylakeX": "avx512bw"}


def through_ccache():
    """The start of a compiler's command, and its environment."""
    ccache = shutil.which("ccache")
    if not ccache:
        return [], None
    # -march=native means another machine where the processor is another one.
    info = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    flags = next((line for line in info.split("\n") if line.startswith(("flags", "Features"))), "")
    kind = "frit-" + hashlib.sha256(flags.encode()).hexdigest()[:16]
    return [ccache], {**os.environ, "CCACHE_NOHASHDIR": "1", "CCACHE_NAMESPACE": kind}


def main():
    name, cases = sys.argv[1], sys.argv[2:]
    needed = KERNEL_NEEDS.get(os.environ.get("OPENBLAS_CORETYPE", ""))
    if needed and needed not in Path("/proc/cpuinfo").read_text().split():
        skip(f"this processor has no {needed}")
    compiler, where = CONFIGURATIONS[name]
    if not shutil.which(compiler[0]):
        skip(f"no {compiler[0]} here")
    emulator = where if len(where) > 1 else []
    if emulator and not shutil.which(emulator[0]):
        skip(f"no {emulator[0]} here")
    folder = Path(os.environ["FRIT_C_SOURCE"])
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        print(run([os.environ["FRIT_C_CASES"], work, *cases]), end="")
        shutil.copy(folder / "driver.c", work)
        sources = sorted(work.glob("*.c"))

        ccache, environment = through_ccache()

        def build(source):
            # The wrappers and the driver belong to the test.
            flags = STRICT if source.name.startswith("part") else ["-std=c11"]
            run([*ccache, compiler[0], *flags, *compiler[1:], "-I", ".", "-c", source.name, "-o", source.stem + ".o"],
                cwd=work, env=environment)

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(build, sources))
        driver = work / "driver"
        # Without an emulator that would find it, a program for another machine is linked with its library statically.
        static = ["-static"] if where and not emulator else []
        libraries = ["-lm", "-lopenblas"] if "cblas" in cases else ["-lm"]
        run([compiler[0], *compiler[1:], *static, *[s.with_suffix(".o") for s in sources], "-o", driver, *libraries])
        if static:
            try:
                subprocess.run([driver], capture_output=True)
            except OSError as e:
                skip(f"programs of {name} do not run here: {e.strerror}")
        # A library chooses its kernels by the processor: only values are promised of it, not the sign of a zero.
        zeros = ["--zeros-equal"] if "cblas" in cases else []
        print(run([*emulator, driver, work / "cases.bin", *zeros]), end="")


main()
