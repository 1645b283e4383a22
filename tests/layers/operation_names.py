"""Checks that no code compares the name of an operation: a pass, a backend or a tool asks the row for its traits and rules.

Offences are comparisons of a row's name (`def->name`, `def.name`, or a variable that was set to one) and of a row with
one that is looked up by name. Each has to be a trait, a rule or a record of the row instead.

Usage: operation_names.py SOURCE_FOLDER
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
ROOMS = ("ir", "passes", "codegen", "runtime", "frontend")
NAME = r"\bdef(?:\(\))?(?:->|\.)name\b"
LOOKED_UP = r"&\s*(?:ir::)?op\("
OF_NAME = re.compile(r"\b(\w+)\s*(?:=|\(|\{)\s*(?:std::string(?:_view)?\s*\()?[\w.\[\]()>-]*" + NAME)
COMPARED = re.compile(rf"{NAME}\s*[!=]=|[!=]=\s*[\w.\[\]()>-]*{NAME}|[!=]=\s*{LOOKED_UP}|{LOOKED_UP}[^;]*?\)\s*[!=]=")


def offences(text):
    """The lines of a file that compare a name."""
    lines = [line.split("//")[0] for line in text.split("\n")]
    held = {}  # a variable, and the line that set it
    for number, line in enumerate(lines, 1):
        for name in OF_NAME.findall(line):
            held.setdefault(name, number)
    for number, line in enumerate(lines, 1):
        by_variable = any(
            number > first and re.search(rf'(?<![.>\w]){name}\s*[!=]=\s*"|"\s*[!=]=\s*{name}\b', line)
            for name, first in held.items())
        if by_variable or COMPARED.search(line):
            yield number


# The check itself: each of these has to be an offence.
for sample in ('if (op->def->name == "add") return;', 'return op.def->name != wanted;', 'if (op.def == &op("matmul"))',
               'const std::string_view name = op->def->name;\nif (name == "select")'):
    if not list(offences(sample)):
        sys.exit(f"this script does not see: {sample}")

found = []
for room in ROOMS:
    for file in sorted((root / room).rglob("*")):
        if file.suffix in (".cpp", ".h"):
            found += [f"{file.relative_to(root)}:{number}: compares the name of an operation; ask its row for a trait or a rule"
                      for number in offences(file.read_text())]
if found:
    sys.exit("\n".join(found))
