#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What twins say of problems whose cost can be computed by hand.

    twins.py --simulate PROGRAM

A ring of two ranks that send each other 512 KiB in each of ten iterations,
half of them once the other half has come: what a problem
costs is then a sum of times: of computing longer, of a slower link, of timers."""
import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile

BYTES, ROUNDS, MTU = 512 << 10, 10, 4096
FRAME = MTU + 58 + 24          # Ethernet to BTH, ICRC; FCS, preamble and gap
JOB = (f"collective job pattern=ring ranks=h1,h2 size={BYTES} "
       f"iterations={ROUNDS} compute=100us timeout=1ms window=1024 ecn=no")
PIPE = (f"collective job pattern=pipeline ranks=h1,h2 size={BYTES} micro=1 "
        f"iterations={ROUNDS} compute=100us stage=30us window=1024 ecn=no")


def fabric(uplink="100G"):
    return f"""run for=1s done=yes twins=yes
leafspine leaves=2 spines=1 hosts=2 speed=100G uplink={uplink} delay=500ns
"""


TAPS = """tap t1 h1->leaf1 both=yes snaplen=96
tap t2 h2->leaf1 both=yes snaplen=96
tap t3 h3->leaf2 both=yes snaplen=96
"""


def both(name, words, job=JOB):
    return f"with {name} {job} {words}\nwithout {name} {job}\n"


def carry(bps):
    """ns that the data of an iteration takes at |bps|."""
    return BYTES / MTU * FRAME * 8 / bps * 1e9


def share(answer, what):
    return sum(s["ns"] for s in answer["shares"] if s["class"] == what)


def near(what, got, expected, within=0.02):
    assert abs(got - expected) <= within * expected, \
        f"{what}: {got:.0f} is not {expected:.0f}"


def clean(a):
    assert a["verdicts"] == ["nothing-wrong"], a["verdicts"]
    assert a["excess_ns"] <= 0.001 * a["total_ns"], a["excess_ns"]
    # The first compute is before the first packet.
    near("compute", share(a, "compute"), (ROUNDS - 1) * 100e3, 0.03)
    near("wire", share(a, "wire"), ROUNDS * carry(100e9), 0.15)


def late(a):
    assert a["verdicts"] == ["host"] and a["cause"] == "host-late"
    near("late", share(a, "host-late"), (ROUNDS - 1) * 70e3)
    assert a["roots"] == [{"host": "h2"}] and a["decidable"]


def thin(a):
    assert a["verdicts"] == ["network"] and a["cause"] == "queueing"
    near("thin", share(a, "queueing"),
         ROUNDS * (carry(25e9) - carry(100e9)), 0.03)
    assert {"link": ["leaf1", "spine1"]} in a["roots"] or \
        {"link": ["leaf2", "spine1"]} in a["roots"], a["roots"]


def shared(a):
    """The uplink carries two jobs that both have something to send all the
    time: each gets half of it."""
    if a["work"] == "job":
        near("shared", a["total_ns"] - share(a, "compute"),
             ROUNDS * 2 * carry(100e9), 0.2)
        assert a["verdicts"] == ["network"]
        assert {"work": "other"} in a["roots"], a["roots"]


def feed(a):
    assert a["verdicts"] == ["host"] and a["cause"] == "host-nic"
    # h1 is done, and computes, when its first half has gone and the other rank
    # has sent its second; only the last iteration waits for all of it.
    near("feed", share(a, "host-nic"),
         (ROUNDS + 1) / 2 * (carry(20e9) - carry(100e9)), 0.03)


def tail(a):
    """The last packet of a message is lost, three times."""
    assert a["verdicts"] == ["network"] and a["cause"] == "loss"
    near("tail", share(a, "loss"), 3 * 1e6, 0.03)


def two(a):
    """Two problems that wait for nothing together: each what it costs."""
    assert a["verdicts"] == ["both"], a["verdicts"]
    near("late", share(a, "host-late"), (ROUNDS - 1) * 200e3, 0.05)
    near("thin", share(a, "queueing"),
         2 * ROUNDS * (carry(25e9) - carry(100e9)), 0.05)


CHECKS = [
    ("clean", fabric() + JOB, clean),
    ("late", fabric() + "problem x class=host-late at=h2\n" +
     both("x", "late_rank=1 late=70us late_from=1"), late),
    ("thin", fabric("25G") + JOB.replace("h1,h2", "h1,h3"), thin),
    ("shared", fabric() + JOB.replace("h1,h2", "h1,h3") + "\n" +
     JOB.replace("h1,h2", "h2,h4").replace("job", "other")
     .replace("=100us", "=1us").replace(f"={ROUNDS} ", f"={2 * ROUNDS} "),
     shared),
    ("feed", fabric() + "problem x class=host-nic at=h1\n" + JOB +
     "\nwith x nic h1 feed=20G\n", feed),
    ("tail", fabric() + "problem x class=loss at=h1->leaf1\n" +
     PIPE.replace("window", "timeout=1ms window") +
     "\nwith x fault h1->leaf1 drop tail=yes originals=yes every=3 limit=3\n",
     tail),
    ("two", fabric("25G") + "problem x class=host-late at=h1\n" +
     both("x", "late_rank=0 late=200us late_from=1",
          PIPE.replace("h1,h2", "h1,h3")), two),
]


def sums(a):
    assert sum(s["ns"] for s in a["shares"]) == a["total_ns"]
    for side in ("network", "host"):
        got = sum(s["ns"] for s in a["shares"] if s["side"] == side)
        assert abs(got - a[side + "_ns"]) <= 10, (side, got)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--simulate", required=True)
    args = p.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        base = os.path.join(folder, "x")
        for name, text, check in CHECKS:
            with open(base + ".fab", "w") as f:
                f.write(text + "\n" + TAPS)
            subprocess.run(shlex.split(args.simulate) + [
                base + ".fab", "-w", base + ".pcapng"], check=True)
            with open(base + ".truth.json") as f:
                truth = json.load(f)
            try:
                for answer in truth["answers"]:
                    sums(answer)
                    check(answer)
            except AssertionError as e:
                bad += 1
                print(f"{name}: {e}")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
