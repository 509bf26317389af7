#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""fabscope query: the catalogue, its formats, its refusals."""
import csv
import io
import json
import re
import sqlite3

import program

LOSSY = "d11_drop_every_400.pa.pcap"


class Query(program.Case):
    def setUp(self):
        super().setUp()
        self.capture(LOSSY)
        self.assertEqual(self.run_here("analyze", "-o", "a.db", LOSSY)[0], 0)

    def query(self, *words, **options):
        status, out, err = self.run_here("query", "a.db", *words, **options)
        self.assertEqual((status, err), (0, ""))
        return out

    def sql(self, text):
        with sqlite3.connect(self.folder / "a.db") as db:
            rows = db.execute(text).fetchall()
        db.close()
        return rows

    def test_every_query_without_a_parameter_answers(self):
        names = []
        for line in self.run_here("query", "--list")[1].splitlines():
            if not line.startswith("  "):
                continue  # a topic
            name = line.split()[0]
            about = self.run_here("query", "--describe", "a.db", name)[1]
            self.assertTrue(about.startswith(name + ": "), about)
            if "required" not in about:
                names.append(name)
        self.assertGreater(len(names), 10)
        self.assertIn("flows", names)
        everything = self.run_here("query", "--list", "--all")[1]
        names += re.findall(r"^  (verdict/\S+)", everything, re.M)
        self.assertIn("verdict/findings", names)
        for name in program.some(names):
            json.loads(self.query(name, "--format", "json"))

    def test_list_by_topic(self):
        """Each shipped query is under one topic and not among others."""
        out = self.run_here("query", "--list")[1]
        names = re.findall(r"^  (\S+)", out, re.M)
        shipped = {p.stem for p in (program.ROOT / "queries" / "ask").glob("*.sql")}
        self.assertEqual((len(names), set(names)), (len(shipped), shipped))
        topics = re.findall(r"^\S.*", out, re.M)
        self.assertGreater(len(topics), 8)
        self.assertNotIn("Others", topics)
        self.assertEqual(self.query(), out)  # for a database, the same

    def test_list_is_searched(self):
        out = self.run_here("query", "--list", "pause", "storm")[1]
        self.assertEqual(re.findall(r"^  (\S+)", out, re.M), ["storms"])
        # a database before the words is no word
        self.assertEqual(self.run_here("query", "a.db", "--list", "pause",
                                       "storm")[1], out)
        status, out, err = self.run_here("query", "--list", "nonsense")
        self.assertEqual((status, out), (2, ""))
        self.one_line(err)

    def test_own_sql_has_units(self):
        """By the names that the schema gives its columns."""
        (self.folder / "own.sql").write_text(
            "SELECT kind, ns, dst_qp, psn FROM v_loss ORDER BY id LIMIT 1")
        kind, ns, qp, psn = self.sql(
            "SELECT kind, ns, dst_qp, psn FROM v_loss ORDER BY id LIMIT 1")[0]
        self.assertEqual(kind, "loss_downstream")
        shown = self.query("own.sql").splitlines()[-1]
        self.assertRegex(shown, rf"^lost downstream +.*\d\d:\d\d:\d\d\.\d+"
                                rf".* 0x{qp:06x} +{psn}$")
        self.assertEqual(self.query("own.sql", "--format", "csv").split()[1],
                         f"{kind},{ns},{qp},{psn}")

    def test_a_file_is_asked(self):
        """Plain SQL, and with a header: units, parameters, other queries."""
        self.write("plain.sql", b"SELECT count(*) AS n FROM flow")
        self.assertEqual(self.query("plain.sql", "--format", "csv").split(),
                         ["n", str(self.sql("SELECT count(*) FROM flow")[0][0])])
        self.write("mine.sql", b"-- How many?\n-- param least count 0  at "
                   b"least\n-- column n count  flows\n-- uses flow-once\n"
                   b"SELECT count(*) + :least AS n FROM flow")
        self.assertEqual(self.query("mine.sql", "-p", "least=5", "--format",
                                    "csv").split(),
                         ["n", str(len(self.sql("SELECT 1 FROM flow")) + 5)])
        self.write("bad.sql", b"DELETE FROM flow")
        self.assertEqual(self.run_here("query", "a.db", "bad.sql")[0], 1)
        status, _, err = self.run_here("query", "a.db", "none.sql")
        self.assertNotEqual(status, 0)
        self.assertIn("none.sql", self.one_line(err))

    def test_views(self):
        """What they join is what the tables have, for any SQLite."""
        for view, table in (("v_flow", "flow"), ("v_event", "event"),
                            ("v_message", "message"), ("v_pause", "pause"),
                            ("v_finding", "finding")):
            count = "SELECT count(*), count(DISTINCT id) FROM "
            self.assertEqual(self.sql(count + view), self.sql(count + table))
        self.write("v.sql", b"SELECT src, dst, dst_qp, psn FROM v_loss "
                   b"ORDER BY id")
        lost = self.sql("SELECT f.src, f.dst, f.dst_qp, e.psn FROM event e "
                        "JOIN flow f ON f.id = e.flow_id "
                        "WHERE e.kind LIKE 'loss_%' ORDER BY e.id")
        self.assertGreater(len(lost), 5)
        rows = list(csv.reader(io.StringIO(
            self.query("v.sql", "--format", "csv"))))[1:]
        self.assertEqual([tuple(row) for row in rows],
                         [tuple(map(str, row)) for row in lost])

    def test_expanded(self):
        out = self.query("flows", "--expanded")
        rows = json.loads(self.query("flows", "--format", "json"))
        self.assertEqual(len(out.strip().split("\n\n")),
                         len(self.sql("SELECT 1 FROM flow")))
        self.assertRegex(out, r"(?m)^ +src  10\.9\.0\.[12]$")
        self.assertTrue(rows)

    def test_formats_have_the_same_cells(self):
        rows = list(csv.DictReader(io.StringIO(
            self.query("slice/flow", "--param", "id=1", "--format", "csv"))))
        document = json.loads(self.query("slice/flow", "--param", "id=1",
                                         "--format=json"))
        truth = self.sql("SELECT src, dst, dst_qp FROM flow "
                         "WHERE id = 1 OR peer_flow_id = 1")
        self.assertEqual([(r["src"], r["dst"], int(r["dst_qp"]))
                          for r in rows], truth)
        self.assertIn(truth[0][0], json.dumps(document))

    def test_wrong_parameters(self):
        for words in (["slice/flow"], ["slice/flow", "-p", "id=x"],
                      ["slice/flow", "-p", "id"], ["slice/flow", "-p", "k=1"]):
            status, out, err = self.run_here("query", "a.db", *words)
            self.assertEqual((status, out), (2, ""), words)
            self.one_line(err)

    def test_own_queries_win_and_cannot_write(self):
        own = self.folder / "own"
        own.mkdir()
        (own / "mine.sql").write_text("-- How many flows?\n"
                                      "SELECT count(*) AS n FROM flow\n")
        (own / "bad.sql").write_text("-- Gone?\nDELETE FROM flow\n")
        env = {"FABSCOPE_QUERIES": str(own)}
        self.assertIn("How many flows?",
                      self.run_here("query", "--list", env=env)[1])
        out = self.query("mine", "--format", "csv", env=env)
        self.assertEqual(out.split(),
                         ["n", str(self.sql("SELECT count(*) FROM flow")[0][0])])
        status, _, err = self.run_here("query", "a.db", "bad", env=env)
        self.assertEqual(status, 1)
        self.assertIn("read", self.one_line(err))
        self.assertGreater(self.sql("SELECT count(*) FROM flow")[0][0], 0)

    def test_hostile_cells(self):
        with sqlite3.connect(self.folder / "a.db") as db:
            db.execute("UPDATE tap SET name = 'x' || char(27) || '[2Jy'")
        db.close()
        self.assertNotIn("\033", self.query("taps"))


if __name__ == "__main__":
    program.main()
