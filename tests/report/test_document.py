"""The JSON document of `frit report`: its members and what they say about each other, and what happens with bad input."""
import json
import os
import pathlib
import re
import subprocess
import time

import cli_case
from cli_case import CliTest, GRAPHS, LOOP

REPORTED = os.environ["FRIT_REPORTED"]

CHAIN = "func @chain(%%x0: f32[64, 64]) -> f32[64, 64] {\n%s  return %%%d\n}\n"
BROKEN = """func @broken(%x: f32[8]) -> f32[8] {
  %0: f32[8] = expp %x
  return %0
}
"""


def check(test, doc):
    """The promises of docs/report.md about a whole document."""
    test.assertEqual(doc["schema"], "frit-report")
    test.assertEqual(doc["version"], 1)
    boxes, ops = doc["boxes"], doc["ops"]
    for i, op in enumerate(ops):
        test.assertEqual(i in boxes[op["box"]]["ops"], "around" not in op)
        for f in op["from"]:
            test.assertTrue(-len(doc["parameters"]) <= f < i, op)
        test.assertIn(op["name"], doc["docs"])
        test.assertIn(op["name"], op["text"])
    for edge in doc["edges"]:
        groups = boxes[edge["from"]]["kind"] == boxes[edge["to"]]["kind"] == "group"
        test.assertTrue(edge["values"])
        if groups:
            test.assertTrue(edge["why"], f"an edge between groups has no reason: {edge}")
    # Boxes do not lie on each other.
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            (x, y, w, h), (u, v, p, q) = a["at"], b["at"]
            test.assertFalse(x < u + p and u < x + w and y < v + q and v < y + h, (a, b))
    lines = len(doc["lines"])
    for p in doc["passes"]:
        for first, count in p["text"]:
            test.assertTrue(0 <= first and first + count <= lines)
    kernels = {k["name"]: k for k in doc["kernels"]}
    for step in doc["steps"]:
        test.assertTrue(step.get("kernel") in kernels or step["routine"])
        test.assertTrue(step["boxes"])
    for k in doc["kernels"]:
        test.assertEqual(len(k["ir"]), len(k["ir_ops"]))
        test.assertTrue(all(-1 <= o < len(ops) for o in k["ir_ops"]))
        test.assertTrue(any(o >= 0 for o in k["ir_ops"]), "a kernel's lines lead to ops")
        for code in k["code"]:
            if "from" in code:
                test.assertEqual(len(code["from"]), len(code["lines"]))
                test.assertTrue(all(0 <= f <= len(k["ir"]) for f in code["from"]))
    for b in doc["buffers"]:
        test.assertLessEqual(b["first"], b["last"])


