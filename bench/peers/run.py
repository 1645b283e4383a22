#!/usr/bin/env python3
"""Measures frit beside MLX, JAX and PyTorch: the same work, numbers, element types and CPUs, warm, in turns; medians.

    bench/peers/run.py [--build build/release] [--only REGEX] [--peers mlx,jax,torch] [--threads 2] [--quick] [--any-torch] [--keep]

Makes a virtual environment in build/peers and installs the peers there. A peer that cannot be installed is left out, and
the reason is printed. Each side is a process that stays up. All sides prepare a work, then run it in turns for some
rounds, so that a disturbance of the machine affects all.

Prints one table and writes bench/results/peers.json, peers.md and peers.svg. With --keep, rows that are not measured this
time come from the existing peers.json, if it is of this machine, so a disturbed row can be measured again alone.
"""
import argparse
import html
import json
import math
import os
import re
import select
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "bench/results"
HOME = ROOT / "build/peers"
PYTHON = HOME / "venv/bin/python"
PEERS = {"mlx": ["mlx[cpu]", "numpy"], "jax": ["jax[cpu]", "numpy"], "torch": ["torch", "numpy"]}
IMPORTS = {"mlx": "mlx.core", "jax": "jax", "torch": "torch"}

AHEAD = {"mlx": 1, "jax": 1, "torch": 1}
ROWS = {"jax": 2, "torch": 2}
LEVEL = {"mlx": 0.97, "jax": 0.97, "torch": 0.97}
BF16 = {"mlx": 50, "jax": 0.97, "torch": 0.97}
# name; description; the largest ratio to its limit (a float) or the longest time (a string, in seconds); the smallest
# speed-up over each peer
WORKS = [
    ("gelu", "gelu (erf) (32, 1000, 4096)", 1.15, {"mlx": 30, "jax": 3, "torch": 3}),
    ("gelu_tanh", "gelu (tanh) (4096, 4096)", 1.2, AHEAD),
    ("swiglu", "SwiGLU (4096, 4096)", 1.2, AHEAD),
    ("silu", "silu (4096, 4096)", 1.2, AHEAD),
    ("chain_20_ops", "chain of 20 operations (4096, 4096)", 1.2, AHEAD),
    ("softmax", "softmax, composed (4096, 4096)", 1.25, ROWS),
    ("layer_norm", "layer norm, composed (4096, 4096)", 1.25, ROWS),
    ("rms_norm", "rms norm, composed (4096, 4096)", 1.25, ROWS),
    ("sum_axis0", "sum over axis 0 of (256, 512, 512)", 1.2, AHEAD),
    ("sum_axis1", "sum over axis 1 of (256, 512, 512)", 1.2, AHEAD),
    ("sum_axis2", "sum over axis 2 of (256, 512, 512)", 1.2, AHEAD),
    ("transpose_add", "transpose + add (4096, 4096)", 1.5, AHEAD),
    ("matmul_1024_f32", "matmul 1024, f32", 1 / 0.97, LEVEL),
    ("matmul_2048_f32", "matmul 2048, f32", 1 / 0.97, LEVEL),
    ("matmul_4096_f32", "matmul 4096, f32", 1 / 0.97, LEVEL),
    ("matmul_1024_bf16", "matmul 1024, bf16", 1 / 0.97, BF16),
    ("matmul_2048_bf16", "matmul 2048, bf16", 1 / 0.97, BF16),
    ("matmul_4096_bf16", "matmul 4096, bf16", 1 / 0.97, BF16),
    ("matmul_bias_gelu", "matmul + bias + gelu, (1024, 4096) x (4096, 1024)", 1.05, AHEAD),
    ("attention", "attention, composed (1, 16, 512, 64)", None, {"mlx": 5, "jax": 1}),
    ("mlp_step", "training step of an MLP, batch 256, 1024-4096-1024", 1.05, AHEAD),
    ("scalar_call", "exp(-x) + y on scalars, cached call", "1e-6", {"mlx": 5, "jax": 6}),
    ("cold_compile", "cold compile of gelu", "12e-3", {"mlx": 20, "jax": 10}),
]


