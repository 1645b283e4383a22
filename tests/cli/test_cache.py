"""The cache on disk from the outside: hits in a second process, damaged entries, and sharing between processes.

FRIT_CLI names the program, FRIT_CACHED one that runs a compiled function. FRIT_CACHE_RUNS=12x12 sets how many processes start at once, and how often.
Needs Python's standard library alone.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

FRIT = os.environ["FRIT_CLI"]
CACHED = os.environ["FRIT_CACHED"]
PROCESSES, ROUNDS = map(int, os.environ.get("FRIT_CACHE_RUNS", "4x3").split("x"))


class CacheTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name) / "cache"
        self.environment = dict(os.environ, FRIT_CACHE="on", FRIT_CACHE_DIR=str(self.folder))
        for name in ("FRIT_CACHE_SIZE", "FRIT_LOG"):
            self.environment.pop(name, None)

    def start(self, *command, **more):
        return subprocess.Popen(command, env={**self.environment, **more}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def finish(self, process, status=0):
        out, error = process.communicate(timeout=300)
        self.assertEqual(process.returncode, status, out + error)
        return out, error

    def run_cached(self, name="gelu", factor=1, **more):
        """(compilations, "llvm" or "nothing", standard error) of a process that ran the function with the right result."""
        out, error = self.finish(self.start(CACHED, name, str(factor), **more))
        match = re.fullmatch(r"right (\d+) (llvm|nothing)\n", out)
        self.assertTrue(match, out + error)
        return int(match[1]), match[2], error

    def cache(self, action, status=0, **more):
        return self.finish(self.start(FRIT, "cache", action, **more), status)

    def entries(self):
        return sorted(self.folder.iterdir()) if self.folder.exists() else []

    def test_a_second_process_loads_no_compiler(self):
        self.assertEqual(self.run_cached(), (1, "llvm", ""))
        self.assertEqual(len(self.entries()), 1)
        self.assertEqual(self.run_cached(), (0, "nothing", ""))
        self.assertEqual(self.run_cached("another name"), (0, "nothing", ""))
        self.assertEqual(len(self.entries()), 1)

    def test_settings(self):
        self.assertEqual(self.run_cached(FRIT_CACHE="off"), (1, "llvm", ""))
        self.assertEqual(self.entries(), [])
        home = self.folder.parent / "home"
        del self.environment["FRIT_CACHE_DIR"]
        self.environment.pop("XDG_CACHE_HOME", None)
        self.assertEqual(self.run_cached(HOME=str(home))[2], "")
        self.assertFalse(home.exists())  # a home folder that is not there is not made
        log = self.run_cached(HOME=str(home), FRIT_LOG="cache")[2]
        self.assertEqual(log.count(f"there is no folder {home}"), 1, log)
        home.mkdir()
        self.run_cached(HOME=str(home))
        self.assertEqual(len(list((home / ".cache" / "frit").iterdir())), 1)
        self.assertEqual((home / ".cache" / "frit").stat().st_mode & 0o777, 0o700)
        self.run_cached(HOME=str(home), XDG_CACHE_HOME=str(home / "x"))
        self.assertEqual(len(list((home / "x" / "frit").iterdir())), 1)
        self.assertEqual(self.run_cached(HOME="/proc/nowhere")[2], "")
        self.assertEqual(self.run_cached(FRIT_CACHE_DIR="/proc/nowhere")[2].count("\n"), 1)

    def test_the_log_says_what_happens(self):
        first = self.run_cached(FRIT_LOG="cache")[2]
        self.assertIn("gelu: compiled, ", first)
        self.assertIn("disk cache: written ", first)
        second = self.run_cached(FRIT_LOG="cache")[2]
        self.assertIn("gelu: the disk has code, ", second)
        self.assertIn("disk cache: hit ", second)

    def test_another_build_or_machine_is_another_key(self):
        """The key names the plugin's build: another file in its place is not trusted to give the same code."""
        self.run_cached()
        data = self.entries()[0].read_bytes()
        for part in (b"libfrit_codegen_llvm.so:", b"libfrit_passes.so", b"machine ", b"options enabled", b"func @f(%x0: f32[3])"):
            self.assertIn(part, data)

    def test_damage_is_a_miss(self):
        self.run_cached()
        entry = self.entries()[0]
        good = entry.read_bytes()
        middle = len(good) // 2
        damaged = [b"", good[:-1], good[:middle], b"\x7fELF" + bytes(1000), bytes([good[0] ^ 1]) + good[1:],
                   good[:middle] + bytes([good[middle] ^ 16]) + good[middle + 1:], good + b"x", b"\xff" * len(good)]
        for data in damaged:
            with self.subTest(size=len(data)):
                entry.write_bytes(data)
                self.assertEqual(self.run_cached(), (1, "llvm", ""))
                self.assertEqual(entry.read_bytes(), good, "the entry was not written again")
        self.assertEqual(self.run_cached(), (0, "nothing", ""))

    def test_a_folder_open_to_others_is_refused(self):
        self.folder.mkdir()
        self.folder.chmod(0o777)
        compilations, _, error = self.run_cached()
        self.assertEqual(compilations, 1)
        self.assertEqual(error.count("\n"), 1)
        self.assertIn("others may write to it", error)
        self.assertEqual(self.entries(), [])
        self.assertIn("others may write to it", self.cache("list", 1)[1])

    def test_the_size_is_bounded(self):
        self.run_cached()
        bound = 6 * self.entries()[0].stat().st_size
        for factor in range(2, 14):
            time.sleep(0.01)  # the age of entries decides, and clocks tick coarsely
            self.assertEqual(self.run_cached("gelu", factor, FRIT_CACHE_SIZE=str(bound))[0], 1)
            self.assertLessEqual(sum(p.stat().st_size for p in self.entries()), bound)
        self.assertGreaterEqual(len(self.entries()), 3)
        self.assertEqual(self.run_cached("gelu", 13)[0], 0)
        self.assertEqual(self.run_cached("gelu", 2)[0], 1)
        self.assertEqual(self.run_cached(FRIT_CACHE_SIZE="much")[2].count("\n"), 1)

    def test_list_verify_clear(self):
        self.assertRegex(self.cache("list")[0], r"(?m)^0 entries of 0 bytes, at most 536870912, in ")
        self.run_cached("my_function")
        entry = self.entries()[0]
        listing = self.cache("list")[0]
        self.assertRegex(listing, rf"(?m)^{entry.name[:12]} +{entry.stat().st_size} +1  \d{{4}}-\d\d-\d\d \d\d:\d\d:\d\dZ  my_function$")
        self.assertRegex(listing, r"(?m)^1 entry of \d+ bytes")
        self.assertEqual(self.cache("list", FRIT_CACHE="off")[0], listing)
        self.assertEqual(self.cache("verify")[0], "1 entry, none damaged\n")
        self.assertEqual(self.run_cached()[0], 0)

        data = bytearray(entry.read_bytes())
        data[100] ^= 1
        entry.write_bytes(data)
        out, error = self.cache("verify", 1)
        self.assertEqual(out, "")
        self.assertIn("error: 1 of 1 entry in ", error)
        self.assertIn(f"{entry.name}: its checksum is wrong", error)
        self.assertIn("(damaged)", self.cache("list")[0])

        (self.folder / "notes").write_text("mine")
        (self.folder / ("0" * 32 + ".1-2-3.tmp")).write_text("left behind")
        self.assertEqual(self.cache("clear")[0], f"removed 2 entries of {len(data) + 11} bytes\n")
        self.assertEqual([p.name for p in self.entries()], ["notes"])
        self.cache("empty", 2)
        self.finish(self.start(FRIT, "cache"), 2)

    def test_many_processes_start_at_once(self):
        compiled = 0
        for _ in range(ROUNDS):
            for path in self.entries():
                path.unlink()
            for process in [self.start(CACHED) for _ in range(PROCESSES)]:
                out, error = self.finish(process)
                self.assertRegex(out, r"^right [01] ")
                self.assertEqual(error, "")
                compiled += int(out.split()[1])
            self.assertEqual(len(self.entries()), 1)
            self.assertEqual(self.run_cached(), (0, "nothing", ""))
        print(f"{PROCESSES * ROUNDS} of {PROCESSES * ROUNDS} runs succeeded, {compiled} of them compiled", file=sys.stderr)


if __name__ == "__main__":
    unittest.main()
