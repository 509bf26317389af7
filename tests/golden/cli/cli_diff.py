#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""fabscope diff: what changed beyond noise, by what the simulator changed."""
import json

import program
from cli_analyze import faults

SCENARIOS = program.CAPTURES / "scenarios"
SCHEMA = json.loads((program.ROOT / "docs" / "diff.schema.json").read_text())


class Diff(program.Case):
    def result(self, scenario, seed, name, change=None):
        """A database of |scenario|, a file with |change| = (old, new) in it."""
        text = (SCENARIOS / f"{scenario}.fab").read_text()
        if change:
            self.assertIn(change[0], text)
            text = text.replace(*change)
        self.write(f"{name}.fab", text.encode())
        for words in (["simulate", f"{name}.fab", "--seed", seed, "-w",
                       f"{name}.pcapng"],
                      ["analyze", "-o", f"{name}.db", f"{name}.pcapng"]):
            status, _, err = self.run_here(*words)
            self.assertEqual(status, 0, err)
        return f"{name}.db"

    def truth(self, name):
        return json.loads((self.folder / f"{name}.truth.json").read_text())

    def diff(self, a, b):
        status, out, err = self.run_here("diff", "--json", a, b)
        self.assertEqual((status, err), (0, ""))
        document = json.loads(out)
        self.assertEqual(list(faults(document, SCHEMA)), [])
        return document

    def differ(self, document):
        return {(t["metric"], t["subject"]) for t in document["tests"]
                if t["verdict"] == "different"}

    def test_the_same_twice_is_no_difference(self):
        a = self.result("loss_after_tap", 1, "a")
        b = self.result("loss_after_tap", 1, "b")
        document = self.diff(a, b)
        self.assertTrue(document["summary"]["identical"])
        self.assertEqual({t["verdict"] for t in document["tests"]}, {"same"})
        self.assertEqual({k["verdict"] for k in document["kpis"]}, {"same"})
        self.assertEqual({f["verdict"] for f in document["findings"]},
                         {"same"})
        self.assertIn("No difference: ", self.run_here("diff", a, b)[1])

    def test_twice_the_work_is_said(self):
        """Twice as many iterations: the time is that of as many as in A, and
        what B took stands beside it."""
        a = self.result("job_ring", 1, "a")
        b = self.result("job_ring", 1, "b", ("iterations=12", "iterations=24"))
        took = {}
        for name in "ab":
            out = self.run_here("analyze", "--json", "-o", f"{name}.db",
                                f"{name}.pcapng")[1]
            took[name] = json.loads(out)["answer"][0]["total_ns"]
        for answer in self.diff(a, b)["answers"]:
            self.assertAlmostEqual(answer["work"], 2, delta=0.1)
            self.assertEqual(answer["a_total_ns"], took["a"])
            self.assertEqual(answer["b_whole_ns"], took["b"])
            self.assertAlmostEqual(answer["b_total_ns"] * answer["work"],
                                   took["b"], delta=2)
        self.assertIn("for the same work: B did 2 times the work of A, in ",
                      " ".join(self.run_here("diff", a, b)[1].split()))

    def test_nothing_is_no_difference(self):
        for name in "ab":
            self.write(f"{name}.pcap", program.pcap())
            self.run_here("analyze", "-o", f"{name}.db", f"{name}.pcap")
        self.assertTrue(self.diff("a.db", "b.db")["summary"]["identical"])

    def test_another_seed_is_noise(self):
        for scenario in ("clean", "spray_all_links"):
            a = self.result(scenario, 1, "a")
            b = self.result(scenario, 2, "b")
            document = self.diff(a, b)
            self.assertFalse(document["summary"]["identical"], scenario)
            self.assertEqual(self.differ(document), set(), scenario)
            self.assertGreater(document["summary"]["tests"], 4, scenario)
            self.assertIn("No statistically significant difference",
                          self.run_here("diff", a, b)[1])

    def test_ecmp_against_spray_shows(self):
        a = self.result("spray_all_links", 1, "a",
                        ("balance=spray", "balance=ecmp"))
        b = self.result("spray_all_links", 1, "b")
        document = self.diff(a, b)
        loads = {s for m, s in self.differ(document) if m == "load of a link"}
        self.assertEqual(loads, {"u1", "u2", "u3", "u4"})
        self.assertEqual({f["matched_by"] for f in document["flows"]},
                         {"number"})
        appeared = {f["rule"] for f in document["findings"]
                    if f["verdict"] == "appeared"}
        self.assertIn("reordering-tolerated", appeared)
        # and the other way round it vanishes
        disappeared = {f["rule"] for f in self.diff(b, a)["findings"]
                    if f["verdict"] == "disappeared"}
        self.assertEqual(appeared, disappeared)

    def marked(self, name):
        """Of the data that arrived, what switches marked."""
        flows = self.truth(name)["flows"]
        data = [f["classes"]["request"] for f in flows
                if f["classes"].get("request", {}).get("sent")]
        return sum(c.get("marked", 0) for c in data) / \
            sum(c["delivered"] for c in data)

    def test_other_ecn_thresholds_show(self):
        a = self.result("incast_dcqcn", 1, "a")
        b = self.result("incast_dcqcn", 1, "b",
                        ("kmin=100K kmax=400K pmax=0.5",
                         "kmin=400K kmax=1600K pmax=0.2"))
        document = self.diff(a, b)
        self.assertEqual({m for m, _ in self.differ(document)},
                         {"CE share of a flow"})
        kpi, = (k for k in document["kpis"] if k["verdict"] == "different" and
                k["name"] == "ECN marking ratio of ECN-capable data")
        for side in "ab":
            self.assertAlmostEqual(kpi[side], 100 * self.marked(side), 1)

    def test_a_job_that_collides_no_more(self):
        """Twelve iterations a side tell them apart, where the truth has the
        slowest of one before the fastest of the other; another seed does
        not."""
        a = self.result("job_ecmp", 1, "a")
        again = self.result("job_ecmp", 2, "again")
        b = self.result("job_sprayed", 1, "b")
        took = {name: [i["to_ns"] - i["comm_from_ns"]
                       for i in self.truth(name)["iterations"] if i["to_ns"]]
                for name in "ab"}
        self.assertLess(max(took["b"]), min(took["a"]))
        better = {t["metric"]: t["better"] for t in self.diff(a, b)["tests"]
                  if t["verdict"] == "different"}
        for metric in ("communication phase", "iteration, begin to begin"):
            self.assertEqual(better.get(metric), "b", metric)
        self.assertEqual(self.differ(self.diff(a, again)), set())

    def test_other_hosts_are_said(self):
        a = self.result("clean", 1, "a")
        b = self.result("uet_rud_sack", 1, "b")
        document = self.diff(a, b)
        remarks = " ".join(q["remark"] or "" for q in document["comparability"])
        self.assertIn("another transport", remarks)
        self.assertIn("no flow is in both", remarks)
        self.assertIn("counts are compared per second", remarks)

    def test_queue_pairs_with_other_numbers_are_known_by_role(self):
        a = self.result("spray_all_links", 1, "a")
        b = self.result("spray_all_links", 1, "b",
                        ("qp a h1 h5 count=4", "qp z h2 h6\nqp a h1 h5 count=4"))
        by = {f["matched_by"] for f in self.diff(a, b)["flows"]}
        self.assertIn("role", by)

    def test_refusals(self):
        a = self.result("clean", 1, "a")
        self.write("x.db", b"SQLite format 3\0" + b"\0" * 100)
        for words in ([a, "x.db"], ["x.db", a], [a, "gone.db"]):
            status, out, err = self.run_here("diff", *words)
            self.assertEqual((status, out), (1, ""))
            self.one_line(err)
        self.assertEqual(self.run_here("diff", a)[0], 2)


if __name__ == "__main__":
    program.main()
