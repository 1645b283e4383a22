"""Artifacts and libraries from the outside: made by the command, run by it and by a program without a compiler.

FRIT_CLI names the program, FRIT_GRAPHS the folder of example graphs, FRIT_LOADER a program that links the runtime alone.
"""
import json
import os
import pathlib
import platform
import re
import resource
import struct
import subprocess
import unittest

from cli_case import FRIT, GRAPHS, TWO, CliTest, read_npy, write_npy

LOADER = os.environ["FRIT_LOADER"]

WEIGHTED = """weights "w.safetensors"

func @affine(%x: f32[n, 2], %w: f32[2, 3] = "w", %b: f32[3] = "b") -> %y: f32[n, 3] {
  %0: f32[n, 3] = matmul %x, %w
  %1: f32[n, 3] = broadcast %b {shape=[n, 3]}
  %2: f32[n, 3] = add %0, %1
  return %2
}
"""

COLUMNS = """func @columns(%x: f32[m, n]) -> f32[n] {
  %0: f32[m, n] = exp %x
  %1: f32[m] = sum %0 {axes=[1]}
  %2: f32[m, 1] = reshape %1 {shape=[m, 1]}
  %3: f32[m, n] = broadcast %2 {shape=[m, n]}
  %4: f32[m, n] = divide %0, %3
  %5: f32[n] = max %4 {axes=[0]}
  return %5
}
"""


def write_safetensors(path, tensors):
    """Tensors of f32: {name: (shape, values)}, byte by byte as the format says."""
    header, data = {}, b""
    for name, (shape, values) in tensors.items():
        bytes_ = struct.pack(f"<{len(values)}f", *values)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(bytes_)]}
        data += bytes_
    text = json.dumps(header).encode()
    pathlib.Path(path).write_bytes(struct.pack("<Q", len(text)) + text + data)


class OfflineTest(CliTest):
    def loader(self, *arguments, status=0, **more):
        done = subprocess.run([LOADER, *map(str, arguments)], capture_output=True, text=True, timeout=300, **more)
        self.assertEqual(done.returncode, status, f"{arguments}\n{done.stdout}\n{done.stderr}")
        return done.stdout if status == 0 else done.stderr

    def weighted(self):
        write_safetensors(self.path("w.safetensors"), {"w": ([2, 3], [1, 2, 3, 4, 5, 6]), "b": ([3], [10, 20, 30])})
        return self.write("affine.frit", WEIGHTED)


