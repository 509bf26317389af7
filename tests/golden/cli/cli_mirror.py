#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Mirrors that reorder what they copy: each copy waits by itself.

How long copies wait is known here; what happened is known from the simulator."""
import random
import sqlite3
import struct

import program

ENHANCED_PACKET, MIRROR_NS = 6, 2000
PROBLEMS = ("loss_upstream", "loss_downstream", "unresolved_gap", "reorder",
            "duplicate", "capture_missing", "retransmit_spurious",
            "retransmit_unknown", "retransmit_timeout")
READS = """title READs of several sizes
run for=4ms
host h1 h2
switch leaf1
link h1 leaf1 speed=100G delay=500ns
link h2 leaf1 speed=100G delay=500ns
qp q1 h1 h2 reads=4 timeout=1ms mtu=1024
flow f1 qp=q1 op=read size=SIZE count=100 depth=4
tap t1 h2->leaf1 both=yes
"""


def merged(data, most, rng):
    """A pcapng file whose copies waited up to |most| ns, in order of time."""
    head, packets, at = [], [], 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        block = bytearray(data[at:at + length])
        at += length
        if kind != ENHANCED_PACKET:
            head.append(bytes(block))
            continue
        high, low = struct.unpack_from("<II", block, 12)
        when = (high << 32 | low) + rng.randrange(most)
        struct.pack_into("<II", block, 12, when >> 32, when & 0xffffffff)
        packets.append((when, bytes(block)))
    return b"".join(head + [b for _, b in sorted(packets, key=lambda p: p[0])])


class Mirror(program.Case):
    def analyzed(self, name, most, seed=1):
        scenario = name if name.endswith(".fab") else \
            program.CAPTURES / "scenarios" / (name + ".fab")
        self.run_here("simulate", str(scenario), "-w", "in.pcapng")
        data = (self.folder / "in.pcapng").read_bytes()
        (self.folder / "merged.pcapng").write_bytes(
            merged(data, most, random.Random(seed)) if most else data)
        self.run_here("analyze", "-o", "merged.db", "merged.pcapng")
        db = sqlite3.connect(self.folder / "merged.db")
        db.row_factory = sqlite3.Row
        return db

    def test_a_mirror_that_reorders_is_no_network(self):
        for seed in (1, 2):
            db = self.analyzed("job_ring", MIRROR_NS, seed)
            for tap in db.execute("SELECT * FROM tap"):
                self.assertGreater(tap["disorder_ns"], MIRROR_NS / 2)
                self.assertLess(tap["disorder_ns"], 1.3 * MIRROR_NS)
            found = {row["kind"] for row in db.execute(
                "SELECT kind FROM event")}
            self.assertFalse(found & set(PROBLEMS))
            self.assertIn("mirror-order", {r["rule"] for r in db.execute(
                "SELECT rule FROM finding")})
            verdicts = {r["verdict"] for r in db.execute(
                "SELECT verdict FROM answer")}
            self.assertFalse(verdicts & {"network", "host", "both"})

    def test_what_is_reordered_stays_so(self):
        """By a cable that two hosts alone use, and where receivers send NAKs;
        and on the way between two capture points."""
        for name in ("reorder_strict", "reorder_tolerant", "two_taps_reorder"):
            with self.subTest(name=name):
                db = self.analyzed(name, 0)
                self.assertEqual(db.execute(
                    "SELECT count(disorder_ns) FROM tap").fetchone()[0], 0)
                self.assertGreater(db.execute(
                    "SELECT sum(reordered) FROM flow").fetchone()[0], 0)

    def test_reads_that_come_late_are_read(self):
        """Requests and responses out of order, the first ones as well: none is
        missing, and none retransmitted, but perhaps one or two at the begin,
        where the path MTU is not known, nor how many PSNs a READ takes."""
        for size in ("64K", "9000"):
            for seed in (1, 2, 3):
                with self.subTest(size=size, seed=seed):
                    db = self.analyzed(self.write("reads.fab", READS.replace(
                        "SIZE", size).encode()), MIRROR_NS, seed)
                    again, *missing = db.execute(
                        "SELECT sum(retransmitted), sum(capture_missing), "
                        "sum(unresolved) FROM flow").fetchone()
                    self.assertEqual(missing, [0, 0])
                    self.assertLessEqual(again, 2)


if __name__ == "__main__":
    program.main()
