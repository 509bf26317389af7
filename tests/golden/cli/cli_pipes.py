#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Several captures from pipes are what they are from files: clocks are tied to
each other, and nothing is left behind."""
import os
import sqlite3
import threading

import program

SCENARIO = program.CAPTURES / "scenarios" / "taps_apart.fab"


class Pipes(program.Case):
    def setUp(self):
        super().setUp()
        status, _, err = self.run_here("simulate", SCENARIO, "-w", "t.pcapng",
                                       "--each-tap")
        self.assertEqual(status, 0, err)
        self.taps = sorted(p for p in self.folder.glob("t.*.pcapng"))
        self.assertGreater(len(self.taps), 1)

    def words(self, ending):
        return [w for f in self.taps
                for w in ("--tap", f"{f.name.split('.')[1]}={f.name}{ending}")]

    def tables(self, name):
        """All that was found, but the names of the inputs."""
        db = sqlite3.connect(self.folder / name)
        rows = {}
        for (table,) in db.execute("SELECT name FROM sqlite_master "
                                   "WHERE type = 'table' ORDER BY 1"):
            if table not in ("meta", "capture"):
                rows[table] = db.execute(
                    f"SELECT * FROM {table} ORDER BY 1, 2, 3, 4, 5"
                    if len(db.execute(f"PRAGMA table_info({table})")
                           .fetchall()) > 4 else
                    f"SELECT * FROM {table}").fetchall()
        paths = db.execute("SELECT path FROM capture ORDER BY id").fetchall()
        db.close()
        return rows, [p for (p,) in paths]

    def from_pipes(self, write):
        """Analyses named pipes that |write| fills, given their files."""
        for f in self.taps:
            os.mkfifo(f"{f}.pipe")
        writer = threading.Thread(target=write)
        writer.start()
        got = self.run_here("analyze", "-o", "p.db", *self.words(".pipe"))
        writer.join()
        self.assertEqual((got[0], got[2]), (0, ""))
        for f in self.taps:
            os.unlink(f"{f}.pipe")

    def in_turn(self):
        """One writer that never has much of one more than of the other."""
        pipes = [open(f"{f}.pipe", "wb", buffering=0) for f in self.taps]
        parts = [f.read_bytes() for f in self.taps]
        try:
            for at in range(0, max(map(len, parts)), 200000):
                for pipe, part in zip(pipes, parts):
                    if part[at:at + 200000]:
                        pipe.write(part[at:at + 200000])
        finally:
            for pipe in pipes:
                pipe.close()

    def test_as_from_files(self):
        self.assertEqual(self.run_here("analyze", "-o", "f.db",
                                       *self.words(""))[0], 0)
        before = set(self.files())
        self.from_pipes(self.in_turn)
        want, _ = self.tables("f.db")
        have, paths = self.tables("p.db")
        self.assertEqual(paths, [f"{f.name}.pipe" for f in self.taps])
        self.assertTrue(any(r for r in want["clock"]))
        for table in want:
            if table != "observability":
                self.assertEqual(have[table], want[table], table)
        self.assertEqual(set(self.files()) - before, {"p.db"})

    def test_no_room(self):
        """What cannot be kept is said, and leaves nothing."""
        for f in self.taps:
            os.mkfifo(f"{f}.pipe")
        done = threading.Event()

        def write():
            try:
                self.in_turn()
            except BrokenPipeError:
                pass
            done.set()
        threading.Thread(target=write).start()
        status, out, err = self.run_here("analyze", "-o", "p.db",
                                         *self.words(".pipe"), limit=100000)
        done.wait()
        self.assertEqual((status, out), (1, ""))
        self.assertIn("cannot read it twice", self.one_line(err))
        self.assertNotIn("p.db", self.files())


if __name__ == "__main__":
    program.main()
