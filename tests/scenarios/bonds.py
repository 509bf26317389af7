#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A host with two ports and one address (MLAG): is it one host?

Eight ranks, each with a port to two leaves.  What a flow sends goes by one port, and
its ACKs come by whichever port the other end and the spines choose.  The simulator's
record says what was sent where, what was lost, and (by twins) whether it was the
network.  In the last run the ports of a host have addresses of their own: then they
are no bond.

    bonds.py --fabscope BUILD/fabscope
"""
import argparse
import contextlib
import json
import pathlib
import sqlite3
import subprocess
import tempfile

RING = ("collective job pattern=ring ranks=h1..h8 size=2M iterations=8 qps=4 "
        "compute=200us")
LATE = ("problem late class=host-late at=h3\n"
        f"with late {RING} late_rank=2 late=400us\nwithout late {RING}")
RUNS = {
    "healthy": (RING, ""),
    "split": (RING, "split=yes"),
    "late": (LATE, ""),
    "loss": (RING + "\nproblem bad class=loss at=h4->leaf1\n"
             "with bad fault h4->leaf1 drop chance=0.01", ""),
    "down": (RING + "\nproblem gone class=loss at=h3->leaf1\n"
             "with gone down h3->leaf1 from=1ms", ""),
}


def scenario(work, how):
    text = ["run for=400ms done=yes twins=yes", "host h1..h8",
            "switch leaf1..leaf4 spine1 spine2"]
    text += [f"link leaf{leaf} spine{spine} speed=400G"
             for leaf in range(1, 5) for spine in (1, 2)]
    taps = []
    for i in range(1, 9):
        for port in (0, 1):
            leaf = (1 if i <= 4 else 3) + port
            text.append(f"link h{i} leaf{leaf} speed=100G")
            taps.append(f"tap t{i}{'ab'[port]} h{i}->leaf{leaf} both=yes "
                        f"snaplen=200 {how}")
    return "\n".join([*text, work, *taps]) + "\n"


class Run:
    def __init__(self, fabscope, folder, name):
        self.fabscope, self.folder, self.name = fabscope, folder, name
        self.wrong = []
        work, how = RUNS[name]
        (folder / f"{name}.fab").write_text(scenario(work, how))
        self.tool("simulate", f"{name}.fab", "-w", f"{name}.pcapng",
                  "--evidence", f"{name}.devices")
        self.topology = folder / f"{name}.devices" / "topology.ini"
        self.truth = json.loads((folder / f"{name}.truth.json").read_text())

    def tool(self, *words):
        return subprocess.run([self.fabscope, *words], check=True, text=True,
                              capture_output=True, cwd=self.folder).stdout

    def analyze(self, topology):
        db = f"{self.name}.{topology.stem}.db"
        self.tool("analyze", f"{self.name}.pcapng", "-o", db, "--topology",
                  str(topology))
        return db

    def ask(self, db, query, *words):
        return json.loads(self.tool("query", db, query, "--format", "json",
                                    *words))

    def expect(self, what, got, want):
        if got != want:
            self.wrong.append(f"{self.name}: {what} {got}, it was {want}")

    def check(self):
        links = {row["link"]: row for row in self.truth["links"]}
        for i in range(1, 9):
            self.expect(f"ports that h{i} sends by", sum(
                links[name]["packets"] > 0 for name in links
                if name.startswith(f"h{i}->")), 2)
        db = self.analyze(self.topology)
        flows = self.ask(db, "flows", "--param", "limit=1000")
        self.expect("flows of which one direction is visible",
                    sum(f["visibility"] != "both" for f in flows), 0)
        lost = sum(c.get("dropped", 0) for f in self.truth["flows"]
                   for c in f["classes"].values())
        self.expect("losses", sum(f["lost"] or 0 for f in flows) > 0, lost > 0)
        want = self.truth["answers"][0]
        verdict = [a["verdict"] for a in self.ask(db, "answer")
                   if a["scope"] == "job"]
        # What a dead port does not get, a dead adapter does not get either.
        right = want["verdicts"] + ["undetermined"] * (self.name == "down")
        if verdict[0] not in right:
            self.wrong.append(f"{self.name}: {verdict}, it was {right}")


def unnamed(run):
    """Without a topology file each port is a capture point: what comes back by the
    other one is in the capture, and nothing may say that it is not."""
    db = f"{run.name}.plain.db"
    text = run.tool("analyze", f"{run.name}.pcapng", "-o", db, "-v")
    run.expect("said to be missing", "not in the capture" in text, False)
    flows = [f for f in run.ask(db, "flows", "--param", "limit=1000")
             if f["visibility"] != "both"]
    ends = {(f["tap"], f["src"], f["dst"]) for f in flows}
    back = sum(any(t != f["tap"] and (s, d) == (f["dst"], f["src"])
                   for t, s, d in ends) for f in flows)
    with contextlib.closing(sqlite3.connect(run.folder / db)) as base:
        details = [row[0] for row in base.execute(
            "SELECT detail FROM finding WHERE rule = 'one-directional'")]
    run.expect("flows that come back by another port",
               [f"The hosts of {back} flows answer through" in d
                for d in details], [True])
    run.expect("such flows", back > 0, True)


def apart(run):
    """Ports with addresses of their own: nothing is parallel."""
    own = run.folder / "own.ini"
    own.write_text("\n".join(
        line + ", 10.9." + line.rsplit(".", 1)[1] + ".1"
        if line.startswith("address = ") else line
        for line in run.topology.read_text().splitlines()) + "\n")
    groups = [{r["name"] for r in run.ask(run.analyze(t), "balance")
               if r["name"].startswith("ports of")}
              for t in (run.topology, own)]
    run.expect("bonds", [len(g) for g in groups], [8, 0])


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--fabscope", required=True)
    fabscope = pathlib.Path(arguments.parse_args().fabscope).resolve()
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for name in RUNS:
            run = Run(fabscope, pathlib.Path(folder), name)
            run.check()
            if name == "healthy":
                apart(run)
            if name == "loss":
                unnamed(run)
            wrong += run.wrong
    print("\n".join(wrong))
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
