# SPDX-License-Identifier: GPL-2.0-or-later
"""Ultra Ethernet: contexts, their losses, refusals, trims and messages."""
import collections

from scoring import Seen, places

WITH_PDC = ("UET-RUD", "UET-ROD")


def key_of(flow):
    """What tells a flow from others: its PDC id, or its job without PDC."""
    pdc = flow["transport"] in WITH_PDC
    return (flow["src"], flow["dst"]) + (
        (flow["spdcid"], flow["dpdcid"]) if pdc else ("job", flow["job"]))


def rows_by_key(db):
    found = collections.defaultdict(list)
    for r in db.execute(
            "SELECT flow.*, tap.name AS tap, p.role, p.syn_packets,"
            # who only answers has the state of its peer
            " coalesce(p.state, (SELECT state FROM pdc"
            " WHERE flow_id = flow.peer_flow_id)) AS state,"
            " p.probes, p.ack_requests, p.clears,"
            " p.errors, p.entropy_values, p.trimmed_upstream,"
            " p.trimmed_downstream, p.late_behind"
            " FROM flow JOIN tap ON tap.id = flow.tap_id"
            " LEFT JOIN pdc p ON p.flow_id = flow.id"
            " WHERE transport LIKE 'UET%' AND transport <> 'UET-TSS'"
            " ORDER BY epoch"):
        pdc = r["transport"] in WITH_PDC
        if pdc and r["spdcid"] is None:
            continue  # refusals by a target that has no context
        found[(r["tap"], r["src"], r["dst"]) + (
            (r["spdcid"], r["dpdcid"]) if pdc else ("job", r["job_id"]))
        ].append(r)
    return found


def before_all(run, flow, taps):
    """Packets lost before the tap and before it saw anything: whether it ran
    yet is not known there (docs/rules.md)."""
    begin = run.db.execute("SELECT min(first_ns) FROM capture").fetchone()[0]
    return sum(1 for e in run.truth["events"]
               if e["kind"] == "drop" and e.get("flow") == flow["id"] and
               e["ns"] < begin and taps & set(e.get("before_taps", [])))


def compare_loss(score, seen, row, where, unseen):
    up, down = seen.sum("psns_lost_before"), seen.sum("psns_lost_after")
    gone = seen.sum("psns_lost_for_good")
    if row["spray_suspect"] or row["visibility"] != "both":
        # No verdict is a right answer here, a false one is not.
        low = row["lost_upstream"] or 0
        score.range("uet lost_upstream", min(up, low), low, low, where)
        return
    score.range("uet lost_upstream", max(up - gone - unseen, 0), row["lost_upstream"],
                row["lost_upstream"], where, seen.sum("psns_lost_before_any"))
    score.range("uet lost_downstream", max(down - gone, 0),
                row["lost_downstream_min"], row["lost_downstream_max"], where,
                down)
    score.add("uet capture_missing", seen.sum("psns_not_captured"),
              row["capture_missing"], where)
    again = seen.sum("captured_retransmissions", ("request", "response", "control"))
    score.add("uet retransmitted", again, row["retransmitted"], where)


def compare_refusals(score, run, flow, row, taps, where):
    """Refusals of this flow's packets travel in the other direction."""
    if row["visibility"] != "both" or row["spray_suspect"]:
        return
    said = {str(r["code"]): r["count"] for r in run.db.execute(
        "SELECT code, count FROM nack WHERE flow_id = ?", (row["id"],))}
    true_of = flow.get("nacks", {})
    for name in set(said) | set(true_of):
        # Those lost on the way to the tap are not there to be counted.
        true = true_of.get(name, 0)
        score.range("uet nacks", min(true, said.get(name, 0)),
                    said.get(name, 0), said.get(name, 0), f"code {name} {where}")


def compare_asked(score, seen, row, where):
    """Control packets count for who sent them, and an answer that asks for a
    clear for whom it asks."""
    score.add("uet probes", seen.sum("probes", ("control",)), row["probes"],
              where)
    score.add("uet ack requests", seen.sum("ack_requests", ("control",)),
              row["ack_requests"], where)
    score.add("uet clears", seen.sum("clears", ("control",)) +
              seen.reverse("clears"), row["clears"], where)


