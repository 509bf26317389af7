#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The ways in which Wireshark may come by a capture: what is said of a packet
is the same, but that what is no complete file cannot be looked through ahead,
and then says so."""
import gzip
import itertools
import struct
import unittest

import plugin

ENHANCED = 6
# Told with the frame concerned, by frames that come later.
LATER = ("fabscope.event", "fabscope.verdict", "fabscope.why",
         "fabscope.cnp.flow", "fabscope.cnp.latency",
         "fabscope.cnp.attribution", "fabscope.cnp.reaction")
# Known once the other direction has been seen.
ENDS = ("fabscope.qp", "fabscope.pdc")
# Depends on the speed of the link, which Wireshark keeps for itself.
SPEED = ("fabscope.pause", "fabscope.stall")
EXPERTS = "fabscope.expert."  # some are the end's
AS_READ = "fabscope.expert.as_read"
TIME = "frame.time_epoch"
# Frames of the same packet, whatever they are called.
NUMBERS = ("fabscope.retransmission_of", "fabscope.response_to", "fabscope.decides.frame",
           "fabscope.event.decided", "fabscope.cnp.mark", "fabscope.pause",
           "fabscope.echo", "fabscope.why.frame")
CAPTURES = ("d12_drop_tail_timeout.pa", "d24_capture_loss_2pct.pa")
SCENARIOS = ("rnr", "uet_trim_incast", "heavy_pause", "incast_dcqcn", "csig",
             "ifa_lossy", "uet_rccc", "uet_small_ses")

FEW = ("-c", 3000)  # frames are enough to have every field


def told(frames, *but):
    """Frames with something to tell, without fields that begin so."""
    out = {}
    for frame, cells in frames.items():
        kept = {name: cell for name, cell in cells.items()
                if not name.startswith(but or ("-",))}
        if kept:
            out[frame] = kept
    return out


class Ways(plugin.Case):
    def setUp(self):
        super().setUp()
        self.names = plugin.own_fields()

    def captures(self, scenarios=SCENARIOS[:3]):
        for name in CAPTURES:
            yield self.capture(plugin.CAPTURES / f"{name}.pcap")
        for name in scenarios:
            yield self.simulate(name)

    def test_every_field_as_a_filter(self):
        """In one pass it finds the frames that have it, as in two."""
        found = set()
        for path in self.captures(SCENARIOS):
            shown = plugin.fields(path, self.names, *FEW)
            having = {name for cells in shown.values() for name in cells}
            for name in sorted(having - found):
                with self.subTest(path.name, field=name):
                    with_it = [frame for frame, cells in shown.items()
                               if name in cells]
                    # same_verdicts.py compares passes
                    for passes in ((), ("-2",))[:1 + (name in LATER)]:
                        hits = plugin.fields(path, [name], *FEW, *passes,
                                             "-Y", name)
                        self.assertEqual([*hits], with_it)
                        for frame, cells in hits.items():
                            self.assertEqual(cells[name], shown[frame][name])
            found |= having
        rest = {name for name in self.names if name not in found
                and not name.startswith(EXPERTS)}
        self.assertEqual(rest, {"fabscope.stopped"})  # of broken headers

    def test_a_file_as_standard_input(self):
        for path in self.captures():
            with open(path, "rb") as file:
                shown = plugin.fields("-", self.names, stdin=file)
            self.assertEqual(shown, plugin.fields(path, self.names))

    def test_compressed(self):
        path = self.capture(plugin.CAPTURES / f"{CAPTURES[0]}.pcap")
        packed = path.with_suffix(".pcap.gz")
        packed.write_bytes(gzip.compress(path.read_bytes()))
        packed.chmod(0o644)
        self.assertEqual(plugin.fields(packed, self.names),
                         plugin.fields(path, self.names))

    def check_as_read(self, path, shown):
        """Nothing but what is decided later is missing."""
        whole = plugin.fields(path, self.names)
        self.assertIn(AS_READ, shown[1])
        self.assertTrue(all(AS_READ not in cells for cells in whole.values()))
        but = (*LATER, *ENDS, *SPEED, EXPERTS)
        self.assertEqual(told(shown, *but), told(whole, *but))
        for frame, cells in shown.items():
            for name in cells.keys() - {AS_READ}:
                for value in cells[name]:
                    self.assertIn(value, whole[frame][name])

    def test_pipe(self):
        for path in self.captures():
            with self.subTest(path.name):
                self.check_as_read(path, plugin.fields(
                    "-", self.names, data=path.read_bytes()))

    def test_live(self):
        """What dumpcap is still writing is no complete file."""
        path = self.capture(plugin.CAPTURES / f"{CAPTURES[0]}.pcap")
        octets = path.read_bytes()
        self.check_as_read(path, plugin.live((octets[:20000], octets[20000:]),
                                             self.names))

    def test_a_file_that_is_too_large(self):
        path = self.capture(plugin.CAPTURES / f"{CAPTURES[0]}.pcap")
        self.check_as_read(path, plugin.fields(path, self.names, "-o",
                                               "fabscope.whole:0"))
        # packed it is small, and that is found out on the way
        octets = path.read_bytes()
        path.write_bytes(octets + b"".join([octets[24:]] * 4))
        packed = path.with_suffix(".pcap.gz")
        packed.write_bytes(gzip.compress(path.read_bytes()))
        packed.chmod(0o644)
        self.assertLess(packed.stat().st_size, 1 << 20)
        self.assertGreater(path.stat().st_size, 1 << 20)
        self.check_as_read(path, plugin.fields(packed, self.names, "-o",
                                               "fabscope.whole:1"))

    def test_read_filter(self):
        """Wireshark numbers anew what is left; a packet is what it was."""
        path = self.capture(plugin.CAPTURES / f"{CAPTURES[0]}.pcap")
        names = [TIME, *self.names]
        whole = plugin.fields(path, names)
        time_of = {frame: cells[TIME][0] for frame, cells in whole.items()}
        of_time = {cells[TIME][0]: cells for cells in whole.values()}
        for words in ("fabscope.event || fabscope.decides", "!fabscope.event",
                      "fabscope.packet == \"retransmission\"", "frame.len > 200"):
            left = plugin.fields(path, names, "-2", "-R", words)
            self.assertTrue(3 < len(left) < len(whole), words)
            times = {frame: cells[TIME][0] for frame, cells in left.items()}
            for time, cells in zip(times.values(), left.values()):
                for name, told_now in cells.items():
                    then = of_time[time][name]
                    if name in NUMBERS:
                        # another number of the same frame, none of one
                        # that is left out
                        told_now = [times[int(n)] for n in told_now]
                        then = [time_of[int(n)] for n in then]
                        then = [t for t in then if t in times.values()]
                    self.assertEqual(told_now, then, (words, time, name))

    def test_records_that_are_no_packets(self):
        """An entry of a journal has a number in Wireshark."""
        path = self.simulate("rnr")
        plain = plugin.fields(path, self.names, "-c", 50)
        text = b"__REALTIME_TIMESTAMP=1404101101501873\nMESSAGE=hello\n"
        text += b"\0" * (-len(text) % 4)
        entry = struct.pack("<II", 9, len(text) + 12) + text + struct.pack(
            "<I", len(text) + 12)
        out, packets = [], itertools.count(1)
        for kind, block in plugin.blocks(path.read_bytes()):
            out.append(block)
            if kind == ENHANCED and next(packets) == 10:
                out.append(entry)
        path.write_bytes(b"".join(out))
        shown = plugin.fields(path, self.names, "-c", 51)
        self.assertEqual(shown.pop(11), {})
        for frame, cells in plain.items():
            moved = shown[frame + (frame > 10)]
            self.assertEqual(told({1: cells}, *NUMBERS, *LATER),
                             told({1: moved}, *NUMBERS, *LATER))


if __name__ == "__main__":
    plugin.main()
