"""Layers of layers."""
from frit.nn.layers.base import Module


class Sequential(Module):
    """Calls its modules or functions one after the other."""

    def __init__(self, *modules):
        super().__init__()
        self.layers = list(modules)

    def __call__(self, x):
        """The result of the last one."""
        for layer in self.layers:
            x = layer(x)
        return x
