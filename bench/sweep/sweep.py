"""`make bench-sweep`: runs work drawn at random, and prints where frit is furthest from the limit and from its peers.

    sweep.py [--draws N] [--seed S] [--family NAME] [--only DRAW...] [--peers torch,jax] [--worst N] [--json FILE] [--cold]
             [--processor] [--larger F]

A draw is a family, types, sizes and a layout (families.py). In turns, one process runs frit, a parallel copy of as many
bytes as the work must move, and the peers that are installed. The limit of a draw is the longer of that copy and its
arithmetic, and one launch. Arithmetic is the products at the best rate that a library reaches on this machine, and behind
them other operations at the processor's rate: both take the same units, and no library runs matrix units beside others.
The process keeps freed memory, as frit does, so that no library pays for pages anew; `--cold` leaves the
libraries as they come. `--processor` takes the processor time of all threads instead of the clock's, for a machine that does
other work: `FRIT_NUM_THREADS=1 taskset -c 1` holds every side to one processor. `--larger F` multiplies the elements of a
draw: with 0.01 they lie in the processor's own cache, and the launch and the ends of loops count. `--family more` and
`--family kinds` draw from the families of more.py and of kinds.py.
"""
import argparse
import ctypes
import gc
import json
import os
import statistics
import sys
import threading
import time

import numpy as np

WARM = "glibc.malloc.trim_threshold=17179869184:glibc.malloc.mmap_threshold=17179869184"


