#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""fabscope analyze --job-log: records of a simulated job whose true clocks are
known, records written by hand after the public formats, and rubbish."""
import copy
import json
import pickle
import sqlite3

import program

SCENARIO = program.CAPTURES / "scenarios" / "job_clocks.fab"
# Host, its rank, and the tap that sees it.
SEEN = {"10.0.0.3": ("h3", 2, "a"), "10.0.0.6": ("h6", 5, "b")}


class Bomb:
    """What a hostile pickle looks like."""

    def __reduce__(self):
        return print, ("boom",)


class JobLog(program.Case):
    def setUp(self):
        super().setUp()
        status, _, err = self.run_here("simulate", SCENARIO, "-w", "j.pcapng",
                                       "--records")
        self.assertEqual(status, 0, err)
        self.truth = json.loads((self.folder / "j.truth.json").read_text())

    def analyze(self, *logs, status=0):
        words = [w for log in logs for w in ("--job-log", log)]
        have, _, err = self.run_here("analyze", "-o", "j.db", *words,
                                     "j.pcapng")
        self.assertEqual((have, err), (status, ""))

    def rows(self, text):
        db = sqlite3.connect(self.folder / "j.db")
        db.row_factory = sqlite3.Row
        rows = [dict(r) for r in db.execute(text)]
        db.close()
        return rows

    def inspector(self, rank):
        return f"j.job.rank{rank}.inspector.jsonl"

    def flight(self, rank):
        return f"j.job.rank{rank}.flight.json"

    def true_offset(self, host, tap):
        """Of the tap's clock less the host's, in the middle of the job."""
        host = {h["host"]: h for h in self.truth["hosts"]}[host]
        tap = {t["name"]: t for t in self.truth["taps"]}[tap]
        since = self.truth["iterations"][8]["rank_start_ns"][0] - \
            self.truth["from_ns"]
        return (tap["offset_ns"] + since * tap["drift_ppm"] / 1e6
                - host.get("clock_offset_ns", 0)
                - since * host.get("clock_drift_ppm", 0) / 1e6)

    def test_clocks_are_those_of_the_truth(self):
        self.analyze(*(f"{a}={self.inspector(r)}"
                       for a, (_, r, _) in SEEN.items()))
        logs = self.rows("SELECT * FROM job_log")
        self.assertEqual(len(logs), 2)
        for log in logs:
            host, rank, tap = SEEN[log["address"]]
            self.assertEqual((log["host"], log["rank"], log["ranks"]),
                             (host, rank, 8))
            self.assertLess(log["error_ns"], 5000)
            self.assertLessEqual(
                abs(log["offset_ns"] - self.true_offset(host, tap)),
                log["error_ns"])

    def test_collectives_are_joined_with_their_packets(self):
        self.analyze(f"10.0.0.3={self.inspector(2)}")
        have = self.rows("SELECT * FROM collective ORDER BY seq")
        truth = self.truth["iterations"]
        self.assertEqual(len(have), len(truth))
        tap = next(t for t in self.truth["taps"] if t["name"] == "a")
        # a ring rank sends 2 (n - 1) / n of the message
        data = 2 * 7 * 262144 // 8
        for c, it in zip(have, truth):
            self.assertEqual((c["op"], c["bytes"], c["seq"]),
                             ("AllReduce", 262144, it["iteration"] + 1))
            self.assertLess(abs(c["first_ns"] - tap["offset_ns"]
                                - it["rank_start_ns"][2]), 5000)
            self.assertEqual(c["got_bytes"], data)
            # and the descriptors it sends as a receiver
            self.assertEqual(c["sent_bytes"] - data, 14 * 64)
            self.assertLess(0, c["sent_first_ns"] - c["first_ns"])

    def test_other_ranks_are_known_through_it(self):
        self.analyze(f"10.0.0.3={self.inspector(2)}", self.inspector(0),
                     self.flight(2), self.flight(7))
        logs = {(r["format"], r["rank"]): r
                for r in self.rows("SELECT * FROM job_log")}
        for key, host, by in ((("nccl-inspector", 0), "h1", "ranks"),
                              (("flight-recorder", 2), "h3", "host")):
            log = logs[key]
            self.assertEqual(log["aligned_by"], by)
            self.assertLessEqual(
                abs(log["offset_ns"] - self.true_offset(host, "a")),
                log["error_ns"] + 1000)
        seven = logs["flight-recorder", 7]
        self.assertEqual(seven["aligned_by"], "ranks")
        self.assertLessEqual(
            abs(seven["offset_ns"] - self.true_offset("h8", "a")),
            seven["error_ns"] + 1000)

    def test_who_came_last_needs_no_clocks(self):
        """Rank 2 computes longer now and then, and the others wait."""
        self.analyze(*(self.inspector(r) for r in range(8)))
        _, out, _ = self.run_here("query", "j.db", "slow-collectives",
                                  "--param", "over=1.2", "--format", "json")
        slow = json.loads(out)
        starts = [it["rank_start_ns"] for it in self.truth["iterations"]]
        want = {i + 1 for i, s in enumerate(starts)
                if max(s) - sorted(s)[-2] > 100000}
        self.assertEqual({c["seq"] for c in slow}, want)
        self.assertEqual({c["last_rank"] for c in slow}, {2})
        for c in slow:
            late = starts[c["seq"] - 1]
            self.assertLess(abs(c["waited_ns"] - (late[2] - min(late))), 20000)

    def test_a_topology_file_says_whose_it_is(self):
        self.write("t.ini", b"[host h3]\naddress = 10.0.0.3\n")
        status, _, err = self.run_here("analyze", "-o", "j.db", "--topology",
                                       "t.ini", "--job-log", self.inspector(2),
                                       "j.pcapng")
        self.assertEqual((status, err), (0, ""))
        log, = self.rows("SELECT * FROM job_log")
        self.assertEqual((log["address"], log["address_by"]),
                         ("10.0.0.3", "topology"))
        self.assertIsNotNone(log["offset_ns"])

    def test_what_cannot_be_known_is_said(self):
        """Another host's record, and one without times, fit nowhere."""
        text = (self.folder / self.inspector(2)).read_text()
        plain = [json.loads(x) for x in text.splitlines()]
        for record in plain:
            del record["coll_perf"]["event_trace_ts"]
        self.write("plain.log", "\n".join(map(json.dumps, plain)).encode())
        self.analyze("10.0.0.3=plain.log", self.inspector(1))
        for log in self.rows("SELECT * FROM job_log"):
            self.assertIsNone(log["offset_ns"])
            self.assertTrue(log["why_not"])
        self.assertEqual(self.rows("SELECT count(*) AS n FROM collective "
                                   "WHERE first_ns IS NOT NULL"), [{"n": 0}])

    def test_pickles_say_what_their_json_says(self):
        dump = json.loads((self.folder / self.flight(2)).read_text())
        frame = {"name": "step", "filename": "train.py", "line": 7}
        for entry in dump["entries"]:
            entry["frames"] = [frame, frame]  # shared, as in real dumps
        self.analyze(self.flight(2))
        want = self.rows("SELECT seq, op, bytes, state, begin_ns, end_ns, "
                         "exec_ns FROM collective")
        self.assertEqual(len(want), 16)
        for protocol in (2, 4, 5):
            self.write("nccl_trace_rank_2",
                       pickle.dumps(dump, protocol=protocol))
            self.analyze("nccl_trace_rank_2")
            self.assertEqual(
                self.rows("SELECT seq, op, bytes, state, begin_ns, end_ns, "
                          "exec_ns FROM collective"), want)
            self.assertEqual(self.rows("SELECT rank FROM job_log"),
                             [{"rank": 2}])

    def test_a_pickle_that_would_do_something_is_refused(self):
        nested = []
        for _ in range(200):
            nested = [nested]
        for octets in (pickle.dumps({"version": "2.4", "entries": Bomb()}),
                       pickle.dumps({"version": "2.4", "entries": nested}),
                       b"\x80\x02]q\x00h\x00a.", b"\x80\x02N" + b"\x85" * 9999,
                       b"\x80\x04\x8d" + b"\xff" * 8, b"\x80"):
            self.write("p", octets)
            status, out, err = self.run_here("analyze", "-o", "p.db",
                                             "--job-log", "p", "j.pcapng")
            self.assertEqual((status, out), (1, ""))
            # nothing to copy that would run it
            self.assertIn("ask who wrote it", self.one_line(err))
            self.assertNotIn("pickle.load", err)
            self.assertNotIn("p.db", self.files())

    def test_damage_is_skipped_and_counted(self):
        lines = (self.folder / self.inspector(2)).read_bytes().splitlines()
        other = json.loads(lines[1])
        other["coll_perf"]["coll_new"] = 1
        other["header"]["zone"] = {"deep": [1, 2, {"x": "}"}]}
        lines[1] = json.dumps(other, indent=1).encode()
        lines.insert(3, b"{ no json }")
        lines.insert(5, b"rubbish")
        lines[-1] = lines[-1][:-9]
        self.write("d.log", b"\n".join(lines))
        self.analyze("10.0.0.3=d.log", status=3)
        log, = self.rows("SELECT * FROM job_log")
        self.assertEqual((log["operations"], log["skipped"],
                          log["unknown_members"]), (15, 3, 2))
        self.assertIsNotNone(log["offset_ns"])

    def test_every_cut_is_survived(self):
        whole = pickle.dumps({"version": "2.4", "entries": [
            {"collective_seq_id": 1, "profiling_name": "nccl:all_reduce",
             "process_group": ("0", "default_pg"), "input_sizes": [[3, 4]],
             "input_dtypes": ["Float"], "duration_ms": 1.5,
             "time_created_ns": 1 << 60}]}, protocol=2)
        text = (self.folder / self.inspector(2)).read_bytes()[:900]
        for octets in (whole, text):
            for n in range(0, len(octets), 37):
                self.write("c", octets[:n])
                status, _, err = self.run_here("analyze", "-o", "c.db",
                                               "--job-log", "c", "j.pcapng")
                self.assertIn(status, (0, 1, 3))
                self.assertLessEqual(err.count("\n"), 1)

    def test_bytes_of_tensors(self):
        # PyTorch, c10/core/ScalarType.h; of a type that is not there the
        # length is not known, and neither is that of all.
        sizes = {"Float8_e4m3fnuz": 12, "UInt32": 48, "BFloat16": 24}
        tensors = [([[3, 4]], [name]) for name in sizes] + [
            ([[3, 4], [0], []], ["Half", "Half", "Long"]),
            ([[3, 4], [3, 4]], ["Float", "Float3_new"])]
        self.write("f_rank_0.json", json.dumps({
            "version": "2.9", "entries": [
                {"collective_seq_id": i, "profiling_name": "nccl:all_reduce",
                 "process_group": ["0", "default_pg"], "input_sizes": shapes,
                 "input_dtypes": types, "time_created_ns": 1 << 60}
                for i, (shapes, types) in enumerate(tensors)]}).encode())
        self.analyze("f_rank_0.json")
        self.assertEqual(
            [r["bytes"] for r in self.rows(
                "SELECT bytes FROM collective ORDER BY id")],
            [*sizes.values(), 32, None])

    def test_records_by_hand(self):
        """Point to point, several communicators in one file, no version."""
        def record(**perf):
            return {"header": {"id": "0x1", "rank": 0, "n_ranks": 2},
                    "metadata": {"hostname": "n1", "dump_timestamp_us": 9},
                    **perf}
        send = record(p2p_perf={"p2p": "Send", "p2p_sn": 4, "p2p_peer": 1,
                                "p2p_msg_size_bytes": 1 << 20,
                                "p2p_exec_time_us": 70,
                                "p2p_busbw_gbs": 12.5})
        other = copy.deepcopy(send)
        other["header"]["id"] = "0x2"
        huge = copy.deepcopy(send)
        huge["p2p_perf"]["p2p_exec_time_us"] = 1 << 62
        self.write("a.json", json.dumps([send, other, huge]).encode())
        self.analyze("a.json")
        self.assertEqual(
            self.rows("SELECT communicator, operations FROM job_log"),
            [{"communicator": "0x1", "operations": 2},
             {"communicator": "0x2", "operations": 1}])
        first, _, last = self.rows("SELECT * FROM collective ORDER BY id")
        self.assertEqual((first["op"], first["seq"], first["bytes"],
                          first["exec_ns"], first["busbw_bps"]),
                         ("Send", 4, 1 << 20, 70000, 100 * 10 ** 9))
        self.assertIsNone(last["exec_ns"])

    def test_refusals(self):
        self.write("empty", b"")
        self.write("other.json", b'{"a": 1}')
        (self.folder / "none").mkdir()
        for name in ("gone", "empty", "other.json", "none"):
            status, out, err = self.run_here("analyze", "-o", "r.db",
                                             "--job-log", name, "j.pcapng")
            self.assertEqual((status, out), (1, ""))
            self.assertIn(name, self.one_line(err))
            self.assertNotIn("r.db", self.files())


if __name__ == "__main__":
    program.main()
