#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Are the ECN thresholds that whatif suggests faster?

A ring over thin uplinks.  With thresholds of a few packets its senders are slowed
down more than the queue needs: others are suggested, and by the simulator's own record
they are faster, by as much as predicted within 15 % of the time.  In the twin
thresholds are high, and nothing is suggested.

    thresholds.py --fabscope BUILD/fabscope
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

SCENARIO = """run for=400ms done=yes
switches kmin={kmin} kmax={kmax} lossless=3 xoff=400K xon=300K headroom=300K
leafspine leaves=2 spines=2 hosts=4 speed=100G uplink=100G
collective job pattern=ring ranks=h1,h5,h2,h6,h3,h7,h4,h8 size=4M iterations=5 compute=200us dcqcn=yes
"""
TAPS = "".join(f"tap t{i} h{i}->leaf{(i + 3) // 4} both=yes snaplen=128 "
               "pfc=yes\n" for i in range(1, 9))


class Fabric:
    def __init__(self, fabscope, folder, seed):
        self.fabscope, self.folder, self.seed = fabscope, folder, seed

    def tool(self, *words):
        done = subprocess.run([self.fabscope, *words], text=True, check=True,
                              capture_output=True, cwd=self.folder)
        return done.stdout

    def simulate(self, name, kmin, kmax):
        """How long the job takes, by the simulator."""
        (self.folder / f"{name}.fab").write_text(
            SCENARIO.format(kmin=kmin, kmax=kmax) + TAPS)
        self.tool("simulate", f"{name}.fab", "-w", f"{name}.pcapng", "--seed",
                  str(self.seed), "--evidence", f"{name}.devices")
        truth = json.loads((self.folder / f"{name}.truth.json").read_text())
        its = truth["iterations"]
        return its[-1]["to_ns"] - its[0]["from_ns"]

    def suggested(self, name):
        self.tool("analyze", f"{name}.pcapng", "-o", f"{name}.db",
                  "--all-messages", "--topology",
                  f"{name}.devices/topology.ini", "--evidence",
                  f"{name}.devices")
        said = json.loads(self.tool("whatif", f"{name}.db", "--thresholds",
                                    "--runs", "8", "--json"))
        best = said["suggested"]
        return best, next((t["predicted_ns"] for t in said["thresholds"]
                           if t["set"] == best), None)


def check(fabric):
    wrong = []
    low = fabric.simulate("low", "5K", "20K")
    advice, predicted = fabric.suggested("low")
    if advice:
        then = fabric.simulate("then", advice["wred.kmin"],
                               advice["wred.kmax"])
        if then > 0.98 * low or abs(predicted - then) > 0.15 * then:
            wrong.append(f"{advice} takes {then} ns, predicted {predicted}, "
                         f"before it was {low}")
    else:
        wrong.append("low thresholds: nothing is suggested")
    fabric.simulate("high", "80K", "320K")
    needless, _ = fabric.suggested("high")
    if needless:
        wrong.append(f"{needless} is suggested")
    return [f"seed {fabric.seed}: {w}" for w in wrong]


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--fabscope", required=True)
    arguments.add_argument("--seeds", type=int, nargs="+", default=[7, 11])
    said = arguments.parse_args()
    fabscope = pathlib.Path(said.fabscope).resolve()
    wrong = []
    for seed in said.seeds:
        with tempfile.TemporaryDirectory() as folder:
            wrong += check(Fabric(fabscope, pathlib.Path(folder), seed))
    print("\n".join(wrong))
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
