#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""fabscope analyze: one content on the terminal, in JSON, in the database."""
import csv
import gzip
import io
import json
import re
import sqlite3
import struct
import subprocess

import program

CLEAN = "d04_write_lat.pa.pcap"
LOSSY = "d11_drop_every_400.pa.pcap"
SCHEMA = json.loads(
    (program.ROOT / "docs" / "analyze.schema.json").read_text())
TYPES = {"object": dict, "array": list, "string": str, "integer": int,
         "number": (int, float), "boolean": bool, "null": type(None)}


def is_type(value, name):
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, TYPES[name])


def described(schema):
    """|schema| itself, or what it refers to."""
    while "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    return schema


def faults(value, schema, path="$"):
    """Where |value| is not what |schema| says; knows the keywords used in
    docs/analyze.schema.json.  A member it does not describe is a fault."""
    schema = described(schema)
    unknown = set(schema) - {"$schema", "$defs", "title", "description",
                             "type", "required", "properties", "items",
                             "enum", "const", "anyOf"}
    assert not unknown, unknown
    if "anyOf" in schema:
        every = [list(faults(value, s, path)) for s in schema["anyOf"]]
        if all(every):
            yield from every[0]
        return
    if "const" in schema and value != schema["const"]:
        yield f"{path}: not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{path}: {value!r} is none of {schema['enum']}"
    names = schema.get("type", [])
    names = [names] if isinstance(names, str) else names
    if names and not any(is_type(value, n) for n in names):
        yield f"{path}: {value!r} is no {names}"
    for name in schema.get("required", []):
        if isinstance(value, dict) and name not in value:
            yield f"{path}: no {name}"
    if isinstance(value, dict) and "properties" in schema:
        for name, inner in value.items():
            if name not in schema["properties"]:
                yield f"{path}.{name}: not described"
            else:
                yield from faults(inner, schema["properties"][name],
                                  f"{path}.{name}")
    if isinstance(value, list):
        for i, inner in enumerate(value):
            yield from faults(inner, schema.get("items", {}), f"{path}[{i}]")


class Checker(program.Case):
    """The check of the check: each fault is found."""

    def test_faults_are_found(self):
        tests = [
            (3, {"type": "string"}), (True, {"type": "integer"}),
            (1.5, {"type": ["integer", "null"]}), ("b", {"enum": ["a"]}),
            ({}, {"type": "object", "required": ["x"]}),
            ({"y": 1}, {"type": "object", "properties": {}}),
            ([1, "2"], {"type": "array", "items": {"type": "integer"}}),
            (1, {"anyOf": [{"type": "null"}, {"type": "string"}]}),
        ]
        for value, schema in tests:
            self.assertTrue(list(faults(value, schema)), (value, schema))


