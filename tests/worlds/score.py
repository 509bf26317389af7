#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What `fabscope analyze` says of worlds it has never seen (world.py).

    score.py --fabscope PROGRAM [--worlds 40] [--verbose]

Packet by packet: what was called lost before the tap, or behind it, and how
many timers; then worlds where nothing was lost, which must have no finding that
says so.  The least precision and recall of each kind of world stand in KINDS;
of a window that is lost behind the tap only the first packet can be known, hence
what is wanted there."""
import argparse
import collections
import os
import sqlite3
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import world  # noqa: E402

Least = collections.namedtuple("Least", "before behind timers")
SURE = Least((0.99, 0.90), (0.98, 0.75), (0.75, 0.75))
MIRROR = Least((0.93, 0.85), (0.97, 0.70), (0.85, 0.80))

KINDS = {
    "lost near": (dict(lost_near=0.005), SURE),
    "lost far": (dict(lost_far=0.005), SURE),
    "lost near and far": (dict(lost_near=0.004, lost_far=0.004), SURE),
    "answers lost": (dict(answers_lost=0.03), SURE),
    "not copied": (dict(not_copied=0.01), SURE),
    "doubled": (dict(doubled=1, lost_near=0.003, lost_far=0.003,
                     complains=False), SURE),
    "all of it": (dict(lost_near=0.004, lost_far=0.004, not_copied=0.005,
                       answers_lost=0.01), MIRROR),
    "nothing": (dict(), SURE),
    "nothing, all doubled": (dict(doubled=1), SURE),
}

ACCUSES = ("loss-upstream", "loss-downstream", "loss-unplaced", "tail-loss",
           "loss-or-reorder-downstream", "unrecovered-loss", "outage",
           "timeouts", "unanswered", "retransmissions-unexplained")


def host(text):
    last = text.replace(":", ".").split(".")[-1]
    return int(last, 16)


class Said:
    """What a database says, by flow of the world."""

    def __init__(self, path):
        self.lost = collections.defaultdict(set)
        self.timers = collections.Counter()
        db = sqlite3.connect(path)
        flows = {}
        for row in db.execute("SELECT id, src, dst, dst_qp, timeouts "
                              "FROM flow"):
            flows[row[0]] = key = (host(row[1]), host(row[2]), row[3])
            self.timers[key] += row[4] or 0
        for flow, kind, psn, count in db.execute(
                "SELECT flow_id, kind, psn, count FROM event "
                "WHERE confidence >= 0.5 AND kind LIKE 'loss_%stream'"):
            for i in range(count or 1):
                self.lost[flows[flow], kind].add((psn + i) & world.MASK)
        self.rules = [r for (r,) in db.execute("SELECT rule FROM finding")
                      if r in ACCUSES]
        db.close()


class Tally:
    def __init__(self):
        self.true = self.false = self.missed = 0
        self.notes = []

    def add(self, wanted, allowed, said, where):
        self.true += len(said & allowed)
        self.false += len(said - allowed)
        self.missed += len(wanted - said)
        if said - allowed:
            self.notes.append(f"{where}: {sorted(said - allowed)[:6]}")

    def count(self, true, said, where):
        self.true += min(true, said)
        self.false += max(said - true, 0)
        self.missed += max(true - said, 0)
        if said > true:
            self.notes.append(f"{where}: {said} timers, not {true}")

    def low(self, least):
        def share(other):
            return self.true / (self.true + other) if self.true + other else 1
        return share(self.false) < least[0] or share(self.missed) < least[1]

    def __str__(self):
        return f"{self.true:6}{self.false:6}{self.missed:6}"


def compare(tallies, made, keys, said, where):
    for key in keys:
        before = made.before.get(key, [])
        text = f"{where} {key}"
        # Of what was sent again the tap sees nothing: it may be said, or not.
        tallies[0].add({p for p, first in before if first},
                       {p for p, _ in before}, said.lost[key, "loss_upstream"],
                       text + " before")
        behind = {p for p, _ in made.behind.get(key, [])}
        tallies[1].add(behind, behind, said.lost[key, "loss_downstream"],
                       text + " behind")
        tallies[2].count(made.timeouts.get(key, 0), said.timers[key], text)


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--fabscope", required=True)
    p.add_argument("--worlds", type=int, default=40)
    p.add_argument("--verbose", action="store_true")
    args = p.parse_args()
    bad = 0
    print(f"{'worlds':<24}{'before':>18}{'behind':>18}{'timers':>18}"
          "   (true, false, missed)")
    for kind, (wanted, least) in KINDS.items():
        tallies = [Tally() for _ in least]
        for seed in range(args.worlds):
            where = f"{kind}, seed {seed}"
            with tempfile.TemporaryDirectory() as folder:
                capture = os.path.join(folder, "w.pcap")
                made, keys = world.make(seed, capture, **wanted)
                subprocess.run([args.fabscope, "analyze", "-o",
                                capture + ".db", capture], check=True,
                               stdout=subprocess.DEVNULL)
                said = Said(capture + ".db")
            compare(tallies, made, keys, said, where)
            lost = made.before or made.behind or made.answers_lost
            if said.rules and not lost:
                print(f"FAIL {where}: {said.rules}")
                bad += 1
        low = [t.low(want) for t, want in zip(tallies, least)]
        bad += any(low)
        print(f"{kind:<24}" + "".join(str(t) for t in tallies) +
              ("   BELOW" if any(low) else ""))
        for t, is_low in zip(tallies, low):
            if args.verbose or is_low:
                print("\n".join(t.notes[:12]))
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
