# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of the program share: run it, and look at what it did."""
import importlib
import os
import pathlib
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import unittest

FABSCOPE = os.environ.get("FABSCOPE", "fabscope")
ROOT = pathlib.Path(__file__).resolve().parents[3]
CAPTURES = ROOT / "captures"

sys.path.append(str(ROOT / "tests"))
from cases import some  # noqa: E402, F401: for who imports this


def module(name):
    """A module of a Debian package, or None.  A Python that is not Debian's
    does not see it: then the test begins again under Debian's."""
    try:
        return importlib.import_module(name)
    except ImportError:
        pass
    debian = "/usr/bin/python3"
    if os.path.realpath(sys.executable) != os.path.realpath(debian) and \
            shutil.which(debian) and not subprocess.run(
                [debian, "-c", f"import {name}"], capture_output=True,
                check=False).returncode:
        os.execv(debian, [debian, *sys.argv])
    return None


def limited(octets):
    """What a child does that may write no file longer than |octets|."""
    def apply():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (octets, octets))
    return apply


def run(*words, stdin=None, cwd=None, env=None, binary=False, limit=None,
        user=None):
    """Runs the program; gives exit status, stdout, stderr."""
    done = subprocess.run([FABSCOPE, *map(str, words)], input=stdin, cwd=cwd,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env={**os.environ, "LC_ALL": "C", **(env or {})},
                          preexec_fn=limited(limit) if limit else None,
                          user=user, timeout=120, check=False)
    out = done.stdout if binary else done.stdout.decode()
    return done.returncode, out, done.stderr.decode()


def pcap(*packets, order="<", magic=0xa1b2c3d4, snaplen=65535, link=1):
    """A classic pcap file of (seconds, octets)."""
    out = [struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, snaplen, link)]
    for seconds, octets in packets:
        out.append(struct.pack(order + "IIII", seconds, 0, len(octets),
                               len(octets)))
        out.append(octets)
    return b"".join(out)


def packets(octets):
    """The packets of a little-endian classic pcap file."""
    found, at = [], 24
    while at < len(octets):
        length, = struct.unpack_from("<I", octets, at + 8)
        found.append(octets[at + 16:at + 16 + length])
        at += 16 + length
    return found


class Case(unittest.TestCase):
    """Each test has a folder of its own, which is the current one of run."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="fabscope."))
        self.addCleanup(shutil.rmtree, self.folder, True)

    def run_here(self, *words, **options):
        return run(*words, cwd=self.folder, **options)

    def capture(self, name):
        """A small capture of captures/, copied here."""
        shutil.copy(CAPTURES / name, self.folder)
        return name

    def write(self, name, octets):
        (self.folder / name).write_bytes(octets)
        return name

    def files(self):
        return sorted(p.name for p in self.folder.iterdir())

    def one_line(self, text):
        """The line of |text|, which has to be the only one."""
        self.assertRegex(text, r"\A[^\n]+\n\Z")
        return text.rstrip("\n")


def main():
    unittest.main(argv=sys.argv[:1], verbosity=2)
