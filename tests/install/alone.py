#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The static program in a root folder that holds only what cmake/Containerfile
puts there: it does what the ordinary one does outside.
usage: alone.py STATIC ORDINARY"""
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile

import rooms
from rooms import check, run


def contained(static, root):
    """Does what the Containerfile says; its entry point, below |root|."""
    entry = None
    for line in (rooms.ROOT / "cmake/Containerfile").read_text().splitlines():
        word, _, rest = line.partition(" ")
        if word == "COPY":
            source, target = rest.split()
            check(f"{source} is the program", source == "fabscope")
            shutil.copy(static, root / target.lstrip("/"))
        elif word == "WORKDIR":
            (root / rest.lstrip("/")).mkdir()
        elif word == "ENTRYPOINT":
            entry, = json.loads(rest)
        elif word == "FROM":
            check("it starts from nothing", rest == "scratch")
    return entry


def screen(root, program, *words):
    """What it shows on a terminal before it is told to end."""
    pid, terminal = pty.fork()
    if not pid:
        words = rooms.inside(root, program, *words)
        os.execvpe(words[0], words, {"TERM": "tmux-256color",
                                     "PATH": os.environ["PATH"]})
    shown = b""
    while b"Overview" not in shown:
        try:
            shown += os.read(terminal, 65536)
        except OSError:
            break
    try:
        os.write(terminal, b"q")
    except OSError:
        pass
    while True:
        try:
            if not os.read(terminal, 65536):
                break
        except OSError:
            break
    return shown, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def main():
    static, ordinary = sys.argv[1:3]
    headers = subprocess.run(["readelf", "-lW", static], check=True,
                             capture_output=True, text=True).stdout
    check("it asks for no loader and no library",
          "INTERP" not in headers and "DYNAMIC" not in headers)
    with tempfile.TemporaryDirectory(prefix="fabscope.") as folder:
        root = pathlib.Path(folder)
        program = contained(static, root)
        rooms.skip_without(root, program)
        name = rooms.copy_capture(root)
        outside = subprocess.run([ordinary, "analyze", name], cwd=root,
                                 check=True, capture_output=True,
                                 text=True).stdout
        check("its verdict is that of the ordinary program",
              run(root, program, "analyze", name) ==
              outside.replace(ordinary, program))
        listed = run(root, program, "simulate", "-l")
        shipped = list((rooms.ROOT / "captures/scenarios").glob("*.fab"))
        check("all scenarios are listed",
              {p.stem for p in shipped} ==
              set(re.findall(r"^(\w+)", listed, re.M)))
        run(root, program, "simulate", "clean", "-w", "clean.pcapng")
        run(root, program, "analyze", "clean.pcapng")
        check("it has its queries", "losses" in
              run(root, program, "query", "--list"))
        run(root, program, "report", name + ".fabscope.db", "-o", "r.html")
        check("it has what reports need",
              "dygraph" in (root / "r.html").read_text().lower())
        shown, status = screen(root, program, "tui", name + ".fabscope.db")
        check("it knows terminals where no file describes any",
              b"Overview" in shown and not status)


if __name__ == "__main__":
    main()
