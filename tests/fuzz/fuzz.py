#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the fuzz targets, turn by turn, and goes on where it was whenever it is
started again: corpora and figures are kept.

    fuzz.py BUILD run [--seconds N] [--turn N] [--aim N] [TARGET...]
        Each turn goes to the target that had the least time so far, until
        --seconds are over or all targets had --aim seconds (8 hours).
    fuzz.py BUILD replay TARGET
        All inputs that were kept, once: what the tests do.
    fuzz.py BUILD minimize [TARGET...]
        Keep of each corpus what it takes to reach all that it reaches.
    fuzz.py BUILD add FIGURES
        Adds the figures of another machine, or of another session.
    fuzz.py BUILD table
        The figures, for docs/testing.md.

Inputs that a run finds are in BUILD/corpus/TARGET.  Those that are kept are in
tests/fuzz/corpus: TARGET.zip, made by "minimize", and TARGET/NAME for each bug
that was found, by its name.  An input that ends a target is left in
BUILD/crashes.  --figures FILE keeps figures elsewhere than in figures.tsv."""
import argparse
import csv
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
CORPUS = HERE / "corpus"
COLUMNS = ["target", "seconds", "runs", "edges", "features", "kept",
           "crashes"]
SUMS = ("seconds", "runs", "crashes")
LIMITS = ["-timeout=60", "-report_slow_units=60", "-rss_limit_mb=4096"]


def read(path):
    if not path.exists():
        return {}
    with path.open() as f:
        return {row["target"]: {c: row[c] if c == "target" else int(row[c])
                                for c in COLUMNS}
                for row in csv.DictReader(f, delimiter="\t")}


def write(path, figures):
    """Beside it, then renamed: who is ended in the middle loses nothing."""
    beside = path.with_suffix(".new")
    with beside.open("w") as f:
        out = csv.DictWriter(f, COLUMNS, delimiter="\t", lineterminator="\n")
        out.writeheader()
        for name in sorted(figures):
            out.writerow(figures[name])
    beside.replace(path)


def row_of(figures, target):
    return figures.setdefault(target, {c: target if c == "target" else 0
                                       for c in COLUMNS})


def targets(build, wanted):
    found = sorted(p.name[:-5] for p in (build / "tests/fuzz").glob("*_fuzz"))
    return [t for t in found if not wanted or t in wanted]


def program(build, target):
    return build / "tests/fuzz" / f"{target}_fuzz"


def kept(build, target):
    """The folders of the inputs that are in the repository."""
    packed, named = CORPUS / f"{target}.zip", CORPUS / target
    unpacked = build / "corpus/kept" / target
    unpacked.mkdir(parents=True, exist_ok=True)
    if packed.exists():
        with zipfile.ZipFile(packed) as z:
            names = set(z.namelist())
            z.extractall(unpacked)
        for p in unpacked.iterdir():
            if p.name not in names:
                p.unlink()
    return [unpacked] + [named] * named.is_dir()


def own(build, target):
    folder = build / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def last(pattern, text):
    found = re.findall(pattern, text)
    return int(found[-1]) if found else 0


def one_turn(o, target, seconds):
    crashes = o.build / "crashes"
    crashes.mkdir(exist_ok=True)
    before = set(os.listdir(crashes))
    begin = time.monotonic()
    done = subprocess.run(
        ["nice", program(o.build, target), own(o.build, target),
         *kept(o.build, target), f"-max_total_time={seconds}", *LIMITS,
         "-reload=0", "-print_final_stats=1",
         f"-artifact_prefix={crashes}/{target}-"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    said = done.stderr.decode(errors="replace")
    new = sorted(set(os.listdir(crashes)) - before)
    for name in new:
        print(f"{target}: {crashes / name}")
    figures = read(o.figures)
    row = row_of(figures, target)
    row["seconds"] += round(time.monotonic() - begin)
    row["runs"] += last(r"executed_units: *(\d+)", said)
    row["crashes"] += len(new)
    row["edges"] = last(r"cov: (\d+)", said)
    row["features"] = last(r"ft: (\d+)", said)
    row["kept"] = last(r"corp: (\d+)", said)
    write(o.figures, figures)
    print(f"{target}: {row['runs']} runs in {row['seconds']} s, "
          f"{row['edges']} edges", flush=True)
    return bool(new)


def run(o):
    until, bad = time.monotonic() + o.seconds, False
    while time.monotonic() < until:
        figures = read(o.figures)
        target = min(targets(o.build, o.targets),
                     key=lambda t: row_of(figures, t)["seconds"])
        if row_of(figures, target)["seconds"] >= o.aim:
            break
        bad |= one_turn(o, target, o.turn)
    return bad


def replay(o):
    bad = False
    for target in o.targets:
        bad |= bool(subprocess.run(
            [program(o.build, target), "-runs=0", *LIMITS,
             *kept(o.build, target)], check=False).returncode)
    return bad


def pack(target, folder):
    with zipfile.ZipFile(CORPUS / f"{target}.zip", "w",
                         zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        inputs = sorted(folder.iterdir(), key=lambda p: (p.stat().st_size,
                                                         p.name))
        for n, p in enumerate(inputs):
            z.writestr(zipfile.ZipInfo(f"{n:04}"), p.read_bytes(),
                       zipfile.ZIP_DEFLATED)
    return len(inputs)


def minimize(o):
    for target in targets(o.build, o.targets):
        with tempfile.TemporaryDirectory() as small:
            subprocess.run(
                ["nice", program(o.build, target), "-set_cover_merge=1",
                 *LIMITS, small, *kept(o.build, target),
                 own(o.build, target)], stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, check=True)
            print(f"{target}: {pack(target, pathlib.Path(small))} inputs")
    return False


def add(o):
    figures = read(o.figures)
    for target, other in read(pathlib.Path(o.targets[0])).items():
        row = row_of(figures, target)
        for c in COLUMNS[1:]:
            row[c] = row[c] + other[c] if c in SUMS else max(row[c], other[c])
    write(o.figures, figures)
    return False


def table(o):
    print("| " + " | ".join(COLUMNS) + " |")
    print("|---" * len(COLUMNS) + "|")
    for row in read(o.figures).values():
        print("| " + " | ".join(f"{row[c]:,}" if c != "target" else row[c]
                                for c in COLUMNS) + " |")
    return False


WHAT = {f.__name__: f for f in (run, replay, minimize, add, table)}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("what", choices=WHAT)
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--turn", type=int, default=60)
    parser.add_argument("--aim", type=int, default=8 * 3600)
    parser.add_argument("--figures", type=pathlib.Path,
                        default=HERE / "figures.tsv")
    o = parser.parse_intermixed_args()
    o.build = o.build.resolve()
    return WHAT[o.what](o)


if __name__ == "__main__":
    sys.exit(main())
