#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs every scenario through `fabscope analyze` and compares what it says
with what the simulator did.

    score.py --fabscope BUILD/fabscope [--simulate "BUILD/fabscope simulate"]
             [--scenarios DIR] [--thresholds FILE] [--seeds 3] [--only NAME]...
             [--keep DIR] [--jobs N] [--verbose]

For every class of verdict: how much of what was said is true (precision), and
how much of what was there to see was said (recall), counted in packets, PSNs
or events over all flows of all runs.  Exit status 1 when a class is below its
threshold.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import shlex
import sqlite3
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


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


def rounds_of(truth, flow, trigger, taps):
    """How often the sender went back, where a copy was captured."""
    return sum(1 for r in truth["recoveries"]
               if r["flow"] == flow["id"] and r["trigger"] == trigger and
               taps & set(r.get("seen_taps", [])))


def events_of(truth, flow, kind, taps):
    """Times of the sender's own doings inside the captured span."""
    spans = [(t["from_ns"], t["to_ns"]) for t in truth["taps"]
             if t["tap"] in taps]
    return sum(1 for e in truth["events"]
               if e["kind"] == kind and e.get("flow") == flow["id"] and
               any(a <= e["ns"] <= b for a, b in spans))


def compare_flow(score, truth, flow, row, taps, where, one_link):
    seen = Seen(truth, flow, taps)
    both = row["visibility"] == "both"
    up = seen.sum("psns_lost_before")
    # Copies lost before the tap may be noticed too, but need not be.
    up_most = seen.sum("psns_lost_before_any")
    # What came to the tap damaged is lost behind it, by no fault there (R5).
    down = seen.sum("psns_lost_after") - seen.sum("damaged")
    # What nothing repaired, nothing proves: it may be said, or not.
    gone = seen.sum("psns_lost_for_good")
    up, down, down_most = max(up - gone, 0), max(down - gone, 0), down

    if row["spray_suspect"] or not both:
        # No verdict is a right answer here, a false one is not.
        score.range("lost_upstream", min(up, row["lost_upstream"] or 0),
                    row["lost_upstream"] or 0, row["lost_upstream"] or 0,
                    where)
        if not both and row["lost_downstream_min"] is not None:
            score.range("lost_downstream",
                        min(down, row["lost_downstream_min"]),
                        row["lost_downstream_min"],
                        row["lost_downstream_min"], where)
    else:
        if row["lost_upstream"] is not None:
            score.range("lost_upstream", up, row["lost_upstream"],
                        row["lost_upstream"], where, up_most)
        if row["lost_downstream_min"] is not None:
            score.range("lost_downstream", down, row["lost_downstream_min"],
                        row["lost_downstream_max"], where, down_most)
        score.add("capture_missing", seen.sum("psns_ghost"),
                  row["capture_missing"], where)
        score.add("nak_seq", seen.reverse("naks"), row["nak_seq"], where)
        score.add("rnr_nak", seen.reverse("rnrs"), row["rnr_nak"], where)
        score.add("nak_fatal", seen.reverse("refusals"), row["nak_fatal"],
                  where)
        score.add("timeouts", rounds_of(truth, flow, "timeout", taps),
                  row["timeouts"], where)
        score.add("implied_nak", events_of(truth, flow, "implied_nak", taps),
                  row["implied_nak"], where)
        score.add("retransmitted", seen.sum("captured_copies"),
                  row["retransmitted"], where)
    score.add("corrupted", seen.sum("damaged"), row["icrc_bad"], where)
    if one_link:  # the truth knows no order across parallel links
        score.add("reordered", seen.sum("reordered"), row["reordered"], where)
    score.add("mirror_duplicates",
              seen.sum("doubled", ("request", "response", "ack")),
              row["mirror_duplicates"], where)
    score.add("ce", seen.sum("ce", ("request", "response", "ack")),
              row["ce"], where)
    peer = truth["by_id"].get(flow["peer"])
    if peer and both:
        score.add("cnp", seen.sum("captured", ("cnp",), peer), row["cnp"],
                  where)
    score.add("transport", 1, int(row["transport"] == flow["transport"]),
              where)
    if both and peer:
        # right, or not said; a wrong one is worse than none
        if row["src_qp"] is not None and row["pairing"]:
            score.add("pairing", 1, int(row["src_qp"] == flow["src_qp"]),
                      where)
            score.fp["pairing"] += row["src_qp"] != flow["src_qp"]
        else:
            score.fn["pairing"] += 1


def said_of(db, row):
    """PSNs by kind of event."""
    said = collections.defaultdict(set)
    for kind, psn, count in db.execute(
            "SELECT kind, psn, count FROM event WHERE flow_id = ? "
            "AND confidence >= 0.5",  # less is no verdict (R26)
            (row["id"],)):
        said[kind] |= {(psn + i) & 0xffffff for i in range(count or 1)}
    return said


def seen_gone(truth, flow, taps):
    return Seen(truth, flow, taps).sum("psns_lost_for_good") > 0