class Artifacts(OfflineTest):
    def test_run_gives_what_the_graph_gives(self):
        for name in ("gelu", "softmax", "layer_norm", "attention", "mlp", "swiglu"):
            graph = GRAPHS / f"{name}.frit"
            package = self.path(f"{name}.fritpkg")
            self.frit("compile", graph, "-o", package)
            text = graph.read_text()
            symbols = sorted(set(re.findall(r"\b[a-z]\b(?=[,\]])", text[: text.index("{")])))
            sets = [x for s in symbols for x in ("--set", f"{s}=16")]
            self.frit("run", graph, "--random", 3, *sets, "--output", self.path("a"))
            self.frit("run", package, "--random", 3, *sets, "--output", self.path("b"))
            first, second = (pathlib.Path(self.path(f)) for f in ("a", "b"))
            self.assertEqual([p.read_bytes() for p in sorted(first.iterdir())], [p.read_bytes() for p in sorted(second.iterdir())], name)

    def test_bytes_depend_on_the_graph_alone(self):
        graph = GRAPHS / "softmax.frit"
        outputs = []
        for folder, jobs in (("one", 1), ("two", 2), ("three/deep", 4)):
            (self.folder / folder).mkdir(parents=True)
            out = self.folder / folder / "s.fritpkg"
            self.frit("compile", graph, "--target=cpu,vulkan", "--jobs", jobs, "-o", out.name, cwd=self.folder / folder)
            outputs.append(out.read_bytes())
        self.assertEqual(outputs[0], outputs[1])
        self.assertEqual(outputs[0], outputs[2])

    def test_inspect(self):
        package = self.path("two.fritpkg")
        self.frit("compile", self.write("two.frit", TWO), "-o", package)
        text = self.text("inspect", package)
        self.assertIn("func @first(%x: f32[2]) -> f32[2]", text)
        self.assertIn("2 functions", text)
        manifest = json.loads(self.text("inspect", package, "--manifest"))
        self.assertEqual([f["name"] for f in manifest["functions"]], ["first", "second"])
        self.assertEqual(manifest["version"], 1)
        size = os.path.getsize(package)
        for s in manifest["sections"]:
            self.assertLessEqual(s["offset"] + s["bytes"], size)
            self.assertEqual(s["offset"] % 64, 0)
        self.assertIn("%0: f32[2] = negative %x", self.text("inspect", package, "--ir"))
        if platform.machine() == "x86_64":
            self.assertIn("ret", self.text("inspect", package, "--disassemble", "--function", "first"))
        self.assertNotIn("second", self.text("inspect", package, "--function", "first").split("\n", 1)[1])
        self.assertIn("no function 'third'", self.error(1, "inspect", package, "--function", "third"))
        self.assertIn("not a package", self.error(1, "inspect", self.path("two.frit")))

    def test_verify(self):
        package = self.path("s.fritpkg")
        self.frit("compile", GRAPHS / "softmax.frit", "-o", package)
        text = self.text("verify", package, "--runs", 3)
        self.assertRegex(text, r"the graph, compiled here: at most [0-9.]+ ulp")
        self.assertRegex(text, r"the artifact's code for x86-64-v[234]|compiled here")
        self.assertIn("differ by more than", subprocess.run([FRIT, "verify", package, "--max-ulp", "0.001"], capture_output=True, text=True).stderr)

    def test_files_that_are_pipes(self):
        def through_pipe(content, *arguments, status=0):
            ours, theirs = os.pipe()
            os.write(theirs, content)
            os.close(theirs)
            try:
                command = [FRIT, *(f"/dev/fd/{ours}" if a == "PIPE" else str(a) for a in arguments)]
                done = subprocess.run(command, pass_fds=[ours], capture_output=True, text=True, timeout=60)
            finally:
                os.close(ours)
            self.assertEqual(done.returncode, status, done.stderr)
            return done.stdout + done.stderr

        graph = (GRAPHS / "gelu.frit").read_bytes()
        package = self.path("g.fritpkg")
        through_pipe(graph, "compile", "PIPE", "--cpu=native", "-o", package)
        self.frit("verify", package, "--runs", 1)
        self.assertIn("ulp", through_pipe(graph, "verify", "PIPE", "--runs", 1))
        self.assertIn("comes through a pipe", through_pipe(pathlib.Path(package).read_bytes()[:4000], "run", "PIPE", status=1))

    def test_functions_without_results_or_files_without_functions(self):
        graph = self.write("none.frit", "func @none(%x: f32[n]) {\n  return\n}\n")
        package = self.path("none.fritpkg")
        self.frit("compile", graph, "-o", package)
        self.assertEqual(self.text("verify", package).count("@none: runs and has no results"), 2)
        self.assertEqual(self.text("run", package, "--random", 1, "--set", "n=3"), "")
        empty = self.write("empty.frit", "")
        self.frit("compile", empty, "-o", package)
        self.assertIn("holds no function", self.error(1, "run", package))
        self.assertIn("holds no function", self.error(1, "explain", empty))

    def test_results_that_nobody_can_count(self):
        # A view of four elements, which takes no memory.
        graph = self.write("view.frit", "func @view(%x: f32[n]) -> f32[n, n, n, n, n] {\n"
                           "  %0: f32[n, n, n, n, n] = broadcast %x {shape=[n, n, n, n, n]}\n  return %0\n}\n")
        package = self.path("view.fritpkg")
        self.frit("compile", graph, "-o", package)
        for file in (graph, package):
            for n in (65536, 100000):  # 2^80 is 0 in 64 bits
                self.assertIn("more than 2^48 elements", self.error(1, "run", file, "--random", 1, "--set", f"n={n}"))
            self.assertEqual(self.text("run", file, "--random", 1, "--set", "n=0").strip(), "result 0: f32[0, 0, 0, 0, 0] =")

    def test_functions_are_chosen(self):
        graph = self.write("two.frit", TWO)
        self.frit("compile", graph, "--function", "second", "-o", self.path("one.fritpkg"))
        self.assertEqual(self.text("run", self.path("one.fritpkg"), "--random", 1).count("result"), 2)
        self.frit("compile", graph, "-o", self.path("two.fritpkg"))
        self.assertIn("choose one with --function: first, second", self.error(1, "run", self.path("two.fritpkg"), "--random", 1))
        self.assertEqual(self.text("run", self.path("two.fritpkg"), "--random", 1, "--function", "first").count("result"), 1)

    def test_an_artifact_is_compiled_again_from_its_graphs(self):
        self.frit("compile", self.write("two.frit", TWO), "--cpu", "x86-64-v2", "-o", self.path("a.fritpkg"))
        self.frit("compile", self.path("a.fritpkg"), "--cpu", "x86-64-v3", "-o", self.path("b.fritpkg"))
        self.frit("compile", self.path("two.frit"), "--cpu", "x86-64-v3", "-o", self.path("c.fritpkg"))
        self.assertEqual(pathlib.Path(self.path("b.fritpkg")).read_bytes(), pathlib.Path(self.path("c.fritpkg")).read_bytes())


