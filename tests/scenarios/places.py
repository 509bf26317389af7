#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Does the answer name the place of congestion that the simulator's record has?

One fabric, one job (a ring over three leaves) and one stream that is in its way.
The twins differ only in where the stream begins and ends, so only the port at which
the two meet differs.  The simulator's record says which port that was: the deepest
queue, the host that pauses, or (host egress) the busiest link where no queue is.
So it is with telemetry in the packets.  With taps at hosts alone the place is unknown where several ports lie between.
From a seed come speeds, sizes, times and rates of fabric, job and stream.

    places.py --fabscope BUILD/fabscope [--first SEED --pairs N]
"""
import argparse
import json
import pathlib
import random
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


DRAWN = {"speed": 100, "size": 3, "compute": 100, "rate": 0.6, "start": 4}


def draw(seed):
    r = random.Random(seed)
    return {"speed": r.choice([100, 200, 400]), "size": r.choice([2, 3, 4, 6]),
            "compute": r.choice([50, 100, 200, 400]),
            "rate": r.choice([0.5, 0.6, 0.75, 0.9]),
            "start": r.choice([1, 2, 4])}


def scenario(place, ecn, spines_tapped, telemetry, drawn):
    b1, b2, begins, ends, extra = TWINS[place]
    k = drawn["speed"] // 100
    extra = extra.replace("40G", f"{40 * k}G")
    leaf = {"a1": 1, "a2": 3, "a3": 5, "b1": b1, "b2": b2}
    lossless = "lossless=3 xoff=1M xon=512K headroom=200K" if extra else ""
    marks = f"kmin={40 * k}K kmax={200 * k}K pmax=0.2" if ecn else ""
    out = ["run for=60ms done=yes", "host " + " ".join(leaf),
           f"switches {lossless} {marks} {telemetry}",
           "switch spine1 " + " ".join(f"leaf{i + 1}" for i in range(LEAVES))]
    # telemetry makes packets longer behind the host's port
    up = 120 if telemetry and place == "host egress" else 100
    out += [f"link leaf{i + 1} spine1 speed={up * k}G" for i in range(LEAVES)]
    out += [f"link {h} leaf{n} speed={drawn['speed']}G"
            for h, n in leaf.items()]
    out += [extra,
            "collective A pattern=ring ranks=a1,a2,a3 iterations=16 "
            f"size={drawn['size'] * k}M compute={drawn['compute']}us "
            f"dcqcn={'yes' if ecn else 'no'}",
            f"qp bq {begins} {ends} "
            f"rate={int(drawn['rate'] * drawn['speed'])}G",
            f"flow b qp=bq op=write size={k}M count=0 depth=2 "
            f"start={drawn['start']}ms"]
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


def run(fabscope, folder, place, ecn, spines_tapped=True, telemetry="",
        drawn=DRAWN):
    name = folder / f"{place}-{ecn}-{spines_tapped}-{bool(telemetry)}"
    devices = name.with_suffix(".devices")
    fab, out = name.with_suffix(".fab"), name.with_suffix(".pcapng")
    fab.write_text(scenario(place, ecn, spines_tapped, telemetry, drawn))
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


def check(fabscope, folder, place, ecn, telemetry="", drawn=DRAWN):
    said, text, truth, db = run(fabscope, folder, place, ecn,
                                telemetry=telemetry, drawn=drawn)
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
    arguments.add_argument("--first", type=int, default=0)
    arguments.add_argument("--pairs", type=int, default=6)
    arguments.add_argument("--keep", type=pathlib.Path)
    a = arguments.parse_args()
    fabscope = a.fabscope
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        folder = a.keep or pathlib.Path(folder)
        for seed in range(a.first, a.first + a.pairs) if a.first else ():
            place = list(TWINS)[seed % len(TWINS)]
            (folder / str(seed)).mkdir()
            wrong += [f"{seed} {draw(seed)} {w}" for w in check(
                fabscope, folder / str(seed), place,
                place not in ("host egress", "receiver NIC") and
                seed // len(TWINS) % 2 > 0, drawn=draw(seed))]
        if a.first:
            print(f"{a.pairs} places, {len(wrong)} wrong", *wrong, sep="\n")
            raise SystemExit(1 if wrong else 0)
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
