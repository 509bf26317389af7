#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Which flow a recovery delayed, and by what, from rows written by hand.

    responses.py

Two hosts, a queue pair, and a capture point at the link of each: flow 1 sends
and flow 2 answers at the first, flow 3 sends and flow 4 answers at the second.
A READ that is requested again waits for its response (IBTA, 9.7.5.1.9: READ and
ATOMIC responses are not acknowledged; the requester asks again), so it is the
data of the other direction that is late."""
import sys
import unittest

from recovery import database, recoveries_of, row

HERE, THERE = 1, 3


def attributed(*recoveries, between=(), times=False):
    """{(flow, part)}, of recoveries that last from 100 to 500, show at 300 and
    retransmit at 400; with |times|, between which.  What those |between|, by
    number from 1, repaired was lost between two capture points."""
    db = database()
    db.execute("CREATE TEMP TABLE phase_link(tap_id, address)")
    for flow, peer, counted in ((1, 2, 1), (2, 1, 2), (3, 4, 1), (4, 3, 2)):
        row(db, "flow", id=flow, tap_id=1 + flow // 3, peer_flow_id=peer)
        row(db, "same_flow", flow_id=flow, counted_id=counted)
    for flow, rule, trigger, cause in recoveries:
        row(db, "recovery", flow_id=flow, rule=rule, trigger=trigger,
            cause=cause, psn=7, first_ns=100, detect_ns=300,
            retransmit_ns=400, last_ns=500)
    for number in between:
        row(db, "segment_loss", recovery_id=number, segment_id=1, packets=1)
    rows = recoveries_of(db)
    return {(flow, part) + ((since, until) if times else ())
            for flow, since, until, _, part, _ in rows}


class Attribution(unittest.TestCase):
    def test_a_retransmission_delays_its_own_flow(self):
        self.assertEqual(attributed((HERE, "R4", "nak", "loss_downstream")),
                         {(1, "detection"), (1, "replay")})

    def test_a_read_delays_its_response(self):
        for rule in ("R16", "R17"):
            self.assertEqual(
                attributed((HERE, rule, "timeout", "loss_downstream")),
                {(2, "timeout"), (2, "replay")})

    def test_responses_out_of_order_delay_from_when_it_shows(self):
        self.assertEqual(
            attributed((HERE, "R16: responses were reordered", "implied_nak",
                        "reorder"), times=True),
            {(2, "reorder", 300, 400), (2, "reorder", 400, 500)})

    def test_two_capture_points_know_what_was_lost_between_them(self):
        for trigger, cause, part, sure in (
                ("timeout", "unknown", "timer", "timeout"),
                ("nak", "loss_or_reorder", "either", "detection")):
            what = (HERE, "R4", trigger, cause)
            self.assertEqual(attributed(what), {(1, part)})
            self.assertEqual(attributed(what, between=[1]),
                             {(1, sure), (1, "replay")})

    def test_one_capture_point_knows_what_a_timer_repaired(self):
        unknown = (HERE, "R17", "timeout", "unknown")
        self.assertEqual(attributed(unknown), {(2, "timer")})
        self.assertEqual(
            attributed(unknown, (THERE, "R17", "timeout", "loss_downstream")),
            {(2, "timeout"), (2, "replay"), (4, "timeout"), (4, "replay")})
        self.assertEqual(
            attributed((HERE, "R10", "timeout", "unknown"),
                       (THERE, "R11", "timeout", "ack_loss")),
            {(1, "acks"), (3, "acks")})

    def test_out_of_order_elsewhere_is_no_loss(self):
        self.assertEqual(
            attributed((HERE, "R4", "nak", "loss_downstream"),
                       (THERE, "R2", "nak", "reorder")),
            {(1, "reorder"), (3, "reorder")})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
