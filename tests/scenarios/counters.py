#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Counters of simulated devices, true ones and lies.

`simulate --evidence` writes what its NICs and switches counted and, with --lie,
something else; this gives it to `fabscope analyze --evidence` with the capture.
True counters never contradict; a counter that does not move, counters of another
host or port, storms that were none and a clock that is wrong are found out
wherever the capture shows that traffic.  What was true is in the record of the
simulator.

    counters.py FABSCOPE SCENARIO..."""
import argparse
import collections
import json
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from cases import some  # noqa: E402

# Meanings for which hosts have to agree wherever they are captured.
TRANSPORT = ("naks_received", "rnr_received", "timeouts", "implied_naks",
             "retransmitted")
WORLDS = {
    "marks": """run for=4ms
switches kmin=20K kmax=200K pmax=0.5 buffer=16M
dcqcn cut_period=50us
host h1 h2 h3
switch leaf1
link h1 leaf1 speed=100G delay=500ns
link h2 leaf1 speed=100G delay=500ns
link h3 leaf1 speed=100G delay=500ns
qp q1 h1 h3 dcqcn=yes window=32 timeout=20ms
qp q2 h2 h3 dcqcn=yes window=32 timeout=20ms
flow f1 qp=q1 op=write size=256K count=40 depth=2
flow f2 qp=q2 op=write size=256K count=24 depth=2
tap a h1->leaf1
tap b h2->leaf1
tap c leaf1->h3
tap d leaf1->h1
tap e leaf1->h2
tap f h3->leaf1
""",
    "few_copies": """run for=20ms
host h1 h2 h3
switch leaf1
link h1 leaf1 speed=100G delay=500ns
link h2 leaf1 speed=100G delay=500ns
link h3 leaf1 speed=100G delay=500ns
change leaf1 buffer=120K alpha=8
qp q1 h1 h3 receiver=select window=8 timeout=2ms count=20
qp q2 h2 h3 receiver=select window=8 timeout=2ms count=20
flow f1 qp=q1.* op=write size=32K count=2 depth=1
flow f2 qp=q2.* op=write size=32K count=2 depth=1
tap a h1->leaf1 both=yes loss=0.49 snaplen=96
tap b h2->leaf1 both=yes loss=0.49 snaplen=96
""",
    "parallel": """run for=20ms
host h1 h2 h3 h4
switch s1 s2
link h1 s1 speed=100G delay=500ns
link h2 s1 speed=100G delay=500ns
link h3 s1 speed=100G delay=500ns
link s1 s2 count=3 speed=100G delay=500ns
link h4 s2 speed=400G delay=500ns
nics sport=random
qp q h1..h3 h4 window=16 count=2
flow f qp=q.* op=write size=256K count=8 depth=1 stagger=3us
tap a s1->s2#0
tap b s1->s2#1
tap c s1->s2#2
tap d s2->s1#0
tap e s2->s1#1
tap f s2->s1#2
""",
    "watchdog": """run for=1s
switches lossless=3 xoff=60K xon=30K headroom=100K buffer=4M quanta=65535 """
                """watchdog=200ms restore=400ms
