#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""--anonymize: what identifies the fabric is in no output, and the result is
the same.  What must not be found is taken from the database as it was, with
sqlite3, not from what fabscope thinks is secret."""
import ipaddress
import json
import re
import sqlite3
import struct

import program

KEY = b"a key for these tests only, of 46 octets, or so"
TOPOLOGY = """\
[switch acmeleaf]
device = 4098
port 0 = acmeport
[switch acmespine]
[host acmehost]
address = 10.0.0.1
switch = acmeleaf
[link acmeleaf--acmespine]
speed = 100G
[tap nwod]
link = acmespine->acmeleaf
[group acmegroup]
members = acmespine->acmeleaf, acmeleaf->acmespine
"""
# Columns of what must not be made public, and how it is written in text.
SECRETS = {
    "flow": ("src", "dst", "dst_qp", "src_qp", "spdcid", "dpdcid", "job_id"),
    "pause_sender": ("source_mac", "peer_mac", "host"),
    "tap": ("name", "from_node", "to_node"),
    "node": ("name",), "node_port": ("name",), "link": ("a", "b"),
    "link_group": ("name",), "link_member": ("member",),
    "hop": ("device_id",), "cm": ("src", "dst"), "capture": ("path",),
}
# Numbers below are found in every text.
LEAST = 4096


def forms(value):
    """The ways a secret may be printed."""
    if not isinstance(value, int):
        yield rf"(?<![\w.:]){re.escape(value)}(?![\w:]|\.\d)"
        return
    if value >= LEAST:
        yield rf"(?<![\w.]){value}(?![\w.])"
        yield rf"(?i)0x0*{value:x}(?![0-9a-f])"


def secrets(path):
    found = set()
    with sqlite3.connect(path) as db:
        for table, columns in SECRETS.items():
            for column in columns:
                found |= {row[0] for row in db.execute(
                    f"SELECT DISTINCT {column} FROM {table}")}
    found -= {None, "", 0, 1, 0xffffff}
    return found


def renamed(octets):
    """A little-endian pcapng file with the names of its interfaces written
    backwards: "sender" is a word of ours as well."""
    out, at = bytearray(octets), 0
    while at < len(out):
        kind, length = struct.unpack_from("<II", out, at)
        option = at + 16
        while kind == 1 and option < at + length - 4:
            code, n = struct.unpack_from("<HH", out, option)
            if code == 2:
                out[option + 4:option + 4 + n] = \
                    out[option + 4:option + 4 + n][::-1]
            option += 4 + (n + 3) // 4 * 4
        at += length
    return bytes(out)


def column(path, sql):
    with sqlite3.connect(path) as db:
        return db.execute(sql).fetchall()


class Anonymous(program.Case):
    def setUp(self):
        super().setUp()
        self.write("key", KEY)
        self.write("acme.ini", TOPOLOGY.encode())

    def simulated(self, scenario, *words):
        name = f"acme-{scenario}.pcapng"
        self.run_here("simulate", "-w", name, program.CAPTURES / "scenarios" /
                      f"{scenario}.fab")
        self.write(name, renamed((self.folder / name).read_bytes()))
        status, _, err = self.run_here("analyze", "-o", "in.db", name, *words)
        self.assertIn(status, (0, 3), err)
        return self.folder / "in.db"

    def outputs(self):
        """Everything that can be told of in.db, by name."""
        yield "database", self.made("export", "--format", "db", "-o",
                                    "out.db").read_bytes()
        self.made("export", "--format", "csv", "-o", "tables")
        for path in sorted((self.folder / "tables").iterdir()):
            yield path.name, path.read_bytes()
        yield "report", self.made("report", "-o", "report.html").read_bytes()
        yield "trace", self.made("export", "--format", "perfetto", "-o",
                                 "trace").read_bytes()
        for words in (("export", "in.db", "--format", "jsonl"),
                      ("export", "in.db", "--format", "openmetrics"),
                      ("kpi", "in.db", "--json"),
                      ("kpi", "in.db"),
                      ("jct", "in.db", "--json"),
                      ("jct", "in.db"),
                      ("diff", "in.db", "in.db", "--all"),
                      *[("query", "in.db", name, "--format", "csv")
                        for name in program.some((
                            "findings", "incidents", "flows", "taps",
                            "captures", "hops", "paths", "pause-senders",
                            "observability", "storms", "cm", "links", "pdcs",
                            "recoveries"))],
                      ("query", "in.db", "findings"),
                      ("query", "in.db", "findings", "--format", "json")):
            status, out, err = self.run_here(*words, "--anonymize-key", "key")
            self.assertEqual(status, 0, err)
            yield " ".join(words), out.encode()

    def made(self, command, *words):
        status, _, err = self.run_here(command, "in.db", *words,
                                       "--anonymize-key", "key")
        self.assertEqual(status, 0, err)
        return self.folder / words[-1]

    def assert_silent(self, path):
        hidden = secrets(path)
        self.assertGreater(len(hidden), 3)
        patterns = [(value, re.compile(form.encode()))
                    for value in hidden for form in forms(value)]
        for name, octets in self.outputs():
            for value, pattern in patterns:
                found = pattern.search(octets)
                # two octets of a page of the database may be anything; what
                # its tables hold is looked at as CSV
                if found and (isinstance(value, str) and len(value) > 3 or
                              not octets.startswith(b"SQLite")):
                    around = octets[max(0, found.start() - 60):
                                    found.end() + 60]
                    # a number may be one by chance: of packets, of a time
                    if isinstance(value, int) and not re.search(
                            rb"0x|qp|QP|pdc|job|device|switch", around):
                        continue
                    self.fail(f"{value} in {name}: {around}")

    def assert_same(self, path, other):
        """What was counted and found, and what belongs together."""
        for sql in (
                "SELECT severity, rule, confidence, first_ns, last_ns, "
                "cost_ns, tap_id, flow_id, incident_id FROM finding "
                "ORDER BY id",
                "SELECT packets, bytes, lost_upstream, retransmitted, "
                "timeouts, nak_seq, cnp, peer_flow_id FROM flow ORDER BY id",
                "SELECT count(*), count(DISTINCT src), count(DISTINCT dst), "
                "count(DISTINCT dst_qp), count(DISTINCT src_qp), "
                "count(DISTINCT spdcid), count(DISTINCT job_id) FROM flow",
                "SELECT f.id, p.id FROM flow f JOIN flow p ON p.src = f.dst "
                "AND p.dst = f.src AND p.dst_qp = f.src_qp ORDER BY 1, 2",
                "SELECT count(*) FROM pause_sender p JOIN flow f ON f.dst = p.host",
                "SELECT t.id FROM tap t JOIN node n ON n.name = t.to_node "
                "ORDER BY 1",
                "SELECT count(*) FROM link l JOIN node n ON n.name = l.a",
                "SELECT h.position FROM hop h JOIN node n USING(device_id) "
                "ORDER BY h.rowid",
                "SELECT count(*) FROM event", "SELECT count(*) FROM bin"):
            self.assertEqual(column(path, sql), column(other, sql), sql)

    def check(self, scenario, *words):
        path = self.simulated(scenario, *words)
        self.assert_silent(path)
        self.assert_same(path, self.folder / "out.db")

    def test_roce(self):
        self.check("two_taps")

    def test_pauses(self):
        self.check("storm")

    def test_ultra_ethernet(self):
        self.check("uet_and_roce")

    def test_topology(self):
        self.check("ifa_hot_hop", "--topology", "acme.ini")
        kinds = {ipaddress.ip_address(row[0]).is_private for row in
                 column(self.folder / "out.db", "SELECT src FROM flow")}
        self.assertEqual(kinds, {True})

    def test_connections(self):
        name = self.capture("d07_cm.pa.pcap")
        self.run_here("analyze", "-o", "in.db", name)
        self.assert_silent(self.folder / "in.db")

    def test_analyze(self):
        """What is written and what is printed; no word of the command line
        that names something is in either."""
        name = self.capture("d11_drop_every_400.pa.pcap")
        for words in ((), ("--json",)):
            status, out, err = self.run_here(
                "analyze", "--anonymize-key", "key", "--filter", "udp",
                "--tap", f"acmetap={name}", *words)
            self.assertEqual(status, 0, err)
            for octets in (out.encode(),
                           (self.folder / "anonymous.fabscope.db")
                           .read_bytes()):
                for secret in (b"10.9.0.", b"acmetap", b"d11_drop"):
                    self.assertNotIn(secret, octets)
        self.assertEqual(json.loads(out)["database"], "anonymous.fabscope.db")
        self.assertEqual(self.files(), ["acme.ini", "anonymous.fabscope.db",
                                        name, "key"])

    def test_keys(self):
        """One key: the same pseudonyms; no key: others every time."""
        name = self.capture("d11_drop_every_400.pa.pcap")
        self.run_here("analyze", "-o", "in.db", name)
        words = ("query", "in.db", "flows", "--format", "csv")
        same = {self.run_here(*words, "--anonymize-key", "key")[1]
                for _ in range(2)}
        other = {self.run_here(*words, "--anonymize")[1] for _ in range(2)}
        self.assertEqual(len(same), 1)
        self.assertEqual(len(other | same), 3)
        self.write("short", b"short")
        for path in ("short", "nothing"):
            status, out, err = self.run_here(*words, "--anonymize-key", path)
            self.assertEqual((status, out), (1, ""))
            self.assertIn(path, self.one_line(err))

    def test_every_command_has_an_answer(self):
        """What is told of a result is told under pseudonyms; of the commands
        that read one, only the dashboard shows original names; judge and
        import write databases, and plan partial results, that are as private
        as what they read."""
        told = re.findall(r"^  ([a-z]+) ", self.run_here("--help")[1], re.M)
        self.assertIn("export", told)
        for command in told:
            out = self.run_here(command, "--help")[1]
            if re.search(r"\b(DB|CAPTURE)\b", out) and command not in (
                    "tui", "live", "judge", "import", "plan", "help"):
                self.assertIn("--anonymize", out, command)

    def test_a_foreign_database(self):
        """Texts where numbers belong, octets that are no text."""
        name = self.capture("d05_atomic.pa.pcap")
        self.run_here("analyze", "-o", "in.db", name)
        with sqlite3.connect(self.folder / "in.db") as db:
            db.execute("UPDATE flow SET dst_qp = 'of 10.9.0.1', packets = "
                       "'10.9.0.1', epoch = x'31302e392e302e31', src = "
                       "'acmehost', src_qp = 1 << 40")
            db.execute("UPDATE tap SET name = x'61636d65'")
            db.execute("INSERT INTO meta VALUES('where', '10.9.0.1')")
        out = self.made("export", "--format", "db", "-o",
                        "out.db").read_bytes()
        for secret in (b"10.9.0.1", b"acme"):
            self.assertNotIn(secret, out)
        self.assertEqual(column(self.folder / "out.db",
                                "SELECT DISTINCT src_qp FROM flow"),
                         [(None,)])


if __name__ == "__main__":
    program.main()
