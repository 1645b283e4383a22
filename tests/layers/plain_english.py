"""Checks comments and documentation for offences against plain English that a program can see.

CONTRIBUTING.md has the rules. This test sees three offences: a sentence that begins with "What" and is no question, a
comment line of more than 120 columns, and a source file whose first line does not say what the file is.

Usage: plain_english.py SOURCE_FOLDER
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
FOLDERS = ("ir", "passes", "codegen", "runtime", "frontend", "tests", "bench", "examples", "cmake", "scripts", "docs")
WIDTH = 120
SLASHES = {".h", ".cpp", ".c", ".frit"}
HASHES = {".py", ".sh", ".cmake", ".txt"}

# A sentence begins at the start of a block or behind the end of another one, and ends at a full stop, a colon or a
# question mark that white space follows.
SENTENCE = re.compile(r"(?:^|(?<=[.!?:])\s+)(What\b.*?(?:[.:](?=\s|$)|\?|$))", re.DOTALL)
RAW_STRING = re.compile(r'R"([^(\s]*)\(.*?\)\1"', re.DOTALL)
SLASH_COMMENT = re.compile(r'^(?:[^"\']|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\')*?//[/<]? ?(.*)$')


def newlines(match):
    return "\n" * match.group(0).count("\n")


def files():
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SLASHES | HASHES | {".md"} and path.is_file():
                yield path
    yield from sorted(root.glob("*.md"))
    yield root / "CMakeLists.txt"


def comments(path, lines):
    """Blocks of text with the number of their first line: consecutive comment lines, or paragraphs."""
    block, start = [], 0
    docstring = False
    for number, line in enumerate([*lines, ""], 1):
        if path.suffix == ".md":
            text = line if line.strip() and not line.startswith(("#", "|", "```")) else None
        elif path.suffix in SLASHES:
            match = SLASH_COMMENT.match(line) if "//" in line else None
            text = match.group(1) if match else None
        else:
            quotes = line.count('"""')
            if path.suffix == ".py" and (docstring or quotes):
                text = line.replace('"""', "").strip() or None
                docstring ^= quotes % 2 == 1
            else:
                match = re.match(r"^\s*# ?(?!!)(.*)$", line)
                text = match.group(1) if match else None
        if text:
            start = start if block else number
            block.append(text.strip())
        elif block:
            yield start, " ".join(block)
            block = []


def says_what_it_is(path, lines):
    if path.suffix in (".h", ".cpp"):
        return lines[0].startswith(("// ", "/* "))  # the second in headers for C
    if path.suffix == ".py":
        return lines[1 if lines[0].startswith("#!") else 0].startswith('"""')
    if path.suffix in (".sh", ".cmake"):
        return lines[1 if lines[0].startswith("#!") else 0].startswith("# ")
    return True


errors, checked = [], 0
for path in files():
    name = path.relative_to(root).as_posix()
    lines = path.read_text().splitlines()
    if not lines:
        continue
    checked += 1
    if not says_what_it_is(path, lines):
        errors.append(f"{name}:1: the first line does not say what the file is")
    if path.suffix in (".h", ".cpp"):
        for number, line in enumerate(RAW_STRING.sub(newlines, path.read_text()).splitlines(), 1):
            if len(line) > WIDTH and re.match(r"^\s*//", line):
                errors.append(f"{name}:{number}: this comment has {len(line)} columns, and {WIDTH} is the most")
    for number, text in comments(path, lines):
        for sentence in SENTENCE.findall(text):
            if not sentence.endswith("?"):
                errors.append(f"{name}:{number}: name the subject: {sentence[:70]}")

for e in errors:
    print(e)
print(f"{checked} files checked, {len(errors)} offences")
sys.exit(1 if errors or checked < 100 else 0)
