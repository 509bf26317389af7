# SPDX-License-Identifier: GPL-2.0-or-later
"""Frames of packets (RoCEv2, PFC) as bytes, and taps that write them."""
import ipaddress
import struct
import zlib

import net
import rc

EPOCH = 1_790_000_000_000_000_000
ZERO = bytes(8192)
CRC_BEGIN = zlib.crc32(8 * b"\xff")


def icrc(l3, packet):
    """Of |packet| from its UDP header on: fields that change are ones."""
    l3, packet = bytearray(l3), bytearray(packet)
    if l3[0] >> 4 == 6:
        l3[0] |= 0x0f
        l3[1:4] = b"\xff\xff\xff"
        l3[7] = 0xff
    else:
        l3[1] = l3[8] = 0xff
        l3[10:12] = b"\xff\xff"
    packet[6:8] = b"\xff\xff"
    packet[12] = 0xff
    return zlib.crc32(packet, zlib.crc32(l3, CRC_BEGIN))


def checksum(header):
    total = sum(struct.unpack(f">{len(header) // 2}H", header))
    total = (total & 0xffff) + (total >> 16)
    return ~(total + (total >> 16)) & 0xffff


class Wire:
    def __init__(self, nic):
        self.nic, self.v6 = nic, nic["v6"]

    def address(self, host):
        number = struct.pack(">I", self.nic["subnet"] + host)
        return b"\xfd" + bytes(11) + number if self.v6 else number

    def text(self, host):
        return str(ipaddress.ip_address(self.address(host)))

    @staticmethod
    def mac(host):
        return b"\x02\x10\x00\x00" + struct.pack(">H", host)

    def pause(self, frame):
        owner = frame.src.owner
        src = self.mac(owner.index) if isinstance(owner, net.Host) else \
            b"\x02\x99" + struct.pack(">I", zlib.crc32(
                frame.src.name.encode()))
        times = [frame.quanta if prio == net.DATA else 0 for prio in range(8)]
        return (b"\x01\x80\xc2\x00\x00\x01" + src + struct.pack(
            ">HHH8H", 0x8808, 0x0101, 1 << net.DATA, *times)).ljust(60, b"\0")

    def link(self, p):
        kind = 0x86dd if self.v6 else 0x0800
        tag = struct.pack(">HH", 0x8100, p.prio << 13 | 100) if \
            self.nic["vlan"] else b""
        return self.mac(p.dst) + self.mac(p.src) + tag + \
            struct.pack(">H", kind)

    def ip(self, p, length):
        tos = {net.CTRL: 48, net.DATA: 26}[p.prio] << 2 | p.ecn
        ends = self.address(p.src) + self.address(p.dst)
        if self.v6:
            return struct.pack(">IHBB", 6 << 28 | tos << 20, length, 17,
                               p.ttl) + ends
        head = struct.pack(">BBHHHBBH", 0x45, tos, 20 + length, p.ip_id,
                           0x4000, p.ttl, 17, 0) + ends
        return head[:10] + struct.pack(">H", checksum(head)) + head[12:]

    @staticmethod
    def transport(p):
        """BTH and what follows it, up to the payload."""
        is_cnp = p.op == rc.CNP
        head = struct.pack(">BBHII", p.op, (-p.payload % 4) << 4, 0xffff,
                           is_cnp << 30 | p.pair.number,
                           0 if is_cnp else p.asks << 31 | p.psn)
        if is_cnp:
            return head + bytes(16)
        if p.reth:
            head += struct.pack(">QII", *p.reth)
        if p.syndrome is not None:
            head += struct.pack(">I", p.syndrome << 24 | p.msn & 0xffffff)
        if p.immediate:
            head += struct.pack(">I", p.psn)
        return head

    def frame(self, p, snaplen):
        """The bytes of a frame as captured, and its length on the wire."""
        if p.op == net.PAUSE:
            return self.pause(p), 60
        head = self.transport(p)
        padded = p.payload + -p.payload % 4
        length = 8 + len(head) + padded + 4
        udp = struct.pack(">HHHH", p.sport, 4791, length, 0)
        l2, l3 = self.link(p), self.ip(p, length)
        full = len(l2) + len(l3) + length
        body = udp + head + ZERO[:padded]
        if snaplen and full > snaplen:
            return (l2 + l3 + body)[:snaplen], full
        return l2 + l3 + body + struct.pack("<I", icrc(l3, body)), full


class Tap:
    """|like|: what the capture is like: clock (offset, ppm, tick), snaplen,
    chance of capture gaps and of mirror duplicates, one packet in |sample|."""

    def __init__(self, sim, wire, like):
        self.wire, self.like, self.frames = wire, like, []
        self.dice = sim.dice("tap " + like["name"])

    def see(self, now, packet):
        like, dice = self.like, self.dice
        if packet.op == net.PAUSE and not like.get("pfc", True):
            return
        if "sample" in like and dice.random() >= 1 / like["sample"]:
            return
        if dice.random() < like.get("gaps", 0):
            return
        tick = like["tick"]
        when = now + like.get("offset", 0) + now * like.get("ppm", 0) * 1e-6
        when = int(when // tick) * tick + EPOCH
        frame = self.wire.frame(packet, like["snaplen"])
        self.frames.append((when, *frame))
        if dice.random() < like.get("duplicates", 0):
            self.frames.append((when + tick * dice.randrange(3), *frame))

    def write(self, path):
        with open(path, "wb") as f:
            f.write(struct.pack("<IHHIIII", 0xa1b23c4d, 2, 4, 0, 0,
                                self.like["snaplen"] or 65535, 1))
            for when, data, full in sorted(self.frames, key=lambda x: x[0]):
                f.write(struct.pack("<IIII", when // 10**9, when % 10**9,
                                    len(data), full) + data)
