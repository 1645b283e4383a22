"""A small causal transformer on a text made by the program: trained with a compiled step, sampled with a cache, and
adapted by low-rank layers over quantised weights."""
import math
from functools import partial

import frit.core as mx
import frit.nn as nn
import frit.optimizers as optim
from frit.utils import tree_flatten

WORDS = ["the", "cat", "dog", "sees", "hears", "a", "bird", "and", "sings", "."]


class Attention(nn.Module):
    def __init__(self, dims, heads):
        super().__init__()
        self.heads = heads
        self.rope = nn.RoPE(dims // heads)
        self.qkv = nn.Linear(dims, 3 * dims, bias=False)
        self.out = nn.Linear(dims, dims, bias=False)

    def __call__(self, x, cache=None):
        b, t, d = x.shape
        q, k, v = (p.reshape(b, t, self.heads, -1).transpose(0, 2, 1, 3) for p in mx.split(self.qkv(x), 3, axis=-1))
        past = 0 if cache is None else cache[0].shape[2]
        q, k = self.rope(q, offset=past), self.rope(k, offset=past)
        if cache is not None:
            k, v = mx.concatenate([cache[0], k], axis=2), mx.concatenate([cache[1], v], axis=2)
        mask = None if t == 1 else "causal"
        y = mx.fast.scaled_dot_product_attention(q, k, v, scale=1 / math.sqrt(q.shape[-1]), mask=mask)
        return self.out(y.transpose(0, 2, 1, 3).reshape(b, t, d)), (k, v)


class Block(nn.Module):
    def __init__(self, dims, heads):
        super().__init__()
        self.attention = Attention(dims, heads)
        self.norm1, self.norm2 = nn.RMSNorm(dims), nn.RMSNorm(dims)
        self.up, self.down = nn.Linear(dims, 4 * dims), nn.Linear(4 * dims, dims)

    def __call__(self, x, cache=None):
        y, cache = self.attention(self.norm1(x), cache)
        x = x + y
        return x + self.down(nn.gelu(self.up(self.norm2(x)))), cache


class Model(nn.Module):
    def __init__(self, vocabulary, dims=64, heads=4, blocks=2):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, dims)
        self.blocks = [Block(dims, heads) for _ in range(blocks)]
        self.norm = nn.RMSNorm(dims)

    def __call__(self, tokens, caches=None):
        x = self.embedding(tokens)
        new = []
        for i, block in enumerate(self.blocks):
            x, cache = block(x, None if caches is None else caches[i])
            new.append(cache)
        return self.embedding.as_linear(self.norm(x)), new


def corpus(n=4000):
    """Sentences of a fixed grammar as word numbers."""
    out, seed = [], 1
    while len(out) < n:
        seed = (seed * 1103515245 + 12345) % 2**31
        pick = lambda *words: words[(seed >> 8) % len(words)]
        out += ["the", pick("cat", "dog"), pick("sees", "hears"), "a", "bird", "and", "sings", "."]
    return mx.array([WORDS.index(w) for w in out])


def batches(text, size, length, steps):
    for i in range(steps):
        starts = mx.random.randint(0, text.size - length - 1, (size, 1), key=mx.random.key(i))
        window = text[starts + mx.arange(length + 1)]
        yield window[:, :-1], window[:, 1:]


def trained(model, optimizer, text, steps):
    state = [model.state, optimizer.state]

    def loss(x, y):
        return nn.losses.cross_entropy(model(x)[0], y, reduction="mean")

    @partial(mx.compile, inputs=state, outputs=state)
    def step(x, y):
        value, grads = nn.value_and_grad(model, loss)(x, y)
        grads, _ = optim.clip_grad_norm(grads, 1.0)
        optimizer.update(model, grads)
        return value

    losses = []
    for x, y in batches(text, 8, 32, steps):
        losses.append(step(x, y).item())
        mx.eval(state)
    return losses


def sample(model, prompt, count):
    """The likeliest next words, each from the keys and values of the words before."""
    logits, caches = model(mx.array([prompt]))
    out = []
    for _ in range(count):
        token = mx.argmax(logits[:, -1], axis=-1)
        out.append(token.item())
        logits, caches = model(token[:, None], caches)
    return out


class LowRank(nn.Module):
    """A frozen linear layer and a product of two thin matrices that is trained."""

    def __init__(self, linear, rank=4):
        super().__init__()
        self.linear = linear
        out, width = linear.weight.shape
        if isinstance(linear, nn.QuantizedLinear):
            width = width * 32 // linear.bits
        self.a = mx.random.normal((width, rank), scale=1 / math.sqrt(width))
        self.b = mx.zeros((rank, out))

    def __call__(self, x):
        return self.linear(x) + (x @ self.a) @ self.b


def adapted(model, text, steps):
    """Quantises the model and trains low-rank layers over it."""
    nn.quantize(model, group_size=32, bits=4, class_predicate=lambda _, m: isinstance(m, nn.Linear))
    model.freeze()
    for block in model.blocks:
        block.attention.qkv = LowRank(block.attention.qkv)
        block.attention.qkv.linear.freeze()
    assert all(name.endswith((".a", ".b")) for name, _ in tree_flatten(model.trainable_parameters()))
    return trained(model, optim.AdamW(5e-3), text, steps)


def main(steps=60, more=20, count=15, blocks=2):
    mx.random.seed(1)
    model, text = Model(len(WORDS), blocks=blocks), corpus()
    losses = trained(model, optim.AdamW(3e-3), text, steps)
    print("trained: loss %.3f to %.3f" % (losses[0], losses[-1]))
    words = sample(model, [0], count)
    print("the " + " ".join(WORDS[w] for w in words))
    tuned = adapted(model, text, more)
    print("4 bits with low-rank layers: loss %.3f to %.3f" % (tuned[0], tuned[-1]))
    return losses, words, tuned


if __name__ == "__main__":
    main()
