#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Mirrors that copy a sample, and captures that overran.

The packets that are left out are known here, so is how many there were."""
import random
import sqlite3
import struct

import program

ENHANCED_PACKET = 6
LOSSES = ("loss_upstream", "loss_downstream", "unresolved_gap", "reorder",
          "duplicate", "mirror_duplicate", "capture_missing",
          "retransmit_spurious", "retransmit_unknown")


def thin(octets, keep):
    """|keep|(interface, nth packet there, nth packet) of a pcapng file.
    Also how many packets each interface had."""
    out, at, there, n = [], 0, {}, 0
    while at < len(octets):
        kind, length = struct.unpack_from("<II", octets, at)
        kept = True
        if kind == ENHANCED_PACKET:
            tap = struct.unpack_from("<I", octets, at + 8)[0]
            kept = keep(tap, there.get(tap, 0), n)
            there[tap] = there.get(tap, 0) + 1
            n += 1
        if kept:
            out.append(octets[at:at + length])
        at += length
    return b"".join(out), there


class Sampled(program.Case):
    @classmethod
    def setUpClass(cls):
        cls.made = {}

    def simulated(self, name):
        if name not in self.made:
            scenario = program.ROOT / "captures" / "scenarios" / (name + ".fab")
            self.run_here("simulate", str(scenario), "-w", name + ".pcapng")
            self.made[name] = (self.folder / (name + ".pcapng")).read_bytes()
        return self.made[name]

    def analyzed(self, name, keep):
        octets, there = thin(self.simulated(name), keep)
        (self.folder / "thin.pcapng").write_bytes(octets)
        status, out, err = self.run_here("analyze", "-o", "thin.db",
                                         "thin.pcapng")
        self.assertEqual((status, err), (0, ""))
        db = sqlite3.connect(self.folder / "thin.db")
        db.row_factory = sqlite3.Row
        return db, out, there

    def test_a_sample_is_no_loss(self):
        for name in ("job_ring", "loss_after_tap"):
            for one_in in (16, 64):
                rng = random.Random(one_in)
                for how, keep in (
                        ("regular", lambda tap, nth, n: nth % one_in == 0),
                        ("random", lambda *_: rng.random() < 1 / one_in)):
                    with self.subTest(name=name, one_in=one_in, how=how):
                        self.sample(name, one_in, keep)

    def test_a_sample_of_half_is_one(self):
        """At the links of hosts that send, whatever the network does beyond.
        Two taps of job_loss have one direction: that may be one of several
        sprayed links."""
        for name in ("job_ring", "job_loss", "job_tree"):
            for one_in in (2, 3, 5, 8):
                rng = random.Random(one_in)
                with self.subTest(name=name, one_in=one_in):
                    db, out, _ = self.analyzed(
                        name, lambda *_, one_in=one_in, rng=rng:
                        rng.random() < 1 / one_in)
                    for tap in db.execute(
                            "SELECT * FROM tap"
                            " WHERE name NOT IN ('t6a', 't6b')"):
                        self.assertLess(
                            abs(tap["sampled_one_in"] - one_in),
                            4 * one_in * ((1 - 1 / one_in)
                                          / tap["packets"]) ** 0.5)
                    self.assertFalse({row["kind"] for row in db.execute(
                        "SELECT kind FROM event WHERE tap_id IN (SELECT id "
                        "FROM tap WHERE name NOT IN ('t6a', 't6b'))")}
                        & set(LOSSES))
                    self.assertTrue(out.startswith("Undetermined ("))

    def test_the_estimate_is_as_exact_as_it_says(self):
        """Of many taps, by the packets that there were."""
        off = []
        for name in ("job_ring", "job_tree", "job_loss", "many_flows"):
            for one_in in (16, 32):
                rng = random.Random(one_in)
                for keep in (lambda tap, nth, n: nth % one_in == 3,
                             lambda *_: rng.random() < 1 / one_in):
                    db, _, there = self.analyzed(name, keep)
                    off += [(t["estimated_packets"] - there[t["interface"]])
                            / t["estimated_packets_error"]
                            for t in db.execute("SELECT * FROM tap WHERE "
                                                "sampled_one_in IS NOT NULL")]
        self.assertGreater(len(off), 100)
        self.assertGreaterEqual(sum(abs(z) < 3 for z in off),
                                0.95 * len(off))
        self.assertLess(max(map(abs, off)), 6)
        # nor is it far less exact
        self.assertGreater(sum(z * z for z in off) / len(off), 0.2)

    def test_a_mirror_that_drops_bursts_is_no_sample(self):
        for kept in (0.3, 0.6):
            rng, state = random.Random(1), {}

            def keep(tap, *_, kept=kept, rng=rng, state=state):
                left, on = state.get(tap, (0, True))
                if not left:
                    on = rng.random() < kept
                    left = rng.randrange(20, 60)
                state[tap] = left - 1, on
                return on
            with self.subTest(kept=kept):
                db, out, _ = self.analyzed("job_ring", keep)
                self.assertEqual(db.execute(
                    "SELECT count(sampled_one_in) FROM tap").fetchone()[0], 0)
                self.assertTrue(out.startswith("Undetermined ("))

    def sample(self, name, one_in, keep):
        db, out, there = self.analyzed(name, keep)
        for tap in db.execute("SELECT * FROM tap"):
            self.assertAlmostEqual(tap["sampled_one_in"], one_in,
                                   delta=one_in / 2)
            # the samples of two taps on one way may be taken for one flow
            if len(there) == 1:
                self.assertAlmostEqual(
                    tap["estimated_packets"], there[tap["interface"]],
                    delta=4 * tap["estimated_packets_error"])
        found = {row["kind"] for row in db.execute("SELECT kind FROM event")}
        self.assertFalse(found & set(LOSSES))
        self.assertEqual(
            db.execute("SELECT count(*) FROM recovery").fetchone()[0], 0)
        self.assertEqual([r["rule"] for r in db.execute(
            "SELECT rule FROM finding WHERE severity <> 'info'")],
            ["sampled-mirror"])
        self.assertTrue(out.startswith("Undetermined ("))

    def test_an_overrun_is_not_spraying(self):
        rng = random.Random(2)
        db, out, _ = self.analyzed(
            "job_ring", lambda _, nth, n: n < 1040 or rng.random() < 0.05)
        rules = {r["rule"] for r in db.execute("SELECT rule FROM finding")}
        self.assertIn("capture-overrun", rules)
        self.assertFalse(rules & {"spray-suspect", "sampled-mirror"})
        self.assertTrue(out.startswith("Undetermined ("))

    def test_an_overrun_of_half_is_one(self):
        """Also of one flow that loses packets, and of UET."""
        rng = random.Random()
        for name, whole in (("job_ring", 20000), ("loss_after_tap", 4000),
                            ("uet_rud_sack", 1500)):
            for kept in (0.1, 0.5):
                with self.subTest(name=name, kept=kept):
                    db, out, _ = self.analyzed(
                        name, lambda _, nth, n, whole=whole, kept=kept:
                        n < whole or rng.random() < kept)
                    rules = {r["rule"] for r in db.execute(
                        "SELECT rule FROM finding")}
                    self.assertIn("capture-overrun", rules)
                    self.assertFalse(rules & {"spray-suspect",
                                              "sampled-mirror"})
                    self.assertRegex(" ".join(out.split()),
                                     r"^Undetermined \(\d+ %\): the "
                                     "capture overran")

    def test_whole_captures_and_sprayed_links_are_no_samples(self):
        for name in ("job_ring", "loss_after_tap", "spray_one_link",
                     "read_loss_after", "capture_loss"):
            with self.subTest(name=name):
                db, _, _ = self.analyzed(name, lambda *_: True)
                self.assertEqual(db.execute(
                    "SELECT count(*) FROM tap WHERE overrun OR sampled_one_in"
                ).fetchone()[0], 0)


if __name__ == "__main__":
    program.main()
