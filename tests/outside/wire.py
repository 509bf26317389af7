# SPDX-License-Identifier: GPL-2.0-or-later
"""Frames of packets (RoCEv2, UET, PFC) as bytes, and taps that write them."""
import ipaddress
import struct
import zlib

import net
import rc
import uet
import uetwire

ROCE_PORT, UET_PORT, UET_PROTOCOL = 4791, 4793, 253
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

    def dscp(self, p):
        kinds = self.nic["dscp"]
        if p.kept:
            return kinds["lasthop" if p.is_lasthop else "trimmed"]
        return kinds["control" if p.prio == net.CTRL else "data"]

    def ip(self, p, length, protocol=17):
        tos = self.dscp(p) << 2 | p.ecn
        ends = self.address(p.src) + self.address(p.dst)
        if self.v6:
            return struct.pack(">IHBB", 6 << 28 | tos << 20, length, protocol,
                               p.ttl) + ends
        head = struct.pack(">BBHHHBBH", 0x45, tos, 20 + length, p.ip_id,
                           0x4000, p.ttl, protocol, 0) + ends
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

    def plain(self, p, snaplen):
        l2 = self.link(p)
        length = p.size - len(l2) - (40 if self.v6 else 20)
        whole = l2 + self.ip(p, length, 6) + struct.pack(
            ">HHIIHHHH", 445, 40000, 1, 1, 0x5010, 0xffff, 0, 0) + ZERO
        return whole[:min(snaplen or p.size, p.size)]

    def frame(self, p, snaplen):
        """The bytes of a frame as captured, and its length on the wire."""
        if p.op == net.PAUSE:
            return self.pause(p), 60
        if p.op == net.PLAIN:
            return self.plain(p, snaplen), p.size
        if self.nic["transport"] == "uet":
            return self.uet_frame(p, snaplen)
        head = self.transport(p)
        padded = p.payload + -p.payload % 4
        length = 8 + len(head) + padded + 4
        udp = struct.pack(">HHHH", p.sport, ROCE_PORT, length, 0)
        l2, l3 = self.link(p), self.ip(p, length)
        full = len(l2) + len(l3) + length
        body = udp + head + ZERO[:padded]
        if snaplen and full > snaplen:
            return (l2 + l3 + body)[:snaplen], full
        return l2 + l3 + body + struct.pack("<I", icrc(l3, body)), full

    # ---- Ultra Ethernet ----

    @staticmethod
    def uet_request(p):
        """PDS and SES of what a PSN has."""
        f, item = p.fields, p.item
        if item.op == uetwire.CLOSING:
            return uetwire.control(f)
        message, job = item.message, f["job"]
        if item.op == uetwire.ANSWER:
            ses = uetwire.ses_data({
                "next": f["next"], "id": message.number, "job": job,
                "read": message.number, "psn": item.asked, "at": item.at,
                "payload": item.payload, "size": message.size})
        else:
            flags = uetwire.RELATIVE | uetwire.SOM * item.is_first | \
                uetwire.EOM * item.is_last | uetwire.HEADER_DATA * (
                    message.has_data and f["next"] != uetwire.SMALL)
            ses = uetwire.ses_request({
                "next": f["next"], "op": item.op, "flags": flags,
                "id": message.number, "job": job, "pid": p.src & 0xfff,
                "index": 3, "offset": message.token << 32
                if item.op == uetwire.DEFERRABLE and not message.is_second
                else message.address, "initiator": p.src + 1,
                "key": message.token, "header_data": message.token,
                "payload": min(p.pair.nic["mtu"], message.size - item.at),
                "at": item.at, "size": message.size, "eager": message.eager,
                "address": message.address})
        return uetwire.request(f) + ses

    def uet_head(self, p):
        """PDS and SES."""
        f = p.fields
        if p.op == uet.REQUEST:
            return self.uet_request(p)
        if p.op == uet.REFUSE:
            return uetwire.nack(f)
        if p.op == uet.CONTROL:
            return uetwire.control(f)
        head, message = uetwire.ack(f), f["message"]
        if message and f["is_overflow"]:
            return head + uetwire.ses_response(1, f["job"], message.number, 0,
                                               True)
        return head + uetwire.ses_response(
            0, f["job"], message.number, message.size) if message else head

    def uet_frame(self, p, snaplen):
        """A trimmed packet keeps the lengths but for that of IP."""
        if p.head is None:
            p.head = self.uet_head(p)
        length = len(p.head) + p.payload + 4
        if self.nic["native"]:
            protocol, around = UET_PROTOCOL, struct.pack(">HH", p.sport, 0)
        else:
            protocol, around = 17, struct.pack(
                ">HHHH", p.sport, UET_PORT, 8 + length, 0)
        whole = len(around) + length
        l2 = self.link(p)
        l3 = self.ip(p, p.kept or whole, protocol)
        body = around + p.head + ZERO[:p.payload]
        if p.kept:
            body = body[:p.kept]
        full = max(60, len(l2) + len(l3) + (p.kept or whole))
        if snaplen and full > snaplen:
            return (l2 + l3 + body)[:snaplen], full
        if not p.kept:
            ends = self.address(p.src) + self.address(p.dst)
            body += struct.pack(">I", uetwire.crc(ends, around + p.head,
                                                  p.payload))
        return (l2 + l3 + body).ljust(60, b"\0"), full


