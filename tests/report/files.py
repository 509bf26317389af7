#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Where a report is written, what it replaces, and what it refuses."""
import os
import pathlib
import shutil
import sqlite3
import subprocess
import tempfile

from common import FABSCOPE, Page, check, database, finish, run


def fails(why, *words):
    said = run("report", *words, status=1)
    check(why in said, f"{words}: should say {why!r}, says {said!r}")
    check(said.count("\n") == 1, f"{words}: one line, not {said!r}")


def names(folder):
    return sorted(p.name for p in folder.iterdir())


def outputs(folder, db):
    page = folder / "page.html"
    run("report", db, "-o", page)
    first = page.read_bytes()
    run("report", db, "-o", page)
    check(page.read_bytes() == first, "the same database, the same page")
    check(run("report", db, "-o", "-") == first, "- is standard output")
    check(names(folder) == ["d12_drop_tail_timeout.db", "page.html"],
          f"nothing else is left: {names(folder)}")
    check(first.startswith(b"<!DOCTYPE html>"), "it is a page")


def refusals(folder, db):
    other = folder / "other.html"
    other.write_text("<!DOCTYPE html>\n<p>of-somebody-else</p>\n")
    fails("is not a report of fabscope; not overwritten", db, "-o", other)
    check("of-somebody-else" in other.read_text(), "a foreign page is kept")
    run("report", db, "-o", other, "--force")
    check("of-somebody-else" not in other.read_text(), "--force replaces it")
    fails("is a folder", db, "-o", folder)
    fails("is a folder", db, "-o", folder, "--force")
    fails("is read here; not overwritten", db, "-o", db)
    check(sqlite3.connect(db).execute("SELECT count(*) FROM flow"),
          "the database is still one")
    fails("No such file", db, "-o", folder / "none" / "page.html")
    link = folder / "link.html"
    link.symlink_to("/dev/null")
    fails("is not a regular file", db, "-o", link, "--force")
    run("report", db, status=2)
    run("report", status=2)


def inputs(folder, db):
    fails("No such file", folder / "none.db", "-o", folder / "x.html")
    text = folder / "text.db"
    text.write_text("SELECT 1" * 100)
    fails("is not a fabscope result database", text, "-o", folder / "x.html")
    broken = folder / "broken.db"
    octets = bytearray(db.read_bytes())
    octets[8192:] = b"\xa5" * (len(octets) - 8192)
    broken.write_bytes(octets)
    run("report", broken, "-o", folder / "x.html", status=1)
    check(not (folder / "x.html").exists(), "no half of a page")
    full = subprocess.run([FABSCOPE, "report", db, "-o", "-"],
                          stdout=open("/dev/full", "wb"), capture_output=False,
                          stderr=subprocess.PIPE)
    check(full.returncode == 1 and b"No space" in full.stderr,
          f"a full disk is told: {full}")


def empty(folder, db):
    """Of a capture without any packet there is a page too."""
    none = folder / "nothing.pcap"
    none.write_bytes(bytes.fromhex("d4c3b2a1020004000000000000000000"
                                   "0000040001000000"))
    bare = folder / "nothing.db"
    run("analyze", "-o", bare, none)
    run("report", bare, "-o", folder / "nothing.html")
    page = Page(folder / "nothing.html")
    check("h1" in page.elements, "it has a verdict")
    check(len(page.ids) == len(set(page.ids)), "each id once")


def anonymous(folder, db):
    page = folder / "anonymous.html"
    run("report", db, "-o", page, "--anonymize")
    text = page.read_text()
    for secret in ("10.9.0.1", "10.9.0.2", "d12_drop", str(folder)):
        check(secret not in text, f"--anonymize shows {secret}")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        work = folder / "work"
        work.mkdir()
        db = database(work, "d12_drop_tail_timeout.pa.pcap")
        outputs(work, db)
        for test in (refusals, inputs, empty, anonymous):
            place = folder / test.__name__
            place.mkdir()
            test(place, pathlib.Path(shutil.copy(db, place)))
    finish()


if __name__ == "__main__":
    os.umask(0o022)
    main()
