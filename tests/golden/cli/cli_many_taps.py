#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures of many interfaces: what is known of each is told, and where too
many are there to be compared with each other, that is told."""
import json
import sqlite3
import struct

import program

COMPARED = 256  # src/flow/multitap/tap_set.h
ROUNDS = 40


def block(kind, body):
    body += bytes(-len(body) % 4)
    size = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + size + body + size


def frame(psn):
    """A packet of a RoCE WRITE."""
    bth = struct.pack(">BBHII", 0x07, 0, 0xffff, 0x11, psn) + bytes(68)
    udp = struct.pack(">HHHH", 50000, 4791, 8 + len(bth), 0) + bth
    ip = struct.pack(">BBHHHBBH4B4B", 0x45, 0, 20 + len(udp), psn & 0xffff,
                     0x4000, 64, 17, 0, 10, 0, 0, 1, 10, 0, 0, 2)
    return bytes.fromhex("020000000002" "020000000001" "0800") + ip + udp


def capture(taps, sprayed):
    """|sprayed|: each packet passes one tap; else each passes all."""
    out = [block(0x0a0d0d0a, struct.pack("<IHHq", 0x1a2b3c4d, 1, 0, -1))]
    out += [block(1, struct.pack("<HHI", 1, 0, 65535)) for _ in range(taps)]
    us = 1_700_000_000_000_000
    for i in range(taps * ROUNDS):
        us += 1
        octets = frame(i if sprayed else i // taps)
        out.append(block(6, struct.pack("<5I", i % taps, us >> 32,
                                        us & 0xffffffff, len(octets),
                                        len(octets)) + octets))
    return b"".join(out)


class ManyTaps(program.Case):
    out = ""

    def analyzed(self, taps, sprayed):
        self.write("many.pcapng", capture(taps, sprayed))
        (self.folder / "many.db").unlink(missing_ok=True)
        status, self.out, err = self.run_here("analyze", "-o", "many.db",
                                              "many.pcapng")
        self.assertEqual((status, err), (0, ""))
        db = sqlite3.connect(self.folder / "many.db")
        self.addCleanup(db.close)
        self.assertEqual(db.execute("SELECT count(*), min(packets), "
                                    "max(packets) FROM tap").fetchone(),
                         (taps, ROUNDS, ROUNDS))
        return db

    def sprayed(self, taps):
        """One flow over parallel links, which are one place."""
        db = self.analyzed(taps, True)
        alone = max(taps - COMPARED, 0)
        self.assertEqual(
            db.execute("SELECT count(DISTINCT place), "
                       "(SELECT count(*) FROM flow) FROM tap").fetchone(),
            (1 + alone, 1 + alone))

    def seen_by_all(self, taps):
        """Every packet at every tap: no two are one place; six of them are
        told as the path of the flow, and that there were more is said."""
        db = self.analyzed(taps, False)
        self.assertEqual(
            db.execute("SELECT count(DISTINCT place), "
                       "(SELECT count(*) FROM flow) FROM tap").fetchone(),
            (taps, taps))
        self.assertEqual(
            db.execute("SELECT count(*), (SELECT not_stored FROM row_limit "
                       "WHERE table_name = 'tap_path') FROM tap_path").fetchone(),
            (6, taps - 6))
        self.assertIn("not compared across capture points",
                      " ".join(self.out.split()))

    def test_sprayed(self):
        for taps in (31, 32, 33, 64, 256, 257, 300):
            with self.subTest(taps=taps):
                self.sprayed(taps)

    def test_seen_by_all(self):
        for taps in (31, 32, 33, 64, 256, 257, 300):
            with self.subTest(taps=taps):
                self.seen_by_all(taps)

    def test_reports_have_a_flow_once(self):
        """It is that of the tap with most packets, and names all three."""
        self.analyzed(3, False)
        for words in (("report/flows",), ("flows", "--param", "once=1")):
            status, out, err = self.run_here("query", "many.db", *words,
                                             "--format", "json")
            self.assertEqual((status, err), (0, ""))
            flow, = json.loads(out)
            self.assertEqual((flow["src"], flow["dst"], flow["packets"]),
                             ("10.0.0.1", "10.0.0.2", ROUNDS))
            self.assertEqual(len(flow["tap"].split(", ")), 3)


if __name__ == "__main__":
    program.main()