def run_quietly(command, timeout):
    """None, or the reason why the command failed, in one line."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error).splitlines()[0]
    lines = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
    return None if done.returncode == 0 else (lines[-1] if lines else f"status {done.returncode}")[:200]


def install(peer, any_torch):
    """None, or the reason why the peer is left out."""
    if not PYTHON.exists():
        why = run_quietly([sys.executable, "-m", "venv", str(HOME / "venv")], 300)
        if why:
            return why
    if run_quietly([PYTHON, "-c", f"import {IMPORTS[peer]}, numpy"], 120) is None:
        return None
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if peer == "torch" and not any_torch:
        report = HOME / "torch.json"
        why = run_quietly([*pip, "--dry-run", "--report", str(report), *PEERS[peer]], 600)
        if why:
            return why
        brought = [item["metadata"]["name"] for item in json.loads(report.read_text())["install"]]
        gpu = [name for name in brought if name.startswith("nvidia-")]
        if gpu:
            return f"the package index has no build for the CPU alone: its wheel brings {len(gpu)} packages for GPUs, gigabytes; --any-torch takes it"
    print(f"installing {peer} ...", file=sys.stderr)
    return run_quietly([*pip, *PEERS[peer]], 3600) or run_quietly([PYTHON, "-c", f"import {IMPORTS[peer]}, numpy"], 120)


class Side:
    """A process that answers commands, one line each."""

    def __init__(self, name, command, environment):
        self.name = name
        self.log = open(HOME / f"{name}.log", "w")
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, env=environment)
        self.buffer = b""

    def read(self, timeout):
        end = time.monotonic() + timeout
        while b"\n" not in self.buffer:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))
            more = os.read(self.process.stdout.fileno(), 1 << 16) if ready else b""
            if not more:
                why = "took too long" if not ready else "stopped"
                self.process.kill()
                return {"skip": f"{why}, see {self.log.name}"}
            self.buffer += more
        line, self.buffer = self.buffer.split(b"\n", 1)
        return json.loads(line)

    def ask(self, command, timeout=600):
        try:
            self.process.stdin.write(f"{command}\n".encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            return {"skip": "is not running any more"}
        return self.read(timeout)


def measure(sides, name, rounds, budget):
    """{side: {"seconds": [...], "check": x} or {"skip": why}}; all sides in turns."""
    found, runs = {}, {}
    for side in sides:
        answer = side.ask(f"prepare {name}")
        if "skip" in answer:
            found[side.name] = answer
            continue
        found[side.name] = {"seconds": [], "check": answer.get("check")}
        runs[side] = max(1, min(50, int(budget / rounds / max(answer["seconds"], 1e-9))))
    spent = dict.fromkeys(runs, 0.0)
    for turn in range(rounds):
        for side, n in runs.items():
            # Work that takes seconds is measured three times instead of in every round, or once if a run takes half a minute.
            if turn >= 1 and spent[side] > (2 if turn >= 3 else 8) * budget:
                continue
            answer = side.ask(f"time {n}")
            if "skip" in answer:
                found[side.name] = answer
                continue
            if "seconds" in found[side.name]:
                found[side.name]["seconds"] += answer["seconds"]
            spent[side] += sum(answer["seconds"]) if name != "scalar_call" else 0
    for side in sides:
        side.ask("release")
    return found


def wrong_result(found, name):
    """Sides whose result differs from frit's, which means that their figures measure other work."""
    want = found["frit"].get("check")
    tolerance = 2e-2 if name.endswith("bf16") else 1e-3
    return [s for s, f in found.items() if want and f.get("check") is not None and abs(f["check"] - want) > tolerance * abs(want)]


def machine(threads):
    info = Path("/proc/cpuinfo").read_text()
    field = lambda key: (re.search(rf"^{key}\s*:\s*(.*)$", info, re.M) or ["", "?"])[1]
    flags = field("flags").split()
    vectors = next((text for flag, text in (("amx_tile", "AMX"), ("avx512_bf16", "AVX-512 with bf16"), ("avx512f", "AVX-512"), ("avx2", "AVX2"))
                    if flag in flags), "no AVX2")
    memory = int(re.search(r"MemTotal:\s*(\d+)", Path("/proc/meminfo").read_text())[1]) / (1 << 20)
    return (f"{field('model name')} (family {field('cpu family')}, model {field('model')}, {vectors}), {os.cpu_count()} CPUs, "
            f"{memory:.0f} GiB of memory, {threads} threads")


