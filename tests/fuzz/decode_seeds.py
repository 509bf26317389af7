#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Seeds for decode_fuzz: frames of captures, and encapsulations by hand.

usage: decode_seeds.py FOLDER CAPTURE.pcap...

One seed per opcode, length class and capture; each also inside every tunnel
that decode peels.  Reduce what comes of it with decode_fuzz -merge=1."""
import hashlib
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "uet"))
import packets  # noqa: E402: UET of every type

LINKTYPES = [1, 0, 12, 14, 101, 108, 113, 219, 228, 229, 276, 147, 197, 247]
ETHER = bytes.fromhex("020000000002020000000001")


def frames(path):
    """(link type, captured octets, octets cut) of a classic pcap file."""
    data = path.read_bytes()
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    linktype = struct.unpack_from(order + "I", data, 20)[0] & 0xffff
    at = 24
    while at + 16 <= len(data):
        cap, wire = struct.unpack_from(order + "II", data, at + 8)
        yield linktype, data[at + 16:at + 16 + cap], max(0, wire - cap)
        at += 16 + cap


def ipv4(protocol, inner):
    return struct.pack(">BBHHHBBH8s", 0x45, 0, 20 + len(inner), 1, 0, 64,
                       protocol, 0, bytes([10, 0, 0, 1, 10, 0, 0, 2])) + inner


def ipv6(following, inner):
    return struct.pack(">IHBB", 6 << 28, len(inner), following,
                       64) + bytes(32) + inner


def udp(port, inner):
    return struct.pack(">HHHH", 50000, port, 8 + len(inner), 0) + inner


def ether(kind, inner):
    return ETHER + struct.pack(">H", kind) + inner


def telemetry(ip):
    """An IPv4 packet of UDP with what switches may put into it."""
    octets = bytes.fromhex
    head, l4, rest = ip[:9], ip[20:28], ip[28:]
    xgs = octets("1ddddd3f4430bc00005f005b075bcd15000005dc") + bytes(12)
    dnx = octets("2000ffff4000800067000009010d0ef7610018729c4300 00c900ca") \
        + bytes(6)
    hops = octets("20000306e000000000000000000000020011001200000190"
                  "0000000100210022000003e8")
    old = octets("10000506f80000000000000700110012000001900500000900 00000a")

    def packet(protocol, inner):
        new = bytearray(head[:9] + bytes([protocol]) + ip[10:20])
        new[2:4] = (20 + len(inner)).to_bytes(2, "big")
        return 1, ether(0x0800, bytes(new) + inner)

    for entry in (xgs, dnx, xgs + xgs):
        yield packet(253, octets("2f1100ff") + l4 + octets("33003f") +
                     bytes([len(entry) // 4]) + entry + rest)
        yield packet(17, l4 + octets("a1f1a1f1a1f2a1f2100102 00003b0000"
                                     "ff0100001000") +
                     (28 + len(entry)).to_bytes(2, "big") +
                     octets("ffff0000") + entry + rest)
    yield packet(253, octets("2f0600ff") + l4 + bytes(4) + octets("50") +
                 bytes(7) + octets("ff00ff04") + dnx)
    port = l4[:2] + octets("1388") + l4[4:]
    yield packet(17, port + octets("140912b7") + hops + rest)
    yield packet(17, port + octets("18090011") + hops + l4 + rest)
    yield packet(17, l4 + octets("10090068") + hops + rest)
    yield packet(17, l4 + octets("01000868") + old + rest)
    yield 1, ether(0x9901, octets("2468203039000800") + ip)
    yield 1, ether(0x0800, ipv4(17, udp(4790, octets(
        "0c00008200004d0010090001") + hops + ip)))


def wrapped(ip, frame):
    """Link type and octets of every encapsulation of an IPv4 packet."""
    octets = bytes.fromhex
    gre = [octets("000088be") + frame,
           octets("100088be00000007101e786400000005") + frame,
           octets("100022eb00000008201e606400c0ffee0000805d"
                  "0c00001100000001") + frame,
           octets("100022eb00000008201e606400c0ffee00000808") + ip,
           octets("000089495e022000") + frame,
           octets("00008949") + bytes(22) + frame,
           octets("b00065581234000000000001000000ab") + frame,
           octets("20000800deadbeef") + ip]
    udps = [(4789, octets("0800000000004d00") + frame),
            (4790, octets("0c00000100004d00") + ip),
            (4790, octets("0c00000300004d00") + frame),
            (6081, octets("0240655800004d0001028001deadbeef") + frame)]
    yield from ((1, ether(0x0800, ipv4(47, g))) for g in gre)
    yield from ((1, ether(0x86dd, ipv6(17, udp(*u)))) for u in udps)
    yield 1, ether(0x0800, ipv4(4, ip))
    yield 1, ether(0x0800, ipv4(137, octets("00065140") + ip))
    yield 1, ether(0x8100, octets("60640800") + ip)
    yield 1, ether(0x88a8, octets("0001810060649900") + octets("2b850800") + ip)
    yield from telemetry(ip)
    yield 1, ether(0xd28b, octets("0001011065a0bc003b9ac9ff0800") + ip)
    yield 1, ether(0x8847, octets("000640400006514000000000") + frame)
    yield 0, octets("02000000") + ip
    yield 108, octets("00000002") + ip
    yield 101, ip
    local = octets("00020002") + struct.pack(
        ">HH", (len(ip) - 20) // 4, 1) + ip[28:]
    yield 247, local
    yield 247, octets("00030002") + struct.pack(
        ">HH", (len(ip) + 20) // 4, 1) + struct.pack(
        ">IHBB", 6 << 28, len(ip) - 28, 0x1b, 64) + bytes(32) + ip[28:]
    yield 197, octets("000000000100000095040040000000300100000000000000") + \
        local
    yield 197, octets("000000000100000002040040000000300000") + frame
    yield 113, octets("0000030a0000000000000000000088be") + frame
    yield 276, octets("0800000000000007000104060200000000050000") + ip
    yield 1, ether(0x0800, ip[:6] + b"\x20\x00" + ip[8:])
    yield 1, ether(0x86dd, ipv6(0, octets("3c00010400000000") +
                                octets("2c00010400000000") +
                                octets("1100000100000009") + ip[20:]))
    yield 1, ether(0x8915, struct.pack(">IHBB", 6 << 28, len(ip) - 28, 0x1b,
                                       64) + bytes(32) + ip[28:])


def by_hand():
    octets = bytes.fromhex
    yield 1, octets("0180c200000102000000000188080101001800000000" "0000ffff")
    yield 1, octets("0180c20000010200000000018808") + octets("0101ffff") + \
        bytes(16)
    yield 1, octets("0180c200000102000000000188080001ffff") + bytes(42)
    yield 1, octets("0180c200000e02000000000188cc02070402000000000104030241")
    yield 228, octets(
        "45c2003c718c4000401100000a0011010a001201000012b700280000"
        "8100ffff4000011800000000" + 32 * "0" + "82fd002a")
    yield 229, octets(
        "66a123450020114020010db800000000000000000000000120010db8000000000000"
        "000000000002c00012b700200000"
        "0460ffff000000118000006448454c4c4f210000cbd15323")
    for seed in range(3):
        yield from ((1, data) for data, _ in packets.frames(seed, 60))
    for opcode in range(256):
        yield 228, ipv4(17, udp(4791, bytes([opcode]) + bytes(11 + 28 + 8)))


def distinct(paths):
    """A few frames of each capture that differ in what decides decoding."""
    seen = set()
    for path in paths:
        for linktype, data, cut in frames(path):
            opcode = data[42] if len(data) > 42 else None
            key = (path.stem[:3], linktype, opcode, len(data) > 128, data[12:14])
            if key not in seen and len(data) < 400:
                seen.add(key)
                yield linktype, data, cut


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)

    def write(linktype, data, cut=0):
        seed = bytes([LINKTYPES.index(linktype), 0]) + struct.pack(
            ">H", cut) + data
        name = hashlib.sha1(seed).hexdigest()[:16]
        (folder / name).write_bytes(seed)

    for linktype, data in by_hand():
        write(linktype, data)
    for linktype, data, cut in distinct(map(pathlib.Path, sys.argv[2:])):
        write(linktype, data, cut)
        if linktype == 1 and data[12:14] == b"\x08\x00" and len(data) < 100:
            for kind, outer in wrapped(data[14:], data):
                write(kind, outer, cut)


if __name__ == "__main__":
    main()
