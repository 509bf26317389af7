# SPDX-License-Identifier: GPL-2.0-or-later
"""Ultra Ethernet: contexts, their losses, refusals, trims and messages."""
import collections

from scoring import Seen, places


def key_of(flow):
    """What tells a flow from others: its PDC id, or its job without PDC."""
    pdc = flow["transport"] in ("UET-RUD", "UET-ROD")
    return (flow["src"], flow["dst"]) + (
        (flow["spdcid"], flow["dpdcid"]) if pdc else ("job", flow["job"]))


def rows_by_key(db):
    found = collections.defaultdict(list)
    for r in db.execute(
            "SELECT flow.*, tap.name AS tap, p.state, p.role, p.syn_packets,"
            " p.errors, p.entropy_values, p.trimmed_upstream,"
            " p.trimmed_downstream, p.late_behind"
            " FROM flow JOIN tap ON tap.id = flow.tap_id"
            " LEFT JOIN pdc p ON p.flow_id = flow.id"
            " WHERE transport LIKE 'UET%' ORDER BY epoch"):
        pdc = r["transport"] in ("UET-RUD", "UET-ROD")
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
    score.add("uet capture_missing", seen.sum("psns_ghost"),
              row["capture_missing"], where)
    again = seen.sum("captured_copies", ("request", "response", "control"))
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


def compare_one(score, run, flow, row, taps, where):
    seen = Seen(run.truth, flow, taps)
    pdc = flow["transport"] in ("UET-RUD", "UET-ROD")
    score.add("uet transport", 1,
              int(row["transport"] == flow["transport"]), where)
    if row["job_id"] is not None:
        score.add("uet job", 1, int(row["job_id"] == flow["job"]), where)
    if not pdc:
        return
    unseen = before_all(run, flow, taps)
    compare_loss(score, seen, row, where, unseen)
    compare_refusals(score, run, flow, row, taps, where)
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
        closed = flow["closed_ns"] is not None
        score.add("uet closed", int(closed), int(row["state"] == "closed"),
                  where)


def compare(score, run):
    rows = rows_by_key(run.db)
    for names, taps in places(run.db, run.truth):
        lives = collections.Counter()
        for flow in run.truth["flows"]:
            if not flow["transport"].startswith("UET"):
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
                compare_one(score, run, flow, found[nth], taps, where)
        for key, n in lives.items():
            found = max((len(rows.pop((name,) + key, [])) for name in names))
            score.fp["uet flows"] += max(found - n, 0)
    score.fp["uet flows"] += sum(map(len, rows.values()))
    for key in rows:
        score.notes.append(f"uet flows: {key} is none ({run.where})")
