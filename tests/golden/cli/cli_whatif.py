#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""fabscope whatif: what it refuses, and that it says so.

Whether predictions come true is in tests/whatif/pairs.py."""
import json

import program

FABRIC = """run for=20ms done=yes
leafspine leaves=2 spines=2 hosts=2 speed=100G uplink=100G
collective job pattern=ring ranks=h1,h3,h2,h4 size=512K iterations=6 compute=100us
"""
TAPS = "".join(f"tap t{h} h{h}->leaf{(h + 1) // 2} both=yes snaplen=128\n"
               for h in (1, 2, 3, 4))
LINKS = [(f"h{h}", f"leaf{(h + 1) // 2}") for h in (1, 2, 3, 4)] + [
    (f"leaf{a}", f"spine{b}") for a in (1, 2) for b in (1, 2)]


def topology(speed="speed = 100G"):
    return "".join(f"[host h{h}]\naddress = 10.0.0.{h}\n[tap t{h}]\n"
                   f"link = h{h}--leaf{(h + 1) // 2}\n"
                   for h in (1, 2, 3, 4)) + "".join(
        f"[link {a}--{b}]\n{speed}\n" for a, b in LINKS)


class WhatIf(program.Case):
    def result(self, *words, text=topology(), taps=TAPS):
        self.write("a.fab", (FABRIC + taps).encode())
        self.write("t.ini", text.encode())
        self.assertEqual(self.run_here("simulate", "a.fab", "-f", "-w",
                                       "a.pcapng")[0], 0)
        self.assertEqual(self.run_here("analyze", "-o", "a.db", *words,
                                       "a.pcapng")[0], 0)

    def refused(self, *words):
        status, out, err = self.run_here("whatif", "a.db", "--json", *words)
        self.assertEqual((status, err), (3, ""))
        said = json.loads(out)
        self.assertFalse(said["predicted"])
        self.assertNotIn("span", said)
        return " ".join(said["refused"])

    def test_a_prediction_and_its_scenario(self):
        self.result("--all-messages", "--topology", "t.ini")
        words = ("whatif", "a.db", "--set", "links.uplink=25G")
        status, out, err = self.run_here(*words, "-w", "b.fab")
        self.assertEqual((status, err), (0, ""))
        for word in ("captured", "predicted", "job 1", "Deepest queues",
                     "Assumed"):
            self.assertIn(word, out)
        status, out, _ = self.run_here(*words, "--json")
        self.assertEqual(status, 0)
        job = next(t for t in json.loads(out)["span"] if t["job"] == 1)
        # a quarter of the speed at each second step of the ring
        self.assertGreater(job["predicted_ns"], 1.3 * job["captured_ns"])
        self.assertLessEqual(job["low_ns"], job["predicted_ns"])
        self.assertGreaterEqual(job["high_ns"], job["predicted_ns"])
        # what was simulated can be simulated
        self.assertEqual(self.run_here("simulate", "b.fab", "-w",
                                       "b.pcapng")[0], 0)
        # nothing is written over
        status, _, err = self.run_here(*words, "-w", "b.fab")
        self.assertEqual(status, 1)
        self.assertIn("b.fab", err)
        self.assertEqual(self.run_here(*words, "-f", "-w", "b.fab")[0], 0)
        status, _, err = self.run_here(*words, "-f", "-w", "a.db")
        self.assertEqual(status, 1)
        self.assertEqual((self.folder / "a.db").read_bytes()[:6], b"SQLite")

    def test_what_the_capture_does_not_carry(self):
        some = ("--set", "lb=spray")
        self.result()
        self.assertIn("no topology", self.refused(*some))
        self.result("--all-messages", "--topology", "t.ini",
                    text=topology("ports = 1, 2"))
        self.assertIn("no speed", self.refused(*some))
        self.result("--all-messages", "--topology", "t.ini",
                    text=topology().replace("10.0.0.4", "10.0.0.44"))
        self.assertIn("does not name", self.refused(*some))
        self.result("--all-messages", "--topology", "t.ini",
                    text=topology().replace("[link h1--leaf1]\nspeed = 100G\n",
                                            "").replace(
                        "link = h1--leaf1\n", ""))
        self.assertIn("no link of h1", self.refused(*some))
        self.result("--all-messages", "--topology", "t.ini",
                    taps="tap t1 h1->leaf1 both=yes snaplen=128\n")
        self.assertIn("not all in the capture", self.refused(*some))

    def test_settings(self):
        self.result("--all-messages", "--topology", "t.ini")
        for words, said in (
                ((), "needs --set"),
                (("--set", "kmin=1"), "wred.kmin"),
                (("--set", "wred.kmin"), "NAME=VALUE"),
                (("--set", "=1"), "NAME=VALUE"),
                (("--set", "wred.kmin=1 2"), "no such value"),
                (("--set", "lb=spray", "--runs", "0"), "1 to 64"),
                (("--set", "lb=spray", "--runs", "many"), "1 to 64")):
            status, out, err = self.run_here("whatif", "a.db", *words)
            self.assertEqual((status, out), (2, ""), words)
            self.assertIn(said, err)
        for words in ("wred.kmin=100K", "pfc.xoff=1M", "wred.kmin=x,kmax=y",
                      "lb=luck", "links.uplink=0", "buffer.size=9999999999T"):
            status, out, err = self.run_here("whatif", "a.db", "--set", words)
            self.assertNotEqual(status, 0, words)
            self.assertEqual((out, err.count("\n")), ("", 1), words)
            self.assertNotIn("scenario", err)
        # the last one counts
        status, out, _ = self.run_here("whatif", "a.db", "--json", "--set",
                                       "lb=spray", "--set", "lb=ecmp")
        self.assertEqual((status, json.loads(out)["set"]), (0, {"lb": "ecmp"}))


if __name__ == "__main__":
    program.main()
