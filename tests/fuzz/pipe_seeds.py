#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Seeds for pipe_fuzz and rewrite_fuzz: the begin and the middle of captures.

usage: pipe_seeds.py FOLDER CAPTURE...

Of each capture (pcap or pcapng as fabscope simulate writes them, also
compressed by gzip) two pieces of a few packets each, cut after their headers;
one for each list of commands of pipe_fuzz.c, in turn.  Reduce what comes of it
with fuzz.py minimize."""
import gzip
import pathlib
import struct
import sys

PACKETS = 40
SNAPLEN = 150
SCRIPTS = 9  # as pipe_fuzz.c has
EPB = 6


def pieces(items):
    middle = max(0, len(items) // 2 - PACKETS // 2)
    return items[:PACKETS], items[middle:middle + PACKETS]


def pcap(data):
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") \
        else ">"
    at, items = 24, []
    while at + 16 <= len(data):
        sec, frac, cap, wire = struct.unpack_from(order + "IIII", data, at)
        body = data[at + 16:at + 16 + min(cap, SNAPLEN)]
        items.append(struct.pack(order + "IIII", sec, frac, len(body), wire) +
                     body)
        at += 16 + cap
    return [data[:24] + b"".join(p) for p in pieces(items)]


def cut_block(block):
    """An enhanced packet block (little endian), cut after its headers."""
    cap, = struct.unpack_from("<I", block, 20)
    if cap <= SNAPLEN:
        return block
    body = block[8:20] + struct.pack("<I", SNAPLEN) + block[24:28 + SNAPLEN]
    body += bytes(-len(body) % 4)
    size = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", EPB) + size + body + size


def pcapng(data):
    at, head, items = 0, [], []
    while at + 12 <= len(data):
        kind, size = struct.unpack_from("<II", data, at)
        if kind == EPB:
            items.append(cut_block(data[at:at + size]))
        elif not items:
            head.append(data[at:at + size])
        at += size
    return [b"".join(head + p) for p in pieces(items)]


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    n = 0
    for name in sys.argv[2:]:
        data = pathlib.Path(name).read_bytes()
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        cut = pcapng if data[:4] == b"\x0a\x0d\x0d\x0a" else pcap
        for piece in cut(data):
            (folder / f"seed{n:04}").write_bytes(bytes([n % SCRIPTS]) + piece)
            n += 1


if __name__ == "__main__":
    main()