class Document(CliTest):
    def test_examples(self):
        for graph in sorted(GRAPHS.glob("*.frit")):
            with self.subTest(graph=graph.name):
                doc = json.loads(self.text("report", graph, "--json", "--random", 3))
                check(self, doc)
                self.assertEqual(doc["status"], "complete")
                self.assertGreater(doc["run_ms"], 0)
                self.assertTrue(all("with" in s or s["ms"] >= 0 for s in doc["steps"]))
                self.assertGreater(doc["machine"]["bytes_per_second"], 1e8)

    def test_lines_lead_to_code(self):
        doc = json.loads(self.text("report", GRAPHS / "layer_norm.frit", "--json"))
        (kernel,) = doc["kernels"]
        asm = next(c for c in kernel["code"] if c["form"] == "asm")
        store = next(i + 1 for i, line in enumerate(kernel["ir"]) if "store" in line)
        self.assertIn(store, asm["from"])
        self.assertIn("spills", asm)
        self.assertGreater(asm["ms"], 0)
        self.assertLessEqual({"passes", "machine code", "load"}, {s["name"] for s in doc["stages"]})
        at = [doc["ops"][o].get("at", "") for o in kernel["ir_ops"] if o >= 0]
        self.assertTrue(any("layer_norm.frit:" in a for a in at))
        source = doc["sources"][next(iter(doc["sources"]))]
        self.assertTrue(any("rsqrt" in text for text in source.values()))

    def test_control_flow(self):
        path = self.write("loop.frit", LOOP)
        doc = json.loads(self.text("report", path, "--json"))
        self.assertEqual(doc["status"], "complete")
        self.assertEqual([o["name"] for o in doc["ops"] if "around" not in o], ["scan", "cond", "exp"])
        for op in doc["ops"]:
            self.assertIn(f" = {op['name']} ", op["text"])
        # The ops of the regions stand inside of their op, and lead to their own lines.
        scan = doc["ops"][0]
        self.assertEqual([r["name"] for r in scan["regions"]], ["body"])
        inner = [o for o in doc["ops"] if o.get("around") == 0]
        self.assertIn("tanh", [o["name"] for o in inner])
        for op in inner:
            self.assertEqual(op["box"], scan["box"])
            self.assertGreater(op["x"], scan["x"])
            self.assertGreater(op["y"], scan["y"])
            self.assertLess(op["x"] + 132, scan["x"] + scan["size"][0])
            self.assertLess(op["y"] + 30, scan["y"] + scan["size"][1])
            self.assertIn("loop.frit:", op["at"])
        cond = doc["ops"][1]
        self.assertEqual([r["name"] for r in cond["regions"]], ["else", "then"])
        body = next(s for s in doc["steps"] if "body" in s.get("kernel", ""))
        self.assertEqual(body["launches"], 20)
        self.assertEqual(next(s for s in doc["steps"] if s.get("routine") == "matmul")["launches"], 20)
        self.assertIn("repeat", next(s["control"] for s in doc["steps"] if "control" in s))
        # Lines of the loop's kernel lead to the loop, and to the lines inside of it.
        kernel = next(k for k in doc["kernels"] if k["name"] == body["kernel"])
        self.assertEqual({o for o in kernel["ir_ops"] if o >= 0}, {0})
        line = 1 + next(i for i, text in enumerate(LOOP.splitlines()) if "tanh" in text)
        self.assertTrue(any(at.endswith(f"loop.frit:{line}") for at in kernel["at"]), kernel["at"])
        self.assertIn("tanh", doc["sources"][path][str(line)])

    def test_reasons(self):
        doc = json.loads(self.text("report", GRAPHS / "attention.frit", "--json"))
        why = " ".join(e.get("why") or "" for e in doc["edges"])
        self.assertIn("epilogue", why)
        self.assertIn("reads its operands from memory", why)

    def test_failed_compilation_is_shown(self):
        path = self.write("broken.frit", BROKEN)
        self.assertIn("unknown op 'expp'; did you mean", self.error(1, "report", path, "-o", self.path("x.html")))
        self.assertEqual(self.files(), ["broken.frit"])
        # A graph that reads and does not compile: a target that is not there.
        out = self.path("page.html")
        error = self.error(1, "report", GRAPHS / "gelu.frit", "--cpu", "no-such-cpu", "-o", out)
        self.assertIn("no-such-cpu", error)
        page = pathlib.Path(out).read_text()
        self.assertIn('"status":"failed"', page)
        self.assertIn("no-such-cpu", page)

    def test_bad_arguments(self):
        error = self.error(1, "report", GRAPHS / "gelu.frit", "-o", self.path("none/x.html"))
        self.assertIn("none/x.html", error)
        self.assertEqual(self.files(), [])
        self.error(2, "report", GRAPHS / "gelu.frit", "--random", "-1")
        self.error(1, "report", self.path("absent.frit"))

    def page_has_the_document(self, page, doc):
        held = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL).group(1))
        self.assertEqual(list(held), list(doc))
        self.assertEqual(held["lines"][:len(doc["lines"])], doc["lines"])
        self.assertEqual([k["name"] for k in held["kernels"]], [k["name"] for k in doc["kernels"]])
        for kernel, whole in zip(held["kernels"], doc["kernels"]):
            runs = [held["lines"][first:first + count] for first, count in kernel["ir"]]
            self.assertEqual([line for run in runs for line in run], ["  " + line for line in whole["ir"]])

    def test_thousand_ops(self):
        names = ["exp", "tanh", "sum"]
        text, last = "", "x0"
        for i in range(1000):
            kind = names[i % 3]
            if i % 10 == 9:
                text += f"  %{i}: f32[64, 64] = transpose %{last} {{axes=[1, 0]}}\n"
            else:
                text += f"  %{i}: f32[64, 64] = {'sin' if kind == 'sum' else kind} %{last}\n"
            last = i
        path = self.write("chain.frit", CHAIN % (text, 999))
        out = self.path("page.html")
        begin = time.monotonic()
        self.frit("report", path, "-o", out, "--runs", 1)
        seconds = time.monotonic() - begin
        size = os.path.getsize(out)
        print(f"1,000 ops: {seconds:.2f} s, {size} bytes")
        self.assertLess(size, 2_000_000)
        page = pathlib.Path(out).read_text()
        self.page_has_the_document(page, json.loads(self.text("report", path, "--runs", 1, "--json")))
        for other in ("http://", "https://", "<link", "src="):
            self.assertNotIn(other, page.replace("http://www.w3.org/2000/svg", ""))


