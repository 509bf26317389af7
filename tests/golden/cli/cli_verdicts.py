#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""fabscope decode --verdicts, held against a count by hand of tshark's PSNs.

Only captures of plain WRITEs and SENDs, where a child could do it: a PSN that
passed before is a copy, one that is too high leaves a gap, one that fills a
gap is a fill, and an ACK is about the last packet with its number."""
import json
import shutil
import subprocess
import unittest

import program

FIELDS = ("frame.number", "ip.src", "ip.dst", "udp.srcport",
          "infiniband.bth.opcode", "infiniband.bth.psn")
ACKNOWLEDGE = 17
PSNS = 1 << 24


def tshark(path):
    words = ["tshark", "-r", str(path), "-Y", "infiniband.bth.opcode < 32",
             "-T", "fields"]
    for field in FIELDS:
        words += ["-e", field]
    out = subprocess.run(words, capture_output=True, text=True, check=True)
    for line in out.stdout.splitlines():
        frame, src, dst, sport, opcode, psn = line.split("\t")
        yield int(frame), src, dst, sport, int(opcode), int(psn)


class Space:
    """The request PSNs of one direction of a queue pair."""

    def __init__(self, first):
        self.first = self.next = first
        self.last = {}  # PSN -> the last frame that carried it

    def relative(self, psn):
        return (psn - self.first) % PSNS

    def request(self, frame, psn):
        ahead = (psn - self.next) % PSNS
        before = self.last.get(psn)
        self.last[psn] = frame
        if ahead < PSNS // 2:
            self.next = (psn + 1) % PSNS
            return ("gap", ahead) if ahead else ("new", None)
        return ("retransmission" if before
                else "retransmission_of_missing", before)


def by_hand(path):
    """frame -> (packet, missing or frame it is about, relative PSN).

    Linux gives both directions of a queue pair one UDP source port."""
    spaces, out = {}, {}
    for frame, src, dst, sport, opcode, psn in tshark(path):
        if opcode == ACKNOWLEDGE:
            space = spaces[dst, sport]
            out[frame] = ("response", space.last.get(psn), space.relative(psn))
            continue
        space = spaces.setdefault((src, sport), Space(psn))
        kind, number = space.request(frame, psn)
        out[frame] = (kind, number, space.relative(psn))
    return out


@unittest.skipUnless(shutil.which("tshark"), "no tshark")
class Verdicts(program.Case):
    def verdicts(self, name):
        status, out, err = self.run_here("decode", "--verdicts", "--json",
                                         self.capture(name))
        self.assertEqual((status, err), (0, ""))
        packets = map(json.loads, out.splitlines())
        return {p["frame"]: p["verdict"] for p in packets if "verdict" in p}

    def same(self, name, least):
        ours = self.verdicts(name)
        theirs = by_hand(self.folder / name)
        self.assertEqual(ours.keys(), theirs.keys())
        seen = {}
        for frame, (kind, number, psn) in theirs.items():
            v = ours[frame]
            seen[kind] = seen.get(kind, 0) + 1
            self.assertEqual((frame, v["packet"]), (frame, kind))
            self.assertEqual(v["psn"], psn)
            if kind == "gap":
                self.assertEqual(v["missing"], number)
            elif number:
                self.assertEqual((frame, v["about"]), (frame, number))
        for kind, count in least.items():
            self.assertGreaterEqual(seen.get(kind, 0), count)

    def test_losses_before_the_tap(self):
        self.same("d11_drop_every_400.pb.pcap",
                  {"gap": 9, "retransmission_of_missing": 9,
                   "retransmission": 9, "response": 100})

    def test_losses_behind_the_tap(self):
        self.same("d11_drop_every_400.pa.pcap", {"retransmission": 18})

    def test_capture_loss(self):
        self.same("d24_capture_loss_2pct.pa.pcap", {"gap": 50})

    def test_wrap(self):
        self.same("d22_psn_wrap.pb.pcap", {"new": 1000})

    def test_triggers_are_those_injected(self):
        """d12 dropped four tails: only a timer asks for them again."""
        copies = [v["trigger"]
                  for v in self.verdicts("d12_drop_tail_timeout.pa.pcap")
                  .values() if v["packet"] == "retransmission"]
        self.assertEqual(copies, ["timeout"] * 32)

    def test_messages_are_counted(self):
        """d12: messages of eight packets, as perftest was told to send."""
        for v in self.verdicts("d12_drop_tail_timeout.pa.pcap").values():
            if v["packet"] == "new":
                self.assertEqual(v["psn"], (v["message"] - 1) * 8 +
                                 v["position"])

    def test_without_the_option_there_are_none(self):
        out = self.run_here("decode", "--json",
                            self.capture("d05_atomic.pa.pcap"))[1]
        self.assertNotIn('"verdict"', out)


if __name__ == "__main__":
    program.main()
