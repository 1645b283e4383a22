"""An LSTM that adds bits, and a convolutional classifier of bars."""
from functools import partial

import frit.core as mx
import frit.nn as nn
import frit.optimizers as optim


def trained(model, loss, data, steps, rate):
    optimizer = optim.Adam(rate)
    state = [model.state, optimizer.state]

    @partial(mx.compile, inputs=state, outputs=state)
    def step(x, y):
        value, grads = nn.value_and_grad(model, loss)(x, y)
        optimizer.update(model, grads)
        return value

    losses = []
    for i in range(steps):
        losses.append(step(*data(i)).item())
    return losses


class Adder(nn.Module):
    """The running number of ones, from the bits so far."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(1, 16)
        self.out = nn.Linear(16, 1)

    def __call__(self, x):
        return self.out(self.lstm(x)[0])


def adder(steps=60, bits=8):
    model = Adder()

    def data(i):
        x = mx.random.bernoulli(0.5, (32, bits, 1), key=mx.random.key(i)).astype(mx.float32)
        return x, mx.cumsum(x, axis=1) / bits

    return trained(model, lambda x, y: nn.losses.mse_loss(model(x), y), data, steps, 1e-2)


def classifier(steps=40):
    """Bars that lie from bars that stand, in 12 by 12 images."""
    model = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.relu, nn.MaxPool2d(2), nn.Conv2d(8, 8, 3), nn.relu,
                          lambda x: mx.max(x, axis=(1, 2)), nn.Linear(8, 2))

    def data(i):
        k1, k2, k3 = mx.random.split(mx.random.key(i), 3)
        place, standing = mx.random.randint(0, 12, (64, 1, 1), key=k1), mx.random.bernoulli(0.5, (64, 1, 1), key=k2)
        rows, cols = mx.arange(12)[None, :, None], mx.arange(12)[None, None, :]
        bars = mx.where(standing, cols + rows * 0 == place, rows + cols * 0 == place).astype(mx.float32)
        x = bars[..., None] + 0.1 * mx.random.normal((64, 12, 12, 1), key=k3)
        return x, standing.reshape(-1).astype(mx.int32)

    losses = trained(model, lambda x, y: nn.losses.cross_entropy(model(x), y, reduction="mean"), data, steps, 1e-2)
    x, y = data(10**6)
    return losses, mx.mean(mx.argmax(model(x), axis=1) == y).item()


def main(adding=60, classifying=40, bits=8):
    mx.random.seed(0)
    losses = adder(adding, bits)
    print("adder: loss %.4f to %.4f" % (losses[0], losses[-1]))
    found, accuracy = classifier(classifying)
    print("bars: loss %.4f to %.4f, accuracy %.2f" % (found[0], found[-1], accuracy))
    return losses, found, accuracy


if __name__ == "__main__":
    main()
