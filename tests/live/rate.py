#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""At which rate does live begin to drop, what does a packet cost it, and tcpdump
and a capture that does nothing beside it on the same interface?
rate.py PROGRAM GUSH [--seconds N] [--pairs N] [--share PERCENT]
[--rates N,... | --find] [--live "OPTION..."] [NAME...]

Names: none, bare, bare0 (whole packets), bare2 (two threads), xdp, xdp-pass,
tcpdump, live.  Processor time is in ns a packet: of the sender with the
kernel's receiving, of what captures, of the analysis, of refreshes.

The sender has the first processor, what captures has the second one for all its
processes: with more of them each drops later.  --share gives it only that part
of the processor, so that a sender that is not fast enough for a whole one is.
--find looks for the highest rate without a drop, to within a tenth.  Not a
test: what comes out is the machine's, and what else it does."""
import argparse
import os
import pathlib
import re
import resource
import subprocess
import sys
import time

from lab import Lab

SENDER, CAPTURER = "0", "1"
SETTLED = 1.2  # s, until all is read
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


def time_of(pid):
    """Of a process, its threads, ns."""
    return sum(int((task / "schedstat").read_text().split()[0])
               for task in pathlib.Path(f"/proc/{pid}/task").iterdir())


def time_of_ended(pid):
    """Of its children that have ended, ns."""
    words = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1]
    ticks = sum(map(int, words.split()[13:15]))
    return ticks * 10**9 // os.sysconf("SC_CLK_TCK")


def gush(lab, o, rate):
    """How many packets came, in which time, and what it cost."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = subprocess.run(
        lab.inside("taskset", "--cpu-list", SENDER, o.gush, "a0", "a1",
                   "--seconds", o.seconds, "--pairs", o.pairs, "--rate", rate),
        check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    n, seconds = re.match(r"(\d+) packets in ([\d.]+) s", said).groups()
    spent = (after.ru_utime + after.ru_stime - before.ru_utime -
             before.ru_stime)
    time.sleep(SETTLED)
    return int(n), float(seconds), spent * 1e9


def with_nothing(lab, o, share, rate):
    return *gush(lab, o, rate), 0, []


def with_live(lab, o, share, rate):
    with share:
        lab.start(*o.live.split(), interface="a1", snaplen=256, refresh="1s")
    clocks = [lambda: time_of(lab.children()[0]),
              lambda: time_of(lab.live.pid),
              lambda: time_of_ended(lab.live.pid)]
    before = [clock() for clock in clocks]
    came, seconds, sent = gush(lab, o, rate)
    after = [clock() for clock in clocks]
    assert lab.stop() == 0
    row = lab.rows("SELECT received, dropped_kernel + dropped_interface"
                   " + dropped_own FROM live_status ORDER BY id DESC")[0]
    return came, seconds, sent, row[1], \
        [b - a for a, b in zip(before, after)]


def by(*words):
    """A capture that says on stderr when it listens, and at the end what was
    dropped."""
    def measure(lab, o, share, rate):
        command = [w.format(bare=o.gush.parent / "bare") for w in words]
        with share:
            capture = subprocess.Popen(lab.inside(*command), text=True,
                                       stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE)
        while "listening" not in capture.stderr.readline():
            pass
        before = time_of(capture.pid)
        came, seconds, sent = gush(lab, o, rate)
        after = time_of(capture.pid)
        capture.terminate()
        said = " ".join(capture.communicate())
        dropped = re.search(r"(\d+) packets dropped by kernel", said)
        return came, seconds, sent, int(dropped.group(1)), [after - before]
    return measure


CAPTURES = {
    "none": with_nothing,
    "bare": by("{bare}", "a1"),
    "bare0": by("{bare}", "a1", "--snaplen", "262144"),
    "bare2": by("{bare}", "a1", "--threads", "2"),
    "xdp": by("{bare}", "a1", "--xdp", "drop"),
    "xdp-pass": by("{bare}", "a1", "--xdp", "pass"),
    "tcpdump": by("tcpdump", "-i", "a1", "-s", "256", "-B", "65536", "-Z",
                  "root", "-w", "/dev/null"),
    "live": with_live,
}


def run(o, share, name, measure, rate):
    """Packets a second that came, and how many were dropped."""
    with Lab(o.program) as lab:
        # nothing is to be mirrored here
        subprocess.run(["tc", "-n", lab.ns, "qdisc", "del", "dev", "a1",
                        "clsact"], check=True)
        came, seconds, sent, dropped, spent = measure(lab, o, share, rate)
    print(f"{rate or 'most':>8}  {name:8} {came / seconds:13,.0f}"
          f" {dropped:11,} {dropped / came:7.2%}",
          *(f"{ns / came:7.0f}" for ns in [sent, *spent]), flush=True)
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
    p.add_argument("gush", type=pathlib.Path)
    p.add_argument("names", nargs="*", default=["live", "tcpdump"])
    p.add_argument("--live", default="", help="options of live")
    p.add_argument("--seconds", type=int, default=10)
    p.add_argument("--pairs", type=int, default=64)
    p.add_argument("--share", type=int, default=100)
    p.add_argument("--find", action="store_true")
    p.add_argument("--rates", default="500000,1000000,1500000,2000000,0")
    o = p.parse_args()
    share = Share(o.share)
    print("wanted/s  who          packets/s     dropped   share"
          "    sent capture analyze refresh")
    try:
        for name in o.names:
            measure = CAPTURES[name]
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
