#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Taps of the same traffic, by one clock: what fabscope says happened
between them, against the pairing of frames that was made with the captures.

    taps.py FABSCOPE FOLDER...

In every FOLDER each NAME.json with NAME.pa.pcap, NAME.pb.pcap ... of all its
taps, packed or not.  Frames
lost, overtaken and marked are compared exactly; so are the frame numbers of the
lost ones, and the shortest delay.  No clock may be corrected.

A frame whose header was spoilt on the way is a loss to fabscope, and two
frames of the capture ("changed") to the record; a doubled one is not lost.
What was lost so shortly before the end that it could still be on its way need
not be told."""
import collections
import glob
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

import wire
from truth import capture_file


def between(db, way):
    """Sums over the flows of one way, from its first tap on."""
    row = db.execute(
        "SELECT sum(m.packets), sum(m.lost), sum(m.missed_to + m.missed_from "
        "+ m.open), sum(m.marked), sum(m.reordered), sum(m.duplicated), "
        "min(m.delay_min_ns) FROM segment_flow m "
        "JOIN segment s ON s.id = m.segment_id "
        "JOIN tap a ON a.id = s.from_tap_id "
        "JOIN flow f ON f.id = m.flow_id WHERE a.name = ? AND f.src = ? AND f.dst = ?",
        (way["upstream_tap"], way["from"], way["to"])).fetchone()
    return [x or 0 for x in row]


def lost_frames(db, way):
    return {frame for (frame,) in db.execute(
        "SELECT v.frame FROM unmatched v JOIN tap a ON a.id = v.tap_id "
        "JOIN flow f ON f.id = v.flow_id "
        "WHERE v.verdict = 'lost' AND a.name = ? AND f.src = ? "
        "AND f.dst = ?", (way["upstream_tap"], way["from"], way["to"]))}


def late(base, way):
    """Frames at the upstream tap that would be downstream, at twice the longest
    time on the way or a millisecond, when the capture there had ended."""
    up, down = ([frame.ns for frame in
                 wire.frames(capture_file(base, way[tap]))]
                for tap in ("upstream_tap", "downstream_tap"))
    return {number for number, ns in enumerate(up, 1)
            if ns > down[-1] - max(2 * way["transit_ns"]["max"], 10**6)}


def one_way(db, name, base, way):
    """What differs, in words."""
    packets, lost, other, marked, moved, doubled, delay = between(db, way)
    changed = {up for up, _ in way["changed_frames_up_down"]}
    want = set(way["lost_frames_upstream"])
    have = lost_frames(db, way)
    told = collections.OrderedDict([
        ("lost frames", (have - changed, want - (late(base, way) - have))),
        ("neither lost nor there", (other, 0)),
        ("marked", (marked, way["ce_marked"])),
        ("doubled", (doubled, way["duplicated"])),
        ("overtaken", (moved, way["order_within_qp"]["late"])),
    ])
    if not changed:
        told["shortest delay"] = (delay, way["transit_ns"]["min"])
    return [f"{name} from {way['from']} to {way['to']}: {what}: {have}, not {want}"
            for what, (have, want) in told.items() if have != want]


def told_twice(db, name):
    """All taps are at both sides of what loses: nothing is lost behind them
    but, it may seem, a few copies."""
    lost = db.execute("SELECT total(lost_min) FROM incident WHERE kind LIKE "
                      "'%loss_downstream' OR kind = 'outage_downstream'"
                      ).fetchone()[0]
    if lost > 3:
        yield f"{name}: {lost:.0f} packets told as lost behind the taps"


def case(fabscope, base, truth):
    name = os.path.basename(base)
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "x.db")
        taps = [word for tap in truth["taps"]
                for word in ("--tap", f"{tap}={capture_file(base, tap)}")]
        subprocess.run([fabscope, "analyze", "-o", path, *taps],
                       check=True, stdout=subprocess.DEVNULL)
        db = sqlite3.connect(path)
        bad = [line for way in truth["between_taps"]
               for line in one_way(db, name, base, way)]
        bad += told_twice(db, name)
        if db.execute("SELECT max(applied) FROM clock").fetchone()[0]:
            bad.append(f"{name}: a clock that is right was corrected")
        db.close()
    return bad


def main():
    bad, cases = [], 0
    for folder in sys.argv[2:]:
        for path in sorted(glob.glob(os.path.join(folder, "d*.json"))):
            base = path[:-len(".json")]
            with open(path) as f:
                truth = json.load(f)
            if "between_taps" in truth and \
                    all(capture_file(base, tap) for tap in truth["taps"]):
                bad += case(sys.argv[1], base, truth)
                cases += 1
    print("\n".join(bad + [f"{cases} cases, {len(bad)} differences"]))
    return bool(bad) or not cases


if __name__ == "__main__":
    sys.exit(main())
