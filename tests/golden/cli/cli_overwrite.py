#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""No command writes over what it reads, and none over somebody's file unless
it is told to."""
import os
import unittest

import program

CAPTURE = "d05_atomic.pa.pcap"
SCENARIO = program.CAPTURES / "scenarios"
FOREIGN = b"a letter to my aunt\n"
EVIDENCE = b"NIC statistics:\n     rx_discards_phy: 17\n"

# what is read, and the words before the name that is written
COMMANDS = {
    "slice": ("a.db", "slice", "a.db", "flow:1", "-w"),
    "slice its capture": (CAPTURE, "slice", "a.db", "flow:1", "-w"),
    "annotate": (CAPTURE, "annotate", CAPTURE, "-w"),
    "annotate its topology": ("t.ini", "annotate", "--topology", "t.ini",
                              CAPTURE, "-w"),
    "report": ("a.db", "report", "a.db", "-o"),
    "export": ("a.db", "export", "a.db", "--format", "jsonl", "-o"),
    "export perfetto": ("a.db", "export", "a.db", "--format", "perfetto",
                        "-o"),
    "export db": ("a.db", "export", "a.db", "--format", "db", "--anonymize",
                  "-o"),
    "plot": ("a.db", "plot", "a.db", "flow:1", "-o"),
    "plot its capture": (CAPTURE, "plot", "a.db", "flow:1", "-o"),
    "judge": ("a.db", "judge", "a.db", "-o"),
    "import": ("a.db", "import", "a.db", "e.txt", "-o"),
    "import its evidence": ("e.txt", "import", "a.db", "e.txt", "-o"),
    "import, named": ("e.txt", "import", "a.db", "h1=e.txt", "-o"),
    "import a folder": ("ev/e.txt", "import", "a.db", "ev", "-o"),
    "import names": ("n.txt", "import", "a.db", "--counter-names", "n.txt",
                     "e.txt", "-o"),
    "simulate": ("s.fab", "simulate", "s.fab", "-w"),
    "simulate truth": ("s.fab", "simulate", "s.fab", "-w", "new.pcapng",
                       "--truth"),
}
# what has no --force: a database replaces databases only
UNFORCED = ("export db",)


class Overwrite(program.Case):
    def setUp(self):
        super().setUp()
        self.capture(CAPTURE)
        self.write("t.ini", b"[protocols]\nroce-port = 4791\n")
        self.write("e.txt", EVIDENCE)
        (self.folder / "ev").mkdir()
        self.write("ev/e.txt", EVIDENCE)
        self.write("n.txt", b"my_drops rx_drops\n")
        self.write("s.fab", sorted(SCENARIO.glob("*.fab"))[0].read_bytes())
        status, _, err = self.run_here("analyze", "-o", "a.db", CAPTURE)
        self.assertEqual(status, 0, err)

    def all_files(self):
        return {p.name: p.read_bytes() for p in self.folder.rglob("*")
                if p.is_file()}

    def refused(self, words, name, said):
        before = self.all_files()
        status, _, err = self.run_here(*words, name)
        self.assertEqual(status, 1, (words, name, err))
        self.assertIn(said, self.one_line(err))
        self.assertIn("not overwritten", err)
        self.assertEqual(self.all_files(), before)

    def test_not_over_what_is_read(self):
        for what, (read, *words) in COMMANDS.items():
            force = [] if what in UNFORCED else ["-f"]
            (self.folder / "hard").unlink(missing_ok=True)
            (self.folder / "soft").unlink(missing_ok=True)
            os.link(self.folder / read, self.folder / "hard")
            os.symlink(read, self.folder / "soft")
            for name in (read, f"./{read}", "hard", "soft",
                         str(self.folder / read)):
                with self.subTest(what=what, name=name):
                    self.refused([words[0], *force, *words[1:]], name,
                                 "is read here")

    def test_not_over_foreign_files(self):
        for what, (_, *words) in COMMANDS.items():
            with self.subTest(what=what):
                for made in ("new.pcapng", "new.pcapng.truth.json",
                             "mine.truth.json"):
                    (self.folder / made).unlink(missing_ok=True)
                self.write("mine", FOREIGN)
                self.refused(words, "mine", "exists")
                if what in UNFORCED:
                    continue
                status, _, err = self.run_here(words[0], "-f", *words[1:],
                                               "mine")
                self.assertEqual(status, 0, err)
                self.assertNotEqual((self.folder / "mine").read_bytes(),
                                    FOREIGN)

    def test_what_was_made_is_made_again(self):
        """What a run makes from the same input needs no --force."""
        for what in ("report", "simulate", "simulate truth", "export db"):
            _, *words = COMMANDS[what]
            with self.subTest(what=what):
                for _ in range(2):
                    status, _, err = self.run_here(*words, "made")
                    self.assertEqual(status, 0, err)
            (self.folder / "made").unlink()

    def test_two_files_of_one_name(self):
        """Of two results of a run none takes the other's place."""
        (self.folder / "out").mkdir()
        os.symlink("out", self.folder / "link")
        simulate = ["simulate", "-f", "s.fab", "-w"]
        plan = ["plan", CAPTURE, "-w"]
        for status, words, made in (
                (2, [*simulate, "x", "--truth", "./x"], ()),
                (2, [*simulate, "out/x", "--truth", "link/x"], ()),
                (2, [*simulate, "out/topology.ini", "--evidence", "link"], ()),
                (1, [*plan, "x", "--slurm", "./x"], ("x",)),
                (1, [*plan, "y", "--slurm", "s", "--kubernetes", "./s"],
                 ("y", "s"))):
            before = self.all_files()
            with self.subTest(words=words):
                have, _, err = self.run_here(*words)
                self.assertEqual(have, status, err)
                self.one_line(err)
                self.assertEqual(self.all_files().keys() - before.keys(),
                                 set(made))
        self.assertTrue((self.folder / "x").read_bytes()
                        .startswith(b"fabscope-plan"))
        self.assertIn(b"sbatch", (self.folder / "s").read_bytes())

    def test_not_beside_a_log_of_another_database(self):
        """SQLite would take it for changes of the new one."""
        for log in ("b.db-wal", "b.db-journal"):
            self.write(log, FOREIGN)
            before = self.all_files()
            status, _, err = self.run_here("analyze", "-o", "b.db", CAPTURE)
            self.assertEqual(status, 1, err)
            self.assertIn(f"{log}: belongs to another database",
                          self.one_line(err))
            self.assertEqual(self.all_files(), before)
            (self.folder / log).unlink()
        status, _, err = self.run_here("analyze", "-o", "b.db", CAPTURE)
        self.assertEqual(status, 0, err)

    @unittest.skipUnless(os.geteuid() == 0, "captures")
    def test_live_waits_for_no_reader_of_a_pipe(self):
        os.mkfifo(self.folder / "pipe")
        for name in ("pipe", "/dev/zero"):
            status, _, err = self.run_here("live", "-i", "lo", "--headless",
                                           "-o", name)
            self.assertEqual(status, 1, err)
            self.assertIn(f"{name}: is not a regular file", err)

    def test_a_folder_of_tables(self):
        (self.folder / "out").mkdir()
        self.write("out/flow.csv", FOREIGN)
        words = ["export", "a.db", "--format", "csv", "-o", "out"]
        status, _, err = self.run_here(*words)
        self.assertEqual(status, 1)
        self.assertIn("out/flow.csv", self.one_line(err))
        self.assertEqual((self.folder / "out/flow.csv").read_bytes(), FOREIGN)
        status, _, err = self.run_here(*words, "--force")
        self.assertEqual((status, err), (0, ""))


if __name__ == "__main__":
    program.main()
