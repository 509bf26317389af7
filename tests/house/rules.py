#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/rules.md has each finding once, with the confidence that its query
states, and every kind of event and cause of a recovery."""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
PAGE = (ROOT / "docs" / "rules.md").read_text()
ROW = re.compile(r"^\| ([a-z0-9-]+) \| (.*) \| (.*) \| (.*) \|$", re.M)


def main():
    wrong = []
    rows = {}
    chapter = PAGE[PAGE.index("\n## Findings\n"):]
    for name, rule, sure, confused in ROW.findall(chapter):
        if name in rows:
            wrong.append(f"{name}: twice")
        rows[name] = sure
        if not (rule.strip() and confused.strip()):
            wrong.append(f"{name}: an empty cell")
    findings = {p.stem: p.read_text() for p in
                (ROOT / "queries" / "findings").glob("*.sql")}
    for name in findings.keys() ^ rows.keys():
        wrong.append(f"{name}: in one of queries/findings and docs/rules.md "
                     "only")
    for name in findings.keys() & rows.keys():
        stated = re.search(r"\b0\.\d+ AS confidence", findings[name])
        if stated:
            percent = f"{round(float(stated[0].split()[0]) * 100)} %"
            if percent not in rows[name]:
                wrong.append(f"{name}: the query says {percent}, the page "
                             f"{rows[name]}")
    facts = (ROOT / "src" / "flow" / "fact.h").read_text()
    kinds = re.search(r"#define EVENT_KINDS\(X\)(.*?)\n\n", facts, re.S)[1]
    for word in re.findall(r'"(\w+)"', kinds):
        if not re.search(rf"\b{word}\b", PAGE):
            wrong.append(f"event {word}: not in docs/rules.md")
    print("\n".join(sorted(wrong)) or f"{len(rows)} findings")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
