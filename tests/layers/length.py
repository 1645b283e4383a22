"""Checks that no source file has more than 500 lines and no function more than 80.

A function is a block in a namespace or a class whose head has a parameter list. Its length is counted from the first
line of its head to its closing brace. The test relies on the layout of clang-format: a space stands before the brace of
a body, and none before the brace of an initialiser. Python's own parser finds the functions of Python files.

Usage: length.py SOURCE_FOLDER
"""
import ast
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
FOLDERS = ("ir", "passes", "runtime", "codegen", "frontend", "tests", "bench", "examples", "cmake", "scripts")
SUFFIXES = {".h", ".cpp", ".c", ".py", ".sh", ".cmake"}
MOST_LINES, MOST_FUNCTION_LINES = 500, 80
# Written by a program, and as long as the table it is written from.
GENERATED = {"frontend/frit/elementwise.h", "frontend/ops/elementwise.cpp", "frontend/c/include/mlx/c/ops.h",
             "frontend/go/shims.h"}

# Comments, literals and preprocessor lines, which may hold braces of their own.
HIDDEN = re.compile(
    r'R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-zA-Z_])'(?:\\.|[^'\\\n])*'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*",
    re.DOTALL | re.MULTILINE,
)
SCOPE = re.compile(r"^(?:inline )?(?:namespace|extern\b)|^(?:template\b.*)?\b(?:class|struct|union|enum)\b[^()=]*$", re.DOTALL)


def blank(match):
    """White space of the same shape, so that positions keep their lines."""
    return re.sub(r"[^\n]", " ", match.group(0))


def functions(text):
    """(first line, lines, head) of each function."""
    text = HIDDEN.sub(blank, text)
    kinds, start = [], 0  # the open blocks, from the outermost one; where the head of the next one begins
    for match in re.finditer(r"[{};]", text):
        at = match.start()
        if match.group() == "{":
            head = text[start:at].strip()
            if kinds and kinds[-1][0] != "scope":
                kinds.append(("inner", start, ""))
            elif at and text[at - 1] not in " \n":
                kinds.append(("initialiser", start, ""))
                continue
            elif SCOPE.search(head):
                kinds.append(("scope", start, head))
            elif ")" in head and not head.endswith("="):
                kinds.append(("function", start, head))
            else:
                kinds.append(("inner", start, ""))
        elif match.group() == "}":
            kind, begin, head = kinds.pop() if kinds else ("inner", start, "")
            if kind == "initialiser":
                start = begin
                continue
            if kind == "function":
                first = begin + len(text[begin:at]) - len(text[begin:at].lstrip())
                yield text.count("\n", 0, first) + 1, text.count("\n", first, at) + 1, head
        if not kinds or kinds[-1][0] != "initialiser":
            start = at + 1


def functions_of_python(text):
    """The same of a file in Python, with the name as the head."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.end_lineno - node.lineno + 1, node.name


errors, files, found = [], 0, 0
for folder in FOLDERS:
    for path in sorted((root / folder).rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.suffix not in SUFFIXES or not path.is_file() or name in GENERATED:
            continue
        files += 1
        text = path.read_text()
        if (lines := text.count("\n")) > MOST_LINES:
            errors.append(f"{name}: it has {lines} lines, and {MOST_LINES} is the most; split it")
        if path.suffix in (".h", ".cpp", ".c", ".py"):
            for line, length, head in functions_of_python(text) if path.suffix == ".py" else functions(text):
                found += 1
                if length > MOST_FUNCTION_LINES:
                    head = re.sub(r"\s+", " ", head)[-70:]
                    errors.append(f"{name}:{line}: {head}: {length} lines, and {MOST_FUNCTION_LINES} is the most")

for e in errors:
    print(e)
print(f"{files} files and {found} functions checked, {len(errors)} too long")
sys.exit(1 if errors or found < 1000 else 0)
