# SPDX-License-Identifier: GPL-2.0-or-later
"""Several places of capture: how their clocks go, where packets were lost,
where marks were set, where order was lost.

Only runs whose interfaces fabscope takes for different places are looked at.
Losses are compared one by one: a packet that the simulator dropped and whose
last captured place and next place on its way are both known must be told for
the segment between the two."""
import collections

EDGE_NS = 2000000  # begin and end of a capture: T3 of flow/multitap/multitap.h


def places_of(run):
    """Tap of the truth: the place in the database it is seen at."""
    place = dict(run.db.execute("SELECT name, place FROM tap"))
    return {t["tap"]: place[t["interface"]] for t in run.truth["taps"]
            if t["interface"] in place}


def clocks(score, run):
    """Offset and drift within their own error bars."""
    truth = {t["interface"]: t for t in run.truth["taps"]}
    rows = run.db.execute(
        "SELECT c.*, t.name, r.name AS reference FROM clock c "
        "JOIN tap t ON t.id = c.tap_id "
        "JOIN tap r ON r.id = c.reference_tap_id "
        "WHERE c.error_ns IS NOT NULL AND c.method = 'two-way'").fetchall()
    for c in rows:
        if c["name"] not in truth or c["reference"] not in truth:
            continue
        mine, other = truth[c["name"]], truth[c["reference"]]
        since = (c["at_ns"] - mine["offset_ns"] - mine["from_ns"]) / 1e9
        drift = (mine["drift_ppm"] - other["drift_ppm"]) * 1e3  # ppb
        # the simulator lets clocks drift from the begin of its time
        offset = mine["offset_ns"] - other["offset_ns"] + drift * since
        good = abs(c["offset_ns"] - offset) <= c["error_ns"] + 1
        score.add("clock offset", 1, int(good),
                  f"({run.where} {c['name']} {c['offset_ns']} +- "
                  f"{c['error_ns']}, is {offset:.0f})")
        score.fp["clock offset"] += not good
        good = c["drift_low_ppb"] - 1 <= drift <= c["drift_high_ppb"] + 1
        score.add("clock drift", 1, int(good),
                  f"({run.where} {c['name']} {c['drift_ppb']}, is {drift})")
        score.fp["clock drift"] += not good


def trails(run):
    """Direction (src, dst, dst_qp): places in the order of its way."""
    way = collections.defaultdict(list)
    for r in run.db.execute(
            "SELECT r.tap_path_id, f.src, f.dst, f.dst_qp, t.place FROM tap_path r "
            "JOIN flow f ON f.id = r.flow_id JOIN tap t ON t.id = r.tap_id "
            "ORDER BY r.tap_path_id, r.hop"):
        way[r["tap_path_id"], r["src"], r["dst"], r["dst_qp"]].append(r["place"])
    return {key[1:]: places for key, places in way.items()}


def told(run):
    rows = run.db.execute(
        "SELECT v.verdict, v.kind, v.psn, f.src, f.dst, f.dst_qp, "
        "a.place AS origin, b.place AS target FROM unmatched v "
        "JOIN flow f ON f.id = v.flow_id JOIN segment s ON s.id = v.segment_id "
        "JOIN tap a ON a.id = v.tap_id JOIN tap b ON b.id = s.to_tap_id "
        "WHERE v.verdict = 'lost' AND v.kind <> 'answer'")
    found = collections.Counter()
    for r in rows:
        found[r["src"], r["dst"], r["dst_qp"], r["psn"], r["origin"],
              r["target"]] += 1
    return found


def segment_of(way, place, drop):
    """The last place the packet passed and the next one; None: not between
    two places that see its flow."""
    passed = [p for p in way
              if p in {place.get(t) for t in drop.get("after_taps", [])}]
    never = [p for p in way
             if p in {place.get(t) for t in drop.get("before_taps", [])}]
    if not passed or not never:
        return None
    last, after = passed[-1], way.index(passed[-1]) + 1
    return (last, way[after]) if after < len(way) and \
        way[after] in never else None


