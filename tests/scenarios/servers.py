#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does the simulator's topology file name the servers, and does the matrix sum them?

NICs of a server follow each other: h1 to h4 are the first where a server has four.
What servers sent each other is what the simulator's record has of the messages of
their NICs.

    servers.py --fabscope BUILD/fabscope SCENARIO=NICS...
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

LARGE = 1000000


def check(fabscope, folder, scenario, nics):
    out, db = folder / "s.pcapng", folder / "s.db"
    devices = folder / "devices"
    subprocess.run([fabscope, "simulate", scenario, "-w", out,
                    "--evidence", devices], check=True, capture_output=True)
    subprocess.run([fabscope, "analyze", out, "-o", db, "--topology",
                    devices / "topology.ini"], check=True,
                   capture_output=True)
    truth = json.loads((folder / "s.truth.json").read_text())
    ends = [tuple((int(f[k][1:]) - 1) // nics + 1
                  for k in ("src_host", "dst_host")) for f in truth["flows"]]
    sent = {}
    for m in truth["messages"]:
        a, b = ends[m["flow"] - 1]
        sent[a, b] = sent.get((a, b), 0) + m["bytes"]
    done = subprocess.run([fabscope, "query", db, "traffic-matrix", "--format",
                           "json"], check=True, capture_output=True, text=True)
    got = {tuple(int(r[k].removeprefix("server")) for k in ("src", "dst")):
           r["bytes"] for r in json.loads(done.stdout)}
    # the matrix counts frames: with headers, ACKs, and descriptors of 64 bytes
    near = got.keys() == sent.keys() and all(
        1 < got[k] / sent[k] < (1.03 if sent[k] > LARGE else 4) for k in sent)
    return [] if near else [f"{scenario}: {got}, it was {sent}"]


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--fabscope", required=True)
    arguments.add_argument("scenarios", nargs="+")
    given = arguments.parse_args()
    wrong = []
    for word in given.scenarios:
        scenario, nics = word.split("=")
        with tempfile.TemporaryDirectory() as folder:
            wrong += check(given.fabscope, pathlib.Path(folder), scenario,
                           int(nics))
    for w in wrong:
        print(w)
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
