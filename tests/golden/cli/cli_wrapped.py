#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a capture point wraps packets in changes nothing of the verdict.

One lossy capture, its Ethernet frames wrapped by hand in what mirrors, tunnels
and capturing systems put around them: the flows, their counts and the findings
stay the same."""
import sqlite3
import struct
import zlib

import program

LOSSY = "d11_drop_every_400.pa.pcap"
ETHERNET, ERF, INFINIBAND, USER = 1, 197, 247, 147
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


def erf(kind, inside, wire, extensions=0):
    """A record of Endace or ibdump: |wire| octets inside it on the wire."""
    head = struct.pack("<II", 0, 1) + struct.pack(
        ">BBHHH", kind | (0x80 if extensions else 0), 4,
        16 + 8 * extensions + len(inside), 0, wire)
    more = [bytes([0x80 if i + 1 < extensions else 0, 0, 0, 0, 0, 0, 0, 7])
            for i in range(extensions)]
    return head + b"".join(more) + inside


def native(f, routed):
    """The packet of a RoCEv2 frame as InfiniBand has it: LRH, GRH when
    |routed|, and an ICRC over these (IBTA vol. 1, 7.8)."""
    length = struct.unpack(">H", f[38:40])[0] - UDP_HEADER
    src, dst = f[26:30], f[30:34]
    packet = f[42:42 + length]
    grh = struct.pack(">IHBB", 6 << 28, length, 0x1b, 64) + \
        bytes(10) + b"\xff\xff" + src + bytes(10) + b"\xff\xff" + dst
    grh = grh if routed else b""
    lrh = struct.pack(">BBHHH", 0, 3 if routed else 2, dst[3],
                      (8 + len(grh) + length) // 4, src[3])
    if len(packet) < length:
        return lrh + grh + packet
    bth = bytearray(packet[:-4])
    bth[4] = 0xff
    if routed:
        # version and length; the rest of the first eight octets is masked
        front = b"\xff" * 8 + b"\x6f\xff\xff\xff" + grh[4:7] + b"\xff" + \
            grh[8:]
    else:
        front = bytes([lrh[0] | 0xf0]) + lrh[1:]
    icrc = struct.pack("<I", zlib.crc32(front + bytes(bth)))
    return lrh + grh + packet[:-4] + icrc + b"\0\0" # VCRC, not looked at


def erf_native(f, wire, routed, extensions):
    made = native(f, routed)
    return erf(21, made, wire + len(made) - len(f), extensions)


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
    "ERF": (ERF, lambda f, w, i: erf(2, b"\0\0" + f, w)),
    "ERF, extensions": (ERF, lambda f, w, i:
                        erf(20, b"\0\0" + f, w, 1 + i % 3)),
    "ERF, IPv4": (ERF, lambda f, w, i: erf(22, f[14:], w - 14)),
    "ERF, InfiniBand": (ERF, lambda f, w, i:
                        erf_native(f, w, False, i % 2)),
    "ERF, InfiniBand, routed": (ERF, lambda f, w, i:
                                erf_native(f, w, True, 0)),
    "InfiniBand": (INFINIBAND, lambda f, w, i: native(f, False)),
    "InfiniBand, routed": (INFINIBAND, lambda f, w, i: native(f, True)),
    "VXLAN in ERSPAN": (ETHERNET, lambda f, w, i: gre(
        0x88be, WRAPPINGS["VXLAN"][1](f, w, i), w + 50,
        struct.pack(">III", i, 0x10000007, 0), 0x1000)),
}


def records():
    octets = (program.CAPTURES / LOSSY).read_bytes()
    at = 24
    while at < len(octets):
        head = struct.unpack_from("<IIII", octets, at)
        yield head, octets[at + 16:at + 16 + head[2]]
        at += 16 + head[2]


def capture(link, wrap):
    out = [struct.pack("<IHHIIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, link)]
    for i, ((s, ns, _, wire), frame) in enumerate(records()):
        made = wrap(frame, wire, i)
        out.append(struct.pack("<IIII", s, ns, len(made),
                               wire + len(made) - len(frame)) + made)
    return b"".join(out)


class Wrapped(program.Case):
    def analyze(self, link, wrap):
        self.write("made.pcap", capture(link, wrap))
        return self.run_here("analyze", "-o", "a.db", "made.pcap")

    def verdict(self, link, wrap):
        status, _, err = self.analyze(link, wrap)
        self.assertEqual((status, err), (0, ""))
        with sqlite3.connect(self.folder / "a.db") as db:
            found = [db.execute(
                "SELECT replace(src, 'lid:', '10.9.0.'), "
                "replace(dst, 'lid:', '10.9.0.'), dst_qp, transport, packets, payload_bytes, "
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

    def test_two_mirrors(self):
        """The same copies, of two switches that number them each for itself,
        and of one whose numbers have gaps."""
        counts = {}

        def copy(f, w, i, one):
            by = f[26:30] if not one else b"    "
            step = 2 if one and i % 5 == 0 else 1
            counts[by] = counts.get(by, 1000 * by[3]) + step
            made = bytearray(gre(0x88be, f, w, struct.pack(
                ">III", counts[by], 0x10000007, 0), 0x1000))
            made[26:30] = by
            return bytes(made)

        for one, lost in ((False, 0), (True, 797)):
            counts.clear()
            status, _, err = self.analyze(
                ETHERNET, lambda f, w, i, one=one: copy(f, w, i, one))
            self.assertEqual((status, err), (0, ""))
            with sqlite3.connect(self.folder / "a.db") as db:
                self.assertEqual(db.execute(
                    "SELECT mirror_seq_lost FROM tap").fetchall(), [(lost,)])
                self.assertEqual(db.execute(
                    "SELECT count(*) FROM finding WHERE rule = 'mirror-loss'"
                    ).fetchall(), [(int(one),)])
            db.close()

    def test_dynamically_connected(self):
        """The opcodes of DC: its ACKs are there, and cannot be read."""
        def dc(f, w, i, drop_acks):
            made = bytearray(f)
            if made[42] == 0x11 and drop_acks:
                made[36:38] = b"\0\7" # another UDP port: not captured
            made[42] |= 0x40
            if len(f) == w: # the ICRC of what is whole
                masked = bytearray(made[14:-4])
                for at in (1, 8, 10, 11, 26, 27, 32):
                    masked[at] = 0xff
                made[-4:] = struct.pack("<I", zlib.crc32(
                    b"\xff" * 8 + bytes(masked)))
            return bytes(made)

        for drop_acks in (False, True):
            with self.subTest(drop_acks):
                status, out, err = self.analyze(
                    ETHERNET, lambda f, w, i: dc(f, w, i, drop_acks))
                self.assertEqual((status, err), (0, ""))
                _, seen, _ = self.run_here("query", "a.db", "observability")
                text = " ".join((out + seen).split())
                self.assertIn("of DC (Dynamically Connected) are only counted",
                              text)
                for no in ("only one direction", "Acknowledgements lost",
                           "packets lost", "No loss"):
                    self.assertNotIn(no, text)
                with sqlite3.connect(self.folder / "a.db") as db:
                    self.assertEqual(db.execute(
                        "SELECT DISTINCT transport FROM flow").fetchall(),
                        [("DC",)])
                    rules = {row[0] for row in db.execute(
                        "SELECT rule FROM finding WHERE severity IN "
                        "('critical', 'warning', 'exonerates')")}
                db.close()
                self.assertEqual(rules, set())

    def test_unknown_link_type(self):
        """Packets that cannot be read are no proof that there is no RoCE."""
        def erf_hdlc(f, w, _):
            return erf(1, f, w)

        for link, wrap in ((USER, lambda f, w, i: f), (ERF, erf_hdlc)):
            with self.subTest(link):
                status, out, _ = self.analyze(link, wrap)
                self.assertEqual(status, 3)
                self.assertIn(f"Nothing of the input could be read: link type {link}",
                              " ".join(out.split()))
                with sqlite3.connect(self.folder / "a.db") as db:
                    rules = [row[0] for row in
                             db.execute("SELECT rule FROM finding")]
                db.close()
                self.assertEqual(rules, ["unreadable-link"])


if __name__ == "__main__":
    program.main()