def ill(truth):
    """Where mirrors lose copies, too, is a class apart."""
    return ", mirrors lose" * any(t["missed"] for t in truth["taps"])


def losses(score, run, place):
    way, drops, close = trails(run), collections.Counter(), set()
    truth = run.truth
    for e in truth["events"]:
        if e["kind"] != "drop" or e.get("class") not in ("request",
                                                         "response"):
            continue
        flow = truth["by_id"].get(e.get("flow"))
        key = flow and (flow["src"], flow["dst"], flow.get("dst_qp"))
        if not key or key not in way:
            continue
        between = segment_of(way[key], place, e)
        if not between:
            continue
        what = key + (e["psn"],) + between
        drops[what] += 1
        if e["ns"] > truth["to_ns"] - EDGE_NS or \
                e["ns"] < truth["from_ns"] + EDGE_NS:
            close.add(what)
    found = told(run)
    for what in set(drops) | set(found):
        have, want = found[what], drops[what]
        where = f"(psn {what[3]} {run.where})"
        if what in close:  # either is right
            want = min(want, max(have, 0))
        # Of a packet of which every copy vanished, the far place never sees
        # the number.
        every = drops[what] > 1 and not have
        score.add("located: lost" + ", every retransmission" * every + ill(truth),
                  want, have, where)


def identity(f):
    """What a flow of the truth and a row of the database are known by."""
    return (f["src"], f["dst"], f.get("dst_qp"), f.get("spdcid"),
            f.get("dpdcid"), f["epoch"])


def marks_and_order(score, run, place):
    """Marks by the switches between the two places of a segment; order where
    the flow was still in order at the first of them."""
    truth = run.truth
    taps = collections.defaultdict(set)
    for tap, at in place.items():
        taps[at].add(tap)

    def at(flow, p, field, classes=("request", "response", "ack", "cnp")):
        return sum(t[c].get(field, 0) for t in flow["taps"]
                   if t["tap"] in taps[p] for c in classes if c in t)

    def moved(flow, p):
        return sum(at(flow, p, field, ("request", "response"))
                   for field in ("reordered", "reordered_retransmissions"))

    flows = {identity(f): f for f in truth["flows"]}
    for r in run.db.execute(
            "SELECT m.*, f.src, f.dst, f.dst_qp, f.spdcid, f.dpdcid, "
            "f.epoch, s.one_in, "
            "a.place AS origin, b.place AS target FROM segment_flow m "
            "JOIN segment s ON s.id = m.segment_id "
            "JOIN flow f ON f.id = m.flow_id "
            "JOIN tap a ON a.id = s.from_tap_id "
            "JOIN tap b ON b.id = s.to_tap_id WHERE s.adjacent").fetchall():
        flow = flows.get(identity(dict(r)))
        whole = flow and r["one_in"] == 1 and not any(
            at(flow, p, w) for p in (r["origin"], r["target"])
            for w in ("missed", "mirror_duplicates"))
        if not whole or r["lost"] is None:
            continue
        where = f"({run.where} flow {flow['id']} segment {r['segment_id']})"
        lost_ce = r["lost"] + r["missed_to"] + r["open"]
        want = at(flow, r["target"], "ce") - at(flow, r["origin"], "ce")
        score.range("located: marked", max(want, 0), r["marked"],
                    r["marked"], where, most=max(want, 0) + lost_ce)
        # What overtakes from one link to another of a place is not in the
        # truth of each tap.
        if not moved(flow, r["origin"]) and len(taps[r["target"]]) == 1:
            score.add("located: reordered", moved(flow, r["target"]),
                      r["reordered"], where)


def compare(score, run):
    place = places_of(run)
    if len(set(place.values())) < 2:
        return
    clocks(score, run)
    losses(score, run, place)
    marks_and_order(score, run, place)
