#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Wrong usage, help, terminals and pipes."""
import contextlib
import json
import os
import pty
import re
import signal
import subprocess
import time

import program

SMALL = "d05_atomic.pa.pcap"


class Usage(program.Case):
    def wrong(self, *words):
        """Exit 2, one line with a hint."""
        before = self.files()
        status, out, err = self.run_here(*words)
        self.assertEqual((status, out), (2, ""))
        self.assertEqual(self.files(), before)
        line = self.one_line(err)
        self.assertIn("--help", line)
        return line

    def test_wrong_words(self):
        self.assertIn("anlayze", self.wrong("anlayze"))
        self.assertIn("--nope", self.wrong("analyze", "--nope", "x"))
        self.assertIn("needs", self.wrong("analyze"))
        self.assertIn('"x.pcap" is the filter of -f',
                      self.wrong("analyze", "-f", "x.pcap"))
        self.assertIn("NAME=FILE", self.wrong("analyze", "--tap", "x.pcap"))
        self.assertIn("-w", self.wrong("slice", "x.db", "flow:1"))
        self.assertIn("json", self.wrong("query", "--format", "xml", "a", "b"))
        self.assertIn("frames",
                      self.wrong("slice", "x.db", "flow", "-w", "y"))
        self.assertIn('not the option "-o"',
                      self.wrong("analyze", "x.pcap", "-f", "-o", "x.db"))
        self.assertIn('not the option "--json"',
                      self.wrong("analyze", "x.pcap", "-o", "--json"))
        self.wrong("query")
        self.wrong("version", "now")
        self.wrong("help", "me")

    def test_did_you_mean(self):
        for meant, *words in (
                ("analyze", "anlayze", "x"), ("query", "qury"),
                ("--topology", "analyze", "--topolgy", "x"),
                ("losses", "query", "x.db", "lossses"),
                ("clean", "simulate", "claen"),
                ("query", "help", "qury"),
                ("wred.kmin", "whatif", "--set", "wrd.kmin=4K", "x.db"),
                ("incast_dcqcn", "simulate", "incst", "-w", "x")):
            self.assertIn(f'did you mean "{meant}"?', self.wrong(*words))
        self.assertNotIn("did you mean", self.wrong("xyzzy"))

    def test_other_spelling(self):
        self.assertEqual(self.run_here("analyse", "--help"),
                         self.run_here("analyze", "--help"))

    def test_help_fits(self):
        for line in self.run_here("--help")[1].splitlines():
            name = re.match(r"  (\w+) ", line)
            for wide in self.run_here(name[1], "--help")[1].splitlines() \
                    if name else [line]:
                self.assertLessEqual(len(wide), 80)

    def test_no_words(self):
        status, out, err = self.run_here()
        self.assertEqual((status, out), (2, ""))
        self.assertIn("usage:", err)

    def test_unknown_query(self):
        self.capture(SMALL)
        self.run_here("analyze", "-o", "a.db", SMALL)
        self.assertIn("nonsense", self.wrong("query", "a.db", "nonsense"))

    def test_no_such_row(self):
        self.capture(SMALL)
        self.run_here("analyze", "-o", "a.db", SMALL)
        for query, param, no in (
                ("flow", "id=77", "no flow 77; the last one is"),
                ("psn", "flow=0x4d", "no flow 77; the last one is"),
                ("pauses", "tap=9", "no tap 9; the last one is 1")):
            status, _, err = self.run_here("query", "a.db", query, "-p", param)
            self.assertEqual(status, 0)
            self.assertIn(f"there is {no}", err)
        self.assertEqual(
            self.run_here("query", "a.db", "psn", "-p", "flow=1")[2], "")

    def test_help_knows_every_command_and_option(self):
        status, out, _ = self.run_here("--help")
        self.assertEqual(status, 0)
        names = re.findall(r"^  (\w+)", out, re.M)
        self.assertIn("analyze", names)
        for name in names:
            status, text, err = self.run_here(name, "--help")
            self.assertEqual((status, err), (0, ""))
            self.assertIn(f"usage: fabscope {name}", text)
            self.assertEqual(self.run_here("help", name)[1], text)

    def test_version(self):
        for word in ("version", "--version"):
            self.assertRegex(self.run_here(word)[1],
                             r"\Afabscope \d+\.\d+\.\d+\n\Z")


