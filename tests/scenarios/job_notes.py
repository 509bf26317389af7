#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a simulated job says of itself, true and false.

The record of the simulator has when packets were dropped, who went on sending,
and how many bytes a queue pair carried; this writes it as the logs of training
steps, Slurm's accounting, NCCL RAS and the trace of NCCL's profiler have it.

    job_notes.py FABSCOPE SCENARIO"""
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

FABSCOPE, SCENARIO = sys.argv[1:3]


def stamp(ns, form="%Y-%m-%dT%H:%M:%S"):
    return time.strftime(form, time.gmtime(ns // 10**9))


class Notes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.at = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.at.name)
        cls.fabscope("simulate", SCENARIO, "-w", cls.folder / "s.pcapng")
        cls.fabscope("analyze", "-o", cls.folder / "plain.db",
                     cls.folder / "s.pcapng")
        cls.truth = json.loads((cls.folder / "s.truth.json").read_text())
        cls.drops = [e["ns"] for e in cls.truth["events"]
                     if e["kind"] == "drop"]
        cls.begin = min(f["first_ns"] for f in cls.truth["flows"])
        cls.end = max(f["last_ns"] for f in cls.truth["flows"])
        assert cls.drops

    @classmethod
    def tearDownClass(cls):
        cls.at.cleanup()

    @staticmethod
    def fabscope(*words):
        done = subprocess.run([FABSCOPE, *map(str, words)],
                              capture_output=True, text=True, check=False)
        assert done.returncode in (0, 3), (words, done.stderr)
        return done.stdout

    def notes(self, text):
        (self.folder / "note.txt").write_text(text)
        self.fabscope("import", self.folder / "plain.db",
                      self.folder / "note.txt", "-o", self.folder / "x.db")
        db = sqlite3.connect(self.folder / "x.db")
        db.row_factory = sqlite3.Row
        self.addCleanup(db.close)
        rows = db.execute("SELECT * FROM job_note ORDER BY id").fetchall()
        listed = json.loads(self.fabscope(
            "query", self.folder / "x.db", "job-notes", "--format", "json"))
        self.assertEqual(len(listed), len(rows))
        self.kpis = {r["name"]: r for r in db.execute("SELECT * FROM kpi")}
        return rows

    def steps(self, shift=0, slow=2):
        length = (self.end - self.begin) // 10
        at, text = self.begin + shift, "step,time,seconds,tokens/s\n"
        for i in range(8):
            ns = length * slow if at <= self.drops[0] + shift < at + length \
                else length
            at += ns
            text += f"{i},{at / 1e9:.9f},{ns / 1e9:.9f},{1e9 / ns:.3f}\n"
        return text

    def test_a_slow_step_is_explained_by_losses(self):
        rows = self.notes(self.steps())
        slow = [r for r in rows if r["verdict"] != "agrees"]
        self.assertEqual([r["verdict"] for r in slow], ["explains"])
        self.assertIn("the capture has losses", slow[0]["reason"])
        self.assertAlmostEqual(self.kpis["Tokens per second"]["value"],
                               sum(r["rate"] * r["length_ns"] for r in rows) /
                               sum(r["length_ns"] for r in rows), 3)
        self.assertEqual(self.kpis["Time to train"]["missing"], None)

    def test_a_slow_step_without_losses_is_not(self):
        length = (self.end - self.begin) // 10
        self.assertGreater(self.drops[0], self.begin + length)
        text = self.steps(slow=1).splitlines()
        line = text[1].split(",")
        line[2] = f"{3 * length / 1e9:.9f}"
        text[1] = ",".join(line)
        rows = self.notes("\n".join(text))
        self.assertEqual([r["verdict"] for r in rows],
                         ["more"] + 7 * ["agrees"])
        self.assertIn("no loss and no pause storm", rows[0]["reason"])

    def test_a_log_without_step_times(self):
        # Two ranks log each step; the job is restarted and repeats two of them,
        # the first of which took nobody knows how long.
        length = (self.end - self.begin) // 8
        text = "step,time\n"
        for i, step in enumerate((6, 7, 8, 9, 8, 9)):
            at = self.begin + (i + 1) * length
            text += 2 * f"{step},{at / 1e9:.9f}\n"
        rows = self.notes(text)
        for row, known in zip(rows, [0, 0] + 3 * [1, 0] + [0, 0, 1, 0]):
            if known:
                self.assertLess(abs(row["length_ns"] - length), 1000)
            else:
                self.assertEqual(
                    (row["length_ns"], row["verdict"], row["reason"]),
                    (None, "unused", "the log does not say how long it took"))

    def test_another_time(self):
        rows = self.notes(self.steps(shift=3600 * 10**9))
        self.assertEqual({r["verdict"] for r in rows}, {"unused"})

    def test_slurm(self):
        rows = self.notes(
            "JobID|JobName|State|Start|End\n"
            f"1|train|COMPLETED|{stamp(self.begin - 60 * 10**9)}|"
            f"{stamp(self.end + 60 * 10**9)}\n"
            f"2|old|FAILED|{stamp(self.begin - 7200 * 10**9)}|"
            f"{stamp(self.begin - 3600 * 10**9)}\n")
        self.assertEqual([r["verdict"] for r in rows], ["agrees", "unused"])

    def test_a_rank_called_dead_that_sends(self):
        host = self.truth["flows"][0]["src"]
        dead = {"rank": 1, "host": host, "status": {
            "unresponsive": True, "considered_dead": True}}
        rows = self.notes(json.dumps({
            "nccl_version": "2.28.3",
            "timestamp": stamp(self.begin - 2 * 10**9, "%Y-%m-%d %H:%M:%S"),
            "communicators": [{"ranks": [], "missing_ranks": [
                dead, dict(dead, rank=2, host="192.0.2.77")]}]}))
        self.assertEqual([(r["state"], r["verdict"]) for r in rows],
                         [("dead", "contradicts"), ("dead", "unused")])
        self.assertIn("went on sending", rows[0]["reason"])
        # Other ranks of that host may have sent it; and who has an error is
        # not said to be silent.
        for ranks, missing in (
                ([{"rank": 2, "host": host, "status": {},
                   "collective_counts": {}}], [dead]),
                ([{"rank": 1, "host": host, "status": {"async_error": 6},
                   "collective_counts": {}}], [])):
            rows = self.notes(json.dumps({
                "nccl_version": "2.28.3",
                "timestamp": stamp(self.begin - 2 * 10**9,
                                   "%Y-%m-%d %H:%M:%S"),
                "communicators": [{"ranks": ranks,
                                   "missing_ranks": missing}]}))
            self.assertEqual({r["verdict"] for r in rows
                              if r["state"] != "running"}, {"unused"})

    def test_work_requests(self):
        db = sqlite3.connect(self.folder / "plain.db")
        flow, qp, size = db.execute(
            "SELECT id, src_qp, payload_bytes FROM flow WHERE src_qp NOT NULL "
            "AND requests > 9 ORDER BY packets DESC").fetchone()
        db.close()

        def trace(total, number=qp):
            return json.dumps([{"name": "Qp", "cat": "NET_IB", "ph": p,
                                "id": 0, "ts": 1.0, "args": {
                                    "device": 0, "qp_num": number,
                                    "opcode": 0, "wr_id": 1, "size": total}}
                               for p in "be"])
        for total, number, verdict in (
                (size, qp, "agrees"), (3 * size + 10**6, qp, "more"),
                (size, 0xfffff1, "unused")):
            rows = self.notes(trace(total, number))
            self.assertEqual([(r["verdict"], r["qpn"], r["count"], r["bytes"])
                              for r in rows], [(verdict, number, 1, total)])
            self.assertEqual(rows[0]["flow_id"],
                             flow if verdict != "unused" else None)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
