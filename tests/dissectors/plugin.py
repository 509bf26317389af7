# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of the plugin share: tshark as an ordinary user, with it.

tshark run by root loads no plugins from anywhere but its own folder, so root
becomes nobody here.  Environment: PLUGINS, the build's folder of plugins;
FABSCOPE, the program; PRELOAD, the sanitizer's library where there is one."""
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CAPTURES = ROOT / "captures"
SHARED = ROOT.parent / "shared" / "captures"
FABSCOPE = os.environ.get("FABSCOPE", "fabscope")
PLUGINS = os.environ.get("PLUGINS", "")
NOBODY = 65534
SKIP = 77
FLAGS = {"False": "0", "True": "1"}  # as tshark writes them since 4.2


def environment(plugins, home):
    env = {**os.environ, "LC_ALL": "C.UTF-8", "HOME": str(home),
           "ASAN_OPTIONS": "detect_leaks=0", "TZ": "UTC"}
    env.pop("WIRESHARK_PLUGIN_DIR", None)
    if plugins:
        env["WIRESHARK_PLUGIN_DIR"] = str(plugins)
        if os.environ.get("PRELOAD"):
            env["LD_PRELOAD"] = os.environ["PRELOAD"]
    return env


def ordinary(plugins=PLUGINS, home="/nonexistent"):
    """How tshark is started."""
    user = NOBODY if os.getuid() == 0 else None
    return {"user": user, "group": user, "extra_groups": [] if user else None,
            "env": environment(plugins, home)}


def tshark(*words, data=None, stdin=None, **options):
    """Runs tshark; gives exit status, stdout, stderr."""
    given = {"input": data} if data else {"stdin": stdin}
    done = subprocess.run(["tshark", *map(str, words)], capture_output=True,
                          check=False, timeout=600, **given,
                          **ordinary(**options))
    return (done.returncode, done.stdout.decode(errors="replace"),
            done.stderr.decode(errors="replace"))


def as_fields(names):
    """What makes tshark print what cells_of() reads."""
    ask = [word for name in names for word in ("-e", name)]
    return ["-T", "fields", "-E", "occurrence=a", "-E", "aggregator=;", "-e",
            "frame.number", *ask]


def fields(path, names, *words, **options):
    """frame -> name -> list of values, of the fields that are there."""
    status, out, err = tshark("-r", path, *words, *as_fields(names), **options)
    if status:
        raise AssertionError(f"tshark {path}: {err}")
    return cells_of(out, names)


def live(parts, names):
    """The same of a capture that goes on: the second part comes when the first
    packet has been shown."""
    with subprocess.Popen(
            ["tshark", "-l", "-i", "-", *as_fields(names)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, bufsize=0, **ordinary()) as process:
        # without buffers, in which communicate() would not look
        process.stdin.write(parts[0])
        first = process.stdout.readline()
        rest, err = process.communicate(parts[1], timeout=600)
    if process.returncode:
        raise AssertionError(f"tshark -i -: {err}")
    return cells_of((first + rest).decode(), names)


def cells_of(out, names):
    frames = {}
    for line in out.splitlines():
        cells = line.split("\t")
        frames[int(cells[0])] = {
            name: [FLAGS.get(one, one) for one in cell.split(";")]
            for name, cell in zip(names, cells[1:]) if cell}
    return frames


def fabscope(*words, cwd=None):
    done = subprocess.run([FABSCOPE, *map(str, words)], cwd=cwd, check=False,
                          capture_output=True, text=True, timeout=600)
    if done.returncode not in (0, 3):
        raise AssertionError(f"fabscope {words}: {done.stderr}")
    return done.stdout


def notes(path, *options):
    """frame -> what fabscope decode --verdicts says, of frames of flows."""
    packets = map(json.loads, fabscope("decode", "--verdicts", "--json",
                                       *options, path).splitlines())
    return {p["frame"]: p["verdict"] for p in packets if "verdict" in p}


def ask(database, query, *words):
    """The rows of a query, as dictionaries."""
    return json.loads(fabscope("query", database, query, "--format", "json",
                               *words))


def own_fields():
    """All that the plugin says of packets."""
    rows = (line.split("\t")
            for line in tshark("-G", "fields")[1].splitlines())
    return [row[2] for row in rows
            if row[0] == "F" and row[2].startswith("fabscope.")]


def blocks(octets):
    """Those of a pcapng file, with their types."""
    at = 0
    while at < len(octets):
        kind, length = struct.unpack_from("<II", octets, at)
        yield kind, octets[at:at + length]
        at += length


def pcap(frames, wire=0):
    """A classic pcap file of Ethernet frames, one a millisecond; |wire|:
    their length before they were cut."""
    out = [struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1)]
    for n, frame in enumerate(frames):
        out.append(struct.pack("<IIII", n // 1000, n % 1000 * 1000,
                               len(frame), wire or len(frame)))
        out.append(frame)
    return b"".join(out)


class Case(unittest.TestCase):
    """Each test has a folder that everybody may read."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="fabscope."))
        self.folder.chmod(0o755)
        self.addCleanup(shutil.rmtree, self.folder, True)

    def capture(self, path):
        """A copy that an ordinary user may read."""
        copy = self.folder / path.name
        if not copy.exists():
            shutil.copyfile(path, copy)
            copy.chmod(0o644)
        return copy

    def simulate(self, scenario, seed=1):
        out = self.folder / f"{scenario}.pcapng"
        fabscope("simulate", "--seed", seed, "-w", out,
                 CAPTURES / "scenarios" / f"{scenario}.fab")
        out.chmod(0o644)
        return out

    def analyse(self, path, *options):
        out = self.folder / f"{path.name}.db"
        fabscope("analyze", "-o", out, *options, path)
        return out


def main():
    if not shutil.which("tshark") or not PLUGINS:
        print("no tshark, or no plugin was built")
        sys.exit(SKIP)
    # Not "-G plugins": that starts dumpcap too, which hangs under a preloaded
    # sanitizer.
    _, out, err = tshark("-G", "protocols")
    if "fabscope" not in out:
        print(f"the plugin is not loaded: {err}")
        sys.exit(1)
    unittest.main(argv=sys.argv[:1], verbosity=2)
