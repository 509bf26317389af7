#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Numbers of a campaign that the simulator's record does not have: one-way delays,
convergence, receiver credit.  They are computed anew from the bytes of the
captures, by readers that share nothing with the program; set-up times and flows by
link from the record."""
import collections
import html.parser
import ipaddress
import math
import re
import sqlite3
import statistics
import struct
import sys
import unittest

import campaign_runs
import program

sys.path.insert(0, str(program.ROOT / "tests" / "uet"))
import reference  # noqa: E402

INCAST = """run for=3ms
switches buffer=64M
leafspine leaves=2 spines=2 hosts=4 speed=100G delay=500ns
qp q h1..h4 h5
flow f qp=q.* op=write size={size} count=40 depth=2 gap=3us gap_to=30us
tap a h1->leaf1 snaplen=128
tap b leaf2->h5 snaplen=128
"""
DCQCN = """run for=30ms
switches kmin=50K kmax=200K pmax=0.5 buffer=32M
leafspine leaves=1 spines=0 hosts=5 speed=100G delay=500ns
dcqcn {dcqcn}
qp q h1..h{n} h5 dcqcn=yes
flow f qp=q.* op=write size=512K depth=2 stagger=5ms
tap t leaf1->h5 both=yes snaplen=128
"""
SETUP = """run for=3ms
leafspine leaves=2 spines=4 hosts=4 speed=100G delay=500ns
switches balance={balance}
qp q h1..h4 h5 count={count} service={service} cc=none evs={evs}
flow f qp=q.* op=write size=64K count=20 depth=2 gap=1us stagger=2us
"""
HOSTS = "".join(f"tap t{h} h{h}->leaf1 side=tx both=yes snaplen=160\n"
                for h in range(1, 5))
SPINES = "".join(f"tap u{s} leaf1->spine{s} side=tx snaplen=128\n"
                 for s in range(1, 5))
GROUP = "[group up]\nmembers = " + ", ".join(
    f"leaf1->spine{s}" for s in range(1, 5)) + "\n"
ROCE = 4791


def captured(path):
    """(number of the interface, ns, frame) of a little-endian pcapng file."""
    data, at, units = path.read_bytes(), 0, []
    while at < len(data):
        kind, size = struct.unpack_from("<II", data, at)
        if kind == 1:
            unit, option = 10 ** 3, at + 16
            while option < at + size - 4:
                code, length = struct.unpack_from("<HH", data, option)
                if code == 9:
                    unit = 10 ** (9 - data[option + 4])
                option += 4 + (length + 3) // 4 * 4
            units.append(unit)
        elif kind == 6:
            tap, high, low, kept = struct.unpack_from("<IIII", data, at + 8)
            yield (tap, ((high << 32) | low) * units[tap],
                   data[at + 28:at + 28 + kept])
        at += size


def roce(data):
    """(source, destination, UDP source port, opcode, QP, PSN, bytes)."""
    ip = data[14:]
    if data[12:14] != b"\x08\x00" or ip[9] != 17:
        return None
    sport, dport = struct.unpack_from(">HH", ip, 20)
    if dport != ROCE:
        return None
    return (str(ipaddress.ip_address(ip[12:16])),
            str(ipaddress.ip_address(ip[16:20])), sport, ip[28],
            int.from_bytes(ip[33:36], "big"), int.from_bytes(ip[37:40], "big"),
            struct.unpack_from(">H", ip, 2)[0])


def is_data(opcode):
    """SEND and WRITE of RC."""
    return opcode <= 0x0b


def rank(v, share):
    """The smallest of sorted |v| with so many that are no larger."""
    return v[math.ceil(share * len(v)) - 1]


class Tables(html.parser.HTMLParser):
    """Rows of tables of the class |wanted|."""

    def __init__(self, text, wanted):
        super().__init__()
        self.wanted, self.inside, self.rows = wanted, False, []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag == "table":
            self.inside = dict(attrs).get("class") == self.wanted
        elif tag == "tr" and self.inside:
            self.rows.append([])
        elif tag in ("td", "th") and self.inside:
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        if tag == "table":
            self.inside = False

    def handle_data(self, data):
        if self.inside and self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


class Packets(campaign_runs.Runs):
    title = "packets"

    def near(self, got, wanted, part, what):
        self.assertTrue(got, f"{what}: {got!r}, {wanted}")
        self.assertLessEqual(abs(float(got) - wanted), part * abs(wanted),
                             f"{what}: {got}, it was {wanted}")

    def delays(self, name):
        """us from capture point a to b, of each packet that both have."""
        seen, out = {}, []
        for tap, ns, data in captured(self.folder / f"{name}.pcapng"):
            p = roce(data)
            if not p or not is_data(p[3]):
                continue
            if tap == 0:
                self.assertNotIn(p, seen)
                seen[p] = ns
            elif p in seen:
                out.append((ns - seen.pop(p)) / 1e3)
        self.assertFalse(seen)
        return sorted(out)

    def test_one_way_delays(self):
        """5.2: of each run, and of all together."""
        wanted = {}
        for size in ("16K", "64K"):
            for k in range(3):
                name = f"s{size}r{k}"
                self.simulate(name, INCAST.format(size=size), 60 + k)
                self.run_of(name, test="5.2", message_size=size,
                            repetition=k + 1)
                wanted[name] = self.delays(name)
        got = self.values()
        shares = (("P50", 0.5), ("P95", 0.95), ("P99", 0.99), ("P99.9", 0.999))
        for name, v in wanted.items():
            self.assertGreater(v[-1], 1.5 * v[0])  # there is a queue
            one = {m[2].rsplit(" ", 1)[1]: x for m, x in got.items()
                   if m[1] == name and m[2].startswith("One-way latency")}
            self.near(one["min"], v[0], 0.001, name)
            self.near(one["max"], v[-1], 0.001, name)
            self.near(one["mean"], statistics.fmean(v), 0.001, name)
            for what, share in shares:
                self.near(one[what], rank(v, share), 1 / 16,
                          f"{name} {what}")
        table = Tables((self.folder / "c.html").read_text(), "pooled").rows
        head = [re.sub(r"[^\w.]", "", h) for h in table[0]]
        for size in ("16K", "64K"):
            v = sorted(x for n, d in wanted.items() if n.startswith(f"s{size}")
                       for x in d)
            row, = (r for r in table[1:] if size in r[0])
            self.assertTrue(any(str(len(v)) in c for c in row), row)
            for what, share in shares:
                at = next(i for i, h in enumerate(head)
                          if h.startswith(what) and
                          (h == what or not h[len(what):][0].isdigit()
                           and h[len(what)] != "."))
                self.near(row[at].split()[0], rank(v, share), 1 / 16,
                          f"{size} {what} pooled")

    def converged(self, name, window):
        """us from the first packet of the last flow until every flow has its
        share to 10 % in each window, for ten windows and a millisecond."""
        flows, shares = {}, collections.defaultdict(collections.Counter)
        for _, ns, data in captured(self.folder / f"{name}.pcapng"):
            p = roce(data)
            if p and is_data(p[3]):
                flows.setdefault((p[0], p[4]), ns)
                shares[ns // window][p[0], p[4]] += p[6]
        joined, n = max(flows.values()), len(flows)
        even, over = {}, max(shares) + 1
        for w, s in shares.items():
            if w * window >= joined:
                mean = sum(s.values()) / n
                even[w] = all(abs(s[f] - mean) <= 0.1 * mean for f in flows)
        hold = max(10 * window, 1e6)
        for w in sorted(even):
            bad = next((b for b in range(w, over) if not even.get(b)), over)
            if (bad - w) * window >= hold:
                return (w * window - joined) / 1e3
        return None

    def test_convergence(self):
        """7.3: the time until flows have their fair share."""
        wanted = {}
        for n, dcqcn in ((2, "additive=400M"), (2, "additive=4G"),
                         (3, "additive=4G")):
            name = f"d{len(wanted)}"
            self.simulate(name, DCQCN.format(n=n, dcqcn=dcqcn), 3)
            self.run_of(name, test="7.3", qps=n, feature=name)
            with sqlite3.connect(self.folder / f"{name}.db") as db:
                (window,), = db.execute("SELECT window_ns FROM convergence")
            db.close()
            wanted[name] = self.converged(name, window)
        got = self.values()
        self.assertEqual([v is None for v in wanted.values()],
                         [False, False, True])
        for name, us in wanted.items():
            said = got.get(("7.3", name, "Congestion Control Convergence"))
            if us is None:
                self.assertFalse(said)
            else:
                self.near(said, us, 1e-6, name)

    def test_set_up_and_links(self):
        """6.1: contexts of the record; 6.3: flows of each uplink."""
        truth = {}
        for service in ("rod", "rud"):
            truth[service] = self.simulate(service, SETUP.format(
                balance="ecmp", count=1, service=service, evs=64) + HOSTS, 1)
            self.run_of(service, test="6.1", transport="uet", service=service)
        for seed in (4, 5):
            name = f"m{seed}"
            truth[name] = self.simulate(name, SETUP.format(
                balance="ecmp", count=4, service="rud", evs=1) + HOSTS
                + SPINES, seed, GROUP)
            self.run_of(name, test="6.3", transport="uet", service="rud",
                        qps=seed)
        got = self.values()
        for service in ("rod", "rud"):
            took = [(f["known_ns"] - f["opened_ns"]) / 1e3
                    for f in truth[service]["flows"] if f.get("initiator")]
            self.assertEqual(len(took), 4)
            # a capture point sees the end of the first packet (338 ns), and
            # the ACK before the NIC has it (800 ns)
            self.near(got["6.1", service, "Set-up time"],
                      statistics.fmean(took) - 1.138, 0.002, service)
        for seed in (4, 5):
            ways = collections.defaultdict(set)
            for number, f in enumerate(truth[f"m{seed}"]["flows"]):
                for hop in f.get("hops", []):
                    if hop["switch"] == "leaf1" and f.get("work"):
                        ways[hop["egress"]].add(number)
            n = [len(v) for v in ways.values()]
            self.assertGreater(max(n), sum(n) / 4)
            self.near(got["6.3", f"m{seed}", "ECMP Imbalance (MMR)"],
                      max(n) / (sum(n) / 4), 1e-6, f"flows by uplink {n}")

    def test_credit(self):
        """6.4: granted over requested, from the counters in the packets, which
        begin at 0 in the capture."""
        self.simulate("rccc", (program.CAPTURES / "scenarios"
                               / "uet_rccc.fab").read_text(), 3)
        self.run_of("rccc", test="6.4", transport="uet")
        granted, requested = {}, {}
        for tap, _, data in captured(self.folder / "rccc.pcapng"):
            source, target = data[26:30], data[30:34]
            for part in reference.decode(data).get("parts", []):
                for who, key, to in ((source, "credit_target", requested),
                                     (target, "credit", granted)):
                    if key in part[3]:
                        to.setdefault((who, tap), []).append(part[3][key])
        self.assertEqual(set(granted), set(requested))

        def most(counters):
            """By sender, at the capture point that saw most of it."""
            by = {}
            for (sender, _), v in counters.items():
                by[sender] = max(by.get(sender, 0), v[-1])
            self.assertEqual(len(by), 8)
            return sum(by.values())

        self.near(self.values()["6.4", "rccc", "Receiver credit utilization"],
                  100 * most(granted) / most(requested), 1e-6, "credit")


if __name__ == "__main__":
    unittest.main()
