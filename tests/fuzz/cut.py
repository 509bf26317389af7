#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every shipped capture, cut at every byte, through the whole of analyze: it
ends by itself, with a status that says what was there, and what it says fits
one line.  Of a file cut somewhere no more packets come than of the whole.

    cut.py PROGRAM STATE [--step N] [--seconds N] [CAPTURE...]

PROGRAM is capture-cut (tests/unit/capture), which only reads, at every byte;
analyze-cut (tests/unit/cli), which is all of analyze, behind each packet and
somewhere in each: what follows a reader gets the same packets wherever in the
next one the cut is; or fabscope itself, at every byte.  STATE is a file that remembers how far
each capture is: started again it goes on; "-": nothing is remembered.  With
--step only each Nth place is tried."""
import argparse
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import time

PLACES = {"capture-cut": 100000, "analyze-cut": 500}  # at a time
CAPTURES = pathlib.Path(__file__).resolve().parents[2] / "captures"


def packets(database):
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as db:
        return db.execute("SELECT sum(packets) FROM capture").fetchone()[0]


def try_cut(program, data, n, folder, most):
    """What is wrong, or None; and the packets."""
    cut, database = folder / "cut", folder / "cut.db"
    cut.write_bytes(data[:n])
    database.unlink(missing_ok=True)
    done = subprocess.run([program, "analyze", "--brief", "-o", database, cut],
                          capture_output=True, timeout=120, check=False)
    if done.returncode not in (0, 1, 3):
        return f"status {done.returncode}: {done.stderr[-300:]}", 0
    if done.returncode == 1:
        bad = database.exists() or done.stderr.count(b"\n") != 1
        return "refused, but not in one line" if bad else None, 0
    got = packets(database)
    return f"{got} packets of {most}" if got > most else None, got


def whole(program, data, folder):
    return try_cut(program, data, len(data), folder, 1 << 62)[1]


def cut_by_program(o, path, row, end, until, *more):
    """By one that cuts itself, so many places at a time, up to |end|.  How many
    were wrong."""
    bad = 0
    while row["next"] < end and time.monotonic() < until:
        done = subprocess.run([o.program, str(row["next"]), str(o.step),
                               str(PLACES[o.program.name]), path.resolve(),
                               *more],
                              capture_output=True, text=True, check=False)
        *wrong, last = done.stdout.splitlines() or [""]
        for line in wrong:
            print(f"{path.name}: {line}")
        bad += len(wrong)
        if done.returncode not in (0, 1) or not last:
            print(f"{path.name}: {done.stderr[-2000:]}")
            return bad + 1
        words = last.split()
        row["tried"] += int(words[0])
        row["next"] = int(words[3])
        remember(o)
    return bad


def cut_by_analyze(program, path, row, data, o, until):
    """By the whole program.  How many were wrong."""
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        most = whole(program, data, folder)
        while row["next"] < len(data) and time.monotonic() < until:
            wrong, _ = try_cut(program, data, row["next"], folder, most)
            if wrong:
                bad += 1
                print(f"{path.name} cut at {row['next']}: {wrong}")
            row["next"] += o.step
            row["tried"] += 1
            remember(o)
    return bad


def recall(o):
    known = str(o.state) != "-" and o.state.exists()
    o.rows = json.loads(o.state.read_text()) if known else {}


def remember(o):
    if str(o.state) != "-":
        o.state.write_text(json.dumps(o.rows, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("state", type=pathlib.Path)
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("captures", nargs="*", type=pathlib.Path)
    o = parser.parse_args()
    recall(o)
    until, bad = time.monotonic() + o.seconds, 0
    for path in o.captures or sorted(CAPTURES.glob("*.pcap*"),
                                     key=lambda p: p.stat().st_size):
        row = o.rows.setdefault(path.name, {"next": 0, "tried": 0})
        data = path.read_bytes()
        if o.program.name in PLACES:
            bad += cut_by_program(o, path, row, len(data), until)
        else:
            bad += cut_by_analyze(o.program, path, row, data, o, until)
        print(f"{path.name}: {row['tried']} places tried", flush=True)
        if time.monotonic() >= until:
            break
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
