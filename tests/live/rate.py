#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""At which rate does live begin to drop, and tcpdump beside it on the same
interface?  rate.py PROGRAM GUSH [--seconds N] [--pairs N]
[--rates N,...]

The sender has the first processor, what captures has the second one for all its
processes: with more of them each drops later.  Not a test: what comes out is
the machine's, and what else it does."""
import argparse
import os
import re
import subprocess
import sys

from lab import Lab

SENDER, CAPTURER = "0", "1"


def pinned(cpu, *words):
    return ["taskset", "--cpu-list", cpu, *map(str, words)]


def gush(lab, o, rate):
    """How many packets came, and in which time."""
    said = subprocess.run(
        lab.inside(*pinned(SENDER, o.gush, "a0", "a1", "--seconds", o.seconds,
                           "--pairs", o.pairs, "--rate", rate)),
        check=True, capture_output=True, text=True).stdout
    n, seconds = re.match(r"(\d+) packets in ([\d.]+) s", said).groups()
    return int(n), float(seconds)


def with_live(lab, o, rate):
    os.sched_setaffinity(0, {int(CAPTURER)})  # for its children
    lab.start(interface="a1", snaplen=256, refresh="1s")
    os.sched_setaffinity(0, range(os.cpu_count()))
    came, seconds = gush(lab, o, rate)
    assert lab.stop() == 0
    row = lab.rows("SELECT received, dropped_kernel + dropped_interface"
                   " + dropped_own FROM live_status ORDER BY id DESC")[0]
    return came, seconds, row[1]


def with_tcpdump(lab, o, rate):
    capture = subprocess.Popen(
        lab.inside(*pinned(CAPTURER, "tcpdump", "-i", "a1", "-s", "256", "-B",
                           "65536", "-Z", "root", "-w", "/dev/null")),
        stderr=subprocess.PIPE, text=True)
    while "listening" not in capture.stderr.readline():
        pass
    came, seconds = gush(lab, o, rate)
    capture.terminate()
    said = capture.communicate()[1]
    return came, seconds, int(re.search(r"(\d+) packets dropped by kernel",
                                        said).group(1))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("program")
    p.add_argument("gush")
    p.add_argument("--seconds", type=int, default=10)
    p.add_argument("--pairs", type=int, default=64)
    p.add_argument("--rates", default="500000,1000000,1500000,2000000,0")
    o = p.parse_args()
    print("wanted/s  who          packets/s     dropped   share")
    for rate in map(int, o.rates.split(",")):
        for name, measure in (("live", with_live), ("tcpdump", with_tcpdump)):
            with Lab(o.program) as lab:
                # nothing is to be mirrored here
                subprocess.run(["tc", "-n", lab.ns, "qdisc", "del", "dev",
                                "a1", "clsact"], check=True)
                came, seconds, dropped = measure(lab, o, rate)
            print(f"{rate or 'most':>8}  {name:8} {came / seconds:13,.0f}"
                  f" {dropped:11,} {dropped / came:7.2%}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
