"""frit opt, and graph files that are damaged, from the outside.

FRIT_CLI names the program, FRIT_GRAPHS the folder of example graphs. Needs Python's standard library alone.
"""
import json
import os
import subprocess

from cli_case import ADD, FRIT, GRAPHS, TWO, CliTest, main


class Opt(CliTest):
    def test_every_example_in_every_form(self):
        for graph in sorted(GRAPHS.glob("*.frit")):
            for pipeline in ("default", "none", "expand_composites,canonicalize,constant_fold,cse,dce,fuse"):
                with self.subTest(graph=graph.name, pipeline=pipeline):
                    text = self.text("opt", graph, "--verify-each", f"--pipeline={pipeline}")
                    self.assertEqual(text, self.text("opt", graph, f"--pipeline={pipeline}"))
            with self.subTest(graph=graph.name):
                json.loads(self.text("opt", graph, "--emit=json"))
                self.assertTrue(self.text("opt", graph, "--emit=dot").startswith("digraph"))
                self.assertIn("kernel", self.text("opt", graph, "--emit=kernels"))

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

    def test_transforms_of_every_example(self):
        for graph in sorted(GRAPHS.glob("*.frit")):
            for transforms in (["vjp"], ["jvp"], ["vmap"], ["vjp", "vmap"], ["vmap", "vjp"], ["vmap=:1", "vmap"]):
                options = [f"--transform={t}" for t in transforms]
                with self.subTest(graph=graph.name, transforms=transforms):
                    text = self.text("opt", graph, "--verify-each", *options)
                    self.assertTrue(text.startswith("func @"))
                    self.assertEqual(text, self.text("opt", "-", "--pipeline=none", stdin=text))
            lowered = self.text("opt", graph, "--transform=vmap", "--pipeline=default", "--emit=kernels")
            self.assertIn("kernel", lowered)

    def test_transforms_with_arguments(self):
        self.assertIn("%cotangent0: f32[n, 3]) -> (f32[n, 3], f32[n, 3])", self.text("opt", "-", "--transform=vjp=1", stdin=ADD))
        self.assertIn("%tangent0: f32[n, 3]) -> (f32[n, 3], f32[n, 3])", self.text("opt", "-", "--transform=jvp=0", stdin=ADD))
        self.assertIn(
            "func @add(%x: f32[n, 3, batch], %y: f32[n, 3]) -> f32[n, batch, 3]",
            self.text("opt", "-", "--transform=vmap=2,-1:1", stdin=ADD),
        )
        self.assertIn("%x: f32[8, n, 3]", self.text("opt", "-", "--transform=vmap=::8", stdin=ADD))
        self.assertIn("%x: f32[size, n, 3]", self.text("opt", "-", "--transform=vmap=::size", stdin=ADD))

    def test_transforms_that_do_not_fit(self):
        for spec, message in (
            ("grad", "transform 'grad': there is no such transform"),
            ("vjp=2", "transform 'vjp': there is no argument 2 among 2"),
            ("vjp=0,0", "transform 'vjp': argument 0 is given twice"),
            ("jvp=x", "transform 'jvp': 'x' is not the number of an argument"),
            ("vmap=0", "transform 'vmap': there are 1 batch axes for 2 arguments"),
            ("vmap=3,-1", "transform 'vmap': batch axis 3 is out of range for argument 0, which is f32[n, 3] at one position"),
            ("vmap=-1,-1", "transform 'vmap': no argument has a batch axis"),
            ("vmap=0,0:-1", "transform 'vmap': result 0, which is f32[n, 3] at one position, differs between positions"),
            ("vmap=::-3", "transform 'vmap': '-3' is not a size"),
            ("vmap=:::", "has more than axes of arguments, axes of results, and a size"),
        ):
            with self.subTest(spec=spec):
                error = self.error(1, "opt", "-", f"--transform={spec}", stdin=ADD)
                self.assertIn(message, error)
                self.assertIn("note: ", error)

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
        for data in (b"\x00", b"\xff\xfe\x00", b"func @\xff", bytes(range(256))):
            with self.subTest(data=data[:8]):
                self.assertRegex(self.error(1, "opt", "-", stdin=data), r"^<stdin>:\d+:\d+: error: ")
        self.assertIn("'<stdin>' is machine code", self.error(1, "opt", "-", stdin=b"\x7fELF\x02\x01\x01"))

    def test_type_errors_name_both_types(self):
        error = self.error(1, "opt", "-", stdin=ADD.replace("%y: f32[n, 3]", "%y: f16[n, 3]"))
        self.assertIn("add", error)
        self.assertIn("f32[n, 3]", error)
        self.assertIn("f16[n, 3]", error)


if __name__ == "__main__":
    main()
