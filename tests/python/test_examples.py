"""The example programs, in short runs."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"))

import pytest

import frit.core as mx
import gelu
import language_model
import lstm_and_convolutions
import train_mlp


def test_gelu():
    assert all(t > 0 for t in gelu.main(2**16))


def test_mlp():
    losses, accuracy = train_mlp.main(steps=25, batch=128, width=64)
    assert losses[-1] < losses[0] / 2 and accuracy > 0.8


@pytest.fixture
def gpu():
    """The GPU as the default device, a software one too."""
    if not mx.is_available(mx.gpu):
        pytest.skip("there is no Vulkan device")
    before = mx.default_device()
    mx.set_default_device(mx.gpu)
    yield
    mx.set_default_device(before)


def test_on_a_gpu(gpu):
    assert all(t > 0 for t in gelu.main(2**12))
    losses, accuracy = train_mlp.main(steps=6, batch=64, width=32)
    assert losses[-1] < losses[0] / 2 and accuracy > 0.8


@pytest.mark.parametrize("program, short", [(language_model, (2, 1, 2, 1)), (lstm_and_convolutions, (2, 2, 2))])
def test_a_gpu_gives_what_the_cpu_gives(gpu, program, short):
    on_gpu = program.main(*short)
    mx.set_default_device(mx.cpu)
    for found, expected in zip(on_gpu, program.main(*short)):
        assert found == pytest.approx(expected, rel=1e-3)


def test_language_model():
    losses, words, tuned = language_model.main(steps=40, more=6)
    assert losses[-1] < 0.6 < losses[0] and len(words) == 15
    # After "." comes "the", and after "a" a "bird".
    follow = dict(zip([0] + words, words))
    assert follow[language_model.WORDS.index("a")] == language_model.WORDS.index("bird")
    assert tuned[-1] < 1.0


def test_lstm_and_convolutions():
    losses, found, accuracy = lstm_and_convolutions.main()
    assert losses[-1] < losses[0] / 3 and accuracy > 0.9


def test_pages_at_exit(tmp_path):
    # They are written after the interpreter's end, and run plans of several steps.
    program = "import frit.core as mx\nf = mx.compile(lambda x: mx.exp(x @ x).sum(axis=0) @ x, name='steps')\nmx.eval(f(mx.ones((64, 64))))"
    done = subprocess.run([sys.executable, "-c", program], env={**os.environ, "FRIT_REPORT": str(tmp_path)}, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert '"status":"complete"' in (tmp_path / "steps.html").read_text()
