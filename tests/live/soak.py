#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""fabscope live for an hour or more, best under the sanitizers:

    soak.py PROGRAM CAPTURES SECONDS SEED [CLOCK]

Shipped captures are replayed, as they are and with bytes changed, while the
wall clock is set forward and back (CLOCK: clock.c as a shared object; it takes
a program that has its sanitizers linked in, as clang does it), the interface
goes down, files rotate, metrics and queries are asked for, and live is ended,
by SIGTERM or kill -9, and started again.  Fails if a process says anything of
a sanitizer, ends by itself, or leaves a database that is corrupted or has a
log beside it.  Memory of the processes is printed each minute."""
import gzip
import os
import pathlib
import random
import re
import signal
import sqlite3
import struct
import subprocess
import sys
import time

from lab import Lab
from send import packets

RUN_S = 300      # from one start of live to the next
PORT = 9478
BAD = re.compile(r"Sanitizer|runtime error|Assertion|Segmentation")
JUMPS = (-86400, -3600, -60, -1, 0, 1, 60, 3600, 86400, 30 * 86400)


class Soak:
    def __init__(self, lab, captures, seed):
        self.lab = lab
        self.random = random.Random(seed)
        self.captures = sorted(p for p in captures.rglob("*.pcap*"))
        self.sent = self.replays = self.starts = self.asked = 0
        self.jumps = self.downs = self.kills = 0
        self.ahead = lab.path / "ahead"

    def changed(self, frame):
        """One in eight frames has a few bytes that nobody sent."""
        if self.random.randrange(8):
            return frame
        octets = bytearray(frame)
        for _ in range(self.random.randrange(1, 5)):
            octets[self.random.randrange(len(octets))] = \
                self.random.randrange(256)
        return bytes(octets[:self.random.randrange(1, len(octets) + 1)]) \
            if not self.random.randrange(8) else bytes(octets)

    def replay(self):
        path = self.random.choice(self.captures)
        plain, out = self.lab.path / "plain.pcap", self.lab.path / "out.pcap"
        octets = path.read_bytes()
        plain.write_bytes(gzip.decompress(octets) if path.suffix == ".gz"
                          else octets)
        hostile = self.random.randrange(2)
        with out.open("wb") as f:
            f.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, 1))
            for ns, frame in packets(plain):
                if hostile:
                    frame = self.changed(frame)
                if 14 <= len(frame) <= 9000:
                    f.write(struct.pack("<IIII", ns // 10**9, ns % 10**9,
                                        len(frame), len(frame)) + frame)
                    self.sent += 1
        self.lab.send(out, "--flat-out")
        self.replays += 1

    def jump(self):
        new = self.lab.path / "ahead.new"
        new.touch()
        ahead = self.random.choice(JUMPS)
        os.utime(new, (ahead, ahead))
        new.rename(self.ahead)
        self.jumps += 1

    def down(self):
        self.lab.ip("link", "set", "m1", "down")
        time.sleep(self.random.random() * 3)
        self.lab.ip("link", "set", "m1", "up")
        self.downs += 1

    def ask(self):
        name = self.random.choice(("findings", "live", "live-findings",
                                   "recordings", "live-log"))
        done = subprocess.run(
            [self.lab.program, "query", self.lab.database, name],
            capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1), done.stderr
        assert not BAD.search(done.stderr), done.stderr
        self.asked += 1

    def metrics(self):
        subprocess.run(self.lab.inside(
            "curl", "-s", "-o", "/dev/null", "-m", "60",
            f"http://127.0.0.1:{PORT}/metrics"), check=False)

    def rotate(self):
        self.lab.live.send_signal(signal.SIGHUP)

    def start(self):
        self.ahead.unlink(missing_ok=True)  # lab's clock says when it is up
        self.lab.start("-w", f"{self.lab.path}/ring-", "--ring-size", 8,
                       "--ring-files", 4, "--record", "3s", "--recordings", 4,
                       "--keep", "2min", "--history", "10min", "--rows", 5000,
                       "--max-flows", 2000, "--idle", "30s", "--metrics",
                       f"127.0.0.1:{PORT}", "--findings-log",
                       self.lab.path / "findings.jsonl", refresh="500ms")
        self.starts += 1

    def end(self):
        """By a signal, or without one."""
        kill = self.random.randrange(3) == 0
        children = self.lab.children()
        code = self.lab.stop(signal.SIGKILL if kill else signal.SIGTERM)
        self.lab.until_gone(children)
        said = self.lab.log.read_text()
        assert code == (-9 if kill else 0), (code, said)
        assert not BAD.search(said), said
        self.kills += kill
        if not kill:
            left = list(self.lab.path.glob("live.db-*"))
            assert not left, left
        db = sqlite3.connect(self.lab.database)
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        db.close()

    def memory(self):
        """Those that are there for long, and a refresh if there is one."""
        pids = [self.lab.live.pid, *self.lab.children()]
        states = (pathlib.Path(f"/proc/{pid}/status") for pid in pids)
        found = (re.search(r"VmRSS:\s+(\d+)", p.read_text())
                 for p in states if p.exists())
        return [int(kib[1]) // 1024 for kib in found if kib]

    def run(self, seconds):
        things = (self.replay,) * 20 + (self.jump, self.ask, self.metrics,
                                        self.rotate, self.down)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.start()
            until = min(time.monotonic() + RUN_S, end)
            spoke = time.monotonic()
            while time.monotonic() < until:
                self.random.choice(things)()
                assert self.lab.live.poll() is None, self.lab.log.read_text()
                if time.monotonic() - spoke > 60:
                    spoke = time.monotonic()
                    print("MiB", *self.memory(), self, flush=True)
            self.end()
        print("done:", self, flush=True)

    def __str__(self):
        return (f"{self.sent} packets, {self.replays} replays, {self.starts} "
                f"starts, {self.kills} kills, {self.jumps} jumps of the "
                f"clock, {self.downs} times down, {self.asked} queries")


def main():
    program, captures, seconds, seed = sys.argv[1:5]
    with Lab(program) as lab:
        lab.ip("link", "set", "lo", "up")
        soak = Soak(lab, pathlib.Path(captures), int(seed))
        if sys.argv[5:]:
            lab.environment = dict(os.environ, LD_PRELOAD=sys.argv[5],
                                   FABSCOPE_CLOCK=str(soak.ahead))
        soak.run(float(seconds))


if __name__ == "__main__":
    main()
