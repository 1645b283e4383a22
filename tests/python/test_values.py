"""Measured results of expressions: values.json has them. differences.md explains where frit differs on purpose."""
import json
import pathlib

import values

CASES = json.loads((pathlib.Path(__file__).parent / "values.json").read_text())["cases"]


def test_values():
    assert len(CASES) > 300
    wrong = [(c["id"], why) for c in CASES if (why := values.failure(c))]
    assert not wrong, "%d of %d:\n" % (len(wrong), len(CASES)) + "\n".join("%s: %s" % w for w in wrong)


def test_the_comparison_notices_differences():
    case = next(c for c in CASES if c["expr"] == "mx.add(a0, a1)" and "error" not in c)
    assert values.failure(case) is None
    broken = json.loads(json.dumps(case).replace("mx.add", "mx.subtract"))
    assert values.failure(broken)
    assert values.failure({**case, "error": "ValueError"})
    assert values.failure({"expr": "mx.zeros(-1)", "error": "TypeError"})
