#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Other traffic on Ultra Ethernet's port and protocol: it is none, whatever some
of its octets happen to say, and what is Ultra Ethernet beside it stays so.

    strangers.py FABSCOPE"""
import contextlib
import os
import random
import sqlite3
import struct
import subprocess
import sys
import tempfile

import reference
from wrapped import A, B, C, D, native, udp, write


def by_chance(rng):
    return [wrap(A, B, rng.randbytes(rng.randrange(20, 300)))
            for _ in range(6000) for wrap in (udp, native)]


def numbered(_, first):
    """A protocol with a head that stays, and a number that goes up."""
    return [udp(A, B, struct.pack(">IIII", first, 0x123456, i, 7 * i) +
                bytes(64)) for i in range(2000)]


def short_head(rng):
    """Its number lies where the PDC ids would be."""
    return [udp(A, B, struct.pack(">HHI", 0x1080, 1, i) + rng.randbytes(64))
            for i in range(2000)]


STRANGERS = {
    "octets by chance": by_chance,
    "request-like": lambda rng: numbered(rng, 0x10000001),
    "reserved type": lambda rng: numbered(rng, 0x02000005),
    "short head": short_head,
    "text": lambda _: [udp(C, D, b"GET / HTTP/1.1 and so on, line by line")
                       for _ in range(500)],
    "nothing": lambda _: [native(C, D, bytes(100)) for _ in range(500)],
}


def sealed(frame):
    """With the CRC that it is to have."""
    return frame + struct.pack(">I", reference.crc32c(frame[26:]))


def context():
    """A context of five packets, with SYN, and the answer to them."""
    std = bytes.fromhex("010b0007000000c80005000300000000000020000000000100000"
                        "00000abcdef000000000000000000000040")
    sent = [udp(A, B, struct.pack(">HHIHH", 0x1184, 0xFFFF, 0x10000 + i, 0x12,
                                  i) + std + bytes(64)) for i in range(5)]
    sent.append(udp(B, A, struct.pack(">HHIHH", 0x3A00, 0, 0x10004, 0x34, 0x12)
                    + bytes.fromhex("01010007000000c800000040")))
    return [sealed(longer(f)) for f in sent]


def longer(frame):
    """Its lengths with the CRC to come."""
    f = bytearray(frame)
    f[16:18] = struct.pack(">H", len(f) - 14 + 4)
    f[38:40] = struct.pack(">H", len(f) - 34 + 4)
    return bytes(f)


def said(fabscope, folder, frames):
    capture = os.path.join(folder, "x.pcap")
    db = os.path.join(folder, "x.db")
    write(capture, frames)
    subprocess.run([fabscope, "analyze", "-o", db, capture], check=True,
                   stdout=subprocess.DEVNULL)
    with contextlib.closing(sqlite3.connect(db)) as c:
        return (c.execute("SELECT transport, src, spdcid, packets, requests "
                          "FROM flow ORDER BY src, spdcid").fetchall(),
                c.execute("SELECT rule FROM finding WHERE severity IN "
                          "('critical', 'warning', 'ok')").fetchall(),
                c.execute("SELECT count(*) FROM event").fetchone()[0] +
                c.execute("SELECT count(*) FROM message").fetchone()[0] +
                c.execute("SELECT count(*) FROM recovery").fetchone()[0])


def main():
    fabscope, rng, bad = sys.argv[1], random.Random(7), []
    with tempfile.TemporaryDirectory() as folder:
        alone, right, rows = said(fabscope, folder, context())
        if [r[:4] for r in alone] != [("UET-RUD", "10.1.0.1", 0x12, 5),
                                      ("UET-RUD", "10.1.0.2", 0x34, 1)] or \
                not rows:
            bad.append(f"the context alone: {alone}, {rows} rows")
        for name, make in STRANGERS.items():
            others = make(rng)
            flows, findings, rows = said(fabscope, folder, others)
            if flows or findings or rows:
                bad.append(f"{name}: {len(flows)} flows, {findings}, "
                           f"{rows} rows")
            half = len(others) // 2
            flows, findings, _ = said(
                fabscope, folder, others[:half] + context() + others[half:])
            if flows != alone or findings != right:
                bad.append(f"{name} beside a context: {len(flows)} flows, "
                           f"{findings}")
    print("\n".join(bad) or "they are strangers")
    return bool(bad)


sys.exit(main())
