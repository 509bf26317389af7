#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The dashboard on a database whose numbers are anything: times at both ends of
what 64 bits hold, beside those that are right, while random keys are pressed.

    wild.py PROGRAM DATABASE SEEDS [SECONDS]

PROGRAM is of a build with the sanitizers, DATABASE a result of it.  Fails if a
sanitizer says anything."""
import fcntl
import os
import pathlib
import pty
import random
import select
import shutil
import signal
import sqlite3
import struct
import sys
import tempfile
import termios
import time

NUMBERS = (-2**63, 2**63 - 1, 0, -1, 2**62, -2**62, 1700000000 * 10**9)
KEYS = ("123456789abcdefghijklmnoprstuvwxyzABCDEFGHIJKLMNOPRSTUVWXYZ"
        "\t\t\r+-<>[]{}")
ROWS = 200  # changed of a table


def columns(db):
    """Those with times, and all that have integers and are no ids."""
    for table, in db.execute("SELECT name FROM sqlite_master"
                             " WHERE type = 'table'").fetchall():
        for row in db.execute(f'PRAGMA table_info("{table}")').fetchall():
            if row[2] == "INTEGER" and not row[5] and row[1][-2:] != "id":
                yield table, row[1]


def change(path, seed):
    pick = random.Random(seed)
    with sqlite3.connect(path) as db:
        for table, column in columns(db):
            if not seed % 2 and not column.endswith("ns"):
                continue
            try:
                rows = db.execute(f'SELECT rowid FROM "{table}"'
                                  f" LIMIT {ROWS}").fetchall()
            except sqlite3.Error:
                continue  # without row numbers
            for row, in rows:
                if pick.randrange(2):
                    db.execute(f'UPDATE OR IGNORE "{table}" SET "{column}" = ?'
                               " WHERE rowid = ?", (pick.choice(NUMBERS), row))


def press(fd, seed, seconds):
    pick, end = random.Random(seed), time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if select.select([fd], [], [], 0.05)[0]:
                os.read(fd, 65536)
            else:
                os.write(fd, pick.choice(KEYS).encode())
        except OSError:
            return


def try_one(program, database, seed, seconds):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        shutil.copy(database, folder / "t.db")
        change(folder / "t.db", seed)
        pid, fd = pty.fork()
        if not pid:
            os.chdir(folder)
            os.environ.update(TERM="xterm-256color",
                              UBSAN_OPTIONS="log_path=./said",
                              ASAN_OPTIONS="log_path=./said:detect_leaks=0")
            os.execv(program, [program, "tui", "t.db"])
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
        press(fd, seed, seconds)
        os.kill(pid, signal.SIGTERM)
        os.waitpid(pid, 0)
        os.close(fd)
        said = "".join(p.read_text() for p in folder.glob("said*"))
        print(f"seed {seed}: {said.splitlines()[:1] or 'nothing'}", flush=True)
        return bool(said)


def main():
    program, database, seeds = sys.argv[1:4]
    seconds = float(sys.argv[4]) if sys.argv[4:] else 10
    bad = [try_one(os.path.abspath(program), database, seed, seconds)
           for seed in range(int(seeds))]
    return any(bad)


if __name__ == "__main__":
    sys.exit(main())
