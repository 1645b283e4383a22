"""JAX on the steps of bench_gradients: the same networks, batches and optimisers in float32, in processor time.

Usage: steps.py [PART_OF_A_NAME]
"""
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np

clock = time.process_time
B1, B2, EPS = 0.9, 0.999, 1e-8


def update(p, m, v, g, lr, decay=0.0):
    m = jax.tree.map(lambda a, b: B1 * a + (1 - B1) * b, m, g)
    v = jax.tree.map(lambda a, b: B2 * a + (1 - B2) * b * b, v, g)
    p = jax.tree.map(lambda x, a, b: x * (1 - lr * decay) - lr * a / (jnp.sqrt(b) + EPS), p, m, v)
    return p, m, v


def mlp(sizes):
    rng = np.random.default_rng(0)
    draw = lambda *s: jnp.asarray(rng.standard_normal(s, np.float32))
    p = [(draw(a, b) * (2 / a) ** 0.5, jnp.zeros(b, jnp.float32)) for a, b in zip(sizes, sizes[1:])]
    x, y = draw(256, sizes[0]), jnp.asarray(rng.integers(0, sizes[-1], 256))

    def loss(p, x, y):
        for i, (w, b) in enumerate(p):
            x = x @ w + b
            if i + 1 < len(p):
                x = jnp.maximum(x, 0)
        return jnp.mean(jax.nn.logsumexp(x, -1) - jnp.take_along_axis(x, y[:, None], -1)[:, 0])

    return p, loss, (x, y), 0.0


def transformer():
    rng = np.random.default_rng(0)
    draw = lambda *s: jnp.asarray(rng.standard_normal(s, np.float32))
    d, h, n, b = 512, 8, 256, 8
    p = {k: draw(*s) * 0.02 for k, s in dict(q=(d, d), k=(d, d), v=(d, d), o=(d, d), up=(d, 4 * d), down=(4 * d, d)).items()}
    p.update(g1=jnp.ones(d), b1=jnp.zeros(d), g2=jnp.ones(d), b2=jnp.zeros(d))
    norm = lambda x, g, c: (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * g + c

    def loss(p, x):
        y = norm(x, p["g1"], p["b1"])
        q, k, v = ((y @ p[i]).reshape(b, n, h, d // h).transpose(0, 2, 1, 3) for i in "qkv")
        w = jax.nn.softmax(q @ k.transpose(0, 1, 3, 2) * 0.125, -1)
        x = x + (w @ v).transpose(0, 2, 1, 3).reshape(b, n, d) @ p["o"]
        z = norm(x, p["g2"], p["b2"]) @ p["up"]
        return jnp.mean(jnp.square(x + jax.nn.gelu(z, approximate=False) @ p["down"]))

    return p, loss, (draw(b, n, d),), 0.01


def curve(x):
    return jnp.sin(x) * jnp.exp(-x) + x * x


def lstm(steps):
    """The scan of bench_loops."""
    rng = np.random.default_rng(0)
    draw = lambda *s: jnp.asarray(rng.standard_normal(s, np.float32))

    def cell(state, x):
        h, c, w = state
        i, f, o, g = jnp.split(h @ w + x, 4, axis=1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c, w), h

    def run(w, xs, h, c):
        return jax.lax.scan(lambda s, x: (lambda n: (n[0][:2], n[1]))(cell((*s, w), x)), (h, c), xs)[1]

    return run, (draw(256, 1024) * 0.05, draw(steps, 1, 1024), jnp.zeros((1, 256)), jnp.zeros((1, 256)))


def timed(run, seconds=3.0):
    for _ in range(3):
        run()
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 5:
        begin = clock()
        run()
        times.append(clock() - begin)
    return sorted(times)[len(times) // 2]


def main():
    work = {"mlp_step/0": lambda: mlp([784, 256, 256, 10]), "mlp_step/1": lambda: mlp([1024, 4096, 1024]), "transformer_step": transformer}
    for name, make in work.items():
        if len(sys.argv) > 1 and sys.argv[1] not in name:
            continue
        p, loss, data, decay = make()
        state = [p, jax.tree.map(jnp.zeros_like, p), jax.tree.map(jnp.zeros_like, p)]

        def step(p, m, v, *data):
            value, g = jax.value_and_grad(loss)(p, *data)
            return value, update(p, m, v, g, 1e-3, decay)

        fast = jax.jit(step, donate_argnums=(0, 1, 2))

        def run():
            value, new = fast(*state, *data)
            state[:] = jax.block_until_ready(new)

        print("%s %.2f ms" % (name, 1e3 * timed(run)), flush=True)
    for steps in (1000, 100):
        run_lstm, inputs = lstm(steps)
        loss = lambda *a: jnp.sum(jnp.square(run_lstm(*a)))
        for name, f in ("lstm_scan", run_lstm), ("lstm_scan_gradient", jax.grad(loss, argnums=(0, 1, 2, 3))):
            if len(sys.argv) > 1 and sys.argv[1] not in name:
                continue
            fast_lstm = jax.jit(f)
            print("%s/%d %.2f ms" % (name, steps, 1e3 * timed(lambda: jax.block_until_ready(fast_lstm(*inputs)))), flush=True)
    both, x = jax.jit(jax.value_and_grad(curve)), jnp.float32(0.5)
    print("compiled_value_and_grad %.2f us" % (1e6 * timed(lambda: jax.block_until_ready(both(x)), 1)))


main()
