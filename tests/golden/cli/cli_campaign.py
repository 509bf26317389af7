#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""fabscope campaign: sweeps of the simulator.  What the runs measured is
computed anew from the simulator's own record, what is said of repetitions by
the definitions of docs/campaign.md, in other words than those of the program."""
import csv
import html.parser
import json
import math
import os
import statistics
import unittest
import xml.etree.ElementTree as xml

import program

TRANSFER = """run for=12ms
leafspine leaves=2 spines=2 hosts=2 speed=100G delay=500ns
{pairs}{loss}tap t h1->leaf1 both=yes snaplen=128
tap u leaf2->h3 both=yes snaplen=128
"""
PAIR = """qp q{0} h1 h3
flow f{0} qp=q{0} op=write size={1} count=60 depth=2 gap=2us gap_to=4us
"""
RING = """run for=20ms done=yes
leafspine leaves=2 spines=2 hosts=4 speed=100G delay=500ns
collective job pattern=ring ranks=h1..h{n} size=256K iterations=10 \
compute=150us compute_jitter=20us {more}
"""


def transfer(size, qps, loss):
    return TRANSFER.format(
        loss=f"fault h1->leaf1 drop chance={loss}\n" if loss else "", pairs="".join(
        PAIR.format(i, size) for i in range(qps)))


TAPS = "tap t{0} h{0}->leaf{1} both=yes snaplen=128\n"


class Page(html.parser.HTMLParser):
    """Tables by their id, and what the page would load."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.loads, self.tags, self.series = {}, [], set(), []
        self.table = self.cell = self.figure = None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags.add(tag)
        self.loads += [v for k, v in attrs.items() if k in ("src", "href")]
        if tag == "table":
            self.table = self.tables.setdefault(
                attrs.get("id") or attrs.get("class") or "", [])
        elif tag == "tr" and self.table is not None:
            self.table.append([])
        elif tag in ("td", "th") and self.table is not None:
            self.cell = ""
        if tag == "figure":
            self.figure = attrs["id"]
        if attrs.get("class") == "series":
            self.series.append((self.figure, attrs["data-name"],
                                attrs["data-values"]))

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data

    def handle_endtag(self, tag):
        if tag in ("td", "th") and self.cell is not None:
            self.table[-1].append(self.cell)
            self.cell = None


