#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every word and setting of scenario files is documented, and some shipped
scenario, some kind of twin, or some test of why queue pairs end, uses it.

    words.py SOURCE_FOLDER
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
source = "".join(f.read_text()
                 for f in (root / "src/simulate").glob("build_*.c"))
table = (root / "src/simulate/scenario.c").read_text()
scenarios = "".join(
    line for f in (root / "captures/scenarios").glob("*.fab")
    for line in f.read_text().splitlines(keepends=True)
    if not line.startswith(("title ", "about ")))
scenarios += re.sub(r'"(\w+)": ', r"\1=",
                    (root / "tests/twins/kinds.py").read_text())
scenarios += (root / "tests/scenarios/qp_errors.py").read_text()
docs = (root / "docs/simulate.md").read_text()

words = re.findall(r'\{ "(\w+)", build_\w+ \}', table)
settings = set(re.findall(
    r'(?:line_\w+|two_numbers)\(\s*l,\s*"(\w+)"', source))
assert len(words) > 15 and len(settings) > 100
bad = [f"no scenario has a line '{w}'" for w in words
       if not re.search(rf"^{w}\b", scenarios, re.M)]
bad += [f"no scenario sets {s}=" for s in sorted(settings)
        if not re.search(rf"\b{s}=", scenarios)]
bad += [f"docs/simulate.md does not know '{w}'"
        for w in sorted({*words, *settings})
        if not re.search(rf"\b{w}\b", docs)]
print("\n".join(bad))
sys.exit(bool(bad))
