"""The tools for wrong results and for reading graphs: reduce, bisect, diff, completion and the manual page."""
import pathlib
import subprocess

import cli_case
from cli_case import ADD, GRAPHS, CliTest, TWO


class Reduce(CliTest):
    def test_check(self):
        out = self.path("small.frit")
        self.frit("reduce", GRAPHS / "attention.frit", "--check", "! grep -q softmax {}", "-o", out)
        text = pathlib.Path(out).read_text()
        self.assertIn("softmax", text)
        self.assertIn("1 of 7 ops", text)
        self.assertNotIn("matmul", text)
        self.assertNotIn("[h, n", text, "symbols became numbers")
        # The file is a graph again.
        self.text("opt", out)

    def test_commands_that_cannot_tell(self):
        self.assertIn("does not fail on", self.error(1, "reduce", GRAPHS / "gelu.frit", "--check", "true"))
        self.assertIn("fails on a function without ops", self.error(1, "reduce", GRAPHS / "gelu.frit", "--check", "false"))
        self.error(1, "reduce", GRAPHS / "gelu.frit", "--check", "/no/such/program")
        self.error(2, "reduce", GRAPHS / "gelu.frit")
        self.assertEqual(self.files(), [])

    def test_right_code(self):
        graph = GRAPHS / "layer_norm.frit"
        self.assertIn("do not differ", self.error(1, "reduce", graph, "--against=interpreter", "--set", "n=3"))
        self.assertIn("do not differ", self.error(1, "reduce", graph, "--against=eager", "--set", "n=3"))

    def test_bisect(self):
        self.assertIn("no pass changes", self.error(1, "bisect", GRAPHS / "layer_norm.frit", "--set", "n=3"))
        # A bound that rounding itself breaks: the first pass that rounds otherwise is named.
        said = self.text("bisect", GRAPHS / "layer_norm.frit", "--set", "n=3", "--max-ulp", "0")
        self.assertRegex(said, r"^pass [a-z_]+ \(\d+\) changes results, by ")


class Read(CliTest):
    def test_diff(self):
        a, b = self.write("a.frit", ADD), self.write("b.frit", ADD.replace("add %x, %y", "multiply %x, %y"))
        self.assertEqual(self.text("diff", a, a), "equal\n")
        said = self.text("diff", a, b)
        self.assertIn("removed %0 = add -> f32[n, 3]", said)
        self.assertIn("added %0 = multiply -> f32[n, 3]", said)
        swapped = self.text("diff", a, self.write("c.frit", ADD.replace("add %x, %y", "add %y, %x")))
        self.assertIn("reads %y as operand 0", swapped)
        self.assertIn("@second is only in the first file", self.text("diff", self.write("two.frit", TWO), a))
        self.error(1, "diff", a, self.path("absent.frit"))

    def test_completion(self):
        script = self.text("completion", "bash")
        run = script + "\nCOMP_WORDS=(frit rep); COMP_CWORD=1; _frit; echo \"${COMPREPLY[@]}\"\n" \
                       "COMP_WORDS=(frit report --js); COMP_CWORD=2; _frit; echo \"${COMPREPLY[@]}\"\n"
        self.assertEqual(subprocess.run(["bash"], input=run, capture_output=True, text=True).stdout, "report\n--json\n")
        self.assertIn("#compdef frit", self.text("completion", "zsh"))
        self.assertIn("-l json", self.text("completion", "fish"))
        self.error(2, "completion", "csh")

    def test_manual(self):
        page = self.text("man")
        self.assertTrue(page.startswith(".TH FRIT 1"))
        for command in ("report", "reduce", "bisect", "diff", "profile"):
            self.assertIn(f".SS {command}\n", page)

    def test_nearest_name(self):
        path = self.write("x.frit", ADD.replace("%x: f32", "%weight: f32").replace("add %x", "add %wieght"))
        self.assertIn("did you mean", self.error(1, "opt", path))


if __name__ == "__main__":
    cli_case.main()
