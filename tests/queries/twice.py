#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Who sent what came twice, from rows written by hand.

    twice.py

Flow 1 at the sender and flow 2 downstream are one; flow 3 is another one, at
the sender alone.  A network that duplicates is between the two points: its
sender did not retransmit, which the first point would have seen."""
import sqlite3
import sys
import unittest

from recovery import read, row


def twice(retransmitted, came):
    """PSNs still called duplicates at flow 2, and how many the flow counts.

    |retransmitted|: (flow, kind, psn, count); |came|: PSNs at flow 2."""
    db = sqlite3.connect(":memory:")
    db.executescript(read("src", "store", "schema.sql"))
    for flow, path, hop in ((1, 1, 1), (2, 1, 2), (3, 2, 1)):
        row(db, "flow", id=flow, tap_id=hop,
            duplicates=len(came) if flow == 2 else 0)
        row(db, "tap_path", tap_path_id=path, hop=hop, flow_id=flow)
    for flow, kind, psn, count in retransmitted:
        row(db, "event", flow_id=flow, kind="retransmit_" + kind, psn=psn,
            count=count, ns=100)
    for psn in came:
        row(db, "event", flow_id=2, kind="duplicate", psn=psn, count=1, ns=200)
    db.executescript(read("queries", "derive", "29-sent-twice.sql"))
    left = [psn for psn, in db.execute(
        "SELECT psn FROM event WHERE kind = 'duplicate' ORDER BY id")]
    counted, = db.execute("SELECT duplicates FROM flow WHERE id = 2").fetchone()
    return left, counted


class SentTwice(unittest.TestCase):
    def test_what_its_sender_retransmitted_is_no_duplicate(self):
        self.assertEqual(twice([(1, "implied", 7, 1)], [7]), ([], 0))

    def test_what_its_sender_sent_once_the_network_duplicated(self):
        self.assertEqual(twice([(1, "implied", 8, 1)], [7]), ([7], 1))
        self.assertEqual(twice([(3, "nak", 7, 1)], [7]), ([7], 1))

    def test_downstream_is_no_sender(self):
        self.assertEqual(twice([(2, "nak", 7, 1)], [7]), ([7], 1))

    def test_once_retransmitted_and_three_came(self):
        self.assertEqual(twice([(1, "nak", 7, 1)], [7, 7]), ([7], 1))

    def test_all_of_a_replay_across_the_last_number(self):
        self.assertEqual(twice([(1, "timeout", 0xfffffe, 3)],
                               [0xfffffe, 0xffffff, 0, 1]), ([1], 1))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
