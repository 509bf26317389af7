#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Counters of simulated devices, true ones and lies.

The record of the simulator (truth.json) has what each port sent, dropped and
paused.  This writes it as NICs (ethtool -S of mlx5) and switches (SONiC, SAI)
print it, and gives it to `fabscope analyze --evidence` with the capture.  True
counters never contradict; a counter that does not move, counters of another host
or port, and a clock that is wrong are found out wherever the capture shows that
traffic.

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

# What the record of a flow has of its sender, and the name that a NIC has for it.
SENDER = {"nak_seq": "packet_seq_err", "timeouts": "local_ack_timeout_err",
          "rnr_nak": "rnr_nak_retry_err", "implied_nak": "implied_nak_seq_err"}
# Their meanings, for which hosts have to agree wherever they are captured.
MEANINGS = {"packet_seq_err": "naks_received", "rnr_nak_retry_err":
            "rnr_received", "local_ack_timeout_err": "timeouts",
            "implied_nak_seq_err": "implied_naks",
            "tx_rdma_retx_pkts": "retransmitted"}
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


class Devices:
    """What each port of each node counted."""

    def __init__(self, truth):
        self.count = collections.defaultdict(collections.Counter)
        self.peer = {}
        self.hosts = {h["host"]: h["address"] for h in truth["hosts"]}
        self.truth = truth
        drops = {d["place"]: d["packets"] for d in truth["drops"]
                 if d["reason"] == "buffer"}
        for d in truth["drops"]:
            if d["reason"] == "watchdog":
                a, b = d["place"].split(" to ")
                self.count[a, self.port(a, b)]["storm_drops"] += d["packets"]
        for e in truth["events"]:
            if e["kind"] == "watchdog" and e.get("value"):
                self.tell_storm(e["place"])
        for f in truth["flows"]:
            self.count[f["src_host"], "eth0"]["tx_rdma_retx_pkts"] += sum(
                c.get("retransmissions", 0) for c in f["classes"].values())
            for key, name in SENDER.items():
                self.count[f["src_host"], "eth0"][name] += f.get(key, 0)
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
        out["rx_paused_us"] += sum(link["paused_ns"]) // 1000
        out["marked"] += link.get("marked", 0)

    def tell_storm(self, node):
        """The record has the switch; its port is the one that was paused."""
        for link in self.truth["links"]:
            a, b = link["link"].split("->")
            if a == node and sum(link["paused_ns"]) > 150 * 10**6:
                self.count[a, self.port(a, b)]["storms"] += 1

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
                    "cnp_got", "rx_paused_us", "marked", "storms",
                    "storm_drops", *MEANINGS)}
                if node in self.hosts:
                    self.write_host(folder / f"{port(node, node)}.{moment}.txt",
                                    v)
                else:
                    switches[node][port(node, name)] = v
            for node, ports in switches.items():
                (folder / f"{node}.{moment}.json").write_text(json.dumps({
                    p: {"RX_OK": str(v["rx"]), "TX_OK": f"{v['tx']:,}",
                        "RX_DRP": str(START), "TX_DRP": f"{v['tx_drop']:,}"}
                    for p, v in ports.items()}))
                (folder / f"{node}.{moment}.prom").write_text(
                    "# TYPE SAI_PORT_STAT_PFC_3_RX_PKTS counter\n" + "".join(
                        f'{name}{{interface="{p}"}} {v[key]}\n'
                        for p, v in ports.items() for name, key in (
                            ("SAI_PORT_STAT_PFC_3_RX_PKTS", "rx_pause"),
                            ("SAI_PORT_STAT_PFC_3_TX_PKTS", "tx_pause"),
                            ("SAI_PORT_STAT_PFC_3_RX_PAUSE_DURATION_US",
                             "rx_paused_us"),
                            ("SAI_PORT_STAT_ECN_MARKED_PACKETS", "marked"))))
                (folder / f"{node}wd.{moment}.txt").write_text(
                    f"# host={node}\nQUEUE STATUS STORM DETECTED/RESTORED"
                    " TX OK/DROP RX OK/DROP\n" + "".join(
                        f"{p}:3 operational {v['storms']}/{v['storms']}"
                        f" 0/{v['storm_drops']} 0/0\n"
                        for p, v in ports.items()))

    def write_series(self, path, shift):
        """As Prometheus scrapes hosts, by a clock that is wrong by |shift| s."""
        t = self.truth
        begin, end = t["from_ns"], t["to_ns"]
        times = [begin - n * 10**9 for n in range(20, 0, -1)]
        times += range(begin, end, max(10**6, (end - begin) // 50))
        times += [end + n * 10**9 for n in range(20)]
        result = []
        for link in t["links"]:
            a, b = re.split("->", link["link"].split("#")[0])
            for node, name, total in (
                    (a, "tx_vport_rdma_unicast_packets", link["packets"]),
                    (b, "rx_vport_rdma_unicast_packets", link["delivered"])):
                if node in self.hosts:
                    total -= link["pause_frames"]
                    result.append({"metric": {
                        "__name__": name, "instance": node,
                        "interface": "eth0"}, "values": [
                            [at / 1e9 + shift, str(START + self.until(
                                link, at, total))] for at in times]})
        path.write_text(json.dumps({"status": "success", "data": {
            "resultType": "matrix", "result": result}}))

    def until(self, link, at, total):
        if at >= self.truth["to_ns"]:
            return total
        width, begin = self.truth["bin_ns"], self.truth["from_ns"]
        return min(total, sum(n[1] for n in link["bins"]
                              if begin + (n[0] + 1) * width <= at))

    @staticmethod
    def write_host(path, v):
        path.write_text(
            "# port=eth0\nNIC statistics:\n"
            f"     tx_vport_rdma_unicast_packets: {v['tx']}\n"
            f"     rx_vport_rdma_unicast_packets: {v['rx']}\n"
            f"     tx_pause_ctrl_phy: {v['tx_pause']}\n"
            f"     rx_pause_ctrl_phy: {v['rx_pause']}\n"
            f"     np_cnp_sent: {v['cnp_sent']}\n"
            f"     rp_cnp_handled: {v['cnp_got']}\n"
            f"     rx_prio3_pause_duration: {v['rx_paused_us']}\n"
            + "".join(f"     {k}: {v[k]}\n" for k in MEANINGS))

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

    def checks(self, shift=None, **how):
        at = self.folder / "counters"
        at.mkdir(exist_ok=True)
        for old in at.iterdir():
            old.unlink()
        if shift is None:
            self.devices.write(at, **how)
        else:
            self.devices.write_series(at / "scraped.json", shift)
        self.devices.topology(self.folder / "t.ini", self.truth)
        run(self.program, "analyze", "-o", self.folder / "s.db", "--topology",
            self.folder / "t.ini", "--evidence", at, self.capture)
        db = sqlite3.connect(self.folder / "s.db")
        db.row_factory = sqlite3.Row
        self.kpi = dict(db.execute("SELECT name, value FROM kpi").fetchall())
        rows = [dict(r) for r in db.execute(
            "SELECT k.*, s.node FROM counter_check k"
            " LEFT JOIN counted c ON c.id = k.counted_id"
            " LEFT JOIN evidence_source s ON s.id = c.source_id")]
        db.close()
        return rows


def main():
    words = argparse.ArgumentParser()
    words.add_argument("fabscope")
    words.add_argument("scenario", nargs="*", type=pathlib.Path)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--verbose", action="store_true")
    o = words.parse_args()
    wrong, total = [], collections.Counter()
    for path in [*map(pathlib.Path, WORLDS), *o.scenario]:
        with tempfile.TemporaryDirectory() as folder:
            if path.name in WORLDS:
                path = pathlib.Path(folder) / path.name
                path.write_text(f"title {path.name}\n" + WORLDS[path.name])
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
            storms = sum(c["storms"] for c in s.devices.count.values())
            if s.kpi["Watchdog events"] != storms:
                wrong.append(f"{path.stem}: {s.kpi['Watchdog events']} events"
                             f" of watchdogs, {storms} were")
            for lie in (stuck, invented, swapped_hosts, swapped_ports, clocks):
                wrong += lie(path.stem, s, true, total)
    print(dict(total))
    print("\n".join(wrong))
    return bool(wrong)


def stuck(name, s, true, total):
    """A counter that does not move, where the true one was of use."""
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
    for what in ("rx_pauses", "tx_pauses", "rx_paused", "storms", "ecn_marked",
                 "cnps_sent", *MEANINGS.values()):
        saw = {r["node"]: r["packets_min"] for r in true if r["what"] == what
               and r["verdict"] == "agrees"
               and r["packets_min"] > (what != "storms")}
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


def invented(name, s, true, total):
    """A watchdog that tells of storms that were not."""
    for node in {r["node"] for r in true if r["what"] == "storms"}:
        total["invented storms"] += 1
        ports = [c for (d, _), c in s.devices.count.items() if d == node]
        for c in ports:
            c["storms"] += 7
        rows = s.checks()
        for c in ports:
            c["storms"] -= 7
        if {r["verdict"] for r in rows if r["what"] == "storms"} != \
                {"contradicts"}:
            yield f"{name}: storms of {node} are invented, nobody saw it"


def swapped_hosts(name, s, true, total):
    """The files of two hosts are mixed up."""
    sent = {r["node"]: r["counted"] for r in true
            if r["what"] == "rdma_tx_packets" and r["verdict"] == "agrees"
            and r["node"] in s.devices.hosts}
    if len(sent) < 2:
        return
    a, b = max(sent, key=sent.get), min(sent, key=sent.get)
    if sent[a] < sent[b] + 200:
        return
    total["swapped hosts"] += 1
    other = {a: b, b: a}
    bad = {r["node"] for r in s.checks(port=lambda n, p: other.get(p, p))
           if r["verdict"] == "contradicts" and r["what"] != "losses"
           and r["what"] not in ("tx_packets", "rx_packets")
           and r["node"] in s.devices.hosts}
    # what was lost beyond the capture, its own counters alone have
    if not bad or not bad <= {a, b} or len(bad) < 2 and not s.truth["drops"]:
        yield f"{name}: {a} and {b} are swapped, and {bad} is said to lie"


def swapped_ports(name, s, true, total):
    """Two ports of a switch are mixed up."""
    seen = {r["node"] for r in true if r["verdict"] == "agrees"
            and r["what"] in ("tx_packets", "rx_packets")}
    for node in sorted(seen):
        n = {p: c["tx"] for (d, p), c in s.devices.count.items() if d == node}
        a, b = max(n, key=n.get), min(n, key=n.get)
        if n[a] < n[b] + 200:
            continue
        total["swapped ports"] += 1
        other = {(node, a): b, (node, b): a}
        bad = {r["reason"].split()[1] for r in s.checks(
                   port=lambda d, p, other=other: other.get((d, p), p))
               if r["verdict"] == "contradicts" and r["node"] == node
               and r["what"] in ("tx_packets", "rx_packets", "port")}
        total[f"swapped ports: {len(bad)} said"] += 1
        if not bad or not bad <= {a, b}:
            yield f"{name}: {node} {a} and {b} are swapped, {bad} said to lie"


def to_the_packet(row):
    return f"capture has {row['counted']:,} packets" in row["reason"]


def clocks(name, s, true, total):
    """The clock of what scrapes the hosts is wrong."""
    exact = {r["node"] for r in true if r["counted"] > 99
             and r["what"] == "rdma_tx_packets" and to_the_packet(r)}
    exact &= {r["node"] for r in true
              if r["what"] == "rdma_rx_packets" and to_the_packet(r)}
    # the record's bins have pause frames as well; and a capture whose clock
    # is wrong differs from all counters
    exact -= {re.split("->", k["link"])[i] for k in s.truth["links"]
              for i in (0, 1) if k["pause_frames"]}
    if not exact or any(t["offset_ns"] or t["drift_ppm"]
                        for t in s.truth["taps"]):
        return
    for shift, says in ((0, None), (-5, "contradicts"), (5, "contradicts"),
                        (-3600, "unused"), (3600, "unused")):
        total[f"clock {shift}"] += 1
        rows = [r for r in s.checks(shift=shift) if r["what"] == "clock"]
        told = {r["node"] for r in rows if r["verdict"] == says
                and "exactly" in r["reason"]}
        if not (exact <= told if says else not rows):
            yield f"{name}: clock off by {shift} s, {told} of {exact} are told"
        way = "later" if shift > 0 else "earlier"
        if not all(way in r["reason"] for r in rows if "exactly" in
                   r["reason"]):
            yield f"{name}: clock off by {shift} s, said {rows[0]['reason']}"


if __name__ == "__main__":
    sys.exit(main())
