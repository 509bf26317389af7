#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Packets that somebody adds to a capture, and captures put together in a wrong
way, change no verdict into a wrong one.

Jobs are simulated in which nothing is wrong, a rank computes longer, and packets
are lost.  Then frames are forged into the capture, or its packets are put out
of the order of time.  What the simulator did to the job stays what it was: the
answer is that, or that it cannot be known.

    forged.py --fabscope BUILD/fabscope
"""
import argparse
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

SECTION, INTERFACE, ENHANCED = 0x0a0d0d0a, 1, 6
STRANGER = bytes.fromhex("02dead000001")
PRIORITY = 3
NOBODY = "10.0.9.9"
ACK, CNP = 0x11, 0x81
NAK_SEQUENCE, RNR_NAK = 0x60, 0x2e


def address(text):
    return bytes(map(int, text.split(".")))


class Packet:
    def __init__(self, ns, tap, wire, data):
        self.ns, self.tap, self.wire, self.data = ns, tap, wire, data

    def copy(self, later=0, **places):
        """With bytes of it replaced: at=bytes, as _51=..."""
        data = bytearray(self.data)
        for place, new in places.items():
            at = int(place[1:])
            data[at:at + len(new)] = new
        return Packet(self.ns + later, self.tap, self.wire, bytes(data))

    # Ethernet, IPv4, UDP, BTH
    src = property(lambda self: self.data[26:30])
    dst = property(lambda self: self.data[30:34])
    opcode = property(lambda self: self.data[42])
    qp = property(lambda self: self.data[47:50])
    psn = property(lambda self: int.from_bytes(self.data[51:54], "big"))


class Capture:
    def __init__(self, path):
        self.blocks, self.packets, at = [], [], 0
        data = path.read_bytes()
        while at < len(data):
            kind, length = struct.unpack_from("<II", data, at)
            if kind == ENHANCED:
                tap, high, low, kept, wire = struct.unpack_from("<5I", data,
                                                                at + 8)
                self.packets.append(Packet(
                    high << 32 | low, tap, wire,
                    data[at + 28:at + 28 + kept]))
            elif kind in (SECTION, INTERFACE):
                self.blocks.append(data[at:at + length])
            at += length
        self.begin, self.end = self.packets[0].ns, self.packets[-1].ns

    def write(self, path, packets):
        out = list(self.blocks)
        for p in packets:
            body = struct.pack("<5I", p.tap, p.ns >> 32, p.ns & 0xffffffff,
                               len(p.data), p.wire) + p.data
            body += bytes(-len(body) % 4)
            length = struct.pack("<I", len(body) + 12)
            out.append(struct.pack("<I", ENHANCED) + length + body + length)
        path.write_bytes(b"".join(out))

    def with_these(self, more):
        return sorted(self.packets + more, key=lambda p: p.ns)


def write_pcap(path, packets):
    """One capture point, whatever there was."""
    path.write_bytes(
        struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 128, 1) + b"".join(
            struct.pack("<4I", p.ns // 10**9, p.ns % 10**9, len(p.data),
                        p.wire) + p.data for p in packets))


def roce(src, dst, opcode, qp, rest, becn=False):
    """A short RoCE packet with a right ICRC."""
    bth = struct.pack("!BBHB", opcode, 0x40, 0xffff, becn << 6) + qp + bytes(4)
    length = 8 + len(bth) + len(rest) + 4
    udp = struct.pack("!4H", 49152, 4791, length, 0)
    ip = struct.pack("!BBHHHBBH", 0x45, 0, 20 + length, 1, 0x4000, 64, 17,
                     0) + address(src) + dst
    masked = b"\xff" * 8 + bytes([ip[0], 0xff]) + ip[2:8] + b"\xff" + \
        ip[9:10] + b"\xff\xff" + ip[12:] + udp[:6] + b"\xff\xff" + bth[:4] + \
        b"\xff" + bth[5:] + rest
    return bytes(6) + STRANGER + b"\x08\x00" + ip + udp + bth + rest + \
        struct.pack("<I", zlib.crc32(masked))


def xoff(mac):
    """IEEE 802.1Q: one priority, as long as can be."""
    times = [65535 * (i == PRIORITY) for i in range(8)]
    return bytes.fromhex("0180c2000001") + mac + b"\x88\x08\x01\x01" + \
        struct.pack("!9H", 1 << PRIORITY, *times) + bytes(26)


def every(c, step, frames):
    return [Packet(ns, 0, max(len(f), 64), f)
            for ns in range(c.begin, c.end, step) for f in frames]


def at_first_host(c):
    """Address of the host whose link is tap 0, and the MAC address of its
    switch."""
    p = min((p for p in c.packets if p.tap == 0), key=lambda p: p.ns)
    host = max({q.src for q in c.packets},
               key=lambda a: sum(q.tap == 0 and a in (q.src, q.dst)
                                 for q in c.packets))
    return host, p.data[:6] if p.src == host else p.data[6:12]


def pauses_of_a_stranger(c):
    return c.with_these(every(c, 50000, [xoff(STRANGER)]))


def pauses_nobody_obeys(c):
    return c.with_these(every(c, 50000, [xoff(at_first_host(c)[1])]))


def to_first_host(c, opcode, rest, **how):
    host = at_first_host(c)[0]
    return [roce(NOBODY, host, opcode, qp, rest, **how)
            for qp in sorted({p.qp for p in c.packets if p.dst == host})]


def cnps_of_a_stranger(c):
    return c.with_these(every(c, 20000, to_first_host(c, CNP, bytes(16),
                                                      becn=True)))


def naks_of_a_stranger(c):
    return c.with_these(every(c, 100000, to_first_host(
        c, ACK, struct.pack("!I", NAK_SEQUENCE << 24))))


def false_naks(c, syndrome):
    host = at_first_host(c)[0]
    acks = [p for p in c.packets if p.dst == host and p.opcode == ACK]
    return c.with_these([p.copy(30, _54=bytes([syndrome]))
                         for p in acks[::20]])


def replayed(c):
    host = at_first_host(c)[0]
    return c.with_these([p.copy(40000) for p in c.packets
                         if p.src == host and p.tap == 0])


def psns_ahead(c, far):
    """One packet in the middle of each flow that is none of it."""
    flows = {}
    for p in c.packets:
        flows.setdefault((p.src, p.dst, p.qp), []).append(p)
    return c.with_these([
        m.copy(50, _51=(m.psn + far & 0xffffff).to_bytes(3, "big"))
        for m in (f[len(f) // 2] for f in flows.values())])


def clock_of_one_tap(c, back):
    middle = (c.begin + c.end) // 2
    return [p.copy(-back) if p.tap == 0 and p.ns > middle else p
            for p in c.packets]


def one_behind_the_other(c):
    return sorted(c.packets, key=lambda p: p.tap)


# Name, what is done, whether it is one pcap file then.
CASES = [
    ("pauses of a stranger", pauses_of_a_stranger, False),
    ("pauses that nobody obeys", pauses_nobody_obeys, False),
    ("CNPs of a stranger", cnps_of_a_stranger, False),
    ("NAKs of a stranger", naks_of_a_stranger, False),
    ("false NAKs", lambda c: false_naks(c, NAK_SEQUENCE), False),
    ("false RNR NAKs", lambda c: false_naks(c, RNR_NAK), False),
    ("replayed packets", replayed, False),
    ("PSNs 8 ahead", lambda c: psns_ahead(c, 8), False),
    ("PSNs 1000 ahead", lambda c: psns_ahead(c, 1000), False),
    ("one clock 100 ms back", lambda c: clock_of_one_tap(c, 10**8), False),
    ("files appended to each other", one_behind_the_other, True),
]


def verdict(fabscope, path):
    done = subprocess.run([fabscope, "analyze", "--json", "-o",
                           path.with_suffix(".db"), path], check=True,
                          capture_output=True)
    return json.loads(done.stdout)["answer"][0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fabscope", required=True)
    o = parser.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for scenario, allowed in (
                ("job_ring", {"nothing-wrong", "undetermined"}),
                ("job_compute_late", {"host", "undetermined"}),
                ("job_loss", {"network", "undetermined"})):
            path = folder / f"{scenario}.pcapng"
            subprocess.run([o.fabscope, "simulate", scenario, "-w", path],
                           check=True, capture_output=True)
            c = Capture(path)
            for name, change, as_pcap in CASES:
                path = folder / f"case.{'pcap' if as_pcap else 'pcapng'}"
                packets = change(c)
                if as_pcap:
                    write_pcap(path, packets)
                else:
                    c.write(path, packets)
                a = verdict(o.fabscope, path)
                wrong = a["verdict"] not in allowed
                bad += wrong
                print(f"{scenario}, {name}: {a['verdict']}"
                      + wrong * f", allowed {sorted(allowed)}")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
