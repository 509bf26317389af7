#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The table of docs/performance.md: makes the captures, times them, prints it.

    table.py BUILD [--packets N] [--turns N] [--core C] [--only REGEX]

BUILD is a release build with tests (targets fabscope, stages, walk).  Processor
time, user and system, on one core, files read before.  Each turn runs every
program once; ratios are those of one turn, and the median of the turns is
printed, as the speed of a machine changes.  tshark gets the first packets only
(--small), and its time a packet is compared."""
import argparse
import os
import re
import statistics
import subprocess
import tempfile

TRAFFIC = [
    ("64 pairs, messages of 64 packets", "--message 64"),
    ("64 pairs, messages of all lengths", ""),
    ("... 0.05 % marked, 20 ppm lost", "--mark 0.0005 --loss 0.00002"),
    ("... 5 % marked", "--mark 0.05"),
    ("... 0.2 % lost", "--loss 0.002"),
    ("... 0.1 % reordered", "--reorder 0.001"),
    ("... PFC pauses, 1 in 10,000", "--pause 0.0001"),
    ("... at 8 capture points", "--pcapng --taps 8"),
    ("4,096 pairs", "--pairs 4096"),
    ("... 0.05 % marked, 20 ppm lost",
     "--pairs 4096 --mark 0.0005 --loss 0.00002"),
    ("... 0.2 % lost", "--pairs 4096 --loss 0.002"),
    ("65,536 pairs", "--pairs 65536"),
    ("... 0.05 % marked, 20 ppm lost",
     "--pairs 65536 --mark 0.0005 --loss 0.00002"),
    ("... 5 % marked", "--pairs 65536 --mark 0.05"),
    ("... 0.2 % lost", "--pairs 65536 --loss 0.002"),
    ("1,048,576 pairs", "--pairs 1048576"),
    ("64 PDCs of Ultra Ethernet", "--uet"),
    ("... 5 % marked", "--uet --mark 0.05"),
    ("... 0.2 % lost", "--uet --loss 0.002"),
    ("65,536 PDCs of Ultra Ethernet", "--uet --pairs 65536"),
]


def run(*words):
    """Processor seconds, MiB at most, output."""
    child = subprocess.Popen(words, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True)
    out = child.stdout.read()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, words)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, out


class Bench:
    def __init__(self, options, folder):
        self.o = options
        self.bench = os.path.join(options.build, "tests", "bench")
        self.fabscope = os.path.join(options.build, "fabscope")
        self.capture, self.small, self.db = (
            os.path.join(folder, n) for n in ("x.pcap", "small.pcap", "x.db"))

    def make(self, words):
        for path, packets in ((self.capture, self.o.packets),
                              (self.small, self.o.small)):
            if os.path.exists(path):
                os.unlink(path)
            run(self.fabscope, "simulate", "--bench", str(packets), "-w", path,
                *words)

    def analyze(self):
        if os.path.exists(self.db):
            os.unlink(self.db)
        return run(self.fabscope, "analyze", self.capture, "-o", self.db)

    def followed(self):
        """Reading, decoding and following alone, in seconds."""
        _, _, out = run(os.path.join(self.bench, "stages"), self.capture, "1")
        ns = float(re.search(r"\+ flow\s+([\d.]+)", out).group(1))
        return ns * self.o.packets / 1e9

    def turn(self, bare):
        own, mib, _ = self.analyze()
        each = own / self.o.packets
        tshark = run("tshark", "-q", "-z", "conv,udp", "-r", self.small)[0]
        row = {
            "ns": each * 1e9,
            "tcpdump": own / run("tcpdump", "--count", "-r", self.capture,
                                 "icmp")[0],
            "capinfos": own / run("capinfos", "-c", "-d", "-u",
                                  self.capture)[0],
            "tshark": each / (tshark / self.o.small),
            "database": 1 - self.followed() / own,
            "MiB": mib,
        }
        if bare:
            row["walk"] = own / run(os.path.join(self.bench, "walk"),
                                    self.capture)[0]
        return row


COLUMNS = [("ns", "ns a packet", "{:.0f}"),
           ("tcpdump", "to tcpdump", "{:.2f}"),
           ("capinfos", "to capinfos", "{:.2f}"),
           ("tshark", "to tshark", "{:.3f}"),
           ("walk", "to a bare walk", "{:.1f}"),
           ("database", "database and findings", "{:.0%}"),
           ("MiB", "peak MiB", "{:.0f}")]


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("build")
    p.add_argument("--packets", type=int, default=5000000)
    p.add_argument("--small", type=int, default=100000)
    p.add_argument("--turns", type=int, default=3)
    p.add_argument("--core", type=int, default=0)
    p.add_argument("--only", default="", help="traffic whose name or options "
                   "match")
    o = p.parse_args()
    os.sched_setaffinity(0, {o.core})
    print("| Traffic |", " | ".join(title for _, title, _ in COLUMNS), "|")
    print("|---" * (len(COLUMNS) + 1) + "|")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(o, folder)
        for name, words in TRAFFIC:
            if not re.search(o.only, f"{name} {words}"):
                continue
            bench.make(words.split())
            bench.analyze()  # warm
            turns = [bench.turn("--pcapng" not in words)
                     for _ in range(o.turns)]
            cells = [form.format(statistics.median(t[key] for t in turns))
                     if key in turns[0] else "" for key, _, form in COLUMNS]
            print("|", name, "|", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
