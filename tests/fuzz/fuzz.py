#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the fuzz targets for a while, one after the other, and again whenever it
is started: corpora and figures go on where they were.

    fuzz.py BUILD SECONDS [TARGET...]     each of them for so long
    fuzz.py BUILD --minimize [TARGET...]  keep of each corpus what it takes to
                                          reach all it reaches
    fuzz.py --table                       the figures, for docs/testing.md

Inputs are kept in BUILD/corpus/TARGET; those of tests/fuzz/corpus are read
too, and are what the tests run.  An input that ends a target is left in
BUILD/crashes: it goes, named after its bug, into tests/fuzz/corpus with the
mend.  Figures are in tests/fuzz/figures.tsv."""
import csv
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FIGURES = HERE / "figures.tsv"
COLUMNS = ["target", "seconds", "runs", "edges", "features", "kept",
           "crashes"]


def read():
    if not FIGURES.exists():
        return {}
    with FIGURES.open() as f:
        return {row["target"]: row for row in csv.DictReader(
            f, delimiter="\t")}


def write(figures):
    with FIGURES.open("w") as f:
        out = csv.DictWriter(f, COLUMNS, delimiter="\t", lineterminator="\n")
        out.writeheader()
        for name in sorted(figures):
            out.writerow(figures[name])


def targets(build, wanted):
    found = sorted(p.name[:-5] for p in (build / "tests/fuzz").glob("*_fuzz"))
    return [t for t in found if not wanted or t in wanted]


def places(build, target):
    own, shipped = build / "corpus" / target, HERE / "corpus" / target
    own.mkdir(parents=True, exist_ok=True)
    return [str(p) for p in (own, shipped) if p.is_dir()]


def last(pattern, text):
    found = re.findall(pattern, text)
    return int(found[-1]) if found else 0


def run(build, target, seconds):
    crashes = build / "crashes"
    crashes.mkdir(exist_ok=True)
    before = {p.name for p in crashes.iterdir()}
    done = subprocess.run(
        ["nice", build / "tests/fuzz" / f"{target}_fuzz",
         *places(build, target), f"-max_total_time={seconds}", "-timeout=60",
         "-rss_limit_mb=4096", "-print_final_stats=1",
         f"-artifact_prefix={crashes}/{target}-"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
        env={**os.environ, "ASAN_OPTIONS": "detect_leaks=1"})
    said = done.stderr.decode(errors="replace")
    new = [p.name for p in crashes.iterdir() if p.name not in before]
    for name in new:
        print(f"{target}: {crashes / name}")
    figures = read()
    row = figures.setdefault(target, dict.fromkeys(COLUMNS, 0))
    row.update(target=target,
               seconds=int(row["seconds"]) + seconds,
               runs=int(row["runs"]) + last(r"executed_units: (\d+)", said),
               edges=last(r"cov: (\d+)", said),
               features=last(r"ft: (\d+)", said),
               kept=sum(len(os.listdir(p)) for p in places(build, target)),
               crashes=int(row["crashes"]) + len(new))
    write(figures)
    print(f"{target}: {row['runs']} runs in {row['seconds']} s, "
          f"{row['edges']} edges", flush=True)
    return bool(new)


def minimize(build, target):
    """The shipped corpus becomes the smallest that reaches as much; what has
    the name of a bug stays."""
    shipped = HERE / "corpus" / target
    shipped.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as small:
        subprocess.run([build / "tests/fuzz" / f"{target}_fuzz", "-merge=1",
                        "-timeout=60", small, *places(build, target)],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       check=True)
        for p in shipped.iterdir():
            if re.fullmatch("[0-9a-f]{40}", p.name):
                p.unlink()
        for p in pathlib.Path(small).iterdir():
            shutil.copy(p, shipped)


def table():
    print("| " + " | ".join(COLUMNS) + " |")
    print("|---" * len(COLUMNS) + "|")
    for row in read().values():
        print("| " + " | ".join(row[c] for c in COLUMNS) + " |")


def main():
    if sys.argv[1:] == ["--table"]:
        table()
        return 0
    build, what = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    bad = False
    for target in targets(build, sys.argv[3:]):
        if what == "--minimize":
            minimize(build, target)
        else:
            bad |= run(build, target, int(what))
    return bad


if __name__ == "__main__":
    sys.exit(main())
