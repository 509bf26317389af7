# SPDX-License-Identifier: GPL-2.0-or-later
"""A terminal to try the dashboard in: tmux, on a socket of its own.

Nothing here waits for a time: it looks at the screen until the screen is what
it should be, and gives up only when that never happens.  What is waited for
after keys must not be there before them, or the wait is over before they are
read, and the next keys come to the screen before: such a test passes on a quiet
machine only, so it fails everywhere."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
FABSCOPE = os.environ.get("FABSCOPE", str(ROOT / "build/dev/fabscope"))
PATIENCE = 120  # seconds until a screen that never comes is a failure
SKIP = 77


def need_tmux():
    if not shutil.which("tmux"):
        print("tmux is not installed")
        sys.exit(SKIP)


def fits(screen, texts, without, check, raising=False):
    """Is |screen| what is waited for?"""
    if not all(t in screen for t in texts) or \
            any(t in screen for t in without):
        return False
    try:
        if check:
            check(screen)
        return True
    except (AssertionError, LookupError, ValueError, StopIteration):
        if raising:
            raise
        return False


class Terminal:
    """fabscope tui ARGS in a window of |width| x |height|, run in |folder|;
    |command|: another command line instead."""

    def __init__(self, folder, args, width=80, height=24, command=None,
                 **environment):
        self.sockets = tempfile.TemporaryDirectory(
            ignore_cleanup_errors=True)
        self.folder = folder
        self.before = None  # the screen when keys were sent
        # tmux sends what it was told by its environment
        env = {k: v for k, v in os.environ.items()
               if k in ("PATH", "HOME", "ASAN_OPTIONS", "LSAN_OPTIONS")}
        env |= {"LC_ALL": "C.UTF-8", "SHELL": "/bin/sh",
                "XDG_DATA_HOME": self.sockets.name} | environment
        self.env = env
        (pathlib.Path(self.sockets.name) / "run.sh").write_text(
            # a shell whose child dies of a signal would go with it
            f"trap : INT HUP TERM QUIT\nstty -a > before\n"
            f"{command or f'{FABSCOPE} tui {args}'}\nstatus=$?\nstty -a > after\n"
            "echo \"ended: $status\"\n"
            # until there is no terminal any more, signals or not
            "while read wait || [ $? -gt 128 ]; do :; done\n")
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(width),
                  "-y", str(height), f"sh {self.sockets.name}/run.sh")
        self.tmux("set", "-g", "status", "off")

    def tmux(self, *words):
        return subprocess.run(
            ["tmux", "-u", "-S", f"{self.sockets.name}/s", *words],
            cwd=self.folder, env=self.env, check=True, text=True,
            capture_output=True).stdout

    def screen(self, *options):
        return self.tmux("capture-pane", "-p", *options)

    def keys(self, *keys):
        self.before = self.before or self.screen()
        self.tmux("send-keys", *keys)

    def type(self, text):
        self.before = self.before or self.screen()
        self.tmux("send-keys", "-l", "--", text)

    def resize(self, width, height):
        self.before = None  # the same may well come again
        self.tmux("resize-window", "-x", str(width), "-y", str(height))

    def pid(self):
        """Of fabscope: the last of the line of processes in the window."""
        pid = self.tmux("list-panes", "-F", "#{pane_pid}").strip()
        while True:
            children = pathlib.Path(
                f"/proc/{pid}/task/{pid}/children").read_text().split()
            if not children:
                return int(pid)
            pid = children[0]

    def wait(self, *texts, without=(), idle=True, check=None, same=False):
        """The screen once it shows all |texts|, nobody is being asked, and
        |check| of it raises nothing: a screen comes in pieces, and the piece
        that is waited for may be there before its neighbours.  |same|: the
        keys before it are to change nothing."""
        end = time.monotonic() + PATIENCE
        before, self.before = self.before, None
        if before and not same:
            assert not fits(before, texts, without, check), \
                f"was there before the keys: {texts}\n{before}"
        while True:
            now = self.screen()
            lines = now.split("\n")
            busy = "loading ..." in now or "no packets yet" in now or any(
                line.rstrip().endswith(" *") for line in lines[-4:])
            late = time.monotonic() > end
            if not (idle and busy) and fits(now, texts, without, check, late):
                return now
            if late:
                raise AssertionError(f"never came: {texts}\n{now}")
            time.sleep(0.02)

    def close(self):
        try:
            self.tmux("kill-server")
        except subprocess.CalledProcessError:
            pass
        self.sockets.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def run(folder, *words):
    return subprocess.run([FABSCOPE, *words], cwd=folder, check=True,
                          text=True, capture_output=True).stdout


def analyzed(folder, capture, database):
    """A copy of a shipped capture beside the database made of it."""
    shutil.copy(ROOT / "captures" / capture, folder)
    run(folder, "analyze", "-o", database, capture)


def simulated(folder, name):
    """The capture and the database of a scenario: NAME.pcapng, NAME.db."""
    run(folder, "simulate", str(ROOT / f"captures/scenarios/{name}.fab"), "-w",
        f"{name}.pcapng")
    run(folder, "analyze", "-o", f"{name}.db", f"{name}.pcapng")


def main(tests):
    need_tmux()
    failed = 0
    named = [a for a in sys.argv[1:] if not a.startswith("-")]
    for test in tests:
        if named and test.__name__ not in named:
            continue
        with tempfile.TemporaryDirectory(
                ignore_cleanup_errors=True) as folder:
            try:
                test(pathlib.Path(folder))
                print("ok", test.__name__)
            except (AssertionError, subprocess.CalledProcessError) as e:
                failed += 1
                print("FAILED", test.__name__, e,
                      getattr(e, "stderr", "") or "")
    sys.exit(failed > 0)
