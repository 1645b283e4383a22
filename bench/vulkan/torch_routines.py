"""PyTorch and CuPy on the work of routine_graphs.h: medians of 20 calls, by events of the GPU, in milliseconds.

    python3 torch_routines.py [--only TEXT]
"""
import argparse
import statistics

import torch

rows = []


def timed(run, count=20):
    for _ in range(3):
        run()
    times = []
    for _ in range(count):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda.synchronize()
        begin.record()
        run()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    return statistics.median(times)


def row(name, bytes_moved, run):
    rows.append((name, bytes_moved, run))


def drawn(*shape, dtype=torch.float32):
    return torch.randn(*shape, device="cuda", dtype=dtype)


def sorts():
    for count, n in ((1, 1 << 24), (4096, 4096), (1 << 20, 16)):
        x = drawn(count, n)
        row(f"sort f32 ({count}, {n})", 8 * x.numel(), lambda x=x: torch.sort(x, dim=-1))
        row(f"stable sort f32 ({count}, {n})", 8 * x.numel(), lambda x=x: torch.sort(x, dim=-1, stable=True))
    x = drawn(1024, 50257)
    row("topk 50 of f32 (1024, 50257)", 4 * x.numel(), lambda: torch.topk(x, 50, dim=-1))
    row("kthvalue 1000 of f32 (1024, 50257)", 4 * x.numel(), lambda: torch.kthvalue(x, 1000, dim=-1))
    a, v = torch.sort(drawn(1 << 20))[0], drawn(1 << 22)
    row("searchsorted of 2^22 values in 2^20", 8 * v.numel(), lambda: torch.searchsorted(a, v, out_int32=True))
    try:
        import cupy
        keys = cupy.random.standard_normal(1 << 24, dtype=cupy.float32)
        copy = keys.copy()

        def keys_alone():
            copy[:] = keys
            copy.sort()
        with cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):
            row("sort of keys alone, f32 (1, 16777216), CuPy with a copy", 8 << 24, keys_alone)
    except ImportError:
        pass


def transforms():
    c = torch.complex64
    for count, n in ((1, 1 << 20), (1, 1 << 24), (1, 1000000), (16384, 1024), (1 << 20, 16), (16384, 1000),
                     (4096, 4096), (4096, 1009), (1, 1000003), (1024, 16384)):
        x = drawn(count, n, dtype=c)
        row(f"fft c64 ({count}, {n})", 16 * x.numel(), lambda x=x: torch.fft.fft(x))
    for n in (4096, 1000, 16384):
        x = drawn((1 << 24) // n, n)
        y = torch.fft.rfft(x)
        row(f"rfft f32 {tuple(x.shape)}", 8 * x.numel(), lambda x=x: torch.fft.rfft(x))
        row(f"irfft f32 {tuple(x.shape)}", 8 * x.numel(), lambda y=y, n=n: torch.fft.irfft(y, n=n))


def attentions():
    sdpa = torch.nn.functional.scaled_dot_product_attention
    for dtype in (torch.float16, torch.float32):
        for heads, kv, n, d in ((32, 32, 4096, 128), (32, 8, 4096, 128), (16, 16, 4096, 64)):
            q, k, v = drawn(1, heads, 1, d).to(dtype), drawn(1, kv, n, d).to(dtype), drawn(1, kv, n, d).to(dtype)
            row(f"decode {dtype} 1 query {heads}/{kv} heads {n} x {d}", 2 * k.numel() * k.element_size(),
                lambda q=q, k=k, v=v, kv=kv, heads=heads: sdpa(q, k, v, enable_gqa=kv != heads))


def products():
    for m, k, n in ((1000, 1000, 1000), (1024, 1024, 1024), (512, 512, 512), (2000, 2000, 2000), (1024, 4096, 1024),
                    (256, 4096, 4096), (4096, 4096, 4096)):
        a, b = drawn(m, k), drawn(k, n)
        row(f"matmul f32 {m}x{k}x{n}", 0, lambda a=a, b=b: a @ b)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    only = parser.parse_args().only
    x = drawn(1 << 27)
    y = torch.empty_like(x)
    rate = 8 * x.numel() / timed(lambda: torch.negative(x, out=y))
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}; a copy moves {rate * 1e-9:.3f} TB/s")
    for family in (sorts, transforms, attentions, products):
        rows.clear()
        family()
        for name, moved, run in rows:
            if only in name:
                took = timed(run)
                print(f"{name:60} {took:9.4f} ms" + (f"  {moved / rate:9.4f} ms for its bytes" if moved else ""), flush=True)
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
