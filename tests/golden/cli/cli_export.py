#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""fabscope export: what other programs read of it is what the database has.
The readers are Python's csv and json, jsonschema and protoc."""
import collections
import csv
import io
import json
import pathlib
import re
import shutil
import sqlite3
import subprocess
import unittest

import program

jsonschema = program.module("jsonschema")

HERE = pathlib.Path(__file__).resolve().parent
SCHEMA = program.ROOT / "docs" / "records.schema.json"
STRANGE = ["", "NULL", "a,b", 'say "x"', "two\nlines", "cr\r\nlf", " blank ",
           "'=1+1'", "gr\u00fc\u00df", "\u202e\x1b[31m", None]


def rows(path, table):
    with sqlite3.connect(path) as db:
        found = db.execute(f"SELECT * FROM \"{table}\"")
        return [c[0] for c in found.description], found.fetchall()


def tables(path):
    with sqlite3.connect(path) as db:
        return [r[0] for r in db.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table'")]


def fields(text):
    """The fields of each line, telling what was quoted: csv does not."""
    at, line, quoted = 0, [], False
    while at < len(text):
        if text[at] == '"':
            end = at + 1
            while text[end] != '"' or text[end:end + 2] == '""':
                end += 2 if text[end] == '"' else 1
            line.append(text[at + 1:end].replace('""', '"'))
            at = end + 1
            quoted = True
        else:
            end = re.compile(r"[,\r]").search(text, at).start()
            line.append(text[at:end] or None)
            at = end
            quoted = False
        if text[at] == ",":
            at += 1
            continue
        assert text[at:at + 2] == "\r\n", (text[at - 20:at + 20], quoted)
        yield line
        line = []
        at += 2


class Export(program.Case):
    def database(self, capture="d11_drop_every_400.pa.pcap"):
        self.capture(capture)
        self.run_here("analyze", "-o", "x.db", capture)
        return self.folder / "x.db"

    def strange(self):
        """A database with texts that break formats."""
        path = self.database()
        with sqlite3.connect(path) as db:
            db.execute("DELETE FROM corrupted_range")
            db.executemany("INSERT INTO corrupted_range VALUES(1, ?, 2, ?)",
                           enumerate(STRANGE))
        return path

    def simulated(self, scenario):
        self.run_here("simulate", "-w", "s.pcapng", program.CAPTURES /
                      "scenarios" / f"{scenario}.fab")
        status, _, err = self.run_here("analyze", "-o", "x.db", "s.pcapng")
        self.assertEqual(status, 0, err)
        return self.folder / "x.db"

    def export(self, *words, expect=0, binary=False):
        status, out, err = self.run_here("export", "x.db", "--format", *words,
                                         binary=binary)
        self.assertEqual(status, expect, err)
        return out if not expect else err

    # ---- CSV ----

    def test_csv_of_all_tables(self):
        path = self.strange()
        self.export("csv", "-o", "out")
        self.assertEqual({p.stem for p in (self.folder / "out").iterdir()},
                         set(tables(path)))
        for table in tables(path):
            text = (self.folder / "out" / f"{table}.csv").read_bytes().decode()
            names, want = rows(path, table)
            have = list(csv.reader(io.StringIO(text, newline="")))
            self.assertEqual(have[0], names)
            self.assertEqual([[None if v == "" else type(w)(v)
                               for v, w in zip(line, row)]
                              for line, row in zip(have[1:], want)],
                             [[v if v != "" else None for v in row]
                              for row in want])
            self.assertEqual(len(have) - 1, len(want))
            # and NULL is not ""
            for line, row in zip(list(fields(text))[1:], want):
                self.assertEqual([v is None for v in line],
                                 [v is None for v in row], (table, line))

    def test_csv_of_one_table(self):
        path = self.strange()
        out = self.export("csv", "--table", "flow", binary=True)
        self.assertEqual(len(list(fields(out.decode()))) - 1,
                         len(rows(path, "flow")[1]))
        self.export("csv", "--table", "flow", "-o", "flow.csv")
        self.assertEqual((self.folder / "flow.csv").read_bytes(), out)
        self.export("csv", "--table", "flow", "--table", "tap", "-o", "two")
        self.assertEqual(sorted(p.name for p in
                                (self.folder / "two").iterdir()),
                         ["flow.csv", "tap.csv"])

    # ---- JSON lines ----

    def test_jsonl(self):
        path = self.strange()
        found = collections.defaultdict(list)
        for line in self.export("jsonl").splitlines():
            record = json.loads(line)
            self.assertEqual((record["format"], record["version"]),
                             ("fabscope-record", 1))
            found[record["of"]].append(record["row"])
        for table in tables(path):
            names, want = rows(path, table)
            have = [[row[n] for n in names] for row in found[table]]
            self.assertEqual(len(have), len(want), table)
            for a, b in zip(have, want):
                for x, y in zip(a, b):
                    self.assertEqual(json.loads(y) if isinstance(x, (dict, list))
                                     else y, x)
        one = self.export("jsonl", "--table", "tap").splitlines()
        self.assertEqual([json.loads(o)["of"] for o in one],
                         ["tap"] * len(found["tap"]))

    @unittest.skipUnless(jsonschema, "no python3-jsonschema")
    def test_jsonl_is_as_its_schema_says(self):
        self.strange()
        schema = json.loads(SCHEMA.read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
        lines = self.export("jsonl").splitlines()
        self.assertGreater(len(lines), 50)
        some = {}
        for line in lines:
            record = json.loads(line)
            some.setdefault(record["of"], []).append(record)
        for records in some.values():
            for record in records[:20]:
                validator.validate(record)
        for change in ({"version": 2}, {"of": 7},
                       {"row": {"id": "x"}}):
            with self.assertRaises(jsonschema.ValidationError):
                validator.validate({**some["flow"][0], **change})

    # ---- Perfetto ----

    def trace(self, *words):
        """Packets as dicts of lists, read by protoc."""
        octets = self.export("perfetto", *words, binary=True)
        done = subprocess.run(
            ["protoc", f"--proto_path={HERE}", "--decode=perfetto.protos.Trace",
             "perfetto.proto"], input=octets, capture_output=True, check=True)
        stack = [collections.defaultdict(list)]
        for line in done.stdout.decode().splitlines():
            line = line.strip()
            if line == "}":
                stack.pop()
            elif line.endswith(" {"):
                stack.append(collections.defaultdict(list))
                stack[-2][line[:-2]].append(stack[-1])
            else:
                name, value = line.split(": ", 1)
                self.assertFalse(name.isdigit(), line)
                stack[-1][name].append(
                    value[1:-1] if value[0] == '"' else
                    int(value) if re.fullmatch(r"-?\d+", value) else value)
        self.assertEqual(len(stack), 1)
        return stack[0]["packet"], octets

    def drawn(self, packets):
        """Slices, moments and counters by the path of their track.  Tracks
        are described before they are used, slices end in order."""
        paths, found = {}, collections.defaultdict(list)
        open_since, last = {}, collections.defaultdict(int)
        for packet in packets:
            self.assertEqual(packet["trusted_packet_sequence_id"], [1])
            for track in packet["track_descriptor"]:
                uuid, = track["uuid"]
                self.assertNotIn(uuid, paths)
                parent = track["parent_uuid"]
                paths[uuid] = (paths[parent[0]] if parent else ()) + (
                    track["name"][0],)
            for event in packet["track_event"]:
                uuid, kind = event["track_uuid"][0], event["type"][0]
                ns, = packet["timestamp"]
                if kind == "TYPE_SLICE_BEGIN":
                    self.assertNotIn(uuid, open_since)
                    self.assertGreaterEqual(ns, last[uuid])
                    open_since[uuid] = (ns, event)
                elif kind == "TYPE_SLICE_END":
                    start, begun = open_since.pop(uuid)
                    self.assertGreater(ns, start)
                    last[uuid] = ns
                    found[paths[uuid]].append((start, ns, begun))
                else:
                    found[paths[uuid]].append((ns, None, event))
        self.assertFalse(open_since)
        return found

    def named(self, event):
        return {a["name"][0]: a for a in event["debug_annotations"]}

    @unittest.skipUnless(shutil.which("protoc"), "no protoc")
    def test_perfetto_has_what_the_database_has(self):
        path = self.database()
        packets, _ = self.trace()
        clocks = packets[0]["clock_snapshot"][0]
        self.assertEqual(clocks["primary_trace_clock"],
                         ["BUILTIN_CLOCK_REALTIME"])
        self.assertEqual(packets[0]["trace_packet_defaults"][0]
                         ["timestamp_clock_id"], [1])
        found = self.drawn(packets)
        with sqlite3.connect(path) as db:
            for flow, first, last in db.execute(
                    "SELECT id, first_ns, last_ns FROM flow"):
                self.assertEqual([s[:2] for s in
                                  found["Flows", f"flow {flow}"]],
                                 [(first, last)])
            want = collections.defaultdict(set)
            for row in db.execute(
                    "SELECT flow_id, id, first_ns, last_ns, retransmitted_packets "
                    "FROM recovery"):
                want[row[0]].add(row[1:])
            self.assertGreater(len(want), 0)
            for flow, recoveries in want.items():
                have = {(self.named(e)["recovery_id"]["int_value"][0], a, b,
                         self.named(e)["retransmitted_packets"]["int_value"][0])
                        for a, b, e in found["Flows", f"flow {flow}",
                                             "recoveries"]}
                self.assertEqual(have, recoveries)
            messages = db.execute("SELECT count(*) FROM message").fetchone()
            self.assertEqual(sum(len(s) for p, s in found.items()
                                 if p[-1] == "messages"), messages[0])
            tap, = db.execute("SELECT name FROM tap").fetchone()
            bins = db.execute(
                "SELECT start_ns, 8e9 * bytes / width_ns FROM bin "
                "WHERE scope = 'tap'").fetchall()
        load = {ns: float(e["double_counter_value"][0])
                for ns, _, e in found["Load", f"{tap} load"]}
        for ns, rate in bins:
            self.assertAlmostEqual(load[ns], rate, delta=rate * 1e-6 + 1)

    @unittest.skipUnless(shutil.which("protoc"), "no protoc")
    def test_perfetto_of_pauses(self):
        path = self.simulated("storm")
        found = self.drawn(self.trace()[0])
        with sqlite3.connect(path) as db:
            for name, mac, priority, first, last in db.execute(
                    "SELECT t.name, source_mac, priority, p.first_ns, "
                    "p.last_ns FROM pause p JOIN tap t ON t.id = tap_id"):
                self.assertIn((first, last), [s[:2] for s in found[
                    "Pauses", f"{name}, port {mac}, priority {priority}"]])
            title, first, last = db.execute(
                "SELECT title, first_ns, last_ns FROM finding").fetchone()
        begin, end, event = found["Findings", "critical"][0]
        self.assertEqual((event["name"][0], begin, end), (title, first, last))

    @unittest.skipUnless(shutil.which("protoc"), "no protoc")
    def test_perfetto_is_bounded(self):
        """The slowest first, and how many more there are."""
        path = self.database()
        packets, few = self.trace("--limit", "3")
        found = self.drawn(packets)
        with sqlite3.connect(path) as db:
            want = db.execute(
                "SELECT id FROM message ORDER BY "
                "ifnull(completed_ns, last_ns) - first_ns DESC, id "
                "LIMIT 3").fetchall()
            n, = db.execute("SELECT count(*) - 3 FROM message").fetchone()
        have = [self.named(e)["message_id"]["int_value"][0]
                for p, s in found.items()
                if p[0] == "Flows" and p[-1] == "messages"
                for _, _, e in s]
        self.assertEqual(sorted(have), sorted(r[0] for r in want))
        self.assertEqual(found["Left out", "messages"][0][2]["name"],
                         [f"and {n:,} more messages"])
        self.assertLess(len(few), len(self.trace()[1]))

    @unittest.skipUnless(shutil.which("protoc"), "no protoc")
    def test_perfetto_of_a_hostile_database(self):
        path = self.database()
        with sqlite3.connect(path) as db:
            db.execute("DELETE FROM finding")
            db.executemany(
                "INSERT INTO finding(rule, severity, title, first_ns, last_ns)"
                " VALUES('x', ?, ?, ?, ?)",
                [("a", b"\xff\xfe".decode("latin1"), 5, 1 << 62),
                 ("a", "\x1b[31m", -5, -9), ("a", "z" * 100000, 9, 3),
                 ("", "", 1 << 62, None)])
            db.execute("UPDATE message SET first_ns = 1 << 62, "
                       "last_ns = -(1 << 62), op = x'ff00', bytes = 'many'")
            db.execute("UPDATE bin SET width_ns = 0 WHERE scope = 'tap'")
            db.execute("UPDATE bin SET bytes = 9e999 WHERE scope = 'flow'")
        self.assertGreater(len(self.trace()[0]), 4)

    # ---- wrong usage ----

    def test_refusals(self):
        self.database()
        before = self.files()
        for words, status in (
                (("csv",), 2), (("csv", "--table", "nothing"), 2),
                (("xml",), 2), (("jsonl", "--limit", "3"), 2),
                (("perfetto", "--table", "flow"), 2),
                (("perfetto", "--limit", "0"), 2), (("db", "-o", "y.db"), 2),
                (("db", "--anonymize"), 2),
                (("csv", "-o", "x.db"), 1),
                (("jsonl", "-o", "no/such/folder"), 1)):
            self.one_line(self.export(*words, expect=status))
        status, _, err = self.run_here("export", "x.db")
        self.assertEqual(status, 2)
        self.assertIn("--format", err)
        self.assertEqual(self.files(), before)

    def test_a_full_disk_leaves_nothing(self):
        self.database()
        before = self.files()
        for words in (("perfetto", "-o", "t"), ("jsonl", "-o", "t"),
                      ("db", "--anonymize", "-o", "t")):
            status, _, err = self.run_here("export", "x.db", "--format",
                                           *words, limit=10000)
            self.assertEqual(status, 1)
            self.assertIn("t: ", self.one_line(err))
            self.assertEqual(self.files(), before)


if __name__ == "__main__":
    program.main()
