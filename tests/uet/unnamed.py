#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Ultra Ethernet on a UDP port that nobody named is told, and nothing else is,
however much of it reads like Ultra Ethernet.

    unnamed.py FABSCOPE"""
import contextlib
import os
import random
import sqlite3
import struct
import subprocess
import sys
import tempfile

import reference
from wrapped import A, B, C, D, udp, write

PORT = 5000
STD = bytes.fromhex("010b0007000000c80005000300000000000020000000000100000"
                    "00000abcdef000000000000000000000040") + bytes(64)
RESPONSE = bytes.fromhex("01010007000000c800000040")


def both(*payloads, port=PORT):
    """What two hosts send each other to one port."""
    return [udp(*(B, A) if i % 2 else (A, B), octets, port)
            for i, octets in enumerate(payloads)]


# ---- what is none ----

def by_chance(rng):
    return both(*(rng.randbytes(rng.randrange(12, 300))
                  for _ in range(20000)))


def everywhere(rng):
    """More ports than are kept."""
    return [udp(A, B, rng.randbytes(80), rng.randrange(1024, 65536) | 1)
            for _ in range(20000)]


def echo(rng):
    """What comes goes back."""
    said = [rng.randbytes(120) for _ in range(5000)]
    return both(*(octets for octets in said for _ in range(2)))


def requests(_):
    """As one who sends nothing but what reads like requests, both ways."""
    return both(*(struct.pack(">HHIHH", 0x1180, 0, i, 0x12, 0x12) + STD
                  for i in range(2000)))


def numbered_by_chance(rng):
    """Its number and names lie where those of Ultra Ethernet do, and the first
    octets are anything."""
    return both(*(rng.randbytes(2) + struct.pack(">HIHH", 0, i // 2, 7, 7) +
                  STD + bytes(4) for i in range(20000)))


def wrong_answers(rng):
    """Reads like requests and answers, to packets that nobody sent."""
    return both(*(request(i, 0x12) if i % 2 == 0 else
                  answer(rng.getrandbits(32), 0x34, 0x12)
                  for i in range(4000)))


def other_names(_):
    """Answers to contexts that there are not."""
    return both(*(request(i, 0x12) if i % 2 == 0 else
                  answer(i - 1, 0x34, 0x100 + i) for i in range(4000)))


def once_each(_):
    """Numbers and names come back, as those of many protocols do, but nobody is
    answered twice."""
    return both(*(request(7, i) if i % 2 == 0 else
                  answer(7, 0x34, i - 1) for i in range(2, 6000)))


def same_answer(_):
    """One packet answered again and again."""
    return both(*(request(i // 2, 0x12) if i % 2 == 0 else
                  answer(0, 0x34, 0x12) for i in range(4000)))


def dns(rng):
    def message(flags, more):
        return struct.pack(">HHHHHH", rng.getrandbits(16), flags, 1, more, 0,
                           1) + b"\3www\7example\0\0\1\0\1" + bytes(16 * more)
    return both(*(message(0x8180, 1) if i % 2 else message(0x0100, 0)
                  for i in range(4000)), port=53)


def quic(rng):
    ids = rng.randbytes(8), rng.randbytes(8)
    return both(*(bytes([0x40 | rng.getrandbits(6)]) + ids[i % 2] +
                  rng.randbytes(rng.randrange(30, 1200))
                  for i in range(6000)), port=443) + [
        udp(B, A, bytes([0xC0 | rng.getrandbits(6)]) + b"\0\0\0\1\x08" +
            rng.randbytes(200), rng.randrange(32768, 61000))
        for _ in range(2000)]


def vxlan(rng):
    inner = bytes.fromhex("02000000000c02000000000d0800")
    return both(*(bytes.fromhex("0800000000002a00") + inner + b"\x45" +
                  rng.randbytes(99) for _ in range(4000)), port=8472)


def falcon(rng):
    """Version 1; connection, function, packet numbers, type."""
    return both(*(struct.pack(">IIIIII", 0x10001234 + i % 2, i % 4 << 28 | 0x102,
                              i, i // 2, 1, rng.getrandbits(32)) + bytes(40)
                  for i in range(4000)))


def roce(_):
    """Where nobody looks for it."""
    return both(*(bytes([0x11 if i % 2 else 0x07]) +
                  struct.pack(">BHII", 0x40, 0xFFFF, 0x12 + i % 2, i // 2) +
                  (struct.pack(">I", 0x1F000000 | i // 2) if i % 2 else
                   bytes(1024)) + bytes(4) for i in range(4000)))


def clocks(rng):
    """NTP, symmetric."""
    return both(*(bytes([0x21 + i % 2]) + b"\2\6\xe9" + bytes(8) +
                  rng.randbytes(36) for i in range(2000)), port=123)


def tunnel(rng):
    """Encrypted, its counter in the other order of octets (WireGuard)."""
    return both(*(b"\4\0\0\0" + struct.pack("<IQ", 0x1234 + i % 2, i // 2) +
                  rng.randbytes(160) for i in range(4000)), port=51820)


def mobile(rng):
    """GTP-U."""
    return both(*(b"\x30\xff" + struct.pack(">HI", 100, 0x10 + i % 2) +
                  rng.randbytes(100) for i in range(4000)), port=2152)


NONE = [by_chance, everywhere, echo, requests, numbered_by_chance,
        wrong_answers, other_names, once_each, same_answer, dns, quic, vxlan,
        falcon, roce, clocks, tunnel, mobile]


# ---- what is some ----

def request(psn, pdcid, rest=bytes(4)):
    return struct.pack(">HHIHH", 0x1180, 0, psn, pdcid, 0x34) + STD + rest


def answer(psn, pdcid, to, rest=bytes(4)):
    return struct.pack(">HHIHH", 0x3A00, 0, psn & 0xFFFFFFFF, pdcid,
                       to) + RESPONSE + rest


def talk(n):
    """|n| packets and an answer to each; no CRC, as a sender may do."""
    return both(*(answer(i // 2, 0x34, 0x12) if i % 2 else
                  request(i // 2, 0x12) for i in range(2 * n)))


def sealed(frames):
    """With CRC, as behind a mirror that shows one way only."""
    return [f[:-4] + struct.pack(">I", reference.crc32c(f[26:-4]))
            for f in frames[::2]]


def many(rng):
    """More contexts than are followed, by turns."""
    frames = []
    for psn in range(12):
        for pdcid in rng.sample(range(1, 6001), 6000):
            frames += both(request(psn, pdcid), answer(psn, 0x34, pdcid))
    return frames


# ---- asking ----

def said(fabscope, folder, frames, *options):
    """(port, packets) that is told; findings, but of what is not there."""
    capture = os.path.join(folder, "x.pcap")
    db = os.path.join(folder, "x.db")
    write(capture, frames)
    subprocess.run([fabscope, "analyze", *options, "-o", db, capture],
                   check=True, stdout=subprocess.DEVNULL)
    with contextlib.closing(sqlite3.connect(db)) as c:
        return (c.execute("SELECT uet_unnamed_port, packets_uet_unnamed "
                          "FROM tap").fetchone(),
                [title for title, in c.execute(
                    "SELECT title FROM finding "
                    "WHERE rule NOT IN ('no-traffic')")],
                c.execute("SELECT count(*) FROM flow").fetchone()[0])


def main():
    fabscope, rng, bad = sys.argv[1], random.Random(11), []
    hint = f"packets to UDP port {PORT} look like Ultra Ethernet: --uet-port " \
           f"{PORT}"

    def check(name, frames, want, findings, *options):
        told, found, flows = said(fabscope, folder, frames, *options)
        if told != want or (findings is not None and found != findings) or \
                flows and not options:
            bad.append(f"{name}: {told}, {found}, {flows} flows")

    with tempfile.TemporaryDirectory() as folder:
        for make in NONE:
            check(make.__name__, make(rng), (None, 0), [])
        for make in (dns, quic, vxlan, clocks, tunnel, mobile, everywhere):
            others = make(rng)
            half = len(others) // 2
            check(f"{make.__name__} beside it",
                  others[:half] + talk(4000) + others[half:], (PORT, 8000),
                  ["8,000 " + hint])
        others = by_chance(rng)
        check("at the port of others", others + talk(4000), (None, 0), [])
        check("answered", talk(40), (PORT, 80), ["80 " + hint])
        check("answered, but little", talk(5), (None, 0), [])
        check("sealed", sealed(talk(40)), (PORT, 40), ["40 " + hint])
        check("sealed, but little", sealed(talk(5)), (None, 0), [])
        check("many contexts", many(rng), (PORT, 144000), ["144,000 " + hint])
        check("named", talk(40), (None, 0), None, "--uet-port", str(PORT))
    print("\n".join(bad) or "only what is some is told")
    return bool(bad)


sys.exit(main())