class Copier:
    """Copies memory on every CPU, the yardstick of work that memory bounds."""

    def __init__(self, threads):
        self.copy = ctypes.CDLL(None).memcpy
        self.copy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
        self.threads, self.room = threads, 0
        self.go, self.done = threading.Barrier(threads), threading.Barrier(threads)
        for i in range(1, threads):
            threading.Thread(target=self.work, args=(i,), daemon=True).start()

    def reserve(self, size):
        if size > self.room:
            self.room, self.source, self.target = size, np.ones(size, np.uint8), np.ones(size, np.uint8)

    def part(self, i):
        begin, end = self.size * i // self.threads, self.size * (i + 1) // self.threads
        self.copy(self.target.ctypes.data + begin, self.source.ctypes.data + begin, end - begin)

    def work(self, i):
        while True:
            self.go.wait()
            self.part(i)
            self.done.wait()

    def __call__(self, moved):
        self.size = max(1, int(moved) // 2)
        self.reserve(self.size)
        self.go.wait()
        begin = clock()
        self.part(0)
        self.done.wait()
        return clock() - begin


clock = time.perf_counter
# Of the times of one side. On a machine that does other work, its neighbours share its caches and its memory: a low time
# is that of the work itself. The least one may be a fault of the processor's clock.
typical = statistics.median


def low_quartile(times):
    return sorted(times)[len(times) // 4]


def timed(run):
    begin = clock()
    y = run()
    took = clock() - begin
    del y
    return took


def rates(frit, peers):
    """The best rate of the libraries' products by type, in operations a second."""
    out = {}
    for dtype, n in (("float32", 1024), ("float64", 1024), ("float16", 1024), ("bfloat16", 1024)):
        best = 0.0
        for lib in [frit, *peers]:
            x = lib.array(np.ones((n, n), np.float32), dtype)
            product = lib.compile(lib.matmul)
            times = [timed(lambda: product(x, x)) for _ in range(9)]
            best = max(best, 2.0 * n ** 3 / typical(times))
        out[dtype] = best
    return out


class Sweep:
    def __init__(self, options):
        import libraries
        self.options = options
        self.frit = libraries.Frit()
        self.peers = []
        for name in [n for n in options.peers.split(",") if n]:
            try:
                self.peers.append(libraries.PEERS[name]())
            except ImportError:
                print(f"{name} is not installed", file=sys.stderr)
        threads = len(os.sched_getaffinity(0))
        self.copier = Copier(threads)
        self.rates = rates(self.frit, self.peers)
        x = self.frit.array(np.ones(8, np.float32), "float32")
        small = self.frit.compile(lambda x: x + 1)
        self.launch = statistics.median(timed(lambda: small(x)) for _ in range(2000))

    def ready(self, lib, work):
        """The compiled work on a library's arrays, or None where the library cannot do it."""
        try:
            args = [lib.array(v, t) for v, t in work.inputs]
            compiled = lib.compile(lambda *xs: work.run(lib, *xs))
            result = compiled(*args)
            return (lambda: compiled(*args)), result
        except Exception as error:  # a peer's gap is no fault of the sweep
            if lib is self.frit:
                raise
            print(f"{lib.name}: {work.name}: {type(error).__name__} {str(error)[:100]}", file=sys.stderr)
            return None, None

    def agree(self, work, name, a, b):
        """Speed counts for equal results only."""
        if not a.size:
            return
        bound = {"float32": 2e-3, "float64": 2e-3, "float16": 3e-2, "bfloat16": 2e-1}.get(work.type, 0)
        if not np.isfinite(b).any():
            return
        scale = max(1.0, float(np.nanmax(np.abs(b))))
        off = float(np.nanmax(np.abs(a - b))) / scale
        if not off <= bound:
            print(f"  differs from {name} by {off:.3g}: {work.name}", file=sys.stderr)

    def measure(self, work):
        sides, results = {}, {}
        for lib in [self.frit] + (self.peers if work.peers else []):
            run, result = self.ready(lib, work)
            if run:
                sides[lib.name], results[lib.name] = run, lib.numpy(result)
            del result
        if "arg" not in work.name:
            for name in results:
                if name != "frit":
                    self.agree(work, name, results["frit"], results[name])
        del results
        gc.collect()
        copy = self.copier(work.bytes)
        one = min(timed(sides["frit"]) for _ in range(3))
        turns = max(5, min(25, int(self.options.seconds / max(one * 3 + copy, 1e-4))))
        times = {name: [] for name in [*sides, "copy"]}
        for _ in range(turns):
            times["copy"].append(self.copier(work.bytes))
            for name, run in sides.items():
                times[name].append(timed(run))
        ms = {name: typical(t) * 1e3 for name, t in times.items()}
        rate = self.rates.get(work.type, self.rates["float32"])
        arithmetic = work.flops / rate + work.operations / (self.rates["float32"] / 2)
        limit = max(ms["copy"], arithmetic * 1e3) + self.launch * 1e3
        peers = [ms[p.name] for p in self.peers if p.name in ms]
        return {"name": work.name, "kernels": self.kernels(work), "ms": ms, "limit": limit, "over_limit": ms["frit"] / limit,
                "over_peer": ms["frit"] / min(peers) if peers else None}

    def kernels(self, work):
        """The launches of the work's program: kernels by name, and calls of libraries."""
        args = [self.frit.array(v, t) for v, t in work.inputs]
        program = self.frit.mx.compile(lambda *xs: work.run(self.frit, *xs)).lower(*args).kernels
        lines = [line.split() for line in program.splitlines()]
        return [" ".join(words[1:])[:80] for words in lines if words and words[0] in ("launch", "library", "call")]


def draws(options):
    import families
    families.LARGER = options.larger
    import kinds
    import more
    groups = {"": families.FAMILIES, "more": more.MORE, "kinds": kinds.KINDS}
    known = {name: make for group in groups.values() for name, make in group.items()}
    names = sorted(groups[options.family]) if options.family in groups else options.family.split(",")
    for i in range(options.draws):
        # A generator for each draw: draw 17 of a seed is the same work, whatever ran before.
        rng = np.random.default_rng([options.seed, i])
        name = names[i % len(names)]
        work = known[name](rng)
        work.seed_of = f"{name} {i}"
        if not options.only or i in options.only:
            yield work


def quantile(values, q):
    return sorted(values)[min(len(values) - 1, int(q * len(values)))]


def summary(results, worst):
    over = [r["over_limit"] for r in results]
    print(f"\n{len(results)} draws over their limits: median {statistics.median(over):.2f}, 95 % {quantile(over, 0.95):.2f}, "
          f"worst {max(over):.2f}")
    peers = [r["over_peer"] for r in results if r["over_peer"]]
    if peers:
        behind = sum(p > 1 for p in peers)
        print(f"{len(peers)} draws over the better peer: median {statistics.median(peers):.2f}, 95 % "
              f"{quantile(peers, 0.95):.2f}, worst {max(peers):.2f}; behind in {behind}")
    for key, title in (("over_limit", "limit"), ("over_peer", "better peer")):
        chosen = sorted((r for r in results if r[key]), key=lambda r: -r[key])[:worst]
        if chosen:
            print(f"\nfurthest from the {title}:")
        for r in chosen:
            times = ", ".join(f"{n} {t:.3f}" for n, t in r["ms"].items())
            print(f"  {r[key]:6.2f}  {r['name']}  ({r['draw']}; limit {r['limit']:.3f} ms; {times})")
            for kernel in r["kernels"][:4]:
                print(f"          {kernel}")
            if len(r["kernels"]) > 4:
                print(f"          and {len(r['kernels']) - 4} more")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--draws", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--family", default="")
    parser.add_argument("--only", type=int, nargs="*")
    parser.add_argument("--peers", default="torch,jax")
    parser.add_argument("--worst", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--json")
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("--processor", action="store_true")
    parser.add_argument("--larger", type=float, default=1, help="elements, as multiples of the tables' draws")
    options = parser.parse_args()
    if options.processor:
        global clock, typical
        clock, typical = time.process_time, low_quartile
    if not options.cold and WARM not in os.environ.get("GLIBC_TUNABLES", ""):
        os.environ["GLIBC_TUNABLES"] = WARM
        os.execv(sys.executable, [sys.executable, *sys.argv])
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    sweep = Sweep(options)
    print("rates, GFLOP/s: " + ", ".join(f"{t} {r / 1e9:.0f}" for t, r in sweep.rates.items())
          + f"; launch {sweep.launch * 1e6:.1f} us")
    results = []
    for work in draws(options):
        r = sweep.measure(work)
        r["draw"] = work.seed_of
        results.append(r)
        times = ", ".join(f"{n} {t:.3f}" for n, t in r["ms"].items())
        peer = f" {r['over_peer']:5.2f}" if r["over_peer"] else "     -"
        print(f"{r['over_limit']:6.2f}{peer}  {work.name}  ({work.seed_of}; limit {r['limit']:.3f} ms; {times})", flush=True)
        del work
        gc.collect()
    summary(results, options.worst)
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"seed": options.seed, "rates": sweep.rates, "launch": sweep.launch, "draws": results}, file, indent=1)


if __name__ == "__main__":
    main()
