#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Fabrics of other shapes, link by link: is what is said of each that of the
simulator's record?

A three-tier Clos with thin uplinks, a dragonfly and a torus, with a tap at each
direction of every link.  The record has the packets and bytes of each direction, the
flows in it, what was dropped before it, and the switches that each flow passed.

    links.py --fabscope BUILD/fabscope
"""
import argparse
import collections
import json
import pathlib
import sqlite3
import subprocess
import tempfile

LOST = 0.98
SHAPES = {
    "clos": ("leafspine leaves=2 spines=2 hosts=2 pods=2 supers=2 speed=100G "
             "uplink=50G toplink=25G", 8),
    "dragonfly": ("dragonfly groups=3 switches=2 hosts=2 speed=100G fabric=50G",
                  12),
    "torus": ("torus rows=3 columns=3 hosts=1 speed=100G fabric=50G", 9),
}


def traffic(hosts):
    """Each host sends to three others, and half of them to the last."""
    out = []
    for i in range(hosts):
        for step in (1, 2, hosts // 2):
            out.append((i + 1, (i + step) % hosts + 1))
    out += [(i, hosts) for i in range(1, hosts // 2 + 1)]
    return out


def scenario(shape, taps=()):
    fabric, hosts = SHAPES[shape]
    out = ["run for=30ms", "switches buffer=96K", fabric]
    for n, (a, b) in enumerate(traffic(hosts)):
        out += [f"qp q{n} h{a} h{b} mtu=1024 receiver=select",
                f"flow f{n} qp=q{n} op=write size=64K count=6 depth=2"]
    out += [f"tap {link.replace('->', '.')} {link} side=tx snaplen=128"
            for link in taps]
    return "\n".join(out) + "\n"


def simulate(fabscope, folder, name, text, *more):
    fab, out = folder / f"{name}.fab", folder / f"{name}.pcapng"
    fab.write_text(text)
    subprocess.run([fabscope, "simulate", fab, "-w", out, *more], check=True,
                   capture_output=True)
    return out, json.loads((folder / f"{name}.truth.json").read_text())


def run(fabscope, folder, shape):
    first = scenario(shape) + "tap t h1->" + (
        "leaf1" if shape == "clos" else "s1") + "\n"
    _, record = simulate(fabscope, folder, "first", first)
    links = [l["link"] for l in record["links"]]
    out, record = simulate(fabscope, folder, shape, scenario(shape, links),
                           "--evidence", folder / shape)
    db = folder / "x.db"
    subprocess.run([fabscope, "analyze", out, "-o", db, "--topology",
                    folder / shape / "topology.ini"], check=True,
                   capture_output=True)
    db = sqlite3.connect(db)
    db.row_factory = sqlite3.Row
    return record, db


def connection(f):
    return f["src"], f["dst"], f["dst_qp"]


def loads(record, db):
    """Packets, bytes and flows of each direction."""
    true = {l["link"]: (l["packets"], l["bytes"])
            for l in record["links"]}
    said = {f"{r['from_node']}->{r['to_node']}": (r["packets"], r["bytes"])
            for r in db.execute(
                "SELECT t.from_node, t.to_node, t.packets,"
                "  CAST(total(f.bytes) AS INTEGER) AS bytes"
                "  FROM tap t LEFT JOIN flow f ON f.tap_id = t.id"
                " GROUP BY t.id")}
    return [f"{k}: {said.get(k)}, it was {v}" for k, v in true.items()
            if v != said.get(k)]


def way_of(flow, links):
    """Its links from host to host: each leads on from where another ends."""
    node, way = flow["src_host"], []
    to = dict(l.split("->") for l in links)
    while node in to:
        way.append(f"{node}->{to.pop(node)}")
        node = way[-1].split("->")[1]
    return way


def paths(record, db):
    """The links of each flow, in their order."""
    wrong, compared, links = [], 0, collections.defaultdict(list)
    for l in record["links"]:
        for flow, _, _ in l["flows"]:
            links[flow].append(l["link"])
    said = collections.defaultdict(list)
    for r in db.execute(
            "SELECT f.src, f.dst, f.dst_qp, t.from_node, t.to_node"
            "  FROM tap_path p JOIN flow f ON f.id = p.flow_id"
            "  JOIN tap t ON t.id = p.tap_id ORDER BY p.tap_path_id, p.hop"):
        said[connection(r)].append(f"{r['from_node']}->{r['to_node']}")
    for f in record["flows"]:
        way = way_of(f, links[f["id"]])
        if not way:
            continue
        compared += 1
        if said[connection(f)] != way:
            wrong.append(f"{f['src_host']} to {f['dst_host']}: "
                         f"{said[connection(f)]}, it was {way}")
    return wrong, compared


def losses(record, db):
    """Packets lost before each direction, where its port was full: no more than were
    dropped there.  The loss of a retransmission that nobody needed, at the end of a
    flow, leaves no trace: those are few."""
    true = {d["place"].replace(" to ", "->"): d["packets"]
            for d in record["drops"]}
    said = {r["place_at"]: r["lost"] for r in db.execute(
        "SELECT place_at, sum(lost) AS lost FROM segment"
        " WHERE adjacent AND lost > 0 GROUP BY place_at")}
    dropped, lost = sum(true.values()), sum(said.values())
    wrong = [f"lost before {k}: {n}, it was {true.get(k, 0)}"
             for k, n in said.items() if n > true.get(k, 0)]
    if not 0 < LOST * dropped <= lost:
        wrong.append(f"{lost} lost, it was {dropped}")
    return wrong, f"{lost} of {dropped} losses"


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--fabscope", required=True)
    fabscope = arguments.parse_args().fabscope
    failed = False
    for shape in SHAPES:
        with tempfile.TemporaryDirectory() as folder:
            record, db = run(fabscope, pathlib.Path(folder), shape)
            wrong = loads(record, db)
            more, flows = paths(record, db)
            dropped, lost = losses(record, db)
            db.close()
        print(f"{shape}: {len(record['links'])} directions, {flows} flows, "
              f"{lost}")
        for w in wrong + more + dropped:
            print(f"{shape}: {w}")
            failed = True
    raise SystemExit(failed)


if __name__ == "__main__":
    main()
