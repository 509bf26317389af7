# SPDX-License-Identifier: GPL-2.0-or-later
"""Simulated runs of a campaign, and the values that its report has of them."""
import csv
import json

import program


class Runs(program.Case):
    title = "runs"

    def setUp(self):
        super().setUp()
        self.text = ["[campaign]", f"title = {self.title}", "[dut]",
                     "accelerator-rate = 100G"]

    def simulate(self, name, scenario, seed, groups=()):
        (self.folder / f"{name}.fab").write_text(scenario)
        status, _, err = self.run_here("simulate", f"{name}.fab", "-w",
                                       f"{name}.pcapng", "--seed", str(seed),
                                       "--evidence", f"{name}.d")
        self.assertEqual(status, 0, err)
        topology = self.folder / f"{name}.d" / "topology.ini"
        topology.write_text(topology.read_text() + "".join(groups))
        status, _, err = self.run_here(
            "analyze", f"{name}.pcapng", "-o", f"{name}.db", "--topology",
            f"{name}.d/topology.ini")
        self.assertEqual(status, 0, err)
        return json.loads((self.folder / f"{name}.truth.json").read_text())

    def run_of(self, name, **keys):
        self.text += [f"[run {name}]", f"file = {name}.db"] + [
            f"{k.replace('_', '-')} = {v}" for k, v in keys.items()]

    def values(self):
        (self.folder / "c.ini").write_text("\n".join(self.text) + "\n")
        got = self.run_here("campaign", "c.ini", "-o", "c.html",
                            "--csv-output", "c.csv")
        self.assertIn(got[0], (0, 3), got)
        with open(self.folder / "c.csv", newline="") as f:
            return {(r["test"], r["run"], r["metric"]): r["value"]
                    for r in csv.DictReader(f) if r["scope"] == "run"}
