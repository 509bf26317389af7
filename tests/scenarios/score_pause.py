# SPDX-License-Identifier: GPL-2.0-or-later
"""Pauses: who asked for silence and for how long, where it came from, whom it
held up, and whether it went round in a circle."""

NEAR_NS = 5000  # when XOFF was meant, and when it came by the tap
LATE_NS = 400000  # an end that no frame marks: the last refresh before it


def tapped(truth):
    """(link direction, interface) where pause frames are seen."""
    return {(t["link"], t["interface"]) for t in truth["taps"]
            if t["sees_pause"]}


def intervals(score, run, said):
    """Each silence asked for on a tapped link, found from start to end."""
    for p in run.truth["pauses"]:
        for link, interface in tapped(run.truth):
            if link != p["emitter"] or p["from_ns"] is None:
                continue
            end = p["to_ns"] or run.truth["to_ns"]
            near = NEAR_NS if p["to_ns"] and not p["storm"] else LATE_NS
            priority = None if p.get("global") else p["priority"]
            found = [r for r in said if r["tap"] == interface and
                     r["source_mac"] == p["mac"] and
                     r["priority"] == priority and
                     abs(r["first_ns"] - p["from_ns"]) < NEAR_NS and
                     abs(r["last_ns"] - end) < near]
            score.add("pause", 1, len(found[:1]), run.where)
            for r in found[:1]:
                score.add("pause frames", p["xoff"], r["xoff_frames"],
                          run.where)
                said.remove(r)
    score.fp["pause"] += len(said)
    for r in said[:3]:
        score.notes.append(f"pause: {tuple(r)} is none ({run.where})")


def deadlocks(score, run):
    """Links of circles, all of them tapped."""
    circles = {e["place"].split(":")[0].strip() for e in run.truth["events"]
               if e["kind"] == "deadlock"}
    macs = {}
    for p in run.truth["pauses"]:
        macs[p["emitter"]] = p["mac"]
    seen = {link for link, _ in tapped(run.truth)}

    def back(link):
        a, b = link.split("->")
        return b + "->" + a

    expected = {macs[back(c)] for c in circles if back(c) in macs}
    if not {back(c) for c in circles} <= seen:
        expected = set()  # to be suspected at most
    got = {r["source_mac"] for r in run.db.execute(
        "SELECT source_mac FROM storm WHERE level = 'deadlock'")}
    score.sets("deadlock", expected, got, set(), run.where)


def roots(score, run):
    """Where each storm came from: the port that the chain of pauses ends
    at, when that is tapped."""
    pauses = {p["id"]: p for p in run.truth["pauses"]}
    seen = {link for link, _ in tapped(run.truth)}
    circle = any(e["kind"] == "deadlock" for e in run.truth["events"])
    for r in run.db.execute(
            "SELECT s.source_mac, s.priority, s.first_ns, o.source_mac AS root,"
            " s.level FROM storm s JOIN storm o ON o.id = s.root_id"):
        own = [p for p in run.truth["pauses"] if p["mac"] == r["source_mac"] and
               abs(p["from_ns"] - r["first_ns"]) < NEAR_NS]
        if not own or circle:
            continue
        chain, p = [], own[0]
        while p:
            chain.append(p)
            p = pauses.get(p.get("parent"))
        wanted = [c["mac"] for c in chain if c["emitter"] in seen][-1]
        score.add("storm root", 1, int(r["root"] == wanted), run.where)
        score.fp["storm root"] += r["root"] != wanted


def paths(run):
    """Link directions that each flow crosses."""
    out = {}
    for link in run.truth["links"]:
        for flow, *_ in link.get("flows", []):
            out.setdefault(flow, set()).add(link["link"])
    return out


