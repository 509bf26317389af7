# SPDX-License-Identifier: GPL-2.0-or-later
"""A network namespace with a link, a mirror of it, and fabscope live on that.

    a0 ---- a1   traffic            a1's packets are mirrored by tc to m0
            |
            m0 ---- m1              live captures from m1
"""
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
SKIP = 77
WAIT = 240  # seconds until something is taken for not happening


def skip(why):
    print("skipped:", why)
    sys.exit(SKIP)


class Lab:
    def __init__(self, program):
        self.program = program
        self.ns = f"fabscope{os.getpid()}"
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.path = pathlib.Path(self.folder.name)
        self.live = None
        self.environment = None

    def ip(self, *words, check=True):
        return subprocess.run(["ip", "-n", self.ns, *words], check=check,
                              capture_output=True, text=True)

    def inside(self, *words):
        return ["ip", "netns", "exec", self.ns, *map(str, words)]

    def __enter__(self):
        if os.geteuid() != 0:
            skip("network namespaces need root")
        try:
            made = subprocess.run(["ip", "netns", "add", self.ns],
                                  capture_output=True, text=True)
        except FileNotFoundError:
            skip("ip is not installed")
        if made.returncode:
            skip("no network namespace: " + made.stderr.strip())
        try:
            self.build()
        except subprocess.CalledProcessError as error:
            self.__exit__()
            skip("no veth or no tc mirroring: " + error.stderr.strip())
        return self

    def build(self):
        # its neighbour discovery would be captured as well
        for which in ("all", "default"):
            subprocess.run(self.inside(
                "sh", "-c", "[ ! -e {0} ] || echo 1 > {0}".format(
                    f"/proc/sys/net/ipv6/conf/{which}/disable_ipv6")),
                check=True, capture_output=True, text=True)
        for a, b in (("a0", "a1"), ("m0", "m1")):
            self.ip("link", "add", a, "type", "veth", "peer", "name", b)
            for name in (a, b):
                self.ip("link", "set", name, "up", "mtu", "9000")
        tc = ["tc", "-n", self.ns]
        for words in (["qdisc", "add", "dev", "a1", "clsact"],
                      ["filter", "add", "dev", "a1", "ingress", "protocol",
                       "all", "u32", "match", "u32", "0", "0", "action",
                       "mirred", "egress", "mirror", "dev", "m0"]):
            subprocess.run(tc + words, check=True, capture_output=True,
                           text=True)

    def __exit__(self, *_):
        if self.live and self.live.poll() is None:
            self.live.kill()
            self.live.wait()
        subprocess.run(["ip", "netns", "del", self.ns], capture_output=True)
        self.folder.cleanup()

    # ---- live ----

    def start(self, *options, database="live.db", interface="m1",
              snaplen=9216, refresh="100ms"):
        self.database = self.path / database
        self.log = self.path / "log"
        since = time.time_ns()
        self.live = subprocess.Popen(
            self.inside(self.program, "live", "-i", interface, "-o",
                        self.database, "--headless", "--snaplen", snaplen,
                        "--refresh", refresh, *options),
            stderr=open(self.log, "w"), env=self.environment)
        self.until("live is up", lambda: self.ask(
            "SELECT count(*) FROM live_status WHERE state = 'up'"
            f" AND ns >= {since}"))

    def stop(self, number=signal.SIGTERM):
        self.live.send_signal(number)
        return self.live.wait(WAIT)

    def rows(self, sql, database=None):
        """By a reader that writes nothing, not even when it goes: the last
        one that may write takes the log away, under the next reader."""
        db = sqlite3.connect(f"file:{database or self.database}?mode=ro",
                             uri=True, timeout=WAIT)
        try:
            return db.execute(sql).fetchall()
        finally:
            db.close()

    def value(self, sql):
        return self.rows(sql)[0][0]

    def ask(self, sql):
        """The first column of the first row; None when there is none yet, as
        long as live is not up too: for until()."""
        try:
            rows = self.rows(sql)
        except sqlite3.Error:
            return None
        return rows[0][0] if rows else None

    def until(self, what, true):
        end = time.monotonic() + WAIT
        while not true():
            if self.live.poll() is not None:
                raise AssertionError(f"live ended: {self.log.read_text()}")
            if time.monotonic() > end:
                raise AssertionError(f"not: {what}\n{self.log.read_text()}")
            time.sleep(0.02)

    def children(self):
        """Of live: its capture process first."""
        pid = self.live.pid
        text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text()
        return [int(word) for word in text.split()]

    def until_gone(self, pids):
        end = time.monotonic() + WAIT
        while any(os.path.exists(f"/proc/{pid}") for pid in pids):
            assert time.monotonic() < end, "children stay"
            time.sleep(0.02)

    def send(self, capture, *options, wait=True):
        sender = subprocess.Popen(self.inside(
            sys.executable, HERE / "send.py", "a0", capture, *options))
        if wait:
            assert sender.wait(WAIT) == 0
        return sender

    def analyze(self, *captures):
        """The database of these files, by the same program."""
        out = self.path / "file.db"
        done = subprocess.run([self.program, "analyze", "-o", out, *captures],
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return out
