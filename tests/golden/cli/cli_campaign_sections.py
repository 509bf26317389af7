#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Sections of the benchmark draft that no other sweep fills: 6.1 to 6.5, 6.7, 7.3,
7.4, 8.1, 8.2, 9.3, 10.2 and 10.3.  Each number is computed anew from the simulator's
record."""
import re
import statistics
import unittest

import campaign_runs
import program

UET = """run for=3ms
switches buffer=1M {switch}
leafspine leaves=2 spines={spines} hosts=4 speed=100G delay=500ns
qp q h1..h{n} h5 service={service} cc={cc} evs={evs} timeout=1ms
flow f qp=q.* op={op} count={count} depth=2 gap=1us stagger=2us
"""
UPLINKS = """run for=4ms
nics sport=random
switches balance={balance} flowlet={timer} buffer=16M
leafspine leaves=2 spines=4 hosts=4 speed=100G delay=500ns
qp a h1 h5 count={qps}
qp b h2 h6 count={qps}
flow fa qp=a.* op=write size=32K depth=1 gap=20us gap_to=60us
flow fb qp=b.* op=write size=32K depth=1 gap=20us gap_to=60us
"""
DCQCN = """run for=20ms
switches kmin=50K kmax=200K pmax=0.5 lossless=3 xoff=2M xon=1M headroom=1M
leafspine leaves=1 spines=0 hosts=5 speed=100G delay=500ns
qp q h1..h{n} h5 dcqcn=yes
flow f qp=q.* op=write size=512K depth=2 stagger=3ms
tap t leaf1->h5 both=yes snaplen=128 pfc=yes
"""
GATHER = """run for=40ms done=yes
leafspine leaves=2 spines=2 hosts=4 speed=100G delay=500ns
collective job pattern=allgather ranks=h1..h{n} size=512K iterations=12 \
compute=150us
"""
TENANTS = """run for=60ms done=yes
leafspine leaves=2 spines=1 hosts=4 speed=100G uplink=100G delay=500ns
collective one pattern=ring ranks=h1,h5,h2,h6 size=1M iterations=10 compute=100us
{other}"""
OTHER = ("collective two pattern=ring ranks=h3,h7,h4,h8 size=1M "
         "iterations=10 compute=100us\n")
# at the hosts, so that times are those of the simulator's record
HOSTS = "".join(f"tap t{h} h{h}->leaf{(h + 3) // 4} side=tx both=yes "
                "snaplen=160 pfc=yes\n" for h in range(1, 9))
GROUP = ["[group up]\nmembers = " + ", ".join(
    f"leaf1->spine{s}" for s in range(1, 5)) + "\n"]


def throughput(truth):
    """Tb/s, of messages that were delivered."""
    done = [m for m in truth["messages"] if m["delivered_ns"]]
    return sum(m["bytes"] for m in done) * 8e-3 / (
        max(max(m["delivered_ns"], m["completed_ns"] or 0) for m in done)
        - min(m["first_ns"] for m in done))


def latency(truth):
    """us, from the first packet to the acknowledgement."""
    return statistics.mean(m["completed_ns"] - m["first_ns"]
                           for m in truth["messages"]
                           if m["completed_ns"]) / 1e3


def uplinks(truth):
    return [l["bytes"] for l in truth["links"]
            if l["link"].startswith("leaf1->spine")]


def fairness(v):
    return sum(v) ** 2 / len(v) / sum(x * x for x in v)


def flows_by_link(truth):
    """Largest number of flows over the mean, of the uplinks of leaf1."""
    ways = {}
    for number, f in enumerate(truth["flows"]):
        for hop in f.get("hops", []):
            if hop["switch"] == "leaf1" and f.get("work"):
                ways.setdefault(hop["egress"], set()).add(number)
    n = [len(v) for v in ways.values()]
    return max(n) / (sum(n) / 4)


def taps_sum(truth, tap, key, classes=("request",)):
    number = next(t["tap"] for t in truth["taps"] if t["name"] == tap)
    return sum(t[c].get(key, 0) for f in truth["flows"]
               for t in f.get("taps", []) if t["tap"] == number
               for c in classes if c in t)
SPINES = "".join(f"tap u{s} leaf1->spine{s} side=tx snaplen=128\n"
                 for s in range(1, 5))


class Sections(campaign_runs.Runs):
    title = "sections"

    def near(self, got, key, wanted, part):
        self.assertTrue(got.get(key), f"{key}: {got.get(key)!r}, {wanted}")
        self.assertLessEqual(abs(float(got[key]) - wanted),
                             part * abs(wanted) + 1e-12,
                             f"{key}: {got[key]}, it was {wanted}")

    def uet(self, name, seed, groups=(), taps=HOSTS, **with_):
        given = {"switch": "", "n": 2, "service": "rud", "cc": "none",
                 "evs": 64, "spines": 2, "count": 20, "op": "write size=64K", **with_}
        return self.simulate(name, UET.format(**given) + taps, seed, groups)

    def test_uet(self):
        """6.1 to 6.5 and 6.7."""
        truth = {}
        for service in ("rod", "rud", "rudi", "uud"):
            with_ = {"op": "send size=4K", "count": 100} \
                if service == "uud" else {}
            truth[service] = self.uet(service, 1, service=service, **with_)
            self.run_of(service, test="6.1, 6.2", transport="uet",
                        service=service)
        for way in ("ecmp", "spray"):
            truth[way] = self.uet(way, 6, GROUP, HOSTS + SPINES, n=4, evs=1,
                                  switch=f"balance={way}", spines=4)
            self.run_of(way, test="6.3", transport="uet", service="rud",
                        load_balancing=way)
        for n in (2, 4):
            truth[n] = self.uet(f"in{n}", 2, n=n)
            self.run_of(f"in{n}", test="6.4, 6.7", transport="uet",
                        service="rud", incast=n, qps=n)
        for name in ("uet_trim_incast", "uec_cbfc", "uet_rccc"):
            truth[name] = self.simulate(name, (
                program.CAPTURES / "scenarios" / f"{name}.fab").read_text(), 3)
            self.run_of(name, test="6.4, 6.5", transport="uet",
                        feature=name.replace("_", "-"))
        got = self.values()
        for service in ("rod", "rud", "rudi", "uud"):
            self.near(got, ("6.1", service, "Aggregate Throughput"),
                      throughput(truth[service]), 0.02)
            self.near(got, ("6.1", service, "QP or PDC count, sustained"), 2,
                      0)
            if service != "uud":
                # a capture point sees the end of the first packet (338 ns),
                # and the acknowledgement before the NIC has it (800 ns)
                self.near(got, ("6.2", service, "Message latency, mean"),
                          latency(truth[service]) - 1.138, 0.002)
        for way in ("ecmp", "spray"):
            self.near(got, ("6.3", way, "Jain Fairness Index (JFI)"),
                      fairness(uplinks(truth[way])), 0.001)
        for n in (2, 4):
            self.near(got, ("6.4", f"in{n}", "Aggregate Throughput"),
                      throughput(truth[n]), 0.02)
            self.near(got, ("6.7", f"in{n}", "Concurrent PDCs, most"), n, 0)
            # one more each 2 us
            self.near(got, ("6.7", f"in{n}", "PDC Establishment Rate"), 5e5,
                      0.001)
        self.near(got, ("6.5", "uet_trim_incast", "Trimmed packets"),
                  taps_sum(truth["uet_trim_incast"], "rx", "trimmed"), 0)
        # nothing is taken from 2 to 5 ms, after room for 1 MB and 600 cells;
        # credits are seen every 256 us
        self.near(got, ("6.5", "uec_cbfc", "UEC CBFC stall, longest"), 2905,
                  256 / 2905)

    def test_roce(self):
        """7.3, 7.4, 8.1 and 8.2."""
        truth = {}
        for n in (2, 4):
            truth[n] = self.simulate(f"dc{n}", DCQCN.format(n=n), 3)
            self.run_of(f"dc{n}", test="7.3", qps=n)
        self.simulate("dead", (program.CAPTURES / "scenarios"
                               / "deadlock.fab").read_text(), 1)
        self.run_of("dead", test="7.4", feature="cycle")
        for qps in (2, 16):
            truth[f"e{qps}"] = self.simulate(f"e{qps}", UPLINKS.format(
                balance="ecmp", timer="50us", qps=qps) + SPINES, 4, GROUP)
            self.run_of(f"e{qps}", test="8.1", qps=qps)
        for timer in (10, 30):
            truth[f"f{timer}"] = self.simulate(f"f{timer}", UPLINKS.format(
                balance="flowlet", timer=f"{timer}us", qps=4) + SPINES, 5,
                GROUP)
            self.run_of(f"f{timer}", test="8.2", flowlet_timer=f"{timer}us")
        got = self.values()
        for n in (2, 4):
            self.near(got, ("7.3", f"dc{n}", "Aggregate Throughput"),
                      throughput(truth[n]), 0.02)
            both = [sum(taps_sum(truth[n], tap, key, (
                "request", "ack", "response", "nak", "cnp", "rnr"))
                for tap in ("t", "t.back")) for key in ("ce", "captured")]
            self.near(got, ("7.3", f"dc{n}", "ECN Marking Ratio"),
                      100 * both[0] / both[1], 0.01)
        # three links of a ring of three switches
        self.near(got, ("7.4", "dead", "PFC deadlocks"), 3, 0)
        for name in ("e2", "e16", "f10", "f30"):
            test = "8.1" if name[0] == "e" else "8.2"
            sent = uplinks(truth[name])
            self.near(got, (test, name, "Jain Fairness Index (JFI)"),
                      fairness(sent), 0.001)
            if test == "8.1":
                self.near(got, (test, name, "ECMP Imbalance (MMR)"),
                          flows_by_link(truth[name]), 1e-6)
        high, low = (float(got["8.1", "e16", f"Per-link utilization, {w}"])
                     for w in ("highest", "lowest"))
        sent = uplinks(truth["e16"])
        self.assertAlmostEqual(high / low, max(sent) / min(sent), delta=0.01)
        for timer in (10, 30):
            gap = float(got["8.2", f"f{timer}", "Flowlet gap timer"])
            self.assertGreaterEqual(gap, timer)
            # idle times are 20 to 60 us, and what an acknowledgement takes
            self.assertLess(gap, 40)
            self.near(got, ("8.2", f"f{timer}", "Out-of-Order Packet Rate"),
                      0, 0)

    def test_jobs(self):
        """9.3, 10.2 and 10.3."""
        truth = {}
        for n in (4, 8):
            truth[n] = self.simulate(f"ag{n}", GATHER.format(n=n) + HOSTS, 7)
            self.run_of(f"ag{n}", test="9.3", collective="allgather",
                        accelerators=n, message_size="512K")
        steps = ["step,time,seconds,tokens_per_s,loss"] + [
            f"{k},{1767225600 + 30 * k},30,{1000 + k},1" for k in range(1, 9)]
        for tenancy, other in (("alone", ""), ("together", OTHER)):
            truth[tenancy] = self.simulate(tenancy, TENANTS.format(
                other=other) + HOSTS, 8)
            self.run_of(tenancy, test="10.2, 10.3", tenancy=tenancy,
                        overlap=1)
        (self.folder / "steps.csv").write_text("\n".join(steps) + "\n")
        status, _, err = self.run_here(
            "analyze", "alone.pcapng", "-o", "train.db", "--evidence",
            "steps.csv")
        self.assertEqual(status, 0, err)
        self.run_of("train", test="10.2", accelerators=4)
        got = self.values()
        for n in (4, 8):
            took = [(i["to_ns"] - i["comm_from_ns"]) / 1e6
                    for i in truth[n]["iterations"]]
            # as above: 338 + 800 ns, and the last packet's ACK
            self.near(got, ("9.3", f"ag{n}", "Iteration time, mean"),
                      statistics.mean(took), 0.04)
            wire = float(got["9.3", f"ag{n}", "Iteration time, mean"])
            self.near(got, ("9.3", f"ag{n}", "Bus Bandwidth (BusBW)"),
                      (1 << 19) * 8 * (n - 1) / n / wire / 1e6, 0.03)
        jct = {}
        for tenancy in ("alone", "together"):
            its = [i for i in truth[tenancy]["iterations"]
                   if i["work"] == "one"]
            jct[tenancy] = (max(i["to_ns"] for i in its)
                            - min(i["comm_from_ns"] for i in its)) / 1e9
            self.near(got, ("10.3", tenancy, "Job Completion Time (JCT)"),
                      jct[tenancy], 0.002)
        page = re.sub("<[^>]+>", " ", (self.folder / "c.html").read_text())
        factor = re.search(r"Tenancy together\s+([\d.]+)",
                           page.split("JCT interference factor:")[1])
        self.assertAlmostEqual(float(factor[1]),
                               jct["together"] / jct["alone"], delta=0.005)
        # eight steps of 30 s, the first of which the log begins with
        self.near(got, ("10.2", "train", "Time to train"), 4, 0.13)
        self.near(got, ("10.2", "train", "Tokens per second"), 1004.5, 0.005)


if __name__ == "__main__":
    unittest.main()
