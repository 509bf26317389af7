#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""fabscope plot: what the picture has is what tshark reads in the capture."""
import base64
import json
import re
import shutil
import struct
import subprocess
import unittest
import xml.etree.ElementTree as xml
import zlib

import program

LOSSY = "d11_drop_every_400.pa.pcap"
READS = "d13_read_resp_drop.pa.pcap"
SVG = "{http://www.w3.org/2000/svg}"
LEFT, COLUMNS, HEIGHT = 100, 1100, 380
ACK = 17


def tshark(path):
    """(ns, source, QP, opcode, PSN, syndrome) of each RoCE packet."""
    out = subprocess.run(
        ["tshark", "-r", str(path), "-Y", "infiniband", "-T", "fields",
         "-e", "frame.time_epoch", "-e", "ip.src", "-e",
         "infiniband.bth.destqp", "-e", "infiniband.bth.opcode", "-e",
         "infiniband.bth.psn", "-e", "infiniband.aeth.syndrome"],
        capture_output=True, text=True, check=True)
    for line in out.stdout.splitlines():
        time, source, qp, opcode, psn, syndrome = line.split("\t")
        seconds, rest = time.split(".")
        yield (int(seconds) * 10**9 + int(rest.ljust(9, "0")[:9]), source,
               int(qp, 16), int(opcode), int(psn), int(syndrome or "0", 0))


def icrc(packet):
    """Of a RoCEv2 packet over IPv4 without options (IBTA annex A17)."""
    p = bytearray(b"\xff" * 8) + packet[14:-4]
    p[9] = p[16] = 0xff                # type of service, time to live
    p[18:20] = p[34:36] = b"\xff\xff"  # checksums
    p[40] = 0xff                       # FECN, BECN, reserved
    return struct.pack("<I", zlib.crc32(p))


def strokes(path):
    """(x, low, high) of a path of vertical strokes, in pixels."""
    for x, y, v in re.findall(r"M([\d.]+) (-?[\d.]+)V(-?[\d.]+)",
                              path.get("d")):
        yield float(x), float(v), float(y)


