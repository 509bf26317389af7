# SPDX-License-Identifier: GPL-2.0-or-later
"""What the families of classes (score_*.py) share: counting, the truth of a
run, and which flow of it is which row of the database."""
import collections
import json
import sqlite3


class Score:
    """True, false and missed, by class."""

    def __init__(self):
        self.tp = collections.Counter()
        self.fp = collections.Counter()
        self.fn = collections.Counter()
        self.notes = []

    def add(self, what, expected, got, where=""):
        """Numbers: what is common counts as true."""
        if got is None:      # NULL: said to be unknown
            return
        self.range(what, expected, got, got, where)

    def range(self, what, expected, low, high, where="", most=None):
        """|low|..|high| was said; up to |most| would have been right too."""
        most = max(expected, most or 0)
        fp, fn = max(low - most, 0), max(expected - high, 0)
        self.tp[what] += expected - fn
        self.fp[what] += fp
        self.fn[what] += fn
        if fp or fn:
            said = str(low) if low == high else f"{low}..{high}"
            self.notes.append(f"{what}: {expected} true, {said} said {where}")

    def sets(self, what, expected, got, allowed, where=""):
        false, missed = got - expected - allowed, expected - got
        self.tp[what] += len(expected & got)
        self.fp[what] += len(false)
        self.fn[what] += len(missed)
        if false or missed:
            self.notes.append(f"{what}: false {sorted(false)[:6]}, missed "
                              f"{sorted(missed)[:6]} {where}")

    def merge(self, other):
        self.tp.update(other.tp)
        self.fp.update(other.fp)
        self.fn.update(other.fn)


class Seen:
    """What one interface of the capture could show of one flow."""

    def __init__(self, truth, flow, taps):
        self.truth, self.flow, self.taps = truth, flow, taps

    def sum(self, field, classes=("request", "response"), flow=None):
        flow = flow or self.flow
        return sum(t.get(c, {}).get(field, 0) for t in flow["taps"]
                   if t["tap"] in self.taps for c in classes)

    def any(self):
        return self.sum("captured", ("request", "response", "ack"))

    def reverse(self, field):
        peer = self.truth["by_id"].get(self.flow["peer"])
        return self.sum(field, ("ack",), peer) if peer else 0


def load_truth(path):
    with open(path) as f:
        truth = json.load(f)
    truth["by_id"] = {f["id"]: f for f in truth["flows"]}
    truth["interfaces"] = collections.defaultdict(set)
    for t in truth["taps"]:
        truth["interfaces"][t["interface"]].add(t["tap"])
    return truth


def places(db, truth):
    """Interfaces that fabscope took for parallel links of one hop feed one
    machine: the names, and all taps behind them."""
    place = dict(db.execute("SELECT name, place FROM tap"))
    groups = collections.defaultdict(list)
    for name, taps in truth["interfaces"].items():
        groups[place.get(name, name)].append((name, taps))
    for group in groups.values():
        yield ([name for name, _ in group],
               set().union(*(taps for _, taps in group)))


class Run:
    """One capture: what happened (truth) and what fabscope says (db).

    |pairs| has every flow of the truth that the capture shows, with its row
    of table flow at each place, or None where there is none."""

    Pair = collections.namedtuple("Pair", "flow row taps where one_link")

    def __init__(self, database, truth, where):
        self.truth, self.where = truth, where
        self.db = sqlite3.connect(database)
        self.db.row_factory = sqlite3.Row
        self.strangers = {}  # rows that are no flow of the truth
        for r in self.db.execute("SELECT flow.*, tap.name AS tap FROM flow "
                                 "JOIN tap ON tap.id = flow.tap_id"):
            if (r["dst_qp"] or 0) > 1:  # neither CM nor UET
                key = (r["tap"], r["src"], r["dst"], r["dst_qp"], r["epoch"])
                self.strangers[key] = r
        self.pairs = list(self._pair())

    def _pair(self):
        for names, taps in places(self.db, self.truth):
            for flow in self.truth["flows"]:
                if flow["transport"].startswith("UET"):
                    continue
                keys = [(name, flow["src"], flow["dst"], flow["dst_qp"],
                         flow["epoch"]) for name in names]
                key = next((k for k in keys if k in self.strangers), keys[0])
                if Seen(self.truth, flow, taps).any():
                    yield self.Pair(
                        flow, self.strangers.pop(key, None), taps,
                        f"({self.where} {'+'.join(names)} flow {flow['id']})",
                        len(names) == 1)

    def close(self):
        self.db.close()
