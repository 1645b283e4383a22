"""A failed command leaves nothing behind and takes nothing away.

FRIT_CLI names the program, FRIT_GRAPHS the folder of example graphs. Needs Python's standard library alone.
"""
import os
import resource
import subprocess
import unittest

from cli_case import FRIT, GRAPHS, CliTest, main


class Disk(CliTest):
    """A failed command leaves nothing behind and takes nothing away."""

    def outputs(self):
        graph = GRAPHS / "mlp.frit"
        return (["opt", graph, "-o"], ["opt", graph, "--emit=dot", "-o"], ["compile", graph, "--emit=asm", "-o"],
                ["compile", graph, "--emit=object", "-o"], ["run", graph, "--random=1", "--set=b=64", "--output"])

    def test_no_such_folder(self):
        for command in self.outputs():
            if command[0] != "run":  # which makes its folder
                self.assertIn("nowhere", self.error(1, *command, self.path("nowhere/out")))
        self.write("file", "kept")
        for command in self.outputs():
            self.error(1, *command, self.path("file/out"))
        self.assertIn("file", self.error(1, "opt", GRAPHS / "mlp.frit", "--dump-dir", self.path("file")))
        self.assertEqual(self.files(), ["file"])
        self.assertEqual((self.folder / "file").read_text(), "kept")

    @unittest.skipIf(os.geteuid() == 0, "root may write anywhere")
    def test_unwritable_folder(self):
        os.chmod(self.folder, 0o500)
        self.addCleanup(os.chmod, self.folder, 0o700)
        for command in self.outputs():
            self.assertIn("ermission", self.error(1, *command, self.path("out")))
        self.assertEqual(self.files(), [])

    def test_disk_that_fills_up(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

        for command in self.outputs():
            with self.subTest(command=command):
                self.assertIn("error: ", self.error(1, *command, self.path("out"), preexec_fn=limit))
                self.assertEqual(self.files(), [])
        self.write("out", "kept")
        for command in self.outputs():
            with self.subTest(command=command):
                self.error(1, *command, self.path("out"), preexec_fn=limit)
                self.assertEqual(self.files(), ["out"])
                self.assertEqual((self.folder / "out").read_text(), "kept")

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_full_standard_output(self):
        graph = GRAPHS / "mlp.frit"
        for command in (["opt", graph], ["compile", graph], ["explain", graph], ["run", graph, "--random=1", "--set=b=2"], ["ops"],
                        ["ops", "--json"], ["devices"]):
            with self.subTest(command=command), open("/dev/full", "wb") as full:
                done = subprocess.run([FRIT, *map(str, command)], stdout=full, stderr=subprocess.PIPE)
                self.assertEqual(done.returncode, 1)
                self.assertIn(b"error: cannot write to standard output", done.stderr)


if __name__ == "__main__":
    main()