def library_for(flags):
    """The kind of processor whose kernels OpenBLAS uses for the limit.

    An older release takes its AVX2 kernels on processors that it does not know.
    """
    return {"OPENBLAS_CORETYPE": "Cooperlake" if "avx512_bf16" in flags else "SkylakeX"} if "avx512f" in flags else {}


def kept(where):
    """(rows, versions of peers) of an earlier run on this machine."""
    path = RESULTS / "peers.json"
    earlier = json.loads(path.read_text()) if path.exists() else {}
    return (earlier["works"], earlier["peers"]) if earlier.get("machine") == where else ({}, {})


def pretty(seconds):
    for unit, scale in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * scale >= 1:
            break
    return f"{seconds * scale:.3g} {unit}" if seconds * scale < 1000 else f"{seconds * scale:.0f} {unit}"


def judge(result, most, least):
    """Each ratio of the row with whether it reaches its aim; frit's own median comes first."""
    frit = result["medians"].get("frit")
    ratios, short = {}, []
    for side, value in result["medians"].items():
        if side != "frit" and frit:
            ratios[side] = frit / value if side == "limit" else value / frit
    if frit and isinstance(most, str) and frit > float(most):
        short.append("limit")
    if isinstance(most, float) and ratios.get("limit", 0) > most:
        short.append("limit")
    short += [peer for peer, aim in least.items() if ratios.get(peer, math.inf) < aim]
    return ratios, short


def table(results, peers, versions):
    head = ["work", "frit", "limit", "frit / limit"] + [f"{p} {versions[p]} (times frit)" for p in peers] + ["falls short of"]
    rows = [head]
    for name, text, most, least in WORKS:
        if name not in results:
            continue
        r = results[name]
        medians, ratios = r["medians"], r["ratios"]
        row = [text, pretty(medians["frit"]) if "frit" in medians else "failed"]
        row.append(pretty(medians["limit"]) if "limit" in medians else f"aim {pretty(float(most))}" if isinstance(most, str) else "")
        row.append(f"{ratios['limit']:.2f}" + (f" (aim {most:.2f})" if isinstance(most, float) else "") if "limit" in ratios else "")
        for p in peers:
            row.append(f"{pretty(medians[p])} ({ratios[p]:.3g}; aim {least.get(p, '-')})" if p in ratios else "no figure")
        row.append(", ".join(r["short"]) or "-")
        rows.append(row)
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    lines = ["| " + " | ".join(cell.ljust(w) for cell, w in zip(row, widths)) + " |" for row in rows]
    lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    return "\n".join(lines)


