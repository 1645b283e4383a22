"""Checks that the public headers declare every name that programs for MLX may use.

public_names.txt lists the names: functions and types with their namespace inside of frit, members as Type.member.
open_names.txt lists those of them that are not there yet; a name that has come must leave it, so that it only shrinks.

Usage: public_names.py SOURCE_FOLDER
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
HERE = root / "tests/layers"
SPACE = re.compile(r"^(?:inline )?namespace ([\w:]+) \{")


def names_of(file):
    """The lines of a list, without comments."""
    return [line for line in file.read_text().split("\n") if line and not line.startswith("#")]


def declared():
    """The text of each namespace inside of frit, over all public headers."""
    spaces = {}
    for folder in ("frontend/frit", "ir/base/frit"):
        for header in sorted((root / folder).rglob("*.h")):
            stack = []
            for line in header.read_text().split("\n"):
                code = line.split("//")[0]
                if found := SPACE.match(code):
                    stack.append(found[1])
                elif line.startswith("}  // namespace") and stack:
                    stack.pop()
                elif code.strip():
                    spaces.setdefault("::".join(stack).removeprefix("frit").removeprefix("::"), []).append(code)
    return {space: "\n".join(lines) for space, lines in spaces.items()}


spaces = declared()


def is_there(name):
    space, _, rest = name.rpartition("::")
    text = spaces.get(space, "")
    if "." in rest:
        kind, member = rest.split(".")
        return bool(re.search(rf"\b{kind}\b", text) and re.search(rf"\b{member}\b", text))
    return bool(re.search(rf"\b{rest}\(", text) or re.search(rf"\b(?:struct|class|enum class|using) {rest}\b", text))


wanted, still_open = names_of(HERE / "public_names.txt"), names_of(HERE / "open_names.txt")
errors = [f"open_names.txt: '{n}' is not in public_names.txt" for n in still_open if n not in wanted]
for name in wanted:
    if name in still_open and is_there(name):
        errors.append(f"open_names.txt: '{name}' is there now; remove it from the list")
    if name not in still_open and not is_there(name):
        errors.append(f"public headers: '{name}' is missing")
print("\n".join(errors + [f"{len(wanted)} names checked, {len(still_open)} open, {len(errors)} wrong"]))
sys.exit(bool(errors))
