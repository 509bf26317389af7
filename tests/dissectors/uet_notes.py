#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the plugin says of packets of Ultra Ethernet, against a count by hand
of the numbers in their headers (which chain.py holds against the program, and
tests/uet against a second decoder)."""
import unittest

import plugin

PDS = "uet.pds."
# Each place of capture is followed apart.
HEADERS = ("frame.interface_id", "ip.src", "ip.dst", PDS + "type", PDS + "psn", PDS + "cack_psn",
           PDS + "ack_psn_offset", PDS + "nack_psn", PDS + "spdcid",
           PDS + "dpdcid", PDS + "retx", PDS + "syn", PDS + "m", PDS + "p",
           PDS + "psn_offset", "uet.ses.som", "uet.ses.message_id")
NOTES = ("packet", "psn", "retransmission_of", "response_to", "message", "position", "echo",
         "pdc.src", "pdc.dst")
REQUESTS, ACKS, NACKS = (2, 3, 13, 14), (7, 8, 9), (10, 12)


class Context:
    """One direction of a PDC."""

    def __init__(self):
        self.start = None
        self.last = {}  # PSN -> the last frame that carried it
        self.first = {}  # and the last that was not sent again
        self.messages = {}  # id -> [number, PSN of its first packet]


class ByHand:
    def __init__(self):
        self.contexts = {}

    def request(self, frame, cell):
        context = self.contexts.setdefault(
            (cell("frame.interface_id"), cell("ip.src"), cell("ip.dst"),
             cell(PDS + "spdcid")), Context())
        psn, again = int(cell(PDS + "psn")), cell(PDS + "retx") == "1"
        if cell(PDS + "syn") == "1":
            context.start = psn - int(cell(PDS + "psn_offset"))
        out = {"retransmission_of": context.last.get(psn), "packet": "new"}
        if again:
            out["packet"] = ("retransmission" if out["retransmission_of"]
                             else "retransmission_of_missing")
        out["psn"] = psn - context.start
        context.last[psn] = frame
        if not again:
            context.first[psn] = frame
        number = cell("uet.ses.message_id")
        if not again and number:
            known = context.messages.setdefault(
                number, [len(context.messages) + 1, None])
            if cell("uet.ses.som") == "1":
                known[1] = psn
            out["message"] = known[0]
            if known[1] is not None:  # its first packet was seen
                out["position"] = psn - known[1]
        return out

    def answer(self, cell):
        context = self.contexts.get(
            (cell("frame.interface_id"), cell("ip.dst"), cell("ip.src"),
             cell(PDS + "dpdcid")))
        if cell(PDS + "p") == "1" or not context:
            return {"packet": "response"}
        if cell(PDS + "nack_psn"):
            psn = int(cell(PDS + "nack_psn"))
        else:
            psn = int(cell(PDS + "cack_psn")) + \
                int(cell(PDS + "ack_psn_offset"))
        known = context.last if cell(PDS + "retx") == "1" else context.first
        out = {"packet": "response", "response_to": known.get(psn),
               "psn": psn - context.start}
        if cell(PDS + "m") == "1":
            out["echo"] = out["response_to"]
        return out

    def packet(self, frame, cells):
        def cell(name):
            return cells[name][0] if name in cells else None

        kind = int(cell(PDS + "type") or 0)
        if kind in REQUESTS:
            return self.request(frame, cell)
        return self.answer(cell) if kind in ACKS + NACKS else None


class UetNotes(plugin.Case):
    def check(self, name, *least):
        path = self.simulate(name)
        fields = ["fabscope." + note for note in NOTES]
        cells = plugin.fields(path, [*HEADERS, *fields])
        hand, seen = ByHand(), {}
        for frame, c in cells.items():
            told = hand.packet(frame, c)
            if not told:
                continue
            ours = {note: c[field][0] for note, field in zip(NOTES, fields)
                    if field in c}
            for note, value in told.items():
                # what is forgotten by now is not told, and nothing else is
                if note in ("message", "position") and note not in ours:
                    continue
                self.assertEqual((frame, note, ours.get(note)),
                                 (frame, note, value and str(value)
                                  if value != 0 else "0"))
                seen[note, value if note == "packet" else ""] = \
                    seen.get((note, value if note == "packet" else ""), 0) + 1
            self.assertEqual(ours["pdc.src"], str(int(
                c[PDS + "spdcid"][0], 16)))
        for kind, number in least:
            self.assertGreaterEqual(seen.get(kind, 0), number, kind)
        return seen

    def test_timeouts(self):
        self.check("uet_rud_timeout", (("packet", "retransmission"), 50),
                   (("response_to", ""), 400), (("position", ""), 1000))

    def test_trimming_and_marks(self):
        self.check("uet_trim_incast", (("packet", "retransmission"), 50),
                   (("echo", ""), 500), (("message", ""), 1000))

    def test_info_names_the_mode(self):
        """An ACK or NACK is of the mode of the requests of its PDC."""
        for name, mode in (("uet_rod_loss", "ROD"), ("uet_rud_timeout", "RUD")):
            cells = plugin.fields(self.simulate(name),
                                  [PDS + "type", "_ws.col.Info"])
            shown = [c["_ws.col.Info"][0].split()[:2] for c in cells.values()
                     if int(c.get(PDS + "type", ["0"])[0]) in (7, 8, 9, 10)]
            self.assertGreater(len(shown), 100)
            for kind, said in shown:
                self.assertRegex(kind, "^N?ACK")
                self.assertEqual(said, mode)

    def test_contexts_as_conversations(self):
        """PDCs of the tables, as the flows of the program."""
        path = self.simulate("uet_trim_incast")
        rows = plugin.ask(self.analyse(path), "pdcs")
        out = plugin.tshark("-q", "-2", "-r", path,
                            "-z", "conv,fabscope_pdc",
                            "-z", "endpoints,fabscope_pdc")[1]
        pairs = [line for line in out.splitlines() if "<->" in line]
        ends = [line for line in out.splitlines()
                if line.startswith("10.") and "<->" not in line]
        contexts = {(row["src"], row["dst"], row["spdcid"], row["dpdcid"])
                    for row in rows}
        self.assertEqual(len(pairs) * 2, len(contexts))
        self.assertEqual(len(ends), len(contexts))
        shown = plugin.fields(path, ["fabscope.flow", "fabscope.pdc.src",
                                     "fabscope.pdc.dst"], "-2")
        known = {(c["fabscope.flow"][0], c["fabscope.pdc.src"][0],
                  c["fabscope.pdc.dst"][0]) for c in shown.values()}
        self.assertEqual(known, {
            (str(row["flow_id"]), str(row["spdcid"]), str(row["dpdcid"]))
            for row in rows})


if __name__ == "__main__":
    plugin.main()
