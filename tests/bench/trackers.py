#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What each tracker costs a packet, in instructions (callgrind), so that what
else the machine does is of no importance.

    trackers.py FABSCOPE SCENARIO...

FABSCOPE is a release build with -g (cmake --preset release -B DIR
-DCMAKE_C_FLAGS=-g): what is inlined is counted where it is written.  Besides
the scenarios (captures/scenarios/*.fab) clean traffic of 64 pairs is measured.
Only what lies on the way of packets is told; the database and its questions do
not grow with them."""
import collections
import os
import re
import subprocess
import sys
import tempfile

PACKETS = 40000
TRACKERS = {
    "ECN, CNPs, reactions": "ecn.c cnp.c reaction.c np.c congestion.h",
    "pauses, storms, stalls, credits":
        "pause.c pause.h storm.c stall.c lldp.c credit.c mactable.c",
    "paths": "path.c outcome.c sample.h histogram.c",
    "parallel links": "links.c links.h",
    "time series": "bins.c bins.h",
    "bursts, for phases": "burst.c burst.h",
}
REST = "PSN machines and the rest"


def self_cost(path):
    """Instructions by source file."""
    names, cost, file, called = {}, collections.Counter(), None, False
    for line in open(path):
        named = re.match(r"(fl|fi|fe|cfi|cfl)=\((\d+)\)(?: (.*))?", line)
        if named:
            kind, number, name = named.groups()
            names[number] = name or names[number]
            if not kind.startswith("c"):
                file = names[number]
        elif line.startswith("calls="):
            called = True  # the next line is the callee's
        elif re.match(r"[-+*\d]", line):
            if not called:
                cost[file] += int(line.split()[1])
            called = False
    return cost


def by_tracker(cost):
    where = {name: tracker for tracker, files in TRACKERS.items()
             for name in files.split()}
    sums = collections.Counter()
    for file, n in cost.items():
        if "src/flow/" in (file or ""):
            sums[where.get(os.path.basename(file), REST)] += n
        elif "src/decode/" in (file or ""):
            sums["decode"] += n
    return sums


def run(*words):
    return subprocess.run(words, check=True, capture_output=True,
                          text=True).stdout


def measure(fabscope, folder, capture):
    out, db = (os.path.join(folder, n) for n in ("callgrind", "x.db"))
    run("valgrind", "--tool=callgrind", f"--callgrind-out-file={out}",
        fabscope, "analyze", "-o", db, capture)
    packets = int(run("sqlite3", db, "SELECT sum(packets) FROM tap"))
    return {k: n / packets for k, n in by_tracker(self_cost(out)).items()}


def main():
    fabscope, scenarios = os.path.abspath(sys.argv[1]), sys.argv[2:]
    columns = {}
    with tempfile.TemporaryDirectory() as folder:
        capture = os.path.join(folder, "x.pcapng")
        for name in ["clean"] + scenarios:
            words = ["--bench", str(PACKETS)] if name == "clean" else [name]
            run(fabscope, "simulate", *words, "-w", capture)
            columns[name] = measure(fabscope, folder, capture)
    for name, cost in columns.items():
        print(os.path.basename(name))
        for what in ["decode", *TRACKERS, REST]:
            print(f"  {what:34}{cost.get(what, 0):10.1f}")


if __name__ == "__main__":
    main()
