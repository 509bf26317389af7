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

    def test_pauses(self):
        """Packets sent into a pause of their priority, from the times of the
        pause table and the native fields, in either pass."""
        path = self.simulate("pause_victims")
        with contextlib.closing(sqlite3.connect(self.analyse(path))) as db:
            pauses = db.execute(
                "SELECT tap.name, source_mac, priority, pause.first_ns,"
                "       pause.last_ns, frame FROM pause"
                "  JOIN tap ON tap.id = tap_id").fetchall()
        names = ["frame.time_epoch", "frame.interface_name", "eth.dst",
                 "ip.dsfield.dscp", "fabscope.pause", "fabscope.packet"]
        once = plugin.fields(path, names, *SPEED)
        self.assertEqual(once, plugin.fields(path, names, "-2", *SPEED))
        paused = 0
        for frame, c in once.items():
            if "fabscope.packet" not in c:
                continue
            now, port = ns(c[names[0]]), c["eth.dst"][0]
            # a pause may end in the very nanosecond of a packet
            asked = {row[5]: row[3] < now < row[4] for row in pauses
                     if row[:2] == (c[names[1]][0], port) and
                     row[2] == int(c[names[3]][0]) // 8 and
                     row[3] <= now <= row[4]}
            told = c.get("fabscope.pause")
            if told:
                self.assertIn(int(told[0]), asked, frame)
                paused += 1
            else:
                self.assertFalse(any(asked.values()), frame)
        self.assertGreater(paused, 100)
        ours = plugin.notes(path)
        self.assertEqual(
            {f: str(v["pause"]) for f, v in ours.items() if v["pause"]},
            {f: c["fabscope.pause"][0] for f, c in once.items()
             if "fabscope.pause" in c})

    def test_tags_reflected(self):
        """An answer tells the tag of the packet it answers."""
        path = self.simulate("csig")
        names = ["csig.t", "csig.s", "csig.lm", "fabscope.response_to",
                 "fabscope.csig.signal", "fabscope.csig.value",
                 "fabscope.csig.locator"]
        cells = plugin.fields(path, names)
        told = 0
        for frame, c in cells.items():
            if names[3] not in c:
                continue
            asked = cells[int(c[names[3]][0])]
            self.assertEqual(
                (frame, [c.get(name) for name in names[4:]]),
                (frame, [[str(int(asked[name][0], 0))] if name in asked
                         else None for name in names[:3]]))
            told += names[4] in c
        self.assertGreater(told, 50)

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
