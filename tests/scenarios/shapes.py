#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Fabrics that are no Clos: are the paths those of the simulator's record?

The telemetry of a packet names the switches that it has passed.  For each flow and
tap the record has the same: the switches up to the one that the tap stands behind.
Links between the switches of these shapes are of one tier.

    shapes.py --fabscope BUILD/fabscope SCENARIO...
"""
import argparse
import json
import pathlib
import subprocess
import tempfile


def ask(fabscope, db, query):
    done = subprocess.run([fabscope, "query", db, query, "--format", "json"],
                          check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def check(fabscope, folder, scenario):
    out, db = folder / f"{scenario.stem}.pcapng", folder / "x.db"
    devices = folder / f"{scenario.stem}.devices"
    subprocess.run([fabscope, "simulate", scenario, "-w", out, "--evidence",
                    devices], check=True, capture_output=True)
    subprocess.run([fabscope, "analyze", out, "-o", db, "--topology",
                    devices / "topology.ini"], check=True, capture_output=True)
    truth = json.loads((folder / f"{scenario.stem}.truth.json").read_text())
    taps = {t["name"]: t["link"].split("->") for t in truth["taps"]}
    passed, wrong = {}, []
    for f in truth["flows"]:
        switches = [h["switch"] for h in f.get("hops", [])]
        for name, (a, b) in taps.items():
            n = switches.index(a) + 1 if a in switches else len(switches)
            if switches[n:n + 1] == [b]:
                passed.setdefault((f["src"], f["dst"], name), set()).add(
                    ">".join(str(h["device"]) for h in f["hops"][:n]))
    got = {}
    for r in ask(fabscope, db, "paths"):
        got.setdefault((r["src"], r["dst"], r["tap"]), set()).add(r["devices"])
    # ACKs are without telemetry
    data = {(f["src"], f["dst"]) for f in truth["flows"] if f.get("work")}
    passed = {k: v for k, v in passed.items() if k[:2] in data}
    if got != passed or len(got) < 3 or max(
            len(d.split(">")) for v in got.values() for d in v) < 2:
        wrong.append(f"{scenario.stem}: paths {got}, it was {passed}")
    ports = {r["place"]: r["ports"] for r in ask(fabscope, db, "places")}
    names = {s["switch"] for s in truth["switches"]}
    between = [l for l in truth["links"]
               if set(l["link"].split("->")) <= names]
    if ports["switch link"] != len(between) or ports["leaf uplink"]:
        wrong.append(f"{scenario.stem}: {ports}, {len(between)} links")
    return wrong


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--fabscope", required=True)
    arguments.add_argument("scenarios", nargs="+", type=pathlib.Path)
    given = arguments.parse_args()
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for scenario in given.scenarios:
            wrong += check(given.fabscope, pathlib.Path(folder), scenario)
    for w in wrong:
        print(w)
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