def victims(score, run):
    """Held up by a root that they do not go to."""
    said = {}
    for r in run.db.execute(
            "SELECT h.part, h.stalled_ns, h.source_mac, f.src, f.dst, f.dst_qp "
            "FROM stalled_flow h JOIN flow f ON f.id = h.flow_id"):
        said.setdefault((r["src"], r["dst"], r["dst_qp"]), set()).add(
            (r["part"], r["source_mac"]))
    cross = paths(run)
    emitters = {p["mac"]: p["emitter"] for p in run.truth["pauses"]}
    circle = any(e["kind"] == "deadlock" for e in run.truth["events"])
    for f in run.truth["flows"]:
        for part, mac in said.get((f["src"], f["dst"], f.get("dst_qp")), ()):
            if part == "possible" or circle or mac not in emitters:
                continue
            a, b = emitters[mac].split("->")
            crosses = b + "->" + a in cross.get(f["id"], ())
            right = part == ("contributor" if crosses else "victim")
            score.add("held flow part", 1, int(right), run.where)
            if not right:
                score.fp["held flow part"] += 1
                score.notes.append(f"held: flow {f['id']} is no {part} of "
                                   f"{mac} {run.where}")


def held(score, run):
    """Flows that waited long within silences of a tapped link were held up."""
    by_id = run.truth["by_id"]
    pauses = {p["id"]: p for p in run.truth["pauses"]}
    seen = {link for link, _ in tapped(run.truth)}
    expected = {}
    for s in run.truth["silences"]:
        p = pauses.get(s.get("pause"))  # or want of credit
        if not p or p["emitter"] not in seen or s["to_ns"] is None:
            continue
        for v in s["victims"]:
            expected[v["flow"]] = max(expected.get(v["flow"], 0),
                                      v.get("waited_ns") or 0)
    said = {(r["src"], r["dst"], r["dst_qp"]) for r in run.db.execute(
        "SELECT f.src, f.dst, f.dst_qp FROM stalled_flow h "
        "JOIN flow f ON f.id = h.flow_id")}
    for flow, waited in expected.items():
        f = by_id[flow]
        if waited > 100000:
            score.add("held flow", 1, int(
                (f["src"], f["dst"], f.get("dst_qp")) in said), run.where)


def starvation(score, run):
    """UEC CBFC: flows that waited for credit for a millisecond and more, on a
    tapped link."""
    tapped_links = {link for link, _ in tapped(run.truth)}
    expected = {run.truth["by_id"][v["flow"]]["dst_qp"]
                for s in run.truth["silences"] if s.get("credit")
                for v in s["victims"]
                if s["link"] in tapped_links and
                (v.get("waited_ns") or 0) > 1000000}
    got = {r["dst_qp"] for r in run.db.execute(
        "SELECT f.dst_qp FROM stall s JOIN flow f ON f.id = s.flow_id "
        "WHERE s.cause = 'uec-cbfc'")}
    score.sets("uec credit stall", expected, got, set(), run.where)


def findings(score, run):
    """Nobody is accused where nobody asked for silence, and what was asked for
    is seen."""
    rules = {r["rule"] for r in run.db.execute(
        "SELECT rule FROM finding WHERE rule LIKE 'pause%' "
        "OR rule LIKE 'pfc%'")}
    seen = {link for link, _ in tapped(run.truth)}
    any_pause = any(p["emitter"] in seen for p in run.truth["pauses"])
    score.add("pauses told", int(any_pause), int("pauses" in rules), run.where)
    if not any_pause:
        score.fp["pause finding"] += len(rules)
        score.tp["pause finding"] += 1
    for tap, verdict in run.db.execute(
            "SELECT t.name, o.verdict FROM observability o "
            "JOIN tap t ON t.id = o.tap_id WHERE o.what = 'pfc'"):
        here = any(link == p["emitter"] and i == tap
                   for link, i in tapped(run.truth)
                   for p in run.truth["pauses"])
        score.add("pfc seen", 1, int((verdict == "yes") == here), run.where)


def compare(score, run):
    said = [r for r in run.db.execute(
        "SELECT pause.*, tap.name AS tap FROM pause "
        "JOIN tap ON tap.id = pause.tap_id")]
    intervals(score, run, said)
    deadlocks(score, run)
    roots(score, run)
    victims(score, run)
    held(score, run)
    starvation(score, run)
    findings(score, run)
