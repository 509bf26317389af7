#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Packets under pseudonyms: slice, annotate and decode with --anonymize.

What must not be found is taken from the capture by tshark; that the packets
still mean the same is seen by tshark, field by field, and by analysing them:
the database is that of export --anonymize, row for row."""
import ipaddress
import re
import shutil
import sqlite3
import struct
import subprocess
import unittest

import program

KEY = b"a key for these tests only, of 46 octets, or so"
CAPTURES = ("d07_cm.pa.pcap", "d11_drop_every_400.pa.pcap",
            "d12_drop_tail_timeout.pa.pcap", "d13_read_resp_drop.pb.pcap",
            "d24_capture_loss_2pct.pa.pcap")
SCENARIOS = ("ipv6_vlan", "erspan2", "vxlan_mirror", "storm",
             "corruption_fcs", "int", "uet_small_ses", "uet_rudi",
             "uet_native_v6")
# Whom a packet names, as tshark calls it, and what is nobody's.
ADDRESSES = ("eth.src", "eth.dst", "ip.src", "ip.dst", "ipv6.src", "ipv6.dst",
             "infiniband.cm.req.prim_locgid_ipv4",
             "infiniband.cm.req.prim_remgid_ipv4")
NUMBERS = ("infiniband.bth.destqp", "infiniband.deth.srcqp",
           "infiniband.cm.req.localqpn", "infiniband.cm.rep.localqpn")
PUBLIC = {0, 1, 0xffffff, "01:80:c2:00:00:01", "01:80:c2:00:00:0e",
          "ff:ff:ff:ff:ff:ff", "::", "::1", "ff02::2", "ff02::16"}
# What stays as it is.
SAME = ("frame.time_epoch", "frame.len", "frame.cap_len", "eth.type",
        "vlan.id", "ip.dsfield", "ip.id", "ip.ttl", "ip.len", "ipv6.plen",
        "udp.srcport", "udp.dstport", "udp.length", "infiniband.bth.opcode",
        "infiniband.bth.psn", "infiniband.bth.a", "infiniband.bth.padcnt",
        "infiniband.aeth.syndrome", "infiniband.aeth.msn",
        "infiniband.reth.dmalen", "infiniband.cm.req.service_id",
        "erspan.spanid", "gre.seqnum", "macc.opcode", "ip.checksum.status")
ALL = (*ADDRESSES, *NUMBERS, *SAME)
# What of the database may differ: how two flows were found to be one connection
# (source ports are made from queue pairs), and where packets were read from;
# other tables are numbered in the order of addresses.
OTHERWISE = {("flow", "pairing"), ("flow", "pairing_confidence"),
             ("tap", "interface"), ("tap", "name")}
TABLES = ("flow", "event", "message", "recovery", "cnp", "pause",
          "storm", "bin", "hop", "csig", "pdc", "nack", "entropy", "cm",
          "lldp", "tap", "coverage", "observability", "unmatched", "segment")


def tshark_fields():
    done = subprocess.run(["tshark", "-G", "fields"], capture_output=True,
                          text=True, check=True)
    return {line.split("\t")[2] for line in done.stdout.splitlines()
            if line.startswith("F\t")}


class Packets(program.Case):
    @classmethod
    def setUpClass(cls):
        cls.known = tshark_fields() if shutil.which("tshark") else set()

    def setUp(self):
        super().setUp()
        self.write("key", KEY)

    def read(self, path, fields):
        """What tshark reads of each packet; one that it does not know is not
        asked for."""
        words = ["tshark", "-n", "-r", str(path), "-T", "fields", "-E",
                 "occurrence=a", "-o", "ip.check_checksum:TRUE"]
        fields = [f for f in fields if f in self.known]
        for field in fields:
            words += ["-e", field]
        done = subprocess.run(words, capture_output=True, text=True,
                              check=True)
        return [dict(zip(fields, line.split("\t")))
                for line in done.stdout.splitlines()]

    def annotated(self, name):
        status, out, err = self.run_here("annotate", "-f", name, "-w", "a.pcapng",
                                         "--anonymize-key", "key")
        self.assertIn(status, (0, 3), err)
        return self.folder / "a.pcapng"

    def words_of(self, packets, fields):
        """All values of some fields; numbers as such."""
        found = set()
        for packet in packets:
            for field in fields:
                found |= {int(v, 16) if v.startswith("0x") else v
                          for v in packet.get(field, "").split(",")}
        return found - {""} - PUBLIC

    def simulated(self, scenario):
        name = f"acme-{scenario}.pcapng"
        self.run_here("simulate", "-w", name, program.CAPTURES / "scenarios" /
                      f"{scenario}.fab")
        return name

    # ---- who is named ----

    def octets(self, address):
        if "." in address:
            return ipaddress.IPv4Address(address).packed
        if address.count(":") == 5 and "::" not in address:
            return bytes.fromhex(address.replace(":", ""))
        return ipaddress.IPv6Address(address).packed

    def assert_silent(self, packets, after, octets):
        before = self.words_of(packets, ADDRESSES)
        self.assertGreater(len(before), 2)
        for address in before:
            self.assertNotIn(address.encode(), octets)
            if len(self.octets(address)) > 4:
                self.assertNotIn(self.octets(address), octets, address)
        others = self.words_of(after, ADDRESSES)
        self.assertEqual(before & others, set())
        # two never become one
        self.assertEqual(len(before), len(others))
        self.assertEqual(self.words_of(packets, NUMBERS) &
                         self.words_of(after, NUMBERS), set())
        self.assertEqual(re.findall(rb"acme|d\d\d_", octets), [])

    def same(self, packets):
        """Packet by packet, the state of the IP checksum included; of several
        interfaces in order of time."""
        return sorted([p.get(f, "") for f in SAME] for p in packets)

    # ---- what it means ----

    def rows(self, path, table):
        with sqlite3.connect(path) as db:
            names = [c[1] for c in db.execute(f"PRAGMA table_info({table})")
                     if (table, c[1]) not in OTHERWISE]
            return sorted(db.execute(
                f"SELECT {', '.join(names)} FROM {table}"), key=repr)

    def assert_means_the_same(self, name, path):
        for db, of in (("in.db", name), ("out.db", path.name)):
            self.assertIn(self.run_here("analyze", "-o", db, of)[0], (0, 3))
        status, _, err = self.run_here("export", "in.db", "--format", "db",
                                       "-o", "x.db", "--anonymize-key", "key")
        self.assertEqual(status, 0, err)
        for table in TABLES:
            self.assertEqual(self.rows(self.folder / "x.db", table),
                             self.rows(self.folder / "out.db", table),
                             f"{name}: {table}")
        self.assertTrue(self.rows(self.folder / "out.db", "flow"))

    def check(self, name):
        path = self.annotated(name)
        self.assert_means_the_same(name, path)
        if self.known:
            before = self.read(self.folder / name, ALL)
            after = self.read(path, ALL)
            self.assert_silent(before, after, path.read_bytes())
            self.assertEqual(self.same(before), self.same(after))

    def test_captures(self):
        for name in program.some(CAPTURES):
            with self.subTest(name):
                self.check(self.capture(name))

    def test_scenarios(self):
        for scenario in program.some(SCENARIOS):
            with self.subTest(scenario):
                name = self.simulated(scenario)
                self.check(name)
                (self.folder / name).unlink()

    # ---- the other two ----

    @unittest.skipUnless(shutil.which("tshark"), "no tshark")
    def test_slice(self):
        name = self.capture("d11_drop_every_400.pa.pcap")
        self.run_here("analyze", "-o", "in.db", name)
        status, out, err = self.run_here("slice", "-f", "in.db", "finding:1", "-w",
                                         "s.pcapng", "--anonymize-key", "key")
        self.assertEqual((status, err), (0, ""))
        path = self.folder / "s.pcapng"
        self.assertNotIn(b"10.9.0.", path.read_bytes())
        self.assertNotIn("10.9.0.", out)
        packets = self.read(path, (*ALL, "frame.comment"))
        self.assertEqual(
            self.words_of(packets, ADDRESSES) &
            self.words_of(self.read(self.folder / name, ADDRESSES),
                          ADDRESSES), set())
        comments = self.words_of(packets, ["frame.comment"])
        flows = self.run_here("query", "in.db", "flows", "--format", "csv",
                              "--anonymize-key", "key")[1]
        named = set(re.findall(r"\b10\.\d+\.\d+\.\d+", " ".join(comments)))
        self.assertTrue(named)
        for address in named | self.words_of(packets, ["ip.src"]):
            self.assertIn(address, flows)
        plain = self.run_here("slice", "in.db", "finding:1", "-w", "-",
                              binary=True)[1]
        self.write("plain.pcapng", plain)
        self.assertEqual(self.same(packets),
                         self.same(self.read(self.folder / "plain.pcapng",
                                             SAME)))

    def test_decode(self):
        name = self.capture("d07_cm.pa.pcap")
        for words in ((), ("--json",), ("--verdicts",)):
            status, out, err = self.run_here("decode", name, *words,
                                             "--anonymize-key", "key")
            self.assertEqual(status, 0, err)
            for secret in ("10.9.0.", "0a:09", "d07_cm", "0x000029"):
                self.assertNotIn(secret, out)
            status, plain, _ = self.run_here("decode", name, *words)
            self.assertEqual(out.count("\n"), plain.count("\n"))
            self.assertEqual(re.findall(r"psn\W*\d+", out),
                             re.findall(r"psn\W*\d+", plain))

    def test_unread(self):
        """ARP, and IPv4 that is TCP: told, and zeros."""
        arp = bytes.fromhex("ffffffffffff001122334455080600010800060400010011"
                            "223344550a0900010000000000000a090002")
        tcp = bytes.fromhex("0200000000010200000000020800"
                            "45000028000100004006000050aa50bb50cc50dd"
                            "c00001bb01020304050607085010ffff00000000")
        self.write("x.pcap", program.pcap((1, arp), (2, tcp)))
        status, _, err = self.run_here("annotate", "-f", "x.pcap", "-w", "a.pcapng",
                                       "--anonymize")
        self.assertEqual(status, 0)
        self.assertIn("2 of 2 packets", self.one_line(err))
        octets = (self.folder / "a.pcapng").read_bytes()
        for secret in ("001122334455", "0a090001", "50aa50bb", "01020304"):
            self.assertNotIn(bytes.fromhex(secret), octets)

    def test_names_and_secrets_of_a_capture(self):
        """Of a pcapng file nothing but packets and interfaces is taken."""
        name = self.simulated("uet_rudi")
        octets = (self.folder / name).read_bytes()
        # a name resolution block and a decryption secrets block
        for kind in (4, 10):
            body = b"TLSK" + struct.pack("<I", 12) + b"acme secrets" \
                if kind == 10 else \
                struct.pack("<HH", 1, 14) + bytes(4) + b"acme.host\0" + \
                bytes(2) + bytes(4)
            length = struct.pack("<I", len(body) + 12)
            octets += struct.pack("<I", kind) + length + body + length
        self.write("n.pcapng", octets)
        after = self.annotated("n.pcapng").read_bytes()
        self.assertNotIn(b"acme", after)
        self.assertNotIn(b"TLSK", after)


if __name__ == "__main__":
    program.main()
