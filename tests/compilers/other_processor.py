"""Compiles, for 64-bit Arm, each source that asks what processor it is compiled for. Nothing is linked or run.

    other_processor.py PROJECT COMPILER [INCLUDE-FOLDER..]

The parts for other processors are seen by no other test: a machine of the project's own kind leaves them out.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

SKIPPED = 77
FOLDERS = ("ir", "passes", "runtime", "codegen", "frontend")


def main():
    project, compiler, system = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
    try:
        subprocess.run([compiler, "--version"], stdout=subprocess.DEVNULL, check=True)
    except OSError:
        print(f"there is no {compiler}: scripts/setup.sh installs it")
        return SKIPPED
    sources = [p for folder in FOLDERS for p in sorted((project / folder).rglob("*.cpp"))
               if re.search("__x86_64__|__aarch64__", p.read_text())]
    assert len(sources) > 10, "the sources were not found"
    options = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", '-DFRIT_VERSION="0"']
    options += [f"-I{project / folder}" for folder in ("", "runtime/frit", "ir/base", "frontend")]
    options += [f"-isystem{folder}" for folder in system]

    def compile_one(source):
        done = subprocess.run([compiler, *options, source], stderr=subprocess.PIPE, text=True)
        return source.relative_to(project), done.returncode, done.stderr

    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for source, status, text in pool.map(compile_one, sources):
            if status:
                wrong += 1
                print(f"{source}:\n{text[:2000]}")
    print(f"{len(sources)} sources compiled, {wrong} failed")
    return 1 if wrong else 0


sys.exit(main())
