#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The capture layer against other readers: capinfos, tcpdump, tshark, editcap.

usage: robustness.py WHAT BUILD
	BUILD holds capture-count, capture-write and capture-mangle
	WHAT  oracle    packet counts where both readers of ORACLE.tsv agree
	      captures  packet counts of the captures at hand, by capinfos
	      frames    number, time, lengths of every frame, by tshark
	      variants  the odd pcap formats, written by editcap
	      cut       packet counts of cut files, by capinfos
	      numbers   frame numbers among blocks that hold no packet
	      writer    what capture-write wrote, by capinfos and tshark
	      mangle    robustness captures cut and flipped (sanitizers)
Captures are read from ../shared/captures; 77 when those needed are absent."""
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "captures"
PUBLIC = SHARED / "public"
SKIP = 77


class Skip(Exception):
    pass


def run(*command):
    return subprocess.run([str(c) for c in command], capture_output=True,
                          text=True, errors="replace")


def need(*what):
    for thing in what:
        absent = (not thing.exists() if isinstance(thing, pathlib.Path)
                  else not shutil.which(thing))
        if absent:
            raise Skip(f"{thing} is absent")


def count(build, path):
    """Packets we read, or None when we refuse the file."""
    got = run(build / "capture-count", "-q", path)
    found = re.match(r"(\d+) packets", got.stdout)
    return int(found[1]) if found else None


def capinfos(path):
    """Packets, also of a file cut short; None when there is no count."""
    got = run("capinfos", "-c", "-M", "-r", "-T", path)
    found = re.search(r"\t(\d+)$", got.stdout.strip())
    return int(found[1]) if found else None


def frames(build, path):
    got = run(build / "capture-count", "-f", path)
    return [tuple(map(int, line.split()[1:6]))
            for line in got.stdout.splitlines() if line.startswith("frame ")]


def tshark_frames(path):
    got = run("tshark", "-n", "-r", path, "-T", "fields",
              "-e", "frame.number", "-e", "frame.time_epoch",
              "-e", "frame.cap_len", "-e", "frame.len",
              "-e", "frame.interface_id", "-e", "frame.encap_type")
    rows = [line.split("\t") for line in got.stdout.splitlines()]
    return [tshark_frame(row) for row in rows if row[-1]]


def tshark_frame(row):
    number, time, caplen, length, interface, _ = row
    if time:
        seconds, fraction = time.split(".")
        time = int(seconds) * 10**9 + int(fraction)
    return (int(number), time or None, int(caplen), int(length),
            int(interface or 0))


def captures():
    found = sorted(SHARED.glob("softroce/*.pcap*"))
    found += sorted(PUBLIC.glob("rdma-tutorial/*.pcap"))
    found += sorted(PUBLIC.glob("lldp-erspan/*.pcap"))
    if not found:
        raise Skip("no captures at hand")
    return found


def oracle(build):
    table = PUBLIC / "robustness" / "ORACLE.tsv"
    need(table)
    compared = wrong = 0
    for line in table.read_text().splitlines()[1:]:
        cell = [c.strip('"') for c in line.split("\t")]
        path, theirs, tcpdump = cell[0], cell[4], cell[6]
        if theirs != tcpdump or not theirs.isdigit():
            continue
        compared += 1
        ours = count(build, PUBLIC / path)
        if ours != int(theirs):
            wrong += 1
            print(f"{path}: {ours} packets, both others {theirs}")
    print(f"{compared} files compared, {wrong} differ")
    return compared > 300 and not wrong


def captures_by_capinfos(build):
    need("capinfos")
    wrong = 0
    for path in captures():
        ours, theirs = count(build, path), capinfos(path)
        if ours != theirs:
            wrong += 1
            print(f"{path}: {ours} packets, capinfos {theirs}")
    print(f"{len(captures())} files compared, {wrong} differ")
    return not wrong


def same_frames(build, path):
    """Frames differ in what we promise only: the time of simple packets and
    captured lengths beyond the packet's."""
    ours, theirs = frames(build, path), tshark_frames(path)
    ours.sort()
    if len(ours) != len(theirs):
        return f"{len(ours)} frames, tshark {len(theirs)}"
    for a, b in zip(ours, theirs):
        if b[1] is None:
            a, b = (a[0], *a[2:]), (b[0], *b[2:])
        if a != b:
            return f"{a}, tshark {b}"
    return None


def compare_frames(build, paths):
    wrong = total = 0
    for path in paths:
        total += 1
        difference = same_frames(build, path)
        if difference:
            wrong += 1
            print(f"{path}: {difference}")
    print(f"{total} files compared, {wrong} differ")
    return total and not wrong


def frames_by_tshark(build):
    need("tshark")
    paths = [p for p in captures() if p.stat().st_size < 150000]
    generated = PUBLIC / "robustness" / "pcapng-test-generator"
    paths += sorted(generated.glob("output_be*.pcapng"))
    paths += sorted(generated.glob("output_le__[ad]*.pcapng"))
    return compare_frames(build, paths)


def variants(build):
    need("editcap", "tshark", PUBLIC / "rdma-tutorial")
    kinds = ["pcap", "nsecpcap", "modpcap", "nokiapcap", "rh6_1pcap",
             "suse6_3pcap", "pcapng"]
    sources = sorted(PUBLIC.glob("rdma-tutorial/rdma_*.pcap"))[:4]
    with tempfile.TemporaryDirectory() as folder:
        made = []
        for source in sources:
            for kind in kinds:
                path = pathlib.Path(folder) / f"{source.stem}.{kind}"
                if run("editcap", "-F", kind, source, path).returncode == 0:
                    made.append(path)
        return len(made) >= len(sources) * 6 and compare_frames(build, made)


