"""gdb and perf see generated kernels by their names: gdb through its JIT interface, perf through the map of FRIT_PERF=1."""
import os
import pathlib
import shutil
import subprocess
import unittest

import cli_case
from cli_case import CliTest, FRIT, GRAPHS

NAME = "frit_layer_norm_0_sum_multiply_subtract_square_add_rsqrt"
RUN = [FRIT, "run", str(GRAPHS / "layer_norm.frit"), "--set", "n=256", "--random=1"]


class Debuggers(CliTest):
    @unittest.skipUnless(shutil.which("gdb"), "gdb is not installed")
    def test_gdb(self):
        commands = ["set pagination off", "set breakpoint pending on", "set debuginfod enabled off", f"break {NAME}", "run", "bt 2", "kill"]
        done = subprocess.run(["gdb", "-batch", "-nx", *(f"-ex={c}" for c in commands), "--args", *RUN],
                              env={**os.environ, "FRIT_NUM_THREADS": "1"}, capture_output=True, text=True, timeout=240)
        said = done.stdout + done.stderr
        if "ptrace" in said.lower():
            self.skipTest("processes must not be traced here")
        self.assertRegex(said, rf"Breakpoint 1, 0x[0-9a-f]+ in {NAME} ")
        self.assertRegex(said, r"#1 .*run_kernel")

    @unittest.skipUnless(shutil.which("gdb"), "gdb is not installed")
    def test_source_lines(self):
        """With FRIT_LINES gdb shows the user's line at a breakpoint and steps through the source."""
        commands = ["set pagination off", "set breakpoint pending on", "set debuginfod enabled off", f"break {NAME}", "run", "bt 1", "next", "kill"]
        done = subprocess.run(["gdb", "-batch", "-nx", *(f"-ex={c}" for c in commands), "--args", *RUN],
                              env={**os.environ, "FRIT_NUM_THREADS": "1", "FRIT_LINES": "1"}, capture_output=True, text=True, timeout=240)
        said = done.stdout + done.stderr
        if "ptrace" in said.lower():
            self.skipTest("processes must not be traced here")
        self.assertRegex(said, rf"Breakpoint 1, {NAME} \(\) at .*layer_norm.frit:\d+")
        self.assertRegex(said, rf"#0  {NAME} \(\) at .*layer_norm.frit:\d+")
        self.assertRegex(said, r"(?m)^\d+\t +%\d+: f32\[n, (1|1024)\] = ")

    def test_lines_are_other_code(self):
        """Code with lines has keys of its own in the cache."""
        cache = self.path("cache")
        pathlib.Path(cache).mkdir(mode=0o700)

        def kept(**variables):
            subprocess.run([os.environ["FRIT_REPORTED"], self.path("a.json"), self.path("b.json")], check=True, capture_output=True, timeout=240,
                           env={**os.environ, "FRIT_CACHE": "on", "FRIT_CACHE_DIR": cache, **variables})
            return {p.name for p in pathlib.Path(cache).rglob("*.frit")}

        plain = kept()
        self.assertTrue(plain)
        self.assertEqual(kept(FRIT_LINES="0"), plain)
        lines = kept(FRIT_LINES="1")
        self.assertGreater(len(lines), len(plain))
        self.assertEqual(kept(FRIT_LINES="1"), lines)

    @unittest.skipUnless(shutil.which("perf"), "perf is not installed")
    def test_perf(self):
        self.assertIn(NAME, self.perf_report())
        # With lines the parts of a kernel have the name of theirs.
        self.assertRegex(self.perf_report(FRIT_LINES="1"), NAME + r"@layer_norm\.frit:\d+")

    def perf_report(self, **variables):
        data = self.path("perf.data")
        record = ["perf", "record", "-q", "-e", "cpu-clock", "-F", "2000", "-o", data, "--", *RUN, "--repeat=3000"]
        process = subprocess.Popen(record, env={**os.environ, "FRIT_PERF": "1", **variables}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        error = process.communicate(timeout=240)[1]
        if process.returncode:
            self.skipTest("perf does not record here: " + error.strip().splitlines()[-1] if error.strip() else "perf does not record here")
        said = subprocess.run(["perf", "report", "-i", data, "--stdio", "--sort", "pid,symbol"], capture_output=True, text=True, timeout=240).stdout
        for pid in {part.split(":")[0] for line in said.splitlines() for part in line.split() if part.endswith(":frit")}:
            pathlib.Path(f"/tmp/perf-{pid}.map").unlink(missing_ok=True)
        return said


if __name__ == "__main__":
    cli_case.main()
