"""The bindings read Python's objects through functions of the stable ABI, so that one wheel serves every version from 3.12 on."""
import pathlib
import re

import pytest

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "frontend" / "python"

# Names that headers for the stable ABI leave out: macros that read an object's memory, private functions, and those below.
OUTSIDE = re.compile(r"\b(?:Py(?:Tuple|List|Sequence_Fast|Bytes|Unicode|Dict|Method|Function)_(?:GET_\w+|SET_ITEM|ITEMS)|PyFloat_AS_DOUBLE"
                     r"|PyMethod_Check|PyFunction_Check|Py_complex|PyComplex_AsCComplex|PyComplex_FromCComplex|PyUnicode_AsUTF8"
                     r"|PyGILState_Check|PyFrame_Get(?:Back|Lasti|Locals|Globals)|PyTuple_GET_\w+|_Py\w+)\b(?=\()"
                     r"|\bPy_complex\b|->(?:ob|tp|co|f)_\w+")


def outside(text):
    """The names outside of the stable ABI in a source, but for the parts that are left out of a build for it."""
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"#else\n.*?#endif\n(?=#endif\n)", "#else\n", text, flags=re.S)  # an inner condition first
    text = re.sub(r"#if defined\(Py_LIMITED_API\)\n(.*?)#else\n.*?#endif\n", r"\1", text, flags=re.S)
    return OUTSIDE.findall(text)


@pytest.mark.parametrize("path", sorted([*SOURCES.glob("*/*.cpp"), *SOURCES.glob("*/*.h")]), ids=lambda p: p.stem)
def test_source(path):
    assert outside(path.read_text()) == []


def test_the_search_notices():
    for line in ("PyTuple_GET_ITEM(p, 0)", "PySequence_Fast_ITEMS(p)", "const Py_complex c = x;", "_PyObject_GetDictPtr(self)", "code->co_filename"):
        assert outside(line), line
    guarded = "#if defined(Py_LIMITED_API)\nA\n#else\nint f() { return PyFrame_GetLasti(g); }\n#endif\n"
    assert outside(guarded) == [] and outside(guarded.replace("#else\n", ""))
    assert outside("NB_TUPLE_GET_ITEM(p, 0); PyTuple_GetItem(p, 0);") == []


def test_the_wheel_says_so():
    root = SOURCES.parents[1]
    assert 'wheel.py-api = "cp312"' in (root / "pyproject.toml").read_text()
    assert "STABLE_ABI" in (SOURCES / "CMakeLists.txt").read_text()
