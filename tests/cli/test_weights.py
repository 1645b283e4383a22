"""Libraries, objects and C source that are bound to weights: inside of the file, or in a .safetensors file that the program opens.

FRIT_CLI names the program, FRIT_CC a compiler of C, FRIT_EXAMPLES the folder of examples. Needs Python's standard library alone.
"""
import ctypes
import os
import pathlib
import platform
import shutil
import struct
import subprocess

from cli_case import FRIT, CliTest, main

EXAMPLE = pathlib.Path(os.environ["FRIT_EXAMPLES"]) / "aot_weights"
STRICT = ["-std=c11", "-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Werror", "-shared", "-fPIC"]
WANT = [11, 22, 33, 14, 25, 36]


class Weights(CliTest):
    def setUp(self):
        super().setUp()
        for name in ("affine.frit", "affine.safetensors"):
            shutil.copy(EXAMPLE / name, self.folder)
        self.graph = self.path("affine.frit")
        self.data = (self.folder / "affine.safetensors").read_bytes()

    def library(self, form, *options):
        """The compiled function as a loaded library, whatever the form."""
        name = f"affine_{form}_{len(self.files())}"
        self.frit("compile", self.graph, f"--emit={form}", *options, "-o", self.path(name))
        made = self.path(name + {"shared": ".so", "object": ".o", "c": ".c"}[form])
        self.header = (self.folder / (name + ".h")).read_text()
        self.prefix = name
        if form != "shared":
            flags = STRICT if form == "c" else ["-shared"]
            done = subprocess.run([os.environ["FRIT_CC"], *flags, made, "-lm", "-o", made + ".so"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            made += ".so"
        return ctypes.CDLL(made)

    def call(self, library, *more):
        library.affine_workspace.restype = ctypes.c_size_t
        bytes_ = library.affine_workspace(ctypes.c_int64(2))
        memory = ctypes.create_string_buffer(bytes_ + 64)
        start = (ctypes.addressof(memory) + 63) // 64 * 64
        x, y = (ctypes.c_float * 4)(1, 0, 0, 1), (ctypes.c_float * 6)()
        message = ctypes.c_char_p()
        code = library.affine(x, y, ctypes.c_int64(2), *more, ctypes.c_void_p(start), ctypes.byref(message))
        return code, list(y), message.value

    def open(self, library, data, shift=0):
        room = ctypes.create_string_buffer(len(data) + 64)
        start = (ctypes.addressof(room) + 63) // 64 * 64 + shift
        ctypes.memmove(start, data, len(data))
        weights, message = (ctypes.c_void_p * 1)(), ctypes.c_char_p()
        function = getattr(library, self.prefix + "_open_weights")
        code = function(weights, ctypes.c_void_p(start), ctypes.c_size_t(len(data)), ctypes.byref(message))
        self.room = room
        return code, weights, message.value

    def forms(self):
        return ("shared", "object", "c") if platform.machine() in ("x86_64", "aarch64") else ("c",)

    def test_inside(self):
        for form in self.forms():
            with self.subTest(form=form):
                library = self.library(form)
                self.assertNotIn("const float* w", self.header)
                self.assertEqual(self.call(library), (0, WANT, None))

    def test_in_a_file(self):
        other = self.data[:-36] + struct.pack("<9f", 0, 0, 0, 1, 1, 1, 1, 1, 1)
        for form in self.forms():
            with self.subTest(form=form):
                library = self.library(form, "--weights=beside")
                code, weights, said = self.open(library, self.data)
                self.assertEqual((code, said), (0, None))
                self.assertEqual(self.call(library, weights), (0, WANT, None))
                keep = self.room
                # Other weights at the same time, by the same code.
                _, second, _ = self.open(library, other)
                self.assertEqual(self.call(library, second), (0, [1.0] * 6, None))
                self.assertEqual(self.call(library, weights), (0, WANT, None))
                del keep

    def test_files_that_are_refused(self):
        for form in self.forms():
            library = self.library(form, "--weights=beside")
            for data, shift, says in ((self.data[:-1], 0, b"cut short"), (b"", 0, b"cut short"), (self.data, 4, b"multiple of 8"),
                                      (self.data.replace(b'"w"', b'"v"'), 0, b"other tensors"),
                                      (self.data.replace(b"[2,3]", b"[3,2]"), 0, b"other tensors")):
                with self.subTest(form=form, says=says):
                    code, _, said = self.open(library, data, shift)
                    self.assertEqual(code, 5)
                    self.assertIn(says, said)
            code, _, said = self.call(library, None)
            self.assertEqual(code, 5)
            self.assertIn(b"call " + self.prefix.encode() + b"_open_weights first", said)

    def test_as_arguments(self):
        self.library("c", "--weights=arguments")
        self.assertIn("int affine(const float* x, const float* w, const float* b, float* y, int64_t n", self.header)

    def test_wrong_use(self):
        out = self.path("out.so")
        large = 3 * (8 << 20)
        text = (self.folder / "affine.frit").read_text().replace("2, 3", f"2, {large // 3}").replace("f32[3]", f"f32[{large // 3}]").replace("n, 3", f"n, {large // 3}")
        self.write("large.frit", text.replace("affine.safetensors", "large.safetensors"))
        n = large // 3
        header = (f'{{"b":{{"dtype":"F32","shape":[{n}],"data_offsets":[0,{4 * n}]}},"w":{{"dtype":"F32","shape":[2,{n}],'
                  f'"data_offsets":[{4 * n},{12 * n}]}}}}')
        header += " " * (-(8 + len(header)) % 64)
        with open(self.path("large.safetensors"), "wb") as f:
            f.write(struct.pack("<Q", len(header)) + header.encode())
            f.truncate(8 + len(header) + 12 * n)
        before = self.files()
        error = self.error(1, "compile", self.path("large.frit"), "-o", out)
        self.assertIn("--weights=beside", error)
        (self.folder / "affine.safetensors").write_bytes(self.data.replace(b"[2,3]", b"[3,2]"))
        for weights in ("inside", "beside"):
            self.assertRegex(self.error(1, "compile", self.graph, f"--weights={weights}", "-o", out), r"weight 'w'.* f32\[3, 2\]")
        # One byte more in front of the elements, so that none is aligned.
        length = struct.unpack("<Q", self.data[:8])[0]
        (self.folder / "affine.safetensors").write_bytes(struct.pack("<Q", length + 1) + self.data[8:8 + length] + b" " + self.data[8 + length:])
        self.assertIn("no multiple of their size 4", self.error(1, "compile", self.graph, "--weights=beside", "-o", out))
        self.assertEqual(self.files(), before)

    def test_same_bytes(self):
        for form, ending in (("shared", ".so"), ("c", ".c")):
            for weights in ("inside", "beside"):
                for folder in ("one", "two"):
                    (self.folder / folder).mkdir(exist_ok=True)
                    self.frit("compile", self.graph, f"--emit={form}", f"--weights={weights}", "-o", self.path(f"{folder}/affine{ending}"))
                self.assertEqual((self.folder / f"one/affine{ending}").read_bytes(), (self.folder / f"two/affine{ending}").read_bytes())


class WeightsExample(CliTest):
    def test_it_builds_and_runs(self):
        shutil.copytree(EXAMPLE, self.folder / "example")
        done = subprocess.run(["make", "check", f"FRIT={FRIT}", f"CC={os.environ['FRIT_CC']}"], cwd=self.folder / "example", capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.count("11 22 33 14 25 36"), 2)
        self.assertIn("code 5: affine_open_weights: ", done.stderr)


if __name__ == "__main__":
    main()
