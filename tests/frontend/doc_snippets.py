#!/usr/bin/env python3
"""Runs the C++ blocks of a page of docs: `generate PAGE SOURCE` writes them as one program, `compare PAGE PROGRAM` runs
the program and compares what each block prints with the text block behind it (FRIT_BLESS=1 writes these blocks)."""
import os
import re
import subprocess
import sys

BLOCK = re.compile(r"```cpp\n(.*?)```\n\n```text\n(.*?)```\n", re.S)
MARK = "---- block"


def generate(page, source):
    text = open(page).read()
    assert text.count("```cpp\n") == len(BLOCK.findall(text)), page + ": a C++ block has no text block behind it"
    head = re.search(r"```\n(#include.*?)```\n", text, re.S)
    out = ["// Written from " + os.path.basename(page) + " by doc_snippets.py.", "#include <functional>", "#include <iostream>", head.group(1)]
    count = 0
    for match in BLOCK.finditer(text):
        line = text[: match.start()].count("\n") + 2
        out.append("static void block%d() {\n#line %d \"%s\"\n%s}" % (count, line, page, match.group(1)))
        count += 1
    calls = "".join('  std::cout << "%s\\n";\n  block%d();\n' % (MARK, i) for i in range(count))
    out.append("int main() {\n" + calls + "}\n")
    with open(source, "w") as f:
        f.write("\n".join(out))


def compare(page, program):
    text = open(page).read()
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    printed = done.stdout.split(MARK + "\n")[1:]
    blocks = list(BLOCK.finditer(text))
    if done.returncode != 0 or len(printed) != len(blocks):
        sys.exit("%s ended with %d after %d of %d blocks\n%s" % (program, done.returncode, len(printed), len(blocks), done.stderr))
    wrong = [i for i, (block, got) in enumerate(zip(blocks, printed)) if block.group(2) != got]
    if os.environ.get("FRIT_BLESS") == "1":
        for i in reversed(wrong):
            text = text[: blocks[i].start(2)] + printed[i] + text[blocks[i].end(2):]
        with open(page, "w") as f:
            f.write(text)
        return
    for i in wrong:
        line = text[: blocks[i].start()].count("\n") + 1
        print("%s:%d prints\n%sand the page says\n%s" % (page, line, printed[i], blocks[i].group(2)))
    sys.exit(1 if wrong else 0)


{"generate": generate, "compare": compare}[sys.argv[1]](*sys.argv[2:])
