#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Timers that ran out although nothing was lost, from rows written by hand.

    timers.py

Host a sends to b: flow 1 at the link of a, flow 2 at that of b; 11 and 12 are
what b answers.  In all cases but one nothing is known of a packet that passed
one link and not the other.  Its timer runs out at T + 14 us and a repeats what
the link of b saw acknowledged before."""
import sys
import unittest

from recovery import database, read, row

US = 1000
NEAR, FAR = 1, 2
BITS = ("ack_lost", "spurious_timer", "reordered_downstream", "lost_downstream")


def bits(db, *names):
    return sum(db.execute("SELECT hypothesis_bit(?)", (n,)).fetchone()[0]
               for n in names)


def judged(near=("spurious_timer", "lost_downstream"), far=("ack_lost",),
           rto=14 * US, round_trip=5 * US, unmatched=None, acked=None,
           missing=0, trigger="timeout", apart=0):
    """Cause, rule and what remains, of both; and events of lost ACKs."""
    db = database()
    for flow, tap in ((NEAR, 1), (FAR, 2), (10 + NEAR, 1), (10 + FAR, 2)):
        row(db, "flow", id=flow, tap_id=tap, timeouts=int(flow < 10),
            capture_missing=missing, unresolved=0, spray_suspect=0,
            ack_lost=int(flow == FAR),
            peer_flow_id=flow + 10 if flow < 10 else flow - 10,
            rtt_receiver_ns={NEAR: round_trip, FAR: 500}.get(flow))
    for hop in (NEAR, FAR):
        row(db, "tap_path", tap_path_id=1, hop=hop, flow_id=hop, tap_id=hop)
    for flow, left, cause, way in ((NEAR, near, "unknown", 0),
                                   (FAR, far, "ack_loss", 2 * US + apart)):
        row(db, "recovery", id=flow, flow_id=flow, tap_id=flow, psn=7,
            frame_first=70 + flow, trigger=trigger, cause=cause, rule="U14",
            first_ns=US + way, retransmit_ns=US + way + rto,
            last_ns=4 * US + way + rto, idle_ns=rto,
            remaining=bits(db, *left))
    row(db, "event", kind="ack_lost", flow_id=FAR, psn=7, frame=72)
    if unmatched:
        row(db, "unmatched", flow_id=unmatched, ns=5 * US)
    if acked:
        row(db, "burst", flow_id=NEAR, unacked=0, acked_ns=acked)
    db.executescript(read("queries", "derive", "29-short-timer.sql"))
    kinds = db.execute("SELECT cause, rule, remaining FROM recovery"
                       " ORDER BY id").fetchall()
    return ([(cause, rule, [n for n in BITS if left & bits(db, n)])
             for cause, rule, left in kinds],
            [f for f, in db.execute("SELECT flow_id FROM event"
                                    " ORDER BY flow_id")],
            [n for n, in db.execute("SELECT ack_lost FROM flow WHERE id IN"
                                    " (1, 2) ORDER BY id")])


UNCHANGED = ([("unknown", "U14", ["spurious_timer", "lost_downstream"]),
              ("ack_loss", "U14", ["ack_lost"])], [FAR], [0, 1])


class Timers(unittest.TestCase):
    def test_two_taps_tell(self):
        one = ("collateral", "M7", ["spurious_timer"])
        self.assertEqual(judged(), ([one, one], [], [0, 0]))

    def test_a_timer_of_many_round_trips_is_long_enough(self):
        for rto, cause in ((19999, "collateral"), (20 * US, "ack_loss")):
            one = (cause, "M7", ["spurious_timer"])
            self.assertEqual(judged(rto=rto), ([one, one], [], [0, 0]))

    def test_an_acknowledgement_in_time_was_lost_behind_the_first(self):
        one = ("ack_loss", "M8", ["ack_lost"])
        self.assertEqual(judged(acked=8 * US),
                         ([one, one], [NEAR, FAR], [1, 1]))
        one = ("collateral", "M7", ["spurious_timer"])
        self.assertEqual(judged(acked=8 * US + 1), ([one, one], [], [0, 0]))

    def test_one_packet_that_did_not_pass_is_another_story(self):
        for flow in (NEAR, 10 + FAR):
            self.assertEqual(judged(unmatched=flow), UNCHANGED)

    def test_what_may_not_be_in_the_capture(self):
        self.assertEqual(judged(missing=1), UNCHANGED)

    def test_both_have_to_see_it(self):
        self.assertEqual(judged(apart=900 * US), UNCHANGED)

    def test_no_timer(self):
        self.assertEqual(judged(trigger="nak"), UNCHANGED)

    def test_it_has_to_have_arrived_at_the_second(self):
        changed = judged(far=("ack_lost", "lost_downstream"))
        self.assertEqual([cause for cause, _, _ in changed[0]],
                         ["unknown", "ack_loss"])
        self.assertEqual(changed[2], [0, 1])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
