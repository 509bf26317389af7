#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/rules.md has each finding once, with the confidence that its query
states, every kind of event and cause of a recovery, and the reason for each
class of verdict of which less than 99 in 100 is asked for."""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
PAGE = (ROOT / "docs" / "rules.md").read_text()
ROW = re.compile(r"^\| ([a-z0-9-]+) \| (.*) \| (.*) \| (.*) \|$", re.M)
LEAST = 0.99


def chapter(head):
    """What the page has between this heading and the next chapter."""
    return PAGE.partition(head)[2].partition("\n## ")[0]


def below():
    """Rows of thresholds.tsv that ask for less, as the page has to have them."""
    table = ROOT / "tests" / "scenarios" / "thresholds.tsv"
    rows = (line.split("\t") for line in table.read_text().splitlines()
            if line.strip() and not line.startswith("#"))
    return {name: (true, said) for name, true, said in rows
            if min(float(true), float(said)) < LEAST}


def exceptions(wrong):
    """Classes scored below 0.99 are in both places, with a reason in one."""
    rows = re.findall(r"^\| ([^|]+) \| ([\d.]+) \| ([\d.]+) \| (.*) \|$",
                      chapter("\n### Classes below 99 of 100\n"), re.M)
    told = {name: (true, said) for name, true, said, why in rows
            if len(why.split()) >= 5}
    asked = below()
    for name in sorted(told.keys() | asked.keys()):
        if told.get(name) != asked.get(name):
            wrong.append(f"class {name}: thresholds.tsv asks {asked.get(name)},"
                         f" docs/rules.md gives reasons for {told.get(name)}")


def main():
    wrong = []
    exceptions(wrong)
    rows = {}
    for name, rule, sure, confused in ROW.findall(chapter("\n## Findings\n")):
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
    names = (ROOT / "src" / "flow" / "core" / "names.def").read_text()
    kinds = re.search(r"NAMES\(event_kind\)(.*?)END_NAMES", names, re.S)[1]
    for word in re.findall(r'"(\w+)"', kinds):
        if not re.search(rf"\b{word}\b", PAGE):
            wrong.append(f"event {word}: not in docs/rules.md")
    print("\n".join(sorted(wrong)) or f"{len(rows)} findings")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
