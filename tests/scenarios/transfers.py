#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Is storage told apart from training, and are one-way transfers left one way?

A ring of four ranks, a storage server that one of its hosts reads from and writes to,
and a host that sends long WRITEs to another at the times of requests, as KV caches of
inference go.  What belongs to what is the simulator's own record.  In one twin only the
port of the storage connections differs: then nothing is claimed to be storage.  In the
others only the times of the WRITEs do, regular or back to back: then nothing is said to
be like a KV cache.  TCP, which the simulator does not have, is written here: between a
rank and the server to a port of NVMe, and as much to the port beside it.

    transfers.py --fabscope BUILD/fabscope
"""
import argparse
import ipaddress
import json
import pathlib
import struct
import subprocess
import tempfile

SCENARIO = """run for=12ms
host r1 r2 r3 r4 s1 k1 k2
switch leaf1 leaf2 spine1
link leaf1 spine1 speed=400G
link leaf2 spine1 speed=400G
link r1 leaf1 speed=100G
link r2 leaf1 speed=100G
link k1 leaf1 speed=100G
link r3 leaf2 speed=100G
link r4 leaf2 speed=100G
link s1 leaf2 speed=100G
link k2 leaf2 speed=100G
collective ring pattern=ring ranks=r1..r4 size=1M iterations=20 compute=200us
qp n r1 s1 count=2 cm=yes cm_port={port}
flow nvme qp=n.* op=read,write size=128K count=30 depth=2 gap=100us
qp k k1 k2 count=2
flow kv qp=k.* op=write size=4M count=6 {times}
tap t1 r1->leaf1 both=yes snaplen=400
tap t2 r2->leaf1 both=yes snaplen=400
tap t3 r3->leaf2 both=yes snaplen=400
tap t4 r4->leaf2 both=yes snaplen=400
tap t5 s1->leaf2 both=yes snaplen=400
tap t6 k1->leaf1 both=yes snaplen=400
tap t7 k2->leaf2 both=yes snaplen=400
"""
TIMES = {"depth=1 gap=100us gap_to=1500us": "like KV cache",
         "depth=1 gap=800us": "one-way",
         "depth=1 every=1700us": "one-way",
         "depth=6 gap=0us": "one-way"}
PORTS = {4420: "NVMe over RDMA", 8009: "NVMe over RDMA",
         20049: "NFS over RDMA", 18515: None, 4421: None}


def ask(fabscope, db, query, *params):
    words = [w for p in params for w in ("--param", p)]
    done = subprocess.run([fabscope, "query", db, query, "--format", "json",
                           *words], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


class Tcp:
    """A capture of TCP at two capture points, cut to its headers."""

    SNAPLEN = 110

    def __init__(self):
        self.at = {"a": [], "b": []}
        self.payload = {}

    def segment(self, ns, ends, ports, payload):
        src, dst = (ipaddress.ip_address(a) for a in ends)
        options = 12 if payload else 0
        tcp = struct.pack("!HHIIBBHHH", *ports, 1, 1, (20 + options) << 2,
                          0x10, 512, 0, 0) + bytes(options)
        length = len(tcp) + payload
        if src.version == 4:
            ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + length, 0, 0, 64,
                             6, 0, src.packed, dst.packed)
        else:
            ip = struct.pack("!IHBB16s16s", 6 << 28, length, 6, 64,
                             src.packed, dst.packed)
        frame = (bytes(12) + (b"\x08\x00" if src.version == 4
                              else b"\x86\xdd") + ip + tcp + bytes(payload))
        for tap, late in (("a", 0), ("b", 900)):
            self.at[tap].append(struct.pack(
                "<4I", *divmod(ns + late, 10**9),
                min(len(frame), self.SNAPLEN), len(frame))
                + frame[:self.SNAPLEN])
        key = *ends, ports
        self.payload[key] = self.payload.get(key, 0) + payload

    def write(self, folder):
        for tap, frames in self.at.items():
            (folder / f"{tap}.pcap").write_bytes(struct.pack(
                "<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, self.SNAPLEN, 1)
                + b"".join(frames))
        return [w for tap in self.at
                for w in ("--tap", f"{tap}={folder}/{tap}.pcap")]


def over_tcp(fabscope, folder):
    """After a run without storage: is that of TCP known by its port?"""
    truth = json.loads((folder / "4421.truth.json").read_text())
    address = {h["host"]: h["address"] for h in truth["hosts"]}
    four, six = (address["r2"], address["s1"]), ("2001:db8::1", "2001:db8::5")
    tcp = Tcp()
    for i in range(300):
        for ends in (four, six):
            for port in (4420, 4421, 2049):
                ports = 40000 + i % 3, port
                there = (10**9 + 5000 * i, ends, ports)
                back = (there[0] + 1500, ends[::-1], ports[::-1])
                tcp.segment(*there, 1400 + i % 7)
                tcp.segment(*back, 96 if i % 2 else 0)
    words, db = tcp.write(folder), folder / "tcp.db"
    subprocess.run([fabscope, "analyze", folder / "4421.pcapng", *words, "-o",
                    db, "--topology", folder / "4421.devices" / "topology.ini"],
                   check=True, capture_output=True)
    want = {}
    for (src, dst, ports), n in tcp.payload.items():
        if 4420 in ports:
            sums = want.setdefault((src, dst), [0, 0])
            sums[0] += 1
            sums[1] += n
    rows = ask(fabscope, db, "transfers", "class=NVMe over TCP")
    got = {(r["src"], r["dst"]): [r["flows"], r["bytes"]] for r in rows}
    wrong = []
    if got != want or {r["target"] for r in rows} != {four[1], six[1]}:
        wrong.append(f"TCP: {rows}, it was {want}")
    ports = {r["place"]: r["ports"] for r in ask(fabscope, db, "places")}
    if ports["storage"] != 2:
        wrong.append(f"TCP: {ports['storage']} ports to storage")
    return wrong


def check(fabscope, folder, port, protocol, times, way):
    fab, out = folder / f"{port}.fab", folder / f"{port}.pcapng"
    db, devices = folder / f"{port}.db", folder / f"{port}.devices"
    fab.write_text(SCENARIO.format(port=port, times=times))
    subprocess.run([fabscope, "simulate", fab, "-w", out, "--evidence",
                    devices], check=True, capture_output=True)
    text = subprocess.run(
        [fabscope, "analyze", out, "-v", "-o", db, "--topology",
         devices / "topology.ini"], check=True, capture_output=True,
        text=True).stdout
    truth = json.loads((folder / f"{port}.truth.json").read_text())
    wanted, wrong = {}, []
    for f in truth["flows"]:
        # READ data is of the direction back: its flow has no work of its own
        work = f.get("work") or next(
            (p.get("work") for p in truth["flows"] if p["id"] == f["peer"]),
            None)
        payload = sum(c["payload"] for name, c in f["classes"].items()
                      if name in ("request", "response"))
        kind = {"nvme": protocol, "kv": way}.get(work)
        if kind and payload:
            key = f["src"], f["dst"], kind
            wanted[key] = wanted.get(key, 0) + payload
    got = {(r["src"], r["dst"], r["class"]): r["bytes"]
           for r in ask(fabscope, db, "transfers")}
    # what is under way at the end has not passed all taps
    if set(got) != set(wanted) or any(
            abs(got[k] - wanted[k]) > 0.02 * wanted[k] for k in wanted):
        wrong.append(f"port {port}, {times}: {got}, it was {wanted}")
    address = {h["host"]: h["address"] for h in truth["hosts"]}
    targets = {r["target"] for r in ask(fabscope, db, "transfers")
               if r["target"]}
    if targets != ({address["s1"]} if protocol else set()):
        wrong.append(f"port {port}: storage is {targets}")
    lines = text.count("storage: " + (protocol or ""))
    if lines != (1 if protocol else 0):
        wrong.append(f"port {port}: {lines} jobs are storage: {text}")
    ports = {r["place"]: r["ports"] for r in ask(fabscope, db, "places")}
    if ports["storage"] != (2 if protocol else 0):
        wrong.append(f"port {port}: {ports['storage']} ports to storage")
    # the ring alone has iterations, and neither storage nor the transfers are in it
    jobs = [j for j in ask(fabscope, db, "jct") if (j["iterations"] or 0) > 0]
    ranks = {r["host"] for j in jobs
             for r in ask(fabscope, db, "rank-bytes", f"job={j['job']}")}
    if ranks != {address[h] for h in ("r1", "r2", "r3", "r4")}:
        wrong.append(f"port {port}: iterations of {ranks}")
    return wrong


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--fabscope", required=True)
    fabscope = arguments.parse_args().fabscope
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        first = next(iter(TIMES))
        runs = [(p, first) for p in PORTS] + [(18515, t) for t in TIMES
                                              if t != first]
        for n, (port, times) in enumerate(runs):
            place = pathlib.Path(folder) / str(n)
            place.mkdir()
            wrong += check(fabscope, place, port, PORTS[port], times,
                           TIMES[times])
            if port == 4421:
                wrong += over_tcp(fabscope, place)
    for w in wrong:
        print(w)
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
