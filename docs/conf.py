"""The documentation as a site: sphinx-build -W docs FOLDER, with the Python package on PYTHONPATH."""
import importlib
import inspect
import re

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

project = "frit"
root_doc = "contents"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "frit"
html_show_copyright = False
myst_heading_anchors = 4
default_role = "literal"
highlight_language = "none"


def signatures_and_text(name, value):
    """The lines `name(...)` that a docstring begins with, or the signature that Python knows, and the rest."""
    lines = (inspect.getdoc(value) or "").splitlines()
    found = []
    while lines and re.match(r"%s\(" % re.escape(name), lines[0]):
        found.append(lines.pop(0))
    if not found:
        try:
            found = [name + str(inspect.signature(getattr(value, "__wrapped__", value)))]
        except (TypeError, ValueError):
            found = [name]
    # A bar outside of code would be a substitution.
    lines = ["`".join(part if i % 2 else part.replace("|", r"\|") for i, part in enumerate(line.split("`"))) for line in lines]
    # Defaults such as functions have an address in their text.
    return [re.sub(r"<(?:function |class ')?([\w.]+)[^>]*>", r"\1", s) for s in found], lines


class Names(SphinxDirective):
    """`.. names:: MODULE` describes every public name that the module defines, classes with their methods."""

    required_arguments = 1

    def run(self):
        module = importlib.import_module(self.arguments[0])
        lines = [".. py:module:: " + module.__name__, ""]
        for name in sorted(n for n in vars(module) if not n.startswith("_")):
            value = getattr(module, name)
            own = getattr(value, "__module__", None)
            if inspect.ismodule(value) or not own or not own.startswith("frit") or not callable(value):
                continue
            lines += self.describe(name, value)
        node = nodes.section()
        node.document = self.state.document
        self.state.nested_parse(StringList(lines, self.arguments[0]), self.content_offset, node)
        return node.children

    def describe(self, name, value, kind=None):
        is_class = inspect.isclass(value)
        signatures, text = signatures_and_text(name, value)
        if is_class:
            text = signatures_and_text("", value)[1]
        head = ".. py:%s:: " % (kind or ("class" if is_class else "function"))
        lines = [head + signatures[0]]
        lines += [" " * len(head) + s for s in signatures[1:]] + ["   :no-index-entry:", ""] + ["   " + t for t in text] + [""]
        for member, method in sorted(vars(value).items()) if is_class else ():
            if member.startswith("_") or not (callable(method) or isinstance(method, property)):
                continue
            kind = "property" if isinstance(method, property) else "method"
            lines += ["   " + line for line in self.describe(member, method, kind)]
        return lines


def setup(app):
    app.add_directive("names", Names)
    return {"parallel_read_safe": True}
