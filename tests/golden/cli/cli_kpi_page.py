#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/kpis.md has every KPI, with its class and what to collect for it: the
names, units and needs of an empty capture, and commands to paste.

    cli_kpi_page.py [--update]"""
import os
import pathlib
import re
import sqlite3
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "kpis.md"
BEGIN, END = "<!-- generated: begin -->\n", "<!-- generated: end -->\n"
# What stands in a need: the paragraph of the page that says how.  First wins.
HOW = (
    (r"switch telemetry", "devices"),
    (r"path telemetry", "path-telemetry"),
    (r"watermarks|pfcwd|interface counters|port counters", "counters"),
    (r"--job-log|log of the training run", "job"),
    (r"a second result|a series of results|24 hours|fabscope jct", "results"),
    (r"routing protocol", "elsewhere"),
    (r"PFC frames|pause frames", "pause"),
    (r"two capture points|taps at|link speeds", "links"),
    (r"", "packets"),
)


def kpis(folder):
    capture, db = folder / "empty.pcap", folder / "x.db"
    capture.write_bytes(struct.pack("<IHHIIII", 0xa1b23c4d, 2, 4, 0, 0, 65535,
                                    1))
    subprocess.run([os.environ["FABSCOPE"], "analyze", capture, "-o", db],
                   capture_output=True, check=False)
    return sqlite3.connect(db).execute(
        "SELECT section, name, unit, class, missing FROM kpi"
        " ORDER BY CAST(section AS REAL), place, name").fetchall()


def how(missing):
    return next(to for pattern, to in HOW if re.search(pattern, missing))


def need(missing):
    """What it needs of any capture; what this one lacks comes behind."""
    text = re.sub(r": (there (are|is) no|there are none|they cannot|none was|"
                  r"the reverse).*", "", missing)
    return text.replace("|", "\\|")


def table(rows):
    yield "| | KPI | Unit | Class | Needs | Collect |\n|---|---|---|---|---|---|\n"
    for section, name, unit, class_, missing in rows:
        yield (f"| {section} | {name} | {unit} | {class_} | {need(missing)} | "
               f"[{how(missing)}](#{how(missing)}) |\n")


def main():
    with tempfile.TemporaryDirectory() as folder:
        new = "".join(table(kpis(pathlib.Path(folder))))
    page = PAGE.read_text()
    begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    if "--update" in sys.argv:
        PAGE.write_text(page[:begin] + new + page[end:])
        return 0
    for to in {to for _, to in HOW}:
        if f"\n## {to}\n" not in page:
            print(f"docs/kpis.md: lacks ## {to}")
            return 1
    if page[begin:end] != new:
        print("docs/kpis.md: is not what the program has (--update)")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
