# SPDX-License-Identifier: GPL-2.0-or-later
"""Folders that are the whole system of what runs in them."""
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CAPTURE = ROOT / "captures" / "d12_drop_tail_timeout.pa.pcap"
SKIP = 77


def inside(root, *words):
    """The words that run |words| with |root| as /."""
    words = ["chroot", str(root), *map(str, words)]
    return words if os.getuid() == 0 else ["unshare", "-r", *words]


def run(root, *words, status=0):
    """Its output; it has to end with |status|."""
    done = subprocess.run(inside(root, *words), capture_output=True,
                          text=True, check=False, timeout=120,
                          env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"})
    if done.returncode != status:
        sys.exit(f"{words}: status {done.returncode}\n{done.stderr}")
    return done.stdout


def skip_without(root, program):
    """Skips the test where this user cannot change the root."""
    done = subprocess.run(inside(root, program, "version"),
                          capture_output=True, text=True, check=False)
    if done.returncode in (1, 125) and "ermitted" in done.stderr:
        print(done.stderr)
        sys.exit(SKIP)


def copy_capture(folder):
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(CAPTURE, folder)
    return CAPTURE.name


def check(what, good):
    if not good:
        sys.exit(f"not true: {what}")
    print(f"ok: {what}")
