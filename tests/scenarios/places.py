#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does the answer name the place of congestion that the simulator's record has?

One fabric, one job (a ring over three leaves) and one stream that is in its way.
The twins differ only in where the stream begins and ends, so only the port at which
the two meet differs.  The simulator's record says which port that was: the deepest
queue, the host that pauses, or (host egress) the busiest link where no queue is.
So it is with telemetry in the packets.  With taps at hosts alone the place is unknown where several ports lie between.

    places.py --fabscope BUILD/fabscope
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from cases import some  # noqa: E402

QUEUE = 16 << 10  # bytes; less is no queue
LEAVES = 5
TELEMETRY = "int=yes int_unit=1"
# place: leaf of b1, leaf of b2, the stream's ends, what else
TWINS = {
    "leaf uplink": (1, 4, "b1", "b2", ""),
    "spine downlink": (2, 3, "b1", "b2", ""),
    "leaf downlink": (3, 4, "b1", "a2", ""),
    "storage": (3, 4, "b1", "a2", ""),
    "host egress": (2, 4, "a1", "b2", ""),
    "receiver NIC": (2, 4, "b1", "b2",
                     "nic a2 drain=40G buffer=256K xoff=64K xon=32K"),
}


def scenario(place, ecn, spines_tapped, telemetry):
    b1, b2, begins, ends, extra = TWINS[place]
    leaf = {"a1": 1, "a2": 3, "a3": 5, "b1": b1, "b2": b2}
    lossless = "lossless=3 xoff=1M xon=512K headroom=200K" if extra else ""
    marks = "kmin=40K kmax=200K pmax=0.2" if ecn else ""
    out = ["run for=60ms done=yes", "host " + " ".join(leaf),
           f"switches {lossless} {marks} {telemetry}",
           "switch spine1 " + " ".join(f"leaf{i + 1}" for i in range(LEAVES))]
    # telemetry makes packets longer behind the host's port
    up = "120G" if telemetry and place == "host egress" else "100G"
    out += [f"link leaf{i + 1} spine1 speed={up}" for i in range(LEAVES)]
    out += [f"link {h} leaf{n} speed=100G" for h, n in leaf.items()]
    out += [extra,
            "collective A pattern=ring ranks=a1,a2,a3 size=3M iterations=16 "
            f"compute=100us dcqcn={'yes' if ecn else 'no'}",
            f"qp bq {begins} {ends} rate=60G",
            "flow b qp=bq op=write size=1M count=0 depth=2 start=4ms"]
    links = [(h, f"leaf{n}") for h, n in leaf.items()]
    if spines_tapped:
        links += [(f"leaf{i + 1}", "spine1") for i in range(LEAVES)]
    for a, b in links:
        out += [f"tap {a}.out {a}->{b} pfc=yes snaplen=128",
                f"tap {a}.in {b}->{a} pfc=yes snaplen=128"]
    return "\n".join(out) + "\n"


def truth_of(record):
    """Kind of evidence, and the port or host."""
    for p in record["pauses"]:
        if p.get("why") == "slow receiver":
            return p["emitter"].split("->")[0]
    links = record["links"]
    deepest = max(links, key=lambda l: max(l["depth_max"]))
    if max(deepest["depth_max"]) >= QUEUE:
        return deepest["link"]
    return max(links, key=lambda l: l["busy_ns"])["link"]


def run(fabscope, folder, place, ecn, spines_tapped=True, telemetry=""):
    name = folder / f"{place}-{ecn}-{spines_tapped}-{bool(telemetry)}"
    devices = name.with_suffix(".devices")
    fab, out = name.with_suffix(".fab"), name.with_suffix(".pcapng")
    fab.write_text(scenario(place, ecn, spines_tapped, telemetry))
    subprocess.run([fabscope, "simulate", fab, "-w", out, "--evidence",
                    devices], check=True, capture_output=True)
    topology = devices / "topology.ini"
    if place == "storage":
        topology.write_text(topology.read_text().replace(
            "[host a2]\n", "[host a2]\nstorage = 1\n"))
    if not telemetry:  # which alone needs more of switches than their links
        topology.write_text(re.sub(r"\[switch .*\n([^\[].*\n|\n)*", "",
                                   topology.read_text()))
    db = name.with_suffix(".db")
    said = subprocess.run([fabscope, "analyze", out, "--json", "--topology",
                           topology, "-o", db],
                          check=True, capture_output=True, text=True).stdout
    text = subprocess.run([fabscope, "analyze", out, "--topology", topology,
                           "-o", db], check=True, capture_output=True,
                          text=True, env={"COLUMNS": "400"}).stdout
    record = json.loads(name.with_suffix(".truth.json").read_text())
    return json.loads(said), text, truth_of(record), db


def all_of(document, key):
    return [r for r in document[key] if r["place"]]


def check(fabscope, folder, place, ecn, telemetry=""):
    said, text, truth, db = run(fabscope, folder, place, ecn,
                                telemetry=telemetry)
    wrong = []
    answers = all_of(said, "answer")
    if not answers or answers[0]["id"] != 1:
        return [f"{place}: the capture's answer names no place"]
    for a in answers:
        if (a["place"], a["place_at"]) != (place, truth):
            wrong.append(f"{place}: answer {a['id']} has {a['place']} "
                         f"{a['place_at']}, it was {truth}")
    sentence = f"congested: {place} {truth}"
    if sentence not in " ".join(text.split()):
        wrong.append(f"{place}: the text does not have \"{sentence}\"")
    rows = subprocess.run([fabscope, "query", db, "places", "--format",
                           "json"], check=True, capture_output=True, text=True)
    named = {r["place"]: r for r in json.loads(rows.stdout)
             if r["answers"] + r["findings"]}
    if list(named) != [place] or truth not in named[place]["places_at"]:
        wrong.append(f"{place}: query places names {list(named)}")
    return wrong


def check_unknown(fabscope, folder):
    """Taps at hosts: three ports lie between those of a1 and a2."""
    said, _, truth, _ = run(fabscope, folder, "spine downlink", True, False)
    places = {(a["place"], a["place_at"]) for a in all_of(said, "answer")}
    wrong = [] if places and {p for p, _ in places} == {"unknown"} else \
        [f"taps at hosts: {places}, where only the simulator can know {truth}"]
    # but below one leaf they decide
    said, _, truth, _ = run(fabscope, folder, "leaf downlink", True, False)
    places = {(a["place"], a["place_at"]) for a in all_of(said, "answer")}
    if ("leaf downlink", truth) not in places or \
            not places <= {("leaf downlink", truth), ("unknown",
                                                      "a1.out and a2.out")}:
        wrong.append(f"taps at hosts: {places}, it was {truth}")
    return wrong


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--fabscope", required=True)
    fabscope = arguments.parse_args().fabscope
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for twin in some([
                *((place, False) for place in TWINS),
                *((place, False, TELEMETRY) for place in TWINS),
                *((place, True) for place in (
                    "leaf uplink", "spine downlink", "leaf downlink",
                    "storage")),
                ("spine downlink", True, TELEMETRY)]):
            wrong += check(fabscope, folder, *twin)
        wrong += check_unknown(fabscope, folder)
    for w in wrong:
        print(w)
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
