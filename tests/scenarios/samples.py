#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""sFlow and drop reports of a simulated switch, true ones and lies.

The record of the simulator has each packet that a buffer dropped; this sends
them to a collector as sFlow version 5 (notifications of dropped packets, flow
samples, counters of interfaces; sflow_version_5.txt and sflow_drops.txt of
sflow.org) and as mirror-on-drop of Broadcom XGS (IPFIX, reference 6.4), in pcap
and pcapng files.  True reports explain losses, with flow, interface and reason;
reports of flows that lost nothing, and of another time, do not.

    samples.py FABSCOPE SCENARIO"""
import json
import pathlib
import shutil
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import unittest

FABSCOPE, SCENARIO = sys.argv[1:3]
NO_BUFFER = 259


def frame(src, dst, qp, psn, vlan=False):
    bth = bytes([10, 0, 0xff, 0xff]) + struct.pack(">II", qp, psn)
    udp = struct.pack(">HHHH", 50000, 4791, 8 + len(bth) + 20, 0)
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 28 + len(bth) + 20, 1, 0x4000, 64,
                     17, 0) + socket.inet_aton(src) + socket.inet_aton(dst)
    tag = b"\x81\x00\x60\x05" if vlan else b""
    return bytes(12) + tag + b"\x08\x00" + ip + udp + bth


def collector(payload, port):
    udp = struct.pack(">HHHH", 9999, port, 8 + len(payload), 0)
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 28 + len(payload), 1, 0, 64, 17, 0)
    return bytes(12) + b"\x08\x00" + ip + bytes([192, 0, 2, 1, 192, 0, 2, 9]) \
        + udp + payload


def pcap(packets, ns=True):
    out = struct.pack("<IHHIIII", 0xa1b23c4d if ns else 0xa1b2c3d4, 2, 4, 0, 0,
                      65535, 1)
    for at, data in packets:
        out += struct.pack("<IIII", at // 10**9,
                           at % 10**9 // (1 if ns else 1000), len(data),
                           len(data)) + data
    return out


def pcapng(packets, big=False):
    e = ">" if big else "<"

    def block(kind, body):
        body += bytes(-len(body) % 4)
        return struct.pack(e + "II", kind, 12 + len(body)) + body + \
            struct.pack(e + "I", 12 + len(body))
    out = block(0x0a0d0d0a, struct.pack(e + "IHHq", 0x1a2b3c4d, 1, 0, -1))
    out += block(1, struct.pack(e + "HHI", 1, 0, 0) + struct.pack(
        e + "HHBxxx", 9, 1, 9) + struct.pack(e + "HH", 0, 0))
    for at, data in packets:
        out += block(6, struct.pack(e + "IIIII", 0, at >> 32, at & 0xffffffff,
                                    len(data), len(data)) + data)
    return out


def record(data):
    body = struct.pack(">IIII", 1, len(data) + 4, 4, len(data)) + data
    body += bytes(-len(body) % 4)
    return struct.pack(">II", 1, len(body)) + body


def sflow(samples):
    out = struct.pack(">II", 5, 1) + bytes([192, 0, 2, 1])
    out += struct.pack(">IIII", 0, 1, 1000, len(samples))
    for kind, body in samples:
        out += struct.pack(">II", kind, len(body)) + body
    return collector(out, 6343)


def dropped(data, reason=NO_BUFFER, port=7):
    return 5, struct.pack(">8I", 1, 0, 3, 0, 3, port, reason, 1) + record(data)


def passed(data, rate, expanded=False):
    if expanded:
        return 3, struct.pack(">11I", 1, 0, 3, rate, 99, 0, 0, 3, 0, 7, 1) + \
            record(data)
    return 1, struct.pack(">8I", 1, 3, rate, 99, 0, 3, 7, 1) + record(data)


def counters(index, octets, discards):
    body = struct.pack(">IIQII", index, 6, 100 * 10**9, 1, 3)
    body += struct.pack(">QIIIIII", octets, 10, 0, 0, discards, 0, 0)
    body += struct.pack(">QIIIIII", octets, 10, 0, 0, discards, 0xffffffff, 0)
    return 2, struct.pack(">III", 1, index, 1) + \
        struct.pack(">II", 1, len(body)) + body


def mirror_on_drop(at, data):
    body = struct.pack(">IIIHHBBHBBH", at // 10**9, at % 10**9, 7, 3, 1, 0x1a,
                       3, 0x1234, 0, 0xff, len(data)) + data
    return collector(struct.pack(">HHIII", 10, 20 + len(body), 0, 0, 1) +
                     struct.pack(">HH", 0x1234, 4 + len(body)) + body, 4739)


VARIABLE = 0xffff


def ipfix(*sets, port=4739, domain=1):
    body = b"".join(struct.pack(">HH", number, 4 + len(data)) + data
                    for number, data in sets)
    return collector(struct.pack(">HHIII", 10, 16 + len(body), 0, 0, domain) +
                     body, port)


def template(number, *fields):
    out = struct.pack(">HH", number, len(fields))
    for element, size in fields:
        out += struct.pack(">HH", element, size)
        out += bytes(4) if element & 0x8000 else b""
    return 2, out


def options(number, scopes, *fields):
    """RFC 7011, 3.4.2.2: so many of the fields say what the others are of."""
    return 3, struct.pack(">HHH", number, len(fields), scopes) + \
        b"".join(struct.pack(">HH", *f) for f in fields)


def variable(data, long=False):
    if long or len(data) > 254:
        return struct.pack(">BH", 255, len(data)) + data
    return bytes([len(data)]) + data


FLOW_DROPS = ((10, 4), (14, 4), (8, 4), (12, 4), (11, 2), (89, 1), (133, 8),
              (323, 8))


def flow_drop(at, f, n, status=139, port=4791):
    return struct.pack(">II4s4sHBQQ", 3, 7, socket.inet_aton(f["src"]),
                       socket.inet_aton(f["dst"]), port, status, n,
                       at // 10**6)


def ifa_entry(device, residence):
    return struct.pack(">IIHHIII", device << 8 | 60, 46 << 20, 7, 3, 0,
                       residence, 0) + bytes(8)


class Samples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.at = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.at.name)
        cls.fabscope("simulate", SCENARIO, "-w", cls.folder / "s.pcapng")
        cls.fabscope("analyze", "-o", cls.folder / "plain.db",
                     cls.folder / "s.pcapng")
        truth = json.loads((cls.folder / "s.truth.json").read_text())
        flows = {f["id"]: f for f in truth["flows"]}
        cls.drops = [(e["ns"], flows[e["flow"]], e["psn"])
                     for e in truth["events"]
                     if e["kind"] == "drop" and e.get("reason") == "buffer"
                     and e["class"] == "request"]
        cls.flows = [f for f in flows.values()
                     if f["classes"].get("request", {}).get("sent")]
        assert len(cls.drops) > 20

    @classmethod
    def tearDownClass(cls):
        cls.at.cleanup()

    @staticmethod
    def fabscope(*words, status=(0, 3)):
        done = subprocess.run([FABSCOPE, *map(str, words)],
                              capture_output=True, text=True, check=False)
        assert done.returncode in status, (words, done.stderr)
        return done

    def result(self, data):
        (self.folder / "x.pcap").write_bytes(data)
        self.fabscope("import", self.folder / "plain.db",
                      self.folder / "x.pcap", "-o", self.folder / "x.db")
        db = sqlite3.connect(self.folder / "x.db")
        db.row_factory = sqlite3.Row
        self.addCleanup(db.close)
        return db

    def reports(self, shift=0, make=None):
        make = make or (lambda at, f: sflow([dropped(f)]))
        return [(ns + shift, make(ns, frame(f["src"], f["dst"], f["dst_qp"],
                                            psn, psn % 2)))
                for ns, f, psn in self.drops]

    def test_true_reports_explain(self):
        want = {}
        for _, f, _ in self.drops:
            key = f["src"], f["dst"], f["dst_qp"]
            want[key] = want.get(key, 0) + 1
        for write in (pcap, lambda p: pcap(p, False), pcapng,
                      lambda p: pcapng(p, True)):
            db = self.result(write(self.reports()))
            rows = db.execute("SELECT * FROM sampled").fetchall()
            self.assertEqual({(r["src"], r["dst"], r["dst_qp"]): r["estimated"]
                              for r in rows}, want)
            self.assertEqual({(r["input"], r["output"], r["reason"],
                               r["verdict"]) for r in rows},
                             {(3, 7, "no buffer", "explains")})
        title = db.execute("SELECT title FROM finding WHERE rule = "
                           "'drops-reported'").fetchall()
        self.assertEqual(len(title), 1)
        self.assertIn(f"192.0.2.1 reports {len(self.drops):,} packets dropped "
                      "(no buffer) towards interface 7", title[0][0])

    def test_findings_of_losses_say_where(self):
        db = self.result(pcap(self.reports()))
        told = [r[0] for r in db.execute(
            "SELECT detail FROM finding WHERE incident_id IN (SELECT id FROM "
            "incident WHERE lost_max > 0)")]
        self.assertTrue(told)
        for detail in told:
            self.assertIn("By its own word 192.0.2.1 dropped packets of "
                          "theirs (no buffer), towards interface 7.", detail)

    def test_the_answer_says_on_whose_word(self):
        path = self.folder / "b"
        self.fabscope("simulate", pathlib.Path(SCENARIO).with_name(
            "burst_loss.fab"), "-w", f"{path}.pcapng")
        truth = json.loads((self.folder / "b.truth.json").read_text())
        flows = {f["id"]: f for f in truth["flows"]}
        drops = [(e["ns"], sflow([dropped(frame(
            flows[e["flow"]]["src"], flows[e["flow"]]["dst"],
            flows[e["flow"]]["dst_qp"], e["psn"]))]))
            for e in truth["events"]
            if e["kind"] == "drop" and e["class"] == "request"]
        (self.folder / "b.pcap").write_bytes(pcap(drops))
        said = []
        for name, words in (("b0", ()), ("b1", ("--evidence",
                                                self.folder / "b.pcap"))):
            self.fabscope("analyze", "-o", self.folder / f"{name}.db", *words,
                          f"{path}.pcapng")
            db = sqlite3.connect(self.folder / f"{name}.db")
            self.addCleanup(db.close)
            said.append(db.execute("SELECT verdict, network_ns, line FROM "
                                   "answer ORDER BY id").fetchall())
        self.assertEqual({r[0] for r in said[0]}, {"network"})
        self.assertEqual(said[1], [
            (verdict, ns, f"{line}; 192.0.2.1 interface 7 dropped "
             f"{len(drops)} packets by its drop reports (no buffer)")
            for verdict, ns, line in said[0]])

    def test_mirror_on_drop(self):
        db = self.result(pcap(self.reports(make=mirror_on_drop)))
        rows = db.execute("SELECT d.*, s.device FROM sampled d JOIN "
                          "evidence_source s ON s.id = d.source_id").fetchall()
        self.assertEqual(sum(r["estimated"] for r in rows), len(self.drops))
        self.assertEqual({(r["device"], r["input"], r["output"], r["reason"],
                           r["verdict"]) for r in rows},
                         {("switch 7", 1, 3, "ingress 0x1a, MMU 0x03",
                           "explains")})

    def test_flows_with_a_forwarding_status(self):
        lost = {}
        for ns, f, _ in self.drops:
            lost.setdefault((f["src"], f["dst"]), []).append((ns, f))
        data = b"".join(flow_drop(all_[-1][0], all_[0][1], len(all_))
                        for all_ in lost.values())
        at = self.drops[0][0]
        # forwarded, of another port and of another domain: none of them counts
        f = self.drops[0][1]
        others = flow_drop(at, f, 0, 64) + flow_drop(at, f, 5, port=80)
        db = self.result(pcap([
            (at, ipfix((300, data + others + bytes(3)))),
            (at + 1, ipfix((300, data), domain=2)),
            (at + 2, ipfix(template(300, *FLOW_DROPS)))]))
        rows = db.execute("SELECT * FROM sampled").fetchall()
        self.assertEqual({(r["src"], r["dst"]): r["estimated"] for r in rows},
                         {k: len(v) for k, v in lost.items()})
        self.assertEqual({(r["input"], r["output"], r["reason"], r["verdict"],
                           r["dst_qp"]) for r in rows},
                         {(3, 7, "dropped: WRED", "explains", None)})

    def test_sections_of_dropped_packets(self):
        fields = (14, 4), (89, 1), (325, 8), (315, VARIABLE)

        def report(at, data):
            ntp = (at // 10**9 + 2208988800) << 32 | \
                (at % 10**9 << 32) // 10**9
            return ipfix(template(256, *fields), (256, struct.pack(
                ">IBQ", 7, 143, ntp) + variable(data, at % 2)))
        db = self.result(pcap(self.reports(make=report)))
        rows = db.execute("SELECT * FROM sampled").fetchall()
        self.assertEqual(sum(r["estimated"] for r in rows), len(self.drops))
        self.assertEqual({(r["dropped"], r["output"], r["reason"],
                           r["verdict"]) for r in rows},
                         {(1, 7, "dropped: hardware", "explains")})
        self.assertAlmostEqual(min(r["first_ns"] for r in rows),
                               min(d[0] for d in self.drops), delta=2)
        # a clock that is an hour off explains nothing
        db = self.result(pcap(self.reports(make=lambda at, d: report(
            at + 3600 * 10**9, d))))
        self.assertEqual({r[0] for r in db.execute(
            "SELECT verdict FROM sampled")}, {"unused"})

    def test_packets_that_were_sampled(self):
        f = self.flows[0]
        data = frame(f["src"], f["dst"], f["dst_qp"], 9)[14:]
        fields = (10, 4), (14, 4), (305, 4), (306, 4), (313, VARIABLE)
        db = self.result(pcap([(self.drops[0][0], ipfix(
            template(257, *fields),
            (257, (struct.pack(">IIII", 3, 7, 1, 999) + variable(data)) *
             2)))]))
        self.assertEqual([tuple(r) for r in db.execute(
            "SELECT dropped, samples, estimated, input, output, dst_qp, verdict"
            " FROM sampled")], [(0, 2, 2000, 3, 7, f["dst_qp"], None)])

    def test_how_many_a_selector_takes(self):
        # RFC 5477: selectorId 302, samplingPacketInterval 305 and -Space 306;
        # samplingSize 309, -Population 310.  IANA: samplingInterval 34 of the
        # whole exporter, samplerRandomInterval 50 of a samplerId 48.
        f = self.flows[0]
        data = variable(frame(f["src"], f["dst"], f["dst_qp"], 9))
        for option, values, one_in in (
                (((302, 8), (305, 4), (306, 4)), ">QII", 1000),
                (((302, 8), (310, 4), (309, 4)), ">QII", 50),
                (((48, 1), (50, 4)), ">BI", 400),
                (((144, 4), (34, 4)), ">II", 64)):
            key = option[0] if option[0][0] != 144 else (302, 8)
            said = {1000: (7, 1, 999), 50: (7, 5000, 100), 400: (7, 400),
                    64: (1, 64)}[one_in]
            of_seven = struct.pack(f">{'Q' if key[1] == 8 else 'B'}", 7)
            at = self.drops[0][0]
            # the options come last, as they are sent every few minutes
            db = self.result(pcap([
                (at, ipfix(template(257, key, (315, VARIABLE)),
                           (257, 2 * (of_seven + data)))),
                (at + 1, ipfix(options(258, 1, *option),
                               (258, struct.pack(values, *said))))]))
            self.assertEqual([tuple(r) for r in db.execute(
                "SELECT samples, estimated, dst_qp FROM sampled")],
                [(2, 2 * one_in, f["dst_qp"])])

    def test_when_a_flow_was(self):
        # A record of a flow says that packets of it were dropped, at any time of
        # it.  IANA: 22, 21 ms since 160 (ms since 1970), 152, 153 ms; 156, 157
        # as NTP has it.
        def ntp(ns):
            return (ns // 10**9 + 2208988800) << 32 | \
                (ns % 10**9 << 32) // 10**9
        f = self.drops[0][1]
        begin, end = self.drops[0][0] - 3 * 10**9, self.drops[0][0] + 10**9
        begin, end = (n // 10**6 * 10**6 for n in (begin, end))
        boot = begin // 10**6 - 5000
        for fields, values in (
                (((22, 4), (21, 4), (160, 8)), struct.pack(
                    ">IIQ", begin // 10**6 - boot, end // 10**6 - boot, boot)),
                (((152, 8), (153, 8)),
                 struct.pack(">QQ", begin // 10**6, end // 10**6)),
                (((156, 8), (157, 8)),
                 struct.pack(">QQ", ntp(begin), ntp(end)))):
            # of UDP; the same of TCP is no RoCE
            data = b"".join(struct.pack(
                ">4s4sBHQ", socket.inet_aton(f["src"]),
                socket.inet_aton(f["dst"]), protocol, 4791, 3) + values
                for protocol in (17, 6))
            db = self.result(pcap([(end, ipfix(template(
                300, (8, 4), (12, 4), (4, 1), (11, 2), (133, 8), *fields),
                (300, data)))]))
            rows = db.execute("SELECT * FROM sampled").fetchall()
            self.assertEqual([(r["estimated"], r["verdict"]) for r in rows],
                             [(3, "explains")])
            self.assertLess(abs(rows[0]["first_ns"] - begin), 10)
            self.assertLess(rows[0]["last_ns"] - end, 10**6)
            self.assertGreater(rows[0]["last_ns"] - end, -10)

    def test_ifa_by_its_shape(self):
        f = self.flows[0]
        data = frame(f["src"], f["dst"], f["dst_qp"], 9)
        stack = ifa_entry(12, 900) + ifa_entry(5, 800) + ifa_entry(1, 700)
        own = (0x8064, 8), (0x8065, VARIABLE), (0x8066, VARIABLE)
        head = bytes.fromhex("2f1100ff33223d18")
        db = self.result(pcap([(self.drops[0][0], ipfix(
            template(257, *own), (257, (head + variable(stack, True) +
                                        variable(data)) * 2), port=2055))]))
        self.assertEqual([tuple(r) for r in db.execute(
            "SELECT dropped, samples, dst_qp, input, output, reason FROM "
            "sampled")], [(0, 2, f["dst_qp"], 3, 7, "IFA 1>5>12")])

    def test_ipfix_as_another_dissector_reads_it(self):
        if not shutil.which("tshark"):
            self.skipTest("no tshark")
        f = self.drops[0][1]
        (self.folder / "t.pcap").write_bytes(pcap([(10**18, ipfix(
            template(300, *FLOW_DROPS), (300, flow_drop(10**18, f, 17))))]))
        out = subprocess.run(
            ["tshark", "-r", self.folder / "t.pcap", "-d",
             "udp.port==4739,cflow", "-T", "fields", "-e", "cflow.srcaddr",
             "-e", "cflow.dstport", "-e", "cflow.forwarding_status_drop_code",
             "-e", "cflow.outputint"], capture_output=True, text=True,
            check=True).stdout.split()
        self.assertEqual(out, [f["src"], "4791", "11", "7"])

    def test_lies_are_found_out(self):
        db = self.result(pcap(self.reports(shift=3600 * 10**9)))
        self.assertEqual({r[0] for r in db.execute(
            "SELECT verdict FROM sampled")}, {"unused"})
        lossless = [r for r in db.execute(
            "SELECT * FROM flow WHERE visibility = 'both' AND requests > 9 "
            "AND retransmitted = 0 AND transport = 'RC'")]
        if not lossless:
            self.skipTest("every flow lost something")
        f = lossless[0]
        db = self.result(pcap([(f["first_ns"], sflow([dropped(frame(
            f["src"], f["dst"], f["dst_qp"], 5))]))]))
        self.assertEqual([r[0] for r in db.execute(
            "SELECT verdict FROM sampled")], ["contradicts"])
        self.assertEqual(db.execute(
            "SELECT count(*) FROM finding WHERE rule = 'drops-reported' AND "
            "severity = 'warning'").fetchone()[0], 1)
        # a flow of 3 s may have lost it when nobody captured it
        db = self.result(pcap([(f["first_ns"], ipfix(
            template(300, *FLOW_DROPS, (152, 8)),
            (300, flow_drop(f["last_ns"] + 10**9, f, 1) + struct.pack(
                ">Q", f["first_ns"] // 10**6 - 2000))))]))
        self.assertEqual([r[0] for r in db.execute(
            "SELECT verdict FROM sampled")], ["unused"])

    def test_samples_and_counters(self):
        f = self.flows[0]
        data = frame(f["src"], f["dst"], f["dst_qp"], 9)
        at = self.drops[0][0]
        db = self.result(pcap([
            (at - 10**9, sflow([counters(3, 1000, 5)])),
            (at, sflow([passed(data, 400), passed(data, 400, True)])),
            (at + 10**9, sflow([counters(3, 9000, 12)]))]))
        rows = db.execute("SELECT * FROM sampled").fetchall()
        self.assertEqual([(r["dropped"], r["samples"], r["estimated"],
                           r["input"], r["output"], r["verdict"])
                          for r in rows], [(0, 2, 800, 3, 7, None)])
        self.assertEqual(dict(db.execute(
            "SELECT meaning, delta FROM counted").fetchall()),
            {"rx_bytes": 8000, "tx_bytes": 8000, "rx_packets": 0,
             "tx_packets": 0, "rx_drops": 7, "tx_drops": 7, "rx_errors": 0})

    def test_another_dissector_reads_the_same(self):
        if not shutil.which("tshark"):
            self.skipTest("no tshark")
        f = self.flows[0]
        data = frame(f["src"], f["dst"], f["dst_qp"], 9)
        (self.folder / "t.pcap").write_bytes(pcap([(10**18, sflow(
            [passed(data, 400), counters(3, 77, 5)]))]))
        out = subprocess.run(
            ["tshark", "-r", self.folder / "t.pcap", "-T", "fields", "-e",
             "sflow_245.numsamples", "-e", "sflow_245.ifinoct", "-e",
             "sflow_245.ifindisc"], capture_output=True, text=True,
            check=True).stdout.split()
        self.assertEqual(out, ["2", "77", "5"])

    def test_what_is_cut_or_hostile(self):
        f = self.drops[0][1]
        whole = pcap(self.reports()[:2] + [
            (self.drops[0][0], ipfix(template(300, *FLOW_DROPS), (
                300, flow_drop(self.drops[0][0], f, 5)), (2, struct.pack(
                    ">HHHH", 301, 1, 14, 0)), (301, bytes(40)), (2, struct.pack(
                        ">HHHH", 302, 0xffff, 14, 1))))])
        for n in range(4, len(whole), 3):
            (self.folder / "h.pcap").write_bytes(whole[:n])
            done = self.fabscope("import", self.folder / "plain.db",
                                 self.folder / "h.pcap", "-o",
                                 self.folder / "h.db", status=(0, 1)) \
                if n % 60 == 4 else None
            if done and done.returncode:
                self.assertIn("has no evidence", done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
