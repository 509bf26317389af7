# SPDX-License-Identifier: GPL-2.0-or-later
"""A second, independent reader of RoCEv2 captures.

Small on purpose: it knows only what the soft-RoCE captures contain, and
score.py checks its opcode counts against those recorded beside each file
(which were checked with tshark).  fabscope is never asked.
"""
import functools
import gzip
import ipaddress
import struct
from collections import namedtuple

Frame = namedtuple("Frame", "number ns tap data wirelen")
Roce = namedtuple(
    "Roce",
    "number ns tap src dst ip_id tos sport opcode qp psn syndrome msn dmalen")

ROCE_PORT = 4791
OP_READ = 0x0C
RESPONSES = frozenset(range(0x0D, 0x13))
# Operations, in the low five bits, whose first extension header is a RETH or
# an AETH.
WITH_RETH = frozenset((0x06, 0x0A, 0x0B, 0x0C))
WITH_AETH = frozenset((0x0D, 0x0F, 0x10, 0x11, 0x12))
UD_CLASS = 0x60


def frames(path):
    """Yields every frame of a classic pcap or a simple pcapng file."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        data = file.read()
    if data[:4] == b"\x0a\x0d\x0d\x0a":
        yield from _pcapng(data)
    else:
        yield from _pcap(data)


def _pcap(data):
    magic, = struct.unpack_from("<I", data)
    order = "<" if magic in (0xA1B2C3D4, 0xA1B23C4D) else ">"
    nano = struct.unpack_from(order + "I", data)[0] == 0xA1B23C4D
    at, number = 24, 0
    while at + 16 <= len(data):
        sec, frac, caplen, wirelen = struct.unpack_from(order + "4I", data, at)
        at += 16
        number += 1
        ns = sec * 10**9 + frac * (1 if nano else 1000)
        yield Frame(number, ns, 0, data[at:at + caplen], wirelen)
        at += caplen


def window(path, first, last, out):
    """Writes frames first..last of a classic pcap file to |out|."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        data = file.read()
    at, number = 24, 0
    out.write(data[:24])
    while at + 16 <= len(data):
        number += 1
        end = at + 16 + struct.unpack_from("<I", data, at + 8)[0]
        if first <= number <= last:
            out.write(data[at:end])
        at = end


def _options(data, at, end):
    while at + 4 <= end:
        code, length = struct.unpack_from("<HH", data, at)
        yield code, data[at + 4:at + 4 + length]
        at += 4 + (length + 3) // 4 * 4


def _pcapng(data):
    at, number, units = 0, 0, []
    while at + 12 <= len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == 1:
            options = dict(_options(data, at + 16, at + length - 4))
            units.append(10**9 // 10**options.get(9, b"\6")[0])
        elif kind == 6:
            tap, high, low, caplen, wirelen = struct.unpack_from(
                "<5I", data, at + 8)
            number += 1
            ns = (high << 32 | low) * units[tap]
            yield Frame(number, ns, tap, data[at + 28:at + 28 + caplen],
                        wirelen)
        at += length


@functools.lru_cache(maxsize=None)
def _address(octets):
    return str(ipaddress.ip_address(octets))


def _ip(data, at, ethertype):
    """(source, destination, TOS, identification, offset of UDP) or None."""
    if ethertype == 0x0800:
        header = data[at:at + 20]
        if len(header) < 20 or header[9] != 17:
            return None
        return (_address(header[12:16]),
                _address(header[16:20]), header[1],
                struct.unpack_from(">H", header, 4)[0],
                at + 4 * (header[0] & 15))
    if ethertype == 0x86DD:
        header = data[at:at + 40]
        if len(header) < 40 or header[6] != 17:
            return None
        tos = (header[0] & 15) << 4 | header[1] >> 4
        return (_address(header[8:24]),
                _address(header[24:40]), tos, 0, at + 40)
    return None


def decode(frame):
    """The RoCEv2 packet in |frame|, or None."""
    data, at = frame.data, 12
    ethertype, = struct.unpack_from(">H", data, at)
    while ethertype == 0x8100:
        at += 4
        ethertype, = struct.unpack_from(">H", data, at)
    ip = _ip(data, at + 2, ethertype)
    if ip is None:
        return None
    src, dst, tos, ip_id, at = ip
    if len(data) < at + 20:
        return None
    sport, dport = struct.unpack_from(">HH", data, at)
    if dport != ROCE_PORT:
        return None
    bth = at + 8
    opcode = data[bth]
    qp = struct.unpack_from(">I", data, bth + 4)[0] & 0xFFFFFF
    psn = struct.unpack_from(">I", data, bth + 8)[0] & 0xFFFFFF
    syndrome = msn = dmalen = None
    operation, service = opcode & 31, opcode & 0xE0
    if operation in WITH_AETH and service != UD_CLASS:
        aeth, = struct.unpack_from(">I", data, bth + 12)
        syndrome, msn = aeth >> 24, aeth & 0xFFFFFF
    if operation in WITH_RETH and service != UD_CLASS:
        dmalen, = struct.unpack_from(">I", data, bth + 24)
    return Roce(frame.number, frame.ns, frame.tap, src, dst, ip_id, tos,
                sport, opcode, qp, psn, syndrome, msn, dmalen)


def packets(path):
    return [p for p in map(decode, frames(path)) if p is not None]


def is_response(packet):
    return packet.opcode & 31 in RESPONSES


def is_sequence_nak(packet):
    return packet.syndrome == 0x60


def is_rnr(packet):
    return packet.syndrome is not None and 0x20 <= packet.syndrome < 0x40


def is_ack(packet):
    return packet.opcode & 31 == 0x11 and packet.syndrome < 0x20


def serial(a, b):
    """a - b in 24-bit serial arithmetic."""
    return ((a - b + 0x800000) & 0xFFFFFF) - 0x800000