class Strides(OfflineTest):
    GRAPH = """func @f(%x: f32[n, 3] strides [1, n], %y: f32[m, 2] strides [s, 1]) -> (f32[n, 3], f32[m, 2]) where s in [2, 8] {
  %0: f32[n, 3] = add %x, %x
  %1: f32[m, 2] = negative %y
  return %0, %1
}
"""

    def test_functions_with_stated_strides(self):
        graph = self.write("f.frit", self.GRAPH)
        package = self.path("f.fritpkg")
        self.frit("compile", graph, "-o", package)
        x, y = [float(i) for i in range(12)], [float(i) for i in range(10)]
        write_npy(self.path("x.npy"), "f", (4, 3), x)
        write_npy(self.path("y.npy"), "f", (5, 2), y)
        for file in (graph, package):
            self.frit("run", file, "--input", "x=" + self.path("x.npy"), "--input", "y=" + self.path("y.npy"), "--output", self.path("out"))
            self.assertEqual(read_npy(self.path("out/0.npy"))[1:], ((4, 3), [2 * v for v in x]))
            self.assertEqual(read_npy(self.path("out/1.npy"))[1:], ((5, 2), [-v for v in y]))
        self.assertEqual(self.text("verify", package, "--runs", 5).count("equal") + self.text("verify", package, "--runs", 5).count("at most 0 ulp"), 4)
        self.frit("compile", self.write("g.frit", self.GRAPH.replace("s in [2, 8]", "s in [3, 8]")), "-o", package)
        self.assertIn("function @f takes 'y' with strides [2, 1] where s is at least 3 and at most 8, but strides [2, 1] are given",
                      self.error(1, "run", package, "--random", 1))


class Memory(OfflineTest):
    def test_a_run_takes_what_the_plan_says(self):
        # There are no library routines here, which would take more memory, and rows are short.
        sizes = {"m": 320, "n": 3200}
        graph = self.write("c.frit", COLUMNS)
        plan = re.search(r"outputs (\S+) B, workspace (\S+) B in", self.text("explain", graph))
        value = lambda expression: eval(expression, {}, dict(sizes))
        want = value(plan[1]) + value(plan[2])
        self.assertGreater(value(plan[2]), 1 << 20)
        package = self.path("a.fritpkg")
        self.frit("compile", graph, "-o", package)
        for file in (graph, package):
            for threads in ("1", "2"):
                _, told = self.frit("run", file, "--random", 1, "--set", "m=320", "--set", "n=3200", "--repeat", 3, "--time", "--output", self.path("out"),
                                    env={**os.environ, "FRIT_NUM_THREADS": threads})
                self.assertIn(f"memory: at most {want} B", told)


class Gpu(OfflineTest):
    def test_packages_run_on_the_gpu(self):
        if "gpu: none" in self.text("devices"):
            self.skipTest("there is no GPU here")
        # An epilogue fused into a product has no code of its own.
        for name in ("mlp", "softmax"):
            package = self.path(f"{name}.fritpkg")
            self.frit("compile", GRAPHS / f"{name}.frit", "--target=vulkan", "-o", package)
            self.assertIn("the artifact's code for baseline: at most", self.text("verify", package, "--device=vulkan", "--runs", 2))


