#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""fabscope slice: the right packets, in a file Wireshark opens."""
import json
import os
import shutil
import sqlite3
import subprocess
import unittest

import program

LOSSY = "d11_drop_every_400.pa.pcap"
OTHER = "d11_drop_every_400.pb.pcap"


def tshark(path, *fields, where=""):
    words = ["tshark", "-r", str(path), "-T", "fields"]
    words += ["-Y", where] if where else []
    for field in fields:
        words += ["-e", field]
    out = subprocess.run(words, capture_output=True, text=True, check=True)
    return [tuple(line.split("\t")) for line in out.stdout.splitlines()]


@unittest.skipUnless(shutil.which("tshark"), "no tshark")
class Slice(program.Case):
    def setUp(self):
        super().setUp()
        self.capture(LOSSY)
        status, out, _ = self.run_here("analyze", "--json", "-o", "a.db",
                                       LOSSY)
        self.assertEqual(status, 0)
        self.document = json.loads(out)

    def test_topology(self):
        """RoCE elsewhere: nothing of the flow is found; as usual: the same."""
        for port, status in ((9, 1), (4791, 0)):
            (self.folder / "t.ini").write_text(
                f"[protocols]\nroce-port = {port}\n")
            got = self.run_here("slice", "a.db", "flow:1", "--topology",
                                "t.ini", "-w", "t.pcapng")
            self.assertEqual(got[0], status, got)
        self.assertEqual((self.folder / "t.pcapng").read_bytes(),
                         self.slice("flow:1").read_bytes())
        (self.folder / "t.ini").write_text("[protocols]\nport = 1\n")
        status, _, err = self.run_here("slice", "a.db", "flow:1", "--topology",
                                       "t.ini", "-w", "u.pcapng")
        self.assertEqual(status, 1)
        self.assertIn("t.ini:2", err)

    def slice(self, selector, *words, db="a.db"):
        status, out, err = self.run_here("slice", "-f", db, selector, *words, "-w",
                                         "out.pcapng")
        self.assertEqual((status, err), (0, ""))
        self.assertIn("out.pcapng", out)
        return self.folder / "out.pcapng"

    def test_database_names_no_file(self):
        """What a database names may be anything: a pipe would be waited for
        without end, a device may do something when it is opened."""
        os.mkfifo(self.folder / "pipe")
        db = sqlite3.connect(self.folder / "a.db")
        self.addCleanup(db.close)
        for path in (str(self.folder / "pipe"), "pipe", "/dev/zero"):
            db.execute("UPDATE capture SET path = ?", (path,))
            db.commit()
            self.refused("a.db", "flow:1", "-w", "x.pcapng")

    def refused(self, *words, status=1):
        before = self.files()
        got, _, err = self.run_here("slice", *words)
        self.assertEqual(got, status, err)
        self.assertEqual(self.files(), before)
        return self.one_line(err)

    def sql(self, text):
        with sqlite3.connect(self.folder / "a.db") as db:
            rows = db.execute(text).fetchall()
        db.close()
        return rows

    def test_flow_and_its_other_direction(self):
        flow = self.sql("SELECT id, src, dst, dst_qp, src_qp FROM flow "
                        "WHERE requests > 0 ORDER BY packets DESC LIMIT 1")[0]
        number, src, dst, dst_qp, src_qp = flow
        where = (f"(ip.src == {src} && infiniband.bth.destqp == {dst_qp}) || "
                 f"(ip.src == {dst} && infiniband.bth.destqp == {src_qp})")
        want = tshark(self.folder / LOSSY, "frame.time_epoch",
                      "infiniband.bth.psn", "ip.id", where=where)
        got = tshark(self.slice(f"flow:{number}"), "frame.time_epoch",
                     "infiniband.bth.psn", "ip.id")
        self.assertGreater(len(want), 100)
        self.assertEqual(got, want)

    def test_finding_has_its_frames_with_a_comment(self):
        finding = self.document["findings"][0]
        rows = tshark(self.slice(f"finding:{finding['id']}"),
                      "frame.time_epoch", "frame.comment")
        times = {frame: time for frame, time in tshark(
            self.folder / LOSSY, "frame.number", "frame.time_epoch")}
        marked = {time for time, comment in rows if comment}
        frames = [f["frame"] for f in finding["evidence"]["frames"]]
        self.assertTrue(frames)
        self.assertEqual(marked, {times[str(f)] for f in frames})
        comment = next(c for _, c in rows if c)
        self.assertIn(finding["title"], comment)

    def test_finding_in_focus(self):
        """Its evidence and what is around it, not the whole flow."""
        frames = [f["frame"] for f in
                  self.document["findings"][0]["evidence"]["frames"]]
        numbers = {time: int(frame) for frame, time in tshark(
            self.folder / LOSSY, "frame.number", "frame.time_epoch")}

        def got(*words):
            return {numbers[t] for t, in tshark(
                self.slice("finding:1", *words), "frame.time_epoch")}

        whole = got("--whole")
        near = got()
        close = got("--context", "10us")
        alone = got("--context=0")
        self.assertTrue(set(frames) <= alone <= close <= near <= whole)
        self.assertLess(len(near), len(whole) / 4)
        self.assertLess(len(alone), len(near))
        time = {frame: time for time, frame in numbers.items()}
        # each recovery is there from its loss on: from the NAK back to the
        # packets of that queue pair which passed before it
        for frame in frames:
            before = [n for n in near
                      if 0 < float(time[frame]) - float(time[n]) < 0.0009]
            self.assertGreater(len(before), 1)

    def test_finding_that_names_no_packets(self):
        """It is about the capture: nothing, unless all of it is wanted."""
        octets = (self.folder / LOSSY).read_bytes()
        (self.folder / LOSSY).write_bytes(octets[:-5])
        self.run_here("analyze", "-o", "a.db", LOSSY)
        number, = self.sql("SELECT id FROM finding "
                           "WHERE rule = 'corrupted-input'")[0]
        line = self.refused("a.db", f"finding:{number}", "-w", "x")
        self.assertIn("names no packets", line)
        packets, = self.sql("SELECT packets FROM capture")[0]
        self.assertEqual(len(tshark(self.slice(f"finding:{number}",
                                               "--whole"), "frame.number")),
                         packets)

    def test_no_packet_selected(self):
        for selector in ("time:+100..+200", "frames:4000..5000"):
            line = self.refused("a.db", selector, "-w", "x")
            self.assertIn("no packet is in " + selector, line)

    def test_extent_is_of_findings(self):
        self.assertIn("--whole", self.refused("a.db", "flow:1", "--whole",
                                              "-w", "x", status=2))
        for text in ("fast", "-1ms", "NULL", ""):
            self.assertIn("duration", self.refused(
                "a.db", "finding:1", "--context", text, "-w", "x", status=2))

    def test_to_what_is_no_file(self):
        """A device takes the packets as they come, and is not replaced."""
        status, out, err = self.run_here("slice", "a.db", "frames:1", "-w",
                                         "/dev/null")
        self.assertEqual((status, err), (0, ""))
        self.assertIn("1 packet in /dev/null", out)
        self.assertIn("No space left",
                      self.refused("a.db", "frames:1", "-w", "/dev/full"))

    def test_time(self):
        all_times = [t for t, in tshark(self.folder / LOSSY,
                                        "frame.time_epoch")]
        a, b = all_times[100], all_times[200]
        got = [t for t, in tshark(self.slice(f"time:{a}..{b}"),
                                  "frame.time_epoch")]
        self.assertEqual(got, all_times[100:201])
        got = tshark(self.slice("time:+0..+0"), "frame.time_epoch")
        self.assertEqual(got, [(all_times[0],)])
        self.assertEqual(len(tshark(self.slice("time:.."), "frame.number")),
                         len(all_times))

    def test_frames(self):
        ids = [i for i, in tshark(self.folder / LOSSY, "ip.id")]
        got = tshark(self.slice("frames:7,100..102"), "ip.id")
        self.assertEqual([i for i, in got], [ids[6], *ids[99:102]])

    def test_frames_of_one_tap_of_two(self):
        self.capture(OTHER)
        self.run_here("analyze", "-o", "a.db", LOSSY, OTHER)
        self.assertIn("@TAP", self.refused("a.db", "frames:1", "-w", "x",
                                           status=2))
        self.assertIn("nowhere", self.refused("a.db", "frames:1@nowhere",
                                              "-w", "x", status=2))
        want = tshark(self.folder / OTHER, "frame.time_epoch")[4]
        for tap in (OTHER, "2"):
            path = self.slice(f"frames:5@{tap}")
            self.assertEqual(tshark(path, "frame.time_epoch"), [want])

    def test_standard_output(self):
        status, out, _ = self.run_here("slice", "a.db", "frames:1", "-w", "-",
                                       binary=True)
        self.assertEqual(status, 0)
        self.assertEqual(out[:4], b"\x0a\x0d\x0d\x0a")

    def test_capture_beside_the_database(self):
        """A relative path is looked for in the folder of the database."""
        there = self.folder / "there"
        there.mkdir()
        for name in ("a.db", LOSSY):
            (self.folder / name).rename(there / name)
        self.assertEqual(len(tshark(self.slice("frames:1", db="there/a.db"),
                                    "frame.number")), 1)

    def test_capture_gone_or_changed(self):
        self.assertIn("no flow 999",
                      self.refused("a.db", "flow:999", "-w", "x", status=2))
        self.assertIn("no finding 999", self.refused("a.db", "finding:999",
                                                     "-w", "x", status=2))
        octets = (self.folder / LOSSY).read_bytes()
        (self.folder / LOSSY).write_bytes(octets + octets[24:200])
        self.assertIn(LOSSY, self.refused("a.db", "frames:1", "-w", "x"))
        (self.folder / LOSSY).unlink()
        line = self.refused("a.db", "frames:1", "-w", "x")
        self.assertIn(LOSSY, line)
        self.assertIn("no longer there", line)

    def test_full_disk(self):
        before = self.files()
        status, _, err = self.run_here("slice", "a.db", "time:..", "-w",
                                       "out.pcapng", limit=4096)
        self.assertEqual(status, 1)
        self.assertIn("fabscope: out.pcapng", self.one_line(err))
        self.assertEqual(self.files(), before)

    def test_capture_from_standard_input(self):
        octets = (self.folder / LOSSY).read_bytes()
        self.run_here("analyze", "-o", "b.db", "-", stdin=octets)
        self.assertIn("standard input",
                      self.refused("b.db", "frames:1", "-w", "x"))


if __name__ == "__main__":
    program.main()