class Programs(CliTest):
    def run_program(self, *arguments, **variables):
        done = subprocess.run([REPORTED, *arguments], env={**os.environ, **variables}, capture_output=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stderr.decode()

    def test_on_request(self):
        self.run_program(self.path("step.json"), self.path("three.json"))
        doc = json.loads(pathlib.Path(self.path("step.json")).read_text())
        check(self, doc)
        self.assertEqual(doc["function"], "train_step")
        self.assertEqual(doc["history"]["counters"]["traces"], 1)
        three = json.loads(pathlib.Path(self.path("three.json")).read_text())
        self.assertEqual(three["history"]["counters"]["traces"], 3)
        self.assertEqual(len(three["history"]["misses"]), 2)
        self.assertIn("compile with shapeless, or declare axis 0 of 'x' open", three["history"]["misses"][0])
        # Routines have costs; those with an epilogue more than alone.
        products = [s for s in doc["steps"] if s.get("routine") == "matmul"]
        self.assertTrue(products)
        for s in products:
            self.assertGreater(s["flops"], 2)
            self.assertGreater(s["bytes"], 4)
            self.assertEqual(len(s["types"]), 2)

    def test_at_exit(self):
        folder = self.path("reports")
        self.run_program(FRIT_REPORT=folder)
        self.assertEqual(self.files(), ["reports", "reports/index.html", "reports/three_shapes.html", "reports/train_step.html"])
        index = pathlib.Path(folder, "index.html").read_text()
        self.assertIn('href="train_step.html"', index)
        self.assertIn("3 traces", index)

    def test_unwritable(self):
        self.write("file", "x")
        error = self.run_program(FRIT_REPORT=self.path("file/below"))
        self.assertIn("FRIT_REPORT: cannot make the folder", error)
        error = self.run_program(FRIT_PROFILE=self.path("none/trace.json"))
        self.assertIn("FRIT_PROFILE: cannot write", error)

    def test_profile(self):
        path = self.path("trace.json")
        self.run_program(FRIT_PROFILE=path)
        events = json.loads(pathlib.Path(path).read_text())
        kinds = {e.get("cat") for e in events}
        self.assertLessEqual({"kernel", "routine", "call", "pass", "compile", "trace", "memory", "source"}, kinds)
        table = self.text("profile", path)
        whole = pathlib.Path(path).read_text()
        self.assertIn("three_shapes", table)
        self.assertIn("matmul (routine)", table)
        self.assertIn("Gflop/s", table)
        sources = {e["name"]: e["args"] for e in events if e.get("cat") == "source"}
        self.assertGreater(sources["matmul"]["flops"], 0)
        self.assertIn("functions.cpp:", table)
        kernels = [e for e in events if e.get("cat") == "kernel"]
        self.assertGreaterEqual(len(kernels), 3)
        # A kernel that runs as a routine's epilogue has spans inside of the routine's.
        self.frit("run", GRAPHS / "attention.frit", "--random=1", "--set", "h=2", "--set", "n=64",
                  env={**os.environ, "FRIT_PROFILE": path})
        spans = [e for e in json.loads(pathlib.Path(path).read_text()) if e.get("ph") == "X"]
        epilogues = [e for e in spans if e["cat"] == "epilogue"]
        routines = [e for e in spans if e["cat"] == "routine"]
        self.assertTrue(epilogues)
        for e in epilogues:
            self.assertTrue(any(r["ts"] <= e["ts"] and e["ts"] + e["dur"] <= r["ts"] + r["dur"] + 0.01 for r in routines))
        # A file without its end is read with a note; a damaged one is refused.
        self.assertIn("has no end", self.frit("profile", self.write("cut.json", whole[: whole.rindex("\n]")]))[1])
        self.assertIn("damaged: line 3", self.error(1, "profile", self.write("bad.json", "[\n{},\n{]\n]\n")))
        self.error(1, "profile", self.write("other.json", "{}"))
        self.error(1, "profile", self.path("absent.json"))


if __name__ == "__main__":
    cli_case.main()
