"""The facts about a namespace that the array API standard asks for."""
import frit.core as mx

_NAMES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "complex64", "float64")


class ArrayNamespaceInfo:
    """Capabilities, devices and element types of frit.core."""

    def capabilities(self):
        """Whether values may choose shapes, and how many axes there may be."""
        return {"boolean indexing": False, "data-dependent shapes": False, "max dimensions": None}

    def default_device(self):
        """The device of operations that name none."""
        return mx.default_device()

    def default_dtypes(self, *, device=None):
        """The element type of each kind of number."""
        return {"real floating": mx.float32, "complex floating": mx.complex64, "integral": mx.int32, "indexing": mx.int32}

    def devices(self):
        """The devices that can run programs."""
        return tuple(mx.Device(t, i) for t in (mx.cpu, mx.gpu) for i in range(mx.device_count(t)))

    def dtypes(self, *, device=None, kind=None):
        """The element types by name, of the kinds that are asked for."""
        types = {name: getattr(mx, "bool_" if name == "bool" else name) for name in _NAMES}
        if kind is None:
            return types
        kinds = kind if isinstance(kind, tuple) else (kind,)
        return {name: t for name, t in types.items() if mx.isdtype(t, kinds)}
