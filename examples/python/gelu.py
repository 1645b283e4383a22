"""gelu compiled beside gelu eager, timed."""
import time

import frit.core as mx


def gelu(x):
    return x * (1 + mx.erf(x / 2**0.5)) / 2


def milliseconds(f, x, n=20):
    mx.eval(f(x))
    start = time.perf_counter()
    for _ in range(n):
        mx.eval(f(x))
    return (time.perf_counter() - start) * 1e3 / n


def main(size=2**22):
    x = mx.random.normal((size,))
    compiled = mx.compile(gelu)
    assert mx.allclose(compiled(x), gelu(x)).item()
    eager, fused = milliseconds(gelu, x), milliseconds(compiled, x)
    print("gelu of %d numbers: %.2f ms eager, %.2f ms compiled" % (size, eager, fused))
    return eager, fused


if __name__ == "__main__":
    main()
