#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What switches say of their processors, memory and power is a KPI: files as
gnmic, snmpwalk and Prometheus write them, values computed by hand.

OpenConfig: openconfig-system, openconfig-platform-psu (ieeefloat32 in base64
as RFC 7951 has binary); HOST-RESOURCES-MIB (RFC 2790), UCD-SNMP-MIB, ENTITY-
SENSOR-MIB (RFC 3433); node_exporter."""
import base64
import json
import os
import shutil
import sqlite3
import struct
import subprocess
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
FABSCOPE = os.environ["FABSCOPE"]
CAPTURE = os.path.join(ROOT, "captures", "d11_drop_every_400.pa.pcap")


def times():
    """First and last second of the capture, from outside."""
    said = subprocess.run(["capinfos", "-T", "-r", "-a", "-e", "-S", CAPTURE],
                          capture_output=True, text=True, check=True).stdout
    return [float(t) for t in said.split("\t")[1:3]]


class Devices(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        os.mkdir(os.path.join(self.folder, "e"))
        self.first, self.last = times()

    def write(self, name, text):
        with open(os.path.join(self.folder, "e", name), "w",
                  encoding="ascii") as f:
            f.write(text)

    def kpis(self):
        db = os.path.join(self.folder, "x.db")
        r = subprocess.run([FABSCOPE, "analyze", CAPTURE, "-o", db, "--evidence",
                            os.path.join(self.folder, "e")],
                           capture_output=True, text=True, check=False)
        self.assertIn(r.returncode, (0, 3), r.stderr)
        self.assertNotIn("are not used", r.stdout)
        rows = sqlite3.connect(db).execute(
            "SELECT name, value, class, note FROM kpi").fetchall()
        return {name: (value and round(value, 3), class_, note)
                for name, value, class_, note in rows}

    def test_without_any_nothing_is_said(self):
        self.write("other.txt", "IF-MIB::ifInDiscards.3 = Counter32: 5\n"
                   "SNMPv2-MIB::sysName.0 = STRING: 10.9.0.1\n")
        k = self.kpis()
        for name in ("Switch CPU Utilization", "Switch Memory Utilization",
                     "Power Consumption", "Memory growth of switch processes"):
            self.assertEqual(k[name][:2], (None, "NO"), name)

    def test_openconfig(self):
        watts = base64.b64encode(struct.pack(">f", 150.25)).decode()
        updates = [
            ("system/cpus/cpu[index=ALL]/state/total",
             {"system/cpus/cpu/state/total": {"instant": 40, "max": 90}}),
            ("system/memory/state", {"system/memory/state": {
                "openconfig-system:physical": "16000", "used": "4000"}}),
            ("components/component[name=PSU1]/power-supply/state/output-power",
             {"x/output-power": watts}),
            ("components/component[name=PSU2]/power-supply/state/output-power",
             {"x/output-power": 100.5}),
        ]
        self.write("a.json", json.dumps(
            {"source": "leaf1:6030", "timestamp": int(self.first * 1e9),
             "updates": [{"Path": p, "values": v} for p, v in updates]}))
        k = self.kpis()
        self.assertEqual(k["Switch CPU Utilization"][:2], (40, "TEL"))
        self.assertEqual(k["Switch Memory Utilization"][:2], (25, "TEL"))
        self.assertEqual(k["Power Consumption"][:2], (250.75, "TEL"))
        self.assertIn("leaf1", k["Power Consumption"][2])

    def test_snmp(self):
        self.write("leaf2.txt", "SNMPv2-MIB::sysName.0 = STRING: leaf2\n" + "".join(
            f"{name} = INTEGER: {value}\n" for name, value in (
                ("HOST-RESOURCES-MIB::hrProcessorLoad.196608", 12),
                ("HOST-RESOURCES-MIB::hrProcessorLoad.196609", 20),
                ("UCD-SNMP-MIB::memTotalReal.0", "1000 kB"),
                ("UCD-SNMP-MIB::memAvailReal.0", "400 kB"),
                ("ENTITY-SENSOR-MIB::entPhySensorValue.5", 1204321),
                ("ENTITY-SENSOR-MIB::entPhySensorType.5", "watts(6)"),
                ("ENTITY-SENSOR-MIB::entPhySensorScale.5", "milli(8)"),
                ("ENTITY-SENSOR-MIB::entPhySensorPrecision.5", 1),
                ("ENTITY-SENSOR-MIB::entPhySensorType.6", "celsius(8)"),
                ("ENTITY-SENSOR-MIB::entPhySensorValue.6", 41))))
        k = self.kpis()
        self.assertEqual(k["Switch CPU Utilization"][0], 16)
        self.assertEqual(k["Switch Memory Utilization"][0], 60)
        self.assertEqual(k["Power Consumption"][0], 120.432)

    def series(self, name, labels, points):
        return {"metric": {"__name__": name, "instance": "spine1:9100", **labels},
                "values": [[self.first + t, str(v)] for t, v in points]}

    def prometheus(self, *series):
        self.write("p.json", json.dumps(
            {"status": "success",
             "data": {"resultType": "matrix", "result": series}}))
        return self.kpis()

    def test_node_exporter(self):
        # Idle for 8.5 s and for 7.5 s of ten around the capture; what was long
        # before it does not count.
        k = self.prometheus(
            self.series("node_cpu_seconds_total", {"cpu": "0", "mode": "idle"},
                        [(-1000, 0), (-1, 100.5), (9, 109)]),
            self.series("node_cpu_seconds_total", {"cpu": "1", "mode": "idle"},
                        [(-1000, 0), (-1, 100.5), (9, 108)]),
            self.series("node_cpu_seconds_total", {"cpu": "1", "mode": "user"},
                        [(-1, 0), (9, 9)]),
            self.series("node_memory_MemTotal_bytes", {}, [(-1, 1e9), (9, 1e9)]),
            self.series("node_memory_MemAvailable_bytes", {},
                        [(-1, 2.5e8), (9, 2.4e8)]))
        self.assertLess(self.last, self.first + 9)
        self.assertEqual(k["Switch CPU Utilization"][0], 20)
        self.assertEqual(k["Switch Memory Utilization"][0], 75.5)

    def test_memory_that_grows(self):
        self.write("a.json", "\n".join(json.dumps(
            {"source": "leaf1:6030",
             "timestamp": int((self.first + 900 * i) * 1e9),
             "updates": [{"Path": "system/memory/state", "values": {
                 "x/used": 4000000 + 1500000 * i}}]}) for i in range(9)))
        # 1.5 MB in a quarter of an hour
        self.assertEqual(self.kpis()["Memory growth of switch processes"][0], 6)

    def test_a_host_is_no_switch(self):
        self.write("h.txt", "SNMPv2-MIB::sysName.0 = STRING: 10.9.0.1\n"
                   "HOST-RESOURCES-MIB::hrProcessorLoad.1 = INTEGER: 99\n")
        self.assertIsNone(self.kpis()["Switch CPU Utilization"][0])


if __name__ == "__main__":
    unittest.main()
