"""The page of `frit report` in headless Chromium: every panel opens, nothing is written to the console, no text lies on
another, at widths from 400 to 2,000 pixels, light and dark. FRIT_BLESS=1 writes the pictures of docs/report.md.

The page drives itself: a probe that is added behind its script opens the panels and reports in the document, which
Chromium prints (--dump-dom).
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from cli_case import LOOP

FRIT = os.environ["FRIT_CLI"]
GRAPHS = pathlib.Path(os.environ["FRIT_GRAPHS"])
PICTURES = pathlib.Path(os.environ["FRIT_PICTURES"])
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

PROBE = r"""<script>
"use strict";
const said = [];
window.addEventListener("error", (e) => said.push("error: " + e.message));
for (const level of ["error", "warn"]) { const old = console[level]; console[level] = (...t) => { said.push(level + ": " + t.join(" ")); old(...t); }; }
</script>"""
AFTER = r"""<script>
"use strict";
// Rectangles of the visible lines of text, clipped by the boxes that scroll or hide them.
function texts(root) {
  const list = [];
  const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode;
    if (!node.data.trim() || node.parentElement.closest("option, title, script, style")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const r of range.getClientRects()) {
      let box = { l: r.left, t: r.top, r: r.right, b: r.bottom };
      for (let e = node.parentElement; e; e = e.parentElement) {
        const style = getComputedStyle(e);
        if (style.overflowX === "visible" && style.overflowY === "visible") continue;
        const c = e.getBoundingClientRect();
        box = { l: Math.max(box.l, c.left), t: Math.max(box.t, c.top), r: Math.min(box.r, c.right), b: Math.min(box.b, c.bottom) };
      }
      if (box.r - box.l > 1 && box.b - box.t > 1) list.push({ ...box, text: node.data.trim().slice(0, 40), node });
    }
  }
  return list;
}
function overlaps(root) {
  const found = [], all = texts(root);
  for (let i = 0; i < all.length; i++) for (let j = 0; j < i; j++) {
    const a = all[i], b = all[j];
    const w = Math.min(a.r, b.r) - Math.max(a.l, b.l), h = Math.min(a.b, b.b) - Math.max(a.t, b.t);
    // Line boxes of neighbouring lines may touch by their leading.
    if (a.node !== b.node && w > 2 && h > Math.min(a.b - a.t, b.b - b.t) * 0.4) found.push(a.text + " | " + b.text);
  }
  return found;
}
(async () => {
  const result = { panels: {}, said, wide: [] };
  const wait = () => new Promise((r) => setTimeout(r, 60));
  for (const id of ["overview", "graph", "passes", "kernels"]) {
    byId("tab-" + id).click();
    await wait();
    const panel = byId(id);
    result.panels[id] = { hidden: panel.hidden, text: panel.innerText.length, nodes: panel.querySelectorAll("*").length, overlaps: overlaps(document.body).slice(0, 5) };
    if (document.documentElement.scrollWidth > innerWidth + 1) result.wide.push(id);
  }
  byId("tab-graph").click();
  await wait();
  const search = document.querySelector("#graph input");
  search.value = doc.ops.length ? doc.ops[0].name : "";
  search.dispatchEvent(new Event("input"));
  nextFound();
  await wait();
  result.found = byId("found").textContent;
  result.details = byId("details").innerText;
  const edge = doc.edges.findIndex((e) => e.why);
  if (edge >= 0) { chooseEdge(edge); result.why = byId("why").innerText; }
  byId("tab-kernels").click();
  await wait();
  const line = [...document.querySelectorAll("#kernels .column")].find((c) => c.querySelector("h3").textContent.startsWith("kernel IR"));
  if (line) {
    const rows = [...line.querySelectorAll(".line")], store = rows.find((r) => r.textContent.includes("store"));
    store.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
    result.lit = [...document.querySelectorAll("#kernels .column")].map((c) => [c.querySelector("h3").textContent.trim(), c.querySelectorAll(".lit").length]);
  }
  result.hot = [...document.querySelectorAll("#kernels .column")].map((c) => [c.querySelector("h3").textContent.trim(), c.querySelectorAll(".hotline").length]);
  result.hotFrom = byId("hot") ? byId("hot").innerText : "";
  result.table = [...document.querySelectorAll("#kernel-table tbody tr")].map((r) => [...r.children].map((c) => c.innerText));
  byId("tab-kernels").dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
  result.wrapped = !byId("overview").hidden && document.activeElement === byId("tab-overview");
  const range = document.querySelector("#passes input[type=range]");
  range.value = range.max;
  range.dispatchEvent(new Event("input"));
  result.last = document.querySelector("#passes .slider b").textContent;
  const out = document.createElement("pre");
  out.id = "result";
  out.textContent = JSON.stringify(result);
  document.body.append(out);
})();
</script>"""

SPEED = r"""<script>
"use strict";
// Milliseconds by the real clock: everything happens at once, and layout is forced.
const times = { open: performance.now() };
function timed(name, work) { const begin = performance.now(); work(); document.body.offsetHeight; times[name] = performance.now() - begin; }
for (const id of ["graph", "passes", "kernels"]) timed(id, () => byId("tab-" + id).click());
byId("tab-graph").click();
timed("whole", () => { fit(); drawNow(); });
const wholeNodes = view.scene.querySelectorAll("*").length;
timed("readable", () => { readable(); drawNow(); });
const readNodes = view.scene.querySelectorAll("*").length;
timed("search", () => { find("exp"); drawNow(); });
timed("op", () => { goToOp(doc.ops.length >> 1); drawNow(); });
byId("tab-passes").click();
const slider = document.querySelector("#passes input[type=range]");
for (let i = 1; i <= +slider.max; i++) timed("pass " + doc.passes[i].name, () => { slider.value = i; slider.dispatchEvent(new Event("input")); });
const out = document.createElement("pre");
out.id = "result";
out.textContent = JSON.stringify({ times, wholeNodes, readNodes, ops: doc.ops.length });
document.body.append(out);
</script>"""

DIFFERENCES = r"""<script>
"use strict";
// The lines on the left that a pass changes.
const changed = (a, b) => difference(a, b).filter((r) => !r[2] && r[0] !== null).map((r) => r[0]);
const rows = {}, at = (name) => doc.passes.findIndex((p) => p.name === name);
rows.dce = doc.passes.slice(1).flatMap((p, i) => p.kernels === undefined && p.name !== "fuse" ? changed(textOf(doc.passes[i]), textOf(p)) : []);
rows.same = changed(["  %0: f32[3] = exp %x", "  %1: f32[3] = add %0, %x"], ["  %4: f32[3] = exp %x", "  %5: f32[3] = add %4, %x"]);
rows.operand = changed(["  %0: f32[3] = exp %x", "  %1: f32[3] = add %0, %x"], ["  %0: f32[3] = exp %x", "  %1: f32[3] = neg %0", "  %2: f32[3] = add %1, %x"]);
const out = document.createElement("pre");
out.id = "result";
out.textContent = JSON.stringify(rows);
document.body.append(out);
</script>"""


def chromium(*arguments, virtual_time=True):
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run([CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                               f"--user-data-dir={profile}", *(["--virtual-time-budget=20000"] if virtual_time else []), *map(str, arguments)],
                              capture_output=True, timeout=240)
    return done.stdout.decode(errors="replace")


def large_graph(count):
    """A function of `count` ops in hundreds of groups."""
    lines = [f"func @large(%x: f32[64, 64]) -> f32[64, 64] {{"]
    for i in range(count):
        operand = f"%{i - 1}" if i else "%x"
        op, attributes = ("transpose", " {axes=[1, 0]}") if i % 10 == 9 else (("exp", "tanh", "sin")[i % 3], "")
        lines.append(f"  %{i}: f32[64, 64] = {op} {operand}{attributes}")
    return "\n".join(lines) + f"\n  return %{count - 1}\n}}\n"


class Page(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.probes = {}
        cls.folder = pathlib.Path(cls.holder.name)
        for name in ("attention", "layer_norm"):
            subprocess.run([FRIT, "report", GRAPHS / f"{name}.frit", "-o", cls.folder / f"{name}.html", "--set", "n=128",
                            *(["--set", "h=8"] if name == "attention" else [])], check=True, capture_output=True, timeout=300)
        (cls.folder / "loop.frit").write_text(LOOP)
        subprocess.run([FRIT, "report", cls.folder / "loop.frit", "-o", cls.folder / "loop.html"], check=True, capture_output=True, timeout=300)
        subprocess.run([os.environ["FRIT_REPORTED"], cls.folder / "train_step.html", cls.folder / "three_shapes.html"],
                       check=True, capture_output=True, timeout=300)
        subprocess.run([FRIT, "report", GRAPHS / "gelu.frit", "--cpu", "no-such-cpu", "-o", cls.folder / "failed.html"],
                       capture_output=True, timeout=300)

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def result(self, name, dom):
        found = re.search(r'<pre id="result">(.*?)</pre>', dom, re.S)
        self.assertTrue(found, f"the probe of {name} did not end: {dom[:400]}")
        return json.loads(found.group(1).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))

    def probe(self, name, width, dark=False):
        """The answers of the page's probe; a browser starts once for each page and width."""
        key = (name, width, dark)
        if key not in self.probes:
            self.probes[key] = self.fresh_probe(*key)
        return self.probes[key]

    def fresh_probe(self, name, width, dark):
        page = (self.folder / f"{name}.html").read_text()
        page = page.replace('<script type="application/json"', PROBE + '<script type="application/json"', 1).replace("</body>", AFTER + "</body>")
        path = self.folder / f"{name}.probe.html"
        path.write_text(page)
        scheme = ["--blink-settings=preferredColorScheme=0"] if dark else []
        dom = chromium(f"--window-size={width},1000", *scheme, "--dump-dom", f"file://{path}")
        return self.result(name, dom)

    def test_five_thousand_ops(self):
        graph = self.folder / "large.frit"
        graph.write_text(large_graph(5000))
        page = self.folder / "large.html"
        subprocess.run([FRIT, "report", graph, "--no-run", "-o", page], check=True, capture_output=True, timeout=300)
        page.write_text(page.read_text().replace("</body>", SPEED + "</body>"))
        r = self.result("large", chromium("--window-size=1200,900", "--dump-dom", f"file://{page}", virtual_time=False))
        print("5,000 ops, milliseconds:", {name: round(ms) for name, ms in r["times"].items()})
        self.assertEqual(r["ops"], 5000)
        # From afar groups alone are drawn, and nearby what is in sight alone.
        self.assertTrue(0 < r["wholeNodes"] < 3000, r["wholeNodes"])
        self.assertTrue(0 < r["readNodes"] < 1500, r["readNodes"])
        # Twenty times what it takes on an idle machine.
        for name, ms in r["times"].items():
            self.assertLess(ms, 3000, name)

    def check(self, name, width, dark=False, whole=True):
        r = self.probe(name, width, dark)
        self.assertEqual(r["said"], [])
        self.assertEqual(r["wide"], [], f"panels of {name} are wider than {width} pixels")
        for panel, p in r["panels"].items():
            self.assertFalse(p["hidden"], panel)
            self.assertGreater(p["text"], 10, panel)
            self.assertEqual(p["overlaps"], [], f"{name}, {panel}, {width} pixels")
        self.assertTrue(r["wrapped"])
        if whole:
            self.assertIn("found", r["found"])
            self.assertIn("share_sizes", r["last"])
        return r

    def test_pages(self):
        for name, width, dark in (("attention", 400, True), ("attention", 1200, False), ("layer_norm", 2000, True),
                                  ("train_step", 1200, True), ("three_shapes", 800, False),
                                  ("loop", 700, False)):
            with self.subTest(page=name, width=width):
                r = self.check(name, width, dark)
                lit = dict(r["lit"])
                self.assertEqual(lit["kernel IR"], 1)
                self.assertGreaterEqual(lit["asm"], 1, lit)
                self.assertGreaterEqual(lit["graph ops"], 1, lit)

    def test_answers(self):
        """Why two groups are not one, what each step costs and reaches, and the hottest loop with its source line."""
        r = self.check("attention", 1200)
        self.assertIn("epilogue", r["why"])
        self.assertEqual(len(r["table"]), 3)
        for row in r["table"]:
            self.assertRegex(row[5], r"\dB|\d [kMG]?B")
            self.assertRegex(row[6], r"\d [kMG]?flop")
            # The steps of attention run together, some rows at a time, and the first one has their time.
            if row is not r["table"][0]:
                self.assertEqual(row[2], "with " + r["table"][0][0].split()[0])
            else:
                self.assertRegex(row[7], r"\d % of (arithmetic|memory)")
            self.assertIn("attention.frit:", row[0])
        for name, width, dark in (("attention", 1200, False), ("layer_norm", 2000, True), ("train_step", 1200, True)):
            r = self.probe(name, width, dark)
            hot = dict(r["hot"])
            self.assertGreaterEqual(hot["kernel IR"], 3, name)
            self.assertGreaterEqual(hot["asm"], 4, name)
            self.assertRegex(r["hotFrom"], r"from \S+:\d+", name)

    def test_differences(self):
        """A pass that takes a line away changes no line behind it."""
        graph = self.folder / "shifted.frit"
        lines = ["func @shifted(%x: f32[64]) -> f32[64] {", "  %0: f32[64] = exp %x", "  %1: f32[64] = tanh %x"]
        lines += [f"  %{i}: f32[64] = {('sin', 'cos')[i % 2]} %{i - 1}" for i in range(2, 20)]
        graph.write_text("\n".join(lines) + "\n  return %19\n}\n")
        page = self.folder / "shifted.html"
        subprocess.run([FRIT, "report", graph, "--no-run", "-o", page], check=True, capture_output=True, timeout=300)
        page.write_text(page.read_text().replace("</body>", DIFFERENCES + "</body>"))
        rows = self.result("shifted", chromium("--window-size=1200,900", "--dump-dom", f"file://{page}", virtual_time=False))
        self.assertEqual(rows["dce"], ["  %0: f32[64] = exp %x"])
        self.assertEqual(rows["same"], [])
        self.assertEqual(rows["operand"], ["  %1: f32[3] = add %0, %x"])

    def test_failed(self):
        self.check("failed", 1000, whole=False)

    def test_pictures(self):
        bless = os.environ.get("FRIT_BLESS") == "1"
        where = PICTURES if bless else self.folder
        where.mkdir(exist_ok=True)
        for name, panel, width, height, dark in (("attention", "overview", 1200, 900, False), ("attention", "graph", 1200, 800, False),
                                                 ("train_step", "graph", 1200, 800, True), ("attention", "passes", 1200, 700, False),
                                                 ("layer_norm", "kernels", 1600, 900, False), ("layer_norm", "overview", 400, 900, True)):
            # The probes above see every page; here a bright and a dark picture show that an address opens a panel.
            if not bless and (name, panel) not in (("attention", "graph"), ("layer_norm", "overview")):
                continue
            out = where / f"report_{name}_{panel}{'_dark' if dark else ''}.png"
            scheme = ["--blink-settings=preferredColorScheme=0"] if dark else []
            chromium(f"--window-size={width},{height}", *scheme, f"--screenshot={out}", f"file://{self.folder / (name + '.html')}#panel={panel}")
            self.assertGreater(out.stat().st_size, 5000, out.name)


if __name__ == "__main__":
    if not CHROMIUM:
        print("skipped: no chromium; scripts/setup.sh installs it")
        sys.exit(77)
    if subprocess.run([CHROMIUM, "--version"], capture_output=True).returncode:
        print("skipped: chromium does not start here")
        sys.exit(77)
    unittest.main()
