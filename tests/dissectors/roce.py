#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the native RoCE dissector gets wrong is mended, the rest untouched."""
import shutil
import subprocess
import unittest

import plugin

MENDED = ("frame.protocols", "_ws.col.Info", "_ws.expert.message")


def native_fields():
    out = plugin.tshark("-G", "fields", plugins="")[1]
    return sorted({row.split("\t")[2] for row in out.splitlines()
                   if row.startswith("F\t") and
                   row.split("\t")[2].startswith("infiniband.")})


class Roce(plugin.Case):
    def test_cnp(self):
        path = self.simulate("incast_dcqcn")
        cells = plugin.fields(path, [
            "infiniband.bth.opcode", "infiniband.reserved", "roce.bth.fecn",
            "roce.bth.becn", "roce.cnp.resv", "_ws.col.Info",
            "_ws.expert.message"])
        cnps = 0
        for frame, c in cells.items():
            # octet 4 as the native dissector shows it, "40"
            octet = int(c["infiniband.reserved"][0], 16)
            self.assertEqual(
                (frame, c["roce.bth.fecn"], c["roce.bth.becn"]),
                (frame, [str(octet >> 7)], [str(octet >> 6 & 1)]))
            if c["infiniband.bth.opcode"] == ["129"]:
                cnps += 1
                self.assertRegex(c["_ws.col.Info"][0], r"^CNP QP=0x\w{6} ?$")
                self.assertEqual(c["roce.cnp.resv"], ["00" * 16])
                self.assertIn("Congestion notification",
                              c["_ws.expert.message"][0])
            else:
                self.assertNotIn("roce.cnp.resv", c)
        truth = plugin.fields(path, ["udp.port"], "-Y",
                              "infiniband.bth.opcode == 129", plugins="")
        self.assertEqual(cnps, len(truth))
        self.assertGreater(cnps, 10)

    def test_cnp_in_the_tree(self):
        path = self.simulate("incast_dcqcn")
        out = plugin.tshark("-r", path, "-Y", "roce.bth.becn == 1", "-V")[1]
        self.assertIn("Opcode: CNP (129)", out)
        self.assertIn("Congestion: FECN 0, BECN 1, reserved 0", out)
        self.assertIn("\nInfiniBand\n", out)
        self.assertNotIn("Unknown OpCode", out)
        self.assertNotIn("Opcode: Unknown", out)

    @unittest.skipUnless(shutil.which("editcap"), "no editcap")
    def test_cut_packets_are_not_malformed(self):
        full = self.capture(plugin.CAPTURES / "d11_drop_every_400.pa.pcap")
        cut = self.folder / "cut.pcap"
        subprocess.run(["editcap", "-s", "90", full, cut], check=True)
        cut.chmod(0o644)
        before = plugin.tshark("-r", cut, plugins="")[1]
        after = plugin.tshark("-r", cut)[1]
        self.assertIn("Malformed", before)
        self.assertNotIn("Malformed", after)
        names = plugin.fields(cut, ["infiniband.bth.opcode", "_ws.col.Info"])
        for cells in names.values():
            first = cells["infiniband.bth.opcode"][0] == "0"
            self.assertEqual("SEND First" in cells["_ws.col.Info"][0], first)

    def test_native_fields_are_what_they_were(self):
        names = native_fields()
        self.assertGreater(len(names), 100)
        for name in ("d05_atomic.pa.pcap", "d07_cm.pa.pcap"):
            path = self.capture(plugin.CAPTURES / name)
            self.assertEqual(plugin.fields(path, names),
                             plugin.fields(path, names, plugins=""))

    def test_switched_off_it_is_gone(self):
        path = self.capture(plugin.CAPTURES / "d05_atomic.pa.pcap")
        out = plugin.fields(path, ["fabscope.flow", "roce.bth.becn"],
                            "--disable-protocol", "fabscope",
                            "-d", "udp.port==4791,infiniband")
        self.assertFalse(any(out.values()))


if __name__ == "__main__":
    plugin.main()
