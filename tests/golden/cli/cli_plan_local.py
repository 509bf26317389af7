#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""plan --local while somebody else ends its processes, changes its captures,
or was there first: what is whole stays, nothing foreign is touched, and
nothing goes on behind."""
import os
import signal
import subprocess
import time
import unittest

import program
from program import CAPTURES, FABSCOPE, run

CAPTURE = CAPTURES / "d24_capture_loss_2pct.pa.pcap"
TIMES = 80  # what takes long enough to be interrupted
WAIT_S = 120


class Local(program.Case):
    def setUp(self):
        super().setUp()
        octets = CAPTURE.read_bytes()
        for name in ("a", "b"):
            self.write(f"{name}.pcap", octets + octets[24:] * TIMES)
        self.write("small.pcap", octets)
        self.parts = self.folder / "p.parts"

    def begin(self, processes, *inputs, before=None):
        return subprocess.Popen(
            [FABSCOPE, "plan", "-w", "p", "--local", str(processes), "-o",
             "m.db", *inputs], cwd=self.folder, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True, start_new_session=True,
            preexec_fn=before)

    def until(self, what, true):
        end = time.monotonic() + WAIT_S
        while not true():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.005)

    def names(self):
        return sorted(os.listdir(self.parts)) if self.parts.exists() else []

    def until_reducing(self, n):
        self.until("reducing", lambda: sum(
            name.startswith(".") for name in self.names()) == n)

    def partials(self, plan):
        with open(f"/proc/{plan.pid}/task/{plan.pid}/children") as f:
            return [int(word) for word in f.read().split()]

    def wait(self, plan):
        return plan.wait(WAIT_S), plan.communicate()[1]

    def group_is_gone(self, plan):
        """All that it has started."""
        try:
            os.killpg(plan.pid, 0)
        except ProcessLookupError:
            return True
        return False

    def whole(self, *inputs):
        run("analyze", "-o", "whole.db", *inputs, cwd=self.folder)
        return (self.folder / "whole.db").read_bytes()

    def test_ended(self):
        """Its partials end with it, and take away what they began."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
            plan = self.begin(2, "a.pcap", "b.pcap")
            self.until_reducing(2)
            plan.send_signal(number)
            self.assertEqual(self.wait(plan), (-number, ""))
            self.until("end", lambda p=plan: self.group_is_gone(p))
            self.assertEqual(self.names(), [])
            self.assertFalse((self.folder / "m.db").exists())

    def test_partial_killed(self):
        """The others are whole, and the next time only one is done."""
        plan = self.begin(1, "a.pcap", "small.pcap")
        self.until_reducing(1)
        os.kill(self.partials(plan)[0], signal.SIGKILL)
        code, err = self.wait(plan)
        self.assertEqual(code, 1)
        self.assertIn("1 of 2 partials failed", err)
        self.assertIn("1.part", self.names())
        self.assertFalse((self.folder / "m.db").exists())
        kept = (self.parts / "1.part").stat().st_mtime_ns
        code, err = self.wait(self.begin(1, "a.pcap", "small.pcap"))
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(self.names(), ["0.part", "1.part"])
        self.assertEqual((self.parts / "1.part").stat().st_mtime_ns, kept)
        self.assertEqual((self.folder / "m.db").read_bytes(),
                         self.whole("a.pcap", "small.pcap"))

    def test_changed_meanwhile(self):
        """A capture that waits, and one that is being read."""
        for name, refused in (("small.pcap", "1 of 2 partials failed"),
                              ("a.pcap", "a.pcap: changed since p was")):
            plan = self.begin(1, "a.pcap", "small.pcap")
            self.until_reducing(1)
            with open(self.folder / name, "ab") as f:
                f.write(b"more")
            code, err = self.wait(plan)
            self.assertEqual(code, 1, err)
            self.assertIn(refused, err)
            self.assertIn(f"{name}: changed since p was written", err)
            self.assertFalse((self.folder / "m.db").exists())

    def test_output_is_tried_first(self):
        """Not after hours of work."""
        self.write("notes", b"mine")
        (self.folder / "folder").mkdir()
        for output, why in (("notes", "is not a fabscope database"),
                            ("folder", "is a folder"),
                            ("nowhere/m.db", "No such file or directory"),
                            ("./small.pcap", "is read here")):
            code, _, err = self.run_here("plan", "-w", "p", "--local", 2, "-o",
                                         output, "small.pcap")
            self.assertEqual(code, 1, output)
            self.assertIn(why, self.one_line(err))
            self.assertFalse(self.parts.exists(), output)
        self.write("small.pcap.fabscope.db", b"mine")
        code, _, err = self.run_here("plan", "-w", "p", "--local", 2,
                                     "small.pcap")
        self.assertEqual(code, 1)
        self.assertIn("not overwritten", self.one_line(err))
        self.assertEqual((self.folder / "notes").read_bytes(), b"mine")

    def test_somebody_was_there(self):
        """Links among the parts, or the folder one, lead to nothing that is
        written over."""
        self.write("notes", b"mine")
        self.parts.mkdir()
        for target in ("../notes", "../b.pcap", "../nothing"):
            before = self.files()
            (self.parts / "0.part").symlink_to(target)
            code, _, err = self.run_here("plan", "-w", "p", "--local", 2,
                                         "small.pcap")
            self.assertEqual(code, 1, target)
            self.assertIn("p.parts/0.part", err)
            (self.parts / "0.part").unlink()
            self.assertEqual(set(self.files()) - set(before) - {"p"}, set())
        self.parts.rmdir()
        (self.folder / "other").mkdir()
        self.write("other/0.part", b"mine")
        self.parts.symlink_to("other")
        code, _, _ = self.run_here("plan", "-w", "p", "--local", 2,
                                   "small.pcap")
        self.assertEqual(code, 1)
        self.parts.unlink()
        self.write("p.parts", b"mine")
        code, _, _ = self.run_here("plan", "-w", "p", "--local", 2,
                                   "small.pcap")
        self.assertEqual(code, 1)
        for name in ("notes", "other/0.part", "p.parts"):
            self.assertEqual((self.folder / name).read_bytes(), b"mine")

    def test_no_room(self):
        code, _, err = self.run_here("plan", "-w", "p", "--local", 2, "-o",
                                     "m.db", "a.pcap", "small.pcap",
                                     limit=1 << 19)
        self.assertEqual(code, 1)
        self.assertIn("File too large", err)
        self.assertEqual([n for n in self.names() if n[0] == "."], [])
        self.assertFalse((self.folder / "m.db").exists())

    def test_children_ignored(self):
        """Whoever starts it may have said that he waits for none of his: it
        waited forever for its own."""
        plan = self.begin(2, "small.pcap", before=lambda: signal.signal(
            signal.SIGCHLD, signal.SIG_IGN))
        self.assertEqual(self.wait(plan), (0, ""))


if __name__ == "__main__":
    unittest.main()
