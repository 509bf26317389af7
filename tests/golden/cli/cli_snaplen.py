#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A snap length that cuts extension headers changes nothing of the verdict.

Real captures of lossy runs, cut again: behind the AETH, so that the RETH of
WRITEs and READs is cut (58 to 69 bytes), and behind the BTH, so that nothing
is known of ACKs (54 to 57 bytes).  The truth is what the same captures say
when they are whole, and what the JSON beside each of them recorded."""
import sqlite3
import struct

import program

WRITES = ("d04_write_lat.pa.pcap", "d11_drop_every_400.pa.pcap",
          "d12_drop_tail_timeout.pa.pcap", "d12_drop_tail_timeout.pb.pcap",
          "d15_duplicate_1pct.pb.pcap", "d19_ack_loss_20pct.pb.pcap",
          "d22_psn_wrap.pb.pcap", "d24_capture_loss_2pct.pa.pcap")
READS = ("d13_read_resp_drop.pa.pcap", "d13_read_resp_drop.pb.pcap")
BEHIND_AETH, BEHIND_BTH = (58, 64, 69), (54, 57)


def cut(octets, snap):
    at, out = 24, [octets[:16], struct.pack("<I", snap), octets[20:24]]
    while at < len(octets):
        s, ns, cap, wire = struct.unpack_from("<IIII", octets, at)
        at += 16
        out.append(struct.pack("<IIII", s, ns, min(cap, snap), wire))
        out.append(octets[at:at + min(cap, snap)])
        at += cap
    return b"".join(out)


class Snaplen(program.Case):
    def ask(self, name, snap, *queries):
        self.write("cut.pcap", cut((program.CAPTURES / name).read_bytes(),
                                   snap))
        status, _, err = self.run_here("analyze", "-o", "a.db", "cut.pcap")
        self.assertEqual((status, err), (0, ""))
        with sqlite3.connect(self.folder / "a.db") as db:
            rows = [db.execute(query).fetchall() for query in queries]
        db.close()
        return rows

    FLOWS = ("SELECT src, dst, dst_qp, transport, packets, payload_bytes, "
             "{} lost_upstream, lost_downstream_min, lost_downstream_max, "
             "retransmitted, nak_seq, timeouts, capture_missing, reordered "
             "FROM flow WHERE transport <> 'UD' ORDER BY 1, 2, 3")
    RULES = "SELECT rule FROM finding WHERE rule <> 'undecodable' ORDER BY 1"

    def test_behind_aeth(self):
        for names, more in ((WRITES, "bytes, messages,"), (READS, "")):
            for name in names:
                ask = (self.FLOWS.format(more), self.RULES)
                whole = self.ask(name, 128, *ask)
                for snap in program.some(BEHIND_AETH):
                    with self.subTest(f"{name} {snap}"):
                        self.assertEqual(self.ask(name, snap, *ask), whole)

    def test_behind_bth(self):
        """Of ACKs that are cut nothing is known: neither that they are absent
        nor what they acknowledge."""
        for name in WRITES + READS:
            for snap in program.some(BEHIND_BTH):
                with self.subTest(f"{name} {snap}"):
                    missing, rules = self.ask(
                        name, snap,
                        "SELECT total(capture_missing) FROM flow", self.RULES)
                    self.assertEqual(missing, [(0,)])
                    self.assertNotIn(("ack-loss",), rules)


if __name__ == "__main__":
    program.main()
