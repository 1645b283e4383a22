"""The sweep on a GPU: work drawn at random, by frit's `bench_vulkan` and by PyTorch, beside its bytes and products.

    gpu.py draw DIR [--draws N] [--seed S] [--family NAMES] [--larger F]   writes DIR/graphs.txt; needs frit's Python package and any GPU, a software one too
    bench_vulkan --graphs DIR/graphs.txt > DIR/frit.txt       on the GPU's machine (`vulkan_bundle`)
    gpu.py prepare DIR [--processes N]                        compiles PyTorch's side into its cache on disk
    gpu.py torch DIR                                          times PyTorch into DIR/torch.json
    gpu.py show DIR [--worst N]                               prints every draw, and the worst with their kernels

The families are those of the CPU's sweep with larger sizes, and sorts, selections and Fourier transforms. `torch` draws
again from the same seed and needs the numpy generator of `draw`; it fails where names differ. PyTorch's time is the
best of its library and, where that can help, torch.compile, as a call's share of a captured graph of several. frit's is
the sum of its steps by the GPU's clock. The limit is the longest of a copy of as many bytes, the products at the best
rate of PyTorch's own, and other arithmetic at half the rate of its float32 products, and one launch.
"""
import argparse
import collections
import json
import math
import os
import re
import statistics
import subprocess
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import families
from families import Work, count, draw_type, elements, length

Spec = collections.namedtuple("Spec", "shape dtype below")
UNCOMPILED = ("product", "attention", "convolution", "sort", "selection", "transform", "quantized")


def use_specs():
    """Draws shapes in the place of numbers."""
    families.numbers = lambda rng, shape, dtype="float32", low=-1.0, high=1.0: Spec(tuple(shape), dtype, 100)
    families.indices = lambda rng, high, shape: Spec(tuple(shape), "int32", int(high))
    families.words = lambda rng, shape: Spec(tuple(shape), "uint32", 0)


