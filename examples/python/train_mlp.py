"""A multi-layer perceptron on digits drawn by the program: a compiled step with captured state."""
from functools import partial

import frit.core as mx
import frit.nn as nn
import frit.optimizers as optim


class MLP(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.layers = [nn.Linear(a, b) for a, b in zip(sizes, sizes[1:])]

    def __call__(self, x):
        for layer in self.layers[:-1]:
            x = nn.relu(layer(x))
        return self.layers[-1](x)


def digits(n, seed=0):
    """Ten patterns of 784 pixels with noise, and which one each image has."""
    k1, k2 = mx.random.split(mx.random.key(seed))
    patterns = mx.random.normal((10, 784), key=mx.random.key(99))
    labels = mx.random.randint(0, 10, (n,), key=k1)
    return patterns[labels] + 2.0 * mx.random.normal((n, 784), key=k2), labels


def main(steps=60, batch=256, width=256):
    mx.random.seed(0)
    model = MLP([784, width, width, 10])
    optimizer = optim.Adam(1e-3)
    state = [model.state, optimizer.state]

    def loss(x, y):
        return nn.losses.cross_entropy(model(x), y, reduction="mean")

    @partial(mx.compile, inputs=state, outputs=state)
    def step(x, y):
        value, grads = nn.value_and_grad(model, loss)(x, y)
        optimizer.update(model, grads)
        return value

    losses = []
    for i in range(steps):
        value = step(*digits(batch, seed=i))
        mx.eval(state)
        losses.append(value.item())
        if i % 20 == 0 or i == steps - 1:
            print("step %3d: loss %.4f" % (i, losses[-1]))
    x, y = digits(1000, seed=12345)
    accuracy = mx.mean(mx.argmax(model(x), axis=1) == y).item()
    print("accuracy on new images: %.3f" % accuracy)
    return losses, accuracy


if __name__ == "__main__":
    main()