@unittest.skipUnless(shutil.which("tshark"), "no tshark")
class Plot(program.Case):
    def draw(self, capture, flow, *words):
        self.capture(capture)
        if not (self.folder / "a.db").exists():
            self.assertEqual(self.run_here("analyze", "-o", "a.db",
                                           capture)[0], 0)
        status, out, err = self.run_here("plot", "-f", "a.db", flow, *words,
                                         "-o", "out.svg")
        self.assertEqual((status, out, err), (0, "", ""))
        return xml.parse(self.folder / "out.svg").getroot()

    def panel(self, picture, name):
        found = [g for g in picture.iter(SVG + "g") if g.get("id") == name]
        self.assertEqual(len(found), 1, name)
        return found[0]

    def legend(self, panel):
        """{"sent": 1920, ...}"""
        found = {}
        for text in panel.iter(SVG + "text"):
            match = re.fullmatch(r"(.*) \(([\d,]+)\)", text.text)
            if match:
                found[match[1]] = int(match[2].replace(",", ""))
        return found

    def drawn(self, panel, name):
        names = [t.text for t in panel.iter(SVG + "text")
                 if t.text.startswith(name + " (")]
        at = [t.text for t in panel.iter(SVG + "text")].index(names[0])
        texts = [t for t in panel.iter(SVG + "text")]
        x = int(texts[at].get("x")) - 14
        color = [r.get("fill") for r in panel.iter(SVG + "rect")
                 if r.get("x") == str(x) and r.get("width") == "10"]
        return [p for p in panel.iter(SVG + "path")
                if p.get("stroke") == color[0]][0]

    def packets(self, capture, source):
        """Those of flow 1's queue pair, and of its other direction."""
        all_of = list(tshark(self.folder / capture))
        qp = next(p[2] for p in all_of if p[1] == source)
        return ([p for p in all_of if p[1] == source and p[2] == qp],
                [p for p in all_of if p[1] != source and p[2] == qp])

    def test_requests(self):
        picture = self.draw(LOSSY, "flow:1")
        mine, answers = self.packets(LOSSY, "10.9.0.1")
        panel = self.panel(picture, "requests")
        base, seen, new, again = mine[0][4], set(), 0, 0
        self.assertEqual(int(picture.get("data-first-psn")), base)
        self.assertEqual(int(picture.get("data-from-ns")), mine[0][0])
        for p in mine:
            new += p[4] not in seen
            again += p[4] in seen
            seen.add(p[4])
        legend = self.legend(panel)
        self.assertEqual((legend["sent"], legend["retransmitted"]), (new, again))
        naks = [p for p in answers if p[5] & 0x60]
        self.assertEqual(legend["NAK or NACK"], len(naks))
        self.assertGreater(len(naks), 0)
        self.every_packet(picture, panel, mine, base)

    def every_packet(self, picture, panel, packets, base):
        """A stroke of one of the series is where each packet must be."""
        low, high = (int(panel.get("data-" + e)) for e in ("low", "high"))
        begin, end = (int(picture.get(f"data-{e}-ns")) for e in ("from", "to"))
        there = {}
        for name in ("sent", "retransmitted"):
            for x, top, bottom in strokes(self.drawn(panel, name)):
                there.setdefault(int(x), []).append((top, bottom))
        for ns, _, _, _, psn, _ in packets:
            x = LEFT + int((ns - begin) / (end - begin + 1) * COLUMNS)
            y = HEIGHT - (psn - base - low) / (high - low) * HEIGHT
            self.assertTrue(any(top - .2 <= y <= bottom + .2
                                for top, bottom in there.get(x, [])),
                            (ns, psn, x, y))
        drawn = len(there)
        columns = {int((p[0] - begin) / (end - begin + 1) * COLUMNS)
                   for p in packets}
        self.assertEqual(drawn, len(columns))

    def test_responses(self):
        picture = self.draw(READS, "flow:2")
        mine, _ = self.packets(READS, "10.9.0.2")
        mine = [p for p in mine if p[3] != ACK]
        panel = self.panel(picture, "responses")
        self.assertEqual(sum(self.legend(panel).values()), len(mine))
        self.assertGreater(len(mine), 0)
        ids = {g.get("id") for g in picture.iter(SVG + "g")}
        self.assertNotIn("requests", ids)

    def test_payload_in_flight_while_nothing_is_sent(self):
        """Four RTOs of 130 ms, in which the last message of 8 KiB is not
        acknowledged: a line at that height for nearly all of the time."""
        picture = self.draw("d12_drop_tail_timeout.pa.pcap", "flow:1",
                            "--time", "time:+2.3234..+2.8708")
        panel = self.panel(picture, "flight")
        high = int(panel.get("data-high"))
        path = self.drawn(panel, "payload in flight").get("d")
        held = 0
        for x, y, end in re.findall(r"M([\d.]+) ([\d.]+)H([\d.]+)", path):
            if abs((1 - float(y) / 120) * high - 8192) < 0.02 * high:
                held += float(end) - float(x)
        self.assertGreater(held, 0.9 * COLUMNS)

    def test_time(self):
        whole = self.draw(LOSSY, "flow:1")
        mine, _ = self.packets(LOSSY, "10.9.0.1")
        first = mine[0][0]
        part = self.draw(LOSSY, "flow:1", "--time", "time:+0.05..+0.15")
        inside = [p for p in mine if first + 50 * 10**6 <= p[0] <=
                  first + 150 * 10**6]
        legend = self.legend(self.panel(part, "requests"))
        self.assertEqual(legend["sent"] + legend.get("retransmitted", 0),
                         len(inside))
        self.assertLess(len(inside), len(mine))
        self.assertEqual(whole.get("data-first-psn"),
                         part.get("data-first-psn"))

    def test_bad_input(self):
        self.draw(LOSSY, "flow:1")
        for words, status, text in (
                (("finding:1", "-o", "x.svg"), 2, "flow:7"),
                (("flow:99", "-o", "x.svg"), 2, "no flow 99"),
                (("flow:1",), 2, "-o FILE"),
                (("flow:1", "--time", "flow:1", "-o", "x.svg"), 2, "time:"),
                (("flow:1", "--time", "time:+9..", "-o", "x.svg"), 2,
                 "no packet"),
                (("flow:1", "-o", "out.svg"), 1, "out.svg"),
                (("flow:1", "-f", "-o", LOSSY), 1, LOSSY)):
            got = self.run_here("plot", "a.db", *words)
            self.assertEqual(got[0], status, got)
            self.assertIn(text, got[2])
        self.assertFalse((self.folder / "x.svg").exists())

    def test_credits(self):
        """ACKs with end-to-end credits: the codes of table 46 of the IBTA
        specification, volume 1."""
        messages = [0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
                    256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144,
                    8192, 12288, 16384, 24576, 32768]
        raw = bytearray((program.CAPTURES / LOSSY).read_bytes())
        self.draw(LOSSY, "flow:1")
        qp = self.packets(LOSSY, "10.9.0.1")[0][0][2]
        at, acks, wanted = 24, 0, []
        while at < len(raw):
            length, = struct.unpack_from("<I", raw, at + 8)
            packet = raw[at + 16:at + 16 + length]
            if (packet[42] == ACK and not packet[54] & 0x60
                    and packet[26:30] == bytes((10, 9, 0, 2))
                    and int.from_bytes(packet[47:50], "big") == qp):
                code = (acks * 7 + 3) % 32
                acks += 1
                packet[54] = code
                packet[-4:] = icrc(packet)
                raw[at + 16:at + 16 + length] = packet
                wanted += messages[code:code + 1]
            at += 16 + length
        (self.folder / "credits.pcap").write_bytes(raw)
        self.assertEqual(self.run_here("analyze", "-o", "c.db",
                                       "credits.pcap")[0], 0)
        self.assertEqual(self.run_here("plot", "c.db", "flow:1", "-o",
                                       "c.svg")[0], 0)
        picture = xml.parse(self.folder / "c.svg").getroot()
        panel = self.panel(picture, "window")
        self.assertEqual(self.legend(panel)["credits in an ACK"], len(wanted))
        self.assertGreater(len(wanted), 31)
        self.assertTrue(max(wanted) < int(panel.get("data-high"))
                        < 1.1 * max(wanted))
        top = 120 - max(wanted) / int(panel.get("data-high")) * 120
        drawn = list(strokes(self.drawn(panel, "credits in an ACK")))
        self.assertAlmostEqual(min(low for _, low, _ in drawn), top, delta=2)
        plain = self.draw(LOSSY, "flow:1")
        self.assertNotIn("window",
                         {g.get("id") for g in plain.iter(SVG + "g")})

    def test_trimmed(self):
        """As many as the simulator trimmed, in a legend that has its room."""
        fab = program.CAPTURES / "scenarios/uet_trim_incast.fab"
        self.assertEqual(self.run_here("simulate", fab, "-w",
                                       "t.pcapng")[0], 0)
        self.assertEqual(self.run_here("analyze", "-o", "t.db",
                                       "t.pcapng")[0], 0)
        truth = json.loads((self.folder / "t.truth.json").read_text())
        mine = next(f for f in truth["flows"] if f["src_host"] == "h7")
        trims = [e for e in truth["events"] if e["kind"] == "trim" and
                 e["flow"] == mine["id"]]
        flows = self.run_here("query", "t.db", "worst-flows", "--format",
                              "json")[1]
        flow = next(f["id"] for f in json.loads(flows)
                    if f["src"] == mine["src"])
        self.assertEqual(self.run_here("plot", "t.db", f"flow:{flow}", "-o",
                                       "t.svg")[0], 0)
        picture = xml.parse(self.folder / "t.svg").getroot()
        panel = self.panel(picture, "requests")
        self.assertEqual(self.legend(panel)["trimming"], len(trims))
        self.assertGreater(len(trims), 0)
        for name in panel.iter(SVG + "text"):
            if " (" in name.text:
                self.assertLess(int(name.get("x")) + 7 * len(name.text),
                                int(picture.get("width")))

    def test_in_a_report(self):
        self.draw(LOSSY, "flow:1", "--anonymize")
        self.draw(LOSSY, "flow:1")
        status, _, err = self.run_here("report", "a.db", "-o", "r.html",
                                       "--plot", "flow:1")
        self.assertEqual(status, 0, err)
        page = (self.folder / "r.html").read_text()
        images = re.findall(r'src="data:image/svg\+xml;base64,([^"]*)"', page)
        self.assertEqual(len(images), 1)
        self.assertEqual(base64.b64decode(images[0], validate=True),
                         (self.folder / "out.svg").read_bytes())
        self.assertEqual(self.run_here("report", "-f", "a.db", "-o", "r.html",
                                       "--anonymize", "--plot", "flow:1")[0],
                         0)
        page = (self.folder / "r.html").read_text()
        image = base64.b64decode(re.search(r"base64,([^\"]*)", page)[1])
        self.assertNotIn(b"10.9.0.", image)
        (self.folder / "r.html").unlink()
        for words, status, text in (
                (("--plot", "finding:1"), 2, "flow:7"),
                (("--plot", "flow:99"), 2, "no flow 99"),
                (("--plot", "flow:1") * 17, 2, "at most 16")):
            got = self.run_here("report", "a.db", "-o", "r.html", *words)
            self.assertEqual(got[0], status, got)
            self.assertIn(text, got[2])
        self.assertFalse((self.folder / "r.html").exists())

    def matrix(self, by):
        """{(sender, receiver): bytes} of the picture and of the query."""
        self.assertEqual(self.run_here("plot", "-f", "m.db", "matrix:" + by,
                                       "-o", "m.svg")[0], 0)
        drawn = {(r.get("data-src"), r.get("data-dst")):
                 int(r.get("data-bytes"))
                 for r in xml.parse(self.folder / "m.svg").getroot().iter(
                     SVG + "rect") if r.get("class") == "pair"}
        status, out, err = self.run_here("query", "m.db", "traffic-matrix",
                                         "--param", "by=" + by, "--format",
                                         "json")
        self.assertEqual(status, 0, err)
        rows = {(r["src"], r["dst"]): r["bytes"] for r in json.loads(out)}
        self.assertEqual(drawn, rows)
        numbers = [t.text for t in xml.parse(
            self.folder / "m.svg").getroot().iter(SVG + "text")
            if t.get("text-anchor") == "middle"]
        self.assertEqual(len(numbers), len(rows))
        return drawn

    def test_matrix(self):
        (self.folder / "m.fab").write_text(
            "run for=1ms\nleafspine leaves=2 spines=1 hosts=2 speed=100G\n"
            "qp a h1 h3\nqp b h1 h4\nqp c h2 h4\n"
            "flow fa qp=a op=write size=64K count=9\n"
            "flow fb qp=b op=write size=16K count=5\n"
            "flow fc qp=c op=read size=32K count=7\n"
            "tap m1 h1->leaf1 both=yes snaplen=128\n"
            "tap m2 h2->leaf1 both=yes snaplen=128 with=m1\n")
        hosts = {f"10.0.0.{i}": ("h%d" % i, "s%d" % (9 + i // 3),
                                 "rail %d" % (i % 2)) for i in range(1, 5)}
        (self.folder / "m.ini").write_text("".join(
            f"[host {h}]\naddress = {a}\nserver = {s}\npod = p{s}\n"
            f"rail = {r[5:]}\n" for a, (h, s, r) in hosts.items()))
        self.assertEqual(self.run_here("simulate", "m.fab", "-w",
                                       "m.pcapng", "--seed", "90210")[0], 0)
        self.assertEqual(self.run_here("analyze", "m.pcapng", "-o", "m.db",
                                       "--topology", "m.ini")[0], 0)
        sent = {}
        for line in subprocess.run(
                ["tshark", "-r", self.folder / "m.pcapng", "-Y", "infiniband",
                 "-T", "fields", "-e", "ip.src", "-e", "ip.dst", "-e",
                 "frame.len"], capture_output=True, text=True,
                check=True).stdout.splitlines():
            src, dst, length = line.split("\t")
            sent[src, dst] = sent.get((src, dst), 0) + int(length)
        self.assertEqual(len(sent), 6)
        for by, at in (("host", 0), ("server", 1), ("rail", 2)):
            wanted = {}
            for (src, dst), n in sent.items():
                key = hosts[src][at], hosts[dst][at]
                wanted[key] = wanted.get(key, 0) + n
            self.assertEqual(self.matrix(by), wanted)
        self.matrix("server")
        self.assertEqual(
            [t.text for t in xml.parse(self.folder / "m.svg").getroot().iter(
                SVG + "text") if t.get("class") == "row"], ["s9", "s10"])
        self.assertEqual(self.matrix("pod"), {
            ("p" + a, "p" + b): n
            for (a, b), n in self.matrix("server").items()})
        self.assertEqual(set(self.matrix("switch")),
                         {("not given", "not given")})
        # the report has the same pictures, of servers, rails and pods
        self.assertEqual(self.run_here("report", "-f", "m.db", "-o",
                                       "m.html")[0], 0)
        page = (self.folder / "m.html").read_text()
        for by in ("server", "rail", "pod"):
            section = re.search(f'<section id="matrix-{by}".*?</section>',
                                page, re.S)[0]
            image = re.search(r'base64,([^"]*)"', section)[1]
            svg = xml.fromstring(base64.b64decode(image))
            self.assertEqual(
                {(r.get("data-src"), r.get("data-dst")):
                 int(r.get("data-bytes")) for r in svg.iter(SVG + "rect")
                 if r.get("class") == "pair"}, self.matrix(by))
        for secret in ("h1", "s9"):
            self.assertEqual(self.run_here(
                "plot", "-f", "m.db", "matrix:host", "--anonymize", "-o",
                "m.svg")[0], 0)
            self.assertNotIn(f'"{secret}"',
                             (self.folder / "m.svg").read_text())
        got = self.run_here("plot", "m.db", "matrix:job", "-o", "x.svg")
        self.assertEqual(got[0], 2)
        self.assertIn("rail", got[2])

    def test_anonymous(self):
        self.draw(LOSSY, "flow:1", "--anonymize")
        text = (self.folder / "out.svg").read_text()
        for secret in ("10.9.0.", "d11_drop"):
            self.assertNotIn(secret, text)


if __name__ == "__main__":
    unittest.main()