def cut(build):
    need("capinfos")
    wrong = compared = 0
    small = [p for p in captures() if p.stat().st_size < 20000]
    small += sorted(PUBLIC.glob(
        "robustness/pcapng-test-generator/output_le__basic*.pcapng"))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "cut"
        for source in small[:8]:
            whole = source.read_bytes()
            for n in range(60, len(whole), len(whole) // 25 + 1):
                path.write_bytes(whole[:n])
                theirs = capinfos(path)
                if theirs is None:
                    continue
                compared += 1
                ours = count(build, path)
                if ours != theirs:
                    wrong += 1
                    print(f"{source} cut at {n}: {ours}, capinfos {theirs}")
    print(f"{compared} cuts compared, {wrong} differ")
    return compared > 50 and not wrong


def block(kind, body):
    body += bytes(-len(body) % 4)
    length = len(body) + 12
    return struct.pack("<II", kind, length) + body + struct.pack("<I", length)


def numbers(build):
    need("tshark")
    section = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    interface = block(1, struct.pack("<HHI", 1, 0, 0))
    packet = block(6, struct.pack("<IIIII", 0, 0, 0, 60, 60) + bytes(60))
    simple = block(3, struct.pack("<I", 60) + bytes(60))
    others = {
        "names": block(4, bytes(4)),
        "statistics": block(5, struct.pack("<III", 0, 0, 0)),
        "journal": block(9, b"__REALTIME_TIMESTAMP=1600000000000000\n"),
        "secrets": block(10, struct.pack("<II", 0x544C534B, 0)),
        "custom": block(0xBAD, struct.pack("<I", 32473) + bytes(8)),
        "custom, not to be copied":
            block(0x40000BAD, struct.pack("<I", 32473) + bytes(8)),
        "sysdig": block(0x204, bytes(44)),
        "sysdig 2": block(0x216, bytes(60)),
        "sysdig large": block(0x221, bytes(60)),
        "sysdig machine": block(0x201, bytes(60)),
        "apple": block(0x80000001, bytes(20)),
        "unknown": block(0x70000000, bytes(8)),
        "simple": simple,
    }
    good = True
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "numbers.pcapng"
        for name, other in others.items():
            path.write_bytes(section + interface + packet + other + packet)
            ours = [f[0] for f in frames(build, path)]
            theirs = [f[0] for f in tshark_frames(path)]
            if ours[-1] != theirs[-1]:
                print(f"{name}: {ours}, tshark {theirs}")
                good = False
    print(f"{len(others)} blocks compared")
    return good


def writer(build):
    need("capinfos", "tshark", PUBLIC / "rdma-tutorial")
    source = PUBLIC / "rdma-tutorial" / "rdma_cm.pcap"
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "written.pcapng"
        return written(build, source, path)


def written(build, source, path):
    wrote = run(build / "capture-write", source, path)
    info = run("capinfos", path)
    shark = run("tshark", "-n", "-r", path, "-T", "fields",
                "-e", "frame.time_epoch", "-e", "frame.cap_len",
                "-e", "frame.len", "-e", "frame.interface_name",
                "-e", "frame.packet_flags", "-e", "frame.comment")
    if wrote.returncode or info.returncode or shark.returncode:
        print(wrote.stderr, info.stderr, shark.stderr)
        return False
    complaints = [line for line in (info.stderr + shark.stderr).splitlines()
                  if not line.startswith("Running as user")]
    if complaints:
        print(complaints)
        return False
    expected = [f"Number of packets:   {capinfos(source)}",
                "Capture comment:     section", "Name = first",
                "Description = described", "Speed = 400000000000",
                "Name = second", "Time precision = nanoseconds (9)"]
    missing = [e for e in expected if e not in info.stdout]
    if missing:
        print(info.stdout, "lacks", missing)
        return False
    return check_rows(source, shark.stdout.splitlines())


def check_rows(source, rows):
    originals = tshark_frames(source)
    if len(rows) != len(originals):
        print(f"{len(rows)} rows, {len(originals)} frames")
        return False
    for (number, time, caplen, length, _), row in zip(originals, rows):
        flags = number % 3
        want = [f"{time // 10**9}.{time % 10**9:09}", str(caplen),
                str(length), ["first", "second"][number % 2],
                f"0x{flags:08x}" if flags else "",
                "" if number % 4 else "fourth \u20ac"]
        if row.split("\t") != want:
            print(f"{row!r} instead of {want}")
            return False
    print(f"{len(rows)} frames written and read")
    return True


def mangle(build):
    folder = PUBLIC / "robustness"
    need(folder)
    paths = sorted(folder.glob("*/*.pcap*"))
    # one in four: the rest is of the same kinds
    got = run(build / "capture-mangle", *paths[::4])
    print(got.stdout, got.stderr[-4000:])
    return got.returncode == 0


CHECKS = {
    "oracle": oracle, "captures": captures_by_capinfos,
    "frames": frames_by_tshark, "variants": variants, "cut": cut,
    "numbers": numbers, "writer": writer, "mangle": mangle,
}


def main():
    what, build = sys.argv[1], pathlib.Path(sys.argv[2])
    try:
        return 0 if CHECKS[what](build) else 1
    except Skip as why:
        print(f"skipped: {why}")
        return SKIP


if __name__ == "__main__":
    sys.exit(main())
