"""The tools for wrong results, on code that is wrong on purpose: a backend from outside of the tree spoils a pass or the
code (faulty_backend/backend.cpp)."""
import os
import pathlib
import re
import subprocess
import tempfile

import cli_case
from cli_case import CliTest

# Every processor computes these operations exactly alike.
SUM = """func @chain(%x: f32[8], %y: f32[8]) -> f32[8] {
  %0: f32[8] = abs %x
  %1: f32[8] = square %y
  %2: f32[8] = add %0, %1
  %3: f32[8] = sqrt %2
  %4: f32[8] = negative %3
  return %4
}
"""


class Faults(CliTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        source = os.environ["FRIT_SOURCE"]
        libraries = [f"-lfrit_{name}" for name in ("codegen", "passes", "ir", "runtime", "base")]
        command = [os.environ["FRIT_CXX"], "-std=c++20", "-O0", "-shared", "-fPIC",
                   *[f"-I{source}/{f}" for f in ("", "ir/base", "runtime")], *os.environ.get("FRIT_CXX_FLAGS", "").split(),
                   f"{source}/tests/report/faulty_backend/backend.cpp", f"-L{os.environ['FRIT_LIB']}", *libraries]
        cls.plugins = {}
        for device, flags in (("cpu", []), ("gpu", ["-DFAULTY_GPU"])):
            cls.plugins[device] = os.path.join(folder.name, device)
            os.mkdir(cls.plugins[device])
            done = subprocess.run([*command, *flags, "-o", cls.plugins[device] + "/libfrit_codegen_faulty.so"],
                                  capture_output=True, text=True, timeout=300)
            if done.returncode:
                raise AssertionError(done.stderr)

    def env(self, fault, device="cpu", **variables):
        return {**os.environ, "FRIT_PLUGIN_DIR": self.plugins[device], "FRIT_FAULT": fault, **variables}

    def test_bisect_names_the_pass(self):
        path = self.write("sum.frit", SUM)
        self.assertIn("no pass changes", self.error(1, "bisect", path, env=self.env("")))
        for name in ("cse", "fuse"):
            said = self.text("bisect", path, env=self.env(name))
            self.assertRegex(said, rf"^pass {name} \(\d+\) changes results, by ")
        self.assertRegex(self.text("bisect", path, env=self.env("code")),
                         "^code generation: every pass keeps the results, and the code gives other ones")
        self.assertIn("fails: this backend fails on purpose", self.text("bisect", path, env=self.env("fail")))

    def test_reduce(self):
        path, out = self.write("sum.frit", SUM), self.path("small.frit")
        for fault in ("code", "cse", "crash"):
            self.frit("reduce", path, "--against=interpreter", "-o", out, env=self.env(fault))
            text = pathlib.Path(out).read_text()
            self.assertEqual(text.count(" = add "), 1 if fault != "crash" else text.count(" = add "), text)
            self.assertIn("// 1 of 5 ops", text, fault)
            self.assertIn("--against=interpreter", text)
        # Another seed draws other inputs; one that is no number is refused.
        self.frit("reduce", path, "--against=7", "-o", out, env=self.env("code"))
        self.assertIn("shown by: frit reduce --against=interpreter --random=7", pathlib.Path(out).read_text())
        self.error(2, "reduce", path, "--against=seven")
        self.assertIn("do not differ", self.error(1, "reduce", path, "--against=interpreter", env=self.env("")))

    def program(self, fault, device="cpu", **variables):
        return subprocess.run([os.environ["FRIT_REPORTED"]], env=self.env(fault, device, **variables), cwd=self.folder,
                              capture_output=True, text=True, timeout=300)

    def test_verify(self):
        good = self.program("", FRIT_VERIFY="1", FRIT_CRASH_DIR=self.path("good"))
        self.assertEqual((good.returncode, good.stderr), (0, ""))
        self.assertFalse(os.path.exists(self.path("good")) and os.listdir(self.path("good")))
        done = self.program("code", FRIT_VERIFY="1", FRIT_CRASH_DIR=self.path("bad"))
        self.assertRegex(done.stderr, r"FRIT_VERIFY: result 0 of 'train_step' differs from the interpreter's by ")
        graph = next(pathlib.Path(self.path("bad")).glob("train_step-*.frit"))
        # The command in the file shows the fault again, with the call's own inputs.
        command = re.search(r"shown by: frit (.*)", graph.read_text())[1].replace("'", "").split()
        self.frit(*command, "-o", self.path("small.frit"), env=self.env("code"))
        self.assertIn("add", pathlib.Path(self.path("small.frit")).read_text())
        # Nothing is written where nothing asks for it.
        self.assertNotIn("FRIT_VERIFY", self.program("code").stderr)

    def test_verify_on_a_gpu(self):
        here = subprocess.run([os.environ["FRIT_CLI"], "devices"], capture_output=True, text=True)
        if "vulkan: " not in here.stdout:
            self.skipTest("no GPU: " + here.stdout + here.stderr)
        good = self.program("", device="gpu", FRIT_DEVICE="gpu", FRIT_VERIFY="1", FRIT_CRASH_DIR=self.path("good"))
        self.assertEqual((good.returncode, good.stderr), (0, ""))
        done = self.program("code", device="gpu", FRIT_DEVICE="gpu", FRIT_VERIFY="1", FRIT_CRASH_DIR=self.path("bad"))
        self.assertRegex(done.stderr, r"FRIT_VERIFY: result 0 of 'train_step' differs from the interpreter's by ")
        graph = next(pathlib.Path(self.path("bad")).glob("train_step-*.frit"))
        command = re.search(r"shown by: frit (.*)", graph.read_text())[1].replace("'", "").split()
        self.assertIn("--against=vulkan", command)
        self.frit(*command, "-o", self.path("small.frit"), env=self.env("code", device="gpu"))
        self.assertIn("add", pathlib.Path(self.path("small.frit")).read_text())

    def test_crash_files(self):
        for fault, said in (("fail", "the compilation of this function fails: this backend fails on purpose"),
                            ("crash", "the process ended in the compilation of this function")):
            folder = self.path(fault)
            done = self.program(fault, FRIT_CRASH_DIR=folder)
            self.assertNotEqual(done.returncode, 0)
            files = sorted(pathlib.Path(folder).glob("*.frit"))
            self.assertEqual(len(files), 1, done.stderr)
            text = files[0].read_text()
            self.assertTrue(text.startswith(f"// {said}\n// shown by: frit report "), text[:300])
            # It is a graph, and the command shows the failure.
            self.text("opt", files[0])
            command = re.search(r"shown by: frit (.*)", text)[1].replace("'", "").split()
            shown = subprocess.run([os.environ["FRIT_CLI"], *command], env=self.env(fault), capture_output=True, text=True)
            self.assertNotEqual(shown.returncode, 0)
        done = self.program("", FRIT_CRASH_DIR=self.path("none"))
        self.assertEqual(done.returncode, 0)
        self.assertEqual(os.listdir(self.path("none")), [])
        self.write("file", "x")
        self.assertIn("FRIT_CRASH_DIR: ", self.program("", FRIT_CRASH_DIR=self.path("file/below")).stderr)


if __name__ == "__main__":
    cli_case.main()