def interval(values):
    """Ranks of the sign test, from binomial coefficients."""
    v, n = sorted(values), len(values)
    if n == 1:
        return None
    best = 0
    for k in range(n // 2):
        inside = sum(math.comb(n, i) for i in range(k + 1, n - k)) / 2 ** n
        if k and inside < 0.95:
            break
        best = k
    inside = sum(math.comb(n, i) for i in range(best + 1, n - best)) / 2 ** n
    return v[best], v[n - 1 - best], inside


class Campaign(program.Case):
    def simulate(self, name, scenario, seed):
        (self.folder / f"{name}.fab").write_text(scenario)
        status, _, err = self.run_here("simulate", f"{name}.fab", "-w",
                                       f"{name}.pcapng", "--seed", seed)
        self.assertEqual(status, 0, err)
        return json.loads(
            (self.folder / f"{name}.pcapng.truth.json").read_text()
            if (self.folder / f"{name}.pcapng.truth.json").exists()
            else (self.folder / f"{name}.truth.json").read_text())

    def campaign(self, text, *words, status=0):
        (self.folder / "c.ini").write_text(text)
        got = self.run_here("campaign", "-f", "c.ini", "-o", "c.html",
                            "--csv-output", "c.csv", *words)
        self.assertEqual(got[0], status, got)
        if status not in (0, 3):
            return got[2], None
        with open(self.folder / "c.csv", newline="") as f:
            rows = list(csv.DictReader(f))
        return rows, Page((self.folder / "c.html").read_text())

    def same(self, row, values):
        """A row of a cell is what these values give."""
        self.assertEqual(int(row["runs"]), len(values))
        v = statistics.median(values)
        self.assertAlmostEqual(float(row["value"]), v, delta=1e-9 * v)
        self.assertAlmostEqual(float(row["mean"]), statistics.mean(values),
                               delta=1e-9 * v)
        low, high, inside = interval(values)
        self.assertAlmostEqual(float(row["ci_low"]), low, delta=1e-9 * low)
        self.assertAlmostEqual(float(row["ci_high"]), high, delta=1e-9 * high)
        self.assertAlmostEqual(float(row["ci_coverage"]), inside, places=9)
        if len(values) > 1:
            self.assertAlmostEqual(float(row["std_deviation"]),
                                   statistics.stdev(values), delta=1e-6 * v)

    def test_sweep(self):
        """Sizes by queue pairs, seven repetitions with losses by chance."""
        text = ["[campaign]", "title = <b>sweep</b>", "[dut]",
                "accelerator-rate = 100G", "switch-model = simulated"]
        truth = {}
        for size in ("16K", "64K"):
            for qps in (1, 4):
                for k in range(7):
                    name = f"s{size}q{qps}r{k}"
                    loss = 0.02 if name == "s64Kq4r3" else 0.0003
                    t = self.simulate(name, transfer(size, qps, loss),
                                      7700 + k)
                    sent = [m for m in t["messages"] if m["completed_ns"]]
                    self.assertEqual(len(sent), 60 * qps)
                    span = (max(m["completed_ns"] for m in sent)
                            - min(m["first_ns"] for m in sent))
                    truth[name] = (sum(m["bytes"] for m in sent) * 8e-3 / span,
                                   size, qps)
                    text += [f"[run {name}]", f"file = {name}.pcapng",
                             "test = 5.1, 5.2", f"message-size = {size}",
                             f"qps = {qps}", f"repetition = {k + 1}"]
        rows, page = self.campaign("\n".join(text))
        runs = {r["run"]: float(r["value"]) for r in rows
                if r["scope"] == "run" and r["test"] == "5.1"
                and r["metric"] == "Aggregate Throughput"}
        self.assertEqual(set(runs), set(truth))
        for name, (wanted, _, _) in truth.items():
            self.assertAlmostEqual(runs[name] / wanted, 1, delta=0.02,
                                   msg=name)
        cells = [r for r in rows if r["scope"] == "cell" and r["test"] == "5.1"
                 and r["metric"] == "Aggregate Throughput"]
        self.assertEqual(len(cells), 4)
        for cell in cells:
            names = [n for n, (_, size, qps) in truth.items()
                     if (size, str(qps)) == (cell["message-size"],
                                             cell["qps"])]
            self.same(cell, [runs[n] for n in names])
            slow = [n for n in names if n == "s64Kq4r3"]
            self.assertEqual([n for n in cell["outliers"].split("; ")
                              if n in slow], slow)
        self.whole(page, cells)

    def whole(self, page, cells):
        """The page has the values, loads nothing and has no markup of ours."""
        self.assertEqual(page.loads, [])
        self.assertFalse({"script", "b", "img", "link", "iframe"} & page.tags)
        table = page.tables["table-5.1"]
        self.assertEqual(len(table), 5)
        at = table[0].index("Aggregate Throughput, Tb/s")
        for row in table[1:]:
            cell = [c for c in cells if c["message-size"] == row[0]
                    and c["qps"] == row[1]][0]
            self.assertEqual(row[at], "%.4g [%.4g, %.4g]" % tuple(
                float(cell[k]) for k in ("value", "ci_low", "ci_high")))
        drawn = {name: dict(p.split(",") for p in values.split())
                 for figure, name, values in page.series
                 if figure == "chart-5-1"}
        for cell in cells:
            x = {"16K": "0", "64K": "1"}[cell["message-size"]]
            self.assertAlmostEqual(
                float(drawn["QPs or PDCs " + cell["qps"]][x]),
                float(cell["value"]), places=6)
        text = (self.folder / "c.html").read_text()
        self.assertIn("s64Kq4r3: outlier in 5.1", " ".join(
            text.replace("</", " </").split()))
        self.assertIn("5.2: the draft asks for 20 repetitions", text)
        self.axes(text)
        for rows in page.tables.values():
            self.assertFalse([c for r in rows for c in r if "e+" in c])

    def axes(self, text):
        for svg in text.split("<svg")[1:]:
            self.axis(xml.fromstring("<svg" + svg.split("</svg>")[0]
                                     + "</svg>"))

    def axis(self, svg):
        """No value is above the topmost line of the axis."""
        ns = "{http://www.w3.org/2000/svg}"
        top = max(float(t.text) for t in svg.iter(ns + "text")
                  if t.get("text-anchor") == "end")
        for group in svg.iter(ns + "g"):
            for point in group.get("data-values").split():
                self.assertLessEqual(float(point.split(",")[1]), top)

    def test_collectives(self):
        """JCT ratio and bus bandwidth of rings, RoCEv2 beside UET."""
        text = ["[dut]", "accelerator-rate = 100G", "[default]",
                "test = 6.6, 10.1", "collective = allreduce",
                "message-size = 256K", "compute = 150us"]
        truth = {}
        for n in (4, 8):
            for transport, more in (("roce", ""), ("uet", "service=rud")):
                for k in range(2):
                    name = f"{transport}{n}-{k}"
                    t = self.simulate(name, RING.format(n=n, more=more) + "".join(
                        TAPS.format(i + 1, 1 + i // 4) for i in range(n)),
                        9100 + k)
                    its = t["iterations"]
                    ns = its[-1]["to_ns"] - its[0]["from_ns"]
                    jct = its[-1]["to_ns"] - min(its[0]["rank_start_ns"])
                    roof = 10 * (150e3 + 2 * (n - 1) / n * 262144 * 8 / 100)
                    truth[name] = (ns / roof, jct / 1e9)
                    text += [f"[run {name}]", f"file = {name}.pcapng",
                             f"transport = {transport}",
                             f"accelerators = {n}"]
        rows, page = self.campaign("\n".join(text))
        for name, (ratio, jct) in truth.items():
            got = {r["metric"]: float(r["value"] or "nan") for r in rows
                   if r["run"] == name}
            self.assertAlmostEqual(got["Job Completion Time (JCT)"] / jct, 1,
                                   delta=0.02, msg=name)
            self.assertAlmostEqual(got["JCT Ratio"] / ratio, 1, delta=0.02,
                                   msg=name)
            self.assertAlmostEqual(got["BusBW efficiency"],
                                   got["Bus Bandwidth (BusBW)"], places=6)
        self.assertEqual(len(page.tables["factors"]), 3)
        for row in page.tables["factors"][1:]:
            n = "8" if "Accelerators 8" in row[0] else "4"
            bw = {t: statistics.median(
                float(r["value"]) for r in rows if r["scope"] == "run"
                and r["test"] == "6.6" and r["accelerators"] == n
                and r["transport"].lower() == t
                and r["metric"] == "Bus Bandwidth (BusBW)")
                for t in ("roce", "uet")}
            self.assertAlmostEqual(float(row[1]), bw["uet"] / bw["roce"],
                                   delta=0.001)
        self.assertIn("the algorithm is not given",
                      (self.folder / "c.html").read_text())

    def test_day(self):
        """Drift over hours and the slope of memory, by hand."""
        self.simulate("a", RING.format(n=4, more="") + "".join(
            TAPS.format(i + 1, 1) for i in range(4)), 3)
        self.run_here("analyze", "a.pcapng", "-o", "a.db")
        text = ["[campaign]", "memory = m.csv", "[dut]",
                "accelerator-rate = 100G", "[default]", "test = 12.1",
                "message-size = 256K", "compute = 150us"]
        for hour in range(12):
            text += [f"[run h{hour}]", "file = a.db", f"hour = {2 * hour}"]
        (self.folder / "m.csv").write_text(
            "hours,process,bytes\n" + "".join(
                f"{h},bgpd,{50e6 + 2.5e6 * h}\n{h},syncd,{9e7 + h % 2}\n"
                for h in (0, 1, 6, 12, 24)))
        # without the compute time no JCT ratio, and the rest as it was
        for given in (text, [t for t in text if not t.startswith("compute")]):
            rows, page = self.campaign("\n".join(given))
            head, row = page.tables["table-12.1"]
            self.assertEqual(row[head.index("JCT Ratio, ratio")] == "n/a",
                             given != text)
            self.assertEqual(row[head.index("Confidence")],
                             f"{100 * interval(list(range(12)))[2]:.1f} %")
        rows, page = self.campaign("\n".join(text))
        memory = {r[0]: r[1:] for r in page.tables["table-12.2"][1:]}
        self.assertEqual(memory["bgpd"][:2], ["5", "2.5"])
        self.assertIn("1 MB", memory["bgpd"][2])
        self.assertEqual(memory["syncd"][1:], ["0", ""])  # no rounding error
        text = (self.folder / "c.html").read_text()
        self.assertIn("Drift: 0 ratio an hour over 12 runs", text)
        self.assertIn("not statistically significant", text)
        self.axes(text)
        self.assertEqual({r["hour"] for r in rows if r["scope"] == "run"},
                         {str(2 * h) for h in range(12)})

    def test_missing(self):
        """What no run has, and for other reasons, is said of each."""
        for n in (1, 7):
            self.simulate(f"i{n}", "run for=6ms\nswitches lossless=3 xoff=200K "
                          "xon=150K headroom=200K\nleafspine leaves=1 spines=1 "
                          "hosts=8 speed=100G delay=500ns\n" + "".join(
                              f"qp q{i} h{i} h8\nflow f{i} qp=q{i} op=write "
                              "size=64K count=30 depth=4\n"
                              for i in range(1, n + 1)) + "".join(
                                  f"tap t{i} h{i}->leaf1 both=yes pfc=yes\n"
                                  for i in range(1, 9)), 4200)
        _, page = self.campaign("[default]\ntest = 7.2\n" + "".join(
            f"[run i{n}]\nfile = i{n}.pcapng\nincast = {n}:1\n"
            for n in (1, 7)))
        text = (self.folder / "c.html").read_text()
        pauses = [json.loads((self.folder / f"i{n}.truth.json").read_text())[
            "pauses"] for n in (1, 7)]
        self.assertFalse(pauses[0])
        self.assertTrue(pauses[1])
        for n, why in ((1, "PFC frames in the capture"),
                       (7, "a storm: there was none")):
            self.assertIn(f"PFC storm onset of Incast degree {n}:1: n/a, "
                          f"needs {why}", text)
        self.campaign("[default]\ntest = 7.2\n[run i1]\nfile = i1.pcapng\n"
                      "incast = 1:1\n")
        self.assertIn("<li>PFC Pause Count, PFC Pause Duration, PFC storms, "
                      "PFC storm onset: n/a, needs PFC frames",
                      (self.folder / "c.html").read_text())

    def test_two_fabrics(self):
        self.simulate("a", transfer("16K", 1, 0), 5)
        rows, page = self.campaign(
            "[dut a]\naccelerator-rate = 100G\naccelerators-per-node = 8\n"
            "[dut b]\naccelerator-rate = 400G\naccelerators-per-node = 8\n"
            "[run 1]\nfile = a.pcapng\ntest = 5.1\ndut = a\n"
            "[run 2]\nfile = a.pcapng\ntest = 5.1\ndut = b\n")
        said = {r[0]: r[-1] for r in page.tables["comparable"][1:]}
        self.assertEqual(said["Accelerators per node"], "the same")
        self.assertIn("differs", said["B_acc"])
        self.assertIn("differs", said["Leaf oversubscription"])
        self.assertEqual(len([r for r in rows if r["scope"] == "cell"]), 10)

    def test_anonymous(self):
        """No name of the file or of the capture is left, every number is."""
        self.simulate("secretfile", RING.format(
            n=8, more="nccl=yes late_rank=2 late=300us late_from=4") + "".join(
                TAPS.format(h, (h + 3) // 4) for h in range(1, 9)), 5)
        text = ("[campaign]\ntitle = TopSecret\nnotes = for CustomerX\n"
                "memory = m.csv\n"
                "[dut siteA]\naccelerator-rate = 100G\n"
                "switch-model = VendorM\naccelerators-per-node = 8\n"
                "[dut siteB]\naccelerator-rate = 400G\n"
                "switch-model = VendorN\naccelerators-per-node = 8\n"
                "[run alice]\nfile = secretfile.pcapng\ntest = 7.1\n"
                "dut = siteA\nload-balancing = ecmp\n"
                "[run bob]\nfile = secretfile.pcapng\ntest = 7.1\n"
                "dut = siteB\nload-balancing = MagicMode\n")
        (self.folder / "m.csv").write_text("0,leaf7-bgpd,1000\n1,leaf7-bgpd,"
                                           "2000\n")
        plain, page = self.campaign(text)
        known = (self.folder / "c.html").read_text()
        hidden = ("TopSecret", "CustomerX", "siteA", "siteB", "VendorM",
                  "VendorN", "alice", "bob", "MagicMode", "leaf7", "10.0.0.",
                  "secretfile", "m.csv")
        shown = [s for s in hidden if s in known]
        self.assertGreaterEqual(len(shown), 9, shown)
        self.assertIn("10.0.0.", shown)
        (self.folder / "key").write_bytes(b"0123456789abcdef")
        pages = []
        for _ in range(2):
            status, out, err = self.run_here(
                "campaign", "c.ini", "-f", "-o", "c.html", "--csv-output",
                "c.csv", "--anonymize-key", "key")
            self.assertEqual(status, 0, err)
            pages.append((self.folder / "c.html").read_text())
        self.assertEqual(*pages)
        table = (self.folder / "c.csv").read_text()
        for secret in hidden:
            self.assertNotIn(secret, pages[0])
            self.assertNotIn(secret, table)
        rows = list(csv.DictReader(table.splitlines()))
        numbers = [sorted(r[k] for r in t for k in ("metric", "value"))
                   for t in (plain, rows)]
        self.assertEqual(*numbers)
        other = Page(pages[0])
        said = {r[0]: r[-1] for r in other.tables["comparable"][1:]}
        self.assertEqual(said["Accelerators per node"], "the same")
        self.assertIn("differs", said["B_acc"])

    def test_bad_input(self):
        os.mkfifo(self.folder / "fifo")
        self.simulate("a", transfer("16K", 1, 0), 5)
        run = "[run x]\nfile = a.pcapng\ntest = 5.1\n"
        for text, said in (
                ("", "no [run NAME]"),
                ("[run x]\ntest = 5.1\n", "needs a file"),
                ("[run x]\nfile = a.pcapng\n", "needs a test"),
                ("[run x]\nfile = a.pcapng\ntest = 4.1\n", "c.ini:3: test"),
                (run + "qps = some\n", "c.ini:4: qps"),
                (run + "incast = 0:1\n", "from 1 up"),
                (run + "hour = 1e308\n", "takes hours"),
                (run + "transport = roce\nservice = rud\n",
                 "not one of this transport"),
                (run + "transport = tcp\n", "RoCE UET"),
                (run + "speed = 3\n", "unknown key"),
                (run + run, "two runs have this name"),
                (run + "dut = b\n[dut a]\n", "no such [dut NAME]"),
                (run + "repetition = 1\n" + run.replace("x", "y")
                 + "repetition = 1\n", "repetition 1 of the same"),
                ("[runs]\n", "unknown section"),
                ("[run]\n", "needs a name"),
                ("nonsense\n", "neither"),
                ("a = b\n", "before the first section"),
                ("[run x]\nfile = none.pcapng\ntest = 5.1\n", "[run x]"),
                ("[run x]\nfile = fifo\ntest = 5.1\n", "regular file"),
                ("[campaign]\nmemory = fifo\n" + run, "regular file"),
                ("[campaign]\ntopology = fifo\n" + run, "regular file"),
                ("[campaign]\nmemory = m.csv\n" + run, "m.csv"),
                (run + "# " + "x" * 300 + "\n", "190 characters"),
                ("[run " + "x" * 60 + "]\n", "40 characters")):
            err, _ = self.campaign(text, status=1)
            self.assertIn(said, err, text)
            self.assertFalse((self.folder / "c.html").exists())
        self.assertEqual(self.run_here("campaign", "c.ini")[0], 2)

    def test_contradiction(self):
        """What the file says of a run, and what its packets are."""
        self.simulate("a", transfer("16K", 1, 0), 5)
        _, page = self.campaign(
            "[default]\ntest = 5.1\n" + "".join(
                f"[run {t}]\nfile = a.pcapng\ntransport = {t}\n"
                for t in ("roce", "uet")))
        text = (self.folder / "c.html").read_text()
        self.assertIn("uet: is given as UET; the transport of its packets is "
                      "RC", text)
        self.assertNotIn("is given as RoCE", text)

    def test_overwrites_nothing(self):
        self.simulate("a", transfer("16K", 1, 0), 5)
        text = "[run x]\nfile = a.pcapng\ntest = 5.1\n"
        (self.folder / "c.ini").write_text(text)
        before = (self.folder / "a.pcapng").read_bytes()
        for words in (("-o", "a.pcapng"), ("--csv-output", "c.ini")):
            got = self.run_here("campaign", "-f", "c.ini", *words)
            self.assertEqual(got[0], 1, got)
        self.assertEqual((self.folder / "a.pcapng").read_bytes(), before)
        self.assertEqual((self.folder / "c.ini").read_text(), text)
        self.campaign(text)
        got = self.run_here("campaign", "c.ini", "-o", "c.html")
        self.assertEqual(got[0], 1, got)

    def test_damaged(self):
        self.simulate("a", transfer("16K", 1, 0), 5)
        whole = (self.folder / "a.pcapng").read_bytes()
        (self.folder / "a.pcapng").write_bytes(whole[:-40])
        rows, _ = self.campaign("[run x]\nfile = a.pcapng\ntest = 5.1\n",
                                status=3)
        self.assertTrue(rows)
        self.assertIn("could not be read",
                      (self.folder / "c.html").read_text())


if __name__ == "__main__":
    unittest.main()
