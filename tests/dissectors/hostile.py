#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Frames with flipped octets, cut frames, wrong lengths: through tshark, with
every part of the plugin asked for something.  Under the sanitizers this is
where a mistake in it shows."""
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