def compare_events(score, db, truth, flow, row, taps, where):
    """Which PSNs were called lost, one by one."""
    if row["spray_suspect"] or row["visibility"] != "both":
        return
    drops = [e for e in truth["events"]
             if e["kind"] == "drop" and e.get("flow") == flow["id"] and
             e["class"] in ("request", "response")]
    before = {e["psn"] for e in drops if taps & set(e.get("before_taps", []))}
    firsts = {e["psn"] for e in drops
              if not e["copy"] and taps & set(e.get("before_taps", []))}
    if seen_gone(truth, flow, taps):
        firsts &= said_of(db, row)["loss_upstream"]
    after = {e["psn"] for e in drops if taps & set(e.get("after_taps", []))}
    # Which packet of a tail was lost, a timeout does not tell.
    for r in truth["recoveries"]:
        if (r["flow"] == flow["id"] and r["trigger"] == "timeout" and
                r["lost"] and taps & set(r.get("after_taps", []))):
            after |= {(r["psn"] + i) & 0xffffff for i in range(r["span"])}
    said = said_of(db, row)
    score.sets("psn: lost_upstream", firsts, said["loss_upstream"], before,
               where)
    # Of a window only the first loss can be known (reference 3.5.2).
    score.sets("psn: lost_downstream", said["loss_downstream"] & after,
               said["loss_downstream"], after, where)


NEAR_NS = 5000  # pauses: when XOFF was meant, and when it came by the tap


def compare_pauses(score, db, truth, where):
    """Each silence asked for on a tapped link, found from start to end."""
    said = [r for r in db.execute(
        "SELECT pause.*, tap.name AS tap FROM pause "
        "JOIN tap ON tap.id = pause.tap_id")]
    if not said:
        return  # this fabscope does not look at pauses yet
    links = {(t["link"], t["interface"]) for t in truth["taps"]
             if t["sees_pause"]}
    for p in truth["pauses"]:
        for link, interface in links:
            if link != p["emitter"] or p["from_ns"] is None:
                continue
            end = p["to_ns"] or truth["to_ns"]
            found = [r for r in said if r["tap"] == interface and
                     r["source_mac"] == p["mac"] and
                     r["priority"] == p["priority"] and
                     abs(r["first_ns"] - p["from_ns"]) < NEAR_NS and
                     (p["storm"] or abs(r["last_ns"] - end) < NEAR_NS)]
            score.add("pause", 1, len(found[:1]), where)
            for r in found[:1]:
                said.remove(r)
    score.fp["pause"] += len(said)
    if said:
        score.notes.append(f"pause: {len(said)} false ({where})")


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


def compare(score, database, truth, where):
    db = sqlite3.connect(database)
    db.row_factory = sqlite3.Row
    rows = {}
    for r in db.execute("SELECT flow.*, tap.name AS tap FROM flow "
                        "JOIN tap ON tap.id = flow.tap_id"):
        if r["dst_qp"] > 1:
            rows[r["tap"], r["src"], r["dst"], r["dst_qp"], r["epoch"]] = r
    for names, taps in places(db, truth):
        for flow in truth["flows"]:
            keys = [(name, flow["src"], flow["dst"], flow["dst_qp"],
                     flow["epoch"]) for name in names]
            key = next((k for k in keys if k in rows), keys[0])
            row = rows.pop(key, None)
            at = f"({where} {'+'.join(names)} flow {flow['id']})"
            if not Seen(truth, flow, taps).any():
                if row:
                    rows[key] = row
                continue
            score.add("flows", 1, int(row is not None), at)
            if row:
                compare_flow(score, truth, flow, row, taps, at,
                             len(names) == 1)
                compare_events(score, db, truth, flow, row, taps, at)
    compare_pauses(score, db, truth, where)
    for key in rows:
        score.fp["flows"] += 1
        score.notes.append(f"flows: {key} is none ({where})")
    db.close()


def run_one(args, scenario, seed, folder):
    name = os.path.splitext(os.path.basename(scenario))[0]
    base = os.path.join(folder, f"{name}.{seed}")
    score = Score()
    subprocess.run(shlex.split(args.simulate) +
                   [scenario, "-w", base + ".pcapng", "--seed", str(seed),
                    "--quiet"], check=True)
    done = subprocess.run([args.fabscope, "analyze", base + ".pcapng", "-o",
                           base + ".db"], capture_output=True, text=True)
    if done.returncode != 0:
        score.fn["runs"] += 1
        score.notes.append(f"runs: analyze says {done.returncode} ({name})")
        return name, score
    score.tp["runs"] += 1
    truth = load_truth(base + ".truth.json")
    compare(score, base + ".db", truth, f"{name} seed {seed}")
    if not args.keep:
        for end in (".pcapng", ".db", ".truth.json"):
            os.unlink(base + end)
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
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("--verbose", action="store_true")
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
                    for f in files for seed in range(1, args.seeds + 1)]
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
