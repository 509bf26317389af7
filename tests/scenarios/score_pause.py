# SPDX-License-Identifier: GPL-2.0-or-later
"""PFC: who asked for silence, and for how long."""

NEAR_NS = 5000  # pauses: when XOFF was meant, and when it came by the tap


def compare(score, run):
    """Each silence asked for on a tapped link, found from start to end."""
    said = [r for r in run.db.execute(
        "SELECT pause.*, tap.name AS tap FROM pause "
        "JOIN tap ON tap.id = pause.tap_id")]
    if not said:
        return  # this fabscope does not look at pauses yet
    links = {(t["link"], t["interface"]) for t in run.truth["taps"]
             if t["sees_pause"]}
    for p in run.truth["pauses"]:
        for link, interface in links:
            if link != p["emitter"] or p["from_ns"] is None:
                continue
            end = p["to_ns"] or run.truth["to_ns"]
            found = [r for r in said if r["tap"] == interface and
                     r["source_mac"] == p["mac"] and
                     r["priority"] == p["priority"] and
                     abs(r["first_ns"] - p["from_ns"]) < NEAR_NS and
                     (p["storm"] or abs(r["last_ns"] - end) < NEAR_NS)]
            score.add("pause", 1, len(found[:1]), run.where)
            for r in found[:1]:
                said.remove(r)
    score.fp["pause"] += len(said)
    if said:
        score.notes.append(f"pause: {len(said)} false ({run.where})")
