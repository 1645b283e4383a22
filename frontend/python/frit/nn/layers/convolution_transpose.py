"""Transposed convolutions, under the name of the module that other programs import them from."""
from frit.nn.layers.convolution import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d

__all__ = ["ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"]
