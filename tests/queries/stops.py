#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Senders that stop for a NAK with nothing to retransmit, by hand-written rows.

    stops.py

Host a reacts to the NAK of a packet that was lost after 50 us.  Flow 1 has
NAKs, too, but of packets that were only late, and |stops| are how long it sent
nothing behind each."""
import sqlite3
import sys
import unittest

from recovery import read, row

US = 1000


def charged(stops, reaction=50 * US, retransmitted=1, part="reorder"):
    """How long the network, or nobody knows who, is said to have stopped flow
    1."""
    db = sqlite3.connect(":memory:")
    db.executescript(read("src", "store", "schema.sql"))
    row(db, "recovery", flow_id=9, trigger="nak", cause="loss_downstream",
        detect_ns=7, retransmit_ns=7 + reaction,
        retransmitted_packets=retransmitted)
    for number, ns in enumerate(stops):
        row(db, "event", flow_id=1, kind="nak_stall", ns=number * 1000 * US,
            value=ns)
    rows = db.execute(read("queries", "derive", "41-attribution",
                           "nak-stall.sql")).fetchall()
    return sum(until - since for _, since, until, _, why, _ in rows
               if why == part)


class Stops(unittest.TestCase):
    def test_as_long_as_its_reactions(self):
        self.assertEqual(charged([50 * US, 52 * US, 49 * US]), 151 * US)

    def test_longer_ones_had_another_reason(self):
        self.assertEqual(charged([50 * US, 52 * US, 300 * US]), 102 * US)

    def test_computing_takes_as_long_by_chance(self):
        self.assertEqual(charged([50 * US, 120 * US, 300 * US]), 0)

    def test_a_sender_that_reacts_at_once_computes(self):
        self.assertEqual(charged([50 * US, 52 * US], reaction=2 * US), 0)

    def test_no_reaction_is_known(self):
        for stops in ([50 * US, 52 * US], [50 * US, 120 * US, 300 * US]):
            self.assertEqual(charged(stops, retransmitted=0), 0)
            self.assertEqual(charged(stops, retransmitted=0, part="unknown"),
                             sum(stops))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
