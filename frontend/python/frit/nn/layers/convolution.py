"""Convolutions over (batch, ..., channels)."""
import math
from typing import Union

import frit.core as mx
from frit.nn.layers.base import Module


def _tuple(value, n):
    return (value,) * n if isinstance(value, int) else value if isinstance(value, str) else tuple(value)


class _Conv(Module):
    """The base of convolutions: weights, and the text of their options."""

    def _set(self, in_channels, out_channels, kernel, groups, bias):
        if in_channels % groups != 0:
            raise ValueError("%s: %d input channels do not divide into %d groups" % (type(self).__name__, in_channels, groups))
        scale = math.sqrt(1 / (in_channels // groups * math.prod(kernel)))
        self.weight = mx.random.uniform(low=-scale, high=scale, shape=(out_channels, *kernel, in_channels // groups))
        if bias:
            self.bias = mx.zeros((out_channels,))

    def _biased(self, y):
        return y + self.bias if "bias" in self else y

    def _options(self, names):
        kernel = self.weight.shape[1:-1]
        text = "%d, %d, kernel_size=%s" % (self.weight.shape[-1] * getattr(self, "groups", 1), self.weight.shape[0],
                                          kernel if len(kernel) > 1 else kernel[0])
        for name in names:
            text += ", %s=%s" % (name, getattr(self, name))
        return text + ", bias=%s" % ("bias" in self)


class Conv1d(_Conv):
    """Convolution over (batch, length, channels)."""

    def __init__(self, in_channels: int, out_channels: int, kernel_size: int, stride: int = 1, padding: int = 0, dilation: int = 1,
                 groups: int = 1, bias: bool = True):
        super().__init__()
        self._set(in_channels, out_channels, (kernel_size,), groups, bias)
        self.padding, self.dilation, self.stride, self.groups = padding, dilation, stride, groups

    def _extra_repr(self):
        return self._options(["stride", "padding", "dilation", "groups"])

    def __call__(self, x):
        """The convolution of x."""
        return self._biased(mx.conv1d(x, self.weight, self.stride, self.padding, self.dilation, self.groups))


class Conv2d(_Conv):
    """Convolution over (batch, height, width, channels)."""

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Union[int, tuple], stride: Union[int, tuple] = 1,
                 padding: Union[int, tuple] = 0, dilation: Union[int, tuple] = 1, groups: int = 1, bias: bool = True):
        super().__init__()
        self._set(in_channels, out_channels, _tuple(kernel_size, 2), groups, bias)
        self.padding, self.stride, self.dilation, self.groups = _tuple(padding, 2), _tuple(stride, 2), dilation, groups

    def _extra_repr(self):
        return self._options(["stride", "padding", "dilation", "groups"])

    def __call__(self, x):
        """The convolution of x."""
        return self._biased(mx.conv2d(x, self.weight, self.stride, self.padding, self.dilation, self.groups))


class Conv3d(_Conv):
    """Convolution over (batch, depth, height, width, channels)."""

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Union[int, tuple], stride: Union[int, tuple] = 1,
                 padding: Union[int, tuple] = 0, dilation: Union[int, tuple] = 1, bias: bool = True):
        super().__init__()
        self._set(in_channels, out_channels, _tuple(kernel_size, 3), 1, bias)
        self.padding, self.stride, self.dilation = _tuple(padding, 3), _tuple(stride, 3), dilation

    def _extra_repr(self):
        return self._options(["stride", "padding", "dilation"])

    def __call__(self, x):
        """The convolution of x."""
        return self._biased(mx.conv3d(x, self.weight, self.stride, self.padding, self.dilation))


class ConvTranspose1d(_Conv):
    """Transposed convolution over (batch, length, channels)."""

    def __init__(self, in_channels: int, out_channels: int, kernel_size: int, stride: int = 1, padding: int = 0, dilation: int = 1,
                 output_padding: int = 0, bias: bool = True):
        super().__init__()
        self._set(in_channels, out_channels, (kernel_size,), 1, bias)
        self.padding, self.dilation, self.stride, self.output_padding = padding, dilation, stride, output_padding

    def _extra_repr(self):
        return self._options(["stride", "padding", "dilation", "output_padding"])

    def __call__(self, x):
        """The transposed convolution of x."""
        return self._biased(mx.conv_transpose1d(x, self.weight, self.stride, self.padding, self.dilation, self.output_padding))


class ConvTranspose2d(_Conv):
    """Transposed convolution over (batch, height, width, channels)."""

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Union[int, tuple], stride: Union[int, tuple] = 1,
                 padding: Union[int, tuple] = 0, dilation: Union[int, tuple] = 1, output_padding: Union[int, tuple] = 0, bias: bool = True):
        super().__init__()
        self._set(in_channels, out_channels, _tuple(kernel_size, 2), 1, bias)
        self.padding, self.stride, self.dilation = _tuple(padding, 2), _tuple(stride, 2), dilation
        self.output_padding = _tuple(output_padding, 2)

    def _extra_repr(self):
        return self._options(["stride", "padding", "dilation", "output_padding"])

    def __call__(self, x):
        """The transposed convolution of x."""
        return self._biased(mx.conv_transpose2d(x, self.weight, self.stride, self.padding, self.dilation, self.output_padding))


class ConvTranspose3d(_Conv):
    """Transposed convolution over (batch, depth, height, width, channels)."""

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Union[int, tuple], stride: Union[int, tuple] = 1,
                 padding: Union[int, tuple] = 0, dilation: Union[int, tuple] = 1, output_padding: Union[int, tuple] = 0, bias: bool = True):
        super().__init__()
        self._set(in_channels, out_channels, _tuple(kernel_size, 3), 1, bias)
        self.padding, self.stride, self.dilation = _tuple(padding, 3), _tuple(stride, 3), dilation
        self.output_padding = _tuple(output_padding, 3)

    def _extra_repr(self):
        return self._options(["stride", "padding", "dilation", "output_padding"])

    def __call__(self, x):
        """The transposed convolution of x."""
        return self._biased(mx.conv_transpose3d(x, self.weight, self.stride, self.padding, self.dilation, self.output_padding))