def compare_why(score, run, flow, row, where):
    """A timer is told only where one ran out, and a lost answer only where one
    was lost: several of them may be told as one, and neither may be known."""
    if row["visibility"] != "both" or row["spray_suspect"]:
        return
    timers, said = flow.get("timeouts", 0), row["timeouts"] or 0
    score.range("uet timeouts", min(timers, said), said, said, where, timers)
    answers = sum(e["kind"] == "drop" and e.get("class") == "ack" and
                  e["flow"] == flow["peer"] for e in run.truth["events"])
    said = row["ack_lost"] or 0
    score.range("uet answers lost", min(answers, said), said, said, where,
                answers)


def compare_cleared(score, run):
    """Where the network dropped something and it was sent again, or its answer
    was missed, nobody may say that it did not: that it cost next to no time is
    said beside a finding of it."""
    dropped = {e["flow"] for e in run.truth["events"] if e["kind"] == "drop"
               and e.get("class") in ("request", "ack")}
    dropped |= {run.truth["by_id"][f]["peer"] for f in dropped}
    uet = {f["id"] for f in run.truth["flows"]
           if f["transport"] in WITH_PDC}
    if not any(r["flow"] in dropped & uet for r in run.truth["recoveries"]):
        return
    cleared = run.db.execute("SELECT count(*) FROM answer"
                             " WHERE scope = 'capture' AND verdict IN"
                             " ('host', 'nothing-wrong') AND NOT EXISTS"
                             " (SELECT 1 FROM finding WHERE severity IN"
                             " ('warning', 'critical'))").fetchone()[0]
    score.tp["uet not cleared"] += not cleared
    score.fp["uet not cleared"] += cleared
    if cleared:
        score.notes.append(f"uet not cleared: it is ({run.where})")


def compare_explained(score, run):
    """Where holes in SACKs alone made senders repeat, the SACKs are there to be
    seen: nobody may say that nothing shows why."""
    uet = {f["id"] for f in run.truth["flows"]
           if f["transport"] in WITH_PDC}
    rows = run.truth["recoveries"]
    if not rows or any(r["trigger"] != "sack" or r["flow"] not in uet
                       for r in rows):
        return
    said = run.db.execute("SELECT count(*) FROM finding WHERE title LIKE"
                          " '%does not show why%'").fetchone()[0]
    score.tp["uet resends explained"] += not said
    score.fp["uet resends explained"] += said
    if said:
        score.notes.append(f"uet resends explained: {said} are not"
                           f" ({run.where})")


def compare_credit(score, run, flow, row, where, waits):
    """The series of credit, added up.  A credit is 256 octets here, and the
    last grant may still be on its way.  No place may say that the sender waited
    for longer than it did; how much of that a place can know depends on how far
    away it is, and the nearest has to find most of it (compare_waits())."""
    granted, waited = run.db.execute(
        "SELECT sum(credit_granted), sum(credit_wait_ns) FROM cc_bin"
        " WHERE flow_id = ?", (row["id"],)).fetchone()
    if not flow.get("credit_bytes") or row["visibility"] != "both":
        return
    true = flow["credit_bytes"] // 256
    score.range("uet credit granted", true, granted or 0, granted or 0, where,
                true + 64)
    starved, waited = flow.get("starved_ns", 0), waited or 0
    most = starved * 21 // 20 + 2000
    score.tp["uet credit wait, most"] += waited <= most
    score.fp["uet credit wait, most"] += waited > most
    if waited > most:
        score.notes.append(f"uet credit wait, most: {starved} ns true,"
                           f" {waited} said {where}")
    waits[flow["id"]] = max(waits.get(flow["id"], 0), waited)


def compare_waits(score, run, waits):
    for flow, waited in waits.items():
        true = run.truth["by_id"][flow].get("starved_ns", 0) // 2
        score.range("uet credit wait", true, waited, waited,
                    f"({run.where} flow {flow})", waited)


