"""Every Python block of the documentation runs, in the order of its page, and the site builds without a warning."""
import pathlib
import re
import subprocess
import sys

import pytest

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
PAGES = sorted((DOCS / "python").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_page(page):
    text = page.read_text()
    names = {"__name__": "page"}
    for match in re.finditer(r"^```python\n(.*?)^```", text, re.M | re.S):
        line = text[: match.start()].count("\n") + 2
        exec(compile("\n" * (line - 1) + match[1], str(page), "exec"), names)


def test_site(tmp_path):
    for needed in ("sphinx", "myst_parser", "furo"):
        pytest.importorskip(needed)
    subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-j", "2", DOCS, tmp_path / "site"], check=True)
    page = (tmp_path / "site" / "python" / "reference" / "core.html").read_text()
    for name in ("logaddexp", "array", "compile", "reshape"):
        assert f'<span class="pre">{name}</span>' in page, name
