"""frit compile from the outside: forms, endings and files of shaders.

FRIT_CLI names the program, FRIT_GRAPHS the folder of example graphs. Needs Python's standard library alone.
"""
import platform
import re
import shutil
import subprocess
import unittest

from cli_case import GRAPHS, TWO, CliTest, main


class Compile(CliTest):
    def test_forms(self):
        graph = GRAPHS / "gelu.frit"
        self.assertIn("define ", self.text("compile", graph, "--emit=llvm-ir"))
        self.assertIn(".text", self.text("compile", graph, "--emit=asm"))
        self.assertEqual(self.text("compile", graph), self.text("compile", graph, "--emit=asm", "-o", "-"))
        self.assertIn("func @gelu", self.text("compile", graph, "--emit=ir"))
        machine_code, _ = self.frit("compile", graph, "--emit=object")
        self.assertEqual(machine_code[:4], b"\x7fELF")
        self.frit("compile", graph, "--emit=object", "-o", self.path("gelu.o"))
        self.assertEqual((self.folder / "gelu.o").read_bytes(), machine_code)

    def test_every_example_is_deterministic(self):
        for graph in sorted(GRAPHS.glob("*.frit")):
            for form in ("ir", "llvm-ir", "object"):
                with self.subTest(graph=graph.name, form=form):
                    self.assertEqual(self.frit("compile", graph, f"--emit={form}"), self.frit("compile", graph, f"--emit={form}"))

    @unittest.skipUnless(platform.machine() == "x86_64", "names x86-64 processors")
    def test_other_processor(self):
        graph = GRAPHS / "gelu.frit"
        self.assertIn("ymm", self.text("compile", graph, "--cpu=x86-64-v3"))
        self.assertNotIn("ymm", self.text("compile", graph, "--cpu=x86-64"))
        self.assertIn("%k1", self.text("compile", graph, "--cpu=x86-64-v4"))
        self.assertIn("nothing", self.error(1, "compile", graph, "--cpu=nothing", "-o", self.path("out")))
        self.assertEqual(self.files(), [])

    @unittest.skipUnless(platform.machine() == "x86_64", "names x86-64 processors")
    def test_code_has_no_sse4a(self):
        # The last three columns are shuffled; instructions of SSE4a keep the upper halves of registers.
        graph = self.write("sum.frit", """func @sum(%x: i8[28, 709, 59]) -> i32[28, 59] {
  %0: i32[28, 59] = sum %x {axes=[1]}
  return %0
}
""")
        for cpu in ("znver2", "znver3", "btver2", "native"):
            code = self.text("compile", graph, f"--cpu={cpu}")
            self.assertIn(".text", code)
            self.assertNotRegex(code, r"\b(insertq|extrq|movnts[sd])\b", cpu)

    @unittest.skipUnless(platform.machine() == "x86_64", "names an x86-64 processor")
    def test_pieces_of_rows_are_prefetched(self):
        """Tiles and pieces of rows prefetch what they read and what they write, and compute what they did."""
        graph = """func @turn(%x: f32[1003, 531]) -> f32[531, 1003] {
  %0: f32[531, 1003] = transpose %x {axes=[1, 0]}
  %1: f32[531, 1003] = contiguous %0
  return %1
}
"""
        code = self.text("compile", "-", "--cpu=x86-64-v4", "--emit=llvm-ir", stdin=graph)
        kinds = re.findall(r"call void @llvm\.prefetch\S*\(ptr \S+ i32 ([01])", code.replace("ptr nonnull ", "ptr "))
        self.assertEqual(set(kinds), {"0", "1"})
        columns = """func @columns(%x: f32[600, 2001]) -> f32[600, 2001] {
  %0: f32[600, 2001] = softmax %x {axes=[0]}
  return %0
}
"""
        self.assertRegex(self.text("compile", "-", "--cpu=x86-64-v4", "--emit=llvm-ir", stdin=columns), r"llvm\.prefetch.* i32 1, i32")
        small = graph.replace("1003", "103")
        self.assertNotIn("llvm.prefetch", self.text("compile", "-", "--cpu=x86-64-v4", "--emit=llvm-ir", stdin=small))
        self.text("verify", "-", "--runs=1", stdin=graph)

    def test_endings(self):
        graph = GRAPHS / "gelu.frit"
        for ending, text in ((".s", ".text"), (".ll", "define "), (".comp", "#version"), (".frit", "func @gelu"), (".c", "gelu(")):
            self.frit("compile", graph, "-o", self.path("gelu" + ending))
            self.assertIn(text, (self.folder / ("gelu" + ending)).read_text())
        before = self.files()
        error = self.error(2, "compile", graph, "-o", self.path("gelu.zzz"))
        for ending in (".zzz", ".fritpkg", ".so", ".o", ".c", ".s", ".ll", ".spv", ".comp", "--emit"):
            self.assertIn(ending, error)
        self.error(2, "compile", graph, "--target=cpu", "-o", self.path("gelu.spv"))
        self.assertEqual(self.files(), before)
        self.frit("compile", graph, "--emit=asm", "-o", self.path("gelu.zzz"))
        self.assertIn(".text", (self.folder / "gelu.zzz").read_text())

    def test_a_folder_has_one_file_for_each_shader(self):
        graph = GRAPHS / "mlp.frit"
        names = None
        for form, ending in (("glsl", ".comp"), ("spirv", ".spv"), ("spirv-asm", ".spvasm")):
            out = self.folder / form
            self.frit("compile", graph, f"--emit={form}", "-o", out)
            files = sorted(out.iterdir())
            self.assertGreater(len(files), 1)
            self.assertTrue(all(f.suffix == ending for f in files), files)
            names = names or [f.stem for f in files]
            self.assertEqual([f.stem for f in files], names)
            for f in files:
                data = f.read_bytes()
                if form == "spirv":
                    self.assertEqual(data[:4], b"\x03\x02\x23\x07")
                    self.assertEqual(data.count(data[:12]), 1, "one module a file")
                else:
                    self.assertEqual(data.count(b"#version" if form == "glsl" else b"EntryPoint GLCompute"), 1)
        validator = shutil.which("spirv-val")
        for f in sorted((self.folder / "spirv").iterdir()) if validator else ():
            done = subprocess.run([validator, "--target-env", "vulkan1.2", str(f)], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        before = self.files()
        for form, output in (("spirv", "x.spv"), ("glsl", "x.comp"), ("spirv-asm", "x.spvasm")):
            error = self.error(1, "compile", graph, f"--emit={form}", "-o", self.path(output))
            self.assertIn("-o DIR", error)
            self.assertRegex(error, r"has \d+ shaders \(\w+, \w+, \w+, \.\.\.\), and '")
        self.assertIn("-o DIR", self.error(1, "compile", graph, "--emit=spirv"))
        self.assertEqual(self.files(), before)
        self.assertEqual(self.text("compile", graph, "--emit=glsl").count("\n// shader "), len(names) - 1)
        self.assertEqual(self.text("compile", graph, "--emit=spirv-asm").count("; kernel @"), len(names))

    def test_one_shader_goes_to_a_file(self):
        graph = GRAPHS / "softmax.frit"
        self.frit("compile", graph, "-o", self.path("softmax.spv"))
        data, _ = self.frit("compile", graph, "--emit=spirv")
        self.assertEqual((self.folder / "softmax.spv").read_bytes(), data)
        self.frit("compile", graph, "--emit=spirv", "-o", self.path("new/folder"))
        self.assertEqual([f.read_bytes() for f in (self.folder / "new/folder").iterdir()], [data])

    def test_numbers_have_a_range(self):
        graph = GRAPHS / "gelu.frit"
        for arguments in (["compile", graph, "--jobs=0"], ["compile", graph, "--jobs=99999999"], ["run", graph, "--random=1", "--repeat=0"],
                          ["run", graph, "--random=1", "--largest=0"], ["verify", graph, "--runs=0"], ["verify", graph, "--max-ulp=-1"],
                          ["run", graph, "--random=-1"], ["opt", graph, "--stop-after=-1"]):
            error = self.error(2, *arguments)
            self.assertLess(len(error), 200, error)

    def test_choice_of_a_function(self):
        error = self.error(1, "compile", "-", stdin=TWO)
        self.assertIn("first, second", error)
        self.assertIn("second", self.text("compile", "-", "--function=second", "--emit=llvm-ir", stdin=TWO))
        self.assertIn("'third'", self.error(1, "compile", "-", "--function=third", stdin=TWO))


if __name__ == "__main__":
    main()
