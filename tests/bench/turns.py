#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How long two captures take, as a ratio, on a machine whose speed changes.

    turns.py FABSCOPE A.pcap B.pcap [--turns N] [--core C]

Each turn analyses A, B, B, A, pinned to one core, files read before: what the
machine does slowly then hits both alike.  Processor time, user and system."""
import argparse
import os
import resource
import statistics
import subprocess
import tempfile


def seconds(words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime
            + after.ru_stime - before.ru_stime)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("fabscope")
    p.add_argument("a")
    p.add_argument("b")
    p.add_argument("--turns", type=int, default=16)
    p.add_argument("--core", type=int, default=0)
    o = p.parse_args()
    os.sched_setaffinity(0, {o.core})
    a, b, ratios = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        def run(path):
            out = os.path.join(folder, "out.db")
            if os.path.exists(out):
                os.unlink(out)
            return seconds([o.fabscope, "analyze", path, "-o", out])

        run(o.a)
        run(o.b)
        for _ in range(o.turns):
            turn = [run(o.a), run(o.b), run(o.b), run(o.a)]
            a += [turn[0], turn[3]]
            b += turn[1:3]
            ratios.append((turn[1] + turn[2]) / (turn[0] + turn[3]))
    low, middle, high = statistics.quantiles(ratios, n=4)
    print(f"B to A: median {middle:.3f}, quarters {low:.3f} and {high:.3f}, "
          f"of sums {sum(b) / sum(a):.3f}, of best runs {min(b) / min(a):.3f}")


if __name__ == "__main__":
    main()
