"""Recurrent layers over (..., time, features)."""
import math
from typing import Callable, Optional

import frit.core as mx
from frit.nn.layers.activations import tanh
from frit.nn.layers.base import Module


class _Recurrent(Module):
    """Weights of `gates` gates, uniform within 1 / sqrt(hidden_size)."""

    def _draw(self, *shape):
        scale = 1.0 / math.sqrt(self.hidden_size)
        return mx.random.uniform(low=-scale, high=scale, shape=shape)

    def _projected(self, x, weight, bias):
        return x @ weight.T if bias is None else mx.addmm(bias, x, weight.T)


class RNN(_Recurrent):
    """h = nonlinearity(Wxh x + Whh h + bias); tanh by default."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: Optional[Callable] = None):
        super().__init__()
        self.nonlinearity = nonlinearity or tanh
        if not callable(self.nonlinearity):
            raise ValueError("RNN: the nonlinearity is a %s, which cannot be called" % type(nonlinearity).__name__)
        self.hidden_size = hidden_size
        self.Wxh = self._draw(hidden_size, input_size)
        self.Whh = self._draw(hidden_size, hidden_size)
        self.bias = self._draw(hidden_size) if bias else None

    def _extra_repr(self):
        return "input_dims=%d, hidden_size=%d, nonlinearity=%s, bias=%s" % (
            self.Wxh.shape[1], self.hidden_size, self.nonlinearity, self.bias is not None)

    def __call__(self, x, hidden=None):
        """The hidden states of every step."""
        x = self._projected(x, self.Wxh, self.bias)
        states = []
        for t in range(mx._size(x, -2)):
            now = x[..., t, :]
            hidden = self.nonlinearity(now if hidden is None else mx.addmm(now, hidden, self.Whh.T))
            states.append(hidden)
        return mx.stack(states, axis=-2)


class GRU(_Recurrent):
    """Gated recurrent units; the reset gate acts on the projected state."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True):
        super().__init__()
        self.hidden_size = hidden_size
        self.Wx = self._draw(3 * hidden_size, input_size)
        self.Wh = self._draw(3 * hidden_size, hidden_size)
        self.b = self._draw(3 * hidden_size) if bias else None
        self.bhn = self._draw(hidden_size) if bias else None

    def _extra_repr(self):
        return "input_dims=%d, hidden_size=%d, bias=%s" % (self.Wx.shape[1], self.hidden_size, self.b is not None)

    def __call__(self, x, hidden=None):
        """The hidden states of every step."""
        n = self.hidden_size
        x = self._projected(x, self.Wx, self.b)
        states = []
        for t in range(mx._size(x, -2)):
            gates, new = x[..., t, : 2 * n], x[..., t, 2 * n :]
            if hidden is not None:
                known = hidden @ self.Wh.T
                gates = gates + known[..., : 2 * n]
                known = known[..., 2 * n :]
                if self.bhn is not None:
                    known = known + self.bhn
            reset, update = mx.split(mx.sigmoid(gates), 2, axis=-1)
            if hidden is not None:
                new = new + reset * known
            elif self.bhn is not None:
                new = new + reset * self.bhn
            new = mx.tanh(new)
            hidden = (1 - update) * new if hidden is None else (1 - update) * new + update * hidden
            states.append(hidden)
        return mx.stack(states, axis=-2)


class LSTM(_Recurrent):
    """Long short-term memory: input, forget, cell and output gates."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True):
        super().__init__()
        self.hidden_size = hidden_size
        self.Wx = self._draw(4 * hidden_size, input_size)
        self.Wh = self._draw(4 * hidden_size, hidden_size)
        self.bias = self._draw(4 * hidden_size) if bias else None

    def _extra_repr(self):
        return "input_dims=%d, hidden_size=%d, bias=%s" % (self.Wx.shape[1], self.hidden_size, self.bias is not None)

    def __call__(self, x, hidden=None, cell=None):
        """The hidden states and the cells of every step."""
        x = self._projected(x, self.Wx, self.bias)
        states, cells = [], []
        for t in range(mx._size(x, -2)):
            gates = x[..., t, :]
            if hidden is not None:
                gates = mx.addmm(gates, hidden, self.Wh.T)
            i, f, g, o = mx.split(gates, 4, axis=-1)
            new = mx.sigmoid(i) * mx.tanh(g)
            cell = new if cell is None else mx.sigmoid(f) * cell + new
            hidden = mx.sigmoid(o) * mx.tanh(cell)
            states.append(hidden)
            cells.append(cell)
        return mx.stack(states, axis=-2), mx.stack(cells, axis=-2)
