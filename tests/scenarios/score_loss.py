# SPDX-License-Identifier: GPL-2.0-or-later
"""Flows, loss, repetition, order and what the mirror did to them."""
import collections

from scoring import Seen


def rounds_of(truth, flow, trigger, taps):
    """How often the sender went back, where a copy was captured."""
    return [r for r in truth["recoveries"]
            if r["flow"] == flow["id"] and r["trigger"] == trigger and
            taps & set(r.get("seen_taps", []))]


def all_lost(r):
    """Of what the sender repeats, the receiver had nothing."""
    return r["lost"] == r["span"]


def span_of(r):
    return {(r["psn"] + i) & 0xffffff for i in range(r["span"])}


def drops_of(truth, flow):
    return [e for e in truth["events"]
            if e["kind"] == "drop" and e.get("flow") == flow["id"] and
            e["class"] in ("request", "response")]


def firsts_before(truth, flow, taps):
    """PSNs whose first transmission was lost before the tap."""
    return {e["psn"] for e in drops_of(truth, flow)
            if not e["retransmission"] and taps & set(e.get("before_taps", []))}


def tails_before(truth, flow, taps):
    """Of these, the ones nothing had passed behind when a timer found out: they
    pass for the first time then, like new data (docs/rules.md)."""
    firsts, tails = firsts_before(truth, flow, taps), set()
    for r in rounds_of(truth, flow, "timeout", taps):
        for i in reversed(range(r["span"])):
            psn = (r["psn"] + i) & 0xffffff
            if psn not in firsts:
                break
            tails.add(psn)
    return tails


def windows_behind(truth, flow, taps):
    """PSNs lost behind the tap together with all others under way: that the
    answer to them was not lost instead is not known (docs/rules.md)."""
    return set().union(*(span_of(r)
                         for r in rounds_of(truth, flow, "timeout", taps)
                         if all_lost(r) and taps & set(r.get("after_taps",
                                                             []))))


def events_of(truth, flow, kind, taps):
    """Times of the sender's own doings inside the captured span."""
    spans = [(t["from_ns"], t["to_ns"]) for t in truth["taps"]
             if t["tap"] in taps]
    return sum(1 for e in truth["events"]
               if e["kind"] == kind and e.get("flow") == flow["id"] and
               any(a <= e["ns"] <= b for a, b in spans))


def ill(seen):
    """Mirrors that lose more than one copy in a thousand are a class apart."""
    bad = seen.sum("missed") * 1000 > seen.sum("passed")
    return ", bad mirror" * bad


def compare_lost(score, seen, row, where, up, down):
    """|up| and |down|: how many, and how many more may be said.  What a tap
    cannot know is counted apart, and is wanted of nobody."""
    truth, flow, taps = seen.truth, seen.flow, seen.taps
    tails = len(tails_before(truth, flow, taps))
    windows = len(windows_behind(truth, flow, taps))
    for what, (least, most), apart, low, high in (
            ("lost_upstream", up, tails, row["lost_upstream"],
             row["lost_upstream"]),
            ("lost_downstream", down, windows, row["lost_downstream_min"],
             row["lost_downstream_max"])):
        if low is None:
            continue
        apart = min(apart, least)
        score.range(what + ill(seen), least - apart, low, high, where, most)
        if apart:
            found = min(max(high - (least - apart), 0), apart)
            score.range(what + ", unknowable", apart, found, found, where)


def compare_timeouts(score, truth, flow, row, taps, where):
    """Where nothing of it had passed before, a round is like new data.  Before
    the first answer nobody knows whether answers come by: such a round is
    counted apart (docs/rules.md)."""
    rounds = rounds_of(truth, flow, "timeout", taps)
    new = sum(all_lost(r) and bool(taps & set(r.get("before_taps", [])))
              for r in rounds)
    first = min(sum(r["psn"] == flow["first_psn"] for r in rounds),
                len(rounds) - new)
    said, known = row["timeouts"], len(rounds) - new - first
    score.range("timeouts", known, said, said, where, len(rounds))
    if first:
        found = min(max(said - known, 0), first)
        score.range("timeouts, unknowable", first, found, found, where)


def compare_flow(score, truth, flow, row, taps, where, one_link):
    seen = Seen(truth, flow, taps)
    both = row["visibility"] == "both"
    up = seen.sum("psns_lost_before")
    # Copies lost before the tap may be noticed too, but need not be.
    up_most = seen.sum("psns_lost_before_any")
    # What came to the tap damaged is lost behind it, by no fault there (R5).
    down = seen.sum("psns_lost_after") - seen.sum("icrc_bad")
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
        compare_lost(score, seen, row, where, (up, up_most),
                     (down, down_most))
        score.add("capture_missing", seen.sum("psns_not_captured"),
                  row["capture_missing"], where)
        score.add("nak_seq", seen.reverse("naks"), row["nak_seq"], where)
        score.add("rnr_nak", seen.reverse("rnrs"), row["rnr_nak"], where)
        score.add("nak_fatal", seen.reverse("refusals"), row["nak_fatal"],
                  where)
        compare_timeouts(score, truth, flow, row, taps, where)
        score.add("implied_nak", events_of(truth, flow, "implied_nak", taps),
                  row["implied_nak"], where)
        copies = seen.sum("captured_retransmissions")
        tails = len(tails_before(truth, flow, taps))
        score.range("retransmitted", max(copies - tails, 0),
                    row["retransmitted"], row["retransmitted"], where, copies)
    score.add("corrupted", seen.sum("icrc_bad"), row["icrc_bad"], where)
    if one_link:  # the truth knows no order across parallel links
        score.add("reordered", seen.sum("reordered"), row["reordered"], where)
    score.add("mirror_duplicates",
              seen.sum("mirror_duplicates", ("request", "response", "ack")),
              row["mirror_duplicates"], where)
    peer = truth["by_id"].get(flow["peer"])
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
    drops = drops_of(truth, flow)
    before = {e["psn"] for e in drops if taps & set(e.get("before_taps", []))}
    firsts = (firsts_before(truth, flow, taps) -
              tails_before(truth, flow, taps))
    if seen_gone(truth, flow, taps):
        firsts &= said_of(db, row)["loss_upstream"]
    after = {e["psn"] for e in drops if taps & set(e.get("after_taps", []))}
    # Which packet of a tail was lost, a timeout does not tell.
    for r in truth["recoveries"]:
        if (r["flow"] == flow["id"] and r["trigger"] == "timeout" and
                r["lost"] and taps & set(r.get("after_taps", []))):
            after |= span_of(r)
    said = said_of(db, row)
    bad = ill(Seen(truth, flow, taps))
    score.sets("psn: lost_upstream" + bad, firsts, said["loss_upstream"],
               before, where)
    # Of a window only the first loss can be known (reference 3.5.2).
    score.sets("psn: lost_downstream" + bad, said["loss_downstream"] & after,
               said["loss_downstream"], after, where)


def compare(score, run):
    for p in run.pairs:
        score.add("flows", 1, int(p.row is not None), p.where)
        if p.row:
            compare_flow(score, run.truth, p.flow, p.row, p.taps, p.where,
                         p.one_link)
            compare_events(score, run.db, run.truth, p.flow, p.row, p.taps,
                           p.where)
    for key in run.strangers:
        score.fp["flows"] += 1
        score.notes.append(f"flows: {key} is none ({run.where})")
