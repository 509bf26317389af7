#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Seeds for capture_fuzz: small captures of every kind.

usage: capture_seeds.py FOLDER
Packets come from captures/; the containers are written here."""
import gzip
import lzma
import pathlib
import shutil
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKETS = 6
SNAPLEN = 70


def packets():
    """The first packets of a shipped capture: (seconds, micros, data, len)."""
    path = sorted((ROOT / "captures").glob("*.pcap"))[0]
    data, at, found = path.read_bytes(), 24, []
    nano = data[:4] == b"\x4d\x3c\xb2\xa1"
    while len(found) < PACKETS:
        sec, frac, caplen, length = struct.unpack_from("<IIII", data, at)
        body = data[at + 16:at + 16 + min(caplen, SNAPLEN)]
        found.append((sec, frac // (1000 if nano else 1), body, length))
        at += 16 + caplen
    return found


def pcap(order, magic, extra=b"", head=b"", version=(2, 4), network=1,
         swapped=False, snaplen=SNAPLEN):
    out = struct.pack(order + "IHHIIII", magic, *version, 0, 0, snaplen,
                      network) + head
    for sec, frac, body, length in packets():
        lengths = (length, len(body)) if swapped else (len(body), length)
        out += struct.pack(order + "IIII", sec, frac, *lengths)
        out += extra + body
    return out


def block(order, kind, body):
    body += bytes(-len(body) % 4)
    length = struct.pack(order + "I", len(body) + 12)
    return struct.pack(order + "I", kind) + length + body + length


def option(order, code, value):
    return (struct.pack(order + "HH", code, len(value)) + value +
            bytes(-len(value) % 4))


def section(order):
    return block(order, 0x0A0D0D0A,
                 struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1) +
                 option(order, 1, b"seed") + bytes(4))


def interface(order, name, resolution, offset=0, fcs=0):
    return block(order, 1, struct.pack(order + "HHI", 1, 0, SNAPLEN) +
                 option(order, 2, name) +
                 option(order, 8, struct.pack(order + "Q", 10**11)) +
                 option(order, 9, bytes([resolution])) +
                 option(order, 13, bytes([fcs])) +
                 option(order, 14, struct.pack(order + "q", offset)) +
                 bytes(4))


def enhanced(order, number, sec, frac, body, length):
    units = sec * 10**6 + frac
    options = (option(order, 1, b"remark") +
               option(order, 2, struct.pack(order + "I", 1 + number % 2)) +
               option(order, 4, struct.pack(order + "Q", number)) + bytes(4))
    return block(order, 6, struct.pack(
        order + "IIIII", number % 2, units >> 32, units & 0xFFFFFFFF,
        len(body), length) + body + bytes(-len(body) % 4) + options)


def obsolete(order, number, sec, frac, body, length):
    units = sec * 10**6 + frac
    return block(order, 2, struct.pack(
        order + "HHIIII", number % 2, number, units >> 32,
        units & 0xFFFFFFFF, len(body), length) + body)


def simple(order, number, sec, frac, body, length):
    return block(order, 3, struct.pack(order + "I", length) + body)


def statistics(order, i):
    counters = b"".join(option(order, code, struct.pack(order + "Q", code))
                        for code in (4, 5, 6, 7, 8))
    return block(order, 5, struct.pack(order + "III", i, 1, 2) + counters +
                 bytes(4))


def pcapng(order):
    out = section(order) + interface(order, b"one", 6, 37, 4)
    out += interface(order, b"two", 0x94, -5, 32)
    for number, packet in enumerate(packets()):
        make = (enhanced, enhanced, obsolete, simple)[number % 4]
        out += make(order, number, *packet)
    out += block(order, 4, bytes(8)) + block(order, 9, bytes(40))
    out += block(order, 10, struct.pack(order + "II", 1, 0))
    out += block(order, 0xBAD, struct.pack(order + "I", 32473))
    return out + statistics(order, 0) + statistics(order, 1)


def packed(name, plain):
    """By the tool of that name, where it is installed."""
    if not shutil.which(name):
        return None
    return subprocess.run([name, "-c"], input=plain, capture_output=True,
                          check=True).stdout


def seeds():
    for order in "<>":
        o = "le" if order == "<" else "be"
        yield f"micro-{o}", pcap(order, 0xA1B2C3D4)
        yield f"nano-{o}", pcap(order, 0xA1B23C4D, network=0x24000001)
        yield f"modified-{o}", pcap(order, 0xA1B2CD34, bytes(8))
        yield f"suse-{o}", pcap(order, 0xA1B2CD34, bytes(12))
        yield f"redhat-{o}", pcap(order, 0xA1B2C3D4, bytes(8))
        yield f"nokia-{o}", pcap(order, 0xA1B2C3D4, bytes(4))
        yield f"ixia-{o}", pcap(order, 0x1C0001AC, head=bytes(4))
        yield f"old-{o}", pcap(order, 0xA1B2C3D4, version=(2, 2),
                               network=6, swapped=True)
        yield f"snapless-{o}", pcap(order, 0xA1B2C3D4, snaplen=20)
        yield f"pcapng-{o}", pcapng(order)
    yield "sections", pcapng("<") + pcapng(">")
    yield "concatenated", pcap("<", 0xA1B2C3D4) + pcap("<", 0xA1B2C3D4)
    yield "zeros", pcap("<", 0xA1B2C3D4) + bytes(100)
    plain = pcap("<", 0xA1B2C3D4)
    yield "gzip", gzip.compress(plain, mtime=0) + gzip.compress(b"", mtime=0)
    yield "zstd", packed("zstd", pcapng("<"))
    yield "lz4", packed("lz4", plain)
    yield "xz", lzma.compress(plain[:100])


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, octets in seeds():
        if octets is not None:
            (folder / name).write_bytes(octets)


if __name__ == "__main__":
    main()
