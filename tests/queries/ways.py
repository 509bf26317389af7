#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Which of two capture points a flow passes first, from rows written by hand.

    ways.py

10.0.0.1 sends to 10.0.0.2, and so that both links are known to be those of
hosts, also to 10.0.0.3, which sends to 10.0.0.2 as well.  When the capture
begins, a packet is on its way: the point that it passes last sees it first."""
import sqlite3
import sys
import unittest

from recovery import read, row

SENDER, BETWEEN, RECEIVER = 1, 2, 3  # taps
ONE, TWO, THREE = "10.0.0.1", "10.0.0.2", "10.0.0.3"


def order(seen, ttl):
    """Taps that are first and last on the way of what 10.0.0.1 sends to
    10.0.0.2.  |seen|: {tap: when its first packet}, |ttl|: {tap: its TTL}."""
    db = sqlite3.connect(":memory:")
    db.executescript(read("src", "store", "schema.sql"))
    flows = [(tap, ONE, TWO, ns) for tap, ns in seen.items()]
    flows += [(tap, src, dst, 900) for tap, src, dst in (
        (SENDER, ONE, THREE), (BETWEEN, ONE, THREE), (BETWEEN, THREE, TWO),
        (RECEIVER, THREE, TWO)) if tap in seen]
    for tap in seen:
        row(db, "tap", id=tap, name=f"t{tap}", place=tap)
    for number, (tap, src, dst, ns) in enumerate(flows, 1):
        row(db, "flow", id=number, tap_id=tap, src=src, dst=dst, first_ns=ns,
            transport="RC", dst_qp=7 + (src == THREE), epoch=0,
            goodput_bytes=10**6, payload_bytes=10**6, bytes=10**6,
            packets=1000, requests=1000, messages=10, ttl=ttl.get(tap, 64))
    for tap in seen:
        row(db, "flow_sum", tap_id=tap, first_id=min(
            n for n, f in enumerate(flows, 1) if f[0] == tap))
    db.executescript("CREATE TEMP VIEW flow_brief AS SELECT *,"
                     " bytes AS wire_bytes, 0 AS back, 0 AS pair FROM flow;"
                     "CREATE TEMP VIEW phase_flow_row AS SELECT id, 0 AS driven,"
                     " 0 AS asks, messages, NULL AS slow, NULL AS asked"
                     " FROM flow;")
    db.executescript(read("queries", "derive", "40-phase.sql"))
    near, far = db.execute("SELECT near, far FROM temp.phase_flow_places"
                           " JOIN flow f ON f.id = near"
                           " WHERE src = ? AND dst = ?", (ONE, TWO)).fetchone()
    return flows[near - 1][0], flows[far - 1][0]


class Ways(unittest.TestCase):
    def test_between_the_links_of_two_hosts(self):
        for first in ({SENDER: 100, RECEIVER: 101}, {SENDER: 500, RECEIVER: 1}):
            with self.subTest(first=first):
                self.assertEqual(order(first, {}), (SENDER, RECEIVER))

    def test_a_link_of_a_host_and_one_between_switches(self):
        self.assertEqual(order({SENDER: 500, BETWEEN: 1}, {BETWEEN: 63}),
                         (SENDER, BETWEEN))
        self.assertEqual(order({RECEIVER: 1, BETWEEN: 500},
                               {RECEIVER: 62, BETWEEN: 63}),
                         (BETWEEN, RECEIVER))

    def test_where_nothing_else_says_it_who_sees_it_first(self):
        self.assertEqual(order({BETWEEN: 2, 4: 1}, {}), (4, BETWEEN))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
