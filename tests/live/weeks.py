#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Five weeks of live in a minute: weeks.py WEEKS CAPTURES SANITIZED

A week, then a restart and four weeks, after the first of which somebody sets the
clock forward by a day.  Every half an hour the same capture passes, whose 4
losses, 4 timeouts and 331 packets are known: so is what the database has to
hold, and what retention has to have deleted, to a row."""
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

WEEKS, CAPTURES, SANITIZED = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
D12 = CAPTURES / "d12_drop_tail_timeout.pa.pcap"
PACKETS, FLOWS, LOSSES = 331, 2, 4  # of it
SECOND = 10**9
STEP, DAY = 1800 * SECOND, 86400 * SECOND
WEEK = 7 * DAY // STEP  # in steps
KEEP, HISTORY = DAY, 14 * DAY
BEGIN = 1_700_000_000 * SECOND


def run(database, begin, steps, *options):
    done = subprocess.run([WEEKS, database, D12, str(begin), str(steps),
                           *map(str, options)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    end, half, full = map(int, done.stdout.split())
    if steps and not SANITIZED:
        assert full < 1.1 * half + 1024, (half, full)
    return end


class Database:
    def __init__(self, path):
        self.db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)

    def rows(self, sql):
        return self.db.execute(sql).fetchall()

    def value(self, sql):
        return self.rows(sql)[0][0]

    def dropped(self, table):
        return self.value("SELECT coalesce(sum(dropped), 0) FROM retention"
                          f" WHERE table_name = '{table}'")


def look(path, steps, begin, end, epochs):
    # the clock is too fast for refreshes, which delete first and then write:
    # a run in which nothing comes deletes what its predecessor wrote last
    end = run(path, end + SECOND, 0)
    db = Database(path)
    assert [why for why, in db.rows("SELECT why FROM live_epoch ORDER BY id")] \
        == epochs
    # nothing is counted twice or forgotten
    assert db.value("SELECT packets FROM tap") == PACKETS * steps
    kept = db.value("SELECT count(*) FROM flow")
    assert kept + db.dropped("flow") == FLOWS * steps
    # what is kept is what is not too old, and all of that
    for table, time, keep in (("flow", "last_ns", KEEP), ("event", "ns", KEEP),
                              ("recovery", "last_ns", KEEP),
                              ("bin", "start_ns + width_ns", KEEP),
                              ("history", "start_ns", HISTORY)):
        oldest = db.value(f"SELECT min({time}) FROM {table}")
        wanted = max(begin, end - keep)
        assert wanted - STEP <= oldest <= wanted + 2 * STEP, \
            (table, (oldest - wanted) / STEP)
    # load in steps of 52 s without a hole, however long a refresh took
    spans = db.value("SELECT count(DISTINCT start_ns) FROM history")
    assert spans >= min(steps, HISTORY // STEP) - 2, spans
    least = (KEEP - DAY // 24) // STEP
    assert FLOWS * least <= kept <= FLOWS * (KEEP // STEP + 2), kept
    # of the two flows of a capture one may be gone and the other not yet
    lost = db.value("SELECT sum(lost_downstream_min) FROM flow")
    assert lost in (LOSSES * (kept // FLOWS), LOSSES * -(-kept // FLOWS)), \
        (lost, kept)
    assert db.value("SELECT count(*) FROM finding_log"
                    " WHERE rule = 'tail-loss'") == 1
    assert db.value("SELECT count(*) FROM finding WHERE rule = 'tail-loss'")
    return db.value("SELECT count(*) FROM bin"), path.stat().st_size


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "weeks.db"
        end = run(path, BEGIN, WEEK)
        assert abs(end - BEGIN - WEEK * STEP) < STEP, end
        bins, size = look(path, WEEK, BEGIN, end, ["start", "restart"])
        end = run(path, end + 2 * STEP, 4 * WEEK, "--set-at", WEEK)
        assert abs(end - BEGIN - 5 * WEEK * STEP - DAY) < 5 * STEP, end
        after = look(path, 5 * WEEK, BEGIN, end,
                     ["clock", "restart"])  # others ended too long ago
        # it stands still
        assert after[0] < 1.1 * bins + 64, (bins, after)
        assert after[1] < 1.5 * size + (1 << 20), (size, after)
    return 0


if __name__ == "__main__":
    sys.exit(main())