def chart(results, sides, title):
    """An SVG with a line per work and a dot per side: its time as a multiple of frit's, on a logarithmic axis."""
    colours = {"frit": "#202020", "limit": "#2a9d4a", "mlx": "#d1495b", "jax": "#2e6fdb", "torch": "#e08a1e"}
    shown = [(name, text) for name, text, _, _ in WORKS if "frit" in results.get(name, {"medians": {}})["medians"]]
    values = [m / results[n]["medians"]["frit"] for n, _ in shown for m in results[n]["medians"].values()]
    low, high = math.floor(math.log10(min(values + [0.5]))), math.ceil(math.log10(max(values + [10])))
    left, width, step, top = 330, 620, 24, 70
    x = lambda v: left + width * (math.log10(v) - low) / (high - low)
    height = top + step * len(shown) + 40
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 40}" height="{height}" font-family="sans-serif" font-size="12">',
           '<rect width="100%" height="100%" fill="white"/>', f'<text x="10" y="20" font-size="14">{html.escape(title)}</text>']
    for i, side in enumerate(sides):
        out.append(f'<circle cx="{left + 90 * i}" cy="42" r="5" fill="{colours[side]}"/><text x="{left + 90 * i + 9}" y="46">{side}</text>')
    for e in range(low, high + 1):
        out.append(f'<line x1="{x(10.0**e):.1f}" x2="{x(10.0**e):.1f}" y1="{top - 12}" y2="{height - 30}" stroke="{"#888" if e == 0 else "#ddd"}"/>'
                   f'<text x="{x(10.0**e):.1f}" y="{height - 14}" text-anchor="middle">{10.0**e:g}×</text>')
    for i, (name, text) in enumerate(shown):
        y = top + step * i
        medians = results[name]["medians"]
        out.append(f'<text x="{left - 12}" y="{y + 4}" text-anchor="end">{text}</text>')
        for side, m in medians.items():
            at = f'cx="{x(m / medians["frit"]):.1f}" cy="{y}"'
            out.append(f'<circle {at} r="5" fill="{colours[side]}" fill-opacity="0.85"><title>{side}: {pretty(m)}</title></circle>')
    out.append("</svg>")
    return "\n".join(out) + "\n"


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--build", default="build/release", help="where frit is built")
    options.add_argument("--only", default="", help="works whose name matches")
    options.add_argument("--peers", default=",".join(PEERS))
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--quick", action="store_true", help="a tenth of the runs, to see that it works")
    options.add_argument("--keep", action="store_true", help="keep the rows of an earlier run that are not measured now")
    options.add_argument("--any-torch", action="store_true", help="install PyTorch even where its wheel brings libraries for GPUs")
    args = options.parse_args()
    HOME.mkdir(parents=True, exist_ok=True)
    RESULTS.mkdir(parents=True, exist_ok=True)

    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:args.threads])
    threads = len(os.sched_getaffinity(0))
    environment = dict(os.environ, FRIT_CACHE="off")
    for name in ("FRIT_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        environment[name] = str(threads)

    # Peers that keep compiled code in files must find none of an earlier run, so that a cold compile is cold.
    temporary = tempfile.TemporaryDirectory()
    environment["TMPDIR"] = temporary.name

    frit = str((ROOT / args.build / "bin/peers_frit").resolve())
    sides = [Side("frit", [frit], environment), Side("limit", [frit, "--limit"], {**library_for(Path("/proc/cpuinfo").read_text()), **environment})]
    where = machine(threads)
    results, versions = kept(where) if args.keep else ({}, {})
    for peer in filter(None, args.peers.split(",")):
        why = install(peer, args.any_torch)
        if why is None:
            side = Side(peer, [str(PYTHON), str(Path(__file__).with_name("peer.py")), peer], environment)
            hello = side.read(120)
            why = hello.get("skip")
        if why:
            print(f"{peer} is left out: {why}", file=sys.stderr)
            continue
        versions[peer] = hello["version"]
        sides.append(side)

    for name, text, most, least in WORKS:
        if not re.search(args.only, name):
            continue
        found = measure(sides, name, 2 if args.quick else 7, 0.3 if args.quick else 3.0)
        for side in wrong_result(found, name):
            found[side] = {"skip": f"another result: {found[side]['check']:g} where frit has {found['frit']['check']:g}"}
        for side, f in found.items():
            if "skip" in f and f["skip"] != "no such figure":
                print(f"{name}: {side} {f['skip']}", file=sys.stderr)
        timed = {s: f["seconds"] for s, f in found.items() if f.get("seconds")}
        r = {"medians": {s: statistics.median(t) for s, t in timed.items()}, "best": {s: min(t) for s, t in timed.items()},
             "runs": {s: len(t) for s, t in timed.items()}}
        r["ratios"], r["short"] = judge(r, most, least)
        r["load"] = os.getloadavg()[0]
        results[name] = r
        print(f"{name}: " + ", ".join(f"{s} {pretty(m)}" for s, m in r["medians"].items()), file=sys.stderr)

    loads = [r["load"] for r in results.values()]
    loads = f"load {min(loads, default=0):.1f} to {max(loads, default=0):.1f}"
    report = f"{where}; {date.today()}; {loads}\n\n{table(results, list(versions), versions)}\n"
    print(report)
    (RESULTS / "peers.md").write_text(report)
    (RESULTS / "peers.json").write_text(json.dumps({"machine": where, "load": loads, "peers": versions, "works": results}, indent=1) + "\n")
    (RESULTS / "peers.svg").write_text(chart(results, ["frit", "limit", *versions], f"time over frit's, {where}"))
    for side in sides:
        side.process.stdin.close()
        side.process.wait(timeout=30)


if __name__ == "__main__":
    main()
