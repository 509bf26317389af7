#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs every scenario through `fabscope analyze` and compares what it says
with what the simulator did.

    score.py --fabscope BUILD/fabscope [--simulate "BUILD/fabscope simulate"]
             [--scenarios DIR] [--thresholds FILE] [--seeds 3] [--only NAME]...
             [--keep DIR] [--jobs N] [--verbose] [--thin SHARE[xRUN]] [--run]

For every class of verdict: how much of what was said is true (precision), and
how much of what was there to see was said (recall), counted in packets, PSNs
or events over all flows of all runs.  Exit status 1 when a class is below its
threshold.

A family of classes is a file score_NAME.py beside this one with a function
compare(score, run): see scoring.py.  If it has options(base, truth), the
words that returns are given to `fabscope analyze`; files beside the capture
are called |base| + ".something".

With --thin the captures lose that share of their packets first, in runs of RUN,
as a mirror does; then families that are THINNED are asked, and no others.
With --run nothing is compared: each has to be analyzed without an error.
"""
import argparse
import concurrent.futures
import functools
import glob
import importlib
import os
import random
import re
import shlex
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from scoring import Run, Score, load_truth  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))


@functools.cache
def families():
    return [importlib.import_module(f[:-3]) for f in sorted(os.listdir(HERE))
            if f.startswith("score_") and f.endswith(".py")]


def options(base, truth):
    """Words for `fabscope analyze` that a family wants (a topology file)."""
    return [word for family in families() if hasattr(family, "options")
            for word in family.options(base, truth)]


def own_clocks(scenario):
    """Taps whose clocks differ are captures of their own."""
    with open(scenario) as f:
        return any(line.startswith("tap ") and " offset=" in line
                   for line in f)


def seeds_of(scenario):
    """A long one may say "# scored with N seeds"."""
    with open(scenario) as f:
        said = re.search(r"^# scored with (\d+) seed", f.read(), re.M)
    return int(said[1]) if said else sys.maxsize


def captures(base, truth, each):
    if not each:
        return [base + ".pcapng"]
    names = dict.fromkeys(t["interface"] for t in truth["taps"])
    return [word for name in names
            for word in ("--tap", f"{name}={base}.{name}.pcapng")]


def thin(path, said, seed):
    """Takes packets out of a capture, always the same ones of one name."""
    share, _, run = said.partition("x")
    run = int(run or 1)
    chance = random.Random(f"{os.path.basename(path)} {seed} {said}")
    with open(path, "rb") as f:
        whole = f.read()
    kept, at, gone = bytearray(), 0, 0
    while at < len(whole):
        kind, size = struct.unpack_from("<II", whole, at)
        if kind == 6 and not gone and chance.random() < float(share) / run:
            gone = run
        if kind != 6 or not gone:
            kept += whole[at:at + size]
        gone -= kind == 6 and gone > 0
        at += size
    with open(path, "wb") as f:
        f.write(kept)


def run_one(args, scenario, seed, folder):
    name = os.path.splitext(os.path.basename(scenario))[0]
    base = os.path.join(folder, f"{name}.{seed}")
    score, each = Score(), own_clocks(scenario)
    subprocess.run(shlex.split(args.simulate) +
                   [scenario, "-w", base + ".pcapng", "--seed", str(seed),
                    "--records"] +
                   ["--each-tap"] * each, stdout=subprocess.DEVNULL, check=True)
    truth = load_truth(base + ".truth.json")
    for word in captures(base, truth, each) if args.thin else []:
        if word != "--tap":
            thin(word.split("=")[-1], args.thin, seed)
    done = subprocess.run([args.fabscope, "analyze", "-o", base + ".db"] +
                          captures(base, truth, each) + options(base, truth),
                          capture_output=True, text=True)
    if done.returncode != 0:
        score.fn["runs"] += 1
        score.notes.append(f"runs: analyze says {done.returncode} ({name})")
        return name, score
    score.tp["runs"] += 1
    run = Run(base + ".db", truth, f"{name} seed {seed}")
    for family in families():
        if not args.run and \
                getattr(family, "THINNED", False) == bool(args.thin):
            family.compare(score, run)
    run.close()
    if not args.keep:
        for f in glob.glob(glob.escape(base) + ".*"):
            os.unlink(f)
    return name, score


def read_thresholds(path):
    """Lines of: class, precision, recall; '#' begins a comment."""
    found = {}
    with open(path) as f:
        for line in f:
            words = line.split("#")[0].split("\t")
            if len(words) >= 3:
                found[words[0].strip()] = (float(words[1]), float(words[2]))
    return found


def table(total, thresholds):
    bad = 0
    default = thresholds.get("*", (0.99, 0.99))
    print(f"{'class':<24}{'true':>9}{'false':>8}{'missed':>8}"
          f"{'precision':>11}{'recall':>9}   threshold")
    for what in sorted(set(total.tp) | set(total.fp) | set(total.fn)):
        tp, fp, fn = total.tp[what], total.fp[what], total.fn[what]
        if not tp + fp + fn:
            continue
        precision = tp / (tp + fp) if tp + fp else 1.0
        recall = tp / (tp + fn) if tp + fn else 1.0
        wants = thresholds.get(what, default)
        ok = precision >= wants[0] and recall >= wants[1]
        bad += not ok
        print(f"{what:<24}{tp:>9}{fp:>8}{fn:>8}{precision:>11.4f}"
              f"{recall:>9.4f}   {wants[0]:.2f} {wants[1]:.2f}"
              f"{'' if ok else '  BELOW'}")
    return bad


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--fabscope", required=True)
    p.add_argument("--simulate")
    p.add_argument("--scenarios",
                   default=os.path.join(HERE, "../../captures/scenarios"))
    p.add_argument("--thresholds", default=os.path.join(HERE,
                                                        "thresholds.tsv"))
    p.add_argument("--seeds", type=int, default=3)
    p.add_argument("--only", action="append")
    p.add_argument("--keep")
    p.add_argument("--thin", metavar="SHARE[xRUN]")
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("--verbose", action="store_true")
    p.add_argument("--run", action="store_true")
    args = p.parse_args()
    args.simulate = args.simulate or args.fabscope + " simulate"
    files = sorted(os.path.join(args.scenarios, f)
                   for f in os.listdir(args.scenarios) if f.endswith(".fab"))
    if args.only:
        files = [f for f in files
                 if os.path.splitext(os.path.basename(f))[0] in args.only]
    if not files:
        sys.exit("no scenarios")
    total, notes = Score(), []
    with tempfile.TemporaryDirectory() as tmp:
        folder = args.keep or tmp
        os.makedirs(folder, exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            jobs = [pool.submit(run_one, args, f, seed, folder)
                    for f in files
                    for seed in range(1, min(args.seeds, seeds_of(f)) + 1)]
            for job in jobs:
                _, score = job.result()
                total.merge(score)
                notes += score.notes
    if args.verbose:
        print("\n".join(notes))
    bad = table(total, read_thresholds(args.thresholds))
    print(f"{len(files)} scenarios, {args.seeds} seeds each, "
          f"{bad} classes below their threshold")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
