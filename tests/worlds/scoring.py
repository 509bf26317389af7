# SPDX-License-Identifier: GPL-2.0-or-later
"""Counts of what was said and what is true, and worlds one after the other."""
import collections
import os
import subprocess
import tempfile

# What a kind of world is like; the least precision and recall of each column;
# and the rules that may find something there although nothing was lost.
Kind = collections.namedtuple("Kind", "wanted least clean may_find",
                              defaults=(False, ()))


class Tally:
    def __init__(self):
        self.true = self.false = self.missed = self.vain = 0
        self.notes = []

    def add(self, wanted, allowed, said, where, in_vain=frozenset()):
        """|in_vain|: of what is missed, this could not be known."""
        self.vain += len((wanted - said) & in_vain)
        self.true += len(said & allowed)
        self.false += len(said - allowed)
        self.missed += len(wanted - said)
        if said - allowed:
            self.notes.append(f"{where}: {sorted(said - allowed, key=str)[:6]}")

    def count(self, least, most, said, where):
        self.true += min(most, said)
        self.false += max(said - most, 0)
        self.missed += max(least - said, 0)
        if said > most:
            self.notes.append(f"{where}: {said}, not {most}")

    def low(self, least):
        def share(other):
            return self.true / (self.true + other) if self.true + other else 1
        return share(self.false) < least[0] or share(self.missed) < least[1]

    def __str__(self):
        return f"{self.true:6}{self.false:6}{self.missed:6}"


def precision_and_recall(columns, counts):
    """|counts|: true, false and missed of each of |columns|, over all kinds of
    worlds; what nobody can know counts as missed, too."""
    print(f"\n{'':<18}{'true':>8}{'false':>8}{'missed':>8}"
          f"{'precision':>11}{'recall':>9}")
    for column, (true, false, missed) in zip(columns, counts):
        shares = ("-" if true + wrong == 0 else f"{true / (true + wrong):.4f}"
                  for wrong in (false, missed))
        print(f"{column:<18}{true:>8}{false:>8}{missed:>8}" +
              "{:>11}{:>9}".format(*shares))


def analysed(fabscope, capture):
    subprocess.run([fabscope, "analyze", "-o", capture + ".db", capture],
                   check=True, stdout=subprocess.DEVNULL)
    return capture + ".db"


def score(suite, args):
    """Runs all kinds of |suite|, a module; returns how many were not good."""
    bad = 0
    sums = [[0, 0, 0] for _ in suite.COLUMNS]
    print(f"{suite.NAME:<26}" + "".join(f"{c:>18}" for c in suite.COLUMNS) +
          "   (true, false, missed)")
    for name, kind in suite.KINDS.items():
        if args.only not in name:
            continue
        tallies = [Tally() for _ in kind.least]
        for seed in range(args.first, args.first + args.worlds):
            where = f"{name}, seed {seed}"
            with tempfile.TemporaryDirectory() as folder:
                capture = os.path.join(folder, "w.pcap")
                made, keys = suite.world.make(seed, capture, **kind.wanted)
                said = suite.Said(analysed(args.fabscope, capture))
            suite.compare(tallies, made, keys, said, where)
            rules = [r for r in said.rules if r not in kind.may_find]
            if rules and (kind.clean or suite.is_clean(made)):
                print(f"FAIL {where}: {rules}")
                bad += 1
        sums = [[a + t.true, b + t.false, c + t.missed]
                for (a, b, c), t in zip(sums, tallies)]
        low = [t.low(want) for t, want in zip(tallies, kind.least)]
        bad += any(low)
        print(f"{name:<26}" + "".join(str(t) for t in tallies) +
              "".join(f"   {t.vain} of {t.missed} cannot be told"
                      for t in tallies if t.vain) +
              ("   BELOW" if any(low) else ""), flush=True)
        for t, is_low in zip(tallies, low):
            if t.notes and (args.verbose or is_low):
                print("\n".join(t.notes[:12]))
    precision_and_recall(suite.COLUMNS, sums)
    return bad
