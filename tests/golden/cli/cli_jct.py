#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""fabscope jct: against what made the capture."""
import json

import program
from cli_analyze import faults

RING = "job_compute_late.fab"  # 8 ranks, 256 KiB, 150 us; rank 5 is late

SOFT = "d11_drop_every_400.pa.pcap"


class Jct(program.Case):
    def document(self, *words):
        status, out, err = self.run_here("jct", "a.db", "--json", *words)
        self.assertEqual((status, err), (0, ""))
        return json.loads(out)

    def ring(self, name=RING):
        scenario = program.ROOT / "captures" / "scenarios" / name
        self.assertEqual(self.run_here("simulate", str(scenario), "-w",
                                       "a.pcapng")[0], 0)
        self.assertEqual(self.run_here("analyze", "-o", "a.db",
                                       "a.pcapng")[0], 0)

    def test_a_job_with_a_late_rank(self):
        self.ring()
        document = self.document("--compute", "150us", "--size", "262144")
        schema = json.loads(
            (program.ROOT / "docs" / "jct.schema.json").read_text())
        self.assertEqual(list(faults(document, schema)), [])
        job, = document["jobs"]
        self.assertEqual((job["ranks"], job["iterations"], job["pattern"]),
                         (8, 12, "ring"))
        # 12 x (150 us + 2 x 7/8 x 256 KiB at 100 Gb/s)
        self.assertAlmostEqual(job["roofline_ns"],
                               12 * (150000 + 1.75 * 262144 * 8 / 100), -3)
        self.assertAlmostEqual(job["jct_ratio"],
                               (job["jct_ns"] + 150000)
                               / job["roofline_ns"], 3)
        self.assertAlmostEqual(sum(c["share"] for c in document["causes"]), 1)
        late = [r["host"] for r in document["ranks"] if r["straggler"]]
        self.assertEqual(late, ["10.0.0.6"])
        self.assertIsNone(self.document()["jobs"][0]["jct_ratio"])
        status, out, err = self.run_here("jct", "a.db")
        self.assertEqual((status, err), (0, ""))
        self.assertIn("10.0.0.6 (rank 5): late by itself in 8 of 12", out)
        self.assertIn("(estimated)", out)

    def test_causes_of_next_to_nothing_are_not_printed(self):
        self.ring("job_compute_late.fab")
        small = [c for c in self.document()["causes"] if c["share"] < 0.0005]
        self.assertTrue(small)  # otherwise this shows nothing
        out = self.run_here("jct", "a.db")[1]
        self.assertNotIn(" 0.0 %", out)
        # without the late rank the job takes 37.5 % less
        self.assertIn(" 37.5 %", out)

    def test_too_few_phases_to_compare_have_no_factor(self):
        self.ring("two_jobs.fab")
        for pair in self.document()["interference"]:
            self.assertLess(min(pair["phases_with"], pair["phases_without"]),
                            20)
            self.assertIsNone(pair["factor"])
        out = self.run_here("jct", "a.db")[1]
        self.assertIn("n/a - needs 20 phases of each kind (", out)
        self.assertNotIn("factor 0", out)

    def test_what_is_no_job_is_not_guessed(self):
        self.capture(SOFT)
        self.assertEqual(self.run_here("analyze", "-o", "a.db", SOFT)[0], 0)
        for job in self.document()["jobs"]:
            self.assertIsNone(job["iterations"])
            self.assertTrue(job["why_not"])
        self.assertIn("not identifiable", self.run_here("jct", "a.db")[1])

    def test_nonsense_is_refused(self):
        self.capture(SOFT)
        self.assertEqual(self.run_here("analyze", "-o", "a.db", SOFT)[0], 0)
        self.assertEqual(self.run_here("jct", "a.db", "--size", "much")[0], 2)
        self.assertEqual(self.run_here("jct", "b.db")[0], 1)
        self.assertEqual(self.run_here("jct")[0], 2)


if __name__ == "__main__":
    program.main()
