"""Layers, losses and initialisers over frit.core."""
from frit.nn import init, layers, losses, utils
from frit.nn.layers import *
from frit.nn.utils import average_gradients, value_and_grad