class ControlFlow(OfflineTest):
    FILES = GRAPHS.parent.parent / "tests" / "conformance" / "control"

    def packed(self, name, *options):
        package = self.path(f"{name}.fritpkg")
        self.frit("compile", self.FILES / f"{name}.frit", *options, "-o", package)
        return package

    def test_packages_hold_loops(self):
        for name in ("loops", "routines"):
            told = self.text("verify", self.packed(name), "--runs", 2)
            self.assertIn("the artifact's code for", told)
            self.assertNotIn("too far", told)

    def test_packages_hold_loops_for_the_gpu(self):
        if "gpu: none" in self.text("devices"):
            self.skipTest("there is no GPU here")
        for name in ("loops", "routines"):
            told = self.text("verify", self.packed(name, "--target=vulkan"), "--device=vulkan", "--runs", 1)
            self.assertIn("the artifact's code for baseline", told)

    def test_code_without_a_runtime_has_loops_and_routines(self):
        for ending in (".so", ".o", ".c"):
            for name in ("loops", "routines"):
                self.frit("compile", self.FILES / f"{name}.frit", "-o", self.path(name + ending))


class Weights(OfflineTest):
    def answer(self, file, **more):
        write_npy(self.path("x.npy"), "f", (2, 2), [1, 0, 0, 1])
        self.frit("run", file, "--input", "x=" + self.path("x.npy"), "--output", self.path("out"), **more)
        return read_npy(self.path("out/0.npy"))[2]

    def test_inside_and_beside(self):
        graph = self.weighted()
        want = [11, 22, 33, 14, 25, 36]
        self.assertEqual(list(self.answer(graph)), want)
        self.frit("compile", graph, "-o", self.path("inside.fritpkg"))
        self.frit("compile", graph, "--weights=beside", "-o", self.path("beside.fritpkg"))
        self.assertEqual(list(self.answer(self.path("inside.fritpkg"))), want)
        self.assertEqual(list(self.answer(self.path("beside.fritpkg"))), want)
        self.assertIn("at most", self.text("verify", self.path("inside.fritpkg"), "--runs", 2))
        # Other weights, the same code.
        write_safetensors(self.path("w.safetensors"), {"b": ([3], [0, 0, 0]), "w": ([2, 3], [1, 1, 1, 1, 1, 1])})
        self.assertEqual(list(self.answer(self.path("beside.fritpkg"))), [1] * 6)
        self.assertEqual(list(self.answer(self.path("inside.fritpkg"))), want)

    def test_what_is_wrong_is_named(self):
        graph = self.weighted()
        self.frit("compile", graph, "--weights=beside", "-o", self.path("p.fritpkg"))
        write_safetensors(self.path("w.safetensors"), {"b": ([3], [0, 0, 0]), "w": ([3, 2], [1, 1, 1, 1, 1, 1])})
        for command in (("compile", graph, "-o", self.path("q.fritpkg")), ("run", self.path("p.fritpkg"), "--random", 1, "--set", "n=2")):
            self.assertRegex(self.error(1, *command), r"weight 'w'.* f32\[3, 2\]")
        write_safetensors(self.path("w.safetensors"), {"b": ([3], [0, 0, 0])})
        for command in (("compile", graph, "-o", self.path("q.fritpkg")), ("run", self.path("p.fritpkg"), "--random", 1, "--set", "n=2"),
                        ("run", graph, "--random", 1, "--set", "n=2")):
            self.assertRegex(self.error(1, *command), r"'w'")
        os.remove(self.path("w.safetensors"))
        self.assertIn("w.safetensors", self.error(1, "run", self.path("p.fritpkg"), "--random", 1, "--set", "n=2"))
        self.assertNotIn("q.fritpkg", self.files())

    def test_damaged_files_of_weights(self):
        graph = self.weighted()
        good = pathlib.Path(self.path("w.safetensors")).read_bytes()
        bad = [b"", good[:5], good[:20], good[:-1], struct.pack("<Q", 2**60) + good[8:], good[:8] + b"x" + good[9:],
               good.replace(b'"F32"', b'"F99"'), good.replace(b"[2, 3]", b"[2, 4]"), good.replace(b"[2, 3]", b"[-2,3]"),
               good.replace(b"[2, 3]", b'"tall"'), good.replace(b"[0, 24]", b"[24, 0]"), good.replace(b"[0, 24]", b"[0,9999]")]
        for data in bad:
            pathlib.Path(self.path("w.safetensors")).write_bytes(data)
            self.assertIn("w.safetensors", self.error(1, "run", graph, "--random", 1, "--set", "n=2"), data)


