#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""fabscope import: the same rows as analyze --evidence, in whatever order the
files come, and once more changes nothing."""
import json
import os
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
FABSCOPE = os.environ["FABSCOPE"]
NAME = "d11_drop_every_400"
CAPTURES = [os.path.join(ROOT, "captures", f"{NAME}.{tap}.pcap")
            for tap in ("pa", "pb")]
# Paths, and what was written when.
OWN = ("meta",)


def run(*words, status=(0, 3)):
    r = subprocess.run([FABSCOPE, *words], capture_output=True, text=True,
                       check=False)
    assert r.returncode in status, (words, r.returncode, r.stderr)
    return r


def tables(path):
    db = sqlite3.connect(path)
    names = [n for n, in db.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table'"
        " AND name NOT LIKE 'sqlite~_%' ESCAPE '~'")]
    rows = {n: db.execute(f'SELECT * FROM "{n}"').fetchall() for n in names}
    db.close()
    return rows


class Import(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        with open(os.path.join(ROOT, "captures", f"{NAME}.json"),
                  encoding="ascii") as f:
            truth = json.load(f)
        for device, delta in truth["hw_counters_delta"].items():
            for when in (0, 1):
                self.write(f"e/{device}.{('before', 'after')[when]}.json",
                           json.dumps([{"ifname": device, "port": 1,
                                        **{k: 7 + when * v
                                           for k, v in delta.items()}}]))
            host = {"rxe_a": 1, "rxe_b": 2, "rxe_c": 3}[device]
            self.write(f"e/{device}.gids",
                       f"/sys/class/infiniband/{device}/ports/1/gids/1:0000:"
                       f"0000:0000:0000:0000:ffff:0a09:00{host:02x}\n")
        self.write("e/job.log", "a:1:2 [0] NCCL WARN NET/IB : Got completion "
                   "from peer 1.2.3.4<5> with status=12 opcode=1 len=0 vendor "
                   "err 129 (Send) localGid ::ffff:10.9.0.1 remoteGids"
                   "::ffff:10.9.0.2 hca x\n")
        self.files = os.path.join(self.folder, "e")

    def at(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.at(name)), exist_ok=True)
        with open(self.at(name), "w", encoding="ascii") as f:
            f.write(text)
        return self.at(name)

    def same(self, a, b):
        one, other = tables(self.at(a)), tables(self.at(b))
        self.assertEqual(list(one), list(other))
        for name, rows in one.items():
            if name not in OWN:
                self.assertEqual(rows, other[name], name)

    def test_is_what_analyze_would_have_written(self):
        run("analyze", "-o", self.at("a.db"), "--evidence", self.files,
            *CAPTURES)
        run("analyze", "-o", self.at("b.db"), *CAPTURES)
        before = tables(self.at("b.db"))
        self.assertEqual(before["counter_check"], [])
        run("import", self.at("b.db"), self.files)
        self.same("a.db", "b.db")
        self.assertGreater(len(tables(self.at("b.db"))["counter_check"]), 5)
        self.assertEqual(tables(self.at("b.db"))["error_log"][0][-3],
                         "contradicts")
        run("import", self.at("b.db"), self.files)
        self.same("a.db", "b.db")
        os.chdir(self.folder)
        run("import", "b.db", "e", "e/job.log")
        self.same("a.db", "b.db")

    def test_a_port_is_known_by_its_mac_address(self):
        with open(CAPTURES[0], "rb") as f:
            frame = f.read(200)[40:]
        mac, host = frame[6:12], ".".join(map(str, frame[26:30]))
        gid = (b"\xfe\x80" + bytes(6) + bytes([mac[0] ^ 2]) + mac[1:3]
               + b"\xff\xfe" + mac[3:]).hex(":", 2)
        self.write("m/n1/net.before.txt",
                   f"/sys/class/net/eth7/address:{mac.hex(':')}\n")
        self.write("m/n1/ethtool.before.txt", "# port=eth7\nNIC statistics:\n"
                   "     rx_discards_phy: 5\n")
        self.write("m/n2/gids.txt",
                   f"/sys/class/infiniband/x0/ports/1/gids/0:{gid}\n")
        self.write("m/n3/net.before.txt",
                   "/sys/class/net/eth7/address:02:00:00:00:00:77\n")
        run("analyze", "-o", self.at("a.db"), *CAPTURES)
        run("import", self.at("a.db"), self.at("m"))
        db = sqlite3.connect(self.at("a.db"))
        rows = db.execute("SELECT device, kind, address, tied_by FROM"
                          " evidence_source ORDER BY 1, 2").fetchall()
        db.close()
        self.assertEqual(rows, [("n1", "ethtool", host, "gid"),
                                ("n1", "sysfs", host, "mac"),
                                ("n2", "sysfs", host, "mac"),
                                ("n3", "sysfs", None, None)])

    def test_a_port_is_known_by_the_gids_of_its_device(self):
        # A VLAN and another version of IP beside the address in the capture;
        # n2 has two that are, and its counters are of both.
        def gid(i, *words):
            return f"{base}/gids/{i}:0000:0000:0000:0000:0000:ffff:" \
                + ":".join(words) + "\n"
        base = "/sys/class/infiniband/x0/ports/1"
        self.write("m/n1/sysfs.before.txt",
                   gid(2, "0a4d", "0001") + gid(3, "0a09", "0001")
                   + f"{base}/gid_attrs/ndevs/2:eth7.7\n"
                   + f"{base}/gid_attrs/ndevs/3:eth7\n"
                   + f"{base}/hw_counters/out_of_sequence:6\n")
        for host in ("n1", "n2"):
            self.write(f"m/{host}/ethtool.before.txt", "# port=eth7\n"
                       "NIC statistics:\n     rx_discards_phy: 5\n")
        self.write("m/n2/sysfs.before.txt",
                   gid(2, "0a09", "0002") + gid(3, "0a09", "0001")
                   + f"{base}/gid_attrs/ndevs/2:eth7\n"
                   + f"{base}/gid_attrs/ndevs/3:eth7\n"
                   + f"{base}/hw_counters/out_of_sequence:6\n")
        run("analyze", "-o", self.at("a.db"), *CAPTURES)
        run("import", self.at("a.db"), self.at("m"))
        db = sqlite3.connect(self.at("a.db"))
        rows = set(db.execute(
            "SELECT device, port, address, tied_by, why_not NOT NULL FROM"
            " evidence_source WHERE readings > 0 AND port <> 'eth7.7'"))
        db.close()
        self.assertEqual(rows, {
            ("n1", "x0", "10.9.0.1", "gid", 0),
            ("n1", "eth7", "10.9.0.1", "gid", 0),
            ("n2", "x0", None, None, 1), ("n2", "eth7", None, None, 1)})

    def lldp(self, name, system, port):
        """A capture of one LLDP frame (IEEE 802.1AB: chassis by MAC address,
        port by interface name, time to live, system name, end)."""
        def tlv(kind, value):
            return struct.pack(">H", kind << 9 | len(value)) + value

        mac = bytes.fromhex("020000000a01")
        frame = (bytes.fromhex("0180c200000e") + mac
                 + struct.pack(">H", 0x88cc) + tlv(1, b"\x04" + mac)
                 + tlv(2, b"\x05" + port.encode())
                 + tlv(3, struct.pack(">H", 120)) + tlv(5, system.encode())
                 + tlv(0, b""))
        with open(self.at(name), "wb") as f:
            f.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1)
                    + struct.pack("<IIII", 1700000000, 0, len(frame),
                                  len(frame)) + frame)
        return self.at(name)

    def test_lldp_names_the_port_of_a_capture_point(self):
        port = {"RX_OK": "1", "TX_OK": "2", "RX_DRP": "0", "TX_DRP": "0"}
        counters = self.write("m/leaf9.ports.json", json.dumps(
            {"Ethernet4": port, "Ethernet8": port}))
        run("analyze", "-o", self.at("a.db"), "--evidence", counters,
            *CAPTURES, self.lldp("up.pcap", "leaf9", "Ethernet4"))
        db = sqlite3.connect(self.at("a.db"))
        rows = set(db.execute(
            "SELECT s.port, s.tied_by, s.node, t.name, s.mac FROM"
            " evidence_source s LEFT JOIN tap t ON t.id = s.tap_id"))
        db.close()
        self.assertEqual(rows, {
            ("Ethernet4", "lldp", "leaf9", "up.pcap", "02:00:00:00:0a:01"),
            ("Ethernet8", "lldp", "leaf9", None, None)})

    def test_what_nobody_can_read_is_told(self):
        self.write("e/README", "collected by hand\n")
        run("analyze", "-o", self.at("a.db"), *CAPTURES)
        r = run("import", self.at("a.db"), self.files)
        self.assertIn("8 files read, 1 in no known form: ", r.stdout)
        r = run("import", self.at("a.db"), self.at("e/job.log"))
        self.assertEqual("1 file read: fabscope query "
                         f"{self.at('a.db')} counter-sources\n", r.stdout)
        db = sqlite3.connect(self.at("a.db"))
        self.assertIn(("unknown", "it has no evidence in a known format"),
                      db.execute("SELECT kind, why_not FROM"
                                 " evidence_source").fetchall())
        db.close()

    def test_what_is_read_as_something_else_is_not_unknown(self):
        # simulate --evidence writes the topology file beside the counters
        topology = self.write("e/fabric.ini", "[host a]\naddress = 10.9.0.1\n")
        names = self.write("e/names", "np_ours cnps_sent\n")
        run("analyze", "-o", self.at("a.db"), "--topology", topology,
            "--counter-names", names, "--evidence", self.files, *CAPTURES)
        self.assertNotIn("unknown", [r[3] for r in
                                     tables(self.at("a.db"))["evidence_source"]])
        run("analyze", "-o", self.at("b.db"), "--evidence", self.files,
            *CAPTURES)
        self.assertIn("unknown", [r[3] for r in
                                  tables(self.at("b.db"))["evidence_source"]])

    def test_a_changed_file_replaces_what_it_said(self):
        run("analyze", "-o", self.at("a.db"), "--evidence", self.files,
            *CAPTURES)
        log = self.at("e/job.log")
        with open(log, "a", encoding="ascii") as f:
            f.write("more\n Failed status 13: wr_id 0 syndrom 0x1\n")
        run("import", self.at("a.db"), log)
        rows = tables(self.at("a.db"))["error_log"]
        self.assertEqual([r[2] for r in rows], [1, 3])
        self.assertEqual(len([r for r in tables(self.at("a.db"))[
            "evidence_source"] if r[1] == log]), 2)

    def test_elsewhere_leaves_the_database_alone(self):
        run("analyze", "-o", self.at("a.db"), *CAPTURES)
        with open(self.at("a.db"), "rb") as f:
            was = f.read()
        run("import", self.at("a.db"), self.files, "-o", self.at("b.db"))
        with open(self.at("a.db"), "rb") as f:
            self.assertEqual(was, f.read())
        self.assertGreater(len(tables(self.at("b.db"))["counter"]), 9)
        r = run("import", self.at("a.db"), self.files, "-o",
                self.write("e3/x.txt", "mine\n"), status=(1,))
        self.assertEqual(len(r.stderr.splitlines()), 1)

    def test_what_is_not_ours_gets_one_sentence(self):
        foreign = self.at("x.db")
        db = sqlite3.connect(foreign)
        db.execute("CREATE TABLE t(a)")
        db.commit()
        db.close()
        run("analyze", "-o", self.at("a.db"), *CAPTURES)
        text = self.write("e2/hello.txt", "hello\n")
        for words in ((foreign, self.files), (CAPTURES[0], self.files),
                      (self.at("none"), self.files), (self.at("a.db"), text),
                      (self.at("a.db"), self.at("none"))):
            with self.subTest(words):
                r = run("import", *words, status=(1,))
                self.assertEqual(len(r.stderr.splitlines()), 1, r.stderr)
                self.assertEqual(r.stdout, "")
        run("import", self.at("a.db"), status=(2,))
        self.assertEqual(tables(self.at("a.db"))["counter"], [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
