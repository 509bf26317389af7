#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The preferences: what the options of the program say of a fabric."""
import contextlib
import sqlite3
import struct
import unittest

import plugin

INTERFACE, ENHANCED = 1, 6  # blocks
IF_SPEED = 8
HEAD = 28 + 14  # of a block, and Ethernet: where IP begins
PORT = HEAD + 20 + 2
FIELDS = ["uet.pds.psn", "uet.ses.job_id", "fabscope.flow", "fabscope.psn",
          "fabscope.packet", "fabscope.decides", "_ws.col.Protocol"]


def patched(octets, change):
    """A pcapng file, each packet block through |change|."""
    for kind, block in plugin.blocks(octets):
        yield change(block) if kind == ENHANCED else block


def without_speed(octets):
    """A pcapng file that does not tell how fast its links are: that option of
    its interfaces becomes one that nobody knows."""
    for kind, block in plugin.blocks(octets):
        at, block = 16, bytearray(block)
        while kind == INTERFACE and at < len(block) - 4:
            code, length = struct.unpack_from("<HH", block, at)
            if code == IF_SPEED:
                struct.pack_into("<H", block, at, 0x7fff)
            at += 4 + (length + 3) // 4 * 4
        yield bytes(block)


def port(old, new):
    """UDP over IPv4, to another port."""
    def change(block):
        if block[PORT:PORT + 2] != old.to_bytes(2, "big"):
            return block
        return block[:PORT] + new.to_bytes(2, "big") + block[PORT + 2:]
    return change


def other_protocol(block):
    """IPv6, next header 253."""
    at = HEAD + 6
    if block[HEAD] >> 4 != 6 or block[at] != 253:
        return block
    return block[:at] + bytes((254,)) + block[at + 1:]


class Settings(plugin.Case):
    def topology(self, text, name="fabric.ini"):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o644)
        return "-o", f"fabscope.topology:{path}"

    def moved(self, scenario, change):
        """As it is, and with numbers that are not the usual ones."""
        path = self.simulate(scenario)
        usual = plugin.fields(path, FIELDS)
        path.write_bytes(b"".join(patched(path.read_bytes(), change)))
        self.assertGreater(sum("uet.pds.psn" in c for c in usual.values()),
                           50)
        unknown = plugin.fields(path, FIELDS)
        for cells in unknown.values():
            self.assertEqual([*cells], ["_ws.col.Protocol"])
        return path, usual

    def test_port(self):
        path, usual = self.moved("uet_rod_loss", port(4793, 49150))
        preference = ("-o", "fabscope.uet_port:7-8,49150")
        right = self.topology("[protocols]\nuet-port = 49150\n")
        wrong = self.topology("[protocols]\nuet-port = 9\n", "wrong.ini")
        for words in (preference, right, (*wrong, *preference)):
            self.assertEqual(plugin.fields(path, FIELDS, *words), usual)

    def test_port_that_was_the_usual_one(self):
        path = self.simulate("uet_rod_loss")
        told = plugin.fields(path, FIELDS, "-o", "fabscope.uet_port:7")
        for cells in told.values():
            self.assertEqual([*cells], ["_ws.col.Protocol"])

    def test_protocol(self):
        path, usual = self.moved("uet_native_v6", other_protocol)
        for words in (("-o", "fabscope.uet_protocol:254"),
                      self.topology("[protocols]\nuet-protocol = 254\n")):
            self.assertEqual(plugin.fields(path, FIELDS, *words), usual)

    def test_port_of_roce(self):
        """Wireshark's own dissector goes where the topology file says."""
        path = self.simulate("incast_dcqcn")
        names = ["infiniband.bth.psn", "roce.bth.becn", "fabscope.psn"]
        usual = plugin.fields(path, names)
        self.assertGreater(sum(map(len, usual.values())), 1000)
        path.write_bytes(b"".join(patched(path.read_bytes(),
                                          port(4791, 4900))))
        self.assertFalse(any(plugin.fields(path, names).values()))
        self.assertEqual(usual, plugin.fields(path, names, *self.topology(
            "[protocols]\nroce-port = 4900\n")))

    def test_speed_of_a_link(self):
        """How long all pauses last is known where somebody tells the speed:
        the capture, the topology file or the preference."""
        path = self.simulate("pause_victims")
        with contextlib.closing(sqlite3.connect(self.analyse(path))) as db:
            speeds = dict(db.execute("SELECT name, speed_bps FROM tap"))
        self.assertGreater(len(speeds), 0)
        names = ["fabscope.pause", "fabscope.pause.since"]
        known = plugin.fields(path, names)
        self.assertGreater(sum(map(bool, known.values())), 100)
        path.write_bytes(b"".join(without_speed(path.read_bytes())))
        # Without one that of pauses whose XON came before their quanta end
        # on any link.
        for frame, shown in plugin.fields(path, names).items():
            for name, values in shown.items():
                self.assertIn(values, ([], known[frame].get(name)), frame)
        topology = self.topology("".join(f"[tap {name}]\nspeed = {bps}\n"
                                         for name, bps in speeds.items()))
        for words in (topology, ("-o", "fabscope.link_speed:100")):
            self.assertEqual(known, plugin.fields(path, names, *words))

    def test_a_file_that_is_none(self):
        path = self.capture(plugin.CAPTURES / "d04_write_lat.pa.pcap")
        for words, why in ((self.topology("[link a--b]\nspeed = fast\n"), "fabric.ini"),
                           (("-o", "fabscope.topology:/no/where"),
                            "/no/where")):
            status, out, err = plugin.tshark("-r", path, "-c", "1", *words)
            self.assertEqual(status, 0)
            self.assertIn("RRoCE", out)
            self.assertEqual(err.count("\n"), 1, err)
            self.assertIn(why, err)


if __name__ == "__main__":
    plugin.main()
