#!/usr/bin/env python3
"""Writes the headers and wrappers of the C interface from mlx_c.api, or compares them.

Usage: generate.py [--check]

Without arguments it writes frontend/c/include/mlx/c, frontend/c/wrappers and the version script; with --check it names
the files that differ and ends with status 1 when there are any.
"""
import pathlib
import re
import sys
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
WIDTH = 120
MOST_FUNCTIONS = 100  # of one file of wrappers

PARAMETER = re.compile(r"^(?P<type>.*?)(?P<name>\w+)(?P<nullable>\??)$")
FUNCTION_POINTER = re.compile(r"\(\*(\w+)\)")
CALL = re.compile(r"[A-Za-z_]\w*(?:::\w+)*")
RESULT = re.compile(r"^(?:res(?:_\d)?|outputs)$")


class Parameter:
    """One parameter of a function: its C text, its name, and whether it may be null."""

    def __init__(self, text):
        self.nullable = text.endswith("?")
        self.text = text.rstrip("?")
        pointer = FUNCTION_POINTER.search(text)
        if pointer:
            self.type, self.name = "function", pointer[1]
        else:
            found = PARAMETER.match(text)
            self.type, self.name = (found["type"].strip(), found["name"]) if found else ("...", "...")


class Function:
    """One line of the table."""

    def __init__(self, declaration, body, comment, condition):
        head, parameters = declaration.rstrip(")").split("(", 1) if "(*" not in declaration else split_head(declaration)
        self.result, self.name = head.rsplit(" ", 1)
        self.parameters = [Parameter(p) for p in split_parameters(parameters)]
        self.body, self.comment, self.condition = body, comment, condition

    def signature(self):
        return f"{self.result} {self.name}", [p.text for p in self.parameters] or ["void"]


def split_head(declaration):
    """The part in front of the parameters, and the parameters, where these have parentheses of their own."""
    at = declaration.index("(")
    return declaration[:at], declaration[at + 1 : -1]


def split_parameters(text):
    """The parameters, which commas outside of parentheses separate."""
    parts, depth = [""], 0
    for c in text:
        depth += {"(": 1, ")": -1}.get(c, 0)
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [p.strip() for p in parts if p.strip()]


def read_table():
    """The headers in order: each a dictionary of its lines."""
    headers, condition = [], None
    lines = iter((HERE / "mlx_c.api").read_text().split("\n"))
    for line in lines:
        if not line or line.startswith("#"):
            continue
        word, _, rest = line.partition(" ")
        if word == "header":
            name, comment = rest.split(" | ")
            headers.append({"name": name, "comment": comment, "include": [], "system": [], "before": [], "functions": [], "end": []})
        elif word in ("include", "system"):
            headers[-1][word] = rest.split()
        elif word in ("text", "end") and rest == "<<":
            block = []
            while (part := next(lines)) != ">>":
                block.append(part)
            headers[-1]["before" if word == "text" else "end"].append("\n".join(block))
        elif word == "enum":
            values, comment = rest.split(" | ")
            headers[-1]["before"].append(enum_text(values.split(), comment))
        elif word == "struct":
            name, comment = rest.split(" | ")
            headers[-1]["before"].append(f"/* {comment} */\ntypedef struct {name}_ {{\n  void* ctx;\n}} {name};")
        elif word == "when":
            condition = rest
        else:
            declaration, rest = line.split(" = ", 1)
            body, comment = rest.rsplit(" | ", 1)
            headers[-1]["functions"].append(Function(declaration, body, comment, condition))
            condition = None
    return headers


def enum_text(words, comment):
    name, values = words[0], words[1:]
    return f"/* {comment} */\ntypedef enum {name}_ {{\n" + "".join(f"  {v},\n" for v in values) + f"}} {name};"


def comment_text(comment):
    """A comment of C, in lines of at most WIDTH columns."""
    lines = textwrap.wrap("/* " + comment + " */", WIDTH, subsequent_indent=" * ", break_long_words=False)
    if len(lines) > 1 and lines[-1].strip() == "* */":
        lines[-1] = " */"
    return "\n".join(lines)


def packed(head, parameters, tail):
    """A declaration in the layout of clang-format: as many parameters in a line as fit, below the first one."""
    lines, indents, start_line = [head + "("], [len(head) + 1], False
    for i, p in enumerate(parameters):
        after = "," if i + 1 < len(parameters) else ")" + tail
        pieces = [p + after]
        if "(*" in p and indents[-1] + len(pieces[0]) > WIDTH:  # the parameters of a function pointer take lines too
            head, inner = p[:-1].split(")(")
            inner = inner.split(", ")
            pieces = [head + ")(" + inner[0] + ","] + [x + "," for x in inner[1:-1]] + [inner[-1] + ")" + after]
        for number, piece in enumerate(pieces):
            space = "" if lines[-1].endswith("(") else " "
            if len(lines[-1]) + len(space) + len(piece) > WIDTH and space or start_line:
                lines.append(" " * indents[-1] + piece)
            else:
                lines[-1] += space + piece
            if len(pieces) > 1 and number == 0:
                indents.append(lines[-1].rindex(")(") + 2)
            start_line = False
        if len(pieces) > 1:
            indents.pop()
            start_line = True
    return "\n".join(lines)


