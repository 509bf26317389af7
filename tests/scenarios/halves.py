#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The two directions of a link, an interface or a file each, against the same
link on one interface.

    halves.py --fabscope BUILD/fabscope --simulate SIMULATE [--scenarios DIR]
              [--only NAME]...

An optical TAP writes each direction of a link to an interface of its own.  The
captures of some scenarios are parted like that: into two interfaces of one
pcapng, and into two files.  What is said of the flows and what is found has to
be what is said and found of the whole.  And two taps that are no halves of one
link stay two places: one at each end of a fabric, whatever each shows.
"""
import argparse
import itertools
import os
import re
import sqlite3
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, ".."))
from cases import some  # noqa: E402

# One tap with both directions of a link each: RoCE and Ultra Ethernet, clean
# and not, with and without pauses.
WHOLE = ["clean", "loss_before_tap", "loss_after_tap", "ack_loss", "nak_loss",
         "tail_loss", "read_loss_after", "read_loss_before", "reorder_strict",
         "selective_repeat", "rnr", "capture_loss", "incast_dcqcn",
         "incast_pfc", "pause_victims", "storm", "uet_loss_before",
         "uet_rod_loss", "uet_rud_timeout", "uet_ack_loss", "uet_rccc",
         "uet_response_loss", "uet_close_reuse"]

# Two taps and more, each with both directions.
ENDS = ["two_taps", "two_taps_reorder", "uet_two_taps"]


# ---- parting ----

def blocks(path):
    with open(path, "rb") as f:
        data = f.read()
    at = 0
    while at < len(data):
        kind, size = struct.unpack_from("<II", data, at)
        yield kind, data[at:at + size]
        at += size


def renamed(block, word):
    """An interface block whose if_name has |word| behind it."""
    out, at = bytearray(block[8:16]), 16
    while at + 4 <= len(block) - 4:
        code, size = struct.unpack_from("<HH", block, at)
        value = block[at + 4:at + 4 + size]
        at += 4 + (size + 3) // 4 * 4
        if code == 2:
            value += word
        out += struct.pack("<HH", code, len(value)) + value
        out += bytes(-len(value) % 4)
    size = len(out) + 12
    return struct.pack("<II", 1, size) + bytes(out) + struct.pack("<I", size)


def side_of(ends, interface, frame):
    """0 or 1: whose frame it is of the two at the ends of the link."""
    at = ends.setdefault(interface, [])
    if frame[6:12] not in at:
        at.append(frame[6:12])
    assert len(at) <= 2, "more than one link at this tap"
    return at.index(frame[6:12])


def part(path, out):
    """|out| has the interfaces of |path| twice, for a direction each."""
    ends = {}
    with open(out, "wb") as f:
        for kind, block in blocks(path):
            if kind == 1:
                f.write(renamed(block, b".a") + renamed(block, b".b"))
            elif kind == 6:
                interface, = struct.unpack_from("<I", block, 8)
                side = side_of(ends, interface, block[28:])
                f.write(block[:8] + struct.pack("<I", 2 * interface + side)
                        + block[12:])
            elif kind == 5:
                interface, = struct.unpack_from("<I", block, 8)
                f.write(block[:8] + struct.pack("<I", 2 * interface)
                        + block[12:])
            else:
                f.write(block)


def part_files(path, names):
    """Each direction of the first interface into a file of its own."""
    ends, first = {}, True
    files = [open(name, "wb") for name in names]
    for kind, block in blocks(path):
        if kind == 6:
            interface, = struct.unpack_from("<I", block, 8)
            if not interface:
                files[side_of(ends, 0, block[28:])].write(block)
        elif kind != 5 and (kind != 1 or first):
            first &= kind != 1
            for f, word in zip(files, (b".a", b".b")):
                f.write(renamed(block, word) if kind == 1 else block)
    for f in files:
        f.close()


def one_way(path, out, ways):
    """Of interface i only what end ways[i] sent, in the order of addresses."""
    ends = {}
    for kind, block in blocks(path):
        if kind == 6:
            interface, = struct.unpack_from("<I", block, 8)
            ends.setdefault(interface, set()).add(block[34:40])
    with open(out, "wb") as f:
        for kind, block in blocks(path):
            if kind == 6:
                interface, = struct.unpack_from("<I", block, 8)
                ordered = sorted(ends[interface])
                if block[34:40] != ordered[ways[interface]]:
                    continue
            f.write(block)


def bundle(path, out, size):
    """As one who has a buffer for each interface writes: of |size| packets
    those of one interface after those of the other."""
    waiting, n = {}, 0
    with open(out, "wb") as f:
        for kind, block in blocks(path):
            if kind != 6:
                f.write(block)
                continue
            interface, = struct.unpack_from("<I", block, 8)
            waiting.setdefault(interface, []).append(block)
            n += 1
            if n % size == 0:
                for kept in waiting.values():
                    f.write(b"".join(kept))
                waiting.clear()
        for kept in waiting.values():
            f.write(b"".join(kept))


# ---- asking ----

def analyze(args, base, words):
    done = subprocess.run([args.fabscope, "analyze", "-v", "-o", base + ".db"] +
                          words, capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stderr)
    db = sqlite3.connect(base + ".db")
    return db, " ".join(done.stdout.split())


FLOW = ("transport, src, dst, dst_qp, spdcid, epoch, visibility, pairing, "
        "packets, bytes, messages, lost_upstream, lost_downstream_min, "
        "lost_downstream_max, capture_missing, unresolved, reordered, "
        "retransmitted, spurious, timeouts, nak_seq, nak_fatal, rnr_nak, "
        "implied_nak, duplicates, ce, cnp, trimmed")

ASKED = {
    "flows": f"SELECT {FLOW} FROM flow ORDER BY {FLOW}",
    "recoveries": "SELECT cause, rule, count(*), sum(lost_min), "
                  "sum(lost_max), sum(retransmitted_packets) FROM recovery "
                  "GROUP BY cause, rule ORDER BY cause, rule",
    "events": "SELECT kind, count(*), sum(count) FROM event GROUP BY kind "
              "ORDER BY kind",
    "pauses": "SELECT source_mac, priority, sum(xoff_frames), "
              "sum(last_ns - first_ns), count(*) FROM pause "
              "GROUP BY source_mac, priority ORDER BY source_mac, priority",
    "stalls": "SELECT cause, count(*), sum(paused_ns) FROM stall "
              "GROUP BY cause ORDER BY cause",
    "storms": "SELECT source_mac, priority, level, count(*) FROM storm "
              "GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
    "findings": "SELECT rule, severity, title, round(confidence, 3) "
                "FROM finding ORDER BY rule, title",
}


def words_of(rows):
    """What is said, but for the names of taps."""
    return [tuple(re.sub(r" at (tap )?\S+$", "", x) if isinstance(x, str) else x
                  for x in row) for row in rows]


def differences(whole, halves, what=ASKED):
    for name, sql in ASKED.items():
        if name not in what:
            continue
        a = words_of(whole.execute(sql).fetchall())
        b = words_of(halves.execute(sql).fetchall())
        if a != b:
            yield (f"{name}: only of the whole: "
                   f"{[r for r in a if r not in b][:4]}; only of the halves: "
                   f"{[r for r in b if r not in a][:4]}")


def places(db):
    return db.execute("SELECT count(DISTINCT place), count(half_by), "
                      "group_concat(DISTINCT half_why_not) FROM tap "
                      "WHERE packets > 0").fetchone()


# ---- the tests ----

class Failed(Exception):
    pass


def check(truth, *what):
    if not truth:
        raise Failed(" ".join(map(str, what)))


def simulate(args, scenario, base):
    subprocess.run([args.simulate, scenario, "-w", base + ".pcapng", "--seed",
                    "1"], stdout=subprocess.DEVNULL, check=True)
    return base + ".pcapng"


def same(name, whole, halves, n, told):
    """All is said that is said of the whole."""
    check(places(halves) == (n, told, None), name, "places", places(halves))
    found = list(differences(whole, halves))
    check(not found, name, *found)


def interfaces(args, name, base, capture, whole):
    n, told, _ = places(whole)
    check(not told, name, "the whole is halves")
    part(capture, base + ".parted.pcapng")
    halves, said = analyze(args, base + ".parted", [base + ".parted.pcapng"])
    same(name + " interfaces", whole, halves, n, 2 * n)
    check(said.count("is the other (by addresses)") == n, name, said[:800])
    bundle(base + ".parted.pcapng", base + ".bundle.pcapng", 64)
    halves, _ = analyze(args, base + ".bundle", [base + ".bundle.pcapng"])
    same(name + " bundles", whole, halves, n, 2 * n)


def files(args, name, base, capture, whole):
    """Only where one tap is all there is."""
    tap, = whole.execute("SELECT name FROM tap").fetchone()
    names = [base + end for end in (".a.pcapng", ".b.pcapng")]
    part_files(capture, names)
    halves, said = analyze(args, base + ".files", names)
    check(places(halves) == (2, 0, "files"), name, "files", places(halves))
    check("two files may have two clocks" in said, name, said[:800])
    row = halves.execute("SELECT action FROM finding "
                         "WHERE rule = 'one-directional'").fetchone()
    check(row and "--tap NAME=FILE --tap NAME=FILE" in row[0], name, row)
    halves, _ = analyze(args, base + ".named",
                        [w for n in names for w in ("--tap", f"{tap}={n}")])
    same(name + " named", whole, halves, 1, 2)
    with open(base + ".ini", "w") as f:
        f.write("[tap up]\nlink = a->b\nrole = tap\n"
                "[tap down]\nlink = b->a\nrole = tap\n")
    halves, _ = analyze(args, base + ".wired",
                        ["--topology", base + ".ini", "--tap",
                         "up=" + names[0], "--tap", "down=" + names[1]])
    same(name + " wired", whole, halves, 1, 2)


def whole_and_halves(args, name, folder):
    base = os.path.join(folder, name)
    capture = simulate(args, os.path.join(args.scenarios, name + ".fab"), base)
    whole, _ = analyze(args, base, [capture])
    interfaces(args, name, base, capture, whole)
    if places(whole)[0] == 1:
        files(args, name, base, capture, whole)


def two_places(args, name, folder):
    """Taps at both ends stay two places, with both directions and with one."""
    base = os.path.join(folder, name + ".ends")
    capture = simulate(args, os.path.join(args.scenarios, name + ".fab"), base)
    whole, _ = analyze(args, base, [capture])
    n = places(whole)[0]
    check(n > 1 and places(whole) == (n, 0, None), name, places(whole))
    for ways in itertools.product((0, 1), repeat=n):
        one_way(capture, base + ".ways.pcapng", ways)
        db, said = analyze(args, base + ".ways", [base + ".ways.pcapng"])
        check(places(db)[:2] == (n, 0), name, ways, places(db))
        check("one place" not in said, name, ways, said[:800])


def out_of_order(args, name, folder):
    """The directions by turns, more of them than are put in order: places of
    their own, and told why."""
    base = os.path.join(folder, name + ".order")
    capture = simulate(args, os.path.join(args.scenarios, name + ".fab"), base)
    part(capture, base + ".parted.pcapng")
    bundle(base + ".parted.pcapng", base + ".bundle.pcapng", 4000)
    db, said = analyze(args, base, [base + ".bundle.pcapng"])
    check(places(db) == (2, 0, "order"), name, "out of order", places(db))
    check("not in order of time" in said, said[:800])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fabscope", required=True)
    parser.add_argument("--simulate", required=True)
    parser.add_argument("--scenarios", default=os.path.join(
        HERE, "..", "..", "captures", "scenarios"))
    parser.add_argument("--only", action="append")
    args = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for test, names in ((whole_and_halves, some(WHOLE)),
                            (two_places, ENDS),
                            (out_of_order, ["loss_before_tap"])):
            for name in names:
                if args.only and name not in args.only:
                    continue
                try:
                    test(args, name, folder)
                except (Failed, AssertionError) as why:
                    failed += 1
                    print("FAIL", why)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
