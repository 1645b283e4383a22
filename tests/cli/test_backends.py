"""Backends are found by their folder: one that is built outside of the source tree is listed, chosen and used without any change in frit.

FRIT_CLI names the program, FRIT_GRAPHS the folder of example graphs, FRIT_CXX a compiler, FRIT_SOURCE the folder of frit's headers, FRIT_LIB that of
its libraries, FRIT_OUTSIDE the backend's source file. Needs Python's standard library alone.
"""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from cli_case import GRAPHS, CliTest, main


class OutsideBackend(CliTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.plugins = pathlib.Path(folder.name) / "plugins"
        cls.plugins.mkdir()
        source = pathlib.Path(folder.name) / "backend.cpp"
        shutil.copy(os.environ["FRIT_OUTSIDE"], source)
        flags = os.environ.get("FRIT_CXX_FLAGS", "").split()
        libraries = [f"-lfrit_{name}" for name in ("codegen", "passes", "ir", "runtime", "base")]
        command = [os.environ["FRIT_CXX"], "-std=c++20", "-O0", "-shared", "-fPIC", *[f"-I{os.environ['FRIT_SOURCE']}/{folder}" for folder in ("", "ir/base", "runtime")], *flags, str(source),
                   f"-L{os.environ['FRIT_LIB']}", *libraries, "-o", str(cls.plugins / "libfrit_codegen_listing.so")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        if done.returncode:
            raise AssertionError(done.stderr)

    def with_plugins(self):
        return {**os.environ, "FRIT_PLUGIN_DIR": str(self.plugins)}

    def test_it_is_listed(self):
        self.assertRegex(self.text("devices", env=self.with_plugins()), r"(?m)^code generators:.* listing\b")
        self.assertIn("listing: --target=paper, runs elsewhere; writes listing pages punched", self.text("devices", env=self.with_plugins()))
        self.assertNotIn("paper", self.text("devices"))
        page = self.text("compile", "--help", env=self.with_plugins())
        for word in ("paper", "punched", ".cards"):
            self.assertIn(word, page)
            self.assertNotIn(word, self.text("compile", "--help"))

    def test_it_is_chosen_by_target_emission_and_ending(self):
        graph = GRAPHS / "gelu.frit"
        env = self.with_plugins()
        text = self.text("compile", graph, "--target=paper", "--cpu=a4", env=env)
        self.assertTrue(text.startswith("listing for a4\n"), text)
        self.assertIn("kernel", text)
        self.assertEqual(text, self.text("compile", graph, "--emit=listing", "--cpu=a4", env=env))
        self.frit("compile", graph, "--cpu=a4", "-o", self.path("gelu.lst"), env=env)
        self.assertEqual((self.folder / "gelu.lst").read_text(), text)
        self.frit("compile", graph, "--emit=pages", "-o", self.path("pages"), env=env)
        self.assertTrue(all(name.endswith(".page") for name in self.files() if name.startswith("pages/")), self.files())

    def test_others_are_as_before(self):
        graph = GRAPHS / "gelu.frit"
        self.assertEqual(self.text("compile", graph), self.text("compile", graph, env=self.with_plugins()))
        self.assertEqual(self.frit("run", graph, "--random=1", "--set=m=4", "--set=n=4"),
                         self.frit("run", graph, "--random=1", "--set=m=4", "--set=n=4", env=self.with_plugins()))

    def test_it_cannot_run(self):
        self.assertIn("paper", self.error(2, "compile", GRAPHS / "gelu.frit", "--target=paper", "-o", self.path("g.fritpkg"), env=self.with_plugins()))
        self.assertEqual(self.files(), [])


if __name__ == "__main__":
    main()