def trimmer(kept, nic):
    """Cuts data packets to |kept| bytes after the IP header."""
    around = (18 if nic["vlan"] else 14) + (40 if nic["v6"] else 20)

    def trim(packet):
        if packet.op != uet.REQUEST or packet.size <= around + kept or \
                not packet.payload:
            return False
        packet.kept, packet.size = kept, max(60, around + kept)
        return True
    return trim


class Tap:
    """|like|: what the capture is like: clock (offset, ppm, tick), snaplen,
    chance of capture gaps and of mirror duplicates, one packet in |sample| or
    |sample-few|, or one flow in |sample-flows|.  A mirror stamps copies when
    these have queued up to |merged| ns: each by itself, or those of a link, a
    direction and a priority (|merged-ports|) in order."""

    def __init__(self, sim, wire, like):
        self.wire, self.like, self.frames = wire, like, []
        self.dice = sim.dice("tap " + like["name"])
        self.missed = self.doubled = 0
        self.last, self.queued = {}, {}

    def is_sampled(self, packet):
        like = self.like
        one_in = like.get("sample", like.get("sample-few"))
        if one_in and self.dice.random() >= 1 / one_in:
            return False
        if "sample-flows" not in like or packet.pair is None:
            return True
        key = f"{packet.src} {packet.dst} {packet.pair.number} {packet.sport}"
        return zlib.crc32(key.encode()) % like["sample-flows"] == 0

    def queue(self, when, packet):
        """How long its copy waited in the mirror."""
        like, dice = self.like, self.dice
        if "merged" in like:
            return dice.random() * like["merged"]
        if "merged-ports" not in like:
            return 0
        most, key = like["merged-ports"], (packet.src, packet.prio)
        wait = min(max(self.queued.get(key, 0) + dice.uniform(-0.2, 0.2) *
                       most, 0), most)
        wait = max(wait, self.last.get(key, 0) - when)
        self.queued[key], self.last[key] = wait, when + wait
        return wait

    def see(self, now, packet):
        like, dice = self.like, self.dice
        if packet.op == net.PAUSE and not like.get("pfc", True):
            return
        if not self.is_sampled(packet):
            return
        if dice.random() < like.get("gaps", 0):
            self.missed += 1
            return
        tick = like["tick"]
        when = now + like.get("offset", 0) + now * like.get("ppm", 0) * 1e-6
        when += self.queue(when, packet)
        when = int(when // tick) * tick + EPOCH
        frame = self.wire.frame(packet, like["snaplen"])
        self.frames.append((when, *frame))
        if dice.random() < like.get("duplicates", 0):
            self.doubled += 1
            self.frames.append((when + tick * dice.randrange(3), *frame))

    def write(self, path):
        with open(path, "wb") as f:
            f.write(struct.pack("<IHHIIII", 0xa1b23c4d, 2, 4, 0, 0,
                                self.like["snaplen"] or 65535, 1))
            for when, data, full in sorted(self.frames, key=lambda x: x[0]):
                f.write(struct.pack("<IIII", when // 10**9, when % 10**9,
                                    len(data), full) + data)
