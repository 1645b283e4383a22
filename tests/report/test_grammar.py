"""The TextMate grammar of .frit files, over every golden file and example: each token gets the scope of its kind."""
import json
import os
import pathlib
import re
import unittest

SOURCE = pathlib.Path(os.environ["FRIT_SOURCE"])
GRAMMAR = json.loads((SOURCE / "frontend/cli/frit.tmLanguage.json").read_text())


class Rules:
    """The behaviour of an editor: the earliest match on the line, of equal ones the first in the list."""

    def __init__(self):
        self.stack = [None]

    def flat(self, patterns):
        for p in patterns:
            if "include" in p:
                named = GRAMMAR["repository"][p["include"][1:]]
                yield from [named] if "begin" in named else self.flat(named["patterns"])
            else:
                yield p

    def scopes(self, line):
        at, out = 0, []
        while at < len(line):
            inside = self.stack[-1]
            found = [(re.compile(inside["end"]).search(line, at), "end", inside)] if inside else []
            for p in self.flat(inside["patterns"] if inside else GRAMMAR["patterns"]):
                found.append((re.compile(p.get("begin", p.get("match"))).search(line, at), "begin" if "begin" in p else "match", p))
            found = [f for f in found if f[0] and f[0].end() > f[0].start()]
            if not found:
                break
            match, kind, rule = min(found, key=lambda f: f[0].start())
            if kind == "begin":
                self.stack.append(rule)
            elif kind == "end":
                self.stack.pop()
            name = rule["name"] if kind == "match" else rule[kind + "Captures"]["0"]["name"]
            out.append((match.start(), match.end(), name))
            at = match.end()
        return out


def texts(line):
    return [(line[a:b].strip(), name.split(".")[0] + "." + name.split(".")[1]) for a, b, name in Rules().scopes(line)]


class Grammar(unittest.TestCase):
    def test_files(self):
        files = sorted(SOURCE.glob("tests/golden/**/*.frit")) + sorted(SOURCE.glob("examples/**/*.frit"))
        self.assertGreater(len(files), 40)
        ops = 0
        for path in files:
            rules = Rules()
            for number, line in enumerate(path.read_text().splitlines(), 1):
                where = f"{path.name}:{number}: {line}"
                spans = rules.scopes(line)
                # Nothing but blanks stays without a scope.
                bare = list(line)
                for a, b, _ in spans:
                    bare[a:b] = " " * (b - a)
                self.assertEqual("".join(bare).strip(), "", where)
                named = {a: (b, name) for a, b, name in spans}
                if line.lstrip().startswith("//"):
                    at = len(line) - len(line.lstrip())
                    self.assertTrue(named[at][1].startswith("comment."), where)
                    continue
                self.assertEqual(len(rules.stack), 1, where + ": parentheses do not close")
                # An op: "%a: type = name operands".
                op = re.match(r"\s+(%[\w.]+): (\w+)\[[^=]*\] = ([a-z_]+) [%{\d\[]", line)
                if op and not re.search(r'"', line):
                    ops += 1
                    for part, scope in ((1, "variable.parameter"), (2, "storage.type"), (3, "support.function")):
                        end, name = named.get(op.start(part), (0, ""))
                        self.assertTrue(name.startswith(scope), f"{where}: {op[part]} is {name!r}, not {scope}")
                        self.assertEqual(end, op.end(part), where)
        self.assertGreater(ops, 300)

    def test_tokens(self):
        self.assertEqual(texts('func @"a b"(%x: f32[n]) where n in [1, 8] {')[:4],
                         [("func", "keyword.control"), ('@"a b"', "entity.name"), ("(", "punctuation.frit"),
                          ("%x", "variable.parameter")])
        self.assertIn(("axes", "entity.other"), texts("  %1: f32[] = sum %0 {axes=[0]}"))
        self.assertIn(("1.5e-3", "constant.numeric"), texts("  %1: f32[] = constant 1.5e-3"))
        self.assertIn(('// loc "g.cpp":3:1', "comment.line"), texts('  %1: f32[] = exp %0  // loc "g.cpp":3:1'))

    def test_slashes(self):
        self.assertIn(("//", "keyword.operator"), texts("  %1: f32[(n // 2)] = exp %0"))
        self.assertEqual(texts("  return %1 // (a note")[-1], ("// (a note", "comment.line"))


if __name__ == "__main__":
    unittest.main()
