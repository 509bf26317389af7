# SPDX-License-Identifier: GPL-2.0-or-later
"""What findings say of losses: never more than there were, never at another
place.  Asked of captures that were thinned (score.py --thin), where a mirror
lost what the network did not: so there is no recall to ask for.

A claim is an incident: a kind, which says where, hosts or flows, a tap, and a
number that is said to be lost at least."""
import collections

from score_uet import key_of

THINNED = True

UP, DOWN, BETWEEN, ANYWHERE = "up", "down", "between", "anywhere"
WHERE = {
    "loss_upstream": UP, "tail_loss_upstream": UP, "outage_upstream": UP,
    "loss_downstream": DOWN, "tail_loss_downstream": DOWN,
    "outage_downstream": DOWN, "loss_between": BETWEEN,
    "unrecovered": ANYWHERE,
}

# What no capture may show where the network dropped nothing.
OF_A_LOSS = set(WHERE) | {"loss_unplaced", "tail_loss_unplaced", "timeout",
                          "loss_or_reorder", "unanswered"}


def taps_by_place(run):
    """Place of table tap: its taps of the truth."""
    place = {r["name"]: r["place"] for r in run.db.execute(
        "SELECT name, place FROM tap")}
    at = collections.defaultdict(set)
    for t in run.truth["taps"]:
        if t["interface"] in place:
            at[place[t["interface"]]].add(t["tap"])
    return at


def numbers_of(run):
    """Rows of table flow: flows of the truth, whatever their epoch."""
    known = collections.defaultdict(set)
    for flow in run.truth["flows"]:
        key = key_of(flow) if flow["transport"].startswith("UET") else \
            (flow["src"], flow["dst"], flow.get("dst_qp"))
        known[key].add(flow["id"])
    found = {}
    for r in run.db.execute("SELECT id, transport, src, dst, dst_qp, spdcid, "
                            "dpdcid, job_id AS job FROM flow"):
        key = (r["src"], r["dst"], r["dst_qp"])
        if r["transport"].startswith("UET"):
            key = key_of(r)
        found[r["id"]] = known.get(key, set())
    return found


def concerned(run, incident, numbers):
    """Flows of the truth and their other directions: answers to a READ are
    lost on the way back."""
    found = set()
    for (flow,) in run.db.execute(
            "SELECT flow_id FROM incident_flow WHERE incident_id = ?",
            (incident["id"],)):
        found |= numbers.get(flow, set())
    return found | {run.truth["by_id"][f]["peer"] for f in found}


def lost_there(run, where, flows, here, others):
    """Drops of these flows on that side of the taps |here|."""
    n = 0
    for e in run.truth["events"]:
        if e["kind"] != "drop" or e.get("flow") not in flows:
            continue
        before = bool(here & set(e.get("before_taps", [])))
        after = bool(here & set(e.get("after_taps", [])))
        passed = bool(others & set(e.get("after_taps", [])))
        n += {UP: before, DOWN: after, BETWEEN: before and passed,
              ANYWHERE: True}[where]
    return n


def damaged(run, flows, taps):
    return sum(t[c].get("icrc_bad", 0) for f in flows
               for t in run.truth["by_id"].get(f, {}).get("taps", [])
               if t["tap"] in taps for c in t
               if isinstance(t[c], dict))


def of_nothing(score, run):
    if any(e["kind"] in ("drop", "corrupt") for e in run.truth["events"]):
        return
    said = [i["kind"] for i in run.db.execute("SELECT kind FROM incident")
            if i["kind"] in OF_A_LOSS]
    score.tp["claim: of nothing"] += not said
    score.fp["claim: of nothing"] += len(said)
    if said:
        score.notes.append(f"claim: of nothing: {said} ({run.where})")


def blamed(score, run, incident, text):
    """The hosts named are those of the flows, in their direction; answers of
    RoCE travel against it."""
    if incident["src"] is None or incident["dst"] is None:
        return
    ways = {(r["src"], r["dst"]) for r in run.db.execute(
        "SELECT f.src, f.dst FROM incident_flow m JOIN flow f "
        "ON f.id = m.flow_id WHERE m.incident_id = ? "
        "AND f.transport LIKE 'UET%'", (incident["id"],))}
    if ways:
        right = (incident["src"], incident["dst"]) in ways
        score.add("claim: who", 1, int(right), text)
        score.fp["claim: who"] += not right


def compare(score, run):
    of_nothing(score, run)
    at, numbers = taps_by_place(run), numbers_of(run)
    everywhere = set().union(*at.values()) if at else set()
    for i in run.db.execute(
            "SELECT i.*, t.place FROM incident i "
            "LEFT JOIN tap t ON t.id = i.tap_id").fetchall():
        where = WHERE.get(i["kind"])
        if not where or not i["lost_min"]:
            continue
        here = at[i["place"]] if i["tap_id"] else everywhere
        flows = concerned(run, i, numbers)
        true = lost_there(run, where, flows, here, everywhere - here
                          if i["tap_id"] else everywhere)
        true += damaged(run, flows, here) * (where != UP)
        text = f"({run.where} {i['kind']} {i['who']})"
        blamed(score, run, i, text)
        score.range("claim: " + where, min(true, i["lost_min"]),
                    i["lost_min"], i["lost_min"], text)
        score.add("claim: " + where + ", where", 1, int(true > 0), text)
        score.fp["claim: " + where + ", where"] += not true
