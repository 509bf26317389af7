#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Marks, CNPs, stalls and pauses: what the database has, at the frame."""
import contextlib
import sqlite3
import unittest

import plugin

SPEED = ("-o", "fabscope.link_speed:100")  # as the scenarios say


def ns(cell):
    seconds, fraction = cell[0].split(".")
    return int(seconds) * 10**9 + int(fraction)


class Congestion(plugin.Case):
    def rows(self, path, sql):
        with contextlib.closing(sqlite3.connect(self.analyse(path))) as db:
            return {row[0]: row[1:] for row in db.execute(sql)}

    def test_cnps(self):
        path = self.simulate("incast_dcqcn")
        ours = self.rows(path, "SELECT frame, flow_id, latency_min_ns,"
                               "       latency_max_ns, reaction FROM cnp")
        self.assertGreater(len(ours), 10)
        names = ["fabscope.cnp.flow", "fabscope.cnp.latency_min",
                 "fabscope.cnp.latency_max", "fabscope.cnp.reaction",
                 "fabscope.cnp.mark"]
        theirs = plugin.fields(path, names, "-2", "-Y", "roce.bth.becn == 1")
        ecn = plugin.fields(path, ["ip.dsfield.ecn"], plugins="")
        self.assertEqual(ours.keys(), theirs.keys())
        for frame, (flow, least, most, reaction) in ours.items():
            cells = theirs[frame]
            self.assertEqual((frame, cells[names[0]], ns(cells[names[1]]),
                              ns(cells[names[2]]), cells.get(names[3])),
                             (frame, [str(flow)], least, most,
                              reaction and [reaction]))
            marked = int(cells[names[4]][0])
            self.assertEqual(ecn[marked]["ip.dsfield.ecn"], ["3"])
        once = plugin.fields(path, names[4:], "-Y", "roce.bth.becn == 1")
        self.assertEqual({f: c[names[4]] for f, c in theirs.items()},
                         {f: c[names[4]] for f, c in once.items()})

    def test_stalls(self):
        path = self.simulate("pause_victims")
        ours = self.rows(path, "SELECT frame, cause, last_ns - first_ns"
                               "  FROM stall WHERE frame IS NOT NULL")
        self.assertGreater(len(ours), 10)
        theirs = plugin.fields(path, ["fabscope.stall",
                                      "fabscope.stall.time"], "-2", *SPEED,
                               "-Y", "fabscope.stall")
        self.assertEqual(ours, {
            frame: (cells["fabscope.stall"][0],
                    ns(cells["fabscope.stall.time"]))
            for frame, cells in theirs.items()})

    def test_statistics(self):
        path = self.simulate("pause_victims")
        for statistic, query in (("pfc", "pauses"), ("cnp", "cnps"),
                                 ("balance", "balance")):
            status, out, err = plugin.tshark(
                "-q", "-r", path, *SPEED, "-z", f"fabscope,{statistic}")
            self.assertEqual((status, err), (0, ""))
            ours = plugin.fabscope("query", self.analyse(path), query)
            self.assertEqual(
                [line.split() for line in out.strip().splitlines()[1:]],
                [line.split() for line in ours.strip().splitlines()])


if __name__ == "__main__":
    plugin.main()
