#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a recovery is put down to, by rows that are written by hand.

    recovery.py

Flow 1, of host a to host b, was seen at the tap 7 and had one recovery, 300 ns
from its begin to its end.  queries/derive/41-attribution/recovery.sql and
41-link.sql run on tables that hold nothing else."""
import os
import re
import sqlite3
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
DOWN = ("reorder", "R26")  # in order here, and out of order at its receiver
UP = ("reorder", "R2")     # out of order here already
EITHER = ("loss_or_reorder", "R26: lost or reordered downstream")
LOST = ("loss_downstream", "R4")
# What the tap is the link of, who sends pauses there, cause and rule, whether
# reordering behind it was seen as well, and what decided.
CASES = (
    ("no cable reorders", "b", "", DOWN, False, {"adapter"}),
    ("a switch does", "", "", DOWN, False, {"reorder"}),
    ("and so it may before the link of the sender", "a", "", DOWN, False,
     {"reorder"}),
    ("out of order before", "b", "", UP, False, {"reorder"}),
    ("of two hosts it may be the link of either", "ab", "", DOWN, False,
     {"reorder"}),
    ("but for pauses of its receiver", "ab", "b", DOWN, False, {"adapter"}),
    ("pauses of its sender", "ab", "a", DOWN, False, {"reorder"}),
    ("a cable loses", "b", "b", EITHER, False, {"link"}),
    ("that adapter is known to reorder", "b", "", EITHER, True, {"adapter"}),
    ("something between there is known to", "", "", EITHER, True, {"either"}),
    ("lost is not reordered", "b", "", LOST, True, {"link"}),
)
LATE, ACKED = ("reorder", "R2"), ("ack_loss", "R25")
# How the sender recovers, and perhaps other flows of it, the cause, what
# another tap knows of it, when it had caught up, what decided, for how long.
KEPT = (
    ("its receiver kept what came", "sr", UP, None, 1301, set(), 0),
    ("new data waited for what was needless", "sr", UP, None, 1300,
     {"reorder"}, 100),
    ("or it was placed", "ooo", UP, None, 1301, set(), 0),
    ("as another tap knows", "sr", EITHER, LATE, 1301, set(), 0),
    ("or as its ACK says there", "sr", EITHER, ACKED, 1301, set(), 0),
    ("which nobody knows", "sr", EITHER, None, 1301, {"either"}, 301),
    ("as another flow of its sender shows", (None, "sr"), UP, None, 1301, set(),
     0),
    ("not all of them do", (None, "sr", "gbn"), UP, None, 1301, {"reorder"},
     301),
    ("of its own it is known", ("gbn", "sr"), UP, None, 1301, {"reorder"}, 301),
    ("all was retransmitted", "gbn", UP, None, 1301, {"reorder"}, 301),
    ("nor is it known what is", None, UP, None, 1301, {"reorder"}, 301),
    ("all was retransmitted, as another tap knows", "gbn", EITHER, LATE, 1301,
     {"reorder"}, 301),
    ("who lacks what was lost waits for it", "sr", LOST, None, 1301,
     {"detection", "replay"}, 301),
)


def read(*path):
    with open(os.path.join(ROOT, *path)) as f:
        return f.read()


def row(db, table, **value):
    """What a table wants and is not asked for here is 0."""
    for _, name, _, needed, default, key in db.execute(
            f"PRAGMA table_info({table})"):
        if needed and default is None and not key:
            value.setdefault(name, 0)
    db.execute(f"INSERT INTO {table}({', '.join(value)}) VALUES"
               f" ({', '.join('?' * len(value))})", tuple(value.values()))


def bit_of(word):
    file = {"HYPOTHESIS": "hypotheses", "EVIDENCE": "evidence"}[word]
    names = re.findall(rf'^{word}\(\w+, "(\w+)"',
                       read("src", "flow", "recovery", file + ".def"),
                       re.MULTILINE)
    return lambda name: 1 << names.index(name)


def database():
    """With the tables, and the function of src/store/why.c that their queries
    need."""
    db = sqlite3.connect(":memory:")
    for function, word in (("hypothesis_bit", "HYPOTHESIS"),
                           ("evidence_bit", "EVIDENCE")):
        db.create_function(function, 1, bit_of(word))
    db.executescript(read("src", "store", "schema.sql"))
    return db


def tables(cause, recovery=None, last_ns=1300):
    db = database()
    db.execute("CREATE TEMP TABLE phase_link(tap_id, address)")
    row(db, "flow", id=1, tap_id=7, src="a", dst="b", recovery=recovery)
    row(db, "recovery", id=1, flow_id=1, tap_id=7, trigger="nak",
        cause=cause[0], rule=cause[1], psn=5, first_ns=1000, detect_ns=1100,
        retransmit_ns=1200, last_ns=last_ns)
    return db


def recoveries_of(db):
    """What the recoveries in |db| cost which flow."""
    db.execute("CREATE TEMP TABLE attribution(flow_id, first_ns, last_ns, class,"
               " part, replays)")
    db.executescript(read("queries", "derive", "41-attribution",
                          "recovery.sql"))
    return db.execute("SELECT * FROM temp.attribution").fetchall()


def parts(db):
    """What it is put down to, and how long that was."""
    recoveries_of(db)
    db.executescript(read("queries", "derive", "41-link.sql"))
    rows = [r for r in db.execute("SELECT * FROM temp.attribution")
            if r[0] == 1]
    return ({part for _, _, _, _, part, _ in rows},
            sum(last - first for _, first, last, _, _, _ in rows))


def decided(links, pauses, cause, seen):
    db = tables(cause)
    db.executemany("INSERT INTO phase_link VALUES (7, ?)", links)
    for host in pauses:
        row(db, "pause_sender", tap_id=7, role="host", host=host)
    if seen:
        row(db, "event", id=1, ns=900, tap_id=7, flow_id=1, kind="reorder",
            detail="R26: NAKed, then acknowledged")
    return parts(db)


def kept(recovery, cause, elsewhere, last_ns):
    """|elsewhere|: flow 2 is the same at tap 8."""
    recovery, *others = (recovery if isinstance(recovery, tuple)
                         else (recovery,))
    db = tables(cause, recovery, last_ns)
    for i, other in enumerate(others):
        row(db, "flow", id=11 + i, tap_id=7, src="a", dst="c", recovery=other)
    if elsewhere:
        row(db, "flow", id=2, tap_id=8, src="a", dst="b", recovery=recovery)
        row(db, "same_flow", flow_id=2, counted_id=1)
        row(db, "recovery", id=2, flow_id=2, tap_id=8, trigger="nak",
            cause=elsewhere[0], rule=elsewhere[1], psn=5, first_ns=1010, detect_ns=1050,
            retransmit_ns=1250, last_ns=1310)
    return parts(db)


def hasty(packets, cause="collateral", transport="UET-RUD", rule="U14",
          trigger="timeout", remaining=("ack_lost", "spurious_timer"),
          times=1):
    """A timer repeated |packets| of 100 that had arrived, of 30 messages;
    |times|."""
    db = database()
    db.execute("CREATE TEMP TABLE phase_link(tap_id, address)")
    row(db, "flow", id=1, tap_id=7, src="a", dst="b", transport=transport,
        requests=100, messages=30)
    for i in range(times):
        row(db, "recovery", id=1 + i, flow_id=1, tap_id=7, trigger=trigger,
            cause=cause, rule=rule, psn=5 + i, first_ns=1000 * (i + 1),
            detect_ns=1000 * i + 1200, retransmit_ns=1000 * i + 1200,
            last_ns=1000 * i + 1300, retransmitted_packets=packets,
            remaining=sum(db.execute("SELECT hypothesis_bit(?)",
                                     (n,)).fetchone()[0] for n in remaining))
    return parts(db)[0]


def both_ways(transport="RC", back=True, lost=None):
    """An RTO of flow 1, which is 2 at the link of its receiver; what comes
    back is 4 there, and 3 at the link of the sender.  |lost|: when something
    was, and of which flow."""
    db = database()
    db.execute("CREATE TEMP TABLE phase_link(tap_id, address)")
    db.executemany("INSERT INTO phase_link VALUES (?, ?)",
                   ((7, "a"), (8, "b")))
    for flow, tap, src, dst, peer in ((1, 7, "a", "b", 3), (2, 8, "a", "b", 4),
                                      (3, 7, "b", "a", 1), (4, 8, "b", "a", 2)):
        row(db, "flow", id=flow, tap_id=tap, src=src, dst=dst,
            peer_flow_id=peer, transport=transport)
    row(db, "segment_flow", segment_id=1, flow_id=1, to_flow_id=2, packets=9, lost=0,
        delay_max_ns=10)
    if back:
        row(db, "segment_flow", segment_id=2, flow_id=4, to_flow_id=3,
            packets=9, lost=0, delay_max_ns=10)
    if lost:
        row(db, "unmatched", id=1, segment_id=2, flow_id=lost[0], ns=lost[1])
    row(db, "recovery", id=1, flow_id=1, tap_id=7, trigger="timeout",
        cause="ack_loss", rule="R25", psn=5, first_ns=1000, detect_ns=1200,
        retransmit_ns=1200, last_ns=1300, remaining=3 << 8)
    return parts(db)[0]


def behind_refusals(*others):
    """The classes of a flow that was refused for lack of resources, and had
    |others|, each a trigger and a cause."""
    db = tables(("collateral", "U16"))
    for i, (trigger, cause) in enumerate((("rnr", "rnr"), *others)):
        row(db, "recovery", id=2 + i, flow_id=1, tap_id=7, trigger=trigger,
            cause=cause, rule="", psn=6 + i, first_ns=1000, detect_ns=1100,
            retransmit_ns=1200, last_ns=1300)
    recoveries_of(db)
    return {row[3] for row in db.execute("SELECT * FROM temp.attribution")}


class Parts(unittest.TestCase):
    def test_what_is_repeated_with_the_refused_goes_with_it(self):
        vain = ("nak", "unknown")
        self.assertEqual(behind_refusals(), {"rnr_wait"})
        self.assertEqual(behind_refusals(vain), {"rnr_wait"})
        for other in (("nak", "loss_downstream"), ("timeout", "unknown"),
                      ("nak", "reorder")):
            self.assertEqual(behind_refusals(vain, other), {"recovery"})

    def test_a_timer_may_be_too_short_that_repeats_much(self):
        for cause in ("collateral", "ack_loss"):
            self.assertEqual(hasty(10, cause), {"unknown"})
            self.assertEqual(hasty(9, cause), {"acks"})
        self.assertEqual(hasty(10, rule="M8"), {"acks"})
        self.assertEqual(hasty(10, transport="RC"), {"acks"})
        self.assertEqual(hasty(10, trigger="unknown"), {"acks"})
        for trigger in ("timeout", "unknown"):
            self.assertEqual(hasty(9, "ack_loss", "RC", "R25", trigger,
                                   times=3), {"unknown"})
        self.assertEqual(hasty(40, "ack_loss", "RC", "R25", times=2),
                         {"acks"})

    def test_a_slow_ack_was_not_lost(self):
        for remaining, wanted in ((("spurious_timer",), "unknown"),
                                  (("ack_lost",), "acks"),
                                  (("ack_lost", "spurious_timer"), "acks")):
            self.assertEqual(hasty(1, "ack_loss", "RC", "M7",
                                   remaining=remaining), {wanted})
        self.assertEqual(hasty(1, "collateral", "RC", "M7",
                               remaining=("spurious_timer",)), {"early"})
        # there a later one may say so, too
        self.assertEqual(hasty(1, "ack_loss", "UET-RUD", "M7",
                               remaining=("spurious_timer",)), {"acks"})

    def test_what_came_both_ways_was_late(self):
        self.assertEqual(both_ways(), {"unknown"})
        self.assertEqual(both_ways(back=False), {"acks"})
        self.assertEqual(both_ways(lost=(4, 1100)), {"acks"})
        self.assertEqual(both_ways(lost=(1, 1100)), {"acks"})
        self.assertEqual(both_ways(lost=(4, 2100)), {"unknown"})
        # one ACK that comes says nothing of those that were lost
        self.assertEqual(both_ways("UET-RUD"), {"acks"})

    def test_each(self):
        for name, links, pauses, cause, seen, wanted in CASES:
            with self.subTest(name):
                self.assertEqual(decided(links, pauses, cause, seen),
                                 (wanted, 300))

    def test_what_was_acknowledged_before(self):
        """One packet was retransmitted that had been acknowledged: nothing
        waited for it."""
        for evidence, packets, cause, want in (
                ("acked_before", 1, UP, (set(), 0)),
                ("acked_before", 2, UP, ({"reorder"}, 301)),
                ("seen", 1, UP, ({"reorder"}, 301)),
                ("acked_before", 1, LOST, ({"detection", "replay"}, 301))):
            with self.subTest(evidence, packets=packets, cause=cause):
                db = tables(cause, None, 1301)
                db.execute("UPDATE recovery SET retransmitted_packets = ?,"
                           " evidence = ?", (packets,
                                             bit_of("EVIDENCE")(evidence)))
                self.assertEqual(parts(db), want)

    def test_what_receivers_keep(self):
        for name, recovery, cause, elsewhere, last_ns, wanted, ns in KEPT:
            with self.subTest(name):
                self.assertEqual(kept(recovery, cause, elsewhere, last_ns),
                                 (wanted, ns))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
