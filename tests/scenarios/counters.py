#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Counters of simulated devices, true ones and lies.

The record of the simulator (truth.json) has what each port sent, dropped and
paused.  This writes it as NICs (ethtool -S of mlx5) and switches (SONiC, SAI)
print it, and gives it to `fabscope analyze --evidence` with the capture.  True
counters never contradict; a counter that does not move, and counters of another
port, are found out wherever the capture shows that traffic.

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

START = 1000  # what every counter had before


def run(*words):
    done = subprocess.run([str(w) for w in words], capture_output=True,
                          text=True, check=False)
    if done.returncode not in (0, 3):
        sys.exit(f"{words}: {done.stderr}")


class Devices:
    """What each port of each node counted."""

    def __init__(self, truth):
        self.count = collections.defaultdict(collections.Counter)
        self.peer = {}
        self.hosts = {h["host"]: h["address"] for h in truth["hosts"]}
        drops = {d["place"]: d["packets"] for d in truth["drops"]
                 if d["reason"] == "buffer"}
        for link in truth["links"]:
            a, b = re.split("->", link["link"].split("#")[0])
            self.peer[a, self.port(a, b)] = b
            self.tell(link, a, b, drops.get(f"{a} to {b}", 0))
        for cnp in truth["cnps"]:
            self.tell_cnp(truth, cnp)

    def port(self, node, peer):
        return "eth0" if node in self.hosts else f"Ethernet-{peer}"

    def tell(self, link, a, b, drops):
        out = self.count[a, self.port(a, b)]
        into = self.count[b, self.port(b, a)]
        frames = link["packets"] - link["pause_frames"]
        got = link["delivered"] - link["pause_frames"]
        out["tx"] += frames
        out["tx_drop"] += drops
        into["rx"] += got
        out["tx_pause"] += link["pause_frames"]
        into["rx_pause"] += link["pause_frames"]

    def tell_cnp(self, truth, cnp):
        flow = next(f for f in truth["flows"] if f["id"] == cnp["flow"])
        names = {address: name for name, address in self.hosts.items()}
        self.count[names[flow["dst"]], "eth0"]["cnp_sent"] += 1
        if cnp["arrived_ns"] not in (None, -1):
            self.count[names[flow["src"]], "eth0"]["cnp_got"] += 1

    def write(self, folder, moved=lambda node: True, port=lambda n, p: p):
        for moment in ("before", "after"):
            switches = collections.defaultdict(dict)
            for (node, name), n in self.count.items():
                on = moment == "after" and moved(node)
                v = {k: START + on * n[k] for k in (
                    "tx", "rx", "tx_drop", "tx_pause", "rx_pause", "cnp_sent",
                    "cnp_got")}
                if node in self.hosts:
                    self.write_host(folder / f"{node}.{moment}.txt", v)
                else:
                    switches[node][port(node, name)] = v
            for node, ports in switches.items():
                (folder / f"{node}.{moment}.json").write_text(json.dumps({
                    p: {"RX_OK": str(v["rx"]), "TX_OK": f"{v['tx']:,}",
                        "RX_DRP": str(START), "TX_DRP": f"{v['tx_drop']:,}"}
                    for p, v in ports.items()}))
                (folder / f"{node}.{moment}.prom").write_text(
                    "# TYPE SAI_PORT_STAT_PFC_3_RX_PKTS counter\n" + "".join(
                        f'SAI_PORT_STAT_PFC_3_{way.upper()}_PKTS'
                        f'{{interface="{p}"}} {v[way + "_pause"]}\n'
                        for p, v in ports.items() for way in ("rx", "tx")))

    @staticmethod
    def write_host(path, v):
        path.write_text(
            "# port=eth0\nNIC statistics:\n"
            f"     tx_vport_rdma_unicast_packets: {v['tx']}\n"
            f"     rx_vport_rdma_unicast_packets: {v['rx']}\n"
            f"     tx_pause_ctrl_phy: {v['tx_pause']}\n"
            f"     rx_pause_ctrl_phy: {v['rx_pause']}\n"
            f"     np_cnp_sent: {v['cnp_sent']}\n"
            f"     rp_cnp_handled: {v['cnp_got']}\n")

    def topology(self, path, truth):
        lines = []
        for name, address in self.hosts.items():
            lines += [f"[host {name}]", f"address = {address}"]
        done = set()
        for (node, port), peer in sorted(self.peer.items()):
            if (peer, node) not in done:
                done.add((node, peer))
                lines += [f"[link {node}--{peer}]",
                          f"ports = {port}, {self.port(peer, node)}"]
        ways = collections.defaultdict(list)
        for tap in truth["taps"]:
            ways[tap["interface"]].append(tap["link"].split("#")[0])
        for name, links in ways.items():
            both = len(set(links)) > 1
            lines += [f"[tap {name}]", "link = " + (
                links[0].replace("->", "--") if both else links[0])]
        path.write_text("\n".join(lines) + "\n")


