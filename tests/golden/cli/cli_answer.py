#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""One answer: it adds up, and nothing else that is printed contradicts it.

What really happened is known: the scenarios say it."""
import json
import re
import sqlite3

import program

FIRST = {"network": "It was the network", "host": "It was a host",
         "both": "It was both", "nothing-wrong": "Nothing was wrong",
         "undetermined": "Undetermined"}

# What each scenario allows: a network that acted must not be acquitted, one
# that did not must not be accused.
ALLOWED = {
    "storm_watchdog": {"host"},
    "job_paused": {"network", "undetermined"},
    "job_loss": {"network"},
    "two_jobs": {"network", "undetermined"},
    "job_ecmp": {"network", "undetermined", "nothing-wrong"},
    "ecmp_collision": {"network", "undetermined"},
    "job_ring": {"nothing-wrong", "undetermined"},
    "slow_rank": {"host", "undetermined"},
}


class Answer(program.Case):
    def analyzed(self, scenario):
        path = program.ROOT / "captures" / "scenarios" / (scenario + ".fab")
        self.run_here("simulate", str(path), "-w", "x.pcapng")
        out = self.run_here("analyze", "-o", "x.db", "x.pcapng")[1]
        document = json.loads(self.run_here(
            "analyze", "--json", "-o", "x.db", "x.pcapng")[1])
        db = sqlite3.connect(self.folder / "x.db")
        db.row_factory = sqlite3.Row
        self.addCleanup(db.close)
        return out, document, db

    def test_answers(self):
        for scenario, allowed in ALLOWED.items():
            with self.subTest(scenario=scenario):
                out, document, db = self.analyzed(scenario)
                self.adds_up(document, db)
                self.is_the_first_line(out, document)
                self.is_not_contradicted(document)
                self.causes_come_first(document)
                self.assertIn(document["answer"][0]["verdict"], allowed)

    def adds_up(self, document, db):
        jobs = [r["id"] for r in db.execute("SELECT id FROM job ORDER BY id")]
        answers = document["answer"]
        slow = answers[1 + len(jobs):]
        self.assertEqual([a["job"] for a in answers[:1 + len(jobs)]],
                         [None] + jobs)
        self.assertEqual(answers[0]["total_ns"],
                         sum(a["total_ns"] for a in answers[1:1 + len(jobs)]))
        for a in slow:
            self.assertEqual(a["scope"], "iteration")
            self.assertEqual(a["total_ns"], db.execute(
                "SELECT sum(last_ns - first_ns + ifnull(gap_ns, 0))"
                "  FROM phase WHERE job = ? AND iteration = ?",
                (a["job"], a["iteration"])).fetchone()[0])
        for a in answers:
            sides = dict.fromkeys(("needed", "network", "host", "unknown"), 0)
            for share in a["shares"]:
                self.assertGreaterEqual(share["ns"], 0)
                sides[share["side"]] += share["ns"]
            self.assertEqual(sum(sides.values()), a["total_ns"])
            self.assertEqual((sides["network"], sides["host"],
                              sides["unknown"]),
                             (a["network_ns"], a["host_ns"], a["unknown_ns"]))
            caused = a["network_ns"] + a["host_ns"]
            self.assertLessEqual(caused, a["excess_ns"])
            self.assertLessEqual(a["excess_ns"], caused + a["unknown_ns"])

    def is_the_first_line(self, out, document):
        first = re.split(r"\n\n|\n  Jobs? ", out)[0]
        first = re.sub(r"\s+", " ", first).strip()
        answer = document["answer"][0]
        self.assertEqual(first, document["verdict"])
        self.assertEqual(first, f"{FIRST[answer['verdict']]} "
                                f"({100 * answer['confidence']:.0f} %): "
                                f"{answer['reason']}")

    def is_not_contradicted(self, document):
        if document["answer"][0]["verdict"] in ("network", "both",
                                                "undetermined"):
            self.assertNotIn("ok", {f["severity"]
                                    for f in document["findings"]})

    def causes_come_first(self, document):
        seen = set()
        for finding in document["findings"]:
            if finding["caused_by"] is not None:
                self.assertIn(finding["caused_by"], seen)
            seen.add(finding["id"])

    def test_a_storm_is_above_what_it_caused(self):
        _, document, _ = self.analyzed("storm_watchdog")
        rules = {f["id"]: f["rule"] for f in document["findings"]}
        storm = document["findings"][0]
        self.assertEqual(storm["rule"], "pause-storm")
        caused = {f["rule"] for f in document["findings"]
                  if rules.get(f["caused_by"]) == "pause-storm"}
        self.assertLessEqual({"unanswered", "pause-victims",
                              "pause-watchdog"}, caused)
        self.assertEqual(document["answer"][0]["cause"], "pause")

    def test_nothing_to_measure_has_no_confidence(self):
        for packets in ((), ((1, bytes(60)),) * 120):
            self.write("x.pcap", program.pcap(*packets))
            out = self.run_here("analyze", "-o", "x.db", "x.pcap")[1]
            self.assertTrue(out.startswith(
                "Undetermined: no packet of RoCE or Ultra Ethernet"), out)
            document = json.loads(self.run_here(
                "analyze", "--json", "-o", "x.db", "x.pcap")[1])
            self.assertEqual(document["answer"][0]["confidence"], 0)

    def test_five_lost_packets_are_one_screen(self):
        self.capture("d12_drop_tail_timeout.pa.pcap")
        out = self.run_here("analyze", "d12_drop_tail_timeout.pa.pcap")[1]
        self.assertLess(len(out.splitlines()), 60)
        self.assertEqual(len(re.findall(r"packets lost", out)), 1)


if __name__ == "__main__":
    program.main()
