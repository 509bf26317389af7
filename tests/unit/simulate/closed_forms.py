#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Whole runs against what can be computed by hand.

    closed_forms.py --simulate PROGRAM --scenarios DIR

DCQCN (Zhu et al. 2015): the first cut halves the rate; in fast recovery the
gap to the target halves every timer period.  PFC: a link into a receiver that
takes d of c is silent for 1 - d/c of the time; a pause that nothing ends lasts
quanta * 512 bit times.  Receiver credits: the link is full, and what waits is
never more than what may come without credit; a lone sender lacks credit for
what a quantum's time is longer than its packets'; and one that has no credit
left after a break asks for it at once.
"""
import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile

LINE = 100e9


def near(what, got, expected, within):
    assert abs(got - expected) <= within * abs(expected), \
        f"{what}: {got:.6g} is not {expected:.6g}"


def link(truth, name):
    return next(x for x in truth["links"] if x["link"] == name)


def first_cut_halves(truth):
    first = {}
    for c in truth["cnps"]:
        if c.get("reaction") == "cut":
            first.setdefault(c["flow"], c)
    assert len(first) >= 4
    for c in first.values():
        near("first cut", c["after_bps"], c["before_bps"] / 2, 1e-9)


def fast_recovery(truth):
    """After a cut from R to C: R - (R - C) / 2^n, 55 us a step."""
    checked = 0
    for c in truth["cnps"]:
        rates = [e for e in truth["events"] if e["kind"] == "rate" and
                 e["flow"] == c["flow"] and c["arrived_ns"] and
                 0 < e["ns"] - c["arrived_ns"] < 280000]
        for n, e in enumerate(rates[:5], 1):
            near("time", e["ns"] - c["arrived_ns"], n * 55000, 1e-3)
            near("rate", e["value"], c["before_bps"] -
                 (c["before_bps"] - c["after_bps"]) / 2 ** n, 1e-6)
            checked += 1
    assert checked >= 20


def paused_share(truth):
    span = truth["to_ns"] - truth["from_ns"]
    near("paused", link(truth, "leaf1->h3")["paused_ns"][3] / span,
         1 - 60 / 100, 0.03)
    near("carried", link(truth, "leaf1->h3")["busy_ns"] / span, 60 / 100, 0.03)


def silence_of_quanta(truth):
    """The storm's last frame stands for its quanta."""
    pause = next(p for p in truth["pauses"] if p["storm"])
    end = next(s for s in truth["silences"] if s["pause"] == pause["id"])
    assert end["expired"]
    last = pause["from_ns"] + (pause["xoff"] - 1) * 100000
    lasts = pause["quanta"] * 512 / LINE * 1e9
    arrives = end["from_ns"] - pause["from_ns"]
    near("silence", end["to_ns"] - last - arrives, lasts, 1e-5)


def credits(truth):
    into = link(truth, "leaf1->h9")
    span = truth["to_ns"] - truth["from_ns"]
    assert into["busy_ns"] > 0.95 * span, into["busy_ns"] / span
    assert max(into["depth_max"]) <= 8 * 32768 * 1.05, into["depth_max"]
    assert not truth["drops"]


def lone_senders(truth):
    span = truth["to_ns"] - truth["from_ns"]
    fast, breaks = (next(f for f in truth["flows"] if f["src_host"] == host)
                    for host in ("h1", "h2"))
    frame = fast["classes"]["request"]["bytes"] / \
        fast["classes"]["request"]["sent"] + 24
    lacks = (1 - 4 * frame / (16384 * 1.05)) * span
    # The first grant has a longer way: 10 us there and back.
    assert 0.95 * lacks < fast["starved_ns"] < lacks + 10e3, fast["starved_ns"]
    # A message of 100 KB takes 9 us, the way of its credit twice 8, a break 30.
    assert breaks["completed"] >= span / 70e3, breaks["completed"]


def fair_share(truth):
    """Eight equal senders under PFC: an eighth of the bottleneck each."""
    total = link(truth, "leaf1->h9")["packets"]
    for i in range(1, 9):
        near(f"h{i}", link(truth, f"h{i}->leaf1")["packets"], total / 8, 0.1)


BOUND = """run for=5ms done=yes
leafspine leaves=2 spines=4 hosts=4 speed=100G uplink=100G delay=500ns
tap t h1->leaf1
qp a h1 h5 via=spine2
qp b h2 h6 via=spine2,leaf2
qp c h3 h7 via=spine4
flow fa qp=a op=write size=1M count=2
flow fb qp=b op=write size=1M count=2
flow fc qp=c op=write size=1M count=2
"""


def bound(truth):
    """Two of three equal flows over one spine, whatever the hash says."""
    one = link(truth, "leaf1->spine4")["bytes"]
    near("two flows", link(truth, "leaf1->spine2")["bytes"], 2 * one, 0.01)
    for spine in ("spine1", "spine3"):
        assert not link(truth, f"leaf1->{spine}")["bytes"], spine


CHECKS = [("incast_dcqcn", first_cut_halves), ("cnp_idle", fast_recovery),
          ("heavy_pause", paused_share), ("storm", silence_of_quanta),
          ("incast_pfc", fair_share), ("uet_rccc", credits),
          ("uet_rccc_senders", lone_senders), ("bound", bound)]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--simulate", required=True)
    p.add_argument("--scenarios", required=True)
    args = p.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "x.pcapng")
        with open(os.path.join(folder, "bound.fab"), "w") as f:
            f.write(BOUND)
        for name, check in CHECKS:
            own = os.path.join(folder, name + ".fab")
            subprocess.run(shlex.split(args.simulate) + [
                own if os.path.exists(own)
                else os.path.join(args.scenarios, name + ".fab"), "-w", out,
                "--seed", "3"], check=True)
            with open(os.path.join(folder, "x.truth.json")) as f:
                truth = json.load(f)
            try:
                check(truth)
            except AssertionError as e:
                bad += 1
                print(f"{name}: {e}")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
