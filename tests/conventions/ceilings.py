#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The measurable part of taste: lengths, columns, first lines, no paths.

A function is found by the Linux brace style: "{" alone in column 0 after a
line that does not end in "=", up to the next "}" in column 0."""
import pathlib
import re
import statistics
import sys

COLUMNS = 80
FUNCTION_LINES = 80   # one function
MEDIAN_LINES = 15     # of all functions of src/
P90_LINES = 45
FILE_LINES = 900
SPDX = "SPDX-License-Identifier: GPL-2.0-or-later"
# Tables and switch drivers that read better whole, with the reason.
LONG_FUNCTIONS = {}
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:work|farm|root|home|tmp)/[a-z]")
# Programs name /tmp where a user would; sources have no business there.
CODE = (".c", ".h", ".def")
TEXT = CODE + (".py", ".sh", ".sql", ".md", ".txt", ".cmake", ".in", ".scn")


def functions(lines):
    start = None
    for number, line in enumerate(lines):
        if line == "{" and not lines[number - 1].endswith("="):
            start = number
        elif line == "}" and start is not None:
            yield start, number - start - 1
            start = None


def name_of(lines, start):
    """The first identifier before a parenthesis, looking up from the brace."""
    for number in range(start - 1, max(start - 12, -1), -1):
        found = re.match(r"[a-z].*?(\w+)\(", lines[number])
        if found:
            return found[1]
    return "?"


def code_offences(path, lines, lengths):
    for number, line in enumerate(lines, 1):
        if len(line.expandtabs(8)) > COLUMNS:
            yield f"{path}:{number}: {len(line.expandtabs(8))} columns"
    if len(lines) > FILE_LINES:
        yield f"{path}: {len(lines)} lines, {FILE_LINES} allowed"
    for start, length in functions(lines):
        name = name_of(lines, start)
        lengths.append(length)
        if length > LONG_FUNCTIONS.get(name, FUNCTION_LINES):
            yield f"{path}:{start}: {name} has {length} lines"


def text_offences(path, lines):
    if path.suffix in CODE and SPDX not in lines[0]:
        yield f"{path}:1: no SPDX line"
    for number, line in enumerate(lines, 1):
        if MACHINE_PATH.search(line) and path.name != "ceilings.py":
            yield f"{path}:{number}: a path of one machine"


def survey(root):
    found, lengths = [], []
    for top in ("src", "include", "tests", "dissectors", "queries", "docs"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in TEXT or "__pycache__" in path.parts:
                continue
            lines = path.read_text(errors="replace").split("\n")
            found += text_offences(path, lines)
            if path.suffix in CODE:
                ours = [] if top != "src" else lengths
                found += code_offences(path, lines, ours)
    return found, sorted(lengths)


def main():
    found, lengths = survey(pathlib.Path(sys.argv[1]))
    median = statistics.median(lengths)
    p90 = lengths[len(lengths) * 9 // 10]
    if median > MEDIAN_LINES or p90 > P90_LINES:
        found.append("functions have grown")
    print("\n".join(found))
    print(f"{len(lengths)} functions: median {median:g} lines, p90 {p90}, "
          f"longest {lengths[-1]}")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
