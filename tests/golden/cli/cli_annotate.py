#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""fabscope annotate: comments where something was found, and nothing else."""
import json
import shutil
import struct
import subprocess
import unittest

import program

SECTION, INTERFACE, ENHANCED = 0x0a0d0d0a, 1, 6
OURS = b"fabscope"
SAME = ("frame.number", "frame.time_epoch", "frame.len", "frame.cap_len",
        "frame.md5_hash", "frame.interface_name")


def blocks(octets):
    """(type, octets) of a little-endian pcapng file."""
    at = 0
    while at < len(octets):
        kind, length = struct.unpack_from("<II", octets, at)
        yield kind, octets[at:at + length]
        at += length


def without_ours(octets):
    """The file with our comments taken out again."""
    out = []
    for kind, block in blocks(octets):
        if kind == ENHANCED:
            caplen = struct.unpack_from("<I", block, 20)[0]
            at = fixed = 28 + (caplen + 3) // 4 * 4
            kept, ours = b"", False
            while at < len(block) - 4:
                code, n = struct.unpack_from("<HH", block, at)
                option = block[at:at + 4 + (n + 3) // 4 * 4]
                at += len(option)
                if code == 1 and option[4:].startswith(OURS):
                    ours = True
                elif code:
                    kept += option
            if ours:
                kept += bytes(4) if kept else b""
                length = struct.pack("<I", fixed + len(kept) + 4)
                block = block[:4] + length + block[8:fixed] + kept + length
        out.append(block)
    return b"".join(out)


def tshark(path, *fields):
    words = ["tshark", "-n", "-o", "frame.generate_md5_hash:TRUE", "-r",
             str(path), "-T", "fields", "-E", "separator=/t"]
    for field in fields:
        words += ["-e", field]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


class Annotate(program.Case):
    def annotate(self, name, expect=0):
        out = self.folder / "told.pcapng"
        status, said, err = self.run_here("annotate", name, "-w", out.name)
        self.assertEqual(status, expect, err)
        return out, said, err

    def frames_of_events(self, name):
        self.run_here("analyze", "-o", "x.db", name)
        rows = json.loads(self.run_here("query", "x.db", "events", "--param",
                                        "limit=100000", "--format",
                                        "json")[1])
        return {row["frame"] for row in rows if row["frame"]}

    def comments(self, path):
        return {int(line.split("\t")[0]): line.split("\t", 1)[1]
                for line in tshark(path, "frame.number", "frame.comment")
                if line.split("\t", 1)[1]}

    @unittest.skipUnless(shutil.which("tshark"), "no tshark")
    def test_pcap(self):
        for name in ("d12_drop_tail_timeout.pa.pcap",
                     "d11_drop_every_400.pb.pcap"):
            self.capture(name)
            out, said, _ = self.annotate(name)
            same = [f for f in SAME if f != "frame.interface_name"]
            self.assertEqual(tshark(self.folder / name, *same),
                             tshark(out, *same))
            comments = self.comments(out)
            self.assertLessEqual(self.frames_of_events(name),
                                 comments.keys())
            self.assertIn(f"{len(comments)} with a comment", said)
            self.assertTrue(any("fabscope finding 1 (" in text
                                for text in comments.values()))

    def simulated(self, scenario):
        """Bytes of a capture with several interfaces and all kinds of
        options."""
        name = f"{scenario}.pcapng"
        self.run_here("simulate", "-w", name, program.CAPTURES / "scenarios" /
                      f"{scenario}.fab")
        return name

    def test_pcapng_is_the_same_but_for_comments(self):
        for scenario in ("two_taps", "wrap_loss"):
            name = self.simulated(scenario)
            before = (self.folder / name).read_bytes()
            after = self.annotate(name)[0].read_bytes()
            self.assertGreater(after.count(b"fabscope finding"), 0)
            self.assertEqual(without_ours(after), before)

    def test_a_capture_without_findings_is_copied(self):
        name = self.simulated("ud")
        out, said, _ = self.annotate(name)
        self.assertIn(" 0 with a comment", said)
        self.assertEqual(out.read_bytes(), (self.folder / name).read_bytes())

    @unittest.skipUnless(shutil.which("editcap"), "no editcap")
    def test_other_comments_and_blocks_stay(self):
        """A known section length, a comment of somebody, unknown blocks."""
        self.capture("d12_drop_tail_timeout.pa.pcap")
        subprocess.run(["editcap", "-a", "73:mine", "-F", "pcapng",
                        "d12_drop_tail_timeout.pa.pcap", "mine.pcapng"],
                       cwd=self.folder, check=True, capture_output=True)
        path = self.folder / "mine.pcapng"
        unknown = struct.pack("<III", 0x77, 16, 0xcafe) + \
            struct.pack("<I", 16)
        octets = path.read_bytes()
        head = struct.unpack_from("<I", octets, 4)[0]
        octets = octets[:16] + \
            struct.pack("<Q", len(octets) - head + len(unknown)) + \
            octets[24:] + unknown
        path.write_bytes(octets)
        out = self.annotate("mine.pcapng")[0].read_bytes()
        self.assertEqual(out[16:24], b"\xff" * 8)
        self.assertEqual(without_ours(out), octets[:16] + out[16:24] +
                         octets[24:])
        self.assertIn("mine", self.comments(self.folder /
                                            "told.pcapng")[73])

    def test_a_damaged_end_is_copied(self):
        name = self.simulated("rnr")
        octets = (self.folder / name).read_bytes()[:-7]
        self.write("cut.pcapng", octets)
        out, _, err = self.annotate("cut.pcapng", expect=3)
        self.assertIn("copied as they are", err)
        self.assertTrue(out.read_bytes().endswith(octets[-40:]))

    def test_refusals(self):
        self.capture("d05_atomic.pa.pcap")
        status, _, err = self.run_here("annotate", "d05_atomic.pa.pcap")
        self.assertEqual(status, 2)
        self.assertIn("-w", err)
        for name in ("nothing.pcap", "/dev/null"):
            status, _, err = self.run_here("annotate", name, "-w", "x.pcapng")
            self.assertIn(status, (1, 2))
            self.one_line(err.split("\nusage")[0].strip() + "\n")
        self.assertEqual(self.files(), ["d05_atomic.pa.pcap"])


if __name__ == "__main__":
    program.main()
