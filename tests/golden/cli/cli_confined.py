#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a running command has given up, as the kernel says it: no capability,
none to be gained, and a filter of system calls, while it reads a pipe that
does not end.  Root is no exception.  What it had to do it does."""
import os
import pathlib
import re
import signal
import subprocess
import time
import unittest
import urllib.request

import program

CAP_DAC_READ_SEARCH = 1 << 2
SANITIZED = b"__asan_init" in pathlib.Path(program.FABSCOPE).read_bytes()


def status(pid):
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return dict(re.findall(r"^(\w+):\s*(.*)$", text, re.M))


class Confined(program.Case):
    def given_up(self, pid):
        said = status(pid)
        for name in ("CapEff", "CapPrm", "CapInh", "CapAmb", "CapBnd"):
            if name != "CapBnd" or os.geteuid() == 0:
                self.assertEqual(int(said[name], 16), 0, name)
        self.assertEqual(said["NoNewPrivs"], "1")
        if not SANITIZED:
            self.assertEqual(said["Seccomp"], "2")
        return said

    def reading(self, *words):
        """The status of the program while it reads the FIFO, and its end."""
        os.mkfifo(self.folder / "pipe")
        self.capture("d11_drop_every_400.pa.pcap")
        octets = (self.folder / "d11_drop_every_400.pa.pcap").read_bytes()
        with open(self.folder / "out", "w+b") as out, \
                subprocess.Popen([program.FABSCOPE, *words], cwd=self.folder,
                                 stdout=out, stderr=out) as child:
            with open(self.folder / "pipe", "wb", 0) as pipe:
                pipe.write(octets[:24])
                time.sleep(0.2)
                self.given_up(child.pid)
                pipe.write(octets[24:])
            child.wait(60)
        text = (self.folder / "out").read_bytes()
        self.assertEqual(child.returncode, 0, text)
        return text

    def test_analyze(self):
        out = self.reading("analyze", "-o", "x.db", "pipe")
        self.assertIn(b"x.db", out)
        self.assertIn("x.db", self.files())

    def test_two_pipes_are_kept_beside_the_database(self):
        self.reading("analyze", "-o", "x.db", "--tap", "a=pipe", "--tap",
                     "b=d11_drop_every_400.pa.pcap")

    def test_decode(self):
        self.assertGreater(len(self.reading("decode", "pipe")), 1000)

    def listening(self, look):
        """|look| at the process that serves x.db, which then answers."""
        with subprocess.Popen(
                [program.FABSCOPE, "export", "x.db", "--format",
                 "openmetrics", "--listen", "127.0.0.1:0"], cwd=self.folder,
                stderr=subprocess.PIPE) as child:
            try:
                port = child.stderr.readline().split()[-1].decode()
                look(child.pid)
                with urllib.request.urlopen(
                        f"http://127.0.0.1:{port}/metrics", timeout=60) as f:
                    self.assertIn(b"# EOF", f.read())
            finally:
                child.terminate()
            self.assertEqual(child.wait(), -signal.SIGTERM)

    def test_listen(self):
        """Root becomes nobody, who reads what is for everybody to read."""
        self.capture("d11_drop_every_400.pa.pcap")
        self.run_here("analyze", "-o", "x.db", "d11_drop_every_400.pa.pcap")
        self.folder.chmod(0o755)

        def look(pid):
            uids = self.given_up(pid)["Uid"].split()
            self.assertNotIn("0", uids)

        self.listening(look)

    def test_listen_in_a_folder_of_root(self):
        """... and keeps the right to read it where it is not."""
        if os.geteuid():
            self.skipTest("needs root")
        self.capture("d11_drop_every_400.pa.pcap")
        self.run_here("analyze", "-o", "x.db", "d11_drop_every_400.pa.pcap")
        self.folder.chmod(0o700)

        def look(pid):
            said = status(pid)
            self.assertNotIn("0", said["Uid"].split())
            self.assertEqual(int(said["CapEff"], 16), CAP_DAC_READ_SEARCH)

        self.listening(look)

    def test_files_of_others(self):
        """Root analyzes what belongs to somebody who lets nobody look."""
        if os.geteuid():
            self.skipTest("needs root")
        self.capture("d11_drop_every_400.pa.pcap")
        path = self.folder / "d11_drop_every_400.pa.pcap"
        path.chmod(0o600)
        self.folder.chmod(0o700)
        os.chown(path, 12345, 12345)
        os.chown(self.folder, 12345, 12345)
        self.assertEqual(self.run_here("analyze", path.name)[0], 0)
        self.assertEqual(self.run_here("kpi", path.name + ".fabscope.db")[0],
                         0)

    def test_names_in_filters(self):
        """localhost and names of services are known without asking."""
        self.capture("d11_drop_every_400.pa.pcap")
        code, _, err = self.run_here(
            "decode", "-f", "not host localhost and not tcp port http",
            "d11_drop_every_400.pa.pcap")
        self.assertEqual(code, 0, err)

    def test_an_output_elsewhere(self):
        self.capture("d11_drop_every_400.pa.pcap")
        (self.folder / "a" / "b").mkdir(parents=True)
        for name in ("a/b/x.db", self.folder / "a" / "y.db", "a/../z.db"):
            code, _, err = self.run_here("analyze", "-o", name,
                                         "d11_drop_every_400.pa.pcap")
            self.assertEqual(code, 0, err)
            code, _, err = self.run_here("export", name, "--format", "csv",
                                         "-o", "a/tables/", "-f")
            self.assertEqual(code, 0, err)


if __name__ == "__main__":
    program.main()
