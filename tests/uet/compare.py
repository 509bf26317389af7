#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds `fabscope decode --json` against the second decoder, field by field.

usage: compare.py FABSCOPE [--seed N] [--count N] [CAPTURE|SCENARIO.fab...]

Without a capture, over packets made up here (see packets.py).  Captures are
pcap or pcapng of Ethernet frames; what is not UET must not be called so.  A
scenario is simulated first; of a capture --count frames are looked at."""
import argparse
import gzip
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

import packets
import reference

WRONG_SHOWN = 20


def write_pcap(path, frames):
    with open(path, "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for i, (data, wire) in enumerate(frames):
            out.write(struct.pack("<IIII", 1000, i % 1000000, len(data), wire))
            out.write(data)


def read_pcap(data):
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") \
        else ">"
    at = 24
    while at + 16 <= len(data):
        cap, wire = struct.unpack_from(order + "II", data, at + 8)
        yield data[at + 16:at + 16 + cap], wire
        at += 16 + cap


def read_pcapng(data):
    at, order = 0, "<"
    while at + 12 <= len(data):
        if data[at:at + 4] == b"\x0a\x0d\x0d\x0a":
            order = "<" if data[at + 8:at + 12] == b"\x4d\x3c\x2b\x1a" else ">"
        kind, size = struct.unpack_from(order + "II", data, at)
        if kind == 6:
            cap, wire = struct.unpack_from(order + "II", data, at + 20)
            yield data[at + 28:at + 28 + cap], wire
        at += size


def read_frames(path):
    data = pathlib.Path(path).read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    if data[:4] == b"\x0a\x0d\x0d\x0a":
        return list(read_pcapng(data))
    return list(read_pcap(data))


def plain(value):
    """A JSON value as the number it stands for."""
    if isinstance(value, bool):
        return int(value)
    if not isinstance(value, str):
        return value
    if value.endswith(" zeros"):
        return 0
    try:
        return int(value.split()[0], 16)
    except ValueError:
        return value


def same_parts(ours, theirs):
    """Headers with a description; offsets, lengths, every field."""
    known = {part[0] for part in theirs} | {
        layout.split()[0] for layout in reference.LAYOUT} | {"ses_medium",
                                                             "ses_std"}
    named = [p for p in ours if p["name"] in known and p["name"] != "entropy"]
    if [(p["name"], p["offset"], p["length"]) for p in named] != \
            [part[:3] for part in theirs]:
        yield "parts", [(p["name"], p["offset"], p["length"]) for p in named], \
            [part[:3] for part in theirs]
        return
    for p, (header, _, _, fields) in zip(named, theirs):
        mine = {k: plain(v) for k, v in p["fields"].items()}
        if mine != fields:
            different = {k for k in mine.keys() | fields.keys()
                         if mine.get(k) != fields.get(k)}
            yield header, {k: mine.get(k) for k in different}, \
                {k: fields.get(k) for k in different}


def differences(ours, theirs):
    """(what, ours, theirs)"""
    if theirs is None:
        if ours["kind"] in ("uet", "not-uet"):
            yield "kind", ours["kind"], None
        return
    for key in ("kind", "status"):
        if ours[key] != theirs[key]:
            yield key, ours[key], theirs[key]
            return
    if theirs["kind"] != "uet":
        return
    said = dict(ours["uet"])
    flags, crc = set(said.pop("flags")), said.pop("crc")
    if flags != theirs["flags"]:
        yield "flags", flags - theirs["flags"], theirs["flags"] - flags
    if crc != theirs["crc"]:
        yield "crc", crc, theirs["crc"]
    for key in said.keys() | theirs["values"].keys():
        value = said.get(key)
        expected = theirs["values"].get(key)
        if key == "sack" and value is not None:
            value = int(value, 16)
        if value != expected:
            yield key, value, expected
    if theirs["status"] == "ok":
        yield from same_parts(ours["parts"], theirs["parts"])


def compare(fabscope, path, frames):
    out = subprocess.run([fabscope, "decode", "--json", path], check=False,
                         stdout=subprocess.PIPE).stdout
    lines = out.splitlines()
    if len(lines) != len(frames):
        sys.exit(f"{path}: {len(lines)} lines for {len(frames)} frames")
    wrong = uet = 0
    seen = {}
    for line, (data, _) in zip(lines, frames):
        ours, theirs = json.loads(line), reference.decode(data)
        if theirs:
            key = theirs["kind"], theirs["status"]
            seen[key] = seen.get(key, 0) + 1
        uet += ours["kind"] == "uet"
        found = list(differences(ours, theirs))
        wrong += bool(found)
        if found and wrong <= WRONG_SHOWN:
            print(f"{path}: frame {ours['frame']}: {data.hex()}")
            for what, mine, expected in found:
                print(f"    {what}: fabscope {mine}, reference {expected}")
    print(f"{path}: {len(frames)} frames, {uet} UET, {wrong} differ;",
          ", ".join(f"{k[0]} {k[1]} {n}" for k, n in sorted(seen.items())))
    return wrong, seen


def simulated(fabscope, scenario, folder):
    path = f"{folder}/{pathlib.Path(scenario).stem}.pcapng"
    subprocess.run([fabscope, "simulate", scenario, "-w", path], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return path


def first(path, count, folder):
    """A capture of its first |count| frames, and those."""
    frames = read_frames(path)[:count]
    short = f"{folder}/{pathlib.Path(path).name}.pcap"
    write_pcap(short, frames)
    return short, frames


def main():
    args = argparse.ArgumentParser()
    args.add_argument("fabscope")
    args.add_argument("--seed", type=int, default=1)
    args.add_argument("--count", type=int, default=1500)
    args.add_argument("captures", nargs="*")
    a = args.parse_intermixed_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in a.captures:
            if path.endswith(".fab"):
                path = simulated(a.fabscope, path, folder)
            wrong += compare(a.fabscope, *first(path, a.count, folder))[0]
    if not a.captures:
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/made-up.pcap"
            frames = list(packets.frames(a.seed, a.count))
            write_pcap(path, frames)
            wrong, seen = compare(a.fabscope, path, frames)
        # A test that met nothing has shown nothing.
        for key in (("uet", "ok"), ("uet", "truncated"), ("uet", "malformed"),
                    ("not-uet", "foreign")):
            if seen.get(key, 0) < a.count // 50:
                sys.exit(f"hardly any frame is {key}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
