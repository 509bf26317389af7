#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Depth of queues by path telemetry, against the simulator's record.

What packets waited in a switch, by IFA and INT, has to make the depth that the
record of its port has, and marks have to begin where the switch was set to mark.

    queue_depth.py FABSCOPE SCENARIOS"""
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import unittest

FABSCOPE, SCENARIOS = sys.argv[1], pathlib.Path(sys.argv[2])
MARKING = """title Marks by depth
run for=4ms
switches ifa=yes buffer=16M
host h1 h2 h3 h5 h6 h7
switch leaf1 kmin=100K kmax=400K pmax=0.5
switch spine1 kmin=0
switch leaf2 kmin=0
link h1 leaf1 speed=100G delay=500ns
link h2 leaf1 speed=100G delay=500ns
link h3 leaf1 speed=100G delay=500ns
link leaf1 spine1 speed=100G delay=500ns
link spine1 leaf2 speed=100G delay=500ns
link h5 leaf2 speed=100G delay=500ns
link h6 leaf2 speed=100G delay=500ns
link h7 leaf2 speed=100G delay=500ns
qp a h1 h5 mtu=4096 window=32
qp b h2 h6 mtu=4096 window=32
qp c h3 h7 mtu=4096 window=32
flow fa qp=a op=write size=256K depth=2
flow fb qp=b op=write size=256K depth=2
flow fc qp=c op=write size=256K depth=2
tap down spine1->leaf2 side=tx both=yes snaplen=256
"""


class Depth(unittest.TestCase):
    def setUp(self):
        at = tempfile.TemporaryDirectory()
        self.addCleanup(at.cleanup)
        self.folder = pathlib.Path(at.name)

    def fabscope(self, *words):
        done = subprocess.run([FABSCOPE, *map(str, words)],
                              capture_output=True, text=True, check=False)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        return done.stdout

    def ask(self, name):
        return json.loads(self.fabscope("query", self.folder / "s.db", name,
                                        "--format", "json"))

    def run_one(self, scenario, speed=True, more=(), unit=None):
        base = self.folder / "s"
        self.fabscope("simulate", scenario, "-w", f"{base}.pcapng")
        truth = json.loads((self.folder / "s.truth.json").read_text())
        text = ""
        for s in truth["switches"]:
            text += f"[switch {s['switch']}]\ndevice = {s['device']}\n"
            text += f"queue-unit = {unit}\n" if unit else ""
            for p in s["ports"]:
                peer = p["link"].split("#")[0].split("->")[1]
                text += f"port {p['port']} = to-{peer}\n"
        for link in truth["links"]:
            a, b = link["link"].split("#")[0].split("->")
            if a < b and speed:
                text += (f"[link {a}--{b}]\nports = to-{b}, to-{a}\n"
                         f"speed = {link['bps']}\n")
        (self.folder / "s.ini").write_text(text)
        self.fabscope("analyze", "-o", f"{base}.db", "--topology",
                      self.folder / "s.ini", *more, f"{base}.pcapng")
        return truth

    def depths(self):
        db = sqlite3.connect(self.folder / "s.db")
        rows = db.execute(
            "SELECT n.name || '->' || substr(p.name, 4), max(q.bytes_max)"
            " FROM queue_depth q JOIN node n ON n.device_id = q.device_id"
            " JOIN node_port p ON p.node = n.name AND p.port = q.egress_port"
            " GROUP BY 1").fetchall()
        db.close()
        return dict(rows)

    def kpi(self, name):
        return next(r for r in self.ask("kpis") if r["name"] == name)

    def test_the_deepest(self):
        for name in ("ifa_hot_hop", "ifa", "int"):
            with self.subTest(name):
                truth = self.run_one(SCENARIOS / f"{name}.fab")
                true = {k["link"]: max(k["depth_max"]) for k in truth["links"]}
                said = self.depths()
                self.assertTrue(said)
                for link, most in said.items():
                    # preamble and gap take time on the wire, not room
                    self.assertLess(abs(most - true[link]),
                                    9000 + true[link] * 0.06, link)
                deepest = max(said, key=said.get)
                row = self.kpi("Queue Depth Max")
                self.assertEqual(row["value"], said[deepest])
                self.assertIn(f"switch {deepest.split('->')[0]}", row["note"])
                p50, p95 = (self.kpi(f"Queue Depth P{n}")["value"]
                            for n in (50, 95))
                self.assertLessEqual(p50, p95)
                self.assertLessEqual(p95, row["value"])

    def test_by_the_topology_file_of_the_simulator(self):
        for name in ("int_queue", "ifa_hot_hop"):
            base = self.folder / "s"
            self.fabscope("simulate", SCENARIOS / f"{name}.fab", "-f", "-w",
                          f"{base}.pcapng", "--evidence", self.folder / "e")
            truth = json.loads((self.folder / "s.truth.json").read_text())
            self.fabscope("analyze", "-o", f"{base}.db", "--topology",
                          self.folder / "e" / "topology.ini",
                          f"{base}.pcapng")
            row = self.kpi("Queue Depth Max")
            most = max(max(k["depth_max"]) for k in truth["links"])
            self.assertLess(abs(row["value"] - most), 9208 + most * 0.06)

    def test_occupancy(self):
        """INT counts it in cells: what the record of the port has, less what
        came behind the packet that was the last of the deepest."""
        path = SCENARIOS / "int_queue.fab"
        for unit in (208, None):
            truth = self.run_one(path, unit=unit)
            link = next(k for k in truth["links"]
                        if k["link"] == "leaf1->spine1")
            most = max(link["depth_max"])
            row = self.kpi("Queue Depth Max")
            said = row["value"] * (1 if unit else 208)
            self.assertLess(abs(said - most), 9000 + 208)
            self.assertIn("switch leaf1", row["note"])
            self.assertEqual("in units of 208 bytes" in row["note"], bool(unit))
            self.assertGreater(row["confidence"], 0.8 if unit else 0.5)
            p50, p95 = (self.kpi(f"Queue Depth P{n}")["value"]
                        for n in (50, 95))
            self.assertTrue(0 < p50 <= p95 <= row["value"])
            db = sqlite3.connect(self.folder / "s.db")
            self.assertEqual(
                db.execute("SELECT DISTINCT source FROM queue_depth").fetchall(),
                [("occupancy",)])
            db.close()

    def test_marks_against_depth(self):
        path = self.folder / "m.fab"
        path.write_text(MARKING)
        truth = self.run_one(path)
        leaf = next(s for s in truth["switches"] if s["switch"] == "leaf1")
        marked = {k["link"]: k.get("marked", 0) for k in truth["links"]}
        self.assertGreater(marked["leaf1->spine1"], 20)
        self.assertEqual(sum(marked.values()), marked["leaf1->spine1"])
        # SONiC: what the simulator's leaf is set to
        (self.folder / "leaf1.json").write_text(json.dumps({
            "DEVICE_METADATA": {"localhost": {"hostname": "leaf1"}},
            "PORT": {"to-spine1": {"speed": "100000"}},
            "PORT_QOS_MAP": {"to-spine1": {"pfc_enable": ""}},
            "WRED_PROFILE": {"w": {
                "ecn": "ecn_all", "green_min_threshold": str(leaf["kmin"]),
                "green_max_threshold": str(leaf["kmax"])}},
            "QUEUE": {"to-spine1|3": {"wred_profile": "w"}}}))
        self.fabscope("import", self.folder / "s.db",
                      self.folder / "leaf1.json")
        rows = [r for r in self.ask("queue-depth") if r["switch"] == "leaf1"]
        self.assertEqual({(r["wmin_bytes"], r["wmax_bytes"]) for r in rows},
                         {(leaf["kmin"], leaf["kmax"])})
        self.assertGreater(sum(r["ce"] > 0 for r in rows), 0)
        for r in rows:
            if r["to_bytes"] < leaf["kmin"] * 0.9:
                self.assertEqual(r["ce"], 0, r)
        deep = [r["ce"] for r in rows if r["from_bytes"] > leaf["kmin"]]
        self.assertEqual(deep, sorted(deep))
        row = self.kpi("ECN threshold deviation")
        self.assertEqual((row["unit"], row["class"]), ("%", "TEL"))
        # depths are within 1/16, and a packet's own wait
        self.assertLess(abs(row["value"]), 100 / 16 + 5)
        got = sum(r["packets"] * r["ce"] for r in rows)
        self.assertAlmostEqual(got, marked["leaf1->spine1"],
                               delta=3 + 0.02 * got)

    def test_without_a_rate_nothing_is_said(self):
        self.run_one(SCENARIOS / "ifa_hot_hop.fab", speed=False)
        db = sqlite3.connect(self.folder / "s.db")
        n = db.execute("SELECT count(DISTINCT speed_bps) FROM tap").fetchone()
        db.close()
        rows = self.depths()
        self.assertEqual(bool(rows), n == (1,))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
