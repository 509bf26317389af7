#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/evidence.md has each meaning of a counter, as meanings.def says it, and
each kind of file that a reader knows."""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
PAGE = (ROOT / "docs" / "evidence.md").read_text()


def meanings():
    text = (ROOT / "src/evidence/meanings.def").read_text()
    for name, unit, said in re.findall(
            r'^(?:MEANING|GAUGE)\(\w+, "(\w+)", "(\w+)",\s*((?:"[^"]*"\s*)+)\)', text,
            re.M):
        text = "".join(re.findall('"([^"]*)"', said))
        yield f"| `{name}` | {unit} | {text} |"


def kinds():
    text = (ROOT / "src/evidence/readers.c").read_text()
    for name in re.findall(r'\.kind = "([\w-]+)"', text):
        yield f"| `{name}` |"


def main():
    rows = [*meanings(), *kinds()]
    wrong = [f"docs/evidence.md: lacks {row}" for row in rows
             if row not in PAGE]
    print("\n".join(wrong) or f"{len(rows)} rows")
    return bool(wrong) or len(rows) < 40


if __name__ == "__main__":
    sys.exit(main())