class NoCompiler(OfflineTest):
    def test_nothing_of_a_compiler_is_loaded(self):
        package = self.path("g.fritpkg")
        self.frit("compile", GRAPHS / "gelu.frit", "-o", package)
        loaded = self.loader(package, "gelu")
        self.assertIn("libfrit_runtime", loaded)
        for name in ("LLVM", "glslang", "frit_codegen", "frit_ir", "frit_passes"):
            self.assertNotIn(name, loaded)

    def test_a_package_for_another_processor_asks_for_the_compiler(self):
        if platform.machine() != "x86_64":
            self.skipTest("needs a package that does not fit this machine")
        package = self.path("g.fritpkg")
        self.frit("compile", GRAPHS / "gelu.frit", "--cpu", "aarch64", "-o", package)
        loaded = self.loader(package, "gelu")
        self.assertTrue(loaded.startswith("compiled here"), loaded)
        self.assertIn("libfrit_codegen", loaded)


class Devices(OfflineTest):
    def test_the_environment_names_the_device(self):
        package = self.path("g.fritpkg")
        self.frit("compile", GRAPHS / "gelu.frit", "--target=cpu,vulkan", "-o", package)
        for named, says in (("", "libfrit_runtime"), ("cpu", "libfrit_runtime"), ("fast", "there is no device 'fast'"),
                            ("gpu", "vulkan cannot start"), ("vulkan", "vulkan cannot start")):
            environment = {**os.environ, "FRIT_DEVICE": named, "VK_ICD_FILENAMES": "/dev/null", "VK_DRIVER_FILES": "/dev/null"}
            said = self.loader(package, "gelu", "", status=0 if says.startswith("lib") else 1, env=environment)
            self.assertIn(says, said, named)

    def test_code_that_no_loader_would_choose_is_refused(self):
        for cpu in ("znver4", "cortex-a72", "generic", "x86-64-v9"):
            said = self.error(1, "compile", GRAPHS / "gelu.frit", f"--cpu=native,{cpu}", "-o", self.path("g.fritpkg"))
            self.assertIn(f"'{cpu}'", said)
        self.assertEqual(self.files(), [])

    def test_each_machine_once(self):
        package = self.path("g.fritpkg")
        self.frit("compile", GRAPHS / "gelu.frit", "--target=cpu,cpu", "--cpu=native,x86-64-v2,native", "-o", package)
        manifest = json.loads(self.text("inspect", package, "--manifest"))
        self.assertEqual([v["machine"] for v in manifest["functions"][0]["variants"]], ["native", "x86-64-v2"])