class Terminal(program.Case):
    def on_terminal(self, *words, env=None):
        """Output when stdout is a terminal."""
        ours, theirs = pty.openpty()
        env = {**os.environ, "TERM": "xterm", "FABSCOPE_PAGER": "",
               **(env or {})}
        done = subprocess.Popen([program.FABSCOPE, *words], stdout=theirs,
                                stderr=subprocess.DEVNULL, cwd=self.folder,
                                env={k: v for k, v in env.items()
                                     if v is not None})
        os.close(theirs)
        out = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # how a closed terminal ends
                break
            if not piece:
                break
            out += piece
        os.close(ours)
        self.assertIn(done.wait(), (0, 3))
        return out.decode()

    def test_colours_only_where_wanted(self):
        self.capture(SMALL)
        environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
        os.environ.clear()
        os.environ.update(environment)
        self.assertIn("\033[", self.on_terminal("analyze", SMALL))
        self.assertNotIn("\033", self.on_terminal("analyze", SMALL,
                                                  env={"NO_COLOR": "1"}))
        self.assertNotIn("\033", self.run_here("analyze", SMALL)[1])

    def test_pager(self):
        """Only on a terminal, and colors stay."""
        self.capture(SMALL)
        pager = {"FABSCOPE_PAGER": "sed 's/^/PAGED /'", "PAGER": "false"}
        shown = self.on_terminal("analyze", SMALL, env=pager)
        self.assertTrue(shown.strip())
        for line in shown.splitlines():
            self.assertTrue(line.startswith("PAGED "), line)
        self.assertIn("\033[", shown)
        self.assertIn("PAGED", self.on_terminal(
            "query", "--list", env={"FABSCOPE_PAGER": None,
                                    "PAGER": "sed 's/^/PAGED /'"}))
        self.assertNotIn("PAGED", self.run_here("analyze", SMALL,
                                                env=pager)[1])

    def test_nothing_on_stderr_without_a_terminal(self):
        self.capture(SMALL)
        self.assertEqual(self.run_here("analyze", SMALL)[2], "")


class Slow(program.Case):
    """An input that takes its time: a named pipe this test writes."""

    def start(self, *words, stderr=subprocess.PIPE):
        os.mkfifo(self.folder / "slow.pcap")
        self.program = subprocess.Popen(
            [program.FABSCOPE, "analyze", "-o", "a.db", *words, "slow.pcap"],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=stderr)
        self.addCleanup(self.program.kill)
        octets = (program.CAPTURES / SMALL).read_bytes()
        pipe = open(self.folder / "slow.pcap", "wb", buffering=0)
        self.addCleanup(pipe.close)
        half = len(octets) // 2
        pipe.write(octets[:half])
        return pipe, octets[half:]

    def test_interrupted(self):
        """^C: dead of it, and no half-made database anywhere."""
        self.start()
        while not [f for f in self.files() if f != "slow.pcap"]:
            time.sleep(0.01)  # until the database is begun
        self.program.send_signal(signal.SIGINT)
        self.assertEqual(self.program.communicate(timeout=60), (b"", b""))
        self.assertEqual(self.program.returncode, -signal.SIGINT)
        self.assertEqual(self.files(), ["slow.pcap"])

    def test_progress_on_a_terminal(self):
        ours, theirs = pty.openpty()
        pipe, rest = self.start(stderr=theirs)
        os.close(theirs)
        time.sleep(0.7)
        pipe.write(rest)
        pipe.close()
        self.program.communicate(timeout=60)
        shown = os.read(ours, 65536).decode()
        os.close(ours)
        self.assertRegex(shown, r"reading, [0-9.]+ kB, [0-9,]+ packets, ")
        self.assertTrue(shown.endswith("\r\033[K"), shown)
        self.assertEqual(self.program.returncode, 0)


