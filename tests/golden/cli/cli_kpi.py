#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""fabscope kpi: the BMWG reporting format, against what made the capture."""
import json
import re
import sqlite3
import struct

import program
from cli_analyze import faults

LOSSY = "d11_drop_every_400.pa.pcap"



def ipv4(protocol, payload):
    return b"\x08\0" + struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(payload),
                                   0, 0, 64, protocol, 0, b"\x0a\0\0\x01",
                                   b"\x0a\0\0\x02") + payload


def udp(port):
    return ipv4(17, struct.pack(">HHHH", 50000, port, 48, 0) + bytes(40))


class Filter(program.Case):
    def test_the_page_has_a_filter_that_passes_vlan_tags(self):
        """Of what is recommended for packets, and nothing else."""
        page = (program.ROOT / "docs" / "kpis.md").read_text()
        bpf, = re.findall(r"here\.pcap -s 256 '([^']*)'", page)
        fabric = (udp(4791), udp(4793), ipv4(253, bytes(40)))
        pause = b"\x88\x08\x01\x01" + bytes(42)
        tag = b"\x81\0\0\x64"
        wanted = [*fabric, *(tag + p for p in fabric), pause]
        others = [udp(53), ipv4(6, bytes(40)), tag + udp(53)]
        (self.folder / "mixed.pcap").write_bytes(program.pcap(
            *((1, bytes(12) + p) for p in wanted + others)))
        status, out, err = self.run_here("decode", "-f", bpf, "mixed.pcap")
        self.assertEqual((status, err), (0, ""))
        self.assertEqual([int(line.split()[0]) for line in out.splitlines()],
                         list(range(1, len(wanted) + 1)))


