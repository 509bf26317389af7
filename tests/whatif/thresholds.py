#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Are the ECN thresholds that whatif suggests faster?

A ring over thin uplinks.  With thresholds of a few packets its senders are slowed
down more than the queue needs: others are suggested, and by the simulator's own record
they are faster.  In the twin thresholds are high, and nothing is suggested.

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
    def __init__(self, fabscope, folder):
        self.fabscope, self.folder = fabscope, folder

    def tool(self, *words):
        done = subprocess.run([self.fabscope, *words], text=True, check=True,
                              capture_output=True, cwd=self.folder)
        return done.stdout

    def simulate(self, name, kmin, kmax):
        """How long the job takes, by the simulator."""
        (self.folder / f"{name}.fab").write_text(
            SCENARIO.format(kmin=kmin, kmax=kmax) + TAPS)
        self.tool("simulate", f"{name}.fab", "-w", f"{name}.pcapng", "--seed",
                  "7", "--evidence", f"{name}.devices")
        truth = json.loads((self.folder / f"{name}.truth.json").read_text())
        its = truth["iterations"]
        return its[-1]["to_ns"] - its[0]["from_ns"]

    def suggested(self, name):
        self.tool("analyze", f"{name}.pcapng", "-o", f"{name}.db",
                  "--all-messages", "--topology",
                  f"{name}.devices/topology.ini", "--evidence",
                  f"{name}.devices")
        said = json.loads(self.tool("whatif", f"{name}.db", "--thresholds",
                                    "--runs", "4", "--json"))
        return said["suggested"]


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--fabscope", required=True)
    fabscope = pathlib.Path(arguments.parse_args().fabscope).resolve()
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        fabric = Fabric(fabscope, pathlib.Path(folder))
        low = fabric.simulate("low", "5K", "20K")
        advice = fabric.suggested("low")
        if not advice:
            wrong.append("low thresholds: nothing is suggested")
        else:
            then = fabric.simulate("then", advice["wred.kmin"],
                                   advice["wred.kmax"])
            if then > 0.98 * low:
                wrong.append(f"suggested {advice}: {then} ns, before {low}")
        fabric.simulate("high", "80K", "320K")
        advice = fabric.suggested("high")
        if advice:
            wrong.append(f"high thresholds: {advice} is suggested")
    print("\n".join(wrong))
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
