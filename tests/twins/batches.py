#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures whose packets are stamped in batches, as with interrupt moderation.

    batches.py --fabscope BUILD/fabscope --simulate SIMULATE

What the taps of a ring of four captured is stamped anew: each packet as late as
the batch ends that it is in, which a timer or a clock that ticks decides.  No
answer may take for a queue, or for a host, what only the stamps differ by; a
queue that is much longer than a batch is there all the same."""
import argparse
import json
import os
import sqlite3
import struct
import subprocess
import sys
import tempfile

US = 1000
FABRIC = """title ring of four
run for=4s done=yes twins=yes
switches balance=ecmp latency=1200ns buffer=128M alpha=8
nics sport=linux ipid=zero family=ipv4 turnaround=1500ns
host h1..h4
host x1..x2
switch leaf1 leaf2
switch spine1
link h1 leaf1 speed=100G delay=500ns
link h2 leaf1 speed=100G delay=500ns
link h3 leaf2 speed=100G delay=500ns
link h4 leaf2 speed=100G delay=500ns
link x1 leaf1 speed=100G delay=500ns
link x2 leaf1 speed=100G delay=500ns
link leaf1 spine1 speed=400G delay=500ns
link leaf2 spine1 speed=400G delay=500ns
collective job pattern=ring ranks=h1,h2,h3,h4 {job} compute_jitter=2us \
mtu=4096 qps=1 slices=2 window=1024 nccl=yes ackreq=1 coalesce=2 \
ack_delay=10us timeout=4ms
tap th1 h1->leaf1 both=yes snaplen=128 pfc=yes
tap th2 h2->leaf1 both=yes snaplen=128 pfc=yes
tap th3 h3->leaf2 both=yes snaplen=128 pfc=yes
tap th4 h4->leaf2 both=yes snaplen=128 pfc=yes
"""
QUEUE = """qp s{n} x{n} h2 mtu=4096 window=4096 ecn=no timeout=500ms
flow f{n} qp=s{n} op=write size=4000000 every=4000us start=20us
"""
SHORT = "size=1048576 iterations=30 compute=300us"
MIDDLE = "size=8388608 iterations=8 compute=2ms"
LONG = "size=33554432 iterations=5 compute=3ms"
BATCHES = [(20, False), (100, False), (100, True), (200, True)]


def blocks(data):
    pos = 0
    while pos < len(data):
        kind, size = struct.unpack_from("<II", data, pos)
        yield kind, data[pos:pos + size]
        pos += size


def batched(data, step, ticks):
    """The same capture, of which each interface stamps in batches of |step|
    ns; |ticks|: of a clock, else of a timer that begins with a packet."""
    head, packets, over = [], [], {}
    for kind, block in blocks(data):
        if kind != 6:
            head.append(block)
            continue
        tap, high, low = struct.unpack_from("<III", block, 8)
        ns, end = high << 32 | low, over.get(tap, 0)
        if ns > end:
            phase = (tap + 1) * 7919 * US % step
            end = -(-(ns - phase) // step) * step + phase if ticks \
                else ns + step
            over[tap] = end
        packets.append((end, block[:12] + struct.pack("<II", end >> 32,
                                                      end & 0xffffffff) +
                        block[20:]))
    packets.sort(key=lambda p: p[0])
    return b"".join(head) + b"".join(p for _, p in packets)


def answer(args, folder, data):
    path = os.path.join(folder, "x.pcapng")
    with open(path, "wb") as f:
        f.write(data)
    db = os.path.join(folder, "x.db")
    if os.path.exists(db):
        os.remove(db)
    subprocess.run([args.fabscope, "analyze", "-o", db, path], check=True,
                   stdout=subprocess.DEVNULL)
    with sqlite3.connect(db) as d:
        return d.execute(
            "SELECT a.verdict, total(s.ns) FILTER (WHERE s.side = 'network')"
            "       / a.total_ns, total(s.ns) FILTER (WHERE s.side = 'host')"
            "       / a.total_ns, (SELECT max(stamp_step_ns) FROM tap)"
            "  FROM answer a JOIN answer_share s ON s.answer_id = a.id"
            " WHERE a.job = 1 AND a.scope = 'job'").fetchone()


def captured(args, folder, name, text):
    scenario = os.path.join(folder, name + ".fab")
    with open(scenario, "w") as f:
        f.write(text)
    path = os.path.join(folder, name + ".pcapng")
    subprocess.run([args.simulate, "-w", path, scenario], check=True,
                   stdout=subprocess.DEVNULL)
    with open(path, "rb") as f, \
            open(path.replace(".pcapng", ".truth.json")) as t:
        return f.read(), json.load(t)["answers"][0]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--fabscope", required=True)
    p.add_argument("--simulate", required=True)
    args = p.parse_args()
    bad = 0

    with tempfile.TemporaryDirectory() as folder:
        for name, job, queue, room in [("short", SHORT, False, 0.06),
                                       ("middle", MIDDLE, False, 0.02),
                                       ("queue", LONG, True, 0.10)]:
            text = FABRIC.format(job=job)
            if queue:
                text += "".join(QUEUE.format(n=n) for n in (1, 2))
            data, truth = captured(args, folder, name, text)
            share = truth["network_ns"] / truth["total_ns"]
            for us, ticks in [(0, False)] + BATCHES:
                new = batched(data, us * US, ticks) if us else data
                verdict, net, host, step = answer(args, folder, new)
                right = {"network", "undetermined"} if queue and us >= 100 \
                    else {"network"} if queue \
                    else {"nothing-wrong", "undetermined"}
                measured = us * US <= step < 2 * us * US if us else step is None
                good = verdict in right and measured and host <= 0.06 and \
                    abs(net - share) <= room
                bad += not good
                print(f"{'ok' if good else 'NOT ok'} {name} {us} us"
                      f"{' grid' if ticks else ''}: {verdict}, "
                      f"network {net:.3f} of {share:.3f}, host {host:.3f}, "
                      f"stamps step by {step}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
