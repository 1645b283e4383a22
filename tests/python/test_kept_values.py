"""The values of a forward pass that a compiled step keeps for its backward pass, in its report and its explanation."""
import json

import frit.core as mx


def kept_for_the_backward_pass(step, arguments, tmp_path):
    step(*arguments)
    step.report(str(tmp_path / "page.json"))
    remarks = json.loads((tmp_path / "page.json").read_text())["remarks"]
    return [r for r in remarks if r["text"].startswith("kept for the backward pass")]


def test_report_of_a_step_has_the_values_of_its_forward_pass(tmp_path):
    w, v, x = mx.ones((32, 64)), mx.ones((64, 16)), mx.ones((8, 32))

    def output(w, v, x):
        return mx.tanh(x @ w) @ v

    def kept(function):
        def loss(w, v, x):
            return mx.square(function(w, v, x)).sum()

        def step(w, v, x):
            value, (dw, dv) = mx.value_and_grad(loss, argnums=(0, 1))(w, v, x)
            return value, w - 0.1 * dw, v - 0.1 * dv

        return kept_for_the_backward_pass(mx.compile(step), (w, v, x), tmp_path)

    # The hidden values, once, and the output that the square is of.
    *each, whole = kept(output)
    assert whole["text"].endswith("in all: 2560 bytes")
    assert {r["text"].split("of type ")[1].split(",  ")[0].split(" bytes")[0] for r in each} == {
        "f32[8, 64], 2048", "f32[8, 16], 512"}
    line = output.__code__.co_firstlineno + 1
    assert any(f"test_kept_values.py:{line}" in r["at"] for r in each)
    # A checkpoint keeps none of its values.
    *each, whole = kept(mx.checkpoint(output))
    assert whole["text"].endswith("in all: 512 bytes") and len(each) == 1
    # A function without a derivative has no backward pass.
    assert kept_for_the_backward_pass(mx.compile(output), (w, v, x), tmp_path) == []
    # The tangents of a gradient are those of its backward pass.
    *each, whole = kept_for_the_backward_pass(
        mx.compile(lambda w: mx.jvp(mx.grad(lambda w: output(w, v, x).sum()), (w,), (w,))[1][0]), (w,), tmp_path)
    assert whole["text"].endswith("bytes") and each


def test_explain_of_a_step_has_the_values_that_its_backward_pass_reads():
    x = mx.ones((8, 32))

    def hidden(w):
        return mx.tanh(x @ w)

    def loss(w):
        return mx.logsumexp(hidden(w) @ w.T)

    step, forward = mx.compile(lambda w: mx.value_and_grad(loss)(w)), mx.compile(loss)
    step(mx.ones((32, 64))), forward(mx.ones((32, 64)))

    def kept(size):
        return [t for t in step.explain().splitlines() if f"'tanh' of type f32[8, {size}], {32 * size} bytes" in t]

    assert len(kept(64)) == 1 and "kept for the backward pass: " in kept(64)[0]
    assert f"{__file__}:{hidden.__code__.co_firstlineno + 1})" in kept(64)[0]
    assert step.explain().count("kept for the backward pass in all: ") == 1
    assert "backward" not in forward.explain()
    # Of each trace.
    step(mx.ones((32, 16)))
    assert len(kept(64)) == 1 and len(kept(16)) == 1
    assert step.explain().count("kept for the backward pass in all: ") == 2
    # Nothing is stored where one kernel computes both passes.
    cheap = mx.compile(mx.grad(lambda v: mx.square(mx.exp(v) + 1.0).sum()))
    cheap(mx.ones(1000))
    assert "kept" not in cheap.explain()


def test_the_rules_of_a_user_are_a_backward_pass(tmp_path):
    @mx.custom_function
    def scores(x, w):
        return mx.exp(x @ w)

    @scores.vjp
    def scores_vjp(primals, cotangent, output):
        x, w = primals
        inner = cotangent * output
        return inner @ w.T, x.T @ inner

    def step(x, w):
        value, grad = mx.value_and_grad(lambda w: mx.square(scores(x, w) @ w.T).sum())(w)
        return value, w - 0.1 * grad

    *each, whole = kept_for_the_backward_pass(mx.compile(step), (mx.ones((8, 32)), mx.ones((32, 64))), tmp_path)
    assert any("'exp' of type f32[8, 64], 2048 bytes" in r["text"] for r in each), each
    # The rule's own values are none of the forward pass.
    assert all("'exp'" in r["text"] or "'matmul'" in r["text"] for r in each), each


def test_only_what_the_backward_pass_computes_again_is_named():
    x, w = mx.random.uniform(shape=(64, 50)), mx.random.uniform(shape=(50, 8))

    def prepared(x):
        rows = x / x.sum(1, keepdims=True)
        return mx.cumsum(rows, 0).max(), (rows - rows.max(0)).sum(1).min()

    def loss(w, scale, shift, x):
        hidden = x @ w
        return mx.square(hidden / mx.square(hidden).sum(1, keepdims=True) * scale + shift).sum()

    step = mx.compile(lambda x, w: mx.value_and_grad(loss)(w, *prepared(x), x))
    step(x, w)
    again = [t for t in step.explain().splitlines() if "computed again" in t]
    assert again and all("computed again for the backward pass: " in t for t in again), again
    lines = {t.rsplit(":", 1)[1].rstrip(")") for t in again}
    first, of_loss = prepared.__code__.co_firstlineno, loss.__code__.co_firstlineno
    assert not lines & {str(first + 1), str(first + 2)}, again
    assert lines <= {str(of_loss + 1), str(of_loss + 2)}, again
