#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""-z fabscope,...: the same answers as fabscope query."""
import itertools
import re
import unittest

import plugin


def flows_by_hand(path):
    """(src, dst, QP) -> packets, counted from the native fields."""
    count = {}
    for cells in plugin.fields(path, ["ip.src", "ip.dst",
                                      "infiniband.bth.destqp"],
                               plugins="").values():
        if "infiniband.bth.destqp" in cells:
            key = tuple(cells[n][0] for n in sorted(cells))
            count[key] = count.get(key, 0) + 1
    return count


# Each with something to show in it: a capture, or a scenario.
SHOWN = {"flows": "d11_drop_every_400.pa", "findings": "incast_dcqcn",
         "cnp": "incast_dcqcn", "pfc": "heavy_pause", "balance": "adaptive",
         "pdc": "uet_rod_loss"}
QUERIES = {"cnp": "cnps", "pfc": "pauses", "pdc": "pdcs"}


class Statistics(plugin.Case):
    def printed(self, path, *words):
        status, out, err = plugin.tshark("-q", "-r", path, *words)
        self.assertEqual((status, err), (0, ""))
        return out.strip().splitlines()

    def same(self, path, statistic, query):
        """Line by line the table of the program."""
        theirs = self.printed(path, "-z", f"fabscope,{statistic}")
        ours = plugin.fabscope("query", self.analyse(path), query)
        self.assertEqual([line.split() for line in theirs[1:]],
                         [line.split() for line in ours.splitlines()])
        return len(theirs)

    def test_flows(self):
        path = self.capture(plugin.CAPTURES / "d11_drop_every_400.pa.pcap")
        self.same(path, "flows", "flows")
        printed = "\n".join(self.printed(path, "-z", "fabscope,flows"))
        counts = flows_by_hand(path)
        self.assertEqual(len(counts), 4)
        for key, n in counts.items():
            self.assertRegex(printed, rf"{key[2]} .* {n:,}|{key[2]} .* {n}")

    def test_findings(self):
        for name in ("d12_drop_tail_timeout.pa.pcap",
                     "d04_write_lat.pa.pcap"):
            path = self.capture(plugin.CAPTURES / name)
            self.same(path, "findings", "findings")
        words = ("-z", "fabscope,findings")
        path = self.folder / "d12_drop_tail_timeout.pa.pcap"
        self.assertEqual(self.printed(path, *words),
                         self.printed(path, "-2", *words))

    def test_each(self):
        """As text, and as the tables of the menu."""
        for name, where in SHOWN.items():
            path = plugin.CAPTURES / f"{where}.pcap"
            path = (self.capture(path) if path.exists()
                    else self.simulate(where))
            with self.subTest(name):
                self.assertGreater(
                    self.same(path, name, QUERIES.get(name, name)), 3)
                text = self.printed(path, "-z", f"fabscope,{name}")[3:]
                table = self.printed(path, "-z", f"fabscope_table,{name}")
                # no names of columns of the database
                self.assertNotRegex("".join(table[:5]), r"\w_\w")
                rows = [line.rstrip("|").replace(" |", " ")
                        for line in table[5:-1]]
                for row, line in itertools.zip_longest(rows, text):
                    # text is cut where a column is too narrow
                    want = r"\s+".join(
                        re.escape(word[:-2]) + ".*?" if word.endswith("..")
                        else re.escape(word) for word in line.split())
                    self.assertRegex(row.strip(), f"^{want}$")

    def test_any_question_of_the_catalogue(self):
        path = self.capture(plugin.CAPTURES / "d12_drop_tail_timeout.pa.pcap")
        self.same(path, "timeouts", "timeouts")

    def test_no_such_question(self):
        path = self.capture(plugin.CAPTURES / "d05_atomic.pa.pcap")
        status, _, err = plugin.tshark("-q", "-r", path, "-z",
                                       "fabscope,nonsense")
        self.assertNotEqual(status, 0)
        self.assertIn("nonsense: there is no such query", err)

    def test_conversations(self):
        path = self.capture(plugin.CAPTURES / "d11_drop_every_400.pa.pcap")
        out = plugin.tshark("-q", "-2", "-r", path, "-z", "conv,fabscope_qp")[1]
        rows = [line.split() for line in out.splitlines() if "<->" in line]
        counts = sum(flows_by_hand(path).values())
        # address <-> address, frames and octets each way, then both
        totals = [int(row[3]) + int(row[6]) for row in rows]
        self.assertEqual((len(rows), sum(totals)), (2, counts))
        out = plugin.tshark("-q", "-2", "-r", path, "-z",
                            "endpoints,fabscope_qp")[1]
        ends = [line for line in out.splitlines() if line.startswith("10.9")]
        self.assertEqual(len(ends), 4)


if __name__ == "__main__":
    plugin.main()
