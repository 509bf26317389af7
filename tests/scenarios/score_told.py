# SPDX-License-Identifier: GPL-2.0-or-later
"""The numbers that findings of several places tell: how many packets were lost
between two taps, and how many overtaken there.

What a place of capture passed and the next one never got was lost between the
two.  A loss that the place before it has no copy of need not be told; where
mirrors lose copies, this is counted apart."""
import collections
import json

from score_taps import EDGE_NS, ill, places_of

DATA = ("request", "response")
NO_ORDER = ("UET-RUD", "UET-RUDI", "UET-UUD")

Drop = collections.namedtuple("Drop", "src dst origin target packet seen close")


def positions(truth):
    """(flow, tap): how far on its way the tap is; only of flows whose packets
    all take one way."""
    at = {}
    for flow in truth["flows"]:
        nodes = ([flow["src_host"]] + [h["switch"] for h in
                                       flow.get("hops", [])] +
                 [flow["dst_host"]])
        if len(set(nodes)) < len(nodes) or len(nodes) < 3:
            continue
        links = {f"{a}->{b}": i for i, (a, b) in
                 enumerate(zip(nodes, nodes[1:]))}
        for tap in truth["taps"]:
            link = tap["link"].split("#")[0]
            if link in links:
                at[flow["id"], tap["tap"]] = (links[link],
                                              tap["side"] == "rx")
    return at


def drops_between(run, place):
    """Data lost between two places that its flow passes."""
    truth, at = run.truth, positions(run.truth)
    for e in truth["events"]:
        if e["kind"] != "drop" or e.get("class") not in DATA:
            continue
        way = {t: at.get((e["flow"], t)) for t in
               e.get("after_taps", []) + e.get("before_taps", [])
               if t in place}
        before = [t for t in e.get("after_taps", []) if way.get(t)]
        behind = [t for t in e.get("before_taps", []) if way.get(t)]
        if not before or not behind:
            continue
        origin = max(before, key=lambda t: way[t])
        target = min(behind, key=lambda t: way[t])
        if place[origin] == place[target]:
            continue
        flow = truth["by_id"][e["flow"]]
        yield Drop(flow["src"], flow["dst"], place[origin], place[target],
                   (e["flow"], e["class"], e["psn"]),
                   origin in e.get("seen_taps", []),
                   not truth["from_ns"] + EDGE_NS <= e["ns"] <=
                   truth["to_ns"] - EDGE_NS)


def told(run):
    """What findings say was lost between taps: incident's hosts and place
    behind (or None), at least, at most."""
    rows = run.db.execute(
        "SELECT f.rule, f.confidence, f.evidence, i.src, i.dst, t.place "
        "FROM finding f LEFT JOIN incident i ON i.id = f.incident_id "
        "LEFT JOIN tap t ON t.id = f.tap_id "
        "WHERE f.rule IN ('lost-between-taps', 'lost-at-segment')")
    for r in rows:
        n = json.loads(r["evidence"])["numbers"]
        if r["rule"] == "lost-at-segment":
            n["lost_min"] = n["lost_max"] = n["lost"] - n["answers"]
        yield r, n["lost_min"], n["lost_max"]


def losses(score, run, place, apart):
    drops = list(drops_between(run, place))
    low = collections.Counter()
    high = collections.Counter()
    for r, least, most in told(run):
        # One finding by itself: not more than its hosts lost on that way.
        true = sum(1 for d in drops
                   if r["src"] in (None, d.src) and r["dst"] in (None, d.dst)
                   and r["place"] in (None, d.target))
        score.range("reported: a loss between taps" + apart, min(true, least),
                    least, most,
                    f"({run.where} {r['src']} > {r['dst']} to {r['place']})",
                    true)
        low[r["place"]] += least
        high[r["place"]] += most
    targets = {d.target for d in drops} | set(low)
    if None in targets:  # told for several places at once
        low, high = ({None: sum(c.values())} for c in (low, high))
        targets = {None}
    for target in targets:
        here = [d for d in drops if target in (None, d.target)]
        # Of a packet of which every copy vanished, the far place never sees
        # the number.
        again = collections.Counter(d.packet for d in here)
        score.range("reported: lost between taps" + apart,
                    sum(d.seen and not d.close and again[d.packet] == 1
                        for d in here),
                    low[target], high[target], f"({run.where} to {target})",
                    len(here))


def overtaken(score, run, place, apart):
    """Where the flow was in order at the first place, what the truth calls
    reordered at the second was overtaken between the two.  Of flows without an
    order nothing is told."""
    truth = run.truth
    count = collections.Counter()
    for flow in truth["flows"]:
        if flow.get("sdi") or flow["transport"] in NO_ORDER:
            continue  # sdi: encrypted, no packet numbers
        seen = {place[t["tap"]] for t in flow["taps"] if t["tap"] in place and
                any(t.get(c, {}).get("captured") for c in DATA)}
        for t in flow["taps"]:
            if t["tap"] in place and len(seen) > 1:
                count[place[t["tap"]]] += sum(
                    t.get(c, {}).get(k, 0) for c in DATA
                    for k in ("reordered", "reordered_retransmissions"))
    rows = run.db.execute(
        "SELECT f.evidence, a.place AS origin, b.place AS target "
        "FROM finding f JOIN segment s ON s.to_tap_id = f.tap_id "
        "JOIN tap a ON a.id = s.from_tap_id JOIN tap b ON b.id = s.to_tap_id "
        "WHERE f.rule = 'reordered-between-taps' AND s.adjacent "
        "AND s.reordered >= 3").fetchall()
    said = {r["target"]: json.loads(r["evidence"])["numbers"]["reordered"]
            for r in rows}
    for target in set(place.values()):
        others = set(place.values()) - {target}
        if any(count[p] for p in others):
            continue  # how much of it was between these two is not known
        if len({t["interface"] for t in truth["taps"]
                if place.get(t["tap"]) == target}) > 1:
            continue  # the truth knows no order across parallel links
        true, n = count[target], said.get(target, 0)
        score.range("reported: reordered between taps" + apart,
                    true if true >= 3 else min(true, n), n, n,
                    f"({run.where} to {target})", true)


def behind(score, run, place):
    """Reordering is said to be behind a place only where it is: known where
    nothing but the delays of the scenario makes packets overtake."""
    truth = run.truth
    delays = [e for e in truth["events"] if e["kind"] == "delay"]
    if not delays or any(s["balance"] != "ecmp" for s in truth["switches"]):
        return
    where = {place[t] for e in delays for t in e.get("after_taps", [])
             if t in place}
    for r in run.db.execute(
            "SELECT f.title, t.place FROM finding f JOIN tap t "
            "ON t.id = f.tap_id WHERE f.rule = 'reordering-downstream'"):
        right = r["place"] in where
        score.add("reported: reordered behind", 1, int(right), run.where)
        score.fp["reported: reordered behind"] += not right
        if not right:
            score.notes.append(f"reported: reordered behind: {r['title']} "
                               f"({run.where})")


def compare(score, run):
    behind(score, run, places_of(run))
    place = places_of(run)
    if len(set(place.values())) < 2:
        return
    losses(score, run, place, ill(run.truth))
    overtaken(score, run, place, ill(run.truth))
