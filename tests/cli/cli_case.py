"""Running the frit command from a test: its output, its exit status and the files that it leaves.

FRIT_CLI names the program, FRIT_GRAPHS the folder of example graphs. Needs Python's standard library alone.
"""
import ast
import math
import os
import pathlib
import struct
import subprocess
import tempfile
import unittest

FRIT = os.environ["FRIT_CLI"]
GRAPHS = pathlib.Path(os.environ["FRIT_GRAPHS"])

ADD = """func @add(%x: f32[n, 3], %y: f32[n, 3]) -> f32[n, 3] {
  %0: f32[n, 3] = add %x, %y
  return %0
}
"""
LOOP = """func @loop(%init: f32[64], %xs: f32[20, 64], %w: f32[64, 64], %p: bool[]) -> (f32[64], f32[20, 64]) {
  %0: f32[64], %1: f32[20, 64] = scan %init, %xs, %w {body=func(%c: f32[64], %x: f32[64], %w: f32[64, 64]) -> (f32[64], f32[64]) {
      %0: f32[1, 64] = reshape %c {shape=[1, 64]}
      %1: f32[1, 64] = matmul %0, %w
      %2: f32[64] = reshape %1 {shape=[64]}
      %3: f32[64] = add %2, %x
      %4: f32[64] = tanh %3
      %5: f32[64] = negative %4
      return %4, %5
    }, carried=1, length=20, scanned=1}
  %2: f32[64] = cond %p, %0, %init {else=func(%x: f32[64], %y: f32[64]) -> f32[64] {
      return %y
    }, then=func(%x: f32[64], %y: f32[64]) -> f32[64] {
      %0: f32[64] = add %x, %y
      return %0
    }}
  %3: f32[64] = exp %2
  return %3, %1
}
"""
TWO = """func @first(%x: f32[2]) -> f32[2] {
  %0: f32[2] = negative %x
  return %0
}

func @second(%x: f32[2]) -> (f32[2], f32[2]) {
  %0: f32[2] = exp %x
  %1: f32[2] = add %0, %x
  return %0, %1
}
"""


def write_npy(path, code, shape, values, fortran=False, version=1):
    """A .npy file of the struct code `code` ("f", "i", ...), byte by byte as the format says."""
    kinds = {"f": "<f4", "d": "<f8", "i": "<i4", "q": "<i8", "B": "|u1", "?": "|b1"}
    shape_text = "(" + "".join(f"{s}, " for s in shape) + ")"
    header = f"{{'descr': '{kinds[code]}', 'fortran_order': {fortran}, 'shape': {shape_text}, }}"
    size = 2 if version == 1 else 4
    header += " " * (-(8 + size + len(header) + 1) % 64) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if size == 2 else "<I", len(header)) + header.encode())
        f.write(struct.pack(f"<{len(values)}{code}", *values))


def read_npy(path):
    """(type text, shape, values) of a .npy file in row-major order."""
    data = pathlib.Path(path).read_bytes()
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:8]
    (length,) = struct.unpack("<H", data[8:10])
    assert (10 + length) % 64 == 0 and data[9 + length : 10 + length] == b"\n"
    header = ast.literal_eval(data[10 : 10 + length].decode())
    assert header["fortran_order"] is False
    kind = header["descr"]
    code = {"<f4": "f", "<f8": "d", "<i4": "i", "<i8": "q", "|u1": "B", "|b1": "?"}[kind]
    count = math.prod(header["shape"])
    return kind, header["shape"], list(struct.unpack(f"<{count}{code}", data[10 + length :]))


class CliTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def path(self, name):
        return str(self.folder / name)

    def write(self, name, text):
        (self.folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return self.path(name)

    def frit(self, *arguments, status=0, stdin="", **more):
        """Runs the command and returns (standard output, standard error)."""
        data = stdin if isinstance(stdin, bytes) else stdin.encode()
        done = subprocess.run([FRIT, *map(str, arguments)], input=data, capture_output=True, timeout=300, **more)
        error = done.stderr.decode(errors="replace")
        self.assertEqual(done.returncode, status, f"{arguments}\n{done.stdout[:2000]!r}\n{error}")
        self.assertNotIn("Sanitizer", error)
        if status:
            self.assertEqual(done.stdout, b"", "a failed command prints no result")
            self.assertTrue(error.endswith("\n"))
        return done.stdout, error

    def text(self, *arguments, **more):
        return self.frit(*arguments, **more)[0].decode()

    def error(self, status, *arguments, **more):
        return self.frit(*arguments, status=status, **more)[1]

    def files(self):
        return sorted(p.relative_to(self.folder).as_posix() for p in self.folder.rglob("*"))


main = unittest.main
