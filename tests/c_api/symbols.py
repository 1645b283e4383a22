"""Checks what libmlxc.so exports, and that a test calls each of its functions.

Usage: symbols.py NM FRONTEND_C TESTS LIBRARY...
"""
import pathlib
import re
import subprocess
import sys

nm, interface, tests = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
listed = set((interface / "symbols.txt").read_text().split())
own = set(re.findall(r"\b(frit_\w+)\(", (interface / "include/frit_c.h").read_text()))
errors = [] if len(listed) == 620 else [f"symbols.txt has {len(listed)} names, not 620"]

for library in sys.argv[4:]:
    output = subprocess.run([nm, "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    exported = {line.split()[-1].split("@")[0] for line in output.splitlines()}
    exported -= {n for n in exported if n.startswith(("__asan", "__odr_asan", "__tsan", "__ubsan", "__sancov"))}
    errors += [f"{library} does not export {n}" for n in sorted((listed | own) - exported)]
    errors += [f"{library} exports {n}" for n in sorted(exported - listed - own)]

# Macros of the tests put some names together: KERNEL(metal) calls mlx_fast_metal_kernel_new.
text = "\n".join(p.read_text() for p in sorted(tests.glob("*.c")))
called = set(re.findall(r"\b_?(?:mlx|frit)_\w+", text))
for head, tail in re.findall(r"\b((?:mlx|frit)_\w*)##\w+##(\w+)", text):
    called |= {n for n in listed if n.startswith(head) and n.endswith(tail)}
for head in re.findall(r"\b((?:mlx|frit)_\w*)##\w+\b(?!#)", text):
    for macro, names in (("INTEGER", r"\bINTEGER\(\w+, (\w+)"), ("UNARY", r"\bUNARY\((\w+)"), ("BINARY", r"\bBINARY\((\w+)")):
        called |= {head + n for n in re.findall(names, text)}
for name in re.findall(r"\bREDUCTION\((\w+)", text):
    called |= {name, name + "_axis", name + "_axes"}
errors += [f"no test calls {n}" for n in sorted((listed | own) - called)]
print("\n".join(errors + [f"{len(listed)} functions and {len(own)} of frit, {len(errors)} errors"]))
sys.exit(bool(errors))