def long_rows(rng):
    """One row, or many of one length."""
    n = elements(rng)
    columns = n if rng.random() < 0.25 else length(rng, 8, min(n, 1 << 17))
    return max(1, n // columns), columns


@families.family
def sort(rng):
    dtype, shape = ["float32", "float32", "float16", "int32"][rng.integers(4)], long_rows(rng)
    kind = ["sort", "argsort"][rng.integers(2)]
    n, size = count(*shape), families.SIZES[dtype]
    return Work(f"{kind} {dtype} {shape}", [families.numbers(rng, shape, dtype)], lambda l, x: getattr(l, kind)(x, -1),
                n * (size + (size if kind == "sort" else 4)), type=dtype)


@families.family
def selection(rng):
    dtype, (a, b) = draw_type(rng), long_rows(rng)
    k = min(b, length(rng, 1, 256))
    return Work(f"topk {k} {dtype} {(a, b)}", [families.numbers(rng, (a, b), dtype)], lambda l, x: l.topk(x, k, -1),
                (count(a, b) + a * k) * families.SIZES[dtype], type=dtype)


@families.family
def transform(rng):
    kind, form = ["fft", "fft", "rfft", "irfft"][rng.integers(4)], rng.integers(4)
    most = elements(rng) // 2
    n = max(8, length(rng, 8, min(most, 1 << 20)))
    if form == 0:
        n = 1 << int(math.log2(n))
    elif form < 3:  # small factors
        wanted, n = n, 1
        while n < wanted:
            n *= int(rng.choice([2, 2, 3, 5, 7]))
    n += n % 2 if kind == "irfft" else 0
    rows = max(1, most // n)
    real, half = 4.0 * rows * n, 8.0 * rows * (n // 2 + 1)
    shape, dtype = (rows, n // 2 + 1 if kind == "irfft" else n), "float32" if kind == "rfft" else "complex64"
    return Work(f"{kind} {(rows, n)}", [families.numbers(rng, shape, dtype)], lambda l, x: l.transform(kind, x, n),
                4 * real if kind == "fft" else real + half, operations=5.0 * rows * n * math.log2(n))


def draws(options):
    families.LARGER = options["larger"]
    names = sorted(families.FAMILIES) if not options["family"] else options["family"].split(",")
    for i in range(options["draws"]):
        rng = np.random.default_rng([options["seed"], i])
        work = families.FAMILIES[names[i % len(names)]](rng)
        work.seed_of = f"{names[i % len(names)]} {i}"
        yield work


def write_graphs(folder, options):
    """Traces each draw with frit; the graphs name no files."""
    import libraries

    class Frit(libraries.Frit):
        def transform(self, kind, x, n):
            return getattr(self.mx.fft, kind)(x, n) if kind == "irfft" else getattr(self.mx.fft, kind)(x)

    frit = Frit()
    frit.mx.set_default_device(frit.mx.gpu)  # some functions are other graphs there
    small = "func @empty(%x: f32[64]) -> f32[64] {\n  %0: f32[64] = negative %x\n  return %0\n}\n"
    texts, listed = ["# empty\n" + small], []
    for work in draws(options):
        args = [frit.mx.zeros(s.shape, getattr(frit.mx, s.dtype)) for s in work.inputs]
        text = frit.mx.compile(lambda *xs, w=work: w.run(frit, *xs)).lower(*args).ir
        below = " ".join(str(s.below) for s in work.inputs)
        texts.append(f"# {work.seed_of}\n# below {below}\n" + re.sub(r'  // loc ".*', "", text))
        listed.append(work.name)
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/graphs.txt", "w") as file:
        file.write("\n".join(texts))
    with open(f"{folder}/draws.json", "w") as file:
        json.dump({**options, "names": listed}, file, indent=1)


def read_draws(folder):
    """The draws of a folder, drawn again."""
    with open(f"{folder}/draws.json") as file:
        options = json.load(file)
    works = list(draws(options))
    for work, name in zip(works, options["names"]):
        if work.name != name:
            sys.exit(f"this numpy draws {work.name} where {name} was drawn")
    return works


def torch_side():
    import torch
    import libraries

    class Cuda(libraries.Torch):
        def array(self, spec, dtype):
            t = getattr(self.t, dtype)
            if t.is_floating_point or t.is_complex:
                return self.t.rand(spec.shape, device="cuda", dtype=t) * 2 - 1
            return self.t.randint(0, spec.below or 100, spec.shape, device="cuda", dtype=t)

        def zero(self, x):
            return self.t.zeros((), dtype=x.dtype, device="cuda")

        def transform(self, kind, x, n):
            return getattr(self.t.fft, kind)(x, n) if kind == "irfft" else getattr(self.t.fft, kind)(x)

    torch.set_grad_enabled(False)
    torch.backends.cudnn.allow_tf32 = False  # as its products: frit computes float32 in float32
    return torch, Cuda()


def sides(torch, lib, work):
    """The ways in which PyTorch can do the work: its name and a function."""
    run = work.library or work.run
    args = [lib.array(s, s.dtype) for s in work.inputs]
    yield "library", lambda: run(lib, *args)
    if not work.seed_of.startswith(UNCOMPILED):
        torch._dynamo.reset()  # draws of a family share a function's code, and compilations for one code are few
        compiled = torch.compile(lambda *xs: run(lib, *xs), dynamic=False)
        yield "compiled", lambda: compiled(*args)


def share_of_graph(torch, run):
    """A call's share of a captured graph, in milliseconds; by events around single calls where that cannot be captured."""
    def events(replay, turns):
        times = []
        for _ in range(turns):
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            torch.cuda.synchronize()
            begin.record()
            replay()
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end))
        return statistics.median(times)
    for _ in range(3):
        run()
    torch.cuda.synchronize()
    one = events(run, 3)
    calls = max(1, min(20, int(4 / max(one, 0.01))))
    try:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(calls):
                run()
        graph.replay()
        return events(graph.replay, 7) / calls
    except RuntimeError:
        torch.cuda.synchronize()
        return events(run, 9)


def rates(torch):
    """Bytes of a copy and operations of products, in a second."""
    x = torch.rand(1 << 27, device="cuda")
    y = torch.empty_like(x)
    out = {"copy": 8.0 * x.numel() / share_of_graph(torch, lambda: torch.negative(x, out=y)) * 1e3}
    for dtype in ("float32", "float64", "float16", "bfloat16"):
        a = torch.rand(4096, 4096, device="cuda", dtype=getattr(torch, dtype))
        out[dtype] = 2.0 * 4096 ** 3 / share_of_graph(torch, lambda a=a: a @ a) * 1e3
    return out


def prepare(folder, processes):
    """Compiles the draws in several processes, which share the cache on disk."""
    works = read_draws(folder)
    if processes:
        parts = [subprocess.Popen([sys.executable, __file__, "prepare", folder, "--part", f"{i}/{processes}"])
                 for i in range(processes)]
        for p in parts:
            p.wait()
        return None
    return works


def prepare_part(works, part):
    torch, lib = torch_side()
    first, step = map(int, part.split("/"))
    for work in works[first::step]:
        try:
            for _, run in sides(torch, lib, work):
                run()
        except Exception as error:  # PyTorch's gap is no fault of the sweep
            print(f"{work.name}: {type(error).__name__} {str(error)[:100]}", file=sys.stderr)


def time_torch(folder):
    torch, lib = torch_side()
    results = {"rates": rates(torch), "device": torch.cuda.get_device_name(), "torch": torch.__version__, "ms": {}}
    for work in read_draws(folder):
        if not work.peers:
            continue
        best = {}
        try:
            for name, run in sides(torch, lib, work):
                best[name] = share_of_graph(torch, run)
        except Exception as error:
            print(f"{work.name}: {type(error).__name__} {str(error)[:100]}", file=sys.stderr)
        if best:
            results["ms"][work.seed_of] = best
        torch.cuda.empty_cache()
    with open(f"{folder}/torch.json", "w") as file:
        json.dump(results, file, indent=1)


def read_frit(folder):
    """Time and steps of each draw, and why others failed."""
    out = {}
    with open(f"{folder}/frit.txt") as file:
        for line in file:
            parts = line.rstrip("\n").split("\t")
            if len(parts) == 3:
                steps = re.findall(r"(?:kernel )?(\S+) ([\d.]+)(?: |$)", parts[2])
                out[parts[1]] = (None, [parts[2]]) if parts[0] == "failed" else (
                    float(parts[0]), [f"{name} {took} ms" for name, took in steps])
    return out


def show(folder, worst):
    import sweep
    frit = read_frit(folder)
    with open(f"{folder}/torch.json") as file:
        peer = json.load(file)
    rate, launch, results = peer["rates"], frit["empty"][0], []
    print(f"{peer['device']}, PyTorch {peer['torch']}: copy {rate['copy'] / 1e12:.2f} TB/s, products "
          + ", ".join(f"{t} {r / 1e12:.0f}" for t, r in rate.items() if t != "copy")
          + f" TFLOP/s; an empty kernel {launch * 1e3:.1f} us")
    for work in read_draws(folder):
        ms, kernels = frit.get(work.seed_of, (None, ["it is missing"]))
        if ms is None:
            print(f"  failed  {work.name}: {kernels[0][:160]}")
            continue
        limit = launch + 1e3 * max(work.bytes / rate["copy"], work.flops / rate.get(work.type, rate["float32"]),
                                   work.operations / (rate["float32"] / 2))
        best = peer["ms"].get(work.seed_of)
        r = {"name": work.name, "draw": work.seed_of, "kernels": kernels, "limit": limit, "over_limit": ms / limit,
             "ms": {"frit": ms, **(best or {})}, "over_peer": ms / min(best.values()) if best else None}
        results.append(r)
        times = ", ".join(f"{n} {t:.3f}" for n, t in r["ms"].items())
        over = f" {r['over_peer']:5.2f}" if best else "     -"
        print(f"{r['over_limit']:6.2f}{over}  {work.name}  ({work.seed_of}; limit {limit:.3f} ms; {times})")
    sweep.summary(results, worst)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=["draw", "prepare", "torch", "show"])
    parser.add_argument("folder")
    parser.add_argument("--draws", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--family", default="")
    parser.add_argument("--larger", type=float, default=4, help="elements, as multiples of the CPU's sweep")
    parser.add_argument("--processes", type=int, default=12)
    parser.add_argument("--part")
    parser.add_argument("--worst", type=int, default=12)
    o = parser.parse_args()
    use_specs()
    if o.command == "draw":
        write_graphs(o.folder, {"draws": o.draws, "seed": o.seed, "family": o.family, "larger": o.larger})
    elif o.command == "prepare":
        works = prepare(o.folder, 0 if o.part else o.processes)
        if works:
            prepare_part(works, o.part)
    elif o.command == "torch":
        time_torch(o.folder)
    else:
        show(o.folder, o.worst)


if __name__ == "__main__":
    main()
