#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""plan, partial and merge: the database of analyze, byte for byte, for any
number of shards in any order; and what is refused, in one sentence."""
import json
import os
import random
import subprocess
import threading
import unittest

import program
from program import CAPTURES, run, some

SHIPPED = sorted(p for p in CAPTURES.rglob("*.pcap*") if p.is_file())
SHARDS = (1, 2, 3, 7, 16)
# One of each kind of thing that spans host pairs or capture points.
SCENARIOS = ("alltoall", "incast_dcqcn", "deadlock", "uet_trim_incast",
             "uet_tss", "erspan3_mirror_loss", "two_jobs", "int", "csig",
             "job_credit")


def siphash(key, octets):
    """SipHash-2-4, after the paper."""
    mask = (1 << 64) - 1
    k = [int.from_bytes(key[i:i + 8], "little") for i in (0, 8)]
    v = [k[0] ^ 0x736f6d6570736575, k[1] ^ 0x646f72616e646f6d,
         k[0] ^ 0x6c7967656e657261, k[1] ^ 0x7465646279746573]

    def turn(x, n):
        return (x << n | x >> (64 - n)) & mask

    def rounds(n):
        for _ in range(n):
            v[0] = (v[0] + v[1]) & mask
            v[1] = turn(v[1], 13) ^ v[0]
            v[0] = turn(v[0], 32)
            v[2] = (v[2] + v[3]) & mask
            v[3] = turn(v[3], 16) ^ v[2]
            v[0] = (v[0] + v[3]) & mask
            v[3] = turn(v[3], 21) ^ v[0]
            v[2] = (v[2] + v[1]) & mask
            v[1] = turn(v[1], 17) ^ v[2]
            v[2] = turn(v[2], 32)

    padded = octets + bytes(-(len(octets) + 1) % 8) + \
        bytes([len(octets) & 255])
    for i in range(0, len(padded), 8):
        word = int.from_bytes(padded[i:i + 8], "little")
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xff
    rounds(4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


class Shards(program.Case):
    def setUp(self):
        super().setUp()
        self.random = random.Random(20261124)

    def analyzed(self, inputs, *options):
        code, out, err = run("analyze", *options, "-o", "whole.db", *inputs,
                             cwd=self.folder)
        self.assertIn(code, (0, 3), err)
        return code, out

    def planned(self, inputs, *options, shards=None):
        wanted = ["--shards", min(shards, len(inputs))] if shards else []
        code, _, err = run("plan", "-w", "p", *wanted, *options, *inputs,
                           cwd=self.folder)
        self.assertEqual((code, err), (0, ""))

    def partials(self, shards):
        order = list(range(shards))
        self.random.shuffle(order)
        for k in order:
            code, _, err = run("partial", "p", k, cwd=self.folder)
            self.assertEqual((code, err), (0, ""))

    def merged(self, *options):
        return run("merge", "p", "-o", "merged.db", *options, cwd=self.folder)

    def read(self, name):
        return (self.folder / name).read_bytes()

    def same(self, inputs, *options, shards=(1,), merge=()):
        whole = self.analyzed(inputs, *options)
        for n in sorted({min(n, len(inputs)) for n in shards}):
            with self.subTest(shards=n):
                self.planned(inputs, *options, shards=n)
                self.partials(n)
                code, out, err = self.merged(*merge)
                self.assertEqual(err, "")
                self.assertEqual(
                    (code, out.replace("merged.db", "whole.db")), whole)
                self.assertEqual(self.read("merged.db"), self.read("whole.db"))

    def refused(self, words, *what):
        code, out, err = run(*words, cwd=self.folder)
        self.assertEqual((code, out), (1, ""))
        self.assertEqual(err.count("\n"), 1, err)
        for text in what:
            self.assertIn(text, err)


class Same(Shards):
    def test_each_shipped_capture(self):
        self.assertGreater(len(SHIPPED), 20)
        for capture in some(SHIPPED):
            with self.subTest(capture=capture.name):
                self.same([capture])

    def test_all_together(self):
        self.same(SHIPPED, shards=some(SHARDS))

    def test_scenarios(self):
        for name in some(SCENARIOS):
            code, _, err = run("simulate", name, "--seed", 77, "-f",
                               "--each-tap", "-w", "c.pcapng",
                               cwd=self.folder)
            self.assertEqual(code, 0, err)
            inputs = sorted(self.folder.glob("c*.pcapng"))
            with self.subTest(scenario=name):
                self.same(inputs, shards=some(SHARDS))
            for old in inputs:
                old.unlink()

    def test_several_interfaces_of_a_file(self):
        run("simulate", "clock_drift", "-f", "-w", "one.pcapng",
            cwd=self.folder)
        self.same(["one.pcapng"])
        self.same(["one.pcapng", *SHIPPED[:2]], shards=(2,))

    def test_options(self):
        a, b = (CAPTURES / f"d11_drop_every_400.p{x}.pcap" for x in "ab")
        self.same([a, b], "--filter", "udp and greater 100")
        self.same([b], "--tap", f"leaf one={a}", "--uet-port", "5000")
        self.same([a, b], merge=("--threads", "3"))

    def test_damaged_capture(self):
        whole = (CAPTURES / "d11_drop_every_400.pa.pcap").read_bytes()
        hurt = bytearray(whole[:len(whole) - 5])
        hurt[30000:30400] = bytes(400)
        (self.folder / "hurt.pcap").write_bytes(hurt)
        self.same(["hurt.pcap"])

    def test_large_frames_are_cut(self):
        """Of whole frames hardly anything is left."""
        capture = CAPTURES / "d11_drop_every_400.pa.pcap"
        self.same([capture])
        left = (self.folder / "p.parts/0.part").stat().st_size
        self.assertLess(left * 8, capture.stat().st_size)

    def test_local(self):
        self.analyzed(SHIPPED[:8])
        code, _, err = run("plan", "-w", "p", "--local", 3, "-o", "merged.db",
                           *SHIPPED[:8], cwd=self.folder)
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(self.read("merged.db"), self.read("whole.db"))


class Refused(Shards):
    def setUp(self):
        super().setUp()
        self.inputs = []
        for capture in SHIPPED[:3]:
            copy = self.folder / capture.name
            copy.write_bytes(capture.read_bytes())
            self.inputs.append(capture.name)
        self.planned(self.inputs, shards=3)

    def test_missing_shard_is_named(self):
        self.partials(2)
        self.refused(("merge", "p", "-o", "m.db"),
                     "1 of 3 partial results are missing, the first is 2")
        self.assertFalse((self.folder / "m.db").exists())

    def test_changed_capture(self):
        with open(self.folder / self.inputs[1], "r+b") as f:
            f.seek(50)
            f.write(b"\xff")
        codes = [run("partial", "p", k, cwd=self.folder) for k in range(3)]
        bad = [err for code, _, err in codes if code]
        self.assertEqual(len(bad), 1)
        self.assertIn("changed since p was written", bad[0])

    def test_captures_that_are_gone(self):
        """Partial results are enough; but not where they changed since."""
        self.partials(3)
        self.analyzed(self.inputs)
        for name in self.inputs[:2]:
            (self.folder / name).unlink()
        self.assertIn(self.merged()[0], (0, 3))
        self.assertEqual(self.read("merged.db"), self.read("whole.db"))
        with open(self.folder / self.inputs[2], "ab") as f:
            f.write(b"more")
        self.refused(("merge", "p"), "changed since p was written")

    def test_plan_of_another_version(self):
        text = self.read("p").replace(b"program fabscope ",
                                      b"program fabscope 9")
        (self.folder / "p").write_bytes(text)
        for words in (("partial", "p", 0), ("merge", "p")):
            self.refused(words, "another version")

    def test_plan_changed_by_hand(self):
        whole = self.read("p")
        for text in (whole.replace(b"shards 3", b"shards 2"), whole[:-9],
                     b"", b"fabscope-plan 1\n", whole + b"x"):
            (self.folder / "p").write_bytes(text)
            self.refused(("merge", "p"), "p: ")

    def forged(self, text):
        """A plan with the right check."""
        check = siphash(b"fabscope-plan-1\0", text)
        (self.folder / "p").write_bytes(text + b"id %016x\n" % check)

    def test_forged_plan_has_one_number_of_shards(self):
        """Inputs of a shard that a second line takes back are not written
        behind the end of a list of shards."""
        self.partials(3)
        whole = self.read("p")
        text = whole[:whole.index(b"\nid ") + 1]
        for hurt in (text.replace(b"shards 3", b"shards 4096").replace(
                         b"input 2", b"input 4095") + b"shards 1\n",
                     text.replace(b"shards 3\n", b"") + b"shards 3\n"):
            self.forged(hurt)
            for words in (("merge", "p"), ("partial", "p", 0)):
                self.refused(words, "not a plan")

    def test_capture_that_is_no_file(self):
        """Nobody waits for a FIFO in the place of a capture or a plan."""
        self.partials(3)
        (self.folder / self.inputs[0]).unlink()
        os.mkfifo(self.folder / self.inputs[0])
        self.refused(("merge", "p"), "is not a regular file")
        self.refused(("plan", "-w", "q", self.inputs[0]),
                     "is not a regular file")
        for words in (("merge", self.inputs[0]),
                      ("partial", self.inputs[0], 0)):
            self.refused(words, "is not a regular file")

    def test_forged_plan_names_no_output(self):
        """It is whole, and would replace a database of its author's choice."""
        self.partials(3)
        self.assertEqual(run("analyze", "-o", "dear.db", self.inputs[0],
                             cwd=self.folder)[0] & 1, 0)
        dear, whole = self.read("dear.db"), self.read("p")
        for word in (b"--output=dear.db", b"-odear.db"):
            text = whole[:whole.index(b"\nid ") + 1].replace(
                b"word --\n", b"word " + word + b"\nword --\n", 1)
            self.assertIn(word, text)
            self.forged(text)
            for words in (("merge", "p"), ("partial", "p", 0)):
                self.refused(words, "not a plan")
            self.assertEqual(self.read("dear.db"), dear)

    def test_part_of_another_plan(self):
        self.partials(3)
        self.planned(self.inputs[:2], shards=2)
        self.refused(("merge", "p"), "belongs to another plan")
        # ... which partials of this one replace.
        self.partials(2)
        self.assertIn(self.merged()[0], (0, 3))

    def test_part_of_another_version(self):
        self.partials(3)
        part = self.folder / "p.parts/1.part"
        whole = bytearray(part.read_bytes())
        at = whole.index(b"fabscope ")
        whole[at + 9:at + 10] = b"9"
        part.write_bytes(whole)
        self.refused(("merge", "p"), "not a partial result")
        whole[8:16] = bytes(8)
        end = whole.index(b"\x28\xb5\x2f\xfd")
        check = siphash(b"reduced capture\0", bytes(whole[:end]))
        whole[8:16] = check.to_bytes(8, "little")
        part.write_bytes(whole)
        self.refused(("merge", "p"), "written by another version")

    def test_damaged_part(self):
        self.partials(3)
        part = self.folder / "p.parts/1.part"
        whole = part.read_bytes()
        for hurt in (whole[:-1], whole[:len(whole) // 2], whole[:100],
                     whole + b"more", whole[:160],
                     whole[:500] + bytes([whole[500] ^ 1]) + whole[501:]):
            part.write_bytes(hurt)
            self.refused(("merge", "p", "-o", "m.db"))
            self.assertFalse((self.folder / "m.db").exists())

    def test_hostile_part(self):
        """Well packed, but no records: refused, or read for what it is."""
        self.partials(3)
        part = self.folder / "p.parts/0.part"
        whole = part.read_bytes()
        at = whole.index(b"\x28\xb5\x2f\xfd")
        plain = subprocess.run(["zstd", "-dc"], input=whole[at:], check=True,
                               stdout=subprocess.PIPE).stdout
        for _ in range(40):
            hurt = bytearray(plain)
            for _ in range(self.random.choice((1, 4, 64))):
                hurt[self.random.randrange(min(len(hurt), 4000))] = \
                    self.random.randrange(256)
            packed = subprocess.run(["zstd", "-qc"], input=hurt, check=True,
                                    stdout=subprocess.PIPE).stdout
            part.write_bytes(whole[:at] + packed)
            self.assertIn(self.merged("--json")[0], (0, 1, 3))

    def test_part_that_is_no_file(self):
        """Nobody waits for a FIFO that lies among the parts."""
        self.partials(3)
        (self.folder / "p.parts/1.part").unlink()
        os.mkfifo(self.folder / "p.parts/1.part")
        self.refused(("merge", "p"), "is not a regular file")
        done = [run("partial", "p", k, cwd=self.folder)[0] for k in range(3)]
        self.assertEqual(sorted(done), [0, 0, 1])

    def test_no_room(self):
        code, _, err = run("partial", "p", 0, cwd=self.folder, limit=4096)
        self.assertEqual(code, 1, err)
        self.assertEqual(list((self.folder / "p.parts").iterdir()), [])

    def test_captures_are_not_replaced(self):
        self.partials(3)
        before = self.read(self.inputs[0])
        code, _, _ = run("merge", "p", "-o", self.inputs[0], cwd=self.folder)
        self.assertEqual(code, 1)
        self.assertEqual(self.read(self.inputs[0]), before)
        (self.folder / "notes").write_text("mine")
        code, _, _ = run("plan", "-w", "notes", self.inputs[0],
                         cwd=self.folder)
        self.assertEqual((code, self.read("notes")), (1, b"mine"))

    def test_usage(self):
        for words in (("partial", "p"), ("partial", "p", "x"),
                      ("partial", "p", "3"), ("plan", self.inputs[0]),
                      ("plan", "-w", "q"), ("merge",),
                      ("plan", "-w", "q", "--shards", "9", self.inputs[0])):
            self.assertEqual(run(*words, cwd=self.folder)[0], 2, words)


class Again(Shards):
    def test_what_is_there_stays(self):
        self.planned(SHIPPED[:2], shards=1)
        self.partials(1)
        parts = sorted((self.folder / "p.parts").iterdir())
        before = [p.stat().st_mtime_ns for p in parts]
        parts[1].unlink()
        self.partials(1)
        after = [p.stat().st_mtime_ns for p in parts]
        self.assertEqual(before[0], after[0])
        self.assertNotEqual(before[1], after[1])

    def test_two_merges_at_once(self):
        self.planned(SHIPPED[:4], shards=2)
        self.partials(2)
        self.analyzed(SHIPPED[:4])
        codes = []
        both = [threading.Thread(target=lambda: codes.append(
            self.merged()[0])) for _ in range(2)]
        for t in both:
            t.start()
        for t in both:
            t.join()
        self.assertEqual(len(codes), 2)
        self.assertTrue(set(codes) <= {0, 3}, codes)
        self.assertEqual(self.read("merged.db"), self.read("whole.db"))

    def test_number_from_the_scheduler(self):
        self.planned(SHIPPED[:2], shards=2)
        for k, name in enumerate(("SLURM_ARRAY_TASK_ID",
                                  "JOB_COMPLETION_INDEX")):
            code, _, err = run("partial", "p", cwd=self.folder,
                               env={name: str(k)})
            self.assertEqual((code, err), (0, ""))
        self.assertIn(self.merged()[0], (0, 3))


class Schedules(Shards):
    """Checked by hand against the API: Debian has no package with the schema
    of batch/v1."""

    def test_manifest(self):
        self.planned(SHIPPED[:5], "--kubernetes", "k.json", "--image", "a/b:1",
                     "-o", "it's.db", shards=4)
        both = json.loads(self.read("k.json"))
        self.assertEqual((both["apiVersion"], both["kind"]), ("v1", "List"))
        partial, merge = both["items"]
        for job in (partial, merge):
            self.assertEqual((job["apiVersion"], job["kind"]),
                             ("batch/v1", "Job"))
            self.assertRegex(job["metadata"]["name"], r"^[a-z0-9-]{1,63}$")
            pod = job["spec"]["template"]["spec"]
            self.assertIn(pod["restartPolicy"], ("Never", "OnFailure"))
            box, = pod["containers"]
            self.assertEqual(box["image"], "a/b:1")
            self.assertEqual(box["workingDir"], str(self.folder))
            self.assertEqual({m["name"] for m in box["volumeMounts"]},
                             {v["name"] for v in pod["volumes"]})
            self.assertRegex(box["resources"]["limits"]["memory"],
                             r"^\d+Mi$")
        self.assertTrue(merge["spec"]["suspend"])
        self.assertNotIn("suspend", partial["spec"])
        self.assertEqual(partial["spec"]["completionMode"], "Indexed")
        self.assertEqual(partial["spec"]["completions"], 4)
        self.assertEqual(
            merge["spec"]["template"]["spec"]["containers"][0]["command"],
            ["fabscope", "merge", "p", "--output", "it's.db"])

    def test_script(self):
        self.planned(SHIPPED[:5], "--slurm", "s.sh", "-o", "it's.db",
                     shards=4)
        subprocess.run(["sh", "-n", self.folder / "s.sh"], check=True)
        fake = self.folder / "sbatch"
        fake.write_text("#!/bin/sh\nprintf '%s\\n' \"$@\" >> args\n"
                        "cat >> jobs\necho '17;here'\n")
        fake.chmod(0o755)
        subprocess.run(["sh", "s.sh", "--wait"], cwd=self.folder, check=True,
                       env={"PATH": f"{self.folder}:/usr/bin:/bin"},
                       stdout=subprocess.DEVNULL)
        words = self.read("args").decode().split("\n")
        self.assertIn("--array=0-3", words)
        self.assertIn("--dependency=afterok:17", words)
        self.assertEqual(words.count("--requeue"), 2)
        self.assertIn("--wait", words)
        self.assertIn("merge p --output='it'\\''s.db'",
                      self.read("jobs").decode())


if __name__ == "__main__":
    unittest.main()
