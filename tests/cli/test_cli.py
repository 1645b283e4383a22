"""The frit command from the outside: help, wrong usage, explain, ops and devices.

FRIT_CLI names the program, FRIT_GRAPHS the folder of example graphs. Needs Python's standard library alone.
"""
import json
import os

from cli_case import GRAPHS, TWO, CliTest, main

COMMANDS = ("opt", "compile", "run", "explain", "ops", "devices")


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
            ["compile", graph, "--target=gpu"], ["run", graph, "--device=tpu"], ["run", graph, "--random=x"],
            ["run", graph, "--repeat=0"], ["run", graph, "--random", 1, "--set", "n"], ["run", graph, "--random", 1, "--set", "n=x"],
            ["run", graph, "--random", 1, "--set", "n=-1"], ["run", graph, "--random", 1, "--set", "k=1"],
            ["run", graph, "--random", 1, "--set", "n=1", "--set", "m=99999999999999999999"],
            ["run", graph, "--input", "x"], ["run", graph, "--input", "y=file.npy"], ["explain"], ["ops", "exp", "erf"], ["devices", "x"],
        ):
            with self.subTest(arguments=arguments):
                error = self.error(2, *arguments)
                self.assertRegex(error, r"^error: .+\nnote: 'frit( \w+)? --help' \w")

    def test_device_of_the_environment(self):
        run = ["run", GRAPHS / "gelu.frit", "--random", 1, "--set", "n=2", "--set", "m=3"]
        absent = {**os.environ, "VK_ICD_FILENAMES": "/nowhere.json", "VK_DRIVER_FILES": "/nowhere.json"}
        for device in ("gpu", "vulkan"):
            self.assertIn("no driver", self.error(1, *run, env={**absent, "FRIT_DEVICE": device}))
        refused = self.error(2, *run, env={**os.environ, "FRIT_DEVICE": "nowhere"})
        self.assertIn("FRIT_DEVICE: nowhere not in", refused)
        self.assertNotIn("--device", refused)
        self.assertIn("--device: nowhere not in", self.error(2, *run, "--device=nowhere", env={**os.environ, "FRIT_DEVICE": "cpu"}))
        self.text(*run, "--device=cpu", env={**absent, "FRIT_DEVICE": "gpu"})

    def test_names_the_unknown_command(self):
        self.assertIn("'optt'", self.error(2, "optt", "file"))

    def test_missing_file(self):
        for command in ("opt", "compile", "run", "explain"):
            self.assertIn("nowhere.frit", self.error(1, command, self.path("nowhere.frit")))
            self.assertIn("folder", self.error(1, command, self.folder))

    def test_compiled_code_is_no_graph(self):
        for ending in ("so", "o"):
            code = self.path("gelu." + ending)
            self.text("compile", GRAPHS / "gelu.frit", "-o", code)
            for command in ("opt", "compile", "run", "explain", "verify"):
                error = self.error(1, command, code)
                self.assertIn("is machine code, which keeps no graph", error)
                self.assertIn(".fritpkg", error)


class Explain(CliTest):
    def test_every_example(self):
        for graph in sorted(GRAPHS.glob("*.frit")):
            text = self.text("explain", graph)
            self.assertTrue(text.startswith(f"func @{graph.stem}("))
            self.assertRegex(text, r"(?m)^\d+ ops, \d+ steps?:$")
            self.assertRegex(text, r"(?m)^buffers: inputs .*, outputs .*, workspace ")
            self.assertEqual(text, self.text("explain", "-", stdin=graph.read_text()))

    def test_a_step_says_what_lives_into_its_backward_pass(self):
        graph = GRAPHS / "gelu.frit"
        derivative = self.text("opt", graph, "--transform=vjp", "--pipeline=none")
        self.assertIn("// loc backward", derivative)
        # The marks are in the text, whatever the cotangent is called.
        step = """
func @step(%x: f32[64, 32], %w: f32[32, 64], %v: f32[64, 16], %u: f32[16, 64]) -> (f32[], f32[32, 64]) {
  %0: f32[64, 64] = matmul %x, %w
  %1: f32[64, 64] = exp %0  // loc "step.py":3
  %2: f32[64, 16] = matmul %1, %v
  %3: f32[64, 16] = square %2
  %4: f32[] = sum %3 {axes=[0, 1]}
  %5: f32[64, 16] = add %2, %2  // loc backward
  %6: f32[64, 64] = matmul %5, %u  // loc backward
  %7: f32[64, 64] = multiply %6, %1  // loc "step.py":3 backward
  %8: f32[32, 64] = transpose %x {axes=[1, 0]}
  %9: f32[32, 64] = matmul %8, %7  // loc backward
  return %4, %9
}
"""
        text = self.text("explain", "-", stdin=step)
        self.assertRegex(text, r"kept for the backward pass: 'exp' of type f32\[64, 64\], 16384 bytes, .* \(step.py:3\)")
        self.assertNotIn("kept for the backward pass", self.text("explain", "-", stdin=step.replace("backward", "")))

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
        head, *lines = self.text("ops").splitlines()
        self.assertEqual(head.split()[:2], ["operation", "kind"])
        names = [line.split()[0] for line in lines]
        self.assertEqual(len(names), len(set(names)))
        for name in ("add", "erf", "sum", "matmul", "reshape"):
            self.assertIn(name, names)
        described = json.loads(self.text("ops", "--json"))
        self.assertEqual([d["name"] for d in described], names)
        self.assertTrue(all(d["doc"] for d in described))
        # Each line has the first sentence of the text, whole.
        meanings = {line.split()[0]: line for line in lines}
        self.assertTrue(meanings["exp"].endswith(" " + next(d["doc"] for d in described if d["name"] == "exp").rstrip(".")))
        self.assertIn("start, start + step, ...: element i", meanings["arange"])
        self.assertTrue(meanings["matmul"].endswith("for each position of the equal leading axes"))

    def test_targets(self):
        described = {d["name"]: d["targets"] for d in json.loads(self.text("ops", "--json"))}
        alone = next(target for target in described["exp"] if "shared" in target)
        self.assertEqual([described["exp"][t] for t in ("cpu", "vulkan", alone)], ["kernel"] * 3)
        self.assertEqual([described["matmul"][t] for t in ("cpu", "vulkan", alone)], ["library", "kernel", "kernel"])
        self.assertEqual([described["sort"][t] for t in ("cpu", "vulkan", alone)], ["library", "kernel", "kernel"])
        self.assertEqual([described["all_sum"][t] for t in ("cpu", "vulkan", alone)], ["library", "cpu", "-"])
        self.assertIn(f"  {alone}: -\n", self.text("ops", "all_sum"))
        # The table speaks the truth about code without a runtime.
        graph = self.write("sum.frit", "func @f(%x: f32[4]) -> f32[4] {\n  %0: f32[4] = all_sum %x\n  return %0\n}\n")
        self.assertIn("op 'all_sum' cannot be had in code without a runtime", self.error(1, "compile", graph, "--emit=c", "-o", "-"))

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
    main()
