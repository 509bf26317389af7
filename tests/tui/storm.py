#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Random keys and sizes, thousands of them: it must neither crash nor hang, and
quits when it is told to.  storm.py STROKES [SEED]"""
import fcntl
import os
import pty
import random
import select
import signal
import struct
import sys
import tempfile
import termios
import time

from terminal import FABSCOPE, PATIENCE, analyzed, simulated

KEYS = [bytes([c]) for c in range(0x20, 0x7f)] + [
    b"\r", b"\t", b"\x1b", b"\x7f", b"\x02", b"\x06", b"\x04", b"\x15",
    b"\x0c", b"\x17", b"\xc3\xa4", b"\xff", b"\x00", b"\x1b[A", b"\x1b[B",
    b"\x1b[C", b"\x1b[D", b"\x1bOA", b"\x1bOB", b"\x1b[5~", b"\x1b[6~",
    b"\x1b[H", b"\x1b[F", b"\x1b[Z", b"\x1bOP", b"\x1b[1;5C", b"\x1b[M   ",
    b"\x1b[<0;10;10M", b"\x1b[200~", b"10.9", b"lost>0\r", b"+0.1s\r"]
# ends the program, or writes files with names of its own making
HARMFUL = (b"q", b"w", b"\x03", b"\x1c", b"\x1a")
SIZES = ((80, 24), (120, 40), (79, 24), (1, 1), (200, 60), (81, 25), (3, 100))


def drain(fd):
    while select.select([fd], [], [], 0)[0]:
        if not os.read(fd, 65536):
            return


def resize(fd, child, width, height):
    fcntl.ioctl(fd, termios.TIOCSWINSZ,
                struct.pack("HHHH", height, width, 0, 0))
    os.kill(child, signal.SIGWINCH)


def wait_end(fd, child):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        gone, status = os.waitpid(child, os.WNOHANG)
        if gone:
            return os.waitstatus_to_exitcode(status)
        try:
            if select.select([fd], [], [], 0.05)[0]:
                os.read(fd, 65536)
        except OSError:
            pass
    os.kill(child, signal.SIGKILL)
    raise AssertionError("hangs")


def storm(folder, database, strokes, seed):
    chance = random.Random(seed)
    child, fd = pty.fork()
    if not child:
        os.chdir(folder)
        os.environ |= {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
        os.execv(FABSCOPE, [FABSCOPE, "tui", "--mouse", database])
    resize(fd, child, 80, 24)
    try:
        for _ in range(strokes):
            key = chance.choice(KEYS)
            if key not in HARMFUL:
                os.write(fd, key)
            if chance.random() < 0.01:
                resize(fd, child, *chance.choice(SIZES))
            drain(fd)
        resize(fd, child, 80, 24)
        # out of overlays and prompts; then q is to quit
        os.write(fd, b"\x1b")
        time_out = time.monotonic() + PATIENCE
        while time.monotonic() < time_out:
            os.write(fd, b"\x1b\x1bq")
            drain(fd)
            gone, status = os.waitpid(child, os.WNOHANG)
            if gone:
                return os.waitstatus_to_exitcode(status)
            select.select([fd], [], [], 0.05)
    except OSError: # its terminal is gone: so is it
        pass
    return wait_end(fd, child)


def main():
    strokes = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    with tempfile.TemporaryDirectory() as folder:
        analyzed(folder, "d11_drop_every_400.pa.pcap", "d11.db")
        simulated(folder, "uet_trim_incast")
        for database in ("d11.db", "uet_trim_incast.db"):
            status = storm(folder, database, strokes // 2, seed)
            print(database, "seed", seed, "status", status)
            if status:
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
