"""Files: exception types of what cannot be written or read, and the order of names."""
import gc
import io
import json
import os
import struct
import sys
import zipfile

import numpy as np
import pytest

import frit.core as mx


@pytest.mark.parametrize("write", [mx.save_safetensors, mx.save_gguf])
@pytest.mark.parametrize("arrays", [{"a": 3}, {1: mx.ones(1)}, {"a": {"b": mx.ones(1)}}, {"a": np.ones(2)}])
def test_values_that_are_no_arrays(tmp_path, write, arrays):
    with pytest.raises(RuntimeError):
        write(str(tmp_path / "a"), arrays)
    with pytest.raises(TypeError):
        write(str(tmp_path / "a"), [mx.ones(1)])


def test_metadata_of_another_type(tmp_path):
    with pytest.raises(ValueError):
        mx.save_safetensors(str(tmp_path / "a"), {"a": mx.ones(1)}, {"k": 1})
    with pytest.raises(TypeError):
        mx.save_safetensors(str(tmp_path / "a"), {"a": mx.ones(1)}, metadata=3)
    with pytest.raises(RuntimeError):
        mx.save_gguf(str(tmp_path / "a"), {"a": mx.ones(1)}, {"k": 3})


@pytest.mark.parametrize("save", [mx.savez, mx.savez_compressed])
def test_archives_on_a_full_disk(tmp_path, monkeypatch, save):
    lost = []
    monkeypatch.setattr(sys, "unraisablehook", lost.append)
    full = tmp_path / "full.npz"
    full.symlink_to("/dev/full")
    for target in (str(full), open("/dev/full", "wb", buffering=0)):
        with pytest.raises(OSError, match="No space left"):
            save(target, mx.random.normal((1000,)))
        gc.collect()
    assert lost == []
    kept = tmp_path / "kept.npz"
    save(str(kept), a=mx.ones(2))
    kept.chmod(0o640)
    monkeypatch.setattr(zipfile.ZipFile, "writestr", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        save(str(kept), a=mx.zeros(2))
    monkeypatch.undo()
    assert mx.load(str(kept))["a"].tolist() == [1, 1] and sorted(os.listdir(tmp_path)) == ["full.npz", "kept.npz"]
    save(str(kept), a=mx.zeros(2))
    assert mx.load(str(kept))["a"].tolist() == [0, 0] and kept.stat().st_mode & 0o777 == 0o640


def test_archives(tmp_path):
    for value in (3, [mx.ones(1)], {"a": mx.ones(1)}, np.ones(2)):
        with pytest.raises(RuntimeError):
            mx.savez(str(tmp_path / "a"), value)
    mx.savez(str(tmp_path / "a"), mx.ones(1), z=mx.ones(2))
    assert list(mx.load(str(tmp_path / "a.npz"))) == ["z", "arr_0"]


def test_a_file_without_a_name_needs_a_format():
    file = io.BytesIO()
    mx.save(file, mx.arange(3))
    file.seek(0)
    with pytest.raises(AttributeError):
        mx.load(file)
    assert mx.load(file, format="npy").tolist() == [0, 1, 2]


def test_exported_functions_return_arrays_in_order(tmp_path):
    path, x = str(tmp_path / "f.frit"), mx.array(1.0)
    for wrong in (lambda x: {"a": x}, lambda x: [x, (x,)], lambda x: 3, lambda x: None):
        with pytest.raises(ValueError):
            mx.export_function(path, wrong, x)
    for right, count in ((lambda x: x + 1, 1), (lambda x: (x, x * 2), 2), (lambda x: [x], 1)):
        mx.export_function(path, right, x)
        assert len(mx.import_function(path)(x)) == count


def test_bytes_behind_an_array_are_left_alone():
    file = io.BytesIO()
    np.save(file, np.arange(3))
    file.write(b"more")
    file.seek(0)
    assert mx.load(file, format="npy").tolist() == [0, 1, 2]


@pytest.mark.parametrize("kind", ["F8_E4M3", "F8_E8M0"])
def test_eight_bit_floats_are_read_as_bytes(tmp_path, kind):
    values = mx.array([1.0, -2.5, 0.0, 448.0])
    header = json.dumps({"x": {"dtype": kind, "shape": [2, 2], "data_offsets": [0, 4]}}).encode()
    path = tmp_path / "x.safetensors"
    path.write_bytes(struct.pack("<Q", len(header)) + header + bytes(mx.to_fp8(values).tolist()))
    x = mx.load(str(path))["x"]
    assert x.dtype == mx.uint8 and mx.from_fp8(x, mx.float32).reshape(-1).tolist() == values.tolist()


def test_metadata_of_a_format_without_it():
    for name in ("none.npy", "none.npz"):
        with pytest.raises(ValueError):
            mx.load(name, return_metadata=True)


def test_arrays_of_other_libraries_with_types_that_arrays_lack(tmp_path):
    path = str(tmp_path / "other.npy")
    for other in (np.array(["a"]), np.array([b"a"]), np.array([1], [("a", "i4")]), np.array(["2020-01-01"], "M8[D]"),
                  np.array([1j]), np.array([1], np.longdouble)):
        np.save(path, other)
        with pytest.raises(ValueError):
            mx.load(path)
    np.savez(str(tmp_path / "other.npz"), np.array(["a"]))
    with pytest.raises(ValueError):
        mx.load(str(tmp_path / "other.npz"))
    with open(path, "r+b") as file:  # a damaged file stays an error of the file
        file.truncate(40)
    with pytest.raises(RuntimeError):
        mx.load(path)


class Bare:
    """A file that can be read, and nothing else."""

    def __init__(self, data):
        self.read = io.BytesIO(data).read


@pytest.mark.parametrize("write", [mx.save, lambda file, a: np.save(file, np.array(a))])
def test_arrays_behind_each_other_in_one_file(tmp_path, write):
    arrays = [mx.arange(3), mx.ones((2, 2)), mx.array(5, dtype=mx.int16), mx.zeros((0, 4)), mx.arange(2.0)]
    path = tmp_path / "many.npy"
    with open(path, "wb") as file:
        for a in arrays:
            write(file, a)
        file.write(b"the end")
    memory = io.BytesIO(path.read_bytes())
    with open(path, "rb") as file:
        for source in [file, memory]:
            for a in arrays:
                got = mx.load(source, format="npy")
                assert got.dtype == a.dtype and got.shape == a.shape and mx.array_equal(got, a)
            assert source.read() == b"the end"
            source.seek(0)
            for a in arrays:
                assert np.array_equal(np.load(source), np.array(a))
            with pytest.raises(RuntimeError):
                mx.load(source, format="npy")
    assert mx.load(str(path)).tolist() == [0, 1, 2]
    assert mx.load(Bare(path.read_bytes()), format="npy").tolist() == [0, 1, 2]
    # A pipe cannot go back.
    reader, writer = os.pipe()
    os.write(writer, path.read_bytes())
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        assert mx.load(pipe, format="npy").tolist() == [0, 1, 2]


def test_an_exported_function_without_a_file():
    with pytest.raises(RuntimeError):
        mx.export_function("", lambda x: x, mx.ones(1))
