#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Four taps in a row, each with both directions.

    rows.py --fabscope BUILD/fabscope --simulate SIMULATE

Totals count each flow once, wherever its packets were lost: before all of the
taps, between two, behind all.  And mirrors that lose copies, each others, of a
fabric that loses nothing accuse nobody but themselves.
"""
import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from cases import some  # noqa: E402

FABRIC = """title Four taps in a row
about Made by tests/scenarios/rows.py.
run for=30ms
leafspine leaves=2 spines=1 hosts=2 speed=100G delay=500ns
qp q1 h1 h3 mtu=1024 {how}
qp q2 h2 h4 mtu=1024 {how}
flow f1 qp=q1 op=write size=64K count=100 depth=2
flow f2 qp=q2 op=send size=64K count=75 depth=2
{fault}
tap t1 h1->leaf1 both=yes {mirror[0]}
tap t2 leaf1->spine1 both=yes {mirror[1]}
tap t3 spine1->leaf2 both=yes {mirror[2]}
tap t4 leaf2->h3 both=yes side=tx {mirror[3]}
"""

# The same of a job, at the links of all its hosts.
JOB = """title Ring
run for=60ms done=yes
leafspine leaves=2 spines=4 hosts=4 speed=100G delay=500ns
collective job pattern=ring ranks=h1,h2,h3,h4,h5,h6,h7,h8 size=256K \
iterations=14 compute=40us compute_jitter=1us mtu=4096 timeout=4ms {how}
""" + "".join(f"tap t{i} h{i}->leaf{(i + 3) // 4} both=yes {{mirror}}\n"
              for i in range(1, 9))

SERVICES = ["", "receiver=select", "service=rud cc=nscc job=7",
            "service=rod cc=nscc job=7", "service=rudi job=7"]

GOOD = ["", "", "", ""]
BAD = ["loss=0.002", "loss=0.003", "loss=0.001 loss_burst=4", "loss=0.004"]

# What may be said where only copies are missing.
OF_THE_CAPTURE = {"capture-loss", "unresolved-gaps"}


class Failed(Exception):
    pass


def check(truth, *what):
    if not truth:
        raise Failed(" ".join(map(str, what)))


class Run:
    """One capture, analysed."""

    def __init__(self, args, folder, seed, text=FABRIC, **fabric):
        base = os.path.join(folder, "row")
        with open(base + ".fab", "w") as f:
            f.write(text.format(**fabric))
        subprocess.run([args.simulate, base + ".fab", "-w", base + ".pcapng",
                        "--seed", str(seed), "--truth", base + ".json"],
                       stdout=subprocess.DEVNULL, check=True)
        subprocess.run([args.fabscope, "analyze", "-o", base + ".db",
                        base + ".pcapng"], check=True, capture_output=True)
        with open(base + ".json") as f:
            self.truth = json.load(f)
        self.args, self.path = args, base + ".db"
        self.db = sqlite3.connect(self.path)

    def one(self, sql):
        return self.db.execute(sql).fetchone()[0]

    def ask(self, query):
        done = subprocess.run([self.args.fabscope, "query", self.path, query,
                               "--format", "json"], check=True,
                              capture_output=True, text=True)
        return json.loads(done.stdout)


def sent(truth, what):
    return sum(flow["classes"]["request"][what] for flow in truth["flows"]
               if "request" in flow["classes"])


def lossy(run, name):
    """As many as the fabric dropped, in each total and in the findings.  Of RUD,
    whose packets may come in any order, "at least" is less: but the same."""
    lost, n = sent(run.truth, "dropped"), len(run.truth["flows"])
    check(lost > 10, name, "only", lost, "lost")
    all_of_it, = run.ask("summary")
    top, = run.ask("verdict/totals")
    said = {"summary": all_of_it["lost"],
            "hosts": sum(host["lost_out"] for host in run.ask("hosts")),
            "timeline": sum(step["lost"] for step in run.ask("timeline")),
            "service": run.one("SELECT sum(lost_min) FROM service"),
            "Packets lost": run.one("SELECT value FROM kpi "
                                    "WHERE name = 'Packets lost'"),
            "incidents": run.one("SELECT sum(lost_min) FROM incident")}
    check(len(set(said.values())) == 1, name, said)
    if "rud" in name:
        lost = min(lost, said["summary"])
    check(lost == said["summary"], name, lost, "were lost:", said)
    check(all_of_it["flows"] == top["flows"] == n, name, n, "flows:",
          all_of_it["flows"], top["flows"])
    check(all_of_it["retransmitted"] == sent(run.truth, "retransmissions"), name,
          all_of_it["retransmitted"], "sent again")


def clean(run, name):
    """Nothing was lost."""
    check(not sent(run.truth, "dropped"), name, "is not clean")
    missed = sum(tap[kind]["missed"] for flow in run.truth["flows"]
                 for tap in flow["taps"] for kind in tap if kind != "tap")
    check(missed > 50, name, "only", missed, "copies missed")
    found = {rule for rule, in run.db.execute("SELECT rule FROM finding")}
    # RUDI has no order in which something could be missing
    check((found or "rudi" in name) and found <= OF_THE_CAPTURE, name, "found",
          found - OF_THE_CAPTURE)
    for what in ("lost_upstream", "lost_downstream_min", "corrupted",
                 "timeouts", "retransmitted", "ack_lost"):
        n = run.one(f"SELECT sum({what}) FROM flow")
        check(not n, name, what, n)
    check(not run.one("SELECT count(*) FROM recovery"), name, "recoveries")


def blameless(run, name):
    """A delay found by counting packets is none where some are not here."""
    check(not sent(run.truth, "dropped"), name, "is not clean")
    said = run.one("SELECT verdict FROM answer WHERE scope = 'capture'")
    check(said in ("nothing-wrong", "undetermined"), name, said)


def tests():
    """Name, test, seed, and what to put into the fabric."""
    for how in SERVICES[:4]:
        for link in ("h1->leaf1", "spine1->leaf2", "leaf2->h3"):
            yield (f"{how or 'rc'}, lossy {link}", lossy, 1,
                   {"how": how, "mirror": GOOD,
                    "fault": f"fault {link} drop of=requests every=401"})
    for how in SERVICES:
        for seed in (1, 2, 3):
            yield (f"{how or 'rc'}, mirrors, seed {seed}", clean, seed,
                   {"how": how, "mirror": BAD, "fault": ""})
    for how in ("qps=1", "service=rud job=7 cc=nscc"):
        for mirror in ("loss=0.003", "loss=0.02", "loss=0.01 loss_burst=3"):
            for seed in (1, 2):
                yield (f"ring, {how}, {mirror}, seed {seed}", blameless, seed,
                       {"text": JOB, "how": how, "mirror": mirror})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fabscope", required=True)
    parser.add_argument("--simulate", required=True)
    args = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, test, seed, fabric in some(tests()):
            try:
                test(Run(args, folder, seed, **fabric), name)
            except Failed as why:
                failed += 1
                print("FAIL", why)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