def header_text(header):
    guard = "MLX_C_" + header["name"].replace(".", "_").upper()
    parts = [f"/* {header['comment']}\n *\n * Written by frontend/c/generate.py. */\n#ifndef {guard}\n#define {guard}"]
    for names, form in ((header["system"], "<{}>"), (header["include"], '"{}"')):
        if names:
            parts.append("\n".join("#include " + form.format(n) for n in sorted(names)))
    inside = header["before"] + [function_text(f) for f in header["functions"]] + header["end"]
    if inside:
        parts += ['#ifdef __cplusplus\nextern "C" {\n#endif', *inside, "#ifdef __cplusplus\n}\n#endif"]
    return "\n\n".join(parts) + "\n\n#endif\n"


def function_text(f):
    text = comment_text(f.comment) + "\n" + packed(*f.signature(), ";")
    return f"#ifdef {f.condition}\n{text}\n#endif" if f.condition else text


def converted(p, counts):
    """The C++ value of a parameter."""
    how = "maybe" if p.nullable else "in"
    if p.name in counts:
        return f'{how}({p.name}, {p.name}_num, "{p.name}")'
    plain = p.type.removeprefix("const ")
    if plain.startswith("mlx_") or plain in ("char*",):
        return f'{how}({p.name}, "{p.name}")'
    return p.name


def wrapper_text(f):
    """The definition of a function, or nothing where it is written by hand."""
    if f.body == "hand":
        return None
    names = {p.name: p for p in f.parameters}
    kind, _, rest = f.body.partition(": ")
    if f.body == "null":
        return definition(f, "return {nullptr};")
    if f.body == "free":
        name = f.parameters[0].name
        return definition(f, status(f, f'release({name}, "{name}")'))
    if f.body == "set":
        to, src = (p.name for p in f.parameters)
        return definition(f, status(f, f'put_object({to}, object({src}, "{src}"), "{to}")'))
    if kind == "raw":
        return definition(f, status(f, rest))
    if kind == "make":
        return definition(f, f'return value_of("{f.name}", {f.result}{{}}, [&] {{ return make<{f.result}>({rest}); }});')
    if found := re.match(r"value\((.*?)\)$", kind):
        return definition(f, f'return value_of<{f.result}>("{f.name}", {found[1]}, [&] {{ return {rest}; }});')
    counts = {n for n in names if n + "_num" in names}
    call = CALL.sub(lambda m: converted(names[m[0]], counts) if m[0] in names else m[0], f.body)
    if "(" in call:
        call = re.sub(r"^([\w:]+)\(", r"frit::\1(", call)
    results = [p.name for p in f.parameters if RESULT.match(p.name) and p.type.endswith("*")]
    return definition(f, status(f, f"put({', '.join(results)}, {call})" if results else call))


def status(f, statement):
    frame = f'call("{f.name}", [&] {{ {statement}; }});'
    return frame if f.result == "void" else "return " + frame


def without_name(p):
    """A parameter that is not used."""
    return re.sub(rf"\s*\b{p.name}$", "", p.text)


def definition(f, statement):
    head, _ = f.signature()
    parameters = [p.text if re.search(rf"\b{p.name}\b", statement) else without_name(p) for p in f.parameters]
    text = packed(head, parameters or [""], " {") + f"\n  {statement}\n}}"
    if f.condition:  # The types are there only under the condition; the functions always are.
        kind = f.name.rsplit("_", 1)[1] + "_t"
        text = f"#ifndef {f.condition}\nusing C_{kind} = uint16_t;\n#else\nusing C_{kind} = ::{kind};\n#endif\n" + re.sub(
            rf"\b{kind}\b", "C_" + kind, text
        ) if "item" in f.name else re.sub(rf"\b{kind}\b", "C_" + kind, text)
    return text


def wrapper_files(header):
    """Names and texts of the files of wrappers for one header."""
    wrappers = [w for f in header["functions"] if (w := wrapper_text(f))]
    stem = header["name"].removesuffix(".h")
    groups = [wrappers[i : i + MOST_FUNCTIONS] for i in range(0, len(wrappers), MOST_FUNCTIONS)]
    for number, group in enumerate(groups, 1):
        name = stem if len(groups) == 1 else f"{stem}_{number}"
        part = "" if len(groups) == 1 else f", part {number}"
        head = (
            f"// The functions of mlx/c/{stem}.h{part}. Written by frontend/c/generate.py.\n"
            '// clang-format off\n#include "frontend/c/parts.h"\n\nnamespace frit::c {\n\nextern "C" {\n\n'
        )
        yield f"wrappers/{name}.cpp", head + "\n\n".join(group) + '\n\n}  // extern "C"\n\n}  // namespace frit::c\n'


def files():
    headers = read_table()
    for header in headers:
        yield f"include/mlx/c/{header['name']}", header_text(header)
        yield from wrapper_files(header)
    names = "\n".join(f.name for h in headers for f in h["functions"])
    yield "symbols.txt", names + "\n"


def main():
    wanted = dict(files())
    there = {f"{d}/{p.name}" for d in ("include/mlx/c", "wrappers") for p in (HERE / d).glob("*")}
    wrong = sorted(there - wanted.keys())
    if "--check" in sys.argv[1:]:
        wrong += [n for n, t in wanted.items() if not (HERE / n).exists() or (HERE / n).read_text() != t]
        for name in wrong:
            print(f"frontend/c/{name} does not follow from mlx_c.api; run frontend/c/generate.py")
        return bool(wrong)
    for name in wrong:
        (HERE / name).unlink()
    for name, text in wanted.items():
        (HERE / name).parent.mkdir(parents=True, exist_ok=True)
        if not (HERE / name).exists() or (HERE / name).read_text() != text:
            (HERE / name).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