class Kpi(program.Case):
    def setUp(self):
        super().setUp()
        self.capture(LOSSY)
        self.assertEqual(self.run_here("analyze", "-o", "a.db", LOSSY)[0], 0)

    def document(self, *words):
        status, out, err = self.run_here("kpi", "a.db", *words)
        self.assertEqual((status, err), (0, ""))
        return json.loads(out)

    def test_the_report_has_the_seven_parts_in_order(self):
        status, out, err = self.run_here("kpi", "a.db")
        self.assertEqual((status, err), (0, ""))
        parts = re.findall(r"^([1-7]) \D", out, re.M)
        self.assertEqual(parts, list("1234567"))
        sections = re.findall(r"^(\d+\.\d) ", out, re.M)
        self.assertEqual(sections, sorted(sections, key=lambda s: [
            int(n) for n in s.split(".")]))

    def test_names_the_draft_as_the_pages_do(self):
        """One revision, of which the tracker has none newer (August 2026)."""
        newest = "draft-calabria-bmwg-ai-fabric-training-bench-04"
        self.assertEqual(self.document("--json")["draft"], newest)
        self.assertIn(newest, self.run_here("kpi", "a.db")[1])
        (self.folder / "c.ini").write_text(
            f"[run x]\nfile = {LOSSY}\ntest = 5.1\n")
        got = self.run_here("campaign", "c.ini", "-o", "c.html")
        self.assertEqual(got[0], 0, got)
        page = (self.folder / "c.html").read_text()
        docs = program.ROOT / "docs"
        pages = [page] + [(docs / name).read_text() for name in (
            "campaign.md", "kpis.md", "man/fabscope-kpi.1.in",
            "man/fabscope-campaign.1.in")]
        for text in pages:
            self.assertEqual(set(re.findall(
                "draft-calabria-bmwg-ai-fabric-training-bench-[0-9]+",
                text)), {newest})

    def test_every_kpi_has_a_value_or_what_it_needs(self):
        document = self.document("--json")
        schema = json.loads(
            (program.ROOT / "docs" / "kpi.schema.json").read_text())
        self.assertEqual(list(faults(document, schema)), [])
        self.assertGreater(len(document["results"]), 100)
        for k in document["results"]:
            if k["value"] is None:
                self.assertTrue(k["missing"], k)
                self.assertIsNone(k["confidence"], k)
            else:
                self.assertIsNone(k["missing"], k)
                self.assertTrue(0 < k["confidence"] <= 1, k)
        self.assertEqual(document, self.document("--format", "json"))

    def test_one_link_is_no_links(self):
        for value, want in ((1, "1 link ("), (2, "2 links (")):
            with sqlite3.connect(self.folder / "a.db") as db:
                db.execute("UPDATE kpi SET value = ?, confidence = 1 "
                           "WHERE unit = 'links'", (value,))
            db.close()
            self.assertIn(want, self.run_here("kpi", "a.db")[1])

    def test_the_drop_rate_is_what_the_switch_counted(self):
        """Its rule dropped 9 packets; 2 QPs sent 60 messages of 32 packets."""
        truth = (program.CAPTURES / "d11_drop_every_400.json").read_text()
        dropped = int(re.search(r"counter packets (\d+)", truth)[1])
        by = {k["name"]: k["value"] for k in self.document("--json")["results"]}
        rate = 1e6 * dropped / (2 * 60 * 32)
        self.assertAlmostEqual(by["Packet Drop Rate"], rate)
        self.assertGreaterEqual(by["Packet Drop Rate, maximum"], rate)
        self.assertEqual(by["Packets lost"], dropped)
        self.assertIsNone(by["PFC Pause Count"])
        self.assertIsNone(by["Tail Latency P99"])

    def test_a_loss_seen_at_two_places_is_one(self):
        other = LOSSY.replace(".pa.", ".pb.")
        self.capture(other)
        self.assertEqual(self.run_here("analyze", "-o", "a.db", "--tap",
                                       f"a={LOSSY}", "--tap",
                                       f"b={other}")[0], 0)
        by = {k["name"]: k["value"] for k in self.document("--json")["results"]}
        self.assertEqual(by["Packets lost"], 9)
        self.assertAlmostEqual(by["Packet Drop Rate"], 1e6 * 9 / 3840)

    def test_jobs_are_as_the_simulator_says(self):
        text = (program.CAPTURES / "scenarios" / "ring.fab").read_text()
        self.write("r.fab", re.sub(r"size=\S+", "size=64K", text).encode())
        self.assertEqual(self.run_here("simulate", "r.fab", "-w",
                                       "r.pcapng")[0], 0)
        self.assertEqual(self.run_here("analyze", "-o", "a.db",
                                       "r.pcapng")[0], 0)
        truth = json.loads((self.folder / "r.truth.json").read_text())
        its = truth["iterations"]
        jct = (max(its[-1]["rank_end_ns"]) - min(its[0]["rank_start_ns"])) / 1e9
        by = {k["name"]: k for k in self.document("--json")["results"]}
        have = by["Job Completion Time (JCT)"]
        self.assertEqual(have["samples"], len(its))
        self.assertLess(abs(have["value"] / jct - 1), 0.01)
        # a ring rank sends 2 (n - 1) / n of the message
        n, spans = len(its[0]["rank_start_ns"]), sorted(
            max(i["rank_end_ns"]) - min(i["rank_start_ns"]) for i in its)
        bus = 8 * 2 * (n - 1) / n * 65536 / spans[len(spans) // 2]
        self.assertLess(abs(by["Bus Bandwidth (BusBW)"]["value"] / bus - 1),
                        0.05)

    def test_refusals(self):
        self.write("x.db", b"no database")
        for words in (["x.db"], ["gone.db"]):
            status, out, err = self.run_here("kpi", *words)
            self.assertEqual((status, out), (1, ""))
            self.one_line(err)
        self.assertEqual(self.run_here("kpi")[0], 2)
        self.assertEqual(self.run_here("kpi", "a.db", "--format", "x")[0], 2)


if __name__ == "__main__":
    program.main()
