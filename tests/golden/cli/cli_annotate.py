#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""fabscope annotate: comments where something was found, and nothing else."""
import gzip
import json
import shutil
import sqlite3
import struct
import subprocess
import unittest

import program

SECTION, INTERFACE, STATISTICS, ENHANCED = 0x0a0d0d0a, 1, 5, 6
OURS = b"fabscope"
PORT = 28 + 14 + 20 + 2  # of UDP behind Ethernet and IPv4, in a block
UET = (4793).to_bytes(2, "big")
SAME = ("frame.number", "frame.time_epoch", "frame.len", "frame.cap_len",
        "frame.md5_hash", "frame.interface_name")


def blocks(octets, order="<"):
    """(type, octets) of a pcapng file."""
    at = 0
    while at < len(octets):
        kind, length = struct.unpack_from(order + "II", octets, at)
        yield kind, octets[at:at + length]
        at += length


def big_endian(octets):
    """The same pcapng file as another machine would have written it."""
    out = []

    def options(block, at):
        while at < len(block) - 4:
            code, n = struct.unpack_from("<HH", block, at)
            value = block[at + 4:at + 4 + (n + 3) // 4 * 4]
            if code == 8 and n == 8:  # speed, the only number there is
                value = value[::-1]
            yield struct.pack(">HH", code, n) + value
            at += 4 + len(value)

    for kind, block in blocks(octets):
        length = struct.pack(">I", len(block))
        if kind == SECTION:
            body = struct.pack(">IHHq", *struct.unpack_from("<IHHq", block, 8))
        elif kind == INTERFACE:
            body = struct.pack(">HHI", *struct.unpack_from("<HHI", block, 8))
        elif kind == STATISTICS:
            body = struct.pack(">III", *struct.unpack_from("<III", block, 8))
        else:
            assert kind == ENHANCED
            caplen = struct.unpack_from("<I", block, 20)[0]
            body = struct.pack(">IIIII",
                               *struct.unpack_from("<IIIII", block, 8))
            body += block[28:28 + (caplen + 3) // 4 * 4]
        body += b"".join(options(block, 8 + len(body)))
        out.append(struct.pack(">I", kind) + length + body + length)
    return b"".join(out)


def without_ours(octets, order="<"):
    """The file with our comments taken out again."""
    out = []
    for kind, block in blocks(octets, order):
        if kind == STATISTICS and block[24:].startswith(OURS) and \
                struct.unpack_from(order + "H", block, 20)[0] == 1:
            continue
        if kind == ENHANCED:
            caplen = struct.unpack_from(order + "I", block, 20)[0]
            at = fixed = 28 + (caplen + 3) // 4 * 4
            kept, ours = b"", False
            while at < len(block) - 4:
                code, n = struct.unpack_from(order + "HH", block, at)
                option = block[at:at + 4 + (n + 3) // 4 * 4]
                at += len(option)
                if code == 1 and option[4:].startswith(OURS):
                    ours = True
                elif code:
                    kept += option
            if ours:
                kept += bytes(4) if kept else b""
                length = struct.pack(order + "I", fixed + len(kept) + 4)
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


def capinfos(path):
    """Encapsulation, packets, octets of them, first and last time, and if they
    are in order."""
    out = subprocess.run(["capinfos", "-T", "-r", "-E", "-c", "-d", "-S", "-a",
                          "-e", "-o", str(path)], capture_output=True,
                         text=True, check=True).stdout
    return out.rstrip("\n").split("\t")[1:]


class Annotate(program.Case):
    def annotate(self, name, expect=0, *words):
        out = self.folder / "told.pcapng"
        status, said, err = self.run_here("annotate", "-f", name, "-w", out.name,
                                          *words)
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
            self.assertEqual(len(capinfos(out)), 6)
            self.assertEqual(capinfos(self.folder / name), capinfos(out))
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

    def test_a_capture_without_trouble_is_copied(self):
        name = self.simulated("ud")
        out, said, _ = self.annotate(name)
        self.assertIn(" 0 with a comment", said)
        self.assertTrue(out.read_bytes().startswith(
            (self.folder / name).read_bytes()))
        self.assertEqual(without_ours(out.read_bytes()),
                         (self.folder / name).read_bytes())

    def said_of_interfaces(self, octets, order="<"):
        return {struct.unpack_from(order + "I", block, 8)[0]:
                (struct.unpack_from(order + "II", block, 12),
                 block[24:24 + struct.unpack_from(order + "H", block,
                                                  22)[0]].decode())
                for kind, block in blocks(octets, order)
                if kind == STATISTICS and block[24:].startswith(OURS)}

    def test_interfaces_say_what_was_found(self):
        """Every finding stands at its tap, or at all of them."""
        name = self.simulated("two_taps")
        octets = self.annotate(name)[0].read_bytes()
        said = self.said_of_interfaces(octets)
        last = {}
        for kind, block in blocks(octets):
            if kind == ENHANCED:
                last[struct.unpack_from("<I", block, 8)[0]] = \
                    struct.unpack_from("<II", block, 12)
        self.assertEqual({i: time for i, (time, _) in said.items()}, last)
        self.run_here("analyze", "-o", "x.db", name)
        with sqlite3.connect(self.folder / "x.db") as db:
            findings = db.execute("SELECT f.title, t.interface FROM finding f "
                                  "JOIN tap t ON ifnull(f.tap_id, t.id) = t.id"
                                  ).fetchall()
        self.assertGreater(len(findings), 0)
        for title, interface in findings:
            self.assertIn(title, said[interface][1])

    @unittest.skipUnless(shutil.which("tshark"), "no tshark")
    def test_big_endian(self):
        """The same file as of another machine: the same is said of the same
        packets, and nothing else changed."""
        name = self.simulated("two_taps")
        small = self.annotate(name)[0].read_bytes()
        octets = big_endian((self.folder / name).read_bytes())
        self.write(name, octets)
        same = tshark(self.folder / name, *SAME)
        counted = capinfos(self.folder / name)
        out = self.annotate(name)[0]
        big = out.read_bytes()
        self.assertEqual(capinfos(out), counted)
        self.assertEqual(without_ours(big, ">"), octets)
        self.assertEqual(big, big_endian(small))
        self.assertEqual(tshark(out, *SAME), same)
        self.assertGreater(len(self.comments(out)), 0)
        self.assertGreater(len(self.said_of_interfaces(big, ">")), 1)

    def test_sections_of_both_kinds(self):
        name = self.simulated("two_taps")
        octets = (self.folder / name).read_bytes()
        both = self.write("both.pcapng", octets + big_endian(octets))
        out = self.annotate(both)[0].read_bytes()
        middle = out.index(struct.pack(">IIII", SECTION, 28, 0x1a2b3c4d,
                                       1 << 16)[:4] +
                           big_endian(octets)[4:12], 28)
        self.assertEqual(without_ours(out[:middle]), octets)
        self.assertEqual(without_ours(out[middle:], ">"), big_endian(octets))

    def test_compressed(self):
        """Unpacked, and then as ever; a file that ends early is told of."""
        name = self.simulated("two_taps")
        plain = self.annotate(name)[0].read_bytes()
        octets = (self.folder / name).read_bytes()
        packed = gzip.compress(octets)
        self.write(f"{name}.gz", packed)
        (self.folder / name).unlink()
        self.assertEqual(self.annotate(f"{name}.gz")[0].read_bytes(), plain)
        self.write(f"{name}.gz", packed[:len(packed) * 2 // 3])
        out, _, err = self.annotate(f"{name}.gz", expect=3)
        self.assertIn("end early", err)
        start = without_ours(out.read_bytes()[:len(octets) // 3])[:5000]
        self.assertTrue(octets.startswith(start))

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

    @unittest.skipUnless(shutil.which("tshark"), "no tshark")
    def test_words_of_ultra_ethernet(self):
        """A NACK by its code (of the simulator's ROD targets: ROD_OOO), and
        no NAK, PSN sequence error or queue pair."""
        said = self.comments(self.annotate(self.simulated("uet_rod_loss"))[0])
        self.assertTrue(any("NACK ROD_OOO" in text for text in said.values()))
        for text in said.values():
            for word in ("NAK (", "queue pair", "%s"):
                self.assertNotIn(word, text)

    def test_ports_of_ultra_ethernet(self):
        """The same packets to another port are told the same, if asked."""
        plain = self.comments(self.annotate(self.simulated("uet_rod_loss"))[0])
        self.assertGreater(len(plain), 5)
        moved = self.folder / "uet_rod_loss.pcapng"
        moved.write_bytes(b"".join(
            b[:PORT] + (49150).to_bytes(2, "big") + b[PORT + 2:]
            if kind == ENHANCED and b[PORT:PORT + 2] == UET else b
            for kind, b in blocks(moved.read_bytes())))
        self.assertEqual(self.comments(self.annotate(moved.name)[0]), {})
        (self.folder / "fabric.ini").write_text(
            "[protocols]\nuet-port = 49150\n")
        for words in (("--uet-port", "49150"), ("--topology", "fabric.ini")):
            self.assertEqual(
                self.comments(self.annotate(moved.name, 0, *words)[0]), plain)
        status, _, err = self.run_here("annotate", moved.name, "-w", "no",
                                       "--uet-protocol", "256")
        self.assertEqual(status, 2, err)
        self.assertFalse((self.folder / "no").exists())


if __name__ == "__main__":
    program.main()
