#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Encrypted Ultra Ethernet: what `fabscope query DB tss` tells against what a
sender that is written here did; and others on the same port, which are none.

    tss.py FABSCOPE"""
import contextlib
import json
import os
import random
import sqlite3
import struct
import subprocess
import sys
import tempfile

from wrapped import A, B, C, D, ask, ip, native, udp, write


def tss(rng, sdi, ssi, an, epoch, counter):
    head = 1 << 27 | (ssi is not None) << 26 | an << 24 | sdi
    return (struct.pack(">I", head) +
            (b"" if ssi is None else struct.pack(">I", ssi)) +
            struct.pack(">Q", epoch << 48 | counter) + rng.randbytes(120))


def first(rng):
    """A, with an SSI: a gap of 5 and one of 1, 3 overtaken by one and 1 by 10,
    2 doubled, then another key and epoch, around which 2 of the old are
    late; to two hosts."""
    numbers = [n for n in range(100, 1100) if not 400 <= n < 405 and n != 800]
    for n in (200, 300, 500):
        i = numbers.index(n)
        numbers[i], numbers[i + 1] = numbers[i + 1], numbers[i]
    numbers.insert(numbers.index(610), numbers.pop(numbers.index(600)))
    for n in (700, 900):
        numbers.insert(numbers.index(n), n)
    sent = [(0, 3, n) for n in numbers[:-2]] + [(1, 4, 0)] + \
        [(0, 3, n) for n in numbers[-2:]] + [(1, 4, n) for n in range(1, 501)]
    return [udp(A, C if n % 10 == 7 else B,
                tss(rng, 0x102, 0x0A010001, an, epoch, n))
            for an, epoch, n in sent]


def second(rng):
    """D, without one and native: nothing about it."""
    return [native(D, B, tss(rng, 0x103, None, 0, 7, n))
            for n in range(1 << 40, (1 << 40) + 64)]


def strangers(rng):
    """What begins like a TSS and does not count up: constant, by chance in
    every field or in the counter alone, once only, twice only; and more
    domains than are kept."""
    return [udp(C, D, tss(rng, 0x104, None, 0, 7, 12345))
            for _ in range(40)] + \
        [udp(C, D, b"\x08" + rng.randbytes(140)) for _ in range(6000)] + \
        [native(C, D, tss(rng, 0x105, None, 0, 7, rng.randrange(1 << 48)))
         for _ in range(300)] + \
        [udp(C, D, tss(rng, 0x106, 5, 0, 7, rng.randrange(1 << 12)))
         for _ in range(3000)] + \
        [native(C, D, tss(rng, 0x107, 6, 0, 7, 99))] + \
        [native(C, D, tss(rng, 0x108, 6, 0, 7, n)) for n in (5, 6)]


def vxlan():
    inner = ip(A, B, 17, struct.pack(">HHHH", 1000, 2000, 108, 0) + bytes(100))
    return [udp(B, A, struct.pack(">II", 0x08000000, vni << 8) + inner)
            for vni in range(20)]


WANTED = {
    (A[-1], 0x102): dict(ssi=0x0A010001, packets=994 + 2 + 501, receivers=2,
                         an=1, key_changes=1, epoch_first=3, epoch_last=4,
                         epoch_changes=1, not_here=6, repeated=2, late=4,
                         late_max=10, too_late=0),
    (D[-1], 0x103): dict(ssi=None, packets=64, receivers=1, an=0,
                         key_changes=0, epoch_first=7, epoch_last=7,
                         epoch_changes=0, not_here=0, repeated=0, late=0,
                         too_late=0),
}


def shown(fabscope, folder):
    """What `decode` tells of one packet with an SSI of 0, with 12 octets behind
    its TSS in clear, to somebody who was told so and to one who was not."""
    capture = os.path.join(folder, "clear.pcap")
    fabric = os.path.join(folder, "clear.fabric")
    clear = bytes.fromhex("1188fffe 00010001 00120034")
    write(capture, [native(A, B, tss(random.Random(2), 0x102, 0, 1, 3, 5)[:16] +
                           clear + bytes(range(100)))])
    with open(fabric, "w", encoding="ascii") as f:
        f.write("[protocols]\nuet-clear = 12\n")
    for more in ([], ["--topology", fabric]):
        yield json.loads(subprocess.run(
            [fabscope, "decode", "--json", *more, capture], check=True,
            capture_output=True, text=True).stdout)


def flat(value):
    """All names and numbers of a document."""
    for k, v in value.items():
        if isinstance(v, dict):
            yield from flat(v)
        else:
            yield k, v


def main():
    fabscope, rng, bad = sys.argv[1], random.Random(1), []
    with tempfile.TemporaryDirectory() as folder:
        capture = os.path.join(folder, "tss.pcap")
        db = os.path.join(folder, "tss.db")
        others = strangers(rng) + vxlan()
        write(capture, first(rng) + others + second(rng))
        said = subprocess.run([fabscope, "analyze", "-o", db, capture],
                              check=True, capture_output=True, text=True)
        rows = {(r["src"][-1], r["sdi"]): r for r in ask(fabscope, db, "tss")}
        with contextlib.closing(sqlite3.connect(db)) as c:
            told, = c.execute("SELECT packets_not_uet FROM tap").fetchone()
            flows, = c.execute("SELECT count(*) FROM flow "
                               "WHERE src LIKE '%.3'").fetchone()
        blind, told_so = (dict(flat(d)) for d in shown(fabscope, folder))
    for said_of in (blind, told_so):
        for key, value in dict(sdi=0x102, ssi=0, an=1, epoch=3,
                               counter=5).items():
            if said_of.get(key) != value:
                bad.append(f"decode {key}: {value} sent, {said_of.get(key)}")
    if "psn" in blind or told_so.get("psn") != 0x10001 or \
            told_so.get("spdcid") != 0x12 or told_so.get("dpdcid") != 0x34:
        bad.append(f"clear octets: {blind} and {told_so}")
    if set(rows) != set(WANTED):
        bad.append(f"associations {sorted(rows)}")
    for key, wanted in WANTED.items():
        for column, value in wanted.items():
            if rows.get(key, {}).get(column) != value:
                bad.append(f"{key} {column}: {value} sent, "
                           f"{rows.get(key, {}).get(column)} told")
    if told != len(others):
        bad.append(f"strangers: {len(others)} sent, {told} told")
    if flows:
        bad.append(f"{flows} flows of strangers")
    if "Nothing points" in said.stdout or "No loss" in said.stdout:
        bad.append("cleared of what cannot be seen")
    if "encrypted (TSS)" not in said.stdout:
        bad.append("not told that it is encrypted")
    print("\n".join(bad) or "as it was sent")
    return bool(bad)


sys.exit(main())
