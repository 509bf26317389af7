#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""fabscope decode: lines and JSON, held against tshark."""
import json
import shutil
import subprocess
import unittest

import program

FIELDS = ("frame.number", "frame.len", "infiniband.bth.opcode",
          "infiniband.bth.psn", "infiniband.bth.destqp")


def tshark(path):
    """Rows of FIELDS, as whole numbers; only packets tshark calls RoCE."""
    words = ["tshark", "-r", str(path), "-Y", "infiniband.bth", "-T", "fields"]
    for field in FIELDS:
        words += ["-e", field]
    out = subprocess.run(words, capture_output=True, text=True, check=True)
    return [tuple(int(v, 0) for v in line.split("\t"))
            for line in out.stdout.splitlines()]


def field(packet, header, name):
    for part in packet["parts"]:
        if part["name"] == header:
            return part["fields"][name]
    return None


class Decode(program.Case):
    def packets(self, name):
        status, out, err = self.run_here("decode", "--json",
                                         self.capture(name))
        self.assertEqual((status, err), (0, ""))
        return [json.loads(line) for line in out.splitlines()]

    @unittest.skipUnless(shutil.which("tshark"), "no tshark")
    def test_json_agrees_with_tshark(self):
        for name in ("d05_atomic.pa.pcap", "d07_cm.pa.pcap",
                     "d11_drop_every_400.pa.pcap"):
            ours = [(p["frame"], p["length"], field(p, "bth", "opcode"),
                     field(p, "bth", "psn"), field(p, "bth", "destqp"))
                    for p in self.packets(name)
                    if p["kind"] in ("roce", "cnp")]
            theirs = tshark(self.folder / name)
            self.assertGreater(len(theirs), 100)
            self.assertEqual(ours, theirs)

    def test_parts_lie_within_the_frame_and_in_order(self):
        for packet in self.packets("d07_cm.pa.pcap"):
            at = 0
            for part in packet["parts"]:
                if part["name"].startswith("rdma_cm"):
                    continue  # lies inside the part before it
                self.assertGreaterEqual(part["offset"], at)
                at = part["offset"] + part.get("captured", part["length"])
                self.assertLessEqual(at, packet["captured"])

    def test_lines(self):
        self.capture("d05_atomic.pa.pcap")
        status, out, _ = self.run_here("decode", "d05_atomic.pa.pcap")
        lines = out.splitlines()
        self.assertEqual((status, len(lines)), (0, 1200))
        self.assertTrue(lines[0].startswith("1  +0.000000 s  eth/ipv4/udp/"))
        self.assertIn("10.9.0.1 > 10.9.0.2", lines[0])

    def test_results_that_are_no_packets(self):
        """Cut, foreign and contradictory frames each get their line."""
        ip = bytes.fromhex("4500002800000000401100000a0900010a090002")
        udp = bytes.fromhex("c00012b700140000")
        eth = bytes.fromhex("020000000001020000000002")
        self.write("x.pcap", program.pcap(
            (1, eth + b"\x08\x00" + ip + udp),       # IP says more follows
            (2, eth + b"\x08\x06" + bytes(28)),      # ARP
            (3, eth + b"\x08\x00\x44"),              # cut inside IPv4
            (4, eth + b"\x08\x00" + b"\x52" * 40)))  # IP of version 5
        status, out, _ = self.run_here("decode", "x.pcap")
        lines = out.splitlines()
        self.assertEqual((status, len(lines)), (0, 4))
        self.assertNotIn("[", lines[1])
        self.assertIn("malformed", lines[3])
        for line in (lines[0], lines[2]):
            self.assertRegex(line, "truncated|malformed")

    def test_filter(self):
        self.capture("d05_atomic.pa.pcap")
        out = self.run_here("decode", "-f", "src host 10.9.0.2",
                            "d05_atomic.pa.pcap")[1]
        self.assertEqual(len(out.splitlines()), 600)
        self.assertNotIn("10.9.0.1 >", out)

    def test_taps_are_named_when_there_are_several(self):
        self.capture("d11_drop_every_400.pa.pcap")
        self.capture("d11_drop_every_400.pb.pcap")
        out = self.run_here("decode", "d11_drop_every_400.pa.pcap",
                            "d11_drop_every_400.pb.pcap")[1]
        self.assertEqual(out.count("  d11_drop_every_400.pb.pcap  "), 3978)

    def test_ports_of_ultra_ethernet(self):
        self.run_here("simulate", "--bench", "20", "--uet", "-w", "uet.pcap")
        octets = (self.folder / "uet.pcap").read_bytes()
        self.write("port.pcap", octets.replace((4793).to_bytes(2, "big"),
                                               (49150).to_bytes(2, "big")))
        plain = self.run_here("decode", "uet.pcap")[1]
        self.assertIn("type=RUD_REQ", plain)
        other = self.run_here("decode", "port.pcap")[1]
        self.assertNotIn("type=RUD_REQ", other)
        found = self.run_here("decode", "--uet-port", "49150", "port.pcap")
        self.assertEqual(found[1].count("type=RUD_REQ"),
                         plain.count("type=RUD_REQ"))
        for wrong in ("0", "65536", "x", "-1", ""):
            status, _, err = self.run_here("decode", "--uet-port", wrong,
                                           "port.pcap")
            self.assertEqual(status, 2, err)
        status, _, err = self.run_here("decode", "--uet-protocol", "256",
                                       "port.pcap")
        self.assertEqual(status, 2, err)


if __name__ == "__main__":
    program.main()
