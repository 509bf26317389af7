#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Frames with flipped octets, cut frames, wrong lengths: through tshark, with
every part of the plugin asked for something.  Under the sanitizers this is
where a mistake in it shows."""
import json
import random
import struct
import subprocess
import unittest

import plugin

CAPTURES = ("d05_atomic.pa", "d07_cm.pa", "d12_drop_tail_timeout.pa",
            "d13_read_resp_drop.pb")
SCENARIOS = ("uet_small_ses", "uet_close_reuse", "ifa", "int", "csig",
             "uec_cbfc", "erspan2", "vxlan_mirror", "heavy_pause")
EACH = 150
DAMAGED = 12  # files of each format
ENHANCED = 6  # the block of a packet
OTHERWISE = "fabscope.expert.otherwise"
SAME = ("frame.cap_len", "fabscope.packet", "fabscope.flow")
LONGEST = 400  # octets of a frame are enough


def frames_of(path):
    """The octets of the first frames of a capture."""
    plain = path.with_suffix(".plain")
    subprocess.run(["editcap", "-F", "pcap", "-r", path, plain, "1-4000"],
                   check=True)
    octets, at, frames = plain.read_bytes(), 24, []
    while at < len(octets):
        length = struct.unpack_from("<I", octets, at + 8)[0]
        frames.append(octets[at + 16:at + 16 + length])
        at += 16 + length
    return frames


def pcap_heads(octets):
    """Where it does not say what is in a packet."""
    at, heads = 24, list(range(24))
    while at < len(octets):
        heads += range(at, at + 16)
        at += 16 + struct.unpack_from("<I", octets, at + 8)[0]
    return heads


def pcapng_heads(octets):
    at, heads = 0, []
    for kind, block in plugin.blocks(octets):
        end = 28 if kind == ENHANCED else len(block)
        heads += range(at, min(at + end, len(octets)))
        at += len(block)
    return heads


def mutations(frames, rng):
    for _ in range(EACH):
        frame = bytearray(rng.choice(frames)[:LONGEST])
        for _ in range(rng.choice((1, 1, 2, 4, 16))):
            frame[rng.randrange(len(frame))] = rng.choice(
                (0, 1, 0x7f, 0x80, 0xff, rng.randrange(256)))
        if rng.random() < 0.3:
            del frame[rng.randrange(1, len(frame)):]
        yield bytes(frame)


class Hostile(plugin.Case):
    def survive(self, path):
        for words in (("-V",), ("-2", "-q", "-z", "fabscope,flows", "-z",
                                "fabscope,findings", "-z",
                                "fabscope_table,flows", "-z", "conv,fabscope_qp",
                                "-z", "endpoints,fabscope_qp", "-z", "expert"),
                      ("-2", "-Y", "fabscope || roce || uet", "-T", "json")):
            status, out, err = plugin.tshark("-r", path, *words)
            self.assertEqual(status, 0, err[-2000:])
            self.assertEqual(err, "")
            self.assertNotIn("Dissector bug", out)

    def test_flipped_and_cut_frames(self):
        rng = random.Random(6)
        paths = [self.capture(plugin.CAPTURES / f"{name}.pcap")
                 for name in CAPTURES]
        paths += [self.simulate(name) for name in SCENARIOS]
        everything = []
        for path in paths:
            frames = frames_of(path)
            self.assertGreater(len(frames), 50, path)
            everything += mutations(frames, rng)
        rng.shuffle(everything)
        path = self.folder / "hostile.pcap"
        path.write_bytes(plugin.pcap(everything))
        path.chmod(0o644)
        self.survive(path)

    def test_cut_everywhere(self):
        """One frame of each kind, cut at every octet, the length kept."""
        frames = []
        for name in ("uet_close_reuse", "ifa", "int", "csig"):
            frame = frames_of(self.simulate(name))[3][:160]
            frames += [frame[:n] for n in range(14, len(frame))]
        path = self.folder / "cut.pcap"
        path.write_bytes(plugin.pcap(frames, 160))
        path.chmod(0o644)
        self.survive(path)

    def test_damaged_files(self):
        """What Wireshark still reads of a file whose own headers are broken:
        a packet is what it is for the program, or nothing is said of it."""
        rng = random.Random(7)
        pcap = (plugin.CAPTURES / "d12_drop_tail_timeout.pa.pcap").read_bytes()
        pcapng = self.simulate("uet_small_ses").read_bytes()[:200000]
        told = otherwise = 0
        for n, (octets, heads) in enumerate(
                [(pcap, pcap_heads(pcap)), (pcapng, pcapng_heads(pcapng))]
                * DAMAGED):
            broken = bytearray(octets)
            for _ in range(rng.choice((1, 1, 3))):
                broken[rng.choice(heads)] = rng.choice((0, 1, 0xff,
                                                        rng.randrange(256)))
            path = self.folder / f"{n}.damaged"
            path.write_bytes(broken)
            path.chmod(0o644)
            shown = self.shown(path)
            ours = self.ours(path)
            for frame, cells in shown.items():
                if OTHERWISE in cells:
                    otherwise += 1
                if "fabscope.packet" not in cells:
                    continue
                told += 1
                key = tuple(cells[name][0] for name in SAME)
                self.assertIn(key, ours, (n, frame))
        print(f"{told} packets as for the program, {otherwise} otherwise",
              flush=True)
        self.assertGreater(told, 1000)

    def shown(self, path):
        names = [*SAME, OTHERWISE]
        # what is broken, tshark says too, and with which status
        _, out, err = plugin.tshark("-r", path, *plugin.as_fields(names))
        self.assertNotRegex(err, "AddressSanitizer|runtime error")
        self.assertNotIn("Dissector bug", out)
        return plugin.cells_of(out, names)

    def ours(self, path):
        """What there is of each packet, whatever its number."""
        try:
            packets = map(json.loads, plugin.fabscope(
                "decode", "--verdicts", "--json", path).splitlines())
        except AssertionError:  # it is no capture any more
            return set()
        return {(str(p["captured"]), p["verdict"]["packet"],
                 str(p["verdict"]["flow"])) for p in packets
                if "verdict" in p}

    def test_no_packet_at_all(self):
        path = self.folder / "empty.pcap"
        path.write_bytes(plugin.pcap([]))
        path.chmod(0o644)
        status, out, _ = plugin.tshark("-q", "-r", path, "-z",
                                       "fabscope,flows")
        self.assertEqual(status, 0)

    def test_many_interfaces_and_sections(self):
        path = self.simulate("two_taps")
        twice = self.folder / "twice.pcapng"
        twice.write_bytes(path.read_bytes() * 2)
        twice.chmod(0o644)
        status, out, err = plugin.tshark("-q", "-r", twice, "-z",
                                         "fabscope,taps")
        self.assertEqual((status, err), (0, ""))
        # sections that name an interface alike mean the same place
        self.assertEqual(len(out.strip().splitlines()), 3 + 2)


if __name__ == "__main__":
    plugin.main()
