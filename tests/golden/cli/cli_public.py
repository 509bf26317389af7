#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""One run of NCCL seen from its three nodes: the captures are tied to each other
within what their frames allow, and nothing is lost.  Expected values are read
out of the frames here."""
import itertools
import sqlite3
import struct

import program

PUBLIC = (program.ROOT.parent / "shared" / "captures" / "public" /
          "rdma-tutorial")
NODES = ("n0", "n1", "n2")
ROCE = 4791


def frames(path):
    """Time in ns of each RoCE packet, by what no hop changes of it."""
    data = path.read_bytes()
    order, unit = {b"\xd4\xc3\xb2\xa1": ("<", 1000),
                   b"\x4d\x3c\xb2\xa1": ("<", 1)}[data[:4]]
    found, at = {}, 24
    while at < len(data):
        s, part, size, _ = struct.unpack_from(order + "IIII", data, at)
        ip = data[at + 16 + 14:at + 16 + size]
        at += 16 + size
        if len(ip) < 40 or ip[0] != 0x45 or ip[9] != 17 or \
                struct.unpack_from(">H", ip, 22)[0] != ROCE:
            continue
        key = (ip[12:20], ip[4:6], ip[20:22], ip[28:])
        found[key] = None if key in found else s * 10 ** 9 + part * unit
    return {k: ns for k, ns in found.items() if ns is not None}


class Public(program.Case):
    def setUp(self):
        super().setUp()
        files = [PUBLIC / f"ring2_node{i}.pcap" for i in range(3)]
        if not all(f.exists() for f in files):
            self.skipTest(f"not here: {PUBLIC}")
        self.seen = dict(zip(NODES, map(frames, files)))
        words = [w for n, f in zip(NODES, files) for w in ("--tap", f"{n}={f}")]
        status, _, err = self.run_here("analyze", "-o", "a.db", *words)
        self.assertEqual((status, err), (0, ""))
        self.db = sqlite3.connect(self.folder / "a.db")
        self.addCleanup(self.db.close)

    def test_clocks_are_tied_within_what_frames_allow(self):
        rows = dict((name, (offset, error)) for name, offset, error in
                    self.db.execute("SELECT t.name, offset_ns, error_ns "
                                    "FROM clock JOIN tap t ON t.id = tap_id"))
        first = self.seen["n0"]
        home = self.home()
        for node in NODES[1:]:
            # ahead of n0 by no more than what left n0 took, and no less than
            # minus what came to it took
            there = [ns - first[k] for k, ns in self.seen[node].items()
                     if k in first and k[0][:4] == home["n0"]]
            back = [ns - first[k] for k, ns in self.seen[node].items()
                    if k in first and k[0][4:] == home["n0"]]
            self.assertGreater(min(len(there), len(back)), 10)
            offset, error = rows[node]
            self.assertLess(error, 30000)
            self.assertLessEqual(offset - error, min(there))
            self.assertGreaterEqual(offset + error, max(back))

    def home(self):
        """Whose packets only the node itself and one other have: its own
        address is in all it saw."""
        own = {}
        for node, seen in self.seen.items():
            ends = [{k[0][:4], k[0][4:]} for k in seen]
            own[node] = set.intersection(*ends).pop()
        return own

    def test_nothing_is_lost(self):
        rows = self.db.execute(
            "SELECT a.name, b.name, s.packets, s.lost, s.missed_to, "
            "s.missed_from, s.open FROM segment s "
            "JOIN tap a ON a.id = s.from_tap_id "
            "JOIN tap b ON b.id = s.to_tap_id").fetchall()
        home = self.home()
        want = {}
        for a, b in itertools.permutations(NODES, 2):
            n = sum(k in self.seen[b] and k[0][:4] == home[a]
                    for k in self.seen[a])
            if n:
                want[a, b] = n
        self.assertEqual({(r[0], r[1]): r[2] for r in rows}, want)
        self.assertEqual({r[3:] for r in rows}, {(0, 0, 0, 0)})
        self.assertEqual(self.db.execute(
            "SELECT count(*) FROM finding WHERE severity IN "
            "('critical', 'warning')").fetchone(), (0,))
        self.assertEqual(self.db.execute(
            "SELECT total(retransmitted) + total(lost_upstream) FROM flow")
            .fetchone(), (0,))


if __name__ == "__main__":
    program.main()
