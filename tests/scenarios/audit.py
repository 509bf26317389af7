#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Configuration of switches and NICs against what RoCE needs.

A right configuration of two SONiC switches and two NICs, in the forms of
config_db.json, mlnx_qos and dcb, is given with a simulated capture, and nothing
is wrong with it.  Then one thing after another is made wrong; that check, and no
other, has to say so, with the numbers.

The second capture is taken at a sender: there a round trip takes longest.  What
is audited by packets alone, and configurations made of what the simulator's own
switches are set to, come from scenarios beside it.

    audit.py FABSCOPE SCENARIO SCENARIO"""
import copy
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import unittest

import score_path

FABSCOPE, SCENARIO, AT_SENDER = sys.argv[1:4]
PORTS = ("Ethernet0", "Ethernet8")


def switch(name):
    """sonic-buildimage, src/sonic-yang-models/doc/Configuration.md"""
    return {
        "DEVICE_METADATA": {"localhost": {"hostname": name}},
        "PORT": {p: {"speed": "100000", "mtu": "9100", "admin_status": "up"}
                 for p in PORTS},
        "CABLE_LENGTH": {"AZURE": {p: "40m" for p in PORTS}},
        "PORT_QOS_MAP": {p: {"dscp_to_tc_map": "AZURE",
                             "tc_to_queue_map": "AZURE",
                             "pfc_enable": "3,4", "pfcwd_sw_enable": "3,4"}
                         for p in PORTS},
        "PFC_WD": {p: {"action": "drop", "detection_time": "200",
                       "restoration_time": "200"} for p in PORTS},
        "DSCP_TO_TC_MAP": {"AZURE": {str(d): "3" if d == 26 else "4" if d == 4
                                     else "6" if d == 48 else "1"
                                     for d in range(64)}},
        "TC_TO_QUEUE_MAP": {"AZURE": {str(i): str(i) for i in range(8)}},
        "SCHEDULER": {"s.0": {"type": "DWRR", "weight": "14"},
                      "s.1": {"type": "STRICT"}},
        "WRED_PROFILE": {"AZURE_LOSSLESS": {
            "ecn": "ecn_all", "wred_green_enable": "true",
            "green_min_threshold": "1048576",
            "green_max_threshold": "2097152", "green_drop_probability": "5"}},
        "QUEUE": {**{f"{p}|3-4": {"scheduler": "s.0",
                                  "wred_profile": "AZURE_LOSSLESS"}
                     for p in PORTS},
                  **{f"{p}|6": {"scheduler": "s.1"} for p in PORTS}},
        "SWITCH_HASH": {"GLOBAL": {
            "ecmp_hash": ["DST_MAC", "SRC_MAC", "ETHERTYPE", "IP_PROTOCOL",
                          "DST_IP", "SRC_IP", "L4_DST_PORT", "L4_SRC_PORT"],
            "lag_hash": ["DST_IP"], "ecmp_hash_algorithm": "CRC"}},
        "BUFFER_POOL": {"ingress_lossless_pool": {
            "mode": "dynamic", "size": "12766208", "type": "ingress"}},
        "BUFFER_PROFILE": {"pg_lossless": {
            "dynamic_th": "0", "pool": "ingress_lossless_pool", "size": "1248",
            "xon": "2288", "xoff": "70000"}},
        "BUFFER_PG": {",".join(PORTS) + "|3-4":
                      {"profile": "[BUFFER_PROFILE|pg_lossless]"}},
    }


# Mellanox/mlnx-tools, python/mlnx_qos
MLNX_QOS = """DCBX mode: OS controlled
Priority trust state: dscp
dscp2prio mapping:
	prio:0 dscp:07,06,05,03,02,01,00,
	prio:3 dscp:31,30,29,28,27,26,25,24,
	prio:4 dscp:04,
	prio:6 dscp:55,54,53,52,51,50,49,48,
Cable len: 7
PFC configuration:
	priority    0   1   2   3   4   5   6   7
	enabled     0   0   0   1   1   0   0   0   
	buffer      0   0   0   1   1   0   0   0   
tc: 0 ratelimit: unlimited, tsa: vendor
	 priority:  1
tc: 6 ratelimit: unlimited, tsa: strict
	 priority:  6
