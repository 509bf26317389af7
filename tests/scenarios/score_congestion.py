# SPDX-License-Identifier: GPL-2.0-or-later
"""ECN marks and congestion notifications: whom they throttled, after how long,
what senders and receivers made of them."""
import collections

from scoring import Seen

# From a mark at the tap to its arrival, and from the CNP's departure to the
# tap: two cables of 500 ns, a frame of 4 KiB at 100 Gb/s and the NIC.
WAY_NS, NEAR_NS = 1500, 1500
LATE_NS = 100000
MANY, FEW = 30, 20  # CNPs, and marks, that findings ask for at least
# As the scenario files have it; qp is the default.
SCOPES = {"cnp_per_port": "port", "cnp_per_address": "pair"}


def counts(score, p, truth):
    seen = Seen(truth, p.flow, p.taps)
    peer = truth["by_id"].get(p.flow["peer"])
    score.add("ce", seen.sum("ce", ("request", "response", "ack")),
              p.row["ce"], p.where)
    if peer and p.row["visibility"] == "both":
        score.add("cnp", seen.sum("captured", ("cnp",), peer),
                  p.row["cnp"], p.where)


def attribution(score, run):
    """A CNP to queue pair s at S throttles what s sends, nothing else."""
    by_sender = {(f["src"], f["src_qp"]): f for f in run.truth["flows"]
                 if "src_qp" in f}  # not UET
    for r in run.db.execute("SELECT c.sender, c.qp, f.src, f.dst, f.dst_qp "
                            "FROM cnp c JOIN flow f ON f.id = c.flow_id"):
        flow = by_sender.get((r["sender"], r["qp"]))
        right = bool(flow) and (r["src"], r["dst"], r["dst_qp"]) == (
            flow["src"], flow["dst"], flow["dst_qp"])
        score.add("cnp attribution", 1, int(right), run.where)
        score.fp["cnp attribution"] += not right


def at_receiver(truth, p):
    """Is the place the receiver's own link?"""
    host = p.flow["dst_host"]
    return all(host in t["link"].split("->") for t in truth["taps"]
               if t["tap"] in p.taps)


def latencies(score, run, p, cnps, rows):
    """One by one; only where all of them are in both lists."""
    if len(cnps) != len(rows) or not at_receiver(run.truth, p):
        return
    for c, r in zip(cnps, rows):
        if c.get("idle") or r["latency_max_ns"] is None:
            continue
        took = c["sent_ns"] - c["ce_ns"] + WAY_NS
        right = (r["latency_min_ns"] - NEAR_NS <= took <=
                 r["latency_max_ns"] + NEAR_NS)
        score.add("cnp latency", 1, int(right), p.where)
        score.fp["cnp latency"] += not right
        if not right:
            score.notes.append(f"cnp latency: {took} not in "
                               f"{r['latency_min_ns']}..{r['latency_max_ns']}"
                               f" at {r['ns']} {p.where}")
        if r["clean"]:
            exact = abs(r["latency_max_ns"] - took) <= NEAR_NS
            score.add("cnp latency, clean", 1, int(exact), p.where)
            score.fp["cnp latency, clean"] += not exact


def reactions(score, p, cnps, rows):
    """What is said of a sender must be what it did to at least one of the
    CNPs that the window covers."""
    for r in rows:
        if r["reaction"] not in ("reacted", "none"):
            continue
        did = {c.get("reaction") for c in cnps}
        right = ("cut" in did) == (r["reaction"] == "reacted")
        # A deaf sender may be slowed down by others than CNPs.
        what = f"reaction: {r['reaction']}"
        score.add(what, 1, int(right), p.where)
        score.fp[what] += not right


def unmarked(score, truth, p, cnps, rows):
    """CNPs whose trigger never came by here, or not yet marked.  Nothing is
    said of those that came before the flow was paired."""
    n = sum(1 for c in cnps if not p.taps & set(c.get("ce_taps", [])))
    if not Seen(truth, p.flow, p.taps).sum("ce"):
        n = sum(r["attribution"] == "pair" for r in rows)
    score.add("cnp without mark", n, p.said["unexplained"], p.where)


Place = collections.namedtuple("Place", "flow row taps where said")


def flows(score, run):
    by_flow = collections.defaultdict(list)
    for c in run.truth["cnps"]:
        by_flow[c["flow"]].append(c)
    for p in run.pairs:
        if not p.row:
            continue
        counts(score, p, run.truth)
        cnps = sorted((c for c in by_flow[p.flow["id"]]
                       if p.taps & set(c.get("taps", []))),
                      key=lambda c: c["sent_ns"])
        said = run.db.execute("SELECT * FROM congestion WHERE flow_id = ?",
                              (p.row["id"],)).fetchone()
        if not cnps or not said or p.row["visibility"] != "both":
            continue
        rows = run.db.execute("SELECT * FROM cnp WHERE flow_id = ? "
                              "ORDER BY ns", (p.row["id"],)).fetchall()
        place = Place(p.flow, p.row, p.taps, p.where, said)
        latencies(score, run, place, cnps, rows)
        reactions(score, place, cnps, rows)
        unmarked(score, run.truth, place, cnps, rows)


def found(run, rule, who):
    """The hosts that findings of a rule name."""
    return {h["address"] for h in run.truth.get("hosts", [])
            for (title,) in run.db.execute(
                "SELECT title FROM finding WHERE rule = ?", (rule,))
            if title.startswith(who.format(h["address"]))}


def verdicts(score, run):
    """Which hosts are blamed, and which are to be."""
    told, deaf, late = (collections.Counter() for _ in range(3))
    for c in run.truth["cnps"]:
        flow = run.truth["by_id"][c["flow"]]
        if c.get("taps") and not c.get("idle"):
            told[flow["dst"]] += 1
            deaf[flow["src"]] += c.get("reaction") == "ignored"
            late[flow["dst"]] += c["sent_ns"] - c["ce_ns"] > LATE_NS
    marked = collections.Counter()
    for f in run.truth["flows"]:
        if not f["transport"].startswith("UET"):
            marked[f["dst"]] += sum(t.get(c, {}).get("ce", 0)
                                    for t in f["taps"]
                                    for c in ("request", "response"))
    mute = {h for h, n in marked.items() if n >= FEW and not told[h] and
            not any(c for c in run.truth["cnps"]
                    if run.truth["by_id"][c["flow"]]["dst"] == h)}
    score.sets("deaf sender", {h for h, n in deaf.items() if n >= MANY},
               found(run, "cnp-ignored", "{} "),
               {h for h, n in deaf.items() if n}, run.where)
    score.sets("mute receiver", mute, found(run, "marks-without-cnp", "{} "),
               set(), run.where)
    score.sets("late cnps", {h for h, n in late.items() if n >= 3},
               found(run, "late-cnps", "{} "), set(), run.where)


def pacing(score, run):
    scope = SCOPES.get(run.where.split()[0])
    for r in run.db.execute(
            "SELECT group_concat(scope) AS scopes, min(cnps) AS n "
            "FROM cnp_pacing WHERE inferred GROUP BY tap_id, receiver"):
        if scope:
            right = scope in r["scopes"].split(",")
            score.add("cnp scope", 1, int(right), run.where)
            score.fp["cnp scope"] += not right


def compare(score, run):
    flows(score, run)
    attribution(score, run)
    verdicts(score, run)
    pacing(score, run)
