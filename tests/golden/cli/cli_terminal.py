#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a capture says reaches no terminal as it is; files get it unchanged."""
import os
import pty
import re
import sqlite3
import subprocess
import unicodedata

import program

# repaints, sets the title, reverses the line, is no UTF-8, is a C1 control
NAME = b"if\x1b[1;31m\x1b[2J\x1b]0;mine\x07\x1b[8m \xe2\x80\xae\xff\xc2\x9b1m=1+1"
REORDER = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
STYLES = re.compile("\x1b\\[(0|1|2|1;31|1;33|36|1;32)m")


def on_terminal(folder, *words):
    """What the program writes to a terminal, with styles taken out."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen([program.FABSCOPE, *words], cwd=folder,
                             stdin=theirs, stdout=theirs,
                             stderr=subprocess.DEVNULL,
                             env={**os.environ, "PAGER": "cat",
                                  "TERM": "xterm", "LC_ALL": "C.UTF-8"})
    os.close(theirs)
    out = b""
    while True:
        try:
            got = os.read(ours, 65536)
        except OSError:
            break
        if not got:
            break
        out += got
    os.close(ours)
    status = child.wait()
    return status, out


class Terminal(program.Case):
    def setUp(self):
        super().setUp()
        self.capture("d12_drop_tail_timeout.pa.pcap")
        status, _, err = self.run_here("analyze", "-o", "a.db",
                                       "d12_drop_tail_timeout.pa.pcap")
        self.assertEqual(status, 0, err)
        db = sqlite3.connect(self.folder / "a.db")
        db.execute("UPDATE tap SET name = CAST(? AS TEXT)", (NAME,))
        db.commit()
        db.close()

    def harmless(self, *words):
        status, out = on_terminal(self.folder, *words)
        self.assertEqual(status, 0, words)
        text = out.decode()  # raises: no UTF-8
        self.assertNotIn("\x1b[1;31m\x1b[2J", text)
        text = STYLES.sub("", text)
        bad = {c for c in text if c not in "\r\n\t" and
               (unicodedata.category(c) == "Cc" or
                unicodedata.bidirectional(c) in REORDER)}
        self.assertEqual(bad, set(), words)
        return text

    def test_every_form(self):
        for words in (("query", "a.db", "taps", "--format", "csv"),
                      ("query", "a.db", "taps", "--format", "json"),
                      ("query", "a.db", "taps", "--format", "jsonl"),
                      ("query", "a.db", "taps"),
                      ("export", "a.db", "--format", "csv", "--table", "tap"),
                      ("export", "a.db", "--format", "jsonl", "--table",
                       "tap"),
                      ("export", "a.db", "--format", "openmetrics"),
                      ("export", "a.db", "--format", "perfetto"),
                      ("report", "a.db", "-o", "-"),
                      ("slice", "a.db", "flow:1", "-w", "-")):
            with self.subTest(words=words):
                self.harmless(*words)
        text = self.harmless("query", "a.db", "taps", "--format", "csv")
        self.assertIn(r"if\x1b[1;31m\x1b[2J\x1b]0;mine\x07\x1b[8m "
                      r"\u{202e}\xff\u{9b}1m=1+1", text)

    def test_files_get_it_as_it_is(self):
        status, out, _ = self.run_here("query", "a.db", "taps", "--format",
                                       "csv", binary=True)
        self.assertEqual(status, 0)
        self.assertIn(NAME, out)

    def test_styles_and_width_stay(self):
        status, out = on_terminal(self.folder, "analyze", "-o", "b.db",
                                  "d12_drop_tail_timeout.pa.pcap")
        self.assertEqual(status, 0)
        self.assertRegex(out.decode(), STYLES)
        self.assertNotIn(b"\\x1b", out)


if __name__ == "__main__":
    program.main()
