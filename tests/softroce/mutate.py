#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Shipped captures, cut short and with flipped octets, through `analyze`.

Every run must end by itself with a status of design.md 5 (0, 1 or 3), say one
line on stderr when it is 1, and leave nothing but its database behind.  A cut
file has a known answer: the whole records before the cut are the packets, and
a cut inside a record is damage (status 3).  Built with sanitizers this is a
memory test as well: their reports end in a status that is none of these.

    mutate.py FABSCOPE CAPTURES [--seconds N] [--seed N]

Time is shared equally: first cuts at every octet of the first records of each
file, then random cuts and flips until the time is over.
"""
import argparse
import glob
import os
import random
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time

RUN_SECONDS = 20   # one run, sanitizers included
PREFIX = 40000     # octets of a capture that are mutated
HEADER, RECORD = 24, 16


def records(data):
    """Offsets of the first octet of every record, and of the end."""
    at, offsets = HEADER, [HEADER]
    while at + RECORD <= len(data):
        at += RECORD + struct.unpack_from("<I", data, at + 8)[0]
        if at > len(data):
            break
        offsets.append(at)
    return offsets


class Trial:
    """Runs fabscope on made files in a folder of its own."""

    def __init__(self, program):
        self.program = program
        self.folder = tempfile.mkdtemp(prefix="mutate-")
        self.capture = os.path.join(self.folder, "m.pcap")
        self.database = os.path.join(self.folder, "m.db")
        self.runs = self.bad = 0

    def run(self, data):
        """(status, stderr) of analysing |data|; None when it hangs."""
        self.runs += 1
        if os.path.exists(self.database):
            os.remove(self.database)
        with open(self.capture, "wb") as file:
            file.write(data)
        try:
            done = subprocess.run(
                [self.program, "analyze", "-o", self.database, self.capture],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                timeout=RUN_SECONDS, cwd=self.folder)
        except subprocess.TimeoutExpired:
            return None, b""
        return done.returncode, done.stderr

    def packets(self):
        connection = sqlite3.connect(self.database)
        try:
            return connection.execute(
                "SELECT ifnull(sum(packets), 0) FROM capture").fetchone()[0]
        finally:
            connection.close()

    def complain(self, name, what, stderr, data):
        """Keeps the file that shows the fault and says where it is."""
        self.bad += 1
        kept = os.path.join(tempfile.gettempdir(),
                            "mutate-bad-%d.pcap" % self.bad)
        with open(kept, "wb") as file:
            file.write(data)
        print("FAIL %s: %s (kept as %s)" % (name, what, kept))
        if stderr:
            print("     " + stderr.decode(errors="replace")[-600:])

    def judge(self, name, data, statuses, packets=None):
        status, stderr = self.run(data)
        if status is None:
            self.complain(name, "hangs", b"", data)
            return
        if status not in statuses:
            self.complain(name, "status %d, not one of %s" % (
                status, sorted(statuses)), stderr, data)
            return
        left = set(os.listdir(self.folder)) - {"m.pcap", "m.db"}
        if left:
            self.complain(name, "leaves %s" % sorted(left), b"", data)
        if status == 1 and os.path.exists(self.database):
            self.complain(name, "status 1 and a database", stderr, data)
        if status == 1 and stderr.count(b"\n") != 1:
            self.complain(name, "status 1 without one line", stderr, data)
        if packets is not None and status != 1 and \
                self.packets() != packets:
            self.complain(name, "%d packets, not %d" % (
                self.packets(), packets), stderr, data)

    def cut(self, name, data, offsets, at):
        """A file that ends after |at| octets."""
        name = "%s cut at %d" % (name, at)
        if at < HEADER:
            self.judge(name, data[:at], {1})
            return
        whole = sum(o <= at for o in offsets) - 1
        clean = at in offsets
        self.judge(name, data[:at], {0} if clean else {3, 1} if whole == 0
                   else {3}, whole)

    def flip(self, name, data, dice):
        """One to eight octets changed, headers of records preferred."""
        mutant = bytearray(data)
        offsets = records(data)
        for _ in range(dice.randint(1, 8)):
            if dice.random() < 0.5:
                at = dice.choice(offsets) + dice.randrange(RECORD + 80)
            else:
                at = dice.randrange(len(mutant))
            if at < len(mutant):
                mutant[at] = dice.choice((
                    0, 1, 0x7F, 0x80, 0xFF, mutant[at] ^ 1 << dice.randrange(8),
                    dice.randrange(256)))
        self.judge(name + " flipped", bytes(mutant), {0, 1, 3})


def mutate(trial, path, seconds, dice):
    name = os.path.basename(path)
    with open(path, "rb") as file:
        data = file.read(PREFIX)
    offsets = records(data)
    data = data[:offsets[-1]]
    deadline = time.monotonic() + seconds
    first = list(range(0, min(offsets[2], len(data)) + 1, 7)) + \
        [o + d for o in offsets[:4] for d in (-1, 0, 1, 15, 16, 17)]
    for at in first:
        if time.monotonic() < deadline / 2 + (deadline - seconds) / 2:
            trial.cut(name, data, offsets, min(at, len(data)))
    while time.monotonic() < deadline:
        if dice.random() < 0.3:
            trial.cut(name, data, offsets, dice.randrange(len(data)))
        else:
            trial.flip(name, data, dice)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("fabscope")
    parser.add_argument("captures")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    files = sorted(glob.glob(os.path.join(given.captures, "*.pcap")))
    if not files:
        return 77
    trial = Trial(given.fabscope)
    dice = random.Random(given.seed)
    for path in files:
        mutate(trial, path, given.seconds / len(files), dice)
    shutil.rmtree(trial.folder)
    print("%d runs, %d failed" % (trial.runs, trial.bad))
    return 1 if trial.bad else 0


if __name__ == "__main__":
    sys.exit(main())