def compare_one(score, run, flow, row, taps, where, waits):
    seen = Seen(run.truth, flow, taps)
    pdc = flow["transport"] in WITH_PDC
    score.add("uet transport", 1,
              int(row["transport"] == flow["transport"]), where)
    if row["job_id"] is not None:
        score.add("uet job", 1, int(row["job_id"] == flow["job"]), where)
    if not pdc:
        return
    unseen = before_all(run, flow, taps)
    compare_loss(score, seen, row, where, unseen)
    compare_refusals(score, run, flow, row, taps, where)
    compare_asked(score, seen, row, where)
    compare_why(score, run, flow, row, where)
    compare_credit(score, run, flow, row, where, waits)
    if row["dpdcid"] is not None:
        score.add("uet pairing", 1, int(row["dpdcid"] == flow["dpdcid"]),
                  where)
        score.fp["uet pairing"] += row["dpdcid"] != flow["dpdcid"]
    if flow["initiator"] and row["role"]:
        score.add("uet role", 1, int(row["role"] == "initiator"), where)
    if not seen.sum("missed") and not seen.sum("psns_never_passed"):
        # An answer that passed here may have been lost on the rest of its way.
        score.range("uet messages", flow["completed"] - unseen,
                    row["messages_completed"], row["messages_completed"],
                    where, flow["messages"])
        if not unseen:
            score.add("uet messages begun", flow["messages"], row["messages"],
                      where)
        closed = flow["closed_ns"] is not None
        score.add("uet closed", int(closed), int(row["state"] == "closed"),
                  where)


CLASSES = ("request", "response", "ack", "control")


def compare_source(score, run, key, flows, row, taps, where):
    seen = [Seen(run.truth, f, taps) for f in flows]
    passed = sum(s.sum("captured", CLASSES) for s in seen)
    score.add("tss packets", passed, row["packets"] if row else 0, where)
    # A number may have gone another way, too.
    if row and all(s.sum("captured", CLASSES) for s in seen):
        score.add("tss not here",
                  sum(s.sum("lost_before", CLASSES) for s in seen),
                  row["missing"], where)


def compare_tss(score, run):
    """What is encrypted: how much of each source passed, and nothing else is
    said of it."""
    sources = collections.defaultdict(list)
    for flow in run.truth["flows"]:
        if flow.get("sdi"):
            key = flow["src"], flow["sdi"], flow.get("ssi", 0)
            sources[key].append(flow)
    if not sources:
        return
    for names, taps in places(run.db, run.truth):
        told = {(r["src"], r["sdi"], r["ssi"] or 0): r for r in run.db.execute(
            "SELECT s.*, t.name AS tap FROM tss s JOIN tap t ON t.id = s.tap_id")
            if r["tap"] in names}
        where = f"({run.where} {'+'.join(names)}"
        score.sets("tss sources", {k for k in sources if any(
            Seen(run.truth, f, taps).sum("captured", CLASSES)
            for f in sources[k])}, set(told), set(), where + ")")
        for key, flows in sources.items():
            compare_source(score, run, key, flows, told.get(key), taps,
                           f"{where} {key})")
    score.add("tss other flows", 0, run.db.execute(
        "SELECT count(*) FROM flow WHERE transport LIKE 'UET%'"
        " AND transport <> 'UET-TSS'").fetchone()[0], run.where)


def compare(score, run):
    compare_tss(score, run)
    compare_cleared(score, run)
    compare_explained(score, run)
    rows, waits = rows_by_key(run.db), {}
    for names, taps in places(run.db, run.truth):
        lives = collections.Counter()
        for flow in run.truth["flows"]:
            if not flow["transport"].startswith("UET") or flow.get("sdi"):
                continue
            if not Seen(run.truth, flow, taps).any():
                continue
            key = key_of(flow)
            where = f"({run.where} {'+'.join(names)} flow {flow['id']})"
            found = next((rows[(n,) + key] for n in names
                          if (n,) + key in rows), [])
            nth = lives[key]
            lives[key] += 1
            score.add("uet flows", 1, int(nth < len(found)), where)
            if nth < len(found):
                compare_one(score, run, flow, found[nth], taps, where,
                            waits)
        for key, n in lives.items():
            found = max((len(rows.pop((name,) + key, [])) for name in names))
            score.fp["uet flows"] += max(found - n, 0)
    compare_waits(score, run, waits)
    score.fp["uet flows"] += sum(map(len, rows.values()))
    for key in rows:
        score.notes.append(f"uet flows: {key} is none ({run.where})")
