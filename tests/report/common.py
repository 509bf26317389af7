# SPDX-License-Identifier: GPL-2.0-or-later
"""Reports to be tested: of shipped captures and of scenarios."""
import html.parser
import json
import os
import pathlib
import subprocess
import sys

import browser

ROOT = pathlib.Path(__file__).resolve().parents[2]
FABSCOPE = os.environ["FABSCOPE"]
SKIPPED = 77


def run(*words, status=0):
    """Output of fabscope; the wrong exit status is a failure."""
    done = subprocess.run([FABSCOPE, *map(str, words)], capture_output=True)
    if done.returncode != status:
        sys.exit(f"{words}: exit {done.returncode}\n{done.stderr.decode()}")
    return done.stdout if status == 0 else done.stderr.decode()


def database(folder, name):
    """Of the scenario or the shipped capture |name|; what is true of the
    scenario is in NAME.json beside it."""
    db = folder / (name.split(".")[0] + ".db")
    capture = ROOT / "captures" / name
    if not capture.exists():
        capture = folder / (name + ".pcapng")
        scenario = ROOT / "captures/scenarios" / (name + ".fab")
        run("simulate", scenario, "-w", capture, "--truth",
            db.with_suffix(".json"))
    run("analyze", "-o", db, capture)
    return db


def report(db, *options):
    page = db.with_suffix(".html")
    run("report", db, "-o", page, *options)
    return page


def ask(db, query, *params):
    words = [w for p in params for w in ("--param", p)]
    return json.loads(run("query", db, query, "--format", "json", *words))


def need_browser():
    program = browser.find()
    if not program:
        print("skipped: no Chromium (Debian package chromium)")
        sys.exit(SKIPPED)
    return program


class Page(html.parser.HTMLParser):
    """What is in the file itself, before any script: elements, identifiers,
    and the texts of the cells of each table."""

    def __init__(self, path):
        super().__init__(convert_charrefs=True)
        self.elements, self.ids, self.attributes = [], [], []
        self.tables, self.table, self.cell = {}, None, None
        self.feed(path.read_text())

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.elements.append(tag)
        self.attributes.append((tag, attrs))
        if "id" in attrs:
            self.ids.append(attrs["id"])
        if tag == "table":
            self.table = self.tables.setdefault(attrs["data-section"], [])
        elif tag == "tr" and self.table is not None:
            self.table.append([])
        elif tag == "td":
            self.cell = ""

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data

    def handle_endtag(self, tag):
        if tag == "td":
            self.table[-1].append(self.cell)
            self.cell = None
        elif tag == "table":
            self.table = None

    def rows(self, section):
        return [r for r in self.tables[section] if r]


failures = []


def check(true, what):
    if not true:
        failures.append(what)
        print("FAILED:", what)


def finish():
    print(f"{len(failures)} failures")
    sys.exit(bool(failures))
