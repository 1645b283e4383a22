"""The frit command from the outside: its output, its exit status, and the files it leaves.

FRIT_CLI names the program, FRIT_GRAPHS the folder of example graphs. Needs Python's standard library alone.
"""
import ast
import json
import math
import os
import pathlib
import platform
import resource
import struct
import subprocess
import tempfile
import unittest

FRIT = os.environ["FRIT_CLI"]
GRAPHS = pathlib.Path(os.environ["FRIT_GRAPHS"])
COMMANDS = ("opt", "compile", "run", "explain", "ops", "devices")

ADD = """func @add(%x: f32[n, 3], %y: f32[n, 3]) -> f32[n, 3] {
  %0: f32[n, 3] = add %x, %y
  return %0
}
"""
TWO = """func @first(%x: f32[2]) -> f32[2] {
  %0: f32[2] = negative %x
  return %0
}

func @second(%x: f32[2]) -> (f32[2], f32[2]) {
  %0: f32[2] = exp %x
  %1: f32[2] = add %0, %x
  return %0, %1
}
"""


def write_npy(path, code, shape, values, fortran=False, version=1):
    """A .npy file of the struct code `code` ("f", "i", ...), byte by byte as the format says."""
    kinds = {"f": "<f4", "d": "<f8", "i": "<i4", "q": "<i8", "B": "|u1", "?": "|b1"}
    shape_text = "(" + "".join(f"{s}, " for s in shape) + ")"
    header = f"{{'descr': '{kinds[code]}', 'fortran_order': {fortran}, 'shape': {shape_text}, }}"
    size = 2 if version == 1 else 4
    header += " " * (-(8 + size + len(header) + 1) % 64) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if size == 2 else "<I", len(header)) + header.encode())
        f.write(struct.pack(f"<{len(values)}{code}", *values))


def read_npy(path):
    """(type text, shape, values) of a .npy file in row-major order."""
    data = pathlib.Path(path).read_bytes()
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:8]
    (length,) = struct.unpack("<H", data[8:10])
    assert (10 + length) % 64 == 0 and data[9 + length : 10 + length] == b"\n"
    header = ast.literal_eval(data[10 : 10 + length].decode())
    assert header["fortran_order"] is False
    kind = header["descr"]
    code = {"<f4": "f", "<f8": "d", "<i4": "i", "<i8": "q", "|u1": "B", "|b1": "?"}[kind]
    count = math.prod(header["shape"])
    return kind, header["shape"], list(struct.unpack(f"<{count}{code}", data[10 + length :]))


class CliTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def path(self, name):
        return str(self.folder / name)

    def write(self, name, text):
        (self.folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return self.path(name)

    def frit(self, *arguments, status=0, stdin="", **more):
        """Runs the command and returns (standard output, standard error)."""
        data = stdin if isinstance(stdin, bytes) else stdin.encode()
        done = subprocess.run([FRIT, *map(str, arguments)], input=data, capture_output=True, timeout=300, **more)
        error = done.stderr.decode(errors="replace")
        self.assertEqual(done.returncode, status, f"{arguments}\n{done.stdout[:2000]!r}\n{error}")
        self.assertNotIn("Sanitizer", error)
        if status:
            self.assertEqual(done.stdout, b"", "a failed command prints no result")
            self.assertTrue(error.endswith("\n"))
        return done.stdout, error

    def text(self, *arguments, **more):
        return self.frit(*arguments, **more)[0].decode()

    def error(self, status, *arguments, **more):
        return self.frit(*arguments, status=status, **more)[1]

    def files(self):
        return sorted(p.relative_to(self.folder).as_posix() for p in self.folder.rglob("*"))


class Help(CliTest):
    def test_every_command_explains_itself(self):
        general = self.text("--help")
        self.assertEqual(general, self.text("-h"))
        for command in COMMANDS:
            self.assertRegex(general, rf"(?m)^  {command} +\w")
            page = self.text(command, "--help")
            self.assertIn(f"frit {command} [OPTIONS]", page)
            self.assertIn("-h,--help", page)

    def test_help_has_one_option_a_line(self):
        """A completion script reads two blanks, the option's spellings, then its value and text."""
        expected = {
            "opt": "pipeline print-after verify-each time-passes remarks stop-after dump-dir emit output",
            "compile": "function target cpu emit output",
            "run": "function device cpu input random set output repeat time",
            "explain": "cpu",
            "ops": "json",
            "devices": "",
        }
        for command, options in expected.items():
            page = self.text(command, "--help")
            for option in options.split():
                self.assertRegex(page, rf"(?m)^  (-\w,)?--{option}( |$)")
            self.assertNotIn("\x1b", page)

    def test_version(self):
        self.assertRegex(self.text("--version"), r"^frit \d+\.\d+\.\d+\n$")


class Usage(CliTest):
    def test_wrong_usage_is_status_2(self):
        graph = GRAPHS / "gelu.frit"
        for arguments in (
            [], ["nothing"], ["opt"], ["opt", "--nothing", graph], ["opt", graph, graph], ["opt", graph, "--emit=png"],
            ["opt", graph, "--stop-after=-1"], ["opt", graph, "--stop-after=x"], ["opt", graph, "--pipeline=nothing"],
            ["opt", graph, "--pipeline=fuse,fuse,"], ["opt", graph, "--print-after=nothing"], ["compile", graph, "--emit=png"],
            ["compile", graph, "--target=gpu"], ["run", graph, "--device=gpu"], ["run", graph, "--random=x"],
            ["run", graph, "--repeat=0"], ["run", graph, "--random", 1, "--set", "n"], ["run", graph, "--random", 1, "--set", "n=x"],
            ["run", graph, "--random", 1, "--set", "n=-1"], ["run", graph, "--random", 1, "--set", "k=1"],
            ["run", graph, "--random", 1, "--set", "n=1", "--set", "m=99999999999999999999"],
            ["run", graph, "--input", "x"], ["run", graph, "--input", "y=file.npy"], ["explain"], ["ops", "exp", "erf"], ["devices", "x"],
        ):
            with self.subTest(arguments=arguments):
                error = self.error(2, *arguments)
                self.assertRegex(error, r"^error: .+\nnote: 'frit( \w+)? --help' \w")

    def test_names_the_unknown_command(self):
        self.assertIn("'optt'", self.error(2, "optt", "file"))

    def test_missing_file(self):
        for command in ("opt", "compile", "run", "explain"):
            self.assertIn("nowhere.frit", self.error(1, command, self.path("nowhere.frit")))
            self.assertIn("folder", self.error(1, command, self.folder))


class Opt(CliTest):
    def test_every_example_in_every_form(self):
        for graph in sorted(GRAPHS.glob("*.frit")):
            for form in ("ir", "json", "dot", "kernels"):
                for pipeline in ("default", "none", "expand_composites,canonicalize,constant_fold,cse,dce,fuse"):
                    if form == "kernels" and pipeline != "default":
                        continue
                    with self.subTest(graph=graph.name, form=form, pipeline=pipeline):
                        text = self.text("opt", graph, "--verify-each", f"--emit={form}", f"--pipeline={pipeline}")
                        self.assertEqual(text, self.text("opt", graph, f"--emit={form}", f"--pipeline={pipeline}"))
                        if form == "json":
                            json.loads(text)
                        if form == "dot":
                            self.assertTrue(text.startswith("digraph"))
                        if form == "kernels":
                            self.assertIn("kernel", text)

    def test_text_and_json_read_back(self):
        for graph in sorted(GRAPHS.glob("*.frit")):
            text = self.text("opt", graph, "--pipeline=none")
            self.assertEqual(text, self.text("opt", "-", "--pipeline=none", stdin=text))
            form = self.text("opt", graph, "--pipeline=none", "--emit=json")
            self.assertEqual(text, self.text("opt", "-", "--pipeline=none", stdin=form))
            self.assertEqual(form, self.text("opt", "-", "--pipeline=none", "--emit=json", stdin=form))

    def test_output_file(self):
        graph = GRAPHS / "swiglu.frit"
        text = self.text("opt", graph)
        self.assertEqual(self.text("opt", graph, "-o", self.path("out.frit")), "")
        self.assertEqual((self.folder / "out.frit").read_text(), text)
        self.assertEqual(text, self.text("opt", graph, "-o", "-"))
        os.symlink("out.frit", self.path("link"))
        self.text("opt", graph, "--pipeline=none", "-o", self.path("link"))
        self.assertEqual(os.readlink(self.path("link")), "out.frit")
        self.assertNotEqual((self.folder / "out.frit").read_text(), text)
        self.assertEqual(self.files(), ["link", "out.frit"])

    def test_output_to_a_pipe_leaves_the_pipe(self):
        graph = GRAPHS / "gelu.frit"
        os.mkfifo(self.path("pipe"))
        with subprocess.Popen([FRIT, "opt", str(graph), "-o", self.path("pipe")]) as writer:
            self.assertEqual((self.folder / "pipe").read_text(), self.text("opt", graph))
        self.assertEqual(writer.returncode, 0)
        self.assertTrue((self.folder / "pipe").is_fifo())

    def test_print_after(self):
        graph = GRAPHS / "softmax.frit"
        _, everything = self.frit("opt", graph, "--print-after=all")
        _, changed = self.frit("opt", graph, "--print-after=changed")
        _, fuse = self.frit("opt", graph, "--print-after=fuse")
        for name in ("canonicalize", "cse", "fuse", "lower_to_kernels", "schedule", "plan_buffers"):
            self.assertIn(name, everything)
        self.assertIn("fuse", changed)
        self.assertLess(len(changed), len(everything))
        self.assertIn("fuse", fuse)
        self.assertNotIn("after cse", fuse)

    def test_stop_after(self):
        graph = GRAPHS / "softmax.frit"
        self.assertEqual(self.text("opt", graph, "--stop-after=0"), self.text("opt", graph, "--pipeline=none"))
        self.assertEqual(self.text("opt", graph, "--stop-after=1000"), self.text("opt", graph))
        self.assertEqual(self.text("opt", graph, "--stop-after=1"), self.text("opt", graph, "--pipeline=expand_composites"))

    def test_time_passes_and_remarks(self):
        _, error = self.frit("opt", GRAPHS / "attention.frit", "--time-passes", "--remarks")
        self.assertRegex(error, r"(?m)^pass +ms +ops +after +kernels$")
        self.assertRegex(error, r"(?m)^fuse +\d+\.\d+")
        self.assertRegex(error, r"(?m)^remark: attention: \w+: ")

    def test_dump_dir(self):
        self.text("opt", GRAPHS / "mlp.frit", "--dump-dir", self.path("dump"))
        names = self.files()
        self.assertEqual(names[0], "dump")
        numbers = [name.split("/")[1][:2] for name in names[1:]]
        self.assertEqual(numbers, [f"{i:02}" for i in range(len(numbers))])
        self.assertGreater(len(numbers), 8)
        self.assertTrue((self.folder / names[1]).read_text().startswith("func @mlp"))

    def test_several_functions(self):
        text = self.text("opt", "-", "--pipeline=none", stdin=TWO)
        self.assertEqual(text, TWO)

    def test_kernels_need_lowering(self):
        self.assertIn("lower_to_kernels", self.error(1, "opt", GRAPHS / "gelu.frit", "--emit=kernels", "--pipeline=cse"))


class Malformed(CliTest):
    def check(self, text, line, column, name="bad.frit"):
        path = self.write(name, text)
        source = text if isinstance(text, str) else text.decode(errors="replace")
        for command in (["opt"], ["compile", "--emit=asm"], ["run", "--random=1"], ["explain"]):
            more = ["-o", self.path("out")] if command[0] in ("opt", "compile") else ["--output", self.path("out")] if command[0] == "run" else []
            error = self.error(1, *command, path, *more)
            self.assertTrue(error.startswith(f"{path}:{line}:{column}: error: "), error)
            shown = error.split("\n")
            self.assertEqual(shown[1].strip(), source.split("\n")[line - 1].strip())
            self.assertEqual(shown[2].strip(" ~"), "^")
            self.assertEqual(len(shown[2]) - len(shown[2].lstrip(" ")), column - 1 + 2)
            self.assertEqual(self.files(), [name])
        self.assertTrue(self.error(1, "opt", "-", stdin=text).startswith(f"<stdin>:{line}:{column}: error: "))

    def test_unknown_op(self):
        self.check(ADD.replace("add %x", "ad %x"), 2, 19)

    def test_unknown_value(self):
        self.check(ADD.replace("%x, %y\n", "%x, %z\n"), 2, 27)

    def test_not_graph_text(self):
        self.check("hello\n", 1, 1)

    def test_cut_off(self):
        for length in range(1, len(ADD) - 2):
            with self.subTest(length=length):
                error = self.error(1, "opt", "-", stdin=ADD[:length])
                self.assertRegex(error, r"^<stdin>:\d+:\d+: error: ")

    def test_json(self):
        self.check('{\n  "format": 1,,\n}\n', 2, 15, "bad.json")

    def test_json_of_another_shape(self):
        for text in ("[]", "{}", '{"functions": {}}', '{"format": "frit-graph-1"}', "[" * 5000, '{"a":' * 5000):
            with self.subTest(text=text[:30]):
                self.assertRegex(self.error(1, "opt", "-", stdin=text), r"^<stdin>:\d+:\d+: error: ")

    def test_every_damaged_byte_of_a_json_file(self):
        good = self.text("opt", "-", "--emit=json", "--pipeline=none", stdin=ADD)
        for at in range(0, len(good), max(1, len(good) // 60)):
            done = subprocess.run([FRIT, "opt", "-"], input=(good[:at] + "\x01" + good[at + 1 :]).encode(), capture_output=True)
            self.assertIn(done.returncode, (0, 1))
            self.assertNotIn(b"Sanitizer", done.stderr)

    def test_bytes_that_are_no_text(self):
        for data in (b"\x00", b"\xff\xfe\x00", b"func @\xff", bytes(range(256)), b"\x7fELF\x02\x01\x01"):
            with self.subTest(data=data[:8]):
                self.assertRegex(self.error(1, "opt", "-", stdin=data), r"^<stdin>:\d+:\d+: error: ")

    def test_type_errors_name_both_types(self):
        error = self.error(1, "opt", "-", stdin=ADD.replace("%y: f32[n, 3]", "%y: f16[n, 3]"))
        self.assertIn("add", error)
        self.assertIn("f32[n, 3]", error)
        self.assertIn("f16[n, 3]", error)


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

    def test_choice_of_a_function(self):
        error = self.error(1, "compile", "-", stdin=TWO)
        self.assertIn("first, second", error)
        self.assertIn("second", self.text("compile", "-", "--function=second", "--emit=llvm-ir", stdin=TWO))
        self.assertIn("'third'", self.error(1, "compile", "-", "--function=third", stdin=TWO))


class Run(CliTest):
    def test_every_example(self):
        sizes = {"attention": ["h=2", "n=5"], "gelu": ["n=3", "m=7"], "mlp": ["b=4"], "layer_norm": ["n=3"], "rms_norm": ["n=3"],
                 "softmax": ["n=3", "m=9"], "swiglu": ["b=2", "n=16"]}
        graphs = sorted(GRAPHS.glob("*.frit"))
        self.assertEqual({g.stem for g in graphs} - set(sizes), set())
        for graph in graphs:
            with self.subTest(graph=graph.name):
                set_sizes = [word for s in sizes[graph.stem] for word in ("--set", s)]
                first = self.text("run", graph, "--random", 1, *set_sizes)
                self.assertRegex(first, r"^result 0: f32\[[\d, ]+\] = ")
                self.assertEqual(first, self.text("run", graph, "--random", 1, *set_sizes))
                self.assertNotEqual(first, self.text("run", graph, "--random", 2, *set_sizes))

    def test_npy_round_trip(self):
        graph = self.write("add.frit", ADD)
        x = [0.0, -0.0, 1.5, float("inf"), float("nan"), -2.0]
        y = [1.0, -0.0, 2.0, 1.0, 1.0, 1e-45]
        write_npy(self.path("x.npy"), "f", (2, 3), x)
        write_npy(self.path("y.npy"), "f", (2, 3), [y[0], y[3], y[1], y[4], y[2], y[5]], fortran=True, version=2)
        self.text("run", graph, "--input", "x=" + self.path("x.npy"), "--input", "y=" + self.path("y.npy"), "--output", self.path("out"))
        kind, shape, values = read_npy(self.path("out/0.npy"))
        self.assertEqual((kind, shape), ("<f4", (2, 3)))
        for got, a, b in zip(values, x, y):
            want = struct.unpack("<f", struct.pack("<f", a + b))[0]
            self.assertEqual(struct.pack("<f", got) if got == got else None, struct.pack("<f", want) if want == want else None)
        self.assertEqual(self.files(), ["add.frit", "out", "out/0.npy", "x.npy", "y.npy"])

    def test_types_shapes_and_several_results(self):
        for code, name in (("f", "f32"), ("d", "f64"), ("i", "i32"), ("q", "i64"), ("B", "u8")):
            for shape in ((), (0,), (4,), (2, 0, 3), (2, 1, 2)):
                with self.subTest(type=name, shape=shape):
                    of = f"{name}[{', '.join(map(str, shape))}]"
                    values = [v + 1 for v in range(math.prod(shape))]
                    write_npy(self.path("x.npy"), code, shape, values)
                    graph = f"func @f(%x: {of}) -> ({of}, {of}, {of}) {{\n  %0: {of} = add %x, %x\n  return %0, %x, %0\n}}\n"
                    self.text("run", "-", "--input", "x=" + self.path("x.npy"), "--output", self.path("out"), stdin=graph)
                    doubled = [2 * v for v in values]
                    for i, want in enumerate((doubled, values, doubled)):
                        kind, got_shape, got = read_npy(self.path(f"out/{i}.npy"))
                        self.assertEqual((got_shape, got), (shape, want))

    def test_nothing_returned_and_nothing_taken(self):
        self.assertEqual(self.text("run", "-", stdin="func @f() -> () {\n  return\n}\n"), "")
        self.assertRegex(self.text("run", "-", stdin="func @f() -> i32[] {\n  %0: i32[] = constant 7\n  return %0\n}\n"),
                         r"^result 0: i32\[\] = 7\n$")

    def test_time_and_repeat(self):
        _, error = self.frit("run", GRAPHS / "gelu.frit", "--random=1", "--set=n=2", "--set=m=2", "--repeat=3", "--time")
        self.assertRegex(error, r"compile \d+\.\d+ ms; run: median \d+\.\d+ ms, least \d+\.\d+ ms, most \d+\.\d+ ms of 3\nmemory: at most \d+ B for results and workspace .*\n$")

    def test_sizes_are_checked(self):
        swiglu = GRAPHS / "swiglu.frit"
        self.assertIn("@swiglu needs that n is a multiple of 16, but 'gate' is f32[1, 17]",
                      self.error(1, "run", swiglu, "--random=1", "--set=b=1", "--set=n=17"))
        self.assertIn("axis 0 of 'gate' (b) is in [1, 65536], but 'gate' is f32[0, 16]",
                      self.error(1, "run", swiglu, "--random=1", "--set=b=0", "--set=n=16"))
        self.assertIn("--set", self.error(1, "run", swiglu, "--random=1", "--set=b=1"))
        self.assertIn("--random", self.error(1, "run", swiglu))

    def test_facts_of_several_sizes_are_checked(self):
        graph = ("func @f(%x: f32[n, m], %y: f32[m]) -> f32[4, (m*n // 4)] where n <= m, m*n % 4 == 0 {\n"
                 "  %0: f32[4, (m*n // 4)] = reshape %x {shape=[4, (m*n // 4)]}\n  return %0\n}\n")
        sizes = lambda n, m: ("run", "-", "--random=1", f"--set=n={n}", f"--set=m={m}")
        self.assertIn("result 0: f32[4, 6]", self.text(*sizes(4, 6), stdin=graph))
        self.assertIn("@f needs that n <= m, but 'x' is f32[6, 4]\n", self.error(1, *sizes(6, 4), stdin=graph))
        self.assertIn("@f needs that m*n is a multiple of 4, but 'x' is f32[3, 5]\n", self.error(1, *sizes(3, 5), stdin=graph))
        write_npy(self.path("y.npy"), "f", (7,), [0.0] * 7)
        write_npy(self.path("x.npy"), "f", (4, 8), [0.0] * 32)
        self.assertIn("@f needs that axis 0 of 'y' equals axis 1 of 'x', but 'x' is f32[4, 8] and 'y' is f32[7]\n",
                      self.error(1, "run", "-", "--input", "x=" + self.path("x.npy"), "--input", "y=" + self.path("y.npy"), stdin=graph))
        shrinks = "func @f(%x: f32[n], %y: f32[n - 3]) {\n  return\n}\n"
        self.assertIn("the size n - 3 of input 'y' is -1", self.error(1, "run", "-", "--random=1", "--set=n=2", stdin=shrinks))

    def test_strides_are_checked(self):
        graph = "func @f(%x: f32[n, 3] strides [{}, 1]){} {{\n  return\n}}\n"
        arguments = ("run", "-", "--random=1", "--set=n=4")
        for stride, where in (("3", ""), ("s", ""), ("s", " where s in [3, 8]")):
            self.text(*arguments, stdin=graph.format(stride, where))
        for stride, where in (("7", ""), ("s", " where s in [4, 8]"), ("s", " where s % 2 == 0"), ("n", "")):
            self.assertIn("input 'x' has stride 3 along axis 0, but the function takes " + stride,
                          self.error(1, *arguments, stdin=graph.format(stride, where)))

    def test_inputs_are_checked(self):
        graph = self.write("add.frit", ADD)
        write_npy(self.path("a.npy"), "f", (2, 3), [0.0] * 6)
        cases = {"rank": ("f", (6,)), "type": ("d", (2, 3)), "size": ("f", (2, 4)), "symbol": ("f", (3, 3))}
        for name, (code, shape) in cases.items():
            with self.subTest(case=name):
                write_npy(self.path("b.npy"), code, shape, [0] * math.prod(shape))
                error = self.error(1, "run", graph, "--input", "x=" + self.path("a.npy"), "--input", "y=" + self.path("b.npy"),
                                   "--output", self.path("out"))
                self.assertIn("'y'", error)
                self.assertFalse(os.path.exists(self.path("out")))

    def test_damaged_npy(self):
        graph = self.write("add.frit", ADD)
        write_npy(self.path("good.npy"), "f", (1, 3), [1.0, 2.0, 3.0])
        good = (self.folder / "good.npy").read_bytes()
        damaged = [b"", good[:3], good[:9], good[:40], good[:-1], good + b"x", b"PK\x03\x04" + good[4:], good[:6] + b"\x09" + good[7:],
                   good.replace(b"'<f4'", b"'<f9'"), good.replace(b"(1, 3, )", b"(-1, 3,)"), good.replace(b"(1, 3, )", b"(9999999)"),
                   good.replace(b"'shape'", b"'shame'"), good.replace(b"{", b"["), good[:8] + b"\xff\xff" + good[10:]]
        for data in damaged:
            with self.subTest(data=data[:80]):
                bad = self.write("bad.npy", data)
                error = self.error(1, "run", graph, "--input", f"x={bad}", "--random=1", "--output", self.path("out"))
                self.assertIn("bad.npy", error)
                self.assertFalse(os.path.exists(self.path("out")))
        self.assertIn("nowhere.npy", self.error(1, "run", graph, "--input", "x=" + self.path("nowhere.npy"), "--random=1"))


class Explain(CliTest):
    def test_every_example(self):
        for graph in sorted(GRAPHS.glob("*.frit")):
            text = self.text("explain", graph)
            self.assertTrue(text.startswith(f"func @{graph.stem}("))
            self.assertRegex(text, r"(?m)^\d+ ops, \d+ steps?:$")
            self.assertRegex(text, r"(?m)^buffers: inputs .*, outputs .*, workspace ")
            self.assertEqual(text, self.text("explain", "-", stdin=graph.read_text()))

    def test_softmax_is_one_kernel(self):
        text = self.text("explain", GRAPHS / "softmax.frit")
        self.assertIn("1 step:", text)
        self.assertIn("guards:\n  axis 1 of 'x' (m) is in [1, 1048576]\n", text)

    def test_guards(self):
        function = "func @f(%x: f32[{}], %y: f32[{}]){} {{\n  return\n}}\n"
        self.assertIn("guards: none: every size is fixed\n", self.text("explain", "-", stdin=function.format("3", "4", "")))
        self.assertIn("guards: none: all sizes will do\n", self.text("explain", "-", stdin=function.format("n", "m", "")))
        self.assertIn("guards:\n  n is a multiple of 16\n  axis 0 of 'y' equals axis 1 of 'x'\n  axis 1 of 'y' is 3\n  n <= m\n",
                      self.text("explain", "-", stdin=function.format("n, m", "m, 3", " where n % 16 == 0, n <= m")))
        self.assertIn("guards: function @f: the size 'n' cannot be read", self.text("explain", "-", stdin=function.format("2*n", "3", "")))

    def test_several_functions(self):
        self.assertEqual(self.text("explain", "-", stdin=TWO).count("func @"), 2)


class Ops(CliTest):
    def test_list(self):
        names = [line.split()[0] for line in self.text("ops").splitlines()]
        self.assertEqual(len(names), len(set(names)))
        for name in ("add", "erf", "sum", "matmul", "reshape"):
            self.assertIn(name, names)
        described = json.loads(self.text("ops", "--json"))
        self.assertEqual([d["name"] for d in described], names)
        self.assertTrue(all(d["doc"] for d in described))

    def test_one(self):
        self.assertIn("derivative", self.text("ops", "erf"))
        self.assertEqual(json.loads(self.text("ops", "erf", "--json"))["name"], "erf")
        self.assertIn("did you mean 'sqrt'", self.error(1, "ops", "sqrtt"))


class Devices(CliTest):
    def test_names_the_processor(self):
        text = self.text("devices")
        self.assertRegex(text, r"(?m)^cpu: .+\n  threads: \d+ of \d+ CPUs$")
        self.assertRegex(text, r"(?m)^code generators: .*\bllvm\b")


if __name__ == "__main__":
    unittest.main()
