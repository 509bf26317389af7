#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""At which rate does live begin to drop, and tcpdump beside it on the same
interface?  rate.py PROGRAM GUSH [--seconds N] [--pairs N] [--share PERCENT]
[--rates N,... | --find]

The sender has the first processor, what captures has the second one for all its
processes: with more of them each drops later.  --share gives it only that part
of the processor, so that a sender that is not fast enough for a whole one is.
--find looks for the highest rate without a drop, to within a tenth.  Not a
test: what comes out is the machine's, and what else it does."""
import argparse
import os
import pathlib
import re
import subprocess
import sys

from lab import Lab

SENDER, CAPTURER = "0", "1"
PERIOD = 100000  # us, over which a share is a share


class Share:
    """A control group that gives |percent| of a processor."""
    def __init__(self, percent):
        first = pathlib.Path("/sys/fs/cgroup/cpu")
        root = first if first.is_dir() else pathlib.Path("/sys/fs/cgroup")
        self.path = root / f"fabscope{os.getpid()}"
        self.path.mkdir()
        quota = PERIOD * percent // 100
        if first.is_dir():
            (self.path / "cpu.cfs_period_us").write_text(str(PERIOD))
            (self.path / "cpu.cfs_quota_us").write_text(str(quota))
        else:
            (self.path / "cpu.max").write_text(f"{quota} {PERIOD}")

    def __enter__(self):
        """For its children, until they have theirs."""
        (self.path / "cgroup.procs").write_text(str(os.getpid()))
        os.sched_setaffinity(0, {int(CAPTURER)})

    def __exit__(self, *_):
        os.sched_setaffinity(0, range(os.cpu_count()))
        (self.path.parent / "cgroup.procs").write_text(str(os.getpid()))

    def remove(self):
        self.path.rmdir()


def gush(lab, o, rate):
    """How many packets came, and in which time."""
    said = subprocess.run(
        lab.inside("taskset", "--cpu-list", SENDER, o.gush, "a0", "a1",
                   "--seconds", o.seconds, "--pairs", o.pairs, "--rate", rate),
        check=True, capture_output=True, text=True).stdout
    n, seconds = re.match(r"(\d+) packets in ([\d.]+) s", said).groups()
    return int(n), float(seconds)


def with_live(lab, o, share, rate):
    with share:
        lab.start(interface="a1", snaplen=256, refresh="1s")
    came, seconds = gush(lab, o, rate)
    assert lab.stop() == 0
    row = lab.rows("SELECT received, dropped_kernel + dropped_interface"
                   " + dropped_own FROM live_status ORDER BY id DESC")[0]
    return came, seconds, row[1]


def with_tcpdump(lab, o, share, rate):
    with share:
        capture = subprocess.Popen(
            lab.inside("tcpdump", "-i", "a1", "-s", "256", "-B", "65536", "-Z",
                       "root", "-w", "/dev/null"),
            stderr=subprocess.PIPE, text=True)
    while "listening" not in capture.stderr.readline():
        pass
    came, seconds = gush(lab, o, rate)
    capture.terminate()
    said = capture.communicate()[1]
    return came, seconds, int(re.search(r"(\d+) packets dropped by kernel",
                                        said).group(1))


def run(o, share, name, measure, rate):
    """Packets a second that came, and how many were dropped."""
    with Lab(o.program) as lab:
        # nothing is to be mirrored here
        subprocess.run(["tc", "-n", lab.ns, "qdisc", "del", "dev", "a1",
                        "clsact"], check=True)
        came, seconds, dropped = measure(lab, o, share, rate)
    print(f"{rate or 'most':>8}  {name:8} {came / seconds:13,.0f}"
          f" {dropped:11,} {dropped / came:7.2%}", flush=True)
    return came / seconds, dropped


def find(o, share, name, measure):
    low, high = 0, 0
    rate = 400000
    while not high or high > 1.1 * low:
        came, dropped = run(o, share, name, measure, rate)
        if dropped:
            high = min(came, rate)
        else:
            low = max(low, came)
            if came < 0.9 * rate:
                break  # the sender is the limit
        rate = int((low + high) / 2) if high else 2 * rate
    print(f"{name}: no drop up to {low:,.0f}/s" +
          (f", drops from {high:,.0f}/s" if high else ", as much as came"),
          flush=True)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("program")
    p.add_argument("gush")
    p.add_argument("--seconds", type=int, default=10)
    p.add_argument("--pairs", type=int, default=64)
    p.add_argument("--share", type=int, default=100)
    p.add_argument("--find", action="store_true")
    p.add_argument("--rates", default="500000,1000000,1500000,2000000,0")
    o = p.parse_args()
    share = Share(o.share)
    print("wanted/s  who          packets/s     dropped   share")
    try:
        for name, measure in (("live", with_live), ("tcpdump", with_tcpdump)):
            if o.find:
                find(o, share, name, measure)
                continue
            for rate in map(int, o.rates.split(",")):
                run(o, share, name, measure, rate)
    finally:
        share.remove()
    return 0


if __name__ == "__main__":
    sys.exit(main())