class Long(program.Case):
    """Work that takes a while: millions of packets."""
    PACKETS = 4000000

    def start(self, stderr=subprocess.PIPE):
        self.run_here("simulate", "--bench", self.PACKETS, "--snaplen", 74,
                      "-w", "long.pcap")
        self.before = self.files()
        begun = subprocess.Popen(
            [program.FABSCOPE, "analyze", "-o", "a.db", "--json", "long.pcap"],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=stderr)
        self.addCleanup(begun.kill)
        while self.files() == self.before and begun.poll() is None:
            time.sleep(0.001)  # until the database is begun
        return begun

    def test_interrupted_once(self):
        """^C: the verdict of what was read, which says so."""
        begun = self.start()
        begun.send_signal(signal.SIGINT)
        out, err = begun.communicate(timeout=60)
        self.assertEqual((begun.returncode, err), (3, b""))
        said = json.loads(out)
        self.assertLess(said["captures"][0]["packets"], self.PACKETS)
        self.assertTrue([f for f in said["findings"]
                         if f["title"].startswith("Interrupted: ")])

    def test_interrupted_twice(self):
        """^C again: nothing is left."""
        begun = self.start()
        while begun.poll() is None:
            begun.send_signal(signal.SIGINT)
            time.sleep(0.001)
        self.assertEqual(begun.communicate()[0], b"")
        self.assertEqual(begun.returncode, -signal.SIGINT)
        self.assertEqual(self.files(), self.before)

    def test_interrupted_twice_on_a_terminal(self):
        """One line says what became of the result."""
        ours, theirs = pty.openpty()
        begun = self.start(stderr=theirs)
        os.close(theirs)
        while begun.poll() is None:
            begun.send_signal(signal.SIGINT)
            time.sleep(0.001)
        shown = os.read(ours, 65536).decode()
        os.close(ours)
        self.assertEqual(shown.split("\r\033[K")[-1],
                         "fabscope: interrupted: the unfinished result was "
                         "removed\r\n")
        self.assertEqual(self.files(), self.before)

    @staticmethod
    def read_to_end(ours):
        """All of it: a terminal holds 4 kB, and a slow run says more."""
        shown = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            shown += part
        os.close(ours)
        return shown.decode()

    def test_progress(self):
        """Phase, percent, rate and time left."""
        ours, theirs = pty.openpty()
        begun = self.start(stderr=theirs)
        os.close(theirs)
        # What is over earlier shows no progress: it reads for milliseconds,
        # and stands still in between.
        for _ in range(8):
            begun.send_signal(signal.SIGSTOP)
            time.sleep(0.15)
            begun.send_signal(signal.SIGCONT)
            time.sleep(0.003)
        shown = self.read_to_end(ours)
        begun.communicate(timeout=60)
        self.assertRegex(shown, r"\r\033\[Kreading \d+ %, [0-9.]+ [kMG]B of "
                         r"[0-9.]+ MB, [0-9,]+ packets, [0-9.]+ [kMG]B/s, "
                         r"\d+ s left")
        self.assertTrue(shown.endswith("\r\033[K"), shown)


    def test_progress_of_an_export(self):
        """Also what reads a database: phase, percent, rate and time left."""
        capture = program.CAPTURES / SMALL
        self.run_here("analyze", "-o", "a.db", capture)
        for words, doing in ((("export", "--format", "csv", "-o", "tables"),
                              "writing tables"),
                             (("report", "-o", "r.html"),
                              "querying")):
            with self.subTest(doing):
                ours, theirs = pty.openpty()
                begun = subprocess.Popen(
                    [program.FABSCOPE, words[0], "a.db", *words[1:]],
                    cwd=self.folder, stdout=subprocess.DEVNULL, stderr=theirs)
                os.close(theirs)
                turns = 0  # as above, wherever it is by now
                while begun.poll() is None:
                    begun.send_signal(signal.SIGSTOP)
                    time.sleep(0.15)
                    begun.send_signal(signal.SIGCONT)
                    time.sleep(0.001 if turns < 60 else 0.02)
                    turns += 1
                begun.communicate(timeout=60)
                shown = os.read(ours, 65536).decode()
                os.close(ours)
                self.assertRegex(shown, rf"{doing} \d+ %, step \d+ of \d+, [0-9,]+ "
                                 r"rows, [0-9,]+ rows/s, \d+ s left")


class Pipes(program.Case):
    def test_reader_that_goes_away_is_quiet(self):
        capture = program.CAPTURES / SMALL
        done = subprocess.run(
            f"'{program.FABSCOPE}' decode '{capture}' | head -n 1",
            shell=True, capture_output=True, check=True)
        self.assertEqual(done.stderr, b"")
        self.assertEqual(done.stdout.count(b"\n"), 1)

    def test_full_output_is_told(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [program.FABSCOPE, "decode", program.CAPTURES / SMALL],
                stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"No space left", done.stderr)

    def test_full_output_is_told_once(self):
        self.run_here("analyze", "-o", "a.db", program.CAPTURES / SMALL)
        for words in (["query", "a.db", "flows"],
                      ["export", "--format", "jsonl", "a.db"],
                      ["slice", "-w", "-", "a.db", "flow:1"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run(
                    [program.FABSCOPE, *words], stdout=full, cwd=self.folder,
                    stderr=subprocess.PIPE, check=False)
            self.assertEqual(done.returncode, 1, words)
            self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)

    def test_closed_streams_are_nothing_else(self):
        """What is opened first must not get what is printed."""
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)

        def close():
            for fd in range(3):
                os.close(fd)

        with subprocess.Popen([program.FABSCOPE, "decode", pipe],
                              preexec_fn=close) as started:
            with open(pipe, "wb", buffering=0) as writer:  # it has, too
                where = [os.readlink(f"/proc/{started.pid}/fd/{fd}")
                         for fd in range(3)]
                with contextlib.suppress(BrokenPipeError):  # ends at once
                    writer.write((program.CAPTURES / SMALL).read_bytes())
            started.wait(timeout=60)
        self.assertEqual(where, ["/dev/null"] * 3)
        self.assertEqual(started.returncode, 1)

    def test_standard_input(self):
        octets = (program.CAPTURES / SMALL).read_bytes()
        status, out, err = self.run_here("analyze", "--json", "-",
                                         stdin=octets)
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(json.loads(out)["captures"][0]["path"], "-")
        self.assertEqual(self.files(), ["stdin.fabscope.db"])


if __name__ == "__main__":
    program.main()
