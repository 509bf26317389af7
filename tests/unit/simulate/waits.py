#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the truth says of slow iterations is what the scenario did to them.

Each scenario slows one rank down in one way, from some moment on; what ranks
wait for adds up to the time they communicate.

    waits.py --simulate PROGRAM --scenarios DIR
"""
import argparse
import json
import os
import subprocess
import tempfile

US = 1000
# scenario: cause, who, where (None: any), from which iteration on, iterations it
# must be the cause of, at the least.  What crosses the fabric is rank 3's data,
# and rank 0's word that it can receive.
SLOW = {
    "job_compute_late": ("late", {5}, None, 4, 8),
    "job_recv_late": ("cts", {2}, None, 4, 8),
    "job_rnr": ("rnr", {5}, None, 0, 10),
    "job_loss": ("recovery", {4}, "leaf2->h6", 3, 2),
    "job_paused": ("paused", {0, 3}, None, 4, 3),
    "job_rate_cut": ("rate", {0, 3}, None, 4, 5),
    "job_ring": (None, None, None, 0, 0),
    "job_tree": (None, None, None, 0, 0),
}
SHARED = ("jobs_together", "shared", "spine1")


def truth_of(args, name, folder):
    out = os.path.join(folder, name)
    subprocess.run([args.simulate, os.path.join(args.scenarios, name + ".fab"),
                    "-w", out + ".pcapng"], check=True)
    os.unlink(out + ".pcapng")
    with open(out + ".truth.json") as f:
        return json.load(f)


def adds_up(name, it):
    """A look each microsecond, at each rank that waits."""
    for rank, (start, end) in enumerate(zip(it["rank_start_ns"],
                                            it["rank_end_ns"])):
        waits = sum(w["ns"] for w in it["waits"] if w["rank"] == rank)
        assert abs(waits - (end - start)) <= 2 * US, (name, it["iteration"],
                                                      rank, waits, end - start)


def slow_by(name, it, cause, who, where):
    """Of the cause, most is of that rank and at that place."""
    of = [w for w in it["waits"] if w["why"] == cause]
    right = sum(w["ns"] for w in of if w["by"] in who and
                (where is None or w.get("place") == where))
    assert 10 * right >= 9 * sum(w["ns"] for w in of), (name, it["iteration"])


def check(name, truth, cause, who, where, begin, least):
    found = 0
    for it in truth["iterations"]:
        if name not in ("job_tree",):  # two children are waited for at once
            adds_up(name, it)
        if it["iteration"] < begin or cause is None:
            assert "cause" not in it, (name, it["iteration"], it["cause"])
        elif it.get("cause") == cause:
            slow_by(name, it, cause, who, where)
            found += 1
        else:
            assert "cause" not in it, (name, it["iteration"], it["cause"])
    assert found >= least, (name, found)


def check_shared(truth, cause, node):
    """Blue is slowed down while red runs, at the uplinks, and not before."""
    red = [it for it in truth["iterations"] if it["work"] == "red"]
    blue = [it for it in truth["iterations"] if it["work"] == "blue"]
    begin, end = red[0]["comm_from_ns"], red[-1]["to_ns"]
    slow = [it for it in blue if it.get("cause") == cause]
    assert len(slow) >= 5
    for it in slow:
        assert it["to_ns"] > begin and it["comm_from_ns"] < end
        assert all(node in w["place"] for w in it["waits"]
                   if w["why"] == cause)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--simulate", required=True)
    p.add_argument("--scenarios", required=True)
    args = p.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name, expected in SLOW.items():
            check(name, truth_of(args, name, folder), *expected)
        name, cause, node = SHARED
        check_shared(truth_of(args, name, folder), cause, node)


if __name__ == "__main__":
    main()
