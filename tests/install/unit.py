#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The systemd unit where it is installed: it names the program beside it, and
systemd has nothing against it.
usage: unit.py CMAKE BUILD"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

import rooms


def main():
    cmake, build = sys.argv[1:3]
    with tempfile.TemporaryDirectory(prefix="fabscope.") as prefix:
        subprocess.run([cmake, "--install", build, "--prefix", prefix,
                        "--component", "program"], check=True,
                       capture_output=True)
        unit = (pathlib.Path(prefix) / "lib/systemd/system" /
                "fabscope-live@.service")
        started = [line.partition("=")[2].split()[0]
                   for line in unit.read_text().splitlines()
                   if line.startswith("ExecStart=")]
        rooms.check("it starts the program that is installed",
                    started == [f"{prefix}/bin/fabscope"] and
                    pathlib.Path(started[0]).exists())
        if not shutil.which("systemd-analyze"):
            sys.exit(rooms.SKIP)
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", unit],
                              capture_output=True, text=True, check=False)
        complaints = [line for line in done.stderr.splitlines()
                      if "fabscope" in line]
        rooms.check(f"systemd-analyze verify is content {complaints}",
                    not complaints and not done.returncode)


if __name__ == "__main__":
    main()