class Analyze(program.Case):
    def document(self, *words, status=0):
        got, out, err = self.run_here("analyze", "--json", *words)
        self.assertEqual((got, err), (status, ""))
        return json.loads(out)

    def test_json_is_as_the_schema_says(self):
        for name in (CLEAN, LOSSY, "d07_cm.pa.pcap"):
            document = self.document(self.capture(name))
            self.assertEqual(list(faults(document, SCHEMA)), [])
        empty = self.document(self.write("none.pcap", program.pcap()))
        self.assertEqual(list(faults(empty, SCHEMA)), [])

    def test_clean_capture_is_said_to_be_clean(self):
        document = self.document(self.capture(CLEAN))
        self.assertEqual(document["findings"], [])
        self.assertNotIn(document["answer"][0]["verdict"],
                         ("network", "both"))
        status, out, _ = self.run_here("analyze", CLEAN)
        self.assertEqual(status, 0)
        self.assertIn(document["verdict"], re.sub(r"\s+", " ", out))

    def test_lossy_capture(self):
        """README of captures: one of 400 packets dropped behind this tap,
        9 of them, each answered by one NAK."""
        document = self.document(self.capture(LOSSY))
        worst = document["findings"][0]
        self.assertIn(worst["severity"], ("critical", "warning"))
        self.assertRegex(worst["rule"], "loss")
        self.assertGreater(worst["cost_ns"], 0)
        self.assertTrue(worst["evidence"]["frames"])

    def test_one_trouble_fits_a_screen(self):
        """80x24, the command and the next prompt aside."""
        for name in ("d11_drop_every_400.pa", "d12_drop_tail_timeout.pa",
                     "d13_read_resp_drop.pa", "d19_ack_loss_20pct.pb",
                     "d22_psn_wrap.pb", "d24_capture_loss_2pct.pa"):
            with self.subTest(name=name):
                self.capture(name + ".pcap")
                out = self.run_here("analyze", name + ".pcap")[1]
                shown = [line for line in out.splitlines()
                         if program.FABSCOPE not in line]  # as long as its path
                self.assertLessEqual(len(shown), 22)
                self.assertLessEqual(max(map(len, shown)), 80)
                self.assertRegex(out, "\\A(It was the network|Undeterm)")

    def test_several_jobs_fit_a_screen(self):
        """Shortened where they would not: jobs and notes by a line each, the
        first sentences of a detail; and where that is not enough, jobs
        together, three notes, the first sentences of an action.  -v has the
        rest."""
        for name, left_out in (
                ("dscp_mismatch", "Time: transmission 86.8 %"),
                ("polarized", "begin with that of 10.0.0.3"),
                ("rails", "2.18 ms of it communicating"),
                ("storm", "the defaults of SONiC and Juniper are 200 ms"),
                ("uet_rccc_senders", "99.3 % was transmission"),
                ("deadlock", "the reason of the first pause"),
                ("storm_watchdog", "the watchdog of its switch port"),
                ("rails_unified", "both directions pass"),
                ("job_sprayed", "2.06 ms of it communicating")):
            with self.subTest(name=name):
                self.run_here("simulate", "-w", name + ".pcapng", name)
                out = self.run_here("analyze", name + ".pcapng")[1]
                self.assertLessEqual(len(out.splitlines()), 23)
                self.assertIn("(-v: all)", out)
                flat = re.sub(r"\s+", " ", out)
                self.assertNotIn(left_out, flat)
                out = self.run_here("analyze", "-v", name + ".pcapng")[1]
                self.assertIn(left_out, re.sub(r"\s+", " ", out))

    def test_several_troubles_are_grouped(self):
        """Too long for a screen: the first in full, then the costliest of each
        kind; every finding is shown, named as one of its kind, or counted."""
        for name in ("nak_loss", "job_loss", "uet_meet_loss", "uet_no_pdc",
                     "job_sprayed"):
            with self.subTest(name=name):
                self.run_here("simulate", "-w", name + ".pcapng", name)
                out = self.run_here("analyze", name + ".pcapng")[1]
                self.assertLessEqual(len(out.splitlines()), 29)
                rows = json.loads(self.run_here(
                    "query", name + ".pcapng.fabscope.db", "findings",
                    "--format", "json")[1])
                flat = re.sub(r"\s+", " ", out)
                shown = {int(i) for i in re.findall(
                    r"^ *(\d+) (?:critical|warning|info) ", out, re.M)}
                alike = {int(i) for kind in re.findall(
                    r"Same kind findings? (\d+(?:, \d+)*)"
                    r"|[(;] ?findings? (\d+(?:, \d+)*) of the same kind",
                    flat) for i in re.findall(r"\d+", "".join(kind))}
                more = re.search(r"and ([\d,]+) more findings?", flat)
                self.assertFalse(shown & alike)
                self.assertEqual(len(shown | alike)
                                 + (int(more[1]) if more else 0), len(rows))
                rules = {r["id"]: r["rule"] for r in rows}
                self.assertEqual(len({rules[i] for i in shown}), len(shown))
                for i in alike:
                    self.assertIn(rules[i], {rules[k] for k in shown if k < i})
                self.assertEqual(len(re.findall("^  Action ", out, re.M)), 1)
                whole = self.run_here("analyze", "-v", name + ".pcapng")[1]
                self.assertGreater(len(re.findall("^  Action ", whole, re.M)),
                                   1)

    def test_blind_spot_of_one_tap_has_its_name(self):
        """Requests alone at one of two taps: what ACKs show is missing there,
        and only there; CE marks and PFC are missing at both."""
        leaf = self.capture("d12_drop_tail_timeout.pa.pcap")
        both = (program.CAPTURES / "d12_drop_tail_timeout.pb.pcap").read_bytes()
        at, requests = 24, both[:24]
        while at < len(both):
            end = at + 16 + struct.unpack_from("<I", both, at + 8)[0]
            if both[at + 42:at + 46] == bytes((10, 9, 0, 1)):
                requests += both[at:end]
            at = end
        self.write("requests.pcap", requests)
        out = self.run_here("analyze", "-o", "a.db", "--tap", "leaf=" + leaf,
                            "--tap", "spine=requests.pcap")[1]
        unseen = re.sub(r"\s+", " ", out[out.index("Not observable"):])
        both, spine, _ = unseen[len("Not observable "):].split("; ", 2)
        for kind in ("CE marks", "PFC"):
            self.assertIn(kind, both.split(", "))
        self.assertTrue(spine.startswith("at spine: "), spine)
        for kind in ("ACKs", "CNPs", "loss"):
            self.assertIn(kind, re.split(": |, ", spine))
        self.assertNotIn("at leaf", unseen)

    def test_notes_beside_a_problem_take_a_line(self):
        name = self.capture("d13_read_resp_drop.pa.pcap")
        note = next(f for f in self.document(name)["findings"]
                    if f["severity"] == "info")
        detail = note["detail"].split(".")[0]
        for option, full in ((), False), (("-v",), True):
            out = self.run_here("analyze", *option, name)[1]
            flat = re.sub(r"\s+", " ", out)
            self.assertIn(f"{note['id']} info {note['title']}", flat)
            self.assertEqual(detail in flat, full)

    def test_more_flows_than_are_compared(self):
        """No data of jobs is at hand: no verdict, and nothing made up."""
        self.run_here("simulate", "--bench", "150000", "--pairs", "60000",
                      "--per-host", "200", "-w", "wide.pcap")
        document = self.document("wide.pcap")
        self.assertTrue(document["answer"])
        for answer in document["answer"]:
            self.assertEqual(answer["verdict"], "undetermined")
            self.assertIn("too many flows", answer["line"])
        self.assertIn("their jobs have no phases", re.sub(
            r"\s+", " ", self.run_here("analyze", "wide.pcap")[1]))

    def test_without_roce_nothing_else_is_missed(self):
        """Nobody looks for ACKs or marks in one ARP request."""
        arp = (bytes.fromhex("ffffffffffff020000000001" "0806"
                             "0001080006040001" "020000000001" "0a000001"
                             "000000000000" "0a000002") + bytes(18))
        self.write("arp.pcap", program.pcap((1700000000, arp)))
        status, out, err = self.run_here("analyze", "arp.pcap")
        self.assertEqual(status, 0, err)
        self.assertIn("no packet of RoCE or Ultra Ethernet", out)
        self.assertRegex(out, r"(?m)^Capture +arp\.pcap: 1 packet, 0 ns$")
        self.assertNotIn("Not observable", out)
        document = self.document("arp.pcap", "-o", "b.db")
        self.assertEqual([u["what"] for u in document["not_observable"]],
                         ["everything"])

    def test_brief(self):
        document = self.document(self.capture(LOSSY))
        out = self.run_here("analyze", "--brief", LOSSY)[1]
        flat = re.sub(r"\s+", " ", out)
        self.assertTrue(flat.startswith(
            re.sub(r"\s+", " ", document["answer"][0]["line"])))
        for finding in document["findings"]:
            self.assertIn(f"{finding['id']} {finding['severity']} "
                          f"{finding['title']}", flat)
            self.assertNotIn(finding["detail"], flat)

    def test_fail_on(self):
        """Exit status 4 where the level is reached, and only there."""
        for name, level, status in (
                ("d12_drop_tail_timeout.pa.pcap", "critical", 4),
                ("d12_drop_tail_timeout.pa.pcap", "warning", 4),
                ("d12_drop_tail_timeout.pa.pcap", "network", 4),
                ("d04_write_lat.pa.pcap", "critical", 0),
                ("d04_write_lat.pa.pcap", "network", 0)):
            self.capture(name)
            self.assertEqual(
                self.run_here("analyze", "--fail-on", level, name)[0], status,
                (name, level))

    def test_terminal_shows_what_json_has(self):
        document = self.document(self.capture(LOSSY))
        out = self.run_here("analyze", "-v", LOSSY)[1]
        flat = re.sub(r"\s+", " ", out)
        for finding in document["findings"]:
            self.assertIn(re.sub(r"\s+", " ", finding["title"]), flat)
            if finding["caused_by"] is None:
                self.assertIn(f"finding:{finding['id']} ", flat + " ")
        for unseen in document["not_observable"]:
            self.assertNotEqual(unseen["what"], "uet")  # in RoCE
            self.assertIn(unseen["why"], flat)
        order = [out.index("Capture"), out.index("Tap"),
                 out.index(document["findings"][0]["title"][:30]),
                 out.index("Not observable")]
        self.assertEqual(order, sorted(order))

    def test_commands_shown_can_be_run(self):
        """Also for a database whose name a shell would take apart."""
        self.capture(LOSSY)
        out = self.run_here("analyze", "-v", "-o", "it's $1.db", LOSSY)[1]
        commands = [line[15:] for line in out.splitlines()
                    if re.search(r" (query|slice) '", line)]
        self.assertGreaterEqual(len(commands), 2)
        for command in commands:
            subprocess.run(["sh", "-ec", command], cwd=self.folder, check=True,
                           stdout=subprocess.DEVNULL)
        self.assertIn("finding-1.pcapng", self.files())

    def test_query_gives_the_same_rows(self):
        document = self.document(self.capture(LOSSY))
        out = self.run_here("query", LOSSY + ".fabscope.db",
                            "verdict/findings", "--format", "csv")[1]
        rows = list(csv.DictReader(io.StringIO(out)))
        self.assertEqual([r["title"] for r in rows],
                         [f["title"] for f in document["findings"]])
        self.assertEqual([int(r["cost_ns"] or 0) for r in rows],
                         [f["cost_ns"] or 0 for f in document["findings"]])

    def test_packet_count_is_that_of_capinfos(self):
        document = self.document(self.capture(LOSSY))
        out = subprocess.run(["capinfos", "-TMrc", self.folder / LOSSY],
                             capture_output=True, check=True, text=True)
        self.assertEqual(document["totals"]["packets"],
                         int(out.stdout.split("\t")[1]))

    def test_names_of_databases(self):
        (self.folder / "deep").mkdir()
        self.capture(CLEAN)
        (self.folder / CLEAN).rename(self.folder / "deep" / "x.pcap")
        self.run_here("analyze", "deep/x.pcap")
        self.assertIn("x.pcap.fabscope.db", self.files())
        self.run_here("analyze", "-o", "y.db", "deep/x.pcap")
        self.assertIn("y.db", self.files())

    def test_older_database_is_replaced(self):
        self.capture(CLEAN)
        self.capture(LOSSY)
        self.assertEqual(self.run_here("analyze", "-o", "a.db", CLEAN)[0], 0)
        self.assertEqual(self.run_here("analyze", "-o", "a.db", LOSSY)[0], 0)
        with sqlite3.connect(self.folder / "a.db") as db:
            rows = db.execute("SELECT path FROM capture").fetchall()
        db.close()
        self.assertEqual(rows, [(LOSSY,)])

    def test_same_input_same_database(self):
        self.capture(LOSSY)
        self.run_here("analyze", "-o", "a.db", LOSSY)
        self.run_here("analyze", "-o", "b.db", LOSSY)
        self.assertEqual((self.folder / "a.db").read_bytes(),
                         (self.folder / "b.db").read_bytes())

    def pieces(self, octets, ends):
        """The packets of a classic pcap file dealt out to several, each from
        where the one before ends."""
        at, names = 24, []
        for number, end in enumerate(ends):
            start, count = at, 0
            while at < len(octets) and count < end:
                at += 16 + int.from_bytes(octets[at + 8:at + 12], "little")
                count += 1
            names.append(self.write(f"piece{number}.pcap",
                                    octets[:24] + octets[start:at]))
        return names

    def test_capture_in_pieces_is_one_place(self):
        """As tcpdump -C writes it, the first piece longer than what is looked
        at beforehand: the same flows as of the whole file."""
        self.run_here("simulate", "--bench", "220000", "--loss", "0.001",
                      "-w", "whole.pcap")
        names = self.pieces((self.folder / "whole.pcap").read_bytes(),
                            [150000, 30000, 10**9])

        def facts(*words):
            status, _, err = self.run_here("analyze", "-o", "a.db", *words)
            self.assertEqual((status, err), (0, ""))
            with sqlite3.connect(self.folder / "a.db") as db:
                found = [
                    db.execute("SELECT * FROM flow ORDER BY id").fetchall(),
                    db.execute("SELECT flow_id, ns, kind, psn, count "
                               "FROM event ORDER BY 1, 2, 4").fetchall(),
                    db.execute("SELECT rule, title FROM finding").fetchall(),
                    # nobody takes them for links to be compared
                    db.execute("SELECT name FROM link_group").fetchall()]
                places = len(set(db.execute("SELECT place FROM tap")))
            db.close()
            return found, places

        whole = facts("whole.pcap")
        self.assertGreater(len(whole[0][1]), 100)
        self.assertEqual(facts(*names), whole)
        self.assertEqual(facts(*reversed(names))[1], 1)
        # names say that they are places of their own
        named = [w for n in names for w in ("--tap", f"{n}={n}")]
        self.assertEqual(facts(*named)[1], len(names))

    def test_captures_at_the_same_time_are_no_pieces(self):
        """Two hops of the same traffic, both in pieces."""
        near = (program.CAPTURES / LOSSY).read_bytes()
        far = (program.CAPTURES / LOSSY.replace(".pa.", ".pb.")).read_bytes()
        names = [self.write("near.pcap", near)]
        names += self.pieces(far, [2000, 10**9])
        self.run_here("analyze", "-o", "a.db", *names)
        with sqlite3.connect(self.folder / "a.db") as db:
            first, second = (set(db.execute(
                "SELECT place FROM tap WHERE name " + which))
                for which in ("= 'near.pcap'", "<> 'near.pcap'"))
        db.close()
        self.assertFalse(first & second)

    def threads(self, number, *inputs, status=0):
        got, _, err = self.run_here("analyze", "-o", "a.db", "--threads",
                                    number, *inputs)
        self.assertEqual((got, err), (status, ""))
        return (self.folder / "a.db").read_bytes()

    def test_any_number_of_threads_same_database(self):
        """Octet by octet, also of files that are compressed, damaged, cut."""
        inputs = [self.capture(LOSSY),
                  self.capture(LOSSY.replace(".pa.", ".pb."))]
        octets = bytearray((self.folder / inputs[1]).read_bytes())
        octets[100000:103000] = b"\xff" * 3000
        self.write("hole.pcap.gz", gzip.compress(octets[:-9]))
        self.write("cut.pcap.gz", gzip.compress(octets)[:-3000])
        inputs += ["hole.pcap.gz", "cut.pcap.gz"]
        databases = set()
        for threads in ("1", "2", "3", "5", "64"):
            databases.add(self.threads(threads, *inputs, status=3))
        self.assertEqual(len(databases), 1)
        self.run_here("simulate", "--bench", "60000", "--pcapng", "--taps",
                      "8", "--mark", "0.01", "--loss", "0.001", "-w",
                      "taps.pcapng")
        self.assertEqual(len({self.threads(n, "taps.pcapng", *inputs[:2])
                              for n in ("1", "2", "3", "7", "16")}), 1)
        for threads in ("0", "-1", "many", "1.5", "99999999999999999999"):
            status, _, err = self.run_here("analyze", "--threads", threads,
                                           LOSSY)
            self.assertEqual(status, 2)
            self.assertIn("--threads", self.one_line(err))

    def test_taps_have_the_names_given(self):
        a = self.capture(LOSSY)
        b = self.capture(LOSSY.replace(".pa.", ".pb."))
        document = self.document("--tap", f"near={a}", "--tap", f"far={b}")
        self.assertEqual({t["name"] for t in document["taps"]},
                         {"near", "far"})

    def test_filter(self):
        """tcpdump counts what the same expression lets through."""
        self.capture(LOSSY)
        expression = "src host 10.9.0.2"
        document = self.document("-f", expression, LOSSY)
        out = subprocess.run(["tcpdump", "--count", "-r", self.folder / LOSSY,
                              expression], capture_output=True, text=True,
                             check=True)
        counted = int(re.search(r"\d+", out.stdout + out.stderr.split(
            "\n")[-1] if not out.stdout else out.stdout)[0])
        self.assertEqual(document["totals"]["packets"], counted)
        self.assertGreater(document["captures"][0]["filtered_packets"], 0)

    def test_hostile_interface_name(self):
        """Escape sequences and bad UTF-8 in an interface's name."""
        name = b"eth\x1b]0;owned\x07\xff"
        self.write("x.pcapng", pcapng_with_name(
            name, (program.CAPTURES / CLEAN).read_bytes()))
        document = self.document("x.pcapng")
        self.assertEqual(document["taps"][0]["name"],
                         "eth\x1b]0;owned\x07\ufffd")
        out = self.run_here("analyze", "-v", "x.pcapng")[1]
        self.assertNotIn("\x1b", out)
        self.assertIn(r"eth\x1b]0;owned\x07\xff", out)
        out = self.run_here("decode", "x.pcapng")[1]
        self.assertNotIn("\x1b", out)


def pcapng_with_name(name, pcap):
    """The nanosecond pcap |pcap| as pcapng with an interface of that name."""
    import struct

    def block(kind, body):
        body += bytes(-len(body) % 4)
        size = struct.pack("<I", len(body) + 12)
        return struct.pack("<I", kind) + size + body + size

    def option(code, value):
        return struct.pack("<HH", code, len(value)) + value + bytes(
            -len(value) % 4)

    out = block(0x0a0d0d0a, struct.pack("<IHHq", 0x1a2b3c4d, 1, 0, -1))
    out += block(1, struct.pack("<HHI", 1, 0, 0) + option(2, name) +
                 option(9, b"\x09") + option(0, b""))
    at = 24
    while at < len(pcap):
        s, ns, kept, whole = struct.unpack_from("<IIII", pcap, at)
        stamp = s * 10**9 + ns
        out += block(6, struct.pack("<IIIII", 0, stamp >> 32,
                                    stamp & 0xffffffff, kept, whole) +
                     pcap[at + 16:at + 16 + kept])
        at += 16 + kept
    return out


if __name__ == "__main__":
    program.main()
