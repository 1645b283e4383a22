"""Reports and profiles of a GPU: Mesa's software device, where it is installed."""
import json
import os
import pathlib
import subprocess
import sys

import cli_case
from cli_case import CliTest, FRIT, GRAPHS, LOOP

STEPS = """func @steps(%x: f32[32, 64], %y: f32[64, 32], %z: f32[32, 64]) -> f32[32, 64] {
  %0: f32[32, 32] = matmul %x, %y
  %1: f32[32, 32] = cumsum %0 {axis=1}
  %2: f32[32, 64] = matmul %1, %z
  return %2
}
"""


class Gpu(CliTest):
    def test_report(self):
        doc = json.loads(self.text("report", self.write("steps.frit", STEPS), "--device=vulkan", "--json"))
        self.assertEqual(len(doc["steps"]), 3)
        self.assertEqual(doc["status"], "complete")
        self.assertTrue(all(s["ms"] > 0 for s in doc["steps"]), doc["steps"])
        self.assertGreater(doc["run_ms"], 0)
        self.assertGreater(doc["machine"]["bytes_per_second"], 1e6)
        self.assertGreater(doc["machine"]["flops_per_second"], 1e6)
        self.assertIn("glsl", [c["form"] for k in doc["kernels"] for c in k["code"]])
        self.assertIn("spirv-asm", [c["form"] for k in doc["kernels"] for c in k["code"]])

    def test_attention(self):
        """Its products and its softmax are one routine."""
        doc = json.loads(self.text("report", GRAPHS / "attention.frit", "--device=vulkan", "--json", "--set", "h=2", "--set", "n=64"))
        (step,) = doc["steps"]
        self.assertGreater(step["ms"], 0)
        self.assertGreaterEqual(step["flops"], 4 * 2 * 64 * 64)

    def test_program(self):
        folder = self.path("reports")
        done = subprocess.run([os.environ["FRIT_REPORTED"]], env={**os.environ, "FRIT_DEVICE": "gpu", "FRIT_REPORT": folder},
                              capture_output=True, text=True, timeout=300)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        page = pathlib.Path(folder, "train_step.html").read_text()
        self.assertIn('"status":"complete"', page)
        self.assertIn('"form":"glsl"', page)
        self.assertIn('"run_ms":', page)

    def test_loop(self):
        doc = json.loads(self.text("report", self.write("loop.frit", LOOP), "--device=vulkan", "--json", "--runs", 2))
        launches = {s.get("kernel") or s.get("routine"): s.get("launches", 1) for s in doc["steps"] if "ms" in s}
        self.assertEqual(launches["matmul"], 20)
        self.assertEqual(launches["loop_0_scan_body_1_add_tanh_negative"], 20, launches)
        self.assertEqual(launches["loop_2_exp"], 1, launches)

    def test_profile(self):
        path = self.path("trace.json")
        self.frit("run", self.write("steps.frit", STEPS), "--random=1", "--device=vulkan", "--repeat=5",
                  env={**os.environ, "FRIT_PROFILE": path})
        events = json.loads(pathlib.Path(path).read_text())
        tracks = {e["tid"]: e["args"]["name"] for e in events if e.get("name") == "thread_name"}
        self.assertTrue(tracks and all(name.startswith("gpu queue ") for name in tracks.values()), tracks)
        there = sorted((e for e in events if e.get("tid") in tracks and e["ph"] == "X"), key=lambda e: e["ts"])
        # Each of the three steps has a span in each run, or several where it takes several launches; a queue runs one after
        # the other.
        for step in range(3):
            count = sum(e["args"]["step"] == step for e in there)
            self.assertTrue(count >= 5 and count % 5 == 0, count)
        for a, b in zip(there, there[1:]):
            self.assertLessEqual(a["ts"] + a["dur"], b["ts"] + 0.01)
        # None begins before the program called for it.
        calls = [e for e in events if e.get("cat") == "call"]
        self.assertGreaterEqual(there[0]["ts"], min(c["ts"] for c in calls))
        self.assertTrue(any(e.get("name") == "gpu memory" and e["args"]["bytes"] > 0 for e in events))
        self.assertIn("steps_1_", self.text("profile", path))
        self.frit("report", GRAPHS / "gelu.frit", "--device=vulkan", "-o", self.path("page.html"), env={**os.environ, "FRIT_PROFILE": path})
        self.assertRegex(self.text("profile", path), "gelu_.* from .*gelu.frit:")

    def test_reduce(self):
        path = GRAPHS / "gelu.frit"
        self.assertIn("on the gpu", self.error(1, "reduce", path, "--against=vulkan"))
        absent = {**os.environ, "VK_ICD_FILENAMES": "/nowhere.json", "VK_DRIVER_FILES": "/nowhere.json"}
        self.assertNotIn("do not differ", self.error(1, "reduce", path, "--against=vulkan", env=absent))


if __name__ == "__main__":
    done = subprocess.run([FRIT, "run", GRAPHS / "gelu.frit", "--random=1", "--device=vulkan"], capture_output=True, text=True)
    if done.returncode:
        print("skipped: " + done.stderr)
        sys.exit(77)
    cli_case.main()