class Names(OfflineTest):
    def test_of_functions_and_parameters_in_c(self):
        body = "  %0: f32[n] = exp %x\n  return %0\n}\n"
        names = ('"a b"', "a.b", "a_b", "a_b_2", "select", "stdin", "f", "f_workspace")
        one = "".join(f"func @{name}(%x: f32[n]) -> f32[n] {{\n{body}" for name in names)
        two = "func @two(%x.y: f32[I], %x_y: f32[I]) -> f32[I] {\n  %0: f32[I] = add %x.y, %x_y\n  return %0\n}\n"
        graph = self.write("names.frit", one + two)
        for ending in (".c", ".so"):
            self.frit("compile", graph, "-o", self.path("names" + ending))
            header = pathlib.Path(self.path("names.h")).read_text()
            entries = dict(zip(re.findall(r"/\* func @(.*?)\(%", header), re.findall(r"^int (\w+)\(", header, re.M)))
            # A valid C name stays, whatever the other names become.
            self.assertEqual(entries, {'"a b"': "a_b_3", "a.b": "a_b_4", "a_b": "a_b", "a_b_2": "a_b_2", "select": "select_", "stdin": "stdin_",
                                       "f": "f", "f_workspace": "f_workspace_2", "two": "two"})
            self.assertIn("int two(const float* x_y_2, const float* x_y, float* out, int64_t I_, void* workspace", header)

    def test_what_is_compiled_is_not_overwritten(self):
        graph = self.weighted()
        before = {name: pathlib.Path(self.path(name)).read_bytes() for name in self.files()}
        (self.folder / "link").symlink_to("w.safetensors")
        for arguments in (["-o", graph], ["-o", self.path("./affine.frit"), "--emit=ir"], ["-o", self.path("w.safetensors"), "--emit=artifact"],
                          ["-o", self.path("link"), "--emit=artifact"]):
            self.assertIn("is a file that is compiled", self.error(2, "compile", graph, *arguments))
        for name, bytes_ in before.items():
            self.assertEqual(pathlib.Path(self.path(name)).read_bytes(), bytes_, name)
        # A new package may replace an old one.
        self.frit("compile", graph, "-o", self.path("a.fritpkg"))
        first = pathlib.Path(self.path("a.fritpkg")).read_bytes()
        self.frit("compile", self.path("a.fritpkg"), "-o", self.path("a.fritpkg"))
        self.assertEqual(pathlib.Path(self.path("a.fritpkg")).read_bytes(), first)

    def test_of_files(self):
        graph = str(GRAPHS / "gelu.frit")
        self.frit("compile", graph, "--emit=shared", "-o", self.path("gelu-1.5"))
        self.assertEqual(self.files(), ["gelu-1.5.h", "gelu-1.5.so"])
        self.frit("compile", graph, "--emit=c", "-o", self.path("gelu-1.5.c"))
        self.assertEqual(self.files(), ["gelu-1.5.c", "gelu-1.5.h", "gelu-1.5.so"])
        before = self.files()
        self.error(2, "compile", graph, "--emit=shared", "-o", str(self.folder) + "/")
        self.error(2, "compile", graph, "--emit=c", "-o", self.path('g"elu.c'))
        self.assertEqual(self.files(), before)


class Unwritable(OfflineTest):
    def test_nothing_is_half_written(self):
        graph = str(GRAPHS / "gelu.frit")
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        for name in ("g.fritpkg", "g.so", "g.c"):
            self.assertIn("cannot write", self.error(1, "compile", graph, "-o", self.path(name), preexec_fn=limit))
            self.assertIn("cannot write", self.error(1, "compile", graph, "-o", self.path("no/such/" + name)))
        self.assertEqual(self.files(), [])
        self.write("g.fritpkg", "old")
        self.error(1, "compile", graph, "-o", self.path("g.fritpkg"), preexec_fn=limit)
        self.assertEqual(self.files(), ["g.fritpkg"])
        self.assertEqual(pathlib.Path(self.path("g.fritpkg")).read_text(), "old")

    def test_wrong_usage(self):
        graph = str(GRAPHS / "gelu.frit")
        for arguments in (["--emit=artifact"], ["--emit=artifact", "-o", "-"], ["--target=c", "--emit=artifact", "-o", self.path("x")],
                          ["--target=cpu,vulkan", "--emit=asm"], ["--cpu=x86-64-v2,x86-64-v3", "--emit=asm"],
                          ["--target=vulkan", "--emit=shared", "-o", self.path("x.so")], ["--jobs=0", "-o", self.path("x.fritpkg")]):
            self.error(2, "compile", graph, *arguments)
        self.assertIn("x86-64-v9", self.error(1, "compile", graph, "--cpu=x86-64-v9", "-o", self.path("x.fritpkg")))
        self.assertEqual(self.files(), [])


class Damaged(OfflineTest):
    def test_every_kind_of_damage_is_an_error(self):
        package = self.folder / "g.fritpkg"
        self.frit("compile", GRAPHS / "gelu.frit", "--cpu=x86-64-v2", "-o", package)
        good = package.read_bytes()
        for bad in (b"", good[:7], good[:63], good[:64], good[: len(good) // 2], good[:-1], good + b"\0",
                    good[:8] + b"\x02" + good[9:], good[:16] + b"\xff" * 8 + good[24:], good[:24] + b"\xff" * 8 + good[32:],
                    good[:70] + bytes([good[70] ^ 1]) + good[71:]):
            package.write_bytes(bad)
            for command in (("run", package, "--random", 1, "--set", "n=4", "--set", "m=4"), ("inspect", package), ("verify", package)):
                # Running reads no graphs.
                if len(bad) != len(good) or bad[70] == good[70] or command[0] == "verify":
                    self.error(1, *command)


if __name__ == "__main__":
    unittest.main()
