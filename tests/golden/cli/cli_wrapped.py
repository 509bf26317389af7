#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a capture point wraps packets in changes nothing of the verdict.

One lossy capture, its Ethernet frames wrapped by hand in what mirrors, tunnels
and capturing systems put around them: the flows, their counts and the findings
stay the same."""
import sqlite3
import struct

import program

LOSSY = "d11_drop_every_400.pa.pcap"
ETHERNET = 1
IP_HEADER, UDP_HEADER, MAC_HEADER = 20, 8, 14


def ethernet(kind, inside):
    return bytes.fromhex("020000000001020000000002") + \
        struct.pack(">H", kind) + inside


def ipv4(protocol, inside, length):
    """|length| is that of |inside| on the wire."""
    head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, IP_HEADER + length, 1, 0, 64,
                       protocol, 0, bytes([192, 0, 2, 1]),
                       bytes([192, 0, 2, 2]))
    total = sum(struct.unpack(">10H", head))
    total = (total & 0xffff) + (total >> 16)
    return head[:10] + struct.pack(">H", 0xffff - total) + head[12:] + inside


def ipv6(protocol, inside, length):
    return struct.pack(">IHBB", 6 << 28, length, protocol, 64) + \
        bytes(15) + b"\1" + bytes(15) + b"\2" + inside


def gre(kind, inside, length, options=b"", flags=0):
    head = struct.pack(">HH", flags, kind) + options
    return ethernet(0x0800, ipv4(47, head + inside, len(head) + length))


def over_udp(port, head, inside, length, outer=0x0800):
    udp = struct.pack(">HHHH", 1234, port,
                      UDP_HEADER + len(head) + length, 0) + head + inside
    make = ipv4 if outer == 0x0800 else ipv6
    return ethernet(outer, make(17, udp, UDP_HEADER + len(head) + length))


def cooked(f):
    return struct.pack(">HHH8sH", 0, 1, 6, f[6:12] + b"\0\0", 0x0800)


def cooked2(f):
    return struct.pack(">HHIHBB8s", 0x0800, 0, 3, 1, 0, 6, f[6:12] + b"\0\0")


LABELS = bytes.fromhex("0001004000020140")
# name: link type and how to wrap frame |f| of |w| octets, the |i|-th
WRAPPINGS = {
    "VLAN": (ETHERNET, lambda f, w, i:
             f[:12] + bytes.fromhex("81006005") + f[12:]),
    "QinQ": (ETHERNET, lambda f, w, i:
             f[:12] + bytes.fromhex("88a8600581006007") + f[12:]),
    "MPLS": (ETHERNET, lambda f, w, i:
             f[:12] + b"\x88\x47" + LABELS + f[14:]),
    "pseudowire": (ETHERNET, lambda f, w, i:
                   ethernet(0x8847, LABELS + bytes(4) + f)),
    "GRE, IP": (ETHERNET, lambda f, w, i: gre(0x0800, f[14:], w - 14)),
    "GRE, Ethernet": (ETHERNET, lambda f, w, i:
                      gre(0x6558, f, w, struct.pack(">II", 7, i), 0x3000)),
    "ERSPAN I": (ETHERNET, lambda f, w, i: gre(0x88be, f, w)),
    "ERSPAN II": (ETHERNET, lambda f, w, i: gre(
        0x88be, f, w, struct.pack(">III", i, 0x10000007, 0), 0x1000)),
    "ERSPAN III": (ETHERNET, lambda f, w, i: gre(
        0x22eb, f, w, struct.pack(">IIII", i, 0x20000007, i, 0), 0x1000)),
    "ERSPAN III, subheader": (ETHERNET, lambda f, w, i: gre(
        0x22eb, f, w, struct.pack(">IIIIQ", i, 0x20000007, i, 1, 0),
        0x1000)),
    "VXLAN": (ETHERNET, lambda f, w, i: over_udp(
        4789, bytes.fromhex("0800000000000700"), f, w)),
    "VXLAN, IPv6": (ETHERNET, lambda f, w, i: over_udp(
        4789, bytes.fromhex("0800000000000700"), f, w, 0x86dd)),
    "GENEVE": (ETHERNET, lambda f, w, i: over_udp(
        6081, bytes.fromhex("020065580000070001020301") + b"abcd", f, w)),
    "IP in IP": (ETHERNET, lambda f, w, i:
                 ethernet(0x0800, ipv4(4, f[14:], w - 14))),
    "IPv4 in IPv6": (ETHERNET, lambda f, w, i:
                     ethernet(0x86dd, ipv6(4, f[14:], w - 14))),
    "SLL": (113, lambda f, w, i: cooked(f) + f[14:]),
    "SLL2": (276, lambda f, w, i: cooked2(f) + f[14:]),
    "raw IP": (101, lambda f, w, i: f[14:]),
    "raw IPv4": (228, lambda f, w, i: f[14:]),
    "null": (0, lambda f, w, i: struct.pack("<I", 2) + f[14:]),
    "loop": (108, lambda f, w, i: struct.pack(">I", 2) + f[14:]),
    "VXLAN in ERSPAN": (ETHERNET, lambda f, w, i: gre(
        0x88be, WRAPPINGS["VXLAN"][1](f, w, i), w + 50,
        struct.pack(">III", i, 0x10000007, 0), 0x1000)),
}


class Wrapped(program.Case):
    def records(self):
        octets = (program.CAPTURES / LOSSY).read_bytes()
        at = 24
        while at < len(octets):
            head = struct.unpack_from("<IIII", octets, at)
            yield head, octets[at + 16:at + 16 + head[2]]
            at += 16 + head[2]

    def verdict(self, link, wrap):
        out = [struct.pack("<IHHIIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, link)]
        for i, ((s, ns, _, wire), frame) in enumerate(self.records()):
            made = wrap(frame, wire, i)
            out.append(struct.pack("<IIII", s, ns, len(made),
                                   wire + len(made) - len(frame)) + made)
        self.write("made.pcap", b"".join(out))
        status, _, err = self.run_here("analyze", "-o", "a.db", "made.pcap")
        self.assertEqual((status, err), (0, ""))
        with sqlite3.connect(self.folder / "a.db") as db:
            found = [db.execute(
                "SELECT src, dst, dst_qp, transport, packets, payload_bytes, "
                "lost_upstream, lost_downstream_min, lost_downstream_max, "
                "retransmitted, nak_seq, messages, icrc_good FROM flow "
                "ORDER BY 1, 2, 3").fetchall(),
                db.execute("SELECT rule, cost_ns FROM finding").fetchall(),
                db.execute("SELECT packets_roce, packets_other, malformed, "
                           "icrc_bad FROM tap").fetchall()]
        db.close()
        return found

    def test_nothing_changes(self):
        plain = self.verdict(ETHERNET, lambda f, w, i: f)
        self.assertEqual(len(plain[0]), 4)
        self.assertIn("loss-downstream", [rule for rule, _ in plain[1]])
        for name, (link, wrap) in WRAPPINGS.items():
            with self.subTest(name):
                self.assertEqual(self.verdict(link, wrap), plain)


if __name__ == "__main__":
    program.main()