leafspine leaves=2 spines=1 hosts=1 speed=100G delay=500ns
qp bad h1 h2 ecn=no timeout=2s rate=40G
flow fb qp=bad op=write size=256K depth=2
nic h2 storm_from=1ms storm_to=950ms storm_every=300us
tap broken h2->leaf2 both=yes snaplen=128 pfc=yes
"""}


def run(*words):
    done = subprocess.run([str(w) for w in words], capture_output=True,
                          text=True, check=False)
    if done.returncode not in (0, 3):
        sys.exit(f"{words}: {done.stderr}")


class Scenario:
    def __init__(self, program, path, folder, seed):
        self.program, self.folder = program, folder
        self.capture = folder / "s.pcapng"
        self.simulate = ("simulate", path, "-f", "-w", self.capture, "--seed",
                         seed, "--evidence", folder / "devices")
        run(program, *self.simulate)
        self.truth = json.loads((folder / "s.truth.json").read_text())
        self.hosts = {h["host"]: h["address"] for h in self.truth["hosts"]}
        self.storms = sum(e["kind"] == "watchdog" and bool(e.get("value"))
                          for e in self.truth["events"])

    def checks(self, *lies, only="*"):
        """What analysis finds with files that are called |only|."""
        if lies:
            run(self.program, *self.simulate,
                *(word for lie in lies for word in ("--lie", lie)))
        at = self.folder / "devices"
        run(self.program, "analyze", "-o", self.folder / "s.db", "--topology",
            at / "topology.ini", *(word for path in sorted(at.glob(only))
                                   if path.name != "topology.ini"
                                   for word in ("--evidence", path)),
            self.capture)
        db = sqlite3.connect(self.folder / "s.db")
        db.row_factory = sqlite3.Row
        self.kpi = dict(db.execute("SELECT name, value FROM kpi").fetchall())
        # a capture whose clock is wrong differs from all counters
        apart = any(t["offset_ns"] or t["drift_ppm"]
                    for t in self.truth["taps"])
        rows = [dict(r) for r in db.execute(
            "SELECT k.*, s.node, s.port, c.delta FROM counter_check k"
            " LEFT JOIN counted c ON c.id = k.counted_id"
            " LEFT JOIN evidence_source s ON s.id = c.source_id")
            if not (apart and r["what"] == "clock")]
        self.apart = apart
        self.sampled = [dict(r) for r in db.execute(
            "SELECT d.*, s.node FROM sampled d"
            " JOIN evidence_source s ON s.id = d.source_id")]
        db.close()
        return rows


def samples(name, s, total):
    """What switches report of themselves against the record."""
    drops = collections.Counter()
    flows = {f["id"]: f for f in s.truth["flows"]}
    for e in s.truth["events"]:
        if e["kind"] == "drop" and e.get("reason") in (
                "buffer", "headroom", "watchdog", "no route", "ttl"):
            f = flows[e["flow"]]
            drops[f["src"], f["dst"]] += 1
    said = collections.Counter()
    for r in s.sampled:
        if r["dropped"]:
            said[r["src"], r["dst"]] += r["estimated"]
    if said != drops:
        yield f"{name}: reported {dict(said)}, were {dict(drops)}"
    total["drop reports"] += sum(drops.values())
    if any(r["verdict"] == "contradicts" for r in s.sampled if r["dropped"]):
        yield f"{name}: a true drop report is said to be false"
    # a port that sends n packets samples n // 256 of them
    want = sum((k["packets"] - k["pause_frames"]) // 256
               for k in s.truth["links"]
               if k["link"].split("->")[0] not in s.hosts)
    got = sum(r["samples"] for r in s.sampled if not r["dropped"])
    if got != want:
        yield f"{name}: {got} packets sampled of {want}"
    total["samples"] += want


def drops(name, s, true):
    """Each drop is counted once, by however many sources it is known."""
    counted = collections.Counter()
    for d in s.truth["drops"]:
        if d["reason"] in ("buffer", "headroom", "watchdog", "no route", "ttl"):
            counted[d["place"].split(" to ")[0]] += d["packets"]
    for r in true:
        if r["what"] in ("drops", "losses") and r["node"] in counted and \
                r["counted"] > counted[r["node"]]:
            yield (f"{name}: {r['node']} dropped {counted[r['node']]}, said "
                   f"{r['counted']}")


def ports(name, s, true, total):
    """What agrees is of the port of the record, also of parallel links."""
    for r in true:
        if r["node"] in s.hosts or r["verdict"] != "agrees" or \
                r["what"] not in ("tx_packets", "rx_packets"):
            continue
        n = ports_of(s, r["node"])[r["port"]][r["what"] == "rx_packets"]
        total["ports"] += 1
        # a few are on the cable when the run ends
        if not n - 16 <= r["counted"] <= n:
            yield f"{name}: {r['port']} of {r['node']} had {n}: {r['reason']}"
    if name == "parallel" and len({r["port"] for r in true if r["node"] == "s1"
                                   and r["what"] == "tx_packets"}) < 3:
        yield f"{name}: not all ports of parallel links are known"


def main():
    words = argparse.ArgumentParser()
    words.add_argument("fabscope")
    words.add_argument("scenario", nargs="*", type=pathlib.Path)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--verbose", action="store_true")
    words.add_argument("--only", action="store_true",
                       help="only the scenarios that are named")
    o = words.parse_args()
    wrong, total = [], collections.Counter()
    worlds = () if o.only else map(pathlib.Path, WORLDS)
    for path in some([*worlds, *o.scenario]):
        with tempfile.TemporaryDirectory() as folder:
            if path.name in WORLDS:
                path = pathlib.Path(folder) / path.name
                path.write_text(f"title {path.name}\n" + WORLDS[path.name])
            s = Scenario(o.fabscope, path, pathlib.Path(folder), o.seed)
            true = s.checks()
            wrong += drops(path.stem, s, true)
            wrong += ports(path.stem, s, true, total)
            total.update(r["verdict"] for r in true)
            # what a cable swallows no port counts
            cable = any(d["reason"] in ("fault", "link down")
                        for d in s.truth["drops"])
            wrong += [f"{path.stem}: {r['reason']}" for r in true
                      if r["verdict"] == "contradicts"
                      and not (cable and r["what"] == "losses")]
            if o.verbose:
                for r in true:
                    print(path.stem, r["verdict"], r["reason"])
            if (s.kpi["Watchdog events"] or 0) != s.storms:
                wrong.append(f"{path.stem}: {s.kpi['Watchdog events']} events"
                             f" of watchdogs, {s.storms} were")
            wrong += samples(path.stem, s, total)
            for lie in (stuck, invented, swapped_hosts, swapped_ports, lagging,
                        clocks, blamed):
                wrong += lie(path.stem, s, true, total)
    print(dict(total))
    print("\n".join(wrong))
    return bool(wrong)


def stuck(name, s, true, total):
    """A counter that does not move, where the true one was of use."""
    sent = {r["node"]: r["counted"] for r in true
            if r["what"] == "rdma_tx_packets" and r["verdict"] == "agrees"
            and r["counted"] > 9}
    known = {}

    def rows(node):
        if node not in known:
            known[node] = s.checks(f"stuck={node}")
        return known[node]
    if sent:
        node = max(sent, key=sent.get)
        total["stuck NIC"] += 1
        bad = {r["node"] for r in rows(node)
               if r["verdict"] == "contradicts" and r["what"] != "losses"}
        if bad != {node}:
            yield f"{name}: {node} does not move, and {bad} is said to lie"
    for what in ("rx_pauses", "tx_pauses", "rx_paused", "storms", "ecn_marked",
                 "cnps_sent", *TRANSPORT):
        saw = {r["node"]: r["packets_min"] for r in true if r["what"] == what
               and r["verdict"] == "agrees"
               and r["packets_min"] > (10**6 if what == "rx_paused" else
                                       what != "storms")}
        for node in sorted(saw)[:1]:
            total[f"stuck {what}"] += 1
            if not any(r["what"] == what and r["verdict"] == "contradicts"
                       for r in rows(node)):
                yield f"{name}: {what} of {node} does not move, nobody saw it"
    explained = {r["node"] for r in true if r["what"] == "losses"
                 and r["verdict"] == "explains" and r["incident_id"]}
    for node in sorted(explained):
        total["stuck switch"] += 1
        if not any(r["what"] == "losses" and r["verdict"] in
                   ("contradicts", "fewer") for r in rows(node)):
            yield f"{name}: {node} does not move, and nobody saw it"


def invented(name, s, true, total):
    """A watchdog that tells of storms that were not."""
    for node in {r["node"] for r in true if r["what"] == "storms"}:
        total["invented storms"] += 1
        if {r["verdict"] for r in s.checks(f"storms={node}")
                if r["what"] == "storms"} != {"contradicts"}:
            yield f"{name}: storms of {node} are invented, nobody saw it"


def swapped_hosts(name, s, true, total):
    """The files of two hosts are mixed up."""
    sent = {r["node"]: r["counted"] for r in true
            if r["what"] == "rdma_tx_packets" and r["verdict"] == "agrees"
            and r["node"] in s.hosts}
    if len(sent) < 2:
        return
    a, b = max(sent, key=sent.get), min(sent, key=sent.get)
    if sent[a] < sent[b] + 200:
        return
    total["swapped hosts"] += 1
    bad = {r["node"] for r in s.checks(f"swap={a},{b}")
           if r["verdict"] == "contradicts" and r["what"] != "losses"
           and r["what"] not in ("tx_packets", "rx_packets")
           and r["node"] in s.hosts}
    # more than a host's packets may be of other traffic
    total[f"swapped hosts: {len(bad)} said"] += 1
    if not bad or not bad <= {a, b}:
        yield f"{name}: {a} and {b} are swapped, and {bad} is said to lie"


def ports_of(s, node):
    """What each port of a switch sent and received, by the record."""
    links = {k["link"]: k["packets"] - k["pause_frames"]
             for k in s.truth["links"]}

    def back(link):
        ends, hash_, n = link.partition("#")
        a, b = ends.split("->")
        return f"{b}->{a}{hash_}{n}"
    return {f"Ethernet{4 * p['port']}":
            (links[p["link"]], links[back(p["link"])])
            for w in s.truth["switches"] if w["switch"] == node
            for p in w["ports"]}


def swapped_ports(name, s, true, total):
    """Two ports of a switch are mixed up."""
    seen = {r["node"] for r in true if r["verdict"] == "agrees"
            and r["what"] in ("tx_packets", "rx_packets")}
    for node in sorted(seen):
        n = ports_of(s, node)
        a, b = max(n, key=n.get), min(n, key=n.get)
        if n[a][0] < n[b][0] + 200 or abs(n[a][1] - n[b][1]) < 200:
            continue
        total["swapped ports"] += 1
        bad = {r["reason"].split()[1] for r in s.checks(
                   f"swap={node}:{a},{node}:{b}")
               if r["verdict"] == "contradicts" and r["node"] == node
               and r["what"] in ("tx_packets", "rx_packets", "port")}
        total[f"swapped ports: {len(bad)} said"] += 1
        if not bad or not bad <= {a, b}:
            yield f"{name}: {node} {a} and {b} are swapped, {bad} said to lie"


def lagging(name, s, true, total):
    """A switch reads the counters of its chip at intervals."""
    seen = [r for r in true if r["verdict"] == "agrees" and not s.apart
            and r["what"] == "tx_packets" and r["packets_min"] > 1000
            and r["node"] not in s.hosts]
    if not seen:
        return
    node, port = seen[0]["node"], seen[0]["port"]
    ends = [f[k] for f in s.truth["flows"] for k in ("first_ns", "last_ns")
            if f[k]]
    begin, end = min(ends) // 10**9 - 2, max(ends) // 10**9
    half = seen[0]["packets_min"] // 2
    # (counted, last read so long after the capture): verdict, what is said
    for moved, after, verdict, word in (
            (half, 5, "fewer", "not refreshed yet"),
            (0, 5, "contradicts", "had not refreshed it yet"),
            (half, 90, "contradicts", None), (0, 90, "contradicts", None)):
        total["lagging switch"] += 1
        values = [[begin, "1000"], [begin + 1, "1000"],
                  [end + after, str(1000 + moved)]]
        (s.folder / "devices" / "late.json").write_text(json.dumps(
            {"status": "success", "data": {"resultType": "matrix", "result": [
                {"metric": {"__name__": "SAI_PORT_STAT_IF_OUT_UCAST_PKTS",
                            "instance": node, "interface": port},
                 "values": values}]}}))
        rows = [r for r in s.checks(only="late.json")
                if r["what"] == "tx_packets"]
        said = "; ".join(f"{r['verdict']}: {r['reason']} {r['settle']}"
                         for r in rows)
        if [r["verdict"] for r in rows] != [verdict] or \
                ((word or "refreshed") in said) != bool(word):
            yield f"{name}: {node} {port} {moved} after {after} s: {said}"
    (s.folder / "devices" / "late.json").unlink()


def to_the_packet(row):
    return f"capture has {row['counted']:,} packets" in row["reason"]


def clocks(name, s, true, total):
    """The clock of what scrapes the hosts is wrong."""
    exact = {r["node"] for r in true if r["counted"] > 99
             and r["what"] == "rdma_tx_packets" and to_the_packet(r)}
    exact &= {r["node"] for r in true
              if r["what"] == "rdma_rx_packets" and to_the_packet(r)}
    if not exact or s.apart:
        return
    for shift, says in ((0, None), (-5, "contradicts"), (5, "contradicts"),
                        (-3600, "unused"), (3600, "unused")):
        total[f"clock {shift}"] += 1
        rows = [r for r in s.checks(f"clock={shift}s", only="scraped.json")
                if r["what"] == "clock"]
        named = {r["node"] for r in rows if r["verdict"] == says
                and "exactly" in r["reason"]}
        if not (exact <= named if says else not rows):
            yield f"{name}: clock off by {shift} s, {named} of {exact} are named"
        way = "later" if shift > 0 else "earlier"
        if not all(way in r["reason"] for r in rows if "exactly" in
                   r["reason"]):
            yield f"{name}: clock off by {shift} s, said {rows[0]['reason']}"


def blamed(name, s, true, total):
    """A switch reports drops of packets that it has forwarded."""
    s.checks()
    was = {r["flow_id"] for r in s.sampled if r["verdict"] == "explains"}
    # where both directions are captured and nothing is missed, it is shown that
    # a flow lost nothing
    seen = {}
    for tap in s.truth["taps"]:
        seen.setdefault(tap["interface"], set()).add(tap["link"])
    shown = {a for links in seen.values() for link in links
             for a, b in [link.split("#")[0].split("->")]
             if f"{b}->{a}" in links and a in s.hosts}
    if any(t["missed"] or t["outside"] or t["mirror_duplicates"] or
           t["snaplen"] and t["snaplen"] < 64 for t in s.truth["taps"]):
        shown = set()
    lossless = not s.truth["drops"] and not s.apart
    hosts = {s.hosts[h] for h in shown}
    last = collections.Counter()
    for f in s.truth["flows"]:
        pair = f["src"], f["dst"]
        last[pair] = min(f["last_ns"] or 0, last.get(pair, f["last_ns"] or 0))
    for w in s.truth["switches"]:
        s.checks(f"drops={w['switch']}", only="sflow.pcapng")
        lies = [r for r in s.sampled if r["dropped"]
                and r["flow_id"] not in was and r["lost"] == 0]
        total["invented drops"] += bool(lies)
        for r in lies:
            # only a flow captured both ways shows that nothing was lost
            must = lossless and {r["src"], r["dst"]} <= hosts and \
                last[r["src"], r["dst"]] > r["first_ns"] + 1100000
            if r["verdict"] != "contradicts" and (must or r["verdict"] !=
                                                  "unused"):
                yield f"{name}: {w['switch']} invents drops, {r['verdict']}"
            total["invented drops that must be said"] += must
        total["invented drops said"] += any(
            r["verdict"] == "contradicts" for r in lies)


if __name__ == "__main__":
    sys.exit(main())