class Scenario:
    def __init__(self, program, path, folder, seed):
        self.program, self.folder = program, folder
        self.capture = folder / "s.pcapng"
        run(program, "simulate", path, "-w", self.capture, "--seed", seed)
        self.truth = json.loads((folder / "s.truth.json").read_text())
        self.devices = Devices(self.truth)

    def checks(self, **how):
        at = self.folder / "counters"
        at.mkdir(exist_ok=True)
        for old in at.iterdir():
            old.unlink()
        self.devices.write(at, **how)
        self.devices.topology(self.folder / "t.ini", self.truth)
        run(self.program, "analyze", "-o", self.folder / "s.db", "--topology",
            self.folder / "t.ini", "--evidence", at, self.capture)
        db = sqlite3.connect(self.folder / "s.db")
        db.row_factory = sqlite3.Row
        rows = [dict(r) for r in db.execute(
            "SELECT k.*, s.node FROM counter_check k"
            " LEFT JOIN counted c ON c.id = k.counted_id"
            " LEFT JOIN evidence_source s ON s.id = c.source_id")]
        db.close()
        return rows


def main():
    words = argparse.ArgumentParser()
    words.add_argument("fabscope")
    words.add_argument("scenario", nargs="+", type=pathlib.Path)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--verbose", action="store_true")
    o = words.parse_args()
    wrong, total = [], collections.Counter()
    for path in o.scenario:
        with tempfile.TemporaryDirectory() as folder:
            s = Scenario(o.fabscope, path, pathlib.Path(folder), o.seed)
            true = s.checks()
            total.update(r["verdict"] for r in true)
            # what a cable swallows no port counts
            cable = any(d["reason"] != "buffer" for d in s.truth["drops"])
            wrong += [f"{path.stem}: {r['reason']}" for r in true
                      if r["verdict"] == "contradicts"
                      and not (cable and r["what"] == "losses")]
            if o.verbose:
                for r in true:
                    print(path.stem, r["verdict"], r["reason"])
            wrong += lies(path.stem, s, true, total)
    print(dict(total))
    print("\n".join(wrong))
    return bool(wrong)


def lies(name, s, true, total):
    """Each kind of lie where the true counters were of use."""
    sent = {r["node"]: r["counted"] for r in true
            if r["what"] == "rdma_tx_packets" and r["verdict"] == "agrees"
            and r["counted"] > 9}
    if sent:
        node = max(sent, key=sent.get)
        total["stuck NIC"] += 1
        bad = {r["node"] for r in s.checks(moved=lambda n: n != node)
               if r["verdict"] == "contradicts" and r["what"] != "losses"}
        if bad != {node}:
            yield f"{name}: {node} does not move, and {bad} is said to lie"
    for what in ("rx_pauses", "tx_pauses"):
        saw = {r["node"]: r["packets_min"] for r in true if r["what"] == what
               and r["verdict"] == "agrees" and r["packets_min"] > 1}
        for node in sorted(saw)[:1]:
            total[f"stuck {what}"] += 1
            if not any(r["what"] == what and r["verdict"] == "contradicts"
                       for r in s.checks(moved=lambda n, node=node: n != node)):
                yield f"{name}: {what} of {node} does not move, nobody saw it"
    explained = {r["node"] for r in true if r["what"] == "losses"
                 and r["verdict"] == "explains" and r["incident_id"]}
    for node in sorted(explained):
        total["stuck switch"] += 1
        if not any(r["what"] == "losses" and r["verdict"] in
                   ("contradicts", "fewer")
                   for r in s.checks(moved=lambda n, node=node: n != node)):
            yield f"{name}: {node} does not move, and nobody saw it"


if __name__ == "__main__":
    sys.exit(main())