"""
# iproute2, man/man8/dcb-pfc.8
DCB = """pfc-cap 8 macsec-bypass off delay 4096
prio-pfc 0:off 1:off 2:off 3:on 4:on 5:off 6:off 7:off
tc-tsa 0:ets 1:ets 2:ets 3:ets 4:ets 5:ets 6:strict 7:strict
dscp-prio AF31:3 CS6:6
"""


class Audit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.at = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.at.name)
        for scenario, name in ((SCENARIO, "plain"), (AT_SENDER, "sender")):
            cls.fabscope("simulate", scenario, "-w", cls.folder / "s.pcapng")
            cls.fabscope("analyze", "-o", cls.folder / f"{name}.db",
                         cls.folder / "s.pcapng")

    @classmethod
    def tearDownClass(cls):
        cls.at.cleanup()

    @staticmethod
    def fabscope(*words):
        done = subprocess.run([FABSCOPE, *map(str, words)],
                              capture_output=True, text=True, check=False)
        assert done.returncode in (0, 3), (words, done.stderr)
        return done.stdout

    def audit(self, a=None, b=None, mlnx=MLNX_QOS, dcb=DCB, more=None,
              on="plain.db"):
        e = self.folder / "e"
        e.mkdir(exist_ok=True)
        for old in e.iterdir():
            old.unlink()
        (e / "a.json").write_text(json.dumps(a or switch("leaf1")))
        (e / "b.json").write_text(json.dumps(b or switch("leaf2")))
        (e / "h1.txt").write_text("# host=h1 port=eth0\n" + mlnx)
        (e / "h2.txt").write_text("# host=h2 port=eth0\n" + dcb)
        if more:
            (e / "h1.ecn").write_text(more)
        self.fabscope("import", self.folder / on, e, "-o",
                      self.folder / "x.db")
        db = sqlite3.connect(self.folder / "x.db")
        rows = db.execute("SELECT what, verdict, device, text, ports FROM audit"
                          " WHERE basis <> 'packets'").fetchall()
        self.findings = [r[0] for r in db.execute(
            "SELECT title FROM finding WHERE rule = 'audit'")]
        db.close()
        asked = json.loads(self.fabscope("query", self.folder / "x.db", "audit",
                                    "--format", "json"))
        self.assertEqual(sum(r["basis"] != "packets" for r in asked),
                         len(rows))
        return rows

    def wrong(self, *how, **more):
        rows = self.audit(*how, **more)
        return [(r[0], r[2], r[3]) for r in rows if r[1] == "wrong"]

    def test_what_is_right_is_ok(self):
        rows = self.audit()
        self.assertEqual([r for r in rows if r[1] != "ok"], [])
        self.assertEqual({r[0] for r in rows},
                         {"watchdog", "thresholds", "marking", "headroom",
                          "cnp-class", "pfc-priorities", "ecmp-hash"})
        self.assertEqual(self.findings, [])
        # alpha is 1: one congested queue may have half of the pool
        text = next(r[3] for r in rows if r[0] == "thresholds")
        self.assertIn("XON 2,288, Wmin 1,048,576, Wmax 2,097,152, XOFF "
                      "6,383,104 bytes", text)
        # 2 x 40 m x 5 ns at 12.5 bytes a ns, and two packets of 9100
        text = next(r[3] for r in rows if r[0] == "headroom")
        self.assertIn("at least 23,200 are needed", text)

    def test_each_fault_is_found_and_nothing_else(self):
        def fault(what, device, says, change):
            with self.subTest(what + ": " + says):
                a = switch("leaf1")
                change(a)
                got = self.wrong(a)
                self.assertEqual({(w, d) for w, d, _ in got},
                                 {(what, device)}, got)
                self.assertIn(says, got[0][2])
                self.assertEqual(len(self.findings), 1)
                self.assertIn(says, self.findings[0])

        def no_watchdog(a):
            del a["PFC_WD"]["Ethernet8"]
            a["PORT_QOS_MAP"]["Ethernet8"]["pfcwd_sw_enable"] = ""
        fault("watchdog", "leaf1", "off at 1 port of leaf1", no_watchdog)
        wred = lambda a: a["WRED_PROFILE"]["AZURE_LOSSLESS"]
        profile = lambda a: a["BUFFER_PROFILE"]["pg_lossless"]
        fault("thresholds", "leaf1", "Wmin is not below Wmax",
              lambda a: wred(a).update(green_min_threshold="2097152"))
        fault("thresholds", "leaf1", "Wmax is not below XOFF",
              lambda a: wred(a).update(green_max_threshold="6383104"))
        fault("thresholds", "leaf1", "XON is not below Wmin",
              lambda a: profile(a).update(xon="1048576"))
        # alpha 1/8: a ninth of the pool
        fault("thresholds", "leaf1", "XOFF 1,418,467 bytes",
              lambda a: profile(a).update(dynamic_th="-3"))
        fault("marking", "leaf1", "does not mark",
              lambda a: wred(a).update(ecn="ecn_none"))
        fault("headroom", "leaf1", "headroom 23,199 bytes, at least 23,200",
              lambda a: profile(a).update(xoff="23199"))
        fault("cnp-class", "leaf1", "no strict priority",
              lambda a: a["SCHEDULER"]["s.1"].update(type="DWRR"))

        def hashed(a, fields, name="ecmp_hash"):
            a["SWITCH_HASH"]["GLOBAL"][name] = fields
        fault("ecmp-hash", "leaf1", "by source address, destination address: "
              "all queue pairs of two hosts take one path",
              lambda a: hashed(a, ["SRC_IP", "DST_IP", "IP_PROTOCOL"]))
        # one for RoCE goes before the one for all
        fault("ecmp-hash", "leaf1", "by destination address: all queue pairs",
              lambda a: hashed(a, ["DST_IP"], "ecmp_hash_ipv4_rdma"))
        # one of the other IP version is not asked
        a = switch("leaf1")
        hashed(a, ["DST_IP"], "ecmp_hash_ipv6")
        self.assertEqual(self.wrong(a), [])
        hashed(a, ["SRC_IP", "RDMA_BTH_DEST_QP", "RDMA_BTH_OPCODE"])
        self.assertIn(("ecmp-hash", "note", "leaf1"), [
            r[:3] for r in self.audit(a)])

    def test_source_ports_that_tell_the_hash_nothing(self):
        self.simulate("low_entropy")
        got = self.wrong(on="low_entropy.db")
        self.assertEqual({(w, d) for w, d, _ in got},
                         {("ecmp-hash", "leaf1"), ("ecmp-hash", "leaf2")})
        self.assertIn("(2 pairs of hosts in the capture)", got[0][2])
        a, b = switch("leaf1"), switch("leaf2")
        for x in (a, b):
            x["SWITCH_HASH"]["GLOBAL"]["ecmp_hash"] += ["RDMA_BTH_DEST_QP"]
        self.assertEqual(self.wrong(a, b, on="low_entropy.db"), [])

    def simulate(self, name):
        base = str(self.folder / name)
        self.fabscope("simulate", pathlib.Path(SCENARIO).with_name(
            name + ".fab"), "-f", "-w", base + ".pcapng", "--evidence",
            self.folder / "devices")
        truth = json.loads(pathlib.Path(base + ".truth.json").read_text())
        self.fabscope("analyze", "-o", base + ".db",
                      *score_path.options(base, truth), base + ".pcapng")
        return truth

    def by_packets(self, name):
        asked = json.loads(self.fabscope("query", self.folder / f"{name}.db",
                                         "audit", "--format", "json"))
        return {(r["what"], r["verdict"]): r["text"] for r in asked
                if r["basis"] == "packets"}

    def test_thresholds_by_packets(self):
        truth = self.simulate("pfc_before_ecn")
        self.assertEqual({m for k in truth["links"] if (m := k.get("marked"))},
                         set())
        text = self.by_packets("pfc_before_ecn")["thresholds", "wrong"]
        self.assertIn("XOFF is reached before Wmin", text)
        self.simulate("incast_pfc")
        text = self.by_packets("incast_pfc")["thresholds", "wrong"]
        self.assertIn("no packet is ECN-capable", text)

    def test_hash_by_packets(self):
        truth = self.simulate("low_entropy")
        by = self.by_packets("low_entropy")
        self.assertIn(("entropy", "wrong"), by)
        text = by["ecmp-hash", "wrong"]
        self.assertIn("(4 links) is chosen by the 5-tuple", text)
        load = sorted(k["packets"] for k in truth["links"]
                      if k["link"].startswith("leaf1->spine"))
        most = load[-1] * 4 / sum(load)
        said = float(text.split("link has ")[1].split()[0])
        self.assertAlmostEqual(said, most, delta=0.05)
        self.simulate("ecmp_collision")
        self.assertNotIn(("entropy", "wrong"),
                         self.by_packets("ecmp_collision"))

    def test_watchdog_by_packets(self):
        for name, end, wrong in (("short", "900ms", False),
                                 ("long", "1200ms", True)):
            (self.folder / f"{name}.fab").write_text(
                "title A NIC that pauses\nrun for=1300ms\n"
                "switches lossless=3 xoff=60K xon=30K headroom=100K buffer=4M"
                " quanta=65535\n"
                "leafspine leaves=2 spines=1 hosts=1 speed=100G delay=500ns\n"
                "qp bad h1 h2 ecn=no timeout=4s rate=40G\n"
                "flow fb qp=bad op=write size=256K depth=2\n"
                f"nic h2 storm_from=1ms storm_to={end} storm_every=300us\n"
                "tap broken h2->leaf2 both=yes snaplen=128 pfc=yes\n")
            base = str(self.folder / name)
            self.fabscope("simulate", base + ".fab", "-w", base + ".pcapng")
            self.fabscope("analyze", "-o", base + ".db", base + ".pcapng")
            by = self.by_packets(name)
            self.assertEqual(("watchdog", "wrong") in by, wrong, by)

    def test_what_the_simulators_switches_are_set_to(self):
        """By their own config_db.json, against their record."""
        for name, says in (("incast_dcqcn", []),
                           ("pfc_before_ecn", ["Wmax is not below XOFF"])):
            truth = self.simulate(name)
            a = json.loads((self.folder / "devices" / "leaf1.config_db.json"
                            ).read_text())
            s = next(s for s in truth["switches"] if s["switch"] == "leaf1")
            self.assertTrue("kmin" in s, s)
            rows = [r for r in self.audit(a, on=name + ".db")
                    if r[0] == "thresholds" and r[2] == "leaf1"]
            self.assertTrue(rows)
            for row in rows:
                self.assertIn(f"Wmin {s['kmin']:,}, Wmax {s['kmax']:,}", row[3])
                # PFC is of one priority
                known = f"XOFF {s.get('xoff', -1):,}" in row[3]
                self.assertEqual(known, s.get("lossless", 0) == 1 << int(
                    row[3].split("queue ")[1].split()[0]), row)
                self.assertEqual(row[1], "unknown" if not known else
                                 "wrong" if says else "ok", row)
                for text in says if known else ():
                    self.assertIn(text, row[3])
            setup = {r["item"]: r["value"] for r in json.loads(self.fabscope(
                "query", self.folder / "x.db", "benchmark-setup", "--format",
                "json"))}["ECN thresholds, PFC headroom, DCQCN"]
            for word in ("Wmin ", "Wmax ", "XON ", "XOFF ", "headroom "):
                self.assertIn(word, setup)

    def test_cnps_among_data(self):
        a = switch("leaf1")
        a["DSCP_TO_TC_MAP"]["AZURE"]["48"] = "3"
        got = self.wrong(a)
        self.assertEqual({w for w, _, _ in got}, {"cnp-class"})
        self.assertIn("wait behind the data", got[0][2])

    def test_pfc_differs_along_the_path(self):
        a = switch("leaf1")
        for port in PORTS:
            a["PORT_QOS_MAP"][port]["pfc_enable"] = "4"
        got = self.wrong(a)
        self.assertEqual({(w, d) for w, d, _ in got},
                         {("pfc-priorities", "leaf1")})
        self.assertEqual(sum("without PFC" in t for _, _, t in got), 1)
        got = self.wrong(mlnx=MLNX_QOS.replace("0   0   0   1   1", "0   0   0"
                                               "   0   1", 1))
        self.assertEqual({(w, d) for w, d, _ in got},
                         {("pfc-priorities", "h1")})
        got = self.wrong(dcb=DCB.replace("3:on", "3:off"))
        self.assertEqual({(w, d) for w, d, _ in got},
                         {("pfc-priorities", "h2")})

    def test_a_nic_of_another_network_needs_no_pfc(self):
        other = MLNX_QOS.replace("0   0   0   1   1", "0   0   0   0   0", 1)
        rows = self.audit(mlnx=MLNX_QOS + "# host=h1 port=eth1\n" + other)
        bad = [r for r in rows if r[1] != "ok"]
        self.assertEqual([(r[0], r[1], r[2], r[4]) for r in bad if "PFC on no"
                          in r[3]], [("pfc-priorities", "note", "h1", 1)])
        self.assertEqual([r for r in bad if r[1] == "wrong"], [])

    def test_dcqcn_against_the_round_trip(self):
        for us, verdict in ((1, "note"), (900, "ok")):
            rows = self.audit(more=f"/sys/class/net/eth0/ecn/roce_rp/"
                                   f"rate_reduce_monitor_period:{us}\n",
                              on="sender.db")
            self.assertEqual([r[1] for r in rows if r[0] == "dcqcn"],
                             [verdict])

    def test_what_is_no_configuration(self):
        hostile = [
            {"PORT": []}, {"PORT": {}, "BUFFER_PG": {"x": 1, "|": {}}},
            {"PORT": {"a": {"speed": "-1"}}, "BUFFER_PG": {
                "a|0-63": {"profile": "p"}, "a|99999999999": {},
                "a|-5-3": {}}, "BUFFER_PROFILE": {"p": {
                    "dynamic_th": "1e9", "xoff": "9" * 30, "pool": "p"}}},
            {"PORT": {"a": {}}, "PORT_QOS_MAP": {"a": {
                "pfc_enable": "77,99", "dscp_to_tc_map": "m"}},
             "DSCP_TO_TC_MAP": {"m": {"3": "x" * 99}}},
            {"SWITCH_HASH": {"GLOBAL": []}}, {"SWITCH_HASH": {"GLOBAL": {
                "ecmp_hash": [1, None, {}, "x" * 99], "ecmp_hash_ipv4": {}}}},
        ]
        for what in hostile:
            a = copy.deepcopy(switch("leaf1"))
            a.update(what)
            self.audit(a)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
