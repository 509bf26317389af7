#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The plugin says of every frame what fabscope says of it, in any pass."""
import collections
import contextlib
import json
import os
import sqlite3
import unittest

import plugin

# Our word for it, Wireshark's field.
NOTE = {
    "flow": "fabscope.flow", "peer": "fabscope.peer", "psn": "fabscope.psn",
    "packet": "fabscope.packet", "missing": "fabscope.missing",
    "trigger": "fabscope.trigger", "message": "fabscope.message",
    "position": "fabscope.position",
}
ABOUT = ("fabscope.retransmission_of", "fabscope.response_to")
EVENT = ("fabscope.event", "fabscope.event.confidence", "fabscope.event.psn",
         "fabscope.event.count")
WORDS = ("_ws.expert.message", "_ws.col.Info")
# Where a SEND comes twice, Wireshark's dissector of what is in it gives up in
# a second pass, with and without the plugin.
NATIVE_BUG = "[Dissector bug, protocol RPCoRDMA: "
# With FABSCOPE_ALL=1 all that are shipped.
CAPTURES = ("d07_cm.pa", "d11_drop_every_400.pb", "d12_drop_tail_timeout.pa",
            "d13_read_resp_drop.pb", "d15_duplicate_1pct.pb",
            "d19_ack_loss_20pct.pb", "d24_capture_loss_2pct.pa")
SCENARIOS = ("rnr", "wrap_loss", "ud", "headers_only", "erspan2",
             "uet_rod_loss", "uet_trim_incast", "adaptive")
# Several taps that are one place; several clocks, which the program corrects.
PARALLEL = ("adaptive", "flowlet", "spray_all_links", "uet_rud_spray")
CLOCKS = ("clock_drift", "job_clocks", "taps_apart", "taps_apart_cut")
ALL = os.environ.get("FABSCOPE_ALL")


def texts(verdict, keys):
    return {key: [str(verdict[key])] for key in keys
            if verdict.get(key) is not None}


def groups(path):
    """Which taps of a simulated capture are parallel links, for a topology
    file."""
    truth = json.loads(path.with_suffix(".truth.json").read_text())
    for n, group in enumerate(truth["groups"]):
        names = dict.fromkeys(tap["interface"] for tap in truth["taps"]
                              if tap["link"] in group["members"])
        if len(names) > 1:
            yield f"[group g{n}]\nmembers = {', '.join(names)}\n"


class SameVerdicts(plugin.Case):
    def check_notes(self, path, shown, *options, but=()):
        """The first pass, against decode --verdicts; |but|: what is not
        compared."""
        ours = plugin.notes(path, *options)
        note = {key: NOTE[key] for key in NOTE if key not in but}
        for frame, cells in shown.items():
            known = {key: cells[field] for key, field in note.items()
                     if field in cells}
            known["about"] = cells.get(ABOUT[0], cells.get(ABOUT[1]))
            known = {key: cell for key, cell in known.items() if cell}
            self.assertEqual((frame, known), (
                frame, texts(ours.get(frame, {}), [*note, "about"])))
        self.assertLessEqual(ours.keys(), shown.keys())
        return len(ours)

    def check_events(self, path, shown, *options):
        """The first pass, against the event table."""
        rows = plugin.ask(self.analyse(path, *options), "events", "--param",
                          "limit=1000000")
        ours = collections.Counter(
            (row["frame"], row["kind"], round(row["confidence"], 6),
             row["psn"], row["count"]) for row in rows if row["frame"])
        theirs = collections.Counter()
        for frame, cells in shown.items():
            if EVENT[0] not in cells:
                continue
            for kind, confidence, psn, count in zip(*(cells[name]
                                                      for name in EVENT)):
                theirs[frame, kind, round(float(confidence), 6), int(psn),
                       int(count)] += 1
        self.assertEqual(ours, theirs)
        return sum(ours.values())

    def check_passes(self, once, twice):
        self.assertEqual(once.keys(), twice.keys())
        for frame, cells in once.items():
            again = twice[frame]
            if NATIVE_BUG in again.get(WORDS[1], [""])[0]:
                cells, again = ({name: cell for name, cell in told.items()
                                 if name not in WORDS}
                                for told in (cells, again))
            self.assertEqual((frame, cells), (frame, again))

    def check(self, path, topology=None, but=()):
        options = topology and ("--topology", topology) or ()
        asked = topology and ("-o", f"fabscope.topology:{topology}") or ()
        with self.subTest(path.name):
            path = self.capture(path)
            names = [*plugin.own_fields(), *WORDS]
            once = plugin.fields(path, names, *asked)
            twice = plugin.fields(path, names, "-2", *asked)
            packets = self.check_notes(path, once, *options, but=but)
            events = self.check_events(path, once, *options)
            self.check_passes(once, twice)
            print(f"{path.name}: {packets} packets, {events} events",
                  flush=True)
            return packets

    def test_captures(self):
        total = 0
        every = sorted(plugin.CAPTURES.glob("*.pcap"))
        for name in [path.stem for path in every] if ALL else CAPTURES:
            total += self.check(plugin.CAPTURES / f"{name}.pcap")
        self.assertGreater(total, 10000)

    def test_scenarios(self):
        every = sorted((plugin.CAPTURES / "scenarios").glob("*.fab"))
        names = {path.stem for path in every} - {*CLOCKS}
        for name in sorted(names) if ALL else SCENARIOS:
            self.check(self.simulate(name))

    def test_clocks(self):
        """The program reads packets in the order of corrected times, and so
        meets the flows in another order than decode does: they have other
        numbers there."""
        for name in CLOCKS if ALL else CLOCKS[:1]:
            path = self.simulate(name)
            self.check(path, but=("flow", "peer"))
            self.check_flows(path)

    def check_flows(self, path):
        """Numbers of flows, by the packets that they have."""
        with contextlib.closing(sqlite3.connect(self.analyse(path))) as db:
            ours = dict(db.execute("select id, packets from flow"))
        path = self.capture(path)
        theirs = collections.Counter(
            int(cells["fabscope.flow"][0]) for cells in
            plugin.fields(path, ["fabscope.flow"]).values() if cells)
        self.assertEqual(ours, theirs)

    def test_topology(self):
        """Parallel links as a topology file tells of them."""
        for name in PARALLEL if ALL else PARALLEL[:1]:
            path = self.simulate(name)
            topology = self.folder / f"{name}.ini"
            topology.write_text("".join(groups(path)))
            topology.chmod(0o644)
            self.check(path, topology)

    def test_display_filters_change_nothing(self):
        """A filter that is read in a second pass, and one in the first."""
        path = self.capture(plugin.CAPTURES / "d11_drop_every_400.pb.pcap")
        names = [*NOTE.values(), *ABOUT]
        every = plugin.fields(path, names)
        for words in (("-Y", "fabscope.packet == \"retransmission_of_missing\""),
                      ("-2", "-R", "udp", "-Y",
                       "fabscope.packet == \"retransmission_of_missing\"")):
            some = plugin.fields(path, names, *words)
            self.assertEqual(len(some), 9)
            for frame, cells in some.items():
                self.assertEqual((frame, cells["fabscope.psn"]),
                                 (frame, every[frame]["fabscope.psn"]))


if __name__ == "__main__":
    plugin.main()
