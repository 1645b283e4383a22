#!/usr/bin/env python3
"""The command's C files: good and bad calls, headers in C++, refused flags, the leftovers of a failed command, and the example.

Environment: FRIT_CLI, FRIT_C_SOURCE (this folder), FRIT_EXAMPLES (the folder of examples).
"""
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ["FRIT_C_SOURCE"])
STRICT = ["-std=c11", "-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Werror"]


def run(*command, **options):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)


class Calls(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def good(self, *command, **options):
        done = run(*command, **options)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout

    def compile(self, *options):
        source, made = SOURCE / "programs/calls.frit", self.folder / "calls.c"
        self.good(os.environ["FRIT_CLI"], "compile", source, "--target=c", "--emit=c", "-o", made, *options)

    def check(self, *flags):
        """Builds the functions strictly, calls them, and returns the object file."""
        for compiler in ["gcc", "clang-16"]:
            self.good(compiler, *STRICT, "-O2", "-c", self.folder / "calls.c", "-o", self.folder / "calls.o")
            program = [SOURCE / "calls.c", self.folder / "calls.o", "-lm", "-o", self.folder / "calls"]
            self.good(compiler, "-std=c11", *flags, "-I", self.folder, *program)
            self.assertIn("all calls as expected", self.good(self.folder / "calls"))
        return self.folder / "calls.o"

    def test_calls(self):
        self.compile()
        object = self.check()
        # No state: no writable data.
        written = [line for line in self.good("nm", object).splitlines() if line.split()[-2] in "bBdDcC"]
        self.assertEqual(written, [])
        # No external symbols except those of the C library.
        needed = {line.split()[-1] for line in self.good("nm", "-u", object).splitlines()}
        self.assertLessEqual(needed, {"fma", "fmaf", "memcpy", "memset", "memmove", "_GLOBAL_OFFSET_TABLE_", "__stack_chk_fail"})

    def test_static_workspace(self):
        self.compile("--workspace=static")
        self.check("-DSTATIC_WORKSPACE")

    def test_header_in_cpp(self):
        self.compile()
        self.good("gcc", "-std=c11", "-O1", "-c", self.folder / "calls.c", "-o", self.folder / "calls.o")
        (self.folder / "use.cpp").write_text(
            '#include "calls.h"\n#include "calls.h"\nint main() {\n  const char* said = nullptr;\n'
            "  return rows(nullptr, nullptr, nullptr, nullptr, 16, 3, nullptr, &said) == FRIT_CALL_NULL_ARRAY && said ? 0 : 1;\n}\n")
        for compiler in ["g++", "clang++-16"]:
            if not shutil.which(compiler):
                continue
            self.good(compiler, "-std=c++17", "-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Werror", self.folder / "use.cpp",
                      self.folder / "calls.o", "-lm", "-o", self.folder / "use")
            self.good(self.folder / "use")

    def test_refused_flags(self):
        self.compile()
        for compiler in ["gcc", "clang-16"]:
            for flag in ["-ffast-math", "-Ofast", "-ffinite-math-only"]:
                done = run(compiler, "-std=c11", flag, "-c", self.folder / "calls.c", "-o", self.folder / "calls.o")
                self.assertNotEqual(done.returncode, 0, f"{compiler} takes {flag}")
                self.assertIn("IEEE 754 arithmetic", done.stderr)
        if not shutil.which("i686-linux-gnu-gcc"):
            print("x87 not tested: no i686-linux-gnu-gcc here")
            return
        done = run("i686-linux-gnu-gcc", "-std=c11", "-mno-sse", "-c", self.folder / "calls.c", "-o", self.folder / "calls.o")
        self.assertIn("-msse2 -mfpmath=sse", done.stderr)

    def test_processors_with_half_precision(self):
        # gcc evaluates _Float16 in its own type there, and says so by another FLT_EVAL_METHOD.
        self.compile()
        flags = ["-std=gnu11", "-mavx512fp16", "-x", "c"]
        if run("gcc", *flags, "-E", os.devnull).returncode:
            self.skipTest("gcc compiles for no such processor here")
        self.good("gcc", *flags, "-Wall", "-Wextra", "-Werror", "-c", self.folder / "calls.c", "-o", self.folder / "calls.o")

    def test_same_bytes(self):
        self.compile()
        first = [(self.folder / name).read_bytes() for name in ["calls.c", "calls.h"]]
        self.compile()
        self.assertEqual(first, [(self.folder / name).read_bytes() for name in ["calls.c", "calls.h"]])

    def test_nothing_half_written(self):
        (self.folder / "calls.h").mkdir()  # so that the second file cannot be put in place
        (self.folder / "calls.h" / "kept").touch()
        done = run(os.environ["FRIT_CLI"], "compile", SOURCE / "programs/calls.frit", "--target=c", "--emit=c", "-o", self.folder / "calls.c")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(os.listdir(self.folder), ["calls.h"])

    def test_example(self):
        example = self.folder / "aot_c"
        shutil.copytree(Path(os.environ["FRIT_EXAMPLES"]) / "aot_c", example)
        out = self.good("make", "check", f"FRIT={os.environ['FRIT_CLI']}", cwd=example)
        self.assertIn("100 x 70: largest difference", out)


if __name__ == "__main__":
    unittest.main()
