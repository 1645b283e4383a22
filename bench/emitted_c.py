#!/usr/bin/env python3
"""Compares emitted C with the code compiled in the process, each on one thread: emitted_c.py FRIT [ROUNDS].

Builds gelu, softmax and a product of matrices with gcc and clang at -O3 -march=native, runs them and `frit run` in turn, and prints the median time
of each with its ratio to the code compiled in the process; for the product also OpenBLAS's, where it is installed.
"""
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

MAIN = r"""
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "gelu.h"
#include "mm.h"
#include "softmax.h"
#ifdef OPENBLAS
#include <cblas.h>
#endif
enum { N = 1024 * 4096, REPEAT = 60 };
static double times[REPEAT];
static double now(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec * 1e3 + 1e-6 * (double)t.tv_nsec;
}
static int by_size(const void* a, const void* b) { return *(const double*)a < *(const double*)b ? -1 : *(const double*)a > *(const double*)b; }
#define TIME(name, call)                                                  \
  do {                                                                    \
    call;                                                                 \
    for (int i = 0; i < REPEAT; ++i) {                                    \
      const double start = now();                                         \
      call;                                                               \
      times[i] = now() - start;                                           \
    }                                                                     \
    qsort(times, REPEAT, sizeof *times, by_size);                         \
    printf("%s %f\n", name, times[REPEAT / 2]);                           \
  } while (0)
static void* memory(size_t bytes) { return aligned_alloc(64, bytes + 64 - bytes % 64); }
int main(void) {
  float *x = memory(N * 4), *out = memory(N * 4);
  for (int i = 0; i < N; ++i) x[i] = (float)(rand() % 2000 - 1000) * 0.005f, out[i] = 0;
  void *rows = memory(softmax_workspace(4096, 1024)), *panel = memory(mm_workspace(1024, 1024, 1024));
  TIME("gelu", gelu(x, out, 4096, 1024, NULL, NULL));
  TIME("softmax", softmax(x, out, 4096, 1024, rows, NULL));
  TIME("mm", mm(x, x, out, 1024, 1024, 1024, panel, NULL));
#ifdef OPENBLAS
  openblas_set_num_threads(1);
  TIME("openblas", cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 1024, 1024, 1024, 1, x, 1024, x, 1024, 0, out, 1024));
#endif
  return 0;
}
"""
PRODUCT = "func @mm(%x: f32[m, k], %y: f32[k, n]) -> f32[m, n] {\n  %0: f32[m, n] = matmul %x, %y\n  return %0\n}\n"
SIZES = {"gelu": ["n=1024", "m=4096"], "softmax": ["n=1024", "m=4096"], "mm": ["m=1024", "n=1024", "k=1024"]}


def run(*command, **options):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, check=True, **options)


def main():
    frit, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    graphs = Path(__file__).resolve().parent.parent / "examples/graphs"
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "mm.frit").write_text(PRODUCT)
        (folder / "main.c").write_text(MAIN)
        for name in ["gelu", "softmax"]:
            shutil.copy(graphs / f"{name}.frit", folder)
        programs = {}
        openblas = ["-DOPENBLAS", "-I/usr/include/x86_64-linux-gnu/openblas-pthread", "-lopenblas"]
        for name in SIZES:
            run(frit, "compile", folder / f"{name}.frit", "--target=c", "--emit=c", "-o", folder / f"{name}.c")
        for compiler in ["gcc", "clang-16"]:
            if not shutil.which(compiler):
                continue
            sources = [folder / f"{name}.c" for name in ["main", *SIZES]]
            command = [compiler, "-std=c11", "-O3", "-march=native", *sources, "-o", folder / compiler]
            try:
                run(*command, *openblas, "-lm")
            except subprocess.CalledProcessError:
                run(*command, "-lm")
            programs[compiler] = folder / compiler
        found = {}
        environment = {**os.environ, "FRIT_CACHE": "off", "FRIT_NUM_THREADS": "1"}
        for _ in range(rounds):
            for compiler, program in programs.items():
                for line in run(program).stdout.splitlines():
                    name, ms = line.split()
                    found.setdefault(name, {}).setdefault(compiler, []).append(float(ms))
            for name, sizes in SIZES.items():
                sets = [word for size in sizes for word in ("--set", size)]
                done = run(frit, "run", folder / f"{name}.frit", "--random", "1", *sets, "--repeat", "60", "--time", env=environment)
                ms = re.search(r"median ([0-9.]+) ms", done.stdout + done.stderr).group(1)
                found[name].setdefault("in process", []).append(float(ms))
        for name, columns in found.items():
            base = columns.get("in process")
            for column, times in columns.items():
                median = statistics.median(times)
                ratio = f"  {median / statistics.median(base):.2f}" if base else ""
                print(f"{name:10} {column:10} {median:8.3f} ms  (least {min(times):.3f}){ratio}")


main()
