"""Compares the output and the compiled code of two builds of frit: same_text.py SOURCE BUILD BUILD."""
import difflib
import pathlib
import re
import subprocess
import sys

source, first, second = map(pathlib.Path, sys.argv[1:])


def outcome(build, program, *arguments):
    done = subprocess.run([build / "bin" / program, *arguments], capture_output=True, timeout=300)
    # Compilers disagree on the column of a call: that of the name or that of the parenthesis.
    return done.returncode, re.sub(rb'(// loc "[^"]*":\d+):\d+', rb"\1", done.stdout), done.stderr


commands = [("frit_traces",), ("frit", "ops", "--json")]
for graph in sorted(source.glob("examples/graphs/*.frit")):
    for arguments in (["opt", "--emit=ir"], ["opt", "--emit=json", "--pipeline=none"], ["opt", "--remarks"], ["explain"],
                      ["compile", "--emit=llvm-ir"], ["compile", "--emit=object"]):
        commands.append(("frit", arguments[0], str(graph), *arguments[1:]))
for golden in sorted(source.glob("tests/golden/**/*.frit")):
    commands.append(("frit", "opt", str(golden), "--pipeline=none"))
    commands.append(("frit", "opt", str(golden)))

wrong = 0
for command in commands:
    one, other = outcome(first, *command), outcome(second, *command)
    if one != other or (command[0] == "frit_traces" and one[0] != 0):
        wrong += 1
        print("differs:", *command)
        texts = ([f"status {status}", *(out + error).decode(errors="replace").splitlines()] for status, out, error in (one, other))
        print(*list(difflib.unified_diff(*texts, "first", "second", lineterm="", n=1))[:20], sep="\n")
print(f"{len(commands)} commands compared, {wrong} differ")
sys.exit(1 if wrong else 0)
